// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events as ranks. A timeline that goes on for ever passes a list of moments once a period, which
// is the same list every time; so the events of any way are all from one number in that endless
// list to another, and the hundredth of them is found as quickly as the first. Positions are
// compared as pairs of cycle and position, since a product of the two may not fit into 64 bits.
#include <troupe/event.h>

#include "arguments.h"
#include "easing.h"
#include "format.h"
#include "timeline.h"

// -- What a clip says

/// Fills in the time curve of an event that has one.
static void set_samples(const trp_clip *clip, const struct trp__event *found, trp_event *event)
{
    if (found->samples == 0) {
        return;
    }
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    const struct trp__event_samples *const samples =
        (const void *)(clip->bytes + header->events_offset + found->samples);
    event->sample_count = samples->count;
    event->samples = (const void *)(samples + 1);
}

trp_result trp_clip_event(const trp_clip *clip, uint32_t index, trp_event *event)
{
    if (!clip || !clip->bytes || !event || index >= clip->event_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__event *const found = &trp__event_table_of(clip).events[index];
    *event = (trp_event){
        .name = clip->strings + found->name,
        .name_hash = found->name_hash,
        .time_s = found->time_s,
        .duration_s = found->duration_s,
        .index = index,
        .flags = found->flags,
        .integer = found->integer,
        .number = found->number,
        .text = clip->strings + found->text,
        .target = clip->strings + found->target,
        .from_number = found->from_number,
        .easing = found->easing,
    };
    set_samples(clip, found, event);
    return TRP_OK;
}

double trp_event_value(const trp_event *event, double progress)
{
    if (!event) {
        return 0;
    }
    const double part = event->samples
                            ? trp__sampled_curve(event->samples, event->sample_count, progress)
                            : trp_ease(event->easing, progress);
    // The end as it is written, whatever rounding makes of the difference.
    return part == 1 ? event->number
                     : event->from_number + (event->number - event->from_number) * part;
}

uint32_t trp_clip_find_event(const trp_clip *clip, uint64_t name_hash, uint32_t first)
{
    if (!clip || !clip->bytes) {
        return TRP_NONE;
    }
    const struct trp__event_table events = trp__event_table_of(clip);
    for (uint32_t i = first; i < events.count; i++) {
        if (events.events[i].name_hash == name_hash) {
            return i;
        }
    }
    return TRP_NONE;
}

// -- What every query looks at

static bool are_arguments_valid(const trp_event_args *args, const void *hits, uint32_t capacity,
                                const trp_event_report *report)
{
    return args && report && (args->timeline_count == 0 || args->timelines) &&
           (args->playhead_count == 0 ||
            (trp__is_aligned(args->previous, _Alignof(trp_playhead)) &&
             trp__is_aligned(args->playheads, _Alignof(trp_playhead)))) &&
           trp__is_null_or_aligned(args->weights, sizeof(float)) &&
           (capacity == 0 || trp__is_aligned(hits, sizeof(uint32_t)));
}

/// From where to where one playhead went.
struct way {
    const trp_timeline *timeline;
    const trp_playhead *from;
    const trp_playhead *to;
    int64_t cycles;   // from one to the other; they wrap around
    bool is_backward; // without movement as the speed says
    bool is_starting;
    float weight;
};

/// Sets out the way of a playhead, counting what is wrong with it.
/// @return false where nothing can fire
static inline bool find_way(const trp_event_args *args, uint32_t index, trp_event_report *report,
                            struct way *way)
{
    const trp_playhead *const from = &args->previous[index];
    const trp_playhead *const to = &args->playheads[index];
    float weight = args->weights ? args->weights[index] : 1;
    if (!(weight >= 0)) {
        weight = 0;
        report->bad_weight_count++;
    }
    const trp_timeline *const timeline =
        to->timeline < args->timeline_count ? &args->timelines[to->timeline] : NULL;
    if (!timeline || from->timeline != to->timeline || !trp__is_on_timeline(timeline, from) ||
        !trp__is_on_timeline(timeline, to)) {
        report->bad_playhead_count++;
        return false;
    }
    if (weight < args->weight_threshold) {
        return false;
    }
    const int64_t cycles =
        timeline->length == 0 ? 0 : (int64_t)((uint64_t)to->cycle - (uint64_t)from->cycle);
    const bool is_position_backward =
        to->position == from->position ? to->speed < 0 : to->position < from->position;
    *way = (struct way){
        .timeline = timeline,
        .from = from,
        .to = to,
        .cycles = cycles,
        .is_backward = cycles < 0 || (cycles == 0 && is_position_backward),
        .is_starting = (from->flags & ~to->flags & TRP_PLAYHEAD_STARTING) != 0,
        .weight = weight,
    };
    return true;
}

/// Adds to the hits found so far, which stay at most UINT64_MAX.
static void add_hits(trp_event_report *report, uint64_t count)
{
    const uint64_t sum = report->hit_count + count;
    report->hit_count = sum < count ? UINT64_MAX : sum;
}

// -- Moments

/// The moments of one period of a timeline, each an event, in the order in which they come when
/// played forwards: all events there are, then, in a ping-pong, those of the way back.
struct moments {
    const trp_timeline *timeline;
    const uint64_t *phases; // of the events of the timeline
    uint32_t count;         // of these
    uint32_t inner_end;     // ping-pong: behind the last event before the turn
    uint32_t seam_count;    // loops: events at the end, which is the beginning of the next cycle
    uint64_t period_count;  // moments
};

static int64_t units_of_event(const struct moments *moments, uint32_t event)
{
    return trp__units_of_phase(moments->timeline, moments->phases[event]);
}

/// Returns how many events lie before some units from the start of the timeline. There are some.
/// Takes no branch that depends on them: most ways are short, and nothing could predict it.
static uint32_t events_before(const struct moments *moments, int64_t units)
{
    const int64_t step = moments->timeline->units_per_tick >> 20;
    const int64_t limit = units + moments->timeline->start;
    const uint64_t *first = moments->phases;
    uint32_t left = moments->count;
    while (left > 1) {
        const uint32_t half = left / 2;
        const uint32_t is_before = (int64_t)first[half - 1] * step < limit;
        first += half & (0 - is_before);
        left -= half;
    }
    const uint32_t is_before = (int64_t)first[0] * step < limit;
    return (uint32_t)(first - moments->phases) + is_before;
}

static struct moments moments_of(const trp_timeline *timeline)
{
    struct moments moments = {.timeline = timeline, .count = timeline->event_count};
    moments.phases = trp__event_table_of(timeline->clip).phases + timeline->first_event;
    moments.inner_end = moments.count;
    moments.period_count = moments.count;
    if (timeline->mode == TRP_PLAY_CLAMP || timeline->length == 0) {
        return moments;
    }
    if (units_of_event(&moments, moments.count - 1) == timeline->length) {
        moments.inner_end = events_before(&moments, timeline->length);
    }
    if (timeline->mode == TRP_PLAY_LOOP) {
        moments.seam_count = moments.count - moments.inner_end;
    } else {
        const bool is_at_start = units_of_event(&moments, 0) == 0;
        moments.period_count += moments.inner_end;
        moments.period_count -= is_at_start ? events_before(&moments, 1) : 0;
    }
    return moments;
}

/// Returns how many moments of the period lie before a position, or at it where `is_through`. At
/// the beginning of a cycle the moments at the seam, which belong to the cycle before it, are not
/// before it: they count as -1 each.
static int64_t rank_at(const struct moments *moments, int64_t position, bool is_through)
{
    const int64_t length = moments->timeline->length;
    if (position > length) { // on the way back
        const int64_t units = 2 * length - position;
        return moments->count +
               (int64_t)(moments->inner_end - events_before(moments, units + !is_through));
    }
    if (position == 0 && !is_through) {
        return -(int64_t)moments->seam_count;
    }
    return events_before(moments, position + is_through);
}

/// The moments on a way: ranks `first`, `first` + `step` and so on, counted from the cycle in which
/// the way begins.
struct passage {
    int64_t first;
    int64_t step;
    uint64_t count; // at most UINT64_MAX
};

/// Returns how many moments lie before a way forwards, or before and at the start of a way
/// backwards. Whoever starts at the seam of a loop has what lies there at the end before it and
/// what lies at the start behind it, so that a fresh start fires nothing that was to come before.
static int64_t rank_of_start(const struct moments *moments, const struct way *way)
{
    if (way->is_starting && way->from->position == 0 && way->timeline->mode == TRP_PLAY_LOOP &&
        way->timeline->length > 0) {
        return 0;
    }
    return rank_at(moments, way->from->position, way->is_backward == way->is_starting);
}

static struct passage passage_of(const struct moments *moments, const struct way *way)
{
    const bool is_backward = way->is_backward;
    const int64_t from = rank_of_start(moments, way);
    const int64_t to = rank_at(moments, way->to->position, !is_backward);
    const int64_t rest = is_backward ? from - to : to - from;
    uint64_t cycles = is_backward ? 0 - (uint64_t)way->cycles : (uint64_t)way->cycles;
    uint64_t count = (uint64_t)rest;
    if (cycles > 0) { // with all of the last cycle, the rest is not below 0
        cycles--;
        count += moments->period_count;
        count = cycles > (UINT64_MAX - count) / moments->period_count
                    ? UINT64_MAX
                    : count + cycles * moments->period_count;
    }
    return (struct passage){
        .first = is_backward ? from - 1 : from,
        .step = is_backward ? -1 : 1,
        .count = count,
    };
}

// -- Hits

/// How far along a way moments lie.
struct measure {
    int64_t period;
    int64_t from;
    double length; // of the way, in units or in cycles
    bool is_exact; // in units: they fit into 64 bits
};

static double distance_to(const struct measure *measure, int64_t cycles, int64_t position)
{
    if (measure->is_exact) {
        return (double)(cycles * measure->period + (position - measure->from));
    }
    const double period = (double)measure->period;
    return ((double)cycles + (double)position / period) - (double)measure->from / period;
}

static struct measure measure_of(const struct way *way)
{
    struct measure measure = {
        .period = trp__period(way->timeline),
        .from = way->from->position,
    };
    const int64_t limit = measure.period == 0 ? 1 : INT64_MAX / measure.period;
    measure.is_exact = way->cycles > -limit && way->cycles < limit;
    measure.length = distance_to(&measure, way->cycles, way->to->position);
    return measure;
}

/// Writes `count` moments of a passage, from number `skip` on.
static void write_hits(const struct moments *moments, const struct way *way, uint32_t playhead,
                       const struct passage *passage, uint64_t skip, uint32_t count,
                       trp_event_hit *hits)
{
    const int64_t period = (int64_t)moments->period_count;
    const int64_t length = way->timeline->length;
    const struct measure measure = measure_of(way);
    uint64_t cycles = skip / moments->period_count * (uint64_t)passage->step;
    int64_t rank = passage->first + (int64_t)(skip % moments->period_count) * passage->step;
    for (uint32_t i = 0; i < count; i++, rank += passage->step) {
        while (rank < 0) {
            rank += period;
            cycles--;
        }
        while (rank >= period) {
            rank -= period;
            cycles++;
        }
        const bool is_back = rank >= moments->count;
        const uint32_t event =
            is_back ? moments->inner_end - 1 - (uint32_t)(rank - moments->count) : (uint32_t)rank;
        const int64_t units = units_of_event(moments, event);
        const double distance =
            distance_to(&measure, (int64_t)cycles, is_back ? 2 * length - units : units);
        hits[i] = (trp_event_hit){
            .playhead = playhead,
            .event = way->timeline->first_event + event,
            .flags = is_back != way->is_backward ? TRP_EVENT_REVERSE : 0,
            .weight = way->weight,
            .fraction = distance == 0 ? 0 : (float)(distance / measure.length),
        };
    }
}

trp_result trp_events(const trp_event_args *args, trp_event_hit *hits, uint32_t hit_capacity,
                      trp_event_report *report)
{
    if (!are_arguments_valid(args, hits, hit_capacity, report)) {
        return TRP_ERROR_ARGUMENT;
    }
    *report = (trp_event_report){0};
    struct moments moments = {0};
    uint64_t skip = args->skip;
    for (uint32_t i = 0; i < args->playhead_count; i++) {
        struct way way;
        if (!find_way(args, i, report, &way) || way.timeline->event_count == 0) {
            continue;
        }
        if (way.timeline != moments.timeline) {
            moments = moments_of(way.timeline);
        }
        const struct passage passage = passage_of(&moments, &way);
        if (passage.count == 0) {
            continue;
        }
        add_hits(report, passage.count);
        if (skip >= passage.count) {
            skip -= passage.count;
            continue;
        }
        const uint64_t left = passage.count - skip;
        const uint32_t room = hit_capacity - report->written_count;
        const uint32_t count = left < room ? (uint32_t)left : room;
        if (count > 0) {
            write_hits(&moments, &way, i, &passage, skip, count, hits + report->written_count);
            report->written_count += count;
        }
        skip = 0;
    }
    return TRP_OK;
}

// -- Ranges

/// Where an event with a duration is active, cut to its timeline.
struct active {
    int64_t start;       // units from the start of the timeline, of the event
    int64_t end;         // likewise, or the end of the clip
    double length;       // units of the whole event
    int64_t spans[2][2]; // positions from one to the other, in every period
    uint32_t span_count;
    bool is_endless; // a ping-pong that never leaves it
};

/// Returns the phase at which an event ends, after that of its time.
static uint64_t end_phase(const trp_clip *clip, const struct trp__event *event, uint64_t phase)
{
    const uint64_t end = trp__phase_of_time(event->time_s + event->duration_s, clip->rate_num,
                                            clip->rate_den, clip->tick_count);
    return end > phase ? end : phase + 1;
}

/// Returns how many units an event lasts, also past the end of its clip.
/// @param shown_length of those in the clip
static double whole_length(const trp_timeline *timeline, const struct trp__event *event,
                           uint64_t phase, int64_t shown_length)
{
    const trp_clip *const clip = timeline->clip;
    const double rate = (double)clip->rate_num / (double)clip->rate_den * 1048576.0;
    const double last = (double)((uint64_t)clip->tick_count << 20);
    const double end = (event->time_s + event->duration_s) * rate + TRP__PHASE_SLACK;
    if (end < last + 1) { // less than a unit past the clip is rounding
        return (double)shown_length;
    }
    const double end_phase = end < 0x1p53 ? (double)(uint64_t)end : end;
    return (end_phase - (double)phase) * (double)(timeline->units_per_tick >> 20);
}

/// @return false where the event has no part in the timeline
static bool find_active(const trp_timeline *timeline, const struct trp__event *event,
                        uint64_t phase, struct active *active)
{
    const int64_t length = timeline->length;
    *active = (struct active){
        .start = trp__units_of_phase(timeline, phase),
        .end = trp__units_of_phase(timeline, end_phase(timeline->clip, event, phase)),
        .span_count = 1,
    };
    active->length = whole_length(timeline, event, phase, active->end - active->start);
    const int64_t start = active->start > 0 ? active->start : 0;
    const int64_t end = active->end < length ? active->end : length;
    if (start >= end) {
        return false;
    }
    active->spans[0][0] = start;
    active->spans[0][1] = end;
    if (timeline->mode != TRP_PLAY_PING_PONG) {
        return true;
    }
    active->is_endless = start == 0 && end == length;
    if (end == length) { // there and back in one
        active->spans[0][1] = 2 * length - start;
    } else if (start == 0) { // back and there
        active->spans[0][0] = -end;
    } else {
        active->spans[1][0] = 2 * length - end;
        active->spans[1][1] = 2 * length - start;
        active->span_count = 2;
    }
    return true;
}

/// Says whether an event is active at a position.
static bool is_active_at(const struct active *active, const trp_timeline *timeline,
                         int64_t position)
{
    const int64_t before = position - trp__period(timeline); // of a span from back to there
    bool is_active = active->is_endless;
    for (uint32_t i = 0; i < active->span_count; i++) {
        const int64_t start = active->spans[i][0];
        const uint64_t length = (uint64_t)(active->spans[i][1] - start);
        is_active |= (uint64_t)(position - start) < length;
        is_active |= start < 0 && (uint64_t)(before - start) < length;
    }
    return is_active;
}

/// The part of a way that lies within a span, in positions of the period of that span.
struct touch {
    int64_t order; // later spans have more
    int64_t from;
    int64_t to;
};

static int64_t limited(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : (value < high ? value : high);
}

/// Finds the last passage of a way through a span that comes once a period.
/// @return false where it never touches it
static bool find_touch(const struct way *way, const int64_t span[2], struct touch *touch)
{
    const int64_t period = way->timeline->mode == TRP_PLAY_CLAMP ? 0 : trp__period(way->timeline);
    const int64_t from = way->from->position - limited(way->cycles, -2, 2) * period; // or farther
    const int64_t to = way->to->position;
    int64_t shift = 0;
    if (way->is_backward) {
        shift = span[1] > to ? 0 : period;
    } else if (span[0] > to) {
        shift = -period;
    } else if (span[0] + period <= to) {
        shift = period;
    }
    const int64_t start = span[0] + shift;
    const int64_t end = span[1] + shift;
    const int64_t low = way->is_backward ? to : from;
    const int64_t high = way->is_backward ? from : to;
    if (high < start || low >= end) {
        return false;
    }
    *touch = (struct touch){
        .order = way->is_backward ? -start : start,
        .from = limited(from, start, end) - shift,
        .to = limited(to, start, end) - shift,
    };
    return true;
}

static bool find_last_touch(const struct way *way, const struct active *active, struct touch *touch)
{
    if (active->is_endless) {
        *touch = (struct touch){.from = way->from->position, .to = way->to->position};
        return true;
    }
    bool is_found = find_touch(way, active->spans[0], touch);
    struct touch other;
    if (active->span_count == 2 && find_touch(way, active->spans[1], &other) &&
        (!is_found || other.order > touch->order)) {
        *touch = other;
        is_found = true;
    }
    return is_found;
}

/// Returns a position of a ping-pong that may be up to a period off.
static int64_t wrapped(const trp_timeline *timeline, int64_t position)
{
    const int64_t period = trp__period(timeline);
    return position < 0 ? position + period : (position >= period ? position - period : position);
}

/// Writes how an event was active during a way.
static trp_event_range range_of(const struct way *way, const struct active *active,
                                const struct touch *touch)
{
    const bool turns = way->timeline->mode == TRP_PLAY_PING_PONG;
    const int64_t from = turns ? wrapped(way->timeline, touch->from) : touch->from;
    const int64_t to = turns ? wrapped(way->timeline, touch->to) : touch->to;
    const bool was_active =
        !way->is_starting && is_active_at(active, way->timeline, way->from->position);
    const bool is_active = is_active_at(active, way->timeline, way->to->position);
    const bool is_reverse = (to > way->timeline->length) != way->is_backward;
    const int64_t from_units = trp__units_of_position(way->timeline, from) - active->start;
    const int64_t to_units = trp__units_of_position(way->timeline, to) - active->start;
    return (trp_event_range){
        .flags = (is_reverse ? TRP_EVENT_REVERSE : 0u) | (was_active ? 0u : TRP_EVENT_BEGAN) |
                 (is_active ? 0u : TRP_EVENT_ENDED),
        .weight = way->weight,
        .from = (float)((double)from_units / active->length),
        .to = (float)((double)to_units / active->length),
    };
}

trp_result trp_event_ranges(const trp_event_args *args, trp_event_range *ranges,
                            uint32_t range_capacity, trp_event_report *report)
{
    if (!are_arguments_valid(args, ranges, range_capacity, report)) {
        return TRP_ERROR_ARGUMENT;
    }
    *report = (trp_event_report){0};
    for (uint32_t i = 0; i < args->playhead_count; i++) {
        struct way way;
        if (!find_way(args, i, report, &way) || way.timeline->length == 0) {
            continue;
        }
        const struct trp__event_table events = trp__event_table_of(way.timeline->clip);
        for (uint32_t event = 0; event < events.count; event++) {
            struct active active;
            struct touch touch;
            if (events.events[event].duration_s == 0 ||
                !find_active(way.timeline, &events.events[event], events.phases[event], &active) ||
                !find_last_touch(&way, &active, &touch)) {
                continue;
            }
            report->hit_count++;
            if (report->hit_count > args->skip && report->written_count < range_capacity) {
                trp_event_range *const range = &ranges[report->written_count++];
                *range = range_of(&way, &active, &touch);
                range->playhead = i;
                range->event = event;
            }
        }
    }
    return TRP_OK;
}
