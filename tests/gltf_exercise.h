// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a glTF file: what both the fuzz target and the mutation tests do with them.
#ifndef TROUPE_TESTS_GLTF_EXERCISE_H
#define TROUPE_TESTS_GLTF_EXERCISE_H

#include <stdbool.h>
#include <stddef.h>

/// Imports a copy of exactly this size. A scene that results must keep every promise of scene.h
/// and is sampled all over; a refusal must say why. Aborts with a message otherwise.
/// @return whether it was imported
bool gltf_exercise(const void *bytes, size_t size_bytes);

#endif
