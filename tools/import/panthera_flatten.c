// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Who writes which property when. The rule says what holds at one time: collect what an animation
// and all that is nested in it write, sort it, and the last one of a property counts. Here it is
// done for all times at once: every write is collected with the stretches of time in which it is
// made, and a sweep over them finds the one that counts. An event comes at the first time at which
// its animation is asked and has reached it; so those of a clip come while it has its turn.
#include "panthera_flatten.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_S (-1.0) // stands for all times before the clip
#define ROUNDING 1e-12  // of times that went through nested clips, as a part of them

// Work is counted in looks at the time in a clip. A clip with others in it may take this much,
#define MOST_WORK (1u << 25)
// all of an import this much, and more for every key up to the most; then each may take a little,
// until that has come to an eighth of the same.
#define WORK_IN_ALL (1u << 27)
#define WORK_OF_KEY (1u << 14)
#define MOST_IN_ALL (3u << 26)
#define A_LITTLE (1u << 20)

#define SEARCH_LOOKS 64 // that find a point within a span
#define END_LOOKS 2     // that find that it has none
#define VISIT_LOOKS 32
#define BYTES_OF_WORK 4      // of a list
#define TEXT_BYTES_OF_WORK 4 // copied and hashed

/// A list that grows, in the arena of the animation.
struct span_list {
    uint32_t count;
    uint32_t capacity;
    struct panthera_span *spans;
};

/// A key that is the last one to have started, and when.
struct turn {
    int32_t key; // of its group; -1: none has started
    uint32_t order;
    struct panthera_span span;
};

struct turn_list {
    uint32_t count;
    uint32_t capacity;
    struct turn *turns;
};

/// An animation somewhere in a clip.
struct visit {
    const struct panthera_animation *animation;
    const char *prefix; // of its nodes
    const struct panthera_time *time;
    const struct panthera_span *spans;
    uint32_t span_count;
    double offset_s; // when it starts, in root time
    double scale;    // seconds of root time in one of it
    uint32_t depth;
    bool is_frozen; // only shows its end: no event comes
};

/// The writes of a clip.
struct collection {
    struct panthera_flattener *flattener;
    uint32_t group_count; // so far: the order of writes
    uint32_t count;
    uint32_t capacity;
    struct panthera_piece *pieces;
    struct panthera_event_list events;
};

static bool visit_animation(struct collection *collection, const struct visit *visit);

static void span_add(struct collection *collection, struct span_list *list,
                     struct panthera_span span)
{
    if (span.begin_s < span.end_s) {
        list->spans = panthera_grown(collection->flattener, list->spans, list->count,
                                     &list->capacity, sizeof *list->spans);
        list->spans[list->count++] = span;
    }
}

static void turn_add(struct collection *collection, struct turn_list *list, int32_t key,
                     const struct panthera_span *span, double begin_s, double end_s)
{
    if (begin_s < end_s) {
        list->turns = panthera_grown(collection->flattener, list->turns, list->count,
                                     &list->capacity, sizeof *list->turns);
        struct turn *const turn = &list->turns[list->count];
        *turn = (struct turn){.key = key, .order = list->count, .span = *span};
        turn->span.begin_s = begin_s;
        turn->span.end_s = end_s;
        list->count++;
    }
}

/// Returns the first time of a span at which the time inside has reached a point, or in a falling
/// span no longer has; its end where that never happens.
static double pass_of(struct collection *collection, const struct panthera_time *time,
                      const struct panthera_span *span, double point, bool is_past)
{
    if (!span->is_still) {
        return panthera_pass(collection->flattener, time, NULL, span, point, is_past);
    }
    panthera_work_add(collection->flattener, 1);
    return (is_past ? span->still_s > point : span->still_s >= point) ? span->begin_s : span->end_s;
}

/// Returns the part of a span in which the time inside has reached a point, or has not.
/// @param pass_s where it passes that
static struct panthera_span part_of(const struct panthera_span *span, double pass_s,
                                    bool has_reached)
{
    struct panthera_span part = *span;
    if (has_reached != (span->is_falling && !span->is_still)) {
        part.begin_s = pass_s;
    } else {
        part.end_s = pass_s;
    }
    return part;
}

// -- Keys that take turns

/// Returns whether a key has started only once its start is past: at the instant between two clips
/// the earlier one still has it.
static bool is_late(const struct panthera_key *key)
{
    return key->kind == PANTHERA_ANIMATION && key->duration_s > 0 && key->start_s > 0;
}

