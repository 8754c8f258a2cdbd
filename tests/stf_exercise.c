// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an STF file.
#include "stf_exercise.h"

#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "scene_exercise.h"

bool stf_exercise(const void *bytes, size_t size_bytes)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    const struct import_options options = {
        .is_stf_tangent_added = size_bytes > 8 && (((const unsigned char *)copy)[8] & 1),
    };
    struct scene scene;
    struct report report = {0};
    const bool ok = import_stf("exercise.stf", copy, size_bytes, &options, &scene, &report);
    free(copy);
    scene_exercise_import(ok, &scene, &report);
    return ok;
}
