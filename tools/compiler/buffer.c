// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"

static void reserve(struct buffer *buffer, size_t more)
{
    if (more <= buffer->capacity - buffer->size) {
        return;
    }
    size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
    while (capacity - buffer->size < more) {
        capacity *= 2;
    }
    uint8_t *const bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        fputs("troupe: error: out of memory [memory]\n", stderr);
        exit(TROUPE_EXIT_INTERNAL);
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
}

size_t buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    buffer_close_bits(buffer);
    reserve(buffer, size);
    const size_t start = buffer->size;
    if (size > 0) {
        memcpy(buffer->bytes + start, bytes, size);
    }
    buffer->size += size;
    return start;
}

void buffer_align(struct buffer *buffer, size_t alignment)
{
    static const uint8_t zeros[64];
    const size_t over = buffer->size % alignment;
    if (over != 0) {
        buffer_append(buffer, zeros, alignment - over);
    }
}

void buffer_append_bits(struct buffer *buffer, uint32_t value, uint32_t width)
{
    while (width > 0) {
        if (buffer->bit_count == 0) {
            reserve(buffer, 1);
            buffer->bytes[buffer->size++] = 0;
        }
        const uint32_t room = 8 - buffer->bit_count;
        const uint32_t take = width < room ? width : room;
        const uint32_t low = value & ((1u << take) - 1u);
        buffer->bytes[buffer->size - 1] |= (uint8_t)(low << buffer->bit_count);
        buffer->bit_count = (buffer->bit_count + take) & 7u;
        value >>= take;
        width -= take;
    }
}

void buffer_close_bits(struct buffer *buffer)
{
    buffer->bit_count = 0;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}
