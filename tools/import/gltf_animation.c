// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Animations of a glTF file: each becomes a clip of tracks. Key times, and values that need no
// rearranging, are shared by the curves of all channels that refer to them.
#include "gltf.h"

#include <math.h>
#include <string.h>

/// What a channel drives. The first three are scene paths.
enum target_path {
    TARGET_ROTATION = SCENE_ROTATION,
    TARGET_TRANSLATION = SCENE_TRANSLATION,
    TARGET_SCALE = SCENE_SCALE,
    TARGET_WEIGHTS,
    TARGET_POINTER,
    TARGET_COUNT,
};

static const char *const target_names[TARGET_COUNT] = {
    "rotation", "translation", "scale", "weights", "pointer",
};

/// Where the reading of all animations stands.
struct animation_reader {
    struct gltf *gltf;
    uint32_t
        *channel_of; // [node_count][3] 1 + the channel of this clip that has the path, 0 = none
    uint32_t skipped[TARGET_COUNT]; // channels of kinds that have no place in a scene
};

/// One animation of the file and the clip it becomes.
struct animation {
    struct json_value value;
    struct json_value channels;
    struct json_value samplers;
    uint32_t channel_count;
    uint32_t sampler_count;
    struct scene_clip *clip;
};

static bool interpolation_read(const struct json_value *sampler,
                               enum scene_interpolation *interpolation)
{
    const char *name = "LINEAR";
    if (!json_get_string(sampler, "interpolation", false, &name)) {
        return false;
    }
    if (strcmp(name, "STEP") == 0) {
        *interpolation = SCENE_STEP;
    } else if (strcmp(name, "LINEAR") == 0) {
        *interpolation = SCENE_LINEAR;
    } else if (strcmp(name, "CUBICSPLINE") == 0) {
        *interpolation = SCENE_CUBIC;
    } else {
        return json_refuse(sampler, TROUPE_EXIT_INPUT, "gltf.animation.interpolation",
                           "interpolation \"%s\" is unknown", name);
    }
    return true;
}

static bool times_check(const struct json_value *place, const struct gltf_accessor *accessor)
{
    const double *const times = accessor->values;
    if (times[0] < 0) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.times",
                           "key 0 is at %.9g s, before 0", times[0]);
    }
    for (uint32_t i = 1; i < accessor->count; i++) {
        if (!(times[i] > times[i - 1])) {
            return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.times",
                               "key %u at %.9g s is not after key %u at %.9g s", i, times[i], i - 1,
                               times[i - 1]);
        }
    }
    return true;
}

/// Reads a sampler's key times.
static bool times_read(struct gltf *gltf, const struct json_value *sampler,
                       struct gltf_accessor **times)
{
    const struct json_value place = json_member(sampler, "input");
    int32_t index = -1;
    if (!json_get_index(sampler, "input", true, "accessors", gltf->accessor_count, &index) ||
        !gltf_accessor_describe(gltf, (uint32_t)index, times)) {
        return false;
    }
    struct gltf_accessor *const accessor = *times;
    if (accessor->component_count != 1 || accessor->component != GLTF_FLOAT) {
        return json_refuse(&place, TROUPE_EXIT_INPUT, "gltf.animation.input",
                           "accessor %d must hold float SCALAR", index);
    }
    if (!gltf_accessor_decode(gltf, &place, (uint32_t)index)) {
        return false;
    }
    accessor->is_time = accessor->is_time || times_check(&place, accessor);
    return accessor->is_time;
}

/// Checks that an output accessor fits its path and number of keys.
static bool output_check(const struct json_value *place, const struct gltf_accessor *accessor,
                         enum target_path path, uint32_t stride, uint32_t value_count)
{
    if (accessor->component_count != stride) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                           "a %s needs %u components, not %u", target_names[path], stride,
                           accessor->component_count);
    }
    const bool is_plain_integer = accessor->component != GLTF_FLOAT && !accessor->is_normalised;
    if (path == TARGET_ROTATION && is_plain_integer) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                           "rotations must be floats or normalized integers");
    }
    if (accessor->count != value_count) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                           "there are %u values where the keys need %u", accessor->count,
                           value_count);
    }
    return true;
}

static bool rotations_normalise(struct gltf *gltf, const struct json_value *place,
                                double *rotations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "key %u", i);
        if (!gltf_rotation_normalise(gltf, place, name, rotations + (size_t)i * 4)) {
            return false;
        }
    }
    return true;
}

