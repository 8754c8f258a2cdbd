// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the verbs share.
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "arena.h"
#include "compiler.h"
#include "format.h"
#include "output.h"

enum troupe_exit cli_usage_error(const char *verb, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct report report = {.out = stderr, .file = "troupe"};
    report_error(&report, TROUPE_EXIT_USAGE, verb, "cli.usage", "%s", message);
    return TROUPE_EXIT_USAGE;
}

enum troupe_exit cli_option_other(const char *verb, int option, char **argv)
{
    if (option == CLI_OPTION_HELP) {
        cli_help_print(cli_verb_find(verb));
        return TROUPE_EXIT_OK;
    }
    const char *const given = argv[optind - 1];
    if (option == ':') {
        return cli_usage_error(verb, "option '%s' needs a value", given);
    }
    if (given[0] == '-' && given[1] == '-') {
        return cli_usage_error(verb, "unknown option '%s', see 'troupe help %s'", given, verb);
    }
    return cli_usage_error(verb, "unknown option '-%c', see 'troupe help %s'", optopt, verb);
}

void cli_warn_idle(struct report *report, const char *verb, const struct option *options,
                   uint32_t idle, const char *why)
{
    for (const struct option *at = options; at->name != NULL; at++) {
        if (at->val >= CLI_OPTION_FIRST && (idle & cli_option_bit(at->val)) != 0) {
            report_warning(report, verb, "cli.order", "--%s changes nothing here: %s", at->name,
                           why);
        }
    }
}

bool cli_parse_number(const char *text, double *value)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    const bool is_decimal = text[strspn(text, "+-.0123456789eE")] == '\0';
    if (end == text || *end != '\0' || !is_decimal || !isfinite(number)) {
        return false;
    }
    *value = number;
    return true;
}

bool cli_parse_count(const char *text, uint64_t largest, uint64_t *value)
{
    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || number > largest) {
        return false;
    }
    *value = number;
    return true;
}

bool cli_parse_tangents(const char *text, bool *is_added)
{
    *is_added = strcmp(text, "added") == 0;
    return *is_added || strcmp(text, "negated") == 0;
}

static const char *const mode_names[] = {
    [TRP_PLAY_CLAMP] = "clamp",
    [TRP_PLAY_LOOP] = "loop",
    [TRP_PLAY_PING_PONG] = "pingpong",
};

bool cli_parse_mode(const char *verb, const char *text, trp_play_mode *mode)
{
    for (uint32_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++) {
        if (strcmp(text, mode_names[i]) == 0) {
            *mode = (trp_play_mode)i;
            return true;
        }
    }
    cli_usage_error(verb, "--loop is clamp, loop or pingpong, not '%s'", text);
    return false;
}

const char *cli_mode_name(trp_play_mode mode)
{
    return mode_names[mode];
}

bool cli_parse_speed(const char *verb, const char *text, double *speed)
{
    if (cli_parse_number(text, speed) && fabs(*speed) <= 32768) {
        // As playheads take it, which hold it as a float: so all verbs play alike.
        *speed = round((double)(float)*speed * 65536) / 65536 + 0.0; // no -0
        return true;
    }
    cli_usage_error(verb, "--speed takes a number from -32768 to 32768, not '%s'", text);
    return false;
}

bool cli_parse_range(const char *verb, const char *text, double *start_s, double *end_s)
{
    char start[64];
    const size_t length = strcspn(text, ":");
    *end_s = 0;
    if (text[length] == ':' && length < sizeof start) {
        memcpy(start, text, length);
        start[length] = '\0';
        const char *const end = text + length + 1;
        if (cli_parse_number(start, start_s) && *start_s >= 0 &&
            (*end == '\0' || (cli_parse_number(end, end_s) && *end_s > 0 && *end_s >= *start_s))) {
            return true;
        }
    }
    cli_usage_error(verb, "--range takes START:END in seconds of the clip, not '%s'", text);
    return false;
}

static enum troupe_exit exit_of_result(trp_result result)
{
    switch (result) {
    case TRP_ERROR_VERSION:
    case TRP_ERROR_ENDIAN:
    case TRP_ERROR_UNSUPPORTED:
        return TROUPE_EXIT_UNSUPPORTED;
    default:
        return TROUPE_EXIT_INPUT;
    }
}

static const char *section_name(uint32_t kind)
{
    switch (kind) {
    case 0:
        return "file header";
    case TRP__SECTION_STRINGS:
        return "strings";
    case TRP__SECTION_SKELETONS:
        return "skeletons";
    case TRP__SECTION_SKINS:
        return "skins";
    case TRP__SECTION_CLIPS:
        return "clips";
    case TRP__SECTION_PROPERTIES:
        return "property sets";
    case TRP__SECTION_INSTANCES:
        return "instances";
    case TRP__SECTION_BLENDTREES:
        return "blend trees";
    default:
        return "unknown section";
    }
}

