// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Root motion between states of playheads, against matrices of long double that are multiplied out.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "format.h"
#include "pack_builder.h"
#include "synthetic_clip.h"

enum { MAX_KEYS = 40, ALL = TRP_ROOT_X | TRP_ROOT_Y | TRP_ROOT_Z | TRP_ROOT_YAW };

// -- Clips and playheads -------------------------------------------------------------------------

/// A clip of nothing but root motion.
struct subject {
    trp_clip clip;
    uint32_t key_count;
    double times[MAX_KEYS];
    float keys[MAX_KEYS][4];
    float pivot[2];
    _Alignas(64) uint8_t bytes[sizeof(struct trp__clip_header) + sizeof(struct trp__root_header) +
                               MAX_KEYS * (sizeof(double) + 4 * sizeof(float))];
};

/// Writes the bytes of a subject whose keys are set.
static void subject_finish(struct subject *subject, uint32_t tick_count, uint32_t components)
{
    const struct trp__clip_header header = {.root_offset = sizeof header};
    const struct trp__root_header root = {
        .size_bytes = (uint32_t)(sizeof root + subject->key_count * 24),
        .key_count = subject->key_count,
        .lane = 3,
        .components = (uint8_t)components,
        .pivot = {subject->pivot[0], subject->pivot[1]},
    };
    uint8_t *at = subject->bytes;
    memcpy(at, &header, sizeof header);
    memcpy(at += sizeof header, &root, sizeof root);
    memcpy(at += sizeof root, subject->times, subject->key_count * sizeof(double));
    at += subject->key_count * sizeof(double);
    memcpy(at, subject->keys, subject->key_count * sizeof *subject->keys);
    subject->clip = (trp_clip){
        .duration_s = tick_count / 30.0,
        .rate_num = 30,
        .rate_den = 1,
        .tick_count = tick_count,
        .bytes = subject->bytes,
        .size_bytes = sizeof subject->bytes,
    };
}

/// Two keys a second apart: all of the motion of a loop.
static void subject_make_loop(struct subject *subject, float x, float y, float z, float turns)
{
    *subject = (struct subject){
        .key_count = 2,
        .times = {0, 1},
        .keys = {{0, 0, 0, 0}, {x, y, z, turns}},
    };
    subject_finish(subject, 30, ALL);
}

/// Keys by chance: even or not, large or small, whole turns and none at all, some components.
static void subject_make_random(struct subject *subject, uint64_t *chance)
{
    static const double sizes[6] = {0, 1e-9, 1e-4, 0.1, 1, 30};
    static const double turn_sizes[6] = {0, 1e-12, 1e-7, 0.02, 0.4, 3};
    static const double pivot_sizes[6] = {0, 0, 1e-3, 1, 30, 1e4};
    *subject = (struct subject){.key_count = 1 + synthetic_chance(chance) % MAX_KEYS};
    const uint32_t components = 1 + synthetic_chance(chance) % ALL;
    const bool is_even = synthetic_chance(chance) % 2;
    double size[4];
    for (int i = 0; i < 4; i++) {
        size[i] = (i == 3 ? turn_sizes : sizes)[synthetic_chance(chance) % 6];
    }
    const double pivot_size = pivot_sizes[synthetic_chance(chance) % 6];
    for (int i = 0; i < 2 && (components & TRP_ROOT_YAW) != 0; i++) {
        subject->pivot[i] = (float)synthetic_chance_between(chance, -pivot_size, pivot_size);
    }
    const uint32_t last = subject->key_count - 1;
    for (uint32_t key = 1; key <= last; key++) {
        subject->times[key] =
            is_even ? key / 30.0
                    : subject->times[key - 1] + exp(synthetic_chance_between(chance, -9, 0));
        for (int i = 0; i < 4; i++) {
            const double step = synthetic_chance_between(chance, -size[i], 1.5 * size[i]);
            subject->keys[key][i] =
                components >> i & 1 ? (float)(subject->keys[key - 1][i] + step) : 0;
        }
    }
    if (synthetic_chance(chance) % 4 == 0) { // a loop that turns by whole turns, or not
        subject->keys[last][3] = roundf(subject->keys[last][3]);
    }
    uint32_t tick_count = (uint32_t)(subject->times[last] * 30) + synthetic_chance(chance) % 2;
    tick_count += tick_count / 30.0 < subject->times[last];
    subject_finish(subject, tick_count, components);
}

static trp_timeline timeline_of(const struct subject *subject, trp_play_mode mode, double start_s,
                                double end_s)
{
    trp_timeline timeline;
    const trp_timeline_args args = {
        .clip = &subject->clip, .mode = mode, .start_s = start_s, .end_s = end_s};
    assert_int_equal(trp_timeline_make(&args, &timeline), TRP_OK);
    return timeline;
}

static trp_playhead playhead_at(int64_t position, int64_t cycle)
{
    return (trp_playhead){.position = position, .cycle = cycle, .speed = 1};
}

static int64_t period_of(const trp_timeline *timeline)
{
    return timeline->mode == TRP_PLAY_PING_PONG ? 2 * timeline->length : timeline->length;
}

/// A place on a timeline by chance, its ends more often than others.
static trp_playhead random_playhead(const trp_timeline *timeline, int64_t cycle, uint64_t *chance)
{
    const int64_t last =
        timeline->mode == TRP_PLAY_CLAMP ? timeline->length : period_of(timeline) - 1;
    const double part = synthetic_chance_between(chance, -0.05, 1.05);
    const int64_t position = last <= 0 || part <= 0 ? 0
                             : part >= 1            ? last
                                                    : (int64_t)(part * (double)last);
    return playhead_at(position, timeline->mode == TRP_PLAY_CLAMP ? 0 : cycle);
}

