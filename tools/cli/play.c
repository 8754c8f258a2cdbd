// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe play`: clips that play together, frame by frame as in a game: time moves on, events fire,
// the character walks. On a terminal in real time.
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "cli.h"
#include "output.h"
#include "timeline.h"

/// A clip that takes part, by name.
struct part {
    const char *clip;
    float weight;
};

struct play_command {
    const char *pack;
    struct part *parts;
    uint32_t part_count;
    uint32_t fps_num; ///< frames a second = fps_num / fps_den
    uint32_t fps_den;
    uint64_t frame_count;
    double seconds; ///< instead of frame_count
    bool has_frames;
    bool has_seconds;
    double speed;
    trp_play_mode mode;
    bool has_mode; ///< else each clip plays as its file says
    bool is_synced;
    bool is_json;
};

/// Everything that plays. Arrays have one element for each clip.
struct show {
    const struct play_command *command;
    uint32_t count;
    trp_clip *clips;
    float *weights;
    trp_timeline *timelines;
    trp_playhead *playheads;
    trp_playhead *previous;
    double *times_s;
    trp_root_delta *deltas;
    bool has_root_motion;
    trp_root_delta root; ///< where the character has come
    trp_sync_member *members;
    trp_sync_group group;
};

enum { LARGEST_FRAME_COUNT = 1000000000 };

enum {
    OPTION_CLIP = 256,
    OPTION_WEIGHT,
    OPTION_FPS,
    OPTION_SPEED,
    OPTION_LOOP,
    OPTION_SECONDS,
    OPTION_FRAMES,
    OPTION_SYNC,
    OPTION_JSON,
};

// ---- the command line ----

/// Reads the exponent of a decimal number, where there is one, into its fraction.
/// @return what follows, or null where either part of the fraction would be above 1e9
static const char *parse_exponent(const char *text, uint64_t *numerator, uint64_t *denominator)
{
    if (*text != 'e' && *text != 'E') {
        return text;
    }
    const bool is_negative = text[1] == '-';
    text += 1 + (text[1] == '-' || text[1] == '+');
    const size_t length = strspn(text, "0123456789");
    const unsigned long shift = strtoul(text, NULL, 10);
    uint64_t *const scaled = is_negative ? denominator : numerator;
    if (length == 0 || shift > 9) {
        return NULL;
    }
    for (unsigned long i = 0; i < shift; i++) {
        *scaled *= 10;
    }
    return *scaled <= 1000000000 ? text + length : NULL;
}

/// Reads a decimal number of at most nine digits, maybe with an exponent, as a fraction of two
/// numbers of at most 1e9.
/// @return what follows, or null where there is no number
static const char *parse_decimal(const char *text, uint64_t *numerator, uint64_t *denominator)
{
    int digit_count = 0;
    bool has_point = false;
    *numerator = 0;
    *denominator = 1;
    text += *text == '+';
    for (;; text++) {
        if (*text == '.' && !has_point) {
            has_point = true;
        } else if (*text >= '0' && *text <= '9' && digit_count < 9) {
            *numerator = 10 * *numerator + (uint64_t)(*text - '0');
            *denominator *= has_point ? 10 : 1;
            digit_count++;
        } else {
            return digit_count > 0 ? parse_exponent(text, numerator, denominator) : NULL;
        }
    }
}

/// Reads a rate as the decimal or the fraction that it is written as: 29.97, 30000/1001.
static bool parse_fps(const char *text, struct play_command *command)
{
    uint64_t num = 0;
    uint64_t den = 1;
    uint64_t over = 1; // what follows a slash
    uint64_t over_den = 1;
    const char *end = parse_decimal(text, &num, &den);
    if (end != NULL && *end == '/') {
        end = parse_decimal(end + 1, &over, &over_den);
    }
    num *= over_den;
    den *= over;
    const uint64_t divisor = trp__greatest_common_divisor(num, den);
    if (end == NULL || *end != '\0' || num == 0 || den == 0 || num / divisor > UINT32_MAX ||
        den / divisor > UINT32_MAX || num / den > 100000) {
        cli_usage_error("play", "--fps takes frames a second up to 100000, not '%s'", text);
        return false;
    }
    command->fps_num = (uint32_t)(num / divisor);
    command->fps_den = (uint32_t)(den / divisor);
    return true;
}

