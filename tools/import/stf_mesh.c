// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Meshes of an STF file as far as they move: the order of bones that their vertices mean, and the
// names of their blendshapes.
#include "stf.h"

#include <stdlib.h>
#include <string.h>

#include "quat.h"

/// Writes the inverse of a transform without scale as a 3x4 matrix.
static void inverse_matrix(const struct scene_transform *transform, double matrix[12])
{
    double forward[12];
    scene_transform_matrix(transform, forward);
    for (int row = 0; row < 3; row++) {
        double moved = 0;
        for (int column = 0; column < 3; column++) {
            matrix[row * 4 + column] = forward[column * 4 + row];
            moved += forward[column * 4 + row] * transform->translation[column];
        }
        matrix[row * 4 + 3] = -moved;
    }
}

/// Adds a skin of some bones of an instance.
/// @param order [count] bones; null = all in their order
static bool skin_add(struct stf *stf, const struct json_value *at, const struct stf_node *node,
                     const char *name, const uint32_t *order, uint32_t count)
{
    const struct stf_armature *const armature = node->armature;
    const struct scene_instance *const instance = &stf->scene->instances[node->scene_instance];
    struct scene_skin *const skin = &stf->scene->skins[stf->scene->skin_count];
    void *nodes;
    void *inverse_bind;
    if (!stf_take(stf, at, count, sizeof *skin->nodes, &nodes) ||
        !stf_take(stf, at, count, sizeof *skin->inverse_bind, &inverse_bind)) {
        return false;
    }
    *skin = (struct scene_skin){
        .name = name,
        .joint_count = count,
        .nodes = nodes,
        .inverse_bind = inverse_bind,
        .skeleton_root = -1,
    };
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bone = order ? order[i] : i;
        skin->nodes[i] = instance->nodes[bone];
        inverse_matrix(&armature->bones[bone].in_armature, skin->inverse_bind[i]);
    }
    stf->scene->skin_count++;
    return true;
}

/// Reads the order of bones that a mesh's vertices mean.
/// @param order [out] [count] bones of the armature
/// @param is_ok [out] false where one is none of the armature's, after a warning
static bool order_read(struct stf *stf, const struct json_value *mesh,
                       const struct stf_armature *armature, const struct json_value *list,
                       uint32_t *order, uint32_t count, bool *is_ok)
{
    *is_ok = true;
    for (uint32_t i = 0; i < count && *is_ok; i++) {
        const struct json_value reference = json_item(list, i);
        struct stf_resource *bone;
        if (!stf_resource_named(stf, mesh, &reference, &bone)) {
            return false;
        }
        *is_ok = bone->owner == armature->resource;
        if (*is_ok) {
            order[i] = (uint32_t)bone->index;
        } else {
            json_warn(&reference, "stf.mesh",
                      "%s is no bone of the armature that the mesh is bound to; the order of its "
                      "bones is dropped",
                      bone->id);
        }
    }
    return true;
}

static bool order_is_whole(const uint32_t *order, uint32_t count,
                           const struct stf_armature *armature)
{
    bool is_whole = count == armature->bone_count;
    for (uint32_t i = 0; i < count && is_whole; i++) {
        is_whole = order[i] == i;
    }
    return is_whole;
}

/// Finds the node whose armature instance a mesh instance is bound to; null where there is none.
static bool armature_node_find(struct stf *stf, const struct json_value *instance,
                               const struct stf_node **node)
{
    const struct json_value reference = json_member(instance, "armature_instance");
    struct stf_resource *resource = NULL;
    *node = NULL;
    if (json_is_absent(&reference)) {
        return true;
    }
    if (!stf_resource_expect(stf, instance, &reference, STF_NODE, &resource)) {
        return false;
    }
    if (resource && resource->index >= 0 && stf->nodes[resource->index].scene_instance >= 0) {
        *node = &stf->nodes[resource->index];
    } else if (resource) {
        json_warn(&reference, "stf.mesh", "%s carries no armature in the scene; ignored",
                  resource->id);
    }
    return true;
}

/// Finds the mesh that a mesh instance shows; null where there is none.
static bool mesh_find(struct stf *stf, const struct json_value *instance,
                      struct stf_resource **mesh)
{
    const struct json_value reference = json_member(instance, "mesh");
    *mesh = NULL;
    return json_is_absent(&reference) ||
           stf_resource_expect(stf, instance, &reference, STF_MESH, mesh);
}

/// Adds the skin of a mesh instance, if its bones are not just all of its armature.
static bool mesh_instance_read(struct stf *stf, const struct json_value *instance)
{
    const struct stf_node *node;
    struct stf_resource *mesh = NULL;
    if (!armature_node_find(stf, instance, &node) || !mesh_find(stf, instance, &mesh)) {
        return false;
    }
    struct json_value list = {0};
    uint32_t count = 0;
    if (!node || !mesh) {
        return true;
    }
    list = json_member(&mesh->value, "bones");
    if (!json_is_absent(&list) && !json_get_array(&mesh->value, "bones", false, &list, &count)) {
        return false;
    }
    void *order;
    bool is_ok;
    if (!stf_take(stf, &mesh->value, count, sizeof(uint32_t), &order) ||
        !order_read(stf, &mesh->value, node->armature, &list, order, count, &is_ok)) {
        return false;
    }
    if (!is_ok || count == 0 || order_is_whole(order, count, node->armature)) {
        return true;
    }
    const char *name;
    return stf_resource_name(stf, mesh, &name) &&
           skin_add(stf, &mesh->value, node, name, order, count);
}

