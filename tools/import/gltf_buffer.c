// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Buffers of a glTF file: the binary chunk, data URIs, files beside it.
#include "gltf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "compiler.h"

enum { BASE64_INVALID = 255 };

static uint8_t base64_digit(char symbol)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const found = symbol ? strchr(alphabet, symbol) : NULL;
    return found ? (uint8_t)(found - alphabet) : BASE64_INVALID;
}

/// Decodes one group of four symbols, of which the last `padding` are '='.
static bool base64_decode_group(const char *text, size_t padding, unsigned char *bytes)
{
    uint32_t group = 0;
    for (size_t i = 0; i < 4; i++) {
        const uint8_t digit = i < 4 - padding ? base64_digit(text[i]) : 0;
        if (digit == BASE64_INVALID) {
            return false;
        }
        group = group << 6 | digit;
    }
    for (size_t i = 0; i < 3 - padding; i++) {
        bytes[i] = (unsigned char)(group >> (16 - 8 * i));
    }
    const uint32_t unused_bits = padding == 2 ? 0xffff : padding == 1 ? 0xff : 0;
    return (group & unused_bits) == 0;
}

/// Decodes strictly: groups of four, padding only at the end, no unused bits set.
static bool base64_decode(const char *text, size_t text_bytes, unsigned char *bytes,
                          size_t *size_bytes)
{
    if (text_bytes % 4 != 0) {
        return false;
    }
    size_t used = 0;
    for (size_t i = 0; i < text_bytes; i += 4) {
        const bool is_last = i + 4 == text_bytes;
        const size_t padding = is_last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
        if (!base64_decode_group(text + i, padding, bytes + used)) {
            return false;
        }
        used += 3 - padding;
    }
    *size_bytes = used;
    return true;
}

static bool buffer_read_data_uri(struct gltf *gltf, const struct json_value *at, const char *uri,
                                 struct gltf_buffer *buffer)
{
    const char *const comma = strchr(uri, ',');
    const char marker[] = ";base64";
    const size_t marker_bytes = sizeof marker - 1;
    const bool is_base64 = comma && (size_t)(comma - uri) >= marker_bytes &&
                           strncasecmp(comma - marker_bytes, marker, marker_bytes) == 0;
    if (!is_base64) {
        return json_refuse(at, TROUPE_EXIT_UNSUPPORTED, "gltf.uri.encoding",
                           "a data URI that is not base64 is not supported");
    }
    const size_t text_bytes = strlen(comma + 1);
    unsigned char *const bytes = arena_take(&gltf->scratch, text_bytes / 4 * 3, 1);
    if (!base64_decode(comma + 1, text_bytes, bytes, &buffer->size_bytes)) {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.uri.base64", "is not valid base64");
    }
    buffer->bytes = bytes;
    return true;
}

static int hex_digit(char symbol)
{
    if (symbol >= '0' && symbol <= '9') {
        return symbol - '0';
    }
    const int letter = tolower((unsigned char)symbol);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// Resolves %20 and the like in place; false where what follows a % is no hexadecimal number.
static bool uri_decode(char *text)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        char symbol = *in;
        if (symbol == '%') {
            const int high = hex_digit(in[1]);
            const int low = high >= 0 ? hex_digit(in[2]) : -1;
            if (low < 0 || high + low == 0) {
                return false;
            }
            symbol = (char)(high << 4 | low);
            in += 2;
        }
        *out++ = symbol;
    }
    *out = 0;
    return true;
}

/// Returns whether a URI starts with a scheme such as "https:".
static bool uri_has_scheme(const char *uri)
{
    const size_t bytes = strcspn(uri, ":/?#");
    return bytes > 0 && uri[bytes] == ':';
}

