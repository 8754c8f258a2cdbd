// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Parts of bodies, and poses held to limits: against swing and twist taken apart in double
// precision with angles, and bit by bit between instruction sets.
#define _DEFAULT_SOURCE
#include <float.h>
#include <stdio.h>

#include "isa.h"
#include "pack_builder.h"
#include "rig.h"

enum { X = 0, Z = 1, Y = 2 }; // the order of limits

/// A humanoid over a made-up skeleton, without limits at first.
struct body {
    struct rig *rig;
    trp_humanoid humanoid;
    float (*limits)[6][16];
    uint32_t *blocks; // of limits
    uint32_t block_count;
};

static struct body body_new(uint32_t joint_count, uint64_t seed)
{
    struct body body = {.rig = rig_new(joint_count, 0, seed)};
    body.block_count = body.rig->skeleton.block_count;
    body.limits = memory_before_fault(body.block_count * sizeof *body.limits);
    for (uint32_t i = 0; i < body.block_count * 96; i++) {
        body.limits[i / 96][i / 16 % 6][i % 16] = i / 16 % 2 == 0 ? -FLT_MAX : FLT_MAX;
    }
    body.blocks = memory_before_fault(body.block_count * sizeof *body.blocks);
    for (uint32_t block = 0; block < body.block_count; block++) {
        body.blocks[block] = block;
    }
    body.humanoid = (trp_humanoid){
        .bind_hash = body.rig->skeleton.bind_hash,
        .block_count = body.block_count,
        .limit_block_count = body.block_count,
        .block_of_limits = body.blocks,
        .limit_blocks = (const float *)body.limits,
    };
    return body;
}

static void set_limit(struct body *body, uint32_t lane, int axis, double low_rad, double high_rad)
{
    body->limits[lane / 16][2 * axis][lane % 16] = (float)tan(low_rad / 2);
    body->limits[lane / 16][2 * axis + 1][lane % 16] = (float)tan(high_rad / 2);
}

static void hold(const struct body *body, trp_pose_block *pose)
{
    const trp_humanoid_args args = {
        .humanoid = &body->humanoid,
        .skeleton = &body->rig->skeleton,
        .poses = &pose,
        .pose_count = 1,
    };
    assert_int_equal(trp_humanoid_clamp(&args), TRP_OK);
}

// -- Quaternions in double precision -------------------------------------------------------------

struct quat {
    double x;
    double y;
    double z;
    double w;
};

