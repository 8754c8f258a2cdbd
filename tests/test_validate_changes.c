// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Packs cut off or changed anywhere: trp_pack_open refuses them, or all that the runtime can do
// with them is harmless.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bad_packs.h"
#include "pack_exercise.h"
#include "sanitized.h"

static uint8_t *copy_of(const uint8_t *bytes, size_t size_bytes)
{
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, 64, size_bytes == 0 ? 1 : size_bytes), 0);
    memcpy(memory, bytes, size_bytes);
    return memory;
}

/// Returns one of the good packs that bad ones are made of.
static uint8_t *origin_of(int index, size_t *size_bytes)
{
    return index == 0 ? bad_pack_origin(size_bytes) : bad_pack_scene_origin(size_bytes);
}

enum {
    ORIGIN_COUNT = 2,
    BYTE_STEP = IS_SANITIZED ? 1 : 7, // most of what there is to find, only sanitizers see
};

static void check_truncations(int index)
{
    size_t origin_bytes = 0;
    uint8_t *const origin = origin_of(index, &origin_bytes);
    for (size_t size_bytes = 0; size_bytes < origin_bytes; size_bytes++) {
        uint8_t *const bytes = copy_of(origin, size_bytes);
        const trp_pack zero = {0};
        trp_pack pack;
        assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_ERROR_FORMAT);
        assert_memory_equal(&pack, &zero, sizeof zero);
        free(bytes);
    }
    free(origin);
}

static void test_validate_changes_every_truncation_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < ORIGIN_COUNT; i++) {
        check_truncations(i);
    }
}

static void check_truncations_with_size(int index)
{
    size_t origin_bytes = 0;
    uint8_t *const origin = origin_of(index, &origin_bytes);
    const size_t strings = pack_section_row(origin, PACK_STRINGS); // the last section
    const uint64_t used = pack_get_u64(origin, strings + 8) + pack_get_u64(origin, strings + 16);
    for (size_t size_bytes = 24; size_bytes < origin_bytes; size_bytes++) {
        uint8_t *const bytes = copy_of(origin, size_bytes);
        pack_set_u64(bytes, 16, size_bytes);
        assert_int_equal(pack_exercise(bytes, size_bytes),
                         size_bytes < used + 64 ? TRP_ERROR_FORMAT : TRP_OK);
        free(bytes);
    }
    free(origin);
}

/// The same with a size field that tells the truth: only the gap before the tail may go.
static void test_validate_changes_every_truncation_with_its_size_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < ORIGIN_COUNT; i++) {
        check_truncations_with_size(i);
    }
}

/// Exercises a changed pack, with another instruction set each time.
static trp_result exercise_next(uint8_t *bytes, size_t size_bytes)
{
    static uint8_t number;
    bytes[24] = number++;
    return pack_exercise(bytes, size_bytes);
}

static void check_changed_bytes(int index)
{
    size_t size_bytes = 0;
    uint8_t *const origin = origin_of(index, &size_bytes);
    uint8_t *const bytes = copy_of(origin, size_bytes);
    uint32_t good_count = 0;
    uint32_t bad_count = 0;
    for (size_t at = 0; at < size_bytes; at += BYTE_STEP) {
        const uint8_t was = origin[at];
        uint8_t values[15] = {0, 1, 0x7F, 0x80, 0xFF, (uint8_t)(was + 1), (uint8_t)(was - 1)};
        for (uint32_t bit = 0; bit < 8; bit++) {
            values[7 + bit] = was ^ (uint8_t)(1u << bit);
        }
        bool is_done[256] = {false};
        is_done[was] = true;
        for (uint32_t i = 0; i < 15; i++) {
            if (is_done[values[i]]) {
                continue;
            }
            is_done[values[i]] = true;
            bytes[at] = values[i];
            const bool is_good = exercise_next(bytes, size_bytes) == TRP_OK;
            good_count += is_good;
            bad_count += !is_good;
        }
        bytes[at] = was;
    }
    assert_true(good_count > 1000 && bad_count > 1000);
    free(bytes);
    free(origin);
}

