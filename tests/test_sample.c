// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sampling: the same bits from every table, the right values by double-precision arithmetic of the
// test's own, and nothing read or written where it must not be. Rows end 64 bytes before memory
// that faults; poses, scratch and prepared segments right before it.
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

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

// -- Helpers -------------------------------------------------------------------------------------

static size_t pose_bytes(const struct synthetic_clip *clip)
{
    return trp_pose_bytes(clip->clip.block_count);
}

/// Samples with exactly the scratch that is asked for, at the end of what there is.
static trp_result sample_batch(const trp_sample_request *requests, uint32_t count,
                               const void *const *prepared, uint32_t prepared_count)
{
    static _Alignas(64) unsigned char scratch[1 << 20];
    trp_sample_args args = {
        .requests = requests,
        .request_count = count,
        .prepared = prepared,
        .prepared_count = prepared_count,
    };
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    assert_true(args.scratch_bytes <= sizeof scratch);
    args.scratch = scratch + sizeof scratch - args.scratch_bytes;
    return trp_sample(&args, NULL);
}

static void sample_one(const trp_clip *clip, double time_s, trp_pose_block *pose)
{
    const trp_sample_request request = {.clip = clip, .time_s = time_s, .pose = pose};
    assert_int_equal(sample_batch(&request, 1, NULL, 0), TRP_OK);
}

static float value_of(const trp_pose_block *pose, uint32_t path, uint32_t i, uint32_t lane)
{
    const trp_pose_block *const block = &pose[lane / 16];
    return path == TRP_PATH_ROTATION      ? block->rotation[i][lane % 16]
           : path == TRP_PATH_TRANSLATION ? block->translation[i][lane % 16]
                                          : block->scale[i][lane % 16];
}

/// The largest difference between a sampled pose and the double-precision truth.
static double error_at(const struct synthetic_clip *clip, double time_s, const trp_pose_block *pose)
{
    double largest = 0;
    for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
        double truth[3][4];
        synthetic_clip_evaluate(clip, lane, time_s, truth[0], truth[1], truth[2]);
        for (uint32_t path = 0; path < 3; path++) {
            for (uint32_t i = 0; i < (path == TRP_PATH_ROTATION ? 4 : 3); i++) {
                const double error = fabs(value_of(pose, path, i, lane) - truth[path][i]);
                largest = error > largest || error != error ? error : largest;
            }
        }
    }
    return largest;
}

static double chance_time(uint64_t *state, const trp_clip *clip)
{
    return synthetic_chance_between(state, -0.1, 1.1) * clip->duration_s;
}

static struct synthetic_recipe chance_recipe(uint64_t seed)
{
    static const uint32_t percents[5] = {0, 5, 50, 95, 100};
    uint64_t state = seed * 2 + 1;
    const uint32_t block_count = 1 + synthetic_chance(&state) % 4;
    const uint32_t low = synthetic_chance(&state) % 25;
    const bool has_edge = synthetic_chance(&state) % 8 == 0;
    return (struct synthetic_recipe){
        .seed = seed,
        .block_count = block_count,
        .joint_count = 16 * block_count - synthetic_chance(&state) % 16,
        .tick_count = has_edge ? synthetic_chance(&state) % 3 : synthetic_chance(&state) % 40,
        .ticks_per_segment = 8 + synthetic_chance(&state) % 40,
        .flags = synthetic_chance(&state) % 8 == 0 ? TRP_CLIP_ADDITIVE : 0,
        .animated_percent = {percents[synthetic_chance(&state) % 5],
                             percents[synthetic_chance(&state) % 5],
                             percents[synthetic_chance(&state) % 5]},
        .hold_percent = percents[synthetic_chance(&state) % 3],
        .row_percent = percents[synthetic_chance(&state) % 5],
        .width_low = low,
        .width_high = low + synthetic_chance(&state) % (25 - low),
        .turn = synthetic_chance(&state) % 2 ? 2.3 : 0.4,
    };
}

// -- The same bits -------------------------------------------------------------------------------

static void test_sample_every_table_gives_the_bits_of_the_reference(void **state)
{
    (void)state;
    enum { CLIPS = 2000, TIMES = 6 };
    for (uint64_t seed = 0; seed < CLIPS; seed++) {
        const struct synthetic_recipe recipe = chance_recipe(seed);
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const expected = synthetic_pose(&clip);
        trp_pose_block *const pose = synthetic_pose(&clip);
        uint64_t chance_state = seed + 1;
        for (int i = 0; i < TIMES; i++) {
            const double time_s = chance_time(&chance_state, &clip.clip);
            FOR_EACH_ISA(isa)
            {
                sample_one(&clip.clip, time_s, isa == TRP_ISA_REFERENCE ? expected : pose);
                if (isa != TRP_ISA_REFERENCE && memcmp(pose, expected, pose_bytes(&clip)) != 0) {
                    fail_msg("%s differs, seed %u", trp_isa_name(isa), (unsigned)seed);
                }
            }
            assert_true(trp_pose_is_finite(expected, clip.clip.block_count));
        }
        synthetic_release();
    }
}

