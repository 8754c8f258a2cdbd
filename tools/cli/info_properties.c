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

/// Undoes the escapes of a part of a JSON pointer.
static char *pointer_part(struct arena *arena, const char *from, size_t size_bytes)
{
    char *const part = arena_take(arena, size_bytes + 1, 1);
    char *out = part;
    for (const char *at = from; at < from + size_bytes; at++) {
        const char next = at + 1 < from + size_bytes ? at[1] : '\0';
        const bool is_escape = *at == '~' && (next == '0' || next == '1');
        *out++ = !is_escape ? *at : next == '0' ? '~' : '/';
        at += is_escape;
    }
    *out = '\0';
    return part;
}

const char *cli_property_node(const trp_property_set *set, const trp_property *property,
                              struct arena *arena)
{
    const char *const slash = property->path[0] == '/' ? strchr(property->path + 1, '/') : NULL;
    if (property->value_count != 1 || slash == NULL || strchr(slash + 1, '/') != NULL) {
        return NULL;
    }
    const char *const name = pointer_part(arena, slash + 1, strlen(slash + 1));
    if (strcmp(name, trp_property_set_label(set, property->first_value)) != 0) {
        return NULL;
    }
    return pointer_part(arena, property->path + 1, (size_t)(slash - property->path - 1));
}

json_t *cli_describe_property(const trp_property_set *set, const trp_property *property)
{
    struct arena arena = {0};
    json_t *const object = json_object();
    const char *const node = cli_property_node(set, property, &arena);
    json_object_set_new(object, "path", output_string(property->path));
    json_object_set_new(object, "type", json_string(type_name(property->type)));
    if (node != NULL) {
        json_object_set_new(object, "node", output_string(node));
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
    json_object_set_new(object, "texts", describe_texts(set));
    json_object_set_new(object, "properties", properties);
    return object;
}

/// Writes as many labels of a property as fit into a cell of a table.
static void join_labels(const trp_property_set *set, const trp_property *property, char *text,
                        size_t size_bytes)
{
    static const char more[] = ", ...";
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < property->value_count && has_labels(set, property); i++) {
        const char *const label = trp_property_set_label(set, property->first_value + i);
        const char *const comma = i > 0 ? ", " : "";
        if (used + strlen(comma) + strlen(label) + sizeof more > size_bytes) {
            snprintf(text + used, size_bytes - used, "%s", i > 0 ? more : more + 2);
            return;
        }
        used += (size_t)snprintf(text + used, size_bytes - used, "%s%s", comma, label);
    }
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

void cli_print_property_sets(const struct cli_pack *pack)
{
    static const char *const headings[] = {
        "<property set", "<property", "<type", "values", "node", "<labels", "<default",
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
            output_cell(&table, property.node != TRP_NONE ? "%u" : "-", property.node);
            output_cell(&table, "%s", labels);
            add_default_cell(&table, &set, &property);
        }
    }
    output_table_print(&table);
}
