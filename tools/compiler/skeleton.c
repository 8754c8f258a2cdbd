// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A skeleton is chosen in four steps: mark the nodes that must be joints, close the gaps between
// them, collapse what lies above all of them into the root transform, and give each a lane.
#include "skeleton.h"

#include <math.h>
#include <string.h>

#include "../../src/format.h"

enum mark {
    MARK_NONE = 0,
    MARK_JOINT = 1,
    MARK_ATTACHMENT = 2, // kept on request, in blocks of its own
};

/// A choice of nodes on its way to becoming a skeleton.
struct selection {
    const struct scene *scene;
    struct arena *arena;
};

static uint32_t scene_root_of(const struct scene *scene, uint32_t node)
{
    while (scene->nodes[node].parent >= 0) {
        node = (uint32_t)scene->nodes[node].parent;
    }
    return node;
}

static uint32_t group_find(const uint32_t *group, uint32_t root)
{
    while (group[root] != root) {
        root = group[root];
    }
    return root;
}

static void group_join(uint32_t *group, uint32_t a, uint32_t b)
{
    a = group_find(group, a);
    b = group_find(group, b);
    if (a < b) {
        group[b] = a;
    } else {
        group[a] = b;
    }
}

static bool path_is_joint(enum scene_path path)
{
    return path == SCENE_ROTATION || path == SCENE_TRANSLATION || path == SCENE_SCALE;
}

static void node_rest_matrix(const struct scene *scene, uint32_t node, double matrix[12])
{
    const struct scene_transform local = scene_node_rest(&scene->nodes[node]);
    scene_transform_matrix(&local, matrix);
}

/// Writes the rest matrix of a node in the space of its scene; the identity for node -1.
static void node_world_matrix(const struct scene *scene, int32_t node, double world[12])
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(world, identity, sizeof identity);
    while (node >= 0) {
        double local[12];
        double product[12];
        node_rest_matrix(scene, (uint32_t)node, local);
        scene_matrix_multiply(local, world, product);
        memcpy(world, product, sizeof product);
        node = scene->nodes[node].parent;
    }
}

/// Makes joints of all nodes between joints.
static void close_gaps(const struct scene *scene, uint8_t *mark, enum mark kind)
{
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (mark[node] == MARK_NONE) {
            continue;
        }
        int32_t above = scene->nodes[node].parent;
        while (above >= 0 && mark[above] == MARK_NONE) {
            above = scene->nodes[above].parent;
        }
        if (above < 0) {
            continue; // nothing marked above: `node` is a root
        }
        for (int32_t between = scene->nodes[node].parent; between != above;
             between = scene->nodes[between].parent) {
            mark[between] = (uint8_t)kind;
        }
    }
}

static bool is_root(const struct scene *scene, const uint8_t *mark, uint32_t node)
{
    const int32_t parent = scene->nodes[node].parent;
    return mark[node] != MARK_NONE && (parent < 0 || mark[parent] == MARK_NONE);
}

static uint32_t depth_of(const struct scene *scene, int32_t node)
{
    uint32_t depth = 0;
    for (; node >= 0; node = scene->nodes[node].parent) {
        depth++;
    }
    return depth;
}

static int32_t common_ancestor(const struct scene *scene, int32_t a, int32_t b)
{
    uint32_t depth_a = depth_of(scene, a);
    uint32_t depth_b = depth_of(scene, b);
    while (a != b) {
        if (depth_a >= depth_b) {
            a = scene->nodes[a].parent;
            depth_a--;
        } else {
            b = scene->nodes[b].parent;
            depth_b--;
        }
    }
    return a;
}

