// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Playheads against exact arithmetic: a playhead is modelled as one whole number of 128 bits that
// never wraps, which the runtime never has. Tests called b48 and so on are mistakes that other
// runtimes made.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "format.h"

#define CASE_COUNT 100000
#define INF ((double)INFINITY)

__extension__ typedef __int128 int128;

// -- Helpers -------------------------------------------------------------------------------------

/// The bytes of a clip that has nothing but events; only their phases matter here.
static _Alignas(64) struct {
    struct trp__clip_header header;
    struct trp__events_header events;
    uint64_t phases[8];
    struct trp__event event[8];
} clip_bytes;

static trp_clip clip_of(uint32_t tick_count, uint32_t rate_num, uint32_t rate_den)
{
    memset(&clip_bytes, 0, sizeof clip_bytes);
    return (trp_clip){
        .duration_s = (double)tick_count * rate_den / rate_num,
        .rate_num = rate_num,
        .rate_den = rate_den,
        .tick_count = tick_count,
        .bytes = (const uint8_t *)&clip_bytes,
        .size_bytes = sizeof clip_bytes,
    };
}

static trp_timeline timeline_of(const trp_clip *clip, trp_play_mode mode, uint32_t clock_num)
{
    const trp_timeline_args args = {.clip = clip, .mode = mode, .clock_num = clock_num};
    trp_timeline timeline;
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
}

static trp_timeline part_of(const trp_clip *clip, trp_play_mode mode, double start_s, double end_s)
{
    const trp_timeline_args args = {
        .clip = clip, .mode = mode, .start_s = start_s, .end_s = end_s, .clock_num = 60};
    trp_timeline timeline;
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
}

static void move(const trp_timeline *timeline, trp_playhead *playhead, double dt_s,
                 int64_t dt_ticks)
{
    const trp_playhead_args args = {
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .playheads = playhead,
        .dt_s = dt_s,
        .dt_ticks = dt_ticks,
    };
    assert_int_equal(trp_playheads_advance(&args, NULL), TRP_OK);
}

static uint64_t chance(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545F4914F6CDD1Du;
}

static int64_t chance_between(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)((chance(state) >> 1) % (uint64_t)(high - low + 1));
}

/// A number of any size up to 2^bits, either sign: small ones are as likely as large ones.
static int64_t chance_sized(uint64_t *state, int bits)
{
    const int64_t unused_bits = 64 - chance_between(state, 1, bits);
    const int64_t value = (int64_t)(chance(state) >> unused_bits);
    return chance(state) >> 63 ? -value : value;
}

static void assert_same(const void *a, const void *b, size_t size)
{
    assert_memory_equal(a, b, size);
}

// -- The truth

static int128 period_of(const trp_timeline *timeline)
{
    return timeline->mode == TRP_PLAY_PING_PONG ? 2 * (int128)timeline->length : timeline->length;
}

/// Where a playhead would be if its timeline never ended.
static int128 unwrapped(const trp_timeline *timeline, const trp_playhead *playhead)
{
    return playhead->cycle * period_of(timeline) + playhead->position;
}

/// Moves the model on.
static int128 model_move(const trp_timeline *timeline, int128 at, int128 move)
{
    if (timeline->length == 0) {
        return at;
    }
    at += move;
    if (timeline->mode == TRP_PLAY_CLAMP) {
        at = at < 0 ? 0 : (at > timeline->length ? timeline->length : at);
    }
    return at;
}

/// Units of some ticks of the clock at a speed of step / 65536, where they fit.
static int128 model_ticks(const trp_timeline *timeline, int64_t dt_ticks, int64_t step)
{
    return (int128)dt_ticks * step * timeline->units_per_clock;
}

static void assert_model(const trp_timeline *timeline, const trp_playhead *playhead, int128 at)
{
    assert_true(playhead->position >= 0);
    assert_true(timeline->mode == TRP_PLAY_CLAMP || timeline->length == 0
                    ? playhead->position <= timeline->length
                    : playhead->position < period_of(timeline));
    assert_true(unwrapped(timeline, playhead) == at);
}

/// A whole number of any size, written out in digits of 32 bits.
struct long_number {
    uint32_t digits[40];
};

static struct long_number long_of(uint64_t value)
{
    return (struct long_number){.digits = {(uint32_t)value, (uint32_t)(value >> 32)}};
}

static void long_times(struct long_number *number, uint32_t factor)
{
    uint64_t carried = 0;
    for (int i = 0; i < 40; i++) {
        carried += (uint64_t)number->digits[i] * factor;
        number->digits[i] = (uint32_t)carried;
        carried >>= 32;
    }
    assert_true(carried == 0);
}

/// Where a way of any length leads: the count of cycles, of which 64 bits are kept, and a position,
/// as one number below period * 2^64.
static int128 long_way(struct long_number number, bool is_backward, int64_t period)
{
    int128 rest = 0;
    uint64_t cycles = 0;
    for (int i = 39; i >= 0; i--) {
        rest = (rest << 32) + number.digits[i];
        cycles = (cycles << 32) + (uint64_t)(rest / period); // digit by digit, as on paper
        rest %= period;
    }
    const int128 way = (int128)cycles * period + rest;
    return is_backward ? -way : way;
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static int128 long_ticks(const trp_timeline *timeline, int64_t dt_ticks, int64_t step)
{
    struct long_number number = long_of(size_of(dt_ticks));
    const uint64_t factors[2] = {size_of(step), (uint64_t)timeline->units_per_clock};
    for (int i = 0; i < 2; i++) {
        struct long_number high = number;
        long_times(&high, (uint32_t)(factors[i] >> 32));
        long_times(&number, (uint32_t)factors[i]);
        uint64_t carried = 0;
        for (int k = 1; k < 40; k++) {
            carried += (uint64_t)number.digits[k] + high.digits[k - 1];
            number.digits[k] = (uint32_t)carried;
            carried >>= 32;
        }
    }
    return long_way(number, (dt_ticks < 0) != (step < 0), period_of(timeline));
}

/// @param units not yet rounded
static int128 long_seconds(const trp_timeline *timeline, double units)
{
    const double far = fmin(fabs(units), DBL_MAX);
    int bits = 0;
    const double part = frexp(far, &bits);
    if (bits <= 62) {
        return llround(units);
    }
    struct long_number number = long_of((uint64_t)ldexp(part, 53));
    for (int i = 53; i < bits; i++) {
        long_times(&number, 2);
    }
    return long_way(number, units < 0, period_of(timeline));
}

/// A playhead that went so far that its count of cycles wrapped around.
static void assert_far(const trp_timeline *timeline, const trp_playhead *before, int128 ticks,
                       int128 seconds, const trp_playhead *playhead)
{
    const int128 period = period_of(timeline);
    const int128 all = period << 64;
    int128 at = (int128)(uint64_t)before->cycle * period + before->position;
    at = ((at + ticks) % all + seconds) % all;
    at = at < 0 ? at + all : at;
    assert_true(playhead->position == (int64_t)(at % period));
    assert_true((uint64_t)playhead->cycle == (uint64_t)(at / period));
}

static trp_timeline chance_timeline(uint64_t *state, trp_clip *clip)
{
    static const uint32_t rates[6][2] = {{30, 1},       {24, 1},  {60, 1},
                                         {30000, 1001}, {120, 1}, {7, 3}};
    static const uint32_t clocks[5] = {60, 30, 144, 240, 1000};
    const uint32_t *const rate = rates[chance(state) % 6];
    *clip = clip_of((uint32_t)chance_between(state, 0, 400), rate[0], rate[1]);
    const trp_timeline_args args = {
        .clip = clip,
        .mode = (trp_play_mode)(chance(state) % 3),
        .start_s = chance(state) % 2 ? (double)chance_between(state, 0, 500) / 100 : 0,
        .end_s = chance(state) % 2 ? (double)chance_between(state, 0, 1500) / 100 : 0,
        .clock_num = clocks[chance(state) % 5],
        .clock_den = (uint32_t)chance_between(state, 0, 2),
    };
    trp_timeline timeline;
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
}

static trp_playhead chance_playhead(uint64_t *state, const trp_timeline *timeline)
{
    trp_playhead playhead = trp_playhead_start(timeline, (double)chance_between(state, -100, 2000) /
                                                             100 * timeline->clip->duration_s / 15);
    playhead.speed = (float)chance_sized(state, 20) / 65536;
    return playhead;
}

// -- Timelines -----------------------------------------------------------------------------------

static void test_playhead_timeline_units_are_the_finest_that_fit(void **state)
{
    (void)state;
    static const struct {
        uint32_t tick_count;
        int64_t units_per_tick;
    } cases[] = {
        {0, (int64_t)1 << 40},          {1, (int64_t)1 << 40},
        {1 << 20, (int64_t)1 << 40},    {(1 << 20) + 1, (int64_t)1 << 39},
        {0x3FFFFFFF, (int64_t)1 << 30},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trp_clip clip = clip_of(cases[i].tick_count, 30, 1);
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_PING_PONG, 0);
        assert_true(timeline.units_per_tick == cases[i].units_per_tick);
        assert_true(timeline.units_per_clock == 0);
        assert_true(timeline.units_per_second == 30.0 * (double)cases[i].units_per_tick);
        assert_true(timeline.length == cases[i].tick_count * cases[i].units_per_tick);
        assert_true(timeline.start == 0 && timeline.start_s == 0);
        assert_true(timeline.end_s == clip.duration_s);
        assert_true(timeline.clip == &clip && timeline.mode == TRP_PLAY_PING_PONG);
    }
}

