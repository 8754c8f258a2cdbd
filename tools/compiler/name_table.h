// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Texts, each once, found again in constant time. Texts come from files, whose authors must not be
// able to choose such as collide: each table hashes with a seed of its own that nobody knows.
// Nothing that can be seen depends on it.
#ifndef TROUPE_TOOLS_NAME_TABLE_H
#define TROUPE_TOOLS_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buffer.h"

/// What name_table_find gives where a text is not there.
#define NAME_TABLE_NONE UINT32_MAX

/// A text of a table.
struct name_table_entry {
    size_t place; // in the bytes
    uint64_t hash;
};

/// Zero-initialise; then name_table_free gives everything back and the table is as new.
struct name_table {
    struct buffer bytes; // of all texts in the order of their first use, each with its zero
    uint32_t count;
    uint32_t capacity;
    uint64_t seed;
    struct name_table_entry *entries; // [capacity]
    uint32_t *slots;                  // [2 * capacity] 1 + index, 0 = free
    struct arena arena;               // of entries and slots
};

/// Returns the index of a text in the order of first use; a text that is not there is added.
uint32_t name_table_add(struct name_table *table, const char *text);

/// Returns the index of a text, NAME_TABLE_NONE where it is not there.
uint32_t name_table_find(const struct name_table *table, const char *text);

/// Returns a text, which stays where it is until one is added.
const char *name_table_text(const struct name_table *table, uint32_t index);

/// Returns a number that the author of a file cannot know, for other tables.
uint64_t name_table_seed(void);

void name_table_free(struct name_table *table);

#endif
