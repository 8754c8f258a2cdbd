// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// STF from end to end: files made by stf_builder.h, imported, compiled, opened and played, and what
// the `troupe` program says of them. Parts of the importer have tests of their own, test_stf_*.c.
// `test_stf --update` writes the files of tests/fuzz/corpus/stf anew.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <sys/stat.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "stf_builder.h"
#include "stf_exercise.h"

#include "cli_program.h"

enum { BLOCK_COUNT = 8, VALUE_COUNT = 16, LAYOUT_COUNT = 4 };

static const struct stf_layout layouts[LAYOUT_COUNT] = {
    {.has_direct_ids = false, .has_key_frames = false},
    {.has_direct_ids = false, .has_key_frames = true},
    {.has_direct_ids = true, .has_key_frames = false},
    {.has_direct_ids = true, .has_key_frames = true},
};
static const struct stf_layout newest = {.has_direct_ids = false};

static bool is_close(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static void assert_close(double a, double b, double tolerance)
{
    if (!is_close(a, b, tolerance)) {
        fail_msg("%.9g is not %.9g within %g", a, b, tolerance);
    }
}

// ---- the files ----

/// Two tracks of bezier keys with aligned tangents: a node moves, a mesh takes on another form.
/// What is baked is no sample of the curves, to show whether it is used.
static const float baked[16] = {99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
static const struct stf_key moved_x[] = {
    {.frame = 1, .value = -0.7435536980628967, .out = {2, 0}},
    {.frame = 16, .value = -0.2216922640800476, .out = {3, 0}, .in = {-3, 0}},
};
static const struct stf_key moved_y[] = {
    {.frame = 1, .value = 2.200054168701172, .out = {2, 0}},
    {.frame = 16, .value = 0.4340066909790039, .out = {3, 0}, .in = {-3, 0}},
};
static const struct stf_key moved_z[] = {
    {.frame = 1, .value = 1.996330738067627, .out = {2, 0}},
    {.frame = 16, .value = 0.2330167293548584, .out = {3, 0}, .in = {-3, 0}},
};
static const struct stf_key key_1[] = {
    {.frame = 1, .value = 0, .out = {2, 0}},
    {.frame = 7, .value = 0.7300613522529602, .out = {3, 0}, .in = {-2, 0}},
    {.frame = 16, .value = 0, .out = {3, 0}, .in = {-3, 0}},
};

static void describe_move(struct stf_builder *builder)
{
    static const struct stf_blendshape blendshapes[] = {{"Key 1", 0}, {"Key 2", 0.25}};
    static const struct stf_track tracks[] = {
        {.target = {"moved", "t"},
         .subtracks = {{moved_x, 2, baked, 16}, {moved_y, 2, baked, 16}, {moved_z, 2, baked, 16}},
         .subtrack_count = 3},
        {.target = {"moved", "instance", "blendshape", "Key 1", "value"},
         .subtracks = {{key_1, 3, baked, 16}},
         .subtrack_count = 1},
    };
    stf_builder_node(builder, "moved", "Moved", "prefab", &stf_identity);
    stf_builder_mesh(builder, "mesh", "Mesh", blendshapes, 2);
    stf_builder_mesh_instance(builder, "mesh-instance", "moved", "mesh", NULL);
    stf_builder_animation(builder, &(struct stf_animation){
                                       .id = "move",
                                       .name = "Move",
                                       .fps = 24,
                                       .range = {1, 16},
                                       .tracks = tracks,
                                       .track_count = 2,
                                   });
}

/// An armature that two nodes carry: the left one posed in part, with components; the right one at
/// rest. `Lift` animates y of the left hip alone, `Wave` the right arm.
static const double turned = 0.70710678118654752440;

static void describe_pair(struct stf_builder *builder)
{
    const struct stf_bone bones[] = {
        {"hip", "Hip", -1, {0, 1, 0}, {0, 0, 0, 1}, 0.25},
        {"spine", "Spine", 0, {0, 1.25, 0}, {turned, 0, 0, turned}, 0.5},
        {"arm", "Arm", 1, {0.25, 1.5, 0}, {0, 0, turned, turned}, 0.75},
        {"hand", "Hand", 2, {-0.5, 1.5, 0}, {0, 0, turned, turned}, 0.125},
    };
    static const struct stf_trs hip = {{0, 0.75, -0.125}, {0, 0, 0, 1}, {1, 1, 1}};
    static const struct stf_trs arm = {{0.5, 0.25, 0}, {0, 0.6, 0, 0.8}, {1.5, 1, 0.5}};
    static const struct stf_trs right = {{2, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    static const struct stf_key lift[] = {
        {.frame = 0, .value = 0.75, .type = STF_KEY_LINEAR},
        {.frame = 30, .value = 1.25, .type = STF_KEY_LINEAR},
    };
    static const struct stf_key wave_still[] = {{.frame = 0, .value = 0, .type = STF_KEY_LINEAR}};
    static const struct stf_key wave_z[] = {
        {.frame = 0, .value = 0, .type = STF_KEY_LINEAR},
        {.frame = 30, .value = 1, .type = STF_KEY_LINEAR},
    };
    static const struct stf_key wave_w[] = {
        {.frame = 0, .value = 1, .type = STF_KEY_LINEAR},
        {.frame = 30, .value = 0, .type = STF_KEY_LINEAR},
    };
    static const struct stf_track tracks[] = {
        {.target = {"left", "instance", "hip", "t"},
         .subtracks = {{0}, {lift, 2, NULL, 0}, {0}},
         .subtrack_count = 3},
        {.target = {"right", "instance", "arm", "r"},
         .subtracks = {{wave_still, 1, NULL, 0},
                       {wave_still, 1, NULL, 0},
                       {wave_z, 2, NULL, 0},
                       {wave_w, 2, NULL, 0}},
         .subtrack_count = 4},
    };
    stf_builder_node(builder, "both", "Both", "prefab", &stf_identity);
    stf_builder_node(builder, "left", "Left", "both", &stf_identity);
    stf_builder_node(builder, "right", "Right", "both", &right);
    stf_builder_armature(builder, "armature", "Armature", bones, 4);
    json_t *const capsule = stf_builder_component(builder, "arm", "capsule", "example.capsule");
    json_object_set_new(capsule, "radius", json_real(0.125));
    stf_builder_armature_instance(builder, "left-instance", "left", "armature");
    stf_builder_pose(builder, "left-instance", "hip", &hip);
    stf_builder_pose(builder, "left-instance", "arm", &arm);
    json_t *const twist = stf_builder_added_component(builder, "left-instance", "hip", "twist",
                                                      "stfexp.constraint.twist");
    json_object_set_new(twist, "weight", json_real(0.25));
    stf_builder_added_component(builder, "left-instance", "hip", "spring", "example.spring");
    stf_builder_modified_component(builder, "left-instance", "arm", "capsule",
                                   json_pack("{s:f, s:[f,f]}", "radius", 0.5, "offset", 0.0, 1.5));
    stf_builder_armature_instance(builder, "right-instance", "right", "armature");
    stf_builder_animation(builder, &(struct stf_animation){.id = "lift",
                                                           .name = "Lift",
                                                           .loop = "pingpong",
                                                           .fps = 30,
                                                           .range = {0, 30},
                                                           .tracks = tracks,
                                                           .track_count = 1});
    stf_builder_animation(builder, &(struct stf_animation){.id = "wave",
                                                           .name = "Wave",
                                                           .loop = "loop",
                                                           .fps = 30,
                                                           .range = {0, 30},
                                                           .tracks = tracks + 1,
                                                           .track_count = 1});
}

/// All parts of a body but the upper chest, the order of trp_human_part.
enum { PART_COUNT = 54 };

static void part_names(char names[PART_COUNT][16])
{
    static const char *const middle[] = {"hip",  "spine", "chest", "neck",
                                         "head", "jaw",   "eye.l", "eye.r"};
    static const char *const sided[] = {
        "shoulder", "upper_arm", "lower_arm", "wrist",   "thumb_1",  "thumb_2",
        "thumb_3",  "index_1",   "index_2",   "index_3", "middle_1", "middle_2",
        "middle_3", "ring_1",    "ring_2",    "ring_3",  "little_1", "little_2",
        "little_3", "upper_leg", "lower_leg", "foot",    "toes",
    };
    uint32_t count = 0;
    for (int i = 0; i < 8; i++) {
        snprintf(names[count++], sizeof names[0], "%s", middle[i]);
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 23; i++) {
            snprintf(names[count++], sizeof names[0], "%s.%c", sided[i], "lr"[side]);
        }
    }
    assert_int_equal(count, PART_COUNT);
}

/// Limits that differ from part to part; every third part has none.
static bool part_limits(uint32_t part, double limits[3][3])
{
    for (int axis = 0; axis < 3; axis++) {
        limits[axis][0] = -0.25 * (axis + 1) - part / 128.0;
        limits[axis][1] = part / 256.0;
        limits[axis][2] = 0.5 * (axis + 1) + part / 64.0;
    }
    return part % 3 != 2;
}

/// A body that stands on its toes and has a jaw that counts as none.
static void describe_body(struct stf_builder *builder)
{
    char names[PART_COUNT][16];
    char ids[PART_COUNT][32];
    struct stf_bone bones[PART_COUNT];
    part_names(names);
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        snprintf(ids[i], sizeof ids[0], "bone-%.15s", names[i]);
        bones[i] = (struct stf_bone){
            .id = ids[i],
            .name = names[i],
            .parent = i == 0 ? -1 : (int32_t)(i - 1) / 2,
            .translation = {i / 8.0, i / 16.0, 0},
            .rotation = {0, 0, 0, 1},
            .length = 0.125,
        };
    }
    stf_builder_node(builder, "body", "Body", "prefab", &stf_identity);
    stf_builder_armature(builder, "armature", "Armature", bones, PART_COUNT);
    json_t *const humanoid = stf_builder_humanoid(builder, "armature", "humanoid", "digi");
    json_object_set_new(humanoid, "no_jaw", json_true());
    json_object_set_new(humanoid, "settings",
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b}", "arm_stretch", 0.125,
                                  "upper_arm_twist", 0.25, "lower_arm_twist", 0.375, "leg_stretch",
                                  0.0625, "upper_leg_twist", 0.625, "lower_leg_twist", 0.75,
                                  "feet_spacing", 0.875, "use_translation", 1));
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        double limits[3][3];
        const bool is_limited = part_limits(i, limits);
        stf_builder_part(builder, "humanoid", names[i], ids[i], is_limited ? limits : NULL);
    }
    stf_builder_armature_instance(builder, "body-instance", "body", "armature");
}

