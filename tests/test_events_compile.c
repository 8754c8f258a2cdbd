// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events on their way from source files into packs: where they come to lie on the ticks of a clip,
// what does not fit, files of events beside the sources, and what verify says of all that.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <time.h>
#include <troupe/troupe.h>

#include "compiler.h"
#include "events.h"
#include "format.h"
#include "gltf_builder.h"
#include "tiny_gltf.h"

#include "cli_program.h"

/// Returns the path of a file in the test's folder, good for seven more calls.
static const char *path_of(const char *name)
{
    static char paths[8][512];
    static int next;
    char *const path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    return cli_program_setup();
}

static int tear_down(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

/// Writes a file and returns its path.
static const char *write_file(const char *name, const char *text)
{
    write_text(name, text, strlen(text));
    return path_of(name);
}

/// Writes the tiny character (clips of 1 s, keys every half) and returns its path.
/// @param clip, events  a list for the extras of one of its clips, or null
static const char *write_tiny(const char *stem, double late, const char *clip, const char *events)
{
    char name[64];
    char head[64];
    tiny_gltf_write(folder, stem, &(struct tiny_gltf){.late = late});
    snprintf(name, sizeof name, "%s.gltf", stem);
    if (clip == NULL) {
        return path_of(name);
    }
    char *const text = read_text(path_of(name));
    snprintf(head, sizeof head, "{\"name\": \"%s\",", clip);
    char *const found = strstr(text, head);
    assert_non_null(found);
    const size_t before = (size_t)(found - text) + strlen(head);
    char *const changed = malloc(strlen(text) + strlen(events) + 64);
    sprintf(changed, "%.*s \"extras\": {\"events\": %s},%s", (int)before, text, events,
            text + before);
    write_text(name, changed, strlen(changed));
    free(changed);
    free(text);
    return path_of(name);
}

/// A compilation and what came of it.
struct compiled {
    struct report report;
    char *messages;
    size_t message_bytes;
    void *bytes;
    size_t size;
    trp_pack pack;
    bool ok;
};

static void compile(const struct compile_options *options, struct compiled *compiled)
{
    *compiled = (struct compiled){0};
    compiled->report.out = open_memstream(&compiled->messages, &compiled->message_bytes);
    compiled->ok = compile_pack(options, &compiled->bytes, &compiled->size, &compiled->report);
    fclose(compiled->report.out);
    if (compiled->ok) {
        assert_int_equal(trp_pack_open(compiled->bytes, compiled->size, &compiled->pack, NULL),
                         TRP_OK);
    }
}

static void compile_one(const struct compile_input *input, struct compiled *compiled)
{
    const struct compile_options options = {.inputs = input, .input_count = 1};
    compile(&options, compiled);
    if (!compiled->ok) {
        fail_msg("%s", compiled->report.first_error);
    }
}

static void discard_pack(struct compiled *compiled)
{
    free(compiled->messages);
    free(compiled->bytes);
}

static trp_clip clip_of(const struct compiled *compiled, const char *name)
{
    trp_clip clip;
    const uint32_t index = trp_pack_find_clip(&compiled->pack, trp_name_hash(name));
    if (index == TRP_NONE) {
        fail_msg("no clip '%s'", name);
    }
    assert_int_equal(trp_pack_clip(&compiled->pack, index, &clip), TRP_OK);
    return clip;
}

static trp_event event_of(const trp_clip *clip, uint32_t index)
{
    trp_event event;
    assert_int_equal(trp_clip_event(clip, index, &event), TRP_OK);
    return event;
}

static uint64_t phase_of(const trp_clip *clip, uint32_t index)
{
    struct trp__clip_header header;
    uint64_t phase;
    memcpy(&header, clip->bytes, sizeof header);
    assert_true(header.events_offset % 16 == 0 && header.events_offset > 0);
    memcpy(&phase,
           clip->bytes + header.events_offset + sizeof(struct trp__events_header) +
               index * sizeof phase,
           sizeof phase);
    return phase;
}

static void assert_event(const trp_clip *clip, uint32_t index, const char *name, double time_s,
                         double duration_s)
{
    const trp_event event = event_of(clip, index);
    assert_string_equal(event.name, name);
    if (!(fabs(event.time_s - time_s) < 1e-12 && fabs(event.duration_s - duration_s) < 1e-12)) {
        fail_msg("'%s' at %.17g s for %.17g s, not at %.17g s for %.17g s", name, event.time_s,
                 event.duration_s, time_s, duration_s);
    }
}

static void assert_warned(const struct compiled *compiled, uint32_t count, const char *text)
{
    if (compiled->report.warning_count != count || strstr(compiled->messages, text) == NULL) {
        fail_msg("%u warnings:\n%s", compiled->report.warning_count, compiled->messages);
    }
}

// ---- on the ticks ----

static void test_events_compile_every_payload_comes_back(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, "wave",
                           "[{\"name\":\"i\",\"time\":0.1,\"value\":-9223372036854775808},"
                           "{\"name\":\"n\",\"time\":0.2,\"value\":0.1,\"marker\":true},"
                           "{\"name\":\"t\",\"time\":0.3,\"value\":\"h\\u00e9\",\"duration\":0.25},"
                           "{\"name\":\"\\ud83d\\ude00\",\"time\":0.4},"
                           "{\"name\":\"t\",\"time\":0.5,\"value\":\"\"}]"),
    };
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip clip = clip_of(&compiled, "wave");
    assert_int_equal(clip.event_count, 5);
    assert_event(&clip, 0, "i", 0.1, 0);
    assert_event(&clip, 1, "n", 0.2, 0);
    assert_event(&clip, 2, "t", 0.3, 0.25);
    assert_event(&clip, 3, "\xf0\x9f\x98\x80", 0.4, 0);
    assert_event(&clip, 4, "t", 0.5, 0);
    static const struct {
        uint32_t flags;
        int64_t integer;
        double number;
        const char *text;
    } expected[5] = {
        {TRP_EVENT_INTEGER, INT64_MIN, 0, ""},
        {TRP_EVENT_NUMBER | TRP_EVENT_MARKER, 0, 0.1, ""},
        {TRP_EVENT_TEXT, 0, 0, "h\xc3\xa9"},
        {0, 0, 0, ""},
        {TRP_EVENT_TEXT, 0, 0, ""},
    };
    for (uint32_t i = 0; i < 5; i++) {
        const trp_event event = event_of(&clip, i);
        assert_int_equal(event.flags, expected[i].flags);
        assert_true(event.integer == expected[i].integer);
        assert_true(event.number == expected[i].number);
        assert_string_equal(event.text, expected[i].text);
        assert_true(event.name_hash == trp_name_hash(event.name));
    }
    assert_int_equal(clip_of(&compiled, "step").event_count, 0);
    discard_pack(&compiled);
}

