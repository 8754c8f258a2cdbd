// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sync groups: phases against exact fractions, markers that meet, playheads that join and leave.
// The test called b56 is a mistake that another runtime made.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "format.h"

#define CASE_COUNT 100000
#define ONE TRP_SYNC_PHASE_ONE
#define MAX_EVENTS 80

__extension__ typedef __int128 int128;

// -- Helpers -------------------------------------------------------------------------------------

/// The bytes of a clip that has nothing but events.
struct clip_bytes {
    struct trp__clip_header header;
    struct trp__events_header events;
    uint64_t phases_and_events[MAX_EVENTS * (1 + sizeof(struct trp__event) / 8)];
};

struct mark {
    uint32_t tick;
    const char *name;
    uint32_t flags;
};

static trp_clip clip_of(uint32_t tick_count, struct clip_bytes *bytes, const struct mark *marks,
                        uint32_t mark_count)
{
    memset(bytes, 0, sizeof *bytes);
    if (mark_count > 0) {
        bytes->header.events_offset = offsetof(struct clip_bytes, events);
        bytes->events.event_count = mark_count;
        struct trp__event *const events = (void *)(bytes->phases_and_events + mark_count);
        for (uint32_t i = 0; i < mark_count; i++) {
            bytes->phases_and_events[i] = (uint64_t)marks[i].tick << 20;
            events[i].name_hash = trp_name_hash(marks[i].name);
            events[i].flags = marks[i].flags;
        }
    }
    return (trp_clip){
        .duration_s = tick_count / 30.0,
        .rate_num = 30,
        .rate_den = 1,
        .tick_count = tick_count,
        .bytes = (const uint8_t *)bytes,
        .size_bytes = sizeof *bytes,
    };
}

