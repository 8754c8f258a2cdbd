// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Whole compilations: several inputs, shared skeletons, additive clips, the same bytes always.
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

#include "compiler.h"
#include "puppet_gltf.h"
#include "temp_folder.h"
#include "tiny_gltf.h"

static const char *folder;

static const char *path_of(const char *name)
{
    static char paths[4][256];
    static int next;
    char *const path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    folder = temp_folder_make();
    if (folder == NULL) {
        return -1;
    }
    static const struct tiny_gltf plain;
    static const struct tiny_gltf big_arm = {.arm_scale = 2.0};
    tiny_gltf_write(folder, "one", &plain);
    tiny_gltf_write(folder, "two", &plain);
    tiny_gltf_write(folder, "big", &big_arm);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

/// A compilation and what came of it.
struct compiled {
    struct report report;
    void *bytes;
    size_t size;
    trp_pack pack;
    bool ok;
};

static void compile(const struct compile_options *options, struct compiled *compiled)
{
    *compiled = (struct compiled){0};
    compiled->ok = compile_pack(options, &compiled->bytes, &compiled->size, &compiled->report);
    if (compiled->ok) {
        assert_int_equal(trp_pack_open(compiled->bytes, compiled->size, &compiled->pack, NULL),
                         TRP_OK);
    } else {
        assert_null(compiled->bytes);
        assert_int_not_equal(compiled->report.exit_code, TROUPE_EXIT_OK);
    }
}

static void compile_inputs(const struct compile_input *inputs, uint32_t count,
                           struct compiled *compiled)
{
    const struct compile_options options = {.inputs = inputs, .input_count = count};
    compile(&options, compiled);
}

/// Compiles clips for the skeleton of another pack.
static void compile_for(const struct compiled *base, const struct compile_input *input,
                        struct compiled *compiled)
{
    const struct compile_options options = {
        .inputs = input,
        .input_count = 1,
        .skeleton_pack = base->bytes,
        .skeleton_pack_bytes = base->size,
    };
    compile(&options, compiled);
}

static bool has_clip(const struct compiled *compiled, const char *name)
{
    return trp_pack_find_clip(&compiled->pack, trp_name_hash(name)) != TRP_NONE;
}

static void test_compiler_any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    const char *const demo = getenv("TROUPE_DEMO_CHARACTER");
    if (demo == NULL) {
        skip();
    }
    const struct compile_input inputs[] = {{.path = demo}, {.path = path_of("one.gltf")}};
    struct compile_options options = {.inputs = inputs, .input_count = 2, .job_count = 1};
    struct compiled first;
    compile(&options, &first);
    assert_true(first.ok);
    for (uint32_t jobs = 2; jobs <= 9; jobs += 7) {
        struct compiled other;
        options.job_count = jobs;
        compile(&options, &other);
        assert_int_equal(other.size, first.size);
        assert_memory_equal(other.bytes, first.bytes, first.size);
        free(other.bytes);
    }
    free(first.bytes);
}

static void test_compiler_instruction_set_does_not_change_the_bytes(void **state)
{
    (void)state;
    const struct compile_input input = {.path = path_of("one.gltf")};
    const trp_isa active = trp_isa_active();
    struct compiled first;
    compile_inputs(&input, 1, &first);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (trp_isa_force((trp_isa)isa) == TRP_OK) {
            struct compiled other;
            compile_inputs(&input, 1, &other);
            assert_int_equal(other.size, first.size);
            assert_memory_equal(other.bytes, first.bytes, first.size);
            free(other.bytes);
        }
    }
    assert_int_equal(trp_isa_force(active), TRP_OK);
    free(first.bytes);
}

static void test_compiler_colliding_names_get_the_stem(void **state)
{
    (void)state;
    const struct compile_input inputs[] = {{.path = path_of("one.gltf")},
                                           {.path = path_of("two.gltf")}};
    struct compiled compiled;
    compile_inputs(inputs, 2, &compiled);
    assert_true(compiled.ok);
    assert_int_equal(compiled.pack.skeleton_count, 1); // the same joints, kept once
    assert_int_equal(compiled.pack.skin_count, 1);
    assert_true(has_clip(&compiled, "one|wave"));
    assert_true(has_clip(&compiled, "two|wave"));
    assert_false(has_clip(&compiled, "wave"));
    assert_true(compiled.report.warning_count >= 2);
    free(compiled.bytes);
}