/// Adds an animation of a second that moves the node "moved" evenly to x = `x`.
static void add_walk(struct stf_builder *builder, const char *id, const char *loop, double x)
{
    const struct stf_key keys[] = {
        {.frame = 0, .value = 0, .type = STF_KEY_LINEAR},
        {.frame = 30, .value = x, .type = STF_KEY_LINEAR},
    };
    const struct stf_track track = {
        .target = {"moved", "t"}, .subtracks = {{keys, 2, NULL, 0}}, .subtrack_count = 3};
    stf_builder_animation(builder, &(struct stf_animation){.id = id,
                                                           .name = id,
                                                           .loop = loop,
                                                           .fps = 30,
                                                           .range = {0, 30},
                                                           .tracks = &track,
                                                           .track_count = 1});
}

/// Clips on a line and in a plane.
static void describe_trees(struct stf_builder *builder)
{
    stf_builder_node(builder, "moved", "Moved", "prefab", &stf_identity);
    add_walk(builder, "stand", "none", 0.25);
    add_walk(builder, "walk", "loop", 1);
    add_walk(builder, "run", "pingpong", 3);
    stf_builder_blendtree(builder, "speed", "Speed", 1);
    stf_builder_place(builder, "speed", "stand", 0, 0);
    stf_builder_place(builder, "speed", "walk", 1.5, 0);
    stf_builder_place(builder, "speed", "run", 4, 0);
    stf_builder_blendtree(builder, "way", "Way", 2);
    stf_builder_place(builder, "way", "stand", 0, 0);
    stf_builder_place(builder, "way", "walk", 0, 1);
    stf_builder_place(builder, "way", "run", 1, 0);
}

/// Somebody whose clips lie on a line by speed; the running knee bends further than it may. The
/// example of README.md.
static void describe_person(struct stf_builder *builder)
{
    static const struct stf_bone bones[] = {
        {"hip", "hip", -1, {0, 1, 0}, {0, 0, 0, 1}, 0.5},
        {"head", "head", 0, {0, 1.5, 0}, {0, 0, 0, 1}, 0.25},
        {"upper_leg.l", "upper_leg.l", 0, {0.125, 1, 0}, {1, 0, 0, 0}, 0.5},
        {"lower_leg.l", "lower_leg.l", 2, {0.125, 0.5, 0}, {1, 0, 0, 0}, 0.5},
        {"upper_leg.r", "upper_leg.r", 0, {-0.125, 1, 0}, {1, 0, 0, 0}, 0.5},
        {"lower_leg.r", "lower_leg.r", 4, {-0.125, 0.5, 0}, {1, 0, 0, 0}, 0.5},
    };
    static const double knee[3][3] = {{-0.125, 0, 1.5}, {0, 0, 0}, {-0.25, 0, 0.25}};
    static const struct stf_trs looking = {{0, 0.5, 0}, {0, 0.28, 0, 0.96}, {1, 1, 1}};
    static const struct {
        const char *name;
        double speed;
        double height;      // of the hip, half a second after the start
        double rotation[2]; // x and w of the left knee then
    } clips[] = {
        {"stand", 0, 1, {0, 1}},
        {"walk", 1.5, 0.96, {0.6, 0.8}},
        {"run", 4, 0.9, {0.8, 0.6}},
    };
    stf_builder_node(builder, "person", "Person", "prefab", &stf_identity);
    stf_builder_armature(builder, "armature", "Armature", bones, 6);
    stf_builder_humanoid(builder, "armature", "humanoid", "planti");
    for (int i = 0; i < 6; i++) {
        const bool is_knee = strncmp(bones[i].id, "lower_leg", 9) == 0;
        stf_builder_part(builder, "humanoid", bones[i].id, bones[i].id, is_knee ? knee : NULL);
    }
    stf_builder_armature_instance(builder, "person-instance", "person", "armature");
    stf_builder_pose(builder, "person-instance", "head", &looking);
    stf_builder_blendtree(builder, "speed", "speed", 1);
    for (int i = 0; i < 3; i++) {
        const struct stf_key height[] = {
            {.frame = 0, .value = 1, .out = {5, 0}},
            {.frame = 15, .value = clips[i].height, .out = {5, 0}, .in = {-5, 0}},
            {.frame = 30, .value = 1, .in = {-5, 0}},
        };
        const struct stf_key still[] = {{.frame = 0, .value = 0, .type = STF_KEY_LINEAR}};
        const struct stf_key x[] = {
            {.frame = 0, .value = 0, .type = STF_KEY_LINEAR},
            {.frame = 15, .value = clips[i].rotation[0], .type = STF_KEY_LINEAR},
            {.frame = 30, .value = 0, .type = STF_KEY_LINEAR},
        };
        const struct stf_key w[] = {
            {.frame = 0, .value = 1, .type = STF_KEY_LINEAR},
            {.frame = 15, .value = clips[i].rotation[1], .type = STF_KEY_LINEAR},
            {.frame = 30, .value = 1, .type = STF_KEY_LINEAR},
        };
        const struct stf_track tracks[] = {
            {{"person", "instance", "hip", "t"}, {{0}, {height, 3, NULL, 0}, {0}}, 3},
            {{"person", "instance", "lower_leg.l", "r"},
             {{x, 3, NULL, 0}, {still, 1, NULL, 0}, {still, 1, NULL, 0}, {w, 3, NULL, 0}},
             4},
        };
        stf_builder_animation(builder, &(struct stf_animation){.id = clips[i].name,
                                                               .name = clips[i].name,
                                                               .loop = "loop",
                                                               .fps = 30,
                                                               .range = {0, 30},
                                                               .tracks = tracks,
                                                               .track_count = 2});
        stf_builder_place(builder, "speed", clips[i].name, clips[i].speed, 0);
    }
}

