// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Which nodes of a scene become joints, and in which lanes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_builder.h"
#include "skeleton.h"

/// A scene described by a line a node: name, parent, and what it is.
struct plan {
    const char *name;
    int32_t parent;
    bool is_skin_joint;
    bool is_animated;
    double y; // above its parent
};

static struct scene *build(const struct plan *plan, uint32_t count)
{
    struct scene *const scene = scene_builder_chain(count, 1.0, true);
    uint32_t joints = 0;
    for (uint32_t i = 0; i < count; i++) {
        scene->nodes[i].name = plan[i].name;
        scene->nodes[i].parent = plan[i].parent;
        scene->nodes[i].translation[1] = plan[i].y;
        if (plan[i].is_skin_joint) {
            scene->skins[0].nodes[joints++] = i;
        }
        if (plan[i].is_animated) {
            struct scene_curve *const curve =
                scene_builder_track(scene, i, SCENE_TRANSLATION, 2, 30.0, SCENE_LINEAR);
            curve->values[3] = 1.0;
        }
    }
    scene->skins[0].joint_count = joints;
    scene->skin_count = joints > 0;
    return scene;
}

struct found {
    struct arena arena;
    struct skeleton *skeletons;
    uint32_t count;
};

static void find(const struct scene *scene, enum compile_nodes nodes, struct found *found)
{
    struct report report = {0};
    *found = (struct found){0};
    assert_true(skeletons_of_scene(scene, nodes, 1.0, &found->arena, &found->skeletons,
                                   &found->count, &report));
}

/// Asserts the joints of a skeleton, in lane order, as one line of names.
static void assert_lanes(const struct skeleton *skeleton, const char *expected)
{
    char line[512] = "";
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint16_t joint = skeleton->joint_of_lane[lane];
        if (joint != TRP_NO_LANE) {
            const size_t used = strlen(line);
            snprintf(line + used, sizeof line - used, "%s%s", used > 0 ? " " : "",
                     skeleton->name_of_joint[joint]);
        }
    }
    assert_string_equal(line, expected);
}

