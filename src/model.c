// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "../simd/kernel_table.h"
#include "../simd/matrix.h"
#include "arguments.h"
#include "format.h"

#define MATRIX_BYTES (12 * sizeof(float))

static bool are_poses_valid(const trp_pose_block *const *poses, uint32_t count)
{
    if (!poses) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!trp__is_aligned(poses[i], TRP_ALIGNMENT)) {
            return false;
        }
    }
    return true;
}

/// Says whether an array of matrices can be written as told.
static bool is_output_valid(const float *matrices, uint32_t count, size_t instance_bytes,
                            size_t stride_bytes)
{
    return trp__is_aligned(matrices, 16) && stride_bytes % 16 == 0 &&
           trp__is_spaced(count, instance_bytes, stride_bytes);
}

/// Any kernel holds a matrix of up to 16 instances for each lane, and one more for the root.
static size_t scratch_bytes(const trp_skeleton *skeleton)
{
    return skeleton ? TRP_BLOCK_LANES * MATRIX_BYTES * ((size_t)skeleton->lane_count + 1) : 0;
}

static float *output_of(float *matrices, size_t stride_bytes, uint32_t instance)
{
    return (float *)((char *)matrices + stride_bytes * instance);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

size_t trp_model_scratch_bytes(const trp_skeleton *skeleton)
{
    return scratch_bytes(skeleton);
}

size_t trp_palette_scratch_bytes(const trp_skeleton *skeleton)
{
    return scratch_bytes(skeleton);
}

trp_result trp_model(const trp_model_args *args)
{
    if (!args || !args->skeleton || args->block_count > args->skeleton->block_count) {
        return TRP_ERROR_ARGUMENT;
    }
    if (args->instance_count == 0) {
        return TRP_OK;
    }
    const trp_skeleton *skeleton = args->skeleton;
    const uint32_t count = args->instance_count;
    const uint32_t block_count = args->block_count ? args->block_count : skeleton->block_count;
    const size_t model_bytes = MATRIX_BYTES * TRP_BLOCK_LANES * block_count;
    const size_t stride = args->stride_bytes ? args->stride_bytes : model_bytes;
    if (!are_poses_valid(args->poses, count) ||
        !is_output_valid(args->models, count, model_bytes, stride) ||
        !trp__is_aligned(args->scratch, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (args->scratch_bytes < scratch_bytes(skeleton)) {
        return TRP_ERROR_CAPACITY;
    }

    const struct trp__kernels *kernels = trp__kernels_active();
    for (uint32_t first = 0; first < count;) {
        const uint32_t group = least(kernels->group, count - first);
        kernels->model(skeleton, args->poses + first, group, block_count, args->scratch,
                       output_of(args->models, stride, first), stride);
        first += group;
    }
    return TRP_OK;
}

/// Skins know their skeleton only by its index in a pack: one of another pack may name lanes that
/// this skeleton does not have.
static bool does_skin_fit(const trp_skin *skin, const trp_skeleton *skeleton)
{
    uint32_t is_outside = 0;
    for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
        is_outside |= skin->lane_of_entry[entry] >= skeleton->lane_count;
    }
    return skin->skeleton_index == skeleton->index && !is_outside;
}

trp_result trp_palette(const trp_palette_args *args)
{
    if (!args || !args->skeleton || !args->skin ||
        args->block_count > args->skeleton->block_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const trp_skeleton *skeleton = args->skeleton;
    const trp_skin *skin = args->skin;
    if (!does_skin_fit(skin, skeleton)) {
        return TRP_ERROR_MISMATCH;
    }
    if (args->instance_count == 0) {
        return TRP_OK;
    }
    const uint32_t count = args->instance_count;
    const uint32_t block_count = args->block_count ? args->block_count : skeleton->block_count;
    const size_t palette_bytes = MATRIX_BYTES * skin->joint_count;
    const size_t stride = args->stride_bytes ? args->stride_bytes : palette_bytes;
    if (!are_poses_valid(args->poses, count) ||
        !is_output_valid(args->palettes, count, palette_bytes, stride) ||
        !trp__is_aligned(args->scratch, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (args->scratch_bytes < scratch_bytes(skeleton)) {
        return TRP_ERROR_CAPACITY;
    }

    const struct trp__kernels *kernels = trp__kernels_active();
    for (uint32_t first = 0; first < count;) {
        const uint32_t group = least(kernels->group, count - first);
        kernels->palette(skeleton, skin, args->poses + first, group, block_count, args->flags,
                         args->scratch, output_of(args->palettes, stride, first), stride);
        first += group;
    }
    return TRP_OK;
}

trp_result trp_model_joint(const trp_skeleton *skeleton, const trp_pose_block *pose, uint32_t joint,
                           float model[12])
{
    if (!skeleton || joint >= skeleton->joint_count || !trp__is_aligned(pose, TRP_ALIGNMENT) ||
        !model) {
        return TRP_ERROR_ARGUMENT;
    }
    uint16_t chain[TRP__MAX_DEPTH];
    uint32_t depth = 0;
    uint16_t lane = skeleton->lane_of_joint[joint];
    while (lane != TRP_NO_LANE) {
        if (depth == TRP__MAX_DEPTH) {
            return TRP_ERROR_ARGUMENT;
        }
        chain[depth++] = lane;
        lane = skeleton->parent_of_lane[lane];
    }

    float total[12];
    memcpy(total, skeleton->root_transform, sizeof total);
    while (depth > 0) {
        const uint32_t next = chain[--depth];
        float parent[12];
        float local[12];
        memcpy(parent, total, sizeof parent);
        trp__matrix_from_lane(&pose[next / TRP_BLOCK_LANES], next % TRP_BLOCK_LANES, local);
        trp__matrix_multiply(parent, local, total);
    }
    memcpy(model, total, sizeof total);
    return TRP_OK;
}
