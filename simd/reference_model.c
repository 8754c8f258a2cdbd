// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Model matrices and palettes in plain C, one instance and one lane at a time.
#include "matrix.h"
#include "reference.h"

#include <string.h>

/// Computes the model matrices of lanes [0, 16 * block_count). `pose` holds the first
/// `pose_block_count` blocks; lanes beyond keep their rest.
static void instance_models(const trp_skeleton *skeleton, const trp_pose_block *pose,
                            uint32_t pose_block_count, uint32_t block_count, float (*models)[12])
{
    for (uint32_t lane = 0; lane < block_count * TRP_BLOCK_LANES; lane++) {
        const uint32_t block = lane / TRP_BLOCK_LANES;
        const uint16_t parent = skeleton->parent_of_lane[lane];
        float local[12];
        if (skeleton->joint_of_lane[lane] == TRP_NO_LANE) {
            memcpy(models[lane], skeleton->root_transform, sizeof models[lane]);
            continue;
        }
        trp__matrix_from_lane(block < pose_block_count ? &pose[block] : &skeleton->rest[block],
                              lane % TRP_BLOCK_LANES, local);
        trp__matrix_multiply(parent == TRP_NO_LANE ? skeleton->root_transform : models[parent],
                             local, models[lane]);
    }
}

static float *instance_output(float *base, size_t stride_bytes, uint32_t instance)
{
    return (float *)((char *)base + stride_bytes * instance);
}

void trp__reference_model(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                          uint32_t count, uint32_t block_count, void *scratch, float *models,
                          size_t stride_bytes)
{
    float(*model_of_lane)[12] = scratch;
    for (uint32_t instance = 0; instance < count; instance++) {
        instance_models(skeleton, poses[instance], block_count, block_count, model_of_lane);
        memcpy(instance_output(models, stride_bytes, instance), model_of_lane,
               sizeof *model_of_lane * TRP_BLOCK_LANES * block_count);
    }
}

void trp__reference_palette(const trp_skeleton *skeleton, const trp_skin *skin,
                            const trp_pose_block *const *poses, uint32_t count,
                            uint32_t block_count, uint32_t flags, void *scratch, float *palettes,
                            size_t stride_bytes)
{
    (void)flags;
    float(*model_of_lane)[12] = scratch;
    for (uint32_t instance = 0; instance < count; instance++) {
        instance_models(skeleton, poses[instance], block_count, skeleton->block_count,
                        model_of_lane);
        float *palette = instance_output(palettes, stride_bytes, instance);
        for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
            trp__matrix_multiply(model_of_lane[skin->lane_of_entry[entry]],
                                 skin->inverse_bind[entry], palette + 12 * (size_t)entry);
        }
    }
}
