// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Opening good packs: the views say what the pack was made of, and rows decode to what FORMAT.md
// says they mean. What is refused is the matter of test_validate.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack_builder.h"

/// A description, its bytes, and the pack opened from them.
struct fixture {
    struct pack_content *content;
    uint8_t *bytes;
    size_t size_bytes;
    trp_pack pack;
};

static struct fixture fixture_write(struct pack_content *content)
{
    struct fixture fixture = {.content = content};
    trp_diagnostic diagnostic;
    memset(&diagnostic, 0xAA, sizeof diagnostic);
    fixture.bytes = pack_write(content, &fixture.size_bytes);
    assert_int_equal(trp_pack_open(fixture.bytes, fixture.size_bytes, &fixture.pack, &diagnostic),
                     TRP_OK);
    assert_int_equal(diagnostic.result, TRP_OK);
    assert_null(diagnostic.rule);
    return fixture;
}

static struct fixture fixture_make(const struct pack_recipe *recipe)
{
    return fixture_write(pack_content_random(recipe));
}

static void fixture_free(struct fixture *fixture)
{
    free(fixture->bytes);
    pack_content_free(fixture->content);
}

// -- Opening

static void test_pack_empty_opens(void **state)
{
    (void)state;
    struct fixture fixture = fixture_make(&(struct pack_recipe){.only_clips = true});
    assert_int_equal(fixture.size_bytes, 128);
    assert_int_equal(fixture.pack.skeleton_count, 0);
    assert_int_equal(fixture.pack.skin_count, 0);
    assert_int_equal(fixture.pack.clip_count, 0);
    assert_null(fixture.pack.strings);
    assert_null(fixture.pack.skeletons);
    assert_null(fixture.pack.skins);
    assert_null(fixture.pack.clips);
    trp_skeleton skeleton;
    trp_skin skin;
    trp_clip clip;
    assert_int_equal(trp_pack_skeleton(&fixture.pack, 0, &skeleton), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_skin(&fixture.pack, 0, &skin), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_clip(&fixture.pack, 0, &clip), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_find_clip(&fixture.pack, trp_name_hash("")), TRP_NONE);
    fixture_free(&fixture);
}

static void test_pack_bad_arguments_are_refused(void **state)
{
    (void)state;
    struct fixture fixture = fixture_make(&(struct pack_recipe){.clip_count = 1});
    trp_diagnostic diagnostic;
    const trp_pack zero = {0};
    trp_pack pack = fixture.pack;
    assert_int_equal(trp_pack_open(NULL, 128, &pack, &diagnostic), TRP_ERROR_ARGUMENT);
    assert_string_equal(diagnostic.rule, "argument.bytes");
    assert_int_equal(diagnostic.result, TRP_ERROR_ARGUMENT);
    assert_memory_equal(&pack, &zero, sizeof zero);
    assert_int_equal(trp_pack_open(NULL, 128, &pack, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_open(fixture.bytes, fixture.size_bytes, NULL, &diagnostic),
                     TRP_ERROR_ARGUMENT);
    assert_string_equal(diagnostic.rule, "argument.pack");
    assert_int_equal(trp_pack_open(NULL, 0, NULL, NULL), TRP_ERROR_ARGUMENT);

    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, fixture.size_bytes + 64), 0);
    for (size_t shift = 0; shift < 64; shift++) {
        uint8_t *const moved = (uint8_t *)memory + shift;
        memcpy(moved, fixture.bytes, fixture.size_bytes);
        pack = fixture.pack;
        assert_int_equal(trp_pack_open(moved, fixture.size_bytes, &pack, &diagnostic),
                         shift == 0 ? TRP_OK : TRP_ERROR_ARGUMENT);
        if (shift != 0) {
            assert_string_equal(diagnostic.rule, "argument.bytes");
            assert_memory_equal(&pack, &zero, sizeof zero);
        }
    }
    free(memory);
    fixture_free(&fixture);
}

