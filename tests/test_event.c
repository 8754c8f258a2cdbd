// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events between two states of playheads. The truth is worked out the slow way: cycle by cycle, in
// whole numbers, for moments; step by step for ranges. Tests called b57 and so on are mistakes that
// other players made.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack_builder.h"

enum {
    MAX_EVENTS = 8,
    MAX_HITS = 4096,
    MAX_TICKS = 8,
    STEPS_PER_TICK = 4, // of a grid on which random moments often meet
    MAX_SPLITS = 6,
};

// -- Helpers -------------------------------------------------------------------------------------

/// A clip of 30 ticks a second with events, and the pack that it lies in.
struct fixture {
    struct pack_content *content;
    uint8_t *bytes;
    trp_pack pack;
    trp_clip clip;
};

static struct fixture fixture_make(uint32_t tick_count, const struct pack_event *events,
                                   uint32_t event_count)
{
    const struct pack_recipe recipe = {
        .seed = 1, .joint_count = 1, .clip_count = 1, .tick_count = tick_count, .is_still = true};
    struct fixture fixture = {.content = pack_content_random(&recipe)};
    struct pack_clip *const clip = &fixture.content->clips[0];
    clip->rate_num = 30;
    clip->rate_den = 1;
    clip->event_count = event_count;
    clip->events = pack_content_allocate(fixture.content, event_count * sizeof *events);
    for (uint32_t i = 0; i < event_count; i++) {
        clip->events[i] = events[i];
    }
    size_t size_bytes = 0;
    fixture.bytes = pack_write(fixture.content, &size_bytes);
    assert_int_equal(trp_pack_open(fixture.bytes, size_bytes, &fixture.pack, NULL), TRP_OK);
    assert_int_equal(trp_pack_clip(&fixture.pack, 0, &fixture.clip), TRP_OK);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    free(fixture->bytes);
    pack_content_free(fixture->content);
}

static trp_timeline timeline_make(const trp_clip *clip, trp_play_mode mode, double start_s,
                                  double end_s)
{
    trp_timeline timeline;
    const trp_timeline_args args = {.clip = clip, .mode = mode, .start_s = start_s, .end_s = end_s};
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
}

/// Moves one playhead on and returns how many events fired; they lie in `hits`.
static uint32_t advance(const trp_timeline *timeline, trp_playhead *playhead, double dt_s,
                        trp_event_hit hits[MAX_HITS])
{
    trp_playhead previous;
    const trp_playhead_args move = {
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .playheads = playhead,
        .dt_s = dt_s,
        .previous = &previous,
    };
    assert_int_equal(trp_playheads_advance(&move, NULL), TRP_OK);
    const trp_event_args args = {
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .previous = &previous,
        .playheads = playhead,
    };
    trp_event_report report;
    assert_int_equal(trp_events(&args, hits, MAX_HITS, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, 0);
    assert_int_equal(report.hit_count, report.written_count);
    return report.written_count;
}

static int64_t period_of(const trp_timeline *timeline)
{
    return timeline->mode == TRP_PLAY_PING_PONG ? 2 * timeline->length : timeline->length;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Returns a playhead at a place on the endless line of all cycles.
static trp_playhead playhead_at(const trp_timeline *timeline, int64_t x, bool is_starting)
{
    trp_playhead playhead = {.position = x, .speed = 1};
    playhead.flags = is_starting ? TRP_PLAYHEAD_STARTING : 0;
    if (timeline->mode != TRP_PLAY_CLAMP && timeline->length > 0) {
        playhead.cycle = floor_divide(x, period_of(timeline));
        playhead.position = x - playhead.cycle * period_of(timeline);
    }
    return playhead;
}

static int64_t random_between(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(pack_random(state) % (uint64_t)(high - low + 1));
}

/// Random events on a grid, ends of the clip more often than else, some several at one moment.
static uint32_t random_events(uint64_t *state, uint32_t tick_count,
                              struct pack_event events[MAX_EVENTS])
{
    const uint32_t count = (uint32_t)random_between(state, 0, MAX_EVENTS);
    const int64_t last = (int64_t)tick_count * STEPS_PER_TICK;
    int64_t steps[MAX_EVENTS];
    for (uint32_t i = 0; i < count; i++) {
        const int64_t choice = random_between(state, 0, 7);
        const int64_t step =
            choice == 0 ? 0 : (choice == 1 ? last : random_between(state, 0, last));
        uint32_t at = i;
        for (; at > 0 && steps[at - 1] > step; at--) {
            steps[at] = steps[at - 1];
        }
        steps[at] = step;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int64_t choice = random_between(state, 0, 5); // none, or past the clip
        const int64_t longest = choice < 2 ? 0 : choice < 4 ? last - steps[i] : 3 * last;
        events[i] = (struct pack_event){
            .name = "event",
            .time_s = (double)steps[i] / (30 * STEPS_PER_TICK),
            .duration_s = (double)random_between(state, 0, longest) / (30 * STEPS_PER_TICK),
        };
    }
    return count;
}

static trp_timeline random_timeline(uint64_t *state, const struct fixture *fixture)
{
    const int64_t last = fixture->clip.tick_count * STEPS_PER_TICK;
    const bool is_part = random_between(state, 0, 1) == 1;
    const int64_t start = is_part ? random_between(state, 0, last) : 0;
    const int64_t end = is_part ? random_between(state, start, last) : last;
    const double step_s = 1.0 / (30 * STEPS_PER_TICK);
    return timeline_make(&fixture->clip, (trp_play_mode)random_between(state, 0, 2),
                         (double)start * step_s, end == 0 ? DBL_MIN : (double)end * step_s);
}

/// Returns a place near an event, near an end, or anywhere, within some cycles.
static int64_t random_place(uint64_t *state, const trp_timeline *timeline, int64_t cycles)
{
    const int64_t period = period_of(timeline);
    if (period == 0) {
        return 0;
    }
    const int64_t step = timeline->units_per_tick / STEPS_PER_TICK;
    int64_t x = random_between(state, -cycles * period, cycles * period);
    if (random_between(state, 0, 3) > 0) {
        x = floor_divide(x, step) * step + random_between(state, -1, 1);
    }
    if (timeline->mode == TRP_PLAY_CLAMP) {
        x = x < 0 ? -x : x;
        x = x % (timeline->length + 1);
    }
    return x;
}

static trp_event_args args_of(const trp_timeline *timeline, const trp_playhead *previous,
                              const trp_playhead *playhead)
{
    return (trp_event_args){
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .previous = previous,
        .playheads = playhead,
    };
}

// -- Truth about moments -------------------------------------------------------------------------

/// A moment on the endless line.
struct moment {
    int64_t x;
    uint32_t event;
    bool is_back; // on the way back of a ping-pong
};

/// Lists the moments of a cycle in the order in which they come.
static uint32_t moments_of_cycle(const struct fixture *fixture, const trp_timeline *timeline,
                                 int64_t cycle, struct moment moments[2 * MAX_EVENTS])
{
    const struct pack_clip *const clip = &fixture->content->clips[0];
    const int64_t base = cycle * period_of(timeline);
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const int64_t phase = (int64_t)pack_clip_phase(clip, clip->events[i].time_s);
        const int64_t units = phase * (timeline->units_per_tick / 1048576) - timeline->start;
        if (units >= 0 && units <= timeline->length) {
            moments[count++] = (struct moment){base + units, i, false};
        }
    }
    const uint32_t there_count = timeline->mode == TRP_PLAY_PING_PONG ? count : 0;
    for (uint32_t i = there_count; i-- > 0;) {
        const int64_t units = moments[i].x - base;
        if (units > 0 && units < timeline->length) {
            moments[count++] =
                (struct moment){base + 2 * timeline->length - units, moments[i].event, true};
        }
    }
    return count;
}

/// A way on the endless line.
struct line {
    int64_t x0;
    int64_t x1;
    bool is_backward;
    bool is_starting;
};

/// Says whether a moment where a way starts is on the side that it turns to: at the seam of a loop
/// the end of one cycle and the start of the next are apart.
static bool is_ahead(const trp_timeline *timeline, const struct line *line, int64_t cycle)
{
    const int64_t period = period_of(timeline);
    if (timeline->mode != TRP_PLAY_LOOP || period == 0 || line->x0 % period != 0) {
        return true;
    }
    return cycle == line->x0 / period - line->is_backward;
}

/// Lists what fires on a way, one cycle after the other.
static uint32_t truth(const struct fixture *fixture, const trp_timeline *timeline,
                      const struct line *line, struct moment found[MAX_HITS])
{
    const int64_t period = period_of(timeline);
    const bool is_periodic = timeline->mode != TRP_PLAY_CLAMP && period > 0;
    const int64_t step = line->is_backward ? -1 : 1;
    const int64_t first = is_periodic ? floor_divide(line->x0, period) - step : 0;
    const int64_t last = is_periodic ? floor_divide(line->x1, period) + step : 0;
    uint32_t count = 0;
    for (int64_t cycle = first; step > 0 ? cycle <= last : cycle >= last; cycle += step) {
        struct moment moments[2 * MAX_EVENTS];
        const uint32_t moment_count = moments_of_cycle(fixture, timeline, cycle, moments);
        for (uint32_t i = 0; i < moment_count; i++) {
            const struct moment *const moment = &moments[step > 0 ? i : moment_count - 1 - i];
            const int64_t from_start = step * (moment->x - line->x0);
            const int64_t to_end = step * (line->x1 - moment->x);
            const bool is_start =
                from_start == 0 && line->is_starting && is_ahead(timeline, line, cycle);
            if (to_end >= 0 && (from_start > 0 || is_start)) {
                assert_true(count < MAX_HITS);
                found[count++] = *moment;
            }
        }
    }
    return count;
}

static void assert_truth(const struct fixture *fixture, const trp_timeline *timeline,
                         const struct line *line, const trp_event_hit *hits, uint32_t count)
{
    static struct moment found[MAX_HITS];
    assert_int_equal(count, truth(fixture, timeline, line, found));
    float before = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(hits[i].event, found[i].event);
        assert_int_equal(hits[i].flags,
                         found[i].is_back != line->is_backward ? TRP_EVENT_REVERSE : 0);
        assert_int_equal(hits[i].playhead, 0);
        assert_true(hits[i].weight == 1);
        const double length = (double)(line->x1 - line->x0);
        const double part = length == 0 ? 0 : (double)(found[i].x - line->x0) / length;
        assert_true(hits[i].fraction == (float)part);
        assert_true(hits[i].fraction >= before && hits[i].fraction <= 1);
        assert_true(found[i].x != line->x1 || length == 0 || hits[i].fraction == 1);
        before = hits[i].fraction;
    }
}

