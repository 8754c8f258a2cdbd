// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "isa.h"
#include "synthetic_clip.h"

static const struct synthetic_recipe mixed = {
    .seed = 11,
    .block_count = 3,
    .tick_count = 100,
    .ticks_per_segment = 16,
    .animated_percent = {50, 30, 10},
    .width_low = 0,
    .width_high = 12,
};

static const struct synthetic_recipe still = {.seed = 12, .block_count = 2, .tick_count = 30};

// -- Binding -------------------------------------------------------------------------------------

/// A skeleton with a joint in each of the first `joint_count` lanes, for a clip without bind hash.
static trp_skeleton skeleton_for(const struct synthetic_clip *clip, uint32_t joint_count)
{
    uint16_t *const joint_of_lane = synthetic_memory(clip->lane_count * sizeof(uint16_t));
    for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
        joint_of_lane[lane] = lane < joint_count ? (uint16_t)lane : TRP_NO_LANE;
    }
    return (trp_skeleton){
        .joint_count = joint_count,
        .lane_count = clip->lane_count,
        .block_count = clip->clip.block_count,
        .joint_of_lane = joint_of_lane,
        .rest = clip->rest,
    };
}

static void test_clip_bind_takes_the_rest_of_a_fitting_skeleton(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    const trp_skeleton skeleton = skeleton_for(&clip, clip.lane_count);
    clip.clip.rest = NULL;
    clip.clip.base = NULL;
    assert_int_equal(trp_clip_bind(&clip.clip, &skeleton), TRP_OK);
    assert_ptr_equal(clip.clip.rest, skeleton.rest);
    assert_ptr_equal(clip.clip.base, skeleton.rest);
}

static void test_clip_bind_refuses_other_skeletons(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    const trp_pose_block *const rest = clip.clip.rest;
    trp_skeleton other = skeleton_for(&clip, clip.lane_count);
    other.bind_hash = 1;
    assert_int_equal(trp_clip_bind(&clip.clip, &other), TRP_ERROR_MISMATCH);
    other = skeleton_for(&clip, clip.lane_count);
    other.block_count--;
    assert_int_equal(trp_clip_bind(&clip.clip, &other), TRP_ERROR_MISMATCH);
    other = skeleton_for(&clip, 1); // the clip animates more
    assert_int_equal(trp_clip_bind(&clip.clip, &other), TRP_ERROR_MISMATCH);
    assert_ptr_equal(clip.clip.rest, rest);

    trp_clip empty = {0};
    assert_int_equal(trp_clip_bind(NULL, &other), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_bind(&clip.clip, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_bind(&empty, &other), TRP_ERROR_ARGUMENT);
}

// -- Queries -------------------------------------------------------------------------------------

static void test_clip_track_kinds_and_coverage_are_those_made(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    float *const mask = synthetic_memory(clip.lane_count * sizeof(float));
    assert_int_equal(trp_clip_coverage(&clip.clip, mask), TRP_OK);
    uint32_t kinds_seen = 0;
    uint32_t uncovered = 0;
    for (uint32_t lane = 0; lane < clip.lane_count; lane++) {
        bool is_covered = false;
        for (uint32_t path = 0; path < 3; path++) {
            const trp_track_kind kind = clip.tracks[path * clip.lane_count + lane].kind;
            assert_int_equal(trp_clip_track_kind(&clip.clip, (trp_path)path, lane), kind);
            kinds_seen |= 1u << kind;
            is_covered |= kind != TRP_TRACK_ABSENT;
        }
        assert_true(mask[lane] == (is_covered ? 1.0f : 0.0f));
        uncovered += !is_covered;
    }
    assert_int_equal(kinds_seen, 7);
    assert_true(uncovered > 0);
}

static void test_clip_queries_out_of_range_say_nothing(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    const trp_clip empty = {0};
    float mask[48] = {5};
    const trp_path no_path = (trp_path)3;
    assert_int_equal(trp_clip_track_kind(NULL, TRP_PATH_SCALE, 0), TRP_TRACK_ABSENT);
    assert_int_equal(trp_clip_track_kind(&empty, TRP_PATH_SCALE, 0), TRP_TRACK_ABSENT);
    for (uint32_t lane = 0; lane < clip.lane_count; lane++) {
        assert_int_equal(trp_clip_track_kind(&clip.clip, no_path, lane), TRP_TRACK_ABSENT);
    }
    for (uint32_t lane = clip.lane_count; lane != 0; lane *= 2) { // to the end of the numbers
        assert_int_equal(trp_clip_track_kind(&clip.clip, TRP_PATH_ROTATION, lane),
                         TRP_TRACK_ABSENT);
    }
    assert_int_equal(trp_clip_coverage(NULL, mask), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_coverage(&empty, mask), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_coverage(&clip.clip, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_coverage(&clip.clip, (float *)((char *)mask + 1)),
                     TRP_ERROR_ARGUMENT);
    assert_true(mask[0] == 5);
    assert_int_equal(trp_clip_prepared_bytes(NULL), 0);
}

static void test_clip_segment_at_follows_the_clamped_time(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed); // 100 ticks at 30 Hz, 16 a segment
    assert_int_equal(clip.clip.segment_count, 7);
    static const struct {
        double time_s;
        uint32_t segment;
    } expected[] = {
        {0, 0},
        {-1, 0},
        {-INFINITY, 0},
        {NAN, 0},
        {15.9 / 30, 0},
        {16.0 / 30, 1},
        {(float)(16.0f / 30.0f), 1},
        {31.5 / 30, 1},
        {96.0 / 30, 6},
        {100.0 / 30, 6},
        {101.0 / 30, 6},
        {1e300, 6},
        {INFINITY, 6},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(trp_clip_segment_at(&clip.clip, expected[i].time_s), expected[i].segment);
    }
}

static void test_clip_end_on_a_border_belongs_to_the_last_segment(void **state)
{
    (void)state;
    struct synthetic_recipe recipe = mixed;
    recipe.tick_count = 32;
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    assert_int_equal(clip.clip.segment_count, 2);
    assert_int_equal(trp_clip_segment_at(&clip.clip, clip.clip.duration_s), 1);
}

static void test_clip_without_animation_has_no_segment(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&still);
    assert_int_equal(clip.clip.segment_count, 0);
    assert_int_equal(trp_clip_segment_at(&clip.clip, 0.5), TRP_NONE);
    assert_int_equal(trp_clip_segment_at(NULL, 0.5), TRP_NONE);
}