/// A little of everything, with short names: for truncations and mutations.
static void describe_all(struct stf_builder *builder)
{
    static const double limits[3][3] = {{-1, 0, 1}, {-1, 0, 1}, {-1, 0, 1}};
    static const struct stf_bone bones[] = {
        {"h", "H", -1, {0, 1, 0}, {0, 0, 0, 1}, 1},
        {"s", "S", 0, {0, 2, 0}, {0, 0, 0, 1}, 1},
    };
    static const struct stf_blendshape blendshape = {"K 1", 0.5};
    static const char *const order[] = {"s", "h"};
    static const float samples[3] = {0, 0.5f, 1};
    static const struct stf_key bezier[] = {
        {.frame = 0, .value = 0, .out = {1, 0.5}},
        {.frame = 2, .value = 1, .in = {-1, 0}, .out = {0, 0}},
    };
    static const struct stf_key mixed[] = {
        {.frame = 0, .value = 1, .type = STF_KEY_QUADRATIC},
        {.frame = 1, .value = 0, .type = STF_KEY_CONSTANT},
        {.frame = 2, .value = 1, .type = STF_KEY_UNNAMED},
    };
    static const struct stf_track tracks[] = {
        {{"a", "instance", "h", "r"},
         {{mixed, 3, samples, 3}, {0}, {bezier, 2, samples, 3}, {mixed, 2, NULL, 0}},
         4},
        {{"a", "instance", "s", "t"}, {{bezier, 2, NULL, 0}, {mixed, 3, NULL, 0}}, 2},
        {{"b", "r_euler"}, {{bezier, 2, NULL, 0}, {mixed, 3, NULL, 0}, {0}}, 3},
        {{"b", "enabled"}, {{mixed, 2, NULL, 0}}, 1},
        {{"b", "instance", "blendshape", "K 1", "value"}, {{bezier, 2, samples, 3}}, 1},
    };
    static const struct stf_track scaled = {{"b", "s"}, {{mixed, 3, NULL, 0}}, 3};
    stf_builder_node(builder, "a", "A", "prefab", &stf_identity);
    stf_builder_node(builder, "b", "B", "a", &stf_identity);
    stf_builder_bind(builder, "b", "a", "s");
    stf_builder_armature(builder, "A", "A", bones, 2);
    stf_builder_humanoid(builder, "A", "u", "planti");
    stf_builder_part(builder, "u", "hip", "h", limits);
    stf_builder_armature_instance(builder, "i", "a", "A");
    stf_builder_pose(builder, "i", "s", &stf_identity);
    stf_builder_added_component(builder, "i", "s", "c", "x.c");
    stf_builder_modified_component(builder, "i", "h", "d", json_pack("{s:i}", "w", 1));
    stf_builder_component(builder, "h", "d", "x.d");
    stf_builder_mesh(builder, "m", "M", &blendshape, 1);
    stf_builder_skin(builder, "m", "A", order, 2);
    stf_builder_mesh_instance(builder, "j", "b", "m", "a");
    stf_builder_animation(builder, &(struct stf_animation){.id = "z",
                                                           .name = "Z",
                                                           .fps = 1,
                                                           .range = {0, 2},
                                                           .tracks = &scaled,
                                                           .track_count = 1});
    stf_builder_animation(builder, &(struct stf_animation){.id = "y",
                                                           .name = "Y",
                                                           .loop = "loop",
                                                           .fps = 1,
                                                           .range = {0, 2},
                                                           .reset = "z",
                                                           .tracks = tracks,
                                                           .track_count = 5,
                                                           .tracks_baked = &scaled,
                                                           .track_baked_count = 1});
    stf_builder_blendtree(builder, "t", "T", 2);
    stf_builder_place(builder, "t", "y", 1, 1);
    stf_builder_place(builder, "t", "z", 0, 0);
}

typedef void describe(struct stf_builder *builder);

static unsigned char *make_file(describe *description, struct stf_layout layout, size_t *size_bytes)
{
    static struct stf_builder builder;
    stf_builder_start(&builder, layout);
    description(&builder);
    unsigned char *const bytes = stf_builder_file(&builder, size_bytes);
    stf_builder_free(&builder);
    return bytes;
}

