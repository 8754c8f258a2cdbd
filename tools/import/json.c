// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Strict JSON over Jansson.
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "arena.h"

enum {
    JSON_PLACE_BYTES = 256,
    JSON_MESSAGE_BYTES = 512,
};

static bool json_refuse_text(struct report *report, const json_error_t *error, const char *place,
                             const char *where)
{
    const bool is_null = json_error_code(error) == json_error_null_character;
    return report_error(report, TROUPE_EXIT_INPUT, place, "json.syntax", "%s%s",
                        is_null ? "\\u0000 in a string is not supported" : error->text, where);
}

/// Makes each integer beyond 64 bits a 0.
/// @param text of valid JSON
static void blank_integers_beyond(char *text)
{
    while (*(text += strcspn(text, "\"-0123456789")) != '\0') {
        if (*text == '"') {
            for (text++; *text != '"'; text++) {
                text += *text == '\\';
            }
            text++;
            continue;
        }
        const size_t integer_length = strspn(text, "-0123456789");
        const size_t length = strspn(text, "-0123456789.eE+");
        errno = 0;
        strtoll(text, NULL, 10);
        if (integer_length == length && errno == ERANGE) {
            memset(text, ' ', length);
            *text = '0';
        }
        text += length;
    }
}

/// Parses a text; says nothing of why it cannot.
static void json_load(const void *text, size_t size_bytes, struct report *report,
                      json_error_t *error, struct json_value *root)
{
    *root = (struct json_value){.report = report};
    root->value = json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, error);
    if (root->value || json_error_code(error) != json_error_numeric_overflow) {
        return;
    }
    // JSON knows no limit to integers: as doubles they have the range of all other numbers. What
    // is an integer of 64 bits is found beside those doubles.
    root->value =
        json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, error);
    if (root->value) {
        struct arena arena = {0};
        char *const copy = arena_take(&arena, size_bytes + 1, 1);
        memcpy(copy, text, size_bytes);
        blank_integers_beyond(copy);
        root->exact = json_loadb(copy, size_bytes, JSON_REJECT_DUPLICATES, error);
        arena_free(&arena);
        if (!root->exact) {
            json_release(root);
        }
    }
}

bool json_parse(const void *text, size_t size_bytes, struct report *report, struct json_value *root)
{
    json_error_t error;
    if (size_bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "json.mark",
                            "begins with a UTF-8 byte order mark, which JSON does not allow: save "
                            "it without");
    }
    json_load(text, size_bytes, report, &error, root);
    if (!root->value) {
        char place[64];
        snprintf(place, sizeof place, "line %d, column %d", error.line, error.column);
        return json_refuse_text(report, &error, error.line > 0 ? place : NULL, "");
    }
    return true;
}

bool json_parse_string(const struct json_value *string, struct json_value *root)
{
    json_error_t error;
    json_load(json_string_value(string->value), json_string_length(string->value), string->report,
              &error, root);
    root->parent = string->parent;
    root->key = string->key;
    root->index = string->index;
    if (!root->value) {
        char place[JSON_PLACE_BYTES];
        char where[64];
        json_place(string, place, sizeof place);
        snprintf(where, sizeof where, " at line %d, column %d of the text", error.line,
                 error.column);
        return json_refuse_text(string->report, &error, place, where);
    }
    return true;
}

void json_release(struct json_value *root)
{
    json_decref((json_t *)root->value);
    json_decref((json_t *)root->exact);
    root->value = NULL;
    root->exact = NULL;
}

/// Appends the way to a value and returns the bytes used.
static size_t json_append_place(const struct json_value *at, char *place, size_t place_bytes)
{
    if (!at->parent) {
        place[0] = 0;
        return 0;
    }
    const size_t used = json_append_place(at->parent, place, place_bytes);
    const size_t room = place_bytes - used;
    const int bytes = at->key ? snprintf(place + used, room, "%s%s", used > 0 ? "." : "", at->key)
                              : snprintf(place + used, room, "[%zu]", at->index);
    return (size_t)bytes < room ? used + (size_t)bytes : place_bytes - 1;
}

void json_place(const struct json_value *at, char *place, size_t place_bytes)
{
    json_append_place(at, place, place_bytes);
}

