// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The importer of Panthera 2.0 projects: animations of Defold's GUI and game objects.
#include "panthera.h"

#include <string.h>

#include "import.h"
#include "lua_table.h"

static const char project_type[] = "animation_editor";

/// Returns whether a text has another in it.
static bool text_has(const char *text, size_t size_bytes, const char *word)
{
    const size_t word_bytes = strlen(word);
    const char *const end = text + size_bytes;
    for (const char *at = text; (size_t)(end - at) >= word_bytes; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - word_bytes + 1);
        if (!at) {
            return false;
        }
        if (memcmp(at, word, word_bytes) == 0) {
            return true;
        }
    }
    return false;
}

/// Returns whether a text is to be read as Lua: by its content, else by the name of its file,
/// unless it begins as JSON does.
static bool is_lua_text(const char *file, const void *bytes, size_t size_bytes)
{
    static const char ending[] = ".lua";
    const size_t length = strlen(file);
    const size_t ending_bytes = sizeof ending - 1;
    const char *at = bytes;
    const char *const end = at + size_bytes;
    if (lua_table_is_module(bytes, size_bytes)) {
        return true;
    }
    while (at < end && *at && strchr(" \t\r\n", *at)) {
        at++;
    }
    return at < end && *at != '{' && *at != '[' && length >= ending_bytes &&
           strcmp(file + length - ending_bytes, ending) == 0;
}

bool panthera_is_project(const char *file, const void *bytes, size_t size_bytes)
{
    if (is_lua_text(file, bytes, size_bytes)) {
        return true;
    }
    // Most other JSON texts need not be parsed to be told apart.
    struct report silent = {0};
    struct json_value root;
    if ((!text_has(bytes, size_bytes, project_type) && !text_has(bytes, size_bytes, "\"data\"")) ||
        !json_parse(bytes, size_bytes, &silent, &root)) {
        return false;
    }
    const struct json_value type = json_member(&root, "type");
    const struct json_value data = json_member(&root, "data");
    const struct json_value asset = json_member(&root, "asset"); // which all of glTF has
    const char *text = NULL;
    const bool is_project = (json_as_string(&type, &text) && strcmp(text, project_type) == 0) ||
                            (json_as_object(&data) && json_is_absent(&asset));
    json_release(&root);
    return is_project;
}

/// Checks what is around the data. A Lua module need not say what it is.
static bool wrapper_check(const struct json_value *root, bool is_lua)
{
    const char *type = is_lua ? project_type : "";
    double version = 1;
    if (!json_check_object(root) || !json_get_string(root, "type", false, &type)) {
        return false;
    }
    if (!*type) {
        return json_refuse(root, TROUPE_EXIT_INPUT, "panthera.type",
                           "\"type\" is missing, which is \"%s\" in Panthera projects",
                           project_type);
    }
    if (strcmp(type, project_type) != 0) {
        return json_refuse(root, TROUPE_EXIT_UNSUPPORTED, "panthera.type",
                           "is a project of the type \"%s\", only \"%s\" is supported", type,
                           project_type);
    }
    const struct json_value member = json_member(root, "version");
    if (!json_is_absent(&member) && !json_as_number(&member, &version)) {
        json_warn(&member, "panthera.version", "must be a number; read as version 1");
    } else if (version != 1) {
        json_warn(root, "panthera.version", "is of version %g, read as version 1", version);
    }
    return true;
}

bool panthera_file_read(struct panthera *panthera, const char *file, const void *bytes,
                        size_t size_bytes, struct panthera_project **project)
{
    struct json_value root;
    const bool is_lua = is_lua_text(file, bytes, size_bytes);
    if (is_lua ? !lua_table_parse(bytes, size_bytes, panthera->report, &root)
               : !json_parse(bytes, size_bytes, panthera->report, &root)) {
        return false;
    }
    panthera_source_begin(panthera, file);
    const bool ok =
        wrapper_check(&root, is_lua) && panthera_project_read(panthera, &root, file, project);
    panthera_source_end(panthera, ok ? *project : NULL);
    json_release(&root);
    return ok;
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

bool import_panthera(const char *path, const void *bytes, size_t size_bytes, struct scene *scene,
                     struct report *report)
{
    memset(scene, 0, sizeof *scene);
    report->file = path;
    struct panthera panthera = {.report = report, .scene = scene};
    scene->file = arena_string(&scene->arena, path);
    scene->stem = stem_of(&scene->arena, path);
    scene->is_exact = true;
    scene->keeps_clips = true;
    const bool ok =
        panthera_file_read(&panthera, scene->file, bytes, size_bytes, &panthera.project) &&
        panthera_flatten(&panthera);
    if (!ok) {
        scene_free(scene);
    }
    arena_free(&panthera.scratch);
    return ok;
}