/// Finds what all roots hang from, and makes joints of ancestors that only some of them share.
/// @return the node whose world matrix is the root transform, or -1
static int32_t collapse_ancestors(const struct scene *scene, uint8_t *mark)
{
    int32_t common = -1;
    bool first = true;
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (is_root(scene, mark, node)) {
            const int32_t parent = scene->nodes[node].parent;
            common = first ? parent : common_ancestor(scene, common, parent);
            first = false;
        }
    }
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (mark[node] != MARK_NONE) {
            for (int32_t above = scene->nodes[node].parent;
                 above >= 0 && above != common && mark[above] == MARK_NONE;
                 above = scene->nodes[above].parent) {
                mark[above] = MARK_JOINT;
            }
        }
    }
    return common;
}

static double distance(const double a[12], const double b[12])
{
    const double x = a[3] - b[3];
    const double y = a[7] - b[7];
    const double z = a[11] - b[11];
    return sqrt(x * x + y * y + z * z);
}

/// What decides the order of lanes, for each joint.
struct rank {
    bool is_attachment;
    uint32_t reach; // in 1/256 of the largest
    uint32_t depth;
    uint32_t descendant_count;
    const char *name;
    uint32_t joint;
};

static bool comes_first(const struct rank *a, const struct rank *b)
{
    if (a->reach != b->reach) {
        return a->reach > b->reach;
    }
    if (a->depth != b->depth) {
        return a->depth < b->depth;
    }
    if (a->descendant_count != b->descendant_count) {
        return a->descendant_count > b->descendant_count;
    }
    const int names = strcmp(a->name, b->name);
    return names != 0 ? names < 0 : a->joint < b->joint;
}

/// Emits joints whose parents have lanes, the best rank first, attachments after a block border.
static void assign_lanes(struct skeleton *skeleton, const struct rank *ranks,
                         const uint32_t *parent_of_joint, struct arena *arena)
{
    const uint32_t count = skeleton->joint_count;
    uint32_t lane = 0;
    skeleton->lane_of_joint = ARENA_NEW(arena, uint16_t, count);
    memset(skeleton->lane_of_joint, 0xFF, count * sizeof(uint16_t));
    for (int attachments = 0; attachments <= 1; attachments++) {
        for (;;) {
            const struct rank *best = NULL;
            for (uint32_t joint = 0; joint < count; joint++) {
                const uint32_t parent = parent_of_joint[joint];
                const bool is_ready =
                    skeleton->lane_of_joint[joint] == TRP_NO_LANE &&
                    ranks[joint].is_attachment == (attachments == 1) &&
                    (parent == TRP_NONE || skeleton->lane_of_joint[parent] != TRP_NO_LANE);
                if (is_ready && (best == NULL || comes_first(&ranks[joint], best))) {
                    best = &ranks[joint];
                }
            }
            if (best == NULL) {
                break;
            }
            skeleton->lane_of_joint[best->joint] = (uint16_t)lane++;
        }
        lane = (lane + 15u) & ~15u;
        if (attachments == 0) {
            skeleton->joint_block_count = lane / 16;
        }
    }
    skeleton->lane_count = lane;
    skeleton->block_count = lane / 16;
    skeleton->joint_of_lane = ARENA_NEW(arena, uint16_t, lane);
    skeleton->parent_of_lane = ARENA_NEW(arena, uint16_t, lane);
    memset(skeleton->joint_of_lane, 0xFF, lane * sizeof(uint16_t));
    memset(skeleton->parent_of_lane, 0xFF, lane * sizeof(uint16_t));
    for (uint32_t joint = 0; joint < count; joint++) {
        const uint16_t own = skeleton->lane_of_joint[joint];
        skeleton->joint_of_lane[own] = (uint16_t)joint;
        if (parent_of_joint[joint] != TRP_NONE) {
            skeleton->parent_of_lane[own] = skeleton->lane_of_joint[parent_of_joint[joint]];
        }
    }
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *const at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 1099511628211u;
    }
    return hash;
}

