// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The `troupe` program: picks the verb and runs it.
#include <stdio.h>
#include <string.h>

#include "cli.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        return cli_usage_error(NULL, "no verb, see 'troupe help'");
    }
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (strcmp(argv[1], "--version") == 0) {
        printf("troupe %d.%d.%d\n", TRP_VERSION_MAJOR, TRP_VERSION_MINOR, TRP_VERSION_PATCH);
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        code = cli_help(1, argv + 1);
    } else {
        const struct cli_verb *const verb = cli_verb_find(argv[1]);
        if (verb == NULL) {
            return cli_usage_error(NULL, "unknown verb '%s', see 'troupe help'", argv[1]);
        }
        code = verb->run(argc - 1, argv + 1);
    }
    // Results that did not reach the reader (a full disk, a closed pipe) are no success.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == TROUPE_EXIT_OK) {
        struct report report = {.out = stderr, .file = "troupe"};
        report_error(&report, TROUPE_EXIT_IO, NULL, "cli.stdout", "cannot write to stdout");
        return TROUPE_EXIT_IO;
    }
    return code;
}
