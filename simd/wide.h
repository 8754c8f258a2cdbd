// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Vectors of TRP__WIDTH lanes (4, 8 or 16) over SIMDe, for kernel files only: `wf` floats, `wi`
// 32-bit integers, `wm` lane masks, `wq` four floats, one 128-bit group of a `wf`. Never in a
// struct in memory, never across translation units. Only operations that give the same bits on
// every instruction set are offered: no fused multiply-add, no reciprocal estimates, no rounding
// of floats to integers.
#ifndef TROUPE_SIMD_WIDE_H
#define TROUPE_SIMD_WIDE_H

#include <string.h>

#include "kernel_isa.h"

#if defined(TRP__ISA_PORTABLE) && !defined(SIMDE_NO_NATIVE)
#define SIMDE_NO_NATIVE
#endif
#if TRP__WIDTH == 16
#if !defined(__AVX512F__)
#error "16 lanes need -mavx512f -mavx512vl -mavx512dq -mavx512bw"
#endif
#include <immintrin.h> // SIMDe 0.7.4 lacks half of what is needed of AVX-512
#elif TRP__WIDTH == 8
#include <simde/x86/avx2.h>
#endif
#include <simde/x86/sse4.1.h>

#if defined(__GNUC__)
#define TRP__INLINE static inline __attribute__((always_inline, unused))
#else
#define TRP__INLINE static inline
#endif

#define TRP__GROUPS (TRP__WIDTH / 4) ///< 128-bit groups of a vector

// -- Four floats ---------------------------------------------------------------------------------

typedef simde__m128 wq;

TRP__INLINE wq wq_load(const float *at) // 16-byte aligned
{
    return simde_mm_load_ps(at);
}

TRP__INLINE wq wq_loadu(const float *at)
{
    return simde_mm_loadu_ps(at);
}

TRP__INLINE void wq_store(float *at, wq a) // 16-byte aligned
{
    simde_mm_store_ps(at, a);
}

TRP__INLINE void wq_storeu(float *at, wq a)
{
    simde_mm_storeu_ps(at, a);
}

/// Stores past the caches; 16-byte aligned. Follow the last one with wide_stream_fence.
TRP__INLINE void wq_stream(float *at, wq a)
{
    simde_mm_stream_ps(at, a);
}

TRP__INLINE void wide_stream_fence(void)
{
    simde_mm_sfence();
}

// -- TRP__WIDTH lanes ----------------------------------------------------------------------------
// Loads and stores without `u` are aligned to the vector. select(m, a, b) is m ? a : b,
// negate(m, a) is m ? -a : a.
// max(a, b) is a > b ? a : b and min(a, b) is a < b ? a : b, so that NaN gives b.

// A line each, so that the three widths can be compared.

// clang-format off

#if TRP__WIDTH == 4

typedef simde__m128 wf;
typedef simde__m128i wi;
typedef simde__m128 wm;

TRP__INLINE wf wf_load(const float *at) { return simde_mm_load_ps(at); }
TRP__INLINE wf wf_loadu(const float *at) { return simde_mm_loadu_ps(at); }
TRP__INLINE void wf_store(float *at, wf a) { simde_mm_store_ps(at, a); }
TRP__INLINE void wf_storeu(float *at, wf a) { simde_mm_storeu_ps(at, a); }
TRP__INLINE wf wf_set1(float a) { return simde_mm_set1_ps(a); }
TRP__INLINE wf wf_zero(void) { return simde_mm_setzero_ps(); }
TRP__INLINE wf wf_add(wf a, wf b) { return simde_mm_add_ps(a, b); }
TRP__INLINE wf wf_sub(wf a, wf b) { return simde_mm_sub_ps(a, b); }
TRP__INLINE wf wf_mul(wf a, wf b) { return simde_mm_mul_ps(a, b); }
TRP__INLINE wf wf_div(wf a, wf b) { return simde_mm_div_ps(a, b); }
TRP__INLINE wf wf_sqrt(wf a) { return simde_mm_sqrt_ps(a); }
TRP__INLINE wf wf_max(wf a, wf b) { return simde_mm_max_ps(a, b); }
TRP__INLINE wf wf_min(wf a, wf b) { return simde_mm_min_ps(a, b); }
TRP__INLINE wf wf_and(wf a, wf b) { return simde_mm_and_ps(a, b); }
TRP__INLINE wf wf_or(wf a, wf b) { return simde_mm_or_ps(a, b); }
TRP__INLINE wf wf_xor(wf a, wf b) { return simde_mm_xor_ps(a, b); }
TRP__INLINE wm wf_lt(wf a, wf b) { return simde_mm_cmplt_ps(a, b); }
TRP__INLINE wm wf_le(wf a, wf b) { return simde_mm_cmple_ps(a, b); }
TRP__INLINE wm wf_eq(wf a, wf b) { return simde_mm_cmpeq_ps(a, b); }
TRP__INLINE wi wf_as_wi(wf a) { return simde_mm_castps_si128(a); }

