// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Clips: how the joints of one skeleton move, and the values of one property set. A clip is a view
// into the bytes of a pack; it holds no state, so one clip serves any number of instances and
// threads.
#ifndef TROUPE_CLIP_H
#define TROUPE_CLIP_H

#include <troupe/skeleton.h>

/// What a clip is, as bits of trp_clip::flags.
enum {
    TRP_CLIP_ADDITIVE = 1u << 0,    ///< holds differences against a reference pose
    TRP_CLIP_LOOP_CLOSED = 1u << 1, ///< its last row repeats its first: wraps without a seam
    TRP_CLIP_ROOT_MOTION = 1u << 2, ///< root motion was taken out of the pose
    TRP_CLIP_LOOPS = 1u << 3,       ///< its file says that it plays in a loop
    TRP_CLIP_PING_PONG = 1u << 4,   ///< its file says that it plays there and back
};

/// What a track animates: one of the three properties of a joint, or a property of a set.
typedef enum trp_path {
    TRP_PATH_ROTATION = 0,
    TRP_PATH_TRANSLATION = 1,
    TRP_PATH_SCALE = 2,
    TRP_PATH_PROPERTY = 3,
} trp_path;

/// What a clip says of one property of one joint.
typedef enum trp_track_kind {
    TRP_TRACK_ABSENT = 0, ///< nothing: sampling writes rest (identity where additive)
    TRP_TRACK_CONSTANT = 1,
    TRP_TRACK_ANIMATED = 2,
} trp_track_kind;

/// A clip. Filled by trp_pack_clip, tied to a skeleton by trp_clip_bind; treat as read-only.
typedef struct trp_clip {
    const char *name;
    uint64_t name_hash;
    const char *source_id; ///< in its file; empty where files give none
    uint64_t bind_hash;
    uint64_t pack_hash;
    double duration_s; ///< tick_count * rate_den / rate_num
    uint32_t index;    ///< of this clip in its pack
    uint32_t skeleton_index; ///< in the same pack, or TRP_NONE where the skeleton lies elsewhere
    uint32_t flags;          ///< TRP_CLIP_*
    uint32_t block_count;    ///< 0 where the clip is for no skeleton: it has values only
    uint32_t rate_num; ///< ticks per second = rate_num / rate_den
    uint32_t rate_den;
    uint32_t tick_count;        ///< the clip ends at this tick
    uint32_t ticks_per_segment; ///< 8 to 256
    uint32_t segment_count;     ///< 0 where nothing is animated but keyed tracks
    uint32_t property_set_index; ///< in the same pack, or TRP_NONE where the clip has no values
    uint32_t value_count;        ///< of that set, else 0
    uint32_t track_count;        ///< keyed tracks, see track.h
    uint32_t cursor_count;       ///< of trp_sample_request::cursors
    uint32_t event_count;        ///< see event.h
    float budget_mm;            ///< error the compiler was allowed
    float shell_m;              ///< distance from the joint at which error is measured
    float max_error_keys_mm;    ///< largest measured error at the rows
    float max_error_mm;         ///< largest measured error anywhere
    float mean_error_mm;
    const trp_pose_block *rest; ///< of the bound skeleton; null until bound
    const trp_pose_block *base; ///< what joints have that the clip says nothing of: `rest`, or the
                                ///< pose of an instance, see instance.h
    const float *value_defaults; ///< [value_count] of the property set, null without
    const uint8_t *properties;   ///< the property set in its pack, null without
    const char *strings;         ///< of the pack
    const uint8_t *bytes;       ///< the clip in its pack, see src/FORMAT.md
    size_t size_bytes;
} trp_clip;

/// Ties a clip to the skeleton it will be sampled for.
/// trp_pack_clip has done so already where both lie in one pack. A clip without joints needs none,
/// and fits none.
/// @param clip [in,out] its `rest` points into the pack of `skeleton` afterwards
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (other joints). On error `clip` stays.
/// Threads: `clip` is exclusive.
TRP_API trp_result trp_clip_bind(trp_clip *clip, const trp_skeleton *skeleton);

/// Returns what a clip says of one property of one lane, in rows or in keys; TRP_TRACK_ABSENT when
/// out of range. See trp_clip_value_coverage for what is no joint.
/// Cost: O(keyed tracks). Threads: any number may share `clip`.
TRP_API trp_track_kind trp_clip_track_kind(const trp_clip *clip, trp_path path, uint32_t lane);

/// Writes 1 for every lane of which the clip says anything, else 0: a mask for blending, so that
/// an upper-body clip does not drag the legs to rest.
/// @param mask [out] 16 * clip->block_count floats
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `mask` is untouched.
/// Cost: O(lanes + keyed tracks). Threads: any number may share `clip`.
TRP_API trp_result trp_clip_coverage(const trp_clip *clip, float *mask);

/// Returns the segment that a time falls into (clamped, NaN 0), or TRP_NONE without segments.
TRP_API uint32_t trp_clip_segment_at(const trp_clip *clip, double time_s);

/// Returns the bytes that trp_clip_prepare needs for any segment of a clip. The same for every
/// instruction set.
TRP_API size_t trp_clip_prepared_bytes(const trp_clip *clip);

/// Expands one segment into the form that sampling reads, so that later calls need not.
/// @param segment [0, segment_count); 0 is also allowed for a clip without segments
/// @param memory  [out] 64-byte aligned; valid while the bytes of the pack live
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_CAPACITY, TRP_ERROR_MISMATCH (clip not bound).
///         On error `memory` is untouched.
/// Cost: O(lanes + values), some ten times a sample. Threads: any number may share `clip`.
TRP_API trp_result trp_clip_prepare(const trp_clip *clip, uint32_t segment, void *memory,
                                    size_t memory_bytes);

#endif
