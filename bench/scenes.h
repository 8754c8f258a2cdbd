// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Named scenes: which clips a crowd plays, at which times. The same numbers on every machine and
// in every run, so that benchmarks can be compared and tests can use them as fixtures.
#ifndef TROUPE_BENCH_SCENES_H
#define TROUPE_BENCH_SCENES_H

#include <stdbool.h>
#include <stdint.h>

#include <troupe/troupe.h>

/// One skeleton of a pack with what belongs to it.
struct bench_cast {
    trp_skeleton skeleton;
    trp_skin skin; ///< the largest of the skeleton's
    bool has_skin;
    trp_clip *clips; ///< caller's memory, room for all clips of the pack
    uint32_t clip_count;
    uint32_t lead; ///< index in `clips` of the one that single-clip scenes play
};

/// What the instances of a crowd do.
enum bench_scene {
    BENCH_SCENE_FORWARD = 0, ///< one clip, times in order, a sixtieth of a second apart
    BENCH_SCENE_RANDOM = 1,  ///< one clip, random times
    BENCH_SCENE_ALL = 2,     ///< random clips, random times
    BENCH_SCENE_COUNT = 3,
};

/// Returns "forward", "random" or "all".
const char *bench_scene_name(enum bench_scene scene);

/// Collects the clips and the largest skin of a skeleton. The lead is the longest clip.
/// @param cast [in,out] `clips` is set
/// @return false where the pack has no such skeleton or no clip for it.
bool bench_cast_collect(const trp_pack *pack, uint32_t skeleton_index, struct bench_cast *cast);

/// Fills the requests of a crowd.
/// @param poses    instance_count * skeleton.block_count blocks, one pose after the other
/// @param requests [out] instance_count
/// @param seed     another seed gives another crowd
void bench_scene_requests(const struct bench_cast *cast, enum bench_scene scene, uint64_t seed,
                          uint32_t instance_count, trp_pose_block *poses,
                          trp_sample_request *requests);

/// Returns the next number of a pseudo-random sequence in [0, 1).
double bench_random(uint64_t *state);

#endif