static void test_sample_widths_up_to_the_limit_give_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t width = 0; width <= 24; width++) {
        const struct synthetic_recipe recipe = {
            .seed = width,
            .block_count = 3,
            .tick_count = 3,
            .animated_percent = {100, 100, 100},
            .width_low = width,
            .width_high = width,
        };
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const expected = synthetic_pose(&clip);
        trp_pose_block *const pose = synthetic_pose(&clip);
        FOR_EACH_ISA(isa)
        {
            sample_one(&clip.clip, 0.055, isa == TRP_ISA_REFERENCE ? expected : pose);
            assert_true(error_at(&clip, 0.055, expected) < 2e-6);
            if (isa != TRP_ISA_REFERENCE) {
                assert_memory_equal(pose, expected, pose_bytes(&clip));
            }
        }
        synthetic_release();
    }
}

#if defined(__x86_64__) || defined(__i386__)
static void test_sample_flushed_denormals_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct synthetic_recipe recipe = chance_recipe(seed);
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const expected = synthetic_pose(&clip);
        trp_pose_block *const pose = synthetic_pose(&clip);
        FOR_EACH_ISA(isa)
        {
            sample_one(&clip.clip, 0.3, expected);
            const unsigned control = _mm_getcsr();
            _mm_setcsr(control | 0x8040); // FTZ and DAZ
            sample_one(&clip.clip, 0.3, pose);
            _mm_setcsr(control);
            assert_memory_equal(pose, expected, pose_bytes(&clip));
        }
        synthetic_release();
    }
}
#endif

// -- The right values ----------------------------------------------------------------------------

static void test_sample_every_rule_agrees_with_double_precision(void **state)
{
    (void)state;
    static const uint32_t rules[5] = {
        TRP__RULE_LERP,
        TRP__RULE_NLERP,
        TRP__RULE_NLERP | TRP__RULE_FLIP,
        TRP__RULE_CORRECTED,
        TRP__RULE_CORRECTED | TRP__RULE_FLIP,
    };
    uint64_t chance_state = 5;
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t rule = rules[i % 5];
        const struct synthetic_recipe recipe = {
            .seed = i,
            .block_count = 2,
            .joint_count = 27,
            .tick_count = 60,
            .ticks_per_segment = 24,
            .rate_num = 24000,
            .rate_den = 1001,
            .animated_percent = {70, 40, 40},
            .rule = rule,
            .hold_percent = i % 3 == 0 ? 30 : 0,
            .row_percent = i % 2 ? 50 : 0,
            .width_low = 0,
            .width_high = 1 + i % 24,
            .turn = rule & TRP__RULE_FLIP ? 2.3 : 0.5, // what flips may be far apart
        };
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const pose = synthetic_pose(&clip);
        for (int k = 0; k < 10; k++) {
            const double time_s = chance_time(&chance_state, &clip.clip);
            sample_one(&clip.clip, time_s, pose);
            const double error = error_at(&clip, time_s, pose);
            if (!(error < 4e-6)) { // of values up to 4; u is rounded to 2^-21 of a tick
                fail_msg("rule %u, seed %u: off by %g", rule, i, error);
            }
        }
        synthetic_release();
    }
}

static void test_sample_rotations_are_unit_quaternions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct synthetic_recipe recipe = chance_recipe(seed);
        recipe.turn = 0.5;
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const pose = synthetic_pose(&clip);
        sample_one(&clip.clip, 0.4 * clip.clip.duration_s, pose);
        for (uint32_t lane = 0; lane < clip.lane_count; lane++) {
            double length = 0;
            for (uint32_t i = 0; i < 4; i++) {
                length += pow(value_of(pose, TRP_PATH_ROTATION, i, lane), 2);
            }
            assert_true(fabs(sqrt(length) - 1) < 1e-6);
        }
        synthetic_release();
    }
}

