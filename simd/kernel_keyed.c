// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed values between their keys. Groups of many rotations are worked on as they lie, plane by
// plane; few ones are gathered from several lanes of the strip until they fill a vector. The last
// vector of a plane overlaps the one before it: nothing outside is read or written, and every value
// gets the bits of reference_keyed.c.
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

TRP__INLINE wf4 mix_two(wf4 q0, wf4 q1, wf u)
{
    const wf one = wf_set1(1.0f);
    const wf bend =
        wf_mul(wf_mul(wf_mul(u, wf_sub(u, wf_set1(0.5f))), wf_sub(u, one)), wf_set1(2.0f / 3.0f));
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

TRP__INLINE void splat_weights(const struct trp__key_strip *strip, uint32_t lane, wf weight[4])
{
    weight[0] = wf_set1(strip->weight[0][lane]);
    weight[1] = wf_set1(strip->weight[1][lane]);
    weight[2] = wf_set1(strip->weight[2][lane]);
    weight[3] = wf_set1(strip->weight[3][lane]);
}

// At least TRP__WIDTH rotations.
static void mix_many_rotations(const struct trp__key_strip *strip, uint32_t lane)
{
    const size_t stride = strip->rotation_stride;
    const uint32_t count = strip->rotation_count;
    const float *const value0 = strip->value0[lane];
    const float *const value1 = strip->value1[lane];
    float *const out = strip->rotations[lane];
    if (!strip->is_sum) {
        const wf u = wf_set1(strip->u[lane]);
        for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
            const wf4 q =
                mix_two(load_planes(value0 + i, stride), load_planes(value1 + i, stride), u);
            store_planes(out + i, strip->out_stride, q);
        }
        return;
    }
    wf weight[4];
    splat_weights(strip, lane, weight);
    for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
        const wf4 leaving0 = load_planes(strip->leaving0[lane] + i, stride);
        const wf4 arriving1 = load_planes(strip->arriving1[lane] + i, stride);
        const wf4 q = mix_four(load_planes(value0 + i, stride), leaving0,
                               load_planes(value1 + i, stride), arriving1, weight);
        store_planes(out + i, strip->out_stride, q);
    }
}

// -- Small groups --------------------------------------------------------------------------------

// As many rotations as a vector has lanes, each four floats that lie together.
struct rotation_batch {
    uint32_t count;
    int is_sum;
    float u[TRP__WIDTH];
    float weight[4][TRP__WIDTH];
    const float *value0[TRP__WIDTH];
    const float *value1[TRP__WIDTH];
    const float *leaving0[TRP__WIDTH];
    const float *arriving1[TRP__WIDTH];
    float *out[TRP__WIDTH];
    float copy[5][TRP__WIDTH][4]; // of those that lie apart
    float *apart[TRP__WIDTH];     // where they go
    uint32_t out_stride;
};

TRP__INLINE wf4 load_rows(const float *const *at)
{
    const wf4 rows = {
        .x = wf_from_groups(at, 0),
        .y = wf_from_groups(at + 1, 0),
        .z = wf_from_groups(at + 2, 0),
        .w = wf_from_groups(at + 3, 0),
    };
    return wf4_transpose(rows);
}

TRP__INLINE void store_rows(float *const *at, wf4 q)
{
    const wf4 rows = wf4_transpose(q);
    wf_store_groups(at, 0, rows.x);
    wf_store_groups(at + 1, 0, rows.y);
    wf_store_groups(at + 2, 0, rows.z);
    wf_store_groups(at + 3, 0, rows.w);
}

