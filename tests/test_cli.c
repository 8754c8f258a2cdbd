// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The `troupe` program from outside: exit codes, one-line reasons, JSON, and what it leaves behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "puppet_gltf.h"
#include "tiny_gltf.h"

#include "cli_program.h"

static char source[512]; // the tiny character
static char pack[512];   // compiled from it
static char puppet_source[512];
static char puppet[512]; // compiled from that

static bool exists(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void unlink_in_folder(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/// Reads the pack as bytes that may be changed.
static char *read_pack(size_t *size)
{
    FILE *const file = fopen(pack, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    fclose(file);
    return read_text(pack);
}

// ---- verbs and help ----

static void test_cli_no_verb_is_a_usage_error(void **state)
{
    (void)state;
    expect_refusal(run(NULL), 1, "troupe help");
    expect_refusal(run("dance", NULL), 1, "unknown verb 'dance'");
    expect_refusal(run("help", "dance", NULL), 1, "unknown verb 'dance'");
}

static void test_cli_version_is_one_line(void **state)
{
    (void)state;
    struct outcome outcome = run("--version", NULL);
    expect_success(&outcome);
    assert_int_equal(strncmp(outcome.out, "troupe 0.", 9), 0);
    assert_int_equal(count_lines(outcome.out), 1);
    discard(&outcome);
}

static void test_cli_help_knows_every_verb(void **state)
{
    (void)state;
    static const char *const verbs[] = {"compile", "info",   "sample", "events",
                                        "play",    "verify", "bench",  "help"};
    struct outcome list = run("help", NULL);
    expect_success(&list);
    for (int i = 0; i < 8; i++) {
        assert_non_null(strstr(list.out, verbs[i]));
        struct outcome help = run("help", verbs[i], NULL);
        expect_success(&help);
        char usage[64];
        snprintf(usage, sizeof usage, "usage: troupe %s ", verbs[i]);
        assert_non_null(strstr(help.out, usage));
        // Options of inputs apply to those after them, so that they come first.
        const bool takes_inputs =
            strcmp(verbs[i], "compile") == 0 || strcmp(verbs[i], "verify") == 0;
        strcat(usage, "[options] ");
        assert_int_equal(strstr(help.out, usage) != NULL, takes_inputs);
        if (i < 7) {
            struct outcome option = run(verbs[i], "--help", NULL);
            expect_success(&option);
            assert_string_equal(option.out, help.out);
            discard(&option);
        }
        discard(&help);
    }
    discard(&list);
}

static void test_cli_unknown_option_is_a_usage_error(void **state)
{
    (void)state;
    static const char *const verbs[] = {"compile", "info",   "sample", "events",
                                        "play",    "verify", "bench"};
    for (int i = 0; i < 7; i++) {
        expect_refusal(run(verbs[i], "--frobnicate", "x", NULL), 1, "'--frobnicate'");
        expect_refusal(run(verbs[i], "-z", NULL), 1, "'-z'");
        expect_refusal(run(verbs[i], NULL), 1, "[cli.usage]");
    }
    expect_refusal(run("compile", source, "-o", NULL), 1, "'-o' needs a value");
    expect_refusal(run("compile", source, NULL), 1, "no output");
    expect_refusal(run("compile", "-o", "x.trp", NULL), 1, "no input");
    expect_refusal(run("compile", "--unit", "0", source, "-o", "x.trp", NULL), 1, "--unit");
    expect_refusal(run("compile", "--unit", "1e300", source, "-o", "x.trp", NULL), 1, "--unit");
    expect_refusal(run("compile", "--shell", "1e-10", source, "-o", "x.trp", NULL), 1, "--shell");
    expect_refusal(run("compile", "--unit", "1m", source, "-o", "x.trp", NULL), 1, "--unit");
    expect_refusal(run("compile", source, "-o", "", NULL), 1, "no output");
    expect_refusal(run("compile", source, "-o", "x.trp", "--depfile", "", NULL), 1, "--depfile");
    expect_refusal(run("compile", source, "-o", "x.trp", "--depfile", "x.trp", NULL), 1,
                   "--depfile");
    expect_refusal(run("compile", "--error", "nan", source, "-o", "x.trp", NULL), 1, "--error");
    expect_refusal(run("compile", "--loop", "yes", source, "-o", "x.trp", NULL), 1, "--loop");
    expect_refusal(run("compile", "-j", "-1", source, "-o", "x.trp", NULL), 1, "--jobs");
    expect_refusal(run("compile", "--exact=maybe", source, "-o", "x.trp", NULL), 1,
                   "--exact takes on or off");
    expect_refusal(run("sample", pack, NULL), 1, "--clip");
    expect_refusal(run("sample", pack, "--clip", "wave", "--time", "nan", NULL), 1, "--time");
    expect_refusal(run("sample", pack, "--clip", "wave", "--space", "world", NULL), 1, "--space");
    expect_refusal(run("verify", pack, NULL), 1, "sources");
    expect_refusal(run("verify", pack, source, "--seed", "x", NULL), 1, "--seed");
    expect_refusal(run("bench", pack, "--isa", "mmx", NULL), 1, "'mmx'");
    expect_refusal(run("bench", pack, "--instances", "0", NULL), 1, "--instances");
    expect_refusal(run("bench", pack, "--threads", "2", NULL), 1, "takes 1 and nothing else");
    assert_false(exists("x.trp"));
}

// ---- compile ----

static void test_cli_compile_bad_input_leaves_nothing(void **state)
{
    (void)state;
    write_text("text.glb", "hello\n", 6);
    expect_refusal(run("compile", "missing.glb", "-o", "x.trp", NULL), 2, "missing.glb");
    expect_refusal(run("compile", ".", "-o", "x.trp", NULL), 2, "directory");
    expect_refusal(run("compile", "text.glb", "-o", "x.trp", NULL), 3, "text.glb");
    expect_refusal(run("compile", "--additive", "dance", source, "-o", "x.trp", NULL), 3, "dance");
    expect_refusal(run("compile", source, "-o", "no/such/x.trp", NULL), 2, "no/such/x.trp");
    expect_refusal(run("compile", source, "-o", "x.trp", "--skeleton", "text.glb", NULL), 3,
                   "text.glb");
    assert_false(exists("x.trp"));
}

static void test_cli_compile_unsupported_extension_is_5(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "strange",
                    &(struct tiny_gltf){
                        .extra = "\"extensionsUsed\": [\"EXT_strange\"], "
                                 "\"extensionsRequired\": [\"EXT_strange\"],",
                    });
    expect_refusal(run("compile", "strange.gltf", "-o", "x.trp", NULL), 5, "EXT_strange");
}

static void test_cli_compile_never_overwrites_its_input(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "precious", &(struct tiny_gltf){0});
    expect_refusal(run("compile", "precious.gltf", "-o", "./precious.gltf", NULL), 1, "input too");
    expect_refusal(
        run("compile", "precious.gltf", "-o", "x.trp", "--depfile", "precious.gltf", NULL), 1,
        "input too");
    expect_refusal(run("compile", "precious.gltf", "-o", "precious.bin", NULL), 1, "input too");
    expect_refusal(
        run("compile", "precious.gltf", "-o", "x.trp", "--depfile", "precious.bin", NULL), 1,
        "input too");
    expect_refusal(run("compile", "precious.gltf", "-o", pack, "--skeleton", pack, NULL), 1,
                   "input too");
    struct outcome again = run("compile", "precious.gltf", "-o", "x.trp", NULL);
    expect_success(&again);
    discard(&again);
    unlink_in_folder("x.trp");
    char path[512];
    snprintf(path, sizeof path, "%s/precious.gltf", folder);
    char *const text = read_text(path);
    assert_non_null(strstr(text, "\"asset\""));
    free(text);
}

static void test_cli_compile_refuses_a_chain_of_nodes_at_once(void **state)
{
    (void)state;
    enum { COUNT = 70000 };
    char *text = NULL;
    size_t size = 0;
    FILE *const stream = open_memstream(&text, &size);
    fputs("{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [", stream);
    for (int i = 0; i < COUNT - 1; i++) {
        fprintf(stream, "{\"children\": [%d]}, ", i + 1);
    }
    fputs("{}], \"skins\": [{\"joints\": [0, 69999]}]}", stream);
    fclose(stream);
    write_text("chain.gltf", text, size);
    free(text);
    expect_refusal(run("compile", "chain.gltf", "-o", "x.trp", NULL), 5, "[gltf.node.depth]");
}

static void test_cli_compile_speaks_of_zero_in_a_string_plainly(void **state)
{
    (void)state;
    static const char text[] = "{\"asset\": {\"version\": \"2.0\"}, \"a\": \"\\u0000\"}";
    write_text("zero.gltf", text, sizeof text - 1);
    expect_refusal(run("compile", "zero.gltf", "-o", "x.trp", NULL), 3,
                   "\\u0000 in a string is not supported");
}

static void test_cli_compile_refuses_a_byte_order_mark_by_its_name(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF{\"asset\": {\"version\": \"2.0\"}}";
    write_text("mark.gltf", text, sizeof text - 1);
    expect_refusal(run("compile", "mark.gltf", "-o", "x.trp", NULL), 3,
                   "mark.gltf: error: begins with a UTF-8 byte order mark");
}

static void test_cli_compile_says_one_line_or_nothing(void **state)
{
    (void)state;
    struct outcome loud = run("compile", source, "-o", "x.trp", NULL);
    expect_success(&loud);
    assert_int_equal(count_lines(loud.out), 1);
    assert_non_null(strstr(loud.out, "3 clips"));
    assert_string_equal(loud.err, "");
    discard(&loud);
    struct outcome quiet = run("compile", source, "-o", "x.trp", "--quiet", NULL);
    expect_success(&quiet);
    assert_string_equal(quiet.out, "");
    assert_string_equal(quiet.err, "");
    discard(&quiet);
    unlink("x.trp");
}

static void test_cli_compile_is_the_same_for_any_jobs(void **state)
{
    (void)state;
    struct outcome outcome = run("compile", source, "-o", "one.trp", "-j", "1", NULL);
    expect_success(&outcome);
    discard(&outcome);
    outcome = run("compile", source, "-o", "four.trp", "-j4", NULL);
    expect_success(&outcome);
    discard(&outcome);
    char command[1200];
    snprintf(command, sizeof command, "cmp %s/one.trp %s/four.trp", folder, folder);
    assert_int_equal(system(command), 0);
}

/// B17.
static void test_cli_compile_trim_starts_clips_at_their_first_key(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "late", &(struct tiny_gltf){.late = 0.25});
    for (int is_trimmed = 0; is_trimmed <= 1; is_trimmed++) {
        struct outcome outcome = run("compile", "--quiet", is_trimmed ? "--trim" : "--trim=off",
                                     "late.gltf", "-o", "late.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        json_t *const info = expect_json(run("info", "late.trp", "--json", NULL), "info");
        json_t *const clip = json_array_get(json_object_get(info, "clips"), 0);
        assert_float_equal(number_of(clip, "duration_s"), is_trimmed ? 1 : 1.25, 1e-9);
        json_decref(info);
        outcome = run("verify", "late.trp", "late.gltf", NULL);
        expect_success(&outcome);
        discard(&outcome);
    }
}

static void test_cli_compile_options_apply_to_inputs_after_them(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "inches", &(struct tiny_gltf){0});
    tiny_gltf_write(folder, "metres", &(struct tiny_gltf){0});
    struct outcome outcome =
        run("compile", "--unit", "0.0254", "--additive", "rest", "inches.gltf", "--unit", "1",
            "--additive", "none", "metres.gltf", "--unit", "3", "-o", "x.trp", "--exact", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.err, "warning: compile: --unit changes nothing here"));
    assert_non_null(strstr(outcome.err, "warning: compile: --exact changes nothing here"));
    assert_null(strstr(outcome.err, "--additive changes"));
    discard(&outcome);
    json_t *const info = expect_json(run("info", "x.trp", "--json", NULL), "info");
    json_t *const skeletons = json_object_get(info, "skeletons");
    assert_int_equal(json_array_size(skeletons), 2);
    assert_float_equal(number_of(json_array_get(skeletons, 0), "metres_per_unit"), 0.0254, 1e-12);
    assert_float_equal(number_of(json_array_get(skeletons, 1), "metres_per_unit"), 1, 1e-12);
    size_t index = 0;
    json_t *clip = NULL;
    json_array_foreach(json_object_get(info, "clips"), index, clip)
    {
        const bool is_first = strcmp(string_of(clip, "source_file"), "inches") == 0;
        assert_int_equal(is_first, json_is_string(json_object_get(clip, "additive_reference")));
    }
    assert_int_equal(index, 6);
    json_decref(info);
}

