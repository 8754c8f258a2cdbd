// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Bytes that nobody can trust: every rule of FORMAT.md has a bad pack that is refused for it, and
// every other change to a good pack is refused or harmless. `test_validate --update` writes the
// files of tests/bad and tests/fuzz/corpus/pack anew.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bad_packs.h"
#include "pack_exercise.h"

enum {
    MAX_FILE_BYTES = 8192, // of a bad pack
    MAX_RULES = 256,
};

// -- Files

static void path_of(char path[1024], const char *relative)
{
    const char *const root = getenv("TROUPE_SOURCE_ROOT");
    snprintf(path, 1024, "%s/%s", root == NULL ? "." : root, relative);
}

/// Reads a file of the project; null where it is not there. Adds a zero byte.
static char *read_file(const char *relative, size_t *size_bytes)
{
    char path[1024];
    path_of(path, relative);
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *const text = calloc(1, 1 << 20);
    assert_non_null(text);
    *size_bytes = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void bad_file_name(char name[128], const char *rule)
{
    snprintf(name, 128, "tests/bad/%s.trp", rule);
}

static bool write_file(const char *relative, const uint8_t *bytes, size_t size_bytes)
{
    char path[1024];
    path_of(path, relative);
    FILE *const file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size_bytes, file) != size_bytes) {
        fprintf(stderr, "cannot write %s\n", path);
        return false;
    }
    return fclose(file) == 0;
}

/// Packs for the fuzzer to start from.
static bool update_corpus(void)
{
    static const struct {
        const char *name;
        struct pack_recipe recipe;
    } seeds[] = {
        {"tests/fuzz/corpus/pack/empty.trp", {.only_clips = true}},
        {"tests/fuzz/corpus/pack/small.trp",
         {.seed = 146751, .skin_count = 1, .clip_count = 2, .tick_count = 20}},
        {"tests/fuzz/corpus/pack/still.trp",
         {.seed = 3, .joint_count = 1, .clip_count = 1, .is_still = true}},
        {"tests/fuzz/corpus/pack/additive.trp",
         {.seed = 4, .clip_count = 1, .tick_count = 9, .flags = TRP_CLIP_ADDITIVE}},
        {"tests/fuzz/corpus/pack/blocks.trp",
         {.seed = 5,
          .joint_count = 17,
          .attachment_count = 2,
          .skin_count = 2,
          .clip_count = 1,
          .tick_count = 70,
          .ticks_per_segment = 70}},
        {"tests/fuzz/corpus/pack/values.trp",
         {.seed = 7,
          .joint_count = 3,
          .clip_count = 1,
          .tick_count = 12,
          .property_count = 14,
          .group_count = 3}},
        {"tests/fuzz/corpus/pack/jointless.trp",
         {.seed = 8,
          .joint_count = 1,
          .clip_count = 2,
          .tick_count = 9,
          .is_jointless = true,
          .property_count = 6,
          .group_count = 2}},
        {"tests/fuzz/corpus/pack/scene.trp",
         {.seed = 9,
          .joint_count = 3,
          .clip_count = 1,
          .tick_count = 3,
          .instance_count = 2,
          .blendtree_count = 2}},
        {"tests/fuzz/corpus/pack/elsewhere.trp",
         {.seed = 6, .clip_count = 1, .tick_count = 3, .only_clips = true}},
    };
    for (uint32_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        struct pack_content *const content = pack_content_random(&seeds[i].recipe);
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        const bool is_written = write_file(seeds[i].name, bytes, size_bytes);
        free(bytes);
        pack_content_free(content);
        if (!is_written) {
            return false;
        }
    }
    return true;
}

static bool update_bad_files(void)
{
    for (uint32_t i = 0; i < bad_pack_count(); i++) {
        const struct bad_pack bad = bad_pack_make(i);
        char name[128];
        bad_file_name(name, bad.expected.rule);
        const bool is_written = !bad.is_first || write_file(name, bad.bytes, bad.size_bytes);
        free(bad.bytes);
        if (!is_written) {
            return false;
        }
    }
    return true;
}

// -- Rules

static void assert_zeroed(const trp_pack *pack)
{
    const trp_pack zero = {0};
    assert_memory_equal(pack, &zero, sizeof zero);
}

