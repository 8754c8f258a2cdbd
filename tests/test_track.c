// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Single keyed tracks. Tests called conformance_NN are the items of the list that AnimationTrack's
// promises come to; tests called b06 and so on are mistakes that other players of glTF made.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "isa.h"
#include "keyed_builder.h"
#include "synthetic_clip.h"

#define PI 3.14159265358979323846

// -- Helpers -------------------------------------------------------------------------------------

/// Samples with a fresh cursor; the value lives until the eighth call after this one.
static const float *sample(const trp_track *track, double time_s)
{
    static float values[8][256];
    static uint32_t next;
    float *const into = values[next++ % 8];
    assert_int_equal(trp_track_sample(track, time_s, NULL, into, track->stride), TRP_OK);
    return into;
}

/// One property track of its own group.
static struct trp__keyed build_scalars(uint32_t interpolation, uint32_t stride, uint32_t key_count,
                                       uint64_t seed)
{
    const struct keyed_recipe recipe = {.seed = seed,
                                        .scalar_count = stride,
                                        .key_count = key_count,
                                        .interpolation = interpolation};
    return keyed_build(&recipe, 1);
}

static struct trp__keyed build_rotations(uint32_t interpolation, uint32_t count, uint32_t key_count,
                                         double turn_deg, uint64_t seed)
{
    const struct keyed_recipe recipe = {.seed = seed,
                                        .rotation_count = count,
                                        .key_count = key_count,
                                        .interpolation = interpolation,
                                        .turn_deg = turn_deg};
    return keyed_build(&recipe, 1);
}

static double length_of(const float *q)
{
    return sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] +
                (double)q[3] * q[3]);
}

/// Returns the angle between two unit rotations, in radians.
static double turn_between(const float a[4], const double b[4])
{
    double chord = 0;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        chord += (a[i] - b[i]) * (a[i] - b[i]);
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * asin(fmin(sqrt(fmin(chord, sum)) / 2, 1));
}

static void assert_truth(const struct trp__keyed *keyed, uint32_t index, double time_s,
                         double bound)
{
    const trp_track track = keyed_track(keyed, index);
    double truth[256];
    keyed_truth(keyed, index, time_s, truth);
    const float *const value = sample(&track, time_s);
    for (uint32_t i = 0; i < track.stride; i++) {
        assert_true(fabs(value[i] - truth[i]) <= bound);
    }
}

// -- The conformance list ------------------------------------------------------------------------

static void test_track_conformance_01_step_changes_exactly_at_its_keys(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_STEP, 3, 12, 1);
    const trp_track track = keyed_track(&keyed, 0);
    FOR_EACH_ISA(isa)
    {
        for (uint32_t key = 0; key < 12; key++) {
            const double time = track.times[key];
            const float *const value = keyed_plane(&keyed, 0, key, 1);
            const float *const before = keyed_plane(&keyed, 0, key ? key - 1 : 0, 1);
            assert_memory_equal(sample(&track, nextafter(time, -1)), before, 12);
            assert_memory_equal(sample(&track, time), value, 12);
            assert_memory_equal(sample(&track, nextafter(time, 1e9)), value, 12);
        }
    }
    synthetic_release();
}

static void test_track_conformance_02_linear_has_exact_ends_and_middles(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_LINEAR, 5, 2, 2);
    keyed_times(&keyed, 0)[0] = 1;
    keyed_times(&keyed, 0)[1] = 3;
    const float from[5] = {0, 1, -0.0f, 0.1f, 1e30f};
    const float to[5] = {1, 0, 2, 0.1f, -1e30f};
    const float middle[5] = {0.5f, 0.5f, 1, 0.1f, 0};
    memcpy(keyed_plane(&keyed, 0, 0, 1), from, sizeof from);
    memcpy(keyed_plane(&keyed, 0, 1, 1), to, sizeof to);
    const trp_track track = keyed_track(&keyed, 0);
    FOR_EACH_ISA(isa)
    {
        assert_memory_equal(sample(&track, 1), from, sizeof from);
        assert_memory_equal(sample(&track, 2), middle, sizeof middle);
        assert_memory_equal(sample(&track, 3), to, sizeof to);
    }
    synthetic_release();
}

