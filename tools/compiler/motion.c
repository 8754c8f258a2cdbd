// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quat.h"
#include "root_motion.h"

/// A value may be off by this, times its largest size where that is above 1.
#define VALUE_TOLERANCE 1e-5

static void widen_tolerance(double *tolerance, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(values[i]) * VALUE_TOLERANCE;
        *tolerance = size > *tolerance ? size : *tolerance;
    }
}

/// Widens a tolerance by how far a drawn curve goes beyond the two values it goes between.
static void widen_for_samples(double *tolerance, const struct scene_curve *curve, uint32_t key)
{
    const struct scene_samples *const samples = &curve->samples[key];
    const double *const value = curve->values + (size_t)key * curve->stride;
    for (uint32_t i = 0; i < samples->count * curve->stride; i++) {
        const double *const from = &value[i % curve->stride];
        const double between =
            *from + samples->values[i / curve->stride] * (from[curve->stride] - *from);
        widen_tolerance(tolerance, &between, 1);
    }
}

/// Widens a tolerance by how far the keys of a curve lie, and what is between them.
static void widen_for_curve(double *tolerance, const struct scene_curve *curve)
{
    const uint32_t stride = curve->stride;
    widen_tolerance(tolerance, curve->values, (size_t)curve->key_count * stride);
    for (uint32_t key = 0; key + 1 < curve->key_count; key++) {
        if (curve->interpolations[key] == SCENE_BEZIER) {
            widen_tolerance(tolerance, curve->out_tangents + (size_t)key * stride, stride);
            widen_tolerance(tolerance, curve->in_tangents + (size_t)(key + 1) * stride, stride);
        } else if (curve->interpolations[key] == SCENE_SAMPLED) {
            widen_for_samples(tolerance, curve, key);
        }
    }
}

struct property_values *property_values_of(const struct scene *scene, struct arena *arena)
{
    struct property_values *const values = ARENA_NEW(arena, struct property_values, 1);
    values->property_count = scene->property_count;
    values->properties = scene->properties;
    values->text_count = scene->text_count;
    values->texts = scene->texts;
    values->first_value = ARENA_NEW(arena, uint32_t, scene->property_count);
    values->tolerance = ARENA_NEW(arena, double, scene->property_count);
    for (uint32_t i = 0; i < scene->property_count; i++) {
        values->first_value[i] = values->value_count;
        values->value_count += scene->properties[i].value_count;
        values->tolerance[i] = VALUE_TOLERANCE;
        widen_tolerance(&values->tolerance[i], scene->properties[i].defaults,
                        scene->properties[i].value_count);
    }
    values->property_of_value = ARENA_NEW(arena, uint32_t, values->value_count);
    for (uint32_t i = 0; i < scene->property_count; i++) {
        for (uint32_t k = 0; k < scene->properties[i].value_count; k++) {
            values->property_of_value[values->first_value[i] + k] = i;
        }
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        for (uint32_t t = 0; t < scene->clips[i].track_count; t++) {
            const struct scene_track *const track = &scene->clips[i].tracks[t];
            if (track->path == SCENE_PROPERTY) {
                widen_for_curve(&values->tolerance[track->property], &track->curve);
            }
        }
    }
    return values;
}

