// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The model of a Panthera project. Files leave out what is 0, false or empty, and Lua writes empty
// lists as empty tables: either stands for the other. What the animations of a file rest on is
// refused where it is wrong, and so are times that are none; any other detail costs no more than
// the key, the node or the value that it belongs to, with a warning.
#include "panthera.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/easing.h>

#include "../../src/check.h"

enum {
    MAX_WARNED_NAMES = 100, // of one sort, of which each is warned of
};

// What becomes of a part of a project that is wrong.
static const char skips_key[] = "the key is skipped";
static const char skips_node[] = "the node is skipped";
static const char skips_layer[] = "the layer is skipped";
static const char leaves_out[] = "it is left out";

/// What nodes have.
enum field_kind {
    FIELD_NUMBER,
    FIELD_BOOLEAN, // which triggers set as texts
    FIELD_TEXT,
};

struct field {
    const char *name;
    enum field_kind kind;
};

/// Fields whose kind is known, by name. Others are what the file makes of them.
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
    {"node_type", FIELD_TEXT},
    {"outer_bounds", FIELD_TEXT},
    {"outline_a", FIELD_NUMBER},
    {"outline_b", FIELD_NUMBER},
    {"outline_g", FIELD_NUMBER},
    {"outline_r", FIELD_NUMBER},
    {"parent", FIELD_TEXT},
    {"perimeter_verticies", FIELD_TEXT},
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

// Nodes write the one, triggers the other: it is one property.
static const char vertices_of_nodes[] = "perimeter_vertices";
static const char vertices_of_triggers[] = "perimeter_verticies";

// -- Getters: what is absent stays as it is

/// Finds a list; none, null and an empty table are empty lists.
/// @return false where it is something else
static bool list_find(const struct json_value *object, const char *key, struct json_value *list,
                      uint32_t *count)
{
    struct json_value member = {0};
    *list = json_member(object, key);
    *count = 0;
    return json_is_absent(list) || json_as_array(list, count) ||
           (json_as_object(list) && !json_next_member(list, &member));
}

/// Gets a list.
/// @return false after an error
static bool list_get(const struct json_value *object, const char *key, struct json_value *list,
                     uint32_t *count)
{
    return list_find(object, key, list, count) ||
           json_refuse(list, TROUPE_EXIT_INPUT, "json.type", "must be an array");
}

/// Gets a table of names; none, null and an empty list are empty tables.
/// @return false after an error
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

/// Gets a time.
/// @return false after an error
static bool time_get(const struct json_value *object, const char *key, double *time_s)
{
    const struct json_value member = json_member(object, key);
    if (!json_is_absent(&member) && !json_get_number(object, key, true, time_s)) {
        return false;
    }
    return (*time_s >= 0 && *time_s <= TRP__MAX_EVENT_S) ||
           json_refuse(&member, TROUPE_EXIT_INPUT, "panthera.time", "%g s is no time on a timeline",
                       *time_s);
}

/// Warns of a member of the wrong type. The getters below do so where a member is wrong, and say
/// what becomes of what it belongs to: the loss.
/// @return false, as they do
static bool type_warn(const struct json_value *member, const char *wanted, const char *loss)
{
    json_warn(member, "json.type", "must be %s; %s", wanted, loss);
    return false;
}

static bool object_check(const struct json_value *value, const char *loss)
{
    return json_as_object(value) || type_warn(value, "an object", loss);
}

static bool boolean_get(const struct json_value *object, const char *key, const char *loss,
                        bool *boolean)
{
    const struct json_value member = json_member(object, key);
    return json_is_absent(&member) || json_as_boolean(&member, boolean) ||
           type_warn(&member, "true or false", loss);
}

static bool number_get(const struct json_value *object, const char *key, const char *loss,
                       double *number)
{
    const struct json_value member = json_member(object, key);
    double found;
    if (json_is_absent(&member)) {
        return true;
    }
    if (!json_as_number(&member, &found)) {
        return type_warn(&member, "a number", loss);
    }
    if (!(fabs(found) <= TRP__VALUE_LIMIT)) {
        json_warn(&member, "panthera.range", "%g is too large; %s", found, loss);
        return false;
    }
    *number = found;
    return true;
}

