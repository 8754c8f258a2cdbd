// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Local poses: the translation, rotation and scale of every joint against its parent, as planar
// blocks of 16 lanes. A pose is an array of blocks in the caller's memory and nothing else.
#ifndef TROUPE_POSE_H
#define TROUPE_POSE_H

#include <troupe/base.h>

struct trp_skeleton;

/// Sixteen joints of a local pose: quaternion x y z w, translation in source units, scale.
/// Lanes without a joint hold the identity. 640 bytes; keep it 64-byte aligned.
typedef struct trp_pose_block {
    float rotation[4][TRP_BLOCK_LANES];
    float translation[3][TRP_BLOCK_LANES];
    float scale[3][TRP_BLOCK_LANES];
} trp_pose_block;

/// The local transform of one joint, as most engines keep it.
typedef struct trp_joint_transform {
    float translation[3];
    float rotation[4]; ///< x y z w
    float scale[3];
} trp_joint_transform;

/// Returns the bytes of a pose of `block_count` blocks.
TRP_API size_t trp_pose_bytes(uint32_t block_count);

/// Writes the rest pose of a skeleton.
/// @param pose [out] skeleton->block_count blocks, 64-byte aligned
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `pose` is untouched.
/// Cost: one copy. Threads: any number may share `skeleton`; `pose` is exclusive.
TRP_API trp_result trp_pose_rest(const struct trp_skeleton *skeleton, trp_pose_block *pose);

/// Writes the identity into every lane.
/// @param pose [out] `block_count` blocks, 64-byte aligned
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `pose` is untouched.
TRP_API trp_result trp_pose_identity(trp_pose_block *pose, uint32_t block_count);

/// Gathers a pose from an array of joint transforms in joint order.
/// @param joints       joint_count transforms; joint `i` lies `i * stride_bytes` further on
/// @param stride_bytes at least sizeof(trp_joint_transform), a multiple of 4; 0 means exactly that
/// @param pose         [out] skeleton->block_count blocks, 64-byte aligned; free lanes get identity
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `pose` is untouched.
/// Cost: O(joints). Threads: as trp_pose_rest. Values are copied as they are, never normalised.
TRP_API trp_result trp_pose_from_joints(const struct trp_skeleton *skeleton,
                                        const trp_joint_transform *joints, size_t stride_bytes,
                                        trp_pose_block *pose);

/// Scatters a pose into an array of joint transforms in joint order; inverse of
/// trp_pose_from_joints, bit for bit.
/// @param joints [out] joint_count transforms, spaced as in trp_pose_from_joints
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `joints` is untouched.
TRP_API trp_result trp_pose_to_joints(const struct trp_skeleton *skeleton,
                                      const trp_pose_block *pose, size_t stride_bytes,
                                      trp_joint_transform *joints);

/// Returns 1 where every value of a pose is finite, else 0 (also for a null pose).
/// Cost: O(blocks). Threads: any. For poses that the caller has written.
TRP_API int trp_pose_is_finite(const trp_pose_block *pose, uint32_t block_count);

#endif
