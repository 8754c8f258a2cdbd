// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sine and cosine: the nearest quarter turn is taken off exactly, then a Taylor series goes to an
// eighth of a turn either way. Arc tangent: the nearest of nine known ones is taken off, then a
// series goes the short rest.
#include "angle.h"

/// Returns sin(x), |x| <= pi / 4. What is left out is below 2^-63 of x.
static double sin_series(double x)
{
    const double square = x * x;
    double sum = 1.0 / 355687428096000.;
    sum = sum * square - 1.0 / 1307674368000.;
    sum = sum * square + 1.0 / 6227020800.;
    sum = sum * square - 1.0 / 39916800.;
    sum = sum * square + 1.0 / 362880;
    sum = sum * square - 1.0 / 5040;
    sum = sum * square + 1.0 / 120;
    sum = sum * square - 1.0 / 6;
    return x + x * square * sum;
}

/// Returns cos(x), |x| <= pi / 4. What is left out is below 2^-58.
static double cos_series(double x)
{
    const double square = x * x;
    double sum = 1.0 / 20922789888000.;
    sum = sum * square - 1.0 / 87178291200.;
    sum = sum * square + 1.0 / 479001600;
    sum = sum * square - 1.0 / 3628800;
    sum = sum * square + 1.0 / 40320;
    sum = sum * square - 1.0 / 720;
    sum = sum * square + 1.0 / 24;
    const double half_square = 0.5 * square;
    const double head = 1 - half_square;
    return head + (((1 - head) - half_square) + square * square * sum);
}

struct trp__direction trp__direction_of(trp__angle angle)
{
    const uint64_t eighth = UINT64_C(1) << 61;
    const uint64_t quarter = (angle + eighth) >> 62;
    const int64_t rest = (int64_t)(angle - (quarter << 62));
    const double x = (double)rest * (TRP__TWO_PI * 0x1p-64);
    // Which is which, and its sign, is a matter of chance: nothing branches on it. Adding 0 turns
    // -0 into 0.
    const double series[2] = {sin_series(x), cos_series(x)};
    static const double signs[5] = {1, 1, -1, -1, 1};
    return (struct trp__direction){
        .sin = signs[quarter & 3] * series[quarter & 1] + 0,
        .cos = signs[(quarter & 3) + 1] * series[~quarter & 1] + 0,
    };
}

/// Returns the arc tangent of 0 to 1.
static double arc_tangent(double ratio)
{
    static const double of_eighths[9] = {
        0,
        0x1.fd5ba9aac2f6ep-4,
        0x1.f5b75f92c80ddp-3,
        0x1.6f61941e4def1p-2,
        0x1.dac670561bb4fp-2,
        0x1.1e00babdefeb4p-1,
        0x1.4978fa3269ee1p-1,
        0x1.700a7c5784634p-1,
        0x1.921fb54442d18p-1,
    };
    const int eighths = (int)(8 * ratio + 0.5);
    const double known = eighths * 0.125;
    const double rest = (ratio - known) / (1 + ratio * known);
    const double square = rest * rest;
    double sum = -1.0 / 15;
    sum = sum * square + 1.0 / 13;
    sum = sum * square - 1.0 / 11;
    sum = sum * square + 1.0 / 9;
    sum = sum * square - 1.0 / 7;
    sum = sum * square + 1.0 / 5;
    sum = sum * square - 1.0 / 3;
    return of_eighths[eighths] + (rest + rest * square * sum);
}

double trp__radians_of(double x, double y)
{
    const double quarter = TRP__TWO_PI / 4;
    const double along = x < 0 ? -x : x;
    const double across = y < 0 ? -y : y;
    const double larger = along > across ? along : across;
    if (!(larger > 0)) {
        return 0;
    }
    const double smaller = along > across ? across : along;
    const double eighth = arc_tangent(smaller / larger);
    const double upper = along > across ? eighth : quarter - eighth;
    const double half = x < 0 ? 2 * quarter - upper : upper;
    return y < 0 ? -half : half;
}
