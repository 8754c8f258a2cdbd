// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The `troupe` program on STF files: instances and their poses, humanoids, blend trees, play modes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "stf_builder.h"

#include "cli_program.h"

static const struct stf_bone bones[] = {
    {"id-hips", "hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 0.5},
    {"id-chest", "chest", 0, {0, 1.5, 0}, {0, 0, 0, 1}, 0.25},
    {"id-head", "head", 1, {0, 1.75, 0}, {0, 0, 0, 1}, 0.125},
};

/// The head looks to the left.
static const struct stf_trs posed_head = {{0, 0.5, 0}, {0, 0.6, 0, 0.8}, {1, 2, 1}};

/// Adds a node that carries the rig.
static void add_hero(struct stf_builder *builder, const char *node, const char *name,
                     const char *instance)
{
    stf_builder_node(builder, node, name, "prefab", &stf_identity);
    stf_builder_armature_instance(builder, instance, node, "rig");
}

/// Adds the armature with a component, two of an instance, and a humanoid.
static void add_rig(struct stf_builder *builder)
{
    static const double limits[3][3] = {{-0.25, 0, 0.5}, {-0.5, 0.125, 0.75}, {-1, 0, 1}};
    stf_builder_armature(builder, "rig", "Rig", bones, 3);
    json_t *const twist =
        stf_builder_component(builder, "id-chest", "c-twist", "stfexp.constraint.twist");
    json_object_set_new(twist, "weight", json_real(0.5));
    json_t *const humanoid = stf_builder_humanoid(builder, "rig", "c-humanoid", "digi");
    json_object_set_new(humanoid, "no_jaw", json_true());
    json_object_set_new(humanoid, "settings",
                        json_pack("{s:f, s:b}", "arm_stretch", 0.125, "use_translation", 1));
    stf_builder_part(builder, "c-humanoid", "hip", "id-hips", NULL);
    stf_builder_part(builder, "c-humanoid", "head", "id-head", limits);
}

static void add_components(struct stf_builder *builder)
{
    json_t *const collider =
        stf_builder_added_component(builder, "i-hero", "id-head", "c-collider", "ava.collider");
    json_object_set_new(collider, "radius", json_real(0.75));
    stf_builder_modified_component(builder, "i-hero", "id-chest", "c-twist",
                                   json_pack("{s:f}", "weight", 0.25));
}

/// Adds a blendshape on a node of its own.
static void add_face(struct stf_builder *builder)
{
    static const struct stf_blendshape shapes[] = {{"Key 1", 0.25}, {"Key 2", 0}};
    stf_builder_node(builder, "face", "Face", "prefab", &stf_identity);
    stf_builder_mesh(builder, "mesh", "Mesh", shapes, 2);
    stf_builder_mesh_instance(builder, "i-face", "face", "mesh", NULL);
}

/// Adds a clip of a second that lifts the chest from 0.5 to `height` and blends "Key 1" from 0 to
/// 1.
static void add_clip(struct stf_builder *builder, const char *id, const char *name,
                     const char *loop, double height)
{
    const struct stf_key x[] = {{.frame = 10, .type = STF_KEY_LINEAR},
                                {.frame = 20, .type = STF_KEY_LINEAR}};
    const struct stf_key y[] = {{.frame = 10, .value = 0.5, .type = STF_KEY_LINEAR},
                                {.frame = 20, .value = height, .type = STF_KEY_LINEAR}};
    const struct stf_key key[] = {
        {.frame = 10, .value = 0, .out = {10.0 / 3, -1}},
        {.frame = 20, .value = 1, .in = {-10.0 / 3, 0}},
    };
    const struct stf_track tracks[] = {
        {
            .target = {"hero", "instance", "id-chest", "t"},
            .subtracks = {{.keys = x, .key_count = 2},
                          {.keys = y, .key_count = 2},
                          {.keys = x, .key_count = 2}},
            .subtrack_count = 3,
        },
        {
            .target = {"face", "instance", "blendshape", "Key 1", "value"},
            .subtracks = {{.keys = key, .key_count = 2}},
            .subtrack_count = 1,
        },
    };
    stf_builder_animation(builder, &(struct stf_animation){
                                       .id = id,
                                       .name = name,
                                       .loop = loop,
                                       .fps = 10,
                                       .range = {10, 20},
                                       .tracks = tracks,
                                       .track_count = 2,
                                   });
}

static void write_file(struct stf_builder *builder, const char *name)
{
    size_t size = 0;
    unsigned char *const bytes = stf_builder_file(builder, &size);
    write_text(name, (const char *)bytes, size);
    free(bytes);
    stf_builder_free(builder);
}

/// Writes hero.stf with all there is, and still.stf without animations.
static void write_sources(void)
{
    for (int is_still = 0; is_still <= 1; is_still++) {
        struct stf_builder builder;
        stf_builder_start(&builder, (struct stf_layout){0});
        add_rig(&builder);
        add_hero(&builder, "hero", "Hero", "i-hero");
        stf_builder_pose(&builder, "i-hero", "id-head", &posed_head);
        add_hero(&builder, "rival", "Rival", "i-rival");
        add_components(&builder);
        add_face(&builder);
        if (!is_still) {
            add_clip(&builder, "id-walk", "Walk", "loop", 0.75);
            add_clip(&builder, "id-idle", "Idle", "pingpong", 0.625);
            add_clip(&builder, "id-wave", "Wave", "none", 1.5);
            stf_builder_animation(&builder,
                                  &(struct stf_animation){
                                      .id = "id-none", .name = "None", .fps = 10, .range = {0, 1}});
            stf_builder_blendtree(&builder, "id-speed", "Speed", 1);
            stf_builder_place(&builder, "id-speed", "id-idle", 0, 0);
            stf_builder_place(&builder, "id-speed", "id-walk", 1.5, 0);
            stf_builder_place(&builder, "id-speed", "id-none", 3, 0);
            stf_builder_blendtree(&builder, "id-way", "Way", 2);
            stf_builder_place(&builder, "id-way", "id-walk", -1, 0.5);
        }
        write_file(&builder, is_still ? "still.stf" : "hero.stf");
    }
}

static json_t *info_of(const char *pack)
{
    return expect_json(run("info", pack, "--json", NULL), "info");
}

static void assert_numbers(const json_t *object, const char *key, const double *expected,
                           size_t count)
{
    double numbers[12];
    numbers_of(object, key, numbers, count);
    for (size_t i = 0; i < count; i++) {
        assert_float_equal(numbers[i], expected[i], 1e-6);
    }
}

// ---- info ----

static void test_cli_stf_info_shows_instances_with_their_poses(void **state)
{
    (void)state;
    json_t *const info = info_of("hero.trp");
    json_t *const instances = json_object_get(info, "instances");
    assert_int_equal(json_array_size(instances), 2);
    json_t *const hero = named(instances, "Hero");
    assert_string_equal(string_of(hero, "id"), "hero");
    assert_string_equal(string_of(hero, "armature"), "Rig");
    assert_string_equal(string_of(hero, "armature_id"), "rig");
    assert_int_equal(number_of(hero, "posed_bones"), 1);
    json_t *const list = json_object_get(hero, "bones");
    assert_int_equal(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *const bone = json_array_get(list, i);
        assert_string_equal(string_of(bone, "name"), bones[i].name);
        assert_string_equal(string_of(bone, "id"), bones[i].id);
        assert_float_equal(number_of(bone, "length"), bones[i].length, 0);
        assert_true(json_is_true(json_object_get(bone, "posed")) == (i == 2));
    }
    const json_t *const head = json_array_get(list, 2);
    assert_numbers(head, "translation", posed_head.translation, 3);
    assert_numbers(head, "rotation", posed_head.rotation, 4);
    assert_numbers(head, "scale", posed_head.scale, 3);
    const json_t *const rival = named(instances, "Rival");
    assert_int_equal(number_of(rival, "posed_bones"), 0);
    json_decref(info);
}

static void test_cli_stf_info_shows_components_as_json(void **state)
{
    (void)state;
    json_t *const info = info_of("hero.trp");
    json_t *const instances = json_object_get(info, "instances");
    const json_t *const components = json_object_get(named(instances, "Hero"), "components");
    int found = 0;
    size_t index = 0;
    const json_t *component = NULL;
    json_array_foreach(components, index, component)
    {
        const char *const kind = string_of(component, "kind");
        const json_t *const json = json_object_get(component, "json");
        assert_true(json_is_object(json));
        if (strcmp(kind, "added") == 0) {
            assert_string_equal(string_of(component, "bone"), "head");
            assert_string_equal(string_of(component, "bone_id"), "id-head");
            assert_string_equal(string_of(component, "id"), "c-collider");
            assert_string_equal(string_of(component, "type"), "ava.collider");
            assert_float_equal(number_of(json, "radius"), 0.75, 0);
        } else {
            assert_string_equal(string_of(component, "bone"), "chest");
            assert_string_equal(string_of(component, "id"), "c-twist");
            assert_string_equal(string_of(component, "type"), "stfexp.constraint.twist");
            assert_float_equal(number_of(json, "weight"),
                               strcmp(kind, "modified") == 0 ? 0.25 : 0.5, 0);
        }
        found |= strcmp(kind, "added") == 0      ? 1
                 : strcmp(kind, "modified") == 0 ? 2
                 : strcmp(kind, "armature") == 0 ? 4
                                                 : 8;
    }
    assert_int_equal(found, 7);
    json_decref(info);
}

static void test_cli_stf_info_shows_humanoids_in_radians(void **state)
{
    (void)state;
    static const double primary[3] = {-0.25, 0, 0.5};
    static const double secondary[3] = {-0.5, 0.125, 0.75};
    static const double twist[3] = {-1, 0, 1};
    json_t *const info = info_of("hero.trp");
    json_t *const instances = json_object_get(info, "instances");
    const json_t *const humanoid = json_object_get(named(instances, "Rival"), "humanoid");
    assert_string_equal(string_of(humanoid, "locomotion"), "digi");
    assert_true(json_is_true(json_object_get(humanoid, "no_jaw")));
    const json_t *const settings = json_object_get(humanoid, "settings");
    assert_float_equal(number_of(settings, "arm_stretch"), 0.125, 0);
    assert_float_equal(number_of(settings, "upper_arm_twist"), 0.5, 0);
    assert_true(json_is_true(json_object_get(settings, "use_translation")));
    const json_t *const parts = json_object_get(humanoid, "parts");
    assert_int_equal(json_object_size(parts), 2);
    const json_t *const head = json_object_get(parts, "head");
    assert_string_equal(string_of(head, "joint"), "head");
    assert_string_equal(string_of(head, "plays"), "head");
    const json_t *const limits = json_object_get(head, "limits");
    assert_numbers(limits, "primary", primary, 3);
    assert_numbers(limits, "secondary", secondary, 3);
    assert_numbers(limits, "twist", twist, 3);
    const json_t *const hip = json_object_get(parts, "hip");
    assert_string_equal(string_of(hip, "joint"), "hips");
    assert_int_equal(json_object_size(json_object_get(hip, "limits")), 0);
    json_decref(info);
}

static void test_cli_stf_info_shows_how_files_play_clips_and_blend_trees(void **state)
{
    (void)state;
    static const char *const clips[][3] = {
        {"Walk", "id-walk", "loop"},
        {"Idle", "id-idle", "pingpong"},
        {"Wave", "id-wave", "clamp"},
    };
    json_t *const info = info_of("hero.trp");
    json_t *const list = json_object_get(info, "clips");
    assert_int_equal(json_array_size(list), 3);
    for (int i = 0; i < 3; i++) {
        const json_t *const clip = named(list, clips[i][0]);
        assert_string_equal(string_of(clip, "id"), clips[i][1]);
        assert_string_equal(string_of(clip, "play"), clips[i][2]);
        assert_float_equal(number_of(clip, "duration_s"), 1, 1e-9);
    }
    json_t *const trees = json_object_get(info, "blendtrees");
    const json_t *const speed = named(trees, "Speed");
    assert_string_equal(string_of(speed, "id"), "id-speed");
    assert_int_equal(number_of(speed, "dimensions"), 1);
    const json_t *const places = json_object_get(speed, "clips");
    assert_int_equal(json_array_size(places), 3);
    assert_string_equal(string_of(json_array_get(places, 0), "clip"), "Idle");
    assert_string_equal(string_of(json_array_get(places, 1), "clip"), "Walk");
    assert_true(json_is_null(json_object_get(json_array_get(places, 2), "clip")));
    assert_numbers(json_array_get(places, 1), "position", (const double[]){1.5}, 1);
    const json_t *const way = json_object_get(named(trees, "Way"), "clips");
    assert_numbers(json_array_get(way, 0), "position", (const double[]){-1, 0.5}, 2);
    json_decref(info);
    struct outcome text = run("info", "hero.trp", NULL);
    expect_success(&text);
    assert_non_null(strstr(text.out, "digi, 2 parts, 1 with limits, no jaw"));
    assert_non_null(strstr(text.out, "(left out)"));
    discard(&text);
}

static void test_cli_stf_loop_option_leaves_what_the_file_says(void **state)
{
    (void)state;
    static const char *const loops[] = {"on", "off"};
    for (int i = 0; i < 2; i++) {
        struct outcome outcome =
            run("compile", "--quiet", "--loop", loops[i], "hero.stf", "-o", "loop.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        json_t *const info = info_of("loop.trp");
        json_t *const clips = json_object_get(info, "clips");
        assert_string_equal(string_of(named(clips, "Walk"), "play"), "loop");
        assert_string_equal(string_of(named(clips, "Wave"), "play"), "clamp");
        assert_true(json_is_true(json_object_get(named(clips, "Wave"), "loop_closed")) == (i == 0));
        json_decref(info);
    }
}

// ---- compile ----

static void test_cli_stf_compile_is_the_same_for_any_jobs(void **state)
{
    (void)state;
    static const char *const jobs[] = {"1", "2", "7"};
    char *texts[3];
    long sizes[3];
    for (int i = 0; i < 3; i++) {
        struct outcome outcome =
            run("compile", "--quiet", "-j", jobs[i], "hero.stf", "-o", "jobs.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        char path[512];
        snprintf(path, sizeof path, "%s/jobs.trp", folder);
        FILE *const file = fopen(path, "rb");
        fseek(file, 0, SEEK_END);
        sizes[i] = ftell(file);
        fclose(file);
        texts[i] = read_text(path);
        assert_int_equal(sizes[i], sizes[0]);
        assert_memory_equal(texts[i], texts[0], (size_t)sizes[i]);
    }
    for (int i = 0; i < 3; i++) {
        free(texts[i]);
    }
}

static void test_cli_stf_file_without_animation_gives_its_instances(void **state)
{
    (void)state;
    struct outcome outcome = run("compile", "still.stf", "-o", "still.trp", NULL);
    expect_success(&outcome);
    assert_int_equal(count_lines(outcome.err), 1);
    assert_non_null(strstr(outcome.err, ": warning: "));
    assert_non_null(strstr(outcome.err, "no animation"));
    discard(&outcome);
    json_t *const info = info_of("still.trp");
    assert_int_equal(json_array_size(json_object_get(info, "clips")), 0);
    assert_true(json_array_size(json_object_get(info, "skeletons")) > 0);
    assert_int_equal(json_array_size(json_object_get(info, "instances")), 2);
    json_decref(info);
    json_t *const sample =
        expect_json(run("sample", "still.trp", "--instance", "Hero", "--json", NULL), "sample");
    json_decref(sample);
}

/// The unit is that of the file, unless it is given.
static void test_cli_stf_unit_is_that_of_the_file(void **state)
{
    (void)state;
    struct stf_builder builder;
    stf_builder_start(&builder, (struct stf_layout){0});
    add_rig(&builder);
    add_hero(&builder, "hero", "Hero", "i-hero");
    add_clip(&builder, "id-walk", "Walk", "loop", 0.75);
    json_object_set_new(builder.stf, "metric_multiplier", json_integer(100));
    write_file(&builder, "centimetres.stf");
    static const double expected[] = {0.01, 1, 3};
    for (int i = 0; i < 3; i++) {
        struct outcome outcome =
            i == 0   ? run("compile", "centimetres.stf", "-o", "unit.trp", NULL)
            : i == 1 ? run("compile", "hero.stf", "-o", "unit.trp", NULL)
                     : run("compile", "--unit", "3", "centimetres.stf", "-o", "unit.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        json_t *const info = info_of("unit.trp");
        const json_t *const skeleton = json_array_get(json_object_get(info, "skeletons"), 0);
        assert_float_equal(number_of(skeleton, "metres_per_unit"), expected[i], 1e-12);
        json_decref(info);
        json_t *const verify = expect_json(
            run("verify", "unit.trp", i == 1 ? "hero.stf" : "centimetres.stf", "--json", NULL),
            "verify");
        json_decref(verify);
    }
}

/// The rule for tangents is told to both verbs, or they disagree.
static void test_cli_stf_verify_reads_sources_as_compile_did(void **state)
{
    (void)state;
    struct outcome outcome = run("verify", "hero.trp", "hero.stf", NULL);
    expect_success(&outcome);
    discard(&outcome);
    outcome =
        run("compile", "--quiet", "--stf-tangents", "added", "hero.stf", "-o", "added.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    outcome = run("verify", "added.trp", "--stf-tangents", "added", "hero.stf", NULL);
    expect_success(&outcome);
    discard(&outcome);
    outcome = run("verify", "added.trp", "hero.stf", NULL);
    assert_int_equal(outcome.exit_code, 4);
    discard(&outcome);
    expect_refusal(run("compile", "--stf-tangents", "up", "hero.stf", "-o", "x.trp", NULL), 1,
                   "--stf-tangents takes negated or added");
    expect_refusal(run("verify", "hero.trp", "--stf-tangents", "up", "hero.stf", NULL), 1,
                   "--stf-tangents takes negated or added");
}

// ---- sample ----

/// Returns a joint of the only sample, by its id: instances of one armature share names.
static json_t *joint_with_id(json_t *object, const char *id)
{
    json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    size_t index = 0;
    json_t *joint = NULL;
    json_array_foreach(json_object_get(sample, "joints"), index, joint)
    {
        if (strcmp(string_of(joint, "id"), id) == 0) {
            return joint;
        }
    }
    fail_msg("no '%s'", id);
    return NULL;
}

static void test_cli_stf_sample_instance_without_a_clip_is_its_pose(void **state)
{
    (void)state;
    json_t *const hero =
        expect_json(run("sample", "hero.trp", "--instance", "Hero", "--json", NULL), "sample");
    const json_t *const sample = json_array_get(json_object_get(hero, "samples"), 0);
    assert_true(json_is_null(json_object_get(sample, "clip")));
    assert_string_equal(string_of(sample, "instance"), "Hero");
    const json_t *const head = joint_with_id(hero, "id-head");
    assert_string_equal(string_of(head, "name"), "head");
    assert_numbers(head, "translation", posed_head.translation, 3);
    assert_numbers(head, "rotation", posed_head.rotation, 4);
    assert_numbers(head, "scale", posed_head.scale, 3);
    json_decref(hero);
    json_t *const model = expect_json(run("sample", "hero.trp", "--instance", "Hero", "--space",
                                          "model", "--joint", "head", "--json", NULL),
                                      "sample");
    double matrix[12];
    numbers_of(joint_with_id(model, "id-head"), "model", matrix, 12);
    assert_float_equal(matrix[7], 2.0, 1e-6);  // 1 + 0.5 + 0.5
    assert_float_equal(matrix[2], 0.96, 1e-6); // 2 * 0.6 * 0.8
    assert_float_equal(matrix[5], 2.0, 1e-6);  // the scale
    json_decref(model);
    struct outcome text = run("sample", "hero.trp", "--instance", "Hero", NULL);
    expect_success(&text);
    assert_non_null(strstr(text.out, "Hero as its file poses it"));
    assert_non_null(strstr(text.out, "id-head"));
    discard(&text);
}

static void test_cli_stf_sample_clip_plays_over_the_instance(void **state)
{
    (void)state;
    static const double rest[4] = {0, 0, 0, 1};
    for (int is_posed = 0; is_posed <= 1; is_posed++) {
        struct outcome outcome =
            is_posed ? run("sample", "hero.trp", "--clip", "Wave", "--instance", "Hero", "--time",
                           "0.5", "--json", NULL)
                     : run("sample", "hero.trp", "--clip", "Wave", "--time", "0.5", "--json", NULL);
        json_t *const object = expect_json(outcome, "sample");
        assert_numbers(joint_with_id(object, "id-chest"), "translation",
                       (const double[]){0, 1.0, 0}, 3);
        assert_numbers(joint_with_id(object, "id-head"), "rotation",
                       is_posed ? posed_head.rotation : rest, 4);
        json_decref(object);
    }
}

/// Both instances have the same armature, so that clips of one play on the other.
static void test_cli_stf_sample_clip_plays_on_another_instance(void **state)
{
    (void)state;
    static const double rest[4] = {0, 0, 0, 1};
    json_t *const object = expect_json(run("sample", "hero.trp", "--clip", "Wave", "--instance",
                                           "Rival", "--time", "1", "--json", NULL),
                                       "sample");
    assert_numbers(joint_with_id(object, "id-chest"), "translation", (const double[]){0, 1.5, 0},
                   3);
    assert_numbers(joint_with_id(object, "id-head"), "rotation", rest, 4);
    json_decref(object);
}

static void test_cli_stf_sample_additive_clip_lies_on_the_instance(void **state)
{
    (void)state;
    struct outcome outcome =
        run("compile", "--quiet", "--additive", "rest", "hero.stf", "-o", "additive.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const object =
        expect_json(run("sample", "additive.trp", "--clip", "Wave", "--instance", "Hero", "--time",
                        "1", "--space", "model", "--json", NULL),
                    "sample");
    double matrix[12];
    numbers_of(joint_with_id(object, "id-head"), "model", matrix, 12);
    assert_float_equal(matrix[7], 3.0, 1e-5); // 1 + 1.5 + the posed 0.5
    assert_float_equal(matrix[2], 0.96, 1e-5);
    json_decref(object);
}

static void test_cli_stf_sample_clip_of_values_leaves_the_instance_as_it_stands(void **state)
{
    (void)state;
    struct stf_builder builder;
    stf_builder_start(&builder, (struct stf_layout){0});
    add_rig(&builder);
    add_hero(&builder, "hero", "Hero", "i-hero");
    stf_builder_pose(&builder, "i-hero", "id-head", &posed_head);
    add_face(&builder);
    const struct stf_key keys[] = {{.frame = 0, .value = 0.25, .type = STF_KEY_LINEAR},
                                   {.frame = 10, .value = 0.75, .type = STF_KEY_LINEAR}};
    const struct stf_track track = {
        .target = {"face", "instance", "blendshape", "Key 2", "value"},
        .subtracks = {{.keys = keys, .key_count = 2}},
        .subtrack_count = 1,
    };
    stf_builder_animation(&builder, &(struct stf_animation){.id = "id-smile",
                                                            .name = "Smile",
                                                            .fps = 10,
                                                            .range = {0, 10},
                                                            .tracks = &track,
                                                            .track_count = 1});
    write_file(&builder, "smile.stf");
    struct outcome outcome = run("compile", "--quiet", "smile.stf", "-o", "smile.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const object = expect_json(run("sample", "smile.trp", "--clip", "Smile", "--instance",
                                           "Hero", "--time", "0.5", "--json", NULL),
                                       "sample");
    assert_numbers(joint_with_id(object, "id-head"), "rotation", posed_head.rotation, 4);
    const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    const json_t *const property = json_array_get(json_object_get(sample, "properties"), 0);
    assert_numbers(property, "values", (const double[]){0.5}, 1);
    json_decref(object);
}

static void test_cli_stf_sample_finds_a_blendshape_by_its_name(void **state)
{
    (void)state;
    json_t *const object = expect_json(run("sample", "hero.trp", "--clip", "Walk", "--time", "1",
                                           "--property", "Key 1", "--json", NULL),
                                       "sample");
    const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    const json_t *const properties = json_object_get(sample, "properties");
    assert_int_equal(json_array_size(json_object_get(sample, "joints")), 0);
    assert_int_equal(json_array_size(properties), 1);
    assert_string_equal(string_of(json_array_get(properties, 0), "path"),
                        "/face/instance/blendshape/Key 1/value");
    assert_numbers(json_array_get(properties, 0), "values", (const double[]){1}, 1);
    json_decref(object);
    expect_refusal(run("sample", "hero.trp", "--clip", "Walk", "--property", "Key 11", NULL), 3,
                   "'Key 1'");
}

/// Returns how many joints a sample shows.
static size_t joint_count_of(struct outcome outcome)
{
    json_t *const object = expect_json(outcome, "sample");
    const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    const size_t count = json_array_size(json_object_get(sample, "joints"));
    json_decref(object);
    return count;
}

/// Both instances are on one skeleton, with joints of the same names and ids.
static void test_cli_stf_sample_shows_the_bones_of_the_instance_alone(void **state)
{
    (void)state;
    struct stf_builder builder;
    stf_builder_start(&builder, (struct stf_layout){0});
    add_rig(&builder);
    add_hero(&builder, "hero", "Hero", "i-hero");
    stf_builder_pose(&builder, "i-hero", "id-head", &posed_head);
    stf_builder_node(&builder, "rival", "Rival", "hero", &stf_identity);
    stf_builder_armature_instance(&builder, "i-rival", "rival", "rig");
    add_face(&builder);
    add_clip(&builder, "id-wave", "Wave", "none", 1.5);
    write_file(&builder, "pair.stf");
    struct outcome outcome =
        run("compile", "--quiet", "--nodes", "all", "pair.stf", "-o", "pair.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    assert_int_equal(joint_count_of(run("sample", "pair.trp", "--clip", "Wave", "--joint",
                                        "id-head", "--json", NULL)),
                     2);
    for (int is_posed = 0; is_posed <= 1; is_posed++) {
        static const double rest[4] = {0, 0, 0, 1};
        const char *const name = is_posed ? "Hero" : "Rival";
        json_t *const object =
            expect_json(run("sample", "pair.trp", "--instance", name, "--json", NULL), "sample");
        const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
        assert_int_equal(json_array_size(json_object_get(sample, "joints")), 3);
        assert_numbers(joint_with_id(object, "id-head"), "rotation",
                       is_posed ? posed_head.rotation : rest, 4);
        json_decref(object);
        assert_int_equal(joint_count_of(run("sample", "pair.trp", "--instance", name, "--joint",
                                            "id-head", "--json", NULL)),
                         1);
    }
    expect_refusal(run("sample", "pair.trp", "--instance", "Rival", "--joint", "Face", NULL), 3,
                   "'Face'");
}

static void test_cli_stf_sample_refuses_what_is_not_there(void **state)
{
    (void)state;
    expect_refusal(run("sample", "hero.trp", "--instance", "Heroe", NULL), 3, "nearest: 'Hero'");
    expect_refusal(run("sample", "hero.trp", "--instance", "Hero", "--time", "1", NULL), 1,
                   "--time is of a clip");
    expect_refusal(run("sample", "hero.trp", NULL), 1, "--instance");
}

// ---- play and events ----

/// Returns the last line of a run, as JSON.
static json_t *last_frame(struct outcome outcome)
{
    expect_success(&outcome);
    char *line = outcome.out;
    for (char *at = outcome.out; *at != '\0'; at++) {
        line = *at == '\n' && at[1] != '\0' ? at + 1 : line;
    }
    json_t *const object = json_loads(line, 0, NULL);
    assert_non_null(object);
    discard(&outcome);
    return object;
}

static void test_cli_stf_play_follows_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *clip;
        double time_s; // after a second and a quarter
    } cases[] = {{"Walk", 0.25}, {"Idle", 0.75}, {"Wave", 1}};
    for (int i = 0; i < 3; i++) {
        json_t *const frame = last_frame(run("play", "hero.trp", "--clip", cases[i].clip, "--fps",
                                             "4", "--frames", "5", "--json", NULL));
        const json_t *const clip = json_array_get(json_object_get(frame, "clips"), 0);
        assert_float_equal(number_of(clip, "time_s"), cases[i].time_s, 1e-9);
        json_decref(frame);
    }
    json_t *const frame = last_frame(run("play", "hero.trp", "--clip", "Wave", "--loop", "loop",
                                         "--fps", "4", "--frames", "5", "--json", NULL));
    const json_t *const clip = json_array_get(json_object_get(frame, "clips"), 0);
    assert_float_equal(number_of(clip, "time_s"), 0.25, 1e-9);
    json_decref(frame);
}

static void test_cli_stf_events_follow_the_file(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"Walk", "loop"}, {"Idle", "pingpong"}, {"Wave", "clamp"}};
    for (int i = 0; i < 3; i++) {
        json_t *object = expect_json(run("events", "hero.trp", "--clip", cases[i][0], "--from", "0",
                                         "--to", "2", "--json", NULL),
                                     "events");
        assert_string_equal(string_of(object, "loop"), cases[i][1]);
        json_decref(object);
        object = expect_json(run("events", "hero.trp", "--clip", cases[i][0], "--from", "0", "--to",
                                 "2", "--loop", "clamp", "--json", NULL),
                             "events");
        assert_string_equal(string_of(object, "loop"), "clamp");
        json_decref(object);
    }
}

