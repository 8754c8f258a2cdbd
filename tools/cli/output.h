// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the program writes for people and for programs: aligned tables, JSON objects, a progress
// bar. Results go to stdout, everything else to stderr.
#ifndef TROUPE_CLI_OUTPUT_H
#define TROUPE_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

/// A table that is printed once all its cells are known. Zero-initialise, set the headings.
struct output_table {
    const char *const *headings; ///< a leading '<' aligns the column to the left
    uint32_t column_count;
    struct arena arena;
    char **cells; ///< row after row
    uint32_t cell_count;
    uint32_t cell_capacity;
};

/// Adds the next cell of a table. Control characters become '?': names come from foreign files.
void output_cell(struct output_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Prints a table to stdout and frees its cells. Headings are bold on a terminal, unless NO_COLOR.
void output_table_print(struct output_table *table);

/// Prints a line to stdout, with control characters as '?'.
void output_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Prints to stdout without ending the line, with control characters as '?'.
void output_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Returns the object that every verb prints with --json: {"schema": 1, "verb": verb}.
json_t *output_json(const char *verb);

/// Prints an object to stdout and frees it.
void output_json_print(json_t *object);

/// Prints an object without its last bracket and opens an array in it, for results that are printed
/// as they are found. Frees it.
void output_json_open(json_t *object, const char *array);

/// Prints an item of the array that is open and frees it.
void output_json_item(json_t *item, bool is_first);

/// Closes array and object after one more member.
void output_json_close(const char *key, json_t *value);

/// Returns a number of up to 15 significant digits; null where it is not finite.
json_t *output_real(double value);

/// Returns a number with as many digits as it takes to read back the same double.
json_t *output_exact(double value);

/// Returns the shortest decimal number of at most 9 digits that reads back as the same float.
json_t *output_float(float value);

/// Returns an array of floats.
json_t *output_floats(const float *values, uint32_t count);

/// Returns a string; bytes that are not UTF-8 become '?'.
json_t *output_string(const char *text);

/// Returns a 64-bit hash as 16 hexadecimal digits.
json_t *output_hash(uint64_t hash);

/// Draws how far the work is on stderr, where that is a terminal; the last call wipes the line.
void output_progress(uint32_t done, uint32_t total, void *unused);

#endif
