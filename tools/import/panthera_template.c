// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Templates: nodes of a Panthera project that stand for other projects. Their paths are those in
// the Defold project, whose folder is the nearest one up from the file that has them.
#include "panthera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler.h"

enum {
    MAX_FOLDERS = 64, // up from a file
    MAX_DEPTH = 16,   // of projects in projects, as of animations in animations
};

/// A file that has been read, or is being read.
struct panthera_source {
    dev_t device;
    ino_t number;
    uint32_t depth;
    const struct panthera_project *project; // null until it is read
    struct panthera_source *outer;          // that names it first; null for the file itself
    struct panthera_source *before;         // in the order of reading
};

// -- Paths

/// Copies a module's name as a path: "a.b" is "a/b".
static char *path_of_module(struct arena *arena, const char *name)
{
    char *const path = arena_string(arena, name);
    for (char *at = path; *at; at++) {
        *at = *at == '.' ? '/' : *at;
    }
    return path;
}

/// Returns whether a path leaves its folder.
static bool path_has_parents(const char *path)
{
    for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, "..")) {
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0')) {
            return true;
        }
    }
    return false;
}

/// Replaces a folder by the one that it is in.
/// @param folder with room for three more characters
/// @return false at the root
static bool folder_go_up(char *folder)
{
    char *const slash = strrchr(folder, '/');
    const char *const name = slash ? slash + 1 : folder;
    if (strcmp(folder, "/") == 0) {
        return false;
    }
    if (strcmp(folder, ".") == 0) {
        strcpy(folder, "..");
    } else if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0) {
        strcat(folder, "/..");
    } else if (!slash) {
        strcpy(folder, ".");
    } else {
        slash[slash == folder] = '\0'; // the root keeps its slash
    }
    return true;
}

/// Finds a file under any of the endings that projects have.
/// @param path [out] in the arena; stays as it is where there is none
static bool path_try(struct arena *arena, const char *folder, const char *name, const char **path)
{
    static const char *const endings[] = {"", ".lua", ".json"};
    const char *const prefix = strcmp(folder, ".") == 0 ? "" : folder;
    const char *const slash = *prefix && strcmp(prefix, "/") != 0 ? "/" : "";
    const size_t size_bytes = strlen(prefix) + strlen(name) + 8;
    char *const tried = arena_take(arena, size_bytes, 1);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct stat status;
        snprintf(tried, size_bytes, "%s%s%s%s", prefix, slash, name, endings[i]);
        if (stat(tried, &status) == 0 && S_ISREG(status.st_mode)) {
            *path = tried;
            return true;
        }
    }
    return false;
}

/// Writes the folder of a file.
/// @param folder with room for the path of the file and one character
static void folder_of(const char *file, char *folder)
{
    strcpy(folder, file);
    char *const slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0';
    } else {
        strcpy(folder, ".");
    }
}

/// Returns whether a folder is the last one up from a file in which paths are looked for: that of
/// the Defold project, or the one that has the first folder of the path.
static bool folder_is_last(struct arena *arena, const char *folder, const char *path)
{
    const size_t length = strcspn(path, "/");
    const size_t size_bytes = strlen(folder) + length + sizeof "/game.project";
    char *const tried = arena_take(arena, size_bytes, 1);
    struct stat status;
    snprintf(tried, size_bytes, "%s/game.project", folder);
    if (stat(tried, &status) == 0 && S_ISREG(status.st_mode)) {
        return true;
    }
    snprintf(tried, size_bytes, "%s/%.*s", folder, (int)length, path);
    return path[length] == '/' && stat(tried, &status) == 0 && S_ISDIR(status.st_mode);
}

/// Returns whether a folder is the root of all files.
static bool folder_is_root(const char *folder)
{
    struct stat root;
    struct stat status;
    return stat("/", &root) == 0 && stat(folder, &status) == 0 && root.st_dev == status.st_dev &&
           root.st_ino == status.st_ino;
}

/// Finds the file that a project means: by its path from the nearest folder up from the project's
/// own, but for the root and what is beyond the Defold project, else by its name alone beside the
/// project.
/// @param file of the project
/// @param name the path or the module's name that it gives
/// @return in the arena; null where there is none
static const char *template_path(struct arena *arena, const char *file, const char *name)
{
    const char *const path = name + strspn(name, "/");
    const char *const module = path_of_module(arena, path);
    char *const folder = arena_take(arena, strlen(file) + 3 * MAX_FOLDERS + 2, 1);
    const char *found = NULL;
    if (*path == '\0' || path_has_parents(path)) {
        return NULL;
    }
    folder_of(file, folder);
    for (uint32_t i = 0; i < MAX_FOLDERS; i++) {
        if (path_try(arena, folder, path, &found) || path_try(arena, folder, module, &found)) {
            return found;
        }
        if (folder_is_last(arena, folder, path) || folder_is_last(arena, folder, module) ||
            !folder_go_up(folder) || folder_is_root(folder)) {
            break;
        }
    }
    folder_of(file, folder);
    const char *const path_slash = strrchr(path, '/');
    const char *const module_slash = strrchr(module, '/');
    if (!(path_slash && path_try(arena, folder, path_slash + 1, &found)) && module_slash) {
        path_try(arena, folder, module_slash + 1, &found);
    }
    return found;
}

// -- Reading

