// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// From source files to a pack: read all, choose skeletons, fit every clip on its own thread, write
// in the order of the inputs. Nothing here depends on which thread was faster.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/pack.h>
#include <unistd.h>

#include "../../src/format.h"
#include "compiler.h"
#include "event_file.h"
#include "events.h"
#include "fit.h"
#include "import.h"
#include "instances.h"
#include "motion.h"
#include "name_table.h"
#include "pack_writer.h"
#include "root_motion.h"
#include "skeleton.h"

struct source {
    const struct compile_input *input;
    struct scene scene;
    bool is_open;
    struct skeleton *skeletons;
    uint32_t *skeleton_indices; // in the pack, or TRP_NONE with --skeleton
    uint32_t skeleton_count;
    uint32_t root_skeleton;         // that has the joint of --root-motion, or TRP_NONE
    uint32_t root_lane;             // of that joint
    struct property_values *values; // null where the scene has no properties
    uint32_t property_set;          // in the pack, or TRP_NONE
};

/// One clip to fit.
struct task {
    const struct source *source;
    uint32_t skeleton; // of its source
    struct motion motion;
    const char *name;
    const char *additive_reference; // or null
    bool is_first_of_clip;          // else its events belong to an earlier one
    bool is_root_still;             // root motion is asked for, and there is none to take
    struct arena arena;             // of its thread
    struct buffer clip;
    bool ok;
    char *messages; // what it had to say, from open_memstream
    size_t message_bytes;
    struct report report;
};

struct compilation {
    const struct compile_options *options;
    struct report *report;
    struct arena arena;
    struct source *sources;
    struct event_files event_files;
    struct task *tasks;
    uint32_t task_count;
    trp_pack skeleton_pack;
    trp_skeleton shared_skeleton;
    pthread_mutex_t lock;
    pthread_cond_t finished;
    uint32_t next;
    uint32_t done;
};

/// Fills in all but the unit, which the file may know.
static struct compile_input with_defaults(const struct compile_input *input)
{
    struct compile_input filled = *input;
    filled.error_mm = input->error_mm > 0.0 ? input->error_mm : 0.1;
    filled.shell_m = input->shell_m > 0.0 ? input->shell_m : 0.03;
    return filled;
}

// ---- Reading -----------------------------------------------------------------------------------

static bool open_skeleton_pack(struct compilation *compilation)
{
    const struct compile_options *const options = compilation->options;
    trp_diagnostic diagnostic;
    if (options->skeleton_pack == NULL) {
        return true;
    }
    if (trp_pack_open(options->skeleton_pack, options->skeleton_pack_bytes,
                      &compilation->skeleton_pack, &diagnostic) != TRP_OK) {
        return report_error(compilation->report, TROUPE_EXIT_INPUT, "--skeleton", diagnostic.rule,
                            "not a valid pack: byte %llu",
                            (unsigned long long)diagnostic.byte_offset);
    }
    if (trp_pack_skeleton(&compilation->skeleton_pack, 0, &compilation->shared_skeleton) !=
        TRP_OK) {
        return report_error(compilation->report, TROUPE_EXIT_INPUT, "--skeleton",
                            "skeleton.missing", "the pack holds no skeleton");
    }
    return true;
}

static void tell_dependencies(const struct compile_options *options, const struct source *source)
{
    if (options->dependency == NULL) {
        return;
    }
    options->dependency(source->input->path, options->dependency_user);
    for (uint32_t i = 0; i < source->scene.other_file_count; i++) {
        options->dependency(source->scene.other_files[i], options->dependency_user);
    }
}

/// Returns the node of a scene that a text is the index of, TRP_NONE where it is none.
static uint32_t node_of_index(const struct scene *scene, const char *text)
{
    const size_t length = strspn(text, "0123456789");
    const unsigned long long node = strtoull(text, NULL, 10); // the largest one where it is beyond
    return length > 0 && text[length] == '\0' && node < scene->node_count ? (uint32_t)node
                                                                          : TRP_NONE;
}