static struct quat times(struct quat a, struct quat b)
{
    return (struct quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static struct quat conjugate(struct quat q)
{
    return (struct quat){-q.x, -q.y, -q.z, q.w};
}

static struct quat turn_about(int axis, double angle_rad)
{
    const double s = sin(angle_rad / 2);
    return (struct quat){axis == X ? s : 0, axis == Y ? s : 0, axis == Z ? s : 0,
                         cos(angle_rad / 2)};
}

static struct quat rotation_at(const trp_pose_block *pose, uint32_t lane)
{
    const trp_pose_block *const block = &pose[lane / 16];
    return (struct quat){block->rotation[0][lane % 16], block->rotation[1][lane % 16],
                         block->rotation[2][lane % 16], block->rotation[3][lane % 16]};
}

static void set_rotation(trp_pose_block *pose, uint32_t lane, struct quat q)
{
    const double values[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; i++) {
        pose[lane / 16].rotation[i][lane % 16] = (float)values[i];
    }
}

/// Puts a lane to a turn away from rest.
static void turn_from_rest(const struct body *body, trp_pose_block *pose, uint32_t lane,
                           struct quat turn)
{
    set_rotation(pose, lane, times(rotation_at(body->rig->rest, lane), turn));
}

static struct quat from_rest(const struct body *body, const trp_pose_block *pose, uint32_t lane)
{
    return times(conjugate(rotation_at(body->rig->rest, lane)), rotation_at(pose, lane));
}

/// Returns the angle between two rotations, small angles included.
static double angle_between(struct quat a, struct quat b)
{
    const struct quat d = times(conjugate(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

// -- Limits --------------------------------------------------------------------------------------

static void test_humanoid_turn_about_one_axis_stops_at_its_limit(void **state)
{
    (void)state;
    struct body body = body_new(16, 1);
    for (uint32_t lane = 0; lane < 16; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, -0.1 - 0.15 * lane, 0.2 + 0.17 * lane);
        }
    }
    trp_pose_block *const pose = pose_new(1);
    FOR_EACH_ISA(isa)
    {
        for (int axis = 0; axis < 3; axis++) {
            for (int side = -1; side <= 1; side += 2) {
                memcpy(pose, body.rig->rest, sizeof *pose);
                for (uint32_t lane = 0; lane < 16; lane++) {
                    turn_from_rest(&body, pose, lane, turn_about(axis, side * 3.0));
                }
                hold(&body, pose);
                for (uint32_t lane = 0; lane < 16; lane++) {
                    const struct quat d = from_rest(&body, pose, lane);
                    const double angle = 2 * acos(fabs(d.w));
                    const double limit = side < 0 ? 0.1 + 0.15 * lane : 0.2 + 0.17 * lane;
                    assert_true(fabs(angle - limit) < 2e-6 / sin(limit / 2));
                    const struct quat expected = turn_about(axis, side * limit);
                    // Near half a turn of swing, rounding of the other axes counts 200 times.
                    assert_true(angle_between(d, expected) < 4e-5);
                }
            }
        }
    }
}

static void test_humanoid_inside_limits_every_bit_stays(void **state)
{
    (void)state;
    struct body body = body_new(32, 2);
    uint64_t random = 7;
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, -1, 1);
        }
    }
    trp_pose_block *const pose = pose_new(2);
    trp_pose_block *const held = pose_new(2);
    rig_fill_pose(body.rig, &random, pose);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const struct quat swing = times(turn_about(X, chance_between(&random, -0.6f, 0.6f)),
                                        turn_about(Z, chance_between(&random, -0.6f, 0.6f)));
        const struct quat turn = times(swing, turn_about(Y, chance_between(&random, -0.6f, 0.6f)));
        turn_from_rest(&body, pose, lane, turn);
        if (lane % 2 == 0) { // the same rotation, and not of unit length
            for (int i = 0; i < 4; i++) {
                pose[lane / 16].rotation[i][lane % 16] *= -1.7f;
            }
        }
    }
    FOR_EACH_ISA(isa)
    {
        memcpy(held, pose, 2 * sizeof *pose);
        hold(&body, held);
        assert_memory_equal(held, pose, 2 * sizeof *pose);
    }
}

static void test_humanoid_lanes_without_limits_keep_every_bit(void **state)
{
    (void)state;
    struct body body = body_new(16, 3);
    set_limit(&body, 5, X, -0.1, 0.1);
    set_limit(&body, 5, Y, -0.1, 0.1);
    uint64_t random = 9;
    trp_pose_block *const pose = pose_new(1);
    trp_pose_block *const held = pose_new(1);
    for (int round = 0; round < 50; round++) {
        rig_fill_pose(body.rig, &random, pose);
        turn_from_rest(&body, pose, 0, turn_about(X, acos(-1)));
        turn_from_rest(&body, pose, 1, turn_about(Y, acos(-1)));
        set_rotation(pose, 2, (struct quat){0});
        set_rotation(pose, 3, (struct quat){1e-30, 0, -1e-30, 0});
        set_rotation(pose, 4, (struct quat){FLT_MAX, FLT_MAX, 0, 1});
        turn_from_rest(&body, pose, 5, turn_about(X, 1));
        FOR_EACH_ISA(isa)
        {
            memcpy(held, pose, sizeof *pose);
            hold(&body, held);
            assert_true(held->rotation[0][5] != pose->rotation[0][5]);
            for (int i = 0; i < 4; i++) {
                held->rotation[i][5] = pose->rotation[i][5];
            }
            assert_memory_equal(held, pose, sizeof *pose);
        }
    }
}

/// What the text of trp_humanoid_clamp says, with angles.
static struct quat expected_turn(struct quat d, const double low[3], const double high[3])
{
    if (d.w < 0) {
        d = (struct quat){-d.x, -d.y, -d.z, -d.w};
    }
    const double twist = 2 * atan2(d.y, d.w);
    const struct quat swing = times(d, conjugate(turn_about(Y, twist)));
    const double sx = fmin(fmax(swing.x / swing.w, tan(low[X] / 2)), tan(high[X] / 2));
    const double sz = fmin(fmax(swing.z / swing.w, tan(low[Z] / 2)), tan(high[Z] / 2));
    const double length = sqrt(1 + sx * sx + sz * sz);
    const struct quat held = {sx / length, 0, sz / length, 1 / length};
    return times(held, turn_about(Y, fmin(fmax(twist, low[Y]), high[Y])));
}

