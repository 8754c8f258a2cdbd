// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Root motion as the compiler takes it from a joint: walkers written as glTF whose way is a
// formula, compiled, looked at in the pack, and measured by verify.
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
#include "format.h"
#include "gltf_builder.h"

#include "cli_program.h"

#define MOST_KEYS 200

static const double turn = 6.283185307179586;

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

// ---- Walkers -----------------------------------------------------------------------------------

/// `hips` under `armature`, with a nodding `head`; zero: the hips rest, the armature is the world.
struct walker {
    uint32_t key_count;
    double rate_hz;                 // 0: 30
    double start_s;                 // of the first key
    double last_s;                  // of the last one, where it is not in the rhythm
    const char *how;                // interpolation of the hips, null: LINEAR
    float places[MOST_KEYS * 3][3]; // of the hips; three a key where CUBICSPLINE
    bool is_turning;
    bool is_turning_cubic;         // as CUBICSPLINE too, else LINEAR where the places are
    float turns[MOST_KEYS * 3][4]; // likewise
    const char *armature; // JSON members of that node, each preceded by a comma; may be null
    const char *above;    // likewise of a node above that, which is there where not null
    bool moves_armature;
    bool holds_armature; // with a track that keeps it where it is
    bool is_still;       // the hips have no track
};

static double time_of(const struct walker *walker, uint32_t key)
{
    return walker->last_s > 0 && key + 1 == walker->key_count
               ? walker->last_s
               : walker->start_s + key / (walker->rate_hz > 0 ? walker->rate_hz : 30.0);
}

static void set_place(struct walker *walker, uint32_t key, double x, double y, double z)
{
    walker->places[key][0] = (float)x;
    walker->places[key][1] = (float)y;
    walker->places[key][2] = (float)z;
}

/// Turns the hips about an axis of the armature.
static void set_turn(struct walker *walker, uint32_t key, int axis, double turns)
{
    walker->is_turning = true;
    memset(walker->turns[key], 0, sizeof walker->turns[key]);
    walker->turns[key][axis] = (float)sin(0.5 * turns * turn);
    walker->turns[key][3] = (float)cos(0.5 * turns * turn);
}

static const char *write_walker(const char *name, const struct walker *walker)
{
    static char paths[4][512];
    static int next;
    char *const path = paths[next++ % 4];
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const bool is_cubic = walker->how != NULL && strcmp(walker->how, "CUBICSPLINE") == 0;
    const char *const how = walker->how != NULL ? walker->how : "LINEAR";
    float times[MOST_KEYS];
    float nods[MOST_KEYS][4] = {{0}};
    float held[MOST_KEYS][3] = {{0}};
    const uint32_t count = walker->key_count;
    for (uint32_t key = 0; key < count; key++) {
        times[key] = (float)time_of(walker, key);
        const double phase = (double)key / (count - 1);
        nods[key][0] = (float)sin(0.2 * sin(turn * phase));
        nods[key][3] = (float)cos(0.2 * sin(turn * phase));
        held[key][0] = walker->moves_armature ? (float)key : 0;
    }
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"armature\",\"children\":[1]%s}",
                     walker->armature != NULL ? walker->armature : "");
    gltf_builder_add(&builder, GLTF_NODES,
                     "{\"name\":\"hips\",\"translation\":[0,1,0],\"children\":[2]}");
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"head\",\"translation\":[0,0.5,0]}");
    if (walker->above != NULL) {
        gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"above\",\"children\":[0]%s}",
                         walker->above);
    }
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[1,2]}");
    const uint32_t input = gltf_builder_floats(&builder, 1, count, times);
    const uint32_t nod = gltf_builder_floats(&builder, 4, count, nods[0]);
    const uint32_t place =
        gltf_builder_floats(&builder, 3, is_cubic ? 3 * count : count, walker->places[0]);
    const uint32_t turned = gltf_builder_floats(
        &builder, 4, walker->is_turning_cubic ? 3 * count : count, walker->turns[0]);
    const uint32_t hold = gltf_builder_floats(&builder, 3, count, held[0]);
    char samplers[1024];
    char channels[1024];
    int s = snprintf(samplers, sizeof samplers, "{\"input\":%u,\"output\":%u}", input, nod);
    int c = snprintf(channels, sizeof channels,
                     "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}");
    int sampler = 1;
    const struct {
        bool is_there;
        uint32_t output;
        int node;
        const char *path;
        const char *how;
    } tracks[] = {
        {!walker->is_still, place, 1, "translation", how},
        {walker->is_turning, turned, 1, "rotation",
         is_cubic && !walker->is_turning_cubic ? "LINEAR" : how},
        {walker->moves_armature || walker->holds_armature, hold, 0, "translation", "LINEAR"},
    };
    for (size_t i = 0; i < sizeof tracks / sizeof tracks[0]; i++) {
        if (!tracks[i].is_there) {
            continue;
        }
        s += snprintf(samplers + s, sizeof samplers - (size_t)s,
                      ",{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}", input,
                      tracks[i].output, tracks[i].how);
        c += snprintf(channels + c, sizeof channels - (size_t)c,
                      ",{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", sampler++,
                      tracks[i].node, tracks[i].path);
    }
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"name\":\"walk\",\"samplers\":[%s],\"channels\":[%s]}", samplers, channels);
    size_t size = 0;
    unsigned char *const bytes = gltf_builder_glb(&builder, &size);
    snprintf(path, sizeof paths[0], "%s/%s.glb", folder, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    return path;
}

/// Straight ahead along z at 1.5 units a second from (0.2, 1, -0.1), the hips bobbing once a
/// second.
static void walk_straight(struct walker *walker, uint32_t key_count)
{
    walker->key_count = key_count;
    for (uint32_t key = 0; key < key_count; key++) {
        const double time_s = time_of(walker, key);
        set_place(walker, key, 0.2, 1.0 + 0.05 * sin(turn * time_s), -0.1 + 1.5 * time_s);
    }
}

/// On a circle of 2 units about (-1.7, 1, 0) that is left from (0.3, 1, 0) along -z, facing along.
static void walk_circle(struct walker *walker, uint32_t key_count, double turns)
{
    walker->key_count = key_count;
    for (uint32_t key = 0; key < key_count; key++) {
        const double yaw = turns * key / (key_count - 1);
        set_place(walker, key, -1.7 + 2.0 * cos(turn * yaw), 1.0, -2.0 * sin(turn * yaw));
        set_turn(walker, key, 1, yaw);
    }
}

// ---- Packs -------------------------------------------------------------------------------------

struct compiled {
    struct compile_input input;
    struct report report;
    uint8_t *bytes;
    size_t size;
    trp_pack pack;
    trp_clip clip; // the first one
    bool ok;
};

static void compile(const struct compile_input *input, struct compiled *compiled)
{
    *compiled = (struct compiled){.input = *input};
    const struct compile_options options = {
        .inputs = &compiled->input, .input_count = 1, .job_count = 1};
    void *bytes = NULL;
    compiled->ok = compile_pack(&options, &bytes, &compiled->size, &compiled->report);
    compiled->bytes = bytes;
    if (compiled->ok) {
        assert_int_equal(trp_pack_open(bytes, compiled->size, &compiled->pack, NULL), TRP_OK);
        assert_int_equal(trp_pack_clip(&compiled->pack, 0, &compiled->clip), TRP_OK);
    }
}

