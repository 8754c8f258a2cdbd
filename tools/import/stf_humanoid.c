// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The humanoid component of an armature: which of its bones is which part of a body.
#include "stf.h"

#include <string.h>

#include <troupe/humanoid.h>

/// Finds the armature's first component that says it is humanoid.
static bool component_find(struct stf *stf, const struct stf_armature *armature,
                           const struct stf_resource **component)
{
    const struct json_value *const value = &armature->resource->value;
    struct json_value list = json_member(value, "components");
    uint32_t count = 0;
    *component = NULL;
    if (!json_is_absent(&list) && !json_get_array(value, "components", false, &list, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value reference = json_item(&list, i);
        struct stf_resource *found = NULL;
        const char *const outer = stf_spare_begin(stf, "the component is left out");
        if (!stf_spare_end(stf, outer, stf_resource_named(stf, value, &reference, &found))) {
            return false;
        }
        if (!found) {
            continue;
        }
        if (found->type == STF_HUMANOID && *component) {
            json_warn(&reference, "stf.humanoid",
                      "the armature has been humanoid already; ignored");
        } else if (found->type == STF_HUMANOID) {
            *component = found;
        }
    }
    return true;
}

static bool settings_read(const struct json_value *value, struct scene_humanoid *humanoid)
{
    static const char *const names[7] = {
        "arm_stretch",     "upper_arm_twist", "lower_arm_twist", "leg_stretch",
        "upper_leg_twist", "lower_leg_twist", "feet_spacing",
    };
    static const double defaults[7] = {0.053, 0.5, 0.5, 0.05, 0.5, 0.5, 0};
    const struct json_value settings = json_member(value, "settings");
    const char *locomotion = "planti";
    bool has_no_jaw = false;
    bool may_move = false;
    memcpy(humanoid->settings, defaults, sizeof defaults);
    if ((!json_is_absent(&settings) && !json_check_object(&settings)) ||
        !json_get_string(value, "locomotion_type", false, &locomotion) ||
        !json_get_boolean(value, "no_jaw", &has_no_jaw) ||
        !json_get_boolean(&settings, "use_translation", &may_move)) {
        return false;
    }
    for (int i = 0; i < 7; i++) {
        if (!json_get_number(&settings, names[i], false, &humanoid->settings[i])) {
            return false;
        }
    }
    const bool is_digitigrade = strcmp(locomotion, "digi") == 0;
    if (!is_digitigrade && strcmp(locomotion, "planti") != 0) {
        json_warn(value, "stf.humanoid", "locomotion_type \"%s\" is unknown; taken as planti",
                  locomotion);
    }
    humanoid->flags = (is_digitigrade ? TRP_HUMANOID_DIGITIGRADE : 0) |
                      (has_no_jaw ? TRP_HUMANOID_NO_JAW : 0) |
                      (may_move ? TRP_HUMANOID_USE_TRANSLATION : 0);
    return stf_numbers_check(value, humanoid->settings, 7);
}

/// Reads how far a part may turn about an axis: smallest, centre, largest.
static bool limit_read(const struct json_value *value, const char *axis, double limit[3])
{
    if (!json_get_numbers(value, axis, 3, limit) || !stf_numbers_check(value, limit, 3)) {
        return false;
    }
    if (!(limit[0] <= limit[2])) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "stf.humanoid",
                           "%s from %g to %g is no range of turns", axis, limit[0], limit[2]);
    }
    if (!(limit[0] <= limit[1] && limit[1] <= limit[2])) {
        json_warn(value, "stf.humanoid",
                  "the centre of %s, %g, is not from %g to %g; moved to the nearer", axis, limit[1],
                  limit[0], limit[2]);
        limit[1] = limit[1] < limit[0] ? limit[0] : limit[2];
    }
    return true;
}

/// Reads how far a part may turn about each axis.
static bool limits_read(struct stf *stf, const struct json_value *mapping, uint32_t part,
                        struct scene_humanoid *humanoid)
{
    static const char *const axes[3] = {"primary", "secondary", "twist"};
    const struct json_value value = json_member(mapping, "rotation_limits");
    if (json_is_absent(&value)) {
        return true;
    }
    if (!json_check_object(&value)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        const struct json_value axis = json_member(&value, axes[i]);
        double limit[3];
        if (json_is_absent(&axis)) {
            continue;
        }
        const char *const outer = stf_spare_begin(stf, "the limit is left out");
        const bool ok = limit_read(&value, axes[i], limit);
        if (!stf_spare_end(stf, outer, ok)) {
            return false;
        }
        if (ok) {
            humanoid->axes[part] |= 1u << i;
            memcpy(humanoid->limits[part][i], limit, sizeof limit);
        }
    }
    return true;
}

/// Warns of a bone that is a part of the body already.
static void bone_warn(const struct json_value *mapping, const struct scene_humanoid *humanoid,
                      const char *id, int32_t bone)
{
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        if (humanoid->bone_of_part[part] == bone) {
            json_warn(mapping, "stf.humanoid", "%s is the %s already", id,
                      trp_human_part_name(part));
            return;
        }
    }
}

static bool mapping_read(struct stf *stf, const struct stf_armature *armature,
                         const struct json_value *mapping, struct scene_humanoid *humanoid)
{
    const uint32_t part = trp_human_part_find(mapping->key);
    const char *target = NULL;
    if (part == TRP_NONE) {
        json_warn(mapping, "stf.humanoid", "is no part of a body; ignored");
        return true;
    }
    if (!json_check_object(mapping) || !json_get_string(mapping, "target", true, &target)) {
        return false;
    }
    const struct stf_resource *const bone = stf_resource_find(stf, target);
    if (!bone || bone->owner != armature->resource) {
        json_warn(mapping, "stf.humanoid", "%s is no bone of the armature; ignored", target);
        return true;
    }
    bone_warn(mapping, humanoid, target, bone->index);
    humanoid->bone_of_part[part] = bone->index;
    return limits_read(stf, mapping, part, humanoid);
}

bool stf_humanoid_read(struct stf *stf, struct stf_armature *armature)
{
    const struct stf_resource *component;
    if (!component_find(stf, armature, &component)) {
        return false;
    }
    if (!component) {
        return true;
    }
    const struct json_value *const value = &component->value;
    const struct json_value mappings = json_member(value, "mappings");
    struct json_value mapping = {0};
    void *memory;
    if ((!json_is_absent(&mappings) && !json_check_object(&mappings)) ||
        !stf_take(stf, value, 1, sizeof *armature->humanoid, &memory)) {
        return false;
    }
    armature->humanoid = memory;
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        armature->humanoid->bone_of_part[part] = -1;
    }
    while (json_next_member(&mappings, &mapping)) {
        if (!mapping_read(stf, armature, &mapping, armature->humanoid)) {
            return false;
        }
    }
    return settings_read(value, armature->humanoid);
}
