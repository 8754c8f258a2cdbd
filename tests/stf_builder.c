// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Makes small .stf files in memory for tests.
#include "stf_builder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefab[] = "prefab";

// ---- resources and what they refer to ----

/// Returns a member of an object, made where there is none.
static json_t *member(json_t *object, const char *key, json_t *(*make)(void))
{
    json_t *value = json_object_get(object, key);
    if (value == NULL) {
        value = make();
        json_object_set_new(object, key, value);
    }
    return value;
}

static json_t *numbers(const double *values, uint32_t count)
{
    json_t *const array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, json_real(values[i]));
    }
    return array;
}

static json_t *trs_json(const struct stf_trs *trs)
{
    return json_pack("[o, o, o]", numbers(trs->translation, 3), numbers(trs->rotation, 4),
                     numbers(trs->scale, 3));
}

/// Returns the index of an id in one of the lists of a resource, where it is put if need be.
static json_t *index_in(json_t *resource, const char *list, const char *id)
{
    json_t *const ids = member(resource, list, json_array);
    size_t index = 0;
    while (index < json_array_size(ids) &&
           strcmp(json_string_value(json_array_get(ids, index)), id) != 0) {
        index++;
    }
    if (index == json_array_size(ids)) {
        json_array_append_new(ids, json_string(id));
    }
    return json_integer((json_int_t)index);
}

json_t *stf_builder_reference(const struct stf_builder *builder, json_t *resource, const char *id)
{
    return builder->layout.has_direct_ids ? json_string(id)
                                          : index_in(resource, "referenced_resources", id);
}

json_t *stf_builder_buffer(struct stf_builder *builder, json_t *resource, const void *bytes,
                           size_t size_bytes)
{
    assert(builder->buffer_count < STF_BUFFER_COUNT);
    assert(builder->binary_bytes + size_bytes <= STF_BINARY_BYTES);
    if (size_bytes > 0) {
        memcpy(builder->binary + builder->binary_bytes, bytes, size_bytes);
    }
    builder->binary_bytes += size_bytes;
    char id[32];
    snprintf(id, sizeof id, "buffer-%u", builder->buffer_count);
    json_object_set_new(
        builder->buffers, id,
        json_pack("{s:s, s:i}", "type", "stf.buffer.included", "index", builder->buffer_count));
    builder->buffer_bytes[builder->buffer_count++] = size_bytes;
    return builder->layout.has_direct_ids ? json_string(id)
                                          : index_in(resource, "referenced_buffers", id);
}

json_t *stf_builder_add(struct stf_builder *builder, const char *id, const char *type,
                        const char *name)
{
    json_object_set_new(builder->resources, id,
                        json_pack("{s:s, s:s}", "type", type, "name", name));
    return stf_builder_find(builder, id);
}

json_t *stf_builder_find(const struct stf_builder *builder, const char *id)
{
    json_t *const resource = json_object_get(builder->resources, id);
    assert(resource != NULL);
    return resource;
}

void stf_builder_start(struct stf_builder *builder, struct stf_layout layout)
{
    memset(builder, 0, sizeof *builder);
    builder->layout = layout;
    builder->resources = json_object();
    builder->buffers = json_object();
    builder->stf = layout.has_direct_ids
                       ? json_pack("{s:i, s:i}", "version_major", 0, "version_minor", 0)
                       : json_pack("{s:[i, i]}", "version", 0, 1);
    json_object_set_new(builder->stf, "root", json_string(prefab));
    json_t *const root = stf_builder_add(builder, prefab, "stf.prefab", "Prefab");
    json_object_set_new(root, "root_nodes", json_array());
    json_object_set_new(root, "animations", json_array());
}

void stf_builder_free(struct stf_builder *builder)
{
    json_decref(builder->stf);
    json_decref(builder->resources);
    json_decref(builder->buffers);
}

// ---- the scene ----

json_t *stf_builder_node(struct stf_builder *builder, const char *id, const char *name,
                         const char *parent, const struct stf_trs *trs)
{
    json_t *const node = stf_builder_add(builder, id, "stf.node", name);
    json_object_set_new(node, "trs", trs_json(trs));
    json_t *const above = stf_builder_find(builder, parent);
    const char *const list = strcmp(parent, prefab) == 0 ? "root_nodes" : "children";
    json_array_append_new(member(above, list, json_array),
                          stf_builder_reference(builder, above, id));
    return node;
}