/// Returns the first node of a name, TRP_NONE where there is none.
static uint32_t node_of_name(const struct scene *scene, const char *name)
{
    uint32_t node = 0;
    while (node < scene->node_count && strcmp(scene->nodes[node].name, name) != 0) {
        node++;
    }
    return node < scene->node_count ? node : TRP_NONE;
}

static void set_root_joint(struct source *source, uint32_t skeleton, uint32_t joint)
{
    source->root_skeleton = skeleton;
    source->root_lane = source->skeletons[skeleton].lane_of_joint[joint];
}

/// Takes the first joint of a name.
/// @param node [out] of that joint; TRP_NONE where no node is mapped to it
/// @return how many have it
static uint32_t find_named_root(struct source *source, const char *name, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->skeleton_count; i++) {
        const struct skeleton *const skeleton = &source->skeletons[i];
        for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
            if (strcmp(skeleton->name_of_joint[joint], name) != 0) {
                continue;
            }
            if (count++ == 0) {
                set_root_joint(source, i, joint);
                *node = skeleton->node_of_joint[joint];
            }
        }
    }
    return count;
}

static bool refuse_root_joint(const struct source *source, struct report *report)
{
    const char *const name = source->input->root_joint;
    const uint32_t named = node_of_name(&source->scene, name);
    const uint32_t node = named != TRP_NONE ? named : node_of_index(&source->scene, name);
    char hint[96] = "";
    if (node != TRP_NONE && source->input->nodes != COMPILE_NODES_ALL) {
        snprintf(hint, sizeof hint, ": node %u %s, but it is no joint (see --nodes all)", node,
                 named != TRP_NONE ? "is" : "exists");
    }
    return report_error(report, TROUPE_EXIT_INPUT, "--root-motion", "root_motion.joint",
                        "no joint is named '%s'%s", name, hint);
}

/// Finds the joint of `--root-motion`: by its name, in the first skeleton that has it, or by the
/// index of its node where no joint has that name.
static bool find_root_joint(struct source *source, struct report *report)
{
    const char *const name = source->input->root_joint;
    source->root_skeleton = TRP_NONE;
    if (name == NULL) {
        return true;
    }
    uint32_t node = TRP_NONE;
    const uint32_t named_count = find_named_root(source, name, &node);
    if (named_count > 1) {
        char which[32] = "";
        if (node != TRP_NONE) {
            snprintf(which, sizeof which, ", node %u,", node);
        }
        report_warning(report, "--root-motion", "root_motion.joint",
                       "%u joints are named '%s': the first%s is taken", named_count, name, which);
    }
    node = named_count == 0 ? node_of_index(&source->scene, name) : TRP_NONE;
    for (uint32_t i = 0; i < source->skeleton_count && node != TRP_NONE; i++) {
        const uint32_t joint = source->skeletons[i].joint_of_node[node];
        if (joint != TRP_NONE) {
            set_root_joint(source, i, joint);
        }
    }
    return source->root_skeleton != TRP_NONE || refuse_root_joint(source, report);
}

