// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The properties of an STF file's scene: one for each path that tracks drive and that is no joint,
// shared by all clips.
#include "stf.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// What is known about a property beside what the scene says.
struct stf_property_entry {
    uint32_t driven_by; // 1 + the last clip that drives it, 0 = none yet
    uint32_t track;     // of that clip
};

/// Makes room for one more property.
static bool table_grow(struct stf *stf, const struct json_value *at)
{
    struct scene *const scene = stf->scene;
    struct stf_property_table *const table = &stf->properties;
    if (scene->property_count < table->capacity) {
        return true;
    }
    const uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : 16;
    void *memory;
    if (!stf_take(stf, at, capacity, sizeof *scene->properties, &memory)) {
        return false;
    }
    struct stf_property_entry *const entries =
        ARENA_NEW(&stf->scratch, struct stf_property_entry, capacity);
    if (scene->property_count > 0) {
        memcpy(memory, scene->properties, scene->property_count * sizeof *scene->properties);
        memcpy(entries, table->entries, scene->property_count * sizeof *entries);
    }
    scene->properties = memory;
    table->entries = entries;
    table->capacity = capacity;
    return true;
}

/// Finds where a property rests: as the file says, and where it does not at the first key.
static bool defaults_read(const struct json_value *at, const struct stf_target *target,
                          uint32_t value_count, const double *values, double *defaults)
{
    for (uint32_t i = 0; i < value_count; i++) {
        defaults[i] = i < target->rest_count ? target->rest[i] : values[i];
        if (!(fabs(defaults[i]) <= FLT_MAX)) {
            return json_refuse(at, TROUPE_EXIT_INPUT, "stf.property.default",
                               "%s rests at %g, which is too large", target->pointer, defaults[i]);
        }
        if (target->type == SCENE_BOOL) {
            defaults[i] = defaults[i] > 0.5;
        }
    }
    return true;
}

static bool property_add(struct stf *stf, const struct json_value *at,
                         const struct stf_target *target, uint32_t value_count,
                         const double *values)
{
    struct scene *const scene = stf->scene;
    void *defaults;
    void *labels;
    if (!table_grow(stf, at) || !stf_take(stf, at, value_count, sizeof(double), &defaults) ||
        !stf_take(stf, at, value_count, sizeof(const char *), &labels) ||
        !defaults_read(at, target, value_count, values, defaults)) {
        return false;
    }
    struct scene_property *const property = &scene->properties[scene->property_count++];
    *property = (struct scene_property){
        .path = arena_string(&scene->arena, target->pointer),
        .type = target->type,
        .value_count = value_count,
        .defaults = defaults,
        .labels = labels,
        .node = target->node,
    };
    const char *const label = arena_string(&scene->arena, target->label);
    for (uint32_t i = 0; i < value_count; i++) {
        property->labels[i] = label;
    }
    return true;
}

bool stf_property_find(struct stf *stf, const struct json_value *at,
                       const struct stf_target *target, uint32_t value_count, const double *values,
                       int32_t *index)
{
    const uint32_t found = stf_names_add(&stf->properties.paths, &stf->scratch, target->pointer);
    *index = (int32_t)found;
    if (found == stf->scene->property_count) {
        return property_add(stf, at, target, value_count, values);
    }
    const struct scene_property *const property = &stf->scene->properties[found];
    if (property->value_count != value_count) {
        json_warn(at, "stf.property.type",
                  "drives %s as %u values, which another track drives as %u; skipped",
                  target->pointer, value_count, property->value_count);
        *index = -1;
    }
    return true;
}

void stf_property_drive(struct stf *stf, uint32_t property, uint32_t clip, uint32_t track,
                        int32_t *earlier)
{
    struct stf_property_entry *const entry = &stf->properties.entries[property];
    *earlier = entry->driven_by == clip + 1 ? (int32_t)entry->track : -1;
    if (*earlier < 0) {
        entry->driven_by = clip + 1;
        entry->track = track;
    }
}
