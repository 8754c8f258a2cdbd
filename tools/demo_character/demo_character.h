// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The demo character: a humanoid of boxes that the demo plays, and the fixture of tests and
// goldens. Made of numbers in this folder alone, so that every build writes the same file.
// Metres, +Y up, facing +Z, its left at +X; angles about the axes of the whole body.
#ifndef TROUPE_TOOLS_DEMO_CHARACTER_H
#define TROUPE_TOOLS_DEMO_CHARACTER_H

#include "glb.h"

enum { BODY_JOINT_COUNT = 64 };

struct body_joint {
    char name[24];
    int32_t parent; // -1 for the root
    double head[3]; // where it turns, in the rest pose
    double tail[3]; // where its bone points to: +Y of the joint
    double width;   // of its box; 0 for none
    double depth;
    double model_rotation[4]; // in the rest pose
    double rotation[4];       // against the parent, as the file stores it
    double translation[3];
};

/// Makes the joints, parents first.
void body_make(struct body_joint joints[BODY_JOINT_COUNT]);

/// Writes nodes, mesh and skin. Node index = joint index.
void body_write(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb);

/// Writes the clips.
void clips_write(const struct body_joint joints[BODY_JOINT_COUNT], struct glb *glb);

/// Writes `v` turned by a unit quaternion. `out` may be `v`.
void vector_turn(const double q[4], const double v[3], double out[3]);

/// Writes `v` turned by the inverse of a unit quaternion. `out` may be `v`.
void vector_turn_back(const double q[4], const double v[3], double out[3]);

#endif