/// @param input gets the unit
static bool open_source(struct compilation *compilation, struct compile_input *input,
                        struct source *source)
{
    struct report *const report = compilation->report;
    source->input = input;
    const struct import_options options = {.is_stf_tangent_added = input->is_stf_tangent_added};
    if (!import_file(input->path, &options, &source->scene, report)) {
        return false;
    }
    source->is_open = true;
    if (!(input->metres_per_unit > 0.0)) {
        input->metres_per_unit =
            source->scene.metres_per_unit > 0.0 ? source->scene.metres_per_unit : 1.0;
    }
    report->file = input->path;
    tell_dependencies(compilation->options, source);
    if (input->events != NULL &&
        !event_files_apply(&compilation->event_files, input->events, &source->scene, report)) {
        return false;
    }
    report->file = input->path;
    if (compilation->options->skeleton_pack != NULL) {
        source->skeletons = ARENA_NEW(&compilation->arena, struct skeleton, 1);
        source->skeleton_count = 1;
        if (!skeleton_of_pack(&compilation->shared_skeleton, &source->scene, &compilation->arena,
                              source->skeletons, report)) {
            return false;
        }
        source->skeletons[0].metres_per_unit = input->metres_per_unit;
    } else if (!skeletons_of_scene(&source->scene, input->nodes, input->metres_per_unit,
                                   &compilation->arena, &source->skeletons, &source->skeleton_count,
                                   report)) {
        return false;
    }
    source->property_set = TRP_NONE;
    if (source->scene.property_count > 0) {
        source->values = property_values_of(&source->scene, &compilation->arena);
    }
    const bool has_clips = source->scene.keeps_clips && source->scene.clip_count > 0;
    if (source->skeleton_count == 0 && (source->values != NULL || has_clips)) {
        source->skeletons = skeleton_of_nothing(&source->scene, &compilation->arena);
        source->skeleton_count = 1;
    }
    source->skeleton_indices = ARENA_NEW(&compilation->arena, uint32_t, source->skeleton_count);
    if (source->skeleton_count == 0) {
        report_warning(report, NULL, "scene.still",
                       "no bones and nothing animated: nothing to keep");
    }
    for (uint32_t i = 0; i < source->scene.instance_count; i++) {
        const struct scene_instance *const instance = &source->scene.instances[i];
        if (instance->bone_count == 0) {
            report_warning(report, source->scene.nodes[instance->node].name, "instance.bones",
                           "armature '%s' has no bones: the instance is left out",
                           instance->armature_name);
        }
    }
    return find_root_joint(source, report);
}

// ---- Planning ----------------------------------------------------------------------------------

static const char *format_name(struct arena *arena, const char *form, const char *a, const char *b)
{
    const int size = snprintf(NULL, 0, form, a, b);
    char *const text = arena_take(arena, (size_t)size + 1, 1);
    snprintf(text, (size_t)size + 1, form, a, b);
    return text;
}

/// Gives a clip its place among the tasks.
/// @param is_kept also where it moves nothing
static void add_task(struct compilation *compilation, struct source *source, uint32_t clip_index,
                     uint32_t skeleton, bool is_first_of_clip, bool is_kept)
{
    struct task *const task = &compilation->tasks[compilation->task_count];
    struct arena *const arena = &compilation->arena;
    *task = (struct task){
        .source = source,
        .skeleton = skeleton,
        .is_first_of_clip = is_first_of_clip,
    };
    // Properties belong to the first of a clip's motions.
    if (!motion_of_clip(&source->skeletons[skeleton], is_first_of_clip ? source->values : NULL,
                        clip_index, arena, &task->motion) &&
        !is_kept) {
        return;
    }
    if (source->input->is_trimmed) {
        motion_trim(&task->motion, arena);
    }
    task->name = scene_clip_name(&source->scene, clip_index, arena);
    if (!is_first_of_clip) {
        const struct skeleton *const own = &source->skeletons[skeleton];
        task->name = format_name(arena, "%s@%s", task->name, own->name_of_joint[0]);
    }
    compilation->task_count++;
}

/// Puts the file's stem in front of names that clips of several inputs have.
static void tell_inputs_apart(struct compilation *compilation)
{
    struct arena *const arena = &compilation->arena;
    const uint32_t count = compilation->task_count;
    struct name_table names = {0};
    uint32_t *const name_of_task = ARENA_NEW(arena, uint32_t, count);
    const struct source **const sources = ARENA_NEW(arena, const struct source *, count); // by name
    bool *const is_shared = ARENA_NEW(arena, bool, count); // by several sources
    for (uint32_t i = 0; i < count; i++) {
        const struct task *const task = &compilation->tasks[i];
        const uint32_t name = name_table_add(&names, task->name);
        name_of_task[i] = name;
        is_shared[name] = is_shared[name] || (sources[name] && sources[name] != task->source);
        sources[name] = task->source;
    }
    name_table_free(&names);
    for (uint32_t i = 0; i < count; i++) {
        struct task *const task = &compilation->tasks[i];
        const char *const name = task->name;
        if (is_shared[name_of_task[i]]) {
            task->name = format_name(arena, "%s|%s", task->source->scene.stem, name);
            compilation->report->file = task->source->input->path;
            report_warning(compilation->report, name, "clip.name",
                           "several inputs have a clip of this name: here it becomes '%s'",
                           task->name);
        }
    }
}

