// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Accessors of a glTF file, decoded into doubles. Everything is checked in 64-bit arithmetic
// before anything is taken or read; an accessor is decoded once, however many samplers share it.
#include "gltf.h"

#include <math.h>
#include <string.h>

enum {
    GLTF_COUNT_MAX = 1 << 24,
    GLTF_STRIDE_MAX = 252,
};

/// An accessor's or sparse part's elements in the bytes of its buffer.
struct elements {
    const unsigned char *bytes; // of the first; null = all zero
    uint64_t stride_bytes;
};

static uint32_t component_bytes(enum gltf_component component)
{
    switch (component) {
    case GLTF_BYTE:
    case GLTF_UNSIGNED_BYTE:
        return 1;
    case GLTF_SHORT:
    case GLTF_UNSIGNED_SHORT:
        return 2;
    case GLTF_UNSIGNED_INT:
    case GLTF_FLOAT:
        return 4;
    }
    return 0;
}

static bool component_read(const struct json_value *object, enum gltf_component *component)
{
    uint64_t number = 0;
    if (!json_get_integer(object, "componentType", true, 0, UINT32_MAX, &number)) {
        return false;
    }
    *component = (enum gltf_component)number;
    if (component_bytes(*component) == 0) {
        return json_refuse(object, TROUPE_EXIT_INPUT, "gltf.accessor.component",
                           "componentType %llu is unknown", (unsigned long long)number);
    }
    return true;
}

static bool type_read(const struct json_value *value, struct gltf_accessor *accessor)
{
    static const struct {
        const char *name;
        uint32_t count;
    } types[] = {
        {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3},  {"VEC4", 4},
        {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16},
    };
    const char *name = NULL;
    if (!json_get_string(value, "type", true, &name)) {
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(name, types[i].name) == 0) {
            accessor->component_count = types[i].count;
            accessor->is_matrix = strncmp(name, "MAT", 3) == 0;
            return true;
        }
    }
    return json_refuse(value, TROUPE_EXIT_INPUT, "gltf.accessor.type", "type \"%s\" is unknown",
                       name);
}

bool gltf_accessor_describe(struct gltf *gltf, uint32_t index, struct gltf_accessor **out)
{
    struct gltf_accessor *const accessor = &gltf->accessors[index];
    *out = accessor;
    if (accessor->is_described) {
        return true;
    }
    const struct json_value list = json_member(&gltf->root, "accessors");
    const struct json_value value = json_item(&list, index);
    uint64_t count = 0;
    if (!json_check_object(&value) || !component_read(&value, &accessor->component) ||
        !type_read(&value, accessor) ||
        !json_get_integer(&value, "count", true, 1, GLTF_COUNT_MAX, &count) ||
        !json_get_boolean(&value, "normalized", &accessor->is_normalised)) {
        return false;
    }
    if (accessor->is_normalised &&
        (accessor->component == GLTF_FLOAT || accessor->component == GLTF_UNSIGNED_INT)) {
        return json_refuse(&value, TROUPE_EXIT_INPUT, "gltf.accessor.normalized",
                           "only 8 and 16 bit integers can be normalized");
    }
    accessor->count = (uint32_t)count;
    accessor->is_described = true;
    return true;
}

/// Finds `count` elements of `element_bytes` in the buffer view that `object` refers to.
static bool elements_find(struct gltf *gltf, const struct json_value *object, uint32_t count,
                          uint32_t element_bytes, bool required, struct elements *elements)
{
    struct json_value views = {0};
    uint32_t view_count = 0;
    int32_t view_index = -1;
    uint64_t start = 0;
    if (!json_get_array(&gltf->root, "bufferViews", false, &views, &view_count) ||
        !json_get_index(object, "bufferView", required, "buffer views", view_count, &view_index) ||
        !json_get_integer(object, "byteOffset", false, 0, UINT64_MAX, &start)) {
        return false;
    }
    *elements = (struct elements){NULL, element_bytes};
    if (view_index < 0) {
        return true;
    }
    const struct json_value view = json_item(&views, (size_t)view_index);
    int32_t buffer_index = -1;
    uint64_t view_offset = 0;
    uint64_t view_bytes = 0;
    if (!json_check_object(&view) ||
        !json_get_index(&view, "buffer", true, "buffers", gltf->buffer_count, &buffer_index) ||
        !json_get_integer(&view, "byteOffset", false, 0, UINT64_MAX, &view_offset) ||
        !json_get_integer(&view, "byteLength", true, 1, UINT64_MAX, &view_bytes) ||
        !json_get_integer(&view, "byteStride", false, element_bytes, GLTF_STRIDE_MAX,
                          &elements->stride_bytes)) {
        return false;
    }
    const unsigned char *bytes;
    size_t buffer_bytes;
    if (!gltf_buffer_bytes(gltf, (uint32_t)buffer_index, &bytes, &buffer_bytes)) {
        return false;
    }
    // JSON integers stay below 2^53 and counts below 2^24, so that none of these sums can wrap.
    if (view_offset + view_bytes > buffer_bytes) {
        return json_refuse(&view, TROUPE_EXIT_INPUT, "gltf.view.bounds",
                           "ends at byte %llu of a buffer of %zu bytes",
                           (unsigned long long)(view_offset + view_bytes), buffer_bytes);
    }
    const uint64_t end = start + (count - 1) * elements->stride_bytes + element_bytes;
    if (end > view_bytes) {
        return json_refuse(object, TROUPE_EXIT_INPUT, "gltf.accessor.bounds",
                           "%u elements end at byte %llu of a buffer view of %llu bytes", count,
                           (unsigned long long)end, (unsigned long long)view_bytes);
    }
    elements->bytes = bytes + view_offset + start;
    return true;
}