static void test_scene_skeleton_nodes_between_and_animated_ancestors_are_joints(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"world", -1, false, false, 2.0}, {"mover", 0, false, true, 1.0},
        {"still", 1, false, false, 1.0},  {"hips", 2, true, false, 1.0},
        {"helper", 3, false, false, 1.0}, {"hand", 4, true, false, 1.0},
        {"sword", 5, false, true, 1.0},   {"decor", 5, false, false, 1.0},
    };
    struct scene *const scene = build(plan, 8);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    assert_int_equal(found.count, 1);
    assert_lanes(&found.skeletons[0], "mover still hips helper hand sword");
    assert_true(found.skeletons[0].root[7] == 2.0); // "world" is the root transform
    assert_int_equal(found.skeletons[0].raw_joint_count, 2);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_different_static_ancestors_become_joints(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"scene", -1, false, false, 5.0}, {"left", 0, false, false, 1.0},
        {"right", 0, false, false, 1.0},  {"a", 1, true, false, 3.0},
        {"b", 2, true, false, 2.0},
    };
    struct scene *const scene = build(plan, 5);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    assert_int_equal(found.count, 1);
    assert_lanes(&found.skeletons[0], "left right a b");
    assert_true(found.skeletons[0].root[7] == 5.0);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_roots_with_one_parent_stay_roots(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"scene", -1, false, false, 5.0},
        {"a", 0, true, false, 3.0},
        {"b", 0, true, false, 2.0},
    };
    struct scene *const scene = build(plan, 3);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    assert_lanes(&found.skeletons[0], "a b");
    assert_int_equal(found.skeletons[0].parent_of_lane[0], TRP_NO_LANE);
    assert_int_equal(found.skeletons[0].parent_of_lane[1], TRP_NO_LANE);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_without_skins_all_animated_nodes_share_one(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"cube", -1, false, true, 0.0},
        {"ball", -1, false, true, 0.0},
        {"floor", -1, false, false, 0.0},
    };
    struct scene *const scene = build(plan, 3);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    assert_int_equal(found.count, 1);
    assert_lanes(&found.skeletons[0], "ball cube");
    assert_int_equal(found.skeletons[0].raw_joint_count, 2);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_still_scene_has_none(void **state)
{
    (void)state;
    static const struct plan plan[] = {{"floor", -1, false, false, 0.0}};
    struct scene *const scene = build(plan, 1);
    struct found found;
    find(scene, COMPILE_NODES_ALL, &found);
    assert_int_equal(found.count, 0);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_props_beside_a_character_get_their_own(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"hips", -1, true, false, 0.0},
        {"door", -1, false, true, 0.0},
        {"lamp", -1, false, true, 0.0},
    };
    struct scene *const scene = build(plan, 3);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    assert_int_equal(found.count, 2);
    assert_lanes(&found.skeletons[0], "hips");
    assert_lanes(&found.skeletons[1], "door lamp");
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_longest_reach_comes_first(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"finger", 4, true, false, 0.1}, {"root", -1, true, false, 0.0},
        {"spine", 1, true, false, 1.0},  {"tail", 1, true, false, 0.2},
        {"arm", 2, true, false, 0.5},    {"tip", 3, true, false, 3.0},
    };
    struct scene *const scene = build(plan, 6);
    struct found found;
    find(scene, COMPILE_NODES_JOINTS, &found);
    // Below root: tail reaches 3.0, spine 0.6, arm 0.1; finger and tip nothing.
    assert_lanes(&found.skeletons[0], "root tail spine arm tip finger");
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_lanes_ignore_rounding_noise(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"root", -1, true, false, 0.0}, {"b", 0, true, false, 0.1},     {"a", 0, true, false, 0.1},
        {"b_end", 1, true, false, 0.5}, {"a_end", 2, true, false, 0.5},
    };
    struct scene *const scene = build(plan, 5);
    struct found clean;
    struct found noisy;
    find(scene, COMPILE_NODES_JOINTS, &clean);
    scene->nodes[3].translation[1] += 1e-4; // b reaches a little farther now
    find(scene, COMPILE_NODES_JOINTS, &noisy);
    assert_lanes(&clean.skeletons[0], "root a b a_end b_end");
    assert_lanes(&noisy.skeletons[0], "root a b a_end b_end");
    assert_true(clean.skeletons[0].bind_hash == noisy.skeletons[0].bind_hash);
    arena_free(&clean.arena);
    arena_free(&noisy.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_clips_do_not_change_lanes(void **state)
{
    (void)state;
    struct plan plan[] = {
        {"root", -1, true, false, 0.0}, {"a", 0, true, false, 0.3},     {"b", 0, true, false, 0.2},
        {"a_end", 1, true, false, 0.5}, {"b_end", 2, true, false, 0.9},
    };
    struct scene *const still = build(plan, 5);
    plan[2].is_animated = plan[3].is_animated = true;
    struct scene *const moving = build(plan, 5);
    struct found before;
    struct found after;
    find(still, COMPILE_NODES_JOINTS, &before);
    find(moving, COMPILE_NODES_JOINTS, &after);
    assert_true(before.skeletons[0].bind_hash == after.skeletons[0].bind_hash);
    arena_free(&before.arena);
    arena_free(&after.arena);
    scene_builder_free(still);
    scene_builder_free(moving);
}

static void test_scene_skeleton_attachments_lie_in_blocks_of_their_own(void **state)
{
    (void)state;
    static const struct plan plan[] = {
        {"world", -1, false, false, 0.0}, {"hips", 0, true, false, 1.0},
        {"hand", 1, true, false, 1.0},    {"grip", 2, false, false, 9.0},
        {"house", 0, false, false, 1.0},
    };
    struct scene *const scene = build(plan, 5);
    struct found found;
    find(scene, COMPILE_NODES_ATTACHMENTS, &found);
    const struct skeleton *const skeleton = &found.skeletons[0];
    assert_lanes(skeleton, "hips hand grip");
    assert_int_equal(skeleton->joint_block_count, 1);
    assert_int_equal(skeleton->block_count, 2);
    assert_int_equal(skeleton->lane_of_joint[skeleton->joint_of_node[3]], 16);
    arena_free(&found.arena);
    find(scene, COMPILE_NODES_ALL, &found);
    assert_int_equal(found.skeletons[0].joint_count, 5);
    arena_free(&found.arena);
    scene_builder_free(scene);
}

static void test_scene_skeleton_parents_precede_children_in_any_tree(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t count = 1; count <= 100; count += 11) {
        struct scene *const scene = scene_builder_chain(count, 1.0, true);
        for (uint32_t i = 1; i < count; i++) {
            scene->nodes[i].parent = (int32_t)(scene_builder_random(&seed) * i);
            scene->nodes[i].translation[0] = scene_builder_random(&seed);
        }
        struct found found;
        find(scene, COMPILE_NODES_JOINTS, &found);
        const struct skeleton *const skeleton = &found.skeletons[0];
        assert_int_equal(skeleton->joint_count, count);
        assert_int_equal(skeleton->block_count, (count + 15) / 16);
        for (uint32_t joint = 0; joint < count; joint++) {
            const uint16_t lane = skeleton->lane_of_joint[joint];
            const int32_t parent = scene->nodes[skeleton->node_of_joint[joint]].parent;
            assert_int_equal(skeleton->joint_of_lane[lane], joint);
            if (parent < 0) {
                assert_int_equal(skeleton->parent_of_lane[lane], TRP_NO_LANE);
            } else {
                const uint16_t above =
                    skeleton->lane_of_joint[skeleton->joint_of_node[(uint32_t)parent]];
                assert_int_equal(skeleton->parent_of_lane[lane], above);
                assert_true(above < lane);
            }
        }
        arena_free(&found.arena);
        scene_builder_free(scene);
    }
}

