// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe sample`: poses and property values of a clip, or the pose of an instance, as numbers,
// made by the runtime as a game would.
#include <getopt.h>
#include <string.h>

#include "arena.h"
#include "cli.h"
#include "output.h"

struct sample_command {
    const char *pack;
    const char *skeleton; ///< pack that holds the skeleton, or null
    const char *clip;     ///< null: the instance as it stands
    const char *instance; ///< that the clip plays on, or null
    const char *joint;    ///< name or id, or null
    const char *property; ///< path or label, or null; with neither, all of both
    double *times;
    uint32_t time_count;
    bool is_model;
    bool is_json;
};

/// What is sampled. Skeleton and set are zero where there are no joints or no values.
struct subject {
    bool has_clip;
    trp_clip clip; ///< zero without
    trp_skeleton skeleton;
    trp_property_set set;
    const trp_pose_block *base; ///< what the clip plays over: rest, or the pose of the instance
    const char *instance;       ///< its name, or null
    const bool *is_bone;        ///< [joint_count] of the instance; null without one
};

/// One time, sampled: joints in their order, values in that of the set.
struct sampled {
    double time_s;
    trp_joint_transform *joints; ///< null in model space
    float (*models)[12];         ///< null in local space
    float *values;
    trp_root_delta root; ///< since the start of the clip
};

enum {
    OPTION_CLIP = 256,
    OPTION_INSTANCE,
    OPTION_TIME,
    OPTION_SPACE,
    OPTION_JOINT,
    OPTION_PROPERTY,
    OPTION_SKELETON,
    OPTION_JSON,
};

/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct sample_command *command,
                          enum troupe_exit *code)
{
    static const struct option long_options[] = {
        {"clip", required_argument, NULL, OPTION_CLIP},
        {"instance", required_argument, NULL, OPTION_INSTANCE},
        {"time", required_argument, NULL, OPTION_TIME},
        {"space", required_argument, NULL, OPTION_SPACE},
        {"joint", required_argument, NULL, OPTION_JOINT},
        {"property", required_argument, NULL, OPTION_PROPERTY},
        {"skeleton", required_argument, NULL, OPTION_SKELETON},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, CLI_OPTION_HELP},
        {0},
    };
    *code = TROUPE_EXIT_USAGE;
    opterr = 0;
    int option = 0;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_CLIP:
            command->clip = optarg;
            break;
        case OPTION_INSTANCE:
            command->instance = optarg;
            break;
        case OPTION_TIME:
            if (!cli_parse_number(optarg, &command->times[command->time_count])) {
                cli_usage_error("sample", "--time takes seconds, not '%s'", optarg);
                return false;
            }
            command->time_count++;
            break;
        case OPTION_SPACE:
            command->is_model = strcmp(optarg, "model") == 0;
            if (!command->is_model && strcmp(optarg, "local") != 0) {
                cli_usage_error("sample", "--space is local or model, not '%s'", optarg);
                return false;
            }
            break;
        case OPTION_JOINT:
            command->joint = optarg;
            break;
        case OPTION_PROPERTY:
            command->property = optarg;
            break;
        case OPTION_SKELETON:
            command->skeleton = optarg;
            break;
        case OPTION_JSON:
            command->is_json = true;
            break;
        default:
            *code = cli_option_other("sample", option, argv);
            return false;
        }
    }
    if (argc - optind != 1) {
        cli_usage_error("sample", "one pack, please");
        return false;
    }
    if (command->clip == NULL && command->instance == NULL) {
        cli_usage_error("sample", "no clip, give --clip NAME, or --instance NAME");
        return false;
    }
    if (command->clip == NULL && command->time_count > 0) {
        cli_usage_error("sample", "--time is of a clip, give --clip NAME");
        return false;
    }
    command->pack = argv[optind];
    command->time_count += command->time_count == 0; // the array holds zeros
    *code = TROUPE_EXIT_OK;
    return true;
}

