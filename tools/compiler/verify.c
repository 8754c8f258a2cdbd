// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Measures a pack against its sources. Shares nothing with the rest of the compiler but the scene
// and its evaluator: the truth is composed over the nodes of the source, ancestors included, and
// compared with what the runtime samples, both in double precision.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <troupe/troupe.h>

#include "compiler.h"
#include "event_file.h"
#include "format.h"
#include "import.h"
#include "verify_events.h"
#include "verify_root.h"
#include "verify_values.h"

enum {
    BATCH = 64,       // poses sampled in one call
    FRACTIONS = 4,    // fixed moments between two neighbouring keys or rows
    RANDOM_TIMES = 8, // and pseudo-random ones
};

/// Neighbours closer than this are one key written twice with rounding.
static const double shortest_interval_s = 1e-5;

/// The exact motion of one clip as a tree of moving things. Where the skeleton is made of the
/// source's nodes, these are the nodes, so that nothing depends on how the compiler chose its
/// joints; where the clip was compiled for another file's skeleton, these are its joints.
struct truth {
    uint32_t item_count;
    const int32_t *parents; // [item_count] or -1
    uint32_t *order;        // items that matter, parents first
    uint32_t order_count;
    const struct scene_curve *(*curves)[3]; // [item_count] null where still
    struct scene_transform *rest;           // [item_count]
    struct scene_transform *still; // [item_count] rest, or the reference of an additive clip
    double root[12];
    uint32_t *item_of_lane; // [lane_count] or TRP_NONE
    double (*models)[12];   // [item_count] at the time asked for last
    double lead_in_s;       // the clip starts at this time of the source
    double source_duration_s;
    double duration_s;
    bool is_closed; // the compiler appended the first key after the source's end
};

/// A clip with all it takes to measure it.
struct subject {
    trp_clip clip;
    trp_skeleton skeleton;
    struct trp__clip_header header;
    const struct scene *scene;
    const struct scene_clip *source;
    struct truth truth;
    struct verify_values values;
    struct verify_root root;
    double *shell;        // [lane_count] distance of the measured points, in local units
    double (*models)[12]; // [lane_count] decoded
    struct arena arena;
};

struct moment {
    double time_s;
    bool is_key;
};

struct moments {
    struct moment *items;
    size_t count;
    size_t capacity;
};

struct sources {
    struct scene *scenes;
    double **sizes; // of the properties of each
    uint32_t count;
    struct arena arena;
};

static const char *string_at(const trp_pack *pack, uint32_t offset)
{
    return (const char *)pack->strings + offset;
}

// ---- the source of a clip ----

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(1.0, fabs(a));
}

/// Whether a node rests as a lane of the pack does.
static bool rests_alike(const struct scene_node *node, const trp_pose_block *block, uint32_t lane)
{
    bool is_alike = true;
    for (int i = 0; i < 4; i++) {
        is_alike = is_alike && is_close((double)block->rotation[i][lane], node->rotation[i]);
    }
    for (int i = 0; i < 3; i++) {
        is_alike = is_alike && is_close((double)block->translation[i][lane], node->translation[i]);
        is_alike = is_alike && is_close((double)block->scale[i][lane], node->scale[i]);
    }
    return is_alike;
}

/// Whether a skeleton is made of the nodes of this very scene.
static bool skeleton_is_of(const trp_skeleton *skeleton, const struct scene *scene)
{
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        const uint32_t node = skeleton->node_of_joint[joint];
        const uint32_t lane = skeleton->lane_of_joint[joint];
        if (node >= scene->node_count ||
            strcmp(scene->nodes[node].name, trp_skeleton_joint_name(skeleton, joint)) != 0 ||
            !rests_alike(&scene->nodes[node], &skeleton->rest[lane / TRP_BLOCK_LANES],
                         lane % TRP_BLOCK_LANES)) {
            return false;
        }
    }
    return true;
}

static bool holds_clip(const struct scene *scene, const trp_pack *pack,
                       const struct trp__clip_header *header)
{
    return strcmp(scene->stem, string_at(pack, header->source_file)) == 0 &&
           header->source_clip_index < scene->clip_count &&
           strcmp(scene->clips[header->source_clip_index].name,
                  string_at(pack, header->source_clip)) == 0;
}

/// Returns how many clips before this one claim to come from the same place: two files may share a
/// stem, and then the order of the inputs tells which is which.
static uint32_t count_twins(const trp_pack *pack, const struct subject *subject)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < subject->clip.index; i++) {
        trp_clip clip;
        struct trp__clip_header header;
        trp_pack_clip(pack, i, &clip);
        memcpy(&header, clip.bytes, sizeof header);
        count += header.source_file == subject->header.source_file &&
                 header.source_clip_index == subject->header.source_clip_index &&
                 header.skeleton == subject->header.skeleton;
    }
    return count;
}