static void compile_ok(const struct compile_input *input, struct compiled *compiled)
{
    compile(input, compiled);
    if (!compiled->ok) {
        fail_msg("%s", compiled->report.first_error);
    }
}

static struct verify_clip verified(const struct compiled *compiled, bool *ok)
{
    const struct verify_options options = {.inputs = &compiled->input, .input_count = 1, .seed = 7};
    struct report report = {0};
    struct verify_clip *clips = NULL;
    uint32_t count = 0;
    if (!verify_pack(&options, compiled->bytes, compiled->size, &clips, &count, ok, &report)) {
        fail_msg("%s", report.first_error);
    }
    const struct verify_clip first = clips[0];
    free(clips);
    return first;
}

/// What verify measures is within the budget, and no more than the pack says of itself, but for
/// moments that the compiler does not look at.
static void assert_verified(const struct compiled *compiled)
{
    bool ok = false;
    struct trp__clip_header header;
    memcpy(&header, compiled->clip.bytes, sizeof header);
    const struct verify_clip clip = verified(compiled, &ok);
    if (!ok || !(clip.max_error_mm <= 1.05 * (double)header.max_error_mm + 0.003)) {
        fail_msg("%g mm at %g s, %g mm stored", clip.max_error_mm, clip.at_time_s,
                 (double)header.max_error_mm);
    }
}

static trp_root_motion root_of(const struct compiled *compiled)
{
    trp_root_motion root;
    assert_int_equal(trp_clip_root_motion(&compiled->clip, &root), TRP_OK);
    return root;
}

static void assert_no_root_motion(const struct compiled *compiled)
{
    trp_root_motion root;
    assert_int_equal(trp_clip_root_motion(&compiled->clip, &root), TRP_ERROR_MISMATCH);
    assert_int_equal(compiled->clip.flags & TRP_CLIP_ROOT_MOTION, 0);
}

/// Returns the movement between the keys of a pack, by their definition.
static void root_at(const trp_root_motion *root, double time_s, double movement[4])
{
    uint32_t key = 0;
    while (key + 2 < root->key_count && root->times[key + 1] <= time_s) {
        key++;
    }
    const uint32_t next = key + 1 < root->key_count ? key + 1 : key;
    const double way = root->times[next] - root->times[key];
    double u = way > 0 ? (time_s - root->times[key]) / way : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    for (int i = 0; i < 4; i++) {
        const double from = (double)root->keys[key][i];
        movement[i] = from + u * ((double)root->keys[next][i] - from);
    }
}

static void assert_movement(const trp_root_motion *root, double time_s, double x, double y,
                            double z, double yaw, double tolerance)
{
    const double expected[4] = {x, y, z, yaw};
    double found[4];
    root_at(root, time_s, found);
    for (int i = 0; i < 4; i++) {
        if (!(fabs(found[i] - expected[i]) <= tolerance)) {
            fail_msg("component %d is %.9g at %g s, not %.9g", i, found[i], time_s, expected[i]);
        }
    }
}

/// Samples the pose of a clip, which the caller frees.
static trp_pose_block *play(const trp_clip *clip, double time_s)
{
    trp_pose_block *const pose = aligned_alloc(64, trp_pose_bytes(clip->block_count));
    const trp_sample_request request = {.clip = clip, .time_s = time_s, .pose = pose};
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned_alloc(64, (args.scratch_bytes + 63) & ~(size_t)63);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    free(args.scratch);
    return pose;
}

/// Asserts that coordinates of the root joint are the same bits all the time.
static void assert_coordinates_constant(const struct compiled *compiled, const char *coordinates)
{
    const trp_root_motion root = root_of(compiled);
    trp_pose_block *const first = play(&compiled->clip, 0);
    for (int step = 1; step <= 100; step++) {
        trp_pose_block *const pose = play(&compiled->clip, compiled->clip.duration_s * step / 100);
        for (const char *at = coordinates; *at != '\0'; at++) {
            const int i = *at - 'x';
            assert_memory_equal(&pose[root.lane / 16].translation[i][root.lane % 16],
                                &first[root.lane / 16].translation[i][root.lane % 16],
                                sizeof(float));
        }
        free(pose);
    }
    free(first);
}

/// Likewise for its rotation.
static void assert_rotation_constant(const struct compiled *compiled)
{
    const trp_root_motion root = root_of(compiled);
    trp_pose_block *const first = play(&compiled->clip, 0);
    for (int step = 1; step <= 100; step++) {
        trp_pose_block *const pose = play(&compiled->clip, compiled->clip.duration_s * step / 100);
        for (int i = 0; i < 4; i++) {
            assert_memory_equal(&pose[root.lane / 16].rotation[i][root.lane % 16],
                                &first[root.lane / 16].rotation[i][root.lane % 16], sizeof(float));
        }
        free(pose);
    }
    free(first);
}

static void assert_refused(const struct compile_input *input, const char *code)
{
    struct compiled compiled;
    compile(input, &compiled);
    assert_false(compiled.ok);
    assert_int_equal(compiled.report.exit_code, TROUPE_EXIT_INPUT);
    if (strstr(compiled.report.first_error, code) == NULL) {
        fail_msg("%s", compiled.report.first_error);
    }
}

// ---- Straight on -------------------------------------------------------------------------------

static void test_root_motion_compile_straight_walk_takes_two_keys(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    for (uint32_t key = 0; key < 31; key++) {
        walker.places[key][0] += 5e-8f * (float)(key % 7); // noise of an exporter
    }
    const char *const path = write_walker("straight", &walker);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = path, .root_joint = "hips"}, &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_int_equal(root.key_count, 2);
    assert_int_equal(root.components, TRP_ROOT_X | TRP_ROOT_Z | TRP_ROOT_YAW);
    assert_int_equal(root.is_in_pose, 0);
    assert_true(root.times[0] == 0);
    assert_true(root.times[1] == 1);
    const float start[4] = {0, 0, 0, 0};
    const float end[4] = {0, 0, (float)((double)walker.places[30][2] - (double)walker.places[0][2]),
                          0};
    assert_memory_equal(root.keys[0], start, sizeof start);
    assert_memory_equal(root.keys[1], end, sizeof end);
    // The pose goes up and down and stays where it is; so it closes, as the source does not.
    assert_coordinates_constant(&compiled, "xz");
    assert_int_equal(compiled.clip.flags & (TRP_CLIP_ROOT_MOTION | TRP_CLIP_LOOP_CLOSED),
                     TRP_CLIP_ROOT_MOTION | TRP_CLIP_LOOP_CLOSED);
    assert_verified(&compiled);
    struct compiled plain;
    compile_ok(&(struct compile_input){.path = path}, &plain);
    assert_int_equal(plain.clip.flags & TRP_CLIP_LOOP_CLOSED, 0);
    assert_no_root_motion(&plain);
    struct trp__clip_header header;
    memcpy(&header, compiled.clip.bytes, sizeof header);
    assert_true(header.root_offset < plain.clip.size_bytes); // so much is left for the pose
    free(plain.bytes);
    free(compiled.bytes);
}

