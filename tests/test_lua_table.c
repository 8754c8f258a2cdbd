// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lua modules as data: what they give, what is refused, and that nothing takes long.
#define _DEFAULT_SOURCE // for MAP_ANONYMOUS
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "buffer.h"
#include "lua_table.h"
#include "sanitized.h"

/// Parses a copy of exactly this size, so that a read past the end is found.
static bool parse_bytes(const void *bytes, size_t size_bytes, struct json_value *root,
                        struct report *report)
{
    void *const copy = malloc(size_bytes > 0 ? size_bytes : 1);
    memcpy(copy, bytes, size_bytes);
    *report = (struct report){.file = "test.lua"};
    const bool ok = lua_table_parse(copy, size_bytes, report, root);
    free(copy);
    return ok;
}

/// Asks for a copy of exactly this size, at the end of a page behind which nothing can be read.
static bool is_module(const void *bytes, size_t size_bytes)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages =
        mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && size_bytes <= page_bytes);
    assert_int_equal(mprotect(pages + page_bytes, page_bytes, PROT_NONE), 0);
    char *const copy = pages + page_bytes - size_bytes;
    memcpy(copy, bytes, size_bytes);
    const bool is = lua_table_is_module(copy, size_bytes);
    munmap(pages, 2 * page_bytes);
    return is;
}

static void assert_gives(const char *text, const char *json)
{
    struct json_value root;
    struct report report;
    struct arena arena = {0};
    if (!parse_bytes(text, strlen(text), &root, &report)) {
        fail_msg("%s", report.first_error);
    }
    assert_string_equal(json_compact(&root, &arena), json);
    json_release(&root);
    arena_free(&arena);
}

static void assert_bytes_refused(const void *bytes, size_t size_bytes, const char *line)
{
    struct json_value root;
    struct report report;
    if (parse_bytes(bytes, size_bytes, &root, &report)) {
        json_release(&root);
        fail_msg("parsed, but expected: %s", line);
    }
    char expected[512];
    snprintf(expected, sizeof expected, "test.lua: error: %s [panthera.lua]", line);
    assert_string_equal(report.first_error, expected);
    assert_int_equal(report.error_count, 1);
    assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    assert_null(root.value);
}

