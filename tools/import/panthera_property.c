// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The properties of a Panthera project's scene: one for each property of a node that animations
// write, shared by all clips, and the texts that triggers set. After them what nodes, also those of
// templates, say of their other properties, and the layers.
#include "panthera_flatten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/format.h"
#include "name_table.h"

enum {
    MOST_NAME_BYTES = 1 << 24, // of nodes of templates
    MOST_VISITS = 1 << 20,     // of these
};

struct panthera_property_table {
    struct panthera *panthera;
    struct arena arena;
    struct name_table paths; // in the order of `properties`
    struct name_table texts;
    uint32_t capacity;
    struct scene_property *properties;
    bool *is_warned; // [capacity] that somebody writes the other kind of value
};

struct panthera_property_table *panthera_properties_new(struct panthera *panthera)
{
    struct panthera_property_table *const table =
        ARENA_NEW(&panthera->scratch, struct panthera_property_table, 1);
    table->panthera = panthera;
    return table;
}

void panthera_properties_free(struct panthera_property_table *table)
{
    name_table_free(&table->paths);
    name_table_free(&table->texts);
    arena_free(&table->arena);
}

double panthera_property_default(const struct panthera_property_table *table, uint32_t property)
{
    return table->properties[property].defaults[0];
}

double panthera_text_index(struct panthera_property_table *table, const char *text)
{
    return name_table_add(&table->texts, text);
}

/// Appends a part of a JSON pointer and returns where it ends.
static char *pointer_append(char *at, const char *text)
{
    for (; *text; text++) {
        if (*text == '~' || *text == '/') {
            *at++ = '~';
            *at++ = *text == '~' ? '0' : '1';
        } else {
            *at++ = *text;
        }
    }
    *at = '\0';
    return at;
}

/// Joins texts in an arena.
static const char *name_join(struct arena *arena, const char *prefix, const char *name,
                             const char *suffix)
{
    const size_t size_bytes = strlen(prefix) + strlen(name) + strlen(suffix) + 1;
    char *const joined = arena_take(arena, size_bytes, 1);
    snprintf(joined, size_bytes, "%s%s%s", prefix, name, suffix);
    return joined;
}

/// Returns the path of a property, in an arena of its own.
static const char *path_make(struct arena *arena, const char *node, const char *property)
{
    char *const path = arena_take(arena, 2 * (strlen(node) + strlen(property)) + 3, 1);
    path[0] = '/';
    char *const middle = pointer_append(path + 1, node);
    middle[0] = '/';
    pointer_append(middle + 1, property);
    return path;
}

static void table_grow(struct panthera_property_table *table)
{
    const uint32_t capacity = table->capacity > 0 ? 2 * table->capacity : 64;
    struct scene_property *const properties =
        ARENA_NEW(&table->panthera->scene->arena, struct scene_property, capacity);
    bool *const is_warned = ARENA_NEW(&table->arena, bool, capacity);
    if (table->capacity > 0) {
        memcpy(properties, table->properties, table->capacity * sizeof *properties);
        memcpy(is_warned, table->is_warned, table->capacity * sizeof *is_warned);
    }
    table->capacity = capacity;
    table->properties = properties;
    table->is_warned = is_warned;
}

/// Finds where a property rests; the first key says it where nodes do not.
static double default_of(struct panthera_property_table *table, const char *node,
                         const struct panthera_group *group)
{
    const struct panthera_project *const project = table->panthera->project;
    const struct panthera_key *const first = &group->keys[0];
    if (group->kind == PANTHERA_TWEEN) {
        double number = first->start_value;
        panthera_rest_number(project, node, group->property, &number);
        return number;
    }
    const char *text = first->start_text ? first->start_text : "";
    panthera_rest_text(project, node, group->property, &text);
    return panthera_text_index(table, text);
}

/// Refuses a project of which animations move more than a pack holds.
static bool size_refuse(const struct panthera_property_table *table, const char *path)
{
    return report_error(table->panthera->report, TROUPE_EXIT_INPUT, path, "panthera.size",
                        "is one property too many: animations move more than %u, which are the "
                        "most of a pack",
                        TRP__MAX_VALUES);
}

/// Adds the property of the path that was found last.
/// @param label of its value
/// @param rest  within what files may say, which is well within float
static void property_add(struct panthera_property_table *table, const char *path,
                         enum scene_property_type type, const char *label, double rest)
{
    struct arena *const arena = &table->panthera->scene->arena;
    const uint32_t index = table->paths.count - 1;
    if (index == table->capacity) {
        table_grow(table);
    }
    struct scene_property *const property = &table->properties[index];
    *property = (struct scene_property){
        .path = arena_string(arena, path),
        .type = type,
        .value_count = 1,
        .defaults = ARENA_NEW(arena, double, 1),
        .labels = ARENA_NEW(arena, const char *, 1),
        .node = -1,
    };
    property->labels[0] = arena_string(arena, label);
    property->defaults[0] = rest;
}

/// Finds the place of a path.
/// @return whether it is a new one, whose property is to be added
static bool path_find(struct panthera_property_table *table, const char *path, uint32_t *index)
{
    const uint32_t count = table->paths.count;
    *index = name_table_add(&table->paths, path);
    return *index == count;
}