static bool parse_weight(const char *text, struct play_command *command)
{
    double weight = 0;
    if (command->part_count == 0) {
        cli_usage_error("play", "--weight is of the clip before it, and there is none");
        return false;
    }
    if (!cli_parse_number(text, &weight) || weight < 0 || weight > 1e9) {
        cli_usage_error("play", "--weight takes a number from 0 to 1e9, not '%s'", text);
        return false;
    }
    command->parts[command->part_count - 1].weight = (float)weight;
    return true;
}

static bool parse_length(int option, const char *text, struct play_command *command)
{
    if (option == OPTION_FRAMES) {
        command->has_frames = true;
        if (cli_parse_count(text, LARGEST_FRAME_COUNT, &command->frame_count)) {
            return true;
        }
        cli_usage_error("play", "--frames takes a number up to 1e9, not '%s'", text);
        return false;
    }
    command->has_seconds = true;
    if (cli_parse_number(text, &command->seconds) && command->seconds >= 0 &&
        command->seconds <= 1e9) {
        return true;
    }
    cli_usage_error("play", "--seconds takes a number from 0 to 1e9, not '%s'", text);
    return false;
}

/// Reads what one option says.
/// @return false when the program is to end with `code`.
static bool parse_option(int option, char **argv, struct play_command *command,
                         enum troupe_exit *code)
{
    switch (option) {
    case OPTION_CLIP:
        command->parts[command->part_count++] = (struct part){.clip = optarg, .weight = 1};
        return true;
    case OPTION_WEIGHT:
        return parse_weight(optarg, command);
    case OPTION_FPS:
        return parse_fps(optarg, command);
    case OPTION_SPEED:
        return cli_parse_speed("play", optarg, &command->speed);
    case OPTION_LOOP:
        command->has_mode = true;
        return cli_parse_mode("play", optarg, &command->mode);
    case OPTION_SECONDS:
    case OPTION_FRAMES:
        return parse_length(option, optarg, command);
    case OPTION_SYNC:
        command->is_synced = true;
        return true;
    case OPTION_JSON:
        command->is_json = true;
        return true;
    default:
        *code = cli_option_other("play", option, argv);
        return false;
    }
}

/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct play_command *command,
                          enum troupe_exit *code)
{
    static const struct option long_options[] = {
        {"clip", required_argument, NULL, OPTION_CLIP},
        {"weight", required_argument, NULL, OPTION_WEIGHT},
        {"fps", required_argument, NULL, OPTION_FPS},
        {"speed", required_argument, NULL, OPTION_SPEED},
        {"loop", required_argument, NULL, OPTION_LOOP},
        {"seconds", required_argument, NULL, OPTION_SECONDS},
        {"frames", required_argument, NULL, OPTION_FRAMES},
        {"sync", no_argument, NULL, OPTION_SYNC},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, CLI_OPTION_HELP},
        {0},
    };
    *code = TROUPE_EXIT_USAGE;
    opterr = 0;
    int option = 0;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (!parse_option(option, argv, command, code)) {
            return false;
        }
    }
    if (argc - optind != 1) {
        cli_usage_error("play", "one pack, please");
        return false;
    }
    if (command->part_count == 0) {
        cli_usage_error("play", "no clip, give --clip NAME");
        return false;
    }
    if (command->has_frames && command->has_seconds) {
        cli_usage_error("play", "--frames or --seconds, not both");
        return false;
    }
    command->has_mode |= command->is_synced; // what keeps step loops
    if (command->is_synced && command->mode != TRP_PLAY_LOOP) {
        cli_usage_error("play", "--sync is for clips that loop");
        return false;
    }
    command->pack = argv[optind];
    *code = TROUPE_EXIT_OK;
    return true;
}

// ---- the show ----

/// Returns how many frames there are to play: those asked for, or until the first clip has come
/// round once; a second where it never does.
static uint64_t frame_count_of(const struct show *show)
{
    const struct play_command *const command = show->command;
    const double fps = (double)command->fps_num / command->fps_den;
    if (command->has_frames) {
        return command->frame_count;
    }
    double seconds = command->seconds;
    if (!command->has_seconds) {
        const double ways = show->timelines[0].mode == TRP_PLAY_PING_PONG ? 2 : 1;
        seconds = ways * show->timelines[0].end_s / fabs(command->speed);
        seconds = seconds > 0 && isfinite(seconds) ? seconds : 1;
    }
    // What is a whole number of frames but for rounding does not get one more.
    const double frames = ceil(seconds * fps - 1e-6);
    return frames < LARGEST_FRAME_COUNT ? (uint64_t)frames : LARGEST_FRAME_COUNT;
}

