// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What playheads, events and root motion know alike of timelines: units, periods and times.
#ifndef TROUPE_SRC_TIMELINE_H
#define TROUPE_SRC_TIMELINE_H

#include <stdbool.h>
#include <troupe/playhead.h>

#include "format.h"

/// What is added to a phase before it is rounded down. A time that stands for a whole phase may
/// come out a few parts in 2^53 too early, which is less than this in the first 2^23 ticks of a
/// clip; and no frame could tell events by so little.
#define TRP__PHASE_SLACK 0x1p-8

/// Returns the phase (2^-20 ticks) of a time from the start of a clip: down to the next whole one,
/// so that rounding never makes an event fire a frame late.
static inline uint64_t trp__phase_of_time(double time_s, uint32_t rate_num, uint32_t rate_den,
                                          uint32_t tick_count)
{
    const uint64_t last = (uint64_t)tick_count << 20;
    const double rate = (double)rate_num / (double)rate_den;
    const double phase = time_s * (rate * 1048576.0) + TRP__PHASE_SLACK;
    return phase < (double)last ? (uint64_t)phase : last;
}

static inline uint64_t trp__greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// Units after which a playhead comes round; 0 where the timeline stands still. No branch: crowds
/// mix modes.
static inline int64_t trp__period(const trp_timeline *timeline)
{
    return timeline->length << (timeline->mode == TRP_PLAY_PING_PONG);
}

/// Positions that playheads can have are those from 0 up to, but not at, this one.
static inline int64_t trp__position_count(const trp_timeline *timeline)
{
    const bool is_end_apart = (timeline->mode == TRP_PLAY_CLAMP) | (timeline->length == 0);
    return trp__period(timeline) + is_end_apart;
}

/// Whether a playhead can stand where it does.
static inline bool trp__is_on_timeline(const trp_timeline *timeline, const trp_playhead *playhead)
{
    const bool is_cycle_possible = (timeline->mode != TRP_PLAY_CLAMP) | (playhead->cycle == 0);
    return ((uint64_t)playhead->position < (uint64_t)trp__position_count(timeline)) &
           is_cycle_possible;
}

/// Units from the start of the timeline, [0, length], of a position on it.
static inline int64_t trp__units_of_position(const trp_timeline *timeline, int64_t position)
{
    return position <= timeline->length ? position : 2 * timeline->length - position;
}

/// Time of the clip at some units, [0, length], from the start of the timeline. Never falls as
/// units rise; exactly the ends of the timeline at its ends.
static inline double trp__time_of_units(const trp_timeline *timeline, int64_t units)
{
    // Far out at the ends, so that the limits below give them: no branch, crowds mix states.
    const int beyond = (units >= timeline->length) - (units <= 0);
    const double at = (double)(timeline->start + units) + beyond * 0x1p62;
    const double ticks = at / (double)timeline->units_per_tick;
    const double time_s =
        ticks * (double)timeline->clip->rate_den / (double)timeline->clip->rate_num;
    const double above_s = time_s > timeline->start_s ? time_s : timeline->start_s;
    return above_s < timeline->end_s ? above_s : timeline->end_s;
}

/// How long a timeline is.
static inline double trp__length_s(const trp_timeline *timeline)
{
    return timeline->length > 0 ? (double)timeline->length / timeline->units_per_second : 0;
}

/// Units from the start of the timeline of a phase of its clip (2^-20 ticks), such as an event's.
static inline int64_t trp__units_of_phase(const trp_timeline *timeline, uint64_t phase)
{
    return (int64_t)phase * (timeline->units_per_tick >> 20) - timeline->start;
}

/// The events of a clip.
struct trp__event_table {
    uint32_t count;
    const uint64_t *phases;
    const struct trp__event *events;
};

static inline struct trp__event_table trp__event_table_of(const trp_clip *clip)
{
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    if (header->events_offset == 0) {
        return (struct trp__event_table){0};
    }
    const struct trp__events_header *const events =
        (const void *)(clip->bytes + header->events_offset);
    const uint64_t *const phases = (const void *)(events + 1);
    return (struct trp__event_table){
        .count = events->event_count,
        .phases = phases,
        .events = (const void *)(phases + events->event_count),
    };
}

#endif