/// Compiles events straight from a scene, since sidecar files have no streams, into a clip of a
/// second.
/// @param bytes [out] of the pack
static trp_clip clip_of_events(struct scene_event *events, uint32_t count, struct report *report,
                               void **bytes)
{
    const struct scene_clip source = {.event_count = count, .events = events};
    const struct trp__clip_header header = {
        .skeleton = TRP_NONE,
        .property_set = TRP_NONE,
        .metres_per_unit = 1,
        .rate_num = 30,
        .rate_den = 1,
        .tick_count = 30,
        .ticks_per_segment = 30,
    };
    struct pack_writer writer = {0};
    struct buffer clip_bytes = {0};
    trp_pack pack;
    trp_clip clip;
    buffer_append(&clip_bytes, &header, sizeof header);
    pack_writer_string(&writer, "");
    events_append(&writer, &source, "clip", 0, &clip_bytes, report);
    pack_writer_add_clip(&writer, &clip_bytes);
    const size_t size_bytes = pack_writer_finish(&writer, bytes);
    assert_int_equal(trp_pack_open(*bytes, size_bytes, &pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_clip(&pack, 0, &clip), TRP_OK);
    buffer_free(&clip_bytes);
    pack_writer_free(&writer);
    return clip;
}

static void test_events_compile_streams_and_targets_come_back(void **state)
{
    (void)state;
    struct scene_event events[2] = {
        {.name = "fade",
         .time_s = 0.25,
         .duration_s = 0.5,
         .flags = TRP_EVENT_NUMBER | TRP_EVENT_TEXT,
         .number = 100,
         .from_number = -0.5,
         .easing = 17,
         .text = "slow",
         .target = "panel/light"},
        {.name = "done", .time_s = 1, .text = ""},
    };
    struct report report = {0};
    void *bytes;
    const trp_clip clip = clip_of_events(events, 2, &report, &bytes);
    const trp_event fade = event_of(&clip, 0);
    assert_string_equal(fade.target, "panel/light");
    assert_string_equal(fade.text, "slow");
    assert_true(fade.number == 100 && fade.from_number == -0.5 && fade.easing == 17);
    assert_true(trp_event_value(&fade, 0) == -0.5 && trp_event_value(&fade, 1) == 100);
    const trp_event done = event_of(&clip, 1);
    assert_string_equal(done.target, "");
    assert_true(done.number == 0 && done.from_number == 0 && done.easing == 0);
    free(bytes);
}

static void test_events_compile_time_curves_are_stored_once_each(void **state)
{
    (void)state;
    double values[4][3] = {{0, 0.1, -1000}, {0, 0.1, -1000}, {0, 0.2, -1000}, {0, 0.1 + 1e-12}};
    const struct scene_samples samples[5] = {
        {3, values[0]}, {3, values[1]}, {3, values[2]}, {2, values[0]}, {2, values[3]}, // as floats
    };
    static const struct {
        double time_s;
        uint32_t samples; // of the table; 5: none
        uint32_t same_as; // an event before it in the clip; itself without
    } cases[8] = {{0, 3, 0},   {0.125, 0, 1}, {0.25, 1, 1}, {0.375, 5, 3},
                  {0.5, 2, 4}, {0.625, 4, 0}, {0.75, 0, 1}, {0.875, 5, 7}};
    struct scene_event events[8];
    for (uint32_t i = 0; i < 8; i++) {
        events[7 - i] = (struct scene_event){
            // in the scene from the last to the first
            .name = "e",
            .time_s = cases[i].time_s,
            .duration_s = 2,
            .flags = TRP_EVENT_NUMBER,
            .number = i,
            .easing = 17,
            .samples = cases[i].samples < 5 ? &samples[cases[i].samples] : NULL,
            .text = "",
        };
    }
    struct report report = {0};
    void *bytes;
    const trp_clip clip = clip_of_events(events, 8, &report, &bytes);
    assert_int_equal(report.warning_count, 1); // for all of them
    for (uint32_t i = 0; i < 8; i++) {
        const trp_event event = event_of(&clip, i);
        const bool has_samples = cases[i].samples < 5;
        assert_true(event.number == i && event.duration_s == 2);
        assert_int_equal(event.easing, has_samples ? 0 : 17);
        assert_int_equal(event.sample_count, has_samples ? samples[cases[i].samples].count : 0);
        for (uint32_t k = 0; k < event.sample_count; k++) {
            assert_true(event.samples[k] == (float)samples[cases[i].samples].values[k]);
        }
        for (uint32_t k = 0; k < i && has_samples; k++) {
            assert_int_equal(event_of(&clip, k).samples == event.samples,
                             cases[k].same_as == cases[i].same_as && cases[k].samples < 5);
        }
    }
    const struct trp__clip_header *const header = (const void *)clip.bytes;
    const struct trp__events_header *const written =
        (const void *)(clip.bytes + header->events_offset);
    assert_int_equal(written->size_bytes, 16 + 8 * 80 + (4 + 2 * 4) + 2 * (4 + 3 * 4));
    free(bytes);
}

/// A hundred thousand events that share a few curves, by pointer or by value, are sorted quickly.
static void test_events_compile_many_time_curves_take_no_time(void **state)
{
    (void)state;
    enum { COUNT = 100000, CURVES = 1000, SAMPLES = 64 };
    struct scene_samples *const samples = calloc(CURVES, sizeof *samples);
    double *const values = calloc(CURVES * SAMPLES, sizeof *values);
    struct scene_event *const events = calloc(COUNT, sizeof *events);
    for (uint32_t i = 0; i < CURVES; i++) {
        samples[i] = (struct scene_samples){SAMPLES, values + i * SAMPLES};
        values[i * SAMPLES + SAMPLES - 1] = i % 100;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        events[i] = (struct scene_event){.name = "e",
                                         .time_s = 0.5,
                                         .duration_s = 0.25,
                                         .samples = &samples[i % CURVES],
                                         .text = ""};
    }
    struct report report = {0};
    void *bytes;
    const clock_t start = clock();
    const trp_clip clip = clip_of_events(events, COUNT, &report, &bytes);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    const struct trp__clip_header *const header = (const void *)clip.bytes;
    const struct trp__events_header *const written =
        (const void *)(clip.bytes + header->events_offset);
    assert_int_equal(written->size_bytes, 16 + COUNT * 80 + 100 * (4 + SAMPLES * 4));
    for (uint32_t i = 0; i < COUNT; i += 777) {
        assert_true(event_of(&clip, i).samples[SAMPLES - 1] == (float)(i % 100));
    }
    free(bytes);
    free(events);
    free(values);
    free(samples);
}

static void test_events_compile_size_of_a_clip_counts_its_events(void **state)
{
    (void)state;
    struct compiled without;
    struct compiled with;
    compile_one(&(struct compile_input){.path = write_tiny("one", 0, NULL, NULL)}, &without);
    compile_one(&(struct compile_input){.path = write_tiny("one", 0, "wave",
                                                           "[{\"name\":\"a\",\"time\":0},"
                                                           "{\"name\":\"b\",\"time\":0}]")},
                &with);
    const trp_clip plain = clip_of(&without, "wave");
    const trp_clip clip = clip_of(&with, "wave");
    const size_t start = (plain.size_bytes + 15) / 16 * 16;
    assert_int_equal(clip.size_bytes, start + 16 + 2 * (8 + 72));
    struct trp__clip_header header;
    memcpy(&header, plain.bytes, sizeof header);
    assert_int_equal(header.events_offset, 0);
    discard_pack(&with);
    discard_pack(&without);
}

static void test_events_compile_phase_is_never_above_the_time(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, "wave",
                           "[{\"name\":\"a\",\"time\":0.3},{\"name\":\"b\",\"time\":0.7},"
                           "{\"name\":\"c\",\"time\":0.999},{\"name\":\"d\",\"time\":0.0001}]"),
    };
    struct compiled compiled;
    compile_one(&input, &compiled);
    const trp_clip clip = clip_of(&compiled, "wave");
    // In integers, of times in tenths of a millisecond.
    static const uint64_t times[4] = {1, 3000, 7000, 9990};
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t phase = times[i] * clip.rate_num * 1048576 / (clip.rate_den * 10000ull);
        assert_int_equal(phase_of(&clip, i), phase);
    }
    discard_pack(&compiled);
}

