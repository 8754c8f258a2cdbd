// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keyed tracks: what a clip holds exactly as its source had it, key by key. trp_sample plays them
// with the rest of the clip; this header is for looking at one track, and for playing tracks alone.
#ifndef TROUPE_TRACK_H
#define TROUPE_TRACK_H

#include <troupe/clip.h>

/// How values move from one key to the next. Values never change.
typedef enum trp_interpolation {
    TRP_INTERPOLATION_STEP = 0,    ///< not at all: they change at the next key
    TRP_INTERPOLATION_LINEAR = 1,  ///< straight; rotations the short way, by nlerp with the time of
                                   ///< slerp to a thousandth of the angle
    TRP_INTERPOLATION_CUBIC = 2,   ///< Hermite, tangents per second; rotations as they are, the
                                   ///< long way too, then normalised
    TRP_INTERPOLATION_SLERP = 3,   ///< rotations at constant speed; else as LINEAR
    TRP_INTERPOLATION_BEZIER = 4,  ///< with handles in time and value; rotations normalised
    TRP_INTERPOLATION_EASING = 5,  ///< as LINEAR along a named easing
    TRP_INTERPOLATION_SAMPLED = 6, ///< as LINEAR along a drawn curve
} trp_interpolation;

/// One property of one joint, or of the clip's property set. Filled by trp_clip_track; treat as
/// read-only. Holds no state: any number of instances and threads may share one.
typedef struct trp_track {
    trp_path path;
    uint32_t target; ///< lane, or index in the property set
    uint32_t stride; ///< floats of a value: rotation 4, translation and scale 3, property 1 to N
    uint32_t key_count;
    double duration_s; ///< time of the last key; 0 with one key, whatever the clip lasts
    trp_interpolation interpolation; ///< after the first key
    uint32_t index;                  ///< in its clip
    const double *times;             ///< [key_count] seconds, ascending from 0 or more; of some
                                     ///< properties from -1: what they have at negative times
    const uint8_t *keyed;            ///< the keyed part of the clip, see src/FORMAT.md
    uint32_t group;                  ///< of tracks that share their key times
    uint32_t first;                  ///< component within the group
} trp_track;

/// Fills a view of one keyed track.
/// @param index [0, clip->track_count)
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `track` is untouched.
/// Cost: O(1). Threads: any number may share `clip`.
TRP_API trp_result trp_clip_track(const trp_clip *clip, uint32_t index, trp_track *track);

/// Returns how a track moves from one key to the next.
/// @param key [0, track->key_count); past it, and for the last key, TRP_INTERPOLATION_STEP
/// Cost: O(1). Threads: any number may share `track`.
TRP_API trp_interpolation trp_track_interpolation(const trp_track *track, uint32_t key);

/// Samples a track. Before its first key it has the first value, from the last one on the last; at
/// a key exactly that key's value, bit for bit (rotations: normalised).
/// @param time_s     any, also negative: a first key at -1 is played as any other; NaN counts as 0
/// @param cursor     [in,out] where the key was found last time, so that playing on costs two
///                   comparisons and only seeking a search; any content is harmless and changes no
///                   bit of the result; tracks of one group may share it; may be null
/// @param into       [out] track->stride floats; those after them stay as they are
/// @param into_count floats that `into` has room for
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_CAPACITY (`into_count` is below the stride).
///         On error nothing is written.
/// Cost: O(stride), after a seek also O(log(keys)). Threads: `cursor` and `into` are exclusive.
/// Source: src/FORMAT.md, "Keyed values".
TRP_API trp_result trp_track_sample(const trp_track *track, double time_s, uint32_t *cursor,
                                    float *into, uint32_t into_count);

/// Samples a track of three floats; see trp_track_sample.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (another stride)
TRP_API trp_result trp_track_sample_vector3(const trp_track *track, double time_s, uint32_t *cursor,
                                            float into[3]);

/// Samples a rotation, x y z w, of unit length; see trp_track_sample.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (not a rotation)
TRP_API trp_result trp_track_sample_quaternion(const trp_track *track, double time_s,
                                               uint32_t *cursor, float into[4]);

/// One value to sample.
typedef struct trp_track_request {
    const trp_track *track;
    double time_s;    ///< any; NaN counts as 0
    uint32_t *cursor; ///< [in,out] as for trp_track_sample; may be null
    float *into;      ///< [out] track->stride floats
} trp_track_request;

/// A batch of values. Zero means default in every field.
typedef struct trp_track_args {
    const trp_track_request *requests;
    uint32_t request_count;
} trp_track_args;

/// Samples a batch of tracks: the same bits as one after the other. Where tracks of a clip share
/// their key times, trp_sample evaluates all of them in a fraction of the time.
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error nothing is written.
/// Cost: O(floats), after seeks also O(log(keys)); no allocation.
/// Threads: any number may share tracks; cursors and values are exclusive.
TRP_API trp_result trp_sample_tracks(const trp_track_args *args);

#endif
