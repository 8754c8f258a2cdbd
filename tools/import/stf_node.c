// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Nodes of an STF file: those below the prefab, and what is needed to place any. Bones become
// nodes too, after them.
#include "stf.h"

#include <math.h>
#include <string.h>

#include "quat.h"

/// Largest number of a node's placement: far above any scene, far below the end of float.
static const double number_limit = 1e30;

/// What rounding leaves of a rotation's unit length.
static const double length_tolerance = 1e-4;

#define MAX_TREE_DEPTH 2048u // twice what a skeleton can have

/// A resource whose children are being walked.
struct stf_branch {
    struct json_value children;
    uint32_t child_count;
    uint32_t next;
    const struct json_value *owner; // of the references
    int32_t item;                   // in the tree, -1 for the list of roots
};

/// Opens the list of what is below something.
static bool branch_open(const struct json_value *owner, const char *key, int32_t item,
                        struct stf_branch *branch)
{
    const struct json_value list = json_member(owner, key);
    *branch = (struct stf_branch){.owner = owner, .item = item};
    return json_is_absent(&list) ||
           json_get_array(owner, key, false, &branch->children, &branch->child_count);
}

/// Takes a resource into the tree, which must be its only place.
static bool tree_add(struct stf_tree *tree, const struct stf_branch *branch,
                     const struct json_value *reference, struct stf_resource *child)
{
    const char *const owner = branch->owner->key;
    if (child->walk == STF_WALK_OPEN) {
        return json_refuse(reference, TROUPE_EXIT_INPUT, "stf.cycle",
                           "%s lies below itself: %s has it as a child", child->id, owner);
    }
    if (child->walk == STF_WALK_DONE) {
        return json_refuse(reference, TROUPE_EXIT_INPUT, "stf.parent",
                           "%s is listed below %s, but elsewhere already", child->id, owner);
    }
    child->walk = STF_WALK_OPEN;
    child->index = (int32_t)tree->count;
    tree->items[tree->count] = child;
    tree->parents[tree->count++] = branch->item;
    return true;
}

/// Takes the next child of a branch into the tree.
/// @param child [out] null where it is skipped
static bool branch_step(struct stf *stf, struct stf_branch *branch, enum stf_type type,
                        struct stf_tree *tree, struct stf_resource **child)
{
    const struct json_value reference = json_item(&branch->children, branch->next++);
    *child = NULL;
    if (json_is_absent(&reference)) {
        return true;
    }
    return stf_resource_expect(stf, branch->owner, &reference, type, child) &&
           (!*child || tree_add(tree, branch, &reference, *child));
}

bool stf_tree_read(struct stf *stf, const struct json_value *owner, const char *key,
                   enum stf_type type, struct stf_tree *tree)
{
    if (!stf->branches) {
        stf->branches = ARENA_NEW(&stf->scratch, struct stf_branch, MAX_TREE_DEPTH + 1);
    }
    struct stf_branch *const branches = stf->branches;
    *tree = (struct stf_tree){
        .items = stf->walked + stf->walked_count,
        .parents = stf->walked_parents + stf->walked_count,
    };
    if (!branch_open(owner, key, -1, &branches[0])) {
        return false;
    }
    for (uint32_t depth = 1; depth > 0;) {
        struct stf_branch *const branch = &branches[depth - 1];
        struct stf_resource *child = NULL;
        if (branch->next == branch->child_count) {
            if (branch->item >= 0) {
                tree->items[branch->item]->walk = STF_WALK_DONE;
            }
            depth--;
        } else if (!branch_step(stf, branch, type, tree, &child)) {
            return false;
        } else if (child && depth > MAX_TREE_DEPTH) {
            return json_refuse(&child->value, TROUPE_EXIT_UNSUPPORTED, "stf.depth",
                               "lies more than %u levels deep", MAX_TREE_DEPTH);
        } else if (child &&
                   !branch_open(&child->value, "children", child->index, &branches[depth++])) {
            return false;
        }
    }
    stf->walked_count += tree->count;
    return true;
}

void stf_rotation_normalise(struct stf *stf, const struct json_value *at, double rotation[4])
{
    const double length = sqrt(quat_dot(rotation, rotation));
    if (fabs(length - 1) > length_tolerance && !stf->is_rotation_warned) {
        stf->is_rotation_warned = true;
        json_warn(at, "stf.rotation",
                  "a rotation here, and maybe elsewhere, is not of unit length but %g; normalised",
                  length);
    }
    quat_normalise(rotation);
}

