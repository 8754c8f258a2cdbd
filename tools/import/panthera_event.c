// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events of a clip: those of its animation and of all that is nested in it.
#include "panthera_flatten.h"

#include <string.h>

#include <troupe/event.h>

#define MOST_EVENTS (1u << 18) // of a clip
#define MOST_IN_ALL (1u << 20) // of an import, but for those of a clip without others in it

bool panthera_event_add(struct panthera_flattener *flattener, struct panthera_event_list *list,
                        const char *prefix, const struct panthera_key *key, double time_s,
                        double scale)
{
    if (list->count >= MOST_EVENTS ||
        (flattener->is_nested && list->count + flattener->event_count >= MOST_IN_ALL)) {
        flattener->is_over = true;
        return false;
    }
    const char *const target =
        *key->node && *prefix ? panthera_joined(flattener, prefix, key->node, "") : key->node;
    const double duration_s = key->duration_s > 0 ? key->duration_s * scale : 0;
    const bool lasts = duration_s > 0; // else it is what it ends with
    list->events =
        panthera_grown(flattener, list->events, list->count, &list->capacity, sizeof *list->events);
    list->events[list->count++] = (struct scene_event){
        .name = key->event,
        .time_s = time_s,
        .duration_s = duration_s,
        .flags = TRP_EVENT_NUMBER | (key->text && *key->text ? TRP_EVENT_TEXT : 0),
        .number = key->end_value,
        .from_number = key->start_value,
        .easing = lasts && !key->samples ? key->easing : TRP_EASING_LINEAR,
        .samples = lasts ? key->samples : NULL,
        .text = key->text ? key->text : "",
        .target = target,
    };
    return !flattener->is_over;
}

void panthera_events_keep(struct panthera_flattener *flattener, struct scene_clip *clip)
{
    struct arena *const arena = &flattener->panthera->scene->arena;
    const struct scene_event *const events = clip->events;
    clip->events = ARENA_NEW(arena, struct scene_event, clip->event_count);
    for (uint32_t i = 0; i < clip->event_count; i++) {
        clip->events[i] = events[i];
        clip->events[i].target = arena_string(arena, events[i].target);
    }
    if (flattener->is_nested) {
        flattener->event_count += clip->event_count;
    }
}
