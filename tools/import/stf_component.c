// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Components of the bones of an armature instance: those that the armature's bones have, those that
// the instance adds, and what it changes. They are kept as they are, as text.
#include "stf.h"

#include <troupe/instance.h>

/// Where components go. While there are no items, counts what might be some.
struct component_list {
    uint32_t count;
    struct scene_component *items;
};

/// The lists of an instance, none of which it must have.
struct component_source {
    const struct json_value *instance;
    struct json_value added;
    struct json_value modified;
};

static void list_add(struct component_list *list, const struct scene_component *component,
                     trp_component_kind kind, uint32_t bone)
{
    list->items[list->count] = *component;
    list->items[list->count].kind = kind;
    list->items[list->count].bone = bone;
    list->count++;
}

/// Brings what a component is into the scene, once however often it is used.
static const struct scene_component *component_keep(struct stf *stf, struct stf_resource *resource)
{
    struct arena *const arena = &stf->scene->arena;
    if (!resource->kept.id) {
        resource->kept = (struct scene_component){
            .id = arena_string(arena, resource->id),
            .type = arena_string(arena, resource->type_name),
            .json = json_compact(&resource->value, arena),
        };
    }
    return &resource->kept;
}

/// Brings what is changed of a component into the scene.
static struct scene_component change_keep(struct stf *stf, const struct json_value *change)
{
    struct arena *const arena = &stf->scene->arena;
    struct stf_resource *const resource = stf_resource_find(stf, change->key);
    return (struct scene_component){
        .id = resource ? component_keep(stf, resource)->id : arena_string(arena, change->key),
        .type = resource ? component_keep(stf, resource)->type : "",
        .json = json_compact(change, arena),
    };
}

/// Lists whole components.
/// @param owner of the references
static bool list_resources(struct stf *stf, struct component_list *list, trp_component_kind kind,
                           uint32_t bone, const struct json_value *owner,
                           const struct json_value *references)
{
    uint32_t count = 0;
    if (!json_is_absent(references) && !json_as_array(references, &count)) {
        return json_refuse(references, TROUPE_EXIT_INPUT, "json.type", "must be an array");
    }
    if (!list->items) {
        list->count += count;
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value reference = json_item(references, i);
        struct stf_resource *resource = NULL;
        if (json_is_absent(&reference)) {
            continue;
        }
        const char *const outer = stf_spare_begin(stf, "the component is left out");
        if (!stf_spare_end(stf, outer, stf_resource_named(stf, owner, &reference, &resource))) {
            return false;
        }
        if (resource) {
            list_add(list, component_keep(stf, resource), kind, bone);
        }
    }
    return true;
}

/// Lists what is changed of components.
static bool list_changes(struct stf *stf, struct component_list *list, uint32_t bone,
                         const struct json_value *changes)
{
    struct json_value member = {0};
    if (json_is_absent(changes)) {
        return true;
    }
    if (!json_check_object(changes)) {
        return false;
    }
    while (json_next_member(changes, &member)) {
        if (list->items) {
            const struct scene_component change = change_keep(stf, &member);
            list_add(list, &change, TRP_COMPONENT_MODIFIED, bone);
        } else {
            list->count++;
        }
    }
    return true;
}

static bool list_all(struct stf *stf, const struct component_source *source,
                     const struct stf_armature *armature, struct component_list *list)
{
    for (uint32_t i = 0; i < armature->bone_count; i++) {
        const struct stf_resource *const bone = armature->bones[i].resource;
        const struct json_value own = json_member(&bone->value, "components");
        const struct json_value added = json_member(&source->added, bone->id);
        const struct json_value changes = json_member(&source->modified, bone->id);
        if (!list_resources(stf, list, TRP_COMPONENT_ARMATURE, i, &bone->value, &own) ||
            !list_resources(stf, list, TRP_COMPONENT_ADDED, i, source->instance, &added) ||
            !list_changes(stf, list, i, &changes)) {
            return false;
        }
    }
    return true;
}

/// Gets a map from bones; warns about ids in it that are none of the armature's.
static bool map_read(const struct stf *stf, const struct json_value *instance, const char *key,
                     const struct stf_armature *armature, struct json_value *map)
{
    struct json_value member = {0};
    *map = json_member(instance, key);
    if (json_is_absent(map)) {
        return true;
    }
    if (!json_check_object(map)) {
        return false;
    }
    while (json_next_member(map, &member)) {
        const struct stf_resource *const bone = stf_resource_find(stf, member.key);
        if (!bone || bone->owner != armature->resource) {
            json_warn(&member, "stf.component", "is no bone of the armature; ignored");
        }
    }
    return true;
}

bool stf_components_read(struct stf *stf, const struct json_value *value,
                         const struct stf_armature *armature, struct scene_instance *instance)
{
    struct component_source source = {.instance = value};
    struct component_list list = {0};
    void *memory;
    if (!map_read(stf, value, "added_components", armature, &source.added) ||
        !map_read(stf, value, "modified_components", armature, &source.modified) ||
        !list_all(stf, &source, armature, &list) ||
        !stf_take(stf, value, list.count, sizeof *instance->components, &memory)) {
        return false;
    }
    list = (struct component_list){.items = memory};
    if (!list_all(stf, &source, armature, &list)) {
        return false;
    }
    instance->component_count = list.count;
    instance->components = memory;
    return true;
}