/// Writes a file into the test's folder.
/// @return its path, good until the next call
static const char *write_stf(const char *name, describe *description, struct stf_layout layout)
{
    static char path[600];
    size_t size_bytes;
    unsigned char *const bytes = make_file(description, layout, &size_bytes);
    write_text(name, (const char *)bytes, size_bytes);
    free(bytes);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// ---- compiled and open ----

struct compiled {
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    struct report report;
};

/// Compiles a file; the caller frees the bytes.
static struct compiled compile(const char *path, bool is_exact)
{
    const struct compile_input input = {.path = path, .is_exact = is_exact};
    const struct compile_options options = {.inputs = &input, .input_count = 1};
    struct compiled compiled = {0};
    if (!compile_pack(&options, &compiled.bytes, &compiled.size_bytes, &compiled.report)) {
        fail_msg("%s", compiled.report.first_error);
    }
    assert_int_equal(trp_pack_open(compiled.bytes, compiled.size_bytes, &compiled.pack, NULL),
                     TRP_OK);
    return compiled;
}

static struct compiled compile_described(describe *description, bool is_exact)
{
    return compile(write_stf("described.stf", description, newest), is_exact);
}

static trp_clip clip_named(const struct compiled *compiled, const char *name)
{
    trp_clip clip;
    const uint32_t index = trp_pack_find_clip(&compiled->pack, trp_name_hash(name));
    if (trp_pack_clip(&compiled->pack, index, &clip) != TRP_OK) {
        fail_msg("no clip '%s'", name);
    }
    return clip;
}

static trp_instance instance_at(const struct compiled *compiled, uint32_t index)
{
    trp_instance instance;
    assert_int_equal(trp_pack_instance(&compiled->pack, index, &instance), TRP_OK);
    return instance;
}

static trp_skeleton skeleton_at(const struct compiled *compiled, uint32_t index)
{
    trp_skeleton skeleton;
    assert_int_equal(trp_pack_skeleton(&compiled->pack, index, &skeleton), TRP_OK);
    return skeleton;
}

static _Alignas(TRP_ALIGNMENT) trp_pose_block pose[BLOCK_COUNT];
static float values[VALUE_COUNT];

/// Samples into `pose` and `values`.
static void sample(const trp_clip *clip, double time_s)
{
    static _Alignas(TRP_ALIGNMENT) unsigned char scratch[1 << 16];
    assert_true(clip->block_count <= BLOCK_COUNT && clip->value_count <= VALUE_COUNT);
    const trp_sample_request request = {
        .clip = clip,
        .time_s = time_s,
        .pose = clip->block_count > 0 ? pose : NULL,
        .values = clip->value_count > 0 ? values : NULL,
    };
    const trp_sample_args args = {
        .requests = &request,
        .request_count = 1,
        .scratch = scratch,
        .scratch_bytes = sizeof scratch,
    };
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
}

/// Returns the transform of a lane.
static struct stf_trs lane_of(const trp_pose_block *blocks, uint32_t lane)
{
    const trp_pose_block *const block = &blocks[lane / TRP_BLOCK_LANES];
    struct stf_trs trs;
    for (int i = 0; i < 4; i++) {
        trs.rotation[i] = (double)block->rotation[i][lane % TRP_BLOCK_LANES];
    }
    for (int i = 0; i < 3; i++) {
        trs.translation[i] = (double)block->translation[i][lane % TRP_BLOCK_LANES];
        trs.scale[i] = (double)block->scale[i][lane % TRP_BLOCK_LANES];
    }
    return trs;
}

static void assert_trs(struct stf_trs trs, struct stf_trs expected, double tolerance)
{
    double dot = 0;
    for (int i = 0; i < 4; i++) {
        dot += trs.rotation[i] * expected.rotation[i];
    }
    for (int i = 0; i < 4; i++) {
        assert_close(trs.rotation[i], dot < 0 ? -expected.rotation[i] : expected.rotation[i],
                     tolerance);
    }
    for (int i = 0; i < 3; i++) {
        assert_close(trs.translation[i], expected.translation[i], tolerance);
        assert_close(trs.scale[i], expected.scale[i], tolerance);
    }
}

static uint32_t lane_named(const trp_skeleton *skeleton, const char *name)
{
    const uint32_t joint = trp_skeleton_find_joint(skeleton, trp_name_hash(name));
    assert_true(joint < skeleton->joint_count);
    return skeleton->lane_of_joint[joint];
}

static uint32_t lane_of_bone(const trp_instance *instance, const char *id)
{
    const uint32_t bone = trp_instance_find_bone(instance, trp_name_hash(id));
    assert_true(bone < instance->bone_count);
    assert_string_equal(trp_instance_bone_id(instance, bone), id);
    return instance->lane_of_bone[bone];
}

// ---- animations ----

/// The words of the format on bezier keys, by bisection.
static double bezier_at(const struct stf_key *keys, uint32_t count, double frame)
{
    uint32_t at = 0;
    while (at + 2 < count && frame >= keys[at + 1].frame) {
        at++;
    }
    const struct stf_key *const a = &keys[at];
    const struct stf_key *const b = a + 1;
    const double x[4] = {a->frame, a->frame + a->out[0], b->frame + b->in[0], b->frame};
    const double y[4] = {a->value, a->value - a->out[1], b->value - b->in[1], b->value};
    double low = 0;
    double high = 1;
    double result[2] = {0, 0};
    for (int step = 0; step < 100; step++) {
        const double u = (low + high) / 2;
        const double v = 1 - u;
        result[0] =
            v * v * v * x[0] + 3 * v * v * u * x[1] + 3 * v * u * u * x[2] + u * u * u * x[3];
        result[1] =
            v * v * v * y[0] + 3 * v * v * u * y[1] + 3 * v * u * u * y[2] + u * u * u * y[3];
        *(result[0] < frame ? &low : &high) = u;
    }
    return result[1];
}

static double frame_time_s(double frame)
{
    return (frame - 1) / 24;
}

static void test_stf_bezier_example_gives_its_numbers_in_every_layout(void **state)
{
    (void)state;
    static const double frames[] = {2, 4, 8, 8.5, 12};
    static const double numbers[] = {-0.7239853, -0.6528871, -0.4878443, -0.4669955, -0.3275222};
    for (int i = 0; i < 2 * LAYOUT_COUNT; i++) {
        const bool is_exact = i % 2 == 0;
        struct compiled compiled =
            compile(write_stf("move.stf", describe_move, layouts[i / 2]), is_exact);
        const trp_clip clip = clip_named(&compiled, "Move");
        const trp_skeleton skeleton = skeleton_at(&compiled, clip.skeleton_index);
        const uint32_t lane = lane_named(&skeleton, "Moved");
        assert_close(clip.duration_s, 15.0 / 24, 1e-9);
        for (int k = 0; k < 5; k++) {
            sample(&clip, frame_time_s(frames[k]));
            const struct stf_trs trs = lane_of(pose, lane);
            assert_close(trs.translation[0], numbers[k], 1e-6);
            assert_close(trs.translation[1], bezier_at(moved_y, 2, frames[k]), 1e-6);
            assert_close(trs.translation[2], bezier_at(moved_z, 2, frames[k]), 1e-6);
        }
        free(compiled.bytes);
    }
}

static void test_stf_every_layout_gives_the_same_pack(void **state)
{
    (void)state;
    static describe *const descriptions[] = {describe_move, describe_trees, describe_body};
    for (int i = 0; i < 3; i++) {
        struct compiled first = compile(write_stf("same.stf", descriptions[i], layouts[0]), false);
        for (int layout = 1; layout < LAYOUT_COUNT; layout++) {
            struct compiled other =
                compile(write_stf("same.stf", descriptions[i], layouts[layout]), false);
            assert_int_equal(first.size_bytes, other.size_bytes);
            assert_memory_equal(first.bytes, other.bytes, first.size_bytes);
            free(other.bytes);
        }
        free(first.bytes);
    }
}

static void test_stf_blendshape_plays_by_name(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_move, true);
    const trp_clip clip = clip_named(&compiled, "Move");
    trp_property_set set;
    trp_property property;
    assert_int_equal(trp_pack_property_set(&compiled.pack, clip.property_set_index, &set), TRP_OK);
    const uint32_t index =
        trp_property_set_find(&set, trp_name_hash("/moved/instance/blendshape/Key 1/value"));
    assert_int_equal(trp_property_set_property(&set, index, &property), TRP_OK);
    assert_int_equal(property.type, TRP_PROPERTY_FLOAT);
    assert_int_equal(property.value_count, 1);
    assert_string_equal(trp_property_set_label(&set, property.first_value), "Key 1");
    assert_float_equal(set.defaults[property.first_value], 0, 0);
    for (double frame = 1; frame <= 16; frame += 0.25) {
        sample(&clip, frame_time_s(frame));
        assert_close((double)values[property.first_value], bezier_at(key_1, 3, frame), 1e-6);
    }
    free(compiled.bytes);
    struct outcome outcome = run("compile", "described.stf", "-o", "move.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const object = expect_json(run("sample", "move.trp", "--clip", "Move", "--time", "0.25",
                                           "--property", "Key 1", "--json", NULL),
                                       "sample");
    const json_t *const first = json_array_get(json_object_get(object, "samples"), 0);
    const json_t *const shown = json_array_get(json_object_get(first, "properties"), 0);
    double value;
    numbers_of(shown, "values", &value, 1);
    assert_close(value, bezier_at(key_1, 3, 7), 1e-5);
    json_decref(object);
}

static void test_stf_packs_keep_their_budget_and_verify(void **state)
{
    (void)state;
    static describe *const descriptions[] = {describe_move, describe_pair, describe_trees,
                                             describe_all};
    static const char *const exact[] = {"--exact=off", "--exact=on"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            write_stf("verified.stf", descriptions[i], newest);
            struct outcome outcome =
                run("compile", exact[k], "verified.stf", "-o", "verified.trp", NULL);
            expect_success(&outcome);
            discard(&outcome);
            json_t *const verified = expect_json(
                run("verify", "verified.trp", "verified.stf", "--json", NULL), "verify");
            assert_true(json_is_true(json_object_get(verified, "ok")));
            json_decref(verified);
        }
    }
}

static void describe_swing(struct stf_builder *builder)
{
    static const struct stf_key keys[] = {
        {.frame = 0, .value = 0, .out = {10 / 3.0, -1}},
        {.frame = 10, .value = 0, .out = {0, 0}, .in = {-10 / 3.0, 1}},
    };
    static const struct stf_track track = {
        .target = {"moved", "t"}, .subtracks = {{keys, 2, NULL, 0}}, .subtrack_count = 3};
    stf_builder_node(builder, "moved", "Moved", "prefab", &stf_identity);
    stf_builder_animation(builder, &(struct stf_animation){.id = "swing",
                                                           .name = "Swing",
                                                           .fps = 10,
                                                           .range = {0, 10},
                                                           .tracks = &track,
                                                           .track_count = 1});
}

