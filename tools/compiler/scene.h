// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The scene: what every importer produces and what the compiler, its error metric and `verify`
// hold to be true. Exact source curves in double precision and an evaluator for them.
// Quaternions x y z w; matrices 3x4 row-major; seconds; source units.
#ifndef TROUPE_TOOLS_SCENE_H
#define TROUPE_TOOLS_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

enum scene_path {
    SCENE_ROTATION = 0, // the order of trp_path
    SCENE_TRANSLATION = 1,
    SCENE_SCALE = 2,
    SCENE_PROPERTY = 3, // values of any meaning, each on its own: morph weights, visibility ...
};

/// How a curve goes from a key to the next.
enum scene_interpolation {
    SCENE_STEP = 0,
    SCENE_LINEAR = 1,  // rotations: slerp along the short arc
    SCENE_CUBIC = 2,   // Hermite with tangents per second, as in glTF; rotations normalised after
    SCENE_BEZIER = 3,  // with handles in time and value; rotations normalised after
    SCENE_EASING = 4,  // a named time curve of src/easing.h; values alone
    SCENE_SAMPLED = 5, // a time curve given at evenly spaced times; values alone
};

/// A time curve from the part of an interval that has passed to the part of the way that is done.
struct scene_samples {
    uint32_t count; // at least 2
    double *values; // [count] finite; the ends need not be 0 and 1
};

/// One animated property: key times, flat values, and what happens after each key.
/// Guaranteed by importers: times finite, strictly increasing, >= 0; values finite; rotation values
/// of unit length (tangents are as in the source). The first key of a property may be at exactly -1
/// where the second is at 0 or later: what the clip has before it begins.
struct scene_curve {
    uint32_t key_count; // at least 1
    uint32_t stride;    // 4 for rotations, 3 for translation and scale, else the property's count
    double *times;
    double *values;       // [key_count][stride]
    double *in_tangents;  // [key_count][stride], null without cubic or bezier keys; values of the
    double *out_tangents; // arriving and the leaving handle where the interval is bezier
    double (*handles)[2]; // [key_count] times of the leaving and the arriving handle of the
                          // interval after a key, in [0, 1] of it; null without bezier keys
    uint16_t *easings;    // [key_count] numbers of src/easing.h after SCENE_EASING; null without
    struct scene_samples *samples; // [key_count] time curves after SCENE_SAMPLED; null without
    uint8_t *interpolations;       // [key_count] enum scene_interpolation; the last one is unused
    uint8_t *is_added; // [key_count] 1 for keys that the importer put between those of the file, to
                       // follow their curve; null where it did not
};

struct scene_node {
    const char *name; // never null, may be empty
    const char *id;   // in the file, null where it gives none
    int32_t parent;   // smaller or larger index, -1 for a root; no cycles
    double rotation[4];
    double translation[3];
    double scale[3];
};

struct scene_skin {
    const char *name;
    uint32_t joint_count;
    uint32_t *nodes;            // [joint_count] in palette order
    double (*inverse_bind)[12]; // [joint_count]
    int32_t skeleton_root;      // node named by the file, -1 where it names none; a hint only
};

/// Guaranteed by importers: booleans, integers and strings are one value each, and their curves are
/// stepped.
enum scene_property_type {
    SCENE_FLOAT = 0,  // the order of trp_property_type
    SCENE_BOOL = 1,   // 0 or 1
    SCENE_INT = 2,    // whole, of up to 24 bits
    SCENE_STRING = 3, // an index into the scene's texts
};

/// Something of the source that clips animate and that is no joint transform.
struct scene_property {
    const char *path; // where it is in the file, as the source names it: /nodes/3/weights
    enum scene_property_type type;
    uint32_t value_count; // at least 1
    double *defaults;     // [value_count] as the file rests
    const char **labels;  // [value_count] never null, may be empty: names of morph targets
    int32_t node;         // the node it belongs to, -1 where it belongs to none
};

struct scene_track {
    uint32_t node; // unused where the path is SCENE_PROPERTY
    enum scene_path path;
    uint32_t property; // unused where the path is not SCENE_PROPERTY
    struct scene_curve curve;
};

/// A named moment of a clip. Guaranteed by importers: the name is not empty, times are finite and
/// not negative.
struct scene_event {
    const char *name;
    double time_s;
    double duration_s;
    uint32_t flags; // TRP_EVENT_*: which payloads it has, and whether it is a marker
    int64_t integer;
    double number;                       // over a duration: at its end
    double from_number;                  // over a duration: at its start
    uint32_t easing;                     // of src/easing.h, from `from_number` to `number`
    const struct scene_samples *samples; // a time curve instead; null without
    const char *text;                    // never null, may be empty
    const char *target; // what the event is about, such as a node; null where it names nothing
};

