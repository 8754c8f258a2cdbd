// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The events of a pack against those of its source.
#include "verify_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/event.h>

#include "format.h"

/// An event of the source, where it should be in the clip.
struct expected_event {
    const struct scene_event *source;
    uint32_t order; // in the source
    double time_s;
    double duration_s;
    double shown_s; // of that, in the clip
};

static int compare_expected(const void *a, const void *b)
{
    const struct expected_event *const left = a;
    const struct expected_event *const right = b;
    if (left->time_s != right->time_s) {
        return left->time_s < right->time_s ? -1 : 1;
    }
    return (left->order > right->order) - (left->order < right->order);
}

/// Returns what comes after the start of a text, null where it starts otherwise.
static const char *after(const char *text, const char *start)
{
    const size_t length = strlen(start);
    return text != NULL && strncmp(text, start, length) == 0 ? text + length : NULL;
}

/// Whether a text is clip@joint, or that with a number behind: clip@joint#2.
static bool is_name_of_part(const char *text, const char *clip, const char *joint)
{
    const char *const rest = after(after(after(text, clip), "@"), joint);
    return rest != NULL && rest[strspn(rest, "#0123456789")] == '\0';
}

/// Whether a clip is one of several made of one clip of the source, and not the first of them, to
/// which the events belong: such a one has the name of its first joint in its own, and the stem of
/// its file may be in front.
static bool is_later_part(const trp_clip *clip, const struct scene *scene, uint32_t source_index,
                          const char *first_joint)
{
    if (first_joint == NULL) {
        return false;
    }
    struct arena arena = {0};
    const char *const name = scene_clip_name(scene, source_index, &arena);
    const bool is_part =
        is_name_of_part(clip->name, name, first_joint) ||
        is_name_of_part(after(after(clip->name, scene->stem), "|"), name, first_joint);
    arena_free(&arena);
    return is_part;
}

/// Whether an event goes along the time curve of the source, in floats.
static bool curves_equal(const struct scene_event *source, const trp_event *event)
{
    const struct scene_samples *const samples = source->samples;
    if (samples == NULL) {
        return event->sample_count == 0 && source->easing == event->easing;
    }
    for (uint32_t i = 0; i < samples->count && event->sample_count == samples->count; i++) {
        if (!(fabs(samples->values[i] - (double)event->samples[i]) <=
              1e-15 + 6e-8 * fabs(samples->values[i]))) {
            return false;
        }
    }
    return event->sample_count == samples->count;
}

static bool payloads_equal(const struct scene_event *source, const trp_event *event)
{
    return source->flags == event->flags && source->integer == event->integer &&
           memcmp(&source->number, &event->number, sizeof source->number) == 0 &&
           memcmp(&source->from_number, &event->from_number, sizeof source->from_number) == 0 &&
           curves_equal(source, event) && strcmp(source->text, event->text) == 0 &&
           strcmp(source->target != NULL ? source->target : "", event->target) == 0;
}

/// How far a time may be off: a unit of the phase, or what times of keys are rounded by where the
/// event lies on one.
static double tolerance_of(const trp_clip *clip, double time_s)
{
    const double unit_s = (double)clip->rate_den / (double)clip->rate_num / 1048576;
    return unit_s + fmax(5e-6, 2.4e-7 * fabs(time_s));
}

/// Whether an event lasts as long as it should. What ends with the clip but for what durations are
/// typed with (1e-4 s, or 2^-22 of the time) may end with it.
static bool lasts_as_expected(const trp_event *event, const struct expected_event *expected,
                              double tolerance_s)
{
    const double typed_s = fmax(1e-4, 2.4e-7 * expected->source->time_s);
    const bool is_cut = expected->duration_s - expected->shown_s <= typed_s + 2 * tolerance_s;
    return fabs(event->duration_s - expected->duration_s) <= 2 * tolerance_s ||
           (is_cut && fabs(event->duration_s - expected->shown_s) <= 2 * tolerance_s);
}

static struct expected_event *expect(const trp_clip *clip, const struct scene_clip *source,
                                     uint32_t count, double lead_in_s, struct arena *arena)
{
    struct expected_event *const expected = ARENA_NEW(arena, struct expected_event, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct scene_event *const event = &source->events[i];
        const double placed_s = fmax(event->time_s - lead_in_s, 0);
        const double time_s = fmin(placed_s, clip->duration_s);
        const bool is_moved = placed_s - time_s > fmax(1e-4, 2.4e-7 * event->time_s);
        expected[i] = (struct expected_event){
            .source = event,
            .order = i,
            .time_s = time_s,
            .duration_s = is_moved ? 0 : fmin(event->duration_s, TRP__MAX_EVENT_S),
            .shown_s = fmin(event->duration_s, clip->duration_s - time_s),
        };
    }
    if (count > 0) {
        qsort(expected, count, sizeof *expected, compare_expected);
    }
    return expected;
}

/// Says what is wrong, if it is the first thing.
static void complain(struct verify_clip *result, const char *name, double time_s, const char *what)
{
    if (result->wrong_event_count++ == 0) {
        snprintf(result->event_problem, sizeof result->event_problem,
                 "event '%.100s' at %.9g s of the clip %s", name, time_s, what);
    }
}

/// Finds an event of the clip that is as expected, and that no other was found to be.
/// @param from [in,out] the first one that may be; times of what is asked for do not fall
/// @param has_name [out] whether one is there that differs in nothing but what it carries
static bool find(const trp_clip *clip, const struct expected_event *expected, bool *is_found,
                 uint32_t *from, bool *has_name)
{
    const double tolerance_s = tolerance_of(clip, expected->time_s);
    const uint64_t name_hash = trp_name_hash(expected->source->name);
    *has_name = false;
    for (uint32_t i = *from; i < clip->event_count; i++) {
        trp_event event;
        trp_clip_event(clip, i, &event);
        if (event.time_s > expected->time_s + tolerance_s) {
            break;
        }
        // Those passed over for good: found already, or too early for all to come.
        if (i == *from && (is_found[i] || event.time_s < expected->time_s - 2 * tolerance_s)) {
            (*from)++;
            continue;
        }
        if (is_found[i] || event.time_s < expected->time_s - tolerance_s ||
            event.name_hash != name_hash || strcmp(event.name, expected->source->name) != 0) {
            continue;
        }
        *has_name = true;
        if (payloads_equal(expected->source, &event) &&
            lasts_as_expected(&event, expected, tolerance_s)) {
            is_found[i] = true;
            return true;
        }
    }
    return false;
}

void verify_events(const trp_clip *clip, const struct scene *scene, uint32_t source_index,
                   const char *first_joint, double lead_in_s, bool is_all,
                   struct verify_clip *result)
{
    struct arena arena = {0};
    const struct scene_clip *const source = &scene->clips[source_index];
    const bool has_none = is_later_part(clip, scene, source_index, first_joint);
    const uint32_t count = has_none ? 0 : source->event_count;
    const struct expected_event *const expected = expect(clip, source, count, lead_in_s, &arena);
    bool *const is_found = ARENA_NEW(&arena, bool, clip->event_count);
    uint32_t from = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool has_name;
        if (!find(clip, &expected[i], is_found, &from, &has_name)) {
            complain(result, expected[i].source->name, expected[i].time_s,
                     has_name ? "carries or lasts something else" : "is missing");
        }
    }
    for (uint32_t i = 0; i < clip->event_count && (is_all || has_none); i++) {
        trp_event event;
        trp_clip_event(clip, i, &event);
        if (!is_found[i]) {
            complain(result, event.name, event.time_s, "is not in the source");
        }
    }
    arena_free(&arena);
}
