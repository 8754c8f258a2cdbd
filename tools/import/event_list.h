// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lists of events as JSON, the same in glTF files and beside them:
//
//     [{"name": "step", "time": 0.25, "value": "left"},
//      {"name": "trail", "time": 0.1, "duration": 0.4, "value": 0.5},
//      {"name": "down", "time": 0.25, "marker": true}]
//
// name      what the host knows it by; not empty
// time      seconds, in the time of the source's keys
// duration  seconds that it lasts; 0 where absent: a moment
// value     what it hands to the host, at most one: an integer of 64 bits (5), a number (written
//           with . or e: 5.0) or a text ("left")
// marker    true: marks a phase that playheads are synchronised by
// frame     in place of time, in files that say how many frames make a second
//
// Other members are ignored, with a warning. A list may also be a string that holds such text,
// which is what can be typed as a custom property in programs that know no lists. In a glTF file it
// is animations[i].extras.events; event_file.h says where it is in a file of its own.
#ifndef TROUPE_TOOLS_EVENT_LIST_H
#define TROUPE_TOOLS_EVENT_LIST_H

#include "json.h"
#include "scene.h"

/// Reads a list, in its order.
/// @param frames_per_s what "frame" counts by; 0 where nobody said: frames are then ignored
/// @param events       [out] from `arena`
/// @return false after an error
bool event_list_read(const struct json_value *list, double frames_per_s, struct arena *arena,
                     struct scene_event **events, uint32_t *event_count);

#endif
