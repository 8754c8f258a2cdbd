// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The model of a Panthera project. Files leave out what is 0, false or empty, and Lua writes empty
// lists as empty tables: either stands for the other.
#include "panthera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/easing.h>

enum {
    MAX_UNKNOWN_EASINGS = 100, // of which each is warned of
};

static const double number_limit = 1e30; // well within float
static const double sample_limit = 1000; // as in packs
static const double time_limit_s = 1e9;  // as in packs

/// What nodes have.
enum field_kind {
    FIELD_NUMBER,
    FIELD_BOOLEAN,
    FIELD_TEXT,
};

struct field {
    const char *name;
    enum field_kind kind;
};

static const struct field fields[] = {
    {"adjust_mode", FIELD_TEXT},
    {"blend_mode", FIELD_TEXT},
    {"clipping_inverted", FIELD_BOOLEAN},
    {"clipping_mode", FIELD_TEXT},
    {"clipping_visible", FIELD_BOOLEAN},
    {"color_a", FIELD_NUMBER},
    {"color_b", FIELD_NUMBER},
    {"color_g", FIELD_NUMBER},
    {"color_r", FIELD_NUMBER},
    {"enabled", FIELD_BOOLEAN},
    {"fill_angle", FIELD_NUMBER},
    {"font", FIELD_TEXT},
    {"font_size", FIELD_NUMBER},
    {"inherit_alpha", FIELD_BOOLEAN},
    {"inner_radius", FIELD_NUMBER},
    {"layer", FIELD_TEXT},
    {"line_break", FIELD_BOOLEAN},
    {"node_index", FIELD_NUMBER},
    {"outer_bounds", FIELD_TEXT},
    {"outline_a", FIELD_NUMBER},
    {"outline_b", FIELD_NUMBER},
    {"outline_g", FIELD_NUMBER},
    {"outline_r", FIELD_NUMBER},
    {"perimeter_vertices", FIELD_NUMBER},
    {"pivot", FIELD_TEXT},
    {"position_x", FIELD_NUMBER},
    {"position_y", FIELD_NUMBER},
    {"position_z", FIELD_NUMBER},
    {"rotation_x", FIELD_NUMBER},
    {"rotation_y", FIELD_NUMBER},
    {"rotation_z", FIELD_NUMBER},
    {"scale_x", FIELD_NUMBER},
    {"scale_y", FIELD_NUMBER},
    {"scale_z", FIELD_NUMBER},
    {"shadow_a", FIELD_NUMBER},
    {"shadow_b", FIELD_NUMBER},
    {"shadow_g", FIELD_NUMBER},
    {"shadow_r", FIELD_NUMBER},
    {"size_mode", FIELD_TEXT},
    {"size_x", FIELD_NUMBER},
    {"size_y", FIELD_NUMBER},
    {"size_z", FIELD_NUMBER},
    {"slice9_bottom", FIELD_NUMBER},
    {"slice9_left", FIELD_NUMBER},
    {"slice9_right", FIELD_NUMBER},
    {"slice9_top", FIELD_NUMBER},
    {"template", FIELD_TEXT},
    {"text", FIELD_TEXT},
    {"text_leading", FIELD_NUMBER},
    {"text_tracking", FIELD_NUMBER},
    {"texture", FIELD_TEXT},
    {"visible", FIELD_BOOLEAN},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

// -- Getters: what is absent stays as it is

/// Gets a list; none, null and an empty table are empty lists.
static bool list_get(const struct json_value *object, const char *key, struct json_value *list,
                     uint32_t *count)
{
    struct json_value member = {0};
    *list = json_member(object, key);
    *count = 0;
    if (json_is_absent(list) || json_as_array(list, count) ||
        (json_as_object(list) && !json_next_member(list, &member))) {
        return true;
    }
    return json_refuse(list, TROUPE_EXIT_INPUT, "json.type", "must be an array");
}

/// Gets a table of names; none, null and an empty list are empty tables.
static bool table_get(const struct json_value *object, const char *key, struct json_value *table)
{
    uint32_t count = 0;
    *table = json_member(object, key);
    if (json_is_absent(table) || json_as_object(table) ||
        (json_as_array(table, &count) && count == 0)) {
        return true;
    }
    return json_refuse(table, TROUPE_EXIT_INPUT, "json.type", "must be an object");
}

static bool number_get(const struct json_value *object, const char *key, double *number)
{
    const struct json_value member = json_member(object, key);
    if (json_is_absent(&member)) {
        return true;
    }
    if (!json_get_number(object, key, true, number)) {
        return false;
    }
    return fabs(*number) <= number_limit ||
           json_refuse(&member, TROUPE_EXIT_INPUT, "panthera.range", "%g is too large", *number);
}

static bool time_get(const struct json_value *object, const char *key, double *time_s)
{
    if (!number_get(object, key, time_s)) {
        return false;
    }
    if (!(*time_s >= 0 && *time_s <= time_limit_s)) {
        const struct json_value member = json_member(object, key);
        return json_refuse(&member, TROUPE_EXIT_INPUT, "panthera.time",
                           "%g s is no time on a timeline", *time_s);
    }
    return true;
}

static bool text_get(struct panthera *panthera, const struct json_value *object, const char *key,
                     const char **text)
{
    const struct json_value member = json_member(object, key);
    if (json_is_absent(&member)) {
        return true;
    }
    if (!json_get_string(object, key, true, text)) {
        return false;
    }
    *text = **text ? arena_string(&panthera->scene->arena, *text) : "";
    return true;
}

/// Gets a text that must be there and not be empty.
static bool id_get(struct panthera *panthera, const struct json_value *object, const char *key,
                   const char **text)
{
    if (!text_get(panthera, object, key, text)) {
        return false;
    }
    return **text || json_refuse(object, TROUPE_EXIT_INPUT, "panthera.missing",
                                 "\"%s\" is missing or empty", key);
}

/// Gets what a trigger sets: a text, or a boolean as the text of it.
static bool data_get(struct panthera *panthera, const struct json_value *object, const char *key,
                     const char **text)
{
    const struct json_value member = json_member(object, key);
    bool boolean;
    if (json_as_boolean(&member, &boolean)) {
        *text = boolean ? "true" : "false";
        return true;
    }
    return text_get(panthera, object, key, text);
}

// -- Keys

/// Gets the kind of a key by name or number.
/// @param is_known [out] whether it is one of those; warned of if not
static bool kind_get(const struct json_value *value, enum panthera_kind *kind, bool *is_known)
{
    static const char *const names[] = {"trigger", "tween", "event", "animation"};
    const struct json_value member = json_member(value, "key_type");
    const char *name = NULL;
    double number = -1;
    *is_known = true;
    if (!json_as_string(&member, &name) && !json_as_number(&member, &number)) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "panthera.missing",
                           "\"key_type\" is missing or no name");
    }
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name ? strcmp(name, names[i]) == 0 : number == i) {
            *kind = (enum panthera_kind)i;
            return true;
        }
    }
    json_warn(&member, "panthera.key_type", "is no known type of key; the key is skipped");
    *is_known = false;
    return true;
}