static void assert_refused(const char *text, const char *line)
{
    assert_bytes_refused(text, strlen(text), line);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Begins anew with the most memory that the process has had, where that can be done.
static void peak_reset(void)
{
    FILE *const file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static long peak_kibibytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// Asserts that reading a module takes little time and at most 64 MiB, whatever comes of it.
/// @return what was said; null where it was read
static const char *assert_bounded(const void *bytes, size_t size_bytes)
{
    static struct report report;
    struct json_value root;
    const double start_s = seconds();
    peak_reset();
    const long start_kibibytes = peak_kibibytes();
    const bool ok = parse_bytes(bytes, size_bytes, &root, &report);
    if (ok) {
        json_release(&root);
    } else {
        assert_int_equal(report.error_count, 1);
        assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    }
    if (!IS_SANITIZED) {
        assert_true(seconds() - start_s < 0.5);
        assert_true(peak_kibibytes() - start_kibibytes < 68 << 10); // and the copy of the text
    }
    return ok ? NULL : report.first_error;
}

/// Asserts that a module is bounded: a head, the same again and again, a tail.
/// @param reason part of what is said; null where it is read
static void assert_repeated(const char *head, const char *again, const char *tail,
                            size_t size_bytes, const char *reason)
{
    struct buffer text = {0};
    buffer_append(&text, head, strlen(head));
    while (text.size < size_bytes) {
        buffer_append(&text, again, strlen(again));
    }
    buffer_append(&text, tail, strlen(tail));
    const char *const said = assert_bounded(text.bytes, text.size);
    if (!said != !reason || (said && !strstr(said, reason))) {
        fail_msg("%s%s... \"%s\", but expected \"%s\"", head, again, said ? said : "",
                 reason ? reason : "");
    }
    buffer_free(&text);
}

/// Asserts that what is in a table, in line 2, is refused.
static void assert_code_refused(const char *code, const char *line)
{
    char text[1024];
    snprintf(text, sizeof text, "return {\n%s\n}", code);
    assert_refused(text, line);
}

// -- Data

static void test_lua_table_values_are_those_of_json(void **state)
{
    (void)state;
    assert_gives("return { name = \"a\", on = true, off = false, whole = 3, part = 0.5, }",
                 "{\"name\":\"a\",\"on\":true,\"off\":false,\"whole\":3,\"part\":0.5}");
    assert_gives("-- a comment\n--[==[ and ]] one ]==]\nreturn { 1; -2, - -3e2 };", "[1,-2,300.0]");
    assert_gives("return{{},{{}},(\"x\")}--", "[[],[[]],\"x\"]");
    assert_gives("return { a--[[b]]=--\n1, _b2 = {goto_x=1; End = 2} }",
                 "{\"a\":1,\"_b2\":{\"goto_x\":1,\"End\":2}}");
}

static void test_lua_table_texts_are_those_of_lua(void **state)
{
    (void)state;
    assert_gives("return { '', \"\", [[]], [==[]==], [=[]]]=] }", "[\"\",\"\",\"\",\"\",\"]]\"]");
    assert_gives("return { [\"a b\"] = [[c\nd]], ['\\u{e9}\\u{20AC}\\u{1F600}z'] = 0x10 }",
                 "{\"a b\":\"c\\nd\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\":16}");
    assert_gives("return { '\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\'', \"'\\\"\", '\"' }",
                 "[\"\\u0007\\b\\f\\n\\r\\t\\u000B\\\\\\\"'\",\"'\\\"\",\"\\\"\"]");
    assert_gives("return { '\\65\\0663\\x41\\x6a\\x6A\\u{0000041}' }", "[\"AB3AjjA\"]");
    assert_gives("return { 'a\\\nb\\\r\nc\\z  \n\t d' }", "[\"a\\nb\\ncd\"]");
    assert_gives("return { [[\nx]], [[\r\n\r\nx\ry\n\rz]], [=[ ]] ]=], [[\n]], [[--]] }",
                 "[\"x\",\"\\nx\\ny\\nz\",\" ]] \",\"\",\"--\"]");
    assert_refused("return { '\\q' }", "line 1: a text has an unknown letter after \\");
    assert_refused("return {\n'\\256' }", "line 2: a number after \\ is beyond 255");
    assert_refused("return { '\\xg1' }", "line 1: \\x has no two hexadecimal digits");
    assert_refused("return { '\\u41' }", "line 1: '{' is missing after \\u");
    assert_refused("return { '\\u{}' }", "line 1: \\u has no hexadecimal number in braces");
    assert_refused("return { '\\u{110000}' }", "line 1: \\u is beyond 10FFFF");
    assert_refused("return { '\\u{d800}' }", "line 1: a text is not valid UTF-8");
    assert_refused("return {\n'a\n' }", "line 2: a text does not end");
    assert_refused("return { 'a", "line 1: a text does not end");
    assert_refused("return { 'a\\", "line 1: a text does not end");
    assert_refused("return {\n\n[=[a]]", "line 3: a text does not end");
}

static void test_lua_table_numbers_are_those_of_lua(void **state)
{
    static const char *const bad[] = {"1x",  "1..2", "0x",  "0xg",  "1e",
                                      "1e+", "0x1p", "1_0", "3.4.5"};
    (void)state;
    assert_gives("return { 0, -0, 007, .5, 3., 1e2, 1E-2, 2e+1, -1.5 }",
                 "[0,0,7,0.5,3.0,100.0,0.01,20.0,-1.5]");
    assert_gives("return { 0xA, 0Xff, 0x.8, 0x1p4, 0xA.8P-1, -0x10, 0xffffffffffffffff }",
                 "[10,255,0.5,16.0,5.25,-16,-1]");
    assert_gives("return { 9223372036854775807, -9223372036854775807 }",
                 "[9223372036854775807,-9223372036854775807]");
    assert_gives("return { 9223372036854775808, 1e308 }", "[9.2233720368547758e18,1e308]");
    assert_gives("return { -(1), - -(2), -(-(3.5)), -((4)), -(0x8000000000000000) }",
                 "[-1,2,3.5,-4,-9223372036854775808]");
    assert_refused("return {\n-(nil) }", "line 2: '-' is in front of what is no number");
    assert_refused("return {\n-('1') }", "line 2: '-' is in front of what is no number");
    assert_refused("return {\n-({}) }", "line 2: '-' is in front of what is no number");
    assert_refused("return { -(1 }", "line 1: unexpected '}'");
    assert_refused("return { 1e999 }", "line 1: a number is not finite");
    assert_refused("return {\n-1e999 }", "line 2: a number is not finite");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[32];
        snprintf(text, sizeof text, "return { %s }", bad[i]);
        assert_refused(text, "line 1: a number is not well-formed");
    }
}

static void test_lua_table_what_is_nil_is_not_there(void **state)
{
    (void)state;
    assert_gives("return { a = nil, b = 1 }", "{\"b\":1}");
    assert_gives("return { a = nil }", "[]");
    assert_gives("return { a = 1, a = nil, 5 }", "[5]");
    assert_gives("return { 1, nil, nil }", "[1]");
    assert_gives("return { [0] = nil, 1 }", "[1]");
    assert_gives(
        "return { [1.5] = nil, [-1] = nil, [1e300] = nil, [true] = nil, [{}] = nil, a = 1 }",
        "{\"a\":1}");
    assert_gives("return { nil, [1] = 'x' }", "[]"); // whose place nil has
    assert_gives("return { nil, nil, [1] = 'x', [2] = 'y' }", "[]");
    assert_refused("return { nil, [2] = 'x' }",
                   "line 1: a table is neither a list without gaps nor a table of names");
    assert_refused("return { 1, nil, 3 }",
                   "line 1: a table is neither a list without gaps nor a table of names");
}

static void test_lua_table_places_of_items_can_be_given(void **state)
{
    (void)state;
    assert_gives("return { [2] = 'b', [1] = 'a', [3.0] = 'c' }", "[\"a\",\"b\",\"c\"]");
    assert_gives("return { [1] = 'a', [1] = 'b', ['x'] = nil }", "[\"b\"]");
    assert_gives("return { [1] = 'a', 'b', [2] = 'c' }", "[\"b\",\"c\"]");
    assert_gives("return { [1] = 'a', [2] = 'b', [2] = nil }", "[\"a\"]");
    assert_gives("return { ['1'] = 'a', [ [[k]] ] = 'b' }", "{\"1\":\"a\",\"k\":\"b\"}");
}

static void test_lua_table_of_one_name_the_last_one_counts(void **state)
{
    (void)state;
    assert_gives("return { a = 1, b = 2, a = 3 }", "{\"a\":3,\"b\":2}");
}

static void test_lua_table_names_come_in_the_order_of_the_text(void **state)
{
    (void)state;
    assert_gives("return { b = 1, a = 2, ab = 3, B = 4, [\"\"] = 5 }",
                 "{\"b\":1,\"a\":2,\"ab\":3,\"B\":4,\"\":5}");
}

static void test_lua_table_long_list_keeps_its_order(void **state)
{
    (void)state;
    struct buffer text = {0};
    buffer_append(&text, "return {", 8);
    for (int i = 0; i < 5000; i++) {
        char item[16];
        buffer_append(&text, item, (size_t)snprintf(item, sizeof item, "%d,", i));
    }
    buffer_append(&text, "}", 1);
    struct json_value root;
    struct report report;
    assert_true(parse_bytes(text.bytes, text.size, &root, &report));
    uint32_t count;
    assert_true(json_as_array(&root, &count));
    assert_int_equal(count, 5000);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&root, i);
        double number;
        assert_true(json_as_number(&item, &number));
        assert_int_equal(number, i);
    }
    json_release(&root);
    buffer_free(&text);
}