static void assert_refused(const uint8_t *bytes, size_t size_bytes, const trp_diagnostic *expected)
{
    trp_pack pack;
    trp_diagnostic diagnostic;
    memset(&pack, 0xAA, sizeof pack);
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, &diagnostic), expected->result);
    assert_non_null(diagnostic.rule);
    assert_string_equal(diagnostic.rule, expected->rule);
    assert_int_equal(diagnostic.result, expected->result);
    assert_int_equal(diagnostic.section, expected->section);
    assert_int_equal(diagnostic.index, expected->index);
    assert_int_equal(diagnostic.byte_offset, expected->byte_offset);
    assert_zeroed(&pack);
}

static void test_validate_bad_pack_is_refused_for_its_rule(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < bad_pack_count(); i++) {
        const struct bad_pack bad = bad_pack_make(i);
        assert_refused(bad.bytes, bad.size_bytes, &bad.expected);
        free(bad.bytes);
    }
}

static void test_validate_bad_file_is_the_bad_pack(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < bad_pack_count(); i++) {
        const struct bad_pack bad = bad_pack_make(i);
        if (bad.is_first) {
            char name[128];
            size_t size_bytes = 0;
            bad_file_name(name, bad.expected.rule);
            char *const bytes = read_file(name, &size_bytes);
            assert_non_null(bytes);
            assert_int_equal(size_bytes, bad.size_bytes);
            assert_memory_equal(bytes, bad.bytes, size_bytes);
            assert_true(size_bytes < MAX_FILE_BYTES);
            free(bytes);
        }
        free(bad.bytes);
    }
}

/// Returns how many rules the table of FORMAT.md has, and each one's id.
static uint32_t documented_rules(char ids[MAX_RULES][64])
{
    size_t size_bytes = 0;
    char *const text = read_file("src/FORMAT.md", &size_bytes);
    assert_non_null(text);
    const char *at = strstr(text, "\n## Rules\n");
    assert_non_null(at);
    uint32_t count = 0;
    while ((at = strstr(at, "\n| `")) != NULL) {
        at += 4;
        assert_true(count < MAX_RULES);
        assert_int_equal(sscanf(at, "%63[a-z0-9_.]`", ids[count]), 1);
        count++;
    }
    free(text);
    return count;
}

static void test_validate_every_documented_rule_has_a_bad_pack(void **state)
{
    (void)state;
    static char ids[MAX_RULES][64];
    const uint32_t count = documented_rules(ids);
    assert_true(count > 80);
    uint32_t first_count = 0;
    for (uint32_t i = 0; i < bad_pack_count(); i++) {
        const struct bad_pack bad = bad_pack_make(i);
        first_count += bad.is_first;
        bool is_documented = false;
        for (uint32_t k = 0; k < count; k++) {
            is_documented = is_documented || strcmp(ids[k], bad.expected.rule) == 0;
        }
        assert_true(is_documented);
        free(bad.bytes);
    }
    // All but skeleton.depth and keyed.tables, which two tests below break.
    assert_int_equal(first_count, count - 2);
}

/// Marks the ids that a file of the source names.
static void find_rules(const char *file, char ids[MAX_RULES][64], uint32_t count, bool *is_found)
{
    size_t size_bytes = 0;
    char *const text = read_file(file, &size_bytes);
    assert_non_null(text);
    const char *code = text;
    for (const char *at = text; (at = strstr(at, "\n#include")) != NULL;) {
        code = strchr(++at, '\n');
    }
    for (const char *at = code; (at = strchr(at, '"')) != NULL; at++) {
        char id[64];
        char end = 0;
        if (sscanf(at, "\"%63[a-z0-9_.]%c", id, &end) != 2 || end != '"') {
            continue;
        }
        uint32_t k = 0;
        while (k < count && strcmp(ids[k], id) != 0) {
            k++;
        }
        if (k == count) {
            fail_msg("%s of %s is not in FORMAT.md", id, file);
        }
        is_found[k] = true;
    }
    free(text);
}

