// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Templates: nodes of a Panthera project that stand for other projects. Their paths begin at the
// folder of the Defold project, which is the nearest one up from the imported file that has
// game.project. Nothing outside of it is read.
#include "panthera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler.h"
#include "name_table.h"

enum {
    MAX_FOLDERS = 64, // up from a file
    MAX_DEPTH = 16,   // of projects in projects, as of animations in animations
};

/// A file that has been read, or is being read.
struct panthera_source {
    const char *file;
    const char *imported_file;  // where reading began
    const char *project_folder; // of the Defold project that the imported file is in; null without
    uint32_t folder_count;
    const char *const *folders; // that of the imported file and those above it, but for the root
    dev_t device;
    ino_t number;
    uint32_t depth;
    const struct panthera_project *project; // null until it is read
    struct panthera_source *outer;          // that names it first; null for the file itself
    struct panthera_source *before;         // in the order of reading
};

// -- Paths

/// A search for the file of a template.
struct search {
    const char *path;   // as the template is named, without the slashes in front
    const char *module; // the path that it is as a module's name, else the same
    const char *folder; // that paths were tried from at last
    char *file;         // what was tried at last; with room for any path from a folder
    size_t file_bytes;
};

static bool file_is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool text_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/// Returns the path of a module: "a.b" is "a/b". What is no module's name stays as it is.
static const char *path_of_module(struct arena *arena, const char *name)
{
    if (strchr(name, '/') || text_ends_with(name, ".lua") || text_ends_with(name, ".json")) {
        return name;
    }
    char *const path = arena_string(arena, name);
    for (char *at = path; *at; at++) {
        *at = *at == '.' ? '/' : *at;
    }
    return path;
}

static const char *path_last(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// Cuts the last name off a path: the folder is left.
/// @param path with room for one more character
static void path_cut(char *path)
{
    char *const slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path] = '\0'; // the root keeps its slash
    } else {
        strcpy(path, ".");
    }
}

/// Writes the folder of a file.
/// @param folder with room for the path of the file and one more character
static void folder_of(const char *file, char *folder)
{
    strcpy(folder, file);
    path_cut(folder);
}

/// Replaces a folder that is not the root by the one that it is in, which is that of what a link
/// leads to.
/// @param folder with room for three more characters
static void folder_go_up(char *folder)
{
    const char *const name = path_last(folder);
    struct stat status;
    if (strcmp(folder, ".") == 0) {
        strcpy(folder, "..");
    } else if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0 ||
               (lstat(folder, &status) == 0 && S_ISLNK(status.st_mode))) {
        strcat(folder, "/..");
    } else {
        path_cut(folder);
    }
}

/// Returns whether a folder is the root of all files.
static bool folder_is_root(const char *folder)
{
    struct stat root;
    struct stat status;
    return stat("/", &root) == 0 && stat(folder, &status) == 0 && root.st_dev == status.st_dev &&
           root.st_ino == status.st_ino;
}

/// Returns whether a file is in a folder or below it, once links are followed.
static bool folder_has(const char *folder, const char *file)
{
    char *const outer = realpath(folder, NULL);
    char *const inner = realpath(file, NULL);
    const size_t length = outer ? strlen(outer) : 0;
    const bool has = length > 0 && inner && strncmp(inner, outer, length) == 0 &&
                     (outer[length - 1] == '/' || inner[length] == '/');
    free(inner);
    free(outer);
    return has;
}

/// Tries a path from the search's folder.
static bool search_try(struct search *search, const char *path, const char *ending)
{
    const char *const folder = strcmp(search->folder, ".") == 0 ? "" : search->folder;
    const char *const slash = *folder && strcmp(folder, "/") != 0 ? "/" : "";
    snprintf(search->file, search->file_bytes, "%s%s%s%s", folder, slash, path, ending);
    return file_is_there(search->file);
}

/// Tries a path with any of the endings that projects have.
static bool search_endings(struct search *search, const char *path)
{
    return *path && (search_try(search, path, "") || search_try(search, path, ".lua") ||
                     search_try(search, path, ".json"));
}

static bool search_folder(struct search *search, const char *folder)
{
    search->folder = folder;
    return search_endings(search, search->path) ||
           (strcmp(search->module, search->path) != 0 && search_endings(search, search->module));
}

