// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Made-up skeletons, skins and poses for tests of what works on them, and memory that notices when
// someone leaves it. Wants _DEFAULT_SOURCE.
#ifndef TROUPE_TESTS_RIG_H
#define TROUPE_TESTS_RIG_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "kernel_table.h"

// -- Chance --------------------------------------------------------------------------------------

/// xorshift64*: the same numbers on every host.
static inline uint32_t chance(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 0x2545F4914F6CDD1Dull) >> 32);
}

static inline float chance_between(uint64_t *state, float low, float high)
{
    return low + (high - low) * ((float)(chance(state) >> 8) / 16777216.0f);
}

static inline void chance_rotation(uint64_t *state, float rotation[4])
{
    double q[4];
    double squared;
    do {
        squared = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = chance_between(state, -1, 1);
            squared += q[i] * q[i];
        }
    } while (squared < 0.01 || squared > 1);
    for (int i = 0; i < 4; i++) {
        rotation[i] = (float)(q[i] / sqrt(squared));
    }
}

// -- Memory --------------------------------------------------------------------------------------

struct mapping {
    void *start;
    size_t size_bytes;
};

static struct mapping mappings[4096];
static size_t mapping_count;

/// Returns zeroed memory whose last byte lies before a page that faults. It lives until
/// memory_release, at the latest until the end of a RIG_TEST.
static inline void *memory_before_fault(size_t size_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (size_bytes + page - 1) / page + 2;
    char *start =
        mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(start != MAP_FAILED);
    assert_int_equal(mprotect(start, page, PROT_NONE), 0);
    assert_int_equal(mprotect(start + (pages - 1) * page, page, PROT_NONE), 0);
    assert_true(mapping_count < sizeof mappings / sizeof mappings[0]);
    mappings[mapping_count++] = (struct mapping){start, pages * page};
    return start + (pages - 1) * page - size_bytes;
}

/// Gives back all memory but the first `kept` pieces; mapping_count tells how many there are.
static inline void memory_release(size_t kept)
{
    while (mapping_count > kept) {
        mapping_count--;
        munmap(mappings[mapping_count].start, mappings[mapping_count].size_bytes);
    }
}

static inline int memory_teardown(void **state)
{
    (void)state;
    memory_release(0);
    return 0;
}

/// A test whose memory is given back after it.
#define RIG_TEST(test) cmocka_unit_test_teardown(test, memory_teardown)

static inline trp_pose_block *pose_new(uint32_t block_count)
{
    return memory_before_fault(trp_pose_bytes(block_count));
}

// -- Skeletons -----------------------------------------------------------------------------------

/// What a trp_skeleton and a trp_skin point at.
struct rig {
    trp_skeleton skeleton;
    trp_skin skin;
    float root_transform[12];
    trp_pose_block *rest;
    uint16_t *parent_of_lane;
    uint16_t *joint_of_lane;
    uint16_t *lane_of_joint;
    uint16_t *lane_of_entry;
    float (*inverse_bind)[12];
};

static inline void rig_fill_pose(const struct rig *rig, uint64_t *state, trp_pose_block *pose)
{
    assert_int_equal(trp_pose_identity(pose, rig->skeleton.block_count), TRP_OK);
    for (uint32_t joint = 0; joint < rig->skeleton.joint_count; joint++) {
        const uint32_t lane = rig->lane_of_joint[joint];
        float rotation[4];
        chance_rotation(state, rotation);
        for (uint32_t i = 0; i < 4; i++) {
            pose[lane / 16].rotation[i][lane % 16] = rotation[i];
        }
        for (uint32_t i = 0; i < 3; i++) {
            pose[lane / 16].translation[i][lane % 16] = chance_between(state, -1, 1);
            pose[lane / 16].scale[i][lane % 16] = chance_between(state, 0.8f, 1.25f);
        }
    }
}

static inline void chance_matrix(uint64_t *state, float matrix[12])
{
    for (int i = 0; i < 12; i++) {
        matrix[i] = chance_between(state, -1, 1);
    }
}

/// Makes a skeleton of `joint_count` joints with chance parents, `gap` free lanes in its middle
/// (as before attachments), and a skin of all joints in joint order and one of them again.
static inline struct rig *rig_new(uint32_t joint_count, uint32_t gap, uint64_t seed)
{
    struct rig *rig = memory_before_fault((sizeof *rig + 63) / 64 * 64);
    uint64_t state = seed * 2 + 1;
    const uint32_t block_count = (joint_count + gap + 15) / 16;
    const uint32_t lane_count = block_count * 16;
    rig->rest = memory_before_fault(trp_pose_bytes(block_count));
    rig->parent_of_lane = memory_before_fault(sizeof(uint16_t) * lane_count);
    rig->joint_of_lane = memory_before_fault(sizeof(uint16_t) * lane_count);
    rig->lane_of_joint = memory_before_fault(sizeof(uint16_t) * joint_count);
    rig->lane_of_entry = memory_before_fault(sizeof(uint16_t) * (joint_count + 1));
    rig->inverse_bind = memory_before_fault(sizeof(float[12]) * (joint_count + 1));

    // Joint order is lane order backwards, so that mixing them up shows.
    uint32_t joint = joint_count;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        const bool is_gap = lane >= joint_count / 2 && lane < joint_count / 2 + gap;
        rig->joint_of_lane[lane] = TRP_NO_LANE;
        rig->parent_of_lane[lane] = TRP_NO_LANE;
        if (is_gap || joint == 0) {
            continue;
        }
        joint--;
        rig->joint_of_lane[lane] = (uint16_t)joint;
        rig->lane_of_joint[joint] = (uint16_t)lane;
        if (lane > 0 && chance(&state) % 16 != 0) { // now and then another root
            uint32_t parent = lane - 1 - chance(&state) % (lane < 4 ? lane : 4);
            while (parent > 0 && rig->joint_of_lane[parent] == TRP_NO_LANE) {
                parent--;
            }
            rig->parent_of_lane[lane] = (uint16_t)parent;
        }
    }
    assert_int_equal(joint, 0);
    for (uint32_t entry = 0; entry <= joint_count; entry++) {
        rig->lane_of_entry[entry] = rig->lane_of_joint[entry % joint_count];
        chance_matrix(&state, rig->inverse_bind[entry]);
    }
    chance_matrix(&state, rig->root_transform);

    rig->skeleton = (trp_skeleton){
        .joint_count = joint_count,
        .lane_count = lane_count,
        .block_count = block_count,
        .joint_block_count = block_count,
        .metres_per_unit = 1,
        .root_transform = rig->root_transform,
        .rest = rig->rest,
        .parent_of_lane = rig->parent_of_lane,
        .joint_of_lane = rig->joint_of_lane,
        .lane_of_joint = rig->lane_of_joint,
    };
    rig->skin = (trp_skin){
        .joint_count = joint_count + 1,
        .lane_of_entry = rig->lane_of_entry,
        .inverse_bind = (const float(*)[12])rig->inverse_bind,
    };
    rig_fill_pose(rig, &state, rig->rest);
    return rig;
}

#endif