/// The angle between two rotations in radians, from the chord, which is accurate when small.
static double angle_between(const double a[4], const double b[4])
{
    double minus = 0;
    double plus = 0;
    for (int i = 0; i < 4; i++) {
        minus += (a[i] - b[i]) * (a[i] - b[i]);
        plus += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * asin(sqrt(fmin(minus, plus)) / 2);
}

static void slerp(const double a[4], const double b[4], double u, double q[4])
{
    double dot = 0;
    for (int i = 0; i < 4; i++) {
        dot += a[i] * b[i];
    }
    const double sign = dot < 0 ? -1 : 1;
    const double angle = acos(fmin(fabs(dot), 1));
    for (int i = 0; i < 4; i++) {
        q[i] = angle < 1e-9
                   ? a[i]
                   : (sin((1 - u) * angle) * a[i] + sign * sin(u * angle) * b[i]) / sin(angle);
    }
}

static void rotation_of(const trp_pose_block *pose, uint32_t lane, double q[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = value_of(pose, TRP_PATH_ROTATION, i, lane);
    }
}

static void test_sample_corrected_rule_keeps_close_to_slerp(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 3,
        .tick_count = 40,
        .animated_percent = {100, 0, 0},
        .rule = TRP__RULE_CORRECTED | TRP__RULE_FLIP,
        .width_low = 12,
        .width_high = 16,
        .turn = 1.2,
    };
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const poses[3] = {synthetic_pose(&clip), synthetic_pose(&clip),
                                      synthetic_pose(&clip)};
    double largest_turn = 0;
    for (uint32_t tick = 0; tick < 40; tick++) {
        for (double u = 0.125; u < 1; u += 0.125) {
            sample_one(&clip.clip, tick / 30.0, poses[0]);
            sample_one(&clip.clip, (tick + u) / 30.0, poses[1]);
            sample_one(&clip.clip, (tick + 1) / 30.0, poses[2]);
            for (uint32_t lane = 0; lane < 16; lane++) {
                double q[3][4];
                double truth[4];
                for (int i = 0; i < 3; i++) {
                    rotation_of(poses[i], lane, q[i]);
                }
                slerp(q[0], q[2], u, truth);
                const double turn = angle_between(q[0], q[2]);
                largest_turn = turn > largest_turn ? turn : largest_turn;
                assert_true(turn > 1.5 || angle_between(q[1], truth) < 1e-3 * turn + 1e-6);
            }
        }
    }
    assert_true(largest_turn > 1.4); // the test has seen wide turns
}

static void test_sample_absent_lanes_get_rest_bit_for_bit(void **state)
{
    (void)state;
    uint32_t lanes_seen = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct synthetic_recipe recipe = chance_recipe(seed);
        recipe.flags = 0;
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const pose = synthetic_pose(&clip);
        sample_one(&clip.clip, 0.7 * clip.clip.duration_s, pose);
        for (uint32_t i = 0; i < 3 * clip.lane_count; i++) {
            const struct synthetic_track *const track = &clip.tracks[i];
            const bool rests = track->kind == TRP_TRACK_ABSENT || track->is_resting;
            const uint32_t path = i / clip.lane_count;
            for (uint32_t k = 0; rests && k < (path == TRP_PATH_ROTATION ? 4 : 3); k++) {
                const float expected = value_of(clip.rest, path, k, i % clip.lane_count);
                const float value = value_of(pose, path, k, i % clip.lane_count);
                assert_memory_equal(&value, &expected, sizeof value);
                lanes_seen++;
            }
        }
        synthetic_release();
    }
    assert_true(lanes_seen > 1000);
}

static void test_sample_absent_lanes_of_additive_clips_get_identity(void **state)
{
    (void)state;
    struct synthetic_recipe recipe = chance_recipe(1);
    recipe.flags = TRP_CLIP_ADDITIVE;
    for (uint32_t i = 0; i < 3; i++) {
        recipe.animated_percent[i] = 0;
    }
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const pose = synthetic_pose(&clip);
    trp_pose_block *const identity = synthetic_pose(&clip);
    sample_one(&clip.clip, 0, pose);
    assert_int_equal(trp_pose_identity(identity, clip.clip.block_count), TRP_OK);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 3 * clip.lane_count; i++) {
        if (clip.tracks[i].kind == TRP_TRACK_ABSENT || clip.tracks[i].is_resting) {
            const uint32_t path = i / clip.lane_count;
            for (uint32_t k = 0; k < (path == TRP_PATH_ROTATION ? 4 : 3); k++) {
                assert_true(value_of(pose, path, k, i % clip.lane_count) ==
                            value_of(identity, path, k, i % clip.lane_count));
            }
            seen++;
        }
    }
    assert_true(seen > 0);
}

static void test_sample_minus_zero_of_rest_does_not_depend_on_neighbours(void **state)
{
    (void)state;
    struct synthetic_recipe recipe = {.seed = 4, .tick_count = 10, .width_high = 8};
    trp_pose_block *poses[2];
    for (uint32_t i = 0; i < 2; i++) { // beside lanes that move, and alone
        recipe.animated_percent[0] = i == 0 ? 50 : 0;
        recipe.animated_percent[1] = recipe.animated_percent[0];
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        for (uint32_t lane = 0; lane < 16; lane++) {
            clip.rest->rotation[0][lane] = -0.0f;
            clip.rest->translation[2][lane] = -0.0f;
        }
        poses[i] = synthetic_pose(&clip);
        sample_one(&clip.clip, 0.1, poses[i]);
        for (uint32_t lane = 0; lane < 16; lane++) {
            const bool rests = clip.tracks[lane].kind == TRP_TRACK_ABSENT;
            assert_true(!rests || !signbit(poses[i]->rotation[0][lane]));
            const bool translation_rests = clip.tracks[16 + lane].kind == TRP_TRACK_ABSENT;
            assert_true(!translation_rests || !signbit(poses[i]->translation[2][lane]));
        }
    }
}

// -- Times ---------------------------------------------------------------------------------------