/// FORMAT.md, "Bind hash".
static uint64_t bind_hash(const struct skeleton *skeleton, const uint32_t *parent_of_joint)
{
    uint64_t hash = hash_bytes(14695981039346656037u, &skeleton->joint_count, 4);
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        const char *const name = skeleton->name_of_joint[joint];
        hash = hash_bytes(hash, name, strlen(name) + 1);
        hash = hash_bytes(hash, &parent_of_joint[joint], 4);
        hash = hash_bytes(hash, &skeleton->lane_of_joint[joint], 2);
    }
    return hash;
}

float stored_float(double value)
{
    // No negative zero, which would not survive decoding, and nothing whose square is denormal:
    // noise of exporters that costs time and differs where denormals are flushed.
    return fabs(value) < 1e-15 ? 0.0f : (float)value;
}

/// Fills rest pose, model matrices, reach and shell scale from rest_local and the lane maps.
static void derive_from_rest(struct skeleton *skeleton, struct arena *arena)
{
    const uint32_t lanes = skeleton->lane_count;
    skeleton->rest = ARENA_NEW(arena, trp_pose_block, skeleton->block_count);
    skeleton->rest_model = arena_take(arena, lanes, sizeof(double[12]));
    skeleton->reach = ARENA_NEW(arena, double, lanes);
    skeleton->shell_scale = ARENA_NEW(arena, double, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        trp_pose_block *const block = &skeleton->rest[lane / 16];
        const struct scene_transform *const local = &skeleton->rest_local[lane];
        for (int i = 0; i < 4; i++) {
            block->rotation[i][lane % 16] = stored_float(local->rotation[i]);
        }
        for (int i = 0; i < 3; i++) {
            block->translation[i][lane % 16] = stored_float(local->translation[i]);
            block->scale[i][lane % 16] = stored_float(local->scale[i]);
        }
        double matrix[12];
        scene_transform_matrix(local, matrix);
        const uint16_t parent = skeleton->parent_of_lane[lane];
        scene_matrix_multiply(parent == TRP_NO_LANE ? skeleton->root : skeleton->rest_model[parent],
                              matrix, skeleton->rest_model[lane]);
        double longest = 0.0;
        for (int column = 0; column < 3; column++) {
            const double *const m = skeleton->rest_model[lane];
            const double length = sqrt(m[column] * m[column] + m[4 + column] * m[4 + column] +
                                       m[8 + column] * m[8 + column]);
            longest = length > longest ? length : longest;
        }
        skeleton->shell_scale[lane] = longest > 0.0 ? longest : 1.0;
    }
    for (uint32_t lane = lanes; lane-- > 0;) {
        const uint16_t parent = skeleton->parent_of_lane[lane];
        if (parent != TRP_NO_LANE) {
            const double way = skeleton->reach[lane] +
                               distance(skeleton->rest_model[parent], skeleton->rest_model[lane]);
            if (way > skeleton->reach[parent]) {
                skeleton->reach[parent] = way;
            }
        }
    }
}

/// Ranks joints from content alone; lengths are rounded so that noise of a re-export is harmless.
static struct rank *rank_joints(const struct skeleton *skeleton, const uint8_t *mark,
                                const uint32_t *parent_of_joint, struct arena *arena)
{
    const struct scene *const scene = skeleton->scene;
    const uint32_t count = skeleton->joint_count;
    struct rank *const ranks = ARENA_NEW(arena, struct rank, count);
    double *const reach = ARENA_NEW(arena, double, count);
    double(*const world)[12] = arena_take(arena, count, sizeof(double[12]));
    double largest = 0.0;
    for (uint32_t joint = 0; joint < count; joint++) {
        node_world_matrix(scene, (int32_t)skeleton->node_of_joint[joint], world[joint]);
    }
    // A joint's way to each ancestor, summed upwards: O(joints * depth).
    for (uint32_t joint = 0; joint < count; joint++) {
        const uint32_t node = skeleton->node_of_joint[joint];
        ranks[joint].is_attachment = mark[node] == MARK_ATTACHMENT;
        ranks[joint].name = skeleton->name_of_joint[joint];
        ranks[joint].joint = joint;
        double way = 0.0;
        uint32_t below = joint;
        for (uint32_t above = parent_of_joint[joint]; above != TRP_NONE;
             above = parent_of_joint[above]) {
            way += distance(world[above], world[below]);
            ranks[joint].depth++;
            ranks[above].descendant_count++;
            if (mark[node] != MARK_ATTACHMENT && way > reach[above]) {
                reach[above] = way;
            }
            below = above;
        }
    }
    for (uint32_t joint = 0; joint < count; joint++) {
        largest = reach[joint] > largest ? reach[joint] : largest;
    }
    for (uint32_t joint = 0; joint < count && largest > 0.0; joint++) {
        ranks[joint].reach = (uint32_t)(reach[joint] / largest * 256.0 + 0.5);
    }
    return ranks;
}

