// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Elementary functions with the same bits everywhere. Each one reduces its argument with pairs of
// doubles (a value and its rounding error), then sums a Taylor series short enough to be read.
// Needs -ffp-contract=off: a fused multiply-add would change the low bits.
#include "exact_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/// hi + lo, where |lo| is at most half an ulp of hi: about 106 bits.
struct wide {
    double hi;
    double lo;
};

/// Returns a + b exactly. Source: Knuth, TAOCP 2, 4.2.2, theorem B.
static struct wide wide_sum(double a, double b)
{
    const double hi = a + b;
    const double b_part = hi - a;
    const double a_part = hi - b_part;
    return (struct wide){hi, (a - a_part) + (b - b_part)};
}

/// Returns a * b exactly, for factors below 2^996. Source: Dekker 1971, mul12.
static struct wide wide_product(double a, double b)
{
    const double splitter = 134217729.0; // 2^27 + 1
    const double a_scaled = splitter * a;
    const double b_scaled = splitter * b;
    const double a_hi = a_scaled - (a_scaled - a);
    const double b_hi = b_scaled - (b_scaled - b);
    const double a_lo = a - a_hi;
    const double b_lo = b - b_hi;
    const double hi = a * b;
    const double lo = ((a_hi * b_hi - hi) + (a_hi * b_lo + a_lo * b_hi)) + a_lo * b_lo;
    return (struct wide){hi, lo};
}