/// Returns how to play a clip. Where a file says nothing, as those whose clips have no ids do not,
/// it loops.
static trp_play_mode mode_of(const struct play_command *command, const trp_clip *clip)
{
    const bool is_said = !command->has_mode && clip->source_id[0] != '\0';
    return is_said ? trp_clip_play_mode(clip) : command->mode;
}

static bool find_clips(struct show *show, const struct cli_pack *pack, struct report *report)
{
    for (uint32_t i = 0; i < show->count; i++) {
        const struct part *const part = &show->command->parts[i];
        if (!cli_clip_find(pack, part->clip, &show->clips[i], report)) {
            return false;
        }
        const trp_timeline_args args = {
            .clip = &show->clips[i],
            .mode = mode_of(show->command, &show->clips[i]),
            .clock_num = show->command->fps_num,
            .clock_den = show->command->fps_den,
        };
        if (!cli_timeline_make(&args, &show->timelines[i], report)) {
            return false;
        }
        const trp_timeline *const timeline = &show->timelines[i];
        show->playheads[i] =
            trp_playhead_start(timeline, show->command->speed < 0 ? timeline->end_s : 0);
        show->playheads[i].speed = (float)show->command->speed;
        show->playheads[i].timeline = i;
        show->weights[i] = part->weight;
        trp_root_motion root_motion;
        show->has_root_motion |= trp_clip_root_motion(&show->clips[i], &root_motion) == TRP_OK;
    }
    return true;
}

/// Returns the name that the markers of a clip begin with: that of the first one; 0 without.
static uint64_t first_marker_name(const trp_clip *clip)
{
    for (uint32_t i = 0; i < clip->event_count; i++) {
        trp_event event;
        trp_clip_event(clip, i, &event);
        if (event.flags & TRP_EVENT_MARKER) {
            return event.name_hash;
        }
    }
    return 0;
}

/// Lists the markers of all clips, which must have the same number of them.
static bool list_markers(struct show *show, struct arena *arena)
{
    const uint64_t name = first_marker_name(&show->clips[0]);
    for (uint32_t i = 0; i < show->count; i++) {
        trp_sync_member *const member = &show->members[i];
        int64_t *const markers = ARENA_NEW(arena, int64_t, TRP_SYNC_MAX_MARKERS);
        if (trp_sync_markers(member->timeline, name, markers, TRP_SYNC_MAX_MARKERS,
                             &member->marker_count) != TRP_OK ||
            member->marker_count != show->members[0].marker_count || member->marker_count == 0) {
            return false;
        }
        member->markers = markers;
    }
    return true;
}

/// Makes all clips a group. Where their markers do not fit each other, their ends meet.
static void make_group(struct show *show, struct arena *arena, struct report *report)
{
    bool has_markers = false;
    for (uint32_t i = 0; i < show->count; i++) {
        show->members[i] =
            (trp_sync_member){.timeline = &show->timelines[i], .weight = show->weights[i]};
        has_markers = has_markers || first_marker_name(&show->clips[i]) != 0;
    }
    if (has_markers && !list_markers(show, arena)) {
        for (uint32_t i = 0; i < show->count; i++) {
            show->members[i].markers = NULL;
            show->members[i].marker_count = 0;
        }
        report_warning(report, "play", "play.markers",
                       "the clips do not have the same markers: their ends meet instead");
    }
    show->group = trp_sync_group_start(&show->members[0], &show->playheads[0]);
    show->group.speed = (float)show->command->speed;
}