/// Warns of an unknown easing, once a name.
static void easing_warn(struct panthera *panthera, const struct json_value *at, const char *name)
{
    if (!panthera->easings) {
        panthera->easings = ARENA_NEW(&panthera->scratch, const char *, MAX_UNKNOWN_EASINGS);
    }
    for (uint32_t i = 0; i < panthera->easing_count; i++) {
        if (strcmp(panthera->easings[i], name) == 0) {
            return;
        }
    }
    if (panthera->easing_count < MAX_UNKNOWN_EASINGS) {
        panthera->easings[panthera->easing_count++] = arena_string(&panthera->scratch, name);
        json_warn(at, "panthera.easing", "\"%s\" is no known easing; linear", name);
    }
}

static bool easing_get(struct panthera *panthera, const struct json_value *value, uint32_t *easing)
{
    const struct json_value member = json_member(value, "easing");
    const char *name = "linear";
    if (!json_is_absent(&member) && !json_get_string(value, "easing", true, &name)) {
        return false;
    }
    *easing = *name ? trp_easing_find(name) : TRP_EASING_LINEAR;
    if (*easing >= TRP_EASING_COUNT) {
        easing_warn(panthera, &member, name);
        *easing = TRP_EASING_LINEAR;
    }
    return true;
}

static bool samples_get(struct panthera *panthera, const struct json_value *value,
                        const struct scene_samples **samples)
{
    struct json_value list;
    uint32_t count = 0;
    if (!list_get(value, "easing_custom", &list, &count)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    if (count == 1) {
        return json_refuse(&list, TROUPE_EXIT_INPUT, "panthera.easing",
                           "needs at least two samples");
    }
    struct scene_samples *const read = ARENA_NEW(&panthera->scene->arena, struct scene_samples, 1);
    read->count = count;
    read->values = ARENA_NEW(&panthera->scene->arena, double, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        if (!json_as_number(&item, &read->values[i]) || !(fabs(read->values[i]) <= sample_limit)) {
            return json_refuse(&item, TROUPE_EXIT_INPUT, "panthera.easing",
                               "must be a number of at most %g", sample_limit);
        }
    }
    *samples = read;
    return true;
}

/// Reads a key.
/// @param is_kept [out] whether it is of use; warned of if not
static bool key_read(struct panthera *panthera, const struct json_value *value,
                     struct panthera_key *key, bool *is_kept)
{
    *key = (struct panthera_key){
        .node = "", .property = "", .start_text = "", .text = "", .event = ""};
    if (!json_check_object(value) || !kind_get(value, &key->kind, is_kept)) {
        return false;
    }
    if (!*is_kept) {
        return true;
    }
    const struct json_value editor = json_member(value, "is_editor_only");
    if (!text_get(panthera, value, "node_id", &key->node) ||
        !id_get(panthera, value, "property_id", &key->property) ||
        !time_get(value, "start_time", &key->start_s) ||
        !time_get(value, "duration", &key->duration_s) ||
        !number_get(value, "start_value", &key->start_value) ||
        !number_get(value, "end_value", &key->end_value) ||
        !easing_get(panthera, value, &key->easing) ||
        !samples_get(panthera, value, &key->samples) ||
        !data_get(panthera, value, "start_data", &key->start_text) ||
        !data_get(panthera, value, "data", &key->text) ||
        !text_get(panthera, value, "event_id", &key->event) ||
        (!json_is_absent(&editor) &&
         !json_get_boolean(value, "is_editor_only", &key->is_editor_only))) {
        return false;
    }
    if (key->kind == PANTHERA_EVENT && !*key->event) {
        json_warn(value, "panthera.event", "an event without \"event_id\"; skipped");
        *is_kept = false;
    }
    if (key->kind == PANTHERA_EVENT && *is_kept && key->samples) {
        json_warn(value, "panthera.event.easing",
                  "an event goes evenly instead of by \"easing_custom\"");
    }
    return true;
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/// Compares keys as on the timeline. Of equal ones that in front comes first.
static int compare_keys(const void *a, const void *b)
{
    const struct panthera_key *const x = *(const struct panthera_key *const *)a;
    const struct panthera_key *const y = *(const struct panthera_key *const *)b;
    int order = compare_numbers(x->start_s, y->start_s);
    order = order != 0 ? order : compare_numbers(x->duration_s, y->duration_s);
    order = order != 0 ? order : strcmp(x->property, y->property);
    order = order != 0 ? order : strcmp(x->node, y->node);
    order = order != 0 ? order : compare_numbers(x->end_value, y->end_value);
    return order != 0 ? order : (x > y) - (x < y);
}

/// Compares keys by property. Of one property, that in front comes first.
static int compare_properties(const void *a, const void *b)
{
    const struct panthera_key *const x = *(const struct panthera_key *const *)a;
    const struct panthera_key *const y = *(const struct panthera_key *const *)b;
    int order = strcmp(x->node, y->node);
    order = order != 0 ? order : strcmp(x->property, y->property);
    return order != 0 ? order : (x > y) - (x < y);
}

static bool is_same_property(const struct panthera_key *a, const struct panthera_key *b)
{
    return strcmp(a->node, b->node) == 0 && strcmp(a->property, b->property) == 0;
}

/// Sorts keys.
/// @param sorted [out] as many
static void keys_sort(struct panthera *panthera, const struct panthera_key *keys, uint32_t count,
                      int (*compare)(const void *, const void *), struct panthera_key *sorted)
{
    const struct panthera_key **const order =
        ARENA_NEW(&panthera->scratch, const struct panthera_key *, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = &keys[i];
    }
    qsort(order, count, sizeof *order, compare);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = *order[i];
    }
}

/// Takes keys that only the editor shows out of a group: what comes next starts with their values.
/// @return how many are left, at the front
static uint32_t keys_hand_over(struct panthera_key *keys, uint32_t count)
{
    uint32_t first = count; // of those left, which gather at the back
    for (uint32_t i = count; i-- > 0;) {
        if (!keys[i].is_editor_only) {
            keys[--first] = keys[i];
        } else if (first < count) {
            keys[first].start_value = keys[i].start_value;
        }
    }
    memmove(keys, keys + first, (count - first) * sizeof *keys);
    return count - first;
}

static int compare_groups(const void *a, const void *b)
{
    const struct panthera_key *const x = ((const struct panthera_group *)a)->keys;
    const struct panthera_key *const y = ((const struct panthera_group *)b)->keys;
    return compare_keys(&x, &y);
}

/// Makes the groups of an animation whose keys are in order, and leaves it the keys that they have.
static void groups_make(struct panthera *panthera, struct panthera_animation *animation)
{
    const uint32_t count = animation->key_count;
    struct panthera_key *const keys = ARENA_NEW(&panthera->scratch, struct panthera_key, count);
    struct panthera_key *const left = ARENA_NEW(&panthera->scratch, struct panthera_key, count);
    keys_sort(panthera, animation->keys, count, compare_properties, keys);

    animation->groups = ARENA_NEW(&panthera->scratch, struct panthera_group, count);
    animation->key_count = 0;
    uint32_t end;
    for (uint32_t first = 0; first < count; first = end) {
        end = first + 1;
        while (end < count && is_same_property(&keys[first], &keys[end])) {
            end++;
        }
        const uint32_t left_count = keys_hand_over(&keys[first], end - first);
        if (left_count > 0) {
            animation->groups[animation->group_count++] = (struct panthera_group){
                .node = keys[first].node,
                .property = keys[first].property,
                .kind = keys[first].kind,
                .key_count = left_count,
                .keys = &keys[first],
            };
            memcpy(&left[animation->key_count], &keys[first], left_count * sizeof *keys);
            animation->key_count += left_count;
        }
    }
    qsort(animation->groups, animation->group_count, sizeof *animation->groups, compare_groups);
    keys_sort(panthera, left, animation->key_count, compare_keys, animation->keys);
}

// -- Animations

static bool animation_read(struct panthera *panthera, const struct json_value *value,
                           struct panthera_animation *animation)
{
    struct json_value list;
    uint32_t count = 0;
    *animation = (struct panthera_animation){.id = "", .initial_state = ""};
    if (!json_check_object(value) || !id_get(panthera, value, "animation_id", &animation->id) ||
        !time_get(value, "duration", &animation->duration_s) ||
        !text_get(panthera, value, "initial_state", &animation->initial_state) ||
        !list_get(value, "animation_keys", &list, &count)) {
        return false;
    }
    struct panthera_key *const keys = ARENA_NEW(&panthera->scratch, struct panthera_key, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        bool is_kept;
        if (!key_read(panthera, &item, &keys[animation->key_count], &is_kept)) {
            return false;
        }
        animation->key_count += is_kept;
    }
    animation->keys = ARENA_NEW(&panthera->scratch, struct panthera_key, count);
    keys_sort(panthera, keys, animation->key_count, compare_keys, animation->keys);
    groups_make(panthera, animation);
    return true;
}

/// Compares things that begin with their id. Of one id, that in front comes first.
static int compare_ids(const void *a, const void *b)
{
    const char *const *const x = *(const char *const *const *)a;
    const char *const *const y = *(const char *const *const *)b;
    const int order = strcmp(*x, *y);
    return order != 0 ? order : (x > y) - (x < y);
}

static int compare_id(const void *id, const void *thing)
{
    return strcmp(id, **(const char *const *const *)thing);
}

/// Sorts things that begin with their id by that. The last one of an id is the one that counts.
/// @param at     where they are in the file
/// @param things pointers to them
/// @return how many there are of different ids
static uint32_t ids_sort(const struct json_value *at, const void **things, uint32_t count)
{
    uint32_t kept = 0;
    qsort(things, count, sizeof *things, compare_ids);
    for (uint32_t i = 0; i < count; i++) {
        const char *const id = *(const char *const *)things[i];
        if (kept > 0 && strcmp(*(const char *const *)things[kept - 1], id) == 0) {
            json_warn(at, "panthera.duplicate", "\"%s\" is there again; the last one counts", id);
            kept--;
        }
        things[kept++] = things[i];
    }
    return kept;
}

static bool animations_read(struct panthera *panthera, const struct json_value *data,
                            struct panthera_project *project)
{
    struct json_value list;
    uint32_t count = 0;
    if (!list_get(data, "animations", &list, &count)) {
        return false;
    }
    struct panthera_animation *const read =
        ARENA_NEW(&panthera->scratch, struct panthera_animation, count);
    const void **const sorted = ARENA_NEW(&panthera->scratch, const void *, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        if (!animation_read(panthera, &item, &read[i])) {
            return false;
        }
        sorted[i] = &read[i];
    }
    project->animation_count = ids_sort(&list, sorted, count);

    // In the order of the file again, without those that do not count.
    bool *const is_kept = ARENA_NEW(&panthera->scratch, bool, count);
    for (uint32_t i = 0; i < project->animation_count; i++) {
        is_kept[(const struct panthera_animation *)sorted[i] - read] = true;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_kept[i]) {
            read[kept] = read[i];
            sorted[kept] = &read[kept];
            kept++;
        }
    }
    qsort(sorted, kept, sizeof *sorted, compare_ids);
    project->animations = read;
    project->sorted_animations = sorted;
    return true;
}