static trp_root_delta between(const trp_timeline *timeline, trp_playhead from, trp_playhead to)
{
    trp_root_delta delta;
    const trp_root_motion_args args = {
        .timelines = timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .previous = &from,
        .playheads = &to,
        .deltas = &delta,
    };
    trp_root_motion_report report;
    assert_int_equal(trp_root_motion_between(&args, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, 0);
    return delta;
}

static bool is_same(trp_root_delta a, trp_root_delta b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool is_none(trp_root_delta delta)
{
    return delta.translation[0] == 0 && delta.translation[1] == 0 && delta.translation[2] == 0 &&
           delta.yaw_rad == 0;
}

static bool is_finite(trp_root_delta delta)
{
    return isfinite(delta.translation[0]) && isfinite(delta.translation[1]) &&
           isfinite(delta.translation[2]) && isfinite(delta.yaw_rad);
}

// -- The truth -----------------------------------------------------------------------------------

/// A movement: turn about +Y, then move.
struct truth {
    long double x;
    long double y;
    long double z;
    long double turns;
};

static struct truth truth_combine(struct truth a, struct truth b)
{
    const long double angle = 2 * acosl(-1) * (a.turns - roundl(a.turns));
    return (struct truth){
        a.x + cosl(angle) * b.x + sinl(angle) * b.z,
        a.y + b.y,
        a.z - sinl(angle) * b.x + cosl(angle) * b.z,
        a.turns + b.turns,
    };
}

static struct truth truth_inverse(struct truth a)
{
    const struct truth turn = {0, 0, 0, -a.turns};
    const struct truth way = {-a.x, -a.y, -a.z, 0};
    return truth_combine(turn, way);
}

static struct truth truth_power(struct truth base, int64_t exponent)
{
    struct truth square = exponent < 0 ? truth_inverse(base) : base;
    struct truth result = {0, 0, 0, 0};
    for (uint64_t rest = (uint64_t)llabs(exponent); rest != 0; rest /= 2) {
        result = rest % 2 ? truth_combine(result, square) : result;
        square = truth_combine(square, square);
    }
    return result;
}

static struct truth truth_at(const struct subject *subject, double time_s)
{
    const double *const times = subject->times;
    uint32_t key = 0;
    while (key + 1 < subject->key_count && times[key + 1] <= time_s) {
        key++;
    }
    const uint32_t next = key + 1 < subject->key_count ? key + 1 : key;
    const long double u = next == key || time_s < times[key]
                              ? 0
                              : ((long double)time_s - times[key]) / (times[next] - times[key]);
    const float *const from = subject->keys[key];
    const float *const to = subject->keys[next];
    const struct truth moved = {
        from[0] + u * ((long double)to[0] - from[0]),
        from[1] + u * ((long double)to[1] - from[1]),
        from[2] + u * ((long double)to[2] - from[2]),
        from[3] + u * ((long double)to[3] - from[3]),
    };
    const struct truth pivot = {subject->pivot[0], 0, subject->pivot[1], 0};
    return truth_combine(pivot, truth_combine(moved, truth_inverse(pivot)));
}

/// The definition: inverse(M(from)) * C^cycles * M(to), M since the start of the timeline.
static struct truth truth_between(const struct subject *subject, const trp_timeline *timeline,
                                  trp_playhead from, trp_playhead to)
{
    const struct truth back = truth_inverse(truth_at(subject, timeline->start_s));
    const struct truth loop = truth_combine(back, truth_at(subject, timeline->end_s));
    const struct truth at_from =
        truth_combine(back, truth_at(subject, trp_playhead_time_s(timeline, &from)));
    const struct truth at_to =
        truth_combine(back, truth_at(subject, trp_playhead_time_s(timeline, &to)));
    const int64_t cycles = timeline->mode == TRP_PLAY_LOOP ? to.cycle - from.cycle : 0;
    return truth_combine(truth_inverse(at_from), truth_combine(truth_power(loop, cycles), at_to));
}

/// Returns how far any two keys are apart.
static double reach_of(const struct subject *subject)
{
    double reach = 0;
    for (uint32_t i = 0; i < subject->key_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const float *const a = subject->keys[i];
            const float *const b = subject->keys[j];
            reach = fmax(reach, sqrt(((double)a[0] - b[0]) * ((double)a[0] - b[0]) +
                                     ((double)a[1] - b[1]) * ((double)a[1] - b[1]) +
                                     ((double)a[2] - b[2]) * ((double)a[2] - b[2])));
        }
    }
    return reach;
}

static double pivot_distance(const struct subject *subject)
{
    return hypot((double)subject->pivot[0], (double)subject->pivot[1]);
}

static double turn_reach_rad(const struct subject *subject)
{
    double low = 0;
    double high = 0;
    for (uint32_t i = 0; i < subject->key_count; i++) {
        low = fmin(low, subject->keys[i][3]);
        high = fmax(high, subject->keys[i][3]);
    }
    return (high - low) * 2 * acos(-1);
}

static double length_of(trp_root_delta delta)
{
    const double *const t = delta.translation;
    return sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
}

static double distance_between(trp_root_delta a, trp_root_delta b)
{
    for (int i = 0; i < 3; i++) {
        a.translation[i] -= b.translation[i];
    }
    return length_of(a);
}

/// The bound of root_motion.h for movements over some cycles, made of some of these lengths and
/// turns.
static double bound_of(double length, double turned_rad, double cycles)
{
    return length * (1e-14 * (1 + turned_rad) + 1e-18 * cycles);
}

/// The bound of root_motion.h for what combining some parts rounds.
static double combining_of(double length, double turned_rad, double parts)
{
    return length * (2e-16 * parts * (1 + turned_rad));
}

static void assert_truth(trp_root_delta delta, struct truth truth, double bound, double yaw_bound)
{
    const trp_root_delta expected = {{(double)truth.x, (double)truth.y, (double)truth.z}, 0};
    const double error = distance_between(delta, expected);
    const double yaw_error = fabs((double)(delta.yaw_rad - truth.turns * 2 * acosl(-1)));
    if (!(error <= bound && yaw_error <= yaw_bound)) {
        fail_msg("off by %g of %g, yaw by %g of %g", error, bound, yaw_error, yaw_bound);
    }
}

static void skip_without_long_double(void)
{
#if LDBL_MANT_DIG < 64
    skip();
#endif
}

// -- What a clip says ----------------------------------------------------------------------------

static void test_root_motion_of_clip_is_what_its_pack_says(void **state)
{
    (void)state;
    const struct pack_recipe recipe = {
        .seed = 1, .clip_count = 2, .tick_count = 20, .root_key_count = 7};
    struct pack_content *const content = pack_content_random(&recipe);
    size_t size_bytes;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    trp_pack pack;
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const struct pack_root_motion *const expected = content->clips[i].root_motion;
        trp_clip clip;
        trp_root_motion motion;
        assert_int_equal(trp_pack_clip(&pack, i, &clip), TRP_OK);
        assert_int_equal(trp_clip_root_motion(&clip, &motion), TRP_OK);
        assert_int_equal(motion.lane, expected->lane);
        assert_int_equal(motion.components, expected->components);
        assert_int_equal(motion.is_in_pose, expected->is_in_pose);
        assert_int_equal(motion.key_count, 7);
        assert_memory_equal(motion.pivot, expected->pivot, sizeof motion.pivot);
        assert_memory_equal(motion.times, expected->times, 7 * sizeof(double));
        assert_memory_equal(motion.keys, expected->keys, 7 * sizeof *expected->keys);
    }
    free(bytes);
    pack_content_free(content);
}