static void test_lua_table_require_gives_the_path_of_a_module(void **state)
{
    (void)state;
    assert_gives(
        "return { a = require(\"x.y.z_panthera\"), b = require 'one', c = require[[a.b]] }",
        "{\"a\":\"x/y/z_panthera.lua\",\"b\":\"one.lua\",\"c\":\"a/b.lua\"}");
    assert_refused("return {\n require(1) }", "line 2: require must be given the name of a module");
    assert_refused("return { require() }", "line 1: require must be given the name of a module");
    assert_refused("return { require('') }", "line 1: require must be given the name of a module");
    assert_refused("return { require }", "line 1: require must be given the name of a module");
    assert_refused("return { require", "line 1: require must be given the name of a module");
    assert_gives("return { require('../x'), require('a..b'), require('.a'), require('a.b.'), "
                 "require('a/b.c') }",
                 "[\"../x.lua\",\"a..b.lua\",\".a.lua\",\"a.b..lua\",\"a/b/c.lua\"]");
    assert_refused("return { require('a\\0b') }", "line 1: a text has a zero byte in it");
    assert_refused("return { require('a'", "line 1: the module ends too early");
    assert_refused("return { require('a', 'b') }", "line 1: unexpected ','");
}

static void test_lua_table_what_is_no_data_is_refused_with_its_place(void **state)
{
    static const char shape[] = "line 2: a table is neither a list without gaps nor a table of "
                                "names";
    (void)state;
    assert_refused("return {\n{ 1, x = 2 } }", shape);
    assert_refused("return {\n{ x = 2, [1] = 3 } }", shape);
    assert_refused("return {\n{ [2] = 1 } }", shape);
    assert_refused("return {\n{ [0] = 1 } }", shape);
    assert_refused("return {\n{ [-1] = 1 } }", shape);
    assert_refused("return {\n{ [0] = 1, [2] = 1 } }", shape);
    assert_refused("return {\n{ [1] = 1, [3] = 1 } }", shape);
    assert_refused("return {\n{ 1, [3] = 1 } }", shape);
    assert_refused("return {\n{ [0.5] = 1 } }", shape);
    assert_refused("return {\n{ [1e300] = 1 } }", shape);
    assert_refused("return {\n{ [true] = 1 } }", shape);
    assert_refused("return {\n{ [nil] = 1 } }", shape);
    assert_refused("return {\n{ [nil] = nil } }", shape);
    assert_refused("return {\n{ [{}] = 1 } }", shape);
    assert_refused("return {\n\n a = '\\xff' }", "line 3: a text is not valid UTF-8");
    assert_refused("return { a = 'x\\0y' }", "line 1: a text has a zero byte in it");
    assert_refused("return { a =\n'\\0' }", "line 2: a text has a zero byte in it");
    assert_refused("return { ['\\xff'] = 1 }", "line 1: a text is not valid UTF-8");
    assert_refused("return 1", "must return a table");
    assert_refused("return nil", "must return a table");
    assert_refused("return", "must return a table");
    assert_refused("", "line 1: the text does not begin with \"return\"");
    assert_refused("local t = {} return t", "line 1: the text does not begin with \"return\"");
    assert_refused("returns {}", "line 1: the text does not begin with \"return\"");
}

