// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Panthera animations as curves: cases of the rule that says who writes a property when, one by
// one, and files that would take forever. Numbers in names are those of the conformance list that
// the importer is measured against.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <troupe/easing.h>
#include <troupe/event.h>

#include "compiler.h"
#include "import.h"
#include "temp_folder.h"

// -- Projects as the test writes them

enum { TWEEN, TRIGGER, EVENT, CLIP };

struct key {
    int kind;
    const char *node;
    const char *property;
    double start;
    double duration;
    double from;
    double to;
    uint32_t easing;
    uint32_t sample_count; // 0 = none
    double samples[6];
    const char *start_data; // null = absent
    const char *data;
    const char *event;
};

enum { MAX_KEYS = 24, MAX_ANIMATIONS = 16, MAX_TEMPLATES = 2 };

struct animation {
    const char *id;
    double duration;
    const char *initial_state; // null = none
    uint32_t key_count;
    struct key keys[MAX_KEYS];
};

struct project {
    uint32_t animation_count;
    struct animation animations[MAX_ANIMATIONS];
    uint32_t template_count;
    struct {
        const char *node;
        const char *file;
    } templates[MAX_TEMPLATES];
};

static void write_key(FILE *out, const struct key *key)
{
    static const char *const kinds[] = {"tween", "trigger", "event", "animation"};
    fprintf(out, "{\"key_type\":\"%s\",\"property_id\":\"%s\"", kinds[key->kind], key->property);
    fprintf(out, ",\"start_time\":%.17g,\"duration\":%.17g", key->start, key->duration);
    fprintf(out, ",\"start_value\":%.17g,\"end_value\":%.17g", key->from, key->to);
    fprintf(out, ",\"node_id\":\"%s\"", key->node);
    if (key->easing != TRP_EASING_LINEAR) {
        fprintf(out, ",\"easing\":\"%s\"", trp_easing_name(key->easing));
    }
    for (uint32_t i = 0; i < key->sample_count; i++) {
        fprintf(out, "%s%.17g", i == 0 ? ",\"easing_custom\":[" : ",", key->samples[i]);
    }
    if (key->sample_count > 0) {
        fprintf(out, "]");
    }
    if (key->start_data) {
        fprintf(out, ",\"start_data\":\"%s\"", key->start_data);
    }
    if (key->data) {
        fprintf(out, ",\"data\":\"%s\"", key->data);
    }
    if (key->event) {
        fprintf(out, ",\"event_id\":\"%s\"", key->event);
    }
    fprintf(out, "}");
}

static void write_project(FILE *out, const struct project *project)
{
    fprintf(out, "{\"format\":\"json\",\"type\":\"animation_editor\",\"version\":1,\"data\":{"
                 "\"nodes\":[],\"animations\":[");
    for (uint32_t i = 0; i < project->animation_count; i++) {
        const struct animation *const animation = &project->animations[i];
        fprintf(out, "%s{\"animation_id\":\"%s\",\"duration\":%.17g", i > 0 ? ",\n" : "",
                animation->id, animation->duration);
        if (animation->initial_state) {
            fprintf(out, ",\"initial_state\":\"%s\"", animation->initial_state);
        }
        fprintf(out, ",\"animation_keys\":[");
        for (uint32_t j = 0; j < animation->key_count; j++) {
            fprintf(out, "%s", j > 0 ? ",\n" : "");
            write_key(out, &animation->keys[j]);
        }
        fprintf(out, "]}");
    }
    fprintf(out, "],\"metadata\":{\"fps\":60,\"template_animation_paths\":{");
    for (uint32_t i = 0; i < project->template_count; i++) {
        fprintf(out, "%s\"%s\":\"/%s\"", i > 0 ? "," : "", project->templates[i].node,
                project->templates[i].file);
    }
    fprintf(out, "}}}}");
}

// -- The importer

static struct {
    struct scene scene;
    struct report report;
    char messages[16384];
} loaded;

static struct project tested; // by the test at hand

static const char *folder; // of the templates; null where there are none

static bool load(const struct project *project)
{
    char path[512];
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    memset(&loaded, 0, sizeof loaded);
    loaded.report.out = fmemopen(loaded.messages, sizeof loaded.messages - 1, "w");
    assert_non_null(out);
    assert_non_null(loaded.report.out);
    write_project(out, project);
    fclose(out);
    snprintf(path, sizeof path, "%s/main.json", folder ? folder : ".");
    const bool is_good = import_panthera(path, text, size, &loaded.scene, &loaded.report);
    fclose(loaded.report.out);
    loaded.report.out = NULL;
    free(text);
    return is_good;
}

static void load_good(const struct project *project)
{
    if (!load(project)) {
        fail_msg("%s", loaded.report.first_error);
    }
}

static void unload(void)
{
    scene_free(&loaded.scene);
}

static const struct scene_clip *clip_of(const char *id)
{
    for (uint32_t i = 0; i < loaded.scene.clip_count; i++) {
        if (strcmp(loaded.scene.clips[i].id, id) == 0) {
            return &loaded.scene.clips[i];
        }
    }
    fail_msg("no clip '%s'", id);
    return NULL;
}