static void test_root_motion_of_clip_without_is_a_mismatch_and_nothing_written(void **state)
{
    (void)state;
    struct subject subject;
    subject_make_loop(&subject, 1, 2, 3, 4);
    trp_root_motion motion;
    memset(&motion, 0x5A, sizeof motion);
    const trp_root_motion before = motion;
    assert_int_equal(trp_clip_root_motion(NULL, &motion), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_root_motion(&(trp_clip){0}, &motion), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_root_motion(&subject.clip, NULL), TRP_ERROR_ARGUMENT);
    memset(subject.bytes, 0, sizeof(struct trp__clip_header));
    assert_int_equal(trp_clip_root_motion(&subject.clip, &motion), TRP_ERROR_MISMATCH);
    assert_memory_equal(&motion, &before, sizeof motion);

    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    const trp_root_delta none = {{0, 0, 0}, 0};
    assert_true(is_same(between(&timeline, playhead_at(1, 2), playhead_at(5, 70)), none));
}

// -- Single ways ---------------------------------------------------------------------------------

static void test_root_motion_each_component_alone_moves_alone(void **state)
{
    (void)state;
    for (int component = 0; component < 4; component++) {
        struct subject subject = {.key_count = 3, .times = {0, 0.25, 1}};
        subject.keys[1][component] = 0.5f;
        subject.keys[2][component] = 2;
        subject_finish(&subject, 30, 1u << component);
        const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
        const int64_t quarter = timeline.length / 4; // 7.5 ticks, at the key in the middle
        const trp_root_delta there = between(&timeline, playhead_at(0, 0), playhead_at(quarter, 0));
        const trp_root_delta over = between(&timeline, playhead_at(quarter, 4), playhead_at(0, 8));
        const trp_root_delta back = between(&timeline, playhead_at(quarter, 8), playhead_at(0, 4));
        for (int i = 0; i < 4; i++) {
            const double scale = i < 3 ? 1 : 2 * acos(-1);
            const double truths[3] = {0.5, 1.5 + 3 * 2, -0.5 - 4 * 2};
            const double values[3] = {
                i < 3 ? there.translation[i] : there.yaw_rad,
                i < 3 ? over.translation[i] : over.yaw_rad,
                i < 3 ? back.translation[i] : back.yaw_rad,
            };
            for (int k = 0; k < 3; k++) {
                assert_true(values[k] == (i == component ? truths[k] * scale : 0));
            }
        }
    }
}

static void
test_root_motion_after_a_quarter_turn_is_in_the_directions_of_the_character(void **state)
{
    (void)state;
    struct subject subject = {
        .key_count = 3,
        .times = {0, 0.5, 1},
        .keys = {{0, 0, 0, 0}, {0, 0, 0, 0.25f}, {3, 0, 0, 0.25f}},
    };
    subject_finish(&subject, 30, ALL);
    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_CLAMP, 0, 0);
    const trp_root_delta delta =
        between(&timeline, playhead_at(timeline.length / 2, 0), playhead_at(timeline.length, 0));
    // Turned left by a quarter, its +Z is +X of the world.
    assert_true(delta.translation[0] == 0 && delta.translation[1] == 0);
    assert_true(delta.translation[2] == 3 && delta.yaw_rad == 0);
}

static void test_root_motion_turning_about_a_pivot_takes_the_origin_round_it(void **state)
{
    (void)state;
    struct subject subject = {
        .key_count = 2,
        .times = {0, 1},
        .keys = {{0, 0, 0, 0}, {0, 5, 0, 0.25f}},
        .pivot = {3, 2},
    };
    subject_finish(&subject, 30, ALL);
    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    // The origin lies 3 left and 2 behind; a quarter turn left takes that to (-2, 3), and so on.
    static const double truths[5][2] = {{0, 0}, {1, 5}, {6, 4}, {5, -1}, {0, 0}};
    for (int quarters = -4; quarters <= 4; quarters++) {
        const double *const truth = truths[(quarters + 4) % 4];
        const trp_root_delta delta =
            between(&timeline, playhead_at(0, 9), playhead_at(0, 9 + quarters));
        assert_true(fabs(delta.translation[0] - truth[0]) < 1e-14);
        assert_true(delta.translation[1] == 5 * quarters);
        assert_true(fabs(delta.translation[2] - truth[1]) < 1e-14);
    }
    // Whole turns take it home, exactly; without a turn nothing is rounded.
    assert_true(between(&timeline, playhead_at(7, 0), playhead_at(7, 4)).translation[0] == 0);
    const trp_root_delta none = between(&timeline, playhead_at(7, 0), playhead_at(7, 0));
    assert_true(none.translation[0] == 0 && none.translation[2] == 0);
}

static void test_root_motion_before_the_first_and_after_the_last_key_stands_still(void **state)
{
    (void)state;
    struct subject subject = {
        .key_count = 2,
        .times = {0.25, 0.5},
        .keys = {{0, 0, 0, 0}, {1, 0, 0, 0}},
    };
    subject_finish(&subject, 30, TRP_ROOT_X);
    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    const int64_t tenth = timeline.length / 10;
    const double truths[11] = {0, 0, 0, 0.2, 0.6, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 10; i++) {
        const trp_root_delta delta =
            between(&timeline, playhead_at(0, 0), playhead_at(i * tenth, 0));
        assert_true(fabs(delta.translation[0] - truths[i]) < 1e-12);
    }
}

static void test_root_motion_of_random_ways_is_the_product_of_matrices(void **state)
{
    (void)state;
    skip_without_long_double();
    uint64_t chance = 1;
    for (int i = 0; i < 100000; i++) {
        struct subject subject;
        subject_make_random(&subject, &chance);
        const trp_play_mode mode = (trp_play_mode)(synthetic_chance(&chance) % 3);
        const bool is_part = synthetic_chance(&chance) % 2;
        const double duration_s = subject.clip.duration_s;
        const double start_s = is_part ? synthetic_chance_between(&chance, 0, duration_s) : 0;
        const double end_s = is_part ? synthetic_chance_between(&chance, start_s, duration_s) : 0;
        const trp_timeline timeline = timeline_of(&subject, mode, start_s, end_s);
        // The ends of a part lie between keys: what they are rounded by counts in every loop.
        const int64_t cycles =
            (int64_t)(synthetic_chance(&chance) >> (is_part ? 27 : synthetic_chance(&chance) % 32));
        const trp_playhead from = random_playhead(&timeline, i % 2 ? cycles : -cycles, &chance);
        const trp_playhead to = random_playhead(&timeline, (int64_t)(i % 5), &chance);
        const trp_root_delta delta = between(&timeline, from, to);
        const double loops = fabs((double)(to.cycle - from.cycle)) + 1;
        const double turn_rad = turn_reach_rad(&subject);
        const double turned_rad = fabs(delta.yaw_rad) + turn_rad * (is_part ? loops : 1);
        const double length = length_of(delta) + reach_of(&subject) * (is_part ? loops : 1) +
                              pivot_distance(&subject);
        assert_truth(delta, truth_between(&subject, &timeline, from, to),
                     bound_of(length, turned_rad, loops), 1e-14 * turned_rad);
    }
}