static void test_cli_compile_exact_keys_every_moving_track(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "exact", &(struct tiny_gltf){0});
    tiny_gltf_write(folder, "dense", &(struct tiny_gltf){0});
    struct outcome outcome = run("compile", "--quiet", "--exact", "exact.gltf", "--exact=off",
                                 "dense.gltf", "-o", "x.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const info = expect_json(run("info", "x.trp", "--json", NULL), "info");
    size_t index = 0;
    json_t *clip = NULL;
    int moving[2] = {0};
    json_array_foreach(json_object_get(info, "clips"), index, clip)
    {
        const bool is_exact = strcmp(string_of(clip, "source_file"), "exact") == 0;
        assert_int_equal((int)number_of(clip, is_exact ? "dense_tracks" : "keyed_tracks"), 0);
        assert_int_equal(number_of(clip, "keyed_bytes") > 0, is_exact);
        assert_true(number_of(clip, "keyed_bytes") < number_of(clip, "bytes"));
        moving[is_exact] += (int)number_of(clip, is_exact ? "keyed_tracks" : "dense_tracks");
    }
    assert_int_equal(index, 6);
    assert_int_equal(moving[0], 4);
    assert_int_equal(moving[1], 4);
    json_decref(info);
    json_t *const verified =
        expect_json(run("verify", "x.trp", "exact.gltf", "dense.gltf", "--json", NULL), "verify");
    assert_true(json_is_true(json_object_get(verified, "ok")));
    json_decref(verified);
}