static void test_lua_table_errors_have_a_line(void **state)
{
    (void)state;
    assert_refused("return {\n a = 1,\n b = = 2 }", "line 3: unexpected '='");
    assert_refused("return {\r\n a = 1,\r b = \x7f }", "line 3: unexpected byte 127");
    assert_refused("return { a = ", "line 1: the module ends too early");
    assert_refused("return {\n{\n a = 1", "line 2: a table does not end");
    assert_refused("return {\n1,", "line 1: a table does not end");
    assert_refused("return {", "line 1: a table does not end");
    assert_refused("return { --[[ }", "line 1: a table does not end");
    assert_refused("return {}\n--[[ ]=]", "line 2: a comment does not end");
    assert_refused("return { ('a' }", "line 1: unexpected '}'");
    assert_refused("return ({} {", "line 1: unexpected '{'");
    assert_refused("return { [({} {", "line 1: unexpected '{'");
    assert_refused("return { 1 2 }", "line 1: unexpected '2'");
    assert_refused("return { , }", "line 1: unexpected ','");
    assert_refused("return { -'1' }", "line 1: unexpected '''");
    assert_refused("return { [1 = 2 }", "line 1: unexpected '='");
    assert_refused("return { [1] 2 }", "line 1: unexpected '2'");
    assert_refused("return {\n\n a = b.c }", "line 3: \"b\" is no data");
    assert_refused("return {}\nreturn {}", "line 2: \"return\" is no data");
    assert_refused("return {};;", "line 1: unexpected ';'");
}

