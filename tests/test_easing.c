// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Time curves and slerp against libm, and named easings against the golden table where
// TROUPE_ASSETS has it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/easing.h>

#include "easing.h"
#include "slerp.h"
#include "synthetic_clip.h"

#define PI 3.14159265358979323846

// -- Functions -----------------------------------------------------------------------------------

static void test_easing_sine_and_exp2_agree_with_libm(void **state)
{
    (void)state;
    uint64_t chance = 1;
    for (int i = 0; i < 100000; i++) {
        const double angle = synthetic_chance_between(&chance, -6000, 6000);
        assert_true(fabs(trp__sine(angle) - sin(angle)) < 1e-13);
        assert_true(fabs(trp__sine(angle / 1000) - sin(angle / 1000)) < 1e-15);
        const double exponent = synthetic_chance_between(&chance, -20, 20);
        assert_true(fabs(trp__exp2(exponent) / exp2(exponent) - 1) < 1e-14);
    }
    for (int i = -1000; i <= 1000; i++) {
        assert_true(trp__exp2(i) == ldexp(1, i));
    }
    assert_true(trp__sine(0) == 0);
}

// -- Named easings -------------------------------------------------------------------------------

static const char *const families[10] = {"quad", "cubic", "quart", "quint",   "sine",
                                         "expo", "circ",  "back",  "elastic", "bounce"};
static const char *const kinds[4] = {"in", "out", "inout", "outin"};

/// Penner's functions as he wrote them, in libm's arithmetic, for one family.
static double penner_in(int family, double t, double s, double p)
{
    switch (family) {
    case TRP__EASING_SINE:
        return 1 - cos(t * PI / 2);
    case TRP__EASING_EXPO:
        return t == 0 ? 0 : pow(2, 10 * (t - 1)) - 0.001;
    case TRP__EASING_CIRC:
        return -(sqrt(1 - t * t) - 1);
    case TRP__EASING_BACK:
        return t * t * ((s + 1) * t - s);
    case TRP__EASING_ELASTIC:
        return t == 0 || t == 1 ? t : -(pow(2, 10 * (t - 1)) * sin((t - 1 - p / 4) * 2 * PI / p));
    default:
        return pow(t, family + 2);
    }
}

static double penner_out(int family, double t, double s, double p)
{
    switch (family) {
    case TRP__EASING_SINE:
        return sin(t * PI / 2);
    case TRP__EASING_EXPO:
        return t == 1 ? 1 : 1.001 * (1 - pow(2, -10 * t));
    case TRP__EASING_CIRC:
        return sqrt(1 - (t - 1) * (t - 1));
    case TRP__EASING_BACK:
        return (t - 1) * (t - 1) * ((s + 1) * (t - 1) + s) + 1;
    case TRP__EASING_ELASTIC:
        return t == 0 || t == 1 ? t : pow(2, -10 * t) * sin((t - p / 4) * 2 * PI / p) + 1;
    default:
        return 1 - pow(1 - t, family + 2);
    }
}

static void test_easing_named_ones_are_penners(void **state)
{
    (void)state;
    for (int family = 0; family < TRP__EASING_BOUNCE; family++) {
        for (int i = 0; i <= 1000; i++) {
            const double t = i / 1000.0;
            const double s = 1.70158;
            const double p = 0.3;
            double in_out = t < 0.5 ? penner_in(family, 2 * t, s * 1.525, p * 1.5) / 2
                                    : 0.5 + penner_out(family, 2 * t - 1, s * 1.525, p * 1.5) / 2;
            if (family == TRP__EASING_EXPO && t >= 0.5 && t < 1) { // the one that is not two halves
                in_out = 0.5 * 1.0005 * (2 - pow(2, -10 * (2 * t - 1)));
            }
            const double out_in = t < 0.5 ? penner_out(family, 2 * t, s, p) / 2
                                          : 0.5 + penner_in(family, 2 * t - 1, s, p) / 2;
            const double truth[4] = {penner_in(family, t, s, p), penner_out(family, t, s, p),
                                     in_out, out_in};
            for (int kind = 0; kind < 4; kind++) {
                assert_true(fabs(trp__ease(TRP__EASING(family, kind), t) - truth[kind]) < 1e-12);
            }
        }
    }
}

