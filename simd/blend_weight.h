// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What all blend kernels agree on about weights.
#ifndef TROUPE_SIMD_BLEND_WEIGHT_H
#define TROUPE_SIMD_BLEND_WEIGHT_H

#include <troupe/blend.h>

/// Weights above this count as this: sums of any number of them stay finite.
#define TRP__MAX_WEIGHT 0x1p60f

/// A rotation with a smaller squared norm has no direction.
#define TRP__NORM_FLOOR 1e-30f

/// Returns a weight as it counts: NaN and negative as 0.
static inline float trp__clean_weight(float weight)
{
    const float positive = weight > 0.0f ? weight : 0.0f;
    return positive < TRP__MAX_WEIGHT ? positive : TRP__MAX_WEIGHT;
}

/// Layers without weight are never read: their poses may hold anything.
static inline int trp__is_averaged(const trp_blend_layer *layer)
{
    return layer->mode == TRP_BLEND_AVERAGE && layer->weight > 0.0f;
}

static inline int trp__is_added(const trp_blend_layer *layer)
{
    return layer->mode != TRP_BLEND_AVERAGE && layer->weight > 0.0f;
}

#endif
