// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Armatures of an STF file, their bones, and the instances that nodes carry. Bones are written
// where they lie in the armature, so that they are brought to where they lie from their parents.
#include "stf.h"

#include <string.h>

#include "quat.h"

/// Writes where b lies as seen from a, neither of which scales.
static void transform_relative(const struct scene_transform *a, const struct scene_transform *b,
                               struct scene_transform *out)
{
    const double inverse[4] = {-a->rotation[0], -a->rotation[1], -a->rotation[2], a->rotation[3]};
    double moved[4] = {0};
    for (int i = 0; i < 3; i++) {
        moved[i] = b->translation[i] - a->translation[i];
    }
    double turned[4];
    quat_multiply(inverse, moved, turned);
    quat_multiply(turned, a->rotation, turned);
    memcpy(out->translation, turned, sizeof out->translation);
    quat_relative(a->rotation, b->rotation, out->rotation);
    quat_normalise(out->rotation);
    out->scale[0] = out->scale[1] = out->scale[2] = 1;
}

static bool bone_read(struct stf *stf, struct stf_armature *armature, uint32_t index,
                      struct stf_resource *resource, int32_t parent)
{
    const struct json_value *const value = &resource->value;
    const struct json_value rotation = json_member(value, "rotation");
    struct stf_bone *const bone = &armature->bones[index];
    *bone = (struct stf_bone){
        .resource = resource,
        .id = arena_string(&stf->scene->arena, resource->id),
        .parent = parent,
        .in_armature = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    };
    resource->owner = armature->resource;
    struct scene_transform *const placed = &bone->in_armature;
    if (!stf_resource_name(stf, resource, &bone->name) ||
        !json_get_numbers(value, "translation", 3, placed->translation) ||
        !json_get_numbers(value, "rotation", 4, placed->rotation) ||
        !json_get_number(value, "length", true, &bone->length) ||
        !stf_numbers_check(value, placed->translation, 3) ||
        !stf_numbers_check(value, placed->rotation, 4) ||
        !stf_numbers_check(value, &bone->length, 1)) {
        return false;
    }
    if (bone->length < 0) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "stf.range", "a length of %g is negative",
                           bone->length);
    }
    stf_rotation_normalise(stf, rotation.value ? &rotation : value, placed->rotation);
    bone->rest = *placed;
    if (parent >= 0) {
        transform_relative(&armature->bones[parent].in_armature, placed, &bone->rest);
    }
    return true;
}

bool stf_armature_read(struct stf *stf, struct stf_resource *resource,
                       struct stf_armature **armature)
{
    if (resource->index >= 0) {
        *armature = &stf->armatures[resource->index];
        return true;
    }
    resource->index = (int32_t)stf->armature_count++;
    struct stf_armature *const found = &stf->armatures[resource->index];
    struct stf_tree tree;
    *found = (struct stf_armature){
        .resource = resource,
        .id = arena_string(&stf->scene->arena, resource->id),
    };
    *armature = found;
    if (!stf_resource_name(stf, resource, &found->name) ||
        !stf_tree_read(stf, &resource->value, "root_bones", STF_BONE, &tree)) {
        return false;
    }
    found->bone_count = tree.count;
    found->bones = ARENA_NEW(&stf->scratch, struct stf_bone, tree.count);
    for (uint32_t i = 0; i < tree.count; i++) {
        if (!bone_read(stf, found, i, tree.items[i], tree.parents[i])) {
            return false;
        }
    }
    if (tree.count == 0) {
        json_warn(&resource->value, "stf.armature", "has no bone; skipped");
    }
    return stf_humanoid_read(stf, found);
}

/// Warns about ids in a map that are not those of bones of the armature.
static void pose_check_ids(const struct stf *stf, const struct json_value *pose,
                           const struct stf_armature *armature)
{
    struct json_value member = {0};
    while (json_next_member(pose, &member)) {
        const struct stf_resource *const bone = stf_resource_find(stf, member.key);
        if (!bone || bone->owner != armature->resource) {
            json_warn(&member, "stf.pose", "is no bone of the armature; ignored");
        }
    }
}