/// Clips of one name in several inputs get the file's stem in front; what still collides a number.
static void settle_names(struct compilation *compilation)
{
    struct arena *const arena = &compilation->arena;
    tell_inputs_apart(compilation);
    struct name_table taken = {0};
    // By name, the last number that was put behind it.
    uint32_t *const repetitions = ARENA_NEW(arena, uint32_t, compilation->task_count);
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        struct task *const task = &compilation->tasks[i];
        const char *const name = task->name;
        const uint32_t first = name_table_find(&taken, name);
        while (name_table_find(&taken, task->name) != NAME_TABLE_NONE) {
            char number[32];
            snprintf(number, sizeof number, "%u", ++repetitions[first] + 1);
            task->name = format_name(arena, "%s#%s", name, number);
        }
        name_table_add(&taken, task->name);
        if (first != NAME_TABLE_NONE) {
            compilation->report->file = task->source->input->path;
            report_warning(compilation->report, name, "clip.name",
                           "the name is taken: this clip becomes '%s'", task->name);
        }
    }
    name_table_free(&taken);
}

/// Whether root motion is taken from a clip, should it move the joint.
static bool has_root_joint(const struct task *task)
{
    return task->source->root_skeleton == task->skeleton;
}

/// Takes the reference pose of `--additive` away from a clip.
static bool make_additive(struct compilation *compilation, struct task *task)
{
    const struct compile_input *const input = task->source->input;
    const struct scene *const scene = &task->source->scene;
    const struct skeleton *const skeleton = &task->source->skeletons[task->skeleton];
    if (input->additive == NULL) {
        return true;
    }
    const bool is_rest = strcmp(input->additive, "rest") == 0; // the pose, not a clip of that name
    if (!is_rest && strcmp(input->additive, task->motion.source_clip) == 0) {
        return true; // the reference itself stays a clip of its own
    }
    compilation->report->file = input->path;
    if (is_rest) {
        motion_make_additive(&task->motion, NULL, &compilation->arena);
    } else {
        struct motion reference;
        uint32_t index = 0;
        while (index < scene->clip_count &&
               strcmp(scene->clips[index].name, input->additive) != 0) {
            index++;
        }
        if (index == scene->clip_count) {
            return report_error(compilation->report, TROUPE_EXIT_INPUT, "--additive",
                                "additive.reference", "no clip is named '%s'", input->additive);
        }
        motion_of_clip(skeleton, task->source->values, index, &compilation->arena, &reference);
        motion_make_additive(&task->motion, &reference, &compilation->arena);
    }
    if (has_root_joint(task) && root_motion_moves(&task->motion, task->source->root_lane)) {
        return report_error(compilation->report, TROUPE_EXIT_INPUT, task->motion.source_clip,
                            "root_motion.additive",
                            "an additive clip that moves '%s' has no root motion to take",
                            input->root_joint);
    }
    task->additive_reference = input->additive;
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const double *const scale = task->motion.reference[lane].scale;
        if (task->motion.curves[lane * 3 + SCENE_SCALE] != NULL &&
            (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0)) {
            return report_error(compilation->report, TROUPE_EXIT_INPUT, task->motion.source_clip,
                                "additive.scale",
                                "the reference scale of joint '%s' is 0: no scale can be added",
                                skeleton->name_of_joint[skeleton->joint_of_lane[lane]]);
        }
    }
    return true;
}