static int setup(void **state)
{
    (void)state;
    if (cli_program_setup() != 0) {
        return 1;
    }
    write_sources();
    struct outcome outcome = run("compile", "--quiet", "hero.stf", "-o", "hero.trp", NULL);
    fputs(outcome.err, stderr);
    const int exit_code = outcome.exit_code;
    discard(&outcome);
    return exit_code;
}

static int teardown(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_stf_info_shows_instances_with_their_poses),
        cmocka_unit_test(test_cli_stf_info_shows_components_as_json),
        cmocka_unit_test(test_cli_stf_info_shows_humanoids_in_radians),
        cmocka_unit_test(test_cli_stf_info_shows_how_files_play_clips_and_blend_trees),
        cmocka_unit_test(test_cli_stf_loop_option_leaves_what_the_file_says),
        cmocka_unit_test(test_cli_stf_compile_is_the_same_for_any_jobs),
        cmocka_unit_test(test_cli_stf_file_without_animation_gives_its_instances),
        cmocka_unit_test(test_cli_stf_unit_is_that_of_the_file),
        cmocka_unit_test(test_cli_stf_verify_reads_sources_as_compile_did),
        cmocka_unit_test(test_cli_stf_sample_instance_without_a_clip_is_its_pose),
        cmocka_unit_test(test_cli_stf_sample_clip_plays_over_the_instance),
        cmocka_unit_test(test_cli_stf_sample_clip_plays_on_another_instance),
        cmocka_unit_test(test_cli_stf_sample_additive_clip_lies_on_the_instance),
        cmocka_unit_test(test_cli_stf_sample_clip_of_values_leaves_the_instance_as_it_stands),
        cmocka_unit_test(test_cli_stf_sample_finds_a_blendshape_by_its_name),
        cmocka_unit_test(test_cli_stf_sample_shows_the_bones_of_the_instance_alone),
        cmocka_unit_test(test_cli_stf_sample_refuses_what_is_not_there),
        cmocka_unit_test(test_cli_stf_play_follows_the_file),
        cmocka_unit_test(test_cli_stf_events_follow_the_file),
    };
    return cmocka_run_group_tests_name("cli_stf", tests, setup, teardown);
}
