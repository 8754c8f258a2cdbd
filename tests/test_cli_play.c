// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe events` and `troupe play` from outside, and what `info`, `sample` and `bench` say of
// events and root motion. The truth is a list of five events and a body that moves by 1 in 1 s.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <poll.h>
#include <signal.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "tiny_gltf.h"

#include "cli_program.h"

static char pack[512]; // the tiny character with events and root motion
static const char *demo;

static const char sidecar[] =
    "{\"clips\": {\"wave\": ["
    "{\"name\": \"start\", \"time\": 0, \"marker\": true},"
    "{\"name\": \"tick\", \"time\": 0.25, \"value\": 7, \"marker\": true},"
    "{\"name\": \"half\", \"time\": 0.5, \"value\": 0.5},"
    "{\"name\": \"trail\", \"time\": 0.75, \"duration\": 0.125},"
    "{\"name\": \"end\", \"time\": 1, \"value\": \"bye\"}],"
    "\"drift\": ["
    "{\"name\": \"start\", \"time\": 0, \"marker\": true},"
    "{\"name\": \"there\", \"time\": 0.5, \"marker\": true}],"
    "\"step\": ["
    "{\"name\": \"start\", \"time\": 0, \"value\": -5.0, \"marker\": true},"
    "{\"name\": \"huge\", \"time\": 0, \"value\": 1e20}]}}";

enum { EVENT_COUNT = 5 };
static const double event_times_s[EVENT_COUNT] = {0, 0.25, 0.5, 0.75, 1};
static const char *const event_names[EVENT_COUNT] = {"start", "tick", "half", "trail", "end"};

/// What is to be printed of one event that fired.
struct expected {
    double at_s;
    double cycle;
    int event;
    bool is_reverse;
};

static json_t *events_of(const char *from, const char *to, const char *loop, const char *speed,
                         const char *extra)
{
    return expect_json(run("events", pack, "--clip", "wave", "--from", from, "--to", to, "--loop",
                           loop, "--speed", speed, "--json", extra, NULL),
                       "events");
}

static void expect_events(json_t *object, const struct expected *expected, size_t count)
{
    const json_t *const events = json_object_get(object, "events");
    assert_int_equal(json_array_size(events), count);
    assert_int_equal((int)number_of(object, "count"), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *const event = json_array_get(events, i);
        assert_float_equal(number_of(event, "at_s"), expected[i].at_s, 1e-9);
        assert_float_equal(number_of(event, "cycle"), expected[i].cycle, 0);
        assert_int_equal((int)number_of(event, "event"), expected[i].event);
        assert_string_equal(string_of(event, "name"), event_names[expected[i].event]);
        assert_float_equal(number_of(event, "time_s"), event_times_s[expected[i].event], 1e-12);
        assert_int_equal(json_is_true(json_object_get(event, "is_reverse")),
                         expected[i].is_reverse);
    }
    json_decref(object);
}

