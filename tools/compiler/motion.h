// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A motion: the exact curves of one source clip laid over the lanes of a skeleton. What a compiled
// clip is fitted to and measured against.
#ifndef TROUPE_TOOLS_MOTION_H
#define TROUPE_TOOLS_MOTION_H

#include "skeleton.h"

struct motion {
    const struct skeleton *skeleton;
    const char *name;        // in the pack
    const char *source_clip; // in the source
    uint32_t source_clip_index;
    double duration_s;    // of the tracks on this skeleton's clip, closing key included
    bool has_closing_key; // appended by the compiler after the last key
    const struct scene_curve **curves; // [lane_count * 3], null where the source says nothing
    struct scene_transform *reference; // [lane_count] of an additive clip, else null
};

/// Lays a clip of the skeleton's scene over its lanes.
/// @return false where no track of the clip moves a joint of the skeleton (not an error).
bool motion_of_clip(const struct skeleton *skeleton, uint32_t clip_index, struct arena *arena,
                    struct motion *motion);

/// Makes the clip additive: its reference is another motion at time 0, or rest where null.
void motion_make_additive(struct motion *motion, const struct motion *reference,
                          struct arena *arena);

/// Appends the first value of every curve as a closing key, `spacing_s` after the end.
void motion_close(struct motion *motion, double spacing_s, struct arena *arena);

/// Returns the exact local transform of a lane.
struct scene_transform motion_local(const struct motion *motion, uint32_t lane, double time_s);

/// Writes the exact model matrices of all lanes.
void motion_models(const struct motion *motion, double time_s, double (*models)[12]);

/// Composes local transforms into model matrices, parents first.
void models_from_locals(const struct skeleton *skeleton, const struct scene_transform *locals,
                        double (*models)[12]);

/// Returns reference combined with a delta of an additive clip, as the runtime adds it.
struct scene_transform transform_add(const struct scene_transform *reference,
                                     const struct scene_transform *delta);

/// Returns the delta of a transform against a reference; inverse of transform_add.
struct scene_transform transform_subtract(const struct scene_transform *transform,
                                          const struct scene_transform *reference);

/// Writes the sorted times of all keys, without repetition, and returns how many.
/// @param times [out] from `arena`
uint32_t motion_key_times(const struct motion *motion, struct arena *arena, double **times);

/// Whether a curve holds its value from key to key.
bool curve_is_stepped(const struct scene_curve *curve);

/// Whether all keys of a curve have one value (rotations: up to sign) and no tangent moves it.
bool curve_is_constant(const struct scene_curve *curve);

#endif