// -- Views ---------------------------------------------------------------------------------------

static void test_event_view_says_what_the_clip_has(void **state)
{
    (void)state;
    const float samples[3] = {-1000, 0.25f, 1000};
    const float others[2] = {0, 1};
    const struct pack_event events[6] = {
        {.name = "step", .time_s = 0, .flags = TRP_EVENT_INTEGER, .integer = INT64_MIN},
        {.name = "voice",
         .time_s = 0.5,
         .duration_s = 0.25,
         .flags = TRP_EVENT_NUMBER | TRP_EVENT_TEXT | TRP_EVENT_MARKER,
         .number = -1e300,
         .text = "hello",
         .target = "mouth",
         .from_number = 0.1,
         .easing = 40},
        {.name = "step", .time_s = 1},
        {.name = "blow", .time_s = 1, .duration_s = 1e9, .sample_count = 3, .samples = samples},
        {.name = "blow", .time_s = 1, .sample_count = 2, .samples = others},
        {.name = "blow", .time_s = 1, .duration_s = 0.5, .sample_count = 3, .samples = samples},
    };
    struct fixture fixture = fixture_make(30, events, 6);
    assert_int_equal(fixture.clip.event_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        trp_event event;
        assert_int_equal(trp_clip_event(&fixture.clip, i, &event), TRP_OK);
        assert_string_equal(event.name, events[i].name);
        assert_true(event.name_hash == trp_name_hash(events[i].name));
        assert_true(event.time_s == events[i].time_s && event.duration_s == events[i].duration_s);
        assert_int_equal(event.index, i);
        assert_int_equal(event.flags, events[i].flags);
        assert_true(event.integer == events[i].integer && event.number == events[i].number);
        assert_string_equal(event.text, events[i].text == NULL ? "" : events[i].text);
        assert_string_equal(event.target, events[i].target == NULL ? "" : events[i].target);
        assert_true(event.from_number == events[i].from_number);
        assert_int_equal(event.easing, events[i].easing);
        assert_int_equal(event.sample_count, events[i].sample_count);
        assert_true((event.samples == NULL) == (events[i].samples == NULL));
        for (uint32_t k = 0; k < event.sample_count; k++) {
            assert_true(event.samples[k] == events[i].samples[k]);
        }
    }
    const uint64_t step = trp_name_hash("step");
    assert_int_equal(trp_clip_find_event(&fixture.clip, step, 0), 0);
    assert_int_equal(trp_clip_find_event(&fixture.clip, step, 1), 2);
    assert_int_equal(trp_clip_find_event(&fixture.clip, step, 3), TRP_NONE);
    assert_int_equal(trp_clip_find_event(&fixture.clip, step, UINT32_MAX), TRP_NONE);
    assert_int_equal(trp_clip_find_event(&fixture.clip, trp_name_hash("stop"), 0), TRP_NONE);
    assert_int_equal(trp_clip_find_event(NULL, step, 0), TRP_NONE);
    fixture_free(&fixture);
}

/// The numbers of a stream, as a host asks for them with what trp_event_ranges found.
static void test_event_value_goes_along_its_easing(void **state)
{
    (void)state;
    trp_event event = {.number = 0.3, .from_number = -0.1};
    for (event.easing = 0; event.easing < TRP_EASING_COUNT; event.easing++) {
        for (int i = -2; i <= 12; i++) {
            const double part = trp_ease(event.easing, i / 10.0);
            assert_true(fabs(trp_event_value(&event, i / 10.0) - (-0.1 + 0.4 * part)) < 1e-15);
        }
        assert_true(trp_event_value(&event, (double)NAN) == trp_event_value(&event, 0));
    }
    event.easing = TRP_EASING_LINEAR;
    assert_true(trp_event_value(&event, 0) == -0.1);
    assert_true(trp_event_value(&event, 1) == 0.3); // bit for bit, whatever -0.1 + 0.4 is
    event.easing = trp_easing_find("inexpo");
    assert_true(fabs(trp_event_value(&event, 1) - (-0.1 + 0.4 * 0.999)) < 1e-15);
    assert_true(trp_event_value(NULL, 1) == 0);
}

static void test_event_value_goes_along_its_samples(void **state)
{
    (void)state;
    static const float samples[5] = {0.5f, 1, 2, 1, 0.25f};
    static const float to_the_end[2] = {0, 1};
    trp_event event = {.number = 100, .sample_count = 5, .samples = samples};
    const struct {
        double progress;
        double value;
    } cases[] = {
        {-1, 50},     {0, 50},     {0.125, 75}, {0.25, 100}, {0.5, 200},
        {0.625, 150}, {0.75, 100}, {1, 25},     {7, 25},     {(double)NAN, 50},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(trp_event_value(&event, cases[i].progress) == cases[i].value);
    }
    event =
        (trp_event){.number = 0.3, .from_number = -0.1, .sample_count = 2, .samples = to_the_end};
    assert_true(trp_event_value(&event, 1) == 0.3); // bit for bit
}

static void test_event_value_between_the_largest_numbers_is_finite(void **state)
{
    (void)state;
    static const float wild[2] = {-1000, 1000};
    trp_event event = {.number = 1e300, .from_number = -1e300};
    assert_true(trp_event_value(&event, 0) == -1e300 && trp_event_value(&event, 0.5) == 0);
    event.samples = wild;
    event.sample_count = 2;
    for (int i = 0; i <= 10; i++) {
        assert_true(isfinite(trp_event_value(&event, i / 10.0)));
    }
}

