// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "keyed.h"

#include "easing.h"
#include "slerp.h"

struct trp__keyed trp__keyed_of(const uint8_t *bytes)
{
    if (!bytes) {
        return (struct trp__keyed){0};
    }
    const struct trp__keyed_header *const header = (const void *)bytes;
    const struct trp__key_group *const groups = (const void *)(header + 1);
    return (struct trp__keyed){
        .bytes = bytes,
        .group_count = header->group_count,
        .track_count = header->track_count,
        .component_count = header->component_count,
        .groups = groups,
        .tracks = (const void *)(groups + header->group_count),
    };
}

trp_interpolation trp__key_interpolation(const struct trp__keyed *keyed,
                                         const struct trp__key_group *group, uint32_t key)
{
    const uint32_t mode =
        group->modes ? keyed->bytes[group->modes + key] : (uint32_t)group->interpolation;
    return (trp_interpolation)mode;
}

// -- Spans

/// Returns the time curve after a key.
static struct trp__key_curve curve_after(const struct trp__keyed *keyed,
                                         const struct trp__key_group *group, uint32_t key)
{
    const struct trp__key_curve *const curves = (const void *)(keyed->bytes + group->curves);
    return curves[key];
}

static void set_linear(struct trp__key_span *span, double part)
{
    const float u = (float)part;
    span->form = TRP__SPAN_LINEAR;
    span->u = u;
    span->bend = ((u * (u - 0.5f)) * (u - 1.0f)) * (2.0f / 3.0f);
}

static void set_cubic(struct trp__key_span *span, const struct trp__key_place *place)
{
    const float u = (float)place->u;
    const float d = (float)place->interval;
    const float u2 = u * u;
    const float u3 = u2 * u;
    span->form = TRP__SPAN_SUM;
    span->weight[0] = (2.0f * u3 - 3.0f * u2) + 1.0f;
    span->weight[1] = ((u3 - 2.0f * u2) + u) * d;
    span->weight[2] = 3.0f * u2 - 2.0f * u3;
    span->weight[3] = (u3 - u2) * d;
}

static void set_bezier(struct trp__key_span *span, const struct trp__key_curve *curve,
                       const struct trp__key_place *place)
{
    const double s = trp__bezier_parameter(curve->x, place->u);
    const double r = 1 - s;
    span->form = TRP__SPAN_SUM;
    span->weight[0] = (float)(r * r * r);
    span->weight[1] = (float)(3 * r * r * s);
    span->weight[2] = (float)(s * s * s);
    span->weight[3] = (float)(3 * r * s * s);
}

/// Says how a span moves after its first key, at `place` between two of them.
static void set_form(struct trp__key_span *span, const struct trp__keyed *keyed,
                     const struct trp__key_group *group, const struct trp__key_place *place,
                     trp_interpolation interpolation)
{
    struct trp__key_curve curve;
    switch (interpolation) {
    case TRP_INTERPOLATION_STEP:
        break;
    case TRP_INTERPOLATION_LINEAR:
    case TRP_INTERPOLATION_SLERP:
        set_linear(span, place->u);
        break;
    case TRP_INTERPOLATION_CUBIC:
        set_cubic(span, place);
        break;
    case TRP_INTERPOLATION_BEZIER:
        curve = curve_after(keyed, group, place->key);
        set_bezier(span, &curve, place);
        break;
    case TRP_INTERPOLATION_EASING:
        curve = curve_after(keyed, group, place->key);
        set_linear(span, trp__ease(curve.easing, place->u));
        break;
    case TRP_INTERPOLATION_SAMPLED:
        curve = curve_after(keyed, group, place->key);
        set_linear(span, trp__sampled_curve((const void *)(keyed->bytes + curve.table), curve.count,
                                            place->u));
        break;
    }
}

/// Turns the rotations of a span at constant speed, instead of the kernel.
static void slerp_rotations(struct trp__key_span *span, double u)
{
    for (uint32_t i = 0; i < span->rotation_count; i++) {
        float q0[4];
        float q1[4];
        float q[4];
        for (size_t j = 0; j < 4; j++) {
            q0[j] = span->value0[j * span->rotation_stride + i];
            q1[j] = span->value1[j * span->rotation_stride + i];
        }
        trp__slerp(q0, q1, u, q);
        for (size_t j = 0; j < 4; j++) {
            span->rotations[j * span->out_stride + i] = q[j];
        }
    }
    span->rotation_count = 0;
}

// -- Batches