/// Returns the property of a path, UINT32_MAX where there is none.
static uint32_t property_of(const char *path)
{
    for (uint32_t i = 0; i < loaded.scene.property_count; i++) {
        if (strcmp(loaded.scene.properties[i].path, path) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

/// Returns a clip's curve of a property; null where it has none.
static const struct scene_curve *curve_of(const struct scene_clip *clip, const char *path)
{
    const uint32_t property = property_of(path);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (clip->tracks[i].property == property) {
            assert_int_equal(clip->tracks[i].path, SCENE_PROPERTY);
            return &clip->tracks[i].curve;
        }
    }
    return NULL;
}

static double value_of(const char *clip, const char *path, double time_s)
{
    const struct scene_curve *const curve = curve_of(clip_of(clip), path);
    double value;
    if (!curve) {
        fail_msg("'%s' has no %s", clip, path);
    }
    scene_curve_sample(curve, SCENE_PROPERTY, time_s, &value);
    return value;
}

static const char *text_of(const char *clip, const char *path, double time_s)
{
    const double value = value_of(clip, path, time_s);
    assert_int_equal(loaded.scene.properties[property_of(path)].type, SCENE_STRING);
    assert_true(value == floor(value) && value >= 0 && value < loaded.scene.text_count);
    return loaded.scene.texts[(uint32_t)value];
}

static void assert_value(const char *clip, const char *path, double time_s, double truth)
{
    const double value = value_of(clip, path, time_s);
    if (!(fabs(value - truth) <= 1e-7 * fmax(1, fabs(truth)))) {
        fail_msg("%s %s at %.17g is %.17g, not %.17g", clip, path, time_s, value, truth);
    }
}

/// What every curve has to be.
static void assert_curve_is_sound(const struct scene_curve *curve, double duration_s)
{
    assert_true(curve->key_count >= 2);
    assert_int_equal(curve->stride, 1);
    assert_true(curve->times[0] == -1);
    for (uint32_t i = 0; i < curve->key_count; i++) {
        assert_true(isfinite(curve->values[i]));
        assert_true(i == 0 || (curve->times[i] >= 0 && curve->times[i] > curve->times[i - 1] &&
                               curve->times[i] <= duration_s));
        if (curve->interpolations[i] == SCENE_CUBIC) {
            assert_true(isfinite(curve->out_tangents[i]) && isfinite(curve->in_tangents[i + 1]));
        }
    }
}

static void write_file(const char *name, const struct project *project)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const out = fopen(path, "w");
    assert_non_null(out);
    write_project(out, project);
    fclose(out);
}

// -- The conformance list

/// Begins a project with one animation.
static struct animation *begin(const char *id, double duration)
{
    tested = (struct project){.animation_count = 1};
    tested.animations[0].id = id;
    tested.animations[0].duration = duration;
    return &tested.animations[0];
}

static struct animation *also(const char *id, double duration)
{
    struct animation *const animation = &tested.animations[tested.animation_count++];
    animation->id = id;
    animation->duration = duration;
    return animation;
}

static struct key *add(struct animation *animation, struct key key)
{
    animation->keys[animation->key_count] = key;
    return &animation->keys[animation->key_count++];
}

static struct key *tween(struct animation *animation, double start, double duration, double from,
                         double to)
{
    return add(animation, (struct key){.node = "n",
                                       .property = "x",
                                       .start = start,
                                       .duration = duration,
                                       .from = from,
                                       .to = to});
}

static struct key *clip(struct animation *animation, const char *inner, double start,
                        double duration)
{
    return add(
        animation,
        (struct key){
            .kind = CLIP, .node = "", .property = inner, .start = start, .duration = duration});
}

static void test_panthera_1_linear_tween_goes_evenly(void **state)
{
    (void)state;
    tween(begin("a", 1), 0, 1, 100, 200);
    load_good(&tested);
    assert_value("a", "/n/x", 0, 100);
    assert_value("a", "/n/x", 0.5, 150);
    assert_value("a", "/n/x", 1, 200);
    const struct scene_curve *const curve = curve_of(clip_of("a"), "/n/x");
    assert_int_equal(curve->key_count, 3);
    assert_int_equal(curve->interpolations[1], SCENE_LINEAR);
    assert_int_equal(loaded.report.warning_count, 0);
    assert_true(loaded.scene.is_exact);
    unload();
}

static void test_panthera_2_tween_is_clamped_before_and_after(void **state)
{
    (void)state;
    tween(begin("a", 4), 1, 1, 100, 200);
    load_good(&tested);
    const double before[] = {-100, -1, -0.5, 0, 0.5, 1};
    for (int i = 0; i < 6; i++) {
        assert_value("a", "/n/x", before[i], 100);
    }
    const double after[] = {2, nextafter(2, 3), 3, 4, 100};
    for (int i = 0; i < 5; i++) {
        assert_value("a", "/n/x", after[i], 200);
    }
    assert_true(curve_of(clip_of("a"), "/n/x")->times[1] == 1); // when it starts
    unload();
}

static void test_panthera_3_zero_duration_cuts_exactly_at_its_time(void **state)
{
    (void)state;
    tween(begin("a", 1), 0.3, 0, 5, 7);
    load_good(&tested);
    assert_value("a", "/n/x", nextafter(0.3, 0), 5);
    assert_value("a", "/n/x", 0.3, 7);
    unload();
}

static void test_panthera_4_trigger_has_start_data_then_data(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    const struct key key = {.kind = TRIGGER,
                            .node = "n",
                            .property = "text",
                            .start = 0.5,
                            .start_data = "before",
                            .data = "after"};
    add(animation, key);
    struct key *const empty = add(animation, key);
    empty->start = 1;
    empty->data = NULL;
    load_good(&tested);
    assert_string_equal(text_of("a", "/n/text", -1), "before");
    assert_string_equal(text_of("a", "/n/text", nextafter(0.5, 0)), "before");
    assert_string_equal(text_of("a", "/n/text", 0.5), "after");
    assert_string_equal(text_of("a", "/n/text", nextafter(1, 0)), "after");
    assert_string_equal(text_of("a", "/n/text", 1), "");
    assert_int_equal(loaded.scene.text_count, 3);
    unload();
}

static struct key *event(struct animation *animation, double start, double duration)
{
    return add(animation, (struct key){.kind = EVENT,
                                       .node = "n",
                                       .property = "event",
                                       .start = start,
                                       .duration = duration,
                                       .event = "hit",
                                       .data = "left",
                                       .from = 10,
                                       .to = 42});
}

static void test_panthera_5_event_has_payload_and_end_value(void **state)
{
    (void)state;
    event(begin("a", 1), 0.5, 0);
    load_good(&tested);
    const struct scene_clip *const made = clip_of("a");
    assert_int_equal(made->event_count, 1);
    assert_string_equal(made->events[0].name, "hit");
    assert_string_equal(made->events[0].text, "left");
    assert_string_equal(made->events[0].target, "n");
    assert_true(made->events[0].time_s == 0.5);
    assert_true(made->events[0].duration_s == 0);
    assert_true(made->events[0].number == 42);
    assert_int_equal(made->events[0].flags, TRP_EVENT_NUMBER | TRP_EVENT_TEXT);
    assert_int_equal(made->track_count, 0);
    unload();
}

static void test_panthera_6_event_stream_goes_from_start_to_end_value(void **state)
{
    (void)state;
    event(begin("a", 1), 0.25, 0.5)->easing = trp_easing_find("inquad");
    load_good(&tested);
    const struct scene_event *const made = &clip_of("a")->events[0];
    assert_true(made->duration_s == 0.5);
    assert_true(made->from_number == 10);
    assert_true(made->number == 42);
    assert_int_equal(made->easing, trp_easing_find("inquad"));
    unload();
}

static void test_panthera_7_nested_event_is_there_once_a_clip(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 4);
    struct animation *const inner = also("b", 1);
    clip(outer, "b", 1, 2);
    clip(outer, "b", 3.5, 1);
    clip(outer, "b", 3.25, 0);
    event(inner, 0.5, 0.25);
    event(inner, 2, 0); // never comes
    load_good(&tested);
    const struct scene_clip *const made = clip_of("a");
    assert_int_equal(made->event_count, 3);
    assert_true(made->events[0].time_s == 2);
    assert_true(made->events[0].duration_s == 0.5);
    assert_true(made->events[1].time_s == 3.25);
    assert_true(made->events[1].duration_s == 0);
    assert_true(made->events[2].time_s == 4);
    assert_int_equal(clip_of("b")->event_count, 1);
    unload();
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Asserts the times of a clip's events, in the order in which they come.
static void assert_event_times(const char *id, const double *times, uint32_t count)
{
    const struct scene_clip *const made = clip_of(id);
    double found[64];
    assert_true(made->event_count <= 64);
    for (uint32_t i = 0; i < made->event_count; i++) {
        found[i] = made->events[i].time_s;
    }
    qsort(found, made->event_count, sizeof *found, compare_doubles);
    assert_int_equal(made->event_count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!(fabs(found[i] - times[i]) <= 1e-12)) {
            fail_msg("'%s' has an event at %.17g, not %.17g", id, found[i], times[i]);
        }
    }
}

