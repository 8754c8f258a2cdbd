// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The fit: whatever the motion, the compiled clip plays within its budget. Every case is played by
// the runtime and compared with the source curves through a hierarchy written here, at times that
// the fit did not look at.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/troupe.h>

#include "../src/format.h"
#include "fit.h"
#include "metric.h"
#include "pack_writer.h"
#include "scene_builder.h"

#define PI 3.14159265358979323846

/// A scene compiled: its pack, and views of it.
struct fitted {
    struct arena arena;
    struct skeleton *skeleton;
    struct motion motion;
    void *bytes;
    trp_pack pack;
    trp_skeleton view;
    trp_clip clip;
};

static const struct fit_options defaults = {
    .metres_per_unit = 1.0, .error_mm = 0.1, .shell_m = 0.03, .loop = COMPILE_LOOP_AUTO};

static struct skeleton *skeleton_of(const struct scene *scene, struct arena *arena)
{
    struct skeleton *skeletons;
    uint32_t count;
    struct report report = {0};
    assert_true(
        skeletons_of_scene(scene, COMPILE_NODES_JOINTS, 1.0, arena, &skeletons, &count, &report));
    assert_int_equal(count, 1);
    return skeletons;
}

static void fit_scene_as(const struct scene *scene, const struct fit_options *options,
                         bool is_additive, struct fitted *fitted)
{
    struct report report = {0};
    struct buffer clip = {0};
    struct pack_writer writer = {0};
    *fitted = (struct fitted){0};
    fitted->skeleton = skeleton_of(scene, &fitted->arena);
    const struct property_values *const values =
        scene->property_count > 0 ? property_values_of(scene, &fitted->arena) : NULL;
    assert_true(motion_of_clip(fitted->skeleton, values, 0, &fitted->arena, &fitted->motion));
    if (is_additive) {
        motion_make_additive(&fitted->motion, NULL, &fitted->arena);
    }
    if (!fit_motion(&fitted->motion, options, &fitted->arena, &clip, &report)) {
        fail_msg("%s", report.first_error);
    }
    pack_writer_add_skeleton(&writer, fitted->skeleton);
    if (values != NULL) {
        pack_writer_add_property_set(&writer, "set", values);
    }
    pack_writer_add_clip(&writer, &clip);
    const size_t size = pack_writer_finish(&writer, &fitted->bytes);
    pack_writer_free(&writer);
    buffer_free(&clip);
    assert_int_equal(trp_pack_open(fitted->bytes, size, &fitted->pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_skeleton(&fitted->pack, 0, &fitted->view), TRP_OK);
    assert_int_equal(trp_pack_clip(&fitted->pack, 0, &fitted->clip), TRP_OK);
}

static void fit_scene(const struct scene *scene, const struct fit_options *options,
                      struct fitted *fitted)
{
    fit_scene_as(scene, options, false, fitted);
}

static void fitted_free(struct fitted *fitted)
{
    free(fitted->bytes);
    arena_free(&fitted->arena);
}

static trp_pose_block *play(const struct fitted *fitted, double time_s)
{
    trp_pose_block *const pose = aligned_alloc(64, trp_pose_bytes(fitted->clip.block_count));
    const trp_sample_request request = {.clip = &fitted->clip, .time_s = time_s, .pose = pose};
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned_alloc(64, (args.scratch_bytes + 63) & ~(size_t)63);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    free(args.scratch);
    return pose;
}

/// Rotates and moves a point by a local transform: q (s p) q* + t.
static void apply(const double rotation[4], const double translation[3], const double scale[3],
                  double point[3])
{
    const double p[3] = {point[0] * scale[0], point[1] * scale[1], point[2] * scale[2]};
    const double *const q = rotation;
    double c[3];
    double d[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        c[i] = q[j] * p[k] - q[k] * p[j] + q[3] * p[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        d[i] = p[i] + 2.0 * (q[j] * c[k] - q[k] * c[j]);
    }
    for (int i = 0; i < 3; i++) {
        point[i] = d[i] + translation[i];
    }
}

/// Carries a point near a node up to the root by the source curves.
static void carry_exact(const struct fitted *fitted, int32_t node, double time_s, double point[3])
{
    const struct scene *const scene = fitted->skeleton->scene;
    for (; node >= 0; node = scene->nodes[node].parent) {
        struct scene_transform local = scene_node_rest(&scene->nodes[node]);
        const uint32_t joint = fitted->skeleton->joint_of_node[node];
        if (joint != TRP_NONE) {
            local = motion_local(&fitted->motion, fitted->skeleton->lane_of_joint[joint], time_s);
        }
        apply(local.rotation, local.translation, local.scale, point);
    }
}

/// Carries a point near a lane up to the root by a decoded pose (the chain has no root transform).
static void carry_decoded(const struct fitted *fitted, const trp_pose_block *pose, uint32_t lane,
                          double point[3])
{
    while (lane != TRP_NO_LANE) {
        const trp_pose_block *const block = &pose[lane / 16];
        double rotation[4];
        double translation[3];
        double scale[3];
        for (int i = 0; i < 4; i++) {
            rotation[i] = (double)block->rotation[i][lane % 16];
        }
        for (int i = 0; i < 3; i++) {
            translation[i] = (double)block->translation[i][lane % 16];
            scale[i] = (double)block->scale[i][lane % 16];
        }
        apply(rotation, translation, scale, point);
        lane = fitted->view.parent_of_lane[lane];
    }
}

/// Returns the largest error at `count` random times (and both ends), in millimetres.
static double error_at_random_times(const struct fitted *fitted, uint32_t count)
{
    uint64_t seed = 4711;
    double largest = 0.0;
    for (uint32_t i = 0; i < count + 2; i++) {
        const double time_s = i == 0   ? 0.0
                              : i == 1 ? fitted->motion.duration_s
                                       : scene_builder_random(&seed) * fitted->motion.duration_s;
        trp_pose_block *const pose = play(fitted, time_s);
        for (uint32_t joint = 0; joint < fitted->view.joint_count; joint++) {
            const uint32_t lane = fitted->view.lane_of_joint[joint];
            const double shell = 0.03 / fitted->skeleton->shell_scale[lane];
            for (int axis = 0; axis < 6; axis++) {
                double exact[3] = {0, 0, 0};
                double decoded[3] = {0, 0, 0};
                exact[axis / 2] = decoded[axis / 2] = axis % 2 ? shell : -shell;
                carry_exact(fitted, (int32_t)fitted->view.node_of_joint[joint], time_s, exact);
                carry_decoded(fitted, pose, lane, decoded);
                const double error =
                    sqrt(pow(exact[0] - decoded[0], 2.0) + pow(exact[1] - decoded[1], 2.0) +
                         pow(exact[2] - decoded[2], 2.0));
                largest = error > largest ? error : largest;
            }
        }
        free(pose);
    }
    return largest * 1000.0;
}

/// Fills a rotation track with a smooth wander about a changing axis.
static void fill_wander(struct scene_curve *curve, double amplitude, uint64_t *seed)
{
    const double phase = scene_builder_random(seed) * 6.0;
    for (uint32_t key = 0; key < curve->key_count; key++) {
        const double t = curve->times[key];
        scene_builder_turn(sin(t + phase), cos(t * 1.3), 0.3, amplitude * sin(3.0 * t + phase),
                           &curve->values[key * 4]);
    }
}

static void test_fit_chains_of_any_length_keep_the_budget(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 33};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t seed = counts[i];
        struct scene *const scene = scene_builder_chain(counts[i], 0.1, true);
        for (uint32_t node = 0; node < counts[i]; node++) {
            fill_wander(scene_builder_track(scene, node, SCENE_ROTATION, 46, 30.0, SCENE_LINEAR),
                        0.7, &seed);
        }
        struct fitted fitted;
        fit_scene(scene, &defaults, &fitted);
        const double error = error_at_random_times(&fitted, 200);
        assert_true(error <= 0.1);
        assert_true(error > 0.005); // the budget is used, not wasted
        assert_true((double)fitted.clip.max_error_mm <= 0.1);
        assert_true((double)fitted.clip.max_error_mm >= error * 0.8);
        fitted_free(&fitted);
        scene_builder_free(scene);
    }
}