static trp_timeline timeline_of(const trp_clip *clip, trp_play_mode mode)
{
    const trp_timeline_args args = {.clip = clip, .mode = mode, .clock_num = 60};
    trp_timeline timeline;
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
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

/// Markers by chance, ascending within one length.
static uint32_t chance_markers(uint64_t *state, const trp_timeline *timeline, uint32_t count,
                               int64_t *markers)
{
    const int64_t first = chance_between(state, 0, timeline->length - 1);
    const int64_t gap = timeline->length / count;
    for (uint32_t i = 0; i < count; i++) {
        markers[i] = first + i * gap + (i ? chance_between(state, 0, gap / 2) : 0);
    }
    return count;
}

static int128 unwrapped(const trp_timeline *timeline, const trp_playhead *playhead)
{
    return (int128)playhead->cycle * timeline->length + playhead->position;
}

/// Where a member belongs, from the definition: its part, and the exact share of it, rounded down.
static int128 truth_of(const trp_sync_member *member, const trp_sync_group *group)
{
    const uint32_t count = member->markers ? member->marker_count : 1;
    const int64_t length = member->timeline->length;
    const int128 parts = (int128)group->phase * count;
    const uint32_t part = (uint32_t)(parts / ONE);
    const int64_t from = member->markers ? member->markers[part] : 0;
    const int64_t first = member->markers ? member->markers[0] : 0;
    const int64_t to = part + 1 < count ? member->markers[part + 1] : first + length;
    return (int128)group->cycle * length + from + (int128)(to - from) * (parts % ONE) / ONE;
}

// -- Markers -------------------------------------------------------------------------------------

#define M TRP_EVENT_MARKER

static void test_sync_markers_begin_with_the_name_and_go_once_around(void **state)
{
    (void)state;
    static const struct mark marks[7] = {{0, "right", M},  {3, "noise", 0}, {6, "left", M},
                                         {12, "right", M}, {12, "up", M},   {18, "left", M},
                                         {24, "right", M}};
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(24, &bytes, marks, 7);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const struct {
        const char *name;
        uint32_t ticks[4];
    } cases[] = {
        {NULL, {0, 6, 12, 18}}, // the last moment is the first
        {"right", {0, 6, 12, 18}},
        {"left", {6, 12, 18, 24}},
        {"up", {12, 18, 24, 30}}, // which lies where a right one does
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t hash = cases[i].name ? trp_name_hash(cases[i].name) : 0;
        int64_t markers[5] = {-7, -7, -7, -7, -7};
        uint32_t count = 99;
        assert_int_equal(trp_sync_markers(&timeline, hash, NULL, 0, &count), TRP_ERROR_CAPACITY);
        assert_int_equal(count, 4);
        count = 99;
        assert_int_equal(trp_sync_markers(&timeline, hash, markers, 3, &count), TRP_ERROR_CAPACITY);
        assert_int_equal(count, 4);
        assert_true(markers[0] == -7 && markers[2] == -7);
        assert_int_equal(trp_sync_markers(&timeline, hash, markers, 5, &count), TRP_OK);
        assert_int_equal(count, 4);
        for (int j = 0; j < 4; j++) {
            assert_true(markers[j] == cases[i].ticks[j] * timeline.units_per_tick);
        }
        assert_true(markers[4] == -7);
    }
}

static void test_sync_markers_at_the_end_are_those_at_the_start(void **state)
{
    (void)state;
    static const struct mark marks[2] = {{10, "a", M}, {24, "b", M}};
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(24, &bytes, marks, 2);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    int64_t markers[2];
    uint32_t count;
    assert_int_equal(trp_sync_markers(&timeline, trp_name_hash("b"), markers, 2, &count), TRP_OK);
    assert_true(count == 2 && markers[0] == 0 && markers[1] == 10 * timeline.units_per_tick);
    assert_int_equal(trp_sync_markers(&timeline, 0, markers, 2, &count), TRP_OK);
    assert_true(count == 2 && markers[0] == 10 * timeline.units_per_tick &&
                markers[1] == 24 * timeline.units_per_tick);
}

static void test_sync_markers_refuse_and_leave_all_alone(void **state)
{
    (void)state;
    static const struct mark marks[1] = {{10, "a", M}};
    static struct clip_bytes bytes[2];
    const trp_clip clip = clip_of(24, &bytes[0], marks, 1);
    const trp_clip without = clip_of(24, &bytes[1], NULL, 0);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_timeline clamped = timeline_of(&clip, TRP_PLAY_CLAMP);
    const trp_timeline none = timeline_of(&without, TRP_PLAY_LOOP);
    int64_t markers[2] = {-7, -7};
    uint32_t count = 99;
    assert_int_equal(trp_sync_markers(NULL, 0, markers, 2, &count), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sync_markers(&timeline, 0, NULL, 2, &count), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sync_markers(&timeline, 0, markers, 2, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sync_markers(&clamped, 0, markers, 2, &count), TRP_ERROR_ARGUMENT);
    const trp_timeline empty = {.mode = TRP_PLAY_LOOP}; // never made
    assert_int_equal(trp_sync_markers(&empty, 0, markers, 2, &count), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sync_markers(&timeline, 7, markers, 2, &count), TRP_ERROR_MISMATCH);
    assert_int_equal(trp_sync_markers(&none, 7, markers, 2, &count), TRP_ERROR_MISMATCH);
    assert_true(markers[0] == -7 && markers[1] == -7 && count == 99);
    assert_int_equal(trp_sync_markers(&none, 0, markers, 2, &count), TRP_OK);
    assert_true(count == 0 && markers[0] == -7);
}

// -- Places --------------------------------------------------------------------------------------

static void test_sync_places_are_the_exact_share_of_their_part(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    uint64_t seed = 1;
    for (int i = 0; i < CASE_COUNT; i++) {
        const trp_clip clip = clip_of((uint32_t)chance_between(&seed, 70, 2000), &bytes, NULL, 0);
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
        int64_t markers[TRP_SYNC_MAX_MARKERS];
        trp_sync_member member = {.timeline = &timeline, .markers = markers, .weight = 1};
        member.marker_count =
            chance_markers(&seed, &timeline, (uint32_t)chance_between(&seed, 1, 64), markers);
        if (chance(&seed) % 8 == 0) {
            member.markers = NULL;
        }
        trp_sync_group group = {.phase = chance_between(&seed, 0, ONE - 1),
                                .cycle = chance_between(&seed, -1000, 1000),
                                .speed = 1};
        if (chance(&seed) % 4 == 0) { // near where a part begins
            group.phase = group.phase * member.marker_count / ONE * ONE / member.marker_count;
            group.phase = (group.phase + chance_between(&seed, 0, 1)) % ONE;
        }
        trp_playhead playhead = {.speed = 3, .timeline = 8};
        const trp_sync_args args = {
            .members = &member, .member_count = 1, .group = &group, .playheads = &playhead};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        assert_true(unwrapped(&timeline, &playhead) == truth_of(&member, &group));
        assert_true(playhead.position >= 0 && playhead.position < timeline.length);
        assert_true(playhead.speed == 3 && playhead.timeline == 8 && playhead.flags == 0);
    }
}

static void test_sync_markers_meet(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip walk = clip_of(36, &bytes[0], NULL, 0);
    const trp_clip run = clip_of(20, &bytes[1], NULL, 0);
    const trp_timeline timelines[2] = {timeline_of(&walk, TRP_PLAY_LOOP),
                                       timeline_of(&run, TRP_PLAY_LOOP)};
    const int64_t tick = timelines[0].units_per_tick;
    assert_true(tick == timelines[1].units_per_tick);
    const int64_t feet[2][2] = {{4 * tick, 20 * tick}, {15 * tick, 26 * tick}};
    const trp_sync_member members[2] = {{&timelines[0], feet[0], 2, 1},
                                        {&timelines[1], feet[1], 2, 1}};
    trp_sync_group group = {.speed = 1};
    trp_playhead playheads[2] = {{0}, {0}};
    const trp_sync_args args = {
        .members = members, .member_count = 2, .group = &group, .playheads = playheads};
    const struct {
        int64_t phase;
        int64_t walk, run; // quarters of a tick
    } cases[] = {
        {0, 16, 60},
        {ONE / 4, 48, 2},
        {ONE / 2, 80, 24},
        {ONE * 3 / 4, 120, 42},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        group.phase = cases[i].phase;
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        assert_true(playheads[0].position == cases[i].walk * tick / 4);
        assert_true(playheads[1].position == cases[i].run * tick / 4);
    }
}

static void test_sync_start_never_steps_back_and_hardly_forward(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    uint64_t seed = 2;
    for (int i = 0; i < CASE_COUNT; i++) {
        const trp_clip clip = clip_of((uint32_t)chance_between(&seed, 70, 2000), &bytes, NULL, 0);
        const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
        int64_t markers[TRP_SYNC_MAX_MARKERS];
        trp_sync_member member = {.timeline = &timeline, .markers = markers, .weight = 1};
        member.marker_count =
            chance_markers(&seed, &timeline, (uint32_t)chance_between(&seed, 1, 64), markers);
        trp_playhead playhead = {.position = chance_between(&seed, 0, timeline.length - 1),
                                 .cycle = chance_between(&seed, -1000, 1000),
                                 .speed = 1};
        const int64_t near[5] = {0, timeline.length - 1, markers[0] % timeline.length,
                                 markers[member.marker_count - 1] % timeline.length,
                                 (markers[0] + timeline.length - 1) % timeline.length};
        if (chance(&seed) % 2) {
            playhead.position = near[chance(&seed) % 5];
        }
        trp_sync_group group = trp_sync_group_start(&member, &playhead);
        assert_true(group.phase >= 0 && group.phase < ONE && group.speed == 1);
        const int128 before = unwrapped(&timeline, &playhead);
        const trp_sync_args args = {
            .members = &member, .member_count = 1, .group = &group, .playheads = &playhead};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        const int128 forward = unwrapped(&timeline, &playhead) - before;
        assert_true(forward >= 0);
        assert_true(forward <= (int128)timeline.length * member.marker_count / ONE);
    }
}

static void test_sync_start_of_nothing_is_phase_0(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(36, &bytes, NULL, 0);
    const trp_timeline looping = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_timeline clamped = timeline_of(&clip, TRP_PLAY_CLAMP);
    const trp_sync_member good = {.timeline = &looping};
    const trp_sync_member bad = {.timeline = &clamped};
    const trp_sync_member empty = {0};
    const trp_playhead on = {.position = 5, .cycle = 3};
    const trp_playhead off = {.position = looping.length, .cycle = 3};
    const trp_sync_group zero = {.speed = 1};
    const trp_sync_group groups[5] = {
        trp_sync_group_start(NULL, &on), trp_sync_group_start(&good, NULL),
        trp_sync_group_start(&good, &off), trp_sync_group_start(&bad, &on),
        trp_sync_group_start(&empty, &on)};
    for (int i = 0; i < 5; i++) {
        assert_memory_equal(&groups[i], &zero, sizeof zero);
    }
    assert_int_equal(trp_sync_group_start(&good, &on).cycle, 3);
}

// -- Moving on -----------------------------------------------------------------------------------

static void test_sync_phase_lasts_the_average_length_by_weight(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip clips[2] = {clip_of(36, &bytes[0], NULL, 0), clip_of(24, &bytes[1], NULL, 0)};
    const trp_timeline timelines[2] = {timeline_of(&clips[0], TRP_PLAY_LOOP),
                                       timeline_of(&clips[1], TRP_PLAY_LOOP)};
    const struct {
        float weights[2];
        double duration_s;
    } cases[] = {
        {{1, 1}, 1.0},        {{1, 0}, 1.2},
        {{0, 1}, 0.8},        {{0.25f, 0.75f}, 0.9},
        {{0, 0}, 1.2},        {{NAN, 2}, 0.8},
        {{-5, 2}, 0.8},       {{NAN, -1}, 1.2},
        {{INFINITY, 1}, 1.2}, {{INFINITY, INFINITY}, 1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trp_sync_member members[2] = {{.timeline = &timelines[0], .weight = cases[i].weights[0]},
                                      {.timeline = &timelines[1], .weight = cases[i].weights[1]}};
        for (int j = -20; j <= 20; j++) {
            trp_sync_group group = {.phase = ONE / 8, .cycle = 5, .speed = j % 2 ? -1.5f : 1};
            trp_playhead playheads[2] = {{0}, {0}};
            const trp_sync_args args = {.members = members,
                                        .member_count = 2,
                                        .group = &group,
                                        .dt_s = j * 0.37,
                                        .playheads = playheads};
            const double way = j * 0.37 * (double)group.speed / cases[i].duration_s;
            assert_int_equal(trp_sync_advance(&args), TRP_OK);
            const double phase = (double)(group.cycle - 5) + (double)group.phase / (double)ONE;
            assert_true(fabs(phase - 0.125 - way) < 1e-6); // weights are floats
            assert_true(group.phase >= 0 && group.phase < ONE);
        }
    }
}

static void test_sync_any_dt_ends_and_states_stay_sound(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip clips[2] = {clip_of(36, &bytes[0], NULL, 0), clip_of(0, &bytes[1], NULL, 0)};
    const double inf = (double)INFINITY;
    const double dts[] = {0, (double)NAN, inf, -inf, 1e300, -1e300, 5e-324, 1e9, -1e9};
    const float speeds[] = {1, 0, -1, NAN, INFINITY, FLT_MAX};
    const int64_t phases[] = {0, ONE - 1, ONE, INT64_MAX, INT64_MIN, -1};
    for (size_t i = 0; i < 9 * 6 * 6 * 2; i++) {
        const trp_timeline timeline = timeline_of(&clips[i % 2], TRP_PLAY_LOOP);
        const trp_sync_member member = {.timeline = &timeline, .weight = 1};
        const double dt_s = dts[i / 2 % 9];
        const float speed = speeds[i / 18 % 6];
        const int64_t phase = phases[i / 108];
        trp_sync_group group = {.phase = phase, .cycle = 7, .speed = speed};
        trp_playhead playhead = {.cycle = 7};
        const trp_sync_args args = {.members = &member,
                                    .member_count = 1,
                                    .group = &group,
                                    .dt_s = dt_s,
                                    .playheads = &playhead};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        assert_true(group.phase >= 0 && group.phase < ONE);
        assert_true(playhead.position >= 0 && playhead.position <= timeline.length);
        assert_true(playhead.position == 0 || playhead.position < timeline.length);
        if (dt_s == 0 || isnan(dt_s) || speed == 0 || isnan(speed) || i % 2) { // no way to go
            assert_true(group.phase == (phase & (ONE - 1)) && group.cycle == 7);
            assert_true(playhead.cycle == 7);
        }
    }
}

static void test_sync_phase_is_within_half_a_unit_an_advance(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(36, &bytes, NULL, 0);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_sync_member member = {.timeline = &timeline, .weight = 1};
    trp_sync_group group = {.speed = 1};
    trp_playhead playhead = {0};
    const trp_sync_args args = {.members = &member,
                                .member_count = 1,
                                .group = &group,
                                .dt_s = 1.0 / 60,
                                .playheads = &playhead};
    const int64_t frames = 60 * 60 * 60 * 10; // ten hours
    for (int64_t frame = 0; frame < frames; frame++) {
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
    }
    const int128 phase = (int128)group.cycle * ONE + group.phase;
    const int128 truth = (int128)frames * ONE / 72;
    const double off = fabs((double)(phase - truth));
    assert_true(off <= 0.5 * (double)frames + (double)truth * 5 * 0x1p-52);
}

static void test_sync_advances_are_within_the_bound_of_exact_fractions(void **state)
{
    (void)state;
    static struct clip_bytes bytes[3];
    uint64_t seed = 4;
    for (int i = 0; i < CASE_COUNT; i++) {
        trp_clip clips[3];
        trp_timeline timelines[3];
        trp_sync_member members[3];
        trp_playhead playheads[3] = {{0}, {0}, {0}};
        int64_t weights = 0;
        int64_t weighted_ticks = 0;
        const uint32_t count = 1 + (uint32_t)(chance(&seed) % 3);
        for (uint32_t k = 0; k < count; k++) {
            const int64_t ticks = chance_between(&seed, 1, 100000);
            const int64_t weight = chance_between(&seed, 1, 1000);
            clips[k] = clip_of((uint32_t)ticks, &bytes[k], NULL, 0);
            timelines[k] = timeline_of(&clips[k], TRP_PLAY_LOOP);
            members[k] = (trp_sync_member){.timeline = &timelines[k], .weight = (float)weight};
            weights += weight;
            weighted_ticks += weight * ticks;
        }
        const int64_t dt = chance_between(&seed, -((int64_t)1 << 45), (int64_t)1 << 45); // * 2^-40
        const int64_t speed = chance_between(&seed, -4096, 4096);                        // * 2^-8
        trp_sync_group group = {.speed = (float)speed / 256};
        group.phase = chance_between(&seed, 0, ONE - 1);
        const int64_t phase = group.phase;
        const trp_sync_args args = {.members = members,
                                    .member_count = count,
                                    .group = &group,
                                    .dt_s = (double)dt * 0x1p-40,
                                    .playheads = playheads};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        const int128 way = (int128)group.cycle * ONE + group.phase - phase;
        const int128 truth = (int128)dt * speed * 30 * weights; // times `weighted_ticks`
        const double off = fabs((double)(way * weighted_ticks - truth));
        assert_true(off <=
                    0.5 * (double)weighted_ticks + fabs((double)truth) * (count + 4) * 0x1p-52);
    }
}

/// So far that 64 bits do not hold the phases: powers of two are exact.
static void test_sync_far_advances_go_all_of_the_way(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(30, &bytes, NULL, 0); // a second
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_sync_member member = {.timeline = &timeline, .weight = 1};
    const struct {
        double dt_s;
        uint64_t cycles;
    } cases[] = {
        {0x1p13, 1 << 13},           {0x1p14, 1 << 14},     {0x1p20 + 0.5, 1 << 20},
        {-0x1p40, 0 - (1ull << 40)}, {0x1p63, 1ull << 63},  {0x1p64, 0},
        {0x1.8p64, 1ull << 63},      {(double)INFINITY, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trp_sync_group group = {.phase = ONE / 4, .cycle = 3, .speed = 1};
        trp_playhead playhead = {0};
        const trp_sync_args args = {.members = &member,
                                    .member_count = 1,
                                    .group = &group,
                                    .dt_s = cases[i].dt_s,
                                    .playheads = &playhead};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        assert_true((uint64_t)group.cycle == 3 + cases[i].cycles);
        assert_true(group.phase == (i == 2 ? ONE / 4 * 3 : ONE / 4));
    }
}

static void test_sync_joining_fires_what_lies_at_the_start(void **state)
{
    (void)state;
    static const struct mark marks[4] = {{0, "a", M}, {12, "b", M}, {18, "b", 0}, {24, "c", 0}};
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(24, &bytes, marks, 4);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_sync_member member = {.timeline = &timeline, .weight = 1};
    const struct {
        int64_t phase;
        double dt_s;
        uint32_t count;
        uint32_t events[2];
    } cases[] = {
        {0, 0, 1, {0, 0}},         {0, 0.1, 1, {0, 0}},        {0, -0.1, 1, {3, 0}},
        {ONE / 2, 0, 1, {1, 0}},   {ONE / 2, 0.21, 2, {1, 2}}, // its way counts
        {ONE / 4, 0.1, 0, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trp_sync_group group = {.phase = cases[i].phase, .speed = 1};
        trp_playhead playhead = trp_playhead_start(&timeline, 0.3);
        trp_playhead previous;
        const trp_sync_args args = {.members = &member,
                                    .member_count = 1,
                                    .group = &group,
                                    .dt_s = cases[i].dt_s,
                                    .playheads = &playhead,
                                    .previous = &previous};
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        const trp_event_args query = {.timelines = &timeline,
                                      .timeline_count = 1,
                                      .playhead_count = 1,
                                      .previous = &previous,
                                      .playheads = &playhead};
        trp_event_hit hits[2];
        trp_event_report report;
        assert_int_equal(trp_events(&query, hits, 2, &report), TRP_OK);
        assert_int_equal(report.hit_count, cases[i].count);
        for (uint32_t k = 0; k < cases[i].count; k++) {
            assert_int_equal(hits[k].event, cases[i].events[k]);
        }
    }
}

// -- Joining and leaving -------------------------------------------------------------------------

static void test_sync_joining_steps_nowhere_and_the_others_go_on(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip walk = clip_of(36, &bytes[0], NULL, 0);
    const trp_clip run = clip_of(20, &bytes[1], NULL, 0);
    const trp_timeline timelines[2] = {timeline_of(&walk, TRP_PLAY_LOOP),
                                       timeline_of(&run, TRP_PLAY_LOOP)};
    const trp_sync_member members[2] = {{.timeline = &timelines[0], .weight = 1},
                                        {.timeline = &timelines[1], .weight = 0}};
    trp_playhead playheads[2] = {trp_playhead_start(&timelines[0], 0.5),
                                 trp_playhead_start(&timelines[1], 0)};
    playheads[0].flags = 0; // has played for long
    playheads[0].cycle = 57;
    trp_sync_group group = trp_sync_group_start(&members[0], &playheads[0]);
    trp_playhead previous[2];
    const trp_sync_args args = {.members = members,
                                .member_count = 2,
                                .group = &group,
                                .dt_s = 0.1,
                                .playheads = playheads,
                                .previous = previous};
    for (int frame = 0; frame < 100; frame++) {
        const trp_playhead before[2] = {playheads[0], playheads[1]};
        const trp_sync_group before_group = group;
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
        assert_memory_equal(&previous[0], &before[0], sizeof before[0]);
        const int128 way =
            unwrapped(&timelines[0], &playheads[0]) - unwrapped(&timelines[0], &previous[0]);
        const double tick = (double)timelines[0].units_per_tick;
        assert_true(fabs((double)way / tick - 3) < 1e-9); // its own speed, and no loop replayed
        if (frame == 0) { // as if it had started where the group was
            trp_playhead joined = {.speed = 1, .flags = TRP_PLAYHEAD_STARTING};
            joined.position = (int64_t)truth_of(&members[1], &before_group) % timelines[1].length;
            joined.cycle = 57;
            assert_memory_equal(&previous[1], &joined, sizeof joined);
        } else {
            assert_memory_equal(&previous[1], &before[1], sizeof before[1]);
        }
        assert_true(unwrapped(&timelines[1], &playheads[1]) >
                    unwrapped(&timelines[1], &previous[1]));
        assert_int_equal(playheads[1].flags, 0);
    }
}

static void test_sync_b56_after_a_time_warp_clips_play_at_their_own_speed(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip walk = clip_of(360, &bytes[0], NULL, 0);
    const trp_clip run = clip_of(65, &bytes[1], NULL, 0); // 0.18 of it
    const trp_timeline timelines[2] = {timeline_of(&walk, TRP_PLAY_LOOP),
                                       timeline_of(&run, TRP_PLAY_LOOP)};
    trp_sync_member members[2] = {{.timeline = &timelines[0]}, {.timeline = &timelines[1]}};
    trp_playhead playheads[2] = {trp_playhead_start(&timelines[0], 1),
                                 trp_playhead_start(&timelines[1], 0)};
    playheads[1].timeline = 1;
    trp_sync_group group = trp_sync_group_start(&members[0], &playheads[0]);
    const trp_sync_args args = {.members = members,
                                .member_count = 2,
                                .group = &group,
                                .dt_s = 1.0 / 60,
                                .playheads = playheads};
    for (int frame = 0; frame <= 60; frame++) { // a cross-fade, warped from one length to the other
        members[1].weight = (float)frame / 60;
        members[0].weight = 1 - members[1].weight;
        assert_int_equal(trp_sync_advance(&args), TRP_OK);
    }
    for (int i = 0; i < 2; i++) {
        assert_true(playheads[i].speed == 1);
        playheads[i] = trp_playhead_start(&timelines[i], 0); // played again, alone
        playheads[i].timeline = (uint32_t)i;
    }
    const trp_playhead_args alone = {.timelines = timelines,
                                     .timeline_count = 2,
                                     .playhead_count = 2,
                                     .playheads = playheads,
                                     .dt_ticks = 60};
    assert_int_equal(trp_playheads_advance(&alone, NULL), TRP_OK);
    assert_true(trp_playhead_time_s(&timelines[0], &playheads[0]) == 1);
    assert_true(trp_playhead_time_s(&timelines[1], &playheads[1]) == 1);
}

static void test_sync_left_playheads_go_on_from_where_they_are(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(36, &bytes, NULL, 0);
    const trp_timeline timeline = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_sync_member member = {.timeline = &timeline, .weight = 1};
    trp_sync_group group = {.phase = ONE / 2, .cycle = 3, .speed = 7};
    trp_playhead playhead = {.speed = 0.5f};
    const trp_sync_args args = {
        .members = &member, .member_count = 1, .group = &group, .playheads = &playhead};
    assert_int_equal(trp_sync_advance(&args), TRP_OK);
    const trp_playhead_args alone = {.timelines = &timeline,
                                     .timeline_count = 1,
                                     .playhead_count = 1,
                                     .playheads = &playhead,
                                     .dt_ticks = 4};
    assert_int_equal(trp_playheads_advance(&alone, NULL), TRP_OK);
    assert_true(playhead.position == 19 * timeline.units_per_tick && playhead.cycle == 3);
}

// -- Arguments -----------------------------------------------------------------------------------

static void test_sync_advance_refuses_and_changes_nothing(void **state)
{
    (void)state;
    static struct clip_bytes bytes;
    const trp_clip clip = clip_of(36, &bytes, NULL, 0);
    const trp_timeline looping = timeline_of(&clip, TRP_PLAY_LOOP);
    const trp_timeline clamped = timeline_of(&clip, TRP_PLAY_CLAMP);
    const trp_timeline turning = timeline_of(&clip, TRP_PLAY_PING_PONG);
    const int64_t end = looping.length;
    const int64_t good[2] = {end - 2, 2 * end - 3};
    const int64_t lists[5][2] = {{5, 5}, {5, 4}, {-1, 5}, {end, end + 1}, {3, end + 3}};
    int64_t many[65];
    for (int i = 0; i < 65; i++) {
        many[i] = i;
    }
    trp_sync_member members[2] = {{&looping, good, 2, 1}, {&looping, good, 2, 1}};
    trp_playhead playheads[2] = {trp_playhead_start(&looping, 0.1),
                                 trp_playhead_start(&looping, 0.2)};
    trp_playhead previous[2];
    memset(previous, 0x5A, sizeof previous);
    trp_sync_group group = {.phase = 77, .speed = 1};
    const trp_sync_args args = {.members = members,
                                .member_count = 2,
                                .group = &group,
                                .dt_s = 0.1,
                                .playheads = playheads,
                                .previous = previous};
    const trp_playhead playheads_before[2] = {playheads[0], playheads[1]};
    const trp_playhead previous_before[2] = {previous[0], previous[1]};
    const trp_sync_group group_before = group;

    trp_sync_args bad_args[5];
    for (int i = 0; i < 5; i++) {
        bad_args[i] = args;
    }
    bad_args[0].members = NULL;
    bad_args[1].group = NULL;
    bad_args[2].playheads = NULL;
    bad_args[3].previous = (trp_playhead *)((char *)previous + 1);
    bad_args[4].playheads = (trp_playhead *)((char *)playheads + 1);
    assert_int_equal(trp_sync_advance(NULL), TRP_ERROR_ARGUMENT);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(trp_sync_advance(&bad_args[i]), TRP_ERROR_ARGUMENT);
    }
    trp_sync_member bad[9] = {
        {0}, {&clamped, good, 2, 1}, {&turning, good, 2, 1}, {&looping, many, 65, 1}};
    for (int i = 0; i < 5; i++) {
        bad[4 + i] = (trp_sync_member){&looping, lists[i], 2, 1};
    }
    for (int i = 0; i < 9; i++) {
        members[1] = bad[i];
        assert_int_equal(trp_sync_advance(&args), TRP_ERROR_ARGUMENT);
    }
    members[1] = (trp_sync_member){&looping, good, 1, 1};
    assert_int_equal(trp_sync_advance(&args), TRP_ERROR_MISMATCH);
    members[1] = (trp_sync_member){&looping, NULL, 2, 1};
    assert_int_equal(trp_sync_advance(&args), TRP_ERROR_MISMATCH);
    assert_memory_equal(playheads, playheads_before, sizeof playheads);
    assert_memory_equal(previous, previous_before, sizeof previous);
    assert_memory_equal(&group, &group_before, sizeof group);
    members[1] = (trp_sync_member){&looping, good, 2, 1};
    assert_int_equal(trp_sync_advance(&args), TRP_OK);
    const trp_sync_args nothing = {.group = &group, .dt_s = 1};
    assert_int_equal(trp_sync_advance(&nothing), TRP_OK);
}

static void test_sync_members_of_no_length_fit_any_group(void **state)
{
    (void)state;
    static struct clip_bytes bytes[2];
    const trp_clip walk = clip_of(36, &bytes[0], NULL, 0);
    const trp_clip pose = clip_of(0, &bytes[1], NULL, 0);
    const trp_timeline timelines[2] = {timeline_of(&walk, TRP_PLAY_LOOP),
                                       timeline_of(&pose, TRP_PLAY_LOOP)};
    const int64_t feet[2] = {0, 18 * timelines[0].units_per_tick};
    const trp_sync_member members[2] = {{.timeline = &timelines[1], .weight = 1},
                                        {&timelines[0], feet, 2, 1}};
    trp_sync_group group = {.speed = 1};
    trp_playhead playheads[2] = {{.cycle = 4}, {.cycle = 0}};
    const trp_sync_args args = {.members = members,
                                .member_count = 2,
                                .group = &group,
                                .dt_s = 0.3,
                                .playheads = playheads};
    assert_int_equal(trp_sync_advance(&args), TRP_OK);
    assert_true(playheads[0].position == 0 && playheads[0].cycle == 4);
    // A full phase lasts 0.6 s: the average of 1.2 s and nothing.
    const double ticks = (double)playheads[1].position / (double)timelines[0].units_per_tick;
    assert_true(fabs(ticks - 18) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_markers_begin_with_the_name_and_go_once_around),
        cmocka_unit_test(test_sync_markers_at_the_end_are_those_at_the_start),
        cmocka_unit_test(test_sync_markers_refuse_and_leave_all_alone),
        cmocka_unit_test(test_sync_places_are_the_exact_share_of_their_part),
        cmocka_unit_test(test_sync_markers_meet),
        cmocka_unit_test(test_sync_start_never_steps_back_and_hardly_forward),
        cmocka_unit_test(test_sync_start_of_nothing_is_phase_0),
        cmocka_unit_test(test_sync_phase_lasts_the_average_length_by_weight),
        cmocka_unit_test(test_sync_any_dt_ends_and_states_stay_sound),
        cmocka_unit_test(test_sync_phase_is_within_half_a_unit_an_advance),
        cmocka_unit_test(test_sync_advances_are_within_the_bound_of_exact_fractions),
        cmocka_unit_test(test_sync_far_advances_go_all_of_the_way),
        cmocka_unit_test(test_sync_joining_fires_what_lies_at_the_start),
        cmocka_unit_test(test_sync_joining_steps_nowhere_and_the_others_go_on),
        cmocka_unit_test(test_sync_b56_after_a_time_warp_clips_play_at_their_own_speed),
        cmocka_unit_test(test_sync_left_playheads_go_on_from_where_they_are),
        cmocka_unit_test(test_sync_advance_refuses_and_changes_nothing),
        cmocka_unit_test(test_sync_members_of_no_length_fit_any_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
