// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The error metric: how far points near each joint lie from where the source has them, in model
// space. See design note in FORMAT.md, "Error".
#ifndef TROUPE_TOOLS_METRIC_H
#define TROUPE_TOOLS_METRIC_H

#include <troupe/clip.h>

#include "grid.h"
#include "motion.h"

/// The moments at which a motion is compared, with its exact model matrices there.
struct metric {
    const struct motion *motion;
    double *shell; // [lane_count] distance of the points from each joint, in its local units
    uint32_t time_count;
    double *times;        // sorted
    bool *is_key;         // [time_count] a key of the source or a tick
    double (*cache)[12];  // [time_count * lane_count], null where it would be too large
    double (*models)[12]; // [lane_count] the last ones computed without a cache
    uint32_t models_at;
    uint32_t hot_batch;  // where metric_exceeds found an error last
    double *value_cache; // [time_count * value_count], null where it would be too large
    double *values;      // [value_count] the last ones computed without a cache
};

struct metric_result {
    double max_keys; // in source units
    double max;
    double mean;
    uint32_t worst_lane;
    double worst_time_s;
    double max_values; // largest error of a property, in parts of its tolerance
    uint32_t worst_property;
};

/// Chooses the moments: keys, ticks of the grid, fixed fractions of every interval between them,
/// and the two sides of each edge of a stepped track.
/// @param fraction_count moments between two neighbours, at least 2: nlerp is exact in the middle
void metric_init(struct metric *metric, const struct motion *motion, const struct grid *grid,
                 double shell_units, uint32_t fraction_count, struct arena *arena);

/// Returns the exact model matrices at a moment; valid until the next call.
const double (*metric_models(struct metric *metric, uint32_t time_index))[12];

/// Returns the exact property values at a moment; valid until the next call.
const double *metric_values(struct metric *metric, uint32_t time_index);

/// Returns the largest displacement of the six points of a joint between two matrices; infinite
/// where one is no number.
double metric_displacement(const double exact[12], const double other[12], double shell);

/// Measures a clip as the runtime plays it.
/// @param lane_errors [out, lane_count] largest error of each lane; may be null
void metric_measure(struct metric *metric, const trp_clip *clip, struct metric_result *result,
                    double *lane_errors);

/// Whether any error of a clip passes `limit` (or that of a value its tolerance); stops at the
/// first that does.
bool metric_exceeds(struct metric *metric, const trp_clip *clip, double limit);

/// Returns the largest coordinate that the motion reaches.
double metric_extent(struct metric *metric);

#endif