/// Writes a file with one joint that moves with so many keys, and one clip `walk`.
/// @param events  a list, or null
static const char *write_keys(const char *name, const float *times, uint32_t count,
                              const char *events)
{
    static struct gltf_builder builder;
    static float values[600][3];
    memset(&builder, 0, sizeof builder);
    for (uint32_t i = 0; i < count; i++) {
        values[i][0] = (float)(i % 7) * 0.1f;
    }
    const uint32_t input = gltf_builder_floats(&builder, 1, count, times);
    const uint32_t output = gltf_builder_floats(&builder, 3, count, values[0]);
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"hips\"}");
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"name\":\"walk\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                     "\"path\":\"translation\"}}],\"samplers\":[{\"input\":%u,\"output\":%u}],"
                     "\"extras\":{\"events\":%s}}",
                     input, output, events != NULL ? events : "[]");
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_glb(&builder, &size_bytes);
    write_text(name, (const char *)bytes, size_bytes);
    free(bytes);
    return path_of(name);
}

static void test_events_compile_event_on_a_key_has_exactly_its_tick(void **state)
{
    (void)state;
    static const struct {
        double rate;
        uint32_t first; // tick of the second key; the first is at 0
        const char *form;
    } cases[] = {
        {30, 1, "%.9g"}, {30, 29000, "%.9g"}, {60, 1, "%.6f"},
        {24, 1, "%.9g"}, {30, 1, "%.17g"},    {30000 / 1001.0, 1, "%.9g"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum { KEYS = 200 };
        float times[KEYS];
        char events[KEYS * 48] = "[";
        size_t used = 1;
        for (uint32_t key = 0; key < KEYS; key++) {
            char time[32];
            times[key] = key == 0 ? 0 : (float)((cases[i].first + key - 1) / cases[i].rate);
            snprintf(time, sizeof time, cases[i].form, (double)times[key]);
            used += (size_t)snprintf(events + used, sizeof events - used,
                                     "%s{\"name\":\"k\",\"time\":%s}", key > 0 ? "," : "", time);
        }
        strcat(events, "]");
        struct compiled compiled;
        compile_one(&(struct compile_input){.path = write_keys("keys.glb", times, KEYS, events)},
                    &compiled);
        assert_int_equal(compiled.report.warning_count, 0);
        const trp_clip clip = clip_of(&compiled, "walk");
        assert_int_equal(clip.event_count, KEYS);
        const double rate = (double)clip.rate_num / clip.rate_den;
        const uint64_t per_key = (uint64_t)(rate / cases[i].rate + 0.5);
        assert_true(fabs(rate / cases[i].rate - (double)per_key) < 1e-6);
        for (uint32_t key = 1; key < KEYS; key++) {
            const uint64_t tick = (cases[i].first + key - 1) * per_key;
            assert_int_equal(phase_of(&clip, key), tick << 20);
        }
        discard_pack(&compiled);
    }
}

static void test_events_compile_b57_event_at_an_end_stored_as_float_lies_on_it(void **state)
{
    (void)state;
    // The last one lies 0.2 ms behind the float.
    static const float ends_s[] = {4.5333f, 0.1f, 1.7f, 4.5333333f, 133.7f, 5000.0002f};
    static const char *const texts[] = {"4.5333", "0.1", "1.7", "4.5333333", "133.7", "5000.0002"};
    for (int i = 0; i < 6; i++) {
        char events[64];
        const float times[2] = {0, ends_s[i]};
        snprintf(events, sizeof events, "[{\"name\":\"end\",\"time\":%s}]", texts[i]);
        struct compiled compiled;
        compile_one(&(struct compile_input){.path = write_keys("end.glb", times, 2, events)},
                    &compiled);
        assert_int_equal(compiled.report.warning_count, 0);
        const trp_clip clip = clip_of(&compiled, "walk");
        assert_true(event_of(&clip, 0).time_s == clip.duration_s);
        assert_int_equal(phase_of(&clip, 0), (uint64_t)clip.tick_count << 20);
        discard_pack(&compiled);
    }
}

static void test_events_compile_far_from_0_only_a_part_of_a_tick_is_rounding(void **state)
{
    (void)state;
    // After 1000 s rounding as of floats is 0.03 of a tick here. The keys have no rounding.
    enum { KEYS = 241, FIRST = 128000 };
    static const double parts[] = {-0.02, -0.005, 0, 0.005, 0.02};
    float times[KEYS] = {0};
    for (uint32_t key = 1; key < KEYS; key++) {
        times[key] = (float)((FIRST + key) / 128.0);
    }
    char events[512] = "[";
    for (int i = 0; i < 5; i++) {
        const size_t used = strlen(events);
        snprintf(events + used, sizeof events - used, "%s{\"name\":\"e\",\"time\":%.17g}",
                 i > 0 ? "," : "", (FIRST + 100 + parts[i]) / 128);
    }
    strcat(events, "]");
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_keys("far.glb", times, KEYS, events)},
                &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip clip = clip_of(&compiled, "walk");
    assert_int_equal(clip.rate_num, 128);
    assert_int_equal(clip.rate_den, 1);
    const uint64_t tick = (uint64_t)(FIRST + 100) << 20;
    assert_int_equal(phase_of(&clip, 0), tick - 20972); // 0.02 * 2^20 = 20971.52
    assert_int_equal(phase_of(&clip, 1), tick);
    assert_int_equal(phase_of(&clip, 2), tick);
    assert_int_equal(phase_of(&clip, 3), tick);
    assert_int_equal(phase_of(&clip, 4), tick + 20971);
    discard_pack(&compiled);
}

static void test_events_compile_sorts_by_time_and_keeps_the_order_at_one_time(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, "wave",
                           "[{\"name\":\"d\",\"time\":0.5},{\"name\":\"b\",\"time\":0.25},"
                           "{\"name\":\"c\",\"time\":0.25},{\"name\":\"a\",\"time\":0.25},"
                           "{\"name\":\"z\",\"time\":1},{\"name\":\"y\",\"time\":0},"
                           "{\"name\":\"b\",\"time\":0.25}]"),
    };
    static const char *const order[] = {"y", "b", "c", "a", "b", "d", "z"};
    struct compiled compiled;
    compile_one(&input, &compiled);
    const trp_clip clip = clip_of(&compiled, "wave");
    assert_int_equal(clip.event_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(event_of(&clip, i).name, order[i]);
        assert_true(i == 0 || phase_of(&clip, i) >= phase_of(&clip, i - 1));
    }
    discard_pack(&compiled);
}

