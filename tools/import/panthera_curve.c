// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Curves of properties: a key where somebody else begins to write, and the interval after it as the
// kind of curve that goes the same way. A tween that goes from its own start to its own end is one
// interval with its easing; one that is cut, or in an eased clip, is split until cubics follow it.
#include "panthera_flatten.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "easing.h"

#define SPLIT_TOLERANCE 3e-8       // of the larger of both ends of a tween: half a place of a float
#define JUMP 1e-6                  // of a time curve at its end; steep ones move less in a double
#define MANY_SPLITS 1000           // of one tween: it has more only where rounding makes it uneven
#define SHORTEST_S 1e-9            // of intervals then
#define EDGE_STEPS 4               // doubles between an edge and where it is computed to be
#define MOST_CLIP_KEYS (1u << 20)  // of a clip with others in it
#define MOST_CURVE_KEYS (1u << 22) // of an import, with failed attempts; the double without others
#define MOST_SLOPE 1e25            // that a pack can hold, with room to spare
#define PROBES 12                  // looks at a tween to find what follows it over an interval

/// A key of the curve that is being made.
struct curve_key {
    double time_s;
    double value;
    double leaving; // tangents of cubic intervals after it, at both their ends
    double arriving;
    const struct scene_samples *samples;
    uint16_t easing;
    uint8_t interpolation;
    uint8_t is_added;
};

struct curve_maker {
    struct panthera_flattener *flattener;
    double rest;
    uint32_t count;
    uint32_t capacity;
    struct curve_key *keys; // in the arena of the animation
    bool has_started;       // a key of the file has, no longer what comes before
};

/// Part of a stretch on which a tween is smooth, but perhaps for its very ends.
struct smooth {
    const struct panthera_piece *piece;
    double begin_s;
    double end_s; // the first double beyond
    double tolerance;
    uint32_t split_count;
};

static void key_add(struct curve_maker *maker, struct curve_key key)
{
    struct panthera_flattener *const flattener = maker->flattener;
    if (flattener->is_over) {
        return;
    }
    flattener->clip_key_count++;
    flattener->curve_key_count++;
    if (flattener->is_nested ? flattener->clip_key_count > MOST_CLIP_KEYS ||
                                   flattener->curve_key_count > MOST_CURVE_KEYS
                             : flattener->curve_key_count > 2 * MOST_CURVE_KEYS) {
        flattener->is_over = true;
        return;
    }
    maker->keys =
        panthera_grown(flattener, maker->keys, maker->count, &maker->capacity, sizeof *maker->keys);
    maker->keys[maker->count++] = key;
}

/// Adds a key after which the value stays, if it does not stay anyway.
static void hold_add(struct curve_maker *maker, double time_s, double value)
{
    const struct curve_key *const last = maker->count > 0 ? &maker->keys[maker->count - 1] : NULL;
    if (!last || last->interpolation != SCENE_STEP || last->value != value) {
        key_add(maker, (struct curve_key){.time_s = time_s, .value = value});
    }
}

// -- Values of stretches

static double tween_value(const struct panthera_piece *piece, double root_s)
{
    const struct panthera_key *const key = piece->tween;
    const double part = panthera_time_part(piece->time, key, root_s);
    return key->start_value + (key->end_value - key->start_value) * panthera_key_ease(key, part);
}

static double stretch_value(const struct curve_maker *maker, const struct panthera_stretch *stretch)
{
    const struct panthera_piece *const piece = stretch->piece;
    if (!piece) {
        return maker->rest;
    }
    return piece->tween ? tween_value(piece, stretch->begin_s) : piece->value;
}

static double tween_tolerance(const struct panthera_key *key)
{
    return SPLIT_TOLERANCE * fmax(fabs(key->start_value), fabs(key->end_value));
}

/// Returns a time a few doubles later, or earlier.
static double time_near(double time_s, int steps)
{
    const double near = time_s + steps * (nextafter(time_s, INFINITY) - time_s);
    return near > 0 ? near : 0;
}

// -- Tweens that are cut or bent

/// A cubic between two times, through the tween's values at both and in between.
struct cubic {
    double values[2];
    double slopes[2]; // over the whole of it
};

static double cubic_value(const struct cubic *cubic, double u)
{
    const double v = 1 - u;
    return v * v * ((1 + 2 * u) * cubic->values[0] + u * cubic->slopes[0]) +
           u * u * ((3 - 2 * u) * cubic->values[1] - v * cubic->slopes[1]);
}

