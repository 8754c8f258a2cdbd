// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Writes the puppet into a folder, for programs that are no C.
#include "puppet_gltf.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: write_puppet FOLDER\n", stderr);
        return 1;
    }
    puppet_gltf_write(argv[1], "puppet", &(struct puppet_gltf){0});
    return 0;
}