bool motion_of_clip(const struct skeleton *skeleton, const struct property_values *values,
                    uint32_t clip_index, struct arena *arena, struct motion *motion)
{
    static const struct property_values none;
    const struct scene_clip *const clip = &skeleton->scene->clips[clip_index];
    *motion = (struct motion){
        .skeleton = skeleton,
        .source_clip = clip->name,
        .source_clip_index = clip_index,
        .duration_s = clip->duration_s,
        .curves = ARENA_NEW(arena, const struct scene_curve *, skeleton->lane_count * 3),
        .values = values != NULL ? values : &none,
    };
    motion->property_curves =
        ARENA_NEW(arena, const struct scene_curve *, motion->values->property_count);
    bool has_joints = false;
    bool has_values = false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct scene_track *const track = &clip->tracks[i];
        if (track->path == SCENE_PROPERTY) {
            if (values != NULL) {
                motion->property_curves[track->property] = &track->curve;
                has_values = true;
            }
            continue;
        }
        const uint32_t joint = skeleton->joint_of_node[track->node];
        if (joint != TRP_NONE) {
            motion->curves[skeleton->lane_of_joint[joint] * 3 + track->path] = &track->curve;
            has_joints = true;
        }
    }
    if (!has_values && skeleton->lane_count > 0) {
        motion->values = &none; // the clip leaves them alone, so that their rest is no truth of it
    }
    return has_joints || has_values;
}

void motion_make_additive(struct motion *motion, const struct motion *reference,
                          struct arena *arena)
{
    const struct skeleton *const skeleton = motion->skeleton;
    motion->reference = ARENA_NEW(arena, struct scene_transform, skeleton->lane_count);
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        motion->reference[lane] =
            reference == NULL ? skeleton->rest_local[lane] : motion_local(reference, lane, 0.0);
    }
    const struct property_values *const values = motion->values;
    double *const value_reference = ARENA_NEW(arena, double, values->value_count);
    for (uint32_t i = 0; i < values->property_count; i++) {
        double *const own = value_reference + values->first_value[i];
        if (reference != NULL && reference->property_curves[i] != NULL) {
            scene_curve_sample(reference->property_curves[i], SCENE_PROPERTY, 0.0, own);
        } else {
            memcpy(own, values->properties[i].defaults,
                   values->properties[i].value_count * sizeof(double));
        }
        if (values->properties[i].type != SCENE_FLOAT) {
            motion->property_curves[i] = NULL; // there is no difference between two switches
        }
    }
    motion->value_reference = value_reference;
}

void motion_property(const struct motion *motion, uint32_t property, double time_s, double *values)
{
    const struct scene_property *const own = &motion->values->properties[property];
    const struct scene_curve *const curve = motion->property_curves[property];
    const double *const reference =
        motion->value_reference == NULL
            ? NULL
            : motion->value_reference + motion->values->first_value[property];
    if (curve != NULL) {
        scene_curve_sample(curve, SCENE_PROPERTY, time_s, values);
    } else {
        memcpy(values, reference != NULL ? reference : own->defaults,
               own->value_count * sizeof(double));
    }
    for (uint32_t i = 0; i < own->value_count && reference != NULL; i++) {
        values[i] -= reference[i];
    }
}

/// Copies a curve, all times in the clip `lead_in_s` earlier. Values are shared.
static const struct scene_curve *curve_earlier(const struct scene_curve *curve, double lead_in_s,
                                               struct arena *arena)
{
    struct scene_curve *const earlier = ARENA_NEW(arena, struct scene_curve, 1);
    *earlier = *curve;
    earlier->times = ARENA_NEW(arena, double, curve->key_count);
    for (uint32_t key = 0; key < curve->key_count; key++) {
        const bool is_in_clip = curve->times[key] >= 0.0;
        earlier->times[key] = curve->times[key] - (is_in_clip ? lead_in_s : 0.0);
    }
    return earlier;
}

/// Returns the largest float that is not above a positive number.
static double float_below(double value)
{
    float narrow = (float)value;
    if ((double)narrow > value) {
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        bits--;
        memcpy(&narrow, &bits, sizeof narrow);
    }
    return (double)narrow;
}

/// Returns when a curve has its first key in the clip.
static double first_time(const struct scene_curve *curve)
{
    return curve->times[curve_has_initial(curve) ? 1 : 0];
}

