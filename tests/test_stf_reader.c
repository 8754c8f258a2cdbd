// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The STF importer apart from curves: container, references, nodes, armatures, humanoids, blend
// trees, targets, and every way to refuse a file. Numbers in names are those of the conformance
// list that the importer is measured against.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/humanoid.h>
#include <troupe/instance.h>

#include "compiler.h"
#include "import.h"
#include "stf_builder.h"

static const double root_half = 0.70710678118654752;

/// What the last import said, line by line.
static char messages[65536];

/// Imports a copy of exactly this size, so that a read past the end is found.
static bool import_bytes(const void *bytes, size_t size_bytes, struct scene *scene,
                         struct report *report)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    memset(messages, 0, sizeof messages);
    FILE *const out = fmemopen(messages, sizeof messages, "w");
    *report = (struct report){.out = out};
    const bool ok = import_stf("folder/test.stf", copy, size_bytes, NULL, scene, report);
    fclose(out);
    report->out = NULL;
    free(copy);
    return ok;
}

static bool import_built(const struct stf_builder *builder, struct scene *scene,
                         struct report *report)
{
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(builder, &size_bytes);
    const bool ok = import_bytes(bytes, size_bytes, scene, report);
    free(bytes);
    return ok;
}

/// Imports what is built, which must work, and gives the builder back.
static void import_finish(struct stf_builder *builder, struct scene *scene)
{
    struct report report;
    if (!import_built(builder, scene, &report)) {
        fail_msg("%s", report.first_error);
    }
    assert_int_equal(report.error_count, 0);
    stf_builder_free(builder);
}

static void assert_said(const char *text)
{
    if (!strstr(messages, text)) {
        fail_msg("\"%s\" is not among the messages:\n%s", text, messages);
    }
}

static void assert_not_said(const char *text)
{
    if (strstr(messages, text)) {
        fail_msg("\"%s\" is among the messages:\n%s", text, messages);
    }
}

static uint32_t times_said(const char *text)
{
    uint32_t count = 0;
    for (const char *at = messages; (at = strstr(at, text)) != NULL; at++) {
        count++;
    }
    return count;
}

/// @param line  what follows "folder/test.stf: error: "
static void assert_bytes_refused(const void *bytes, size_t size_bytes, const char *line)
{
    struct scene scene;
    struct report report;
    if (import_bytes(bytes, size_bytes, &scene, &report)) {
        scene_free(&scene);
        fail_msg("imported, but expected: %s", line);
    }
    char expected[512];
    snprintf(expected, sizeof expected, "folder/test.stf: error: %s", line);
    assert_string_equal(report.first_error, expected);
    assert_int_equal(report.error_count, 1);
    const struct scene zero = {0};
    assert_memory_equal(&scene, &zero, sizeof zero);
}

/// Asserts that what is built is refused, and gives the builder back.
static void assert_refused(struct stf_builder *builder, const char *line)
{
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(builder, &size_bytes);
    assert_bytes_refused(bytes, size_bytes, line);
    free(bytes);
    stf_builder_free(builder);
}

static void assert_near(const double *values, const double *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs(values[i] - expected[i]) <= 1e-14)) {
            fail_msg("value %u is %.17g, not %.17g", i, values[i], expected[i]);
        }
    }
}

static const struct stf_layout new_layout = {0};
static const struct stf_layout old_layout = {.has_direct_ids = true, .has_key_frames = true};

/// A turned hip, a spine along it that is turned about another axis, and a second root.
static const struct stf_bone bones[] = {
    {"hip", "Hip", -1, {1, 2, 3}, {0, 0, 0.70710678118654752, 0.70710678118654752}, 2},
    {"spine", "Spine", 0, {1, 4, 3}, {0.70710678118654752, 0, 0, 0.70710678118654752}, 0.5},
    {"prop", "Prop", -1, {0, 0, 0}, {0, 0, 0, 1}, 0},
    {"head", "Head", 1, {1, 4, 5}, {0.70710678118654752, 0, 0, 0.70710678118654752}, 0.25},
};

/// Preorder: the head lies below the spine and so comes before the second root.
static const char *const bone_order[] = {"hip", "spine", "head", "prop"};

static struct stf_builder builder;

/// Builds a node "body" that carries the bones as the instance "puppet".
static void build_puppet(struct stf_layout layout)
{
    static const struct stf_trs place = {{0, 0, 7}, {0, 0, 0, 1}, {2, 2, 2}};
    stf_builder_start(&builder, layout);
    stf_builder_node(&builder, "body", "Body", "prefab", &place);
    stf_builder_armature(&builder, "armature", "Armature", bones, 4);
    stf_builder_armature_instance(&builder, "puppet", "body", "armature");
}

static const struct stf_key moved_keys[] = {
    {.frame = 0, .value = 1, .type = STF_KEY_LINEAR},
    {.frame = 24, .value = 3, .type = STF_KEY_LINEAR},
};

/// Adds an animation of a second with one track, whose components all go from 1 to 3.
static void build_animation(const char *id, const struct stf_track *track, const char *reset)
{
    struct stf_track filled = *track;
    for (uint32_t i = 0; i < filled.subtrack_count; i++) {
        if (filled.subtracks[i].key_count == 0) {
            filled.subtracks[i] = (struct stf_subtrack){.keys = moved_keys, .key_count = 2};
        }
    }
    const struct stf_animation animation = {
        .id = id,
        .name = id,
        .fps = 24,
        .range = {0, 24},
        .reset = reset,
        .tracks = &filled,
        .track_count = 1,
    };
    stf_builder_animation(&builder, &animation);
}

static const struct scene_node *node_of(const struct scene *scene, const char *id)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (strcmp(scene->nodes[i].id, id) == 0) {
            return &scene->nodes[i];
        }
    }
    fail_msg("there is no node %s", id);
    return NULL;
}

/// Writes where a node lies in the scene.
static void world_of(const struct scene *scene, const struct scene_node *node, double world[12])
{
    const struct scene_transform local = scene_node_rest(node);
    scene_transform_matrix(&local, world);
    for (int32_t parent = node->parent; parent >= 0; parent = scene->nodes[parent].parent) {
        const struct scene_transform above = scene_node_rest(&scene->nodes[parent]);
        double matrix[12];
        double product[12];
        scene_transform_matrix(&above, matrix);
        scene_matrix_multiply(matrix, world, product);
        memcpy(world, product, sizeof product);
    }
}

// ---- 1: the container ----

static void test_stf_1_header_of_any_version_and_padding_is_read(void **state)
{
    (void)state;
    build_puppet(new_layout);
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(&builder, &size_bytes);
    memset(bytes + 4, 0xff, 8);
    struct scene scene;
    struct report report;
    assert_true(import_bytes(bytes, size_bytes, &scene, &report));
    assert_string_equal(scene.stem, "test");
    assert_int_equal(scene.node_count, 5);
    scene_free(&scene);
    free(bytes);
    stf_builder_free(&builder);
}

static void test_stf_1_every_shorter_file_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(&builder, &size_bytes);
    for (size_t size = 0; size < size_bytes; size++) {
        struct scene scene;
        struct report report;
        assert_false(import_bytes(bytes, size, &scene, &report));
        assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    }
    assert_bytes_refused(bytes, 0, "the header is cut off [stf.header]");
    assert_bytes_refused(bytes, 15, "the header is cut off [stf.header]");
    assert_bytes_refused(bytes, 23, "the table of 1 buffers ends after the file [stf.header]");
    char line[128];
    snprintf(line, sizeof line,
             "buffer 0 of the file has %zu bytes, but only %zu are left [stf.buffer.range]",
             size_bytes - 24, size_bytes - 25);
    assert_bytes_refused(bytes, size_bytes - 1, line);
    free(bytes);
    stf_builder_free(&builder);
}

static void test_stf_1_longer_file_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(&builder, &size_bytes);
    unsigned char *const longer = calloc(size_bytes + 3, 1);
    memcpy(longer, bytes, size_bytes);
    assert_bytes_refused(longer, size_bytes + 3,
                         "3 bytes follow after the last buffer [stf.length]");
    free(longer);
    free(bytes);
    stf_builder_free(&builder);
}

static void test_stf_1_hostile_header_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[40] = "STF0";
    assert_bytes_refused(bytes, sizeof bytes,
                         "there is no buffer, but the first must be JSON [stf.header]");
    memset(bytes + 12, 0xff, 4);
    assert_bytes_refused(bytes, sizeof bytes,
                         "the table of 4294967295 buffers ends after the file [stf.header]");
    memset(bytes + 12, 0, 4);
    bytes[12] = 2;
    memset(bytes + 16, 0xff, 8);
    assert_bytes_refused(bytes, sizeof bytes,
                         "buffer 0 of the file has 18446744073709551615 bytes, but only 8 are left "
                         "[stf.buffer.range]");
    memset(bytes + 16, 0, 8);
    bytes[16] = 8;
    memset(bytes + 24, 0xff, 8); // 8 + (2^64 - 8) = 0 in 64 bits
    bytes[24] = 0xf8;
    assert_bytes_refused(bytes, sizeof bytes,
                         "buffer 1 of the file has 18446744073709551608 bytes, but only 0 are left "
                         "[stf.buffer.range]");
    bytes[3] = '1';
    assert_bytes_refused(bytes, sizeof bytes, "does not begin with STF0 [stf.header]");
}