static bool find_source(const struct sources *sources, const trp_pack *pack,
                        struct subject *subject, struct report *report)
{
    const uint32_t twins = count_twins(pack, subject);
    uint32_t found = 0;
    for (int pass = 0; pass < 2 && subject->scene == NULL; pass++) {
        const bool wants_own_skeleton = pass == 0;
        for (uint32_t i = 0; i < sources->count; i++) {
            const struct scene *const scene = &sources->scenes[i];
            if (holds_clip(scene, pack, &subject->header) &&
                (!wants_own_skeleton || skeleton_is_of(&subject->skeleton, scene)) &&
                (subject->scene == NULL || found <= twins)) {
                subject->scene = scene;
                found++;
            }
        }
    }
    if (subject->scene == NULL) {
        return report_error(report, TROUPE_EXIT_INPUT, subject->clip.name, "verify.source",
                            "clip '%s' of '%s' is in none of the sources given",
                            string_at(pack, subject->header.source_clip),
                            string_at(pack, subject->header.source_file));
    }
    subject->source = &subject->scene->clips[subject->header.source_clip_index];
    return true;
}

// ---- the truth ----

static uint32_t node_named(const struct scene *scene, const char *name)
{
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (strcmp(scene->nodes[node].name, name) == 0) {
            return node;
        }
    }
    return TRP_NONE;
}

/// Lists the items that some lane needs, parents first.
static void order_items(struct truth *truth, uint32_t lane_count, struct arena *arena)
{
    truth->order = ARENA_NEW(arena, uint32_t, truth->item_count);
    bool *const is_listed = ARENA_NEW(arena, bool, truth->item_count);
    uint32_t *const chain = ARENA_NEW(arena, uint32_t, truth->item_count);
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        uint32_t length = 0;
        for (int32_t item = (int32_t)truth->item_of_lane[lane]; item >= 0 && !is_listed[item];
             item = truth->parents[item]) {
            is_listed[item] = true;
            chain[length++] = (uint32_t)item;
        }
        while (length > 0) {
            truth->order[truth->order_count++] = chain[--length];
        }
    }
}

/// The items are the nodes of the source.
static void truth_of_nodes(struct subject *subject)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const struct scene *const scene = subject->scene;
    const trp_skeleton *const skeleton = &subject->skeleton;
    struct truth *const truth = &subject->truth;
    truth->item_count = scene->node_count;
    memcpy(truth->root, identity, sizeof identity);
    int32_t *const parents = ARENA_NEW(&subject->arena, int32_t, truth->item_count);
    truth->rest = ARENA_NEW(&subject->arena, struct scene_transform, truth->item_count);
    for (uint32_t node = 0; node < scene->node_count; node++) {
        parents[node] = scene->nodes[node].parent;
        truth->rest[node] = scene_node_rest(&scene->nodes[node]);
    }
    truth->parents = parents;
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        truth->item_of_lane[skeleton->lane_of_joint[joint]] = skeleton->node_of_joint[joint];
    }
}

static struct scene_transform transform_of_lane(const trp_pose_block *pose, uint32_t lane)
{
    const trp_pose_block *const block = &pose[lane / TRP_BLOCK_LANES];
    const uint32_t place = lane % TRP_BLOCK_LANES;
    struct scene_transform transform;
    for (int i = 0; i < 4; i++) {
        transform.rotation[i] = (double)block->rotation[i][place];
    }
    for (int i = 0; i < 3; i++) {
        transform.translation[i] = (double)block->translation[i][place];
        transform.scale[i] = (double)block->scale[i][place];
    }
    return transform;
}

/// The items are the lanes of another file's skeleton: its rest, moved by nodes of equal names.
static void truth_of_lanes(struct subject *subject)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    struct truth *const truth = &subject->truth;
    truth->item_count = skeleton->lane_count;
    int32_t *const parents = ARENA_NEW(&subject->arena, int32_t, truth->item_count);
    truth->rest = ARENA_NEW(&subject->arena, struct scene_transform, truth->item_count);
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint16_t parent = skeleton->parent_of_lane[lane];
        parents[lane] = parent == TRP_NO_LANE ? -1 : parent;
        truth->rest[lane] = transform_of_lane(skeleton->rest, lane);
        truth->item_of_lane[lane] = skeleton->joint_of_lane[lane] == TRP_NO_LANE ? TRP_NONE : lane;
    }
    truth->parents = parents;
    for (int i = 0; i < 12; i++) {
        truth->root[i] = (double)skeleton->root_transform[i];
    }
}

/// Returns the item that a track of the source moves, or TRP_NONE.
/// @param item_of_node null where the items are the nodes
static uint32_t item_of(const uint32_t *item_of_node, const struct scene_track *track)
{
    if (track->path == SCENE_PROPERTY) {
        return TRP_NONE;
    }
    return item_of_node == NULL ? track->node : item_of_node[track->node];
}