static void text_copy(struct panthera *panthera, const char *from, const char **text)
{
    *text = *from ? arena_string(&panthera->scene->arena, from) : "";
}

static bool text_get(struct panthera *panthera, const struct json_value *object, const char *key,
                     const char *loss, const char **text)
{
    const struct json_value member = json_member(object, key);
    const char *found;
    if (json_is_absent(&member)) {
        return true;
    }
    if (!json_as_string(&member, &found)) {
        return type_warn(&member, "a string", loss);
    }
    text_copy(panthera, found, text);
    return true;
}

/// Gets a text that must be there and not be empty.
static bool id_get(struct panthera *panthera, const struct json_value *object, const char *key,
                   const char *loss, const char **text)
{
    if (!text_get(panthera, object, key, loss, text)) {
        return false;
    }
    if (!**text) {
        json_warn(object, "panthera.missing", "\"%s\" is missing or empty; %s", key, loss);
        return false;
    }
    return true;
}

/// Gets a value that is a text. Booleans and numbers are what Lua makes of them.
static bool data_get(struct panthera *panthera, const struct json_value *object, const char *key,
                     const char *loss, const char **text)
{
    const struct json_value member = json_member(object, key);
    char digits[32];
    bool boolean;
    double number;
    int64_t integer;
    bool is_beyond;
    if (json_as_boolean(&member, &boolean)) {
        *text = boolean ? "true" : "false";
        return true;
    }
    if (!json_as_number(&member, &number)) {
        return text_get(panthera, object, key, loss, text);
    }
    if (json_as_integer(&member, &integer, &is_beyond) && !is_beyond) {
        snprintf(digits, sizeof digits, "%lld", (long long)integer);
    } else {
        snprintf(digits, sizeof digits, "%.14g", number);
    }
    text_copy(panthera, digits, text);
    return true;
}

/// Notes a name that is to be warned of.
/// @return whether it is new, and there were not too many
static bool name_note(struct panthera *panthera, struct panthera_names *names, const char *name)
{
    if (!names->names) {
        names->names = ARENA_NEW(&panthera->scratch, const char *, MAX_WARNED_NAMES);
    }
    for (uint32_t i = 0; i < names->count; i++) {
        if (strcmp(names->names[i], name) == 0) {
            return false;
        }
    }
    if (names->count == MAX_WARNED_NAMES) {
        return false;
    }
    names->names[names->count++] = arena_string(&panthera->scratch, name);
    return true;
}

// -- Keys

/// Gets the kind of a key by name or number.
static bool kind_get(const struct json_value *value, enum panthera_kind *kind)
{
    static const char *const names[] = {"trigger", "tween", "event", "animation"};
    const struct json_value member = json_member(value, "key_type");
    const char *name = NULL;
    double number = -1;
    if (!json_as_string(&member, &name) && !json_as_number(&member, &number)) {
        json_warn(value, "panthera.missing", "\"key_type\" is missing or no name; %s", skips_key);
        return false;
    }
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name ? strcmp(name, names[i]) == 0 : number == i) {
            *kind = (enum panthera_kind)i;
            return true;
        }
    }
    json_warn(&member, "panthera.key_type", "is no known type of key; %s", skips_key);
    return false;
}

static void easing_get(struct panthera *panthera, const struct json_value *value, uint32_t *easing)
{
    const struct json_value member = json_member(value, "easing");
    const char *name;
    *easing = TRP_EASING_LINEAR;
    if (json_is_absent(&member)) {
        return;
    }
    if (!json_as_string(&member, &name)) {
        type_warn(&member, "the name of an easing", "linear");
        return;
    }
    const uint32_t found = *name ? trp_easing_find(name) : TRP_EASING_LINEAR;
    if (found < TRP_EASING_COUNT) {
        *easing = found;
    } else if (name_note(panthera, &panthera->easings, name)) {
        json_warn(&member, "panthera.easing", "\"%s\" is no known easing; linear", name);
    }
}

