// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Makes small glTF files in memory for tests.
#include "gltf_builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_BYTES = 1 << 18 };

uint32_t gltf_builder_add(struct gltf_builder *builder, enum gltf_section section,
                          const char *format, ...)
{
    char *const text = builder->sections[section].text;
    size_t used = builder->sections[section].text_bytes;
    if (used > 0) {
        text[used++] = ',';
    }
    va_list arguments;
    va_start(arguments, format);
    const int bytes = vsnprintf(text + used, GLTF_TEXT_BYTES - used, format, arguments);
    va_end(arguments);
    assert(bytes >= 0 && used + (size_t)bytes < GLTF_TEXT_BYTES);
    builder->sections[section].text_bytes = used + (size_t)bytes;
    return builder->sections[section].count++;
}

uint32_t gltf_builder_view(struct gltf_builder *builder, const void *bytes, size_t size_bytes,
                           const char *members)
{
    const size_t offset = (builder->binary_bytes + 3) / 4 * 4;
    assert(offset + size_bytes <= GLTF_BINARY_BYTES);
    memcpy(builder->binary + offset, bytes, size_bytes);
    builder->binary_bytes = offset + size_bytes;
    return gltf_builder_add(builder, GLTF_VIEWS,
                            "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}", offset,
                            size_bytes, members);
}

uint32_t gltf_builder_accessor(struct gltf_builder *builder, int component, const char *type,
                               uint32_t count, const char *members, const void *bytes,
                               size_t size_bytes)
{
    const uint32_t view = gltf_builder_view(builder, bytes, size_bytes, "");
    return gltf_builder_add(
        builder, GLTF_ACCESSORS,
        "{\"bufferView\":%u,\"componentType\":%d,\"type\":\"%s\",\"count\":%u%s}", view, component,
        type, count, members);
}

uint32_t gltf_builder_floats(struct gltf_builder *builder, uint32_t component_count, uint32_t count,
                             const float *values)
{
    const char *const type = component_count == 1   ? "SCALAR"
                             : component_count == 2 ? "VEC2"
                             : component_count == 3 ? "VEC3"
                             : component_count == 4 ? "VEC4"
                                                    : "MAT4";
    return gltf_builder_accessor(builder, 5126, type, count, "", values,
                                 (size_t)count * component_count * sizeof *values);
}

/// Writes the JSON text; `uri` is a member of the buffer, or empty.
static size_t write_json(const struct gltf_builder *builder, const char *uri, char *json)
{
    static const char *const names[GLTF_SECTION_COUNT] = {
        "bufferViews", "accessors", "nodes", "meshes", "skins", "animations",
    };
    char buffer[100];
    snprintf(buffer, sizeof buffer, "\"byteLength\":%zu", builder->binary_bytes);
    int used = snprintf(json, JSON_BYTES, "{\"asset\":%s,%s",
                        builder->asset ? builder->asset : "{\"version\":\"2.0\"}",
                        builder->extra ? builder->extra : "");
    for (int i = 0; i < GLTF_SECTION_COUNT; i++) {
        if (builder->sections[i].count > 0) {
            used += snprintf(json + used, (size_t)(JSON_BYTES - used), "\"%s\":[%s],", names[i],
                             builder->sections[i].text);
        }
    }
    if (builder->buffer) {
        used += snprintf(json + used, (size_t)(JSON_BYTES - used), "\"buffers\":[%s]}",
                         builder->buffer);
    } else {
        used += snprintf(json + used, (size_t)(JSON_BYTES - used), "\"buffers\":[{%s%s}]}", buffer,
                         uri);
    }
    assert(used < JSON_BYTES);
    return (size_t)used;
}

static void put_u32(unsigned char *bytes, size_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

unsigned char *gltf_builder_glb(const struct gltf_builder *builder, size_t *size_bytes)
{
    char *const json = malloc(JSON_BYTES);
    const size_t json_bytes = write_json(builder, "", json);
    const size_t json_padded = (json_bytes + 3) / 4 * 4;
    const size_t binary_padded = (builder->binary_bytes + 3) / 4 * 4;
    const size_t total = 12 + 8 + json_padded + (binary_padded > 0 ? 8 + binary_padded : 0);
    unsigned char *const bytes = calloc(total, 1);
    memcpy(bytes, "glTF", 4);
    put_u32(bytes + 4, 2);
    put_u32(bytes + 8, total);
    put_u32(bytes + 12, json_padded);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', json_padded);
    memcpy(bytes + 20, json, json_bytes);
    if (binary_padded > 0) {
        put_u32(bytes + 20 + json_padded, binary_padded);
        memcpy(bytes + 24 + json_padded, "BIN", 4);
        memcpy(bytes + 28 + json_padded, builder->binary, builder->binary_bytes);
    }
    free(json);
    *size_bytes = total;
    return bytes;
}

unsigned char *gltf_builder_gltf(const struct gltf_builder *builder, size_t *size_bytes)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *const uri = malloc(GLTF_BINARY_BYTES / 3 * 4 + 100);
    int used = sprintf(uri, ",\"uri\":\"data:application/octet-stream;base64,");
    for (size_t at = 0; at < builder->binary_bytes; at += 3) {
        uint32_t group = 0;
        for (size_t i = 0; i < 3; i++) {
            group = group << 8 | (at + i < builder->binary_bytes ? builder->binary[at + i] : 0);
        }
        for (size_t i = 0; i < 4; i++) {
            const bool is_padding = at + i > builder->binary_bytes;
            uri[used++] = is_padding ? '=' : alphabet[group >> (18 - 6 * i) & 63];
        }
    }
    strcpy(uri + used, "\"");
    char *const json = malloc(JSON_BYTES);
    *size_bytes = write_json(builder, uri, json);
    free(uri);
    return (unsigned char *)json;
}