static void test_root_motion_compile_each_axis_alone(void **state)
{
    (void)state;
    static struct walker walker;
    walker.key_count = 31;
    for (uint32_t key = 0; key < 31; key++) {
        const double s = key / 30.0;
        set_place(&walker, key, 0.3 * s, 1 + 0.2 * s, 0.5 * s);
        set_turn(&walker, key, 1, 0.1 * s);
    }
    const char *const path = write_walker("axes", &walker);
    const double whole[4] = {0.3, 0.2, 0.5, 0.1};
    for (int axis = 0; axis < 4; axis++) {
        struct compiled compiled;
        compile_ok(&(struct compile_input){.path = path,
                                           .root_joint = "hips",
                                           .root_components = 1u << axis},
                   &compiled);
        const trp_root_motion root = root_of(&compiled);
        assert_int_equal(root.components, 1u << axis);
        double end[4] = {0};
        end[axis] = whole[axis];
        assert_movement(&root, 1, end[0], end[1], end[2], end[3], 1e-6);
        assert_movement(&root, 0.5, 0.5 * end[0], 0.5 * end[1], 0.5 * end[2], 0.5 * end[3], 1e-5);
        if (axis < 3) {
            assert_coordinates_constant(&compiled, (const char[]){(char)('x' + axis), 0});
        }
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

static void test_root_motion_compile_all_axes_leave_nothing_of_a_rigid_way(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("all", &walker),
                                       .root_joint = "hips",
                                       .root_components = 15},
               &compiled);
    assert_coordinates_constant(&compiled, "xyz");
    assert_verified(&compiled);
    free(compiled.bytes);
}

// ---- Turning -----------------------------------------------------------------------------------