static void test_lua_table_modules_are_told_by_their_first_word(void **state)
{
    static const char *const modules[] = {
        "return {}",
        "return{}",
        " \t\r\n\vreturn\n{}",
        "-- a\nreturn {}",
        "--\nreturn {}",
        "--[[ return ]]return {}",
        "--[==[ ]] ]=] ]==] -- x\r\nreturn {}",
        "--[=\nreturn {}",
        "--[a]]\nreturn {}",
        "return (function() end)()",
        "return --[[x]] {}",
        "\xEF\xBB\xBFreturn {}",
        "#!/usr/bin/lua\nreturn {}",
        "\xEF\xBB\xBF# x\r\n-- y\n return {}",
        ";return {}",
        " ; -- x\n;; return {}",
    };
    static const char *const others[] = {
        "",
        " ",
        "-",
        "--",
        "--[[",
        "--[[ return {}",
        "--[==[ ]=] return {}",
        "-- return {}",
        "retur",
        "return",
        "returned {}",
        "{\"return\": 1}",
        "local a = 1 return a",
        "- return {}",
        "\033Lua",
        "glTF",
        "return_1 {}",
        "\xEF\xBB",
        "\xEF\xBB\xBF",
        "\xEF\xBB return {}",
        "\xEF\xBB\xBF\xEF\xBB\xBFreturn {}",
        "#",
        "# return {}",
        "\n# x\nreturn {}",
        ";",
        ", return {}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        assert_true(is_module(modules[i], strlen(modules[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(is_module(others[i], strlen(others[i])));
    }
}

// -- Hostile modules

/// What could be run is not read.
static void test_lua_table_code_is_refused(void **state)
{
    (void)state;
    assert_code_refused("(function() while true do end end)()", "line 2: \"function\" is no data");
    assert_code_refused("function() end", "line 2: \"function\" is no data");
    assert_code_refused("('x'):rep(1 << 30)", "line 2: unexpected ':'");
    assert_code_refused("a = string.rep('x', 1 << 30)", "line 2: \"string\" is no data");
    assert_code_refused("'x' .. 'x'", "line 2: unexpected '.'");
    assert_code_refused("1 + 1", "line 2: unexpected '+'");
    assert_code_refused("2 ^ 99", "line 2: unexpected '^'");
    assert_code_refused("#'x'", "line 2: unexpected '#'");
    assert_code_refused("1 and 2", "line 2: \"and\" is no data");
    assert_code_refused("not 1", "line 2: \"not\" is no data");
    assert_code_refused("...", "line 2: unexpected '.'");
    assert_code_refused("os.execute('true')", "line 2: \"os\" is no data");
    assert_code_refused("io.open('/etc/passwd')", "line 2: \"io\" is no data");
    assert_code_refused("load('return {}')()", "line 2: \"load\" is no data");
    assert_code_refused("coroutine.wrap(1)", "line 2: \"coroutine\" is no data");
    assert_code_refused("setmetatable({}, {})", "line 2: \"setmetatable\" is no data");
    assert_code_refused("_G", "line 2: \"_G\" is no data");
    assert_code_refused("require.x", "line 2: require must be given the name of a module");
    assert_code_refused("require('x').y", "line 2: unexpected '.'");
    assert_code_refused("require('x')()", "line 2: unexpected '('");
    assert_code_refused("goto a ::a::", "line 2: \"goto\" is no data");
    assert_code_refused("::a::", "line 2: unexpected ':'");
    assert_refused("return {} ::a:: goto a", "line 1: unexpected ':'");
    assert_refused("return {}, {}", "line 1: unexpected ','");
    assert_refused("return {}\nwhile true do end", "line 2: \"while\" is no data");
}

/// But within texts and comments, and as part of other words.
static void test_lua_table_words_of_the_language_are_no_names(void **state)
{
    static const char *const words[] = {
        "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
        "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
        "repeat",   "return", "then", "true", "until",  "while",
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[128];
        char expected[128];
        const char *const word = words[i];
        const bool is_value =
            strcmp(word, "nil") == 0 || strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
        snprintf(text, sizeof text, "return { %s = 1 }", word);
        snprintf(expected, sizeof expected, "line 1: \"%s\" is no data", word);
        assert_refused(text, is_value ? "line 1: unexpected '='" : expected);
        snprintf(text, sizeof text, "return { %s_x = '%s', [ [[%s]] ] = 1 --[[%s]]\n}", word, word,
                 word, word);
        snprintf(expected, sizeof expected, "{\"%s_x\":\"%s\",\"%s\":1}", word, word, word);
        assert_gives(text, expected);
    }
}

