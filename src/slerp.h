// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Turning between two rotations at constant speed, for intervals too wide for corrected nlerp.
#ifndef TROUPE_SRC_SLERP_H
#define TROUPE_SRC_SLERP_H

/// Turns from one rotation to another the short way.
/// In double precision and without libm: the same bits everywhere, 2e-7 from the formula at most.
/// @param q0 x y z w, not zero; need not be of unit length, nor need `q1`
/// @param u  [0, 1]
/// @param q  [out] unit length
/// Source: Shoemake, "Animating rotation with quaternion curves", 1985.
void trp__slerp(const float q0[4], const float q1[4], double u, float q[4]);

#endif
