// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/sample.h>

#define CACHE_LIMIT ((size_t)256 << 20)
#define BATCH 64u

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
    uint32_t count;
    double early_s; // the runtime may switch this much before
};

/// Lets the runtime's tolerance (a thousandth of a tick) and the rounding of key times to float
/// be no error: both say the same of every moment that is clear of it.
static void find_edges(const struct motion *motion, const struct grid *grid, struct edges *edges,
                       struct arena *arena)
{
    const uint32_t curve_count = motion->skeleton->lane_count * 3;
    size_t most = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        if (motion->curves[i] != NULL && curve_is_stepped(motion->curves[i])) {
            most += motion->curves[i]->key_count;
        }
    }
    struct moment *const moments = ARENA_NEW(arena, struct moment, most);
    uint32_t count = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        if (motion->curves[i] != NULL && curve_is_stepped(motion->curves[i])) {
            for (uint32_t key = 1; key < motion->curves[i]->key_count; key++) {
                moments[count++] = (struct moment){motion->curves[i]->times[key], true};
            }
        }
    }
    edges->count = sort_moments(moments, count);
    edges->times = ARENA_NEW(arena, double, edges->count);
    for (uint32_t i = 0; i < edges->count; i++) {
        edges->times[i] = moments[i].time_s;
    }
    edges->early_s =
        (double)grid->rate_den / grid->rate_num / 1024.0 + 1e-6 + 2.4e-7 * motion->duration_s;
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
        time_s = edges->times[low] - edges->early_s;
    }
    while (low > 0 && edges->times[low - 1] > time_s &&
           edges->times[low - 1] - time_s < edges->early_s) {
        time_s = edges->times[--low] - edges->early_s;
    }
    return time_s > 0.0 ? time_s : 0.0;
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
    const uint32_t key_count = motion_key_times(motion, arena, &key_times);
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
    metric->models = arena_take(arena, lanes, sizeof(double[12]));
    const size_t cache_bytes = (size_t)count * lanes * sizeof(double[12]);
    if (cache_bytes <= CACHE_LIMIT) {
        metric->cache = arena_take(arena, (size_t)count * lanes, sizeof(double[12]));
        for (uint32_t i = 0; i < count; i++) {
            motion_models(motion, metric->times[i], metric->cache + (size_t)i * lanes);
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

void metric_measure(struct metric *metric, const trp_clip *clip, struct metric_result *result,
                    double *lane_errors)
{
    const struct skeleton *const skeleton = metric->motion->skeleton;
    const uint32_t lanes = skeleton->lane_count;
    struct arena arena = {0};
    trp_pose_block *const poses =
        ARENA_NEW(&arena, trp_pose_block, (size_t)skeleton->block_count * BATCH);
    struct scene_transform *const locals = ARENA_NEW(&arena, struct scene_transform, lanes);
    double(*const models)[12] = arena_take(&arena, lanes, sizeof(double[12]));
    trp_sample_request requests[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        requests[i] =
            (trp_sample_request){.clip = clip, .pose = poses + (size_t)i * skeleton->block_count};
    }
    trp_sample_args args = {.requests = requests, .request_count = BATCH};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = arena_take(&arena, args.scratch_bytes, 1);
    *result = (struct metric_result){0};
    if (lane_errors != NULL) {
        memset(lane_errors, 0, lanes * sizeof(double));
    }
    double sum = 0.0;
    for (uint32_t start = 0; start < metric->time_count; start += BATCH) {
        const uint32_t rest = metric->time_count - start;
        args.request_count = rest < BATCH ? rest : BATCH;
        for (uint32_t i = 0; i < args.request_count; i++) {
            requests[i].time_s = metric->times[start + i];
        }
        if (trp_sample(&args, NULL) != TRP_OK) {
            fputs("troupe: error: the runtime refused its own clip [internal]\n", stderr);
            exit(TROUPE_EXIT_INTERNAL);
        }
        for (uint32_t i = 0; i < args.request_count; i++) {
            const double(*const exact)[12] = metric_models(metric, start + i);
            widen_pose(metric->motion, requests[i].pose, locals);
            models_from_locals(skeleton, locals, models);
            for (uint32_t lane = 0; lane < lanes; lane++) {
                if (skeleton->joint_of_lane[lane] == TRP_NO_LANE) {
                    continue;
                }
                const double error =
                    metric_displacement(exact[lane], models[lane], metric->shell[lane]);
                sum += error;
                if (error > result->max) {
                    result->max = error;
                    result->worst_lane = lane;
                    result->worst_time_s = metric->times[start + i];
                }
                if (metric->is_key[start + i] && error > result->max_keys) {
                    result->max_keys = error;
                }
                if (lane_errors != NULL && error > lane_errors[lane]) {
                    lane_errors[lane] = error;
                }
            }
        }
    }
    result->mean = sum / ((double)metric->time_count * skeleton->joint_count);
    arena_free(&arena);
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
