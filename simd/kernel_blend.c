// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blending, lane = joint. Every value comes from the operations of reference_blend.c in its order.
#include "blend_weight.h"
#include "wide.h"

typedef struct wide_transform {
    wf4 rotation;
    wf translation_x;
    wf translation_y;
    wf translation_z;
    wf scale_x;
    wf scale_y;
    wf scale_z;
} wide_transform;

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

TRP__INLINE wide_transform load_transform(const trp_pose_block *block, uint32_t lane)
{
    const wide_transform transform = {
        .rotation = load_rotation(block, lane),
        .translation_x = wf_load(&block->translation[0][lane]),
        .translation_y = wf_load(&block->translation[1][lane]),
        .translation_z = wf_load(&block->translation[2][lane]),
        .scale_x = wf_load(&block->scale[0][lane]),
        .scale_y = wf_load(&block->scale[1][lane]),
        .scale_z = wf_load(&block->scale[2][lane]),
    };
    return transform;
}

TRP__INLINE void store_transform(trp_pose_block *block, uint32_t lane, wide_transform transform)
{
    wf_store(&block->rotation[0][lane], transform.rotation.x);
    wf_store(&block->rotation[1][lane], transform.rotation.y);
    wf_store(&block->rotation[2][lane], transform.rotation.z);
    wf_store(&block->rotation[3][lane], transform.rotation.w);
    wf_store(&block->translation[0][lane], transform.translation_x);
    wf_store(&block->translation[1][lane], transform.translation_y);
    wf_store(&block->translation[2][lane], transform.translation_z);
    wf_store(&block->scale[0][lane], transform.scale_x);
    wf_store(&block->scale[1][lane], transform.scale_y);
    wf_store(&block->scale[2][lane], transform.scale_z);
}

TRP__INLINE wf dot4(wf4 a, wf4 b)
{
    return wf_add(wf_add(wf_mul(a.x, b.x), wf_mul(a.y, b.y)),
                  wf_add(wf_mul(a.z, b.z), wf_mul(a.w, b.w)));
}

TRP__INLINE wf4 scale4(wf4 a, wf factor)
{
    const wf4 scaled = {
        .x = wf_mul(a.x, factor),
        .y = wf_mul(a.y, factor),
        .z = wf_mul(a.z, factor),
        .w = wf_mul(a.w, factor),
    };
    return scaled;
}

TRP__INLINE wf4 select4(wm mask, wf4 a, wf4 b)
{
    const wf4 selected = {
        .x = wf_select(mask, a.x, b.x),
        .y = wf_select(mask, a.y, b.y),
        .z = wf_select(mask, a.z, b.z),
        .w = wf_select(mask, a.w, b.w),
    };
    return selected;
}

TRP__INLINE wf4 add4(wf4 a, wf4 b)
{
    const wf4 sum = {
        .x = wf_add(a.x, b.x),
        .y = wf_add(a.y, b.y),
        .z = wf_add(a.z, b.z),
        .w = wf_add(a.w, b.w),
    };
    return sum;
}

/// Returns -a where `sign` < 0, else a.
TRP__INLINE wf negate_where_negative(wf a, wf sign)
{
    return wf_negate(wf_lt(sign, wf_zero()), a);
}

TRP__INLINE wf inverse_norm(wf squared)
{
    const wf floored = wf_max(squared, wf_set1(TRP__NORM_FLOOR));
    return wf_div(wf_set1(1.0f), wf_sqrt(floored));
}

TRP__INLINE wf lane_weight(const trp_blend_layer *layer, uint32_t block, uint32_t lane)
{
    const wf weight = wf_set1(trp__clean_weight(layer->weight));
    if (!layer->mask) {
        return weight;
    }
    const wf mask = wf_loadu(layer->mask + (size_t)TRP_BLOCK_LANES * block + lane);
    const wf positive = wf_max(wf_mul(weight, mask), wf_zero());
    return wf_min(positive, wf_set1(TRP__MAX_WEIGHT));
}