static void test_lua_table_deep_nesting_is_refused(void **state)
{
    static const char deep[] = "tables and parentheses are more than 64 levels deep";
    (void)state;
    assert_repeated("return ", "{", "", 1 << 20, deep);
    assert_repeated("return {", "(", "", 1 << 20, deep);
    assert_repeated("return ", "{[", "", 1 << 20, deep);
    assert_repeated("return {", "a={", "", 1 << 20, deep);
    assert_repeated("return {", "-(", "", 1 << 20, deep);
    assert_repeated("return {", "- ", "1}", 1 << 20, NULL);
    for (int depth = 64; depth <= 65; depth++) {
        struct buffer text = {0};
        buffer_append(&text, "return ", 7);
        for (int i = 0; i <= 2 * depth + 1; i++) {
            buffer_append(&text, i <= depth ? "{" : "}", 1);
        }
        assert_int_equal(assert_bounded(text.bytes, text.size) == NULL, depth == 64);
        buffer_free(&text);
    }
}

/// What is short to write has its cost in memory.
static void test_lua_table_many_values_are_bounded(void **state)
{
    static const char *const fields[] = {
        "1,",         "0.5,",     "nil,",    "'',",           "{},",      "{{},{}},",
        "{{{{}}}},",  "{a=1},",   "a=1,",    "a=nil,",        "['a']=1,", "[1]=1,",
        "a=1,a=nil,", "[1]=nil,", "[1]={},", "require'a.b',",
    };
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        assert_repeated("return {", fields[i], "}", 8 << 20, "takes more than 64 MiB of memory");
    }
}

/// Everything has its share of the memory: without it, modules of the size that is refused would be
/// read.
static void test_lua_table_all_memory_is_counted(void **state)
{
    char text[1024];
    char name[1024];
    (void)state;
    snprintf(text, sizeof text, "'%0999d',", 0);
    snprintf(name, sizeof name, "a%0999d=1,", 0);
    const struct {
        const char *again;
        size_t read_bytes;
        size_t refused_bytes;
    } cases[] = {
        {text, 28 << 20, 33 << 20},         // letters
        {name, 18 << 20, 25 << 20},         // of names, too
        {"{},", 3 * 270000, 3 * 300000},    // a table as a value
        {"{1},", 4 * 190000, 4 * 230000},   // its list
        {"{a=1},", 6 * 105000, 6 * 120000}, // its names
        {"[1]=1,", 6 * 250000, 6 * 480000}, // places
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_repeated("return {", cases[i].again, "}", cases[i].read_bytes, NULL);
        assert_repeated("return {", cases[i].again, "}", cases[i].refused_bytes,
                        "takes more than 64 MiB of memory");
    }
}

static void test_lua_table_limits_are_exact(void **state)
{
    char text[5000];
    (void)state;
    struct json_value root;
    struct report report;
    for (int digits = 200; digits <= 201; digits++) {
        snprintf(text, sizeof text, "return {%0*d}", digits, 7);
        assert_int_equal(parse_bytes(text, strlen(text), &root, &report), digits == 200);
        json_release(&root);
    }
    for (int letters = 4096; letters <= 4097; letters++) {
        snprintf(text, sizeof text, "return {require'%0*d'}", letters, 7);
        assert_int_equal(parse_bytes(text, strlen(text), &root, &report), letters == 4096);
        json_release(&root);
    }
}

/// Texts and blanks of which a reader could look at the same letters again and again.
static void test_lua_table_long_stretches_are_bounded(void **state)
{
    (void)state;
    const size_t size_bytes = 8 << 20;
    assert_repeated("return ", "--\n", "{}", size_bytes, NULL);
    assert_repeated("return ", "--[[]]", "{}", size_bytes, NULL);
    assert_repeated("return --[==[", "]=", "", size_bytes, "must return a table");
    assert_repeated("return {[===[", "]==]", "", size_bytes, "a text does not end");
    assert_repeated("return {", "[=[", "", size_bytes, "a text does not end");
    assert_repeated("return {[", "=", "", size_bytes, "unexpected '='");
    assert_repeated("return {[[", "\r", "]]}", size_bytes, NULL);
    assert_repeated("return {'", "\\65", "'}", size_bytes, NULL);
    assert_repeated("return {'\\u{", "0", "41}'}", size_bytes, NULL);
    assert_repeated("return {'\\z", " ", "'}", size_bytes, NULL);
    assert_repeated("return {'\\", "\n\\", "\n'}", size_bytes, NULL);
    assert_repeated("return {", "9", "}", size_bytes, "more than 200 letters");
    assert_repeated("return {", "a", "}", size_bytes, "\"aaaaaaaaaa");
    assert_repeated("return {", "a", "=1}", size_bytes, NULL);
    assert_repeated("return {", "\n", "x}", size_bytes, "line 8388601: \"x\" is no data");
    assert_repeated("return {require'", ".", "'}", size_bytes, "require must be given");
    assert_repeated("return {'", "x", "'}", 40 << 20, "takes more than 64 MiB of memory");
}

