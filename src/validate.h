// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The checks that make untrusted packs safe. FORMAT.md lists every rule; nothing else in the
// runtime looks at bytes that have not passed here.
#ifndef TROUPE_SRC_VALIDATE_H
#define TROUPE_SRC_VALIDATE_H

#include <stdbool.h>
#include <troupe/pack.h>

/// Checks a whole pack against every rule of FORMAT.md and fills in `pack`.
/// @param pack       [out] zeroed on failure
/// @param diagnostic [out] the first broken rule
/// @return what trp_pack_open returns
trp_result trp__pack_validate(const void *bytes, size_t size_bytes, trp_pack *pack,
                              trp_diagnostic *diagnostic);

/// Says whether a clip can be sampled for a skeleton, which may come from another pack: the same
/// joints in the same lanes, and no value for a lane that holds no joint.
/// @param clip     from a pack that passed trp__pack_validate
/// @param skeleton likewise
bool trp__clip_fits_skeleton(const trp_clip *clip, const trp_skeleton *skeleton);

#endif
