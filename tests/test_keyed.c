// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Groups of keyed tracks: finding keys and what it costs, whole groups against double precision,
// every table with the bits of the reference. Keys and results end before memory that faults.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

static uint32_t compare_count;
#define TRP__KEY_COMPARE(condition) (compare_count++, (condition))
#include "key_find.h"

#include "isa.h"
#include "keyed_builder.h"
#include "synthetic_clip.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

// -- Helpers -------------------------------------------------------------------------------------

static void evaluate(const struct trp__keyed *keyed, trp_isa isa, double time_s, uint32_t *cursors,
                     float *components)
{
    const struct trp__key_instance instance = {time_s, cursors};
    trp__keyed_evaluate(keyed, trp__kernels_of(isa), &instance, 1, components);
}

/// Evaluates with the reference and with every other table; the bits must agree. Results lie right
/// before memory that faults.
static const float *evaluate_everywhere(const struct trp__keyed *keyed, double time_s)
{
    const size_t bytes = keyed->component_count * sizeof(float);
    float *const expected = synthetic_memory(bytes);
    evaluate(keyed, TRP_ISA_REFERENCE, time_s, NULL, expected);
    for (int isa = 1; isa < TRP_ISA_COUNT; isa++) {
        if (trp_isa_available((trp_isa)isa)) {
            float *const components = synthetic_memory(bytes);
            evaluate(keyed, (trp_isa)isa, time_s, NULL, components);
            assert_memory_equal(components, expected, bytes);
        }
    }
    return expected;
}

/// Returns where a track's component lies among the results of its group.
static size_t place_of(const struct trp__keyed *keyed, const trp_track *track, uint32_t i)
{
    size_t start = 0;
    for (uint32_t group = 0; group < track->group; group++) {
        start += 4 * keyed->groups[group].rotation_count + keyed->groups[group].scalar_count;
    }
    const uint32_t rotations = keyed->groups[track->group].rotation_count;
    return track->path == TRP_PATH_ROTATION ? start + i * rotations + track->first
                                            : start + 4 * rotations + track->first + i;
}

static double largest_error(const struct trp__keyed *keyed, const float *components, double time_s)
{
    double largest = 0;
    for (uint32_t i = 0; i < keyed->track_count; i++) {
        const trp_track track = keyed_track(keyed, i);
        double truth[256];
        keyed_truth(keyed, i, time_s, truth);
        for (uint32_t j = 0; j < track.stride; j++) {
            const double error = fabs(components[place_of(keyed, &track, j)] - truth[j]);
            largest = error > largest || error != error ? error : largest;
        }
    }
    return largest;
}

// -- Finding keys --------------------------------------------------------------------------------

static void test_keyed_find_every_cursor_gives_the_place_of_a_plain_search(void **state)
{
    (void)state;
    uint64_t chance = 5;
    for (uint32_t key_count = 1; key_count < 40; key_count++) {
        double times[40];
        times[0] = synthetic_chance_between(&chance, 0, 1);
        for (uint32_t i = 1; i < key_count; i++) {
            times[i] = times[i - 1] + synthetic_chance_between(&chance, 0.01, 1);
        }
        for (uint32_t i = 0; i < 4 * key_count + 8; i++) {
            const double time = i < key_count       ? times[i]
                                : i < 2 * key_count ? nextafter(times[i - key_count], -1)
                                                    : synthetic_chance_between(&chance, -1, 25);
            uint32_t key = 0;
            while (key + 1 < key_count && times[key + 1] <= time) {
                key++;
            }
            const int is_between = key + 1 < key_count && time > times[key];
            for (uint32_t hint = 0; hint < key_count + 4; hint++) {
                uint32_t cursor = hint < key_count + 3 ? hint : UINT32_MAX;
                const struct trp__key_place place = trp__key_find(times, key_count, time, &cursor);
                assert_int_equal(place.key, key);
                assert_true(is_between
                                ? place.u == (time - times[key]) / (times[key + 1] - times[key])
                                : place.u == 0);
                assert_true(key_count == 1 ? cursor == 0 : cursor <= key_count - 2);
            }
        }
    }
}