/// Numbers and names that would share the buckets of hash tables, those of Lua among them.
static void test_lua_table_keys_that_collide_are_bounded(void **state)
{
    static const char *const forms[] = {"%lld,", "[%lld]=1,", "['%lld']=1,"};
    (void)state;
    for (size_t form = 0; form < 4; form++) {
        struct buffer text = {0};
        buffer_append(&text, "return {", 8);
        for (long long i = 1; i <= 70000; i++) {
            char item[64];
            const int length =
                form < 3 ? snprintf(item, sizeof item, forms[form], 131071 * i)
                         : snprintf(item, sizeof item, "%.17g,", 0.5 + (double)i * 0x1p-53);
            buffer_append(&text, item, (size_t)length);
        }
        buffer_append(&text, "}", 1);
        const char *const said = assert_bounded(text.bytes, text.size);
        assert_int_equal(said == NULL, form != 1); // which is no list
        buffer_free(&text);
    }
}

/// Places that are given in any order are sorted, not looked for.
static void test_lua_table_many_places_are_bounded(void **state)
{
    enum { COUNT = 200000 };
    (void)state;
    struct buffer text = {0};
    buffer_append(&text, "return {", 8);
    for (int i = COUNT; i > 0; i--) {
        char item[32];
        const int length = snprintf(item, sizeof item, "[%d]=%d,", i, i);
        buffer_append(&text, item, (size_t)length);
    }
    buffer_append(&text, "}", 1);
    assert_null(assert_bounded(text.bytes, text.size));
    struct json_value root;
    struct report report;
    uint32_t count = 0;
    double number = 0;
    assert_true(parse_bytes(text.bytes, text.size, &root, &report));
    assert_true(json_as_array(&root, &count));
    assert_int_equal(count, COUNT);
    const struct json_value item = json_item(&root, COUNT - 1);
    assert_true(json_as_number(&item, &number) && number == COUNT);
    json_release(&root);
    buffer_free(&text);
}

/// Writes a module of a list of one text.
static void append_long_text(struct buffer *text, size_t length)
{
    char *const letters = malloc(length);
    memset(letters, 'x', length);
    buffer_append(text, "return {\"", 9);
    buffer_append(text, letters, length);
    buffer_append(text, "\"}", 2);
    free(letters);
}

static void test_lua_table_long_text_is_read(void **state)
{
    (void)state;
    struct buffer text = {0};
    const size_t length = 8 << 20;
    append_long_text(&text, length);
    struct json_value root;
    struct report report;
    assert_true(parse_bytes(text.bytes, text.size, &root, &report));
    const struct json_value item = json_item(&root, 0);
    const char *value = NULL;
    assert_true(json_as_string(&item, &value));
    assert_int_equal(strlen(value), length);
    assert_int_equal(strspn(value, "x"), length);
    json_release(&root);
    buffer_free(&text);
}