static void test_humanoid_any_turn_agrees_with_swing_and_twist(void **state)
{
    (void)state;
    uint64_t random = 11;
    double worst = 0;
    for (int round = 0; round < 300; round++) {
        const size_t kept = mapping_count;
        struct body body = body_new(16, 20 + (uint64_t)round);
        double low[16][3];
        double high[16][3];
        for (uint32_t lane = 0; lane < 16; lane++) {
            for (int axis = 0; axis < 3; axis++) {
                low[lane][axis] = chance_between(&random, -2.5f, 0);
                high[lane][axis] = chance_between(&random, 0, 2.5f);
                set_limit(&body, lane, axis, low[lane][axis], high[lane][axis]);
            }
        }
        trp_pose_block *const pose = pose_new(1);
        trp_pose_block *const held = pose_new(1);
        rig_fill_pose(body.rig, &random, pose);
        memcpy(held, pose, sizeof *pose);
        hold(&body, held);
        for (uint32_t lane = 0; lane < 16; lane++) {
            const struct quat d = from_rest(&body, pose, lane);
            if (d.y * d.y + d.w * d.w < 1e-3) {
                continue; // near half a turn of swing, where twist means little
            }
            const struct quat expected = expected_turn(d, low[lane], high[lane]);
            const struct quat got = from_rest(&body, held, lane);
            worst = fmax(worst, angle_between(got, expected));
        }
        memory_release(kept);
    }
    assert_true(worst < 2e-5);
}

static void test_humanoid_twist_beyond_half_a_turn_is_one_the_other_way(void **state)
{
    (void)state;
    struct body body = body_new(2, 4);
    for (uint32_t lane = 0; lane < 2; lane++) {
        set_limit(&body, lane, Y, -0.5, 1.0);
    }
    const double turns[] = {3.0, 3.3, 4.5, 5.0, 6.0, 7.0, -3.0, -3.3, -6.0};
    const double held[] = {1.0,  -0.5, -0.5,          -0.5, 6.0 - 2 * M_PI, 7.0 - 2 * M_PI,
                           -0.5, 1.0,  2 * M_PI - 6.0};
    trp_pose_block *const pose = pose_new(1);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        memcpy(pose, body.rig->rest, sizeof *pose);
        turn_from_rest(&body, pose, 0, turn_about(Y, turns[i]));
        turn_from_rest(&body, pose, 1, times(turn_about(X, 0.7), turn_about(Y, turns[i])));
        hold(&body, pose);
        assert_true(angle_between(from_rest(&body, pose, 0), turn_about(Y, held[i])) < 2e-6);
        assert_true(angle_between(from_rest(&body, pose, 1),
                                  times(turn_about(X, 0.7), turn_about(Y, held[i]))) < 2e-6);
    }
}

static void test_humanoid_both_signs_are_held_alike(void **state)
{
    (void)state;
    struct body body = body_new(16, 5);
    uint64_t random = 13;
    for (uint32_t lane = 0; lane < 16; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, -0.4, 0.6);
        }
    }
    trp_pose_block *const pose = pose_new(1);
    trp_pose_block *const opposite = pose_new(1);
    FOR_EACH_ISA(isa)
    {
        rig_fill_pose(body.rig, &random, pose);
        memcpy(opposite, pose, sizeof *pose);
        for (int i = 0; i < 64; i++) {
            opposite->rotation[i / 16][i % 16] *= -1;
        }
        hold(&body, pose);
        hold(&body, opposite);
        for (int i = 0; i < 64; i++) {
            assert_true(opposite->rotation[i / 16][i % 16] == -pose->rotation[i / 16][i % 16]);
        }
        assert_memory_equal(pose->translation, opposite->translation,
                            sizeof *pose - sizeof pose->rotation);
    }
}