static void test_track_conformance_14_playing_on_costs_two_comparisons(void **state)
{
    (void)state;
    enum { KEYS = 301 };
    static double times[KEYS];
    for (uint32_t i = 0; i < KEYS; i++) {
        times[i] = 0.5 + i / 30.0;
    }
    uint32_t cursor = 0;
    for (uint32_t frame = 0; frame < 700; frame++) { // from before the first key to after the last
        compare_count = 0;
        trp__key_find(times, KEYS, frame / 60.0, &cursor);
        assert_in_range(compare_count, 1, 2);
    }
    for (uint32_t i = 0; i < 1000; i++) { // a seek is a search, not a scan
        compare_count = 0;
        trp__key_find(times, KEYS, (i * 7919 % 1000) / 100.0, &cursor);
        assert_in_range(compare_count, 1, 2 + 9);
    }
}

static void test_keyed_find_times_of_no_number_are_clamped(void **state)
{
    (void)state;
    const double times[3] = {0.5, 1, 2};
    for (uint32_t hint = 0; hint < 3; hint++) {
        uint32_t cursor = hint;
        assert_int_equal(trp__key_find(times, 3, (double)NAN, &cursor).key, 0);
        cursor = hint;
        assert_int_equal(trp__key_find(times, 3, -(double)INFINITY, &cursor).key, 0);
        cursor = hint;
        assert_int_equal(trp__key_find(times, 3, (double)INFINITY, &cursor).key, 2);
        cursor = hint;
        assert_true(trp__key_find(times, 3, (double)INFINITY, &cursor).u == 0);
        cursor = hint;
        assert_true(trp__key_find(times, 3, -(double)INFINITY, &cursor).u == 0);
    }
}

// -- Groups --------------------------------------------------------------------------------------

static void test_keyed_evaluate_every_size_and_interpolation_is_right_in_every_table(void **state)
{
    (void)state;
    double largest = 0;
    for (uint32_t count = 0; count <= 40; count++) {
        for (uint32_t kind = 0; kind <= 7; kind++) {
            const struct keyed_recipe recipe = {
                .seed = count * 8 + kind,
                .rotation_count = count,
                .scalar_count = (count * 7 + kind) % 41,
                .key_count = 9,
                .interpolation = kind < 7 ? kind : KEYED_MIXED,
                .turn_deg = 120,
            };
            const struct trp__keyed keyed = keyed_build(&recipe, 1);
            for (double time = -0.05; time < 1.1; time += 0.037) {
                const float *const components = evaluate_everywhere(&keyed, time);
                const double error = largest_error(&keyed, components, time);
                largest = error > largest || error != error ? error : largest;
            }
            synthetic_release();
        }
    }
    assert_true(largest < 1e-5); // cubic rotations may be near zero before they are normalised
}

static void test_keyed_evaluate_groups_of_all_sizes_share_a_batch(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct keyed_recipe recipes[100];
        uint64_t chance = seed * 2 + 1;
        const uint32_t group_count = 1 + synthetic_chance(&chance) % 100;
        for (uint32_t i = 0; i < group_count; i++) {
            const uint32_t kind = synthetic_chance(&chance) % 8;
            recipes[i] = (struct keyed_recipe){
                .seed = seed * 100 + i,
                .rotation_count = synthetic_chance(&chance) % 4,
                .scalar_count = 3 * (synthetic_chance(&chance) % 3),
                .stride = 3,
                .key_count = 1 + synthetic_chance(&chance) % 6,
                .interpolation = kind < 7 ? kind : KEYED_MIXED,
                .planes = synthetic_chance(&chance) % 2 ? 3 : 0,
                .spacing_s = synthetic_chance_between(&chance, 0.05, 0.5),
                .turn_deg = 90,
            };
        }
        const struct trp__keyed keyed = keyed_build(recipes, group_count);
        for (int i = 0; i < 10; i++) {
            const double time = synthetic_chance_between(&chance, -0.1, 1.5);
            const float *const components = evaluate_everywhere(&keyed, time);
            assert_true(largest_error(&keyed, components, time) < 1e-5);
        }
        synthetic_release();
    }
}