/// The ids of the source are those of the documentation, so that no rule goes without a bad pack.
static void test_validate_rules_of_the_source_are_those_documented(void **state)
{
    (void)state;
    static char ids[MAX_RULES][64];
    const uint32_t count = documented_rules(ids);
    bool is_found[MAX_RULES] = {false};
    find_rules("src/validate.c", ids, count, is_found);
    find_rules("src/validate_keyed.c", ids, count, is_found);
    find_rules("src/validate_events.c", ids, count, is_found);
    find_rules("src/validate_instance.c", ids, count, is_found);
    for (uint32_t k = 0; k < count; k++) {
        if (!is_found[k]) {
            fail_msg("%s is not in the source", ids[k]);
        }
    }
}

static void test_validate_folder_of_bad_files_holds_nothing_else(void **state)
{
    (void)state;
    char path[1024];
    path_of(path, "tests/bad");
    DIR *const folder = opendir(path);
    assert_non_null(folder);
    uint32_t file_count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        file_count += entry->d_name[0] != '.';
    }
    closedir(folder);
    uint32_t first_count = 0;
    for (uint32_t i = 0; i < bad_pack_count(); i++) {
        const struct bad_pack bad = bad_pack_make(i);
        first_count += bad.is_first;
        free(bad.bytes);
    }
    assert_int_equal(file_count, first_count);
}

// -- Rules that need more than one changed number

static void test_validate_deep_skeleton_is_refused(void **state)
{
    (void)state;
    for (uint32_t joint_count = 1023; joint_count <= 1026; joint_count++) {
        const struct pack_recipe recipe = {
            .seed = 1,
            .joint_count = joint_count,
            .is_chain = true,
        };
        struct pack_content *const content = pack_content_random(&recipe);
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        trp_pack pack;
        if (joint_count <= 1024) {
            assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
        } else {
            const size_t parents =
                pack_object(bytes, PACK_SKELETONS, 0) + 128 + 640 * 65 + 20 * (size_t)joint_count;
            const trp_diagnostic expected = {
                .result = TRP_ERROR_FORMAT,
                .rule = "skeleton.depth",
                .section = PACK_SKELETONS,
                .index = 0,
                .byte_offset = parents + 2 * 1024,
            };
            assert_refused(bytes, size_bytes, &expected);
        }
        free(bytes);
        pack_content_free(content);
    }
}

/// An attachment in block 1 whose parent is a free lane of block 0.
/// The pose of an instance is that of one which has a pose, of the same skeleton.
static void test_validate_pose_of_another_is_refused(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        struct pack_content *const content = pack_content_random(
            &(struct pack_recipe){.seed = 1, .instance_count = 3, .shares_pose = true});
        struct pack_skeleton twins[2] = {content->skeletons[0], content->skeletons[0]};
        struct pack_skeleton *const skeletons = content->skeletons;
        content->skeletons = twins;
        content->skeleton_count = 2;
        if (round == 1) {
            content->instances[2].pose_of = 1; // which has that of 0
        } else if (round == 2) {
            content->instances[2].skeleton = 1;
        }
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        trp_pack pack;
        if (round == 0) {
            assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
        } else {
            const trp_diagnostic expected = {
                .result = TRP_ERROR_FORMAT,
                .rule = "instance.pose_of",
                .section = PACK_INSTANCES,
                .index = 2,
                .byte_offset = pack_object(bytes, PACK_INSTANCES, 2) + 44,
            };
            assert_refused(bytes, size_bytes, &expected);
        }
        free(bytes);
        content->skeletons = skeletons;
        pack_content_free(content);
    }
}

static void test_validate_parent_without_joint_is_refused(void **state)
{
    (void)state;
    const struct pack_recipe recipe = {.seed = 1, .joint_count = 5, .attachment_count = 1};
    struct pack_content *const content = pack_content_random(&recipe);
    size_t size_bytes = 0;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    const size_t parents = pack_object(bytes, PACK_SKELETONS, 0) + 128 + 2 * 640 + 20 * 6;
    pack_set_u16(bytes, parents + 2 * 16, 9);
    const trp_diagnostic expected = {
        .result = TRP_ERROR_FORMAT,
        .rule = "skeleton.parent",
        .section = PACK_SKELETONS,
        .index = 0,
        .byte_offset = parents + 2 * 16,
    };
    assert_refused(bytes, size_bytes, &expected);
    free(bytes);
    pack_content_free(content);
}

