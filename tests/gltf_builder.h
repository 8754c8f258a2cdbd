// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Makes small glTF files in memory for tests: items of JSON text, bytes for the one buffer, and
// either container around them. It checks nothing, so that wrong files can be made too.
#ifndef TROUPE_TESTS_GLTF_BUILDER_H
#define TROUPE_TESTS_GLTF_BUILDER_H

#include <stddef.h>
#include <stdint.h>

enum gltf_section {
    GLTF_VIEWS,
    GLTF_ACCESSORS,
    GLTF_NODES,
    GLTF_MESHES,
    GLTF_SKINS,
    GLTF_ANIMATIONS,
    GLTF_SECTION_COUNT,
};

enum {
    GLTF_TEXT_BYTES = 16384,
    GLTF_BINARY_BYTES = 65536,
};

/// Zero-initialise.
struct gltf_builder {
    struct {
        char text[GLTF_TEXT_BYTES];
        size_t text_bytes;
        uint32_t count;
    } sections[GLTF_SECTION_COUNT];
    unsigned char binary[GLTF_BINARY_BYTES];
    size_t binary_bytes;
    const char *asset;  // text of the asset object; null = a correct one
    const char *extra;  // further members of the root, each followed by a comma; may be null
    const char *buffer; // text of the buffer object; null = the binary chunk or a data URI
};

/// Adds an item to a section, as JSON text.
/// @return its index
uint32_t gltf_builder_add(struct gltf_builder *builder, enum gltf_section section,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Adds bytes, 4-byte aligned, and a buffer view of them.
/// @param members  further members of the view, each preceded by a comma
uint32_t gltf_builder_view(struct gltf_builder *builder, const void *bytes, size_t size_bytes,
                           const char *members);

/// Adds bytes, a view and an accessor.
/// @param members  further members of the accessor, each preceded by a comma
uint32_t gltf_builder_accessor(struct gltf_builder *builder, int component, const char *type,
                               uint32_t count, const char *members, const void *bytes,
                               size_t size_bytes);

/// Adds floats as an accessor of SCALAR, VEC2, VEC3, VEC4 or MAT4.
uint32_t gltf_builder_floats(struct gltf_builder *builder, uint32_t component_count, uint32_t count,
                             const float *values);

/// Returns the file, which the caller frees.
unsigned char *gltf_builder_glb(const struct gltf_builder *builder, size_t *size_bytes);
unsigned char *gltf_builder_gltf(const struct gltf_builder *builder, size_t *size_bytes);

#endif