static void test_compiler_same_file_twice_numbers_its_clips(void **state)
{
    (void)state;
    const struct compile_input inputs[] = {{.path = path_of("one.gltf")},
                                           {.path = path_of("one.gltf")}};
    struct compiled compiled;
    compile_inputs(inputs, 2, &compiled);
    assert_true(compiled.ok);
    assert_int_equal(compiled.pack.skeleton_count, 1); // the same skeleton is kept once
    assert_true(has_clip(&compiled, "one|wave"));
    assert_true(has_clip(&compiled, "one|wave#2"));
    free(compiled.bytes);
}

/// Copies a file with one text in it replaced by another of the same length.
static void write_changed(const char *from, const char *to, const char *text, const char *other)
{
    static char bytes[8192];
    FILE *file = fopen(path_of(from), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = '\0';
    assert_int_equal(strlen(text), strlen(other));
    for (char *at = strstr(bytes, text); at != NULL; at = strstr(at, text)) {
        memcpy(at, other, strlen(other));
    }
    file = fopen(path_of(to), "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static void test_compiler_number_that_is_a_name_already_is_passed_over(void **state)
{
    (void)state;
    write_changed("one.gltf", "changed.gltf", "\"step\"", "\"wave\"");
    write_changed("changed.gltf", "changed.gltf", ": \"drift\"", ":\"wave#2\"");
    const struct compile_input input = {.path = path_of("changed.gltf")};
    struct compiled compiled;
    compile_inputs(&input, 1, &compiled);
    assert_true(compiled.ok);
    assert_int_equal(compiled.pack.clip_count, 3);
    for (uint32_t i = 0; i < compiled.pack.clip_count; i++) {
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&compiled.pack, i, &clip), TRP_OK);
        assert_int_equal(trp_pack_find_clip(&compiled.pack, trp_name_hash(clip.name)), i);
    }
    free(compiled.bytes);
    remove(path_of("changed.gltf"));
}

static void test_compiler_other_rest_is_another_skeleton(void **state)
{
    (void)state;
    const struct compile_input inputs[] = {{.path = path_of("one.gltf")},
                                           {.path = path_of("big.gltf")}};
    struct compiled compiled;
    compile_inputs(inputs, 2, &compiled);
    assert_true(compiled.ok);
    assert_int_equal(compiled.pack.skeleton_count, 2);
    assert_int_equal(compiled.pack.skin_count, 2);
    free(compiled.bytes);
}

static void test_compiler_clips_for_a_skeleton_of_another_pack_bind_to_it(void **state)
{
    (void)state;
    const struct compile_input character = {.path = path_of("one.gltf")};
    const struct compile_input animation = {.path = path_of("big.gltf")};
    struct compiled base;
    struct compiled clips;
    compile_inputs(&character, 1, &base);
    compile_for(&base, &animation, &clips);
    assert_true(clips.ok);
    assert_true(clips.report.warning_count > 0); // the rest poses differ
    assert_int_equal(clips.pack.skeleton_count, 0);
    assert_int_equal(clips.pack.skin_count, 0);
    trp_clip clip;
    trp_skeleton skeleton;
    assert_int_equal(trp_pack_clip(&clips.pack, 0, &clip), TRP_OK);
    assert_null(clip.rest);
    assert_int_equal(trp_pack_skeleton(&base.pack, 0, &skeleton), TRP_OK);
    assert_int_equal(trp_clip_bind(&clip, &skeleton), TRP_OK);
    free(clips.bytes);
    free(base.bytes);
}

static void test_compiler_animated_node_that_no_joint_is_named_after_is_reported(void **state)
{
    (void)state;
    write_changed("one.gltf", "changed.gltf", "\"arm\"", "\"leg\"");
    const struct compile_input character = {.path = path_of("one.gltf")};
    const struct compile_input animation = {.path = path_of("changed.gltf")};
    struct compiled base;
    struct compiled clips;
    compile_inputs(&character, 1, &base);
    const struct compile_options options = {
        .inputs = &animation,
        .input_count = 1,
        .skeleton_pack = base.bytes,
        .skeleton_pack_bytes = base.size,
    };
    char *messages;
    size_t message_bytes;
    struct report report = {.out = open_memstream(&messages, &message_bytes)};
    assert_true(compile_pack(&options, &clips.bytes, &clips.size, &report));
    fclose(report.out);
    assert_non_null(strstr(messages, "leg: node 1 is animated"));
    assert_non_null(strstr(messages, "[skeleton.map]"));
    free(messages);
    free(clips.bytes);
    free(base.bytes);
    remove(path_of("changed.gltf"));
}

static void test_compiler_foreign_skeleton_without_common_names_is_refused(void **state)
{
    (void)state;
    const char *const demo = getenv("TROUPE_DEMO_CHARACTER");
    if (demo == NULL) {
        skip();
    }
    const struct compile_input character = {.path = demo};
    const struct compile_input animation = {.path = path_of("one.gltf")};
    struct compiled base;
    struct compiled clips;
    compile_inputs(&character, 1, &base);
    compile_for(&base, &animation, &clips);
    assert_false(clips.ok);
    assert_int_equal(clips.report.exit_code, TROUPE_EXIT_INPUT);
    assert_non_null(strstr(clips.report.first_error, "[skeleton.map]"));
    free(base.bytes);
}

static void test_compiler_additive_clip_adds_up_to_its_source(void **state)
{
    (void)state;
    const struct compile_input inputs[] = {
        {.path = path_of("one.gltf")},
        {.path = path_of("two.gltf"), .additive = "rest"},
    };
    struct compiled compiled;
    compile_inputs(inputs, 2, &compiled);
    assert_true(compiled.ok);
    trp_clip plain;
    trp_clip delta;
    trp_skeleton skeleton;
    _Alignas(64) trp_pose_block poses[3][1];
    assert_int_equal(trp_pack_skeleton(&compiled.pack, 0, &skeleton), TRP_OK);
    assert_int_equal(trp_pack_clip(&compiled.pack,
                                   trp_pack_find_clip(&compiled.pack, trp_name_hash("one|wave")),
                                   &plain),
                     TRP_OK);
    assert_int_equal(trp_pack_clip(&compiled.pack,
                                   trp_pack_find_clip(&compiled.pack, trp_name_hash("two|wave")),
                                   &delta),
                     TRP_OK);
    assert_int_equal(plain.flags & TRP_CLIP_ADDITIVE, 0);
    assert_int_equal(delta.flags & TRP_CLIP_ADDITIVE, TRP_CLIP_ADDITIVE);
    for (double time_s = 0.0; time_s <= 1.0; time_s += 0.13) {
        const trp_sample_request requests[2] = {
            {.clip = &plain, .time_s = time_s, .pose = poses[0]},
            {.clip = &delta, .time_s = time_s, .flags = TRP_SAMPLE_ADDITIVE, .pose = poses[1]},
        };
        trp_sample_args args = {.requests = requests, .request_count = 2};
        args.scratch_bytes = trp_sample_scratch_bytes(&args);
        args.scratch = aligned_alloc(64, (args.scratch_bytes + 63) & ~(size_t)63);
        assert_int_equal(trp_sample(&args, NULL), TRP_OK);
        free(args.scratch);
        const trp_blend_layer layers[2] = {
            {.pose = skeleton.rest, .weight = 1.0f},
            {.pose = poses[1], .weight = 1.0f, .mode = TRP_BLEND_ADD},
        };
        const trp_blend_job job = {.layers = layers, .layer_count = 2, .pose = poses[2]};
        const trp_blend_args blend = {.skeleton = &skeleton, .jobs = &job, .job_count = 1};
        assert_int_equal(trp_blend(&blend, NULL), TRP_OK);
        for (uint32_t lane = 0; lane < 2; lane++) {
            double dot = 0.0;
            for (int i = 0; i < 4; i++) {
                dot +=
                    (double)poses[0][0].rotation[i][lane] * (double)poses[2][0].rotation[i][lane];
            }
            assert_true(fabs(dot) > 1.0 - 1e-6);
            for (int i = 0; i < 3; i++) {
                const double off = (double)poses[0][0].translation[i][lane] -
                                   (double)poses[2][0].translation[i][lane];
                assert_true(fabs(off) < 2e-4);
            }
        }
    }
    free(compiled.bytes);
}

static void test_compiler_additive_reference_that_is_missing_is_refused(void **state)
{
    (void)state;
    const struct compile_input input = {.path = path_of("one.gltf"), .additive = "nobody"};
    struct compiled compiled;
    compile_inputs(&input, 1, &compiled);
    assert_false(compiled.ok);
    assert_int_equal(compiled.report.exit_code, TROUPE_EXIT_INPUT);
    assert_non_null(strstr(compiled.report.first_error, "[additive.reference]"));
}

static void test_compiler_additive_reference_clip_itself_stays_plain(void **state)
{
    (void)state;
    const struct compile_input input = {.path = path_of("one.gltf"), .additive = "wave"};
    struct compiled compiled;
    compile_inputs(&input, 1, &compiled);
    assert_true(compiled.ok);
    for (uint32_t i = 0; i < compiled.pack.clip_count; i++) {
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&compiled.pack, i, &clip), TRP_OK);
        const bool is_additive = (clip.flags & TRP_CLIP_ADDITIVE) != 0;
        assert_int_equal(is_additive, strcmp(clip.name, "wave") != 0);
    }
    free(compiled.bytes);
}

