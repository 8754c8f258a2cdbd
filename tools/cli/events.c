// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe events`: which events of a clip fire while a clock runs from one time to another, found
// by the runtime as a game would.
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"

/// Times on the clock lie within this of 0: some thirty years.
static const double largest_time_s = 1e9;

/// The runtime says in floats how far the clock had run when an event fired. Over an interval of so
/// many periods that still tells which period it was.
static const double most_periods = 0x1p10;

struct events_command {
    const char *pack;
    const char *clip;
    double from_s;
    double to_s;
    bool has_from;
    bool has_to;
    bool includes_start;
    double start_s; ///< of the part of the clip that is played
    double end_s;
    double speed;
    trp_play_mode mode;
    bool has_mode; ///< else as its file says
    bool is_json;
};

/// A clip that plays along a clock: at 0 it is at its start, or at its end where the speed is below
/// 0.
struct course {
    const trp_clip *clip;
    trp_timeline timeline;
    double speed;
    bool is_backwards; ///< against the order of the course: its speed, or the clock, runs backwards
    double length_s;
    double period_s; ///< 0 where the timeline does not come round
};

/// One event on its way to the output.
struct fired {
    trp_event event;
    double at_s; ///< on the clock
    int64_t cycle;
    bool is_reverse;
};

enum {
    OPTION_CLIP = 256,
    OPTION_FROM,
    OPTION_TO,
    OPTION_LOOP,
    OPTION_SPEED,
    OPTION_START,
    OPTION_RANGE,
    OPTION_JSON,
};

/// Reads a time on the clock.
static bool parse_time(const char *name, const char *text, double *time_s)
{
    if (cli_parse_number(text, time_s) && fabs(*time_s) <= largest_time_s) {
        return true;
    }
    cli_usage_error("events", "--%s takes seconds from -1e9 to 1e9, not '%s'", name, text);
    return false;
}

/// Reads what one option says.
/// @return false when the program is to end with `code`.
static bool parse_option(int option, char **argv, struct events_command *command,
                         enum troupe_exit *code)
{
    switch (option) {
    case OPTION_CLIP:
        if (command->clip != NULL) {
            cli_usage_error("events", "one clip at a time: --clip is given twice");
            return false;
        }
        command->clip = optarg;
        return true;
    case OPTION_FROM:
        command->has_from = true;
        return parse_time("from", optarg, &command->from_s);
    case OPTION_TO:
        command->has_to = true;
        return parse_time("to", optarg, &command->to_s);
    case OPTION_LOOP:
        command->has_mode = true;
        return cli_parse_mode("events", optarg, &command->mode);
    case OPTION_SPEED:
        return cli_parse_speed("events", optarg, &command->speed);
    case OPTION_START:
        command->includes_start = true;
        return true;
    case OPTION_RANGE:
        return cli_parse_range("events", optarg, &command->start_s, &command->end_s);
    case OPTION_JSON:
        command->is_json = true;
        return true;
    default:
        *code = cli_option_other("events", option, argv);
        return false;
    }
}

/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct events_command *command,
                          enum troupe_exit *code)
{
    static const struct option long_options[] = {
        {"clip", required_argument, NULL, OPTION_CLIP},
        {"from", required_argument, NULL, OPTION_FROM},
        {"to", required_argument, NULL, OPTION_TO},
        {"loop", required_argument, NULL, OPTION_LOOP},
        {"speed", required_argument, NULL, OPTION_SPEED},
        {"start", no_argument, NULL, OPTION_START},
        {"range", required_argument, NULL, OPTION_RANGE},
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
        cli_usage_error("events", "one pack, please");
        return false;
    }
    if (command->clip == NULL) {
        cli_usage_error("events", "no clip, give --clip NAME");
        return false;
    }
    if (!command->has_from || !command->has_to) {
        cli_usage_error("events", "no interval, give --from SECONDS and --to SECONDS");
        return false;
    }
    command->pack = argv[optind];
    *code = TROUPE_EXIT_OK;
    return true;
}

