// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What all limit kernels agree on.
#ifndef TROUPE_SIMD_LIMIT_H
#define TROUPE_SIMD_LIMIT_H

/// Shorter parts of a quaternion count as this long, so that every quotient is a number.
#define TRP__LENGTH_FLOOR 1e-15f
#define TRP__LENGTH_FLOOR_SQUARED 1e-30f

/// Tangents of half a turn that is held are held to this as well: half a turn less 1e-9, and no
/// square of a product overflows.
#define TRP__MAX_TANGENT 1e9f

#endif
