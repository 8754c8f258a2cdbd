// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The table of the reference kernels: plain C, one lane at a time, no SIMDe. They decide what is
// right; every other table must give their bits.
#include "reference.h"

const struct trp__kernels trp__reference_kernels = {
    .isa = TRP_ISA_REFERENCE,
    .window = 4,
    .sample = trp__reference_sample,
    .sample_values = trp__reference_sample_values,
    .blend = trp__reference_blend,
    .limit = trp__reference_limit,
    .keyed = trp__reference_keyed,
    .group = 1,
    .model = trp__reference_model,
    .palette = trp__reference_palette,
};
