// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The reference kernels, one reference_<operation>.c each. See struct trp__kernels.
#ifndef TROUPE_SIMD_REFERENCE_H
#define TROUPE_SIMD_REFERENCE_H

#include <string.h>

#include "kernel_table.h"

void trp__reference_sample(const struct trp__block_control *blocks, uint32_t block_count,
                           const struct trp__sample_point *point, trp_pose_block *pose);

void trp__reference_sample_values(const struct trp__value_control *blocks, uint32_t block_count,
                                  const struct trp__sample_point *point, float *values);

void trp__reference_blend(const trp_blend_layer *layers, uint32_t layer_count,
                          const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose);

void trp__reference_limit(const float *limits, const trp_pose_block *rest, uint32_t block_count,
                          trp_pose_block *pose);

void trp__reference_keyed(const struct trp__key_strip *strip);

void trp__reference_model(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                          uint32_t count, uint32_t block_count, void *scratch, float *models,
                          size_t stride_bytes);

void trp__reference_palette(const trp_skeleton *skeleton, const trp_skin *skin,
                            const trp_pose_block *const *poses, uint32_t count,
                            uint32_t block_count, uint32_t flags, void *scratch, float *palettes,
                            size_t stride_bytes);

extern const struct trp__kernels trp__reference_kernels;

/// Returns the correctly rounded square root of a positive normal number or infinity, without
/// libm and whatever the compiler's flags.
static inline float trp__reference_sqrt(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = bits >> 23; // 127 + e, value = mantissa * 2^(e - 23)
    if (exponent == 0xFF) {
        return value;
    }
    const uint64_t mantissa = (bits & 0x7FFFFF) | 0x800000;
    const uint64_t square = mantissa << (exponent % 2 ? 23 : 24); // of the root's 24 bits
    uint64_t root = 0;
    for (uint64_t bit = 0x800000; bit != 0; bit >>= 1) {
        const uint64_t candidate = root | bit;
        root = candidate * candidate <= square ? candidate : root;
    }
    root += square - root * root > root; // there are no ties
    const uint32_t scale_bits = ((exponent + 127) / 2 - 23) << 23;
    float scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    return (float)root * scale;
}

#endif
