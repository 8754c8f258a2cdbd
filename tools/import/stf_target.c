// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the tracks of an STF animation drive: joints, or properties that keep the path of the file.
//     node  t | r | r_euler | s | enabled
//     node  instance  bone  t | r | r_euler | s | enabled
//     node  instance  bone  components | component_mods  component  ...
//     node  instance  blendshape  name  value
//     node  instance  material  slot  property  index  color | number
//     node  instance  fov | color | brightness | range | temperature | spot_angle | enabled
//     node  components  component  ...
#include "stf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TARGET_VALUES = 4, // that a rest can have: a colour
};

/// The path of a track while it is looked at.
struct way {
    const struct json_value *at;
    uint32_t count;
    const char **parts; // [count]
    struct stf_target *target;
};

/// Warns that a track drives nothing; it is skipped.
static bool way_leave(const struct way *way, const char *why)
{
    way->target->is_unresolved = true;
    json_warn(way->at, "stf.target", "%s; the track is skipped", why);
    return true;
}

/// Returns whether the part at an index is a word.
static bool way_is(const struct way *way, uint32_t index, const char *word)
{
    return index < way->count && strcmp(way->parts[index], word) == 0;
}

/// Reads the parts of a path: strings, and numbers where exporters wrote such.
static bool way_read(struct stf *stf, struct way *way)
{
    if (!json_as_array(way->at, &way->count)) {
        return false;
    }
    way->parts = ARENA_NEW(&stf->scratch, const char *, way->count);
    for (uint32_t i = 0; i < way->count; i++) {
        const struct json_value part = json_item(way->at, i);
        double number = 0;
        if (json_as_number(&part, &number)) {
            char text[32];
            snprintf(text, sizeof text, "%.17g", number);
            way->parts[i] = arena_string(&stf->scratch, text);
        } else if (!json_as_string(&part, &way->parts[i])) {
            return false;
        }
    }
    return way->count >= 2;
}

/// Returns the parts as a JSON pointer.
static const char *way_pointer(struct stf *stf, const struct way *way)
{
    size_t bytes = 1;
    for (uint32_t i = 0; i < way->count; i++) {
        bytes += 1 + 2 * strlen(way->parts[i]);
    }
    char *const pointer = arena_take(&stf->scratch, bytes, 1);
    char *end = pointer;
    for (uint32_t i = 0; i < way->count; i++) {
        *end++ = '/';
        for (const char *from = way->parts[i]; *from; from++) {
            const bool is_escaped = *from == '~' || *from == '/';
            *end++ = is_escaped ? '~' : *from;
            if (is_escaped) {
                *end++ = *from == '~' ? '0' : '1';
            }
        }
    }
    return pointer;
}

/// Makes the target a property.
/// @param component_count 0 = as many as the track has
static void target_property(struct stf *stf, const struct way *way, int32_t node,
                            enum scene_property_type type, uint32_t component_count)
{
    *way->target = (struct stf_target){
        .path = SCENE_PROPERTY,
        .node = node,
        .type = type,
        .component_count = component_count,
        .pointer = way_pointer(stf, way),
        .label = "",
    };
}

/// Reads a value of the file as what a property rests at; anything but numbers says nothing.
static void rest_read(const struct json_value *value, struct stf_target *target)
{
    uint32_t count = 0;
    bool boolean = false;
    double numbers[TARGET_VALUES];
    if (json_as_number(value, &numbers[0])) {
        count = 1;
    } else if (json_as_boolean(value, &boolean)) {
        numbers[0] = boolean;
        count = 1;
    } else if (!json_as_array(value, &count) || count > TARGET_VALUES) {
        return;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            const struct json_value item = json_item(value, i);
            if (!json_as_number(&item, &numbers[i])) {
                return;
            }
        }
    }
    target->rest_count = count;
    memcpy(target->rest, numbers, count * sizeof *numbers);
}

/// Reads a part of a path as an index; false where it is none.
static bool index_read(const char *text, uint32_t *index)
{
    char *end;
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    *index = (uint32_t)value;
    return errno == 0 && *end == 0 && value < INT32_MAX;
}

/// Makes the target something that is on or off.
static void target_enabled(struct stf *stf, const struct way *way, int32_t node,
                           const struct json_value *owner)
{
    const struct json_value enabled = json_member(owner, "enabled");
    target_property(stf, way, node, SCENE_BOOL, 1);
    way->target->rest_count = 1;
    way->target->rest[0] = 1;
    if (enabled.value) {
        rest_read(&enabled, way->target);
    }
}

