// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What channels drive that is not a rotation, translation or scale of a node: morph weights and
// whatever KHR_animation_pointer points to.
//
// A pointer need not lead anywhere, since a file leaves out what is as usual and a host may know
// more than the file; but where it passes through a list of the file, that list must be long
// enough. Booleans are what the file has as true or false, and the few that glTF knows; integers
// are the members by which glTF refers to things, and any place in extras that is driven by a
// stepped SCALAR output of integers; everything else is numbers.
// Source: RFC 6901 (JSON pointers), KHR_animation_pointer, glTF 2.0 asset object model.
#include "gltf.h"

#include <string.h>

/// A JSON pointer taken apart.
struct pointer {
    const struct json_value *place; // for complaints
    const char *text;
    uint32_t token_count;
    const char **tokens; // unescaped
};

/// Takes the tokens of a pointer apart, "~1" being "/" and "~0" being "~".
static bool pointer_split(struct gltf *gltf, struct pointer *pointer)
{
    if (pointer->text[0] != '/') {
        return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.syntax",
                           "a JSON pointer begins with \"/\"");
    }
    char *const copy = arena_string(&gltf->scratch, pointer->text);
    uint32_t count = 0;
    for (const char *at = copy; *at; at++) {
        count += *at == '/' ? 1 : 0;
    }
    pointer->tokens = ARENA_NEW(&gltf->scratch, const char *, count);
    char *out = copy;
    for (const char *in = copy; *in; in++) {
        if (*in == '/') {
            *out++ = 0; // ends the token before, which was never longer than its text
            pointer->tokens[pointer->token_count++] = out;
        } else if (*in != '~') {
            *out++ = *in;
        } else if (in[1] == '0' || in[1] == '1') {
            in++;
            *out++ = *in == '0' ? '~' : '/';
        } else {
            return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.syntax",
                               "\"~\" must be written ~0, and \"/\" in a name ~1");
        }
    }
    *out = 0;
    return true;
}

/// Reads a token as an index into a list.
static bool token_is_index(const char *token, uint32_t count, uint32_t *index)
{
    const size_t digits = strspn(token, "0123456789");
    if (digits == 0 || digits > 9 || token[digits] || (token[0] == '0' && digits > 1)) {
        return false;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        number = number * 10 + (uint32_t)(token[i] - '0');
    }
    *index = number;
    return number < count;
}

/// Returns whether a token, to which the file has nothing, is one of its lists.
static bool token_is_list(const struct pointer *pointer, uint32_t at)
{
    static const char *const lists[] = {
        "accessors", "animations", "cameras",  "images", "materials",
        "meshes",    "nodes",      "samplers", "skins",  "textures",
    };
    if (at == 2) {
        return strcmp(pointer->tokens[0], "extensions") == 0 &&
               strcmp(pointer->tokens[1], "KHR_lights_punctual") == 0 &&
               strcmp(pointer->tokens[2], "lights") == 0;
    }
    for (size_t i = 0; at == 0 && i < sizeof lists / sizeof *lists; i++) {
        if (strcmp(pointer->tokens[0], lists[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// Finds what the file has where a pointer leads to. The root is an object.
/// @param value [out] null where that is nothing
static bool pointer_follow(const struct gltf *gltf, const struct pointer *pointer,
                           struct json_value *value)
{
    *value = gltf->root;
    for (uint32_t i = 0; i < pointer->token_count; i++) {
        const char *const token = pointer->tokens[i];
        struct json_value next;
        uint32_t count;
        if (json_as_array(value, &count)) {
            uint32_t index;
            if (!token_is_index(token, count, &index)) {
                return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.range",
                                   "\"%s\" is no index of the %u \"%s\"", token, count,
                                   pointer->tokens[i - 1]);
            }
            next = json_item(value, index);
        } else if (json_as_object(value)) {
            next = json_member(value, token);
        } else {
            return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.range",
                               "there is nothing in \"%s\"", pointer->tokens[i - 1]);
        }
        // Complaints are about the pointer, so that the way here may be forgotten.
        *value = (struct json_value){.value = next.value, .report = next.report};
        if (!value->value) {
            return !token_is_list(pointer, i) ||
                   json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.range",
                               "there are no \"%s\"", token);
        }
    }
    return true;
}

/// Finds the mesh of a node whose weights are driven.
static bool node_find_mesh(struct gltf *gltf, const struct json_value *place, uint32_t node,
                           const struct gltf_mesh **mesh)
{
    const struct json_value list = json_member(&gltf->root, "nodes");
    const struct json_value value = json_item(&list, node);
    int32_t index = -1;
    if (!json_get_index(&value, "mesh", false, "meshes", gltf->mesh_count, &index)) {
        return false;
    }
    if (index < 0) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.weights",
                           "node %u has no mesh, and so no weights", node);
    }
    return gltf_mesh_describe(gltf, place, (uint32_t)index, mesh);
}

