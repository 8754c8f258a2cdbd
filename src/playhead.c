// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <troupe/playhead.h>

#include "arguments.h"
#include "timeline.h"
#include "turns.h"

#define MAX_CLIP_UNITS ((uint64_t)1 << 60) // so that a way there and back and near moves add up
#define MAX_CLOCK_UNITS ((uint64_t)1 << 62)
#define FINE_BITS 40
#define PHASES_PER_TICK (1 << 20)
#define SPEEDS_PER_ONE (1 << 16) // in steps of which ticks are exact
#define MAX_SPEED (1 << 15)
#define MAX_MOVE ((int64_t)1 << 62) // far beyond the ends of any timeline

trp_play_mode trp_clip_play_mode(const trp_clip *clip)
{
    const uint32_t flags = clip ? clip->flags : 0;
    return flags & TRP_CLIP_PING_PONG ? TRP_PLAY_PING_PONG
           : flags & TRP_CLIP_LOOPS   ? TRP_PLAY_LOOP
                                      : TRP_PLAY_CLAMP;
}

// -- Timelines

/// What time is counted in.
struct units {
    int64_t per_tick;       ///< of the clip
    int64_t per_clock_tick; ///< at speed 1; 0 without a clock
};

/// Chooses a unit of which a tick of the clip and one of the clock are whole numbers: 2^-40 of a
/// tick of the clip or the next coarser, and finer only where the clock needs it, so that one move
/// can go far.
/// @return false where none fits phases of the clip, speeds of the clock and 64 bits
static bool choose_units(const trp_timeline_args *args, struct units *units)
{
    const trp_clip *const clip = args->clip;
    // A tick of the clock is clip_ticks / clock_ticks ticks of the clip.
    uint64_t clip_ticks = 0;
    uint64_t clock_ticks = 1;
    if (args->clock_num != 0) {
        clip_ticks = (uint64_t)(args->clock_den ? args->clock_den : 1) * clip->rate_num;
        clock_ticks = (uint64_t)args->clock_num * clip->rate_den;
        const uint64_t common = trp__greatest_common_divisor(clip_ticks, clock_ticks);
        clip_ticks /= common;
        clock_ticks /= common;
    }
    const uint64_t max_per_tick = MAX_CLIP_UNITS / (clip->tick_count ? clip->tick_count : 1);
    bool is_found = false;
    for (int shift = 0; shift <= FINE_BITS; shift++) {
        if (clock_ticks > max_per_tick >> shift || clip_ticks > MAX_CLOCK_UNITS >> shift) {
            break;
        }
        const int64_t per_tick = (int64_t)(clock_ticks << shift);
        const int64_t per_clock_tick = (int64_t)(clip_ticks << shift);
        if (per_tick % PHASES_PER_TICK == 0 && per_clock_tick % SPEEDS_PER_ONE == 0 &&
            (!is_found || per_tick <= (int64_t)1 << FINE_BITS)) {
            *units = (struct units){per_tick, per_clock_tick};
            is_found = true;
        }
    }
    return is_found;
}

/// Returns the units from the start of the clip at a time in [0, duration_s], by whole phases as
/// those of events are found: to start at the time of an event is to start at the event.
static int64_t units_of_time(const trp_clip *clip, const trp_timeline *timeline, double time_s)
{
    const uint64_t phase =
        time_s < clip->duration_s
            ? trp__phase_of_time(time_s, clip->rate_num, clip->rate_den, clip->tick_count)
            : (uint64_t)clip->tick_count << 20;
    return (int64_t)phase * (timeline->units_per_tick >> 20);
}

/// Clamps a time to [low, high]; NaN counts as `low`.
static double clamp_time(double time_s, double low, double high)
{
    return time_s > low ? (time_s < high ? time_s : high) : low;
}

/// Returns how many phases lie below some units from the start of the timeline.
static uint32_t phases_below(const trp_timeline *timeline, const struct trp__event_table *events,
                             int64_t units)
{
    uint32_t low = 0;
    uint32_t high = events->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trp__units_of_phase(timeline, events->phases[middle]) < units) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