/// Finds a skeleton that fits the clip; a clip without joints needs none.
/// @param other the pack of --skeleton, or null
static bool find_skeleton(const struct cli_pack *pack, const struct cli_pack *other,
                          struct subject *subject, struct report *report)
{
    trp_skeleton *const skeleton = &subject->skeleton;
    if (subject->clip.block_count == 0) {
        return true;
    }
    if (other == NULL &&
        trp_pack_skeleton(&pack->pack, subject->clip.skeleton_index, skeleton) == TRP_OK) {
        return true;
    }
    for (uint32_t i = 0; other != NULL && i < other->pack.skeleton_count; i++) {
        trp_pack_skeleton(&other->pack, i, skeleton);
        if (trp_clip_bind(&subject->clip, skeleton) == TRP_OK) {
            return true;
        }
    }
    return report_error(report, TROUPE_EXIT_INPUT, NULL, "cli.skeleton", "%s",
                        other != NULL ? "no skeleton there fits the clip"
                                      : "the skeleton of the clip lies elsewhere, give --skeleton");
}

/// Tells joints that are bones of an instance from those of others on the same skeleton.
static const bool *find_bones(const trp_instance *instance, const trp_skeleton *skeleton,
                              struct arena *arena)
{
    bool *const is_bone = ARENA_NEW(arena, bool, skeleton->joint_count);
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const uint16_t lane = instance->lane_of_bone[bone];
        const uint16_t joint = lane != TRP_NO_LANE ? skeleton->joint_of_lane[lane] : TRP_NO_LANE;
        if (joint != TRP_NO_LANE) {
            is_bone[joint] = true;
        }
    }
    return is_bone;
}

/// Finds the instance that the clip plays on, and with it the skeleton.
/// @param holder the pack that it lies in
static bool find_instance(const char *name, const struct cli_pack *holder, struct arena *arena,
                          struct subject *subject, struct report *report)
{
    trp_instance instance;
    if (!cli_instance_find(holder, name, &instance, report)) {
        return false;
    }
    trp_pack_skeleton(&holder->pack, instance.skeleton_index, &subject->skeleton);
    subject->base = instance.pose;
    subject->instance = instance.name;
    subject->is_bone = find_bones(&instance, &subject->skeleton, arena);
    trp_result result = TRP_OK;
    if (subject->clip.block_count > 0) {
        result = trp_clip_bind(&subject->clip, &subject->skeleton);
        if (result == TRP_OK && !(subject->clip.flags & TRP_CLIP_ADDITIVE)) {
            result = trp_clip_bind_instance(&subject->clip, &instance);
        }
    }
    return result == TRP_OK ||
           report_error(report, TROUPE_EXIT_INPUT, subject->clip.name, "cli.instance",
                        "the clip is for other joints than those of instance '%s'", name);
}

static bool find_subject(const struct sample_command *command, const struct cli_pack *pack,
                         const struct cli_pack *other, struct arena *arena, struct subject *subject,
                         struct report *report)
{
    subject->has_clip = command->clip != NULL;
    subject->clip.property_set_index = TRP_NONE;
    if (subject->has_clip && !cli_clip_find(pack, command->clip, &subject->clip, report)) {
        return false;
    }
    if (command->instance != NULL) {
        if (!find_instance(command->instance, other != NULL ? other : pack, arena, subject,
                           report)) {
            return false;
        }
    } else {
        if (!find_skeleton(pack, other, subject, report)) {
            return false;
        }
        subject->base = subject->skeleton.rest;
    }
    if (subject->clip.property_set_index != TRP_NONE) {
        trp_pack_property_set(&pack->pack, subject->clip.property_set_index, &subject->set);
    }
    return true;
}

/// Whether a joint is to be shown: all of the instance are, unless joints or properties are asked
/// for by name.
static bool is_joint_wanted(const struct sample_command *command, const struct subject *subject,
                            uint32_t joint)
{
    if (subject->is_bone != NULL && !subject->is_bone[joint]) {
        return false;
    }
    if (command->joint == NULL) {
        return command->property == NULL;
    }
    const char *const id = trp_skeleton_joint_id(&subject->skeleton, joint);
    return strcmp(trp_skeleton_joint_name(&subject->skeleton, joint), command->joint) == 0 ||
           (id[0] != '\0' && strcmp(id, command->joint) == 0);
}

