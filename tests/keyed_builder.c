// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "keyed_builder.h"

#include <math.h>
#include <string.h>

#include "easing.h"
#include "synthetic_clip.h"

#define SAMPLES 9u ///< of each drawn curve
#define PI 3.14159265358979323846

// -- Making --------------------------------------------------------------------------------------

static uint32_t track_count_of(const struct keyed_recipe *recipe)
{
    const uint32_t stride = recipe->stride ? recipe->stride : recipe->scalar_count;
    return recipe->rotation_count + (stride ? recipe->scalar_count / stride : 0);
}

static uint32_t planes_of(const struct keyed_recipe *recipe)
{
    const int needs_three = recipe->interpolation == TRP_INTERPOLATION_CUBIC ||
                            recipe->interpolation == TRP_INTERPOLATION_BEZIER ||
                            recipe->interpolation == KEYED_MIXED;
    return recipe->planes ? recipe->planes : needs_three ? 3 : 1;
}

/// Takes the next bytes, rounded up to `alignment`.
static uint32_t take(size_t *used, size_t size_bytes, size_t alignment)
{
    *used = (*used + alignment - 1) / alignment * alignment;
    const uint32_t at = (uint32_t)*used;
    *used += size_bytes;
    return at;
}

/// Sets the offsets of a group. Values lie last of all, so that reading on runs into the guard.
static void place_group(const struct keyed_recipe *recipe, struct trp__key_group *group,
                        size_t *used)
{
    const size_t components = 4 * (size_t)recipe->rotation_count + recipe->scalar_count;
    const uint32_t planes = planes_of(recipe);
    *group = (struct trp__key_group){
        .key_count = recipe->key_count,
        .rotation_count = recipe->rotation_count,
        .scalar_count = recipe->scalar_count,
        .track_count = track_count_of(recipe),
        .interpolation = recipe->interpolation == KEYED_MIXED ? 0 : (uint8_t)recipe->interpolation,
        .planes = (uint8_t)planes,
    };
    group->times = take(used, recipe->key_count * sizeof(double), 8);
    if (recipe->interpolation == KEYED_MIXED) {
        group->modes = take(used, recipe->key_count, 1);
    }
    if (recipe->interpolation >= TRP_INTERPOLATION_BEZIER) {
        group->curves = take(used, recipe->key_count * sizeof(struct trp__key_curve), 4);
        take(used, SAMPLES * sizeof(float), 4);
    }
    group->values = take(used, recipe->key_count * planes * components * sizeof(float), 4);
}

static void fill_rotation(const struct keyed_recipe *recipe, const float *before, uint64_t *state,
                          float q[4], size_t stride)
{
    double axis[3];
    double length = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] = synthetic_chance_between(state, -1, 1);
        length += axis[i] * axis[i];
    }
    length = sqrt(length > 1e-6 ? length : 1);
    const double largest = recipe->turn_deg > 0 ? recipe->turn_deg : 360;
    const double angle = synthetic_chance_between(state, 0.1, 1) * largest * PI / 180;
    const double s = sin(angle / 2) / length;
    const double t[4] = {axis[0] * s, axis[1] * s, axis[2] * s, cos(angle / 2)};
    double b[4] = {0, 0, 0, 1};
    for (int i = 0; i < 4 && before; i++) {
        b[i] = before[(size_t)i * stride];
    }
    const double sign = recipe->turn_deg > 0 || synthetic_chance(state) % 2 ? 1 : -1;
    q[0] = (float)(sign * (b[3] * t[0] + b[0] * t[3] + b[1] * t[2] - b[2] * t[1]));
    q[stride] = (float)(sign * (b[3] * t[1] - b[0] * t[2] + b[1] * t[3] + b[2] * t[0]));
    q[2 * stride] = (float)(sign * (b[3] * t[2] + b[0] * t[1] - b[1] * t[0] + b[2] * t[3]));
    q[3 * stride] = (float)(sign * (b[3] * t[3] - b[0] * t[0] - b[1] * t[1] - b[2] * t[2]));
}

