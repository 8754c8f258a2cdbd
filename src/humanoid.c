// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Humanoids: names of parts, who plays them, and the pass that holds poses to their limits.
#include <troupe/humanoid.h>

#include "../simd/kernel_table.h"
#include "arguments.h"
#include "format.h"

enum { FOOT_L = 30, TOES_L = 31, FOOT_R = 53, TOES_R = 54 };

static const char *const part_names[TRP_HUMAN_PART_COUNT] = {
    "hip",        "spine",      "chest",      "upper_chest", "neck",        "head",
    "jaw",        "eye.l",      "eye.r",      "shoulder.l",  "upper_arm.l", "lower_arm.l",
    "wrist.l",    "thumb_1.l",  "thumb_2.l",  "thumb_3.l",   "index_1.l",   "index_2.l",
    "index_3.l",  "middle_1.l", "middle_2.l", "middle_3.l",  "ring_1.l",    "ring_2.l",
    "ring_3.l",   "little_1.l", "little_2.l", "little_3.l",  "upper_leg.l", "lower_leg.l",
    "foot.l",     "toes.l",     "shoulder.r", "upper_arm.r", "lower_arm.r", "wrist.r",
    "thumb_1.r",  "thumb_2.r",  "thumb_3.r",  "index_1.r",   "index_2.r",   "index_3.r",
    "middle_1.r", "middle_2.r", "middle_3.r", "ring_1.r",    "ring_2.r",    "ring_3.r",
    "little_1.r", "little_2.r", "little_3.r", "upper_leg.r", "lower_leg.r", "foot.r",
    "toes.r",
};

const char *trp_human_part_name(uint32_t part)
{
    return part < TRP_HUMAN_PART_COUNT ? part_names[part] : NULL;
}

static bool is_same_text(const char *a, const char *b)
{
    for (; *a == *b && *a != 0; a++, b++) {
    }
    return *a == *b;
}

uint32_t trp_human_part_find(const char *name)
{
    for (uint32_t part = 0; name && part < TRP_HUMAN_PART_COUNT; part++) {
        if (is_same_text(part_names[part], name)) {
            return part;
        }
    }
    return TRP_NONE;
}

_Static_assert(sizeof(trp_human_limits) == sizeof(struct trp__human_limits), "the same bytes");

trp_result trp_instance_humanoid(const trp_instance *instance, trp_humanoid *humanoid)
{
    if (!instance || !instance->bytes || !humanoid) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__instance_header *const header = (const void *)instance->bytes;
    if (!(header->flags & TRP__INSTANCE_HUMANOID)) {
        return TRP_ERROR_MISMATCH;
    }
    const float(*const limit_blocks)[6][TRP_BLOCK_LANES] =
        (const void *)(instance->bytes + trp__instance_limits_at(header, instance->index));
    const struct trp__humanoid *const stored =
        (const void *)(limit_blocks + header->limit_block_count);
    *humanoid = (trp_humanoid){
        .flags = stored->flags,
        .arm_stretch = stored->settings[0],
        .upper_arm_twist = stored->settings[1],
        .lower_arm_twist = stored->settings[2],
        .leg_stretch = stored->settings[3],
        .upper_leg_twist = stored->settings[4],
        .lower_leg_twist = stored->settings[5],
        .feet_spacing = stored->settings[6],
        .bind_hash = instance->bind_hash,
        .block_count = header->block_count,
        .limit_block_count = header->limit_block_count,
        .lane_of_part = stored->lane_of_part,
        .limits = (const void *)stored->limits,
        .block_of_limits = instance->id_of_bone + header->bone_count,
        .limit_blocks = (const void *)limit_blocks,
    };
    return TRP_OK;
}

uint16_t trp_humanoid_lane(const trp_humanoid *humanoid, uint32_t part)
{
    if (!humanoid || part >= TRP_HUMAN_PART_COUNT) {
        return TRP_NO_LANE;
    }
    const bool is_digitigrade = (humanoid->flags & TRP_HUMANOID_DIGITIGRADE) != 0;
    const bool has_jaw = (humanoid->flags & TRP_HUMANOID_NO_JAW) == 0;
    const bool is_foot = part == FOOT_L || part == FOOT_R;
    const bool is_toes = part == TOES_L || part == TOES_R;
    if ((is_digitigrade && is_toes) || (!has_jaw && part == TRP_HUMAN_JAW)) {
        return TRP_NO_LANE;
    }
    return humanoid->lane_of_part[is_digitigrade && is_foot ? part + 1 : part]; // toes follow feet
}

uint32_t trp_humanoid_part(const trp_humanoid *humanoid, uint32_t lane)
{
    for (uint32_t part = 0; lane != TRP_NO_LANE && part < TRP_HUMAN_PART_COUNT; part++) {
        if (trp_humanoid_lane(humanoid, part) == lane) {
            return part;
        }
    }
    return TRP_NONE;
}

/// Holds the first blocks of a pose to their limits.
static void hold(const trp_humanoid_args *args, uint32_t block_count, trp_pose_block *pose)
{
    const struct trp__kernels *const kernels = trp__kernels_active();
    const trp_humanoid *const humanoid = args->humanoid;
    for (uint32_t i = 0; i < humanoid->limit_block_count; i++) {
        const uint32_t block = humanoid->block_of_limits[i];
        if (block >= block_count) {
            return;
        }
        kernels->limit(humanoid->limit_blocks + (size_t)i * 6 * TRP_BLOCK_LANES,
                       &args->skeleton->rest[block], 1, &pose[block]);
    }
}

trp_result trp_humanoid_clamp(const trp_humanoid_args *args)
{
    if (!args || !args->humanoid || !args->skeleton || !args->humanoid->block_of_limits ||
        !trp__is_aligned(args->humanoid->limit_blocks, TRP_ALIGNMENT) ||
        !trp__is_aligned(args->skeleton->rest, TRP_ALIGNMENT) ||
        args->block_count > args->skeleton->block_count || (args->pose_count > 0 && !args->poses)) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->pose_count; i++) {
        if (!trp__is_aligned(args->poses[i], TRP_ALIGNMENT)) {
            return TRP_ERROR_ARGUMENT;
        }
    }
    if (args->humanoid->bind_hash != args->skeleton->bind_hash ||
        args->humanoid->block_count != args->skeleton->block_count) {
        return TRP_ERROR_MISMATCH;
    }
    const uint32_t block_count =
        args->block_count ? args->block_count : args->humanoid->block_count;
    for (uint32_t i = 0; i < args->pose_count; i++) {
        hold(args, block_count, args->poses[i]);
    }
    return TRP_OK;
}
