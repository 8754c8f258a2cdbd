// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The properties of a glTF file's scene: one for each pointer that channels drive, found again by
// a hash table, since a file may have any number of them.
#include "gltf.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "name_table.h"

/// What is known about a property beside what the scene says.
struct gltf_property_entry {
    uint64_t hash;
    uint32_t driven_by; // 1 + the last clip that drives it, 0 = none yet
    uint32_t track;     // of that clip
};

static const uint64_t hash_prime = 0x7FFFFFFF;

/// Returns a number for hashes of paths: a new one for each file, so that none can have many paths
/// of one hash.
static uint64_t base_draw(void)
{
    return 256 + name_table_seed() % (hash_prime - 256);
}

/// Hashes a text byte by byte, so that all beginnings of a text are hashed on the way: what it says
/// is a polynomial at a base that nobody knows.
static uint64_t hash_step(const struct gltf *gltf, uint64_t hash, char byte)
{
    return (hash * gltf->properties.base + (unsigned char)byte) % hash_prime;
}

static uint64_t hash_of(const struct gltf *gltf, const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++) {
        hash = hash_step(gltf, hash, *text);
    }
    return hash;
}

/// Returns 1 + the index of the property whose path is the first `length` bytes of a text, or 0.
static uint32_t table_find(const struct gltf *gltf, uint64_t hash, const char *text, size_t length)
{
    const struct gltf_property_table *const table = &gltf->properties;
    for (uint32_t slot = (uint32_t)hash; table->slot_count > 0; slot++) {
        const uint32_t found = table->slots[slot & (table->slot_count - 1)];
        if (found == 0) {
            break;
        }
        const char *const path = gltf->scene->properties[found - 1].path;
        if (table->entries[found - 1].hash == hash && strncmp(path, text, length) == 0 &&
            path[length] == 0) {
            return found;
        }
    }
    return 0;
}

static void table_put(struct gltf_property_table *table, uint32_t index)
{
    uint32_t slot = (uint32_t)table->entries[index].hash;
    while (table->slots[slot & (table->slot_count - 1)] != 0) {
        slot++;
    }
    table->slots[slot & (table->slot_count - 1)] = index + 1;
}

/// Makes room for one more property.
static bool table_grow(struct gltf *gltf, const struct json_value *channel)
{
    struct scene *const scene = gltf->scene;
    struct gltf_property_table *const table = &gltf->properties;
    if (scene->property_count < table->capacity) {
        return true;
    }
    const uint32_t capacity = table->capacity > 0 ? table->capacity * 2 : 16;
    void *memory;
    if (!gltf_take(gltf, channel, capacity, sizeof *scene->properties, &memory)) {
        return false;
    }
    struct gltf_property_entry *const entries =
        ARENA_NEW(&gltf->scratch, struct gltf_property_entry, capacity);
    if (scene->property_count > 0) {
        memcpy(memory, scene->properties, scene->property_count * sizeof *scene->properties);
        memcpy(entries, table->entries, scene->property_count * sizeof *entries);
    }
    scene->properties = memory;
    table->entries = entries;
    table->capacity = capacity;
    table->slot_count = capacity * 2;
    table->slots = ARENA_NEW(&gltf->scratch, uint32_t, table->slot_count);
    for (uint32_t i = 0; i < scene->property_count; i++) {
        table_put(table, i);
    }
    return true;
}

/// Reads where a property that is no weights rests; the first key says it where the file does not.
static bool defaults_read(const struct json_value *channel, const struct gltf_target *target,
                          const struct scene_curve *curve, double *defaults)
{
    const struct json_value *const value = &target->value;
    uint32_t count;
    bool boolean;
    if (!value->value) {
        memcpy(defaults, curve->values, curve->stride * sizeof *defaults);
        if (target->type == SCENE_BOOL) {
            defaults[0] = target->default_boolean;
        }
    } else if (json_as_boolean(value, &boolean)) {
        defaults[0] = boolean;
    } else if (!json_as_array(value, &count)) {
        json_as_number(value, defaults);
    } else {
        for (uint32_t i = 0; i < curve->stride; i++) {
            const struct json_value item = json_item(value, i);
            json_as_number(&item, &defaults[i]);
        }
    }
    for (uint32_t i = 0; i < curve->stride; i++) {
        if (!(fabs(defaults[i]) <= FLT_MAX)) {
            return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.pointer.default",
                               "%s rests at %g, which is too large", target->pointer, defaults[i]);
        }
    }
    return target->type != SCENE_INT || gltf_is_integer(defaults[0]) ||
           json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.pointer.default",
                       "%s rests at %.9g, which is no integer of up to 24 bits", target->pointer,
                       defaults[0]);
}

static bool weights_rest(struct gltf *gltf, const struct json_value *channel,
                         const struct gltf_target *target, struct scene_property *property)
{
    void *memory;
    if (!gltf_take(gltf, channel, target->mesh->target_count, sizeof(double), &memory)) {
        return false;
    }
    double *const weights = memory;
    if (target->node < 0) {
        memcpy(weights, target->mesh->weights, target->mesh->target_count * sizeof *weights);
    } else if (!gltf_mesh_rest_weights(gltf, (uint32_t)target->node, target->mesh, weights)) {
        return false;
    }
    const uint32_t first = target->weight < 0 ? 0 : (uint32_t)target->weight;
    property->defaults = weights + first;
    property->labels = target->mesh->labels + first;
    return true;
}