/// Gives the values of a curve without tangents.
static bool plain_values(struct gltf *gltf, const struct json_value *place,
                         struct gltf_accessor *accessor, enum target_path path,
                         struct scene_curve *curve)
{
    if (path != TARGET_ROTATION) {
        curve->values = accessor->values;
        return true;
    }
    if (!accessor->unit_values) {
        void *memory;
        if (!gltf_take(gltf, place, (uint64_t)accessor->count * 4, sizeof(double), &memory)) {
            return false;
        }
        memcpy(memory, accessor->values, (size_t)accessor->count * 4 * sizeof(double));
        if (!rotations_normalise(gltf, place, memory, accessor->count)) {
            return false;
        }
        accessor->unit_values = memory;
    }
    curve->values = accessor->unit_values;
    return true;
}

/// Takes in-tangents, values and out-tangents apart, which alternate in the file.
static bool cubic_values(struct gltf *gltf, const struct json_value *place,
                         const struct gltf_accessor *accessor, enum target_path path,
                         struct scene_curve *curve)
{
    const size_t total = (size_t)curve->key_count * curve->stride;
    void *memory;
    if (!gltf_take(gltf, place, 3 * (uint64_t)total, sizeof(double), &memory)) {
        return false;
    }
    curve->in_tangents = memory;
    curve->values = curve->in_tangents + total;
    curve->out_tangents = curve->values + total;
    const size_t bytes = curve->stride * sizeof(double);
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const double *const key = accessor->values + (size_t)i * 3 * curve->stride;
        const size_t at = (size_t)i * curve->stride;
        memcpy(curve->in_tangents + at, key, bytes);
        memcpy(curve->values + at, key + curve->stride, bytes);
        memcpy(curve->out_tangents + at, key + 2 * (size_t)curve->stride, bytes);
    }
    return path != TARGET_ROTATION ||
           rotations_normalise(gltf, place, curve->values, curve->key_count);
}

/// Gives an array that names the same interpolation for every key.
static bool interpolations_fill(struct gltf *gltf, const struct json_value *place,
                                struct gltf_accessor *times, enum scene_interpolation interpolation,
                                uint8_t **interpolations)
{
    if (!times->interpolations[interpolation]) {
        void *memory;
        if (!gltf_take(gltf, place, times->count, 1, &memory)) {
            return false;
        }
        times->interpolations[interpolation] = memset(memory, (int)interpolation, times->count);
    }
    *interpolations = times->interpolations[interpolation];
    return true;
}

static bool curve_read(struct gltf *gltf, const struct json_value *sampler, enum target_path path,
                       struct gltf_accessor *times, struct scene_curve *curve)
{
    const struct json_value place = json_member(sampler, "output");
    enum scene_interpolation interpolation = SCENE_LINEAR;
    int32_t index = -1;
    struct gltf_accessor *output;
    if (!interpolation_read(sampler, &interpolation) ||
        !json_get_index(sampler, "output", true, "accessors", gltf->accessor_count, &index) ||
        !gltf_accessor_describe(gltf, (uint32_t)index, &output)) {
        return false;
    }
    const uint32_t stride = path == TARGET_ROTATION ? 4 : 3;
    const uint32_t value_count = times->count * (interpolation == SCENE_CUBIC ? 3 : 1);
    *curve = (struct scene_curve){
        .key_count = times->count,
        .stride = stride,
        .times = times->values,
    };
    return output_check(&place, output, path, stride, value_count) &&
           gltf_accessor_decode(gltf, &place, (uint32_t)index) &&
           interpolations_fill(gltf, &place, times, interpolation, &curve->interpolations) &&
           (interpolation == SCENE_CUBIC ? cubic_values(gltf, &place, output, path, curve)
                                         : plain_values(gltf, &place, output, path, curve));
}

/// Reads what a channel drives. `node` is -1 where the file leaves it to an extension.
static bool target_read(struct gltf *gltf, const struct json_value *target, int32_t *node,
                        enum target_path *path)
{
    const char *name = NULL;
    if (!json_check_object(target) || !json_get_string(target, "path", true, &name) ||
        !json_get_index(target, "node", false, "nodes", gltf->scene->node_count, node)) {
        return false;
    }
    for (int i = 0; i < TARGET_COUNT; i++) {
        if (strcmp(name, target_names[i]) == 0) {
            *path = (enum target_path)i;
            return true;
        }
    }
    return json_refuse(target, TROUPE_EXIT_INPUT, "gltf.animation.path", "path \"%s\" is unknown",
                       name);
}