static void test_track_conformance_03_cubic_is_the_formula_whatever_the_intervals(void **state)
{
    (void)state;
    static const double spacings[3] = {0.1, 1, 10};
    for (int i = 0; i < 3; i++) {
        const struct keyed_recipe recipe = {.seed = 3,
                                            .scalar_count = 4,
                                            .key_count = 8,
                                            .interpolation = TRP_INTERPOLATION_CUBIC,
                                            .spacing_s = spacings[i]};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        for (int j = -5; j < 100; j++) {
            assert_truth(&keyed, 0, j * 0.08 * spacings[i], 1e-6 * fmax(1, spacings[i]));
        }
        synthetic_release();
    }
}

static void test_track_conformance_04_cubic_without_tangents_is_smoothstep(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_CUBIC, 1, 2, 4);
    keyed_times(&keyed, 0)[0] = 0;
    keyed_times(&keyed, 0)[1] = 4;
    for (uint32_t key = 0; key < 2; key++) {
        *keyed_plane(&keyed, 0, key, 0) = 0;
        *keyed_plane(&keyed, 0, key, 1) = key ? 5.0f : 1.0f;
        *keyed_plane(&keyed, 0, key, 2) = 0;
    }
    const trp_track track = keyed_track(&keyed, 0);
    for (int i = 0; i <= 40; i++) {
        const double u = i / 40.0;
        assert_true(fabs(*sample(&track, 4 * u) - (1 + 4 * u * u * (3 - 2 * u))) < 1e-6);
    }
    synthetic_release();
}

static void test_track_conformance_05_times_outside_give_the_end_values(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind <= TRP_INTERPOLATION_SAMPLED; kind++) {
        const struct keyed_recipe recipe = {
            .seed = 5, .scalar_count = 3, .key_count = 4, .interpolation = kind, .start_s = 0.5};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        const trp_track track = keyed_track(&keyed, 0);
        const double inf = (double)INFINITY;
        const double early[7] = {0, 0.25, -0.0, -1, -inf, (double)NAN, nextafter(0.5, 0)};
        const double late[4] = {track.duration_s, nextafter(track.duration_s, 1e9), 1e300, inf};
        for (int i = 0; i < 7; i++) {
            assert_memory_equal(sample(&track, early[i]), keyed_plane(&keyed, 0, 0, 1), 12);
        }
        for (int i = 0; i < 4; i++) {
            assert_memory_equal(sample(&track, late[i]), keyed_plane(&keyed, 0, 3, 1), 12);
        }
        synthetic_release();
    }
}

/// What is too near a key for a normal float is at the key, whether denormals are flushed or not.
/// A key at -1 is one as any other, only before the clip.
static void test_track_first_key_before_the_clip_is_played_at_negative_times(void **state)
{
    (void)state;
    static const double times[8] = {-1, -0.999, -0.5, -1e-9, -0.0, 0.25, 0.5, 0.75};
    for (uint32_t interpolation = 0; interpolation <= TRP_INTERPOLATION_SAMPLED; interpolation++) {
        const struct trp__keyed keyed = build_scalars(interpolation, 3, 3, 40 + interpolation);
        keyed_times(&keyed, 0)[0] = -1;
        keyed_times(&keyed, 0)[1] = 0.5;
        keyed_times(&keyed, 0)[2] = 2;
        const trp_track track = keyed_track(&keyed, 0);
        FOR_EACH_ISA(isa)
        {
            for (uint32_t i = 0; i < 8; i++) {
                assert_truth(&keyed, 0, times[i], 2e-6);
            }
            const float *const first = keyed_plane(&keyed, 0, 0, 1);
            assert_memory_equal(sample(&track, -1), first, 12);
            assert_memory_equal(sample(&track, -7), first, 12);
            assert_memory_equal(sample(&track, (double)-INFINITY), first, 12);
            assert_memory_equal(sample(&track, 0.5), keyed_plane(&keyed, 0, 1, 1), 12);
            assert_memory_equal(sample(&track, (double)NAN), sample(&track, 0), 12);
        }
        assert_true(track.times[0] == -1 && track.duration_s == 2);
        synthetic_release();
    }
}

