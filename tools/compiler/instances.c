// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "instances.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <troupe/humanoid.h>

#include "exact_math.h"

static const double half_turn_rad = 3.14159265358979323846;

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/// Returns the lane of a node, or TRP_NO_LANE where it is no joint of the skeleton.
static uint16_t lane_of_node(const struct skeleton *skeleton, uint32_t node)
{
    const uint32_t joint = skeleton->joint_of_node[node];
    return joint == TRP_NONE ? TRP_NO_LANE : skeleton->lane_of_joint[joint];
}

static bool is_of_skeleton(const struct scene_instance *instance, const struct skeleton *skeleton)
{
    return instance->bone_count > 0 && lane_of_node(skeleton, instance->nodes[0]) != TRP_NO_LANE;
}

// ---- the pose ----------------------------------------------------------------------------------

static void pose_lane(trp_pose_block *pose, uint32_t lane, const struct scene_transform *local)
{
    trp_pose_block *const block = &pose[lane / TRP_BLOCK_LANES];
    const uint32_t place = lane % TRP_BLOCK_LANES;
    for (int i = 0; i < 4; i++) {
        block->rotation[i][place] = stored_float(local->rotation[i]);
    }
    for (int i = 0; i < 3; i++) {
        block->translation[i][place] = stored_float(local->translation[i]);
        block->scale[i][place] = stored_float(local->scale[i]);
    }
}

/// Returns the pose of the whole skeleton with all its instances as the file poses them.
static trp_pose_block *pose_skeleton(const struct skeleton *skeleton, struct arena *arena)
{
    const struct scene *const scene = skeleton->scene;
    trp_pose_block *const pose = ARENA_NEW(arena, trp_pose_block, skeleton->block_count);
    memcpy(pose, skeleton->rest, skeleton->block_count * sizeof *pose);
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *const instance = &scene->instances[i];
        for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
            const uint16_t lane = lane_of_node(skeleton, instance->nodes[bone]);
            if (lane != TRP_NO_LANE) {
                pose_lane(pose, lane, &instance->pose[bone]);
            }
        }
    }
    return pose;
}

// ---- the humanoid ------------------------------------------------------------------------------

/// Whether what the file maps as a part plays any: see trp_humanoid_lane.
static bool plays_a_part(const struct scene_humanoid *humanoid, uint32_t part)
{
    const char *const name = trp_human_part_name(part);
    const bool is_foot = strncmp(name, "foot.", 5) == 0;
    return !(part == TRP_HUMAN_JAW && (humanoid->flags & TRP_HUMANOID_NO_JAW)) &&
           !(is_foot && (humanoid->flags & TRP_HUMANOID_DIGITIGRADE));
}

/// Returns the tangent of half a turn, or `none` where it is no limit: a joint that may turn that
/// far may turn any way.
static float limit_tangent(double turn_rad, float none)
{
    if (!(fabs(turn_rad) < half_turn_rad)) {
        return none;
    }
    const double half = 0.5 * turn_rad;
    return stored_float(exact_sin(half) / exact_cos(half));
}

/// The limits of a humanoid, in blocks that have any.
struct limits {
    uint32_t block_count;
    uint32_t blocks[TRP_HUMAN_PART_COUNT]; // ascending
    float tangents[TRP_HUMAN_PART_COUNT][6][TRP_BLOCK_LANES];
};

/// Returns the limits of the block of a lane; where it has none yet, with room for them.
static float (*limits_of_block(struct limits *limits, uint32_t block))[TRP_BLOCK_LANES]
{
    uint32_t place = 0;
    while (place < limits->block_count && limits->blocks[place] < block) {
        place++;
    }
    if (place < limits->block_count && limits->blocks[place] == block) {
        return limits->tangents[place];
    }
    const uint32_t after_count = limits->block_count++ - place;
    memmove(&limits->blocks[place + 1], &limits->blocks[place],
            after_count * sizeof *limits->blocks);
    memmove(&limits->tangents[place + 1], &limits->tangents[place],
            after_count * sizeof *limits->tangents);
    limits->blocks[place] = block;
    for (uint32_t i = 0; i < 6 * TRP_BLOCK_LANES; i++) {
        const uint32_t row = i / TRP_BLOCK_LANES;
        limits->tangents[place][row][i % TRP_BLOCK_LANES] = row % 2 == 0 ? -FLT_MAX : FLT_MAX;
    }
    return limits->tangents[place];
}

