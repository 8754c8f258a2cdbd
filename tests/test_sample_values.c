// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sampling what is no joint in rows: values of properties, and keyed tracks of both. Values by
// double-precision arithmetic, keyed tracks by trp_track_sample; nothing written outside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "isa.h"
#include "pack_builder.h"
#include "synthetic_clip.h"

// -- Helpers -------------------------------------------------------------------------------------

/// Samples with exactly the scratch that is asked for.
static void sample(const trp_sample_request *requests, uint32_t count, uint32_t block_count,
                   const void *const *prepared, uint32_t prepared_count)
{
    static _Alignas(64) unsigned char scratch[1 << 20];
    trp_sample_args args = {
        .requests = requests,
        .request_count = count,
        .block_count = block_count,
        .prepared = prepared,
        .prepared_count = prepared_count,
    };
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    assert_true(args.scratch_bytes <= sizeof scratch);
    args.scratch = scratch + sizeof scratch - args.scratch_bytes;
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
}

/// Returns memory for the values of a clip, right before a page that faults; NaN everywhere.
static float *make_values(const trp_clip *clip)
{
    float *const values = synthetic_memory(clip->value_count * sizeof *values);
    memset(values, 0xFF, clip->value_count * sizeof *values);
    return values;
}

static struct synthetic_recipe chance_recipe(uint64_t seed)
{
    static const uint32_t percents[4] = {0, 30, 90, 100};
    static const uint32_t counts[8] = {1, 2, 15, 16, 17, 31, 33, 70};
    uint64_t state = seed * 2 + 1;
    const uint32_t low = synthetic_chance(&state) % 25;
    return (struct synthetic_recipe){
        .seed = seed,
        .block_count = 1 + synthetic_chance(&state) % 3,
        .tick_count = synthetic_chance(&state) % 40,
        .ticks_per_segment = 8 + synthetic_chance(&state) % 40,
        .flags = synthetic_chance(&state) % 8 == 0 ? TRP_CLIP_ADDITIVE : 0,
        .animated_percent = {percents[synthetic_chance(&state) % 4],
                             percents[synthetic_chance(&state) % 4], 0},
        .hold_percent = percents[synthetic_chance(&state) % 2],
        .row_percent = percents[synthetic_chance(&state) % 4],
        .width_low = low,
        .width_high = low + synthetic_chance(&state) % (25 - low),
        .value_count = counts[synthetic_chance(&state) % 8],
        .animated_value_percent = percents[synthetic_chance(&state) % 4],
    };
}

static double chance_time(uint64_t *state, const trp_clip *clip)
{
    return synthetic_chance_between(state, -0.1, 1.1) * clip->duration_s;
}

/// A pack of random clips with everything in it.
struct keyed_pack {
    struct pack_content *content;
    uint8_t *bytes;
    trp_pack pack;
    trp_clip clip;
};

