// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Angles as whole numbers, so that adding them, and turning any number of times, is exact; their
// sine and cosine with the same bits everywhere.
#ifndef TROUPE_SRC_ANGLE_H
#define TROUPE_SRC_ANGLE_H

#include <stdint.h>

#define TRP__TWO_PI 0x1.921fb54442d18p+2

/// An angle in 2^-64 turns. Wraps around as turning does, and so do sums, differences and multiples
/// by a whole number, without error. Those made of turns are even: they can be halved as well.
typedef uint64_t trp__angle;

struct trp__direction {
    double sin;
    double cos;
};

/// Returns the fraction of some turns, towards 0 to 2^-63 turns, which is exact from 2^-11 turns
/// upwards; 0 for NaN and from 2^52 turns upwards.
static inline trp__angle trp__angle_of_turns(double turns)
{
    if (!(turns < 0x1p52 && turns > -0x1p52)) {
        return 0;
    }
    const double fraction = turns - (double)(int64_t)turns;
    return (uint64_t)(int64_t)(fraction * 0x1p63) << 1;
}

/// The same of radians, to 2^-52 of their size.
static inline trp__angle trp__angle_of_radians(double radians)
{
    return trp__angle_of_turns(radians * (1 / TRP__TWO_PI));
}

/// Returns half of an angle made of turns, [-1/4, 1/4) turns.
static inline trp__angle trp__angle_half(trp__angle angle)
{
    return (uint64_t)((int64_t)angle / 2);
}

/// Returns the direction of (x, y) from +x towards +y in radians, (-pi, pi], within 3 ulp; 0 for
/// (0, 0). Neither may be infinite or NaN.
double trp__radians_of(double x, double y);

/// Returns the sine and cosine of an angle, each within 3 ulp, exact at quarter turns.
struct trp__direction trp__direction_of(trp__angle angle);

#endif