/// Returns whether a key takes turns with the others of its group: of values whatever it is, but
/// nested animations are shown by keys of that kind alone.
static bool has_turns(const struct panthera_group *group, const struct panthera_key *key)
{
    return group->kind != PANTHERA_ANIMATION || key->kind == PANTHERA_ANIMATION;
}

/// Returns how many keys of a group, from the first one on, have started somewhere in a span.
static uint32_t started_count(struct collection *collection, const struct panthera_time *time,
                              const struct panthera_group *group, const struct panthera_span *span)
{
    const double far_s = span->is_falling ? span->begin_s : panthera_time_before(span->end_s);
    const double most_s = span->is_still ? span->still_s : panthera_time_inside(time, far_s);
    uint32_t low = 0;
    uint32_t high = group->key_count;
    panthera_work_add(collection->flattener, panthera_time_work(time, END_LOOKS));
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->keys[middle].start_s > most_s) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Finds when each key of a group is the last one that has started, within a span.
static void turns_find(struct collection *collection, const struct panthera_time *time,
                       const struct panthera_group *group, const struct panthera_span *span,
                       struct turn_list *list)
{
    const bool is_falling = span->is_falling && !span->is_still;
    // From the last key to the first: what later ones have is taken.
    double begin_s = span->begin_s;
    double end_s = span->end_s;
    struct panthera_span part = *span;
    for (uint32_t i = started_count(collection, time, group, span);
         i > 0 && begin_s < end_s && panthera_work_add(collection->flattener, 1); i--) {
        const struct panthera_key *const key = &group->keys[i - 1];
        if (!has_turns(group, key)) {
            continue;
        }
        const double pass_s = pass_of(collection, time, span, key->start_s, is_late(key));
        if (is_falling) {
            turn_add(collection, list, (int32_t)i - 1, &part, begin_s, pass_s);
            begin_s = fmax(begin_s, pass_s);
        } else {
            turn_add(collection, list, (int32_t)i - 1, &part, fmin(pass_s, end_s), end_s);
            part.holds_end = pass_s < end_s ? is_late(key) : part.holds_end;
            end_s = fmin(end_s, pass_s);
        }
    }
    turn_add(collection, list, -1, &part, begin_s, end_s);
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *const x = a;
    const struct turn *const y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/// Finds the turns of a group in all spans of a visit, sorted by key.
static struct turn_list turns_of(struct collection *collection, const struct visit *visit,
                                 const struct panthera_group *group)
{
    struct turn_list list = {0};
    for (uint32_t i = 0; i < visit->span_count && !collection->flattener->is_over; i++) {
        turns_find(collection, visit->time, group, &visit->spans[i], &list);
    }
    if (list.count > 1) {
        qsort(list.turns, list.count, sizeof *list.turns, compare_turns);
    }
    return list;
}

// -- An animation's own keys

/// Returns a time inside in root time.
static double root_start_of(const struct visit *visit, double start_s)
{
    return visit->scale > 0 && start_s > 0 ? visit->offset_s + start_s * visit->scale
                                           : visit->offset_s;
}

static void piece_add(struct collection *collection, struct panthera_piece piece)
{
    if (piece.begin_s < piece.end_s) {
        collection->pieces =
            panthera_grown(collection->flattener, collection->pieces, collection->count,
                           &collection->capacity, sizeof *collection->pieces);
        collection->pieces[collection->count++] = piece;
    }
}

/// Adds what a property has before its first key.
static void rest_add(struct collection *collection, const struct visit *visit,
                     const struct panthera_group *group, const struct panthera_span *span,
                     struct panthera_piece piece)
{
    const struct panthera_key *const first = &group->keys[0];
    if (group->kind == PANTHERA_TRIGGER && !first->start_text) {
        return;
    }
    // Nested clips have nothing to say before a key has started, but before they have themselves.
    const struct panthera_span part =
        visit->depth == 1 ? *span
                          : part_of(span, pass_of(collection, visit->time, span, 0, false), false);
    piece.begin_s = part.begin_s;
    piece.end_s = part.end_s;
    piece.root_start_s = visit->offset_s;
    piece.value = group->kind == PANTHERA_TWEEN
                      ? first->start_value
                      : panthera_text_index(collection->flattener->properties, first->start_text);
    piece_add(collection, piece);
}

/// Adds a tween: under way until its end, then at its end.
static void tween_add(struct collection *collection, const struct visit *visit,
                      const struct panthera_key *key, const struct panthera_span *span,
                      struct panthera_piece piece)
{
    const double pass_s =
        pass_of(collection, visit->time, span, key->start_s + key->duration_s, true);
    struct panthera_piece ended = piece;
    const struct panthera_span after = part_of(span, pass_s, true);
    ended.begin_s = after.begin_s;
    ended.end_s = after.end_s;
    ended.value = key->end_value;
    const struct panthera_span under_way = part_of(span, pass_s, false);
    piece.begin_s = under_way.begin_s;
    piece.end_s = under_way.end_s;
    if (!(key->duration_s > 0)) {
        piece.value = key->end_value;
    } else if (key->start_value == key->end_value) {
        piece.value = key->start_value;
    } else if (span->is_still) {
        const double part = (span->still_s - key->start_s) / key->duration_s;
        piece.value =
            key->start_value + (key->end_value - key->start_value) * panthera_key_ease(key, part);
    } else {
        piece.tween = key;
        piece.time = visit->time;
    }
    piece_add(collection, piece);
    piece_add(collection, ended);
}

/// Adds what a key does, which is a tween or a trigger as the first one of its group.
static void key_add(struct collection *collection, const struct visit *visit,
                    const struct panthera_group *group, const struct panthera_key *key,
                    const struct panthera_span *span, struct panthera_piece piece)
{
    piece.is_key = true;
    piece.root_start_s = root_start_of(visit, key->start_s);
    if (group->kind == PANTHERA_TWEEN) {
        tween_add(collection, visit, key, span, piece);
        return;
    }
    piece.value =
        panthera_text_index(collection->flattener->properties, key->text ? key->text : "");
    piece.begin_s = span->begin_s;
    piece.end_s = span->end_s;
    piece_add(collection, piece);
}

/// Returns whether a group writes a property of a node.
static bool is_of_values(const struct panthera_group *group)
{
    return *group->node && (group->kind == PANTHERA_TWEEN || group->kind == PANTHERA_TRIGGER);
}

/// Finds the property that a group of values writes.
static bool property_find(struct collection *collection, const struct visit *visit,
                          const struct panthera_group *group, uint32_t *property)
{
    struct panthera_flattener *const flattener = collection->flattener;
    const size_t path_bytes = strlen(visit->prefix) + strlen(group->node) + strlen(group->property);
    return panthera_work_add(flattener, 1 + path_bytes / TEXT_BYTES_OF_WORK) &&
           panthera_property_find(flattener->properties, visit->prefix, group, property);
}

static bool visit_own(struct collection *collection, const struct visit *visit,
                      const struct panthera_group *group)
{
    struct panthera_piece piece = {.order = collection->group_count};
    if (!is_of_values(group)) {
        return true;
    }
    collection->group_count++;
    const struct turn_list list = turns_of(collection, visit, group);
    if (!property_find(collection, visit, group, &piece.property)) {
        return false;
    }
    for (uint32_t i = 0; i < list.count && piece.property != UINT32_MAX; i++) {
        const struct turn *const turn = &list.turns[i];
        const struct panthera_key *const key = turn->key >= 0 ? &group->keys[turn->key] : NULL;
        // Keys without a value, such as events, have their turn, but start nothing.
        const bool has_value =
            key && (key->kind == PANTHERA_TWEEN || key->kind == PANTHERA_TRIGGER);
        if (has_value) {
            key_add(collection, visit, group, key, &turn->span, piece);
        } else {
            rest_add(collection, visit, group, &turn->span, piece);
        }
    }
    return !collection->flattener->is_over;
}

// -- Events

/// Returns whether an animation comes to a time inside but for rounding, where it stands still or
/// at an instant at which another one follows.
static bool is_near(const struct panthera_time *time, const struct panthera_span *span,
                    double inside_s)
{
    if (span->is_still) {
        return span->still_s + ROUNDING * fmax(1, inside_s) >= inside_s;
    }
    return span->holds_end &&
           panthera_time_inside(time, span->end_s + ROUNDING * fmax(1, span->end_s)) >= inside_s;
}

/// Finds the first time at which an animation has reached one of its keys.
/// @return false where it never does
static bool arrival_find(struct collection *collection, const struct visit *visit,
                         const struct panthera_key *key, double *time_s)
{
    for (uint32_t i = 0; i < visit->span_count && !collection->flattener->is_over; i++) {
        const struct panthera_span *const span = &visit->spans[i];
        const double pass_s = pass_of(collection, visit->time, span, key->start_s, false);
        const struct panthera_span part = part_of(span, pass_s, true);
        if (part.begin_s < part.end_s) {
            *time_s = part.begin_s;
            return true;
        }
        if (is_near(visit->time, span, key->start_s)) {
            *time_s = span->is_still ? span->begin_s : panthera_time_before(span->end_s);
            return true;
        }
    }
    return false;
}

/// Adds the events of an animation, in the order of its keys.
static bool visit_events(struct collection *collection, const struct visit *visit)
{
    const struct panthera_animation *const animation = visit->animation;
    for (uint32_t i = 0; i < animation->key_count && !visit->is_frozen; i++) {
        const struct panthera_key *const key = &animation->keys[i];
        double time_s;
        if (!(key->start_s <= animation->duration_s)) {
            break; // and all after it
        }
        if (key->kind != PANTHERA_EVENT || !arrival_find(collection, visit, key, &time_s)) {
            continue;
        }
        // Where only rounding is in between, it comes when the keys say.
        const double said_s = root_start_of(visit, key->start_s);
        if (fabs(time_s - said_s) <= ROUNDING * fmax(1, time_s)) {
            time_s = said_s;
        }
        if (!panthera_event_add(collection->flattener, &collection->events, visit->prefix, key,
                                time_s, visit->scale)) {
            return false;
        }
    }
    return true;
}

// -- Nested clips

/// Adds a span of a clip on which the time inside goes one way, or has come to its end.
static void clip_span_add(struct collection *collection, const struct panthera_time *inside,
                          struct panthera_span span, struct span_list *list)
{
    if (!(span.begin_s < span.end_s)) {
        return;
    }
    const double last_s = panthera_time_before(span.end_s);
    span.still_s = panthera_time_inside(inside, span.begin_s);
    span.is_falling = panthera_time_inside(inside, last_s) < span.still_s;
    span.is_still = panthera_time_part(inside->outer, inside->key, span.begin_s) >= 1 &&
                    panthera_time_part(inside->outer, inside->key, last_s) >= 1;
    span_add(collection, list, span);
}

/// Adds the span of a clip up to where it passes a part of its key, and takes that off the rest.
static void clip_cut(struct collection *collection, const struct panthera_time *inside,
                     struct panthera_span *rest, double part, bool is_past, struct span_list *list)
{
    struct panthera_span span = *rest;
    span.end_s =
        panthera_pass(collection->flattener, inside->outer, inside->key, rest, part, is_past);
    clip_span_add(collection, inside, span, list);
    rest->begin_s = span.end_s;
}

/// Adds the spans of a clip within one of the animation around it.
static void clip_spans_add(struct collection *collection, const struct panthera_time *inside,
                           const struct panthera_span *around, struct span_list *list)
{
    const struct panthera_key *const key = inside->key;
    const struct panthera_marks marks = panthera_marks_of(&collection->flattener->marks, key);
    const bool is_even = panthera_key_is_even(key);
    const double first_part = panthera_time_part(inside->outer, key, around->begin_s);
    const int64_t step = around->is_falling ? -1 : 1;
    struct panthera_span rest = *around;
    // Both sides of every mark, and of the start and the end, since curves may jump there.
    for (int64_t i = is_even ? 0 : panthera_mark_from(&marks, first_part, around->is_falling);
         i >= -1 && i <= (int64_t)marks.count && rest.begin_s < rest.end_s; i += step) {
        for (int side = 0; side < (is_even ? 1 : 2); side++) {
            clip_cut(collection, inside, &rest, panthera_mark_at(&marks, i),
                     !is_even && (side == 0) == around->is_falling, list);
        }
    }
    clip_span_add(collection, inside, rest, list);
}

/// Visits what is inside a clip while that has its turn.
static bool visit_clip(struct collection *collection, const struct visit *visit,
                       const struct panthera_key *key, const struct turn *turns, uint32_t count)
{
    struct arena *const arena = &collection->flattener->arena;
    struct visit inside = *visit; // animation and prefix are those inside already
    struct panthera_time *const time = ARENA_NEW(arena, struct panthera_time, 1);
    const double inner_s = visit->animation->duration_s;
    const bool lasts = key->duration_s > 0 && inner_s > 0;
    *time = panthera_time_in(visit->time, key, inner_s);
    struct span_list list = {0};
    for (uint32_t i = 0; i < count && !collection->flattener->is_over; i++) {
        struct panthera_span span = turns[i].span;
        if (lasts && !span.is_still) {
            clip_spans_add(collection, time, &span, &list);
            continue;
        }
        span.is_still = true;
        if (lasts) {
            const double part = (turns[i].span.still_s - key->start_s) / key->duration_s;
            span.still_s = inner_s * panthera_key_ease(key, part);
        } else {
            span.still_s = inner_s;
        }
        span_add(collection, &list, span);
    }
    inside.time = time;
    inside.spans = list.spans;
    inside.span_count = list.count;
    inside.offset_s = root_start_of(visit, key->start_s);
    inside.scale = lasts && visit->scale > 0 ? visit->scale * (key->duration_s / inner_s) : 0;
    return visit_animation(collection, &inside);
}

/// Visits an animation whose time stands still.
static bool visit_still(struct collection *collection, const struct visit *visit,
                        const struct panthera_span *spans, uint32_t count, double still_s)
{
    struct visit still = *visit;
    struct panthera_span *const copies =
        ARENA_NEW(&collection->flattener->arena, struct panthera_span, count);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = spans[i];
        copies[i].is_still = true;
        copies[i].still_s = still_s;
    }
    still.time = NULL;
    still.spans = copies;
    still.span_count = count;
    still.scale = 0;
    return visit_animation(collection, &still);
}

