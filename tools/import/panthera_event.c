// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Events of animations and of those nested in them, at the times at which they come while the
// animation plays: keys beyond the end of their animation never do, and the easing of clips is of
// no account.
#include "panthera_flatten.h"

#include <math.h>
#include <string.h>

#include <troupe/event.h>

#define MOST_EVENTS (1u << 18) // of a clip
#define MOST_IN_ALL (1u << 20) // of an import, but for those of a clip without others in it

/// Events of a clip so far.
struct event_list {
    struct panthera_flattener *flattener;
    double end_s; // of the clip
    uint32_t count;
    uint32_t capacity;
    struct scene_event *events; // in the arena of the animation
};

/// Where the events of an animation belong.
struct place {
    const struct panthera_project *project;
    const char *prefix;
    double offset_s; // when it starts
    double scale;    // seconds of the clip in one of it
    uint32_t depth;
};

/// Returns a time inside in the clip's time. What does not last has no scale, and is all at once.
static double time_of(const struct place *place, double time_s)
{
    return place->scale > 0 ? place->offset_s + time_s * place->scale : place->offset_s;
}

static const char *joined(struct arena *arena, const char *prefix, const char *node,
                          const char *end)
{
    const size_t prefix_bytes = strlen(prefix);
    const size_t node_bytes = strlen(node);
    char *const text = arena_take(arena, prefix_bytes + node_bytes + strlen(end) + 1, 1);
    memcpy(text, prefix, prefix_bytes);
    memcpy(text + prefix_bytes, node, node_bytes);
    strcpy(text + prefix_bytes + node_bytes, end);
    return text;
}

static struct scene_event *list_add(struct event_list *list)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        struct scene_event *const events =
            ARENA_NEW(&list->flattener->arena, struct scene_event, list->capacity);
        if (list->count > 0) {
            memcpy(events, list->events, list->count * sizeof *events);
        }
        list->events = events;
    }
    return &list->events[list->count++];
}

static bool event_add(struct event_list *list, const struct place *place,
                      const struct panthera_key *key)
{
    struct panthera_flattener *const flattener = list->flattener;
    const double time_s = time_of(place, key->start_s);
    if (!(time_s <= list->end_s)) {
        return true;
    }
    if (list->count >= MOST_EVENTS ||
        (flattener->is_nested && list->count >= MOST_IN_ALL - flattener->event_count)) {
        flattener->is_over = true;
        return false;
    }
    const char *target = key->node;
    if (*target && *place->prefix) {
        target = joined(&flattener->arena, place->prefix, key->node, "");
        if (!panthera_text_count(flattener, strlen(target))) {
            return false;
        }
    }
    const double length_s = place->scale > 0 ? key->duration_s * place->scale : 0;
    *list_add(list) = (struct scene_event){
        .name = key->event,
        .time_s = time_s,
        .duration_s = length_s,
        .flags = TRP_EVENT_NUMBER | (key->text && *key->text ? TRP_EVENT_TEXT : 0),
        .number = key->end_value,
        .from_number = key->start_value,
        .easing = key->samples ? 0 : key->easing,
        .text = key->text ? key->text : "",
        .target = target,
    };
    return true;
}

static bool animation_visit(struct event_list *list, const struct place *place,
                            const struct panthera_animation *animation);

static bool clip_visit(struct event_list *list, const struct place *place,
                       const struct panthera_key *key)
{
    struct place inside = *place;
    inside.depth++;
    inside.offset_s = time_of(place, key->start_s);
    if (*key->node) {
        inside.project = panthera_template_find(place->project, key->node);
    }
    const struct panthera_animation *const inner =
        inside.project ? panthera_animation_find(inside.project, key->property) : NULL;
    if (!inner) {
        return true; // warned of
    }
    if (*key->node) {
        inside.prefix = joined(&list->flattener->arena, place->prefix, key->node, "/");
        if (!panthera_text_count(list->flattener, strlen(inside.prefix))) {
            return false;
        }
    }
    const bool lasts = key->duration_s > 0 && inner->duration_s > 0 && place->scale > 0;
    inside.scale = lasts ? place->scale * (key->duration_s / inner->duration_s) : 0;
    return animation_visit(list, &inside, inner);
}

static bool animation_visit(struct event_list *list, const struct place *place,
                            const struct panthera_animation *animation)
{
    if (!(place->offset_s <= list->end_s)) {
        return true;
    }
    if (place->depth > list->flattener->most_nesting) {
        panthera_nesting_warn(list->flattener, animation);
        return true;
    }
    if (!panthera_visit_begin(list->flattener, animation, place->depth, 1)) {
        return false;
    }
    for (uint32_t i = 0; i < animation->group_count; i++) {
        const struct panthera_group *const group = &animation->groups[i];
        for (uint32_t j = 0; j < group->key_count; j++) {
            const struct panthera_key *const key = &group->keys[j];
            if (!(key->start_s <= animation->duration_s)) {
                break; // and all after it
            }
            if (key->kind == PANTHERA_EVENT && !event_add(list, place, key)) {
                return false;
            }
            if (key->kind == PANTHERA_ANIMATION && !clip_visit(list, place, key)) {
                return false;
            }
        }
    }
    return true;
}

bool panthera_events_make(struct panthera_flattener *flattener,
                          const struct panthera_animation *animation, struct scene_clip *clip)
{
    struct event_list list = {.flattener = flattener, .end_s = clip->duration_s};
    const struct place root = {
        .project = flattener->panthera->project,
        .prefix = "",
        .scale = 1,
        .depth = 1,
    };
    if (!animation_visit(&list, &root, animation)) {
        return false;
    }
    clip->event_count = list.count;
    clip->events = list.events;
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
