// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Chooses the kernel table: once, on first use, or as the caller says. The build lists the tables
// (-DTRP__TABLES_LISTED and -DTRP__HAS_AVX2 ...); a plain `cc simd/*.c` has the reference and the
// one table that its flags give.
#include <stdatomic.h>

#include "cpu_x86.h"
#include "kernel_isa.h"
#include "reference.h"

#if defined(TRP__HAS_PORTABLE)
extern const struct trp__kernels trp__portable_kernels;
#endif
#if defined(TRP__HAS_SSE2)
extern const struct trp__kernels trp__sse2_kernels;
#endif
#if defined(TRP__HAS_SSE4)
extern const struct trp__kernels trp__sse4_kernels;
#endif
#if defined(TRP__HAS_AVX2)
extern const struct trp__kernels trp__avx2_kernels;
#endif
#if defined(TRP__HAS_AVX512)
extern const struct trp__kernels trp__avx512_kernels;
#endif
#if defined(TRP__HAS_AVX512VBMI)
extern const struct trp__kernels trp__avx512vbmi_kernels;
#endif
#if defined(TRP__HAS_NEON)
extern const struct trp__kernels trp__neon_kernels;
#endif
#if defined(TRP__HAS_WASM128)
extern const struct trp__kernels trp__wasm128_kernels;
#endif

static const struct trp__kernels *const built_tables[TRP_ISA_COUNT] = {
    [TRP_ISA_REFERENCE] = &trp__reference_kernels,
#if !defined(TRP__TABLES_LISTED)
    [TRP__ISA] = &TRP__KERNEL(kernels),
#endif
#if defined(TRP__HAS_PORTABLE)
    [TRP_ISA_PORTABLE] = &trp__portable_kernels,
#endif
#if defined(TRP__HAS_SSE2)
    [TRP_ISA_SSE2] = &trp__sse2_kernels,
#endif
#if defined(TRP__HAS_SSE4)
    [TRP_ISA_SSE4] = &trp__sse4_kernels,
#endif
#if defined(TRP__HAS_AVX2)
    [TRP_ISA_AVX2] = &trp__avx2_kernels,
#endif
#if defined(TRP__HAS_AVX512)
    [TRP_ISA_AVX512] = &trp__avx512_kernels,
#endif
#if defined(TRP__HAS_AVX512VBMI)
    [TRP_ISA_AVX512VBMI] = &trp__avx512vbmi_kernels,
#endif
#if defined(TRP__HAS_NEON)
    [TRP_ISA_NEON] = &trp__neon_kernels,
#endif
#if defined(TRP__HAS_WASM128)
    [TRP_ISA_WASM128] = &trp__wasm128_kernels,
#endif
};

// Fastest first. AVX-512 without VBMI comes after AVX2: all processors that lack VBMI (Skylake-X
// to Cooper Lake) lower their clock for 512-bit vectors, which the rest of the program pays for.
static const trp_isa preference[] = {
    TRP_ISA_AVX512VBMI, TRP_ISA_AVX2, TRP_ISA_AVX512,   TRP_ISA_SSE4,      TRP_ISA_NEON,
    TRP_ISA_WASM128,    TRP_ISA_SSE2, TRP_ISA_PORTABLE, TRP_ISA_REFERENCE,
};

static _Atomic(const struct trp__kernels *) active_table;

static int processor_runs(trp_isa isa)
{
#if defined(__x86_64__) || defined(__i386__)
    if (isa >= TRP_ISA_SSE2 && isa <= TRP_ISA_AVX512VBMI) {
        return trp__cpu_x86_runs(isa);
    }
#endif
    (void)isa;
    return 1; // the build alone decides
}

const struct trp__kernels *trp__kernels_of(trp_isa isa)
{
    if ((unsigned)isa >= TRP_ISA_COUNT || !built_tables[isa] || !processor_runs(isa)) {
        return NULL;
    }
    return built_tables[isa];
}

static const struct trp__kernels *fastest_table(void)
{
    const struct trp__kernels *table = NULL;
    for (size_t i = 0; !table; i++) { // ends at the reference
        table = trp__kernels_of(preference[i]);
    }
    return table;
}

const struct trp__kernels *trp__kernels_active(void)
{
    const struct trp__kernels *table = atomic_load_explicit(&active_table, memory_order_relaxed);
    if (!table) { // several threads may come here; all choose the same
        table = fastest_table();
        atomic_store_explicit(&active_table, table, memory_order_relaxed);
    }
    return table;
}

trp_isa trp_isa_active(void)
{
    return trp__kernels_active()->isa;
}

int trp_isa_available(trp_isa isa)
{
    return trp__kernels_of(isa) != NULL;
}

trp_result trp_isa_force(trp_isa isa)
{
    const struct trp__kernels *const table = trp__kernels_of(isa);
    if (!table) {
        return TRP_ERROR_UNSUPPORTED;
    }
    atomic_store_explicit(&active_table, table, memory_order_relaxed);
    return TRP_OK;
}

const char *trp_isa_name(trp_isa isa)
{
    static const char *const names[TRP_ISA_COUNT] = {
        [TRP_ISA_REFERENCE] = "reference",
        [TRP_ISA_PORTABLE] = "portable",
        [TRP_ISA_SSE2] = "sse2",
        [TRP_ISA_SSE4] = "sse4",
        [TRP_ISA_AVX2] = "avx2",
        [TRP_ISA_AVX512] = "avx512",
        [TRP_ISA_AVX512VBMI] = "avx512vbmi",
        [TRP_ISA_NEON] = "neon",
        [TRP_ISA_WASM128] = "wasm128",
    };
    return (unsigned)isa < TRP_ISA_COUNT ? names[isa] : NULL;
}