static void test_track_nearest_times_give_the_value_of_the_key(void **state)
{
    (void)state;
    const struct keyed_recipe recipe = {
        .seed = 5, .scalar_count = 1, .key_count = 4, .interpolation = TRP_INTERPOLATION_LINEAR};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    const trp_track track = keyed_track(&keyed, 0);
    float *const first = (float *)(uintptr_t)keyed_plane(&keyed, 0, 0, 1);
    assert_true(track.times[0] == 0);
    first[0] = 0; // beside which a denormal would be seen
    assert_true(*keyed_plane(&keyed, 0, 1, 1) != 0);
    assert_true(*sample(&track, 1e-42) == 0);
    assert_true(*sample(&track, 1e-30) != 0);
    synthetic_release();
}

static void test_track_conformance_06_the_last_key_gives_the_last_value(void **state)
{
    (void)state;
    for (uint32_t key_count = 2; key_count < 6; key_count++) {
        const struct trp__keyed keyed = build_scalars(KEYED_MIXED, 1, key_count, 6);
        const trp_track track = keyed_track(&keyed, 0);
        for (uint32_t hint = 0; hint < 7; hint++) {
            uint32_t cursor = hint;
            float value;
            assert_int_equal(trp_track_sample(&track, track.duration_s, &cursor, &value, 1),
                             TRP_OK);
            assert_true(value == *keyed_plane(&keyed, 0, key_count - 1, 1));
        }
        synthetic_release();
    }
}

static void test_track_conformance_07_one_key_is_constant_in_every_way(void **state)
{
    (void)state;
    static const double times[6] = {-1, 0, 0.5, 3, 1e9, (double)NAN};
    for (uint32_t kind = 0; kind <= TRP_INTERPOLATION_SAMPLED; kind++) {
        const struct keyed_recipe recipe = {.seed = 7,
                                            .rotation_count = 1,
                                            .scalar_count = 4,
                                            .key_count = 1,
                                            .interpolation = kind,
                                            .start_s = 0.5};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        const trp_track rotation = keyed_track(&keyed, 0);
        const trp_track weights = keyed_track(&keyed, 1);
        assert_true(rotation.duration_s == 0 && weights.duration_s == 0);
        assert_int_equal(trp_track_interpolation(&rotation, 0), TRP_INTERPOLATION_STEP);
        for (int i = 0; i < 6; i++) {
            assert_truth(&keyed, 0, times[i], 2e-7);
            assert_memory_equal(sample(&weights, times[i]), keyed_plane(&keyed, 0, 0, 1) + 4, 16);
        }
        synthetic_release();
    }
}

static void test_track_conformance_08_a_collapsed_track_has_no_duration(void **state)
{
    (void)state;
    const struct keyed_recipe recipes[2] = {
        {.seed = 8, .scalar_count = 1, .key_count = 1},
        {.seed = 8, .scalar_count = 1, .key_count = 9, .interpolation = 1, .start_s = 1},
    };
    const struct trp__keyed keyed = keyed_build(recipes, 2); // side by side in one clip
    const trp_track moving = keyed_track(&keyed, 1);
    assert_true(keyed_track(&keyed, 0).duration_s == 0);
    assert_true(moving.duration_s == keyed_times(&keyed, 1)[8]);
    synthetic_release();
}

static void test_track_conformance_09_any_stride_leaves_the_tail_alone(void **state)
{
    (void)state;
    static const uint32_t strides[6] = {1, 3, 4, 5, 64, 200};
    FOR_EACH_ISA(isa)
    {
        for (uint32_t i = 0; i < 6; i++) {
            for (uint32_t kind = 0; kind <= TRP_INTERPOLATION_SAMPLED; kind++) {
                const uint32_t stride = strides[i];
                const struct trp__keyed keyed = build_scalars(kind, stride, 5, i);
                const trp_track track = keyed_track(&keyed, 0);
                double truth[256];
                float into[256];
                assert_int_equal(track.stride, stride);
                for (double time = -0.1; time < 0.7; time += 0.06) {
                    memset(into, 0x5A, sizeof into);
                    keyed_truth(&keyed, 0, time, truth);
                    assert_int_equal(trp_track_sample(&track, time, NULL, into, 256), TRP_OK);
                    for (uint32_t j = 0; j < 256; j++) {
                        uint32_t bits;
                        memcpy(&bits, &into[j], sizeof bits);
                        assert_true(j < stride ? fabs(into[j] - truth[j]) < 2e-6
                                               : bits == 0x5A5A5A5A);
                    }
                }
                synthetic_release();
            }
        }
    }
}

