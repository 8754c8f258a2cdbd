// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Texts in a hash table with open addressing, at most half full.
#include "name_table.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

enum { FIRST_CAPACITY = 64 };

uint64_t name_table_seed(void)
{
    uint64_t seed;
    if (getentropy(&seed, sizeof seed) != 0) {
        seed = (uint64_t)(uintptr_t)&seed ^ (uint64_t)time(NULL) << 20; // of a system without
    }
    return seed;
}

static uint64_t hash_of(const struct name_table *table, const char *text)
{
    return XXH3_64bits_withSeed(text, strlen(text), table->seed);
}

/// Returns the slot of a text, or the free one where it belongs.
static uint32_t *slot_of(const struct name_table *table, const char *text, uint64_t hash)
{
    const uint32_t mask = 2 * table->capacity - 1;
    uint32_t slot = (uint32_t)hash & mask;
    while (table->slots[slot] != 0) {
        const uint32_t index = table->slots[slot] - 1;
        if (table->entries[index].hash == hash &&
            strcmp(name_table_text(table, index), text) == 0) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return &table->slots[slot];
}

static void table_grow(struct name_table *table)
{
    struct arena before = table->arena;
    const struct name_table_entry *const entries = table->entries;
    if (table->capacity == 0) {
        table->seed = name_table_seed();
    }
    table->capacity = table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY;
    table->arena = (struct arena){0};
    table->entries = ARENA_NEW(&table->arena, struct name_table_entry, table->capacity);
    table->slots = ARENA_NEW(&table->arena, uint32_t, 2 * (size_t)table->capacity);
    for (uint32_t i = 0; i < table->count; i++) {
        table->entries[i] = entries[i];
        *slot_of(table, name_table_text(table, i), entries[i].hash) = i + 1;
    }
    arena_free(&before);
}

uint32_t name_table_add(struct name_table *table, const char *text)
{
    if (table->count == table->capacity) {
        table_grow(table);
    }
    const uint64_t hash = hash_of(table, text);
    uint32_t *const slot = slot_of(table, text, hash);
    if (*slot == 0) {
        const size_t place = buffer_append(&table->bytes, text, strlen(text) + 1);
        table->entries[table->count] = (struct name_table_entry){place, hash};
        *slot = ++table->count;
    }
    return *slot - 1;
}

uint32_t name_table_find(const struct name_table *table, const char *text)
{
    return table->count > 0 ? *slot_of(table, text, hash_of(table, text)) - 1 : NAME_TABLE_NONE;
}

const char *name_table_text(const struct name_table *table, uint32_t index)
{
    return (const char *)table->bytes.bytes + table->entries[index].place;
}

void name_table_free(struct name_table *table)
{
    buffer_free(&table->bytes);
    arena_free(&table->arena);
    *table = (struct name_table){0};
}
