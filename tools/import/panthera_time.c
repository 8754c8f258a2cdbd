// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "panthera_time.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "easing.h"

#define PROBES 4096   // that look for turns of a named curve
#define MOST_MARKS 64 // of a named curve
#define NARROWINGS 60 // of the place of a turn, by a third each

double panthera_time_after(double time_s)
{
    return time_s < DBL_MIN ? DBL_MIN : nextafter(time_s, INFINITY);
}

double panthera_time_before(double time_s)
{
    return time_s <= DBL_MIN ? 0 : nextafter(time_s, 0);
}

static double samples_ease(const struct scene_samples *samples, double part)
{
    const double last = (double)(samples->count - 1);
    if (!(part > 0)) {
        return samples->values[0];
    }
    if (part >= 1) {
        return samples->values[samples->count - 1];
    }
    const double place = part * last;
    const uint32_t index = (uint32_t)place; // never the last one, however the product is rounded
    const double *const from = samples->values + index;
    return from[0] + (place - (double)index) * (from[1] - from[0]);
}

bool panthera_key_is_even(const struct panthera_key *key)
{
    return !key->samples && (key->easing == TRP__EASING_LINEAR || key->easing >= TRP__EASING_COUNT);
}

double panthera_key_ease(const struct panthera_key *key, double part)
{
    return key->samples ? samples_ease(key->samples, part) : trp__ease(key->easing, part);
}

/// Returns the work of a look at a time curve: exponentials take the longest.
static uint32_t ease_work(const struct panthera_key *key)
{
    const uint32_t easing = key->samples ? TRP__EASING_LINEAR : key->easing;
    const bool is_exponential = (easing >= TRP__EASING(TRP__EASING_EXPO, TRP__EASING_IN) &&
                                 easing <= TRP__EASING(TRP__EASING_EXPO, TRP__EASING_OUT_IN)) ||
                                (easing >= TRP__EASING(TRP__EASING_ELASTIC, TRP__EASING_IN) &&
                                 easing <= TRP__EASING(TRP__EASING_ELASTIC, TRP__EASING_OUT_IN));
    return is_exponential ? 3 : 1;
}

struct panthera_time panthera_time_in(const struct panthera_time *outer,
                                      const struct panthera_key *key, double inner_s)
{
    return (struct panthera_time){
        .outer = outer,
        .key = key,
        .inner_s = inner_s,
        .work = (outer ? outer->work : 1) + ease_work(key),
        .is_even = panthera_key_is_even(key) && (!outer || outer->is_even),
    };
}

double panthera_time_inside(const struct panthera_time *time, double root_s)
{
    if (!time) {
        return root_s;
    }
    return time->inner_s *
           panthera_key_ease(time->key, panthera_time_part(time->outer, time->key, root_s));
}

double panthera_time_part(const struct panthera_time *time, const struct panthera_key *key,
                          double root_s)
{
    return (panthera_time_inside(time, root_s) - key->start_s) / key->duration_s;
}

static uint64_t bits_of(double time_s)
{
    uint64_t bits;
    memcpy(&bits, &time_s, sizeof bits);
    return bits;
}

static double time_of(uint64_t bits)
{
    double time_s;
    memcpy(&time_s, &bits, sizeof time_s);
    return time_s;
}

/// Returns whether a span is past a point at a time.
static bool has_passed(const struct panthera_time *time, const struct panthera_key *key,
                       const struct panthera_span *span, double point, bool is_past, double root_s)
{
    const double inside =
        key ? panthera_time_part(time, key, root_s) : panthera_time_inside(time, root_s);
    return (is_past ? inside > point : inside >= point) != span->is_falling;
}

double panthera_time_pass(const struct panthera_time *time, const struct panthera_key *key,
                          const struct panthera_span *span, double point, bool is_past)
{
    if (!(span->begin_s < span->end_s) ||
        has_passed(time, key, span, point, is_past, span->begin_s)) {
        return span->begin_s;
    }
    const double last_s = panthera_time_before(span->end_s);
    if (!has_passed(time, key, span, point, is_past, last_s)) {
        return span->end_s;
    }
    // Doubles that are not negative are in the order of their bits.
    uint64_t low = bits_of(span->begin_s);
    uint64_t high = bits_of(last_s);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (has_passed(time, key, span, point, is_past, time_of(middle))) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return fmax(time_of(high), DBL_MIN);
}

uint64_t panthera_time_work(const struct panthera_time *time, uint32_t count)
{
    return count * (uint64_t)(time ? time->work : 1);
}

/// Returns the place of a turn of a named curve that lies between two places.
static double turn_between(uint32_t easing, double low, double high, double sign)
{
    for (int i = 0; i < NARROWINGS; i++) {
        const double a = low + (high - low) / 3;
        const double b = high - (high - low) / 3;
        if (sign * trp__ease(easing, a) < sign * trp__ease(easing, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    return low + (high - low) / 2;
}

static void marks_find(struct panthera_marks *marks, uint32_t easing, struct arena *arena)
{
    double *const at = ARENA_NEW(arena, double, MOST_MARKS);
    uint32_t count = 0;
    double sign = 0; // of the way before
    double before = trp__ease(easing, 0.5 / PROBES);
    for (uint32_t i = 1; i < PROBES && count < MOST_MARKS - 1; i++) {
        const double part = (i + 0.5) / PROBES;
        const double value = trp__ease(easing, part);
        const double next = value > before ? 1 : value < before ? -1 : sign;
        if (next * sign < 0) {
            at[count++] = turn_between(easing, part - 2.0 / PROBES, part, sign);
        }
        // Curves of two halves need not be smooth in the middle.
        if (i == PROBES / 2) {
            if (count == 0 || fabs(at[count - 1] - 0.5) > 1e-6) {
                at[count++] = 0.5;
            } else {
                at[count - 1] = 0.5;
            }
        }
        sign = next;
        before = value;
    }
    *marks = (struct panthera_marks){.count = count, .at = at};
}

struct panthera_marks panthera_marks_of(struct panthera_marks_table *table,
                                        const struct panthera_key *key)
{
    if (key->samples) {
        return (struct panthera_marks){.count = key->samples->count - 2};
    }
    if (panthera_key_is_even(key)) {
        return (struct panthera_marks){0};
    }
    struct panthera_marks *const marks = &table->named[key->easing];
    if (marks->count == 0) {
        marks_find(marks, key->easing, table->arena);
    }
    return *marks;
}

double panthera_mark_at(const struct panthera_marks *marks, int64_t index)
{
    if (index < 0 || index >= (int64_t)marks->count) {
        return index < 0 ? 0 : 1;
    }
    return marks->at ? marks->at[index] : (double)(index + 1) / (double)(marks->count + 1);
}

int64_t panthera_mark_from(const struct panthera_marks *marks, double part, bool is_falling)
{
    uint32_t low = 0;
    uint32_t high = marks->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (panthera_mark_at(marks, middle) > part) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return is_falling ? (int64_t)low : (int64_t)low - 1;
}