// -- Ways in parts -------------------------------------------------------------------------------

static void test_root_motion_parts_of_a_way_combine_to_the_whole(void **state)
{
    (void)state;
    uint64_t chance = 2;
    for (int i = 0; i < 100000; i++) {
        struct subject subject;
        subject_make_random(&subject, &chance);
        const trp_play_mode mode = (trp_play_mode)(synthetic_chance(&chance) % 3);
        const double duration_s = subject.clip.duration_s;
        const double start_s = fmax(0, synthetic_chance_between(&chance, -duration_s, duration_s));
        const trp_timeline timeline = timeline_of(&subject, mode, start_s, 0);
        const int part_count = i % 10000 == 0 ? 10000 : 2 + (int)(synthetic_chance(&chance) % 8);
        trp_playhead start = {0};
        trp_playhead now = {0};
        trp_root_delta sum = {{0, 0, 0}, 0};
        double cycles = 0;
        double turned_rad = 0;
        double length = 0;
        for (int part = 0; part <= part_count; part++) {
            const int64_t cycle = (int64_t)((uint64_t)synthetic_chance(&chance) << 10 >>
                                            synthetic_chance(&chance) % 42);
            const trp_playhead next =
                random_playhead(&timeline, part % 2 ? -cycle : cycle, &chance);
            if (part == 0) {
                start = next;
            } else {
                const trp_root_delta delta = between(&timeline, now, next);
                sum = trp_root_delta_combine(&sum, &delta);
                cycles += fabs((double)(next.cycle - now.cycle));
                turned_rad += fabs(delta.yaw_rad) + turn_reach_rad(&subject);
                length += length_of(delta) + reach_of(&subject) + pivot_distance(&subject);
            }
            now = next;
        }
        const trp_root_delta whole = between(&timeline, start, now);
        const double error = distance_between(sum, whole);
        const double bound =
            bound_of(length, turned_rad, cycles) + combining_of(length, turned_rad, part_count);
        const double yaw_error = fabs(sum.yaw_rad - whole.yaw_rad);
        const double yaw_bound = (1e-15 + 2e-16 * part_count) * turned_rad;
        if (!(error <= bound && yaw_error <= yaw_bound)) {
            fail_msg("case %d, %d parts: off by %g of %g, yaw by %g of %g", i, part_count, error,
                     bound, yaw_error, yaw_bound);
        }
    }
}

static void test_root_motion_of_the_way_back_is_the_inverse(void **state)
{
    (void)state;
    uint64_t chance = 3;
    for (int i = 0; i < 100000; i++) {
        struct subject subject;
        subject_make_random(&subject, &chance);
        const trp_timeline timeline =
            timeline_of(&subject, (trp_play_mode)(synthetic_chance(&chance) % 3), 0, 0);
        const int64_t cycle =
            (int64_t)((uint64_t)synthetic_chance(&chance) << 10 >> synthetic_chance(&chance) % 42);
        const trp_playhead from = random_playhead(&timeline, 3, &chance);
        const trp_playhead to = random_playhead(&timeline, cycle, &chance);
        const trp_root_delta there = between(&timeline, from, to);
        const trp_root_delta back = between(&timeline, to, from);
        const double turned_rad = fabs(there.yaw_rad) + turn_reach_rad(&subject);
        const double length = length_of(there) + reach_of(&subject) + pivot_distance(&subject);
        const double bound = bound_of(length, turned_rad, (double)cycle);
        assert_true(distance_between(trp_root_delta_inverse(&there), back) <= bound);
        assert_true(fabs(there.yaw_rad + back.yaw_rad) <= 1e-15 * turned_rad);
    }
}

static void test_root_motion_of_a_million_loops_is_that_of_their_steps(void **state)
{
    (void)state;
    skip_without_long_double();
    static const float turns[5] = {0, 1e-6f, 0.1234567f, 0.5f, -2.75f};
    for (int i = 0; i < 5; i++) {
        struct subject subject;
        subject_make_loop(&subject, 1, 0.25f, 2, turns[i]);
        const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
        // Steps of a whole loop and three sevenths.
        const int64_t sevenths = timeline.length / 7 * 3;
        trp_playhead now = playhead_at(0, 0);
        struct truth truth = {0, 0, 0, 0};
        trp_root_delta sum = {{0, 0, 0}, 0};
        while (now.cycle < 1000000) {
            trp_playhead next = playhead_at(now.position + sevenths, now.cycle + 1);
            if (next.position >= timeline.length) {
                next = playhead_at(next.position - timeline.length, next.cycle + 1);
            }
            const trp_root_delta step = between(&timeline, now, next);
            sum = trp_root_delta_combine(&sum, &step);
            truth = truth_combine(truth, truth_between(&subject, &timeline, now, next));
            now = next;
        }
        const trp_root_delta whole = between(&timeline, playhead_at(0, 0), now);
        const double turned_rad = fabs(whole.yaw_rad);
        const double length = length_of(whole) + reach_of(&subject);
        assert_truth(whole, truth, bound_of(length, turned_rad, 1e6) + 1e-12 * length,
                     1e-14 * turned_rad);
        assert_true(distance_between(sum, whole) <=
                    bound_of(length, turned_rad, 1e6) + combining_of(length, turned_rad, 7e5));
    }
}

