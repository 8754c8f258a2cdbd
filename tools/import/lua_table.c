// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lua modules as data. What a hostile module could do is bounded four times: it has no functions to
// call, memory is counted and never given back, every step is counted, and a clock runs beside.
#include "lua_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>
#include <lauxlib.h>
#include <lua.h>

enum {
    MEMORY_BYTES = 64 << 20, // of the text, of Lua and of the values, all together
    STRING_BYTES = 4 << 20,  // of one text
    LONG_BYTES = 64 << 10,   // of a text that takes long to compare
    PIECE_BYTES = 4096,      // of the text, between two looks at the clock
    WATCH_STEPS = 100,       // of the program, likewise; as soon as there is a long text, each
    NAME_BYTES = 4096,       // of a module
    FREE_STEPS = 10000,      // that also a short text may take
    MAX_DEPTH = 64,
    // What Jansson takes for values, at most.
    OBJECT_BYTES = 256,
    MEMBER_BYTES = 128,
    ARRAY_BYTES = 128,
    ITEM_BYTES = 16,
    VALUE_BYTES = 64,
};

static const double time_limit_s = 0.5;

/// One module, while it is read.
struct module {
    struct report *report;
    const char *text;
    size_t size_bytes;
    size_t read_bytes; // of the text so far
    size_t left_bytes; // of all memory
    size_t step_count;
    int watch_steps; // between two looks after the program
    bool is_running;
    bool has_long; // text, so that every step counts
    lua_State *lua;
    double deadline_s;
    const char *problem; // the limit that was passed; null as long as there is none
    int line;            // where the program was then, 0 = not known
    json_t *root;
    bool is_converted;
    struct arena scratch;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Keeps the first limit that is passed.
static bool module_stop(struct module *module, const char *problem)
{
    module->problem = module->problem ? module->problem : problem;
    return false;
}

static bool module_has_time(struct module *module)
{
    return seconds() < module->deadline_s || module_stop(module, "takes too long to run");
}

static bool module_take(struct module *module, size_t bytes)
{
    if (bytes > module->left_bytes) {
        return module_stop(module, "takes more than 64 MiB of memory");
    }
    module->left_bytes -= bytes;
    return true;
}

// -- Running

/// Looks after the program every few steps. One without loops takes fewer steps than it has
/// letters.
static void module_watch(lua_State *lua, lua_Debug *activation)
{
    void *user;
    lua_getallocf(lua, &user);
    struct module *const module = user;
    module->step_count += (size_t)module->watch_steps;
    if (module->step_count > module->size_bytes + FREE_STEPS) {
        module_stop(module, "takes too long to run");
    }
    if (module->problem || !module_has_time(module)) {
        lua_getinfo(lua, "l", activation);
        module->line = activation->currentline;
        lua_pushnil(lua);
        lua_error(lua);
    }
}

static void module_watch_every(struct module *module, int steps)
{
    module->watch_steps = steps;
    lua_sethook(module->lua, module_watch, LUA_MASKCOUNT, steps);
}

/// Takes note of a text that a single step may take long for.
static void module_note_long(struct module *module, size_t size_bytes)
{
    if (size_bytes > STRING_BYTES) {
        module_stop(module, "has a text of more than 4 MiB");
    }
    if (module->is_running && module->watch_steps > 1) {
        module_watch_every(module, 1);
    }
    module->has_long = true;
}

/// Memory for Lua. After the first refusal there is no more, so that nothing is tried twice.
static void *module_allocate(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    struct module *const module = user;
    const size_t held_bytes = block ? old_bytes : 0;
    if (new_bytes == 0) {
        free(block);
        module->left_bytes += held_bytes;
        return NULL;
    }
    if (!block && old_bytes == LUA_TSTRING && new_bytes > LONG_BYTES) {
        module_note_long(module, new_bytes);
    }
    if (new_bytes > held_bytes &&
        (module->problem || !module_take(module, new_bytes - held_bytes))) {
        return NULL;
    }
    void *const moved = realloc(block, new_bytes);
    if (new_bytes <= held_bytes) {
        module->left_bytes += held_bytes - new_bytes;
        return moved ? moved : block; // Lua counts on it that less always works
    }
    if (!moved) {
        module->left_bytes += new_bytes - held_bytes;
        module_stop(module, "takes more memory than there is");
    }
    return moved;
}

/// Gives Lua's parser the text piece by piece; what comes after the time is over does not exist.
static const char *module_read(lua_State *lua, void *user, size_t *size_bytes)
{
    struct module *const module = user;
    (void)lua;
    const size_t left_bytes = module->size_bytes - module->read_bytes;
    *size_bytes = left_bytes < PIECE_BYTES ? left_bytes : PIECE_BYTES;
    if (*size_bytes == 0 || !module_has_time(module)) {
        *size_bytes = 0;
        return NULL;
    }
    const char *const piece = module->text + module->read_bytes;
    module->read_bytes += *size_bytes;
    return piece;
}

/// The `require` of modules: a name with dots becomes the path of a file.
static int module_require(lua_State *lua)
{
    const char *const name = lua_type(lua, 1) == LUA_TSTRING ? lua_tostring(lua, 1) : "";
    const size_t length = lua_rawlen(lua, 1);
    if (*name == '\0' || length > NAME_BYTES || strlen(name) != length) {
        return luaL_error(lua, "require must be given the name of a module");
    }
    luaL_gsub(lua, name, ".", "/");
    lua_pushliteral(lua, ".lua");
    lua_concat(lua, 2);
    return 1;
}

// -- Values

static bool refuse(const struct json_value *at, const char *message)
{
    return json_refuse(at, TROUPE_EXIT_INPUT, "panthera.lua", "%s", message);
}

/// Puts a value where it belongs, which may be null for want of memory.
static bool value_attach(struct module *module, json_t *parent, const struct json_value *at,
                         json_t *value)
{
    if (!value) {
        return module_stop(module, "takes more memory than there is");
    }
    if (!parent) {
        module->root = value;
        return true;
    }
    const int failed = json_is_array(parent) ? json_array_append_new(parent, value)
                                             : json_object_set_new(parent, at->key, value);
    return failed == 0 || module_stop(module, "takes more memory than there is");
}

static bool text_check(const struct json_value *at, const char *text, size_t length)
{
    json_t *const probe = json_stringn(text, length);
    json_decref(probe);
    return (probe && strlen(text) == length) || refuse(at, "has a text that is not valid UTF-8");
}

static bool value_convert(struct module *module, lua_State *lua, json_t *parent,
                          const struct json_value *at, int depth);

static bool array_convert(struct module *module, lua_State *lua, json_t *parent,
                          const struct json_value *at, size_t count, int depth)
{
    if (!module_take(module, ARRAY_BYTES + count * ITEM_BYTES)) {
        return false;
    }
    json_t *const array = json_array();
    if (!value_attach(module, parent, at, array)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct json_value item = {.parent = at, .index = i, .report = at->report};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        if (!value_convert(module, lua, array, &item, depth + 1)) {
            return false;
        }
        lua_pop(lua, 1);
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// Gives the names of a table's fields, in order; false where one is no name.
static bool names_collect(struct module *module, lua_State *lua, const struct json_value *at,
                          const char **names)
{
    size_t count = 0;
    for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1)) {
        size_t length;
        const char *const name = lua_tolstring(lua, -2, &length);
        if (!text_check(at, name, length) || !module_take(module, MEMBER_BYTES + length)) {
            return false;
        }
        names[count++] = name;
    }
    qsort(names, count, sizeof *names, compare_names);
    return true;
}

static bool object_convert(struct module *module, lua_State *lua, json_t *parent,
                           const struct json_value *at, size_t count, int depth)
{
    if (!module_take(module, OBJECT_BYTES + count * sizeof(char *))) {
        return false;
    }
    json_t *const object = json_object();
    const char **const names = ARENA_NEW(&module->scratch, const char *, count);
    if (!value_attach(module, parent, at, object) || !names_collect(module, lua, at, names)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct json_value member = {.parent = at, .key = names[i], .report = at->report};
        lua_pushstring(lua, names[i]);
        lua_rawget(lua, -2);
        if (!value_convert(module, lua, object, &member, depth + 1)) {
            return false;
        }
        lua_pop(lua, 1);
    }
    return true;
}

/// Converts the table on top of the stack.
static bool table_convert(struct module *module, lua_State *lua, json_t *parent,
                          const struct json_value *at, int depth)
{
    size_t count = 0;
    size_t name_count = 0;
    size_t index_count = 0; // of whole numbers from 1 on
    lua_Integer last = 0;
    if (depth > MAX_DEPTH) {
        return refuse(at, "has tables within tables more than 64 levels deep");
    }
    luaL_checkstack(lua, 4, NULL);
    for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1)) {
        const lua_Integer index = lua_isinteger(lua, -2) ? lua_tointeger(lua, -2) : 0;
        count++;
        name_count += lua_type(lua, -2) == LUA_TSTRING;
        index_count += index > 0;
        last = index > last ? index : last;
    }
    if (!module_has_time(module)) {
        return false;
    }
    if (count > 0 && name_count == count) {
        return object_convert(module, lua, parent, at, count, depth);
    }
    if (index_count != count || (lua_Unsigned)last != count) {
        return refuse(at, "is neither a list without gaps nor a table of names");
    }
    return array_convert(module, lua, parent, at, count, depth);
}

