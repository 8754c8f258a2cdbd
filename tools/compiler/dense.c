// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format.h"
#include "quat.h"

// Rodrigues parameters of rows next to each other are followed through w < 0 up to |s| = 2.5.
#define UNROLL_LIMIT (-0.724)
#define UNROLLED_MOST 2.5

// Step of a value in parts of its tolerance: what rounding leaves, interpolation may use.
#define VALUE_STEP 0.6

// ---- Sampling ----------------------------------------------------------------------------------

/// Evaluates a curve at a tick; a key that lies on the tick counts as being exactly there.
static void curve_at_tick(const struct scene_curve *curve, enum scene_path path, double time_s,
                          double tolerance, double out[4])
{
    uint32_t low = 0;
    uint32_t high = curve->key_count;
    while (low < high) { // first key >= time_s - tolerance
        const uint32_t middle = (low + high) / 2;
        if (curve->times[middle] < time_s - tolerance) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_on_key = low < curve->key_count && curve->times[low] <= time_s + tolerance;
    scene_curve_sample(curve, path, is_on_key ? curve->times[low] : time_s, out);
}

/// Takes the reference of an additive clip away from one value.
static void subtract_reference(const struct scene_transform *reference, enum scene_path path,
                               double value[4])
{
    if (path == SCENE_ROTATION) {
        quat_relative(reference->rotation, value, value);
        return;
    }
    for (int i = 0; i < 3; i++) {
        value[i] = path == SCENE_TRANSLATION ? value[i] - reference->translation[i]
                                             : value[i] / reference->scale[i];
    }
}

/// What the runtime makes of a quantised mean; same operations, in float.
static void decode_mean(const int16_t bits[3], double mean[4])
{
    float s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = (float)bits[i] * (1.0f / 32767.0f);
    }
    const float d = (s[0] * s[0] + s[1] * s[1]) + s[2] * s[2];
    const float inverse = 1.0f / (1.0f + d);
    const float twice = inverse + inverse;
    for (int i = 0; i < 3; i++) {
        mean[i] = (double)(s[i] * twice);
    }
    mean[3] = (double)((1.0f - d) * inverse);
    quat_normalise(mean);
}

static double round_half_up(double value)
{
    return floor(value + 0.5);
}

/// Finds the mean of a rotation track and makes its values relative to it.
static void centre_rotations(struct dense_track *track, uint32_t count)
{
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const double sign = quat_dot(sum, track->values[i]) < 0.0 ? -1.0 : 1.0;
        for (int c = 0; c < 4; c++) {
            sum[c] += sign * track->values[i][c];
        }
    }
    quat_normalise(sum);
    if (sum[3] < 0.0) {
        quat_negate(sum);
    }
    double s[3];
    quat_to_rodrigues(sum, s);
    for (int i = 0; i < 3; i++) {
        track->mean_bits[i] = (int16_t)round_half_up(s[i] * 32767.0);
    }
    decode_mean(track->mean_bits, track->mean);
    track->spread = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        quat_relative(track->mean, track->values[i], track->values[i]);
        quat_normalise(track->values[i]);
        if (track->values[i][3] < 0.0) {
            quat_negate(track->values[i]);
        }
        quat_to_rodrigues(track->values[i], s);
        for (int c = 0; c < 3; c++) {
            track->spread = fabs(s[c]) > track->spread ? fabs(s[c]) : track->spread;
        }
    }
}

/// Components of each value of a track as stored.
static uint32_t component_count(const struct dense_track *track)
{
    return track->path == SCENE_PROPERTY ? 1 : 3;
}

/// Finds the middle of a track that is no rotation.
static void centre_vectors(struct dense_track *track, uint32_t count)
{
    track->spread = 0.0;
    for (uint32_t c = 0; c < component_count(track); c++) {
        double low = track->values[0][c];
        double high = low;
        for (uint32_t i = 1; i < count; i++) {
            low = track->values[i][c] < low ? track->values[i][c] : low;
            high = track->values[i][c] > high ? track->values[i][c] : high;
        }
        track->offset[c] = stored_float(0.5 * (low + high));
        // From the offset as stored, which far from the origin is not quite the middle.
        const double below = (double)track->offset[c] - low;
        const double above = high - (double)track->offset[c];
        track->spread = below > track->spread ? below : track->spread;
        track->spread = above > track->spread ? above : track->spread;
    }
}

/// How far one unit of step (half of it is the largest rounding error) can move a point.
static double weight_of(const struct dense *dense, uint32_t lane, enum scene_path path)
{
    const struct skeleton *const skeleton = dense->motion->skeleton;
    const uint16_t parent = skeleton->parent_of_lane[lane];
    const double lever = skeleton->reach[lane] + dense->shell_units;
    if (path == SCENE_ROTATION) {
        return 0.5 * 4.0 * lever; // d angle = 4 ds near s = 0
    }
    if (path == SCENE_TRANSLATION) {
        return 0.5 * (parent == TRP_NO_LANE ? 1.0 : skeleton->shell_scale[parent]);
    }
    return 0.5 * lever;
}