static void test_compiler_additive_to_rest_includes_a_clip_of_that_name(void **state)
{
    (void)state;
    write_changed("one.gltf", "changed.gltf", "\"wave\"", "\"rest\"");
    const struct compile_input input = {.path = path_of("changed.gltf"), .additive = "rest"};
    struct compiled compiled;
    compile_inputs(&input, 1, &compiled);
    assert_true(compiled.ok);
    assert_true(has_clip(&compiled, "rest"));
    for (uint32_t i = 0; i < compiled.pack.clip_count; i++) {
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&compiled.pack, i, &clip), TRP_OK);
        assert_int_equal(clip.flags & TRP_CLIP_ADDITIVE, TRP_CLIP_ADDITIVE);
    }
    free(compiled.bytes);
    remove(path_of("changed.gltf"));
}

static void test_compiler_clip_without_values_in_a_file_with_some(void **state)
{
    (void)state;
    puppet_gltf_write(folder, "sliding", &(struct puppet_gltf){.is_sliding = true});
    const struct compile_input input = {.path = path_of("sliding.gltf")};
    struct compiled compiled;
    compile_inputs(&input, 1, &compiled);
    assert_true(compiled.ok); // smile rests at 0.5, of which the clip says nothing
    trp_clip clip;
    const uint32_t index = trp_pack_find_clip(&compiled.pack, trp_name_hash("slide"));
    assert_int_equal(trp_pack_clip(&compiled.pack, index, &clip), TRP_OK);
    assert_int_equal(clip.property_set_index, TRP_NONE);
    free(compiled.bytes);
    remove(path_of("sliding.gltf"));
    remove(path_of("sliding.bin"));
}