static void test_fit_every_path_and_interpolation_keeps_the_budget(void **state)
{
    (void)state;
    for (int interpolation = SCENE_LINEAR; interpolation <= SCENE_CUBIC; interpolation++) {
        uint64_t seed = 99;
        struct scene *const scene = scene_builder_chain(5, 0.4, false);
        for (uint32_t node = 0; node < 5; node++) {
            struct scene_curve *curve =
                scene_builder_track(scene, node, SCENE_ROTATION, 9, 6.0, interpolation);
            fill_wander(curve, 0.9, &seed);
            for (int path = SCENE_TRANSLATION; path <= SCENE_SCALE; path++) {
                curve = scene_builder_track(scene, node, path, 9, 6.0, interpolation);
                for (uint32_t v = 0; v < curve->key_count * 3; v++) {
                    curve->values[v] = scene_builder_random(&seed) * 0.5 + 0.5;
                    if (interpolation == SCENE_CUBIC) {
                        curve->in_tangents[v] = scene_builder_random(&seed) - 0.5;
                        curve->out_tangents[v] = scene_builder_random(&seed) - 0.5;
                    }
                }
            }
        }
        struct fitted fitted;
        fit_scene(scene, &defaults, &fitted);
        assert_true(error_at_random_times(&fitted, 300) <= 0.1);
        fitted_free(&fitted);
        scene_builder_free(scene);
    }
}

