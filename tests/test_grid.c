// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Time grids: the rate that exporters meant is found again from rounded key times.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../src/format.h"
#include "grid.h"

/// How key times reach a file.
enum rounding {
    AS_FLOAT,
    SIX_DIGITS,
};

static double rounded(double time_s, enum rounding rounding)
{
    return rounding == AS_FLOAT ? (double)(float)time_s : floor(time_s * 1e6 + 0.5) / 1e6;
}

/// A clip with a key at every frame.
static double *every_frame(uint32_t num, uint32_t den, uint32_t frames, enum rounding rounding)
{
    double *const times = malloc((frames + 1) * sizeof *times);
    for (uint32_t frame = 0; frame <= frames; frame++) {
        times[frame] = rounded((double)frame * den / num, rounding);
    }
    return times;
}

static void assert_grid_of(uint32_t num, uint32_t den, uint32_t frames, enum rounding rounding)
{
    double *const times = every_frame(num, den, frames, rounding);
    struct grid grid;
    assert_true(grid_find(times, frames + 1, times[frames], &grid));
    assert_true(grid.is_exact);
    assert_int_equal(grid.tick_count, frames);
    const double rate = (double)grid.rate_num / grid.rate_den;
    assert_true(fabs(rate * den / num - 1.0) < 1e-4);
    for (uint32_t frame = 0; frame <= frames; frame++) {
        assert_true(fabs(grid_time(&grid, frame) - times[frame]) <=
                    grid_tolerance(rate, times[frame]) + 1e-12);
    }
    free(times);
}

static void test_grid_float_times_of_usual_rates_are_found(void **state)
{
    (void)state;
    static const uint32_t rates[] = {12, 15, 24, 25, 30, 48, 50, 60, 90, 120, 240};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (uint32_t frames = 1; frames <= 700; frames += 63) {
            assert_grid_of(rates[i], 1, frames, AS_FLOAT);
        }
        assert_grid_of(rates[i], 1, 4600, AS_FLOAT);
    }
}

static void test_grid_six_digit_times_of_usual_rates_are_found(void **state)
{
    (void)state;
    static const uint32_t rates[] = {24, 30, 60, 120};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        assert_grid_of(rates[i], 1, 300, SIX_DIGITS);
    }
}

static void test_grid_television_rates_are_found(void **state)
{
    (void)state;
    assert_grid_of(24000, 1001, 600, AS_FLOAT);
    assert_grid_of(30000, 1001, 600, AS_FLOAT);
}

static void test_grid_whole_rate_is_settled_exactly(void **state)
{
    (void)state;
    double *const times = every_frame(30, 1, 100, AS_FLOAT);
    struct grid grid;
    assert_true(grid_find(times, 101, times[100], &grid));
    assert_int_equal(grid.rate_num, 30);
    assert_int_equal(grid.rate_den, 1);
    free(times);
}

static void test_grid_hole_between_frames_is_bridged(void **state)
{
    (void)state;
    // 25 keys at 24 Hz with one hole of 4.8 frames: only 120 Hz holds them all.
    double times[25];
    double frame = 0.0;
    for (int i = 0; i < 25; i++) {
        times[i] = (double)(float)(frame / 24.0);
        frame += i == 10 ? 4.8 : 1.0;
    }
    struct grid grid;
    assert_true(grid_find(times, 25, times[24], &grid));
    assert_true(grid.is_exact);
    assert_int_equal(grid.rate_num, 120);
    assert_int_equal(grid.rate_den, 1);
}

static void test_grid_irrational_times_are_resampled(void **state)
{
    (void)state;
    const double times[] = {0.0, 0.1234567, 0.31830988, 0.57721566, 0.69314718, 1.0};
    struct grid grid;
    assert_true(grid_find(times, 6, 1.0, &grid));
    assert_false(grid.is_exact);
    assert_int_equal(grid.tick_count, 30);
    assert_true(fabs(grid_time(&grid, grid.tick_count) - 1.0) < 1e-9);
}

