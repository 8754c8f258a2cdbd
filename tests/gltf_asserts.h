// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What tests of the glTF importer ask of files that they made with gltf_builder.h.
#ifndef TROUPE_TESTS_GLTF_ASSERTS_H
#define TROUPE_TESTS_GLTF_ASSERTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gltf_builder.h"
#include "import.h"

/// Imports a copy of exactly this size, so that a read past the end is found.
static inline bool import_copy(const void *bytes, size_t size_bytes, struct scene *scene,
                               struct report *report)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    const bool ok = import_gltf("folder/test.gltf", copy, size_bytes, scene, report);
    free(copy);
    return ok;
}

static inline bool import_built(const struct gltf_builder *builder, struct scene *scene,
                                struct report *report)
{
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_glb(builder, &size_bytes);
    const bool ok = import_copy(bytes, size_bytes, scene, report);
    free(bytes);
    return ok;
}

static inline void assert_imports(const struct gltf_builder *builder, struct scene *scene,
                                  struct report *report)
{
    *report = (struct report){0};
    if (!import_built(builder, scene, report)) {
        fail_msg("%s", report->first_error);
    }
}

/// @param line  what follows "folder/test.gltf: error: "
static inline void assert_refused(const struct gltf_builder *builder, enum troupe_exit exit_code,
                                  const char *line)
{
    struct scene scene;
    struct report report = {0};
    if (import_built(builder, &scene, &report)) {
        scene_free(&scene);
        fail_msg("imported, but expected: %s", line);
    }
    char expected[512];
    snprintf(expected, sizeof expected, "folder/test.gltf: error: %s", line);
    assert_string_equal(report.first_error, expected);
    assert_int_equal(report.exit_code, exit_code);
    const struct scene zero = {0};
    assert_memory_equal(&scene, &zero, sizeof zero);
}

/// Adds a node and one channel for its path, with accessors that exist already.
static inline void build_channel(struct gltf_builder *builder, const char *path, uint32_t input,
                                 uint32_t output, const char *interpolation)
{
    const uint32_t node = gltf_builder_add(builder, GLTF_NODES, "{}");
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"%s\"}}],"
                     "\"samplers\":[{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}]}",
                     node, path, input, output, interpolation);
}

/// Adds key times every half second.
static inline uint32_t build_times(struct gltf_builder *builder, uint32_t count)
{
    float times[64];
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (float)i * 0.5f;
    }
    return gltf_builder_floats(builder, 1, count, times);
}

#endif