bool stf_numbers_check(const struct json_value *at, const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= number_limit)) {
            return json_refuse(at, TROUPE_EXIT_INPUT, "stf.range",
                               "%g is too large to place anything", numbers[i]);
        }
    }
    return true;
}

/// Reads an array of exactly `count` numbers.
static bool numbers_read(const struct json_value *array, uint32_t count, double *numbers)
{
    uint32_t found = 0;
    bool ok = json_as_array(array, &found) && found == count;
    for (uint32_t i = 0; i < count && ok; i++) {
        const struct json_value item = json_item(array, i);
        ok = json_as_number(&item, &numbers[i]);
    }
    if (!ok) {
        return json_refuse(array, TROUPE_EXIT_INPUT, "json.type", "must be an array of %u numbers",
                           count);
    }
    return stf_numbers_check(array, numbers, count);
}

bool stf_transform_read(struct stf *stf, const struct json_value *trs,
                        struct scene_transform *transform)
{
    if (json_is_absent(trs)) {
        return true;
    }
    const struct json_value translation = json_item(trs, 0);
    const struct json_value rotation = json_item(trs, 1);
    const struct json_value scale = json_item(trs, 2);
    uint32_t count = 0;
    if (!json_as_array(trs, &count) || count != 3) {
        return json_refuse(trs, TROUPE_EXIT_INPUT, "json.type",
                           "must be an array of translation, rotation and scale");
    }
    if (!numbers_read(&translation, 3, transform->translation) ||
        !numbers_read(&rotation, 4, transform->rotation) ||
        !numbers_read(&scale, 3, transform->scale)) {
        return false;
    }
    stf_rotation_normalise(stf, &rotation, transform->rotation);
    return true;
}

/// Finds what a node carries, and reads its armature if it is one.
static bool node_read_instance(struct stf *stf, struct stf_node *node)
{
    const struct json_value *const value = &node->resource->value;
    const struct json_value reference = json_member(value, "instance");
    if (json_is_absent(&reference)) {
        return true;
    }
    if (!stf_resource_of(stf, value, &reference, &node->instance)) {
        return false;
    }
    if (!node->instance || node->instance->type != STF_ARMATURE_INSTANCE) {
        return true;
    }
    if (node->instance->owner) {
        json_warn(&reference, "stf.instance", "%s carries %s already; each gets its own",
                  node->instance->owner->id, node->instance->id);
    }
    node->instance->owner = node->resource;
    const struct json_value *const instance = &node->instance->value;
    const struct json_value armature = json_member(instance, "armature");
    struct stf_resource *resource = NULL;
    if (json_is_absent(&armature)) {
        return json_refuse(instance, TROUPE_EXIT_INPUT, "json.missing", "\"armature\" is missing");
    }
    return stf_resource_expect(stf, instance, &armature, STF_ARMATURE, &resource) &&
           (!resource || stf_armature_read(stf, resource, &node->armature));
}

/// Places a node below its parent.
static bool node_place(struct stf *stf, const struct stf_tree *tree, uint32_t index)
{
    struct scene_node *const node = &stf->scene->nodes[index];
    const struct stf_resource *const resource = tree->items[index];
    const struct json_value trs = json_member(&resource->value, "trs");
    struct scene_transform local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    if (!stf_resource_name(stf, resource, &node->name) || !stf_transform_read(stf, &trs, &local)) {
        return false;
    }
    node->id = arena_string(&stf->scene->arena, resource->id);
    node->parent = tree->parents[index];
    memcpy(node->rotation, local.rotation, sizeof local.rotation);
    memcpy(node->translation, local.translation, sizeof local.translation);
    memcpy(node->scale, local.scale, sizeof local.scale);
    return true;
}

