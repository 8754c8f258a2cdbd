// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "scene_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_PROPERTIES 16

struct scene *scene_builder_chain(uint32_t node_count, double bone, bool has_skin)
{
    struct scene *const scene = calloc(1, sizeof *scene);
    struct arena *const arena = &scene->arena;
    scene->file = "chain.glb";
    scene->stem = "chain";
    scene->node_count = node_count;
    scene->nodes = ARENA_NEW(arena, struct scene_node, node_count);
    for (uint32_t i = 0; i < node_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "joint_%u", i);
        scene->nodes[i] = (struct scene_node){
            .name = arena_string(arena, name),
            .parent = (int32_t)i - 1,
            .rotation = {0, 0, 0, 1},
            .translation = {0, i == 0 ? 0 : bone, 0},
            .scale = {1, 1, 1},
        };
    }
    if (has_skin) {
        scene->skin_count = 1;
        scene->skins = ARENA_NEW(arena, struct scene_skin, 1);
        scene->skins[0].name = "skin";
        scene->skins[0].joint_count = node_count;
        scene->skins[0].skeleton_root = -1;
        scene->skins[0].nodes = ARENA_NEW(arena, uint32_t, node_count);
        scene->skins[0].inverse_bind = arena_take(arena, node_count, sizeof(double[12]));
        for (uint32_t i = 0; i < node_count; i++) {
            scene->skins[0].nodes[i] = i;
            for (int k = 0; k < 3; k++) {
                scene->skins[0].inverse_bind[i][k * 5] = 1.0;
            }
        }
    }
    scene->clip_count = 1;
    scene->clips = ARENA_NEW(arena, struct scene_clip, 1);
    scene->clips[0].name = "clip";
    scene->clips[0].tracks = ARENA_NEW(arena, struct scene_track, node_count * 3 + MOST_PROPERTIES);
    return scene;
}

/// Fills the last track of the clip with a curve.
static struct scene_curve *add_curve(struct scene *scene, struct scene_track *track,
                                     uint32_t stride, uint32_t key_count, double rate_hz,
                                     enum scene_interpolation interpolation)
{
    struct arena *const arena = &scene->arena;
    struct scene_clip *const clip = &scene->clips[0];
    track->curve = (struct scene_curve){
        .key_count = key_count,
        .stride = stride,
        .times = ARENA_NEW(arena, double, key_count),
        .values = ARENA_NEW(arena, double, key_count *stride),
        .interpolations = ARENA_NEW(arena, uint8_t, key_count),
    };
    if (interpolation == SCENE_CUBIC) {
        track->curve.in_tangents = ARENA_NEW(arena, double, key_count *stride);
        track->curve.out_tangents = ARENA_NEW(arena, double, key_count *stride);
    }
    for (uint32_t key = 0; key < key_count; key++) {
        track->curve.times[key] = (double)(float)(key / rate_hz);
        track->curve.interpolations[key] = (uint8_t)interpolation;
    }
    const double end = track->curve.times[key_count - 1];
    clip->duration_s = end > clip->duration_s ? end : clip->duration_s;
    return &track->curve;
}

struct scene_curve *scene_builder_track(struct scene *scene, uint32_t node, enum scene_path path,
                                        uint32_t key_count, double rate_hz,
                                        enum scene_interpolation interpolation)
{
    struct scene_clip *const clip = &scene->clips[0];
    struct scene_track *const track = &clip->tracks[clip->track_count++];
    *track = (struct scene_track){.node = node, .path = path};
    return add_curve(scene, track, path == SCENE_ROTATION ? 4 : 3, key_count, rate_hz,
                     interpolation);
}

uint32_t scene_builder_property(struct scene *scene, const char *path,
                                enum scene_property_type type, uint32_t value_count)
{
    struct arena *const arena = &scene->arena;
    if (scene->properties == NULL) {
        scene->properties = ARENA_NEW(arena, struct scene_property, MOST_PROPERTIES);
    }
    struct scene_property *const property = &scene->properties[scene->property_count];
    *property = (struct scene_property){
        .path = path,
        .type = type,
        .value_count = value_count,
        .defaults = ARENA_NEW(arena, double, value_count),
        .labels = ARENA_NEW(arena, const char *, value_count),
        .node = -1,
    };
    for (uint32_t i = 0; i < value_count; i++) {
        property->labels[i] = "";
    }
    return scene->property_count++;
}

struct scene_curve *scene_builder_property_track(struct scene *scene, uint32_t property,
                                                 uint32_t key_count, double rate_hz,
                                                 enum scene_interpolation interpolation)
{
    struct scene_clip *const clip = &scene->clips[0];
    struct scene_track *const track = &clip->tracks[clip->track_count++];
    *track = (struct scene_track){.path = SCENE_PROPERTY, .property = property};
    return add_curve(scene, track, scene->properties[property].value_count, key_count, rate_hz,
                     interpolation);
}

void scene_builder_turn(double x, double y, double z, double angle_rad, double rotation[4])
{
    const double length = sqrt(x * x + y * y + z * z);
    const double scale = sin(angle_rad / 2.0) / length;
    rotation[0] = x * scale;
    rotation[1] = y * scale;
    rotation[2] = z * scale;
    rotation[3] = cos(angle_rad / 2.0);
}

void scene_builder_free(struct scene *scene)
{
    scene_free(scene);
    free(scene);
}

double scene_builder_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}