/// One large curve that 257 intervals share.
static void test_validate_curves_that_ask_for_too_much_work_are_refused(void **state)
{
    (void)state;
    enum { KEYS = 258, TABLE = 65536 };
    static double times[KEYS];
    static float values[KEYS];
    static float table[TABLE];
    static struct pack_curve curves[KEYS];
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .seed = 1,
        .clip_count = 1,
        .is_still = true,
        .group_count = 1,
    });
    struct pack_group *const group = &content->clips[0].groups[0];
    group->track_count = 0;
    group->rotation_count = 0;
    group->scalar_count = 1;
    group->planes = 1;
    group->key_count = KEYS;
    group->times = times;
    group->values = values;
    group->curves = curves;
    group->has_modes = false;
    for (uint32_t i = 0; i < KEYS; i++) {
        times[i] = i;
        curves[i].mode = TRP_INTERPOLATION_SAMPLED;
    }
    curves[0].table = table;
    curves[0].table_size = TABLE;
    size_t size_bytes = 0;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    const size_t keyed = pack_keyed_at(bytes, 0);
    const size_t curves_at = keyed + pack_get_u32(bytes, keyed + 16 + 24);
    const trp_diagnostic expected = {
        .result = TRP_ERROR_FORMAT,
        .rule = "keyed.tables",
        .section = PACK_CLIPS,
        .index = 0,
        .byte_offset = curves_at + 8 * 256,
    };
    for (uint32_t i = 1; i < KEYS; i++) {
        memcpy(bytes + curves_at + 8 * i, bytes + curves_at, 8);
    }
    assert_refused(bytes, size_bytes, &expected);
    pack_set_u32(bytes, curves_at + 8 * 255 + 4, 2); // 2^24 and 2 without it: still too much
    assert_refused(bytes, size_bytes, &expected);
    pack_set_u32(bytes, curves_at + 8 * 254 + 4, 2);
    trp_pack pack;
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    free(bytes);
    pack_content_free(content);
}

/// Makes a pack of one property that is keyed.
static struct pack_content *content_of_keys(trp_property_type type, const double *times,
                                            const float *values, uint32_t key_count)
{
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .seed = 1,
        .clip_count = 1,
        .is_still = true,
        .is_jointless = true,
        .property_count = 1,
        .group_count = 1,
    });
    static float rest;
    static const char *label = "";
    static struct pack_property property;
    struct pack_group *const group = &content->clips[0].groups[0];
    struct pack_keyed_track *const track = pack_content_allocate(content, sizeof *track);
    property = (struct pack_property){"", type, 1, 0, &rest, &label};
    *track = (struct pack_keyed_track){TRP_PATH_PROPERTY, 0, 0, 1};
    *group = (struct pack_group){
        .key_count = key_count,
        .scalar_count = 1,
        .planes = 1,
        .times = pack_content_allocate(content, key_count * sizeof *times),
        .values = pack_content_allocate(content, key_count * sizeof *values),
        .curves = pack_content_allocate(content, key_count * sizeof *group->curves),
        .track_count = 1,
        .tracks = track,
    };
    memcpy(group->times, times, key_count * sizeof *times);
    memcpy(group->values, values, key_count * sizeof *values);
    content->property_sets[0].property_count = 1;
    content->property_sets[0].properties = &property;
    content->clips[0].value_count = 1;
    return content;
}

