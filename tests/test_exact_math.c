// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Elementary functions against the C library's long double versions. Where long double is no wider
// than double (the truth would be as coarse as the subject) the ranges are skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "exact_math.h"

enum { SAMPLE_COUNT = 200000 };

/// The bits of the results over fixed arguments: the same on every host, compiler and level.
static const uint64_t golden_hash = 0x45d6449921c68f32;

static uint64_t random_state;

static double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) * 0x1p-53);
}

/// Returns |value - truth| in units of the last place of the truth rounded to double.
static double error_in_ulp(double value, long double truth)
{
    int exponent;
    frexpl(truth, &exponent);
    if (exponent < -1021) {
        exponent = -1021;
    }
    return (double)(fabsl((long double)value - truth) / ldexpl(1.0L, exponent - 53));
}

static void skip_without_long_double(void)
{
    random_state = 1;
#if LDBL_MANT_DIG < 64
    skip();
#endif
}

typedef double (*subject)(double);
typedef long double (*truth)(long double);

static double worst_ulp(subject function, truth reference, double low, double high)
{
    double worst = 0;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double x = random_between(low, high);
        const double error = error_in_ulp(function(x), reference(x));
        worst = error > worst ? error : worst;
    }
    return worst;
}

/// Fails with numbers: an assertion on a flag would hide how far off it was.
static void assert_at_most(double value, double bound)
{
    if (!(value <= bound)) {
        fail_msg("%.4f is over the bound %.4f", value, bound);
    }
}

static void test_exact_math_sin_and_cos_small_angles_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    assert_at_most(worst_ulp(exact_sin, sinl, -0.8, 0.8), 1.5);
    assert_at_most(worst_ulp(exact_sin, sinl, -1e-9, 1e-9), 1.0);
    assert_at_most(worst_ulp(exact_cos, cosl, -0.8, 0.8), 1.5);
}

static void test_exact_math_sin_and_cos_to_a_million_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    const double ranges[] = {10, 1000, 1e6};
    for (size_t i = 0; i < 3; i++) {
        assert_at_most(worst_ulp(exact_sin, sinl, -ranges[i], ranges[i]), 1.5);
        assert_at_most(worst_ulp(exact_cos, cosl, -ranges[i], ranges[i]), 1.5);
    }
}

static void test_exact_math_sin_at_multiples_of_pi_within_a_tenth_of_an_attometre(void **state)
{
    (void)state;
    skip_without_long_double();
    for (int n = -318309; n <= 318309; n += 7) {
        const double x = n * 3.14159265358979323846;
        assert_true(fabsl((long double)exact_sin(x) - sinl(x)) < 1e-16L);
        const double y = (n + 0.5) * 3.14159265358979323846;
        assert_true(fabsl((long double)exact_cos(y) - cosl(y)) < 1e-16L);
    }
}

static void test_exact_math_acos_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    assert_at_most(worst_ulp(exact_acos, acosl, -1, 1), 2);
    assert_at_most(worst_ulp(exact_acos, acosl, 0.999999, 1), 2);
    assert_at_most(worst_ulp(exact_acos, acosl, -1, -0.999999), 2);
    assert_at_most(worst_ulp(exact_acos, acosl, -1e-8, 1e-8), 2);
    assert_at_most(error_in_ulp(exact_acos(1 - 0x1p-53), acosl(1 - 0x1p-53)), 2);
    assert_at_most(error_in_ulp(exact_acos(-1 + 0x1p-53), acosl(-1 + 0x1p-53)), 2);
}

static void test_exact_math_atan2_any_quadrant_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    double worst = 0;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double y = random_between(-2, 2);
        const double x = random_between(-2, 2) * exact_exp2(random_between(-40, 40));
        const double error = error_in_ulp(exact_atan2(y, x), atan2l(y, x));
        worst = error > worst ? error : worst;
    }
    assert_at_most(worst, 2);
}

static void test_exact_math_exp2_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    assert_at_most(worst_ulp(exact_exp2, exp2l, -1022, 1023), 1.5);
    assert_at_most(worst_ulp(exact_exp2, exp2l, -1, 1), 1.5);
}

static void test_exact_math_log2_within_two_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    assert_at_most(worst_ulp(exact_log2, log2l, 1e-3, 1e3), 1.0);
    assert_at_most(worst_ulp(exact_log2, log2l, 0.999, 1.001), 1.0);
    assert_at_most(worst_ulp(exact_log2, log2l, 1e-310, 1e-300), 1.0);
    assert_at_most(worst_ulp(exact_log2, log2l, 1e300, 1e308), 1.0);
}