static struct keyed_pack keyed_pack_make(const struct pack_recipe *recipe)
{
    struct keyed_pack made = {.content = pack_content_random(recipe)};
    size_t size_bytes = 0;
    made.bytes = pack_write(made.content, &size_bytes);
    assert_int_equal(trp_pack_open(made.bytes, size_bytes, &made.pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_clip(&made.pack, 0, &made.clip), TRP_OK);
    return made;
}

static void keyed_pack_free(struct keyed_pack *made)
{
    free(made->bytes);
    pack_content_free(made->content);
}

static struct pack_recipe keyed_recipe(uint64_t seed)
{
    return (struct pack_recipe){
        .seed = seed,
        .joint_count = 1 + (uint32_t)(seed * 7 % 50),
        .clip_count = 1,
        .tick_count = (uint32_t)(seed % 30),
        .flags = seed % 8 == 0 ? TRP_CLIP_ADDITIVE : 0,
        .property_count = (uint32_t)(seed * 5 % 23),
        .group_count = (uint32_t)(seed % 5),
        .is_still = seed % 6 == 5,
        .is_jointless = seed % 7 == 6,
        .has_initial_keys = seed % 2 == 0,
    };
}

static trp_pose_block *make_pose(const trp_clip *clip)
{
    trp_pose_block *const pose = synthetic_memory(trp_pose_bytes(clip->block_count));
    memset(pose, 0xFF, trp_pose_bytes(clip->block_count));
    return pose;
}

// -- Values in rows ------------------------------------------------------------------------------

static void test_sample_values_every_table_gives_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        const struct synthetic_recipe recipe = chance_recipe(seed);
        const struct synthetic_clip clip = synthetic_clip_make(&recipe);
        const size_t value_bytes = clip.clip.value_count * sizeof(float);
        uint64_t chance_state = seed + 1;
        for (int i = 0; i < 4; i++) {
            float *const expected = make_values(&clip.clip);
            const double time_s = chance_time(&chance_state, &clip.clip);
            FOR_EACH_ISA(isa)
            {
                float *const values = make_values(&clip.clip);
                const trp_sample_request request = {
                    .clip = &clip.clip, .time_s = time_s, .values = values};
                sample(&request, 1, 0, NULL, 0);
                if (isa == TRP_ISA_REFERENCE) {
                    memcpy(expected, values, value_bytes);
                } else if (memcmp(values, expected, value_bytes) != 0) {
                    fail_msg("%s differs, seed %u", trp_isa_name(isa), (unsigned)seed);
                }
            }
        }
        synthetic_release();
    }
}

static void test_sample_values_agree_with_double_precision(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        const struct synthetic_recipe recipe = chance_recipe(seed);
        const struct synthetic_clip clip = synthetic_clip_make(&recipe);
        float *const values = make_values(&clip.clip);
        uint64_t chance_state = seed + 7;
        for (int i = 0; i < 4; i++) {
            const double time_s = chance_time(&chance_state, &clip.clip);
            const trp_sample_request request = {
                .clip = &clip.clip, .time_s = time_s, .values = values};
            sample(&request, 1, 0, NULL, 0);
            for (uint32_t k = 0; k < clip.clip.value_count; k++) {
                const double truth = synthetic_clip_evaluate_value(&clip, k, time_s);
                assert_true(fabs(values[k] - truth) < 2e-6);
            }
        }
        synthetic_release();
    }
}

static void test_sample_values_that_rest_have_their_defaults_bit_for_bit(void **state)
{
    (void)state;
    for (uint32_t percent = 0; percent <= 50; percent += 50) {
        const struct synthetic_recipe recipe = {
            .seed = 3, .tick_count = 5, .value_count = 40, .animated_value_percent = percent};
        struct synthetic_clip clip = synthetic_clip_make(&recipe);
        float *const values = make_values(&clip.clip);
        uint32_t resting = 0;
        for (uint32_t k = 0; k < 40; k++) {
            resting = clip.values[k].is_animated ? resting : k;
        }
        clip.defaults[resting] = -0.0f;
        const trp_sample_request request = {.clip = &clip.clip, .values = values};
        sample(&request, 1, 0, NULL, 0);
        for (uint32_t k = 0; k < 40; k++) {
            assert_true(clip.values[k].is_animated || values[k] == clip.defaults[k]);
        }
        assert_true(!signbit(values[resting])); // whatever its neighbours do
        synthetic_release();
    }
}

static void test_sample_values_switch_exactly_at_their_keys_where_they_hold(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 4,
        .tick_count = 100,
        .ticks_per_segment = 200,
        .hold_percent = 100,
        .width_low = 8,
        .width_high = 8,
        .value_count = 20,
        .animated_value_percent = 100,
    };
    const struct synthetic_clip clip = synthetic_clip_make(&recipe);
    float *const values = make_values(&clip.clip);
    for (uint32_t key = 0; key <= 100; key++) {
        const double times[3] = {key / 30.0, (double)(float)(key / 30.0), (key + 0.9) / 30.0};
        for (int i = 0; i < 3; i++) {
            const trp_sample_request request = {
                .clip = &clip.clip, .time_s = times[i], .values = values};
            sample(&request, 1, 0, NULL, 0);
            for (uint32_t k = 0; k < 20; k++) {
                const double truth = synthetic_clip_evaluate_value(&clip, k, key / 30.0);
                assert_true(fabs(values[k] - truth) < 2e-6);
            }
        }
    }
}