static void test_cli_compile_depfile_names_all_inputs(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "a b", &(struct tiny_gltf){0});
    struct outcome outcome =
        run("compile", "--quiet", "a b.gltf", source, "-o", "x y.trp", "--depfile", "x.d", NULL);
    discard(&outcome);
    char path[512];
    snprintf(path, sizeof path, "%s/x.d", folder);
    char *const text = read_text(path);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "x\\ y.trp:", 9), 0);
    assert_non_null(strstr(text, " a\\ b.gltf"));
    assert_non_null(strstr(text, source));
    assert_non_null(strstr(text, " a\\ b.bin"));
    assert_int_equal(text[strlen(text) - 1], '\n');
    free(text);
}

static void test_cli_compile_json_describes_the_pack(void **state)
{
    (void)state;
    json_t *const object =
        expect_json(run("compile", source, "-o", "x.trp", "--json", NULL), "compile");
    assert_string_equal(string_of(object, "output"), "x.trp");
    assert_int_equal(json_array_size(json_object_get(object, "clips")), 3);
    json_decref(object);
}

// ---- info ----

static void test_cli_info_has_every_field(void **state)
{
    (void)state;
    json_t *const info = expect_json(run("info", pack, "--json", NULL), "info");
    json_t *const skeleton = json_array_get(json_object_get(info, "skeletons"), 0);
    assert_string_equal(string_of(skeleton, "name"), "tiny");
    assert_int_equal((int)number_of(skeleton, "joints"), 2);
    assert_int_equal((int)number_of(skeleton, "blocks"), 1);
    assert_int_equal((int)number_of(skeleton, "metres_per_unit"), 1);
    json_t *const skin = json_array_get(json_object_get(info, "skins"), 0);
    assert_string_equal(string_of(skin, "name"), "skin");
    assert_int_equal((int)number_of(skin, "joints"), 2);
    json_t *const clip = named(json_object_get(info, "clips"), "wave");
    assert_string_equal(string_of(clip, "skeleton"), "tiny");
    assert_string_equal(string_of(clip, "source_clip"), "wave");
    assert_float_equal(number_of(clip, "duration_s"), 1, 1e-9);
    assert_true(number_of(clip, "rate_hz") > 0);
    assert_float_equal(number_of(clip, "ticks"), number_of(clip, "rate_hz"), 1e-9);
    assert_true(number_of(clip, "rows") >= 2);
    assert_true(number_of(clip, "bytes") > 0);
    assert_int_equal((int)number_of(clip, "raw_bytes"), 2 * 31 * 40);
    assert_true(number_of(clip, "max_error_mm") <= 0.1);
    assert_true(number_of(clip, "max_error_keys_mm") <= number_of(clip, "max_error_mm"));
    assert_true(number_of(clip, "mean_error_mm") <= number_of(clip, "max_error_mm"));
    assert_int_equal(
        (int)number_of(clip, "absent_tracks") + (int)number_of(clip, "constant_tracks") +
            (int)number_of(clip, "dense_tracks") + (int)number_of(clip, "keyed_tracks"),
        2 * 3);
    assert_true(json_is_null(json_object_get(clip, "property_set")));
    assert_int_equal(json_array_size(json_object_get(info, "property_sets")), 0);
    assert_true(json_is_true(json_object_get(info, "content_hash_ok")));
    json_decref(info);
    struct outcome table = run("info", pack, NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "wave"));
    assert_null(strchr(table.out, '\033'));
    discard(&table);
}

