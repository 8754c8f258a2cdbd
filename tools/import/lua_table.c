// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lua modules as data, read from the first letter to the last. An interpreter could not be held to
// a time: numbers can be chosen so that its hash tables take seconds for some ten thousand of them,
// in one step that nothing interrupts.
#include "lua_table.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum {
    MEMORY_BYTES = 64 << 20, // of the text and of the values, all together
    NAME_BYTES = 4096,       // of a module
    NUMBER_BYTES = 200,      // as many letters
    SHOWN_BYTES = 40,        // of a word, in messages
    MAX_DEPTH = 64,
    // What Jansson takes for values, at most, also while they grow.
    OBJECT_BYTES = 256,
    MEMBER_BYTES = 128,
    ARRAY_BYTES = 144,
    ITEM_BYTES = 32,
    VALUE_BYTES = 64,
};

static const char no_memory[] = "takes more memory than there is";
static const char no_table[] = "must return a table";
static const char no_shape[] = "a table is neither a list without gaps nor a table of names";

/// One module, while it is read.
struct module {
    struct report *report;
    const char *text;
    const char *at;
    const char *end;
    bool is_open;      // a comment, up to the end
    size_t left_bytes; // of all memory
    char *scratch;     // where texts are put together
    size_t scratch_bytes;
    size_t scratch_used;
};

/// An item whose place is given: `[3] = "x"`.
struct entry {
    size_t index;  // from 1 on
    size_t order;  // in the text
    json_t *value; // null for nil
};

/// A table, while it is read.
struct table {
    const char *start;
    json_t *object;   // null without names
    json_t *array;    // of items without keys; null without any
    size_t nil_count; // of such items at the end
    struct entry *entries;
    size_t entry_count;
};

// -- Errors

/// Returns of how many bytes the end of a line is: 1 or 2, or 0 where no line ends.
static size_t line_end(const char *at, const char *end)
{
    if (at == end || (*at != '\n' && *at != '\r')) {
        return 0;
    }
    return end - at >= 2 && (at[1] == '\n' || at[1] == '\r') && at[1] != at[0] ? 2 : 1;
}

static bool refuse_at(const struct module *module, const char *place, const char *message)
{
    int line = 1;
    char text[32];
    for (const char *at = module->text; at < place;) {
        const size_t end_bytes = line_end(at, module->end);
        line += end_bytes > 0;
        at += end_bytes > 0 ? end_bytes : 1;
    }
    snprintf(text, sizeof text, "line %d", line);
    return report_error(module->report, TROUPE_EXIT_INPUT, text, "panthera.lua", "%s", message);
}

static bool refuse(const struct module *module, const char *message)
{
    return refuse_at(module, module->at, message);
}

/// Refuses what is too much, wherever that turns out.
static bool refuse_whole(const struct module *module, const char *message)
{
    return report_error(module->report, TROUPE_EXIT_INPUT, NULL, "panthera.lua", "%s", message);
}

static bool module_take(struct module *module, size_t bytes)
{
    if (bytes > module->left_bytes) {
        return refuse_whole(module, "takes more than 64 MiB of memory");
    }
    module->left_bytes -= bytes;
    return true;
}

// -- Letters

