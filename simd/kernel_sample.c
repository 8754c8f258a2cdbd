// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sampling one pose: unpack two rows, move between them, turn Rodrigues parameters into
// quaternions. Compiled once per instruction set. Every line has its twin in reference_sample.c:
// the same operations in the same order give the same bits.
#include "wide.h"

typedef struct wf3 {
    wf x;
    wf y;
    wf z;
} wf3;

// The place between two rows as vectors; `u` differs between lanes where some of them hold.
typedef struct wide_place {
    const uint8_t *row0;
    const uint8_t *row1;
    wf u;
} wide_place;

TRP__INLINE wf row_field(const struct trp__channel *channel, const uint32_t *window_offset,
                         const uint8_t *row, uint32_t lane)
{
    const wi words = wi_row_words(channel, window_offset, row, lane);
    return wi_to_wf(wi_and(words, wi_load(channel->mask + lane)));
}

// The value of one channel between the rows.
TRP__INLINE wf lerp_channel(const struct trp__channel *channel, const uint32_t *window_offset,
                            wide_place place, uint32_t lane)
{
    const wf field0 = row_field(channel, window_offset, place.row0, lane);
    const wf field1 = row_field(channel, window_offset, place.row1, lane);
    const wf field = wf_add(field0, wf_mul(place.u, wf_sub(field1, field0)));
    return wf_add(wf_load(channel->base + lane), wf_mul(wf_load(channel->scale + lane), field));
}

TRP__INLINE wf lerp_component(const struct trp__block_control *block, uint32_t component,
                              wide_place place, uint32_t lane)
{
    return lerp_channel(&block->channel[component], block->window_offset[component], place, lane);
}

// The value of one component at one row.
TRP__INLINE wf row_component(const struct trp__block_control *block, uint32_t component,
                             const uint8_t *row, uint32_t lane)
{
    const struct trp__channel *const channel = &block->channel[component];
    const wf field = row_field(channel, block->window_offset[component], row, lane);
    return wf_add(wf_load(channel->base + lane), wf_mul(wf_load(channel->scale + lane), field));
}

TRP__INLINE wf3 row_rodrigues(const struct trp__block_control *block, const uint8_t *row,
                              uint32_t lane)
{
    const wf3 s = {
        .x = row_component(block, 0, row, lane),
        .y = row_component(block, 1, row, lane),
        .z = row_component(block, 2, row, lane),
    };
    return s;
}

TRP__INLINE wf wf3_dot(wf3 a, wf3 b)
{
    return wf_add(wf_add(wf_mul(a.x, b.x), wf_mul(a.y, b.y)), wf_mul(a.z, b.z));
}

// lerp of the Rodrigues parameters
TRP__INLINE wf4 lerp_rotation(const struct trp__block_control *block, wide_place place,
                              uint32_t lane)
{
    const wf one = wf_set1(1.0f);
    const wf3 s = {
        .x = lerp_component(block, 0, place, lane),
        .y = lerp_component(block, 1, place, lane),
        .z = lerp_component(block, 2, place, lane),
    };
    const wf d = wf3_dot(s, s);
    const wf inverse = wf_div(one, wf_add(one, d));
    const wf k = wf_add(inverse, inverse);
    const wf4 q = {
        .x = wf_mul(s.x, k),
        .y = wf_mul(s.y, k),
        .z = wf_mul(s.z, k),
        .w = wf_mul(wf_sub(one, d), inverse),
    };
    return q;
}

