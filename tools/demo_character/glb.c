// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The container of glTF 2.0: header, JSON chunk, binary chunk, each padded to four bytes.
#include "glb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_format(struct buffer *buffer, const char *format, va_list arguments)
{
    char text[512];
    const int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        abort(); // a text longer than any this program writes
    }
    buffer_append(buffer, text, (size_t)length);
}

void glb_text(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_format(buffer, format, arguments);
    va_end(arguments);
}

void glb_item(struct glb *glb, enum glb_array array, const char *format, ...)
{
    if (glb->arrays[array].size > 0) {
        buffer_append(&glb->arrays[array], ",", 1);
    }
    va_list arguments;
    va_start(arguments, format);
    append_format(&glb->arrays[array], format, arguments);
    va_end(arguments);
}

static size_t component_bytes(enum glb_component component)
{
    return component == GLB_F32 ? 4 : component == GLB_U16 ? 2 : 1;
}

static const char *type_name(uint32_t width)
{
    return width == 1 ? "SCALAR" : width == 3 ? "VEC3" : width == 4 ? "VEC4" : "MAT4";
}

// Nine digits give back the float exactly.
static void write_bound(struct buffer *text, const char *name, const float *values, uint32_t count,
                        uint32_t width, float sign)
{
    glb_text(text, ",\"%s\":[", name);
    for (uint32_t column = 0; column < width; column++) {
        float bound = values[column];
        for (uint32_t row = 1; row < count; row++) {
            const float value = values[row * width + column];
            if (sign * value > sign * bound) {
                bound = value;
            }
        }
        glb_text(text, "%s%.9g", column > 0 ? "," : "", (double)bound);
    }
    glb_text(text, "]");
}

uint32_t glb_add(struct glb *glb, const struct glb_accessor *accessor)
{
    const size_t size_bytes =
        accessor->count * accessor->width * component_bytes(accessor->component);
    struct buffer *views = &glb->arrays[GLB_BUFFER_VIEWS];
    glb_item(glb, GLB_BUFFER_VIEWS, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
             glb->binary.size, size_bytes);
    if (accessor->target != GLB_NO_TARGET) {
        glb_text(views, ",\"target\":%d", (int)accessor->target);
    }
    glb_text(views, "}");
    buffer_append(&glb->binary, accessor->data, size_bytes);
    buffer_align(&glb->binary, 4);

    struct buffer *accessors = &glb->arrays[GLB_ACCESSORS];
    glb_item(
        glb, GLB_ACCESSORS, "{\"bufferView\":%u,\"componentType\":%d,\"count\":%u,\"type\":\"%s\"",
        glb->accessor_count, (int)accessor->component, accessor->count, type_name(accessor->width));
    if (accessor->is_normalized) {
        glb_text(accessors, ",\"normalized\":true");
    }
    if (accessor->has_bounds) {
        write_bound(accessors, "min", accessor->data, accessor->count, accessor->width, -1);
        write_bound(accessors, "max", accessor->data, accessor->count, accessor->width, 1);
    }
    glb_text(accessors, "}");
    return glb->accessor_count++;
}

static struct buffer make_json(const struct glb *glb)
{
    static const char *const names[GLB_ARRAY_COUNT] = {
        [GLB_ACCESSORS] = "accessors",
        [GLB_ANIMATIONS] = "animations",
        [GLB_BUFFER_VIEWS] = "bufferViews",
        [GLB_MATERIALS] = "materials",
        [GLB_MESHES] = "meshes",
        [GLB_NODES] = "nodes",
        [GLB_SCENES] = "scenes",
        [GLB_SKINS] = "skins",
    };
    struct buffer json = {0};
    glb_text(&json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Troupe demo character\"}");
    glb_text(&json, ",\"scene\":0,\"buffers\":[{\"byteLength\":%zu}]", glb->binary.size);
    for (int array = 0; array < GLB_ARRAY_COUNT; array++) {
        glb_text(&json, ",\n\"%s\":[", names[array]);
        buffer_append(&json, glb->arrays[array].bytes, glb->arrays[array].size);
        glb_text(&json, "]");
    }
    glb_text(&json, "}");
    while (json.size % 4 != 0) {
        glb_text(&json, " ");
    }
    return json;
}

static void append_u32(struct buffer *buffer, uint32_t value)
{
    const unsigned char bytes[4] = {
        (unsigned char)value,
        (unsigned char)(value >> 8),
        (unsigned char)(value >> 16),
        (unsigned char)(value >> 24),
    };
    buffer_append(buffer, bytes, sizeof bytes);
}

bool glb_write(const struct glb *glb, const char *path)
{
    struct buffer json = make_json(glb);
    struct buffer file = {0};
    append_u32(&file, 0x46546C67); // "glTF"
    append_u32(&file, 2);
    append_u32(&file, (uint32_t)(12 + 8 + json.size + 8 + glb->binary.size));
    append_u32(&file, (uint32_t)json.size);
    append_u32(&file, 0x4E4F534A); // "JSON"
    buffer_append(&file, json.bytes, json.size);
    append_u32(&file, (uint32_t)glb->binary.size);
    append_u32(&file, 0x004E4942); // "BIN"
    buffer_append(&file, glb->binary.bytes, glb->binary.size);

    FILE *const out = fopen(path, "wb");
    bool is_written = out && fwrite(file.bytes, 1, file.size, out) == file.size;
    if (out && fclose(out) != 0) {
        is_written = false;
    }
    buffer_free(&json);
    buffer_free(&file);
    return is_written;
}

void glb_free(struct glb *glb)
{
    for (int array = 0; array < GLB_ARRAY_COUNT; array++) {
        buffer_free(&glb->arrays[array]);
    }
    buffer_free(&glb->binary);
    *glb = (struct glb){0};
}