static void test_track_conformance_10_rotations_are_of_unit_length(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind <= TRP_INTERPOLATION_SAMPLED; kind++) {
        const struct trp__keyed keyed = build_rotations(kind, 1, 40, 0, kind);
        const trp_track track = keyed_track(&keyed, 0);
        uint64_t chance = 10;
        uint32_t cursor = 0;
        for (int i = 0; i < 10000; i++) {
            const double time = synthetic_chance_between(&chance, -0.1, 4.5);
            float q[4];
            assert_int_equal(trp_track_sample_quaternion(&track, time, &cursor, q), TRP_OK);
            assert_true(fabs(length_of(q) - 1) < 1e-6);
        }
        synthetic_release();
    }
}

static void test_track_conformance_10_linear_takes_the_short_way_and_cubic_does_not(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) { // a quarter turn about z, either sign of the second
        const float half = (float)(sign * sqrt(0.5));
        const float keys[2][4] = {{0, 0, 0, 1}, {0, 0, half, half}};
        float results[3][4];
        for (int i = 0; i < 3; i++) {
            static const uint32_t kinds[3] = {TRP_INTERPOLATION_LINEAR, TRP_INTERPOLATION_SLERP,
                                              TRP_INTERPOLATION_CUBIC};
            const struct trp__keyed keyed = build_rotations(kinds[i], 1, 2, 0, 1);
            keyed_times(&keyed, 0)[0] = 0;
            keyed_times(&keyed, 0)[1] = 1;
            for (uint32_t key = 0; key < 2; key++) {
                memcpy(keyed_plane(&keyed, 0, key, 1), keys[key], sizeof keys[key]);
                if (kinds[i] == TRP_INTERPOLATION_CUBIC) {
                    memset(keyed_plane(&keyed, 0, key, 0), 0, sizeof keys[key]);
                    memset(keyed_plane(&keyed, 0, key, 2), 0, sizeof keys[key]);
                }
            }
            const trp_track track = keyed_track(&keyed, 0);
            memcpy(results[i], sample(&track, 0.5), sizeof results[i]);
            synthetic_release();
        }
        const double eighth[4] = {0, 0, sin(PI / 8), cos(PI / 8)};
        const double long_way[4] = {0, 0, -cos(PI / 8), sin(PI / 8)};
        assert_true(turn_between(results[0], eighth) < 1e-6);
        assert_true(turn_between(results[1], eighth) < 1e-6);
        assert_true(turn_between(results[2], sign > 0 ? eighth : long_way) < 1e-6);
    }
}

static void test_track_conformance_11_slerp_is_exact_and_linear_near_it(void **state)
{
    (void)state;
    static const double degrees[8] = {10, 30, 60, 90, 120, 150, 170, 179.9};
    for (int i = 0; i < 8; i++) {
        const struct trp__keyed slerp =
            build_rotations(TRP_INTERPOLATION_SLERP, 1, 30, degrees[i], i);
        const struct trp__keyed line =
            build_rotations(TRP_INTERPOLATION_LINEAR, 1, 30, degrees[i], i);
        const trp_track track = keyed_track(&slerp, 0);
        const trp_track line_track = keyed_track(&line, 0);
        for (double time = 0; time < 3; time += 0.007) {
            double truth[4];
            keyed_truth(&slerp, 0, time, truth);
            const float *const q = sample(&track, time);
            for (int j = 0; j < 4; j++) {
                assert_true(fabs(q[j] - truth[j]) <= 2e-7);
            }
            // Plain nlerp would be 0.92 degrees off at 90 and 8.1 at 180.
            const double error_deg = turn_between(sample(&line_track, time), truth) * 180 / PI;
            assert_true(error_deg < 1e-4 + 0.001 * degrees[i] + (degrees[i] > 100 ? 1.5 : 0));
        }
        synthetic_release();
    }
}

static void test_track_conformance_12_a_chain_of_five_keeps_its_scale(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_rotations(TRP_INTERPOLATION_CUBIC, 5, 20, 0, 12);
    for (double time = 0; time < 2; time += 0.003) {
        double scale = 1;
        for (uint32_t i = 0; i < 5; i++) {
            const trp_track track = keyed_track(&keyed, i);
            const double length = length_of(sample(&track, time));
            scale *= length * length;
        }
        assert_true(fabs(scale - 1) < 1e-5);
    }
    synthetic_release();
}

