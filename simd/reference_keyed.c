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
static void mix_two(const struct trp__key_span *span, const float q0[4], const float q1[4],
                    float q[4])
{
    const float dot = ((q0[0] * q1[0] + q0[1] * q1[1]) + q0[2] * q1[2]) + q0[3] * q1[3];
    const float absolute = dot < 0.0f ? -dot : dot;
    const float v = span->u + span->bend * (1.0f - absolute);
    const float weight0 = 1.0f - v;
    const float weight1 = dot < 0.0f ? -v : v;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = weight0 * q0[i] + weight1 * q1[i];
    }
}

static float sum_four(const struct trp__key_span *span, size_t at)
{
    return ((span->weight[0] * span->value0[at] + span->weight[1] * span->leaving0[at]) +
            span->weight[2] * span->value1[at]) +
           span->weight[3] * span->arriving1[at];
}

static void mix_rotation(const struct trp__key_span *span, uint32_t rotation)
{
    float q0[4];
    float q1[4];
    float q[4];
    for (uint32_t i = 0; i < 4; i++) {
        const size_t at = (size_t)i * span->rotation_stride + rotation;
        q0[i] = span->value0[at];
        q1[i] = span->value1[at];
        q[i] = span->form == TRP__SPAN_SUM ? sum_four(span, at) : 0.0f;
    }
    if (span->form != TRP__SPAN_SUM) {
        mix_two(span, q0, q1, q);
    }
    normalise(q);
    for (uint32_t i = 0; i < 4; i++) {
        span->rotations[(size_t)i * span->out_stride + rotation] = q[i];
    }
}

static float mix_scalar(const struct trp__key_span *span, uint32_t scalar)
{
    const size_t at = (size_t)span->scalar_offset + scalar;
    switch (span->form) {
    case TRP__SPAN_LINEAR:
        return span->value0[at] + span->u * (span->value1[at] - span->value0[at]);
    case TRP__SPAN_SUM:
        return sum_four(span, at);
    default:
        return span->value0[at];
    }
}

void trp__reference_keyed(const struct trp__key_span *spans, uint32_t span_count)
{
    for (uint32_t i = 0; i < span_count; i++) {
        for (uint32_t j = 0; j < spans[i].rotation_count; j++) {
            mix_rotation(&spans[i], j);
        }
        for (uint32_t j = 0; j < spans[i].scalar_count; j++) {
            spans[i].scalars[j] = mix_scalar(&spans[i], j);
        }
    }
}