static void test_pack_views_refuse_bad_arguments_and_leave_the_view(void **state)
{
    (void)state;
    struct fixture fixture = fixture_make(&(struct pack_recipe){.clip_count = 2, .skin_count = 1});
    const trp_pack *const pack = &fixture.pack;
    trp_skeleton skeleton;
    trp_skin skin;
    trp_clip clip;
    memset(&skeleton, 0x55, sizeof skeleton);
    memset(&skin, 0x55, sizeof skin);
    memset(&clip, 0x55, sizeof clip);
    const trp_skeleton old_skeleton = skeleton;
    const trp_skin old_skin = skin;
    const trp_clip old_clip = clip;
    static const uint32_t beyond[3] = {1, 0x80000000, TRP_NONE};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(trp_pack_skeleton(pack, beyond[i], &skeleton), TRP_ERROR_ARGUMENT);
        assert_int_equal(trp_pack_skin(pack, beyond[i], &skin), TRP_ERROR_ARGUMENT);
        assert_int_equal(trp_pack_clip(pack, beyond[i] + (i == 0), &clip), TRP_ERROR_ARGUMENT);
    }
    assert_int_equal(trp_pack_skeleton(NULL, 0, &skeleton), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_skin(NULL, 0, &skin), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_clip(NULL, 0, &clip), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_skeleton(pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_skin(pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_clip(pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_find_clip(NULL, 0), TRP_NONE);
    assert_int_equal(trp_pack_hash(NULL), 0);
    assert_memory_equal(&skeleton, &old_skeleton, sizeof skeleton);
    assert_memory_equal(&skin, &old_skin, sizeof skin);
    assert_memory_equal(&clip, &old_clip, sizeof clip);
    fixture_free(&fixture);
}

static void test_pack_hash_is_that_of_the_header(void **state)
{
    (void)state;
    struct fixture one = fixture_make(&(struct pack_recipe){.seed = 1, .clip_count = 1});
    struct fixture two = fixture_make(&(struct pack_recipe){.seed = 2, .clip_count = 1});
    assert_int_equal(trp_pack_hash(&one.pack), pack_get_u64(one.bytes, 24));
    assert_int_not_equal(trp_pack_hash(&one.pack), trp_pack_hash(&two.pack));
    fixture_free(&one);
    fixture_free(&two);
}

/// Takes a section out by giving its row another kind, which is skipped.
static trp_result open_without(const struct fixture *fixture, enum pack_section kind,
                               trp_pack *pack, const char **rule)
{
    const size_t row = pack_section_row(fixture->bytes, kind);
    trp_diagnostic diagnostic;
    pack_set_u32(fixture->bytes, row, 0xFFFFFFFF);
    const trp_result result = trp_pack_open(fixture->bytes, fixture->size_bytes, pack, &diagnostic);
    pack_set_u32(fixture->bytes, row, kind);
    *rule = diagnostic.rule == NULL ? "" : diagnostic.rule;
    return result;
}

static void test_pack_unknown_sections_are_skipped_and_missing_ones_missed(void **state)
{
    (void)state;
    struct fixture fixture =
        fixture_make(&(struct pack_recipe){.clip_count = 1, .skin_count = 1, .tick_count = 3});
    trp_pack pack;
    const char *rule;
    assert_int_equal(open_without(&fixture, PACK_SKINS, &pack, &rule), TRP_OK);
    assert_int_equal(pack.skin_count, 0);
    assert_int_equal(pack.clip_count, 1);
    assert_int_equal(open_without(&fixture, PACK_CLIPS, &pack, &rule), TRP_OK);
    assert_int_equal(pack.clip_count, 0);
    assert_int_equal(open_without(&fixture, PACK_SKELETONS, &pack, &rule), TRP_ERROR_FORMAT);
    assert_string_equal(rule, "skin.skeleton");
    assert_int_equal(open_without(&fixture, PACK_STRINGS, &pack, &rule), TRP_ERROR_FORMAT);
    assert_string_equal(rule, "name.range");

    // Unknown kinds may come more than once.
    pack_set_u32(fixture.bytes, pack_section_row(fixture.bytes, PACK_SKINS), 0x12345678);
    pack_set_u32(fixture.bytes, pack_section_row(fixture.bytes, PACK_CLIPS), 0x12345678);
    assert_int_equal(trp_pack_open(fixture.bytes, fixture.size_bytes, &pack, NULL), TRP_OK);
    assert_int_equal(pack.skeleton_count, 1);
    fixture_free(&fixture);
}

// -- Views

static void assert_skeleton_view(const trp_skeleton *view, const struct pack_skeleton *skeleton)
{
    assert_string_equal(view->name, skeleton->name);
    assert_int_equal(view->name_hash, trp_name_hash(skeleton->name));
    assert_int_equal(view->bind_hash, pack_bind_hash(skeleton));
    assert_true(view->metres_per_unit == skeleton->metres_per_unit);
    assert_int_equal(view->index, 0);
    assert_int_equal(view->joint_count, skeleton->joint_count);
    assert_int_equal(view->block_count, skeleton->block_count);
    assert_int_equal(view->joint_block_count, skeleton->joint_block_count);
    assert_int_equal(view->lane_count, 16 * skeleton->block_count);
    assert_memory_equal(view->root_transform, skeleton->root_transform, sizeof(float[12]));
    assert_int_equal((uintptr_t)view->rest % 64, 0);
    uint32_t free_count = view->lane_count;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pack_joint *const joint = &skeleton->joints[i];
        const uint32_t lane = joint->lane;
        assert_int_equal(view->lane_of_joint[i], lane);
        assert_int_equal(view->joint_of_lane[lane], i);
        assert_int_equal(view->parent_of_lane[lane], joint->parent == TRP_NONE
                                                         ? TRP_NO_LANE
                                                         : skeleton->joints[joint->parent].lane);
        assert_int_equal(view->node_of_joint[i], joint->node);
        assert_int_equal(view->name_hash_of_joint[i], trp_name_hash(joint->name));
        assert_string_equal(view->strings + view->name_of_joint[i], joint->name);
        assert_string_equal(trp_skeleton_joint_id(view, i), joint->id ? joint->id : "");
        const trp_pose_block *const block = &view->rest[lane / 16];
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(block->rotation[k][lane % 16] == joint->rest.rotation[k]);
        }
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(block->translation[k][lane % 16] == joint->rest.translation[k]);
            assert_true(block->scale[k][lane % 16] == joint->rest.scale[k]);
        }
        free_count--;
    }
    for (uint32_t lane = 0; lane < view->lane_count; lane++) {
        free_count -= view->joint_of_lane[lane] == TRP_NO_LANE;
    }
    assert_int_equal(free_count, 0);
}

