// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The choice of kernel tables, and what each of them says of itself.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa.h"

#include "easing.h"
#include "keyed_builder.h"
#include "reference.h"
#include "synthetic_clip.h"

static void test_isa_tables_are_those_required(void **state)
{
    (void)state;
    assert_true(isa_report());
}

static void test_isa_reference_and_another_are_always_there(void **state)
{
    (void)state;
    int count = 0;
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        count += trp_isa_available((trp_isa)isa);
    }
    assert_true(trp_isa_available(TRP_ISA_REFERENCE));
    assert_true(count >= 2);
    assert_int_not_equal(trp_isa_active(), TRP_ISA_REFERENCE);
}

static void test_isa_names_are_unique_and_end_at_the_count(void **state)
{
    (void)state;
    for (int a = 0; a < TRP_ISA_COUNT; a++) {
        assert_non_null(trp_isa_name((trp_isa)a));
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(trp_isa_name((trp_isa)a), trp_isa_name((trp_isa)b));
        }
    }
    assert_string_equal(trp_isa_name(TRP_ISA_AVX512VBMI), "avx512vbmi");
    assert_null(trp_isa_name(TRP_ISA_COUNT));
    assert_null(trp_isa_name((trp_isa)-1));
}

static void test_isa_forced_becomes_active(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        assert_int_equal(trp_isa_active(), isa);
        assert_ptr_equal(trp__kernels_active(), trp__kernels_of(isa));
    }
}

static void test_isa_missing_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    const trp_isa before = trp_isa_active();
    int refused = 0;
    for (int isa = -1; isa <= TRP_ISA_COUNT; isa++) {
        if (!trp_isa_available((trp_isa)isa)) {
            assert_int_equal(trp_isa_force((trp_isa)isa), TRP_ERROR_UNSUPPORTED);
            assert_null(trp__kernels_of((trp_isa)isa));
            refused++;
        }
    }
    assert_true(refused >= 3); // both ends, and no machine is x86, ARM and wasm at once
    assert_int_equal(trp_isa_active(), before);
}

static void test_isa_tables_are_complete(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *const table = trp__kernels_of(isa);
        assert_int_equal(table->isa, isa);
        assert_true(table->window == 4 || table->window == 16 || table->window == 64);
        assert_true(table->group == 1 || table->group == 4 || table->group == 8 ||
                    table->group == 16);
        assert_non_null(table->sample);
        assert_non_null(table->blend);
        assert_non_null(table->model);
        assert_non_null(table->palette);
    }
}

static void test_isa_reference_root_is_correctly_rounded(void **state)
{
    (void)state;
    static const float edges[] = {1e-30f, 0x1p-126f, 1.0f, 0x1.fffffep-1f,  0x1.000002p0f,
                                  2.0f,   4.0f,      3.0f, 0x1.fffffep127f, INFINITY};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_true(trp__reference_sqrt(edges[i]) == sqrtf(edges[i]));
    }
    uint64_t chance_state = 1;
    for (int i = 0; i < 1000000; i++) {
        const uint32_t bits = 0x00800000 + synthetic_chance(&chance_state) % 0x7F000000;
        float value;
        memcpy(&value, &bits, sizeof value);
        assert_true(trp__reference_sqrt(value) == sqrtf(value));
    }
}

/// Evaluates all groups at some times with every table and compares that with the reference, whose
/// scalars and rotations are compared with double precision.
static void check_eased(const struct trp__keyed *keyed)
{
    enum { TIMES = 37 };
    const size_t size_bytes = TIMES * keyed->component_count * sizeof(float);
    float *const expected = synthetic_memory(size_bytes);
    struct trp__key_instance instances[TIMES] = {0};
    for (uint32_t i = 0; i < TIMES; i++) {
        instances[i].time_s = i * (0.6 / TIMES) - 0.05;
    }
    FOR_EACH_ISA(isa)
    {
        float *const values = synthetic_memory(size_bytes);
        memset(values, 0xFF, size_bytes);
        trp__keyed_evaluate(keyed, trp__kernels_of(isa), instances, TIMES, values);
        if (isa == TRP_ISA_REFERENCE) {
            memcpy(expected, values, size_bytes);
        }
        assert_memory_equal(values, expected, size_bytes);
    }
    const struct trp__key_group *const group = &keyed->groups[0];
    for (uint32_t track = 0; track < group->track_count; track++) {
        const bool is_rotation = track < group->rotation_count;
        const size_t stride = is_rotation ? group->rotation_count : 1;
        for (uint32_t i = 0; i < TIMES; i++) {
            double truth[32];
            const float *const found = expected + i * keyed->component_count +
                                       (is_rotation ? track : 4 * (size_t)group->rotation_count);
            keyed_truth(keyed, track, instances[i].time_s, truth);
            for (uint32_t k = 0; k < (is_rotation ? 4 : group->scalar_count); k++) {
                assert_true(fabs((double)found[k * stride] - truth[k]) < 1e-5);
            }
        }
    }
}

