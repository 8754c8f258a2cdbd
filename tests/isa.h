// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// For tests of what must be the same on every instruction set: goes through all tables that this
// build and this processor have, and says which. TROUPE_REQUIRE_ISA, a list such as
// "avx2 avx512vbmi", makes a test fail where one is missing.
#ifndef TROUPE_TESTS_ISA_H
#define TROUPE_TESTS_ISA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/base.h>

/// Runs the statement after it once for every table, with `isa` in force, the reference first.
/// Leave the loop only at its end.
#define FOR_EACH_ISA(isa)                                                                          \
    for (trp_isa isa = isa_next((trp_isa)-1); isa != TRP_ISA_COUNT; isa = isa_next(isa))

/// Puts the next table in force, after the last one the fastest again.
static inline trp_isa isa_next(trp_isa isa)
{
    static trp_isa fastest = TRP_ISA_COUNT;
    if (fastest == TRP_ISA_COUNT) {
        fastest = trp_isa_active();
    }
    int next = (int)isa + 1;
    while (next < TRP_ISA_COUNT && trp_isa_force((trp_isa)next) != TRP_OK) {
        next++;
    }
    if (next == TRP_ISA_COUNT) {
        (void)trp_isa_force(fastest);
    }
    return (trp_isa)next;
}

/// Prints the tables there are; returns whether those that TROUPE_REQUIRE_ISA names are among them.
static inline bool isa_report(void)
{
    bool is_complete = true;
    const char *const required = getenv("TROUPE_REQUIRE_ISA");
    char names[256];
    snprintf(names, sizeof names, "%s", required ? required : "");
    printf("tables:");
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (trp_isa_available((trp_isa)isa)) {
            printf(" %s", trp_isa_name((trp_isa)isa));
        }
    }
    printf("\n");
    for (const char *name = strtok(names, " ,"); name; name = strtok(NULL, " ,")) {
        bool is_found = false;
        for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
            is_found |=
                strcmp(name, trp_isa_name((trp_isa)isa)) == 0 && trp_isa_available((trp_isa)isa);
        }
        if (!is_found) {
            printf("missing, though TROUPE_REQUIRE_ISA asks for it: %s\n", name);
            is_complete = false;
        }
    }
    return is_complete;
}

#endif
