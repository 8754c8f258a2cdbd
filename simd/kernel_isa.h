// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Which instruction set this translation unit is compiled for, and the names of its kernels. The
// build says so with one macro (-DTRP__ISA_AVX2 next to -mavx2 ...); without any, as in a plain
// `cc simd/*.c`, the compiler's own macros decide. Holds no vector types.
#ifndef TROUPE_SIMD_KERNEL_ISA_H
#define TROUPE_SIMD_KERNEL_ISA_H

#include "kernel_table.h"

#if !defined(TRP__ISA_PORTABLE) && !defined(TRP__ISA_SSE2) && !defined(TRP__ISA_SSE4) &&           \
    !defined(TRP__ISA_AVX2) && !defined(TRP__ISA_AVX512) && !defined(TRP__ISA_AVX512VBMI) &&       \
    !defined(TRP__ISA_NEON) && !defined(TRP__ISA_WASM128)
#if defined(__AVX512VBMI__) && defined(__AVX512BW__) && defined(__AVX512DQ__) &&                   \
    defined(__AVX512VL__)
#define TRP__ISA_AVX512VBMI
#elif defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TRP__ISA_AVX512
#elif defined(__AVX2__)
#define TRP__ISA_AVX2
#elif defined(__SSE4_1__) && defined(__SSSE3__)
#define TRP__ISA_SSE4
#elif defined(__SSE2__)
#define TRP__ISA_SSE2
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define TRP__ISA_NEON
#elif defined(__wasm_simd128__)
#define TRP__ISA_WASM128
#else
#define TRP__ISA_PORTABLE
#endif
#endif

// TRP__WIDTH: lanes of a wide vector. TRP__WINDOW: bytes of a row that one load brings, see
// struct trp__channel; 4 where no instruction shuffles bytes by a variable pattern.
#if defined(TRP__ISA_PORTABLE)
#define TRP__ISA TRP_ISA_PORTABLE
#define TRP__KERNEL(name) trp__portable_##name
#define TRP__WIDTH 4
#define TRP__WINDOW 4
#elif defined(TRP__ISA_SSE2)
#define TRP__ISA TRP_ISA_SSE2
#define TRP__KERNEL(name) trp__sse2_##name
#define TRP__WIDTH 4
#define TRP__WINDOW 4
#elif defined(TRP__ISA_SSE4)
#define TRP__ISA TRP_ISA_SSE4
#define TRP__KERNEL(name) trp__sse4_##name
#define TRP__WIDTH 4
#define TRP__WINDOW 16
#elif defined(TRP__ISA_AVX2)
#define TRP__ISA TRP_ISA_AVX2
#define TRP__KERNEL(name) trp__avx2_##name
#define TRP__WIDTH 8
#define TRP__WINDOW 16
#elif defined(TRP__ISA_AVX512)
#define TRP__ISA TRP_ISA_AVX512
#define TRP__KERNEL(name) trp__avx512_##name
#define TRP__WIDTH 16
#define TRP__WINDOW 16
#elif defined(TRP__ISA_AVX512VBMI)
#define TRP__ISA TRP_ISA_AVX512VBMI
#define TRP__KERNEL(name) trp__avx512vbmi_##name
#define TRP__WIDTH 16
#define TRP__WINDOW 64
#elif defined(TRP__ISA_NEON)
#define TRP__ISA TRP_ISA_NEON
#define TRP__KERNEL(name) trp__neon_##name
#define TRP__WIDTH 4
#define TRP__WINDOW 16
#elif defined(TRP__ISA_WASM128)
#define TRP__ISA TRP_ISA_WASM128
#define TRP__KERNEL(name) trp__wasm128_##name
#define TRP__WIDTH 4
#define TRP__WINDOW 16
#endif

#if defined(__FAST_MATH__)
#error "Troupe gives the same bits everywhere; -ffast-math does not"
#endif

// The kernels of this instruction set, a file each; kernels.c puts them into the table.

void TRP__KERNEL(sample)(const struct trp__block_control *blocks, uint32_t block_count,
                         const struct trp__sample_point *point, trp_pose_block *pose);

void TRP__KERNEL(sample_values)(const struct trp__value_control *blocks, uint32_t block_count,
                                const struct trp__sample_point *point, float *values);

void TRP__KERNEL(blend)(const trp_blend_layer *layers, uint32_t layer_count,
                        const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose);

void TRP__KERNEL(limit)(const float *limits, const trp_pose_block *rest, uint32_t block_count,
                        trp_pose_block *pose);

void TRP__KERNEL(keyed)(const struct trp__key_strip *strip);

void TRP__KERNEL(model)(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                        uint32_t count, uint32_t block_count, void *scratch, float *models,
                        size_t stride_bytes);

void TRP__KERNEL(palette)(const trp_skeleton *skeleton, const trp_skin *skin,
                          const trp_pose_block *const *poses, uint32_t count, uint32_t block_count,
                          uint32_t flags, void *scratch, float *palettes, size_t stride_bytes);

extern const struct trp__kernels TRP__KERNEL(kernels);

#endif
