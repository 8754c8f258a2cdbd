// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Root motion in the making: what of a clip's way through the world its root joint carries, as the
// keys that a pack stores, and the curves of the pose that remains.
#ifndef TROUPE_TOOLS_ROOT_MOTION_H
#define TROUPE_TOOLS_ROOT_MOTION_H

#include "buffer.h"
#include "motion.h"

/// The motion M of a joint over a clip. With G the joint's model matrix in the source, R the turn
/// about +Y by `yaw`, T a translation, and c the pivot:
///   yaw(t) = twist about +Y of G's rotation since time 0, unwrapped; 0 where not asked for
///   d(t)   = G's place - G's place at time 0; components not asked for are 0
///   c      = x and z of G's place at time 0, in f32; 0 where yaw is not asked for
///   M(t)   = T(c) * T(d(t)) * R(yaw(t)) * T(-c), the identity at time 0
/// So the keys are the same wherever the joint stands. They hold M within a small part of the
/// budget and are linear in between. The pose that remains is taken against the keys as stored, so
/// that their rounding costs it nothing.
struct root_motion {
    uint32_t lane;
    uint32_t components; // TRP_ROOT_*, as asked for
    bool is_in_pose;     // the pose still has it
    bool is_turning;     // some key has yaw
    uint32_t key_count;  // at least 2
    float pivot[2];      // x z
    double *times;       // [key_count] from 0
    float (*keys)[4];    // [key_count] x y z yaw: source units and turns
    // What it was taken from.
    const struct scene_curve *curves[3]; // of the joint in the source, null where at rest
    struct scene_transform rest;         // of the joint
    double model_from_parent[12];
    double parent_from_model[12];
    double parent_rotation[4]; // unused without yaw
    double end_s;              // of the source
};

struct root_motion_options {
    uint32_t lane;
    uint32_t components; // TRP_ROOT_*, 0 = x, z and yaw
    bool is_in_pose;
    double budget;      // in source units
    double shell_units; // of the error metric, in model space
};

/// Whether a clip moves or turns a joint.
bool root_motion_moves(const struct motion *motion, uint32_t lane);

/// Takes root motion out of a motion (or just finds it): sets `motion->root`, unless the clip does
/// not move the joint that way or, with a warning, moves it in steps or too wildly for keys, or
/// moves something above it.
/// @return false after an error in `report`: what is above the joint is so scaled that its children
///         cannot turn rigidly
bool root_motion_take(struct motion *motion, const struct root_motion_options *options,
                      struct arena *arena, struct report *report);

/// Returns the exact local transform that remains of the joint, for a time of the source.
struct scene_transform root_motion_remaining(const struct root_motion *root, double time_s);

/// Appends the root motion of a fitted motion to the bytes of its clip. Where the compiler closed
/// the loop, the root does not go home with the pose but on: its way over the last spacing before
/// the closing one is repeated.
void root_motion_append(const struct motion *motion, struct buffer *clip);

#endif