/// Reads one object a line.
static json_t *expect_lines(struct outcome outcome)
{
    expect_success(&outcome);
    json_t *const lines = json_array();
    for (char *line = strtok(outcome.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        json_t *const object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        if (object == NULL) {
            fail_msg("no JSON: '%s'", line);
        }
        assert_int_equal((int)number_of(object, "schema"), 1);
        assert_string_equal(string_of(object, "verb"), "play");
        assert_int_equal((int)number_of(object, "frame"), json_array_size(lines) + 1);
        json_array_append_new(lines, object);
    }
    discard(&outcome);
    return lines;
}

static double clip_number(const json_t *frame, size_t clip, const char *key)
{
    return number_of(json_array_get(json_object_get(frame, "clips"), clip), key);
}

static double root_x(const json_t *frame)
{
    double translation[3];
    numbers_of(json_object_get(frame, "root"), "translation", translation, 3);
    return translation[0];
}

/// Counts the events of this name in all frames.
static int count_events(const json_t *lines, const char *name)
{
    int count = 0;
    size_t index = 0;
    json_t *frame = NULL;
    json_array_foreach(lines, index, frame)
    {
        size_t i = 0;
        json_t *event = NULL;
        json_array_foreach(json_object_get(frame, "events"), i, event)
        {
            count += strcmp(string_of(event, "name"), name) == 0;
        }
    }
    return count;
}

// ---- events ----

static void test_cli_events_once_through_take_in_the_end_and_not_the_start(void **state)
{
    (void)state;
    static const struct expected there[] = {
        {0.25, 0, 1, false}, {0.5, 0, 2, false}, {0.75, 0, 3, false}, {1, 0, 4, false}};
    expect_events(events_of("0", "1", "clamp", "1", NULL), there, 4);
    expect_events(events_of("0", "50", "clamp", "1", NULL), there, 4);
    expect_events(events_of("0", "0.25", "clamp", "1", NULL), there, 1);
    expect_events(events_of("0.25", "0.5", "clamp", "1", NULL), there + 1, 1);
    expect_events(events_of("0.5", "0.5", "clamp", "1", NULL), NULL, 0);
    expect_events(events_of("2", "3", "clamp", "1", NULL), NULL, 0);
    static const struct expected whole[] = {{0, 0, 0, false}, {0.25, 0, 1, false}};
    expect_events(events_of("0", "0.3", "clamp", "1", "--start"), whole, 2);
    expect_events(events_of("0.25", "0.3", "clamp", "1", "--start"), whole + 1, 1);
}

static void test_cli_events_speed_stretches_the_clock(void **state)
{
    (void)state;
    static const struct expected fast[] = {{0.125, 0, 1, false}, {0.25, 0, 2, false}};
    expect_events(events_of("0", "0.3", "clamp", "2", NULL), fast, 2);
    static const struct expected still[] = {{5, 0, 0, false}};
    expect_events(events_of("5", "6", "clamp", "0", "--start"), still, 1);
    expect_events(events_of("5", "6", "loop", "0", NULL), NULL, 0);
}

/// B58.
static void test_cli_events_backwards_fire_once_each(void **state)
{
    (void)state;
    static const struct expected from_end[] = {
        {0, 0, 4, true}, {0.25, 0, 3, true}, {0.5, 0, 2, true}, {0.75, 0, 1, true}, {1, 0, 0, true},
    };
    expect_events(events_of("0", "3", "clamp", "-1", NULL), from_end + 1, 4);
    expect_events(events_of("0", "3", "clamp", "-1", "--start"), from_end, 5);
    static const struct expected back[] = {
        {0.75, 0, 3, true}, {0.5, 0, 2, true}, {0.25, 0, 1, true}, {0, 0, 0, true}};
    expect_events(events_of("1", "0", "clamp", "1", NULL), back, 4);
    static const struct expected again[] = {
        {1.25, 1, 1, true}, {1, 1, 0, true}, {1, 0, 4, true}, {0.75, 0, 3, true}};
    expect_events(events_of("1.3", "0.7", "loop", "1", NULL), again, 4);
}

static void test_cli_events_ping_pong_fires_once_where_it_turns(void **state)
{
    (void)state;
    static const struct expected there_and_back[] = {
        {0.25, 0, 1, false}, {0.5, 0, 2, false}, {0.75, 0, 3, false},
        {1, 0, 4, false},    {1.25, 0, 3, true}, {1.5, 0, 2, true},
        {1.75, 0, 1, true},  {2, 1, 0, false},   {2.25, 1, 1, false},
    };
    json_t *const object = events_of("0", "2.25", "pingpong", "1", NULL);
    json_t *const turn = json_array_get(json_object_get(object, "events"), 3);
    json_t *const start = json_array_get(json_object_get(object, "events"), 7);
    json_object_set_new(turn, "is_reverse", json_false()); // either way is right where it turns
    json_object_set_new(start, "is_reverse", json_false());
    expect_events(object, there_and_back, 9);
}

static void test_cli_events_loop_any_number_of_times(void **state)
{
    (void)state;
    enum { LOOPS = 3000 };
    json_t *const object = events_of("0", "3000", "loop", "1", NULL);
    const json_t *const events = json_object_get(object, "events");
    assert_int_equal(json_array_size(events), LOOPS * EVENT_COUNT);
    assert_int_equal((int)number_of(object, "count"), LOOPS * EVENT_COUNT);
    double last_s = 0;
    for (size_t i = 0; i < LOOPS * EVENT_COUNT; i++) {
        const json_t *const event = json_array_get(events, i);
        const int expected = (int)(i + 1) % EVENT_COUNT;
        const double cycle = (double)((i + 1) / EVENT_COUNT);
        assert_int_equal((int)number_of(event, "event"), expected);
        assert_float_equal(number_of(event, "cycle"), cycle, 0);
        assert_float_equal(number_of(event, "at_s"), cycle + event_times_s[expected], 1e-9);
        assert_true(number_of(event, "at_s") >= last_s);
        last_s = number_of(event, "at_s");
    }
    json_decref(object);
}

/// B53.
static void test_cli_events_after_thirty_years_are_as_at_first(void **state)
{
    (void)state;
    static const struct expected late[] = {
        {999999998.25, 999999998, 1, false}, {999999998.5, 999999998, 2, false},
        {999999998.75, 999999998, 3, false}, {999999999, 999999998, 4, false},
        {999999999, 999999999, 0, false},
    };
    expect_events(events_of("999999998", "999999999", "loop", "1", NULL), late, 5);
    json_t *const object = events_of("-1e9", "1e9", "clamp", "-32768", NULL);
    assert_int_equal((int)number_of(object, "count"), 4);
    json_decref(object);
}

static void test_cli_events_of_a_part_of_the_clip(void **state)
{
    (void)state;
    static const struct expected part[] = {
        {0.05, 0, 1, false}, {0.3, 0, 2, false}, {0.45, 1, 1, false}, {0.7, 1, 2, false}};
    expect_events(events_of("0", "0.75", "loop", "1", "--range=0.2:0.6"), part, 4);
    static const struct expected rest[] = {{0.05, 0, 3, false}, {0.3, 0, 4, false}};
    expect_events(events_of("0", "9", "clamp", "1", "--range=0.7:"), rest, 2);
}

static void test_cli_events_show_what_they_carry(void **state)
{
    (void)state;
    json_t *const object = events_of("0", "1", "clamp", "1", "--start");
    assert_string_equal(string_of(object, "clip"), "wave");
    assert_string_equal(string_of(object, "loop"), "clamp");
    const json_t *const events = json_object_get(object, "events");
    const json_t *values[EVENT_COUNT];
    for (size_t i = 0; i < EVENT_COUNT; i++) {
        const json_t *const event = json_array_get(events, i);
        values[i] = json_object_get(event, "value");
        assert_float_equal(number_of(event, "duration_s"), i == 3 ? 0.125 : 0, 1e-12);
        assert_int_equal(json_is_true(json_object_get(event, "marker")), i < 2);
    }
    assert_true(json_is_null(values[0]));
    assert_true(json_is_integer(values[1]));
    assert_int_equal(json_integer_value(values[1]), 7);
    assert_true(json_is_real(values[2]));
    assert_float_equal(json_real_value(values[2]), 0.5, 0);
    assert_true(json_is_null(values[3]));
    assert_string_equal(json_string_value(values[4]), "bye");
    json_decref(object);
    struct outcome table = run("events", pack, "--clip", "wave", "--from", "0", "--to", "1", NULL);
    expect_success(&table);
    assert_int_equal(count_lines(table.out), 1 + 4 + 1);
    assert_non_null(strstr(table.out, "tick 7\n"));
    assert_non_null(strstr(table.out, "half 0.5\n"));
    assert_non_null(strstr(table.out, "trail for 0.125 s"));
    assert_non_null(strstr(table.out, "end \"bye\""));
    assert_non_null(strstr(table.out, "4 events"));
    discard(&table);
    table = run("events", pack, "--clip", "step", "--from", "0", "--to", "0.1", "--start", NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "start -5.0\n"));
    assert_non_null(strstr(table.out, "huge 1e+20\n"));
    discard(&table);
}