void stf_builder_bind(struct stf_builder *builder, const char *node, const char *parent,
                      const char *bone)
{
    json_t *const resource = stf_builder_find(builder, node);
    json_t *const path = json_array();
    json_array_append_new(path, stf_builder_reference(builder, resource, parent));
    json_array_append_new(path, json_string("instance"));
    json_array_append_new(path, stf_builder_reference(builder, resource, bone));
    json_object_set_new(resource, "parent_binding", path);
}

/// Adds an instance to the node that carries it.
static json_t *add_instance(struct stf_builder *builder, const char *id, const char *type,
                            const char *node)
{
    json_t *const carrier = stf_builder_find(builder, node);
    json_object_set_new(carrier, "instance", stf_builder_reference(builder, carrier, id));
    return stf_builder_add(builder, id, type, "");
}

// ---- armatures ----

json_t *stf_builder_armature(struct stf_builder *builder, const char *id, const char *name,
                             const struct stf_bone *bones, uint32_t bone_count)
{
    json_t *const armature = stf_builder_add(builder, id, "stf.armature", name);
    json_object_set_new(armature, "root_bones", json_array());
    for (uint32_t i = 0; i < bone_count; i++) {
        json_t *const bone = stf_builder_add(builder, bones[i].id, "stf.bone", bones[i].name);
        json_object_set_new(bone, "translation", numbers(bones[i].translation, 3));
        json_object_set_new(bone, "rotation", numbers(bones[i].rotation, 4));
        json_object_set_new(bone, "length", json_real(bones[i].length));
    }
    for (uint32_t i = 0; i < bone_count; i++) {
        json_t *const above =
            bones[i].parent < 0 ? armature : stf_builder_find(builder, bones[bones[i].parent].id);
        const char *const list = bones[i].parent < 0 ? "root_bones" : "children";
        json_array_append_new(member(above, list, json_array),
                              stf_builder_reference(builder, above, bones[i].id));
    }
    return armature;
}

json_t *stf_builder_armature_instance(struct stf_builder *builder, const char *id, const char *node,
                                      const char *armature)
{
    json_t *const instance = add_instance(builder, id, "stf.instance.armature", node);
    json_object_set_new(instance, "armature", stf_builder_reference(builder, instance, armature));
    return instance;
}

void stf_builder_pose(struct stf_builder *builder, const char *instance, const char *bone,
                      const struct stf_trs *trs)
{
    json_t *const pose = member(stf_builder_find(builder, instance), "pose", json_object);
    json_object_set_new(pose, bone, trs_json(trs));
}

json_t *stf_builder_component(struct stf_builder *builder, const char *owner, const char *id,
                              const char *type)
{
    json_t *const components = member(stf_builder_find(builder, owner), "components", json_array);
    json_array_append_new(components, json_string(id));
    return stf_builder_add(builder, id, type, "");
}

json_t *stf_builder_added_component(struct stf_builder *builder, const char *instance,
                                    const char *bone, const char *id, const char *type)
{
    json_t *const resource = stf_builder_find(builder, instance);
    json_t *const of_bone =
        member(member(resource, "added_components", json_object), bone, json_array);
    json_array_append_new(of_bone, stf_builder_reference(builder, resource, id));
    return stf_builder_add(builder, id, type, "");
}

void stf_builder_modified_component(struct stf_builder *builder, const char *instance,
                                    const char *bone, const char *id, json_t *changes)
{
    json_t *const modified =
        member(stf_builder_find(builder, instance), "modified_components", json_object);
    json_object_set_new(member(modified, bone, json_object), id, changes);
}

json_t *stf_builder_humanoid(struct stf_builder *builder, const char *armature, const char *id,
                             const char *locomotion)
{
    json_t *const humanoid =
        stf_builder_component(builder, armature, id, "stfexp.armature.humanoid");
    json_object_set_new(humanoid, "locomotion_type", json_string(locomotion));
    json_object_set_new(humanoid, "mappings", json_object());
    return humanoid;
}

