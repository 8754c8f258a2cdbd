// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events: named moments of a clip, such as footsteps. Asked for by two states of a playhead: what
// lies between them fires, each event once for every time it is passed, however the way is split
// into advances.
#ifndef TROUPE_EVENT_H
#define TROUPE_EVENT_H

#include <troupe/easing.h>
#include <troupe/playhead.h>

/// Bits of trp_event::flags.
enum {
    TRP_EVENT_INTEGER = 1u << 0, ///< `integer` is set
    TRP_EVENT_NUMBER = 1u << 1,  ///< `number` is set
    TRP_EVENT_TEXT = 1u << 2,    ///< `text` is set
    TRP_EVENT_MARKER = 1u << 3,  ///< marks a phase for sync.h; fires as any other
};

/// A named moment of a clip. Filled by trp_clip_event; treat as read-only.
typedef struct trp_event {
    const char *name; ///< UTF-8, not empty
    uint64_t name_hash;
    double time_s;      ///< [0, duration of the clip]
    double duration_s;  ///< 0: a moment; may reach past the end of the clip, which cuts it short
    uint32_t index;     ///< in its clip, in the order of time
    uint32_t flags;     ///< TRP_EVENT_*
    int64_t integer;    ///< payload, 0 without
    double number;      ///< payload, at most 1e300 in size, 0 without
    const char *text;   ///< payload, empty without
    const char *target; ///< what it is about, such as the name of a node; empty for the clip itself
    double from_number; ///< `number` at the beginning of an event with a duration, 0 without
    uint32_t easing;    ///< from the one to the other, see easing.h
    uint32_t sample_count; ///< of a drawn time curve instead, at least 2; 0 without
    const float *samples;  ///< that curve, at evenly spaced times, in the pack; null without
} trp_event;

/// Fills a view of an event.
/// @param index [0, clip->event_count)
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `event` is untouched.
/// Cost: O(1). Threads: any number may share `clip`.
TRP_API trp_result trp_clip_event(const trp_clip *clip, uint32_t index, trp_event *event);

/// Returns the first event at or after `first` whose name has this hash, or TRP_NONE.
/// Cost: O(events). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_clip_find_event(const trp_clip *clip, uint64_t name_hash, uint32_t first);

/// Returns the number of an event with a duration at a part of it, as of trp_event_range::from and
/// trp_event_range::to: from_number + (number - from_number) * trp_ease(easing, progress), or along
/// its samples, straight between them.
/// @param event    null: 0
/// @param progress clamped to [0, 1]; 1 for a moment, which gives its number; NaN counts as 0
/// @return finite
/// Cost: O(1). Threads: any.
TRP_API double trp_event_value(const trp_event *event, double progress);

/// Bits of trp_event_hit::flags and trp_event_range::flags.
enum {
    TRP_EVENT_REVERSE = 1u << 0, ///< passed backwards in the clip's time; where a ping-pong turns,
                                 ///< by a playhead that moves backwards
    TRP_EVENT_BEGAN = 1u << 1,   ///< ranges: not active yet where the interval came from
    TRP_EVENT_ENDED = 1u << 2,   ///< ranges: not active any more where the interval arrives
};

/// An event that fired.
typedef struct trp_event_hit {
    uint32_t playhead; ///< index in the batch
    uint32_t event;    ///< index in the clip
    uint32_t flags;    ///< TRP_EVENT_REVERSE
    float weight;      ///< of the playhead
    float fraction;    ///< [0, 1] how much of the way had been gone when it fired
} trp_event_hit;

/// An event with a duration that was active during an interval.
typedef struct trp_event_range {
    uint32_t playhead; ///< index in the batch
    uint32_t event;    ///< index in the clip
    uint32_t flags;    ///< TRP_EVENT_REVERSE (the last movement in it), BEGAN, ENDED
    float weight;      ///< of the playhead
    float from; ///< [0, 1] progress within the event where the last pass began, or the interval
    float to;   ///< [0, 1] where that pass ended, or the interval; not 1 where the clip ends first
} trp_event_range;

/// Intervals to look at: playheads before and after an advance. Zero means default in every field.
typedef struct trp_event_args {
    const trp_timeline *timelines;
    uint32_t timeline_count;
    uint32_t playhead_count;
    const trp_playhead *previous;  ///< as trp_playheads_advance wrote them
    const trp_playhead *playheads; ///< and as it left them
    const float *weights;   ///< of the layers they play for; null: 1. NaN and negative count as 0
    float weight_threshold; ///< playheads of less weight fire nothing; NaN counts as 0
    uint64_t skip;          ///< hits to pass over, to go on after a full buffer
} trp_event_args;

/// What a query found.
typedef struct trp_event_report {
    uint64_t hit_count;          ///< of all intervals together, written or not; UINT64_MAX: or more
    uint32_t written_count;      ///< how many lie in the buffer now
    uint32_t bad_weight_count;   ///< NaN or negative, taken as 0
    uint32_t bad_playhead_count; ///< of a timeline that does not exist, or that `previous` has
                                 ///< otherwise, or off it: fire nothing
} trp_event_report;

/// Lists the events that fire between two states of playheads, by playhead and then in the order in
/// which they happen.
/// An interval takes in where it arrives and not where it came from, forwards (previous, now] and
/// backwards [now, previous); both where the advance was the first after STARTING. So advances that
/// follow each other fire every event once, and a seek fires none. At the seam of a loop the last
/// and the first moment are one: both their events fire there; but where a playhead starts there,
/// only those of the side that it turns to, at the start of the clip forwards and at its end
/// backwards. Where a ping-pong turns, events fire once. An interval without movement has the
/// direction of the speed of `now`.
/// @param hits         [out] `hit_capacity` of them; may be null with capacity 0, to count
/// @param report       [out] must not be null: tells how many there are
/// @return TRP_OK (also when not all fit), TRP_ERROR_ARGUMENT. On error nothing is written.
/// Cost: O(playheads * log(events) + hits written), flat in how many cycles went by; no allocation.
/// Threads: any number may share timelines and playheads; `hits` is exclusive.
TRP_API trp_result trp_events(const trp_event_args *args, trp_event_hit *hits,
                              uint32_t hit_capacity, trp_event_report *report);

/// Lists the events with a duration that were active at any moment of an interval, each once, with
/// how far they had come: for streams of values, and for states that a host switches on and off.
/// Whether an event is active depends on the place alone, whatever the direction: from its time up
/// to, but not at, the end of its duration, or from and to the ends of the timeline, which cut it
/// and squeeze nothing: `from` and `to` are parts of all of it. Of a ping-pong the way back counts
/// as time that goes on, from the end of the duration up to, but not at, its beginning; one that
/// turns within an event stays in it. A playhead that is STARTING was nowhere before. So BEGAN and
/// ENDED take turns over intervals that follow each other, and a host that counts them knows what
/// is active; after a seek it starts anew. Over several cycles the last pass gives `from` and `to`.
/// Otherwise as trp_events.
/// Cost: O(playheads * events).
TRP_API trp_result trp_event_ranges(const trp_event_args *args, trp_event_range *ranges,
                                    uint32_t range_capacity, trp_event_report *report);

#endif