static void test_cli_events_bad_arguments_are_refused(void **state)
{
    (void)state;
#define EVENTS "events", pack, "--clip", "wave"
    expect_refusal(run("events", pack, "--from", "0", "--to", "1", NULL), 1, "--clip");
    expect_refusal(run(EVENTS, "--from", "0", NULL), 1, "--to");
    expect_refusal(run(EVENTS, "--to", "0", NULL), 1, "--from");
    expect_refusal(run(EVENTS, "--from", "nan", "--to", "1", NULL), 1, "'nan'");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "inf", NULL), 1, "'inf'");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1e10", NULL), 1, "--to");
    expect_refusal(run(EVENTS, "--from", "0s", "--to", "1", NULL), 1, "--from");
    expect_refusal(run(EVENTS, "--from", "0x1", "--to", "1", NULL), 1, "--from");
    expect_refusal(run(EVENTS, "--from", " 0", "--to", "1", NULL), 1, "--from");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--speed", "0x1p2", NULL), 1, "--speed");
    expect_refusal(run(EVENTS, "--clip", "wave", "--from", "0", "--to", "1", NULL), 1, "twice");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--loop", "bounce", NULL), 1,
                   "clamp, loop or pingpong, not 'bounce'");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--speed", "fast", NULL), 1, "--speed");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--speed", "1e6", NULL), 1, "--speed");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--range", "0.5", NULL), 1, "--range");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--range", "1:0.5", NULL), 1, "--range");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "--range", ":1", NULL), 1, "--range");
    expect_refusal(run(EVENTS, "--from", "0", "--to", "1", "more", NULL), 1, "one pack");
    expect_refusal(run("events", pack, "--clip", "wav", "--from", "0", "--to", "1", NULL), 3,
                   "nearest: 'wave'");
    expect_refusal(run("events", "missing.trp", "--clip", "x", "--from", "0", "--to", "1", NULL), 2,
                   "missing.trp");
