// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Checks of instances, with the humanoid that one may have, and of blend trees. See validate.c.
#include "check.h"

enum {
    HUMANOID_FLAGS = TRP_HUMANOID_DIGITIGRADE | TRP_HUMANOID_NO_JAW | TRP_HUMANOID_USE_TRANSLATION,
    HUMANOID_AXES = 7,
};

static bool check_lane(struct trp__check *check, const trp_skeleton *skeleton, const uint16_t *at,
                       const char *rule)
{
    REQUIRE(*at == TRP_NO_LANE ||
                (*at < skeleton->lane_count && skeleton->joint_of_lane[*at] != TRP_NO_LANE),
            rule, at);
    return true;
}

// -- Humanoids

/// Checks the limits of one block as trp_humanoid_clamp reads them.
/// @param joints [TRP_BLOCK_LANES] of the block's lanes
static bool check_limit_block(struct trp__check *check, const uint16_t *joints, const float *limits)
{
    for (uint32_t i = 0; i < 6 * TRP_BLOCK_LANES; i++) {
        // The largest of an axis lie right behind the smallest.
        const bool is_smallest = i / TRP_BLOCK_LANES % 2 == 0;
        const bool has_joint = joints[i % TRP_BLOCK_LANES] != TRP_NO_LANE;
        REQUIRE(trp__is_finite(limits[i]) &&
                    (!is_smallest || limits[i] <= limits[i + TRP_BLOCK_LANES]),
                "humanoid.limit", &limits[i]);
        REQUIRE(has_joint || limits[i] == (is_smallest ? -FLT_MAX : FLT_MAX), "humanoid.padding",
                &limits[i]);
    }
    return true;
}

static bool check_limit_blocks(struct trp__check *check, const trp_skeleton *skeleton,
                               const trp_humanoid *humanoid)
{
    for (uint32_t i = 0; i < humanoid->limit_block_count; i++) {
        const uint32_t *const block = &humanoid->block_of_limits[i];
        REQUIRE(*block < humanoid->block_count && (i == 0 || *block > block[-1]), "humanoid.block",
                block);
        if (!check_limit_block(check, &skeleton->joint_of_lane[*block * TRP_BLOCK_LANES],
                               &humanoid->limit_blocks[i * 6 * TRP_BLOCK_LANES])) {
            return false;
        }
    }
    return true;
}

static bool check_part_limits(struct trp__check *check, const trp_human_limits *limits)
{
    REQUIRE(limits->axes <= HUMANOID_AXES, "humanoid.axes", &limits->axes);
    for (uint32_t i = 0; i < 3; i++) {
        REQUIRE(trp__is_finite(limits->primary[i]), "humanoid.angle", &limits->primary[i]);
        REQUIRE(trp__is_finite(limits->secondary[i]), "humanoid.angle", &limits->secondary[i]);
        REQUIRE(trp__is_finite(limits->twist[i]), "humanoid.angle", &limits->twist[i]);
    }
    return true;
}

static bool check_humanoid(struct trp__check *check, const trp_skeleton *skeleton,
                           const trp_humanoid *humanoid)
{
    const struct trp__humanoid *const stored =
        (const void *)(humanoid->limit_blocks + humanoid->limit_block_count * 6 * TRP_BLOCK_LANES);
    if (!check_limit_blocks(check, skeleton, humanoid)) {
        return false;
    }
    REQUIRE(stored->flags <= HUMANOID_FLAGS, "humanoid.flags", &stored->flags);
    for (uint32_t i = 0; i < 7; i++) {
        REQUIRE(trp__is_finite(stored->settings[i]), "humanoid.setting", &stored->settings[i]);
    }
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        if (!check_lane(check, skeleton, &humanoid->lane_of_part[part], "humanoid.lane") ||
            !check_part_limits(check, &humanoid->limits[part])) {
            return false;
        }
    }
    return true;
}

// -- Instances

static uint64_t size_of(const struct trp__instance_header *header, uint32_t index)
{
    const uint64_t bones = header->bone_count;
    const uint64_t components = header->component_count;
    const uint64_t limit_blocks = header->limit_block_count;
    return trp__instance_limits_at(header, index) +
           limit_blocks * (sizeof(float[6][TRP_BLOCK_LANES]) + sizeof(uint32_t)) +
           (header->flags & TRP__INSTANCE_HUMANOID ? sizeof(struct trp__humanoid) : 0) +
           bones * (sizeof(uint64_t) + sizeof(uint32_t) + sizeof(float) + sizeof(uint16_t)) +
           components * sizeof(struct trp__component);
}