/// Returns the path of a file named relative to the glTF file.
static char *path_beside(struct gltf *gltf, const char *name)
{
    const char *const slash = strrchr(gltf->path, '/');
    const size_t folder_bytes = slash ? (size_t)(slash - gltf->path) + 1 : 0;
    char *const path = arena_take(&gltf->scratch, folder_bytes + strlen(name) + 1, 1);
    memcpy(path, gltf->path, folder_bytes);
    strcpy(path + folder_bytes, name);
    return path;
}

static void note_file(struct gltf *gltf, const char *path)
{
    struct scene *const scene = gltf->scene;
    if (!scene->other_files) {
        scene->other_files = ARENA_NEW(&scene->arena, const char *, gltf->buffer_count);
    }
    scene->other_files[scene->other_file_count++] = arena_string(&scene->arena, path);
}

static bool buffer_read_file(struct gltf *gltf, const struct json_value *at, const char *uri,
                             struct gltf_buffer *buffer)
{
    if (uri_has_scheme(uri)) {
        return json_refuse(at, TROUPE_EXIT_UNSUPPORTED, "gltf.uri.scheme",
                           "only data URIs and relative paths are supported");
    }
    char *const name = arena_string(&gltf->scratch, uri);
    if (!uri_decode(name) || name[0] == 0) {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.uri.syntax", "is not a valid URI");
    }
    if (name[0] == '/') {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.uri.absolute",
                           "must be relative to the glTF file");
    }
    const char *const path = path_beside(gltf, name);
    struct report silent = {0};
    if (!file_read(path, &buffer->file_bytes, &buffer->size_bytes, &silent)) {
        return json_refuse(at, TROUPE_EXIT_IO, "gltf.buffer.read", "cannot read %s: %s", path,
                           strerror(errno));
    }
    buffer->bytes = buffer->file_bytes;
    note_file(gltf, path);
    gltf->budget_bytes += 64 * (uint64_t)buffer->size_bytes;
    return true;
}

static bool buffer_read_chunk(struct gltf *gltf, const struct json_value *at, uint32_t index,
                              struct gltf_buffer *buffer)
{
    if (index != 0 || !gltf->binary_chunk) {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.buffer.uri",
                           "has neither a URI nor a binary chunk");
    }
    buffer->bytes = gltf->binary_chunk;
    buffer->size_bytes = gltf->binary_chunk_bytes;
    return true;
}

static bool buffer_read(struct gltf *gltf, uint32_t index, struct gltf_buffer *buffer)
{
    const struct json_value list = json_member(&gltf->root, "buffers");
    const struct json_value value = json_item(&list, index);
    const struct json_value uri_value = json_member(&value, "uri");
    uint64_t byte_length = 0;
    const char *uri = NULL;
    if (!json_check_object(&value) ||
        !json_get_integer(&value, "byteLength", true, 1, UINT64_MAX, &byte_length) ||
        !json_get_string(&value, "uri", false, &uri)) {
        return false;
    }
    const bool ok = !uri ? buffer_read_chunk(gltf, &value, index, buffer)
                    : strncasecmp(uri, "data:", 5) == 0
                        ? buffer_read_data_uri(gltf, &uri_value, uri, buffer)
                        : buffer_read_file(gltf, &uri_value, uri, buffer);
    if (ok && buffer->size_bytes < byte_length) {
        return json_refuse(&value, TROUPE_EXIT_INPUT, "gltf.buffer.size",
                           "byteLength is %llu, but there are only %zu bytes",
                           (unsigned long long)byte_length, buffer->size_bytes);
    }
    buffer->size_bytes = (size_t)byte_length;
    return ok;
}

bool gltf_buffer_bytes(struct gltf *gltf, uint32_t index, const unsigned char **bytes,
                       size_t *size_bytes)
{
    struct gltf_buffer *const buffer = &gltf->buffers[index];
    if (!buffer->bytes && !buffer_read(gltf, index, buffer)) {
        return false;
    }
    *bytes = buffer->bytes;
    *size_bytes = buffer->size_bytes;
    return true;
}

void gltf_buffers_free(struct gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->buffer_count; i++) {
        free(gltf->buffers[i].file_bytes);
    }
}
