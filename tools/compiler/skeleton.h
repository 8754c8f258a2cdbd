// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Skeletons as the compiler sees them: which nodes of a scene are joints, and in which lanes.
#ifndef TROUPE_TOOLS_SKELETON_H
#define TROUPE_TOOLS_SKELETON_H

#include <troupe/skeleton.h>

#include "compiler.h"

struct skeleton {
    const struct scene *scene;
    const char *name;
    uint32_t joint_count;
    uint32_t raw_joint_count; // joints of its skins and bones of its armatures, or animated nodes
                              // where it has neither
    uint32_t block_count;
    uint32_t joint_block_count;
    uint32_t lane_count;
    uint32_t *node_of_joint;
    uint32_t *joint_of_node; // [scene->node_count] or TRP_NONE
    uint16_t *lane_of_joint;
    uint16_t *joint_of_lane;
    uint16_t *parent_of_lane;
    const char **name_of_joint;
    double metres_per_unit;
    double root[12];
    trp_pose_block *rest;               // as stored
    struct scene_transform *rest_local; // [lane_count] exact
    double (*rest_model)[12];           // [lane_count] exact
    double *reach;                      // [lane_count] longest way from the joint to a leaf, units
    double *shell_scale;                // [lane_count] rest model scale, 1 where that is 0
    uint64_t bind_hash;
    bool in_pack; // false: belongs to the pack given by --skeleton and is not written again
};

/// Finds the skeletons of a scene: one for all skins and armatures under a scene root (and one more
/// for animated nodes under other roots); without either one for all animated nodes.
/// @param metres_per_unit of the source
/// @param skeletons [out] lives in `arena`; `count` may be 0: nothing moves
bool skeletons_of_scene(const struct scene *scene, enum compile_nodes nodes, double metres_per_unit,
                        struct arena *arena, struct skeleton **skeletons, uint32_t *count,
                        struct report *report);

/// Makes the skeleton of a scene whose clips move no joint: it has none, and no pack holds it.
struct skeleton *skeleton_of_nothing(const struct scene *scene, struct arena *arena);

/// Makes a skeleton of a pack's, for clips that shall play on it: the nodes of `scene` are mapped
/// by name, and animated ones that do not map are reported.
bool skeleton_of_pack(const trp_skeleton *source, const struct scene *scene, struct arena *arena,
                      struct skeleton *skeleton, struct report *report);

/// Returns a value as packs store it: a float, its noise around zero gone.
float stored_float(double value);

#endif