static void test_track_conformance_13_every_order_of_seeks_gives_the_same_bits(void **state)
{
    (void)state;
    const struct keyed_recipe recipe = {.seed = 13,
                                        .rotation_count = 2,
                                        .scalar_count = 5,
                                        .key_count = 50,
                                        .interpolation = KEYED_MIXED};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    enum { TIMES = 300 };
    uint32_t cursors[5] = {0, 0, 0, 0, UINT32_MAX};
    uint64_t chance = 13;
    for (int i = 0; i < TIMES; i++) {
        const int back = TIMES - 1 - i;
        const double times[5] = {
            i / 60.0,                                    // forward
            back / 60.0,                                 // backward
            (i % 40 < 20 ? i % 40 : 40 - i % 40) / 10.0, // there and back
            fmod(i / 7.0, 4.9),                          // in a loop
            synthetic_chance_between(&chance, -1, 6),    // anywhere
        };
        for (int j = 0; j < 5; j++) {
            for (uint32_t index = 0; index < 3; index++) {
                const trp_track track = keyed_track(&keyed, index);
                float fresh[8];
                float played[8];
                assert_int_equal(trp_track_sample(&track, times[j], NULL, fresh, 8), TRP_OK);
                assert_int_equal(trp_track_sample(&track, times[j], &cursors[j], played, 8),
                                 TRP_OK);
                assert_memory_equal(fresh, played, track.stride * sizeof(float));
            }
        }
    }
    synthetic_release();
}

static void test_track_conformance_15_instances_share_a_track(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_CUBIC, 3, 100, 15);
    const trp_track track = keyed_track(&keyed, 0);
    uint32_t cursors[2] = {0, 0};
    for (int i = 0; i < 500; i++) {
        const double times[2] = {i / 60.0, 9 - i / 60.0};
        for (int j = 0; j < 2; j++) {
            float fresh[3];
            float shared[3];
            assert_int_equal(trp_track_sample_vector3(&track, times[j], NULL, fresh), TRP_OK);
            assert_int_equal(trp_track_sample_vector3(&track, times[j], &cursors[j], shared),
                             TRP_OK);
            assert_memory_equal(fresh, shared, sizeof fresh);
        }
    }
    assert_true(cursors[0] != cursors[1]);
    synthetic_release();
}

static void test_track_conformance_19_times_of_an_hour_lose_nothing(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind <= TRP_INTERPOLATION_SAMPLED; kind++) {
        const struct keyed_recipe recipe = {.seed = 19,
                                            .rotation_count = 1,
                                            .scalar_count = 3,
                                            .key_count = 20,
                                            .interpolation = kind,
                                            .start_s = 3600,
                                            .spacing_s = 1 / 60.0,
                                            .turn_deg = 40};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        const double duration_s = keyed_track(&keyed, 0).duration_s;
        for (double time = 3600; time < duration_s; time += 0.0021) {
            assert_truth(&keyed, 0, time, 2e-6);
            assert_truth(&keyed, 1, time, 1e-6);
        }
        synthetic_release();
    }
}

static void test_track_conformance_20_batches_of_any_size_have_the_same_bits(void **state)
{
    (void)state;
    struct keyed_recipe recipes[12];
    for (uint32_t i = 0; i < 12; i++) {
        recipes[i] = (struct keyed_recipe){.seed = i,
                                           .rotation_count = i % 5,
                                           .scalar_count = 6,
                                           .stride = 3,
                                           .key_count = 1 + i,
                                           .interpolation = i % 4 ? KEYED_MIXED : i % 7};
    }
    const struct trp__keyed keyed = keyed_build(recipes, 12);
    trp_track tracks[64];
    for (uint32_t i = 0; i < keyed.track_count; i++) {
        tracks[i] = keyed_track(&keyed, i);
    }
    uint64_t chance = 20;
    for (uint32_t count = 0; count < 100; count++) {
        trp_track_request requests[100];
        float expected[100][4];
        double time = 0;
        memset(expected, 0, sizeof expected);
        for (uint32_t i = 0; i < count; i++) {
            time = synthetic_chance(&chance) % 2 ? time : synthetic_chance_between(&chance, -1, 2);
            requests[i] = (trp_track_request){
                .track = &tracks[synthetic_chance(&chance) % keyed.track_count],
                .time_s = time,
            };
            trp_isa_force(TRP_ISA_REFERENCE);
            assert_int_equal(trp_track_sample(requests[i].track, time, NULL, expected[i], 4),
                             TRP_OK);
        }
        FOR_EACH_ISA(isa)
        {
            float values[100][4];
            uint32_t cursors[100];
            memset(values, 0, sizeof values);
            for (uint32_t i = 0; i < count; i++) {
                cursors[i] = i;
                requests[i].into = values[i];
                requests[i].cursor = i % 3 ? &cursors[i] : NULL;
            }
            const trp_track_args args = {requests, count};
            assert_int_equal(trp_sample_tracks(&args), TRP_OK);
            assert_memory_equal(values, expected, sizeof values);
        }
    }
    synthetic_release();
}