static void test_scene_skeleton_too_deep_is_refused(void **state)
{
    (void)state;
    struct scene *const scene = scene_builder_chain(1025, 0.01, true);
    struct arena arena = {0};
    struct skeleton *skeletons;
    uint32_t count;
    struct report report = {0};
    assert_false(
        skeletons_of_scene(scene, COMPILE_NODES_JOINTS, 1.0, &arena, &skeletons, &count, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_UNSUPPORTED);
    assert_non_null(strstr(report.first_error, "[skeleton.depth]"));
    arena_free(&arena);
    scene_builder_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_skeleton_nodes_between_and_animated_ancestors_are_joints),
        cmocka_unit_test(test_scene_skeleton_different_static_ancestors_become_joints),
        cmocka_unit_test(test_scene_skeleton_roots_with_one_parent_stay_roots),
        cmocka_unit_test(test_scene_skeleton_without_skins_all_animated_nodes_share_one),
        cmocka_unit_test(test_scene_skeleton_still_scene_has_none),
        cmocka_unit_test(test_scene_skeleton_props_beside_a_character_get_their_own),
        cmocka_unit_test(test_scene_skeleton_longest_reach_comes_first),
        cmocka_unit_test(test_scene_skeleton_lanes_ignore_rounding_noise),
        cmocka_unit_test(test_scene_skeleton_clips_do_not_change_lanes),
        cmocka_unit_test(test_scene_skeleton_attachments_lie_in_blocks_of_their_own),
        cmocka_unit_test(test_scene_skeleton_parents_precede_children_in_any_tree),
        cmocka_unit_test(test_scene_skeleton_too_deep_is_refused),
    };
    return cmocka_run_group_tests_name("scene_skeleton", tests, NULL, NULL);
}
