// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe verify`: measures a pack against its sources anew and prints what it found.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cli.h"
#include "compiler.h"
#include "output.h"

enum {
    OPTION_SEED = CLI_OPTION_FIRST,
    OPTION_SKELETON,
    OPTION_EVENTS,
    OPTION_STF_TANGENTS,
    OPTION_JSON,
};

static const struct option long_options[] = {
    {"seed", required_argument, NULL, OPTION_SEED},
    {"skeleton", required_argument, NULL, OPTION_SKELETON},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"stf-tangents", required_argument, NULL, OPTION_STF_TANGENTS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, CLI_OPTION_HELP},
    {0},
};

struct verify_command {
    struct verify_options options;
    const char *pack;
    const char *skeleton;  ///< pack that holds the skeleton, or null
    uint32_t idle_options; ///< given after the last source, which they do not apply to
    bool is_json;
};

/// Takes an argument that is no option: the pack, then its sources.
static void add_file(struct verify_command *command, struct compile_input *inputs,
                     const struct compile_input *current, const char *path)
{
    if (command->pack == NULL) {
        command->pack = path;
        return;
    }
    struct compile_input *const input = &inputs[command->options.input_count++];
    *input = *current;
    input->path = path;
    command->idle_options = 0;
}

/// Reads the command line in order, since some options apply to what follows them.
/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct arena *arena,
                          struct verify_command *command, enum troupe_exit *code)
{
    struct compile_input *const inputs = ARENA_NEW(arena, struct compile_input, (size_t)argc);
    struct compile_input current = {0};
    *code = TROUPE_EXIT_USAGE;
    command->options.inputs = inputs;
    command->options.seed = 1;
    opterr = 0;
    int option = 0;
    while ((option = getopt_long(argc, argv, "-:h", long_options, NULL)) != -1) {
        switch (option) {
        case 1: // not an option
            add_file(command, inputs, &current, optarg);
            break;
        case OPTION_SEED:
            if (!cli_parse_count(optarg, UINT64_MAX, &command->options.seed)) {
                cli_usage_error("verify", "--seed takes a number, not '%s'", optarg);
                return false;
            }
            break;
        case OPTION_SKELETON:
            command->skeleton = optarg;
            break;
        case OPTION_EVENTS:
            if (optarg[0] == '\0') {
                cli_usage_error("verify", "--events takes a file or none, not ''");
                return false;
            }
            current.events = strcmp(optarg, "none") == 0 ? NULL : optarg;
            command->idle_options |= cli_option_bit(option);
            break;
        case OPTION_STF_TANGENTS:
            if (!cli_parse_tangents(optarg, &current.is_stf_tangent_added)) {
                cli_usage_error("verify", "--stf-tangents takes negated or added, not '%s'",
                                optarg);
                return false;
            }
            command->idle_options |= cli_option_bit(option);
            break;
        case OPTION_JSON:
            command->is_json = true;
            break;
        default:
            *code = cli_option_other("verify", option, argv);
            return false;
        }
    }
    for (; optind < argc; optind++) { // after "--"
        add_file(command, inputs, &current, argv[optind]);
    }
    if (command->options.input_count == 0) {
        cli_usage_error("verify", "a pack and its sources, please");
        return false;
    }
    *code = TROUPE_EXIT_OK;
    return true;
}

static void print_json(const struct verify_clip *clips, uint32_t count, bool ok)
{
    json_t *const array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *const clip = json_object();
        json_object_set_new(clip, "name", output_string(clips[i].name));
        json_object_set_new(clip, "max_error_keys_mm", output_real(clips[i].max_error_keys_mm));
        json_object_set_new(clip, "max_error_mm", output_real(clips[i].max_error_mm));
        json_object_set_new(clip, "at_joint", output_string(clips[i].at_joint));
        json_object_set_new(clip, "at_time_s", output_real(clips[i].at_time_s));
        json_object_set_new(clip, "budget_mm", output_real(clips[i].budget_mm));
        json_object_set_new(clip, "max_value_error", output_real(clips[i].max_value_error));
        json_object_set_new(clip, "at_property", output_string(clips[i].at_property));
        json_object_set_new(clip, "wrong_events", json_integer(clips[i].wrong_event_count));
        json_object_set_new(clip, "event_problem", output_string(clips[i].event_problem));
        json_array_append_new(array, clip);
    }
    json_t *const object = output_json("verify");
    json_object_set_new(object, "ok", json_boolean(ok));
    json_object_set_new(object, "clips", array);
    output_json_print(object);
}

