// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blending in plain C, one lane at a time.
#include "blend_weight.h"
#include "reference.h"

struct transform {
    float rotation[4];
    float translation[3];
    float scale[3];
};

static struct transform read_lane(const trp_pose_block *block, uint32_t lane)
{
    struct transform transform;
    for (uint32_t i = 0; i < 4; i++) {
        transform.rotation[i] = block->rotation[i][lane];
    }
    for (uint32_t i = 0; i < 3; i++) {
        transform.translation[i] = block->translation[i][lane];
        transform.scale[i] = block->scale[i][lane];
    }
    return transform;
}

static void write_lane(trp_pose_block *block, uint32_t lane, const struct transform *transform)
{
    for (uint32_t i = 0; i < 4; i++) {
        block->rotation[i][lane] = transform->rotation[i];
    }
    for (uint32_t i = 0; i < 3; i++) {
        block->translation[i][lane] = transform->translation[i];
        block->scale[i][lane] = transform->scale[i];
    }
}

static float dot4(const float a[4], const float b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/// Returns 1 / |q| of a rotation with this squared norm; finite always.
static float inverse_norm(float squared)
{
    return 1.0f / trp__reference_sqrt(squared > TRP__NORM_FLOOR ? squared : TRP__NORM_FLOOR);
}

static float lane_weight(const trp_blend_layer *layer, uint32_t block, uint32_t lane)
{
    const float weight = trp__clean_weight(layer->weight);
    return layer->mask ? trp__clean_weight(weight * layer->mask[TRP_BLOCK_LANES * block + lane])
                       : weight;
}

/// Averages one lane: `result` is the rest on entry and stays so where no layer has weight.
static void average(const trp_blend_layer *layers, uint32_t layer_count, uint32_t block,
                    uint32_t lane, struct transform *result)
{
    float sum = 0;
    float largest = 0;
    struct transform heaviest = *result;
    for (uint32_t i = 0; i < layer_count; i++) {
        if (trp__is_averaged(&layers[i])) {
            const float weight = lane_weight(&layers[i], block, lane);
            sum += weight;
            if (weight > largest) {
                largest = weight;
                heaviest = read_lane(&layers[i].pose[block], lane);
            }
        }
    }
    if (!(sum > 0)) {
        return;
    }

    struct transform total = {0};
    int is_first = 1;
    for (uint32_t i = 0; i < layer_count; i++) {
        if (!trp__is_averaged(&layers[i])) {
            continue;
        }
        const struct transform layer = read_lane(&layers[i].pose[block], lane);
        const float share = lane_weight(&layers[i], block, lane) / sum;
        const float turned = dot4(layer.rotation, heaviest.rotation) < 0 ? -share : share;
        for (uint32_t k = 0; k < 4; k++) {
            const float term = turned * layer.rotation[k];
            total.rotation[k] = is_first ? term : total.rotation[k] + term;
        }
        for (uint32_t k = 0; k < 3; k++) {
            const float translation = share * layer.translation[k];
            const float scale = share * layer.scale[k];
            total.translation[k] = is_first ? translation : total.translation[k] + translation;
            total.scale[k] = is_first ? scale : total.scale[k] + scale;
        }
        is_first = 0;
    }

    const float squared = dot4(total.rotation, total.rotation);
    const float inverse = inverse_norm(squared);
    const float factor = dot4(total.rotation, result->rotation) < 0 ? -inverse : inverse;
    for (uint32_t k = 0; k < 4; k++) {
        total.rotation[k] =
            squared > TRP__NORM_FLOOR ? total.rotation[k] * factor : result->rotation[k];
    }
    *result = total;
}

/// Puts the difference that one layer holds on top of a lane, or takes it away.
static void add(const trp_blend_layer *layer, uint32_t block, uint32_t lane,
                struct transform *result)
{
    const int is_subtracted = layer->mode == TRP_BLEND_SUBTRACT;
    const float weight = lane_weight(layer, block, lane);
    const struct transform delta = read_lane(&layer->pose[block], lane);

    const float turned = delta.rotation[3] < 0 ? -weight : weight;
    const float d[4] = {
        turned * delta.rotation[0],
        turned * delta.rotation[1],
        turned * delta.rotation[2],
        (1.0f - weight) + turned * delta.rotation[3],
    };
    const float squared = dot4(d, d);
    const float inverse = inverse_norm(squared);
    const float side = is_subtracted ? -inverse : inverse;
    const float x = d[0] * side;
    const float y = d[1] * side;
    const float z = d[2] * side;
    const float w = d[3] * inverse;
    if (squared > TRP__NORM_FLOOR) {
        const float mx = result->rotation[0];
        const float my = result->rotation[1];
        const float mz = result->rotation[2];
        const float mw = result->rotation[3];
        result->rotation[0] = ((mw * x + mx * w) + my * z) - mz * y;
        result->rotation[1] = ((mw * y - mx * z) + my * w) + mz * x;
        result->rotation[2] = ((mw * z + mx * y) - my * x) + mz * w;
        result->rotation[3] = ((mw * w - mx * x) - my * y) - mz * z;
    }

    for (uint32_t k = 0; k < 3; k++) {
        const float offset = weight * delta.translation[k];
        const float factor = 1.0f + weight * (delta.scale[k] - 1.0f);
        if (is_subtracted) {
            result->translation[k] -= offset;
            result->scale[k] = factor == 0 ? 0 : result->scale[k] / factor;
        } else {
            result->translation[k] += offset;
            result->scale[k] *= factor;
        }
    }
}

void trp__reference_blend(const trp_blend_layer *layers, uint32_t layer_count,
                          const trp_pose_block *rest, uint32_t block_count, trp_pose_block *pose)
{
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            struct transform result = read_lane(&rest[block], lane);
            average(layers, layer_count, block, lane, &result);
            for (uint32_t i = 0; i < layer_count; i++) {
                if (trp__is_added(&layers[i])) {
                    add(&layers[i], block, lane, &result);
                }
            }
            write_lane(&pose[block], lane, &result);
        }
    }
}
