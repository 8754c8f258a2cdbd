// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Memory of the tools: taken piece by piece, given back all at once.
#ifndef TROUPE_TOOLS_ARENA_H
#define TROUPE_TOOLS_ARENA_H

#include <stddef.h>

struct arena_chunk;

/// Zero-initialise; then arena_free gives everything back and the arena is as new.
struct arena {
    struct arena_chunk *chunks;
};

/// Returns zeroed memory for `count` items of `size` bytes, 64-byte aligned; never null, also for
/// count 0. Out of memory (or count * size overflows) ends the program with exit code 6: importers
/// check counts against the size of the file before they ask.
void *arena_take(struct arena *arena, size_t count, size_t size);

/// Returns a copy of a string.
char *arena_string(struct arena *arena, const char *text);

void arena_free(struct arena *arena);

#define ARENA_NEW(arena, type, count) ((type *)arena_take((arena), (count), sizeof(type)))

#endif