static void test_validate_changes_every_changed_byte_is_refused_or_harmless(void **state)
{
    (void)state;
    for (int i = 0; i < ORIGIN_COUNT; i++) {
        check_changed_bytes(i);
    }
}

static void check_extreme_numbers(int index)
{
    size_t size_bytes = 0;
    uint8_t *const origin = origin_of(index, &size_bytes);
    uint8_t *const bytes = copy_of(origin, size_bytes);
    const uint32_t size = (uint32_t)size_bytes;
    const uint16_t halves[] = {0,      1,      0x7FFF, 0x8000, 0xFFFF, 0x7FC0,
                               0x7F80, 0xFF80, 0x7F7F, 0x0080, 16,     (uint16_t)size};
    const uint32_t words[] = {
        0,          1,          0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
        0xFFFFFFF0, 0xFFFFFFC0, 0x20000000, 0x10000000, 0x08000000, size,       size - 1,
        size + 1,   size - 64,  0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00800000,
    };
    for (size_t at = 0; at + 8 <= size_bytes; at += 2 * BYTE_STEP) {
        for (uint32_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
            pack_set_u16(bytes, at, halves[i]);
            (void)exercise_next(bytes, size_bytes);
        }
        memcpy(bytes + at, origin + at, 8);
        for (uint32_t i = 0; at % 4 == 0 && i < sizeof words / sizeof words[0]; i++) {
            pack_set_u32(bytes, at, words[i]);
            (void)exercise_next(bytes, size_bytes);
        }
        memcpy(bytes + at, origin + at, 8);
        for (uint32_t i = 0; at % 8 == 0 && i < sizeof words / sizeof words[0]; i++) {
            pack_set_u64(bytes, at, (uint64_t)words[i] << 32 | words[i]);
            (void)exercise_next(bytes, size_bytes);
            pack_set_u64(bytes, at, UINT64_MAX - words[i]);
            (void)exercise_next(bytes, size_bytes);
        }
        memcpy(bytes + at, origin + at, 8);
    }
    free(bytes);
    free(origin);
}

static void test_validate_changes_every_extreme_number_is_refused_or_harmless(void **state)
{
    (void)state;
    for (int i = 0; i < ORIGIN_COUNT; i++) {
        check_extreme_numbers(i);
    }
}

/// Three bytes at a time, at random places, biased towards headers and metadata.
static void test_validate_changes_random_changes_are_refused_or_harmless(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t round = 0; round < 40; round++) {
        const struct pack_recipe recipe = {
            .seed = round,
            .joint_count = 1 + round,
            .attachment_count = round % 5,
            .skin_count = round % 3,
            .clip_count = 2,
            .tick_count = round * 3,
            .flags = round % 4 == 3 ? TRP_CLIP_ROOT_MOTION : round % 3,
            .event_count = round % 4,
            .root_key_count = round % 4 == 3 ? 1 + round % 5 : 0,
            .property_count = round % 3 == 0 ? 0 : round % 20,
            .group_count = round % 4,
            .is_jointless = round % 5 == 4,
            .instance_count = round % 3,
            .blendtree_count = round % 4,
        };
        struct pack_content *const content = pack_content_random(&recipe);
        size_t size_bytes = 0;
        uint8_t *const origin = pack_write(content, &size_bytes);
        pack_content_free(content);
        uint8_t *const bytes = copy_of(origin, size_bytes);
        assert_int_equal(exercise_next(bytes, size_bytes), TRP_OK);
        for (uint32_t i = 0; i < 200; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                bytes[pack_random(&random) % size_bytes] = (uint8_t)pack_random(&random);
            }
            (void)exercise_next(bytes, size_bytes);
            memcpy(bytes, origin, size_bytes);
        }
        free(bytes);
        free(origin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validate_changes_every_truncation_is_refused),
        cmocka_unit_test(test_validate_changes_every_truncation_with_its_size_is_refused),
        cmocka_unit_test(test_validate_changes_every_changed_byte_is_refused_or_harmless),
        cmocka_unit_test(test_validate_changes_every_extreme_number_is_refused_or_harmless),
        cmocka_unit_test(test_validate_changes_random_changes_are_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