static void test_cli_info_shows_properties_and_where_they_went(void **state)
{
    (void)state;
    json_t *const info = expect_json(run("info", puppet, "--json", NULL), "info");
    json_t *const sets = json_object_get(info, "property_sets");
    assert_int_equal(json_array_size(sets), 1);
    json_t *const set = json_array_get(sets, 0);
    assert_string_equal(string_of(set, "name"), "puppet");
    assert_int_equal((int)number_of(set, "values"), 7);
    static const struct {
        const char *path;
        const char *type;
        int values;
        int node;
    } expected[] = {
        {PUPPET_WEIGHTS, "float", 2, 0},
        {PUPPET_COLOUR, "float", 4, -1},
        {PUPPET_VISIBLE, "bool", 1, 1},
    };
    json_t *const properties = json_object_get(set, "properties");
    assert_int_equal(json_array_size(properties), 3);
    for (int i = 0; i < 3; i++) {
        const json_t *const property = json_array_get(properties, (size_t)i);
        assert_string_equal(string_of(property, "path"), expected[i].path);
        assert_string_equal(string_of(property, "type"), expected[i].type);
        assert_int_equal((int)number_of(property, "values"), expected[i].values);
        const json_t *const node = json_object_get(property, "node");
        assert_int_equal(json_is_null(node) ? -1 : (int)json_integer_value(node), expected[i].node);
        assert_int_equal(json_object_get(property, "labels") != NULL, i == 0);
    }
    const json_t *const weights = json_array_get(properties, 0);
    const json_t *const labels = json_object_get(weights, "labels");
    assert_string_equal(json_string_value(json_array_get(labels, 0)), "smile");
    assert_string_equal(json_string_value(json_array_get(labels, 1)), "blink");
    assert_float_equal(json_number_value(json_array_get(json_object_get(weights, "defaults"), 0)),
                       0.5, 0);

    const json_t *const lamp = named(json_object_get(info, "clips"), "lamp");
    assert_string_equal(string_of(lamp, "property_set"), "puppet");
    assert_int_equal((int)number_of(lamp, "keyed_tracks"), 1); // it jumps off the grid
    assert_int_equal((int)number_of(lamp, "absent_values"), 2);
    assert_int_equal((int)number_of(lamp, "constant_values") +
                         (int)number_of(lamp, "dense_values") +
                         (int)number_of(lamp, "keyed_values"),
                     5);
    assert_true(number_of(lamp, "keyed_values") >= 1); // the switch
    assert_true(number_of(lamp, "keyed_bytes") > 0);
    json_decref(info);
    struct outcome table = run("info", puppet, NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "smile, blink"));
    assert_non_null(strstr(table.out, PUPPET_COLOUR));
    discard(&table);
}

static void test_cli_info_clip_bytes_add_up_to_no_more_than_the_file(void **state)
{
    (void)state;
    json_t *const info = expect_json(run("info", pack, "--json", NULL), "info");
    double sum = 0;
    size_t index = 0;
    json_t *clip = NULL;
    json_array_foreach(json_object_get(info, "clips"), index, clip)
    {
        sum += number_of(clip, "bytes");
    }
    assert_float_equal(sum, number_of(info, "clip_bytes"), 0.5);
    assert_true(sum < number_of(info, "bytes"));
    json_decref(info);
}

static void test_cli_info_refuses_what_is_no_pack(void **state)
{
    (void)state;
    size_t size = 0;
    char *const bytes = read_pack(&size);
    write_text("short.trp", bytes, size - 1);
    bytes[0] ^= 1;
    write_text("magic.trp", bytes, size);
    free(bytes);
    expect_refusal(run("info", "magic.trp", NULL), 3, "byte 0 [");
    expect_refusal(run("info", "short.trp", NULL), 3, "wrong at byte");
    expect_refusal(run("info", source, NULL), 3, "not a valid pack");
    expect_refusal(run("info", "missing.trp", NULL), 2, "missing.trp");
    expect_refusal(run("info", ".", NULL), 2, "directory");
}

static void test_cli_info_warns_of_changed_content(void **state)
{
    (void)state;
    size_t size = 0;
    char *const bytes = read_pack(&size);
    size_t last = size - 1;
    while (bytes[last] == 0) { // the end of the last row of the last clip
        last--;
    }
    bytes[last] ^= 1;
    write_text("changed.trp", bytes, size);
    free(bytes);
    struct outcome outcome = run("info", "changed.trp", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.err, "warning"));
    assert_non_null(strstr(outcome.err, "hash"));
    discard(&outcome);
    json_t *const info = expect_json(run("info", "changed.trp", "--json", NULL), "info");
    assert_true(json_is_false(json_object_get(info, "content_hash_ok")));
    json_decref(info);
}

// ---- sample ----

static json_t *joints_of(json_t *object, size_t index)
{
    return json_object_get(json_array_get(json_object_get(object, "samples"), index), "joints");
}

static void test_cli_sample_local_gives_source_values_in_file_order(void **state)
{
    (void)state;
    json_t *const object = expect_json(run("sample", pack, "--clip", "wave", "--time", "0.5",
                                           "--time", "-3", "--time", "7e3", "--json", NULL),
                                       "sample");
    assert_int_equal(json_array_size(json_object_get(object, "samples")), 3);
    json_t *const joints = joints_of(object, 0);
    assert_int_equal(json_array_size(joints), 2);
    const json_t *const arm = json_array_get(joints, 0);
    const json_t *const body = json_array_get(joints, 1);
    assert_string_equal(string_of(arm, "name"), "arm");
    assert_string_equal(string_of(body, "name"), "body");
    assert_int_equal((int)number_of(arm, "node"), 1);
    assert_int_equal((int)number_of(body, "node"), 2);
    double rotation[4];
    double translation[3];
    double scale[3];
    numbers_of(arm, "rotation", rotation, 4);
    numbers_of(body, "translation", translation, 3);
    numbers_of(body, "scale", scale, 3);
    assert_float_equal(fabs(rotation[2]), sqrt(0.5), 2e-3);
    assert_float_equal(fabs(rotation[3]), sqrt(0.5), 2e-3);
    assert_float_equal(translation[0], 0.5, 1e-4);
    assert_float_equal(scale[1], 1, 1e-6);
    numbers_of(json_array_get(joints_of(object, 1), 1), "translation", translation, 3);
    assert_float_equal(translation[0], 0, 1e-4);
    numbers_of(json_array_get(joints_of(object, 2), 1), "translation", translation, 3);
    assert_float_equal(translation[0], 1, 1e-4);
    json_decref(object);
}

