// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What `troupe info` says of instances, their components and humanoids, and of blend trees.
#include <string.h>

#include "cli.h"
#include "output.h"

/// An instance with the skeleton that it poses.
struct posed {
    trp_instance instance;
    trp_skeleton skeleton;
};

static struct posed posed_of(const struct cli_pack *pack, uint32_t index)
{
    struct posed posed = {0};
    trp_pack_instance(&pack->pack, index, &posed.instance);
    trp_pack_skeleton(&pack->pack, posed.instance.skeleton_index, &posed.skeleton);
    return posed;
}

/// Returns the joint of a lane, or TRP_NONE.
static uint32_t joint_of_lane(const trp_skeleton *skeleton, uint16_t lane)
{
    const bool is_joint = lane != TRP_NO_LANE && skeleton->joint_of_lane[lane] != TRP_NO_LANE;
    return is_joint ? skeleton->joint_of_lane[lane] : TRP_NONE;
}

static trp_joint_transform transform_of_lane(const trp_pose_block *pose, uint16_t lane)
{
    const trp_pose_block *const block = &pose[lane / TRP_BLOCK_LANES];
    const uint32_t place = lane % TRP_BLOCK_LANES;
    trp_joint_transform transform;
    for (int i = 0; i < 4; i++) {
        transform.rotation[i] = block->rotation[i][place];
    }
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = block->translation[i][place];
        transform.scale[i] = block->scale[i][place];
    }
    return transform;
}

/// Whether the file lets a bone stand otherwise than at rest.
static bool is_posed(const struct posed *posed, uint32_t bone)
{
    const uint16_t lane = posed->instance.lane_of_bone[bone];
    if (lane == TRP_NO_LANE) {
        return false;
    }
    const trp_joint_transform rest = transform_of_lane(posed->skeleton.rest, lane);
    const trp_joint_transform own = transform_of_lane(posed->instance.pose, lane);
    return memcmp(rest.rotation, own.rotation, sizeof rest.rotation) != 0 ||
           memcmp(rest.translation, own.translation, sizeof rest.translation) != 0 ||
           memcmp(rest.scale, own.scale, sizeof rest.scale) != 0;
}

static uint32_t count_posed(const struct posed *posed)
{
    uint32_t count = 0;
    for (uint32_t bone = 0; bone < posed->instance.bone_count; bone++) {
        count += is_posed(posed, bone);
    }
    return count;
}

/// Returns the name of the joint of a lane, or null.
static json_t *describe_lane(const trp_skeleton *skeleton, uint16_t lane)
{
    const uint32_t joint = joint_of_lane(skeleton, lane);
    return joint != TRP_NONE ? output_string(trp_skeleton_joint_name(skeleton, joint))
                             : json_null();
}

static json_t *describe_bone(const struct posed *posed, uint32_t bone)
{
    const uint16_t lane = posed->instance.lane_of_bone[bone];
    json_t *const object = json_object();
    json_object_set_new(object, "name", describe_lane(&posed->skeleton, lane));
    json_object_set_new(object, "id", output_string(trp_instance_bone_id(&posed->instance, bone)));
    json_object_set_new(object, "lane", lane != TRP_NO_LANE ? json_integer(lane) : json_null());
    json_object_set_new(object, "length", output_float(posed->instance.length_of_bone[bone]));
    json_object_set_new(object, "posed", json_boolean(is_posed(posed, bone)));
    if (lane != TRP_NO_LANE) {
        const trp_joint_transform local = transform_of_lane(posed->instance.pose, lane);
        json_object_set_new(object, "translation", output_floats(local.translation, 3));
        json_object_set_new(object, "rotation", output_floats(local.rotation, 4));
        json_object_set_new(object, "scale", output_floats(local.scale, 3));
    }
    return object;
}

static json_t *describe_bones(const struct posed *posed)
{
    json_t *const bones = json_array();
    for (uint32_t bone = 0; bone < posed->instance.bone_count; bone++) {
        json_array_append_new(bones, describe_bone(posed, bone));
    }
    return bones;
}

/// Returns JSON text as what it means, or as a string where it cannot be read.
static json_t *parse_json(const char *text)
{
    json_t *const value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return value != NULL ? value : output_string(text);
}

