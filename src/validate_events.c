// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Checks of the events and of the root motion of a clip. As in validate.c, each trusts only what
// the ones before it have checked.
#include "check.h"

/// Bytes of the clip, counted from its start.
struct span {
    uint64_t start;
    uint64_t end;
};

static bool is_apart(struct span one, struct span other)
{
    return one.end <= other.start || other.end <= one.start;
}

/// Returns the end of a clip, and a last place of an f64 more: sums of times may round up.
static double end_of(const struct trp__clip_header *header)
{
    const double duration = (double)header->tick_count * header->rate_den / header->rate_num;
    return duration + duration * 0x1p-52;
}

// -- Events

static bool check_phases(struct trp__check *check, const struct trp__clip_header *header,
                         const uint64_t *phases, uint32_t count)
{
    const uint64_t last = (uint64_t)header->tick_count << 20;
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(phases[i] <= last && (i == 0 || phases[i] >= phases[i - 1]), "event.phase",
                &phases[i]);
    }
    return true;
}

/// Checks that an event says nothing which its flags do not, so that what is not set is 0.
static bool check_payload(struct trp__check *check, const struct trp__event *event)
{
    REQUIRE(event->integer == 0 || (event->flags & TRP_EVENT_INTEGER), "event.integer",
            &event->integer);
    const double *const numbers[2] = {&event->number, &event->from_number};
    for (uint32_t i = 0; i < 2; i++) {
        REQUIRE(event->flags & TRP_EVENT_NUMBER
                    ? trp__magnitude(*numbers[i]) <= TRP__MAX_EVENT_NUMBER
                    : *numbers[i] == 0,
                "event.number", numbers[i]);
    }
    REQUIRE(event->easing < TRP_EASING_COUNT, "event.easing", &event->easing);
    REQUIRE(event->flags & TRP_EVENT_TEXT || check->pack.strings[event->text] == 0, "event.text",
            &event->text);
    return true;
}

static bool check_event(struct trp__check *check, const struct trp__clip_header *header,
                        const struct trp__event *event, uint64_t phase)
{
    const uint32_t flags = TRP_EVENT_INTEGER | TRP_EVENT_NUMBER | TRP_EVENT_TEXT | TRP_EVENT_MARKER;
    const double duration = (double)header->tick_count * header->rate_den / header->rate_num;
    const double rate = (double)header->rate_num / (double)header->rate_den * 1048576.0;
    REQUIRE((event->flags & ~flags) == 0, "event.flags", &event->flags);
    REQUIRE(event->time_s >= 0 && event->time_s <= duration &&
                trp__magnitude(event->time_s * rate - (double)phase) <= 1,
            "event.time", &event->time_s);
    REQUIRE(event->duration_s >= 0 && event->duration_s <= TRP__MAX_EVENT_S, "event.duration",
            &event->duration_s);
    if (!trp__check_name(check, &event->name) || !trp__check_name(check, &event->text) ||
        !trp__check_name(check, &event->target)) {
        return false;
    }
    REQUIRE(check->pack.strings[event->name] != 0, "event.name", &event->name);
    return check_payload(check, event);
}

/// Checks the samples of a time curve.
static bool check_samples(struct trp__check *check, const struct trp__event_samples *samples)
{
    const float *const values = (const void *)(samples + 1);
    for (uint32_t i = 0; i < samples->count; i++) {
        REQUIRE(trp__magnitude(values[i]) <= TRP__SAMPLE_LIMIT, "event.sample", &values[i]);
    }
    return true;
}

/// Checks the time curves of events. Each begins where the one before it ends, or lies among those
/// that were checked already, so that all of them together take no longer than their bytes. Any of
/// these are good samples: counts, read as floats, are below 2.
/// @param first where the first one begins
static bool check_time_curves(struct trp__check *check, const struct trp__events_header *header,
                              const struct trp__event *events, uint32_t first)
{
    const uint8_t *const bytes = (const void *)header;
    uint32_t end = first;
    for (uint32_t i = 0; i < header->event_count; i++) {
        const uint32_t *const offset = &events[i].samples;
        if (*offset == 0) {
            continue;
        }
        const uint32_t limit = *offset == end ? header->size_bytes : end;
        REQUIRE(*offset % sizeof(float) == 0 && *offset >= first && *offset <= end &&
                    limit - *offset >= sizeof(struct trp__event_samples),
                "event.samples", offset);
        const struct trp__event_samples *const samples = (const void *)(bytes + *offset);
        REQUIRE(samples->count >= 2 &&
                    samples->count <= (limit - *offset - sizeof *samples) / sizeof(float),
                "event.samples", offset);
        REQUIRE(events[i].easing == TRP_EASING_LINEAR, "event.easing", &events[i].easing);
        if (*offset == end) {
            if (!check_samples(check, samples)) {
                return false;
            }
            end += (uint32_t)(sizeof *samples + samples->count * sizeof(float));
        }
    }
    REQUIRE(end == header->size_bytes, "events.size", &header->size_bytes);
    return true;
}

