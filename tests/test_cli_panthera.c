// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The `troupe` program on Panthera projects: nodes, properties, texts and events as it prints them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_program.h"

/// An animation of a number, a text and two events, one of an event alone, and one of nothing.
static const char project[] =
    "return { data = {\n"
    "  metadata = { layers = { { name = 'front', color = 'FF8000' } } },\n"
    "  nodes = { { node_id = 'a/b', text = 'rest', position_x = 4, visible = true, parent = "
    "'root',\n"
    "    tinted = true } },\n"
    "  animations = { { animation_id = 'go', duration = 2, animation_keys = {\n"
    "    { key_type = 'tween', node_id = 'a/b', property_id = 'position_x', start_time = 0.5,\n"
    "      duration = 1, start_value = 10, end_value = 20 },\n"
    "    { key_type = 'trigger', node_id = 'a/b', property_id = 'text', start_time = 1,\n"
    "      start_data = 'before', data = 'after' },\n"
    "    { key_type = 'event', node_id = 'a/b', property_id = 'event', event_id = 'hit',\n"
    "      start_time = 0.5, data = 'hard', end_value = 42 },\n"
    "    { key_type = 'event', property_id = 'event', event_id = 'bar', start_time = 1,\n"
    "      duration = 0.5, start_value = 1, end_value = 2, easing = 'outsine' } } },\n"
    "    { animation_id = 'call', duration = 3, animation_keys = {\n"
    "    { key_type = 'event', property_id = 'event', event_id = 'ring', start_time = 2 } } },\n"
    "    { animation_id = 'wait', duration = 1.5 } } } }\n";

/// An animation of nothing, and nothing else.
static const char bare[] = "{\"type\": \"animation_editor\", \"data\": {\"animations\": ["
                           "{\"animation_id\": \"wait\", \"duration\": 0.25}]}}";

static void test_cli_panthera_info_lists_all(void **state)
{
    (void)state;
    json_t *const object = expect_json(run("info", "go.trp", "--json", NULL), "info");
    const json_t *const set = json_array_get(json_object_get(object, "property_sets"), 0);
    const json_t *const nodes = json_object_get(set, "nodes");
    const json_t *const properties = json_object_get(set, "properties");
    assert_int_equal(json_array_size(nodes), 1);
    assert_string_equal(json_string_value(json_array_get(nodes, 0)), "a/b");
    assert_int_equal(json_array_size(properties), 6);
    assert_int_equal(json_array_size(json_object_get(set, "texts")), 6);
    const json_t *const number = json_array_get(properties, 0);
    const json_t *const text = json_array_get(properties, 1);
    assert_string_equal(string_of(number, "path"), "/a~1b/position_x");
    assert_string_equal(string_of(number, "type"), "float");
    assert_string_equal(string_of(number, "node"), "a/b");
    assert_string_equal(string_of(number, "property"), "position_x");
    double rest;
    numbers_of(number, "defaults", &rest, 1);
    assert_true(rest == 4);
    assert_string_equal(string_of(text, "type"), "string");
    assert_string_equal(json_string_value(json_array_get(json_object_get(text, "defaults"), 0)),
                        "rest");
    const json_t *const parent = json_array_get(properties, 2);
    const json_t *const tinted = json_array_get(properties, 3);
    const json_t *const visible = json_array_get(properties, 4);
    const json_t *const layer = json_array_get(properties, 5);
    assert_string_equal(string_of(parent, "property"), "parent");
    assert_string_equal(string_of(tinted, "path"), "/a~1b/tinted");
    assert_string_equal(string_of(tinted, "type"), "bool");
    numbers_of(tinted, "defaults", &rest, 1);
    assert_true(rest == 1);
    assert_string_equal(string_of(visible, "path"), "/a~1b/visible");
    assert_string_equal(string_of(visible, "type"), "string");
    assert_string_equal(json_string_value(json_array_get(json_object_get(visible, "defaults"), 0)),
                        "true");
    assert_string_equal(string_of(layer, "path"), "//layers/front");
    assert_true(json_is_null(json_object_get(layer, "node")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(layer, "defaults"), 0)),
                        "FF8000");
    const json_t *const layers = json_object_get(set, "layers");
    assert_int_equal(json_array_size(layers), 1);
    assert_string_equal(string_of(json_array_get(layers, 0), "name"), "front");
    assert_string_equal(string_of(json_array_get(layers, 0), "color"), "FF8000");
    const json_t *const call = named(json_object_get(object, "clips"), "call");
    assert_true(number_of(call, "duration_s") == 3);
    assert_int_equal(json_array_size(json_object_get(call, "events")), 1);
    const json_t *const clip = named(json_object_get(object, "clips"), "go");
    assert_true(number_of(clip, "duration_s") == 2);
    const json_t *const events = json_object_get(clip, "events");
    assert_int_equal(json_array_size(events), 2);
    const json_t *const hit = json_array_get(events, 0);
    assert_string_equal(string_of(hit, "name"), "hit");
    assert_string_equal(string_of(hit, "target"), "a/b");
    assert_string_equal(string_of(hit, "value"), "hard");
    assert_true(number_of(hit, "number") == 42);
    assert_null(json_object_get(hit, "from_number"));
    const json_t *const bar = json_array_get(events, 1);
    assert_true(json_is_null(json_object_get(bar, "target")));
    assert_true(number_of(bar, "from_number") == 1 && number_of(bar, "number") == 2);
    assert_string_equal(string_of(bar, "easing"), "outsine");
    json_decref(object);
}

