// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe help`: the table of verbs, and the text about each.
#include <stdio.h>
#include <string.h>

#include "cli.h"

const struct cli_verb cli_verbs[] = {
    {
        "compile",
        "turn source files into a pack",
        "[options] IN... -o OUT.trp",
        "Reads glTF 2.0 (.glb, .gltf), STF (.stf) and Panthera 2.0 (.json, .lua) and writes one\n"
        "pack with all skeletons, skins, properties (morph weights, animated pointers, switches,\n"
        "properties of nodes of Panthera), instances of armatures with their humanoids, clips and\n"
        "blend trees. A clip that cannot keep its error budget is an error, and nothing is\n"
        "written.\n"
        "\n"
        "  -o, --output FILE    the pack to write\n"
        "  -j, --jobs N         threads, 0 = one for each processor (default); the bytes are the\n"
        "                       same for any N\n"
        "  --skeleton PACK      clips for the first skeleton of PACK, joints matched by name\n"
        "  --depfile FILE       write a Make rule that names the inputs\n"
        "  --json               print what the pack holds as JSON\n"
        "  --quiet              print nothing but warnings and errors\n"
        "\n"
        "These apply to the inputs after them, until given again (numbers from 1e-9 to 1e9):\n"
        "  --unit METRES        size of one unit of the source (default 1 / metric_multiplier of\n"
        "                       an STF file, else 1)\n"
        "  --error MM           error budget (default 0.1)\n"
        "  --shell METRES       distance from a joint at which error is measured (default 0.03)\n"
        "  --loop auto|on|off   on: append the first key as closing row where it is missing\n"
        "  --additive CLIP|rest|none\n"
        "                       store differences against the first frame of CLIP of the same\n"
        "                       file, or against the rest pose\n"
        "  --exact[=on|off]     on: keep every track key by key as the source has it; that is\n"
        "                       how files of Panthera are compiled where off is not given.\n"
        "                       off: properties may be rows, off by 1e-5 of their largest value\n"
        "                       at most (of 1 where that is less), whatever --error says\n"
        "  --trim[=on|off]      on: clips start at their first key, not at 0 s\n"
        "  --root-motion JOINT|none\n"
        "                       take the way of JOINT out of the pose: playheads give it back.\n"
        "                       By its name; or where no joint has that, by the index of its\n"
        "                       node\n"
        "  --root-axes LIST     what of it, of x, y, z and yaw (default x,z,yaw)\n"
        "  --root-in-pose[=on|off]\n"
        "                       on: tell of root motion, but leave it in the pose too\n"
        "  --stf-tangents negated|added\n"
        "                       how y of STF tangents is meant: taken from the key's value, as\n"
        "                       files have it (default), or added to it\n"
        "  --nodes joints|attachments|all\n"
        "                       which nodes besides the joints of skins to keep\n"
        "  --events FILE|none   events besides those of the inputs themselves (in glTF\n"
        "                       animations[i].extras.events, a list of {name, time, duration,\n"
        "                       value, marker}): {\"fps\": 30, \"clips\": {\"Walk\": [{\"name\":\n"
        "                       \"step\", \"frame\": 12}]}}, for a clip of the inputs by its "
        "name\n",
        cli_compile,
    },
    {
        "info",
        "print what a pack holds",
        "PACK [--json]",
        "Prints skeletons, skins, property sets with nodes and layers of Panthera and with texts,\n"
        "instances, clips with their sizes and measured errors, and blend trees; as JSON also\n"
        "events and root motion of clips, all of long lists, and of instances their pose,\n"
        "components and humanoid, with limits in radians.\n"
        "\n"
        "bytes        all that a clip adds to the pack, names excluded\n"
        "keyed bytes  those of them that hold keyed tracks\n"
        "raw bytes    joints x (round(30 x duration) + 1) x 40, the same clip as plain 30 Hz\n"
        "             poses; 0 where a clip has values only\n"
        "\n"
        "A track is absent (at rest), constant, dense (in rows, within the error budget) or keyed\n"
        "(exact). Tracks of joints are counted one by one, those of properties by their values.\n"
        "\n"
        "  --json     print it as JSON\n",
        cli_info,
    },
    {
        "sample",
        "print poses and property values of a clip",
        "PACK --clip NAME | --instance NAME [--time T]... [options]",
        "Samples with the runtime, exactly as a game would, and prints joints in the order of the\n"
        "source file, then the properties. An additive clip is applied to the rest pose and to\n"
        "the defaults of the properties in model space. Root motion is that since the start of\n"
        "the clip. As JSON a property of a node of Panthera is {node, property, value} besides;\n"
        "layers, which no clip moves, are left out unless --property names one.\n"
        "\n"
        "  --clip NAME          the clip\n"
        "  --instance NAME      the clip plays over the pose of this instance, not over rest;\n"
        "                       without a clip that pose alone. Of the joints its bones are\n"
        "                       shown\n"
        "  --time SECONDS       when; may be given many times (default 0); -1: what an animation\n"
        "                       of Panthera has before it starts\n"
        "  --space local|model  against the parent (default), or 3x4 matrices from the scene root\n"
        "  --joint NAME|ID      this joint alone, and no property unless one is named too\n"
        "  --property NAME      this property alone, by its path or by the label of a value, such\n"
        "                       as the name of a blendshape; no joint unless one is named too\n"
        "  --skeleton PACK      the pack that holds the skeleton, where PACK does not\n"
        "  --json               print it as JSON\n",
        cli_sample,
    },
    {
        "events",
        "list the events that fire over a time",
        "PACK --clip NAME --from A --to B [options]",
        "Plays a clip while a clock runs from A to B and prints every event that fires, each once\n"
        "for every time it is passed: what lies at B does, what lies at A does not. At 0 on the\n"
        "clock the clip is at its start, or at its end where the speed is below 0. Where B is\n"
        "before A the clock runs backwards.\n"
        "\n"
        "  --clip NAME      the clip\n"
        "  --from SECONDS, --to SECONDS\n"
        "                   on the clock, from -1e9 to 1e9\n"
        "  --loop clamp|loop|pingpong\n"
        "                   what happens at the ends of the clip (default: as its file says;\n"
        "                   where it says nothing clamp: it stops there)\n"
        "  --speed N        seconds of the clip in a second of the clock (default 1), taken to "
        "the\n"
        "                   nearest 1/65536 as playheads do\n"
        "  --range START:END\n"
        "                   play this part of the clip, in seconds; without END all the rest\n"
        "  --start          what lies at A fires too, as where a game begins to play\n"
        "  --json           print it as JSON\n",
        cli_events,
    },
    {
        "play",
        "play clips frame by frame",
        "PACK --clip NAME [--weight W] [--clip NAME ...] [options]",
        "Plays clips together as a game does and prints a line for each frame: the time in each\n"
        "clip (and how often it came round), where root motion has taken the character, averaged\n"
        "by weight, [the events that fire] and {those with a duration that are under way, with\n"
        "their number or part}. On a terminal it plays in real time, frames without events on\n"
        "one line, until Ctrl-C ends it.\n"
        "\n"
        "  --clip NAME     a clip; may be given many times\n"
        "  --weight W      of the clip before it (default 1)\n"
        "  --fps N         frames a second, exactly as written: 60 (default), 29.97, 30000/1001\n"
        "  --speed N       seconds of the clip in a second (default 1), taken to the nearest\n"
        "                  1/65536 as playheads do; below 0 from the end\n"
        "  --loop clamp|loop|pingpong\n"
        "                  what happens at the ends of the clips (default: as their files say;\n"
        "                  where they say nothing loop)\n"
        "  --seconds N, --frames N\n"
        "                  how long (default: until the first clip came round once, there and\n"
        "                  back where it turns)\n"
        "  --sync          all clips keep step: marker meets marker, or ends meet where the clips\n"
        "                  do not have the same markers; joining the group fires nothing\n"
        "  --json          print one JSON object a line, one for each frame\n",
        cli_play,
    },
    {
        "verify",
        "measure a pack against its sources",
        "[options] PACK SOURCE...",
        "Samples every clip at and between all keys and rows, at random times and on both sides\n"
        "of every step, and compares with the exact curves of the source. Values of properties\n"
        "are shown in parts of their tolerance, 1e-5 of the largest value of the property, or of\n"
        "1. Exit code 4 where a clip is over its budget, a value over its tolerance, or an event "
        "of\n"
        "the source missing or changed. Without --events the pack may have events that the\n"
        "sources themselves do not have.\n"
        "\n"
        "  --seed N         of the random times (default 1)\n"
        "  --skeleton PACK  the pack that holds the skeleton, where PACK does not\n"
        "  --events FILE|none\n"
        "                   events of the sources after it, as 'compile' was told\n"
        "  --stf-tangents negated|added\n"
        "                   of the sources after it, likewise\n"
        "  --json           print it as JSON\n",
        cli_verify,
    },
    {
        "bench",
        "measure the speed of the runtime",
        "PACK [options]",
        "Times every operation on a crowd for each skeleton of the pack, on one core. The rounds\n"
        "of all instruction sets are interleaved; the best round counts, the median is shown.\n"
        "Times of sample: forward (in order), random, all (random clips too). keyed samples the\n"
        "clip of forward, or else the one with most keyed tracks, with cursors: playing on by a\n"
        "sixtieth of a second or at random times. advance moves 100 playheads for each instance\n"
        "(at most 100,000) on by a sixtieth, events and root_motion also ask what happened\n"
        "meanwhile; they play the clip of forward, or else the one with most events, in a loop.\n"
        "Their poses are playheads.\n"
        "\n"
        "  --instances N   size of the crowd (default 1000)\n"
        "  --clip NAME     the clip of forward and random (default: the longest)\n"
        "  --isa A,B,...   instruction sets (default: all that this processor has; the plain C\n"
        "                  `reference` only where named)\n"
        "  --rounds N      at least 10 (default 15)\n"
        "  --threads 1     one is all there is\n"
        "  --json          print it as JSON\n",
        cli_bench,
    },
    {
        "help",
        "explain a verb",
        "[VERB]",
        "Prints the list of verbs, or what one of them does.\n",
        cli_help,
    },
};