/// Gives a clip its places among the tasks: one for each skeleton that it moves. A clip that moves
/// nothing is one of the first skeleton, if it is kept at all.
static void add_tasks(struct compilation *compilation, struct source *source, uint32_t clip_index)
{
    const struct scene_clip *const clip = &source->scene.clips[clip_index];
    const uint32_t before = compilation->task_count;
    for (uint32_t skeleton = 0; skeleton < source->skeleton_count; skeleton++) {
        add_task(compilation, source, clip_index, skeleton, compilation->task_count == before,
                 false);
    }
    const bool is_kept = clip->event_count > 0 || source->scene.keeps_clips;
    if (compilation->task_count == before && is_kept && source->skeleton_count > 0) {
        add_task(compilation, source, clip_index, 0, true, true);
    }
    if (compilation->task_count == before) {
        compilation->report->file = source->input->path;
        report_warning(compilation->report, clip->name, "clip.empty",
                       "moves no joint and no property: left out%s",
                       clip->event_count > 0 ? ", and its events" : "");
    }
}

static bool plan(struct compilation *compilation)
{
    size_t most = 0;
    for (uint32_t i = 0; i < compilation->options->input_count; i++) {
        const struct source *const source = &compilation->sources[i];
        most += (size_t)source->scene.clip_count * source->skeleton_count;
    }
    compilation->tasks = ARENA_NEW(&compilation->arena, struct task, most + 1);
    for (uint32_t i = 0; i < compilation->options->input_count; i++) {
        struct source *const source = &compilation->sources[i];
        for (uint32_t clip = 0; clip < source->scene.clip_count; clip++) {
            add_tasks(compilation, source, clip);
        }
    }
    settle_names(compilation);
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        if (!make_additive(compilation, &compilation->tasks[i])) {
            return false;
        }
    }
    return true;
}

// ---- Fitting -----------------------------------------------------------------------------------

/// Takes root motion out of a clip where that is asked for.
static bool take_root_motion(struct task *task)
{
    const struct compile_input *const input = task->source->input;
    const struct root_motion_options options = {
        .lane = task->source->root_lane,
        .components = input->root_components,
        .is_in_pose = input->is_root_in_pose,
        .budget = input->error_mm * 1e-3 / input->metres_per_unit,
        .shell_units = input->shell_m / input->metres_per_unit,
    };
    if (!has_root_joint(task)) {
        return true;
    }
    const bool ok = root_motion_take(&task->motion, &options, &task->arena, &task->report);
    task->is_root_still = ok && task->motion.root == NULL && task->report.warning_count == 0;
    return ok;
}

static void run_task(struct task *task)
{
    FILE *const stream = open_memstream(&task->messages, &task->message_bytes);
    const struct compile_input *const input = task->source->input;
    const struct fit_options options = {
        .metres_per_unit = input->metres_per_unit,
        .error_mm = input->error_mm,
        .shell_m = input->shell_m,
        .loop = input->loop,
        .is_exact = input->is_exact || (!input->is_exact_set && task->source->scene.is_exact),
    };
    task->report.out = stream;
    task->report.file = input->path;
    task->ok = take_root_motion(task) &&
               fit_motion(&task->motion, &options, &task->arena, &task->clip, &task->report);
    if (task->ok) {
        root_motion_append(&task->motion, &task->clip);
    }
    if (stream != NULL) {
        fclose(stream);
    }
}

static void *worker(void *user)
{
    struct compilation *const compilation = user;
    pthread_mutex_lock(&compilation->lock);
    while (compilation->next < compilation->task_count) {
        struct task *const task = &compilation->tasks[compilation->next++];
        pthread_mutex_unlock(&compilation->lock);
        run_task(task);
        pthread_mutex_lock(&compilation->lock);
        compilation->done++;
        pthread_cond_signal(&compilation->finished);
    }
    pthread_mutex_unlock(&compilation->lock);
    return NULL;
}