static void test_stf_1_json_must_be_strict_and_whole(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *line;
    } cases[] = {
        {"{} {}", "line 1, column 4: end of file expected near '{' [json.syntax]"},
        {"[]", "must be an object [json.type]"},
        {"{}", "resources: must be an object [json.type]"},
        {"{\"resources\":{}}", "stf: must be an object [json.type]"},
        {"{\"resources\":{},\"stf\":{}}", "stf: \"root\" is missing [json.missing]"},
        {"{\"resources\":{},\"stf\":{\"root\":1}}", "stf.root: must be a string [json.type]"},
        {"{\"resources\":{},\"stf\":{\"root\":\"a\"}}",
         "stf.root: there is no resource a [stf.reference]"},
        {"{\"resources\":{\"a\":1},\"stf\":{\"root\":\"a\"}}",
         "resources.a: must be an object [json.type]"},
        {"{\"resources\":{\"a\":{\"type\":\"stf.node\"}},\"stf\":{\"root\":\"a\"}}",
         "stf.root: must be a stf.prefab, but a is a stf.node [stf.type]"},
        {"{\"resources\":{\"a\":{\"type\":\"x\"}},\"stf\":{\"root\":\"a\"}}",
         "stf.root: must be a stf.prefab [stf.type]"},
        {"{\"resources\":{},\"buffers\":[],\"stf\":{}}", "buffers: must be an object [json.type]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size_bytes;
        unsigned char *const bytes =
            stf_builder_container(cases[i].json, strlen(cases[i].json), NULL, NULL, 0, &size_bytes);
        assert_bytes_refused(bytes, size_bytes, cases[i].line);
        free(bytes);
    }
}

// ---- 2: buffers and references ----

/// A key whose type has no name, so that what is baked counts.
static const struct stf_key unnamed_keys[] = {
    {.frame = 0, .value = -1, .type = STF_KEY_UNNAMED},
    {.frame = 2, .value = -1, .type = STF_KEY_UNNAMED},
};

/// Builds a node that moves as three buffers say, after a buffer that nobody wants.
static json_t *build_baked(struct stf_layout layout)
{
    static const float baked[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    stf_builder_start(&builder, layout);
    stf_builder_node(&builder, "body", "Body", "prefab", &stf_identity);
    json_decref(stf_builder_buffer(&builder, stf_builder_find(&builder, "body"), "x", 1));
    struct stf_track track = {.target = {"body", "t"}, .subtrack_count = 3};
    for (int i = 0; i < 3; i++) {
        track.subtracks[i] = (struct stf_subtrack){
            .keys = unnamed_keys, .key_count = 2, .baked = baked[i], .baked_count = 3};
    }
    const struct stf_animation animation = {
        .id = "move",
        .name = "Move",
        .fps = 2,
        .range = {0, 2},
        .tracks = &track,
        .track_count = 1,
    };
    return stf_builder_animation(&builder, &animation);
}

static void test_stf_2_first_buffer_is_the_one_after_the_json(void **state)
{
    (void)state;
    const struct stf_layout layouts[] = {new_layout, old_layout};
    for (int i = 0; i < 2; i++) {
        build_baked(layouts[i]);
        struct scene scene;
        import_finish(&builder, &scene);
        assert_int_equal(scene.clip_count, 1);
        assert_int_equal(scene.clips[0].track_count, 1);
        for (int frame = 0; frame < 3; frame++) {
            double sample[3];
            scene_curve_sample(&scene.clips[0].tracks[0].curve, SCENE_TRANSLATION, frame * 0.5,
                               sample);
            const double expected[3] = {1 + frame, 4 + frame, 7 + frame};
            assert_near(sample, expected, 3);
        }
        scene_free(&scene);
    }
}

/// Asserts that the track of build_baked, whose keys do not say how they go, is left out.
static void assert_track_left_out(const char *why)
{
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.clips[0].track_count, 0);
    assert_said(why);
    assert_said("keys alone do not say how this goes; the track is left out");
    scene_free(&scene);
}

static void test_stf_2_buffer_past_the_end_is_not_used(void **state)
{
    (void)state;
    json_t *animation = build_baked(new_layout);
    json_t *const list = json_object_get(animation, "referenced_buffers");
    const char *const id = json_string_value(json_array_get(list, 0));
    json_object_set_new(json_object_get(builder.buffers, id), "index", json_integer(4));
    char line[128];
    snprintf(line, sizeof line,
             "buffers.%s.index: is 4, but there are 4 buffers after the JSON; keys are used alone",
             id);
    assert_track_left_out(line);

    animation = build_baked(new_layout);
    json_array_remove(json_object_get(animation, "referenced_buffers"), 2);
    assert_track_left_out("resources.move.tracks[0].subtracks[2].baked: is 2, but "
                          "referenced_buffers has 2 ids; keys are used alone [stf.reference]");

    build_baked(old_layout);
    json_object_clear(builder.buffers);
    assert_track_left_out("resources.move.tracks[0].subtracks[0].baked: there is no buffer "
                          "buffer-1; keys are used alone [stf.reference]");
}

static void test_stf_2_reference_past_the_end_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_integer(1));
    assert_refused(&builder, "resources.body.instance: is 1, but referenced_resources has 1 ids "
                             "[stf.reference]");
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_integer(-1));
    assert_refused(&builder, "resources.body.instance: is -1, but referenced_resources has 1 ids "
                             "[stf.reference]");
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_real(0.5));
    assert_refused(&builder, "resources.body.instance: is 0.5, but referenced_resources has 1 ids "
                             "[stf.reference]");
    build_puppet(old_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_true());
    assert_refused(&builder, "resources.body.instance: must be an index or an id [json.type]");
}

static void test_stf_2_endless_id_is_refused(void **state)
{
    (void)state;
    static char id[1026];
    memset(id, 'x', 1025);
    const struct stf_layout layouts[] = {new_layout, old_layout};
    for (int i = 0; i < 2; i++) {
        build_puppet(layouts[i]);
        stf_builder_add(&builder, id, "stf.armature", "");
        json_t *const puppet = stf_builder_find(&builder, "puppet");
        json_object_set_new(puppet, "armature", stf_builder_reference(&builder, puppet, id));
        assert_refused(&builder, "resources.puppet.armature: ids of more than 1024 bytes are not "
                                 "supported [stf.reference]");
    }
}

static void test_stf_2_index_may_be_written_as_a_real(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_real(0));
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.instance_count, 1);
    scene_free(&scene);
}

/// Everything that refers to anything.
static void build_everything(struct stf_layout layout)
{
    static const char *const palette[] = {"head", "hip"};
    static const struct stf_blendshape blendshapes[] = {{"Key 1", 0.25}, {"Key 2", 0}};
    static const struct stf_trs posed = {{1, 0, 0}, {0, 0, 0, 1}, {1, 2, 3}};
    build_puppet(layout);
    stf_builder_pose(&builder, "puppet", "spine", &posed);
    stf_builder_component(&builder, "spine", "twist", "stfexp.constraint.twist");
    stf_builder_added_component(&builder, "puppet", "spine", "hair", "ava.collider");
    stf_builder_modified_component(&builder, "puppet", "spine", "twist",
                                   json_pack("{s:f}", "weight", 0.25));
    stf_builder_humanoid(&builder, "armature", "human", "planti");
    stf_builder_part(&builder, "human", "head", "head", NULL);
    stf_builder_node(&builder, "hat", "Hat", "body", &stf_identity);
    stf_builder_bind(&builder, "hat", "body", "head");
    stf_builder_mesh(&builder, "mesh", "Mesh", blendshapes, 2);
    stf_builder_skin(&builder, "mesh", "armature", palette, 2);
    stf_builder_mesh_instance(&builder, "skin", "hat", "mesh", "body");
    const struct stf_track shape = {.target = {"hat", "instance", "blendshape", "Key 1", "value"},
                                    .subtrack_count = 1};
    build_animation("smile", &shape, NULL);
    const struct stf_track nod = {.target = {"body", "instance", "head", "t"}, .subtrack_count = 3};
    build_animation("nod", &nod, "smile");
    stf_builder_blendtree(&builder, "tree", "Tree", 2);
    stf_builder_place(&builder, "tree", "nod", 1, 2);
    stf_builder_place(&builder, "tree", "smile", -1, 0);
}

static void assert_curves_equal(const struct scene_curve *a, const struct scene_curve *b)
{
    const size_t total = (size_t)a->key_count * a->stride;
    assert_int_equal(a->key_count, b->key_count);
    assert_int_equal(a->stride, b->stride);
    assert_memory_equal(a->times, b->times, a->key_count * sizeof *a->times);
    assert_memory_equal(a->values, b->values, total * sizeof *a->values);
    assert_memory_equal(a->interpolations, b->interpolations, a->key_count - 1);
}

static void assert_clips_equal(const struct scene *a, const struct scene *b)
{
    assert_int_equal(a->clip_count, b->clip_count);
    for (uint32_t i = 0; i < a->clip_count; i++) {
        assert_string_equal(a->clips[i].name, b->clips[i].name);
        assert_string_equal(a->clips[i].id, b->clips[i].id);
        assert_int_equal(a->clips[i].track_count, b->clips[i].track_count);
        for (uint32_t track = 0; track < a->clips[i].track_count; track++) {
            assert_curves_equal(&a->clips[i].tracks[track].curve, &b->clips[i].tracks[track].curve);
        }
    }
}

static void assert_instances_equal(const struct scene_instance *a, const struct scene_instance *b)
{
    assert_int_equal(a->bone_count, b->bone_count);
    assert_memory_equal(a->nodes, b->nodes, a->bone_count * sizeof *a->nodes);
    assert_memory_equal(a->pose, b->pose, a->bone_count * sizeof *a->pose);
    assert_memory_equal(a->lengths, b->lengths, a->bone_count * sizeof *a->lengths);
    assert_memory_equal(a->humanoid, b->humanoid, sizeof *a->humanoid);
    assert_int_equal(a->component_count, b->component_count);
    for (uint32_t i = 0; i < a->component_count; i++) {
        assert_int_equal(a->components[i].kind, b->components[i].kind);
        assert_int_equal(a->components[i].bone, b->components[i].bone);
        assert_string_equal(a->components[i].id, b->components[i].id);
        assert_string_equal(a->components[i].type, b->components[i].type);
        assert_string_equal(a->components[i].json, b->components[i].json);
    }
}