static void test_cli_panthera_sample_gives_node_property_and_value(void **state)
{
    static const struct {
        const char *time;
        double number;
        const char *text;
    } cases[] = {
        {"-1", 10, "before"}, {"0.25", 10, "before"}, {"1", 15, "after"}, {"2", 20, "after"}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        json_t *const object = expect_json(
            run("sample", "go.trp", "--clip", "go", "--time", cases[i].time, "--json", NULL),
            "sample");
        const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
        const json_t *const properties = json_object_get(sample, "properties");
        assert_int_equal(json_array_size(properties), 5); // no layer
        for (size_t k = 0; k < 5; k++) {
            const json_t *const property = json_array_get(properties, k);
            assert_string_equal(string_of(property, "node"), "a/b");
            assert_non_null(json_object_get(property, "property"));
            assert_non_null(json_object_get(property, "value"));
        }
        const json_t *const number = json_array_get(properties, 0);
        const json_t *const text = json_array_get(properties, 1);
        assert_string_equal(string_of(number, "node"), "a/b");
        assert_string_equal(string_of(number, "property"), "position_x");
        assert_true(number_of(number, "value") == cases[i].number);
        assert_string_equal(string_of(text, "property"), "text");
        assert_string_equal(string_of(text, "value"), cases[i].text);
        json_decref(object);
    }
}

static void test_cli_panthera_sample_gives_a_layer_that_is_asked_for(void **state)
{
    (void)state;
    json_t *const object = expect_json(
        run("sample", "go.trp", "--clip", "go", "--property", "//layers/front", "--json", NULL),
        "sample");
    const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
    const json_t *const properties = json_object_get(sample, "properties");
    assert_int_equal(json_array_size(properties), 1);
    const json_t *const layer = json_array_get(properties, 0);
    assert_true(json_is_null(json_object_get(layer, "node")));
    assert_string_equal(string_of(layer, "property"), "front");
    assert_string_equal(string_of(layer, "value"), "FF8000");
    json_decref(object);
}