/// Runs `troupe sample` and returns the joint of this name; the caller frees `*object`.
static json_t *sampled_joint(const char *pack, const char *clip, const char *time_s,
                             const char *space, const char *name, json_t **object)
{
    *object = expect_json(
        run("sample", pack, "--clip", clip, "--time", time_s, "--space", space, "--json", NULL),
        "sample");
    json_t *const first = json_array_get(json_object_get(*object, "samples"), 0);
    return named(json_object_get(first, "joints"), name);
}

static void test_stf_tangents_are_taken_away_or_added(void **state)
{
    (void)state;
    static const char *const rules[] = {"negated", "added"};
    write_stf("swing.stf", describe_swing, newest);
    for (int i = 0; i < 2; i++) {
        struct outcome outcome = run("compile", "--exact", "--stf-tangents", rules[i], "swing.stf",
                                     "-o", "swing.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        json_t *object;
        double translation[3];
        numbers_of(sampled_joint("swing.trp", "Swing", "0.25", "local", "Moved", &object),
                   "translation", translation, 3);
        json_decref(object);
        assert_close(translation[0], i == 0 ? 0.28125 : -0.28125, 1e-6);
    }
    expect_refusal(run("compile", "--stf-tangents", "half", "swing.stf", "-o", "x.trp", NULL), 1,
                   "--stf-tangents");
}

static void test_stf_clips_say_how_they_play(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_trees, true);
    static const struct {
        const char *clip;
        trp_play_mode mode;
        double x_after_1_5_s;
    } cases[] = {
        {"stand", TRP_PLAY_CLAMP, 0.25},
        {"walk", TRP_PLAY_LOOP, 0.5},
        {"run", TRP_PLAY_PING_PONG, 1.5},
    };
    for (int i = 0; i < 3; i++) {
        const trp_clip clip = clip_named(&compiled, cases[i].clip);
        const trp_skeleton skeleton = skeleton_at(&compiled, clip.skeleton_index);
        assert_string_equal(clip.source_id, cases[i].clip);
        assert_int_equal(trp_clip_play_mode(&clip), cases[i].mode);
        trp_timeline timeline;
        const trp_timeline_args made = {.clip = &clip, .mode = trp_clip_play_mode(&clip)};
        assert_int_equal(trp_timeline_make(&made, &timeline), TRP_OK);
        trp_playhead playhead = trp_playhead_start(&timeline, 0);
        const trp_playhead_args move = {.timelines = &timeline,
                                        .timeline_count = 1,
                                        .playheads = &playhead,
                                        .playhead_count = 1,
                                        .dt_s = 1.5};
        assert_int_equal(trp_playheads_advance(&move, NULL), TRP_OK);
        sample(&clip, trp_playhead_time_s(&timeline, &playhead));
        const struct stf_trs trs = lane_of(pose, lane_named(&skeleton, "Moved"));
        assert_close(trs.translation[0], cases[i].x_after_1_5_s, 1e-6);
    }
    free(compiled.bytes);
}

static void test_stf_blend_trees_weigh_their_clips(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_trees, false);
    static const char *const clips[] = {"stand", "walk", "run"};
    assert_int_equal(compiled.pack.blendtree_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        trp_blendtree tree;
        assert_int_equal(trp_pack_blendtree(&compiled.pack, i, &tree), TRP_OK);
        assert_string_equal(tree.name, i == 0 ? "Speed" : "Way");
        assert_string_equal(tree.id, i == 0 ? "speed" : "way");
        assert_int_equal(tree.dimensions, i + 1);
        assert_int_equal(tree.count, 3);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(tree.clips[k],
                             trp_pack_find_clip(&compiled.pack, trp_name_hash(clips[k])));
        }
    }
    trp_blendtree speed;
    float weights[3];
    assert_int_equal(trp_pack_find_blendtree(&compiled.pack, trp_name_hash("Speed")), 0);
    trp_pack_blendtree(&compiled.pack, 0, &speed);
    assert_int_equal(trp_blendtree_weights(&speed, 2.125f, 0, weights), TRP_OK);
    assert_float_equal(weights[0], 0, 0);
    assert_float_equal(weights[1], 0.75f, 1e-6);
    assert_float_equal(weights[2], 0.25f, 1e-6);
    trp_blendtree way;
    trp_pack_blendtree(&compiled.pack, 1, &way);
    assert_int_equal(trp_blendtree_weights(&way, 0, 1, weights), TRP_OK);
    assert_float_equal(weights[0], 0, 1e-6);
    assert_float_equal(weights[1], 1, 1e-6);
    assert_float_equal(weights[2], 0, 1e-6);
    free(compiled.bytes);
}

// ---- instances ----

/// Where bones of the pair stand against their parents: by the armature, and on the left.
static const struct {
    const char *id;
    double length;
    struct stf_trs rest;
    struct stf_trs left;
} pair_bones[] = {
    {"hip",
     0.25,
     {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}},
     {{0, 0.75, -0.125}, {0, 0, 0, 1}, {1, 1, 1}}},
    {"spine",
     0.5,
     {{0, 0.25, 0}, {0.70710678, 0, 0, 0.70710678}, {1, 1, 1}},
     {{0, 0.25, 0}, {0.70710678, 0, 0, 0.70710678}, {1, 1, 1}}},
    {"arm",
     0.75,
     {{0.25, 0, -0.25}, {-0.5, 0.5, 0.5, 0.5}, {1, 1, 1}},
     {{0.5, 0.25, 0}, {0, 0.6, 0, 0.8}, {1.5, 1, 0.5}}},
    {"hand",
     0.125,
     {{0, 0.75, 0}, {0, 0, 0, 1}, {1, 1, 1}},
     {{0, 0.75, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
};

static void test_stf_instances_stand_as_they_are_posed(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_pair, false);
    assert_int_equal(compiled.pack.instance_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const trp_instance instance = instance_at(&compiled, i);
        const trp_skeleton skeleton = skeleton_at(&compiled, instance.skeleton_index);
        assert_string_equal(instance.name, i == 0 ? "Left" : "Right");
        assert_int_equal(instance.name_hash, trp_name_hash(instance.name));
        assert_string_equal(instance.id, i == 0 ? "left" : "right");
        assert_string_equal(instance.armature_name, "Armature");
        assert_string_equal(instance.armature_id, "armature");
        assert_int_equal(instance.bone_count, 4);
        for (uint32_t bone = 0; bone < 4; bone++) {
            const uint32_t lane = lane_of_bone(&instance, pair_bones[bone].id);
            const uint32_t joint = skeleton.joint_of_lane[lane];
            assert_string_equal(trp_skeleton_joint_id(&skeleton, joint), pair_bones[bone].id);
            assert_close((double)instance.length_of_bone[bone], pair_bones[bone].length, 0);
            assert_trs(lane_of(skeleton.rest, lane), pair_bones[bone].rest, 1e-6);
            assert_trs(lane_of(instance.pose, lane),
                       i == 0 ? pair_bones[bone].left : pair_bones[bone].rest, 1e-6);
        }
        assert_int_equal(trp_instance_find_bone(&instance, trp_name_hash("Hip")), TRP_NONE);
        trp_humanoid humanoid;
        assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_ERROR_MISMATCH);
    }
    free(compiled.bytes);
}

