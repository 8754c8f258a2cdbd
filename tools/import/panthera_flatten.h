// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// From an animation with all that is nested in it to what each property does: panthera_flatten.c
// finds who writes which property when, and when events come, panthera_curve.c makes curves of the
// one, panthera_event.c events of the other, panthera_property.c properties and their texts.
#ifndef TROUPE_TOOLS_PANTHERA_FLATTEN_H
#define TROUPE_TOOLS_PANTHERA_FLATTEN_H

#include "panthera.h"
#include "panthera_time.h"

#define PANTHERA_MOST_NESTING 16 // of animations in animations, the outermost one included

/// What somebody writes to a property over a stretch of the root's time.
struct panthera_piece {
    double begin_s;
    double end_s;                     // the first time at which it does no more
    double root_start_s;              // of several at one time the last one by this,
    bool is_key;                      // then one of a key that has started,
    uint32_t order;                   // then by this, is the one that counts
    uint32_t property;                // of the scene
    double value;                     // where there is no tween
    const struct panthera_key *tween; // that is under way; null: it stays at `value`
    const struct panthera_time *time; // of the tween
};

/// A stretch of the root's time in which one piece counts.
struct panthera_stretch {
    double begin_s;
    double end_s;
    const struct panthera_piece *piece; // null: nobody writes, the property rests
};

/// Events of a clip so far, in the arena of the animation.
struct panthera_event_list {
    uint32_t count;
    uint32_t capacity;
    struct scene_event *events;
};

/// What the animations of an import share while they are flattened.
struct panthera_flattener {
    struct panthera *panthera;
    struct arena arena; // of the animation at hand
    struct arena marks_arena;
    struct panthera_marks_table marks;
    struct panthera_property_table *properties;
    bool is_nesting_warned;
    // Of the animation at hand:
    uint32_t most_nesting;
    bool is_nested; // others are in it
    uint64_t work;  // since then
    uint32_t clip_key_count;
    bool is_over; // too much of these
    // Of the import, with the attempts that came to nothing:
    uint64_t all_work;
    uint64_t most_work; // that it may take
    uint32_t curve_key_count;
    uint32_t event_count; // of those that are kept
};

/// Makes the curve of a property.
/// @param stretches without gaps from -1 to beyond the end of the clip
/// @param rest      value where nobody writes
/// @param end_s     of the clip
/// @param curve     [out] in the scene's arena
bool panthera_curve_make(struct panthera_flattener *flattener,
                         const struct panthera_stretch *stretches, uint32_t count, double rest,
                         double end_s, struct scene_curve *curve);

/// Adds an event to those of a clip.
/// @param prefix of the nodes of its animation
/// @param time_s at which it comes, in root time
/// @param scale  seconds of root time in one of the animation; 0: all of it is one moment
/// @return false, with `is_over`, where there are too many
bool panthera_event_add(struct panthera_flattener *flattener, struct panthera_event_list *list,
                        const char *prefix, const struct panthera_key *key, double time_s,
                        double scale);

/// Moves the events of a clip from the arena of the animation to that of the scene.
void panthera_events_keep(struct panthera_flattener *flattener, struct scene_clip *clip);

/// Counts work on a clip with others in it. What a clip does itself is no more than its file is
/// long.
/// @param work in looks at the time in a clip
/// @return false, with `is_over`, where it has been too much
bool panthera_work_add(struct panthera_flattener *flattener, uint64_t work);

/// Finds where a span passes a point, as panthera_time_pass does, and counts the work.
double panthera_pass(struct panthera_flattener *flattener, const struct panthera_time *time,
                     const struct panthera_key *key, const struct panthera_span *span, double point,
                     bool is_past);

/// Makes room for one more item in a list in the arena of the animation, and counts it as work.
void *panthera_grown(struct panthera_flattener *flattener, const void *items, uint32_t count,
                     uint32_t *capacity, size_t size);

/// Joins texts in the arena of the animation, and counts that as work.
const char *panthera_joined(struct panthera_flattener *flattener, const char *prefix,
                            const char *name, const char *suffix);

struct panthera_property_table *panthera_properties_new(struct panthera *panthera);

void panthera_properties_free(struct panthera_property_table *table);

/// Finds a property of the scene, or makes it.
/// @param prefix of the template that the group is in, such as "a/"; empty in the project itself
/// @param index  [out] UINT32_MAX after a warning where it is one of the other kind elsewhere
bool panthera_property_find(struct panthera_property_table *table, const char *prefix,
                            const struct panthera_group *group, uint32_t *index);

/// Returns where a property rests.
double panthera_property_default(const struct panthera_property_table *table, uint32_t property);

/// Finds the index of a text of the scene, or adds it.
double panthera_text_index(struct panthera_property_table *table, const char *text);

/// Adds the properties of nodes that no animation moves, and the layers.
bool panthera_properties_rest(struct panthera_property_table *table);

/// Hands properties and texts to the scene.
void panthera_properties_finish(struct panthera_property_table *table);

#endif