#define ASSERT_EVENT_TIMES(id, ...)                                                                \
    do {                                                                                           \
        const double times[] = {__VA_ARGS__};                                                      \
        assert_event_times(id, times, sizeof times / sizeof *times);                               \
    } while (0)

static void test_panthera_events_of_a_clip_end_with_its_turn(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 4);
    struct animation *const inner = also("b", 2);
    clip(outer, "b", 0, 2);
    clip(outer, "b", 1, 2);
    event(inner, 0, 0);
    event(inner, 0.5, 5);
    event(inner, 1, 0);
    event(inner, 1.5, 0);
    event(inner, 2, 0);
    load_good(&tested);
    // The first clip has the instant between the two, and 1.5 and 2 of it never come.
    ASSERT_EVENT_TIMES("a", 0, 0.5, 1, 1, 1.5, 2, 2.5, 3);
    for (uint32_t i = 0; i < 8; i++) { // what has begun goes on
        const struct scene_event *const made = &clip_of("a")->events[i];
        assert_true(made->duration_s == (made->time_s == 0.5 || made->time_s == 1.5 ? 5 : 0) ||
                    made->time_s == 1);
    }
    unload();
    outer->keys[1].duration = 0; // shows the end from its start on, which it has at once
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 0, 0.5, 1, 1, 1, 1, 1);
    unload();
    outer->keys[1].duration = 2; // another one has turns of its own
    outer->keys[1].property = "c";
    tween(also("c", 1), 0, 1, 0, 1);
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 0, 0.5, 1, 1.5, 2);
    unload();
}

static void test_panthera_events_at_the_end_of_a_clip_survive_rounding(void **state)
{
    (void)state;
    struct animation *const top = begin("t", 1);
    struct animation *const outer = also("a", 0.7);
    struct animation *const inner = also("b", 0.3);
    clip(top, "a", 0.1, 0.9);
    clip(outer, "b", 0.1, 0.2);
    clip(outer, "b", 0.3, 0.4); // 0.1 + 0.2 is later
    event(inner, 0.3, 0);
    load_good(&tested);
    ASSERT_EVENT_TIMES("b", 0.3);
    ASSERT_EVENT_TIMES("a", 0.3, 0.7);
    ASSERT_EVENT_TIMES("t", 0.1 + 0.3 * 0.9 / 0.7, 1);
    unload();
}

/// Fourteen clips in each other: the rounding of all of them is several last places of the time.
static void test_panthera_events_deep_in_clips_come_when_keys_say(void **state)
{
    (void)state;
    enum { DEPTH = 14 };
    static const char *const ids[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                      "i", "j", "k", "l", "m", "n", "o"};
    static const double starts_s[DEPTH] = {0.1,  0.09, 0.09, 0.06, 0.01, 0.07, 0.01,
                                           0.05, 0.02, 0.03, 0.01, 0.08, 0.07, 0.06};
    static const double durations_s[DEPTH] = {1.2,  1.8,  1.76, 1.79, 1.86, 1.78, 1.86,
                                              1.83, 1.86, 1.86, 1.87, 1.78, 1.79, 1.82};
    double time_s = 0;
    double scale = 1;
    begin("a", 3);
    for (int i = 0; i < DEPTH; i++) {
        clip(&tested.animations[i], ids[i + 1], starts_s[i], durations_s[i]);
        time_s += starts_s[i] * scale;
        scale *= durations_s[i] / 1.9;
        also(ids[i + 1], 1.9);
    }
    event(&tested.animations[DEPTH], 1.9, 0);
    load_good(&tested);
    assert_int_equal(clip_of("a")->event_count, 1);
    assert_true(clip_of("a")->events[0].time_s == time_s + 1.9 * scale);
    unload();
}

static void test_panthera_events_come_only_while_every_clip_around_has_its_turn(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 8);
    struct animation *const middle = also("b", 4);
    struct animation *const inner = also("c", 2);
    clip(outer, "b", 0, 4);
    clip(outer, "b", 2.5, 4); // takes over in the second clip of the middle
    clip(middle, "c", 0, 2);
    clip(middle, "c", 1, 2);
    event(inner, 0.75, 0);
    event(inner, 1.25, 0);
    load_good(&tested);
    ASSERT_EVENT_TIMES("b", 0.75, 1.75, 2.25);
    ASSERT_EVENT_TIMES("a", 0.75, 1.75, 2.25, 3.25, 4.25, 4.75);
    unload();
    outer->keys[1].start = 1.5;
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 0.75, 2.25, 3.25, 3.75);
    unload();
}

static void test_panthera_events_inside_a_clip_at_its_end_come_no_more(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 8);
    struct animation *const middle = also("b", 1);
    struct animation *const inner = also("c", 2);
    clip(outer, "b", 1, 2);    // and stays at its end for five seconds
    clip(middle, "c", 0.5, 1); // of which the middle sees half
    event(inner, 0.5, 0);
    event(inner, 1, 0);
    event(inner, 1.5, 0);
    event(middle, 1, 0);
    load_good(&tested);
    ASSERT_EVENT_TIMES("b", 0.75, 1, 1);
    ASSERT_EVENT_TIMES("a", 2.5, 3, 3);
    unload();
}

static void test_panthera_events_come_when_an_eased_clip_reaches_them(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 4);
    struct animation *const inner = also("b", 1);
    struct key *const key = clip(outer, "b", 0, 2);
    key->easing = trp_easing_find("inquad");
    event(inner, 0.25, 0.5);
    event(inner, 1, 0);
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 1, 2);
    assert_true(clip_of("a")->events[0].duration_s == 1); // stretched as the clip
    unload();
    const double samples[5] = {0, 0.5, 0, 1.5, 0.75}; // there and back: each comes once
    key->sample_count = 5;
    memcpy(key->samples, samples, sizeof samples);
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 0.25, 1 + 1.0 / 3);
    unload();
    key->sample_count = 2; // backwards: all is past at the start
    key->samples[0] = 0.5;
    key->samples[1] = 0;
    load_good(&tested);
    ASSERT_EVENT_TIMES("a", 0);
    unload();
}

