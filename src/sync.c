// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <troupe/sync.h>

#include "arguments.h"
#include "timeline.h"
#include "turns.h"

#define PHASE_BITS 48
#define PHASE_MASK (TRP_SYNC_PHASE_ONE - 1)

// -- Markers

static bool is_marker(const struct trp__event *event, uint64_t name_hash)
{
    return (event->flags & TRP_EVENT_MARKER) && (name_hash == 0 || event->name_hash == name_hash);
}

/// Lists the moments of the markers of a timeline from an event on, once around.
/// @param markers may be null, to count
static uint32_t list_markers(const trp_timeline *timeline, const struct trp__event_table *table,
                             uint32_t first, int64_t *markers)
{
    const uint32_t end = timeline->first_event + timeline->event_count;
    const int64_t length = timeline->length;
    const int64_t first_units = trp__units_of_phase(timeline, table->phases[first]);
    const int64_t first_marker = first_units == length ? 0 : first_units; // its end is its start
    int64_t marker = first_marker;
    uint32_t count = 0;
    for (uint32_t step = 0; step < timeline->event_count; step++) {
        const bool is_before_first = first + step >= end;
        const uint32_t index = first + step - (is_before_first ? timeline->event_count : 0);
        const int64_t next = trp__units_of_phase(timeline, table->phases[index]) +
                             (is_before_first ? length : 0) + first_marker - first_units;
        const bool is_new = step == 0 || (next > marker && next < first_marker + length);
        if (is_new && is_marker(&table->events[index], 0)) {
            marker = next;
            if (markers) {
                markers[count] = marker;
            }
            count++;
        }
    }
    return count;
}

trp_result trp_sync_markers(const trp_timeline *timeline, uint64_t first_name_hash,
                            int64_t *markers, uint32_t capacity, uint32_t *count)
{
    if (!timeline || !timeline->clip || timeline->mode != TRP_PLAY_LOOP || !count ||
        !trp__is_null_or_aligned(markers, _Alignof(int64_t)) || (capacity > 0 && !markers)) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__event_table table = trp__event_table_of(timeline->clip);
    const uint32_t end = timeline->first_event + timeline->event_count;
    uint32_t first = timeline->first_event;
    while (first < end && !is_marker(&table.events[first], first_name_hash)) {
        first++;
    }
    if (first == end && first_name_hash != 0) {
        return TRP_ERROR_MISMATCH;
    }
    *count = first == end ? 0 : list_markers(timeline, &table, first, NULL);
    if (*count > capacity) {
        return TRP_ERROR_CAPACITY;
    }
    if (*count > 0) {
        list_markers(timeline, &table, first, markers);
    }
    return TRP_OK;
}

/// Parts of a full phase; one where the member has no markers.
static uint32_t part_count(const trp_sync_member *member)
{
    return member->markers && member->marker_count > 0 ? member->marker_count : 1;
}

/// Returns where a part begins, and where the last one ends.
static int64_t part_start(const trp_sync_member *member, uint32_t part)
{
    if (part == part_count(member)) {
        return part_start(member, 0) + member->timeline->length;
    }
    return member->markers && member->marker_count > 0 ? member->markers[part] : 0;
}

static bool is_member_valid(const trp_sync_member *member)
{
    if (!member->timeline || member->timeline->mode != TRP_PLAY_LOOP ||
        !trp__is_null_or_aligned(member->markers, _Alignof(int64_t)) ||
        part_count(member) > TRP_SYNC_MAX_MARKERS) {
        return false;
    }
    const int64_t length = member->timeline->length;
    if (length == 0) {
        return true; // whatever the phase, it stands still
    }
    const int64_t first = part_start(member, 0);
    if (first < 0 || first >= length) {
        return false;
    }
    for (uint32_t part = 0; part < part_count(member); part++) {
        if (part_start(member, part) >= part_start(member, part + 1)) {
            return false;
        }
    }
    return true;
}

// -- Phases

/// Returns floor(units * share / 2^48).
/// @param units [0, 2^60]
/// @param share [0, 2^48)
static int64_t share_of(int64_t units, int64_t share)
{
    const int64_t half = 1 << (PHASE_BITS / 2);
    const int64_t units_high = units / half;
    const int64_t units_low = units % half;
    const int64_t share_high = share / half;
    const int64_t share_low = share % half;
    const int64_t middle =
        units_high * share_low + units_low * share_high + units_low * share_low / half;
    return units_high * share_high + middle / half;
}

/// Returns the least share, [0, 2^48], that is not below done / whole.
/// @param done [0, whole)
static int64_t least_share(int64_t done, int64_t whole)
{
    int64_t share = 0;
    for (int bit = 0; bit < PHASE_BITS; bit++) {
        done *= 2;
        share *= 2;
        if (done >= whole) {
            done -= whole;
            share++;
        }
    }
    return share + (done > 0);
}

