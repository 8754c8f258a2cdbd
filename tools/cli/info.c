// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe info`: what a pack holds, how large it is and how exact.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "format.h"
#include "output.h"

/// How many of a clip's tracks are of each kind.
struct kind_counts {
    uint32_t absent;
    uint32_t constant;
    uint32_t dense; ///< in rows
    uint32_t keyed; ///< as the source has them
};

/// What the runtime's view does not tell of a clip.
struct clip_facts {
    struct trp__clip_header header;
    const char *source_file;
    const char *source_clip;
    const char *additive_reference;
    const char *skeleton; ///< its name, null where it lies in another pack
    uint64_t bytes;
    uint64_t raw_bytes;
    uint64_t keyed_bytes;
    const char *property_set;  ///< its name, null where the clip has no values
    struct kind_counts tracks; ///< of lanes that hold a joint
    struct kind_counts values;
    bool knows_joints; ///< false: lanes without a joint count as absent
};

static const char *string_at(const struct cli_pack *pack, uint32_t offset)
{
    return (const char *)pack->pack.strings + offset;
}

/// Sorts the tracks of joints by their kind.
/// @param skeleton null where it lies elsewhere
static struct kind_counts count_tracks(const trp_clip *clip, const trp_skeleton *skeleton)
{
    struct kind_counts counts = {0};
    for (uint32_t lane = 0; lane < clip->block_count * TRP_BLOCK_LANES; lane++) {
        if (skeleton != NULL && skeleton->joint_of_lane[lane] == TRP_NO_LANE) {
            continue;
        }
        for (trp_path path = TRP_PATH_ROTATION; path <= TRP_PATH_SCALE; path++) {
            const trp_track_kind kind = trp_clip_track_kind(clip, path, lane);
            counts.absent += kind == TRP_TRACK_ABSENT;
            counts.constant += kind == TRP_TRACK_CONSTANT;
            counts.dense += kind == TRP_TRACK_ANIMATED;
        }
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        trp_track track;
        trp_clip_track(clip, i, &track);
        const bool moves = track.path != TRP_PATH_PROPERTY && track.key_count > 1;
        counts.keyed += moves;
        counts.dense -= moves;
    }
    return counts;
}

static struct kind_counts count_values(const trp_clip *clip, uint32_t dense_count)
{
    struct kind_counts counts = {.dense = dense_count};
    for (uint32_t i = 0; i < clip->track_count; i++) {
        trp_track track;
        trp_clip_track(clip, i, &track);
        if (track.path == TRP_PATH_PROPERTY) {
            *(track.key_count > 1 ? &counts.keyed : &counts.constant) += track.stride;
        }
    }
    counts.absent = clip->value_count - counts.constant - counts.dense - counts.keyed;
    return counts;
}

static uint64_t keyed_bytes_of(const trp_clip *clip, const struct trp__clip_header *header)
{
    struct trp__keyed_header keyed = {0};
    if (header->keyed_offset > 0) {
        memcpy(&keyed, clip->bytes + header->keyed_offset, sizeof keyed);
    }
    return keyed.size_bytes;
}

static struct clip_facts clip_facts_of(const struct cli_pack *pack, const trp_clip *clip)
{
    struct clip_facts facts = {0};
    memcpy(&facts.header, clip->bytes, sizeof facts.header);
    facts.source_file = string_at(pack, facts.header.source_file);
    facts.source_clip = string_at(pack, facts.header.source_clip);
    facts.additive_reference = string_at(pack, facts.header.additive_reference);
    facts.bytes = sizeof(struct trp__entry) + ((clip->size_bytes + 15) & ~(uint64_t)15);
    const uint64_t rows = (uint64_t)round(30.0 * clip->duration_s) + 1;
    facts.raw_bytes = facts.header.source_joint_count * rows * 40;
    trp_skeleton skeleton;
    const bool is_here = trp_pack_skeleton(&pack->pack, clip->skeleton_index, &skeleton) == TRP_OK;
    facts.skeleton = is_here ? skeleton.name : NULL;
    facts.knows_joints = is_here || clip->block_count == 0;
    facts.tracks = count_tracks(clip, is_here ? &skeleton : NULL);
    facts.values = count_values(clip, facts.header.animated_value_count);
    facts.keyed_bytes = keyed_bytes_of(clip, &facts.header);
    trp_property_set set;
    const bool has_set =
        trp_pack_property_set(&pack->pack, clip->property_set_index, &set) == TRP_OK;
    facts.property_set = has_set ? set.name : NULL;
    return facts;
}