static void test_cli_sample_model_includes_static_ancestors(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "lifted", &(struct tiny_gltf){.lifted = 2});
    struct outcome outcome = run("compile", "--quiet", "lifted.gltf", "-o", "lifted.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const object = expect_json(run("sample", "lifted.trp", "--clip", "wave", "--time", "1",
                                           "--space", "model", "--joint", "arm", "--json", NULL),
                                       "sample");
    json_t *const joints = joints_of(object, 0);
    assert_int_equal(json_array_size(joints), 1);
    double model[12];
    numbers_of(json_array_get(joints, 0), "model", model, 12);
    const double expected[12] = {1, 0, 0, 1, 0, 1, 0, 3, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++) {
        assert_float_equal(model[i], expected[i], 4e-3);
    }
    json_decref(object);
}

static void test_cli_sample_additive_model_lies_on_the_rest_pose(void **state)
{
    (void)state;
    struct outcome outcome =
        run("compile", "--quiet", "--additive", "rest", source, "-o", "additive.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const object = expect_json(run("sample", "additive.trp", "--clip", "wave", "--time",
                                           "1", "--space", "model", "--json", NULL),
                                       "sample");
    double model[12];
    numbers_of(json_array_get(joints_of(object, 0), 0), "model", model, 12);
    assert_float_equal(model[3], 1, 1e-3);
    assert_float_equal(model[7], 1, 1e-3);
    json_decref(object);
}

static void test_cli_sample_unknown_names_suggest_others(void **state)
{
    (void)state;
    expect_refusal(run("sample", pack, "--clip", "Wav", NULL), 3, "nearest: 'wave'");
    expect_refusal(run("sample", pack, "--clip", "wave", "--joint", "amr", NULL), 3,
                   "nearest: 'arm'");
}

/// Samples one property of the puppet.
static void sample_property(const char *file, const char *clip, double time_s, const char *path,
                            double *values, size_t count)
{
    char time[32];
    snprintf(time, sizeof time, "%.17g", time_s);
    json_t *const object = expect_json(
        run("sample", file, "--clip", clip, "--time", time, "--property", path, "--json", NULL),
        "sample");
    json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    assert_int_equal(json_array_size(json_object_get(sample, "joints")), 0);
    json_t *const properties = json_object_get(sample, "properties");
    assert_int_equal(json_array_size(properties), 1);
    assert_string_equal(string_of(json_array_get(properties, 0), "path"), path);
    numbers_of(json_array_get(properties, 0), "values", values, count);
    json_decref(object);
}

static void expect_weights(const char *file, const char *clip, double time_s, double smile,
                           double blink)
{
    double weights[2];
    sample_property(file, clip, time_s, PUPPET_WEIGHTS, weights, 2);
    assert_float_equal(weights[0], smile, 1.1e-5);
    assert_float_equal(weights[1], blink, 1.1e-5);
}

static void test_cli_sample_morph_weights_of_every_interpolation(void **state)
{
    (void)state;
    struct outcome outcome =
        run("compile", "--quiet", "--exact", puppet_source, "-o", "exact.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    const char *const files[] = {puppet, "exact.trp"};
    for (int i = 0; i < 2; i++) {
        expect_weights(files[i], "linear", 0.25, 0.5, 0.125);
        expect_weights(files[i], "linear", 0.75, 0.5, 0.375);
        expect_weights(files[i], "linear", 9, 0, 0.5);
        expect_weights(files[i], "step", 0.499, 0, 0);
        expect_weights(files[i], "step", 0.5, 1, 0.25);
        expect_weights(files[i], "step", 1, 0, 0.5);
        // Hermite, tangents of 2 per second over half a second: between keys they add
        // (u^3 - 2 u^2 + u) - (u^2 - u^3) less, u = 1/4: 0.140625 - 0.046875.
        expect_weights(files[i], "cubic", 0.125, 0.15625 + 0.09375, 0.15625 * 0.25 + 0.09375);
        expect_weights(files[i], "cubic", 0.25, 0.5, 0.125);
        expect_weights(files[i], "lamp", 0.5, 0.5, 0); // the defaults: it says nothing of them
    }
    expect_weights("exact.trp", "step", nextafter(0.5, 0), 0, 0);
}

static void test_cli_sample_steps_off_the_grid_are_exact(void **state)
{
    (void)state;
    static const struct {
        double time_s;
        double x;
        double visible;
    } moments[] = {
        {0, 0, 1},
        {(double)PUPPET_OFF_S, 1, 0},
        {(double)PUPPET_ON_S, 2, 1},
    };
    for (int i = 0; i < 3; i++) {
        for (int early = 0; early < (i == 0 ? 1 : 2); early++) {
            char time[32];
            const double time_s = early ? nextafter(moments[i].time_s, 0) : moments[i].time_s;
            snprintf(time, sizeof time, "%.17g", time_s);
            json_t *const object =
                expect_json(run("sample", puppet, "--clip", "lamp", "--time", time, "--joint",
                                "lamp", "--property", PUPPET_VISIBLE, "--json", NULL),
                            "sample");
            double translation[3];
            double visible = 0;
            json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
            numbers_of(json_array_get(json_object_get(sample, "joints"), 0), "translation",
                       translation, 3);
            numbers_of(json_array_get(json_object_get(sample, "properties"), 0), "values", &visible,
                       1);
            assert_float_equal(translation[0], moments[i - early].x, 1e-6);
            assert_float_equal(visible, moments[i - early].visible, 0);
            json_decref(object);
        }
    }
    double colour[4];
    sample_property(puppet, "lamp", 0.25, PUPPET_COLOUR, colour, 4);
    assert_float_equal(colour[0], 0.5, 1.1e-5);
    assert_float_equal(colour[1], 0.5, 1.1e-5);
    assert_float_equal(colour[2], 0, 1.1e-5);
    assert_float_equal(colour[3], 1, 1.1e-5);
}

static void test_cli_sample_filters_joints_and_properties(void **state)
{
    (void)state;
    json_t *object = expect_json(run("sample", puppet, "--clip", "lamp", "--json", NULL), "sample");
    json_t *sample = json_array_get(json_object_get(object, "samples"), 0);
    assert_int_equal(json_array_size(json_object_get(sample, "joints")), 1);
    json_t *const properties = json_object_get(sample, "properties");
    assert_int_equal(json_array_size(properties), 3);
    const json_t *const weights = json_array_get(properties, 0);
    assert_string_equal(string_of(weights, "type"), "float");
    assert_int_equal((int)number_of(weights, "node"), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(weights, "labels"), 1)),
                        "blink");
    assert_true(json_is_null(json_object_get(json_array_get(properties, 1), "node")));
    assert_string_equal(string_of(json_array_get(properties, 2), "type"), "bool");
    json_decref(object);

    object = expect_json(run("sample", puppet, "--clip", "lamp", "--joint", "lamp", "--json", NULL),
                         "sample");
    sample = json_array_get(json_object_get(object, "samples"), 0);
    assert_int_equal(json_array_size(json_object_get(sample, "joints")), 1);
    assert_int_equal(json_array_size(json_object_get(sample, "properties")), 0);
    json_decref(object);

    struct outcome table = run("sample", puppet, "--clip", "linear", "--time", "0.5", NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "blink"));
    assert_non_null(strstr(table.out, "tx"));
    discard(&table);
    table = run("sample", puppet, "--clip", "linear", "--property", PUPPET_WEIGHTS, NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "blink"));
    assert_null(strstr(table.out, "tx"));
    assert_null(strstr(table.out, PUPPET_COLOUR));
    discard(&table);
    expect_refusal(run("sample", puppet, "--clip", "linear", "--property", "/nodes/0/weight", NULL),
                   3, "nearest: '" PUPPET_WEIGHTS "'");
    expect_refusal(run("sample", pack, "--clip", "wave", "--property", PUPPET_WEIGHTS, NULL), 3,
                   "[cli.property]");
}

