// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The keyed part of a clip: where things lie in it, and its values at a time. Reads only bytes that
// trp_pack_open has checked.
#ifndef TROUPE_SRC_KEYED_H
#define TROUPE_SRC_KEYED_H

#include <troupe/track.h>

#include "../simd/kernel_table.h"
#include "format.h"
#include "key_find.h"

/// The arrays of a keyed part.
struct trp__keyed {
    const uint8_t *bytes;
    uint32_t group_count;
    uint32_t track_count;
    uint32_t component_count; ///< of one key of every group together
    const struct trp__key_group *groups;
    const struct trp__keyed_track *tracks; ///< sorted by group
};

/// Some of the components of a group.
struct trp__key_range {
    uint32_t first_rotation;
    uint32_t rotation_count;
    uint32_t first_scalar;
    uint32_t scalar_count;
};

/// Spans that wait for the kernel, so that it can work on many short ones at once. See
/// trp__key_batch_start.
struct trp__key_batch {
    const struct trp__kernels *kernels;
    uint32_t span_count;
    struct trp__key_span spans[TRP__KEY_BATCH_SPANS];
};

/// Returns the arrays of a keyed part.
/// @param bytes where it starts, 16-byte aligned; null: there is none, and nothing in it
struct trp__keyed trp__keyed_of(const uint8_t *bytes);

/// Returns how values of a group move after a key.
trp_interpolation trp__key_interpolation(const struct trp__keyed *keyed,
                                         const struct trp__key_group *group, uint32_t key);

/// Finds the keys of a group around a time; see trp__key_find.
static inline struct trp__key_place trp__group_find(const struct trp__keyed *keyed,
                                                    const struct trp__key_group *group,
                                                    double time_s, uint32_t *cursor)
{
    const double *const times = (const void *)(keyed->bytes + group->times);
    return trp__key_find(times, group->key_count, time_s, cursor);
}

/// Starts an empty batch.
static inline void trp__key_batch_start(struct trp__key_batch *batch,
                                        const struct trp__kernels *kernels)
{
    batch->kernels = kernels;
    batch->span_count = 0;
}

/// Evaluates a range of a group at a place between its keys. `rotations` and `scalars` are written
/// by trp__key_batch_finish at the latest.
/// @param rotations [out] component c of rotation r goes to rotations[c * rotation_stride + r],
///                  counted from the range's first
/// @param rotation_stride at least range->rotation_count
/// @param scalars   [out] range->scalar_count
void trp__key_batch_add(struct trp__key_batch *batch, const struct trp__keyed *keyed,
                        const struct trp__key_group *group, const struct trp__key_range *range,
                        const struct trp__key_place *place, float *rotations,
                        uint32_t rotation_stride, float *scalars);

/// Evaluates what still waits.
void trp__key_batch_finish(struct trp__key_batch *batch);

/// Fills a view of a track.
/// @param index [0, keyed->track_count)
void trp__track_of(const struct trp__keyed *keyed, uint32_t index, trp_track *track);

/// Evaluates all groups at one time.
/// @param cursors    [in,out] a hint for each group; null: none
/// @param components [out] keyed->component_count: group after group, each as its keys are laid out
void trp__keyed_evaluate(const struct trp__keyed *keyed, const struct trp__kernels *kernels,
                         double time_s, uint32_t *cursors, float *components);

/// Puts evaluated components into the lanes of a pose that their tracks are for.
/// @param components  from trp__keyed_evaluate
/// @param block_count of the pose; lanes from there on are left out
/// @param pose        [in,out] other lanes stay as they are
void trp__keyed_write_pose(const struct trp__keyed *keyed, const float *components,
                           uint32_t block_count, trp_pose_block *pose);

#endif