/// Returns `share` of a transform, the rotation times `turned`: plus or minus `share`.
TRP__INLINE wide_transform share_of(wide_transform layer, wf share, wf turned)
{
    const wide_transform part = {
        .rotation = scale4(layer.rotation, turned),
        .translation_x = wf_mul(share, layer.translation_x),
        .translation_y = wf_mul(share, layer.translation_y),
        .translation_z = wf_mul(share, layer.translation_z),
        .scale_x = wf_mul(share, layer.scale_x),
        .scale_y = wf_mul(share, layer.scale_y),
        .scale_z = wf_mul(share, layer.scale_z),
    };
    return part;
}

TRP__INLINE wide_transform add_shares(wide_transform a, wide_transform b)
{
    const wide_transform sum = {
        .rotation = add4(a.rotation, b.rotation),
        .translation_x = wf_add(a.translation_x, b.translation_x),
        .translation_y = wf_add(a.translation_y, b.translation_y),
        .translation_z = wf_add(a.translation_z, b.translation_z),
        .scale_x = wf_add(a.scale_x, b.scale_x),
        .scale_y = wf_add(a.scale_y, b.scale_y),
        .scale_z = wf_add(a.scale_z, b.scale_z),
    };
    return sum;
}

/// Returns a sum of rotations normalised and on the side of `rest`; `rest` where it has no length.
TRP__INLINE wf4 direction_of(wf4 sum, wf4 rest)
{
    const wf squared = dot4(sum, sum);
    const wf factor = negate_where_negative(inverse_norm(squared), dot4(sum, rest));
    return select4(wf_gt(squared, wf_set1(TRP__NORM_FLOOR)), scale4(sum, factor), rest);
}

/// Averages TRP__WIDTH lanes of all averaged layers.
TRP__INLINE wide_transform average(const trp_blend_layer *layers, uint32_t layer_count,
                                   const trp_pose_block *rest, uint32_t block, uint32_t lane)
{
    wf sum = wf_zero();
    wf largest = wf_zero();
    wf4 heaviest = load_rotation(rest, lane);
    for (uint32_t i = 0; i < layer_count; i++) {
        if (trp__is_averaged(&layers[i])) {
            const wf weight = lane_weight(&layers[i], block, lane);
            const wm is_heavier = wf_gt(weight, largest);
            sum = wf_add(sum, weight);
            largest = wf_select(is_heavier, weight, largest);
            heaviest = select4(is_heavier, load_rotation(&layers[i].pose[block], lane), heaviest);
        }
    }
    const wide_transform rest_transform = load_transform(rest, lane);
    const wm is_weighted = wf_gt(sum, wf_zero());
    if (!wm_any(is_weighted)) {
        return rest_transform;
    }

    wide_transform total = rest_transform;
    int is_first = 1;
    for (uint32_t i = 0; i < layer_count; i++) {
        if (trp__is_averaged(&layers[i])) {
            const wide_transform layer = load_transform(&layers[i].pose[block], lane);
            const wf share = wf_div(lane_weight(&layers[i], block, lane), sum);
            const wf turned = negate_where_negative(share, dot4(layer.rotation, heaviest));
            const wide_transform part = share_of(layer, share, turned);
            total = is_first ? part : add_shares(total, part);
            is_first = 0;
        }
    }
    const wide_transform result = {
        .rotation = direction_of(total.rotation, rest_transform.rotation),
        .translation_x = wf_select(is_weighted, total.translation_x, rest_transform.translation_x),
        .translation_y = wf_select(is_weighted, total.translation_y, rest_transform.translation_y),
        .translation_z = wf_select(is_weighted, total.translation_z, rest_transform.translation_z),
        .scale_x = wf_select(is_weighted, total.scale_x, rest_transform.scale_x),
        .scale_y = wf_select(is_weighted, total.scale_y, rest_transform.scale_y),
        .scale_z = wf_select(is_weighted, total.scale_z, rest_transform.scale_z),
    };
    return result;
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

/// Returns a rotation with `weight` of a delta put on top, or of its conjugate.
TRP__INLINE wf4 rotate(wf4 rotation, wf4 delta, wf weight, int is_subtracted)
{
    const wf4 scaled = scale4(delta, negate_where_negative(weight, delta.w));
    const wf4 sum = {
        .x = scaled.x,
        .y = scaled.y,
        .z = scaled.z,
        .w = wf_add(wf_sub(wf_set1(1.0f), weight), scaled.w),
    };
    const wf squared = dot4(sum, sum);
    const wf inverse = inverse_norm(squared);
    const wf side = is_subtracted ? wf_neg(inverse) : inverse;
    const wf4 step = {
        .x = wf_mul(sum.x, side),
        .y = wf_mul(sum.y, side),
        .z = wf_mul(sum.z, side),
        .w = wf_mul(sum.w, inverse),
    };
    return select4(wf_gt(squared, wf_set1(TRP__NORM_FLOOR)), multiply(rotation, step), rotation);
}

TRP__INLINE wf move(wf translation, wf delta, wf weight, int is_subtracted)
{
    const wf offset = wf_mul(weight, delta);
    return is_subtracted ? wf_sub(translation, offset) : wf_add(translation, offset);
}

TRP__INLINE wf stretch(wf scale, wf delta, wf weight, int is_subtracted)
{
    const wf one = wf_set1(1.0f);
    const wf factor = wf_add(one, wf_mul(weight, wf_sub(delta, one)));
    if (is_subtracted) {
        return wf_select(wf_eq(factor, wf_zero()), wf_zero(), wf_div(scale, factor));
    }
    return wf_mul(scale, factor);
}

/// Puts the difference that a layer holds on top of a transform, or takes it away.
TRP__INLINE wide_transform add(wide_transform transform, wide_transform delta, wf weight,
                               int is_subtracted)
{
    const wide_transform result = {
        .rotation = rotate(transform.rotation, delta.rotation, weight, is_subtracted),
        .translation_x = move(transform.translation_x, delta.translation_x, weight, is_subtracted),
        .translation_y = move(transform.translation_y, delta.translation_y, weight, is_subtracted),
        .translation_z = move(transform.translation_z, delta.translation_z, weight, is_subtracted),
        .scale_x = stretch(transform.scale_x, delta.scale_x, weight, is_subtracted),
        .scale_y = stretch(transform.scale_y, delta.scale_y, weight, is_subtracted),
        .scale_z = stretch(transform.scale_z, delta.scale_z, weight, is_subtracted),
    };
    return result;
}

static void blend_any(const trp_blend_layer *layers, uint32_t layer_count,
                      const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose)
{
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
            wide_transform result = average(layers, layer_count, &rest[block], block, lane);
            for (uint32_t i = 0; i < layer_count; i++) {
                if (trp__is_added(&layers[i])) {
                    result = add(result, load_transform(&layers[i].pose[block], lane),
                                 lane_weight(&layers[i], block, lane),
                                 layers[i].mode == TRP_BLEND_SUBTRACT);
                }
            }
            store_transform(&pose[block], lane, result);
        }
    }
}