static void fill_group(const struct trp__keyed *keyed, const struct keyed_recipe *recipe,
                       uint32_t index)
{
    const struct trp__key_group *const group = &keyed->groups[index];
    const double spacing = recipe->spacing_s > 0 ? recipe->spacing_s : 0.1;
    const double size = recipe->size > 0 ? recipe->size : 1;
    const uint32_t components = 4 * group->rotation_count + group->scalar_count;
    uint64_t state = recipe->seed * 2 + 1;
    double time = recipe->start_s;
    for (uint32_t key = 0; key < group->key_count; key++) {
        keyed_times(keyed, index)[key] = time;
        time += spacing * synthetic_chance_between(&state, 0.5, 1.5);
        for (uint32_t plane = 0; plane < 3; plane += group->planes == 3 ? 1 : 3) {
            float *const values = keyed_plane(keyed, index, key, plane);
            for (uint32_t i = 0; i < components; i++) {
                values[i] = (float)synthetic_chance_between(&state, -size, size);
            }
        }
        float *const values = keyed_plane(keyed, index, key, 1);
        for (uint32_t i = 0; i < group->rotation_count; i++) {
            const float *const before = key ? keyed_plane(keyed, index, key - 1, 1) + i : NULL;
            fill_rotation(recipe, before, &state, values + i, group->rotation_count);
        }
        if (group->modes) {
            keyed_modes(keyed, index)[key] = (uint8_t)(key % 7);
        }
        if (group->curves) {
            const uint32_t mode = group->modes ? key % 7 : group->interpolation;
            struct trp__key_curve *const curve = &keyed_curves(keyed, index)[key];
            if (mode == TRP_INTERPOLATION_BEZIER) {
                curve->x[0] = (float)synthetic_chance_between(&state, 0, 1);
                curve->x[1] = (float)synthetic_chance_between(&state, 0, 1);
            } else if (mode == TRP_INTERPOLATION_EASING) {
                curve->easing = synthetic_chance(&state) % TRP__EASING_COUNT;
            } else if (mode == TRP_INTERPOLATION_SAMPLED) {
                const uint32_t end = group->curves + group->key_count * sizeof *curve;
                curve->table = (end + 3) / 4 * 4;
                curve->count = SAMPLES;
            }
        }
    }
    if (group->curves) {
        float *const table = (float *)(void *)(keyed_curves(keyed, index) + group->key_count);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            table[i] = (float)synthetic_chance_between(&state, -0.2, 1.2);
        }
    }
}

struct trp__keyed keyed_build(const struct keyed_recipe *recipes, uint32_t group_count)
{
    struct trp__key_group groups[128] = {0};
    uint32_t track_count = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        track_count += track_count_of(&recipes[i]);
    }
    struct trp__keyed_header header = {.group_count = group_count, .track_count = track_count};
    size_t used = sizeof header + group_count * sizeof *groups +
                  track_count * sizeof(struct trp__keyed_track);
    uint32_t first_track = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        place_group(&recipes[i], &groups[i], &used);
        groups[i].first_track = first_track;
        first_track += groups[i].track_count;
        header.component_count += 4 * recipes[i].rotation_count + recipes[i].scalar_count;
    }
    const size_t size_bytes = (used + 15) / 16 * 16;
    header.size_bytes = (uint32_t)size_bytes;
    const size_t shift = size_bytes - used;
    for (uint32_t i = 0; i < group_count && shift % 4 == 0; i++) { // the last value meets the guard
        groups[i].values += i == group_count - 1 ? (uint32_t)shift : 0;
    }

    uint8_t *const bytes = synthetic_memory(size_bytes);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, groups, group_count * sizeof *groups);
    const struct trp__keyed keyed = trp__keyed_of(bytes);
    struct trp__keyed_track *track = (void *)(uintptr_t)keyed.tracks;
    for (uint32_t i = 0; i < group_count; i++) {
        const uint32_t rotations = groups[i].rotation_count;
        for (uint32_t j = 0; j < groups[i].track_count; j++) {
            const uint32_t stride = recipes[i].stride ? recipes[i].stride : groups[i].scalar_count;
            *track++ = (struct trp__keyed_track){
                .target = j,
                .first = j < rotations ? j : (j - rotations) * stride,
                .stride = j < rotations ? 4 : stride,
                .group = i,
                .path = j < rotations ? TRP_PATH_ROTATION : 3,
            };
        }
        fill_group(&keyed, &recipes[i], i);
    }
    return keyed;
}

static void *at(const struct trp__keyed *keyed, uint32_t offset)
{
    return (void *)(uintptr_t)(keyed->bytes + offset);
}

double *keyed_times(const struct trp__keyed *keyed, uint32_t group)
{
    return at(keyed, keyed->groups[group].times);
}

uint8_t *keyed_modes(const struct trp__keyed *keyed, uint32_t group)
{
    return at(keyed, keyed->groups[group].modes);
}

struct trp__key_curve *keyed_curves(const struct trp__keyed *keyed, uint32_t group)
{
    return at(keyed, keyed->groups[group].curves);
}

float *keyed_plane(const struct trp__keyed *keyed, uint32_t index, uint32_t key, uint32_t plane)
{
    const struct trp__key_group *const group = &keyed->groups[index];
    const size_t components = 4 * (size_t)group->rotation_count + group->scalar_count;
    const size_t plane_index = group->planes == 3 ? key * 3 + plane : key;
    return (float *)at(keyed, group->values) + plane_index * components;
}

trp_track keyed_track(const struct trp__keyed *keyed, uint32_t index)
{
    trp_track track;
    trp__track_of(keyed, index, &track);
    return track;
}

// -- The truth -----------------------------------------------------------------------------------

/// The components of one track at one key.
struct key_values {
    double arriving[256];
    double value[256];
    double leaving[256];
};