struct cli_totals cli_pack_totals(const struct cli_pack *pack)
{
    struct cli_totals totals = {0};
    for (uint32_t i = 0; i < pack->pack.clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(&pack->pack, i, &clip);
        const struct clip_facts facts = clip_facts_of(pack, &clip);
        totals.clip_bytes += facts.bytes;
        totals.raw_bytes += facts.raw_bytes;
        totals.max_error_mm = fmax(totals.max_error_mm, (double)clip.max_error_mm);
    }
    return totals;
}

static double ratio_of(uint64_t raw_bytes, uint64_t bytes)
{
    return bytes > 0 ? (double)raw_bytes / (double)bytes : 0;
}

static double rate_of(const trp_clip *clip)
{
    return (double)clip->rate_num / (double)clip->rate_den;
}

static json_t *describe_skeleton(const trp_skeleton *skeleton)
{
    uint32_t roots = 0;
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        roots += trp_skeleton_parent(skeleton, joint) == TRP_NONE;
    }
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(skeleton->name));
    json_object_set_new(object, "joints", json_integer(skeleton->joint_count));
    json_object_set_new(object, "roots", json_integer(roots));
    json_object_set_new(object, "blocks", json_integer(skeleton->block_count));
    json_object_set_new(object, "joint_blocks", json_integer(skeleton->joint_block_count));
    json_object_set_new(object, "metres_per_unit", output_real(skeleton->metres_per_unit));
    json_object_set_new(object, "bind_hash", output_hash(skeleton->bind_hash));
    return object;
}

static json_t *describe_skin(const struct cli_pack *pack, const trp_skin *skin)
{
    trp_skeleton skeleton;
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(skin->name));
    json_object_set_new(object, "skeleton",
                        trp_pack_skeleton(&pack->pack, skin->skeleton_index, &skeleton) == TRP_OK
                            ? output_string(skeleton.name)
                            : json_null());
    json_object_set_new(object, "joints", json_integer(skin->joint_count));
    return object;
}

/// Returns the name of the joint of a lane, or null where the skeleton lies elsewhere.
static json_t *describe_lane(const struct cli_pack *pack, const trp_clip *clip, uint32_t lane)
{
    trp_skeleton skeleton;
    if (trp_pack_skeleton(&pack->pack, clip->skeleton_index, &skeleton) != TRP_OK ||
        lane >= skeleton.lane_count || skeleton.joint_of_lane[lane] == TRP_NO_LANE) {
        return json_null();
    }
    return output_string(trp_skeleton_joint_name(&skeleton, skeleton.joint_of_lane[lane]));
}

/// Returns what a clip says of root motion, or null where it says nothing.
static json_t *describe_root_motion(const struct cli_pack *pack, const trp_clip *clip)
{
    static const char *const names[] = {"x", "y", "z", "yaw"};
    trp_root_motion root_motion;
    if (trp_clip_root_motion(clip, &root_motion) != TRP_OK) {
        return json_null();
    }
    json_t *const components = json_array();
    for (int i = 0; i < 4; i++) {
        if (root_motion.components & (1u << i)) {
            json_array_append_new(components, json_string(names[i]));
        }
    }
    trp_root_delta cycle;
    if (cli_root_motion_until(clip, clip->duration_s, &cycle) != TRP_OK) {
        return json_null();
    }
    json_t *const translation = json_array();
    for (int i = 0; i < 3; i++) {
        json_array_append_new(translation, output_exact(cycle.translation[i]));
    }
    json_t *const object = json_object();
    json_object_set_new(object, "joint", describe_lane(pack, clip, root_motion.lane));
    json_object_set_new(object, "components", components);
    json_object_set_new(object, "in_pose", json_boolean(root_motion.is_in_pose));
    json_object_set_new(object, "keys", json_integer(root_motion.key_count));
    json_object_set_new(object, "pivot", output_floats(root_motion.pivot, 2));
    json_object_set_new(object, "translation_per_cycle", translation);
    json_object_set_new(object, "yaw_per_cycle_rad", output_exact(cycle.yaw_rad));
    return object;
}

static json_t *describe_events(const trp_clip *clip)
{
    json_t *const events = json_array();
    for (uint32_t i = 0; i < clip->event_count; i++) {
        trp_event event;
        trp_clip_event(clip, i, &event);
        json_t *const object = json_object();
        cli_describe_event(&event, object);
        json_array_append_new(events, object);
    }
    return events;
}

