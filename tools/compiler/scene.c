// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The scene's evaluator: curves and transforms in double precision, by the formulas of glTF 2.0
// and, for bezier curves, of STF.
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <troupe/easing.h>

#include "exact_math.h"

// Of an interval: up to here it has not begun, as in the runtime (trp__key_find), where less may be
// flushed to 0. Easings may jump there.
#define LEAST_PART 1e-37

void scene_free(struct scene *scene)
{
    arena_free(&scene->arena);
    memset(scene, 0, sizeof *scene);
}

const char *scene_clip_name(const struct scene *scene, uint32_t clip, struct arena *arena)
{
    const char *const own = scene->clips[clip].name;
    if (own[0] != '\0') {
        return own;
    }
    const int length = snprintf(NULL, 0, "%s_%u", scene->stem, clip);
    char *const name = arena_take(arena, (size_t)length + 1, 1);
    snprintf(name, (size_t)length + 1, "%s_%u", scene->stem, clip);
    return name;
}

static double quat_dot(const double a[4], const double b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/// Scales to unit length; a quaternion without a direction becomes `fallback`.
static void quat_normalise(double q[4], const double fallback[4])
{
    const double square = quat_dot(q, q);
    if (!(square > 1e-60)) {
        memcpy(q, fallback, 4 * sizeof *q);
        return;
    }
    const double length = sqrt(square);
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

void scene_slerp(const double a[4], const double b[4], double u, double out[4])
{
    const double sign = quat_dot(a, b) < 0 ? -1 : 1;
    double difference = 0;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double below = a[i] - sign * b[i];
        const double above = a[i] + sign * b[i];
        difference += below * below;
        sum += above * above;
    }
    // The half angle between them from its tangent: accurate for small angles, where acos of the
    // dot product has lost half its digits.
    const double angle = 2 * exact_atan2(sqrt(difference), sqrt(sum));
    double weight_a = 1 - u;
    double weight_b = u;
    if (angle > 1e-8) { // below, the weights are in the linear proportion to the last bit
        // The formula's divisor, sin(angle), falls out when the result is normalised.
        weight_a = exact_sin((1 - u) * angle);
        weight_b = exact_sin(u * angle);
    }
    double result[4];
    for (int i = 0; i < 4; i++) {
        result[i] = weight_a * a[i] + weight_b * sign * b[i];
    }
    quat_normalise(result, a);
    memcpy(out, result, sizeof result);
}

/// Returns the last key at or before the time; the first where none is.
static uint32_t curve_find_key(const struct scene_curve *curve, double time_s)
{
    uint32_t low = 0;
    uint32_t high = curve->key_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (curve->times[middle] <= time_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void curve_sample_cubic(const struct scene_curve *curve, uint32_t key, double u,
                               double interval_s, double *out)
{
    const uint32_t stride = curve->stride;
    const double *const value0 = curve->values + (size_t)key * stride;
    const double *const value1 = value0 + stride;
    const double *const out0 = curve->out_tangents + (size_t)key * stride;
    const double *const in1 = curve->in_tangents + (size_t)(key + 1) * stride;
    const double u2 = u * u;
    const double u3 = u2 * u;
    const double weight_value0 = 2 * u3 - 3 * u2 + 1;
    const double weight_out0 = interval_s * (u3 - 2 * u2 + u);
    const double weight_value1 = 3 * u2 - 2 * u3;
    const double weight_in1 = interval_s * (u3 - u2);
    for (uint32_t i = 0; i < stride; i++) {
        out[i] = (weight_value0 * value0[i] + weight_out0 * out0[i]) +
                 (weight_value1 * value1[i] + weight_in1 * in1[i]);
    }
}

double scene_bezier_parameter(const double handles[2], double part)
{
    const double leaving = handles[0];
    const double arriving = handles[1];
    double low = 0;
    double high = 1;
    double s = part;
    // Newton's steps, halved where they leave the bracket. No term of the time is negative, so that
    // it has all digits also where the curve starts without any speed of time.
    for (int i = 0; i < 200; i++) {
        const double r = 1 - s;
        const double time = s * (3 * r * (r * leaving + s * arriving) + s * s);
        if (time == part) {
            break;
        }
        low = time < part ? s : low;
        high = time > part ? s : high;
        const double slope =
            3 * (r * r * leaving + 2 * s * r * (arriving - leaving) + s * s * (1 - arriving));
        const double next = s - (time - part) / slope; // not finite where the slope is 0
        const double inside = next > low && next < high ? next : low + (high - low) / 2;
        if (inside == s || inside == low || inside == high) {
            break;
        }
        s = inside;
    }
    return s;
}

static void curve_sample_bezier(const struct scene_curve *curve, uint32_t key, double u,
                                double *out)
{
    const uint32_t stride = curve->stride;
    const double *const value0 = curve->values + (size_t)key * stride;
    const double *const value1 = value0 + stride;
    const double *const handle0 = curve->out_tangents + (size_t)key * stride;
    const double *const handle1 = curve->in_tangents + (size_t)(key + 1) * stride;
    const double s = scene_bezier_parameter(curve->handles[key], u);
    const double r = 1 - s;
    const double weight_value0 = r * r * r;
    const double weight_handle0 = 3 * r * r * s;
    const double weight_handle1 = 3 * r * s * s;
    const double weight_value1 = s * s * s;
    for (uint32_t i = 0; i < stride; i++) {
        out[i] = (weight_value0 * value0[i] + weight_handle0 * handle0[i]) +
                 (weight_handle1 * handle1[i] + weight_value1 * value1[i]);
    }
}

/// Returns a time curve that goes straight from sample to sample.
static double samples_at(const struct scene_samples *samples, double u)
{
    const double place = u * (samples->count - 1);
    const uint32_t index = place < samples->count - 1 ? (uint32_t)place : samples->count - 2;
    const double *const sample = &samples->values[index];
    return sample[0] + (place - index) * (sample[1] - sample[0]);
}

/// Returns the part of the way that is done after a part of the time.
static double part_done(const struct scene_curve *curve, uint32_t key, double u)
{
    switch (curve->interpolations[key]) {
    case SCENE_EASING:
        return trp_ease(curve->easings[key], u);
    case SCENE_SAMPLED:
        return samples_at(&curve->samples[key], u);
    default:
        return u;
    }
}

void scene_curve_sample(const struct scene_curve *curve, enum scene_path path, double time_s,
                        double *out)
{
    const double time = time_s == time_s ? time_s : 0;
    const uint32_t stride = curve->stride;
    const uint32_t key = curve_find_key(curve, time);
    const double *const value = curve->values + (size_t)key * stride;
    const enum scene_interpolation interpolation = curve->interpolations[key];
    const bool is_last = key + 1 == curve->key_count;
    const double interval_s = is_last ? 1 : curve->times[key + 1] - curve->times[key];
    const double u = (time - curve->times[key]) / interval_s;
    if (is_last || u <= LEAST_PART || interpolation == SCENE_STEP) {
        memcpy(out, value, stride * sizeof *out);
        return;
    }
    if (interpolation == SCENE_CUBIC || interpolation == SCENE_BEZIER) {
        if (interpolation == SCENE_CUBIC) {
            curve_sample_cubic(curve, key, u, interval_s, out);
        } else {
            curve_sample_bezier(curve, key, u, out);
        }
        if (path == SCENE_ROTATION) {
            quat_normalise(out, value);
        }
    } else if (path == SCENE_ROTATION) {
        scene_slerp(value, value + stride, u, out);
    } else {
        const double part = part_done(curve, key, u);
        for (uint32_t i = 0; i < stride; i++) {
            out[i] = value[i] + part * (value[i + stride] - value[i]);
        }
    }
}

struct scene_transform scene_node_rest(const struct scene_node *node)
{
    struct scene_transform rest;
    memcpy(rest.rotation, node->rotation, sizeof rest.rotation);
    memcpy(rest.translation, node->translation, sizeof rest.translation);
    memcpy(rest.scale, node->scale, sizeof rest.scale);
    return rest;
}

void scene_transform_matrix(const struct scene_transform *transform, double matrix[12])
{
    const double x = transform->rotation[0];
    const double y = transform->rotation[1];
    const double z = transform->rotation[2];
    const double w = transform->rotation[3];
    const double rotation[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            matrix[row * 4 + column] = rotation[row][column] * transform->scale[column];
        }
        matrix[row * 4 + 3] = transform->translation[row];
    }
}

void scene_matrix_multiply(const double a[12], const double b[12], double out[12])
{
    for (int row = 0; row < 3; row++) {
        const double *const left = a + row * 4;
        for (int column = 0; column < 4; column++) {
            const double sum =
                (left[0] * b[column] + left[1] * b[4 + column]) + left[2] * b[8 + column];
            out[row * 4 + column] = column == 3 ? sum + left[3] : sum;
        }
    }
}