bool stf_skins_read(struct stf *stf)
{
    void *skins;
    if (!stf_take(stf, &stf->prefab->value, stf->node_count, sizeof *stf->scene->skins, &skins)) {
        return false;
    }
    stf->scene->skins = skins;
    for (uint32_t i = 0; i < stf->node_count; i++) {
        const struct stf_node *const node = &stf->nodes[i];
        if (node->scene_instance >= 0 &&
            !skin_add(stf, &node->instance->value, node, node->armature->name, NULL,
                      node->armature->bone_count)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < stf->node_count; i++) {
        const struct stf_resource *const instance = stf->nodes[i].instance;
        if (instance && instance->type == STF_MESH_INSTANCE &&
            !mesh_instance_read(stf, &instance->value)) {
            return false;
        }
    }
    return true;
}

static int blendshape_compare(const void *a, const void *b)
{
    const struct stf_blendshape *const first = a;
    const struct stf_blendshape *const second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : first->index < second->index ? -1 : first->index > second->index;
}

/// Warns of the first name of a mesh that several of its blendshapes have.
static void blendshape_names_check(const struct json_value *list, const struct stf_mesh *mesh)
{
    for (uint32_t i = 1; i < mesh->blendshape_count; i++) {
        if (strcmp(mesh->blendshapes[i].name, mesh->blendshapes[i - 1].name) == 0) {
            json_warn(list, "stf.blendshape", "several are named \"%s\"; the first is taken",
                      mesh->blendshapes[i].name);
            return;
        }
    }
}

/// Reads the blendshapes of a mesh when they are first wanted.
static bool mesh_read(struct stf *stf, struct stf_resource *resource)
{
    struct json_value list = json_member(&resource->value, "blendshapes");
    uint32_t count = 0;
    if (resource->index >= 0) {
        return true;
    }
    if (!json_is_absent(&list) &&
        !json_get_array(&resource->value, "blendshapes", false, &list, &count)) {
        return false;
    }
    if (!stf->meshes) {
        stf->meshes = ARENA_NEW(&stf->scratch, struct stf_mesh, stf->type_counts[STF_MESH]);
    }
    struct stf_mesh *const mesh = &stf->meshes[stf->mesh_count];
    mesh->blendshape_count = count;
    mesh->blendshapes = ARENA_NEW(&stf->scratch, struct stf_blendshape, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value value = json_item(&list, i);
        struct stf_blendshape *const blendshape = &mesh->blendshapes[i];
        blendshape->index = i;
        if (!json_check_object(&value) ||
            !json_get_string(&value, "name", true, &blendshape->name) ||
            !json_get_number(&value, "default_value", false, &blendshape->default_value)) {
            return false;
        }
    }
    qsort(mesh->blendshapes, count, sizeof *mesh->blendshapes, blendshape_compare);
    blendshape_names_check(&list, mesh);
    resource->index = (int32_t)stf->mesh_count++;
    return true;
}

/// Returns the first blendshape of a name, or null.
static const struct stf_blendshape *mesh_blendshape(const struct stf_mesh *mesh, const char *name)
{
    uint32_t first = 0;
    uint32_t end = mesh->blendshape_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (strcmp(mesh->blendshapes[middle].name, name) < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < mesh->blendshape_count && strcmp(mesh->blendshapes[first].name, name) == 0
               ? &mesh->blendshapes[first]
               : NULL;
}

static void blendshape_warn(struct stf *stf, const struct json_value *list, uint32_t value_count,
                            uint32_t blendshape_count)
{
    if (!stf->is_blendshape_warned) {
        json_warn(list, "stf.blendshape",
                  "has %u values for the mesh's %u blendshapes; here, and wherever else it is so, "
                  "the mesh's defaults are taken",
                  value_count, blendshape_count);
    }
    stf->is_blendshape_warned = true;
}

/// Reads where an instance lets a blendshape rest, if it says so. Values have no names, so that
/// a list that is longer than the mesh's means nobody knows which.
static bool instance_value(struct stf *stf, const struct json_value *instance,
                           const struct stf_mesh *mesh, const struct stf_blendshape *blendshape,
                           double *value)
{
    const struct json_value list = json_member(instance, "blendshape_values");
    uint32_t count = 0;
    if (!json_is_absent(&list) && !json_as_array(&list, &count)) {
        return json_refuse(&list, TROUPE_EXIT_INPUT, "json.type", "must be an array");
    }
    if (count > mesh->blendshape_count) {
        blendshape_warn(stf, &list, count, mesh->blendshape_count);
        return true;
    }
    const struct json_value item = json_item(&list, blendshape->index);
    return json_is_absent(&item) || json_as_number(&item, value) ||
           json_refuse(&item, TROUPE_EXIT_INPUT, "json.type", "must be a number or null");
}

bool stf_blendshape_find(struct stf *stf, const struct stf_resource *instance, const char *name,
                         bool *is_found, double *value)
{
    struct stf_resource *resource;
    *is_found = false;
    if (!mesh_find(stf, &instance->value, &resource)) {
        return false;
    }
    if (!resource) {
        return true;
    }
    if (!mesh_read(stf, resource)) {
        return false;
    }
    const struct stf_mesh *const mesh = &stf->meshes[resource->index];
    const struct stf_blendshape *const blendshape = mesh_blendshape(mesh, name);
    if (!blendshape) {
        return true;
    }
    *is_found = true;
    *value = blendshape->default_value;
    return instance_value(stf, &instance->value, mesh, blendshape, value);
}
