// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The STF importer: container, header, and the order in which the parts are read.
#include "stf.h"

#include <string.h>

enum {
    STF_HEADER_BYTES = 16,
    STF_LENGTH_BYTES = 8,
};

/// A bone takes a few hundred bytes of text and as many in the scene, once an instance. Only a
/// hostile file takes 64 times its size.
static const uint64_t budget_floor_bytes = 1 << 20;
static const uint64_t budget_per_byte = 64;

/// A key of the file takes 20 bytes or more. Where its components have handles of their own, or
/// angles turn, it takes about as many keys of the curve as there are here for it.
static const uint64_t curve_floor_bytes = 1 << 24;
static const uint64_t curve_per_byte = 128;

const char *stf_spare_begin(struct stf *stf, const char *instead)
{
    const char *const outer = stf->report->instead;
    stf->report->instead = instead;
    return outer;
}

bool stf_spare_end(struct stf *stf, const char *outer, bool ok)
{
    if (!ok && !stf->report->instead) {
        return false;
    }
    stf->report->instead = outer;
    return true;
}

void stf_spare_nothing(struct stf *stf)
{
    stf->report->instead = NULL;
}

bool stf_take(struct stf *stf, const struct json_value *at, uint64_t count, size_t size,
              void **memory)
{
    if (count > stf->budget_bytes / size) {
        stf_spare_nothing(stf);
        return json_refuse(at, TROUPE_EXIT_INPUT, "stf.limit",
                           "decoding would take far more memory than the file is large");
    }
    stf->budget_bytes -= count * size;
    *memory = arena_take(&stf->scene->arena, (size_t)count, size);
    return true;
}

static uint64_t read_little_endian(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/// Finds where the buffers lie. They fill the file to its end.
/// @param ranges [out] of all buffers, the JSON first
static bool ranges_read(struct stf *stf, size_t size_bytes, uint32_t count,
                        struct stf_range *ranges)
{
    uint64_t at = STF_HEADER_BYTES + (uint64_t)count * STF_LENGTH_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *const entry = stf->bytes + STF_HEADER_BYTES;
        const uint64_t length =
            read_little_endian(entry + (size_t)i * STF_LENGTH_BYTES, STF_LENGTH_BYTES);
        if (length > size_bytes - at) {
            return report_error(stf->report, TROUPE_EXIT_INPUT, NULL, "stf.buffer.range",
                                "buffer %u of the file has %llu bytes, but only %llu are left", i,
                                (unsigned long long)length, (unsigned long long)(size_bytes - at));
        }
        ranges[i] = (struct stf_range){.at = at, .size_bytes = length};
        at += length;
    }
    return at == size_bytes || report_error(stf->report, TROUPE_EXIT_INPUT, NULL, "stf.length",
                                            "%llu bytes follow after the last buffer",
                                            (unsigned long long)(size_bytes - at));
}

/// Reads the container.
/// @param json [out] where the JSON is
static bool container_read(struct stf *stf, size_t size_bytes, struct stf_range *json)
{
    struct report *const report = stf->report;
    if (size_bytes < STF_HEADER_BYTES) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "stf.header", "the header is cut off");
    }
    if (memcmp(stf->bytes, "STF0", 4) != 0) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "stf.header",
                            "does not begin with STF0");
    }
    const uint32_t count = (uint32_t)read_little_endian(stf->bytes + 12, 4);
    if (count == 0) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "stf.header",
                            "there is no buffer, but the first must be JSON");
    }
    if (count > (size_bytes - STF_HEADER_BYTES) / STF_LENGTH_BYTES) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "stf.header",
                            "the table of %u buffers ends after the file", count);
    }
    struct stf_range *const ranges = ARENA_NEW(&stf->scratch, struct stf_range, count);
    if (!ranges_read(stf, size_bytes, count, ranges)) {
        return false;
    }
    *json = ranges[0];
    stf->ranges = ranges + 1;
    stf->range_count = count - 1;
    return true;
}