/// Visits what is inside a group of clips while none has started.
static bool visit_unstarted(struct collection *collection, const struct visit *visit,
                            const struct turn *turns, uint32_t count)
{
    struct span_list list = {0};
    for (uint32_t i = 0; i < count; i++) {
        span_add(collection, &list, turns[i].span);
    }
    return visit_still(collection, visit, list.spans, list.count, BEFORE_S);
}

static bool visit_clips(struct collection *collection, const struct visit *visit,
                        const struct panthera_group *group)
{
    if (!group->inner) {
        return true; // of values, or warned of
    }
    struct visit inside = *visit;
    inside.depth++;
    inside.animation = group->inner;
    if (*group->node) {
        inside.prefix = panthera_joined(collection->flattener, visit->prefix, group->node, "/");
    }
    const struct turn_list list = turns_of(collection, visit, group);
    for (uint32_t i = 0; i < list.count;) {
        const int32_t key = list.turns[i].key;
        uint32_t end = i + 1;
        while (end < list.count && list.turns[end].key == key) {
            end++;
        }
        const bool is_good =
            key < 0 ? visit_unstarted(collection, &inside, &list.turns[i], end - i)
                    : visit_clip(collection, &inside, &group->keys[key], &list.turns[i], end - i);
        if (!is_good) {
            return false;
        }
        i = end;
    }
    return true;
}

