// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Making poses, turning them from and into arrays of joint transforms, and looking for values that
// are not finite.
#define _DEFAULT_SOURCE // for rig.h

#include "rig.h"

#include <float.h>

static void test_pose_bytes_counts_640_a_block(void **state)
{
    (void)state;
    assert_int_equal(trp_pose_bytes(0), 0);
    assert_int_equal(trp_pose_bytes(1), 640);
    assert_int_equal(trp_pose_bytes(2048), 640 * 2048);
}

static void test_pose_rest_copies_the_rest(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(17, 3, 1);
    trp_pose_block *pose = pose_new(rig->skeleton.block_count);
    assert_int_equal(trp_pose_rest(&rig->skeleton, pose), TRP_OK);
    assert_memory_equal(pose, rig->rest, trp_pose_bytes(rig->skeleton.block_count));
}

static void assert_lane_is_identity(const trp_pose_block *pose, uint32_t lane)
{
    const trp_pose_block *block = &pose[lane / 16];
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(block->rotation[i][lane % 16] == (i == 3 ? 1.0f : 0.0f));
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(block->translation[i][lane % 16] == 0.0f);
        assert_true(block->scale[i][lane % 16] == 1.0f);
    }
}

static void test_pose_identity_fills_every_lane(void **state)
{
    (void)state;
    trp_pose_block *pose = pose_new(3);
    memset(pose, 0xFF, trp_pose_bytes(3));
    assert_int_equal(trp_pose_identity(pose, 3), TRP_OK);
    for (uint32_t lane = 0; lane < 48; lane++) {
        assert_lane_is_identity(pose, lane);
    }
    assert_int_equal(trp_pose_identity(pose, 0), TRP_OK);
}

/// Fills an array of transforms with arbitrary bits, NaN and -0 among them.
static void fill_joints(char *joints, uint32_t joint_count, size_t stride, uint64_t *random)
{
    for (uint32_t joint = 0; joint < joint_count; joint++) {
        trp_joint_transform transform;
        float *values = (float *)&transform;
        for (size_t i = 0; i < sizeof transform / sizeof(float); i++) {
            const uint32_t bits = chance(random);
            memcpy(&values[i], &bits, sizeof bits);
        }
        transform.translation[0] = NAN;
        transform.rotation[1] = -0.0f;
        memcpy(joints + stride * joint, &transform, sizeof transform);
    }
}

static void test_pose_joints_go_in_and_out_bit_for_bit(void **state)
{
    (void)state;
    static const uint32_t joint_counts[] = {1, 15, 16, 17, 64, 100};
    static const size_t strides[] = {0, sizeof(trp_joint_transform), 44, 64};
    uint64_t random = 7;
    for (size_t c = 0; c < 6; c++) {
        const uint32_t joint_count = joint_counts[c];
        const struct rig *rig = rig_new(joint_count, joint_count > 16 ? 5 : 0, c);
        for (size_t s = 0; s < 4; s++) {
            const size_t stride = strides[s] ? strides[s] : sizeof(trp_joint_transform);
            const size_t bytes = stride * (joint_count - 1) + sizeof(trp_joint_transform);
            char *in = memory_before_fault(bytes);
            char *out = memory_before_fault(bytes);
            trp_pose_block *pose = pose_new(rig->skeleton.block_count);
            memset(in, 0x5A, bytes);
            memset(out, 0x5A, bytes); // what lies between joints stays
            fill_joints(in, joint_count, stride, &random);

            assert_int_equal(
                trp_pose_from_joints(&rig->skeleton, (trp_joint_transform *)in, strides[s], pose),
                TRP_OK);
            assert_int_equal(
                trp_pose_to_joints(&rig->skeleton, pose, strides[s], (trp_joint_transform *)out),
                TRP_OK);
            assert_memory_equal(in, out, bytes);
            for (uint32_t lane = 0; lane < rig->skeleton.lane_count; lane++) {
                if (rig->joint_of_lane[lane] == TRP_NO_LANE) {
                    assert_lane_is_identity(pose, lane);
                }
            }
        }
    }
}