static void test_validate_only_first_keys_of_several_come_before_the_clip(void **state)
{
    (void)state;
    static const double near = 0x1p-53;
    const struct {
        uint32_t count;
        double times[3];
        int bad; // key, -1: none
    } cases[] = {
        {3, {-1, 0, 1}, -1},
        {2, {-1, 0.5}, -1},
        {2, {-1, -0.0}, -1},
        {1, {-0.0}, -1},
        {1, {-1}, 0},
        {2, {-1, -1}, 1},
        {2, {-1, -0.5}, 1},
        {2, {-1, NAN}, 1},
        {3, {-1, 0.5, 0}, 2},
        {3, {-1, 0.5, -1}, 2},
        {3, {-1, -1, -1}, 1},
        {2, {-1 + near, 0}, 0},
        {2, {-1 - 2 * near, 0}, 0},
        {2, {-2, 0}, 0},
        {2, {-0.5, 0}, 0},
        {2, {0, -1}, 1},
        {1, {NAN}, 0},
        {2, {NAN, 0}, 0},
        {2, {-INFINITY, 0}, 0},
        {2, {-1, INFINITY}, 1},
        {2, {-1, -1e-300}, 1},
    };
    static const float values[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pack_content *const content =
            content_of_keys(TRP_PROPERTY_FLOAT, cases[i].times, values, cases[i].count);
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        const size_t keyed = pack_keyed_at(bytes, 0);
        if (cases[i].bad < 0) {
            pack_exercise(bytes, size_bytes);
            trp_pack pack;
            assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
        } else {
            const trp_diagnostic expected = {
                .result = TRP_ERROR_FORMAT,
                .rule = "keyed.time",
                .section = PACK_CLIPS,
                .index = 0,
                .byte_offset =
                    keyed + pack_get_u32(bytes, keyed + 16 + 12) + 8 * (size_t)cases[i].bad,
            };
            assert_refused(bytes, size_bytes, &expected);
        }
        free(bytes);
        pack_content_free(content);
    }
}

/// What no text is for reads as the empty one, and is no reason to refuse a pack.
static void test_validate_keys_of_texts_that_are_not_there_are_harmless(void **state)
{
    (void)state;
    static const double times[5] = {-1, 0, 1, 2, 3};
    static const float values[5] = {2, -1, 0.5f, 1e15f, -1e15f};
    for (uint32_t text_count = 0; text_count < 3; text_count++) {
        struct pack_content *const content = content_of_keys(TRP_PROPERTY_STRING, times, values, 5);
        content->property_sets[0].text_count = text_count;
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_write(content, &size_bytes);
        if (text_count == 0) { // its default is no text either
            const trp_diagnostic expected = {
                .result = TRP_ERROR_FORMAT,
                .rule = "property.default",
                .section = PACK_PROPERTIES,
                .index = 0,
                .byte_offset = pack_object(bytes, PACK_PROPERTIES, 0) + 64 + 32,
            };
            assert_refused(bytes, size_bytes, &expected);
        } else {
            trp_pack pack;
            trp_property_set set;
            pack_exercise(bytes, size_bytes);
            assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
            assert_int_equal(trp_pack_property_set(&pack, 0, &set), TRP_OK);
            for (uint32_t i = 0; i < 5; i++) {
                const char *const text = trp_property_set_text(&set, values[i]);
                assert_true(i == 2 || *text == '\0');
            }
        }
        free(bytes);
        pack_content_free(content);
    }
}

/// Many keys, and many switches that all play them.
static void test_validate_many_tracks_of_many_keys_cost_no_product(void **state)
{
    (void)state;
    enum { KEYS = 1 << 20, TRACKS = 32768 };
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .seed = 1,
        .clip_count = 1,
        .is_still = true,
        .property_count = 1,
        .group_count = 1,
    });
    static float rest;
    static const char *label = "";
    struct pack_property *const properties =
        pack_content_allocate(content, TRACKS * sizeof *properties);
    struct pack_group *const group = &content->clips[0].groups[0];
    *group = (struct pack_group){
        .key_count = KEYS,
        .scalar_count = 1,
        .planes = 1,
        .times = pack_content_allocate(content, KEYS * sizeof *group->times),
        .values = pack_content_allocate(content, KEYS * sizeof *group->values),
        .has_modes = true,
        .curves = pack_content_allocate(content, KEYS * sizeof *group->curves),
        .track_count = TRACKS,
        .tracks = pack_content_allocate(content, TRACKS * sizeof *group->tracks),
    };
    for (uint32_t i = 0; i < KEYS; i++) {
        group->times[i] = i;
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        properties[i] = (struct pack_property){"", TRP_PROPERTY_BOOL, 1, 0, &rest, &label};
        group->tracks[i] = (struct pack_keyed_track){TRP_PATH_PROPERTY, i, 0, 1};
    }
    content->property_sets[0].property_count = TRACKS;
    content->property_sets[0].properties = properties;
    content->clips[0].value_count = TRACKS;
    content->clips[0].values =
        pack_content_allocate(content, TRACKS * sizeof *content->clips[0].values);
    size_t size_bytes = 0;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    trp_pack pack;
    const clock_t start = clock();
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    assert_true(clock() - start < 5 * CLOCKS_PER_SEC); // 2^35 steps would take longer
    free(bytes);
    pack_content_free(content);
}

