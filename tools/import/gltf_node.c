// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Nodes of a glTF file, of all its scenes and of none.
#include "gltf.h"

#include <math.h>

/// What rounding in exporters leaves in a bottom row, relative to its 1.
static const double bottom_row_tolerance = 1e-5;

/// Largest number of a node's placement: far above any scene, far below the end of float.
static const double number_limit = 1e30;

#define MAX_NODE_DEPTH 2048u // twice what a skeleton can have

/// A shear below this moves nothing by more than a hundredth of a percent.
static const double shear_tolerance = 1e-4;

static bool numbers_check(const struct json_value *value, const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= number_limit)) {
            return json_refuse(value, TROUPE_EXIT_INPUT, "gltf.node.range",
                               "%g is too large to place a node", numbers[i]);
        }
    }
    return true;
}

static bool node_read_matrix(struct gltf *gltf, const struct json_value *value, uint32_t index)
{
    struct scene_node *const node = &gltf->scene->nodes[index];
    const struct json_value place = json_member(value, "matrix");
    double matrix[16];
    if (!json_get_numbers(value, "matrix", 16, matrix) || !numbers_check(value, matrix, 16)) {
        return false;
    }
    const double bottom[4] = {0, 0, 0, 1};
    for (int column = 0; column < 4; column++) {
        if (fabs(matrix[column * 4 + 3] - bottom[column]) > bottom_row_tolerance) {
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.node.matrix",
                               "the bottom row is not 0 0 0 1");
        }
    }
    gltf_matrix_decompose(matrix, node, &gltf->node_shear[index]);
    gltf->node_has_matrix[index] = true;
    return true;
}

static bool node_read_parts(struct gltf *gltf, const struct json_value *value, uint32_t index)
{
    struct scene_node *const node = &gltf->scene->nodes[index];
    const struct json_value place = json_member(value, "rotation");
    return json_get_numbers(value, "rotation", 4, node->rotation) &&
           json_get_numbers(value, "translation", 3, node->translation) &&
           json_get_numbers(value, "scale", 3, node->scale) &&
           numbers_check(value, node->translation, 3) && numbers_check(value, node->scale, 3) &&
           gltf_rotation_normalise(gltf, place.value ? &place : value, "it", node->rotation);
}

static bool node_read_children(struct gltf *gltf, const struct json_value *value, uint32_t index)
{
    struct scene *const scene = gltf->scene;
    struct json_value children;
    uint32_t child_count = 0;
    if (!json_get_array(value, "children", false, &children, &child_count)) {
        return false;
    }
    for (uint32_t i = 0; i < child_count; i++) {
        int32_t child = -1;
        if (!json_get_index_item(&children, i, "nodes", scene->node_count, &child)) {
            return false;
        }
        if (scene->nodes[child].parent >= 0) {
            const struct json_value place = json_item(&children, i);
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.node.parent",
                               "node %d is already a child of node %d", child,
                               scene->nodes[child].parent);
        }
        scene->nodes[child].parent = (int32_t)index;
    }
    return true;
}

static bool node_read(struct gltf *gltf, const struct json_value *list, uint32_t index)
{
    struct scene_node *const node = &gltf->scene->nodes[index];
    const struct json_value value = json_item(list, index);
    const char *name = "";
    if (!json_check_object(&value) || !json_get_string(&value, "name", false, &name)) {
        return false;
    }
    node->name = arena_string(&gltf->scene->arena, name);
    const bool has_matrix = json_member(&value, "matrix").value != NULL;
    return (has_matrix ? node_read_matrix(gltf, &value, index)
                       : node_read_parts(gltf, &value, index)) &&
           node_read_children(gltf, &value, index);
}

