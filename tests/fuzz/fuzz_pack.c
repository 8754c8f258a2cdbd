// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Fuzz target: any bytes as a pack, once as they are and once with the file's size, its first words
// and its tail put right, without which no change of length would get past the header.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../pack_builder.h"
#include "../pack_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void repair(uint8_t *bytes, size_t size)
{
    pack_set_u32(bytes, 0, 0x4B505254);
    pack_set_u32(bytes, 4, 0x01020304);
    pack_set_u32(bytes, 8, 1);
    pack_set_u32(bytes, 12, 0);
    pack_set_u64(bytes, 16, size);
    memset(bytes + size - 64, 0, 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // A copy of exactly this size, so that a read past the end is found.
    void *memory = NULL;
    if (posix_memalign(&memory, TRP_ALIGNMENT, size == 0 ? 1 : size) != 0) {
        abort();
    }
    memcpy(memory, data, size);
    (void)pack_exercise(memory, size);
    if (size >= 128) {
        repair(memory, size);
        (void)pack_exercise(memory, size);
    }
    free(memory);
    return 0;
}
