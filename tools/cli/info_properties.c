// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Property sets and their values as JSON and as a table.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "output.h"

static const char *type_name(trp_property_type type)
{
    static const char *const names[] = {"float", "bool", "int", "string"};
    return names[type];
}

static bool has_labels(const trp_property_set *set, const trp_property *property)
{
    for (uint32_t i = 0; i < property->value_count; i++) {
        if (trp_property_set_label(set, property->first_value + i)[0] != '\0') {
            return true;
        }
    }
    return false;
}

/// Returns a part of the path of a property; null where there is none.
static const char *path_part(const trp_property *property, uint32_t part, struct arena *arena)
{
    const size_t size_bytes = trp_property_path_part(property->path, part, NULL, 0);
    if (size_bytes == 0) {
        return NULL;
    }
    char *const text = arena_take(arena, size_bytes, 1);
    trp_property_path_part(property->path, part, text, size_bytes);
    return text;
}

const char *cli_property_node(const trp_property_set *set, const trp_property *property,
                              struct arena *arena)
{
    const char *const node = path_part(property, 0, arena);
    const char *const name = path_part(property, 1, arena);
    const bool is_named = property->value_count == 1 && node != NULL && name != NULL &&
                          trp_property_path_part(property->path, 2, NULL, 0) == 0 &&
                          strcmp(name, trp_property_set_label(set, property->first_value)) == 0;
    return is_named ? node : NULL;
}

bool cli_property_is_layer(const trp_property *property)
{
    static const char head[] = "//layers/";
    return property->value_count == 1 && strncmp(property->path, head, sizeof head - 1) == 0;
}

json_t *cli_describe_property(const trp_property_set *set, const trp_property *property)
{
    struct arena arena = {0};
    json_t *const object = json_object();
    const char *const node = cli_property_node(set, property, &arena);
    json_object_set_new(object, "path", output_string(property->path));
    json_object_set_new(object, "type", json_string(type_name(property->type)));
    if (node != NULL || cli_property_is_layer(property)) {
        json_object_set_new(object, "node", node != NULL ? output_string(node) : json_null());
        json_object_set_new(object, "property",
                            output_string(trp_property_set_label(set, property->first_value)));
    } else {
        json_object_set_new(object, "node",
                            property->node != TRP_NONE ? json_integer(property->node)
                                                       : json_null());
    }
    if (has_labels(set, property)) {
        json_t *const labels = json_array();
        for (uint32_t i = 0; i < property->value_count; i++) {
            const uint32_t value = property->first_value + i;
            json_array_append_new(labels, output_string(trp_property_set_label(set, value)));
        }
        json_object_set_new(object, "labels", labels);
    }
    arena_free(&arena);
    return object;
}

json_t *cli_value_json(const trp_property_set *set, const trp_property *property,
                       const float *values, uint32_t value)
{
    return property->type == TRP_PROPERTY_STRING
               ? output_string(trp_property_set_text(set, values[value]))
               : output_float(values[value]);
}

json_t *cli_values_json(const trp_property_set *set, const trp_property *property,
                        const float *values)
{
    json_t *const array = json_array();
    for (uint32_t i = 0; i < property->value_count; i++) {
        json_array_append_new(array,
                              cli_value_json(set, property, values, property->first_value + i));
    }
    return array;
}

/// Returns the names that cli_property_node gives, each once, in the order of the set.
static json_t *describe_nodes(const trp_property_set *set)
{
    struct arena arena = {0};
    json_t *const seen = json_object();
    json_t *const nodes = json_array();
    for (uint32_t i = 0; i < set->property_count; i++) {
        trp_property property;
        trp_property_set_property(set, i, &property);
        const char *const node = cli_property_node(set, &property, &arena);
        json_t *const name = node != NULL ? output_string(node) : NULL;
        if (name != NULL && json_object_get(seen, json_string_value(name)) == NULL) {
            json_object_set_new(seen, json_string_value(name), json_true());
            json_array_append(nodes, name);
        }
        json_decref(name);
    }
    json_decref(seen);
    arena_free(&arena);
    return nodes;
}

/// Returns the layers by name, with their colours.
static json_t *describe_layers(const trp_property_set *set)
{
    json_t *const layers = json_array();
    for (uint32_t i = 0; i < set->property_count; i++) {
        trp_property property;
        trp_property_set_property(set, i, &property);
        if (cli_property_is_layer(&property)) {
            json_t *const layer = json_object();
            json_object_set_new(layer, "name",
                                output_string(trp_property_set_label(set, property.first_value)));
            json_object_set_new(
                layer, "color",
                cli_value_json(set, &property, set->defaults, property.first_value));
            json_array_append_new(layers, layer);
        }
    }
    return layers;
}

static json_t *describe_texts(const trp_property_set *set)
{
    json_t *const texts = json_array();
    for (uint32_t i = 0; i < set->text_count; i++) {
        json_array_append_new(texts, output_string(trp_property_set_text(set, (float)i)));
    }
    return texts;
}

json_t *cli_describe_property_set(const trp_property_set *set)
{
    json_t *const properties = json_array();
    for (uint32_t i = 0; i < set->property_count; i++) {
        trp_property property;
        trp_property_set_property(set, i, &property);
        json_t *const object = cli_describe_property(set, &property);
        json_object_set_new(object, "values", json_integer(property.value_count));
        json_object_set_new(object, "defaults", cli_values_json(set, &property, set->defaults));
        json_array_append_new(properties, object);
    }
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(set->name));
    json_object_set_new(object, "values", json_integer(set->value_count));
    json_object_set_new(object, "nodes", describe_nodes(set));
    json_object_set_new(object, "layers", describe_layers(set));
    json_object_set_new(object, "texts", describe_texts(set));
    json_object_set_new(object, "properties", properties);
    return object;
}