static json_t *describe_clip(const struct cli_pack *pack, const trp_clip *clip)
{
    const struct clip_facts facts = clip_facts_of(pack, clip);
    json_t *const object = json_object();
    json_object_set_new(object, "name", output_string(clip->name));
    json_object_set_new(object, "id", output_string(clip->source_id));
    json_object_set_new(object, "skeleton",
                        facts.skeleton != NULL ? output_string(facts.skeleton) : json_null());
    json_object_set_new(object, "source_file", output_string(facts.source_file));
    json_object_set_new(object, "source_clip", output_string(facts.source_clip));
    json_object_set_new(object, "duration_s", output_real(clip->duration_s));
    json_object_set_new(object, "rate_hz", output_real(rate_of(clip)));
    json_object_set_new(object, "ticks", json_integer(clip->tick_count));
    json_object_set_new(object, "rows", json_integer(facts.header.row_count));
    json_object_set_new(object, "segments", json_integer(clip->segment_count));
    json_object_set_new(object, "ticks_per_segment", json_integer(clip->ticks_per_segment));
    json_object_set_new(object, "additive_reference",
                        clip->flags & TRP_CLIP_ADDITIVE ? output_string(facts.additive_reference)
                                                        : json_null());
    json_object_set_new(object, "loop_closed", json_boolean(clip->flags & TRP_CLIP_LOOP_CLOSED));
    json_object_set_new(object, "play", json_string(cli_mode_name(trp_clip_play_mode(clip))));
    json_object_set_new(object, "root_motion", describe_root_motion(pack, clip));
    json_object_set_new(object, "events", describe_events(clip));
    json_object_set_new(object, "absent_tracks",
                        facts.knows_joints ? json_integer(facts.tracks.absent) : json_null());
    json_object_set_new(object, "constant_tracks", json_integer(facts.tracks.constant));
    json_object_set_new(object, "dense_tracks", json_integer(facts.tracks.dense));
    json_object_set_new(object, "keyed_tracks", json_integer(facts.tracks.keyed));
    json_object_set_new(object, "property_set",
                        facts.property_set != NULL ? output_string(facts.property_set)
                                                   : json_null());
    json_object_set_new(object, "absent_values", json_integer(facts.values.absent));
    json_object_set_new(object, "constant_values", json_integer(facts.values.constant));
    json_object_set_new(object, "dense_values", json_integer(facts.values.dense));
    json_object_set_new(object, "keyed_values", json_integer(facts.values.keyed));
    json_object_set_new(object, "bytes", json_integer((json_int_t)facts.bytes));
    json_object_set_new(object, "keyed_bytes", json_integer((json_int_t)facts.keyed_bytes));
    json_object_set_new(object, "raw_bytes", json_integer((json_int_t)facts.raw_bytes));
    json_object_set_new(object, "budget_mm", output_float(clip->budget_mm));
    json_object_set_new(object, "shell_m", output_float(clip->shell_m));
    json_object_set_new(object, "max_error_keys_mm", output_float(clip->max_error_keys_mm));
    json_object_set_new(object, "max_error_mm", output_float(clip->max_error_mm));
    json_object_set_new(object, "mean_error_mm", output_float(clip->mean_error_mm));
    return object;
}

void cli_describe_json(const struct cli_pack *pack, json_t *object)
{
    json_t *const skeletons = json_array();
    for (uint32_t i = 0; i < pack->pack.skeleton_count; i++) {
        trp_skeleton skeleton;
        trp_pack_skeleton(&pack->pack, i, &skeleton);
        json_array_append_new(skeletons, describe_skeleton(&skeleton));
    }
    json_t *const skins = json_array();
    for (uint32_t i = 0; i < pack->pack.skin_count; i++) {
        trp_skin skin;
        trp_pack_skin(&pack->pack, i, &skin);
        json_array_append_new(skins, describe_skin(pack, &skin));
    }
    json_t *const property_sets = json_array();
    for (uint32_t i = 0; i < pack->pack.property_set_count; i++) {
        trp_property_set set;
        trp_pack_property_set(&pack->pack, i, &set);
        json_array_append_new(property_sets, cli_describe_property_set(&set));
    }
    json_t *const clips = json_array();
    for (uint32_t i = 0; i < pack->pack.clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(&pack->pack, i, &clip);
        json_array_append_new(clips, describe_clip(pack, &clip));
    }
    const struct cli_totals totals = cli_pack_totals(pack);
    json_object_set_new(object, "bytes", json_integer((json_int_t)pack->size_bytes));
    json_object_set_new(object, "content_hash", output_hash(pack->content_hash));
    json_object_set_new(object, "content_hash_ok", json_boolean(pack->hash_ok));
    json_object_set_new(object, "clip_bytes", json_integer((json_int_t)totals.clip_bytes));
    json_object_set_new(object, "clip_raw_bytes", json_integer((json_int_t)totals.raw_bytes));
    json_object_set_new(object, "ratio",
                        output_real(ratio_of(totals.raw_bytes, totals.clip_bytes)));
    json_object_set_new(object, "max_error_mm", output_float((float)totals.max_error_mm));
    json_object_set_new(object, "skeletons", skeletons);
    json_object_set_new(object, "skins", skins);
    json_object_set_new(object, "property_sets", property_sets);
    json_object_set_new(object, "clips", clips);
    json_object_set_new(object, "instances", cli_describe_instances(pack));
    json_object_set_new(object, "blendtrees", cli_describe_blendtrees(pack));
}