static void sample_track(const struct scene_track *track, double time_s,
                         struct scene_transform *transform)
{
    double *const values[3] = {transform->rotation, transform->translation, transform->scale};
    scene_curve_sample(&track->curve, track->path, time_s, values[track->path]);
}

/// Fills what items do without a curve: rest, or the pose that an additive clip differs from.
static bool find_reference(struct subject *subject, const char *reference,
                           const uint32_t *item_of_node, struct report *report)
{
    struct truth *const truth = &subject->truth;
    truth->still = ARENA_NEW(&subject->arena, struct scene_transform, truth->item_count);
    memcpy(truth->still, truth->rest, truth->item_count * sizeof *truth->still);
    if (!(subject->clip.flags & TRP_CLIP_ADDITIVE) || strcmp(reference, "rest") == 0) {
        return true;
    }
    for (uint32_t i = 0; i < subject->scene->clip_count; i++) {
        const struct scene_clip *const clip = &subject->scene->clips[i];
        if (strcmp(clip->name, reference) != 0) {
            continue;
        }
        for (uint32_t j = 0; j < clip->track_count; j++) {
            const uint32_t item = item_of(item_of_node, &clip->tracks[j]);
            if (item != TRP_NONE) {
                sample_track(&clip->tracks[j], 0, &truth->still[item]);
            }
        }
        return true;
    }
    return report_error(report, TROUPE_EXIT_INPUT, subject->clip.name, "verify.reference",
                        "the source has no clip '%s' to be additive to", reference);
}

static bool build_truth(struct subject *subject, const char *reference, struct report *report)
{
    struct arena *const arena = &subject->arena;
    struct truth *const truth = &subject->truth;
    const trp_skeleton *const skeleton = &subject->skeleton;
    truth->item_of_lane = ARENA_NEW(arena, uint32_t, skeleton->lane_count);
    memset(truth->item_of_lane, 0xFF, skeleton->lane_count * sizeof(uint32_t));
    uint32_t *item_of_node = NULL;
    if (skeleton_is_of(skeleton, subject->scene)) {
        truth_of_nodes(subject);
    } else {
        truth_of_lanes(subject);
        item_of_node = ARENA_NEW(arena, uint32_t, subject->scene->node_count);
        memset(item_of_node, 0xFF, subject->scene->node_count * sizeof(uint32_t));
        for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
            const uint32_t node =
                node_named(subject->scene, trp_skeleton_joint_name(skeleton, joint));
            if (node != TRP_NONE && item_of_node[node] == TRP_NONE) {
                item_of_node[node] = skeleton->lane_of_joint[joint];
            }
        }
    }
    order_items(truth, skeleton->lane_count, arena);
    truth->curves = arena_take(arena, truth->item_count, sizeof *truth->curves);
    truth->models = arena_take(arena, truth->item_count, sizeof *truth->models);
    for (uint32_t i = 0; i < subject->source->track_count; i++) {
        const struct scene_track *const track = &subject->source->tracks[i];
        const uint32_t item = item_of(item_of_node, track);
        if (item != TRP_NONE) {
            truth->curves[item][track->path] = &track->curve;
        }
    }
    truth->source_duration_s = subject->source->duration_s;
    truth->lead_in_s = (double)subject->header.lead_in_s;
    truth->duration_s = subject->clip.duration_s + truth->lead_in_s;
    truth->is_closed = subject->header.loop == TRP__LOOP_CLOSED;
    return find_reference(subject, reference, item_of_node, report);
}

static bool is_step(const struct scene_curve *curve, uint32_t key)
{
    return curve->interpolations[key] == SCENE_STEP;
}

/// Evaluates a curve, the way home after the source's end included.
static void sample_curve(const struct truth *truth, const struct scene_curve *curve,
                         enum scene_path path, double time_s, double *out)
{
    if (!truth->is_closed || time_s <= truth->source_duration_s) {
        scene_curve_sample(curve, path, time_s, out);
        return;
    }
    double end[4];
    scene_curve_sample(curve, path, truth->source_duration_s, end);
    const double *const home = curve->values;
    const bool holds = curve->key_count > 1 && is_step(curve, curve->key_count - 2);
    const double way = truth->duration_s - truth->source_duration_s;
    double u = (time_s - truth->source_duration_s) / way;
    u = time_s >= truth->duration_s ? 1 : holds ? 0 : u;
    if (path == SCENE_ROTATION) {
        scene_slerp(end, home, u, out);
        return;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = end[i] + u * (home[i] - end[i]);
    }
}

static struct scene_transform truth_local(const struct truth *truth, uint32_t item, double time_s)
{
    struct scene_transform local = truth->still[item];
    double *const values[3] = {local.rotation, local.translation, local.scale};
    for (int path = SCENE_ROTATION; path <= SCENE_SCALE; path++) {
        if (truth->curves[item][path] != NULL) {
            sample_curve(truth, truth->curves[item][path], (enum scene_path)path, time_s,
                         values[path]);
        }
    }
    return local;
}