static bool build_show(struct show *show, const struct play_command *command,
                       const struct cli_pack *pack, struct arena *arena, struct report *report)
{
    const uint32_t count = command->part_count;
    *show = (struct show){
        .command = command,
        .count = count,
        .clips = ARENA_NEW(arena, trp_clip, count),
        .weights = ARENA_NEW(arena, float, count),
        .timelines = ARENA_NEW(arena, trp_timeline, count),
        .playheads = ARENA_NEW(arena, trp_playhead, count),
        .previous = ARENA_NEW(arena, trp_playhead, count),
        .times_s = ARENA_NEW(arena, double, count),
        .deltas = ARENA_NEW(arena, trp_root_delta, count),
        .members = ARENA_NEW(arena, trp_sync_member, count),
    };
    if (!find_clips(show, pack, report)) {
        return false;
    }
    if (command->is_synced) {
        make_group(show, arena, report);
    }
    return true;
}

/// Moves a group on. In the first frame all clips join it where its phase is.
static trp_result advance_group(struct show *show, double dt_s)
{
    const trp_sync_args args = {
        .members = show->members,
        .member_count = show->count,
        .group = &show->group,
        .dt_s = dt_s,
        .playheads = show->playheads,
        .previous = show->previous,
    };
    const trp_result result = trp_sync_advance(&args);
    for (uint32_t i = 0; i < show->count; i++) {
        show->times_s[i] = trp_playhead_time_s(&show->timelines[i], &show->playheads[i]);
    }
    return result;
}

static trp_result advance(struct show *show)
{
    if (show->command->is_synced) {
        return advance_group(show, (double)show->command->fps_den / show->command->fps_num);
    }
    const trp_playhead_args args = {
        .timelines = show->timelines,
        .timeline_count = show->count,
        .playheads = show->playheads,
        .playhead_count = show->count,
        .dt_ticks = 1,
        .previous = show->previous,
        .times_s = show->times_s,
    };
    return trp_playheads_advance(&args, NULL);
}

/// Moves the character by the root motion of all clips together.
static trp_result move_root(struct show *show)
{
    const trp_root_motion_args args = {
        .timelines = show->timelines,
        .timeline_count = show->count,
        .previous = show->previous,
        .playheads = show->playheads,
        .playhead_count = show->count,
        .deltas = show->deltas,
    };
    const trp_root_blend_job job = {
        .deltas = show->deltas,
        .weights = show->weights,
        .layer_count = show->count,
    };
    trp_root_delta delta;
    const trp_root_blend_args blend_args = {.jobs = &job, .job_count = 1, .deltas = &delta};
    trp_result result = trp_root_motion_between(&args, NULL);
    result = result == TRP_OK ? trp_blend_root_motion(&blend_args) : result;
    if (result == TRP_OK) {
        show->root = trp_root_delta_combine(&show->root, &delta);
    }
    return result;
}

static trp_event_args event_args_of(const struct show *show)
{
    return (trp_event_args){
        .timelines = show->timelines,
        .timeline_count = show->count,
        .previous = show->previous,
        .playheads = show->playheads,
        .playhead_count = show->count,
        .weights = show->weights,
    };
}

/// Calls a function for each event of a frame.
static trp_result visit_events(const struct show *show,
                               void (*visit)(const struct show *show, const trp_event_hit *hit,
                                             const trp_event *event, void *user),
                               void *user)
{
    enum { BUFFER_COUNT = 64 };
    trp_event_args args = event_args_of(show);
    trp_event_hit hits[BUFFER_COUNT];
    trp_event_report found = {0};
    trp_result result = TRP_OK;
    do {
        result = trp_events(&args, hits, BUFFER_COUNT, &found);
        for (uint32_t i = 0; result == TRP_OK && i < found.written_count; i++) {
            trp_event event;
            trp_clip_event(&show->clips[hits[i].playhead], hits[i].event, &event);
            visit(show, &hits[i], &event, user);
        }
        args.skip += found.written_count;
    } while (result == TRP_OK && found.written_count > 0 && args.skip < found.hit_count);
    return result;
}

/// Calls a function for each event with a duration that was active in a frame.
static trp_result visit_ranges(const struct show *show,
                               void (*visit)(const struct show *show, const trp_event_range *range,
                                             const trp_event *event, void *user),
                               void *user)
{
    enum { BUFFER_COUNT = 64 };
    trp_event_args args = event_args_of(show);
    trp_event_range ranges[BUFFER_COUNT];
    trp_event_report found = {0};
    trp_result result = TRP_OK;
    do {
        result = trp_event_ranges(&args, ranges, BUFFER_COUNT, &found);
        for (uint32_t i = 0; result == TRP_OK && i < found.written_count; i++) {
            trp_event event;
            trp_clip_event(&show->clips[ranges[i].playhead], ranges[i].event, &event);
            visit(show, &ranges[i], &event, user);
        }
        args.skip += found.written_count;
    } while (result == TRP_OK && found.written_count > 0 && args.skip < found.hit_count);
    return result;
}