/// Watches the workers and tells the caller how far they are.
static void follow(struct compilation *compilation)
{
    const struct compile_options *const options = compilation->options;
    uint32_t told = UINT32_MAX;
    pthread_mutex_lock(&compilation->lock);
    for (;;) {
        const uint32_t done = compilation->done;
        if (done != told && options->progress != NULL) {
            told = done;
            pthread_mutex_unlock(&compilation->lock);
            options->progress(done, compilation->task_count, options->progress_user);
            pthread_mutex_lock(&compilation->lock);
        }
        if (compilation->done >= compilation->task_count) {
            break;
        }
        if (compilation->done == done) {
            pthread_cond_wait(&compilation->finished, &compilation->lock);
        }
    }
    pthread_mutex_unlock(&compilation->lock);
}

static uint32_t thread_count(const struct compilation *compilation)
{
    uint32_t wanted = compilation->options->job_count;
    if (wanted == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        wanted = processors > 0 ? (uint32_t)processors : 1;
    }
    return wanted < compilation->task_count ? wanted : compilation->task_count;
}

static void run_tasks(struct compilation *compilation)
{
    const uint32_t count = thread_count(compilation);
    pthread_t *const threads = ARENA_NEW(&compilation->arena, pthread_t, count);
    uint32_t started = 0;
    pthread_mutex_init(&compilation->lock, NULL);
    pthread_cond_init(&compilation->finished, NULL);
    while (started < count && pthread_create(&threads[started], NULL, worker, compilation) == 0) {
        started++;
    }
    if (started == 0) {
        worker(compilation); // no thread to be had: do it here
    }
    follow(compilation);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&compilation->finished);
    pthread_mutex_destroy(&compilation->lock);
}

/// Passes on what the tasks had to say, in their order.
static bool collect_reports(struct compilation *compilation)
{
    struct report *const report = compilation->report;
    bool ok = true;
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        struct task *const task = &compilation->tasks[i];
        report_add(report, &task->report, task->messages);
        ok = ok && task->ok;
    }
    return ok;
}

/// @param a has one
static bool shares_root_joint(const struct source *a, const struct source *b)
{
    const char *const joint = b->input->root_joint;
    return joint != NULL && strcmp(a->input->root_joint, joint) == 0;
}

/// Warns once of a joint that moves in no clip of all the inputs that shall have their root motion
/// from it: it may be the wrong one.
/// @param source one of them
static void warn_of_still_root(const struct compilation *compilation, const struct source *source)
{
    uint32_t clip_count = 0;
    for (uint32_t i = 0; i < compilation->options->input_count; i++) {
        const struct source *const other = &compilation->sources[i];
        if (shares_root_joint(source, other)) {
            if (other < source) {
                return;
            }
            clip_count += other->scene.clip_count;
        }
    }
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        const struct task *const task = &compilation->tasks[i];
        if (shares_root_joint(source, task->source) && has_root_joint(task) &&
            !task->is_root_still) {
            return;
        }
    }
    if (clip_count > 0) {
        compilation->report->file = source->input->path;
        report_warning(compilation->report, "--root-motion", "root_motion.still",
                       "'%s' moves in no clip: there is no root motion", source->input->root_joint);
    }
}

// ---- Writing -----------------------------------------------------------------------------------

static bool same_skeleton(const struct skeleton *a, const struct skeleton *b)
{
    return a->bind_hash == b->bind_hash && a->block_count == b->block_count &&
           a->metres_per_unit == b->metres_per_unit &&
           memcmp(a->rest, b->rest, a->block_count * sizeof *a->rest) == 0 &&
           memcmp(a->root, b->root, sizeof a->root) == 0;
}

