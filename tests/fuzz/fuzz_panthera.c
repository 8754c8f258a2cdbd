// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Fuzz target: any bytes as a Panthera project, JSON or a Lua module as they begin. Linked with
// -fsanitize=fuzzer it is a libFuzzer program, with replay.c it runs once over the files and
// folders that it is given.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../scene_exercise.h"
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // A copy of exactly this size, so that reads past the end are found.
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    memcpy(copy, data, size);
    struct scene scene;
    struct report report = {0};
    const bool ok = import_panthera("none/exercise", copy, size, &scene, &report);
    free(copy);
    scene_exercise_import(ok, &scene, &report);
    return 0;
}