/// A thousandth of a coarse spacing would be more than rounding explains.
static void test_grid_key_a_little_off_a_coarse_grid_asks_for_a_finer_one(void **state)
{
    (void)state;
    const double times[] = {0.0, 0.5003, 1.0};
    struct grid grid;
    assert_true(grid_find(times, 3, 1.0, &grid));
    if (grid.is_exact) {
        const double rate = (double)grid.rate_num / grid.rate_den;
        const double off = floor(0.5003 * rate + 0.5) / rate - 0.5003;
        assert_true(fabs(off) <= 5e-6);
    }
    assert_int_not_equal(grid.tick_count, 2);
}

static void test_grid_zero_length_has_one_tick(void **state)
{
    (void)state;
    const double times[] = {0.0};
    struct grid grid;
    assert_true(grid_find(times, 1, 0.0, &grid));
    assert_int_equal(grid.tick_count, 0);
    assert_true(grid_find(NULL, 0, 0.0, &grid));
    assert_int_equal(grid.tick_count, 0);
}

static void test_grid_late_first_key_counts_from_zero(void **state)
{
    (void)state;
    const double times[] = {1.5, 2.0};
    struct grid grid;
    assert_true(grid_find(times, 2, 2.0, &grid));
    assert_true(grid.is_exact);
    assert_int_equal(grid.tick_count, 4);
}

static void test_grid_shorter_than_a_millisecond_has_a_tick(void **state)
{
    (void)state;
    const double times[] = {0.0, 0.0005};
    struct grid grid;
    assert_true(grid_find(times, 2, 0.0005, &grid));
    assert_true(grid.tick_count >= 1);
    assert_true(fabs(grid_time(&grid, grid.tick_count) - 0.0005) < 1e-6);
}

static void test_grid_duration_below_a_microsecond_is_refused(void **state)
{
    (void)state;
    static const double durations[] = {9e-7, 1e-40, 4.9e-324};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        const double times[] = {0.0, durations[i]};
        struct grid grid;
        assert_false(grid_find(times, 2, durations[i], &grid));
    }
}

static void test_grid_huge_duration_is_refused(void **state)
{
    (void)state;
    const double times[] = {0.0, 1e9};
    struct grid grid;
    assert_false(grid_find(times, 2, 1e9, &grid));
}

static void test_grid_refined_keeps_its_times(void **state)
{
    (void)state;
    struct grid grid = {.rate_num = 30, .rate_den = 1, .tick_count = 45, .is_exact = true};
    const double end = grid_time(&grid, 45);
    assert_true(grid_refine(&grid, 2));
    assert_int_equal(grid.tick_count, 90);
    assert_true(grid_time(&grid, 90) == end);
    while (grid_refine(&grid, 2)) {
    }
    assert_true(grid.rate_num <= 960);
    assert_int_equal(grid.tick_count * 30, 45 * grid.rate_num);
}

/// Clips may last longer than their keys: a round rate is none if it moves the end.
static void test_grid_end_without_key_stays(void **state)
{
    (void)state;
    static const double ends[] = {1.3317057084292174, 1.4, 2.6, 0.7, 10.01, 1 / 3.0, 123.456};
    static const double times[] = {0, 0.1};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (uint32_t count = 0; count <= 2; count++) {
            struct grid grid;
            assert_true(grid_find(times, count, ends[i], &grid));
            const double end_s = (double)grid.tick_count * grid.rate_den / grid.rate_num;
            assert_true(fabs(end_s - ends[i]) <= 5e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_float_times_of_usual_rates_are_found),
        cmocka_unit_test(test_grid_six_digit_times_of_usual_rates_are_found),
        cmocka_unit_test(test_grid_television_rates_are_found),
        cmocka_unit_test(test_grid_whole_rate_is_settled_exactly),
        cmocka_unit_test(test_grid_hole_between_frames_is_bridged),
        cmocka_unit_test(test_grid_irrational_times_are_resampled),
        cmocka_unit_test(test_grid_key_a_little_off_a_coarse_grid_asks_for_a_finer_one),
        cmocka_unit_test(test_grid_zero_length_has_one_tick),
        cmocka_unit_test(test_grid_late_first_key_counts_from_zero),
        cmocka_unit_test(test_grid_shorter_than_a_millisecond_has_a_tick),
        cmocka_unit_test(test_grid_duration_below_a_microsecond_is_refused),
        cmocka_unit_test(test_grid_huge_duration_is_refused),
        cmocka_unit_test(test_grid_refined_keeps_its_times),
        cmocka_unit_test(test_grid_end_without_key_stays),
    };
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