static void test_keyed_evaluate_shares_cursors_of_any_content(void **state)
{
    (void)state;
    struct keyed_recipe recipes[20];
    for (uint32_t i = 0; i < 20; i++) {
        recipes[i] = (struct keyed_recipe){.seed = i,
                                           .rotation_count = i % 3,
                                           .scalar_count = 4,
                                           .key_count = 1 + 2 * i,
                                           .interpolation = KEYED_MIXED};
    }
    const struct trp__keyed keyed = keyed_build(recipes, 20);
    uint32_t cursors[20];
    float fresh[20 * 12];
    float hinted[20 * 12];
    uint64_t chance = 3;
    memset(fresh, 0, sizeof fresh);
    memset(hinted, 0, sizeof hinted);
    for (int i = 0; i < 500; i++) {
        const double time = synthetic_chance_between(&chance, -1, 5);
        for (int j = 0; i % 3 == 0 && j < 20; j++) {
            cursors[j] = synthetic_chance(&chance) >> synthetic_chance(&chance) % 32;
        }
        evaluate(&keyed, trp_isa_active(), time, NULL, fresh);
        evaluate(&keyed, trp_isa_active(), time, cursors, hinted);
        assert_memory_equal(fresh, hinted, sizeof fresh);
    }
    synthetic_release();
}

static void test_keyed_evaluate_instances_do_not_change_each_other(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct keyed_recipe recipes[8];
        for (uint32_t i = 0; i < 8; i++) {
            recipes[i] = (struct keyed_recipe){.seed = seed * 8 + i,
                                               .rotation_count = (uint32_t)(seed * i) % 20,
                                               .scalar_count = (uint32_t)(seed + i) % 7,
                                               .key_count = 1 + i,
                                               .interpolation = KEYED_MIXED};
        }
        const struct trp__keyed keyed = keyed_build(recipes, 8);
        const size_t bytes = keyed.component_count * sizeof(float);
        FOR_EACH_ISA(isa)
        {
            uint64_t chance = seed * 2 + 1;
            const uint32_t count = 1 + synthetic_chance(&chance) % 40;
            struct trp__key_instance instances[40];
            uint32_t cursors[40][8];
            memset(cursors, 0x7F, sizeof cursors);
            for (uint32_t i = 0; i < count; i++) {
                instances[i].time_s = synthetic_chance_between(&chance, -0.2, 1);
                instances[i].cursors = i % 3 ? cursors[i] : NULL;
            }
            float *const crowd = synthetic_memory(count * bytes);
            float *const one = synthetic_memory(bytes);
            trp__keyed_evaluate(&keyed, trp__kernels_active(), instances, count, crowd);
            for (uint32_t i = 0; i < count; i++) {
                evaluate(&keyed, TRP_ISA_REFERENCE, instances[i].time_s, NULL, one);
                assert_memory_equal(one, crowd + i * keyed.component_count, bytes);
            }
        }
        synthetic_release();
    }
}

/// Turns the tracks of a group of 40 rotations and 2 * 40 vectors into those of a rig: lanes from
/// `first_lane` on, in order or with gaps.
static void make_rig(const struct trp__keyed *keyed, uint32_t first_lane, uint32_t lane_step)
{
    struct trp__keyed_track *const tracks = (void *)(uintptr_t)keyed->tracks;
    for (uint32_t i = 0; i < 120; i++) {
        tracks[i].path = (uint8_t)(i / 40);
        tracks[i].target = first_lane + i % 40 * lane_step;
    }
}