void stf_builder_part(struct stf_builder *builder, const char *humanoid, const char *part,
                      const char *bone, const double (*limits)[3])
{
    json_t *const mapping = json_pack("{s:s}", "target", bone);
    if (limits != NULL) {
        json_object_set_new(mapping, "rotation_limits",
                            json_pack("{s:o, s:o, s:o}", "primary", numbers(limits[0], 3),
                                      "secondary", numbers(limits[1], 3), "twist",
                                      numbers(limits[2], 3)));
    }
    json_t *const mappings = json_object_get(stf_builder_find(builder, humanoid), "mappings");
    json_object_set_new(mappings, part, mapping);
}

// ---- meshes ----

static void add_blendshape(struct stf_builder *builder, json_t *mesh,
                           const struct stf_blendshape *blendshape)
{
    static const float offsets[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    json_array_append_new(member(mesh, "blendshapes", json_array),
                          json_pack("{s:s, s:f, s:f, s:f, s:o}", "name", blendshape->name,
                                    "default_value", blendshape->default_value, "limit_lower", 0.0,
                                    "limit_upper", 1.0, "position_offsets",
                                    stf_builder_buffer(builder, mesh, offsets, sizeof offsets)));
}

json_t *stf_builder_mesh(struct stf_builder *builder, const char *id, const char *name,
                         const struct stf_blendshape *blendshapes, uint32_t blendshape_count)
{
    static const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const unsigned char corners[3] = {0, 1, 2};
    static const unsigned char faces[1] = {1};
    json_t *const mesh = stf_builder_add(builder, id, "stf.mesh", name);
    json_object_set_new(mesh, "float_width", json_integer(4));
    json_object_set_new(mesh, "indices_width", json_integer(1));
    const struct {
        const char *key;
        const void *bytes;
        size_t size_bytes;
    } parts[] = {
        {"vertices", vertices, sizeof vertices}, {"face_corners", corners, sizeof corners},
        {"splits", corners, sizeof corners},     {"tris", corners, sizeof corners},
        {"faces", faces, sizeof faces},          {"lines", NULL, 0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_object_set_new(mesh, parts[i].key,
                            stf_builder_buffer(builder, mesh, parts[i].bytes, parts[i].size_bytes));
    }
    for (uint32_t i = 0; i < blendshape_count; i++) {
        add_blendshape(builder, mesh, &blendshapes[i]);
    }
    return mesh;
}

void stf_builder_skin(struct stf_builder *builder, const char *mesh, const char *armature,
                      const char *const *bones, uint32_t bone_count)
{
    static const unsigned char counts[3] = {1, 1, 1};
    static const unsigned char indices[3] = {0, 0, 0};
    static const float weights[3] = {1, 1, 1};
    json_t *const resource = stf_builder_find(builder, mesh);
    json_object_set_new(resource, "armature", stf_builder_reference(builder, resource, armature));
    json_t *const list = json_array();
    for (uint32_t i = 0; i < bone_count; i++) {
        json_array_append_new(list, stf_builder_reference(builder, resource, bones[i]));
    }
    json_object_set_new(resource, "bones", list);
    json_object_set_new(resource, "weight_lens_width", json_integer(1));
    json_object_set_new(resource, "bone_indices_width", json_integer(1));
    json_object_set_new(resource, "weight_lens",
                        stf_builder_buffer(builder, resource, counts, sizeof counts));
    json_object_set_new(resource, "bone_indices",
                        stf_builder_buffer(builder, resource, indices, sizeof indices));
    json_object_set_new(resource, "weights",
                        stf_builder_buffer(builder, resource, weights, sizeof weights));
}

json_t *stf_builder_mesh_instance(struct stf_builder *builder, const char *id, const char *node,
                                  const char *mesh, const char *armature_node)
{
    json_t *const instance = add_instance(builder, id, "stf.instance.mesh", node);
    json_object_set_new(instance, "mesh", stf_builder_reference(builder, instance, mesh));
    if (armature_node != NULL) {
        json_object_set_new(instance, "armature_instance",
                            stf_builder_reference(builder, instance, armature_node));
    }
    return instance;
}

// ---- animations ----

static const char *const key_names[] = {"bezier",    "constant", "linear",
                                        "quadratic", "cubic",    "baked"};

/// @param before  the key before it, or null
static json_t *key_json(const struct stf_layout *layout, const struct stf_key *key,
                        const struct stf_key *before)
{
    json_t *const array = json_array();
    json_array_append_new(array, json_boolean(key->type != STF_KEY_BAKED));
    if (layout->has_key_frames) {
        json_array_append_new(array, json_real(key->frame));
    }
    json_array_append_new(array, json_real(key->value));
    if (key->type != STF_KEY_UNNAMED) {
        json_array_append_new(array, json_string(key_names[key->type]));
    }
    if (key->type == STF_KEY_BEZIER) {
        json_array_append_new(array, json_string(key->tangents ? key->tangents : "aligned"));
        json_array_append_new(array, numbers(key->out, 2));
    }
    if (key->type != STF_KEY_BAKED && before != NULL && before->type == STF_KEY_BEZIER) {
        json_array_append_new(array, numbers(key->in, 2));
    }
    return array;
}

static int compare_frames(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Returns the frames at which any component has a key; the caller frees them.
static double *timepoints_of(const struct stf_track *track, uint32_t *count)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < track->subtrack_count; i++) {
        total += track->subtracks[i].key_count;
    }
    double *const frames = malloc((total + 1) * sizeof *frames);
    uint32_t used = 0;
    for (uint32_t i = 0; i < track->subtrack_count; i++) {
        for (uint32_t key = 0; key < track->subtracks[i].key_count; key++) {
            frames[used++] = track->subtracks[i].keys[key].frame;
        }
    }
    qsort(frames, used, sizeof *frames, compare_frames);
    *count = 0;
    for (uint32_t i = 0; i < used; i++) {
        if (*count == 0 || frames[i] > frames[*count - 1]) {
            frames[(*count)++] = frames[i];
        }
    }
    return frames;
}

static json_t *keys_at_timepoints(const struct stf_layout *layout,
                                  const struct stf_subtrack *subtrack, const double *timepoints,
                                  uint32_t count)
{
    json_t *const keys = json_array();
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (next < subtrack->key_count && subtrack->keys[next].frame == timepoints[i]) {
            const struct stf_key *const key = &subtrack->keys[next];
            json_array_append_new(keys, key_json(layout, key, next > 0 ? key - 1 : NULL));
            next++;
        } else {
            json_array_append_new(keys, json_null());
        }
    }
    return keys;
}