/// Returns where the parent of an item stands, as composed last.
static const double *parent_of(const struct truth *truth, uint32_t item)
{
    const int32_t parent = truth->parents[item];
    return parent < 0 ? truth->root : truth->models[parent];
}

static void compose(const struct truth *truth, uint32_t item, const struct scene_transform *local)
{
    double matrix[12];
    scene_transform_matrix(local, matrix);
    scene_matrix_multiply(parent_of(truth, item), matrix, truth->models[item]);
}

/// Whether a time of the source is on the way home, where a pose goes without root motion that was
/// taken out of it.
static bool goes_home_alone(const struct subject *subject, double time_s)
{
    const struct truth *const truth = &subject->truth;
    return subject->root.key_count > 0 && subject->root.is_taken_out && truth->is_closed &&
           time_s > truth->source_duration_s;
}

/// Returns the joint of root motion on the way home: from what remains of it at the source's end.
static struct scene_transform root_going_home(const struct subject *subject, uint32_t item,
                                              double time_s)
{
    const struct truth *const truth = &subject->truth;
    double movement[4];
    verify_root_at(&subject->root, subject->root.end_s, movement);
    const struct scene_transform last = truth_local(truth, item, truth->source_duration_s);
    const struct scene_transform home = truth_local(truth, item, truth->lead_in_s);
    const struct scene_transform end =
        verify_root_remaining(movement, subject->root.pivot, parent_of(truth, item), &last);
    struct scene_transform local = truth_local(truth, item, time_s);
    const double way = truth->duration_s - truth->source_duration_s;
    const double u = fmin((time_s - truth->source_duration_s) / way, 1);
    if (movement[3] != 0) {
        scene_slerp(end.rotation, home.rotation, u, local.rotation);
    }
    for (int i = 0; i < 3; i++) {
        local.translation[i] = end.translation[i] + u * (home.translation[i] - end.translation[i]);
    }
    return local;
}

static void truth_models_at(struct subject *subject, double time_s)
{
    struct truth *const truth = &subject->truth;
    const uint32_t root_item =
        goes_home_alone(subject, time_s) ? truth->item_of_lane[subject->root.lane] : TRP_NONE;
    for (uint32_t i = 0; i < truth->order_count; i++) {
        const uint32_t item = truth->order[i];
        const struct scene_transform local = item == root_item
                                                 ? root_going_home(subject, item, time_s)
                                                 : truth_local(truth, item, time_s);
        compose(truth, item, &local);
    }
}

/// Sets how far from each joint points are measured: the shell over the joint's scale at rest.
static void measure_shells(struct subject *subject)
{
    struct truth *const truth = &subject->truth;
    const double shell_units =
        (double)subject->header.shell_m / (double)subject->header.metres_per_unit;
    for (uint32_t i = 0; i < truth->order_count; i++) {
        compose(truth, truth->order[i], &truth->rest[truth->order[i]]);
    }
    for (uint32_t lane = 0; lane < subject->skeleton.lane_count; lane++) {
        const uint32_t item = truth->item_of_lane[lane];
        double scale = 0;
        for (int axis = 0; axis < 3 && item != TRP_NONE; axis++) {
            const double *const model = truth->models[item];
            scale = fmax(scale, hypot(hypot(model[axis], model[4 + axis]), model[8 + axis]));
        }
        subject->shell[lane] = shell_units / (scale > 0 ? scale : 1);
    }
}

// ---- the moments ----

static void add_moment(struct subject *subject, struct moments *moments, double time_s, bool is_key)
{
    if (moments->count == moments->capacity) {
        const size_t capacity = moments->capacity == 0 ? 1024 : 2 * moments->capacity;
        struct moment *const items = ARENA_NEW(&subject->arena, struct moment, capacity);
        if (moments->count > 0) {
            memcpy(items, moments->items, moments->count * sizeof *items);
        }
        moments->items = items;
        moments->capacity = capacity;
    }
    moments->items[moments->count++] = (struct moment){.time_s = time_s, .is_key = is_key};
}

static int compare_moments(const void *a, const void *b)
{
    const double left = ((const struct moment *)a)->time_s;
    const double right = ((const struct moment *)b)->time_s;
    return (left > right) - (left < right);
}

/// Sorts moments and drops repetitions.
static void sort_moments(struct moments *moments)
{
    if (moments->count == 0) {
        return;
    }
    qsort(moments->items, moments->count, sizeof *moments->items, compare_moments);
    size_t kept = 0;
    for (size_t i = 0; i < moments->count; i++) {
        if (kept > 0 && moments->items[kept - 1].time_s == moments->items[i].time_s) {
            moments->items[kept - 1].is_key |= moments->items[i].is_key;
        } else {
            moments->items[kept++] = moments->items[i];
        }
    }
    moments->count = kept;
}