const struct panthera_animation *panthera_animation_find(const struct panthera_project *project,
                                                         const char *id)
{
    const void *const *const found = bsearch(id, project->sorted_animations,
                                             project->animation_count, sizeof(void *), compare_id);
    return found ? *found : NULL;
}

// -- Nodes

static const struct field *field_find(const char *name)
{
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/// Reads what a node says of a property, which may be null: nothing.
static bool value_read(struct panthera *panthera, const struct json_value *node,
                       const struct field *field, struct panthera_value *value)
{
    *value = (struct panthera_value){.property = field->name, .text = ""};
    bool boolean = false;
    switch (field->kind) {
    case FIELD_NUMBER:
        value->is_number = true;
        return number_get(node, field->name, &value->number);
    case FIELD_BOOLEAN:
        if (!json_get_boolean(node, field->name, &boolean)) {
            return false;
        }
        value->is_boolean = true;
        value->text = boolean ? "true" : "false";
        return true;
    case FIELD_TEXT:
        break;
    }
    return text_get(panthera, node, field->name, &value->text);
}

static bool node_read(struct panthera *panthera, const struct json_value *object,
                      struct panthera_node *node)
{
    struct json_value members[FIELD_COUNT];
    uint32_t count = 0;
    *node = (struct panthera_node){.id = "", .parent = "", .type = ""};
    if (!json_check_object(object) || !id_get(panthera, object, "node_id", &node->id) ||
        !text_get(panthera, object, "parent", &node->parent) ||
        !text_get(panthera, object, "node_type", &node->type)) {
        return false;
    }
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        members[i] = json_member(object, fields[i].name);
        count += !json_is_absent(&members[i]);
    }
    node->values = ARENA_NEW(&panthera->scratch, struct panthera_value, count);
    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        if (!json_is_absent(&members[i]) &&
            !value_read(panthera, object, &fields[i], &node->values[node->value_count++])) {
            return false;
        }
    }
    return true;
}

