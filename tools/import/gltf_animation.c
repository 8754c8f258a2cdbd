// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Animations of a glTF file: each becomes a clip of tracks and events. Key times, and values that
// need no rearranging, are shared by the curves of all channels that refer to them.
#include "gltf.h"

#include <string.h>

#include "event_list.h"

static const char *const path_names[] = {"rotation", "translation", "scale"};

/// Where the reading of all animations stands.
struct animation_reader {
    struct gltf *gltf;
    uint32_t
        *channel_of; // [node_count][3] 1 + the channel of this clip that has the path, 0 = none
};

/// One animation of the file and the clip it becomes.
struct animation {
    struct json_value value;
    struct json_value channels;
    struct json_value samplers;
    uint32_t channel_count;
    uint32_t sampler_count;
    struct scene_clip *clip;
    uint32_t *channel_of; // [track_count] of tracks that drive properties
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

static bool output_refuse(const struct json_value *place, const char *message)
{
    return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output", "%s", message);
}

/// Checks the kind of values of an output accessor.
static bool output_check_kind(const struct json_value *place, const struct gltf_accessor *accessor,
                              const struct gltf_target *target)
{
    const bool is_plain_integer = accessor->component != GLTF_FLOAT && !accessor->is_normalised;
    if (accessor->is_matrix) {
        return output_refuse(place, "matrices cannot be animated");
    }
    if (target->path == SCENE_ROTATION && is_plain_integer) {
        return output_refuse(place, "rotations must be floats or normalized integers");
    }
    if (target->mesh && (is_plain_integer || accessor->component_count != 1)) {
        return output_refuse(place, "weights must be SCALAR floats or normalized integers");
    }
    if (target->path == SCENE_PROPERTY && target->type != SCENE_FLOAT &&
        accessor->component_count != 1) {
        return output_refuse(place, "a boolean or integer must be SCALAR");
    }
    return true;
}

/// Finds how many values a key has: as many as a vector has components, or scalars for each key.
static bool output_check_count(const struct json_value *place, const struct gltf_accessor *accessor,
                               const struct gltf_target *target, uint64_t element_count,
                               uint32_t *stride)
{
    const uint32_t components = accessor->component_count;
    if (target->path != SCENE_PROPERTY) {
        *stride = target->path == SCENE_ROTATION ? 4 : 3;
        if (components != *stride) {
            return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                               "a %s needs %u components, not %u", path_names[target->path],
                               *stride, components);
        }
    } else if (target->value_count != 0) {
        *stride = target->value_count;
        if (components != 1 && components != *stride) {
            return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                               "%s needs %u values, not %u", target->pointer, *stride, components);
        }
    } else {
        const uint64_t scalars = accessor->count / element_count;
        *stride = components == 1 && scalars > 1 ? (uint32_t)scalars : components;
    }
    const uint64_t value_count = element_count * (*stride / components);
    if (accessor->count != value_count) {
        return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.animation.output",
                           "there are %u values where the keys need %llu", accessor->count,
                           (unsigned long long)value_count);
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

/// Gives the values of a boolean: 0 is false, anything else true.
static bool boolean_values(struct gltf *gltf, const struct json_value *place,
                           const struct gltf_accessor *accessor, struct scene_curve *curve)
{
    void *memory;
    if (!gltf_take(gltf, place, accessor->count, sizeof(double), &memory)) {
        return false;
    }
    curve->values = memory;
    for (uint32_t i = 0; i < accessor->count; i++) {
        curve->values[i] = accessor->values[i] != 0;
    }
    return true;
}

static bool integers_check(const struct json_value *place, const struct gltf_accessor *accessor)
{
    for (uint32_t i = 0; i < accessor->count; i++) {
        const double value = accessor->values[i];
        if (!gltf_is_integer(value)) {
            return json_refuse(place, TROUPE_EXIT_INPUT, "gltf.pointer.integer",
                               "key %u is %.9g, which is no integer of up to 24 bits", i, value);
        }
    }
    return true;
}