/// Puts a playhead where the clip is at a time on the clock.
static trp_playhead place_at(const struct course *course, double time_s)
{
    const trp_timeline *const timeline = &course->timeline;
    const double start_s = course->speed < 0 ? timeline->end_s : timeline->start_s;
    trp_playhead playhead = trp_playhead_start(timeline, start_s);
    const trp_playhead_args args = {
        .timelines = timeline,
        .timeline_count = 1,
        .playheads = &playhead,
        .playhead_count = 1,
        .dt_s = course->speed * time_s,
    };
    trp_playheads_advance(&args, NULL);
    playhead.speed = course->is_backwards ? -1 : 1;
    playhead.flags &= ~(uint32_t)TRP_PLAYHEAD_STARTING;
    return playhead;
}

/// Returns the cycle and the time on the clock at which an event fired, from the rough time that
/// the runtime tells.
static struct fired describe_hit(const struct course *course, const trp_event_hit *hit,
                                 double rough_s)
{
    struct fired fired = {.is_reverse = (hit->flags & TRP_EVENT_REVERSE) != 0, .at_s = rough_s};
    trp_clip_event(course->clip, hit->event, &fired.event);
    if (course->speed == 0) {
        return fired;
    }
    const double first_s = course->speed < 0 ? course->length_s : 0; // the place at 0 on the clock
    double offset_s = fired.event.time_s - course->timeline.start_s;
    if (course->timeline.mode == TRP_PLAY_PING_PONG) {
        const bool is_way_back = fired.is_reverse != course->is_backwards && offset_s > 0;
        offset_s = is_way_back ? course->period_s - offset_s : offset_s;
    }
    double cycle = 0;
    if (course->period_s > 0) {
        cycle = round((first_s + course->speed * rough_s - offset_s) / course->period_s);
    }
    fired.cycle = (int64_t)cycle;
    const double way_s = cycle * course->period_s + offset_s - first_s;
    fired.at_s = way_s / course->speed + 0.0; // no -0
    return fired;
}

static json_t *describe_fired(const struct fired *fired)
{
    json_t *const object = json_object();
    json_object_set_new(object, "at_s", output_real(fired->at_s));
    json_object_set_new(object, "cycle", json_integer(fired->cycle));
    json_object_set_new(object, "is_reverse", json_boolean(fired->is_reverse));
    json_object_set_new(object, "event", json_integer(fired->event.index));
    cli_describe_event(&fired->event, object);
    return object;
}

/// Prints what comes before the events. All is printed as it is found: there may be any number.
static void print_head(const struct events_command *command, const struct course *course)
{
    if (!command->is_json) {
        output_line("%14s %12s %10s  %-8s %s", "clock s", "clip s", "cycle", "way", "event");
        return;
    }
    json_t *const object = output_json("events");
    json_object_set_new(object, "clip", output_string(course->clip->name));
    json_object_set_new(object, "from_s", output_real(command->from_s));
    json_object_set_new(object, "to_s", output_real(command->to_s));
    json_object_set_new(object, "speed", output_real(command->speed));
    json_object_set_new(object, "loop", json_string(cli_mode_name(course->timeline.mode)));
    output_json_open(object, "events");
}

static void print_fired(const struct events_command *command, const struct fired *fired,
                        uint64_t count)
{
    if (command->is_json) {
        output_json_item(describe_fired(fired), count == 0);
        return;
    }
    char duration[32] = "";
    char *const value = cli_event_value_text(&fired->event);
    if (fired->event.duration_s > 0) {
        snprintf(duration, sizeof duration, " for %.6g s", fired->event.duration_s);
    }
    output_line("%14.6f %12.6f %10lld  %-8s %s%s%s", fired->at_s, fired->event.time_s,
                (long long)fired->cycle, fired->is_reverse ? "reverse" : "forward",
                fired->event.name, value, duration);
    free(value);
}

