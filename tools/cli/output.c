// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Tables, JSON and the progress bar of the program.
#include "output.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void blank_control_characters(char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7F) {
            *text = '?';
        }
    }
}

static char *format_text(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static char *format_text(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *const text = arena_take(arena, length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    blank_control_characters(text);
    return text;
}

void output_cell(struct output_table *table, const char *format, ...)
{
    if (table->cell_count == table->cell_capacity) {
        const uint32_t capacity = table->cell_capacity == 0 ? 256 : 2 * table->cell_capacity;
        char **const cells = ARENA_NEW(&table->arena, char *, capacity);
        if (table->cell_count > 0) {
            memcpy(cells, table->cells, table->cell_count * sizeof *cells);
        }
        table->cells = cells;
        table->cell_capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    table->cells[table->cell_count++] = format_text(&table->arena, format, arguments);
    va_end(arguments);
}

/// Returns how many characters a terminal shows for UTF-8 text, wide ones counted once.
static int text_width(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

static void print_padded(const char *text, int width, bool is_left, bool is_last)
{
    const int padding = width - text_width(text);
    if (!is_left) {
        printf("%*s", padding, "");
    }
    fputs(text, stdout);
    if (is_left && !is_last) {
        printf("%*s", padding, "");
    }
    if (!is_last) {
        fputs("  ", stdout);
    }
}

static bool is_styled(void)
{
    const char *const no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
}

void output_table_print(struct output_table *table)
{
    const uint32_t columns = table->column_count;
    const uint32_t row_count = table->cell_count / columns;
    int *const widths = ARENA_NEW(&table->arena, int, columns);
    const char **const headings = ARENA_NEW(&table->arena, const char *, columns);
    bool *const is_left = ARENA_NEW(&table->arena, bool, columns);
    for (uint32_t column = 0; column < columns; column++) {
        is_left[column] = table->headings[column][0] == '<';
        headings[column] = table->headings[column] + is_left[column];
        widths[column] = text_width(headings[column]);
        for (uint32_t row = 0; row < row_count; row++) {
            const int width = text_width(table->cells[row * columns + column]);
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    const bool styled = is_styled();
    fputs(styled ? "\033[1m" : "", stdout);
    for (uint32_t column = 0; column < columns; column++) {
        print_padded(headings[column], widths[column], is_left[column], column + 1 == columns);
    }
    fputs(styled ? "\033[0m\n" : "\n", stdout);
    for (uint32_t row = 0; row < row_count; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            print_padded(table->cells[row * columns + column], widths[column], is_left[column],
                         column + 1 == columns);
        }
        putchar('\n');
    }
    arena_free(&table->arena);
    table->cells = NULL;
    table->cell_count = 0;
    table->cell_capacity = 0;
}

void output_line(const char *format, ...)
{
    struct arena arena = {0};
    va_list arguments;
    va_start(arguments, format);
    puts(format_text(&arena, format, arguments));
    va_end(arguments);
    arena_free(&arena);
}

void output_text(const char *format, ...)
{
    struct arena arena = {0};
    va_list arguments;
    va_start(arguments, format);
    fputs(format_text(&arena, format, arguments), stdout);
    va_end(arguments);
    arena_free(&arena);
}

json_t *output_json(const char *verb)
{
    json_t *const object = json_object();
    json_object_set_new(object, "schema", json_integer(1));
    json_object_set_new(object, "verb", json_string(verb));
    return object;
}

/// Rounds to a number of significant digits.
static double round_to_digits(double value, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/// Returns how many digits tell a number from all others. 15 print any decimal of up to 15 digits
/// as it was, where 17 would show its rounding.
static size_t digits_of(double value)
{
    int digits = 15;
    while (digits < 17 && round_to_digits(value, digits) != value) {
        digits++;
    }
    return (size_t)digits;
}

static void print_value(const json_t *json);

/// Prints what is between the brackets of an object.
static void print_members(const json_t *json)
{
    json_t *const object = (json_t *)json;
    const char *separator = "";
    for (void *at = json_object_iter(object); at != NULL;
         at = json_object_iter_next(object, at), separator = ", ") {
        json_t *const key = json_string(json_object_iter_key(at));
        fputs(separator, stdout);
        print_value(key);
        fputs(": ", stdout);
        print_value(json_object_iter_value(at));
        json_decref(key);
    }
}

/// Prints JSON on one line, each number with as many digits as it takes.
static void print_value(const json_t *json)
{
    if (json_is_object(json)) {
        putchar('{');
        print_members(json);
        putchar('}');
    } else if (json_is_array(json)) {
        putchar('[');
        for (size_t i = 0; i < json_array_size(json); i++) {
            fputs(i > 0 ? ", " : "", stdout);
            print_value(json_array_get(json, i));
        }
        putchar(']');
    } else {
        const size_t digits = json_is_real(json) ? digits_of(json_real_value(json)) : 0;
        json_dumpf(json, stdout, JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY);
    }
}

void output_json_print(json_t *object)
{
    print_value(object);
    putchar('\n');
    json_decref(object);
}

void output_json_open(json_t *object, const char *array)
{
    putchar('{');
    print_members(object);
    printf(", \"%s\": [", array);
    json_decref(object);
}

void output_json_item(json_t *item, bool is_first)
{
    fputs(is_first ? "\n" : ",\n", stdout);
    print_value(item);
    json_decref(item);
}

void output_json_close(const char *key, json_t *value)
{
    printf("], \"%s\": ", key);
    print_value(value);
    puts("}");
    json_decref(value);
}

json_t *output_real(double value)
{
    return output_exact(isfinite(value) ? round_to_digits(value, 15) : value);
}

json_t *output_exact(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *output_float(float value)
{
    if (!isfinite(value)) {
        return json_null();
    }
    double number = 0;
    for (int digits = 6; digits <= 9; digits++) { // 9 are always enough
        number = round_to_digits((double)value, digits);
        if ((float)number == value) {
            break;
        }
    }
    return json_real(number);
}

json_t *output_floats(const float *values, uint32_t count)
{
    json_t *const array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, output_float(values[i]));
    }
    return array;
}

json_t *output_string(const char *text)
{
    json_t *const string = json_string(text);
    if (string != NULL) {
        return string;
    }
    struct arena arena = {0};
    char *const ascii = arena_string(&arena, text);
    for (char *at = ascii; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            *at = '?';
        }
    }
    json_t *const replaced = json_string(ascii);
    arena_free(&arena);
    return replaced;
}

json_t *output_hash(uint64_t hash)
{
    return json_sprintf("%016llx", (unsigned long long)hash);
}

void output_progress(uint32_t done, uint32_t total, void *unused)
{
    (void)unused;
    if (!isatty(STDERR_FILENO) || total == 0) {
        return;
    }
    if (done >= total) {
        fputs("\r\033[K", stderr);
        return;
    }
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    const uint32_t filled = (uint32_t)((uint64_t)done * WIDTH / total);
    memset(bar, '#', filled);
    memset(bar + filled, '.', WIDTH - filled);
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %u/%u", bar, done, total);
    fflush(stderr);
}
