// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Instances: views of what a pack holds, and clips that play over the pose of one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa.h"
#include "pack_builder.h"

/// A pack of a skeleton, two instances and clips, opened.
struct stage {
    struct pack_content *content;
    uint8_t *bytes;
    trp_pack pack;
    trp_skeleton skeleton;
    trp_instance instances[2];
    size_t pose_bytes;
};

static struct stage stage_write(struct pack_content *content)
{
    struct stage stage = {.content = content};
    size_t size_bytes = 0;
    stage.bytes = pack_write(content, &size_bytes);
    assert_int_equal(trp_pack_open(stage.bytes, size_bytes, &stage.pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_skeleton(&stage.pack, 0, &stage.skeleton), TRP_OK);
    assert_int_equal(stage.pack.instance_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(trp_pack_instance(&stage.pack, i, &stage.instances[i]), TRP_OK);
    }
    stage.pose_bytes = trp_pose_bytes(stage.skeleton.block_count);
    return stage;
}

static struct stage stage_make(const struct pack_recipe *recipe)
{
    return stage_write(pack_content_random(recipe));
}

static void stage_free(struct stage *stage)
{
    free(stage->bytes);
    pack_content_free(stage->content);
}

static void *aligned(size_t size_bytes)
{
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, TRP_ALIGNMENT, size_bytes), 0);
    memset(memory, 0xA5, size_bytes);
    return memory;
}

static trp_result sample(const trp_clip *clip, double time_s, const void *prepared,
                         trp_pose_block *pose)
{
    const trp_sample_request request = {.clip = clip, .time_s = time_s, .pose = pose};
    trp_sample_args args = {
        .requests = &request,
        .request_count = 1,
        .prepared = prepared ? &prepared : NULL,
        .prepared_count = prepared != NULL,
    };
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned(args.scratch_bytes);
    const trp_result result = trp_sample(&args, NULL);
    free(args.scratch);
    return result;
}

// -- Views ---------------------------------------------------------------------------------------

static void assert_instance_view(const struct stage *stage, uint32_t index)
{
    const trp_instance *const view = &stage->instances[index];
    const struct pack_instance *const made = &stage->content->instances[index];
    const trp_joint_transform *const pose = stage->content->instances[made->pose_of].pose;
    assert_string_equal(view->name, made->name);
    assert_int_equal(view->name_hash, trp_name_hash(made->name));
    assert_string_equal(view->id, made->id);
    assert_string_equal(view->armature_name, made->armature_name);
    assert_string_equal(view->armature_id, made->armature_id);
    assert_int_equal(view->index, index);
    assert_int_equal(view->skeleton_index, 0);
    assert_int_equal((uintptr_t)view->pose % 64, 0);
    for (uint32_t i = 0; i < stage->skeleton.joint_count; i++) {
        const uint32_t lane = stage->skeleton.lane_of_joint[i];
        const trp_pose_block *const block = &view->pose[lane / 16];
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(block->rotation[k][lane % 16] == pose[i].rotation[k]);
        }
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(block->translation[k][lane % 16] == pose[i].translation[k]);
            assert_true(block->scale[k][lane % 16] == pose[i].scale[k]);
        }
    }
    assert_int_equal(view->bone_count, made->bone_count);
    for (uint32_t bone = 0; bone < made->bone_count; bone++) {
        const uint64_t hash = trp_name_hash(made->ids[bone]);
        assert_string_equal(trp_instance_bone_id(view, bone), made->ids[bone]);
        assert_int_equal(view->id_hash_of_bone[bone], hash);
        assert_int_equal(trp_instance_find_bone(view, hash), bone);
        assert_int_equal(view->lane_of_bone[bone], made->lanes[bone]);
        assert_true(view->length_of_bone[bone] == made->lengths[bone]);
    }
    assert_int_equal(view->component_count, made->component_count);
    for (uint32_t i = 0; i < made->component_count; i++) {
        const struct pack_component *const expected = &made->components[i];
        trp_component component;
        assert_int_equal(trp_instance_component(view, i, &component), TRP_OK);
        assert_int_equal(component.kind, expected->kind);
        assert_int_equal(component.bone, expected->bone);
        assert_string_equal(component.id, expected->id);
        assert_string_equal(component.type, expected->type);
        assert_string_equal(component.json, expected->json);
        assert_int_equal(component.id_hash, trp_name_hash(expected->id));
        assert_int_equal(trp_instance_find_component(view, TRP_NONE, component.id_hash), i);
        assert_int_equal(trp_instance_find_component(view, component.bone, component.id_hash), i);
        assert_int_equal(trp_instance_find_component(view, component.bone + 1, component.id_hash),
                         TRP_NONE);
    }
    assert_int_equal(trp_pack_find_instance(&stage->pack, view->name_hash), index);
}