// -- Preparing -----------------------------------------------------------------------------------

static void test_clip_prepare_writes_no_more_than_it_asks_for(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    const size_t bytes = trp_clip_prepared_bytes(&clip.clip);
    void *const memory = synthetic_memory(bytes);
    FOR_EACH_ISA(isa)
    {
        assert_int_equal(trp_clip_prepared_bytes(&clip.clip), bytes);
        for (uint32_t segment = 0; segment < clip.clip.segment_count; segment++) {
            assert_int_equal(trp_clip_prepare(&clip.clip, segment, memory, bytes), TRP_OK);
        }
    }
}

static void test_clip_prepare_refuses_and_leaves_memory_alone(void **state)
{
    (void)state;
    struct synthetic_clip clip = synthetic_clip_make(&mixed);
    struct synthetic_clip motionless = synthetic_clip_make(&still);
    const size_t bytes = trp_clip_prepared_bytes(&clip.clip);
    unsigned char *const memory = synthetic_memory((bytes + 63) / 64 * 64);
    memset(memory, 0xA5, bytes);
    trp_clip unbound = clip.clip;
    unbound.rest = NULL;
    const trp_clip empty = {0};
    assert_int_equal(trp_clip_prepare(NULL, 0, memory, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&empty, 0, memory, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&clip.clip, 0, NULL, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&clip.clip, 0, memory + 32, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&clip.clip, 7, memory, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&clip.clip, TRP_NONE, memory, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&motionless.clip, 1, memory, bytes), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_prepare(&unbound, 0, memory, bytes), TRP_ERROR_MISMATCH);
    assert_int_equal(trp_clip_prepare(&clip.clip, 0, memory, bytes - 1), TRP_ERROR_CAPACITY);
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(memory[i], 0xA5);
    }
    assert_int_equal(trp_clip_prepare(&motionless.clip, 0, memory, bytes), TRP_OK);
}

static int release(void **state)
{
    (void)state;
    synthetic_release();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_clip_bind_takes_the_rest_of_a_fitting_skeleton, release),
        cmocka_unit_test_teardown(test_clip_bind_refuses_other_skeletons, release),
        cmocka_unit_test_teardown(test_clip_track_kinds_and_coverage_are_those_made, release),
        cmocka_unit_test_teardown(test_clip_queries_out_of_range_say_nothing, release),
        cmocka_unit_test_teardown(test_clip_segment_at_follows_the_clamped_time, release),
        cmocka_unit_test_teardown(test_clip_end_on_a_border_belongs_to_the_last_segment, release),
        cmocka_unit_test_teardown(test_clip_without_animation_has_no_segment, release),
        cmocka_unit_test_teardown(test_clip_prepare_writes_no_more_than_it_asks_for, release),
        cmocka_unit_test_teardown(test_clip_prepare_refuses_and_leaves_memory_alone, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