static void test_stf_2_both_kinds_of_reference_give_the_same_scene(void **state)
{
    (void)state;
    struct scene a;
    struct scene b;
    build_everything(new_layout);
    import_finish(&builder, &a);
    assert_string_equal(messages, "");
    build_everything((struct stf_layout){.has_direct_ids = true});
    import_finish(&builder, &b);
    assert_string_equal(messages, "");
    assert_int_equal(a.node_count, b.node_count);
    for (uint32_t i = 0; i < a.node_count; i++) {
        const struct scene_transform x = scene_node_rest(&a.nodes[i]);
        const struct scene_transform y = scene_node_rest(&b.nodes[i]);
        assert_memory_equal(&x, &y, sizeof x);
        assert_string_equal(a.nodes[i].id, b.nodes[i].id);
        assert_string_equal(a.nodes[i].name, b.nodes[i].name);
        assert_int_equal(a.nodes[i].parent, b.nodes[i].parent);
    }
    assert_int_equal(a.skin_count, 2);
    assert_int_equal(b.skin_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const size_t joints = a.skins[i].joint_count;
        assert_int_equal(joints, b.skins[i].joint_count);
        assert_memory_equal(a.skins[i].nodes, b.skins[i].nodes, joints * sizeof *a.skins->nodes);
    }
    assert_int_equal(a.instance_count, 1);
    assert_int_equal(b.instance_count, 1);
    assert_instances_equal(&a.instances[0], &b.instances[0]);
    assert_int_equal(a.property_count, 1);
    assert_int_equal(b.property_count, 1);
    assert_string_equal(a.properties[0].path, b.properties[0].path);
    assert_clips_equal(&a, &b);
    assert_int_equal(a.blendtree_count, 1);
    assert_int_equal(b.blendtree_count, 1);
    assert_memory_equal(a.blendtrees[0].clips, b.blendtrees[0].clips, 2 * sizeof(int32_t));
    scene_free(&a);
    scene_free(&b);
}

// ---- 3: versions ----

static void test_stf_3_both_ways_to_give_a_version_are_read(void **state)
{
    (void)state;
    struct scene scene;
    build_puppet(new_layout);
    import_finish(&builder, &scene);
    assert_not_said("stf.version");
    scene_free(&scene);
    build_puppet(old_layout);
    import_finish(&builder, &scene);
    assert_not_said("stf.version");
    scene_free(&scene);
    build_puppet(old_layout);
    json_object_del(builder.stf, "version_major");
    import_finish(&builder, &scene);
    assert_said("no version is given");
    scene_free(&scene);
    build_puppet(new_layout);
    json_object_set_new(builder.stf, "version", json_pack("[i, i]", 2, 7));
    import_finish(&builder, &scene);
    assert_said("version 2.7 is newer");
    scene_free(&scene);
    build_puppet(new_layout);
    json_object_set_new(builder.stf, "version", json_integer(1));
    assert_refused(&builder, "stf.version: must be an array of 2 numbers [json.type]");
}

// ---- 4: bones ----

static void test_stf_4_bones_become_local_to_their_parents(void **state)
{
    (void)state;
    build_puppet(new_layout);
    struct scene scene;
    import_finish(&builder, &scene);
    const struct scene_instance *const instance = &scene.instances[0];
    assert_int_equal(instance->bone_count, 4);
    assert_int_equal(instance->node, 0);
    assert_string_equal(instance->armature_name, "Armature");
    assert_string_equal(instance->armature_id, "armature");
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(scene.nodes[instance->nodes[i]].id, bone_order[i]);
    }
    const struct scene_node *const hip = node_of(&scene, "hip");
    assert_string_equal(hip->name, "Hip");
    assert_int_equal(hip->parent, 0);
    const double hip_place[3] = {1, 2, 3};
    const double hip_turn[4] = {0, 0, root_half, root_half};
    assert_near(hip->translation, hip_place, 3);
    assert_near(hip->rotation, hip_turn, 4);
    // The spine is 2 up; hip's own x axis points up. conj(z 90) * (x 90), by hand.
    const struct scene_node *const spine = node_of(&scene, "spine");
    assert_int_equal(spine->parent, hip - scene.nodes);
    const double spine_place[3] = {2, 0, 0};
    const double spine_turn[4] = {0.5, -0.5, -0.5, 0.5};
    const double one[3] = {1, 1, 1};
    assert_near(spine->translation, spine_place, 3);
    assert_near(spine->rotation, spine_turn, 4);
    assert_near(spine->scale, one, 3);
    const double lengths[4] = {2, 0.5, 0.25, 0};
    assert_near(instance->lengths, lengths, 4);
    assert_int_equal(node_of(&scene, "prop")->parent, 0);
    scene_free(&scene);
}

static void test_stf_4_inverse_bind_undoes_the_rest(void **state)
{
    (void)state;
    build_puppet(new_layout);
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.skin_count, 1);
    const struct scene_skin *const skin = &scene.skins[0];
    assert_string_equal(skin->name, "Armature");
    assert_int_equal(skin->joint_count, 4);
    double body[12];
    world_of(&scene, &scene.nodes[0], body);
    for (uint32_t i = 0; i < 4; i++) {
        double world[12];
        double product[12];
        assert_int_equal(skin->nodes[i], scene.instances[0].nodes[i]);
        world_of(&scene, &scene.nodes[skin->nodes[i]], world);
        scene_matrix_multiply(world, skin->inverse_bind[i], product);
        assert_near(product, body, 12);
    }
    scene_free(&scene);
}

static void test_stf_4_armature_twice_has_bones_twice(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_node(&builder, "other", "Other", "body", &stf_identity);
    stf_builder_armature_instance(&builder, "twin", "other", "armature");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.node_count, 10);
    assert_int_equal(scene.instance_count, 2);
    assert_int_equal(scene.skin_count, 2);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t first = scene.instances[0].nodes[i];
        const uint32_t second = scene.instances[1].nodes[i];
        assert_int_not_equal(first, second);
        assert_string_equal(scene.nodes[first].id, scene.nodes[second].id);
    }
    assert_int_equal(scene.nodes[scene.instances[1].nodes[0]].parent, 1);
    scene_free(&scene);
}

static void test_stf_4_mesh_with_other_order_has_its_own_palette(void **state)
{
    (void)state;
    static const char *const palette[] = {"head", "hip"};
    build_puppet(new_layout);
    stf_builder_node(&builder, "a", "A", "prefab", &stf_identity);
    stf_builder_mesh(&builder, "mesh", "Mesh", NULL, 0);
    stf_builder_skin(&builder, "mesh", "armature", palette, 2);
    stf_builder_mesh_instance(&builder, "instance", "a", "mesh", "body");
    stf_builder_node(&builder, "b", "B", "prefab", &stf_identity);
    stf_builder_mesh(&builder, "whole", "Whole", NULL, 0);
    stf_builder_skin(&builder, "whole", "armature", bone_order, 4);
    stf_builder_mesh_instance(&builder, "instance b", "b", "whole", "body");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.skin_count, 2);
    assert_string_equal(scene.skins[1].name, "Mesh");
    assert_int_equal(scene.skins[1].joint_count, 2);
    assert_ptr_equal(&scene.nodes[scene.skins[1].nodes[0]], node_of(&scene, "head"));
    assert_ptr_equal(&scene.nodes[scene.skins[1].nodes[1]], node_of(&scene, "hip"));
    assert_memory_equal(scene.skins[1].inverse_bind[1], scene.skins[0].inverse_bind[0],
                        sizeof *scene.skins[0].inverse_bind);
    scene_free(&scene);
}

static void test_stf_4_mesh_of_strange_bones_warns(void **state)
{
    (void)state;
    static const char *const palette[] = {"hip", "body"};
    build_puppet(new_layout);
    stf_builder_node(&builder, "a", "A", "prefab", &stf_identity);
    stf_builder_mesh(&builder, "mesh", "Mesh", NULL, 0);
    stf_builder_skin(&builder, "mesh", "armature", palette, 2);
    stf_builder_mesh_instance(&builder, "instance", "a", "mesh", "body");
    stf_builder_node(&builder, "b", "B", "prefab", &stf_identity);
    stf_builder_mesh_instance(&builder, "instance b", "b", "mesh", "a");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.skin_count, 1);
    assert_said("resources.mesh.bones[1]: body is no bone of the armature");
    assert_said("a carries no armature in the scene");
    scene_free(&scene);
}

static void test_stf_4_bone_without_length_or_too_far_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_object_del(stf_builder_find(&builder, "hip"), "length");
    assert_refused(&builder, "resources.hip: \"length\" is missing [json.missing]");
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "hip"), "length", json_real(-1));
    assert_refused(&builder, "resources.hip: a length of -1 is negative [stf.range]");
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "hip"), "translation",
                        json_pack("[f, f, f]", 0.0, 1e300, 0.0));
    assert_refused(&builder, "resources.hip: 1e+300 is too large to place anything [stf.range]");
}