TRP__INLINE wi wi_load(const void *at) { return simde_mm_load_si128(at); }
TRP__INLINE wi wi_loadu(const void *at) { return simde_mm_loadu_si128(at); }
TRP__INLINE void wi_store(void *at, wi a) { simde_mm_store_si128(at, a); }
TRP__INLINE void wi_storeu(void *at, wi a) { simde_mm_storeu_si128(at, a); }
TRP__INLINE wi wi_set1(int32_t a) { return simde_mm_set1_epi32(a); }
TRP__INLINE wi wi_add(wi a, wi b) { return simde_mm_add_epi32(a, b); }
TRP__INLINE wi wi_sub(wi a, wi b) { return simde_mm_sub_epi32(a, b); }
TRP__INLINE wi wi_and(wi a, wi b) { return simde_mm_and_si128(a, b); }
TRP__INLINE wi wi_or(wi a, wi b) { return simde_mm_or_si128(a, b); }
TRP__INLINE wi wi_xor(wi a, wi b) { return simde_mm_xor_si128(a, b); }
TRP__INLINE wm wi_eq(wi a, wi b) { return simde_mm_castsi128_ps(simde_mm_cmpeq_epi32(a, b)); }
TRP__INLINE wf wi_as_wf(wi a) { return simde_mm_castsi128_ps(a); }
TRP__INLINE wf wi_to_wf(wi a) { return simde_mm_cvtepi32_ps(a); }

TRP__INLINE wm wm_and(wm a, wm b) { return simde_mm_and_ps(a, b); }
TRP__INLINE wm wm_or(wm a, wm b) { return simde_mm_or_ps(a, b); }
TRP__INLINE wm wm_andnot(wm a, wm b) { return simde_mm_andnot_ps(b, a); }
TRP__INLINE int wm_any(wm a) { return simde_mm_movemask_ps(a) != 0; }
TRP__INLINE int wm_all(wm a) { return simde_mm_movemask_ps(a) == 15; }

TRP__INLINE wm wm_from_bits(uint32_t bits)
{
    const wi lane_bit = simde_mm_setr_epi32(1, 2, 4, 8);
    return wi_eq(wi_and(wi_set1((int32_t)bits), lane_bit), lane_bit);
}

TRP__INLINE wf wf_select(wm mask, wf a, wf b)
{
#if defined(SIMDE_X86_SSE4_1_NATIVE)
    return simde_mm_blendv_ps(b, a, mask);
#else
    return wf_or(wf_and(mask, a), simde_mm_andnot_ps(mask, b));
#endif
}

TRP__INLINE wf wf_negate(wm mask, wf a)
{
    return wf_xor(a, simde_mm_and_ps(mask, simde_mm_set1_ps(-0.0f)));
}

TRP__INLINE wf wf_unpack_low(wf a, wf b) { return simde_mm_unpacklo_ps(a, b); }
TRP__INLINE wf wf_unpack_high(wf a, wf b) { return simde_mm_unpackhi_ps(a, b); }
TRP__INLINE wf wf_low_halves(wf a, wf b) { return simde_mm_movelh_ps(a, b); }
TRP__INLINE wf wf_high_halves(wf a, wf b) { return simde_mm_movehl_ps(b, a); }

#define wf_splat(a, index) simde_mm_shuffle_ps(a, a, 0x55 * (index))
TRP__INLINE wf wf_with_last(wf a, wf last) { return simde_mm_blend_ps(a, last, 8); }

TRP__INLINE wf wf_from_groups(const float *const *at, size_t offset)
{
    return simde_mm_loadu_ps(at[0] + offset);
}

TRP__INLINE void wf_store_groups(float *const *at, size_t offset, wf a)
{
    simde_mm_storeu_ps(at[0] + offset, a);
}