static bool nodes_read(struct panthera *panthera, const struct json_value *data,
                       struct panthera_project *project)
{
    struct json_value list;
    uint32_t count = 0;
    if (!list_get(data, "nodes", &list, &count)) {
        return false;
    }
    struct panthera_node *const read = ARENA_NEW(&panthera->scratch, struct panthera_node, count);
    const void **const sorted = ARENA_NEW(&panthera->scratch, const void *, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        if (!node_read(panthera, &item, &read[i])) {
            return false;
        }
        sorted[i] = &read[i];
    }
    project->node_count = ids_sort(&list, sorted, count);
    project->nodes = ARENA_NEW(&panthera->scratch, struct panthera_node, project->node_count);
    for (uint32_t i = 0; i < project->node_count; i++) {
        project->nodes[i] = *(const struct panthera_node *)sorted[i];
    }
    return true;
}

static int compare_node(const void *id, const void *node)
{
    return strcmp(id, ((const struct panthera_node *)node)->id);
}

static const struct panthera_node *node_find(const struct panthera_project *project, const char *id)
{
    const char *inner;
    const struct panthera_node *node = NULL;
    while (project && !node) {
        node = bsearch(id, project->nodes, project->node_count, sizeof *node, compare_node);
        project = panthera_template_split(project, id, &inner);
        id = inner;
    }
    return node;
}