// ---- what does not fit ----

static void test_events_compile_after_the_end_is_moved_there(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_tiny("one", 0, "wave",
                                                           "[{\"name\":\"a\",\"time\":1.00009},"
                                                           "{\"name\":\"b\",\"time\":1.001},"
                                                           "{\"name\":\"c\",\"time\":1e308}]")},
                &compiled);
    assert_warned(&compiled, 1,
                  "one.gltf: warning: wave: event 'b' at 1.001 s of the source (and 1 more) comes "
                  "after the clip: moved to its end [events.after]");
    const trp_clip clip = clip_of(&compiled, "wave");
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(event_of(&clip, i).time_s == clip.duration_s);
        assert_int_equal(phase_of(&clip, i), (uint64_t)clip.tick_count << 20);
    }
    discard_pack(&compiled);
    const float times[2] = {0, 9000.3f};
    compile_one(&(struct compile_input){.path = write_keys("end.glb", times, 2,
                                                           "[{\"name\":\"a\",\"time\":9000.303}]")},
                &compiled);
    assert_warned(&compiled, 1, "event 'a' at 9000.303 s of the source comes after the clip");
    discard_pack(&compiled);
}

static void test_events_compile_duration_past_the_clip_stays(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_tiny(
                                            "one", 0, "wave",
                                            "[{\"name\":\"a\",\"time\":0.25,\"duration\":0.75},"
                                            "{\"name\":\"b\",\"time\":0.5,\"duration\":0.50009},"
                                            "{\"name\":\"c\",\"time\":0.75,\"duration\":1},"
                                            "{\"name\":\"d\",\"time\":1,\"duration\":1e308}]")},
                &compiled);
    assert_warned(&compiled, 1,
                  "wave: event 'c' at 0.75 s of the source (and 1 more) lasts beyond the clip: "
                  "plays only up to the end of it [events.after]");
    const trp_clip clip = clip_of(&compiled, "wave");
    assert_event(&clip, 0, "a", 0.25, 0.75);
    assert_event(&clip, 1, "b", 0.5, 0.5);
    assert_event(&clip, 2, "c", 0.75, 1);
    assert_event(&clip, 3, "d", 1, 1e9);
    discard_pack(&compiled);
}

static void test_events_compile_trim_takes_the_lead_in_off(void **state)
{
    (void)state;
    static const char events[] =
        "[{\"name\":\"a\",\"time\":2.25},{\"name\":\"b\",\"time\":1.99995},"
        "{\"name\":\"c\",\"time\":1.5,\"duration\":0.25},{\"name\":\"d\",\"time\":3,"
        "\"duration\":0}]";
    struct compile_input input = {.path = write_tiny("late", 2, "wave", events)};
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip whole = clip_of(&compiled, "wave");
    assert_event(&whole, 0, "c", 1.5, 0.25);
    assert_event(&whole, 3, "d", 3, 0);
    discard_pack(&compiled);
    input.is_trimmed = true;
    compile_one(&input, &compiled);
    assert_warned(&compiled, 1,
                  "wave: event 'c' at 1.5 s of the source comes before the clip: moved to its "
                  "start [events.before]");
    const trp_clip clip = clip_of(&compiled, "wave");
    assert_event(&clip, 0, "b", 0, 0);
    assert_event(&clip, 1, "c", 0, 0.25);
    assert_event(&clip, 2, "a", 0.25, 0);
    assert_event(&clip, 3, "d", 1, 0);
    assert_int_equal(phase_of(&clip, 0), 0);
    assert_int_equal(phase_of(&clip, 3), (uint64_t)clip.tick_count << 20);
    discard_pack(&compiled);
}

static void test_events_compile_closing_key_makes_room(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, "drift",
                           "[{\"name\":\"a\",\"time\":1},{\"name\":\"b\",\"time\":1.25},"
                           "{\"name\":\"c\",\"time\":2.5}]"),
        .loop = COMPILE_LOOP_ON,
    };
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_warned(&compiled, 1, "event 'c' at 2.5 s of the source comes after the clip");
    const trp_clip clip = clip_of(&compiled, "drift");
    assert_true(clip.duration_s == 1.5);
    assert_event(&clip, 0, "a", 1, 0);
    assert_event(&clip, 1, "b", 1.25, 0);
    assert_event(&clip, 2, "c", 1.5, 0);
    discard_pack(&compiled);
}

static void test_events_compile_single_pose_has_all_its_events_at_0(void **state)
{
    (void)state;
    const float time = 0;
    const char *const events = "[{\"name\":\"a\",\"time\":0.00005,\"duration\":0.00002},"
                               "{\"name\":\"b\",\"time\":0}]";
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_keys("pose.glb", &time, 1, events)},
                &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip clip = clip_of(&compiled, "walk");
    assert_int_equal(clip.tick_count, 0);
    assert_event(&clip, 0, "a", 0, 0);
    assert_event(&clip, 1, "b", 0, 0);
    discard_pack(&compiled);
}

static void test_events_compile_clip_that_is_left_out_takes_its_events_along(void **state)
{
    (void)state;
    struct compiled compiled;
    compile_one(
        &(struct compile_input){
            .path = write_file("still.gltf",
                               "{\"asset\":{\"version\":\"2.0\"},\"animations\":[{\"name\":"
                               "\"a\",\"channels\":[],\"samplers\":[],\"extras\":{"
                               "\"events\":[{\"name\":\"x\",\"time\":0}]}},{\"name\":\"b\","
                               "\"channels\":[],\"samplers\":[]}]}")},
        &compiled);
    assert_non_null(strstr(compiled.messages, "a: moves no joint and no property: left out, and "
                                              "its events [clip.empty]"));
    assert_non_null(
        strstr(compiled.messages, "b: moves no joint and no property: left out [clip.empty]"));
    assert_int_equal(compiled.pack.clip_count, 0);
    discard_pack(&compiled);
}

static void test_events_compile_clip_of_events_alone_is_kept_beside_joints(void **state)
{
    (void)state;
    static const char step[] = "{\"name\": \"step\",";
    static const char call[] = "{\"name\": \"call\", \"channels\": [], \"samplers\": [], "
                               "\"extras\": {\"events\": [{\"name\": \"x\", \"time\": 0}]}}, ";
    char *const text = read_text(write_tiny("one", 0, NULL, NULL));
    char *const found = strstr(text, step);
    assert_non_null(found);
    char *const changed = malloc(strlen(text) + sizeof call);
    sprintf(changed, "%.*s%s%s", (int)(found - text), text, call, found);
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_file("one.gltf", changed)}, &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip clip = clip_of(&compiled, "call");
    const trp_clip other = clip_of(&compiled, "wave");
    assert_int_equal(clip.block_count, other.block_count);
    assert_int_equal(clip.skeleton_index, other.skeleton_index);
    assert_int_equal(clip.event_count, 1);
    assert_event(&clip, 0, "x", 0, 0);
    for (uint32_t joint = 0; joint < 2; joint++) {
        for (int path = 0; path < 3; path++) {
            assert_int_equal(trp_clip_track_kind(&clip, (trp_path)path, joint), TRP_TRACK_ABSENT);
        }
    }
    discard_pack(&compiled);
    free(changed);
    free(text);
}

