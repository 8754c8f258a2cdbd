// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The verbs of the `troupe` program and what they share: usage errors, option values, packs read
// from files.
#ifndef TROUPE_CLI_CLI_H
#define TROUPE_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <troupe/troupe.h>

#include "arena.h"
#include "report.h"

/// One verb. `run` gets the arguments from the verb on and returns the exit code.
struct cli_verb {
    const char *name;
    const char *summary; ///< half a line for the list of verbs
    const char *usage;   ///< what follows the name of the verb
    const char *help;    ///< the rest of `troupe help VERB`
    enum troupe_exit (*run)(int argc, char **argv);
};

extern const struct cli_verb cli_verbs[];
extern const uint32_t cli_verb_count;

/// Returns the verb of this name, or null.
const struct cli_verb *cli_verb_find(const char *name);

enum troupe_exit cli_compile(int argc, char **argv);
enum troupe_exit cli_info(int argc, char **argv);
enum troupe_exit cli_sample(int argc, char **argv);
enum troupe_exit cli_verify(int argc, char **argv);
enum troupe_exit cli_events(int argc, char **argv);
enum troupe_exit cli_play(int argc, char **argv);
enum troupe_exit cli_bench(int argc, char **argv);
enum troupe_exit cli_help(int argc, char **argv);

/// Prints the usage and the help of a verb to stdout.
void cli_help_print(const struct cli_verb *verb);