/// Writes a pack of nothing but a strings section.
static uint8_t *pack_of_strings(const char *strings, size_t count, size_t *size_bytes)
{
    *size_bytes = 64 + 64 + 64 + 64;
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, *size_bytes), 0);
    uint8_t *const bytes = memory;
    memset(bytes, 0, *size_bytes);
    pack_set_u32(bytes, 0, 0x4B505254);
    pack_set_u32(bytes, 4, 0x01020304);
    pack_set_u32(bytes, 8, 1);
    pack_set_u64(bytes, 16, *size_bytes);
    pack_set_u32(bytes, 32, 1);
    pack_set_u32(bytes, 64, PACK_STRINGS);
    pack_set_u64(bytes, 72, 128);
    pack_set_u64(bytes, 80, count);
    assert_true(count <= 64);
    memcpy(bytes + 128, strings, count);
    return bytes;
}

static void test_validate_strings_are_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t bad_at; // -1: good
    } cases[] = {
        {"", -1},
        {"\x01\x7F", -1},
        {"\xC2\x80\xDF\xBF", -1},
        {"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", -1},
        {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", -1},
        {"\x80", 0},     // begins with a continuation
        {"a\xBF", 1},    //
        {"\xC0\x80", 0}, // 0 in two bytes
        {"\xC1\xBF", 0}, // 0x7F in two bytes
        {"\xC2", 0},     // cut off by the end of the string
        {"\xC2"
         "a",
         0},                         //
        {"ab\xE0\x9F\xBF", 2},       // 0x7FF in three bytes
        {"\xED\xA0\x80", 0},         // a surrogate
        {"\xED\xBF\xBF", 0},         //
        {"\xE2\x82", 0},             // cut off
        {"\xE2\x82\xC2", 0},         //
        {"\xF0\x8F\xBF\xBF", 0},     // 0xFFFF in four bytes
        {"\xF4\x90\x80\x80", 0},     // above U+10FFFF
        {"\xF7\xBF\xBF\xBF", 0},     //
        {"\xF8\x88\x80\x80\x80", 0}, // five bytes
        {"\xE2", 0},
        {"\xF0", 0},
        {"\xFE", 0},
        {"\xFF", 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char strings[64] = {0};
        const size_t count = strlen(cases[i].text);
        memcpy(strings + 1, cases[i].text, count);
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_of_strings(strings, count + 2, &size_bytes);
        trp_pack pack;
        if (cases[i].bad_at < 0) {
            assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
            assert_int_equal(pack.strings_bytes, count + 2);
        } else {
            const trp_diagnostic expected = {
                .result = TRP_ERROR_FORMAT,
                .rule = "strings.utf8",
                .section = PACK_STRINGS,
                .index = TRP_NONE,
                .byte_offset = 128 + 1 + (uint64_t)cases[i].bad_at,
            };
            assert_refused(bytes, size_bytes, &expected);
        }
        free(bytes);
    }
}

/// A sequence that begins before the end of the section and would go on behind it.
static void test_validate_string_cut_off_by_the_section_is_refused(void **state)
{
    (void)state;
    for (uint32_t lead = 0xC2; lead <= 0xF4; lead++) {
        const char strings[2] = {0, (char)lead};
        size_t size_bytes = 0;
        uint8_t *const bytes = pack_of_strings(strings, 2, &size_bytes);
        memset(bytes + 130, 0x80, 62);
        trp_pack pack;
        trp_diagnostic diagnostic;
        assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, &diagnostic), TRP_ERROR_FORMAT);
        assert_string_equal(diagnostic.rule, "strings.end");
        free(bytes);
    }
}