trp_result trp_timeline_make(const trp_timeline_args *args, trp_timeline *timeline)
{
    if (!args || !timeline || !args->clip || !args->clip->bytes ||
        (unsigned)args->mode > TRP_PLAY_PING_PONG) {
        return TRP_ERROR_ARGUMENT;
    }
    const trp_clip *const clip = args->clip;
    struct units units;
    if (!choose_units(args, &units)) {
        return TRP_ERROR_UNSUPPORTED;
    }
    const bool is_to_the_end = !(args->end_s < 0 || args->end_s > 0);
    const double start_s = clamp_time(args->start_s, 0, clip->duration_s);
    const double end_s = is_to_the_end ? clip->duration_s : args->end_s;
    *timeline = (trp_timeline){
        .clip = clip,
        .units_per_tick = units.per_tick,
        .units_per_clock = units.per_clock_tick / SPEEDS_PER_ONE,
        .units_per_second = (double)units.per_tick * clip->rate_num / clip->rate_den,
        .start_s = start_s,
        .end_s = clamp_time(end_s, start_s, clip->duration_s),
        .mode = args->mode,
    };
    timeline->start = units_of_time(clip, timeline, timeline->start_s);
    timeline->length = units_of_time(clip, timeline, timeline->end_s) - timeline->start;
    const struct trp__event_table events = trp__event_table_of(clip);
    timeline->first_event = phases_below(timeline, &events, 0);
    timeline->event_count =
        phases_below(timeline, &events, timeline->length + 1) - timeline->first_event;
    return TRP_OK;
}

// -- Single playheads

/// Puts a playhead where it is at a time, coming from the start of the timeline.
static void place(const trp_timeline *timeline, double time_s, trp_playhead *playhead)
{
    playhead->position = 0;
    playhead->cycle = 0;
    if (!timeline || timeline->length == 0) {
        return;
    }
    const double clamped_s = clamp_time(time_s, timeline->start_s, timeline->end_s);
    const int64_t units = units_of_time(timeline->clip, timeline, clamped_s) - timeline->start;
    if (timeline->mode == TRP_PLAY_LOOP && units == timeline->length) {
        playhead->cycle = 1;
    } else {
        playhead->position = units;
    }
}

trp_playhead trp_playhead_start(const trp_timeline *timeline, double time_s)
{
    trp_playhead playhead = {.speed = 1, .flags = TRP_PLAYHEAD_STARTING};
    place(timeline, time_s, &playhead);
    return playhead;
}

void trp_playhead_seek(const trp_timeline *timeline, double time_s, trp_playhead *playhead)
{
    if (!playhead) {
        return;
    }
    place(timeline, time_s, playhead);
    playhead->flags &= ~(uint32_t)(TRP_PLAYHEAD_STARTING | TRP_PLAYHEAD_ENDED);
}

static inline double time_of_position(const trp_timeline *timeline, int64_t position)
{
    return trp__time_of_units(timeline, trp__units_of_position(timeline, position));
}

double trp_playhead_time_s(const trp_timeline *timeline, const trp_playhead *playhead)
{
    return timeline && timeline->clip && playhead ? time_of_position(timeline, playhead->position)
                                                  : 0;
}

// -- Moving on

/// Moves a playhead past an end of a timeline that loops or turns.
/// @param target where it would be if the timeline went on
static void come_round(const trp_timeline *timeline, int64_t target, trp_playhead *playhead)
{
    const int64_t period = trp__period(timeline);
    if (period == 0) {
        return;
    }
    int64_t cycles = target < 0 ? -1 : 1;
    int64_t position = target - cycles * period;
    if (position < 0 || position >= period) { // more than once
        cycles = target / period;
        position = target % period;
        if (position < 0) {
            position += period;
            cycles--;
        }
    }
    playhead->position = position;
    playhead->cycle = (int64_t)((uint64_t)playhead->cycle + (uint64_t)cycles);
}

/// Moves a playhead that is on its timeline. Branches only to come round, which is rare: crowds mix
/// modes, and playheads that ended with those that did not.
static inline void advance(const trp_timeline *timeline, int64_t move, trp_playhead *playhead)
{
    const bool is_clamped = timeline->mode == TRP_PLAY_CLAMP;
    const int64_t low = is_clamped ? 0 : INT64_MIN; // beyond what a move can reach
    const int64_t high = is_clamped ? timeline->length : INT64_MAX;
    const int64_t target = playhead->position + move;
    const int64_t above = target > low ? target : low;
    const int64_t position = above < high ? above : high;
    const bool is_at_end = (position == low) | (position == high);
    const uint32_t ended = is_at_end * (uint32_t)TRP_PLAYHEAD_ENDED;
    playhead->flags = move != 0 ? ended : playhead->flags & TRP_PLAYHEAD_ENDED;
    if ((uint64_t)position < (uint64_t)trp__position_count(timeline)) {
        playhead->position = position;
    } else {
        come_round(timeline, position, playhead);
    }
}