static void test_humanoid_half_turns_of_swing_are_held(void **state)
{
    (void)state;
    struct body body = body_new(4, 6);
    for (uint32_t lane = 0; lane < 4; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, -0.5, 0.5);
        }
        for (int i = 0; i < 4; i++) {
            body.rig->rest->rotation[i][lane] = i == 3;
        }
    }
    trp_pose_block *const pose = pose_new(1);
    memcpy(pose, body.rig->rest, sizeof *pose);
    set_rotation(pose, 0, (struct quat){1, 0, 0, 0});
    set_rotation(pose, 1, (struct quat){0, 0, -1, 0});
    set_rotation(pose, 2, (struct quat){0, 1, 0, 0});
    set_rotation(pose, 3, (struct quat){0, 0, 0, 0});
    hold(&body, pose);
    assert_true(angle_between(rotation_at(pose, 0), turn_about(X, 0.5)) < 1e-6);
    assert_true(angle_between(rotation_at(pose, 1), turn_about(Z, -0.5)) < 1e-6);
    assert_true(angle_between(rotation_at(pose, 2), turn_about(Y, 0.5)) < 1e-6);
    assert_true(rotation_at(pose, 3).w == 0); // no rotation, and inside
}

static void test_humanoid_no_number_stays_in_its_lane(void **state)
{
    (void)state;
    struct body body = body_new(16, 7);
    uint64_t random = 15;
    for (uint32_t lane = 0; lane < 16; lane++) {
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, -0.3, 0.3);
        }
    }
    trp_pose_block *const pose = pose_new(1);
    trp_pose_block *const clean = pose_new(1);
    trp_pose_block *const held = pose_new(1);
    rig_fill_pose(body.rig, &random, pose);
    memcpy(clean, pose, sizeof *pose);
    hold(&body, clean);
    for (uint32_t bad = 0; bad < 16; bad++) {
        FOR_EACH_ISA(isa)
        {
            memcpy(held, pose, sizeof *pose);
            held->rotation[bad % 4][bad] = NAN;
            float before[4];
            for (int i = 0; i < 4; i++) {
                before[i] = held->rotation[i][bad];
            }
            hold(&body, held);
            for (int i = 0; i < 4; i++) { // its own bits stay
                assert_memory_equal(&held->rotation[i][bad], &before[i], sizeof(float));
                held->rotation[i][bad] = clean->rotation[i][bad];
            }
            assert_memory_equal(held, clean, sizeof *pose);
        }
    }
}

static void test_humanoid_every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    static const uint32_t joint_counts[] = {1, 15, 16, 17, 100};
    uint64_t random = 17;
    for (size_t i = 0; i < sizeof joint_counts / sizeof *joint_counts; i++) {
        struct body body = body_new(joint_counts[i], 40 + i);
        for (uint32_t k = 0; k < body.block_count * 96; k++) {
            const bool is_low = k / 16 % 2 == 0;
            if (chance(&random) % 3 != 0) {
                body.limits[k / 96][k / 16 % 6][k % 16] =
                    is_low ? chance_between(&random, -2, 0) : chance_between(&random, 0, 2);
            }
        }
        set_limit(&body, 0, X, -0.2, 0.2);
        uint32_t changed_count = 0;
        trp_pose_block *const pose = pose_new(body.block_count);
        trp_pose_block *const expected = pose_new(body.block_count);
        trp_pose_block *const held = pose_new(body.block_count);
        for (int round = 0; round < 50; round++) {
            rig_fill_pose(body.rig, &random, pose);
            FOR_EACH_ISA(isa)
            {
                memcpy(held, pose, trp_pose_bytes(body.block_count));
                hold(&body, held);
                if (isa == TRP_ISA_REFERENCE) {
                    memcpy(expected, held, trp_pose_bytes(body.block_count));
                }
                assert_memory_equal(held, expected, trp_pose_bytes(body.block_count));
            }
            changed_count += memcmp(expected, pose, trp_pose_bytes(body.block_count)) != 0;
            assert_true(trp_pose_is_finite(expected, body.block_count));
        }
        assert_true(changed_count > 25);
    }
}