static json_t *describe_components(const struct posed *posed)
{
    static const char *const kinds[] = {"added", "modified", "armature"}; // trp_component_kind
    json_t *const components = json_array();
    for (uint32_t i = 0; i < posed->instance.component_count; i++) {
        trp_component component;
        trp_instance_component(&posed->instance, i, &component);
        const uint16_t lane = posed->instance.lane_of_bone[component.bone];
        json_t *const object = json_object();
        json_object_set_new(object, "bone", describe_lane(&posed->skeleton, lane));
        json_object_set_new(object, "bone_id",
                            output_string(trp_instance_bone_id(&posed->instance, component.bone)));
        json_object_set_new(object, "kind", json_string(kinds[component.kind]));
        json_object_set_new(object, "id", output_string(component.id));
        json_object_set_new(object, "type", output_string(component.type));
        json_object_set_new(object, "json", parse_json(component.json));
        json_array_append_new(components, object);
    }
    return components;
}

static json_t *describe_limits(const trp_human_limits *limits)
{
    static const char *const names[] = {"primary", "secondary", "twist"};
    const float *const turns[] = {limits->primary, limits->secondary, limits->twist};
    json_t *const object = json_object();
    for (int axis = 0; axis < 3; axis++) {
        if (limits->axes & (1u << axis)) {
            json_object_set_new(object, names[axis], output_floats(turns[axis], 3));
        }
    }
    return object;
}

/// Returns the parts that the file maps, by name. What a lane plays in the end may be another one.
static json_t *describe_parts(const struct posed *posed, const trp_humanoid *humanoid)
{
    json_t *const parts = json_object();
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        const uint16_t lane = humanoid->lane_of_part[part];
        if (lane == TRP_NO_LANE) {
            continue;
        }
        const uint32_t played = trp_humanoid_part(humanoid, lane);
        json_t *const object = json_object();
        json_object_set_new(object, "joint", describe_lane(&posed->skeleton, lane));
        json_object_set_new(object, "lane", json_integer(lane));
        json_object_set_new(object, "plays",
                            played != TRP_NONE ? json_string(trp_human_part_name(played))
                                               : json_null());
        json_object_set_new(object, "limits", describe_limits(&humanoid->limits[part]));
        json_object_set_new(parts, trp_human_part_name(part), object);
    }
    return parts;
}

static const char *locomotion_name(const trp_humanoid *humanoid)
{
    return humanoid->flags & TRP_HUMANOID_DIGITIGRADE ? "digi" : "planti";
}

/// Returns what a file says of the humanoid of an instance, or null.
static json_t *describe_humanoid(const struct posed *posed)
{
    trp_humanoid humanoid;
    if (trp_instance_humanoid(&posed->instance, &humanoid) != TRP_OK) {
        return json_null();
    }
    const struct {
        const char *name;
        float value;
    } numbers[] = {
        {"arm_stretch", humanoid.arm_stretch},
        {"upper_arm_twist", humanoid.upper_arm_twist},
        {"lower_arm_twist", humanoid.lower_arm_twist},
        {"leg_stretch", humanoid.leg_stretch},
        {"upper_leg_twist", humanoid.upper_leg_twist},
        {"lower_leg_twist", humanoid.lower_leg_twist},
        {"feet_spacing", humanoid.feet_spacing},
    };
    json_t *const settings = json_object();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_object_set_new(settings, numbers[i].name, output_float(numbers[i].value));
    }
    json_object_set_new(settings, "use_translation",
                        json_boolean(humanoid.flags & TRP_HUMANOID_USE_TRANSLATION));
    json_t *const object = json_object();
    json_object_set_new(object, "locomotion", json_string(locomotion_name(&humanoid)));
    json_object_set_new(object, "no_jaw", json_boolean(humanoid.flags & TRP_HUMANOID_NO_JAW));
    json_object_set_new(object, "settings", settings);
    json_object_set_new(object, "parts", describe_parts(posed, &humanoid));
    return object;
}

json_t *cli_describe_instances(const struct cli_pack *pack)
{
    json_t *const instances = json_array();
    for (uint32_t i = 0; i < pack->pack.instance_count; i++) {
        const struct posed posed = posed_of(pack, i);
        const trp_instance *const instance = &posed.instance;
        json_t *const object = json_object();
        json_object_set_new(object, "name", output_string(instance->name));
        json_object_set_new(object, "id", output_string(instance->id));
        json_object_set_new(object, "armature", output_string(instance->armature_name));
        json_object_set_new(object, "armature_id", output_string(instance->armature_id));
        json_object_set_new(object, "skeleton", output_string(posed.skeleton.name));
        json_object_set_new(object, "posed_bones", json_integer(count_posed(&posed)));
        json_object_set_new(object, "bones", describe_bones(&posed));
        json_object_set_new(object, "components", describe_components(&posed));
        json_object_set_new(object, "humanoid", describe_humanoid(&posed));
        json_array_append_new(instances, object);
    }
    return instances;
}

