// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Instances, humanoids and blend trees from scenes into packs, seen through the runtime.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <troupe/troupe.h>

#include "instances.h"
#include "pack_writer.h"
#include "scene_builder.h"
#include "skeleton.h"

enum {
    BONE_COUNT = 20, // two blocks
    NODE_COUNT = 2 * (BONE_COUNT + 1),
};

/// Returns a scene of a node "a" that carries an armature, a chain of bones, and below it a node
/// "b" that carries the same armature. Nothing has a skin.
static struct scene *build_scene(void)
{
    struct scene *const scene = scene_builder_chain(NODE_COUNT, 1.0, false);
    struct arena *const arena = &scene->arena;
    scene->instance_count = 2;
    scene->instances = ARENA_NEW(arena, struct scene_instance, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t first = i * (BONE_COUNT + 1);
        struct scene_instance *const instance = &scene->instances[i];
        scene->nodes[first].name = i == 0 ? "a" : "b";
        scene->nodes[first].id = i == 0 ? "id-a" : "id-b";
        scene->nodes[first].parent = (int32_t)i - 1;
        *instance = (struct scene_instance){
            .node = first,
            .armature_name = "rig",
            .armature_id = "id-rig",
            .bone_count = BONE_COUNT,
            .nodes = ARENA_NEW(arena, uint32_t, BONE_COUNT),
            .lengths = ARENA_NEW(arena, double, BONE_COUNT),
            .pose = ARENA_NEW(arena, struct scene_transform, BONE_COUNT),
        };
        for (uint32_t bone = 0; bone < BONE_COUNT; bone++) {
            const uint32_t node = first + 1 + bone;
            char id[16];
            snprintf(id, sizeof id, "bone-%u", bone);
            scene->nodes[node].name = arena_string(arena, id + 5);
            scene->nodes[node].id = arena_string(arena, id);
            instance->nodes[bone] = node;
            instance->lengths[bone] = 0.25 + bone;
            instance->pose[bone] = scene_node_rest(&scene->nodes[node]);
        }
    }
    return scene;
}

static struct scene_humanoid *new_humanoid(struct scene *scene)
{
    struct scene_humanoid *const humanoid = ARENA_NEW(&scene->arena, struct scene_humanoid, 1);
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        humanoid->bone_of_part[part] = -1;
    }
    return humanoid;
}

static struct scene_humanoid *add_humanoid(struct scene *scene)
{
    scene->instances[0].humanoid = new_humanoid(scene);
    return scene->instances[0].humanoid;
}

static void map_part(struct scene_humanoid *humanoid, const char *name, int32_t bone)
{
    humanoid->bone_of_part[trp_human_part_find(name)] = bone;
}

/// Limits an axis of a part: 0 primary, 1 secondary, 2 twist.
static void limit_part(struct scene_humanoid *humanoid, const char *name, int axis, double smallest,
                       double centre, double largest)
{
    const uint32_t part = trp_human_part_find(name);
    humanoid->axes[part] |= 1u << axis;
    humanoid->limits[part][axis][0] = smallest;
    humanoid->limits[part][axis][1] = centre;
    humanoid->limits[part][axis][2] = largest;
}

/// What a scene became.
struct made {
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    trp_skeleton skeleton;
};

/// @param repetitions how often the instances are written, as from so many equal inputs
static struct made make(const struct scene *scene, int repetitions)
{
    struct made made = {0};
    struct arena arena = {0};
    struct report report = {0};
    struct skeleton *skeletons = NULL;
    uint32_t count = 0;
    assert_true(
        skeletons_of_scene(scene, COMPILE_NODES_JOINTS, 1.0, &arena, &skeletons, &count, &report));
    assert_int_equal(count, 1);
    struct pack_writer writer = {0};
    const uint32_t index = pack_writer_add_skeleton(&writer, &skeletons[0]);
    for (int i = 0; i < repetitions; i++) {
        instances_write(&writer, &skeletons[0], index);
    }
    for (uint32_t i = 0; i < scene->blendtree_count; i++) {
        const uint32_t none[] = {TRP_NONE, TRP_NONE, TRP_NONE};
        blendtree_write(&writer, &scene->blendtrees[i], none);
    }
    made.size_bytes = pack_writer_finish(&writer, &made.bytes);
    pack_writer_free(&writer);
    arena_free(&arena);
    trp_diagnostic diagnostic = {0};
    if (trp_pack_open(made.bytes, made.size_bytes, &made.pack, &diagnostic) != TRP_OK) {
        fail_msg("rule %s", diagnostic.rule);
    }
    assert_int_equal(trp_pack_skeleton(&made.pack, 0, &made.skeleton), TRP_OK);
    return made;
}

