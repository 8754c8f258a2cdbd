// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Playheads: where an instance is in a clip, and how it moves on. Time is counted in whole units,
// so that a playhead after a year of play is the same as a fresh one. Playheads are plain data:
// copy them to save a state, copy them back to roll it back. What happened between two states is
// asked of event.h and root_motion.h.
#ifndef TROUPE_PLAYHEAD_H
#define TROUPE_PLAYHEAD_H

#include <troupe/clip.h>

/// What happens at the ends of a timeline. Values never change.
typedef enum trp_play_mode {
    TRP_PLAY_CLAMP = 0,     ///< stops at either end
    TRP_PLAY_LOOP = 1,      ///< goes on at the other end, which is the same moment
    TRP_PLAY_PING_PONG = 2, ///< turns back
} trp_play_mode;

/// Returns how the file of a clip says that it plays; TRP_PLAY_CLAMP where it says nothing.
/// Cost: O(1). Threads: any.
TRP_API trp_play_mode trp_clip_play_mode(const trp_clip *clip);

/// What a timeline is made of. Zero means default in every field but `clip`.
typedef struct trp_timeline_args {
    const trp_clip *clip; ///< stays in place for the life of the timeline; need not be bound
    trp_play_mode mode;
    double start_s;     ///< first moment of the clip to play, clamped to [0, duration_s]; NaN: 0
    double end_s;       ///< last one, clamped to [start_s, duration_s]; 0 or NaN: the whole clip
    uint32_t clock_num; ///< ticks per second of the caller's clock = clock_num / clock_den; 0: time
                        ///< comes in seconds only
    uint32_t clock_den; ///< 0 counts as 1
} trp_timeline_args;

/// A clip, or a part of it, to be played. Constant: any number of playheads share one. Filled by
/// trp_timeline_make; treat as read-only.
/// A unit is a fraction of a tick of the clip, chosen so that the clip, and one tick of the
/// caller's clock at any speed that is a multiple of 1/65536, are whole numbers of units.
typedef struct trp_timeline {
    const trp_clip *clip;
    int64_t start;           ///< units from the start of the clip
    int64_t length;          ///< units from start to end; 0 stands still
    int64_t units_per_tick;  ///< of the clip; a multiple of 2^20
    int64_t units_per_clock; ///< a tick of the caller's clock at speed 1/65536; 0 without a clock
    double units_per_second;
    double start_s;
    double end_s;
    trp_play_mode mode;
    uint32_t first_event; ///< of the clip that lies in the timeline, ends included
    uint32_t event_count;
} trp_timeline;

/// Makes a timeline.
/// @param timeline [out]
/// @return TRP_OK; TRP_ERROR_ARGUMENT; TRP_ERROR_UNSUPPORTED (the clip is so long and the clock so
///         fine, or so unlike the rate of the clip, that no unit of 64 bits serves both). On error
///         `timeline` is untouched.
/// Cost: O(log events). Threads: any number may share `clip`.
TRP_API trp_result trp_timeline_make(const trp_timeline_args *args, trp_timeline *timeline);

/// Bits of trp_playhead::flags.
enum {
    TRP_PLAYHEAD_STARTING = 1u << 0, ///< not advanced yet, not even by 0: its first advance
                                     ///< includes the moment it starts from
    TRP_PLAYHEAD_ENDED = 1u << 1,    ///< clamped, and at the end that it last moved towards
};

/// A place on a timeline. Plain data without pointers.
typedef struct trp_playhead {
    int64_t position;  ///< units from the start of the timeline: clamped [0, length], looping
                       ///< [0, length), ping-pong [0, 2 * length), on the way back above length
    int64_t cycle;     ///< how often it came round: loops, or ways there and back; below 0 when
                       ///< played backwards; 0 where clamped
    float speed;       ///< 1 as made, below 0 backwards; NaN counts as 0
    uint32_t timeline; ///< index among the timelines of a call
    uint32_t flags;    ///< TRP_PLAYHEAD_*
    uint32_t reserved; ///< 0
} trp_playhead;

/// Returns a playhead about to play from a moment: speed 1, timeline 0, cycle 0, STARTING.
/// @param timeline may be null: position 0
/// @param time_s   of the clip, clamped to the timeline; NaN counts as its start. Times are taken
///                 down to 2^-20 of a tick, as those of events are. A looping playhead at the end
///                 stands at the beginning of cycle 1
/// Cost: O(1). Threads: any number may share `timeline`.
TRP_API trp_playhead trp_playhead_start(const trp_timeline *timeline, double time_s);

/// Moves a playhead to a moment without playing what lies between: no event fires, and its next
/// advance begins after that moment. Speed and timeline stay, the cycle becomes that of
/// trp_playhead_start.
/// Cost: O(1). Threads: `playhead` is exclusive.
TRP_API void trp_playhead_seek(const trp_timeline *timeline, double time_s, trp_playhead *playhead);

/// Returns the time of the clip that a playhead stands at, for sampling; 0 where either is null,
/// or the timeline has no clip.
/// Cost: O(1). Threads: any.
TRP_API double trp_playhead_time_s(const trp_timeline *timeline, const trp_playhead *playhead);

/// Playheads to move on together. Zero means default in every field.
typedef struct trp_playhead_args {
    const trp_timeline *timelines;
    uint32_t timeline_count;
    uint32_t playhead_count;
    trp_playhead *playheads; ///< [in,out]
    double dt_s;             ///< seconds to move on by; NaN counts as 0
    int64_t dt_ticks; ///< and ticks of the caller's clock, exactly; for timelines with a clock
    trp_playhead *previous; ///< [out, playhead_count] where they came from; may be null
    double *times_s; ///< [out] where they are in their clips, 0 without a timeline; may be null
    uint32_t times_stride_bytes; ///< from one time to the next; 0: 8. Lets times go straight into
                                 ///< trp_sample_request
} trp_playhead_args;

/// What a batch met that was not as it should be.
typedef struct trp_playhead_report {
    uint32_t bad_speed_count;    ///< NaN, taken as 0
    uint32_t bad_timeline_count; ///< playheads whose timeline does not exist, or has no clip, or no
                                 ///< clock while `dt_ticks` is not 0, or that stand off it: not
                                 ///< touched
} trp_playhead_report;

/// Moves playheads on by dt * speed.
/// Ticks are exact: speeds are taken to the nearest multiple of 1/65536, limited to [-32768,
/// 32768], and nothing else is rounded, ever. Seconds are rounded to the nearest unit once a call,
/// 2^-40 of a tick of the clip where that is no longer than 2^20 ticks and there is no clock, so
/// that after n calls a playhead is off by no more than n half units and 2^-51 of the way it went.
/// Moving by -dt takes back moving by dt, but for clamping. Any dt ends at once, and none is too
/// long: loops and ways there and back come out as if each had been gone. Infinite seconds count as
/// DBL_MAX. The count of cycles wraps around.
/// @param report [out] may be null
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error nothing moves.
/// Cost: O(playheads), flat in dt, but for a microsecond or two where a single way is longer than
/// 2^61 units; no allocation. Threads: any number may share timelines; playheads, `previous` and
/// times are exclusive.
TRP_API trp_result trp_playheads_advance(const trp_playhead_args *args,
                                         trp_playhead_report *report);

#endif
