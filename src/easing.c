// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "easing.h"

#include <math.h>
#include <string.h>
#include <troupe/easing.h>

#define PI 3.14159265358979323846

// -- Functions that libm does not give the same everywhere

/// Returns the nearest integer of a number that fits into 32 bits.
static double nearest(double value)
{
    return (double)(int32_t)(value < 0 ? value - 0.5 : value + 0.5);
}

double trp__sine(double angle_rad)
{
    // In two parts, so that up to 1,000 turns can be taken off without loss.
    static const double pi_high = 0x1.921FB544p+1;
    static const double pi_low = 0x1.0B4611A626331p-33;
    const double half_turns = nearest(angle_rad * (1 / PI));
    const double r = (angle_rad - half_turns * pi_high) - half_turns * pi_low;

    // Taylor's series to the power of 21, on a quarter turn to each side.
    static const double terms[11] = {
        1.0,
        -1.0 / 6,
        1.0 / 120,
        -1.0 / 5040,
        1.0 / 362880,
        -1.0 / 39916800,
        1.0 / 6227020800,
        -1.0 / 1307674368000,
        1.0 / 355687428096000,
        -1.0 / 121645100408832000,
        1.0 / 51090942171709440000.0,
    };
    const double square = r * r;
    double sum = terms[10];
    for (int i = 9; i >= 0; i--) {
        sum = terms[i] + square * sum;
    }
    return (int32_t)half_turns & 1 ? -(r * sum) : r * sum;
}

