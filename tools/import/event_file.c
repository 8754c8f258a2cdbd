// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Files of events beside the source files.
#include "event_file.h"

#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "event_list.h"

enum { NAMES_SHOWN = 8 };

/// The events of one name in a file.
struct event_clip {
    const char *name;
    struct scene_event *events;
    uint32_t event_count;
    bool is_found; // in some scene
    struct event_clip *next;
};

struct event_file {
    const char *path;
    struct event_clip *clips;
    const char *names[NAMES_SHOWN]; // clips of the scenes, for those who mistype one
    uint32_t name_count;            // also of those that are not shown
    struct event_file *next;
};

static bool frames_read(const struct json_value *root, double *frames_per_s)
{
    if (!json_get_number(root, "fps", false, frames_per_s)) {
        return false;
    }
    const struct json_value place = json_member(root, "fps");
    return place.value == NULL || *frames_per_s > 0 ||
           json_refuse(&place, TROUPE_EXIT_INPUT, "event.fps", "is %.9g, but must be above 0",
                       *frames_per_s);
}

static bool clips_read(const struct json_value *root, struct arena *arena, struct event_file *file)
{
    double frames_per_s = 0;
    if (!json_check_object(root) || !frames_read(root, &frames_per_s)) {
        return false;
    }
    const struct json_value clips = json_member(root, "clips");
    if (clips.value == NULL) {
        return json_refuse(root, TROUPE_EXIT_INPUT, "json.missing", "\"clips\" is missing");
    }
    if (!json_check_object(&clips)) {
        return false;
    }
    struct event_clip **end = &file->clips;
    for (struct json_value list = {0}; json_next_member(&clips, &list); end = &(*end)->next) {
        *end = ARENA_NEW(arena, struct event_clip, 1);
        (*end)->name = arena_string(arena, list.key);
        if (!event_list_read(&list, frames_per_s, arena, &(*end)->events, &(*end)->event_count)) {
            return false;
        }
    }
    return true;
}

/// Reads a file that no input had before.
static bool file_open(struct event_files *files, const char *path, struct report *report,
                      struct event_file **opened)
{
    void *bytes;
    size_t size_bytes;
    struct json_value root;
    report->file = path;
    if (!file_read(path, &bytes, &size_bytes, report)) {
        return false;
    }
    struct event_file *const file = ARENA_NEW(&files->arena, struct event_file, 1);
    file->path = arena_string(&files->arena, path);
    bool ok = json_parse(bytes, size_bytes, report, &root);
    free(bytes);
    if (ok) {
        ok = clips_read(&root, &files->arena, file);
        json_release(&root);
    }
    if (ok) {
        *(files->last != NULL ? &files->last->next : &files->first) = file;
        files->last = file;
        *opened = file;
    }
    return ok;
}

static void clip_add(struct arena *arena, const struct event_clip *from, struct scene_clip *clip)
{
    const uint32_t count = clip->event_count + from->event_count;
    struct scene_event *const events = ARENA_NEW(arena, struct scene_event, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i < clip->event_count) {
            events[i] = clip->events[i];
            continue;
        }
        events[i] = from->events[i - clip->event_count];
        events[i].name = arena_string(arena, events[i].name);
        events[i].text = arena_string(arena, events[i].text);
    }
    clip->events = events;
    clip->event_count = count;
}

bool event_files_apply(struct event_files *files, const char *path, struct scene *scene,
                       struct report *report)
{
    struct event_file *file = files->first;
    while (file != NULL && strcmp(file->path, path) != 0) {
        file = file->next;
    }
    if (file == NULL && !file_open(files, path, report, &file)) {
        return false;
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const char *const name = scene_clip_name(scene, i, &files->arena);
        if (file->name_count < NAMES_SHOWN) {
            file->names[file->name_count] = arena_string(&files->arena, name);
        }
        file->name_count++;
        for (struct event_clip *clip = file->clips; clip != NULL; clip = clip->next) {
            if (strcmp(clip->name, name) == 0) {
                clip_add(&scene->arena, clip, &scene->clips[i]);
                clip->is_found = true;
            }
        }
    }
    return true;
}

/// Lists the clips there are, where they are few.
static void names_list(const struct event_file *file, char *list, size_t list_bytes)
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < file->name_count && file->name_count <= NAMES_SHOWN; i++) {
        used += (size_t)snprintf(list + used, list_bytes - used, "%s'%s'",
                                 i == 0 ? ", only " : ", ", file->names[i]);
        if (used >= list_bytes) {
            list[0] = '\0';
            return;
        }
    }
}

void event_files_warn(const struct event_files *files, struct report *report)
{
    for (const struct event_file *file = files->first; file != NULL; file = file->next) {
        char list[384];
        names_list(file, list, sizeof list);
        report->file = file->path;
        for (const struct event_clip *clip = file->clips; clip != NULL; clip = clip->next) {
            if (clip->name[0] == '\0') {
                report_warning(
                    report, "clips", "events.clip",
                    "the name \"\" is that of no clip: one without a name goes by that of "
                    "its file and its index, as 'walk_0'%s",
                    list);
            } else if (!clip->is_found) {
                char place[256];
                snprintf(place, sizeof place, "clips.%s", clip->name);
                report_warning(report, place, "events.clip", "no input has a clip of this name%s",
                               list);
            }
        }
    }
}

void event_files_tell(const struct event_files *files,
                      void (*dependency)(const char *path, void *user), void *user)
{
    for (const struct event_file *file = files->first; file != NULL; file = file->next) {
        dependency(file->path, user);
    }
}

void event_files_free(struct event_files *files)
{
    arena_free(&files->arena);
    *files = (struct event_files){0};
}
