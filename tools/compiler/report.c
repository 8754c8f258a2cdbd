// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Messages in compiler form.
#include "report.h"

#include <string.h>

enum {
    REPORT_MESSAGE_BYTES = 512,
    REPORT_LINE_BYTES = 2048, // a path of 1024, a place of 256, a message, a code
};

/// Names from files end up in messages; a line break in one must not fake a second message.
static void report_clean(char *text)
{
    for (char *at = text; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            *at = '?';
        }
    }
}

/// @param instead ends the message; may be null
static void report_line(const struct report *report, const char *kind, const char *place,
                        const char *code, const char *instead, const char *format,
                        va_list arguments, char line[REPORT_LINE_BYTES])
{
    char message[REPORT_MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, arguments);
    snprintf(line, REPORT_LINE_BYTES, "%.1024s: %s: %.256s%s%s%s%.128s [%.64s]",
             report->file ? report->file : "troupe", kind, place ? place : "", place ? ": " : "",
             message, instead ? "; " : "", instead ? instead : "", code);
    report_clean(line);
    if (report->out) {
        fprintf(report->out, "%s\n", line);
    }
}

bool report_error(struct report *report, enum troupe_exit exit_code, const char *place,
                  const char *code, const char *format, ...)
{
    char line[REPORT_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    report_line(report, report->instead ? "warning" : "error", place, code, report->instead, format,
                arguments, line);
    va_end(arguments);
    if (report->instead) {
        report->warning_count++;
        return false;
    }
    if (report->error_count == 0) {
        report->exit_code = exit_code;
        snprintf(report->first_error, sizeof report->first_error, "%.511s", line);
    }
    report->error_count++;
    return false;
}

void report_warning(struct report *report, const char *place, const char *code, const char *format,
                    ...)
{
    char line[REPORT_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    report_line(report, "warning", place, code, NULL, format, arguments, line);
    va_end(arguments);
    report->warning_count++;
}