static void assert_skin_view(const trp_skin *view, const struct pack_skin *skin, uint32_t index)
{
    assert_string_equal(view->name, skin->name);
    assert_int_equal(view->name_hash, trp_name_hash(skin->name));
    assert_int_equal(view->index, index);
    assert_int_equal(view->skeleton_index, 0);
    assert_int_equal(view->joint_count, skin->joint_count);
    assert_memory_equal(view->lane_of_entry, skin->lanes, skin->joint_count * sizeof(uint16_t));
    assert_memory_equal(view->inverse_bind, skin->inverse_bind,
                        skin->joint_count * sizeof(float[12]));
}

static void assert_clip_view(const trp_clip *view, const struct fixture *fixture, uint32_t index)
{
    const struct pack_clip *const clip = &fixture->content->clips[index];
    assert_string_equal(view->name, clip->name);
    assert_int_equal(view->name_hash, trp_name_hash(clip->name));
    assert_string_equal(view->source_id, clip->source_id ? clip->source_id : "");
    assert_int_equal(view->bind_hash, clip->bind_hash);
    assert_int_equal(view->pack_hash, trp_pack_hash(&fixture->pack));
    assert_true(view->duration_s == (double)clip->tick_count * clip->rate_den / clip->rate_num);
    assert_int_equal(view->index, index);
    assert_int_equal(view->skeleton_index, clip->skeleton);
    assert_int_equal(view->flags, clip->flags);
    assert_int_equal(view->block_count, clip->block_count);
    assert_int_equal(view->rate_num, clip->rate_num);
    assert_int_equal(view->rate_den, clip->rate_den);
    assert_int_equal(view->tick_count, clip->tick_count);
    assert_int_equal(view->ticks_per_segment, clip->ticks_per_segment);
    assert_int_equal(view->segment_count, clip->segment_count);
    assert_true(view->budget_mm == 0.1f && view->shell_m == 0.03f);
    assert_true(view->max_error_keys_mm == 0.05f && view->max_error_mm == 0.09f);
    assert_true(view->mean_error_mm == 0.01f);
    assert_ptr_equal(view->bytes, fixture->bytes + pack_object(fixture->bytes, PACK_CLIPS, index));
    assert_true(view->size_bytes >= 128);
    for (uint32_t i = 0; i < 48 * clip->block_count; i++) {
        const uint32_t lanes = 16 * clip->block_count;
        const enum pack_track_kind kind = clip->tracks[i].kind;
        assert_int_equal(trp_clip_track_kind(view, (trp_path)(i / lanes), i % lanes),
                         kind == PACK_ANIMATED ? TRP_TRACK_ANIMATED
                         : kind == PACK_ABSENT ? TRP_TRACK_ABSENT
                                               : TRP_TRACK_CONSTANT);
    }
    assert_int_equal(trp_pack_find_clip(&fixture->pack, view->name_hash), index);
}