static void print_tail(const struct events_command *command, uint64_t count)
{
    if (command->is_json) {
        output_json_close("count", json_integer((json_int_t)count));
    } else {
        output_line("%llu event%s", (unsigned long long)count, count == 1 ? "" : "s");
    }
}

/// Prints the events of a part of the interval that is short enough for rough times.
static void print_part(const struct events_command *command, const struct course *course,
                       double from_s, double to_s, bool includes_start, uint64_t *count)
{
    enum { BUFFER_COUNT = 256 };
    trp_playhead before = place_at(course, from_s);
    const trp_playhead after = place_at(course, to_s);
    before.flags |= includes_start ? TRP_PLAYHEAD_STARTING : 0;
    trp_event_args args = {
        .timelines = &course->timeline,
        .timeline_count = 1,
        .previous = &before,
        .playheads = &after,
        .playhead_count = 1,
    };
    trp_event_hit hits[BUFFER_COUNT];
    trp_event_report found = {0};
    do {
        trp_events(&args, hits, BUFFER_COUNT, &found);
        for (uint32_t i = 0; i < found.written_count; i++) {
            const double rough_s = from_s + (double)hits[i].fraction * (to_s - from_s);
            const struct fired fired = describe_hit(course, &hits[i], rough_s);
            print_fired(command, &fired, *count);
            ++*count;
        }
        args.skip += found.written_count;
    } while (found.written_count > 0 && args.skip < found.hit_count && !ferror(stdout));
}

static void print_events(const struct events_command *command, const struct course *course)
{
    const double way_s = command->to_s - command->from_s;
    const double longest_s = most_periods * course->period_s / fabs(course->speed);
    const bool is_split = course->period_s > 0 && fabs(way_s) > longest_s; // not at speed 0
    const double part_count =
        is_split && course->timeline.event_count > 0 ? ceil(fabs(way_s) / longest_s) : 1;
    uint64_t count = 0;
    print_head(command, course);
    double from_s = command->from_s;
    for (double part = 1; part <= part_count && !ferror(stdout); part++) {
        const double to_s =
            part < part_count ? command->from_s + way_s * (part / part_count) : command->to_s;
        print_part(command, course, from_s, to_s, command->includes_start && part == 1, &count);
        from_s = to_s;
    }
    print_tail(command, count);
}

static bool run_command(const struct events_command *command, const struct cli_pack *pack,
                        struct report *report)
{
    trp_clip clip;
    if (!cli_clip_find(pack, command->clip, &clip, report)) {
        return false;
    }
    const trp_timeline_args args = {
        .clip = &clip,
        .mode = command->has_mode ? command->mode : trp_clip_play_mode(&clip),
        .start_s = command->start_s,
        .end_s = command->end_s,
    };
    const bool is_clock_backwards = command->to_s < command->from_s;
    struct course course = {
        .clip = &clip,
        .speed = command->speed,
        .is_backwards = (command->speed < 0) != is_clock_backwards && command->speed != 0,
    };
    if (!cli_timeline_make(&args, &course.timeline, report)) {
        return false;
    }
    course.length_s = course.timeline.end_s - course.timeline.start_s;
    if (args.mode != TRP_PLAY_CLAMP && course.timeline.length > 0) {
        course.period_s = (args.mode == TRP_PLAY_PING_PONG ? 2 : 1) * course.length_s;
    }
    print_events(command, &course);
    return true;
}

enum troupe_exit cli_events(int argc, char **argv)
{
    struct events_command command = {.speed = 1};
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (!parse_command(argc, argv, &command, &code)) {
        return code;
    }
    struct report report = {.out = stderr};
    struct cli_pack pack;
    if (!cli_pack_read(command.pack, &pack, &report)) {
        return report.exit_code;
    }
    const bool ok = run_command(&command, &pack, &report);
    cli_pack_free(&pack);
    return ok ? TROUPE_EXIT_OK : report.exit_code;
}