static void test_sample_odd_times_are_clamped(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 6,
        .block_count = 2,
        .tick_count = 50,
        .ticks_per_segment = 16,
        .animated_percent = {80, 30, 30},
        .width_high = 14,
    };
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    static const double at_start[] = {NAN, -INFINITY, -1e300, -1, -1e-300, -0.0, 1e-300, 1e-9};
    static const double past_end[] = {INFINITY, 1e300, 1e18, 1e9, 1.6667};
    trp_pose_block *const expected = synthetic_pose(&clip);
    trp_pose_block *const pose = synthetic_pose(&clip);
    sample_one(&clip.clip, 0, expected);
    assert_true(error_at(&clip, 0, expected) < 2e-6);
    for (size_t i = 0; i < sizeof at_start / sizeof *at_start; i++) {
        sample_one(&clip.clip, at_start[i], pose);
        assert_memory_equal(pose, expected, pose_bytes(&clip));
    }
    sample_one(&clip.clip, clip.clip.duration_s, expected);
    assert_true(error_at(&clip, clip.clip.duration_s, expected) < 2e-6);
    for (size_t i = 0; i < sizeof past_end / sizeof *past_end; i++) {
        sample_one(&clip.clip, past_end[i], pose);
        assert_memory_equal(pose, expected, pose_bytes(&clip));
    }
}

static void test_sample_nan_times_are_counted(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 7, .tick_count = 9};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_sample_request requests[3];
    for (int i = 0; i < 3; i++) {
        requests[i] = (trp_sample_request){
            .clip = &clip.clip, .time_s = i == 1 ? 0.1 : NAN, .pose = synthetic_pose(&clip)};
    }
    trp_sample_args args = {.requests = requests, .request_count = 3};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = synthetic_memory(args.scratch_bytes);
    trp_sample_report report = {77};
    assert_int_equal(trp_sample(&args, &report), TRP_OK);
    assert_int_equal(report.nan_time_count, 2);
}

static void test_sample_clips_of_one_row_have_one_pose(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 8, .tick_count = 0, .animated_percent = {100, 100, 100}, .width_high = 9};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const expected = synthetic_pose(&clip);
    trp_pose_block *const pose = synthetic_pose(&clip);
    assert_int_equal(clip.clip.segment_count, 1);
    sample_one(&clip.clip, 0, expected);
    assert_true(error_at(&clip, 0, expected) < 2e-6);
    sample_one(&clip.clip, 5, pose);
    assert_memory_equal(pose, expected, pose_bytes(&clip));
}

/// Times of keys as files give them: as float, and as decimals of six digits.
static double key_time(uint32_t key, uint32_t rate, int form)
{
    const double time_s = (double)key / rate;
    return form == 0 ? (double)(float)time_s : floor(time_s * 1e6 + 0.5) / 1e6;
}

static void test_sample_float_times_hit_their_keys(void **state)
{
    (void)state;
    static const uint32_t rates[] = {24, 25, 30, 60, 120};
    for (int rate = 0; rate < 5; rate++) {
        const struct synthetic_recipe recipe = {
            .seed = 20 + (uint64_t)rate,
            .tick_count = 4600,
            .ticks_per_segment = 200,
            .rate_num = rates[rate],
            .animated_percent = {50, 100, 100},
            .hold_percent = 50,
            .width_high = 10,
            .width_low = 8,
            .is_continuous = true,
        };
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        trp_pose_block *const poses[2] = {synthetic_pose(&clip), synthetic_pose(&clip)};
        for (uint32_t key = 0; key <= 4600; key++) {
            const double exact_s = (double)key / rates[rate];
            const struct synthetic_segment *const segment =
                &clip.segments[trp_clip_segment_at(&clip.clip, exact_s)];
            for (int form = 0; form < 2; form++) {
                sample_one(&clip.clip, key_time(key, rates[rate], form), poses[form]);
            }
            for (uint32_t lane = 0; lane < 16; lane++) {
                double truth[3][4];
                synthetic_clip_evaluate(&clip, lane, exact_s, truth[0], truth[1], truth[2]);
                // A float time is off by up to 0.0004 ticks: held lanes must not see that. (At a
                // border it may fall into the segment before, where others hold.)
                const bool holds = segment->holds[16 + lane] && key % 200 != 0;
                for (int form = 0; form < 2; form++) {
                    const double error = fabs(poses[form]->translation[0][lane] - truth[1][0]);
                    assert_true(error < (holds ? 1e-6 : 2e-3));
                }
            }
        }
        synthetic_release();
    }
}