/// Returns whether a part before this one plays the same lane.
static bool is_lane_taken(const struct scene_humanoid *humanoid, const uint16_t *lanes,
                          uint32_t part)
{
    for (uint32_t other = 0; other < part; other++) {
        if (lanes[other] == lanes[part] && plays_a_part(humanoid, other)) {
            return true;
        }
    }
    return false;
}

/// Gathers the limits of a humanoid. A bone that the file maps to several parts keeps to the limits
/// of the first.
static void find_limits(const struct scene_humanoid *humanoid, const uint16_t *lanes,
                        struct limits *limits)
{
    limits->block_count = 0;
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        const uint16_t lane = lanes[part];
        if (lane == TRP_NO_LANE || humanoid->axes[part] == 0 || !plays_a_part(humanoid, part) ||
            is_lane_taken(humanoid, lanes, part)) {
            continue;
        }
        float(*const block)[TRP_BLOCK_LANES] = limits_of_block(limits, lane / TRP_BLOCK_LANES);
        for (int axis = 0; axis < 3; axis++) {
            if (humanoid->axes[part] & (1u << axis)) {
                const double *const turns = humanoid->limits[part][axis];
                block[2 * axis][lane % TRP_BLOCK_LANES] = limit_tangent(turns[0], -FLT_MAX);
                block[2 * axis + 1][lane % TRP_BLOCK_LANES] = limit_tangent(turns[2], FLT_MAX);
            }
        }
    }
}

static void append_humanoid(const struct skeleton *skeleton, const struct scene_instance *instance,
                            struct limits *limit_blocks, struct buffer *bytes)
{
    const struct scene_humanoid *const humanoid = instance->humanoid;
    struct trp__humanoid stored = {.flags = humanoid->flags};
    for (int i = 0; i < 7; i++) {
        stored.settings[i] = stored_float(humanoid->settings[i]);
    }
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        const int32_t bone = humanoid->bone_of_part[part];
        struct trp__human_limits *const limits = &stored.limits[part];
        float *const turns[3] = {limits->primary, limits->secondary, limits->twist};
        stored.lane_of_part[part] =
            bone < 0 ? TRP_NO_LANE : lane_of_node(skeleton, instance->nodes[bone]);
        limits->axes = humanoid->axes[part];
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < 3 && (limits->axes & (1u << axis)); i++) {
                turns[axis][i] = stored_float(humanoid->limits[part][axis][i]);
            }
        }
    }
    find_limits(humanoid, stored.lane_of_part, limit_blocks);
    buffer_append(bytes, limit_blocks->tangents,
                  limit_blocks->block_count * sizeof *limit_blocks->tangents);
    buffer_append(bytes, &stored, sizeof stored);
}

// ---- the rest ----------------------------------------------------------------------------------

static void append_components(struct pack_writer *writer, const struct scene_instance *instance,
                              struct buffer *bytes)
{
    for (uint32_t i = 0; i < instance->component_count; i++) {
        const struct scene_component *const component = &instance->components[i];
        struct trp__component stored = {
            .id_hash = trp_name_hash(component->id),
            .bone = component->bone,
            .kind = component->kind,
        };
        stored.id = pack_writer_string(writer, component->id);
        stored.type = pack_writer_string(writer, component->type);
        stored.json = pack_writer_string(writer, component->json);
        buffer_append(bytes, &stored, sizeof stored);
    }
}

static void append_bones(struct pack_writer *writer, const struct skeleton *skeleton,
                         const struct scene_instance *instance, const struct limits *limits,
                         struct buffer *bytes)
{
    const struct scene *const scene = skeleton->scene;
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const char *const id = text_or_empty(scene->nodes[instance->nodes[bone]].id);
        const uint32_t place = pack_writer_string(writer, id);
        buffer_append(bytes, &place, sizeof place);
    }
    buffer_append(bytes, limits->blocks, limits->block_count * sizeof *limits->blocks);
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const float length = stored_float(instance->lengths[bone]);
        buffer_append(bytes, &length, sizeof length);
    }
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const uint16_t lane = lane_of_node(skeleton, instance->nodes[bone]);
        buffer_append(bytes, &lane, sizeof lane);
    }
}