// -- Mistakes of others --------------------------------------------------------------------------

static void test_track_b06_cubic_rotations_are_normalised(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_rotations(TRP_INTERPOLATION_CUBIC, 3, 10, 90, 6);
    for (uint32_t i = 0; i < 3; i++) {
        const trp_track track = keyed_track(&keyed, i);
        for (double time = 0; time < 1; time += 0.01) {
            assert_true(fabs(length_of(sample(&track, time)) - 1) < 1e-6);
        }
    }
    synthetic_release();
}

static void test_track_b09_tangents_of_steps_are_not_used(void **state)
{
    (void)state;
    const struct keyed_recipe recipe = {.seed = 9,
                                        .scalar_count = 2,
                                        .key_count = 3,
                                        .interpolation = TRP_INTERPOLATION_STEP,
                                        .planes = 3,
                                        .spacing_s = 1e-9};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    for (uint32_t key = 0; key < 3; key++) {
        for (uint32_t i = 0; i < 2; i++) {
            keyed_plane(&keyed, 0, key, 0)[i] = FLT_MAX;
            keyed_plane(&keyed, 0, key, 2)[i] = -FLT_MAX;
        }
    }
    const trp_track track = keyed_track(&keyed, 0);
    const double between = (track.times[0] + track.times[1]) / 2;
    assert_memory_equal(sample(&track, between), keyed_plane(&keyed, 0, 0, 1), 8);
    synthetic_release();
}

static void test_track_b38_step_holds_the_left_value_up_to_the_key(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_STEP, 1, 2, 38);
    const trp_track track = keyed_track(&keyed, 0);
    const double end = track.times[1];
    assert_true(*sample(&track, end * 0.5) == *keyed_plane(&keyed, 0, 0, 1));
    assert_true(*sample(&track, nextafter(end, 0)) == *keyed_plane(&keyed, 0, 0, 1));
    assert_true(*sample(&track, end) == *keyed_plane(&keyed, 0, 1, 1));
    synthetic_release();
}

static void test_track_b42_cubic_keys_give_their_middle_values(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_CUBIC, 3, 4, 42);
    const trp_track track = keyed_track(&keyed, 0);
    for (uint32_t key = 0; key < 4; key++) {
        for (uint32_t i = 0; i < 3; i++) {
            keyed_plane(&keyed, 0, key, 0)[i] = 0;
            keyed_plane(&keyed, 0, key, 2)[i] = 0;
        }
        assert_memory_equal(sample(&track, track.times[key]), keyed_plane(&keyed, 0, key, 1), 12);
    }
    synthetic_release();
}

static void test_track_b43_tangents_count_by_the_second(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_CUBIC, 1, 2, 43);
    keyed_times(&keyed, 0)[0] = 0;
    keyed_times(&keyed, 0)[1] = 5;
    for (uint32_t key = 0; key < 2; key++) { // a straight line of slope 2, if they do
        *keyed_plane(&keyed, 0, key, 0) = 2;
        *keyed_plane(&keyed, 0, key, 1) = key ? 10.0f : 0.0f;
        *keyed_plane(&keyed, 0, key, 2) = 2;
    }
    const trp_track track = keyed_track(&keyed, 0);
    for (int i = 0; i <= 50; i++) {
        assert_true(fabs(*sample(&track, i / 10.0) - 2 * (i / 10.0)) < 2e-6);
    }
    synthetic_release();
}