#undef EVENTS
}

static void test_cli_events_endless_output_stops_where_nobody_reads(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    char *arguments[] = {(char *)program, "events", pack,     "--clip", "wave",   "--from", "0",
                         "--to",          "1e9",    "--loop", "loop",   "--json", NULL};
    expect_refusal(run_to("/dev/full", arguments), 2, "stdout");
}

// ---- play ----

static void test_cli_play_defaults_to_one_pass(void **state)
{
    (void)state;
    json_t *const lines = expect_lines(run("play", pack, "--clip", "wave", "--json", NULL));
    assert_int_equal(json_array_size(lines), 60);
    const json_t *const last = json_array_get(lines, 59);
    assert_float_equal(number_of(last, "time_s"), 1, 1e-12);
    assert_float_equal(clip_number(last, 0, "time_s"), 0, 0);
    assert_float_equal(clip_number(last, 0, "cycle"), 1, 0);
    assert_float_equal(clip_number(json_array_get(lines, 29), 0, "time_s"), 0.5, 1e-12);
    // The first frame takes in the start, the last one arrives there, by way of the end.
    assert_int_equal(count_events(lines, "start"), 2);
    assert_int_equal(count_events(lines, "tick"), 1);
    assert_int_equal(count_events(lines, "end"), 1);
    json_decref(lines);
    json_t *const turned =
        expect_lines(run("play", pack, "--clip", "wave", "--loop", "pingpong", "--json", NULL));
    assert_int_equal(json_array_size(turned), 120);
    assert_int_equal(count_events(turned, "tick"), 2);
    assert_int_equal(count_events(turned, "end"), 1);
    json_decref(turned);
}

static void test_cli_play_root_motion_is_cycles_times_one_cycle(void **state)
{
    (void)state;
    json_t *const lines =
        expect_lines(run("play", pack, "--clip", "wave", "--seconds", "25", "--json", NULL));
    assert_int_equal(json_array_size(lines), 1500);
    for (size_t i = 0; i < 1500; i++) {
        assert_float_equal(root_x(json_array_get(lines, i)), (double)(i + 1) / 60, 1e-9);
    }
    json_decref(lines);
    json_t *const back = expect_lines(
        run("play", pack, "--clip", "wave", "--seconds", "3", "--speed", "-2", "--json", NULL));
    assert_float_equal(root_x(json_array_get(back, 179)), -6, 1e-9);
    json_decref(back);
    json_t *const turned = expect_lines(run("play", pack, "--clip", "wave", "--seconds", "7.5",
                                            "--loop", "pingpong", "--json", NULL));
    assert_float_equal(root_x(json_array_get(turned, 449)), 0.5, 1e-9);
    json_decref(turned);
}