/// A tick of the clock is a whole number of units at every speed that is a multiple of 1/65536.
static void test_playhead_timeline_units_divide_the_clock(void **state)
{
    (void)state;
    static const uint32_t clocks[][2] = {
        {60, 1},    {30, 1},         {144, 1},        {240, 1},   {24000, 1001},
        {1, 1},     {1, 3600},       {1000000, 1},    {48000, 0}, {1000000000, 1},
        {44100, 1}, {0xFFFFFFFF, 1}, {1, 0xFFFFFFFF}, {90000, 7},
    };
    static const uint32_t rates[][2] = {{30, 1}, {30000, 1001}, {24, 1}, {960, 1}, {1, 10}};
    static const uint32_t tick_counts[] = {0, 1, 36, 1000, 1 << 20, 0x3FFFFFFF};
    uint32_t made = 0;
    uint32_t refused = 0;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        for (size_t j = 0; j < 5 * 6; j++) {
            const trp_clip clip = clip_of(tick_counts[j % 6], rates[j / 6][0], rates[j / 6][1]);
            const trp_timeline_args args = {
                .clip = &clip, .clock_num = clocks[i][0], .clock_den = clocks[i][1]};
            trp_timeline timeline;
            memset(&timeline, 0x5A, sizeof timeline);
            trp_timeline untouched;
            memset(&untouched, 0x5A, sizeof untouched);
            const trp_result result = trp_timeline_make(&args, &timeline);
            if (result != TRP_OK) {
                assert_int_equal(result, TRP_ERROR_UNSUPPORTED);
                assert_same(&timeline, &untouched, sizeof timeline);
                refused++;
                continue;
            }
            made++;
            const uint32_t den = clocks[i][1] ? clocks[i][1] : 1;
            const int128 clip_side =
                (int128)timeline.units_per_clock * 65536 * clocks[i][0] * clip.rate_den;
            assert_true(clip_side == (int128)timeline.units_per_tick * den * clip.rate_num);
            assert_true(timeline.units_per_tick % (1 << 20) == 0);
            assert_true((int128)timeline.units_per_tick * clip.tick_count <= (int128)1 << 60);
        }
    }
    assert_true(made > 200 && refused > 20);
}

static void test_playhead_timeline_is_a_whole_number_of_ticks_however_long(void **state)
{
    (void)state;
    static const uint32_t rates[4][2] = {{30, 1}, {30000, 1001}, {7, 3}, {959, 1}};
    uint64_t seed = 3;
    for (int i = 0; i < 10000; i++) {
        const uint32_t ticks = (uint32_t)chance_between(&seed, 0, 0x3FFFFFFF);
        const trp_clip clip = clip_of(ticks, rates[i % 4][0], rates[i % 4][1]);
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 0);
        assert_true(timeline.length == ticks * timeline.units_per_tick);
    }
}

/// Nanoseconds too: units are no finer than the clock needs.
static void test_playhead_one_move_goes_an_hour_on_any_clock(void **state)
{
    (void)state;
    static const uint32_t clocks[6] = {1, 60, 1000, 48000, 1000000, 1000000000};
    const trp_clip clip = clip_of(36, 30, 1);
    for (int i = 0; i < 6; i++) {
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, clocks[i]);
        trp_playhead playhead = trp_playhead_start(&timeline, 0);
        move(&timeline, &playhead, 0, (int64_t)3600 * clocks[i]);
        assert_true(playhead.position == 0 && playhead.cycle == 3000);
    }
}

/// About where one word stops holding a way, and far beyond.
static void test_playhead_far_moves_end_where_long_division_says(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clip;
        trp_timeline timeline = chance_timeline(&seed, &clip);
        if (timeline.mode == TRP_PLAY_CLAMP || timeline.length == 0) {
            continue;
        }
        trp_playhead playhead = chance_playhead(&seed, &timeline);
        const int64_t step = chance_sized(&seed, 24);
        playhead.speed = (float)step / 65536;
        int64_t dt_ticks = chance_sized(&seed, 63);
        if (chance(&seed) % 4 == 0 && step != 0) { // near 2^61, 2^62 or 2^63 units
            dt_ticks = (int64_t)(ldexp(1, 61 + (int)(chance(&seed) % 3)) /
                                 (double)timeline.units_per_clock / (double)step) +
                       chance_between(&seed, -3, 3);
        }
        double dt_s = ldexp((double)chance_sized(&seed, 53), (int)chance_between(&seed, -60, 40));
        if (chance(&seed) % 8 == 0) {
            const double dts[4] = {INF, -INF, DBL_MAX, -1e300};
            dt_s = dts[chance(&seed) % 4];
        }
        const trp_playhead before = playhead;
        const double units =
            step == 0 ? 0 : dt_s * (double)playhead.speed * timeline.units_per_second;
        move(&timeline, &playhead, dt_s, dt_ticks);
        assert_far(&timeline, &before, long_ticks(&timeline, dt_ticks, step),
                   long_seconds(&timeline, units), &playhead);
        assert_int_equal(playhead.flags, 0);
    }
}