/// Refuses nodes that are their own ancestors: walking up from each node, every node is passed
/// once in all, since it is then known to lead to a root.
static bool nodes_check_cycles(struct gltf *gltf, const struct json_value *list)
{
    const struct scene *const scene = gltf->scene;
    // 0 = not visited yet, otherwise 1 + the node whose walk came by first.
    uint32_t *const walks = ARENA_NEW(&gltf->scratch, uint32_t, scene->node_count);
    for (uint32_t i = 0; i < scene->node_count; i++) {
        int32_t node = (int32_t)i;
        while (node >= 0 && walks[node] == 0) {
            walks[node] = i + 1;
            node = scene->nodes[node].parent;
        }
        if (node >= 0 && walks[node] == i + 1) {
            const struct json_value place = json_item(list, (size_t)node);
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.node.cycle", "is its own ancestor");
        }
    }
    return true;
}

/// Refuses nodes deeper than skeletons can be, before anything walks up from each of them.
static bool nodes_check_depth(struct gltf *gltf, const struct json_value *list)
{
    const struct scene *const scene = gltf->scene;
    uint32_t *const depths = ARENA_NEW(&gltf->scratch, uint32_t, scene->node_count); // 0 = unknown
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t steps = 0;
        int32_t known = (int32_t)i;
        for (; known >= 0 && depths[known] == 0; known = scene->nodes[known].parent) {
            steps++;
        }
        uint32_t depth = steps + (known >= 0 ? depths[known] : 0);
        if (depth > MAX_NODE_DEPTH) {
            const struct json_value place = json_item(list, i);
            return json_refuse(&place, TROUPE_EXIT_UNSUPPORTED, "gltf.node.depth",
                               "lies %u levels deep, at most %u are supported", depth,
                               MAX_NODE_DEPTH);
        }
        for (int32_t node = (int32_t)i; node != known; node = scene->nodes[node].parent) {
            depths[node] = depth--;
        }
    }
    return true;
}

bool gltf_nodes_read(struct gltf *gltf)
{
    struct scene *const scene = gltf->scene;
    struct json_value list;
    uint32_t count = 0;
    if (!json_get_array(&gltf->root, "nodes", false, &list, &count)) {
        return false;
    }
    scene->node_count = count;
    scene->nodes = ARENA_NEW(&scene->arena, struct scene_node, count);
    gltf->node_has_matrix = ARENA_NEW(&gltf->scratch, bool, count);
    gltf->node_shear = ARENA_NEW(&gltf->scratch, double, count);
    for (uint32_t i = 0; i < count; i++) {
        scene->nodes[i] = (struct scene_node){
            .name = "",
            .parent = -1,
            .rotation = {0, 0, 0, 1},
            .scale = {1, 1, 1},
        };
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!node_read(gltf, &list, i)) {
            return false;
        }
    }
    return nodes_check_cycles(gltf, &list) && nodes_check_depth(gltf, &list);
}

/// Marks a node and its ancestors.
static void mark_upwards(const struct scene *scene, bool *marks, uint32_t index)
{
    for (int32_t node = (int32_t)index; node >= 0 && !marks[node];
         node = scene->nodes[node].parent) {
        marks[node] = true;
    }
}

bool gltf_nodes_check_shear(struct gltf *gltf)
{
    const struct scene *const scene = gltf->scene;
    bool *const matters = ARENA_NEW(&gltf->scratch, bool, scene->node_count);
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        for (uint32_t joint = 0; joint < scene->skins[i].joint_count; joint++) {
            mark_upwards(scene, matters, scene->skins[i].nodes[joint]);
        }
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        for (uint32_t t = 0; t < scene->clips[i].track_count; t++) {
            const struct scene_track *const track = &scene->clips[i].tracks[t];
            if (track->path != SCENE_PROPERTY) {
                mark_upwards(scene, matters, track->node);
            }
        }
    }
    const struct json_value list = json_member(&gltf->root, "nodes");
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (gltf->node_shear[i] <= shear_tolerance) {
            continue;
        }
        const struct json_value place = json_item(&list, i);
        if (matters[i]) {
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.node.shear",
                               "the matrix shears (by %.3g), which rotation and scale cannot say",
                               gltf->node_shear[i]);
        }
        json_warn(&place, "gltf.node.shear", "the matrix shears (by %.3g); the shear is dropped",
                  gltf->node_shear[i]);
    }
    return true;
}
