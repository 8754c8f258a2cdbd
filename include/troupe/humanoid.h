// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Humanoids: which joint of an instance is which part of a human body, how far parts may turn, and
// a pass that holds poses to that. Nothing is held unless the pass is called.
#ifndef TROUPE_HUMANOID_H
#define TROUPE_HUMANOID_H

#include <troupe/instance.h>

/// Parts of a body. Values never change.
typedef enum trp_human_part {
    TRP_HUMAN_HIP = 0,
    TRP_HUMAN_SPINE = 1,
    TRP_HUMAN_CHEST = 2,
    TRP_HUMAN_UPPER_CHEST = 3,
    TRP_HUMAN_NECK = 4,
    TRP_HUMAN_HEAD = 5,
    TRP_HUMAN_JAW = 6,
    TRP_HUMAN_EYE_L = 7,
    TRP_HUMAN_EYE_R = 8,
    TRP_HUMAN_SHOULDER_L = 9, ///< and so on: left side 9 to 31, right side 32 to 54, each in the
                              ///< order shoulder, upper_arm, lower_arm, wrist, thumb_1 2 3, index_1
                              ///< 2 3, middle_1 2 3, ring_1 2 3, little_1 2 3, upper_leg,
                              ///< lower_leg, foot, toes
    TRP_HUMAN_SHOULDER_R = 32,
    TRP_HUMAN_PART_COUNT = 55,
} trp_human_part;

/// Returns the name of a part ("upper_arm.l"), or null when out of range.
TRP_API const char *trp_human_part_name(uint32_t part);

/// Returns the part of a name, or TRP_NONE.
/// Cost: O(parts). Threads: any.
TRP_API uint32_t trp_human_part_find(const char *name);

/// Bits of trp_humanoid::flags.
enum {
    TRP_HUMANOID_DIGITIGRADE = 1u << 0,     ///< stands on its toes
    TRP_HUMANOID_NO_JAW = 1u << 1,          ///< what is mapped as jaw is none
    TRP_HUMANOID_USE_TRANSLATION = 1u << 2, ///< parts may also move
};

/// Limits of one part, in radians about the axes of the bone, which lies along its +Y.
typedef struct trp_human_limits {
    uint32_t axes;      ///< bit 0: primary, 1: secondary, 2: twist are limited
    float primary[3];   ///< smallest, centre, largest turn about X
    float secondary[3]; ///< about Z
    float twist[3];     ///< about Y
} trp_human_limits;

/// The humanoid of an instance. Filled by trp_instance_humanoid; treat as read-only.
typedef struct trp_humanoid {
    uint32_t flags; ///< TRP_HUMANOID_*
    float arm_stretch;
    float upper_arm_twist;
    float lower_arm_twist;
    float leg_stretch;
    float upper_leg_twist;
    float lower_leg_twist;
    float feet_spacing;
    uint64_t bind_hash;              ///< of the skeleton of its instance
    uint32_t block_count;            ///< of that skeleton
    uint32_t limit_block_count;      ///< blocks with limits in them
    const uint16_t *lane_of_part;    ///< [TRP_HUMAN_PART_COUNT] as the file maps it, or TRP_NO_LANE
    const trp_human_limits *limits;  ///< [TRP_HUMAN_PART_COUNT]
    const uint32_t *block_of_limits; ///< [limit_block_count] ascending, below block_count
    const float *limit_blocks;       ///< [limit_block_count][6][16] for trp_humanoid_clamp
} trp_humanoid;

/// Fills a view of the humanoid of an instance.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (its armature is no humanoid). On error
///         `humanoid` is untouched.
/// Cost: O(1). Threads: any number may share `instance`.
TRP_API trp_result trp_instance_humanoid(const trp_instance *instance, trp_humanoid *humanoid);

/// Returns the lane that plays a part, or TRP_NO_LANE: as the file maps it, but the jaw of NO_JAW
/// plays none, and where the body is DIGITIGRADE the toes play the feet and nothing plays the toes.
/// Cost: O(1). Threads: any.
TRP_API uint16_t trp_humanoid_lane(const trp_humanoid *humanoid, uint32_t part);

/// Returns the part that a lane plays, or TRP_NONE; the inverse of trp_humanoid_lane.
/// Cost: O(parts). Threads: any.
TRP_API uint32_t trp_humanoid_part(const trp_humanoid *humanoid, uint32_t lane);

/// Poses to hold to limits. Zero means default in every field.
typedef struct trp_humanoid_args {
    const trp_humanoid *humanoid;
    const trp_skeleton *skeleton; ///< of the instance: turns are measured from its rest pose
    trp_pose_block *const *poses; ///< [pose_count] in,out, 64-byte aligned
    uint32_t pose_count;
    uint32_t block_count; ///< blocks of each pose, 0 = all
} trp_humanoid_args;

/// Holds local rotations to the limits of their parts. With d = conj(rest) * q = swing * twist,
/// twist about +Y and swing about an axis of the XZ plane, w of both not negative: tan of half the
/// twist, and x / w and z / w of the swing, are held between the tangents of half the limits. So a
/// turn about one axis alone stops exactly at its limit. What is inside its limits, and lanes
/// without any, keep every bit. Translation and scale stay.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (`skeleton` is not like that of the
/// humanoid's
///         instance). On error no pose is touched.
/// Cost: one read and write of rotations in blocks with limits; no allocation. Lanes: elementwise.
/// Threads: poses are exclusive.
/// Source: src/FORMAT.md, "Limits".
TRP_API trp_result trp_humanoid_clamp(const trp_humanoid_args *args);

#endif
