// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Questions about joints: names, ids and parents in joint order.
#include <troupe/skeleton.h>

const char *trp_skeleton_joint_name(const trp_skeleton *skeleton, uint32_t joint)
{
    if (skeleton == NULL || joint >= skeleton->joint_count) {
        return NULL;
    }
    return skeleton->strings + skeleton->name_of_joint[joint];
}

const char *trp_skeleton_joint_id(const trp_skeleton *skeleton, uint32_t joint)
{
    if (skeleton == NULL || joint >= skeleton->joint_count) {
        return NULL;
    }
    return skeleton->strings + skeleton->id_of_joint[joint];
}

uint32_t trp_skeleton_find_joint(const trp_skeleton *skeleton, uint64_t name_hash)
{
    if (skeleton == NULL) {
        return TRP_NONE;
    }
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        if (skeleton->name_hash_of_joint[joint] == name_hash) {
            return joint;
        }
    }
    return TRP_NONE;
}

uint32_t trp_skeleton_parent(const trp_skeleton *skeleton, uint32_t joint)
{
    if (skeleton == NULL || joint >= skeleton->joint_count) {
        return TRP_NONE;
    }
    const uint16_t lane = skeleton->parent_of_lane[skeleton->lane_of_joint[joint]];
    return lane == TRP_NO_LANE ? TRP_NONE : skeleton->joint_of_lane[lane];
}
