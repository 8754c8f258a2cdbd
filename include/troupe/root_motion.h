// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Root motion: how a character moves through the world while a clip plays. The compiler takes it
// from a root joint (`troupe compile --root-motion`); here it is the way between two states of a
// playhead, over any number of loops, in closed form.
#ifndef TROUPE_ROOT_MOTION_H
#define TROUPE_ROOT_MOTION_H

#include <troupe/playhead.h>

/// Components of root motion, as bits.
enum {
    TRP_ROOT_X = 1u << 0,
    TRP_ROOT_Y = 1u << 1,
    TRP_ROOT_Z = 1u << 2,
    TRP_ROOT_YAW = 1u << 3, ///< turning about +Y
};

/// What a clip says of root motion. Filled by trp_clip_root_motion; treat as read-only.
/// The motion M of a key turns about the axis that is parallel to +Y through the pivot, then moves:
/// with R a turn about +Y, a point goes to pivot + R * (point - pivot) + (x, y, z). The pivot is
/// where the joint stands at the start of the clip, so that keys hold its way alone: turning on the
/// spot is no way, however far from the origin.
typedef struct trp_root_motion {
    uint32_t lane;          ///< of the joint that it was taken from
    uint32_t components;    ///< TRP_ROOT_*
    uint32_t key_count;     ///< at least 1
    uint32_t is_in_pose;    ///< 1 where the pose still has it, 0 where it was taken out
    float pivot[2];         ///< x z in source units; 0 where yaw is not a component
    const double *times;    ///< [key_count] seconds, ascending
    const float (*keys)[4]; ///< [key_count] x y z in source units, yaw in turns; linear in between
} trp_root_motion;

/// Fills a view of the root motion of a clip.
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_MISMATCH (the clip has none). On error
///         `root_motion` is untouched.
/// Cost: O(1). Threads: any number may share `clip`.
TRP_API trp_result trp_clip_root_motion(const trp_clip *clip, trp_root_motion *root_motion);

/// A rigid movement in the model space of a character: turn about +Y by `yaw_rad`, then move.
/// A character that stood at `world_from_model` stands at `world_from_model * delta` afterwards.
typedef struct trp_root_delta {
    double translation[3]; ///< source units
    double yaw_rad;        ///< not wrapped: two full turns are 4 pi
} trp_root_delta;

/// Movements to compute: playheads before and after an advance. Zero means default in every field.
typedef struct trp_root_motion_args {
    const trp_timeline *timelines;
    uint32_t timeline_count;
    uint32_t playhead_count;
    const trp_playhead *previous;  ///< as trp_playheads_advance wrote them
    const trp_playhead *playheads; ///< and as it left them
    trp_root_delta *deltas;        ///< [out, playhead_count]
} trp_root_motion_args;

/// What a batch met that was not as it should be.
typedef struct trp_root_motion_report {
    uint32_t bad_playhead_count; ///< of a timeline that does not exist, or that `previous` has
                                 ///< otherwise, or off it: no movement
} trp_root_motion_report;

/// Computes how characters moved between two states of playheads. With M(t) the motion since the
/// start of a timeline and C that of one whole loop: inverse(M(from)) * C^loops * M(to), a turn
/// about the model's origin and a way of that origin. A way there and back (ping-pong) moves
/// nothing. No movement where a clip has no root motion; before its first key and after its last
/// one it stands still.
/// Only the difference of cycles counts: after any number of loops a frame has the same bits. The
/// way back is the inverse of the way there, and parts of a way combine to the whole: yaws up to
/// 1e-15 r, translations up to (1e-14 (1 + r) + 1e-18 n) d, where r is the radians turned, n the
/// loops and d the distance moved, each summed over the parts, r and d plus the largest difference
/// between two keys, d plus how far the pivot is from the origin; and up to what
/// trp_root_delta_combine rounds, which counts where parts are many. Finite for any number of
/// loops.
/// @param report [out] may be null
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error nothing is written.
/// Cost: O(playheads * log(keys)), flat in how many cycles went by; no allocation.
/// Threads: any number may share timelines and playheads; `deltas` is exclusive.
TRP_API trp_result trp_root_motion_between(const trp_root_motion_args *args,
                                           trp_root_motion_report *report);

/// Returns `first` followed by `second`. Null counts as no movement.
/// Every sum rounds: n parts one after the other are off by up to 2e-16 n r in yaw and 2e-16 n (1 +
/// r) d in translation, with r the radians turned and d the distance moved, each summed over the
/// parts. Three hours of walking at 60 Hz come out some 1e-7 units off; the way between the first
/// playhead and the last one, asked for as a whole, does not.
/// Cost: O(1). Threads: any.
TRP_API trp_root_delta trp_root_delta_combine(const trp_root_delta *first,
                                              const trp_root_delta *second);

/// Returns the inverse of a movement. Null counts as no movement.
/// Cost: O(1). Threads: any.
TRP_API trp_root_delta trp_root_delta_inverse(const trp_root_delta *delta);

/// Writes the rotation of a movement as a quaternion, x y z w, of unit length; that of no movement
/// for null, NaN, infinity and yaws so large that no fraction of a turn is left.
/// Cost: O(1). Threads: any.
TRP_API void trp_root_delta_rotation(const trp_root_delta *delta, float rotation[4]);

/// The movements of the layers of one character.
typedef struct trp_root_blend_job {
    const trp_root_delta *deltas; ///< [layer_count]
    const float *weights;         ///< [layer_count] NaN and negative count as 0
    uint32_t layer_count;
} trp_root_blend_job;

/// A batch of blends. Zero means default in every field.
typedef struct trp_root_blend_args {
    const trp_root_blend_job *jobs;
    uint32_t job_count;
    trp_root_delta *deltas; ///< [out, job_count]
} trp_root_blend_args;

/// Blends movements as trp_blend does poses: the average by weight of translations and yaws; no
/// movement where the sum of weights is 0. Weights above 2^60 count as 2^60. Layers of weight 0 are
/// not read, and one layer alone stays bit for bit.
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error nothing is written.
/// Cost: O(layers); no allocation. Threads: any number may share layers; `deltas` is exclusive.
TRP_API trp_result trp_blend_root_motion(const trp_root_blend_args *args);

#endif
