// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Puts skeletons, skins, clips, instances and blend trees together into the bytes of a pack.
#ifndef TROUPE_TOOLS_PACK_WRITER_H
#define TROUPE_TOOLS_PACK_WRITER_H

#include "../../src/format.h"
#include "buffer.h"
#include "motion.h"
#include "name_table.h"

struct pack_object {
    uint8_t *bytes;
    uint32_t size;
};

struct pack_section {
    struct pack_object *objects;
    uint32_t count;
    uint32_t capacity;
};

/// Zero-initialise; pack_writer_free gives everything back.
struct pack_writer {
    struct name_table strings;
    struct pack_section skeletons;
    struct pack_section skins;
    struct pack_section clips;
    struct pack_section property_sets;
    struct pack_section instances;
    struct pack_section blendtrees;
};

/// Returns the place of a string, stored once however often it is asked for.
uint32_t pack_writer_string(struct pack_writer *writer, const char *text);

/// Adds a skeleton and returns its index.
uint32_t pack_writer_add_skeleton(struct pack_writer *writer, const struct skeleton *skeleton);

/// Adds a skin over a skeleton of this pack, unless the pack has the very same one.
void pack_writer_add_skin(struct pack_writer *writer, const struct skeleton *skeleton,
                          uint32_t skeleton_index, const struct scene_skin *skin);

/// Adds the properties of a scene and returns the index of the set.
uint32_t pack_writer_add_property_set(struct pack_writer *writer, const char *name,
                                      const struct property_values *values);

/// Adds the finished bytes of a clip.
void pack_writer_add_clip(struct pack_writer *writer, const struct buffer *clip);

/// Returns the instance of a skeleton that has this pose, or TRP_NONE.
uint32_t pack_writer_find_pose(const struct pack_writer *writer, uint32_t skeleton_index,
                               const trp_pose_block *pose);

/// Returns whether the pack has an instance.
/// @param instance its bytes without a pose of its own
bool pack_writer_holds_instance(const struct pack_writer *writer, const struct buffer *instance);

/// Adds the finished bytes of an instance.
void pack_writer_add_instance(struct pack_writer *writer, const struct buffer *instance);

/// Adds the finished bytes of a blend tree.
void pack_writer_add_blendtree(struct pack_writer *writer, const struct buffer *tree);

/// Writes the pack.
/// @param bytes [out] 64-byte aligned, from the C allocator
/// @return the size, or 0 where a section would pass 4 GiB
size_t pack_writer_finish(struct pack_writer *writer, void **bytes);

void pack_writer_free(struct pack_writer *writer);

#endif