static trp_instance instance_of(const struct made *made, uint32_t index)
{
    trp_instance instance;
    assert_int_equal(trp_pack_instance(&made->pack, index, &instance), TRP_OK);
    return instance;
}

static trp_humanoid humanoid_of(const struct made *made)
{
    const trp_instance instance = instance_of(made, 0);
    trp_humanoid humanoid;
    assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_OK);
    return humanoid;
}

// ---- skeletons ----

static void test_instances_compile_bones_are_joints_without_skin_and_motion(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct made made = make(scene, 1);
    // Both armatures, and the node between them; "a" is the root transform.
    assert_int_equal(made.skeleton.joint_count, 2 * BONE_COUNT + 1);
    assert_int_equal(trp_skeleton_find_joint(&made.skeleton, trp_name_hash("a")), TRP_NONE);
    const uint32_t b = trp_skeleton_find_joint(&made.skeleton, trp_name_hash("b"));
    assert_string_equal(trp_skeleton_joint_id(&made.skeleton, b), "id-b");
    free(made.bytes);
    scene_builder_free(scene);
}

static void test_instances_compile_one_skeleton_has_bones_of_skins_and_of_armatures(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(6, 1.0, true);
    uint32_t nodes[] = {4, 5};
    double lengths[] = {1, 1};
    struct scene_transform pose[] = {
        scene_node_rest(&scene->nodes[4]),
        scene_node_rest(&scene->nodes[5]),
    };
    struct scene_instance instance = {
        .node = 3, .bone_count = 2, .nodes = nodes, .lengths = lengths, .pose = pose};
    scene->skins[0].joint_count = 2;
    scene->instance_count = 1;
    scene->instances = &instance;
    struct arena arena = {0};
    struct report report = {0};
    struct skeleton *skeletons = NULL;
    uint32_t count = 0;
    assert_true(
        skeletons_of_scene(scene, COMPILE_NODES_JOINTS, 1.0, &arena, &skeletons, &count, &report));
    assert_int_equal(count, 1);
    assert_int_equal(skeletons[0].joint_count, 6);     // and what lies between
    assert_int_equal(skeletons[0].raw_joint_count, 4); // which holds no motion
    arena_free(&arena);
    scene_builder_free(scene);
}

// ---- instances ----

static void test_instances_compile_names_ids_and_lengths_are_kept(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct made made = make(scene, 1);
    assert_int_equal(made.pack.instance_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const trp_instance instance = instance_of(&made, i);
        assert_string_equal(instance.name, i == 0 ? "a" : "b");
        assert_true(instance.name_hash == trp_name_hash(instance.name));
        assert_string_equal(instance.id, i == 0 ? "id-a" : "id-b");
        assert_string_equal(instance.armature_name, "rig");
        assert_string_equal(instance.armature_id, "id-rig");
        assert_int_equal(instance.skeleton_index, 0);
        assert_int_equal(instance.bone_count, BONE_COUNT);
        for (uint32_t bone = 0; bone < BONE_COUNT; bone++) {
            char id[16];
            snprintf(id, sizeof id, "bone-%u", bone);
            assert_string_equal(trp_instance_bone_id(&instance, bone), id);
            assert_int_equal(trp_instance_find_bone(&instance, trp_name_hash(id)), bone);
            assert_true(instance.length_of_bone[bone] == 0.25f + (float)bone);
            const uint16_t joint = made.skeleton.joint_of_lane[instance.lane_of_bone[bone]];
            assert_int_equal(made.skeleton.node_of_joint[joint], scene->instances[i].nodes[bone]);
            assert_string_equal(trp_skeleton_joint_id(&made.skeleton, joint), id);
        }
        trp_humanoid humanoid;
        assert_int_equal(trp_instance_humanoid(&instance, &humanoid), TRP_ERROR_MISMATCH);
    }
    free(made.bytes);
    scene_builder_free(scene);
}

