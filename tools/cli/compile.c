// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe compile`: source files in, one pack out.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "cli.h"
#include "compiler.h"
#include "output.h"

/// The command line, read.
struct compile_command {
    struct compile_options options;
    struct compile_input *inputs;
    const char *output;
    const char *skeleton;
    const char *depfile;
    uint32_t idle_options;      // given after the last input, which they do not apply to
    uint32_t idle_root_options; // say how to take root motion, and no input has any since
    bool is_json;
    bool is_quiet;
    struct arena arena;
};

enum {
    OPTION_SKELETON = CLI_OPTION_FIRST,
    OPTION_NODES,
    OPTION_DEPFILE,
    OPTION_UNIT,
    OPTION_ERROR,
    OPTION_SHELL,
    OPTION_LOOP,
    OPTION_ADDITIVE,
    OPTION_EXACT,
    OPTION_TRIM,
    OPTION_EVENTS,
    OPTION_ROOT_MOTION,
    OPTION_ROOT_AXES,
    OPTION_ROOT_IN_POSE,
    OPTION_STF_TANGENTS,
    OPTION_JSON,
    OPTION_QUIET,
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"jobs", required_argument, NULL, 'j'},
    {"skeleton", required_argument, NULL, OPTION_SKELETON},
    {"nodes", required_argument, NULL, OPTION_NODES},
    {"depfile", required_argument, NULL, OPTION_DEPFILE},
    {"unit", required_argument, NULL, OPTION_UNIT},
    {"error", required_argument, NULL, OPTION_ERROR},
    {"shell", required_argument, NULL, OPTION_SHELL},
    {"loop", required_argument, NULL, OPTION_LOOP},
    {"additive", required_argument, NULL, OPTION_ADDITIVE},
    {"exact", optional_argument, NULL, OPTION_EXACT},
    {"trim", optional_argument, NULL, OPTION_TRIM},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"root-motion", required_argument, NULL, OPTION_ROOT_MOTION},
    {"root-axes", required_argument, NULL, OPTION_ROOT_AXES},
    {"root-in-pose", optional_argument, NULL, OPTION_ROOT_IN_POSE},
    {"stf-tangents", required_argument, NULL, OPTION_STF_TANGENTS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"help", no_argument, NULL, CLI_OPTION_HELP},
    {0},
};

/// Reads a number above zero, of a size that a pack's floats hold with its squares and ratios.
/// @return false where it is none.
static bool parse_positive(const char *text, double *value)
{
    double number = 0;
    if (!cli_parse_number(text, &number) || !(number >= 1e-9 && number <= 1e9)) {
        return false;
    }
    *value = number;
    return true;
}

/// Finds a word in a list.
/// @return its index, or -1.
static int parse_word(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

/// Reads a list of components of root motion, such as x,z,yaw.
/// @return false where something in it is none.
static bool parse_root_axes(const char *text, uint32_t *components)
{
    static const char *const axes[] = {"x", "y", "z", "yaw"}; // the order of TRP_ROOT_*
    uint32_t found = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        int axis = 0;
        while (axis < 4 &&
               !(strlen(axes[axis]) == length && strncmp(at, axes[axis], length) == 0)) {
            axis++;
        }
        if (axis == 4) {
            return false;
        }
        found |= 1u << axis;
        at += length;
        if (*at == '\0') {
            *components = found;
            return true;
        }
    }
}