static struct wide wide_add(struct wide a, struct wide b)
{
    const struct wide sum = wide_sum(a.hi, b.hi);
    return wide_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

static struct wide wide_multiply(struct wide a, struct wide b)
{
    const struct wide product = wide_product(a.hi, b.hi);
    return wide_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// Returns a / b.
static struct wide wide_divide(struct wide a, struct wide b)
{
    const double hi = a.hi / b.hi;
    const struct wide back = wide_product(hi, b.hi);
    const double rest = ((a.hi - back.hi) - back.lo) + (a.lo - hi * b.lo);
    return wide_sum(hi, rest / b.hi);
}

static const struct wide PI = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const struct wide HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const struct wide THIRD = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
static const struct wide TWO_OVER_LN2 = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};

/// The coefficients are fractions, so that a reader can check them against the series.
static double polynomial(double x, const double *coefficients, int count)
{
    double sum = coefficients[count - 1];
    for (int i = count - 2; i >= 0; i--) {
        sum = sum * x + coefficients[i];
    }
    return sum;
}

/// Subtracts the nearest multiple of pi/2 and returns the rest, at most pi/4 in size.
/// pi/2 comes in three parts; the first two have 33 bits, so that their products with a quadrant
/// below 2^20 are exact.
static struct wide reduce_to_quadrant(double radians, int32_t *quadrant)
{
    const double two_over_pi = 0x1.45f306dc9c883p-1;
    const double part0 = 0x1.921fb544p+0;
    const double part1 = 0x1.0b4611a6p-34;
    const double part2 = 0x1.3198a2e037073p-69;
    const double turns = radians * two_over_pi;
    const int32_t nearest = (int32_t)(turns < 0 ? turns - 0.5 : turns + 0.5);
    const double n = nearest;
    const struct wide rest = wide_sum(radians - n * part0, -(n * part1));
    *quadrant = nearest & 3;
    return wide_sum(rest.hi, rest.lo - n * part2);
}

static double sin_series(struct wide x)
{
    static const double coefficients[] = {
        -1.0 / 6,         1.0 / 120,         -1.0 / 5040,           1.0 / 362880,
        -1.0 / 39916800., 1.0 / 6227020800., -1.0 / 1307674368000., 1.0 / 355687428096000.,
    };
    const double square = x.hi * x.hi;
    const double cube = x.hi * square;
    return x.hi + (cube * polynomial(square, coefficients, 8) + x.lo * (1 - 0.5 * square));
}

static double cos_series(struct wide x)
{
    static const double coefficients[] = {
        1.0 / 24,         -1.0 / 720,          1.0 / 40320,           -1.0 / 3628800,
        1.0 / 479001600., -1.0 / 87178291200., 1.0 / 20922789888000., -1.0 / 6402373705728000.,
    };
    const double square = x.hi * x.hi;
    const double half_square = 0.5 * square;
    const double head = 1 - half_square;
    const double head_error = (1 - head) - half_square;
    const double tail = square * square * polynomial(square, coefficients, 8) - x.hi * x.lo;
    return head + (head_error + tail);
}

/// Returns sin(radians + quadrants * pi/2).
static double sin_shifted(double radians, int32_t quadrants)
{
    if (!(fabs(radians) <= 1e6)) {
        return NAN;
    }
    int32_t quadrant;
    const struct wide rest = reduce_to_quadrant(radians, &quadrant);
    switch ((quadrant + quadrants) & 3) {
    case 0:
        return sin_series(rest);
    case 1:
        return cos_series(rest);
    case 2:
        return -sin_series(rest);
    default:
        return -cos_series(rest);
    }
}

double exact_sin(double radians)
{
    return sin_shifted(radians, 0);
}

double exact_cos(double radians)
{
    return sin_shifted(radians, 1);
}

/// Returns the arc tangent of a ratio in [0, 1]: atan(c) + atan((t - c) / (1 + c t)) with c the
/// nearest quarter.
static struct wide atan_of_ratio(struct wide t)
{
    static const struct wide atan_of_quarters[] = {
        {0, 0},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    };
    static const double coefficients[] = {
        -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19,
    };
    const int32_t quarters = (int32_t)(t.hi * 4 + 0.5);
    const double c = quarters * 0.25;
    const double divisor = 1 + c * t.hi;
    const double u = (t.hi - c) / divisor; // the difference is exact
    const double square = u * u;
    const double tail = u * square * polynomial(square, coefficients, 9) + t.lo / divisor;
    const struct wide base = atan_of_quarters[quarters];
    const struct wide sum = wide_sum(base.hi, u);
    return wide_sum(sum.hi, sum.lo + (base.lo + tail));
}

double exact_acos(double x)
{
    if (!(fabs(x) <= 1)) {
        return NAN;
    }
    // acos(x) = 2 atan(sqrt((1 - x) / (1 + x)))
    const double size = fabs(x);
    const struct wide ratio = wide_divide(wide_sum(1, -size), wide_sum(1, size));
    struct wide angle = {0, 0};
    if (ratio.hi > 0) {
        const double root = sqrt(ratio.hi);
        const struct wide back = wide_product(root, root);
        const double rest = ((ratio.hi - back.hi) - back.lo) + ratio.lo;
        const struct wide half = atan_of_ratio(wide_sum(root, rest / (2 * root)));
        angle = (struct wide){2 * half.hi, 2 * half.lo};
    }
    return x < 0 ? wide_add(PI, (struct wide){-angle.hi, -angle.lo}).hi : angle.hi;
}

double exact_atan2(double y, double x)
{
    if (y != y || x != x) {
        return NAN;
    }
    const double height = fabs(y);
    const double width = fabs(x);
    const double larger = height > width ? height : width;
    const double smaller = height > width ? width : height;
    // Equal also when both are infinite; a ratio of 0 also when both are zero.
    const double ratio = smaller == larger ? (larger > 0 ? 1 : 0) : smaller / larger;
    struct wide angle = atan_of_ratio((struct wide){ratio, 0});
    if (height > width) {
        angle = wide_add(HALF_PI, (struct wide){-angle.hi, -angle.lo});
    }
    if (signbit(x)) {
        angle = wide_add(PI, (struct wide){-angle.hi, -angle.lo});
    }
    return signbit(y) ? -angle.hi : angle.hi;
}

/// Returns 2^(x.hi + x.lo) for x.hi in [-1022, 1023].
static double exp2_of(struct wide x)
{
    static const double coefficients[] = {
        1.0 / 2,        1.0 / 6,         1.0 / 24,         1.0 / 120,
        1.0 / 720,      1.0 / 5040,      1.0 / 40320,      1.0 / 362880,
        1.0 / 3628800., 1.0 / 39916800., 1.0 / 479001600., 1.0 / 6227020800.,
    };
    const double ln2 = 0x1.62e42fefa39efp-1;
    const int32_t whole = (int32_t)(x.hi < 0 ? x.hi - 0.5 : x.hi + 0.5);
    const double t = ((x.hi - whole) + x.lo) * ln2;
    const double fraction = 1 + (t + t * t * polynomial(t, coefficients, 12));
    const uint64_t bits = (uint64_t)(whole + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return fraction * power;
}

double exact_exp2(double x)
{
    if (!(x >= -1022 && x <= 1023)) {
        return NAN;
    }
    return exp2_of((struct wide){x, 0});
}

/// Splits a positive finite number into fraction * 2^exponent, the fraction in [sqrt(1/2),
/// sqrt(2)].
static double split_exponent(double x, int32_t *exponent)
{
    const int is_subnormal = x < 0x1p-1022;
    const double normal = is_subnormal ? x * 0x1p54 : x;
    uint64_t bits;
    memcpy(&bits, &normal, sizeof bits);
    *exponent = (int32_t)(bits >> 52) - 1023 - (is_subnormal ? 54 : 0);
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double fraction;
    memcpy(&fraction, &bits, sizeof fraction);
    if (fraction > 0x1.6a09e667f3bcdp+0) {
        fraction *= 0.5;
        *exponent += 1;
    }
    return fraction;
}

/// Returns log2 of a positive finite number, accurate to about 2^-64 of its size, so that pow may
/// multiply it by a thousand.
static struct wide log2_of(double x)
{
    static const double coefficients[] = {
        1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
        1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23,
    };
    int32_t exponent;
    const double fraction = split_exponent(x, &exponent);
    // ln(m) = 2 atanh(s) = 2 s (1 + s^2 / 3 + s^4 / 5 + ...) with s = (m - 1) / (m + 1)
    const struct wide below = {fraction - 1, 0}; // exact
    const struct wide s = wide_divide(below, wide_sum(fraction, 1));
    const struct wide square = wide_multiply(s, s);
    const double tail = square.hi * square.hi * polynomial(square.hi, coefficients, 10);
    const struct wide third = wide_multiply(square, THIRD);
    const struct wide series = wide_add((struct wide){1, 0}, wide_sum(third.hi, third.lo + tail));
    const struct wide log = wide_multiply(wide_multiply(s, series), TWO_OVER_LN2);
    return wide_add((struct wide){exponent, 0}, log);
}

double exact_log2(double x)
{
    if (!(x > 0)) {
        return NAN;
    }
    return x > 0x1.fffffffffffffp+1023 ? x : log2_of(x).hi;
}

double exact_pow(double x, double y)
{
    if (!(x > 0 && x <= 0x1.fffffffffffffp+1023) || y != y) {
        return NAN;
    }
    const struct wide log = log2_of(x);
    if (log.hi == 0) {
        return 1;
    }
    // Checked before the exact product, which would overflow for a huge y.
    const double rough = log.hi * y;
    if (!(rough >= -1022 && rough <= 1023)) {
        return NAN;
    }
    return exp2_of(wide_multiply(log, (struct wide){y, 0}));
}