static void test_instances_compile_pose_is_that_of_all_instances_of_the_skeleton(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct scene_transform *const first = &scene->instances[0].pose[3];
    struct scene_transform *const second = &scene->instances[1].pose[17];
    scene_builder_turn(1, 2, 3, 1.0, first->rotation);
    first->scale[1] = 2.5;
    second->translation[2] = -7.0;
    struct made made = make(scene, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const trp_instance instance = instance_of(&made, i);
        for (uint32_t joint = 0; joint < made.skeleton.joint_count; joint++) {
            const uint32_t node = made.skeleton.node_of_joint[joint];
            const uint16_t lane = made.skeleton.lane_of_joint[joint];
            const trp_pose_block *const block = &instance.pose[lane / 16];
            struct scene_transform expected = scene_node_rest(&scene->nodes[node]);
            expected = node == scene->instances[0].nodes[3] ? *first : expected;
            expected = node == scene->instances[1].nodes[17] ? *second : expected;
            for (int k = 0; k < 4; k++) {
                assert_true(block->rotation[k][lane % 16] == (float)expected.rotation[k]);
            }
            for (int k = 0; k < 3; k++) {
                assert_true(block->translation[k][lane % 16] == (float)expected.translation[k]);
                assert_true(block->scale[k][lane % 16] == (float)expected.scale[k]);
            }
        }
    }
    free(made.bytes);
    scene_builder_free(scene);
}

static void test_instances_compile_components_are_kept_as_they_are(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct scene_component components[] = {
        {TRP_COMPONENT_ARMATURE, 0, "c-0", "stfexp.constraint.twist", "{\"weight\":0.5}"},
        {TRP_COMPONENT_MODIFIED, 0, "c-0", "stfexp.constraint.twist", "{\"weight\":0.25}"},
        {TRP_COMPONENT_ADDED, 19, "c-1", "", "[1,\"\xC3\xA4\"]"},
    };
    scene->instances[1].components = components;
    scene->instances[1].component_count = 3;
    struct made made = make(scene, 1);
    assert_int_equal(instance_of(&made, 0).component_count, 0);
    const trp_instance instance = instance_of(&made, 1);
    assert_int_equal(instance.component_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        trp_component component;
        assert_int_equal(trp_instance_component(&instance, i, &component), TRP_OK);
        assert_int_equal(component.kind, components[i].kind);
        assert_int_equal(component.bone, components[i].bone);
        assert_string_equal(component.id, components[i].id);
        assert_true(component.id_hash == trp_name_hash(components[i].id));
        assert_string_equal(component.type, components[i].type);
        assert_string_equal(component.json, components[i].json);
    }
    free(made.bytes);
    scene_builder_free(scene);
}

static void test_instances_compile_equal_inputs_have_their_instances_once(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct made once = make(scene, 1);
    struct made twice = make(scene, 2);
    assert_int_equal(twice.pack.instance_count, 2);
    assert_int_equal(once.size_bytes, twice.size_bytes);
    assert_memory_equal(once.bytes, twice.bytes, once.size_bytes);
    free(once.bytes);
    free(twice.bytes);
    scene_builder_free(scene);
}