/// Writes what a humanoid is into a cell of a table.
static void summarise_humanoid(const trp_instance *instance, char *text, size_t size_bytes)
{
    trp_humanoid humanoid;
    if (trp_instance_humanoid(instance, &humanoid) != TRP_OK) {
        snprintf(text, size_bytes, "-");
        return;
    }
    uint32_t mapped = 0;
    uint32_t limited = 0;
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        mapped += humanoid.lane_of_part[part] != TRP_NO_LANE;
        limited += humanoid.limits[part].axes != 0;
    }
    snprintf(text, size_bytes, "%s, %u parts, %u with limits%s", locomotion_name(&humanoid), mapped,
             limited, humanoid.flags & TRP_HUMANOID_NO_JAW ? ", no jaw" : "");
}

void cli_print_instances(const struct cli_pack *pack)
{
    static const char *const headings[] = {
        "<instance", "<id", "<armature", "<skeleton", "bones", "posed", "components", "<humanoid",
    };
    struct output_table table = {.headings = headings, .column_count = 8};
    for (uint32_t i = 0; i < pack->pack.instance_count; i++) {
        const struct posed posed = posed_of(pack, i);
        char humanoid[96];
        summarise_humanoid(&posed.instance, humanoid, sizeof humanoid);
        output_cell(&table, "%s", posed.instance.name);
        output_cell(&table, "%s", posed.instance.id);
        output_cell(&table, "%s", posed.instance.armature_name);
        output_cell(&table, "%s", posed.skeleton.name);
        output_cell(&table, "%u", posed.instance.bone_count);
        output_cell(&table, "%u", count_posed(&posed));
        output_cell(&table, "%u", posed.instance.component_count);
        output_cell(&table, "%s", humanoid);
    }
    output_table_print(&table);
}

// ---- blend trees ----

/// Returns the name of a clip, or null where there is none.
static const char *clip_name(const struct cli_pack *pack, uint32_t index)
{
    trp_clip clip;
    return trp_pack_clip(&pack->pack, index, &clip) == TRP_OK ? clip.name : NULL;
}

json_t *cli_describe_blendtrees(const struct cli_pack *pack)
{
    json_t *const trees = json_array();
    for (uint32_t i = 0; i < pack->pack.blendtree_count; i++) {
        trp_blendtree tree;
        trp_pack_blendtree(&pack->pack, i, &tree);
        json_t *const clips = json_array();
        for (uint32_t k = 0; k < tree.count; k++) {
            const char *const name = clip_name(pack, tree.clips[k]);
            json_t *const clip = json_object();
            json_object_set_new(clip, "clip", name != NULL ? output_string(name) : json_null());
            json_object_set_new(clip, "position", output_floats(tree.places[k], tree.dimensions));
            json_array_append_new(clips, clip);
        }
        json_t *const object = json_object();
        json_object_set_new(object, "name", output_string(tree.name));
        json_object_set_new(object, "id", output_string(tree.id));
        json_object_set_new(object, "dimensions", json_integer(tree.dimensions));
        json_object_set_new(object, "clips", clips);
        json_array_append_new(trees, object);
    }
    return trees;
}

void cli_print_blendtrees(const struct cli_pack *pack)
{
    static const char *const headings[] = {"<blend tree", "<clip", "x", "y"};
    struct output_table table = {.headings = headings, .column_count = 4};
    for (uint32_t i = 0; i < pack->pack.blendtree_count; i++) {
        trp_blendtree tree;
        trp_pack_blendtree(&pack->pack, i, &tree);
        for (uint32_t k = 0; k < tree.count; k++) {
            const char *const name = clip_name(pack, tree.clips[k]);
            output_cell(&table, "%s", k == 0 ? tree.name : "");
            output_cell(&table, "%s", name != NULL ? name : "(left out)");
            output_cell(&table, "%g", (double)tree.places[k][0]);
            output_cell(&table, tree.dimensions == 2 ? "%g" : "-", (double)tree.places[k][1]);
        }
    }
    output_table_print(&table);
}