/// Adds a file to what the scene was read from.
static void scene_add_file(struct scene *scene, const char *file)
{
    const uint32_t count = scene->other_file_count;
    if ((count & (count - 1)) == 0) { // full, as there is room for a power of two
        const char **const files =
            ARENA_NEW(&scene->arena, const char *, count > 0 ? 2 * (size_t)count : 1);
        if (count > 0) {
            memcpy(files, scene->other_files, count * sizeof *files);
        }
        scene->other_files = files;
    }
    scene->other_files[scene->other_file_count++] = file;
}

void panthera_source_begin(struct panthera *panthera, const char *file)
{
    struct panthera_source *const source = ARENA_NEW(&panthera->scratch, struct panthera_source, 1);
    struct stat status = {0};
    if (stat(file, &status) == 0) {
        source->device = status.st_dev;
        source->number = status.st_ino;
    }
    source->depth = panthera->source ? panthera->source->depth + 1 : 0;
    source->outer = panthera->source;
    source->before = panthera->sources;
    panthera->source = source;
    panthera->sources = source;
}

void panthera_source_end(struct panthera *panthera, const struct panthera_project *project)
{
    panthera->source->project = project;
    panthera->source = panthera->source->outer;
}

/// Returns the file of a path as it was read or is being read; null where it was not begun yet.
static const struct panthera_source *source_find(const struct panthera *panthera, const char *file)
{
    struct stat status;
    const struct panthera_source *source = stat(file, &status) == 0 ? panthera->sources : NULL;
    while (source && (source->device != status.st_dev || source->number != status.st_ino)) {
        source = source->before;
    }
    return source;
}

/// Reads the project of a file that was not read before.
static bool source_read(struct panthera *panthera, const char *file,
                        const struct panthera_project **project)
{
    struct report *const report = panthera->report;
    const char *const subject = report->file;
    struct panthera_project *read = NULL;
    void *bytes;
    size_t size_bytes;
    if (!file_read(file, &bytes, &size_bytes, report)) {
        return false;
    }
    scene_add_file(panthera->scene, file);
    report->file = file;
    const bool ok = panthera_file_read(panthera, file, bytes, size_bytes, &read);
    report->file = subject;
    free(bytes);
    *project = read;
    return ok;
}

/// Finds the project that a node stands for.
/// @param project [out] stays null, after a warning, where there is none
static bool template_read(struct panthera *panthera, const struct json_value *at, const char *name,
                          const char *file, const struct panthera_project **project)
{
    const char *const found = template_path(&panthera->scratch, file, name);
    if (!found) {
        json_warn(at, "panthera.template", "\"%s\" is not found; its animations are skipped", name);
        return true;
    }
    const struct panthera_source *const source = source_find(panthera, found);
    if (source && !source->project) {
        json_warn(at, "panthera.cycle", "\"%s\" leads back to itself; it is skipped here", name);
        return true;
    }
    if (source) {
        *project = source->project;
        return true;
    }
    if (panthera->source->depth >= MAX_DEPTH) {
        json_warn(at, "panthera.nesting",
                  "\"%s\" is nested more than %u levels deep; it is skipped", name, MAX_DEPTH);
        return true;
    }
    return source_read(panthera, arena_string(&panthera->scene->arena, found), project);
}

static int compare_templates(const void *a, const void *b)
{
    const struct panthera_template *const x = a;
    const struct panthera_template *const y = b;
    return strcmp(x->node, y->node);
}

bool panthera_templates_read(struct panthera *panthera, const struct json_value *paths,
                             struct panthera_project *project)
{
    struct json_value member = {0};
    uint32_t count = 0;
    while (json_next_member(paths, &member)) {
        count++;
    }
    struct panthera_template *const templates =
        ARENA_NEW(&panthera->scratch, struct panthera_template, count);
    for (uint32_t i = 0; i < count; i++) {
        json_next_member(paths, &member);
        templates[i].node = arena_string(&panthera->scene->arena, member.key);
    }
    qsort(templates, count, sizeof *templates, compare_templates);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = "";
        member = json_member(paths, templates[i].node);
        if (!json_is_absent(&member) && !json_get_string(paths, templates[i].node, true, &name)) {
            return false;
        }
        if (*name &&
            !template_read(panthera, &member, name, project->file, &templates[i].project)) {
            return false;
        }
    }
    project->templates = templates;
    project->template_count = count;
    return true;
}

// -- Finding

/// The beginning of a text.
struct name {
    const char *text;
    size_t length;
};

static int compare_name(const void *name, const void *template)
{
    const struct name *const a = name;
    const char *const node = ((const struct panthera_template *)template)->node;
    const int order = strncmp(a->text, node, a->length);
    return order != 0 ? order : -(node[a->length] != '\0');
}

static const struct panthera_project *template_find(const struct panthera_project *project,
                                                    const char *node, size_t length)
{
    const struct name name = {node, length};
    const struct panthera_template *const found =
        bsearch(&name, project->templates, project->template_count, sizeof *found, compare_name);
    return found ? found->project : NULL;
}

const struct panthera_project *panthera_template_split(const struct panthera_project *project,
                                                       const char *node, const char **inner)
{
    for (size_t length = strlen(node); length-- > 0;) {
        const struct panthera_project *const found =
            node[length] == '/' ? template_find(project, node, length) : NULL;
        if (found) {
            *inner = node + length + 1;
            return found;
        }
    }
    return NULL;
}

const struct panthera_project *panthera_template_find(const struct panthera_project *project,
                                                      const char *node)
{
    const struct panthera_project *found = NULL;
    while (project && !found) {
        found = template_find(project, node, strlen(node));
        project = panthera_template_split(project, node, &node);
    }
    return found;
}