/// Returns the size of the pack of a root with so many nodes below, each with an armature of one
/// bone, every one a humanoid with limits.
static size_t crowd_bytes(uint32_t count, double *compile_s)
{
    struct scene *const scene = scene_builder_chain(2 * count + 1, 1.0, false);
    struct arena *const arena = &scene->arena;
    scene->instance_count = count;
    scene->instances = ARENA_NEW(arena, struct scene_instance, count);
    for (uint32_t i = 0; i < count; i++) {
        struct scene_instance *const instance = &scene->instances[i];
        const uint32_t node = 2 * i + 1;
        scene->nodes[node].parent = 0;
        *instance = (struct scene_instance){
            .node = node,
            .armature_name = "rig",
            .armature_id = "id-rig",
            .bone_count = 1,
            .nodes = ARENA_NEW(arena, uint32_t, 1),
            .lengths = ARENA_NEW(arena, double, 1),
            .pose = ARENA_NEW(arena, struct scene_transform, 1),
        };
        instance->nodes[0] = node + 1;
        instance->pose[0] = scene_node_rest(&scene->nodes[node + 1]);
        instance->humanoid = new_humanoid(scene);
        map_part(instance->humanoid, "hip", 0);
        limit_part(instance->humanoid, "hip", 0, -0.5, 0, 0.5);
    }
    const clock_t start = clock();
    struct made made = make(scene, 2);
    *compile_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(made.pack.instance_count, count);
    const trp_instance first = instance_of(&made, 0);
    const trp_instance last = instance_of(&made, count - 1);
    assert_ptr_equal(first.pose, last.pose);
    free(made.bytes);
    scene_builder_free(scene);
    return made.size_bytes;
}

static void test_instances_compile_size_is_linear_in_instances(void **state)
{
    (void)state;
    double seconds[2];
    const size_t small = crowd_bytes(500, &seconds[0]);
    const size_t large = crowd_bytes(1000, &seconds[1]);
    assert_true(large < 2 * small + small / 20);
    assert_true(large < 1000 * 4096);
    assert_true(seconds[1] < 5);
}

// ---- humanoids ----

/// Asserts the row pair of an axis: 0 about X, 1 about Z, 2 about Y.
static void assert_limits(const trp_humanoid *humanoid, uint32_t lane, int axis, double smallest,
                          double largest)
{
    const float(*const blocks)[6][16] = (const void *)humanoid->limit_blocks;
    double low = -(double)FLT_MAX;
    double high = (double)FLT_MAX;
    for (uint32_t i = 0; i < humanoid->limit_block_count; i++) {
        if (humanoid->block_of_limits[i] == lane / 16) {
            low = (double)blocks[i][2 * axis][lane % 16];
            high = (double)blocks[i][2 * axis + 1][lane % 16];
        }
    }
    assert_true(fabs(low - smallest) <= 1e-7 * fabs(smallest));
    assert_true(fabs(high - largest) <= 1e-7 * fabs(largest));
}

static void assert_no_limits(const trp_humanoid *humanoid, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        assert_limits(humanoid, lane, axis, -(double)FLT_MAX, (double)FLT_MAX);
    }
}

