// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe sample`: poses of a clip as numbers, made by the runtime as a game would.
#include <getopt.h>
#include <string.h>

#include "arena.h"
#include "cli.h"
#include "output.h"

struct sample_command {
    const char *pack;
    const char *skeleton; ///< pack that holds the skeleton, or null
    const char *clip;
    const char *joint; ///< or null for all
    double *times;
    uint32_t time_count;
    bool is_model;
    bool is_json;
};

/// One time, sampled: everything in joint order.
struct sampled {
    double time_s;
    trp_joint_transform *joints; ///< null in model space
    float (*models)[12];         ///< null in local space
};

enum { OPTION_CLIP = 256, OPTION_TIME, OPTION_SPACE, OPTION_JOINT, OPTION_SKELETON, OPTION_JSON };

/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct sample_command *command,
                          enum troupe_exit *code)
{
    static const struct option long_options[] = {
        {"clip", required_argument, NULL, OPTION_CLIP},
        {"time", required_argument, NULL, OPTION_TIME},
        {"space", required_argument, NULL, OPTION_SPACE},
        {"joint", required_argument, NULL, OPTION_JOINT},
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
    if (command->clip == NULL) {
        cli_usage_error("sample", "no clip, give --clip NAME");
        return false;
    }
    command->pack = argv[optind];
    command->time_count += command->time_count == 0; // the array holds zeros
    *code = TROUPE_EXIT_OK;
    return true;
}

/// Finds the clip and a skeleton that fits it.
/// @param other the pack of --skeleton, or null
static bool find_clip(const struct sample_command *command, const struct cli_pack *pack,
                      const struct cli_pack *other, trp_clip *clip, trp_skeleton *skeleton,
                      struct report *report)
{
    if (!cli_clip_find(pack, command->clip, clip, report)) {
        return false;
    }
    if (other == NULL && trp_pack_skeleton(&pack->pack, clip->skeleton_index, skeleton) == TRP_OK) {
        return true;
    }
    for (uint32_t i = 0; other != NULL && i < other->pack.skeleton_count; i++) {
        trp_pack_skeleton(&other->pack, i, skeleton);
        if (trp_clip_bind(clip, skeleton) == TRP_OK) {
            return true;
        }
    }
    return report_error(report, TROUPE_EXIT_INPUT, NULL, "cli.skeleton", "%s",
                        other != NULL ? "no skeleton there fits the clip"
                                      : "the skeleton of the clip lies elsewhere, give --skeleton");
}

static bool has_joint(const trp_skeleton *skeleton, const char *name, struct report *report)
{
    if (name == NULL || trp_skeleton_find_joint(skeleton, trp_name_hash(name)) != TRP_NONE) {
        return true;
    }
    struct arena arena = {0};
    const char **const names = ARENA_NEW(&arena, const char *, skeleton->joint_count);
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        names[joint] = trp_skeleton_joint_name(skeleton, joint);
    }
    cli_unknown_name(report, "joint", name, names, skeleton->joint_count);
    arena_free(&arena);
    return false;
}

