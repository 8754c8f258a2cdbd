// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/sample.h>

#define CACHE_LIMIT ((size_t)256 << 20)
#define BATCH 16u

struct moment {
    double time_s;
    bool is_key;
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *const left = a;
    const struct moment *const right = b;
    if (left->time_s != right->time_s) {
        return left->time_s < right->time_s ? -1 : 1;
    }
    return (int)right->is_key - (int)left->is_key;
}

/// Sorts moments and drops repetitions; a key wins over the same time that is none.
static uint32_t sort_moments(struct moment *moments, uint32_t count)
{
    qsort(moments, count, sizeof *moments, compare_moments);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || moments[i].time_s > moments[kept - 1].time_s) {
            moments[kept++] = moments[i];
        }
    }
    return kept;
}

/// Times at which stepped tracks switch, sorted.
struct edges {
    double *times;
    double *clear_times; // where a moment goes that lies just before the edge
    uint32_t count;
    double early_s; // the runtime may switch this much before
};

/// Lets the runtime's tolerance (a thousandth of a tick) and the rounding of key times to float
/// be no error: both say the same of every moment that is clear of it.
static void find_edges(const struct motion *motion, const struct grid *grid, struct edges *edges,
                       struct arena *arena)
{
    const uint32_t curve_count = motion_curve_count(motion);
    size_t most = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        const struct scene_curve *const curve = motion_curve(motion, i);
        most += curve != NULL && curve_is_stepped(curve) ? curve->key_count : 0;
    }
    struct moment *const moments = ARENA_NEW(arena, struct moment, most);
    uint32_t count = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        const struct scene_curve *const curve = motion_curve(motion, i);
        if (curve != NULL && curve_is_stepped(curve)) {
            for (uint32_t key = 1; key < curve->key_count; key++) {
                moments[count++] = (struct moment){curve->times[key], true};
            }
        }
    }
    edges->count = sort_moments(moments, count);
    edges->times = ARENA_NEW(arena, double, edges->count);
    edges->clear_times = ARENA_NEW(arena, double, edges->count);
    edges->early_s =
        (double)grid->rate_den / grid->rate_num / 1024.0 + 1e-6 + 2.4e-7 * motion->duration_s;
    for (uint32_t i = 0; i < edges->count; i++) {
        const double clear_s = moments[i].time_s - edges->early_s;
        const bool is_clear = i == 0 || edges->times[i - 1] <= clear_s ||
                              edges->times[i - 1] - clear_s >= edges->early_s;
        edges->times[i] = moments[i].time_s;
        edges->clear_times[i] = is_clear ? clear_s : edges->clear_times[i - 1];
    }
}

