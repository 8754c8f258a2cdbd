// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Instances of armatures and blend trees as bytes of a pack.
#ifndef TROUPE_TOOLS_INSTANCES_H
#define TROUPE_TOOLS_INSTANCES_H

#include "pack_writer.h"

/// Adds the instances of a scene whose bones are joints of one of its skeletons.
/// @param skeleton_index of that skeleton in the pack
void instances_write(struct pack_writer *writer, const struct skeleton *skeleton,
                     uint32_t skeleton_index);

/// Adds a blend tree.
/// @param clips [tree->count] indices in the pack, or TRP_NONE
void blendtree_write(struct pack_writer *writer, const struct scene_blendtree *tree,
                     const uint32_t *clips);

#endif