static void test_easing_bounce_falls_four_times(void **state)
{
    (void)state;
    static const double ground[4] = {1 / 2.75, 2 / 2.75, 2.5 / 2.75, 1};
    static const double tops[3][2] = {
        {1.5 / 2.75, 0.75}, {2.25 / 2.75, 0.9375}, {2.625 / 2.75, 0.984375}};
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(trp__ease(TRP__EASING(TRP__EASING_BOUNCE, 1), ground[i]) - 1) < 1e-12);
        assert_true(fabs(trp__ease(TRP__EASING(TRP__EASING_BOUNCE, 0), 1 - ground[i])) < 1e-12);
    }
    for (int i = 0; i < 3; i++) {
        const double top = trp__ease(TRP__EASING(TRP__EASING_BOUNCE, 1), tops[i][0]);
        assert_true(fabs(top - tops[i][1]) < 1e-12);
    }
}

/// Near its start a slow one is next to 0, and still as it should be: a clip eased by it must not
/// come before the start of what it shows.
static void test_easing_slow_starts_are_not_below_zero(void **state)
{
    (void)state;
    for (double u = 1e-300; u < 0.5; u *= 1.37) {
        const double sine = trp__ease(TRP__EASING(TRP__EASING_SINE, TRP__EASING_IN), u);
        const double circ = trp__ease(TRP__EASING(TRP__EASING_CIRC, TRP__EASING_IN), u);
        const double half = sin(u * (PI / 4));
        assert_true(fabs(sine - 2 * half * half) <= 1e-15 * sine);
        assert_true(fabs(circ - u * u / (1 + sqrt(1 - u * u))) <= 1e-15 * circ);
        assert_true(sine >= 0 && circ >= 0);
    }
}

static void test_easing_all_start_and_end_where_they_should(void **state)
{
    (void)state;
    for (uint32_t easing = 0; easing < TRP__EASING_COUNT; easing++) {
        const double end = easing == TRP__EASING(TRP__EASING_EXPO, 0)   ? 0.999
                           : easing == TRP__EASING(TRP__EASING_EXPO, 3) ? 0.9995
                                                                        : 1;
        assert_true(fabs(trp__ease(easing, 0)) < 1e-15);
        assert_true(fabs(trp__ease(easing, 1) - end) < 1e-15);
        assert_true(trp__ease(easing, -1) == trp__ease(easing, 0));
        assert_true(trp__ease(easing, 7) == trp__ease(easing, 1));
        assert_true(trp__ease(easing, (double)NAN) == trp__ease(easing, 0));
    }
    assert_true(trp__ease(TRP__EASING_COUNT, 0.3) == 0.3);
    assert_true(trp__ease(UINT32_MAX, 0.3) == 0.3);
}

static void test_easing_names_are_kind_and_family(void **state)
{
    (void)state;
    static const char *const others[10] = {"",        "in",       "quad",  "Linear", "linear ",
                                           "inquadx", "out_sine", "inqua", "easein", "OUTSINE"};
    assert_string_equal(trp_easing_name(TRP_EASING_LINEAR), "linear");
    assert_int_equal(trp_easing_find("linear"), TRP_EASING_LINEAR);
    for (uint32_t easing = 1; easing < TRP_EASING_COUNT; easing++) {
        char full[32];
        snprintf(full, sizeof full, "%s%s", kinds[(easing - 1) % 4], families[(easing - 1) / 4]);
        assert_string_equal(trp_easing_name(easing), full);
        assert_int_equal(trp_easing_find(full), easing);
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(trp_easing_find(others[i]), TRP_NONE);
    }
    assert_int_equal(trp_easing_find(NULL), TRP_NONE);
    assert_string_equal(trp_easing_name(TRP_EASING_COUNT), "");
    assert_string_equal(trp_easing_name(TRP_NONE), "");
}

static void test_easing_named_ones_agree_with_the_golden_table(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    char line[1024];
    snprintf(line, sizeof line, "%s/samples/panthera/easing_golden.csv", assets ? assets : "");
    FILE *const file = assets ? fopen(line, "r") : NULL;
    if (!file) {
        skip();
    }
    uint32_t row_count = 0;
    assert_non_null(fgets(line, sizeof line, file)); // the head
    while (fgets(line, sizeof line, file)) {
        const char *const name = strtok(line, ",");
        const uint32_t easing = trp_easing_find(name);
        for (int i = 0; i <= 20 && easing != TRP_NONE; i++) {
            const double golden = strtod(strtok(NULL, ","), NULL);
            assert_true(fabs(trp_ease(easing, i / 20.0) - golden) < 1e-8);
        }
        row_count += easing != TRP_NONE;
    }
    fclose(file);
    assert_int_equal(row_count, TRP__EASING_COUNT);
}

// -- Drawn curves --------------------------------------------------------------------------------