bool gltf_target_weights(struct gltf *gltf, const struct json_value *at, uint32_t node,
                         struct gltf_target *target)
{
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/nodes/%u/weights", node);
    *target = (struct gltf_target){
        .path = SCENE_PROPERTY,
        .node = (int32_t)node,
        .pointer = arena_string(&gltf->scratch, pointer),
        .weight = -1,
    };
    if (!node_find_mesh(gltf, at, node, &target->mesh)) {
        return false;
    }
    target->value_count = target->mesh->target_count;
    return true;
}

/// Describes the weights of a node or mesh, or one of them.
static bool weights_describe(const struct pointer *pointer, struct gltf_target *target)
{
    target->value_count = target->mesh->target_count;
    if (pointer->token_count == 3) {
        return true;
    }
    uint32_t weight;
    if (!token_is_index(pointer->tokens[3], target->mesh->target_count, &weight)) {
        return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.range",
                           "\"%s\" is no index of the %u \"weights\"", pointer->tokens[3],
                           target->mesh->target_count);
    }
    if (pointer->token_count > 4) {
        return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.range",
                           "there is nothing in \"%s\"", pointer->tokens[3]);
    }
    target->value_count = 1;
    target->weight = (int32_t)weight;
    return true;
}

/// Finds the scene path that a token names.
static bool token_is_path(const char *token, enum scene_path *path)
{
    static const char *const names[] = {"rotation", "translation", "scale"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(token, names[i]) == 0) {
            *path = (enum scene_path)i;
            return true;
        }
    }
    return false;
}

static bool pointer_is_extra(const struct pointer *pointer)
{
    for (uint32_t i = 0; i < pointer->token_count; i++) {
        if (strcmp(pointer->tokens[i], "extras") == 0) {
            return true;
        }
    }
    return false;
}

/// Finds what glTF knows to be no number.
static void type_guess(const struct pointer *pointer, struct gltf_target *target)
{
    static const struct {
        const char *parent; // null = any
        const char *name;
        bool default_value;
    } booleans[] = {
        {"KHR_node_hoverability", "hoverable", true},
        {"KHR_node_selectability", "selectable", true},
        {"KHR_node_visibility", "visible", true},
        {NULL, "doubleSided", false},
    };
    static const char *const integers[] = {
        "camera", "index", "light", "material", "mesh", "sampler", "skin", "source", "texCoord",
    };
    const uint32_t last = pointer->token_count - 1;
    const char *const name = pointer->tokens[last];
    const char *const parent = last > 0 ? pointer->tokens[last - 1] : "";
    for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++) {
        if (strcmp(name, booleans[i].name) == 0 &&
            (!booleans[i].parent || strcmp(parent, booleans[i].parent) == 0)) {
            target->type = SCENE_BOOL;
            target->default_boolean = booleans[i].default_value;
        }
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        if (strcmp(name, integers[i]) == 0) {
            target->type = SCENE_INT;
        }
    }
}

