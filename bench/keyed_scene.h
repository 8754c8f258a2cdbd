// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A made-up clip of keyed tracks: a rig that walks on the spot for ten seconds at 30 keys a second.
// The same numbers on every machine and in every run.
#ifndef TROUPE_BENCH_KEYED_SCENE_H
#define TROUPE_BENCH_KEYED_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_KEYED_JOINTS 33u  ///< rotation, translation and scale each
#define BENCH_KEYED_TRACKS 100u ///< and four morph weights, a property
#define BENCH_KEYED_KEYS 301u
#define BENCH_KEYED_DURATION_S 10.0

/// Makes the keyed part of a clip, see src/FORMAT.md: rotations of all joints, translations,
/// scales, weights.
/// @param is_shared all tracks have the same key times; otherwise each its own
/// @return 64-byte aligned, free it; null where memory is short
uint8_t *bench_keyed_scene_make(bool is_shared);

#endif