static void test_sample_held_lanes_switch_exactly_at_their_keys(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 31,
        .tick_count = 300,
        .ticks_per_segment = 64,
        .animated_percent = {100, 100, 100},
        .hold_percent = 100,
        .row_percent = 40,
        .width_high = 12,
        .width_low = 8,
        .is_continuous = true,
    };
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const poses[3] = {synthetic_pose(&clip), synthetic_pose(&clip),
                                      synthetic_pose(&clip)};
    for (uint32_t tick = 1; tick <= 300; tick++) { // 1 / 1024 of it before a key is the key's time
        sample_one(&clip.clip, (tick - 1.01 / 1024) / 30, poses[0]);
        sample_one(&clip.clip, (tick - 0.99 / 1024) / 30, poses[1]);
        sample_one(&clip.clip, tick / 30.0, poses[2]);
        assert_true(error_at(&clip, (tick - 0.5) / 30, poses[0]) < 4e-6);
        assert_true(error_at(&clip, (tick + 0.5) / 30, poses[1]) < 4e-6);
        assert_true(error_at(&clip, (tick + 0.5) / 30, poses[2]) < 4e-6);
    }
}

// Four words of ticks, of which some hold no row at all.
static void test_sample_gaps_wider_than_a_mask_word_are_crossed(void **state)
{
    (void)state;
    for (uint32_t ticks = 60; ticks <= 256; ticks += 28) {
        for (uint32_t percent = 1; percent <= 4; percent += 3) {
            const struct synthetic_recipe recipe = {
                .seed = ticks,
                .tick_count = 2 * ticks + 5,
                .ticks_per_segment = ticks,
                .animated_percent = {60, 40, 20},
                .rule = TRP__RULE_LERP,
                .row_percent = percent,
                .width_high = 12,
            };
            struct synthetic_clip clip = synthetic_clip_make(&recipe);
            trp_pose_block *const pose = synthetic_pose(&clip);
            for (double tick = 0; tick <= recipe.tick_count; tick += 0.375) {
                sample_one(&clip.clip, tick / 30, pose);
                assert_true(error_at(&clip, tick / 30, pose) < 4e-6);
            }
            synthetic_release();
        }
    }
}

static void test_sample_rows_are_exact_at_their_ticks(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 41,
        .tick_count = 64,
        .ticks_per_segment = 16,
        .rate_num = 64, // so that times are exact
        .animated_percent = {0, 100, 100},
        .width_low = 1,
        .width_high = 16,
    };
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const pose = synthetic_pose(&clip);
    for (uint32_t tick = 0; tick <= 64; tick++) {
        sample_one(&clip.clip, tick / 64.0, pose);
        for (uint32_t lane = 0; lane < 16; lane++) {
            double truth[3][4];
            synthetic_clip_evaluate(&clip, lane, tick / 64.0, truth[0], truth[1], truth[2]);
            for (uint32_t i = 0; i < 3; i++) { // 4 ulp of 4, the largest value on the way
                assert_true(fabs(pose->translation[i][lane] - truth[1][i]) <= 4 * 0x1p-21);
                assert_true(fabs(pose->scale[i][lane] - truth[2][i]) <= 4 * 0x1p-22);
            }
        }
    }
}

// -- Batches -------------------------------------------------------------------------------------

enum { BATCH_CLIPS = 5, BATCH = 300 };

struct crowd {
    struct synthetic_clip clips[BATCH_CLIPS];
    trp_sample_request requests[BATCH];
    trp_pose_block *expected[BATCH]; // each sampled alone
};

static struct crowd *crowd_make(uint64_t seed)
{
    struct crowd *const crowd = synthetic_memory(sizeof *crowd);
    uint64_t state = seed * 2 + 1;
    for (uint32_t i = 0; i < BATCH_CLIPS; i++) {
        struct synthetic_recipe recipe = chance_recipe(seed * 16 + i);
        recipe.tick_count = 10 * i + 5;
        recipe.ticks_per_segment = 8;
        crowd->clips[i] = synthetic_clip_make(&recipe);
    }
    for (uint32_t i = 0; i < BATCH; i++) {
        const struct synthetic_clip *const clip =
            &crowd->clips[synthetic_chance(&state) % BATCH_CLIPS];
        crowd->requests[i] = (trp_sample_request){
            .clip = &clip->clip,
            .time_s = chance_time(&state, &clip->clip),
            .pose = synthetic_pose(clip),
        };
        crowd->expected[i] = synthetic_pose(clip);
        sample_one(&clip->clip, crowd->requests[i].time_s, crowd->expected[i]);
    }
    return crowd;
}

static void crowd_clear(struct crowd *crowd)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        memset(crowd->requests[i].pose, 0xFF, trp_pose_bytes(crowd->requests[i].clip->block_count));
    }
}

static void crowd_check(const struct crowd *crowd)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        assert_memory_equal(crowd->requests[i].pose, crowd->expected[i],
                            trp_pose_bytes(crowd->requests[i].clip->block_count));
    }
}

static void test_sample_batches_split_anyhow_give_the_same_bits(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        struct crowd *const crowd = crowd_make(1);
        for (uint32_t size = 1; size <= 33; size++) {
            crowd_clear(crowd);
            for (uint32_t first = 0; first < BATCH; first += size) {
                const uint32_t count = first + size < BATCH ? size : BATCH - first;
                assert_int_equal(sample_batch(&crowd->requests[first], count, NULL, 0), TRP_OK);
            }
            crowd_check(crowd);
        }
        crowd_clear(crowd);
        assert_int_equal(sample_batch(crowd->requests, BATCH, NULL, 0), TRP_OK);
        crowd_check(crowd);
        synthetic_release();
    }
}