static void test_exact_math_pow_within_four_ulp(void **state)
{
    (void)state;
    skip_without_long_double();
    double worst = 0;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        const double x = exact_exp2(random_between(-30, 30));
        const double y = random_between(-33, 33);
        const double error = error_in_ulp(exact_pow(x, y), powl(x, y));
        worst = error > worst ? error : worst;
    }
    assert_at_most(worst, 2);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_exact_math_special_values_are_exact(void **state)
{
    (void)state;
    const double pi = 0x1.921fb54442d18p+1;
    assert_true(same_bits(exact_sin(0), 0));
    assert_true(same_bits(exact_cos(0), 1));
    assert_true(same_bits(exact_acos(1), 0));
    assert_true(same_bits(exact_acos(-1), pi));
    assert_true(same_bits(exact_acos(0), pi / 2));
    assert_true(same_bits(exact_atan2(0, 1), 0));
    assert_true(same_bits(exact_atan2(-0.0, 1), -0.0));
    assert_true(same_bits(exact_atan2(0, -1), pi));
    assert_true(same_bits(exact_atan2(0, 0), 0));
    assert_true(same_bits(exact_atan2(0, -0.0), pi));
    assert_true(same_bits(exact_atan2(3, 0), pi / 2));
    assert_true(same_bits(exact_atan2(-3, 0), -pi / 2));
    assert_true(same_bits(exact_atan2(5, 5), pi / 4));
    assert_true(same_bits(exact_atan2(INFINITY, INFINITY), pi / 4));
    assert_true(same_bits(exact_atan2(1, -INFINITY), pi));
    assert_true(same_bits(exact_atan2(1, INFINITY), 0));
    assert_true(same_bits(exact_atan2(INFINITY, 1), pi / 2));
    assert_true(same_bits(exact_atan2(1e308, 1e-308), pi / 2));
    for (int n = -1022; n <= 1023; n++) {
        assert_true(same_bits(exact_exp2(n), ldexp(1, n)));
        assert_true(same_bits(exact_log2(ldexp(1, n)), n));
    }
    assert_true(same_bits(exact_log2(0x1p-1074), -1074));
    assert_true(same_bits(exact_log2(INFINITY), INFINITY));
    assert_true(same_bits(exact_pow(3, 0), 1));
    assert_true(same_bits(exact_pow(1, 1e300), 1));
    assert_true(same_bits(exact_pow(3, 4), 81));
    assert_true(same_bits(exact_pow(2, -3), 0.125));
}

static void test_exact_math_outside_the_range_is_nan(void **state)
{
    (void)state;
    const double outside[] = {NAN, INFINITY, -INFINITY, 1e7};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_true(isnan(exact_sin(outside[i])));
        assert_true(isnan(exact_cos(outside[i])));
        assert_true(isnan(exact_acos(outside[i])));
        assert_true(isnan(exact_exp2(outside[i])));
    }
    assert_true(isnan(exact_acos(1 + 0x1p-52)));
    assert_true(isnan(exact_acos(-1 - 0x1p-52)));
    assert_true(isnan(exact_atan2(NAN, 1)));
    assert_true(isnan(exact_atan2(1, NAN)));
    assert_true(isnan(exact_log2(0)));
    assert_true(isnan(exact_log2(-1)));
    assert_true(isnan(exact_log2(NAN)));
    assert_true(isnan(exact_pow(0, 1)));
    assert_true(isnan(exact_pow(-1, 1)));
    assert_true(isnan(exact_pow(NAN, 1)));
    assert_true(isnan(exact_pow(2, NAN)));
    assert_true(isnan(exact_pow(2, 1024)));
    assert_true(isnan(exact_pow(2, 1e308)));
    assert_true(isnan(exact_pow(2, -1e308)));
}

static void hash_double(uint64_t *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        *hash = (*hash ^ (bits >> (8 * i) & 0xff)) * 0x100000001b3u;
    }
}

static void test_exact_math_bits_match_the_golden_hash(void **state)
{
    (void)state;
    random_state = 2;
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 20000; i++) {
        hash_double(&hash, exact_sin(random_between(-1e6, 1e6)));
        hash_double(&hash, exact_cos(random_between(-4, 4)));
        hash_double(&hash, exact_acos(random_between(-1, 1)));
        const double y = random_between(-1, 1);
        hash_double(&hash, exact_atan2(y, random_between(-1, 1)));
        hash_double(&hash, exact_exp2(random_between(-1022, 1023)));
        hash_double(&hash, exact_log2(random_between(0, 1e3)));
        const double base = random_between(1e-3, 1e3);
        hash_double(&hash, exact_pow(base, random_between(-50, 50)));
    }
    if (hash != golden_hash) {
        fail_msg("the hash is 0x%016llx", (unsigned long long)hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_math_sin_and_cos_small_angles_within_two_ulp),
        cmocka_unit_test(test_exact_math_sin_and_cos_to_a_million_within_two_ulp),
        cmocka_unit_test(test_exact_math_sin_at_multiples_of_pi_within_a_tenth_of_an_attometre),
        cmocka_unit_test(test_exact_math_acos_within_two_ulp),
        cmocka_unit_test(test_exact_math_atan2_any_quadrant_within_two_ulp),
        cmocka_unit_test(test_exact_math_exp2_within_two_ulp),
        cmocka_unit_test(test_exact_math_log2_within_two_ulp),
        cmocka_unit_test(test_exact_math_pow_within_four_ulp),
        cmocka_unit_test(test_exact_math_special_values_are_exact),
        cmocka_unit_test(test_exact_math_outside_the_range_is_nan),
        cmocka_unit_test(test_exact_math_bits_match_the_golden_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