static void test_sample_values_do_not_depend_on_the_pose_beside_them(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        for (uint64_t seed = 0; seed < 60; seed++) {
            const struct synthetic_recipe recipe = chance_recipe(seed);
            const struct synthetic_clip clip = synthetic_clip_make(&recipe);
            const size_t value_bytes = clip.clip.value_count * sizeof(float);
            const size_t pose_bytes = trp_pose_bytes(clip.clip.block_count);
            uint64_t chance_state = seed + 1;
            trp_sample_request request = {
                .clip = &clip.clip,
                .time_s = chance_time(&chance_state, &clip.clip),
                .values = make_values(&clip.clip),
                .pose = make_pose(&clip.clip),
            };
            const uint32_t segment =
                clip.clip.segment_count ? trp_clip_segment_at(&clip.clip, request.time_s) : 0;
            void *const prepared = synthetic_memory(trp_clip_prepared_bytes(&clip.clip));
            assert_int_equal(trp_clip_prepare(&clip.clip, segment, prepared,
                                              trp_clip_prepared_bytes(&clip.clip)),
                             TRP_OK);
            const void *const list[1] = {prepared};
            sample(&request, 1, 0, NULL, 0);

            trp_sample_request other = request;
            for (uint32_t form = 0; form < 6; form++) {
                other.values = form == 5 ? NULL : make_values(&clip.clip);
                other.pose = form == 0 || form == 1 ? NULL : make_pose(&clip.clip);
                sample(&other, 1, form == 2 ? 1 : 0, list, form == 1 || form == 4);
                if (other.values) {
                    assert_memory_equal(other.values, request.values, value_bytes);
                }
                if (other.pose) {
                    assert_memory_equal(other.pose, request.pose,
                                        form == 2 ? trp_pose_bytes(1) : pose_bytes);
                }
            }
            synthetic_release();
        }
    }
}

static void test_sample_values_of_unbound_clips_need_no_skeleton(void **state)
{
    (void)state;
    const struct synthetic_recipe recipe = {
        .seed = 9, .tick_count = 5, .value_count = 5, .animated_value_percent = 100};
    struct synthetic_clip clip = synthetic_clip_make(&recipe);
    clip.clip.rest = NULL;
    const trp_sample_request request = {
        .clip = &clip.clip, .time_s = 0.1, .values = make_values(&clip.clip)};
    sample(&request, 1, 0, NULL, 0);
    for (uint32_t k = 0; k < 5; k++) {
        assert_true(fabs(request.values[k] - synthetic_clip_evaluate_value(&clip, k, 0.1)) < 2e-6);
    }
}

static void test_sample_values_of_batches_split_and_turned_give_the_same_bits(void **state)
{
    (void)state;
    enum { CLIPS = 4, BATCH = 40 };
    FOR_EACH_ISA(isa)
    {
        struct synthetic_clip clips[CLIPS];
        trp_sample_request requests[BATCH];
        trp_sample_request turned[BATCH];
        uint64_t chance_state = 3;
        for (uint32_t i = 0; i < CLIPS; i++) {
            const struct synthetic_recipe recipe = chance_recipe(100 + i);
            clips[i] = synthetic_clip_make(&recipe);
        }
        for (uint32_t i = 0; i < BATCH; i++) {
            const struct synthetic_clip *const clip =
                &clips[synthetic_chance(&chance_state) % CLIPS];
            requests[i] = (trp_sample_request){
                .clip = &clip->clip,
                .time_s = chance_time(&chance_state, &clip->clip),
                .values = make_values(&clip->clip),
                .pose = i % 3 == 0 ? make_pose(&clip->clip) : NULL,
            };
            turned[BATCH - 1 - i] = requests[i];
            turned[BATCH - 1 - i].values = make_values(&clip->clip);
        }
        sample(requests, BATCH, 0, NULL, 0);
        for (uint32_t size = 1; size <= BATCH; size = size * 3 + 1) {
            for (uint32_t first = 0; first < BATCH; first += size) {
                const uint32_t left = BATCH - first;
                sample(&turned[first], left < size ? left : size, 0, NULL, 0);
            }
            for (uint32_t i = 0; i < BATCH; i++) {
                float *const values = turned[BATCH - 1 - i].values;
                const size_t value_bytes = requests[i].clip->value_count * sizeof(float);
                assert_memory_equal(values, requests[i].values, value_bytes);
                memset(values, 0xFF, value_bytes);
            }
        }
        synthetic_release();
    }
}