/// Takes an option that applies to the inputs after it.
/// @param value null where none was given, which switches alone allow
/// @return false where its value is not one of those allowed.
static bool apply_input_option(struct compile_input *current, int option, const char *value)
{
    static const char *const switches[] = {"off", "on"};
    static const char *const loops[] = {"auto", "on", "off"};
    static const char *const nodes[] = {"joints", "attachments", "all"};
    int word = 0;
    switch (option) {
    case OPTION_UNIT:
        return parse_positive(value, &current->metres_per_unit);
    case OPTION_ERROR:
        return parse_positive(value, &current->error_mm);
    case OPTION_SHELL:
        return parse_positive(value, &current->shell_m);
    case OPTION_LOOP:
        word = parse_word(value, loops, 3);
        current->loop = word < 0 ? COMPILE_LOOP_AUTO : (enum compile_loop)word;
        return word >= 0;
    case OPTION_NODES:
        word = parse_word(value, nodes, 3);
        current->nodes = word < 0 ? COMPILE_NODES_JOINTS : (enum compile_nodes)word;
        return word >= 0;
    case OPTION_EXACT:
        word = value == NULL ? 1 : parse_word(value, switches, 2);
        current->is_exact_set = true;
        current->is_exact = word == 1;
        return word >= 0;
    case OPTION_TRIM:
        word = value == NULL ? 1 : parse_word(value, switches, 2);
        current->is_trimmed = word == 1;
        return word >= 0;
    case OPTION_ROOT_MOTION:
        current->root_joint = strcmp(value, "none") == 0 ? NULL : value;
        return value[0] != '\0';
    case OPTION_ROOT_AXES:
        return parse_root_axes(value, &current->root_components);
    case OPTION_ROOT_IN_POSE:
        word = value == NULL ? 1 : parse_word(value, switches, 2);
        current->is_root_in_pose = word == 1;
        return word >= 0;
    case OPTION_STF_TANGENTS:
        return cli_parse_tangents(value, &current->is_stf_tangent_added);
    case OPTION_EVENTS:
        current->events = strcmp(value, "none") == 0 ? NULL : value;
        return value[0] != '\0';
    default: // OPTION_ADDITIVE
        current->additive = strcmp(value, "none") == 0 ? NULL : value;
        return value[0] != '\0';
    }
}

static const char *option_name(int option)
{
    for (const struct option *at = long_options; at->name != NULL; at++) {
        if (at->val == option) {
            return at->name;
        }
    }
    return "";
}

/// Returns what apply_input_option takes.
static const char *option_values(int option)
{
    switch (option) {
    case OPTION_LOOP:
        return "auto, on or off";
    case OPTION_EXACT:
    case OPTION_TRIM:
    case OPTION_ROOT_IN_POSE:
        return "on or off";
    case OPTION_ROOT_MOTION:
        return "the name of a joint, the index of its node, or none";
    case OPTION_ROOT_AXES:
        return "a list of x, y, z and yaw";
    case OPTION_NODES:
        return "joints, attachments or all";
    case OPTION_ADDITIVE:
        return "the name of a clip, rest or none";
    case OPTION_EVENTS:
        return "a file or none";
    case OPTION_STF_TANGENTS:
        return "negated or added";
    default:
        return "a number from 1e-9 to 1e9";
    }
}

static void add_input(struct compile_command *command, const struct compile_input *current,
                      const char *path)
{
    struct compile_input *const input = &command->inputs[command->options.input_count++];
    *input = *current;
    input->path = path;
    command->idle_options = 0;
    if (input->root_joint != NULL) {
        command->idle_root_options = 0;
    }
}

