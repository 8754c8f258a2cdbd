// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the glTF importer makes of animations[i].extras.events: lists and strings that hold them,
// all kinds of payloads, and every way to get them wrong.
#include "gltf_asserts.h"

#include <stdio.h>

#include <troupe/event.h>

#include "gltf_exercise.h"

/// Makes a file with one animation of a second.
/// @param members  further members of the animation, each preceded by a comma
static struct gltf_builder *build(const char *members)
{
    static struct gltf_builder builder;
    static const float values[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    memset(&builder, 0, sizeof builder);
    const uint32_t input = build_times(&builder, 3);
    const uint32_t output = gltf_builder_floats(&builder, 3, 3, values);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
                     "\"translation\"}}],\"samplers\":[{\"input\":%u,\"output\":%u}]%s}",
                     input, output, members);
    return &builder;
}

/// Imports a file whose animation has these events, with some warnings.
static const struct scene_clip *import_warned(const char *events, struct scene *scene,
                                              uint32_t warning_count)
{
    char members[4096];
    struct report report;
    snprintf(members, sizeof members, ",\"extras\":{\"other\":[{}],\"events\":%s}", events);
    assert_imports(build(members), scene, &report);
    assert_int_equal(report.warning_count, warning_count);
    assert_int_equal(scene->clip_count, 1);
    return &scene->clips[0];
}

static const struct scene_clip *import_events(const char *events, struct scene *scene)
{
    return import_warned(events, scene, 0);
}

static void test_gltf_event_has_all_that_the_list_says(void **state)
{
    (void)state;
    struct scene scene;
    const struct scene_clip *const clip = import_events(
        "[{\"name\":\"late\",\"time\":0.75,\"duration\":0.125,\"value\":7,\"marker\":true},"
        "{\"name\":\"early\",\"time\":0,\"marker\":false}]",
        &scene);
    assert_int_equal(clip->event_count, 2); // as the file has them
    const struct scene_event *const late = &clip->events[0];
    assert_string_equal(late->name, "late");
    assert_true(late->time_s == 0.75);
    assert_true(late->duration_s == 0.125);
    assert_int_equal(late->flags, TRP_EVENT_INTEGER | TRP_EVENT_MARKER);
    assert_int_equal(late->integer, 7);
    assert_true(late->number == 0);
    assert_string_equal(late->text, "");
    const struct scene_event *const early = &clip->events[1];
    assert_string_equal(early->name, "early");
    assert_true(early->time_s == 0);
    assert_true(early->duration_s == 0);
    assert_int_equal(early->flags, 0);
    assert_true(clip->duration_s == 1); // which events leave as it is
    scene_free(&scene);
}

static void test_gltf_event_literal_says_what_kind_of_payload_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *literal;
        uint32_t flags;
        int64_t integer;
        double number;
        const char *text;
    } cases[] = {
        {"5", TRP_EVENT_INTEGER, 5, 0, ""},
        {"0", TRP_EVENT_INTEGER, 0, 0, ""},
        {"-5", TRP_EVENT_INTEGER, -5, 0, ""},
        {"9223372036854775807", TRP_EVENT_INTEGER, INT64_MAX, 0, ""},
        {"-9223372036854775808", TRP_EVENT_INTEGER, INT64_MIN, 0, ""},
        {"5.0", TRP_EVENT_NUMBER, 0, 5, ""},
        {"5e0", TRP_EVENT_NUMBER, 0, 5, ""},
        {"0.0", TRP_EVENT_NUMBER, 0, 0, ""},
        {"-0.1", TRP_EVENT_NUMBER, 0, -0.1, ""},
        {"1e300", TRP_EVENT_NUMBER, 0, 1e300, ""},
        {"\"left\"", TRP_EVENT_TEXT, 0, 0, "left"},
        {"\"5\"", TRP_EVENT_TEXT, 0, 0, "5"},
        {"\"\"", TRP_EVENT_TEXT, 0, 0, ""},
        {"\"\\u4f60\\ud83d\\ude00\"", TRP_EVENT_TEXT, 0, 0, "\xe4\xbd\xa0\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char events[256];
        struct scene scene;
        snprintf(events, sizeof events, "[{\"name\":\"a\",\"time\":0,\"value\":%s}]",
                 cases[i].literal);
        const struct scene_event *const event = import_events(events, &scene)->events;
        assert_int_equal(event->flags, cases[i].flags);
        assert_true(event->integer == cases[i].integer);
        assert_true(event->number == cases[i].number);
        assert_string_equal(event->text, cases[i].text);
        scene_free(&scene);
    }
}