/// Writes a skeleton, or finds the same one of an earlier input.
static uint32_t write_skeleton(const struct compilation *compilation, struct pack_writer *writer,
                               const struct source *source, const struct skeleton *skeleton)
{
    for (const struct source *earlier = compilation->sources; earlier != source; earlier++) {
        for (uint32_t i = 0; i < earlier->skeleton_count; i++) {
            if (same_skeleton(&earlier->skeletons[i], skeleton)) {
                return earlier->skeleton_indices[i];
            }
        }
    }
    return pack_writer_add_skeleton(writer, skeleton);
}

/// Writes the skins over a skeleton; characters of one skeleton may bring skins of their own.
static void write_skins(struct pack_writer *writer, const struct source *source,
                        const struct skeleton *skeleton, uint32_t index)
{
    for (uint32_t i = 0; i < source->scene.skin_count; i++) {
        const struct scene_skin *const skin = &source->scene.skins[i];
        if (skin->joint_count > 0 && skeleton->joint_of_node[skin->nodes[0]] != TRP_NONE) {
            pack_writer_add_skin(writer, skeleton, index, skin);
        }
    }
}

/// Says how the file plays a clip; whether the end meets the start is another question (--loop).
static uint32_t play_flags(enum scene_play play)
{
    return play == SCENE_PLAY_LOOP        ? TRP_CLIP_LOOPS
           : play == SCENE_PLAY_PING_PONG ? TRP_CLIP_PING_PONG
                                          : 0;
}

static void write_clip(struct pack_writer *writer, struct task *task, struct report *report)
{
    const struct scene *const scene = &task->source->scene;
    struct trp__clip_header header;
    memcpy(&header, task->clip.bytes, sizeof header);
    header.name_hash = trp_name_hash(task->name);
    header.name = pack_writer_string(writer, task->name);
    header.source_file = pack_writer_string(writer, scene->stem);
    header.source_clip = pack_writer_string(writer, task->motion.source_clip);
    header.additive_reference = pack_writer_string(
        writer, task->additive_reference != NULL ? task->additive_reference : "");
    header.skeleton = task->source->skeleton_indices[task->skeleton];
    header.property_set = motion_has_values(&task->motion) ? task->source->property_set : TRP_NONE;
    const char *const source_id = scene->clips[task->motion.source_clip_index].id;
    header.source_id = pack_writer_string(writer, source_id != NULL ? source_id : "");
    header.flags |= play_flags(scene->clips[task->motion.source_clip_index].play);
    memcpy(task->clip.bytes, &header, sizeof header);
    if (task->is_first_of_clip) {
        report->file = task->source->input->path;
        events_append(writer, &scene->clips[task->motion.source_clip_index], task->name,
                      task->motion.lead_in_s, &task->clip, report);
    }
    pack_writer_add_clip(writer, &task->clip);
}

/// Writes the blend trees of a source: of a clip that became several, the first takes part.
static void write_blendtrees(const struct compilation *compilation, struct pack_writer *writer,
                             const struct source *source)
{
    const struct scene *const scene = &source->scene;
    struct arena arena = {0};
    uint32_t *const pack_clips = ARENA_NEW(&arena, uint32_t, scene->clip_count);
    memset(pack_clips, 0xFF, scene->clip_count * sizeof *pack_clips); // TRP_NONE
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        const struct task *const task = &compilation->tasks[i];
        if (task->source == source && task->is_first_of_clip) {
            pack_clips[task->motion.source_clip_index] = i;
        }
    }
    for (uint32_t i = 0; i < scene->blendtree_count; i++) {
        const struct scene_blendtree *const tree = &scene->blendtrees[i];
        uint32_t *const clips = ARENA_NEW(&arena, uint32_t, tree->count);
        for (uint32_t k = 0; k < tree->count; k++) {
            clips[k] = tree->clips[k] < 0 ? TRP_NONE : pack_clips[tree->clips[k]];
        }
        blendtree_write(writer, tree, clips);
    }
    arena_free(&arena);
}