/// Reads the command line in order, since options apply to what follows them.
/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct compile_command *command,
                          enum troupe_exit *code)
{
    command->inputs = ARENA_NEW(&command->arena, struct compile_input, (size_t)argc);
    command->options.inputs = command->inputs;
    struct compile_input current = {.error_mm = 0.1, .shell_m = 0.03};
    *code = TROUPE_EXIT_USAGE;
    opterr = 0;
    int option = 0;
    while ((option = getopt_long(argc, argv, "-:o:j:h", long_options, NULL)) != -1) {
        uint64_t count = 0;
        switch (option) {
        case 1: // not an option
            add_input(command, &current, optarg);
            break;
        case 'o':
            command->output = optarg;
            break;
        case 'j':
            if (!cli_parse_count(optarg, 1024, &count)) {
                cli_usage_error("compile", "--jobs takes a number from 0 to 1024, not '%s'",
                                optarg);
                return false;
            }
            command->options.job_count = (uint32_t)count;
            break;
        case OPTION_SKELETON:
            command->skeleton = optarg;
            break;
        case OPTION_DEPFILE:
            command->depfile = optarg;
            break;
        case OPTION_JSON:
            command->is_json = true;
            break;
        case OPTION_QUIET:
            command->is_quiet = true;
            break;
        case OPTION_UNIT:
        case OPTION_ERROR:
        case OPTION_SHELL:
        case OPTION_LOOP:
        case OPTION_NODES:
        case OPTION_ADDITIVE:
        case OPTION_EXACT:
        case OPTION_TRIM:
        case OPTION_EVENTS:
        case OPTION_ROOT_MOTION:
        case OPTION_ROOT_AXES:
        case OPTION_ROOT_IN_POSE:
        case OPTION_STF_TANGENTS:
            if (!apply_input_option(&current, option, optarg)) {
                cli_usage_error("compile", "--%s takes %s, not '%s'", option_name(option),
                                option_values(option), optarg);
                return false;
            }
            command->idle_options |= cli_option_bit(option);
            if (option == OPTION_ROOT_AXES || option == OPTION_ROOT_IN_POSE) {
                command->idle_root_options |= cli_option_bit(option);
            }
            break;
        default:
            *code = cli_option_other("compile", option, argv);
            return false;
        }
    }
    for (; optind < argc; optind++) { // after "--"
        add_input(command, &current, argv[optind]);
    }
    if (command->options.input_count == 0) {
        cli_usage_error("compile", "no input");
        return false;
    }
    if (command->output == NULL || command->output[0] == '\0') {
        cli_usage_error("compile", "no output, give -o OUT.trp");
        return false;
    }
    if (command->depfile != NULL &&
        (command->depfile[0] == '\0' || strcmp(command->depfile, command->output) == 0)) {
        cli_usage_error("compile", "--depfile takes a file of its own, not '%s'", command->depfile);
        return false;
    }
    *code = TROUPE_EXIT_OK;
    return true;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat a_status;
    struct stat b_status;
    return stat(a, &a_status) == 0 && stat(b, &b_status) == 0 &&
           a_status.st_dev == b_status.st_dev && a_status.st_ino == b_status.st_ino;
}

/// A Make rule in the making: the pack depends on everything that is read for it.
struct rule {
    FILE *stream;
    char *text;
    size_t size_bytes;
    const struct compile_command *command;
    const char *overwritten; // a file to write that was read too, or null
};

/// Writes a path as Make wants it.
static void write_make_path(FILE *stream, const char *path)
{
    for (const char *at = path; *at != '\0'; at++) {
        if (*at == '$') {
            fputc('$', stream);
        } else if (*at == ' ' || *at == '#' || *at == '\\') {
            fputc('\\', stream);
        }
        fputc(*at, stream);
    }
}

static void add_dependency(const char *path, void *user)
{
    struct rule *const rule = user;
    const char *const written[] = {rule->command->output, rule->command->depfile};
    for (uint32_t i = 0; i < 2; i++) {
        if (written[i] != NULL && is_same_file(written[i], path)) {
            rule->overwritten = written[i];
        }
    }
    fputs(" \\\n  ", rule->stream);
    write_make_path(rule->stream, path);
}

/// Writes the pack and the rule, or neither; never over what was read, be it a buffer of an input.
static bool write_files(const struct compile_command *command, const struct rule *rule,
                        const struct cli_pack *pack, struct report *report)
{
    if (rule->overwritten != NULL) {
        report->file = "troupe";
        return report_error(report, TROUPE_EXIT_USAGE, "compile", "cli.usage",
                            "'%s' is an input too", rule->overwritten);
    }
    if (command->depfile != NULL &&
        !file_write(command->depfile, rule->text, rule->size_bytes, report)) {
        return false;
    }
    if (!file_write(command->output, pack->bytes, pack->size_bytes, report)) {
        if (command->depfile != NULL) {
            unlink(command->depfile);
        }
        return false;
    }
    return true;
}