static void test_stf_clips_play_over_the_pose_of_an_instance(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_pair, true);
    const trp_instance left = instance_at(&compiled, 0);
    const trp_instance right = instance_at(&compiled, 1);
    const trp_skeleton skeleton = skeleton_at(&compiled, left.skeleton_index);
    const uint32_t waving = lane_of_bone(&right, "arm");
    assert_int_equal(compiled.pack.skeleton_count, 1);
    assert_int_not_equal(waving, lane_of_bone(&left, "arm"));
    trp_clip clip = clip_named(&compiled, "Wave");
    assert_int_equal(trp_clip_bind_instance(&clip, &left), TRP_OK);
    sample(&clip, 0.5);
    for (uint32_t lane = 0; lane < skeleton.lane_count; lane++) {
        struct stf_trs expected = lane_of(left.pose, lane);
        if (lane == waving) {
            memcpy(expected.rotation, (double[4]){0, 0, turned, turned}, sizeof expected.rotation);
        }
        assert_trs(lane_of(pose, lane), expected, lane == waving ? 1e-6 : 0);
    }
    assert_int_equal(trp_clip_bind(&clip, &skeleton), TRP_OK);
    sample(&clip, 0.5);
    for (uint32_t lane = 0; lane < skeleton.lane_count; lane++) {
        if (lane != waving) {
            assert_trs(lane_of(pose, lane), lane_of(skeleton.rest, lane), 0);
        }
    }
    free(compiled.bytes);
}

static void test_stf_components_without_keys_stay_as_the_instance_is_posed(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_pair, true);
    const trp_instance left = instance_at(&compiled, 0);
    const trp_clip clip = clip_named(&compiled, "Lift");
    sample(&clip, 0.5);
    const struct stf_trs hip = lane_of(pose, lane_of_bone(&left, "hip"));
    assert_close(hip.translation[0], 0, 0);
    assert_close(hip.translation[1], 1, 1e-6);
    assert_close(hip.translation[2], -0.125, 0);
    free(compiled.bytes);
}

static void describe_still(struct stf_builder *builder)
{
    describe_pair(builder);
    json_array_clear(json_object_get(stf_builder_find(builder, "prefab"), "animations"));
    json_object_del(builder->resources, "lift");
    json_object_del(builder->resources, "wave");
}

static void test_stf_instance_without_animation_gives_its_pose(void **state)
{
    (void)state;
    write_stf("still.stf", describe_still, newest);
    struct outcome outcome = run("compile", "still.stf", "-o", "still.trp", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.err, "holds no animation"));
    assert_non_null(strstr(outcome.err, "[stf.still]"));
    discard(&outcome);
    json_t *const object =
        expect_json(run("sample", "still.trp", "--instance", "Left", "--json", NULL), "sample");
    json_t *const first = json_array_get(json_object_get(object, "samples"), 0);
    struct stf_trs arm;
    const json_t *const shown = named(json_object_get(first, "joints"), "Arm");
    numbers_of(shown, "translation", arm.translation, 3);
    numbers_of(shown, "rotation", arm.rotation, 4);
    numbers_of(shown, "scale", arm.scale, 3);
    assert_trs(arm, pair_bones[2].left, 1e-6);
    json_decref(object);
    struct compiled compiled = compile_described(describe_still, false);
    assert_int_equal(compiled.pack.clip_count, 0);
    assert_int_equal(compiled.pack.skeleton_count, 1);
    assert_int_equal(compiled.pack.instance_count, 2);
    const trp_instance left = instance_at(&compiled, 0);
    for (uint32_t bone = 0; bone < 4; bone++) {
        assert_trs(lane_of(left.pose, lane_of_bone(&left, pair_bones[bone].id)),
                   pair_bones[bone].left, 1e-6);
    }
    free(compiled.bytes);
}

/// Returns the component of an instance with this id and kind; fails where there is none.
static trp_component component_of(const trp_instance *instance, const char *id,
                                  trp_component_kind kind)
{
    trp_component component = {0};
    for (uint32_t i = 0; trp_instance_component(instance, i, &component) == TRP_OK; i++) {
        if (component.kind == kind && component.id_hash == trp_name_hash(id)) {
            assert_string_equal(component.id, id);
            return component;
        }
    }
    fail_msg("no component '%s'", id);
    return component;
}

static json_t *json_of(const trp_component *component)
{
    json_t *const object = json_loads(component->json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    return object;
}

static void test_stf_components_are_found_at_run_time(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_pair, false);
    const trp_instance left = instance_at(&compiled, 0);
    const trp_instance right = instance_at(&compiled, 1);
    assert_int_equal(left.component_count, 4);
    assert_int_equal(right.component_count, 1);
    const trp_component twist = component_of(&left, "twist", TRP_COMPONENT_ADDED);
    const trp_component spring = component_of(&left, "spring", TRP_COMPONENT_ADDED);
    const trp_component capsule = component_of(&left, "capsule", TRP_COMPONENT_ARMATURE);
    const trp_component modified = component_of(&left, "capsule", TRP_COMPONENT_MODIFIED);
    assert_string_equal(twist.type, "stfexp.constraint.twist");
    assert_string_equal(spring.type, "example.spring");
    assert_string_equal(capsule.type, "example.capsule");
    assert_string_equal(modified.type, "example.capsule");
    assert_string_equal(trp_instance_bone_id(&left, twist.bone), "hip");
    assert_string_equal(trp_instance_bone_id(&left, spring.bone), "hip");
    assert_string_equal(trp_instance_bone_id(&left, capsule.bone), "arm");
    assert_string_equal(trp_instance_bone_id(&left, modified.bone), "arm");
    json_t *const added = json_of(&twist);
    assert_close(number_of(added, "weight"), 0.25, 0);
    json_decref(added);
    json_t *const whole = json_of(&capsule);
    assert_close(number_of(whole, "radius"), 0.125, 0);
    json_decref(whole);
    json_t *const changes = json_of(&modified);
    json_t *const expected = json_pack("{s:f, s:[f,f]}", "radius", 0.5, "offset", 0.0, 1.5);
    assert_true(json_equal(changes, expected));
    json_decref(changes);
    json_decref(expected);
    component_of(&right, "capsule", TRP_COMPONENT_ARMATURE);
    free(compiled.bytes);
}