/// Samples one curve at every tick; for a property, `component` of its values.
static void sample_track(const struct dense *dense, const struct scene_curve *curve,
                         uint32_t component, struct dense_track *track)
{
    const struct motion *const motion = dense->motion;
    const struct grid *const grid = &dense->grid;
    const double rate = (double)grid->rate_num / grid->rate_den / grid->refinement;
    struct arena arena = {0};
    double *const wide = ARENA_NEW(&arena, double, curve->stride);
    for (uint32_t tick = 0; tick <= grid->tick_count; tick++) {
        const double time_s = grid_time(grid, tick);
        const double tolerance = grid->is_exact ? grid_tolerance(rate, time_s) * 1.001 : 1e-9;
        double *const value = track->values[tick];
        curve_at_tick(curve, track->path, time_s, tolerance, wide);
        if (track->path == SCENE_PROPERTY) {
            value[0] = wide[component];
            value[0] -=
                motion->value_reference != NULL ? motion->value_reference[track->lane] : 0.0;
            continue;
        }
        memcpy(value, wide, curve->stride * sizeof(double));
        if (motion->reference != NULL) {
            subtract_reference(&motion->reference[track->lane], track->path, value);
        }
    }
    arena_free(&arena);
}

/// Adds a track for each value of the properties that move and are not keyed.
static void init_values(struct dense *dense, struct arena *arena)
{
    const struct motion *const motion = dense->motion;
    const struct property_values *const values = motion->values;
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    for (uint32_t i = 0; i < values->property_count && dense->grid.tick_count > 0; i++) {
        const struct scene_curve *const curve = motion->property_curves[i];
        if (curve == NULL || dense->is_keyed[joint_curves + i]) {
            continue;
        }
        for (uint32_t c = 0; c < values->properties[i].value_count; c++) {
            struct dense_track *const track = &dense->tracks[dense->track_count++];
            track->lane = values->first_value[i] + c;
            track->path = SCENE_PROPERTY;
            track->is_held = curve_is_stepped(curve);
            track->weight = 0.5 * dense->budget / values->tolerance[i];
            track->step = VALUE_STEP * values->tolerance[i];
            track->values = arena_take(arena, dense->grid.tick_count + 1, sizeof(double[4]));
            sample_track(dense, curve, c, track);
            centre_vectors(track, dense->grid.tick_count + 1);
        }
    }
}

void dense_init(struct dense *dense, const struct motion *motion, const bool *is_keyed,
                const struct grid *grid, uint32_t ticks_per_segment, double shell_units,
                double budget, struct arena *arena)
{
    const struct skeleton *const skeleton = motion->skeleton;
    const uint32_t row_count = grid->tick_count + 1;
    *dense = (struct dense){
        .motion = motion,
        .grid = *grid,
        .ticks_per_segment = ticks_per_segment,
        .is_keyed = is_keyed,
        .budget = budget,
        .shell_units = shell_units,
        .tracks = ARENA_NEW(arena, struct dense_track,
                            skeleton->lane_count * 3 + motion->values->value_count),
        .constants = ARENA_NEW(arena, struct dense_constant, skeleton->lane_count * 3),
        .has_row = ARENA_NEW(arena, bool, row_count),
    };
    dense->segment_count =
        grid->tick_count == 0 ? 1 : (grid->tick_count + ticks_per_segment - 1) / ticks_per_segment;
    dense->rules = ARENA_NEW(arena, uint8_t, (size_t)dense->segment_count * skeleton->block_count);
    memset(dense->rules, TRP__RULE_CORRECTED, (size_t)dense->segment_count * skeleton->block_count);
    memset(dense->has_row, true, row_count * sizeof(bool));
    for (int path = 0; path < 3; path++) {
        for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
            const uint32_t index = lane * 3 + (uint32_t)path;
            const struct scene_curve *const curve = motion->curves[index];
            struct dense_constant *const constant = &dense->constants[index];
            if (curve == NULL || is_keyed[index]) {
                continue;
            }
            constant->is_present = true;
            if (grid->tick_count == 0 || curve_is_constant(curve, path)) {
                scene_curve_sample(curve, path, 0.0, constant->value);
                if (motion->reference != NULL) {
                    subtract_reference(&motion->reference[lane], path, constant->value);
                }
                continue;
            }
            struct dense_track *const track = &dense->tracks[dense->track_count++];
            track->lane = lane;
            track->path = (uint8_t)path;
            track->is_held = curve_is_stepped(curve);
            track->weight = weight_of(dense, lane, path);
            track->values = arena_take(arena, row_count, sizeof(double[4]));
            sample_track(dense, curve, 0, track);
            if (path == SCENE_ROTATION) {
                centre_rotations(track, row_count);
            } else {
                centre_vectors(track, row_count);
            }
        }
    }
    init_values(dense, arena);
}

// ---- Between rows, unquantised -----------------------------------------------------------------

/// Rodrigues parameters of one segment's rows, unrolled as they will be stored.
struct unrolled {
    double (*s)[3]; // [row_count]
    bool is_flipping;
};

/// Follows a rotation through the rows of a segment; where it turns too far for one chart, every
/// row goes back to w >= 0 and the runtime must look for flips.
static void unroll(const struct dense_track *track, const uint32_t *ticks, uint32_t row_count,
                   struct unrolled *unrolled)
{
    double previous[4];
    unrolled->is_flipping = false;
    for (uint32_t row = 0; row < row_count; row++) {
        double q[4];
        memcpy(q, track->values[ticks[row]], sizeof q);
        if (row > 0 && quat_dot(previous, q) < 0.0) {
            quat_negate(q);
        }
        if (q[3] < UNROLL_LIMIT) {
            unrolled->is_flipping = true;
            break;
        }
        quat_to_rodrigues(q, unrolled->s[row]);
        memcpy(previous, q, sizeof q);
    }
    if (unrolled->is_flipping) {
        for (uint32_t row = 0; row < row_count; row++) {
            quat_to_rodrigues(track->values[ticks[row]], unrolled->s[row]); // stored with w >= 0
        }
    }
}