/// As many keys as no project has.
static void test_lua_table_large_module_is_read(void **state)
{
    enum { COUNT = 10000 };
    (void)state;
    struct buffer text = {0};
    buffer_append(&text, "return {\n", 9);
    for (int i = 0; i < COUNT; i++) {
        char line[256];
        const int length = snprintf(line, sizeof line,
                                    "  {\n    duration = 0.25,\n    easing = \"outsine\",\n"
                                    "    key_type = \"tween\",\n    node_id = \"node_%d\",\n"
                                    "    property_id = \"position_x\",\n    start_time = %d.5,\n"
                                    "    start_value = %d\n  },\n",
                                    i % 100, i, i);
        buffer_append(&text, line, (size_t)length);
    }
    buffer_append(&text, "}", 1);
    assert_true(text.size > 1 << 20);
    struct json_value root;
    struct report report;
    uint32_t count = 0;
    assert_true(parse_bytes(text.bytes, text.size, &root, &report));
    assert_true(json_as_array(&root, &count));
    assert_int_equal(count, COUNT);
    const struct json_value last = json_item(&root, COUNT - 1);
    double time_s = 0;
    assert_true(json_get_number(&last, "start_time", true, &time_s));
    assert_true(time_s == COUNT - 0.5);
    json_release(&root);
    buffer_free(&text);
}

static void test_lua_table_bytecode_is_refused(void **state)
{
    static const char code[] = "\033LuaT\0\x19\x93\r\n\x1a\n\4\10\10xV\0\0\0\0\0\0\0";
    (void)state;
    assert_bytes_refused(code, sizeof code, "line 1: the text does not begin with \"return\"");
    assert_false(lua_table_is_module(code, sizeof code));
}

static void test_lua_table_too_large_text_is_refused(void **state)
{
    (void)state;
    const size_t size_bytes = (64 << 20) + 1;
    char *const text = malloc(size_bytes);
    memset(text, ' ', size_bytes);
    memcpy(text, "return {}", 9);
    struct json_value root;
    struct report report = {.file = "test.lua"};
    assert_false(lua_table_parse(text, size_bytes, &report, &root));
    assert_string_equal(report.first_error,
                        "test.lua: error: takes more than 64 MiB of memory [panthera.lua]");
    free(text);
}

static void test_lua_table_every_beginning_of_a_module_is_refused_or_read(void **state)
{
    static const char text[] =
        "--[[x]] return { data = { a = { 1, 2.5, \"t\", true }, p = require(\"a.b\") }, }";
    (void)state;
    for (size_t size_bytes = 0; size_bytes + 1 < sizeof text - 1; size_bytes++) {
        struct json_value root;
        struct report report;
        assert_false(parse_bytes(text, size_bytes, &root, &report));
        assert_int_equal(report.error_count, 1);
    }
    assert_gives(text, "{\"data\":{\"a\":[1,2.5,\"t\",true],\"p\":\"a/b.lua\"}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lua_table_values_are_those_of_json),
        cmocka_unit_test(test_lua_table_texts_are_those_of_lua),
        cmocka_unit_test(test_lua_table_numbers_are_those_of_lua),
        cmocka_unit_test(test_lua_table_what_is_nil_is_not_there),
        cmocka_unit_test(test_lua_table_places_of_items_can_be_given),
        cmocka_unit_test(test_lua_table_of_one_name_the_last_one_counts),
        cmocka_unit_test(test_lua_table_names_come_in_the_order_of_the_text),
        cmocka_unit_test(test_lua_table_long_list_keeps_its_order),
        cmocka_unit_test(test_lua_table_require_gives_the_path_of_a_module),
        cmocka_unit_test(test_lua_table_what_is_no_data_is_refused_with_its_place),
        cmocka_unit_test(test_lua_table_errors_have_a_line),
        cmocka_unit_test(test_lua_table_modules_are_told_by_their_first_word),
        cmocka_unit_test(test_lua_table_code_is_refused),
        cmocka_unit_test(test_lua_table_words_of_the_language_are_no_names),
        cmocka_unit_test(test_lua_table_deep_nesting_is_refused),
        cmocka_unit_test(test_lua_table_many_values_are_bounded),
        cmocka_unit_test(test_lua_table_all_memory_is_counted),
        cmocka_unit_test(test_lua_table_limits_are_exact),
        cmocka_unit_test(test_lua_table_long_stretches_are_bounded),
        cmocka_unit_test(test_lua_table_keys_that_collide_are_bounded),
        cmocka_unit_test(test_lua_table_many_places_are_bounded),
        cmocka_unit_test(test_lua_table_long_text_is_read),
        cmocka_unit_test(test_lua_table_large_module_is_read),
        cmocka_unit_test(test_lua_table_bytecode_is_refused),
        cmocka_unit_test(test_lua_table_too_large_text_is_refused),
        cmocka_unit_test(test_lua_table_every_beginning_of_a_module_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