static void test_panthera_16_events_of_an_initial_state_never_come(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    struct animation *const initial = also("b", 1);
    struct animation *const nested = also("c", 1);
    animation->initial_state = "b";
    event(animation, 0.5, 0);
    event(initial, 0, 0);
    event(initial, 1, 0);
    clip(initial, "c", 0, 1);
    event(nested, 0.5, 0);
    clip(animation, "c", 1, 1);
    nested->initial_state = "b";
    load_good(&tested);
    ASSERT_EVENT_TIMES("b", 0, 0.5, 1);
    ASSERT_EVENT_TIMES("a", 0.5, 1.5);
    unload();
}

static void test_panthera_events_at_one_time_come_in_the_order_of_keys(void **state)
{
    (void)state;
    static const char *const names[] = {"p", "q", "r", "s", "t"};
    struct animation *const outer = begin("a", 2);
    struct animation *const inner = also("b", 1);
    clip(outer, "b", 0, 1);
    event(inner, 1, 0)->event = "t"; // after those of the animation itself
    event(outer, 0, 0)->event = "p";
    event(outer, 1, 2)->event = "s";              // the longer one later
    event(outer, 1, 0)->event = "r";              // of the node n
    struct key *const other = event(outer, 1, 0); // by property, then node
    other->event = "q";
    other->property = "e";
    load_good(&tested);
    const struct scene_clip *const made = clip_of("a");
    assert_int_equal(made->event_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(made->events[i].name, names[i]);
    }
    unload();
}

static void test_panthera_6_stream_goes_along_its_samples(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    for (int i = 0; i < 2; i++) { // a stream, and a moment that has nothing to go along
        struct key *const key = event(animation, 0.25, i == 0 ? 0.5 : 0);
        key->sample_count = 3;
        key->samples[1] = 2;
        key->samples[2] = 0.5;
        key->easing = trp_easing_find("inquad");
    }
    clip(also("b", 4), "a", 0, 4);
    load_good(&tested);
    for (int i = 0; i < 2; i++) {
        const struct scene_clip *const made = clip_of(i == 0 ? "a" : "b");
        for (uint32_t k = 0; k < 2; k++) {
            const struct scene_event *const stream = &made->events[k];
            const bool lasts = stream->duration_s > 0;
            assert_true((stream->samples != NULL) == lasts);
            assert_int_equal(stream->easing, TRP_EASING_LINEAR);
            assert_true(!lasts || (stream->samples->count == 3 && stream->samples->values[1] == 2));
            assert_true(k == 0 || stream->duration_s != stream[-1].duration_s);
        }
    }
    assert_int_equal(loaded.report.warning_count, 0);
    unload();
}

static void test_panthera_8_custom_easing_goes_through_its_samples(void **state)
{
    (void)state;
    struct key *const key = tween(begin("a", 1), 0, 1, 0, 100);
    const double samples[5] = {0, 1, 2, 1, 0};
    key->sample_count = 5;
    memcpy(key->samples, samples, sizeof samples);
    load_good(&tested);
    assert_value("a", "/n/x", 0, 0);
    assert_value("a", "/n/x", 0.125, 50);
    assert_value("a", "/n/x", 0.5, 200);
    assert_value("a", "/n/x", 0.875, 50);
    assert_value("a", "/n/x", 1, 0);
    unload();
    key->duration = 0.5; // then the end value counts, whatever the samples end with
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 0);
    assert_value("a", "/n/x", nextafter(0.5, 1), 100);
    assert_int_equal(curve_of(clip_of("a"), "/n/x")->interpolations[1], SCENE_SAMPLED);
    unload();
}

static void test_panthera_9_inquad_is_a_quarter_halfway(void **state)
{
    (void)state;
    tween(begin("a", 1), 0, 1, 0, 100)->easing = trp_easing_find("inquad");
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 25);
    const struct scene_curve *const curve = curve_of(clip_of("a"), "/n/x");
    assert_int_equal(curve->key_count, 3);
    assert_int_equal(curve->interpolations[1], SCENE_EASING);
    unload();
}

static void test_panthera_11_clips_are_stretched_and_take_turns(void **state)
{
    (void)state;
    struct animation *const outer = begin("a", 3);
    tween(also("b", 1), 0, 1, 100, 200);
    tween(also("c", 1), 0, 1, 500, 600);
    clip(outer, "b", 0, 0.5);
    clip(outer, "c", 1, 1);
    load_good(&tested);
    assert_value("a", "/n/x", 0, 100); // a clip at 0 has its start at once
    assert_value("a", "/n/x", 0.25, 150);
    assert_value("a", "/n/x", 0.5, 200);
    assert_value("a", "/n/x", 1, 200); // the earlier clip has the instant between them
    assert_value("a", "/n/x", nextafter(1, 2), 500);
    assert_value("a", "/n/x", 1.5, 550);
    assert_value("a", "/n/x", 3, 600);
    unload();
}

/// What is inside goes on beyond the end of the clip, which cuts it: there the curve has a corner.
static void test_panthera_11_clips_stop_at_their_end_whatever_is_inside(void **state)
{
    (void)state;
    static const char *const easings[3] = {"linear", "inquad", "outsine"};
    for (int i = 0; i < 3; i++) {
        const uint32_t easing = trp_easing_find(easings[i]);
        clip(begin("a", 2), "b", 0, 1)->easing = easing;
        tween(also("b", 1), 0, 2, 0, 100);
        load_good(&tested);
        assert_value("a", "/n/x", 0.75, 50 * trp_ease(easing, 0.75));
        assert_value("a", "/n/x", nextafter(1, 0), 50);
        assert_value("a", "/n/x", 1, 50);
        assert_value("a", "/n/x", 1.5, 50);
        const struct scene_curve *const curve = curve_of(clip_of("a"), "/n/x");
        uint32_t close_count = 0; // keys that only follow the corner
        for (uint32_t k = 0; k < curve->key_count; k++) {
            close_count += fabs(curve->times[k] - 1) < 1e-3;
        }
        assert_true(close_count <= 2);
        unload();
    }
}

static void test_panthera_12_zero_length_clip_shows_the_end_inside(void **state)
{
    (void)state;
    clip(begin("a", 2), "b", 1, 0);
    tween(also("b", 1), 0, 1, 100, 200);
    load_good(&tested);
    assert_value("a", "/n/x", nextafter(1, 0), 100);
    assert_value("a", "/n/x", 1, 200);
    unload();
}

