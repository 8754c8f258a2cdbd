// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Names: of results, and the hash by which everything else is found.
#include <troupe/base.h>

const char *trp_result_name(trp_result result)
{
    switch (result) {
    case TRP_OK:
        return "TRP_OK";
    case TRP_ERROR_ARGUMENT:
        return "TRP_ERROR_ARGUMENT";
    case TRP_ERROR_CAPACITY:
        return "TRP_ERROR_CAPACITY";
    case TRP_ERROR_FORMAT:
        return "TRP_ERROR_FORMAT";
    case TRP_ERROR_VERSION:
        return "TRP_ERROR_VERSION";
    case TRP_ERROR_ENDIAN:
        return "TRP_ERROR_ENDIAN";
    case TRP_ERROR_MISMATCH:
        return "TRP_ERROR_MISMATCH";
    case TRP_ERROR_UNSUPPORTED:
        return "TRP_ERROR_UNSUPPORTED";
    }
    return "TRP_ERROR_UNKNOWN";
}

uint64_t trp_name_hash(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    if (!name) {
        return hash;
    }
    for (const unsigned char *at = (const unsigned char *)name; *at != 0; at++) {
        hash = (hash ^ *at) * 0x100000001B3u;
    }
    return hash;
}
