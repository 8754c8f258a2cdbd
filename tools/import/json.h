// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Strict JSON for importers: values that know the way to them, and getters that say where and why
// a value is not what the format asks for. Jansson stays behind this interface.
#ifndef TROUPE_TOOLS_JSON_H
#define TROUPE_TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "report.h"

struct json_t;

/// A place in a JSON text and the value there, if any. Plain to copy; the parent must stay where
/// it is for as long as the value is used.
struct json_value {
    const struct json_t *value; // null where the parent has no such member or item
    const struct json_value *parent;
    const char *key; // name in the parent; null for an item of an array
    size_t index;    // in the parent, if it is an array
    // Of a root whose text has integers beyond 64 bits: the same with these as 0, while in `value`
    // all numbers are doubles. Else null.
    const struct json_t *exact;
    struct report *report;
};

/// Parses a whole text: UTF-8 without a mark at its start, no duplicate names, no NUL, numbers
/// within double, nothing after.
/// @param root [out] json_release it after success
/// @return false after an error in `report`, with line and column.
bool json_parse(const void *text, size_t size_bytes, struct report *report,
                struct json_value *root);

/// Parses the text that a string holds. What is in there is found on the way to the string.
/// @param root [out] json_release it after success
bool json_parse_string(const struct json_value *string, struct json_value *root);

void json_release(struct json_value *root);

/// Writes the way to a value, such as animations[3].channels[7]; nothing for the root.
void json_place(const struct json_value *at, char *place, size_t place_bytes);

/// Reports an error at a value, its path as the place.
/// @return false
bool json_refuse(const struct json_value *at, enum troupe_exit exit_code, const char *code,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/// Reports a warning at a value.
void json_warn(const struct json_value *at, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Returns a member of an object; its `value` is null where there is none.
struct json_value json_member(const struct json_value *object, const char *key);

/// Returns an item of an array; its `value` is null past the end.
struct json_value json_item(const struct json_value *array, size_t index);

/// Returns whether there is no value, or null.
bool json_is_absent(const struct json_value *value);

/// Returns a value as text without white space, in the arena.
const char *json_compact(const struct json_value *value, struct arena *arena);

/// Return whether a value is of that kind, and what it is. They report nothing.
bool json_as_object(const struct json_value *value);
bool json_as_array(const struct json_value *value, uint32_t *count);
bool json_as_boolean(const struct json_value *value, bool *boolean);
bool json_as_number(const struct json_value *value, double *number);
bool json_as_string(const struct json_value *value, const char **text);

/// Returns whether a value is a number written without fraction and exponent.
/// @param integer   [out] 0 where it is beyond
/// @param is_beyond [out] whether it does not fit 64 bits, and can be had as a double only
bool json_as_integer(const struct json_value *value, int64_t *integer, bool *is_beyond);

/// Goes through the members of an object, in the order of the text.
/// @param member [in,out] the one before; zero to begin
/// @return false where there is none left
bool json_next_member(const struct json_value *object, struct json_value *member);

/// @return false after an error, where the value is not an object
bool json_check_object(const struct json_value *value);

/// The getters below leave the output as it is where the member is absent, unless it is required.
/// @return false after an error: wrong type, out of range, or required and absent.
bool json_get_array(const struct json_value *object, const char *key, bool required,
                    struct json_value *array, uint32_t *count);
bool json_get_integer(const struct json_value *object, const char *key, bool required,
                      uint64_t minimum, uint64_t maximum, uint64_t *integer);
bool json_get_boolean(const struct json_value *object, const char *key, bool *boolean);
bool json_get_number(const struct json_value *object, const char *key, bool required,
                     double *number);

/// Strings live as long as the document.
bool json_get_string(const struct json_value *object, const char *key, bool required,
                     const char **text);

/// Gets an index into a list of `count` things that are called `things`.
bool json_get_index(const struct json_value *object, const char *key, bool required,
                    const char *things, uint32_t count, int32_t *index);

/// Gets an array of exactly `count` numbers.
bool json_get_numbers(const struct json_value *object, const char *key, uint32_t count,
                      double *numbers);

/// Gets one item of an array as an index into a list of `count` things.
bool json_get_index_item(const struct json_value *array, size_t item, const char *things,
                         uint32_t count, int32_t *index);

/// Gets one item of an array as a string.
bool json_get_string_item(const struct json_value *array, size_t item, const char **text);

#endif