static void test_panthera_13_templates_have_prefixes_of_both_levels(void **state)
{
    (void)state;
    static struct project middle;
    static struct project inner;
    folder = temp_folder_make();
    assert_non_null(folder);
    tween(begin("in", 1), 0, 1, 0, 10);
    inner = tested;
    clip(begin("mid", 1), "in", 0, 1)->node = "u";
    tween(&tested.animations[0], 0, 1, 50, 60);
    tested.template_count = 1;
    tested.templates[0].node = "u";
    tested.templates[0].file = "inner.json";
    middle = tested;
    clip(begin("a", 2), "mid", 0, 2)->node = "t";
    clip(&tested.animations[0], "in", 1, 1)->node = "t/u";
    tested.template_count = 1;
    tested.templates[0].node = "t";
    tested.templates[0].file = "middle.json";
    write_file("inner.json", &inner);
    write_file("middle.json", &middle);
    load_good(&tested);
    assert_int_equal(loaded.report.warning_count, 0);
    assert_value("a", "/t~1n/x", 1, 55);
    assert_value("a", "/t~1u~1n/x", 1, 5);
    assert_value("a", "/t~1u~1n/x", 1.5, 5); // of the clip that starts later
    assert_int_equal(loaded.scene.clip_count, 1);
    assert_string_equal(loaded.scene.properties[property_of("/t~1u~1n/x")].labels[0], "x");
    unload();
    assert_int_equal(temp_folder_remove(folder), 0);
    folder = NULL;
}

static void test_panthera_14_what_is_missing_is_skipped_with_a_warning(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 1);
    clip(animation, "nowhere", 0, 1);
    clip(animation, "b", 0, 1)->node = "no_template";
    animation->initial_state = "nothing";
    tween(animation, 0, 1, 0, 10);
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 5);
    assert_int_equal(loaded.report.warning_count, 2);
    assert_non_null(strstr(loaded.messages, "a: shows 2 animations that are not there"));
    assert_non_null(strstr(loaded.messages, "a: starts from 'nothing'"));
    unload();
}

static void test_panthera_15_animation_in_itself_ends_with_one_warning(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 1);
    clip(animation, "a", 0.5, 0.5);
    tween(animation, 0, 1, 0, 10);
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 5);
    assert_value("a", "/n/x", 0.625, 2.5);
    assert_int_equal(loaded.report.warning_count, 1);
    assert_non_null(strstr(loaded.messages, "panthera.nesting"));
    // The sixteenth within each other is the last one: it begins 2^-15 before the end.
    const double last_s = 1 - 0x1p-15;
    assert_value("a", "/n/x", nextafter(last_s, 2), 0);
    assert_value("a", "/n/x", 1 - 0x1p-16, 5);
    unload();
}

static void test_panthera_15_cycle_of_animations_ends(void **state)
{
    (void)state;
    struct animation *const first = begin("a", 1);
    struct animation *const second = also("b", 1);
    clip(first, "b", 0.5, 0.5);
    clip(second, "a", 0.5, 0.5);
    tween(first, 0, 1, 0, 10);
    tween(second, 0, 1, 0, 10)->property = "y";
    event(first, 0.25, 0);
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 5);
    assert_value("a", "/n/y", 0.625, 2.5);
    assert_value("a", "/n/x", 0.8125, 2.5);
    assert_value("b", "/n/x", 0.625, 2.5);
    assert_int_equal(clip_of("a")->event_count, 8); // of sixteen levels
    assert_int_equal(loaded.report.warning_count, 1);
    assert_non_null(strstr(loaded.messages, "panthera.nesting"));
    unload();
}

static void test_panthera_15_animation_in_itself_many_times_ends(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 1);
    for (int i = 0; i < MAX_KEYS - 2; i++) {
        clip(animation, "a", i / 25.0, 0.04);
    }
    tween(animation, 0, 1, 0, 10);
    event(animation, 0.01, 0);
    const clock_t start = clock();
    load_good(&tested);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    assert_value("a", "/n/x", 0, 0);
    assert_true(clip_of("a")->event_count > 1);
    assert_int_equal(loaded.report.warning_count, 2); // of the depth, and of what is kept of it
    assert_non_null(strstr(loaded.messages, "panthera.nesting"));
    assert_non_null(strstr(loaded.messages, "panthera.size"));
    unload();
}

static void test_panthera_15_cycle_over_templates_ends(void **state)
{
    (void)state;
    static struct project inner;
    folder = temp_folder_make();
    assert_non_null(folder);
    for (int i = 0; i < 2; i++) {
        // A template whose animation shows itself, or that names the project it is in.
        clip(begin("in", 1), i == 0 ? "in" : "a", 0.5, 0.5)->node = i == 0 ? "" : "back";
        tween(&tested.animations[0], 0, 1, 0, 10);
        if (i == 1) {
            tested.template_count = 1;
            tested.templates[0].node = "back";
            tested.templates[0].file = "main.json";
        }
        inner = tested;
        clip(begin("a", 2), "in", 0, 2)->node = "t";
        event(&tested.animations[0], 1, 0);
        tested.template_count = 1;
        tested.templates[0].node = "t";
        tested.templates[0].file = "inner.json";
        write_file("inner.json", &inner);
        write_file("main.json", &tested);
        load_good(&tested);
        assert_value("a", "/t~1n/x", 0.5, 2.5);
        assert_value("a", "/t~1n/x", 1.25, i == 0 ? 2.5 : 6.25);
        ASSERT_EVENT_TIMES("a", 1);
        assert_true(loaded.report.warning_count >= 1 && loaded.report.warning_count <= 2);
        unload();
    }
    assert_int_equal(temp_folder_remove(folder), 0);
    folder = NULL;
}

static void test_panthera_15_many_animations_in_each_other_end(void **state)
{
    (void)state;
    struct animation *const first = begin("a", 1);
    struct animation *const second = also("b", 1);
    struct animation *const third = also("c", 1);
    struct animation *const all[3] = {first, second, third};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            clip(all[i], all[j]->id, 0.1 * j, 0.5);
        }
        tween(all[i], 0, 1, 0, 10 + i);
    }
    load_good(&tested);
    assert_non_null(strstr(loaded.messages, "panthera.size"));
    unload();
}

