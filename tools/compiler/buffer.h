// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A growing array of bytes, and bits appended to it least significant first.
#ifndef TROUPE_TOOLS_BUFFER_H
#define TROUPE_TOOLS_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/// Zero-initialise; buffer_free gives the memory back.
struct buffer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    uint32_t bit_count; // bits already used of the last byte, 0 = none
};

/// Appends bytes and returns where they start. The bit stream is closed first.
size_t buffer_append(struct buffer *buffer, const void *bytes, size_t size);

/// Appends zero bytes until the size is a multiple of `alignment`.
void buffer_align(struct buffer *buffer, size_t alignment);

/// Appends the low `width` (0 to 32) bits of a value.
void buffer_append_bits(struct buffer *buffer, uint32_t value, uint32_t width);

/// Ends a run of bits at the next byte.
void buffer_close_bits(struct buffer *buffer);

void buffer_free(struct buffer *buffer);

#endif