static void print_result(const struct compile_command *command, const struct cli_pack *pack,
                         uint32_t warning_count)
{
    if (command->is_json) {
        json_t *const object = output_json("compile");
        json_object_set_new(object, "output", output_string(command->output));
        json_object_set_new(object, "warnings", json_integer(warning_count));
        cli_describe_json(pack, object);
        output_json_print(object);
        return;
    }
    const struct cli_totals totals = cli_pack_totals(pack);
    char poses[96] = ""; // a pack of values alone has none to compare with
    if (totals.raw_bytes > 0) {
        snprintf(poses, sizeof poses, "; clips %.1f x smaller than raw, largest error %.3f mm",
                 (double)totals.raw_bytes / (double)totals.clip_bytes, totals.max_error_mm);
    }
    output_line("%s: %u clip%s, %zu bytes%s", command->output, pack->pack.clip_count,
                pack->pack.clip_count == 1 ? "" : "s", pack->size_bytes, poses);
}

/// Reads the pack whose skeleton the clips are for, where one is named.
static bool read_skeleton(struct compile_command *command, void **bytes, struct report *report)
{
    if (command->skeleton == NULL) {
        return true;
    }
    report->file = command->skeleton;
    const bool ok =
        file_read(command->skeleton, bytes, &command->options.skeleton_pack_bytes, report);
    command->options.skeleton_pack = *bytes;
    return ok;
}

/// Compiles, writes and prints.
static void compile(struct compile_command *command, struct rule *rule, struct report *report)
{
    void *skeleton_bytes = NULL;
    struct cli_pack pack = {0};
    if (!command->is_quiet && !command->is_json) {
        command->options.progress = output_progress;
    }
    write_make_path(rule->stream, command->output);
    fputc(':', rule->stream);
    if (command->skeleton != NULL) {
        add_dependency(command->skeleton, rule);
    }
    command->options.dependency = add_dependency;
    command->options.dependency_user = rule;
    bool ok = read_skeleton(command, &skeleton_bytes, report) &&
              compile_pack(&command->options, &pack.bytes, &pack.size_bytes, report);
    free(skeleton_bytes);
    fputc('\n', rule->stream);
    fflush(rule->stream); // sets text and size
    ok = ok && write_files(command, rule, &pack, report);
    report->file = command->output;
    if (ok && (command->is_json || !command->is_quiet) && cli_pack_open(&pack, report)) {
        print_result(command, &pack, report->warning_count);
    }
    cli_pack_free(&pack);
}

static enum troupe_exit run_command(struct compile_command *command)
{
    struct report report = {.out = stderr};
    cli_warn_idle(&report, "compile", long_options, command->idle_options,
                  "it applies to inputs after it");
    cli_warn_idle(&report, "compile", long_options,
                  command->idle_root_options & ~command->idle_options,
                  "no input after it has --root-motion");
    struct rule rule = {.command = command};
    rule.stream = open_memstream(&rule.text, &rule.size_bytes);
    if (rule.stream == NULL) {
        report_error(&report, TROUPE_EXIT_INTERNAL, NULL, "memory", "out of memory");
        return TROUPE_EXIT_INTERNAL;
    }
    compile(command, &rule, &report);
    fclose(rule.stream);
    free(rule.text);
    return report.error_count > 0 ? report.exit_code : TROUPE_EXIT_OK;
}

enum troupe_exit cli_compile(int argc, char **argv)
{
    struct compile_command command = {0};
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (parse_command(argc, argv, &command, &code)) {
        code = run_command(&command);
    }
    arena_free(&command.arena);
    return code;
}