/// Adds a track for a channel that drives a node's rotation, translation or scale.
static bool track_add(struct animation_reader *reader, struct animation *animation,
                      const struct json_value *channel, const struct json_value *sampler,
                      uint32_t node, enum target_path path, struct gltf_accessor *times)
{
    struct gltf *const gltf = reader->gltf;
    if (gltf->node_has_matrix[node]) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.animation.matrix",
                           "node %u is animated, but placed by a matrix", node);
    }
    uint32_t *const first = &reader->channel_of[(size_t)node * 3 + path];
    if (*first != 0) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.animation.duplicate",
                           "channels[%u] already drives the %s of node %u", *first - 1,
                           target_names[path], node);
    }
    *first = (uint32_t)channel->index + 1;
    struct scene_clip *const clip = animation->clip;
    struct scene_track *const track = &clip->tracks[clip->track_count];
    track->node = node;
    track->path = (enum scene_path)path;
    clip->track_count++;
    return curve_read(gltf, sampler, path, times, &track->curve);
}

static bool channel_read(struct animation_reader *reader, struct animation *animation,
                         uint32_t index)
{
    struct gltf *const gltf = reader->gltf;
    const struct json_value channel = json_item(&animation->channels, index);
    const struct json_value target = json_member(&channel, "target");
    int32_t node = -1;
    enum target_path path = TARGET_COUNT;
    int32_t sampler_index = -1;
    if (!json_check_object(&channel) || !target_read(gltf, &target, &node, &path) ||
        !json_get_index(&channel, "sampler", true, "samplers", animation->sampler_count,
                        &sampler_index)) {
        return false;
    }
    if (node < 0 && path != TARGET_POINTER) {
        return true; // the specification: to be ignored
    }
    const struct json_value sampler = json_item(&animation->samplers, (size_t)sampler_index);
    struct gltf_accessor *times;
    if (!json_check_object(&sampler) || !times_read(gltf, &sampler, &times)) {
        return false;
    }
    struct scene_clip *const clip = animation->clip;
    const double last = times->values[times->count - 1];
    clip->duration_s = last > clip->duration_s ? last : clip->duration_s;
    if (path >= TARGET_WEIGHTS) {
        reader->skipped[path]++;
        return true;
    }
    return track_add(reader, animation, &channel, &sampler, (uint32_t)node, path, times);
}

static bool animation_read(struct animation_reader *reader, struct animation *animation)
{
    struct scene *const scene = reader->gltf->scene;
    struct scene_clip *const clip = animation->clip;
    const char *name = "";
    if (!json_check_object(&animation->value) ||
        !json_get_string(&animation->value, "name", false, &name) ||
        !json_get_array(&animation->value, "channels", true, &animation->channels,
                        &animation->channel_count) ||
        !json_get_array(&animation->value, "samplers", true, &animation->samplers,
                        &animation->sampler_count)) {
        return false;
    }
    clip->name = arena_string(&scene->arena, name);
    clip->tracks = ARENA_NEW(&scene->arena, struct scene_track, animation->channel_count);
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        if (!channel_read(reader, animation, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct scene_track *const track = &clip->tracks[i];
        reader->channel_of[(size_t)track->node * 3 + track->path] = 0;
    }
    return true;
}

static void skipped_warn(const struct animation_reader *reader)
{
    for (int path = TARGET_WEIGHTS; path < TARGET_COUNT; path++) {
        if (reader->skipped[path] > 0) {
            report_warning(reader->gltf->report, NULL, "gltf.animation.skipped",
                           "%u channels that drive \"%s\" are skipped", reader->skipped[path],
                           target_names[path]);
        }
    }
}

bool gltf_animations_read(struct gltf *gltf)
{
    struct scene *const scene = gltf->scene;
    struct json_value list;
    uint32_t count = 0;
    if (!json_get_array(&gltf->root, "animations", false, &list, &count)) {
        return false;
    }
    scene->clip_count = count;
    scene->clips = ARENA_NEW(&scene->arena, struct scene_clip, count);
    struct animation_reader reader = {
        .gltf = gltf,
        .channel_of = ARENA_NEW(&gltf->scratch, uint32_t, (size_t)scene->node_count * 3),
    };
    for (uint32_t i = 0; i < count; i++) {
        struct animation animation = {
            .value = json_item(&list, i),
            .clip = &scene->clips[i],
        };
        if (!animation_read(&reader, &animation)) {
            return false;
        }
    }
    skipped_warn(&reader);
    return true;
}