// ---- many ----

static char *many_events(uint32_t count)
{
    char *const text = malloc((size_t)count * 80 + 64);
    size_t used = (size_t)sprintf(text, "{\"clips\":{\"wave\":[");
    for (uint32_t i = 0; i < count; i++) {
        // Each name is one of a thousand, each text its own; 7919 is prime to 10^4.
        used += (size_t)sprintf(text + used, "%s{\"name\":\"n%u\",\"time\":%.4f,\"value\":\"t%u\"}",
                                i > 0 ? "," : "", i % 1000, (i * 7919u % 10000) / 1e4, i);
    }
    sprintf(text + used, "]}}");
    return text;
}

static void test_events_compile_ten_thousand_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    char *const text = many_events(COUNT);
    const struct compile_input input = {
        .path = write_tiny("one", 0, NULL, NULL),
        .events = write_file("many.json", text),
    };
    free(text);
    struct compiled first;
    compile_one(&input, &first);
    const trp_clip clip = clip_of(&first, "wave");
    assert_int_equal(clip.event_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char expected[32];
        const trp_event event = event_of(&clip, i);
        uint32_t source = (uint32_t)strtoul(event.text + 1, NULL, 10);
        assert_int_equal(source * 7919u % 10000, i);
        snprintf(expected, sizeof expected, "n%u", source % 1000);
        assert_string_equal(event.name, expected);
    }
    for (uint32_t jobs = 1; jobs <= 8; jobs += 7) {
        struct compiled other;
        compile(&(struct compile_options){.inputs = &input, .input_count = 1, .job_count = jobs},
                &other);
        assert_true(other.ok);
        assert_int_equal(other.size, first.size);
        assert_memory_equal(other.bytes, first.bytes, first.size);
        discard_pack(&other);
    }
    discard_pack(&first);
}

// ---- files of events ----

static void test_events_compile_file_adds_to_what_the_source_has(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, "wave", "[{\"name\":\"own\",\"time\":0.5}]"),
        .events = write_file("events.json",
                             "{\"by\":\"hand\",\"fps\":24,\"clips\":{\"wave\":[{\"name\":\"same "
                             "time\",\"frame\":12,\"value\":3},{\"name\":\"before\",\"time\":0.25},"
                             "{\"name\":\"half\",\"frame\":4.5}],"
                             "\"step\":\"[{\\\"name\\\":\\\"s\\\",\\\"frame\\\":18}]\","
                             "\"drift\":[]}}"),
    };
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    const trp_clip wave = clip_of(&compiled, "wave");
    assert_int_equal(wave.event_count, 4);
    assert_event(&wave, 0, "half", 0.1875, 0);
    assert_event(&wave, 1, "before", 0.25, 0);
    assert_event(&wave, 2, "own", 0.5, 0);
    assert_event(&wave, 3, "same time", 0.5, 0);
    assert_int_equal(event_of(&wave, 3).integer, 3);
    const trp_clip step = clip_of(&compiled, "step");
    assert_event(&step, 0, "s", 0.75, 0);
    assert_int_equal(clip_of(&compiled, "drift").event_count, 0);
    discard_pack(&compiled);
}

static void count_path(const char *path, void *user)
{
    const char *const name = strrchr(path, '/') + 1;
    uint32_t *const counts = user;
    counts[0] += strcmp(name, "a.json") == 0;
    counts[1] += strcmp(name, "b.json") == 0;
}

static void test_events_compile_files_go_to_the_inputs_they_are_for(void **state)
{
    (void)state;
    const char *const a =
        write_file("a.json", "{\"clips\":{\"wave\":[{\"name\":\"a\",\"time\":0.5}]}}");
    const char *const b = write_file("b.json", "{\"clips\":{\"step\":[{\"name\":\"b\",\"time\":1}],"
                                               "\"Wave\":[],\"jump\":[]}}");
    const struct compile_input inputs[] = {
        {.path = write_tiny("one", 0, NULL, NULL), .events = a},
        {.path = write_tiny("two", 0, NULL, NULL), .events = a},
        {.path = write_tiny("three", 0, NULL, NULL)},
        {.path = write_tiny("four", 0, NULL, NULL), .events = b},
    };
    uint32_t counts[2] = {0};
    struct compiled compiled;
    compile(&(struct compile_options){.inputs = inputs,
                                      .input_count = 4,
                                      .dependency = count_path,
                                      .dependency_user = counts},
            &compiled);
    assert_true(compiled.ok);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    static const struct {
        const char *clip;
        const char *event;
    } expected[] = {
        {"one|wave", "a"},  {"two|wave", "a"},  {"three|wave", NULL}, {"four|wave", NULL},
        {"one|step", NULL}, {"two|step", NULL}, {"three|step", NULL}, {"four|step", "b"},
    };
    for (int i = 0; i < 8; i++) {
        const trp_clip clip = clip_of(&compiled, expected[i].clip);
        assert_int_equal(clip.event_count, expected[i].event != NULL);
        if (expected[i].event != NULL) {
            assert_string_equal(event_of(&clip, 0).name, expected[i].event);
        }
    }
    assert_non_null(strstr(compiled.messages,
                           "b.json: warning: clips.Wave: no input has a clip of this name, only "
                           "'wave', 'step', 'drift' [events.clip]"));
    assert_non_null(strstr(compiled.messages, "clips.jump: no input has a clip of this name"));
    assert_null(strstr(compiled.messages, "a.json"));
    assert_null(strstr(compiled.messages, "clips.step"));
    discard_pack(&compiled);
}

static void test_events_compile_clip_without_a_name_goes_by_that_of_the_pack(void **state)
{
    (void)state;
    const char *const path = write_tiny("one", 0, NULL, NULL);
    char *const text = read_text(path);
    char *const name = strstr(text, "{\"name\": \"step\",");
    memcpy(name, "{               ", strlen("{\"name\": \"step\","));
    write_text("one.gltf", text, strlen(text));
    free(text);
    const struct compile_input input = {
        .path = path,
        .events = write_file("e.json", "{\"clips\":{\"one_1\":[{\"name\":\"a\",\"time\":0}]}}"),
    };
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_int_equal(compiled.report.warning_count, 0);
    assert_int_equal(clip_of(&compiled, "one_1").event_count, 1);
    discard_pack(&compiled);
}