static bool value_refuse(const struct pointer *pointer)
{
    return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.type",
                       "\"%s\" is neither number, nor boolean, nor array of numbers",
                       pointer->tokens[pointer->token_count - 1]);
}

/// Describes anything by what the file has there.
static bool property_describe(const struct pointer *pointer, struct gltf_target *target)
{
    const bool is_extra = pointer_is_extra(pointer);
    target->may_be_integer = is_extra;
    if (!is_extra) {
        type_guess(pointer, target);
    }
    target->value_count = target->type == SCENE_FLOAT ? 0 : 1;
    if (!target->value.value) {
        return true;
    }
    bool boolean;
    double number;
    uint32_t count;
    if (json_as_boolean(&target->value, &boolean)) {
        target->type = SCENE_BOOL;
        target->value_count = 1;
    } else if (target->type == SCENE_BOOL) {
        return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.type",
                           "\"%s\" must be true or false",
                           pointer->tokens[pointer->token_count - 1]);
    } else if (json_as_number(&target->value, &number)) {
        target->value_count = 1;
    } else if (json_as_array(&target->value, &count) && count > 0) {
        for (uint32_t i = 0; i < count; i++) {
            const struct json_value item = json_item(&target->value, i);
            if (!json_as_number(&item, &number)) {
                return value_refuse(pointer);
            }
        }
        target->value_count = count;
    } else {
        return value_refuse(pointer);
    }
    return true;
}

/// Describes what belongs to a node: its placement becomes ordinary tracks.
static bool node_describe(struct gltf *gltf, const struct pointer *pointer, uint32_t node,
                          struct gltf_target *target)
{
    const char *const name = pointer->tokens[2];
    target->node = (int32_t)node;
    if (token_is_path(name, &target->path)) {
        return pointer->token_count == 3 ||
               json_refuse(pointer->place, TROUPE_EXIT_UNSUPPORTED, "gltf.pointer.target",
                           "a node's %s can be animated as a whole only", name);
    }
    if (strcmp(name, "matrix") == 0 || strcmp(name, "globalMatrix") == 0) {
        return json_refuse(pointer->place, TROUPE_EXIT_INPUT, "gltf.pointer.target",
                           "a node's %s cannot be animated", name);
    }
    if (strcmp(name, "weights") == 0) {
        return node_find_mesh(gltf, pointer->place, node, &target->mesh) &&
               weights_describe(pointer, target);
    }
    return property_describe(pointer, target);
}

static bool pointer_describe(struct gltf *gltf, const struct pointer *pointer,
                             struct gltf_target *target)
{
    *target = (struct gltf_target){
        .path = SCENE_PROPERTY,
        .node = -1,
        .pointer = pointer->text,
        .weight = -1,
    };
    if (!pointer_follow(gltf, pointer, &target->value)) {
        return false;
    }
    uint32_t index;
    if (pointer->token_count >= 3 && token_is_index(pointer->tokens[1], UINT32_MAX, &index)) {
        if (strcmp(pointer->tokens[0], "nodes") == 0) {
            return node_describe(gltf, pointer, index, target);
        }
        if (strcmp(pointer->tokens[0], "meshes") == 0 &&
            strcmp(pointer->tokens[2], "weights") == 0) {
            return gltf_mesh_describe(gltf, pointer->place, index, &target->mesh) &&
                   weights_describe(pointer, target);
        }
    }
    return property_describe(pointer, target);
}

bool gltf_target_pointer(struct gltf *gltf, const struct json_value *at, struct gltf_target *target)
{
    const struct json_value extensions = json_member(at, "extensions");
    const struct json_value extension = json_member(&extensions, "KHR_animation_pointer");
    const struct json_value place = json_member(&extension, "pointer");
    struct pointer pointer = {.place = &place};
    return json_check_object(&extensions) && json_check_object(&extension) &&
           json_get_string(&extension, "pointer", true, &pointer.text) &&
           pointer_split(gltf, &pointer) && pointer_describe(gltf, &pointer, target);
}
