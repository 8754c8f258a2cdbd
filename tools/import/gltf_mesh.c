// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Meshes of a glTF file, of which animations need to know the morph targets alone: how many there
// are, what they are called and the weights they rest at.
#include "gltf.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Counts the morph targets, of which all primitives have as many.
static bool targets_count(const struct json_value *value, uint32_t *target_count)
{
    struct json_value primitives;
    uint32_t primitive_count = 0;
    if (!json_check_object(value) ||
        !json_get_array(value, "primitives", true, &primitives, &primitive_count)) {
        return false;
    }
    for (uint32_t i = 0; i < primitive_count; i++) {
        const struct json_value primitive = json_item(&primitives, i);
        struct json_value targets;
        uint32_t count = 0;
        if (!json_check_object(&primitive) ||
            !json_get_array(&primitive, "targets", false, &targets, &count)) {
            return false;
        }
        if (i > 0 && count != *target_count) {
            return json_refuse(&primitive, TROUPE_EXIT_INPUT, "gltf.mesh.targets",
                               "has %u morph targets where primitives[0] has %u", count,
                               *target_count);
        }
        *target_count = count;
    }
    return true;
}

/// Reads weights, where an object has any, of which it must have as many as there are targets.
static bool weights_read(const struct json_value *object, uint32_t count, double *weights)
{
    const struct json_value place = json_member(object, "weights");
    if (!json_get_numbers(object, "weights", count, weights)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs(weights[i]) <= FLT_MAX)) {
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.mesh.weights",
                               "%g is too large for a weight", weights[i]);
        }
    }
    return true;
}

/// Takes what names there are: extras are free in form, so that nothing in them is wrong.
static void labels_read(struct gltf *gltf, const struct json_value *value, struct gltf_mesh *mesh)
{
    const struct json_value extras = json_member(value, "extras");
    const struct json_value names = json_member(&extras, "targetNames");
    for (uint32_t i = 0; i < mesh->target_count; i++) {
        const struct json_value item = json_item(&names, i);
        const char *name;
        mesh->labels[i] =
            json_as_string(&item, &name) ? arena_string(&gltf->scene->arena, name) : "";
    }
}

bool gltf_mesh_describe(struct gltf *gltf, const struct json_value *referrer, uint32_t index,
                        const struct gltf_mesh **out)
{
    struct gltf_mesh *const mesh = &gltf->meshes[index];
    *out = mesh;
    if (mesh->is_described) {
        return true;
    }
    const struct json_value list = json_member(&gltf->root, "meshes");
    const struct json_value value = json_item(&list, index);
    if (!targets_count(&value, &mesh->target_count)) {
        return false;
    }
    if (mesh->target_count == 0) {
        return json_refuse(referrer, TROUPE_EXIT_INPUT, "gltf.animation.weights",
                           "mesh %u has no morph targets", index);
    }
    void *weights;
    void *labels;
    if (!gltf_take(gltf, &value, mesh->target_count, sizeof *mesh->weights, &weights) ||
        !gltf_take(gltf, &value, mesh->target_count, sizeof *mesh->labels, &labels) ||
        !weights_read(&value, mesh->target_count, weights)) {
        return false;
    }
    mesh->weights = weights;
    mesh->labels = labels;
    labels_read(gltf, &value, mesh);
    mesh->is_described = true;
    return true;
}

bool gltf_mesh_rest_weights(struct gltf *gltf, uint32_t node, const struct gltf_mesh *mesh,
                            double *weights)
{
    const struct json_value list = json_member(&gltf->root, "nodes");
    const struct json_value value = json_item(&list, node);
    memcpy(weights, mesh->weights, mesh->target_count * sizeof *weights);
    return weights_read(&value, mesh->target_count, weights);
}