/// Gives the values of a curve without tangents.
static bool plain_values(struct gltf *gltf, const struct json_value *place,
                         struct gltf_accessor *accessor, const struct gltf_target *target,
                         struct scene_curve *curve)
{
    if (target->path == SCENE_PROPERTY && target->type == SCENE_BOOL) {
        return boolean_values(gltf, place, accessor, curve);
    }
    if (target->path != SCENE_ROTATION) {
        curve->values = accessor->values;
        return target->type != SCENE_INT || integers_check(place, accessor);
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
                         const struct gltf_accessor *accessor, enum scene_path path,
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
    return path != SCENE_ROTATION ||
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

/// Returns whether an output without tangents makes something an integer that might be one.
static bool output_makes_integer(const struct gltf_accessor *output,
                                 const struct gltf_accessor *times,
                                 const struct gltf_target *target)
{
    const bool is_plain_integer = output->component != GLTF_FLOAT && !output->is_normalised;
    double rest = 0;
    const bool rests_there =
        !target->value.value || (json_as_number(&target->value, &rest) && gltf_is_integer(rest));
    return target->may_be_integer && target->type == SCENE_FLOAT && is_plain_integer &&
           output->component_count == 1 && output->count == times->count && rests_there;
}

/// Settles the type of a property; booleans and integers have no values in between.
static bool type_settle(const struct json_value *sampler, const struct gltf_accessor *output,
                        const struct gltf_accessor *times, enum scene_interpolation interpolation,
                        struct gltf_target *target)
{
    if (interpolation == SCENE_STEP) {
        if (output_makes_integer(output, times, target)) {
            target->type = SCENE_INT;
        }
        return true;
    }
    return target->type == SCENE_FLOAT ||
           json_refuse(sampler, TROUPE_EXIT_INPUT, "gltf.pointer.interpolation",
                       "%s is a boolean or integer, which needs STEP", target->pointer);
}

static bool curve_read(struct gltf *gltf, const struct json_value *sampler,
                       struct gltf_target *target, struct gltf_accessor *times,
                       struct scene_curve *curve)
{
    const struct json_value place = json_member(sampler, "output");
    enum scene_interpolation interpolation = SCENE_LINEAR;
    int32_t index = -1;
    struct gltf_accessor *output;
    if (!interpolation_read(sampler, &interpolation) ||
        !json_get_index(sampler, "output", true, "accessors", gltf->accessor_count, &index) ||
        !gltf_accessor_describe(gltf, (uint32_t)index, &output) ||
        !type_settle(sampler, output, times, interpolation, target)) {
        return false;
    }
    const uint64_t element_count = (uint64_t)times->count * (interpolation == SCENE_CUBIC ? 3 : 1);
    *curve = (struct scene_curve){
        .key_count = times->count,
        .times = times->values,
    };
    return output_check_kind(&place, output, target) &&
           output_check_count(&place, output, target, element_count, &curve->stride) &&
           gltf_accessor_decode(gltf, &place, (uint32_t)index) &&
           interpolations_fill(gltf, &place, times, interpolation, &curve->interpolations) &&
           (interpolation == SCENE_CUBIC ? cubic_values(gltf, &place, output, target->path, curve)
                                         : plain_values(gltf, &place, output, target, curve));
}

/// Reads what a channel drives.
/// @param is_ignored [out] whether the specification says to ignore the channel
static bool target_read(struct gltf *gltf, const struct json_value *value,
                        struct gltf_target *target, bool *is_ignored)
{
    const struct json_value extensions = json_member(value, "extensions");
    const struct json_value extension = json_member(&extensions, "KHR_animation_pointer");
    const char *name = NULL;
    *target = (struct gltf_target){.node = -1};
    if (!json_check_object(value) || !json_get_string(value, "path", true, &name) ||
        !json_get_index(value, "node", false, "nodes", gltf->scene->node_count, &target->node)) {
        return false;
    }
    const bool is_pointer = strcmp(name, "pointer") == 0;
    if (is_pointer ? target->node >= 0 : extension.value != NULL) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "gltf.pointer.target",
                           "KHR_animation_pointer needs path \"pointer\" and no node");
    }
    if (is_pointer) {
        return gltf_target_pointer(gltf, value, target);
    }
    *is_ignored = target->node < 0;
    if (strcmp(name, "weights") == 0) {
        return *is_ignored || gltf_target_weights(gltf, value, (uint32_t)target->node, target);
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, path_names[i]) == 0) {
            target->path = (enum scene_path)i;
            return true;
        }
    }
    return json_refuse(value, TROUPE_EXIT_INPUT, "gltf.animation.path", "path \"%s\" is unknown",
                       name);
}

/// Adds a track for a channel that drives a node's rotation, translation or scale.
static bool transform_add(struct animation_reader *reader, struct animation *animation,
                          const struct json_value *channel, const struct gltf_target *target,
                          const struct scene_curve *curve)
{
    struct gltf *const gltf = reader->gltf;
    const uint32_t node = (uint32_t)target->node;
    if (gltf->node_has_matrix[node]) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.animation.matrix",
                           "node %u is animated, but placed by a matrix", node);
    }
    uint32_t *const first = &reader->channel_of[(size_t)node * 3 + target->path];
    if (*first != 0) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.animation.duplicate",
                           "channels[%u] already drives the %s of node %u", *first - 1,
                           path_names[target->path], node);
    }
    *first = (uint32_t)channel->index + 1;
    struct scene_clip *const clip = animation->clip;
    clip->tracks[clip->track_count++] = (struct scene_track){
        .node = node,
        .path = target->path,
        .curve = *curve,
    };
    return true;
}