/// Appends what follows the pose of an instance.
/// @param limits room for those of a humanoid
static void append_rest(struct pack_writer *writer, const struct skeleton *skeleton,
                        const struct scene_instance *instance, struct limits *limits,
                        struct buffer *bytes)
{
    const struct scene *const scene = skeleton->scene;
    limits->block_count = 0;
    if (instance->humanoid != NULL) {
        append_humanoid(skeleton, instance, limits, bytes);
    }
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const uint64_t hash = trp_name_hash(text_or_empty(scene->nodes[instance->nodes[bone]].id));
        buffer_append(bytes, &hash, sizeof hash);
    }
    append_components(writer, instance, bytes);
    append_bones(writer, skeleton, instance, limits, bytes);
}

static struct trp__instance_header header_of(struct pack_writer *writer,
                                             const struct skeleton *skeleton,
                                             uint32_t skeleton_index,
                                             const struct scene_instance *instance)
{
    const struct scene_node *const carrier = &skeleton->scene->nodes[instance->node];
    struct trp__instance_header header = {
        .name_hash = trp_name_hash(carrier->name),
        .skeleton = skeleton_index,
        .block_count = skeleton->block_count,
        .bone_count = instance->bone_count,
        .component_count = instance->component_count,
        .flags = instance->humanoid != NULL ? TRP__INSTANCE_HUMANOID : 0,
    };
    // One statement each: the order of initialisers, and with it of strings, is the compiler's.
    header.name = pack_writer_string(writer, carrier->name);
    header.id = pack_writer_string(writer, text_or_empty(carrier->id));
    header.armature_name = pack_writer_string(writer, text_or_empty(instance->armature_name));
    header.armature_id = pack_writer_string(writer, text_or_empty(instance->armature_id));
    return header;
}

void instances_write(struct pack_writer *writer, const struct skeleton *skeleton,
                     uint32_t skeleton_index)
{
    const struct scene *const scene = skeleton->scene;
    struct arena arena = {0};
    const trp_pose_block *const pose = pose_skeleton(skeleton, &arena);
    struct limits *const limits = ARENA_NEW(&arena, struct limits, 1);
    uint32_t posed = pack_writer_find_pose(writer, skeleton_index, pose);
    const bool is_known = posed != TRP_NONE; // from an input like this one
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *const instance = &scene->instances[i];
        if (!is_of_skeleton(instance, skeleton)) {
            continue;
        }
        struct trp__instance_header header = header_of(writer, skeleton, skeleton_index, instance);
        struct buffer bytes = {0};
        buffer_append(&bytes, &header, sizeof header);
        if (posed == TRP_NONE) {
            buffer_append(&bytes, pose, skeleton->block_count * sizeof *pose);
        }
        append_rest(writer, skeleton, instance, limits, &bytes);
        header.pose_of = posed == TRP_NONE ? writer->instances.count : posed;
        header.limit_block_count = limits->block_count;
        memcpy(bytes.bytes, &header, sizeof header);
        if (!is_known || !pack_writer_holds_instance(writer, &bytes)) {
            pack_writer_add_instance(writer, &bytes);
            posed = header.pose_of;
        }
        buffer_free(&bytes);
    }
    arena_free(&arena);
}

void blendtree_write(struct pack_writer *writer, const struct scene_blendtree *tree,
                     const uint32_t *clips)
{
    struct trp__blendtree_header header = {
        .name_hash = trp_name_hash(tree->name),
        .dimensions = tree->dimensions,
        .count = tree->count,
    };
    header.name = pack_writer_string(writer, tree->name);
    header.id = pack_writer_string(writer, text_or_empty(tree->id));
    struct buffer bytes = {0};
    buffer_append(&bytes, &header, sizeof header);
    for (uint32_t i = 0; i < tree->count; i++) {
        const float place[2] = {
            stored_float(tree->places[i][0]),
            tree->dimensions == 2 ? stored_float(tree->places[i][1]) : 0.0f,
        };
        buffer_append(&bytes, place, sizeof place);
    }
    buffer_append(&bytes, clips, tree->count * sizeof *clips);
    pack_writer_add_blendtree(writer, &bytes);
    buffer_free(&bytes);
}