static void test_pack_views_say_what_the_pack_was_made_of(void **state)
{
    (void)state;
    static const uint32_t joint_counts[] = {1, 2, 15, 16, 17, 31, 32, 33, 100};
    for (uint32_t i = 0; i < sizeof joint_counts / sizeof joint_counts[0]; i++) {
        struct fixture fixture = fixture_make(&(struct pack_recipe){
            .seed = i,
            .joint_count = joint_counts[i],
            .attachment_count = i % 3 * 8,
            .skin_count = 1 + i % 2,
            .clip_count = 3,
            .tick_count = i * i,
            .flags = i % 4 == 3 ? TRP_CLIP_ROOT_MOTION : i % 3,
            .root_key_count = i % 4 == 3 ? 2 : 0,
        });
        trp_skeleton skeleton;
        assert_int_equal(trp_pack_skeleton(&fixture.pack, 0, &skeleton), TRP_OK);
        assert_skeleton_view(&skeleton, &fixture.content->skeletons[0]);
        assert_int_equal(fixture.pack.skin_count, 1 + i % 2);
        for (uint32_t k = 0; k < fixture.pack.skin_count; k++) {
            trp_skin skin;
            assert_int_equal(trp_pack_skin(&fixture.pack, k, &skin), TRP_OK);
            assert_skin_view(&skin, &fixture.content->skins[k], k);
        }
        assert_int_equal(fixture.pack.clip_count, 3);
        for (uint32_t k = 0; k < 3; k++) {
            trp_clip clip;
            assert_int_equal(trp_pack_clip(&fixture.pack, k, &clip), TRP_OK);
            assert_clip_view(&clip, &fixture, k);
            assert_ptr_equal(clip.rest, skeleton.rest);
            assert_ptr_equal(clip.base, skeleton.rest);
        }
        fixture_free(&fixture);
    }
}

