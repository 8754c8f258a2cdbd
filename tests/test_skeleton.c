// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Questions about joints: names, parents, and what is not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "pack_builder.h"

/// Six joints whose lanes run against their order: 5 is the root.
static struct pack_content *family_content(void)
{
    static const struct {
        const char *name;
        uint32_t parent;
        uint16_t lane;
    } joints[6] = {
        {"tail", 1, 5}, {"hip", 5, 1},  {"", 3, 4},
        {"hand", 5, 2}, {"hand", 5, 3}, {"root", TRP_NONE, 0},
    };
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .joint_count = 6,
    });
    for (uint32_t i = 0; i < 6; i++) {
        struct pack_joint *const joint = &content->skeletons[0].joints[i];
        joint->name = joints[i].name;
        joint->parent = joints[i].parent;
        joint->lane = joints[i].lane;
    }
    return content;
}

struct fixture {
    struct pack_content *content;
    uint8_t *bytes;
    trp_skeleton skeleton;
};

static int setup(void **state)
{
    struct fixture *const fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->content = family_content();
    size_t size_bytes = 0;
    fixture->bytes = pack_write(fixture->content, &size_bytes);
    trp_pack pack;
    assert_int_equal(trp_pack_open(fixture->bytes, size_bytes, &pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_skeleton(&pack, 0, &fixture->skeleton), TRP_OK);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *const fixture = *state;
    pack_content_free(fixture->content);
    free(fixture->bytes);
    free(fixture);
    return 0;
}

static void test_skeleton_joint_names_are_those_of_the_source(void **state)
{
    const trp_skeleton *const skeleton = &((struct fixture *)*state)->skeleton;
    assert_string_equal(trp_skeleton_joint_name(skeleton, 0), "tail");
    assert_string_equal(trp_skeleton_joint_name(skeleton, 2), "");
    assert_string_equal(trp_skeleton_joint_name(skeleton, 5), "root");
    assert_null(trp_skeleton_joint_name(skeleton, 6));
    assert_null(trp_skeleton_joint_name(skeleton, TRP_NONE));
    assert_null(trp_skeleton_joint_name(NULL, 0));
}

static void test_skeleton_first_joint_of_a_name_is_found(void **state)
{
    const trp_skeleton *const skeleton = &((struct fixture *)*state)->skeleton;
    assert_int_equal(trp_skeleton_find_joint(skeleton, trp_name_hash("tail")), 0);
    assert_int_equal(trp_skeleton_find_joint(skeleton, trp_name_hash("hand")), 3);
    assert_int_equal(trp_skeleton_find_joint(skeleton, trp_name_hash("root")), 5);
    assert_int_equal(trp_skeleton_find_joint(skeleton, trp_name_hash("")), 2);
    assert_int_equal(trp_skeleton_find_joint(skeleton, trp_name_hash("Hand")), TRP_NONE);
    assert_int_equal(trp_skeleton_find_joint(NULL, trp_name_hash("hand")), TRP_NONE);
}

static void test_skeleton_parents_are_joints_not_lanes(void **state)
{
    const trp_skeleton *const skeleton = &((struct fixture *)*state)->skeleton;
    assert_int_equal(trp_skeleton_parent(skeleton, 0), 1);
    assert_int_equal(trp_skeleton_parent(skeleton, 1), 5);
    assert_int_equal(trp_skeleton_parent(skeleton, 2), 3);
    assert_int_equal(trp_skeleton_parent(skeleton, 4), 5);
    assert_int_equal(trp_skeleton_parent(skeleton, 5), TRP_NONE);
    assert_int_equal(trp_skeleton_parent(skeleton, 6), TRP_NONE);
    assert_int_equal(trp_skeleton_parent(skeleton, TRP_NONE), TRP_NONE);
    assert_int_equal(trp_skeleton_parent(NULL, 0), TRP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_skeleton_joint_names_are_those_of_the_source, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_skeleton_first_joint_of_a_name_is_found, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_skeleton_parents_are_joints_not_lanes, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