static void test_root_motion_compile_circle_turns_with_the_way(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    struct compiled compiled;
    compile_ok(
        &(struct compile_input){.path = write_walker("circle", &walker), .root_joint = "hips"},
        &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_true(root.pivot[0] == 0.3f && root.pivot[1] == 0);
    for (uint32_t key = 0; key <= 60; key++) {
        const double yaw = key / 60.0;
        assert_movement(&root, time_of(&walker, key), -2 + 2 * cos(turn * yaw), 0,
                        -2 * sin(turn * yaw), yaw, 4e-6);
    }
    assert_movement(&root, 2, 0, 0, 0, 1, 1e-6);
    assert_coordinates_constant(&compiled, "xyz");
    assert_rotation_constant(&compiled);
    assert_int_equal(compiled.clip.flags & TRP_CLIP_LOOP_CLOSED, TRP_CLIP_LOOP_CLOSED);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_yaw_counts_several_turns(void **state)
{
    (void)state;
    static const double ends[] = {3, -3};
    for (int i = 0; i < 2; i++) {
        static struct walker walker;
        walk_circle(&walker, 25, ends[i]);
        struct compiled compiled;
        compile_ok(
            &(struct compile_input){.path = write_walker("spin", &walker), .root_joint = "hips"},
            &compiled);
        const trp_root_motion root = root_of(&compiled);
        for (uint32_t key = 0; key < 25; key++) {
            double movement[4];
            root_at(&root, time_of(&walker, key), movement);
            assert_float_equal(movement[3], ends[i] * key / 24, 1e-5);
        }
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

/// Half round within a second, leaning to and fro by a tenth of a turn meanwhile.
static void walk_leaning(struct walker *walker)
{
    walker->key_count = 31;
    for (uint32_t key = 0; key < 31; key++) {
        const double s = key / 30.0;
        const double lean = 0.1 * sin(turn * s);
        const double a = sin(0.5 * lean * turn);
        const double b = cos(0.5 * lean * turn);
        const double y = sin(0.25 * s * turn);
        const double w = cos(0.25 * s * turn);
        set_place(walker, key, 0.4 * s, 1, 0);
        set_turn(walker, key, 1, 0);
        // First the lean about x, then the turn about y.
        const double turned[4] = {w * a, y * b, -y * a, w * b};
        for (int i = 0; i < 4; i++) {
            walker->turns[key][i] = (float)turned[i];
        }
    }
}

static void test_root_motion_compile_leaning_while_turning_keeps_the_lean(void **state)
{
    (void)state;
    static struct walker walker;
    walk_leaning(&walker);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("lean", &walker), .root_joint = "hips"},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    for (uint32_t key = 0; key < 31; key++) {
        double movement[4];
        root_at(&root, time_of(&walker, key), movement);
        assert_float_equal(movement[3], 0.5 * key / 30, 2e-5);
    }
    // The grid is that of the source, as fine as the pose needs: keys in between add nothing to it.
    assert_true(root.key_count > 31);
    assert_int_equal(compiled.clip.rate_num % 30, 0);
    assert_true(compiled.clip.rate_num <= 240);
    assert_verified(&compiled);
    free(compiled.bytes);
}

/// Turning half round, leaning meanwhile, so far from the origin at the start.
static void walk_off_origin(struct walker *walker, double distance)
{
    walk_leaning(walker);
    for (uint32_t key = 0; key < 31; key++) {
        const double s = key / 30.0;
        set_place(walker, key, 0.8 * distance + 0.4 * s, 1, 0.6 * distance);
    }
}

static void test_root_motion_compile_off_the_origin_costs_nothing(void **state)
{
    (void)state;
    static const double distances[] = {0, 3, 30};
    uint32_t key_count = 0;
    size_t size_bytes = 0;
    for (int i = 0; i < 3; i++) {
        static struct walker walker;
        walk_off_origin(&walker, distances[i]);
        struct compiled compiled;
        compile_ok(
            &(struct compile_input){.path = write_walker("off", &walker), .root_joint = "hips"},
            &compiled);
        const trp_root_motion root = root_of(&compiled);
        key_count = i == 0 ? root.key_count : key_count;
        size_bytes = i == 0 ? compiled.clip.size_bytes : size_bytes;
        assert_true(fabs((double)root.key_count - key_count) <= 0.03 * key_count);
        assert_true(fabs((double)compiled.clip.size_bytes - (double)size_bytes) <=
                    0.03 * (double)size_bytes);
        assert_float_equal(root.pivot[0], 0.8 * distances[i], 1e-6);
        assert_float_equal(root.pivot[1], 0.6 * distances[i], 1e-6);
        assert_movement(&root, 1, 0.4, 0, 0, 0.5, 4e-6);
        assert_coordinates_constant(&compiled, "xyz"); // nothing swings
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

static void test_root_motion_compile_yaw_alone_turns_on_the_spot(void **state)
{
    (void)state;
    static struct walker walker;
    walk_off_origin(&walker, 5);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("spot", &walker),
                                       .root_joint = "hips",
                                       .root_components = TRP_ROOT_YAW},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_movement(&root, 1, 0, 0, 0, 0.5, 4e-6);
    // The way that is left to the pose: 0.4 along x, seen half round.
    trp_pose_block *const first = play(&compiled.clip, 0);
    trp_pose_block *const last = play(&compiled.clip, 1);
    assert_float_equal(last->translation[0][root.lane] - first->translation[0][root.lane], -0.4,
                       1e-4);
    assert_float_equal(last->translation[2][root.lane], first->translation[2][root.lane], 1e-4);
    free(last);
    free(first);
    assert_verified(&compiled);
    free(compiled.bytes);
}

/// A cubic of quaternions goes round far faster than one between two of them.
static void test_root_motion_compile_turns_between_two_keys_are_followed(void **state)
{
    (void)state;
    static struct walker walker;
    walker.how = "CUBICSPLINE";
    walker.is_turning = true;
    walker.is_turning_cubic = true;
    walker.rate_hz = 1;
    walker.key_count = 2;
    const double end = 0.7 * turn; // of the quaternion: 1.4 turns
    for (uint32_t key = 0; key < 2; key++) {
        set_place(&walker, 3 * key + 1, 0, 1, 0);
        const double angle = key * end;
        float(*const turns)[4] = &walker.turns[3 * key];
        for (int i = 0; i < 3; i++) {
            const double size = i == 1 ? 1 : 4;
            const double ahead = i == 1 ? angle : angle + 0.25 * turn;
            turns[i][1] = (float)(size * sin(ahead));
            turns[i][3] = (float)(size * cos(ahead));
        }
    }
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("whirl", &walker),
                                       .root_joint = "hips",
                                       .is_root_in_pose = true},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_movement(&root, 0.5, 0, 0, 0, 0.7, 1e-5);
    assert_movement(&root, 1, 0, 0, 0, 1.4, 1e-5);
    double before = 0;
    for (int step = 1; step <= 500; step++) {
        double movement[4];
        root_at(&root, step / 500.0, movement);
        assert_true(movement[3] > before);
        before = movement[3];
    }
    assert_verified(&compiled);
    free(compiled.bytes);
}

// ---- What is above the joint -------------------------------------------------------------------

static void test_root_motion_compile_z_up_in_centimetres_moves_in_model_space(void **state)
{
    (void)state;
    static struct walker walker;
    walker.armature = ",\"rotation\":[-0.70710678118654752,0,0,0.70710678118654752],"
                      "\"scale\":[0.01,0.01,0.01]";
    walker.key_count = 31;
    for (uint32_t key = 0; key < 31; key++) {
        // The armature's x y z are x, -z, y of the model.
        const double s = key / 30.0;
        set_place(&walker, key, 10 * s, -150 * s, 100 + 3 * sin(turn * s));
        set_turn(&walker, key, 2, 0.25 * s);
    }
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("z_up", &walker), .root_joint = "hips"},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    for (uint32_t key = 0; key < 31; key++) {
        const double s = key / 30.0;
        assert_movement(&root, s, 0.1 * s, 0, 1.5 * s, 0.25 * s, 4e-6);
    }
    assert_coordinates_constant(&compiled, "xy"); // only its z, upwards, is left
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_start_is_exactly_the_identity(void **state)
{
    (void)state;
    static struct walker walker;
    walker.armature = ",\"rotation\":[0.18,-0.36,0.54,0.73918874]";
    walker.key_count = 31;
    for (uint32_t key = 0; key < 31; key++) {
        set_place(&walker, key, 53.1 + key, -71.3, 1.7);
        set_turn(&walker, key, 2, 0.15 + 0.01 * key);
    }
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("far", &walker),
                                       .metres_per_unit = 0.01,
                                       .root_joint = "hips",
                                       .root_components = 15},
               &compiled);
    const float identity[4] = {0, 0, 0, 0};
    assert_memory_equal(root_of(&compiled).keys[0], identity, sizeof identity);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_under_an_animated_parent_stays_in_the_pose(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    walker.moves_armature = true;
    const char *const path = write_walker("parent", &walker);
    struct compiled compiled;
    struct compiled plain;
    compile_ok(&(struct compile_input){.path = path, .root_joint = "hips"}, &compiled);
    compile_ok(&(struct compile_input){.path = path}, &plain);
    assert_int_equal(compiled.report.warning_count, plain.report.warning_count + 1);
    assert_no_root_motion(&compiled);
    assert_int_equal(compiled.size, plain.size);
    assert_memory_equal(compiled.bytes, plain.bytes, plain.size);
    free(plain.bytes);
    free(compiled.bytes);
    // A track that keeps it where it is does not move it.
    walker.moves_armature = false;
    walker.holds_armature = true;
    compile_ok(&(struct compile_input){.path = write_walker("held", &walker), .root_joint = "hips"},
               &compiled);
    assert_int_equal(root_of(&compiled).key_count, 2);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_uneven_or_mirrored_parent_has_no_yaw(void **state)
{
    (void)state;
    static const struct {
        const char *above;
        const char *armature;
        double z; // of the way
    } parents[] = {
        {"", ",\"scale\":[1,1,1.5]", 2.25},
        {"", ",\"scale\":[-1,1,1]", 1.5},
        // An eighth of a turn about z under uneven scale: axes of one length, but askew.
        {",\"scale\":[1,2,1.5811388300841898]",
         ",\"rotation\":[0,0,0.38268343236508977,0.92387953251128674]", 1.5 * 1.5811388300841898},
    };
    for (int i = 0; i < 3; i++) {
        static struct walker walker;
        walk_straight(&walker, 31);
        walker.above = parents[i].above;
        walker.armature = parents[i].armature;
        const char *const path = write_walker("uneven", &walker);
        assert_refused(&(struct compile_input){.path = path, .root_joint = "hips"},
                       "root_motion.scale");
        struct compiled compiled;
        compile_ok(&(struct compile_input){.path = path,
                                           .root_joint = "hips",
                                           .root_components = TRP_ROOT_X | TRP_ROOT_Z},
                   &compiled);
        const trp_root_motion root = root_of(&compiled);
        assert_movement(&root, 1, 0, 0, parents[i].z, 0, 1e-6);
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

// ---- Loops, times, ways to store ---------------------------------------------------------------

static void test_root_motion_b50_closing_key_takes_the_pose_home_and_the_root_on(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 30); // a second without its repeated last frame
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("b50", &walker),
                                       .root_joint = "hips",
                                       .loop = COMPILE_LOOP_ON},
               &compiled);
    struct trp__clip_header header;
    memcpy(&header, compiled.clip.bytes, sizeof header);
    assert_int_equal(header.loop, TRP__LOOP_CLOSED);
    assert_float_equal(compiled.clip.duration_s, 1, 1e-6);
    const trp_root_motion root = root_of(&compiled);
    assert_movement(&root, 29 / 30.0, 0, 0, 1.45, 0, 4e-6);
    assert_movement(&root, 29.5 / 30, 0, 0, 1.475, 0, 4e-6);
    assert_movement(&root, 1, 0, 0, 1.5, 0, 4e-6);
    assert_coordinates_constant(&compiled, "xz");
    trp_pose_block *const first = play(&compiled.clip, 0);
    trp_pose_block *const last = play(&compiled.clip, compiled.clip.duration_s);
    assert_float_equal(last->translation[1][root.lane], first->translation[1][root.lane], 1e-4);
    free(last);
    free(first);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_b50_on_a_circle_the_root_goes_on_round_it(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 60, 59.0 / 60); // the 61st key would be the first again
    for (uint32_t key = 0; key < 60; key++) {
        walker.places[key][1] += 0.05f * (float)sin(turn * key / 60);
    }
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("b50_circle", &walker),
                                       .root_joint = "hips",
                                       .loop = COMPILE_LOOP_ON},
               &compiled);
    struct trp__clip_header header;
    memcpy(&header, compiled.clip.bytes, sizeof header);
    assert_int_equal(header.loop, TRP__LOOP_CLOSED);
    const trp_root_motion root = root_of(&compiled);
    assert_movement(&root, 59 / 30.0, -2 + 2 * cos(turn * 59 / 60), 0, -2 * sin(turn * 59 / 60),
                    59.0 / 60, 4e-6);
    assert_movement(&root, 2, 0, 0, 0, 1, 1e-5); // all the way round
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_cubic_way_is_followed_between_its_keys(void **state)
{
    (void)state;
    static struct walker walker;
    walker.how = "CUBICSPLINE";
    walker.rate_hz = 2;
    walker.key_count = 3;
    // Stands at 0 and 2, leaving and arriving at rest; through 1 with 3 a second.
    for (uint32_t key = 0; key < 3; key++) {
        set_place(&walker, 3 * key, 0, 0, key == 1 ? 3 : 0);
        set_place(&walker, 3 * key + 1, 0, 1, key);
        set_place(&walker, 3 * key + 2, 0, 0, key == 1 ? 3 : 0);
    }
    struct compiled compiled;
    compile_ok(
        &(struct compile_input){.path = write_walker("cubic", &walker), .root_joint = "hips"},
        &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_true(root.key_count > 10);
    for (int step = 0; step <= 997; step++) {
        const double time_s = step / 997.0;
        const double u = time_s < 0.5 ? 2 * time_s : 2 * time_s - 1;
        const double h01 = u * u * (3 - 2 * u);
        const double z = time_s < 0.5 ? h01 + 1.5 * (u * u * u - u * u)
                                      : 1 + h01 + 1.5 * (u * u * u - 2 * u * u + u);
        assert_movement(&root, time_s, 0, 0, z, 0, 2.5e-6); // 2 % of 0.1 mm, and floats
    }
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_exact_keeps_budget_and_motion(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("exact", &walker),
                                       .root_joint = "hips",
                                       .is_exact = true},
               &compiled);
    struct trp__clip_header header;
    memcpy(&header, compiled.clip.bytes, sizeof header);
    assert_int_equal(header.row_count, 0);
    assert_true(header.max_error_mm < 0.01f);
    const trp_root_motion root = root_of(&compiled);
    assert_movement(&root, 2, 0, 0, 0, 1, 1e-6);
    assert_coordinates_constant(&compiled, "xyz");
    assert_rotation_constant(&compiled);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_exact_tells_what_resampling_costs(void **state)
{
    (void)state;
    static struct walker walker;
    walk_leaning(&walker);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("exact_lean", &walker),
                                       .root_joint = "hips",
                                       .is_exact = true},
               &compiled);
    struct trp__clip_header header;
    memcpy(&header, compiled.clip.bytes, sizeof header);
    bool ok = false;
    const double max_error_mm = verified(&compiled, &ok).max_error_mm;
    assert_true(ok);
    assert_true(max_error_mm <= 1.1 * (double)header.max_error_mm);
    free(compiled.bytes);
}