TRP__INLINE wf wf_repeat_group(const float *at) { return simde_mm_loadu_ps(at); }

#elif TRP__WIDTH == 8

typedef simde__m256 wf;
typedef simde__m256i wi;
typedef simde__m256 wm;

TRP__INLINE wf wf_load(const float *at) { return simde_mm256_load_ps(at); }
TRP__INLINE wf wf_loadu(const float *at) { return simde_mm256_loadu_ps(at); }
TRP__INLINE void wf_store(float *at, wf a) { simde_mm256_store_ps(at, a); }
TRP__INLINE void wf_storeu(float *at, wf a) { simde_mm256_storeu_ps(at, a); }
TRP__INLINE wf wf_set1(float a) { return simde_mm256_set1_ps(a); }
TRP__INLINE wf wf_zero(void) { return simde_mm256_setzero_ps(); }
TRP__INLINE wf wf_add(wf a, wf b) { return simde_mm256_add_ps(a, b); }
TRP__INLINE wf wf_sub(wf a, wf b) { return simde_mm256_sub_ps(a, b); }
TRP__INLINE wf wf_mul(wf a, wf b) { return simde_mm256_mul_ps(a, b); }
TRP__INLINE wf wf_div(wf a, wf b) { return simde_mm256_div_ps(a, b); }
TRP__INLINE wf wf_sqrt(wf a) { return simde_mm256_sqrt_ps(a); }
TRP__INLINE wf wf_max(wf a, wf b) { return simde_mm256_max_ps(a, b); }
TRP__INLINE wf wf_min(wf a, wf b) { return simde_mm256_min_ps(a, b); }
TRP__INLINE wf wf_and(wf a, wf b) { return simde_mm256_and_ps(a, b); }
TRP__INLINE wf wf_or(wf a, wf b) { return simde_mm256_or_ps(a, b); }
TRP__INLINE wf wf_xor(wf a, wf b) { return simde_mm256_xor_ps(a, b); }
TRP__INLINE wm wf_lt(wf a, wf b) { return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OQ); }
TRP__INLINE wm wf_le(wf a, wf b) { return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LE_OQ); }
TRP__INLINE wm wf_eq(wf a, wf b) { return simde_mm256_cmp_ps(a, b, SIMDE_CMP_EQ_OQ); }
TRP__INLINE wi wf_as_wi(wf a) { return simde_mm256_castps_si256(a); }

TRP__INLINE wi wi_load(const void *at) { return simde_mm256_load_si256(at); }
TRP__INLINE wi wi_loadu(const void *at) { return simde_mm256_loadu_si256(at); }
TRP__INLINE void wi_store(void *at, wi a) { simde_mm256_store_si256(at, a); }
TRP__INLINE void wi_storeu(void *at, wi a) { simde_mm256_storeu_si256(at, a); }
TRP__INLINE wi wi_set1(int32_t a) { return simde_mm256_set1_epi32(a); }
TRP__INLINE wi wi_add(wi a, wi b) { return simde_mm256_add_epi32(a, b); }
TRP__INLINE wi wi_sub(wi a, wi b) { return simde_mm256_sub_epi32(a, b); }
TRP__INLINE wi wi_and(wi a, wi b) { return simde_mm256_and_si256(a, b); }
TRP__INLINE wi wi_or(wi a, wi b) { return simde_mm256_or_si256(a, b); }
TRP__INLINE wi wi_xor(wi a, wi b) { return simde_mm256_xor_si256(a, b); }
TRP__INLINE wm wi_eq(wi a, wi b) { return simde_mm256_castsi256_ps(simde_mm256_cmpeq_epi32(a, b)); }
TRP__INLINE wf wi_as_wf(wi a) { return simde_mm256_castsi256_ps(a); }
TRP__INLINE wf wi_to_wf(wi a) { return simde_mm256_cvtepi32_ps(a); }

TRP__INLINE wm wm_and(wm a, wm b) { return simde_mm256_and_ps(a, b); }
TRP__INLINE wm wm_or(wm a, wm b) { return simde_mm256_or_ps(a, b); }
TRP__INLINE wm wm_andnot(wm a, wm b) { return simde_mm256_andnot_ps(b, a); }
TRP__INLINE int wm_any(wm a) { return simde_mm256_movemask_ps(a) != 0; }
TRP__INLINE int wm_all(wm a) { return simde_mm256_movemask_ps(a) == 255; }