static void test_playhead_far_moves_reach_the_ends_where_clamped(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(37, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_CLAMP, 60);
    const int64_t far = ((int64_t)1 << 61) / (65536 * timeline.units_per_clock);
    const int64_t ways[6] = {far - 1, far, far + 1, 2 * far, 4 * far, INT64_MAX};
    for (int i = 0; i < 6 * 2; i++) {
        const int sign = i % 2 ? 1 : -1;
        const double dts[3] = {0, -1e9 * sign, INF * sign}; // 1e9 s: 2^75 units
        for (int j = 0; j < 3; j++) {
            trp_playhead playhead = trp_playhead_start(&timeline, 0.5);
            move(&timeline, &playhead, dts[j], sign * ways[i / 2]);
            const bool is_on = (sign > 0) != (j == 1 && i < 10);
            assert_true(playhead.position == (is_on ? timeline.length : 0));
            assert_int_equal(playhead.flags, TRP_PLAYHEAD_ENDED);
        }
    }
}

static void test_playhead_of_a_timeline_never_made_stays(void **state)
{
    (void)state;
    const trp_timeline timeline = {0};
    trp_playhead playhead = trp_playhead_start(&timeline, 0.5);
    const trp_playhead before = playhead;
    double time_s = 7;
    trp_playhead_report report;
    const trp_playhead_args args = {.timelines = &timeline,
                                    .timeline_count = 1,
                                    .playhead_count = 1,
                                    .playheads = &playhead,
                                    .dt_s = 1,
                                    .times_s = &time_s};
    assert_int_equal(trp_playheads_advance(&args, &report), TRP_OK);
    assert_int_equal(report.bad_timeline_count, 1);
    assert_true(time_s == 0 && trp_playhead_time_s(&timeline, &playhead) == 0);
    assert_same(&playhead, &before, sizeof before);
}

static void test_playhead_timeline_parts_are_clamped_and_meet_the_ends(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1); // 1.2 s
    const double nan = (double)NAN;
    const struct {
        double start_s, end_s;
        double from_s, to_s;
    } cases[] = {
        {0, 0, 0, 1.2},       {nan, nan, 0, 1.2},   {-1, 5, 0, 1.2},       {0.4, 0, 0.4, 1.2},
        {0.4, 0.8, 0.4, 0.8}, {0.8, 0.4, 0.8, 0.8}, {INF, 0, 1.2, 1.2},    {-INF, INF, 0, 1.2},
        {0, -1, 0, 0},        {5, 1, 1.2, 1.2},     {0.1, -0.0, 0.1, 1.2}, {0, 1e-300, 0, 1e-300},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trp_timeline timeline =
            part_of(&clip, TRP_PLAY_CLAMP, cases[i].start_s, cases[i].end_s);
        assert_true(timeline.start_s == cases[i].from_s && timeline.end_s == cases[i].to_s);
        const double end = (double)(timeline.start + timeline.length);
        assert_true(fabs((double)timeline.start - cases[i].from_s * timeline.units_per_second) < 1);
        assert_true(fabs(end - cases[i].to_s * timeline.units_per_second) < 1);
        assert_true(cases[i].to_s < 1.2 ||
                    timeline.start + timeline.length == 36 * timeline.units_per_tick);
        const trp_playhead first = trp_playhead_start(&timeline, -INF);
        const trp_playhead last = trp_playhead_start(&timeline, INF);
        assert_true(trp_playhead_time_s(&timeline, &first) == cases[i].from_s);
        assert_true(timeline.length == 0 || trp_playhead_time_s(&timeline, &last) == cases[i].to_s);
    }
}

static void test_playhead_timeline_finds_the_events_that_lie_in_it(void **state)
{
    (void)state;
    static const uint32_t ticks[8] = {0, 0, 12, 12, 20, 24, 36, 36};
    static const struct {
        double start_s, end_s;
        uint32_t first, count;
    } cases[] = {
        {0, 0, 0, 8},     {0.4, 0.8, 2, 4}, {0.41, 0.79, 4, 1}, {0.41, 0.6, 4, 0},
        {1.2, 1.2, 6, 2}, {0, -1, 0, 2},    {0.9, 1.1, 6, 0},   {0.4, 0.4, 2, 2},
    };
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline without = timeline_of(&clip, TRP_PLAY_LOOP, 0);
    assert_int_equal(without.event_count, 0);
    clip_bytes.header.events_offset = offsetof(__typeof__(clip_bytes), events);
    clip_bytes.events.event_count = 8;
    for (int i = 0; i < 8; i++) {
        clip_bytes.phases[i] = (uint64_t)ticks[i] << 20;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const trp_timeline timeline =
            part_of(&clip, TRP_PLAY_LOOP, cases[i].start_s, cases[i].end_s);
        assert_int_equal(timeline.first_event, cases[i].first);
        assert_int_equal(timeline.event_count, cases[i].count);
    }
}

static void test_playhead_timeline_refuses_and_leaves_it_alone(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_clip empty = {0};
    trp_timeline timeline;
    memset(&timeline, 0x5A, sizeof timeline);
    const trp_timeline untouched = timeline;
    const trp_timeline_args good = {.clip = &clip};
    const trp_timeline_args bad[] = {
        {0},
        {.clip = &empty},
        {.clip = &clip, .mode = (trp_play_mode)3},
        {.clip = &clip, .mode = (trp_play_mode)-1},
    };
    assert_int_equal(trp_timeline_make(NULL, &timeline), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_timeline_make(&good, NULL), TRP_ERROR_ARGUMENT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(trp_timeline_make(&bad[i], &timeline), TRP_ERROR_ARGUMENT);
    }
    assert_same(&timeline, &untouched, sizeof timeline);
}

// -- Starting and seeking ------------------------------------------------------------------------

static void test_playhead_start_stands_where_it_is_told(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    for (int mode = 0; mode < 3; mode++) {
        const trp_timeline timeline = part_of(&clip, (trp_play_mode)mode, 0.4, 0.8);
        const int64_t tick = timeline.units_per_tick;
        const struct {
            double time_s;
            int64_t position;
        } cases[] = {{-INF, 0},         {0, 0},           {(double)NAN, 0},
                     {0.4, 0},          {0.6, 6 * tick},  {0.7, 9 * tick},
                     {0.8, 12 * tick},  {0.9, 12 * tick}, {INF, 12 * tick},
                     {1e300, 12 * tick}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const bool is_round = mode == TRP_PLAY_LOOP && cases[i].position == 12 * tick;
            trp_playhead playhead = trp_playhead_start(&timeline, cases[i].time_s);
            const trp_playhead expected = {
                .position = is_round ? 0 : cases[i].position,
                .cycle = is_round,
                .speed = 1,
                .flags = TRP_PLAYHEAD_STARTING,
            };
            assert_same(&playhead, &expected, sizeof playhead);
            playhead.speed = -2;
            playhead.cycle = 77;
            playhead.timeline = 5;
            playhead.flags |= TRP_PLAYHEAD_ENDED;
            trp_playhead_seek(&timeline, cases[i].time_s, &playhead);
            assert_true(playhead.position == expected.position && playhead.cycle == is_round);
            assert_true(playhead.speed == -2 && playhead.timeline == 5 && playhead.flags == 0);
        }
    }
    const trp_playhead nowhere = trp_playhead_start(NULL, 3);
    assert_true(nowhere.position == 0 && nowhere.cycle == 0 && nowhere.speed == 1);
    trp_playhead_seek(NULL, 0, NULL);
    assert_true(trp_playhead_time_s(NULL, &nowhere) == 0);
    const trp_timeline timeline = part_of(&clip, TRP_PLAY_LOOP, 0.4, 0.8);
    assert_true(trp_playhead_time_s(&timeline, NULL) == 0);
}