/// The runtime's interpolation of two rows of a rotation, in double precision.
static void rotation_between(const double s0[3], const double s1[3], double u, uint32_t rule,
                             double q[4])
{
    if (rule == TRP__RULE_LERP) {
        double s[3];
        for (int i = 0; i < 3; i++) {
            s[i] = s0[i] + u * (s1[i] - s0[i]);
        }
        quat_from_rodrigues(s, q);
        return;
    }
    double a[4];
    double b[4];
    quat_from_rodrigues(s0, a);
    quat_from_rodrigues(s1, b);
    double dot = quat_dot(a, b);
    if (dot < 0.0) {
        quat_negate(b);
        dot = -dot;
    }
    if (rule == TRP__RULE_CORRECTED) {
        u += u * (u - 0.5) * (u - 1.0) * (2.0 / 3.0) * (1.0 - dot);
    }
    for (int i = 0; i < 4; i++) {
        q[i] = (1.0 - u) * a[i] + u * b[i];
    }
    quat_normalise(q);
}

/// A pair of rows and the rules by which the blocks move between them.
struct gap {
    uint32_t tick0;
    uint32_t tick1;
    const uint8_t *rules;  // [block_count], null = corrected everywhere
    double (*const *s)[3]; // [track_count] unrolled rows of the segment, or null: from values
    uint32_t row0;         // index of tick0 in `s`
};

/// Decodes, without quantisation, one track at a time inside a gap.
static void track_between(const struct dense *dense, const struct gap *gap, uint32_t index,
                          double u, struct scene_transform *local)
{
    const struct dense_track *const track = &dense->tracks[index];
    if (track->is_held) {
        u = u >= 1.0 - 1.0 / 1024.0 / (gap->tick1 - gap->tick0) ? 1.0 : 0.0;
    }
    const double *const value0 = track->values[gap->tick0];
    const double *const value1 = track->values[gap->tick1];
    if (track->path == SCENE_ROTATION) {
        double q[4];
        const uint32_t rule =
            gap->rules == NULL ? TRP__RULE_CORRECTED : gap->rules[track->lane / 16];
        if (gap->s == NULL) {
            double s0[3];
            double s1[3];
            quat_to_rodrigues(value0, s0);
            quat_to_rodrigues(value1, s1);
            rotation_between(s0, s1, u, TRP__RULE_CORRECTED, q);
        } else {
            rotation_between(gap->s[index][gap->row0], gap->s[index][gap->row0 + 1], u, rule, q);
        }
        quat_multiply(track->mean, q, local->rotation);
        return;
    }
    double *const out = track->path == SCENE_TRANSLATION ? local->translation : local->scale;
    for (int i = 0; i < 3; i++) {
        out[i] = value0[i] + u * (value1[i] - value0[i]);
    }
}

/// The error of one value inside a gap, as the displacement that counts the same.
static double value_error(const struct dense *dense, struct metric *metric, uint32_t time_index,
                          const struct gap *gap, const struct dense_track *track, double u)
{
    const struct property_values *const values = dense->motion->values;
    const double tolerance = values->tolerance[values->property_of_value[track->lane]];
    if (track->is_held) {
        u = u >= 1.0 - 1.0 / 1024.0 / (gap->tick1 - gap->tick0) ? 1.0 : 0.0;
    }
    const double value0 = track->values[gap->tick0][0];
    const double value1 = track->values[gap->tick1][0];
    const double value = value0 + u * (value1 - value0);
    const double exact = metric_values(metric, time_index)[track->lane];
    return fabs(value - exact) / tolerance * dense->budget;
}

/// Lets keyed tracks play exactly.
static void keyed_locals(const struct dense *dense, double time_s, struct scene_transform *locals)
{
    const struct motion *const motion = dense->motion;
    for (uint32_t lane = 0; lane < motion->skeleton->lane_count; lane++) {
        const bool *const is_keyed = &dense->is_keyed[lane * 3];
        if (!is_keyed[0] && !is_keyed[1] && !is_keyed[2]) {
            continue;
        }
        const struct scene_transform exact = motion_local(motion, lane, time_s);
        if (is_keyed[SCENE_ROTATION]) {
            memcpy(locals[lane].rotation, exact.rotation, sizeof exact.rotation);
        }
        if (is_keyed[SCENE_TRANSLATION]) {
            memcpy(locals[lane].translation, exact.translation, sizeof exact.translation);
        }
        if (is_keyed[SCENE_SCALE]) {
            memcpy(locals[lane].scale, exact.scale, sizeof exact.scale);
        }
    }
}

/// Writes the local transforms of everything that does not move.
static void constant_locals(const struct dense *dense, struct scene_transform *locals)
{
    const struct skeleton *const skeleton = dense->motion->skeleton;
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const struct dense_constant *const constant = &dense->constants[lane * 3];
        locals[lane] = dense->motion->reference == NULL
                           ? skeleton->rest_local[lane]
                           : (struct scene_transform){{0, 0, 0, 1}, {0, 0, 0}, {1, 1, 1}};
        if (constant[SCENE_ROTATION].is_present) {
            memcpy(locals[lane].rotation, constant[SCENE_ROTATION].value, sizeof(double[4]));
        }
        if (constant[SCENE_TRANSLATION].is_present) {
            memcpy(locals[lane].translation, constant[SCENE_TRANSLATION].value, sizeof(double[3]));
        }
        if (constant[SCENE_SCALE].is_present) {
            memcpy(locals[lane].scale, constant[SCENE_SCALE].value, sizeof(double[3]));
        }
    }
}

