// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The table of one instruction set. Compiled, like every kernel_<operation>.c, once for each.
#include "kernel_isa.h"

const struct trp__kernels TRP__KERNEL(kernels) = {
    .isa = TRP__ISA,
    .window = TRP__WINDOW,
    .sample = TRP__KERNEL(sample),
    .sample_values = TRP__KERNEL(sample_values),
    .blend = TRP__KERNEL(blend),
    .limit = TRP__KERNEL(limit),
    .keyed = TRP__KERNEL(keyed),
    .group = TRP__WIDTH,
    .model = TRP__KERNEL(model),
    .palette = TRP__KERNEL(palette),
};