/// Reports a mistake on the command line.
/// @return TROUPE_EXIT_USAGE
enum troupe_exit cli_usage_error(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Handles what getopt_long returned and the verb does not know: --help, a missing value, an
/// unknown option.
/// @return the exit code to leave with
enum troupe_exit cli_option_other(const char *verb, int option, char **argv);

enum {
    CLI_OPTION_HELP = 'h',
    CLI_OPTION_FIRST = 256, ///< the smallest value of an option that has no letter
};

struct option; // of <getopt.h>

/// Returns the bit of an option that has no letter, for a set of them.
static inline uint32_t cli_option_bit(int option)
{
    return 1u << (option - CLI_OPTION_FIRST);
}

/// Warns of each option of a set that it changes nothing where it is.
/// @param why what it would have to come before
void cli_warn_idle(struct report *report, const char *verb, const struct option *options,
                   uint32_t idle, const char *why);

/// Reads a finite decimal number, maybe with an exponent; the whole text must be one.
bool cli_parse_number(const char *text, double *value);

/// Reads an unsigned number in decimal digits up to `largest`.
bool cli_parse_count(const char *text, uint64_t largest, uint64_t *value);

/// Reads what --stf-tangents takes: negated or added.
bool cli_parse_tangents(const char *text, bool *is_added);

/// Reads what a verb's --loop takes: clamp, loop or pingpong.
/// @return false after a usage error.
bool cli_parse_mode(const char *verb, const char *text, trp_play_mode *mode);

/// Returns what --loop calls a mode.
const char *cli_mode_name(trp_play_mode mode);

/// Reads what a verb's --speed takes: a number from -32768 to 32768.
/// @param speed [out] the nearest multiple of 1/65536, which is what playheads play
/// @return false after a usage error.
bool cli_parse_speed(const char *verb, const char *text, double *speed);

/// Reads what a verb's --range takes, START:END in seconds of the clip; END may be left out.
/// @param end_s [out] 0 where it is left out
/// @return false after a usage error.
bool cli_parse_range(const char *verb, const char *text, double *start_s, double *end_s);

/// A pack read from a file.
struct cli_pack {
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    uint64_t content_hash; ///< computed anew
    bool hash_ok;          ///< equals the one that the pack carries
};

/// Reads and opens a pack; warns where its content hash is not right.
/// @param pack [out] cli_pack_free it after success
/// @return false after an error in `report` (its `file` is set to `path`).
bool cli_pack_read(const char *path, struct cli_pack *pack, struct report *report);

/// Opens bytes that are in memory already; otherwise as cli_pack_read.
/// @param pack [in,out] `bytes` and `size_bytes` are set; on failure they are left to the caller
bool cli_pack_open(struct cli_pack *pack, struct report *report);

void cli_pack_free(struct cli_pack *pack);

/// Finds a clip by its name.
/// @return false after an error in `report` that names the clips most alike.
bool cli_clip_find(const struct cli_pack *pack, const char *name, trp_clip *clip,
                   struct report *report);

/// Finds an instance by the name of the node that carries it.
/// @return false after an error in `report` that names the instances most alike.
bool cli_instance_find(const struct cli_pack *pack, const char *name, trp_instance *instance,
                       struct report *report);

/// Reports that a name is unknown and which names of `candidates` are most alike.
/// @param what "clip", "joint", "instance": also the last part of the error code
/// @return false
bool cli_unknown_name(struct report *report, const char *what, const char *name,
                      const char *const *candidates, uint32_t count);

/// Makes a timeline of a clip that is valid.
/// @return false after an error in `report`: no unit of time serves both clip and clock.
bool cli_timeline_make(const trp_timeline_args *args, trp_timeline *timeline,
                       struct report *report);

/// Finds how the character has moved from the start of a clip until a time.
trp_result cli_root_motion_until(const trp_clip *clip, double time_s, trp_root_delta *root);

/// Returns translation and yaw of a movement.
json_t *cli_root_delta_json(const trp_root_delta *delta);

/// Returns the payload of an event as a number or a string, or null.
json_t *cli_event_value_json(const trp_event *event);

/// Adds what there is to say of an event, whenever it fires, to an object.
void cli_describe_event(const trp_event *event, json_t *object);

/// Prints what an event is about and its payload, each with a space before it; nothing where there
/// is none.
void cli_print_event_value(FILE *stream, const trp_event *event);

/// Returns the same as text, to be freed.
char *cli_event_value_text(const trp_event *event);

/// Adds what `troupe info --json` says of a pack to an object.
void cli_describe_json(const struct cli_pack *pack, json_t *object);

/// Returns the instances of a pack: poses, components, humanoids.
json_t *cli_describe_instances(const struct cli_pack *pack);

/// Prints the instances of a pack as a table.
void cli_print_instances(const struct cli_pack *pack);

/// Returns the blend trees of a pack.
json_t *cli_describe_blendtrees(const struct cli_pack *pack);

/// Prints the blend trees of a pack as a table.
void cli_print_blendtrees(const struct cli_pack *pack);

/// Returns the name of the node that a property of one value belongs to, where its path is that
/// name and the label of the value: "/NODE/LABEL". Else null.
/// @param arena takes the name
const char *cli_property_node(const trp_property_set *set, const trp_property *property,
                              struct arena *arena);

/// Whether a property is a layer of Panthera: "//layers/NAME", which belongs to no node and which
/// no clip moves.
bool cli_property_is_layer(const trp_property *property);

/// Returns path and type of a property, which node it belongs to and, where a value has one,
/// labels. What cli_property_node knows has the name of its node, and its label as "property"; that
/// have layers too.
json_t *cli_describe_property(const trp_property_set *set, const trp_property *property);

/// Returns one of the values of a property: a number, or the text that it stands for.
/// @param value [0, set->value_count)
/// @param values of the whole set
json_t *cli_value_json(const trp_property_set *set, const trp_property *property,
                       const float *values, uint32_t value);

/// Returns all values of a property.
json_t *cli_values_json(const trp_property_set *set, const trp_property *property,
                        const float *values);

/// Returns a property set: properties with their defaults, nodes, layers, texts.
json_t *cli_describe_property_set(const trp_property_set *set);

/// Prints the properties of a pack as a table, then nodes, layers and texts.
void cli_print_property_sets(const struct cli_pack *pack);

/// Bytes of all clips of a pack, and of the same without compression.
struct cli_totals {
    uint64_t clip_bytes;
    uint64_t raw_bytes;
    double max_error_mm;
};

struct cli_totals cli_pack_totals(const struct cli_pack *pack);

#endif