static bool is_over_budget(const struct verify_clip *clip)
{
    return !(clip->max_error_mm <= clip->budget_mm && clip->max_value_error <= 1);
}

static void print_table(const struct verify_clip *clips, uint32_t count)
{
    static const char *const headings[] = {
        "<clip",     "keys mm",   "max mm", "budget mm",    "<",
        "<at joint", "at second", "values", "<at property",
    };
    struct output_table table = {.headings = headings, .column_count = 9};
    for (uint32_t i = 0; i < count; i++) {
        output_cell(&table, "%s", clips[i].name);
        output_cell(&table, "%.5f", clips[i].max_error_keys_mm);
        output_cell(&table, "%.5f", clips[i].max_error_mm);
        output_cell(&table, "%g", clips[i].budget_mm);
        output_cell(&table, "%s", is_over_budget(&clips[i]) ? "OVER" : "ok");
        output_cell(&table, "%s", clips[i].at_joint);
        output_cell(&table, "%.6f", clips[i].at_time_s);
        output_cell(&table, "%.4f", clips[i].max_value_error);
        output_cell(&table, "%s", clips[i].at_property);
    }
    output_table_print(&table);
}

/// Reports what verify_pack found wrong with clips.
static void report_clips(const struct verify_clip *clips, uint32_t count, struct report *report)
{
    bool is_over = false;
    for (uint32_t i = 0; i < count; i++) {
        char others[48] = "";
        is_over = is_over || is_over_budget(&clips[i]);
        if (clips[i].wrong_event_count > 1) {
            snprintf(others, sizeof others, " (and %u more)", clips[i].wrong_event_count - 1);
        }
        if (clips[i].wrong_event_count > 0) {
            report_error(report, TROUPE_EXIT_BUDGET, clips[i].name, "verify.events", "%s%s",
                         clips[i].event_problem, others);
        }
    }
    if (is_over) {
        report_error(report, TROUPE_EXIT_BUDGET, NULL, "verify.budget",
                     "a clip is further from its source than its budget or tolerance allows");
    }
}

static void verify(const struct verify_command *command, const struct cli_pack *pack,
                   struct report *report)
{
    struct verify_clip *clips = NULL;
    uint32_t count = 0;
    bool ok = false;
    if (!verify_pack(&command->options, pack->bytes, pack->size_bytes, &clips, &count, &ok,
                     report)) {
        return;
    }
    if (command->is_json) {
        print_json(clips, count, ok);
    } else {
        print_table(clips, count);
    }
    report->file = command->pack;
    report_clips(clips, count, report);
    free(clips);
}

/// Reads the skeleton that `troupe compile --skeleton` takes from a pack: the first.
static bool read_skeleton(const char *path, struct cli_pack *pack, trp_skeleton *skeleton,
                          struct report *report)
{
    if (!cli_pack_read(path, pack, report)) {
        return false;
    }
    return trp_pack_skeleton(&pack->pack, 0, skeleton) == TRP_OK ||
           report_error(report, TROUPE_EXIT_INPUT, NULL, "verify.skeleton",
                        "the pack holds no skeleton");
}

enum troupe_exit cli_verify(int argc, char **argv)
{
    struct arena arena = {0};
    struct verify_command command = {0};
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (parse_command(argc, argv, &arena, &command, &code)) {
        struct report report = {.out = stderr};
        cli_warn_idle(&report, "verify", long_options, command.idle_options,
                      "it applies to sources after it");
        struct cli_pack pack = {0};
        struct cli_pack other = {0};
        trp_skeleton skeleton;
        if ((command.skeleton == NULL ||
             read_skeleton(command.skeleton, &other, &skeleton, &report)) &&
            cli_pack_read(command.pack, &pack, &report)) {
            command.options.skeleton = command.skeleton != NULL ? &skeleton : NULL;
            verify(&command, &pack, &report);
        }
        cli_pack_free(&pack);
        cli_pack_free(&other);
        code = report.error_count > 0 ? report.exit_code : TROUPE_EXIT_OK;
    }
    arena_free(&arena);
    return code;
}