static void test_gltf_event_list_in_a_string_is_the_same_list(void **state)
{
    (void)state;
    struct scene scene;
    const struct scene_clip *const clip =
        import_events("\" [{\\\"name\\\": \\\"st\\u00e9p\\\", \\\"time\\\": 0.25,"
                      " \\\"value\\\": 3}, {\\\"name\\\": \\\"\\\\u00e9\\\", \\\"time\\\": 1,"
                      " \\\"value\\\": 3.0}]\\n\"",
                      &scene);
    assert_int_equal(clip->event_count, 2);
    assert_string_equal(clip->events[0].name, "st\xc3\xa9p");
    assert_true(clip->events[0].time_s == 0.25);
    assert_int_equal(clip->events[0].flags, TRP_EVENT_INTEGER);
    assert_int_equal(clip->events[0].integer, 3);
    assert_string_equal(clip->events[1].name, "\xc3\xa9");
    assert_int_equal(clip->events[1].flags, TRP_EVENT_NUMBER);
    scene_free(&scene);
}

static void test_gltf_event_list_may_be_empty(void **state)
{
    (void)state;
    static const char *const lists[] = {"[]", "\"[]\""};
    for (int i = 0; i < 2; i++) {
        struct scene scene;
        assert_int_equal(import_events(lists[i], &scene)->event_count, 0);
        scene_free(&scene);
    }
}

static void test_gltf_event_extras_of_other_meanings_are_left_alone(void **state)
{
    (void)state;
    static const char *const members[] = {
        "",
        ",\"extras\":{}",
        ",\"extras\":{\"event\":[{}]}",
        ",\"extras\":\"events\"",
        ",\"extras\":[{\"events\":5}]",
        ",\"extras\":null",
        ",\"events\":[{}]",
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct scene scene;
        struct report report;
        assert_imports(build(members[i]), &scene, &report);
        assert_int_equal(report.warning_count, 0);
        assert_int_equal(scene.clips[0].event_count, 0);
        scene_free(&scene);
    }
}

static void test_gltf_event_unknown_members_are_warned_of_once_an_event(void **state)
{
    (void)state;
    struct scene scene;
    const struct scene_clip *const clip = import_warned(
        "[{\"frame\":-1,\"name\":\"a\",\"time\":0.5,\"colour\":[1,{}],\"Value\":true},"
        "{\"name\":\"b\",\"time\":0},{\"name\":\"c\",\"time\":0,\"duraton\":1}]",
        &scene, 2);
    assert_int_equal(clip->event_count, 3);
    assert_true(clip->events[0].time_s == 0.5);
    assert_int_equal(clip->events[0].flags, 0);
    scene_free(&scene);
}

static void test_gltf_event_payloads_are_the_same_beside_huge_integers(void **state)
{
    (void)state;
    // Of the importer nobody asks these members; all are read as one text with the events.
    static const char *const huge[] = {
        "100000000000000000000",
        "-9223372036854775809",
        "[9223372036854775808,-99999999999999999999 ,{\"a\":18446744073709551616}]",
        "{\"\\\"\\\\\":100000000000000000000,\"b\":\"5, 100000000000000000000, \\\\\"}",
    };
    static const char events[] =
        "[{\"name\":\"100000000000000000000\",\"time\":1,\"value\":5,\"marker\":true},"
        "{\"name\":\"b\\\"\",\"time\":1e0,\"value\":5.0},"
        "{\"name\":\"c\",\"time\":0.5,\"value\":1e300,\"duration\":1},"
        "{\"name\":\"d\",\"time\":1,\"value\":9223372036854775807},"
        "{\"name\":\"e\",\"time\":1,\"value\":-9223372036854775808},"
        "{\"name\":\"f\",\"time\":1,\"value\":100000000000000000000.0},"
        "{\"name\":\"g\",\"time\":1,\"value\":0},"
        "{\"name\":\"h\",\"time\":1,\"value\":-0.0},"
        "{\"name\":\"i\",\"time\":1,\"value\":9007199254740993},"
        "{\"name\":\"j\",\"time\":1,\"value\":1e20},"
        "{\"name\":\"k\",\"time\":1,\"value\":\"5\"},"
        "{\"name\":\"l\",\"time\":1}]";
    static const struct {
        const char *name;
        uint32_t flags;
        int64_t integer;
        double number;
    } expected[] = {
        {"100000000000000000000", TRP_EVENT_INTEGER | TRP_EVENT_MARKER, 5, 0},
        {"b\"", TRP_EVENT_NUMBER, 0, 5},
        {"c", TRP_EVENT_NUMBER, 0, 1e300},
        {"d", TRP_EVENT_INTEGER, INT64_MAX, 0},
        {"e", TRP_EVENT_INTEGER, INT64_MIN, 0},
        {"f", TRP_EVENT_NUMBER, 0, 1e20},
        {"g", TRP_EVENT_INTEGER, 0, 0},
        {"h", TRP_EVENT_NUMBER, 0, 0},
        {"i", TRP_EVENT_INTEGER, 9007199254740993, 0},
        {"j", TRP_EVENT_NUMBER, 0, 1e20},
        {"k", TRP_EVENT_TEXT, 0, 0},
        {"l", 0, 0, 0},
    };
    for (size_t i = 0; i < 2 * sizeof huge / sizeof *huge; i++) {
        char members[4096];
        struct scene scene;
        struct report report;
        snprintf(members, sizeof members,
                 i % 2 == 0 ? ",\"extras\":{\"huge\":%1$s,\"events\":%2$s}"
                            : ",\"extras\":{\"events\":%2$s,\"huge\":%1$s}",
                 huge[i / 2], events);
        assert_imports(build(members), &scene, &report);
        assert_int_equal(report.warning_count, 0);
        assert_int_equal(scene.clips[0].event_count, sizeof expected / sizeof *expected);
        assert_true(scene.clips[0].events[2].time_s == 0.5);
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
            const struct scene_event *const event = &scene.clips[0].events[k];
            assert_string_equal(event->name, expected[k].name);
            assert_int_equal(event->flags, expected[k].flags);
            assert_true(event->integer == expected[k].integer);
            assert_true(event->number == expected[k].number);
            assert_string_equal(event->text, strcmp(event->name, "k") == 0 ? "5" : "");
        }
        scene_free(&scene);
    }
}