static void test_playhead_time_never_falls_as_units_rise(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clip;
        const trp_timeline timeline = chance_timeline(&seed, &clip);
        trp_playhead playhead = {0};
        playhead.position = chance_between(&seed, 0, timeline.length);
        const double time_s = trp_playhead_time_s(&timeline, &playhead);
        playhead.position += playhead.position < timeline.length;
        const double next_s = trp_playhead_time_s(&timeline, &playhead);
        playhead.position = 0;
        assert_true(trp_playhead_time_s(&timeline, &playhead) == timeline.start_s);
        playhead.position = timeline.length;
        assert_true(timeline.length == 0 ||
                    trp_playhead_time_s(&timeline, &playhead) == timeline.end_s);
        assert_true(timeline.start_s <= time_s && time_s <= next_s && next_s <= timeline.end_s);
    }
}

// -- Moving on -----------------------------------------------------------------------------------

static void test_playhead_any_dt_in_any_mode_and_direction_ends_at_the_truth(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    const double dts[] = {0,        -0.0,      nan, INF,  -INF, 1e300, -1e300, DBL_MAX, 5e-324,
                          1.0 / 60, -1.0 / 60, 1.2, -1.2, 1.25, 100,   -100,   1e9,     -1e9};
    const int64_t ticks[] = {0, 1, -1, 72, -72, 73, 7200, INT64_MAX, INT64_MIN, 1 << 30};
    const float speeds[] = {1, -1, 0, -0.0f, 0.5f, -3, FLT_MAX, -FLT_MAX, INFINITY, NAN};
    const trp_clip clip = clip_of(36, 30, 1);
    for (int mode = 0; mode < 3; mode++) {
        const trp_timeline timeline = part_of(&clip, (trp_play_mode)mode, 0.2, 1);
        for (size_t i = 0; i < sizeof dts / sizeof *dts; i++) {
            for (size_t j = 0; j < 10 * 10; j++) {
                const float speed = speeds[j / 10];
                const int64_t dt_ticks = ticks[j % 10];
                trp_playhead playhead = trp_playhead_start(&timeline, 0.5);
                playhead.speed = speed;
                const trp_playhead before = playhead;
                const double number = isnan(speed) ? 0 : (double)speed;
                double units = dts[i] * number * timeline.units_per_second;
                units = isnan(units) ? 0 : units;
                const double stepped = number * 65536;
                const int64_t step = stepped > 0x1p31    ? (int64_t)1 << 31
                                     : stepped < -0x1p31 ? -((int64_t)1 << 31)
                                                         : llround(stepped);
                move(&timeline, &playhead, dts[i], dt_ticks);
                if (mode != TRP_PLAY_CLAMP) {
                    assert_far(&timeline, &before, long_ticks(&timeline, dt_ticks, step),
                               long_seconds(&timeline, units), &playhead);
                } else if (fabs(units) < 0x1p61 && size_of(dt_ticks) < 1u << 31) {
                    const int128 way = llround(units) + model_ticks(&timeline, dt_ticks, step);
                    assert_model(&timeline, &playhead, model_move(&timeline, before.position, way));
                } else { // either end, and no rounding can make it the other one
                    const double steps = (double)dt_ticks * (double)step;
                    const double way = units + steps * (double)timeline.units_per_clock;
                    assert_model(&timeline, &playhead,
                                 way == 0 ? before.position : (way > 0 ? timeline.length : 0));
                }
                const double time_s = trp_playhead_time_s(&timeline, &playhead);
                assert_true(time_s >= 0.2 && time_s <= 1);
            }
        }
    }
}

static void test_playhead_starting_goes_with_the_first_advance(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    for (int mode = 0; mode < 3; mode++) {
        const trp_timeline timeline = timeline_of(&clip, (trp_play_mode)mode, 60);
        const double dts[] = {0, 0.1, -0.1, 50};
        for (int i = 0; i < 4; i++) {
            trp_playhead playhead = trp_playhead_start(&timeline, 0.5);
            assert_int_equal(playhead.flags, TRP_PLAYHEAD_STARTING);
            move(&timeline, &playhead, dts[i], 0);
            assert_false(playhead.flags & TRP_PLAYHEAD_STARTING);
        }
    }
}

static void test_playhead_ended_is_set_at_the_end_it_moved_to(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_CLAMP, 60);
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    move(&timeline, &playhead, 0, 71);
    assert_int_equal(playhead.flags, 0);
    move(&timeline, &playhead, 0, 1); // right on it
    assert_int_equal(playhead.flags, TRP_PLAYHEAD_ENDED);
    assert_true(playhead.position == timeline.length);
    move(&timeline, &playhead, 0, 1);
    move(&timeline, &playhead, 0, 0);
    assert_int_equal(playhead.flags, TRP_PLAYHEAD_ENDED);
    playhead.speed = -1;
    move(&timeline, &playhead, 0, 1);
    assert_int_equal(playhead.flags, 0);
    move(&timeline, &playhead, 0, 71);
    assert_int_equal(playhead.flags, TRP_PLAYHEAD_ENDED);
    assert_true(playhead.position == 0);
    move(&timeline, &playhead, 0, -1);
    assert_int_equal(playhead.flags, 0);
    move(&timeline, &playhead, -9, 0);
    assert_int_equal(playhead.flags, TRP_PLAYHEAD_ENDED);
    trp_playhead_seek(&timeline, 1.2, &playhead);
    move(&timeline, &playhead, 0, 0); // not moved to it
    assert_int_equal(playhead.flags, 0);
    playhead = trp_playhead_start(&timeline, 0);
    move(&timeline, &playhead, 0, 0);
    assert_int_equal(playhead.flags, 0);
    for (int mode = 1; mode < 3; mode++) {
        const trp_timeline other = timeline_of(&clip, (trp_play_mode)mode, 60);
        playhead = trp_playhead_start(&other, 0);
        for (int i = 0; i < 200; i++) {
            move(&other, &playhead, 0, 1);
            assert_int_equal(playhead.flags, 0);
        }
    }
}

static void test_playhead_b25_of_no_length_stands_still_and_counts_no_loops(void **state)
{
    (void)state;
    const trp_clip empty = clip_of(0, 30, 1);
    const trp_clip clip = clip_of(36, 30, 1);
    const double dts[] = {0, 1.0 / 60, -1.0 / 60, 1e300, -INF, (double)NAN};
    for (int i = 0; i < 6; i++) {
        for (int mode = 0; mode < 3; mode++) {
            const trp_timeline timelines[2] = {timeline_of(&empty, (trp_play_mode)mode, 60),
                                               part_of(&clip, (trp_play_mode)mode, 0.4, 0.4)};
            for (int j = 0; j < 2; j++) {
                const trp_timeline *const timeline = &timelines[j];
                trp_playhead playhead = trp_playhead_start(timeline, 1);
                move(timeline, &playhead, dts[i], i);
                move(timeline, &playhead, dts[i], INT64_MIN);
                assert_true(playhead.position == 0 && playhead.cycle == 0);
                assert_true(trp_playhead_time_s(timeline, &playhead) == (j ? 0.4 : 0));
                assert_int_equal(playhead.flags, mode ? 0 : TRP_PLAYHEAD_ENDED);
            }
        }
    }
}

