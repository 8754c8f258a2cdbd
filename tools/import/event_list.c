// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Lists of events as JSON.
#include "event_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <troupe/event.h>

#include "../../src/format.h"

static bool name_read(const struct json_value *value, struct arena *arena,
                      struct scene_event *event)
{
    const char *name = "";
    if (!json_get_string(value, "name", true, &name)) {
        return false;
    }
    if (name[0] == '\0') {
        const struct json_value place = json_member(value, "name");
        return json_refuse(&place, TROUPE_EXIT_INPUT, "event.name", "is empty");
    }
    event->name = arena_string(arena, name);
    return true;
}

/// Gets a number that is not negative.
/// @param code  of the complaint about one that is
static bool amount_get(const struct json_value *value, const char *key, bool required,
                       const char *code, double *amount)
{
    if (!json_get_number(value, key, required, amount)) {
        return false;
    }
    if (*amount < 0) {
        const struct json_value place = json_member(value, key);
        return json_refuse(&place, TROUPE_EXIT_INPUT, code, "is %.9g, but must not be negative",
                           *amount);
    }
    return true;
}

static bool time_read(const struct json_value *value, double frames_per_s,
                      struct scene_event *event)
{
    const struct json_value frame = json_member(value, "frame");
    const struct json_value time = json_member(value, "time");
    if (frame.value == NULL || (frames_per_s == 0 && time.value != NULL)) {
        return amount_get(value, "time", true, "event.time", &event->time_s);
    }
    if (frames_per_s == 0) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "event.frame",
                           "\"frame\" needs a file that has \"fps\", else \"time\"");
    }
    if (time.value != NULL) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "event.frame",
                           "has both \"time\" and \"frame\"");
    }
    double frames = 0;
    if (!amount_get(value, "frame", true, "event.time", &frames)) {
        return false;
    }
    event->time_s = frames / frames_per_s;
    return isfinite(event->time_s) ||
           json_refuse(&frame, TROUPE_EXIT_INPUT, "event.time", "is beyond any clip");
}

static bool payload_read(const struct json_value *value, struct arena *arena,
                         struct scene_event *event)
{
    const struct json_value payload = json_member(value, "value");
    const char *text = NULL;
    bool is_beyond = false;
    if (json_as_integer(&payload, &event->integer, &is_beyond)) {
        if (is_beyond) {
            double number = 0;
            json_as_number(&payload, &number);
            return json_refuse(&payload, TROUPE_EXIT_INPUT, "event.value",
                               "is %.17g, an integer beyond 64 bits", number);
        }
        event->flags |= TRP_EVENT_INTEGER;
    } else if (json_as_number(&payload, &event->number)) {
        if (!(fabs(event->number) <= TRP__MAX_EVENT_NUMBER)) {
            return json_refuse(&payload, TROUPE_EXIT_INPUT, "event.value", "%g is too large",
                               event->number);
        }
        event->flags |= TRP_EVENT_NUMBER;
    } else if (json_as_string(&payload, &text)) {
        event->flags |= TRP_EVENT_TEXT;
    } else if (payload.value != NULL) {
        return json_refuse(&payload, TROUPE_EXIT_INPUT, "event.value",
                           "must be an integer, a number or a string");
    }
    event->text = arena_string(arena, text != NULL ? text : "");
    return true;
}

/// Warns of members that no event has: they may be mistyped.
static void members_check(const struct json_value *value)
{
    static const char *const known[] = {"name", "time", "frame", "duration", "value", "marker"};
    char list[256] = "";
    size_t used = 0;
    for (struct json_value member = {0}; json_next_member(value, &member);) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(member.key, known[i]) != 0) {
            i++;
        }
        if (i == sizeof known / sizeof *known && used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"",
                                     used > 0 ? ", " : "", member.key);
        }
    }
    if (used > 0) {
        json_warn(value, "events.member", "events know no %s: ignored%s", list,
                  used < sizeof list ? "" : ", as others are");
    }
}

static bool event_read(const struct json_value *value, double frames_per_s, struct arena *arena,
                       struct scene_event *event)
{
    bool is_marker = false;
    *event = (struct scene_event){0};
    if (!json_check_object(value) || !name_read(value, arena, event) ||
        !time_read(value, frames_per_s, event) ||
        !amount_get(value, "duration", false, "event.duration", &event->duration_s) ||
        !payload_read(value, arena, event) || !json_get_boolean(value, "marker", &is_marker)) {
        return false;
    }
    event->flags |= is_marker ? TRP_EVENT_MARKER : 0;
    members_check(value);
    return true;
}

static bool events_read(const struct json_value *list, double frames_per_s, struct arena *arena,
                        struct scene_event **events, uint32_t *event_count)
{
    uint32_t count = 0;
    if (!json_as_array(list, &count)) {
        return json_refuse(list, TROUPE_EXIT_INPUT, "json.type",
                           "must be an array of events, or a string that holds one");
    }
    struct scene_event *const read = ARENA_NEW(arena, struct scene_event, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value value = json_item(list, i);
        if (!event_read(&value, frames_per_s, arena, &read[i])) {
            return false;
        }
    }
    *events = read;
    *event_count = count;
    return true;
}

bool event_list_read(const struct json_value *list, double frames_per_s, struct arena *arena,
                     struct scene_event **events, uint32_t *event_count)
{
    const char *text;
    if (!json_as_string(list, &text)) {
        return events_read(list, frames_per_s, arena, events, event_count);
    }
    struct json_value parsed;
    if (!json_parse_string(list, &parsed)) {
        return false;
    }
    const bool ok = events_read(&parsed, frames_per_s, arena, events, event_count);
    json_release(&parsed);
    return ok;
}