static void test_easing_bezier_parameter_reaches_its_time(void **state)
{
    (void)state;
    static const float edges[5] = {0.0f, 1.0f, 0.5f, 1.0f / 3, 2.0f / 3};
    uint64_t chance = 2;
    for (int i = 0; i < 20000; i++) {
        const float x[2] = {
            i < 25 ? edges[i / 5] : (float)synthetic_chance_between(&chance, 0, 1),
            i < 25 ? edges[i % 5] : (float)synthetic_chance_between(&chance, 0, 1),
        };
        double before = 0;
        for (int j = 0; j <= 50; j++) {
            const double s = trp__bezier_parameter(x, j / 50.0);
            const double r = 1 - s;
            const double time = 3 * r * r * s * x[0] + 3 * r * s * s * x[1] + s * s * s;
            assert_true(fabs(time - j / 50.0) < 1e-14);
            assert_true(s >= before - 1e-5 && s <= 1);
            before = s;
        }
    }
    const float straight[2] = {1.0f / 3, 2.0f / 3};
    assert_true(fabs(trp__bezier_parameter(straight, 0.3) - 0.3) < 1e-7);
}

static void test_easing_sampled_curve_is_straight_between_its_samples(void **state)
{
    (void)state;
    const float table[5] = {0.25f, 1, 2, 1, -0.5f};
    assert_true(trp__sampled_curve(table, 5, 0) == 0.25);
    assert_true(trp__sampled_curve(table, 5, 0.125) == 0.625);
    assert_true(trp__sampled_curve(table, 5, 0.5) == 2);
    assert_true(trp__sampled_curve(table, 5, 0.9375) == -0.125);
    assert_true(trp__sampled_curve(table, 5, 1) == -0.5);
    assert_true(trp__sampled_curve(table, 2, 0.5) == 0.625);
    assert_true(trp__sampled_curve(table, 2, -3) == 0.25);
    assert_true(trp__sampled_curve(table, 2, 3) == 1);
}

// -- Slerp ---------------------------------------------------------------------------------------

static void test_easing_slerp_is_within_its_bound(void **state)
{
    (void)state;
    uint64_t chance = 3;
    double largest = 0;
    for (int i = 0; i < 200000; i++) {
        float q0[4];
        float q1[4];
        double n0 = 0;
        double n1 = 0;
        const double spread = pow(10, synthetic_chance_between(&chance, -9, 0.3));
        for (int j = 0; j < 4; j++) {
            q0[j] = (float)synthetic_chance_between(&chance, -1, 1);
            q1[j] = q0[j] + (float)(spread * synthetic_chance_between(&chance, -1, 1));
            n0 += (double)q0[j] * q0[j];
            n1 += (double)q1[j] * q1[j];
        }
        const double sign = i % 2 ? 1 : -1;
        double dot = 0;
        double difference = 0;
        for (int j = 0; j < 4; j++) {
            q1[j] *= (float)sign;
            dot += q0[j] / sqrt(n0) * (q1[j] / sqrt(n1));
        }
        for (int j = 0; j < 4; j++) {
            const double d = (dot < 0 ? -1 : 1) * q1[j] / sqrt(n1) - q0[j] / sqrt(n0);
            difference += d * d;
        }
        const double angle = 2 * asin(fmin(sqrt(difference) / 2, 1));
        const double u = synthetic_chance_between(&chance, 0, 1);
        float q[4];
        trp__slerp(q0, q1, u, q);
        double length = 0;
        for (int j = 0; j < 4; j++) {
            const double a = angle > 1e-12 ? sin(angle * (1 - u)) / sin(angle) : 1 - u;
            const double b = angle > 1e-12 ? sin(angle * u) / sin(angle) : u;
            const double truth = a * q0[j] / sqrt(n0) + (dot < 0 ? -b : b) * q1[j] / sqrt(n1);
            largest = fmax(largest, fabs(q[j] - truth));
            length += (double)q[j] * q[j];
        }
        assert_true(fabs(sqrt(length) - 1) < 1e-6);
    }
    assert_true(largest < 2e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_easing_sine_and_exp2_agree_with_libm),
        cmocka_unit_test(test_easing_named_ones_are_penners),
        cmocka_unit_test(test_easing_bounce_falls_four_times),
        cmocka_unit_test(test_easing_slow_starts_are_not_below_zero),
        cmocka_unit_test(test_easing_all_start_and_end_where_they_should),
        cmocka_unit_test(test_easing_names_are_kind_and_family),
        cmocka_unit_test(test_easing_named_ones_agree_with_the_golden_table),
        cmocka_unit_test(test_easing_bezier_parameter_reaches_its_time),
        cmocka_unit_test(test_easing_sampled_curve_is_straight_between_its_samples),
        cmocka_unit_test(test_easing_slerp_is_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