static void test_instance_view_says_what_the_pack_was_made_of(void **state)
{
    (void)state;
    static const uint32_t joint_counts[] = {1, 15, 16, 17, 40};
    for (uint32_t i = 0; i < sizeof joint_counts / sizeof *joint_counts; i++) {
        struct stage stage = stage_make(&(struct pack_recipe){
            .seed = i,
            .joint_count = joint_counts[i],
            .attachment_count = i % 2,
            .instance_count = 2,
            .shares_pose = i >= 3,
        });
        assert_instance_view(&stage, 0); // a humanoid
        assert_instance_view(&stage, 1);
        stage_free(&stage);
    }
}

static void test_instance_component_is_the_first_of_its_bone(void **state)
{
    (void)state;
    struct pack_content *const content =
        pack_content_random(&(struct pack_recipe){.instance_count = 2});
    struct pack_component *const components = content->instances[0].components;
    components[0] = (struct pack_component){1, 0, "twin", "", "{}"};
    components[1] = (struct pack_component){2, 2, "twin", "", "{}"};
    components[2] = (struct pack_component){2, 1, "twin", "", "{}"};
    content->instances[1].name = content->instances[0].name;
    struct stage stage = stage_write(content);
    const trp_instance *const instance = &stage.instances[0];
    const uint64_t hash = trp_name_hash("twin");
    assert_int_equal(trp_instance_find_component(instance, TRP_NONE, hash), 0);
    assert_int_equal(trp_instance_find_component(instance, 0, hash), TRP_NONE);
    assert_int_equal(trp_instance_find_component(instance, 1, hash), 0);
    assert_int_equal(trp_instance_find_component(instance, 2, hash), 1);
    assert_int_equal(trp_instance_find_component(instance, 99, hash), TRP_NONE);
    assert_int_equal(trp_pack_find_instance(&stage.pack, instance->name_hash), 0);
    stage_free(&stage);
}

