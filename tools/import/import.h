// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Readers of source files. Each turns a file into a scene, or says why not and where.
#ifndef TROUPE_TOOLS_IMPORT_H
#define TROUPE_TOOLS_IMPORT_H

#include "scene.h"

#include "report.h"

/// What files leave open. Zero is the default.
struct import_options {
    bool is_stf_tangent_added; // y of STF tangents is added to the key's value, not taken from it
};

/// Reads a source file of any known format, told by its content; the name counts where that is Lua
/// that is no data, to say so.
/// @param options null = default
/// @param scene [out] scene_free it after success; zeroed on failure
/// @return false after an error in `report` (its `file` is set to `path`).
bool import_file(const char *path, const struct import_options *options, struct scene *scene,
                 struct report *report);

/// Reads glTF 2.0 from memory: a .glb container or .gltf JSON text.
/// @param path where the bytes came from: names the scene, and external buffers lie beside it
bool import_gltf(const char *path, const void *bytes, size_t size_bytes, struct scene *scene,
                 struct report *report);

/// Reads STF (.stf) from memory.
/// @param path    where the bytes came from: names the scene
/// @param options null = default
bool import_stf(const char *path, const void *bytes, size_t size_bytes,
                const struct import_options *options, struct scene *scene, struct report *report);

/// Reads a Panthera 2.0 project from memory: JSON or a Lua module.
/// @param path where the bytes came from: names the scene, and templates lie in folders up from it
bool import_panthera(const char *path, const void *bytes, size_t size_bytes, struct scene *scene,
                     struct report *report);

#endif