/// Reads how an instance is posed: bones that it does not name rest.
static bool pose_read(struct stf *stf, const struct json_value *value,
                      const struct stf_armature *armature, struct scene_transform *pose)
{
    const struct json_value map = json_member(value, "pose");
    for (uint32_t i = 0; i < armature->bone_count; i++) {
        pose[i] = armature->bones[i].rest;
    }
    if (json_is_absent(&map)) {
        return true;
    }
    if (!json_check_object(&map)) {
        return false;
    }
    for (uint32_t i = 0; i < armature->bone_count; i++) {
        const struct json_value trs = json_member(&map, armature->bones[i].resource->id);
        if (!stf_transform_read(stf, &trs, &pose[i])) {
            return false;
        }
    }
    pose_check_ids(stf, &map, armature);
    return true;
}

/// Makes the bones of an instance nodes of the scene.
static void bones_place(struct scene *scene, const struct stf_armature *armature,
                        const struct scene_instance *instance)
{
    for (uint32_t i = 0; i < armature->bone_count; i++) {
        const struct stf_bone *const bone = &armature->bones[i];
        struct scene_node *const node = &scene->nodes[instance->nodes[i]];
        *node = (struct scene_node){
            .name = bone->name,
            .id = bone->id,
            .parent = (int32_t)(bone->parent < 0 ? instance->node : instance->nodes[bone->parent]),
        };
        memcpy(node->rotation, bone->rest.rotation, sizeof node->rotation);
        memcpy(node->translation, bone->rest.translation, sizeof node->translation);
        memcpy(node->scale, bone->rest.scale, sizeof node->scale);
    }
}

/// Reads an instance whose bones are nodes from the first given one on.
static bool instance_read(struct stf *stf, const struct stf_node *node, uint32_t first_bone_node,
                          struct scene_instance *instance)
{
    const struct stf_armature *const armature = node->armature;
    const struct json_value *const value = &node->instance->value;
    void *nodes;
    void *lengths;
    void *pose;
    if (!stf_take(stf, value, armature->bone_count, sizeof *instance->nodes, &nodes) ||
        !stf_take(stf, value, armature->bone_count, sizeof *instance->lengths, &lengths) ||
        !stf_take(stf, value, armature->bone_count, sizeof *instance->pose, &pose)) {
        return false;
    }
    *instance = (struct scene_instance){
        .node = (uint32_t)node->resource->index,
        .armature_name = armature->name,
        .armature_id = armature->id,
        .bone_count = armature->bone_count,
        .nodes = nodes,
        .lengths = lengths,
        .pose = pose,
        .humanoid = armature->humanoid,
    };
    for (uint32_t i = 0; i < armature->bone_count; i++) {
        instance->nodes[i] = first_bone_node + i;
        instance->lengths[i] = armature->bones[i].length;
    }
    bones_place(stf->scene, armature, instance);
    return pose_read(stf, value, armature, instance->pose) &&
           stf_components_read(stf, value, armature, instance);
}

bool stf_instances_read(struct stf *stf, uint32_t first_bone_node)
{
    struct scene *const scene = stf->scene;
    uint32_t count = 0;
    for (uint32_t i = 0; i < stf->node_count; i++) {
        const struct stf_armature *const armature = stf->nodes[i].armature;
        count += armature && armature->bone_count > 0;
    }
    void *memory;
    if (!stf_take(stf, &stf->prefab->value, count, sizeof *scene->instances, &memory)) {
        return false;
    }
    scene->instances = memory;
    for (uint32_t i = 0; i < stf->node_count; i++) {
        struct stf_node *const node = &stf->nodes[i];
        if (!node->armature || node->armature->bone_count == 0) {
            continue;
        }
        node->scene_instance = (int32_t)scene->instance_count++;
        if (!instance_read(stf, node, first_bone_node, &scene->instances[node->scene_instance])) {
            return false;
        }
        first_bone_node += node->armature->bone_count;
    }
    return true;
}