static void print_skeletons(const struct cli_pack *pack)
{
    static const char *const headings[] = {"<skeleton", "joints", "blocks", "unit m", "<skins"};
    struct output_table table = {.headings = headings, .column_count = 5};
    for (uint32_t i = 0; i < pack->pack.skeleton_count; i++) {
        trp_skeleton skeleton;
        trp_pack_skeleton(&pack->pack, i, &skeleton);
        uint32_t skin_count = 0;
        uint32_t entry_count = 0;
        for (uint32_t j = 0; j < pack->pack.skin_count; j++) {
            trp_skin skin;
            trp_pack_skin(&pack->pack, j, &skin);
            skin_count += skin.skeleton_index == i;
            entry_count += skin.skeleton_index == i ? skin.joint_count : 0;
        }
        output_cell(&table, "%s", skeleton.name);
        output_cell(&table, "%u", skeleton.joint_count);
        output_cell(&table, "%u", skeleton.block_count);
        output_cell(&table, "%g", skeleton.metres_per_unit);
        output_cell(&table, "%u (%u matrices)", skin_count, entry_count);
    }
    output_table_print(&table);
}

/// Prints what the clips do with the values of their property sets.
static void print_values(const struct cli_pack *pack)
{
    static const char *const headings[] = {
        "<clip", "<property set", "absent", "constant", "dense", "keyed values",
    };
    struct output_table table = {.headings = headings, .column_count = 6};
    for (uint32_t i = 0; i < pack->pack.clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(&pack->pack, i, &clip);
        const struct clip_facts facts = clip_facts_of(pack, &clip);
        if (facts.property_set == NULL) {
            continue;
        }
        output_cell(&table, "%s", clip.name);
        output_cell(&table, "%s", facts.property_set);
        output_cell(&table, "%u", facts.values.absent);
        output_cell(&table, "%u", facts.values.constant);
        output_cell(&table, "%u", facts.values.dense);
        output_cell(&table, "%u", facts.values.keyed);
    }
    output_table_print(&table);
}

/// Writes what a clip is as letters that the legend explains.
static const char *flag_letters(const trp_clip *clip, char letters[5])
{
    static const char play_letters[] = {
        [TRP_PLAY_CLAMP] = '-',
        [TRP_PLAY_LOOP] = 'o',
        [TRP_PLAY_PING_PONG] = 'p',
    };
    trp_root_motion root_motion;
    const bool has_root_motion = trp_clip_root_motion(clip, &root_motion) == TRP_OK;
    letters[0] = clip->flags & TRP_CLIP_ADDITIVE ? 'a' : '-';
    letters[1] = clip->flags & TRP_CLIP_LOOP_CLOSED ? 'l' : '-';
    letters[2] = !has_root_motion ? '-' : root_motion.is_in_pose ? 'R' : 'r';
    letters[3] = play_letters[trp_clip_play_mode(clip)];
    letters[4] = '\0';
    return letters;
}

static void print_clips(const struct cli_pack *pack)
{
    static const char *const headings[] = {
        "<clip",       "seconds",   "Hz",    "rows",    "segments", "absent",
        "constant",    "dense",     "keyed", "events",  "<flags",   "bytes",
        "keyed bytes", "raw bytes", "ratio", "keys mm", "max mm",   "mean mm",
    };
    struct output_table table = {.headings = headings, .column_count = 18};
    for (uint32_t i = 0; i < pack->pack.clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(&pack->pack, i, &clip);
        const struct clip_facts facts = clip_facts_of(pack, &clip);
        char letters[5];
        output_cell(&table, "%s", clip.name);
        output_cell(&table, "%.3f", clip.duration_s);
        output_cell(&table, "%.6g", rate_of(&clip));
        output_cell(&table, "%u", facts.header.row_count);
        output_cell(&table, "%u", clip.segment_count);
        output_cell(&table, facts.knows_joints ? "%u" : "-", facts.tracks.absent);
        output_cell(&table, "%u", facts.tracks.constant);
        output_cell(&table, "%u", facts.tracks.dense);
        output_cell(&table, "%u", facts.tracks.keyed);
        output_cell(&table, "%u", clip.event_count);
        output_cell(&table, "%s", flag_letters(&clip, letters));
        output_cell(&table, "%llu", (unsigned long long)facts.bytes);
        output_cell(&table, "%llu", (unsigned long long)facts.keyed_bytes);
        output_cell(&table, "%llu", (unsigned long long)facts.raw_bytes);
        output_cell(&table, facts.raw_bytes > 0 ? "%.1f" : "-",
                    ratio_of(facts.raw_bytes, facts.bytes));
        output_cell(&table, "%.4f", (double)clip.max_error_keys_mm);
        output_cell(&table, "%.4f", (double)clip.max_error_mm);
        output_cell(&table, "%.4f", (double)clip.mean_error_mm);
    }
    output_table_print(&table);
}