static void test_sample_batches_in_any_order_give_the_same_bits(void **state)
{
    (void)state;
    struct crowd *const crowd = crowd_make(2);
    uint64_t chance_state = 9;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = BATCH - 1; i > 0; i--) {
            const uint32_t k = synthetic_chance(&chance_state) % (i + 1);
            const trp_sample_request request = crowd->requests[i];
            trp_pose_block *const expected = crowd->expected[i];
            crowd->requests[i] = crowd->requests[k];
            crowd->expected[i] = crowd->expected[k];
            crowd->requests[k] = request;
            crowd->expected[k] = expected;
        }
        crowd_clear(crowd);
        assert_int_equal(sample_batch(crowd->requests, BATCH, NULL, 0), TRP_OK);
        crowd_check(crowd);
    }
}

static void test_sample_parts_of_a_batch_need_no_more_scratch(void **state)
{
    (void)state;
    struct crowd *const crowd = crowd_make(3);
    const void *const prepared[4] = {0};
    trp_sample_args args = {
        .requests = crowd->requests,
        .request_count = BATCH,
        .prepared = prepared,
        .prepared_count = 4,
    };
    const size_t whole = trp_sample_scratch_bytes(&args);
    for (uint32_t first = 0; first < BATCH; first += 7) {
        args.requests = crowd->requests + first;
        for (args.request_count = 1; args.request_count <= BATCH - first; args.request_count++) {
            assert_true(trp_sample_scratch_bytes(&args) <= whole);
        }
    }
}

static void test_sample_scratch_for_any_counts_is_enough_or_impossible(void **state)
{
    (void)state;
    struct crowd *const crowd = crowd_make(3);
    const trp_sample_args args = {
        .requests = crowd->requests,
        .request_count = 1,
        .prepared_count = UINT32_MAX,
    };
    const size_t bytes = trp_sample_scratch_bytes(&args);
    assert_true(bytes == SIZE_MAX || bytes > (uint64_t)UINT32_MAX * sizeof(void *));
}

static void test_sample_nothing_is_fine(void **state)
{
    (void)state;
    const trp_sample_args args = {0};
    trp_sample_report report = {5};
    assert_int_equal(trp_sample_scratch_bytes(&args), 0);
    assert_int_equal(trp_sample_scratch_bytes(NULL), 0);
    assert_int_equal(trp_sample(&args, &report), TRP_OK);
    assert_int_equal(report.nan_time_count, 0);
}

static void test_sample_first_blocks_alone_are_those_of_the_whole(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 51,
        .block_count = 4,
        .tick_count = 20,
        .animated_percent = {70, 50, 30},
        .hold_percent = 10,
        .width_high = 12,
    };
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    trp_pose_block *const expected = synthetic_pose(&clip);
    sample_one(&clip.clip, 0.21, expected);
    for (uint32_t blocks = 1; blocks <= 6; blocks++) { // more than there are: all
        const uint32_t written = blocks < 4 ? blocks : 4;
        const trp_sample_request request = {
            .clip = &clip.clip,
            .time_s = 0.21,
            .pose = synthetic_memory(trp_pose_bytes(written)),
        };
        trp_sample_args args = {.requests = &request, .request_count = 1, .block_count = blocks};
        args.scratch_bytes = trp_sample_scratch_bytes(&args);
        args.scratch = synthetic_memory(args.scratch_bytes);
        assert_int_equal(trp_sample(&args, NULL), TRP_OK);
        assert_memory_equal(request.pose, expected, trp_pose_bytes(written));
    }
}

// -- Prepared segments ---------------------------------------------------------------------------

static void *prepare(const trp_clip *clip, uint32_t segment)
{
    const size_t bytes = trp_clip_prepared_bytes(clip);
    void *const memory = synthetic_memory(bytes);
    assert_int_equal(trp_clip_prepare(clip, segment, memory, bytes), TRP_OK);
    return memory;
}

static void test_sample_prepared_segments_give_the_same_bits(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        struct crowd *const crowd = crowd_make(4);
        const void *prepared[64];
        uint32_t count = 0;
        for (uint32_t i = 0; i < BATCH_CLIPS; i++) { // most of them, one twice
            const trp_clip *const clip = &crowd->clips[i].clip;
            const uint32_t segments = clip->segment_count ? clip->segment_count : 1;
            for (uint32_t segment = i % 2; segment < segments; segment++) {
                prepared[count++] = prepare(clip, segment);
            }
        }
        prepared[count++] = prepare(&crowd->clips[4].clip, 0);
        for (uint32_t size = 1; size <= BATCH; size = size * 3 + 1) {
            crowd_clear(crowd);
            for (uint32_t first = 0; first < BATCH; first += size) {
                const uint32_t left = BATCH - first;
                assert_int_equal(sample_batch(&crowd->requests[first], left < size ? left : size,
                                              prepared, count),
                                 TRP_OK);
            }
            crowd_check(crowd);
        }
        synthetic_release();
    }
}