static void test_playhead_b27_b28_at_the_very_end_is_at_the_last_key(void **state)
{
    (void)state;
    uint64_t seed = 27;
    for (int i = 0; i < 1000; i++) { // any length and rate, in steps that hit the end
        const uint32_t ticks = (uint32_t)chance_between(&seed, 1, 2000);
        const trp_clip clip = clip_of(ticks, (uint32_t)chance_between(&seed, 1, 240), 1);
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_CLAMP, clip.rate_num);
        trp_playhead playhead = trp_playhead_start(&timeline, 0);
        for (uint32_t tick = 0; tick < ticks; tick++) {
            assert_false(playhead.flags & TRP_PLAYHEAD_ENDED);
            move(&timeline, &playhead, 0, 1);
        }
        assert_true(trp_playhead_time_s(&timeline, &playhead) == clip.duration_s);
        assert_true(playhead.position == timeline.length);
        playhead = trp_playhead_start(&timeline, clip.duration_s);
        assert_true(trp_playhead_time_s(&timeline, &playhead) == clip.duration_s);
    }
}

static void test_playhead_b30_a_finished_clip_holds_its_last_moment(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_CLAMP, 60);
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    for (int i = 0; i < 10000; i++) {
        move(&timeline, &playhead, 1.0 / 60, 0);
        assert_true(i < 72 || trp_playhead_time_s(&timeline, &playhead) == clip.duration_s);
    }
}

static void test_playhead_b48_paused_on_the_way_back_stands_at_duration_less_time(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_PING_PONG, 60);
    for (int64_t frame = 0; frame < 288; frame++) {
        trp_playhead playhead = trp_playhead_start(&timeline, 0);
        move(&timeline, &playhead, 0, frame);
        const int64_t within = frame % 144; // 72 frames either way
        const double time_s = (double)(within <= 72 ? within : 144 - within) / 60;
        assert_true(fabs(trp_playhead_time_s(&timeline, &playhead) - time_s) < 1e-15);
        assert_true(playhead.cycle == frame / 144);
        const trp_playhead before = playhead;
        playhead.speed = 0; // paused, however long
        for (int i = 0; i < 10; i++) {
            move(&timeline, &playhead, 0.3, 7);
        }
        playhead.speed = before.speed;
        assert_true(playhead.position == before.position && playhead.cycle == before.cycle);
    }
}

static void test_playhead_b51_a_part_loops_without_a_hold_or_a_way_back(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(48, 30, 1); // keys end at 1.2 s, the clip at 1.6 s
    const trp_timeline timeline = part_of(&clip, TRP_PLAY_LOOP, 0, 1.2);
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    for (int frame = 1; frame < 1000; frame++) {
        move(&timeline, &playhead, 0, 1);
        assert_true(fabs(trp_playhead_time_s(&timeline, &playhead) - (frame % 72) / 60.0) < 1e-15);
        assert_int_equal(playhead.cycle, frame / 72);
    }
}

static void test_playhead_b53_looped_for_65_hours_is_a_fresh_one(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(37, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 60);
    const trp_timeline in_seconds = timeline_of(&clip, TRP_PLAY_LOOP, 0);
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    trp_playhead rounded = trp_playhead_start(&in_seconds, 0);
    const int64_t frames = 65 * 3600 * 60;
    for (int64_t frame = 0; frame < frames; frame++) {
        move(&timeline, &playhead, 0, 1);
        move(&in_seconds, &rounded, 1.0 / 60, 0);
    }
    trp_playhead fresh = trp_playhead_start(&timeline, 0);
    move(&timeline, &fresh, 0, frames % 74);
    assert_true(playhead.position == fresh.position && playhead.cycle == frames / 74);
    const double time_s = trp_playhead_time_s(&timeline, &playhead);
    const double fresh_s = trp_playhead_time_s(&timeline, &fresh);
    assert_same(&time_s, &fresh_s, sizeof time_s);
    assert_true(fabs(trp_playhead_time_s(&in_seconds, &rounded) - fresh_s) < 1e-6);
    for (int frame = 0; frame < 74; frame++) { // and goes on at the same speed
        const double before_s = trp_playhead_time_s(&timeline, &playhead);
        move(&timeline, &playhead, 0, 1);
        double step_s = trp_playhead_time_s(&timeline, &playhead) - before_s;
        step_s += step_s < 0 ? clip.duration_s : 0;
        assert_true(fabs(step_s - 1.0 / 60) < 1e-12);
    }
}

static void test_playhead_b54_is_steady_where_floats_freeze(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(1 << 26, 60, 1); // past 2^19 s, and ticks past 2^24
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_CLAMP, 0);
    trp_playhead playhead = trp_playhead_start(&timeline, 0x1p19);
    for (int frame = 1; frame <= 6000; frame++) {
        move(&timeline, &playhead, 1.0 / 60, 0);
        const double time_s = trp_playhead_time_s(&timeline, &playhead);
        assert_true(fabs(time_s - (0x1p19 + frame / 60.0)) < 1e-9);
    }
}

// -- Long times ----------------------------------------------------------------------------------

static void test_playhead_a_billion_loops_are_a_fresh_start(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(37, 30, 1);
    const int64_t loops = 1000000000;
    uint64_t seed = 9;
    for (int mode = 1; mode < 3; mode++) {
        const trp_timeline timeline = timeline_of(&clip, (trp_play_mode)mode, 60);
        const int64_t period = 74 * mode;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int64_t rest = 0; rest < period; rest += 13) {
                trp_playhead fresh = trp_playhead_start(&timeline, 0);
                move(&timeline, &fresh, 0, rest);
                trp_playhead playhead = fresh;
                for (int64_t left = loops; left > 0;) {
                    const int64_t most = left < 20000 ? left : 20000;
                    const int64_t count = chance_between(&seed, most / 2 + 1, most);
                    move(&timeline, &playhead, 0, sign * count * period);
                    left -= count;
                }
                assert_true(playhead.cycle == sign * loops);
                assert_true(playhead.position == fresh.position);
                const double time_s = trp_playhead_time_s(&timeline, &playhead);
                const double fresh_s = trp_playhead_time_s(&timeline, &fresh);
                assert_same(&time_s, &fresh_s, sizeof time_s);
            }
        }
    }
}

