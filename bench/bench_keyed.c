// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed tracks: nanoseconds a track for 1,000 instances of 100 tracks, as a whole clip and as
// single tracks, against what a program without Troupe would do: a cursor, lerp and nlerp for each
// track. All in turns, the best of ten rounds each.
#define _DEFAULT_SOURCE // for clock_gettime
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <troupe/troupe.h>

#include "../src/keyed.h"
#include "keyed_scene.h"
#include "scenes.h"

#define INSTANCES 1000u
#define TRACKS BENCH_KEYED_TRACKS
#define ROUNDS 10u
#define GROUP 16u ///< instances at a time
#define FRAMES 4u ///< of a round

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// -- Without Troupe ------------------------------------------------------------------------------

/// One track as programs keep them: times, and values key after key.
struct plain_track {
    const double *times;
    float *values;
    uint32_t key_count;
    uint32_t stride;
    bool is_rotation;
};

static uint32_t plain_find(const struct plain_track *track, double time, uint32_t key)
{
    const uint32_t last = track->key_count - 1;
    if (track->times[key] <= time) {
        if (time < track->times[key + 1]) {
            return key;
        }
        if (key + 2 <= last && time < track->times[key + 2]) {
            return key + 1;
        }
    }
    uint32_t low = 0;
    uint32_t high = last;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (track->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void plain_nlerp(const float *q0, const float *q1, float u, float *q)
{
    const float dot = q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2] + q0[3] * q1[3];
    const float weight1 = dot < 0 ? -u : u;
    const float x = (1 - u) * q0[0] + weight1 * q1[0];
    const float y = (1 - u) * q0[1] + weight1 * q1[1];
    const float z = (1 - u) * q0[2] + weight1 * q1[2];
    const float w = (1 - u) * q0[3] + weight1 * q1[3];
    const float r = 1 / sqrtf(x * x + y * y + z * z + w * w);
    q[0] = x * r;
    q[1] = y * r;
    q[2] = z * r;
    q[3] = w * r;
}

static void plain_sample(const struct plain_track *track, double time, uint32_t *cursor, float *out)
{
    const uint32_t last = track->key_count - 1;
    const float *value0 = track->values;
    if (time <= track->times[0] || time >= track->times[last]) {
        value0 += time <= track->times[0] ? 0 : (size_t)last * track->stride;
        memcpy(out, value0, track->stride * sizeof *out);
        return;
    }
    const uint32_t key = plain_find(track, time, *cursor);
    *cursor = key;
    const double start = track->times[key];
    const float u = (float)((time - start) / (track->times[key + 1] - start));
    value0 += (size_t)key * track->stride;
    const float *const value1 = value0 + track->stride;
    if (track->is_rotation) {
        plain_nlerp(value0, value1, u, out);
        return;
    }
    for (uint32_t i = 0; i < track->stride; i++) {
        out[i] = value0[i] + u * (value1[i] - value0[i]);
    }
}

/// Copies the tracks of a scene, component by component, into tracks of their own.
static void plain_make(const struct trp__keyed *keyed, struct plain_track *tracks)
{
    for (uint32_t i = 0; i < TRACKS; i++) {
        trp_track view;
        trp__track_of(keyed, i, &view);
        float *const values = malloc((size_t)view.key_count * view.stride * sizeof *values);
        double *const times = malloc(view.key_count * sizeof *times);
        if (!values || !times) {
            exit(1);
        }
        for (uint32_t key = 0; key < view.key_count; key++) {
            times[key] = view.times[key];
            trp_track_sample(&view, times[key], NULL, values + (size_t)key * view.stride,
                             view.stride);
        }
        tracks[i] = (struct plain_track){times, values, view.key_count, view.stride,
                                         view.path == TRP_PATH_ROTATION};
    }
}

static void plain_free(struct plain_track *tracks)
{
    for (uint32_t i = 0; i < TRACKS; i++) {
        free((double *)tracks[i].times);
        free(tracks[i].values);
    }
}

// -- The crowd -----------------------------------------------------------------------------------

struct crowd {
    struct trp__keyed keyed;
    trp_track views[TRACKS];
    struct plain_track plain[TRACKS];
    double times[FRAMES][INSTANCES];
    uint32_t (*cursors)[TRACKS];       ///< by group
    uint32_t (*plain_cursors)[TRACKS]; ///< by track
    trp_pose_block (*poses)[3];
    float (*values)[TRACKS][4];
    float components[GROUP * 512];
};

static void fill_times(struct crowd *crowd, bool is_forward, uint32_t round)
{
    uint64_t state = 7;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const double start = bench_random(&state) * 8;
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            crowd->times[frame][i] = start + (round * FRAMES + frame) / 60.0;
        }
    }
    state = 11 + round;
    for (uint32_t i = 0; i < INSTANCES * FRAMES && !is_forward; i++) {
        crowd->times[i / INSTANCES][i % INSTANCES] = bench_random(&state) * BENCH_KEYED_DURATION_S;
    }
}

static void run_plain(struct crowd *crowd)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < INSTANCES; i++) {
            for (uint32_t track = 0; track < TRACKS; track++) {
                plain_sample(&crowd->plain[track], crowd->times[frame][i],
                             &crowd->plain_cursors[i][track], crowd->values[i][track]);
            }
        }
    }
}

