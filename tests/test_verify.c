// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// verify: a pack is compiled from one source and measured against another that differs by a known
// amount, so that the distance to be found is known beforehand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "puppet_gltf.h"
#include "temp_folder.h"
#include "tiny_gltf.h"

static const char *folder;
static const double budget_mm = 0.1;

struct pack {
    void *bytes;
    size_t size_bytes;
};

static void path_of(char path[512], const char *subfolder)
{
    snprintf(path, 512, "%s/%s", folder, subfolder);
    mkdir(path, 0777);
}

/// Writes the character into a folder of its own: sources are told apart by folder, not by name.
static void write_source(const char *subfolder, const struct tiny_gltf *tiny, char path[512])
{
    char where[512];
    path_of(where, subfolder);
    tiny_gltf_write(where, "tiny", tiny);
    snprintf(path, 512, "%s/%s/tiny.gltf", folder, subfolder);
}

static struct pack compile(const struct compile_input *input)
{
    struct pack pack = {0};
    struct report report = {0};
    const struct compile_options options = {.inputs = input, .input_count = 1, .job_count = 1};
    if (!compile_pack(&options, &pack.bytes, &pack.size_bytes, &report)) {
        fail_msg("%s", report.first_error);
    }
    return pack;
}

static struct pack compile_tiny(void)
{
    char path[512];
    write_source("good", &(struct tiny_gltf){0}, path);
    return compile(&(struct compile_input){.path = path});
}

/// Verifies and returns what it says of one clip.
static struct verify_clip verify_one(const struct pack *pack, const char *source,
                                     const char *clip_name, uint64_t seed, bool *ok)
{
    const struct compile_input input = {.path = source};
    const struct verify_options options = {.inputs = &input, .input_count = 1, .seed = seed};
    struct report report = {0};
    struct verify_clip *clips = NULL;
    uint32_t count = 0;
    if (!verify_pack(&options, pack->bytes, pack->size_bytes, &clips, &count, ok, &report)) {
        fail_msg("%s", report.first_error);
    }
    struct verify_clip found = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(clips[i].name, clip_name) == 0) {
            found = clips[i];
        }
    }
    free(clips);
    assert_non_null(found.name);
    return found;
}

/// Compiles the character as it should be and measures it against one that differs.
static struct verify_clip verify_against(const struct tiny_gltf *other, const char *clip_name,
                                         bool *ok)
{
    char path[512];
    struct pack pack = compile_tiny();
    write_source("other", other, path);
    const struct verify_clip found = verify_one(&pack, path, clip_name, 1, ok);
    // The names point into the pack.
    static char joint[64];
    snprintf(joint, sizeof joint, "%s", found.at_joint);
    free(pack.bytes);
    struct verify_clip result = found;
    result.at_joint = joint;
    result.name = clip_name;
    return result;
}

static void assert_distance(double found_mm, double expected_mm)
{
    if (!(fabs(found_mm - expected_mm) <= budget_mm)) {
        fail_msg("%g mm found, %g mm expected", found_mm, expected_mm);
    }
}

static void test_verify_own_source_is_within_budget(void **state)
{
    (void)state;
    bool ok = false;
    const struct verify_clip clip = verify_against(&(struct tiny_gltf){0}, "wave", &ok);
    assert_true(ok);
    assert_true(clip.max_error_mm <= budget_mm);
    assert_true(clip.max_error_keys_mm <= clip.max_error_mm);
    assert_float_equal(clip.budget_mm, budget_mm, 1e-6);
}

static void test_verify_moved_key_is_found_where_it_is(void **state)
{
    (void)state;
    bool ok = true;
    const struct verify_clip clip =
        verify_against(&(struct tiny_gltf){.moved = 0.005}, "wave", &ok);
    assert_false(ok);
    assert_distance(clip.max_error_mm, 5);
    assert_distance(clip.max_error_keys_mm, 5);
    assert_float_equal(clip.at_time_s, 1, 1e-6);
}

static void test_verify_moved_ancestor_counts_for_all(void **state)
{
    (void)state;
    bool ok = true;
    const struct tiny_gltf other = {.lifted = 0.003};
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"wave", "step", "drift"};
        const struct verify_clip clip = verify_against(&other, names[i], &ok);
        assert_false(ok);
        assert_distance(clip.max_error_mm, 3);
    }
}

static void test_verify_turned_joint_is_measured_at_the_shell(void **state)
{
    (void)state;
    bool ok = true;
    const struct verify_clip clip = verify_against(&(struct tiny_gltf){.turned = 0.1}, "wave", &ok);
    assert_false(ok);
    assert_distance(clip.max_error_mm, 30 * 2 * sin(0.05));
    assert_string_equal(clip.at_joint, "arm");
    assert_float_equal(clip.at_time_s, 0.5, 1e-6);
}

static void test_verify_shell_is_in_metres_whatever_unit_and_scale(void **state)
{
    (void)state;
    char good[512];
    char other[512];
    write_source("good", &(struct tiny_gltf){.arm_scale = 2.5}, good);
    write_source("other", &(struct tiny_gltf){.arm_scale = 2.5, .turned = 0.1}, other);
    const struct compile_input input = {.path = good, .metres_per_unit = 0.01};
    struct pack pack = compile(&input);
    bool ok = true;
    const struct verify_clip clip = verify_one(&pack, other, "wave", 1, &ok);
    assert_false(ok);
    assert_distance(clip.max_error_mm, 30 * 2 * sin(0.05));
    free(pack.bytes);
}

