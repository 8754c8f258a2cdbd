// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Tables of names: indices in the order of first use, and time that no choice of names stretches.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "name_table.h"

static void test_name_table_empty_table_has_nothing(void **state)
{
    (void)state;
    struct name_table table = {0};
    assert_int_equal(name_table_find(&table, ""), NAME_TABLE_NONE);
    assert_int_equal(name_table_find(&table, "a"), NAME_TABLE_NONE);
    name_table_free(&table);
}

static void test_name_table_indices_are_in_the_order_of_first_use(void **state)
{
    (void)state;
    struct name_table table = {0};
    assert_int_equal(name_table_add(&table, "b"), 0);
    assert_int_equal(name_table_add(&table, ""), 1);
    assert_int_equal(name_table_add(&table, "a"), 2);
    assert_int_equal(name_table_add(&table, "b"), 0);
    assert_int_equal(name_table_add(&table, "ab"), 3);
    assert_int_equal(name_table_add(&table, ""), 1);
    assert_int_equal(table.count, 4);
    assert_int_equal(name_table_find(&table, "ab"), 3);
    assert_int_equal(name_table_find(&table, "ba"), NAME_TABLE_NONE);
    assert_string_equal(name_table_text(&table, 2), "a");
    assert_int_equal(table.bytes.size, 8);
    assert_memory_equal(table.bytes.bytes, "b\0\0a\0ab", 8);
    name_table_free(&table);
    assert_int_equal(name_table_add(&table, "new"), 0);
    name_table_free(&table);
}

/// Texts of all sizes, over many times that the table grows.
static void test_name_table_many_texts_keep_their_indices(void **state)
{
    enum { COUNT = 3000 };
    static char text[COUNT + 1];
    (void)state;
    struct name_table table = {0};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            memset(text, 'x', i);
            text[i] = '\0';
            assert_int_equal(name_table_find(&table, text), round == 0 ? NAME_TABLE_NONE : i);
            assert_int_equal(name_table_add(&table, text), i);
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(strlen(name_table_text(&table, i)), i);
    }
    assert_int_equal(table.count, COUNT);
    name_table_free(&table);
}

static void test_name_table_seeds_differ(void **state)
{
    (void)state;
    struct name_table tables[2] = {0};
    name_table_add(&tables[0], "a");
    name_table_add(&tables[1], "a");
    assert_true(tables[0].seed != tables[1].seed);
    assert_true(tables[0].entries[0].hash != tables[1].entries[0].hash);
    name_table_free(&tables[0]);
    name_table_free(&tables[1]);
}

// -- Names that were chosen so that they collide under FNV-1a, without a seed

enum {
    PART_BYTES = 6,
    PART_COUNT = 15, // of which each is one of two: more than 20,000 texts
    TEXT_COUNT = 20000,
    HASH_BITS = 24, // the low ones, which are those of a table's slots
};

static const uint32_t hash_start = 0x84222325u;

/// Goes on with FNV-1a over a text. Low bits depend on low bits alone.
static uint32_t hash_go_on(uint32_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x1b3u;
    }
    return hash & ((1u << HASH_BITS) - 1);
}

static void part_write(uint32_t number, char part[PART_BYTES + 1])
{
    snprintf(part, PART_BYTES + 1, "%06x", number & 0xFFFFFFu);
}

/// Finds two texts after which the hash is the same.
/// @return that hash
static uint32_t parts_find(uint32_t hash, char parts[2][PART_BYTES + 1])
{
    enum { SLOT_COUNT = 1 << 16 };
    static uint32_t numbers[SLOT_COUNT];
    static uint32_t hashes[SLOT_COUNT];
    memset(numbers, 0, sizeof numbers);
    for (uint32_t number = 1;; number++) {
        part_write(number, parts[1]);
        const uint32_t after = hash_go_on(hash, parts[1]);
        const uint32_t slot = after & (SLOT_COUNT - 1);
        if (numbers[slot] != 0 && hashes[slot] == after) {
            part_write(numbers[slot], parts[0]);
            return after;
        }
        numbers[slot] = number;
        hashes[slot] = after;
    }
}

static char colliding[TEXT_COUNT][PART_BYTES * PART_COUNT + 1];
static char others[TEXT_COUNT][PART_BYTES * PART_COUNT + 1];

static void texts_make(void)
{
    static char parts[PART_COUNT][2][PART_BYTES + 1];
    uint32_t hash = hash_start;
    for (int part = 0; part < PART_COUNT; part++) {
        hash = parts_find(hash, parts[part]);
    }
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        char letters[PART_BYTES + 1];
        for (int part = 0; part < PART_COUNT; part++) {
            memcpy(colliding[i] + part * PART_BYTES, parts[part][i >> part & 1], PART_BYTES);
            part_write(i * 31 + (uint32_t)part, letters);
            memcpy(others[i] + part * PART_BYTES, letters, PART_BYTES);
        }
    }
}

/// Returns the shortest of some times that it takes to add texts twice.
static double seconds_of(char texts[][PART_BYTES * PART_COUNT + 1])
{
    double shortest_s = 1e9;
    for (int run = 0; run < 5; run++) {
        struct timespec from;
        struct timespec to;
        struct name_table table = {0};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (uint32_t i = 0; i < 2 * TEXT_COUNT; i++) {
            name_table_add(&table, texts[i % TEXT_COUNT]);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        assert_int_equal(table.count, TEXT_COUNT);
        name_table_free(&table);
        const double took_s =
            (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        shortest_s = took_s < shortest_s ? took_s : shortest_s;
    }
    return shortest_s;
}

static void test_name_table_chosen_names_take_no_longer_than_others(void **state)
{
    (void)state;
    texts_make();
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        assert_int_equal(hash_go_on(hash_start, colliding[i]),
                         hash_go_on(hash_start, colliding[0]));
    }
    assert_true(seconds_of(colliding) < 8 * seconds_of(others));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_table_empty_table_has_nothing),
        cmocka_unit_test(test_name_table_indices_are_in_the_order_of_first_use),
        cmocka_unit_test(test_name_table_many_texts_keep_their_indices),
        cmocka_unit_test(test_name_table_seeds_differ),
        cmocka_unit_test(test_name_table_chosen_names_take_no_longer_than_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
