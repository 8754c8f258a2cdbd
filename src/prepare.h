// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// From the compact metadata of a segment to what the sample kernels read, and the form in which
// callers may keep that.
#ifndef TROUPE_SRC_PREPARE_H
#define TROUPE_SRC_PREPARE_H

#include "../simd/kernel_table.h"
#include "segment.h"

#define TRP__PREPARED_MAGIC 0x50505254u // "TRPP"

/// Start of prepared memory; block controls follow. Every field takes part in the decision whether
/// a prepared segment is the one that a request needs.
struct trp__prepared {
    uint32_t magic;
    uint32_t isa;
    uint64_t pack_hash;
    const uint8_t *clip_bytes;  ///< the clip, by where it lies
    const trp_pose_block *rest; ///< its skeleton's: rest values are part of what was prepared
    uint32_t clip_index;
    uint32_t segment;
    uint32_t block_count;
    uint32_t row_bytes;
#if UINTPTR_MAX == UINT64_MAX
    uint8_t reserved[16];
#else
    uint8_t reserved[24];
#endif
};

_Static_assert(sizeof(struct trp__prepared) == 64, "keeps block controls aligned");
_Static_assert(sizeof(struct trp__block_control) % 64 == 0, "keeps block controls aligned");

/// Expands the first `block_count` blocks of a segment.
/// @param clip   bound
/// @param window struct trp__kernels::window of the table that will read the result
/// @param blocks [out] 64-byte aligned
/// Cost: O(lanes).
void trp__segment_expand(const trp_clip *clip, const struct trp__clip_parts *parts,
                         const struct trp__segment *segment, uint32_t window, uint32_t block_count,
                         struct trp__block_control *blocks);

#endif
