// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Matrices of glTF nodes, taken apart into translation, rotation and scale.
#include "gltf.h"

#include <math.h>
#include <string.h>

static double dot3(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/// Scales to unit length and returns the length; leaves zero as it is.
static double normalise3(double v[3])
{
    const double largest = larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0)) {
        return 0;
    }
    // By the largest component first, so that squares neither overflow nor vanish.
    const double scaled[3] = {v[0] / largest, v[1] / largest, v[2] / largest};
    const double length = sqrt(dot3(scaled, scaled));
    for (int i = 0; i < 3; i++) {
        v[i] = scaled[i] / length;
    }
    return largest * length;
}

/// Writes any unit vector perpendicular to a unit vector.
static void perpendicular3(const double v[3], double out[3])
{
    const double axis[3] = {fabs(v[0]) < 0.6, fabs(v[0]) >= 0.6, 0};
    cross3(v, axis, out);
    normalise3(out);
}

/// Fills in the directions that a scale of zero has flattened, right-handed.
static void axes_complete(double axes[3][3], const double scale[3])
{
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3;
        const int last = (i + 2) % 3;
        if (scale[i] == 0 && scale[next] != 0 && scale[last] != 0) {
            cross3(axes[next], axes[last], axes[i]);
            normalise3(axes[i]);
            return;
        }
        if (scale[i] != 0 && scale[next] == 0 && scale[last] == 0) {
            perpendicular3(axes[i], axes[next]);
            cross3(axes[i], axes[next], axes[last]);
            return;
        }
    }
    if (scale[0] == 0) {
        const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        memcpy(axes, identity, sizeof identity);
    }
}

/// Writes the rotation whose matrix has these columns, from its largest component for accuracy.
/// Source: Shepperd 1978.
static void axes_to_rotation(const double axes[3][3], double rotation[4])
{
    const double xx = axes[0][0];
    const double yy = axes[1][1];
    const double zz = axes[2][2];
    const double squares[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz,
                               1 + xx + yy + zz};
    const double with_w[3] = {axes[1][2] - axes[2][1], axes[2][0] - axes[0][2],
                              axes[0][1] - axes[1][0]};
    const double xy = axes[1][0] + axes[0][1];
    const double xz = axes[2][0] + axes[0][2];
    const double yz = axes[2][1] + axes[1][2];
    const double rows[4][4] = {
        {squares[0], xy, xz, with_w[0]},
        {xy, squares[1], yz, with_w[1]},
        {xz, yz, squares[2], with_w[2]},
        {with_w[0], with_w[1], with_w[2], squares[3]},
    };
    int largest = 3;
    for (int i = 0; i < 3; i++) {
        if (squares[i] > squares[largest]) {
            largest = i;
        }
    }
    const double *const row = rows[largest];
    const double length =
        sqrt((row[0] * row[0] + row[1] * row[1]) + (row[2] * row[2] + row[3] * row[3]));
    for (int i = 0; i < 4; i++) {
        rotation[i] = row[i] / length;
    }
}

void gltf_matrix_decompose(const double matrix[16], struct scene_node *node, double *shear)
{
    double axes[3][3];
    for (int column = 0; column < 3; column++) {
        memcpy(axes[column], matrix + column * 4, sizeof axes[column]);
        node->scale[column] = normalise3(axes[column]);
    }
    memcpy(node->translation, matrix + 12, sizeof node->translation);
    axes_complete(axes, node->scale);
    *shear = larger(fabs(dot3(axes[0], axes[1])),
                    larger(fabs(dot3(axes[0], axes[2])), fabs(dot3(axes[1], axes[2]))));
    double normal[3];
    cross3(axes[1], axes[2], normal);
    if (dot3(axes[0], normal) < 0) {
        node->scale[0] = -node->scale[0];
        for (int i = 0; i < 3; i++) {
            axes[0][i] = -axes[0][i];
        }
    }
    axes_to_rotation(axes, node->rotation);
}
