// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an STF file: what both the fuzz target and the mutation tests do with them.
#ifndef TROUPE_TESTS_STF_EXERCISE_H
#define TROUPE_TESTS_STF_EXERCISE_H

#include <stdbool.h>
#include <stddef.h>

/// Imports a copy of exactly this size, with the rule of tangents that byte 8, of no meaning in the
/// format, chooses. A scene that results must keep every promise of scene.h
/// and is sampled all over; a refusal must say why. Aborts with a message otherwise.
/// @return whether it was imported
bool stf_exercise(const void *bytes, size_t size_bytes);

#endif