static void test_stf_4_armature_without_bones_is_skipped(void **state)
{
    (void)state;
    stf_builder_start(&builder, new_layout);
    stf_builder_node(&builder, "body", "Body", "prefab", &stf_identity);
    stf_builder_armature(&builder, "armature", "Armature", NULL, 0);
    stf_builder_armature_instance(&builder, "puppet", "body", "armature");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.instance_count, 0);
    assert_int_equal(scene.skin_count, 0);
    assert_said("has no bone; skipped");
    scene_free(&scene);
}

static void test_stf_4_many_instances_of_a_large_armature_are_refused(void **state)
{
    (void)state;
    static struct stf_bone many[600];
    static char ids[600][32];
    stf_builder_start(&builder, new_layout);
    for (int i = 0; i < 600; i++) {
        snprintf(ids[i], sizeof ids[i], "bone %d", i);
        many[i] = (struct stf_bone){ids[i], "", -1, {0, 0, 0}, {0, 0, 0, 1}, 0};
    }
    stf_builder_armature(&builder, "armature", "Armature", many, 600);
    for (int i = 0; i < 600; i++) {
        char node[32];
        char instance[32];
        snprintf(node, sizeof node, "node %d", i);
        snprintf(instance, sizeof instance, "puppet %d", i);
        stf_builder_node(&builder, node, "", "prefab", &stf_identity);
        stf_builder_armature_instance(&builder, instance, node, "armature");
    }
    assert_refused(&builder, "resources.prefab: decoding would take far more memory than the file "
                             "is large [stf.limit]");
}

// ---- 5: instances ----

static void test_stf_5_pose_replaces_the_rest_where_it_is_given(void **state)
{
    (void)state;
    static const struct stf_trs posed = {{5, 6, 7}, {0, 1.2, 0, 1.6}, {1, 2, 3}};
    build_puppet(new_layout);
    stf_builder_pose(&builder, "puppet", "spine", &posed);
    stf_builder_pose(&builder, "puppet", "tail", &posed);
    stf_builder_pose(&builder, "puppet", "body", &posed);
    struct scene scene;
    import_finish(&builder, &scene);
    const struct scene_instance *const instance = &scene.instances[0];
    const double turn[4] = {0, 0.6, 0, 0.8};
    assert_near(instance->pose[1].translation, posed.translation, 3);
    assert_near(instance->pose[1].rotation, turn, 4);
    assert_near(instance->pose[1].scale, posed.scale, 3);
    for (uint32_t i = 0; i < 4; i++) {
        const struct scene_transform rest = scene_node_rest(&scene.nodes[instance->nodes[i]]);
        if (i != 1) {
            assert_memory_equal(&instance->pose[i], &rest, sizeof rest);
        } else {
            assert_memory_not_equal(&instance->pose[i], &rest, sizeof rest);
        }
    }
    assert_said("resources.puppet.pose.tail: is no bone of the armature");
    assert_said("resources.puppet.pose.body: is no bone of the armature");
    assert_int_equal(times_said("is no bone"), 2);
    assert_int_equal(times_said("is not of unit length but 2"), 1);
    scene_free(&scene);
}

static void test_stf_5_pose_of_wrong_shape_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_pose(&builder, "puppet", "hip", &stf_identity);
    json_array_remove(
        json_object_get(json_object_get(stf_builder_find(&builder, "puppet"), "pose"), "hip"), 2);
    assert_refused(&builder, "resources.puppet.pose.hip: must be an array of translation, rotation "
                             "and scale [json.type]");
    build_puppet(new_layout);
    stf_builder_pose(&builder, "puppet", "hip", &stf_identity);
    json_array_set_new(
        json_object_get(json_object_get(stf_builder_find(&builder, "puppet"), "pose"), "hip"), 1,
        json_pack("[i, i, i]", 0, 0, 1));
    assert_refused(&builder, "resources.puppet.pose.hip[1]: must be an array of 4 numbers "
                             "[json.type]");
}

static void test_stf_5_components_are_kept_by_bone(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_added_component(&builder, "puppet", "head", "hair", "ava.collider");
    stf_builder_component(&builder, "head", "twist", "stfexp.constraint.twist");
    stf_builder_component(&builder, "hip", "ik", "stfexp.constraint.ik");
    stf_builder_modified_component(&builder, "puppet", "head", "twist",
                                   json_pack("{s:f, s:[i]}", "weight", 0.25, "axes", 1));
    stf_builder_modified_component(&builder, "puppet", "spine", "nowhere", json_object());
    stf_builder_modified_component(&builder, "puppet", "tail", "nowhere", json_object());
    struct scene scene;
    import_finish(&builder, &scene);
    static const struct {
        uint32_t kind;
        uint32_t bone;
        const char *id;
        const char *type;
        const char *json;
    } expected[] = {
        {TRP_COMPONENT_ARMATURE, 0, "ik", "stfexp.constraint.ik",
         "{\"type\":\"stfexp.constraint.ik\",\"name\":\"\"}"},
        {TRP_COMPONENT_MODIFIED, 1, "nowhere", "", "{}"},
        {TRP_COMPONENT_ARMATURE, 2, "twist", "stfexp.constraint.twist",
         "{\"type\":\"stfexp.constraint.twist\",\"name\":\"\"}"},
        {TRP_COMPONENT_ADDED, 2, "hair", "ava.collider",
         "{\"type\":\"ava.collider\",\"name\":\"\"}"},
        {TRP_COMPONENT_MODIFIED, 2, "twist", "stfexp.constraint.twist",
         "{\"weight\":0.25,\"axes\":[1]}"},
    };
    const struct scene_instance *const instance = &scene.instances[0];
    assert_int_equal(instance->component_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(instance->components[i].kind, expected[i].kind);
        assert_int_equal(instance->components[i].bone, expected[i].bone);
        assert_string_equal(instance->components[i].id, expected[i].id);
        assert_string_equal(instance->components[i].type, expected[i].type);
        assert_string_equal(instance->components[i].json, expected[i].json);
    }
    assert_said("resources.puppet.modified_components.tail: is no bone of the armature");
    assert_int_equal(times_said("warning"), 2); // and that nothing moves
    scene_free(&scene);
}

static void test_stf_5_components_that_are_not_there_are_left_out(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_added_component(&builder, "puppet", "head", "hair", "ava.collider");
    json_t *const added = json_object_get(
        json_object_get(stf_builder_find(&builder, "puppet"), "added_components"), "head");
    json_array_insert_new(added, 0, json_string("nowhere"));
    json_object_set_new(stf_builder_find(&builder, "armature"), "components",
                        json_pack("[s]", "nobody"));
    json_object_set_new(stf_builder_find(&builder, "hip"), "components", json_pack("[s]", "none"));
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.instances[0].component_count, 1);
    assert_string_equal(scene.instances[0].components[0].id, "hair");
    assert_int_equal(times_said("there is no resource nowhere; the component is left out"), 1);
    assert_int_equal(times_said("there is no resource nobody; the component is left out"), 1);
    assert_int_equal(times_said("there is no resource none; the component is left out"), 1);
    scene_free(&scene);
}

static void test_stf_5_numbers_of_components_stay_short(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0.3, "0.3"},
        {-0.1, "-0.1"},
        {5, "5.0"},
        {1e22, "1e22"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {2.5e-7, "2.5e-07"},
        {1e300, "1e+300"},
        {123456.75, "123456.75"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        build_puppet(new_layout);
        json_t *const hair =
            stf_builder_added_component(&builder, "puppet", "head", "hair", "ava.collider");
        json_object_set_new(hair, "name", json_string("0.29999999999999999 \"0.25000000000000001"));
        json_object_set_new(hair, "x", json_pack("[f, b]", cases[i].number, 1));
        struct scene scene;
        import_finish(&builder, &scene);
        char expected[256];
        snprintf(expected, sizeof expected,
                 "{\"type\":\"ava.collider\",\"name\":\"0.29999999999999999 \\\"0.25000000000000001"
                 "\",\"x\":[%s,true]}",
                 cases[i].text);
        assert_string_equal(scene.instances[0].components[0].json, expected);
        scene_free(&scene);
    }
}

static void test_stf_5_instance_on_two_nodes_is_told(void **state)
{
    (void)state;
    build_puppet(old_layout);
    json_object_set_new(stf_builder_node(&builder, "other", "Other", "prefab", &stf_identity),
                        "instance", json_string("puppet"));
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.instance_count, 2);
    assert_int_equal(times_said("resources.other.instance: body carries puppet already"), 1);
    scene_free(&scene);
}

static void test_stf_3_unit_is_what_the_file_says(void **state)
{
    (void)state;
    static const struct {
        double multiplier;
        double metres_per_unit;
    } cases[] = {{100, 0.01}, {1, 1}, {0.5, 2}, {0, 0}, {-1, 0}, {1e10, 0}};
    struct scene scene;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        build_puppet(new_layout);
        json_object_set_new(builder.stf, "metric_multiplier", json_real(cases[i].multiplier));
        import_finish(&builder, &scene);
        assert_true(scene.metres_per_unit == cases[i].metres_per_unit);
        assert_int_equal(times_said("taken for 1 [stf.unit]"), cases[i].metres_per_unit == 0);
        scene_free(&scene);
    }
    build_puppet(new_layout);
    import_finish(&builder, &scene);
    assert_true(scene.metres_per_unit == 0);
    scene_free(&scene);
}

static void test_stf_22_fallback_that_is_not_there_is_none(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "puppet"), "type", json_string("my.instance"));
    json_object_set_new(stf_builder_find(&builder, "puppet"), "fallback", json_string("nobody"));
    stf_builder_node(&builder, "other", "Other", "prefab", &stf_identity);
    json_object_set_new(
        stf_builder_find(&builder, "other"), "instance",
        stf_builder_reference(&builder, stf_builder_find(&builder, "other"), "puppet"));
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.instance_count, 0);
    assert_int_equal(times_said("there is no resource nobody; there is no fallback"), 1);
    scene_free(&scene);
}

