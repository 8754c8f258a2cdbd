// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Does with a pack everything that the runtime can do with one. For bytes of any origin: under
// AddressSanitizer this is the check of the promise that an opened pack is safe.
#ifndef TROUPE_TESTS_PACK_EXERCISE_H
#define TROUPE_TESTS_PACK_EXERCISE_H

#include <troupe/troupe.h>

/// Opens a pack and, where that succeeds, asks for everything in it, samples joints, values and
/// keyed tracks of every clip at eight times, with and without prepared segments and cursors,
/// blends, and makes models and palettes; plays every clip in all modes by the same times, and asks
/// for the events, ranges and root motion on the way. Clips are sampled over the poses of instances
/// as well, humanoids held to their limits, and blend trees asked for weights. Aborts where a call
/// fails that may not, or where a local pose, a value or a movement is not finite. Byte 24, part of
/// the content hash, which opening does not check, chooses among the instruction sets there are.
/// @param bytes 64-byte aligned
/// @return what trp_pack_open returned
trp_result pack_exercise(const void *bytes, size_t size_bytes);

#endif
