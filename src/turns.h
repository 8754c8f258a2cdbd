// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Ways of any length along something that comes round: how often it does, and what is left. Exact
// where 64 bits would not hold the way, one bit at a time; for the rare ones that are so long.
#ifndef TROUPE_SRC_TURNS_H
#define TROUPE_SRC_TURNS_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

/// A way of `turns` periods and a rest. Backwards it has one turn back more, and a rest forwards.
/// No period is longer than 2^61.
struct trp__turns {
    uint64_t turns; ///< wraps around
    int64_t rest;   ///< [0, period)
};

/// Rounds a number within 2^62 of 0 to the nearest whole one, halves away from zero.
static inline int64_t trp__round(double number)
{
    const int64_t whole = (int64_t)number;
    const double rest = number - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

static inline struct trp__turns trp__turns_add(struct trp__turns a, struct trp__turns b,
                                               int64_t period)
{
    const int64_t rest = a.rest + b.rest;
    const bool is_over = rest >= period;
    return (struct trp__turns){a.turns + b.turns + is_over, is_over ? rest - period : rest};
}

static inline struct trp__turns trp__turns_of_whole(uint64_t way, int64_t period)
{
    return (struct trp__turns){way / (uint64_t)period, (int64_t)(way % (uint64_t)period)};
}

static inline struct trp__turns trp__turns_times(struct trp__turns way, uint64_t factor,
                                                 int64_t period)
{
    struct trp__turns product = {0};
    for (; factor != 0; factor >>= 1) {
        if (factor & 1) {
            product = trp__turns_add(product, way, period);
        }
        way = trp__turns_add(way, way, period);
    }
    return product;
}

static inline struct trp__turns trp__turns_back(struct trp__turns way, int64_t period)
{
    const bool has_rest = way.rest > 0;
    return (struct trp__turns){0 - way.turns - has_rest, has_rest ? period - way.rest : 0};
}

/// Rounds a way to the nearest whole number. Not a number goes nowhere, infinity as far as the
/// largest number.
static inline struct trp__turns trp__turns_of_number(double number, int64_t period)
{
    double way = number < 0 ? -number : number;
    if (!(way >= 0)) {
        return (struct trp__turns){0};
    }
    way = way < DBL_MAX ? way : DBL_MAX;
    int doubled_count = 0;
    for (; way >= 0x1p62; way /= 2) { // exact, and whole to the end
        doubled_count++;
    }
    struct trp__turns turns = trp__turns_of_whole((uint64_t)trp__round(way), period);
    for (; doubled_count > 0; doubled_count--) {
        turns = trp__turns_add(turns, turns, period);
    }
    return number < 0 ? trp__turns_back(turns, period) : turns;
}

#endif