// ---- 17: targets ----

static void test_stf_17_blendshapes_are_found_by_name(void **state)
{
    (void)state;
    static const struct stf_blendshape blendshapes[] = {
        {"Key 1", 0.25}, {"a/b~c.d \"e\"", 0.5}, {"Key 1", 0.75}, {"A", 1}};
    stf_builder_start(&builder, new_layout);
    stf_builder_node(&builder, "face", "Face", "prefab", &stf_identity);
    stf_builder_mesh(&builder, "mesh", "Mesh", blendshapes, 4);
    json_t *const instance = stf_builder_mesh_instance(&builder, "instance", "face", "mesh", NULL);
    json_object_set_new(instance, "blendshape_values", json_pack("[n, n, n, f]", 0.125));
    static const char *const names[] = {"Key 1", "a/b~c.d \"e\"", "A", "unknown"};
    for (int i = 0; i < 4; i++) {
        const struct stf_track track = {
            .target = {"face", "instance", "blendshape", names[i], "value"}, .subtrack_count = 1};
        build_animation(names[i], &track, NULL);
    }
    const struct stf_track again = {.target = {"face", "instance", "blendshape", "Key 1", "value"},
                                    .subtrack_count = 1};
    build_animation("again", &again, NULL);
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.property_count, 3);
    static const char *const paths[] = {"/face/instance/blendshape/Key 1/value",
                                        "/face/instance/blendshape/a~1b~0c.d \"e\"/value",
                                        "/face/instance/blendshape/A/value"};
    static const double defaults[] = {0.25, 0.5, 0.125};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(scene.properties[i].path, paths[i]);
        assert_string_equal(scene.properties[i].labels[0], names[i]);
        assert_int_equal(scene.properties[i].value_count, 1);
        assert_int_equal(scene.properties[i].type, SCENE_FLOAT);
        assert_int_equal(scene.properties[i].node, 0);
        assert_true(scene.properties[i].defaults[0] == defaults[i]);
    }
    assert_said("the mesh has no blendshape of that name; the track is skipped [stf.target]");
    assert_said("blendshapes: several are named \"Key 1\"; the first is taken [stf.blendshape]");
    assert_int_equal(times_said("several are named"), 1);
    assert_int_equal(scene.clip_count, 5);
    assert_int_equal(scene.clips[3].track_count, 0);
    assert_int_equal(scene.clips[4].tracks[0].property, 0);
    scene_free(&scene);
}

static void test_stf_17_values_that_are_not_the_meshs_leave_its_defaults(void **state)
{
    (void)state;
    static const struct stf_blendshape blendshapes[] = {{"Key 1", 0.25}};
    stf_builder_start(&builder, new_layout);
    stf_builder_node(&builder, "face", "Face", "prefab", &stf_identity);
    stf_builder_mesh(&builder, "mesh", "Mesh", blendshapes, 1);
    json_t *const instance = stf_builder_mesh_instance(&builder, "instance", "face", "mesh", NULL);
    json_object_set_new(instance, "blendshape_values", json_pack("[f, f]", 0.5, 0.75));
    const struct stf_track track = {.target = {"face", "instance", "blendshape", "Key 1", "value"},
                                    .subtrack_count = 1};
    build_animation("smile", &track, NULL);
    build_animation("again", &track, NULL);
    struct scene scene;
    import_finish(&builder, &scene);
    assert_true(scene.properties[0].defaults[0] == 0.25);
    assert_int_equal(times_said("has 2 values for the mesh's 1 blendshapes"), 1);
    scene_free(&scene);
}

/// Imports a scene where one thing is animated; gives the property it became, or null.
static const struct scene_property *import_target(const char *const *target, uint32_t components,
                                                  struct scene *scene)
{
    build_puppet(new_layout);
    stf_builder_component(&builder, "head", "twist", "stfexp.constraint.twist");
    json_object_set_new(stf_builder_find(&builder, "twist"), "axes",
                        json_pack("[f, f]", 0.25, 0.75));
    stf_builder_modified_component(&builder, "puppet", "head", "twist",
                                   json_pack("{s:f}", "weight", 0.375));
    stf_builder_node(&builder, "lamp", "Lamp", "prefab", &stf_identity);
    json_object_set_new(stf_builder_find(&builder, "lamp"), "enabled", json_false());
    json_t *const light = stf_builder_add(&builder, "light", "stfexp.light", "");
    json_object_set_new(light, "brightness", json_real(800));
    json_object_set_new(light, "color", json_pack("[f, f, f]", 0.1, 0.2, 0.3));
    json_t *const lamp = stf_builder_find(&builder, "lamp");
    json_object_set_new(lamp, "instance", stf_builder_reference(&builder, lamp, "light"));
    stf_builder_node(&builder, "face", "Face", "prefab", &stf_identity);
    json_t *const mesh = stf_builder_mesh(&builder, "mesh", "Mesh", NULL, 0);
    json_t *const material = stf_builder_add(&builder, "material", "stf.material", "");
    json_object_set_new(
        material, "properties",
        json_pack("{s:{s:[n, [f, f, f, f]]}}", "albedo.color", "values", 0.5, 0.25, 0.125, 1.0));
    json_object_set_new(mesh, "material_slots", json_array());
    json_array_append_new(json_object_get(mesh, "material_slots"),
                          stf_builder_reference(&builder, mesh, "material"));
    json_t *const instance = stf_builder_mesh_instance(&builder, "instance", "face", "mesh", NULL);
    json_object_set_new(instance, "materials", json_pack("[n]"));
    struct stf_track track = {.subtrack_count = components};
    for (int i = 0; i < STF_TARGET_COUNT && target[i]; i++) {
        track.target[i] = target[i];
    }
    build_animation("animation", &track, NULL);
    import_finish(&builder, scene);
    return scene->property_count > 0 ? &scene->properties[0] : NULL;
}

