// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "keyed_scene.h"

#include <stdlib.h>

#include <troupe/track.h>

#include "../src/format.h"
#include "scenes.h"

#define JOINTS BENCH_KEYED_JOINTS
#define TRACKS BENCH_KEYED_TRACKS
#define KEYS BENCH_KEYED_KEYS
#define WEIGHTS 4u

static uint32_t stride_of(uint32_t track)
{
    return track == TRACKS - 1 ? WEIGHTS : track < JOINTS ? 4 : 3;
}

static uint8_t path_of(uint32_t track)
{
    return (uint8_t)(track / JOINTS); // 3 is that of properties
}

/// Fills the keys of a group: times near the grid, a little off it where tracks have their own;
/// values that are near each other from key to key, rotations of unit length up to rounding.
static void fill_keys(struct trp__key_group *group, uint8_t *bytes, uint64_t seed, bool is_shared)
{
    double *const times = (void *)(bytes + group->times);
    float *const values = (void *)(bytes + group->values);
    const uint32_t rotations = group->rotation_count;
    const uint32_t components = 4 * rotations + group->scalar_count;
    uint64_t state = seed;
    for (uint32_t key = 0; key < KEYS; key++) {
        const bool is_end = key == 0 || key == KEYS - 1;
        const double jitter = is_shared || is_end ? 0 : (bench_random(&state) - 0.5) / 100;
        times[key] = BENCH_KEYED_DURATION_S * key / (KEYS - 1) + jitter;
        float *const value = values + (size_t)key * components;
        for (uint32_t i = 0; i < components; i++) {
            value[i] = (float)(bench_random(&state) * 0.1 + (i >= 3 * rotations ? 0.9 : 0.0));
        }
    }
}

/// Takes the next bytes, aligned to 16.
static uint32_t take(uint32_t *used, size_t size_bytes)
{
    const uint32_t at = *used;
    *used += (uint32_t)(size_bytes + 15) / 16 * 16;
    return at;
}

uint8_t *bench_keyed_scene_make(bool is_shared)
{
    const uint32_t group_count = is_shared ? 1 : TRACKS;
    const uint32_t component_count = JOINTS * 10 + WEIGHTS;
    const size_t size_bytes =
        64 + group_count * (sizeof(struct trp__key_group) + 16) +
        TRACKS * sizeof(struct trp__keyed_track) +
        KEYS * (group_count * (sizeof(double) + 16) + component_count * sizeof(float));
    uint8_t *const bytes = aligned_alloc(64, (size_bytes + 63) / 64 * 64);
    if (!bytes) {
        return NULL;
    }
    memset(bytes, 0, size_bytes);
    struct trp__keyed_header *const header = (void *)bytes;
    struct trp__key_group *const groups = (void *)(header + 1);
    struct trp__keyed_track *const tracks = (void *)(groups + group_count);
    uint32_t used = 0;
    take(&used, sizeof *header + group_count * sizeof *groups + TRACKS * sizeof *tracks);

    for (uint32_t i = 0; i < TRACKS; i++) {
        const uint32_t group_index = is_shared ? 0 : i;
        struct trp__key_group *const group = &groups[group_index];
        const bool is_rotation = path_of(i) == TRP_PATH_ROTATION;
        tracks[i] = (struct trp__keyed_track){
            .target = i % JOINTS,
            .first = is_rotation ? group->rotation_count : group->scalar_count,
            .stride = stride_of(i),
            .group = group_index,
            .path = path_of(i),
        };
        group->rotation_count += is_rotation;
        group->scalar_count += is_rotation ? 0 : stride_of(i);
        group->first_track = is_shared ? 0 : i;
        group->track_count++;
    }
    for (uint32_t i = 0; i < group_count; i++) {
        const size_t components = 4 * groups[i].rotation_count + groups[i].scalar_count;
        groups[i].key_count = KEYS;
        groups[i].planes = 1;
        groups[i].interpolation = TRP_INTERPOLATION_LINEAR;
        groups[i].times = take(&used, KEYS * sizeof(double));
        groups[i].values = take(&used, KEYS * components * sizeof(float));
        fill_keys(&groups[i], bytes, i + 1, is_shared);
    }
    *header = (struct trp__keyed_header){used, group_count, TRACKS, component_count};
    return bytes;
}