/// All easings, and tables, of groups that fill vectors, do not, and do so with one over.
static void test_isa_tables_ease_like_the_reference(void **state)
{
    static const uint32_t counts[] = {0, 1, 3, 15, 16, 17};
    enum { COUNTS = sizeof counts / sizeof *counts };
    (void)state;
    for (uint32_t i = 1; i < COUNTS * COUNTS; i++) {
        for (uint32_t easing = 0; easing <= TRP__EASING_COUNT; easing++) {
            const bool is_table = easing == TRP__EASING_COUNT;
            const struct keyed_recipe recipe = {
                .seed = i * 64 + easing,
                .rotation_count = counts[i / COUNTS],
                .scalar_count = counts[i % COUNTS],
                .key_count = 5,
                .interpolation = is_table ? TRP_INTERPOLATION_SAMPLED : TRP_INTERPOLATION_EASING,
                .turn_deg = 20, // so that straight ways are near to true ones
            };
            const struct trp__keyed keyed = keyed_build(&recipe, 1);
            for (uint32_t key = 0; !is_table && key < recipe.key_count; key++) {
                keyed_curves(&keyed, 0)[key].easing = easing;
            }
            check_eased(&keyed);
            synthetic_release();
        }
    }
}

/// The largest numbers that tables may have, and jumps between them.
static void test_isa_rotations_along_wild_tables_stay_rotations(void **state)
{
    enum { ROTATIONS = 17, TIMES = 200 };
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct keyed_recipe recipe = {
            .seed = seed,
            .rotation_count = ROTATIONS,
            .key_count = 4,
            .interpolation = TRP_INTERPOLATION_SAMPLED,
        };
        const struct trp__keyed keyed = keyed_build(&recipe, 1);
        const struct trp__key_curve *const curve = &keyed_curves(&keyed, 0)[0];
        float *const table = (void *)(uintptr_t)(keyed.bytes + curve->table);
        uint64_t chance = seed + 1;
        for (uint32_t i = 0; i < curve->count; i++) {
            table[i] = synthetic_chance(&chance) % 2 ? 1000.0f : -1000.0f;
        }
        struct trp__key_instance instances[TIMES] = {0};
        for (uint32_t i = 0; i < TIMES; i++) {
            instances[i].time_s = i * 0.002;
        }
        float *const values = synthetic_memory(TIMES * 4 * ROTATIONS * sizeof *values);
        FOR_EACH_ISA(isa)
        {
            trp__keyed_evaluate(&keyed, trp__kernels_of(isa), instances, TIMES, values);
            for (uint32_t i = 0; i < TIMES * ROTATIONS; i++) {
                const float *const x = values + i / ROTATIONS * 4 * ROTATIONS + i % ROTATIONS;
                double length = 0;
                for (uint32_t k = 0; k < 4; k++) {
                    length += (double)x[k * ROTATIONS] * (double)x[k * ROTATIONS];
                }
                assert_true(fabs(length - 1) < 1e-5);
            }
        }
        synthetic_release();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isa_tables_are_those_required),
        cmocka_unit_test(test_isa_reference_and_another_are_always_there),
        cmocka_unit_test(test_isa_names_are_unique_and_end_at_the_count),
        cmocka_unit_test(test_isa_forced_becomes_active),
        cmocka_unit_test(test_isa_missing_is_refused_and_changes_nothing),
        cmocka_unit_test(test_isa_tables_are_complete),
        cmocka_unit_test(test_isa_reference_root_is_correctly_rounded),
        cmocka_unit_test(test_isa_tables_ease_like_the_reference),
        cmocka_unit_test(test_isa_rotations_along_wild_tables_stay_rotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