static bool has_joint(const struct sample_command *command, const struct subject *subject,
                      struct arena *arena, struct report *report)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    const char **const names = ARENA_NEW(arena, const char *, skeleton->joint_count);
    uint32_t count = 0;
    bool is_there = command->joint == NULL;
    for (uint32_t joint = 0; joint < skeleton->joint_count && !is_there; joint++) {
        is_there = is_joint_wanted(command, subject, joint);
        if (subject->is_bone == NULL || subject->is_bone[joint]) {
            names[count++] = trp_skeleton_joint_name(skeleton, joint);
        }
    }
    if (!is_there) {
        cli_unknown_name(report, "joint", command->joint, names, count);
    }
    return is_there;
}

/// Whether a property, or one of its values, is called so.
static bool is_called(const trp_property_set *set, const trp_property *property, const char *name)
{
    bool is_so = strcmp(property->path, name) == 0;
    for (uint32_t i = 0; i < property->value_count && !is_so; i++) {
        is_so = strcmp(trp_property_set_label(set, property->first_value + i), name) == 0;
    }
    return is_so;
}

static bool has_property(const trp_property_set *set, const char *name, struct report *report)
{
    if (name == NULL) {
        return true;
    }
    struct arena arena = {0};
    const char **const names =
        ARENA_NEW(&arena, const char *, (size_t)set->property_count + set->value_count);
    uint32_t count = 0;
    bool is_there = false;
    for (uint32_t i = 0; i < set->property_count && !is_there; i++) {
        trp_property property;
        trp_property_set_property(set, i, &property);
        is_there = is_called(set, &property, name);
        names[count++] = property.path;
    }
    for (uint32_t value = 0; value < set->value_count && !is_there; value++) {
        const char *const label = trp_property_set_label(set, value);
        names[count] = label;
        count += label[0] != '\0';
    }
    if (!is_there) {
        cli_unknown_name(report, "property", name, names, count);
    }
    arena_free(&arena);
    return is_there;
}