static void test_cli_play_blends_root_motion_by_weight(void **state)
{
    (void)state;
    // The body moves by 1 along x in `wave` and not at all in `step`.
    json_t *const lines =
        expect_lines(run("play", pack, "--clip", "wave", "--weight", "0.25", "--clip", "step",
                         "--weight", "0.75", "--seconds", "2", "--json", NULL));
    assert_float_equal(root_x(json_array_get(lines, 119)), 0.5, 1e-9);
    assert_float_equal(clip_number(json_array_get(lines, 0), 0, "weight"), 0.25, 0);
    const json_t *const first = json_object_get(json_array_get(lines, 0), "events");
    assert_true(json_array_size(first) >= 2);
    double weights[2] = {0};
    size_t index = 0;
    json_t *event = NULL;
    json_array_foreach(first, index, event)
    {
        weights[strcmp(string_of(event, "clip"), "step") == 0] = number_of(event, "weight");
    }
    assert_float_equal(weights[0], 0.25, 0);
    assert_float_equal(weights[1], 0.75, 0);
    json_decref(lines);
}

static void test_cli_play_frame_rates_are_exact(void **state)
{
    (void)state;
    // 2,997 frames at 29.97 are 100 s, 100 passes to the last bit; so are 30,000 at 30000/1001
    // 1,001 passes.
    json_t *const decimal = expect_lines(
        run("play", pack, "--clip", "wave", "--fps", "29.97", "--frames", "2997", "--json", NULL));
    const json_t *const last = json_array_get(decimal, 2996);
    assert_float_equal(clip_number(last, 0, "time_s"), 0, 0);
    assert_float_equal(clip_number(last, 0, "cycle"), 100, 0);
    json_decref(decimal);
    json_t *const fraction = expect_lines(run("play", pack, "--clip", "wave", "--fps", "30000/1001",
                                              "--frames", "30000", "--json", NULL));
    assert_float_equal(clip_number(json_array_get(fraction, 29999), 0, "time_s"), 0, 0);
    assert_float_equal(clip_number(json_array_get(fraction, 29999), 0, "cycle"), 1001, 0);
    json_decref(fraction);
}

static void test_cli_play_numbers_may_have_exponents(void **state)
{
    (void)state;
    static const char *const rates[] = {"60", "6e1", "0.6E+2", "+600e-1", "60e3/1e3", "6e2/10"};
    struct outcome first = run("play", pack, "--clip", "wave", "--fps", "60", "--json", NULL);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct outcome outcome = run("play", pack, "--clip", "wave", "--fps", rates[i], "--speed",
                                     "1e0", "--json", NULL);
        expect_success(&outcome);
        assert_string_equal(outcome.out, first.out);
        discard(&outcome);
    }
    discard(&first);
}

static void test_cli_play_and_events_take_speeds_alike(void **state)
{
    (void)state;
    // 0.0001 is taken as 7/65536, by which 0.25 is reached in 2341 s already, not in 2500 s.
    json_t *const events = expect_json(run("events", pack, "--clip", "wave", "--from", "0", "--to",
                                           "2350", "--speed", "0.0001", "--json", NULL),
                                       "events");
    const double speed = 7.0 / 65536;
    assert_true(number_of(events, "speed") == speed);
    assert_int_equal(json_array_size(json_object_get(events, "events")), 1);
    assert_float_equal(number_of(json_array_get(json_object_get(events, "events"), 0), "at_s"),
                       0.25 / speed, 1e-9);
    json_decref(events);
    json_t *const frame = expect_json(run("play", pack, "--clip", "wave", "--fps", "0.01",
                                          "--frames", "1", "--speed", "0.0001", "--json", NULL),
                                      "play");
    const json_t *const clip = json_array_get(json_object_get(frame, "clips"), 0);
    assert_float_equal(number_of(clip, "time_s"), 100 * speed, 1e-12);
    json_decref(frame);
}

static void test_cli_play_sync_lets_markers_meet(void **state)
{
    (void)state;
    // Markers at 0 and 0.25 in `wave`, at 0 and 0.5 in `drift`; both last a second.
    json_t *const lines =
        expect_lines(run("play", pack, "--clip", "wave", "--clip", "drift", "--sync", "--fps", "64",
                         "--seconds", "2", "--json", NULL));
    for (size_t i = 0; i < 128; i++) {
        const json_t *const frame = json_array_get(lines, i);
        const double wave_s = clip_number(frame, 0, "time_s");
        const double drift_s = wave_s < 0.25 ? 2 * wave_s : 0.5 + (wave_s - 0.25) * (2.0 / 3);
        assert_float_equal(clip_number(frame, 1, "time_s"), drift_s, 1e-6);
    }
    assert_int_equal(count_events(lines, "tick"), 2);
    assert_int_equal(count_events(lines, "there"), 2);
    json_decref(lines);
    struct outcome apart =
        run("play", pack, "--clip", "wave", "--clip", "step", "--sync", "--frames", "8", NULL);
    expect_success(&apart);
    assert_int_equal(count_lines(apart.err), 1);
    assert_non_null(strstr(apart.err, "[play.markers]"));
    discard(&apart);
}