/// Checks the events, and says where they lie.
static bool check_events(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                         const struct trp__checked_clip *clip, struct span *span)
{
    const uint32_t *const offset = &clip->header->events_offset;
    if (*offset == 0) {
        return true;
    }
    REQUIRE(*offset % 16 == 0, "events.align", offset);
    REQUIRE(*offset >= clip->resident_bytes && *offset <= size_bytes &&
                size_bytes - *offset >= sizeof(struct trp__events_header),
            "events.range", offset);
    const struct trp__events_header *const header = (const void *)(at + *offset);
    REQUIRE(header->size_bytes <= size_bytes - *offset, "events.range", &header->size_bytes);
    const uint64_t count = header->event_count;
    REQUIRE(count >= 1, "events.count", &header->event_count);
    const uint64_t curves_at =
        sizeof *header + count * (sizeof(uint64_t) + sizeof(struct trp__event));
    REQUIRE(header->size_bytes >= curves_at, "events.size", &header->size_bytes);
    *span = (struct span){*offset, *offset + (uint64_t)header->size_bytes};

    const uint64_t *const phases = (const void *)(header + 1);
    const struct trp__event *const events = (const void *)(phases + count);
    if (!check_phases(check, clip->header, phases, header->event_count)) {
        return false;
    }
    for (uint32_t i = 0; i < header->event_count; i++) {
        if (!check_event(check, clip->header, &events[i], phases[i])) {
            return false;
        }
    }
    return check_time_curves(check, header, events, (uint32_t)curves_at);
}

// -- Root motion

static bool check_root_keys(struct trp__check *check, const struct trp__clip_header *clip,
                            const struct trp__root_header *header)
{
    const double *const times = (const void *)(header + 1);
    const float(*const keys)[4] = (const void *)(times + header->key_count);
    for (uint32_t i = 0; i < header->key_count; i++) {
        REQUIRE(i == 0 ? times[i] == 0 : times[i] > times[i - 1] && times[i] <= end_of(clip),
                "root.time", &times[i]);
        for (uint32_t k = 0; k < 4; k++) {
            const bool moves = i > 0 && (header->components >> k & 1) != 0;
            REQUIRE(moves ? trp__magnitude(keys[i][k]) <= TRP__VALUE_LIMIT : keys[i][k] == 0,
                    "root.key", &keys[i][k]);
        }
    }
    return true;
}

/// Checks which joint moved. Where the skeleton lies elsewhere, trp_clip_bind does, with
/// trp__clip_fits_skeleton.
static bool check_root_lane(struct trp__check *check, const struct trp__clip_header *clip,
                            const struct trp__root_header *header)
{
    REQUIRE(header->lane < TRP_BLOCK_LANES * clip->block_count, "root.lane", &header->lane);
    trp_skeleton skeleton;
    if (trp_pack_skeleton(&check->pack, clip->skeleton, &skeleton) == TRP_OK) {
        REQUIRE(skeleton.joint_of_lane[header->lane] != TRP_NO_LANE, "root.lane", &header->lane);
    }
    return true;
}

/// Checks the root motion, and says where it lies.
static bool check_root_motion(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                              const struct trp__checked_clip *clip, struct span *span)
{
    const uint32_t *const offset = &clip->header->root_offset;
    const bool is_taken_out = (clip->header->flags & TRP_CLIP_ROOT_MOTION) != 0;
    if (*offset == 0) {
        REQUIRE(!is_taken_out, "root.flag", &clip->header->flags);
        return true;
    }
    REQUIRE((clip->header->flags & TRP_CLIP_ADDITIVE) == 0, "root.additive", &clip->header->flags);
    REQUIRE(*offset % 16 == 0, "root.align", offset);
    REQUIRE(*offset >= clip->resident_bytes && *offset <= size_bytes &&
                size_bytes - *offset >= sizeof(struct trp__root_header),
            "root.range", offset);
    const struct trp__root_header *const header = (const void *)(at + *offset);
    REQUIRE(header->size_bytes <= size_bytes - *offset, "root.range", &header->size_bytes);
    const uint64_t count = header->key_count;
    REQUIRE(count >= 1, "root.count", &header->key_count);
    REQUIRE(header->size_bytes == sizeof *header + count * (sizeof(double) + sizeof(float[4])),
            "root.size", &header->size_bytes);
    REQUIRE(header->components >= 1 &&
                header->components <= (TRP_ROOT_X | TRP_ROOT_Y | TRP_ROOT_Z | TRP_ROOT_YAW),
            "root.components", &header->components);
    REQUIRE(header->is_in_pose == (is_taken_out ? 0 : 1), "root.flag", &header->is_in_pose);
    for (int i = 0; i < 2; i++) {
        REQUIRE(header->components & TRP_ROOT_YAW
                    ? trp__magnitude(header->pivot[i]) <= TRP__VALUE_LIMIT
                    : header->pivot[i] == 0,
                "root.pivot", &header->pivot[i]);
    }
    *span = (struct span){*offset, *offset + (uint64_t)header->size_bytes};
    return check_root_lane(check, clip->header, header) &&
           check_root_keys(check, clip->header, header);
}

// -- Both

static struct span keyed_span(const uint8_t *at, const struct trp__clip_header *header)
{
    const uint64_t start = header->keyed_offset;
    const struct trp__keyed_header *const keyed = (const void *)(at + start);
    return (struct span){start, start == 0 ? 0 : start + keyed->size_bytes};
}

bool trp__check_events_and_root_motion(struct trp__check *check, const uint8_t *at,
                                       uint32_t size_bytes, const struct trp__checked_clip *clip,
                                       uint64_t segments_start, uint64_t segments_end)
{
    struct span events = {0};
    struct span root = {0};
    if (!check_events(check, at, size_bytes, clip, &events) ||
        !check_root_motion(check, at, size_bytes, clip, &root)) {
        return false;
    }
    const struct span segments = {segments_start, segments_end};
    const struct span keyed = keyed_span(at, clip->header);
    REQUIRE(is_apart(events, segments) && is_apart(events, keyed), "events.overlap",
            &clip->header->events_offset);
    REQUIRE(is_apart(root, segments) && is_apart(root, keyed) && is_apart(root, events),
            "root.overlap", &clip->header->root_offset);
    return true;
}
