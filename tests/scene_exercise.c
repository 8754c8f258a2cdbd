// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What every imported scene promises.
#include "scene_exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/event.h>
#include <troupe/humanoid.h>

#define REQUIRE(condition) require((condition), #condition, __LINE__)

static void require(bool holds, const char *condition, int line)
{
    if (!holds) {
        fprintf(stderr, "scene_exercise.c:%d: broken: %s\n", line, condition);
        abort();
    }
}

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static bool is_unit(const double q[4])
{
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-12;
}

static void check_nodes(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const struct scene_node *const node = &scene->nodes[i];
        REQUIRE(node->name);
        REQUIRE(node->parent >= -1 && node->parent < (int32_t)scene->node_count);
        REQUIRE(is_unit(node->rotation));
        REQUIRE(all_finite(node->translation, 3) && all_finite(node->scale, 3));
        uint32_t depth = 0;
        for (int32_t up = node->parent; up >= 0; up = scene->nodes[up].parent) {
            REQUIRE(depth++ < scene->node_count);
        }
    }
}

static void check_skins(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        const struct scene_skin *const skin = &scene->skins[i];
        REQUIRE(skin->name && skin->joint_count > 0);
        REQUIRE(skin->skeleton_root >= -1 && skin->skeleton_root < (int32_t)scene->node_count);
        for (uint32_t joint = 0; joint < skin->joint_count; joint++) {
            REQUIRE(skin->nodes[joint] < scene->node_count);
            REQUIRE(all_finite(skin->inverse_bind[joint], 12));
        }
    }
}

/// Checks that a value fits the type of what it is for.
static void check_value(const struct scene *scene, const struct scene_property *property,
                        double value)
{
    if (property->type != SCENE_FLOAT) {
        REQUIRE(value == floor(value) && fabs(value) <= 16777216);
        REQUIRE(property->type != SCENE_BOOL || value == 0 || value == 1);
        REQUIRE(property->type != SCENE_STRING || (value >= 0 && value < scene->text_count));
    }
}

static void check_texts(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->text_count; i++) {
        REQUIRE(scene->texts[i]);
        for (uint32_t other = i < 500 ? 0 : i; other < i; other++) { // as with properties
            REQUIRE(strcmp(scene->texts[i], scene->texts[other]) != 0);
        }
    }
}

static void check_properties(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->property_count; i++) {
        const struct scene_property *const property = &scene->properties[i];
        REQUIRE(property->path && property->path[0] == '/' && property->value_count >= 1);
        REQUIRE(property->type <= SCENE_STRING);
        REQUIRE(property->node >= -1 && property->node < (int32_t)scene->node_count);
        for (uint32_t k = 0; k < property->value_count; k++) {
            REQUIRE(property->labels[k]);
            REQUIRE(isfinite((float)property->defaults[k]));
            check_value(scene, property, property->defaults[k]);
        }
        // The first ones are compared with each other alone, so that hostile files end in time.
        for (uint32_t other = i < 500 ? 0 : i; other < i; other++) {
            REQUIRE(strcmp(property->path, scene->properties[other].path) != 0);
        }
    }
}

static void check_values(const struct scene *scene, const struct scene_property *property,
                         const struct scene_curve *curve)
{
    REQUIRE(curve->stride == property->value_count);
    for (uint32_t i = 0; property->type != SCENE_FLOAT && i < curve->key_count; i++) {
        REQUIRE(property->value_count == 1 && curve->interpolations[i] == SCENE_STEP);
        check_value(scene, property, curve->values[i]);
    }
}

/// Checks the time curve of an interval.
static void check_interval(const struct scene_curve *curve, uint32_t key)
{
    switch (curve->interpolations[key]) {
    case SCENE_BEZIER:
        REQUIRE(curve->handles);
        REQUIRE(curve->handles[key][0] >= 0 && curve->handles[key][0] <= 1);
        REQUIRE(curve->handles[key][1] >= 0 && curve->handles[key][1] <= 1);
        break;
    case SCENE_EASING:
        REQUIRE(curve->easings && curve->easings[key] < TRP_EASING_COUNT);
        break;
    case SCENE_SAMPLED:
        REQUIRE(curve->samples && curve->samples[key].count >= 2);
        REQUIRE(all_finite(curve->samples[key].values, curve->samples[key].count));
        break;
    default:
        break;
    }
}

static void check_curve(const struct scene_curve *curve, enum scene_path path)
{
    const uint32_t count = curve->key_count;
    const uint32_t strides[3] = {4, 3, 3};
    REQUIRE(count >= 1 && curve->stride >= 1);
    REQUIRE(path == SCENE_PROPERTY || curve->stride == strides[path]);
    REQUIRE(all_finite(curve->times, count));
    REQUIRE(curve->times[0] >= 0 ||
            (curve->times[0] == -1 && path == SCENE_PROPERTY && count > 1 && curve->times[1] >= 0));
    REQUIRE(all_finite(curve->values, (size_t)count * curve->stride));
    for (uint32_t key = 0; key < count; key++) {
        REQUIRE(key == 0 || curve->times[key] > curve->times[key - 1]);
        REQUIRE(curve->interpolations[key] <=
                (path == SCENE_PROPERTY ? SCENE_SAMPLED : SCENE_BEZIER));
        REQUIRE(path != SCENE_ROTATION || is_unit(curve->values + (size_t)key * 4));
        const bool has_tangents =
            curve->interpolations[key] == SCENE_CUBIC || curve->interpolations[key] == SCENE_BEZIER;
        REQUIRE(!has_tangents || (curve->in_tangents && curve->out_tangents));
        if (key + 1 < count) {
            check_interval(curve, key);
        }
    }
    const double first = curve->times[0];
    const double last = curve->times[count - 1];
    const double times[] = {NAN, -1, first, (first + last) / 2, last, last + 1};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double *const out = malloc(curve->stride * sizeof *out);
        scene_curve_sample(curve, path, times[i], out);
        REQUIRE(all_finite(out, curve->stride));
        REQUIRE(path != SCENE_ROTATION || is_unit(out));
        free(out);
    }
}