/// Adds every tick that has a row.
static void add_rows(struct subject *subject, struct moments *moments)
{
    const trp_clip *const clip = &subject->clip;
    for (uint32_t i = 0; i < clip->segment_count; i++) {
        struct trp__segment_entry entry;
        struct trp__segment_header segment;
        memcpy(&entry, clip->bytes + sizeof subject->header + i * sizeof entry, sizeof entry);
        memcpy(&segment, clip->bytes + entry.offset, sizeof segment);
        const uint8_t *const mask = clip->bytes + entry.offset + sizeof segment;
        for (uint32_t tick = 0; tick <= segment.tick_count; tick++) {
            const bool has_row = !(segment.flags & TRP__SEGMENT_TICK_MASK) ||
                                 (trp__read_u64(mask + tick / 64 * 8) >> (tick % 64) & 1) != 0;
            if (has_row) {
                const double at = (double)segment.first_tick + (double)tick;
                add_moment(subject, moments, at * clip->rate_den / clip->rate_num, true);
            }
        }
    }
}

static void add_keys_of(struct subject *subject, const struct scene_curve *curve,
                        struct moments *moments, struct moments *steps)
{
    for (uint32_t key = 0; curve != NULL && key < curve->key_count; key++) {
        const double time_s = curve->times[key] - subject->truth.lead_in_s;
        add_moment(subject, moments, time_s, true);
        if (key > 0 && is_step(curve, key - 1)) {
            add_moment(subject, steps, time_s, true);
        }
    }
    if (curve != NULL && subject->truth.is_closed && curve->key_count > 1 &&
        is_step(curve, curve->key_count - 2)) {
        add_moment(subject, steps, subject->clip.duration_s, true);
    }
}

/// Adds the keys of root motion.
static void add_root_keys(struct subject *subject, struct moments *moments)
{
    for (uint32_t key = 0; key < subject->root.key_count; key++) {
        add_moment(subject, moments, verify_root_time(&subject->root, key), true);
    }
}

/// Adds the keys of all curves that move the skeleton, and the steps among them.
static void add_keys(struct subject *subject, struct moments *moments, struct moments *steps)
{
    const struct truth *const truth = &subject->truth;
    for (uint32_t i = 0; i < truth->order_count; i++) {
        for (int path = SCENE_ROTATION; path <= SCENE_SCALE; path++) {
            add_keys_of(subject, truth->curves[truth->order[i]][path], moments, steps);
        }
    }
    for (uint32_t i = 0; i < subject->values.property_count; i++) {
        add_keys_of(subject, subject->values.items[i].curve, moments, steps);
    }
    if (truth->is_closed) {
        add_moment(subject, moments, truth->source_duration_s - truth->lead_in_s, true);
    }
}