static void test_cli_play_sync_keeps_walk_and_run_in_step(void **state)
{
    (void)state;
    if (demo == NULL) {
        skip();
    }
    json_t *const lines = expect_lines(run("play", demo, "--clip", "walk", "--clip", "run",
                                           "--sync", "--seconds", "9.3", "--json", NULL));
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *const frame = json_array_get(lines, i);
        assert_float_equal(clip_number(frame, 0, "time_s") / 1.1,
                           clip_number(frame, 1, "time_s") / 0.7, 1e-6);
    }
    // A full phase lasts 0.9 s, the average. Events of both clips; the first frame takes in the
    // start.
    assert_int_equal(count_events(lines, "step_right"), 20);
    assert_int_equal(count_events(lines, "step_left"), 22);
    json_decref(lines);
}

static void test_cli_play_lines_tell_events_and_root(void **state)
{
    (void)state;
    struct outcome outcome = run("play", pack, "--clip", "wave", "--fps", "4", NULL);
    expect_success(&outcome);
    assert_int_equal(count_lines(outcome.out), 4);
    assert_null(strchr(outcome.out, '\033'));
    assert_non_null(strstr(outcome.out, "wave 0.250 (0)  root 0.250 0.000 0.000"));
    assert_non_null(strstr(outcome.out, "[wave: tick 7]"));
    discard(&outcome);
    outcome = run("play", pack, "--clip", "step", "--frames", "1", NULL);
    expect_success(&outcome);
    assert_non_null(strstr(outcome.out, "[step: start -5.0]"));
    discard(&outcome);
}

static void test_cli_play_bad_arguments_are_refused(void **state)
{
    (void)state;
#define PLAY "play", pack, "--clip", "wave"
    expect_refusal(run("play", pack, NULL), 1, "--clip");
    expect_refusal(run("play", pack, "--weight", "1", "--clip", "wave", NULL), 1, "before it");
    expect_refusal(run(PLAY, "--weight", "-1", NULL), 1, "--weight");
    expect_refusal(run(PLAY, "--weight", "nan", NULL), 1, "--weight");
    static const char *const rates[] = {"0",   "-60",    "nan", "0x3c",  "60fps",     "1/0",
                                        "0/1", "100001", "",    "1.2.3", "60/1001/2", "1234567890",
                                        "1e",  "1e+",    "e1",  "1e99",  "1e9999999", "1e2.5"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        expect_refusal(run(PLAY, "--fps", rates[i], NULL), 1, "--fps");
    }
    expect_refusal(run(PLAY, "--speed", "inf", NULL), 1, "--speed");
    expect_refusal(run(PLAY, "--loop", "off", NULL), 1, "'off'");
    expect_refusal(run(PLAY, "--seconds", "-1", NULL), 1, "--seconds");
    expect_refusal(run(PLAY, "--frames", "1.5", NULL), 1, "--frames");
    expect_refusal(run(PLAY, "--frames", "1", "--seconds", "1", NULL), 1, "not both");
    expect_refusal(run(PLAY, "--sync", "--loop", "clamp", NULL), 1, "--sync");
    expect_refusal(run("play", pack, "--clip", "waves", NULL), 3, "nearest: 'wave'");
    expect_refusal(run("play", "missing.trp", "--clip", "wave", NULL), 2, "missing.trp");
#undef PLAY
}

/// Reads from a terminal until a text has come or nothing has for a while.
static bool read_until(int terminal, const char *text, char *seen, size_t size)
{
    size_t used = strlen(seen);
    struct pollfd waiting = {.fd = terminal, .events = POLLIN};
    while (strstr(seen, text) == NULL && used + 1 < size && poll(&waiting, 1, 20000) > 0) {
        const ssize_t count = read(terminal, seen + used, size - used - 1);
        if (count <= 0) {
            break;
        }
        used += (size_t)count;
        seen[used] = '\0';
    }
    return strstr(seen, text) != NULL;
}