// -- Packs ---------------------------------------------------------------------------------------

static void test_sample_values_in_rows_are_exact_at_their_ticks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct pack_recipe recipe = keyed_recipe(seed);
        recipe.property_count++;
        recipe.group_count = 0;
        struct keyed_pack made = keyed_pack_make(&recipe);
        const struct pack_clip *const described = &made.content->clips[0];
        float *const values = make_values(&made.clip);
        for (uint32_t i = 0; i < described->segment_count; i++) {
            // The last row of a segment is seen as the first one of the next, where both agree; in
            // random clips they do not.
            const uint32_t rows = described->segments[i].row_count;
            const uint32_t seen = i + 1 < described->segment_count ? rows - 1 : rows;
            for (uint32_t row = 0; row < seen; row++) {
                const trp_sample_request request = {
                    .clip = &made.clip,
                    .time_s = (double)pack_clip_row_tick(described, i, row) * made.clip.rate_den /
                              made.clip.rate_num,
                    .values = values,
                };
                sample(&request, 1, 0, NULL, 0);
                for (uint32_t k = 0; k < made.clip.value_count; k++) {
                    double truth = made.clip.flags & TRP_CLIP_ADDITIVE
                                       ? 0
                                       : (double)made.clip.value_defaults[k];
                    (void)pack_clip_property(described, k, i, row, &truth);
                    assert_true(fabs(values[k] - truth) <= 1e-5 * (1 + fabs(truth)));
                }
            }
        }
        keyed_pack_free(&made);
        synthetic_release();
    }
}

/// Copies a keyed track into a pose and values, as sampling ought to.
static void overlay(const struct keyed_pack *made, uint32_t index, double time_s,
                    trp_pose_block *pose, float *values)
{
    trp_track track;
    assert_int_equal(trp_clip_track(&made->clip, index, &track), TRP_OK);
    float *const value = synthetic_memory(track.stride * sizeof *value);
    assert_int_equal(trp_track_sample(&track, time_s, NULL, value, track.stride), TRP_OK);
    if (track.path == TRP_PATH_PROPERTY) {
        trp_property_set set;
        trp_property property;
        assert_int_equal(trp_pack_property_set(&made->pack, 0, &set), TRP_OK);
        assert_int_equal(trp_property_set_property(&set, track.target, &property), TRP_OK);
        assert_int_equal(property.value_count, track.stride);
        memcpy(values + property.first_value, value, track.stride * sizeof *value);
        return;
    }
    if (track.path == TRP_PATH_ROTATION) {
        assert_int_equal(trp_track_sample_quaternion(&track, time_s, NULL, value), TRP_OK);
    }
    trp_pose_block *const block = &pose[track.target / 16];
    for (uint32_t i = 0; i < track.stride; i++) {
        float *const lanes = track.path == TRP_PATH_ROTATION      ? block->rotation[i]
                             : track.path == TRP_PATH_TRANSLATION ? block->translation[i]
                                                                  : block->scale[i];
        lanes[track.target % 16] = value[i];
    }
}