/// Makes the target a part of a transform, or `enabled`, whichever the last part says.
static bool target_place(struct stf *stf, const struct way *way, int32_t node,
                         const struct scene_transform *rest, const struct stf_resource *owner)
{
    struct stf_target *const target = way->target;
    const uint32_t last = way->count - 1;
    *target = (struct stf_target){.node = node, .component_count = 3, .rest_count = 3};
    if (way_is(way, last, "enabled")) {
        target_enabled(stf, way, node, &owner->value);
    } else if (way_is(way, last, "t")) {
        target->path = SCENE_TRANSLATION;
        memcpy(target->rest, rest->translation, sizeof rest->translation);
    } else if (way_is(way, last, "s")) {
        target->path = SCENE_SCALE;
        memcpy(target->rest, rest->scale, sizeof rest->scale);
    } else if (way_is(way, last, "r") || way_is(way, last, "r_euler")) {
        target->path = SCENE_ROTATION;
        target->is_euler = way_is(way, last, "r_euler");
        target->component_count = target->is_euler ? 3 : 4;
        target->rest_count = 4;
        memcpy(target->rest, rest->rotation, sizeof rest->rotation);
    } else {
        return way_leave(way, "its last part is unknown");
    }
    return true;
}

/// Goes down from a value along a path, as far as the file has it.
static struct json_value value_follow(const struct json_value *value, const struct way *way,
                                      uint32_t part)
{
    struct json_value at = *value;
    for (; part < way->count && at.value; part++) {
        uint32_t index;
        uint32_t count;
        if (json_as_object(&at)) {
            at = json_member(&at, way->parts[part]);
        } else if (json_as_array(&at, &count) && index_read(way->parts[part], &index)) {
            at = json_item(&at, index);
        } else {
            at.value = NULL;
        }
    }
    return at;
}

/// Makes the target something of a component.
/// @param part    of the component's id
/// @param changes what an instance changes of it; its value null for nothing
static bool target_component(struct stf *stf, const struct way *way, int32_t node, uint32_t part,
                             const struct json_value *changes)
{
    if (way->count < part + 2) {
        return way_leave(way, "it ends too early");
    }
    const struct stf_resource *const component = stf_resource_find(stf, way->parts[part]);
    if (!component) {
        return way_leave(way, "there is no such component");
    }
    if (way_is(way, way->count - 1, "enabled")) {
        target_enabled(stf, way, node, &component->value);
    } else {
        target_property(stf, way, node, SCENE_FLOAT, 0);
    }
    struct json_value value = value_follow(changes, way, part + 1);
    if (!value.value) {
        value = value_follow(&component->value, way, part + 1);
    }
    rest_read(&value, way->target);
    return true;
}

/// Makes the target something of a bone of an armature instance.
static bool target_bone(struct stf *stf, const struct way *way, const struct stf_node *node)
{
    const struct stf_resource *const bone = stf_resource_find(stf, way->parts[2]);
    if (!bone || bone->owner != node->armature->resource) {
        return way_leave(way, "the armature has no such bone");
    }
    const struct scene_instance *const instance = &stf->scene->instances[node->scene_instance];
    const int32_t bone_node = (int32_t)instance->nodes[bone->index];
    if (way->count == 4) {
        return target_place(stf, way, bone_node, &instance->pose[bone->index], bone);
    }
    if (way_is(way, 3, "components") || way_is(way, 3, "component_mods")) {
        const struct json_value modified =
            json_member(&node->instance->value, "modified_components");
        const struct json_value of_bone = json_member(&modified, bone->id);
        const struct json_value changes =
            way->count > 4 ? json_member(&of_bone, way->parts[4]) : of_bone;
        return target_component(stf, way, bone_node, 4, &changes);
    }
    return way_leave(way, "its parts after the bone are unknown");
}

static bool target_blendshape(struct stf *stf, const struct way *way, const struct stf_node *node)
{
    bool is_found;
    double value = 0;
    if (way->count != 5 || !way_is(way, 4, "value")) {
        return way_leave(way, "it must go on with the name of a blendshape and \"value\"");
    }
    if (!stf_blendshape_find(stf, node->instance, way->parts[3], &is_found, &value)) {
        return false;
    }
    if (!is_found) {
        return way_leave(way, "the mesh has no blendshape of that name");
    }
    target_property(stf, way, node->resource->index, SCENE_FLOAT, 1);
    way->target->label = way->parts[3];
    way->target->rest_count = 1;
    way->target->rest[0] = value;
    return true;
}