static void test_fit_two_keys_170_degrees_apart_follow_slerp(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(3, 0.5, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 2, 1.0, SCENE_LINEAR);
    scene_builder_turn(1, 0, 0, 0.0, curve->values);
    scene_builder_turn(1, 2, 3, 170.0 / 180.0 * PI, curve->values + 4);
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 0);
    assert_true(error_at_random_times(&fitted, 500) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_many_turns_in_one_segment_keep_the_budget(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 121, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 120; key++) {
        scene_builder_turn(0, 1, 0.2, key * 0.4, &curve->values[key * 4]); // 7.6 turns
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 0); // rows can follow it
    assert_int_equal(fitted.clip.segment_count, 1);
    assert_true(error_at_random_times(&fitted, 500) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_opposite_signs_are_no_motion(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 31, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 30; key++) {
        scene_builder_turn(0, 1, 0.2, 0.5, &curve->values[key * 4]);
        for (int i = 0; i < 4 && key % 2; i++) {
            curve->values[key * 4 + (uint32_t)i] *= -1.0;
        }
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.segment_count, 0);
    assert_true(error_at_random_times(&fitted, 50) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_steps_switch_exactly_at_their_keys(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const steps =
        scene_builder_track(scene, 1, SCENE_TRANSLATION, 13, 24.0, SCENE_STEP);
    uint64_t seed = 5;
    fill_wander(scene_builder_track(scene, 0, SCENE_ROTATION, 49, 24.0, SCENE_LINEAR), 0.5, &seed);
    for (uint32_t key = 0; key < 13; key++) {
        steps->times[key] = (double)(float)(key * 4.0 / 24.0);
        steps->values[key * 3] = (key * 5) % 7;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    const uint32_t joint = trp_skeleton_find_joint(&fitted.view, trp_name_hash("joint_1"));
    const uint32_t lane = fitted.view.lane_of_joint[joint];
    for (uint32_t key = 1; key < 13; key++) {
        trp_pose_block *const at = play(&fitted, steps->times[key]);
        trp_pose_block *const before = play(&fitted, steps->times[key] - 1e-4);
        const double exact_at = steps->values[key * 3];
        const double exact_before = steps->values[(key - 1) * 3];
        assert_true(fabs((double)at[lane / 16].translation[0][lane % 16] - exact_at) < 1e-4);
        assert_true(fabs((double)before[lane / 16].translation[0][lane % 16] - exact_before) <
                    1e-4);
        free(at);
        free(before);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_steps_on_a_coarse_grid_switch_no_earlier(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const steps =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 5, 0.5, SCENE_STEP);
    for (uint32_t key = 0; key < 5; key++) {
        steps->values[key * 3] = key;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    for (uint32_t key = 1; key < 5; key++) {
        trp_pose_block *const at = play(&fitted, steps->times[key]);
        trp_pose_block *const before = play(&fitted, steps->times[key] - 50e-6);
        assert_true(fabs((double)at[0].translation[0][0] - key) < 1e-4);
        assert_true(fabs((double)before[0].translation[0][0] - (key - 1.0)) < 1e-4);
        free(at);
        free(before);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_long_clip_is_cut_into_segments(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(3, 0.3, true);
    uint64_t seed = 77;
    for (uint32_t node = 0; node < 3; node++) {
        fill_wander(scene_builder_track(scene, node, SCENE_ROTATION, 1801, 60.0, SCENE_LINEAR), 0.5,
                    &seed);
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_true(fitted.clip.segment_count > 1);
    assert_true(error_at_random_times(&fitted, 1000) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_smooth_motion_drops_rows(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.2, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 241, 120.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 240; key++) {
        scene_builder_turn(0, 0, 1, 0.3 * sin(key / 240.0 * 2.0 * PI), &curve->values[key * 4]);
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    struct trp__clip_header header;
    memcpy(&header, fitted.clip.bytes, sizeof header);
    assert_true(header.row_count < 121);
    assert_true(error_at_random_times(&fitted, 300) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_rest_values_cost_a_bit(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(16, 0.2, true);
    for (uint32_t node = 0; node < 16; node++) {
        struct scene_curve *const curve =
            scene_builder_track(scene, node, SCENE_TRANSLATION, 31, 30.0, SCENE_LINEAR);
        for (uint32_t key = 0; key <= 30; key++) {
            memcpy(&curve->values[key * 3], scene->nodes[node].translation, sizeof(double[3]));
        }
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.segment_count, 0);
    assert_int_equal(fitted.clip.size_bytes, sizeof(struct trp__clip_header) + 9 * 2);
    assert_int_equal(trp_clip_track_kind(&fitted.clip, TRP_PATH_TRANSLATION, 3),
                     TRP_TRACK_CONSTANT);
    assert_int_equal(trp_clip_track_kind(&fitted.clip, TRP_PATH_ROTATION, 3), TRP_TRACK_ABSENT);
    assert_true(fabs(fitted.clip.duration_s - 1.0) < 1e-6); // B34: the duration is kept
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_single_key_is_a_constant(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.2, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 1, 30.0, SCENE_LINEAR);
    scene_builder_turn(1, 1, 0, 1.2, curve->values);
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.tick_count, 0);
    assert_true(fitted.clip.duration_s == 0.0);
    assert_true(error_at_random_times(&fitted, 3) <= 0.01);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_hours_of_waiting_cost_no_rows(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.2, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 3, 2.0, SCENE_LINEAR);
    static const double times[] = {99999.5, 100000.0, 100000.5};
    for (uint32_t key = 0; key < 3; key++) {
        curve->times[key] = times[key];
        curve->values[key * 3] = key + 1.0;
    }
    scene->clips[0].duration_s = times[2];
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_true(fitted.clip.size_bytes < 400);
    trp_pose_block *const early = play(&fitted, 50000.0);
    trp_pose_block *const between = play(&fitted, 100000.25);
    assert_true(early[0].translation[0][0] == 1.0f);
    assert_true(fabs((double)between[0].translation[0][0] - 2.5) < 1e-6);
    free(early);
    free(between);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// B17: a lead-in that all tracks share can be cut off, so that a loop does not stop there.
static void test_fit_b17_common_lead_in_is_cut_on_request(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    uint64_t seed = 17;
    for (uint32_t node = 0; node < 2; node++) {
        struct scene_curve *const curve =
            scene_builder_track(scene, node, SCENE_ROTATION, 24, 24.0, SCENE_LINEAR);
        fill_wander(curve, 0.5, &seed);
        for (uint32_t key = 0; key < 24; key++) {
            curve->times[key] = (double)(float)((key + 1.0) / 24.0);
        }
    }
    scene->clips[0].duration_s = 1.0;
    struct arena arena = {0};
    struct skeleton *const skeleton = skeleton_of(scene, &arena);
    struct motion motion;
    assert_true(motion_of_clip(skeleton, NULL, 0, &arena, &motion));
    motion_trim(&motion, &arena);
    assert_true(fabs(motion.lead_in_s - 1.0 / 24.0) < 1e-8);
    assert_true(fabs(motion.duration_s - 23.0 / 24.0) < 1e-7);
    struct buffer clip = {0};
    struct report report = {0};
    assert_true(fit_motion(&motion, &defaults, &arena, &clip, &report));
    struct trp__clip_header header;
    memcpy(&header, clip.bytes, sizeof header);
    assert_int_equal(header.tick_count, 23);
    assert_int_equal(header.rate_num, 24);
    buffer_free(&clip);
    arena_free(&arena);
    scene_builder_free(scene);
}

/// B24, B27, B28, B30: one frame plays, and at its end and after it a clip shows its last key.
static void test_fit_b24_b27_b28_b30_ends_show_the_last_key(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 31; count += 30) {
        struct scene *const scene = scene_builder_chain(1, 0.3, true);
        struct scene_curve *const curve =
            scene_builder_track(scene, 0, SCENE_TRANSLATION, count, 30.0, SCENE_LINEAR);
        for (uint32_t key = 0; key < count; key++) {
            curve->values[key * 3] = key + 1.0;
        }
        for (int is_exact = 0; is_exact <= 1; is_exact++) {
            struct fit_options options = defaults;
            options.is_exact = is_exact;
            struct fitted fitted;
            fit_scene(scene, &options, &fitted);
            const double times[] = {fitted.clip.duration_s, curve->times[count - 1], 1e6, HUGE_VAL};
            for (int i = 0; i < 4; i++) {
                trp_pose_block *const pose = play(&fitted, times[i]);
                assert_true(fabs((double)pose[0].translation[0][0] - count) < 1e-4);
                free(pose);
            }
            fitted_free(&fitted);
        }
        scene_builder_free(scene);
    }
}

/// B32: times are seconds, whatever the rate of the keys.
static void test_fit_b32_durations_are_seconds(void **state)
{
    (void)state;
    static const double rates[] = {24.0, 25.0, 30.0, 120.0};
    for (int i = 0; i < 4; i++) {
        struct scene *const scene = scene_builder_chain(1, 0.3, true);
        const uint32_t count = (uint32_t)(4.0 * rates[i]) + 1;
        struct scene_curve *const curve =
            scene_builder_track(scene, 0, SCENE_TRANSLATION, count, rates[i], SCENE_LINEAR);
        for (uint32_t key = 0; key < count; key++) {
            curve->values[key * 3] = curve->times[key];
        }
        struct fitted fitted;
        fit_scene(scene, &defaults, &fitted);
        assert_true(fabs(fitted.clip.duration_s - 4.0) < 1e-9);
        trp_pose_block *const pose = play(&fitted, 1.5);
        assert_true(fabs((double)pose[0].translation[0][0] - 1.5) < 1e-4);
        free(pose);
        fitted_free(&fitted);
        scene_builder_free(scene);
    }
}

/// B36: key times are not filtered: the hundred-thousandth is where it was.
static void test_fit_b36_key_times_do_not_drift(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 20001, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 20000; key++) {
        curve->values[key * 3] = key % 2;
    }
    struct fit_options options = defaults;
    options.is_exact = true;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    for (uint32_t key = 1; key <= 20000; key += 777) {
        trp_pose_block *const pose = play(&fitted, curve->times[key]);
        assert_true(pose[0].translation[0][0] == (float)(key % 2));
        free(pose);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// B39, B40: a stepped flip-book stays stepped: one of five joints is to be seen, never two.
static void test_fit_b39_b40_flip_book_shows_one_page_at_a_time(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(5, 0.0, true);
    for (uint32_t node = 1; node < 5; node++) {
        scene->nodes[node].parent = -1;
    }
    for (uint32_t node = 0; node < 5; node++) {
        struct scene_curve *const curve =
            scene_builder_track(scene, node, SCENE_SCALE, 6, 2.0, SCENE_STEP);
        for (uint32_t i = 0; i < 18; i++) {
            curve->values[i] = i / 3 % 5 == node;
        }
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    for (double time_s = 0.001; time_s < 2.5; time_s += 0.0101) {
        trp_pose_block *const pose = play(&fitted, time_s);
        for (uint32_t joint = 0; joint < 5; joint++) {
            const float scale = pose[0].scale[1][fitted.view.lane_of_joint[joint]];
            const bool is_seen = joint == (uint32_t)(time_s / 0.5);
            assert_true(fabs((double)scale - is_seen) < 4e-3); // 0.1 mm at 3 cm
        }
        free(pose);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// Conformance 8 of keyed tracks, and B34: what is constant has no duration, its clip has.
static void test_fit_b34_collapsed_track_leaves_the_clip_its_duration(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    const uint32_t property = scene_builder_property(scene, "/light", SCENE_FLOAT, 1);
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 3, 1.0, SCENE_LINEAR);
    for (uint32_t key = 0; key < 3; key++) {
        curve->values[key] = 0.25;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    trp_track track;
    assert_int_equal(trp_clip_track(&fitted.clip, 0, &track), TRP_OK);
    assert_int_equal(track.key_count, 1);
    assert_true(track.duration_s == 0.0);
    assert_true(fabs(fitted.clip.duration_s - 2.0) < 1e-9);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_late_first_key_holds_its_value_from_zero(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.2, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 3, 2.0, SCENE_LINEAR);
    for (uint32_t key = 0; key < 3; key++) {
        curve->times[key] += 1.5;
        curve->values[key * 3] = key + 1.0;
    }
    scene->clips[0].duration_s = 2.5;
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_true(fabs(fitted.clip.duration_s - 2.5) < 1e-6); // B15
    trp_pose_block *const pose = play(&fitted, 0.7);
    assert_true(fabs((double)pose[0].translation[0][0] - 1.0) < 1e-4);
    free(pose);
    assert_true(error_at_random_times(&fitted, 100) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// B73: what is small under a large parent is not small.
static void test_fit_b73_error_counts_in_model_space(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.001, true);
    scene->nodes[0].scale[0] = scene->nodes[0].scale[1] = scene->nodes[0].scale[2] = 200.0;
    struct scene_curve *const curve =
        scene_builder_track(scene, 1, SCENE_TRANSLATION, 31, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 30; key++) {
        curve->values[key * 3 + 1] = 0.001 + 0.0002 * sin(key * 0.7);
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(trp_clip_track_kind(&fitted.clip, TRP_PATH_TRANSLATION, 1),
                     TRP_TRACK_ANIMATED);
    assert_true(error_at_random_times(&fitted, 100) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// B76: a small motion far away keeps its shape as far as floats do.
static void test_fit_b76_motion_far_from_the_origin_survives(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.1, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 31, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 30; key++) {
        curve->values[key * 3] = 1000.0 + 0.001 * sin(key * 0.5);
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_true((double)fitted.clip.budget_mm < 0.6); // 4 ulp of 1000 m
    assert_true(error_at_random_times(&fitted, 100) <= (double)fitted.clip.budget_mm);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_error_that_is_no_number_is_infinite(void **state)
{
    (void)state;
    const double exact[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++) {
        double other[12];
        memcpy(other, exact, sizeof other);
        other[i] = NAN;
        assert_true(metric_displacement(exact, other, 0.03) == HUGE_VAL);
    }
}

/// Five quarters of a chart fit no 24 bits at the finest step of one chart.
static void test_fit_finest_steps_of_an_unrolled_turn_fit_the_format(void **state)
{
    (void)state;
    enum { STILL = 200, COUNT = STILL + 18 };
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, COUNT, 30.0, SCENE_STEP);
    for (uint32_t key = 0; key < COUNT; key++) {
        const double up = key < STILL ? 0.0 : key < STILL + 6 ? key - STILL + 1.0 : 5.0;
        const double down = key < STILL + 6 ? 0.0 : key - STILL - 6.0;
        scene_builder_turn(1, 0, 0, (up - down) * 43.0 * PI / 180.0, &curve->values[key * 4]);
    }
    struct fit_options options = defaults;
    options.error_mm = 1e-8; // drives every step to its limit
    struct arena arena = {0};
    struct motion motion;
    struct buffer clip = {0};
    struct report report = {0};
    assert_true(motion_of_clip(skeleton_of(scene, &arena), NULL, 0, &arena, &motion));
    assert_false(fit_motion(&motion, &options, &arena, &clip, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_BUDGET);
    arena_free(&arena);
    scene_builder_free(scene);
}

/// Where a float can no longer hold the middle of a track, its values still fit their integers.
static void test_fit_motion_finer_than_its_offset_is_refused_not_overflown(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.0, false);
    scene->nodes[0].translation[0] = -1e6;
    struct scene_curve *const curve =
        scene_builder_track(scene, 1, SCENE_TRANSLATION, 3, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key < 3; key++) {
        curve->values[key * 3] = 1e6 + 0.02 + 1e-7 * key;
    }
    struct arena arena = {0};
    struct motion motion;
    struct buffer clip = {0};
    struct report report = {0};
    assert_true(motion_of_clip(skeleton_of(scene, &arena), NULL, 0, &arena, &motion));
    assert_false(fit_motion(&motion, &defaults, &arena, &clip, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_BUDGET);
    arena_free(&arena);
    scene_builder_free(scene);
}

static void test_fit_open_loop_is_closed_on_request(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 30, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key < 30; key++) {
        scene_builder_turn(0, 0, 1, 0.5 * sin(key / 30.0 * 2.0 * PI), &curve->values[key * 4]);
    }
    struct fit_options options = defaults;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.flags & TRP_CLIP_LOOP_CLOSED, 0);
    assert_int_equal(fitted.clip.tick_count, 29);
    fitted_free(&fitted);
    options.loop = COMPILE_LOOP_ON;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.flags & TRP_CLIP_LOOP_CLOSED, TRP_CLIP_LOOP_CLOSED);
    assert_true(fabs(fitted.clip.duration_s - 1.0) < 1e-6);
    assert_true(error_at_random_times(&fitted, 200) <= 0.1);
    trp_pose_block *const first = play(&fitted, 0.0);
    trp_pose_block *const last = play(&fitted, 1.0);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs((double)(first[0].rotation[i][0] - last[0].rotation[i][0])) < 1e-6);
    }
    free(first);
    free(last);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_closed_loop_is_marked(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 31, 30.0, SCENE_LINEAR);
    for (uint32_t key = 0; key <= 30; key++) {
        scene_builder_turn(0, 0, 1, 0.5 * sin(key / 30.0 * 2.0 * PI), &curve->values[key * 4]);
    }
    struct fit_options options = defaults;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.flags & TRP_CLIP_LOOP_CLOSED, TRP_CLIP_LOOP_CLOSED);
    fitted_free(&fitted);
    options.loop = COMPILE_LOOP_OFF;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.flags & TRP_CLIP_LOOP_CLOSED, 0);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_stepped_edges_on_no_grid_are_keyed_exactly(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_TRANSLATION, 4, 30.0, SCENE_STEP);
    static const double times[] = {0.0, 0.1234567, 0.31830988, 0.57721566};
    uint64_t seed = 8;
    fill_wander(scene_builder_track(scene, 1, SCENE_ROTATION, 18, 30.0, SCENE_LINEAR), 0.5, &seed);
    for (uint32_t key = 0; key < 4; key++) {
        curve->times[key] = times[key];
        curve->values[key * 3] = key % 2;
    }
    scene->clips[0].duration_s = times[3];
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 1); // the stepped one is keyed
    assert_true(fitted.clip.segment_count > 0);   // the other one is not
    for (uint32_t key = 1; key < 4; key++) {
        trp_pose_block *const at = play(&fitted, times[key]);
        trp_pose_block *const before = play(&fitted, times[key] - 1e-6);
        assert_true(at[0].translation[0][0] == (float)(key % 2));
        assert_true(before[0].translation[0][0] == (float)((key - 1) % 2));
        free(at);
        free(before);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_exact_keeps_every_key_bit_for_bit(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(3, 0.3, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 1, SCENE_TRANSLATION, 31, 30.0, SCENE_LINEAR);
    uint64_t seed = 12;
    for (uint32_t i = 0; i < 31 * 3; i++) {
        curve->values[i] = (double)(float)scene_builder_random(&seed);
    }
    fill_wander(scene_builder_track(scene, 0, SCENE_ROTATION, 31, 30.0, SCENE_LINEAR), 0.5, &seed);
    struct fit_options options = defaults;
    options.is_exact = true;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.segment_count, 0);
    assert_int_equal(fitted.clip.track_count, 2);
    assert_int_equal(fitted.clip.cursor_count, 1); // one group: the key times are the same
    const uint32_t joint = trp_skeleton_find_joint(&fitted.view, trp_name_hash("joint_1"));
    const uint32_t lane = fitted.view.lane_of_joint[joint];
    for (uint32_t key = 0; key < 31; key++) {
        trp_pose_block *const pose = play(&fitted, curve->times[key]);
        for (int i = 0; i < 3; i++) {
            assert_true(pose[0].translation[i][lane] ==
                        (float)curve->values[key * 3 + (uint32_t)i]);
        }
        free(pose);
    }
    assert_true(error_at_random_times(&fitted, 200) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_wide_turns_kept_exactly_follow_slerp(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(3, 0.5, true);
    struct scene_curve *const curve =
        scene_builder_track(scene, 0, SCENE_ROTATION, 2, 1.0, SCENE_LINEAR);
    scene_builder_turn(1, 0, 0, 0.0, curve->values);
    scene_builder_turn(1, 2, 3, 170.0 / 180.0 * PI, curve->values + 4);
    struct fit_options options = defaults;
    options.is_exact = true;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    trp_track track;
    assert_int_equal(trp_clip_track(&fitted.clip, 0, &track), TRP_OK);
    assert_int_equal(track.interpolation, TRP_INTERPOLATION_SLERP);
    assert_true(error_at_random_times(&fitted, 500) <= 0.01);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_few_keys_in_a_long_clip_are_keyed(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(4, 0.3, true);
    uint64_t seed = 21;
    fill_wander(scene_builder_track(scene, 0, SCENE_ROTATION, 601, 30.0, SCENE_LINEAR), 1.0, &seed);
    struct scene_curve *const sparse =
        scene_builder_track(scene, 1, SCENE_TRANSLATION, 3, 0.1, SCENE_LINEAR);
    for (uint32_t i = 0; i < 9; i++) {
        sparse->values[i] = scene_builder_random(&seed) * 5.0;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 1);
    trp_track track;
    assert_int_equal(trp_clip_track(&fitted.clip, 0, &track), TRP_OK);
    assert_int_equal(track.path, TRP_PATH_TRANSLATION);
    assert_int_equal(track.key_count, 3);
    assert_true(error_at_random_times(&fitted, 500) <= 0.1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// Plays the values of a clip.
static void play_values(const struct fitted *fitted, double time_s, float *values)
{
    const trp_sample_request request = {.clip = &fitted->clip, .time_s = time_s, .values = values};
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned_alloc(64, (args.scratch_bytes + 63) & ~(size_t)63);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    free(args.scratch);
}

static void test_fit_values_stay_within_a_hundred_thousandth(void **state)
{
    (void)state;
    for (int interpolation = SCENE_STEP; interpolation <= SCENE_CUBIC; interpolation++) {
        struct scene *const scene = scene_builder_chain(2, 0.3, true);
        uint64_t seed = 31;
        fill_wander(scene_builder_track(scene, 0, SCENE_ROTATION, 61, 30.0, SCENE_LINEAR), 0.7,
                    &seed);
        const uint32_t property = scene_builder_property(scene, "/nodes/0/weights", SCENE_FLOAT, 5);
        struct scene_curve *const curve = scene_builder_property_track(
            scene, property, 61, 30.0, (enum scene_interpolation)interpolation);
        for (uint32_t i = 0; i < 61 * 5; i++) {
            curve->values[i] = scene_builder_random(&seed);
            if (interpolation == SCENE_CUBIC) {
                curve->in_tangents[i] = scene_builder_random(&seed) - 0.5;
                curve->out_tangents[i] = scene_builder_random(&seed) - 0.5;
            }
        }
        struct fitted fitted;
        fit_scene(scene, &defaults, &fitted);
        assert_int_equal(fitted.clip.value_count, 5);
        assert_true(error_at_random_times(&fitted, 100) <= 0.1);
        for (uint32_t i = 0; i < 300; i++) {
            // Clear of stepped edges; at keys and anywhere between them.
            const double time_s = i < 61
                                      ? curve->times[i]
                                      : (floor(scene_builder_random(&seed) * 60.0) + 0.37) / 30.0;
            float values[5];
            double exact[5];
            play_values(&fitted, time_s, values);
            scene_curve_sample(curve, SCENE_PROPERTY, time_s, exact);
            for (int c = 0; c < 5; c++) {
                assert_true(fabs((double)values[c] - exact[c]) <= 1e-5);
            }
        }
        fitted_free(&fitted);
        scene_builder_free(scene);
    }
}

static void test_fit_additive_values_are_rows_of_differences(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    const uint32_t property = scene_builder_property(scene, "/glow", SCENE_FLOAT, 2);
    scene->properties[property].defaults[0] = 0.25;
    scene->properties[property].defaults[1] = -3.0;
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 31, 30.0, SCENE_LINEAR);
    uint64_t seed = 9;
    for (uint32_t i = 0; i < 62; i++) {
        curve->values[i] = scene_builder_random(&seed);
    }
    struct fitted fitted;
    fit_scene_as(scene, &defaults, true, &fitted);
    assert_int_equal(fitted.clip.track_count, 0);
    assert_int_equal(fitted.clip.segment_count, 1);
    for (uint32_t key = 0; key < 31; key++) {
        float values[2];
        play_values(&fitted, curve->times[key], values);
        assert_true(fabs((double)values[0] - (curve->values[key * 2] - 0.25)) <= 1e-5);
        assert_true(fabs((double)values[1] - (curve->values[key * 2 + 1] + 3.0)) <= 1e-5);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// A rotation of opposite sign is the same rotation; four values of opposite sign are not the same.
static void test_fit_four_values_of_opposite_sign_move(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    const uint32_t property = scene_builder_property(scene, "/colour", SCENE_FLOAT, 4);
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 3, 1.0, SCENE_LINEAR);
    for (uint32_t i = 0; i < 12; i++) {
        curve->values[i] = i / 4 % 2 == 0 ? 0.5 : -0.5;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    float values[4];
    play_values(&fitted, 1.0, values);
    assert_true(fabs((double)values[3] + 0.5) < 1e-5);
    play_values(&fitted, 0.5, values);
    assert_true(fabs((double)values[0]) < 1e-5);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_switches_are_keyed_and_never_in_between(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(2, 0.3, true);
    uint64_t seed = 31;
    fill_wander(scene_builder_track(scene, 0, SCENE_ROTATION, 61, 30.0, SCENE_LINEAR), 0.7, &seed);
    const uint32_t property = scene_builder_property(scene, "/visible", SCENE_BOOL, 1);
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 11, 5.0, SCENE_STEP);
    for (uint32_t key = 0; key < 11; key++) {
        curve->values[key] = key % 2;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 1);
    for (uint32_t i = 0; i <= 2000; i++) {
        float value;
        double exact;
        play_values(&fitted, i * 0.001, &value);
        scene_curve_sample(curve, SCENE_PROPERTY, i * 0.001, &exact);
        assert_true(value == (float)exact);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// Adds a property and returns its curve: 2 before the clip and until 0.3 s, there 5, then by the
/// easing to 1 and 3, which is held to the end of the clip at 1.7 s.
static struct scene_curve *add_eased(struct scene *scene, const char *path, uint16_t easing)
{
    static const double times[5] = {-1.0, 0.3, 0.9, 1.1, 1.7};
    static const double values[5] = {2.0, 5.0, 1.0, 3.0, 3.0};
    const uint32_t property = scene_builder_property(scene, path, SCENE_FLOAT, 1);
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 5, 1.0, SCENE_EASING);
    memcpy(curve->times, times, sizeof times);
    memcpy(curve->values, values, sizeof values);
    curve->easings = ARENA_NEW(&scene->arena, uint16_t, 5);
    for (uint32_t key = 0; key < 5; key++) {
        curve->easings[key] = easing;
    }
    curve->interpolations[0] = SCENE_STEP;
    curve->interpolations[3] = SCENE_STEP;
    scene->clips[0].duration_s = times[4];
    return curve;
}

/// Gives a curve one drawn time curve for its two intervals that are not stepped.
static void draw(struct scene *scene, struct scene_curve *curve, double middle)
{
    double *const samples = ARENA_NEW(&scene->arena, double, 3);
    samples[1] = middle;
    samples[2] = 1.0;
    curve->samples = ARENA_NEW(&scene->arena, struct scene_samples, curve->key_count);
    for (uint32_t key = 1; key < 3; key++) {
        curve->samples[key] = (struct scene_samples){3, samples};
        curve->interpolations[key] = SCENE_SAMPLED;
    }
}

static void assert_plays(struct fitted *fitted, const struct scene_curve *curve, uint32_t value,
                         double time_s)
{
    float values[16];
    double exact;
    play_values(fitted, time_s, values);
    scene_curve_sample(curve, SCENE_PROPERTY, time_s, &exact);
    assert_true(fabs((double)values[value] - exact) <= 2e-6);
}

/// Time curves of properties stay as they are: tracks share a group only where theirs are equal,
/// and equal drawn curves lie in the pack once.
static void test_fit_time_curves_stay_and_groups_share_equal_ones(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const curves[5] = {
        add_eased(scene, "/a", 9),  add_eased(scene, "/b", 14), add_eased(scene, "/c", 9),
        add_eased(scene, "/d", 14), add_eased(scene, "/e", 14),
    };
    draw(scene, curves[3], 0.75);
    draw(scene, curves[4], 0.75);
    struct fit_options options = defaults;
    options.is_exact = true;
    struct fitted fitted;
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.track_count, 5);
    assert_int_equal(fitted.clip.cursor_count, 3); // a and c, b, d and e
    assert_int_equal(fitted.clip.segment_count, 0);
    assert_true(fabs(fitted.clip.duration_s - 1.7) < 1e-9);
    for (uint32_t i = 0; i < 5; i++) {
        for (int step = -300; step <= 500; step++) {
            assert_plays(&fitted, curves[i], i, step / 250.0);
        }
        for (uint32_t key = 0; key < 5; key++) {
            assert_plays(&fitted, curves[i], i, curves[i]->times[key]);
            assert_plays(&fitted, curves[i], i, nextafter(curves[i]->times[key], -9));
        }
    }
    fitted_free(&fitted);
    draw(scene, curves[4], 0.5);
    fit_scene(scene, &options, &fitted);
    assert_int_equal(fitted.clip.cursor_count, 4);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

/// A value that stays the same has still not started before its first key in the clip.
static void test_fit_key_before_the_clip_stays_where_nothing_changes(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const curve = add_eased(scene, "/still", 0);
    for (uint32_t key = 0; key < 5; key++) {
        curve->values[key] = 4.0;
    }
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    float mask = 5;
    assert_int_equal(trp_clip_started(&fitted.clip, 0.25, &mask), TRP_OK);
    assert_true(mask == 0);
    assert_int_equal(trp_clip_started(&fitted.clip, 0.3, &mask), TRP_OK);
    assert_true(mask == 1);
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_strings_are_keyed_and_have_their_texts(void **state)
{
    (void)state;
    const char *texts[3] = {"", "open", "shut"};
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    scene->texts = texts;
    scene->text_count = 3;
    const uint32_t property = scene_builder_property(scene, "/door", SCENE_STRING, 1);
    scene->properties[property].defaults[0] = 2;
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 5, 2.0, SCENE_STEP);
    for (uint32_t key = 0; key < 5; key++) {
        curve->values[key] = key % 3;
    }
    for (int is_additive = 0; is_additive < 2; is_additive++) {
        struct fitted fitted;
        fit_scene_as(scene, &defaults, is_additive, &fitted);
        assert_int_equal(fitted.clip.track_count, is_additive ? 0 : 1);
        trp_property_set set;
        assert_int_equal(trp_pack_property_set(&fitted.pack, 0, &set), TRP_OK);
        assert_int_equal(set.text_count, 3);
        assert_string_equal(trp_property_set_text(&set, set.defaults[0]), "shut");
        for (int i = 0; i <= 200 && !is_additive; i++) {
            float value;
            double exact;
            play_values(&fitted, i * 0.01, &value);
            scene_curve_sample(curve, SCENE_PROPERTY, i * 0.01, &exact);
            assert_string_equal(trp_property_set_text(&set, value), texts[(uint32_t)exact]);
        }
        fitted_free(&fitted);
    }
    scene_builder_free(scene);
}

/// What comes home is what the clip starts with, not what was before it; and a trimmed clip starts
/// with the first key in it.
static void test_fit_key_before_the_clip_is_neither_its_start_nor_trimmed(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    struct scene_curve *const curve = add_eased(scene, "/a", 9);
    curve->times[1] = 0.0;
    struct fit_options options = defaults;
    options.is_exact = true;
    options.loop = COMPILE_LOOP_ON;
    struct fitted fitted;
    float value;
    fit_scene(scene, &options, &fitted);
    assert_true(fitted.clip.duration_s > 1.7);
    play_values(&fitted, fitted.clip.duration_s, &value);
    assert_true(value == 5);
    fitted_free(&fitted);

    curve->times[1] = 0.25;
    struct arena arena = {0};
    struct motion motion;
    assert_true(motion_of_clip(skeleton_of(scene, &arena), property_values_of(scene, &arena), 0,
                               &arena, &motion));
    motion_trim(&motion, &arena);
    assert_true(motion.lead_in_s == 0.25);
    assert_true(motion.property_curves[0]->times[0] == -1.0);
    assert_true(motion.property_curves[0]->times[1] == 0.0);
    assert_true(motion.property_curves[0]->times[2] == 0.9 - 0.25);
    arena_free(&arena);
    scene_builder_free(scene);
}

/// Without `--exact`, what moves on a grid goes into rows; those know of no time before the clip.
static void test_fit_eased_property_may_go_into_rows(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1, 0.3, true);
    const uint32_t property = scene_builder_property(scene, "/glow", SCENE_FLOAT, 1);
    struct scene_curve *const curve =
        scene_builder_property_track(scene, property, 62, 30.0, SCENE_EASING);
    curve->easings = ARENA_NEW(&scene->arena, uint16_t, 62);
    for (uint32_t key = 0; key < 62; key++) {
        curve->times[key] = key == 0 ? -1.0 : (key - 1) / 30.0;
        curve->values[key] = key % 3 * 0.01;
    }
    curve->interpolations[0] = SCENE_STEP;
    scene->clips[0].duration_s = 2.0;
    struct fitted fitted;
    fit_scene(scene, &defaults, &fitted);
    assert_int_equal(fitted.clip.track_count, 0);
    assert_true(fitted.clip.segment_count > 0);
    for (int i = 0; i <= 500; i++) {
        float value;
        double exact;
        play_values(&fitted, i * 0.004, &value);
        scene_curve_sample(curve, SCENE_PROPERTY, i * 0.004, &exact);
        assert_true(fabs((double)value - exact) <= 1e-5);
    }
    fitted_free(&fitted);
    scene_builder_free(scene);
}

static void test_fit_impossible_budget_is_an_error(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(90, 0.3, true);
    uint64_t seed = 2;
    for (uint32_t node = 0; node < 90; node++) {
        fill_wander(scene_builder_track(scene, node, SCENE_ROTATION, 4, 30.0, SCENE_LINEAR), 2.0,
                    &seed);
    }
    struct fit_options options = defaults;
    options.error_mm = 1e-9; // less than floats can tell over 90 joints
    struct arena arena = {0};
    struct motion motion;
    struct buffer clip = {0};
    struct report report = {0};
    assert_true(motion_of_clip(skeleton_of(scene, &arena), NULL, 0, &arena, &motion));
    assert_false(fit_motion(&motion, &options, &arena, &clip, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_BUDGET);
    assert_non_null(strstr(report.first_error, "[clip.budget]"));
    assert_null(clip.bytes);
    arena_free(&arena);
    scene_builder_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_chains_of_any_length_keep_the_budget),
        cmocka_unit_test(test_fit_every_path_and_interpolation_keeps_the_budget),
        cmocka_unit_test(test_fit_two_keys_170_degrees_apart_follow_slerp),
        cmocka_unit_test(test_fit_many_turns_in_one_segment_keep_the_budget),
        cmocka_unit_test(test_fit_opposite_signs_are_no_motion),
        cmocka_unit_test(test_fit_steps_switch_exactly_at_their_keys),
        cmocka_unit_test(test_fit_steps_on_a_coarse_grid_switch_no_earlier),
        cmocka_unit_test(test_fit_long_clip_is_cut_into_segments),
        cmocka_unit_test(test_fit_smooth_motion_drops_rows),
        cmocka_unit_test(test_fit_rest_values_cost_a_bit),
        cmocka_unit_test(test_fit_single_key_is_a_constant),
        cmocka_unit_test(test_fit_hours_of_waiting_cost_no_rows),
        cmocka_unit_test(test_fit_b17_common_lead_in_is_cut_on_request),
        cmocka_unit_test(test_fit_b24_b27_b28_b30_ends_show_the_last_key),
        cmocka_unit_test(test_fit_b32_durations_are_seconds),
        cmocka_unit_test(test_fit_b36_key_times_do_not_drift),
        cmocka_unit_test(test_fit_b39_b40_flip_book_shows_one_page_at_a_time),
        cmocka_unit_test(test_fit_b34_collapsed_track_leaves_the_clip_its_duration),
        cmocka_unit_test(test_fit_late_first_key_holds_its_value_from_zero),
        cmocka_unit_test(test_fit_b73_error_counts_in_model_space),
        cmocka_unit_test(test_fit_b76_motion_far_from_the_origin_survives),
        cmocka_unit_test(test_fit_error_that_is_no_number_is_infinite),
        cmocka_unit_test(test_fit_finest_steps_of_an_unrolled_turn_fit_the_format),
        cmocka_unit_test(test_fit_motion_finer_than_its_offset_is_refused_not_overflown),
        cmocka_unit_test(test_fit_open_loop_is_closed_on_request),
        cmocka_unit_test(test_fit_closed_loop_is_marked),
        cmocka_unit_test(test_fit_stepped_edges_on_no_grid_are_keyed_exactly),
        cmocka_unit_test(test_fit_exact_keeps_every_key_bit_for_bit),
        cmocka_unit_test(test_fit_wide_turns_kept_exactly_follow_slerp),
        cmocka_unit_test(test_fit_few_keys_in_a_long_clip_are_keyed),
        cmocka_unit_test(test_fit_values_stay_within_a_hundred_thousandth),
        cmocka_unit_test(test_fit_additive_values_are_rows_of_differences),
        cmocka_unit_test(test_fit_four_values_of_opposite_sign_move),
        cmocka_unit_test(test_fit_switches_are_keyed_and_never_in_between),
        cmocka_unit_test(test_fit_time_curves_stay_and_groups_share_equal_ones),
        cmocka_unit_test(test_fit_key_before_the_clip_stays_where_nothing_changes),
        cmocka_unit_test(test_fit_strings_are_keyed_and_have_their_texts),
        cmocka_unit_test(test_fit_key_before_the_clip_is_neither_its_start_nor_trimmed),
        cmocka_unit_test(test_fit_eased_property_may_go_into_rows),
        cmocka_unit_test(test_fit_impossible_budget_is_an_error),
    };
    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
