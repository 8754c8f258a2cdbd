// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Which of the x86 instruction sets this processor and its operating system can run.
#ifndef TROUPE_SIMD_CPU_X86_H
#define TROUPE_SIMD_CPU_X86_H

#include <troupe/base.h>

/// Returns 1 where the processor runs `isa`, one of TRP_ISA_SSE2 to TRP_ISA_AVX512VBMI, else 0.
int trp__cpu_x86_runs(trp_isa isa);

#endif