/// Counts what `raw_bytes` of the reports is made of.
static uint32_t count_raw_joints(const struct selection *selection, const uint8_t *mark,
                                 bool has_bones, const bool *is_bone, const bool *is_animated)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < selection->scene->node_count; node++) {
        if (mark[node] == MARK_JOINT) {
            count += has_bones ? is_bone[node] : is_animated[node];
        }
    }
    return count;
}

static bool too_large(const struct skeleton *skeleton, struct report *report)
{
    if (skeleton->joint_count > (TRP__MAX_BLOCKS - 1) * 16) {
        report_error(report, TROUPE_EXIT_UNSUPPORTED, skeleton->name, "skeleton.joints",
                     "%u joints, at most %u are supported", skeleton->joint_count,
                     (TRP__MAX_BLOCKS - 1) * 16);
        return true;
    }
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        uint32_t depth = 1;
        for (uint16_t above = skeleton->parent_of_lane[lane]; above != TRP_NO_LANE;
             above = skeleton->parent_of_lane[above]) {
            depth++;
        }
        if (depth > TRP__MAX_DEPTH) {
            report_error(report, TROUPE_EXIT_UNSUPPORTED, skeleton->name, "skeleton.depth",
                         "a chain of %u joints, at most %u are supported", depth, TRP__MAX_DEPTH);
            return true;
        }
    }
    return false;
}

/// Makes a skeleton of the marked nodes.
static bool build(const struct selection *selection, uint8_t *mark, int32_t root_node,
                  struct skeleton *skeleton, struct report *report)
{
    const struct scene *const scene = selection->scene;
    struct arena *const arena = selection->arena;
    skeleton->scene = scene;
    skeleton->in_pack = true;
    skeleton->joint_of_node = ARENA_NEW(arena, uint32_t, scene->node_count);
    for (uint32_t node = 0; node < scene->node_count; node++) {
        const bool is_joint = mark[node] != MARK_NONE;
        skeleton->joint_of_node[node] = is_joint ? skeleton->joint_count++ : TRP_NONE;
    }
    const uint32_t count = skeleton->joint_count;
    skeleton->node_of_joint = ARENA_NEW(arena, uint32_t, count);
    skeleton->name_of_joint = ARENA_NEW(arena, const char *, count);
    uint32_t *const parent_of_joint = ARENA_NEW(arena, uint32_t, count);
    for (uint32_t node = 0; node < scene->node_count; node++) {
        const uint32_t joint = skeleton->joint_of_node[node];
        if (joint != TRP_NONE) {
            const int32_t parent = scene->nodes[node].parent;
            skeleton->node_of_joint[joint] = node;
            skeleton->name_of_joint[joint] = scene->nodes[node].name;
            parent_of_joint[joint] = parent < 0 ? TRP_NONE : skeleton->joint_of_node[parent];
        }
    }
    skeleton->name = scene->stem;
    if (count > (TRP__MAX_BLOCKS - 1) * 16) {
        return !too_large(skeleton, report);
    }
    const struct rank *const ranks = rank_joints(skeleton, mark, parent_of_joint, arena);
    assign_lanes(skeleton, ranks, parent_of_joint, arena);
    if (too_large(skeleton, report)) {
        return false;
    }
    skeleton->bind_hash = bind_hash(skeleton, parent_of_joint);
    node_world_matrix(scene, root_node, skeleton->root);
    skeleton->rest_local = ARENA_NEW(arena, struct scene_transform, skeleton->lane_count);
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint16_t joint = skeleton->joint_of_lane[lane];
        skeleton->rest_local[lane] =
            joint == TRP_NO_LANE ? (struct scene_transform){{0, 0, 0, 1}, {0, 0, 0}, {1, 1, 1}}
                                 : scene_node_rest(&scene->nodes[skeleton->node_of_joint[joint]]);
    }
    derive_from_rest(skeleton, arena);
    return true;
}