TRP__INLINE wm wm_from_bits(uint32_t bits)
{
    const wi lane_bit = simde_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return wi_eq(wi_and(wi_set1((int32_t)bits), lane_bit), lane_bit);
}

TRP__INLINE wf wf_select(wm mask, wf a, wf b) { return simde_mm256_blendv_ps(b, a, mask); }

TRP__INLINE wf wf_negate(wm mask, wf a)
{
    return wf_xor(a, simde_mm256_and_ps(mask, simde_mm256_set1_ps(-0.0f)));
}

TRP__INLINE wf wf_unpack_low(wf a, wf b) { return simde_mm256_unpacklo_ps(a, b); }
TRP__INLINE wf wf_unpack_high(wf a, wf b) { return simde_mm256_unpackhi_ps(a, b); }
TRP__INLINE wf wf_low_halves(wf a, wf b) { return simde_mm256_shuffle_ps(a, b, 0x44); }
TRP__INLINE wf wf_high_halves(wf a, wf b) { return simde_mm256_shuffle_ps(a, b, 0xEE); }

#define wf_splat(a, index) simde_mm256_permute_ps(a, 0x55 * (index))
TRP__INLINE wf wf_with_last(wf a, wf last) { return simde_mm256_blend_ps(a, last, 0x88); }

TRP__INLINE wf wf_from_groups(const float *const *at, size_t offset)
{
    const wf low = simde_mm256_castps128_ps256(simde_mm_loadu_ps(at[0] + offset));
    return simde_mm256_insertf128_ps(low, simde_mm_loadu_ps(at[4] + offset), 1);
}

TRP__INLINE void wf_store_groups(float *const *at, size_t offset, wf a)
{
    simde_mm_storeu_ps(at[0] + offset, simde_mm256_castps256_ps128(a));
    simde_mm_storeu_ps(at[4] + offset, simde_mm256_extractf128_ps(a, 1));
}

TRP__INLINE wf wf_repeat_group(const float *at)
{
    const wq group = simde_mm_loadu_ps(at);
    return simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(group), group, 1);
}

#elif TRP__WIDTH == 16

typedef __m512 wf;
typedef __m512i wi;
typedef __mmask16 wm;