static void test_pose_from_joints_puts_each_component_into_its_lane(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(20, 4, 3);
    trp_joint_transform joints[20];
    trp_pose_block *pose = pose_new(2);
    for (uint32_t i = 0; i < 20; i++) {
        const float base = 100.0f * (float)i;
        joints[i] = (trp_joint_transform){
            .translation = {base, base + 1, base + 2},
            .rotation = {base + 3, base + 4, base + 5, base + 6},
            .scale = {base + 7, base + 8, base + 9},
        };
    }
    assert_int_equal(trp_pose_from_joints(&rig->skeleton, joints, 0, pose), TRP_OK);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t lane = rig->lane_of_joint[i];
        const float base = 100.0f * (float)i;
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(pose[lane / 16].translation[k][lane % 16] == base + (float)k);
            assert_true(pose[lane / 16].scale[k][lane % 16] == base + 7 + (float)k);
        }
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(pose[lane / 16].rotation[k][lane % 16] == base + 3 + (float)k);
        }
    }
}

static void test_pose_bad_arguments_are_refused_and_write_nothing(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(17, 0, 2);
    const trp_skeleton *skeleton = &rig->skeleton;
    trp_joint_transform joints[17];
    trp_pose_block *pose = pose_new(3);
    trp_pose_block *crooked = (trp_pose_block *)((char *)pose + 16);
    memset(pose, 0x11, trp_pose_bytes(3));
    memset(joints, 0x22, sizeof joints);

    assert_int_equal(trp_pose_rest(NULL, pose), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_rest(skeleton, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_rest(skeleton, crooked), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_identity(NULL, 1), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_identity(crooked, 1), TRP_ERROR_ARGUMENT);

    assert_int_equal(trp_pose_from_joints(NULL, joints, 0, pose), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_from_joints(skeleton, NULL, 0, pose), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_from_joints(skeleton, joints, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_from_joints(skeleton, joints, 0, crooked), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_to_joints(NULL, pose, 0, joints), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_to_joints(skeleton, NULL, 0, joints), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_to_joints(skeleton, crooked, 0, joints), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pose_to_joints(skeleton, pose, 0, NULL), TRP_ERROR_ARGUMENT);
    static const size_t bad_strides[] = {
        4, 36, 39, 41, 42, SIZE_MAX - 3, SIZE_MAX / 8 & ~(size_t)3};
    for (size_t i = 0; i < sizeof bad_strides / sizeof bad_strides[0]; i++) {
        assert_int_equal(trp_pose_from_joints(skeleton, joints, bad_strides[i], pose),
                         TRP_ERROR_ARGUMENT);
        assert_int_equal(trp_pose_to_joints(skeleton, pose, bad_strides[i], joints),
                         TRP_ERROR_ARGUMENT);
    }

    for (size_t i = 0; i < trp_pose_bytes(3); i++) {
        assert_int_equal(((unsigned char *)pose)[i], 0x11);
    }
    for (size_t i = 0; i < sizeof joints; i++) {
        assert_int_equal(((unsigned char *)joints)[i], 0x22);
    }
}

static void test_pose_is_finite_finds_one_bad_value_anywhere(void **state)
{
    (void)state;
    static const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
    static const float good[] = {0.0f, -0.0f, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN};
    trp_pose_block *pose = pose_new(2);
    float *values = (float *)pose;
    assert_int_equal(trp_pose_identity(pose, 2), TRP_OK);
    assert_int_equal(trp_pose_is_finite(pose, 2), 1);
    assert_int_equal(trp_pose_is_finite(pose, 0), 1);
    assert_int_equal(trp_pose_is_finite(NULL, 0), 0);
    assert_int_equal(trp_pose_is_finite(NULL, 2), 0);
    for (uint32_t i = 0; i < 320; i++) {
        const float kept = values[i];
        values[i] = bad[i % 4];
        assert_int_equal(trp_pose_is_finite(pose, 2), 0);
        assert_int_equal(trp_pose_is_finite(pose, 1), i >= 160);
        values[i] = good[i % 6];
        assert_int_equal(trp_pose_is_finite(pose, 2), 1);
        values[i] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_pose_bytes_counts_640_a_block),
        RIG_TEST(test_pose_rest_copies_the_rest),
        RIG_TEST(test_pose_identity_fills_every_lane),
        RIG_TEST(test_pose_joints_go_in_and_out_bit_for_bit),
        RIG_TEST(test_pose_from_joints_puts_each_component_into_its_lane),
        RIG_TEST(test_pose_bad_arguments_are_refused_and_write_nothing),
        RIG_TEST(test_pose_is_finite_finds_one_bad_value_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