static void test_sample_prepared_segment_is_really_used(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 61};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const trp_sample_request request = {.clip = &clip.clip, .pose = synthetic_pose(&clip)};
    trp_pose_block *const expected = synthetic_pose(&clip);
    sample_one(&clip.clip, 0, expected);
    const void *const prepared[1] = {prepare(&clip.clip, 0)};
    for (uint32_t lane = 0; lane < 16; lane++) {
        clip.rest->translation[0][lane] += 1; // seen only by those who expand again
    }
    assert_int_equal(sample_batch(&request, 1, prepared, 1), TRP_OK);
    assert_memory_equal(request.pose, expected, pose_bytes(&clip));
    sample_one(&clip.clip, 0, request.pose);
    assert_memory_not_equal(request.pose, expected, pose_bytes(&clip));
}

static void test_sample_prepared_for_another_rest_is_not_used(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 61};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const void *const prepared[1] = {prepare(&clip.clip, 0)};
    trp_pose_block *const rest = synthetic_pose(&clip);
    assert_int_equal(trp_pose_identity(rest, 1), TRP_OK);
    clip.clip.rest = rest;
    clip.clip.base = rest;
    trp_pose_block *const expected = synthetic_pose(&clip);
    sample_one(&clip.clip, 0, expected);
    const trp_sample_request request = {.clip = &clip.clip, .pose = synthetic_pose(&clip)};
    assert_int_equal(sample_batch(&request, 1, prepared, 1), TRP_OK);
    assert_memory_equal(request.pose, expected, pose_bytes(&clip));
}

/// Checks that a batch of one is refused with its pose untouched.
static void assert_refused(const trp_sample_args *args, trp_result expected)
{
    trp_pose_block *const pose = args->requests[0].pose;
    const uintptr_t misplaced = (uintptr_t)pose % 64;
    if (pose && misplaced == 0) {
        memset(pose, 0x5A, sizeof *pose);
    }
    trp_sample_report report = {123};
    assert_int_equal(trp_sample(args, &report), expected);
    assert_int_equal(report.nan_time_count, 123);
    for (size_t i = 0; pose && misplaced == 0 && i < sizeof *pose; i++) {
        assert_int_equal(((const unsigned char *)pose)[i], 0x5A);
    }
}

static void test_sample_prepared_of_another_table_is_refused(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 62, .tick_count = 8};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const void *prepared[1] = {NULL};
    const trp_sample_request request = {.clip = &clip.clip, .pose = synthetic_pose(&clip)};
    trp_sample_args args = {
        .requests = &request, .request_count = 1, .prepared = prepared, .prepared_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = synthetic_memory(args.scratch_bytes);
    FOR_EACH_ISA(isa)
    {
        if (isa != TRP_ISA_REFERENCE) {
            assert_refused(&args, TRP_ERROR_MISMATCH);
        }
        prepared[0] = prepare(&clip.clip, 0);
        assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    }
}

// A pack was replaced where it lay: what was prepared from the old one must not read the new one.
static void test_sample_prepared_before_a_reload_is_refused(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 63, .tick_count = 8};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const void *const prepared[1] = {prepare(&clip.clip, 0)};
    trp_clip reloaded = clip.clip;
    const trp_sample_request request = {.clip = &reloaded, .pose = synthetic_pose(&clip)};
    trp_sample_args args = {
        .requests = &request, .request_count = 1, .prepared = prepared, .prepared_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = synthetic_memory(args.scratch_bytes);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    reloaded.pack_hash++;
    assert_refused(&args, TRP_ERROR_MISMATCH);
    reloaded = clip.clip;
    reloaded.index++;
    assert_refused(&args, TRP_ERROR_MISMATCH);
}

// -- Refusals ------------------------------------------------------------------------------------

