// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <string.h>
#include <troupe/pose.h>
#include <troupe/skeleton.h>

size_t trp_pose_bytes(uint32_t block_count)
{
    return sizeof(trp_pose_block) * block_count;
}

trp_result trp_pose_rest(const trp_skeleton *skeleton, trp_pose_block *pose)
{
    if (!skeleton || !trp__is_aligned(pose, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    memcpy(pose, skeleton->rest, trp_pose_bytes(skeleton->block_count));
    return TRP_OK;
}

static void write_identity(trp_pose_block *pose, uint32_t block_count)
{
    memset(pose, 0, trp_pose_bytes(block_count));
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            pose[block].rotation[3][lane] = 1.0f;
            pose[block].scale[0][lane] = 1.0f;
            pose[block].scale[1][lane] = 1.0f;
            pose[block].scale[2][lane] = 1.0f;
        }
    }
}

trp_result trp_pose_identity(trp_pose_block *pose, uint32_t block_count)
{
    if (!trp__is_aligned(pose, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    write_identity(pose, block_count);
    return TRP_OK;
}

/// Returns the spacing of an array of joint transforms, or 0 where it cannot be one.
static size_t joint_stride(const trp_skeleton *skeleton, const trp_joint_transform *joints,
                           size_t stride_bytes)
{
    const size_t stride = stride_bytes ? stride_bytes : sizeof(trp_joint_transform);
    if (!trp__is_aligned(joints, sizeof(float)) || stride % sizeof(float) != 0 ||
        !trp__is_spaced(skeleton->joint_count, sizeof(trp_joint_transform), stride)) {
        return 0;
    }
    return stride;
}

trp_result trp_pose_from_joints(const trp_skeleton *skeleton, const trp_joint_transform *joints,
                                size_t stride_bytes, trp_pose_block *pose)
{
    if (!skeleton || !trp__is_aligned(pose, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    const size_t stride = joint_stride(skeleton, joints, stride_bytes);
    if (stride == 0) {
        return TRP_ERROR_ARGUMENT;
    }

    write_identity(pose, skeleton->block_count);
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        const trp_joint_transform *from =
            (const trp_joint_transform *)((const char *)joints + stride * joint);
        const uint32_t lane = skeleton->lane_of_joint[joint];
        trp_pose_block *block = &pose[lane / TRP_BLOCK_LANES];
        const uint32_t column = lane % TRP_BLOCK_LANES;
        for (uint32_t i = 0; i < 3; i++) {
            block->translation[i][column] = from->translation[i];
            block->scale[i][column] = from->scale[i];
        }
        for (uint32_t i = 0; i < 4; i++) {
            block->rotation[i][column] = from->rotation[i];
        }
    }
    return TRP_OK;
}

trp_result trp_pose_to_joints(const trp_skeleton *skeleton, const trp_pose_block *pose,
                              size_t stride_bytes, trp_joint_transform *joints)
{
    if (!skeleton || !trp__is_aligned(pose, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    const size_t stride = joint_stride(skeleton, joints, stride_bytes);
    if (stride == 0) {
        return TRP_ERROR_ARGUMENT;
    }

    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        trp_joint_transform *to = (trp_joint_transform *)((char *)joints + stride * joint);
        const uint32_t lane = skeleton->lane_of_joint[joint];
        const trp_pose_block *block = &pose[lane / TRP_BLOCK_LANES];
        const uint32_t column = lane % TRP_BLOCK_LANES;
        for (uint32_t i = 0; i < 3; i++) {
            to->translation[i] = block->translation[i][column];
            to->scale[i] = block->scale[i][column];
        }
        for (uint32_t i = 0; i < 4; i++) {
            to->rotation[i] = block->rotation[i][column];
        }
    }
    return TRP_OK;
}

int trp_pose_is_finite(const trp_pose_block *pose, uint32_t block_count)
{
    const uint32_t exponent = 0x7F800000u;
    const unsigned char *bytes = (const unsigned char *)pose;
    if (!pose) {
        return 0;
    }
    for (size_t i = 0; i < trp_pose_bytes(block_count); i += sizeof(uint32_t)) {
        uint32_t bits;
        memcpy(&bits, bytes + i, sizeof bits);
        if ((bits & exponent) == exponent) {
            return 0;
        }
    }
    return 1;
}