static void test_event_view_of_nothing_is_refused(void **state)
{
    (void)state;
    struct fixture fixture = fixture_make(30, NULL, 0);
    trp_event event;
    memset(&event, 0xA5, sizeof event);
    const trp_event before = event;
    assert_int_equal(fixture.clip.event_count, 0);
    assert_int_equal(trp_clip_event(&fixture.clip, 0, &event), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_event(NULL, 0, &event), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_event(&(trp_clip){.event_count = 1}, 0, &event), TRP_ERROR_ARGUMENT);
    assert_memory_equal(&event, &before, sizeof event);
    assert_int_equal(trp_clip_event(&fixture.clip, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_find_event(&fixture.clip, trp_name_hash("event"), 0), TRP_NONE);
    fixture_free(&fixture);
}

// -- Cases ---------------------------------------------------------------------------------------

/// An event at the end of its clip, whose time went through a float.
static void test_event_b57_at_the_very_end_fires_once(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    static const uint32_t tick_counts[] = {136, 1, 7, 100, 299, 86399};
    for (uint32_t i = 0; i < sizeof tick_counts / sizeof tick_counts[0]; i++) {
        const double end_s = tick_counts[i] / 30.0; // 136: 4.5333...
        const double times_s[3] = {end_s, fmin((float)end_s, end_s), nextafter(end_s, 0)};
        for (uint32_t k = 0; k < 3; k++) {
            const struct pack_event event = {.name = "end", .time_s = times_s[k]};
            struct fixture fixture = fixture_make(tick_counts[i], &event, 1);
            const double dt_s = end_s / 272.5;

            const trp_timeline clamp = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
            trp_playhead playhead = trp_playhead_start(&clamp, 0);
            uint32_t count = 0;
            for (uint32_t frame = 0; frame < 300; frame++) {
                count += advance(&clamp, &playhead, dt_s, hits);
            }
            assert_true(playhead.flags & TRP_PLAYHEAD_ENDED);
            assert_int_equal(count, 1);

            const trp_timeline loop = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
            playhead = trp_playhead_start(&loop, end_s / 2);
            count = 0;
            while (playhead.cycle < 5) {
                count += advance(&loop, &playhead, dt_s, hits);
            }
            assert_int_equal(count, 5);

            const trp_timeline there_and_back =
                timeline_make(&fixture.clip, TRP_PLAY_PING_PONG, 0, 0);
            playhead = trp_playhead_start(&there_and_back, end_s / 2);
            count = 0;
            while (playhead.cycle < 5) {
                count += advance(&there_and_back, &playhead, dt_s, hits);
            }
            assert_int_equal(
                count, times_s[k] * 30 * 1048576 + 1.0 / 256 < tick_counts[i] * 1048576.0 ? 10 : 5);
            fixture_free(&fixture);
        }
    }
}

static void test_event_b58_fires_once_backwards(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[3] = {
        {.name = "start", .time_s = 0},
        {.name = "middle", .time_s = 0.5},
        {.name = "end", .time_s = 1},
    };
    struct fixture fixture = fixture_make(30, events, 3);
    for (uint32_t frames = 1; frames < 200; frames++) {
        const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
        trp_playhead playhead = trp_playhead_start(&timeline, 1);
        playhead.speed = -1;
        uint32_t counts[3] = {0};
        for (uint32_t frame = 0; frame < frames + 3; frame++) {
            const uint32_t count = advance(&timeline, &playhead, 1.0 / frames, hits);
            for (uint32_t i = 0; i < count; i++) {
                counts[hits[i].event]++;
                assert_int_equal(hits[i].flags, TRP_EVENT_REVERSE);
            }
        }
        assert_true(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
    }
    fixture_free(&fixture);
}

static void test_event_b60_seek_fires_none_and_advance_what_follows(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[4] = {
        {.name = "a", .time_s = 0},
        {.name = "b", .time_s = 0.25},
        {.name = "c", .time_s = 0.5},
        {.name = "d", .time_s = 0.75},
    };
    struct fixture fixture = fixture_make(30, events, 4);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    trp_playhead_seek(&timeline, 0.5, &playhead);
    assert_int_equal(advance(&timeline, &playhead, 0, hits), 0);     // neither a, b nor c
    assert_int_equal(advance(&timeline, &playhead, 0.125, hits), 0); // c is where it came from
    assert_int_equal(advance(&timeline, &playhead, 0.125, hits), 1); // arrives at d
    assert_int_equal(hits[0].event, 3);
    trp_playhead_seek(&timeline, 0.1, &playhead);
    assert_int_equal(advance(&timeline, &playhead, 0.45, hits), 2); // b, c
    assert_true(hits[0].event == 1 && hits[1].event == 2);
    playhead = trp_playhead_start(&timeline, 0.5); // but a start is a moment of its own
    assert_int_equal(advance(&timeline, &playhead, 0.125, hits), 1);
    assert_true(hits[0].event == 2 && hits[0].fraction == 0);
    assert_int_equal(advance(&timeline, &playhead, 0, hits), 0);
    fixture_free(&fixture);
}

static void test_event_seam_of_a_loop_fires_both_ends(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[3] = {
        {.name = "start", .time_s = 0},
        {.name = "end", .time_s = 1},
        {.name = "end again", .time_s = 1},
    };
    struct fixture fixture = fixture_make(30, events, 3);
    const trp_timeline loop = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    trp_playhead playhead = trp_playhead_start(&loop, 0.5);
    assert_int_equal(advance(&loop, &playhead, 0.5, hits), 3);
    assert_true(hits[0].event == 1 && hits[1].event == 2 && hits[2].event == 0);
    assert_true(hits[0].fraction == 1 && hits[2].fraction == 1);
    assert_int_equal(advance(&loop, &playhead, -0.25, hits), 0);
    assert_int_equal(advance(&loop, &playhead, 0.25, hits), 3);
    assert_int_equal(advance(&loop, &playhead, 0.25, hits), 0);
    assert_int_equal(advance(&loop, &playhead, -0.25, hits), 3);
    assert_true(hits[0].event == 0 && hits[1].event == 2 && hits[2].event == 1);
    fixture_free(&fixture);
}

/// Nothing of the cycle before, which was never played, nor of the one that it goes away from.
static void test_event_start_at_the_seam_fires_the_side_it_turns_to(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[4] = {
        {.name = "start", .time_s = 0},
        {.name = "start again", .time_s = 0},
        {.name = "end", .time_s = 1},
        {.name = "end again", .time_s = 1},
    };
    struct fixture fixture = fixture_make(30, events, 4);
    const trp_timeline loop = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    for (int i = 0; i < 8; i++) {
        trp_playhead playhead = trp_playhead_start(&loop, i & 1 ? 1 : 0);
        const bool is_backward = (i & 2) != 0;
        playhead.speed = is_backward ? -1 : 1;
        assert_int_equal(advance(&loop, &playhead, i & 4 ? 0.25 : 0, hits), 2);
        assert_int_equal(hits[0].event, is_backward ? 3 : 0);
        assert_int_equal(hits[1].event, is_backward ? 2 : 1);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hits[k].flags, is_backward ? TRP_EVENT_REVERSE : 0);
            assert_true(hits[k].fraction == 0);
        }
        assert_int_equal(advance(&loop, &playhead, 0.5, hits), 0);
        assert_int_equal(advance(&loop, &playhead, 0.5, hits), 4); // and round it fires both
    }
    fixture_free(&fixture);
}

static void test_event_turn_of_a_ping_pong_fires_once(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[3] = {
        {.name = "start", .time_s = 0},
        {.name = "middle", .time_s = 0.5},
        {.name = "end", .time_s = 1},
    };
    struct fixture fixture = fixture_make(30, events, 3);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_PING_PONG, 0, 0);
    trp_playhead playhead = trp_playhead_start(&timeline, 0.25);
    assert_int_equal(advance(&timeline, &playhead, 2, hits), 4); // there, back, and there
    static const uint32_t order[4] = {1, 2, 1, 0};
    static const uint32_t flags[4] = {0, 0, TRP_EVENT_REVERSE, 0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(hits[i].event, order[i]);
        assert_int_equal(hits[i].flags, flags[i]);
    }
    fixture_free(&fixture);
}

static void test_event_of_no_length_fires_when_starting(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    const struct pack_event events[2] = {
        {.name = "here", .time_s = 0.5},
        {.name = "here too", .time_s = 0.5},
    };
    struct fixture fixture = fixture_make(30, events, 2);
    for (int mode = TRP_PLAY_CLAMP; mode <= TRP_PLAY_PING_PONG; mode++) {
        const trp_timeline timeline = timeline_make(&fixture.clip, (trp_play_mode)mode, 0.5, 0.5);
        assert_true(timeline.length == 0);
        trp_playhead playhead = trp_playhead_start(&timeline, 0);
        assert_int_equal(advance(&timeline, &playhead, 1, hits), 2);
        assert_true(hits[0].event == 0 && hits[1].event == 1 && hits[0].fraction == 0);
        assert_int_equal(advance(&timeline, &playhead, 1e30, hits), 0);
        const trp_playhead other = {.cycle = 77}; // a cycle means nothing here
        const trp_event_args args = args_of(&timeline, &playhead, &other);
        trp_event_report report;
        assert_int_equal(trp_events(&args, hits, MAX_HITS, &report), TRP_OK);
        assert_int_equal(report.hit_count, 0);
    }
    fixture_free(&fixture);
}

// -- Random ways ---------------------------------------------------------------------------------

/// Asks for a way as a whole, in pieces, and page by page.
static void check_random_way(const struct fixture *fixture, const trp_timeline *timeline,
                             uint64_t *random)
{
    static trp_event_hit hits[MAX_HITS];
    static trp_event_hit again[MAX_HITS];
    const int64_t cycles = random_between(random, 0, 3) == 0 ? 20 : 2;
    int64_t x[MAX_SPLITS + 2];
    const uint32_t last = 1 + (uint32_t)random_between(random, 0, MAX_SPLITS);
    const bool is_backward = random_between(random, 0, 1) == 1;
    const bool is_starting = random_between(random, 0, 2) == 0;
    for (uint32_t i = 0; i <= last; i++) {
        const int64_t place = random_place(random, timeline, cycles);
        uint32_t at = i;
        for (; at > 0 && (is_backward ? x[at - 1] < place : x[at - 1] > place); at--) {
            x[at] = x[at - 1];
        }
        x[at] = place;
    }

    const trp_playhead from = playhead_at(timeline, x[0], is_starting);
    const struct line line = {x[0], x[last], is_backward, is_starting};
    trp_playhead to = playhead_at(timeline, x[last], false);
    to.speed = is_backward ? -0.5f : 1;
    trp_event_args args = args_of(timeline, &from, &to);
    trp_event_report report;
    assert_int_equal(trp_events(&args, hits, MAX_HITS, &report), TRP_OK);
    const uint32_t count = report.written_count;
    assert_true(report.hit_count == count);
    assert_true(report.bad_playhead_count == 0 && report.bad_weight_count == 0);
    assert_truth(fixture, timeline, &line, hits, count);

    uint32_t piece_count = 0;
    for (uint32_t i = 0; i < last; i++) {
        const trp_playhead a = playhead_at(timeline, x[i], is_starting && i == 0);
        trp_playhead b = playhead_at(timeline, x[i + 1], false);
        b.speed = to.speed;
        const trp_event_args piece = args_of(timeline, &a, &b);
        assert_int_equal(trp_events(&piece, again + piece_count, MAX_HITS - piece_count, &report),
                         TRP_OK);
        piece_count += report.written_count;
    }
    assert_int_equal(piece_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(again[i].event, hits[i].event);
        assert_int_equal(again[i].flags, hits[i].flags);
    }

    const uint32_t page = 1 + (uint32_t)random_between(random, 0, 4);
    uint32_t paged_count = 0;
    do {
        args.skip = paged_count;
        assert_int_equal(trp_events(&args, again + paged_count, page, &report), TRP_OK);
        assert_true(report.hit_count == count);
        paged_count += report.written_count;
    } while (report.written_count == page && paged_count < MAX_HITS - page);
    assert_int_equal(paged_count, count);
    assert_memory_equal(again, hits, count * sizeof *hits);
}

