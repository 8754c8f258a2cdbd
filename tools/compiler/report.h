// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Messages in compiler form: `file: error: place: message [code]`, one line each, on stderr.
#ifndef TROUPE_TOOLS_REPORT_H
#define TROUPE_TOOLS_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Exit codes of `troupe`. Fixed.
enum troupe_exit {
    TROUPE_EXIT_OK = 0,
    TROUPE_EXIT_USAGE = 1,
    TROUPE_EXIT_IO = 2,
    TROUPE_EXIT_INPUT = 3,
    TROUPE_EXIT_BUDGET = 4,
    TROUPE_EXIT_UNSUPPORTED = 5,
    TROUPE_EXIT_INTERNAL = 6,
};

enum {
    REPORT_MOST_KINDS = 64,  // that are counted
    REPORT_MOST_SHOWN = 100, // warnings of one kind; of more, report_finish says how many
};

/// Warnings of one code.
struct report_kind {
    const char *code; // null behind the last one
    uint32_t count;
};

/// Where messages go and what they amounted to. Zero-initialise, then set `out` (null = silent).
struct report {
    FILE *out;
    const char *file; // the input that messages are about; may be null
    uint32_t warning_count;
    uint32_t error_count;
    enum troupe_exit exit_code; // of the first error
    char first_error[512];      // its line, for tests and for callers without a stream
    // Where one thing can be done without: what happens to it. Errors are warnings then, which end
    // with that, and count as such. Null: errors are errors.
    const char *instead;
    struct report_kind kinds[REPORT_MOST_KINDS];
};

/// Reports an error.
/// @param place  where in the file ("animations[3].channels[7]"), or null
/// @param code   stable id of the kind of error, such as "gltf.accessor.bounds"
/// @return false, so that a reader can `return report_error(...)`.
/// Threads: a report belongs to one thread; parallel work gives each task its own.
bool report_error(struct report *report, enum troupe_exit exit_code, const char *place,
                  const char *code, const char *format, ...) __attribute__((format(printf, 5, 6)));

/// Reports something that the user should know but that stops nothing. Of one code the first
/// REPORT_MOST_SHOWN are printed.
/// @param code must outlive the report
void report_warning(struct report *report, const char *place, const char *code, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

/// Adds what another report amounted to, as if it had been reported here.
/// @param lines what it printed; null for nothing
void report_add(struct report *report, const struct report *other, const char *lines);

/// Says how many warnings were not printed, if any, and begins to count anew.
void report_finish(struct report *report);

#endif