/// Moves a moment that lies just before an edge to where the edge cannot be felt yet.
static double clear_of_edges(const struct edges *edges, double time_s)
{
    uint32_t low = 0;
    uint32_t high = edges->count;
    while (low < high) { // first edge after the moment
        const uint32_t middle = (low + high) / 2;
        if (edges->times[middle] <= time_s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < edges->count && edges->times[low] - time_s < edges->early_s) {
        time_s = edges->clear_times[low];
    }
    return time_s > 0.0 ? time_s : 0.0;
}

static void all_values(const struct motion *motion, double time_s, double *values)
{
    for (uint32_t i = 0; i < motion->values->property_count; i++) {
        motion_property(motion, i, time_s, values + motion->values->first_value[i]);
    }
}

void metric_init(struct metric *metric, const struct motion *motion, const struct grid *grid,
                 double shell_units, uint32_t fraction_count, struct arena *arena)
{
    const struct skeleton *const skeleton = motion->skeleton;
    const uint32_t lanes = skeleton->lane_count;
    *metric = (struct metric){.motion = motion, .models_at = UINT32_MAX};
    metric->shell = ARENA_NEW(arena, double, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        metric->shell[lane] = shell_units / skeleton->shell_scale[lane];
    }
    double *key_times;
    const uint32_t key_count = motion_key_times(motion, NULL, arena, &key_times);
    struct edges edges;
    find_edges(motion, grid, &edges, arena);
    const uint32_t base_count = key_count + grid->tick_count + 1;
    struct moment *const moments =
        ARENA_NEW(arena, struct moment, (size_t)base_count * (fraction_count + 1) + edges.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < key_count; i++) {
        moments[count++] = (struct moment){key_times[i], true};
    }
    for (uint32_t tick = 0; tick <= grid->tick_count; tick++) {
        const double time_s = grid_time(grid, tick);
        moments[count++] =
            (struct moment){time_s < motion->duration_s ? time_s : motion->duration_s, true};
    }
    count = sort_moments(moments, count);
    const uint32_t anchors = count;
    for (uint32_t i = 0; i + 1 < anchors; i++) {
        const double from = moments[i].time_s;
        const double way = moments[i + 1].time_s - from;
        for (uint32_t f = 1; f <= fraction_count && way > 1e-5; f++) {
            moments[count++] =
                (struct moment){from + way * f / (double)(fraction_count + 1), false};
        }
    }
    for (uint32_t i = 0; i < edges.count; i++) {
        moments[count++] = (struct moment){edges.times[i] - edges.early_s, false};
    }
    for (uint32_t i = 0; i < count && edges.count > 0; i++) {
        moments[i].time_s = clear_of_edges(&edges, moments[i].time_s);
    }
    count = sort_moments(moments, count);
    metric->time_count = count;
    metric->times = ARENA_NEW(arena, double, count);
    metric->is_key = ARENA_NEW(arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        metric->times[i] = moments[i].time_s;
        metric->is_key[i] = moments[i].is_key;
    }
    const uint32_t value_count = motion->values->value_count;
    metric->models = arena_take(arena, lanes, sizeof(double[12]));
    metric->values = ARENA_NEW(arena, double, value_count);
    const size_t moment_bytes = lanes * sizeof(double[12]) + value_count * sizeof(double);
    if (count * moment_bytes <= CACHE_LIMIT) {
        metric->cache = arena_take(arena, (size_t)count * lanes, sizeof(double[12]));
        metric->value_cache = ARENA_NEW(arena, double, (size_t)count *value_count);
        for (uint32_t i = 0; i < count; i++) {
            motion_models(motion, metric->times[i], metric->cache + (size_t)i * lanes);
            all_values(motion, metric->times[i], metric->value_cache + (size_t)i * value_count);
        }
    }
}

const double (*metric_models(struct metric *metric, uint32_t time_index))[12]
{
    const uint32_t lanes = metric->motion->skeleton->lane_count;
    if (metric->cache != NULL) {
        return (const double(*)[12])(metric->cache + (size_t)time_index * lanes);
    }
    if (metric->models_at != time_index) {
        motion_models(metric->motion, metric->times[time_index], metric->models);
        metric->models_at = time_index;
    }
    return (const double(*)[12])metric->models;
}

const double *metric_values(struct metric *metric, uint32_t time_index)
{
    if (metric->value_cache != NULL) {
        return metric->value_cache + (size_t)time_index * metric->motion->values->value_count;
    }
    all_values(metric->motion, metric->times[time_index], metric->values);
    return metric->values;
}

double metric_displacement(const double exact[12], const double other[12], double shell)
{
    const double x = other[3] - exact[3];
    const double y = other[7] - exact[7];
    const double z = other[11] - exact[11];
    const double centre = x * x + y * y + z * z;
    double largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double dx = (other[axis] - exact[axis]) * shell;
        const double dy = (other[4 + axis] - exact[4 + axis]) * shell;
        const double dz = (other[8 + axis] - exact[8 + axis]) * shell;
        // The farther of |c + d| and |c - d|.
        const double cross = fabs(x * dx + y * dy + z * dz);
        const double square = centre + (dx * dx + dy * dy + dz * dz) + 2.0 * cross;
        if (!(square <= largest)) { // a NaN must not look like a good fit
            largest = square == square ? square : HUGE_VAL;
        }
    }
    return sqrt(largest);
}

/// Widens a decoded pose; adds the reference of an additive motion.
static void widen_pose(const struct motion *motion, const trp_pose_block *pose,
                       struct scene_transform *locals)
{
    for (uint32_t lane = 0; lane < motion->skeleton->lane_count; lane++) {
        const trp_pose_block *const block = &pose[lane / 16];
        struct scene_transform local;
        for (int i = 0; i < 4; i++) {
            local.rotation[i] = (double)block->rotation[i][lane % 16];
        }
        for (int i = 0; i < 3; i++) {
            local.translation[i] = (double)block->translation[i][lane % 16];
            local.scale[i] = (double)block->scale[i][lane % 16];
        }
        locals[lane] =
            motion->reference == NULL ? local : transform_add(&motion->reference[lane], &local);
    }
}

static void compare_values(struct metric *metric, uint32_t time_index, const float *values,
                           struct metric_result *result)
{
    const struct property_values *const own = metric->motion->values;
    const double *const exact = own->value_count > 0 ? metric_values(metric, time_index) : NULL;
    for (uint32_t i = 0; i < own->value_count; i++) {
        const uint32_t property = own->property_of_value[i];
        const double error = fabs((double)values[i] - exact[i]) / own->tolerance[property];
        if (!(error <= result->max_values)) {
            result->max_values = error;
            result->worst_property = property;
        }
    }
}

/// A clip being measured, a batch of moments at a time.
struct measurement {
    struct metric *metric;
    struct arena arena;
    trp_sample_request requests[BATCH];
    trp_sample_args args;
    struct scene_transform *locals; // [lane_count]
    double (*models)[12];           // [lane_count]
    struct metric_result *result;
    double *lane_errors; // or null
    double sum;
};

