// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Angles as whole numbers, and their sines and cosines against those of long double.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "angle.h"
#include "synthetic_clip.h"

enum { SAMPLE_COUNT = 200000 };

static uint64_t chance_64(uint64_t *state)
{
    const uint64_t high = synthetic_chance(state);
    return high << 32 | synthetic_chance(state);
}

/// Returns how far a value is off, in units of the last place of a truth that is not 0.
static double error_in_ulp(double value, long double truth)
{
    int exponent;
    frexpl(truth, &exponent);
    return (double)(fabsl((long double)value - truth) / ldexpl(1.0L, exponent - 53));
}

/// Fails with the number.
static void assert_at_most(double value, double bound)
{
    if (!(value <= bound)) {
        fail_msg("%.4f is over the bound %.4f", value, bound);
    }
}

/// Returns the truth for an angle of at most an eighth of a turn and its quarter turns, which are
/// taken off in whole numbers.
static long double true_sin(uint64_t angle, unsigned quarters)
{
    const long double two_pi = 2 * acosl(-1);
    const uint64_t quarter = (angle >> 61) + 1;
    const int64_t rest = (int64_t)(angle - (quarter >> 1 << 62));
    const long double x = ldexpl((long double)rest, -64) * two_pi;
    switch (((quarter >> 1) + quarters) & 3) {
    case 0:
        return sinl(x);
    case 1:
        return cosl(x);
    case 2:
        return -sinl(x);
    default:
        return -cosl(x);
    }
}

static void test_angle_sine_and_cosine_are_within_three_ulp(void **state)
{
    (void)state;
#if LDBL_MANT_DIG < 64
    skip();
#endif
    double worst = 0;
    uint64_t chance = 1;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        // All sizes of angle, around every quarter turn.
        const uint64_t offset = chance_64(&chance) >> (synthetic_chance(&chance) % 64);
        const uint64_t base = (uint64_t)(synthetic_chance(&chance) % 4) << 62;
        const trp__angle angle = synthetic_chance(&chance) % 2 ? base + offset : base - offset;
        const struct trp__direction direction = trp__direction_of(angle);
        if (true_sin(angle, 0) != 0) {
            worst = fmax(worst, error_in_ulp(direction.sin, true_sin(angle, 0)));
        }
        if (true_sin(angle, 1) != 0) {
            worst = fmax(worst, error_in_ulp(direction.cos, true_sin(angle, 1)));
        }
    }
    assert_at_most(worst, 3);
}

static void test_angle_sine_and_cosine_are_exact_at_quarter_turns(void **state)
{
    (void)state;
    static const struct trp__direction truths[4] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (uint64_t quarter = 0; quarter < 4; quarter++) {
        const struct trp__direction direction = trp__direction_of(quarter << 62);
        assert_memory_equal(&direction, &truths[quarter], sizeof direction); // none is -0
    }
}

static void test_angle_length_is_one(void **state)
{
    (void)state;
    uint64_t chance = 2;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const struct trp__direction direction = trp__direction_of(chance_64(&chance));
        const double square = direction.sin * direction.sin + direction.cos * direction.cos;
        assert_true(fabs(square - 1) < 1e-15);
    }
}

