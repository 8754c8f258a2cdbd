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

/// A group of tracks, or some components of it: where they lie in each key.
struct trp__key_source {
    const struct trp__keyed *keyed;
    const struct trp__key_group *group;
    const double *times;
    const float *values;     ///< in the value plane of the first key
    size_t key_stride;       ///< floats from a key to the next
    size_t component_count;  ///< floats from a plane to the next
    uint32_t rotation_count; ///< of which the first one lies at `values`
    uint32_t scalar_offset;
    uint32_t scalar_count;
};

/// A moment of an instance.
struct trp__key_instance {
    double time_s;     ///< NaN counts as 0
    uint32_t *cursors; ///< [in,out] a hint for each group; null: none
};

/// A strip that is being filled, to be evaluated when it is full or something else comes.
struct trp__key_batch {
    const struct trp__kernels *kernels;
    struct trp__key_strip strip;
};

/// Returns the arrays of a keyed part.
/// @param bytes where it starts, 16-byte aligned; null: there is none, and nothing in it
struct trp__keyed trp__keyed_of(const uint8_t *bytes);

/// Returns how values of a group move after a key.
trp_interpolation trp__key_interpolation(const struct trp__keyed *keyed,
                                         const struct trp__key_group *group, uint32_t key);

/// Fills a source with all of a group.
void trp__key_source_set_group(struct trp__key_source *source, const struct trp__keyed *keyed,
                               const struct trp__key_group *group);

/// Fills a source with the components of one track.
void trp__key_source_set_track(struct trp__key_source *source, const struct trp__keyed *keyed,
                               const trp_track *track);

/// Starts an empty batch.
static inline void trp__key_batch_start(struct trp__key_batch *batch,
                                        const struct trp__kernels *kernels)
{
    batch->kernels = kernels;
    batch->strip.lane_count = 0;
}

/// Evaluates a source at a place between its keys, by trp__key_batch_finish at the latest.
/// @param rotations  [out] component c of rotation r goes to rotations[c * out_stride + r]
/// @param out_stride at least source->rotation_count
/// @param scalars    [out] source->scalar_count
void trp__key_batch_add(struct trp__key_batch *batch, const struct trp__key_source *source,
                        const struct trp__key_place *place, float *rotations, uint32_t out_stride,
                        float *scalars);

/// Evaluates what still waits.
void trp__key_batch_finish(struct trp__key_batch *batch);

/// Fills a view of a track.
/// @param index [0, keyed->track_count)
void trp__track_of(const struct trp__keyed *keyed, uint32_t index, trp_track *track);

/// Evaluates all groups of a clip for some instances.
/// @param components [out] instance_count times keyed->component_count: group after group, each as
///                   its keys are laid out
/// Best with 16 instances or more, few enough for the components to stay in the cache.
void trp__keyed_evaluate(const struct trp__keyed *keyed, const struct trp__kernels *kernels,
                         const struct trp__key_instance *instances, uint32_t instance_count,
                         float *components);

/// Puts evaluated components into the lanes of poses that their tracks are for.
/// @param components  from trp__keyed_evaluate
/// @param block_count of each pose; lanes from there on are left out
/// @param poses       [in,out] instance_count; other lanes stay as they are; null ones are left out
void trp__keyed_write_poses(const struct trp__keyed *keyed, const float *components,
                            uint32_t instance_count, uint32_t block_count,
                            trp_pose_block *const *poses);

#endif