static void test_instance_queries_refuse_what_is_out_of_range(void **state)
{
    (void)state;
    struct stage stage = stage_make(&(struct pack_recipe){.instance_count = 2});
    trp_instance instance;
    trp_component component;
    memset(&instance, 0x55, sizeof instance);
    memset(&component, 0x55, sizeof component);
    const trp_instance old_instance = instance;
    const trp_component old_component = component;
    const trp_instance *const good = &stage.instances[0];
    assert_int_equal(trp_pack_instance(&stage.pack, 2, &instance), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_instance(&stage.pack, TRP_NONE, &instance), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_instance(NULL, 0, &instance), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_instance(&stage.pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_instance_component(good, 3, &component), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_instance_component(good, TRP_NONE, &component), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_instance_component(NULL, 0, &component), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_instance_component(good, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_memory_equal(&instance, &old_instance, sizeof instance);
    assert_memory_equal(&component, &old_component, sizeof component);
    assert_null(trp_instance_bone_id(good, good->bone_count));
    assert_null(trp_instance_bone_id(NULL, 0));
    assert_int_equal(trp_instance_find_bone(good, trp_name_hash("no bone")), TRP_NONE);
    assert_int_equal(trp_instance_find_bone(NULL, 0), TRP_NONE);
    assert_int_equal(trp_instance_find_component(good, TRP_NONE, trp_name_hash("none")), TRP_NONE);
    assert_int_equal(trp_instance_find_component(NULL, TRP_NONE, 0), TRP_NONE);
    assert_int_equal(trp_pack_find_instance(&stage.pack, trp_name_hash("nobody")), TRP_NONE);
    assert_int_equal(trp_pack_find_instance(NULL, 0), TRP_NONE);
    stage_free(&stage);
}

// -- Playing over a pose -------------------------------------------------------------------------

/// A description whose first clip says nothing, or rests throughout.
static struct stage stage_of_still_clip(enum pack_track_kind kind)
{
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .seed = 3,
        .joint_count = 18,
        .clip_count = 1,
        .is_still = true,
        .instance_count = 2,
    });
    const struct pack_skeleton *const skeleton = &content->skeletons[0];
    const uint32_t lanes = 16 * skeleton->block_count;
    for (uint32_t i = 0; i < 3 * lanes; i++) {
        content->clips[0].tracks[i].kind = PACK_ABSENT;
    }
    for (uint32_t i = 0; i < 3 * skeleton->joint_count; i++) {
        const uint32_t joint = i % skeleton->joint_count;
        const uint32_t path = i / skeleton->joint_count;
        content->clips[0].tracks[path * lanes + skeleton->joints[joint].lane].kind = kind;
    }
    return stage_write(content);
}

static void test_instance_clip_that_says_nothing_gives_the_pose(void **state)
{
    (void)state;
    struct stage stage = stage_of_still_clip(PACK_ABSENT);
    trp_pose_block *const pose = aligned(stage.pose_bytes);
    trp_clip clip;
    assert_int_equal(trp_pack_clip(&stage.pack, 0, &clip), TRP_OK);
    FOR_EACH_ISA(isa)
    {
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(trp_clip_bind_instance(&clip, &stage.instances[i]), TRP_OK);
            assert_ptr_equal(clip.base, stage.instances[i].pose);
            assert_ptr_equal(clip.rest, stage.skeleton.rest);
            assert_int_equal(sample(&clip, 0.1, NULL, pose), TRP_OK);
            assert_memory_equal(pose, stage.instances[i].pose, stage.pose_bytes);
        }
        assert_int_equal(trp_clip_bind(&clip, &stage.skeleton), TRP_OK); // back to rest
        assert_int_equal(sample(&clip, 0.1, NULL, pose), TRP_OK);
        assert_memory_equal(pose, stage.skeleton.rest, stage.pose_bytes);
    }
    free(pose);
    stage_free(&stage);
}

static void test_instance_clip_that_rests_gives_the_rest(void **state)
{
    (void)state;
    struct stage stage = stage_of_still_clip(PACK_RESTING);
    trp_pose_block *const pose = aligned(stage.pose_bytes);
    trp_clip clip;
    assert_int_equal(trp_pack_clip(&stage.pack, 0, &clip), TRP_OK);
    assert_int_equal(trp_clip_bind_instance(&clip, &stage.instances[1]), TRP_OK);
    FOR_EACH_ISA(isa)
    {
        assert_int_equal(sample(&clip, 0.1, NULL, pose), TRP_OK);
        assert_memory_equal(pose, stage.skeleton.rest, stage.pose_bytes);
    }
    free(pose);
    stage_free(&stage);
}

/// Returns the first value of one path of one lane, the others 16 floats apart.
static const float *values_of(const trp_pose_block *pose, uint32_t path, uint32_t lane)
{
    const trp_pose_block *const block = &pose[lane / 16];
    return path == 0   ? &block->rotation[0][lane % 16]
           : path == 1 ? &block->translation[0][lane % 16]
                       : &block->scale[0][lane % 16];
}