/// Puts the differences of an additive clip on what it plays over and on the defaults.
/// @param pose null where the clip has no joints
static trp_result apply_to_base(const struct subject *subject, trp_pose_block *pose, float *values)
{
    const trp_blend_layer layers[] = {
        {.pose = subject->base, .weight = 1},
        {.pose = pose, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    const trp_blend_job job = {.layers = layers, .layer_count = 2, .pose = pose};
    const trp_blend_args args = {.skeleton = &subject->skeleton, .jobs = &job, .job_count = 1};
    const trp_value_layer value_layers[] = {
        {.values = subject->set.defaults, .weight = 1},
        {.values = values, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    const trp_value_blend_job value_job = {
        .layers = value_layers,
        .layer_count = 2,
        .values = values,
    };
    const trp_value_blend_args value_args = {
        .set = &subject->set,
        .jobs = &value_job,
        .job_count = 1,
    };
    const trp_result result = pose != NULL ? trp_blend(&args, NULL) : TRP_OK;
    return result == TRP_OK && values != NULL ? trp_blend_values(&value_args, NULL) : result;
}

static trp_result compute_models(struct arena *arena, const trp_skeleton *skeleton,
                                 const trp_pose_block *pose, float (*models)[12])
{
    float(*const by_lane)[12] = arena_take(arena, skeleton->lane_count, sizeof *by_lane);
    const size_t scratch_bytes = trp_model_scratch_bytes(skeleton);
    const trp_model_args args = {
        .skeleton = skeleton,
        .poses = &pose,
        .instance_count = 1,
        .models = by_lane[0],
        .scratch = arena_take(arena, scratch_bytes, 1),
        .scratch_bytes = scratch_bytes,
    };
    const trp_result result = trp_model(&args);
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        memcpy(models[joint], by_lane[skeleton->lane_of_joint[joint]], sizeof *models);
    }
    return result;
}

/// Samples the clip at one time.
/// @param pose null where the clip has no joints
static trp_result sample_clip(struct arena *arena, const struct subject *subject, bool is_model,
                              trp_pose_block *pose, struct sampled *sampled)
{
    const trp_sample_request request = {
        .clip = &subject->clip,
        .time_s = sampled->time_s,
        .pose = pose,
        .values = sampled->values,
    };
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = arena_take(arena, args.scratch_bytes, 1);
    trp_result result = trp_sample(&args, NULL);
    if (result == TRP_OK) {
        result = cli_root_motion_until(&subject->clip, sampled->time_s, &sampled->root);
    }
    if (result == TRP_OK && is_model && (subject->clip.flags & TRP_CLIP_ADDITIVE)) {
        result = apply_to_base(subject, pose, sampled->values);
    }
    return result;
}

static trp_result sample_one(struct arena *arena, const struct subject *subject, bool is_model,
                             struct sampled *sampled)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    trp_pose_block *pose = NULL;
    if (skeleton->block_count > 0) {
        pose = ARENA_NEW(arena, trp_pose_block, skeleton->block_count);
        memcpy(pose, subject->base, skeleton->block_count * sizeof *pose);
    }
    if (subject->set.value_count > 0 || pose == NULL) { // one of the two is needed
        sampled->values = ARENA_NEW(arena, float, subject->set.value_count);
    }
    if (subject->has_clip) {
        trp_pose_block *const clip_pose = subject->clip.block_count > 0 ? pose : NULL;
        const trp_result result = sample_clip(arena, subject, is_model, clip_pose, sampled);
        if (result != TRP_OK) {
            return result;
        }
    }
    if (pose == NULL) {
        return TRP_OK;
    }
    if (is_model) {
        sampled->models = arena_take(arena, skeleton->joint_count, sizeof *sampled->models);
        return compute_models(arena, skeleton, pose, sampled->models);
    }
    sampled->joints = ARENA_NEW(arena, trp_joint_transform, skeleton->joint_count);
    return trp_pose_to_joints(skeleton, pose, 0, sampled->joints);
}

/// Whether a property is to be shown: layers only if asked for, as no clip moves them.
static bool is_property_wanted(const struct sample_command *command, const trp_property_set *set,
                               const trp_property *property)
{
    return command->property != NULL ? is_called(set, property, command->property)
                                     : command->joint == NULL && !cli_property_is_layer(property);
}

static json_t *describe_joint(const trp_skeleton *skeleton, uint32_t joint,
                              const struct sampled *sampled)
{
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(trp_skeleton_joint_name(skeleton, joint)));
    json_object_set_new(object, "id", output_string(trp_skeleton_joint_id(skeleton, joint)));
    json_object_set_new(object, "node", json_integer(skeleton->node_of_joint[joint]));
    if (sampled->models != NULL) {
        json_object_set_new(object, "model", output_floats(sampled->models[joint], 12));
    } else {
        const trp_joint_transform *const local = &sampled->joints[joint];
        json_object_set_new(object, "translation", output_floats(local->translation, 3));
        json_object_set_new(object, "rotation", output_floats(local->rotation, 4));
        json_object_set_new(object, "scale", output_floats(local->scale, 3));
    }
    return object;
}

static json_t *describe_joints(const struct sample_command *command, const struct subject *subject,
                               const struct sampled *sampled)
{
    json_t *const joints = json_array();
    for (uint32_t joint = 0; joint < subject->skeleton.joint_count; joint++) {
        if (is_joint_wanted(command, subject, joint)) {
            json_array_append_new(joints, describe_joint(&subject->skeleton, joint, sampled));
        }
    }
    return joints;
}

static json_t *describe_properties(const struct sample_command *command,
                                   const struct subject *subject, const struct sampled *sampled)
{
    json_t *const properties = json_array();
    for (uint32_t i = 0; i < subject->set.property_count; i++) {
        trp_property property;
        trp_property_set_property(&subject->set, i, &property);
        if (is_property_wanted(command, &subject->set, &property)) {
            json_t *const object = cli_describe_property(&subject->set, &property);
            if (json_object_get(object, "property") != NULL) {
                json_object_set_new(object, "value",
                                    cli_value_json(&subject->set, &property, sampled->values,
                                                   property.first_value));
            }
            json_object_set_new(object, "values",
                                cli_values_json(&subject->set, &property, sampled->values));
            json_array_append_new(properties, object);
        }
    }
    return properties;
}

static bool has_root_motion(const struct subject *subject)
{
    trp_root_motion root_motion;
    return subject->has_clip && trp_clip_root_motion(&subject->clip, &root_motion) == TRP_OK;
}

/// Returns a string, or null where there is none.
static json_t *string_or_null(const char *text)
{
    return text != NULL ? output_string(text) : json_null();
}

static void print_json(const struct sample_command *command, const struct subject *subject,
                       const struct sampled *sampled)
{
    json_t *const samples = json_array();
    for (uint32_t i = 0; i < command->time_count; i++) {
        json_t *const sample = json_object();
        json_object_set_new(sample, "clip", string_or_null(subject->clip.name));
        json_object_set_new(sample, "instance", string_or_null(subject->instance));
        json_object_set_new(sample, "time_s", output_real(sampled[i].time_s));
        json_object_set_new(sample, "joints", describe_joints(command, subject, &sampled[i]));
        json_object_set_new(sample, "properties",
                            describe_properties(command, subject, &sampled[i]));
        json_object_set_new(sample, "root",
                            has_root_motion(subject) ? cli_root_delta_json(&sampled[i].root)
                                                     : json_null());
        json_array_append_new(samples, sample);
    }
    json_t *const object = output_json("sample");
    json_object_set_new(object, "space", json_string(command->is_model ? "model" : "local"));
    json_object_set_new(object, "samples", samples);
    output_json_print(object);
}

static void print_cells(struct output_table *table, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        output_cell(table, "%.6f", (double)values[i]);
    }
}