static bool report_refused_pack(struct report *report, const trp_diagnostic *diagnostic)
{
    char place[96];
    if (diagnostic->index == TRP_NONE || diagnostic->section == 0) {
        snprintf(place, sizeof place, "%s", section_name(diagnostic->section));
    } else {
        snprintf(place, sizeof place, "%s[%u]", section_name(diagnostic->section),
                 diagnostic->index);
    }
    const char *const rule = diagnostic->rule != NULL ? diagnostic->rule : "pack.unreadable";
    return report_error(report, exit_of_result(diagnostic->result), place, rule,
                        "not a valid pack: wrong at byte %llu",
                        (unsigned long long)diagnostic->byte_offset);
}

static uint64_t content_hash(const uint8_t *bytes, size_t size_bytes)
{
    const size_t field = offsetof(struct trp__file_header, content_hash);
    const uint8_t zero[sizeof(uint64_t)] = {0};
    XXH64_state_t *const state = XXH64_createState();
    XXH64_reset(state, 0);
    XXH64_update(state, bytes, field);
    XXH64_update(state, zero, sizeof zero);
    XXH64_update(state, bytes + field + sizeof zero, size_bytes - field - sizeof zero);
    const uint64_t hash = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}

bool cli_pack_read(const char *path, struct cli_pack *pack, struct report *report)
{
    memset(pack, 0, sizeof *pack);
    report->file = path;
    if (!file_read(path, &pack->bytes, &pack->size_bytes, report)) {
        return false;
    }
    if (!cli_pack_open(pack, report)) {
        cli_pack_free(pack);
        return false;
    }
    return true;
}

bool cli_pack_open(struct cli_pack *pack, struct report *report)
{
    trp_diagnostic diagnostic = {.result = TRP_ERROR_ARGUMENT, .index = TRP_NONE};
    if (trp_pack_open(pack->bytes, pack->size_bytes, &pack->pack, &diagnostic) != TRP_OK) {
        return report_refused_pack(report, &diagnostic);
    }
    pack->content_hash = content_hash(pack->bytes, pack->size_bytes);
    pack->hash_ok = pack->content_hash == trp_pack_hash(&pack->pack);
    if (!pack->hash_ok) {
        report_warning(report, "file header", "pack.hash",
                       "the content does not match its hash: the file was changed after it was "
                       "compiled");
    }
    return true;
}

void cli_pack_free(struct cli_pack *pack)
{
    free(pack->bytes);
    memset(pack, 0, sizeof *pack);
}

bool cli_clip_find(const struct cli_pack *pack, const char *name, trp_clip *clip,
                   struct report *report)
{
    const uint32_t index = trp_pack_find_clip(&pack->pack, trp_name_hash(name));
    if (index != TRP_NONE && trp_pack_clip(&pack->pack, index, clip) == TRP_OK) {
        return true;
    }
    struct arena arena = {0};
    const uint32_t count = pack->pack.clip_count;
    const char **const names = ARENA_NEW(&arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        trp_clip other;
        names[i] = trp_pack_clip(&pack->pack, i, &other) == TRP_OK ? other.name : "";
    }
    cli_unknown_name(report, "clip", name, names, count);
    arena_free(&arena);
    return false;
}

bool cli_instance_find(const struct cli_pack *pack, const char *name, trp_instance *instance,
                       struct report *report)
{
    struct arena arena = {0};
    const uint32_t count = pack->pack.instance_count;
    const char **const names = ARENA_NEW(&arena, const char *, count);
    bool is_found = false;
    for (uint32_t i = 0; i < count && !is_found; i++) {
        trp_pack_instance(&pack->pack, i, instance);
        names[i] = instance->name;
        is_found = strcmp(instance->name, name) == 0;
    }
    if (!is_found) {
        cli_unknown_name(report, "instance", name, names, count);
    }
    arena_free(&arena);
    return is_found;
}

bool cli_timeline_make(const trp_timeline_args *args, trp_timeline *timeline, struct report *report)
{
    const trp_result result = trp_timeline_make(args, timeline);
    return result == TRP_OK ||
           report_error(report, exit_of_result(result), args->clip->name, "cli.timeline",
                        "no unit of time serves both the clip and the clock");
}

trp_result cli_root_motion_until(const trp_clip *clip, double time_s, trp_root_delta *root)
{
    trp_timeline timeline;
    const trp_result result = trp_timeline_make(&(trp_timeline_args){.clip = clip}, &timeline);
    if (result != TRP_OK) {
        return result;
    }
    const trp_playhead first = trp_playhead_start(&timeline, 0);
    const trp_playhead now = trp_playhead_start(&timeline, time_s);
    const trp_root_motion_args args = {
        .timelines = &timeline,
        .timeline_count = 1,
        .previous = &first,
        .playheads = &now,
        .playhead_count = 1,
        .deltas = root,
    };
    return trp_root_motion_between(&args, NULL);
}

