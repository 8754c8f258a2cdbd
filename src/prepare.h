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

/// Start of prepared memory; block controls follow, then value controls. Every field takes part in
/// the decision whether a prepared segment is the one that a request needs.
struct trp__prepared {
    uint32_t magic;
    uint32_t isa;
    uint64_t pack_hash;
    const uint8_t *clip_bytes;  ///< the clip, by where it lies
    const trp_pose_block *rest; ///< its skeleton's: rest values are part of what was prepared
    const trp_pose_block *base; ///< likewise
    uint32_t clip_index;
    uint32_t segment;
    uint32_t block_count;
    uint32_t row_bytes;
    uint32_t value_block_count;
#if UINTPTR_MAX == UINT64_MAX
    uint8_t reserved[4];
#else
    uint8_t reserved[16];
#endif
};

/// Copies values that hold still. -0 becomes 0, as it does in lanes beside others that move: what
/// a lane gives does not depend on its neighbours.
static inline void trp__copy_still(const float *restrict values, uint32_t count,
                                   float *restrict out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = values[i] + 0.0f;
    }
}

_Static_assert(sizeof(struct trp__prepared) == 64, "keeps block controls aligned");
_Static_assert(sizeof(struct trp__block_control) % 64 == 0, "keeps block controls aligned");
_Static_assert(sizeof(struct trp__value_control) % 64 == 0, "keeps value controls aligned");

/// Expands the first `block_count` blocks of a segment.
/// @param clip   bound
/// @param window struct trp__kernels::window of the table that will read the result
/// @param blocks [out] 64-byte aligned
/// Cost: O(lanes).
void trp__segment_expand(const trp_clip *clip, const struct trp__clip_parts *parts,
                         const struct trp__segment *segment, uint32_t window, uint32_t block_count,
                         struct trp__block_control *blocks);

/// Expands the values of a segment, all of their blocks.
/// @param blocks [out] value_block_count of the clip's header, 64-byte aligned
/// Cost: O(values + tracks).
void trp__segment_expand_values(const trp_clip *clip, const struct trp__clip_parts *parts,
                                const struct trp__segment *segment, uint32_t window,
                                struct trp__value_control *blocks);

#endif
