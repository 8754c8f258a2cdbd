// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Time curves of keyed intervals: from the part of an interval that has passed to the part of the
// way that is done. In double precision and without libm, so that every host gives the same bits.
#ifndef TROUPE_SRC_EASING_H
#define TROUPE_SRC_EASING_H

#include <stdint.h>

/// Families of named easings, in the order of their numbers.
enum trp__easing_family {
    TRP__EASING_QUAD = 0,
    TRP__EASING_CUBIC = 1,
    TRP__EASING_QUART = 2,
    TRP__EASING_QUINT = 3,
    TRP__EASING_SINE = 4,
    TRP__EASING_EXPO = 5,
    TRP__EASING_CIRC = 6,
    TRP__EASING_BACK = 7,
    TRP__EASING_ELASTIC = 8,
    TRP__EASING_BOUNCE = 9,
};

/// Which ends of a named easing are slow.
enum trp__easing_kind {
    TRP__EASING_IN = 0,
    TRP__EASING_OUT = 1,
    TRP__EASING_IN_OUT = 2,
    TRP__EASING_OUT_IN = 3,
};

#define TRP__EASING_LINEAR 0u
#define TRP__EASING_COUNT 41u

/// The number of a named easing in a pack.
#define TRP__EASING(family, kind) (1u + 4u * (uint32_t)(family) + (uint32_t)(kind))

/// Returns a named easing at `u`, which is clamped to [0, 1]. `easing` past the last one is linear.
/// Exponential easings end at 0.999 (in) and 0.9995 (out-in) as in the sources of their data.
/// Source: Penner, "Programming Macromedia Flash MX", 2002, chapter 7.
double trp__ease(uint32_t easing, double u);

/// Returns where a bezier time curve from (0, 0) to (1, 1) reaches time `u`: its parameter.
/// @param x times of the two handles, in [0, 1], so that there is one answer
double trp__bezier_parameter(const float x[2], double u);

/// Returns a curve given at `count` (at least 2) evenly spaced times, straight between them.
double trp__sampled_curve(const float *table, uint32_t count, double u);

/// Returns the sine of an angle of at most 1,000 turns, within 1e-13.
double trp__sine(double angle_rad);

/// Returns 2^exponent for [-1000, 1000], within 1e-14 of its size.
double trp__exp2(double exponent);

#endif