/// Visits the end of the animation that another one starts from.
static bool visit_initial_state(struct collection *collection, const struct visit *visit)
{
    const struct panthera_animation *const initial = visit->animation->initial;
    if (!initial || initial == visit->animation) {
        return true;
    }
    struct span_list list = {0};
    for (uint32_t i = 0; i < visit->span_count; i++) {
        const struct panthera_span *const span = &visit->spans[i];
        span_add(collection, &list,
                 part_of(span, pass_of(collection, visit->time, span, 0, false), true));
    }
    struct visit inside = *visit;
    inside.animation = initial;
    inside.is_frozen = true;
    inside.depth++;
    return visit_still(collection, &inside, list.spans, list.count, initial->duration_s);
}

/// Finds the properties of an animation before those of the one that it starts from.
static bool properties_find(struct collection *collection, const struct visit *visit)
{
    const struct panthera_animation *const animation = visit->animation;
    for (uint32_t i = 0; i < animation->group_count; i++) {
        const struct panthera_group *const group = &animation->groups[i];
        uint32_t property;
        if (is_of_values(group) && !property_find(collection, visit, group, &property)) {
            return false;
        }
    }
    return true;
}

/// Warns once that animations are nested too deep.
static void nesting_warn(struct panthera_flattener *flattener,
                         const struct panthera_animation *animation)
{
    if (!flattener->is_nesting_warned && flattener->most_nesting == PANTHERA_MOST_NESTING) {
        report_warning(flattener->panthera->report, animation->id, "panthera.nesting",
                       "is nested in %u others, perhaps in itself; what is deeper is skipped",
                       PANTHERA_MOST_NESTING);
        flattener->is_nesting_warned = true;
    }
}