static void test_gltf_event_list_in_a_string_may_have_huge_integers_of_its_own(void **state)
{
    (void)state;
    static const char *const members[] = {
        // in the string, in the text around it, in both
        ",\"extras\":{\"events\":\"[{\\\"name\\\":\\\"a\\\",\\\"time\\\":1,"
        "\\\"value\\\":5,\\\"x\\\":100000000000000000000},{\\\"name\\\":\\\"b\\\","
        "\\\"time\\\":1,\\\"value\\\":5.0}]\"}",
        ",\"extras\":{\"x\":100000000000000000000,\"events\":\"[{\\\"name\\\":\\\"a\\\","
        "\\\"time\\\":1,\\\"value\\\":5},{\\\"name\\\":\\\"b\\\",\\\"time\\\":1,"
        "\\\"value\\\":5.0}]\"}",
        ",\"extras\":{\"x\":100000000000000000000,\"events\":\"[{\\\"name\\\":\\\"a\\\","
        "\\\"time\\\":1,\\\"value\\\":5},{\\\"name\\\":\\\"b\\\",\\\"time\\\":1,"
        "\\\"value\\\":5.0,\\\"x\\\":-100000000000000000000}]\"}",
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct scene scene;
        struct report report;
        assert_imports(build(members[i]), &scene, &report);
        assert_int_equal(scene.clips[0].event_count, 2);
        assert_int_equal(scene.clips[0].events[0].flags, TRP_EVENT_INTEGER);
        assert_int_equal(scene.clips[0].events[0].integer, 5);
        assert_int_equal(scene.clips[0].events[1].flags, TRP_EVENT_NUMBER);
        assert_true(scene.clips[0].events[1].number == 5);
        scene_free(&scene);
    }
}