TRP__INLINE wf wf_load(const float *at) { return _mm512_load_ps(at); }
TRP__INLINE wf wf_loadu(const float *at) { return _mm512_loadu_ps(at); }
TRP__INLINE void wf_store(float *at, wf a) { _mm512_store_ps(at, a); }
TRP__INLINE void wf_storeu(float *at, wf a) { _mm512_storeu_ps(at, a); }
TRP__INLINE wf wf_set1(float a) { return _mm512_set1_ps(a); }
TRP__INLINE wf wf_zero(void) { return _mm512_setzero_ps(); }
TRP__INLINE wf wf_add(wf a, wf b) { return _mm512_add_ps(a, b); }
TRP__INLINE wf wf_sub(wf a, wf b) { return _mm512_sub_ps(a, b); }
TRP__INLINE wf wf_mul(wf a, wf b) { return _mm512_mul_ps(a, b); }
TRP__INLINE wf wf_div(wf a, wf b) { return _mm512_div_ps(a, b); }
TRP__INLINE wf wf_sqrt(wf a) { return _mm512_sqrt_ps(a); }
TRP__INLINE wf wf_max(wf a, wf b) { return _mm512_max_ps(a, b); }
TRP__INLINE wf wf_min(wf a, wf b) { return _mm512_min_ps(a, b); }
TRP__INLINE wf wf_and(wf a, wf b) { return _mm512_and_ps(a, b); }
TRP__INLINE wf wf_or(wf a, wf b) { return _mm512_or_ps(a, b); }
TRP__INLINE wf wf_xor(wf a, wf b) { return _mm512_xor_ps(a, b); }
TRP__INLINE wm wf_lt(wf a, wf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
TRP__INLINE wm wf_le(wf a, wf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
TRP__INLINE wm wf_eq(wf a, wf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
TRP__INLINE wi wf_as_wi(wf a) { return _mm512_castps_si512(a); }

TRP__INLINE wi wi_load(const void *at) { return _mm512_load_si512(at); }
TRP__INLINE wi wi_loadu(const void *at) { return _mm512_loadu_si512(at); }
TRP__INLINE void wi_store(void *at, wi a) { _mm512_store_si512(at, a); }
TRP__INLINE void wi_storeu(void *at, wi a) { _mm512_storeu_si512(at, a); }
TRP__INLINE wi wi_set1(int32_t a) { return _mm512_set1_epi32(a); }
TRP__INLINE wi wi_add(wi a, wi b) { return _mm512_add_epi32(a, b); }
TRP__INLINE wi wi_sub(wi a, wi b) { return _mm512_sub_epi32(a, b); }
TRP__INLINE wi wi_and(wi a, wi b) { return _mm512_and_si512(a, b); }
TRP__INLINE wi wi_or(wi a, wi b) { return _mm512_or_si512(a, b); }
TRP__INLINE wi wi_xor(wi a, wi b) { return _mm512_xor_si512(a, b); }
TRP__INLINE wm wi_eq(wi a, wi b) { return _mm512_cmpeq_epi32_mask(a, b); }
TRP__INLINE wf wi_as_wf(wi a) { return _mm512_castsi512_ps(a); }
TRP__INLINE wf wi_to_wf(wi a) { return _mm512_cvtepi32_ps(a); }

TRP__INLINE wm wm_and(wm a, wm b) { return (wm)(a & b); }
TRP__INLINE wm wm_or(wm a, wm b) { return (wm)(a | b); }
TRP__INLINE wm wm_andnot(wm a, wm b) { return (wm)(a & ~b); }
TRP__INLINE int wm_any(wm a) { return a != 0; }
TRP__INLINE int wm_all(wm a) { return a == 0xFFFF; }
TRP__INLINE wm wm_from_bits(uint32_t bits) { return (wm)bits; }

TRP__INLINE wf wf_select(wm mask, wf a, wf b) { return _mm512_mask_blend_ps(mask, b, a); }

TRP__INLINE wf wf_negate(wm mask, wf a)
{
    return _mm512_mask_xor_ps(a, mask, a, _mm512_set1_ps(-0.0f));
}

TRP__INLINE wf wf_unpack_low(wf a, wf b) { return _mm512_unpacklo_ps(a, b); }
TRP__INLINE wf wf_unpack_high(wf a, wf b) { return _mm512_unpackhi_ps(a, b); }
TRP__INLINE wf wf_low_halves(wf a, wf b) { return _mm512_shuffle_ps(a, b, 0x44); }
TRP__INLINE wf wf_high_halves(wf a, wf b) { return _mm512_shuffle_ps(a, b, 0xEE); }

#define wf_splat(a, index) _mm512_permute_ps(a, 0x55 * (index))
TRP__INLINE wf wf_with_last(wf a, wf last) { return _mm512_mask_blend_ps(0x8888, a, last); }

TRP__INLINE wf wf_from_groups(const float *const *at, size_t offset)
{
    const wf one = _mm512_castps128_ps512(_mm_loadu_ps(at[0] + offset));
    const wf two = _mm512_insertf32x4(one, _mm_loadu_ps(at[4] + offset), 1);
    const wf three = _mm512_insertf32x4(two, _mm_loadu_ps(at[8] + offset), 2);
    return _mm512_insertf32x4(three, _mm_loadu_ps(at[12] + offset), 3);
}

TRP__INLINE void wf_store_groups(float *const *at, size_t offset, wf a)
{
    _mm_storeu_ps(at[0] + offset, _mm512_castps512_ps128(a));
    _mm_storeu_ps(at[4] + offset, _mm512_extractf32x4_ps(a, 1));
    _mm_storeu_ps(at[8] + offset, _mm512_extractf32x4_ps(a, 2));
    _mm_storeu_ps(at[12] + offset, _mm512_extractf32x4_ps(a, 3));
}

TRP__INLINE wf wf_repeat_group(const float *at) { return _mm512_broadcast_f32x4(_mm_loadu_ps(at)); }

#endif

// clang-format on

// -- Rows ----------------------------------------------------------------------------------------
// wi_row_words(channel, window_offset, row, lane) brings the 32-bit words of a row that hold the
// fields of TRP__WIDTH lanes from `lane` on; the fields lie in place, see struct trp__channel.

#if TRP__WINDOW == 64

TRP__INLINE wi wi_row_words(const struct trp__channel *channel, const uint32_t *window_offset,
                            const uint8_t *row, uint32_t lane)
{
    (void)lane;
    return _mm512_permutexvar_epi8(wi_load(channel->shuffle), wi_loadu(row + window_offset[0]));
}

#elif TRP__WINDOW == 16 && TRP__WIDTH == 16

TRP__INLINE wi wi_row_words(const struct trp__channel *channel, const uint32_t *window_offset,
                            const uint8_t *row, uint32_t lane)
{
    (void)lane;
    const __m128i first = _mm_loadu_si128((const void *)(row + window_offset[0]));
    const __m128i second = _mm_loadu_si128((const void *)(row + window_offset[1]));
    const __m128i third = _mm_loadu_si128((const void *)(row + window_offset[2]));
    const __m128i fourth = _mm_loadu_si128((const void *)(row + window_offset[3]));
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(third), fourth, 1);
    const wi windows = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    return _mm512_shuffle_epi8(windows, wi_load(channel->shuffle));
}

#elif TRP__WINDOW == 16 && TRP__WIDTH == 8

TRP__INLINE wi wi_row_words(const struct trp__channel *channel, const uint32_t *window_offset,
                            const uint8_t *row, uint32_t lane)
{
    const uint32_t *const offset = window_offset + lane / 4;
    const simde__m128i first = simde_mm_loadu_si128(row + offset[0]);
    const simde__m128i second = simde_mm_loadu_si128(row + offset[1]);
    const wi windows = simde_mm256_inserti128_si256(simde_mm256_castsi128_si256(first), second, 1);
    return simde_mm256_shuffle_epi8(windows, wi_load(channel->shuffle + 4 * lane));
}

#elif TRP__WINDOW == 16 && TRP__WIDTH == 4

TRP__INLINE wi wi_row_words(const struct trp__channel *channel, const uint32_t *window_offset,
                            const uint8_t *row, uint32_t lane)
{
    const wi window = wi_loadu(row + window_offset[lane / 4]);
    return simde_mm_shuffle_epi8(window, wi_load(channel->shuffle + 4 * lane));
}

#elif TRP__WINDOW == 4

TRP__INLINE wi wi_row_words(const struct trp__channel *channel, const uint32_t *window_offset,
                            const uint8_t *row, uint32_t lane)
{
    (void)window_offset;
    const uint32_t *const offset = channel->lane_offset + lane;
    int32_t words[4];
    memcpy(&words[0], row + offset[0], sizeof words[0]);
    memcpy(&words[1], row + offset[1], sizeof words[1]);
    memcpy(&words[2], row + offset[2], sizeof words[2]);
    memcpy(&words[3], row + offset[3], sizeof words[3]);
    return simde_mm_setr_epi32(words[0], words[1], words[2], words[3]);
}

#endif

// -- Made from the above -------------------------------------------------------------------------
// wf_from_groups gathers group g from at[4 * g] + offset, wf_store_groups scatters alike,
// wf_repeat_group puts the same four floats into every group, wf_splat(a, i) float i of each group
// into all four places of that group, wf_with_last(a, b) the fourth float of each group of b into
// that of a.

TRP__INLINE wm wf_gt(wf a, wf b)
{
    return wf_lt(b, a);
}

TRP__INLINE wf wf_neg(wf a)
{
    return wf_xor(a, wf_set1(-0.0f));
}

TRP__INLINE wf wf_abs(wf a)
{
    return wf_and(a, wi_as_wf(wi_set1(0x7FFFFFFF)));
}

/// Four vectors, by value.
typedef struct wf4 {
    wf x;
    wf y;
    wf z;
    wf w;
} wf4;

/// Transposes the 4x4 floats of each 128-bit group.
TRP__INLINE wf4 wf4_transpose(wf4 rows)
{
    const wf xy_low = wf_unpack_low(rows.x, rows.y);
    const wf zw_low = wf_unpack_low(rows.z, rows.w);
    const wf xy_high = wf_unpack_high(rows.x, rows.y);
    const wf zw_high = wf_unpack_high(rows.z, rows.w);
    const wf4 columns = {
        .x = wf_low_halves(xy_low, zw_low),
        .y = wf_high_halves(xy_low, zw_low),
        .z = wf_low_halves(xy_high, zw_high),
        .w = wf_high_halves(xy_high, zw_high),
    };
    return columns;
}

#endif