static void test_root_motion_compile_late_keys_hold_or_are_trimmed(void **state)
{
    (void)state;
    static struct walker walker;
    walker.start_s = 0.5;
    walk_straight(&walker, 31);
    const char *const path = write_walker("late", &walker);
    for (int is_trimmed = 0; is_trimmed < 2; is_trimmed++) {
        struct compiled compiled;
        compile_ok(&(struct compile_input){.path = path,
                                           .root_joint = "hips",
                                           .is_trimmed = is_trimmed == 1},
                   &compiled);
        const trp_root_motion root = root_of(&compiled);
        const double start_s = is_trimmed ? 0 : 0.5;
        assert_movement(&root, start_s, 0, 0, 0, 0, 1e-6);
        assert_movement(&root, start_s + 0.5, 0, 0, 0.75, 0, 1e-5);
        assert_movement(&root, start_s + 1, 0, 0, 1.5, 0, 1e-6);
        assert_true(root.times[root.key_count - 1] <= compiled.clip.duration_s);
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

static void test_root_motion_compile_in_pose_leaves_the_pose_alone(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    const char *const path = write_walker("in_pose", &walker);
    struct compiled compiled;
    struct compiled plain;
    compile_ok(&(struct compile_input){.path = path, .root_joint = "hips", .is_root_in_pose = true},
               &compiled);
    compile_ok(&(struct compile_input){.path = path}, &plain);
    const trp_root_motion root = root_of(&compiled);
    assert_int_equal(root.is_in_pose, 1);
    assert_int_equal(compiled.clip.flags & TRP_CLIP_ROOT_MOTION, 0);
    assert_movement(&root, 1, -4, 0, 0, 0.5, 4e-6);
    for (int step = 0; step <= 50; step++) {
        trp_pose_block *const pose = play(&compiled.clip, step / 25.0);
        trp_pose_block *const other = play(&plain.clip, step / 25.0);
        assert_memory_equal(pose, other, trp_pose_bytes(plain.clip.block_count));
        free(pose);
        free(other);
    }
    assert_verified(&compiled);
    free(plain.bytes);
    free(compiled.bytes);
}

// ---- Keys --------------------------------------------------------------------------------------

static void test_root_motion_compile_a_little_drift_counts_and_less_is_noise(void **state)
{
    (void)state;
    static const double ends[] = {0.4e-6, 0.7e-6, 9e-6}; // a hundredth of the budget is 1e-6
    for (int i = 0; i < 3; i++) {
        static struct walker walker;
        walk_straight(&walker, 31);
        for (uint32_t key = 0; key < 31; key++) {
            walker.places[key][0] = (float)(ends[i] * key / 30);
        }
        struct compiled compiled;
        compile_ok(
            &(struct compile_input){.path = write_walker("drift", &walker), .root_joint = "hips"},
            &compiled);
        const trp_root_motion root = root_of(&compiled);
        assert_int_equal(root.key_count, 2);
        assert_true(root.keys[1][0] == (i == 0 ? 0 : (float)ends[i]));
        free(compiled.bytes);
    }
}

/// Floats have no 2 micrometres there.
static void test_root_motion_compile_a_long_way_is_as_fine_as_floats_are(void **state)
{
    (void)state;
    static const double lengths[] = {10, 1000};
    for (int i = 0; i < 2; i++) {
        static struct walker walker;
        walk_straight(&walker, 31);
        for (uint32_t key = 0; key < 31; key++) {
            walker.places[key][2] = (float)(lengths[i] * key / 30);
        }
        struct compiled compiled;
        compile_ok(&(struct compile_input){.path = write_walker("long", &walker),
                                           .error_mm = i == 0 ? 0.1 : 1,
                                           .root_joint = "hips"},
                   &compiled);
        const trp_root_motion root = root_of(&compiled);
        assert_int_equal(root.key_count, 2);
        assert_movement(&root, 0.5, 0, 0, 0.5 * lengths[i], 0, lengths[i] * 0x1p-22);
        assert_verified(&compiled);
        free(compiled.bytes);
    }
}

/// The last key comes the next float after a second, which is where the ticks end.
static void test_root_motion_compile_keys_within_rounding_of_the_end_become_one(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 32);
    walker.last_s = 0x1.000002p+0;
    walker.places[31][2] = walker.places[30][2] + 0.001f;
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("end", &walker), .root_joint = "hips"},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_true(compiled.clip.duration_s == 1);
    assert_true(root.times[root.key_count - 1] == 1);
    assert_movement(&root, 1, 0, 0, 1.501, 0, 1e-6);
    free(compiled.bytes);
}