/// The usual cross-fade: two averaged layers without masks, and nothing else. A sum of two has no
/// order, so the heavier may come first.
static void blend_two(const trp_blend_layer *heavier, const trp_blend_layer *lighter,
                      const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose)
{
    const float heavy = trp__clean_weight(heavier->weight);
    const float light = trp__clean_weight(lighter->weight);
    const wf heavy_share = wf_set1(heavy / (heavy + light));
    const wf light_share = wf_set1(light / (heavy + light));
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
            const wide_transform a = load_transform(&heavier->pose[block], lane);
            const wide_transform b = load_transform(&lighter->pose[block], lane);
            const wf turned = negate_where_negative(light_share, dot4(b.rotation, a.rotation));
            wide_transform result =
                add_shares(share_of(a, heavy_share, heavy_share), share_of(b, light_share, turned));
            result.rotation = direction_of(result.rotation, load_rotation(&rest[block], lane));
            store_transform(&pose[block], lane, result);
        }
    }
}

void TRP__KERNEL(blend)(const trp_blend_layer *layers, uint32_t layer_count,
                        const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose)
{
    const int is_cross_fade = layer_count == 2 && !layers[0].mask && !layers[1].mask &&
                              trp__is_averaged(&layers[0]) && trp__is_averaged(&layers[1]);
    if (is_cross_fade) {
        const int is_first_heavier = layers[0].weight >= layers[1].weight;
        blend_two(&layers[!is_first_heavier], &layers[is_first_heavier], rest, block_count, pose);
    } else {
        blend_any(layers, layer_count, rest, block_count, pose);
    }
}
