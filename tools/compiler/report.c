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
static void line_make(const struct report *report, const char *kind, const char *place,
                      const char *code, const char *instead, const char *format, va_list arguments,
                      char line[REPORT_LINE_BYTES])
{
    char message[REPORT_MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, arguments);
    snprintf(line, REPORT_LINE_BYTES, "%.1024s: %s: %.256s%s%s%s%.128s [%.64s]",
             report->file ? report->file : "troupe", kind, place ? place : "", place ? ": " : "",
             message, instead ? "; " : "", instead ? instead : "", code);
    report_clean(line);
}

static void line_print(const struct report *report, const char *line)
{
    if (report->out) {
        fprintf(report->out, "%s\n", line);
    }
}

/// Counts warnings of a code.
/// @return whether the last one is to be printed
static bool kind_count(struct report *report, const char *code, uint32_t count)
{
    for (uint32_t i = 0; i < REPORT_MOST_KINDS; i++) {
        struct report_kind *const kind = &report->kinds[i];
        if (!kind->code || strcmp(kind->code, code) == 0) {
            kind->code = code;
            kind->count += count;
            return kind->count <= REPORT_MOST_SHOWN;
        }
    }
    return true;
}

/// Counts a warning, and prints it unless there were too many of its kind.
static void warning_print(struct report *report, const char *place, const char *code,
                          const char *instead, const char *format, va_list arguments)
{
    char line[REPORT_LINE_BYTES];
    report->warning_count++;
    if (kind_count(report, code, 1) && report->out) {
        line_make(report, "warning", place, code, instead, format, arguments, line);
        line_print(report, line);
    }
}

bool report_error(struct report *report, enum troupe_exit exit_code, const char *place,
                  const char *code, const char *format, ...)
{
    char line[REPORT_LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    if (report->instead) {
        warning_print(report, place, code, report->instead, format, arguments);
        va_end(arguments);
        return false;
    }
    line_make(report, "error", place, code, NULL, format, arguments, line);
    va_end(arguments);
    line_print(report, line);
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
    va_list arguments;
    va_start(arguments, format);
    warning_print(report, place, code, NULL, format, arguments);
    va_end(arguments);
}

/// Returns the code of a warning that was printed; null for another line.
/// @param line is cut off behind it
static const char *line_code(const struct report *report, const char *line)
{
    const char *const bracket = strrchr(line, '[');
    for (uint32_t i = 0; bracket && i < REPORT_MOST_KINDS && report->kinds[i].code; i++) {
        const char *const code = report->kinds[i].code;
        if (!strstr(line, ": error: ") && strncmp(bracket + 1, code, strlen(code)) == 0 &&
            strcmp(bracket + 1 + strlen(code), "]") == 0) {
            return code;
        }
    }
    return NULL;
}

/// Prints what another report printed, but for warnings of which there were too many.
static void lines_add(struct report *report, const struct report *other, const char *lines)
{
    while (*lines) {
        char line[REPORT_LINE_BYTES];
        const size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        const char *const code = line_code(other, line);
        if (!code || kind_count(report, code, 1)) {
            line_print(report, line);
        }
        lines += length + (lines[length] != '\0');
    }
}

void report_add(struct report *report, const struct report *other, const char *lines)
{
    if (report->error_count == 0 && other->error_count > 0) {
        report->exit_code = other->exit_code;
        memcpy(report->first_error, other->first_error, sizeof report->first_error);
    }
    report->error_count += other->error_count;
    report->warning_count += other->warning_count;
    if (lines) {
        lines_add(report, other, lines);
    }
    for (uint32_t i = 0; i < REPORT_MOST_KINDS && other->kinds[i].code; i++) {
        if (other->kinds[i].count > REPORT_MOST_SHOWN) {
            kind_count(report, other->kinds[i].code, other->kinds[i].count - REPORT_MOST_SHOWN);
        }
    }
}

void report_finish(struct report *report)
{
    for (uint32_t i = 0; i < REPORT_MOST_KINDS && report->kinds[i].code; i++) {
        const struct report_kind *const kind = &report->kinds[i];
        if (kind->count > REPORT_MOST_SHOWN && report->out) {
            fprintf(report->out, "troupe: warning: %u more of these are not shown [%s]\n",
                    kind->count - REPORT_MOST_SHOWN, kind->code);
        }
    }
    memset(report->kinds, 0, sizeof report->kinds);
}