/// Tries the folder of the imported file and those above it.
static bool search_up(struct search *search, const struct panthera_source *source)
{
    for (uint32_t i = 0; i < source->folder_count; i++) {
        if (search_folder(search, source->folders[i])) {
            return true;
        }
    }
    return false;
}

/// Tries the folder of a project with the name alone.
/// @param folder that folder
static bool search_beside(struct search *search, const char *folder)
{
    search->path = path_last(search->path);
    search->module = path_last(search->module);
    return search_folder(search, folder);
}

/// Finds the folders that an imported file is in, and that of its Defold project.
static void folders_find(struct arena *arena, struct panthera_source *source)
{
    static const char name[] = "/game.project";
    const size_t folder_bytes = strlen(source->file) + 3 * MAX_FOLDERS + 2;
    char *const folder = arena_take(arena, folder_bytes, 1);
    char *const project = arena_take(arena, folder_bytes + sizeof name, 1);
    const char **const folders = ARENA_NEW(arena, const char *, MAX_FOLDERS);
    folder_of(source->file, folder);
    source->folders = folders;
    while (source->folder_count < MAX_FOLDERS && !folder_is_root(folder)) {
        folders[source->folder_count] = arena_string(arena, folder);
        snprintf(project, folder_bytes + sizeof name, "%s%s", folder, name);
        if (!source->project_folder && file_is_there(project)) {
            source->project_folder = folders[source->folder_count];
        }
        source->folder_count++;
        folder_go_up(folder);
    }
}

/// What a search ends with.
enum found {
    FOUND_NOTHING,
    FOUND_OUTSIDE, // a file that is not to be read
    FOUND_BESIDE,  // a file that has the name, but not the path
    FOUND_FILE,
};