/// Memory for comparing unquantised poses with exact ones.
struct comparison {
    struct arena arena;
    struct scene_transform *constants;
    struct scene_transform *locals;
    double (*models)[12];
};

static void comparison_init(struct comparison *comparison, const struct dense *dense)
{
    const uint32_t lanes = dense->motion->skeleton->lane_count;
    *comparison = (struct comparison){0};
    comparison->constants = ARENA_NEW(&comparison->arena, struct scene_transform, lanes);
    comparison->locals = ARENA_NEW(&comparison->arena, struct scene_transform, lanes);
    comparison->models = arena_take(&comparison->arena, lanes, sizeof(double[12]));
    constant_locals(dense, comparison->constants);
}

/// Returns the first moment of the metric at or after a time.
static uint32_t first_moment(const struct metric *metric, double time_s)
{
    uint32_t low = 0;
    uint32_t high = metric->time_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (metric->times[middle] < time_s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Returns the largest error inside a gap, or the first one found above `limit`.
static double gap_error(const struct dense *dense, struct metric *metric,
                        struct comparison *comparison, const struct gap *gap, double limit)
{
    const struct motion *const motion = dense->motion;
    const struct skeleton *const skeleton = motion->skeleton;
    const double from = grid_time(&dense->grid, gap->tick0);
    const double to = grid_time(&dense->grid, gap->tick1);
    double largest = 0.0;
    for (uint32_t i = first_moment(metric, from);
         i < metric->time_count && metric->times[i] <= to && largest <= limit; i++) {
        const double u = to > from ? (metric->times[i] - from) / (to - from) : 0.0;
        memcpy(comparison->locals, comparison->constants,
               skeleton->lane_count * sizeof *comparison->locals);
        for (uint32_t t = 0; t < dense->track_count; t++) {
            const struct dense_track *const track = &dense->tracks[t];
            if (track->path == SCENE_PROPERTY) {
                const double error = value_error(dense, metric, i, gap, track, u);
                largest = error > largest ? error : largest;
            } else {
                track_between(dense, gap, t, u, &comparison->locals[track->lane]);
            }
        }
        if (motion->reference != NULL) {
            for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
                comparison->locals[lane] =
                    transform_add(&motion->reference[lane], &comparison->locals[lane]);
            }
        }
        keyed_locals(dense, metric->times[i], comparison->locals);
        models_from_locals(skeleton, comparison->locals, comparison->models);
        const double(*const exact)[12] = metric_models(metric, i);
        for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
            if (skeleton->joint_of_lane[lane] != TRP_NO_LANE) {
                const double error =
                    metric_displacement(exact[lane], comparison->models[lane], metric->shell[lane]);
                largest = error > largest ? error : largest;
            }
        }
    }
    return largest;
}

double dense_error_of_grid(struct dense *dense, struct metric *metric)
{
    struct comparison comparison;
    comparison_init(&comparison, dense);
    double largest = 0.0;
    for (uint32_t tick = 0; tick < dense->grid.tick_count; tick++) {
        const struct gap gap = {.tick0 = tick, .tick1 = tick + 1};
        const double error = gap_error(dense, metric, &comparison, &gap, HUGE_VAL);
        largest = error > largest ? error : largest;
    }
    arena_free(&comparison.arena);
    return largest;
}

/// Returns the last tick that a row at `from` can reach without another row in between.
static uint32_t farthest_row(const struct dense *dense, struct metric *metric,
                             struct comparison *comparison, uint32_t from, uint32_t end,
                             double limit)
{
    uint32_t good = from + 1;
    uint32_t bad = end + 1;
    uint32_t way = 2;
    while (good < bad - 1) { // gallop, then halve
        uint32_t probe = way != 0 ? from + way : good + (bad - good) / 2;
        if (probe >= bad) {
            probe = bad - 1;
        }
        const struct gap gap = {.tick0 = from, .tick1 = probe};
        if (gap_error(dense, metric, comparison, &gap, limit) <= limit) {
            good = probe;
            way *= 2;
        } else {
            bad = probe;
            way = 0;
        }
    }
    return good;
}

static uint32_t segment_end(const struct dense *dense, uint32_t segment)
{
    const uint32_t end = (segment + 1) * dense->ticks_per_segment;
    return end < dense->grid.tick_count ? end : dense->grid.tick_count;
}

void dense_choose_rows(struct dense *dense, struct metric *metric, double limit)
{
    struct comparison comparison;
    comparison_init(&comparison, dense);
    memset(dense->has_row, false, (dense->grid.tick_count + 1) * sizeof(bool));
    for (uint32_t segment = 0; segment < dense->segment_count; segment++) {
        const uint32_t end = segment_end(dense, segment);
        uint32_t tick = segment * dense->ticks_per_segment;
        dense->has_row[tick] = true;
        while (tick < end) {
            tick = farthest_row(dense, metric, &comparison, tick, end, limit);
            dense->has_row[tick] = true;
        }
    }
    arena_free(&comparison.arena);
}

/// Lists the ticks of a segment that have rows.
static uint32_t segment_rows(const struct dense *dense, uint32_t segment,
                             uint32_t ticks[TRP__MAX_SEGMENT_TICKS + 1])
{
    const uint32_t end = segment_end(dense, segment);
    uint32_t count = 0;
    for (uint32_t tick = segment * dense->ticks_per_segment; tick <= end; tick++) {
        if (dense->has_row[tick]) {
            ticks[count++] = tick;
        }
    }
    return count;
}

