// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Fuzz target: any bytes as a pack. Built with -fsanitize=fuzzer it is a libFuzzer program; with
// -DTROUPE_FUZZ_REPLAY it runs once over the files and folders that it is given.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../pack_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // A copy of exactly this size, so that a read past the end is found.
    void *bytes = NULL;
    if (posix_memalign(&bytes, TRP_ALIGNMENT, size == 0 ? 1 : size) != 0) {
        abort();
    }
    memcpy(bytes, data, size);
    (void)pack_exercise(bytes, size);
    free(bytes);
    return 0;
}