static void check_events(const struct scene_clip *clip)
{
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const struct scene_event *const event = &clip->events[i];
        const uint32_t flags =
            TRP_EVENT_INTEGER | TRP_EVENT_NUMBER | TRP_EVENT_TEXT | TRP_EVENT_MARKER;
        REQUIRE(event->name && event->name[0] != 0 && event->text);
        REQUIRE(isfinite(event->time_s) && event->time_s >= 0);
        REQUIRE(isfinite(event->duration_s) && event->duration_s >= 0);
        REQUIRE((event->flags & ~flags) == 0 && event->easing < TRP_EASING_COUNT);
        REQUIRE(event->samples == NULL || event->samples->count >= 2);
        for (uint32_t k = 0; event->samples != NULL && k < event->samples->count; k++) {
            REQUIRE(fabs(event->samples->values[k]) <= 1000);
        }
        REQUIRE((event->flags & TRP_EVENT_INTEGER) || event->integer == 0);
        REQUIRE(isfinite(event->number) && isfinite(event->from_number));
        REQUIRE((event->flags & TRP_EVENT_NUMBER) ||
                (event->number == 0 && event->from_number == 0));
        REQUIRE((event->flags & TRP_EVENT_TEXT) || event->text[0] == 0);
    }
}

static void check_clips(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const struct scene_clip *const clip = &scene->clips[i];
        REQUIRE(clip->name && isfinite(clip->duration_s) && clip->duration_s >= 0);
        REQUIRE(clip->play <= SCENE_PLAY_PING_PONG);
        check_events(clip);
        for (uint32_t t = 0; t < clip->track_count; t++) {
            const struct scene_track *const track = &clip->tracks[t];
            if (track->path == SCENE_PROPERTY) {
                REQUIRE(track->property < scene->property_count);
                check_values(scene, &scene->properties[track->property], &track->curve);
            } else {
                REQUIRE(track->node < scene->node_count);
            }
            check_curve(&track->curve, track->path);
            REQUIRE(track->curve.times[track->curve.key_count - 1] <= clip->duration_s);
        }
    }
}

static void check_humanoid(const struct scene_humanoid *humanoid, uint32_t bone_count)
{
    REQUIRE(humanoid->flags < 8 && all_finite(humanoid->settings, 7));
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        REQUIRE(humanoid->bone_of_part[part] >= -1);
        REQUIRE(humanoid->bone_of_part[part] < (int32_t)bone_count);
        REQUIRE(humanoid->axes[part] < 8 && all_finite(humanoid->limits[part][0], 9));
    }
}

static void check_components(const struct scene_instance *instance)
{
    for (uint32_t i = 0; i < instance->component_count; i++) {
        const struct scene_component *const component = &instance->components[i];
        REQUIRE(component->kind <= TRP_COMPONENT_ARMATURE);
        REQUIRE(component->bone < instance->bone_count);
        REQUIRE(i == 0 || component->bone >= instance->components[i - 1].bone);
        REQUIRE(component->id && component->type && component->json);
    }
}

static void check_instances(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *const instance = &scene->instances[i];
        REQUIRE(instance->node < scene->node_count);
        REQUIRE(instance->armature_name && instance->armature_id);
        REQUIRE(all_finite(instance->lengths, instance->bone_count));
        for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
            const struct scene_transform *const pose = &instance->pose[bone];
            REQUIRE(instance->nodes[bone] < scene->node_count);
            REQUIRE(scene->nodes[instance->nodes[bone]].id);
            REQUIRE(is_unit(pose->rotation));
            REQUIRE(all_finite(pose->translation, 3) && all_finite(pose->scale, 3));
        }
        check_components(instance);
        if (instance->humanoid) {
            check_humanoid(instance->humanoid, instance->bone_count);
        }
    }
}

static void check_blendtrees(const struct scene *scene)
{
    for (uint32_t i = 0; i < scene->blendtree_count; i++) {
        const struct scene_blendtree *const tree = &scene->blendtrees[i];
        REQUIRE(tree->name && tree->id && (tree->dimensions == 1 || tree->dimensions == 2));
        for (uint32_t clip = 0; clip < tree->count; clip++) {
            REQUIRE(tree->clips[clip] >= -1 && tree->clips[clip] < (int32_t)scene->clip_count);
            REQUIRE(all_finite(tree->places[clip], 2));
        }
    }
}

static void check_scene(const struct scene *scene)
{
    check_nodes(scene);
    check_skins(scene);
    check_texts(scene);
    check_properties(scene);
    check_clips(scene);
    check_instances(scene);
    check_blendtrees(scene);
}

void scene_exercise_import(bool ok, struct scene *scene, const struct report *report)
{
    if (ok) {
        REQUIRE(report->error_count == 0);
        check_scene(scene);
        scene_free(scene);
    } else {
        const struct scene zero = {0};
        REQUIRE(report->error_count == 1 && report->exit_code != TROUPE_EXIT_OK);
        REQUIRE(strlen(report->first_error) > 0);
        REQUIRE(memcmp(scene, &zero, sizeof zero) == 0);
    }
}
