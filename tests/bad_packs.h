// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Packs that break one rule of FORMAT.md each: a good pack and what is done to it. The first of
// every rule is kept as tests/bad/<rule>.trp.
#ifndef TROUPE_TESTS_BAD_PACKS_H
#define TROUPE_TESTS_BAD_PACKS_H

#include "pack_builder.h"

/// A bad pack and what opening it must report.
struct bad_pack {
    uint8_t *bytes; // 64-byte aligned, of exactly `size_bytes`, to be given to free()
    size_t size_bytes;
    trp_diagnostic expected;
    bool is_first; // of its rule
};

/// Returns a good pack with a skin, two clips, and every kind of track, rule and mask in them.
/// @return 64-byte aligned bytes of exactly this size, to be given to free()
uint8_t *bad_pack_origin(size_t *size_bytes);

/// Returns a good pack of a scene: an instance that is a humanoid, one more that shares its pose,
/// both with components, and two blend trees of no clips. Like the above otherwise.
uint8_t *bad_pack_scene_origin(size_t *size_bytes);

uint32_t bad_pack_count(void);

/// Makes bad pack `index` in [0, bad_pack_count()).
struct bad_pack bad_pack_make(uint32_t index);

#endif
