// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The part of `verify` that looks at properties: exact values from the source, apart from how the
// compiler lays them out.
#ifndef TROUPE_TOOLS_VERIFY_VALUES_H
#define TROUPE_TOOLS_VERIFY_VALUES_H

#include <troupe/pack.h>
#include <troupe/property.h>

#include "report.h"
#include "scene.h"

/// What one property of a pack should be.
struct value_truth {
    trp_property property;
    const struct scene_property *source;
    const struct scene_curve *curve; // null where the clip does not move it
    double *still;                   // [value_count] what it is without a curve
    double *home;                    // [value_count] what a curve has at the start of the clip
    bool has_initial;                // the clip has its key before it, at -1
    double *reference; // [value_count] taken away where the clip is additive, else null
    double tolerance;
    double *exact; // [value_count] at the time asked for last
};

struct verify_values {
    uint32_t property_count;
    struct value_truth *items;
    uint32_t value_count;
    double start_s; // of the clip in the source's time
    double source_duration_s;
    double duration_s; // end of the clip in the source's time: curves go home where it is later
};

/// Returns the largest size of every property in a scene, [property_count] in the arena.
double *verify_values_sizes(const struct scene *scene, struct arena *arena);

/// Finds the source of every property of a clip.
/// @param duration_s end of the clip in the source's time
/// @param sizes     of the scene, from verify_values_sizes
/// @param reference name of the clip that an additive clip differs from, "rest", or empty
bool verify_values_init(struct verify_values *values, const trp_pack *pack, const trp_clip *clip,
                        double duration_s, const struct scene *scene, const double *sizes,
                        const struct scene_clip *source, const char *reference, struct arena *arena,
                        struct report *report);

/// Returns the largest error of sampled values at a moment, in parts of their tolerance.
/// @param path [out] which property it was, where it is larger than `largest`
double verify_values_error(struct verify_values *values, double time_s, const float *sampled,
                           double largest, const char **path);

#endif