/// Adds static nodes that the caller asked for.
static void mark_attachments(const struct scene *scene, enum compile_nodes nodes,
                             const uint32_t *group, uint32_t own_group, uint8_t *mark)
{
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (mark[node] != MARK_NONE || group_find(group, scene_root_of(scene, node)) != own_group) {
            continue;
        }
        bool is_wanted = nodes == COMPILE_NODES_ALL;
        for (int32_t above = scene->nodes[node].parent; above >= 0 && !is_wanted;
             above = scene->nodes[above].parent) {
            is_wanted = mark[above] == MARK_JOINT;
        }
        if (is_wanted) {
            mark[node] = MARK_ATTACHMENT;
        }
    }
}

/// Marks the joints of a skin, or the bones of an armature, and joins the roots they hang from.
static void mark_bones(const struct scene *scene, const uint32_t *nodes, uint32_t count,
                       uint32_t *group, bool *is_bone)
{
    for (uint32_t i = 0; i < count; i++) {
        is_bone[nodes[i]] = true;
        group_join(group, scene_root_of(scene, nodes[i]), scene_root_of(scene, nodes[0]));
    }
}

bool skeletons_of_scene(const struct scene *scene, enum compile_nodes nodes, double metres_per_unit,
                        struct arena *arena, struct skeleton **skeletons, uint32_t *count,
                        struct report *report)
{
    const uint32_t node_count = scene->node_count;
    bool *const is_bone = ARENA_NEW(arena, bool, node_count);
    bool *const is_animated = ARENA_NEW(arena, bool, node_count);
    bool *const has_bones = ARENA_NEW(arena, bool, node_count);     // by group
    uint32_t *const group = ARENA_NEW(arena, uint32_t, node_count); // root that stands for others
    struct selection selection = {.scene = scene, .arena = arena};
    for (uint32_t node = 0; node < node_count; node++) {
        group[node] = node;
    }
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        mark_bones(scene, scene->skins[i].nodes, scene->skins[i].joint_count, group, is_bone);
    }
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *const instance = &scene->instances[i];
        mark_bones(scene, instance->nodes, instance->bone_count, group, is_bone);
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        for (uint32_t t = 0; t < scene->clips[i].track_count; t++) {
            if (path_is_joint(scene->clips[i].tracks[t].path)) {
                is_animated[scene->clips[i].tracks[t].node] = true;
            }
        }
    }
    for (uint32_t node = 0; node < node_count; node++) {
        if (is_bone[node]) {
            has_bones[group_find(group, scene_root_of(scene, node))] = true;
        }
    }
    // All animated nodes under roots without bones share one skeleton.
    uint32_t skinless = TRP_NONE;
    for (uint32_t node = 0; node < node_count; node++) {
        const uint32_t own = group_find(group, scene_root_of(scene, node));
        if (is_animated[node] && !has_bones[own]) {
            if (skinless == TRP_NONE) {
                skinless = own;
            }
            group_join(group, skinless, own);
            skinless = group_find(group, skinless);
        }
    }
    *skeletons = ARENA_NEW(arena, struct skeleton, node_count);
    *count = 0;
    for (uint32_t root = 0; root < node_count; root++) {
        if (scene->nodes[root].parent >= 0 || group_find(group, root) != root ||
            (!has_bones[root] && root != skinless)) {
            continue;
        }
        uint8_t *const mark = ARENA_NEW(arena, uint8_t, node_count);
        for (uint32_t node = 0; node < node_count; node++) {
            if ((is_bone[node] || is_animated[node]) &&
                group_find(group, scene_root_of(scene, node)) == root) {
                mark[node] = MARK_JOINT;
            }
        }
        close_gaps(scene, mark, MARK_JOINT);
        int32_t root_node = collapse_ancestors(scene, mark);
        struct skeleton *const skeleton = &(*skeletons)[*count];
        skeleton->raw_joint_count =
            count_raw_joints(&selection, mark, has_bones[root], is_bone, is_animated);
        if (nodes != COMPILE_NODES_JOINTS) {
            mark_attachments(scene, nodes, group, root, mark);
            close_gaps(scene, mark, MARK_ATTACHMENT);
            if (nodes == COMPILE_NODES_ALL) {
                // The ancestors are nodes of their own now, and parents come before children.
                for (uint32_t node = 0; node < node_count; node++) {
                    for (int32_t above = scene->nodes[node].parent;
                         above >= 0 && mark[node] == MARK_JOINT;
                         above = scene->nodes[above].parent) {
                        mark[above] = MARK_JOINT;
                    }
                }
                root_node = -1;
            }
        }
        skeleton->metres_per_unit = metres_per_unit;
        if (!build(&selection, mark, root_node, skeleton, report)) {
            return false;
        }
        *count += 1;
    }
    return true;
}