static void test_pack_first_clip_of_a_name_is_found(void **state)
{
    (void)state;
    struct pack_content *const content =
        pack_content_random(&(struct pack_recipe){.clip_count = 4});
    content->clips[1].name = "run";
    content->clips[2].name = "run";
    content->clips[3].name = "";
    struct fixture fixture = fixture_write(content);
    assert_int_equal(trp_pack_find_clip(&fixture.pack, trp_name_hash("run")), 1);
    assert_int_equal(trp_pack_find_clip(&fixture.pack, trp_name_hash("")), 3);
    assert_int_equal(trp_pack_find_clip(&fixture.pack, trp_name_hash("walk")), TRP_NONE);
    fixture_free(&fixture);
}

// -- Clips whose skeleton lies elsewhere

static void test_pack_clip_from_another_pack_binds_where_it_fits(void **state)
{
    (void)state;
    struct pack_recipe recipe = {.seed = 9, .joint_count = 18, .clip_count = 1, .tick_count = 5};
    struct fixture character = fixture_make(&recipe);
    recipe.only_clips = true;
    struct fixture animations = fixture_make(&recipe);
    trp_skeleton skeleton;
    trp_clip clip;
    assert_int_equal(trp_pack_skeleton(&character.pack, 0, &skeleton), TRP_OK);
    assert_int_equal(trp_pack_clip(&animations.pack, 0, &clip), TRP_OK);
    assert_int_equal(clip.skeleton_index, TRP_NONE);
    assert_null(clip.rest);
    assert_int_equal(trp_clip_bind(&clip, &skeleton), TRP_OK);
    assert_ptr_equal(clip.rest, skeleton.rest);
    fixture_free(&character);
    fixture_free(&animations);
}

/// Each of these opens, since nothing in its own pack contradicts it, and must not bind.
static void test_pack_clip_that_does_not_fit_is_not_bound(void **state)
{
    (void)state;
    struct pack_recipe recipe = {.seed = 9, .joint_count = 18, .clip_count = 1, .tick_count = 5};
    struct fixture character = fixture_make(&recipe);
    trp_skeleton skeleton;
    assert_int_equal(trp_pack_skeleton(&character.pack, 0, &skeleton), TRP_OK);
    assert_int_equal(skeleton.joint_of_lane[31], TRP_NO_LANE);
    recipe.only_clips = true;
    recipe.root_key_count = 2;
    for (uint32_t i = 0; i < 7; i++) {
        struct pack_content *const content = pack_content_random(&recipe);
        struct pack_clip *const clip = &content->clips[0];
        clip->bind_hash += i == 0;
        if (i == 1) { // fewer blocks, nothing in them
            clip->block_count = 1;
            memset(clip->tracks, 0, 48 * sizeof *clip->tracks);
            clip->segment_count = 0;
        } else if (i == 2) { // more
            clip->block_count = 3;
            clip->tracks = pack_content_allocate(content, 144 * sizeof *clip->tracks);
            clip->segment_count = 0;
        } else if (i == 6) { // root motion of a lane without a joint
            clip->root_motion->lane = 31;
        } else if (i >= 3) { // a value for a lane without a joint, in each path
            clip->tracks[(i - 3) * 32 + 31].kind = i == 4 ? PACK_RESTING : PACK_CONSTANT;
        }
        struct fixture animations = fixture_write(content);
        trp_clip view;
        assert_int_equal(trp_pack_clip(&animations.pack, 0, &view), TRP_OK);
        const trp_clip before = view;
        assert_int_equal(trp_clip_bind(&view, &skeleton), TRP_ERROR_MISMATCH);
        assert_memory_equal(&view, &before, sizeof view);
        fixture_free(&animations);
    }
    fixture_free(&character);
}