static void test_instance_every_lane_comes_from_where_it_should(void **state)
{
    (void)state;
    uint32_t seen[4] = {0};
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct stage stage = stage_make(&(struct pack_recipe){
            .seed = seed,
            .joint_count = 33,
            .clip_count = 1,
            .tick_count = 20,
            .instance_count = 2,
        });
        const struct pack_track *const tracks = stage.content->clips[0].tracks;
        const uint32_t lanes = stage.skeleton.lane_count;
        trp_pose_block *const plain = aligned(stage.pose_bytes);
        trp_pose_block *const posed = aligned(stage.pose_bytes);
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&stage.pack, 0, &clip), TRP_OK);
        FOR_EACH_ISA(isa)
        {
            assert_int_equal(trp_clip_bind(&clip, &stage.skeleton), TRP_OK);
            assert_int_equal(sample(&clip, 0.21, NULL, plain), TRP_OK);
            assert_int_equal(trp_clip_bind_instance(&clip, &stage.instances[0]), TRP_OK);
            assert_int_equal(sample(&clip, 0.21, NULL, posed), TRP_OK);
            for (uint32_t i = 0; i < 3 * lanes; i++) {
                const enum pack_track_kind kind = tracks[i].kind;
                const trp_pose_block *const source = kind == PACK_ABSENT ? stage.instances[0].pose
                                                     : kind == PACK_RESTING ? stage.skeleton.rest
                                                                            : plain;
                const float *const found = values_of(posed, i / lanes, i % lanes);
                const float *const expected = values_of(source, i / lanes, i % lanes);
                for (uint32_t k = 0; k < (i < lanes ? 4u : 3u); k++) {
                    // Lanes beside moving ones go through arithmetic.
                    const float difference = found[16 * k] - expected[16 * k];
                    assert_true(difference < 1e-6f && difference > -1e-6f);
                }
                seen[kind]++;
            }
        }
        free(posed);
        free(plain);
        stage_free(&stage);
    }
    for (uint32_t kind = 0; kind < 4; kind++) {
        assert_true(seen[kind] > 100);
    }
}

static void test_instance_prepared_for_another_base_is_not_used(void **state)
{
    (void)state;
    struct stage stage = stage_make(&(struct pack_recipe){
        .seed = 4,
        .joint_count = 20,
        .clip_count = 1,
        .tick_count = 6,
        .instance_count = 2,
    });
    trp_pose_block *const expected = aligned(stage.pose_bytes);
    trp_pose_block *const pose = aligned(stage.pose_bytes);
    trp_clip clips[3];
    void *prepared[3];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(trp_pack_clip(&stage.pack, 0, &clips[i]), TRP_OK);
        if (i > 0) {
            assert_int_equal(trp_clip_bind_instance(&clips[i], &stage.instances[i - 1]), TRP_OK);
        }
        const size_t bytes = trp_clip_prepared_bytes(&clips[i]);
        prepared[i] = aligned(bytes);
        assert_int_equal(trp_clip_prepare(&clips[i], 0, prepared[i], bytes), TRP_OK);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sample(&clips[i], 0.1, NULL, expected), TRP_OK);
        for (uint32_t k = 0; k < 3; k++) {
            memset(pose, 0xA5, stage.pose_bytes);
            assert_int_equal(sample(&clips[i], 0.1, prepared[k], pose), TRP_OK);
            assert_memory_equal(pose, expected, stage.pose_bytes);
        }
    }
    // All three in one batch, twice: each gets its own.
    trp_sample_request requests[6];
    for (uint32_t i = 0; i < 6; i++) {
        requests[i] = (trp_sample_request){
            .clip = &clips[i % 3], .time_s = 0.1, .pose = aligned(stage.pose_bytes)};
    }
    trp_sample_args args = {
        .requests = requests,
        .request_count = 6,
        .prepared = (const void *const *)prepared,
        .prepared_count = 2,
    };
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = aligned(args.scratch_bytes);
    assert_int_equal(trp_sample(&args, NULL), TRP_OK);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(sample(&clips[i % 3], 0.1, NULL, expected), TRP_OK);
        assert_memory_equal(requests[i].pose, expected, stage.pose_bytes);
        free(requests[i].pose);
    }
    free(args.scratch);
    assert_memory_not_equal(stage.instances[0].pose, stage.instances[1].pose, stage.pose_bytes);
    for (uint32_t i = 0; i < 3; i++) {
        free(prepared[i]);
    }
    free(pose);
    free(expected);
    stage_free(&stage);
}

