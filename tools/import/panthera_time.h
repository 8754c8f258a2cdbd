// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Time inside nested clips. Whatever happens there begins at the first double of the root's time at
// which the rule of evaluation says so: crossings are searched, not computed, and are the same ones
// that a player finds who asks at one time after the other.
#ifndef TROUPE_TOOLS_PANTHERA_TIME_H
#define TROUPE_TOOLS_PANTHERA_TIME_H

#include "panthera.h"

/// The time inside a clip. Null in place of one means the root's own time.
struct panthera_time {
    const struct panthera_time *outer; // that of the animation which the clip is in
    const struct panthera_key *key;    // of the clip, which lasts a while
    double inner_s;                    // how long the animation inside lasts
    uint32_t work;                     // of a look at it
    bool is_even;                      // no clip on the way here is eased
};

/// A stretch of the root's time: all doubles from `begin_s` to before `end_s`. The time inside
/// stands still, or goes one way.
struct panthera_span {
    double begin_s;
    double end_s;
    bool is_still;
    bool is_falling;
    double still_s; // where it stands
    bool holds_end; // up to an instant that belongs to it, such as the end of the root
};

/// Where the time curve of a key turns round or is not smooth, beside its ends; ascending.
struct panthera_marks {
    uint32_t count;
    const double *at; // between 0 and 1; null: evenly spaced
};

/// Marks of named curves, once somebody asked.
struct panthera_marks_table {
    struct arena *arena; // takes them
    struct panthera_marks named[64];
};

/// Returns the double after a time that is not negative, passing over subnormal ones.
double panthera_time_after(double time_s);

/// Returns the double before a time that is positive, passing over subnormal ones.
double panthera_time_before(double time_s);

/// Returns whether a key goes evenly from its start to its end.
bool panthera_key_is_even(const struct panthera_key *key);

/// Returns the time curve of a key at a part of its duration, clamped to [0, 1].
double panthera_key_ease(const struct panthera_key *key, double part);

/// Returns the time inside a clip.
/// @param outer that of the animation which the clip is in
struct panthera_time panthera_time_in(const struct panthera_time *outer,
                                      const struct panthera_key *key, double inner_s);

/// Returns the time inside at a time of the root.
double panthera_time_inside(const struct panthera_time *time, double root_s);

/// Returns how much of a key has passed at a time of the root, which may be beyond [0, 1].
double panthera_time_part(const struct panthera_time *time, const struct panthera_key *key,
                          double root_s);

/// Returns where a span passes a point: the first double at which the time inside has reached it,
/// or where the span is falling, at which that is no longer so. The end of the span where it never
/// does. The span does not stand still.
/// @param key     the point is a part of this key's duration; null = a time
/// @param is_past has reached it: is greater; else is not less
double panthera_time_pass(const struct panthera_time *time, const struct panthera_key *key,
                          const struct panthera_span *span, double point, bool is_past);

/// Returns the work of looking at the time inside that often, in looks at the time in a clip.
uint64_t panthera_time_work(const struct panthera_time *time, uint32_t count);

/// Returns where the time curve of a key turns round or is not smooth.
struct panthera_marks panthera_marks_of(struct panthera_marks_table *table,
                                        const struct panthera_key *key);

/// Returns one of the marks; -1 is the start of the key, `count` its end.
double panthera_mark_at(const struct panthera_marks *marks, int64_t index);

/// Returns the first mark that can still be passed from a part of the duration on, or the start or
/// the end of the key.
int64_t panthera_mark_from(const struct panthera_marks *marks, double part, bool is_falling);

#endif