static bool number_convert(struct module *module, lua_State *lua, json_t *parent,
                           const struct json_value *at)
{
    const double number = lua_tonumber(lua, -1);
    if (!isfinite(number)) {
        return refuse(at, "is not a finite number");
    }
    return value_attach(module, parent, at,
                        lua_isinteger(lua, -1) ? json_integer(lua_tointeger(lua, -1))
                                               : json_real(number));
}

/// Converts the value on top of the stack.
/// @param parent the array or object that it goes to; null for the root
static bool value_convert(struct module *module, lua_State *lua, json_t *parent,
                          const struct json_value *at, int depth)
{
    const int type = lua_type(lua, -1);
    size_t length = 0;
    const char *const text = type == LUA_TSTRING ? lua_tolstring(lua, -1, &length) : "";
    if (!module_take(module, VALUE_BYTES + length)) {
        return false;
    }
    switch (type) {
    case LUA_TTABLE:
        return table_convert(module, lua, parent, at, depth);
    case LUA_TNUMBER:
        return number_convert(module, lua, parent, at);
    case LUA_TBOOLEAN:
        return value_attach(module, parent, at, json_boolean(lua_toboolean(lua, -1)));
    case LUA_TSTRING:
        return text_check(at, text, length) &&
               value_attach(module, parent, at, json_stringn(text, length));
    default:
        return json_refuse(at, TROUPE_EXIT_INPUT, "panthera.lua", "is a %s, which is no data",
                           lua_typename(lua, type));
    }
}

