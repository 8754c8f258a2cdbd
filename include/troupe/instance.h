// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Instances: armatures as a file has put them into its scene, each with the pose it stands in, the
// ids of its bones, and components that a host may want to read. A clip bound to an instance plays
// over that pose. (Instances of a crowd are another thing: those are just pose memory.)
#ifndef TROUPE_INSTANCE_H
#define TROUPE_INSTANCE_H

#include <troupe/clip.h>

/// Where a component of an instance comes from.
typedef enum trp_component_kind {
    TRP_COMPONENT_ADDED = 0,    ///< belongs to this instance alone
    TRP_COMPONENT_MODIFIED = 1, ///< changes some values of a component that the armature has
    TRP_COMPONENT_ARMATURE = 2, ///< a component of a bone of the armature, as all instances have it
} trp_component_kind;

/// A component of a bone: data of the file that Troupe keeps and does not interpret.
typedef struct trp_component {
    trp_component_kind kind;
    uint32_t bone;    ///< [0, instance->bone_count)
    const char *id;   ///< of the component in the file
    const char *type; ///< such as "stfexp.constraint.twist"; empty where it is not known
    const char *json; ///< the component as the file has it, or what is modified: JSON text
    uint64_t id_hash; ///< trp_name_hash of `id`
} trp_component;

/// An armature in a scene. Filled by trp_pack_instance; treat as read-only.
typedef struct trp_instance {
    const char *name; ///< of the node that carries it
    uint64_t name_hash;
    const char *id; ///< of that node in the file
    const char *armature_name;
    const char *armature_id;
    uint64_t bind_hash;      ///< of its skeleton: which clips fit
    uint32_t index;          ///< of this instance in its pack
    uint32_t skeleton_index; ///< in the same pack
    uint32_t bone_count;
    uint32_t component_count;
    const trp_pose_block *pose;   ///< the whole skeleton with all its instances as the file poses
                                  ///< them; instances of one skeleton share it
    const uint16_t *lane_of_bone; ///< [bone_count] bones in the order of the file; TRP_NO_LANE: not
                                  ///< in the skeleton
    const float *length_of_bone;  ///< [bone_count] source units
    const uint64_t *id_hash_of_bone; ///< [bone_count] trp_name_hash of the bone's id in the file
    const uint32_t *id_of_bone;      ///< [bone_count] offsets into `strings`
    const char *strings;
    const uint8_t *bytes; ///< the instance in its pack, see src/FORMAT.md
} trp_instance;

/// Returns the id of a bone in its file, or null when out of range.
TRP_API const char *trp_instance_bone_id(const trp_instance *instance, uint32_t bone);

/// Returns the bone whose id has this hash, or TRP_NONE.
/// Cost: O(bones). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_instance_find_bone(const trp_instance *instance, uint64_t id_hash);

/// Returns the first component of a bone whose id has this hash, or TRP_NONE.
/// @param bone [0, instance->bone_count), or TRP_NONE for any
/// Cost: O(components). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_instance_find_component(const trp_instance *instance, uint32_t bone,
                                             uint64_t id_hash);

/// Fills a view of a component.
/// @param index [0, instance->component_count); sorted by bone, then in the order of the file
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `component` is untouched.
/// Cost: O(1). Threads: any number may share `instance`.
TRP_API trp_result trp_instance_component(const trp_instance *instance, uint32_t index,
                                          trp_component *component);

/// Ties a clip to an instance: joints that the clip says nothing of keep the instance's pose
/// instead of the rest pose. trp_clip_bind goes back to rest.
/// @param clip [in,out] bound to the skeleton of the instance already
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (the clip is additive, not bound, or fits
///         another skeleton than the instance has). On error `clip` stays.
/// Threads: `clip` is exclusive.
TRP_API trp_result trp_clip_bind_instance(trp_clip *clip, const trp_instance *instance);

#endif