static json_t *keys_in_a_row(const struct stf_layout *layout, const struct stf_subtrack *subtrack)
{
    json_t *const keys = json_array();
    for (uint32_t i = 0; i < subtrack->key_count; i++) {
        const struct stf_key *const key = &subtrack->keys[i];
        json_array_append_new(keys, key_json(layout, key, i > 0 ? key - 1 : NULL));
    }
    return keys;
}

/// Returns what a track says of all of its keys.
static const char *interpolation_of(const struct stf_track *track)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < track->subtrack_count; i++) {
        for (uint32_t k = 0; k < track->subtracks[i].key_count; k++) {
            const enum stf_key_type type = track->subtracks[i].keys[k].type;
            const char *const own = type == STF_KEY_UNNAMED ? "unknown" : key_names[type];
            if (name != NULL && strcmp(name, own) != 0) {
                return "mixed";
            }
            name = own;
        }
    }
    return name != NULL ? name : "unknown";
}

static json_t *track_json(struct stf_builder *builder, json_t *animation,
                          const struct stf_track *track, bool is_baked)
{
    json_t *const object = json_object();
    json_t *const target = json_array();
    for (int i = 0; i < STF_TARGET_COUNT && track->target[i] != NULL; i++) {
        json_array_append_new(target, json_string(track->target[i]));
    }
    json_object_set_new(object, "target", target);
    uint32_t count;
    double *const timepoints = timepoints_of(track, &count);
    if (!builder->layout.has_key_frames) {
        json_object_set_new(object, "timepoints", numbers(timepoints, count));
        json_object_set_new(object, "interpolation", json_string(interpolation_of(track)));
        json_object_set_new(object, "track_baked", json_boolean(is_baked));
    }
    json_t *const subtracks = json_array();
    for (uint32_t i = 0; i < track->subtrack_count; i++) {
        const struct stf_subtrack *const subtrack = &track->subtracks[i];
        if (subtrack->key_count == 0) {
            json_array_append_new(subtracks, json_null());
            continue;
        }
        json_t *const keys =
            builder->layout.has_key_frames
                ? keys_in_a_row(&builder->layout, subtrack)
                : keys_at_timepoints(&builder->layout, subtrack, timepoints, count);
        json_t *const part = json_pack("{s:o}", "keyframes", keys);
        if (subtrack->baked != NULL) {
            json_object_set_new(part, "baked",
                                stf_builder_buffer(builder, animation, subtrack->baked,
                                                   subtrack->baked_count * sizeof(float)));
        }
        json_array_append_new(subtracks, part);
    }
    free(timepoints);
    json_object_set_new(object, "subtracks", subtracks);
    return object;
}