static void test_root_motion_of_a_million_loops_frame_by_frame_does_not_drift(void **state)
{
    (void)state;
    struct subject subject;
    subject_make_loop(&subject, 0, 0, 1.5f, 0);
    trp_timeline timeline;
    const trp_timeline_args make = {
        .clip = &subject.clip, .mode = TRP_PLAY_LOOP, .clock_num = 60, .clock_den = 1};
    assert_int_equal(trp_timeline_make(&make, &timeline), TRP_OK);
    trp_playhead now = trp_playhead_start(&timeline, 0);
    const trp_playhead first = now;
    trp_root_delta sum = {{0, 0, 0}, 0};
    for (int i = 0; i < 1000000; i++) { // frames at first, then some ten loops at a time
        trp_playhead previous;
        trp_root_delta step;
        const trp_playhead_args advance = {
            .timelines = &timeline,
            .timeline_count = 1,
            .playhead_count = 1,
            .playheads = &now,
            .dt_ticks = i < 900000 ? 1 : (60 * 1000000 - 900000) / 100000,
            .previous = &previous,
        };
        assert_int_equal(trp_playheads_advance(&advance, NULL), TRP_OK);
        const trp_root_motion_args args = {
            .timelines = &timeline,
            .timeline_count = 1,
            .playhead_count = 1,
            .previous = &previous,
            .playheads = &now,
            .deltas = &step,
        };
        assert_int_equal(trp_root_motion_between(&args, NULL), TRP_OK);
        sum = trp_root_delta_combine(&sum, &step);
    }
    assert_int_equal(now.cycle, 1000000);
    assert_true(between(&timeline, first, now).translation[2] == 1.5e6);
    assert_true(fabs(sum.translation[2] - 1.5e6) <= combining_of(1.5e6, 0, 1e6));
}

static void test_root_motion_after_a_billion_loops_has_the_same_bits(void **state)
{
    (void)state;
    uint64_t chance = 4;
    for (int i = 0; i < 1000; i++) {
        struct subject subject;
        subject_make_random(&subject, &chance);
        const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
        const int64_t frame = timeline.length / 7;
        for (int64_t k = 0; k < 7; k++) {
            const int64_t position = k * frame;
            const int64_t next = k < 6 ? position + frame : 0;
            const int64_t cycle = k < 6 || timeline.length == 0 ? 0 : 1;
            const trp_root_delta fresh =
                between(&timeline, playhead_at(position, 0), playhead_at(next, cycle));
            const trp_root_delta old = between(&timeline, playhead_at(position, 1000000000),
                                               playhead_at(next, 1000000000 + cycle));
            assert_true(is_same(fresh, old));
        }
    }
}

/// Mistakes of others, b50: the pose of a loop wraps at its end, but a root that moves must not.
static void test_root_motion_b50_no_frame_over_a_seam_drags_back(void **state)
{
    (void)state;
    struct subject subject = {.key_count = 30}; // the last key is a frame before the end
    for (uint32_t key = 0; key < 30; key++) {
        subject.times[key] = key / 30.0;
        subject.keys[key][2] = (float)key / 16;
    }
    subject.key_count = 31; // which the compiler puts there, going on as before
    subject.times[30] = 1;
    subject.keys[30][2] = 30.0f / 16;
    subject_finish(&subject, 30, TRP_ROOT_Z);
    trp_timeline timeline;
    const trp_timeline_args make = {
        .clip = &subject.clip, .mode = TRP_PLAY_LOOP, .clock_num = 77, .clock_den = 1};
    assert_int_equal(trp_timeline_make(&make, &timeline), TRP_OK);
    for (int direction = -1; direction <= 1; direction += 2) {
        trp_playhead now = trp_playhead_start(&timeline, 0.5);
        now.speed = (float)direction;
        for (int frame = 0; frame < 1000; frame++) {
            trp_playhead previous;
            const trp_playhead_args advance = {
                .timelines = &timeline,
                .timeline_count = 1,
                .playhead_count = 1,
                .playheads = &now,
                .dt_ticks = 1,
                .previous = &previous,
            };
            assert_int_equal(trp_playheads_advance(&advance, NULL), TRP_OK);
            const trp_root_delta delta = between(&timeline, previous, now);
            assert_true(fabs(delta.translation[2] - direction * (30.0 / 16 / 77)) < 2e-15);
        }
        assert_int_equal(now.cycle, direction > 0 ? 13 : -13);
    }
}

// -- Many loops, and none ------------------------------------------------------------------------

static void test_root_motion_of_loops_without_turn_is_exact(void **state)
{
    (void)state;
    static const int64_t cycles[5] = {1, -1, 1000000, INT64_C(1) << 40, -(INT64_C(1) << 62)};
    for (int turns = -2; turns <= 2; turns++) {
        struct subject subject;
        subject_make_loop(&subject, 0.1f, -2, 1e-3f, (float)turns);
        const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
        for (int i = 0; i < 5; i++) {
            const trp_root_delta delta =
                between(&timeline, playhead_at(0, 0), playhead_at(0, cycles[i]));
            const double count = (double)cycles[i];
            for (int k = 0; k < 3; k++) {
                const double truth = count * (double)subject.keys[1][k];
                assert_true(fabs(delta.translation[k] - truth) <= 3e-16 * fabs(truth));
            }
            const double yaw_rad = count * turns * 2 * acos(-1);
            assert_true(fabs(delta.yaw_rad - yaw_rad) <= 3e-16 * fabs(yaw_rad));
        }
    }
}

/// Where loops turn by next to nothing, the sum of them is a ratio of two tiny sines.
static void test_root_motion_of_loops_that_hardly_turn_is_an_arc(void **state)
{
    (void)state;
    skip_without_long_double();
    for (int exponent = -100; exponent <= -5; exponent++) {
        for (int power = 1; power <= 40; power++) {
            struct subject subject;
            subject_make_loop(&subject, 0, 0, 1, ldexpf(1.5f, exponent));
            const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
            const int64_t cycles = (INT64_C(1) << power) - 1;
            const trp_root_delta delta =
                between(&timeline, playhead_at(0, 0), playhead_at(0, cycles));
            // The chord of the arc: cycles steps, each turned by `turn`. Below 2^-63 turns nothing
            // turns.
            const long double pi = acosl(-1);
            const long double turn =
                exponent < -63 ? 0 : ldexpl(exponent == -63 ? 1 : 1.5L, exponent);
            const long double whole = remainderl(turn * cycles, 1); // exact, and as good as all
            const long double chord = turn == 0 ? cycles : sinl(pi * whole) / sinl(pi * turn);
            const long double mean = pi * (whole - turn);
            const double error = (double)hypotl(delta.translation[0] - chord * sinl(mean),
                                                delta.translation[2] - chord * cosl(mean));
            assert_true(error <= 3e-15 * (double)fabsl(chord) + 1e-15);
        }
    }
}