static bool samples_get(struct panthera *panthera, const struct json_value *value,
                        const struct scene_samples **samples)
{
    struct json_value list;
    uint32_t count = 0;
    if (!list_find(value, "easing_custom", &list, &count)) {
        return type_warn(&list, "an array", skips_key);
    }
    if (count == 0) {
        return true;
    }
    if (count == 1) {
        json_warn(&list, "panthera.easing", "needs at least two samples; %s", skips_key);
        return false;
    }
    struct scene_samples *const read = ARENA_NEW(&panthera->scene->arena, struct scene_samples, 1);
    read->count = count;
    read->values = ARENA_NEW(&panthera->scene->arena, double, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        if (!json_as_number(&item, &read->values[i]) ||
            !(fabs(read->values[i]) <= TRP__SAMPLE_LIMIT)) {
            json_warn(&item, "panthera.easing", "must be a number of at most %g; %s",
                      TRP__SAMPLE_LIMIT, skips_key);
            return false;
        }
    }
    *samples = read;
    return true;
}

/// Gets a time of a key.
/// @param is_kept [out] set to false where it is no number
/// @return false after an error, where it is a number and no time
static bool key_time_get(const struct json_value *value, const char *name, double *time_s,
                         bool *is_kept)
{
    const struct json_value member = json_member(value, name);
    if (!json_is_absent(&member) && !json_as_number(&member, time_s)) {
        *is_kept = type_warn(&member, "a number", skips_key);
        return true;
    }
    return time_get(value, name, time_s);
}

/// Gets what a key has but for its times.
static bool key_members_get(struct panthera *panthera, const struct json_value *value,
                            struct panthera_key *key)
{
    easing_get(panthera, value, &key->easing);
    return kind_get(value, &key->kind) &&
           text_get(panthera, value, "node_id", skips_key, &key->node) &&
           id_get(panthera, value, "property_id", skips_key, &key->property) &&
           number_get(value, "start_value", skips_key, &key->start_value) &&
           number_get(value, "end_value", skips_key, &key->end_value) &&
           samples_get(panthera, value, &key->samples) &&
           data_get(panthera, value, "start_data", skips_key, &key->start_text) &&
           data_get(panthera, value, "data", skips_key, &key->text) &&
           text_get(panthera, value, "event_id", skips_key, &key->event) &&
           boolean_get(value, "is_editor_only", skips_key, &key->is_editor_only);
}