static uint16_t read_u16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t read_u32(const unsigned char *bytes)
{
    return read_u16(bytes) | (uint32_t)read_u16(bytes + 2) << 16;
}

static double read_float(const unsigned char *bytes)
{
    const uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double signed_ratio(double integer, double largest)
{
    const double ratio = integer / largest;
    return ratio < -1 ? -1 : ratio;
}

static double component_value(const unsigned char *bytes, enum gltf_component component,
                              bool is_normalised)
{
    switch (component) {
    case GLTF_BYTE: {
        const double integer = (int8_t)bytes[0];
        return is_normalised ? signed_ratio(integer, 127) : integer;
    }
    case GLTF_UNSIGNED_BYTE:
        return is_normalised ? bytes[0] / 255.0 : bytes[0];
    case GLTF_SHORT: {
        const double integer = (int16_t)read_u16(bytes);
        return is_normalised ? signed_ratio(integer, 32767) : integer;
    }
    case GLTF_UNSIGNED_SHORT:
        return is_normalised ? read_u16(bytes) / 65535.0 : read_u16(bytes);
    case GLTF_UNSIGNED_INT:
        return read_u32(bytes);
    case GLTF_FLOAT:
        return read_float(bytes);
    }
    return 0;
}

static void element_decode(const struct gltf_accessor *accessor, const unsigned char *bytes,
                           double *values)
{
    const uint32_t size = component_bytes(accessor->component);
    for (uint32_t i = 0; i < accessor->component_count; i++) {
        values[i] =
            component_value(bytes + (size_t)i * size, accessor->component, accessor->is_normalised);
    }
}

/// Puts the elements of a sparse accessor over the ones that are there.
static bool sparse_decode(struct gltf *gltf, const struct json_value *sparse,
                          const struct gltf_accessor *accessor, uint32_t element_bytes,
                          double *values)
{
    const struct json_value indices_value = json_member(sparse, "indices");
    const struct json_value values_value = json_member(sparse, "values");
    uint64_t sparse_count = 0;
    enum gltf_component index_component = GLTF_UNSIGNED_BYTE;
    if (!json_check_object(sparse) ||
        !json_get_integer(sparse, "count", true, 1, accessor->count, &sparse_count) ||
        !json_check_object(&indices_value) || !json_check_object(&values_value) ||
        !component_read(&indices_value, &index_component)) {
        return false;
    }
    if (index_component != GLTF_UNSIGNED_BYTE && index_component != GLTF_UNSIGNED_SHORT &&
        index_component != GLTF_UNSIGNED_INT) {
        return json_refuse(&indices_value, TROUPE_EXIT_INPUT, "gltf.accessor.component",
                           "indices must be unsigned integers");
    }
    const uint32_t count = (uint32_t)sparse_count;
    struct elements indices;
    struct elements replacements;
    if (!elements_find(gltf, &indices_value, count, component_bytes(index_component), true,
                       &indices) ||
        !elements_find(gltf, &values_value, count, element_bytes, true, &replacements)) {
        return false;
    }
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = (uint32_t)component_value(indices.bytes + i * indices.stride_bytes,
                                                         index_component, false);
        if (index < smallest || index >= accessor->count) {
            return json_refuse(&indices_value, TROUPE_EXIT_INPUT, "gltf.accessor.sparse",
                               "index %u at %u is out of range or out of order", index, i);
        }
        element_decode(accessor, replacements.bytes + i * replacements.stride_bytes,
                       values + (size_t)index * accessor->component_count);
        smallest = index + 1;
    }
    return true;
}

/// What is larger has no place in a pack: its products would not be finite.
static const double value_limit = 1e30;

static bool values_check_finite(const struct json_value *referrer, uint32_t index,
                                const struct gltf_accessor *accessor, const double *values)
{
    const size_t total = (size_t)accessor->count * accessor->component_count;
    for (size_t i = 0; i < total; i++) {
        if (!(fabs(values[i]) <= value_limit)) {
            return json_refuse(referrer, TROUPE_EXIT_INPUT, "gltf.accessor.finite",
                               "component %zu of element %zu of accessor %u is %s",
                               i % accessor->component_count, i / accessor->component_count, index,
                               isfinite(values[i]) ? "above 1e30" : "not finite");
        }
    }
    return true;
}

bool gltf_accessor_decode(struct gltf *gltf, const struct json_value *referrer, uint32_t index)
{
    struct gltf_accessor *accessor;
    if (!gltf_accessor_describe(gltf, index, &accessor)) {
        return false;
    }
    if (accessor->values) {
        return true;
    }
    const struct json_value list = json_member(&gltf->root, "accessors");
    const struct json_value value = json_item(&list, index);
    const struct json_value sparse = json_member(&value, "sparse");
    const uint32_t element_bytes = component_bytes(accessor->component) * accessor->component_count;
    struct elements elements;
    void *memory;
    if (!elements_find(gltf, &value, accessor->count, element_bytes, false, &elements) ||
        !gltf_take(gltf, &value, (uint64_t)accessor->count * accessor->component_count,
                   sizeof(double), &memory)) {
        return false;
    }
    double *const values = memory;
    for (uint32_t i = 0; elements.bytes && i < accessor->count; i++) {
        element_decode(accessor, elements.bytes + i * elements.stride_bytes,
                       values + (size_t)i * accessor->component_count);
    }
    if (sparse.value && !sparse_decode(gltf, &sparse, accessor, element_bytes, values)) {
        return false;
    }
    if (!values_check_finite(referrer, index, accessor, values)) {
        return false;
    }
    accessor->values = values;
    return true;
}