static void test_events_compile_oddities_in_a_file_are_warned_of(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, NULL, NULL),
        .events =
            write_file("e.json", "{\"by\":\"hand\",\"clips\":{\"\":[],\"wave\":[{\"name\":\"a\","
                                 "\"time\":0,\"duraton\":1,\"Value\":2}]}}"),
    };
    char expected[1024];
    struct compiled compiled;
    compile_one(&input, &compiled);
    snprintf(expected, sizeof expected,
             "%s: warning: clips.wave[0]: events know no \"duraton\", \"Value\": ignored "
             "[events.member]\n%s: warning: clips: the name \"\" is that of no clip",
             input.events, input.events);
    assert_warned(&compiled, 2, expected);
    const trp_clip wave = clip_of(&compiled, "wave");
    assert_true(event_of(&wave, 0).duration_s == 0);
    discard_pack(&compiled);
}

static void test_events_compile_mistakes_in_a_file_are_refused_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *line;
    } cases[] = {
        {"", "line 1, column 0: '[' or '{' expected near end of file [json.syntax]"},
        {"\xEF\xBB\xBF{\"clips\":{}}",
         "begins with a UTF-8 byte order mark, which JSON does not allow: save it without "
         "[json.mark]"},
        {"[]", "must be an object [json.type]"},
        {"{}", "\"clips\" is missing [json.missing]"},
        {"{\"clips\":[]}", "clips: must be an object [json.type]"},
        {"{\"clips\":{\"W\":5}}",
         "clips.W: must be an array of events, or a string that holds one [json.type]"},
        {"{\"clips\":{\"W\":[],\"W\":[]}}",
         "line 1, column 20: duplicate object key near '\"W\"' [json.syntax]"},
        {"{\"fps\":0,\"clips\":{}}", "fps: is 0, but must be above 0 [event.fps]"},
        {"{\"fps\":-1,\"clips\":{}}", "fps: is -1, but must be above 0 [event.fps]"},
        {"{\"fps\":\"30\",\"clips\":{}}", "fps: must be a number [json.type]"},
        {"{\"clips\":{\"W\":[{\"name\":\"a\",\"frame\":1}]}}",
         "clips.W[0]: \"frame\" needs a file that has \"fps\", else \"time\" [event.frame]"},
        {"{\"fps\":30,\"clips\":{\"W\":[{\"name\":\"a\",\"frame\":1,\"time\":1}]}}",
         "clips.W[0]: has both \"time\" and \"frame\" [event.frame]"},
        {"{\"fps\":30,\"clips\":{\"W\":[{\"name\":\"a\",\"frame\":\"1\"}]}}",
         "clips.W[0].frame: must be a number [json.type]"},
        {"{\"fps\":30,\"clips\":{\"W\":[{\"name\":\"a\",\"frame\":-1}]}}",
         "clips.W[0].frame: is -1, but must not be negative [event.time]"},
        {"{\"fps\":1e-10,\"clips\":{\"W\":[{\"name\":\"a\",\"frame\":1e300}]}}",
         "clips.W[0].frame: is beyond any clip [event.time]"},
        {"{\"clips\":{\"W\":[{\"name\":\"a\",\"time\":0},{\"name\":\"a\",\"time\":0},"
         "{\"name\":\"a\"}]}}",
         "clips.W[2]: \"time\" is missing [json.missing]"},
        {"{\"clips\":{\"W\":[{\"name\":\"a\",\"time\":0},{\"name\":\"a\",\"time\":0},"
         "{\"name\":\"a\",\"time\":-1}]}}",
         "clips.W[2].time: is -1, but must not be negative [event.time]"},
        {"{\"clips\":{\"W\":[{\"name\":\"a\",\"time\":0,\"value\":9223372036854775808}]}}",
         "clips.W[0].value: is 9.2233720368547758e+18, an integer beyond 64 bits [event.value]"},
        {"{\"clips\":{\"W\":[{\"name\":\"a\",\"time\":0,\"value\":-1.01e300}]}}",
         "clips.W[0].value: -1.01e+300 is too large [event.value]"},
    };
    write_tiny("one", 0, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct compile_input input = {
            .path = path_of("one.gltf"),
            .events = write_file("bad.json", cases[i].text),
        };
        char expected[1024];
        struct compiled compiled;
        compile(&(struct compile_options){.inputs = &input, .input_count = 1}, &compiled);
        assert_false(compiled.ok);
        snprintf(expected, sizeof expected, "%s: error: %s", input.events, cases[i].line);
        assert_string_equal(compiled.report.first_error, expected);
        assert_int_equal(compiled.report.exit_code, TROUPE_EXIT_INPUT);
        discard_pack(&compiled);
    }
}

static void test_events_compile_file_that_is_not_there_is_an_error_of_files(void **state)
{
    (void)state;
    const struct compile_input input = {
        .path = write_tiny("one", 0, NULL, NULL),
        .events = path_of("nowhere.json"),
    };
    struct compiled compiled;
    compile(&(struct compile_options){.inputs = &input, .input_count = 1}, &compiled);
    assert_false(compiled.ok);
    assert_int_equal(compiled.report.exit_code, TROUPE_EXIT_IO);
    assert_non_null(strstr(compiled.report.first_error, "nowhere.json: error: "));
    discard_pack(&compiled);
}

// ---- one clip, several skeletons ----

/// Writes two characters, each with a skin of its own, and two clips that move both.
/// @param event of each clip
static const char *write_pair(const char *file, const char *const clips[2], const char *event)
{
    static struct gltf_builder builder;
    static const float times[2] = {0, 1};
    static const float values[6] = {0, 0, 0, 1, 0, 0};
    memset(&builder, 0, sizeof builder);
    const uint32_t input = gltf_builder_floats(&builder, 1, 2, times);
    const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"left\"}");
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"right\"}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[0]}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[1]}");
    for (int i = 0; i < 2; i++) {
        gltf_builder_add(
            &builder, GLTF_ANIMATIONS,
            "{\"name\":\"%s\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
            "\"path\":\"translation\"}},{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
            "\"translation\"}}],\"samplers\":[{\"input\":%u,\"output\":%u}],"
            "\"extras\":{\"events\":[{\"name\":\"%s\",\"time\":0.5}]}}",
            clips[i], input, output, event);
    }
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_glb(&builder, &size_bytes);
    write_text(file, (const char *)bytes, size_bytes);
    free(bytes);
    return path_of(file);
}

// ---- verify ----

/// Verifies and returns what it says of one clip.
static struct verify_clip verify_one(const struct compiled *compiled,
                                     const struct compile_input *input, const char *name, bool *ok)
{
    const struct verify_options options = {.inputs = input, .input_count = 1, .seed = 1};
    struct report report = {0};
    struct verify_clip *clips = NULL;
    struct verify_clip found = {0};
    uint32_t count = 0;
    if (!verify_pack(&options, compiled->bytes, compiled->size, &clips, &count, ok, &report)) {
        fail_msg("%s", report.first_error);
    }
    for (uint32_t i = 0; i < count; i++) {
        found = strcmp(clips[i].name, name) == 0 ? clips[i] : found;
    }
    assert_non_null(found.name);
    free(clips);
    return found;
}

