// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Fuzz target: any bytes as an STF file, as they are and with the length of the JSON put right, so
// that longer and shorter texts get past the header. Linked with -fsanitize=fuzzer it is a
// libFuzzer program, with replay.c it runs once over the files and folders that it is given.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../stf_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_BYTES = 16, LENGTH_BYTES = 8 };

static uint64_t little_endian(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/// Makes the JSON fill what the other buffers leave of the file.
/// @return false where they leave nothing, or the length is right
static bool put_length_right(uint8_t *bytes, size_t size)
{
    const uint64_t count = size < HEADER_BYTES ? 0 : little_endian(bytes + 12, 4);
    if (count == 0 || count > (size - HEADER_BYTES) / LENGTH_BYTES) {
        return false;
    }
    uint64_t left = size - HEADER_BYTES - count * LENGTH_BYTES;
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t length =
            little_endian(bytes + HEADER_BYTES + i * LENGTH_BYTES, LENGTH_BYTES);
        if (length > left) {
            return false;
        }
        left -= length;
    }
    const bool is_right = little_endian(bytes + HEADER_BYTES, LENGTH_BYTES) == left;
    for (int i = 0; i < LENGTH_BYTES; i++) {
        bytes[HEADER_BYTES + i] = (uint8_t)(left >> (8 * i));
    }
    return !is_right;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)stf_exercise(data, size);
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    memcpy(copy, data, size);
    if (put_length_right(copy, size)) {
        (void)stf_exercise(copy, size);
    }
    free(copy);
    return 0;
}
