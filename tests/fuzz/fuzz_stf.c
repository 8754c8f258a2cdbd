// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Fuzz target: any bytes as an STF file. Linked with -fsanitize=fuzzer it is a libFuzzer program,
// with replay.c it runs once over the files and folders that it is given.
#include <stdint.h>

#include "../stf_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)stf_exercise(data, size);
    return 0;
}