// ---- the output ----

static double seconds_of(const struct show *show, uint64_t frame)
{
    return (double)frame * show->command->fps_den / show->command->fps_num;
}

static void add_event_json(const struct show *show, const trp_event_hit *hit,
                           const trp_event *event, void *user)
{
    json_t *const object = json_object();
    json_object_set_new(object, "clip", output_string(show->clips[hit->playhead].name));
    json_object_set_new(object, "event", json_integer(event->index));
    cli_describe_event(event, object);
    json_object_set_new(object, "is_reverse", json_boolean(hit->flags & TRP_EVENT_REVERSE));
    json_object_set_new(object, "weight", output_float(hit->weight));
    json_array_append_new(user, object);
}

static void add_range_json(const struct show *show, const trp_event_range *range,
                           const trp_event *event, void *user)
{
    const bool has_number = (event->flags & TRP_EVENT_NUMBER) != 0;
    json_t *const object = json_object();
    json_object_set_new(object, "clip", output_string(show->clips[range->playhead].name));
    json_object_set_new(object, "event", json_integer(event->index));
    json_object_set_new(object, "name", output_string(event->name));
    json_object_set_new(object, "progress", output_float(range->to));
    json_object_set_new(object, "number",
                        has_number ? output_real(trp_event_value(event, (double)range->to))
                                   : json_null());
    json_object_set_new(object, "has_begun", json_boolean(range->flags & TRP_EVENT_BEGAN));
    json_object_set_new(object, "has_ended", json_boolean(range->flags & TRP_EVENT_ENDED));
    json_object_set_new(object, "weight", output_float(range->weight));
    json_array_append_new(user, object);
}

static trp_result print_frame_json(const struct show *show, uint64_t frame)
{
    json_t *const clips = json_array();
    for (uint32_t i = 0; i < show->count; i++) {
        json_t *const clip = json_object();
        json_object_set_new(clip, "name", output_string(show->clips[i].name));
        json_object_set_new(clip, "time_s", output_real(show->times_s[i]));
        json_object_set_new(clip, "cycle", json_integer(show->playheads[i].cycle));
        json_object_set_new(clip, "weight", output_float(show->weights[i]));
        json_array_append_new(clips, clip);
    }
    json_t *const events = json_array();
    json_t *const ranges = json_array();
    trp_result result = visit_events(show, add_event_json, events);
    result = result == TRP_OK ? visit_ranges(show, add_range_json, ranges) : result;
    json_t *const object = output_json("play");
    json_object_set_new(object, "frame", json_integer((json_int_t)frame));
    json_object_set_new(object, "time_s", output_real(seconds_of(show, frame)));
    json_object_set_new(object, "clips", clips);
    json_object_set_new(object, "root",
                        show->has_root_motion ? cli_root_delta_json(&show->root) : json_null());
    json_object_set_new(object, "events", events);
    json_object_set_new(object, "ranges", ranges);
    output_json_print(object);
    return result;
}

static void print_state(FILE *stream, const struct show *show, uint64_t frame)
{
    fprintf(stream, "%6llu %9.3f s", (unsigned long long)frame, seconds_of(show, frame));
    for (uint32_t i = 0; i < show->count; i++) {
        fprintf(stream, "  %s %.3f (%lld)", show->clips[i].name, show->times_s[i],
                (long long)show->playheads[i].cycle);
    }
    if (show->has_root_motion) {
        const double degrees = show->root.yaw_rad * (180.0 / 3.14159265358979323846);
        fprintf(stream, "  root %.3f %.3f %.3f, %.1f deg", show->root.translation[0],
                show->root.translation[1], show->root.translation[2], degrees);
    }
}