/// How a file says that a clip plays.
enum scene_play {
    SCENE_PLAY_ONCE = 0, // or nothing
    SCENE_PLAY_LOOP = 1,
    SCENE_PLAY_PING_PONG = 2,
};

/// At most one track for each (node, path) and for each property.
struct scene_clip {
    const char *name; // never null, may be empty
    const char *id;   // in the file, null where it gives none
    enum scene_play play;
    uint32_t track_count;
    struct scene_track *tracks;
    uint32_t event_count;
    struct scene_event *events; // in any order
    double duration_s; // as the file says; else the largest key time of all tracks, also of ones
                       // the compiler drops; never less than that
};

/// A joint's local transform.
struct scene_transform {
    double rotation[4];
    double translation[3];
    double scale[3];
};

/// A component of a bone, kept as it is.
struct scene_component {
    uint32_t kind; // trp_component_kind
    uint32_t bone; // of its instance
    const char *id;
    const char *type; // empty where unknown
    const char *json;
};

/// Which bone is which part of a body: bones and limits by trp_human_part.
struct scene_humanoid {
    uint32_t flags;     // TRP_HUMANOID_*
    double settings[7]; // in the order of trp_humanoid
    int32_t bone_of_part[55];
    uint32_t axes[55];       // bits of the axes that are limited
    double limits[55][3][3]; // primary, secondary, twist; smallest, centre, largest; radians
};

/// An armature in the scene. Its bones are nodes under the node that carries it, and joints.
struct scene_instance {
    uint32_t node;
    const char *armature_name;
    const char *armature_id;
    uint32_t bone_count;
    uint32_t *nodes;              // [bone_count]
    double *lengths;              // [bone_count]
    struct scene_transform *pose; // [bone_count] local: as the file poses the instance, else rest
    uint32_t component_count;
    struct scene_component *components; // sorted by bone
    struct scene_humanoid *humanoid;    // null where it is none
};

struct scene_blendtree {
    const char *name;
    const char *id;
    uint32_t dimensions; // 1 or 2
    uint32_t count;
    double (*places)[2]; // [count]
    int32_t *clips;      // [count] of the scene, -1 where there is none
};

/// A whole source file. Everything lives in `arena`.
struct scene {
    struct arena arena;
    const char *file;       // path as given
    const char *stem;       // its name without folders and extension
    double metres_per_unit; // 0 where the file does not say
    uint32_t other_file_count;
    const char **other_files; // what else was read, such as buffers beside the file
    uint32_t node_count;
    struct scene_node *nodes;
    uint32_t skin_count;
    struct scene_skin *skins;
    uint32_t property_count;
    struct scene_property *properties; // no path twice; in the order of first use
    uint32_t text_count;
    const char **texts; // that properties of SCENE_STRING have; no text twice
    uint32_t clip_count;
    struct scene_clip *clips;
    bool is_exact;    // compiled with every key as it is, unless asked otherwise
    bool keeps_clips; // also those that move nothing and have no events
    uint32_t instance_count;
    struct scene_instance *instances;
    uint32_t blendtree_count;
    struct scene_blendtree *blendtrees;
};

void scene_free(struct scene *scene);

/// Returns the name of a clip in packs: its own, or where it has none the file's and its index.
/// @param arena  takes a name that is made up
const char *scene_clip_name(const struct scene *scene, uint32_t clip, struct arena *arena);

/// Evaluates a curve exactly. The oracle of everything.
/// @param time_s any number: before the first key its value, after the last key the last value,
///               NaN counts as 0; exactly at a key that key's value
/// @param out    [out] `stride` doubles; rotations have unit length
/// Source: glTF 2.0 specification, Appendix C (interpolation).
void scene_curve_sample(const struct scene_curve *curve, enum scene_path path, double time_s,
                        double *out);

/// Returns where a bezier interval reaches a part of its time: the parameter, in [0, 1].
/// @param handles times of the leaving and the arriving handle, in [0, 1] of the interval
double scene_bezier_parameter(const double handles[2], double part);

/// Returns the local transform of a node as the file rests.
struct scene_transform scene_node_rest(const struct scene_node *node);

/// Writes the 3x4 matrix of a local transform: translation * rotation * scale.
void scene_transform_matrix(const struct scene_transform *transform, double matrix[12]);

/// Writes a * b for 3x4 matrices whose last row is 0 0 0 1. `out` may be neither.
void scene_matrix_multiply(const double a[12], const double b[12], double out[12]);

/// Spherical linear interpolation along the short arc; inputs and result of unit length.
void scene_slerp(const double a[4], const double b[4], double u, double out[4]);

#endif
