// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed parts of clips made by tests, straight from format.h, and what they ought to give: worked
// out in double precision from the same bytes with libm, by a plain search.
#ifndef TROUPE_TESTS_KEYED_BUILDER_H
#define TROUPE_TESTS_KEYED_BUILDER_H

#include <stdint.h>

#include <troupe/track.h>

#include "../src/keyed.h"

/// Every interval has another interpolation.
#define KEYED_MIXED 100u

/// One group to make.
struct keyed_recipe {
    uint64_t seed;
    uint32_t rotation_count;
    uint32_t scalar_count;
    uint32_t stride; ///< floats of each property among the scalars, 0 = all of them one
    uint32_t key_count;
    uint32_t interpolation; ///< TRP_INTERPOLATION_* or KEYED_MIXED
    uint32_t planes;        ///< 0: three where the interpolation needs them, else one
    double start_s;
    double spacing_s; ///< on average, 0 = 0.1
    double turn_deg;  ///< between neighbouring rotations at most, 0 = any
    float size;       ///< of scalars, 0 = 1
};

/// Makes a keyed part of `group_count` groups that ends right before memory that faults.
/// synthetic_release gives it back.
struct trp__keyed keyed_build(const struct keyed_recipe *recipes, uint32_t group_count);

/// The arrays of a group, to be read, or changed before sampling.
double *keyed_times(const struct trp__keyed *keyed, uint32_t group);
uint8_t *keyed_modes(const struct trp__keyed *keyed, uint32_t group);
struct trp__key_curve *keyed_curves(const struct trp__keyed *keyed, uint32_t group);

/// Returns a plane of a key: 0 arriving, 1 values, 2 leaving.
float *keyed_plane(const struct trp__keyed *keyed, uint32_t group, uint32_t key, uint32_t plane);

/// Returns the view of a track.
trp_track keyed_track(const struct trp__keyed *keyed, uint32_t index);

/// Works out in double precision what a track has at a time.
/// @param value [out] track->stride
void keyed_truth(const struct trp__keyed *keyed, uint32_t track, double time_s, double *value);

#endif