// -- Rows

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Compares a sampled pose with what the description says of one row.
static uint32_t assert_pose_is_row(const struct pack_clip *clip, const trp_pose_block *pose,
                                   uint32_t segment, uint32_t row)
{
    uint32_t compared_count = 0;
    for (uint32_t lane = 0; lane < 16 * clip->block_count; lane++) {
        const trp_pose_block *const block = &pose[lane / 16];
        double expected[4];
        if (pack_clip_value(clip, TRP_PATH_ROTATION, lane, segment, row, expected)) {
            double q[4];
            for (uint32_t i = 0; i < 4; i++) {
                q[i] = block->rotation[i][lane % 16];
            }
            assert_true(fabs(fabs(dot(q, expected, 4)) - 1) < 1e-6);
            const double sign = dot(q, expected, 4) < 0 ? -1 : 1;
            for (uint32_t i = 0; i < 4; i++) {
                assert_true(fabs(sign * q[i] - expected[i]) < 1e-6);
            }
            compared_count++;
        }
        for (uint32_t path = 1; path < 3; path++) {
            if (!pack_clip_value(clip, (trp_path)path, lane, segment, row, expected)) {
                continue;
            }
            for (uint32_t i = 0; i < 3; i++) {
                const double value =
                    path == 1 ? block->translation[i][lane % 16] : block->scale[i][lane % 16];
                // Four roundings of numbers up to 128 + 2.
                assert_true(fabs(value - expected[i]) < 4 * 130 * 0x1p-24);
            }
            compared_count++;
        }
    }
    return compared_count;
}

static void test_pack_rows_mean_what_the_format_says(void **state)
{
    (void)state;
    uint32_t compared_count = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct fixture fixture = fixture_make(&(struct pack_recipe){
            .seed = seed,
            .joint_count = 1 + seed,
            .attachment_count = seed % 4,
            .clip_count = 1,
            .tick_count = seed * 3,
            .ticks_per_segment = 8 + seed,
        });
        const struct pack_clip *const content = &fixture.content->clips[0];
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&fixture.pack, 0, &clip), TRP_OK);
        trp_pose_block *const pose = aligned_alloc(TRP_ALIGNMENT, trp_pose_bytes(clip.block_count));
        for (uint32_t segment = 0; segment < content->segment_count; segment++) {
            // The last row of a segment is sampled as the first of the next.
            const bool is_last = segment + 1 == content->segment_count;
            const uint32_t row_count = content->segments[segment].row_count - !is_last;
            for (uint32_t row = 0; row < row_count; row++) {
                const uint32_t tick = pack_clip_row_tick(content, segment, row);
                const trp_sample_request request = {
                    .clip = &clip,
                    .time_s = (double)tick * clip.rate_den / clip.rate_num,
                    .pose = pose,
                };
                trp_sample_args args = {.requests = &request, .request_count = 1};
                args.scratch_bytes = trp_sample_scratch_bytes(&args);
                args.scratch = aligned_alloc(TRP_ALIGNMENT, (args.scratch_bytes + 63) / 64 * 64);
                assert_int_equal(trp_sample(&args, NULL), TRP_OK);
                free(args.scratch);
                compared_count += assert_pose_is_row(content, pose, segment, row);
            }
        }
        free(pose);
        fixture_free(&fixture);
    }
    assert_true(compared_count > 10000);
}

// -- What the compiler writes

/// Reads the pack of the demo character; null where there is none.
static uint8_t *compiled_pack(size_t *size_bytes)
{
    const char *const path = getenv("TROUPE_DEMO_PACK");
    FILE *const file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size_bytes = (size_t)ftell(file);
    rewind(file);
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, *size_bytes), 0);
    assert_int_equal(fread(memory, 1, *size_bytes, file), *size_bytes);
    fclose(file);
    return memory;
}

static void assert_zero(const uint8_t *bytes, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        assert_int_equal(bytes[at], 0);
    }
}