const uint32_t cli_verb_count = sizeof cli_verbs / sizeof cli_verbs[0];

const struct cli_verb *cli_verb_find(const char *name)
{
    for (uint32_t i = 0; i < cli_verb_count; i++) {
        if (strcmp(cli_verbs[i].name, name) == 0) {
            return &cli_verbs[i];
        }
    }
    return NULL;
}

void cli_help_print(const struct cli_verb *verb)
{
    printf("usage: troupe %s %s\n\n%s", verb->name, verb->usage, verb->help);
}

enum troupe_exit cli_help(int argc, char **argv)
{
    if (argc > 2) {
        return cli_usage_error("help", "one verb at a time");
    }
    if (argc == 2) {
        const struct cli_verb *const verb = cli_verb_find(argv[1]);
        if (verb == NULL) {
            return cli_usage_error("help", "unknown verb '%s', see 'troupe help'", argv[1]);
        }
        cli_help_print(verb);
        return TROUPE_EXIT_OK;
    }
    printf("usage: troupe VERB ...\n\n");
    for (uint32_t i = 0; i < cli_verb_count; i++) {
        printf("  %-9s %s\n", cli_verbs[i].name, cli_verbs[i].summary);
    }
    printf("\n'troupe help VERB' tells more, 'troupe --version' the version.\n"
           "Exit codes: 0 done, 1 usage, 2 files, 3 invalid input, 4 error budget not met,\n"
           "5 unsupported, 6 internal.\n");
    return TROUPE_EXIT_OK;
}