static double random_unit(uint64_t *state)
{
    // Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", SplitMix64.
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void add_between(struct subject *subject, struct moments *moments, uint64_t seed)
{
    uint64_t state = seed ^ ((uint64_t)subject->clip.index << 32);
    const size_t anchor_count = moments->count;
    for (size_t i = 0; i + 1 < anchor_count; i++) {
        const double from = moments->items[i].time_s;
        const double way = moments->items[i + 1].time_s - from;
        if (way < shortest_interval_s) {
            continue;
        }
        for (int fraction = 1; fraction <= FRACTIONS; fraction++) {
            add_moment(subject, moments, from + way * fraction / (FRACTIONS + 1), false);
        }
        for (int i_random = 0; i_random < RANDOM_TIMES; i_random++) {
            add_moment(subject, moments, from + way * random_unit(&state), false);
        }
    }
}

/// Moves a time out of the moment before a step in which the runtime may have switched already:
/// held lanes do so within a thousandth of a tick.
static double clear_of_steps(const struct moments *steps, double early_s, double time_s)
{
    size_t after = 0; // of the first step later than the time
    for (size_t high = steps->count; after < high;) {
        const size_t middle = after + (high - after) / 2;
        if (steps->items[middle].time_s <= time_s) {
            after = middle + 1;
        } else {
            high = middle;
        }
    }
    double clear = time_s;
    if (after < steps->count && steps->items[after].time_s - clear < early_s) {
        clear = steps->items[after].time_s - early_s;
    }
    while (after > 0 && steps->items[after - 1].time_s > clear &&
           steps->items[after - 1].time_s - clear < early_s) {
        clear = steps->items[--after].time_s - early_s;
    }
    return clear;
}

static void find_moments(struct subject *subject, uint64_t seed, struct moments *moments)
{
    const trp_clip *const clip = &subject->clip;
    const double tick_s = (double)clip->rate_den / (double)clip->rate_num;
    // The tolerance of held lanes, and the rounding of key times to float.
    const double early_s = tick_s / 1024 + 1e-6 + 2.4e-7 * clip->duration_s;
    struct moments steps = {0};
    add_moment(subject, moments, 0, true);
    add_moment(subject, moments, clip->duration_s, true);
    add_rows(subject, moments);
    add_keys(subject, moments, &steps);
    add_root_keys(subject, moments);
    sort_moments(moments);
    sort_moments(&steps);
    add_between(subject, moments, seed);
    for (size_t i = 0; i < steps.count; i++) {
        add_moment(subject, moments, steps.items[i].time_s - early_s, false);
    }
    // Keys may be rounded to just behind the end of the clip, where sampling clamps.
    const double end_s = clip->duration_s + early_s;
    size_t kept = 0;
    for (size_t i = 0; i < moments->count; i++) {
        struct moment moment = moments->items[i];
        moment.time_s = clear_of_steps(&steps, early_s, moment.time_s);
        if (moment.time_s >= -1 && moment.time_s <= end_s) { // -1: keys before the clip
            moments->items[kept++] = moment;
        }
    }
    moments->count = kept;
    sort_moments(moments);
}

// ---- the measurement ----

/// Puts a decoded difference on its reference.
static struct scene_transform add_transform(const struct scene_transform *reference,
                                            const struct scene_transform *delta)
{
    const double *const a = reference->rotation;
    const double *const b = delta->rotation;
    struct scene_transform sum = {
        .rotation =
            {
                a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
            },
    };
    for (int i = 0; i < 3; i++) {
        sum.translation[i] = reference->translation[i] + delta->translation[i];
        sum.scale[i] = reference->scale[i] * delta->scale[i];
    }
    return sum;
}

/// Gives the joint of root motion back what was taken out of the pose.
static void give_motion_back(struct subject *subject, double time_s)
{
    double movement[4];
    double matrix[12];
    double still[12];
    double *const model = subject->models[subject->root.lane];
    verify_root_at(&subject->root, time_s, movement);
    verify_root_matrix(movement, subject->root.pivot, matrix);
    memcpy(still, model, sizeof still);
    scene_matrix_multiply(matrix, still, model);
}

static void decoded_models(struct subject *subject, double time_s, const trp_pose_block *pose)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    if (skeleton->lane_count == 0) {
        return; // a clip of properties alone
    }
    const bool is_additive = (subject->clip.flags & TRP_CLIP_ADDITIVE) != 0;
    double root[12];
    for (int i = 0; i < 12; i++) {
        root[i] = (double)skeleton->root_transform[i];
    }
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint32_t item = subject->truth.item_of_lane[lane];
        struct scene_transform local = transform_of_lane(pose, lane);
        if (is_additive && item != TRP_NONE) {
            local = add_transform(&subject->truth.still[item], &local);
        }
        double matrix[12];
        scene_transform_matrix(&local, matrix);
        const uint16_t parent = skeleton->parent_of_lane[lane];
        scene_matrix_multiply(parent == TRP_NO_LANE ? root : subject->models[parent], matrix,
                              subject->models[lane]);
        if (subject->root.key_count > 0 && subject->root.is_taken_out &&
            lane == subject->root.lane &&
            !goes_home_alone(subject, time_s + subject->truth.lead_in_s)) {
            give_motion_back(subject, time_s);
        }
    }
}

/// Returns how far the furthest of the six points of a joint is from where it should be.
static double displacement(const double exact[12], const double decoded[12], double shell)
{
    double largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double square = 0;
            for (int row = 0; row < 3; row++) {
                const double centre = decoded[4 * row + 3] - exact[4 * row + 3];
                const double arm = decoded[4 * row + axis] - exact[4 * row + axis];
                const double difference = centre + sign * shell * arm;
                square += difference * difference;
            }
            if (!(square <= largest)) { // a NaN must not look like a good fit
                largest = square == square ? square : HUGE_VAL;
            }
        }
    }
    return sqrt(largest);
}

/// Returns how far the joint of root motion would be from where the source has it if it moved as
/// the pack says and as it should otherwise; whether the pose still has that motion or not.
static double root_error(struct subject *subject, double time_s)
{
    struct verify_root *const root = &subject->root;
    const struct truth *const truth = &subject->truth;
    const uint32_t item = truth->item_of_lane[root->lane];
    const double source_s = time_s + truth->lead_in_s;
    const double *const parent = parent_of(truth, item);
    const struct scene_transform first = truth_local(truth, item, truth->lead_in_s);
    const struct scene_transform now = truth_local(truth, item, source_s);
    double expected[4];
    double pivot[2];
    double found[4];
    double matrix[12];
    double local[12];
    double still[12];
    double models[2][12];
    verify_root_expected(root, time_s, parent, &first, &now, expected);
    verify_root_pivot(root, parent, &first, pivot);
    verify_root_at(root, time_s, found);
    const struct scene_transform remaining = verify_root_remaining(expected, pivot, parent, &now);
    scene_transform_matrix(&remaining, local);
    scene_matrix_multiply(parent, local, still);
    verify_root_matrix(expected, pivot, matrix);
    scene_matrix_multiply(matrix, still, models[0]);
    verify_root_matrix(found, root->pivot, matrix);
    scene_matrix_multiply(matrix, still, models[1]);
    return displacement(models[0], models[1], subject->shell[root->lane]);
}

