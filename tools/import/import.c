// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Finds the importer for a file by its first bytes.
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "compiler.h"

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

bool import_file(const char *path, struct scene *scene, struct report *report)
{
    memset(scene, 0, sizeof *scene);
    report->file = path;
    void *bytes;
    size_t size_bytes;
    if (!file_read(path, &bytes, &size_bytes, report)) {
        return false;
    }
    const bool ok =
        is_glb(bytes, size_bytes) || is_json(bytes, size_bytes)
            ? import_gltf(path, bytes, size_bytes, scene, report)
            : report_error(report, TROUPE_EXIT_INPUT, NULL, "import.format", "%s",
                           size_bytes == 0 ? "the file is empty"
                                           : "is no glTF 2.0 file: neither .glb nor JSON");
    free(bytes);
    return ok;
}
