// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events of a clip: those of its animation and of all that is nested in it.
#include "panthera_flatten.h"

#include <math.h>
#include <string.h>

#include <troupe/event.h>

#define LONGEST_S 1e9          // of an event, as in packs
#define MOST_EVENTS (1u << 18) // of a clip
#define MOST_IN_ALL (1u << 20) // of an import, but for those of a clip without others in it

static const char *joined(struct arena *arena, const char *prefix, const char *node)
{
    const size_t prefix_bytes = strlen(prefix);
    char *const text = arena_take(arena, prefix_bytes + strlen(node) + 1, 1);
    memcpy(text, prefix, prefix_bytes);
    strcpy(text + prefix_bytes, node);
    return text;
}

static struct scene_event *list_add(struct panthera_flattener *flattener,
                                    struct panthera_event_list *list)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        struct scene_event *const events =
            ARENA_NEW(&flattener->arena, struct scene_event, list->capacity);
        if (list->count > 0) {
            memcpy(events, list->events, list->count * sizeof *events);
        }
        list->events = events;
    }
    return &list->events[list->count++];
}

bool panthera_event_add(struct panthera_flattener *flattener, struct panthera_event_list *list,
                        const char *prefix, const struct panthera_key *key, double time_s,
                        double scale)
{
    if (list->count >= MOST_EVENTS ||
        (flattener->is_nested && list->count + flattener->event_count >= MOST_IN_ALL)) {
        flattener->is_over = true;
        return false;
    }
    const char *target = key->node;
    if (*target && *prefix) {
        target = joined(&flattener->arena, prefix, key->node);
        if (!panthera_text_count(flattener, strlen(target))) {
            return false;
        }
    }
    const double duration_s = key->duration_s > 0 ? fmin(key->duration_s * scale, LONGEST_S) : 0;
    const bool lasts = duration_s > 0; // else it is what it ends with
    *list_add(flattener, list) = (struct scene_event){
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
    return true;
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
