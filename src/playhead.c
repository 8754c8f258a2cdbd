// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <troupe/playhead.h>

#include "arguments.h"
#include "timeline.h"

#define MAX_CLIP_UNITS ((uint64_t)1 << 60) // so that a way there and back and any move add up
#define FINE_BITS 40
#define PHASES_PER_TICK (1 << 20)
#define SPEEDS_PER_ONE (1 << 16) // in steps of which ticks are exact
#define MAX_SPEED (1 << 15)

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

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

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
        const uint64_t common = greatest_common_divisor(clip_ticks, clock_ticks);
        clip_ticks /= common;
        clock_ticks /= common;
    }
    const uint64_t max_per_tick = MAX_CLIP_UNITS / (clip->tick_count ? clip->tick_count : 1);
    bool is_found = false;
    for (int shift = 0; shift <= FINE_BITS; shift++) {
        if (clock_ticks > max_per_tick >> shift || clip_ticks > (uint64_t)TRP__MAX_MOVE >> shift) {
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
    const int64_t last = (int64_t)clip->tick_count << 20;
    const double rate = (double)clip->rate_num / (double)clip->rate_den;
    const int64_t phase = (int64_t)(time_s * (rate * 1048576.0) + 0x1p-8);
    return (time_s >= clip->duration_s || phase > last ? last : phase) *
           (timeline->units_per_tick >> 20);
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
    return timeline && playhead ? time_of_position(timeline, playhead->position) : 0;
}

// -- Moving on

/// Returns the units of some ticks, not yet limited but where 64 bits would not hold them.
static int64_t move_of_ticks(const trp_timeline *timeline, int64_t dt_ticks, double speed)
{
    const int64_t max_step = (int64_t)MAX_SPEED * SPEEDS_PER_ONE;
    const int64_t asked = trp__round_move(speed * SPEEDS_PER_ONE);
    const int64_t step = asked < -max_step ? -max_step : (asked > max_step ? max_step : asked);
    // Good to a few parts in 2^53: tells apart what fits 63 bits and what is far beyond the limit.
    const double estimate = (double)dt_ticks * (double)step * (double)timeline->units_per_clock;
    if (!(estimate > -1.5 * TRP__MAX_MOVE && estimate < 1.5 * TRP__MAX_MOVE)) {
        return estimate < 0 ? -TRP__MAX_MOVE : TRP__MAX_MOVE;
    }
    return (int64_t)((uint64_t)dt_ticks * (uint64_t)step * (uint64_t)timeline->units_per_clock);
}

/// Returns how far a playhead goes; what is not a number goes nowhere.
static int64_t move_of(const trp_timeline *timeline, double dt_s, int64_t dt_ticks, double speed)
{
    const int64_t seconds =
        dt_s != 0 ? trp__round_move(dt_s * speed * timeline->units_per_second) : 0;
    if (dt_ticks == 0) {
        return seconds;
    }
    const int64_t ticks = move_of_ticks(timeline, dt_ticks, speed);
    const int64_t least = ticks < 0 ? -TRP__MAX_MOVE - ticks : -TRP__MAX_MOVE;
    const int64_t most = ticks > 0 ? TRP__MAX_MOVE - ticks : TRP__MAX_MOVE;
    return ticks + (seconds < least ? least : (seconds > most ? most : seconds));
}

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
static void advance(const trp_timeline *timeline, int64_t move, trp_playhead *playhead)
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

trp_result trp_playheads_advance(const trp_playhead_args *args, trp_playhead_report *report)
{
    const size_t times_stride =
        args && args->times_stride_bytes ? args->times_stride_bytes : sizeof(double);
    if (!are_arguments_valid(args, times_stride)) {
        return TRP_ERROR_ARGUMENT;
    }
    const trp_playhead_args batch = *args; // out of reach of what is written
    trp_playhead_report found = {0};
    for (uint32_t i = 0; i < batch.playhead_count; i++) {
        trp_playhead *const playhead = &batch.playheads[i];
        if (batch.previous) {
            batch.previous[i] = *playhead;
        }
        const float speed = playhead->speed;
        found.bad_speed_count += speed != speed;
        const trp_timeline *const timeline =
            playhead->timeline < batch.timeline_count ? &batch.timelines[playhead->timeline] : NULL;
        if (timeline && trp__is_on_timeline(timeline, playhead) &&
            (batch.dt_ticks == 0 || timeline->units_per_clock != 0)) {
            advance(timeline, move_of(timeline, batch.dt_s, batch.dt_ticks, speed), playhead);
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