// -- Modules

/// Everything that may fail for Lua.
static int module_run(lua_State *lua)
{
    struct module *const module = lua_touserdata(lua, 1);
    lua_pushcfunction(lua, module_require);
    lua_setglobal(lua, "require");
    // "t": a text. The loader of compiled code trusts it.
    if (lua_load(lua, module_read, module, "=", "t") != LUA_OK) {
        return lua_error(lua);
    }
    module_watch_every(module, module->has_long ? 1 : WATCH_STEPS);
    module->is_running = true;
    lua_call(lua, 0, 1);
    module->is_running = false;
    lua_sethook(lua, NULL, 0, 0);
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua, "must return a table");
    }
    const struct json_value root = {.report = module->report};
    module->is_converted = !module->problem && value_convert(module, lua, NULL, &root, 0);
    return 0;
}

/// Reports an error, in a line if it is known.
static bool module_refuse(struct module *module, int line, const char *message)
{
    char place[32];
    snprintf(place, sizeof place, "line %d", line);
    return report_error(module->report, TROUPE_EXIT_INPUT, line > 0 ? place : NULL, "panthera.lua",
                        "%s", message);
}

/// Reports what Lua says, which is ":LINE: MESSAGE" where it knows the line.
static bool module_refuse_message(struct module *module, const char *message)
{
    char *end;
    const long line = message[0] == ':' ? strtol(message + 1, &end, 10) : 0;
    if (line > 0 && strncmp(end, ": ", 2) == 0) {
        return module_refuse(module, (int)line, end + 2);
    }
    return module_refuse(module, 0, message);
}

static bool module_start(struct module *module, lua_State *lua)
{
    lua_gc(lua, LUA_GCSTOP);
    lua_pushcfunction(lua, module_run);
    lua_pushlightuserdata(lua, module);
    const int result = lua_pcall(lua, 1, 0, 0);
    if (module->problem) {
        return module_refuse(module, module->line, module->problem);
    }
    if (result != LUA_OK) {
        const char *const message = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "";
        return module_refuse_message(module, message);
    }
    return module->is_converted;
}

bool lua_table_parse(const void *text, size_t size_bytes, struct report *report,
                     struct json_value *root)
{
    struct module module = {
        .report = report,
        .text = text,
        .size_bytes = size_bytes,
        .left_bytes = MEMORY_BYTES,
        .deadline_s = seconds() + time_limit_s,
    };
    *root = (struct json_value){.report = report};
    if (!module_take(&module, size_bytes)) {
        return module_refuse(&module, 0, module.problem);
    }
    lua_State *const lua = lua_newstate(module_allocate, &module);
    if (!lua) {
        return module_refuse(&module, 0, "takes more memory than there is");
    }
    module.lua = lua;
    const bool ok = module_start(&module, lua);
    lua_close(lua);
    arena_free(&module.scratch);
    root->value = module.root;
    if (!ok) {
        json_release(root);
    }
    return ok;
}

/// Returns where a comment ends that starts with two dashes.
static const char *comment_skip(const char *at, const char *end)
{
    const char *open = at + 2;
    size_t level = 0;
    if (open < end && *open == '[') {
        for (open++; open < end && *open == '='; open++) {
            level++;
        }
    }
    if (open == at + 2 || open == end || *open != '[') {
        while (at < end && *at != '\n' && *at != '\r') {
            at++;
        }
        return at;
    }
    for (const char *close = open + 1; close < end; close++) {
        const char *const last = close + level + 1;
        if (*close == ']' && last < end && *last == ']' &&
            strspn(close + 1, "=") == level) { // ends at the latest at `last`
            return last + 1;
        }
    }
    return end;
}

bool lua_table_is_module(const void *text, size_t size_bytes)
{
    static const char word[] = "return";
    const size_t word_bytes = sizeof word - 1;
    const char *at = text;
    const char *const end = at + size_bytes;
    while (at < end) {
        if (*at && strchr(" \t\r\n\v\f", *at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
            at = comment_skip(at, end);
        } else {
            break;
        }
    }
    if ((size_t)(end - at) <= word_bytes || memcmp(at, word, word_bytes) != 0) {
        return false;
    }
    const unsigned char next = (unsigned char)at[word_bytes];
    return next != '\0' && strchr("{(\"'[- \t\r\n\v\f", next) != NULL;
}