/// Reads the version: two numbers, or in older files a member for each.
static bool version_read(const struct json_value *header)
{
    const struct json_value version = json_member(header, "version");
    double numbers[2] = {-1, -1};
    if (!json_is_absent(&version)) {
        if (!json_get_numbers(header, "version", 2, numbers)) {
            return false;
        }
    } else if (!json_get_number(header, "version_major", false, &numbers[0]) ||
               !json_get_number(header, "version_minor", false, &numbers[1])) {
        return false;
    }
    if (numbers[0] < 0) {
        json_warn(header, "stf.version", "no version is given; read as 0.1");
    } else if (numbers[0] > 0) {
        json_warn(header, "stf.version", "version %g.%g is newer than what is known; read as 0.1",
                  numbers[0], numbers[1]);
    }
    return true;
}

/// Reads how many units are a metre.
static bool multiplier_read(const struct json_value *header, double *multiplier)
{
    if (!json_get_number(header, "metric_multiplier", false, multiplier)) {
        return false;
    }
    return (*multiplier >= 1e-9 && *multiplier <= 1e9) ||
           json_refuse(header, TROUPE_EXIT_INPUT, "stf.unit",
                       "a metric_multiplier of %g is not from 1e-9 to 1e9", *multiplier);
}

static bool unit_read(struct stf *stf, const struct json_value *header)
{
    const struct json_value value = json_member(header, "metric_multiplier");
    double multiplier = 1;
    if (json_is_absent(&value)) {
        return true;
    }
    const char *const outer = stf_spare_begin(stf, "taken for 1");
    const bool ok = multiplier_read(header, &multiplier);
    stf->scene->metres_per_unit = ok ? 1 / multiplier : 0;
    return stf_spare_end(stf, outer, ok);
}

/// Reads the object `stf`, which says where the scene begins.
static bool header_read(struct stf *stf)
{
    const struct json_value header = json_member(&stf->root, "stf");
    const struct json_value root = json_member(&header, "root");
    const char *id = NULL;
    if (!json_check_object(&header) || !version_read(&header) || !unit_read(stf, &header) ||
        !json_get_string(&header, "root", true, &id)) {
        return false;
    }
    const struct stf_resource *const named = stf_resource_find(stf, id);
    if (named && named->type_name[0] == '\0') {
        return json_refuse(&named->value, TROUPE_EXIT_INPUT, "json.missing", "\"type\" is missing");
    }
    if (!stf_resource_expect(stf, NULL, &root, STF_PREFAB, &stf->prefab)) {
        return false;
    }
    return stf->prefab != NULL ||
           json_refuse(&root, TROUPE_EXIT_UNSUPPORTED, "stf.type", "must be a stf.prefab");
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

static bool stf_read(struct stf *stf)
{
    if (!json_check_object(&stf->root) || !stf_resources_read(stf) || !header_read(stf) ||
        !stf_nodes_read(stf) || !stf_skins_read(stf) || !stf_animations_find(stf) ||
        !stf_animations_read(stf) || !stf_blendtrees_read(stf)) {
        return false;
    }
    if (stf->animation_count == 0) {
        report_warning(stf->report, NULL, "stf.still", "holds no animation");
    }
    return true;
}

bool import_stf(const char *path, const void *bytes, size_t size_bytes,
                const struct import_options *options, struct scene *scene, struct report *report)
{
    memset(scene, 0, sizeof *scene);
    report->file = path;
    struct stf stf = {
        .report = report,
        .scene = scene,
        .bytes = bytes,
        .budget_bytes = budget_floor_bytes + budget_per_byte * size_bytes,
        .curve_bytes = curve_floor_bytes + curve_per_byte * size_bytes,
    };
    if (options) {
        stf.options = *options;
    }
    struct stf_range json = {0};
    bool ok = container_read(&stf, size_bytes, &json) &&
              json_parse(stf.bytes + json.at, (size_t)json.size_bytes, report, &stf.root);
    if (ok) {
        scene->file = arena_string(&scene->arena, path);
        scene->stem = stem_of(&scene->arena, path);
        ok = stf_read(&stf);
        json_release(&stf.root);
    }
    if (!ok) {
        scene_free(scene);
    }
    name_table_free(&stf.properties.paths);
    name_table_free(&stf.ids);
    name_table_free(&stf.types);
    arena_free(&stf.scratch);
    return ok;
}
