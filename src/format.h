// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The bytes of a pack, version 1. The only file that knows offsets; FORMAT.md explains every field
// and is the specification. Little-endian. Shared by the runtime (reads) and the compiler (writes).
#ifndef TROUPE_SRC_FORMAT_H
#define TROUPE_SRC_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRP__MAGIC 0x4B505254u // "TRPK"
#define TRP__ENDIAN_MARK 0x01020304u
#define TRP__FORMAT_VERSION 1u
#define TRP__FEATURES_KNOWN 0u

/// Zero bytes at the end of every file, inside its size: wide loads may run past the last row.
#define TRP__TAIL_BYTES 64u

#define TRP__MAX_BLOCKS 2048u     // 32,768 lanes
#define TRP__MAX_VALUES 32768u    // of a property set, 2048 blocks
#define TRP__MAX_TEXTS 0x1000000u // likewise, so that a float can count them
#define TRP__MAX_DEPTH 1024u      // joints from a root to a leaf
#define TRP__MAX_TICKS 0x3FFFFFFFu
#define TRP__MAX_SEGMENT_TICKS 256u
#define TRP__MIN_SEGMENT_TICKS 8u
#define TRP__MAX_WIDTH 24u // bits of a component in a row

enum { // kinds of sections; at most one of each, unknown kinds are skipped
    TRP__SECTION_STRINGS = 1,
    TRP__SECTION_SKELETONS = 2,
    TRP__SECTION_SKINS = 3,
    TRP__SECTION_CLIPS = 4,
    TRP__SECTION_PROPERTIES = 5,
    TRP__SECTION_INSTANCES = 6,
    TRP__SECTION_BLENDTREES = 7,
};

/// Start of the file.
struct trp__file_header {
    uint32_t magic;
    uint32_t endian_mark;
    uint32_t version;
    uint32_t features; // bits a reader must know; none yet
    uint64_t size_bytes;
    uint64_t content_hash; // XXH64, seed 0, of the whole file with this field as zero
    uint32_t section_count;
    uint32_t reserved[7];
};

/// One row of the section table, which follows the file header. Sorted by offset.
struct trp__section {
    uint32_t kind;
    uint32_t count;      // objects in the section; strings: 0
    uint64_t offset;     // 64-byte aligned, from the start of the file
    uint64_t size_bytes; // without padding
    uint64_t reserved;
};

/// Sections of objects start with `count` of these, sorted, disjoint.
struct trp__entry {
    uint32_t offset; // from the start of the section; 64-byte aligned, clips 16
    uint32_t size_bytes;
};

/// Start of a skeleton. Arrays follow without gaps, in this order:
/// trp_pose_block rest[block_count]; uint64_t name_hash[joint_count]; uint32_t node[joint_count];
/// uint32_t name[joint_count], id[joint_count]; uint16_t parent_of_lane[lanes],
/// joint_of_lane[lanes], lane_of_joint[joint_count].
struct trp__skeleton_header {
    uint64_t name_hash;
    uint64_t bind_hash;
    double metres_per_unit;
    uint32_t name;
    uint32_t joint_count;
    uint32_t block_count;
    uint32_t joint_block_count;
    float root_transform[12];
    uint32_t reserved[10];
};

/// Start of a skin. Then float inverse_bind[joint_count][12]; uint16_t lane_of_entry[joint_count].
struct trp__skin_header {
    uint64_t name_hash;
    uint32_t name;
    uint32_t skeleton;
    uint32_t joint_count;
    uint32_t reserved[11];
};

/// Start of a property set: the values of a model that are not joints. Arrays follow without gaps,
/// in this order: struct trp__property properties[property_count]; float defaults[value_count];
/// uint32_t labels[value_count], texts[text_count] (strings).
struct trp__property_set_header {
    uint64_t name_hash;
    uint32_t name;
    uint32_t property_count;
    uint32_t value_count;
    uint32_t text_count;
    uint32_t reserved[10];
};

/// One property. Their values follow each other without gaps, in the order of the properties.
struct trp__property {
    uint64_t path_hash;
    uint32_t path; // string
    uint32_t first_value;
    uint32_t value_count; // at least 1
    uint32_t node;        // index in the source file, or TRP_NONE
    uint32_t type;        // trp_property_type
    uint32_t reserved;
};