static void test_event_random_ways_fire_what_lies_on_them(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t round = 0; round < 2000; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t tick_count = (uint32_t)random_between(&random, 0, MAX_TICKS);
        const uint32_t count = random_events(&random, tick_count, events);
        struct fixture fixture = fixture_make(tick_count, events, count);
        for (uint32_t i = 0; i < 50; i++) {
            const trp_timeline timeline = random_timeline(&random, &fixture);
            check_random_way(&fixture, &timeline, &random);
        }
        fixture_free(&fixture);
    }
}

/// What advances say one after the other is what they say of all of the way.
static void test_event_advances_fire_each_event_once(void **state)
{
    (void)state;
    static trp_event_hit hits[MAX_HITS];
    static trp_event_hit all[MAX_HITS];
    uint64_t random = 2;
    for (uint32_t round = 0; round < 500; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t tick_count = (uint32_t)random_between(&random, 1, MAX_TICKS);
        const uint32_t count = random_events(&random, tick_count, events);
        struct fixture fixture = fixture_make(tick_count, events, count);
        const trp_timeline timeline = random_timeline(&random, &fixture);
        const trp_playhead first =
            trp_playhead_start(&timeline, (double)random_between(&random, 0, 100) / 300);
        trp_playhead playhead = first;
        playhead.speed = random_between(&random, 0, 1) == 0 ? 1 : -0.75f;
        uint32_t fired_count = 0;
        for (uint32_t i = 0; i < 200; i++) {
            const double dt_s = (double)random_between(&random, 1, 40) / 1000;
            fired_count += advance(&timeline, &playhead, dt_s, hits + fired_count);
        }
        trp_event_args args = args_of(&timeline, &first, &playhead);
        trp_event_report report;
        assert_int_equal(trp_events(&args, all, MAX_HITS, &report), TRP_OK);
        assert_int_equal(report.written_count, fired_count);
        for (uint32_t i = 0; i < fired_count; i++) {
            assert_true(all[i].event == hits[i].event && all[i].flags == hits[i].flags);
        }
        fixture_free(&fixture);
    }
}

/// Starting at either end, the way back is the way there in reverse; but at the seam of a loop a
/// start leaves out what is behind it.
static void test_event_way_back_is_the_reverse(void **state)
{
    (void)state;
    static trp_event_hit there[MAX_HITS];
    static trp_event_hit back[MAX_HITS];
    uint64_t random = 3;
    for (uint32_t round = 0; round < 1000; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t count = random_events(&random, MAX_TICKS, events);
        struct fixture fixture = fixture_make(MAX_TICKS, events, count);
        for (uint32_t i = 0; i < 100; i++) {
            const trp_timeline timeline = random_timeline(&random, &fixture);
            const int64_t a = random_place(&random, &timeline, 3);
            const int64_t b = random_place(&random, &timeline, 3);
            if (a == b || (timeline.mode == TRP_PLAY_LOOP && timeline.length > 0 &&
                           (a % timeline.length == 0 || b % timeline.length == 0))) {
                continue;
            }
            trp_playhead start = playhead_at(&timeline, a, true);
            trp_playhead end = playhead_at(&timeline, b, false);
            trp_event_report reports[2];
            trp_event_args args = args_of(&timeline, &start, &end);
            assert_int_equal(trp_events(&args, there, MAX_HITS, &reports[0]), TRP_OK);
            start.flags = 0;
            end.flags = TRP_PLAYHEAD_STARTING;
            args = args_of(&timeline, &end, &start);
            assert_int_equal(trp_events(&args, back, MAX_HITS, &reports[1]), TRP_OK);
            const uint32_t hit_count = reports[0].written_count;
            assert_int_equal(reports[1].written_count, hit_count);
            for (uint32_t k = 0; k < hit_count; k++) {
                const trp_event_hit *const other = &back[hit_count - 1 - k];
                assert_int_equal(there[k].event, other->event);
                assert_int_equal(there[k].flags ^ TRP_EVENT_REVERSE, other->flags);
            }
        }
        fixture_free(&fixture);
    }
}