void motion_trim(struct motion *motion, struct arena *arena)
{
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    double lead_in_s = motion->duration_s;
    bool has_curves = false; // a clip of events alone has no first key
    for (uint32_t i = 0; i < motion_curve_count(motion); i++) {
        const struct scene_curve *const curve = motion_curve(motion, i);
        has_curves |= curve != NULL;
        if (curve != NULL && first_time(curve) < lead_in_s) {
            lead_in_s = first_time(curve);
        }
    }
    lead_in_s = float_below(lead_in_s); // as the pack stores it; no key may come before 0
    if (!has_curves || !(lead_in_s > 0.0)) {
        return;
    }
    for (uint32_t i = 0; i < motion_curve_count(motion); i++) {
        const struct scene_curve **const curve =
            i < joint_curves ? &motion->curves[i] : &motion->property_curves[i - joint_curves];
        if (*curve != NULL) {
            *curve = curve_earlier(*curve, lead_in_s, arena);
        }
    }
    motion->duration_s -= lead_in_s;
    motion->lead_in_s = lead_in_s;
}

/// Copies a curve with what it has at the start of the clip once more at `time_s`.
static const struct scene_curve *curve_closed(const struct scene_curve *curve, double time_s,
                                              struct arena *arena)
{
    const uint32_t count = curve->key_count;
    const uint32_t stride = curve->stride;
    struct scene_curve *const closed = ARENA_NEW(arena, struct scene_curve, 1);
    *closed = (struct scene_curve){
        .key_count = count + 1,
        .stride = stride,
        .times = ARENA_NEW(arena, double, count + 1),
        .values = ARENA_NEW(arena, double, (count + 1) * stride),
        .interpolations = ARENA_NEW(arena, uint8_t, count + 1),
    };
    memcpy(closed->times, curve->times, count * sizeof(double));
    memcpy(closed->values, curve->values, count * stride * sizeof(double));
    memcpy(closed->values + count * stride, curve->values, stride * sizeof(double));
    if (curve_has_initial(curve)) {
        scene_curve_sample(curve, SCENE_PROPERTY, 0.0, closed->values + count * stride);
    }
    memcpy(closed->interpolations, curve->interpolations, count);
    closed->times[count] = time_s;
    const bool is_stepped = curve_is_stepped(curve);
    closed->interpolations[count - 1] = is_stepped ? SCENE_STEP : SCENE_LINEAR;
    closed->interpolations[count] = closed->interpolations[count - 1];
    if (curve->in_tangents != NULL) {
        closed->in_tangents = ARENA_NEW(arena, double, (count + 1) * stride);
        closed->out_tangents = ARENA_NEW(arena, double, (count + 1) * stride);
        memcpy(closed->in_tangents, curve->in_tangents, count * stride * sizeof(double));
        memcpy(closed->out_tangents, curve->out_tangents, count * stride * sizeof(double));
    }
    if (curve->is_added != NULL) {
        closed->is_added = ARENA_NEW(arena, uint8_t, count + 1);
        memcpy(closed->is_added, curve->is_added, count);
    }
    if (curve->handles != NULL) {
        closed->handles = arena_take(arena, count + 1, sizeof *closed->handles);
        memcpy(closed->handles, curve->handles, count * sizeof *closed->handles);
    }
    if (curve->easings != NULL) {
        closed->easings = ARENA_NEW(arena, uint16_t, count + 1);
        memcpy(closed->easings, curve->easings, count * sizeof *closed->easings);
    }
    if (curve->samples != NULL) {
        closed->samples = ARENA_NEW(arena, struct scene_samples, count + 1);
        memcpy(closed->samples, curve->samples, count * sizeof *closed->samples);
    }
    return closed;
}

/// Copies a curve with its last value held until `time_s`.
static const struct scene_curve *curve_held(const struct scene_curve *curve, double time_s,
                                            struct arena *arena)
{
    struct scene_curve *const held = (struct scene_curve *)curve_closed(curve, time_s, arena);
    const uint32_t last = curve->key_count;
    memcpy(held->values + last * curve->stride, curve->values + (last - 1) * curve->stride,
           curve->stride * sizeof(double));
    return held;
}