static void test_stf_17_everything_else_is_a_property(void **state)
{
    (void)state;
    static const struct {
        const char *target[STF_TARGET_COUNT];
        const char *path;
        uint32_t components;
        enum scene_property_type type;
        const char *node;
        double defaults[4];
    } cases[] = {
        {{"lamp", "enabled"}, "/lamp/enabled", 1, SCENE_BOOL, "lamp", {0}},
        {{"body", "enabled"}, "/body/enabled", 1, SCENE_BOOL, "body", {1}},
        {{"lamp", "instance", "enabled"}, "/lamp/instance/enabled", 1, SCENE_BOOL, "lamp", {1}},
        {{"lamp", "instance", "brightness"},
         "/lamp/instance/brightness",
         1,
         SCENE_FLOAT,
         "lamp",
         {800}},
        {{"lamp", "instance", "color"},
         "/lamp/instance/color",
         3,
         SCENE_FLOAT,
         "lamp",
         {0.1, 0.2, 0.3}},
        {{"lamp", "instance", "range"}, "/lamp/instance/range", 1, SCENE_FLOAT, "lamp", {1}},
        {{"face", "instance", "material", "0", "albedo.color", "1", "color"},
         "/face/instance/material/0/albedo.color/1/color",
         4,
         SCENE_FLOAT,
         "face",
         {0.5, 0.25, 0.125, 1}},
        {{"face", "instance", "material", "7", "albedo.color", "1", "color"},
         "/face/instance/material/7/albedo.color/1/color",
         4,
         SCENE_FLOAT,
         "face",
         {1, 1, 1, 1}},
        {{"body", "instance", "head", "components", "twist", "axes"},
         "/body/instance/head/components/twist/axes",
         2,
         SCENE_FLOAT,
         "head",
         {0.25, 0.75}},
        {{"body", "instance", "head", "components", "twist", "axes", "1"},
         "/body/instance/head/components/twist/axes/1",
         1,
         SCENE_FLOAT,
         "head",
         {0.75}},
        {{"body", "instance", "head", "component_mods", "twist", "weight"},
         "/body/instance/head/component_mods/twist/weight",
         1,
         SCENE_FLOAT,
         "head",
         {0.375}},
        {{"body", "instance", "head", "enabled"},
         "/body/instance/head/enabled",
         1,
         SCENE_BOOL,
         "head",
         {1}},
        {{"body", "components", "twist", "enabled"},
         "/body/components/twist/enabled",
         1,
         SCENE_BOOL,
         "body",
         {1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        const struct scene_property *const property =
            import_target(cases[i].target, cases[i].components, &scene);
        assert_non_null(property);
        assert_int_equal(scene.property_count, 1);
        assert_string_equal(property->path, cases[i].path);
        assert_int_equal(property->type, cases[i].type);
        assert_int_equal(property->value_count, cases[i].components);
        assert_ptr_equal(&scene.nodes[property->node], node_of(&scene, cases[i].node));
        assert_string_equal(property->labels[0], "");
        assert_near(property->defaults, cases[i].defaults, cases[i].components);
        scene_free(&scene);
    }
}

static void test_stf_17_bones_and_nodes_are_driven_as_joints(void **state)
{
    (void)state;
    static const struct {
        const char *target[STF_TARGET_COUNT];
        uint32_t components;
        const char *node;
        enum scene_path path;
    } cases[] = {
        {{"body", "t"}, 3, "body", SCENE_TRANSLATION},
        {{"body", "s"}, 3, "body", SCENE_SCALE},
        {{"body", "r"}, 4, "body", SCENE_ROTATION},
        {{"body", "instance", "head", "t"}, 3, "head", SCENE_TRANSLATION},
        {{"body", "instance", "prop", "r"}, 4, "prop", SCENE_ROTATION},
        {{"body", "instance", "hip", "s"}, 3, "hip", SCENE_SCALE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        assert_null(import_target(cases[i].target, cases[i].components, &scene));
        assert_int_equal(scene.clips[0].track_count, 1);
        const struct scene_track *const track = &scene.clips[0].tracks[0];
        assert_int_equal(track->path, cases[i].path);
        assert_ptr_equal(&scene.nodes[track->node], node_of(&scene, cases[i].node));
        scene_free(&scene);
    }
}

static void test_stf_17_unresolved_targets_skip_their_track(void **state)
{
    (void)state;
    static const struct {
        const char *target[STF_TARGET_COUNT];
        const char *why;
    } cases[] = {
        {{"body"}, "must be an array of ids and names"},
        {{"nobody", "t"}, "its first part is no node of the scene"},
        {{"hip", "t"}, "its first part is no node of the scene"},
        {{"body", "u"}, "its last part is unknown"},
        {{"body", "u", "v"}, "its parts after the node are unknown"},
        {{"body", "instance"}, "it ends too early"},
        {{"body", "instance", "tail", "t"}, "the armature has no such bone"},
        {{"body", "instance", "head"}, "its parts after the bone are unknown"},
        {{"body", "instance", "head", "t", "x"}, "its parts after the bone are unknown"},
        {{"body", "instance", "head", "components", "twist"}, "it ends too early"},
        {{"body", "instance", "head", "components"}, "its last part is unknown"},
        {{"body", "components", "none", "x"}, "there is no such component"},
        {{"lamp", "instance", "blendshape"}, "what it drives of the instance is unknown"},
        {{"lamp", "instance", "range", "x"}, "what it drives of the instance is unknown"},
        {{"face", "instance", "blendshape", "x"}, "it must go on with the name of a blendshape"},
        {{"face", "instance", "material", "0"}, "it must go on with a slot"},
        {{"face", "instance", "range"}, "what it drives of the mesh is unknown"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        assert_null(import_target(cases[i].target, 1, &scene));
        assert_int_equal(scene.clips[0].track_count, 0);
        assert_said(cases[i].why);
        assert_said("resources.animation.tracks[0].target: ");
        assert_int_equal(times_said("the track is skipped"), 1);
        scene_free(&scene);
    }
}

// ---- 19: bindings ----

static void test_stf_19_node_hangs_under_a_bone(void **state)
{
    (void)state;
    static const struct stf_trs hat = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const struct stf_layout layouts[] = {new_layout, old_layout};
    for (int i = 0; i < 2; i++) {
        build_puppet(layouts[i]);
        stf_builder_node(&builder, "hat", "Hat", "body", &hat);
        stf_builder_bind(&builder, "hat", "body", "head");
        struct scene scene;
        import_finish(&builder, &scene);
        const struct scene_node *const node = node_of(&scene, "hat");
        assert_ptr_equal(&scene.nodes[node->parent], node_of(&scene, "head"));
        // The head is at (1, 4, 5), turned by 90 degrees about x: its y is the armature's z. The
        // body scales that by 2 and moves it by 7 along z.
        double world[12];
        world_of(&scene, node, world);
        const double place[3] = {2, 8, 7 + 2 * 6};
        const double found[3] = {world[3], world[7], world[11]};
        assert_near(found, place, 3);
        scene_free(&scene);
    }
}

static void test_stf_19_binding_to_nothing_warns(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_node(&builder, "hat", "Hat", "body", &stf_identity);
    stf_builder_bind(&builder, "hat", "hat", "head");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(node_of(&scene, "hat")->parent, 0);
    assert_said("resources.hat.parent_binding: names no bone of an armature in the scene");
    scene_free(&scene);
    build_puppet(new_layout);
    json_object_set_new(stf_builder_find(&builder, "body"), "parent_binding",
                        json_pack("[s, s]", "body", "instance"));
    assert_refused(&builder, "resources.body.parent_binding: must be an array of a node, "
                             "\"instance\" and a bone [json.type]");
}

// ---- 20: humanoids ----

static void test_stf_20_all_parts_are_read(void **state)
{
    (void)state;
    static struct stf_bone body[TRP_HUMAN_PART_COUNT];
    static char ids[TRP_HUMAN_PART_COUNT][16];
    for (uint32_t i = 0; i < TRP_HUMAN_PART_COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "b%u", i);
        body[i] = (struct stf_bone){ids[i], "", (int32_t)i - 1, {0}, {0, 0, 0, 1}, 1};
    }
    stf_builder_start(&builder, new_layout);
    stf_builder_node(&builder, "body", "Body", "prefab", &stf_identity);
    stf_builder_armature(&builder, "armature", "Armature", body, TRP_HUMAN_PART_COUNT);
    stf_builder_armature_instance(&builder, "puppet", "body", "armature");
    stf_builder_humanoid(&builder, "armature", "human", "digi");
    for (uint32_t i = 0; i < TRP_HUMAN_PART_COUNT; i++) {
        // In the opposite order, so that no order of theirs is taken for that of the bones.
        stf_builder_part(&builder, "human", trp_human_part_name(i),
                         ids[TRP_HUMAN_PART_COUNT - 1 - i], NULL);
    }
    struct scene scene;
    import_finish(&builder, &scene);
    const struct scene_humanoid *const humanoid = scene.instances[0].humanoid;
    assert_non_null(humanoid);
    assert_int_equal(humanoid->flags, TRP_HUMANOID_DIGITIGRADE);
    for (int i = 0; i < TRP_HUMAN_PART_COUNT; i++) {
        assert_int_equal(humanoid->bone_of_part[i], TRP_HUMAN_PART_COUNT - 1 - i);
        assert_int_equal(humanoid->axes[i], 0);
    }
    const double settings[7] = {0.053, 0.5, 0.5, 0.05, 0.5, 0.5, 0};
    assert_near(humanoid->settings, settings, 7);
    scene_free(&scene);
}

static void test_stf_20_limits_settings_and_strange_parts(void **state)
{
    (void)state;
    static const double limits[3][3] = {{-1.5, 0, 1.25}, {-1, 0.5, 1}, {-3.14, -3, 9.5}};
    build_puppet(new_layout);
    json_t *const humanoid = stf_builder_humanoid(&builder, "armature", "human", "planti");
    json_object_set_new(humanoid, "no_jaw", json_true());
    json_object_set_new(humanoid, "settings",
                        json_pack("{s:f, s:f, s:b}", "arm_stretch", 0.125, "feet_spacing", 0.25,
                                  "use_translation", 1));
    stf_builder_part(&builder, "human", "hip", "hip", limits);
    stf_builder_part(&builder, "human", "head", "head", limits);
    stf_builder_part(&builder, "human", "tail", "prop", limits);
    stf_builder_part(&builder, "human", "spine", "body", limits);
    stf_builder_part(&builder, "human", "jaw", "head", NULL);
    json_t *const head = json_object_get(
        json_object_get(json_object_get(humanoid, "mappings"), "head"), "rotation_limits");
    json_object_set_new(head, "primary", json_pack("[i, i, i]", -1, 0, 1));
    json_object_set_new(head, "secondary", json_pack("[f, f, f]", 0.5, 0.0, 1.0));
    json_object_set_new(head, "twist", json_pack("[f, f, f]", 1.0, 0.0, 0.5));
    stf_builder_part(&builder, "human", "neck", "prop", limits);
    json_t *const neck = json_object_get(
        json_object_get(json_object_get(humanoid, "mappings"), "neck"), "rotation_limits");
    json_object_set_new(neck, "primary", json_pack("[f, f, n]", -1.0, 0.0));
    json_object_set_new(neck, "secondary", json_pack("[f, f, f]", -1.0, 2.0, 0.5));
    json_object_del(neck, "twist");
    struct scene scene;
    import_finish(&builder, &scene);
    const struct scene_humanoid *const found = scene.instances[0].humanoid;
    assert_int_equal(found->flags, TRP_HUMANOID_NO_JAW | TRP_HUMANOID_USE_TRANSLATION);
    assert_true(found->settings[0] == 0.125);
    assert_true(found->settings[6] == 0.25);
    assert_int_equal(found->bone_of_part[TRP_HUMAN_HIP], 0);
    assert_int_equal(found->axes[TRP_HUMAN_HIP], 7);
    assert_memory_equal(found->limits[TRP_HUMAN_HIP], limits, sizeof limits);
    const double whole[3] = {-1, 0, 1};
    assert_int_equal(found->bone_of_part[TRP_HUMAN_HEAD], 2);
    assert_int_equal(found->axes[TRP_HUMAN_HEAD], 3);
    assert_memory_equal(found->limits[TRP_HUMAN_HEAD][0], whole, sizeof whole);
    const double low[3] = {0.5, 0.5, 1};
    assert_memory_equal(found->limits[TRP_HUMAN_HEAD][1], low, sizeof low);
    const double high[3] = {-1, 0.5, 0.5};
    assert_int_equal(found->axes[TRP_HUMAN_NECK], 2);
    assert_memory_equal(found->limits[TRP_HUMAN_NECK][1], high, sizeof high);
    assert_int_equal(found->bone_of_part[TRP_HUMAN_SPINE], -1);
    assert_said("resources.human.mappings.tail: is no part of a body");
    assert_said("resources.human.mappings.jaw: head is the head already [stf.humanoid]");
    assert_said("resources.human.mappings.spine: body is no bone of the armature");
    assert_said("twist from 1 to 0.5 is no range of turns; the limit is left out");
    assert_said("the centre of secondary, 0, is not from 0.5 to 1");
    assert_said("neck.rotation_limits.primary[2]: must be a number; the limit is left out");
    scene_free(&scene);
}

static void test_stf_20_armature_without_humanoid_has_none(void **state)
{
    (void)state;
    build_puppet(new_layout);
    struct scene scene;
    import_finish(&builder, &scene);
    assert_null(scene.instances[0].humanoid);
    scene_free(&scene);
}

// ---- 21: blend trees ----

static void build_two_clips(void)
{
    build_puppet(new_layout);
    const struct stf_track track = {.target = {"body", "t"}, .subtrack_count = 3};
    build_animation("walk", &track, NULL);
    build_animation("run", &track, NULL);
}

static void test_stf_21_places_on_a_line_are_numbers_or_arrays(void **state)
{
    (void)state;
    build_two_clips();
    json_t *const tree = stf_builder_blendtree(&builder, "tree", "Speed", 1);
    stf_builder_place(&builder, "tree", "run", 3, 0);
    stf_builder_place(&builder, "tree", "walk", 1, 0);
    json_object_set_new(json_array_get(json_object_get(tree, "animations"), 1), "position",
                        json_pack("[f]", 1.5));
    json_array_append_new(json_object_get(tree, "animations"),
                          json_pack("{s:i, s:n}", "position", 7, "animation"));
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.blendtree_count, 1);
    const struct scene_blendtree *const found = &scene.blendtrees[0];
    assert_string_equal(found->name, "Speed");
    assert_string_equal(found->id, "tree");
    assert_int_equal(found->dimensions, 1);
    assert_int_equal(found->count, 3);
    const double places[3][2] = {{3, 0}, {1.5, 0}, {7, 0}};
    assert_memory_equal(found->places, places, sizeof places);
    const int32_t clips[3] = {1, 0, -1};
    assert_memory_equal(found->clips, clips, sizeof clips);
    assert_said("has no animation that is known");
    scene_free(&scene);
}

static void test_stf_21_places_in_a_plane_are_two_numbers(void **state)
{
    (void)state;
    build_two_clips();
    stf_builder_blendtree(&builder, "tree", "Way", 2);
    stf_builder_place(&builder, "tree", "run", 3, -4);
    struct scene scene;
    import_finish(&builder, &scene);
    const double place[2] = {3, -4};
    assert_int_equal(scene.blendtrees[0].dimensions, 2);
    assert_memory_equal(scene.blendtrees[0].places, place, sizeof place);
    scene_free(&scene);

    build_two_clips();
    json_t *tree = stf_builder_blendtree(&builder, "tree", "Way", 2);
    stf_builder_place(&builder, "tree", "run", 3, -4);
    json_object_set_new(json_array_get(json_object_get(tree, "animations"), 0), "position",
                        json_real(1));
    import_finish(&builder, &scene);
    assert_int_equal(scene.blendtree_count, 0);
    assert_said("resources.tree.animations[0]: needs a \"position\" of 2 numbers; the blend tree "
                "is left out [stf.blendtree]");
    scene_free(&scene);

    build_two_clips();
    tree = stf_builder_blendtree(&builder, "tree", "Way", 2);
    json_object_set_new(tree, "blendtree_type", json_string("3d"));
    stf_builder_blendtree(&builder, "other", "Other", 1);
    import_finish(&builder, &scene);
    assert_int_equal(scene.blendtree_count, 1);
    assert_string_equal(scene.blendtrees[0].id, "other");
    assert_said("resources.tree: blendtree_type \"3d\" is unknown; the blend tree is left out "
                "[stf.blendtree]");
    scene_free(&scene);
}

static void test_stf_21_trees_that_blend_nothing_are_told(void **state)
{
    (void)state;
    build_two_clips();
    stf_builder_blendtree(&builder, "none", "None", 2);
    stf_builder_blendtree(&builder, "alone", "Alone", 1);
    stf_builder_place(&builder, "alone", "run", 1, 0);
    stf_builder_blendtree(&builder, "same", "Same", 2);
    stf_builder_blendtree(&builder, "apart", "Apart", 2);
    for (int i = 0; i < 2; i++) {
        stf_builder_place(&builder, "same", i == 0 ? "run" : "walk", 1, 2);
        stf_builder_place(&builder, "apart", i == 0 ? "run" : "walk", 1, i);
    }
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.blendtree_count, 4);
    assert_said("resources.none: has no animation [stf.blendtree]");
    assert_said("resources.same: all its animations have one place");
    assert_int_equal(times_said("[stf.blendtree]"), 2);
    scene_free(&scene);
}

// ---- 22: unknown types ----

static void test_stf_22_unknown_types_are_skipped_once_said(void **state)
{
    (void)state;
    build_puppet(new_layout);
    for (int i = 0; i < 3; i++) {
        char id[32];
        snprintf(id, sizeof id, "node %d", i);
        json_t *const node = stf_builder_node(&builder, id, "", "body", &stf_identity);
        snprintf(id, sizeof id, "thing %d", i);
        stf_builder_add(&builder, id, "my.instance", "");
        json_object_set_new(node, "instance", stf_builder_reference(&builder, node, id));
    }
    json_t *const body = stf_builder_find(&builder, "body");
    stf_builder_add(&builder, "odd", "my.node", "");
    json_array_append_new(json_object_get(body, "children"),
                          stf_builder_reference(&builder, body, "odd"));
    stf_builder_component(&builder, "body", "data", "my.component");
    stf_builder_add(&builder, "unused", "my.data", "");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.node_count, 8);
    assert_int_equal(times_said("type \"my.instance\" is unknown"), 1);
    assert_int_equal(times_said("type \"my.node\" is unknown"), 1);
    assert_not_said("my.component");
    assert_not_said("my.data");
    scene_free(&scene);
}

