// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Skins of a glTF file: joints in palette order and their inverse bind matrices.
#include "gltf.h"

#include <math.h>

/// What rounding in exporters leaves in a bottom row, relative to its 1.
static const double bottom_row_tolerance = 1e-5;

static bool skin_read_joints(struct gltf *gltf, const struct json_value *value,
                             struct scene_skin *skin, uint32_t *seen, uint32_t stamp)
{
    struct scene *const scene = gltf->scene;
    struct json_value joints;
    uint32_t count = 0;
    if (!json_get_array(value, "joints", true, &joints, &count)) {
        return false;
    }
    if (count == 0) {
        return json_refuse(&joints, TROUPE_EXIT_INPUT, "gltf.skin.joints", "has no joint");
    }
    skin->joint_count = count;
    skin->nodes = ARENA_NEW(&scene->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        int32_t node = -1;
        if (!json_get_index_item(&joints, i, "nodes", scene->node_count, &node)) {
            return false;
        }
        if (seen[node] == stamp) {
            const struct json_value place = json_item(&joints, i);
            return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.skin.joints",
                               "node %d is listed twice", node);
        }
        seen[node] = stamp;
        skin->nodes[i] = (uint32_t)node;
    }
    return true;
}

/// Turns column-major 4x4 into row-major 3x4.
static bool matrix_read(const double columns[16], double rows[12])
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            rows[row * 4 + column] = columns[column * 4 + row];
        }
    }
    return fabs(columns[3]) <= bottom_row_tolerance && fabs(columns[7]) <= bottom_row_tolerance &&
           fabs(columns[11]) <= bottom_row_tolerance &&
           fabs(columns[15] - 1) <= bottom_row_tolerance;
}

static bool skin_read_inverse_bind(struct gltf *gltf, const struct json_value *value,
                                   struct scene_skin *skin)
{
    const struct json_value place = json_member(value, "inverseBindMatrices");
    int32_t index = -1;
    if (!json_get_index(value, "inverseBindMatrices", false, "accessors", gltf->accessor_count,
                        &index)) {
        return false;
    }
    skin->inverse_bind =
        arena_take(&gltf->scene->arena, skin->joint_count, sizeof *skin->inverse_bind);
    if (index < 0) {
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            skin->inverse_bind[i][0] = skin->inverse_bind[i][5] = skin->inverse_bind[i][10] = 1;
        }
        return true;
    }
    struct gltf_accessor *accessor;
    if (!gltf_accessor_describe(gltf, (uint32_t)index, &accessor)) {
        return false;
    }
    if (accessor->component != GLTF_FLOAT || accessor->component_count != 16) {
        return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.skin.matrices",
                           "accessor %d must hold float MAT4", index);
    }
    if (accessor->count < skin->joint_count) {
        return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.skin.matrices",
                           "accessor %d holds %u matrices for %u joints", index, accessor->count,
                           skin->joint_count);
    }
    if (!gltf_accessor_decode(gltf, &place, (uint32_t)index)) {
        return false;
    }
    uint32_t odd_count = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const bool is_affine =
            matrix_read(accessor->values + (size_t)i * 16, skin->inverse_bind[i]);
        odd_count += is_affine ? 0 : 1;
    }
    if (odd_count > 0) {
        json_warn(&place, "gltf.skin.matrices",
                  "the bottom row of %u matrices is not 0 0 0 1; taken as if it were", odd_count);
    }
    return true;
}

bool gltf_skins_read(struct gltf *gltf)
{
    struct scene *const scene = gltf->scene;
    struct json_value list;
    uint32_t count = 0;
    if (!json_get_array(&gltf->root, "skins", false, &list, &count)) {
        return false;
    }
    uint32_t *const seen = ARENA_NEW(&gltf->scratch, uint32_t, scene->node_count);
    scene->skin_count = count;
    scene->skins = ARENA_NEW(&scene->arena, struct scene_skin, count);
    for (uint32_t i = 0; i < count; i++) {
        struct scene_skin *const skin = &scene->skins[i];
        const struct json_value value = json_item(&list, i);
        const char *name = "";
        skin->skeleton_root = -1;
        if (!json_check_object(&value) || !json_get_string(&value, "name", false, &name) ||
            !skin_read_joints(gltf, &value, skin, seen, i + 1) ||
            !skin_read_inverse_bind(gltf, &value, skin) ||
            !json_get_index(&value, "skeleton", false, "nodes", scene->node_count,
                            &skin->skeleton_root)) {
            return false;
        }
        skin->name = arena_string(&scene->arena, name);
    }
    return true;
}