static struct pack_content *moving_content(void)
{
    const struct pack_recipe recipe = {
        .seed = 11,
        .joint_count = 20,
        .clip_count = 1,
        .tick_count = 9,
    };
    struct pack_content *const content = pack_content_random(&recipe);
    assert_true(content->clips[0].component_count > 0);
    return content;
}

static const char *refusing_rule(const struct pack_content *content)
{
    size_t size_bytes = 0;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    trp_pack pack;
    trp_diagnostic diagnostic;
    (void)trp_pack_open(bytes, size_bytes, &pack, &diagnostic);
    free(bytes);
    return diagnostic.rule == NULL ? "" : diagnostic.rule;
}

/// Makes component `component` of the first segment span base, width and step given.
static void set_component(struct pack_content *content, trp_path path, uint32_t base_bits,
                          int32_t base, uint32_t width, uint16_t step, float offset)
{
    struct pack_clip *const clip = &content->clips[0];
    uint32_t component = 0;
    for (uint32_t i = 0; i < 48 * clip->block_count; i++) {
        struct pack_track *const track = &clip->tracks[i];
        if (track->kind != PACK_ANIMATED) {
            continue;
        }
        if (i / (16 * clip->block_count) == (uint32_t)path) {
            for (uint32_t k = 0; k < clip->segment_count; k++) {
                struct pack_segment *const segment = &clip->segments[k];
                segment->base_bits[path] = (uint8_t)base_bits;
                memset(segment->bases + component, 0, 3 * sizeof *segment->bases);
                memset(segment->widths + component, 0, 3);
                segment->bases[component + 1] = base;
                segment->widths[component + 1] = (uint8_t)width;
            }
            track->step = step;
            track->offset[0] = 0;
            track->offset[1] = offset;
            track->offset[2] = 0;
        }
        component += 3;
    }
}

static void test_validate_values_are_bounded_at_the_limit(void **state)
{
    (void)state;
    static const struct {
        trp_path path;
        uint32_t base_bits;
        int32_t base;
        uint32_t width;
        uint16_t step; // upper half of a float
        float offset;
        bool is_good;
    } cases[] = {
        {TRP_PATH_ROTATION, 1, 0, 24, 0x3580, 0, true},          // 2^24 x 2^-20 = 16
        {TRP_PATH_ROTATION, 1, -1, 24, 0x3580, 0, false},        // and a step more
        {TRP_PATH_ROTATION, 2, 1, 24, 0x3580, 0, false},         //
        {TRP_PATH_ROTATION, 0, 0, 24, 0x3581, 0, false},         //
        {TRP_PATH_ROTATION, 32, INT32_MIN, 0, 0x3200, 0, false}, // (2^31 + 1) x 2^-27
        {TRP_PATH_ROTATION, 32, INT32_MIN, 0, 0x3180, 0, true},  // half of it
        {TRP_PATH_ROTATION, 32, INT32_MAX, 0, 0x3200, 0, true},  // 2^31 x 2^-27 = 16
        {TRP_PATH_TRANSLATION, 0, 0, 0, 0x3F80, 9e29f, true},
        {TRP_PATH_TRANSLATION, 0, 0, 0, 0x3F80, 1.1e30f, false},
        {TRP_PATH_TRANSLATION, 0, 0, 0, 0x3F80, -1.1e30f, false},
        {TRP_PATH_TRANSLATION, 32, INT32_MIN, 0, 0x61C9, 0, true},  // 2^31 x 4.6e20 = 9.98e29
        {TRP_PATH_TRANSLATION, 32, INT32_MIN, 0, 0x61CA, 0, false}, // 2^31 x 4.7e20 = 1.003e30
        {TRP_PATH_SCALE, 32, INT32_MAX, 24, 0x7F7F, 0, false},
        {TRP_PATH_SCALE, 0, 0, 24, 0x0400, 1, true}, // the smallest step
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pack_content *const content = moving_content();
        set_component(content, cases[i].path, cases[i].base_bits, cases[i].base, cases[i].width,
                      cases[i].step, cases[i].offset);
        assert_string_equal(refusing_rule(content), cases[i].is_good ? "" : "segment.value");
        pack_content_free(content);
    }
}