static void run_clip(struct crowd *crowd)
{
    const struct trp__kernels *const kernels = trp__kernels_active();
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t first = 0; first < INSTANCES; first += GROUP) {
            struct trp__key_instance instances[GROUP];
            trp_pose_block *poses[GROUP];
            const uint32_t count = INSTANCES - first < GROUP ? INSTANCES - first : GROUP;
            for (uint32_t i = 0; i < count; i++) {
                instances[i] = (struct trp__key_instance){
                    .time_s = crowd->times[frame][first + i],
                    .cursors = crowd->cursors[first + i],
                };
                poses[i] = crowd->poses[first + i];
            }
            trp__keyed_evaluate(&crowd->keyed, kernels, instances, count, crowd->components);
            trp__keyed_write_poses(&crowd->keyed, crowd->components, count, 3, poses);
        }
    }
}

static void run_tracks(struct crowd *crowd)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < INSTANCES; i++) {
            trp_track_request requests[TRACKS];
            for (uint32_t track = 0; track < TRACKS; track++) {
                requests[track] = (trp_track_request){
                    .track = &crowd->views[track],
                    .time_s = crowd->times[frame][i],
                    .cursor = &crowd->cursors[i][crowd->views[track].group],
                    .into = crowd->values[i][track],
                };
            }
            trp_sample_tracks(&(trp_track_args){requests, TRACKS});
        }
    }
}

// -- Figures -------------------------------------------------------------------------------------

/// The best time of each way to do it: plain first, then clip and tracks of each table.
struct figures {
    double plain;
    double clip[TRP_ISA_COUNT];
    double tracks[TRP_ISA_COUNT];
};

static void keep_best(double *best, struct crowd *crowd, void (*run)(struct crowd *))
{
    const double start = seconds_now();
    run(crowd);
    const double ns = (seconds_now() - start) * 1e9 / (FRAMES * INSTANCES * TRACKS);
    *best = *best == 0 || ns < *best ? ns : *best;
}

/// Cursors go back to where the round before left them, so that all tables do the same work.
static void measure_round(struct crowd *crowd, struct figures *best, uint32_t (*saved)[TRACKS])
{
    const size_t cursor_bytes = INSTANCES * sizeof *saved;
    memcpy(saved, crowd->cursors, cursor_bytes);
    keep_best(&best->plain, crowd, run_plain);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (trp_isa_force((trp_isa)isa) == TRP_OK) {
            memcpy(crowd->cursors, saved, cursor_bytes);
            keep_best(&best->clip[isa], crowd, run_clip);
            memcpy(crowd->cursors, saved, cursor_bytes);
            keep_best(&best->tracks[isa], crowd, run_tracks);
        }
    }
}

static void measure(struct crowd *crowd, const char *keys, bool is_forward)
{
    struct figures best = {0};
    uint32_t(*const saved)[TRACKS] = malloc(INSTANCES * sizeof *saved);
    if (!saved) {
        exit(1);
    }
    memset(crowd->cursors, 0, INSTANCES * sizeof *crowd->cursors);
    memset(crowd->plain_cursors, 0, INSTANCES * sizeof *crowd->plain_cursors);
    for (uint32_t round = 0; round < ROUNDS + 1; round++) {
        if (round == 1) { // the first one warms up
            best = (struct figures){0};
        }
        fill_times(crowd, is_forward, round);
        measure_round(crowd, &best, saved);
    }
    free(saved);
    const char *const order = is_forward ? "forward" : "random";
    printf("%-7s %-8s %-11s %9.2f\n", keys, order, "plain", best.plain);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (best.clip[isa] > 0) {
            printf("%-7s %-8s %-11s %9.2f %6.1fx %9.2f %6.1fx\n", keys, order,
                   trp_isa_name((trp_isa)isa), best.clip[isa], best.plain / best.clip[isa],
                   best.tracks[isa], best.plain / best.tracks[isa]);
        }
    }
}

int main(void)
{
    struct crowd *const crowd = calloc(1, sizeof *crowd);
    if (!crowd) {
        return 1;
    }
    crowd->cursors = calloc(INSTANCES, sizeof *crowd->cursors);
    crowd->plain_cursors = calloc(INSTANCES, sizeof *crowd->plain_cursors);
    crowd->poses = aligned_alloc(64, INSTANCES * sizeof *crowd->poses);
    crowd->values = calloc(INSTANCES, sizeof *crowd->values);
    if (!crowd->cursors || !crowd->plain_cursors || !crowd->poses || !crowd->values) {
        return 1;
    }
    memset(crowd->poses, 0, INSTANCES * sizeof *crowd->poses);
    printf("%u instances, %u tracks, ns a track\n", INSTANCES, TRACKS);
    printf("%-7s %-8s %-11s %9s %7s %9s %7s\n", "keys", "times", "isa", "clip", "", "tracks", "");
    for (int is_shared = 1; is_shared >= 0; is_shared--) {
        uint8_t *const bytes = bench_keyed_scene_make(is_shared);
        if (!bytes) {
            return 1;
        }
        crowd->keyed = trp__keyed_of(bytes);
        for (uint32_t i = 0; i < TRACKS; i++) {
            trp__track_of(&crowd->keyed, i, &crowd->views[i]);
        }
        plain_make(&crowd->keyed, crowd->plain);
        measure(crowd, is_shared ? "shared" : "own", true);
        measure(crowd, is_shared ? "shared" : "own", false);
        plain_free(crowd->plain);
        free(bytes);
    }
    free(crowd->cursors);
    free(crowd->plain_cursors);
    free(crowd->poses);
    free(crowd->values);
    free(crowd);
    return 0;
}
