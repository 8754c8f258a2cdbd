// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Clips made of chance: the bytes of one, written straight from format.h, and beside them the
// numbers they were made of, so that a test can work out in double precision what sampling ought
// to give. Not for tests of opening packs: no file surrounds the clip.
#ifndef TROUPE_TESTS_SYNTHETIC_CLIP_H
#define TROUPE_TESTS_SYNTHETIC_CLIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <troupe/troupe.h>

#include "format.h"

#define SYNTHETIC_MAX_ROWS 257

/// What to make. Zero gives one block that rests; percentages are of lanes or ticks.
struct synthetic_recipe {
    uint64_t seed;
    uint32_t block_count; ///< 0 = 1
    uint32_t joint_count; ///< lanes from here on hold none, 0 = every lane holds one
    uint32_t tick_count;
    uint32_t ticks_per_segment;   ///< 0 = 64
    uint32_t rate_num;            ///< 0 = 30
    uint32_t rate_den;            ///< 0 = 1
    uint32_t flags;               ///< TRP_CLIP_*
    uint32_t animated_percent[3]; ///< of each path; the other lanes are absent, constant, resting
    uint32_t rule;                ///< TRP__RULE_*, 0 = by chance
    uint32_t hold_percent;
    uint32_t row_percent; ///< ticks with a row, 0 = all, without a mask
    uint32_t width_low;   ///< bits of components, [0, 24]
    uint32_t width_high;
    bool is_continuous; ///< segments begin where the one before ended, as compilers make them
    double turn;        ///< largest |component| of Rodrigues parameters, 0 = 0.4
    uint32_t value_count;
    uint32_t animated_value_percent;
};

/// One path of one lane.
struct synthetic_track {
    trp_track_kind kind;
    bool is_resting;
    double offset[3]; ///< animated translation, scale
    double step;
    double mean[3];  ///< animated rotation: Rodrigues parameters of the mean
    double value[3]; ///< constant, rotations as Rodrigues parameters
};

/// One value of the property set.
struct synthetic_value {
    bool is_animated;
    double offset;
    double step;
};

/// One segment: what its components are made of.
struct synthetic_segment {
    uint32_t first_tick;
    uint32_t tick_count;
    uint32_t row_count;
    uint32_t row_bytes;
    uint32_t row_tick[SYNTHETIC_MAX_ROWS]; ///< from first_tick
    uint8_t *rule;                         ///< [block_count]
    uint8_t *holds;                        ///< [3][lane_count]
    uint8_t *width;                        ///< [3][lane_count][3]
    int32_t *base;                         ///< [3][lane_count][3]
    uint32_t *field;                       ///< [row_count][3][lane_count][3]
    uint8_t *value_holds;                  ///< [value_count]
    uint8_t *value_width;                  ///< [value_count]
    int32_t *value_base;                   ///< [value_count]
    uint32_t *value_field;                 ///< [row_count][value_count]
};

struct synthetic_clip {
    trp_clip clip; ///< bound
    trp_pose_block *rest;
    uint32_t lane_count;
    struct synthetic_track *tracks; ///< [3][lane_count]
    float *defaults;                ///< [value_count]
    struct synthetic_value *values; ///< [value_count]
    struct synthetic_segment *segments;
};

/// Makes a clip. Its last row lies 64 bytes before memory that faults.
struct synthetic_clip synthetic_clip_make(const struct synthetic_recipe *recipe);

/// Works out in double precision what sampling one lane ought to give.
/// Takes the interpolation rules at their word: quaternions are normalised first, and multiplied
/// with their mean as mathematics does.
void synthetic_clip_evaluate(const struct synthetic_clip *clip, uint32_t lane, double time_s,
                             double rotation[4], double translation[3], double scale[3]);

/// Works out in double precision what sampling one value ought to give.
double synthetic_clip_evaluate_value(const struct synthetic_clip *clip, uint32_t value,
                                     double time_s);

/// Returns zeroed memory whose last byte lies before a page that faults.
void *synthetic_memory(size_t size_bytes);

/// Returns synthetic_memory for a pose of a clip.
trp_pose_block *synthetic_pose(const struct synthetic_clip *clip);

/// Gives back all memory of clips, poses and synthetic_memory.
void synthetic_release(void);

/// Gives the next number of a sequence (xorshift64*), the same on every host. Never let the state
/// be 0.
uint32_t synthetic_chance(uint64_t *state);

/// Gives a number in [low, high).
double synthetic_chance_between(uint64_t *state, double low, double high);

#endif