static bool has_ids(const trp_skeleton *skeleton)
{
    uint32_t joint = 0;
    while (joint < skeleton->joint_count && trp_skeleton_joint_id(skeleton, joint)[0] == '\0') {
        joint++;
    }
    return joint < skeleton->joint_count;
}

static void print_joints(const struct sample_command *command, const struct subject *subject,
                         const struct sampled *sampled)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    static const char *const local_headings[] = {
        "<id", "<joint", "node", "tx", "ty", "tz", "qx", "qy", "qz", "qw", "sx", "sy", "sz",
    };
    static const char *const model_headings[] = {
        "<id", "<joint", "node", "m00", "m01", "m02", "m03", "m10",
        "m11", "m12",    "m13",  "m20", "m21", "m22", "m23",
    };
    const bool shows_ids = has_ids(skeleton);
    struct output_table table = {
        .headings = (command->is_model ? model_headings : local_headings) + !shows_ids,
        .column_count = (command->is_model ? 14 : 12) + shows_ids,
    };
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        if (!is_joint_wanted(command, subject, joint)) {
            continue;
        }
        if (shows_ids) {
            output_cell(&table, "%s", trp_skeleton_joint_id(skeleton, joint));
        }
        output_cell(&table, "%s", trp_skeleton_joint_name(skeleton, joint));
        output_cell(&table, "%u", skeleton->node_of_joint[joint]);
        if (command->is_model) {
            print_cells(&table, sampled->models[joint], 12);
        } else {
            print_cells(&table, sampled->joints[joint].translation, 3);
            print_cells(&table, sampled->joints[joint].rotation, 4);
            print_cells(&table, sampled->joints[joint].scale, 3);
        }
    }
    output_table_print(&table);
}

