// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Finding the keys around a time. In a header because it is short and every keyed sample starts
// here, and because the test of its work compiles a copy that counts: TRP__KEY_COMPARE.
#ifndef TROUPE_SRC_KEY_FIND_H
#define TROUPE_SRC_KEY_FIND_H

#include <stdint.h>

#ifndef TRP__KEY_COMPARE
#define TRP__KEY_COMPARE(condition) (condition)
#endif

/// Where a time lies among keys: `u` of the way from `key` to the next one.
struct trp__key_place {
    uint32_t key;
    double u;        ///< [0, 1]; 0 at a key, before the first and after the last
    double interval; ///< seconds to the next key; 0 after the last
};

/// Returns the last of all keys that is not after `time`; 0 before the first one.
static inline uint32_t trp__key_search(const double *times, uint32_t key_count, double time)
{
    uint32_t first = 0;
    uint32_t count = key_count;
    while (count > 1) {
        const uint32_t half = count / 2;
        first = TRP__KEY_COMPARE(times[first + half] <= time) ? first + half : first;
        count -= half;
    }
    return first;
}

/// Finds the keys around a time.
/// @param times  [key_count] ascending
/// @param time   NaN counts as 0
/// @param cursor [in,out] hint: the key found before. In its interval or the next one, and where
///               playing on runs into an end, it takes two comparisons, else a search. No value
///               changes the result.
static inline struct trp__key_place trp__key_find(const double *times, uint32_t key_count,
                                                  double time, uint32_t *cursor)
{
    const double t = time == time ? time : 0;
    const uint32_t last = key_count - 1;
    if (last == 0) {
        *cursor = 0;
        return (struct trp__key_place){0, 0, 0};
    }
    // Whether play has moved on to the next interval is a matter of chance, so nothing branches on
    // it; whether it is in one of the two is almost always so.
    const uint32_t hint = *cursor < last ? *cursor : last - 1;
    const uint32_t moved = TRP__KEY_COMPARE(t >= times[hint + 1]);
    const uint32_t beyond = hint + 2 * moved;
    const uint32_t is_before = TRP__KEY_COMPARE(t < times[beyond < last ? beyond : last]);
    uint32_t key = hint + moved;
    if (is_before != moved && key != 0 && key != last) {
        key = trp__key_search(times, key_count, t);
    }
    if (key == last) {
        *cursor = last - 1;
        return (struct trp__key_place){last, 0, 0};
    }
    *cursor = key;
    const double interval = times[key + 1] - times[key];
    const double u = (t - times[key]) / interval; // negative before the first key
    // Less than a float can hold normalised is at the key: flushing denormals must change nothing.
    return (struct trp__key_place){key, u > 1e-37 ? (u < 1 ? u : 1) : 0, interval};
}

#endif