bool json_refuse(const struct json_value *at, enum troupe_exit exit_code, const char *code,
                 const char *format, ...)
{
    char place[JSON_PLACE_BYTES];
    char message[JSON_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    json_place(at, place, sizeof place);
    return report_error(at->report, exit_code, place[0] ? place : NULL, code, "%s", message);
}

void json_warn(const struct json_value *at, const char *code, const char *format, ...)
{
    char place[JSON_PLACE_BYTES];
    char message[JSON_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    json_place(at, place, sizeof place);
    report_warning(at->report, place[0] ? place : NULL, code, "%s", message);
}

struct json_value json_member(const struct json_value *object, const char *key)
{
    return (struct json_value){
        .value = json_object_get(object->value, key),
        .parent = object,
        .key = key,
        .report = object->report,
    };
}

struct json_value json_item(const struct json_value *array, size_t index)
{
    return (struct json_value){
        .value = json_array_get(array->value, index),
        .parent = array,
        .index = index,
        .report = array->report,
    };
}

bool json_is_absent(const struct json_value *value)
{
    return value->value == NULL || json_is_null(value->value);
}

/// Writes a real number with as few digits as mean the same double. Jansson writes 17.
/// @param bytes of the number in its text
/// @return bytes written, not more than those
static size_t json_shorten(const char *number, size_t bytes, char *out)
{
    const double value = strtod(number, NULL);
    for (int digits = 15; digits < 17; digits++) {
        char text[32];
        const size_t length = (size_t)snprintf(text, sizeof text, "%.*g", digits, value);
        // Without point and exponent it would be an integer, and short enough already.
        if (length < bytes && strpbrk(text, ".e") && strtod(text, NULL) == value) {
            memcpy(out, text, length);
            return length;
        }
    }
    memmove(out, number, bytes);
    return bytes;
}

/// Shortens all numbers of a text without white space, in place.
static void json_shorten_all(char *text)
{
    char *out = text;
    bool is_string = false;
    for (const char *at = text; *at;) {
        const size_t bytes = is_string ? 0 : strspn(at, "+-.0123456789eE");
        if (bytes > 0 && *at != 'e') { // of true and false
            const bool is_real = strcspn(at, ".e") < bytes;
            const size_t written = is_real ? json_shorten(at, bytes, out) : bytes;
            memmove(out, at, is_real ? 0 : bytes);
            out += written;
            at += bytes;
            continue;
        }
        is_string ^= *at == '"';
        if (is_string && *at == '\\') {
            *out++ = *at++; // what follows is no end
        }
        *out++ = *at++;
    }
    *out = 0;
}

const char *json_compact(const struct json_value *value, struct arena *arena)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    const size_t size_bytes = json_dumpb(value->value, NULL, 0, flags);
    char *const text = arena_take(arena, size_bytes + 1, 1);
    json_dumpb(value->value, text, size_bytes, flags);
    json_shorten_all(text);
    return text;
}

bool json_as_object(const struct json_value *value)
{
    return json_is_object(value->value);
}

bool json_as_array(const struct json_value *value, uint32_t *count)
{
    const size_t size = json_array_size(value->value);
    *count = size > INT32_MAX ? INT32_MAX : (uint32_t)size;
    return json_is_array(value->value);
}

bool json_as_boolean(const struct json_value *value, bool *boolean)
{
    *boolean = json_is_true(value->value);
    return json_is_boolean(value->value);
}

bool json_as_number(const struct json_value *value, double *number)
{
    *number = json_number_value(value->value);
    return json_is_number(value->value);
}

bool json_as_string(const struct json_value *value, const char **text)
{
    *text = json_string_value(value->value);
    return json_is_string(value->value);
}

/// Returns the counterpart of a value where integers are integers, null where there is none.
static const json_t *exact_of(const struct json_value *at)
{
    if (at->exact || !at->parent) {
        return at->exact;
    }
    const json_t *const parent = exact_of(at->parent);
    return at->key ? json_object_get(parent, at->key) : json_array_get(parent, at->index);
}

bool json_as_integer(const struct json_value *value, int64_t *integer, bool *is_beyond)
{
    const json_t *const exact = json_is_real(value->value) ? exact_of(value) : NULL;
    const json_t *const found = json_is_integer(exact) ? exact : value->value;
    *integer = json_integer_value(found);
    *is_beyond = json_is_integer(exact) && *integer == 0 && json_real_value(value->value) != 0;
    return json_is_integer(found);
}

bool json_next_member(const struct json_value *object, struct json_value *member)
{
    json_t *const parent = (json_t *)object->value;
    void *const at = member->key
                         ? json_object_iter_next(parent, json_object_key_to_iter(member->key))
                         : json_object_iter(parent);
    *member = at ? json_member(object, json_object_iter_key(at)) : (struct json_value){0};
    return at != NULL;
}

static bool json_refuse_type(const struct json_value *value, const char *wanted)
{
    return json_refuse(value, TROUPE_EXIT_INPUT, "json.type", "must be %s", wanted);
}

bool json_check_object(const struct json_value *value)
{
    return json_is_object(value->value) || json_refuse_type(value, "an object");
}

/// Returns whether to go on reading a member; `ok` is the answer where not.
static bool json_find(const struct json_value *object, const char *key, bool required,
                      struct json_value *member, bool *ok)
{
    *member = json_member(object, key);
    *ok = true;
    if (!member->value && required) {
        *ok = json_refuse(object, TROUPE_EXIT_INPUT, "json.missing", "\"%s\" is missing", key);
    }
    return member->value != NULL;
}

bool json_get_array(const struct json_value *object, const char *key, bool required,
                    struct json_value *array, uint32_t *count)
{
    bool ok;
    if (!json_find(object, key, required, array, &ok)) {
        return ok;
    }
    if (!json_is_array(array->value)) {
        return json_refuse_type(array, "an array");
    }
    const size_t size = json_array_size(array->value);
    if (size > INT32_MAX) {
        return json_refuse(array, TROUPE_EXIT_INPUT, "json.range", "has too many items");
    }
    *count = (uint32_t)size;
    return true;
}

static bool json_read_integer(const struct json_value *value, uint64_t minimum, uint64_t maximum,
                              uint64_t *integer)
{
    if (!json_is_number(value->value)) {
        return json_refuse_type(value, "an integer");
    }
    const double number = json_number_value(value->value);
    const double largest_exact = 9007199254740992; // 2^53
    if (!(number >= 0 && number <= largest_exact) || number != (double)(uint64_t)number) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "json.range",
                           "is %.17g, but must be an integer from %llu", number,
                           (unsigned long long)minimum);
    }
    *integer = (uint64_t)number;
    if (*integer < minimum || *integer > maximum) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "json.range",
                           "is %llu, but must be from %llu to %llu", (unsigned long long)*integer,
                           (unsigned long long)minimum, (unsigned long long)maximum);
    }
    return true;
}