static bool visit_animation(struct collection *collection, const struct visit *visit)
{
    struct panthera_flattener *const flattener = collection->flattener;
    if (visit->span_count == 0) {
        return true;
    }
    const struct panthera_animation *const animation = visit->animation;
    if (visit->depth > flattener->most_nesting) {
        nesting_warn(flattener, animation);
        return true;
    }
    flattener->is_nested = flattener->is_nested || visit->depth > 1;
    if (!panthera_work_add(flattener, (uint64_t)VISIT_LOOKS + animation->key_count) ||
        !properties_find(collection, visit) || !visit_initial_state(collection, visit)) {
        return false;
    }
    for (uint32_t i = 0; i < animation->group_count; i++) {
        if (!visit_own(collection, visit, &animation->groups[i])) {
            return false;
        }
    }
    if (!visit_events(collection, visit)) {
        return false;
    }
    for (uint32_t i = 0; i < animation->group_count; i++) {
        if (!visit_clips(collection, visit, &animation->groups[i])) {
            return false;
        }
    }
    return true;
}

// -- The write that counts

/// Sorts by property, then begin.
static int compare_pieces(const void *a, const void *b)
{
    const struct panthera_piece *const x = a;
    const struct panthera_piece *const y = b;
    if (x->property != y->property) {
        return x->property < y->property ? -1 : 1;
    }
    if (x->begin_s != y->begin_s) {
        return x->begin_s < y->begin_s ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/// Returns whether one write comes after another one at the same time.
static bool is_above(const struct panthera_piece *a, const struct panthera_piece *b)
{
    if (a->root_start_s != b->root_start_s) {
        return a->root_start_s > b->root_start_s;
    }
    if (a->is_key != b->is_key) {
        return a->is_key;
    }
    return a->order > b->order;
}

/// Writes that have begun, that which counts on top.
struct heap {
    uint32_t count;
    const struct panthera_piece **pieces;
};

static void heap_push(struct heap *heap, const struct panthera_piece *piece)
{
    uint32_t at = heap->count++;
    while (at > 0 && is_above(piece, heap->pieces[(at - 1) / 2])) {
        heap->pieces[at] = heap->pieces[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->pieces[at] = piece;
}

static void heap_pop(struct heap *heap)
{
    const struct panthera_piece *const piece = heap->pieces[--heap->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && is_above(heap->pieces[child + 1], heap->pieces[child])) {
            child++;
        }
        if (!is_above(heap->pieces[child], piece)) {
            break;
        }
        heap->pieces[at] = heap->pieces[child];
        at = child;
    }
    heap->pieces[at] = piece;
}

/// Finds the write that counts at every time.
/// @param pieces    of one property, in the order of their begin
/// @param stretches [out] at least 2 * count + 2
/// @return how many there are
static uint32_t sweep(struct arena *arena, const struct panthera_piece *pieces, uint32_t count,
                      double end_s, struct panthera_stretch *stretches)
{
    struct heap heap = {.pieces = ARENA_NEW(arena, const struct panthera_piece *, count)};
    uint32_t stretch_count = 0;
    uint32_t next = 0;
    double now_s = BEFORE_S;
    while (now_s < end_s) {
        for (; next < count && pieces[next].begin_s <= now_s; next++) {
            heap_push(&heap, &pieces[next]);
        }
        while (heap.count > 0 && heap.pieces[0]->end_s <= now_s) {
            heap_pop(&heap);
        }
        const struct panthera_piece *const top = heap.count > 0 ? heap.pieces[0] : NULL;
        double until_s = top ? top->end_s : end_s;
        if (next < count && pieces[next].begin_s < until_s) {
            until_s = pieces[next].begin_s;
        }
        if (stretch_count > 0 && stretches[stretch_count - 1].piece == top) {
            stretches[stretch_count - 1].end_s = until_s;
        } else {
            stretches[stretch_count++] =
                (struct panthera_stretch){.begin_s = now_s, .end_s = until_s, .piece = top};
        }
        now_s = until_s;
    }
    return stretch_count;
}

// -- Clips

static bool track_make(struct panthera_flattener *flattener, const struct panthera_piece *pieces,
                       uint32_t count, struct scene_clip *clip)
{
    const uint32_t property = pieces[0].property;
    struct panthera_stretch *const stretches =
        ARENA_NEW(&flattener->arena, struct panthera_stretch, 2 * (size_t)count + 2);
    const uint32_t stretch_count =
        sweep(&flattener->arena, pieces, count, panthera_time_after(clip->duration_s), stretches);
    // Where nobody writes, the property has what the animation asks for before it starts.
    const struct panthera_piece *const initial = stretches[0].piece;
    const double rest =
        initial ? initial->value : panthera_property_default(flattener->properties, property);
    struct scene_track *const track = &clip->tracks[clip->track_count++];
    *track = (struct scene_track){.path = SCENE_PROPERTY, .property = property};
    return panthera_curve_make(flattener, stretches, stretch_count, rest, clip->duration_s,
                               &track->curve);
}

static bool tracks_make(struct collection *collection, struct scene_clip *clip)
{
    struct panthera_piece *const pieces = collection->pieces;
    const uint32_t count = collection->count;
    uint32_t property_count = 0;
    if (count > 1) {
        qsort(pieces, count, sizeof *pieces, compare_pieces);
    }
    for (uint32_t i = 0; i < count; i++) {
        property_count += i == 0 || pieces[i].property != pieces[i - 1].property;
    }
    clip->tracks = ARENA_NEW(&collection->flattener->panthera->scene->arena, struct scene_track,
                             property_count);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        while (end < count && pieces[end].property == pieces[i].property) {
            end++;
        }
        if (!track_make(collection->flattener, &pieces[i], end - i, clip)) {
            return false;
        }
        i = end;
    }
    return true;
}

/// Makes a clip out of as many animations in animations as may be.
static bool clip_try(struct panthera_flattener *flattener,
                     const struct panthera_animation *animation, struct scene_clip *clip)
{
    struct panthera_span spans[2] = {
        {.begin_s = BEFORE_S, .end_s = 0, .is_still = true, .still_s = BEFORE_S},
        {.begin_s = 0, .end_s = panthera_time_after(animation->duration_s), .holds_end = true},
    };
    const struct visit root = {
        .animation = animation,
        .prefix = "",
        .spans = spans,
        .span_count = 2,
        .scale = 1,
        .depth = 1,
    };
    struct collection collection = {.flattener = flattener};
    *clip = (struct scene_clip){
        .name = animation->id,
        .id = animation->id,
        .duration_s = animation->duration_s,
    };
    flattener->is_nested = false;
    flattener->work = 0;
    flattener->clip_key_count = 0;
    flattener->is_over = false;
    if (!visit_animation(&collection, &root)) {
        return false;
    }
    clip->event_count = collection.events.count;
    clip->events = collection.events.events;
    return tracks_make(&collection, clip);
}

/// Makes a clip. Where animations are nested in themselves more than once the number of them grows
/// with every level: then fewer levels have to do.
static bool clip_make(struct panthera_flattener *flattener,
                      const struct panthera_animation *animation, struct scene_clip *clip)
{
    struct report *const report = flattener->panthera->report;
    flattener->most_nesting = PANTHERA_MOST_NESTING;
    while (!clip_try(flattener, animation, clip)) {
        if (!flattener->is_over) {
            return false;
        }
        if (flattener->most_nesting == 1) {
            return report_error(report, TROUPE_EXIT_INPUT, animation->id, "panthera.size",
                                "has more keys than can be read");
        }
        flattener->most_nesting /= 2;
        arena_free(&flattener->arena);
    }
    panthera_events_keep(flattener, clip);
    if (flattener->most_nesting < PANTHERA_MOST_NESTING) {
        report_warning(report, animation->id, "panthera.size",
                       "has too many nested animations; of %u levels only %u are kept",
                       PANTHERA_MOST_NESTING, flattener->most_nesting);
    }
    return true;
}

// -- Work

bool panthera_work_add(struct panthera_flattener *flattener, uint64_t work)
{
    const uint64_t most = flattener->most_work < MOST_IN_ALL ? flattener->most_work : MOST_IN_ALL;
    if (flattener->is_nested) {
        flattener->work += work;
        flattener->all_work += work;
        flattener->is_over = flattener->is_over || flattener->work > MOST_WORK ||
                             (flattener->all_work > most && flattener->work > A_LITTLE) ||
                             flattener->all_work > most + most / 8;
    }
    return !flattener->is_over;
}

double panthera_pass(struct panthera_flattener *flattener, const struct panthera_time *time,
                     const struct panthera_key *key, const struct panthera_span *span, double point,
                     bool is_past)
{
    const double pass_s = panthera_time_pass(time, key, span, point, is_past);
    const bool is_within = pass_s > span->begin_s && pass_s < span->end_s;
    panthera_work_add(flattener, panthera_time_work(time, is_within ? SEARCH_LOOKS : END_LOOKS));
    return pass_s;
}

void *panthera_grown(struct panthera_flattener *flattener, const void *items, uint32_t count,
                     uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return (void *)items;
    }
    *capacity = *capacity > 0 ? 2 * *capacity : 4;
    void *const larger = arena_take(&flattener->arena, *capacity, size);
    panthera_work_add(flattener, *capacity * (uint64_t)size / BYTES_OF_WORK);
    if (count > 0) {
        memcpy(larger, items, count * size);
    }
    return larger;
}

const char *panthera_joined(struct panthera_flattener *flattener, const char *prefix,
                            const char *name, const char *suffix)
{
    const size_t size_bytes = strlen(prefix) + strlen(name) + strlen(suffix) + 1;
    char *const joined = arena_take(&flattener->arena, size_bytes, 1);
    panthera_work_add(flattener, size_bytes / BYTES_OF_WORK);
    snprintf(joined, size_bytes, "%s%s%s", prefix, name, suffix);
    return joined;
}

// -- What is not there

/// Warns of keys that are no events and of another kind than the first one of their group.
static void kinds_check(struct report *report, const struct panthera_animation *animation)
{
    const struct panthera_key *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < animation->group_count; i++) {
        const struct panthera_group *const group = &animation->groups[i];
        for (uint32_t j = 0; j < group->key_count; j++) {
            const struct panthera_key *const key = &group->keys[j];
            if (key->kind != group->kind && key->kind != PANTHERA_EVENT) {
                first = count == 0 ? key : first;
                count++;
            }
        }
    }
    if (count > 0) {
        report_warning(report, animation->id, "panthera.kind",
                       "has %u key%s of another kind than the first one of the property, such as "
                       "that at %.9g s of '%.128s' of '%.128s'",
                       count, count > 1 ? "s" : "", first->start_s, first->property, first->node);
    }
}