static void test_root_motion_of_any_number_of_cycles_is_finite(void **state)
{
    (void)state;
    static const int64_t cycles[8] = {
        0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 40, 12345678901234567};
    static const float keys[6] = {0, 1e-30f, 0.3f, -0.5f, 1e6f, 1e30f};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            struct subject subject;
            subject_make_loop(&subject, keys[k], keys[k], -keys[k], keys[i]);
            const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
            for (int from = 0; from < 8; from++) {
                for (int to = 0; to < 8; to++) {
                    const trp_root_delta delta =
                        between(&timeline, playhead_at(1, cycles[from]),
                                playhead_at(timeline.length / 3, cycles[to]));
                    assert_true(is_finite(delta));
                }
            }
        }
    }
    // The count of cycles wraps around.
    struct subject subject;
    subject_make_loop(&subject, 1, 0, 0, 0.125f);
    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    const trp_root_delta wrapped =
        between(&timeline, playhead_at(7, INT64_MAX), playhead_at(5, INT64_MIN));
    assert_true(is_same(wrapped, between(&timeline, playhead_at(7, 0), playhead_at(5, 1))));
}

static void test_root_motion_there_and_back_moves_nothing(void **state)
{
    (void)state;
    uint64_t chance = 5;
    for (int i = 0; i < 1000; i++) {
        struct subject subject;
        subject_make_random(&subject, &chance);
        const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_PING_PONG, 0, 0);
        const trp_playhead there = random_playhead(&timeline, 3, &chance);
        trp_playhead back = playhead_at(2 * timeline.length - there.position, -700);
        back.position = there.position == 0 ? 0 : back.position;
        assert_true(is_none(between(&timeline, there, back)));
        const trp_playhead other = random_playhead(&timeline, 0, &chance);
        assert_true(is_same(between(&timeline, other, there), between(&timeline, other, back)));
    }
}

static void test_root_motion_without_length_or_with_one_key_moves_nothing(void **state)
{
    (void)state;
    const trp_root_delta none = {{0, 0, 0}, 0};
    struct subject subject;
    subject_make_loop(&subject, 1, 2, 3, 0.25f);
    for (int mode = TRP_PLAY_CLAMP; mode <= TRP_PLAY_PING_PONG; mode++) {
        const trp_timeline point = timeline_of(&subject, (trp_play_mode)mode, 0.5, 0.5);
        assert_int_equal(point.length, 0);
        const int64_t cycle = mode == TRP_PLAY_CLAMP ? 0 : 9;
        assert_true(is_same(between(&point, playhead_at(0, 0), playhead_at(0, cycle)), none));
    }
    subject.key_count = 1;
    subject_finish(&subject, 30, ALL);
    const trp_timeline still = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    assert_true(is_same(between(&still, playhead_at(3, 0), playhead_at(99, 1000)), none));
    subject_finish(&subject, 0, ALL);
    const trp_timeline single = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    assert_true(is_same(between(&single, playhead_at(0, 0), playhead_at(0, 0)), none));
}

// -- Batches -------------------------------------------------------------------------------------