static void read_plane(const struct trp__keyed *keyed, const trp_track *track, uint32_t key,
                       uint32_t plane, double *to)
{
    const struct trp__key_group *const group = &keyed->groups[track->group];
    const float *const from = keyed_plane(keyed, track->group, key, plane);
    for (uint32_t i = 0; i < track->stride; i++) {
        to[i] = track->path == TRP_PATH_ROTATION
                    ? from[i * group->rotation_count + track->first]
                    : from[4 * group->rotation_count + track->first + i];
    }
}

static void read_key(const struct trp__keyed *keyed, const trp_track *track, uint32_t key,
                     struct key_values *values)
{
    read_plane(keyed, track, key, 1, values->value);
    if (keyed->groups[track->group].planes == 3) {
        read_plane(keyed, track, key, 0, values->arriving);
        read_plane(keyed, track, key, 2, values->leaving);
    }
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void normalise4(double *q)
{
    const double length = sqrt(dot4(q, q));
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

static void slerp(const double *q0, const double *q1, double u, double *q)
{
    double a[4];
    double b[4];
    memcpy(a, q0, sizeof a);
    memcpy(b, q1, sizeof b);
    normalise4(a);
    normalise4(b);
    const double dot = dot4(a, b);
    const double angle = acos(fmin(fabs(dot), 1));
    const double wide = angle > 1e-8;
    for (int i = 0; i < 4; i++) {
        const double weight0 = wide ? sin(angle * (1 - u)) / sin(angle) : 1 - u;
        const double weight1 = wide ? sin(angle * u) / sin(angle) : u;
        q[i] = weight0 * a[i] + (dot < 0 ? -weight1 : weight1) * b[i];
    }
}

static void linear(const trp_track *track, const double *v0, const double *v1, double u, double *v)
{
    double weight1 = u;
    double sign = 1;
    if (track->path == TRP_PATH_ROTATION) {
        const double dot = dot4(v0, v1);
        weight1 = u + u * (u - 0.5) * (u - 1) * (2.0 / 3) * (1 - fabs(dot));
        sign = dot < 0 ? -1 : 1;
    }
    for (uint32_t i = 0; i < track->stride; i++) {
        v[i] = (1 - weight1) * v0[i] + sign * weight1 * v1[i];
    }
}

static double bezier(double p0, double p1, double p2, double p3, double s)
{
    const double r = 1 - s;
    return r * r * r * p0 + 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s * p3;
}

static double bisect_bezier(const float x[2], double u)
{
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (bezier(0, x[0], x[1], 1, middle) < u) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

void keyed_truth(const struct trp__keyed *keyed, uint32_t index, double time_s, double *value)
{
    const trp_track track = keyed_track(keyed, index);
    const struct trp__key_group *const group = &keyed->groups[track.group];
    const double *const times = track.times;
    const double t = isnan(time_s) ? 0 : time_s;
    uint32_t key = 0;
    while (key + 1 < track.key_count && times[key + 1] <= t) {
        key++;
    }
    struct key_values from;
    struct key_values to;
    read_key(keyed, &track, key, &from);
    memcpy(value, from.value, track.stride * sizeof *value);
    if (key + 1 < track.key_count && t > times[key]) {
        read_key(keyed, &track, key + 1, &to);
        const double d = times[key + 1] - times[key];
        const double u = (t - times[key]) / d;
        const struct trp__key_curve *const curve =
            group->curves ? &keyed_curves(keyed, track.group)[key] : NULL;
        switch (trp_track_interpolation(&track, key)) {
        case TRP_INTERPOLATION_STEP:
            break;
        case TRP_INTERPOLATION_LINEAR:
            linear(&track, from.value, to.value, u, value);
            break;
        case TRP_INTERPOLATION_SLERP:
            if (track.path == TRP_PATH_ROTATION) {
                slerp(from.value, to.value, u, value);
            } else {
                linear(&track, from.value, to.value, u, value);
            }
            break;
        case TRP_INTERPOLATION_CUBIC:
            for (uint32_t i = 0; i < track.stride; i++) {
                value[i] = (2 * u * u * u - 3 * u * u + 1) * from.value[i] +
                           d * (u * u * u - 2 * u * u + u) * from.leaving[i] +
                           (-2 * u * u * u + 3 * u * u) * to.value[i] +
                           d * (u * u * u - u * u) * to.arriving[i];
            }
            break;
        case TRP_INTERPOLATION_BEZIER:
            for (uint32_t i = 0; i < track.stride; i++) {
                value[i] = bezier(from.value[i], from.leaving[i], to.arriving[i], to.value[i],
                                  bisect_bezier(curve->x, u));
            }
            break;
        case TRP_INTERPOLATION_EASING:
            linear(&track, from.value, to.value, trp__ease(curve->easing, u), value);
            break;
        case TRP_INTERPOLATION_SAMPLED: {
            const float *const table = at(keyed, curve->table);
            const uint32_t i = (uint32_t)(u * (curve->count - 1));
            const double rest = u * (curve->count - 1) - i;
            linear(&track, from.value, to.value, table[i] * (1 - rest) + table[i + 1] * rest,
                   value);
            break;
        }
        }
    }
    if (track.path == TRP_PATH_ROTATION) {
        normalise4(value);
    }
}