bool json_get_integer(const struct json_value *object, const char *key, bool required,
                      uint64_t minimum, uint64_t maximum, uint64_t *integer)
{
    struct json_value member;
    bool ok;
    if (!json_find(object, key, required, &member, &ok)) {
        return ok;
    }
    return json_read_integer(&member, minimum, maximum, integer);
}

bool json_get_boolean(const struct json_value *object, const char *key, bool *boolean)
{
    const struct json_value member = json_member(object, key);
    if (!member.value) {
        return true;
    }
    if (!json_is_boolean(member.value)) {
        return json_refuse_type(&member, "true or false");
    }
    *boolean = json_boolean_value(member.value);
    return true;
}

bool json_get_number(const struct json_value *object, const char *key, bool required,
                     double *number)
{
    struct json_value member;
    double found = 0;
    bool ok;
    if (!json_find(object, key, required, &member, &ok)) {
        return ok;
    }
    if (!json_as_number(&member, &found)) {
        return json_refuse_type(&member, "a number");
    }
    *number = found;
    return true;
}

static bool json_read_string(const struct json_value *value, const char **text)
{
    if (!json_is_string(value->value)) {
        return json_refuse_type(value, "a string");
    }
    *text = json_string_value(value->value);
    return true;
}

bool json_get_string(const struct json_value *object, const char *key, bool required,
                     const char **text)
{
    struct json_value member;
    bool ok;
    if (!json_find(object, key, required, &member, &ok)) {
        return ok;
    }
    return json_read_string(&member, text);
}

static bool json_read_index(const struct json_value *value, const char *things, uint32_t count,
                            int32_t *index)
{
    uint64_t integer = 0;
    if (!json_read_integer(value, 0, UINT32_MAX, &integer)) {
        return false;
    }
    if (integer >= count) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "json.index", "is %llu, but there are %u %s",
                           (unsigned long long)integer, count, things);
    }
    *index = (int32_t)integer;
    return true;
}

bool json_get_index(const struct json_value *object, const char *key, bool required,
                    const char *things, uint32_t count, int32_t *index)
{
    struct json_value member;
    bool ok;
    if (!json_find(object, key, required, &member, &ok)) {
        return ok;
    }
    return json_read_index(&member, things, count, index);
}

bool json_get_numbers(const struct json_value *object, const char *key, uint32_t count,
                      double *numbers)
{
    const struct json_value member = json_member(object, key);
    if (!member.value) {
        return true;
    }
    if (!json_is_array(member.value) || json_array_size(member.value) != count) {
        return json_refuse(&member, TROUPE_EXIT_INPUT, "json.type",
                           "must be an array of %u numbers", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&member, i);
        if (!json_as_number(&item, &numbers[i])) {
            return json_refuse_type(&item, "a number");
        }
    }
    return true;
}

bool json_get_index_item(const struct json_value *array, size_t item, const char *things,
                         uint32_t count, int32_t *index)
{
    const struct json_value value = json_item(array, item);
    return json_read_index(&value, things, count, index);
}

bool json_get_string_item(const struct json_value *array, size_t item, const char **text)
{
    const struct json_value value = json_item(array, item);
    return json_read_string(&value, text);
}