/// Start of an instance: an armature in a scene. Arrays follow without gaps, in this order:
/// trp_pose_block pose[block_count], where pose_of is the instance itself;
/// float limits[limit_block_count][6][16]; struct trp__humanoid, where HUMANOID;
/// uint64_t id_hash_of_bone[bone_count]; struct trp__component components[component_count];
/// uint32_t id_of_bone[bone_count] (strings), block_of_limits[limit_block_count] (ascending);
/// float length_of_bone[bone_count]; uint16_t lane_of_bone[bone_count].
struct trp__instance_header {
    uint64_t name_hash;
    uint32_t name; // strings, this one and the next three
    uint32_t id;
    uint32_t armature_name;
    uint32_t armature_id;
    uint32_t skeleton; // index in this pack
    uint32_t block_count;
    uint32_t bone_count;
    uint32_t component_count;
    uint32_t flags;             // TRP__INSTANCE_*
    uint32_t pose_of;           // index of the instance that has the pose: itself, or before it
    uint32_t limit_block_count; // of a humanoid: blocks with limits in them
    uint32_t reserved[3];
};

enum { // trp__instance_header::flags
    TRP__INSTANCE_HUMANOID = 1 << 0,
};

/// Which bone is which part of a body. limits[6][16] of a block: smallest and largest tangent of
/// half the turn, about X, then Z, then Y; -FLT_MAX and FLT_MAX where there is no limit.
struct trp__humanoid {
    uint32_t flags;            // TRP_HUMANOID_*
    float settings[7];         // in the order of trp_humanoid
    uint16_t lane_of_part[55]; // as the file maps it, or TRP_NO_LANE
    uint16_t padding;
    struct trp__human_limits {
        uint32_t axes; // bits
        float primary[3];
        float secondary[3];
        float twist[3];
    } limits[55]; // radians
};

/// A component of a bone; sorted by bone.
struct trp__component {
    uint64_t id_hash;
    uint32_t id; // strings, this one and the next two
    uint32_t type;
    uint32_t json;
    uint32_t bone;
    uint32_t kind; // trp_component_kind
    uint32_t reserved;
};

/// Start of a blend tree. Then float places[count][2]; uint32_t clips[count], in this pack or
/// TRP_NONE.
struct trp__blendtree_header {
    uint64_t name_hash;
    uint32_t name; // string
    uint32_t id;   // string
    uint32_t dimensions;
    uint32_t count;
    uint32_t reserved[2];
};

/// Start of a clip. The resident part follows without gaps, in this order (paths in the order
/// rotation, translation, scale; joints in lane order):
/// struct trp__segment_entry segments[segment_count];
/// uint16_t animated[3][block_count], constant[3][block_count], resting[3][block_count];
///     bit = lane of the block, disjoint; resting: constant, with the value that the skeleton
///     rests at (identity where the clip is additive), so nothing is stored
/// uint64_t rotation_constant[constant_count[0]];                     3 x 21 bits, see FORMAT.md
/// float translation_constant[constant_count[1]][3], scale_constant[constant_count[2]][3];
/// float translation_offset[animated_count[1]][3], scale_offset[animated_count[2]][3];
/// int16_t rotation_mean[animated_count[0]][3];
/// uint16_t step[animated_count[0] + animated_count[1] + animated_count[2]];
/// uint16_t animated_values[value_block_count];         bit = value % 16
/// float value_offset[animated_value_count];
/// uint16_t value_step[animated_value_count];
/// A clip for no skeleton has block_count 0, and nothing of what goes over joints.
struct trp__clip_header {
    uint64_t name_hash;
    uint64_t bind_hash;
    uint32_t name;
    uint32_t source_file;        // string: stem of the file it came from
    uint32_t source_clip;        // string: its name there
    uint32_t additive_reference; // string: clip name, "rest", or empty
    uint32_t skeleton;           // index in this pack, or TRP_NONE
    uint32_t flags;              // TRP_CLIP_*
    uint32_t block_count;
    uint32_t rate_num;
    uint32_t rate_den;
    uint32_t tick_count;
    uint32_t ticks_per_segment;
    uint32_t segment_count;
    uint16_t constant_count[3];
    uint16_t animated_count[3];
    float metres_per_unit; // that errors were measured with
    float budget_mm;
    float shell_m;
    float max_error_keys_mm;
    float max_error_mm;
    float mean_error_mm;
    uint32_t loop;               // TRP__LOOP_*: how the compiler treated the end
    uint32_t row_count;          // over all segments
    uint32_t source_joint_count; // joints of raw_bytes
    uint32_t source_clip_index;  // of the clip in its file
    uint32_t property_set;       // index in this pack, or TRP_NONE: the clip has no values
    uint32_t keyed_offset;       // from the start of the clip, 16-byte aligned; 0: no keyed tracks
    uint32_t value_block_count;  // blocks of 16 values of the set, 0 where none is in rows
    uint32_t animated_value_count; // in rows
    float lead_in_s;               // taken off all times of the source by the compiler
    uint32_t events_offset;        // from the start of the clip, 16-byte aligned; 0: no events
    uint32_t root_offset;          // likewise; 0: no root motion
    uint32_t source_id;            // string: its id in the file, empty where files give none
    uint32_t reserved[3];
};

