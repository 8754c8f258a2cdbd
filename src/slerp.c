// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "slerp.h"

#include <math.h>

#include "easing.h"

static double dot(const double a[4], const double b[4])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

static void normalise(const float from[4], double to[4])
{
    for (int i = 0; i < 4; i++) {
        to[i] = from[i];
    }
    const double length = sqrt(dot(to, to));
    for (int i = 0; i < 4; i++) {
        to[i] = length > 0 ? to[i] / length : (i == 3);
    }
}

/// Returns the angle between two unit quaternions that are at most a quarter turn apart. Their
/// difference and their sum give the tangent of its quarter; halved once more, the series is short.
static double angle_between(const double q0[4], const double q1[4])
{
    double difference[4];
    for (int i = 0; i < 4; i++) {
        difference[i] = q1[i] - q0[i];
    }
    const double chord = sqrt(dot(difference, difference));
    const double squared = chord * chord;
    const double sum_length = sqrt(squared < 4 ? 4 - squared : 0);
    const double quarter = chord / (sum_length + 2);
    const double eighth = quarter / (1 + sqrt(1 + quarter * quarter));
    const double square = eighth * eighth;
    double sum = 0;
    for (int i = 21; i >= 1; i -= 2) { // arc tangent
        sum = 1.0 / i - square * sum;
    }
    return 8 * eighth * sum;
}

void trp__slerp(const float q0[4], const float q1[4], double u, float q[4])
{
    double from[4];
    double to[4];
    normalise(q0, from);
    normalise(q1, to);
    if (dot(from, to) < 0) {
        for (int i = 0; i < 4; i++) {
            to[i] = -to[i];
        }
    }
    const double angle = angle_between(from, to);
    const double sine = trp__sine(angle);
    double weight0 = 1 - u;
    double weight1 = u;
    if (sine > 1e-9) { // below, a straight line is as good
        weight0 = trp__sine(angle * (1 - u)) / sine;
        weight1 = trp__sine(angle * u) / sine;
    }
    for (int i = 0; i < 4; i++) {
        q[i] = (float)(weight0 * from[i] + weight1 * to[i]);
    }
}
