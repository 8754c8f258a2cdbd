// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "grid.h"

#include "../../src/format.h"

#define MAX_RATE 960.0
#define MOST_TICKS (1u << 22) // that are searched: 38 hours at 30 Hz
#define RESAMPLE_RATE 30.0
#define MAX_FRACTION (UINT32_MAX / 1024) // leaves room to refine
#define SHORTEST_S 1e-6                  // what key times of six decimals can still tell from none

/// A thousandth of a spacing, but no more than key times are rounded by: six decimals, or the
/// precision of a float at that time. A larger offset would be an error of the motion.
double grid_tolerance(double rate, double time_s)
{
    const double of_spacing = 1e-3 / rate;
    const double of_float = time_s * 2.4e-7; // 2^-22
    const double of_digits = 5e-6;
    const double rounding = of_float > of_digits ? of_float : of_digits;
    return of_spacing < rounding ? of_spacing : rounding;
}

static bool fits(const double *times, uint32_t count, double rate)
{
    for (uint32_t i = count; i-- > 0;) {
        const double tick = (double)(int64_t)(times[i] * rate + 0.5);
        const double off = times[i] - tick / rate;
        const double tolerance = grid_tolerance(rate, times[i]);
        if (off > tolerance || off < -tolerance) {
            return false;
        }
    }
    return true;
}

/// Writes the fraction closest to `value` with a denominator that fits, by continued fractions.
static bool to_fraction(double value, uint32_t *num, uint32_t *den)
{
    uint64_t num0 = 0;
    uint64_t den0 = 1;
    uint64_t num1 = 1;
    uint64_t den1 = 0;
    double rest = value;
    for (int i = 0; i < 40; i++) {
        const uint64_t whole = (uint64_t)rest;
        const uint64_t num2 = whole * num1 + num0;
        const uint64_t den2 = whole * den1 + den0;
        if (num2 > MAX_FRACTION || den2 > MAX_FRACTION) {
            break;
        }
        num0 = num1;
        den0 = den1;
        num1 = num2;
        den1 = den2;
        const double fraction = rest - (double)whole;
        if (fraction < 1e-9) {
            break;
        }
        rest = 1.0 / fraction;
        if (rest > 4e9) {
            break;
        }
    }
    *num = (uint32_t)num1;
    *den = (uint32_t)den1;
    return num1 > 0 && den1 > 0;
}

/// Chooses the roundest rate that keeps all keys and the end on their ticks: whole Hertz, then the
/// rates of film and television, then the fraction as it is.
static bool settle_rate(const double *times, uint32_t count, double duration_s, uint32_t ticks,
                        struct grid *grid)
{
    const double rate = (double)ticks / duration_s;
    const uint32_t whole = (uint32_t)(rate + 0.5);
    const struct grid candidates[2] = {
        {.rate_num = whole, .rate_den = 1},
        {.rate_num = whole * 1000, .rate_den = 1001},
    };
    for (int i = 0; i < 2 && whole > 0; i++) {
        const double candidate = (double)candidates[i].rate_num / candidates[i].rate_den;
        const int64_t last = (int64_t)(duration_s * candidate + 0.5);
        if (last == ticks && fits(&duration_s, 1, candidate) && fits(times, count, candidate)) {
            grid->rate_num = candidates[i].rate_num;
            grid->rate_den = candidates[i].rate_den;
            grid->tick_count = ticks;
            return true;
        }
    }
    grid->tick_count = ticks;
    return to_fraction(rate, &grid->rate_num, &grid->rate_den);
}

bool grid_find(const double *times, uint32_t time_count, double duration_s, struct grid *grid)
{
    *grid = (struct grid){.rate_num = 30, .rate_den = 1, .refinement = 1, .is_exact = true};
    if (!(duration_s > 0.0)) {
        return true;
    }
    if (duration_s < SHORTEST_S || duration_s * RESAMPLE_RATE >= (double)TRP__MAX_TICKS) {
        return false;
    }
    // At least one tick, also for clips shorter than 1/960 s.
    const double most = duration_s * MAX_RATE;
    const uint32_t most_ticks = most < 1.0          ? 1
                                : most > MOST_TICKS ? MOST_TICKS
                                                    : (uint32_t)(most + 1e-6);
    for (uint32_t ticks = 1; ticks <= most_ticks; ticks++) {
        if (fits(times, time_count, (double)ticks / duration_s)) {
            return settle_rate(times, time_count, duration_s, ticks, grid);
        }
    }
    grid->is_exact = false;
    grid->tick_count = (uint32_t)(duration_s * RESAMPLE_RATE + 0.999999);
    return to_fraction((double)grid->tick_count / duration_s, &grid->rate_num, &grid->rate_den);
}

bool grid_holds(const struct grid *grid, const double *times, uint32_t time_count)
{
    return fits(times, time_count, (double)grid->rate_num / grid->rate_den);
}

bool grid_refine(struct grid *grid, uint32_t factor)
{
    const uint64_t num = (uint64_t)grid->rate_num * factor;
    const uint64_t ticks = (uint64_t)grid->tick_count * factor;
    if (num > UINT32_MAX || ticks > TRP__MAX_TICKS ||
        (double)num > MAX_RATE * (double)grid->rate_den) {
        return false;
    }
    grid->rate_num = (uint32_t)num;
    grid->tick_count = (uint32_t)ticks;
    grid->refinement *= factor;
    return true;
}

double grid_time(const struct grid *grid, uint32_t tick)
{
    return (double)((uint64_t)tick * grid->rate_den) / (double)grid->rate_num;
}