static void test_cli_sample_clips_without_joints(void **state)
{
    (void)state;
    puppet_gltf_write(folder, "face", &(struct puppet_gltf){.is_face_only = true});
    struct outcome outcome = run("compile", "face.gltf", "-o", "face.trp", NULL);
    expect_success(&outcome);
    assert_null(strstr(outcome.out, "0.0 x")); // there are no poses to be smaller than
    discard(&outcome);
    expect_weights("face.trp", "linear", 0.5, 1, 0.25);
    json_t *const object = expect_json(
        run("sample", "face.trp", "--clip", "linear", "--space", "model", "--json", NULL),
        "sample");
    assert_int_equal(json_array_size(joints_of(object, 0)), 0);
    json_decref(object);
    struct outcome table = run("sample", "face.trp", "--clip", "linear", NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "smile"));
    discard(&table);
    expect_refusal(run("sample", "face.trp", "--clip", "linear", "--joint", "lamp", NULL), 3,
                   "no joint 'lamp'");
    json_t *const info = expect_json(run("info", "face.trp", "--json", NULL), "info");
    const json_t *const clip = named(json_object_get(info, "clips"), "linear");
    assert_true(json_is_null(json_object_get(clip, "skeleton")));
    assert_int_equal((int)number_of(clip, "absent_tracks"), 0);
    assert_int_equal((int)number_of(clip, "raw_bytes"), 0);
    json_decref(info);
    outcome = run("verify", "face.trp", "face.gltf", NULL);
    expect_success(&outcome);
    discard(&outcome);
}

