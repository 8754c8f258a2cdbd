// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Files of events beside the source files, for clips whose own files cannot have them:
//
//     {"fps": 30, "clips": {"Walk": [{"name": "step", "frame": 12}, ...], ...}}
//
// "clips" has a list of events, see event_list.h, for each clip by its name. With "fps" an event
// may have a "frame", also a broken one, in place of "time". Other members are ignored.
// The name is that of the clip in its source: several clips of one name all get its events.
#ifndef TROUPE_TOOLS_EVENT_FILE_H
#define TROUPE_TOOLS_EVENT_FILE_H

#include "report.h"
#include "scene.h"

struct event_file;

/// The files of one run, each read once however many inputs it is for. Zero-initialise;
/// event_files_free gives everything back.
struct event_files {
    struct arena arena;
    struct event_file *first;
    struct event_file *last;
};

/// Adds the events of a file to those that the clips of a scene have. Clips without a name go by
/// the one that they get in packs.
/// @return false after an error in `report`, which has the place in that file
bool event_files_apply(struct event_files *files, const char *path, struct scene *scene,
                       struct report *report);

/// Warns about clips of the files that no scene had.
void event_files_warn(const struct event_files *files, struct report *report);

/// Calls back with the path of each file.
void event_files_tell(const struct event_files *files,
                      void (*dependency)(const char *path, void *user), void *user);

void event_files_free(struct event_files *files);

#endif
