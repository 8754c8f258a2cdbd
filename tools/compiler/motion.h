// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A motion: the exact curves of one source clip laid over the lanes of a skeleton and the values of
// its scene's properties. What a compiled clip is fitted to and measured against.
#ifndef TROUPE_TOOLS_MOTION_H
#define TROUPE_TOOLS_MOTION_H

#include "skeleton.h"

struct root_motion;

/// The places of a scene's properties in one array of values.
struct property_values {
    uint32_t property_count;
    uint32_t value_count;
    const struct scene_property *properties; // of the scene
    uint32_t text_count;
    const char *const *texts;    // likewise, of its strings
    uint32_t *first_value;       // [property_count]
    uint32_t *property_of_value; // [value_count]
    double *tolerance; // [property_count] how far a value may be off, see FORMAT.md, "Error"
};

/// Lays out the properties of a scene, and finds from all clips how exact each must be.
struct property_values *property_values_of(const struct scene *scene, struct arena *arena);

struct motion {
    const struct skeleton *skeleton;
    const char *source_clip; // in the source
    uint32_t source_clip_index;
    double duration_s;    // of the tracks on this skeleton's clip, closing key included
    bool has_closing_key; // appended by the compiler after the last key
    double lead_in_s;     // taken off all times by motion_trim
    const struct scene_curve **curves;    // [lane_count * 3], null where the source says nothing
    struct scene_transform *reference;    // [lane_count] of an additive clip, else null
    const struct property_values *values; // where the scene's properties lie
    const struct scene_curve **property_curves; // [values->property_count], null where still
    double *value_reference;                    // [values->value_count] of an additive clip
    const struct root_motion *root;             // what moves the character, or null
};

/// Lays a clip of the skeleton's scene over its lanes and, unless `values` is null, over values.
/// @return false where no track of the clip moves any of them (not an error): a clip of nothing.
bool motion_of_clip(const struct skeleton *skeleton, const struct property_values *values,
                    uint32_t clip_index, struct arena *arena, struct motion *motion);

/// Makes the clip additive: its reference is another motion at time 0, or rest where null.
void motion_make_additive(struct motion *motion, const struct motion *reference,
                          struct arena *arena);

/// Lets the clip start at the first key of all its curves: takes that time off all of them. Keys
/// before the clip stay where they are.
void motion_trim(struct motion *motion, struct arena *arena);

/// Appends the first value of every curve as a closing key, `spacing_s` after the end.
void motion_close(struct motion *motion, double spacing_s, struct arena *arena);

/// Returns the local transform of a lane by its curves: exact, but for the joint that root motion
/// was taken out of, where curves are within a small part of the budget.
struct scene_transform motion_local(const struct motion *motion, uint32_t lane, double time_s);

/// Returns the values of a property, one double for each: exact, less the reference if additive.
void motion_property(const struct motion *motion, uint32_t property, double time_s, double *values);

/// Writes the exact model matrices of all lanes, without what was taken out as root motion.
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

/// The curves of a motion as one list: [lane_count * 3] of joints, then one for each property.
uint32_t motion_curve_count(const struct motion *motion);

/// Whether the clip is one of the scene's property set: it moves a property, or there are no joints
/// that it could move.
bool motion_has_values(const struct motion *motion);

/// Returns a curve of that list, or null where the source says nothing.
const struct scene_curve *motion_curve(const struct motion *motion, uint32_t index);

/// Writes the sorted times of all keys of the source, without repetition and without those before
/// the clip, and returns how many.
/// @param is_left_out [motion_curve_count] curves that do not count; may be null
/// @param times       [out] from `arena`
uint32_t motion_key_times(const struct motion *motion, const bool *is_left_out, struct arena *arena,
                          double **times);

/// Whether the first key of a curve says what it has before the clip, at negative times.
bool curve_has_initial(const struct scene_curve *curve);

/// Whether a curve holds its value from key to key.
bool curve_is_stepped(const struct scene_curve *curve);

/// Whether all keys of a curve have one value (rotations: up to sign) and no tangent or handle
/// moves it.
bool curve_is_constant(const struct scene_curve *curve, enum scene_path path);

#endif