double trp__exp2(double exponent)
{
    const double whole = nearest(exponent);
    const double x = (exponent - whole) * 0.69314718055994530942; // ln 2
    double sum = 1;
    for (int i = 13; i >= 1; i--) { // Taylor's series of e^x, on half an octave to each side
        sum = 1 + x / i * sum;
    }
    const uint64_t bits = (uint64_t)(1023 + (int64_t)whole) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

// -- Named easings

/// 1 - cos(u * PI / 2), without the cancellation that this has near 0.
static double sine_in(double u)
{
    const double sine = trp__sine(u * (PI / 4));
    return u < 1 ? 2 * sine * sine : 1;
}

static double expo_in(double u)
{
    return u > 0 ? trp__exp2(10 * (u - 1)) - 0.001 : 0;
}

static double back_in(double u, double overshoot)
{
    return u * u * ((overshoot + 1) * u - overshoot);
}

static double elastic_in(double u, double period)
{
    if (u <= 0 || u >= 1) {
        return u;
    }
    return -(trp__exp2(10 * (u - 1)) * trp__sine((u - 1 - period / 4) * (2 * PI / period)));
}

static double bounce_out(double u)
{
    if (u < 1 / 2.75) {
        return 7.5625 * u * u;
    }
    if (u < 2 / 2.75) {
        const double v = u - 1.5 / 2.75;
        return 7.5625 * v * v + 0.75;
    }
    if (u < 2.5 / 2.75) {
        const double v = u - 2.25 / 2.75;
        return 7.5625 * v * v + 0.9375;
    }
    const double v = u - 2.625 / 2.75;
    return 7.5625 * v * v + 0.984375;
}

/// The slow start of a family. Some are of another shape where a slow end follows.
static double ease_in(enum trp__easing_family family, double u, int is_in_out)
{
    switch (family) {
    case TRP__EASING_QUAD:
        return u * u;
    case TRP__EASING_CUBIC:
        return u * u * u;
    case TRP__EASING_QUART:
        return u * u * (u * u);
    case TRP__EASING_QUINT:
        return u * u * (u * u) * u;
    case TRP__EASING_SINE:
        return sine_in(u);
    case TRP__EASING_EXPO:
        return expo_in(u);
    case TRP__EASING_CIRC:
        return u * u / (1 + sqrt(1 - u * u));
    case TRP__EASING_BACK:
        return back_in(u, is_in_out ? 2.5949095 : 1.70158);
    case TRP__EASING_ELASTIC:
        return elastic_in(u, is_in_out ? 0.45 : 0.3);
    case TRP__EASING_BOUNCE:
        return 1 - bounce_out(1 - u);
    }
    return u;
}

/// The slow end of a family: the slow start turned round, but for expo; of sine that is simpler.
static double ease_out(enum trp__easing_family family, double u)
{
    if (family == TRP__EASING_EXPO) {
        return u < 1 ? 1.001 * (1 - trp__exp2(-10 * u)) : 1;
    }
    if (family == TRP__EASING_SINE) {
        return trp__sine(u * (PI / 2));
    }
    return 1 - ease_in(family, 1 - u, 0);
}

static double ease_in_out(enum trp__easing_family family, double u)
{
    if (u < 0.5) {
        return ease_in(family, 2 * u, 1) / 2;
    }
    if (family == TRP__EASING_EXPO) {
        return u < 1 ? 0.50025 * (2 - trp__exp2(-10 * (2 * u - 1))) : 1;
    }
    return 1 - ease_in(family, 2 - 2 * u, 1) / 2;
}

double trp__ease(uint32_t easing, double u)
{
    const double clamped = u > 0 ? (u < 1 ? u : 1) : 0;
    if (easing == TRP__EASING_LINEAR || easing >= TRP__EASING_COUNT) {
        return clamped;
    }
    const enum trp__easing_family family = (enum trp__easing_family)((easing - 1) / 4);
    switch ((enum trp__easing_kind)((easing - 1) % 4)) {
    case TRP__EASING_IN:
        return ease_in(family, clamped, 0);
    case TRP__EASING_OUT:
        return ease_out(family, clamped);
    case TRP__EASING_IN_OUT:
        return ease_in_out(family, clamped);
    case TRP__EASING_OUT_IN:
        return clamped < 0.5 ? ease_out(family, 2 * clamped) / 2
                             : 0.5 + ease_in(family, 2 * clamped - 1, 0) / 2;
    }
    return clamped;
}

// -- Their names

_Static_assert(TRP_EASING_COUNT == TRP__EASING_COUNT, "numbers in packs are those of the API");

static const char names[TRP_EASING_COUNT][16] = {
    "linear",       "inquad",     "outquad",    "inoutquad",   "outinquad",   "incubic",
    "outcubic",     "inoutcubic", "outincubic", "inquart",     "outquart",    "inoutquart",
    "outinquart",   "inquint",    "outquint",   "inoutquint",  "outinquint",  "insine",
    "outsine",      "inoutsine",  "outinsine",  "inexpo",      "outexpo",     "inoutexpo",
    "outinexpo",    "incirc",     "outcirc",    "inoutcirc",   "outincirc",   "inback",
    "outback",      "inoutback",  "outinback",  "inelastic",   "outelastic",  "inoutelastic",
    "outinelastic", "inbounce",   "outbounce",  "inoutbounce", "outinbounce",
};

uint32_t trp_easing_find(const char *name)
{
    for (uint32_t easing = 0; name && easing < TRP_EASING_COUNT; easing++) {
        uint32_t i = 0;
        while (name[i] == names[easing][i] && name[i] != 0) {
            i++;
        }
        if (name[i] == names[easing][i]) {
            return easing;
        }
    }
    return TRP_NONE;
}

const char *trp_easing_name(uint32_t easing)
{
    return easing < TRP_EASING_COUNT ? names[easing] : "";
}

double trp_ease(uint32_t easing, double u)
{
    return trp__ease(easing, u);
}

// -- Drawn curves

double trp__bezier_parameter(const float x[2], double u)
{
    // x(s) = ((a s + b) s + c) s never falls: Newton's steps, halved where they leave the bracket.
    const double c = 3 * (double)x[0];
    const double b = 3 * ((double)x[1] - (double)x[0]) - c;
    const double a = 1 - c - b;
    double low = 0;
    double high = 1;
    double s = u;
    for (int i = 0; i < 64; i++) {
        const double error = ((a * s + b) * s + c) * s - u;
        if (error == 0 || high - low < 1e-15) {
            break;
        }
        low = error < 0 ? s : low;
        high = error > 0 ? s : high;
        const double slope = (3 * a * s + 2 * b) * s + c;
        const double next = s - error / (slope > 1e-9 ? slope : 1e-9);
        const double inside = next > low && next < high ? next : (low + high) / 2;
        if (inside == s) {
            break;
        }
        s = inside;
    }
    return s;
}

double trp__sampled_curve(const float *table, uint32_t count, double u)
{
    const double place = u * (double)(count - 1);
    if (!(place > 0)) {
        return table[0];
    }
    if (place >= (double)(count - 1)) {
        return table[count - 1];
    }
    const uint32_t index = (uint32_t)place;
    const double first = table[index];
    return first + (place - (double)index) * ((double)table[index + 1] - first);
}