static void test_keyed_write_poses_puts_every_value_into_its_lane_and_no_other(void **state)
{
    (void)state;
    static const uint32_t rigs[5][3] = {{0, 1, 3}, {5, 1, 3}, {7, 1, 2}, {3, 2, 6}, {60, 1, 2}};
    const struct keyed_recipe recipes[2] = {
        {.seed = 2,
         .rotation_count = 40,
         .scalar_count = 240,
         .stride = 3,
         .key_count = 4,
         .interpolation = 1},
        {.seed = 1, .scalar_count = 3, .key_count = 2, .interpolation = 1}, // a property
    };
    const struct trp__keyed keyed = keyed_build(recipes, 2);
    for (uint32_t rig = 0; rig < 5; rig++) {
        const uint32_t block_count = rigs[rig][2];
        make_rig(&keyed, rigs[rig][0], rigs[rig][1]);
        float components[2][403];
        const struct trp__key_instance instances[2] = {{0.05, NULL}, {0.12, NULL}};
        trp__keyed_evaluate(&keyed, trp__kernels_active(), instances, 2, components[0]);
        trp_pose_block *poses[2] = {synthetic_memory(block_count * sizeof *poses[0]), NULL};
        trp_pose_block *const expected = synthetic_memory(block_count * sizeof *expected);
        memset(poses[0], 0x11, block_count * sizeof *poses[0]);
        memset(expected, 0x11, block_count * sizeof *expected);
        for (uint32_t i = 0; i < 120; i++) {
            const trp_track track = keyed_track(&keyed, i);
            const uint32_t lane = track.target % 16;
            for (uint32_t j = 0; j < track.stride && track.target / 16 < block_count; j++) {
                trp_pose_block *const block = &expected[track.target / 16];
                float *const to = track.path == TRP_PATH_ROTATION      ? block->rotation[j]
                                  : track.path == TRP_PATH_TRANSLATION ? block->translation[j]
                                                                       : block->scale[j];
                to[lane] = components[0][place_of(&keyed, &track, j)];
            }
        }
        trp__keyed_write_poses(&keyed, components[0], 2, block_count, poses);
        assert_memory_equal(poses[0], expected, block_count * sizeof *expected);
    }
    synthetic_release();
}

static void test_keyed_evaluate_rotations_without_direction_are_the_identity(void **state)
{
    (void)state;
    const struct keyed_recipe recipe = {
        .seed = 1, .rotation_count = 17, .key_count = 2, .interpolation = TRP_INTERPOLATION_CUBIC};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    double *const times = keyed_times(&keyed, 0);
    times[0] = 0;
    times[1] = 1;
    for (uint32_t i = 0; i < 4 * 17; i++) { // opposite signs meet at nothing, halfway
        keyed_plane(&keyed, 0, 0, 2)[i] = i % 2 ? 0.0f : 3e38f; // or at far too much
        keyed_plane(&keyed, 0, 1, 0)[i] = 0.0f;
        keyed_plane(&keyed, 0, 1, 1)[i] = -keyed_plane(&keyed, 0, 0, 1)[i];
    }
    keyed_plane(&keyed, 0, 0, 2)[0] = 0.0f;
    keyed_plane(&keyed, 0, 0, 2)[17] = 0.0f;
    keyed_plane(&keyed, 0, 0, 2)[34] = 0.0f;
    keyed_plane(&keyed, 0, 0, 2)[51] = 0.0f;
    const float *const q = evaluate_everywhere(&keyed, 0.5);
    for (uint32_t i = 0; i < 17; i++) {
        assert_true(q[i] == 0 && q[17 + i] == 0 && q[34 + i] == 0 && q[51 + i] == 1);
    }
    synthetic_release();
}

static void test_keyed_evaluate_flushing_denormals_changes_no_bit(void **state)
{
    (void)state;
#if defined(__SSE__)
    for (uint32_t kind = 0; kind <= 7; kind++) {
        const struct keyed_recipe recipe = {.seed = kind,
                                            .rotation_count = 11,
                                            .scalar_count = 9,
                                            .key_count = 12,
                                            .interpolation = kind < 7 ? kind : KEYED_MIXED};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        float expected[4 * 11 + 9];
        for (double time = -0.1; time < 1.3; time += 0.013) {
            evaluate(&keyed, TRP_ISA_REFERENCE, time, NULL, expected);
            const unsigned int mode = _mm_getcsr();
            _mm_setcsr(mode | 0x8040); // FTZ, DAZ
            const float *const components = evaluate_everywhere(&keyed, time);
            _mm_setcsr(mode);
            assert_memory_equal(components, expected, sizeof expected);
        }
        synthetic_release();
    }
#endif
}