/// Compares one sampled pose with the truth.
static void compare_pose(struct subject *subject, const struct moment *moment,
                         const trp_pose_block *pose, struct verify_clip *result,
                         double *largest_coordinate)
{
    const trp_skeleton *const skeleton = &subject->skeleton;
    const double mm_per_unit = (double)subject->header.metres_per_unit * 1000;
    truth_models_at(subject, moment->time_s + subject->truth.lead_in_s);
    decoded_models(subject, moment->time_s, pose);
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint32_t item = subject->truth.item_of_lane[lane];
        if (item == TRP_NONE) {
            continue;
        }
        const double *const exact = subject->truth.models[item];
        double error = displacement(exact, subject->models[lane], subject->shell[lane]);
        if (subject->root.key_count > 0 && lane == subject->root.lane) {
            error = fmax(error, root_error(subject, moment->time_s));
        }
        const double error_mm = error * mm_per_unit;
        if (!(error_mm <= result->max_error_mm)) {
            result->max_error_mm = error_mm;
            result->at_joint = trp_skeleton_joint_name(skeleton, skeleton->joint_of_lane[lane]);
            result->at_time_s = moment->time_s;
        }
        if (moment->is_key && !(error_mm <= result->max_error_keys_mm)) {
            result->max_error_keys_mm = error_mm;
        }
        for (int row = 0; row < 3; row++) {
            *largest_coordinate = fmax(*largest_coordinate, fabs(exact[4 * row + 3]));
        }
    }
}

static bool measure(struct subject *subject, const struct moments *moments,
                    struct verify_clip *result, struct report *report)
{
    const uint32_t block_count = subject->skeleton.block_count;
    trp_pose_block *const poses =
        ARENA_NEW(&subject->arena, trp_pose_block, (size_t)block_count * BATCH);
    const uint32_t value_count = subject->values.value_count;
    float *const values = ARENA_NEW(&subject->arena, float, (size_t)value_count *BATCH);
    trp_sample_request requests[BATCH];
    for (uint32_t i = 0; i < BATCH; i++) {
        requests[i] = (trp_sample_request){
            .clip = &subject->clip,
            .pose = block_count > 0 ? poses + (size_t)i * block_count : NULL,
            // one of the two must be there, also where the clip has neither
            .values = value_count > 0 || block_count == 0 ? values + (size_t)i * value_count : NULL,
        };
    }
    trp_sample_args args = {.requests = requests, .request_count = BATCH};
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = arena_take(&subject->arena, args.scratch_bytes, 1);
    double largest_coordinate = 0;
    for (size_t start = 0; start < moments->count; start += BATCH) {
        const size_t left = moments->count - start;
        args.request_count = left < BATCH ? (uint32_t)left : BATCH;
        for (uint32_t i = 0; i < args.request_count; i++) {
            requests[i].time_s = moments->items[start + i].time_s;
        }
        const trp_result sampled = trp_sample(&args, NULL);
        if (sampled != TRP_OK) {
            return report_error(report, TROUPE_EXIT_INTERNAL, subject->clip.name, "verify.sample",
                                "sampling failed with %s", trp_result_name(sampled));
        }
        for (uint32_t i = 0; i < args.request_count; i++) {
            compare_pose(subject, &moments->items[start + i], requests[i].pose, result,
                         &largest_coordinate);
            result->max_value_error = verify_values_error(
                &subject->values, moments->items[start + i].time_s + subject->truth.lead_in_s,
                requests[i].values, result->max_value_error, &result->at_property);
        }
    }
    // What floats cannot tell apart is no error.
    const double floor_mm = 4 * (double)FLT_EPSILON * largest_coordinate *
                            (double)subject->header.metres_per_unit * 1000;
    result->budget_mm = fmax((double)subject->header.budget_mm, floor_mm);
    return true;
}

/// Finds the skeleton in the pack, or else takes the one given with the options.
static bool find_skeleton(const trp_pack *pack, const trp_skeleton *other, struct subject *subject,
                          struct report *report)
{
    if (subject->clip.block_count == 0 ||
        trp_pack_skeleton(pack, subject->clip.skeleton_index, &subject->skeleton) == TRP_OK) {
        return true;
    }
    if (other == NULL || trp_clip_bind(&subject->clip, other) != TRP_OK) {
        return report_error(report, TROUPE_EXIT_INPUT, subject->clip.name, "verify.skeleton", "%s",
                            other == NULL ? "the skeleton of the clip is not in this pack"
                                          : "the clip does not fit the skeleton given");
    }
    subject->skeleton = *other;
    return true;
}