static double segment_error(const struct dense *dense, struct metric *metric,
                            struct comparison *comparison, const uint32_t *ticks,
                            uint32_t row_count, const uint8_t *rules, double (*const *s)[3],
                            double limit)
{
    double largest = 0.0;
    for (uint32_t row = 0; row + 1 < row_count && largest <= limit; row++) {
        const struct gap gap = {ticks[row], ticks[row + 1], rules, s, row};
        const double error = gap_error(dense, metric, comparison, &gap, limit);
        largest = error > largest ? error : largest;
    }
    return largest;
}

void dense_choose_rules(struct dense *dense, struct metric *metric, double limit)
{
    const uint32_t blocks = dense->motion->skeleton->block_count;
    struct comparison comparison;
    comparison_init(&comparison, dense);
    double(**const s)[3] = arena_take(&comparison.arena, dense->track_count, sizeof *s);
    for (uint32_t t = 0; t < dense->track_count; t++) {
        s[t] = arena_take(&comparison.arena, TRP__MAX_SEGMENT_TICKS + 1, sizeof(double[3]));
    }
    for (uint32_t segment = 0; segment < dense->segment_count; segment++) {
        uint32_t ticks[TRP__MAX_SEGMENT_TICKS + 1];
        const uint32_t row_count = segment_rows(dense, segment, ticks);
        uint8_t *const rules = dense->rules + (size_t)segment * blocks;
        uint64_t flipping[TRP__MAX_BLOCKS / 64] = {0};
        memset(rules, TRP__RULE_CORRECTED, blocks);
        for (uint32_t t = 0; t < dense->track_count; t++) {
            if (dense->tracks[t].path == SCENE_ROTATION) {
                struct unrolled unrolled = {.s = s[t]};
                unroll(&dense->tracks[t], ticks, row_count, &unrolled);
                if (unrolled.is_flipping) {
                    const uint32_t block = dense->tracks[t].lane / 16u;
                    flipping[block / 64] |= (uint64_t)1 << (block % 64);
                }
            }
        }
        for (uint32_t block = 0; block < blocks; block++) {
            const bool is_flipping = (flipping[block / 64] >> (block % 64)) & 1;
            rules[block] = is_flipping ? TRP__RULE_NLERP : TRP__RULE_LERP;
            while (rules[block] < TRP__RULE_CORRECTED &&
                   segment_error(dense, metric, &comparison, ticks, row_count, rules, s, limit) >
                       limit) {
                rules[block]++;
            }
        }
    }
    arena_free(&comparison.arena);
}

// ---- Encoding ----------------------------------------------------------------------------------

/// What becomes of each (path, lane) at the present steps.
struct layout {
    uint16_t *animated[3]; // [block_count]
    uint16_t *constant[3];
    uint16_t *resting[3];
    struct dense_constant *constants; // [lane_count * 3]
    uint32_t *tracks;                 // indices of the animated ones, in file order
    uint32_t track_count;
    uint32_t animated_count[3];
    uint32_t constant_count[3];
    uint32_t joint_track_count; // the tracks of values follow them
    uint16_t *animated_values;  // [value_block_count]
    uint32_t value_block_count;
    uint32_t value_count;
};

/// Where the components of a track start, and how many there are of all tracks.
static uint32_t first_component(const struct layout *layout, uint32_t index)
{
    return index < layout->joint_track_count
               ? index * 3
               : layout->joint_track_count * 3 + (index - layout->joint_track_count);
}