static void test_playhead_a_year_of_frames_is_a_fresh_start(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(37, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 60);
    const int64_t hour = 3600 * 60;
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    playhead.speed = 0.75f;
    trp_playhead jumped = playhead;
    for (int64_t frame = 0; frame < hour; frame++) { // an hour as it comes
        move(&timeline, &playhead, 0, 1);
    }
    move(&timeline, &jumped, 0, hour);
    assert_same(&playhead, &jumped, sizeof playhead);
    for (int i = 1; i < 365 * 24; i++) { // and the others at once
        move(&timeline, &playhead, 0, hour);
    }
    const int64_t quarters = 365 * 24 * hour * 3; // of a tick of the clock; 296 a loop
    trp_playhead fresh = trp_playhead_start(&timeline, 0);
    fresh.speed = 0.25f;
    move(&timeline, &fresh, 0, quarters % 296);
    assert_true(playhead.position == fresh.position && playhead.cycle == quarters / 296);
    const double time_s = trp_playhead_time_s(&timeline, &playhead);
    const double fresh_s = trp_playhead_time_s(&timeline, &fresh);
    assert_same(&time_s, &fresh_s, sizeof time_s);
}

/// 2^-64 of a second: every dt of a frame is a whole number of them.
static int128 fine_seconds(double seconds)
{
    return (int128)(seconds * 0x1p64);
}

static void test_playhead_100_hours_are_exact_in_ticks_and_bounded_in_seconds(void **state)
{
    (void)state;
    static const uint32_t rates[5] = {30, 60, 144, 240, 0}; // 0: any frame lasts another time
    const trp_clip clip = clip_of(37, 30, 1);
    const trp_timeline in_seconds = timeline_of(&clip, TRP_PLAY_PING_PONG, 0);
    for (int i = 0; i < 5; i++) {
        const trp_timeline in_ticks =
            timeline_of(&clip, TRP_PLAY_PING_PONG, rates[i] ? rates[i] : 1000000);
        const int64_t second = rates[i] ? rates[i] : 1000000;
        uint64_t seed = 100;
        trp_playhead exact = trp_playhead_start(&in_ticks, 0);
        trp_playhead rounded = trp_playhead_start(&in_seconds, 0);
        int64_t ticks = 0;
        int64_t frames = 0;
        int128 seconds = 0;
        for (; ticks < 360000 * second; frames++) {
            const int64_t dt_ticks = rates[i] ? 1 : chance_between(&seed, 1000, 60000);
            const double dt_s = (double)dt_ticks / (double)second;
            move(&in_ticks, &exact, 0, dt_ticks);
            move(&in_seconds, &rounded, dt_s, 0);
            ticks += dt_ticks;
            seconds += fine_seconds(dt_s);
        }
        // 30 ticks of the clip a second.
        assert_true(unwrapped(&in_ticks, &exact) * second ==
                    (int128)ticks * 30 * in_ticks.units_per_tick);
        const int128 truth = seconds * 30; // in 2^-64 ticks, of which a unit of 2^-40 has 2^24
        const int128 error = unwrapped(&in_seconds, &rounded) * (1 << 24) - truth;
        const double units = fabs((double)error) / (1 << 24);
        const double bound = 0.5 * (double)frames + (double)truth / (1 << 24) * 0x1p-51;
        print_message("100 h, %s dt, clock of %lld Hz: ticks exact, seconds off by %.0f of %.0f "
                      "units, %.2g s\n",
                      rates[i] ? "steady" : "any", (long long)second, units, bound,
                      units / 0x1p40 / 30);
        assert_true(units <= bound);
    }
}

// -- Properties ----------------------------------------------------------------------------------

static void test_playhead_any_split_of_ticks_ends_in_the_same_state(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clip;
        const trp_timeline timeline = chance_timeline(&seed, &clip);
        trp_playhead whole = chance_playhead(&seed, &timeline);
        trp_playhead parts = whole;
        const int64_t way = chance_sized(&seed, (int)chance_between(&seed, 1, 63));
        move(&timeline, &whole, 0, way);
        int64_t gone = 0;
        while (gone != way) {
            const int64_t left = way - gone;
            const int64_t part = chance(&seed) % 4 == 0 ? left : left / chance_between(&seed, 1, 9);
            move(&timeline, &parts, 0, part);
            gone += part != 0 ? part : left > 0 ? 1 : -1;
            move(&timeline, &parts, 0, part != 0 ? 0 : left > 0 ? 1 : -1);
        }
        if (way == 0) {
            move(&timeline, &parts, 0, 0);
        }
        assert_same(&whole, &parts, sizeof whole);
    }
}

static void test_playhead_reverse_takes_back_what_forward_did(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clip;
        trp_timeline timeline = chance_timeline(&seed, &clip);
        if (timeline.mode == TRP_PLAY_CLAMP) {
            continue;
        }
        trp_playhead playhead = chance_playhead(&seed, &timeline);
        playhead.flags = 0;
        const trp_playhead before = playhead;
        const double dt_s =
            ldexp((double)chance_sized(&seed, 53), (int)chance_between(&seed, -80, 970));
        const int64_t dt_ticks = chance_sized(&seed, 63);
        move(&timeline, &playhead, dt_s, dt_ticks);
        if (chance(&seed) % 2) {
            move(&timeline, &playhead, -dt_s, -dt_ticks);
        } else {
            playhead.speed = -playhead.speed;
            move(&timeline, &playhead, dt_s, dt_ticks);
            playhead.speed = -playhead.speed;
        }
        assert_same(&playhead, &before, sizeof playhead);
    }
}

static void test_playhead_random_ways_agree_with_exact_arithmetic(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clip;
        const trp_timeline timeline = chance_timeline(&seed, &clip);
        trp_playhead playhead = chance_playhead(&seed, &timeline);
        const int64_t step = (int64_t)((double)playhead.speed * 65536); // a whole number
        int128 at = unwrapped(&timeline, &playhead);
        for (int j = 0; j < 5; j++) {
            const int64_t dt_ticks = chance_sized(&seed, 20);
            at = model_move(&timeline, at, model_ticks(&timeline, dt_ticks, step));
            move(&timeline, &playhead, 0, dt_ticks);
            assert_model(&timeline, &playhead, at);
        }
    }
}

static void test_playhead_seconds_are_rounded_to_the_nearest_unit(void **state)
{
    (void)state;
    uint64_t seed = 14;
    const trp_clip clip = clip_of(1 << 20, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 0);
    for (int i = 0; i < CASE_COUNT; i++) {
        const int64_t seconds = chance_sized(&seed, 53); // * 2^-60
        const int64_t step = chance_sized(&seed, 20);
        trp_playhead playhead = trp_playhead_start(&timeline, 1000);
        playhead.speed = (float)step / 65536;
        const int128 before = unwrapped(&timeline, &playhead);
        move(&timeline, &playhead, ldexp((double)seconds, -60), 0);
        const int128 way = unwrapped(&timeline, &playhead) - before;
        // seconds * 2^-60 * step * 2^-16 * 30 * 2^40 units, so count in 2^-36 units
        const int128 truth = (int128)seconds * step * 30;
        const double error = fabs((double)(way * ((int128)1 << 36) - truth)) / 0x1p36;
        assert_true(error <= 0.5 + fabs((double)truth) / 0x1p36 * 0x1p-51);
    }
    trp_playhead playhead = trp_playhead_start(&timeline, 0);
    const double half = 0.5 / timeline.units_per_second;
    const double ways[5] = {half, -half, 2.9 * half, 3 * half, -3 * half};
    const int64_t rounded[5] = {1, -1, 1, 2, -2};
    for (int i = 0; i < 5; i++) {
        const int128 before = unwrapped(&timeline, &playhead);
        move(&timeline, &playhead, ways[i], 0);
        assert_true(unwrapped(&timeline, &playhead) - before == rounded[i]);
    }
}