static void print_event(const struct show *show, const trp_event_hit *hit, const trp_event *event,
                        void *user)
{
    FILE *const stream = user;
    fprintf(stream, "  [%s: %s", show->clips[hit->playhead].name, event->name);
    cli_print_event_value(stream, event);
    fputs(hit->flags & TRP_EVENT_REVERSE ? ", reverse" : "", stream);
    if (hit->weight != 1) {
        fprintf(stream, ", weight %g", (double)hit->weight);
    }
    fputs("]", stream);
}

static void print_range(const struct show *show, const trp_event_range *range,
                        const trp_event *event, void *user)
{
    FILE *const stream = user;
    fprintf(stream, "  {%s: %s", show->clips[range->playhead].name, event->name);
    if (event->flags & TRP_EVENT_NUMBER) {
        fprintf(stream, " %.6g", trp_event_value(event, (double)range->to));
    } else {
        fprintf(stream, " %.0f%%", (double)range->to * 100);
    }
    fputs(range->flags & TRP_EVENT_ENDED ? ", ended}" : "}", stream);
}

/// Prints a frame as a line; on a terminal one without events gives way to the next.
static trp_result print_frame_line(const struct show *show, uint64_t frame, bool is_live)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *const stream = open_memstream(&text, &size_bytes);
    if (stream == NULL) {
        return TRP_ERROR_CAPACITY;
    }
    print_state(stream, show, frame);
    fflush(stream);
    const size_t state_bytes = size_bytes;
    trp_result result = visit_events(show, print_event, stream);
    result = result == TRP_OK ? visit_ranges(show, print_range, stream) : result;
    fclose(stream);
    if (is_live) {
        fputs("\r\033[K", stdout);
    }
    output_text("%s", text);
    if (!is_live || size_bytes > state_bytes) {
        putchar('\n');
    }
    free(text);
    return result;
}

// ---- the clock ----

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

/// Sleeps until a frame is due.
static void wait_for(const struct show *show, const struct timespec *start, uint64_t frame)
{
    const double seconds = seconds_of(show, frame);
    const double whole = floor(seconds);
    struct timespec due = {
        .tv_sec = start->tv_sec + (time_t)whole,
        .tv_nsec = start->tv_nsec + (long)((seconds - whole) * 1e9),
    };
    due.tv_sec += due.tv_nsec / 1000000000;
    due.tv_nsec %= 1000000000;
    fflush(stdout);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

static trp_result play(struct show *show)
{
    const bool is_live = !show->command->is_json && isatty(STDOUT_FILENO);
    const uint64_t frame_count = frame_count_of(show);
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (is_live) {
        const struct sigaction action = {.sa_handler = interrupt};
        sigaction(SIGINT, &action, NULL);
        fputs("\033[?7l", stdout); // a line that is too long is cut, not wrapped
    }
    trp_result result = TRP_OK;
    for (uint64_t frame = 1;
         frame <= frame_count && result == TRP_OK && !is_interrupted && !ferror(stdout); frame++) {
        if (is_live) {
            wait_for(show, &start, frame);
        }
        result = advance(show);
        result = result == TRP_OK ? move_root(show) : result;
        if (result == TRP_OK) {
            result = show->command->is_json ? print_frame_json(show, frame)
                                            : print_frame_line(show, frame, is_live);
        }
    }
    if (is_live) {
        fputs("\033[?7h\n", stdout);
    }
    return result;
}

enum troupe_exit cli_play(int argc, char **argv)
{
    struct arena arena = {0};
    struct play_command command = {
        .parts = ARENA_NEW(&arena, struct part, (size_t)argc),
        .fps_num = 60,
        .fps_den = 1,
        .speed = 1,
        .mode = TRP_PLAY_LOOP,
    };
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (parse_command(argc, argv, &command, &code)) {
        struct report report = {.out = stderr};
        struct cli_pack pack = {0};
        struct show show;
        if (cli_pack_read(command.pack, &pack, &report) &&
            build_show(&show, &command, &pack, &arena, &report)) {
            const trp_result result = play(&show);
            if (result != TRP_OK) {
                report_error(&report, TROUPE_EXIT_INTERNAL, NULL, "cli.play",
                             "playing failed with %s", trp_result_name(result));
            }
        }
        cli_pack_free(&pack);
        code = report.error_count > 0 ? report.exit_code : TROUPE_EXIT_OK;
    }
    arena_free(&arena);
    return code;
}
