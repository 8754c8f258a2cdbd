// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Writes a binary glTF file piece by piece: arrays become accessors, objects become JSON text.
// Knows the container, not what is in it.
#ifndef TROUPE_TOOLS_GLB_H
#define TROUPE_TOOLS_GLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/// Arrays of a glTF file, each the text between its brackets.
enum glb_array {
    GLB_ACCESSORS,
    GLB_ANIMATIONS,
    GLB_BUFFER_VIEWS,
    GLB_MATERIALS,
    GLB_MESHES,
    GLB_NODES,
    GLB_SCENES,
    GLB_SKINS,
    GLB_ARRAY_COUNT,
};

/// A file in the making. Zero-initialise.
struct glb {
    struct buffer arrays[GLB_ARRAY_COUNT];
    struct buffer binary;
    uint32_t accessor_count;
};

/// What the numbers of an accessor are.
enum glb_component {
    GLB_U8 = 5121,
    GLB_U16 = 5123,
    GLB_F32 = 5126,
};

/// What the elements of an accessor are for.
enum glb_target {
    GLB_NO_TARGET = 0,
    GLB_VERTICES = 34962,
    GLB_INDICES = 34963,
};

struct glb_accessor {
    const void *data;
    uint32_t count;
    enum glb_component component;
    uint32_t width; // numbers an element: 1, 3, 4 or 16
    bool is_normalized;
    bool has_bounds; // floats only
    enum glb_target target;
};

/// Appends formatted text.
void glb_text(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Appends formatted text to an array, after a comma where something stands there already.
void glb_item(struct glb *glb, enum glb_array array, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Copies an array into the file and returns the index of its accessor.
uint32_t glb_add(struct glb *glb, const struct glb_accessor *accessor);

/// Writes the file.
/// @return false where the file cannot be written; errno says why.
bool glb_write(const struct glb *glb, const char *path);

void glb_free(struct glb *glb);

#endif
