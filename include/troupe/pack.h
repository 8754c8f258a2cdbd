// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Packs: files that `troupe compile` writes, used where they lie in memory. Opening checks every
// byte that later calls rely on, once; after that no argument makes the runtime leave the pack.
#ifndef TROUPE_PACK_H
#define TROUPE_PACK_H

#include <troupe/instance.h>
#include <troupe/property.h>

/// Where and why bytes were refused.
typedef struct trp_diagnostic {
    trp_result result;
    const char *rule;     ///< id of the broken rule, such as "section.overlap"; see src/FORMAT.md
    uint32_t section;     ///< kind of the section, 0 for the file header
    uint32_t index;       ///< of the object in its section, or TRP_NONE
    uint64_t byte_offset; ///< from the start of the file
} trp_diagnostic;

/// An open pack: pointers into the caller's bytes. Needs no closing. Treat as read-only.
typedef struct trp_pack {
    const uint8_t *bytes;
    size_t size_bytes;
    uint64_t hash;
    uint32_t skeleton_count;
    uint32_t skin_count;
    uint32_t clip_count;
    uint32_t property_set_count;
    uint32_t instance_count;
    uint32_t blendtree_count;
    const uint8_t *strings; ///< section starts, null where a section is missing
    const uint8_t *skeletons;
    const uint8_t *skins;
    const uint8_t *clips;
    const uint8_t *property_sets;
    const uint8_t *instances;
    const uint8_t *blendtrees;
    uint32_t strings_bytes;
} trp_pack;

/// Checks the bytes of a pack and opens it.
/// @param bytes      64-byte aligned; must stay in place, unchanged, for the life of every view
/// @param size_bytes exactly the size of the file
/// @param pack       [out]
/// @param diagnostic [out] the broken rule; may be null
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_FORMAT, TRP_ERROR_VERSION, TRP_ERROR_ENDIAN,
///         TRP_ERROR_UNSUPPORTED (feature bits of a later version). On error `pack` is zeroed.
/// Cost: O(bytes of headers and metadata); rows are not read. Threads: any.
TRP_API trp_result trp_pack_open(const void *bytes, size_t size_bytes, trp_pack *pack,
                                 trp_diagnostic *diagnostic);

/// Returns the hash of a pack's content: two versions of a file differ in it.
/// The compiler wrote it and `troupe info` checks it; opening does not.
TRP_API uint64_t trp_pack_hash(const trp_pack *pack);

/// Gives a view of a skeleton.
/// @return TRP_OK, TRP_ERROR_ARGUMENT (also for an index out of range). On error `skeleton` stays.
/// Cost: O(1). Threads: any number may share `pack`.
TRP_API trp_result trp_pack_skeleton(const trp_pack *pack, uint32_t index, trp_skeleton *skeleton);

/// Gives a view of a skin. Otherwise as trp_pack_skeleton.
TRP_API trp_result trp_pack_skin(const trp_pack *pack, uint32_t index, trp_skin *skin);

/// Gives a view of a property set. Otherwise as trp_pack_skeleton.
TRP_API trp_result trp_pack_property_set(const trp_pack *pack, uint32_t index,
                                         trp_property_set *set);

/// Gives a view of an instance. Otherwise as trp_pack_skeleton.
TRP_API trp_result trp_pack_instance(const trp_pack *pack, uint32_t index, trp_instance *instance);

/// Gives a view of a clip, bound to its skeleton where the pack holds that too. Otherwise as
/// trp_pack_skeleton.
TRP_API trp_result trp_pack_clip(const trp_pack *pack, uint32_t index, trp_clip *clip);

/// Returns the first clip whose name has this hash, or TRP_NONE.
/// Cost: O(clips). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_pack_find_clip(const trp_pack *pack, uint64_t name_hash);

/// Returns the first instance whose name has this hash, or TRP_NONE.
/// Cost: O(instances). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_pack_find_instance(const trp_pack *pack, uint64_t name_hash);

#endif