/// Prints the events of all clips; nothing where there are none.
static void print_events(const struct cli_pack *pack)
{
    static const char *const headings[] = {"<event", "<clip", "at second", "lasts", "<carries"};
    struct output_table table = {.headings = headings, .column_count = 5};
    uint32_t count = 0;
    for (uint32_t i = 0; i < pack->pack.clip_count; i++) {
        trp_clip clip;
        trp_pack_clip(&pack->pack, i, &clip);
        for (uint32_t j = 0; j < clip.event_count; j++, count++) {
            trp_event event;
            trp_clip_event(&clip, j, &event);
            char *const value = cli_event_value_text(&event);
            output_cell(&table, "%s", event.name);
            output_cell(&table, "%s", clip.name);
            output_cell(&table, "%.6g", event.time_s);
            output_cell(&table, event.duration_s > 0 ? "%.6g" : "-", event.duration_s);
            output_cell(&table, "%s", *value != '\0' ? value + 1 : "-");
            free(value);
        }
    }
    if (count > 0) {
        output_table_print(&table);
        output_line("%s", "");
    }
}

static void print_pack(const char *path, const struct cli_pack *pack)
{
    const struct cli_totals totals = cli_pack_totals(pack);
    output_line("%s: %zu bytes, content hash %016llx (%s)", path, pack->size_bytes,
                (unsigned long long)pack->content_hash, pack->hash_ok ? "right" : "WRONG");
    output_line("%s", "");
    if (pack->pack.skeleton_count > 0) {
        print_skeletons(pack);
        output_line("%s", "");
    }
    if (pack->pack.property_set_count > 0) {
        cli_print_property_sets(pack);
        output_line("%s", "");
    }
    if (pack->pack.instance_count > 0) {
        cli_print_instances(pack);
        output_line("%s", "");
    }
    print_clips(pack);
    output_line("%s", "");
    print_events(pack);
    if (pack->pack.property_set_count > 0) {
        print_values(pack);
        output_line("%s", "");
    }
    if (pack->pack.blendtree_count > 0) {
        cli_print_blendtrees(pack);
        output_line("%s", "");
    }
    output_line("%u clip%s, %llu bytes", pack->pack.clip_count,
                pack->pack.clip_count == 1 ? "" : "s", (unsigned long long)totals.clip_bytes);
    if (totals.raw_bytes > 0) {
        output_line("%.1f x smaller than %llu raw, largest error %.4f mm",
                    ratio_of(totals.raw_bytes, totals.clip_bytes),
                    (unsigned long long)totals.raw_bytes, totals.max_error_mm);
    }
    output_line(
        "flags: a additive, l loop closed, r root motion (R: in the pose too), o plays in a "
        "loop, p there and back");
}

enum troupe_exit cli_info(int argc, char **argv)
{
    enum { OPTION_JSON = 256 };
    static const struct option long_options[] = {
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, CLI_OPTION_HELP},
        {0},
    };
    bool is_json = false;
    int option = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option != OPTION_JSON) {
            return cli_option_other("info", option, argv);
        }
        is_json = true;
    }
    if (argc - optind != 1) {
        return cli_usage_error("info", "one pack, please");
    }
    const char *const path = argv[optind];
    struct report report = {.out = stderr};
    struct cli_pack pack;
    if (!cli_pack_read(path, &pack, &report)) {
        return report.exit_code;
    }
    if (is_json) {
        json_t *const object = output_json("info");
        json_object_set_new(object, "file", output_string(path));
        cli_describe_json(&pack, object);
        output_json_print(object);
    } else {
        print_pack(path, &pack);
    }
    cli_pack_free(&pack);
    return TROUPE_EXIT_OK;
}
