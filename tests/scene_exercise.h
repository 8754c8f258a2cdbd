// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What every importer promises, whatever bytes it was given.
#ifndef TROUPE_TESTS_SCENE_EXERCISE_H
#define TROUPE_TESTS_SCENE_EXERCISE_H

#include <stdbool.h>

#include "report.h"
#include "scene.h"

/// Checks what an importer left. A scene that results must keep every promise of scene.h and is
/// sampled all over, then freed; a refusal must say why. Aborts with a message otherwise.
/// @param ok  what the importer returned
void scene_exercise_import(bool ok, struct scene *scene, const struct report *report);

#endif