static void test_humanoid_clamp_takes_several_poses_and_the_first_blocks(void **state)
{
    (void)state;
    struct body body = body_new(33, 8);
    uint64_t random = 19;
    for (uint32_t lane = 0; lane < 33; lane++) {
        set_limit(&body, lane, X, 0, 0);
        set_limit(&body, lane, Y, 0, 0);
        set_limit(&body, lane, Z, 0, 0);
    }
    trp_pose_block *poses[3];
    trp_pose_block *const origin = pose_new(3);
    rig_fill_pose(body.rig, &random, origin);
    for (int i = 0; i < 3; i++) {
        poses[i] = pose_new(3);
        memcpy(poses[i], origin, 3 * sizeof *origin);
    }
    const trp_humanoid_args args = {
        .humanoid = &body.humanoid,
        .skeleton = &body.rig->skeleton,
        .poses = poses,
        .pose_count = 2,
        .block_count = 2,
    };
    assert_int_equal(trp_humanoid_clamp(&args), TRP_OK);
    assert_memory_equal(poses[0], poses[1], 3 * sizeof *origin);
    assert_memory_equal(&poses[0][2], &origin[2], sizeof *origin);
    assert_memory_equal(poses[2], origin, 3 * sizeof *origin);
    for (uint32_t lane = 0; lane < 32; lane++) { // locked to rest
        assert_true(angle_between(rotation_at(poses[0], lane), rotation_at(body.rig->rest, lane)) <
                    1e-6);
    }
}

static void test_humanoid_blocks_without_limits_keep_every_bit(void **state)
{
    (void)state;
    struct body body = body_new(64, 10);
    uint64_t random = 23;
    for (uint32_t lane = 0; lane < 32; lane++) { // of blocks 1 and 3
        for (int axis = 0; axis < 3; axis++) {
            set_limit(&body, lane, axis, 0, 0);
        }
    }
    body.blocks[0] = 1;
    body.blocks[1] = 3;
    body.humanoid.limit_block_count = 2;
    trp_pose_block *const pose = pose_new(4);
    trp_pose_block *const held = pose_new(4);
    rig_fill_pose(body.rig, &random, pose);
    trp_pose_block *const poses[1] = {held};
    for (uint32_t count = 1; count <= 4; count++) {
        const trp_humanoid_args args = {
            .humanoid = &body.humanoid,
            .skeleton = &body.rig->skeleton,
            .poses = poses,
            .pose_count = 1,
            .block_count = count,
        };
        FOR_EACH_ISA(isa)
        {
            memcpy(held, pose, 4 * sizeof *pose);
            assert_int_equal(trp_humanoid_clamp(&args), TRP_OK);
            for (uint32_t lane = 0; lane < 64; lane++) {
                const bool is_held = lane / 16 % 2 == 1 && lane / 16 < count;
                const struct quat expected = rotation_at(is_held ? body.rig->rest : pose, lane);
                assert_true(angle_between(rotation_at(held, lane), expected) < 1e-6);
            }
            assert_memory_equal(&held[0], &pose[0], sizeof *pose);
            assert_memory_equal(&held[2], &pose[2], sizeof *pose);
        }
    }
}

static void test_humanoid_clamp_refuses_and_leaves_poses(void **state)
{
    (void)state;
    struct body body = body_new(17, 9);
    set_limit(&body, 0, X, 0, 0.001);
    trp_pose_block *pose = pose_new(2);
    trp_pose_block *const origin = pose_new(2);
    uint64_t random = 21;
    rig_fill_pose(body.rig, &random, pose);
    memcpy(origin, pose, 2 * sizeof *pose);
    trp_pose_block *const misplaced[2] = {pose, (trp_pose_block *)((char *)pose + 32)};
    trp_skeleton small = body.rig->skeleton;
    small.block_count = 1;
    trp_humanoid blank = body.humanoid;
    blank.limit_blocks = NULL;
    trp_humanoid shifted = body.humanoid;
    shifted.limit_blocks++;
    trp_humanoid placeless = body.humanoid;
    placeless.block_of_limits = NULL;
    trp_skeleton other = body.rig->skeleton; // as large
    other.bind_hash ^= 1;
    const trp_humanoid_args good = {.humanoid = &body.humanoid,
                                    .skeleton = &body.rig->skeleton,
                                    .poses = &pose,
                                    .pose_count = 1};
    trp_humanoid_args cases[10];
    for (int i = 0; i < 10; i++) {
        cases[i] = good;
    }
    cases[0].humanoid = NULL;
    cases[1].skeleton = NULL;
    cases[2].poses = NULL;
    cases[3].poses = misplaced;
    cases[3].pose_count = 2;
    cases[4].block_count = 3;
    cases[5].humanoid = &blank;
    cases[6].humanoid = &shifted;
    cases[7].humanoid = &placeless;
    cases[8].skeleton = &small;
    cases[9].skeleton = &other;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(trp_humanoid_clamp(&cases[i]),
                         i >= 8 ? TRP_ERROR_MISMATCH : TRP_ERROR_ARGUMENT);
    }
    assert_int_equal(trp_humanoid_clamp(NULL), TRP_ERROR_ARGUMENT);
    assert_memory_equal(pose, origin, 2 * sizeof *pose);
    trp_humanoid_args none = good;
    none.poses = NULL;
    none.pose_count = 0;
    assert_int_equal(trp_humanoid_clamp(&none), TRP_OK);
    assert_int_equal(trp_humanoid_clamp(&good), TRP_OK);
    assert_memory_not_equal(pose, origin, 2 * sizeof *pose);
}