/// What rows and rest give, from the same pack without its keyed tracks, and the tracks over that.
static void test_sample_values_keyed_tracks_lie_over_rows_and_rest(void **state)
{
    (void)state;
    uint32_t track_count = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        const struct pack_recipe recipe = keyed_recipe(seed);
        struct keyed_pack made = keyed_pack_make(&recipe);
        struct pack_recipe plain_recipe = recipe;
        plain_recipe.group_count = 0;
        struct keyed_pack plain = keyed_pack_make(&plain_recipe);
        assert_int_equal(plain.clip.track_count, 0);
        assert_int_equal(plain.clip.cursor_count, 0);
        assert_int_equal(made.clip.cursor_count, recipe.group_count);
        const size_t pose_bytes = trp_pose_bytes(made.clip.block_count);
        const size_t value_bytes = made.clip.value_count * sizeof(float);
        track_count += made.clip.track_count;
        for (uint32_t i = 0; i < 12; i++) {
            static const double odd[4] = {NAN, INFINITY, -INFINITY, 1e300};
            const double time_s = i < 4 ? odd[i] : i == 11 ? -0.6 : i * 0.07;
            const trp_sample_request truth = {
                .clip = &plain.clip,
                .time_s = time_s,
                .pose = make_pose(&plain.clip),
                .values = make_values(&plain.clip),
            };
            sample(&truth, 1, 0, NULL, 0);
            for (uint32_t k = 0; k < made.clip.track_count; k++) {
                overlay(&made, k, time_s, truth.pose, truth.values);
            }
            FOR_EACH_ISA(isa)
            {
                const trp_sample_request request = {
                    .clip = &made.clip,
                    .time_s = time_s,
                    .pose = make_pose(&made.clip),
                    .values = make_values(&made.clip),
                };
                sample(&request, 1, 0, NULL, 0);
                assert_memory_equal(request.pose, truth.pose, pose_bytes);
                assert_memory_equal(request.values, truth.values, value_bytes);
            }
        }
        keyed_pack_free(&plain);
        keyed_pack_free(&made);
        synthetic_release();
    }
    assert_true(track_count > 1000);
}

static void test_sample_values_before_the_clip_are_those_of_the_first_keys(void **state)
{
    (void)state;
    uint32_t initial_count = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct pack_recipe recipe = {
            .seed = seed,
            .clip_count = 1,
            .tick_count = 20,
            .property_count = 12,
            .group_count = 3,
            .is_jointless = true,
            .has_initial_keys = true,
        };
        struct keyed_pack made = keyed_pack_make(&recipe);
        const trp_sample_request before = {
            .clip = &made.clip,
            .time_s = -1,
            .values = make_values(&made.clip),
        };
        sample(&before, 1, 0, NULL, 0);
        trp_property_set set;
        assert_int_equal(trp_pack_property_set(&made.pack, 0, &set), TRP_OK);
        for (uint32_t i = 0; i < made.clip.track_count; i++) {
            trp_track track;
            trp_property property;
            float first[8];
            assert_int_equal(trp_clip_track(&made.clip, i, &track), TRP_OK);
            assert_int_equal(trp_property_set_property(&set, track.target, &property), TRP_OK);
            assert_int_equal(trp_track_sample(&track, track.times[0], NULL, first, 8), TRP_OK);
            assert_memory_equal(before.values + property.first_value, first,
                                track.stride * sizeof *first);
            initial_count += track.times[0] == -1;
        }
        keyed_pack_free(&made);
        synthetic_release();
    }
    assert_true(initial_count > 50);
}

