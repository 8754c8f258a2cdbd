// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The events of a clip as bytes: where they lie on its ticks, and in which order they fire.
#ifndef TROUPE_TOOLS_EVENTS_H
#define TROUPE_TOOLS_EVENTS_H

#include "buffer.h"
#include "pack_writer.h"
#include "report.h"
#include "scene.h"

/// Appends the events of a source's clip to the bytes of the compiled one and names their place in
/// its header; does nothing where there are none. Times that are not in the clip are moved to its
/// start or end; what lasts beyond it stays as long as it is. Warnings say so where it is more than
/// rounding.
/// @param name of the clip, for warnings
/// @param lead_in_s taken off all times of the source
/// @param clip [in,out] as fit_motion made it
void events_append(struct pack_writer *writer, const struct scene_clip *source, const char *name,
                   double lead_in_s, struct buffer *clip, struct report *report);

#endif
