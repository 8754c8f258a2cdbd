// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Resources of an STF file: found by id, by the index in the resource that refers to them, and
// where their type is unknown replaced by their fallback. Buffers likewise.
#include "stf.h"

#include <math.h>
#include <string.h>

enum {
    // 36 in practice. Looking up a longer one again and again by an index of a few bytes could take
    // far longer than reading the file.
    MAX_ID_BYTES = 1024,
};

/// In the order of enum stf_type.
static const char *const type_names[STF_TYPE_COUNT] = {
    "",
    "stf.animation",
    "stf.armature",
    "stf.instance.armature",
    "stfexp.animation_blendtree",
    "stf.bone",
    "stfexp.camera",
    "stfexp.armature.humanoid",
    "stfexp.light",
    "stf.material",
    "stf.mesh",
    "stf.instance.mesh",
    "stf.node",
    "stf.prefab",
};

static enum stf_type type_of(const char *name)
{
    for (int type = STF_UNKNOWN + 1; type < STF_TYPE_COUNT; type++) {
        if (strcmp(name, type_names[type]) == 0) {
            return (enum stf_type)type;
        }
    }
    return STF_UNKNOWN;
}

static bool resource_read(struct stf *stf, const struct json_value *value)
{
    const char *type_name = "";
    if (!json_check_object(value) || !json_get_string(value, "type", false, &type_name)) {
        return false;
    }
    const uint32_t index = name_table_add(&stf->ids, value->key);
    struct stf_resource *const resource = &stf->resources[index];
    *resource = (struct stf_resource){
        .id = value->key,
        .value = *value,
        .type = type_of(type_name),
        .type_name = type_name,
        .type_index = name_table_add(&stf->types, type_name),
        .index = -1,
    };
    stf->type_counts[resource->type]++;
    return true;
}

bool stf_resources_read(struct stf *stf)
{
    stf->resource_list = json_member(&stf->root, "resources");
    stf->buffers = json_member(&stf->root, "buffers");
    if (!json_check_object(&stf->resource_list) ||
        (!json_is_absent(&stf->buffers) && !json_check_object(&stf->buffers))) {
        return false;
    }
    uint32_t count = 0;
    struct json_value member = {0};
    while (json_next_member(&stf->resource_list, &member)) {
        count++;
    }
    stf->resources = ARENA_NEW(&stf->scratch, struct stf_resource, count);
    stf->names = ARENA_NEW(&stf->scratch, const char *, count);
    stf->walked = ARENA_NEW(&stf->scratch, struct stf_resource *, count);
    stf->walked_parents = ARENA_NEW(&stf->scratch, int32_t, count);
    member = (struct json_value){0};
    while (json_next_member(&stf->resource_list, &member)) {
        if (!resource_read(stf, &member)) {
            return false;
        }
    }
    stf->is_type_warned = ARENA_NEW(&stf->scratch, bool, stf->types.count);
    return true;
}

struct stf_resource *stf_resource_find(const struct stf *stf, const char *id)
{
    const uint32_t index = name_table_find(&stf->ids, id);
    return index == UINT32_MAX ? NULL : &stf->resources[index];
}

/// Finds the id that a reference means.
/// @param list the member of the owner that indices are into
static bool reference_find(const struct json_value *owner, const struct json_value *reference,
                           const char *list, const char **id)
{
    double number = 0;
    if (json_as_string(reference, id)) {
        return true;
    }
    if (!owner || !json_as_number(reference, &number)) {
        return json_refuse(reference, TROUPE_EXIT_INPUT, "json.type", "must be %s",
                           owner ? "an index or an id" : "an id");
    }
    struct json_value ids;
    uint32_t count = 0;
    if (!json_get_array(owner, list, false, &ids, &count)) {
        return false;
    }
    if (!(number >= 0 && number < count) || number != floor(number)) {
        return json_refuse(reference, TROUPE_EXIT_INPUT, "stf.reference",
                           "is %.17g, but %s has %u ids", number, list, count);
    }
    return json_get_string_item(&ids, (size_t)number, id);
}

/// As above, and refuses ids that nobody should have.
static bool reference_read(const struct json_value *owner, const struct json_value *reference,
                           const char *list, const char **id)
{
    return reference_find(owner, reference, list, id) &&
           (strnlen(*id, MAX_ID_BYTES + 1) <= MAX_ID_BYTES ||
            json_refuse(reference, TROUPE_EXIT_UNSUPPORTED, "stf.reference",
                        "ids of more than %d bytes are not supported", MAX_ID_BYTES));
}