/// Eased to and fro along z, up to `length`, once a second, bobbing up to `height`.
static void walk_eased(struct walker *walker, uint32_t key_count, double length, double height)
{
    *walker = (struct walker){.how = "CUBICSPLINE", .rate_hz = 1, .key_count = key_count};
    for (uint32_t key = 0; key < key_count; key++) {
        set_place(walker, 3 * key + 1, 0, 1 + key % 2 * height, key % 2 * length);
    }
}

/// With a warning that a clip without root motion does not have.
static void assert_stays_in_the_pose(const struct compile_input *input)
{
    struct compile_input without = *input;
    without.root_joint = NULL;
    struct compiled compiled;
    struct compiled plain;
    compile_ok(input, &compiled);
    compile_ok(&without, &plain);
    assert_no_root_motion(&compiled);
    assert_int_equal(compiled.report.warning_count, plain.report.warning_count + 1);
    assert_int_equal(compiled.size, plain.size);
    free(plain.bytes);
    free(compiled.bytes);
}

static void test_root_motion_compile_keys_are_not_endless(void **state)
{
    (void)state;
    static struct walker walker;
    // One second takes some 1800 keys at the usual share of the budget.
    walk_eased(&walker, 30, 8, 0);
    struct compile_input input = {.path = write_walker("eased", &walker),
                                  .root_joint = "hips",
                                  .is_root_in_pose = true,
                                  .is_exact = true};
    struct compiled compiled;
    compile_ok(&input, &compiled);
    const trp_root_motion root = root_of(&compiled);
    assert_true(root.key_count > 10000 && root.key_count <= 32768 + 8 * 30);
    for (int step = 0; step <= 2900; step++) {
        const double u = step / 100.0 - step / 100;
        const double z = 8 * u * u * (3 - 2 * u);
        assert_movement(&root, step / 100.0, 0, 0, step / 100 % 2 == 0 ? z : 8 - z, 0, 1e-5);
    }
    free(compiled.bytes);
    // There floats are no finer than the budget.
    walk_eased(&walker, 30, 2000, 0);
    input.path = write_walker("wild", &walker);
    assert_stays_in_the_pose(&input);
}

static void test_root_motion_compile_keys_of_what_remains_are_not_endless(void **state)
{
    (void)state;
    static struct walker walker;
    walk_eased(&walker, 40, 1, 8);
    struct compile_input input = {
        .path = write_walker("bob", &walker), .root_joint = "hips", .is_exact = true};
    struct compiled compiled;
    compile_ok(&input, &compiled);
    assert_int_equal(root_of(&compiled).is_in_pose, 0);
    assert_true(compiled.clip.size_bytes < 2000000);
    assert_int_equal(compiled.report.warning_count, 0);
    free(compiled.bytes);
    walk_eased(&walker, 40, 1, 2000);
    input.path = write_walker("jump", &walker);
    assert_stays_in_the_pose(&input);
}

// ---- What has none -----------------------------------------------------------------------------

static void test_root_motion_compile_unknown_joint_is_refused(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    const char *const path = write_walker("unknown", &walker);
    assert_refused(&(struct compile_input){.path = path, .root_joint = "Hips"},
                   "no joint is named 'Hips' [root_motion.joint]");
}

static void test_root_motion_compile_additive_clip_is_refused_where_it_moves_the_joint(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    struct compile_input input = {
        .path = write_walker("additive", &walker), .root_joint = "hips", .additive = "rest"};
    assert_refused(&input, "root_motion.additive");
    walker.is_still = true;
    input.path = write_walker("additive_still", &walker);
    struct compiled compiled;
    compile_ok(&input, &compiled);
    assert_no_root_motion(&compiled);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_steps_stay_in_the_pose(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    walker.how = "STEP";
    const char *const path = write_walker("steps", &walker);
    struct compiled compiled;
    struct compiled plain;
    compile_ok(&(struct compile_input){.path = path, .root_joint = "hips"}, &compiled);
    compile_ok(&(struct compile_input){.path = path}, &plain);
    assert_int_equal(compiled.report.warning_count, plain.report.warning_count + 1);
    assert_no_root_motion(&compiled);
    assert_int_equal(compiled.size, plain.size);
    assert_memory_equal(compiled.bytes, plain.bytes, plain.size);
    free(plain.bytes);
    free(compiled.bytes);
}

static void test_root_motion_compile_turning_upside_down_stays_in_the_pose(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    for (uint32_t key = 0; key < 31; key++) {
        set_turn(&walker, key, 0, key / 40.0); // a somersault, not quite about x
        walker.turns[key][1] = 1e-4f * walker.turns[key][0];
    }
    struct compiled compiled;
    compile_ok(
        &(struct compile_input){.path = write_walker("somersault", &walker), .root_joint = "hips"},
        &compiled);
    assert_int_equal(compiled.report.warning_count, 1);
    assert_no_root_motion(&compiled);
    free(compiled.bytes);
    // Where it goes can be taken without which way it faces.
    compile_ok(&(struct compile_input){.path = write_walker("somersault", &walker),
                                       .root_joint = "hips",
                                       .root_components = TRP_ROOT_Z},
               &compiled);
    assert_int_equal(root_of(&compiled).key_count, 2);
    assert_verified(&compiled);
    free(compiled.bytes);
}

static void test_root_motion_compile_clip_that_does_not_move_the_joint_is_as_without(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    walker.is_still = true;
    const char *const path = write_walker("still", &walker);
    struct compiled compiled;
    struct compiled plain;
    compile_ok(&(struct compile_input){.path = path, .root_joint = "hips"}, &compiled);
    compile_ok(&(struct compile_input){.path = path}, &plain);
    assert_int_equal(compiled.report.warning_count, plain.report.warning_count + 1);
    assert_no_root_motion(&compiled);
    assert_int_equal(compiled.size, plain.size);
    assert_memory_equal(compiled.bytes, plain.bytes, plain.size);
    free(plain.bytes);
    free(compiled.bytes);
}

/// A run with one warning or none.
static void expect_warning(struct outcome outcome, const char *text)
{
    expect_success(&outcome);
    if (count_lines(outcome.err) != (text[0] != '\0') || strstr(outcome.err, text) == NULL) {
        fail_msg("'%s', not '%s'", outcome.err, text);
    }
    discard(&outcome);
}

#define COMPILE(...) run("compile", "--quiet", "-o", "w.trp", __VA_ARGS__, NULL)

static void test_root_motion_compile_joint_that_never_moves_is_warned_of_once(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    write_walker("moving", &walker);
    walker.is_still = true;
    write_walker("still", &walker);
    write_walker("still_too", &walker);
    const char *const text =
        "still.glb: warning: --root-motion: 'hips' moves in no clip: there is no root motion "
        "[root_motion.still]";
    struct outcome outcome = COMPILE("--root-motion", "hips", "still.glb", "still_too.glb");
    expect_success(&outcome);
    assert_non_null(strstr(outcome.err, text));
    assert_null(strstr(strstr(outcome.err, text) + strlen(text), "root_motion.still"));
    discard(&outcome);
    outcome = COMPILE("--root-motion", "hips", "still.glb", "moving.glb");
    expect_success(&outcome);
    assert_null(strstr(outcome.err, "root_motion"));
    discard(&outcome);
    // The other reasons why there is none have warnings of their own.
    walker.is_still = false;
    walker.how = "STEP";
    write_walker("steps", &walker);
    expect_warning(COMPILE("--root-motion", "hips", "steps.glb"), "[root_motion.step]");
}

static void test_root_motion_compile_joint_by_the_index_of_its_node(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    write_walker("named", &walker);
    expect_warning(COMPILE("--root-motion", "1", "named.glb"), "");
    json_t *const info = expect_json(run("info", "w.trp", "--json", NULL), "info");
    const json_t *const clip = json_array_get(json_object_get(info, "clips"), 0);
    assert_string_equal(string_of(json_object_get(clip, "root_motion"), "joint"), "hips");
    json_decref(info);
    static const char *const wrong[] = {"3", "1x", "-1", "01 ", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[128];
        snprintf(text, sizeof text, "no joint is named '%s' [root_motion.joint]", wrong[i]);
        expect_refusal(COMPILE("--root-motion", wrong[i], "named.glb"), 3, text);
    }
    // A node that is there, but in no skin.
    walker.above = "";
    write_walker("above", &walker);
    expect_refusal(
        COMPILE("--root-motion", "above", "above.glb"), 3,
        "no joint is named 'above': node 3 is, but it is no joint (see --nodes all) [root_");
    expect_refusal(COMPILE("--root-motion", "3", "above.glb"), 3, "node 3 exists, but");
    expect_warning(COMPILE("--nodes", "all", "--root-motion", "above", "above.glb"), "still");
}

static void test_root_motion_compile_of_joints_of_one_name_the_first_is_taken(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    size_t size = 0;
    void *bytes = NULL;
    struct report report = {0};
    assert_true(file_read(write_walker("twins", &walker), &bytes, &size, &report));
    char *const text = bytes;
    for (size_t i = 0; i + 6 < size; i++) { // the head becomes a second `hips`
        if (memcmp(text + i, "\"head\"", 6) == 0) {
            memcpy(text + i, "\"hips\"", 6);
        }
    }
    write_text("twins.glb", text, size);
    free(bytes);
    expect_warning(COMPILE("--root-motion", "hips", "twins.glb"),
                   "twins.glb: warning: --root-motion: 2 joints are named 'hips': the first, node "
                   "1, is taken [root_motion.joint]");
}

/// Whether a run was good and warned of options that change nothing.
static bool warns_of_order(struct outcome outcome, const char *text)
{
    expect_success(&outcome);
    const bool warns = strstr(outcome.err, text) != NULL && strstr(outcome.err, "[cli.order]");
    discard(&outcome);
    return warns;
}

static void test_root_motion_compile_options_without_a_joint_are_warned_of(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 31);
    write_walker("a", &walker);
    write_walker("b", &walker);
    const char *const text = "changes nothing here: no input after it has --root-motion";
    assert_true(warns_of_order(COMPILE("--root-axes", "x", "a.glb"), text));
    assert_true(
        warns_of_order(COMPILE("--root-in-pose", "a.glb", "--root-motion=none", "b.glb"), text));
    assert_true(warns_of_order(
        COMPILE("--root-motion", "hips", "a.glb", "--root-motion=none", "--root-axes=z", "b.glb"),
        text));
    assert_false(warns_of_order(COMPILE("--root-axes", "z", "--root-motion", "hips", "a.glb",
                                        "--root-motion=none", "b.glb"),
                                ""));
    assert_true(warns_of_order(COMPILE("a.glb", "--root-axes", "x"), "to inputs after it"));
    assert_true(warns_of_order(COMPILE("--root-axes", "x", "a.glb", "--unit", "1"), text));
}