static void test_compiler_missing_input_names_the_file(void **state)
{
    (void)state;
    const struct compile_input inputs[] = {{.path = path_of("one.gltf")},
                                           {.path = path_of("nobody.glb")}};
    struct compiled compiled;
    compile_inputs(inputs, 2, &compiled);
    assert_false(compiled.ok);
    assert_int_equal(compiled.report.exit_code, TROUPE_EXIT_IO);
    assert_non_null(strstr(compiled.report.first_error, "nobody.glb"));
}

static void count_progress(uint32_t done, uint32_t total, void *user)
{
    uint32_t *const last = user;
    assert_true(done <= total);
    assert_true(done >= *last);
    *last = done;
}

static void test_compiler_progress_ends_at_the_last_clip(void **state)
{
    (void)state;
    const struct compile_input input = {.path = path_of("one.gltf")};
    uint32_t last = 0;
    const struct compile_options options = {
        .inputs = &input, .input_count = 1, .progress = count_progress, .progress_user = &last};
    struct compiled compiled;
    compile(&options, &compiled);
    assert_int_equal(last, compiled.pack.clip_count);
    free(compiled.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiler_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(test_compiler_instruction_set_does_not_change_the_bytes),
        cmocka_unit_test(test_compiler_colliding_names_get_the_stem),
        cmocka_unit_test(test_compiler_same_file_twice_numbers_its_clips),
        cmocka_unit_test(test_compiler_number_that_is_a_name_already_is_passed_over),
        cmocka_unit_test(test_compiler_other_rest_is_another_skeleton),
        cmocka_unit_test(test_compiler_clips_for_a_skeleton_of_another_pack_bind_to_it),
        cmocka_unit_test(test_compiler_animated_node_that_no_joint_is_named_after_is_reported),
        cmocka_unit_test(test_compiler_foreign_skeleton_without_common_names_is_refused),
        cmocka_unit_test(test_compiler_additive_clip_adds_up_to_its_source),
        cmocka_unit_test(test_compiler_additive_reference_that_is_missing_is_refused),
        cmocka_unit_test(test_compiler_additive_reference_clip_itself_stays_plain),
        cmocka_unit_test(test_compiler_additive_to_rest_includes_a_clip_of_that_name),
        cmocka_unit_test(test_compiler_clip_without_values_in_a_file_with_some),
        cmocka_unit_test(test_compiler_missing_input_names_the_file),
        cmocka_unit_test(test_compiler_progress_ends_at_the_last_clip),
    };
    return cmocka_run_group_tests_name("compiler", tests, set_up, tear_down);
}