/// Returns whether a cubic follows a tween.
static bool is_following(const struct smooth *smooth, const struct cubic *cubic, double from_s,
                         double way_s)
{
    static const double probes[7] = {1.0 / 16, 1.0 / 6, 1.0 / 3, 0.5, 2.0 / 3, 5.0 / 6, 15.0 / 16};
    for (int i = 0; i < 7; i++) {
        const double time_s = from_s + probes[i] * way_s;
        const double truth = tween_value(smooth->piece, time_s);
        const double error = fabs(cubic_value(cubic, (time_s - from_s) / way_s) - truth);
        if (error > smooth->tolerance) {
            return false;
        }
    }
    return true;
}

static struct cubic line_through(const double values[2])
{
    const double way = values[1] - values[0];
    return (struct cubic){{values[0], values[1]}, {way, way}};
}

static struct cubic cubic_through(const struct smooth *smooth, const double values[2],
                                  double from_s, double way_s)
{
    const double a = values[0];
    const double b = tween_value(smooth->piece, from_s + way_s / 3);
    const double c = tween_value(smooth->piece, from_s + way_s * 2 / 3);
    const double d = values[1];
    return (struct cubic){
        .values = {a, d},
        .slopes = {(18 * b - 9 * c + 2 * d - 11 * a) / 2, (11 * d - 18 * c + 9 * b - 2 * a) / 2},
    };
}

/// Adds the keys of a tween between two times, without the one at the end.
static void interval_add(struct curve_maker *maker, struct smooth *smooth, double from_s,
                         double to_s, const double values[2])
{
    const double way_s = to_s - from_s;
    const double middle_s = from_s + way_s / 2;
    struct curve_key key = {
        .time_s = from_s,
        .value = values[0],
        .interpolation = SCENE_LINEAR,
        .is_added = from_s > smooth->begin_s,
    };
    panthera_work_add(maker->flattener, panthera_time_work(smooth->piece->time, PROBES));
    const bool is_short = !(middle_s > from_s && middle_s < to_s) ||
                          (smooth->split_count >= MANY_SPLITS && way_s < SHORTEST_S);
    const struct cubic line = line_through(values);
    if (is_short || maker->flattener->is_over || is_following(smooth, &line, from_s, way_s)) {
        key_add(maker, key);
        return;
    }
    const struct cubic cubic = cubic_through(smooth, values, from_s, way_s);
    if (fmax(fabs(cubic.slopes[0]), fabs(cubic.slopes[1])) > MOST_SLOPE * way_s) {
        key_add(maker, key); // so little time that a pack has no number for the slope
        return;
    }
    if (is_following(smooth, &cubic, from_s, way_s)) {
        key.interpolation = SCENE_CUBIC;
        key.leaving = cubic.slopes[0] / way_s;
        key.arriving = cubic.slopes[1] / way_s;
        key_add(maker, key);
        return;
    }
    const double middle = tween_value(smooth->piece, middle_s);
    smooth->split_count++;
    interval_add(maker, smooth, from_s, middle_s, (double[2]){values[0], middle});
    interval_add(maker, smooth, middle_s, to_s, (double[2]){middle, values[1]});
}

/// Adds the keys of a smooth part.
/// @param next its value at the end where something follows there; NaN where nothing does
static void smooth_add(struct curve_maker *maker, struct smooth *smooth, double next)
{
    const double last_s = panthera_time_before(smooth->end_s);
    const double first = tween_value(smooth->piece, smooth->begin_s);
    if (last_s <= smooth->begin_s) {
        key_add(maker, (struct curve_key){.time_s = smooth->begin_s, .value = first});
        return;
    }
    const double last = tween_value(smooth->piece, last_s);
    if (fabs(last - next) <= smooth->tolerance) {
        interval_add(maker, smooth, smooth->begin_s, smooth->end_s, (double[2]){first, next});
    } else {
        interval_add(maker, smooth, smooth->begin_s, last_s, (double[2]){first, last});
        key_add(maker, (struct curve_key){.time_s = last_s, .value = last, .is_added = 1});
    }
}

/// Returns where a stretch of a tween passes a part of its duration, either way.
static double pass_of(struct curve_maker *maker, const struct panthera_piece *piece, double begin_s,
                      double end_s, double part, bool is_falling, bool is_past)
{
    const struct panthera_span span = {
        .begin_s = begin_s, .end_s = end_s, .is_falling = is_falling};
    return panthera_pass(maker->flattener, piece->time, piece->tween, &span, part, is_past);
}