static void measurement_init(struct measurement *measurement, const trp_clip *clip)
{
    const struct motion *const motion = measurement->metric->motion;
    const uint32_t blocks = motion->skeleton->block_count;
    const uint32_t value_count = motion->values->value_count;
    struct arena *const arena = &measurement->arena;
    trp_pose_block *const poses = ARENA_NEW(arena, trp_pose_block, (size_t)blocks * BATCH);
    float *const values = arena_take(arena, (size_t)value_count * BATCH, sizeof(float));
    measurement->locals = ARENA_NEW(arena, struct scene_transform, motion->skeleton->lane_count);
    measurement->models = arena_take(arena, motion->skeleton->lane_count, sizeof(double[12]));
    for (uint32_t i = 0; i < BATCH; i++) {
        measurement->requests[i] = (trp_sample_request){
            .clip = clip,
            .pose = blocks > 0 ? poses + (size_t)i * blocks : NULL,
            // one of the two must be there, also where the clip has neither
            .values = value_count > 0 || blocks == 0 ? values + (size_t)i * value_count : NULL,
        };
    }
    measurement->args.requests = measurement->requests;
    measurement->args.request_count = BATCH;
    measurement->args.scratch_bytes = trp_sample_scratch_bytes(&measurement->args);
    measurement->args.scratch = arena_take(arena, measurement->args.scratch_bytes, 1);
}

/// Compares one sampled pose.
static void compare_pose(struct measurement *measurement, uint32_t time_index,
                         const trp_pose_block *pose)
{
    struct metric *const metric = measurement->metric;
    struct metric_result *const result = measurement->result;
    const struct skeleton *const skeleton = metric->motion->skeleton;
    const double(*const exact)[12] = metric_models(metric, time_index);
    widen_pose(metric->motion, pose, measurement->locals);
    models_from_locals(skeleton, measurement->locals, measurement->models);
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        if (skeleton->joint_of_lane[lane] == TRP_NO_LANE) {
            continue;
        }
        const double error =
            metric_displacement(exact[lane], measurement->models[lane], metric->shell[lane]);
        measurement->sum += error;
        if (!(error <= result->max)) { // also where it is no number
            result->max = error;
            result->worst_lane = lane;
            result->worst_time_s = metric->times[time_index];
        }
        if (metric->is_key[time_index] && !(error <= result->max_keys)) {
            result->max_keys = error;
        }
        if (measurement->lane_errors != NULL && error > measurement->lane_errors[lane]) {
            measurement->lane_errors[lane] = error;
        }
    }
}

static void measure_batch(struct measurement *measurement, uint32_t start)
{
    struct metric *const metric = measurement->metric;
    const uint32_t rest = metric->time_count - start;
    const uint32_t count = rest < BATCH ? rest : BATCH;
    measurement->args.request_count = count;
    for (uint32_t i = 0; i < count; i++) {
        measurement->requests[i].time_s = metric->times[start + i];
    }
    if (trp_sample(&measurement->args, NULL) != TRP_OK) {
        fputs("troupe: error: the runtime refused its own clip [internal]\n", stderr);
        exit(TROUPE_EXIT_INTERNAL);
    }
    for (uint32_t i = 0; i < count; i++) {
        compare_values(metric, start + i, measurement->requests[i].values, measurement->result);
        compare_pose(measurement, start + i, measurement->requests[i].pose);
    }
}

void metric_measure(struct metric *metric, const trp_clip *clip, struct metric_result *result,
                    double *lane_errors)
{
    const struct skeleton *const skeleton = metric->motion->skeleton;
    struct measurement measurement = {
        .metric = metric, .result = result, .lane_errors = lane_errors};
    measurement_init(&measurement, clip);
    *result = (struct metric_result){0};
    if (lane_errors != NULL) {
        memset(lane_errors, 0, skeleton->lane_count * sizeof(double));
    }
    for (uint32_t start = 0; start < metric->time_count; start += BATCH) {
        measure_batch(&measurement, start);
    }
    if (skeleton->joint_count > 0) {
        result->mean = measurement.sum / ((double)metric->time_count * skeleton->joint_count);
    }
    arena_free(&measurement.arena);
}

bool metric_exceeds(struct metric *metric, const trp_clip *clip, double limit)
{
    struct metric_result result = {0};
    struct measurement measurement = {.metric = metric, .result = &result};
    const uint32_t batch_count = (metric->time_count + BATCH - 1) / BATCH;
    measurement_init(&measurement, clip);
    bool exceeds = false;
    for (uint32_t i = 0; i < batch_count && !exceeds; i++) {
        // Where the last clip failed, the next one is likely to.
        const uint32_t batch = (metric->hot_batch + i) % batch_count;
        measure_batch(&measurement, batch * BATCH);
        if (!(result.max <= limit && result.max_values <= 1.0)) {
            metric->hot_batch = batch;
            exceeds = true;
        }
    }
    arena_free(&measurement.arena);
    return exceeds;
}

double metric_extent(struct metric *metric)
{
    const struct skeleton *const skeleton = metric->motion->skeleton;
    double largest = 0.0;
    for (uint32_t i = 0; i < metric->time_count; i++) {
        const double(*const models)[12] = metric_models(metric, i);
        for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
            for (int row = 0; row < 3 && skeleton->joint_of_lane[lane] != TRP_NO_LANE; row++) {
                const double size = fabs(models[lane][4 * row + 3]);
                largest = size > largest ? size : largest;
            }
        }
    }
    return largest;
}