/// Puts a playhead where a group is.
static void place(const trp_sync_member *member, const trp_sync_group *group,
                  trp_playhead *playhead)
{
    playhead->flags &= ~(uint32_t)(TRP_PLAYHEAD_STARTING | TRP_PLAYHEAD_ENDED);
    playhead->position = 0;
    const int64_t length = member->timeline->length;
    if (length == 0) {
        return;
    }
    const int64_t parts = group->phase * part_count(member);
    const uint32_t part = (uint32_t)(parts / TRP_SYNC_PHASE_ONE);
    const int64_t start = part_start(member, part);
    const int64_t units =
        start + share_of(part_start(member, part + 1) - start, parts % TRP_SYNC_PHASE_ONE);
    const bool is_round = units >= length;
    playhead->position = is_round ? units - length : units;
    playhead->cycle = (int64_t)((uint64_t)group->cycle + is_round);
}

trp_sync_group trp_sync_group_start(const trp_sync_member *member, const trp_playhead *playhead)
{
    trp_sync_group group = {.speed = 1};
    if (!member || !playhead || !is_member_valid(member) ||
        !trp__is_on_timeline(member->timeline, playhead)) {
        return group;
    }
    group.cycle = playhead->cycle;
    const int64_t length = member->timeline->length;
    if (length == 0) {
        return group;
    }
    const bool is_before_first = playhead->position < part_start(member, 0);
    const int64_t units = playhead->position + (is_before_first ? length : 0);
    const uint32_t count = part_count(member);
    uint32_t part = 0;
    while (part_start(member, part + 1) <= units) {
        part++;
    }
    const int64_t start = part_start(member, part);
    const int64_t share = least_share(units - start, part_start(member, part + 1) - start);
    const int64_t phase = (part * TRP_SYNC_PHASE_ONE + share + count - 1) / count;
    group.phase = phase & PHASE_MASK;
    const uint64_t cycle = (uint64_t)playhead->cycle - is_before_first;
    group.cycle = (int64_t)(cycle + (phase == TRP_SYNC_PHASE_ONE));
    return group;
}

/// Returns how long a full phase lasts, in seconds.
static double phase_duration_s(const trp_sync_args *args)
{
    double weight_sum = 0;
    double weighted_s = 0;
    for (uint32_t i = 0; i < args->member_count; i++) {
        const trp_sync_member *const member = &args->members[i];
        if (member->weight > 0) {
            const double weight = member->weight < FLT_MAX ? member->weight : FLT_MAX;
            weight_sum += weight;
            weighted_s += weight * trp__length_s(member->timeline);
        }
    }
    if (weight_sum > 0) {
        return weighted_s / weight_sum;
    }
    return args->member_count > 0 ? trp__length_s(args->members[0].timeline) : 0;
}

static void advance(trp_sync_group *group, double dt_s, double duration_s)
{
    const double phases = duration_s > 0 ? dt_s * group->speed / duration_s : 0;
    const struct trp__turns at = {(uint64_t)group->cycle, group->phase};
    const struct trp__turns target =
        trp__turns_add(at, trp__turns_of_number(phases * TRP_SYNC_PHASE_ONE, TRP_SYNC_PHASE_ONE),
                       TRP_SYNC_PHASE_ONE);
    group->phase = target.rest;
    group->cycle = (int64_t)target.turns;
}

static trp_result check_arguments(const trp_sync_args *args)
{
    if (!args || !trp__is_aligned(args->group, _Alignof(trp_sync_group)) ||
        (args->member_count > 0 &&
         (!args->members || !trp__is_aligned(args->playheads, _Alignof(trp_playhead)))) ||
        !trp__is_null_or_aligned(args->previous, _Alignof(trp_playhead))) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->member_count; i++) {
        if (!is_member_valid(&args->members[i])) {
            return TRP_ERROR_ARGUMENT;
        }
    }
    uint32_t count = 0; // of the members that move
    for (uint32_t i = 0; i < args->member_count; i++) {
        const trp_sync_member *const member = &args->members[i];
        if (member->timeline->length > 0) {
            if (count != 0 && part_count(member) != count) {
                return TRP_ERROR_MISMATCH;
            }
            count = part_count(member);
        }
    }
    return TRP_OK;
}

trp_result trp_sync_advance(const trp_sync_args *args)
{
    const trp_result result = check_arguments(args);
    if (result != TRP_OK) {
        return result;
    }
    trp_sync_group *const group = args->group;
    group->phase &= PHASE_MASK;
    const trp_sync_group group_before = *group;
    advance(group, args->dt_s, phase_duration_s(args));
    for (uint32_t i = 0; i < args->member_count; i++) {
        const trp_sync_member *const member = &args->members[i];
        trp_playhead before = args->playheads[i];
        trp_playhead playhead = before;
        place(member, group, &playhead);
        if (before.flags & TRP_PLAYHEAD_STARTING) {
            place(member, &group_before, &before);
            before.flags |= TRP_PLAYHEAD_STARTING;
        }
        args->playheads[i] = playhead;
        if (args->previous) {
            args->previous[i] = before;
        }
    }
    return TRP_OK;
}