/// Closes each of some curves that is there.
static void close_curves(const struct scene_curve **curves, uint32_t count, double duration_s,
                         double spacing_s, struct arena *arena)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct scene_curve *curve = curves[i];
        if (curve == NULL) {
            continue;
        }
        // A track that ends early stays until the clip ends, then goes home with the others.
        if (curve->times[curve->key_count - 1] < duration_s) {
            curve = curve_held(curve, duration_s, arena);
        }
        curves[i] = curve_closed(curve, duration_s + spacing_s, arena);
    }
}

void motion_close(struct motion *motion, double spacing_s, struct arena *arena)
{
    close_curves(motion->curves, motion->skeleton->lane_count * 3, motion->duration_s, spacing_s,
                 arena);
    close_curves(motion->property_curves, motion->values->property_count, motion->duration_s,
                 spacing_s, arena);
    motion->duration_s += spacing_s;
    motion->has_closing_key = true;
}

struct scene_transform motion_local(const struct motion *motion, uint32_t lane, double time_s)
{
    const struct scene_curve *const *const curves = &motion->curves[lane * 3];
    struct scene_transform local =
        motion->reference != NULL ? motion->reference[lane] : motion->skeleton->rest_local[lane];
    if (curves[SCENE_ROTATION] != NULL) {
        scene_curve_sample(curves[SCENE_ROTATION], SCENE_ROTATION, time_s, local.rotation);
    }
    if (curves[SCENE_TRANSLATION] != NULL) {
        scene_curve_sample(curves[SCENE_TRANSLATION], SCENE_TRANSLATION, time_s, local.translation);
    }
    if (curves[SCENE_SCALE] != NULL) {
        scene_curve_sample(curves[SCENE_SCALE], SCENE_SCALE, time_s, local.scale);
    }
    return local;
}

/// Writes the model matrix of a lane whose parent has one.
static void model_from_local(const struct skeleton *skeleton, uint32_t lane,
                             const struct scene_transform *transform, double (*models)[12])
{
    double local[12];
    const uint16_t parent = skeleton->parent_of_lane[lane];
    scene_transform_matrix(transform, local);
    scene_matrix_multiply(parent == TRP_NO_LANE ? skeleton->root : models[parent], local,
                          models[lane]);
}

void models_from_locals(const struct skeleton *skeleton, const struct scene_transform *locals,
                        double (*models)[12])
{
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        model_from_local(skeleton, lane, &locals[lane], models);
    }
}

/// Whether a lane's curves are what remains where root motion was taken out.
static bool is_remaining(const struct motion *motion, uint32_t lane)
{
    return motion->root != NULL && !motion->root->is_in_pose && motion->root->lane == lane;
}

void motion_models(const struct motion *motion, double time_s, double (*models)[12])
{
    for (uint32_t lane = 0; lane < motion->skeleton->lane_count; lane++) {
        const bool is_exact = is_remaining(motion, lane) && time_s <= motion->root->end_s;
        const struct scene_transform local = is_exact ? root_motion_remaining(motion->root, time_s)
                                                      : motion_local(motion, lane, time_s);
        model_from_local(motion->skeleton, lane, &local, models);
    }
}

struct scene_transform transform_add(const struct scene_transform *reference,
                                     const struct scene_transform *delta)
{
    struct scene_transform sum;
    quat_multiply(reference->rotation, delta->rotation, sum.rotation);
    for (int i = 0; i < 3; i++) {
        sum.translation[i] = reference->translation[i] + delta->translation[i];
        sum.scale[i] = reference->scale[i] * delta->scale[i];
    }
    return sum;
}

struct scene_transform transform_subtract(const struct scene_transform *transform,
                                          const struct scene_transform *reference)
{
    struct scene_transform delta;
    quat_relative(reference->rotation, transform->rotation, delta.rotation);
    for (int i = 0; i < 3; i++) {
        delta.translation[i] = transform->translation[i] - reference->translation[i];
        delta.scale[i] = transform->scale[i] / reference->scale[i];
    }
    return delta;
}

