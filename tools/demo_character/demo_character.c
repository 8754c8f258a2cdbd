// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// troupe-demo-character OUT.glb
#include "demo_character.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fputs("usage: troupe-demo-character OUT.glb\n", stderr);
        return EXIT_FAILURE;
    }
    struct body_joint joints[BODY_JOINT_COUNT];
    struct glb glb = {0};
    body_make(joints);
    body_write(joints, &glb);
    clips_write(joints, &glb);
    const bool is_written = glb_write(&glb, arguments[1]);
    if (!is_written) {
        fprintf(stderr, "%s: error: %s\n", arguments[1], strerror(errno));
    }
    glb_free(&glb);
    return is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
