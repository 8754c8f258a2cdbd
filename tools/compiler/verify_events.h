// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The events of a pack against those of its source. As verify.c, it shares nothing with the
// compiler but the scene.
#ifndef TROUPE_TOOLS_VERIFY_EVENTS_H
#define TROUPE_TOOLS_VERIFY_EVENTS_H

#include <troupe/clip.h>

#include "compiler.h"

/// Compares the events of a clip with those of its source, whatever their order at one moment.
/// @param scene, source_index  what it was made of
/// @param first_joint name of the first joint of its skeleton, null where it has none
/// @param lead_in_s   taken off all times of the source
/// @param is_all      whether the source has all there were; else the pack may have more
/// @param result      [in,out] how many are wrong, and what is wrong with the first
void verify_events(const trp_clip *clip, const struct scene *scene, uint32_t source_index,
                   const char *first_joint, double lead_in_s, bool is_all,
                   struct verify_clip *result);

#endif