/// The grid spacing of a track as stored: the upper half of a float, rounded down.
static uint16_t step_bits(double step)
{
    const float narrow = (float)step;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double stored_step(const struct dense_track *track)
{
    // Fine enough for 24 bits, and far from denormals. Rotations that come near half a turn may be
    // followed to the other side of the chart, where parameters reach UNROLLED_MOST.
    const bool may_unroll =
        track->path == SCENE_ROTATION && track->spread * UNROLLED_MOST * UNROLLED_MOST > 1.0;
    const double finest = (may_unroll ? UNROLLED_MOST : track->spread) / (double)(1u << 22);
    double step = track->step > finest ? track->step : finest;
    step = step > 1e-12 ? step : 1e-12;
    const uint16_t bits = step_bits(step);
    double stored = (double)trp__step_from_bits(bits);
    if (stored < finest) {
        stored = (double)trp__step_from_bits((uint16_t)(bits + 1));
    }
    return stored;
}

/// The value of a track that its step cannot tell from a constant.
static void flat_value(const struct dense_track *track, double value[4])
{
    if (track->path == SCENE_ROTATION) {
        memcpy(value, track->mean, sizeof(double[4]));
    } else {
        for (int i = 0; i < 3; i++) {
            value[i] = (double)track->offset[i];
        }
    }
}

/// Whether a constant may be replaced by what the skeleton (or an additive clip) rests at.
static bool is_at_rest(const struct dense *dense, uint32_t lane, enum scene_path path,
                       const double value[4])
{
    const struct motion *const motion = dense->motion;
    static const struct scene_transform identity = {{0, 0, 0, 1}, {0, 0, 0}, {1, 1, 1}};
    const struct scene_transform *const rest =
        motion->reference == NULL ? &motion->skeleton->rest_local[lane] : &identity;
    const double weight = 2.0 * weight_of(dense, lane, path);
    double difference = 0.0;
    if (path == SCENE_ROTATION) {
        double relative[4];
        quat_relative(rest->rotation, value, relative);
        if (relative[3] < 0.0) {
            quat_negate(relative);
        }
        double s[3];
        quat_to_rodrigues(relative, s);
        difference = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    } else {
        const double *const at = path == SCENE_TRANSLATION ? rest->translation : rest->scale;
        for (int i = 0; i < 3; i++) {
            const double off = fabs(value[i] - at[i]);
            difference = off > difference ? off : difference;
        }
    }
    return difference * weight <= dense->rest_tolerance;
}

static void plan_layout(const struct dense *dense, struct layout *layout, struct arena *arena)
{
    const struct skeleton *const skeleton = dense->motion->skeleton;
    *layout = (struct layout){
        .constants = ARENA_NEW(arena, struct dense_constant, skeleton->lane_count * 3),
        .tracks = ARENA_NEW(arena, uint32_t, dense->track_count),
    };
    for (int path = 0; path < 3; path++) {
        layout->animated[path] = ARENA_NEW(arena, uint16_t, skeleton->block_count);
        layout->constant[path] = ARENA_NEW(arena, uint16_t, skeleton->block_count);
        layout->resting[path] = ARENA_NEW(arena, uint16_t, skeleton->block_count);
    }
    memcpy(layout->constants, dense->constants,
           skeleton->lane_count * 3 * sizeof *layout->constants);
    layout->value_block_count = (dense->motion->values->value_count + 15) / 16;
    layout->animated_values = ARENA_NEW(arena, uint16_t, layout->value_block_count);
    for (uint32_t t = 0; t < dense->track_count; t++) {
        const struct dense_track *const track = &dense->tracks[t];
        if (track->path == SCENE_PROPERTY) {
            layout->tracks[layout->track_count++] = t;
            layout->value_count++;
            layout->animated_values[track->lane / 16] |= (uint16_t)(1u << (track->lane % 16));
            continue;
        }
        struct dense_constant *const constant = &layout->constants[track->lane * 3 + track->path];
        if (track->spread <= 0.5 * stored_step(track)) {
            flat_value(track, constant->value);
            continue;
        }
        constant->is_present = false;
        layout->tracks[layout->track_count++] = t;
        layout->joint_track_count++;
        layout->animated_count[track->path]++;
        layout->animated[track->path][track->lane / 16] |= (uint16_t)(1u << (track->lane % 16));
    }
    if (layout->value_count == 0) {
        layout->value_block_count = 0;
    }
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        for (int path = 0; path < 3; path++) {
            const struct dense_constant *const constant = &layout->constants[lane * 3 + path];
            const uint16_t bit = (uint16_t)(1u << (lane % 16));
            if (!constant->is_present) {
                continue;
            }
            if (is_at_rest(dense, lane, path, constant->value)) {
                layout->resting[path][lane / 16] |= bit;
            } else {
                layout->constant[path][lane / 16] |= bit;
                layout->constant_count[path]++;
            }
        }
    }
}

/// Three Rodrigues parameters of 21 bits.
static uint64_t pack_rotation(const double rotation[4])
{
    double q[4];
    double s[3];
    memcpy(q, rotation, sizeof q);
    quat_normalise(q);
    if (q[3] < 0.0) {
        quat_negate(q);
    }
    quat_to_rodrigues(q, s);
    uint64_t packed = 0;
    for (int i = 0; i < 3; i++) {
        const int32_t value = (int32_t)round_half_up(s[i] * 1048575.0);
        packed |= ((uint64_t)(uint32_t)value & 0x1FFFFFu) << (21 * i);
    }
    return packed;
}

static void append_step(const struct dense_track *track, struct buffer *buffer)
{
    const uint16_t bits = step_bits(stored_step(track));
    buffer_append(buffer, &bits, sizeof bits);
}

static void append_resident(const struct dense *dense, const struct layout *layout,
                            struct buffer *buffer)
{
    const struct skeleton *const skeleton = dense->motion->skeleton;
    const size_t mask_bytes = skeleton->block_count * sizeof(uint16_t);
    for (int path = 0; path < 3; path++) {
        buffer_append(buffer, layout->animated[path], mask_bytes);
    }
    for (int path = 0; path < 3; path++) {
        buffer_append(buffer, layout->constant[path], mask_bytes);
    }
    for (int path = 0; path < 3; path++) {
        buffer_append(buffer, layout->resting[path], mask_bytes);
    }
    for (int path = 0; path < 3; path++) {
        for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
            if (!((layout->constant[path][lane / 16] >> (lane % 16)) & 1)) {
                continue;
            }
            const double *const value = layout->constants[lane * 3 + path].value;
            if (path == SCENE_ROTATION) {
                const uint64_t packed = pack_rotation(value);
                buffer_append(buffer, &packed, sizeof packed);
            } else {
                const float narrow[3] = {stored_float(value[0]), stored_float(value[1]),
                                         stored_float(value[2])};
                buffer_append(buffer, narrow, sizeof narrow);
            }
        }
    }
    for (uint32_t i = 0; i < layout->joint_track_count; i++) {
        const struct dense_track *const track = &dense->tracks[layout->tracks[i]];
        if (track->path != SCENE_ROTATION) {
            buffer_append(buffer, track->offset, sizeof track->offset);
        }
    }
    for (uint32_t i = 0; i < layout->joint_track_count; i++) {
        const struct dense_track *const track = &dense->tracks[layout->tracks[i]];
        if (track->path == SCENE_ROTATION) {
            buffer_append(buffer, track->mean_bits, sizeof track->mean_bits);
        }
    }
    for (uint32_t i = 0; i < layout->joint_track_count; i++) {
        append_step(&dense->tracks[layout->tracks[i]], buffer);
    }
    buffer_append(buffer, layout->animated_values, layout->value_block_count * sizeof(uint16_t));
    for (uint32_t i = layout->joint_track_count; i < layout->track_count; i++) {
        buffer_append(buffer, dense->tracks[layout->tracks[i]].offset, sizeof(float));
    }
    for (uint32_t i = layout->joint_track_count; i < layout->track_count; i++) {
        append_step(&dense->tracks[layout->tracks[i]], buffer);
    }
}