static bool is_blank(char letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_word_start(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/// Returns the value of a hexadecimal digit, -1 for other letters.
static int digit_of(char letter)
{
    const char lower = (char)(letter | 0x20);
    return is_digit(letter) ? letter - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Finds the end of a long bracket, which are [[ ]], [=[ ]=] and so on.
/// @param body     [out] behind the opening one
/// @param body_end [out] before the closing one; null where there is none
/// @return behind the closing one; null where none is opened there
static const char *bracket_find(const char *at, const char *end, const char **body,
                                const char **body_end)
{
    size_t level = 0;
    if (at == end || *at != '[') {
        return NULL;
    }
    for (at++; at < end && *at == '='; at++) {
        level++;
    }
    if (at == end || *at != '[') {
        return NULL;
    }
    *body = at + 1;
    *body_end = NULL;
    const char *closing = NULL; // the last ']' that nothing but '=' has followed
    for (at++; at < end; at++) {
        if (*at == ']' && closing && (size_t)(at - closing) == level + 1) {
            *body_end = closing;
            return at + 1;
        }
        closing = *at == ']' ? at : *at == '=' ? closing : NULL;
    }
    return end;
}

/// Returns where a comment ends that starts with two dashes.
/// @param is_open [out] set where it does not end
static const char *comment_skip(const char *at, const char *end, bool *is_open)
{
    const char *body;
    const char *body_end;
    const char *const after = bracket_find(at + 2, end, &body, &body_end);
    if (after) {
        *is_open = !body_end;
        return after;
    }
    while (at < end && *at != '\n' && *at != '\r') {
        at++;
    }
    return at;
}

/// Skips blanks and comments.
/// @param is_open [out] set where a comment does not end
static const char *blank_skip(const char *at, const char *end, bool *is_open)
{
    while (at < end) {
        if (is_blank(*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
            at = comment_skip(at, end, is_open);
        } else {
            break;
        }
    }
    return at;
}

/// Goes to what comes next, and returns its first letter, 0 at the end.
static char module_next(struct module *module)
{
    module->at = blank_skip(module->at, module->end, &module->is_open);
    return module->at < module->end ? *module->at : '\0';
}

/// Takes a letter if it comes next.
static bool module_accept(struct module *module, char letter)
{
    if (module_next(module) != letter) {
        return false;
    }
    module->at++;
    return true;
}

/// Returns of how many letters the word is that comes next.
static size_t module_word(const struct module *module)
{
    const char *at = module->at;
    if (at == module->end || !is_word_start(*at)) {
        return 0;
    }
    while (at < module->end && (is_word_start(*at) || is_digit(*at))) {
        at++;
    }
    return (size_t)(at - module->at);
}

/// Takes a word if it comes next.
static bool module_accept_word(struct module *module, const char *word)
{
    module_next(module);
    const size_t length = module_word(module);
    if (length == 0 || strlen(word) != length || memcmp(module->at, word, length) != 0) {
        return false;
    }
    module->at += length;
    return true;
}

/// Refuses what comes next, which is no part of data.
static bool refuse_next(struct module *module)
{
    char message[128];
    const char letter = module_next(module);
    const size_t length = module_word(module);
    if (module->at == module->end) {
        return refuse(module, "the module ends too early");
    }
    if (length > 0) {
        const int shown = length < SHOWN_BYTES ? (int)length : SHOWN_BYTES;
        snprintf(message, sizeof message, "\"%.*s\" is no data", shown, module->at);
    } else if (letter > ' ' && letter <= '~') {
        snprintf(message, sizeof message, "unexpected '%c'", letter);
    } else {
        snprintf(message, sizeof message, "unexpected byte %u", (unsigned char)letter);
    }
    return refuse(module, message);
}

// -- Texts

static bool scratch_append(struct module *module, const char *bytes, size_t size_bytes)
{
    const size_t needed = module->scratch_used + size_bytes;
    if (size_bytes == 0) {
        return true; // and perhaps there is no scratch yet
    }
    if (needed > module->scratch_bytes) {
        const size_t grown = 2 * needed;
        if (!module_take(module, grown - module->scratch_bytes)) {
            return false;
        }
        char *const moved = realloc(module->scratch, grown);
        if (!moved) {
            return refuse_whole(module, no_memory);
        }
        module->scratch = moved;
        module->scratch_bytes = grown;
    }
    memcpy(module->scratch + module->scratch_used, bytes, size_bytes);
    module->scratch_used = needed;
    return true;
}

/// Makes a text of bytes.
/// @param start where it is in the module
static bool text_make(struct module *module, const char *start, const char *bytes, size_t length,
                      json_t **text)
{
    if (!module_take(module, VALUE_BYTES + length)) {
        return false;
    }
    if (memchr(bytes, '\0', length)) {
        return refuse_at(module, start, "a text has a zero byte in it");
    }
    *text = json_stringn(bytes, length);
    if (*text) {
        return true;
    }
    json_t *const unchecked = json_stringn_nocheck(bytes, length);
    const bool has_memory = unchecked;
    json_decref(unchecked);
    return has_memory ? refuse_at(module, start, "a text is not valid UTF-8")
                      : refuse_whole(module, no_memory);
}

/// Makes a text of what was put together.
static bool text_make_scratch(struct module *module, const char *start, json_t **text)
{
    const size_t length = module->scratch_used;
    return text_make(module, start, length > 0 ? module->scratch : "", length, text);
}

static bool utf8_append(struct module *module, uint32_t code)
{
    static const unsigned char heads[] = {0, 0xC0, 0xE0, 0xF0};
    char bytes[4];
    const int count = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; // after the head
    bytes[0] = (char)(heads[count] | code >> (6 * count));
    for (int i = 1; i <= count; i++) {
        bytes[i] = (char)(0x80 | (code >> (6 * (count - i)) & 0x3F));
    }
    return scratch_append(module, bytes, (size_t)count + 1);
}

/// Reads \u{HEX} from the brace on.
static bool code_read(struct module *module)
{
    const char *const end = module->end;
    uint32_t code = 0;
    if (module->at == end || *module->at != '{') {
        return refuse(module, "'{' is missing after \\u");
    }
    const char *const first = module->at + 1;
    const char *at = first;
    for (; at < end && digit_of(*at) >= 0; at++) {
        code = code << 4 | (uint32_t)digit_of(*at);
        if (code > 0x10FFFF) {
            return refuse(module, "\\u is beyond 10FFFF");
        }
    }
    if (at == first || at == end || *at != '}') {
        return refuse(module, "\\u has no hexadecimal number in braces");
    }
    module->at = at + 1;
    return utf8_append(module, code);
}

/// Reads \xXX from the digits on.
static bool hex_read(struct module *module)
{
    const char *const at = module->at;
    if (module->end - at < 2 || digit_of(at[0]) < 0 || digit_of(at[1]) < 0) {
        return refuse(module, "\\x has no two hexadecimal digits");
    }
    const char byte = (char)(digit_of(at[0]) << 4 | digit_of(at[1]));
    module->at += 2;
    return scratch_append(module, &byte, 1);
}

/// Reads \ddd from the digits on, of which there are up to three.
static bool decimal_read(struct module *module)
{
    int number = 0;
    for (int i = 0; i < 3 && module->at < module->end && is_digit(*module->at); i++) {
        number = 10 * number + (*module->at++ - '0');
    }
    const char byte = (char)number;
    return number <= UCHAR_MAX ? scratch_append(module, &byte, 1)
                               : refuse(module, "a number after \\ is beyond 255");
}

/// Reads what follows a backslash, which is not the end of the module.
static bool escape_read(struct module *module)
{
    static const char letters[] = "abfnrtv\\\"'";
    static const char meanings[] = "\a\b\f\n\r\t\v\\\"'";
    const size_t end_bytes = line_end(module->at, module->end);
    if (end_bytes > 0) {
        module->at += end_bytes;
        return scratch_append(module, "\n", 1);
    }
    if (is_digit(*module->at)) {
        return decimal_read(module);
    }
    const char letter = *module->at++;
    const char *const found = letter ? strchr(letters, letter) : NULL;
    if (found) {
        return scratch_append(module, &meanings[found - letters], 1);
    }
    switch (letter) {
    case 'x':
        return hex_read(module);
    case 'u':
        return code_read(module);
    case 'z':
        while (module->at < module->end && is_blank(*module->at)) {
            module->at++;
        }
        return true;
    default:
        return refuse(module, "a text has an unknown letter after \\");
    }
}

/// Reads a text in quotes.
static bool quoted_read(struct module *module, json_t **text)
{
    const char *const start = module->at;
    const char quote = *module->at++;
    module->scratch_used = 0;
    for (;;) {
        const char *const first = module->at;
        const char *at = first;
        while (at < module->end && *at != quote && *at != '\\' && *at != '\n' && *at != '\r') {
            at++;
        }
        module->at = at;
        if (!scratch_append(module, first, (size_t)(at - first))) {
            return false;
        }
        if (at < module->end && *at == quote) {
            module->at++;
            return text_make_scratch(module, start, text);
        }
        if (module->end - at < 2 || *at != '\\') {
            return refuse(module, "a text does not end");
        }
        module->at++;
        if (!escape_read(module)) {
            return false;
        }
    }
}

/// Reads a text in long brackets. All ends of lines are the same in there, and one at the start
/// does not count.
static bool bracketed_read(struct module *module, json_t **text)
{
    const char *const start = module->at;
    const char *at;
    const char *body_end;
    const char *const after = bracket_find(start, module->end, &at, &body_end);
    if (!body_end) {
        return refuse(module, "a text does not end");
    }
    module->at = after;
    module->scratch_used = 0;
    at += line_end(at, body_end);
    while (at < body_end) {
        const char *const first = at;
        while (at < body_end && *at != '\n' && *at != '\r') {
            at++;
        }
        const size_t end_bytes = line_end(at, body_end);
        if (!scratch_append(module, first, (size_t)(at - first)) ||
            !scratch_append(module, "\n", end_bytes > 0)) {
            return false;
        }
        at += end_bytes;
    }
    return text_make_scratch(module, start, text);
}

/// Returns whether a text begins there.
static bool text_begins(const struct module *module)
{
    const char *const at = module->at;
    const char *body;
    const char *body_end;
    return *at == '"' || *at == '\'' ||
           (*at == '[' && bracket_find(at, module->end, &body, &body_end));
}

static bool text_read(struct module *module, json_t **text)
{
    return *module->at == '[' ? bracketed_read(module, text) : quoted_read(module, text);
}

/// Makes the path of a module's name in the scratch: "a.b" is "a/b.lua". A name with an empty part
/// is none of a module, and keeps its dots.
static bool path_make(struct module *module)
{
    char *const name = module->scratch;
    const size_t length = module->scratch_used;
    bool is_module = name[0] != '.' && name[length - 1] != '.';
    for (size_t i = 1; i < length; i++) {
        is_module = is_module && !(name[i] == '.' && name[i - 1] == '.');
    }
    for (size_t i = 0; i < length && is_module; i++) {
        name[i] = name[i] == '.' ? '/' : name[i];
    }
    return scratch_append(module, ".lua", 4);
}

/// Reads `require("a.b")` from behind the word on, with or without parentheses: the text "a/b.lua".
static bool require_read(struct module *module, json_t **path)
{
    static const char wanted[] = "require must be given the name of a module";
    const bool has_parenthesis = module_accept(module, '(');
    json_t *name;
    module_next(module);
    const char *const start = module->at;
    if (start == module->end || !text_begins(module)) {
        return refuse(module, wanted);
    }
    if (!text_read(module, &name)) {
        return false;
    }
    const size_t length = json_string_length(name); // which is still in the scratch
    json_decref(name);
    if (length == 0 || length > NAME_BYTES) {
        return refuse_at(module, start, wanted);
    }
    if (has_parenthesis && !module_accept(module, ')')) {
        return refuse_next(module);
    }
    return path_make(module) && text_make_scratch(module, start, path);
}

// -- Numbers

/// Returns of how many letters a number is, of those that it may have.
static size_t number_length(const struct module *module)
{
    const char *at = module->at;
    const bool is_hex = module->end - at >= 2 && *at == '0' && (at[1] | 0x20) == 'x';
    for (; at < module->end; at++) {
        const char before = (char)(at > module->at ? at[-1] | 0x20 : 0);
        const bool is_sign = (*at == '+' || *at == '-') && before == (is_hex ? 'p' : 'e');
        if (!is_word_start(*at) && !is_digit(*at) && *at != '.' && !is_sign) {
            break;
        }
    }
    return (size_t)(at - module->at);
}

/// Reads an integer. Hexadecimal ones wrap around, decimal ones beyond 64 bits are none.
static bool integer_parse(const char *text, uint64_t *integer)
{
    const bool is_hex = text[0] == '0' && (text[1] | 0x20) == 'x';
    const char *const first = text + (is_hex ? 2 : 0);
    const char *at = first;
    *integer = 0;
    for (; is_hex ? digit_of(*at) >= 0 : is_digit(*at); at++) {
        const uint64_t digit = (uint64_t)digit_of(*at);
        if (!is_hex && *integer > (INT64_MAX - digit) / 10) {
            return false;
        }
        *integer = *integer * (is_hex ? 16 : 10) + digit;
    }
    return at > first && *at == '\0';
}

static bool number_read(struct module *module, bool is_negative, json_t **number)
{
    char text[NUMBER_BYTES + 1];
    char *end;
    uint64_t integer;
    const size_t length = number_length(module);
    if (length > NUMBER_BYTES) {
        return refuse(module, "a number has more than 200 letters");
    }
    memcpy(text, module->at, length);
    text[length] = '\0';
    if (!module_take(module, VALUE_BYTES)) {
        return false;
    }
    if (integer_parse(text, &integer)) {
        *number = json_integer((json_int_t)(is_negative ? 0 - integer : integer));
    } else {
        const double real = strtod(text, &end);
        if (end == text || *end != '\0') {
            return refuse(module, "a number is not well-formed");
        }
        if (!isfinite(real)) {
            return refuse(module, "a number is not finite");
        }
        *number = json_real(is_negative ? -real : real);
    }
    module->at += length;
    return *number || refuse_whole(module, no_memory);
}

// -- Tables

static bool value_read(struct module *module, int depth, json_t **value);

static void table_free(struct table *table)
{
    for (size_t i = 0; i < table->entry_count; i++) {
        json_decref(table->entries[i].value);
    }
    free(table->entries);
    json_decref(table->object);
    json_decref(table->array);
}

/// Adds an item without a key.
/// @param value that of the table now; null for nil
static bool item_add(struct module *module, struct table *table, json_t *value)
{
    if (!module_take(module, ITEM_BYTES + (table->array ? 0 : ARRAY_BYTES))) {
        json_decref(value);
        return false;
    }
    if (!value) {
        table->nil_count++;
        return true;
    }
    if (table->nil_count > 0) {
        json_decref(value);
        return refuse_at(module, table->start, no_shape);
    }
    table->array = table->array ? table->array : json_array();
    return json_array_append_new(table->array, value) == 0 || refuse_whole(module, no_memory);
}

/// Adds a value of a name. What is nil takes the name away.
static bool member_add(struct module *module, struct table *table, const json_t *name,
                       json_t *value)
{
    const char *const key = json_string_value(name);
    if (!module_take(module, MEMBER_BYTES + json_string_length(name) +
                                 (table->object ? 0 : OBJECT_BYTES))) {
        json_decref(value);
        return false;
    }
    if (!value) {
        json_object_del(table->object, key);
        return true;
    }
    table->object = table->object ? table->object : json_object();
    return json_object_set_new(table->object, key, value) == 0 || refuse_whole(module, no_memory);
}

/// Makes room for one entry more.
static bool entries_grow(struct module *module, struct table *table)
{
    const size_t count = table->entry_count;
    if ((count & (count - 1)) != 0) { // there is room for a power of two
        return true;
    }
    const size_t grown = count > 0 ? 2 * count : 1;
    if (!module_take(module, grown * sizeof(struct entry))) {
        return false;
    }
    struct entry *const moved = realloc(table->entries, grown * sizeof *moved);
    table->entries = moved ? moved : table->entries;
    return moved || refuse_whole(module, no_memory);
}

/// Adds an item whose place is given.
static bool entry_add(struct module *module, struct table *table, const json_t *key, json_t *value)
{
    const double index = json_number_value(key);
    if (!(index >= 1 && index <= INT32_MAX && index == floor(index))) {
        json_decref(value);
        return !value || refuse_at(module, table->start, no_shape); // nil is nowhere
    }
    if (!entries_grow(module, table)) {
        json_decref(value);
        return false;
    }
    table->entries[table->entry_count] =
        (struct entry){.index = (size_t)index, .order = table->entry_count, .value = value};
    table->entry_count++;
    return true;
}

/// Reads `[KEY] = VALUE` from behind the bracket on.
static bool keyed_field_read(struct module *module, struct table *table, int depth)
{
    json_t *key = NULL;
    json_t *value;
    bool ok = value_read(module, depth, &key) &&
              ((module_accept(module, ']') && module_accept(module, '=')) || refuse_next(module)) &&
              value_read(module, depth, &value);
    if (ok && json_is_string(key)) {
        ok = member_add(module, table, key, value);
    } else if (ok && json_is_number(key)) {
        ok = entry_add(module, table, key, value);
    } else if (ok && (value || !key)) {
        json_decref(value);
        ok = refuse_at(module, table->start, no_shape);
    }
    json_decref(key);
    return ok;
}

/// Returns whether a word is one of the language, which is no name.
static bool is_reserved(const char *word, size_t length)
{
    static const char *const words[] = {
        "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
        "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
        "repeat",   "return", "then", "true", "until",  "while",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/// Reads `NAME = VALUE` from the value on.
static bool named_field_read(struct module *module, struct table *table, const char *name,
                             size_t length, int depth)
{
    json_t *key;
    json_t *value;
    if (!text_make(module, name, name, length, &key)) {
        return false;
    }
    const bool ok = value_read(module, depth, &value) && member_add(module, table, key, value);
    json_decref(key);
    return ok;
}

static bool field_read(struct module *module, struct table *table, int depth)
{
    json_t *value;
    if (module_next(module) == '[' && !text_begins(module)) {
        module->at++;
        return keyed_field_read(module, table, depth);
    }
    const char *const word = module->at;
    const size_t length = module_word(module);
    if (length > 0 && !is_reserved(word, length)) {
        module->at += length;
        if (module_accept(module, '=')) {
            return named_field_read(module, table, word, length, depth);
        }
        module->at = word;
    }
    return value_read(module, depth, &value) && item_add(module, table, value);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *const x = a;
    const struct entry *const y = b;
    const int order = (x->index > y->index) - (x->index < y->index);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/// Puts the items whose places are given behind the others, which win over them.
static bool entries_append(struct module *module, struct table *table)
{
    const size_t first = json_array_size(table->array) + table->nil_count + 1;
    struct entry *const entries = table->entries;
    const size_t count = table->entry_count;
    if (count == 0) {
        return true;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        json_t *const value = entries[i].value;
        const bool is_last = i + 1 == count || entries[i + 1].index != entries[i].index;
        if (!value || !is_last || entries[i].index < first) {
            continue;
        }
        if (entries[i].index != json_array_size(table->array) + 1) {
            return refuse_at(module, table->start, no_shape);
        }
        entries[i].value = NULL;
        if (!item_add(module, table, value)) {
            return false;
        }
    }
    return true;
}

/// Gives what a table is.
static bool table_finish(struct module *module, struct table *table, json_t **value)
{
    if (!entries_append(module, table)) {
        return false;
    }
    const bool has_names = json_object_size(table->object) > 0;
    if (has_names && json_array_size(table->array) > 0) {
        return refuse_at(module, table->start, no_shape);
    }
    if (has_names) {
        *value = json_incref(table->object);
        return true;
    }
    if (!table->array && !module_take(module, ARRAY_BYTES)) {
        return false;
    }
    *value = table->array ? json_incref(table->array) : json_array();
    return *value || refuse_whole(module, no_memory);
}

static bool table_is_open(const struct module *module, const struct table *table)
{
    return module->at < module->end || refuse_at(module, table->start, "a table does not end");
}

/// Goes over what parts two fields.
static bool field_end(struct module *module)
{
    return module_accept(module, ',') || module_accept(module, ';') || module->at == module->end ||
           *module->at == '}' || refuse_next(module);
}

static bool table_read(struct module *module, int depth, json_t **value)
{
    struct table table = {.start = module->at};
    bool ok = module_take(module, VALUE_BYTES);
    module->at++;
    while (ok && !module_accept(module, '}')) {
        ok = table_is_open(module, &table) && field_read(module, &table, depth + 1) &&
             field_end(module);
    }
    ok = ok && table_finish(module, &table, value);
    table_free(&table);
    return ok;
}

// -- Values

static bool number_begins(const struct module *module)
{
    const char *const at = module->at;
    return at < module->end &&
           (is_digit(*at) || (*at == '.' && module->end - at >= 2 && is_digit(at[1])));
}

static bool parenthesis_read(struct module *module, int depth, json_t **value)
{
    json_t *inner;
    module->at++;
    if (!value_read(module, depth + 1, &inner)) {
        return false;
    }
    if (!module_accept(module, ')')) {
        json_decref(inner);
        return refuse_next(module);
    }
    *value = inner;
    return true;
}

/// Reads a number in parentheses behind minus signs.
static bool negative_parenthesis_read(struct module *module, bool is_negative, int depth,
                                      json_t **value)
{
    const char *const start = module->at;
    json_t *number;
    if (!parenthesis_read(module, depth, &number)) {
        return false;
    }
    if (!json_is_number(number)) {
        json_decref(number);
        return refuse_at(module, start, "'-' is in front of what is no number");
    }
    if (is_negative && json_is_integer(number)) {
        json_integer_set(number, (json_int_t)(0 - (uint64_t)json_integer_value(number)));
    } else if (is_negative) {
        json_real_set(number, -json_real_value(number));
    }
    *value = number;
    return true;
}

/// Reads a number, or refuses what else there is, behind minus signs.
static bool negative_read(struct module *module, int depth, json_t **value)
{
    bool is_negative = false;
    while (module_accept(module, '-')) {
        is_negative = !is_negative;
    }
    if (module_next(module) == '(') {
        return negative_parenthesis_read(module, is_negative, depth, value);
    }
    return number_begins(module) ? number_read(module, is_negative, value) : refuse_next(module);
}

static bool word_read(struct module *module, json_t **value)
{
    if (module_accept_word(module, "require")) {
        return require_read(module, value);
    }
    if (module_accept_word(module, "nil")) {
        *value = NULL;
        return true;
    }
    const bool is_true = module_accept_word(module, "true");
    if (!is_true && !module_accept_word(module, "false")) {
        return refuse_next(module);
    }
    *value = json_boolean(is_true);
    return true;
}

/// Reads a value.
/// @param value [out] on success: null for nil
static bool value_read(struct module *module, int depth, json_t **value)
{
    const char letter = module_next(module);
    if (module->at == module->end) {
        return refuse_next(module);
    }
    if (depth > MAX_DEPTH) {
        return refuse(module, "tables and parentheses are more than 64 levels deep");
    }
    if (letter == '{') {
        return table_read(module, depth, value);
    }
    if (letter == '(') {
        return parenthesis_read(module, depth, value);
    }
    if (letter == '-' || number_begins(module)) {
        return negative_read(module, depth, value);
    }
    return text_begins(module) ? text_read(module, value) : word_read(module, value);
}

// -- Modules

/// Skips what a module may begin with: a mark of UTF-8, a line for the shell, blanks, comments and
/// semicolons.
/// @param is_open [out] set where a comment does not end
static const char *head_skip(const char *at, const char *end, bool *is_open)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (end - at >= 3 && memcmp(at, mark, 3) == 0) {
        at += 3;
    }
    if (at < end && *at == '#') {
        while (at < end && line_end(at, end) == 0) {
            at++;
        }
    }
    at = blank_skip(at, end, is_open);
    while (at < end && *at == ';') {
        at = blank_skip(at + 1, end, is_open);
    }
    return at;
}

static bool module_read(struct module *module, json_t **value)
{
    module->at = head_skip(module->at, module->end, &module->is_open);
    if (!module_accept_word(module, "return")) {
        return refuse(module, "the text does not begin with \"return\"");
    }
    if (module_next(module) == '\0' && module->at == module->end) {
        return refuse_whole(module, no_table);
    }
    if (!value_read(module, 0, value)) {
        return false;
    }
    if (!json_is_array(*value) && !json_is_object(*value)) {
        return refuse_whole(module, no_table);
    }
    module_accept(module, ';');
    module_next(module);
    if (module->is_open) {
        return refuse(module, "a comment does not end");
    }
    return module->at == module->end || refuse_next(module);
}

bool lua_table_parse(const void *text, size_t size_bytes, struct report *report,
                     struct json_value *root)
{
    struct module module = {
        .report = report,
        .text = text,
        .at = text,
        .end = (const char *)text + size_bytes,
        .left_bytes = MEMORY_BYTES,
    };
    json_t *value = NULL;
    *root = (struct json_value){.report = report};
    const bool ok = module_take(&module, size_bytes) && module_read(&module, &value);
    free(module.scratch);
    root->value = value;
    if (!ok) {
        json_release(root);
    }
    return ok;
}

bool lua_table_is_module(const void *text, size_t size_bytes)
{
    static const char word[] = "return";
    const size_t word_bytes = sizeof word - 1;
    const char *const end = (const char *)text + size_bytes;
    bool is_open;
    const char *const at = head_skip(text, end, &is_open);
    if ((size_t)(end - at) <= word_bytes || memcmp(at, word, word_bytes) != 0) {
        return false;
    }
    const unsigned char next = (unsigned char)at[word_bytes];
    return next != '\0' && strchr("{(\"'[- \t\r\n\v\f", next) != NULL;
}