struct skeleton *skeleton_of_nothing(const struct scene *scene, struct arena *arena)
{
    struct skeleton *const skeleton = ARENA_NEW(arena, struct skeleton, 1);
    skeleton->scene = scene;
    skeleton->name = scene->stem;
    skeleton->metres_per_unit = 1.0;
    skeleton->joint_of_node = ARENA_NEW(arena, uint32_t, scene->node_count);
    memset(skeleton->joint_of_node, 0xFF, scene->node_count * sizeof(uint32_t)); // TRP_NONE
    return skeleton;
}

/// Reports animated nodes that no joint of a pack's skeleton has the name of: their motion is lost.
static void report_unmapped(const struct skeleton *skeleton, struct report *report)
{
    const struct scene *const scene = skeleton->scene;
    struct arena arena = {0};
    bool *const is_animated = ARENA_NEW(&arena, bool, scene->node_count);
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        for (uint32_t t = 0; t < scene->clips[i].track_count; t++) {
            const struct scene_track *const track = &scene->clips[i].tracks[t];
            if (track->path != SCENE_PROPERTY) {
                is_animated[track->node] = true;
            }
        }
    }
    for (uint32_t node = 0; node < scene->node_count; node++) {
        if (is_animated[node] && skeleton->joint_of_node[node] == TRP_NONE) {
            report_warning(report, scene->nodes[node].name, "skeleton.map",
                           "node %u is animated, but is no joint of skeleton '%s'", node,
                           skeleton->name);
        }
    }
    arena_free(&arena);
}