/// One component of one track in one segment.
struct component {
    int32_t *values; // [row_count]
    int32_t base;
    uint32_t width;
};

static uint32_t bits_of(uint32_t value)
{
    uint32_t bits = 0;
    while (value > 0) {
        bits++;
        value >>= 1;
    }
    return bits;
}

/// Bits that hold a base in two's complement.
static uint32_t signed_bits_of(int32_t value)
{
    if (value == 0) {
        return 0;
    }
    return bits_of((uint32_t)(value < 0 ? ~value : value)) + 1;
}

static void component_settle(struct component *component, uint32_t row_count)
{
    int32_t low = component->values[0];
    int32_t high = low;
    for (uint32_t row = 1; row < row_count; row++) {
        low = component->values[row] < low ? component->values[row] : low;
        high = component->values[row] > high ? component->values[row] : high;
    }
    component->base = low;
    component->width = bits_of((uint32_t)(high - low));
}

/// Quantises the rows of one track.
static void quantise(const struct dense_track *track, const uint32_t *ticks, uint32_t row_count,
                     double (*s)[3], struct component components[3], bool *is_flipping)
{
    const double step = stored_step(track);
    *is_flipping = false;
    if (track->path == SCENE_ROTATION) {
        struct unrolled unrolled = {.s = s};
        unroll(track, ticks, row_count, &unrolled);
        *is_flipping = unrolled.is_flipping;
    }
    for (uint32_t c = 0; c < component_count(track); c++) {
        for (uint32_t row = 0; row < row_count; row++) {
            const double value = track->path == SCENE_ROTATION
                                     ? s[row][c]
                                     : track->values[ticks[row]][c] - (double)track->offset[c];
            components[c].values[row] = (int32_t)round_half_up(value / step);
        }
        component_settle(&components[c], row_count);
    }
}

/// Appends what a row holds of some tracks: one component of each.
static void append_row_part(const struct layout *layout, const struct component *components,
                            uint32_t row, uint32_t begin, uint32_t end, uint32_t offset,
                            struct buffer *buffer)
{
    for (uint32_t i = begin; i < end; i++) {
        const struct component *const component = &components[first_component(layout, i) + offset];
        buffer_append_bits(buffer, (uint32_t)(component->values[row] - component->base),
                           component->width);
    }
}

static void append_rows(const struct dense *dense, const struct layout *layout,
                        const struct component *components, uint32_t row_count,
                        struct buffer *buffer)
{
    const uint32_t blocks = dense->motion->skeleton->block_count;
    // Tracks are sorted by path, then lane; a row goes by block first.
    uint32_t first[3] = {0, layout->animated_count[0],
                         layout->animated_count[0] + layout->animated_count[1]};
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t next[3] = {first[0], first[1], first[2]};
        for (uint32_t block = 0; block < blocks; block++) {
            for (int path = 0; path < 3; path++) {
                const uint32_t begin = next[path];
                uint32_t end = begin;
                for (uint16_t mask = layout->animated[path][block]; mask != 0;
                     mask &= (uint16_t)(mask - 1)) {
                    end++;
                }
                for (uint32_t c = 0; c < 3; c++) {
                    append_row_part(layout, components, row, begin, end, c, buffer);
                }
                next[path] = end;
            }
        }
        append_row_part(layout, components, row, layout->joint_track_count, layout->track_count, 0,
                        buffer);
        buffer_close_bits(buffer);
    }
}