static json_t *tracks_json(struct stf_builder *builder, json_t *animation,
                           const struct stf_track *tracks, uint32_t count, bool is_baked)
{
    json_t *const array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, track_json(builder, animation, &tracks[i], is_baked));
    }
    return array;
}

json_t *stf_builder_animation(struct stf_builder *builder, const struct stf_animation *animation)
{
    json_t *const resource =
        stf_builder_add(builder, animation->id, "stf.animation", animation->name);
    json_object_set_new(resource, "loop", json_string(animation->loop ? animation->loop : "none"));
    json_object_set_new(resource, "fps", json_real(animation->fps));
    json_object_set_new(resource, "range", numbers(animation->range, 2));
    if (animation->reset != NULL) {
        json_object_set_new(resource, "reset_animation",
                            stf_builder_reference(builder, resource, animation->reset));
    }
    json_object_set_new(
        resource, "tracks",
        tracks_json(builder, resource, animation->tracks, animation->track_count, false));
    if (animation->track_baked_count > 0) {
        json_object_set_new(resource, "tracks_baked",
                            tracks_json(builder, resource, animation->tracks_baked,
                                        animation->track_baked_count, true));
    }
    json_t *const root = stf_builder_find(builder, prefab);
    json_array_append_new(json_object_get(root, "animations"),
                          stf_builder_reference(builder, root, animation->id));
    return resource;
}

json_t *stf_builder_blendtree(struct stf_builder *builder, const char *id, const char *name,
                              uint32_t dimensions)
{
    json_t *const tree = stf_builder_add(builder, id, "stfexp.animation_blendtree", name);
    json_object_set_new(tree, "blendtree_type", json_string(dimensions == 1 ? "1d" : "2d"));
    json_object_set_new(tree, "animations", json_array());
    return tree;
}

void stf_builder_place(struct stf_builder *builder, const char *blendtree, const char *animation,
                       double x, double y)
{
    json_t *const tree = stf_builder_find(builder, blendtree);
    const char *const type = json_string_value(json_object_get(tree, "blendtree_type"));
    const double place[2] = {x, y};
    json_t *const position = strcmp(type, "1d") == 0 ? json_real(x) : numbers(place, 2);
    json_array_append_new(json_object_get(tree, "animations"),
                          json_pack("{s:o, s:o}", "position", position, "animation",
                                    stf_builder_reference(builder, tree, animation)));
}

// ---- the container ----

static void put_little_endian(unsigned char *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

unsigned char *stf_builder_container(const char *json, size_t json_bytes, const void *binary,
                                     const size_t *buffer_bytes, uint32_t buffer_count,
                                     size_t *size_bytes)
{
    size_t binary_bytes = 0;
    for (uint32_t i = 0; i < buffer_count; i++) {
        binary_bytes += buffer_bytes[i];
    }
    const size_t head_bytes = 16 + 8 * ((size_t)buffer_count + 1);
    *size_bytes = head_bytes + json_bytes + binary_bytes;
    unsigned char *const bytes = calloc(*size_bytes, 1);
    memcpy(bytes, "STF0", 4);
    put_little_endian(bytes + 12, buffer_count + 1, 4);
    put_little_endian(bytes + 16, json_bytes, 8);
    for (uint32_t i = 0; i < buffer_count; i++) {
        put_little_endian(bytes + 24 + 8 * (size_t)i, buffer_bytes[i], 8);
    }
    memcpy(bytes + head_bytes, json, json_bytes);
    if (binary_bytes > 0) {
        memcpy(bytes + head_bytes + json_bytes, binary, binary_bytes);
    }
    return bytes;
}

unsigned char *stf_builder_file(const struct stf_builder *builder, size_t *size_bytes)
{
    json_t *const root = json_pack("{s:O, s:O, s:O}", "stf", builder->stf, "resources",
                                   builder->resources, "buffers", builder->buffers);
    char *const json = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    unsigned char *const bytes =
        stf_builder_container(json, strlen(json), builder->binary, builder->buffer_bytes,
                              builder->buffer_count, size_bytes);
    free(json);
    return bytes;
}