/// Loads a project of as many animations, each of which has the next three times, and as many
/// events.
static void load_nests(uint32_t animation_count, uint32_t event_count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    assert_non_null(out);
    memset(&loaded, 0, sizeof loaded);
    loaded.report.out = fmemopen(loaded.messages, sizeof loaded.messages - 1, "w");
    assert_non_null(loaded.report.out);
    fprintf(out, "{\"type\":\"animation_editor\",\"version\":1,\"data\":{\"animations\":[");
    for (uint32_t i = 0; i < animation_count; i++) {
        fprintf(out, "%s{\"animation_id\":\"a%u\",\"duration\":1,\"animation_keys\":[",
                i > 0 ? "," : "", i);
        for (uint32_t k = 0; k < event_count; k++) {
            fprintf(out, "{\"key_type\":\"event\",\"property_id\":\"event\",\"event_id\":\"e\","
                         "\"easing_custom\":[0,1]},");
        }
        for (uint32_t k = 0; k < 3; k++) {
            fprintf(out,
                    "{\"key_type\":\"animation\",\"property_id\":\"a%u\",\"start_time\":%g,"
                    "\"duration\":0.25},",
                    (i + 1) % animation_count, k / 4.0);
        }
        fprintf(out, "{\"key_type\":\"tween\",\"node_id\":\"n\",\"property_id\":\"x\","
                     "\"duration\":0.5,\"end_value\":1}]}");
    }
    fprintf(out, "]}}");
    fclose(out);
    assert_true(import_panthera("./n.json", text, size, &loaded.scene, &loaded.report));
    fclose(loaded.report.out);
    free(text);
}

static void test_panthera_15_an_import_of_many_nests_has_limits(void **state)
{
    (void)state;
    load_nests(40, 0);
    assert_int_equal(loaded.scene.clip_count, 40);
    assert_non_null(strstr(loaded.messages, "panthera.size"));
    uint64_t key_count = 0;
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(loaded.scene.clips[i].track_count, 1); // its own
        key_count += loaded.scene.clips[i].tracks[0].curve.key_count;
    }
    assert_true(key_count < 1 << 23);
    unload();
}

static void test_panthera_15_events_of_an_import_have_limits(void **state)
{
    (void)state;
    load_nests(12, 100);
    uint64_t event_count = 0;
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(loaded.scene.clips[i].event_count >= 100); // its own
        event_count += loaded.scene.clips[i].event_count;
    }
    assert_true(event_count <= (1 << 20) + 12 * 100);
    assert_true(event_count > 12 * 1000); // nested ones among them
    assert_true(loaded.report.warning_count <= 12 + 1);
    unload();
}

static void test_panthera_16_initial_state_is_frozen_at_its_end(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    struct animation *const initial = also("b", 1);
    animation->initial_state = "b";
    tween(animation, 1, 1, 5, 6);
    tween(initial, 0, 1, 100, 200);
    tween(initial, 0, 2, 0, 8)->property = "y";
    load_good(&tested);
    assert_value("a", "/n/x", -1, 5); // asked for before the clip, the other one is not there
    assert_value("a", "/n/x", 0, 200);
    assert_value("a", "/n/x", nextafter(1, 0), 200);
    assert_value("a", "/n/x", 1.5, 5.5);
    assert_value("a", "/n/y", 0, 4);
    assert_value("a", "/n/y", 2, 4);
    unload();
}

static void test_panthera_17_of_two_clips_at_once_the_later_id_wins(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    clip(animation, "c", 0, 1);
    clip(animation, "b", 0, 1);
    tween(also("b", 1), 0, 1, 100, 200);
    tween(also("c", 1), 0, 1, 500, 600);
    load_good(&tested);
    assert_value("a", "/n/x", -1, 500);
    assert_value("a", "/n/x", 0, 500);
    assert_value("a", "/n/x", 0.5, 550);
    assert_value("a", "/n/x", 2, 600);
    unload();
}

static void test_panthera_18_rest_pose_that_starts_later_beats_a_running_key(void **state)
{
    (void)state;
    // The clip inside has not started its own one: what that asks for comes at the later start.
    struct animation *const animation = begin("a", 2);
    tween(animation, 0, 2, 111, 111);
    clip(animation, "b", 1, 1);
    clip(also("b", 1), "c", 0.5, 0.5);
    tween(also("c", 1), 0.5, 0.5, 777, 888);
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 111);
    assert_value("a", "/n/x", 1, 111);
    assert_value("a", "/n/x", 1.25, 777);
    unload();
}

static void test_panthera_27_of_overlapping_keys_the_later_start_wins(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 4);
    tween(animation, 0, 4, 0, 40)->easing = trp_easing_find("insine");
    tween(animation, 1, 1, 100, 200);
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, 40 * trp_ease(trp_easing_find("insine"), 0.125));
    assert_value("a", "/n/x", nextafter(1, 0), 40 * trp_ease(trp_easing_find("insine"), 0.25));
    assert_value("a", "/n/x", 1, 100);
    assert_value("a", "/n/x", 2, 200);
    assert_value("a", "/n/x", 4, 200); // though the first one is still running
    assert_true(curve_of(clip_of("a"), "/n/x")->key_count < 30);
    unload();
}

static void test_panthera_33_cycle_of_initial_states_ends(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 1);
    struct animation *const other = also("b", 1);
    animation->initial_state = "b";
    other->initial_state = "a";
    tween(animation, 0.5, 0.5, 1, 2);
    tween(other, 0, 1, 7, 8)->property = "y";
    load_good(&tested);
    assert_value("a", "/n/x", 0.25, 2);
    assert_value("a", "/n/x", 0.75, 1.5);
    assert_value("a", "/n/y", 0, 8);
    assert_int_equal(loaded.report.warning_count, 1);
    unload();
    animation->initial_state = "a";
    other->initial_state = NULL;
    load_good(&tested);
    assert_value("a", "/n/x", 0.25, 1);
    assert_int_equal(loaded.report.warning_count, 0);
    unload();
}

static void test_panthera_33_cycle_of_initial_states_in_clips_ends(void **state)
{
    (void)state;
    static const char *const ids[3] = {"a", "b", "c"};
    const clock_t start = clock();
    begin("a", 1);
    also("b", 1);
    also("c", 1);
    for (int i = 0; i < 3; i++) {
        struct animation *const animation = &tested.animations[i];
        animation->initial_state = ids[(i + 1) % 3];
        tween(animation, 0.5, 0.5, i, i + 1)->property = i == 0 ? "x" : i == 1 ? "y" : "z";
        clip(animation, ids[(i + 2) % 3], 0.25, 0.5);
        event(animation, 0.125, 0);
    }
    load_good(&tested);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    assert_value("a", "/n/y", 0, 2);
    assert_value("a", "/n/z", 0, 3);
    assert_value("a", "/n/x", 1, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(clip_of(ids[i])->event_count >= 2);
    }
    assert_non_null(strstr(loaded.messages, "panthera.nesting"));
    unload();
}