static void test_cli_play_on_a_terminal_ends_with_an_interrupt(void **state)
{
    (void)state;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        skip();
    }
    const char *const name = ptsname(terminal);
    const pid_t child = fork();
    if (child == 0) {
        dup2(open(name, O_RDWR | O_NOCTTY), STDOUT_FILENO);
        execl(program, program, "play", pack, "--clip", "wave", "--seconds", "600", (char *)NULL);
        _exit(127);
    }
    static char seen[1 << 20];
    seen[0] = '\0';
    const bool has_event = read_until(terminal, "[wave: tick 7]", seen, sizeof seen);
    kill(child, SIGINT);
    const bool is_restored = read_until(terminal, "\033[?7h", seen, sizeof seen);
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    assert_true(has_event);
    assert_true(is_restored);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_non_null(strstr(seen, "\r\033[K")); // lines without events are written over
}

// ---- info, sample, bench ----

static void test_cli_info_tells_events_and_root_motion(void **state)
{
    (void)state;
    json_t *const info = expect_json(run("info", pack, "--json", NULL), "info");
    json_t *const wave = named(json_object_get(info, "clips"), "wave");
    const json_t *const events = json_object_get(wave, "events");
    assert_int_equal(json_array_size(events), EVENT_COUNT);
    for (size_t i = 0; i < EVENT_COUNT; i++) {
        const json_t *const event = json_array_get(events, i);
        assert_string_equal(string_of(event, "name"), event_names[i]);
        assert_float_equal(number_of(event, "time_s"), event_times_s[i], 1e-12);
    }
    const json_t *const root = json_object_get(wave, "root_motion");
    assert_string_equal(string_of(root, "joint"), "body");
    assert_true(json_is_false(json_object_get(root, "in_pose")));
    assert_true(number_of(root, "keys") >= 2);
    double translation[3];
    numbers_of(root, "translation_per_cycle", translation, 3);
    assert_float_equal(translation[0], 1, 1e-6);
    assert_float_equal(translation[1], 0, 0);
    assert_float_equal(translation[2], 0, 1e-6);
    assert_float_equal(number_of(root, "yaw_per_cycle_rad"), 0, 1e-6);
    assert_int_equal(json_array_size(json_object_get(root, "components")), 3);
    json_decref(info);
    struct outcome table = run("info", pack, NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "events"));
    discard(&table);
}

static void test_cli_info_tells_root_motion_to_the_last_bit(void **state)
{
    (void)state;
    void *bytes = NULL;
    size_t size = 0;
    trp_pack opened;
    trp_clip clip;
    trp_timeline timeline;
    trp_root_delta cycle;
    struct report report = {0};
    assert_true(file_read(demo, &bytes, &size, &report));
    assert_int_equal(trp_pack_open(bytes, size, &opened, NULL), TRP_OK);
    assert_int_equal(
        trp_pack_clip(&opened, trp_pack_find_clip(&opened, trp_name_hash("walk")), &clip), TRP_OK);
    const trp_timeline_args args = {.clip = &clip};
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    const trp_playhead first = trp_playhead_start(&timeline, 0);
    const trp_playhead last = trp_playhead_start(&timeline, clip.duration_s);
    const trp_root_motion_args motion = {
        .timelines = &timeline,
        .timeline_count = 1,
        .previous = &first,
        .playheads = &last,
        .playhead_count = 1,
        .deltas = &cycle,
    };
    assert_int_equal(trp_root_motion_between(&motion, NULL), TRP_OK);
    json_t *const info = expect_json(run("info", demo, "--json", NULL), "info");
    json_t *const walk = named(json_object_get(info, "clips"), "walk");
    double translation[3];
    numbers_of(json_object_get(walk, "root_motion"), "translation_per_cycle", translation, 3);
    assert_memory_equal(translation, cycle.translation, sizeof translation);
    json_decref(info);
    free(bytes);
}

static void test_cli_sample_tells_root_motion_since_the_start(void **state)
{
    (void)state;
    json_t *const object = expect_json(run("sample", pack, "--clip", "wave", "--time", "0.75",
                                           "--time", "9", "--joint", "body", "--json", NULL),
                                       "sample");
    const json_t *const samples = json_object_get(object, "samples");
    assert_float_equal(root_x(json_array_get(samples, 0)), 0.75, 1e-6);
    assert_float_equal(root_x(json_array_get(samples, 1)), 1, 1e-6);
    // The pose has it no more.
    double translation[3];
    const json_t *const joints = json_object_get(json_array_get(samples, 0), "joints");
    numbers_of(json_array_get(joints, 0), "translation", translation, 3);
    assert_float_equal(translation[0], 0, 1e-4);
    json_decref(object);
    struct outcome table = run("sample", pack, "--clip", "wave", "--time", "0.75", NULL);
    expect_success(&table);
    assert_non_null(strstr(table.out, "root motion 0.75"));
    discard(&table);
}