static void test_validate_limits_of_a_clip_are_allowed(void **state)
{
    (void)state;
    static const struct pack_recipe recipes[] = {
        {.seed = 1, .joint_count = 17, .clip_count = 1, .tick_count = 0},
        {.seed = 2, .joint_count = 17, .clip_count = 1, .tick_count = 1},
        {.seed = 3, .joint_count = 17, .clip_count = 1, .tick_count = 8},
        {.seed = 4, .joint_count = 17, .clip_count = 1, .tick_count = 9},
        {.seed = 5, .joint_count = 5, .clip_count = 1, .tick_count = 256, .ticks_per_segment = 256},
        {.seed = 6, .joint_count = 5, .clip_count = 1, .tick_count = 257, .ticks_per_segment = 256},
        {.seed = 7, .joint_count = 5, .clip_count = 1, .tick_count = 64, .ticks_per_segment = 64},
        {.seed = 8, .joint_count = 5, .clip_count = 1, .tick_count = 0x3FFFFFFF, .is_still = true},
    };
    for (uint32_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        struct pack_content *const content = pack_content_random(&recipes[i]);
        assert_string_equal(refusing_rule(content), "");
        content->clips[0].rate_num = 1;
        content->clips[0].rate_den = UINT32_MAX;
        assert_string_equal(refusing_rule(content), "");
        pack_content_free(content);
    }
}

static void test_validate_most_blocks_are_allowed(void **state)
{
    (void)state;
    for (uint32_t block_count = 2048; block_count <= 2049; block_count++) {
        const struct pack_recipe recipe = {.seed = 1, .joint_count = 1};
        struct pack_content *const content = pack_content_random(&recipe);
        content->skeletons[0].block_count = block_count;
        assert_string_equal(refusing_rule(content), block_count == 2048 ? "" : "skeleton.blocks");
        pack_content_free(content);
    }
}

// -- Everything else that can happen to a pack

/// 32,768 joints in chains of 1,024: the depth of each is walked, which must stay quick.
static void test_validate_largest_skeleton_opens(void **state)
{
    (void)state;
    const uint32_t joint_count = 32768;
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){.seed = 1});
    struct pack_skeleton *const skeleton = &content->skeletons[0];
    skeleton->block_count = 2048;
    skeleton->joint_block_count = 2048;
    skeleton->joint_count = joint_count;
    struct pack_joint *const joints =
        pack_content_allocate(content, joint_count * sizeof *skeleton->joints);
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = skeleton->joints[0];
        joints[i].lane = (uint16_t)i;
        joints[i].parent = i % 1024 == 0 ? TRP_NONE : i - 1;
    }
    skeleton->joints = joints;
    assert_string_equal(refusing_rule(content), "");
    pack_content_free(content);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--update") == 0) {
        return update_bad_files() && update_corpus() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validate_bad_pack_is_refused_for_its_rule),
        cmocka_unit_test(test_validate_bad_file_is_the_bad_pack),
        cmocka_unit_test(test_validate_every_documented_rule_has_a_bad_pack),
        cmocka_unit_test(test_validate_rules_of_the_source_are_those_documented),
        cmocka_unit_test(test_validate_folder_of_bad_files_holds_nothing_else),
        cmocka_unit_test(test_validate_deep_skeleton_is_refused),
        cmocka_unit_test(test_validate_pose_of_another_is_refused),
        cmocka_unit_test(test_validate_parent_without_joint_is_refused),
        cmocka_unit_test(test_validate_curves_that_ask_for_too_much_work_are_refused),
        cmocka_unit_test(test_validate_only_first_keys_of_several_come_before_the_clip),
        cmocka_unit_test(test_validate_keys_of_texts_that_are_not_there_are_harmless),
        cmocka_unit_test(test_validate_many_tracks_of_many_keys_cost_no_product),
        cmocka_unit_test(test_validate_strings_are_utf8),
        cmocka_unit_test(test_validate_string_cut_off_by_the_section_is_refused),
        cmocka_unit_test(test_validate_values_are_bounded_at_the_limit),
        cmocka_unit_test(test_validate_limits_of_a_clip_are_allowed),
        cmocka_unit_test(test_validate_most_blocks_are_allowed),
        cmocka_unit_test(test_validate_largest_skeleton_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