/// Finds what a node says of a property.
/// @param value [out] null where it leaves that out
/// @return the property; null where there is no such node or property
static const struct field *rest_find(const struct panthera_project *project, const char *id,
                                     const char *property, const struct panthera_value **value)
{
    const struct field *const field = field_find(property);
    const struct panthera_node *const node = field ? node_find(project, id) : NULL;
    *value = NULL;
    if (!node) {
        return NULL;
    }
    for (uint32_t i = 0; i < node->value_count; i++) {
        if (node->values[i].property == field->name) {
            *value = &node->values[i];
        }
    }
    return field;
}

bool panthera_rest_number(const struct panthera_project *project, const char *node,
                          const char *property, double *number)
{
    const struct panthera_value *value;
    const struct field *const field = rest_find(project, node, property, &value);
    if (!field || field->kind != FIELD_NUMBER) {
        return false;
    }
    *number = value ? value->number : 0;
    return true;
}

bool panthera_rest_text(const struct panthera_project *project, const char *node,
                        const char *property, const char **text)
{
    const struct panthera_value *value;
    const struct field *const field = rest_find(project, node, property, &value);
    if (!field || field->kind == FIELD_NUMBER) {
        return false;
    }
    *text = value ? value->text : field->kind == FIELD_BOOLEAN ? "false" : "";
    return true;
}

