// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A dense pose stream in the making: a motion sampled on its grid, which ticks keep a row, by which
// rule each block moves between rows, and how finely each track is quantised. Encoding turns all
// that into the bytes of a clip; choosing it is the business of fit.c.
#ifndef TROUPE_TOOLS_DENSE_H
#define TROUPE_TOOLS_DENSE_H

#include "buffer.h"
#include "grid.h"
#include "metric.h"
#include "motion.h"

/// One animated property of one lane, or one value, sampled at every tick.
struct dense_track {
    uint32_t lane; // or the value
    uint8_t path;  // enum scene_path
    bool is_held;
    int16_t mean_bits[3]; // rotations: the quantised mean ...
    double mean[4];       // ... and what it decodes to
    float offset[3];      // translations and scales: what values are stored against
    double (*values)[4];  // [tick_count + 1] rotations: relative to the mean; x y z; or x
    double spread;        // largest distance of a stored component from 0 (rotation) or its middle
    double weight;        // model-space displacement that one unit of `step` may cost
    double step;
};

/// A property that does not move: its value in the source.
struct dense_constant {
    bool is_present; // the source says something of it
    double value[4];
};

struct dense {
    const struct motion *motion;
    struct grid grid;
    uint32_t ticks_per_segment;
    uint32_t segment_count;
    const bool *is_keyed; // [motion_curve_count] what keyed tracks play, exactly
    double budget;        // displacement that a property at its tolerance counts as
    double shell_units;   // of the error metric, in model space
    uint32_t track_count;
    struct dense_track *tracks;       // by path, then lane
    struct dense_constant *constants; // [lane_count * 3]; of animated tracks: unused
    bool *has_row;                    // [tick_count + 1]
    uint8_t *rules;                   // [segment_count * block_count] TRP__RULE_*
    double rest_tolerance; // displacement below which a constant counts as resting, units
};

/// Samples a motion at every tick of a grid and tells what moves from what does not.
/// @param is_keyed curves of the motion that are left to keyed tracks
void dense_init(struct dense *dense, const struct motion *motion, const bool *is_keyed,
                const struct grid *grid, uint32_t ticks_per_segment, double shell_units,
                double budget, struct arena *arena);

/// Keeps as few rows as keep the error between them, unquantised, below `limit`.
void dense_choose_rows(struct dense *dense, struct metric *metric, double limit);

/// Gives every block of every segment the cheapest rule that keeps the error below `limit`.
void dense_choose_rules(struct dense *dense, struct metric *metric, double limit);

/// Returns the error that a row at every tick would leave without quantisation.
double dense_error_of_grid(struct dense *dense, struct metric *metric);

/// Writes the bytes of the clip with the tracks' present steps, but for keyed tracks. Strings,
/// errors and budgets are left zero for the caller; skeleton and property set are number 0.
void dense_encode(const struct dense *dense, struct buffer *buffer);

#endif
