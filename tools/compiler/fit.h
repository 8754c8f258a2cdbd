// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The search: what is keyed and what is dense, and the grid, rows, rules and steps that make a clip
// small and keep it within its budget.
#ifndef TROUPE_TOOLS_FIT_H
#define TROUPE_TOOLS_FIT_H

#include "buffer.h"
#include "motion.h"

struct fit_options {
    double metres_per_unit;
    double error_mm;
    double shell_m;
    enum compile_loop loop;
    bool is_exact; // everything as keyed tracks
};

/// Fits a motion and writes the bytes of its clip, with measured errors; strings and skeleton
/// index are left to the caller.
/// @param motion [in,out] gains a closing key where `loop` asks for one
/// @param arena  takes the curves of the closing key
/// @return false after an error in `report`: the budget cannot be met, or the clip is too long
bool fit_motion(struct motion *motion, const struct fit_options *options, struct arena *arena,
                struct buffer *clip, struct report *report);

#endif