/// A playhead that an advance refused to move is starting still: it fires when it moves.
static void test_event_at_the_start_waits_for_the_first_advance(void **state)
{
    (void)state;
    const struct pack_event event = {.name = "a", .time_s = 0.1};
    struct fixture fixture = fixture_make(32, &event, 1);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    trp_playhead playhead = trp_playhead_start(&timeline, 0.1); // no tick, and no phase exactly
    trp_playhead previous;
    trp_event_report report;
    const trp_playhead_args refused = {.timelines = &timeline,
                                       .timeline_count = 1,
                                       .playheads = &playhead,
                                       .playhead_count = 1,
                                       .dt_ticks = 1,
                                       .previous = &previous};
    assert_int_equal(trp_playheads_advance(&refused, NULL), TRP_OK);
    const trp_event_args args = args_of(&timeline, &previous, &playhead);
    assert_int_equal(trp_events(&args, NULL, 0, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    trp_playhead_args moved = refused;
    moved.dt_ticks = 0;
    assert_int_equal(trp_playheads_advance(&moved, NULL), TRP_OK);
    assert_int_equal(trp_events(&args, NULL, 0, &report), TRP_OK);
    assert_int_equal(report.hit_count, 1);
    assert_int_equal(trp_playheads_advance(&moved, NULL), TRP_OK);
    assert_int_equal(trp_events(&args, NULL, 0, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    fixture_free(&fixture);
}

// -- Far and hostile ways ------------------------------------------------------------------------

/// Counts by division what lies on a way forwards, and finds single hits far down the list.
static void test_event_count_of_far_ways_is_closed(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (uint32_t round = 0; round < 1000; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t count = random_events(&random, MAX_TICKS, events);
        struct fixture fixture = fixture_make(MAX_TICKS, events, count);
        const trp_timeline timeline = random_timeline(&random, &fixture);
        const int64_t period = period_of(&timeline);
        if (timeline.mode == TRP_PLAY_CLAMP || period == 0) {
            fixture_free(&fixture);
            continue;
        }
        const int64_t x0 = random_between(&random, INT64_MIN / 4, INT64_MAX / 4);
        const int64_t x1 = x0 + random_between(&random, 0, INT64_MAX / 4);
        struct moment moments[2 * MAX_EVENTS];
        const uint32_t moment_count = moments_of_cycle(&fixture, &timeline, 0, moments);
        uint64_t expected = 0;
        for (uint32_t i = 0; i < moment_count; i++) {
            expected += (uint64_t)(floor_divide(x1 - moments[i].x, period) -
                                   floor_divide(x0 - moments[i].x, period));
        }
        const trp_playhead from = playhead_at(&timeline, x0, false);
        const trp_playhead to = playhead_at(&timeline, x1, false);
        trp_event_args args = args_of(&timeline, &from, &to);
        trp_event_report report;
        assert_int_equal(trp_events(&args, NULL, 0, &report), TRP_OK);
        assert_true(report.hit_count == expected && report.written_count == 0);
        trp_event_args back = args_of(&timeline, &to, &from);
        assert_int_equal(trp_events(&back, NULL, 0, &report), TRP_OK);
        assert_true(report.hit_count + moment_count >= expected &&
                    report.hit_count <= expected + moment_count);

        // A whole number of cycles down the list, the same events come again.
        trp_event_hit first[MAX_EVENTS];
        trp_event_hit far[MAX_EVENTS];
        if (moment_count > 0 && expected > 3 * (uint64_t)moment_count + MAX_EVENTS) {
            assert_int_equal(trp_events(&args, first, MAX_EVENTS, &report), TRP_OK);
            args.skip = (expected - MAX_EVENTS) / moment_count * moment_count;
            assert_int_equal(trp_events(&args, far, MAX_EVENTS, &report), TRP_OK);
            assert_true(report.written_count > 0);
            for (uint32_t i = 0; i < report.written_count; i++) {
                assert_true(first[i].event == far[i].event && first[i].flags == far[i].flags);
                assert_true(far[i].fraction >= first[i].fraction && far[i].fraction <= 1);
            }
            args.skip = expected;
            assert_int_equal(trp_events(&args, far, MAX_EVENTS, &report), TRP_OK);
            assert_true(report.written_count == 0 && report.hit_count == expected);
        }
        fixture_free(&fixture);
    }
}

static void test_event_any_dt_ends_at_once(void **state)
{
    (void)state;
    const struct pack_event events[2] = {
        {.name = "a", .time_s = 0.25},
        {.name = "b", .time_s = 0.5},
    };
    static const double times_s[] = {INFINITY, -INFINITY, 1e300, -1e300, NAN, 1e9, 0};
    struct fixture fixture = fixture_make(30, events, 2);
    for (int mode = TRP_PLAY_CLAMP; mode <= TRP_PLAY_PING_PONG; mode++) {
        const trp_timeline timeline = timeline_make(&fixture.clip, (trp_play_mode)mode, 0, 0);
        for (uint32_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
            trp_playhead playhead = trp_playhead_start(&timeline, 0.1);
            trp_playhead previous;
            const trp_playhead_args move = {
                .timelines = &timeline,
                .timeline_count = 1,
                .playhead_count = 1,
                .playheads = &playhead,
                .dt_s = times_s[i],
                .previous = &previous,
            };
            assert_int_equal(trp_playheads_advance(&move, NULL), TRP_OK);
            trp_event_hit hits[4];
            trp_event_range ranges[4];
            trp_event_report report;
            const trp_event_args args = args_of(&timeline, &previous, &playhead);
            assert_int_equal(trp_events(&args, hits, 4, &report), TRP_OK);
            const uint64_t cycles =
                (uint64_t)(playhead.cycle < 0 ? -playhead.cycle : playhead.cycle);
            const uint64_t per_cycle = mode == TRP_PLAY_PING_PONG ? 4 : 2;
            if (mode == TRP_PLAY_CLAMP || cycles == 0) {
                assert_int_equal(report.hit_count, times_s[i] > 0 ? 2 : 0);
            } else {
                assert_true(report.hit_count >= (cycles - 1) * per_cycle &&
                            report.hit_count <= (cycles + 1) * per_cycle);
                assert_int_equal(report.written_count, 4);
            }
            assert_int_equal(trp_event_ranges(&args, ranges, 4, &report), TRP_OK);
            assert_int_equal(report.hit_count, 0);
        }
    }
    fixture_free(&fixture);
}

static void test_event_counts_stay_at_the_limit(void **state)
{
    (void)state;
    const struct pack_event events[3] = {
        {.name = "a", .time_s = 0}, {.name = "b", .time_s = 0.5}, {.name = "c", .time_s = 0.5}};
    struct fixture fixture = fixture_make(30, events, 3);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    const trp_playhead from[3] = {{.position = 7}, {.position = 7}, {.position = 7}};
    const trp_playhead to[3] = {
        {.position = 9, .cycle = INT64_MAX},
        {.position = 3, .cycle = INT64_MIN},
        {.position = 3, .cycle = 2},
    };
    trp_event_args args = args_of(&timeline, from, to);
    trp_event_hit hits[8];
    trp_event_report report;
    assert_int_equal(trp_events(&args, hits, 8, &report), TRP_OK);
    assert_true(report.hit_count == UINT64_MAX && report.written_count == 8);
    static const uint32_t order[8] = {1, 2, 0, 1, 2, 0, 1, 2};
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(hits[i].event, order[i]);
        assert_true(hits[i].fraction >= 0 && hits[i].fraction < 1e-6f);
    }
    args.playhead_count = 3;
    assert_int_equal(trp_events(&args, hits, 8, &report), TRP_OK);
    assert_true(report.hit_count == UINT64_MAX);
    args.previous = &from[1];
    args.playheads = &to[1];
    args.playhead_count = 2;
    args.skip = UINT64_MAX - 2;
    assert_int_equal(trp_events(&args, hits, 8, &report), TRP_OK);
    assert_true(report.hit_count == UINT64_MAX && report.written_count <= 8);

    // The count of cycles wraps around, and one cycle further is one cycle further.
    const trp_playhead before = {.position = 7, .cycle = INT64_MAX};
    const trp_playhead after = {.position = 7, .cycle = INT64_MIN};
    args = args_of(&timeline, &before, &after);
    assert_int_equal(trp_events(&args, hits, 8, &report), TRP_OK);
    assert_true(report.hit_count == 3 && hits[0].event == 1 && hits[0].flags == 0);
    fixture_free(&fixture);
}

/// Just where the units of a way stop fitting into 64 bits, and on either side of it.
static void test_event_fractions_are_right_where_units_overflow(void **state)
{
    (void)state;
    const struct pack_event events[3] = {
        {.name = "a", .time_s = 0}, {.name = "b", .time_s = 0.5}, {.name = "c", .time_s = 1}};
    struct fixture fixture = fixture_make(30, events, 3);
    for (int mode = TRP_PLAY_LOOP; mode <= TRP_PLAY_PING_PONG; mode++) {
        const trp_timeline timeline = timeline_make(&fixture.clip, (trp_play_mode)mode, 0, 0);
        const int64_t period = period_of(&timeline);
        const int64_t most = INT64_MAX / period;
        for (int64_t more = -3; more <= 3; more++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                const trp_playhead from = {.position = sign > 0 ? 0 : period - 1};
                const trp_playhead to = {.position = sign > 0 ? period - 1 : 0,
                                         .cycle = sign * (most + more)};
                trp_event_args args = args_of(&timeline, &from, &to);
                trp_event_report report;
                trp_event_hit hits[4];
                assert_int_equal(trp_events(&args, hits, 4, &report), TRP_OK);
                const uint64_t count = report.hit_count;
                const double length = (double)(most + more) + 1;
                for (int i = 0; i < 4; i++) {
                    assert_true(hits[i].fraction >= 0 && hits[i].fraction <= 2 / length);
                }
                args.skip = count / 2;
                assert_int_equal(trp_events(&args, hits, 4, &report), TRP_OK);
                for (int i = 0; i < 4; i++) {
                    assert_true(fabs(hits[i].fraction - 0.5) <= 2 / length);
                }
                args.skip = count - 4;
                assert_int_equal(trp_events(&args, hits, 4, &report), TRP_OK);
                assert_int_equal(report.written_count, 4);
                for (int i = 0; i < 4; i++) {
                    assert_true(hits[i].fraction >= 1 - 3 / length && hits[i].fraction <= 1);
                }
            }
        }
    }
    fixture_free(&fixture);
}

// -- Batches -------------------------------------------------------------------------------------

enum {
    BATCH = 64,
};

/// Several timelines, playheads all over them, and some that are not as they should be.
struct batch {
    trp_timeline timelines[4];
    trp_playhead previous[BATCH];
    trp_playhead playheads[BATCH];
    float weights[BATCH];
    uint32_t bad_playhead_count;
    uint32_t bad_weight_count;
};

static void batch_make(struct batch *batch, const struct fixture *fixture, uint64_t *random)
{
    *batch = (struct batch){0};
    for (uint32_t i = 0; i < 4; i++) {
        batch->timelines[i] = random_timeline(random, fixture);
    }
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t index = (uint32_t)random_between(random, 0, 3);
        const trp_timeline *const timeline = &batch->timelines[index];
        trp_playhead *const previous = &batch->previous[i];
        trp_playhead *const playhead = &batch->playheads[i];
        *previous = playhead_at(timeline, random_place(random, timeline, 2), i % 5 == 0);
        *playhead = playhead_at(timeline, random_place(random, timeline, 2), false);
        previous->timeline = index;
        playhead->timeline = index;
        switch (random_between(random, 0, 20)) {
        case 0:
            previous->timeline = playhead->timeline = 4;
            break;
        case 1:
            previous->timeline = (index + 1) % 4;
            break;
        case 2:
            previous->position = -1;
            break;
        case 3:
            playhead->position = period_of(timeline) + 1;
            break;
        case 4:
            playhead->timeline = UINT32_MAX;
            break;
        default:
            batch->bad_playhead_count--;
            break;
        }
        batch->bad_playhead_count++;
        static const float weights[8] = {0, 0.25f, 0.5f, 1, 2, NAN, -1, INFINITY};
        const uint32_t weight = (uint32_t)random_between(random, 0, 7);
        batch->weights[i] = weights[weight];
        batch->bad_weight_count += weight == 5 || weight == 6;
    }
}

static trp_event_args batch_args(const struct batch *batch)
{
    return (trp_event_args){
        .timelines = batch->timelines,
        .timeline_count = 4,
        .playhead_count = BATCH,
        .previous = batch->previous,
        .playheads = batch->playheads,
        .weights = batch->weights,
    };
}

/// Either query: they have the same arguments.
typedef uint32_t query(const trp_event_args *args, void *into, uint32_t capacity,
                       trp_event_report *report);

static uint32_t query_hits(const trp_event_args *args, void *into, uint32_t capacity,
                           trp_event_report *report)
{
    assert_int_equal(trp_events(args, into, capacity, report), TRP_OK);
    return sizeof(trp_event_hit);
}

static uint32_t query_ranges(const trp_event_args *args, void *into, uint32_t capacity,
                             trp_event_report *report)
{
    assert_int_equal(trp_event_ranges(args, into, capacity, report), TRP_OK);
    return sizeof(trp_event_range);
}

_Static_assert(offsetof(trp_event_hit, playhead) == 0 && offsetof(trp_event_range, playhead) == 0,
               "of either");

static void check_batch(const struct batch *batch, query *ask, float threshold, uint64_t *random)
{
    static union {
        trp_event_hit hits[MAX_HITS];
        trp_event_range ranges[MAX_HITS];
        uint8_t bytes[1];
    } whole, parts;
    trp_event_report report;
    trp_event_args args = batch_args(batch);
    args.weight_threshold = threshold;
    const uint32_t item = ask(&args, &whole, MAX_HITS, &report);
    const uint64_t count = report.hit_count;
    assert_true(count == report.written_count);
    assert_int_equal(report.bad_playhead_count, batch->bad_playhead_count);
    assert_int_equal(report.bad_weight_count, batch->bad_weight_count);

    uint32_t single_count = 0;
    for (uint32_t i = 0; i < BATCH; i++) {
        trp_event_args single = args;
        single.playhead_count = 1;
        single.previous = &batch->previous[i];
        single.playheads = &batch->playheads[i];
        single.weights = &batch->weights[i];
        const float weight = batch->weights[i] >= 0 ? batch->weights[i] : 0;
        ask(&single, parts.bytes + single_count * item, MAX_HITS - single_count, &report);
        assert_true(report.written_count == 0 || !(weight < threshold));
        for (uint32_t k = single_count; k < single_count + report.written_count; k++) {
            memcpy(parts.bytes + k * item, &i, sizeof i);
        }
        single_count += report.written_count;
    }
    assert_int_equal(single_count, count);
    assert_memory_equal(whole.bytes, parts.bytes, count * item);

    const uint32_t page = 1 + (uint32_t)random_between(random, 0, 30);
    memset(&parts, 0xA5, sizeof parts);
    for (args.skip = 0; args.skip <= count; args.skip += page) {
        ask(&args, parts.bytes + args.skip * item, page, &report);
        assert_true(report.hit_count == count);
        const uint64_t left = count - args.skip;
        assert_int_equal(report.written_count, left < page ? left : page);
    }
    assert_memory_equal(whole.bytes, parts.bytes, count * item);
    args.skip = 0;
    ask(&args, NULL, 0, &report);
    assert_true(report.hit_count == count && report.written_count == 0);
}

static void test_event_batch_is_its_playheads_one_by_one(void **state)
{
    (void)state;
    static const float thresholds[] = {0, 0.5f, 1, 3, NAN, -1, INFINITY};
    uint64_t random = 5;
    for (uint32_t round = 0; round < 300; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t tick_count = (uint32_t)random_between(&random, 0, MAX_TICKS);
        const uint32_t count = random_events(&random, tick_count, events);
        struct fixture fixture = fixture_make(tick_count, events, count);
        static struct batch batch;
        batch_make(&batch, &fixture, &random);
        check_batch(&batch, query_hits, thresholds[round % 7], &random);
        check_batch(&batch, query_ranges, thresholds[round % 7], &random);
        fixture_free(&fixture);
    }
}

static void test_event_weight_decides_what_fires(void **state)
{
    (void)state;
    static const struct {
        float weight;
        float threshold;
        bool fires;
        float reported;
    } cases[] = {
        {0, 0, true, 0},          {0, FLT_MIN, false, 0},
        {0.5f, 0.5f, true, 0.5f}, {0.49f, 0.5f, false, 0},
        {NAN, 0, true, 0},        {-3, 0, true, 0},
        {-3, 0.1f, false, 0},     {1, NAN, true, 1},
        {0, NAN, true, 0},        {INFINITY, 1, true, INFINITY},
        {2, -1, true, 2},
    };
    const struct pack_event event = {.name = "a", .time_s = 0.5, .duration_s = 0.25};
    struct fixture fixture = fixture_make(30, &event, 1);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
    const trp_playhead from = trp_playhead_start(&timeline, 0);
    const trp_playhead to = trp_playhead_start(&timeline, 1);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trp_event_args args = args_of(&timeline, &from, &to);
        args.weights = &cases[i].weight;
        args.weight_threshold = cases[i].threshold;
        trp_event_hit hit;
        trp_event_range range;
        trp_event_report report;
        assert_int_equal(trp_events(&args, &hit, 1, &report), TRP_OK);
        assert_int_equal(report.written_count, cases[i].fires);
        assert_int_equal(report.bad_weight_count, !(cases[i].weight >= 0));
        assert_true(!cases[i].fires || hit.weight == cases[i].reported);
        assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
        assert_int_equal(report.written_count, cases[i].fires);
        assert_int_equal(report.bad_weight_count, !(cases[i].weight >= 0));
        assert_true(!cases[i].fires || range.weight == cases[i].reported);
    }
    fixture_free(&fixture);
}