static void test_sample_bad_arguments_are_refused_before_any_write(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {.seed = 71, .tick_count = 8};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const trp_sample_request good = {.clip = &clip.clip, .pose = synthetic_pose(&clip)};
    trp_sample_request requests[2] = {good, good};
    requests[1].pose = synthetic_pose(&clip);
    const trp_sample_request second = requests[1];
    unsigned char *const junk = synthetic_memory(4096);
    const void *prepared[1] = {junk};
    trp_sample_args args = {.requests = requests, .request_count = 2};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = synthetic_memory(args.scratch_bytes);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    assert_int_equal(trp_sample(NULL, NULL), TRP_ERROR_ARGUMENT);

    const trp_clip empty = {0};
    trp_clip unbound = clip.clip;
    unbound.rest = NULL;
    requests[1].clip = NULL;
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1].clip = &empty;
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1].clip = &unbound;
    assert_refused(&args, TRP_ERROR_MISMATCH);
    requests[1] = second;
    requests[1].pose = NULL;
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1].pose = (trp_pose_block *)((char *)second.pose - 16);
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1] = second;
    requests[1].values = (float *)((char *)junk + 2);
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1] = second;
    requests[1].cursors = (uint32_t *)((char *)junk + 2);
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1] = second;
    requests[1].flags = 2;
    assert_refused(&args, TRP_ERROR_ARGUMENT);
    requests[1].flags = TRP_SAMPLE_ADDITIVE;
    assert_refused(&args, TRP_ERROR_MISMATCH);
    requests[1] = second;

    trp_sample_args changed = args;
    changed.scratch = NULL;
    assert_refused(&changed, TRP_ERROR_ARGUMENT);
    changed.scratch = (char *)args.scratch + 16;
    assert_refused(&changed, TRP_ERROR_ARGUMENT);
    changed = args;
    changed.scratch_bytes--;
    assert_refused(&changed, TRP_ERROR_CAPACITY);
    changed = args;
    changed.prepared_count = 1;
    assert_refused(&changed, TRP_ERROR_ARGUMENT);
    changed.prepared = prepared; // never prepared
    assert_refused(&changed, TRP_ERROR_ARGUMENT);
    prepared[0] = NULL;
    assert_refused(&changed, TRP_ERROR_ARGUMENT);
    prepared[0] = junk + 32;
    assert_refused(&changed, TRP_ERROR_ARGUMENT);

    changed = (trp_sample_args){.request_count = 2};
    assert_int_equal(trp_sample(&changed, NULL), TRP_ERROR_ARGUMENT);
}

static void test_sample_additive_clips_pass_where_asked_for(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 72, .tick_count = 8, .flags = TRP_CLIP_ADDITIVE};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    const trp_sample_request request = {
        .clip = &clip.clip, .flags = TRP_SAMPLE_ADDITIVE, .pose = synthetic_pose(&clip)};
    assert_int_equal(sample_batch(&request, 1, NULL, 0), TRP_OK);
}

static int release(void **state)
{
    (void)state;
    synthetic_release();
    return 0;
}

int main(void)
{
    if (!isa_report()) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_sample_every_table_gives_the_bits_of_the_reference, release),
        cmocka_unit_test_teardown(test_sample_widths_up_to_the_limit_give_the_same_bits, release),
#if defined(__x86_64__) || defined(__i386__)
        cmocka_unit_test_teardown(test_sample_flushed_denormals_change_nothing, release),
#endif
        cmocka_unit_test_teardown(test_sample_every_rule_agrees_with_double_precision, release),
        cmocka_unit_test_teardown(test_sample_rotations_are_unit_quaternions, release),
        cmocka_unit_test_teardown(test_sample_corrected_rule_keeps_close_to_slerp, release),
        cmocka_unit_test_teardown(test_sample_absent_lanes_get_rest_bit_for_bit, release),
        cmocka_unit_test_teardown(test_sample_absent_lanes_of_additive_clips_get_identity, release),
        cmocka_unit_test_teardown(test_sample_minus_zero_of_rest_does_not_depend_on_neighbours,
                                  release),
        cmocka_unit_test_teardown(test_sample_odd_times_are_clamped, release),
        cmocka_unit_test_teardown(test_sample_nan_times_are_counted, release),
        cmocka_unit_test_teardown(test_sample_clips_of_one_row_have_one_pose, release),
        cmocka_unit_test_teardown(test_sample_float_times_hit_their_keys, release),
        cmocka_unit_test_teardown(test_sample_held_lanes_switch_exactly_at_their_keys, release),
        cmocka_unit_test_teardown(test_sample_gaps_wider_than_a_mask_word_are_crossed, release),
        cmocka_unit_test_teardown(test_sample_rows_are_exact_at_their_ticks, release),
        cmocka_unit_test_teardown(test_sample_batches_split_anyhow_give_the_same_bits, release),
        cmocka_unit_test_teardown(test_sample_batches_in_any_order_give_the_same_bits, release),
        cmocka_unit_test_teardown(test_sample_parts_of_a_batch_need_no_more_scratch, release),
        cmocka_unit_test_teardown(test_sample_scratch_for_any_counts_is_enough_or_impossible,
                                  release),
        cmocka_unit_test_teardown(test_sample_nothing_is_fine, release),
        cmocka_unit_test_teardown(test_sample_first_blocks_alone_are_those_of_the_whole, release),
        cmocka_unit_test_teardown(test_sample_prepared_segments_give_the_same_bits, release),
        cmocka_unit_test_teardown(test_sample_prepared_segment_is_really_used, release),
        cmocka_unit_test_teardown(test_sample_prepared_for_another_rest_is_not_used, release),
        cmocka_unit_test_teardown(test_sample_prepared_of_another_table_is_refused, release),
        cmocka_unit_test_teardown(test_sample_prepared_before_a_reload_is_refused, release),
        cmocka_unit_test_teardown(test_sample_bad_arguments_are_refused_before_any_write, release),
        cmocka_unit_test_teardown(test_sample_additive_clips_pass_where_asked_for, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