bool panthera_property_find(struct panthera_property_table *table, const char *prefix,
                            const struct panthera_group *group, uint32_t *index)
{
    struct arena scratch = {0};
    const bool is_number = group->kind == PANTHERA_TWEEN;
    const char *const node = name_join(&scratch, prefix, group->node, "");
    const char *const path = path_make(&scratch, node, group->property);
    const bool is_new = path_find(table, path, index);
    const bool is_good = *index < TRP__MAX_VALUES || size_refuse(table, path);
    if (is_good && is_new) {
        property_add(table, path, is_number ? SCENE_FLOAT : SCENE_STRING, group->property,
                     default_of(table, node, group));
    }
    if (is_good && (table->properties[*index].type == SCENE_FLOAT) != is_number) {
        if (!table->is_warned[*index]) {
            report_warning(table->panthera->report, path, "panthera.property.kind",
                           "has numbers in one animation and texts in another; those that come "
                           "later are skipped");
        }
        table->is_warned[*index] = true;
        *index = UINT32_MAX;
    }
    arena_free(&scratch);
    return is_good;
}

/// A node under the name that it has in the project that is imported.
struct named_node {
    const char *name;
    const char *prefix; // of the template that it is in, such as "a/b/"; else empty
    uint32_t order;     // of several of one name the first one counts
    const struct panthera_node *node;
};

/// Returns the text of a value. Parents have the names that nodes have here.
static const char *text_of(struct arena *arena, const struct named_node *node,
                           const struct panthera_value *value)
{
    const bool is_renamed = *node->prefix && *value->text && strcmp(value->property, "parent") == 0;
    return is_renamed ? name_join(arena, node->prefix, value->text, "") : value->text;
}

/// Adds what a node says of a property, unless animations move that.
static void value_add(struct panthera_property_table *table, const struct named_node *node,
                      const struct panthera_value *value)
{
    struct arena scratch = {0};
    uint32_t index;
    const char *const path = path_make(&scratch, node->name, value->property);
    if (path_find(table, path, &index)) {
        if (value->is_number) {
            property_add(table, path, SCENE_FLOAT, value->property, value->number);
        } else if (value->is_boolean) {
            property_add(table, path, SCENE_BOOL, value->property,
                         strcmp(value->text, "true") == 0);
        } else {
            property_add(table, path, SCENE_STRING, value->property,
                         panthera_text_index(table, text_of(&scratch, node, value)));
        }
    }
    arena_free(&scratch);
}

/// Adds a layer, whose value is its colour. Of one name the first one counts.
static void layer_add(struct panthera_property_table *table, const struct panthera_layer *layer)
{
    static const char head[] = "//layers/";
    struct arena scratch = {0};
    uint32_t index;
    char *const path = arena_take(&scratch, sizeof head + 2 * strlen(layer->name), 1);
    memcpy(path, head, sizeof head);
    pointer_append(path + sizeof head - 1, layer->name);
    if (path_find(table, path, &index)) {
        property_add(table, path, SCENE_STRING, layer->name,
                     panthera_text_index(table, layer->colour));
    }
    arena_free(&scratch);
}

// -- Nodes of a project and of its templates

/// Nodes of a project and of those in it.
struct node_list {
    struct arena arena;
    uint32_t count;
    uint32_t capacity;
    struct named_node *nodes;
    uint64_t value_count;
    uint64_t visit_count; // of nodes and templates in templates
    uint64_t name_bytes;  // of templates and their nodes, for each of their values
};

/// Returns whether there are too many to go on.
static bool nodes_are_over(const struct node_list *list)
{
    return list->value_count > TRP__MAX_VALUES || list->visit_count > MOST_VISITS ||
           list->name_bytes > MOST_NAME_BYTES;
}

static void node_append(struct node_list *list, const char *prefix, const char *name,
                        const struct panthera_node *node)
{
    if (list->count == list->capacity) {
        const struct named_node *const before = list->nodes;
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        list->nodes = ARENA_NEW(&list->arena, struct named_node, list->capacity);
        if (list->count > 0) {
            memcpy(list->nodes, before, list->count * sizeof *before);
        }
    }
    list->nodes[list->count] = (struct named_node){name, prefix, list->count, node};
    list->count++;
    list->value_count += node->value_count;
}

/// @param prefix of the template whose project it is, such as "a/b/"; empty in the project itself
static void nodes_append(struct node_list *list, const char *prefix,
                         const struct panthera_project *project)
{
    for (uint32_t i = 0; i < project->node_count && !nodes_are_over(list); i++) {
        const struct panthera_node *const node = &project->nodes[i];
        const char *const name = *prefix ? name_join(&list->arena, prefix, node->id, "") : node->id;
        list->name_bytes += *prefix ? strlen(name) * (1 + (uint64_t)node->value_count) : 0;
        node_append(list, prefix, name, node);
    }
}

