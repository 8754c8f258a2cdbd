// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Data that are written as a Lua module: `return { ... }`. The module runs in a Lua state of its
// own that has nothing but `require`, little memory and little time, and the table that it returns
// becomes the same values as JSON text. Lua stays behind this interface.
#ifndef TROUPE_TOOLS_LUA_TABLE_H
#define TROUPE_TOOLS_LUA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/// Returns whether a text starts as such a module does: with comments, if any, and `return`.
bool lua_table_is_module(const void *text, size_t size_bytes);

/// Runs a module and gives the table that it returns. Tables with keys from 1 on without a gap are
/// arrays, and so are empty ones; those with texts as keys are objects, in the order of the keys.
/// `require("a.b")` loads nothing: it gives the text "a/b.lua".
/// Text and tables together take at most 64 MiB, and all of it less than a second.
/// @param root [out] json_release it after success
/// @return false after an error in `report`, with the line or with the way to the value.
bool lua_table_parse(const void *text, size_t size_bytes, struct report *report,
                     struct json_value *root);

#endif