static void test_stf_info_shows_pose_and_components(void **state)
{
    (void)state;
    write_stf("pair.stf", describe_pair, newest);
    struct outcome outcome = run("compile", "pair.stf", "-o", "pair.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const info = expect_json(run("info", "pair.trp", "--json", NULL), "info");
    json_t *const instances = json_object_get(info, "instances");
    assert_int_equal(json_array_size(instances), 2);
    json_t *const left = named(instances, "Left");
    assert_string_equal(string_of(left, "id"), "left");
    assert_string_equal(string_of(left, "armature"), "Armature");
    assert_int_equal((int)number_of(left, "posed_bones"), 2);
    assert_int_equal((int)number_of(named(instances, "Right"), "posed_bones"), 0);
    const json_t *const bones = json_object_get(left, "bones");
    assert_int_equal(json_array_size(bones), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *const bone = json_array_get(bones, i);
        struct stf_trs trs;
        numbers_of(bone, "translation", trs.translation, 3);
        numbers_of(bone, "rotation", trs.rotation, 4);
        numbers_of(bone, "scale", trs.scale, 3);
        assert_string_equal(string_of(bone, "id"), pair_bones[i].id);
        assert_close(number_of(bone, "length"), pair_bones[i].length, 0);
        assert_trs(trs, pair_bones[i].left, 1e-6);
    }
    const json_t *const components = json_object_get(left, "components");
    uint32_t modified = 0;
    uint32_t added = 0;
    assert_int_equal(json_array_size(components), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *const component = json_array_get(components, i);
        const json_t *const value = json_object_get(component, "json");
        if (strcmp(string_of(component, "kind"), "modified") == 0) {
            modified++;
            assert_string_equal(string_of(component, "bone_id"), "arm");
            assert_close(number_of(value, "radius"), 0.5, 0);
        } else if (strcmp(string_of(component, "id"), "twist") == 0) {
            added++;
            assert_string_equal(string_of(component, "kind"), "added");
            assert_string_equal(string_of(component, "bone_id"), "hip");
            assert_close(number_of(value, "weight"), 0.25, 0);
        }
    }
    assert_int_equal(modified, 1);
    assert_int_equal(added, 1);
    json_decref(info);
}

/// A node that hangs under a bone, and moves with both.
static void describe_bound(struct stf_builder *builder)
{
    const struct stf_bone bones[] = {
        {"hip", "Hip", -1, {0, 1, 0}, {0, 0, 0, 1}, 0.25},
        {"spine", "Spine", 0, {0, 1.25, 0}, {turned, 0, 0, turned}, 0.5},
    };
    static const struct stf_trs body = {{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    static const struct stf_key still[] = {{.frame = 0, .value = 0, .type = STF_KEY_LINEAR}};
    static const struct stf_key out[] = {
        {.frame = 0, .value = 0, .type = STF_KEY_LINEAR},
        {.frame = 10, .value = 2, .type = STF_KEY_LINEAR},
    };
    static const struct stf_track track = {
        .target = {"sword", "t"},
        .subtracks = {{still, 1, NULL, 0}, {still, 1, NULL, 0}, {out, 2, NULL, 0}},
        .subtrack_count = 3};
    stf_builder_node(builder, "body", "Body", "prefab", &body);
    stf_builder_node(builder, "sword", "Sword", "body", &stf_identity);
    stf_builder_bind(builder, "sword", "body", "spine");
    stf_builder_armature(builder, "armature", "Armature", bones, 2);
    stf_builder_armature_instance(builder, "body-instance", "body", "armature");
    stf_builder_animation(builder, &(struct stf_animation){.id = "draw",
                                                           .name = "Draw",
                                                           .fps = 10,
                                                           .range = {0, 10},
                                                           .tracks = &track,
                                                           .track_count = 1});
}

static void test_stf_node_under_a_bone_moves_from_there(void **state)
{
    (void)state;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        write_stf("bound.stf", describe_bound, layouts[layout]);
        struct outcome outcome = run("compile", "--exact", "bound.stf", "-o", "bound.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        json_t *object;
        double model[12];
        numbers_of(sampled_joint("bound.trp", "Draw", "0.5", "model", "Sword", &object), "model",
                   model, 12);
        json_decref(object);
        // A quarter turn about x takes z to -y.
        const double expected[12] = {1, 0, 0, 1, 0, 0, -1, 0.25, 0, 1, 0, 0};
        for (int i = 0; i < 12; i++) {
            assert_close(model[i], expected[i], 1e-6);
        }
    }
}

// ---- humanoids ----

static void test_stf_humanoid_maps_every_part(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_body, false);
    const trp_instance instance = instance_at(&compiled, 0);
    trp_humanoid humanoid;
    char names[PART_COUNT][16];
    part_names(names);
    assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_OK);
    assert_int_equal(humanoid.flags,
                     TRP_HUMANOID_DIGITIGRADE | TRP_HUMANOID_NO_JAW | TRP_HUMANOID_USE_TRANSLATION);
    const float settings[] = {humanoid.arm_stretch,     humanoid.upper_arm_twist,
                              humanoid.lower_arm_twist, humanoid.leg_stretch,
                              humanoid.upper_leg_twist, humanoid.lower_leg_twist,
                              humanoid.feet_spacing};
    static const float expected[] = {0.125f, 0.25f, 0.375f, 0.0625f, 0.625f, 0.75f, 0.875f};
    assert_memory_equal(settings, expected, sizeof expected);
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        const uint32_t part = trp_human_part_find(names[i]);
        char id[32];
        double limits[3][3];
        snprintf(id, sizeof id, "bone-%.15s", names[i]);
        assert_true(part < TRP_HUMAN_PART_COUNT);
        assert_int_equal(humanoid.lane_of_part[part], lane_of_bone(&instance, id));
        const bool is_limited = part_limits(i, limits);
        assert_int_equal(humanoid.limits[part].axes, is_limited ? 7 : 0);
        for (int k = 0; is_limited && k < 3; k++) {
            assert_close((double)humanoid.limits[part].primary[k], limits[0][k], 1e-6);
            assert_close((double)humanoid.limits[part].secondary[k], limits[1][k], 1e-6);
            assert_close((double)humanoid.limits[part].twist[k], limits[2][k], 1e-6);
        }
    }
    assert_int_equal(humanoid.lane_of_part[TRP_HUMAN_UPPER_CHEST], TRP_NO_LANE);
    assert_int_equal(trp_humanoid_lane(&humanoid, TRP_HUMAN_JAW), TRP_NO_LANE);
    assert_int_equal(trp_humanoid_lane(&humanoid, trp_human_part_find("foot.r")),
                     lane_of_bone(&instance, "bone-toes.r"));
    assert_int_equal(trp_humanoid_lane(&humanoid, trp_human_part_find("toes.r")), TRP_NO_LANE);
    assert_int_equal(trp_humanoid_part(&humanoid, lane_of_bone(&instance, "bone-neck")),
                     TRP_HUMAN_NECK);
    free(compiled.bytes);
}

static void test_stf_humanoid_clamps_when_asked(void **state)
{
    (void)state;
    struct compiled compiled = compile_described(describe_body, false);
    const trp_instance instance = instance_at(&compiled, 0);
    const trp_skeleton skeleton = skeleton_at(&compiled, instance.skeleton_index);
    trp_humanoid humanoid;
    double limits[3][3];
    part_limits(0, limits);
    assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_OK);
    const uint32_t hip = humanoid.lane_of_part[TRP_HUMAN_HIP];
    memcpy(pose, instance.pose, trp_pose_bytes(skeleton.block_count));
    trp_pose_block *const block = &pose[hip / TRP_BLOCK_LANES];
    const uint32_t lane = hip % TRP_BLOCK_LANES;
    block->rotation[0][lane] = (float)turned; // a quarter turn about x
    block->rotation[3][lane] = (float)turned;
    trp_pose_block *poses[] = {pose};
    const trp_humanoid_args args = {
        .humanoid = &humanoid, .skeleton = &skeleton, .poses = poses, .pose_count = 1};
    assert_int_equal(trp_humanoid_clamp(&args), TRP_OK);
    const struct stf_trs trs = lane_of(pose, hip);
    assert_close(2 * atan2(trs.rotation[0], trs.rotation[3]), limits[0][2], 1e-5);
    free(compiled.bytes);
}

static void test_stf_info_shows_parts_and_limits_in_radians(void **state)
{
    (void)state;
    write_stf("body.stf", describe_body, newest);
    struct outcome outcome = run("compile", "body.stf", "-o", "body.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const info = expect_json(run("info", "body.trp", "--json", NULL), "info");
    const json_t *const humanoid =
        json_object_get(named(json_object_get(info, "instances"), "Body"), "humanoid");
    assert_string_equal(string_of(humanoid, "locomotion"), "digi");
    assert_true(json_is_true(json_object_get(humanoid, "no_jaw")));
    assert_close(number_of(json_object_get(humanoid, "settings"), "arm_stretch"), 0.125, 0);
    const json_t *const parts = json_object_get(humanoid, "parts");
    char names[PART_COUNT][16];
    part_names(names);
    assert_int_equal(json_object_size(parts), PART_COUNT);
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        static const char *const axes[] = {"primary", "secondary", "twist"};
        const json_t *const part = json_object_get(parts, names[i]);
        const json_t *const shown = json_object_get(part, "limits");
        double limits[3][3];
        assert_string_equal(string_of(part, "joint"), names[i]);
        if (!part_limits(i, limits)) {
            assert_int_equal(json_object_size(shown), 0);
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            double numbers[3];
            numbers_of(shown, axes[axis], numbers, 3);
            for (int k = 0; k < 3; k++) {
                assert_close(numbers[k], limits[axis][k], 1e-6);
            }
        }
    }
    json_decref(info);
}

// ---- files as they come ----

