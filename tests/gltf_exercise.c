// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a glTF file.
#include "gltf_exercise.h"

#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "scene_exercise.h"

bool gltf_exercise(const void *bytes, size_t size_bytes)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    struct scene scene;
    struct report report = {0};
    const bool ok = import_gltf("exercise.gltf", copy, size_bytes, &scene, &report);
    free(copy);
    scene_exercise_import(ok, &scene, &report);
    return ok;
}