bool stf_resource_named(struct stf *stf, const struct json_value *owner,
                        const struct json_value *reference, struct stf_resource **resource)
{
    const char *id = NULL;
    if (!reference_read(owner, reference, "referenced_resources", &id)) {
        return false;
    }
    *resource = stf_resource_find(stf, id);
    return *resource != NULL || json_refuse(reference, TROUPE_EXIT_INPUT, "stf.reference",
                                            "there is no resource %s", id);
}

/// Finds what an unknown type says to use instead, if anything.
static bool fallback_find(struct stf *stf, struct stf_resource *resource)
{
    const struct json_value reference = json_member(&resource->value, "fallback");
    if (json_is_absent(&reference)) {
        return true;
    }
    const char *const outer = stf_spare_begin(stf, "there is no fallback");
    return stf_spare_end(
        stf, outer, stf_resource_named(stf, &resource->value, &reference, &resource->fallback));
}

/// Follows fallbacks from an unknown type to a known one, and remembers for all on the way what
/// they come to.
static bool fallback_follow(struct stf *stf, struct stf_resource *first)
{
    struct stf_resource *at = first;
    while (at && at->type == STF_UNKNOWN && at->fallback_walk == STF_WALK_NEW) {
        at->fallback_walk = STF_WALK_OPEN;
        if (!fallback_find(stf, at)) {
            return false;
        }
        at = at->fallback;
    }
    if (at && at->fallback_walk == STF_WALK_OPEN) {
        stf_spare_nothing(stf);
        return json_refuse(&at->value, TROUPE_EXIT_INPUT, "stf.cycle",
                           "%s falls back to %s and so in the end to itself", at->id,
                           at->fallback->id);
    }
    struct stf_resource *const known = !at || at->type != STF_UNKNOWN ? at : at->fallback;
    for (at = first; at && at->fallback_walk == STF_WALK_OPEN;) {
        struct stf_resource *const next = at->fallback;
        at->fallback_walk = STF_WALK_DONE;
        at->fallback = known;
        at = next;
    }
    return true;
}

bool stf_resource_of(struct stf *stf, const struct json_value *owner,
                     const struct json_value *reference, struct stf_resource **resource)
{
    struct stf_resource *found;
    if (!stf_resource_named(stf, owner, reference, &found)) {
        return false;
    }
    *resource = found;
    if (found->type != STF_UNKNOWN) {
        return true;
    }
    if (!fallback_follow(stf, found)) {
        return false;
    }
    *resource = found->fallback;
    if (!found->fallback && !stf->is_type_warned[found->type_index]) {
        stf->is_type_warned[found->type_index] = true;
        json_warn(&found->value, "stf.type", "type \"%s\" is unknown; skipped wherever it is used",
                  found->type_name);
    }
    return true;
}

bool stf_resource_expect(struct stf *stf, const struct json_value *owner,
                         const struct json_value *reference, enum stf_type type,
                         struct stf_resource **resource)
{
    if (!stf_resource_of(stf, owner, reference, resource)) {
        return false;
    }
    return !*resource || (*resource)->type == type ||
           json_refuse(reference, TROUPE_EXIT_INPUT, "stf.type", "must be a %s, but %s is a %s",
                       type_names[type], (*resource)->id, (*resource)->type_name);
}

bool stf_resource_name(struct stf *stf, const struct stf_resource *resource, const char **name)
{
    const struct json_value member = json_member(&resource->value, "name");
    const char *text = "";
    const char **const kept = &stf->names[resource - stf->resources];
    if (!*kept) {
        if (!json_is_absent(&member) && !json_get_string(&resource->value, "name", false, &text)) {
            return false;
        }
        *kept = arena_string(&stf->scene->arena, text);
    }
    *name = *kept;
    return true;
}

bool stf_buffer_bytes(struct stf *stf, const struct json_value *reference,
                      const struct json_value *owner, const unsigned char **bytes,
                      size_t *size_bytes)
{
    const char *id = NULL;
    if (!reference_read(owner, reference, "referenced_buffers", &id)) {
        return false;
    }
    const struct json_value buffer = json_member(&stf->buffers, id);
    if (!buffer.value) {
        return json_refuse(reference, TROUPE_EXIT_INPUT, "stf.reference", "there is no buffer %s",
                           id);
    }
    const char *type = NULL;
    int32_t index = -1;
    if (!json_check_object(&buffer) || !json_get_string(&buffer, "type", true, &type)) {
        return false;
    }
    if (strcmp(type, "stf.buffer.included") != 0) {
        return json_refuse(&buffer, TROUPE_EXIT_UNSUPPORTED, "stf.buffer.type",
                           "type \"%s\" is not supported", type);
    }
    if (!json_get_index(&buffer, "index", true, "buffers after the JSON", stf->range_count,
                        &index)) {
        return false;
    }
    *bytes = stf->bytes + stf->ranges[index].at;
    *size_bytes = (size_t)stf->ranges[index].size_bytes;
    return true;
}