static void test_angle_of_turns_is_their_fraction(void **state)
{
    (void)state;
    static const struct {
        double turns;
        uint64_t angle;
    } cases[] = {
        {0, 0},
        {0.25, 0x4000000000000000},
        {0.5, 0x8000000000000000},
        {-0.25, 0xC000000000000000},
        {7, 0},
        {-7, 0},
        {1234567.75, 0xC000000000000000},
        {-1234567.75, 0x4000000000000000},
        {0x1p-63, 2},
        {-0x1p-63, (uint64_t)-2},
        {0x1.8p-63, 2},
        {-0x1.8p-63, (uint64_t)-2},
        {0x1p-64, 0},
        {-0x1p-64, 0},
        {0x1.fffffffffffffp-1, 0xFFFFFFFFFFFFF800},
        {0x1p51 + 0.5, 0x8000000000000000},
        {0x1p52, 0},
        {-0x1p52, 0},
        {DBL_MAX, 0},
        {(double)INFINITY, 0},
        {-(double)INFINITY, 0},
        {(double)NAN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(trp__angle_of_turns(cases[i].turns) == cases[i].angle);
    }
}

static void test_angle_of_turns_is_even_and_halves_exactly(void **state)
{
    (void)state;
    uint64_t chance = 3;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double turns = synthetic_chance_between(&chance, -3, 3);
        const trp__angle angle = trp__angle_of_turns(turns);
        assert_true(angle % 2 == 0);
        assert_true(2 * trp__angle_half(angle) == angle);
        assert_true(trp__angle_of_turns(-turns) == 0 - angle);
        const int64_t half = (int64_t)trp__angle_half(angle);
        assert_true(half >= -(INT64_C(1) << 62) && half < INT64_C(1) << 62);
    }
}

static void test_angle_of_radians_is_that_of_turns(void **state)
{
    (void)state;
    static const double sizes[4] = {1e-9, 1, 100, 1e6};
    uint64_t chance = 4;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double size = sizes[i % 4];
        const double radians = synthetic_chance_between(&chance, -size, size);
        const struct trp__direction direction = trp__direction_of(trp__angle_of_radians(radians));
        const double bound = 4e-16 + 2.3e-16 * fabs(radians);
        assert_true(fabs(direction.sin - sin(radians)) <= bound);
        assert_true(fabs(direction.cos - cos(radians)) <= bound);
    }
}

static void test_angle_radians_are_within_three_ulp(void **state)
{
    (void)state;
#if LDBL_MANT_DIG < 64
    skip();
#endif
    double worst = 0;
    uint64_t chance = 5;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        // All sizes, and all ratios of them.
        const double size = ldexp(1, (int)(synthetic_chance(&chance) % 400) - 200);
        const double ratio = ldexp(1, -(int)(synthetic_chance(&chance) % 60));
        const double a = synthetic_chance_between(&chance, -size, size);
        const double b = synthetic_chance_between(&chance, -size, size) * ratio;
        const double x = i % 2 ? a : b;
        const double y = i % 2 ? b : a;
        const long double truth = atan2l(y, x);
        if (truth != 0) {
            worst = fmax(worst, error_in_ulp(trp__radians_of(x, y), truth));
        }
    }
    assert_at_most(worst, 3);
}

static void test_angle_radians_are_exact_on_the_axes(void **state)
{
    (void)state;
    const double half = acos(-1);
    assert_true(trp__radians_of(3, 0) == 0);
    assert_true(trp__radians_of(3, -0.0) == 0);
    assert_true(trp__radians_of(0, 1e-300) == half / 2);
    assert_true(trp__radians_of(0, -1e300) == -half / 2);
    assert_true(trp__radians_of(-2, 0) == half);
    assert_true(trp__radians_of(-2, -0.0) == half); // never -pi
    assert_true(trp__radians_of(5, 5) == half / 4);
    assert_true(trp__radians_of(0, 0) == 0);
    assert_true(trp__radians_of(-0.0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angle_sine_and_cosine_are_within_three_ulp),
        cmocka_unit_test(test_angle_sine_and_cosine_are_exact_at_quarter_turns),
        cmocka_unit_test(test_angle_length_is_one),
        cmocka_unit_test(test_angle_of_turns_is_their_fraction),
        cmocka_unit_test(test_angle_of_turns_is_even_and_halves_exactly),
        cmocka_unit_test(test_angle_of_radians_is_that_of_turns),
        cmocka_unit_test(test_angle_radians_are_within_three_ulp),
        cmocka_unit_test(test_angle_radians_are_exact_on_the_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