static inline bool is_near(double units)
{
    return (units > -0x1p61) & (units < 0x1p61);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/// Returns a speed in steps of 1/65536.
static inline int64_t steps_of(double speed)
{
    const double most = (double)MAX_SPEED * SPEEDS_PER_ONE;
    const double steps = speed * SPEEDS_PER_ONE;
    const double above = steps > -most ? steps : -most;
    return trp__round(above < most ? above : most);
}

/// Moves a playhead by more than 64 bits hold.
/// @param seconds units, not yet rounded
/// @param ticks   units, good to a few parts in 2^53
static void advance_far(const trp_timeline *timeline, double seconds, double ticks,
                        int64_t dt_ticks, int64_t steps, trp_playhead *playhead)
{
    const int64_t period = trp__period(timeline);
    if (timeline->mode == TRP_PLAY_CLAMP || period == 0) {
        const double units = seconds + ticks;
        const int64_t move =
            is_near(units) ? trp__round(units) : (units < 0 ? -MAX_MOVE : MAX_MOVE);
        advance(timeline, move, playhead);
        return;
    }
    struct trp__turns way = trp__turns_of_whole(magnitude(dt_ticks), period);
    way = trp__turns_times(way, magnitude(steps), period);
    way = trp__turns_times(way, (uint64_t)timeline->units_per_clock, period);
    if ((dt_ticks < 0) != (steps < 0)) {
        way = trp__turns_back(way, period);
    }
    way = trp__turns_add(way, trp__turns_of_number(seconds, period), period);
    const struct trp__turns at = {(uint64_t)playhead->cycle, playhead->position};
    const struct trp__turns target = trp__turns_add(at, way, period);
    playhead->position = target.rest;
    playhead->cycle = (int64_t)target.turns;
    playhead->flags = 0;
}

/// Moves a playhead on.
/// @param dt_s  finite
/// @param speed a number
static inline void advance_by(const trp_timeline *timeline, double dt_s, int64_t dt_ticks,
                              double speed, trp_playhead *playhead)
{
    const double seconds = dt_s != 0 ? dt_s * speed * timeline->units_per_second : 0;
    double ticks = 0;
    int64_t steps = 0;
    if (dt_ticks != 0) {
        steps = steps_of(speed);
        ticks = (double)dt_ticks * (double)steps * (double)timeline->units_per_clock;
    }
    if (!is_near(seconds) || !is_near(ticks)) {
        advance_far(timeline, seconds, ticks, dt_ticks, steps, playhead);
        return;
    }
    const uint64_t whole_ticks =
        (uint64_t)dt_ticks * (uint64_t)steps * (uint64_t)timeline->units_per_clock;
    advance(timeline, trp__round(seconds) + (int64_t)whole_ticks, playhead);
}

static bool are_arguments_valid(const trp_playhead_args *args, size_t times_stride)
{
    if (!args || (args->timeline_count > 0 && !args->timelines) ||
        !trp__is_null_or_aligned(args->previous, _Alignof(trp_playhead)) ||
        !trp__is_null_or_aligned(args->times_s, _Alignof(double))) {
        return false;
    }
    return (args->playhead_count == 0 ||
            trp__is_aligned(args->playheads, _Alignof(trp_playhead))) &&
           times_stride % _Alignof(double) == 0 &&
           trp__is_spaced(args->playhead_count, sizeof(double), times_stride);
}

/// Returns a timeline of a batch, null where there is none.
static inline const trp_timeline *find_timeline(const trp_playhead_args *batch, uint32_t index)
{
    return index < batch->timeline_count && batch->timelines[index].clip ? &batch->timelines[index]
                                                                         : NULL;
}

trp_result trp_playheads_advance(const trp_playhead_args *args, trp_playhead_report *report)
{
    const size_t times_stride =
        args && args->times_stride_bytes ? args->times_stride_bytes : sizeof(double);
    if (!are_arguments_valid(args, times_stride)) {
        return TRP_ERROR_ARGUMENT;
    }
    trp_playhead_args batch = *args; // out of reach of what is written
    batch.dt_s = batch.dt_s == batch.dt_s ? clamp_time(batch.dt_s, -DBL_MAX, DBL_MAX) : 0;
    trp_playhead_report found = {0};
    for (uint32_t i = 0; i < batch.playhead_count; i++) {
        trp_playhead *const playhead = &batch.playheads[i];
        if (batch.previous) {
            batch.previous[i] = *playhead;
        }
        const bool is_speed_bad = playhead->speed != playhead->speed;
        found.bad_speed_count += is_speed_bad;
        const trp_timeline *const timeline = find_timeline(&batch, playhead->timeline);
        if (timeline && trp__is_on_timeline(timeline, playhead) &&
            (batch.dt_ticks == 0 || timeline->units_per_clock != 0)) {
            const float speed = is_speed_bad ? 0 : playhead->speed;
            advance_by(timeline, batch.dt_s, batch.dt_ticks, speed, playhead);
        } else {
            found.bad_timeline_count++;
        }
        if (batch.times_s) {
            double *const time_s = (void *)((uint8_t *)batch.times_s + i * times_stride);
            *time_s = timeline ? time_of_position(timeline, playhead->position) : 0;
        }
    }
    if (report) {
        *report = found;
    }
    return TRP_OK;
}
