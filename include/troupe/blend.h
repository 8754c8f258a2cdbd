// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blending local poses: a weighted average of any number of layers, then additive layers on top.
// Blending knows no time and no clips.
#ifndef TROUPE_BLEND_H
#define TROUPE_BLEND_H

#include <troupe/skeleton.h>

/// How a layer joins the result.
typedef enum trp_blend_mode {
    TRP_BLEND_AVERAGE = 0,  ///< shares in the weighted average
    TRP_BLEND_ADD = 1,      ///< a difference (from an additive clip) put on top
    TRP_BLEND_SUBTRACT = 2, ///< the same difference taken away again
} trp_blend_mode;

/// One layer of a blend.
typedef struct trp_blend_layer {
    const trp_pose_block *pose; ///< 64-byte aligned
    const float *mask;          ///< 16 floats a block, weight of each lane; null = 1 everywhere
    float weight;               ///< NaN and negative count as 0
    trp_blend_mode mode;
} trp_blend_layer;

/// One pose to make.
typedef struct trp_blend_job {
    const trp_blend_layer *layers;
    uint32_t layer_count; ///< 0 gives the rest pose
    trp_pose_block *pose; ///< [out] 64-byte aligned; may be the pose of one of its own layers
} trp_blend_job;

/// A batch of blends over one skeleton. Zero means default in every field.
typedef struct trp_blend_args {
    const trp_skeleton *skeleton;
    const trp_blend_job *jobs;
    uint32_t job_count;
    uint32_t block_count; ///< blocks of each pose to blend, 0 = all
} trp_blend_args;

/// What a batch met that was not as it should be.
typedef struct trp_blend_report {
    uint32_t bad_weight_count; ///< layer weights that were NaN or negative, taken as 0
} trp_blend_report;

/// Blends a batch of poses.
/// Per lane, with w = weight * mask (a mask value that is NaN or negative counts as 0): averaged
/// layers give sum(w x) / sum(w), rotations aligned to the hemisphere of the layer with the
/// largest w (the first of equals) and normalised, their sign chosen towards the rest rotation;
/// rest where sum(w) is 0. Then every other layer in order: q = q * d, t = t + w dt,
/// s = s (1 + w (ds - 1)), with d = nlerp(identity, delta, w) the short way; subtracting is the
/// inverse, and gives 0 where a scale would be divided by 0.
/// Only the ratio of averaged weights counts, however small they are; above 2^60 they count as
/// 2^60. One averaged layer alone keeps its translations and scales bit for bit. Rotations that are
/// not of unit length pull in proportion; where the sum has no length (or is NaN) the rest rotation
/// stands in, and an additive rotation without length changes nothing. Layers of weight 0 are not
/// read; a NaN in a pose stays in its lane.
/// @param report [out] may be null
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error no pose is written.
/// Cost: one read of each layer and one write. Lanes: elementwise. Swapping averaged layers
/// changes a value by at most 1e-6 of the largest input as long as the rotations of a lane lie
/// within a quarter turn of the heaviest one.
/// Threads: any number may share layers; output poses are exclusive.
TRP_API trp_result trp_blend(const trp_blend_args *args, trp_blend_report *report);

#endif
