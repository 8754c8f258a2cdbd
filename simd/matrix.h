// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Matrices of 3x4 floats, row-major, one at a time: the order of operations that the wide kernels
// follow lane by lane. For the reference kernels and for questions about a single joint.
#ifndef TROUPE_SIMD_MATRIX_H
#define TROUPE_SIMD_MATRIX_H

#include <troupe/pose.h>

/// Writes the matrix of one lane of a local pose.
static inline void trp__matrix_from_lane(const trp_pose_block *block, uint32_t lane,
                                         float matrix[12])
{
    const float x = block->rotation[0][lane];
    const float y = block->rotation[1][lane];
    const float z = block->rotation[2][lane];
    const float w = block->rotation[3][lane];
    const float x2 = x + x;
    const float y2 = y + y;
    const float z2 = z + z;
    const float xx = x * x2;
    const float yy = y * y2;
    const float zz = z * z2;
    const float xy = x * y2;
    const float xz = x * z2;
    const float yz = y * z2;
    const float wx = w * x2;
    const float wy = w * y2;
    const float wz = w * z2;
    const float rotation[3][3] = {
        {1.0f - (yy + zz), xy - wz, xz + wy},
        {xy + wz, 1.0f - (xx + zz), yz - wx},
        {xz - wy, yz + wx, 1.0f - (xx + yy)},
    };
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++) {
            matrix[4 * row + column] = rotation[row][column] * block->scale[column][lane];
        }
        matrix[4 * row + 3] = block->translation[row][lane];
    }
}

/// Writes a * b. `product` is neither of them.
static inline void trp__matrix_multiply(const float a[12], const float b[12], float product[12])
{
    for (uint32_t row = 0; row < 3; row++) {
        const float *left = a + 4 * row;
        for (uint32_t column = 0; column < 4; column++) {
            const float linear =
                (left[0] * b[column] + left[1] * b[4 + column]) + left[2] * b[8 + column];
            product[4 * row + column] = column == 3 ? linear + left[3] : linear;
        }
    }
}

#endif