// ---- verify ------------------------------------------------------------------------------------

static void test_root_motion_compile_verify_finds_a_changed_key(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    const char *const path = write_walker("changed", &walker);
    for (int is_in_pose = 0; is_in_pose < 2; is_in_pose++) {
        for (int component = 0; component < 4; component++) {
            if (component == 1) {
                continue; // has to be 0
            }
            struct compiled compiled;
            compile_ok(&(struct compile_input){.path = path,
                                               .root_joint = "hips",
                                               .is_root_in_pose = is_in_pose == 1},
                       &compiled);
            const trp_root_motion root = root_of(&compiled);
            const uint32_t key = root.key_count / 2;
            float *const value = (float *)&root.keys[key][component];
            *value += component == 3 ? 0.01f : 0.005f;
            bool ok = true;
            const struct verify_clip clip = verified(&compiled, &ok);
            assert_false(ok);
            // 5 mm; a hundredth of a turn, 3 cm from the axis of the root.
            const double expected_mm = component == 3 ? 2000 * sin(turn * 0.005) * 0.03 : 5;
            assert_float_equal(clip.max_error_mm, expected_mm, 0.11);
            assert_float_equal(clip.at_time_s, root.times[key], 1e-3);
            free(compiled.bytes);
        }
    }
}

static void test_root_motion_compile_verify_finds_a_changed_pivot(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    const char *const path = write_walker("changed_pivot", &walker);
    for (int is_in_pose = 0; is_in_pose < 2; is_in_pose++) {
        for (int axis = 0; axis < 2; axis++) {
            struct compiled compiled;
            compile_ok(&(struct compile_input){.path = path,
                                               .root_joint = "hips",
                                               .is_root_in_pose = is_in_pose == 1},
                       &compiled);
            float *const pivot =
                (float *)(compiled.bytes +
                          ((const uint8_t *)root_of(&compiled).times - compiled.bytes) - 20);
            pivot[axis] += 0.005f;
            bool ok = true;
            // Half round it is on the other side.
            assert_float_equal(verified(&compiled, &ok).max_error_mm, 10, 0.11);
            assert_false(ok);
            free(compiled.bytes);
        }
    }
}

static void test_root_motion_compile_verify_finds_a_root_that_goes_home(void **state)
{
    (void)state;
    static struct walker walker;
    walk_straight(&walker, 30);
    struct compiled compiled;
    compile_ok(&(struct compile_input){.path = write_walker("home", &walker),
                                       .root_joint = "hips",
                                       .loop = COMPILE_LOOP_ON},
               &compiled);
    const trp_root_motion root = root_of(&compiled);
    float *const last = (float *)root.keys[root.key_count - 1];
    last[2] = root.keys[root.key_count - 2][2]; // stands still instead of going on
    bool ok = true;
    assert_float_equal(verified(&compiled, &ok).max_error_mm, 50, 0.2);
    assert_false(ok);
    free(compiled.bytes);
}

// ---- The whole ---------------------------------------------------------------------------------

