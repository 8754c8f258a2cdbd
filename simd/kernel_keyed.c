// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed values between their keys. Groups of many rotations are worked on as they lie, plane by
// plane; the rotations of small ones are gathered from several spans until they fill a vector. The
// last vector of a plane overlaps the one before it: nothing outside is read or written, and every
// lane gets the bits of reference_keyed.c.
#include <float.h>

#include "wide.h"

// -- Rotations in lanes --------------------------------------------------------------------------

TRP__INLINE wf4 normalised(wf4 q)
{
    const wf xy = wf_add(wf_mul(q.x, q.x), wf_mul(q.y, q.y));
    const wf zw = wf_add(wf_mul(q.z, q.z), wf_mul(q.w, q.w));
    const wf norm = wf_add(xy, zw);
    const wf one = wf_set1(1.0f);
    const wf r = wf_div(one, wf_sqrt(wf_max(norm, wf_set1(1e-30f))));
    const wm has_direction = wm_and(wf_gt(norm, wf_set1(1e-30f)), wf_le(norm, wf_set1(FLT_MAX)));
    wf4 unit = {
        .x = wf_mul(q.x, r),
        .y = wf_mul(q.y, r),
        .z = wf_mul(q.z, r),
        .w = wf_mul(q.w, r),
    };
    if (!wm_all(has_direction)) {
        unit.x = wf_select(has_direction, unit.x, wf_zero());
        unit.y = wf_select(has_direction, unit.y, wf_zero());
        unit.z = wf_select(has_direction, unit.z, wf_zero());
        unit.w = wf_select(has_direction, unit.w, one);
    }
    return unit;
}

TRP__INLINE wf4 mix_two(wf4 q0, wf4 q1, wf u, wf bend)
{
    const wf one = wf_set1(1.0f);
    const wf xy = wf_add(wf_mul(q0.x, q1.x), wf_mul(q0.y, q1.y));
    const wf dot = wf_add(wf_add(xy, wf_mul(q0.z, q1.z)), wf_mul(q0.w, q1.w));
    const wf v = wf_add(u, wf_mul(bend, wf_sub(one, wf_abs(dot))));
    const wf weight0 = wf_sub(one, v);
    const wf weight1 = wf_negate(wf_lt(dot, wf_zero()), v);
    const wf4 q = {
        .x = wf_add(wf_mul(weight0, q0.x), wf_mul(weight1, q1.x)),
        .y = wf_add(wf_mul(weight0, q0.y), wf_mul(weight1, q1.y)),
        .z = wf_add(wf_mul(weight0, q0.z), wf_mul(weight1, q1.z)),
        .w = wf_add(wf_mul(weight0, q0.w), wf_mul(weight1, q1.w)),
    };
    return normalised(q);
}

TRP__INLINE wf sum_four(const wf weight[4], wf value0, wf leaving0, wf value1, wf arriving1)
{
    const wf first = wf_add(wf_mul(weight[0], value0), wf_mul(weight[1], leaving0));
    return wf_add(wf_add(first, wf_mul(weight[2], value1)), wf_mul(weight[3], arriving1));
}

TRP__INLINE wf4 mix_four(wf4 value0, wf4 leaving0, wf4 value1, wf4 arriving1, const wf weight[4])
{
    const wf4 q = {
        .x = sum_four(weight, value0.x, leaving0.x, value1.x, arriving1.x),
        .y = sum_four(weight, value0.y, leaving0.y, value1.y, arriving1.y),
        .z = sum_four(weight, value0.z, leaving0.z, value1.z, arriving1.z),
        .w = sum_four(weight, value0.w, leaving0.w, value1.w, arriving1.w),
    };
    return normalised(q);
}

// -- Large groups --------------------------------------------------------------------------------

TRP__INLINE wf4 load_planes(const float *at, size_t stride)
{
    const wf4 q = {
        .x = wf_loadu(at),
        .y = wf_loadu(at + stride),
        .z = wf_loadu(at + 2 * stride),
        .w = wf_loadu(at + 3 * stride),
    };
    return q;
}

TRP__INLINE void store_planes(float *at, size_t stride, wf4 q)
{
    wf_storeu(at, q.x);
    wf_storeu(at + stride, q.y);
    wf_storeu(at + 2 * stride, q.z);
    wf_storeu(at + 3 * stride, q.w);
}

// Where the vector after the one at `at` starts: its last one ends with the plane.
TRP__INLINE uint32_t next_vector(uint32_t at, uint32_t count)
{
    const uint32_t next = at + TRP__WIDTH;
    return next < count && next + TRP__WIDTH > count ? count - TRP__WIDTH : next;
}

