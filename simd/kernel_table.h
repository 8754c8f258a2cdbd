// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What every instruction set must offer: one table of kernels, all with the same bits as
// reference.c. The types here are plain memory; vector types stay inside kernel files.
#ifndef TROUPE_SIMD_KERNEL_TABLE_H
#define TROUPE_SIMD_KERNEL_TABLE_H

#include <troupe/blend.h>
#include <troupe/model.h>
#include <troupe/pose.h>

/// One component (x, y or z) of one path of one block, expanded from a segment's metadata:
/// value = base + scale * (float)(bits & mask), the bits taken as 32-bit words at their byte.
struct trp__channel {
    union {
        uint8_t shuffle[64]; ///< window 64: bytes of one 64-byte load; 16: of four 16-byte loads
        uint32_t lane_offset[16]; ///< window 4: byte in the row of each lane's 32-bit word
    };
    uint32_t mask[16]; ///< field in place: width bits, shifted by its bit within the byte
    float scale[16];   ///< step * 2^-shift, exact
    float base[16];    ///< offset + step * base
};

/// Values of trp__block_control::mode.
enum {
    TRP__BLOCK_RULE = 3, ///< which of the three below; 0: rotations are constant, in `mean`
    TRP__BLOCK_LERP = 1, ///< as TRP__RULE_LERP and so on
    TRP__BLOCK_NLERP = 2,
    TRP__BLOCK_CORRECTED = 3,
    TRP__BLOCK_FLIP = 4,
    TRP__BLOCK_TRANSLATION = 8, ///< translations are animated; else constant, in channel base
    TRP__BLOCK_SCALE = 16,
    TRP__BLOCK_HOLD = 32, ///< some lane of some path holds
};

/// Everything the sample kernel needs of one block.
struct trp__block_control {
    float mean[4][16];
    uint32_t window_offset[9][4]; ///< byte in the row of each load; window 64 uses [0] only
    uint32_t mode;
    uint16_t hold[3]; ///< lanes that hold, a path each
    uint16_t reserved[19];
    struct trp__channel channel[9]; ///< rotation x y z, translation x y z, scale x y z
};

/// Everything the sample kernel needs of 16 values. Those that do not move have width 0.
struct trp__value_control {
    uint32_t window_offset[4]; ///< as in struct trp__block_control
    uint32_t hold;             ///< values that hold
    uint32_t reserved[11];
    struct trp__channel channel;
};

/// Two rows and the place between them.
struct trp__sample_point {
    const uint8_t *row0; ///< 64 bytes past each row are readable
    const uint8_t *row1;
    float u;      ///< [0, 1]
    float u_hold; ///< 0 or 1, for lanes that hold
};

/// Lanes of a strip.
#define TRP__KEY_LANES 16

/// The same keyed values, of one group of tracks or a part of it, at up to 16 places: of several
/// instances, or of several groups that are laid out alike. Component c of rotation r is at
/// [c * rotation_stride + r], scalar s at [scalar_offset + s].
struct trp__key_strip {
    uint32_t lane_count;
    uint32_t is_sum; ///< a sum of four planes, with the weights below; else between two keys
    uint32_t rotation_count;
    uint32_t rotation_stride;
    uint32_t scalar_offset;
    uint32_t scalar_count;
    uint32_t out_stride;             ///< as rotation_stride, in `rotations`
    float u[TRP__KEY_LANES];         ///< not a sum: part of the way; 0: the value itself
    float weight[4][TRP__KEY_LANES]; ///< sum: of value0, leaving0, value1, arriving1
    const float *value0[TRP__KEY_LANES];
    const float *value1[TRP__KEY_LANES];
    const float *leaving0[TRP__KEY_LANES];  ///< sum: tangents or handles
    const float *arriving1[TRP__KEY_LANES]; ///< likewise
    float *rotations[TRP__KEY_LANES];       ///< [out] unit length; identity where without direction
    float *scalars[TRP__KEY_LANES];         ///< [out]
};

struct trp__kernels {
    trp_isa isa;
    uint32_t window; ///< 64, 16 or 4: which form of trp__channel the sample kernel reads

    /// Samples blocks [0, block_count) of one pose.
    void (*sample)(const struct trp__block_control *blocks, uint32_t block_count,
                   const struct trp__sample_point *point, trp_pose_block *pose);

    /// Samples 16 * block_count values, 64-byte aligned.
    void (*sample_values)(const struct trp__value_control *blocks, uint32_t block_count,
                          const struct trp__sample_point *point, float *values);

    /// Blends blocks [0, block_count) of one pose. `pose` may be one of the layers' poses. Weights
    /// come as the caller gave them, NaN and negative ones included.
    void (*blend)(const trp_blend_layer *layers, uint32_t layer_count, const trp_pose_block *rest,
                  uint32_t block_count, trp_pose_block *pose);

    /// Holds rotations of blocks [0, block_count) of one pose to their limits; see
    /// trp_humanoid_clamp. `limits`: [block_count][6][16], 64-byte aligned, no NaN.
    void (*limit)(const float *limits, const trp_pose_block *rest, uint32_t block_count,
                  trp_pose_block *pose);

    /// Evaluates keyed values; reads and writes nothing but what the strip names.
    void (*keyed)(const struct trp__key_strip *strip);

    /// Instances that `model` and `palette` take at once: the width of the instruction set.
    uint32_t group;

    /// Model matrices of `count` (1 to `group`) instances; see trp_model_args.
    void (*model)(const trp_skeleton *skeleton, const trp_pose_block *const *poses, uint32_t count,
                  uint32_t block_count, void *scratch, float *models, size_t stride_bytes);

    /// Palettes of `count` (1 to `group`) instances; see trp_palette_args.
    void (*palette)(const trp_skeleton *skeleton, const trp_skin *skin,
                    const trp_pose_block *const *poses, uint32_t count, uint32_t block_count,
                    uint32_t flags, void *scratch, float *palettes, size_t stride_bytes);
};

/// Returns the table in use; chooses it on the first call.
const struct trp__kernels *trp__kernels_active(void);

/// Returns the table of an instruction set, or null where build or processor lack it.
const struct trp__kernels *trp__kernels_of(trp_isa isa);

#endif
