// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Quaternions (x y z w) in double precision, as the compiler needs them.
#ifndef TROUPE_TOOLS_QUAT_H
#define TROUPE_TOOLS_QUAT_H

#include <math.h>

static inline double quat_dot(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// Writes a * b: first b, then a.
static inline void quat_multiply(const double a[4], const double b[4], double out[4])
{
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    const double z = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    const double w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

/// Writes conj(a) * b.
static inline void quat_relative(const double a[4], const double b[4], double out[4])
{
    const double conjugate[4] = {-a[0], -a[1], -a[2], a[3]};
    quat_multiply(conjugate, b, out);
}

/// Scales to unit length; the identity where there is none.
static inline void quat_normalise(double q[4])
{
    const double length = sqrt(quat_dot(q, q));
    if (!(length > 0.0)) {
        q[0] = q[1] = q[2] = 0.0;
        q[3] = 1.0;
        return;
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
}

static inline void quat_negate(double q[4])
{
    for (int i = 0; i < 4; i++) {
        q[i] = -q[i];
    }
}

/// Writes the modified Rodrigues parameters xyz / (1 + w) of a unit quaternion with w > -1.
static inline void quat_to_rodrigues(const double q[4], double s[3])
{
    for (int i = 0; i < 3; i++) {
        s[i] = q[i] / (1.0 + q[3]);
    }
}

/// Writes the unit quaternion of modified Rodrigues parameters.
static inline void quat_from_rodrigues(const double s[3], double q[4])
{
    const double d = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    for (int i = 0; i < 3; i++) {
        q[i] = 2.0 * s[i] / (1.0 + d);
    }
    q[3] = (1.0 - d) / (1.0 + d);
}

#endif
