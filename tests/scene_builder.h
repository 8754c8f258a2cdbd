// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Small scenes made in memory, for tests of the compiler.
#ifndef TROUPE_TESTS_SCENE_BUILDER_H
#define TROUPE_TESTS_SCENE_BUILDER_H

#include "scene.h"

/// Returns a scene whose nodes form one chain, each `bone` above its parent; one skin over all
/// where `has_skin`. It has one clip without tracks.
struct scene *scene_builder_chain(uint32_t node_count, double bone, bool has_skin);

/// Adds a track of `key_count` keys at `rate_hz` to the scene's clip; values are zero, to be
/// filled by the caller.
struct scene_curve *scene_builder_track(struct scene *scene, uint32_t node, enum scene_path path,
                                        uint32_t key_count, double rate_hz,
                                        enum scene_interpolation interpolation);

/// Adds a property of `value_count` values that rest at 0, and returns its index.
uint32_t scene_builder_property(struct scene *scene, const char *path,
                                enum scene_property_type type, uint32_t value_count);

/// As scene_builder_track, for a property.
struct scene_curve *scene_builder_property_track(struct scene *scene, uint32_t property,
                                                 uint32_t key_count, double rate_hz,
                                                 enum scene_interpolation interpolation);

/// Writes the quaternion of a turn about an axis (of any length).
void scene_builder_turn(double x, double y, double z, double angle_rad, double rotation[4]);

void scene_builder_free(struct scene *scene);

/// A reproducible random number in [0, 1).
double scene_builder_random(uint64_t *state);

#endif
