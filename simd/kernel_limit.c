// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Limits of rotations, lane = joint. Every value comes from the operations of reference_limit.c in
// its order.
#include "limit.h"
#include "wide.h"

TRP__INLINE wf4 load_rotation(const trp_pose_block *block, uint32_t lane)
{
    const wf4 rotation = {
        .x = wf_load(&block->rotation[0][lane]),
        .y = wf_load(&block->rotation[1][lane]),
        .z = wf_load(&block->rotation[2][lane]),
        .w = wf_load(&block->rotation[3][lane]),
    };
    return rotation;
}

TRP__INLINE void store_rotation(trp_pose_block *block, uint32_t lane, wf4 rotation)
{
    wf_store(&block->rotation[0][lane], rotation.x);
    wf_store(&block->rotation[1][lane], rotation.y);
    wf_store(&block->rotation[2][lane], rotation.z);
    wf_store(&block->rotation[3][lane], rotation.w);
}

/// Returns m * d, the Hamilton product.
TRP__INLINE wf4 multiply(wf4 m, wf4 d)
{
    const wf4 product = {
        .x = wf_sub(wf_add(wf_add(wf_mul(m.w, d.x), wf_mul(m.x, d.w)), wf_mul(m.y, d.z)),
                    wf_mul(m.z, d.y)),
        .y = wf_add(wf_add(wf_sub(wf_mul(m.w, d.y), wf_mul(m.x, d.z)), wf_mul(m.y, d.w)),
                    wf_mul(m.z, d.x)),
        .z = wf_add(wf_sub(wf_add(wf_mul(m.w, d.z), wf_mul(m.x, d.y)), wf_mul(m.y, d.x)),
                    wf_mul(m.z, d.w)),
        .w = wf_sub(wf_sub(wf_sub(wf_mul(m.w, d.w), wf_mul(m.x, d.x)), wf_mul(m.y, d.y)),
                    wf_mul(m.z, d.z)),
    };
    return product;
}

/// Returns conj(m) * q.
TRP__INLINE wf4 difference(wf4 m, wf4 q)
{
    const wf4 product = {
        .x = wf_add(wf_sub(wf_sub(wf_mul(m.w, q.x), wf_mul(m.x, q.w)), wf_mul(m.y, q.z)),
                    wf_mul(m.z, q.y)),
        .y = wf_sub(wf_sub(wf_add(wf_mul(m.w, q.y), wf_mul(m.x, q.z)), wf_mul(m.y, q.w)),
                    wf_mul(m.z, q.x)),
        .z = wf_sub(wf_add(wf_sub(wf_mul(m.w, q.z), wf_mul(m.x, q.y)), wf_mul(m.y, q.x)),
                    wf_mul(m.z, q.w)),
        .w = wf_add(wf_add(wf_add(wf_mul(m.w, q.w), wf_mul(m.x, q.x)), wf_mul(m.y, q.y)),
                    wf_mul(m.z, q.z)),
    };
    return product;
}

TRP__INLINE wm is_outside(wf value, wf low, wf high)
{
    return wm_or(wf_lt(value, low), wf_gt(value, high));
}

TRP__INLINE wf held(wf value, wf low, wf high)
{
    const wf inside = wf_min(wf_max(value, low), high);
    return wf_min(wf_max(inside, wf_set1(-TRP__MAX_TANGENT)), wf_set1(TRP__MAX_TANGENT));
}

/// Holds TRP__WIDTH lanes.
TRP__INLINE void limit_lanes(const float *limits, const trp_pose_block *rest, uint32_t lane,
                             trp_pose_block *pose)
{
    const wf4 m = load_rotation(rest, lane);
    const wf4 q = load_rotation(pose, lane);
    const wf low_x = wf_load(limits + lane);
    const wf high_x = wf_load(limits + TRP_BLOCK_LANES + lane);
    const wf low_z = wf_load(limits + 2 * TRP_BLOCK_LANES + lane);
    const wf high_z = wf_load(limits + 3 * TRP_BLOCK_LANES + lane);
    const wf low_y = wf_load(limits + 4 * TRP_BLOCK_LANES + lane);
    const wf high_y = wf_load(limits + 5 * TRP_BLOCK_LANES + lane);
    const wf one = wf_set1(1.0f);

    const wf4 d = difference(m, q);
    const wf side = wf_select(wf_lt(d.w, wf_zero()), wf_set1(-1.0f), one);
    const wf x = wf_mul(d.x, side);
    const wf y = wf_mul(d.y, side);
    const wf z = wf_mul(d.z, side);
    const wf w = wf_mul(d.w, side);

    const wf floor_squared = wf_set1(TRP__LENGTH_FLOOR_SQUARED);
    const wf squared = wf_add(wf_mul(y, y), wf_mul(w, w));
    const wm is_twisted = wf_gt(squared, floor_squared);
    const wf length = wf_sqrt(wf_max(squared, floor_squared));
    const wf twist_y = wf_select(is_twisted, wf_div(y, length), wf_zero());
    const wf twist_w = wf_select(is_twisted, wf_div(w, length), one);
    const wf tangent = wf_div(y, wf_max(w, wf_set1(TRP__LENGTH_FLOOR)));
    const wf twist = wf_select(is_twisted, tangent, wf_zero());
    const wf swing_x = wf_div(wf_add(wf_mul(x, twist_w), wf_mul(z, twist_y)), length);
    const wf swing_z = wf_div(wf_sub(wf_mul(z, twist_w), wf_mul(x, twist_y)), length);
    const wm is_changed =
        wm_or(wm_or(is_outside(swing_x, low_x, high_x), is_outside(swing_z, low_z, high_z)),
              is_outside(twist, low_y, high_y));
    if (!wm_any(is_changed)) {
        return;
    }

    const wf a = held(swing_x, low_x, high_x);
    const wf b = held(swing_z, low_z, high_z);
    const wf t = held(twist, low_y, high_y);
    const wf hx = wf_sub(a, wf_mul(b, t));
    const wf hz = wf_add(b, wf_mul(a, t));
    const wf norm =
        wf_sqrt(wf_add(wf_add(wf_mul(hx, hx), wf_mul(t, t)), wf_add(wf_mul(hz, hz), one)));
    const wf scale = wf_div(side, norm);
    const wf4 turn = {
        .x = wf_mul(hx, scale),
        .y = wf_mul(t, scale),
        .z = wf_mul(hz, scale),
        .w = scale,
    };
    const wf4 turned = multiply(m, turn);
    const wf4 result = {
        .x = wf_select(is_changed, turned.x, q.x),
        .y = wf_select(is_changed, turned.y, q.y),
        .z = wf_select(is_changed, turned.z, q.z),
        .w = wf_select(is_changed, turned.w, q.w),
    };
    store_rotation(pose, lane, result);
}

void TRP__KERNEL(limit)(const float *limits, const trp_pose_block *rest, uint32_t block_count,
                        trp_pose_block *pose)
{
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
            limit_lanes(limits + (size_t)block * 6 * TRP_BLOCK_LANES, &rest[block], lane,
                        &pose[block]);
        }
    }
}