static void test_stf_22_fallback_is_used_instead(void **state)
{
    (void)state;
    const struct stf_layout layouts[] = {new_layout, old_layout};
    for (int i = 0; i < 2; i++) {
        stf_builder_start(&builder, layouts[i]);
        json_t *const node = stf_builder_node(&builder, "body", "Body", "prefab", &stf_identity);
        stf_builder_armature(&builder, "armature", "Armature", bones, 4);
        json_t *const instance =
            stf_builder_armature_instance(&builder, "puppet", "body", "armature");
        json_t *const first = stf_builder_add(&builder, "first", "my.instance", "");
        json_t *const second = stf_builder_add(&builder, "second", "my.better", "");
        json_object_set_new(first, "fallback", stf_builder_reference(&builder, first, "second"));
        json_object_set_new(second, "fallback", stf_builder_reference(&builder, second, "puppet"));
        json_object_set_new(node, "instance", stf_builder_reference(&builder, node, "first"));
        json_t *const rig = stf_builder_add(&builder, "rig", "my.armature", "");
        json_object_set_new(rig, "fallback", stf_builder_reference(&builder, rig, "armature"));
        json_object_set_new(instance, "armature", stf_builder_reference(&builder, instance, "rig"));
        struct scene scene;
        import_finish(&builder, &scene);
        assert_int_equal(scene.instance_count, 1);
        assert_string_equal(scene.instances[0].armature_id, "armature");
        assert_not_said("unknown");
        scene_free(&scene);
    }
}

static void test_stf_22_known_but_wrong_type_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_t *const puppet = stf_builder_find(&builder, "puppet");
    json_object_set_new(puppet, "armature", stf_builder_reference(&builder, puppet, "body"));
    assert_refused(&builder, "resources.puppet.armature: must be a stf.armature, but body is a "
                             "stf.node [stf.type]");
}

static void test_stf_22_root_without_a_type_is_invalid(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_object_del(stf_builder_find(&builder, "prefab"), "type");
    size_t size_bytes;
    unsigned char *const bytes = stf_builder_file(&builder, &size_bytes);
    struct scene scene;
    struct report report;
    assert_false(import_bytes(bytes, size_bytes, &scene, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    free(bytes);
    assert_refused(&builder, "resources.prefab: \"type\" is missing [json.missing]");
}

// ---- 23: reset animations ----

static void test_stf_23_reset_comes_before_the_clip(void **state)
{
    (void)state;
    build_puppet(new_layout);
    const struct stf_track moved = {.target = {"body", "t"}, .subtrack_count = 3};
    const struct stf_track head = {.target = {"body", "instance", "head", "s"},
                                   .subtrack_count = 3};
    build_animation("reset", &moved, NULL);
    build_animation("nod", &head, "reset");
    struct scene scene;
    import_finish(&builder, &scene);
    const struct scene_clip *const clip = &scene.clips[1];
    assert_string_equal(clip->id, "nod");
    assert_int_equal(clip->track_count, 2);
    const struct scene_track *const track =
        &clip->tracks[clip->tracks[0].path == SCENE_TRANSLATION ? 0 : 1];
    assert_int_equal(track->path, SCENE_TRANSLATION);
    assert_int_equal(track->node, 0);
    const double one[3] = {1, 1, 1};
    for (double time_s = 0; time_s <= 1; time_s += 0.25) {
        double sample[3];
        scene_curve_sample(&track->curve, SCENE_TRANSLATION, time_s, sample);
        assert_near(sample, one, 3);
    }
    scene_free(&scene);
}

static void test_stf_23_resets_in_a_circle_end(void **state)
{
    (void)state;
    build_puppet(new_layout);
    const struct stf_track moved = {.target = {"body", "t"}, .subtrack_count = 3};
    const struct stf_track head = {.target = {"body", "instance", "head", "s"},
                                   .subtrack_count = 3};
    build_animation("a", &moved, "b");
    build_animation("b", &head, "a");
    build_animation("c", &head, "c");
    struct scene scene;
    import_finish(&builder, &scene);
    assert_int_equal(scene.clip_count, 3);
    assert_int_equal(scene.clips[0].track_count, 2);
    assert_int_equal(scene.clips[1].track_count, 2);
    assert_int_equal(scene.clips[2].track_count, 1);
    assert_int_equal(times_said("is its own reset animation"), 3);
    assert_said("resources.c: is its own reset animation");
    assert_said("[stf.animation.reset]");
    scene_free(&scene);
}

// ---- 24: cycles ----

static void test_stf_24_node_below_itself_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    json_t *const child = stf_builder_node(&builder, "child", "", "body", &stf_identity);
    json_object_set_new(child, "children", json_array());
    json_array_append_new(json_object_get(child, "children"),
                          stf_builder_reference(&builder, child, "body"));
    assert_refused(&builder, "resources.child.children[0]: body lies below itself: child has it as "
                             "a child [stf.cycle]");
}

static void test_stf_24_node_in_two_places_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_node(&builder, "a", "", "body", &stf_identity);
    json_t *const b = stf_builder_node(&builder, "b", "", "body", &stf_identity);
    json_object_set_new(b, "children", json_array());
    json_array_append_new(json_object_get(b, "children"), stf_builder_reference(&builder, b, "a"));
    assert_refused(&builder, "resources.b.children[0]: a is listed below b, but elsewhere already "
                             "[stf.parent]");
}