static void test_sample_values_cursors_change_no_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++) {
        const struct pack_recipe recipe = keyed_recipe(seed);
        struct keyed_pack made = keyed_pack_make(&recipe);
        const size_t pose_bytes = trp_pose_bytes(made.clip.block_count);
        const size_t value_bytes = made.clip.value_count * sizeof(float);
        uint32_t *const cursors = synthetic_memory(made.clip.cursor_count * sizeof *cursors);
        uint64_t chance_state = seed;
        for (uint32_t i = 0; i < 40; i++) {
            trp_sample_request expected = {
                .clip = &made.clip,
                .time_s = i < 20 ? i * 0.03 : synthetic_chance_between(&chance_state, -0.2, 1.2),
                .pose = make_pose(&made.clip),
                .values = make_values(&made.clip),
            };
            trp_sample_request request = expected;
            request.pose = make_pose(&made.clip);
            request.values = make_values(&made.clip);
            request.cursors = cursors;
            for (uint32_t k = 0; i % 4 == 3 && k < made.clip.cursor_count; k++) {
                cursors[k] = synthetic_chance(&chance_state) >> (k % 2 ? 29 : 0);
            }
            sample(&expected, 1, 0, NULL, 0);
            sample(&request, 1, 0, NULL, 0);
            assert_memory_equal(request.pose, expected.pose, pose_bytes);
            assert_memory_equal(request.values, expected.values, value_bytes);
        }
        keyed_pack_free(&made);
        synthetic_release();
    }
}

static void test_sample_values_keyed_joints_outside_the_blocks_are_left_out(void **state)
{
    (void)state;
    const struct pack_recipe recipe = {
        .seed = 3,
        .joint_count = 40,
        .clip_count = 1,
        .tick_count = 10,
        .property_count = 6,
        .group_count = 3,
    };
    struct keyed_pack made = keyed_pack_make(&recipe);
    trp_sample_request whole = {
        .clip = &made.clip,
        .time_s = 0.1,
        .pose = make_pose(&made.clip),
        .values = make_values(&made.clip),
    };
    sample(&whole, 1, 0, NULL, 0);
    for (uint32_t block_count = 1; block_count <= 4; block_count++) {
        const uint32_t written = block_count < 3 ? block_count : 3;
        trp_sample_request request = whole;
        request.pose = synthetic_memory(trp_pose_bytes(written));
        request.values = make_values(&made.clip);
        sample(&request, 1, block_count, NULL, 0);
        assert_memory_equal(request.pose, whole.pose, trp_pose_bytes(written));
        assert_memory_equal(request.values, whole.values, made.clip.value_count * sizeof(float));
    }
    keyed_pack_free(&made);
}

static void test_sample_values_keyed_clips_say_what_they_cover(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct pack_recipe recipe = keyed_recipe(seed);
        struct keyed_pack made = keyed_pack_make(&recipe);
        const struct pack_clip *const described = &made.content->clips[0];
        const uint32_t lane_count = 16 * made.clip.block_count;
        float *const mask = synthetic_memory(lane_count * sizeof *mask);
        float *const value_mask = make_values(&made.clip);
        assert_int_equal(trp_clip_coverage(&made.clip, mask), TRP_OK);
        assert_int_equal(trp_clip_value_coverage(&made.clip, value_mask), TRP_OK);
        for (uint32_t lane = 0; lane < lane_count; lane++) {
            bool is_covered = false;
            for (uint32_t path = 0; path < 3; path++) {
                const struct pack_track *const track = &described->tracks[path * lane_count + lane];
                trp_track_kind kind = track->kind == PACK_ANIMATED ? TRP_TRACK_ANIMATED
                                      : track->kind == PACK_ABSENT ? TRP_TRACK_ABSENT
                                                                   : TRP_TRACK_CONSTANT;
                for (uint32_t k = 0; k < made.clip.track_count; k++) {
                    trp_track keyed;
                    assert_int_equal(trp_clip_track(&made.clip, k, &keyed), TRP_OK);
                    if (keyed.path == (trp_path)path && keyed.target == lane) {
                        kind = keyed.key_count > 1 ? TRP_TRACK_ANIMATED : TRP_TRACK_CONSTANT;
                    }
                }
                assert_int_equal(trp_clip_track_kind(&made.clip, (trp_path)path, lane), kind);
                is_covered = is_covered || kind != TRP_TRACK_ABSENT;
            }
            assert_true(mask[lane] == (is_covered ? 1.0f : 0.0f));
        }
        for (uint32_t value = 0; value < made.clip.value_count; value++) {
            bool is_covered = described->values[value].is_animated;
            for (uint32_t k = 0; k < made.clip.track_count; k++) {
                trp_track keyed;
                trp_property_set set;
                trp_property property;
                assert_int_equal(trp_clip_track(&made.clip, k, &keyed), TRP_OK);
                assert_int_equal(trp_pack_property_set(&made.pack, 0, &set), TRP_OK);
                if (keyed.path == TRP_PATH_PROPERTY) {
                    assert_int_equal(trp_property_set_property(&set, keyed.target, &property),
                                     TRP_OK);
                    is_covered =
                        is_covered || (value >= property.first_value &&
                                       value - property.first_value < property.value_count);
                }
            }
            assert_true(value_mask[value] == (is_covered ? 1.0f : 0.0f));
        }
        keyed_pack_free(&made);
        synthetic_release();
    }
    float mask = 7;
    const trp_clip empty = {0};
    assert_int_equal(trp_clip_value_coverage(NULL, &mask), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_value_coverage(&empty, &mask), TRP_ERROR_ARGUMENT);
    assert_true(mask == 7);
}

