// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The named scenes.
#include "scenes.h"

const char *bench_scene_name(enum bench_scene scene)
{
    static const char *const names[BENCH_SCENE_COUNT] = {"forward", "random", "all"};
    return names[scene];
}

bool bench_cast_collect(const trp_pack *pack, uint32_t skeleton_index, struct bench_cast *cast)
{
    if (trp_pack_skeleton(pack, skeleton_index, &cast->skeleton) != TRP_OK) {
        return false;
    }
    cast->has_skin = false;
    for (uint32_t i = 0; i < pack->skin_count; i++) {
        trp_skin skin;
        trp_pack_skin(pack, i, &skin);
        if (skin.skeleton_index == skeleton_index &&
            (!cast->has_skin || skin.joint_count > cast->skin.joint_count)) {
            cast->skin = skin;
            cast->has_skin = true;
        }
    }
    cast->clip_count = 0;
    cast->lead = 0;
    for (uint32_t i = 0; i < pack->clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(pack, i, &clip);
        if (clip.skeleton_index != skeleton_index) {
            continue;
        }
        cast->clips[cast->clip_count] = clip;
        if (clip.duration_s > cast->clips[cast->lead].duration_s) {
            cast->lead = cast->clip_count;
        }
        cast->clip_count++;
    }
    return cast->clip_count > 0;
}

double bench_random(uint64_t *state)
{
    // Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", SplitMix64.
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// Returns the time of the n-th frame of a clip that plays in a loop, in order from 0 on.
static double forward_time(const trp_clip *clip, uint32_t frame)
{
    const uint32_t frame_count = (uint32_t)(clip->duration_s * 60.0) + 1;
    return (double)(frame % frame_count) / 60.0;
}

void bench_scene_requests(const struct bench_cast *cast, enum bench_scene scene, uint64_t seed,
                          uint32_t instance_count, trp_pose_block *poses,
                          trp_sample_request *requests)
{
    uint64_t state = seed;
    for (uint32_t i = 0; i < instance_count; i++) {
        uint32_t index = cast->lead;
        if (scene == BENCH_SCENE_ALL) {
            index = (uint32_t)(bench_random(&state) * cast->clip_count);
        }
        const trp_clip *const clip = &cast->clips[index];
        requests[i] = (trp_sample_request){
            .clip = clip,
            .time_s = scene == BENCH_SCENE_FORWARD ? forward_time(clip, i)
                                                   : bench_random(&state) * clip->duration_s,
            .pose = poses + (size_t)i * cast->skeleton.block_count,
        };
    }
}
