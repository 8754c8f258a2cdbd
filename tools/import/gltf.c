// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The glTF 2.0 importer: container, header, and the order in which the parts are read.
// Source: glTF 2.0 specification, sections 3 and 4.
#include "gltf.h"

#include <string.h>

#include "import.h"

enum {
    GLB_HEADER_BYTES = 12,
    GLB_CHUNK_HEADER_BYTES = 8,
    GLB_CHUNK_JSON = 0x4e4f534a,
    GLB_CHUNK_BINARY = 0x004e4942,
};

/// Decoded values take at most 8 times the bytes they come from; files that share data between
/// many accessors take more. Only a hostile file takes 64 times its size.
static const uint64_t budget_floor_bytes = 1 << 20;
static const uint64_t budget_per_byte = 64;

/// The parts of a container.
struct container {
    const unsigned char *json;
    size_t json_bytes;
    const unsigned char *binary; // null without one
    size_t binary_bytes;
};

bool gltf_take(struct gltf *gltf, const struct json_value *at, uint64_t count, size_t size,
               void **memory)
{
    // Counts stay below 2^26, sizes below 2^8.
    const uint64_t bytes = count * size;
    if (bytes > gltf->budget_bytes) {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.limit",
                           "decoding would take far more memory than the file is large");
    }
    gltf->budget_bytes -= bytes;
    *memory = arena_take(&gltf->scene->arena, (size_t)count, size);
    return true;
}

static uint32_t read_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static bool container_error(struct report *report, const char *code, const char *message)
{
    return report_error(report, TROUPE_EXIT_INPUT, NULL, code, "%s", message);
}

/// Finds the JSON chunk, which comes first, and the binary chunk, which comes second if at all.
static bool container_read_chunks(const unsigned char *bytes, size_t size_bytes,
                                  struct report *report, struct container *container)
{
    size_t at = GLB_HEADER_BYTES;
    for (uint32_t chunk = 0; at < size_bytes; chunk++) {
        if (size_bytes - at < GLB_CHUNK_HEADER_BYTES) {
            return container_error(report, "gltf.glb.chunk", "a chunk's header is cut off");
        }
        const size_t chunk_bytes = read_u32(bytes + at);
        const uint32_t type = read_u32(bytes + at + 4);
        at += GLB_CHUNK_HEADER_BYTES;
        if (chunk_bytes > size_bytes - at) {
            return container_error(report, "gltf.glb.chunk", "a chunk ends after the file");
        }
        if (chunk_bytes % 4 != 0) {
            return container_error(report, "gltf.glb.chunk",
                                   "a chunk's length is no multiple of 4");
        }
        if ((chunk == 0) != (type == GLB_CHUNK_JSON)) {
            return container_error(report, "gltf.glb.chunk",
                                   "the first chunk, and no other, must be JSON");
        }
        if (chunk == 0) {
            container->json = bytes + at;
            container->json_bytes = chunk_bytes;
        } else if (chunk == 1 && type == GLB_CHUNK_BINARY) {
            container->binary = bytes + at;
            container->binary_bytes = chunk_bytes;
        }
        at += chunk_bytes;
    }
    return container->json || container_error(report, "gltf.glb.chunk", "there is no JSON chunk");
}

static bool container_read(const unsigned char *bytes, size_t size_bytes, struct report *report,
                           struct container *container)
{
    *container = (struct container){.json = bytes, .json_bytes = size_bytes};
    if (size_bytes < 4 || memcmp(bytes, "glTF", 4) != 0) {
        return true;
    }
    container->json = NULL;
    if (size_bytes < GLB_HEADER_BYTES) {
        return container_error(report, "gltf.glb.header", "the header is cut off");
    }
    const uint32_t version = read_u32(bytes + 4);
    const uint32_t length = read_u32(bytes + 8);
    if (version != 2) {
        return report_error(report, TROUPE_EXIT_UNSUPPORTED, NULL, "gltf.version",
                            "version %u of the container is not supported, only 2", version);
    }
    if (length != size_bytes) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "gltf.glb.header",
                            "the header says %u bytes, the file has %zu", length, size_bytes);
    }
    return container_read_chunks(bytes, size_bytes, report, container);
}

/// Whether a file holds what the first buffer of an STF file does.
static bool is_stf_json(const struct gltf *gltf)
{
    const struct json_value header = json_member(&gltf->root, "stf");
    const struct json_value resources = json_member(&gltf->root, "resources");
    return json_as_object(&header) && json_as_object(&resources);
}