static void finish_rotations(struct rotation_batch *batch)
{
    const uint32_t count = batch->count;
    for (uint32_t i = count; i < TRP__WIDTH; i++) { // the rest repeats the first one
        batch->u[i] = batch->u[0];
        batch->value0[i] = batch->value0[0];
        batch->value1[i] = batch->value1[0];
        batch->out[i] = batch->copy[4][i];
    }
    if (batch->is_sum) {
        for (uint32_t i = count; i < TRP__WIDTH; i++) {
            batch->leaving0[i] = batch->leaving0[0];
            batch->arriving1[i] = batch->arriving1[0];
            for (uint32_t j = 0; j < 4; j++) {
                batch->weight[j][i] = batch->weight[j][0];
            }
        }
        const wf weight[4] = {wf_loadu(batch->weight[0]), wf_loadu(batch->weight[1]),
                              wf_loadu(batch->weight[2]), wf_loadu(batch->weight[3])};
        store_rows(batch->out,
                   mix_four(load_rows(batch->value0), load_rows(batch->leaving0),
                            load_rows(batch->value1), load_rows(batch->arriving1), weight));
    } else {
        store_rows(batch->out,
                   mix_two(load_rows(batch->value0), load_rows(batch->value1), wf_loadu(batch->u)));
    }
    const size_t stride = batch->out_stride;
    for (uint32_t i = 0; i < count && stride != 1; i++) {
        const float *const q = batch->copy[4][i];
        batch->apart[i][0] = q[0];
        batch->apart[i][stride] = q[1];
        batch->apart[i][2 * stride] = q[2];
        batch->apart[i][3 * stride] = q[3];
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

TRP__INLINE void add_rotation(struct rotation_batch *batch, const struct trp__key_strip *strip,
                              uint32_t lane, uint32_t rotation)
{
    const uint32_t i = batch->count;
    const size_t stride = strip->rotation_stride;
    batch->u[i] = strip->u[lane];
    batch->value0[i] = together(strip->value0[lane] + rotation, stride, batch->copy[0][i]);
    batch->value1[i] = together(strip->value1[lane] + rotation, stride, batch->copy[1][i]);
    if (strip->is_sum) {
        batch->leaving0[i] = together(strip->leaving0[lane] + rotation, stride, batch->copy[2][i]);
        batch->arriving1[i] =
            together(strip->arriving1[lane] + rotation, stride, batch->copy[3][i]);
        for (uint32_t j = 0; j < 4; j++) {
            batch->weight[j][i] = strip->weight[j][lane];
        }
    }
    float *const out = strip->rotations[lane] + rotation;
    batch->apart[i] = out;
    batch->out[i] = strip->out_stride == 1 ? out : batch->copy[4][i];
    batch->count++;
    if (batch->count == TRP__WIDTH) {
        finish_rotations(batch);
    }
}

static void mix_few_rotations(const struct trp__key_strip *strip)
{
    struct rotation_batch batch;
    batch.count = 0;
    batch.is_sum = (int)strip->is_sum;
    batch.out_stride = strip->out_stride;
    for (uint32_t lane = 0; lane < strip->lane_count; lane++) {
        for (uint32_t i = 0; i < strip->rotation_count; i++) {
            add_rotation(&batch, strip, lane, i);
        }
    }
    if (batch.count > 0) {
        finish_rotations(&batch);
    }
}

// -- Scalars -------------------------------------------------------------------------------------

TRP__INLINE void mix_scalars_linear(const float *value0, const float *value1, float u,
                                    uint32_t count, float *out)
{
    if (u == 0.0f) {
        memcpy(out, value0, count * sizeof *out);
        return;
    }
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

TRP__INLINE void mix_scalars_sum(const struct trp__key_strip *strip, uint32_t lane)
{
    const float *const value0 = strip->value0[lane] + strip->scalar_offset;
    const float *const leaving0 = strip->leaving0[lane] + strip->scalar_offset;
    const float *const value1 = strip->value1[lane] + strip->scalar_offset;
    const float *const arriving1 = strip->arriving1[lane] + strip->scalar_offset;
    const uint32_t count = strip->scalar_count;
    float *const out = strip->scalars[lane];
    if (count < TRP__WIDTH) {
        for (uint32_t i = 0; i < count; i++) {
            out[i] = ((strip->weight[0][lane] * value0[i] + strip->weight[1][lane] * leaving0[i]) +
                      strip->weight[2][lane] * value1[i]) +
                     strip->weight[3][lane] * arriving1[i];
        }
        return;
    }
    wf weight[4];
    splat_weights(strip, lane, weight);
    for (uint32_t i = 0; i < count; i = next_vector(i, count)) {
        wf_storeu(out + i, sum_four(weight, wf_loadu(value0 + i), wf_loadu(leaving0 + i),
                                    wf_loadu(value1 + i), wf_loadu(arriving1 + i)));
    }
}

void TRP__KERNEL(keyed)(const struct trp__key_strip *strip)
{
    if (strip->rotation_count >= TRP__WIDTH) {
        for (uint32_t lane = 0; lane < strip->lane_count; lane++) {
            mix_many_rotations(strip, lane);
        }
    } else if (strip->rotation_count > 0) {
        mix_few_rotations(strip);
    }
    for (uint32_t lane = 0; lane < strip->lane_count && strip->scalar_count > 0; lane++) {
        if (strip->is_sum) {
            mix_scalars_sum(strip, lane);
        } else {
            mix_scalars_linear(strip->value0[lane] + strip->scalar_offset,
                               strip->value1[lane] + strip->scalar_offset, strip->u[lane],
                               strip->scalar_count, strip->scalars[lane]);
        }
    }
}