/// Hangs a node below a bone, where it is bound to one.
static bool node_bind(struct stf *stf, struct stf_node *node)
{
    const struct json_value *const value = &node->resource->value;
    const struct json_value binding = json_member(value, "parent_binding");
    const struct json_value node_reference = json_item(&binding, 0);
    const struct json_value bone_reference = json_item(&binding, 2);
    uint32_t count = 0;
    if (json_is_absent(&binding) || (json_as_array(&binding, &count) && count == 0)) {
        return true;
    }
    if (count != 3) {
        return json_refuse(&binding, TROUPE_EXIT_INPUT, "json.type",
                           "must be an array of a node, \"instance\" and a bone");
    }
    struct stf_resource *carrier;
    struct stf_resource *bone;
    if (!stf_resource_of(stf, value, &node_reference, &carrier) ||
        !stf_resource_of(stf, value, &bone_reference, &bone)) {
        return false;
    }
    const struct stf_node *const found = carrier && carrier->type == STF_NODE && carrier->index >= 0
                                             ? &stf->nodes[carrier->index]
                                             : NULL;
    if (!found || found->scene_instance < 0 || !bone || bone->owner != found->armature->resource) {
        json_warn(&binding, "stf.binding", "names no bone of an armature in the scene; ignored");
        return true;
    }
    const struct scene_instance *const instance = &stf->scene->instances[found->scene_instance];
    stf->scene->nodes[node->resource->index].parent = (int32_t)instance->nodes[bone->index];
    return true;
}

/// Refuses nodes that bindings have made their own ancestors, and those deeper than skeletons can
/// be. Walking up from each node, every node is passed once in all.
static bool nodes_check(struct stf *stf)
{
    const struct scene *const scene = stf->scene;
    // Depth of a node, or 0 = unknown yet, or UINT32_MAX = on the way up from the current one.
    uint32_t *const depths = ARENA_NEW(&stf->scratch, uint32_t, scene->node_count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t steps = 0;
        int32_t known = (int32_t)i;
        for (; known >= 0 && depths[known] == 0; known = scene->nodes[known].parent) {
            depths[known] = UINT32_MAX;
            steps++;
        }
        if (known >= 0 && depths[known] == UINT32_MAX) {
            return report_error(stf->report, TROUPE_EXIT_INPUT, NULL, "stf.cycle",
                                "bound to a bone, %s lies below %s and so below itself",
                                scene->nodes[known].id,
                                scene->nodes[scene->nodes[known].parent].id);
        }
        uint32_t depth = steps + (known >= 0 ? depths[known] : 0);
        if (depth > MAX_TREE_DEPTH) {
            return report_error(stf->report, TROUPE_EXIT_UNSUPPORTED, NULL, "stf.depth",
                                "%s lies %u levels deep, at most %u are supported",
                                scene->nodes[i].id, depth, MAX_TREE_DEPTH);
        }
        for (int32_t node = (int32_t)i; node != known; node = scene->nodes[node].parent) {
            depths[node] = depth--;
        }
    }
    return true;
}

/// Makes room for all nodes and bones of the scene.
static bool scene_prepare(struct stf *stf)
{
    struct scene *const scene = stf->scene;
    uint64_t node_count = stf->node_count;
    for (uint32_t i = 0; i < stf->node_count; i++) {
        node_count += stf->nodes[i].armature ? stf->nodes[i].armature->bone_count : 0;
    }
    void *memory;
    if (!stf_take(stf, &stf->prefab->value, node_count, sizeof *scene->nodes, &memory)) {
        return false;
    }
    scene->nodes = memory;
    scene->node_count = (uint32_t)node_count;
    return true;
}

bool stf_nodes_read(struct stf *stf)
{
    struct stf_tree tree;
    if (!stf_tree_read(stf, &stf->prefab->value, "root_nodes", STF_NODE, &tree)) {
        return false;
    }
    stf->node_count = tree.count;
    stf->nodes = ARENA_NEW(&stf->scratch, struct stf_node, tree.count);
    stf->armatures = ARENA_NEW(&stf->scratch, struct stf_armature, stf->type_counts[STF_ARMATURE]);
    for (uint32_t i = 0; i < tree.count; i++) {
        stf->nodes[i] = (struct stf_node){.resource = tree.items[i], .scene_instance = -1};
        if (!node_read_instance(stf, &stf->nodes[i])) {
            return false;
        }
    }
    if (!scene_prepare(stf)) {
        return false;
    }
    for (uint32_t i = 0; i < tree.count; i++) {
        if (!node_place(stf, &tree, i)) {
            return false;
        }
    }
    if (!stf_instances_read(stf, tree.count)) {
        return false;
    }
    for (uint32_t i = 0; i < tree.count; i++) {
        if (!node_bind(stf, &stf->nodes[i])) {
            return false;
        }
    }
    return nodes_check(stf);
}
