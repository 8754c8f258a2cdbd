// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Data that are written as a Lua module: `return { ... }`. Nothing is run: of the language this
// reads tables, texts, numbers, true, false, nil and `require`, and gives the same values as JSON
// text would.
#ifndef TROUPE_TOOLS_LUA_TABLE_H
#define TROUPE_TOOLS_LUA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/// Returns whether a text starts as such a module does: with `return`, behind comments, semicolons,
/// a mark of UTF-8 and a line for the shell, if there are any.
bool lua_table_is_module(const void *text, size_t size_bytes);

/// Reads a module and gives the table that it returns. Tables with keys from 1 on without a gap are
/// arrays, and so are empty ones; those with texts as keys are objects, in the order of the text.
/// What is nil is not there. Of a key that is there more than once, the last value counts.
/// `require("a.b")` reads no file: it gives the text "a/b.lua". What is no name of a module keeps
/// its dots, such as "../a".
/// The time goes by the size of the text alone; text and values together take at most 64 MiB.
/// @param root [out] json_release it after success
/// @return false after an error in `report`, with the line.
bool lua_table_parse(const void *text, size_t size_bytes, struct report *report,
                     struct json_value *root);

#endif