static void test_instances_compile_limits_are_radians_and_tangents_of_halves(void **state)
{
    (void)state;
    static const double half_turn = 3.14159265358979323846;
    struct scene *const scene = build_scene();
    struct scene_humanoid *const source = add_humanoid(scene);
    const double settings[7] = {0.053, 0.5, 0.25, 0.05, 0.75, 1, 0.125};
    memcpy(source->settings, settings, sizeof settings);
    source->flags = TRP_HUMANOID_USE_TRANSLATION;
    map_part(source, "hip", 0);
    map_part(source, "upper_arm.l", 18);
    limit_part(source, "upper_arm.l", 0, -1.0, 0.1, 1.75);
    limit_part(source, "upper_arm.l", 1, -half_turn, 0, 3.0);
    limit_part(source, "upper_arm.l", 2, -0.001, 0, 7.0);
    map_part(source, "head", 5);
    limit_part(source, "head", 2, -0.5, 0, 0.0);
    limit_part(source, "neck", 2, -0.5, 0, 0.5); // of no bone
    struct made made = make(scene, 1);
    const trp_instance instance = instance_of(&made, 0);
    const trp_humanoid humanoid = humanoid_of(&made);
    assert_int_equal(humanoid.flags, TRP_HUMANOID_USE_TRANSLATION);
    assert_true(humanoid.arm_stretch == 0.053f && humanoid.upper_arm_twist == 0.5f &&
                humanoid.lower_arm_twist == 0.25f && humanoid.leg_stretch == 0.05f &&
                humanoid.upper_leg_twist == 0.75f && humanoid.lower_leg_twist == 1.0f &&
                humanoid.feet_spacing == 0.125f);
    const uint32_t arm = trp_human_part_find("upper_arm.l");
    assert_int_equal(humanoid.lane_of_part[arm], instance.lane_of_bone[18]);
    assert_int_equal(humanoid.lane_of_part[TRP_HUMAN_NECK], TRP_NO_LANE);
    assert_int_equal(humanoid.limits[arm].axes, 7);
    assert_true(humanoid.limits[arm].primary[0] == -1.0f &&
                humanoid.limits[arm].primary[1] == 0.1f &&
                humanoid.limits[arm].primary[2] == 1.75f);
    assert_true(humanoid.limits[arm].twist[2] == 7.0f);
    assert_int_equal(humanoid.limits[TRP_HUMAN_HIP].axes, 0);
    const uint32_t lane = instance.lane_of_bone[18];
    assert_limits(&humanoid, lane, 0, tan(-0.5), tan(0.875));
    assert_limits(&humanoid, lane, 1, -(double)FLT_MAX, tan(1.5));
    assert_limits(&humanoid, lane, 2, tan(-0.0005), (double)FLT_MAX);
    assert_limits(&humanoid, instance.lane_of_bone[5], 0, -(double)FLT_MAX, (double)FLT_MAX);
    assert_limits(&humanoid, instance.lane_of_bone[5], 2, tan(-0.25), 0.0);
    assert_no_limits(&humanoid, instance.lane_of_bone[0]); // mapped, without limits
    assert_no_limits(&humanoid, instance.lane_of_bone[7]); // no part
    for (uint32_t padding = 0; padding < made.skeleton.lane_count; padding++) {
        if (made.skeleton.joint_of_lane[padding] == TRP_NO_LANE) {
            assert_no_limits(&humanoid, padding);
        }
    }
    free(made.bytes);
    scene_builder_free(scene);
}

static void test_instances_compile_parts_that_play_none_have_no_limits(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags;
        bool limits_foot;
        bool limits_jaw;
    } cases[] = {
        {0, true, true},
        {TRP_HUMANOID_DIGITIGRADE, false, true},
        {TRP_HUMANOID_NO_JAW, true, false},
        {TRP_HUMANOID_DIGITIGRADE | TRP_HUMANOID_NO_JAW, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *const scene = build_scene();
        struct scene_humanoid *const source = add_humanoid(scene);
        source->flags = cases[i].flags;
        map_part(source, "foot.r", 1);
        limit_part(source, "foot.r", 0, -0.2, 0, 0.4);
        map_part(source, "toes.r", 2);
        limit_part(source, "toes.r", 0, -0.3, 0, 0.6);
        map_part(source, "jaw", 3);
        limit_part(source, "jaw", 0, -0.1, 0, 0.2);
        struct made made = make(scene, 1);
        const trp_instance instance = instance_of(&made, 0);
        const trp_humanoid humanoid = humanoid_of(&made);
        // The map stays as the file has it.
        assert_int_equal(humanoid.lane_of_part[TRP_HUMAN_JAW], instance.lane_of_bone[3]);
        assert_int_equal(humanoid.limits[TRP_HUMAN_JAW].axes, 1);
        if (cases[i].limits_foot) {
            assert_limits(&humanoid, instance.lane_of_bone[1], 0, tan(-0.1), tan(0.2));
        } else {
            assert_no_limits(&humanoid, instance.lane_of_bone[1]);
        }
        assert_limits(&humanoid, instance.lane_of_bone[2], 0, tan(-0.15), tan(0.3));
        if (cases[i].limits_jaw) {
            assert_limits(&humanoid, instance.lane_of_bone[3], 0, tan(-0.05), tan(0.1));
        } else {
            assert_no_limits(&humanoid, instance.lane_of_bone[3]);
        }
        free(made.bytes);
        scene_builder_free(scene);
    }
}

