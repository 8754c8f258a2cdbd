// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/easing.h>

#include "skeleton.h"
#include "timeline.h"

/// Times are typed with four decimals, or come from floats: what they are rounded by at most.
#define TYPED_S 1e-4
#define FLOAT_PART 2.4e-7 // 2^-22

/// Times of keys are rounded by this, or as floats are. An event this close to a tick is on it.
#define KEY_S 5e-6
#define TICK_PART 1e-2 // but never is it further off than this part of a tick

/// An event and where it lies in its clip.
struct placed_event {
    const struct scene_event *source;
    uint32_t order; // in the source
    uint64_t phase;
    double time_s;
    double duration_s;
    uint32_t curve; // once it is appended: where, from the start of the events; 0: none
};

/// Events that did not fit, for one warning instead of thousands.
struct misfits {
    uint32_t count;
    const struct scene_event *first;
};

/// What the ticks of a clip are.
struct ticks {
    double per_s;
    double end_s;
    uint32_t count;
    uint32_t num; // as in the header
    uint32_t den;
};

static double smaller_of(double a, double b)
{
    return a < b ? a : b;
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static void misfits_add(struct misfits *misfits, const struct scene_event *event, bool is_one)
{
    if (is_one && misfits->count == 0) {
        misfits->first = event;
    }
    misfits->count += is_one;
}

static void misfits_warn(const struct misfits *misfits, const char *name, const char *code,
                         const char *what, struct report *report)
{
    char others[48] = "";
    if (misfits->count == 0) {
        return;
    }
    if (misfits->count > 1) {
        snprintf(others, sizeof others, " (and %u more)", misfits->count - 1);
    }
    report_warning(report, name, code, "event '%.128s' at %.9g s of the source%s %s",
                   misfits->first->name, misfits->first->time_s, others, what);
}

/// Lays a time within the clip on its ticks: exactly on one where only rounding is in between.
/// Otherwise down to the next unit, so that rounding never makes an event fire a frame late.
static void event_place(struct placed_event *event, const struct ticks *ticks)
{
    const double rounding =
        smaller_of(larger_of(KEY_S, event->time_s * FLOAT_PART), TICK_PART / ticks->per_s);
    const double nearest = floor(event->time_s * ticks->per_s + 0.5);
    const double tick = smaller_of(nearest, (double)ticks->count);
    const double tick_s = tick * ticks->den / ticks->num;
    if (fabs(event->time_s - tick_s) <= rounding) {
        event->time_s = tick_s;
        event->phase = (uint64_t)tick << 20;
        return;
    }
    event->phase = trp__phase_of_time(event->time_s, ticks->num, ticks->den, ticks->count);
}

static int compare_places(const void *a, const void *b)
{
    const struct placed_event *const left = a;
    const struct placed_event *const right = b;
    if (left->phase != right->phase) {
        return left->phase < right->phase ? -1 : 1;
    }
    return (left->order > right->order) - (left->order < right->order);
}

/// Moves the events into the clip, and sorts them.
static struct placed_event *place_events(const struct scene_clip *source, const char *name,
                                         double lead_in_s, const struct ticks *ticks,
                                         struct arena *arena, struct report *report)
{
    struct placed_event *const placed = ARENA_NEW(arena, struct placed_event, source->event_count);
    struct misfits before = {0};
    struct misfits after = {0};
    struct misfits longer = {0};
    for (uint32_t i = 0; i < source->event_count; i++) {
        const struct scene_event *const event = &source->events[i];
        const double time_s = event->time_s - lead_in_s;
        const double tolerance = larger_of(TYPED_S, event->time_s * FLOAT_PART);
        const double start_s = smaller_of(larger_of(time_s, 0), ticks->end_s);
        const bool is_before = time_s < -tolerance;
        const bool is_after = time_s > ticks->end_s + tolerance;
        const bool is_longer = !is_after && start_s + event->duration_s > ticks->end_s + tolerance;
        misfits_add(&before, event, is_before);
        misfits_add(&after, event, is_after);
        misfits_add(&longer, event, is_longer);
        placed[i] = (struct placed_event){.source = event, .order = i, .time_s = start_s};
        event_place(&placed[i], ticks);
        placed[i].duration_s = smaller_of(
            event->duration_s, is_longer ? TRP__MAX_EVENT_S : ticks->end_s - placed[i].time_s);
    }
    qsort(placed, source->event_count, sizeof *placed, compare_places);
    misfits_warn(&before, name, "events.before", "comes before the clip: moved to its start",
                 report);
    misfits_warn(&after, name, "events.after", "comes after the clip: moved to its end", report);
    misfits_warn(&longer, name, "events.after",
                 "lasts beyond the clip: plays only up to the end of it", report);
    return placed;
}

// -- Time curves

/// Compares time curves as they are stored.
static int compare_samples(const struct scene_samples *a, const struct scene_samples *b)
{
    if (a == b || a->count != b->count) {
        return (a->count > b->count) - (a->count < b->count);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        const float x = stored_float(a->values[i]);
        const float y = stored_float(b->values[i]);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

/// Sorts events with time curves by these; those of equal ones as they lie in the clip.
static int compare_curves(const void *a, const void *b)
{
    const struct placed_event *const left = *(struct placed_event *const *)a;
    const struct placed_event *const right = *(struct placed_event *const *)b;
    const int order = compare_samples(left->source->samples, right->source->samples);
    return order != 0 ? order : (left > right) - (left < right);
}

static uint32_t append_samples(const struct scene_samples *samples, struct buffer *buffer)
{
    const struct trp__event_samples header = {.count = samples->count};
    const size_t at = buffer_append(buffer, &header, sizeof header);
    for (uint32_t i = 0; i < samples->count; i++) {
        const float sample = stored_float(samples->values[i]);
        buffer_append(buffer, &sample, sizeof sample);
    }
    return (uint32_t)at;
}

/// Appends the time curves of events, each once, in the order in which events first name them.
/// @param first where they will lie, from the start of the events
/// @param curves [out]
static void append_curves(struct placed_event *placed, uint32_t count, uint32_t first,
                          struct arena *arena, struct buffer *curves)
{
    struct placed_event **const sorted = ARENA_NEW(arena, struct placed_event *, count);
    const struct placed_event **const sharing =
        ARENA_NEW(arena, const struct placed_event *, count); // the first event of the same curve
    uint32_t sorted_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (placed[i].source->samples != NULL) {
            sorted[sorted_count++] = &placed[i];
        }
    }
    if (sorted_count > 1) {
        qsort(sorted, sorted_count, sizeof *sorted, compare_curves);
    }
    const struct placed_event *same = NULL;
    for (uint32_t i = 0; i < sorted_count; i++) {
        const struct scene_samples *const samples = sorted[i]->source->samples;
        if (same == NULL || compare_samples(same->source->samples, samples) != 0) {
            same = sorted[i];
        }
        sharing[sorted[i] - placed] = same;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sharing[i] == &placed[i]) {
            placed[i].curve = first + append_samples(placed[i].source->samples, curves);
        } else if (sharing[i] != NULL) {
            placed[i].curve = sharing[i]->curve;
        }
    }
}

// -- Bytes

static void append_events(struct pack_writer *writer, struct placed_event *placed, uint32_t count,
                          struct arena *arena, struct buffer *clip)
{
    const size_t curves_at =
        sizeof(struct trp__events_header) + count * (sizeof(uint64_t) + sizeof(struct trp__event));
    struct buffer curves = {0};
    append_curves(placed, count, (uint32_t)curves_at, arena, &curves);
    const struct trp__events_header header = {
        .size_bytes = (uint32_t)(curves_at + curves.size),
        .event_count = count,
    };
    buffer_append(clip, &header, sizeof header);
    for (uint32_t i = 0; i < count; i++) {
        buffer_append(clip, &placed[i].phase, sizeof placed[i].phase);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct scene_event *const source = placed[i].source;
        const uint32_t name = pack_writer_string(writer, source->name);
        const uint32_t text = pack_writer_string(writer, source->text);
        const struct trp__event event = {
            .name_hash = trp_name_hash(source->name),
            .time_s = placed[i].time_s,
            .duration_s = placed[i].duration_s,
            .integer = source->integer,
            .number = source->number,
            .name = name,
            .text = text,
            .target = pack_writer_string(writer, source->target != NULL ? source->target : ""),
            .flags = source->flags,
            .from_number = source->from_number,
            .easing = placed[i].curve == 0 ? source->easing : TRP_EASING_LINEAR,
            .samples = placed[i].curve,
        };
        buffer_append(clip, &event, sizeof event);
    }
    if (curves.size > 0) {
        buffer_append(clip, curves.bytes, curves.size);
    }
    buffer_free(&curves);
}

void events_append(struct pack_writer *writer, const struct scene_clip *source, const char *name,
                   double lead_in_s, struct buffer *clip, struct report *report)
{
    struct trp__clip_header header;
    struct arena arena = {0};
    if (source->event_count == 0) {
        return;
    }
    memcpy(&header, clip->bytes, sizeof header);
    const struct ticks ticks = {
        .per_s = (double)header.rate_num / (double)header.rate_den,
        .end_s = (double)header.tick_count * header.rate_den / header.rate_num,
        .count = header.tick_count,
        .num = header.rate_num,
        .den = header.rate_den,
    };
    struct placed_event *const placed =
        place_events(source, name, lead_in_s, &ticks, &arena, report);
    buffer_align(clip, 16);
    header.events_offset = (uint32_t)clip->size;
    memcpy(clip->bytes, &header, sizeof header);
    append_events(writer, placed, source->event_count, &arena, clip);
    arena_free(&arena);
}
