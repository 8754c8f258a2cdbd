// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Memory of the tools. Small requests are cut from shared chunks, large ones get their own.
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum {
    ARENA_ALIGNMENT = 64,
    ARENA_CHUNK_BYTES = 1 << 16,
};

/// The head of a chunk; it fills one alignment unit, the memory follows.
struct arena_chunk {
    struct arena_chunk *next;
    size_t capacity; // bytes after the head
    size_t used;
};

_Static_assert(sizeof(struct arena_chunk) <= ARENA_ALIGNMENT, "the head fits one unit");

static _Noreturn void arena_exhausted(size_t count, size_t size)
{
    fprintf(stderr, "troupe: error: out of memory (%zu x %zu bytes) [memory]\n", count, size);
    exit(TROUPE_EXIT_INTERNAL);
}

static struct arena_chunk *arena_add_chunk(struct arena *arena, size_t capacity)
{
    struct arena_chunk *const chunk = aligned_alloc(ARENA_ALIGNMENT, ARENA_ALIGNMENT + capacity);
    if (!chunk) {
        arena_exhausted(1, capacity);
    }
    chunk->capacity = capacity;
    chunk->used = 0;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        arena_exhausted(count, size);
    }
    const size_t wanted = count * size;
    const size_t rounded = (wanted + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    // Two items of size zero must not share an address, so that "never null" also means "own".
    const size_t bytes = rounded != 0 ? rounded : ARENA_ALIGNMENT;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used < bytes) {
        chunk = arena_add_chunk(arena, bytes > ARENA_CHUNK_BYTES ? bytes : ARENA_CHUNK_BYTES);
    }
    void *const memory = (unsigned char *)chunk + ARENA_ALIGNMENT + chunk->used;
    chunk->used += bytes;
    return memset(memory, 0, bytes);
}

char *arena_string(struct arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return memcpy(arena_take(arena, bytes, 1), text, bytes);
}

void arena_free(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *const next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}