/// Writes as many texts as fit.
static void join_texts(const char *const *texts, uint32_t count, char *joined, size_t size_bytes)
{
    static const char more[] = ", ...";
    size_t used = 0;
    joined[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *const comma = i > 0 ? ", " : "";
        const size_t needed = strlen(comma) + strlen(texts[i]) + (i + 1 < count ? sizeof more : 1);
        if (used + needed > size_bytes) {
            snprintf(joined + used, size_bytes - used, "%s", i > 0 ? more : more + 2);
            return;
        }
        used += (size_t)snprintf(joined + used, size_bytes - used, "%s%s", comma, texts[i]);
    }
}

/// Writes as many labels of a property as fit into a cell of a table.
static void join_labels(const trp_property_set *set, const trp_property *property, char *text,
                        size_t size_bytes)
{
    struct arena arena = {0};
    const uint32_t count = has_labels(set, property) ? property->value_count : 0;
    const char **const labels = ARENA_NEW(&arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        labels[i] = trp_property_set_label(set, property->first_value + i);
    }
    join_texts(labels, count, text, size_bytes);
    arena_free(&arena);
}

/// Adds the node that a property belongs to, by its name or else its index.
static void add_node_cell(struct output_table *table, const trp_property_set *set,
                          const trp_property *property)
{
    struct arena arena = {0};
    const char *const node = cli_property_node(set, property, &arena);
    if (node != NULL) {
        output_cell(table, "%s", node);
    } else {
        output_cell(table, property->node != TRP_NONE ? "%u" : "-", property->node);
    }
    arena_free(&arena);
}

/// Adds the default of a property of one value.
static void add_default_cell(struct output_table *table, const trp_property_set *set,
                             const trp_property *property)
{
    const float value = set->defaults[property->first_value];
    if (property->value_count > 1) {
        output_cell(table, "%s", "");
    } else if (property->type == TRP_PROPERTY_STRING) {
        output_cell(table, "\"%s\"", trp_property_set_text(set, value));
    } else {
        output_cell(table, "%.9g", (double)value);
    }
}

/// Returns three texts as one.
static const char *joined(struct arena *arena, const char *a, const char *b, const char *c)
{
    const size_t size_bytes = strlen(a) + strlen(b) + strlen(c) + 1;
    char *const text = arena_take(arena, size_bytes, 1);
    snprintf(text, size_bytes, "%s%s%s", a, b, c);
    return text;
}

/// Prints how many things a set has, and as many of them as go on a line.
static void print_list(const trp_property_set *set, const char *thing, const char *const *texts,
                       uint32_t count)
{
    char list[160];
    if (count > 0) {
        join_texts(texts, count, list, sizeof list);
        output_line("%u %s%s in %s: %s", count, thing, count > 1 ? "s" : "", set->name, list);
    }
}

/// Prints what a set has besides its properties.
static void print_lists(const trp_property_set *set)
{
    struct arena arena = {0};
    json_t *const nodes = describe_nodes(set);
    json_t *const layers = describe_layers(set);
    const uint32_t node_count = (uint32_t)json_array_size(nodes);
    const uint32_t layer_count = (uint32_t)json_array_size(layers);
    const char **const node_texts = ARENA_NEW(&arena, const char *, node_count);
    const char **const layer_texts = ARENA_NEW(&arena, const char *, layer_count);
    const char **const texts = ARENA_NEW(&arena, const char *, set->text_count);
    for (uint32_t i = 0; i < node_count; i++) {
        node_texts[i] = json_string_value(json_array_get(nodes, i));
    }
    for (uint32_t i = 0; i < layer_count; i++) {
        const json_t *const layer = json_array_get(layers, i);
        layer_texts[i] = joined(&arena, json_string_value(json_object_get(layer, "name")), " ",
                                json_string_value(json_object_get(layer, "color")));
    }
    for (uint32_t i = 0; i < set->text_count; i++) {
        texts[i] = joined(&arena, "\"", trp_property_set_text(set, (float)i), "\"");
    }
    print_list(set, "node", node_texts, node_count);
    print_list(set, "layer", layer_texts, layer_count);
    print_list(set, "text", texts, set->text_count);
    json_decref(nodes);
    json_decref(layers);
    arena_free(&arena);
}

void cli_print_property_sets(const struct cli_pack *pack)
{
    static const char *const headings[] = {
        "<property set", "<property", "<type", "values", "<node", "<labels", "<default",
    };
    struct output_table table = {.headings = headings, .column_count = 7};
    for (uint32_t i = 0; i < pack->pack.property_set_count; i++) {
        trp_property_set set;
        trp_pack_property_set(&pack->pack, i, &set);
        for (uint32_t j = 0; j < set.property_count; j++) {
            trp_property property;
            trp_property_set_property(&set, j, &property);
            char labels[64];
            join_labels(&set, &property, labels, sizeof labels);
            output_cell(&table, "%s", set.name);
            output_cell(&table, "%s", property.path);
            output_cell(&table, "%s", type_name(property.type));
            output_cell(&table, "%u", property.value_count);
            add_node_cell(&table, &set, &property);
            output_cell(&table, "%s", labels);
            add_default_cell(&table, &set, &property);
        }
    }
    output_table_print(&table);
    for (uint32_t i = 0; i < pack->pack.property_set_count; i++) {
        trp_property_set set;
        trp_pack_property_set(&pack->pack, i, &set);
        print_lists(&set);
    }
}