/// Puts the differences of an additive clip on the rest pose.
static trp_result apply_to_rest(const trp_skeleton *skeleton, trp_pose_block *pose)
{
    const trp_blend_layer layers[] = {
        {.pose = skeleton->rest, .weight = 1},
        {.pose = pose, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    const trp_blend_job job = {.layers = layers, .layer_count = 2, .pose = pose};
    const trp_blend_args args = {.skeleton = skeleton, .jobs = &job, .job_count = 1};
    return trp_blend(&args, NULL);
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

static trp_result sample_one(struct arena *arena, const trp_clip *clip,
                             const trp_skeleton *skeleton, bool is_model, struct sampled *sampled)
{
    trp_pose_block *const pose = ARENA_NEW(arena, trp_pose_block, skeleton->block_count);
    const trp_sample_request request = {.clip = clip, .time_s = sampled->time_s, .pose = pose};
    trp_sample_args args = {.requests = &request, .request_count = 1};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = arena_take(arena, args.scratch_bytes, 1);
    trp_result result = trp_sample(&args, NULL);
    if (result != TRP_OK) {
        return result;
    }
    if (!is_model) {
        sampled->joints = ARENA_NEW(arena, trp_joint_transform, skeleton->joint_count);
        return trp_pose_to_joints(skeleton, pose, 0, sampled->joints);
    }
    if (clip->flags & TRP_CLIP_ADDITIVE) {
        result = apply_to_rest(skeleton, pose);
    }
    sampled->models = arena_take(arena, skeleton->joint_count, sizeof *sampled->models);
    return result != TRP_OK ? result : compute_models(arena, skeleton, pose, sampled->models);
}

static bool is_wanted(const trp_skeleton *skeleton, uint32_t joint, const char *name)
{
    return name == NULL || strcmp(trp_skeleton_joint_name(skeleton, joint), name) == 0;
}

static json_t *describe_joint(const trp_skeleton *skeleton, uint32_t joint,
                              const struct sampled *sampled)
{
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(trp_skeleton_joint_name(skeleton, joint)));
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

static void print_json(const struct sample_command *command, const trp_clip *clip,
                       const trp_skeleton *skeleton, const struct sampled *sampled)
{
    json_t *const samples = json_array();
    for (uint32_t i = 0; i < command->time_count; i++) {
        json_t *const joints = json_array();
        for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
            if (is_wanted(skeleton, joint, command->joint)) {
                json_array_append_new(joints, describe_joint(skeleton, joint, &sampled[i]));
            }
        }
        json_t *const sample = json_object();
        json_object_set_new(sample, "clip", output_string(clip->name));
        json_object_set_new(sample, "time_s", output_real(sampled[i].time_s));
        json_object_set_new(sample, "joints", joints);
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

static void print_tables(const struct sample_command *command, const trp_clip *clip,
                         const trp_skeleton *skeleton, const struct sampled *sampled)
{
    static const char *const local_headings[] = {
        "<joint", "node", "tx", "ty", "tz", "qx", "qy", "qz", "qw", "sx", "sy", "sz",
    };
    static const char *const model_headings[] = {
        "<joint", "node", "m00", "m01", "m02", "m03", "m10",
        "m11",    "m12",  "m13", "m20", "m21", "m22", "m23",
    };
    for (uint32_t i = 0; i < command->time_count; i++) {
        struct output_table table = {
            .headings = command->is_model ? model_headings : local_headings,
            .column_count = command->is_model ? 14 : 12,
        };
        for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
            if (!is_wanted(skeleton, joint, command->joint)) {
                continue;
            }
            output_cell(&table, "%s", trp_skeleton_joint_name(skeleton, joint));
            output_cell(&table, "%u", skeleton->node_of_joint[joint]);
            if (command->is_model) {
                print_cells(&table, sampled[i].models[joint], 12);
            } else {
                print_cells(&table, sampled[i].joints[joint].translation, 3);
                print_cells(&table, sampled[i].joints[joint].rotation, 4);
                print_cells(&table, sampled[i].joints[joint].scale, 3);
            }
        }
        output_line("%s at %.9g s", clip->name, sampled[i].time_s);
        output_table_print(&table);
    }
}

static void sample(const struct sample_command *command, const struct cli_pack *pack,
                   const struct cli_pack *other, struct report *report)
{
    trp_clip clip;
    trp_skeleton skeleton;
    if (!find_clip(command, pack, other, &clip, &skeleton, report) ||
        !has_joint(&skeleton, command->joint, report)) {
        return;
    }
    struct arena arena = {0};
    struct sampled *const sampled = ARENA_NEW(&arena, struct sampled, command->time_count);
    trp_result result = TRP_OK;
    for (uint32_t i = 0; i < command->time_count && result == TRP_OK; i++) {
        sampled[i].time_s = command->times[i];
        result = sample_one(&arena, &clip, &skeleton, command->is_model, &sampled[i]);
    }
    if (result != TRP_OK) {
        report_error(report, TROUPE_EXIT_INTERNAL, NULL, "cli.sample", "sampling failed with %s",
                     trp_result_name(result));
    } else if (command->is_json) {
        print_json(command, &clip, &skeleton, sampled);
    } else {
        print_tables(command, &clip, &skeleton, sampled);
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