/// Returns whether the pose of an instance is its own, or that of one before it which is good.
static bool has_pose(const struct trp__check *check, const struct trp__instance_header *header)
{
    const uint32_t index = check->diagnostic.index;
    if (header->pose_of >= index) {
        return header->pose_of == index;
    }
    const struct trp__instance_header *const posed =
        (const void *)trp__object_at(check->pack.instances, header->pose_of);
    return posed->pose_of == header->pose_of && posed->skeleton == header->skeleton;
}

static bool check_bones(struct trp__check *check, const trp_skeleton *skeleton,
                        const trp_instance *instance)
{
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const float *const length = &instance->length_of_bone[bone];
        REQUIRE(*length >= 0 && trp__is_finite(*length), "instance.length", length);
        if (!check_lane(check, skeleton, &instance->lane_of_bone[bone], "instance.lane") ||
            !trp__check_name(check, &instance->id_of_bone[bone])) {
            return false;
        }
    }
    return true;
}

static bool check_components(struct trp__check *check, const trp_instance *instance)
{
    const struct trp__component *const components =
        (const void *)(instance->id_hash_of_bone + instance->bone_count);
    uint32_t last_bone = 0;
    for (uint32_t i = 0; i < instance->component_count; i++) {
        const struct trp__component *const component = &components[i];
        REQUIRE(component->bone >= last_bone && component->bone < instance->bone_count,
                "component.bone", &component->bone);
        REQUIRE(component->kind <= TRP_COMPONENT_ARMATURE, "component.kind", &component->kind);
        if (!trp__check_name(check, &component->id) || !trp__check_name(check, &component->type) ||
            !trp__check_name(check, &component->json)) {
            return false;
        }
        last_bone = component->bone;
    }
    return true;
}

static bool check_instance_header(struct trp__check *check,
                                  const struct trp__instance_header *header,
                                  const trp_skeleton *skeleton, uint32_t size_bytes)
{
    const bool is_humanoid = header->flags == TRP__INSTANCE_HUMANOID;
    REQUIRE(header->block_count == skeleton->block_count, "instance.blocks", &header->block_count);
    REQUIRE(header->flags <= TRP__INSTANCE_HUMANOID, "instance.flags", &header->flags);
    REQUIRE(has_pose(check, header), "instance.pose_of", &header->pose_of);
    REQUIRE(header->limit_block_count <= (is_humanoid ? header->block_count : 0), "humanoid.blocks",
            &header->limit_block_count);
    REQUIRE(size_bytes == size_of(header, check->diagnostic.index), "instance.size", header);
    return trp__check_name(check, &header->name) && trp__check_name(check, &header->id) &&
           trp__check_name(check, &header->armature_name) &&
           trp__check_name(check, &header->armature_id);
}

bool trp__check_instance(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    static const struct trp__pose_rules pose_rules = {
        .padding = "instance.padding",
        .finite = "instance.pose",
        .rotation = "instance.rotation",
    };
    const struct trp__instance_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "instance.short", at);
    trp_skeleton skeleton;
    REQUIRE(trp_pack_skeleton(&check->pack, header->skeleton, &skeleton) == TRP_OK,
            "instance.skeleton", &header->skeleton);
    if (!check_instance_header(check, header, &skeleton, size_bytes)) {
        return false;
    }

    trp_instance instance;
    trp_humanoid humanoid;
    (void)trp_pack_instance(&check->pack, check->diagnostic.index, &instance);
    const bool is_humanoid = trp_instance_humanoid(&instance, &humanoid) == TRP_OK;
    const bool is_posed_elsewhere = header->pose_of != check->diagnostic.index;
    return (is_posed_elsewhere || trp__check_pose(check, &skeleton, instance.pose, &pose_rules)) &&
           (!is_humanoid || check_humanoid(check, &skeleton, &humanoid)) &&
           check_bones(check, &skeleton, &instance) && check_components(check, &instance);
}

// -- Blend trees

bool trp__check_blendtree(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    const struct trp__blendtree_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "blendtree.short", at);
    REQUIRE(header->dimensions == 1 || header->dimensions == 2, "blendtree.dimensions",
            &header->dimensions);
    REQUIRE(size_bytes ==
                sizeof *header + (uint64_t)header->count * (sizeof(float[2]) + sizeof(uint32_t)),
            "blendtree.size", at);
    if (!trp__check_name(check, &header->name) || !trp__check_name(check, &header->id)) {
        return false;
    }

    trp_blendtree tree;
    (void)trp_pack_blendtree(&check->pack, check->diagnostic.index, &tree);
    for (uint32_t i = 0; i < tree.count; i++) {
        const float *const place = tree.places[i];
        REQUIRE(trp__is_finite(place[0]) && trp__is_finite(place[1]) &&
                    (tree.dimensions == 2 || place[1] == 0),
                "blendtree.place", place);
        REQUIRE(tree.clips[i] == TRP_NONE || tree.clips[i] < check->pack.clip_count,
                "blendtree.clip", &tree.clips[i]);
    }
    return true;
}