static void test_sample_values_of_jointless_clips_need_nothing_else(void **state)
{
    (void)state;
    const struct pack_recipe recipe = {
        .seed = 5,
        .clip_count = 1,
        .tick_count = 10,
        .property_count = 9,
        .group_count = 2,
        .is_jointless = true,
    };
    struct keyed_pack made = keyed_pack_make(&recipe);
    assert_int_equal(made.clip.block_count, 0);
    assert_int_equal(made.clip.skeleton_index, TRP_NONE);
    assert_true(made.clip.value_count > 16 && made.clip.segment_count == 2);
    trp_skeleton skeleton;
    assert_int_equal(trp_pack_skeleton(&made.pack, 0, &skeleton), TRP_OK);
    assert_int_equal(trp_clip_bind(&made.clip, &skeleton), TRP_ERROR_MISMATCH);
    _Alignas(64) unsigned char untouched[64] = {0};
    const trp_sample_request request = {
        .clip = &made.clip,
        .time_s = 0.1,
        .pose = (void *)untouched,
        .values = make_values(&made.clip),
    };
    sample(&request, 1, 0, NULL, 0);
    for (uint32_t i = 0; i < made.clip.value_count; i++) {
        assert_true(request.values[i] == request.values[i]);
    }
    for (uint32_t i = 0; i < sizeof untouched; i++) {
        assert_int_equal(untouched[i], 0);
    }
    void *const prepared = synthetic_memory(trp_clip_prepared_bytes(&made.clip));
    assert_int_equal(trp_clip_prepare(&made.clip, 1, prepared, trp_clip_prepared_bytes(&made.clip)),
                     TRP_OK);
    keyed_pack_free(&made);
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
        cmocka_unit_test_teardown(test_sample_values_every_table_gives_the_bits_of_the_reference,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_agree_with_double_precision, release),
        cmocka_unit_test_teardown(test_sample_values_that_rest_have_their_defaults_bit_for_bit,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_switch_exactly_at_their_keys_where_they_hold,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_do_not_depend_on_the_pose_beside_them,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_of_unbound_clips_need_no_skeleton, release),
        cmocka_unit_test_teardown(test_sample_values_of_batches_split_and_turned_give_the_same_bits,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_in_rows_are_exact_at_their_ticks, release),
        cmocka_unit_test_teardown(test_sample_values_keyed_tracks_lie_over_rows_and_rest, release),
        cmocka_unit_test_teardown(test_sample_values_before_the_clip_are_those_of_the_first_keys,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_cursors_change_no_bit, release),
        cmocka_unit_test_teardown(test_sample_values_keyed_joints_outside_the_blocks_are_left_out,
                                  release),
        cmocka_unit_test_teardown(test_sample_values_keyed_clips_say_what_they_cover, release),
        cmocka_unit_test_teardown(test_sample_values_of_jointless_clips_need_nothing_else, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