// -- Batches -------------------------------------------------------------------------------------

#define CROWD 100

static void make_crowd(uint64_t seed, const trp_timeline *timelines, uint32_t timeline_count,
                       trp_playhead *playheads)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        const uint32_t index = (uint32_t)(chance(&seed) % timeline_count);
        playheads[i] = chance_playhead(&seed, &timelines[index]);
        playheads[i].timeline = index;
    }
}

static void test_playhead_rolled_back_state_plays_the_same_bits(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    trp_timeline timelines[3];
    for (int mode = 0; mode < 3; mode++) {
        timelines[mode] = timeline_of(&clip, (trp_play_mode)mode, 60);
    }
    trp_playhead playheads[CROWD];
    trp_playhead saved[CROWD];
    trp_playhead reached[CROWD];
    double times[2][CROWD];
    make_crowd(15, timelines, 3, playheads);
    trp_playhead_args args = {.timelines = timelines,
                              .timeline_count = 3,
                              .playhead_count = CROWD,
                              .playheads = playheads,
                              .dt_s = 0.013,
                              .dt_ticks = 3,
                              .times_s = times[0]};
    for (int round = 0; round < 50; round++) {
        memcpy(saved, playheads, sizeof saved);
        for (int i = 0; i < 8; i++) { // to be taken back
            assert_int_equal(trp_playheads_advance(&args, NULL), TRP_OK);
        }
        memcpy(reached, playheads, sizeof reached);
        memcpy(playheads, saved, sizeof saved);
        memcpy(times[1], times[0], sizeof times[0]);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(trp_playheads_advance(&args, NULL), TRP_OK);
        }
        assert_same(playheads, reached, sizeof reached);
        assert_same(times[0], times[1], sizeof times[0]);
    }
}

static void test_playhead_batches_of_any_split_are_single_advances(void **state)
{
    (void)state;
    uint64_t seed = 16;
    for (int round = 0; round < 300; round++) {
        trp_clip clips[4];
        trp_timeline timelines[4];
        for (int i = 0; i < 4; i++) {
            timelines[i] = chance_timeline(&seed, &clips[i]);
        }
        trp_playhead together[CROWD];
        trp_playhead split[CROWD];
        trp_playhead previous[2][CROWD];
        double times[2][CROWD];
        make_crowd(chance(&seed) | 1, timelines, 4, together);
        together[7].timeline = 4;
        together[8].speed = NAN;
        memcpy(split, together, sizeof split);
        trp_playhead_args args = {.timelines = timelines,
                                  .timeline_count = 4,
                                  .playhead_count = CROWD,
                                  .playheads = together,
                                  .previous = previous[0],
                                  .times_s = times[0],
                                  .dt_s = (double)chance_sized(&seed, 20) / 1000,
                                  .dt_ticks = chance_sized(&seed, 10)};
        trp_playhead before[CROWD];
        memcpy(before, together, sizeof before);
        trp_playhead_report whole;
        trp_playhead_report sum = {0};
        assert_int_equal(trp_playheads_advance(&args, &whole), TRP_OK);
        for (uint32_t first = 0; first < CROWD;) {
            const uint32_t count = (uint32_t)chance_between(&seed, 0, CROWD - first);
            args.playhead_count = count;
            args.playheads = split + first;
            args.previous = previous[1] + first;
            args.times_s = times[1] + first;
            trp_playhead_report part;
            assert_int_equal(trp_playheads_advance(&args, &part), TRP_OK);
            sum.bad_speed_count += part.bad_speed_count;
            sum.bad_timeline_count += part.bad_timeline_count;
            first += count;
        }
        assert_same(split, together, sizeof split);
        assert_same(previous[0], before, sizeof before);
        assert_same(previous[1], before, sizeof before);
        assert_same(times[0], times[1], sizeof times[0]);
        assert_same(&whole, &sum, sizeof whole);
        for (uint32_t i = 0; i < CROWD; i++) {
            const double time_s =
                together[i].timeline < 4
                    ? trp_playhead_time_s(&timelines[together[i].timeline], &together[i])
                    : 0;
            assert_same(&time_s, &times[0][i], sizeof time_s);
        }
    }
}

static void test_playhead_times_go_where_the_stride_says(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 60);
    trp_playhead playheads[3];
    trp_sample_request requests[3];
    trp_sample_request expected[3];
    memset(requests, 0x5A, sizeof requests);
    memcpy(expected, requests, sizeof requests);
    for (int i = 0; i < 3; i++) {
        playheads[i] = trp_playhead_start(&timeline, 0.1 * i);
    }
    const trp_playhead_args args = {.timelines = &timeline,
                                    .timeline_count = 1,
                                    .playhead_count = 3,
                                    .playheads = playheads,
                                    .dt_ticks = 6,
                                    .times_s = &requests[0].time_s,
                                    .times_stride_bytes = sizeof requests[0]};
    assert_int_equal(trp_playheads_advance(&args, NULL), TRP_OK);
    for (int i = 0; i < 3; i++) {
        expected[i].time_s = trp_playhead_time_s(&timeline, &playheads[i]);
        assert_true(fabs(expected[i].time_s - 0.1 * (i + 1)) < 1e-12);
    }
    assert_same(requests, expected, sizeof requests);
}