static bool write_pack(struct compilation *compilation, void **bytes, size_t *size_bytes)
{
    struct pack_writer writer = {0};
    for (uint32_t i = 0; i < compilation->options->input_count; i++) {
        struct source *const source = &compilation->sources[i];
        for (uint32_t k = 0; k < source->skeleton_count; k++) {
            const struct skeleton *const skeleton = &source->skeletons[k];
            source->skeleton_indices[k] = TRP_NONE;
            if (skeleton->in_pack) {
                source->skeleton_indices[k] =
                    write_skeleton(compilation, &writer, source, skeleton);
                write_skins(&writer, source, skeleton, source->skeleton_indices[k]);
                instances_write(&writer, skeleton, source->skeleton_indices[k]);
            }
        }
        if (source->values != NULL) {
            source->property_set =
                pack_writer_add_property_set(&writer, source->scene.stem, source->values);
        }
    }
    for (uint32_t i = 0; i < compilation->task_count; i++) {
        write_clip(&writer, &compilation->tasks[i], compilation->report);
    }
    for (uint32_t i = 0; i < compilation->options->input_count; i++) {
        write_blendtrees(compilation, &writer, &compilation->sources[i]);
    }
    compilation->report->file = NULL;
    *size_bytes = pack_writer_finish(&writer, bytes);
    pack_writer_free(&writer);
    if (*size_bytes == 0) {
        return report_error(compilation->report, TROUPE_EXIT_UNSUPPORTED, NULL, "pack.size",
                            "a section of the pack would pass 4 GiB");
    }
    trp_pack pack;
    trp_diagnostic diagnostic;
    if (trp_pack_open(*bytes, *size_bytes, &pack, &diagnostic) != TRP_OK) {
        free(*bytes);
        *bytes = NULL;
        return report_error(compilation->report, TROUPE_EXIT_INTERNAL, NULL, "internal",
                            "the runtime refuses the pack: rule %s, byte %llu", diagnostic.rule,
                            (unsigned long long)diagnostic.byte_offset);
    }
    return true;
}

bool compile_pack(const struct compile_options *options, void **bytes, size_t *size_bytes,
                  struct report *report)
{
    struct compilation compilation = {.options = options, .report = report};
    struct arena *const arena = &compilation.arena;
    struct compile_input *const inputs =
        ARENA_NEW(arena, struct compile_input, options->input_count);
    compilation.sources = ARENA_NEW(arena, struct source, options->input_count);
    *bytes = NULL;
    *size_bytes = 0;
    bool ok = open_skeleton_pack(&compilation);
    for (uint32_t i = 0; i < options->input_count && ok; i++) {
        inputs[i] = with_defaults(&options->inputs[i]);
        ok = open_source(&compilation, &inputs[i], &compilation.sources[i]);
    }
    if (ok) {
        event_files_warn(&compilation.event_files, report);
        if (options->dependency != NULL) {
            event_files_tell(&compilation.event_files, options->dependency,
                             options->dependency_user);
        }
    }
    ok = ok && plan(&compilation);
    if (ok) {
        run_tasks(&compilation);
        ok = collect_reports(&compilation);
        if (ok) {
            for (uint32_t i = 0; i < options->input_count; i++) {
                if (inputs[i].root_joint != NULL) {
                    warn_of_still_root(&compilation, &compilation.sources[i]);
                }
            }
        }
    }
    report->file = NULL;
    ok = ok && write_pack(&compilation, bytes, size_bytes);
    for (uint32_t i = 0; i < compilation.task_count; i++) {
        free(compilation.tasks[i].messages);
        buffer_free(&compilation.tasks[i].clip);
        arena_free(&compilation.tasks[i].arena);
    }
    for (uint32_t i = 0; i < options->input_count; i++) {
        if (compilation.sources[i].is_open) {
            scene_free(&compilation.sources[i].scene);
        }
    }
    event_files_free(&compilation.event_files);
    arena_free(arena);
    report_finish(report);
    return ok;
}