/// Adds the keys of a tween that no single interval can follow.
static void bent_add(struct curve_maker *maker, const struct panthera_stretch *stretch, double next)
{
    const struct panthera_piece *const piece = stretch->piece;
    const double last_s = panthera_time_before(stretch->end_s);
    const double first_part = panthera_time_part(piece->time, piece->tween, stretch->begin_s);
    const double last_part = panthera_time_part(piece->time, piece->tween, last_s);
    const bool is_falling = last_part < first_part;
    const struct panthera_marks marks = panthera_marks_of(&maker->flattener->marks, piece->tween);
    const double low = fmin(first_part, last_part);
    const double high = fmax(first_part, last_part);
    struct smooth smooth = {
        .piece = piece,
        .begin_s = stretch->begin_s,
        .tolerance = tween_tolerance(piece->tween),
    };
    // Marks in the order in which they are passed, and both sides of each. The start and the end
    // of the whole tween count too: curves may jump there.
    const int64_t step = is_falling ? -1 : 1;
    for (int64_t i = panthera_mark_from(&marks, first_part, is_falling);
         i >= -1 && i <= (int64_t)marks.count && !maker->flattener->is_over; i += step) {
        const double part = panthera_mark_at(&marks, i);
        for (int side = 0; side < 2; side++) {
            smooth.end_s = pass_of(maker, piece, smooth.begin_s, stretch->end_s, part, is_falling,
                                   (side == 0) == is_falling);
            if (smooth.end_s > smooth.begin_s && smooth.end_s < stretch->end_s) {
                smooth_add(maker, &smooth, tween_value(piece, smooth.end_s));
                smooth.begin_s = smooth.end_s;
            }
        }
        if (is_falling ? part < low : part > high) {
            break;
        }
    }
    smooth.end_s = stretch->end_s;
    smooth_add(maker, &smooth, next);
}

// -- Whole tweens

/// Returns whether a stretch has a tween from its very start to its very end, evenly.
static bool is_whole(const struct panthera_stretch *stretch)
{
    const struct panthera_piece *const piece = stretch->piece;
    const double before_s = time_near(stretch->begin_s, -EDGE_STEPS);
    const double after_s = time_near(stretch->end_s, EDGE_STEPS);
    const double short_s = time_near(stretch->end_s, -EDGE_STEPS);
    if (piece->time && !piece->time->is_even) {
        return false;
    }
    return panthera_time_part(piece->time, piece->tween, before_s) <= 0 &&
           panthera_time_part(piece->time, piece->tween, after_s) >= 1 &&
           panthera_time_part(piece->time, piece->tween, short_s) <= 1 &&
           time_near(stretch->begin_s, 4 * EDGE_STEPS) < stretch->end_s;
}

static struct curve_key whole_key(const struct panthera_stretch *stretch)
{
    const struct panthera_key *const tween = stretch->piece->tween;
    struct curve_key key = {
        .time_s = stretch->begin_s,
        .value = tween->start_value,
        .interpolation = SCENE_LINEAR,
    };
    if (tween->samples) {
        key.interpolation = SCENE_SAMPLED;
        key.samples = tween->samples;
    } else if (tween->easing != TRP__EASING_LINEAR) {
        key.interpolation = SCENE_EASING;
        key.easing = (uint16_t)tween->easing;
    }
    return key;
}

/// Adds a tween by outinexpo, which jumps in its middle: its halves are easings of their own.
static void halves_add(struct curve_maker *maker, const struct panthera_stretch *stretch)
{
    const struct panthera_key *const tween = stretch->piece->tween;
    const double end_s = panthera_time_before(stretch->end_s);
    struct curve_key key = whole_key(stretch);
    key.easing = TRP__EASING(TRP__EASING_EXPO, TRP__EASING_OUT);
    key_add(maker, key);
    key.time_s = stretch->begin_s + (end_s - stretch->begin_s) / 2;
    key.value = tween->start_value + (tween->end_value - tween->start_value) / 2;
    key.easing = TRP__EASING(TRP__EASING_EXPO, TRP__EASING_IN);
    key_add(maker, key);
}