/// Prints one line for each value: sets may hold hundreds of morph weights side by side.
static void print_properties(const struct sample_command *command, const trp_property_set *set,
                             const struct sampled *sampled)
{
    static const char *const headings[] = {"<property", "#", "<label", "value"};
    struct output_table table = {.headings = headings, .column_count = 4};
    for (uint32_t i = 0; i < set->property_count; i++) {
        trp_property property;
        trp_property_set_property(set, i, &property);
        if (!is_property_wanted(command, set, &property)) {
            continue;
        }
        for (uint32_t j = 0; j < property.value_count; j++) {
            const uint32_t value = property.first_value + j;
            output_cell(&table, "%s", j == 0 ? property.path : "");
            output_cell(&table, "%u", j);
            output_cell(&table, "%s", trp_property_set_label(set, value));
            if (property.type == TRP_PROPERTY_STRING) {
                output_cell(&table, "%s", trp_property_set_text(set, sampled->values[value]));
            } else {
                output_cell(&table, "%.9g", (double)sampled->values[value]);
            }
        }
    }
    output_table_print(&table);
}

static void print_title(const struct subject *subject, double time_s)
{
    if (!subject->has_clip) {
        output_line("%s as its file poses it", subject->instance);
    } else if (subject->instance != NULL) {
        output_line("%s on %s at %.9g s", subject->clip.name, subject->instance, time_s);
    } else {
        output_line("%s at %.9g s", subject->clip.name, time_s);
    }
}

static void print_tables(const struct sample_command *command, const struct subject *subject,
                         const struct sampled *sampled)
{
    const bool shows_joints =
        subject->skeleton.joint_count > 0 && (command->joint != NULL || command->property == NULL);
    const bool shows_properties =
        subject->set.value_count > 0 && (command->property != NULL || command->joint == NULL);
    for (uint32_t i = 0; i < command->time_count; i++) {
        print_title(subject, sampled[i].time_s);
        if (has_root_motion(subject)) {
            const trp_root_delta *const root = &sampled[i].root;
            output_line("root motion %.6f %.6f %.6f, yaw %.6f rad", root->translation[0],
                        root->translation[1], root->translation[2], root->yaw_rad);
        }
        if (shows_joints) {
            print_joints(command, subject, &sampled[i]);
        }
        if (shows_properties) {
            print_properties(command, &subject->set, &sampled[i]);
        }
    }
}

static void sample(const struct sample_command *command, const struct cli_pack *pack,
                   const struct cli_pack *other, struct report *report)
{
    struct subject subject = {0};
    struct arena arena = {0};
    if (!find_subject(command, pack, other, &arena, &subject, report) ||
        !has_joint(command, &subject, &arena, report) ||
        !has_property(&subject.set, command->property, report)) {
        arena_free(&arena);
        return;
    }
    struct sampled *const sampled = ARENA_NEW(&arena, struct sampled, command->time_count);
    trp_result result = TRP_OK;
    for (uint32_t i = 0; i < command->time_count && result == TRP_OK; i++) {
        sampled[i].time_s = command->times[i];
        result = sample_one(&arena, &subject, command->is_model, &sampled[i]);
    }
    if (result != TRP_OK) {
        report_error(report, TROUPE_EXIT_INTERNAL, NULL, "cli.sample", "sampling failed with %s",
                     trp_result_name(result));
    } else if (command->is_json) {
        print_json(command, &subject, sampled);
    } else {
        print_tables(command, &subject, sampled);
    }
    arena_free(&arena);
}

enum troupe_exit cli_sample(int argc, char **argv)
{
    struct arena arena = {0};
    struct sample_command command = {.times = ARENA_NEW(&arena, double, (size_t)argc)};
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (parse_command(argc, argv, &command, &code)) {
        struct report report = {.out = stderr};
        struct cli_pack pack = {0};
        struct cli_pack other = {0};
        if ((command.skeleton == NULL || cli_pack_read(command.skeleton, &other, &report)) &&
            cli_pack_read(command.pack, &pack, &report)) {
            sample(&command, &pack, command.skeleton != NULL ? &other : NULL, &report);
        }
        cli_pack_free(&pack);
        cli_pack_free(&other);
        code = report.error_count > 0 ? report.exit_code : TROUPE_EXIT_OK;
    }
    arena_free(&arena);
    return code;
}
