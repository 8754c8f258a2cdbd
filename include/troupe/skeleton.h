// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Skeletons and skins: the hierarchy that poses belong to, and the palette orders that meshes use.
// Both are views into the bytes of a pack: read-only, plain, and dead when the bytes go.
#ifndef TROUPE_SKELETON_H
#define TROUPE_SKELETON_H

#include <troupe/pose.h>

/// A joint hierarchy. A *joint* index follows the order of the source file; a *lane* is the
/// joint's place in poses: parents before children, joints with the largest reach first, so that
/// the first n blocks are a level of detail. Filled by trp_pack_skeleton; treat as read-only.
typedef struct trp_skeleton {
    const char *name;
    uint64_t name_hash;
    uint64_t bind_hash;     ///< over names, parents and lane map: which clips fit
    double metres_per_unit; ///< size of one unit of the source; translations stay in source units
    uint32_t index;         ///< of this skeleton in its pack
    uint32_t joint_count;
    uint32_t lane_count;               ///< 16 * block_count; some lanes may hold no joint
    uint32_t block_count;              ///< blocks of a pose
    uint32_t joint_block_count;        ///< blocks before the first attachment joint
    const float *root_transform;       ///< [12] 3x4 row-major: static ancestors of all roots
    const trp_pose_block *rest;        ///< [block_count] rest pose
    const uint16_t *parent_of_lane;    ///< [lane_count] a smaller lane, or TRP_NO_LANE
    const uint16_t *joint_of_lane;     ///< [lane_count] or TRP_NO_LANE
    const uint16_t *lane_of_joint;     ///< [joint_count]
    const uint32_t *node_of_joint;     ///< [joint_count] index of the node in the source file
    const uint64_t *name_hash_of_joint; ///< [joint_count]
    const uint32_t *name_of_joint;     ///< [joint_count] offsets into `strings`
    const uint32_t *id_of_joint;       ///< [joint_count] likewise
    const char *strings;
} trp_skeleton;

/// A palette order over a skeleton, with inverse bind matrices. Filled by trp_pack_skin.
typedef struct trp_skin {
    const char *name;
    uint64_t name_hash;
    uint32_t index;          ///< of this skin in its pack
    uint32_t skeleton_index; ///< of its skeleton in the same pack
    uint32_t joint_count;    ///< entries of a palette
    const uint16_t *lane_of_entry;     ///< [joint_count]
    const float (*inverse_bind)[12];   ///< [joint_count] 3x4 row-major, joint from mesh
} trp_skin;

/// Returns the name of a joint (UTF-8, may be empty or shared), or null when out of range.
TRP_API const char *trp_skeleton_joint_name(const trp_skeleton *skeleton, uint32_t joint);

/// Returns the id of a joint in its source file (empty where files give none), or null when out of
/// range.
TRP_API const char *trp_skeleton_joint_id(const trp_skeleton *skeleton, uint32_t joint);

/// Returns the first joint whose name has this hash, or TRP_NONE.
/// Cost: O(joints). Threads: any.
TRP_API uint32_t trp_skeleton_find_joint(const trp_skeleton *skeleton, uint64_t name_hash);

/// Returns the parent of a joint, or TRP_NONE for a root or a joint out of range.
TRP_API uint32_t trp_skeleton_parent(const trp_skeleton *skeleton, uint32_t joint);

#endif