static void test_instances_compile_bone_of_two_parts_keeps_the_limits_of_the_first(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    struct scene_humanoid *const source = add_humanoid(scene);
    map_part(source, "chest", 4);
    limit_part(source, "chest", 0, -0.4, 0, 0.4);
    map_part(source, "spine", 4);
    limit_part(source, "spine", 0, -0.2, 0, 0.2);
    struct made made = make(scene, 1);
    const trp_instance instance = instance_of(&made, 0);
    const trp_humanoid humanoid = humanoid_of(&made);
    assert_limits(&humanoid, instance.lane_of_bone[4], 0, tan(-0.1), tan(0.1));
    assert_int_equal(trp_humanoid_part(&humanoid, instance.lane_of_bone[4]), TRP_HUMAN_SPINE);
    free(made.bytes);
    scene_builder_free(scene);
}

// ---- blend trees ----

static void test_instances_compile_blend_trees_keep_places(void **state)
{
    (void)state;
    struct scene *const scene = build_scene();
    double places[3][2] = {{-1.5, 9.0}, {0, 9.0}, {0.1, -9.0}};
    struct scene_blendtree trees[] = {
        {"speed", "id-1", 1, 3, places, NULL},
        {"way", "id-2", 2, 2, places, NULL},
        {"empty", NULL, 1, 0, NULL, NULL},
    };
    scene->blendtrees = trees;
    scene->blendtree_count = 3;
    struct made made = make(scene, 1);
    assert_int_equal(made.pack.blendtree_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        trp_blendtree tree;
        assert_int_equal(trp_pack_blendtree(&made.pack, i, &tree), TRP_OK);
        assert_string_equal(tree.name, trees[i].name);
        assert_string_equal(tree.id, i < 2 ? trees[i].id : "");
        assert_int_equal(tree.dimensions, trees[i].dimensions);
        assert_int_equal(tree.count, trees[i].count);
        for (uint32_t k = 0; k < tree.count; k++) {
            assert_true(tree.places[k][0] == (float)places[k][0]);
            assert_true(tree.places[k][1] == (i == 1 ? (float)places[k][1] : 0.0f));
            assert_int_equal(tree.clips[k], TRP_NONE);
        }
        assert_int_equal(trp_pack_find_blendtree(&made.pack, trp_name_hash(tree.name)), i);
    }
    free(made.bytes);
    scene_builder_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instances_compile_bones_are_joints_without_skin_and_motion),
        cmocka_unit_test(test_instances_compile_one_skeleton_has_bones_of_skins_and_of_armatures),
        cmocka_unit_test(test_instances_compile_names_ids_and_lengths_are_kept),
        cmocka_unit_test(test_instances_compile_pose_is_that_of_all_instances_of_the_skeleton),
        cmocka_unit_test(test_instances_compile_components_are_kept_as_they_are),
        cmocka_unit_test(test_instances_compile_equal_inputs_have_their_instances_once),
        cmocka_unit_test(test_instances_compile_size_is_linear_in_instances),
        cmocka_unit_test(test_instances_compile_limits_are_radians_and_tangents_of_halves),
        cmocka_unit_test(test_instances_compile_parts_that_play_none_have_no_limits),
        cmocka_unit_test(test_instances_compile_bone_of_two_parts_keeps_the_limits_of_the_first),
        cmocka_unit_test(test_instances_compile_blend_trees_keep_places),
    };
    return cmocka_run_group_tests_name("instances_compile", tests, NULL, NULL);
}