/// Appends the nodes of all that is nested in a project, those of the longest prefix first: where
/// there are templates "a" and "a/b", the node "a/b/c" is one of the latter.
static void templates_append(struct node_list *list, const char *prefix,
                             const struct panthera_project *project)
{
    for (uint32_t i = project->template_count; i-- > 0 && !nodes_are_over(list);) {
        const struct panthera_project *const inner = project->templates[i].project;
        if (inner) {
            const char *const name =
                name_join(&list->arena, prefix, project->templates[i].node, "/");
            list->visit_count += 1 + (uint64_t)inner->node_count + inner->template_count;
            list->name_bytes += strlen(name);
            nodes_append(list, name, inner);
            templates_append(list, name, inner);
        }
    }
}

static int compare_named_nodes(const void *a, const void *b)
{
    const struct named_node *const x = a;
    const struct named_node *const y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/// Sorts nodes by name and keeps one of each.
static void nodes_sort(struct node_list *list)
{
    uint32_t kept = 0;
    if (list->count > 0) {
        qsort(list->nodes, list->count, sizeof *list->nodes, compare_named_nodes);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (kept == 0 || strcmp(list->nodes[kept - 1].name, list->nodes[i].name) != 0) {
            list->nodes[kept++] = list->nodes[i];
        }
    }
    list->count = kept;
}

static void nodes_add(struct panthera_property_table *table, const struct node_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct panthera_node *const node = list->nodes[i].node;
        for (uint32_t k = 0; k < node->value_count; k++) {
            value_add(table, &list->nodes[i], &node->values[k]);
        }
    }
}

/// Leaves the nodes of the project itself, which were the first ones.
static void nodes_keep_own(struct node_list *list, uint32_t own_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->nodes[i].order < own_count) {
            list->nodes[kept++] = list->nodes[i];
        }
    }
    list->count = kept;
}

/// Returns whether there is room for the values of nodes beside what is there.
/// @param others properties that are added after them
static bool nodes_fit(const struct panthera_property_table *table, const struct node_list *list,
                      uint32_t others)
{
    uint64_t count = (uint64_t)table->paths.count + others;
    for (uint32_t i = 0; i < list->count && count <= TRP__MAX_VALUES; i++) {
        const struct panthera_node *const node = list->nodes[i].node;
        for (uint32_t k = 0; k < node->value_count; k++) {
            struct arena scratch = {0};
            const char *const path =
                path_make(&scratch, list->nodes[i].name, node->values[k].property);
            count += name_table_find(&table->paths, path) == NAME_TABLE_NONE;
            arena_free(&scratch);
        }
    }
    return count <= TRP__MAX_VALUES;
}

/// Finds the nodes whose properties have room in a pack: with those of templates, or those of the
/// project alone, or none.
/// @param others properties that are added after them
/// @return false after a warning where it is none
static bool nodes_choose(const struct panthera_property_table *table, uint32_t others,
                         struct node_list *list)
{
    const struct panthera_project *const project = table->panthera->project;
    struct report *const report = table->panthera->report;
    nodes_append(list, "", project);
    const uint32_t own_count = list->count;
    if (nodes_are_over(list) || !nodes_fit(table, list, others)) {
        report_warning(report, NULL, "panthera.size",
                       "has more than %u properties, which are the most of a pack: those that no "
                       "animation moves are left out",
                       TRP__MAX_VALUES);
        return false;
    }
    templates_append(list, "", project);
    const bool is_over = nodes_are_over(list);
    nodes_sort(list);
    if (is_over || !nodes_fit(table, list, others)) {
        report_warning(report, NULL, "panthera.size",
                       "has with its templates more nodes and properties than a pack: "
                       "those of templates that no animation moves are left out");
        nodes_keep_own(list, own_count);
    }
    return true;
}

bool panthera_properties_rest(struct panthera_property_table *table)
{
    const struct panthera_project *const project = table->panthera->project;
    struct node_list list = {0};
    if (nodes_choose(table, project->layer_count, &list)) {
        nodes_add(table, &list);
        for (uint32_t i = 0; i < project->layer_count; i++) {
            layer_add(table, &project->layers[i]);
        }
    }
    arena_free(&list.arena);
    return table->texts.count <= TRP__MAX_TEXTS ||
           report_error(table->panthera->report, TROUPE_EXIT_INPUT, NULL, "panthera.size",
                        "has more than %u texts, which are the most of a pack", TRP__MAX_TEXTS);
}

/// Copies the texts of a table.
static const char **texts_copy(const struct name_table *table, struct arena *arena)
{
    const char **const texts = ARENA_NEW(arena, const char *, table->count);
    char *const bytes = arena_take(arena, table->bytes.size, 1);
    if (table->count > 0) {
        memcpy(bytes, table->bytes.bytes, table->bytes.size);
    }
    for (uint32_t i = 0; i < table->count; i++) {
        texts[i] = bytes + table->entries[i].place;
    }
    return texts;
}

void panthera_properties_finish(struct panthera_property_table *table)
{
    struct scene *const scene = table->panthera->scene;
    scene->property_count = table->paths.count;
    scene->properties = table->properties;
    scene->text_count = table->texts.count;
    scene->texts = texts_copy(&table->texts, &scene->arena);
}