static void test_cli_panthera_clips_of_nothing_can_be_used(void **state)
{
    static const char *const clips[] = {"wait", "call"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        json_t *const object = expect_json(
            run("sample", "go.trp", "--clip", clips[i], "--time", "9", "--json", NULL), "sample");
        const json_t *const sample = json_array_get(json_object_get(object, "samples"), 0);
        const json_t *const number = json_array_get(json_object_get(sample, "properties"), 0);
        assert_true(number_of(number, "value") == 4); // as it rests
        json_decref(object);
    }
    json_t *const events = expect_json(
        run("events", "go.trp", "--clip", "wait", "--from", "0", "--to", "2", "--json", NULL),
        "events");
    assert_int_equal(json_array_size(json_object_get(events, "events")), 0);
    json_decref(events);
    struct outcome outcome = run("play", "go.trp", "--clip", "wait", NULL);
    expect_success(&outcome);
    discard(&outcome);

    // where there is no property at all
    write_text("bare.json", bare, sizeof bare - 1);
    outcome = run("compile", "bare.json", "-o", "bare.trp", NULL);
    expect_success(&outcome);
    assert_string_equal(outcome.err, "");
    discard(&outcome);
    static const char *const verbs[][8] = {
        {"sample", "bare.trp", "--clip", "wait", NULL},
        {"events", "bare.trp", "--clip", "wait", "--from", "0", "--to", "1"},
        {"play", "bare.trp", "--clip", "wait", NULL},
        {"info", "bare.trp", NULL},
        {"verify", "bare.trp", "bare.json", NULL},
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *const *const word = verbs[i];
        outcome = run(word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], NULL);
        expect_success(&outcome);
        discard(&outcome);
    }
}

static void test_cli_panthera_tables_show_texts(void **state)
{
    (void)state;
    struct outcome outcome = run("sample", "go.trp", "--clip", "go", "--time", "1", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "after"));
    discard(&outcome);
    outcome = run("info", "go.trp", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "/a~1b/text"));
    assert_non_null(strstr(outcome.out, "\"rest\""));
    assert_non_null(strstr(outcome.out, "  a/b   position_x  4\n"));
    assert_non_null(strstr(outcome.out, "\n1 node in go: a/b\n1 layer in go: front FF8000\n"
                                        "6 texts in go: \"rest\", \"before\", \"after\", "));
    const char *const call = strstr(outcome.out, "\ncall ");
    assert_non_null(call);
    assert_non_null(strstr(call, "----")); // plays once, and closes no loop
    assert_true(strstr(call, "----") < strchr(call + 1, '\n'));
    discard(&outcome);
}

static void test_cli_panthera_events_have_their_targets(void **state)
{
    (void)state;
    json_t *const object = expect_json(
        run("events", "go.trp", "--clip", "go", "--from", "0", "--to", "2", "--json", NULL),
        "events");
    const json_t *const events = json_object_get(object, "events");
    assert_int_equal(json_array_size(events), 2);
    assert_string_equal(string_of(json_array_get(events, 0), "target"), "a/b");
    json_decref(object);
}

static void test_cli_panthera_verify_agrees_with_both_kinds_of_packs(void **state)
{
    (void)state;
    static const char *const exact[] = {"--exact=on", "--exact=off"};
    for (int i = 0; i < 2; i++) {
        struct outcome outcome =
            run("compile", "--quiet", exact[i], "go.lua", "-o", "other.trp", NULL);
        expect_success(&outcome);
        discard(&outcome);
        outcome = run("verify", "other.trp", "go.lua", NULL);
        expect_success(&outcome);
        discard(&outcome);
    }
}

/// Writes a project whose stream outlasts its animation.
static void write_wind(const char *stream)
{
    char text[1024];
    const int length = snprintf(
        text, sizeof text,
        "return { data = { animations = { { animation_id = 'w', duration = 1, animation_keys = {\n"
        "  { key_type = 'tween', node_id = 'n', property_id = 'position_x', duration = 1,\n"
        "    end_value = 1 },\n"
        "  { key_type = 'event', property_id = 'event', event_id = 'wind', start_time = 0.5,\n"
        "    end_value = 10, %s } } } } } }\n",
        stream);
    write_text("wind.lua", text, (size_t)length);
}