/// Adds a tween as one interval, if that is the same.
/// @param next the value at the end of the stretch; NaN where nothing follows
static bool whole_add(struct curve_maker *maker, const struct panthera_stretch *stretch,
                      double next)
{
    const struct panthera_piece *const piece = stretch->piece;
    const struct panthera_key *const tween = piece->tween;
    if (!is_whole(stretch) || panthera_key_ease(tween, 0) != 0) {
        return false;
    }
    // An interval goes to the value of the key at its end. Where the curve does not come there, as
    // expo and elastic ones do not, that key is the one of what follows.
    const double end = panthera_key_ease(tween, 1);
    const bool is_smooth = fabs(panthera_key_ease(tween, 1 - DBL_EPSILON) - end) < JUMP;
    const bool has_end = panthera_time_part(piece->time, tween, stretch->end_s) > 1;
    if (end == 1 && (has_end || (is_smooth && next != tween->end_value))) {
        key_add(maker, whole_key(stretch));
        hold_add(maker, panthera_time_before(stretch->end_s), tween->end_value);
        return true;
    }
    if (next != tween->end_value) {
        return false;
    }
    if (!tween->samples && tween->easing == TRP__EASING(TRP__EASING_EXPO, TRP__EASING_OUT_IN)) {
        halves_add(maker, stretch);
    } else {
        key_add(maker, whole_key(stretch));
    }
    return true;
}

static void stretch_add(struct curve_maker *maker, const struct panthera_stretch *stretch,
                        double next)
{
    const struct panthera_piece *const piece = stretch->piece;
    if (piece && piece->is_key && !maker->has_started) {
        maker->has_started = true;
        if (!piece->tween) { // a key even where it changes nothing
            key_add(maker, (struct curve_key){.time_s = stretch->begin_s, .value = piece->value});
            return;
        }
    }
    if (!piece || !piece->tween) {
        hold_add(maker, stretch->begin_s, stretch_value(maker, stretch));
    } else if (!whole_add(maker, stretch, next)) {
        bent_add(maker, stretch, next);
    }
}

// -- The curve

static void curve_fill(const struct curve_maker *maker, struct arena *arena,
                       struct scene_curve *curve)
{
    const uint32_t count = maker->count;
    *curve = (struct scene_curve){
        .key_count = count,
        .stride = 1,
        .times = ARENA_NEW(arena, double, count),
        .values = ARENA_NEW(arena, double, count),
        .interpolations = ARENA_NEW(arena, uint8_t, count),
    };
    for (uint32_t i = 0; i < count; i++) {
        const struct curve_key *const key = &maker->keys[i];
        curve->times[i] = key->time_s;
        curve->values[i] = key->value;
        curve->interpolations[i] = key->interpolation;
        if (key->interpolation == SCENE_CUBIC && !curve->in_tangents) {
            curve->in_tangents = ARENA_NEW(arena, double, count);
            curve->out_tangents = ARENA_NEW(arena, double, count);
        }
        if (key->interpolation == SCENE_EASING && !curve->easings) {
            curve->easings = ARENA_NEW(arena, uint16_t, count);
        }
        if (key->interpolation == SCENE_SAMPLED && !curve->samples) {
            curve->samples = ARENA_NEW(arena, struct scene_samples, count);
        }
        if (key->is_added && !curve->is_added) {
            curve->is_added = ARENA_NEW(arena, uint8_t, count);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct curve_key *const key = &maker->keys[i];
        if (key->interpolation == SCENE_CUBIC && i + 1 < count) {
            curve->out_tangents[i] = key->leaving;
            curve->in_tangents[i + 1] = key->arriving;
        }
        if (key->interpolation == SCENE_EASING) {
            curve->easings[i] = key->easing;
        }
        if (key->interpolation == SCENE_SAMPLED) {
            curve->samples[i] = *key->samples;
        }
        if (curve->is_added) {
            curve->is_added[i] = key->is_added;
        }
    }
}

bool panthera_curve_make(struct panthera_flattener *flattener,
                         const struct panthera_stretch *stretches, uint32_t count, double rest,
                         double end_s, struct scene_curve *curve)
{
    struct curve_maker maker = {.flattener = flattener, .rest = rest};
    for (uint32_t i = 0; i < count && !flattener->is_over; i++) {
        const double next = i + 1 < count ? stretch_value(&maker, &stretches[i + 1]) : NAN;
        stretch_add(&maker, &stretches[i], next);
    }
    if (maker.count == 1) { // what never starts does so at the end
        key_add(&maker, (struct curve_key){.time_s = end_s, .value = maker.keys[0].value});
    }
    if (flattener->is_over) {
        return false;
    }
    curve_fill(&maker, &flattener->panthera->scene->arena, curve);
    return true;
}