static void test_event_bad_arguments_are_refused(void **state)
{
    (void)state;
    const struct pack_event event = {.name = "a", .time_s = 0.5, .duration_s = 0.25};
    struct fixture fixture = fixture_make(30, &event, 1);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
    const trp_playhead from = trp_playhead_start(&timeline, 0);
    const trp_playhead to = trp_playhead_start(&timeline, 1);
    const trp_event_args good = args_of(&timeline, &from, &to);
    const float weight[2] = {1, 1};
    trp_event_args bad[6] = {good, good, good, good, good, good};
    bad[0].timelines = NULL;
    bad[1].previous = NULL;
    bad[2].playheads = NULL;
    bad[3].previous = (const void *)((const uint8_t *)&from + 4);
    bad[4].playheads = (const void *)((const uint8_t *)&to + 1);
    bad[5].weights = (const void *)((const uint8_t *)weight + 2);
    trp_event_hit hits[2];
    trp_event_range ranges[2];
    trp_event_report report;
    memset(&report, 0xA5, sizeof report);
    const trp_event_report before = report;
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(trp_events(&bad[i], hits, 1, &report), TRP_ERROR_ARGUMENT);
        assert_int_equal(trp_event_ranges(&bad[i], ranges, 1, &report), TRP_ERROR_ARGUMENT);
    }
    uint8_t *const off = (uint8_t *)hits + 1;
    assert_int_equal(trp_events(NULL, hits, 1, &report), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_event_ranges(NULL, ranges, 1, &report), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_events(&good, NULL, 1, &report), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_event_ranges(&good, NULL, 1, &report), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_events(&good, (void *)off, 1, &report), TRP_ERROR_ARGUMENT);
    assert_memory_equal(&report, &before, sizeof report);
    assert_int_equal(trp_events(&good, hits, 1, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_event_ranges(&good, ranges, 1, NULL), TRP_ERROR_ARGUMENT);

    const trp_timeline empty = {0}; // never made
    const trp_playhead at = {0};
    const trp_event_args of_empty = args_of(&empty, &at, &at);
    assert_int_equal(trp_events(&of_empty, hits, 1, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    assert_int_equal(trp_event_ranges(&of_empty, ranges, 1, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    const trp_event_args nothing = {0};
    assert_int_equal(trp_events(&nothing, NULL, 0, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    assert_int_equal(trp_event_ranges(&nothing, NULL, 0, &report), TRP_OK);
    assert_int_equal(report.hit_count, 0);
    fixture_free(&fixture);
}

// -- Ranges --------------------------------------------------------------------------------------

/// An event on the grid, in steps from the start of the timeline; ends may lie outside.
struct span {
    int64_t start;
    int64_t end;
    int64_t length; // of the timeline
    trp_play_mode mode;
};

/// Says whether an event is active from x up to x + 1 of the endless line.
static bool is_on(const struct span *span, int64_t x)
{
    const bool turns = span->mode == TRP_PLAY_PING_PONG;
    const int64_t period = turns ? 2 * span->length : span->length;
    if (span->mode == TRP_PLAY_CLAMP && (x < 0 || x >= span->length)) {
        return false;
    }
    int64_t step = x - floor_divide(x, period) * period;
    step = step < span->length ? step : period - 1 - step;
    return step >= span->start && step < span->end;
}

/// Says whether two steps side by side belong to one pass: loops begin anew at the seam.
static bool is_one_pass(const struct span *span, int64_t x)
{
    return is_on(span, x - 1) && is_on(span, x) &&
           !(span->mode == TRP_PLAY_LOOP && x % span->length == 0);
}

static float progress_at(const struct span *span, int64_t x, int64_t pass_start)
{
    int64_t step = x;
    if (span->mode == TRP_PLAY_LOOP) {
        step = x - floor_divide(pass_start, span->length) * span->length;
    } else if (span->mode == TRP_PLAY_PING_PONG) {
        step = x - floor_divide(x, 2 * span->length) * 2 * span->length;
        step = step <= span->length ? step : 2 * span->length - step;
    }
    return (float)((double)(step - span->start) / (double)(span->end - span->start));
}

/// Goes back from x1 to x0 step by step, to the last pass.
static bool range_truth(const struct span *span, const struct line *line, trp_event_range *range)
{
    const int64_t direction = line->is_backward ? -1 : 1;
    if (span->length == 0) {
        return false;
    }
    int64_t last = line->x1;
    while (last != line->x0 && !is_on(span, last)) {
        last -= direction;
    }
    if (!is_on(span, last)) {
        return false;
    }
    const int64_t low = line->is_backward ? line->x1 : line->x0;
    const int64_t high = line->is_backward ? line->x0 : line->x1;
    int64_t start = last; // of the pass, as far as the way is in it
    while (start > low && is_one_pass(span, start)) {
        start--;
    }
    int64_t end = last;
    while (end < high && (end == last || is_one_pass(span, end))) {
        end++;
    }
    const int64_t from = line->is_backward ? end : start;
    const int64_t to = line->is_backward ? start : end;
    bool is_back = line->is_backward;
    if (span->mode == TRP_PLAY_PING_PONG) {
        const int64_t position = to - floor_divide(to, 2 * span->length) * 2 * span->length;
        is_back = (position > span->length) != line->is_backward;
    }
    const bool was_on = is_on(span, line->x0) && !line->is_starting;
    *range = (trp_event_range){
        .flags = (is_back ? TRP_EVENT_REVERSE : 0u) | (was_on ? 0u : TRP_EVENT_BEGAN) |
                 (is_on(span, line->x1) ? 0u : TRP_EVENT_ENDED),
        .weight = 1,
        .from = progress_at(span, from, start),
        .to = progress_at(span, to, start),
    };
    return true;
}

/// An event of a clip in steps of a timeline.
static struct span span_of(const trp_timeline *timeline, const struct pack_event *event)
{
    const int64_t step = timeline->units_per_tick / STEPS_PER_TICK;
    const int64_t start = llround(event->time_s * 30 * STEPS_PER_TICK);
    const int64_t duration = llround(event->duration_s * 30 * STEPS_PER_TICK);
    assert_true(timeline->length % step == 0 && timeline->start % step == 0);
    return (struct span){
        .start = start - timeline->start / step,
        .end = start + duration - timeline->start / step,
        .length = timeline->length / step,
        .mode = timeline->mode,
    };
}

static void check_random_ranges(const struct fixture *fixture, const trp_timeline *timeline,
                                uint64_t *random)
{
    const struct pack_clip *const clip = &fixture->content->clips[0];
    const int64_t step = timeline->units_per_tick / STEPS_PER_TICK;
    const int64_t length = timeline->length / step;
    const int64_t most = (random_between(random, 0, 3) == 0 ? 9 : 2) * length;
    const bool is_clamped = timeline->mode == TRP_PLAY_CLAMP;
    const int64_t x0 = random_between(random, is_clamped ? 0 : -most, is_clamped ? length : most);
    const int64_t x1 = random_between(random, is_clamped ? 0 : -most, is_clamped ? length : most);
    const bool is_starting = random_between(random, 0, 2) == 0;
    const trp_playhead from = playhead_at(timeline, x0 * step, is_starting);
    trp_playhead to = playhead_at(timeline, x1 * step, false);
    to.speed = random_between(random, 0, 1) == 0 ? 1 : -2;
    const bool is_backward = x1 == x0 ? to.speed < 0 : x1 < x0;
    const struct line line = {x0, x1, is_backward, is_starting};
    const trp_event_args args = args_of(timeline, &from, &to);
    trp_event_range ranges[MAX_EVENTS];
    trp_event_report report;
    assert_int_equal(trp_event_ranges(&args, ranges, MAX_EVENTS, &report), TRP_OK);

    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const struct span span = span_of(timeline, &clip->events[i]);
        trp_event_range expected = {0};
        if (span.start == span.end || !range_truth(&span, &line, &expected)) {
            continue;
        }
        assert_true(count < report.written_count);
        const trp_event_range *const range = &ranges[count++];
        assert_int_equal(range->event, i);
        assert_int_equal(range->flags, expected.flags);
        assert_true(range->from == expected.from && range->to == expected.to);
        assert_true(range->weight == 1 && range->playhead == 0);
    }
    assert_int_equal(count, report.written_count);
    assert_true(report.hit_count == count);
}

static void test_event_ranges_are_what_steps_find(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (uint32_t round = 0; round < 2000; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t tick_count = (uint32_t)random_between(&random, 0, MAX_TICKS);
        const uint32_t count = random_events(&random, tick_count, events);
        struct fixture fixture = fixture_make(tick_count, events, count);
        for (uint32_t i = 0; i < 50; i++) {
            const trp_timeline timeline = random_timeline(&random, &fixture);
            check_random_ranges(&fixture, &timeline, &random);
        }
        fixture_free(&fixture);
    }
}

/// Moves a playhead on by ticks of a clock of 120 Hz, with which a tick is a step, and adds up what
/// begins and ends.
static void step_ranges(const trp_timeline *timeline, trp_playhead *playhead, int64_t dt_ticks,
                        int32_t active_counts[MAX_EVENTS])
{
    trp_playhead previous;
    const trp_playhead_args move = {
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .playheads = playhead,
        .dt_ticks = dt_ticks,
        .previous = &previous,
    };
    assert_int_equal(trp_playheads_advance(&move, NULL), TRP_OK);
    const trp_event_args args = args_of(timeline, &previous, playhead);
    trp_event_range ranges[MAX_EVENTS];
    trp_event_report report;
    assert_int_equal(trp_event_ranges(&args, ranges, MAX_EVENTS, &report), TRP_OK);
    for (uint32_t i = 0; i < report.written_count; i++) {
        active_counts[ranges[i].event] += (ranges[i].flags & TRP_EVENT_BEGAN) != 0;
        active_counts[ranges[i].event] -= (ranges[i].flags & TRP_EVENT_ENDED) != 0;
    }
}

static void test_event_ranges_that_began_less_those_that_ended_are_active(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (uint32_t round = 0; round < 3000; round++) {
        struct pack_event events[MAX_EVENTS];
        const uint32_t tick_count = (uint32_t)random_between(&random, 1, MAX_TICKS);
        const uint32_t count = random_events(&random, tick_count, events);
        struct fixture fixture = fixture_make(tick_count, events, count);
        const trp_timeline part = random_timeline(&random, &fixture);
        const trp_timeline_args args = {
            .clip = &fixture.clip,
            .mode = part.mode,
            .start_s = part.start_s,
            .end_s = part.end_s > 0 ? part.end_s : DBL_MIN,
            .clock_num = 30 * STEPS_PER_TICK,
        };
        trp_timeline timeline;
        assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
        const int64_t step = timeline.units_per_tick / STEPS_PER_TICK;
        const int64_t start = random_between(&random, 0, tick_count * STEPS_PER_TICK);
        trp_playhead playhead =
            trp_playhead_start(&timeline, (double)start / (30 * STEPS_PER_TICK));
        int32_t active_counts[MAX_EVENTS] = {0};
        for (uint32_t i = 0; i < 100; i++) {
            static const float speeds[4] = {1, -1, 2, 0};
            playhead.speed = speeds[random_between(&random, 0, 3)];
            const int64_t farthest = random_between(&random, 0, 4) == 0 ? 300 : 5;
            step_ranges(&timeline, &playhead, random_between(&random, -farthest, farthest),
                        active_counts);
            const int64_t x = playhead.cycle * period_of(&timeline) + playhead.position;
            assert_true(x % step == 0);
            for (uint32_t k = 0; k < count; k++) {
                const struct span span = span_of(&timeline, &events[k]);
                assert_int_equal(active_counts[k], span.length > 0 && is_on(&span, x / step));
            }
        }
        fixture_free(&fixture);
    }
}

/// Asks for the one range of a way on a clip of one second.
static trp_event_range range_between(const trp_timeline *timeline, double from_s, double to_s,
                                     bool is_starting)
{
    trp_playhead from = trp_playhead_start(timeline, from_s);
    trp_playhead to = trp_playhead_start(timeline, to_s);
    from.flags = is_starting ? TRP_PLAYHEAD_STARTING : 0;
    to.flags = 0;
    const trp_event_args args = args_of(timeline, &from, &to);
    trp_event_range range = {.event = TRP_NONE};
    trp_event_report report;
    assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
    assert_true(report.hit_count == report.written_count);
    return range;
}

static void test_event_range_says_how_far_it_came(void **state)
{
    (void)state;
    const struct pack_event event = {.name = "a", .time_s = 0.25, .duration_s = 0.5};
    struct fixture fixture = fixture_make(32, &event, 1);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
    const uint32_t began = TRP_EVENT_BEGAN;
    const uint32_t ended = TRP_EVENT_ENDED;
    const uint32_t reverse = TRP_EVENT_REVERSE;
    static const double none = -1;
    const struct {
        double from_s;
        double to_s;
        bool is_starting;
        uint32_t flags;
        double from;
        double to;
    } cases[] = {
        {0, 0.125, false, 0, none, none},
        {0, 0.25, false, began, 0, 0},
        {0, 0.5, false, began, 0, 0.5},
        {0.25, 0.5, false, 0, 0, 0.5},
        {0.25, 0.5, true, began, 0, 0.5},
        {0.375, 0.5, false, 0, 0.25, 0.5},
        {0.5, 0.5, false, 0, 0.5, 0.5},
        {0.5, 0.5, true, began, 0.5, 0.5},
        {0.5, 0.75, false, ended, 0.5, 1},
        {0, 1, false, began | ended, 0, 1},
        {0.75, 1, true, 0, none, none},
        {0.75, 0.75, false, 0, none, none},
        {1, 0.75, false, 0, none, none}, // not active at the end of it
        {1, 0.5, false, began | reverse, 1, 0.5},
        {0.75, 0.5, false, began | reverse, 1, 0.5},
        {0.75, 0.5, true, began | reverse, 1, 0.5},
        {0.5, 0.25, false, reverse, 0.5, 0}, // but at its time
        {0.5, 0.125, false, ended | reverse, 0.5, 0},
        {0.25, 0.125, false, ended | reverse, 0, 0},
        {1, 0, false, began | ended | reverse, 1, 0},
        {0.25, 0, true, began | ended | reverse, 0, 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const trp_event_range range =
            range_between(&timeline, cases[i].from_s, cases[i].to_s, cases[i].is_starting);
        assert_int_equal(range.event, cases[i].from == none ? TRP_NONE : 0);
        if (cases[i].from != none) {
            assert_int_equal(range.flags, cases[i].flags);
            assert_true(range.from == cases[i].from && range.to == cases[i].to);
        }
    }
    fixture_free(&fixture);
}

/// A clip cuts what outlasts it, and does not squeeze it: its progress is that of the whole event.
static void test_event_range_past_the_clip_is_cut(void **state)
{
    (void)state;
    const struct pack_event events[4] = {
        {.name = "long", .time_s = 0.5, .duration_s = 2},
        {.name = "longest", .time_s = 0.5, .duration_s = 1e9},
        {.name = "all", .time_s = 0.5, .duration_s = 0.5},
        {.name = "never", .time_s = 1, .duration_s = 3},
    };
    static const float whole[3] = {4, 2e9f, 1}; // halves of a second
    struct fixture fixture = fixture_make(30, events, 4);
    const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
    const trp_playhead places[4] = {
        trp_playhead_start(&timeline, 0),
        trp_playhead_start(&timeline, 0.5),
        trp_playhead_start(&timeline, 0.75),
        trp_playhead_start(&timeline, 1),
    };
    static const float done[4] = {0, 0, 0.5f, 1}; // halves of a second
    for (uint32_t from = 0; from < 4; from++) {
        for (uint32_t to = from + 1; to < 4; to++) {
            const trp_event_args args = args_of(&timeline, &places[from], &places[to]);
            trp_event_range ranges[4];
            trp_event_report report;
            assert_int_equal(trp_event_ranges(&args, ranges, 4, &report), TRP_OK);
            assert_int_equal(report.written_count, 3);
            for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(ranges[i].event, i);
                assert_int_equal(ranges[i].flags, (from == 0 ? TRP_EVENT_BEGAN : 0u) |
                                                      (to == 3 ? TRP_EVENT_ENDED : 0u));
                assert_true(fabsf(ranges[i].from - done[from] / whole[i]) <= 1e-7f / whole[i]);
                assert_true(fabsf(ranges[i].to - done[to] / whole[i]) <= 1e-7f / whole[i]);
            }
        }
    }
    const trp_timeline loop = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    const trp_playhead before = playhead_at(&loop, loop.length / 4 * 3, false);
    const trp_playhead after = playhead_at(&loop, loop.length, false);
    const trp_event_args args = args_of(&loop, &before, &after);
    trp_event_range range;
    trp_event_report report;
    assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
    assert_int_equal(range.flags, TRP_EVENT_ENDED); // at the seam
    assert_true(range.from == 0.125f && range.to == 0.25f);
    fixture_free(&fixture);
}

/// An event of all of the clip never ends, at the seam of a loop or where a ping-pong turns.
static void test_event_range_of_the_whole_clip(void **state)
{
    (void)state;
    const struct pack_event event = {.name = "a", .time_s = 0, .duration_s = 32 / 30.0};
    struct fixture fixture = fixture_make(32, &event, 1);
    const trp_timeline loop = timeline_make(&fixture.clip, TRP_PLAY_LOOP, 0, 0);
    const trp_playhead from = playhead_at(&loop, loop.length / 2, false);
    trp_playhead to = playhead_at(&loop, 5 * loop.length + loop.length / 4, false);
    trp_event_args args = args_of(&loop, &from, &to);
    trp_event_range range;
    trp_event_report report;
    assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
    assert_true(report.hit_count == 1 && range.flags == 0);
    assert_true(range.from == 0 && range.to == 0.25f);
    to.cycle = INT64_MAX; // however far
    assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
    assert_true(report.hit_count == 1 && range.flags == 0 && range.to == 0.25f);

    const trp_timeline turning = timeline_make(&fixture.clip, TRP_PLAY_PING_PONG, 0, 0);
    const trp_playhead first = playhead_at(&turning, turning.length / 2, true);
    trp_playhead second = playhead_at(&turning, 7 * turning.length + turning.length / 4, false);
    args = args_of(&turning, &first, &second);
    assert_int_equal(trp_event_ranges(&args, &range, 1, &report), TRP_OK);
    assert_int_equal(range.flags, TRP_EVENT_BEGAN | TRP_EVENT_REVERSE);
    assert_true(range.from == 0.5f && range.to == 0.75f);
    fixture_free(&fixture);
}

/// A duration below a unit of the phase still is one, and sums of times that round up end with the
/// clip.
static void test_event_range_of_odd_durations(void **state)
{
    (void)state;
    for (uint32_t tick_count = 1; tick_count < 200; tick_count++) {
        const double end_s = tick_count / 30.0;
        const struct pack_event events[2] = {
            {.name = "short", .time_s = end_s / 3, .duration_s = 1e-12},
            {.name = "to the end", .time_s = end_s * 0.7, .duration_s = end_s - end_s * 0.7},
        };
        struct fixture fixture = fixture_make(tick_count, events, 2);
        const trp_timeline timeline = timeline_make(&fixture.clip, TRP_PLAY_CLAMP, 0, 0);
        const trp_playhead from = trp_playhead_start(&timeline, 0);
        const trp_playhead to = trp_playhead_start(&timeline, end_s);
        const trp_event_args args = args_of(&timeline, &from, &to);
        trp_event_range ranges[2];
        trp_event_report report;
        assert_int_equal(trp_event_ranges(&args, ranges, 2, &report), TRP_OK);
        assert_int_equal(report.written_count, 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(ranges[i].flags, TRP_EVENT_BEGAN | TRP_EVENT_ENDED);
            assert_true(ranges[i].from == 0 && ranges[i].to == 1);
        }
        fixture_free(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_view_says_what_the_clip_has),
        cmocka_unit_test(test_event_value_goes_along_its_easing),
        cmocka_unit_test(test_event_value_goes_along_its_samples),
        cmocka_unit_test(test_event_value_between_the_largest_numbers_is_finite),
        cmocka_unit_test(test_event_view_of_nothing_is_refused),
        cmocka_unit_test(test_event_b57_at_the_very_end_fires_once),
        cmocka_unit_test(test_event_b58_fires_once_backwards),
        cmocka_unit_test(test_event_b60_seek_fires_none_and_advance_what_follows),
        cmocka_unit_test(test_event_seam_of_a_loop_fires_both_ends),
        cmocka_unit_test(test_event_start_at_the_seam_fires_the_side_it_turns_to),
        cmocka_unit_test(test_event_turn_of_a_ping_pong_fires_once),
        cmocka_unit_test(test_event_of_no_length_fires_when_starting),
        cmocka_unit_test(test_event_random_ways_fire_what_lies_on_them),
        cmocka_unit_test(test_event_advances_fire_each_event_once),
        cmocka_unit_test(test_event_way_back_is_the_reverse),
        cmocka_unit_test(test_event_at_the_start_waits_for_the_first_advance),
        cmocka_unit_test(test_event_count_of_far_ways_is_closed),
        cmocka_unit_test(test_event_any_dt_ends_at_once),
        cmocka_unit_test(test_event_counts_stay_at_the_limit),
        cmocka_unit_test(test_event_fractions_are_right_where_units_overflow),
        cmocka_unit_test(test_event_batch_is_its_playheads_one_by_one),
        cmocka_unit_test(test_event_weight_decides_what_fires),
        cmocka_unit_test(test_event_bad_arguments_are_refused),
        cmocka_unit_test(test_event_ranges_are_what_steps_find),
        cmocka_unit_test(test_event_ranges_that_began_less_those_that_ended_are_active),
        cmocka_unit_test(test_event_range_says_how_far_it_came),
        cmocka_unit_test(test_event_range_past_the_clip_is_cut),
        cmocka_unit_test(test_event_range_of_the_whole_clip),
        cmocka_unit_test(test_event_range_of_odd_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