/// Marks what the format gives a meaning to, and asserts that the rest is zero.
static void assert_rest_is_zero(const uint8_t *bytes, size_t size_bytes)
{
    size_t used = 64 + 32 * (size_t)pack_get_u32(bytes, 32);
    assert_zero(bytes, 36, 64);
    for (size_t row = 64; row < 64 + 32 * (size_t)pack_get_u32(bytes, 32); row += 32) {
        const uint32_t kind = pack_get_u32(bytes, row);
        const uint32_t count = pack_get_u32(bytes, row + 4);
        const size_t start = (size_t)pack_get_u64(bytes, row + 8);
        assert_zero(bytes, row + 24, row + 32);
        assert_zero(bytes, used, start);
        used = start + (kind == PACK_STRINGS ? (size_t)pack_get_u64(bytes, row + 16) : 8 * count);
        for (uint32_t i = 0; kind != PACK_STRINGS && i < count; i++) {
            static const size_t reserved[8][2] = {
                {0}, {0}, {88, 128}, {20, 64}, {148, 160}, {20, 64}, {44, 64}, {24, 32},
            };
            const size_t object = start + pack_get_u32(bytes, start + 8 * i);
            assert_zero(bytes, used, object);
            assert_zero(bytes, object + reserved[kind][0], object + reserved[kind][1]);
            used = object + pack_get_u32(bytes, start + 8 * i + 4);
        }
    }
    assert_zero(bytes, used, size_bytes);
}

/// Returns the bind hash of an open skeleton, by way of the description of one.
static uint64_t bind_hash_of(const trp_skeleton *skeleton)
{
    struct pack_skeleton content = {.joint_count = skeleton->joint_count};
    content.joints = calloc(content.joint_count, sizeof *content.joints);
    assert_non_null(content.joints);
    for (uint32_t i = 0; i < content.joint_count; i++) {
        content.joints[i].name = trp_skeleton_joint_name(skeleton, i);
        content.joints[i].parent = trp_skeleton_parent(skeleton, i);
        content.joints[i].lane = skeleton->lane_of_joint[i];
        assert_int_equal(skeleton->name_hash_of_joint[i], trp_name_hash(content.joints[i].name));
    }
    const uint64_t hash = pack_bind_hash(&content);
    free(content.joints);
    return hash;
}

static void test_pack_compiler_keeps_to_the_format(void **state)
{
    (void)state;
    size_t size_bytes = 0;
    uint8_t *const bytes = compiled_pack(&size_bytes);
    if (bytes == NULL) {
        skip();
    }
    trp_pack pack;
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    assert_rest_is_zero(bytes, size_bytes);
    const uint64_t hash = trp_pack_hash(&pack);
    pack_rehash(bytes, size_bytes);
    assert_int_equal(pack_get_u64(bytes, 24), hash);

    assert_int_equal(pack.skeleton_count, 1);
    trp_skeleton skeleton;
    assert_int_equal(trp_pack_skeleton(&pack, 0, &skeleton), TRP_OK);
    assert_int_equal(skeleton.name_hash, trp_name_hash(skeleton.name));
    assert_int_equal(skeleton.bind_hash, bind_hash_of(&skeleton));
    assert_true(pack.clip_count > 0);
    for (uint32_t i = 0; i < pack.clip_count; i++) {
        trp_clip clip;
        assert_int_equal(trp_pack_clip(&pack, i, &clip), TRP_OK);
        assert_int_equal(clip.name_hash, trp_name_hash(clip.name));
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pack_empty_opens),
        cmocka_unit_test(test_pack_bad_arguments_are_refused),
        cmocka_unit_test(test_pack_views_refuse_bad_arguments_and_leave_the_view),
        cmocka_unit_test(test_pack_hash_is_that_of_the_header),
        cmocka_unit_test(test_pack_unknown_sections_are_skipped_and_missing_ones_missed),
        cmocka_unit_test(test_pack_views_say_what_the_pack_was_made_of),
        cmocka_unit_test(test_pack_first_clip_of_a_name_is_found),
        cmocka_unit_test(test_pack_clip_from_another_pack_binds_where_it_fits),
        cmocka_unit_test(test_pack_clip_that_does_not_fit_is_not_bound),
        cmocka_unit_test(test_pack_rows_mean_what_the_format_says),
        cmocka_unit_test(test_pack_compiler_keeps_to_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