static bool asset_check(const struct gltf *gltf)
{
    const struct json_value asset = json_member(&gltf->root, "asset");
    const char *version = NULL;
    const char *minimum = "2.0";
    if (is_stf_json(gltf)) {
        return json_refuse(&gltf->root, TROUPE_EXIT_INPUT, "import.format",
                           "is the JSON of an STF file without its container");
    }
    if (!json_check_object(&gltf->root) || !json_check_object(&asset) ||
        !json_get_string(&asset, "version", true, &version) ||
        !json_get_string(&asset, "minVersion", false, &minimum)) {
        return false;
    }
    if (strncmp(version, "2.", 2) != 0 || strcmp(minimum, "2.0") != 0) {
        return json_refuse(&asset, TROUPE_EXIT_UNSUPPORTED, "gltf.version",
                           "version %s (at least %s) is not supported, only 2.0", version, minimum);
    }
    return true;
}

/// Returns whether an extension is read here or leaves animations and skins as they are.
static bool extension_is_known(const char *name)
{
    static const char *const known[] = {
        "EXT_lights_ies",
        "EXT_lights_image_based",
        "EXT_mesh_gpu_instancing",
        "EXT_texture_avif",
        "EXT_texture_webp",
        "KHR_animation_pointer",
        "KHR_draco_mesh_compression",
        "KHR_lights_punctual",
        "KHR_mesh_quantization",
        "KHR_node_hoverability",
        "KHR_node_selectability",
        "KHR_node_visibility",
        "KHR_texture_basisu",
        "KHR_texture_transform",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
    };
    if (strncmp(name, "KHR_materials_", 14) == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool extensions_check(const struct gltf *gltf)
{
    struct json_value required;
    uint32_t count = 0;
    if (!json_get_array(&gltf->root, "extensionsRequired", false, &required, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *name = NULL;
        if (!json_get_string_item(&required, i, &name)) {
            return false;
        }
        if (!extension_is_known(name)) {
            const struct json_value place = json_item(&required, i);
            return json_refuse(&place, TROUPE_EXIT_UNSUPPORTED, "gltf.extension.required",
                               "extension %s is not supported", name);
        }
    }
    return true;
}

/// Makes room for what is known about buffers, accessors and meshes; each is read when first
/// wanted.
static bool lists_prepare(struct gltf *gltf)
{
    struct json_value list;
    if (!json_get_array(&gltf->root, "buffers", false, &list, &gltf->buffer_count) ||
        !json_get_array(&gltf->root, "accessors", false, &list, &gltf->accessor_count) ||
        !json_get_array(&gltf->root, "meshes", false, &list, &gltf->mesh_count)) {
        return false;
    }
    gltf->meshes = ARENA_NEW(&gltf->scratch, struct gltf_mesh, gltf->mesh_count);
    gltf->buffers = ARENA_NEW(&gltf->scratch, struct gltf_buffer, gltf->buffer_count);
    gltf->accessors = ARENA_NEW(&gltf->scratch, struct gltf_accessor, gltf->accessor_count);
    return true;
}

/// Returns a file's name without folders and without its last extension.
static char *stem_of(struct arena *arena, const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const stem = arena_string(arena, slash ? slash + 1 : path);
    char *const dot = strrchr(stem, '.');
    if (dot && dot != stem) {
        *dot = 0;
    }
    return stem;
}

static bool gltf_read(struct gltf *gltf)
{
    return asset_check(gltf) && extensions_check(gltf) && lists_prepare(gltf) &&
           gltf_nodes_read(gltf) && gltf_skins_read(gltf) && gltf_animations_read(gltf) &&
           gltf_nodes_check_shear(gltf);
}

bool import_gltf(const char *path, const void *bytes, size_t size_bytes, struct scene *scene,
                 struct report *report)
{
    memset(scene, 0, sizeof *scene);
    report->file = path;
    struct container container;
    struct gltf gltf = {
        .report = report,
        .scene = scene,
        .path = path,
        .budget_bytes = budget_floor_bytes + budget_per_byte * size_bytes,
    };
    if (!container_read(bytes, size_bytes, report, &container) ||
        !json_parse(container.json, container.json_bytes, report, &gltf.root)) {
        return false;
    }
    gltf.binary_chunk = container.binary;
    gltf.binary_chunk_bytes = container.binary_bytes;
    scene->file = arena_string(&scene->arena, path);
    scene->stem = stem_of(&scene->arena, path);
    const bool ok = gltf_read(&gltf);
    if (ok) {
        gltf_rotations_warn(&gltf);
    } else {
        scene_free(scene);
    }
    gltf_buffers_free(&gltf);
    json_release(&gltf.root);
    arena_free(&gltf.scratch);
    return ok;
}