static bool values_equal(const double *a, const double *b, size_t count)
{
    return a == b || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

static bool curves_equal(const struct scene_curve *a, const struct scene_curve *b)
{
    const size_t total = (size_t)a->key_count * a->stride;
    return a->key_count == b->key_count && a->stride == b->stride &&
           values_equal(a->times, b->times, a->key_count) &&
           values_equal(a->values, b->values, total) &&
           values_equal(a->in_tangents, b->in_tangents, total) &&
           values_equal(a->out_tangents, b->out_tangents, total) &&
           memcmp(a->interpolations, b->interpolations, a->key_count) == 0;
}

/// Adds a track for a channel that drives a property. Exporters are known to write the same
/// channel twice, which harms nobody as long as both say the same.
static bool property_add(struct animation_reader *reader, struct animation *animation,
                         const struct json_value *channel, const struct gltf_target *target,
                         const struct scene_curve *curve)
{
    struct gltf *const gltf = reader->gltf;
    struct scene_clip *const clip = animation->clip;
    uint32_t property;
    if (!gltf_property_find(gltf, channel, target, curve, &property)) {
        return false;
    }
    int32_t earlier;
    gltf_property_drive(gltf, property, (uint32_t)animation->value.index, clip->track_count,
                        &earlier);
    if (earlier < 0) {
        animation->channel_of[clip->track_count] = (uint32_t)channel->index;
        clip->tracks[clip->track_count++] = (struct scene_track){
            .path = SCENE_PROPERTY,
            .property = property,
            .curve = *curve,
        };
        return true;
    }
    if (!curves_equal(&clip->tracks[earlier].curve, curve)) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.animation.duplicate",
                           "channels[%u] already drives %s", animation->channel_of[earlier],
                           target->pointer);
    }
    json_warn(channel, "gltf.animation.duplicate", "says the same of %s as channels[%u]; dropped",
              target->pointer, animation->channel_of[earlier]);
    return true;
}

static bool channel_read(struct animation_reader *reader, struct animation *animation,
                         uint32_t index)
{
    struct gltf *const gltf = reader->gltf;
    const struct json_value channel = json_item(&animation->channels, index);
    const struct json_value target_value = json_member(&channel, "target");
    struct gltf_target target;
    bool is_ignored = false;
    int32_t sampler_index = -1;
    if (!json_check_object(&channel) || !target_read(gltf, &target_value, &target, &is_ignored) ||
        !json_get_index(&channel, "sampler", true, "samplers", animation->sampler_count,
                        &sampler_index)) {
        return false;
    }
    if (is_ignored) {
        return true;
    }
    const struct json_value sampler = json_item(&animation->samplers, (size_t)sampler_index);
    struct gltf_accessor *times;
    struct scene_curve curve;
    if (!json_check_object(&sampler) || !times_read(gltf, &sampler, &times) ||
        !curve_read(gltf, &sampler, &target, times, &curve)) {
        return false;
    }
    struct scene_clip *const clip = animation->clip;
    const double last = times->values[times->count - 1];
    clip->duration_s = last > clip->duration_s ? last : clip->duration_s;
    return target.path == SCENE_PROPERTY
               ? property_add(reader, animation, &channel, &target, &curve)
               : transform_add(reader, animation, &channel, &target, &curve);
}

/// Reads the events of an animation, which glTF itself knows nothing of.
static bool events_read(struct animation *animation, struct arena *arena)
{
    struct scene_clip *const clip = animation->clip;
    const struct json_value extras = json_member(&animation->value, "extras");
    const struct json_value list = json_member(&extras, "events");
    return list.value == NULL ||
           event_list_read(&list, 0, arena, &clip->events, &clip->event_count);
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
    animation->channel_of = ARENA_NEW(&reader->gltf->scratch, uint32_t, animation->channel_count);
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        if (!channel_read(reader, animation, i)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct scene_track *const track = &clip->tracks[i];
        if (track->path != SCENE_PROPERTY) {
            reader->channel_of[(size_t)track->node * 3 + track->path] = 0;
        }
    }
    return events_read(animation, &scene->arena) &&
           gltf_properties_check_clip(reader->gltf, &animation->channels, animation->channel_of,
                                      (uint32_t)animation->value.index);
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
    gltf_properties_warn(gltf);
    return true;
}