static void test_playhead_bad_ones_are_counted_and_stay(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    trp_timeline timelines[5];
    for (int mode = 0; mode < 3; mode++) {
        timelines[mode] = timeline_of(&clip, (trp_play_mode)mode, 60);
    }
    timelines[3] = timeline_of(&clip, TRP_PLAY_LOOP, 0);
    timelines[4] = part_of(&clip, TRP_PLAY_LOOP, 0.4, 0.4);
    const struct {
        trp_playhead playhead;
        uint32_t bad_speed, bad_timeline;
    } cases[] = {
        {{.speed = 1}, 0, 0},
        {{.speed = 1, .position = timelines[0].length}, 0, 0},
        {{.speed = 1, .position = timelines[0].length + 1}, 0, 1},
        {{.speed = 1, .position = -1}, 0, 1},
        {{.speed = 1, .cycle = 1}, 0, 1},
        {{.speed = 1, .position = INT64_MAX}, 0, 1},
        {{.speed = 1, .position = INT64_MIN}, 0, 1},
        {{.speed = NAN}, 1, 0},
        {{.speed = NAN, .timeline = 5}, 1, 1},
        {{.speed = 1, .timeline = 5}, 0, 1},
        {{.speed = 1, .timeline = UINT32_MAX}, 0, 1},
        {{.speed = 1, .timeline = 1, .cycle = INT64_MAX}, 0, 0},
        {{.speed = 1, .timeline = 1, .position = timelines[1].length - 1}, 0, 0},
        {{.speed = 1, .timeline = 1, .position = timelines[1].length}, 0, 1},
        {{.speed = 1, .timeline = 2, .position = 2 * timelines[1].length - 1}, 0, 0},
        {{.speed = 1, .timeline = 2, .position = 2 * timelines[1].length}, 0, 1},
        {{.speed = 1, .timeline = 2, .position = INT64_MAX}, 0, 1},
        {{.speed = 1, .timeline = 3}, 0, 1}, // has no clock
        {{.speed = 1, .timeline = 4}, 0, 0},
        {{.speed = 1, .timeline = 4, .position = 1}, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trp_playhead playhead = cases[i].playhead;
        trp_playhead previous;
        double time_s = -1;
        playhead.flags = TRP_PLAYHEAD_STARTING;
        const trp_playhead before = playhead;
        trp_playhead_report report = {9, 9};
        const trp_playhead_args args = {.timelines = timelines,
                                        .timeline_count = 5,
                                        .playhead_count = 1,
                                        .playheads = &playhead,
                                        .dt_s = 0.1,
                                        .dt_ticks = 1,
                                        .previous = &previous,
                                        .times_s = &time_s};
        assert_int_equal(trp_playheads_advance(&args, &report), TRP_OK);
        assert_int_equal(report.bad_speed_count, cases[i].bad_speed);
        assert_int_equal(report.bad_timeline_count, cases[i].bad_timeline);
        assert_same(&previous, &before, sizeof before);
        assert_true(time_s >= 0 && time_s <= clip.duration_s);
        assert_int_equal(memcmp(&playhead, &before, sizeof before) == 0, cases[i].bad_timeline);
    }
    trp_playhead without_clock = {.speed = 1, .timeline = 3};
    const trp_playhead_args args = {.timelines = timelines,
                                    .timeline_count = 5,
                                    .playhead_count = 1,
                                    .playheads = &without_clock,
                                    .dt_s = 0.1};
    assert_int_equal(trp_playheads_advance(&args, NULL), TRP_OK);
    assert_true(without_clock.position > 0);
}

static void test_playhead_cycles_wrap_around(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 60);
    trp_playhead playhead = {.speed = 1, .cycle = INT64_MAX};
    move(&timeline, &playhead, 0, 72);
    assert_true(playhead.cycle == INT64_MIN && playhead.position == 0);
    move(&timeline, &playhead, 0, -720);
    assert_true(playhead.cycle == INT64_MAX - 9 && playhead.position == 0);
}

static void test_playhead_advance_refuses_and_moves_nothing(void **state)
{
    (void)state;
    const trp_clip clip = clip_of(36, 30, 1);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP, 60);
    trp_playhead playheads[2] = {trp_playhead_start(&timeline, 0),
                                 trp_playhead_start(&timeline, 1)};
    trp_playhead previous[2];
    double times[2] = {-1, -1};
    memset(previous, 0x5A, sizeof previous);
    const trp_playhead_args good = {.timelines = &timeline,
                                    .timeline_count = 1,
                                    .playhead_count = 2,
                                    .playheads = playheads,
                                    .dt_s = 0.1,
                                    .previous = previous,
                                    .times_s = times};
    trp_playhead_args bad[8];
    for (int i = 0; i < 8; i++) {
        bad[i] = good;
    }
    bad[0].timelines = NULL;
    bad[1].playheads = NULL;
    bad[2].playheads = (trp_playhead *)((char *)playheads + 1);
    bad[3].previous = (trp_playhead *)((char *)previous + 4);
    bad[4].times_s = (double *)((char *)times + 1);
    bad[5].times_stride_bytes = 4;
    bad[6].times_stride_bytes = 9;
    bad[7].times_stride_bytes = 7;
    trp_playhead before[2];
    trp_playhead untouched[2];
    memcpy(before, playheads, sizeof before);
    memcpy(untouched, previous, sizeof untouched);
    trp_playhead_report report = {7, 7};
    assert_int_equal(trp_playheads_advance(NULL, &report), TRP_ERROR_ARGUMENT);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(trp_playheads_advance(&bad[i], &report), TRP_ERROR_ARGUMENT);
    }
    assert_same(playheads, before, sizeof before);
    assert_same(previous, untouched, sizeof untouched);
    assert_true(times[0] == -1 && times[1] == -1);
    assert_true(report.bad_speed_count == 7 && report.bad_timeline_count == 7);
    const trp_playhead_args nothing = {0};
    assert_int_equal(trp_playheads_advance(&nothing, &report), TRP_OK);
    assert_true(report.bad_speed_count == 0 && report.bad_timeline_count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_playhead_timeline_units_are_the_finest_that_fit),
        cmocka_unit_test(test_playhead_timeline_units_divide_the_clock),
        cmocka_unit_test(test_playhead_timeline_is_a_whole_number_of_ticks_however_long),
        cmocka_unit_test(test_playhead_one_move_goes_an_hour_on_any_clock),
        cmocka_unit_test(test_playhead_far_moves_end_where_long_division_says),
        cmocka_unit_test(test_playhead_far_moves_reach_the_ends_where_clamped),
        cmocka_unit_test(test_playhead_of_a_timeline_never_made_stays),
        cmocka_unit_test(test_playhead_timeline_parts_are_clamped_and_meet_the_ends),
        cmocka_unit_test(test_playhead_timeline_finds_the_events_that_lie_in_it),
        cmocka_unit_test(test_playhead_timeline_refuses_and_leaves_it_alone),
        cmocka_unit_test(test_playhead_start_stands_where_it_is_told),
        cmocka_unit_test(test_playhead_time_never_falls_as_units_rise),
        cmocka_unit_test(test_playhead_any_dt_in_any_mode_and_direction_ends_at_the_truth),
        cmocka_unit_test(test_playhead_starting_goes_with_the_first_advance),
        cmocka_unit_test(test_playhead_ended_is_set_at_the_end_it_moved_to),
        cmocka_unit_test(test_playhead_b25_of_no_length_stands_still_and_counts_no_loops),
        cmocka_unit_test(test_playhead_b27_b28_at_the_very_end_is_at_the_last_key),
        cmocka_unit_test(test_playhead_b30_a_finished_clip_holds_its_last_moment),
        cmocka_unit_test(test_playhead_b48_paused_on_the_way_back_stands_at_duration_less_time),
        cmocka_unit_test(test_playhead_b51_a_part_loops_without_a_hold_or_a_way_back),
        cmocka_unit_test(test_playhead_b53_looped_for_65_hours_is_a_fresh_one),
        cmocka_unit_test(test_playhead_b54_is_steady_where_floats_freeze),
        cmocka_unit_test(test_playhead_a_billion_loops_are_a_fresh_start),
        cmocka_unit_test(test_playhead_a_year_of_frames_is_a_fresh_start),
        cmocka_unit_test(test_playhead_100_hours_are_exact_in_ticks_and_bounded_in_seconds),
        cmocka_unit_test(test_playhead_any_split_of_ticks_ends_in_the_same_state),
        cmocka_unit_test(test_playhead_reverse_takes_back_what_forward_did),
        cmocka_unit_test(test_playhead_random_ways_agree_with_exact_arithmetic),
        cmocka_unit_test(test_playhead_seconds_are_rounded_to_the_nearest_unit),
        cmocka_unit_test(test_playhead_rolled_back_state_plays_the_same_bits),
        cmocka_unit_test(test_playhead_batches_of_any_split_are_single_advances),
        cmocka_unit_test(test_playhead_times_go_where_the_stride_says),
        cmocka_unit_test(test_playhead_bad_ones_are_counted_and_stay),
        cmocka_unit_test(test_playhead_cycles_wrap_around),
        cmocka_unit_test(test_playhead_advance_refuses_and_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
