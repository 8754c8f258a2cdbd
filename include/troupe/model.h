// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// From local poses to model space: matrices of every joint, and the skinning palettes that meshes
// need. Matrices are 3x4, row-major, 12 floats: model_from_joint = model_from_parent *
// parent_from_joint, with the skeleton's root transform above all roots.
#ifndef TROUPE_MODEL_H
#define TROUPE_MODEL_H

#include <troupe/skeleton.h>

/// Bits of trp_palette_args::flags.
enum {
    TRP_PALETTE_STREAM = 1u << 0, ///< non-temporal stores: faster where only a GPU reads the result
};

/// Model matrices of a batch of instances of one skeleton. Zero means default in every field.
typedef struct trp_model_args {
    const trp_skeleton *skeleton;
    const trp_pose_block *const *poses; ///< [instance_count], each 64-byte aligned
    uint32_t instance_count;
    uint32_t block_count; ///< blocks to compute, 0 = all
    float *models;        ///< [out] per instance 12 floats a lane, in lane order, 16-byte aligned
    size_t stride_bytes;  ///< from one instance to the next, a multiple of 16; 0 = 768 a block
    void *scratch;        ///< 64-byte aligned
    size_t scratch_bytes;
} trp_model_args;

/// Skinning palettes of a batch of instances. Zero means default in every field.
typedef struct trp_palette_args {
    const trp_skeleton *skeleton;
    const trp_skin *skin;
    const trp_pose_block *const *poses; ///< [instance_count], each 64-byte aligned
    uint32_t instance_count;
    uint32_t block_count; ///< blocks read from the poses, 0 = all; joints beyond keep their rest
    uint32_t flags;       ///< TRP_PALETTE_*
    float *palettes;      ///< [out] per instance 12 floats an entry, 16-byte aligned
    size_t stride_bytes;  ///< from one instance to the next, a multiple of 16; 0 = 48 an entry
    void *scratch;        ///< 64-byte aligned
    size_t scratch_bytes;
} trp_palette_args;

/// Returns the scratch bytes of trp_model for a skeleton, whatever the number of instances.
TRP_API size_t trp_model_scratch_bytes(const trp_skeleton *skeleton);

/// Returns the scratch bytes of trp_palette for a skeleton, whatever the number of instances.
TRP_API size_t trp_palette_scratch_bytes(const trp_skeleton *skeleton);

/// Computes the model matrix of every lane (identity under the root transform where a lane holds
/// no joint).
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_CAPACITY. On error nothing is written.
/// Cost: O(instances * lanes). Any batch size gives the same bits.
/// Threads: any number may share skeleton and poses; output and scratch are exclusive.
TRP_API trp_result trp_model(const trp_model_args *args);

/// Computes the palette of a skin: model_from_joint * joint_from_mesh for each of its entries.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_CAPACITY, TRP_ERROR_MISMATCH (skin of another
///         skeleton). On error nothing is written.
/// Cost: O(instances * lanes). Any batch size gives the same bits. Threads: as trp_model.
TRP_API trp_result trp_palette(const trp_palette_args *args);

/// Computes the model matrix of one joint alone, with the bits that trp_model would give.
/// @param pose  skeleton->block_count blocks, 64-byte aligned
/// @param joint [0, joint_count)
/// @param model [out] 12 floats
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `model` is untouched.
/// Cost: O(depth of the joint). Threads: any.
TRP_API trp_result trp_model_joint(const trp_skeleton *skeleton, const trp_pose_block *pose,
                                   uint32_t joint, float model[12]);

#endif
