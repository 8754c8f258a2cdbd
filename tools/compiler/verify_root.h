// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The part of `verify` that looks at root motion: what a pack says of it, and what the joint that
// it was taken from does in the source, apart from how the compiler finds it.
#ifndef TROUPE_TOOLS_VERIFY_ROOT_H
#define TROUPE_TOOLS_VERIFY_ROOT_H

#include <stdbool.h>

#include <troupe/pack.h>

#include "scene.h"

/// The root motion of a clip. Movements are x y z, and yaw in turns.
struct verify_root {
    uint32_t key_count; // 0: the clip has none
    bool is_taken_out;
    uint32_t lane;
    uint32_t components;
    double pivot[2];      // x z
    const uint8_t *times; // double[key_count]
    const uint8_t *keys;  // float[key_count][4]
    double end_s;         // where the source ends, in the time of the clip
    double closing_s;     // from there to the end of the clip, 0 where it does not go on
    double last_yaw;      // of the source, at the moment asked for last
};

/// Reads the root motion of a clip.
void verify_root_init(struct verify_root *root, const trp_clip *clip);

/// Returns the time of a key.
double verify_root_time(const struct verify_root *root, uint32_t key);

/// Writes the movement that the pack has.
void verify_root_at(const struct verify_root *root, double time_s, double movement[4]);

/// Writes the movement that the pack should have: as the source moves the joint, and after the
/// source's end what the pack has there, and then its last way of `closing_s` once more.
/// @param parent where the joint's parent stands
/// @param first  the joint at the start of the clip
/// @param now    the joint at `time_s`; moments must be asked for in order
void verify_root_expected(struct verify_root *root, double time_s, const double parent[12],
                          const struct scene_transform *first, const struct scene_transform *now,
                          double movement[4]);

/// Writes the pivot that the pack should have.
/// @param parent where the joint's parent stands
/// @param first  the joint at the start of the clip
void verify_root_pivot(const struct verify_root *root, const double parent[12],
                       const struct scene_transform *first, double pivot[2]);

/// Writes the matrix of a movement about a pivot.
void verify_root_matrix(const double movement[4], const double pivot[2], double matrix[12]);

/// Returns the joint without a movement of what is above it.
struct scene_transform verify_root_remaining(const double movement[4], const double pivot[2],
                                             const double parent[12],
                                             const struct scene_transform *local);

#endif