bool skeleton_of_pack(const trp_skeleton *source, const struct scene *scene, struct arena *arena,
                      struct skeleton *skeleton, struct report *report)
{
    *skeleton = (struct skeleton){
        .scene = scene,
        .name = source->name,
        .joint_count = source->joint_count,
        .raw_joint_count = source->joint_count,
        .block_count = source->block_count,
        .joint_block_count = source->joint_block_count,
        .lane_count = source->lane_count,
        .bind_hash = source->bind_hash,
        .metres_per_unit = source->metres_per_unit,
    };
    const uint32_t lanes = source->lane_count;
    skeleton->node_of_joint = ARENA_NEW(arena, uint32_t, source->joint_count);
    skeleton->name_of_joint = ARENA_NEW(arena, const char *, source->joint_count);
    skeleton->joint_of_node = ARENA_NEW(arena, uint32_t, scene->node_count);
    skeleton->lane_of_joint = ARENA_NEW(arena, uint16_t, source->joint_count);
    skeleton->joint_of_lane = ARENA_NEW(arena, uint16_t, lanes);
    skeleton->parent_of_lane = ARENA_NEW(arena, uint16_t, lanes);
    memcpy(skeleton->lane_of_joint, source->lane_of_joint, source->joint_count * sizeof(uint16_t));
    memcpy(skeleton->joint_of_lane, source->joint_of_lane, lanes * sizeof(uint16_t));
    memcpy(skeleton->parent_of_lane, source->parent_of_lane, lanes * sizeof(uint16_t));
    for (uint32_t joint = 0; joint < source->joint_count; joint++) {
        skeleton->name_of_joint[joint] = trp_skeleton_joint_name(source, joint);
        skeleton->node_of_joint[joint] = TRP_NONE;
    }
    uint32_t mapped = 0;
    for (uint32_t node = 0; node < scene->node_count; node++) {
        const char *const name = scene->nodes[node].name;
        const uint32_t joint = trp_skeleton_find_joint(source, trp_name_hash(name));
        const bool is_free = joint != TRP_NONE && skeleton->node_of_joint[joint] == TRP_NONE &&
                             strcmp(trp_skeleton_joint_name(source, joint), name) == 0;
        skeleton->joint_of_node[node] = is_free ? joint : TRP_NONE;
        if (is_free) {
            skeleton->node_of_joint[joint] = node;
            mapped++;
        }
    }
    if (mapped == 0) {
        return report_error(report, TROUPE_EXIT_INPUT, NULL, "skeleton.map",
                            "no node has the name of a joint of skeleton '%s'", source->name);
    }
    report_unmapped(skeleton, report);
    for (uint32_t i = 0; i < 12; i++) {
        skeleton->root[i] = (double)source->root_transform[i];
    }
    skeleton->rest_local = ARENA_NEW(arena, struct scene_transform, lanes);
    double largest_difference = 0.0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const trp_pose_block *const block = &source->rest[lane / 16];
        struct scene_transform *const local = &skeleton->rest_local[lane];
        for (int i = 0; i < 4; i++) {
            local->rotation[i] = (double)block->rotation[i][lane % 16];
        }
        for (int i = 0; i < 3; i++) {
            local->translation[i] = (double)block->translation[i][lane % 16];
            local->scale[i] = (double)block->scale[i][lane % 16];
        }
        const uint16_t joint = source->joint_of_lane[lane];
        if (joint != TRP_NO_LANE && skeleton->node_of_joint[joint] != TRP_NONE) {
            const struct scene_transform own =
                scene_node_rest(&scene->nodes[skeleton->node_of_joint[joint]]);
            double same = 0.0;
            for (int i = 0; i < 4; i++) {
                same += own.rotation[i] * local->rotation[i];
            }
            for (int i = 0; i < 3; i++) {
                const double t = fabs(own.translation[i] - local->translation[i]);
                const double s = fabs(own.scale[i] - local->scale[i]);
                largest_difference = t > largest_difference ? t : largest_difference;
                largest_difference = s > largest_difference ? s : largest_difference;
            }
            const double r = 1.0 - fabs(same);
            largest_difference = r > largest_difference ? r : largest_difference;
        }
    }
    if (largest_difference > 1e-4) {
        report_warning(report, NULL, "skeleton.rest",
                       "rest poses differ by up to %.4g from skeleton '%s'; clips keep their own "
                       "motion, joints without motion rest as that skeleton does",
                       largest_difference, source->name);
    }
    derive_from_rest(skeleton, arena);
    return true;
}
