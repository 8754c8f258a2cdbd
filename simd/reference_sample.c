// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sampling in plain C, one lane at a time: the meaning of kernel_sample.c and of FORMAT.md,
// "Decoding". Written for reading; the order of every operation is part of the contract.
#include <string.h>

#include "reference.h"

static float absolute(float value)
{
    return value < 0.0f ? -value : value;
}

static float dot3(const float a[3], const float b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static float field(const struct trp__channel *channel, const uint8_t *row, uint32_t lane)
{
    uint32_t word;
    memcpy(&word, row + channel->lane_offset[lane], sizeof word);
    return (float)(int32_t)(word & channel->mask[lane]);
}

static float component_at_row(const struct trp__channel *channel, const uint8_t *row, uint32_t lane)
{
    return channel->base[lane] + channel->scale[lane] * field(channel, row, lane);
}

static float component_between(const struct trp__channel *channel,
                               const struct trp__sample_point *point, float u, uint32_t lane)
{
    const float field0 = field(channel, point->row0, lane);
    const float field1 = field(channel, point->row1, lane);
    return channel->base[lane] + channel->scale[lane] * (field0 + u * (field1 - field0));
}

// The quaternion halfway through lerp of the Rodrigues parameters.
static void lerp_rotation(const struct trp__block_control *block,
                          const struct trp__sample_point *point, float u, uint32_t lane, float q[4])
{
    float s[3];
    for (uint32_t i = 0; i < 3; i++) {
        s[i] = component_between(&block->channel[i], point, u, lane);
    }
    const float d = dot3(s, s);
    const float inverse = 1.0f / (1.0f + d);
    const float k = inverse + inverse;
    q[0] = s[0] * k;
    q[1] = s[1] * k;
    q[2] = s[2] * k;
    q[3] = (1.0f - d) * inverse;
}

// nlerp of the quaternions of both rows, (2 s, 1 - d) / (1 + d), without dividing first.
static void nlerp_rotation(const struct trp__block_control *block,
                           const struct trp__sample_point *point, float u, uint32_t lane,
                           float q[4])
{
    float s0[3];
    float s1[3];
    for (uint32_t i = 0; i < 3; i++) {
        s0[i] = component_at_row(&block->channel[i], point->row0, lane);
        s1[i] = component_at_row(&block->channel[i], point->row1, lane);
    }
    const float d0 = dot3(s0, s0);
    const float d1 = dot3(s1, s1);
    const float e0 = 1.0f + d0;
    const float e1 = 1.0f + d1;
    const float c0 = 1.0f - d0;
    const float c1 = 1.0f - d1;
    const float dot = 4.0f * dot3(s0, s1) + c0 * c1;

    float a = (1.0f - u) * e1;
    float b = u * e0;
    if ((block->mode & TRP__BLOCK_RULE) == TRP__BLOCK_CORRECTED) {
        const float e = e0 * e1;
        const float bend = ((u * (u - 0.5f)) * (u - 1.0f)) * (2.0f / 3.0f);
        const float weight1 = u * e + bend * (e - absolute(dot));
        const float weight0 = e - weight1;
        a = weight0 * e1;
        b = weight1 * e0;
    }
    if ((block->mode & TRP__BLOCK_FLIP) && dot < 0.0f) {
        b = -b;
    }
    const float a2 = a + a;
    const float b2 = b + b;
    const float x = a2 * s0[0] + b2 * s1[0];
    const float y = a2 * s0[1] + b2 * s1[1];
    const float z = a2 * s0[2] + b2 * s1[2];
    const float w = a * c0 + b * c1;
    const float sum = (x * x + y * y) + (z * z + w * w);
    const float norm = sum > 1e-30f ? sum : 1e-30f;
    const float r = 1.0f / trp__reference_sqrt(norm);
    q[0] = x * r;
    q[1] = y * r;
    q[2] = z * r;
    q[3] = w * r;
}

static void store_times_mean(const struct trp__block_control *block, const float q[4],
                             uint32_t lane, trp_pose_block *pose)
{
    const float mx = block->mean[0][lane];
    const float my = block->mean[1][lane];
    const float mz = block->mean[2][lane];
    const float mw = block->mean[3][lane];
    pose->rotation[0][lane] = ((mw * q[0] + mx * q[3]) + my * q[2]) - mz * q[1];
    pose->rotation[1][lane] = ((mw * q[1] - mx * q[2]) + my * q[3]) + mz * q[0];
    pose->rotation[2][lane] = ((mw * q[2] + mx * q[1]) - my * q[0]) + mz * q[3];
    pose->rotation[3][lane] = ((mw * q[3] - mx * q[0]) - my * q[1]) - mz * q[2];
}

static float lane_u(const struct trp__block_control *block, const struct trp__sample_point *point,
                    uint32_t path, uint32_t lane)
{
    const int holds = (block->mode & TRP__BLOCK_HOLD) && (block->hold[path] >> lane & 1);
    return holds ? point->u_hold : point->u;
}

static void sample_rotation(const struct trp__block_control *block,
                            const struct trp__sample_point *point, uint32_t lane,
                            trp_pose_block *pose)
{
    const uint32_t rule = block->mode & TRP__BLOCK_RULE;
    if (rule == 0) {
        for (uint32_t i = 0; i < 4; i++) {
            pose->rotation[i][lane] = block->mean[i][lane];
        }
        return;
    }
    const float u = lane_u(block, point, 0, lane);
    float q[4];
    if (rule == TRP__BLOCK_LERP) {
        lerp_rotation(block, point, u, lane, q);
    } else {
        nlerp_rotation(block, point, u, lane, q);
    }
    store_times_mean(block, q, lane, pose);
}

// Path 1, translations, or 2, scales.
static void sample_vector(const struct trp__block_control *block,
                          const struct trp__sample_point *point, uint32_t path, uint32_t lane,
                          float out[3][TRP_BLOCK_LANES])
{
    const uint32_t is_animated = path == 1 ? TRP__BLOCK_TRANSLATION : TRP__BLOCK_SCALE;
    const float u = lane_u(block, point, path, lane);
    for (uint32_t i = 0; i < 3; i++) {
        const struct trp__channel *const channel = &block->channel[3 * path + i];
        out[i][lane] = block->mode & is_animated ? component_between(channel, point, u, lane)
                                                 : channel->base[lane];
    }
}

void trp__reference_sample(const struct trp__block_control *blocks, uint32_t block_count,
                           const struct trp__sample_point *point, trp_pose_block *pose)
{
    for (uint32_t i = 0; i < block_count; i++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            sample_rotation(&blocks[i], point, lane, &pose[i]);
            sample_vector(&blocks[i], point, 1, lane, pose[i].translation);
            sample_vector(&blocks[i], point, 2, lane, pose[i].scale);
        }
    }
}

void trp__reference_sample_values(const struct trp__value_control *blocks, uint32_t block_count,
                                  const struct trp__sample_point *point, float *values)
{
    for (uint32_t i = 0; i < block_count; i++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            const float u = blocks[i].hold >> lane & 1 ? point->u_hold : point->u;
            values[TRP_BLOCK_LANES * i + lane] =
                component_between(&blocks[i].channel, point, u, lane);
        }
    }
}