/// Warns of clips that show nothing.
static void animation_check(struct report *report, const struct panthera_animation *animation)
{
    const char *missing = NULL;
    const char *missing_node = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < animation->group_count; i++) {
        const struct panthera_group *const group = &animation->groups[i];
        if (group->kind == PANTHERA_ANIMATION && !group->inner) {
            missing = count == 0 ? group->property : missing;
            missing_node = count == 0 ? group->node : missing_node;
            count++;
        }
    }
    if (count > 0) {
        report_warning(report, animation->id, "panthera.animation",
                       "shows %u animation%s that %s not there, such as '%.128s' of '%.128s'; "
                       "skipped",
                       count, count > 1 ? "s" : "", count > 1 ? "are" : "is", missing,
                       missing_node);
    }
    if (*animation->initial_state && !animation->initial) {
        report_warning(report, animation->id, "panthera.animation",
                       "starts from '%.128s', which is not there", animation->initial_state);
    }
}

/// Projects that were checked.
struct project_list {
    uint32_t count;
    uint32_t capacity;
    const struct panthera_project **projects;
};

static void project_check(struct panthera_flattener *flattener, struct project_list *list,
                          const struct panthera_project *project)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->projects[i] == project) {
            return;
        }
    }
    list->projects = panthera_grown(flattener, list->projects, list->count, &list->capacity,
                                    sizeof *list->projects);
    list->projects[list->count++] = project;
    for (uint32_t i = 0; i < project->animation_count; i++) {
        animation_check(flattener->panthera->report, &project->animations[i]);
        kinds_check(flattener->panthera->report, &project->animations[i]);
        flattener->most_work += (uint64_t)WORK_OF_KEY * project->animations[i].key_count;
    }
    for (uint32_t i = 0; i < project->template_count; i++) {
        if (project->templates[i].project) {
            project_check(flattener, list, project->templates[i].project);
        }
    }
}

static bool clips_make(struct panthera_flattener *flattener)
{
    struct scene *const scene = flattener->panthera->scene;
    const struct panthera_project *const project = flattener->panthera->project;
    scene->clips = ARENA_NEW(&scene->arena, struct scene_clip, project->animation_count);
    for (uint32_t i = 0; i < project->animation_count; i++) {
        if (!clip_make(flattener, &project->animations[i], &scene->clips[i])) {
            return false;
        }
        scene->clip_count = i + 1;
        arena_free(&flattener->arena);
    }
    return true;
}

bool panthera_flatten(struct panthera *panthera)
{
    struct panthera_flattener flattener = {
        .panthera = panthera,
        .properties = panthera_properties_new(panthera),
        .most_work = WORK_IN_ALL,
    };
    struct project_list list = {0};
    flattener.marks.arena = &flattener.marks_arena;
    project_check(&flattener, &list, panthera->project);
    arena_free(&flattener.arena);
    const bool is_good = clips_make(&flattener) && panthera_properties_rest(flattener.properties);
    panthera_properties_finish(flattener.properties);
    panthera->scene->is_exact = true;
    panthera_properties_free(flattener.properties);
    arena_free(&flattener.arena);
    arena_free(&flattener.marks_arena);
    return is_good;
}