/// Appends one segment and returns its size.
static uint32_t append_segment(const struct dense *dense, const struct layout *layout,
                               uint32_t segment, struct buffer *buffer)
{
    const uint32_t blocks = dense->motion->skeleton->block_count;
    struct arena arena = {0};
    uint32_t ticks[TRP__MAX_SEGMENT_TICKS + 1];
    const uint32_t row_count = segment_rows(dense, segment, ticks);
    struct trp__segment_header header = {
        .first_tick = segment * dense->ticks_per_segment,
        .row_count = (uint16_t)row_count,
    };
    header.tick_count = (uint16_t)(segment_end(dense, segment) - header.first_tick);

    const uint32_t component_total = first_component(layout, layout->track_count);
    struct component *const components = ARENA_NEW(&arena, struct component, component_total);
    double(*const s)[3] = arena_take(&arena, row_count, sizeof(double[3]));
    uint8_t *const flips = ARENA_NEW(&arena, uint8_t, blocks);
    const size_t hold_count = (size_t)blocks * 3 + layout->value_block_count;
    uint16_t *const holds = ARENA_NEW(&arena, uint16_t, hold_count);
    uint32_t row_bits = 0;
    for (uint32_t i = 0; i < layout->track_count; i++) {
        const struct dense_track *const track = &dense->tracks[layout->tracks[i]];
        struct component *const own = &components[first_component(layout, i)];
        bool is_flipping;
        for (uint32_t c = 0; c < component_count(track); c++) {
            own[c].values = ARENA_NEW(&arena, int32_t, row_count);
        }
        quantise(track, ticks, row_count, s, own, &is_flipping);
        if (is_flipping) {
            flips[track->lane / 16] = TRP__RULE_FLIP;
        }
        if (track->is_held) {
            holds[track->path * blocks + track->lane / 16] |= (uint16_t)(1u << (track->lane % 16));
            header.flags |= TRP__SEGMENT_HOLDS;
        }
        for (uint32_t c = 0; c < component_count(track); c++) {
            const uint32_t bits = signed_bits_of(own[c].base);
            row_bits += own[c].width;
            if (bits > header.base_bits[track->path]) {
                header.base_bits[track->path] = (uint8_t)bits;
            }
        }
    }
    header.row_bytes = (row_bits + 7) / 8;
    if (row_count != (uint32_t)header.tick_count + 1) {
        header.flags |= TRP__SEGMENT_TICK_MASK;
    }

    const size_t start = buffer_append(buffer, &header, sizeof header);
    if (header.flags & TRP__SEGMENT_TICK_MASK) {
        uint64_t mask[(TRP__MAX_SEGMENT_TICKS + 64) / 64] = {0};
        for (uint32_t row = 0; row < row_count; row++) {
            const uint32_t tick = ticks[row] - header.first_tick;
            mask[tick / 64] |= (uint64_t)1 << (tick % 64);
        }
        buffer_append(buffer, mask, (header.tick_count + 64u) / 64u * 8u);
    }
    for (uint32_t block = 0; block < blocks; block++) {
        if (layout->animated[SCENE_ROTATION][block] != 0) {
            uint8_t rule = dense->rules[(size_t)segment * blocks + block];
            if (flips[block] != 0) {
                rule = (uint8_t)((rule == TRP__RULE_LERP ? TRP__RULE_CORRECTED : rule) |
                                 TRP__RULE_FLIP);
            }
            buffer_append(buffer, &rule, 1);
        }
    }
    if (header.flags & TRP__SEGMENT_HOLDS) {
        buffer_append(buffer, holds, hold_count * sizeof *holds);
    }
    for (uint32_t i = 0; i < component_total; i++) {
        buffer_append_bits(buffer, components[i].width, 5);
    }
    for (uint32_t i = 0; i < layout->track_count; i++) {
        const struct dense_track *const track = &dense->tracks[layout->tracks[i]];
        for (uint32_t c = 0; c < component_count(track); c++) {
            buffer_append_bits(buffer, (uint32_t)components[first_component(layout, i) + c].base,
                               header.base_bits[track->path]);
        }
    }
    buffer_close_bits(buffer);
    header.rows_offset = (uint32_t)(buffer->size - start);
    memcpy(buffer->bytes + start, &header, sizeof header);
    append_rows(dense, layout, components, row_count, buffer);
    arena_free(&arena);
    return (uint32_t)(buffer->size - start);
}

void dense_encode(const struct dense *dense, struct buffer *buffer)
{
    const struct motion *const motion = dense->motion;
    const struct skeleton *const skeleton = motion->skeleton;
    struct arena arena = {0};
    struct layout layout;
    plan_layout(dense, &layout, &arena);
    const uint32_t segment_count = layout.track_count == 0 ? 0 : dense->segment_count;
    struct trp__clip_header header = {
        .bind_hash = skeleton->bind_hash,
        .block_count = skeleton->block_count,
        .rate_num = dense->grid.rate_num,
        .rate_den = dense->grid.rate_den,
        .tick_count = dense->grid.tick_count,
        .ticks_per_segment = dense->ticks_per_segment,
        .segment_count = segment_count,
        .source_clip_index = motion->source_clip_index,
        .metres_per_unit = 1.0f,
        .source_joint_count = skeleton->raw_joint_count,
        .flags = motion->reference != NULL ? TRP_CLIP_ADDITIVE : 0,
        .skeleton = skeleton->lane_count > 0 ? 0 : TRP_NONE,
        .property_set = motion_has_values(motion) ? 0 : TRP_NONE,
        .value_block_count = layout.value_block_count,
        .animated_value_count = layout.value_count,
    };
    for (int path = 0; path < 3; path++) {
        header.animated_count[path] = (uint16_t)layout.animated_count[path];
        header.constant_count[path] = (uint16_t)layout.constant_count[path];
    }
    const size_t start = buffer_append(buffer, &header, sizeof header);
    struct trp__segment_entry *const entries =
        ARENA_NEW(&arena, struct trp__segment_entry, segment_count);
    const size_t table = buffer_append(buffer, entries, segment_count * sizeof *entries);
    append_resident(dense, &layout, buffer);
    for (uint32_t segment = 0; segment < segment_count; segment++) {
        buffer_align(buffer, 16);
        entries[segment].offset = (uint32_t)(buffer->size - start);
        entries[segment].size_bytes = append_segment(dense, &layout, segment, buffer);
        uint32_t ticks[TRP__MAX_SEGMENT_TICKS + 1];
        header.row_count += segment_rows(dense, segment, ticks);
    }
    memcpy(buffer->bytes + start, &header, sizeof header);
    if (segment_count > 0) {
        memcpy(buffer->bytes + table, entries, segment_count * sizeof *entries);
    }
    arena_free(&arena);
}