// -- Parts ---------------------------------------------------------------------------------------

static void test_humanoid_part_names_are_found_again(void **state)
{
    (void)state;
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        const char *const name = trp_human_part_name(part);
        assert_non_null(name);
        assert_int_equal(trp_human_part_find(name), part);
    }
    static const struct {
        uint32_t part;
        const char *name;
    } known[] = {
        {TRP_HUMAN_HIP, "hip"},
        {TRP_HUMAN_UPPER_CHEST, "upper_chest"},
        {TRP_HUMAN_JAW, "jaw"},
        {TRP_HUMAN_EYE_R, "eye.r"},
        {TRP_HUMAN_SHOULDER_L, "shoulder.l"},
        {TRP_HUMAN_SHOULDER_L + 1, "upper_arm.l"},
        {TRP_HUMAN_SHOULDER_L + 3, "wrist.l"},
        {TRP_HUMAN_SHOULDER_L + 4, "thumb_1.l"},
        {TRP_HUMAN_SHOULDER_L + 18, "little_3.l"},
        {TRP_HUMAN_SHOULDER_L + 22, "toes.l"},
        {TRP_HUMAN_SHOULDER_R, "shoulder.r"},
        {TRP_HUMAN_SHOULDER_R + 21, "foot.r"},
        {54, "toes.r"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_string_equal(trp_human_part_name(known[i].part), known[i].name);
    }
    assert_null(trp_human_part_name(55));
    assert_null(trp_human_part_name(TRP_NONE));
    assert_int_equal(trp_human_part_find(NULL), TRP_NONE);
    assert_int_equal(trp_human_part_find("Hip"), TRP_NONE);
    assert_int_equal(trp_human_part_find(""), TRP_NONE);
}

static void test_humanoid_lanes_go_by_feet_and_jaws(void **state)
{
    (void)state;
    uint16_t lanes[TRP_HUMAN_PART_COUNT];
    for (uint16_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        lanes[part] = part == 10 ? TRP_NO_LANE : 100 + part;
    }
    trp_humanoid humanoid = {.lane_of_part = lanes};
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        assert_int_equal(trp_humanoid_lane(&humanoid, part), lanes[part]);
        assert_int_equal(trp_humanoid_part(&humanoid, 100 + part), part == 10 ? TRP_NONE : part);
    }
    assert_int_equal(trp_humanoid_lane(&humanoid, 55), TRP_NO_LANE);
    assert_int_equal(trp_humanoid_lane(NULL, 0), TRP_NO_LANE);
    assert_int_equal(trp_humanoid_part(&humanoid, TRP_NO_LANE), TRP_NONE);
    assert_int_equal(trp_humanoid_part(NULL, 100), TRP_NONE);

    humanoid.flags = TRP_HUMANOID_NO_JAW;
    assert_int_equal(trp_humanoid_lane(&humanoid, TRP_HUMAN_JAW), TRP_NO_LANE);
    assert_int_equal(trp_humanoid_part(&humanoid, 100 + TRP_HUMAN_JAW), TRP_NONE);
    humanoid.flags = TRP_HUMANOID_DIGITIGRADE;
    for (uint32_t side = TRP_HUMAN_SHOULDER_L; side <= TRP_HUMAN_SHOULDER_R; side += 23) {
        const uint32_t foot = side + 21;
        assert_int_equal(trp_humanoid_lane(&humanoid, foot), lanes[foot + 1]);
        assert_int_equal(trp_humanoid_lane(&humanoid, foot + 1), TRP_NO_LANE);
        assert_int_equal(trp_humanoid_part(&humanoid, lanes[foot + 1]), foot);
        assert_int_equal(trp_humanoid_part(&humanoid, lanes[foot]), TRP_NONE);
        lanes[foot + 1] = TRP_NO_LANE;
        assert_int_equal(trp_humanoid_lane(&humanoid, foot), TRP_NO_LANE);
    }
    assert_int_equal(trp_humanoid_lane(&humanoid, TRP_HUMAN_JAW), 100 + TRP_HUMAN_JAW);
}