static void test_cli_bench_measures_playheads(void **state)
{
    (void)state;
    json_t *const object = expect_json(run("bench", pack, "--instances", "3", "--rounds", "10",
                                           "--isa", "portable", "--clip", "step", "--json", NULL),
                                       "bench");
    static const char *const operations[] = {"advance", "events", "root_motion"};
    for (int i = 0; i < 3; i++) {
        int found = 0;
        size_t index = 0;
        json_t *row = NULL;
        json_array_foreach(json_object_get(object, "rows"), index, row)
        {
            if (strcmp(string_of(row, "operation"), operations[i]) == 0 &&
                strcmp(string_of(row, "mode"), "ticks") == 0) {
                assert_int_equal((int)number_of(row, "instances"), 300);
                assert_string_equal(string_of(row, "clip"), "step");
                assert_true(number_of(row, "ns_per_pose") > 0);
                assert_true(json_is_null(json_object_get(row, "ns_per_lane")));
                found++;
            }
        }
        assert_int_equal(found, 1);
    }
    json_decref(object);
}

static int setup(void **state)
{
    (void)state;
    if (cli_program_setup() != 0) {
        return 1;
    }
    demo = getenv("TROUPE_DEMO_PACK");
    tiny_gltf_write(folder, "tiny", &(struct tiny_gltf){0});
    write_text("events.json", sidecar, sizeof sidecar - 1);
    snprintf(pack, sizeof pack, "%s/tiny.trp", folder);
    struct outcome outcome = run("compile", "--quiet", "--events", "events.json", "--root-motion",
                                 "body", "tiny.gltf", "-o", pack, NULL);
    const int exit_code = outcome.exit_code;
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
        cmocka_unit_test(test_cli_events_once_through_take_in_the_end_and_not_the_start),
        cmocka_unit_test(test_cli_events_speed_stretches_the_clock),
        cmocka_unit_test(test_cli_events_backwards_fire_once_each),
        cmocka_unit_test(test_cli_events_ping_pong_fires_once_where_it_turns),
        cmocka_unit_test(test_cli_events_loop_any_number_of_times),
        cmocka_unit_test(test_cli_events_after_thirty_years_are_as_at_first),
        cmocka_unit_test(test_cli_events_of_a_part_of_the_clip),
        cmocka_unit_test(test_cli_events_show_what_they_carry),
        cmocka_unit_test(test_cli_events_bad_arguments_are_refused),
        cmocka_unit_test(test_cli_events_endless_output_stops_where_nobody_reads),
        cmocka_unit_test(test_cli_play_defaults_to_one_pass),
        cmocka_unit_test(test_cli_play_root_motion_is_cycles_times_one_cycle),
        cmocka_unit_test(test_cli_play_blends_root_motion_by_weight),
        cmocka_unit_test(test_cli_play_frame_rates_are_exact),
        cmocka_unit_test(test_cli_play_numbers_may_have_exponents),
        cmocka_unit_test(test_cli_play_and_events_take_speeds_alike),
        cmocka_unit_test(test_cli_play_sync_lets_markers_meet),
        cmocka_unit_test(test_cli_play_sync_keeps_walk_and_run_in_step),
        cmocka_unit_test(test_cli_play_lines_tell_events_and_root),
        cmocka_unit_test(test_cli_play_bad_arguments_are_refused),
        cmocka_unit_test(test_cli_play_on_a_terminal_ends_with_an_interrupt),
        cmocka_unit_test(test_cli_info_tells_events_and_root_motion),
        cmocka_unit_test(test_cli_info_tells_root_motion_to_the_last_bit),
        cmocka_unit_test(test_cli_sample_tells_root_motion_since_the_start),
        cmocka_unit_test(test_cli_bench_measures_playheads),
    };
    return cmocka_run_group_tests_name("cli_play", tests, setup, teardown);
}