static int compare_times(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

uint32_t motion_curve_count(const struct motion *motion)
{
    return motion->skeleton->lane_count * 3 + motion->values->property_count;
}

bool motion_has_values(const struct motion *motion)
{
    return motion->values->property_count > 0;
}

const struct scene_curve *motion_curve(const struct motion *motion, uint32_t index)
{
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    return index < joint_curves ? motion->curves[index]
                                : motion->property_curves[index - joint_curves];
}

/// Returns a curve of the list as far as the source has it: without keys that took the place of its
/// own when root motion was taken out.
static const struct scene_curve *source_curve(const struct motion *motion, uint32_t index)
{
    const struct root_motion *const root = motion->root;
    if (index < motion->skeleton->lane_count * 3 && is_remaining(motion, index / 3)) {
        return root->curves[index % 3];
    }
    return motion_curve(motion, index);
}

uint32_t motion_key_times(const struct motion *motion, const bool *is_left_out, struct arena *arena,
                          double **times)
{
    const uint32_t curve_count = motion_curve_count(motion);
    size_t total = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        const struct scene_curve *const curve = source_curve(motion, i);
        total += curve != NULL ? curve->key_count : 0;
    }
    *times = ARENA_NEW(arena, double, total);
    size_t filled = 0;
    for (uint32_t i = 0; i < curve_count; i++) {
        const struct scene_curve *const curve = source_curve(motion, i);
        if (curve == NULL || (is_left_out != NULL && is_left_out[i])) {
            continue;
        }
        for (uint32_t key = 0; key < curve->key_count; key++) {
            const bool is_added = curve->is_added != NULL && curve->is_added[key];
            if (!is_added && curve->times[key] >= 0.0) {
                (*times)[filled++] = curve->times[key];
            }
        }
    }
    if (filled > 0) {
        qsort(*times, filled, sizeof(double), compare_times);
    }
    uint32_t count = 0;
    for (size_t i = 0; i < filled; i++) {
        if (count == 0 || (*times)[i] > (*times)[count - 1]) {
            (*times)[count++] = (*times)[i];
        }
    }
    return count;
}

bool curve_has_initial(const struct scene_curve *curve)
{
    return curve->times[0] < 0.0;
}

bool curve_is_stepped(const struct scene_curve *curve)
{
    for (uint32_t key = 0; key + 1 < curve->key_count; key++) {
        if (curve->interpolations[key] != SCENE_STEP) {
            return false;
        }
    }
    return curve->key_count > 1;
}

static bool values_equal(const double *a, const double *b, uint32_t stride, enum scene_path path)
{
    bool is_same = true;
    bool is_opposite = path == SCENE_ROTATION; // q and -q are one rotation
    for (uint32_t i = 0; i < stride; i++) {
        is_same = is_same && a[i] == b[i];
        is_opposite = is_opposite && a[i] == -b[i];
    }
    return is_same || is_opposite;
}

bool curve_is_constant(const struct scene_curve *curve, enum scene_path path)
{
    const uint32_t stride = curve->stride;
    for (uint32_t key = 1; key < curve->key_count; key++) {
        if (!values_equal(curve->values, curve->values + key * stride, stride, path)) {
            return false;
        }
        const uint8_t interpolation = curve->interpolations[key - 1];
        if (interpolation == SCENE_CUBIC || interpolation == SCENE_BEZIER) {
            // Opposite quaternions are no constant for these, which do not flip.
            for (uint32_t i = 0; i < stride; i++) {
                const double still = interpolation == SCENE_CUBIC ? 0.0 : curve->values[i];
                if (curve->values[i] != curve->values[key * stride + i] ||
                    curve->out_tangents[(key - 1) * stride + i] != still ||
                    curve->in_tangents[key * stride + i] != still) {
                    return false;
                }
            }
        }
    }
    return true;
}
