// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Asks cpuid what the processor has and xgetbv which registers the operating system saves. Holds
// nothing on other processors.
#include "cpu_x86.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

enum { // leaf 1
    EDX_SSE2 = 1 << 26,
    ECX_SSSE3 = 1 << 9,
    ECX_SSE4_1 = 1 << 19,
    ECX_OSXSAVE = 1 << 27,
};

enum { // leaf 7
    EBX_AVX2 = 1 << 5,
    EBX_AVX512F = 1 << 16,
    EBX_AVX512DQ = 1 << 17,
    EBX_AVX512BW = 1 << 30,
    ECX_AVX512VBMI = 1 << 1,
};

#define EBX_AVX512VL (1u << 31)

enum {                // bits of XCR0: register state that the system saves
    STATE_YMM = 0x06, // and xmm
    STATE_ZMM = 0xE6, // and ymm, mask registers, zmm 16 to 31
};

static unsigned saved_state(unsigned leaf_1_ecx)
{
    if ((leaf_1_ecx & ECX_OSXSAVE) == 0) {
        return 0;
    }
    unsigned low;
    unsigned high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int has_all(unsigned value, unsigned bits)
{
    return (value & bits) == bits;
}

int trp__cpu_x86_runs(trp_isa isa)
{
    unsigned eax;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        return 0;
    }
    const int has_sse2 = has_all(edx, EDX_SSE2);
    const int has_sse4 = has_sse2 && has_all(ecx, ECX_SSSE3 | ECX_SSE4_1);
    const unsigned state = saved_state(ecx);

    ebx = 0;
    ecx = 0;
    (void)__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx); // leaves zeros where there is no leaf 7
    const int has_avx2 = has_sse4 && has_all(state, STATE_YMM) && has_all(ebx, EBX_AVX2);
    const int has_avx512 = has_avx2 && has_all(state, STATE_ZMM) &&
                           has_all(ebx, EBX_AVX512F | EBX_AVX512DQ | EBX_AVX512BW | EBX_AVX512VL);
    const int has_vbmi = has_avx512 && has_all(ecx, ECX_AVX512VBMI);

    switch (isa) {
    case TRP_ISA_SSE2:
        return has_sse2;
    case TRP_ISA_SSE4:
        return has_sse4;
    case TRP_ISA_AVX2:
        return has_avx2;
    case TRP_ISA_AVX512:
        return has_avx512;
    case TRP_ISA_AVX512VBMI:
        return has_vbmi;
    default:
        return 0;
    }
}

#endif