TRP__INLINE void splat_weights(const struct trp__key_span *span, wf weight[4])
{
    weight[0] = wf_set1(span->weight[0]);
    weight[1] = wf_set1(span->weight[1]);
    weight[2] = wf_set1(span->weight[2]);
    weight[3] = wf_set1(span->weight[3]);
}

// At least TRP__WIDTH rotations.
static void mix_many_rotations(const struct trp__key_span *span)
{
    const size_t stride = span->rotation_stride;
    const uint32_t count = span->rotation_count;
    if (span->form == TRP__SPAN_SUM) {
        wf weight[4];
        splat_weights(span, weight);
        for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
            const wf4 q = mix_four(load_planes(span->value0 + i, stride),
                                   load_planes(span->leaving0 + i, stride),
                                   load_planes(span->value1 + i, stride),
                                   load_planes(span->arriving1 + i, stride), weight);
            store_planes(span->rotations + i, span->out_stride, q);
        }
        return;
    }
    const wf u = wf_set1(span->u);
    const wf bend = wf_set1(span->bend);
    for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
        const wf4 q = mix_two(load_planes(span->value0 + i, stride),
                              load_planes(span->value1 + i, stride), u, bend);
        store_planes(span->rotations + i, span->out_stride, q);
    }
}

// -- Small groups --------------------------------------------------------------------------------

// Rotations of several spans, all of one form (COPY counts as LINEAR), a lane each.
struct lane_batch {
    float u[TRP__WIDTH];
    float bend[TRP__WIDTH];
    float weight[4][TRP__WIDTH];
    float copy[4][TRP__WIDTH][4]; // of those that do not lie together
    const float *value0[TRP__WIDTH];
    const float *leaving0[TRP__WIDTH];
    const float *value1[TRP__WIDTH];
    const float *arriving1[TRP__WIDTH];
    float *out[TRP__WIDTH];
    uint32_t out_stride[TRP__WIDTH];
    uint32_t count;
    int is_sum;
};

TRP__INLINE wf4 load_lanes(const float *const *at)
{
    const wf4 rows = {
        .x = wf_from_groups(at, 0),
        .y = wf_from_groups(at + 1, 0),
        .z = wf_from_groups(at + 2, 0),
        .w = wf_from_groups(at + 3, 0),
    };
    return wf4_transpose(rows);
}

TRP__INLINE void store_lanes(struct lane_batch *batch, wf4 q)
{
    float rotations[TRP__WIDTH][4];
    float *at[TRP__WIDTH];
    for (uint32_t i = 0; i < TRP__WIDTH; i++) {
        const int is_together = i < batch->count && batch->out_stride[i] == 1;
        at[i] = is_together ? batch->out[i] : rotations[i];
    }
    const wf4 rows = wf4_transpose(q);
    wf_store_groups(at, 0, rows.x);
    wf_store_groups(at + 1, 0, rows.y);
    wf_store_groups(at + 2, 0, rows.z);
    wf_store_groups(at + 3, 0, rows.w);
    for (uint32_t i = 0; i < batch->count; i++) {
        const size_t stride = batch->out_stride[i];
        if (stride != 1) {
            batch->out[i][0] = rotations[i][0];
            batch->out[i][stride] = rotations[i][1];
            batch->out[i][2 * stride] = rotations[i][2];
            batch->out[i][3 * stride] = rotations[i][3];
        }
    }
}

static void finish_lanes(struct lane_batch *batch)
{
    if (batch->count == 0) {
        return;
    }
    for (uint32_t i = batch->count; i < TRP__WIDTH; i++) { // the rest repeats the first lane
        batch->u[i] = batch->u[0];
        batch->bend[i] = batch->bend[0];
        batch->value0[i] = batch->value0[0];
        batch->value1[i] = batch->value1[0];
        if (batch->is_sum) {
            batch->leaving0[i] = batch->leaving0[0];
            batch->arriving1[i] = batch->arriving1[0];
            for (uint32_t j = 0; j < 4; j++) {
                batch->weight[j][i] = batch->weight[j][0];
            }
        }
    }
    if (batch->is_sum) {
        const wf weight[4] = {wf_loadu(batch->weight[0]), wf_loadu(batch->weight[1]),
                              wf_loadu(batch->weight[2]), wf_loadu(batch->weight[3])};
        store_lanes(batch,
                    mix_four(load_lanes(batch->value0), load_lanes(batch->leaving0),
                             load_lanes(batch->value1), load_lanes(batch->arriving1), weight));
    } else {
        store_lanes(batch, mix_two(load_lanes(batch->value0), load_lanes(batch->value1),
                                   wf_loadu(batch->u), wf_loadu(batch->bend)));
    }
    batch->count = 0;
}

