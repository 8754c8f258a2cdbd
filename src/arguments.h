// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Checks of what callers pass in.
#ifndef TROUPE_SRC_ARGUMENTS_H
#define TROUPE_SRC_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Says whether a pointer is not null and aligned to a power of two.
static inline bool trp__is_aligned(const void *pointer, size_t alignment)
{
    return pointer && ((uintptr_t)pointer & (alignment - 1)) == 0;
}

/// The same of a pointer that may be null.
static inline bool trp__is_null_or_aligned(const void *pointer, size_t alignment)
{
    return !pointer || trp__is_aligned(pointer, alignment);
}

/// Says whether `count` items of `item_bytes`, `stride_bytes` apart, are apart from each other and
/// can exist in memory.
static inline bool trp__is_spaced(uint32_t count, size_t item_bytes, size_t stride_bytes)
{
    return stride_bytes >= item_bytes && item_bytes <= SIZE_MAX / 2 &&
           (count < 2 || stride_bytes <= SIZE_MAX / 2 / count);
}

#endif
