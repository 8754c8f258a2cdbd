// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lua modules as data: what they give, and what modules that want more than that come to.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <lauxlib.h>
#include <lua.h>

#include "buffer.h"
#include "lua_table.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

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

static long peak_kibibytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// Asserts that a module is refused within a second and 64 MiB.
/// @return what was said
static const char *assert_hostile_bytes(const void *bytes, size_t size_bytes)
{
    static struct report report;
    struct json_value root;
    const double start_s = seconds();
    const long start_kibibytes = peak_kibibytes();
    assert_false(parse_bytes(bytes, size_bytes, &root, &report));
    assert_int_equal(report.error_count, 1);
    assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
#ifndef IS_SANITIZED
    assert_true(seconds() - start_s < 1);
    assert_true(peak_kibibytes() - start_kibibytes < 68 << 10); // and the copy of the text
#else
    (void)start_s;
    (void)start_kibibytes;
#endif
    return report.first_error;
}

/// Asserts that the body of a function is refused, which the module calls.
static void assert_hostile(const char *body, const char *reason)
{
    char text[1024];
    const int length = snprintf(text, sizeof text, "return (function()\n%s\nend)()", body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    const char *const said = assert_hostile_bytes(text, (size_t)length);
    if (!strstr(said, reason)) {
        fail_msg("\"%s\" is not in: %s", reason, said);
    }
}

// -- Data

static void test_lua_table_values_are_those_of_json(void **state)
{
    (void)state;
    assert_gives("return { name = \"a\", on = true, off = false, whole = 3, part = 0.5, }",
                 "{\"name\":\"a\",\"off\":false,\"on\":true,\"part\":0.5,\"whole\":3}");
    assert_gives("-- a comment\n--[==[ and ]] one ]==]\nreturn { 1, -2, 3e2 }", "[1,-2,300.0]");
    assert_gives("return{{},{{}},[1+2]=\"x\"}", "[[],[[]],\"x\"]");
    assert_gives("return { [\"a b\"] = [[c\nd]], ['\\u{e9}'] = 0x10 }",
                 "{\"a b\":\"c\\nd\",\"\xc3\xa9\":16}");
    assert_gives("local t = { a = 1 }\nt.b = { t.a }\nreturn t", "{\"a\":1,\"b\":[1]}");
}

static void test_lua_table_names_come_in_order(void **state)
{
    (void)state;
    assert_gives("return { b = 1, a = 2, ab = 3, B = 4, [\"\"] = 5 }",
                 "{\"\":5,\"B\":4,\"a\":2,\"ab\":3,\"b\":1}");
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
    assert_gives("return { a = require(\"x.y.z_panthera\"), b = require 'one' }",
                 "{\"a\":\"x/y/z_panthera.lua\",\"b\":\"one.lua\"}");
    assert_refused("return {\n require(1) }", "line 2: require must be given the name of a module");
    assert_refused("return { require() }", "line 1: require must be given the name of a module");
    assert_refused("return { require('') }", "line 1: require must be given the name of a module");
    assert_refused("return { require('a\\0b') }",
                   "line 1: require must be given the name of a module");
}

static void test_lua_table_what_is_no_data_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refused("return { a = { 1, function() end } }", "a[1]: is a function, which is no data");
    assert_refused("return { a = require }", "a: is a function, which is no data");
    assert_refused("return { 1, x = 2 }", "is neither a list without gaps nor a table of names");
    assert_refused("return { a = { [2] = 1 } }",
                   "a: is neither a list without gaps nor a table of names");
    assert_refused("return { [0] = 1 }", "is neither a list without gaps nor a table of names");
    assert_refused("return { [0] = 1, [2] = 1 }",
                   "is neither a list without gaps nor a table of names");
    assert_refused("return { [0.5] = 1 }", "is neither a list without gaps nor a table of names");
    assert_refused("return { [true] = 1 }", "is neither a list without gaps nor a table of names");
    assert_refused("return { a = { b = 0 / 0 } }", "a.b: is not a finite number");
    assert_refused("return { 1, 1 / 0 }", "[1]: is not a finite number");
    assert_refused("return { -1e999 }", "[0]: is not a finite number");
    assert_refused("return { a = '\\xff' }", "a: has a text that is not valid UTF-8");
    assert_refused("return { a = 'x\\0y' }", "a: has a text that is not valid UTF-8");
    assert_refused("return { ['\\xff'] = 1 }", "has a text that is not valid UTF-8");
    assert_refused("return 1", "must return a table");
    assert_refused("return", "must return a table");
    assert_refused("", "must return a table");
}