static void test_cli_panthera_streams_outlast_clips_along_their_samples(void **state)
{
    (void)state;
    static const char *const others[] = {"duration = 2, easing_custom = { 0, 2, 0.5001 }",
                                         "duration = 2, easing_custom = { 0, 2 }", "duration = 2",
                                         "duration = 1, easing_custom = { 0, 2, 0.5 }"};
    write_wind("duration = 2, easing_custom = { 0, 2, 0.5 }");
    struct outcome outcome = run("compile", "--quiet", "wind.lua", "-o", "wind.trp", NULL);
    assert_int_equal(outcome.exit_code, 0);
    assert_non_null(strstr(outcome.err, "event 'wind' at 0.5 s of the source lasts beyond the "
                                        "clip: plays only up to the end of it [events.after]"));
    assert_null(strstr(outcome.err, "easing"));
    discard(&outcome);
    json_t *const object = expect_json(run("info", "wind.trp", "--json", NULL), "info");
    const json_t *const clip = named(json_object_get(object, "clips"), "w");
    const json_t *const wind = json_array_get(json_object_get(clip, "events"), 0);
    double samples[3];
    assert_true(number_of(wind, "duration_s") == 2);
    assert_true(json_is_null(json_object_get(wind, "easing")));
    numbers_of(wind, "samples", samples, 3);
    assert_true(samples[0] == 0 && samples[1] == 2 && samples[2] == 0.5);
    json_decref(object);
    outcome = run("info", "wind.trp", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "event  clip  at second  lasts  carries\n"
                                        "wind   w           0.5      2  0.0 to 10.0\n"));
    discard(&outcome);
    outcome = run("events", "wind.trp", "--clip", "w", "--from", "0", "--to", "1", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "wind 0.0 to 10.0 for 2 s"));
    discard(&outcome);
    outcome = run("verify", "wind.trp", "wind.lua", NULL);
    assert_int_equal(outcome.exit_code, 0);
    discard(&outcome);
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_wind(others[i]);
        outcome = run("verify", "wind.trp", "wind.lua", NULL);
        assert_int_equal(outcome.exit_code, 4);
        assert_non_null(strstr(outcome.err, "carries or lasts something else"));
        discard(&outcome);
    }
}

/// Half a second of a stream of 2 s is a quarter of it, and of its samples half a way to 2.
static void test_cli_panthera_play_shows_where_streams_are(void **state)
{
    (void)state;
    write_wind("duration = 2, easing_custom = { 0, 2, 0.5 }, node_id = 'n', data = 'cold'");
    struct outcome outcome = run("compile", "--quiet", "wind.lua", "-o", "wind.trp", NULL);
    assert_int_equal(outcome.exit_code, 0);
    discard(&outcome);
    outcome = run("play", "wind.trp", "--clip", "w", "--fps", "4", "--frames", "5", NULL);
    expect_success(&outcome);
    const char *const lines = outcome.out;
    assert_non_null(strstr(lines, "[w: wind of n \"cold\" 0.0 to 10.0]  {w: wind 0}\n"));
    assert_non_null(strstr(lines, "  {w: wind 5}\n"));
    assert_non_null(strstr(lines, "  {w: wind 10, ended}\n"));
    assert_ptr_equal(strstr(strstr(lines, "ended") + 1, "wind"), NULL);
    discard(&outcome);
    outcome = run("play", "wind.trp", "--clip", "w", "--fps", "4", "--frames", "3", "--json", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "\"ranges\": []"));
    assert_non_null(strstr(outcome.out,
                           "\"name\": \"wind\", \"progress\": 0.125, \"number\": 5.0, "
                           "\"has_begun\": false, \"has_ended\": false, \"weight\": 1.0}]}"));
    discard(&outcome);
}

static int setup(void **state)
{
    (void)state;
    if (cli_program_setup() != 0) {
        return 1;
    }
    write_text("go.lua", project, sizeof project - 1);
    struct outcome outcome = run("compile", "--quiet", "go.lua", "-o", "go.trp", NULL);
    fputs(outcome.err, stderr);
    const int exit_code = outcome.exit_code;
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
        cmocka_unit_test(test_cli_panthera_info_lists_all),
        cmocka_unit_test(test_cli_panthera_sample_gives_node_property_and_value),
        cmocka_unit_test(test_cli_panthera_sample_gives_a_layer_that_is_asked_for),
        cmocka_unit_test(test_cli_panthera_clips_of_nothing_can_be_used),
        cmocka_unit_test(test_cli_panthera_tables_show_texts),
        cmocka_unit_test(test_cli_panthera_events_have_their_targets),
        cmocka_unit_test(test_cli_panthera_verify_agrees_with_both_kinds_of_packs),
        cmocka_unit_test(test_cli_panthera_streams_outlast_clips_along_their_samples),
        cmocka_unit_test(test_cli_panthera_play_shows_where_streams_are),
    };
    return cmocka_run_group_tests_name("cli_panthera", tests, setup, teardown);
}