/// A key in a group that is of another kind.
static void test_panthera_keys_of_another_kind_follow_the_first_one(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 4);
    struct key other = {.node = "n", .property = "x", .start = 2, .duration = 1, .event = "e"};
    tween(animation, 0, 1, 10, 20);
    other.kind = EVENT; // has its turn, in which the property is as it was at first
    add(animation, other);
    tween(animation, 3, 1, 30, 40);
    load_good(&tested);
    assert_value("a", "/n/x", nextafter(2, 0), 20);
    assert_value("a", "/n/x", 2, 10);
    assert_value("a", "/n/x", 2.5, 10);
    assert_value("a", "/n/x", 3.5, 35);
    ASSERT_EVENT_TIMES("a", 2);
    assert_int_equal(loaded.report.warning_count, 0);
    unload();
    animation->keys[1].kind = CLIP; // likewise, from after its start on
    load_good(&tested);
    assert_value("a", "/n/x", 2, 20);
    assert_value("a", "/n/x", nextafter(2, 3), 10);
    assert_value("a", "/n/x", 3.5, 35);
    assert_int_equal(loaded.report.warning_count, 1);
    assert_non_null(strstr(loaded.messages, "a: has 1 key of another kind than the first one of "
                                            "the property, such as that at 2 s of 'x' of 'n'"));
    unload();
    animation->keys[1].kind = TRIGGER; // is read as a tween
    animation->keys[1].from = 1;
    animation->keys[1].to = 2;
    load_good(&tested);
    assert_value("a", "/n/x", 2, 1);
    assert_value("a", "/n/x", 2.5, 1.5);
    unload();
    for (int i = 0; i < 3; i++) { // and the others as triggers
        animation->keys[i].kind = i == 0 ? TRIGGER : TWEEN;
        animation->keys[i].start_data = "before";
        animation->keys[i].data = i == 0 ? "first" : i == 1 ? NULL : "third";
    }
    load_good(&tested);
    assert_string_equal(text_of("a", "/n/x", -1), "before");
    assert_string_equal(text_of("a", "/n/x", 1), "first");
    assert_string_equal(text_of("a", "/n/x", 2), "");
    assert_string_equal(text_of("a", "/n/x", 3.5), "third");
    unload();
    animation->keys[0].kind = EVENT; // then nobody sets anything
    animation->keys[0].event = "e";
    load_good(&tested);
    assert_null(curve_of(clip_of("a"), "/n/x"));
    ASSERT_EVENT_TIMES("a", 0);
    assert_int_equal(loaded.report.warning_count, 1);
    unload();
}

static void test_panthera_nested_animations_are_shown_by_keys_of_that_kind(void **state)
{
    (void)state;
    static const int kinds[3] = {TWEEN, TRIGGER, EVENT};
    for (int i = 0; i < 3; i++) {
        struct animation *const outer = begin("a", 4);
        struct animation *const inner = also("b", 1);
        tween(inner, 0, 1, 0, 10);
        event(inner, 0.75, 0);
        clip(outer, "b", 0, 2);
        clip(outer, "b", 1, 1)->kind = kinds[i]; // which the first clip goes on under
        outer->keys[1].event = "e";
        clip(outer, "b", 3, 1);
        load_good(&tested);
        assert_value("a", "/n/x", 1, 5);
        assert_value("a", "/n/x", 1.5, 7.5);
        assert_value("a", "/n/x", 3, 10);
        assert_value("a", "/n/x", 3.5, 5);
        assert_int_equal(loaded.report.warning_count, kinds[i] == EVENT ? 0 : 1);
        if (kinds[i] == EVENT) {
            ASSERT_EVENT_TIMES("a", 1, 1.5, 3.75);
        } else {
            ASSERT_EVENT_TIMES("a", 1.5, 3.75);
        }
        unload();
        outer->keys[0].kind = kinds[i]; // the first one: then none is shown
        outer->keys[0].event = "e";
        load_good(&tested);
        assert_null(curve_of(clip_of("a"), "/n/x"));
        assert_int_equal(clip_of("a")->event_count, kinds[i] == EVENT ? 2 : 0);
        unload();
    }
}

static void test_panthera_34_animation_without_duration_has_its_first_instant(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 0);
    tween(animation, 0, 0, 5, 7);
    tween(animation, 0, 1, 1, 2)->property = "y";
    tween(animation, 1, 1, 3, 4)->property = "z";
    load_good(&tested);
    assert_true(clip_of("a")->duration_s == 0);
    assert_value("a", "/n/x", -1, 5);
    assert_value("a", "/n/x", 0, 7);
    assert_value("a", "/n/y", 0, 1);
    assert_value("a", "/n/z", 0, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_curve_is_sound(&clip_of("a")->tracks[i].curve, 0);
    }
    unload();
}

static void test_panthera_36_keys_past_the_duration_are_cut(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 1);
    tween(animation, 0.5, 1, 0, 10);
    tween(animation, 2, 1, 50, 60);
    tween(animation, 2, 1, 70, 80)->property = "y";
    load_good(&tested);
    assert_true(clip_of("a")->duration_s == 1);
    assert_value("a", "/n/x", 1, 5);
    assert_value("a", "/n/x", 10, 5);
    assert_value("a", "/n/y", 1, 70);
    unload();
}

// -- Ends of easings, size, the golden table

static void test_panthera_flatten_easing_that_ends_elsewhere_does_so_at_its_end(void **state)
{
    (void)state;
    struct animation *const animation = begin("a", 2);
    tween(animation, 0, 1, 0, 1)->easing = trp_easing_find("inexpo");
    load_good(&tested);
    assert_value("a", "/n/x", 1, 0.999);
    assert_value("a", "/n/x", nextafter(1, 2), 1);
    assert_int_equal(curve_of(clip_of("a"), "/n/x")->key_count, 3);
    unload();
    animation->duration = 1; // nothing follows
    load_good(&tested);
    assert_value("a", "/n/x", 0.5, trp_ease(trp_easing_find("inexpo"), 0.5));
    assert_value("a", "/n/x", 1, 0.999);
    unload();
}