// nlerp of the two quaternions (2 s, 1 - d) / (1 + d), with weights a and b on them unscaled.
// Corrected: u bends towards the time of slerp. Flip: the second one joins the first's hemisphere.
TRP__INLINE wf4 nlerp_rotation(const struct trp__block_control *block, wide_place place,
                               uint32_t lane, int is_corrected, int flips)
{
    const wf one = wf_set1(1.0f);
    const wf u = place.u;
    const wf3 s0 = row_rodrigues(block, place.row0, lane);
    const wf3 s1 = row_rodrigues(block, place.row1, lane);
    const wf d0 = wf3_dot(s0, s0);
    const wf d1 = wf3_dot(s1, s1);
    const wf e0 = wf_add(one, d0);
    const wf e1 = wf_add(one, d1);
    const wf c0 = wf_sub(one, d0);
    const wf c1 = wf_sub(one, d1);

    wf weight0 = wf_sub(one, u);
    wf weight1 = u;
    wf dot = wf_zero();
    if (is_corrected || flips) { // cosine of half the angle between them, times e0 * e1
        dot = wf_add(wf_mul(wf_set1(4.0f), wf3_dot(s0, s1)), wf_mul(c0, c1));
    }
    if (is_corrected) {
        const wf e = wf_mul(e0, e1);
        const wf bend = wf_mul(wf_mul(wf_mul(u, wf_sub(u, wf_set1(0.5f))), wf_sub(u, one)),
                               wf_set1(2.0f / 3.0f));
        weight1 = wf_add(wf_mul(u, e), wf_mul(bend, wf_sub(e, wf_abs(dot))));
        weight0 = wf_sub(e, weight1);
    }
    wf a = wf_mul(weight0, e1);
    wf b = wf_mul(weight1, e0);
    if (flips) {
        b = wf_negate(wf_lt(dot, wf_zero()), b);
    }
    const wf a2 = wf_add(a, a);
    const wf b2 = wf_add(b, b);
    const wf x = wf_add(wf_mul(a2, s0.x), wf_mul(b2, s1.x));
    const wf y = wf_add(wf_mul(a2, s0.y), wf_mul(b2, s1.y));
    const wf z = wf_add(wf_mul(a2, s0.z), wf_mul(b2, s1.z));
    const wf w = wf_add(wf_mul(a, c0), wf_mul(b, c1));
    const wf xy = wf_add(wf_mul(x, x), wf_mul(y, y));
    const wf zw = wf_add(wf_mul(z, z), wf_mul(w, w));
    const wf norm = wf_max(wf_add(xy, zw), wf_set1(1e-30f));
    const wf r = wf_div(one, wf_sqrt(norm));
    const wf4 q = {
        .x = wf_mul(x, r),
        .y = wf_mul(y, r),
        .z = wf_mul(z, r),
        .w = wf_mul(w, r),
    };
    return q;
}

TRP__INLINE void store_times_mean(const struct trp__block_control *block, wf4 q, uint32_t lane,
                                  trp_pose_block *pose)
{
    const wf mx = wf_load(block->mean[0] + lane);
    const wf my = wf_load(block->mean[1] + lane);
    const wf mz = wf_load(block->mean[2] + lane);
    const wf mw = wf_load(block->mean[3] + lane);
    const wf x =
        wf_sub(wf_add(wf_add(wf_mul(mw, q.x), wf_mul(mx, q.w)), wf_mul(my, q.z)), wf_mul(mz, q.y));
    const wf y =
        wf_add(wf_add(wf_sub(wf_mul(mw, q.y), wf_mul(mx, q.z)), wf_mul(my, q.w)), wf_mul(mz, q.x));
    const wf z =
        wf_add(wf_sub(wf_add(wf_mul(mw, q.z), wf_mul(mx, q.y)), wf_mul(my, q.x)), wf_mul(mz, q.w));
    const wf w =
        wf_sub(wf_sub(wf_sub(wf_mul(mw, q.w), wf_mul(mx, q.x)), wf_mul(my, q.y)), wf_mul(mz, q.z));
    wf_store(pose->rotation[0] + lane, x);
    wf_store(pose->rotation[1] + lane, y);
    wf_store(pose->rotation[2] + lane, z);
    wf_store(pose->rotation[3] + lane, w);
}

// Lanes from `lane` on at `place`, with u_hold for those that hold.
TRP__INLINE wide_place place_of(const struct trp__sample_point *point, uint32_t hold, int holds,
                                uint32_t lane)
{
    wide_place place = {.row0 = point->row0, .row1 = point->row1, .u = wf_set1(point->u)};
    if (holds) {
        place.u = wf_select(wm_from_bits(hold >> lane), wf_set1(point->u_hold), place.u);
    }
    return place;
}

TRP__INLINE void sample_rotations(const struct trp__block_control *block,
                                  const struct trp__sample_point *point, trp_pose_block *pose,
                                  uint32_t rule, int flips, int holds)
{
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
        const wide_place place = place_of(point, block->hold[0], holds, lane);
        const wf4 q = rule == TRP__BLOCK_LERP
                          ? lerp_rotation(block, place, lane)
                          : nlerp_rotation(block, place, lane, rule == TRP__BLOCK_CORRECTED, flips);
        store_times_mean(block, q, lane, pose);
    }
}