static void test_track_b46_cubic_weights_do_not_mix(void **state)
{
    (void)state;
    const struct trp__keyed keyed = build_scalars(TRP_INTERPOLATION_CUBIC, 3, 2, 46);
    keyed_times(&keyed, 0)[0] = 0;
    keyed_times(&keyed, 0)[1] = 1;
    for (uint32_t i = 0; i < 3; i++) { // target i goes from i to 10 i, with slopes of its own
        keyed_plane(&keyed, 0, 0, 1)[i] = (float)i;
        keyed_plane(&keyed, 0, 1, 1)[i] = 10.0f * (float)i;
        keyed_plane(&keyed, 0, 0, 2)[i] = 100.0f * (float)i;
        keyed_plane(&keyed, 0, 1, 0)[i] = -100.0f * (float)i;
    }
    const trp_track track = keyed_track(&keyed, 0);
    const float *const weights = sample(&track, 0.5);
    for (uint32_t i = 0; i < 3; i++) { // (v0 + v1) / 2 + (leaving - arriving) / 8
        assert_true(fabs(weights[i] - i * (5.5 + 25)) < 1e-5);
    }
    synthetic_release();
}

static void test_track_b47_values_less_a_constant_move_alike(void **state)
{
    (void)state;
    const struct trp__keyed whole = build_scalars(TRP_INTERPOLATION_CUBIC, 3, 6, 47);
    const struct trp__keyed less = build_scalars(TRP_INTERPOLATION_CUBIC, 3, 6, 47);
    for (uint32_t key = 0; key < 6; key++) {
        for (uint32_t i = 0; i < 3; i++) {
            keyed_plane(&less, 0, key, 1)[i] -= 0.25f;
        }
    }
    const trp_track whole_track = keyed_track(&whole, 0);
    const trp_track less_track = keyed_track(&less, 0);
    for (double time = -0.1; time < 0.8; time += 0.03) {
        const float *const a = sample(&whole_track, time);
        const float *const b = sample(&less_track, time);
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(fabs(a[i] - b[i] - 0.25) < 1e-6);
        }
    }
    synthetic_release();
}

// -- The rest of the interface -------------------------------------------------------------------

static void test_track_keys_give_their_values_bit_for_bit(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        const struct keyed_recipe recipe = {.seed = 1,
                                            .rotation_count = 3,
                                            .scalar_count = 5,
                                            .key_count = 21,
                                            .interpolation = KEYED_MIXED};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        keyed_plane(&keyed, 0, 1, 1)[12] = -0.0f;
        keyed_plane(&keyed, 0, 2, 1)[13] = FLT_MAX;
        const trp_track scalars = keyed_track(&keyed, 3);
        for (uint32_t key = 0; key < 21; key++) {
            assert_memory_equal(sample(&scalars, scalars.times[key]),
                                keyed_plane(&keyed, 0, key, 1) + 12, 20);
            for (uint32_t i = 0; i < 3; i++) {
                assert_truth(&keyed, i, scalars.times[key], 1.2e-7);
            }
        }
        synthetic_release();
    }
}

static void test_track_interpolation_is_that_of_each_key(void **state)
{
    (void)state;
    const struct trp__keyed mixed = build_scalars(KEYED_MIXED, 1, 9, 1);
    const struct trp__keyed cubic = build_scalars(TRP_INTERPOLATION_CUBIC, 1, 9, 1);
    const trp_track mixed_track = keyed_track(&mixed, 0);
    const trp_track cubic_track = keyed_track(&cubic, 0);
    for (uint32_t key = 0; key < 8; key++) {
        assert_int_equal(trp_track_interpolation(&mixed_track, key), key % 7);
        assert_int_equal(trp_track_interpolation(&cubic_track, key), TRP_INTERPOLATION_CUBIC);
    }
    assert_int_equal(cubic_track.interpolation, TRP_INTERPOLATION_CUBIC);
    assert_int_equal(trp_track_interpolation(&cubic_track, 8), TRP_INTERPOLATION_STEP);
    assert_int_equal(trp_track_interpolation(&cubic_track, UINT32_MAX), TRP_INTERPOLATION_STEP);
    assert_int_equal(trp_track_interpolation(NULL, 0), TRP_INTERPOLATION_STEP);
    synthetic_release();
}