json_t *cli_root_delta_json(const trp_root_delta *delta)
{
    json_t *const translation = json_array();
    for (int axis = 0; axis < 3; axis++) {
        json_array_append_new(translation, output_real(delta->translation[axis]));
    }
    json_t *const object = json_object();
    json_object_set_new(object, "translation", translation);
    json_object_set_new(object, "yaw_rad", output_real(delta->yaw_rad));
    return object;
}

json_t *cli_event_value_json(const trp_event *event)
{
    if (event->flags & TRP_EVENT_TEXT) {
        return output_string(event->text);
    }
    if (event->flags & TRP_EVENT_INTEGER) {
        return json_integer(event->integer);
    }
    return event->flags & TRP_EVENT_NUMBER ? output_real(event->number) : json_null();
}

void cli_describe_event(const trp_event *event, json_t *object)
{
    json_object_set_new(object, "name", output_string(event->name));
    json_object_set_new(object, "target",
                        event->target[0] != '\0' ? output_string(event->target) : json_null());
    json_object_set_new(object, "time_s", output_real(event->time_s));
    json_object_set_new(object, "duration_s", output_real(event->duration_s));
    json_object_set_new(object, "value", cli_event_value_json(event));
    if (event->flags & TRP_EVENT_NUMBER) {
        json_object_set_new(object, "number", output_real(event->number));
    }
    if ((event->flags & TRP_EVENT_NUMBER) && event->duration_s > 0) {
        json_object_set_new(object, "from_number", output_real(event->from_number));
        json_object_set_new(object, "easing",
                            event->samples != NULL ? json_null()
                                                   : json_string(trp_easing_name(event->easing)));
    }
    if (event->samples != NULL) {
        json_t *const samples = json_array();
        for (uint32_t i = 0; i < event->sample_count; i++) {
            json_array_append_new(samples, output_real((double)event->samples[i]));
        }
        json_object_set_new(object, "samples", samples);
    }
    json_object_set_new(object, "marker", json_boolean(event->flags & TRP_EVENT_MARKER));
}

/// Writes a number so that it does not look like an integer.
static void number_text(double number, char text[32])
{
    const int length = snprintf(text, 30, "%.9g", number);
    if (text[strspn(text, "-0123456789")] == '\0') {
        memcpy(text + length, ".0", 3);
    }
}

void cli_print_event_value(FILE *stream, const trp_event *event)
{
    if (event->target[0] != '\0') {
        fprintf(stream, " of %s", event->target);
    }
    if (event->flags & TRP_EVENT_TEXT) {
        fprintf(stream, " \"%s\"", event->text);
    }
    if (event->flags & TRP_EVENT_INTEGER) {
        fprintf(stream, " %lld", (long long)event->integer);
    }
    if (event->flags & TRP_EVENT_NUMBER) {
        char number[32];
        if (event->duration_s > 0 && event->from_number != event->number) {
            number_text(event->from_number, number);
            fprintf(stream, " %s to", number);
        }
        number_text(event->number, number);
        fprintf(stream, " %s", number);
    }
}

char *cli_event_value_text(const trp_event *event)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *const stream = open_memstream(&text, &size_bytes);
    if (stream == NULL) {
        fputs("troupe: error: out of memory [memory]\n", stderr);
        exit(TROUPE_EXIT_INTERNAL);
    }
    cli_print_event_value(stream, event);
    fclose(stream);
    return text;
}

/// Returns the number of letters to insert, remove or replace between two names, case ignored.
static uint32_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    const size_t a_length = strnlen(a, LONGEST);
    const size_t b_length = strnlen(b, LONGEST);
    uint32_t row[LONGEST + 1];
    for (size_t i = 0; i <= b_length; i++) {
        row[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < a_length; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i + 1;
        for (size_t j = 0; j < b_length; j++) {
            const bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
            uint32_t best = diagonal + !same;
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j + 1] + 1 < best ? row[j + 1] + 1 : best;
            diagonal = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row[b_length];
}

bool cli_unknown_name(struct report *report, const char *what, const char *name,
                      const char *const *candidates, uint32_t count)
{
    enum { SHOWN = 3 };
    const char *nearest[SHOWN] = {NULL};
    uint32_t distances[SHOWN] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t distance = edit_distance(name, candidates[i]);
        uint32_t rank = 0;
        while (rank < SHOWN && distances[rank] <= distance) {
            rank++;
        }
        for (uint32_t last = SHOWN - 1; last > rank && rank < SHOWN; last--) {
            nearest[last] = nearest[last - 1];
            distances[last] = distances[last - 1];
        }
        if (rank < SHOWN) {
            nearest[rank] = candidates[i];
            distances[rank] = distance;
        }
    }
    char list[256] = "";
    size_t used = 0;
    for (uint32_t rank = 0; rank < SHOWN && nearest[rank] != NULL && used < sizeof list; rank++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'",
                                 rank == 0 ? ", nearest: " : ", ", nearest[rank]);
    }
    char code[32];
    snprintf(code, sizeof code, "cli.%s", what);
    return report_error(report, TROUPE_EXIT_INPUT, NULL, code, "no %s '%s'%s", what, name, list);
}