/// Reads a key.
/// @param is_kept [out] whether it is of use; warned of if not
/// @return false after an error
static bool key_read(struct panthera *panthera, const struct json_value *value,
                     struct panthera_key *key, bool *is_kept)
{
    *key = (struct panthera_key){.node = "", .property = "", .text = "", .event = ""};
    *is_kept = object_check(value, skips_key) && key_members_get(panthera, value, key);
    if (!key_time_get(value, "start_time", &key->start_s, is_kept) ||
        !key_time_get(value, "duration", &key->duration_s, is_kept)) {
        return false;
    }
    if (key->kind == PANTHERA_EVENT && *is_kept && !*key->event) {
        json_warn(value, "panthera.event", "an event without \"event_id\"; skipped");
        *is_kept = false;
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
/// The first key of a group says what kind it is, also where only the editor shows that key.
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
        const enum panthera_kind kind = keys[first].kind;
        const uint32_t left_count = keys_hand_over(&keys[first], end - first);
        if (left_count > 0) {
            animation->groups[animation->group_count++] = (struct panthera_group){
                .node = keys[first].node,
                .property = keys[first].property,
                .kind = kind,
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

/// Warns of keys that start after the end of their animation.
static void late_keys_warn(const struct json_value *value,
                           const struct panthera_animation *animation)
{
    const struct panthera_key *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = animation->key_count; i-- > 0;) {
        if (animation->keys[i].start_s > animation->duration_s) {
            first = &animation->keys[i];
            count++;
        }
    }
    if (count > 0) {
        json_warn(value, "panthera.key.time",
                  "\"%.128s\" ends at %.9g s, before %u of its keys start%s, such as that at "
                  "%.9g s of '%.128s' of '%.128s'; never played",
                  animation->id, animation->duration_s, count, count > 1 ? "" : "s", first->start_s,
                  first->property, first->node);
    }
}

static bool animation_read(struct panthera *panthera, const struct json_value *value,
                           struct panthera_animation *animation)
{
    struct json_value list;
    uint32_t count = 0;
    const struct json_value member = json_member(value, "animation_id");
    const char *id = "";
    *animation = (struct panthera_animation){.initial_state = ""};
    if (!json_check_object(value) ||
        (!json_is_absent(&member) && !json_get_string(value, "animation_id", true, &id)) ||
        !time_get(value, "duration", &animation->duration_s) ||
        !list_get(value, "animation_keys", &list, &count)) {
        return false;
    }
    if (!*id) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "panthera.missing",
                           "\"animation_id\" is missing or empty");
    }
    text_copy(panthera, id, &animation->id);
    text_get(panthera, value, "initial_state", leaves_out, &animation->initial_state);
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
    late_keys_warn(value, animation);
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

static int compare_field(const void *name, const void *field)
{
    return strcmp(name, ((const struct field *)field)->name);
}

/// Returns null where nothing is known of a field.
static const struct field *field_find(const char *name)
{
    return bsearch(name, fields, FIELD_COUNT, sizeof *fields, compare_field);
}

/// Reads a field of which nothing is known.
/// @return whether it is of use; warned of if not, unless it is empty
static bool other_value_read(struct panthera *panthera, const struct json_value *node,
                             const struct json_value *member, struct panthera_value *value)
{
    struct json_value first = {0};
    uint32_t count = 0;
    bool boolean;
    if (json_as_array(member, &count) || json_as_object(member)) {
        const bool is_empty = count == 0 && !json_next_member(member, &first);
        if (!is_empty && name_note(panthera, &panthera->tables, member->key)) {
            json_warn(member, "panthera.node",
                      "is no text, number or boolean; \"%.128s\" of nodes is left out",
                      member->key);
        }
        return false;
    }
    value->property = arena_string(&panthera->scratch, member->key);
    value->is_boolean = json_as_boolean(member, &boolean);
    value->is_number = json_as_number(member, &value->number);
    return (!value->is_number || number_get(node, member->key, leaves_out, &value->number)) &&
           data_get(panthera, node, member->key, leaves_out, &value->text);
}

/// Reads what a node says of a property.
/// @return whether that is of use; warned of if not
static bool value_read(struct panthera *panthera, const struct json_value *node,
                       const struct json_value *member, struct panthera_value *value)
{
    const bool is_vertices = strcmp(member->key, vertices_of_nodes) == 0;
    const struct field *const field = field_find(is_vertices ? vertices_of_triggers : member->key);
    bool boolean = false;
    *value = (struct panthera_value){.text = ""};
    if (!field) {
        return other_value_read(panthera, node, member, value);
    }
    value->property = field->name;
    switch (field->kind) {
    case FIELD_NUMBER:
        value->is_number = true;
        return number_get(node, field->name, leaves_out, &value->number);
    case FIELD_BOOLEAN:
        if (!boolean_get(node, field->name, leaves_out, &boolean)) {
            return false;
        }
        value->text = boolean ? "true" : "false";
        return true;
    case FIELD_TEXT:
        break;
    }
    return data_get(panthera, node, member->key, leaves_out, &value->text);
}

/// Returns whether a member of a node says something of a property.
static bool is_value(const struct json_value *node, const struct json_value *member)
{
    if (json_is_absent(member) || strcmp(member->key, "node_id") == 0) {
        return false;
    }
    const struct json_value other = json_member(node, vertices_of_triggers);
    return strcmp(member->key, vertices_of_nodes) != 0 || json_is_absent(&other);
}

static int compare_values(const void *a, const void *b)
{
    return strcmp(((const struct panthera_value *)a)->property,
                  ((const struct panthera_value *)b)->property);
}

/// Reads a node.
/// @return whether it is of use; warned of if not
static bool node_read(struct panthera *panthera, const struct json_value *object,
                      struct panthera_node *node)
{
    struct json_value member = {0};
    uint32_t count = 0;
    *node = (struct panthera_node){.id = ""};
    if (!object_check(object, skips_node) ||
        !id_get(panthera, object, "node_id", skips_node, &node->id)) {
        return false;
    }
    while (json_next_member(object, &member)) {
        count++;
    }
    node->values = ARENA_NEW(&panthera->scratch, struct panthera_value, count);
    while (json_next_member(object, &member)) {
        struct panthera_value *const value = &node->values[node->value_count];
        node->value_count +=
            is_value(object, &member) && value_read(panthera, object, &member, value);
    }
    qsort(node->values, node->value_count, sizeof *node->values, compare_values);
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
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        sorted[kept] = &read[i];
        kept += node_read(panthera, &item, &read[i]);
    }
    project->node_count = ids_sort(&list, sorted, kept);
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
/// @param field [out] null where nothing is known of it
/// @param value [out] null where the node leaves that out
/// @return whether there is such a node
static bool rest_find(const struct panthera_project *project, const char *id, const char *property,
                      const struct field **field, const struct panthera_value **value)
{
    const struct panthera_node *const node = node_find(project, id);
    const struct panthera_value wanted = {.property = property};
    *field = field_find(property);
    *value = node ? bsearch(&wanted, node->values, node->value_count, sizeof wanted, compare_values)
                  : NULL;
    return node;
}

bool panthera_rest_number(const struct panthera_project *project, const char *node,
                          const char *property, double *number)
{
    const struct field *field;
    const struct panthera_value *value;
    if (!rest_find(project, node, property, &field, &value) ||
        (value ? !value->is_number : !field || field->kind != FIELD_NUMBER)) {
        return false;
    }
    *number = value ? value->number : 0;
    return true;
}

bool panthera_rest_text(const struct panthera_project *project, const char *node,
                        const char *property, const char **text)
{
    const struct field *field;
    const struct panthera_value *value;
    if (!rest_find(project, node, property, &field, &value) ||
        (field ? field->kind == FIELD_NUMBER : !value)) {
        return false;
    }
    *text = value ? value->text : field->kind == FIELD_BOOLEAN ? "false" : "";
    return true;
}

// -- Projects

/// Finds the animations that others nest or start from, once all templates are read.
static void animations_link(struct panthera_project *project)
{
    for (uint32_t i = 0; i < project->animation_count; i++) {
        struct panthera_animation *const animation = &project->animations[i];
        animation->initial = panthera_animation_find(project, animation->initial_state);
        for (uint32_t k = 0; k < animation->group_count; k++) {
            struct panthera_group *const group = &animation->groups[k];
            const struct panthera_project *inside = NULL;
            if (group->kind == PANTHERA_ANIMATION) {
                inside = *group->node ? panthera_template_find(project, group->node) : project;
            }
            group->inner = inside ? panthera_animation_find(inside, group->property) : NULL;
        }
    }
}

static bool layers_read(struct panthera *panthera, const struct json_value *metadata,
                        struct panthera_project *project)
{
    struct json_value list;
    uint32_t count = 0;
    if (!list_get(metadata, "layers", &list, &count)) {
        return false;
    }
    project->layers = ARENA_NEW(&panthera->scratch, struct panthera_layer, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        struct panthera_layer *const layer = &project->layers[project->layer_count];
        *layer = (struct panthera_layer){.name = "", .colour = ""};
        project->layer_count += object_check(&item, skips_layer) &&
                                text_get(panthera, &item, "name", skips_layer, &layer->name) &&
                                text_get(panthera, &item, "color", skips_layer, &layer->colour);
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
    text_get(panthera, &data, "name", leaves_out, &read->name);
    if (!table_get(&data, "metadata", &metadata)) {
        return false;
    }
    text_get(panthera, &metadata, "gui_path", leaves_out, &read->gui_path);
    number_get(&metadata, "fps", leaves_out, &read->fps);
    if (!layers_read(panthera, &metadata, read) || !nodes_read(panthera, &data, read) ||
        !animations_read(panthera, &data, read) ||
        !table_get(&metadata, "template_animation_paths", &paths) ||
        !panthera_templates_read(panthera, &paths, read)) {
        return false;
    }
    animations_link(read);
    return true;
}