/// Finds the file that a project means. In a Defold project it is the one that has this path from
/// there. Else it is the first one that has it from the folder of the imported file or one above,
/// or at last the one of that name beside the project.
/// @param source the project
/// @param name the path or the module's name that it gives
/// @param file [out] in the arena, where there is one to read
static enum found template_search(struct arena *arena, const struct panthera_source *source,
                                  const char *name, const char **file)
{
    struct search search = {.path = name + strspn(name, "/")};
    const size_t folder_bytes =
        strlen(source->imported_file) + strlen(source->file) + 3 * MAX_FOLDERS + 2;
    char *const folder = arena_take(arena, folder_bytes, 1);
    search.module = path_of_module(arena, search.path);
    search.file_bytes = folder_bytes + strlen(name) + sizeof ".json";
    search.file = arena_take(arena, search.file_bytes, 1);
    folder_of(source->file, folder);
    enum found found = FOUND_NOTHING;
    if (source->project_folder) {
        found = search_folder(&search, source->project_folder) ? FOUND_FILE : FOUND_NOTHING;
    } else if (search_up(&search, source)) {
        found = FOUND_FILE;
    } else if (search_beside(&search, folder)) {
        found = FOUND_BESIDE;
    }
    if (found != FOUND_NOTHING) {
        *file = search.file;
        return folder_has(search.folder, search.file) ? found : FOUND_OUTSIDE;
    }
    // It may be meant as a path of the machine.
    return *name == '/' && file_is_there(name) && !folder_has(search.folder, name) ? FOUND_OUTSIDE
                                                                                   : FOUND_NOTHING;
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
    source->file = file;
    source->outer = panthera->source;
    if (source->outer) {
        source->depth = source->outer->depth + 1;
        source->imported_file = source->outer->imported_file;
        source->project_folder = source->outer->project_folder;
        source->folder_count = source->outer->folder_count;
        source->folders = source->outer->folders;
    } else {
        source->imported_file = file;
        folders_find(&panthera->scratch, source);
    }
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

/// What the paths that a project gives were found to mean.
struct lookups {
    struct name_table paths;
    struct lookup {
        enum found found;
        const char *file; // in the import's scratch memory
    } * results;          // [paths.count]
};

/// Looks for the file of a path, unless the project gave the same one before.
static struct lookup lookup_path(struct panthera *panthera, struct lookups *lookups,
                                 const char *name)
{
    const uint32_t count = lookups->paths.count;
    struct lookup *const result = &lookups->results[name_table_add(&lookups->paths, name)];
    if (lookups->paths.count > count) {
        struct arena scratch = {0};
        const char *file = NULL;
        result->found = template_search(&scratch, panthera->source, name, &file);
        result->file = file ? arena_string(&panthera->scratch, file) : NULL;
        arena_free(&scratch);
    }
    return *result;
}

/// Finds the file that a node stands for.
/// @return null, after a warning, where there is none
static const char *template_file(struct panthera *panthera, struct lookups *lookups,
                                 const struct json_value *at, const char *name)
{
    static const char code[] = "panthera.template";
    const struct lookup lookup = lookup_path(panthera, lookups, name);
    switch (lookup.found) {
    case FOUND_NOTHING:
        json_warn(at, code, "\"%s\" is not found; its animations are skipped", name);
        return NULL;
    case FOUND_OUTSIDE:
        json_warn(at, code, "\"%s\" leads outside the project; its animations are skipped", name);
        return NULL;
    case FOUND_BESIDE:
        json_warn(at, code, "\"%s\" is not found; \"%s\" is taken instead", name, lookup.file);
        break;
    case FOUND_FILE:
        break;
    }
    return lookup.file;
}

/// Finds the project that a node stands for.
/// @param project [out] stays null, after a warning, where there is none
static bool template_read(struct panthera *panthera, struct lookups *lookups,
                          const struct json_value *at, const char *name,
                          const struct panthera_project **project)
{
    const char *const file = template_file(panthera, lookups, at, name);
    if (!file) {
        return true;
    }
    const struct panthera_source *const source = source_find(panthera, file);
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
    return source_read(panthera, arena_string(&panthera->scene->arena, file), project) ||
           json_refuse(at, TROUPE_EXIT_INPUT, "panthera.template",
                       "names \"%s\", which is refused as said above", file);
}

static int compare_templates(const void *a, const void *b)
{
    const struct panthera_template *const x = a;
    const struct panthera_template *const y = b;
    return strcmp(x->node, y->node);
}

/// Reads the projects that templates stand for.
/// @param templates sorted by node
static bool templates_fill(struct panthera *panthera, const struct json_value *paths,
                           struct panthera_template *templates, uint32_t count)
{
    struct lookups lookups = {0};
    bool is_good = true;
    lookups.results = ARENA_NEW(&panthera->scratch, struct lookup, count);
    for (uint32_t i = 0; i < count && is_good; i++) {
        const struct json_value member = json_member(paths, templates[i].node);
        const char *name = "";
        is_good =
            (json_is_absent(&member) || json_get_string(paths, templates[i].node, true, &name)) &&
            (!*name || template_read(panthera, &lookups, &member, name, &templates[i].project));
    }
    name_table_free(&lookups.paths);
    return is_good;
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
    project->templates = templates;
    project->template_count = count;
    return templates_fill(panthera, paths, templates, count);
}

// -- Finding

/// Returns the first one of some templates whose names are alike before a place, and have the
/// character there or a greater one.
static uint32_t templates_from(const struct panthera_project *project, uint32_t low, uint32_t high,
                               size_t place, int character)
{
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((unsigned char)project->templates[middle].node[place] < character) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Finds the template of the longest name that a node begins with.
/// @param end  what follows on the name
/// @param rest [out] the node from there on
static const struct panthera_project *template_find(const struct panthera_project *project,
                                                    const char *node, char end, const char **rest)
{
    const struct panthera_project *found = NULL;
    uint32_t low = 0;
    uint32_t high = project->template_count;
    for (size_t place = 0; low < high; place++) {
        const struct panthera_template *const first = &project->templates[low];
        if (first->node[place] == '\0' && first->project && node[place] == end) {
            found = first->project;
            *rest = node + place;
        }
        if (node[place] == '\0') {
            break;
        }
        const int character = (unsigned char)node[place];
        low = templates_from(project, low, high, place, character);
        high = templates_from(project, low, high, place, character + 1);
    }
    return found;
}

const struct panthera_project *panthera_template_split(const struct panthera_project *project,
                                                       const char *node, const char **inner)
{
    const char *rest;
    const struct panthera_project *const found = template_find(project, node, '/', &rest);
    if (found) {
        *inner = rest + 1;
    }
    return found;
}

const struct panthera_project *panthera_template_find(const struct panthera_project *project,
                                                      const char *node)
{
    const struct panthera_project *found = NULL;
    const char *rest;
    while (project && !found) {
        found = template_find(project, node, '\0', &rest);
        project = panthera_template_split(project, node, &node);
    }
    return found;
}