static void test_humanoid_view_says_what_the_pack_was_made_of(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct pack_content *const content = pack_content_random(&(struct pack_recipe){
            .seed = seed, .joint_count = 12 + 7 * (uint32_t)seed, .instance_count = 2});
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        trp_pack pack;
        trp_skeleton skeleton;
        trp_instance instance;
        trp_humanoid humanoid;
        memset(&humanoid, 0x55, sizeof humanoid);
        const trp_humanoid untouched = humanoid;
        assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
        assert_int_equal(trp_pack_skeleton(&pack, 0, &skeleton), TRP_OK);
        assert_int_equal(trp_pack_instance(&pack, 1, &instance), TRP_OK);
        assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_ERROR_MISMATCH);
        assert_int_equal(trp_instance_humanoid(NULL, &humanoid), TRP_ERROR_ARGUMENT);
        assert_int_equal(trp_instance_humanoid(&instance, NULL), TRP_ERROR_ARGUMENT);
        assert_memory_equal(&humanoid, &untouched, sizeof humanoid);
        assert_int_equal(trp_pack_instance(&pack, 0, &instance), TRP_OK);
        assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_OK);

        const struct pack_humanoid *const made = content->instances[0].humanoid;
        assert_int_equal(humanoid.flags, made->flags);
        const float settings[7] = {
            humanoid.arm_stretch,  humanoid.upper_arm_twist, humanoid.lower_arm_twist,
            humanoid.leg_stretch,  humanoid.upper_leg_twist, humanoid.lower_leg_twist,
            humanoid.feet_spacing,
        };
        assert_memory_equal(settings, made->settings, sizeof settings);
        assert_memory_equal(humanoid.lane_of_part, made->lanes, sizeof made->lanes);
        for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
            const trp_human_limits *const limits = &humanoid.limits[part];
            assert_int_equal(limits->axes, made->axes[part]);
            assert_memory_equal(limits->primary, &made->angles[part][0], sizeof limits->primary);
            assert_memory_equal(limits->secondary, &made->angles[part][3],
                                sizeof limits->secondary);
            assert_memory_equal(limits->twist, &made->angles[part][6], sizeof limits->twist);
        }
        assert_true(humanoid.bind_hash == skeleton.bind_hash);
        assert_int_equal(humanoid.block_count, skeleton.block_count);
        assert_int_equal(humanoid.limit_block_count, made->limit_block_count);
        assert_memory_equal(humanoid.block_of_limits, made->limit_blocks,
                            made->limit_block_count * sizeof *made->limit_blocks);
        assert_memory_equal(humanoid.limit_blocks, made->limits,
                            made->limit_block_count * sizeof *made->limits);
        assert_int_equal((uintptr_t)humanoid.limit_blocks % 64, 0);
        free(bytes);
        pack_content_free(content);
    }
}

int main(void)
{
    if (!isa_report()) {
        return EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_humanoid_turn_about_one_axis_stops_at_its_limit),
        RIG_TEST(test_humanoid_inside_limits_every_bit_stays),
        RIG_TEST(test_humanoid_lanes_without_limits_keep_every_bit),
        RIG_TEST(test_humanoid_any_turn_agrees_with_swing_and_twist),
        RIG_TEST(test_humanoid_twist_beyond_half_a_turn_is_one_the_other_way),
        RIG_TEST(test_humanoid_both_signs_are_held_alike),
        RIG_TEST(test_humanoid_half_turns_of_swing_are_held),
        RIG_TEST(test_humanoid_no_number_stays_in_its_lane),
        RIG_TEST(test_humanoid_every_instruction_set_gives_the_same_bits),
        RIG_TEST(test_humanoid_clamp_takes_several_poses_and_the_first_blocks),
        RIG_TEST(test_humanoid_blocks_without_limits_keep_every_bit),
        RIG_TEST(test_humanoid_clamp_refuses_and_leaves_poses),
        cmocka_unit_test(test_humanoid_part_names_are_found_again),
        cmocka_unit_test(test_humanoid_lanes_go_by_feet_and_jaws),
        cmocka_unit_test(test_humanoid_view_says_what_the_pack_was_made_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