static void test_panthera_flatten_ten_thousand_keys_take_no_time(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    fprintf(out, "{\"type\":\"animation_editor\",\"version\":1,\"data\":{\"nodes\":[],"
                 "\"metadata\":{},\"animations\":[{\"animation_id\":\"a\",\"duration\":1000,"
                 "\"animation_keys\":[");
    for (int i = 0; i < COUNT; i++) {
        fprintf(out,
                "%s{\"key_type\":\"tween\",\"node_id\":\"n\",\"property_id\":\"x\","
                "\"start_time\":%.17g,\"duration\":0.1,\"easing\":\"outelastic\","
                "\"start_value\":%d,\"end_value\":%d}",
                i > 0 ? "," : "", i * 0.1, i % 7, (i + 1) % 7);
    }
    fprintf(out, "]}]}}");
    fclose(out);
    memset(&loaded, 0, sizeof loaded);
    const clock_t start = clock();
    assert_true(import_panthera("a.json", text, size, &loaded.scene, &loaded.report));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(text);
    assert_true(seconds < 1);
    assert_value("a", "/n/x", 500.05, trp_ease(trp_easing_find("outelastic"), 0.5) + 2);
    assert_true(curve_of(clip_of("a"), "/n/x")->key_count <= 2 * COUNT + 2);
    unload();
}

/// Reads a field of a line of the table, with or without quotes.
static char *field(char **at)
{
    const bool is_quoted = **at == '"';
    char *const start = *at + is_quoted;
    char *const end = start + strcspn(start, is_quoted ? "\"" : ",\n");
    *at = end + (is_quoted && *end != '\0');
    *at += **at != '\0';
    *end = '\0';
    return start;
}

static void load_golden(const char *assets, const char *name)
{
    char path[512];
    void *bytes;
    size_t size;
    memset(&loaded, 0, sizeof loaded);
    snprintf(path, sizeof path, "%s/samples/panthera/%s.json", assets, name);
    assert_true(file_read(path, &bytes, &size, &loaded.report));
    assert_true(import_panthera(path, bytes, size, &loaded.scene, &loaded.report));
    free(bytes);
}

static void test_panthera_flatten_golden_table_is_met(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    char path[512];
    char line[512];
    char file[64] = "";
    uint32_t count = 0;
    if (!assets) {
        skip();
    }
    snprintf(path, sizeof path, "%s/samples/panthera/seek_golden.csv", assets);
    FILE *const in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    while (fgets(line, sizeof line, in)) {
        char property[256];
        char *at = line;
        const char *const name = field(&at);
        const char *const id = field(&at);
        const char *const node = field(&at);
        snprintf(property, sizeof property, "/%s/%s", node, field(&at));
        const double time_s = strtod(field(&at), NULL);
        const bool is_text = *at == '"';
        const char *const value = field(&at);
        if (strcmp(file, name) != 0) {
            unload();
            load_golden(assets, name);
            snprintf(file, sizeof file, "%s", name);
        }
        if (is_text) {
            assert_string_equal(text_of(id, property, time_s), value);
        } else if (!(fabs(value_of(id, property, time_s) - strtod(value, NULL)) <= 1e-5)) {
            fail_msg("%s %s %s at %g is %.9g, not %s", name, id, property, time_s,
                     value_of(id, property, time_s), value);
        }
        count++;
    }
    fclose(in);
    unload();
    assert_int_equal(count, 1125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panthera_1_linear_tween_goes_evenly),
        cmocka_unit_test(test_panthera_2_tween_is_clamped_before_and_after),
        cmocka_unit_test(test_panthera_3_zero_duration_cuts_exactly_at_its_time),
        cmocka_unit_test(test_panthera_4_trigger_has_start_data_then_data),
        cmocka_unit_test(test_panthera_5_event_has_payload_and_end_value),
        cmocka_unit_test(test_panthera_6_event_stream_goes_from_start_to_end_value),
        cmocka_unit_test(test_panthera_7_nested_event_is_there_once_a_clip),
        cmocka_unit_test(test_panthera_events_of_a_clip_end_with_its_turn),
        cmocka_unit_test(test_panthera_events_at_the_end_of_a_clip_survive_rounding),
        cmocka_unit_test(test_panthera_events_deep_in_clips_come_when_keys_say),
        cmocka_unit_test(test_panthera_events_come_only_while_every_clip_around_has_its_turn),
        cmocka_unit_test(test_panthera_events_inside_a_clip_at_its_end_come_no_more),
        cmocka_unit_test(test_panthera_events_come_when_an_eased_clip_reaches_them),
        cmocka_unit_test(test_panthera_16_events_of_an_initial_state_never_come),
        cmocka_unit_test(test_panthera_events_at_one_time_come_in_the_order_of_keys),
        cmocka_unit_test(test_panthera_6_stream_goes_along_its_samples),
        cmocka_unit_test(test_panthera_8_custom_easing_goes_through_its_samples),
        cmocka_unit_test(test_panthera_9_inquad_is_a_quarter_halfway),
        cmocka_unit_test(test_panthera_11_clips_are_stretched_and_take_turns),
        cmocka_unit_test(test_panthera_11_clips_stop_at_their_end_whatever_is_inside),
        cmocka_unit_test(test_panthera_12_zero_length_clip_shows_the_end_inside),
        cmocka_unit_test(test_panthera_13_templates_have_prefixes_of_both_levels),
        cmocka_unit_test(test_panthera_14_what_is_missing_is_skipped_with_a_warning),
        cmocka_unit_test(test_panthera_15_animation_in_itself_ends_with_one_warning),
        cmocka_unit_test(test_panthera_15_cycle_of_animations_ends),
        cmocka_unit_test(test_panthera_15_animation_in_itself_many_times_ends),
        cmocka_unit_test(test_panthera_15_cycle_over_templates_ends),
        cmocka_unit_test(test_panthera_15_many_animations_in_each_other_end),
        cmocka_unit_test(test_panthera_15_an_import_of_many_nests_has_limits),
        cmocka_unit_test(test_panthera_15_events_of_an_import_have_limits),
        cmocka_unit_test(test_panthera_16_initial_state_is_frozen_at_its_end),
        cmocka_unit_test(test_panthera_17_of_two_clips_at_once_the_later_id_wins),
        cmocka_unit_test(test_panthera_18_rest_pose_that_starts_later_beats_a_running_key),
        cmocka_unit_test(test_panthera_27_of_overlapping_keys_the_later_start_wins),
        cmocka_unit_test(test_panthera_33_cycle_of_initial_states_ends),
        cmocka_unit_test(test_panthera_33_cycle_of_initial_states_in_clips_ends),
        cmocka_unit_test(test_panthera_keys_of_another_kind_follow_the_first_one),
        cmocka_unit_test(test_panthera_nested_animations_are_shown_by_keys_of_that_kind),
        cmocka_unit_test(test_panthera_34_animation_without_duration_has_its_first_instant),
        cmocka_unit_test(test_panthera_36_keys_past_the_duration_are_cut),
        cmocka_unit_test(test_panthera_flatten_easing_that_ends_elsewhere_does_so_at_its_end),
        cmocka_unit_test(test_panthera_flatten_ten_thousand_keys_take_no_time),
        cmocka_unit_test(test_panthera_flatten_golden_table_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