// Returns four components that lie together.
TRP__INLINE const float *together(const float *at, size_t stride, float copy[4])
{
    if (stride == 1) {
        return at;
    }
    wq_storeu(copy, simde_mm_setr_ps(at[0], at[stride], at[2 * stride], at[3 * stride]));
    return copy;
}

static void add_lane(struct lane_batch *batch, const struct trp__key_span *span, uint32_t rotation)
{
    const uint32_t lane = batch->count;
    const size_t stride = span->rotation_stride;
    batch->value0[lane] = together(span->value0 + rotation, stride, batch->copy[0][lane]);
    batch->value1[lane] = together(span->value1 + rotation, stride, batch->copy[1][lane]);
    if (batch->is_sum) {
        batch->leaving0[lane] = together(span->leaving0 + rotation, stride, batch->copy[2][lane]);
        batch->arriving1[lane] = together(span->arriving1 + rotation, stride, batch->copy[3][lane]);
        for (uint32_t i = 0; i < 4; i++) {
            batch->weight[i][lane] = span->weight[i];
        }
    }
    batch->u[lane] = span->u;
    batch->bend[lane] = span->bend;
    batch->out[lane] = span->rotations + rotation;
    batch->out_stride[lane] = span->out_stride;
    batch->count++;
    if (batch->count == TRP__WIDTH) {
        finish_lanes(batch);
    }
}

static void add_rotations(struct lane_batch *batch, const struct trp__key_span *span)
{
    const int is_sum = span->form == TRP__SPAN_SUM;
    if (batch->is_sum != is_sum) {
        finish_lanes(batch);
        batch->is_sum = is_sum;
    }
    for (uint32_t i = 0; i < span->rotation_count; i++) {
        add_lane(batch, span, i);
    }
}

// -- Scalars -------------------------------------------------------------------------------------

static void mix_scalars_linear(const float *value0, const float *value1, float u, uint32_t count,
                               float *out)
{
    if (count < TRP__WIDTH) {
        for (uint32_t i = 0; i < count; i++) {
            out[i] = value0[i] + u * (value1[i] - value0[i]);
        }
        return;
    }
    const wf wide_u = wf_set1(u);
    for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
        const wf from = wf_loadu(value0 + i);
        wf_storeu(out + i, wf_add(from, wf_mul(wide_u, wf_sub(wf_loadu(value1 + i), from))));
    }
}

static void mix_scalars_sum(const struct trp__key_span *span)
{
    const float *const value0 = span->value0 + span->scalar_offset;
    const float *const leaving0 = span->leaving0 + span->scalar_offset;
    const float *const value1 = span->value1 + span->scalar_offset;
    const float *const arriving1 = span->arriving1 + span->scalar_offset;
    const float *const weight = span->weight;
    const uint32_t count = span->scalar_count;
    if (count < TRP__WIDTH) {
        for (uint32_t i = 0; i < count; i++) {
            span->scalars[i] =
                ((weight[0] * value0[i] + weight[1] * leaving0[i]) + weight[2] * value1[i]) +
                weight[3] * arriving1[i];
        }
        return;
    }
    wf wide_weight[4];
    splat_weights(span, wide_weight);
    for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
        wf_storeu(span->scalars + i,
                  sum_four(wide_weight, wf_loadu(value0 + i), wf_loadu(leaving0 + i),
                           wf_loadu(value1 + i), wf_loadu(arriving1 + i)));
    }
}

TRP__INLINE void mix_scalars(const struct trp__key_span *span)
{
    const float *const value0 = span->value0 + span->scalar_offset;
    switch (span->form) {
    case TRP__SPAN_LINEAR:
        mix_scalars_linear(value0, span->value1 + span->scalar_offset, span->u, span->scalar_count,
                           span->scalars);
        break;
    case TRP__SPAN_SUM:
        mix_scalars_sum(span);
        break;
    default:
        memcpy(span->scalars, value0, span->scalar_count * sizeof *value0);
        break;
    }
}

void TRP__KERNEL(keyed)(const struct trp__key_span *spans, uint32_t span_count)
{
    struct lane_batch batch;
    batch.count = 0;
    batch.is_sum = 0;
    for (uint32_t i = 0; i < span_count; i++) {
        const struct trp__key_span *const span = &spans[i];
        if (span->rotation_count >= TRP__WIDTH) {
            mix_many_rotations(span);
        } else {
            add_rotations(&batch, span);
        }
        if (span->scalar_count > 0) {
            mix_scalars(span);
        }
    }
    finish_lanes(&batch);
}