static void test_gltf_event_mistakes_are_refused_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *events;
        const char *line;
    } cases[] = {
        {"5", "animations[0].extras.events: must be an array of events, or a string that holds one "
              "[json.type]"},
        {"null", "animations[0].extras.events: must be an array of events, or a string that holds "
                 "one [json.type]"},
        {"{\"name\":\"a\",\"time\":0}",
         "animations[0].extras.events: must be an array of events, or a string that holds one "
         "[json.type]"},
        {"[5]", "animations[0].extras.events[0]: must be an object [json.type]"},
        {"[{\"name\":\"a\",\"time\":0},{\"time\":0}]",
         "animations[0].extras.events[1]: \"name\" is missing [json.missing]"},
        {"[{\"name\":\"\",\"time\":0}]",
         "animations[0].extras.events[0].name: is empty [event.name]"},
        {"[{\"name\":5,\"time\":0}]",
         "animations[0].extras.events[0].name: must be a string [json.type]"},
        {"[{\"name\":\"a\"}]",
         "animations[0].extras.events[0]: \"time\" is missing [json.missing]"},
        {"[{\"name\":\"a\",\"frame\":3}]",
         "animations[0].extras.events[0]: \"frame\" needs a file that has \"fps\", else \"time\" "
         "[event.frame]"},
        {"[{\"name\":\"a\",\"time\":\"0\"}]",
         "animations[0].extras.events[0].time: must be a number [json.type]"},
        {"[{\"name\":\"a\",\"time\":-0.5}]",
         "animations[0].extras.events[0].time: is -0.5, but must not be negative [event.time]"},
        {"[{\"name\":\"a\",\"time\":0,\"duration\":-1}]",
         "animations[0].extras.events[0].duration: is -1, but must not be negative "
         "[event.duration]"},
        {"[{\"name\":\"a\",\"time\":0,\"duration\":null}]",
         "animations[0].extras.events[0].duration: must be a number [json.type]"},
        {"[{\"name\":\"a\",\"time\":0,\"value\":true}]",
         "animations[0].extras.events[0].value: must be an integer, a number or a string "
         "[event.value]"},
        {"[{\"name\":\"a\",\"time\":0,\"value\":null}]",
         "animations[0].extras.events[0].value: must be an integer, a number or a string "
         "[event.value]"},
        {"[{\"name\":\"a\",\"time\":0,\"value\":[1]}]",
         "animations[0].extras.events[0].value: must be an integer, a number or a string "
         "[event.value]"},
        {"[{\"name\":\"a\",\"time\":0,\"value\":9223372036854775808}]",
         "animations[0].extras.events[0].value: is 9.2233720368547758e+18, an integer beyond 64 "
         "bits [event.value]"},
        {"[{\"name\":\"a\",\"time\":0,\"value\":-9223372036854775809}]",
         "animations[0].extras.events[0].value: is -9.2233720368547758e+18, an integer beyond 64 "
         "bits [event.value]"},
        {"[{\"name\":\"a\",\"time\":0,\"marker\":1}]",
         "animations[0].extras.events[0].marker: must be true or false [json.type]"},
        {"\"\"", "animations[0].extras.events: '[' or '{' expected near end of file at line 1, "
                 "column 0 of the text [json.syntax]"},
        {"\"step at 0.5\"",
         "animations[0].extras.events: '[' or '{' expected near 'step' at line 1, column 4 of the "
         "text [json.syntax]"},
        {"\"{}\"", "animations[0].extras.events: must be an array of events, or a string that "
                   "holds one [json.type]"},
        {"\"[{\\\"name\\\":\\\"a\\\",\\\"time\\\":1},{\\\"name\\\":\\\"a\\\",\\\"time\\\":-1}]\"",
         "animations[0].extras.events[1].time: is -1, but must not be negative [event.time]"},
        {"\"[{\\\"name\\\":\\\"a\\\",\\\"time\\\":1,\\\"value\\\":9223372036854775808}]\"",
         "animations[0].extras.events[0].value: is 9.2233720368547758e+18, an integer beyond 64 "
         "bits [event.value]"},
        {"\"[\\\"[]\\\"]\"", "animations[0].extras.events[0]: must be an object [json.type]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char members[1024];
        snprintf(members, sizeof members, ",\"extras\":{\"events\":%s}", cases[i].events);
        assert_refused(build(members), TROUPE_EXIT_INPUT, cases[i].line);
    }
}

static void test_gltf_event_any_byte_may_be_wrong(void **state)
{
    (void)state;
    static const char extras[] =
        ",\"extras\":{\"events\":[{\"name\":\"a\",\"time\":0.5,\"duration\":1,\"value\":-5,"
        "\"marker\":true},{\"name\":\"b\",\"time\":1e0,\"value\":\"x\"},"
        "{\"name\":\"c\",\"time\":0,\"value\":1.5}]}";
    static const char others[] = "\"09-e{],\xff"; // and the zero at its end
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_gltf(build(extras), &size_bytes);
    const char *const found = strstr((const char *)bytes, extras);
    assert_non_null(found);
    uint32_t imported = 0;
    uint32_t refused = 0;
    for (size_t i = 0; i < sizeof extras - 1; i++) {
        unsigned char *const at = bytes + (found - (const char *)bytes) + i;
        const unsigned char was = *at;
        for (size_t k = 0; k < sizeof others; k++) {
            *at = (unsigned char)others[k];
            const bool ok = gltf_exercise(bytes, size_bytes);
            imported += ok;
            refused += !ok;
        }
        *at = was;
    }
    assert_true(imported > 100 && refused > 100);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_event_has_all_that_the_list_says),
        cmocka_unit_test(test_gltf_event_literal_says_what_kind_of_payload_it_is),
        cmocka_unit_test(test_gltf_event_list_in_a_string_is_the_same_list),
        cmocka_unit_test(test_gltf_event_list_may_be_empty),
        cmocka_unit_test(test_gltf_event_extras_of_other_meanings_are_left_alone),
        cmocka_unit_test(test_gltf_event_unknown_members_are_warned_of_once_an_event),
        cmocka_unit_test(test_gltf_event_payloads_are_the_same_beside_huge_integers),
        cmocka_unit_test(test_gltf_event_list_in_a_string_may_have_huge_integers_of_its_own),
        cmocka_unit_test(test_gltf_event_mistakes_are_refused_where_they_are),
        cmocka_unit_test(test_gltf_event_any_byte_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
