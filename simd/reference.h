// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The reference kernels, one reference_<operation>.c each. See struct trp__kernels.
#ifndef TROUPE_SIMD_REFERENCE_H
#define TROUPE_SIMD_REFERENCE_H

#include "kernel_table.h"

void trp__reference_sample(const struct trp__block_control *blocks, uint32_t block_count,
                           const struct trp__sample_point *point, trp_pose_block *pose);

void trp__reference_blend(const trp_blend_layer *layers, uint32_t layer_count,
                          const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose);

void trp__reference_model(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                          uint32_t count, uint32_t block_count, void *scratch, float *models,
                          size_t stride_bytes);

void trp__reference_palette(const trp_skeleton *skeleton, const trp_skin *skin,
                            const trp_pose_block *const *poses, uint32_t count,
                            uint32_t block_count, uint32_t flags, void *scratch, float *palettes,
                            size_t stride_bytes);

extern const struct trp__kernels trp__reference_kernels;

#endif