static void test_root_motion_compile_bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    const struct compile_input circle = {.path = write_walker("one", &walker),
                                         .root_joint = "hips"};
    walk_straight(&walker, 31);
    const struct compile_input straight = {.path = write_walker("two", &walker),
                                           .root_joint = "hips"};
    const struct compile_input inputs[] = {circle, straight};
    void *bytes[2];
    size_t sizes[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct report report = {0};
        const struct compile_options options = {
            .inputs = inputs, .input_count = 2, .job_count = 1 + 3 * i};
        assert_true(compile_pack(&options, &bytes[i], &sizes[i], &report));
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void test_root_motion_compile_options_apply_to_inputs_after_them(void **state)
{
    (void)state;
    static struct walker walker;
    walk_circle(&walker, 61, 1);
    write_walker("a", &walker);
    write_walker("b", &walker);
    write_walker("c", &walker);
    struct outcome outcome =
        run("compile", "--quiet", "a.glb", "--root-motion", "hips", "--root-axes", "yaw,y", "b.glb",
            "--root-motion=none", "a.glb", "--root-motion=hips", "--root-in-pose", "--root-axes=x",
            "c.glb", "--root-in-pose=off", "c.glb", "-o", "x.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    static const struct {
        bool has_root_motion;
        uint32_t components;
        uint32_t is_in_pose;
    } expected[] = {
        {false, 0, 0},         {true, TRP_ROOT_Y | TRP_ROOT_YAW, 0},
        {false, 0, 0},         {true, TRP_ROOT_X, 1},
        {true, TRP_ROOT_X, 0},
    };
    char path[512];
    snprintf(path, sizeof path, "%s/x.trp", folder);
    struct report report = {0};
    void *bytes = NULL;
    size_t size = 0;
    trp_pack pack;
    assert_true(file_read(path, &bytes, &size, &report));
    assert_int_equal(trp_pack_open(bytes, size, &pack, NULL), TRP_OK);
    assert_int_equal(pack.clip_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        trp_clip clip;
        trp_root_motion root = {0};
        trp_pack_clip(&pack, i, &clip);
        assert_int_equal(trp_clip_root_motion(&clip, &root) == TRP_OK, expected[i].has_root_motion);
        assert_int_equal(root.components, expected[i].components);
        assert_int_equal(root.is_in_pose, expected[i].is_in_pose);
    }
    free(bytes);
    outcome = run("verify", "x.trp", "a.glb", "b.glb", "c.glb", NULL);
    expect_success(&outcome);
    discard(&outcome);
}

static void test_root_motion_compile_wrong_options_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "--root-axes=",       "--root-axes=x,", "--root-axes=x y",     "--root-axes=w",
        "--root-axes=yaw,,z", "--root-motion=", "--root-in-pose=maybe"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        expect_refusal(run("compile", wrong[i], "a.glb", "-o", "y.trp", NULL), 1, "takes");
    }
    static struct walker walker;
    walk_straight(&walker, 31);
    write_walker("a", &walker);
    expect_refusal(run("compile", "--root-motion", "knee", "a.glb", "-o", "y.trp", NULL), 3,
                   "a.glb: error: --root-motion: no joint is named 'knee' [root_motion.joint]");
}

static void test_root_motion_compile_real_files_verify(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double metres_per_unit;
        const char *joint;
        uint32_t moving_count; // clips with root motion
    } files[] = {
        {"Fox.glb", 0.01, "b_Hip_01", 2},
        {"kaykit_knight.glb", 1, "root", 11},
        {"quaternius_robot.glb", 1, "Body", 8},
    };
    if (getenv("TROUPE_ASSETS") == NULL) {
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/data/%s", getenv("TROUPE_ASSETS"), files[i].file);
        for (int is_in_pose = 0; is_in_pose < (i == 0 ? 2 : 1); is_in_pose++) {
            struct compiled compiled;
            compile_ok(&(struct compile_input){.path = path,
                                               .metres_per_unit = files[i].metres_per_unit,
                                               .root_joint = files[i].joint,
                                               .is_root_in_pose = is_in_pose == 1},
                       &compiled);
            bool ok = false;
            verified(&compiled, &ok);
            assert_true(ok);
            uint32_t moving_count = 0;
            for (uint32_t k = 0; k < compiled.pack.clip_count; k++) {
                trp_clip clip;
                trp_root_motion root;
                trp_pack_clip(&compiled.pack, k, &clip);
                moving_count += trp_clip_root_motion(&clip, &root) == TRP_OK;
            }
            assert_int_equal(moving_count, files[i].moving_count);
            free(compiled.bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_motion_compile_straight_walk_takes_two_keys),
        cmocka_unit_test(test_root_motion_compile_each_axis_alone),
        cmocka_unit_test(test_root_motion_compile_all_axes_leave_nothing_of_a_rigid_way),
        cmocka_unit_test(test_root_motion_compile_circle_turns_with_the_way),
        cmocka_unit_test(test_root_motion_compile_yaw_counts_several_turns),
        cmocka_unit_test(test_root_motion_compile_leaning_while_turning_keeps_the_lean),
        cmocka_unit_test(test_root_motion_compile_off_the_origin_costs_nothing),
        cmocka_unit_test(test_root_motion_compile_yaw_alone_turns_on_the_spot),
        cmocka_unit_test(test_root_motion_compile_turns_between_two_keys_are_followed),
        cmocka_unit_test(test_root_motion_compile_z_up_in_centimetres_moves_in_model_space),
        cmocka_unit_test(test_root_motion_compile_start_is_exactly_the_identity),
        cmocka_unit_test(test_root_motion_compile_under_an_animated_parent_stays_in_the_pose),
        cmocka_unit_test(test_root_motion_compile_uneven_or_mirrored_parent_has_no_yaw),
        cmocka_unit_test(test_root_motion_b50_closing_key_takes_the_pose_home_and_the_root_on),
        cmocka_unit_test(test_root_motion_b50_on_a_circle_the_root_goes_on_round_it),
        cmocka_unit_test(test_root_motion_compile_cubic_way_is_followed_between_its_keys),
        cmocka_unit_test(test_root_motion_compile_exact_keeps_budget_and_motion),
        cmocka_unit_test(test_root_motion_compile_exact_tells_what_resampling_costs),
        cmocka_unit_test(test_root_motion_compile_late_keys_hold_or_are_trimmed),
        cmocka_unit_test(test_root_motion_compile_in_pose_leaves_the_pose_alone),
        cmocka_unit_test(test_root_motion_compile_a_little_drift_counts_and_less_is_noise),
        cmocka_unit_test(test_root_motion_compile_a_long_way_is_as_fine_as_floats_are),
        cmocka_unit_test(test_root_motion_compile_keys_within_rounding_of_the_end_become_one),
        cmocka_unit_test(test_root_motion_compile_keys_are_not_endless),
        cmocka_unit_test(test_root_motion_compile_keys_of_what_remains_are_not_endless),
        cmocka_unit_test(test_root_motion_compile_unknown_joint_is_refused),
        cmocka_unit_test(
            test_root_motion_compile_additive_clip_is_refused_where_it_moves_the_joint),
        cmocka_unit_test(test_root_motion_compile_steps_stay_in_the_pose),
        cmocka_unit_test(test_root_motion_compile_turning_upside_down_stays_in_the_pose),
        cmocka_unit_test(test_root_motion_compile_clip_that_does_not_move_the_joint_is_as_without),
        cmocka_unit_test(test_root_motion_compile_joint_that_never_moves_is_warned_of_once),
        cmocka_unit_test(test_root_motion_compile_joint_by_the_index_of_its_node),
        cmocka_unit_test(test_root_motion_compile_of_joints_of_one_name_the_first_is_taken),
        cmocka_unit_test(test_root_motion_compile_options_without_a_joint_are_warned_of),
        cmocka_unit_test(test_root_motion_compile_verify_finds_a_changed_key),
        cmocka_unit_test(test_root_motion_compile_verify_finds_a_changed_pivot),
        cmocka_unit_test(test_root_motion_compile_verify_finds_a_root_that_goes_home),
        cmocka_unit_test(test_root_motion_compile_bytes_do_not_depend_on_threads),
        cmocka_unit_test(test_root_motion_compile_options_apply_to_inputs_after_them),
        cmocka_unit_test(test_root_motion_compile_wrong_options_are_refused),
        cmocka_unit_test(test_root_motion_compile_real_files_verify),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
