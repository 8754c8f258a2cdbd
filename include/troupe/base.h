// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What every other header of Troupe needs: results, names, lanes and the choice of instruction
// set. Nothing here touches animation data.
#ifndef TROUPE_BASE_H
#define TROUPE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TRP_EXTERN extern "C"
#else
#define TRP_EXTERN extern
#endif

#if defined(_WIN32) && defined(TRP_SHARED)
#ifdef TRP_BUILD
#define TRP_API TRP_EXTERN __declspec(dllexport)
#else
#define TRP_API TRP_EXTERN __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TRP_API TRP_EXTERN __attribute__((visibility("default")))
#else
#define TRP_API TRP_EXTERN
#endif

#define TRP_VERSION_MAJOR 0
#define TRP_VERSION_MINOR 1
#define TRP_VERSION_PATCH 0

/// Joints stored side by side in one block of a pose; the same on every instruction set.
#define TRP_BLOCK_LANES 16u

/// Alignment of packs, poses, prepared segments and scratch memory, in bytes.
#define TRP_ALIGNMENT 64u

/// "No such thing" among 32-bit indices.
#define TRP_NONE UINT32_MAX

/// "No such thing" among 16-bit lane and joint indices.
#define TRP_NO_LANE UINT16_MAX

/// Outcome of every call that can fail. Values never change.
typedef enum trp_result {
    TRP_OK = 0,
    TRP_ERROR_ARGUMENT = 1,    ///< null or misaligned pointer, or a number out of its range
    TRP_ERROR_CAPACITY = 2,    ///< the caller's memory is smaller than the size function says
    TRP_ERROR_FORMAT = 3,      ///< the bytes are not a valid pack
    TRP_ERROR_VERSION = 4,     ///< a pack of another format version
    TRP_ERROR_ENDIAN = 5,      ///< packs are little-endian, this machine is not
    TRP_ERROR_MISMATCH = 6,    ///< two valid things that do not belong together
    TRP_ERROR_UNSUPPORTED = 7, ///< this build or this processor cannot do it
} trp_result;

/// Returns the name of a result, such as "TRP_OK"; "TRP_ERROR_UNKNOWN" for any other value.
TRP_API const char *trp_result_name(trp_result result);

/// Returns the FNV-1a 64-bit hash of a name, the key by which clips and joints are found.
/// @param name UTF-8, zero-terminated; null counts as empty
/// Cost: O(length). Threads: any. Source: Fowler, Noll, Vo, FNV-1a, 64 bits.
TRP_API uint64_t trp_name_hash(const char *name);

/// Instruction sets with a kernel table. All give the same bits.
typedef enum trp_isa {
    TRP_ISA_REFERENCE = 0, ///< plain C, one lane at a time: decides what is right
    TRP_ISA_PORTABLE = 1,  ///< SIMDe without native instructions
    TRP_ISA_SSE2 = 2,
    TRP_ISA_SSE4 = 3, ///< x86-64-v2
    TRP_ISA_AVX2 = 4, ///< x86-64-v3
    TRP_ISA_AVX512 = 5,
    TRP_ISA_AVX512VBMI = 6,
    TRP_ISA_NEON = 7,
    TRP_ISA_WASM128 = 8,
    TRP_ISA_COUNT = 9,
} trp_isa;

/// Returns the short name of an instruction set ("avx2"), or null for a value out of range.
TRP_API const char *trp_isa_name(trp_isa isa);

/// Returns 1 where this build holds kernels for `isa` and this processor can run them, else 0.
TRP_API int trp_isa_available(trp_isa isa);

/// Returns the instruction set in use; the first call of the process chooses the fastest one.
TRP_API trp_isa trp_isa_active(void);

/// Uses `isa` from now on, for tests, benchmarks and callers that know better.
/// Prepared segments belong to the instruction set that prepared them and are refused by another.
/// @return TRP_OK, TRP_ERROR_UNSUPPORTED (nothing changes).
/// Threads: do not call while another thread is inside Troupe.
TRP_API trp_result trp_isa_force(trp_isa isa);

#endif