enum { // trp__clip_header::loop
    TRP__LOOP_AUTO = 0,
    TRP__LOOP_ON = 1,
    TRP__LOOP_OFF = 2,
    TRP__LOOP_CLOSED = 3, // on, and the compiler appended the first key after the last
};

/// Start of the events of a clip. Then, without gaps: uint64_t phases[event_count], ascending, in
/// 2^-20 ticks, never past the last tick; struct trp__event events[event_count]; time curves, in
/// the order in which events first name them, each a struct trp__event_samples and its samples.
struct trp__events_header {
    uint32_t size_bytes;  // of all that
    uint32_t event_count; // at least 1
    uint32_t reserved[2];
};

/// A named moment; those at one phase in the order of the source.
struct trp__event {
    uint64_t name_hash;
    double time_s;     // as the source has it, less the lead-in; within a phase unit of its phase
    double duration_s; // [0, TRP__MAX_EVENT_S], may reach past the end of the clip
    int64_t integer;
    double number;
    uint32_t name;   // string, not empty
    uint32_t text;   // string
    uint32_t target; // string
    uint32_t flags;  // TRP_EVENT_*
    double from_number;
    uint32_t easing;  // its number, see easing.h; 0 where there are samples
    uint32_t samples; // a time curve instead, from the start of the events; 0: none
};

/// A time curve of events. Then float samples[count], at evenly spaced times.
struct trp__event_samples {
    uint32_t count; // at least 2
};

#define TRP__MAX_EVENT_S 1e9        // how long an event may last
#define TRP__MAX_EVENT_NUMBER 1e300 // so that what lies between two is finite along any curve

/// Start of the root motion of a clip. Then, without gaps: double times[key_count], ascending from
/// 0, never past the end of the clip; float keys[key_count][4]: x y z in source units, yaw in turns
/// about the pivot, in model space, linear in between; the first is 0 0 0 0, components that were
/// not asked for are 0 throughout.
struct trp__root_header {
    uint32_t size_bytes;
    uint32_t key_count; // at least 1
    uint16_t lane;      // of the joint it was taken from
    uint8_t components; // TRP_ROOT_*, not 0
    uint8_t is_in_pose; // 1: the pose still has it; 0: taken out, and TRP_CLIP_ROOT_MOTION is set
    float pivot[2];     // x z of the joint at the start of the clip; 0 without yaw
    uint32_t reserved[3];
};

/// Where a segment lies in its clip, from the clip's start; 16-byte aligned, sorted, disjoint.
struct trp__segment_entry {
    uint32_t offset;
    uint32_t size_bytes;
};

enum {                               // bits of trp__segment_header::flags
    TRP__SEGMENT_TICK_MASK = 1 << 0, // some ticks have no row
    TRP__SEGMENT_HOLDS = 1 << 1,     // some tracks hold their value between rows
};

/// Start of a segment: ticks first_tick to first_tick + tick_count. Then, without gaps:
/// uint64_t tick_mask[(tick_count + 64) / 64];          where TICK_MASK
/// uint8_t rule[number of blocks with animated rotations];
/// uint16_t hold[3][block_count], hold_values[value_block_count]; where HOLDS
/// a bit stream, least significant bit first, paths, blocks, lanes, then x y z; then values:
///   widths: 5 bits each of the 3 * sum(animated_count) + animated_value_count components
///   bases: base_bits[path] bits each, base_bits[3] for values, two's complement
/// rows at rows_offset: row_count rows of row_bytes.
/// A row is a bit stream: blocks; paths; x of all lanes, y of all lanes, z of all lanes; then the
/// value blocks.
struct trp__segment_header {
    uint32_t first_tick;
    uint32_t row_bytes;
    uint32_t rows_offset; // from the start of the segment
    uint16_t tick_count;  // intervals, 0 to 256
    uint16_t row_count;   // 1 to tick_count + 1
    uint8_t flags;
    uint8_t base_bits[4]; // 0 to 32; rotations, translations, scales, values
    uint8_t reserved[3];
};

/// How a block of rotations moves between two rows: the low bits of rule[].
enum {
    TRP__RULE_LERP = 1,      // of the Rodrigues parameters
    TRP__RULE_NLERP = 2,     // of the quaternions
    TRP__RULE_CORRECTED = 3, // of the quaternions, with the time of slerp to 0.001 of the angle
    TRP__RULE_MASK = 3,
    TRP__RULE_FLIP = 4, // neighbours may lie in opposite hemispheres; not with LERP
};

/// Start of the keyed part of a clip: values that stay as the source had them. Then, without gaps:
/// struct trp__key_group groups[group_count]; struct trp__keyed_track tracks[track_count], sorted
/// by group; then the arrays that groups point at. Offsets count from here; 16-byte aligned.
struct trp__keyed_header {
    uint32_t size_bytes;
    uint32_t group_count;
    uint32_t track_count;
    uint32_t component_count; // 4 * rotation_count + scalar_count, summed over the groups
};

