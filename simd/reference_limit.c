// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Limits of rotations in plain C, one lane at a time. FORMAT.md, "Limits", is the specification.
#include "limit.h"
#include "reference.h"

/// Returns max(a, b) as the kernels have it: b where nothing is greater.
static float max_of(float a, float b)
{
    return a > b ? a : b;
}

static float min_of(float a, float b)
{
    return a < b ? a : b;
}

static int is_outside(float value, float low, float high)
{
    return value < low || value > high;
}

static float held(float value, float low, float high)
{
    const float inside = min_of(max_of(value, low), high);
    return min_of(max_of(inside, -TRP__MAX_TANGENT), TRP__MAX_TANGENT);
}

static void limit_lane(const float *limits, const trp_pose_block *rest, uint32_t lane,
                       trp_pose_block *pose)
{
    float m[4];
    float q[4];
    float limit[6];
    for (uint32_t i = 0; i < 4; i++) {
        m[i] = rest->rotation[i][lane];
        q[i] = pose->rotation[i][lane];
    }
    for (uint32_t i = 0; i < 6; i++) {
        limit[i] = limits[i * TRP_BLOCK_LANES + lane];
    }

    // conj(m) * q, on the side of the identity
    const float dw = ((m[3] * q[3] + m[0] * q[0]) + m[1] * q[1]) + m[2] * q[2];
    const int is_negative = dw < 0;
    const float side = is_negative ? -1.0f : 1.0f;
    const float x = (((m[3] * q[0] - m[0] * q[3]) - m[1] * q[2]) + m[2] * q[1]) * side;
    const float y = (((m[3] * q[1] + m[0] * q[2]) - m[1] * q[3]) - m[2] * q[0]) * side;
    const float z = (((m[3] * q[2] - m[0] * q[1]) + m[1] * q[0]) - m[2] * q[3]) * side;
    const float w = dw * side;

    const float squared = y * y + w * w;
    const int is_twisted = squared > TRP__LENGTH_FLOOR_SQUARED;
    const float length = trp__reference_sqrt(max_of(squared, TRP__LENGTH_FLOOR_SQUARED));
    const float twist_y = is_twisted ? y / length : 0.0f;
    const float twist_w = is_twisted ? w / length : 1.0f;
    const float twist = is_twisted ? y / max_of(w, TRP__LENGTH_FLOOR) : 0.0f;
    const float swing_x = (x * twist_w + z * twist_y) / length;
    const float swing_z = (z * twist_w - x * twist_y) / length;
    if (!is_outside(swing_x, limit[0], limit[1]) && !is_outside(swing_z, limit[2], limit[3]) &&
        !is_outside(twist, limit[4], limit[5])) {
        return;
    }

    const float a = held(swing_x, limit[0], limit[1]);
    const float b = held(swing_z, limit[2], limit[3]);
    const float t = held(twist, limit[4], limit[5]);
    const float hx = a - b * t;
    const float hz = b + a * t;
    const float scale = side / trp__reference_sqrt((hx * hx + t * t) + (hz * hz + 1.0f));
    const float rx = hx * scale;
    const float ry = t * scale;
    const float rz = hz * scale;
    const float rw = scale;
    pose->rotation[0][lane] = ((m[3] * rx + m[0] * rw) + m[1] * rz) - m[2] * ry;
    pose->rotation[1][lane] = ((m[3] * ry - m[0] * rz) + m[1] * rw) + m[2] * rx;
    pose->rotation[2][lane] = ((m[3] * rz + m[0] * ry) - m[1] * rx) + m[2] * rw;
    pose->rotation[3][lane] = ((m[3] * rw - m[0] * rx) - m[1] * ry) - m[2] * rz;
}

void trp__reference_limit(const float *limits, const trp_pose_block *rest, uint32_t block_count,
                          trp_pose_block *pose)
{
    for (uint32_t block = 0; block < block_count; block++) {
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            limit_lane(limits + (size_t)block * 6 * TRP_BLOCK_LANES, &rest[block], lane,
                       &pose[block]);
        }
    }
}
