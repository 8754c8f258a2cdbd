// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Writes packs for tests: a plain description of what a pack holds, a writer that turns it into
// bytes, and a generator of random descriptions. Written from FORMAT.md alone, without format.h or
// the compiler, so that runtime, compiler and this file cannot share a mistake.
#ifndef TROUPE_TESTS_PACK_BUILDER_H
#define TROUPE_TESTS_PACK_BUILDER_H

#include <stdbool.h>
#include <troupe/troupe.h>

enum pack_section {
    PACK_STRINGS = 1,
    PACK_SKELETONS = 2,
    PACK_SKINS = 3,
    PACK_CLIPS = 4,
    PACK_PROPERTIES = 5,
    PACK_INSTANCES = 6,
    PACK_BLENDTREES = 7,
};

struct pack_joint {
    const char *name;
    const char *id;  // or null: empty
    uint32_t parent; // joint, or TRP_NONE
    uint32_t node;
    uint16_t lane;
    trp_joint_transform rest;
};

struct pack_skeleton {
    const char *name;
    double metres_per_unit;
    float root_transform[12];
    uint32_t block_count;
    uint32_t joint_block_count;
    uint32_t joint_count;
    struct pack_joint *joints;
};

struct pack_skin {
    const char *name;
    uint32_t skeleton;
    uint32_t joint_count;
    uint16_t *lanes;
    float (*inverse_bind)[12];
};

struct pack_property {
    const char *path;
    trp_property_type type;
    uint32_t value_count;
    uint32_t node;
    float *defaults;     // [value_count]
    const char **labels; // [value_count]
};

struct pack_property_set {
    const char *name;
    uint32_t property_count;
    struct pack_property *properties;
    uint32_t text_count;
    const char **texts; // [text_count]
};

enum pack_track_kind {
    PACK_ABSENT,
    PACK_RESTING,
    PACK_CONSTANT,
    PACK_ANIMATED,
};

/// One path of one lane.
struct pack_track {
    enum pack_track_kind kind;
    int32_t rotation_constant[3]; // fields of 21 bits
    float constant[3];
    int16_t mean[3];
    float offset[3];
    uint16_t step; // upper half of a float
};

/// One value of the clip's property set.
struct pack_value {
    bool is_animated; // in rows
    float offset;
    uint16_t step; // upper half of a float
};

/// Components count path by path, lane by lane, x y z, animated tracks only; then animated values.
struct pack_segment {
    bool has_tick_mask;
    bool has_holds;
    uint64_t tick_mask[5];
    uint32_t row_count;
    uint8_t *rules;  // [block_count], 0 where nothing turns
    uint16_t *holds; // [3 * block_count], then of values [value block count]
    uint8_t base_bits[4];
    uint8_t *widths;  // [component_count]
    int32_t *bases;   // [component_count]
    uint32_t *fields; // [row_count][component_count]
};

/// How one interval of keys is played; what belongs to another mode is 0.
struct pack_curve {
    uint8_t mode;        // TRP_INTERPOLATION_*
    float x[2];          // bezier
    uint32_t easing;     // easing
    uint32_t table_size; // sampled
    float *table;
};

struct pack_keyed_track {
    trp_path path;
    uint32_t target;
    uint32_t first;
    uint32_t stride;
};

/// Keyed tracks that share their times. Components of a key: x of all rotations, y, z, w; scalars.
struct pack_group {
    uint32_t key_count;
    uint32_t rotation_count;
    uint32_t scalar_count;
    uint32_t planes;
    double *times;             // [key_count]
    float *values;             // [key_count][planes][components]
    bool has_modes;            // else all intervals are like the first
    struct pack_curve *curves; // [key_count]
    uint32_t track_count;
    struct pack_keyed_track *tracks;
};

/// A named moment. Its phase is worked out from the time when it is written.
struct pack_event {
    const char *name;
    double time_s;
    double duration_s;
    int64_t integer;
    double number;
    const char *text;   // or null: empty
    const char *target; // or null: empty
    uint32_t flags;     // TRP_EVENT_*
    double from_number;
    uint32_t easing;
    uint32_t sample_count; // 0: none
    const float *samples;  // written once for all events that have the same pointer
};

struct pack_root_motion {
    uint16_t lane;
    uint8_t components; // TRP_ROOT_*
    bool is_in_pose;    // else the clip has TRP_CLIP_ROOT_MOTION among its flags
    float pivot[2];     // x z
    uint32_t key_count;
    double *times;
    float (*keys)[4]; // x y z, yaw in turns
};

struct pack_clip {
    const char *name;
    const char *source_file;
    const char *source_clip;
    const char *source_id; // or null: empty
    const char *additive_reference;
    uint64_t bind_hash; // where `skeleton` is TRP_NONE; else that skeleton's is written
    uint32_t skeleton;
    uint32_t flags;
    uint32_t block_count;
    uint32_t rate_num;
    uint32_t rate_den;
    uint32_t tick_count;
    uint32_t ticks_per_segment;
    struct pack_track *tracks; // [3 * 16 * block_count]
    uint32_t property_set;     // or TRP_NONE
    uint32_t value_count;      // of that set
    struct pack_value *values;
    uint32_t component_count;
    uint32_t segment_count;
    struct pack_segment *segments;
    uint32_t group_count;
    struct pack_group *groups;
    uint32_t event_count;
    struct pack_event *events;            // in the order of time
    struct pack_root_motion *root_motion; // null: none
};

/// A component of a bone.
struct pack_component {
    uint32_t bone;
    uint32_t kind; // trp_component_kind
    const char *id;
    const char *type;
    const char *json;
};

