// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Finds the importer for a file by its first bytes; by its name alone where it is Lua, but no data.
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "panthera.h"

static bool is_stf(const unsigned char *bytes, size_t size_bytes)
{
    return size_bytes >= 4 && memcmp(bytes, "STF0", 4) == 0;
}

static bool is_glb(const unsigned char *bytes, size_t size_bytes)
{
    return size_bytes >= 4 && memcmp(bytes, "glTF", 4) == 0;
}

/// Returns whether a text starts like a JSON object, maybe after a byte order mark.
static bool is_json(const unsigned char *bytes, size_t size_bytes)
{
    size_t at = size_bytes >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size_bytes && strchr(" \t\r\n", bytes[at]) && bytes[at]) {
        at++;
    }
    return at < size_bytes && bytes[at] == '{';
}

/// Reads a file's bytes with the importer that they ask for.
static bool import_bytes(const char *path, const void *bytes, size_t size_bytes,
                         const struct import_options *options, struct scene *scene,
                         struct report *report)
{
    if (is_stf(bytes, size_bytes)) {
        return import_stf(path, bytes, size_bytes, options, scene, report);
    }
    const bool is_container = is_glb(bytes, size_bytes);
    if (!is_container && panthera_is_project(path, bytes, size_bytes)) {
        return import_panthera(path, bytes, size_bytes, scene, report);
    }
    if (is_container || is_json(bytes, size_bytes)) {
        return import_gltf(path, bytes, size_bytes, scene, report);
    }
    return report_error(report, TROUPE_EXIT_INPUT, NULL, "import.format", "%s",
                        size_bytes == 0 ? "the file is empty"
                                        : "is neither glTF 2.0, STF nor Panthera 2.0");
}

bool import_file(const char *path, const struct import_options *options, struct scene *scene,
                 struct report *report)
{
    memset(scene, 0, sizeof *scene);
    report->file = path;
    void *bytes;
    size_t size_bytes;
    if (!file_read(path, &bytes, &size_bytes, report)) {
        return false;
    }
    const bool ok = import_bytes(path, bytes, size_bytes, options, scene, report);
    free(bytes);
    return ok;
}
