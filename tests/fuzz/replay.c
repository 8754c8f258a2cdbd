// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Stands in for libFuzzer: runs a fuzz target once over each file, and each file of each folder,
// that it is given. So stored inputs are tested by any compiler.
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay_file(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return false;
    }
    const long size = ftell(file);
    rewind(file);
    uint8_t *const bytes = malloc(size > 0 ? (size_t)size : 1);
    const bool ok = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (ok) {
        LLVMFuzzerTestOneInput(bytes, (size_t)size);
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(bytes);
    return ok;
}

/// Returns how many files were run, or -1 where one could not be read.
static int replay_folder(const char *path, DIR *folder)
{
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) && count >= 0) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') {
            count = replay_file(name) ? count + 1 : -1;
        }
    }
    closedir(folder);
    return count;
}

int main(int argument_count, char **arguments)
{
    int total = 0;
    for (int i = 1; i < argument_count; i++) {
        DIR *const folder = opendir(arguments[i]);
        const int count =
            folder ? replay_folder(arguments[i], folder) : (replay_file(arguments[i]) ? 1 : -1);
        if (count < 0) {
            return EXIT_FAILURE;
        }
        total += count;
    }
    printf("%d inputs\n", total);
    // A corpus that was not found must not look like one that passed.
    return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