struct pack_humanoid {
    uint32_t flags;
    float settings[7];
    uint16_t lanes[55]; // of parts
    uint32_t axes[55];
    float angles[55][9]; // smallest, centre, largest; primary, secondary, twist
    uint32_t limit_block_count;
    uint32_t *limit_blocks; // [limit_block_count] ascending
    float (*limits)[6][16]; // [limit_block_count] tangents
};

struct pack_instance {
    const char *name;
    const char *id;
    const char *armature_name;
    const char *armature_id;
    uint32_t skeleton;
    uint32_t pose_of;          // the instance whose pose is written, this one or one before it
    trp_joint_transform *pose; // [joint_count] of the skeleton; null where it is another's
    uint32_t bone_count;
    const char **ids; // of bones, as all below
    float *lengths;
    uint16_t *lanes;
    uint32_t component_count;
    struct pack_component *components;
    struct pack_humanoid *humanoid; // null: none
};

struct pack_blendtree {
    const char *name;
    const char *id;
    uint32_t dimensions;
    uint32_t count;
    float (*places)[2];
    uint32_t *clips;
};

/// A whole pack. What it points to lives as long as it does.
struct pack_content {
    uint32_t skeleton_count;
    struct pack_skeleton *skeletons;
    uint32_t skin_count;
    struct pack_skin *skins;
    uint32_t property_set_count;
    struct pack_property_set *property_sets;
    uint32_t instance_count;
    struct pack_instance *instances;
    uint32_t clip_count;
    struct pack_clip *clips;
    uint32_t blendtree_count;
    struct pack_blendtree *blendtrees;
    void *memory;
};

/// What a random pack shall be like. Zero means default.
struct pack_recipe {
    uint64_t seed;
    uint32_t joint_count;      // default 5
    uint32_t attachment_count; // joints more, in blocks of their own
    uint32_t skin_count;
    uint32_t clip_count;
    uint32_t tick_count;        // of each clip
    uint32_t ticks_per_segment; // default 8
    uint32_t flags;             // of each clip; root motion needs keys and joints
    bool is_still;              // nothing is animated
    bool is_chain;              // each joint is the parent of the next
    bool only_clips;            // the skeleton is left out of the pack, and the skins
    bool is_jointless;          // clips are for no skeleton
    bool has_initial_keys;    // groups of properties alone begin at -1 where they have keys for it
    uint32_t property_count;  // of one set that all clips share
    uint32_t group_count;     // of keyed tracks in each clip
    uint64_t key_seed;        // what else decides on values and keys
    uint32_t event_count;     // of each clip
    uint32_t root_key_count;  // of root motion, taken out of the pose where the flags say so
    uint32_t instance_count;  // every second one a humanoid
    bool shares_pose;         // instances have that of the first, else each one its own
    uint32_t blendtree_count; // in one and two dimensions by turns
};

/// Makes a random description. The same recipe gives the same pack, but for what the recipe says
/// about clips the skeleton does not depend on it, nor do joints in rows depend on properties and
/// keyed tracks.
struct pack_content *pack_content_random(const struct pack_recipe *recipe);

void pack_content_free(struct pack_content *content);

/// Returns zeroed memory that lives as long as `content`.
void *pack_content_allocate(struct pack_content *content, size_t size_bytes);

/// Writes a pack.
/// @return 64-byte aligned bytes of exactly this size, to be given to free()
uint8_t *pack_write(const struct pack_content *content, size_t *size_bytes);

/// Puts the right content hash into a pack that was changed.
void pack_rehash(uint8_t *bytes, size_t size_bytes);

/// Returns the value that a track has at a row, worked out in double precision; `out` gets four
/// numbers of a rotation and three of the others. Rest values of what is not stored are left out:
/// false.
bool pack_clip_value(const struct pack_clip *clip, trp_path path, uint32_t lane, uint32_t segment,
                     uint32_t row, double out[4]);

/// Returns what a value of the property set has at a row, in double precision; that of a value
/// which is not in rows is left out: false.
bool pack_clip_property(const struct pack_clip *clip, uint32_t value, uint32_t segment,
                        uint32_t row, double *out);

/// Returns the tick of a row, from the start of the clip.
uint32_t pack_clip_row_tick(const struct pack_clip *clip, uint32_t segment, uint32_t row);

/// Returns the phase of a time of a clip, in 2^-20 ticks.
uint64_t pack_clip_phase(const struct pack_clip *clip, double time_s);

uint64_t pack_bind_hash(const struct pack_skeleton *skeleton);

// Where things lie in written bytes: offsets from the start of the file.

/// Returns the place of a section's row in the section table, or 0.
size_t pack_section_row(const uint8_t *bytes, enum pack_section kind);

size_t pack_object(const uint8_t *bytes, enum pack_section kind, uint32_t index);

size_t pack_segment_at(const uint8_t *bytes, uint32_t clip, uint32_t segment);

/// Returns where the keyed part of a clip starts.
size_t pack_keyed_at(const uint8_t *bytes, uint32_t clip);

/// Returns where the events of a clip start.
size_t pack_events_at(const uint8_t *bytes, uint32_t clip);

/// Returns where the root motion of a clip starts.
size_t pack_root_at(const uint8_t *bytes, uint32_t clip);

uint16_t pack_get_u16(const uint8_t *bytes, size_t at);
uint32_t pack_get_u32(const uint8_t *bytes, size_t at);
uint64_t pack_get_u64(const uint8_t *bytes, size_t at);
void pack_set_u16(uint8_t *bytes, size_t at, uint16_t value);
void pack_set_u32(uint8_t *bytes, size_t at, uint32_t value);
void pack_set_u64(uint8_t *bytes, size_t at, uint64_t value);
void pack_set_f32(uint8_t *bytes, size_t at, float value);

/// The next number of a fixed sequence (splitmix64).
uint64_t pack_random(uint64_t *state);

#endif
