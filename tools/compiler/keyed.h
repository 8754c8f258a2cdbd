// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed tracks in the making: curves written as the source has them.
#ifndef TROUPE_TOOLS_KEYED_H
#define TROUPE_TOOLS_KEYED_H

#include "buffer.h"
#include "motion.h"

/// Appends the keyed part of a clip. Curves with equal key times and interpolation share a group;
/// what is constant becomes one key.
/// @param is_keyed [motion_curve_count]
/// @param is_slerp rotations that are linear follow slerp itself, not its cheap neighbour
/// @return where the part starts, 0 where nothing is keyed
uint32_t keyed_encode(const struct motion *motion, const bool *is_keyed, bool is_slerp,
                      struct buffer *buffer);

/// Returns about how many bytes a curve takes in a group that exists already.
uint32_t keyed_bytes(const struct scene_curve *curve);

#endif
