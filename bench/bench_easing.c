// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Eased properties: nanoseconds a track for 10,000 instances of a layout of 60 tracks that move at
// times of their own, each along one easing, forward with cursors and at random times. By the
// kernels of this processor and by the plain C reference. The best of five rounds.
#define _DEFAULT_SOURCE // for clock_gettime
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <troupe/troupe.h>

#include "../src/keyed.h"
#include "scenes.h"

#define INSTANCES 10000u
#define TRACKS 60u
#define KEYS 12u
#define DURATION_S 4.0
#define ROUNDS 5u
#define GROUP 16u ///< instances at a time

/// A keyed part with a group for each track: the value before the clip, then eased intervals.
struct layout {
    _Alignas(16) struct trp__keyed_header header;
    struct trp__key_group groups[TRACKS];
    struct trp__keyed_track tracks[TRACKS];
    _Alignas(8) double times[TRACKS][KEYS];
    float values[TRACKS][KEYS];
    struct trp__key_curve curves[TRACKS][KEYS];
    uint8_t modes[TRACKS][KEYS];
};

struct crowd {
    struct layout layout;
    double times[INSTANCES];
    uint32_t cursors[INSTANCES][TRACKS];
    float components[GROUP * TRACKS];
    float sum; ///< of what came out, so that it is used
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/// @param easing of all intervals; TRP_EASING_COUNT: another one for each track
static void fill_layout(struct layout *layout, uint32_t easing)
{
    uint64_t state = 3;
    layout->header = (struct trp__keyed_header){
        .size_bytes = sizeof *layout,
        .group_count = TRACKS,
        .track_count = TRACKS,
        .component_count = TRACKS,
    };
    for (uint32_t i = 0; i < TRACKS; i++) {
        layout->groups[i] = (struct trp__key_group){
            .key_count = KEYS,
            .scalar_count = 1,
            .times = (uint32_t)((uint8_t *)layout->times[i] - (uint8_t *)layout),
            .values = (uint32_t)((uint8_t *)layout->values[i] - (uint8_t *)layout),
            .modes = (uint32_t)((uint8_t *)layout->modes[i] - (uint8_t *)layout),
            .curves = (uint32_t)((uint8_t *)layout->curves[i] - (uint8_t *)layout),
            .first_track = i,
            .track_count = 1,
            .interpolation = TRP_INTERPOLATION_STEP,
            .planes = 1,
        };
        layout->tracks[i] = (struct trp__keyed_track){
            .target = i,
            .stride = 1,
            .group = i,
            .path = TRP_PATH_PROPERTY,
        };
        for (uint32_t key = 0; key < KEYS; key++) {
            const double part = ((double)key - 1 + bench_random(&state) * 0.8) / (KEYS - 1);
            layout->times[i][key] = key == 0 ? -1 : DURATION_S * part;
            layout->values[i][key] = (float)(bench_random(&state) * 100);
            layout->modes[i][key] = key == 0 ? TRP_INTERPOLATION_STEP : TRP_INTERPOLATION_EASING;
            layout->curves[i][key].easing =
                easing < TRP_EASING_COUNT ? easing : 1 + i * 7 % (TRP_EASING_COUNT - 1);
        }
    }
}

static void fill_times(struct crowd *crowd, bool is_forward, uint32_t round)
{
    uint64_t state = is_forward ? 7 : 11 + round;
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const double part = bench_random(&state);
        crowd->times[i] = is_forward ? part * 3.5 + round / 60.0 : part * DURATION_S;
    }
}

static void run(struct crowd *crowd, bool has_cursors)
{
    const struct trp__kernels *const kernels = trp__kernels_active();
    const struct trp__keyed keyed = trp__keyed_of((const uint8_t *)&crowd->layout);
    for (uint32_t first = 0; first < INSTANCES; first += GROUP) {
        struct trp__key_instance instances[GROUP];
        for (uint32_t i = 0; i < GROUP; i++) {
            instances[i] = (struct trp__key_instance){
                .time_s = crowd->times[first + i],
                .cursors = has_cursors ? crowd->cursors[first + i] : NULL,
            };
        }
        trp__keyed_evaluate(&keyed, kernels, instances, GROUP, crowd->components);
        crowd->sum += crowd->components[first % TRACKS];
    }
}

static double measure(struct crowd *crowd, bool is_forward)
{
    double best = 0;
    memset(crowd->cursors, 0, sizeof crowd->cursors);
    for (uint32_t round = 0; round <= ROUNDS; round++) { // the first one warms up
        fill_times(crowd, is_forward, round);
        const double start = seconds_now();
        run(crowd, is_forward);
        const double ns = (seconds_now() - start) * 1e9 / (INSTANCES * TRACKS);
        best = round == 1 || (round > 1 && ns < best) ? ns : best;
    }
    return best;
}

int main(void)
{
    static const char *const names[] = {"linear",  "outquad",    "outsine",   "outexpo", "outcirc",
                                        "outback", "outelastic", "outbounce", "all"};
    struct crowd *const crowd = aligned_alloc(64, (sizeof *crowd + 63) / 64 * 64);
    if (!crowd) {
        return 1;
    }
    memset(crowd, 0, sizeof *crowd);
    const trp_isa isas[] = {trp_isa_active(), TRP_ISA_REFERENCE};
    printf("%u instances, %u tracks, ns a track\n", INSTANCES, TRACKS);
    printf("%-11s %-11s %8s %8s\n", "isa", "easing", "forward", "random");
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const trp_isa isa = isas[i % 2];
        const char *const name = names[i / 2];
        const uint32_t easing = trp_easing_find(name);
        if (trp_isa_force(isa) != TRP_OK) {
            return 1;
        }
        fill_layout(&crowd->layout, easing == TRP_NONE ? TRP_EASING_COUNT : easing);
        const double forward = measure(crowd, true);
        printf("%-11s %-11s %8.2f %8.2f\n", trp_isa_name(isa), name, forward,
               measure(crowd, false));
    }
    const bool is_used = crowd->sum == crowd->sum;
    free(crowd);
    return is_used ? 0 : 1;
}