static void test_cli_sample_additive_values_are_differences(void **state)
{
    (void)state;
    struct outcome outcome =
        run("compile", "--quiet", "--additive", "rest", puppet_source, "-o", "added.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    expect_weights("added.trp", "linear", 0.5, 0.5, 0.25); // smile rests at 0.5
    expect_weights("added.trp", "linear", 1, -0.5, 0.5);
    json_t *const object =
        expect_json(run("sample", "added.trp", "--clip", "linear", "--time", "0.5", "--space",
                        "model", "--property", PUPPET_WEIGHTS, "--json", NULL),
                    "sample");
    double weights[2];
    json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    numbers_of(json_array_get(json_object_get(sample, "properties"), 0), "values", weights, 2);
    assert_float_equal(weights[0], 1, 1.1e-5);
    assert_float_equal(weights[1], 0.25, 1.1e-5);
    json_decref(object);
}

// ---- verify ----

static void test_cli_verify_tells_good_from_bad(void **state)
{
    (void)state;
    json_t *const good = expect_json(run("verify", pack, source, "--json", NULL), "verify");
    assert_true(json_is_true(json_object_get(good, "ok")));
    json_t *const clip = named(json_object_get(good, "clips"), "wave");
    assert_true(number_of(clip, "max_error_mm") <= number_of(clip, "budget_mm"));
    assert_true(number_of(clip, "max_error_keys_mm") <= number_of(clip, "max_error_mm"));
    assert_true(number_of(clip, "at_time_s") >= 0);
    assert_non_null(string_of(clip, "at_joint"));
    json_decref(good);

    char other[512];
    snprintf(other, sizeof other, "%s/other", folder);
    mkdir(other, 0777);
    tiny_gltf_write(other, "tiny", &(struct tiny_gltf){.moved = 0.001});
    struct outcome outcome = run("verify", pack, "other/tiny.gltf", NULL);
    assert_int_equal(outcome.exit_code, 4);
    assert_non_null(strstr(outcome.out, "OVER"));
    assert_int_equal(count_lines(outcome.err), 1);
    assert_non_null(strstr(outcome.err, "[verify.budget]"));
    discard(&outcome);
    outcome = run("verify", pack, "other/tiny.gltf", "--json", NULL);
    assert_int_equal(outcome.exit_code, 4);
    assert_non_null(strstr(outcome.out, "\"ok\": false"));
    discard(&outcome);
}

static void test_cli_verify_measures_properties(void **state)
{
    (void)state;
    json_t *const good =
        expect_json(run("verify", puppet, puppet_source, "--json", NULL), "verify");
    assert_true(json_is_true(json_object_get(good, "ok")));
    json_t *const linear = named(json_object_get(good, "clips"), "linear");
    assert_true(number_of(linear, "max_value_error") > 0);
    assert_true(number_of(linear, "max_value_error") <= 1);
    assert_string_equal(string_of(linear, "at_property"), PUPPET_WEIGHTS);
    json_decref(good);

    char other[512];
    snprintf(other, sizeof other, "%s/others", folder);
    mkdir(other, 0777);
    puppet_gltf_write(other, "puppet", &(struct puppet_gltf){.grinned = 1e-3f});
    struct outcome outcome = run("verify", puppet, "others/puppet.gltf", NULL);
    assert_int_equal(outcome.exit_code, 4);
    assert_non_null(strstr(outcome.out, "OVER"));
    assert_non_null(strstr(outcome.err, "[verify.budget]"));
    discard(&outcome);
    outcome = run("verify", puppet, "others/puppet.gltf", "--json", NULL);
    assert_int_equal(outcome.exit_code, 4);
    json_t *const bad = json_loads(outcome.out, 0, NULL);
    assert_non_null(bad);
    // 1e-3 is a hundred times the tolerance of 1e-5 of weights up to 1.
    assert_float_equal(number_of(named(json_object_get(bad, "clips"), "linear"), "max_value_error"),
                       100, 2);
    json_decref(bad);
    discard(&outcome);
}

static void test_cli_clips_without_their_skeleton_need_it_named(void **state)
{
    (void)state;
    struct outcome outcome =
        run("compile", "--quiet", "--skeleton", pack, source, "-o", "clips.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    json_t *const info = expect_json(run("info", "clips.trp", "--json", NULL), "info");
    assert_int_equal(json_array_size(json_object_get(info, "skeletons")), 0);
    json_t *const clip = named(json_object_get(info, "clips"), "wave");
    assert_true(json_is_null(json_object_get(clip, "skeleton")));
    json_decref(info);
    expect_refusal(run("sample", "clips.trp", "--clip", "wave", NULL), 3, "--skeleton");
    expect_refusal(run("verify", "clips.trp", source, NULL), 3, "[verify.skeleton]");
    expect_refusal(run("bench", "clips.trp", NULL), 3, "[bench.empty]");
    json_t *const sample = expect_json(
        run("sample", "clips.trp", "--skeleton", pack, "--clip", "wave", "--json", NULL), "sample");
    assert_int_equal(json_array_size(joints_of(sample, 0)), 2);
    json_decref(sample);
    json_t *const verified = expect_json(
        run("verify", "clips.trp", source, "--skeleton", pack, "--json", NULL), "verify");
    assert_true(json_is_true(json_object_get(verified, "ok")));
    json_decref(verified);
}

static void test_cli_verify_without_source_is_invalid_input(void **state)
{
    (void)state;
    tiny_gltf_write(folder, "stranger", &(struct tiny_gltf){0});
    expect_refusal(run("verify", pack, "stranger.gltf", NULL), 3, "[verify.source]");
    expect_refusal(run("verify", pack, "missing.gltf", NULL), 2, "missing.gltf");
}

// ---- bench ----

static void test_cli_bench_has_a_row_for_every_operation(void **state)
{
    (void)state;
    static const char *const operations[] = {
        "prepare", "sample", "blend2", "model", "palette", "pipeline2", "memcpy_palette",
    };
    json_t *const object = expect_json(run("bench", pack, "--instances", "33", "--rounds", "10",
                                           "--isa", "reference", "--clip", "step", "--json", NULL),
                                       "bench");
    json_t *const rows = json_object_get(object, "rows");
    for (int i = 0; i < 7; i++) {
        int found = 0;
        size_t index = 0;
        json_t *row = NULL;
        json_array_foreach(rows, index, row)
        {
            const bool is_playheads = json_is_null(json_object_get(row, "ns_per_lane"));
            assert_int_equal((int)number_of(row, "instances"), is_playheads ? 3300 : 33);
            assert_int_equal((int)number_of(row, "threads"), 1);
            assert_string_equal(string_of(row, "isa"), "reference");
            assert_int_equal((int)number_of(row, "joints"), 2);
            assert_int_equal((int)number_of(row, "lanes"), 16);
            assert_true(number_of(row, "ns_per_pose") > 0);
            assert_true(number_of(row, "bytes") > 0);
            if (!is_playheads) {
                assert_float_equal(number_of(row, "ns_per_lane") * 16,
                                   number_of(row, "ns_per_pose"),
                                   1e-6 * number_of(row, "ns_per_pose"));
            }
            assert_non_null(string_of(row, "mode"));
            found += strcmp(string_of(row, "operation"), operations[i]) == 0;
        }
        assert_true(found >= 1);
    }
    json_decref(object);
}

/// Checks the rows of the operation `keyed`, of which there must be two.
static void expect_keyed_rows(json_t *object, const char *clip, int track_count)
{
    int found = 0;
    size_t index = 0;
    json_t *row = NULL;
    json_array_foreach(json_object_get(object, "rows"), index, row)
    {
        if (strcmp(string_of(row, "operation"), "keyed") != 0) {
            assert_null(json_object_get(row, "tracks"));
            continue;
        }
        assert_string_equal(string_of(row, "mode"), found == 0 ? "forward" : "random");
        assert_string_equal(string_of(row, "clip"), clip);
        assert_int_equal((int)number_of(row, "tracks"), track_count);
        assert_true(number_of(row, "ns_per_track") > 0);
        assert_float_equal(number_of(row, "ns_per_track") * track_count,
                           number_of(row, "ns_per_pose"), 1e-6 * number_of(row, "ns_per_pose"));
        found++;
    }
    assert_int_equal(found, 2);
    json_decref(object);
}

static void test_cli_bench_measures_keyed_tracks(void **state)
{
    (void)state;
    // `linear` has none: the clip that has most stands in. `lamp`: place, colour and switch.
    expect_keyed_rows(expect_json(run("bench", puppet, "--instances", "17", "--rounds", "10",
                                      "--isa", "portable", "--clip", "linear", "--json", NULL),
                                  "bench"),
                      "lamp", 3);
    puppet_gltf_write(folder, "faces", &(struct puppet_gltf){.is_face_only = true});
    struct outcome outcome =
        run("compile", "--quiet", "--exact", "faces.gltf", "-o", "faces.trp", NULL);
    expect_success(&outcome);
    discard(&outcome);
    expect_keyed_rows(expect_json(run("bench", "faces.trp", "--instances", "17", "--rounds", "10",
                                      "--isa", "portable", "--clip", "cubic", "--json", NULL),
                                  "bench"),
                      "cubic", 1);
    struct outcome table =
        run("bench", "faces.trp", "--instances", "17", "--rounds", "10", "--isa", "portable", NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "keyed"));
    discard(&table);
}

// ---- the surroundings ----

static void test_cli_full_disk_is_no_success(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    char *arguments[] = {(char *)program, "info", pack, NULL};
    expect_refusal(run_to("/dev/full", arguments), 2, "stdout");
}

static int setup(void **state)
{
    (void)state;
    if (cli_program_setup() != 0) {
        return 1;
    }
    tiny_gltf_write(folder, "tiny", &(struct tiny_gltf){0});
    snprintf(source, sizeof source, "%s/tiny.gltf", folder);
    snprintf(pack, sizeof pack, "%s/tiny.trp", folder);
    struct outcome outcome = run("compile", "--quiet", source, "-o", pack, NULL);
    int exit_code = outcome.exit_code;
    fputs(outcome.err, stderr);
    discard(&outcome);
    puppet_gltf_write(folder, "puppet", &(struct puppet_gltf){0});
    snprintf(puppet_source, sizeof puppet_source, "%s/puppet.gltf", folder);
    snprintf(puppet, sizeof puppet, "%s/puppet.trp", folder);
    outcome = run("compile", "--quiet", puppet_source, "-o", puppet, NULL);
    exit_code = exit_code == 0 ? outcome.exit_code : exit_code;
    fputs(outcome.err, stderr);
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
        cmocka_unit_test(test_cli_no_verb_is_a_usage_error),
        cmocka_unit_test(test_cli_version_is_one_line),
        cmocka_unit_test(test_cli_help_knows_every_verb),
        cmocka_unit_test(test_cli_unknown_option_is_a_usage_error),
        cmocka_unit_test(test_cli_compile_bad_input_leaves_nothing),
        cmocka_unit_test(test_cli_compile_unsupported_extension_is_5),
        cmocka_unit_test(test_cli_compile_never_overwrites_its_input),
        cmocka_unit_test(test_cli_compile_refuses_a_chain_of_nodes_at_once),
        cmocka_unit_test(test_cli_compile_speaks_of_zero_in_a_string_plainly),
        cmocka_unit_test(test_cli_compile_refuses_a_byte_order_mark_by_its_name),
        cmocka_unit_test(test_cli_compile_says_one_line_or_nothing),
        cmocka_unit_test(test_cli_compile_is_the_same_for_any_jobs),
        cmocka_unit_test(test_cli_compile_trim_starts_clips_at_their_first_key),
        cmocka_unit_test(test_cli_compile_options_apply_to_inputs_after_them),
        cmocka_unit_test(test_cli_compile_exact_keys_every_moving_track),
        cmocka_unit_test(test_cli_compile_depfile_names_all_inputs),
        cmocka_unit_test(test_cli_compile_json_describes_the_pack),
        cmocka_unit_test(test_cli_info_has_every_field),
        cmocka_unit_test(test_cli_info_shows_properties_and_where_they_went),
        cmocka_unit_test(test_cli_info_clip_bytes_add_up_to_no_more_than_the_file),
        cmocka_unit_test(test_cli_info_refuses_what_is_no_pack),
        cmocka_unit_test(test_cli_info_warns_of_changed_content),
        cmocka_unit_test(test_cli_sample_local_gives_source_values_in_file_order),
        cmocka_unit_test(test_cli_sample_model_includes_static_ancestors),
        cmocka_unit_test(test_cli_sample_additive_model_lies_on_the_rest_pose),
        cmocka_unit_test(test_cli_sample_unknown_names_suggest_others),
        cmocka_unit_test(test_cli_sample_morph_weights_of_every_interpolation),
        cmocka_unit_test(test_cli_sample_steps_off_the_grid_are_exact),
        cmocka_unit_test(test_cli_sample_filters_joints_and_properties),
        cmocka_unit_test(test_cli_sample_clips_without_joints),
        cmocka_unit_test(test_cli_sample_additive_values_are_differences),
        cmocka_unit_test(test_cli_verify_tells_good_from_bad),
        cmocka_unit_test(test_cli_verify_measures_properties),
        cmocka_unit_test(test_cli_clips_without_their_skeleton_need_it_named),
        cmocka_unit_test(test_cli_verify_without_source_is_invalid_input),
        cmocka_unit_test(test_cli_bench_has_a_row_for_every_operation),
        cmocka_unit_test(test_cli_bench_measures_keyed_tracks),
        cmocka_unit_test(test_cli_full_disk_is_no_success),
    };
    return cmocka_run_group_tests_name("cli", tests, setup, teardown);
}