static void test_verify_late_step_is_found(void **state)
{
    (void)state;
    bool ok = true;
    const struct verify_clip clip =
        verify_against(&(struct tiny_gltf){.step_delayed = 0.02}, "step", &ok);
    assert_false(ok);
    assert_distance(clip.max_error_mm, 250);
    assert_true(clip.at_time_s >= 0.499 && clip.at_time_s <= 0.52);
}

static void test_verify_step_on_the_grid_switches_at_its_key(void **state)
{
    (void)state;
    bool ok = false;
    const struct verify_clip clip = verify_against(&(struct tiny_gltf){0}, "step", &ok);
    assert_true(ok);
    assert_true(clip.max_error_mm <= budget_mm);
}

static void test_verify_additive_clips_are_measured_on_their_reference(void **state)
{
    (void)state;
    static const char *const references[] = {"rest", "drift"};
    for (int i = 0; i < 2; i++) {
        char path[512];
        char moved[512];
        write_source("good", &(struct tiny_gltf){0}, path);
        write_source("other", &(struct tiny_gltf){.moved = 0.005}, moved);
        struct pack pack = compile(&(struct compile_input){
            .path = path,
            .additive = references[i],
        });
        bool ok = false;
        assert_true(verify_one(&pack, path, "wave", 1, &ok).max_error_mm <= budget_mm);
        assert_true(ok);
        assert_distance(verify_one(&pack, moved, "wave", 1, &ok).max_error_mm, 5);
        assert_false(ok);
        free(pack.bytes);
    }
}

/// The pose of the model is meant, not that of the clip.
static void test_verify_values_additive_to_rest_beside_a_clip_of_that_name(void **state)
{
    (void)state;
    char where[512];
    char path[600];
    path_of(where, "values");
    puppet_gltf_write(where, "puppet", &(struct puppet_gltf){.first_name = "rest"});
    snprintf(path, sizeof path, "%s/puppet.gltf", where);
    struct pack pack = compile(&(struct compile_input){.path = path, .additive = "rest"});
    bool ok = false;
    (void)verify_one(&pack, path, "rest", 1, &ok);
    assert_true(ok);
    free(pack.bytes);
}

static void test_verify_closing_row_goes_home(void **state)
{
    (void)state;
    char path[512];
    write_source("good", &(struct tiny_gltf){0}, path);
    struct pack pack = compile(&(struct compile_input){.path = path, .loop = COMPILE_LOOP_ON});
    bool ok = false;
    const struct verify_clip clip = verify_one(&pack, path, "drift", 1, &ok);
    assert_true(ok);
    assert_true(clip.max_error_mm <= budget_mm);
    free(pack.bytes);
}

static void test_verify_same_seed_finds_the_same(void **state)
{
    (void)state;
    char path[512];
    struct pack pack = compile_tiny();
    write_source("other", &(struct tiny_gltf){.turned = 0.01}, path);
    bool ok = true;
    const struct verify_clip one = verify_one(&pack, path, "wave", 7, &ok);
    const struct verify_clip two = verify_one(&pack, path, "wave", 7, &ok);
    assert_true(one.max_error_mm == two.max_error_mm);
    assert_true(one.at_time_s == two.at_time_s);
    free(pack.bytes);
}

static void expect_refusal(const struct pack *pack, const char *source, enum troupe_exit exit_code,
                           const char *code)
{
    const struct compile_input input = {.path = source};
    const struct verify_options options = {.inputs = &input, .input_count = 1};
    struct report report = {0};
    struct verify_clip *clips = NULL;
    uint32_t count = 0;
    bool ok = true;
    assert_false(
        verify_pack(&options, pack->bytes, pack->size_bytes, &clips, &count, &ok, &report));
    assert_null(clips);
    assert_false(ok);
    assert_int_equal(report.exit_code, exit_code);
    if (strstr(report.first_error, code) == NULL) {
        fail_msg("'%s' does not say '%s'", report.first_error, code);
    }
}

static void test_verify_without_the_source_is_an_error(void **state)
{
    (void)state;
    struct pack pack = compile_tiny();
    char where[512];
    path_of(where, "stranger");
    tiny_gltf_write(where, "stranger", &(struct tiny_gltf){0});
    char path[512];
    snprintf(path, sizeof path, "%s/stranger/stranger.gltf", folder);
    expect_refusal(&pack, path, TROUPE_EXIT_INPUT, "[verify.source]");
    expect_refusal(&pack, "/nonexistent/tiny.gltf", TROUPE_EXIT_IO, "[file.read]");
    free(pack.bytes);
}

static int setup(void **state)
{
    (void)state;
    folder = temp_folder_make();
    return folder == NULL;
}

static int teardown(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_own_source_is_within_budget),
        cmocka_unit_test(test_verify_moved_key_is_found_where_it_is),
        cmocka_unit_test(test_verify_moved_ancestor_counts_for_all),
        cmocka_unit_test(test_verify_turned_joint_is_measured_at_the_shell),
        cmocka_unit_test(test_verify_shell_is_in_metres_whatever_unit_and_scale),
        cmocka_unit_test(test_verify_late_step_is_found),
        cmocka_unit_test(test_verify_step_on_the_grid_switches_at_its_key),
        cmocka_unit_test(test_verify_additive_clips_are_measured_on_their_reference),
        cmocka_unit_test(test_verify_values_additive_to_rest_beside_a_clip_of_that_name),
        cmocka_unit_test(test_verify_closing_row_goes_home),
        cmocka_unit_test(test_verify_same_seed_finds_the_same),
        cmocka_unit_test(test_verify_without_the_source_is_an_error),
    };
    return cmocka_run_group_tests_name("verify", tests, setup, teardown);
}