static void assert_verifies(const struct compiled *compiled, const struct compile_input *input,
                            const char *name)
{
    bool ok = false;
    const struct verify_clip clip = verify_one(compiled, input, name, &ok);
    if (!ok || clip.wrong_event_count != 0) {
        fail_msg("%u wrong: %s", clip.wrong_event_count, clip.event_problem);
    }
    assert_string_equal(clip.event_problem, "");
}

static void assert_differs(const struct compiled *compiled, const struct compile_input *input,
                           const char *name, uint32_t count, const char *problem)
{
    bool ok = true;
    const struct verify_clip clip = verify_one(compiled, input, name, &ok);
    assert_false(ok);
    assert_string_equal(clip.event_problem, problem);
    assert_int_equal(clip.wrong_event_count, count);
}

static void test_events_compile_of_several_skeletons_the_first_has_the_events(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const char *clips[2];
        const char *names[4]; // of what is made of them: the left part and the right one of each
    } cases[] = {
        {"pair.glb", {"walk", "run"}, {"walk", "walk@right", "run", "run@right"}},
        {"pair.glb", {"walk", "walk"}, {"walk", "walk@right", "walk#2", "walk@right#2"}},
        {"pair.glb",
         {"walk", "walk@right"},
         {"walk", "walk@right", "walk@right#2", "walk@right@right"}},
        {"pair@left.glb", {"", "left"}, {"pair@left_0", "pair@left_0@right", "left", "left@right"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct compile_input input = {
            .path = write_pair(cases[i].file, cases[i].clips, "step"),
        };
        struct compiled compiled;
        compile_one(&input, &compiled);
        assert_int_equal(compiled.pack.clip_count, 4);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(clip_of(&compiled, cases[i].names[k]).event_count, k % 2 == 0);
            assert_verifies(&compiled, &input, cases[i].names[k]);
        }
        write_pair(cases[i].file, cases[i].clips, "jump");
        for (int k = 0; k < 4; k += 2) {
            assert_differs(&compiled, &input, cases[i].names[k], 1,
                           "event 'jump' at 0.5 s of the clip is missing");
        }
        discard_pack(&compiled);
    }
}

static void test_events_compile_parts_of_clips_of_several_files_are_told_apart(void **state)
{
    (void)state;
    static const char *const clips[2] = {"x", "b"};
    static const char *const names[] = {"x@left|x", "x@left|x@right", "b@right|b",
                                        "b@right|b@right"};
    const struct compile_input inputs[] = {
        {.path = write_pair("x@left.glb", clips, "step")},
        {.path = write_pair("b@right.glb", clips, "step")},
    };
    const struct verify_options options = {.inputs = inputs, .input_count = 2, .seed = 1};
    struct compiled compiled;
    compile(&(struct compile_options){.inputs = inputs, .input_count = 2}, &compiled);
    assert_true(compiled.ok);
    assert_int_equal(compiled.pack.clip_count, 8);
    for (int is_other = 0; is_other < 2; is_other++) {
        struct verify_clip *verified;
        uint32_t count;
        bool ok;
        struct report report = {0};
        assert_true(
            verify_pack(&options, compiled.bytes, compiled.size, &verified, &count, &ok, &report));
        assert_int_equal(ok, !is_other);
        for (uint32_t i = 0; i < 4; i++) {
            const trp_clip clip = clip_of(&compiled, names[i]);
            assert_int_equal(clip.event_count, i % 2 == 0);
            assert_int_equal(verified[clip.index].wrong_event_count, is_other && i % 2 == 0);
        }
        free(verified);
        write_pair("x@left.glb", clips, "jump");
        write_pair("b@right.glb", clips, "jump");
    }
    discard_pack(&compiled);
}

static void test_events_compile_verify_finds_its_own_events(void **state)
{
    (void)state;
    static const char events[] =
        "[{\"name\":\"a\",\"time\":2.3333},{\"name\":\"a\",\"time\":2.3333},"
        "{\"name\":\"b\",\"time\":2.3333,\"value\":5},{\"name\":\"b\",\"time\":2.3333,"
        "\"value\":5.0},{\"name\":\"c\",\"time\":0.5,\"duration\":9},{\"name\":\"d\",\"time\":9},"
        "{\"name\":\"g\",\"time\":9,\"duration\":1},"
        "{\"name\":\"h\",\"time\":2.5,\"duration\":0.50009},"
        "{\"name\":\"i\",\"time\":2.5,\"duration\":0.5002},"
        "{\"name\":\"j\",\"time\":2.5,\"duration\":1e300},"
        "{\"name\":\"e\",\"time\":2.5,\"value\":\"x\",\"duration\":0.25,\"marker\":true},"
        "{\"name\":\"f\",\"time\":2.4999999}]";
    struct compile_input input = {.path = write_tiny("late", 2, "wave", events)};
    struct compiled compiled;
    for (int i = 0; i < 4; i++) {
        input.is_trimmed = (i & 1) != 0;
        input.loop = (i & 2) != 0 ? COMPILE_LOOP_ON : COMPILE_LOOP_AUTO;
        compile_one(&input, &compiled);
        assert_verifies(&compiled, &input, "wave");
        discard_pack(&compiled);
    }
    char *const many = many_events(10000);
    input = (struct compile_input){
        .path = write_tiny("one", 0, "wave", "[{\"name\":\"a\",\"time\":0.3333}]"),
        .events = write_file("many.json", many),
    };
    free(many);
    compile_one(&input, &compiled);
    assert_verifies(&compiled, &input, "wave");
    discard_pack(&compiled);
}

static void test_events_compile_verify_tells_what_differs(void **state)
{
    (void)state;
    static const char first[] = "[{\"name\":\"a\",\"time\":0.25,\"value\":1,\"duration\":0.25},"
                                "{\"name\":\"b\",\"time\":0.75}]";
    static const struct {
        const char *events; // that the source has later
        const char *problem;
    } cases[] = {
        {"[{\"name\":\"a\",\"time\":0.2501,\"value\":1,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'a' at 0.2501 s of the clip is missing"},
        {"[{\"name\":\"A\",\"time\":0.25,\"value\":1,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'A' at 0.25 s of the clip is missing"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":2,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'a' at 0.25 s of the clip carries or lasts something else"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":1.0,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'a' at 0.25 s of the clip carries or lasts something else"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":1,\"duration\":0.7503},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'a' at 0.25 s of the clip carries or lasts something else"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":1,\"duration\":0.2501},"
         "{\"name\":\"b\",\"time\":0.75}]",
         "event 'a' at 0.25 s of the clip carries or lasts something else"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":1,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75,\"marker\":true}]",
         "event 'b' at 0.75 s of the clip carries or lasts something else"},
        {"[{\"name\":\"a\",\"time\":0.25,\"value\":1,\"duration\":0.25},"
         "{\"name\":\"b\",\"time\":0.75},{\"name\":\"b\",\"time\":0.75}]",
         "event 'b' at 0.75 s of the clip is missing"},
    };
    struct compiled compiled;
    compile_one(&(struct compile_input){.path = write_tiny("one", 0, "wave", first)}, &compiled);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct compile_input input = {.path = write_tiny("one", 0, "wave", cases[i].events)};
        assert_differs(&compiled, &input, "wave", 1, cases[i].problem);
    }
    discard_pack(&compiled);
}