static void test_stf_24_bone_below_itself_is_refused(void **state)
{
    (void)state;
    build_puppet(old_layout);
    json_object_set_new(stf_builder_find(&builder, "head"), "children", json_pack("[s]", "hip"));
    assert_refused(&builder, "resources.head.children[0]: hip lies below itself: head has it as a "
                             "child [stf.cycle]");
}

static void test_stf_24_fallbacks_in_a_circle_are_refused(void **state)
{
    (void)state;
    build_puppet(old_layout);
    json_object_set_new(stf_builder_add(&builder, "a", "x", ""), "fallback", json_string("b"));
    json_object_set_new(stf_builder_add(&builder, "b", "y", ""), "fallback", json_string("c"));
    json_object_set_new(stf_builder_add(&builder, "c", "z", ""), "fallback", json_string("b"));
    json_object_set_new(stf_builder_find(&builder, "body"), "instance", json_string("a"));
    assert_refused(&builder, "resources.b: b falls back to c and so in the end to itself "
                             "[stf.cycle]");
}

static void test_stf_24_binding_to_a_bone_of_ones_own_is_refused(void **state)
{
    (void)state;
    build_puppet(new_layout);
    stf_builder_bind(&builder, "body", "body", "head");
    assert_refused(&builder, "bound to a bone, body lies below head and so below itself "
                             "[stf.cycle]");
}

static void test_stf_24_deep_trees_are_refused(void **state)
{
    (void)state;
    stf_builder_start(&builder, old_layout);
    char parent[32] = "prefab";
    for (int i = 0; i < 2049; i++) {
        char id[32];
        snprintf(id, sizeof id, "n%d", i);
        stf_builder_node(&builder, id, "", parent, &stf_identity);
        memcpy(parent, id, sizeof id);
    }
    assert_refused(&builder, "resources.n2048: lies more than 2048 levels deep [stf.depth]");
}

// ---- real files ----

static void test_stf_cube_of_an_exporter_holds_no_animation(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    if (!assets) {
        skip();
        return;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/samples/stf/default_cube.stf", assets);
    memset(messages, 0, sizeof messages);
    FILE *const out = fmemopen(messages, sizeof messages, "w");
    struct report report = {.out = out};
    struct scene scene;
    assert_true(import_file(path, NULL, &scene, &report));
    fclose(out);
    assert_said("holds no animation [stf.still]");
    assert_int_equal(report.warning_count, 1);
    assert_int_equal(scene.node_count, 3);
    assert_string_equal(scene.nodes[0].name, "Cube");
    assert_string_equal(scene.nodes[0].id, "0c1c8b71-d17d-48fc-a7da-74dcdf811063");
    assert_string_equal(scene.nodes[2].name, "Camera");
    const double place[3] = {7.358891487121582, 4.958309173583984, 6.925790786743164};
    assert_near(scene.nodes[2].translation, place, 3);
    assert_int_equal(scene.clip_count, 0);
    assert_int_equal(scene.skin_count, 0);
    scene_free(&scene);
}

static void test_stf_json_of_a_newer_cube_is_read(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    if (!assets) {
        skip();
        return;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/samples/stf/minimal.stf.json", assets);
    struct report report = {0};
    void *json;
    size_t json_bytes;
    assert_true(file_read(path, &json, &json_bytes, &report));
    size_t size_bytes;
    unsigned char *const bytes =
        stf_builder_container(json, json_bytes, NULL, NULL, 0, &size_bytes);
    struct scene scene;
    assert_true(import_bytes(bytes, size_bytes, &scene, &report));
    assert_int_equal(report.warning_count, 1);
    assert_said("holds no animation [stf.still]");
    assert_int_equal(scene.node_count, 3);
    assert_string_equal(scene.nodes[1].name, "Light");
    scene_free(&scene);
    free(bytes);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stf_1_header_of_any_version_and_padding_is_read),
        cmocka_unit_test(test_stf_1_every_shorter_file_is_refused),
        cmocka_unit_test(test_stf_1_longer_file_is_refused),
        cmocka_unit_test(test_stf_1_hostile_header_is_refused),
        cmocka_unit_test(test_stf_1_json_must_be_strict_and_whole),
        cmocka_unit_test(test_stf_2_first_buffer_is_the_one_after_the_json),
        cmocka_unit_test(test_stf_2_buffer_past_the_end_is_not_used),
        cmocka_unit_test(test_stf_2_reference_past_the_end_is_refused),
        cmocka_unit_test(test_stf_2_endless_id_is_refused),
        cmocka_unit_test(test_stf_2_index_may_be_written_as_a_real),
        cmocka_unit_test(test_stf_2_both_kinds_of_reference_give_the_same_scene),
        cmocka_unit_test(test_stf_3_both_ways_to_give_a_version_are_read),
        cmocka_unit_test(test_stf_4_bones_become_local_to_their_parents),
        cmocka_unit_test(test_stf_4_inverse_bind_undoes_the_rest),
        cmocka_unit_test(test_stf_4_armature_twice_has_bones_twice),
        cmocka_unit_test(test_stf_4_mesh_with_other_order_has_its_own_palette),
        cmocka_unit_test(test_stf_4_mesh_of_strange_bones_warns),
        cmocka_unit_test(test_stf_4_bone_without_length_or_too_far_is_refused),
        cmocka_unit_test(test_stf_4_armature_without_bones_is_skipped),
        cmocka_unit_test(test_stf_4_many_instances_of_a_large_armature_are_refused),
        cmocka_unit_test(test_stf_5_pose_replaces_the_rest_where_it_is_given),
        cmocka_unit_test(test_stf_5_pose_of_wrong_shape_is_refused),
        cmocka_unit_test(test_stf_5_components_are_kept_by_bone),
        cmocka_unit_test(test_stf_5_components_that_are_not_there_are_left_out),
        cmocka_unit_test(test_stf_5_numbers_of_components_stay_short),
        cmocka_unit_test(test_stf_5_instance_on_two_nodes_is_told),
        cmocka_unit_test(test_stf_3_unit_is_what_the_file_says),
        cmocka_unit_test(test_stf_22_fallback_that_is_not_there_is_none),
        cmocka_unit_test(test_stf_17_blendshapes_are_found_by_name),
        cmocka_unit_test(test_stf_17_values_that_are_not_the_meshs_leave_its_defaults),
        cmocka_unit_test(test_stf_17_everything_else_is_a_property),
        cmocka_unit_test(test_stf_17_bones_and_nodes_are_driven_as_joints),
        cmocka_unit_test(test_stf_17_unresolved_targets_skip_their_track),
        cmocka_unit_test(test_stf_19_node_hangs_under_a_bone),
        cmocka_unit_test(test_stf_19_binding_to_nothing_warns),
        cmocka_unit_test(test_stf_20_all_parts_are_read),
        cmocka_unit_test(test_stf_20_limits_settings_and_strange_parts),
        cmocka_unit_test(test_stf_20_armature_without_humanoid_has_none),
        cmocka_unit_test(test_stf_21_places_on_a_line_are_numbers_or_arrays),
        cmocka_unit_test(test_stf_21_places_in_a_plane_are_two_numbers),
        cmocka_unit_test(test_stf_21_trees_that_blend_nothing_are_told),
        cmocka_unit_test(test_stf_22_unknown_types_are_skipped_once_said),
        cmocka_unit_test(test_stf_22_fallback_is_used_instead),
        cmocka_unit_test(test_stf_22_known_but_wrong_type_is_refused),
        cmocka_unit_test(test_stf_22_root_without_a_type_is_invalid),
        cmocka_unit_test(test_stf_23_reset_comes_before_the_clip),
        cmocka_unit_test(test_stf_23_resets_in_a_circle_end),
        cmocka_unit_test(test_stf_24_node_below_itself_is_refused),
        cmocka_unit_test(test_stf_24_node_in_two_places_is_refused),
        cmocka_unit_test(test_stf_24_bone_below_itself_is_refused),
        cmocka_unit_test(test_stf_24_fallbacks_in_a_circle_are_refused),
        cmocka_unit_test(test_stf_24_binding_to_a_bone_of_ones_own_is_refused),
        cmocka_unit_test(test_stf_24_deep_trees_are_refused),
        cmocka_unit_test(test_stf_cube_of_an_exporter_holds_no_animation),
        cmocka_unit_test(test_stf_json_of_a_newer_cube_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