static bool values_rest(struct gltf *gltf, const struct json_value *channel,
                        const struct gltf_target *target, const struct scene_curve *curve,
                        struct scene_property *property)
{
    void *defaults;
    void *labels;
    if (!gltf_take(gltf, channel, curve->stride, sizeof *property->defaults, &defaults) ||
        !gltf_take(gltf, channel, curve->stride, sizeof *property->labels, &labels) ||
        !defaults_read(channel, target, curve, defaults)) {
        return false;
    }
    property->defaults = defaults;
    property->labels = labels;
    for (uint32_t i = 0; i < curve->stride; i++) {
        property->labels[i] = "";
    }
    return true;
}

static bool property_add(struct gltf *gltf, const struct json_value *channel,
                         const struct gltf_target *target, const struct scene_curve *curve,
                         uint64_t hash)
{
    struct scene *const scene = gltf->scene;
    struct scene_property property = {
        .path = arena_string(&scene->arena, target->pointer),
        .type = target->type,
        .value_count = curve->stride,
        .node = target->node,
    };
    if (!table_grow(gltf, channel) ||
        !(target->mesh ? weights_rest(gltf, channel, target, &property)
                       : values_rest(gltf, channel, target, curve, &property))) {
        return false;
    }
    const uint32_t index = scene->property_count++;
    scene->properties[index] = property;
    gltf->properties.entries[index] = (struct gltf_property_entry){.hash = hash};
    table_put(&gltf->properties, index);
    return true;
}

static const char *type_name(enum scene_property_type type)
{
    static const char *const names[] = {"float", "boolean", "integer"};
    return names[type];
}

bool gltf_is_integer(double value)
{
    return fabs(value) <= (1 << 24) && value == floor(value);
}

bool gltf_property_find(struct gltf *gltf, const struct json_value *channel,
                        const struct gltf_target *target, const struct scene_curve *curve,
                        uint32_t *index)
{
    if (gltf->properties.base == 0) {
        gltf->properties.base = base_draw();
    }
    const uint64_t hash = hash_of(gltf, target->pointer);
    const uint32_t found = table_find(gltf, hash, target->pointer, strlen(target->pointer));
    if (found == 0) {
        *index = gltf->scene->property_count;
        return property_add(gltf, channel, target, curve, hash);
    }
    *index = found - 1;
    const struct scene_property *const property = &gltf->scene->properties[*index];
    if (property->value_count != curve->stride || property->type != target->type) {
        return json_refuse(channel, TROUPE_EXIT_INPUT, "gltf.pointer.type",
                           "drives %s as %u %s values, which another clip drives as %u %s values",
                           target->pointer, curve->stride, type_name(target->type),
                           property->value_count, type_name(property->type));
    }
    return true;
}

void gltf_property_drive(struct gltf *gltf, uint32_t index, uint32_t clip, uint32_t track,
                         int32_t *earlier)
{
    struct gltf_property_entry *const entry = &gltf->properties.entries[index];
    *earlier = entry->driven_by == clip + 1 ? (int32_t)entry->track : -1;
    if (*earlier < 0) {
        entry->driven_by = clip + 1;
        entry->track = track;
    }
}

/// Returns 1 + the next property whose path a path goes on from, or 0.
/// @param at   [in,out] how far the path has been looked at
/// @param hash [in,out] of what has been looked at
static uint32_t path_next_whole(const struct gltf *gltf, const char *path, size_t *at,
                                uint64_t *hash)
{
    while (path[*at]) {
        const size_t length = (*at)++;
        const uint32_t found = path[length] == '/' ? table_find(gltf, *hash, path, length) : 0;
        *hash = hash_step(gltf, *hash, path[length]);
        if (found != 0) {
            return found;
        }
    }
    return 0;
}

bool gltf_properties_check_clip(const struct gltf *gltf, const struct json_value *channels,
                                const uint32_t *channel_of, uint32_t clip_index)
{
    const struct scene_clip *const clip = &gltf->scene->clips[clip_index];
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (clip->tracks[i].path != SCENE_PROPERTY) {
            continue;
        }
        const char *const path = gltf->scene->properties[clip->tracks[i].property].path;
        size_t at = 0;
        uint64_t hash = 0;
        for (uint32_t whole; (whole = path_next_whole(gltf, path, &at, &hash)) != 0;) {
            if (gltf->properties.entries[whole - 1].driven_by == clip_index + 1) {
                const struct json_value channel = json_item(channels, channel_of[i]);
                return json_refuse(&channel, TROUPE_EXIT_INPUT, "gltf.pointer.conflict",
                                   "drives %s, but another channel all of %s", path,
                                   gltf->scene->properties[whole - 1].path);
            }
        }
    }
    return true;
}

void gltf_properties_warn(const struct gltf *gltf)
{
    for (uint32_t i = 0; i < gltf->scene->property_count; i++) {
        const char *const path = gltf->scene->properties[i].path;
        size_t at = 0;
        uint64_t hash = 0;
        const uint32_t whole = path_next_whole(gltf, path, &at, &hash);
        if (whole != 0) {
            report_warning(gltf->report, NULL, "gltf.pointer.conflict",
                           "one clip drives %s and another %s, which is a part of it; the host "
                           "must look at what a clip covers",
                           gltf->scene->properties[whole - 1].path, path);
        }
    }
}