static void test_events_compile_verify_asks_for_files_only_where_they_are_named(void **state)
{
    (void)state;
    const char *const own = "[{\"name\":\"own\",\"time\":0.5}]";
    const char *const right =
        write_file("right.json", "{\"clips\":{\"wave\":[{\"name\":\"x\",\"time\":0.25}]}}");
    const char *const wrong =
        write_file("wrong.json", "{\"clips\":{\"wave\":[{\"name\":\"y\",\"time\":0.25}]}}");
    struct compile_input input = {.path = write_tiny("one", 0, "wave", own), .events = right};
    struct compiled compiled;
    compile_one(&input, &compiled);
    assert_verifies(&compiled, &input, "wave");
    input.events = NULL;
    assert_verifies(&compiled, &input, "wave");
    input.events = wrong;
    assert_differs(&compiled, &input, "wave", 2, "event 'y' at 0.25 s of the clip is missing");
    input.events = write_file("none.json", "{\"clips\":{}}");
    assert_differs(&compiled, &input, "wave", 1,
                   "event 'x' at 0.25 s of the clip is not in the source");
    discard_pack(&compiled);
}

// ---- the program ----

static void assert_run(struct outcome outcome, int exit_code, const char *text)
{
    if (outcome.exit_code != exit_code ||
        (strstr(outcome.err, text) == NULL && strstr(outcome.out, text) == NULL)) {
        fail_msg("exit code %d\n%s%s", outcome.exit_code, outcome.out, outcome.err);
    }
    discard(&outcome);
}

static void test_events_compile_program_takes_and_verifies_a_file(void **state)
{
    (void)state;
    write_tiny("one", 0, "wave", "[{\"name\":\"own\",\"time\":0.5}]");
    write_tiny("two", 0, NULL, NULL);
    write_file("e.json", "{\"clips\":{\"wave\":[{\"name\":\"x\",\"time\":0.25}]}}");
    write_file("f.json", "{\"clips\":{\"wave\":[{\"name\":\"y\",\"time\":0.25}]}}");
    assert_run(run("compile", "--events", "e.json", "one.gltf", "--events", "none", "two.gltf",
                   "-o", "out.trp", "--depfile", "out.d", NULL),
               0, "");
    char *const rule = read_text(path_of("out.d"));
    assert_non_null(strstr(rule, "e.json"));
    free(rule);
    assert_run(run("verify", "out.trp", "--events", "e.json", "one.gltf", "--events", "none",
                   "two.gltf", NULL),
               0, "one|wave");
    assert_run(run("verify", "out.trp", "one.gltf", "two.gltf", "--json", NULL), 0,
               "\"wrong_events\": 0");
    assert_run(
        run("verify", "out.trp", "--events=f.json", "one.gltf", "--events=none", "two.gltf", NULL),
        4,
        "out.trp: error: one|wave: event 'y' at 0.25 s of the clip is missing (and 1 more) "
        "[verify.events]");
    assert_run(run("verify", "out.trp", "--events=f.json", "one.gltf", "two.gltf", "--json", NULL),
               4, "\"event_problem\": \"event 'y' at 0.25 s of the clip is missing\"");
    assert_run(run("verify", "out.trp", "one.gltf", "two.gltf", "--events", "e.json", NULL), 0,
               "--events changes nothing here");
    assert_run(run("verify", "out.trp", "one.gltf", "two.gltf", "--events=none",
                   "--stf-tangents=added", NULL),
               0, "verify: --stf-tangents changes nothing here");
    assert_run(run("compile", "one.gltf", "--events", "e.json", "-o", "out.trp", NULL), 0,
               "--events changes nothing here");
    assert_run(run("compile", "--events", "", "one.gltf", "-o", "out.trp", NULL), 1,
               "--events takes a file or none, not ''");
    assert_run(run("verify", "out.trp", "--events", "", "one.gltf", NULL), 1,
               "--events takes a file or none, not ''");
    write_file("bad.json", "{\"clips\":{\"wave\":[{\"name\":\"x\"}]}}");
    assert_run(run("compile", "--events", "bad.json", "one.gltf", "-o", "out.trp", NULL), 3,
               "bad.json: error: clips.wave[0]: \"time\" is missing [json.missing]");
    assert_run(run("compile", "--events", "e.json", "one.gltf", "-o", "e.json", NULL), 1,
               "'e.json' is an input too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_compile_every_payload_comes_back),
        cmocka_unit_test(test_events_compile_streams_and_targets_come_back),
        cmocka_unit_test(test_events_compile_time_curves_are_stored_once_each),
        cmocka_unit_test(test_events_compile_many_time_curves_take_no_time),
        cmocka_unit_test(test_events_compile_size_of_a_clip_counts_its_events),
        cmocka_unit_test(test_events_compile_phase_is_never_above_the_time),
        cmocka_unit_test(test_events_compile_event_on_a_key_has_exactly_its_tick),
        cmocka_unit_test(test_events_compile_b57_event_at_an_end_stored_as_float_lies_on_it),
        cmocka_unit_test(test_events_compile_far_from_0_only_a_part_of_a_tick_is_rounding),
        cmocka_unit_test(test_events_compile_sorts_by_time_and_keeps_the_order_at_one_time),
        cmocka_unit_test(test_events_compile_after_the_end_is_moved_there),
        cmocka_unit_test(test_events_compile_duration_past_the_clip_stays),
        cmocka_unit_test(test_events_compile_trim_takes_the_lead_in_off),
        cmocka_unit_test(test_events_compile_closing_key_makes_room),
        cmocka_unit_test(test_events_compile_single_pose_has_all_its_events_at_0),
        cmocka_unit_test(test_events_compile_clip_that_is_left_out_takes_its_events_along),
        cmocka_unit_test(test_events_compile_clip_of_events_alone_is_kept_beside_joints),
        cmocka_unit_test(test_events_compile_ten_thousand_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_events_compile_file_adds_to_what_the_source_has),
        cmocka_unit_test(test_events_compile_files_go_to_the_inputs_they_are_for),
        cmocka_unit_test(test_events_compile_clip_without_a_name_goes_by_that_of_the_pack),
        cmocka_unit_test(test_events_compile_oddities_in_a_file_are_warned_of),
        cmocka_unit_test(test_events_compile_mistakes_in_a_file_are_refused_where_they_are),
        cmocka_unit_test(test_events_compile_file_that_is_not_there_is_an_error_of_files),
        cmocka_unit_test(test_events_compile_of_several_skeletons_the_first_has_the_events),
        cmocka_unit_test(test_events_compile_parts_of_clips_of_several_files_are_told_apart),
        cmocka_unit_test(test_events_compile_verify_finds_its_own_events),
        cmocka_unit_test(test_events_compile_verify_tells_what_differs),
        cmocka_unit_test(test_events_compile_verify_asks_for_files_only_where_they_are_named),
        cmocka_unit_test(test_events_compile_program_takes_and_verifies_a_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