static void test_lua_table_errors_have_a_line(void **state)
{
    (void)state;
    assert_refused("return {\n a = 1,\n b = = 2 }", "line 3: unexpected symbol near '='");
    assert_refused("return {\n a = 1", "line 2: '}' expected (to close '{' at line 1) near <eof>");
    assert_refused("return {\n\n a = b.c }", "line 3: attempt to index a nil value (global 'b')");
    assert_refused("return {} return {}", "line 1: <eof> expected near 'return'");
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
    };
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        assert_true(lua_table_is_module(modules[i], strlen(modules[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *const copy = malloc(strlen(others[i]) + 1);
        memcpy(copy, others[i], strlen(others[i]));
        assert_false(lua_table_is_module(copy, strlen(others[i])));
        free(copy);
    }
}

// -- Hostile modules

static void test_lua_table_endless_loops_are_stopped(void **state)
{
    (void)state;
    assert_hostile("while true do end", "line 2: takes too long to run");
    assert_hostile("repeat until false", "line 2: takes too long to run");
    assert_hostile("::a:: goto a", "line 2: takes too long to run");
    assert_hostile("do ::a:: ::b:: local x = {} goto b end", "line 2: takes too long to run");
    assert_hostile("for i = 1, 1 << 62 do end", "takes too long to run");
    assert_hostile("for i = 1, 2, 0 do end", "'for' step is zero");
    assert_hostile("local function f() return f() end return f()", "takes too long to run");
    assert_hostile("for _ in function() return 1 end do end", "takes too long to run");
    assert_hostile("while true do require('a.b.c') end", "takes too long to run");
}

static void test_lua_table_deep_recursion_is_stopped(void **state)
{
    (void)state;
    assert_hostile("local function f() return 1 + f() end return f()", "takes too long to run");
    assert_hostile("local function f(...) return f(1, ...) end return f()", "");
    struct buffer text = {0};
    buffer_append(&text, "return ", 7);
    for (int i = 0; i < 100000; i++) {
        buffer_append(&text, "{", 1);
    }
    assert_non_null(strstr(assert_hostile_bytes(text.bytes, text.size), "C stack overflow"));
    for (size_t i = 7; i < text.size; i++) {
        text.bytes[i] = '(';
    }
    assert_non_null(strstr(assert_hostile_bytes(text.bytes, text.size), "C stack overflow"));
    buffer_free(&text);
}

static void test_lua_table_huge_tables_are_stopped(void **state)
{
    (void)state;
    // A long comment is steps to spend.
    static const char grow[] = "return (function() local t = {} for i = 1, 1e9 do t[i] = i end "
                               "return t end)() --";
    static const char nest[] = "return (function() local t = {} for i = 1, 1e9 do t = {t, t} end "
                               "return t end)() --";
    static const char names[] = "return (function() local t = {} for i = 1, 1e9 do "
                                "t['x' .. i] = {} end return t end)() --";
    const size_t size_bytes = 8 << 20;
    const char *const texts[] = {grow, nest, names};
    char *const text = malloc(size_bytes);
    for (size_t i = 0; i < 3; i++) {
        memset(text, 'x', size_bytes);
        memcpy(text, texts[i], strlen(texts[i]));
        const char *const said = assert_hostile_bytes(text, size_bytes);
        assert_true(strstr(said, "64 MiB") || strstr(said, "takes too long"));
    }
    free(text);
}

static void test_lua_table_shared_tables_do_not_multiply(void **state)
{
    (void)state;
    assert_hostile("local t = {} for i = 1, 60 do t = {t, t} end return t",
                   "takes more than 64 MiB of memory");
    assert_hostile("local t = {} for i = 1, 60 do t = {a = t, b = t} end return t",
                   "takes more than 64 MiB of memory");
    assert_hostile("local t = {} for i = 1, 70 do t = {t} end return t", "64 levels deep");
    assert_hostile("local t = {} t[1] = t return t", "64 levels deep");
    assert_hostile("local t = {} t.t = t return t", "64 levels deep");
}

/// Tables that are empty and yet take long to go through, many times over.
static void test_lua_table_hollow_tables_do_not_take_long(void **state)
{
    (void)state;
    static const char code[] =
        "return (function() local t = {} for i = 1, 1e6 do t[i * 7] = i end for i = 1, 1e6 do "
        "t[i * 7] = nil end local u = {} for i = 1, 1e5 do u[i] = t end return u end)() --";
    const size_t size_bytes = 12 << 20;
    char *const text = malloc(size_bytes);
    memset(text, 'x', size_bytes);
    memcpy(text, code, strlen(code));
    assert_hostile_bytes(text, size_bytes);
    free(text);
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

static void test_lua_table_string_bombs_are_stopped(void **state)
{
    (void)state;
    assert_hostile("return {(\"x\"):rep(1 << 30)}", "line 2: attempt to index a string value");
    assert_hostile("return {string.rep('x', 1 << 30)}", "line 2: attempt to index a nil value");
    assert_hostile("local s = 'x' while true do s = s .. s end", "has a text of more than 4 MiB");
    assert_hostile("local s = 'x' for i = 1, 17 do s = s .. s end "
                   "local t = {} for i = 1, 1e9 do t[i] = s .. i end",
                   "takes ");
    assert_hostile("local s = 'x' for i = 1, 17 do s = s .. s end "
                   "local a, b = s .. 'a', s .. 'b' while true do local c = a < b end",
                   "takes too long to run");
    assert_hostile("local s = '.x' for i = 1, 20 do s = s .. s end return {require(s)}",
                   "require must be given the name of a module");
    struct buffer text = {0};
    append_long_text(&text, 5 << 20);
    assert_non_null(strstr(assert_hostile_bytes(text.bytes, text.size), "more than 4 MiB"));
    buffer_free(&text);
}

/// Steps of which each takes long, in a loop and many in one line.
static void test_lua_table_long_texts_do_not_make_steps_take_long(void **state)
{
    static const struct {
        const char *text;
        const char *step;
    } cases[] = {
        {"x", "c = a < b"},   // compared to the end
        {"\\0", "c = a < b"}, // likewise, piece by piece
        {" ", "c = a == b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int is_line = 0; is_line < 2; is_line++) {
            struct buffer text = {0};
            char head[256];
            const int length =
                snprintf(head, sizeof head,
                         "return (function() local c local s = '%s' for i = 1, 21 do s = s .. s "
                         "end local a, b = s .. 'a', s .. 'b' while true do ",
                         cases[i].text);
            buffer_append(&text, head, (size_t)length);
            for (int k = 0; k < (is_line ? 5000 : 1); k++) {
                buffer_append(&text, cases[i].step, strlen(cases[i].step));
                buffer_append(&text, " ", 1);
            }
            buffer_append(&text, "end end)()", 10);
            assert_non_null(strstr(assert_hostile_bytes(text.bytes, text.size), "takes too long"));
            buffer_free(&text);
        }
    }
}

static void test_lua_table_long_text_is_read(void **state)
{
    (void)state;
    struct buffer text = {0};
    const size_t length = (4 << 20) - 100;
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

static void test_lua_table_nothing_else_is_there(void **state)
{
    static const char *const names[] = {
        "_G",           "_VERSION",     "assert", "collectgarbage",
        "coroutine",    "debug",        "dofile", "error",
        "getmetatable", "io",           "ipairs", "load",
        "loadfile",     "math",         "next",   "os",
        "package",      "pairs",        "pcall",  "print",
        "rawequal",     "rawget",       "rawlen", "rawset",
        "select",       "setmetatable", "string", "table",
        "tonumber",     "tostring",     "type",   "utf8",
        "xpcall",       "arg",
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "return { is_there = %s ~= nil }", names[i]);
        assert_gives(text, "{\"is_there\":false}");
    }
    assert_hostile("return os.execute('true')", "line 2: attempt to index a nil value");
    assert_hostile("return io.open('/etc/passwd')", "line 2: attempt to index a nil value");
    assert_hostile("return load('return {}')()", "line 2: attempt to call a nil value");
    assert_hostile("return setmetatable({}, {__index = require})",
                   "line 2: attempt to call a nil value");
    assert_hostile("return coroutine.wrap(function() end)", "attempt to index a nil value");
    assert_hostile("return ('').format", "attempt to index a string value");
    assert_hostile("local x <close> = {}", "got a non-closable value");
    assert_hostile("return require.x", "attempt to index a function value");
}

/// The environment can be changed, which harms nobody: it is the module's own.
static void test_lua_table_environment_is_its_own(void **state)
{
    (void)state;
    assert_gives("require = nil x = 1 return { x = x }", "{\"x\":1}");
    assert_gives("local _ENV = { y = 2 } return { y = y, x = x }", "{\"y\":2}");
    assert_gives("return { y = y, x = x }", "[]");
}

static int append(lua_State *lua, const void *bytes, size_t size_bytes, void *user)
{
    (void)lua;
    buffer_append(user, bytes, size_bytes);
    return 0;
}

static void test_lua_table_bytecode_is_refused(void **state)
{
    (void)state;
    struct buffer code = {0};
    lua_State *const lua = luaL_newstate();
    assert_int_equal(luaL_loadstring(lua, "return { a = 1 }"), LUA_OK);
    assert_int_equal(lua_dump(lua, append, &code, 0), 0);
    lua_close(lua);
    assert_bytes_refused(code.bytes, code.size, "attempt to load a binary chunk (mode is 't')");
    assert_false(lua_table_is_module(code.bytes, code.size));
    buffer_free(&code);
}

/// Labels are looked for one by one: without a look at the clock, this text takes minutes.
static void test_lua_table_texts_that_take_long_to_parse_are_stopped(void **state)
{
    (void)state;
    struct buffer text = {0};
    char line[32];
    buffer_append(&text, "return (function() ", 19);
    for (int i = 0; i < 32000; i++) {
        buffer_append(&text, line, (size_t)snprintf(line, sizeof line, "::a%d:: ", i));
    }
    for (int i = 0; i < 400000; i++) {
        buffer_append(&text, "goto a31999 ", 12);
    }
    buffer_append(&text, "end)()", 6);
    assert_hostile_bytes(text.bytes, text.size);
    buffer_free(&text);
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
        cmocka_unit_test(test_lua_table_names_come_in_order),
        cmocka_unit_test(test_lua_table_long_list_keeps_its_order),
        cmocka_unit_test(test_lua_table_require_gives_the_path_of_a_module),
        cmocka_unit_test(test_lua_table_what_is_no_data_is_refused_with_its_place),
        cmocka_unit_test(test_lua_table_errors_have_a_line),
        cmocka_unit_test(test_lua_table_modules_are_told_by_their_first_word),
        cmocka_unit_test(test_lua_table_endless_loops_are_stopped),
        cmocka_unit_test(test_lua_table_deep_recursion_is_stopped),
        cmocka_unit_test(test_lua_table_huge_tables_are_stopped),
        cmocka_unit_test(test_lua_table_shared_tables_do_not_multiply),
        cmocka_unit_test(test_lua_table_hollow_tables_do_not_take_long),
        cmocka_unit_test(test_lua_table_string_bombs_are_stopped),
        cmocka_unit_test(test_lua_table_long_texts_do_not_make_steps_take_long),
        cmocka_unit_test(test_lua_table_long_text_is_read),
        cmocka_unit_test(test_lua_table_large_module_is_read),
        cmocka_unit_test(test_lua_table_nothing_else_is_there),
        cmocka_unit_test(test_lua_table_environment_is_its_own),
        cmocka_unit_test(test_lua_table_bytecode_is_refused),
        cmocka_unit_test(test_lua_table_texts_that_take_long_to_parse_are_stopped),
        cmocka_unit_test(test_lua_table_too_large_text_is_refused),
        cmocka_unit_test(test_lua_table_every_beginning_of_a_module_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
