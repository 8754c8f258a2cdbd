// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blend trees: clips at places on a line or in a plane, and how much each counts at a parameter
// such as speed or direction. Weights go to trp_blend or to a sync group; a tree keeps no state.
#ifndef TROUPE_BLENDTREE_H
#define TROUPE_BLENDTREE_H

#include <troupe/pack.h>

/// A blend tree. Filled by trp_pack_blendtree; treat as read-only.
typedef struct trp_blendtree {
    const char *name;
    uint64_t name_hash;
    const char *id;           ///< in the file
    uint32_t index;           ///< of this tree in its pack
    uint32_t dimensions;      ///< 1 or 2
    uint32_t count;           ///< clips
    const uint32_t *clips;    ///< [count] in the same pack, or TRP_NONE where a clip was left out
    const float (*places)[2]; ///< [count] x and y; y is 0 in one dimension
} trp_blendtree;

/// Gives a view of a blend tree.
/// @return TRP_OK, TRP_ERROR_ARGUMENT (also for an index out of range). On error `tree` stays.
/// Cost: O(1). Threads: any number may share `pack`.
TRP_API trp_result trp_pack_blendtree(const trp_pack *pack, uint32_t index, trp_blendtree *tree);

/// Returns the first blend tree whose name has this hash, or TRP_NONE.
/// Cost: O(trees). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_pack_find_blendtree(const trp_pack *pack, uint64_t name_hash);

/// Writes how much each clip of a tree counts at a parameter: weights from 0 to 1 with sum 1 (all 0
/// where the tree is empty).
/// In one dimension the two nearest places on either side share in proportion; beyond the ends the
/// last one has all. In two dimensions gradient bands in polar coordinates, so that direction and
/// distance from the origin blend on their own; weights jump nowhere but at the origin where no
/// place lies there. Of several at one place the first counts, and at a place it has all. A place
/// at the origin has no direction, so that it keeps a share between those around it: of places at
/// (0, 0), (1, 0) and (0, 1) the weights at (0.707, 0.707) are 0.118, 0.441 and 0.441.
/// @param x       the parameter; NaN counts as 0
/// @param y       unused in one dimension
/// @param weights [out] tree->count floats
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `weights` is untouched.
/// Cost: O(count) in one dimension, O(count squared) in two; no allocation. Threads: any number may
/// share `tree`.
/// Source: R. S. Johansen, Automated Semi-Procedural Animation for Character Locomotion, 2009, 6.3.
TRP_API trp_result trp_blendtree_weights(const trp_blendtree *tree, float x, float y,
                                         float *weights);

#endif
