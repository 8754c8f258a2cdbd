// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed values in plain C, one at a time: the meaning of kernel_keyed.c and of FORMAT.md, "Keyed
// values". The order of every operation is part of the contract.
#include <float.h>

#include "reference.h"

static void normalise(float q[4])
{
    const float norm = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 1e-30f && norm <= FLT_MAX)) {
        q[0] = q[1] = q[2] = 0.0f;
        q[3] = 1.0f;
        return;
    }
    const float r = 1.0f / trp__reference_sqrt(norm);
    for (uint32_t i = 0; i < 4; i++) {
        q[i] *= r;
    }
}

/// Between two rotations: time bends towards that of slerp, and the second one joins the first's
/// hemisphere.
static void mix_two(float u, const float q0[4], const float q1[4], float q[4])
{
    const float dot = ((q0[0] * q1[0] + q0[1] * q1[1]) + q0[2] * q1[2]) + q0[3] * q1[3];
    const float absolute = dot < 0.0f ? -dot : dot;
    const float bend = ((u * (u - 0.5f)) * (u - 1.0f)) * (2.0f / 3.0f);
    const float v = u + bend * (1.0f - absolute);
    const float weight0 = 1.0f - v;
    const float weight1 = dot < 0.0f ? -v : v;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = weight0 * q0[i] + weight1 * q1[i];
    }
}

static float sum_four(const struct trp__key_strip *strip, uint32_t lane, size_t at)
{
    return ((strip->weight[0][lane] * strip->value0[lane][at] +
             strip->weight[1][lane] * strip->leaving0[lane][at]) +
            strip->weight[2][lane] * strip->value1[lane][at]) +
           strip->weight[3][lane] * strip->arriving1[lane][at];
}

static void mix_rotation(const struct trp__key_strip *strip, uint32_t lane, uint32_t rotation)
{
    float q0[4];
    float q1[4];
    float q[4];
    for (uint32_t i = 0; i < 4; i++) {
        const size_t at = (size_t)i * strip->rotation_stride + rotation;
        q0[i] = strip->value0[lane][at];
        q1[i] = strip->value1[lane][at];
        q[i] = strip->is_sum ? sum_four(strip, lane, at) : 0.0f;
    }
    if (!strip->is_sum) {
        mix_two(strip->u[lane], q0, q1, q);
    }
    normalise(q);
    for (uint32_t i = 0; i < 4; i++) {
        strip->rotations[lane][(size_t)i * strip->out_stride + rotation] = q[i];
    }
}

static float mix_scalar(const struct trp__key_strip *strip, uint32_t lane, uint32_t scalar)
{
    const size_t at = (size_t)strip->scalar_offset + scalar;
    if (strip->is_sum) {
        return sum_four(strip, lane, at);
    }
    const float value0 = strip->value0[lane][at];
    const float u = strip->u[lane];
    return u == 0.0f ? value0 : value0 + u * (strip->value1[lane][at] - value0);
}

void trp__reference_keyed(const struct trp__key_strip *strip)
{
    for (uint32_t lane = 0; lane < strip->lane_count; lane++) {
        for (uint32_t i = 0; i < strip->rotation_count; i++) {
            mix_rotation(strip, lane, i);
        }
        for (uint32_t i = 0; i < strip->scalar_count; i++) {
            strip->scalars[lane][i] = mix_scalar(strip, lane, i);
        }
    }
}