static void test_track_mistakes_of_callers_are_refused_and_nothing_written(void **state)
{
    (void)state;
    const struct keyed_recipe recipe = {.seed = 1,
                                        .rotation_count = 1,
                                        .scalar_count = 6,
                                        .stride = 3,
                                        .key_count = 4,
                                        .interpolation = 1};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    const trp_track rotation = keyed_track(&keyed, 0);
    const trp_track vector = keyed_track(&keyed, 1);
    const trp_track nothing = {0};
    float into[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    const float untouched[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    float *const askew = (float *)(void *)((char *)into + 1);
    assert_int_equal(trp_track_sample(NULL, 0, NULL, into, 4), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_track_sample(&nothing, 0, NULL, into, 4), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_track_sample(&rotation, 0, NULL, NULL, 4), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_track_sample(&rotation, 0, NULL, askew, 4), TRP_ERROR_ARGUMENT);
    uint32_t *const askew_cursor = (uint32_t *)(void *)askew;
    assert_int_equal(trp_track_sample(&rotation, 0, askew_cursor, into, 4), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_track_sample(&rotation, 0, NULL, into, 3), TRP_ERROR_CAPACITY);
    assert_int_equal(trp_track_sample_vector3(&rotation, 0, NULL, into), TRP_ERROR_MISMATCH);
    assert_int_equal(trp_track_sample_quaternion(&vector, 0, NULL, into), TRP_ERROR_MISMATCH);
    assert_int_equal(trp_track_sample_vector3(NULL, 0, NULL, into), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_track_sample_quaternion(NULL, 0, NULL, into), TRP_ERROR_ARGUMENT);
    const trp_track_request requests[2] = {{&rotation, 0, NULL, into}, {&nothing, 0, NULL, into}};
    assert_int_equal(trp_sample_tracks(NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sample_tracks(&(trp_track_args){NULL, 1}), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sample_tracks(&(trp_track_args){requests, 2}), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_sample_tracks(&(trp_track_args){NULL, 0}), TRP_OK);
    assert_memory_equal(into, untouched, sizeof into);
    synthetic_release();
}

int main(void)
{
    if (!isa_report()) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_track_conformance_01_step_changes_exactly_at_its_keys),
        cmocka_unit_test(test_track_conformance_02_linear_has_exact_ends_and_middles),
        cmocka_unit_test(test_track_conformance_03_cubic_is_the_formula_whatever_the_intervals),
        cmocka_unit_test(test_track_conformance_04_cubic_without_tangents_is_smoothstep),
        cmocka_unit_test(test_track_conformance_05_times_outside_give_the_end_values),
        cmocka_unit_test(test_track_first_key_before_the_clip_is_played_at_negative_times),
        cmocka_unit_test(test_track_nearest_times_give_the_value_of_the_key),
        cmocka_unit_test(test_track_conformance_06_the_last_key_gives_the_last_value),
        cmocka_unit_test(test_track_conformance_07_one_key_is_constant_in_every_way),
        cmocka_unit_test(test_track_conformance_08_a_collapsed_track_has_no_duration),
        cmocka_unit_test(test_track_conformance_09_any_stride_leaves_the_tail_alone),
        cmocka_unit_test(test_track_conformance_10_rotations_are_of_unit_length),
        cmocka_unit_test(test_track_conformance_10_linear_takes_the_short_way_and_cubic_does_not),
        cmocka_unit_test(test_track_conformance_11_slerp_is_exact_and_linear_near_it),
        cmocka_unit_test(test_track_conformance_12_a_chain_of_five_keeps_its_scale),
        cmocka_unit_test(test_track_conformance_13_every_order_of_seeks_gives_the_same_bits),
        cmocka_unit_test(test_track_conformance_15_instances_share_a_track),
        cmocka_unit_test(test_track_conformance_19_times_of_an_hour_lose_nothing),
        cmocka_unit_test(test_track_conformance_20_batches_of_any_size_have_the_same_bits),
        cmocka_unit_test(test_track_b06_cubic_rotations_are_normalised),
        cmocka_unit_test(test_track_b09_tangents_of_steps_are_not_used),
        cmocka_unit_test(test_track_b38_step_holds_the_left_value_up_to_the_key),
        cmocka_unit_test(test_track_b42_cubic_keys_give_their_middle_values),
        cmocka_unit_test(test_track_b43_tangents_count_by_the_second),
        cmocka_unit_test(test_track_b46_cubic_weights_do_not_mix),
        cmocka_unit_test(test_track_b47_values_less_a_constant_move_alike),
        cmocka_unit_test(test_track_keys_give_their_values_bit_for_bit),
        cmocka_unit_test(test_track_interpolation_is_that_of_each_key),
        cmocka_unit_test(test_track_mistakes_of_callers_are_refused_and_nothing_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
