// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The time grid of a clip: the coarsest even spacing that every source key lies on.
#ifndef TROUPE_TOOLS_GRID_H
#define TROUPE_TOOLS_GRID_H

#include <stdbool.h>
#include <stdint.h>

struct grid {
    uint32_t rate_num; // ticks per second = rate_num / rate_den
    uint32_t rate_den;
    uint32_t tick_count; // the clip ends at this tick
    uint32_t refinement; // ticks for each of the grid that the keys were found on
    bool is_exact;       // every key lies on a tick; else the clip is resampled
};

/// Finds the grid of sorted key times. Where none up to 960 Hz (or 2^22 ticks) fits, one of at
/// least 30 Hz that ends with the clip.
/// @param times sorted, >= 0; may be empty
/// @return false where the clip is longer than the format's ticks reach, or shorter than 1e-6 s
/// without being a single pose
bool grid_find(const double *times, uint32_t time_count, double duration_s, struct grid *grid);

/// Whether sorted key times all lie on ticks of a grid.
bool grid_holds(const struct grid *grid, const double *times, uint32_t time_count);

/// Multiplies the rate. Returns false where it would pass 960 Hz (and the grid's own rate), or the
/// format's number of ticks.
bool grid_refine(struct grid *grid, uint32_t factor);

/// Returns the time of a tick.
double grid_time(const struct grid *grid, uint32_t tick);

/// Returns how far from a tick a key may lie and still count as lying on it, in seconds.
/// @param rate of the grid before it was refined
double grid_tolerance(double rate, double time_s);

#endif