void trp__key_batch_finish(struct trp__key_batch *batch)
{
    batch->kernels->keyed(batch->spans, batch->span_count);
    batch->span_count = 0;
}

void trp__key_batch_add(struct trp__key_batch *batch, const struct trp__keyed *keyed,
                        const struct trp__key_group *group, const struct trp__key_range *range,
                        const struct trp__key_place *place, float *rotations,
                        uint32_t rotation_stride, float *scalars)
{
    if (batch->span_count == TRP__KEY_BATCH_SPANS) {
        trp__key_batch_finish(batch);
    }
    const size_t component_count = 4 * (size_t)group->rotation_count + group->scalar_count;
    const float *const values = (const void *)(keyed->bytes + group->values);
    const float *const key = values + place->key * group->planes * component_count;
    const size_t value_plane = group->planes / 2; // of one, or the middle one of three
    const float *const value = key + value_plane * component_count + range->first_rotation;

    struct trp__key_span *const span = &batch->spans[batch->span_count++];
    span->value0 = value;
    span->value1 = value;
    span->u = 0;
    span->bend = 0;
    span->form = TRP__SPAN_COPY;
    span->rotation_count = range->rotation_count;
    span->rotation_stride = group->rotation_count;
    span->scalar_offset = 4 * group->rotation_count - range->first_rotation + range->first_scalar;
    span->scalar_count = range->scalar_count;
    span->out_stride = rotation_stride;
    span->rotations = rotations;
    span->scalars = scalars;
    if (!(place->u > 0)) { // the key's own value
        return;
    }
    const trp_interpolation interpolation = trp__key_interpolation(keyed, group, place->key);
    if (interpolation == TRP_INTERPOLATION_STEP) {
        return;
    }
    span->value1 = value + group->planes * component_count;
    if (group->planes == 3) {
        span->leaving0 = value + component_count;
        span->arriving1 = span->value1 - component_count;
    }
    set_form(span, keyed, group, place, interpolation);
    if (interpolation == TRP_INTERPOLATION_SLERP) {
        slerp_rotations(span, place->u);
    }
}

// -- All of it

void trp__keyed_evaluate(const struct trp__keyed *keyed, const struct trp__kernels *kernels,
                         double time_s, uint32_t *cursors, float *components)
{
    struct trp__key_batch batch;
    trp__key_batch_start(&batch, kernels);
    float *out = components;
    for (uint32_t i = 0; i < keyed->group_count; i++) {
        const struct trp__key_group *const group = &keyed->groups[i];
        uint32_t own_cursor = 0;
        const struct trp__key_place place =
            trp__group_find(keyed, group, time_s, cursors ? &cursors[i] : &own_cursor);
        const struct trp__key_range all = {
            .rotation_count = group->rotation_count,
            .scalar_count = group->scalar_count,
        };
        float *const scalars = out + 4 * (size_t)group->rotation_count;
        trp__key_batch_add(&batch, keyed, group, &all, &place, out, group->rotation_count, scalars);
        out = scalars + group->scalar_count;
    }
    trp__key_batch_finish(&batch);
}

void trp__keyed_write_pose(const struct trp__keyed *keyed, const float *components,
                           uint32_t block_count, trp_pose_block *pose)
{
    const float *rotations = components;
    for (uint32_t i = 0; i < keyed->group_count; i++) {
        const struct trp__key_group *const group = &keyed->groups[i];
        const size_t plane = group->rotation_count;
        const float *const scalars = rotations + 4 * plane;
        for (uint32_t j = 0; j < group->track_count; j++) {
            const struct trp__keyed_track *const track = &keyed->tracks[group->first_track + j];
            const uint32_t lane = track->target % TRP_BLOCK_LANES;
            if (track->path > TRP_PATH_SCALE || track->target / TRP_BLOCK_LANES >= block_count) {
                continue;
            }
            trp_pose_block *const block = &pose[track->target / TRP_BLOCK_LANES];
            if (track->path == TRP_PATH_ROTATION) {
                const float *const from = rotations + track->first;
                block->rotation[0][lane] = from[0];
                block->rotation[1][lane] = from[plane];
                block->rotation[2][lane] = from[2 * plane];
                block->rotation[3][lane] = from[3 * plane];
            } else {
                float(*const to)[TRP_BLOCK_LANES] =
                    track->path == TRP_PATH_TRANSLATION ? block->translation : block->scale;
                to[0][lane] = scalars[track->first];
                to[1][lane] = scalars[track->first + 1];
                to[2][lane] = scalars[track->first + 2];
            }
        }
        rotations = scalars + group->scalar_count;
    }
}