/// Finds the resource that a list names at an index; null where it names none.
/// @param owner has the list as `key`
static bool listed_find(struct stf *stf, const struct json_value *owner, const char *key,
                        uint32_t index, struct stf_resource **resource)
{
    const struct json_value list = json_member(owner, key);
    const struct json_value reference = json_item(&list, index);
    *resource = NULL;
    return json_is_absent(&reference) || stf_resource_named(stf, owner, &reference, resource);
}

/// Finds the material in a slot: the instance's, else the mesh's; null where that is not plain.
static bool material_find(struct stf *stf, const struct stf_node *node, uint32_t slot,
                          struct stf_resource **material)
{
    const struct json_value *const instance = &node->instance->value;
    const struct json_value reference = json_member(instance, "mesh");
    struct stf_resource *mesh;
    if (!listed_find(stf, instance, "materials", slot, material)) {
        return false;
    }
    if (!*material && !json_is_absent(&reference)) {
        return stf_resource_named(stf, instance, &reference, &mesh) &&
               listed_find(stf, &mesh->value, "material_slots", slot, material);
    }
    return true;
}

static bool target_material(struct stf *stf, const struct way *way, const struct stf_node *node)
{
    const bool is_colour = way_is(way, 6, "color");
    struct stf_resource *material = NULL;
    uint32_t slot;
    uint32_t index;
    if (way->count != 7 || (!is_colour && !way_is(way, 6, "number"))) {
        return way_leave(way, "it must go on with a slot, a property, an index and \"color\" or "
                              "\"number\"");
    }
    if (index_read(way->parts[3], &slot) && !material_find(stf, node, slot, &material)) {
        return false;
    }
    target_property(stf, way, node->resource->index, SCENE_FLOAT, is_colour ? 0 : 1);
    if (material && index_read(way->parts[5], &index)) {
        const struct json_value properties = json_member(&material->value, "properties");
        const struct json_value property = json_member(&properties, way->parts[4]);
        const struct json_value values = json_member(&property, "values");
        const struct json_value value = json_item(&values, index);
        rest_read(&value, way->target);
    }
    return true;
}

/// Makes the target a value of a light or a camera.
static bool target_lamp(struct stf *stf, const struct way *way, const struct stf_node *node)
{
    static const char *const names[] = {"fov", "brightness", "range", "temperature", "spot_angle"};
    const bool is_colour = way_is(way, 2, "color");
    bool is_known = is_colour;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is_known = is_known || way_is(way, 2, names[i]);
    }
    if (way->count != 3 || !is_known) {
        return way_leave(way, "what it drives of the instance is unknown");
    }
    const struct json_value value = json_member(&node->instance->value, way->parts[2]);
    target_property(stf, way, node->resource->index, SCENE_FLOAT, is_colour ? 0 : 1);
    rest_read(&value, way->target);
    return true;
}

static bool target_instance(struct stf *stf, const struct way *way, const struct stf_node *node)
{
    if (!node->instance) {
        return way_leave(way, "the node carries no instance that is known");
    }
    if (way->count < 3) {
        return way_leave(way, "it ends too early");
    }
    if (way->count == 3 && way_is(way, 2, "enabled")) {
        target_enabled(stf, way, node->resource->index, &node->instance->value);
        return true;
    }
    if (node->scene_instance >= 0) {
        return target_bone(stf, way, node);
    }
    if (node->instance->type != STF_MESH_INSTANCE) {
        return target_lamp(stf, way, node);
    }
    if (way_is(way, 2, "blendshape")) {
        return target_blendshape(stf, way, node);
    }
    if (way_is(way, 2, "material")) {
        return target_material(stf, way, node);
    }
    return way_leave(way, "what it drives of the mesh is unknown");
}

bool stf_target_find(struct stf *stf, const struct json_value *path, struct stf_target *target)
{
    struct way way = {.at = path, .target = target};
    *target = (struct stf_target){0};
    if (!way_read(stf, &way)) {
        return way_leave(&way, "must be an array of ids and names");
    }
    const struct stf_resource *const resource = stf_resource_find(stf, way.parts[0]);
    if (!resource || resource->type != STF_NODE || resource->index < 0) {
        return way_leave(&way, "its first part is no node of the scene");
    }
    const struct stf_node *const node = &stf->nodes[resource->index];
    if (way_is(&way, 1, "instance")) {
        return target_instance(stf, &way, node);
    }
    if (way_is(&way, 1, "components")) {
        const struct json_value nothing = {0};
        return target_component(stf, &way, resource->index, 2, &nothing);
    }
    if (way.count != 2) {
        return way_leave(&way, "its parts after the node are unknown");
    }
    const struct scene_transform rest = scene_node_rest(&stf->scene->nodes[resource->index]);
    return target_place(stf, &way, resource->index, &rest, resource);
}