// -- Projects

static bool layers_read(struct panthera *panthera, const struct json_value *metadata,
                        struct panthera_project *project)
{
    struct json_value list;
    if (!list_get(metadata, "layers", &list, &project->layer_count)) {
        return false;
    }
    project->layers = ARENA_NEW(&panthera->scratch, struct panthera_layer, project->layer_count);
    for (uint32_t i = 0; i < project->layer_count; i++) {
        const struct json_value item = json_item(&list, i);
        project->layers[i] = (struct panthera_layer){.name = "", .colour = ""};
        if (!json_check_object(&item) ||
            !text_get(panthera, &item, "name", &project->layers[i].name) ||
            !text_get(panthera, &item, "color", &project->layers[i].colour)) {
            return false;
        }
    }
    return true;
}

bool panthera_project_read(struct panthera *panthera, const struct json_value *root,
                           const char *file, struct panthera_project **project)
{
    struct panthera_project *const read = ARENA_NEW(&panthera->scratch, struct panthera_project, 1);
    struct json_value data;
    struct json_value metadata;
    struct json_value paths;
    *read = (struct panthera_project){.file = file, .name = "", .gui_path = ""};
    *project = read;
    if (!table_get(root, "data", &data)) {
        return false;
    }
    if (json_is_absent(&data)) {
        return json_refuse(root, TROUPE_EXIT_INPUT, "json.missing", "\"data\" is missing");
    }
    return text_get(panthera, &data, "name", &read->name) &&
           table_get(&data, "metadata", &metadata) &&
           text_get(panthera, &metadata, "gui_path", &read->gui_path) &&
           number_get(&metadata, "fps", &read->fps) && layers_read(panthera, &metadata, read) &&
           nodes_read(panthera, &data, read) && animations_read(panthera, &data, read) &&
           table_get(&metadata, "template_animation_paths", &paths) &&
           panthera_templates_read(panthera, &paths, read);
}
