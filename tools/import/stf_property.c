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
    uint64_t known;     // bit for each value whose default the file says, or a first key
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

/// Refuses numbers that no float holds.
static bool defaults_check(const struct json_value *at, const struct stf_target *target,
                           uint32_t value_count, const double *values)
{
    for (uint32_t i = 0; i < value_count; i++) {
        const double value = i < target->rest_count ? target->rest[i] : values[i];
        if (!(fabs(value) <= FLT_MAX)) {
            return json_refuse(at, TROUPE_EXIT_INPUT, "stf.property.default",
                               "%s rests at %g, which is too large", target->pointer, value);
        }
    }
    return true;
}

/// Makes room for more values.
static bool values_grow(struct stf *stf, const struct json_value *at,
                        const struct stf_target *target, uint32_t value_count,
                        struct scene_property *property)
{
    void *defaults;
    void *labels;
    if (!stf_take(stf, at, value_count, sizeof(double), &defaults) ||
        !stf_take(stf, at, value_count, sizeof(const char *), &labels)) {
        return false;
    }
    if (property->value_count > 0) {
        memcpy(defaults, property->defaults, property->value_count * sizeof(double));
    }
    property->defaults = defaults;
    property->labels = labels;
    property->value_count = value_count;
    const char *const label = arena_string(&stf->scene->arena, target->label);
    for (uint32_t i = 0; i < value_count; i++) {
        property->labels[i] = label;
    }
    return true;
}

/// Says where values rest that nobody knew of: as the file says, and where it does not at the first
/// key.
static void defaults_learn(const struct stf_target *target, uint32_t value_count,
                           const double *values, uint64_t missing, struct scene_property *property,
                           struct stf_property_entry *entry)
{
    for (uint32_t i = 0; i < value_count; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        const bool is_said = i < target->rest_count;
        if ((entry->known & bit) == 0 && (is_said || (missing & bit) == 0)) {
            const double value = is_said ? target->rest[i] : values[i];
            entry->known |= bit;
            property->defaults[i] = target->type == SCENE_BOOL ? value > 0.5 : value;
        }
    }
}

bool stf_property_find(struct stf *stf, const struct json_value *at,
                       const struct stf_target *target, uint32_t value_count, const double *values,
                       uint64_t missing, uint32_t *index)
{
    struct scene *const scene = stf->scene;
    if (!defaults_check(at, target, value_count, values)) {
        return false;
    }
    *index = name_table_add(&stf->properties.paths, target->pointer);
    if (*index == scene->property_count) {
        if (!table_grow(stf, at)) {
            return false;
        }
        scene->properties[scene->property_count++] = (struct scene_property){
            .path = arena_string(&scene->arena, target->pointer),
            .type = target->type,
            .node = target->node,
        };
    }
    struct scene_property *const property = &scene->properties[*index];
    if (property->value_count < value_count &&
        !values_grow(stf, at, target, value_count, property)) {
        return false;
    }
    defaults_learn(target, value_count, values, missing, property,
                   &stf->properties.entries[*index]);
    return true;
}

/// Copies values of all keys, with those of a property that a curve does not drive.
/// @param from     null copies nothing
/// @param is_still [key_count] where values are differences, which are 0 then; null = nowhere
static bool values_complete(struct stf *stf, const struct scene_property *property,
                            uint64_t missing, const struct scene_curve *curve, const bool *is_still,
                            double **from)
{
    const uint32_t count = property->value_count;
    void *memory;
    if (!*from) {
        return true;
    }
    if (!stf_take(stf, &stf->root, (uint64_t)curve->key_count * count, sizeof(double), &memory)) {
        return false;
    }
    double *const to = memory;
    for (uint32_t key = 0; key < curve->key_count; key++) {
        for (uint32_t i = 0; i < count; i++) {
            const bool is_driven = i < curve->stride && (missing >> i & 1) == 0;
            to[(size_t)key * count + i] = is_driven ? (*from)[(size_t)key * curve->stride + i]
                                          : is_still && is_still[key] ? 0
                                                                      : property->defaults[i];
        }
    }
    *from = to;
    return true;
}

bool stf_property_complete(struct stf *stf, uint32_t property, uint64_t missing,
                           struct scene_curve *curve)
{
    const struct scene_property *const wanted = &stf->scene->properties[property];
    if (curve->stride == wanted->value_count && missing == 0) {
        return true;
    }
    struct arena arena = {0};
    // Handles of a bezier interval are values, tangents of others are not. Those of a key belong to
    // the interval after it, or the one before.
    bool *const after = ARENA_NEW(&arena, bool, curve->key_count);
    bool *const before = ARENA_NEW(&arena, bool, curve->key_count);
    for (uint32_t key = 0; key + 1 < curve->key_count; key++) {
        after[key] = before[key + 1] = curve->interpolations[key] != SCENE_BEZIER;
    }
    const bool ok = values_complete(stf, wanted, missing, curve, NULL, &curve->values) &&
                    values_complete(stf, wanted, missing, curve, after, &curve->out_tangents) &&
                    values_complete(stf, wanted, missing, curve, before, &curve->in_tangents);
    arena_free(&arena);
    curve->stride = wanted->value_count;
    return ok;
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
