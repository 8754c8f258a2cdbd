// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sampling: local poses and property values of many instances at any times, in one call. Costs the
// same forward, backward and at random, and keeps no state per instance. Wrapping a time is not
// done here.
#ifndef TROUPE_SAMPLE_H
#define TROUPE_SAMPLE_H

#include <troupe/clip.h>

/// Bits of trp_sample_request::flags.
enum {
    TRP_SAMPLE_ADDITIVE = 1u << 0, ///< the pose will be added: refuse a clip that is not additive
};

/// One pose to sample, the values that go with it, or both.
typedef struct trp_sample_request {
    const trp_clip *clip; ///< bound, but for values alone
    double time_s;        ///< clamped to [0, clip->duration_s], but for keyed tracks; NaN: 0
    uint32_t flags;       ///< TRP_SAMPLE_*
    trp_pose_block *pose; ///< [out] as many blocks as sampled, 64-byte aligned; null: values only
    float *values;        ///< [out] clip->value_count, in the order of its set; null: pose only
    uint32_t *cursors;    ///< [in,out] clip->cursor_count hints; null: search every time
} trp_sample_request;

/// A batch of samples. Zero means default in every field.
typedef struct trp_sample_args {
    const trp_sample_request *requests;
    uint32_t request_count;
    uint32_t block_count; ///< blocks of each pose to write; 0, or more than a clip has: all of it
    const void *const *prepared; ///< segments from trp_clip_prepare, used where they fit
    uint32_t prepared_count;
    void *scratch; ///< 64-byte aligned
    size_t scratch_bytes;
} trp_sample_args;

/// What a batch met that was not as it should be.
typedef struct trp_sample_report {
    uint32_t nan_time_count; ///< sampled at 0
} trp_sample_report;

/// Returns the scratch bytes that trp_sample needs for these arguments (their scratch is ignored).
/// For any sub-range of the requests it needs no more. SIZE_MAX where no memory can hold it.
/// Cost: O(requests). Threads: any number may share `args`.
TRP_API size_t trp_sample_scratch_bytes(const trp_sample_args *args);

/// Samples a batch of local poses and property values.
/// Requests of one clip and segment share the work of expanding it, in whatever order they come.
/// What a clip says nothing of is at rest: the rest pose, and the defaults of the properties; in an
/// additive clip the identity, and 0. Keyed tracks are exact and begin and end with their own keys,
/// see track.h: at -1 they give what an animation has before it starts. Cursors remember where the
/// keys of an instance were found; whatever they hold, the result is the same. Zero is a good
/// beginning. Prepared segments that no request needs are passed over, so that parts of a batch can
/// share one list. Values that hold still come as they are stored, but -0 comes as 0.
/// @param report [out] may be null
/// @return TRP_OK; TRP_ERROR_ARGUMENT (also for memory that was never prepared),
///         TRP_ERROR_CAPACITY, TRP_ERROR_MISMATCH (a clip not bound; a segment prepared for another
///         instruction set, or from another pack that lay where the clip does;
///         TRP_SAMPLE_ADDITIVE on a clip that is not). On error nothing is written.
/// Cost: O(requests * (lanes + values)), flat in seek order and clip length but for keyed groups
/// without a fitting cursor, which are searched in O(log keys); no allocation.
/// Threads: any number may share clips and prepared segments; poses, values, cursors and scratch
/// are exclusive.
/// Source: src/FORMAT.md, "Decoding".
TRP_API trp_result trp_sample(const trp_sample_args *args, trp_sample_report *report);

#endif