static bool verify_clip(const trp_pack *pack, uint32_t index, const struct verify_options *options,
                        const struct sources *sources, struct verify_clip *result,
                        struct report *report)
{
    struct subject subject = {0};
    trp_pack_clip(pack, index, &subject.clip);
    memcpy(&subject.header, subject.clip.bytes, sizeof subject.header);
    *result = (struct verify_clip){.name = subject.clip.name, .at_joint = "", .at_property = ""};
    if (!find_skeleton(pack, options->skeleton, &subject, report)) {
        return false;
    }
    if (!find_source(sources, pack, &subject, report)) {
        return false;
    }
    const uint32_t lane_count = subject.skeleton.lane_count;
    subject.shell = ARENA_NEW(&subject.arena, double, lane_count);
    subject.models = arena_take(&subject.arena, lane_count, sizeof *subject.models);
    const char *const reference = string_at(pack, subject.header.additive_reference);
    struct moments moments = {0};
    verify_root_init(&subject.root, &subject.clip);
    bool ok = build_truth(&subject, reference, report) &&
              verify_values_init(&subject.values, pack, &subject.clip, subject.truth.duration_s,
                                 subject.scene, sources->sizes[subject.scene - sources->scenes],
                                 subject.source, reference, &subject.arena, report);
    if (ok) {
        subject.root.end_s = subject.truth.source_duration_s - subject.truth.lead_in_s;
        subject.root.closing_s = subject.truth.is_closed
                                     ? subject.truth.duration_s - subject.truth.source_duration_s
                                     : 0;
        measure_shells(&subject);
        find_moments(&subject, options->seed, &moments);
        ok = measure(&subject, &moments, result, report);
    }
    if (ok) {
        const trp_skeleton *const skeleton = &subject.skeleton;
        const char *const first_joint =
            skeleton->joint_count > 0 ? trp_skeleton_joint_name(skeleton, 0) : NULL;
        const bool has_file = options->inputs[subject.scene - sources->scenes].events != NULL;
        verify_events(&subject.clip, subject.scene, subject.header.source_clip_index, first_joint,
                      subject.truth.lead_in_s, has_file, result);
    }
    arena_free(&subject.arena);
    return ok;
}

static void free_sources(struct sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        scene_free(&sources->scenes[i]);
    }
    free(sources->scenes);
    arena_free(&sources->arena);
}

static bool import_sources(const struct verify_options *options, struct sources *sources,
                           struct report *report)
{
    sources->scenes = calloc(options->input_count + 1, sizeof *sources->scenes);
    if (sources->scenes == NULL) {
        return report_error(report, TROUPE_EXIT_INTERNAL, NULL, "memory", "out of memory");
    }
    sources->sizes = ARENA_NEW(&sources->arena, double *, options->input_count);
    struct event_files event_files = {0};
    bool ok = true;
    for (uint32_t i = 0; i < options->input_count && ok; i++) {
        const struct compile_input *const input = &options->inputs[i];
        const struct import_options import = {.is_stf_tangent_added = input->is_stf_tangent_added};
        ok = import_file(input->path, &import, &sources->scenes[i], report);
        sources->count += ok;
        ok = ok && (input->events == NULL ||
                    event_files_apply(&event_files, input->events, &sources->scenes[i], report));
        if (ok) {
            sources->sizes[i] = verify_values_sizes(&sources->scenes[i], &sources->arena);
        }
    }
    event_files_free(&event_files);
    return ok;
}

bool verify_pack(const struct verify_options *options, const void *bytes, size_t size_bytes,
                 struct verify_clip **clips, uint32_t *clip_count, bool *ok, struct report *report)
{
    *clips = NULL;
    *clip_count = 0;
    *ok = false;
    trp_pack pack;
    trp_diagnostic diagnostic;
    if (trp_pack_open(bytes, size_bytes, &pack, &diagnostic) != TRP_OK) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, diagnostic.rule, "not a valid pack");
    }
    const char *const pack_file = report->file;
    struct sources sources = {0};
    bool is_measured = import_sources(options, &sources, report);
    if (is_measured) {
        report->file = pack_file;
        *clips = calloc(pack.clip_count + 1, sizeof **clips);
        bool is_within = true;
        for (uint32_t i = 0; i < pack.clip_count && is_measured; i++) {
            struct verify_clip *const clip = &(*clips)[i];
            is_measured = verify_clip(&pack, i, options, &sources, clip, report);
            is_within = is_within && clip->max_error_mm <= clip->budget_mm &&
                        clip->max_value_error <= 1.0 && clip->wrong_event_count == 0;
        }
        *ok = is_measured && is_within;
        *clip_count = pack.clip_count;
    }
    if (!is_measured) {
        free(*clips);
        *clips = NULL;
        *clip_count = 0;
    }
    free_sources(&sources);
    report_finish(report);
    return is_measured;
}