// Translations (first component 3) or scales (6).
TRP__INLINE void sample_vectors(const struct trp__block_control *block, uint32_t first_component,
                                const struct trp__sample_point *point, uint32_t hold, int holds,
                                float out[3][TRP_BLOCK_LANES])
{
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
        const wide_place place = place_of(point, hold, holds, lane);
        wf_store(out[0] + lane, lerp_component(block, first_component, place, lane));
        wf_store(out[1] + lane, lerp_component(block, first_component + 1, place, lane));
        wf_store(out[2] + lane, lerp_component(block, first_component + 2, place, lane));
    }
}

TRP__INLINE void copy_lanes(const float *from, float *to)
{
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
        wf_store(to + lane, wf_load(from + lane));
    }
}

TRP__INLINE void copy_rotations(const struct trp__block_control *block, trp_pose_block *pose)
{
    copy_lanes(block->mean[0], pose->rotation[0]);
    copy_lanes(block->mean[1], pose->rotation[1]);
    copy_lanes(block->mean[2], pose->rotation[2]);
    copy_lanes(block->mean[3], pose->rotation[3]);
}

TRP__INLINE void copy_vectors(const struct trp__channel *channels, float to[3][TRP_BLOCK_LANES])
{
    copy_lanes(channels[0].base, to[0]);
    copy_lanes(channels[1].base, to[1]);
    copy_lanes(channels[2].base, to[2]);
}

// `holds` is a constant in each of the two callers, so that blocks without holds carry no trace
// of them.
TRP__INLINE void sample_block(const struct trp__block_control *block,
                              const struct trp__sample_point *point, trp_pose_block *pose,
                              int holds)
{
    switch (block->mode & (TRP__BLOCK_RULE | TRP__BLOCK_FLIP)) {
    case TRP__BLOCK_LERP:
        sample_rotations(block, point, pose, TRP__BLOCK_LERP, 0, holds);
        break;
    case TRP__BLOCK_NLERP:
        sample_rotations(block, point, pose, TRP__BLOCK_NLERP, 0, holds);
        break;
    case TRP__BLOCK_NLERP | TRP__BLOCK_FLIP:
        sample_rotations(block, point, pose, TRP__BLOCK_NLERP, 1, holds);
        break;
    case TRP__BLOCK_CORRECTED:
        sample_rotations(block, point, pose, TRP__BLOCK_CORRECTED, 0, holds);
        break;
    case TRP__BLOCK_CORRECTED | TRP__BLOCK_FLIP:
        sample_rotations(block, point, pose, TRP__BLOCK_CORRECTED, 1, holds);
        break;
    default:
        copy_rotations(block, pose);
        break;
    }
    if (block->mode & TRP__BLOCK_TRANSLATION) {
        sample_vectors(block, 3, point, block->hold[1], holds, pose->translation);
    } else {
        copy_vectors(&block->channel[3], pose->translation);
    }
    if (block->mode & TRP__BLOCK_SCALE) {
        sample_vectors(block, 6, point, block->hold[2], holds, pose->scale);
    } else {
        copy_vectors(&block->channel[6], pose->scale);
    }
}

static void sample_plain_block(const struct trp__block_control *block,
                               const struct trp__sample_point *point, trp_pose_block *pose)
{
    sample_block(block, point, pose, 0);
}

static void sample_held_block(const struct trp__block_control *block,
                              const struct trp__sample_point *point, trp_pose_block *pose)
{
    sample_block(block, point, pose, 1);
}

void TRP__KERNEL(sample)(const struct trp__block_control *blocks, uint32_t block_count,
                         const struct trp__sample_point *point, trp_pose_block *pose)
{
    for (uint32_t i = 0; i < block_count; i++) {
        if (blocks[i].mode & TRP__BLOCK_HOLD) {
            sample_held_block(&blocks[i], point, &pose[i]);
        } else {
            sample_plain_block(&blocks[i], point, &pose[i]);
        }
    }
}

void TRP__KERNEL(sample_values)(const struct trp__value_control *blocks, uint32_t block_count,
                                const struct trp__sample_point *point, float *values)
{
    for (uint32_t i = 0; i < block_count; i++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
            const wide_place place = place_of(point, blocks[i].hold, 1, lane);
            wf_store(values + TRP_BLOCK_LANES * i + lane,
                     lerp_channel(&blocks[i].channel, blocks[i].window_offset, place, lane));
        }
    }
}