static void test_keyed_evaluate_nearest_times_stay_finite_with_denormals_flushed(void **state)
{
    (void)state;
#if defined(__SSE__)
    const struct keyed_recipe recipe = {
        .seed = 1, .scalar_count = 5, .key_count = 3, .interpolation = TRP_INTERPOLATION_LINEAR};
    const struct trp__keyed keyed = keyed_build(&recipe, 1);
    keyed_times(&keyed, 0)[0] = 0x1p-1022;
    keyed_times(&keyed, 0)[1] = 0x1.0000000000002p-1022;
    keyed_times(&keyed, 0)[2] = 1;
    const unsigned int mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040);
    const float *const values = evaluate_everywhere(&keyed, 0x1.0000000000001p-1022);
    _mm_setcsr(mode);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(isfinite(values[i]));
    }
    synthetic_release();
#endif
}

static void test_keyed_evaluate_eased_scalars_are_the_nearest_floats(void **state)
{
    (void)state;
    const uint32_t interpolations[] = {TRP_INTERPOLATION_EASING, TRP_INTERPOLATION_SAMPLED};
    for (uint32_t i = 0; i < 2; i++) {
        const struct keyed_recipe recipe = {.seed = 5 + i,
                                            .scalar_count = 7,
                                            .stride = 1,
                                            .key_count = 60,
                                            .interpolation = interpolations[i],
                                            .size = 700};
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        for (double time_s = 0; time_s < 6; time_s += 0.0071) {
            const float *const values = evaluate_everywhere(&keyed, time_s);
            for (uint32_t track = 0; track < keyed.track_count; track++) {
                double truth;
                keyed_truth(&keyed, track, time_s, &truth);
                const double distance = fabs((double)values[track] - truth);
                const double gap = (double)nextafterf(values[track], INFINITY) - values[track];
                assert_true(distance <= 0.5 * gap * (1 + 1e-6) + 1e-12);
            }
        }
        synthetic_release();
    }
}

static void test_keyed_of_nothing_is_empty(void **state)
{
    (void)state;
    const struct trp__keyed keyed = trp__keyed_of(NULL);
    assert_int_equal(keyed.group_count, 0);
    assert_int_equal(keyed.track_count, 0);
    evaluate(&keyed, TRP_ISA_REFERENCE, 0, NULL, NULL);
}

int main(void)
{
    if (!isa_report()) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keyed_find_every_cursor_gives_the_place_of_a_plain_search),
        cmocka_unit_test(test_track_conformance_14_playing_on_costs_two_comparisons),
        cmocka_unit_test(test_keyed_find_times_of_no_number_are_clamped),
        cmocka_unit_test(test_keyed_evaluate_every_size_and_interpolation_is_right_in_every_table),
        cmocka_unit_test(test_keyed_evaluate_groups_of_all_sizes_share_a_batch),
        cmocka_unit_test(test_keyed_evaluate_shares_cursors_of_any_content),
        cmocka_unit_test(test_keyed_evaluate_instances_do_not_change_each_other),
        cmocka_unit_test(test_keyed_write_poses_puts_every_value_into_its_lane_and_no_other),
        cmocka_unit_test(test_keyed_evaluate_rotations_without_direction_are_the_identity),
        cmocka_unit_test(test_keyed_evaluate_flushing_denormals_changes_no_bit),
        cmocka_unit_test(test_keyed_evaluate_nearest_times_stay_finite_with_denormals_flushed),
        cmocka_unit_test(test_keyed_evaluate_eased_scalars_are_the_nearest_floats),
        cmocka_unit_test(test_keyed_of_nothing_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