/// When a property has its first key where that says what it has before its clip starts, at
/// negative times.
#define TRP__INITIAL_TIME_S (-1.0)

/// Tracks that share their key times. One key has C = 4 * rotation_count + scalar_count components:
/// x of all rotations, y of all, z, w, then the scalars.
struct trp__key_group {
    uint32_t key_count; // at least 1
    uint32_t rotation_count;
    uint32_t scalar_count;
    uint32_t times;  // double[key_count], 8-byte aligned, finite, ascending; not negative, but
                     // that of properties the first of several may be TRP__INITIAL_TIME_S
    uint32_t values; // float[key_count][planes][C], 4-byte aligned
    uint32_t modes;  // uint8_t[key_count]: TRP_INTERPOLATION_* after each key, the last one unused;
                     // 0: `interpolation` everywhere
    uint32_t curves; // struct trp__key_curve[key_count], 4-byte aligned, likewise; 0: no interval
                     // needs one
    uint32_t first_track;
    uint32_t track_count;
    uint32_t reserved;
    uint8_t interpolation; // TRP_INTERPOLATION_*; of the first interval where there are modes
    uint8_t planes;        // 1: values; 3: arriving, value, leaving: tangents per second where an
                           // interval is cubic, values of handles where it is bezier
    uint8_t padding[6];
};

/// The time curve of one interval; bytes without a meaning are 0.
struct trp__key_curve {
    union {
        float x[2];      // bezier: times of the leaving and the arriving handle, in [0, 1]
        uint32_t easing; // easing: its number, see easing.h
        struct {
            uint32_t table; // sampled: float[count] at evenly spaced times, 4-byte aligned
            uint32_t count; // at least 2
        };
    };
};

/// One property of one joint, or a property of the clip's set, within a group.
struct trp__keyed_track {
    uint32_t target; // lane, or index in the property set
    uint32_t first;  // index of its rotation, or of its first scalar
    uint32_t stride; // floats of a value
    uint32_t group;
    uint8_t path; // TRP_PATH_*
    uint8_t padding[3];
};

_Static_assert(sizeof(struct trp__file_header) == 64, "layout");
_Static_assert(sizeof(struct trp__section) == 32, "layout");
_Static_assert(sizeof(struct trp__skeleton_header) == 128, "layout");
_Static_assert(sizeof(struct trp__skin_header) == 64, "layout");
_Static_assert(sizeof(struct trp__property_set_header) == 64, "layout");
_Static_assert(sizeof(struct trp__property) == 32, "layout");
_Static_assert(sizeof(struct trp__clip_header) == 160, "layout");
_Static_assert(offsetof(struct trp__clip_header, reserved) == 148, "no padding at the end");
_Static_assert(sizeof(struct trp__events_header) == 16, "layout");
_Static_assert(sizeof(struct trp__event) == 72, "layout");
_Static_assert(sizeof(struct trp__root_header) == 32, "layout");
_Static_assert(sizeof(struct trp__segment_header) == 24, "layout");
_Static_assert(sizeof(struct trp__keyed_header) == 16, "layout");
_Static_assert(sizeof(struct trp__key_group) == 48, "layout");
_Static_assert(sizeof(struct trp__key_curve) == 8, "layout");
_Static_assert(sizeof(struct trp__keyed_track) == 20, "layout");

_Static_assert(sizeof(struct trp__instance_header) == 64, "layout");
_Static_assert(sizeof(struct trp__humanoid) == 2344, "layout");
_Static_assert(sizeof(struct trp__component) == 32, "layout");
_Static_assert(sizeof(struct trp__blendtree_header) == 32, "layout");

/// Returns the size of what an instance has before its limits: its header, and its pose if any.
static inline uint64_t trp__instance_limits_at(const struct trp__instance_header *header,
                                               uint32_t index)
{
    return sizeof *header +
           (header->pose_of == index ? header->block_count : 0) * (uint64_t)sizeof(float[10][16]);
}

/// Returns where object `index` of a section starts.
static inline const uint8_t *trp__object_at(const uint8_t *section, uint32_t index)
{
    const struct trp__entry *const entries = (const void *)section;
    return section + entries[index].offset;
}

static inline const struct trp__property *trp__properties_of(const uint8_t *property_set)
{
    return (const void *)(property_set + sizeof(struct trp__property_set_header));
}

static inline uint16_t trp__read_u16(const void *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t trp__read_u32(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t trp__read_u64(const void *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline float trp__read_f32(const void *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

/// A step: the upper half of a float.
static inline float trp__step_from_bits(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

#endif