static void test_stf_real_file_without_animation_says_so(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    if (assets == NULL) {
        skip();
    }
    char path[600];
    snprintf(path, sizeof path, "%s/samples/stf/default_cube.stf", assets);
    struct outcome outcome = run("compile", path, "-o", "cube.trp", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.err, "holds no animation"));
    assert_non_null(strstr(outcome.err, "warning: "));
    discard(&outcome);
    json_t *const info = expect_json(run("info", "cube.trp", "--json", NULL), "info");
    assert_int_equal(json_array_size(json_object_get(info, "clips")), 0);
    json_decref(info);
}

static void test_stf_every_truncation_is_refused(void **state)
{
    (void)state;
    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        size_t size_bytes;
        unsigned char *const bytes = make_file(describe_all, layouts[layout], &size_bytes);
        assert_true(stf_exercise(bytes, size_bytes));
        for (size_t size = 0; size < size_bytes; size++) {
            assert_false(stf_exercise(bytes, size));
        }
        free(bytes);
    }
}

static void test_stf_mutation_of_any_byte_is_refused_or_keeps_the_promises(void **state)
{
    (void)state;
    for (int layout = 0; layout < LAYOUT_COUNT; layout += 3) {
        size_t size_bytes;
        uint32_t refused = 0;
        uint32_t total = 0;
        unsigned char *const bytes = make_file(describe_all, layouts[layout], &size_bytes);
        for (size_t at = 0; at < size_bytes; at++) {
            const unsigned char kept = bytes[at];
            const unsigned char others[] = {(unsigned char)(kept + 1), (unsigned char)(kept ^ 0x40),
                                            '9'};
            bytes[at] = others[at % 3];
            refused += stf_exercise(bytes, size_bytes) ? 0 : 1;
            total++;
            bytes[at] = kept;
        }
        free(bytes);
        // Most of the file is JSON, which few mutations survive; both answers must occur.
        assert_true(refused > total / 4 && refused < total);
    }
}

// ---- the corpus ----

/// Small files of the kinds that are cheap to write and could be costly to read.
static void describe_angles(struct stf_builder *builder)
{
    static const struct stf_key keys[] = {
        {.frame = 0, .value = 0, .type = STF_KEY_LINEAR},
        {.frame = 10, .value = 600, .type = STF_KEY_LINEAR},
        {.frame = 20, .value = 1e6, .type = STF_KEY_LINEAR},
    };
    static const struct stf_track tracks[] = {
        {.target = {"first", "r_euler"}, .subtracks = {{keys, 3, NULL, 0}}, .subtrack_count = 3},
        {.target = {"second", "r_euler"},
         .subtracks = {{0}, {keys, 2, NULL, 0}},
         .subtrack_count = 3},
    };
    stf_builder_node(builder, "first", "First", "prefab", &stf_identity);
    stf_builder_node(builder, "second", "Second", "prefab", &stf_identity);
    stf_builder_animation(builder, &(struct stf_animation){.id = "turn",
                                                           .name = "Turn",
                                                           .fps = 10,
                                                           .range = {0, 20},
                                                           .tracks = tracks,
                                                           .track_count = 2});
}

static void describe_wide(struct stf_builder *builder)
{
    static const struct stf_track track = {.target = {"lamp", "components", "light", "x"},
                                           .subtracks = {{moved_x, 2, NULL, 0}},
                                           .subtrack_count = 2};
    const struct stf_animation animation = {
        .name = "", .fps = 10, .range = {0, 20}, .tracks = &track, .track_count = 1};
    stf_builder_node(builder, "lamp", "Lamp", "prefab", &stf_identity);
    stf_builder_component(builder, "lamp", "light", "example.light");
    for (size_t count = 2; count <= 128; count *= 8) {
        struct stf_animation wide = animation;
        char id[16];
        snprintf(id, sizeof id, "%zu", count);
        wide.id = id;
        json_t *const tracks = json_object_get(stf_builder_animation(builder, &wide), "tracks");
        json_t *const subtracks = json_object_get(json_array_get(tracks, 0), "subtracks");
        while (json_array_size(subtracks) < count) {
            json_array_append_new(subtracks, json_null());
        }
    }
}

static void describe_resets(struct stf_builder *builder)
{
    static const struct stf_track track = {
        .target = {"moved", "t"}, .subtracks = {{moved_x, 2, NULL, 0}}, .subtrack_count = 3};
    stf_builder_node(builder, "moved", "Moved", "prefab", &stf_identity);
    for (int i = 69; i >= 0; i--) {
        char id[16];
        char reset[16];
        snprintf(id, sizeof id, "%d", i);
        snprintf(reset, sizeof reset, "%d", i + 1);
        stf_builder_animation(builder, &(struct stf_animation){.id = id,
                                                               .name = "",
                                                               .fps = 1,
                                                               .range = {0, 1},
                                                               .reset = i < 69 ? reset : NULL,
                                                               .tracks = &track,
                                                               .track_count = i >= 66});
    }
}

static const struct {
    const char *name;
    describe *description;
} corpus[] = {
    {"all", describe_all},       {"angles", describe_angles}, {"bound", describe_bound},
    {"move", describe_move},     {"pair", describe_pair},     {"person", describe_person},
    {"resets", describe_resets}, {"swing", describe_swing},   {"trees", describe_trees},
    {"wide", describe_wide},
};

static bool write_corpus(void)
{
    const char *const root = getenv("TROUPE_SOURCE_ROOT");
    bool ok = true;
    for (size_t i = 0; i < sizeof corpus / sizeof *corpus; i++) {
        for (int layout = 0; layout < LAYOUT_COUNT; layout += 3) {
            char path[600];
            struct report report = {0};
            size_t size_bytes;
            unsigned char *const bytes =
                make_file(corpus[i].description, layouts[layout], &size_bytes);
            snprintf(path, sizeof path, "%s/tests/fuzz/corpus/stf/%s%s.stf",
                     root != NULL ? root : ".", corpus[i].name, layout > 0 ? "_old" : "");
            ok = file_write(path, bytes, size_bytes, &report) && ok;
            free(bytes);
        }
    }
    return ok;
}

static int set_up(void **state)
{
    (void)state;
    return cli_program_setup();
}

static int tear_down(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--update") == 0) {
        return write_corpus() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stf_bezier_example_gives_its_numbers_in_every_layout),
        cmocka_unit_test(test_stf_every_layout_gives_the_same_pack),
        cmocka_unit_test(test_stf_blendshape_plays_by_name),
        cmocka_unit_test(test_stf_packs_keep_their_budget_and_verify),
        cmocka_unit_test(test_stf_tangents_are_taken_away_or_added),
        cmocka_unit_test(test_stf_clips_say_how_they_play),
        cmocka_unit_test(test_stf_blend_trees_weigh_their_clips),
        cmocka_unit_test(test_stf_instances_stand_as_they_are_posed),
        cmocka_unit_test(test_stf_clips_play_over_the_pose_of_an_instance),
        cmocka_unit_test(test_stf_components_without_keys_stay_as_the_instance_is_posed),
        cmocka_unit_test(test_stf_instance_without_animation_gives_its_pose),
        cmocka_unit_test(test_stf_components_are_found_at_run_time),
        cmocka_unit_test(test_stf_info_shows_pose_and_components),
        cmocka_unit_test(test_stf_node_under_a_bone_moves_from_there),
        cmocka_unit_test(test_stf_humanoid_maps_every_part),
        cmocka_unit_test(test_stf_humanoid_clamps_when_asked),
        cmocka_unit_test(test_stf_info_shows_parts_and_limits_in_radians),
        cmocka_unit_test(test_stf_real_file_without_animation_says_so),
        cmocka_unit_test(test_stf_every_truncation_is_refused),
        cmocka_unit_test(test_stf_mutation_of_any_byte_is_refused_or_keeps_the_promises),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
