// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blend trees of an STF file, and the animations of which they, or anything else, may be made.
#include "stf.h"

#include <string.h>

/// Gives an animation a clip, unless it has one.
static void animation_add(struct stf *stf, struct stf_resource *resource)
{
    if (resource->index < 0) {
        resource->index = (int32_t)stf->animation_count;
        stf->animations[stf->animation_count++] = resource;
    }
}

bool stf_animations_find(struct stf *stf)
{
    const struct json_value *const prefab = &stf->prefab->value;
    struct json_value list = json_member(prefab, "animations");
    uint32_t count = 0;
    stf->animations =
        ARENA_NEW(&stf->scratch, struct stf_resource *, stf->type_counts[STF_ANIMATION]);
    if (!json_is_absent(&list) && !json_get_array(prefab, "animations", false, &list, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value reference = json_item(&list, i);
        struct stf_resource *resource = NULL;
        if (!json_is_absent(&reference) &&
            !stf_resource_expect(stf, prefab, &reference, STF_ANIMATION, &resource)) {
            return false;
        }
        if (resource) {
            animation_add(stf, resource);
        }
    }
    for (uint32_t i = 0; i < stf->ids.count; i++) {
        if (stf->resources[i].type == STF_ANIMATION) {
            animation_add(stf, &stf->resources[i]);
        }
    }
    return true;
}

/// Reads where an animation of a tree has its place. In one dimension exporters write a number,
/// importers expect an array.
static bool place_read(const struct json_value *item, uint32_t dimensions, double place[2])
{
    const struct json_value position = json_member(item, "position");
    const struct json_value x = json_item(&position, 0);
    const struct json_value y = json_item(&position, 1);
    uint32_t count = 0;
    if (json_as_number(&position, &place[0]) && dimensions == 1) {
        return stf_numbers_check(&position, place, 1);
    }
    if (!json_as_array(&position, &count) || count < dimensions || !json_as_number(&x, &place[0]) ||
        (dimensions == 2 && !json_as_number(&y, &place[1]))) {
        return json_refuse(item, TROUPE_EXIT_INPUT, "stf.blendtree",
                           "needs a \"position\" of %u numbers", dimensions);
    }
    return stf_numbers_check(&position, place, dimensions);
}

static bool item_read(struct stf *stf, const struct stf_resource *resource,
                      const struct json_value *item, uint32_t index, struct scene_blendtree *tree)
{
    const struct json_value reference = json_member(item, "animation");
    struct stf_resource *animation = NULL;
    if (!json_check_object(item) || !place_read(item, tree->dimensions, tree->places[index])) {
        return false;
    }
    if (!json_is_absent(&reference) &&
        !stf_resource_expect(stf, &resource->value, &reference, STF_ANIMATION, &animation)) {
        return false;
    }
    if (!animation) {
        json_warn(item, "stf.blendtree", "has no animation that is known");
    }
    tree->clips[index] = animation ? animation->index : -1;
    return true;
}

/// Warns of a tree that blends nothing.
static void places_check(const struct json_value *value, const struct scene_blendtree *tree)
{
    uint32_t same = 1;
    if (tree->count == 0) {
        json_warn(value, "stf.blendtree", "has no animation");
        return;
    }
    while (same < tree->count && tree->places[same][0] == tree->places[0][0] &&
           tree->places[same][1] == tree->places[0][1]) {
        same++;
    }
    if (tree->count > 1 && same == tree->count) {
        json_warn(value, "stf.blendtree",
                  "all its animations have one place; the first alone is ever played");
    }
}

static bool blendtree_read(struct stf *stf, const struct stf_resource *resource,
                           struct scene_blendtree *tree)
{
    const struct json_value *const value = &resource->value;
    const char *type = NULL;
    struct json_value list;
    void *places;
    void *clips;
    if (!json_get_string(value, "blendtree_type", true, &type) ||
        !json_get_array(value, "animations", true, &list, &tree->count) ||
        !stf_resource_name(stf, resource, &tree->name) ||
        !stf_take(stf, value, tree->count, sizeof *tree->places, &places) ||
        !stf_take(stf, value, tree->count, sizeof *tree->clips, &clips)) {
        return false;
    }
    tree->dimensions = strcmp(type, "1d") == 0 ? 1 : strcmp(type, "2d") == 0 ? 2 : 0;
    if (tree->dimensions == 0) {
        return json_refuse(value, TROUPE_EXIT_UNSUPPORTED, "stf.blendtree",
                           "blendtree_type \"%s\" is unknown", type);
    }
    tree->id = arena_string(&stf->scene->arena, resource->id);
    tree->places = places;
    tree->clips = clips;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct json_value item = json_item(&list, i);
        if (!item_read(stf, resource, &item, i, tree)) {
            return false;
        }
    }
    places_check(value, tree);
    return true;
}

bool stf_blendtrees_read(struct stf *stf)
{
    struct scene *const scene = stf->scene;
    void *trees;
    if (!stf_take(stf, &stf->root, stf->type_counts[STF_BLENDTREE], sizeof *scene->blendtrees,
                  &trees)) {
        return false;
    }
    scene->blendtrees = trees;
    for (uint32_t i = 0; i < stf->ids.count; i++) {
        if (stf->resources[i].type != STF_BLENDTREE) {
            continue;
        }
        struct scene_blendtree *const tree = &scene->blendtrees[scene->blendtree_count];
        const char *const outer = stf_spare_begin(stf, "the blend tree is left out");
        const bool ok = blendtree_read(stf, &stf->resources[i], tree);
        if (!stf_spare_end(stf, outer, ok)) {
            return false;
        }
        if (ok) {
            scene->blendtree_count++;
        } else {
            *tree = (struct scene_blendtree){0};
        }
    }
    return true;
}