static void test_instance_bind_refuses_and_leaves_the_clip(void **state)
{
    (void)state;
    struct stage stage = stage_make(&(struct pack_recipe){
        .joint_count = 17, .clip_count = 1, .tick_count = 3, .instance_count = 2});
    struct stage small =
        stage_make(&(struct pack_recipe){.joint_count = 16, .clip_count = 1, .instance_count = 2});
    struct stage other = stage_make(&(struct pack_recipe){// as large
                                                          .seed = 1,
                                                          .joint_count = 17,
                                                          .instance_count = 2});
    struct stage additive = stage_make(&(struct pack_recipe){
        .joint_count = 17, .clip_count = 1, .flags = TRP_CLIP_ADDITIVE, .instance_count = 2});
    trp_clip clip;
    trp_clip difference;
    assert_int_equal(trp_pack_clip(&stage.pack, 0, &clip), TRP_OK);
    assert_int_equal(trp_pack_clip(&additive.pack, 0, &difference), TRP_OK);
    trp_clip unbound = clip;
    unbound.rest = NULL;
    unbound.base = NULL;
    trp_clip empty = {0};
    const trp_clip old = clip;
    assert_int_equal(trp_clip_bind_instance(&clip, &small.instances[0]), TRP_ERROR_MISMATCH);
    assert_int_equal(other.skeleton.block_count, stage.skeleton.block_count);
    assert_int_equal(trp_clip_bind_instance(&clip, &other.instances[0]), TRP_ERROR_MISMATCH);
    assert_int_equal(trp_clip_bind_instance(&clip, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_bind_instance(NULL, &stage.instances[0]), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_bind_instance(&empty, &stage.instances[0]), TRP_ERROR_ARGUMENT);
    assert_memory_equal(&clip, &old, sizeof clip);
    assert_int_equal(trp_clip_bind_instance(&unbound, &stage.instances[0]), TRP_ERROR_MISMATCH);
    assert_null(unbound.base);
    assert_int_equal(trp_clip_bind_instance(&difference, &additive.instances[0]),
                     TRP_ERROR_MISMATCH);
    assert_ptr_equal(difference.base, additive.skeleton.rest);
    stage_free(&additive);
    stage_free(&other);
    stage_free(&small);
    stage_free(&stage);
}

static void test_instance_play_mode_is_that_of_the_file(void **state)
{
    (void)state;
    const trp_clip clips[4] = {
        {.flags = TRP_CLIP_ADDITIVE | TRP_CLIP_LOOP_CLOSED | TRP_CLIP_ROOT_MOTION},
        {.flags = TRP_CLIP_LOOPS},
        {.flags = TRP_CLIP_PING_PONG | TRP_CLIP_LOOP_CLOSED},
    };
    assert_int_equal(trp_clip_play_mode(&clips[0]), TRP_PLAY_CLAMP);
    assert_int_equal(trp_clip_play_mode(&clips[1]), TRP_PLAY_LOOP);
    assert_int_equal(trp_clip_play_mode(&clips[2]), TRP_PLAY_PING_PONG);
    assert_int_equal(trp_clip_play_mode(NULL), TRP_PLAY_CLAMP);
}

int main(void)
{
    if (!isa_report()) {
        return EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instance_view_says_what_the_pack_was_made_of),
        cmocka_unit_test(test_instance_component_is_the_first_of_its_bone),
        cmocka_unit_test(test_instance_queries_refuse_what_is_out_of_range),
        cmocka_unit_test(test_instance_clip_that_says_nothing_gives_the_pose),
        cmocka_unit_test(test_instance_clip_that_rests_gives_the_rest),
        cmocka_unit_test(test_instance_every_lane_comes_from_where_it_should),
        cmocka_unit_test(test_instance_prepared_for_another_base_is_not_used),
        cmocka_unit_test(test_instance_bind_refuses_and_leaves_the_clip),
        cmocka_unit_test(test_instance_play_mode_is_that_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