static void test_root_motion_of_bad_playheads_is_none_and_counted(void **state)
{
    (void)state;
    struct subject subject;
    subject_make_loop(&subject, 1, 2, 3, 0.25f);
    const trp_timeline timelines[3] = {
        timeline_of(&subject, TRP_PLAY_LOOP, 0, 0),
        timeline_of(&subject, TRP_PLAY_CLAMP, 0, 0),
        {0},
    };
    const int64_t length = timelines[0].length;
    const struct {
        trp_playhead from;
        trp_playhead to;
    } cases[] = {
        {{.position = 0}, {.position = length / 2}}, // the only good one beside the last
        {{.position = length}, {.position = 0}},
        {{.position = 0}, {.position = length}},
        {{.position = -1}, {.position = 0}},
        {{.position = 0}, {.position = INT64_MIN}},
        {{.position = 0}, {.position = 1, .timeline = 1}},
        {{.position = 0, .timeline = 1}, {.position = 1}},
        {{.position = 0, .timeline = 2}, {.position = 0, .timeline = 2}},
        {{.position = 0, .timeline = 3}, {.position = 0, .timeline = 3}},
        {{.position = 0, .timeline = UINT32_MAX}, {.position = 0, .timeline = UINT32_MAX}},
        {{.position = 0, .timeline = 1, .cycle = 1}, {.position = 5, .timeline = 1}},
        {{.position = 0, .timeline = 1}, {.position = length, .timeline = 1}},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    trp_playhead previous[COUNT];
    trp_playhead playheads[COUNT];
    trp_root_delta deltas[COUNT];
    for (int i = 0; i < COUNT; i++) {
        previous[i] = cases[i].from;
        playheads[i] = cases[i].to;
    }
    memset(deltas, 0x5A, sizeof deltas);
    const trp_root_motion_args args = {
        .timelines = timelines,
        .timeline_count = 3,
        .playhead_count = COUNT,
        .previous = previous,
        .playheads = playheads,
        .deltas = deltas,
    };
    trp_root_motion_report report;
    assert_int_equal(trp_root_motion_between(&args, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, COUNT - 2);
    const trp_root_delta none = {{0, 0, 0}, 0};
    for (int i = 0; i < COUNT; i++) {
        assert_true(is_same(deltas[i], none) == (i != 0 && i != COUNT - 1));
    }
    trp_root_motion_args nowhere = args;
    nowhere.timelines = NULL;
    nowhere.timeline_count = 0;
    assert_int_equal(trp_root_motion_between(&nowhere, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, COUNT);
    assert_true(is_same(deltas[0], none));
    // A timeline never made, alone: bad as well, and one of a clip that is nothing has no motion.
    const trp_clip nothing = {0};
    const trp_timeline of_nothing = {.clip = &nothing};
    const trp_playhead still = {0};
    trp_root_motion_args empty = args;
    empty.timelines = &timelines[2];
    empty.timeline_count = 1;
    empty.previous = &still;
    empty.playheads = &still;
    empty.playhead_count = 1;
    assert_int_equal(trp_root_motion_between(&empty, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, 1);
    assert_true(is_same(between(&of_nothing, still, still), none));
}

static void test_root_motion_of_wrong_arguments_writes_nothing(void **state)
{
    (void)state;
    struct subject subject;
    subject_make_loop(&subject, 1, 2, 3, 0.25f);
    const trp_timeline timeline = timeline_of(&subject, TRP_PLAY_LOOP, 0, 0);
    const trp_playhead playhead = playhead_at(0, 1);
    trp_root_delta delta;
    memset(&delta, 0x5A, sizeof delta);
    const trp_root_delta before = delta;
    trp_root_motion_report report = {77};
    const trp_root_motion_args good = {
        .timelines = &timeline,
        .timeline_count = 1,
        .playhead_count = 1,
        .previous = &playhead,
        .playheads = &playhead,
        .deltas = &delta,
    };
    trp_root_motion_args bad[6] = {good, good, good, good, good, good};
    bad[0].timelines = NULL;
    bad[1].previous = NULL;
    bad[2].playheads = NULL;
    bad[3].deltas = NULL;
    bad[4].deltas = (void *)((char *)&delta + 2);
    bad[5].previous = (const void *)((const char *)&playhead + 2);
    assert_int_equal(trp_root_motion_between(NULL, &report), TRP_ERROR_ARGUMENT);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(trp_root_motion_between(&bad[i], &report), TRP_ERROR_ARGUMENT);
    }
    assert_int_equal(report.bad_playhead_count, 77);
    assert_true(is_same(delta, before));
    assert_int_equal(trp_root_motion_between(&(trp_root_motion_args){0}, &report), TRP_OK);
    assert_int_equal(report.bad_playhead_count, 0);
    assert_int_equal(trp_root_motion_between(&good, NULL), TRP_OK);
    assert_false(is_same(delta, before));
}

// -- Deltas --------------------------------------------------------------------------------------

static trp_root_delta random_delta(double turns, uint64_t *chance)
{
    trp_root_delta delta;
    for (int i = 0; i < 3; i++) {
        delta.translation[i] = synthetic_chance_between(chance, -10, 10);
    }
    delta.yaw_rad = synthetic_chance_between(chance, -7, 7) * turns;
    return delta;
}

static void test_root_motion_deltas_combine_as_matrices_do(void **state)
{
    (void)state;
    skip_without_long_double();
    uint64_t chance = 6;
    for (int i = 0; i < 10000; i++) {
        const trp_root_delta a = random_delta(i % 3 ? 1 : 1000, &chance);
        const trp_root_delta b = random_delta(1, &chance);
        const long double two_pi = 2 * acosl(-1);
        const struct truth truth =
            truth_combine((struct truth){a.translation[0], a.translation[1], a.translation[2],
                                         a.yaw_rad / two_pi},
                          (struct truth){b.translation[0], b.translation[1], b.translation[2],
                                         b.yaw_rad / two_pi});
        const trp_root_delta sum = trp_root_delta_combine(&a, &b);
        const double turned_rad = fabs(a.yaw_rad) + fabs(b.yaw_rad);
        assert_truth(sum, truth, bound_of(30, turned_rad, 0), 3e-16 * turned_rad);
        const trp_root_delta inverse = trp_root_delta_inverse(&a);
        const trp_root_delta left = trp_root_delta_combine(&inverse, &a);
        const trp_root_delta right = trp_root_delta_combine(&a, &inverse);
        assert_true(left.yaw_rad == 0 && right.yaw_rad == 0);
        assert_true(length_of(left) < 1e-14 && length_of(right) < 1e-14);
    }
}

static void test_root_motion_no_movement_is_neutral(void **state)
{
    (void)state;
    uint64_t chance = 7;
    const trp_root_delta none = {{0, 0, 0}, 0};
    const trp_root_delta delta = random_delta(1, &chance);
    assert_true(is_same(trp_root_delta_combine(&none, &delta), delta));
    assert_true(is_same(trp_root_delta_combine(&delta, &none), delta));
    assert_true(is_same(trp_root_delta_combine(NULL, &delta), delta));
    assert_true(is_same(trp_root_delta_combine(&delta, NULL), delta));
    assert_true(is_same(trp_root_delta_inverse(&none), none));
    assert_true(is_same(trp_root_delta_inverse(NULL), none));
}

static void test_root_motion_rotation_is_the_yaw_and_of_unit_length(void **state)
{
    (void)state;
    uint64_t chance = 8;
    for (int i = 0; i < 10000; i++) {
        const trp_root_delta delta = random_delta(i % 2 ? 1 : 1000, &chance);
        float rotation[4];
        trp_root_delta_rotation(&delta, rotation);
        assert_true(rotation[0] == 0 && rotation[2] == 0);
        assert_true(fabs(rotation[1] - sin(delta.yaw_rad / 2)) < 1e-7);
        assert_true(fabs(rotation[3] - cos(delta.yaw_rad / 2)) < 1e-7);
        const double square = (double)rotation[1] * rotation[1] + (double)rotation[3] * rotation[3];
        assert_true(fabs(square - 1) < 2e-7);
    }
    const double extremes[5] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e300};
    for (int i = 0; i < 5; i++) {
        const trp_root_delta delta = {{0, 0, 0}, extremes[i]};
        float rotation[4];
        trp_root_delta_rotation(&delta, rotation);
        assert_true(rotation[1] == 0 && rotation[3] == 1);
    }
    float rotation[4] = {9, 9, 9, 9};
    trp_root_delta_rotation(NULL, rotation);
    assert_true(rotation[0] == 0 && rotation[1] == 0 && rotation[2] == 0 && rotation[3] == 1);
    trp_root_delta_rotation(NULL, NULL);
}

// -- Blending ------------------------------------------------------------------------------------

static trp_root_delta blend(const trp_root_delta *deltas, const float *weights, uint32_t count)
{
    trp_root_delta result;
    const trp_root_blend_job job = {deltas, weights, count};
    const trp_root_blend_args args = {&job, 1, &result};
    assert_int_equal(trp_blend_root_motion(&args), TRP_OK);
    return result;
}

static void test_root_motion_blend_is_the_average_by_weight(void **state)
{
    (void)state;
    static const double scales[4] = {1, 1e-30, 1e10, 0x1p57};
    uint64_t chance = 9;
    for (int i = 0; i < 10000; i++) {
        trp_root_delta deltas[5];
        float weights[5];
        double truth[4] = {0, 0, 0, 0};
        double sum = 0;
        for (int layer = 0; layer < 5; layer++) {
            deltas[layer] = random_delta(1, &chance);
            weights[layer] = (float)(synthetic_chance_between(&chance, 0.01, 3) * scales[i % 4]);
            sum += (double)weights[layer];
            for (int k = 0; k < 3; k++) {
                truth[k] += weights[layer] * deltas[layer].translation[k];
            }
            truth[3] += weights[layer] * deltas[layer].yaw_rad;
        }
        const trp_root_delta result = blend(deltas, weights, 5);
        const trp_root_delta expected = {{truth[0] / sum, truth[1] / sum, truth[2] / sum}, 0};
        assert_true(distance_between(result, expected) < 1e-13);
        assert_true(fabs(result.yaw_rad - truth[3] / sum) < 1e-13);

        // The order of two is the same to the bit, that of more nearly so.
        const trp_root_delta swapped[2] = {deltas[1], deltas[0]};
        const float swapped_weights[2] = {weights[1], weights[0]};
        assert_true(is_same(blend(deltas, weights, 2), blend(swapped, swapped_weights, 2)));
        const trp_root_delta turned[3] = {deltas[2], deltas[0], deltas[1]};
        const float turned_weights[3] = {weights[2], weights[0], weights[1]};
        assert_true(distance_between(blend(deltas, weights, 3), blend(turned, turned_weights, 3)) <
                    1e-13);
    }
}

static void test_root_motion_blend_of_one_weighty_layer_is_it_bit_for_bit(void **state)
{
    (void)state;
    uint64_t chance = 10;
    const trp_root_delta unread = {{(double)NAN, (double)NAN, (double)NAN}, (double)NAN};
    static const float nothing[5] = {0, -0.0f, -1, NAN, -INFINITY};
    static const float weights[5] = {0.1f, 1, 1e-38f, 1e38f, INFINITY};
    for (int i = 0; i < 1000; i++) {
        const trp_root_delta deltas[3] = {unread, random_delta(1, &chance), unread};
        const float layer_weights[3] = {nothing[i % 5], weights[i / 5 % 5], nothing[i / 25 % 5]};
        assert_true(is_same(blend(deltas, layer_weights, 3), deltas[1]));
        assert_true(is_same(blend(deltas + 1, layer_weights + 1, 1), deltas[1]));
    }
}

static void test_root_motion_blend_without_weight_moves_nothing(void **state)
{
    (void)state;
    uint64_t chance = 11;
    const trp_root_delta none = {{0, 0, 0}, 0};
    const trp_root_delta deltas[4] = {random_delta(1, &chance), random_delta(1, &chance),
                                      random_delta(1, &chance), random_delta(1, &chance)};
    const float weights[4] = {0, -3, NAN, -INFINITY};
    assert_true(is_same(blend(deltas, weights, 4), none));
    assert_true(is_same(blend(NULL, NULL, 0), none));
    const float huge[4] = {INFINITY, FLT_MAX, 0, 0}; // both count as 2^60
    const trp_root_delta middle = blend(deltas, huge, 4);
    assert_true(middle.yaw_rad == (deltas[0].yaw_rad + deltas[1].yaw_rad) / 2);
}

static void test_root_motion_blend_of_wrong_arguments_writes_nothing(void **state)
{
    (void)state;
    trp_root_delta deltas[2];
    memset(deltas, 0x5A, sizeof deltas);
    const trp_root_delta before = deltas[0];
    const trp_root_delta layer = {{1, 2, 3}, 4};
    const float weight = 1;
    const trp_root_blend_job good = {&layer, &weight, 1};
    const trp_root_blend_job jobs[5] = {
        {NULL, &weight, 1},
        {&layer, NULL, 1},
        {(const void *)((const char *)&layer + 2), &weight, 1},
        {&layer, (const void *)((const char *)&weight + 1), 1},
        good,
    };
    for (int i = 0; i < 4; i++) {
        const trp_root_blend_job pair[2] = {good, jobs[i]};
        const trp_root_blend_args args = {pair, 2, deltas};
        assert_int_equal(trp_blend_root_motion(&args), TRP_ERROR_ARGUMENT);
    }
    assert_int_equal(trp_blend_root_motion(NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_blend_root_motion(&(trp_root_blend_args){NULL, 1, deltas}),
                     TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_blend_root_motion(&(trp_root_blend_args){&good, 1, NULL}),
                     TRP_ERROR_ARGUMENT);
    assert_true(is_same(deltas[0], before) && is_same(deltas[1], before));
    assert_int_equal(trp_blend_root_motion(&(trp_root_blend_args){0}), TRP_OK);
    assert_int_equal(trp_blend_root_motion(&(trp_root_blend_args){&good, 1, deltas}), TRP_OK);
    assert_true(is_same(deltas[0], layer) && is_same(deltas[1], before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_motion_of_clip_is_what_its_pack_says),
        cmocka_unit_test(test_root_motion_of_clip_without_is_a_mismatch_and_nothing_written),
        cmocka_unit_test(test_root_motion_each_component_alone_moves_alone),
        cmocka_unit_test(
            test_root_motion_after_a_quarter_turn_is_in_the_directions_of_the_character),
        cmocka_unit_test(test_root_motion_turning_about_a_pivot_takes_the_origin_round_it),
        cmocka_unit_test(test_root_motion_before_the_first_and_after_the_last_key_stands_still),
        cmocka_unit_test(test_root_motion_of_random_ways_is_the_product_of_matrices),
        cmocka_unit_test(test_root_motion_parts_of_a_way_combine_to_the_whole),
        cmocka_unit_test(test_root_motion_of_the_way_back_is_the_inverse),
        cmocka_unit_test(test_root_motion_of_a_million_loops_is_that_of_their_steps),
        cmocka_unit_test(test_root_motion_of_a_million_loops_frame_by_frame_does_not_drift),
        cmocka_unit_test(test_root_motion_after_a_billion_loops_has_the_same_bits),
        cmocka_unit_test(test_root_motion_b50_no_frame_over_a_seam_drags_back),
        cmocka_unit_test(test_root_motion_of_loops_without_turn_is_exact),
        cmocka_unit_test(test_root_motion_of_loops_that_hardly_turn_is_an_arc),
        cmocka_unit_test(test_root_motion_of_any_number_of_cycles_is_finite),
        cmocka_unit_test(test_root_motion_there_and_back_moves_nothing),
        cmocka_unit_test(test_root_motion_without_length_or_with_one_key_moves_nothing),
        cmocka_unit_test(test_root_motion_of_bad_playheads_is_none_and_counted),
        cmocka_unit_test(test_root_motion_of_wrong_arguments_writes_nothing),
        cmocka_unit_test(test_root_motion_deltas_combine_as_matrices_do),
        cmocka_unit_test(test_root_motion_no_movement_is_neutral),
        cmocka_unit_test(test_root_motion_rotation_is_the_yaw_and_of_unit_length),
        cmocka_unit_test(test_root_motion_blend_is_the_average_by_weight),
        cmocka_unit_test(test_root_motion_blend_of_one_weighty_layer_is_it_bit_for_bit),
        cmocka_unit_test(test_root_motion_blend_without_weight_moves_nothing),
        cmocka_unit_test(test_root_motion_blend_of_wrong_arguments_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
