// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// See bad_packs.h. Nearly every bad pack is one number changed at one place: a row of a table.
#include "bad_packs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F32_NAN 0x7FC00000u
#define F32_INFINITY 0x7F800000u
#define F32_MINUS_ONE 0xBF800000u
#define F64_NAN 0x7FF8000000000000u
#define F64_INFINITY 0x7FF0000000000000u
#define F64_PAST_1E300 0x7E37E43C8800759Du
#define F64_MINUS_ONE 0xBFF0000000000000u

/// What the places of the table count from. Those from AT_MASKS on lie in a clip.
enum place {
    AT_SAME, // as the change itself
    AT_FILE,
    AT_TABLE, // the section's row in the section table
    AT_SECTION,
    AT_ENTRY,
    AT_OBJECT,
    AT_SKELETON_LANES, // parent of lane, joint of lane, lane of joint
    AT_SKIN_LANES,
    AT_DEFAULTS, // of a property set; labels after them
    AT_EVENTS,
    AT_ROOT,
    AT_KEYED,
    AT_STEP_GROUP, // the first one
    AT_GROUP,      // the second one, with every mode in it
    AT_STEP_TRACKS,
    AT_TRACKS,
    AT_TIMES, // of the second group, as all below
    AT_KEY_VALUES,
    AT_VALUE_PLANE, // of the first key
    AT_MODES,
    AT_CURVES,
    AT_TABLE_VALUES,
    AT_MASKS,
    AT_ROTATION_CONSTANTS,
    AT_CONSTANTS,
    AT_OFFSETS,
    AT_MEANS,
    AT_STEPS,
    AT_VALUE_MASKS,
    AT_VALUE_OFFSETS,
    AT_VALUE_STEPS,
    AT_SEGMENT_ENTRY, // of the first segment
    AT_SEGMENT,       // the first segment
    AT_SECOND_SEGMENT,
    AT_FILE_END,
};

enum change {
    SET,
    ADD,
    OR,
    RESIZE, // the file, by `value` bytes, new ones being 0xFF; the size field stays
};

struct bad_row {
    const char *rule;
    enum pack_section section;
    uint32_t index;
    enum place place;
    int32_t offset;
    uint32_t size_bytes; // of the number there
    enum change change;
    uint64_t value;
    enum place reported; // where what is wrong is found: HERE, or another place
    int32_t reported_offset;
};

#define HERE AT_SAME, 0

#define MINUS(number) (UINT64_MAX - (number) + 1)
#define BIT(number) ((uint64_t)1 << (number))

/// In the good pack: lanes 0 to 4 hold joints, 5 to 15 do not. Its clip 0 has three segments; the
/// first has a tick mask at 24, one rule at 32, holds at 33, those of values at 39, widths at 41.
/// Of its two groups the second one has four keys: bezier, easing, sampled. It has three events,
/// phases at 16, events at 40, 112 and 184, the last two with samples at 256, see
/// set_double_meaning; and behind them root motion with three keys, times at 32, keys at 56. Clip 1
/// has root motion alone. See bad_pack_origin.
///
/// What is wrong with instances and blend trees is so in another pack, see bad_pack_scene_origin.
/// Instance 0 has its pose at 64, limits at 704, a humanoid at 1088 with lanes at 1120 and angles
/// at 1232, hashes of bones at 3432, components at 3480, ids at 3576, the block of the limits at
/// 3600, lengths at 3604, lanes at 3628. Instance 1 is none and has the pose of instance 0.
/// Blend tree 0 has one dimension; places are at 32, clips at 64.
static const struct bad_row rows[] = {
    {"file.short", 0, TRP_NONE, AT_FILE_END, 0, 0, RESIZE, MINUS(5248 - 127), AT_FILE, 0},
    {"file.magic", 0, TRP_NONE, AT_FILE, 0, 4, ADD, 1, HERE},
    {"file.endian", 0, TRP_NONE, AT_FILE, 0, 8, SET, 0x040302015452504B, AT_FILE, 4},
    {"file.endian", 0, TRP_NONE, AT_FILE, 0, 4, SET, 0x5452504B, AT_FILE, 4},
    {"file.endian", 0, TRP_NONE, AT_FILE, 4, 4, SET, 0x04030201, HERE},
    {"file.mark", 0, TRP_NONE, AT_FILE, 4, 4, ADD, 1, HERE},
    {"file.version", 0, TRP_NONE, AT_FILE, 8, 4, SET, 2, HERE},
    {"file.version", 0, TRP_NONE, AT_FILE, 8, 4, SET, 0, HERE},
    {"file.features", 0, TRP_NONE, AT_FILE, 12, 4, SET, 1, HERE},
    {"file.features", 0, TRP_NONE, AT_FILE, 12, 4, SET, 0x80000000, HERE},
    {"file.size", 0, TRP_NONE, AT_FILE, 16, 8, ADD, 64, HERE},
    {"file.size", 0, TRP_NONE, AT_FILE, 16, 8, ADD, BIT(32), HERE},
    {"file.size", 0, TRP_NONE, AT_FILE_END, 0, 0, RESIZE, MINUS(1), AT_FILE, 16},
    {"file.size", 0, TRP_NONE, AT_FILE_END, 0, 0, RESIZE, 1, AT_FILE, 16},
    {"file.size", 0, TRP_NONE, AT_FILE_END, 0, 0, RESIZE, 64, AT_FILE, 16},
    {"file.tail", 0, TRP_NONE, AT_FILE_END, -1, 1, SET, 1, HERE},
    {"file.tail", 0, TRP_NONE, AT_FILE_END, -64, 1, SET, 0x80, HERE},

    {"section.table", 0, TRP_NONE, AT_FILE, 32, 4, SET, 161, HERE},
    {"section.table", 0, TRP_NONE, AT_FILE, 32, 4, SET, 0xFFFFFFFF, HERE},
    {"section.table", 0, TRP_NONE, AT_FILE, 32, 4, SET, 0x08000000, HERE}, // 2^32 bytes
    {"section.align", PACK_SKINS, TRP_NONE, AT_TABLE, 8, 8, ADD, 32, HERE},
    {"section.align", PACK_SKINS, TRP_NONE, AT_TABLE, 8, 8, ADD, 1, HERE},
    {"section.overlap", PACK_SKINS, TRP_NONE, AT_TABLE, 8, 8, ADD, MINUS(64), HERE},
    {"section.overlap", PACK_SKELETONS, TRP_NONE, AT_TABLE, 8, 8, SET, 0, HERE},
    {"section.size", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, SET, BIT(32), HERE},
    {"section.size", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, SET, UINT64_MAX, HERE},
    {"section.range", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, SET, 0xFFFFFFFF, HERE},
    {"section.range", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, ADD, 64, HERE},
    {"section.range", PACK_STRINGS, TRP_NONE, AT_TABLE, 8, 8, SET, MINUS(64), AT_TABLE, 16},
    {"section.twice", PACK_CLIPS, TRP_NONE, AT_TABLE, 0, 4, SET, PACK_SKINS, HERE},

    {"strings.empty", PACK_STRINGS, TRP_NONE, AT_SECTION, 0, 1, SET, 'x', HERE},
    {"strings.empty", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, SET, 0, AT_SECTION, 0},
    {"strings.end", PACK_STRINGS, TRP_NONE, AT_TABLE, 16, 8, SET, 2, AT_SECTION, 1},
    {"strings.utf8", PACK_STRINGS, TRP_NONE, AT_SECTION, 1, 1, SET, 0xFF, HERE},

    {"entry.table", PACK_CLIPS, TRP_NONE, AT_TABLE, 4, 4, SET, 0x10000000, HERE},
    {"entry.table", PACK_SKINS, TRP_NONE, AT_TABLE, 4, 4, SET, 0x20000000, HERE}, // 2^32 bytes
    {"entry.align", PACK_CLIPS, 1, AT_ENTRY, 0, 4, ADD, 8, HERE},
    {"entry.align", PACK_SKELETONS, 0, AT_ENTRY, 0, 4, ADD, 16, HERE},
    {"entry.align", PACK_SKINS, 0, AT_ENTRY, 0, 4, ADD, 32, HERE},
    {"entry.overlap", PACK_CLIPS, 1, AT_ENTRY, 0, 4, ADD, MINUS(16), HERE},
    {"entry.overlap", PACK_CLIPS, 0, AT_ENTRY, 0, 4, SET, 0, HERE},
    {"entry.overlap", PACK_SKELETONS, 0, AT_ENTRY, 0, 4, SET, 0, HERE},
    {"entry.range", PACK_CLIPS, 1, AT_ENTRY, 4, 4, ADD, 1, AT_ENTRY, 0},
    {"entry.range", PACK_CLIPS, 1, AT_ENTRY, 4, 4, SET, 0xFFFFFFFF, AT_ENTRY, 0},
    {"entry.range", PACK_CLIPS, 1, AT_ENTRY, 0, 4, SET, 0xFFFFFFF0, HERE},

    {"name.range", PACK_SKELETONS, 0, AT_OBJECT, 24, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_SKELETONS, 0, AT_OBJECT, 828, 4, SET, 0xFFFFFFFF, HERE}, // of joint 0
    {"name.range", PACK_SKELETONS, 0, AT_OBJECT, 844, 4, SET, 0x10000, HERE},    // of joint 4
    {"name.range", PACK_SKELETONS, 0, AT_OBJECT, 848, 4, SET, 0x10000, HERE},    // id of joint 0
    {"name.range", PACK_SKINS, 0, AT_OBJECT, 8, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 1, AT_OBJECT, 16, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 1, AT_OBJECT, 20, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 1, AT_OBJECT, 24, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 1, AT_OBJECT, 28, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 1, AT_OBJECT, 144, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 8, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 12, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 16, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 20, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 3488, 4, SET, 0xFFFF, HERE}, // of component 0
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 3492, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 3496, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_INSTANCES, 0, AT_OBJECT, 3576, 4, SET, 0xFFFF, HERE}, // of bone 0
    {"name.range", PACK_BLENDTREES, 0, AT_OBJECT, 8, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_BLENDTREES, 0, AT_OBJECT, 12, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_PROPERTIES, 0, AT_OBJECT, 8, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_PROPERTIES, 0, AT_OBJECT, 72, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_PROPERTIES, 0, AT_DEFAULTS, 72, 4, SET, 0xFFFF, HERE}, // of text 0
    {"name.range", PACK_PROPERTIES, 0, AT_DEFAULTS, 76, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 0, AT_EVENTS, 80, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 0, AT_EVENTS, 84, 4, SET, 0xFFFF, HERE},
    {"name.range", PACK_CLIPS, 0, AT_EVENTS, 88, 4, SET, 0xFFFF, HERE},
    {"name.start", PACK_SKELETONS, 0, AT_OBJECT, 24, 4, SET, 2, HERE},
    {"name.start", PACK_CLIPS, 0, AT_OBJECT, 28, 4, SET, 3, HERE},
    {"name.start", PACK_PROPERTIES, 0, AT_DEFAULTS, 76, 4, ADD, 1, HERE}, // of text 1

    {"skeleton.short", PACK_SKELETONS, 0, AT_ENTRY, 4, 4, SET, 127, AT_OBJECT, 0},
    {"skeleton.blocks", PACK_SKELETONS, 0, AT_OBJECT, 32, 4, SET, 0, HERE},
    {"skeleton.blocks", PACK_SKELETONS, 0, AT_OBJECT, 32, 4, SET, 2049, HERE},
    {"skeleton.blocks", PACK_SKELETONS, 0, AT_OBJECT, 32, 4, SET, 0xFFFFFFFF, HERE},
    {"skeleton.joints", PACK_SKELETONS, 0, AT_OBJECT, 28, 4, SET, 0, HERE},
    {"skeleton.joints", PACK_SKELETONS, 0, AT_OBJECT, 28, 4, SET, 17, HERE},
    {"skeleton.joint_blocks", PACK_SKELETONS, 0, AT_OBJECT, 36, 4, SET, 0, HERE},
    {"skeleton.joint_blocks", PACK_SKELETONS, 0, AT_OBJECT, 36, 4, SET, 2, HERE},
    {"skeleton.size", PACK_SKELETONS, 0, AT_ENTRY, 4, 4, ADD, MINUS(2), AT_OBJECT, 0},
    {"skeleton.size", PACK_SKELETONS, 0, AT_OBJECT, 28, 4, ADD, 1, AT_OBJECT, 0},
    {"skeleton.size", PACK_SKELETONS, 0, AT_OBJECT, 32, 4, SET, 2048, AT_OBJECT, 0},
    {"skeleton.unit", PACK_SKELETONS, 0, AT_OBJECT, 16, 8, SET, 0, HERE},
    {"skeleton.unit", PACK_SKELETONS, 0, AT_OBJECT, 16, 8, SET, F64_NAN, HERE},
    {"skeleton.unit", PACK_SKELETONS, 0, AT_OBJECT, 16, 8, SET, F64_INFINITY, HERE},
    {"skeleton.unit", PACK_SKELETONS, 0, AT_OBJECT, 16, 8, SET, F64_MINUS_ONE, HERE},
    {"skeleton.root", PACK_SKELETONS, 0, AT_OBJECT, 84, 4, SET, F32_NAN, HERE},
    {"skeleton.root", PACK_SKELETONS, 0, AT_OBJECT, 40, 4, SET, F32_INFINITY, HERE},
    {"skeleton.lane_of_joint", PACK_SKELETONS, 0, AT_SKELETON_LANES, 66, 2, SET, 16, HERE},
    {"skeleton.lane_of_joint", PACK_SKELETONS, 0, AT_SKELETON_LANES, 64, 2, SET, 9, HERE},
    {"skeleton.lane_of_joint", PACK_SKELETONS, 0, AT_SKELETON_LANES, 72, 2, SET, 0xFFFF, HERE},
    {"skeleton.joint_of_lane", PACK_SKELETONS, 0, AT_SKELETON_LANES, 50, 2, SET, 2, HERE}, // lane 9
    {"skeleton.joint_of_lane", PACK_SKELETONS, 0, AT_SKELETON_LANES, 62, 2, SET, 5, HERE},
    {"skeleton.joint_of_lane", PACK_SKELETONS, 0, AT_SKELETON_LANES, 62, 2, SET, 0xFFFE, HERE},
    {"skeleton.parent", PACK_SKELETONS, 0, AT_SKELETON_LANES, 2, 2, SET, 1, HERE}, // its own
    {"skeleton.parent", PACK_SKELETONS, 0, AT_SKELETON_LANES, 0, 2, SET, 4, HERE}, // comes later
    {"skeleton.parent", PACK_SKELETONS, 0, AT_SKELETON_LANES, 8, 2, SET, 16, HERE},
    {"skeleton.parent", PACK_SKELETONS, 0, AT_SKELETON_LANES, 30, 2, SET, 0, HERE},    // no joint
    {"skeleton.padding", PACK_SKELETONS, 0, AT_OBJECT, 164, 4, SET, 0x80000000, HERE}, // -0
    {"skeleton.padding", PACK_SKELETONS, 0, AT_OBJECT, 356, 4, SET, F32_MINUS_ONE, HERE},
    {"skeleton.padding", PACK_SKELETONS, 0, AT_OBJECT, 764, 4, SET, 0, HERE},
    {"skeleton.rest", PACK_SKELETONS, 0, AT_OBJECT, 384, 4, SET, F32_NAN, HERE},
    {"skeleton.rest", PACK_SKELETONS, 0, AT_OBJECT, 576, 4, SET, F32_INFINITY, HERE},
    {"skeleton.rest", PACK_SKELETONS, 0, AT_OBJECT, 144, 4, SET, F32_NAN, HERE}, // x of lane 4
    {"skeleton.rotation", PACK_SKELETONS, 0, AT_OBJECT, 128, 4, SET, 0x40000000, HERE},
    {"skeleton.rotation", PACK_SKELETONS, 0, AT_OBJECT, 324, 4, SET, 0, AT_OBJECT, 132},

    {"skin.short", PACK_SKINS, 0, AT_ENTRY, 4, 4, SET, 63, AT_OBJECT, 0},
    {"skin.joints", PACK_SKINS, 0, AT_OBJECT, 16, 4, SET, 0, HERE},
    {"skin.size", PACK_SKINS, 0, AT_ENTRY, 4, 4, ADD, MINUS(2), AT_OBJECT, 0},
    {"skin.size", PACK_SKINS, 0, AT_OBJECT, 16, 4, ADD, 1, AT_OBJECT, 0},
    {"skin.size", PACK_SKINS, 0, AT_OBJECT, 16, 4, ADD, 0x80000000, AT_OBJECT, 0}, // 2^32
    {"skin.skeleton", PACK_SKINS, 0, AT_OBJECT, 12, 4, SET, 1, HERE},
    {"skin.skeleton", PACK_SKINS, 0, AT_OBJECT, 12, 4, SET, TRP_NONE, HERE},
    {"skin.lane", PACK_SKINS, 0, AT_SKIN_LANES, 0, 2, SET, 5, HERE},
    {"skin.lane", PACK_SKINS, 0, AT_SKIN_LANES, 2, 2, SET, 16, HERE},
    {"skin.lane", PACK_SKINS, 0, AT_SKIN_LANES, 2, 2, SET, 0xFFFF, HERE},
    {"skin.matrix", PACK_SKINS, 0, AT_OBJECT, 64, 4, SET, F32_NAN, HERE},
    {"skin.matrix", PACK_SKINS, 0, AT_OBJECT, 156, 4, SET, F32_INFINITY, HERE},

    {"set.short", PACK_PROPERTIES, 0, AT_ENTRY, 4, 4, SET, 63, AT_OBJECT, 0},
    {"set.values", PACK_PROPERTIES, 0, AT_OBJECT, 16, 4, SET, 0, HERE},
    {"set.values", PACK_PROPERTIES, 0, AT_OBJECT, 16, 4, SET, 32769, HERE},
    {"set.properties", PACK_PROPERTIES, 0, AT_OBJECT, 12, 4, SET, 0, HERE},
    {"set.properties", PACK_PROPERTIES, 0, AT_OBJECT, 12, 4, SET, 0xFFFFFFFF, HERE},
    {"set.texts", PACK_PROPERTIES, 0, AT_OBJECT, 20, 4, SET, 0x1000001, HERE},
    {"set.texts", PACK_PROPERTIES, 0, AT_OBJECT, 20, 4, SET, 0xFFFFFFFF, HERE},
    {"set.size", PACK_PROPERTIES, 0, AT_ENTRY, 4, 4, ADD, MINUS(4), AT_OBJECT, 0},
    {"set.size", PACK_PROPERTIES, 0, AT_OBJECT, 12, 4, ADD, MINUS(1), AT_OBJECT, 0},
    {"set.size", PACK_PROPERTIES, 0, AT_OBJECT, 16, 4, ADD, 1, AT_OBJECT, 0},
    {"property.values", PACK_PROPERTIES, 0, AT_OBJECT, 76, 4, SET, 1, HERE},
    {"property.values", PACK_PROPERTIES, 0, AT_OBJECT, 108, 4, SET, 0, HERE}, // of the second one
    {"property.values", PACK_PROPERTIES, 0, AT_OBJECT, 80, 4, SET, 0, AT_OBJECT, 76},
    {"property.values", PACK_PROPERTIES, 0, AT_OBJECT, 80, 4, SET, 0xFFFFFFFF, AT_OBJECT, 76},
    {"property.type", PACK_PROPERTIES, 0, AT_OBJECT, 88, 4, SET, 4, HERE},
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 0, 4, SET, F32_NAN, HERE},
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 0, 4, SET, F32_INFINITY, HERE},
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 12, 4, SET, 0x40000000, HERE}, // bool 2
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 12, 4, SET, 0x3F000000, HERE}, // 0.5
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 20, 4, SET, 0x40000000, HERE}, // text 2
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 20, 4, SET, F32_MINUS_ONE, HERE},
    {"property.default", PACK_PROPERTIES, 0, AT_DEFAULTS, 24, 4, SET, 0x3F000000, HERE},

    {"clip.short", PACK_CLIPS, 1, AT_ENTRY, 4, 4, SET, 159, AT_OBJECT, 0},
    {"clip.skeleton", PACK_CLIPS, 0, AT_OBJECT, 32, 4, SET, 1, HERE},
    {"clip.skeleton", PACK_CLIPS, 0, AT_OBJECT, 32, 4, SET, 0xFFFFFFFE, HERE},
    {"clip.flags", PACK_CLIPS, 0, AT_OBJECT, 36, 4, OR, 32, HERE},
    {"clip.flags", PACK_CLIPS, 0, AT_OBJECT, 36, 4, OR, 0x80000000, HERE},
    {"clip.play", PACK_CLIPS, 0, AT_OBJECT, 36, 4, OR, 24, HERE},
    {"clip.blocks", PACK_CLIPS, 0, AT_OBJECT, 40, 4, SET, 0xFFFFFFFF, HERE},
    {"clip.blocks", PACK_CLIPS, 0, AT_OBJECT, 40, 4, SET, 2049, HERE},
    {"clip.jointless", PACK_CLIPS, 0, AT_OBJECT, 40, 4, SET, 0, HERE},
    {"clip.bind_hash", PACK_CLIPS, 1, AT_OBJECT, 8, 8, ADD, 1, HERE},
    {"clip.bind_hash", PACK_CLIPS, 1, AT_OBJECT, 8, 8, ADD, BIT(32), HERE},
    {"clip.bind_blocks", PACK_CLIPS, 1, AT_OBJECT, 40, 4, SET, 2, HERE},
    {"clip.rate", PACK_CLIPS, 0, AT_OBJECT, 44, 4, SET, 0, HERE},
    {"clip.rate", PACK_CLIPS, 0, AT_OBJECT, 48, 4, SET, 0, AT_OBJECT, 44},
    {"clip.ticks", PACK_CLIPS, 0, AT_OBJECT, 52, 4, SET, 0x40000000, HERE},
    {"clip.ticks", PACK_CLIPS, 0, AT_OBJECT, 52, 4, SET, 0xFFFFFFFF, HERE},
    {"clip.segment_ticks", PACK_CLIPS, 0, AT_OBJECT, 56, 4, SET, 7, HERE},
    {"clip.segment_ticks", PACK_CLIPS, 0, AT_OBJECT, 56, 4, SET, 0, HERE},
    {"clip.segment_ticks", PACK_CLIPS, 0, AT_OBJECT, 56, 4, SET, 257, HERE},
    {"clip.loop", PACK_CLIPS, 0, AT_OBJECT, 100, 4, SET, 4, HERE},
    {"clip.property_set", PACK_CLIPS, 0, AT_OBJECT, 116, 4, SET, 1, HERE},
    {"clip.property_set", PACK_CLIPS, 0, AT_OBJECT, 116, 4, SET, 0xFFFFFFFE, HERE},
    {"clip.unit", PACK_CLIPS, 0, AT_OBJECT, 76, 4, SET, 0, HERE},
    {"clip.unit", PACK_CLIPS, 0, AT_OBJECT, 76, 4, SET, F32_NAN, HERE},
    {"clip.unit", PACK_CLIPS, 0, AT_OBJECT, 76, 4, SET, F32_INFINITY, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 80, 4, SET, F32_MINUS_ONE, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 84, 4, SET, F32_NAN, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 88, 4, SET, F32_INFINITY, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 92, 4, SET, F32_NAN, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 96, 4, SET, F32_NAN, HERE},
    {"clip.error", PACK_CLIPS, 0, AT_OBJECT, 132, 4, SET, F32_NAN, HERE},
    {"clip.segment_count", PACK_CLIPS, 0, AT_OBJECT, 60, 4, SET, 2, HERE},
    {"clip.segment_count", PACK_CLIPS, 0, AT_OBJECT, 60, 4, SET, 0, HERE},
    {"clip.segment_count", PACK_CLIPS, 0, AT_OBJECT, 60, 4, SET, 0xFFFFFFFF, HERE},
    {"clip.segment_count", PACK_CLIPS, 0, AT_OBJECT, 52, 4, SET, 25, AT_OBJECT, 60},
    {"clip.value_blocks", PACK_CLIPS, 0, AT_OBJECT, 124, 4, SET, 2, HERE},
    {"clip.value_blocks", PACK_CLIPS, 0, AT_OBJECT, 124, 4, SET, 0, HERE},
    {"clip.value_blocks", PACK_CLIPS, 0, AT_OBJECT, 116, 4, SET, TRP_NONE, AT_OBJECT, 124},
    {"clip.value_blocks", PACK_CLIPS, 0, AT_OBJECT, 128, 4, SET, 0, AT_OBJECT, 124},
    {"clip.resident", PACK_CLIPS, 0, AT_OBJECT, 128, 4, SET, 0xFFFFFFFF, AT_OBJECT, 0},
    {"clip.resident", PACK_CLIPS, 1, AT_ENTRY, 4, 4, SET, 192, AT_OBJECT, 0},
    {"clip.mask", PACK_CLIPS, 0, AT_MASKS, 6, 2, SET, 0x001F, AT_MASKS, 0},
    {"clip.mask", PACK_CLIPS, 0, AT_MASKS, 12, 2, SET, 0x001F, AT_MASKS, 0},
    {"clip.mask", PACK_CLIPS, 0, AT_MASKS, 16, 2, SET, 0x001F, AT_MASKS, 4},
    {"clip.animated_count", PACK_CLIPS, 0, AT_OBJECT, 70, 2, ADD, 1, HERE},
    {"clip.animated_count", PACK_CLIPS, 0, AT_OBJECT, 72, 2, ADD, MINUS(1), HERE},
    {"clip.animated_count", PACK_CLIPS, 0, AT_OBJECT, 74, 2, ADD, 1, HERE},
    {"clip.constant_count", PACK_CLIPS, 0, AT_OBJECT, 64, 2, ADD, MINUS(1), HERE},
    {"clip.constant_count", PACK_CLIPS, 0, AT_OBJECT, 66, 2, ADD, 1, HERE},
    {"clip.constant_count", PACK_CLIPS, 0, AT_OBJECT, 68, 2, ADD, 1, HERE},
    {"clip.lane", PACK_CLIPS, 0, AT_MASKS, 12, 2, OR, 0x0020, HERE},
    {"clip.lane", PACK_CLIPS, 0, AT_MASKS, 16, 2, OR, 0x8000, HERE},
    {"clip.value", PACK_CLIPS, 0, AT_VALUE_MASKS, 0, 2, OR, 0x8000, HERE}, // beyond the set
    {"clip.value", PACK_CLIPS, 0, AT_VALUE_MASKS, 0, 2, OR, 0x0008, HERE}, // a bool
    {"clip.animated_value_count", PACK_CLIPS, 0, AT_VALUE_MASKS, 0, 2, OR, 0x0002, AT_OBJECT, 128},
    {"clip.rotation_constant", PACK_CLIPS, 0, AT_ROTATION_CONSTANTS, 0, 8, OR, BIT(63), HERE},
    {"clip.rotation_constant", PACK_CLIPS, 0, AT_ROTATION_CONSTANTS, 0, 8, SET,
     0xC0000 * (1 + BIT(21)), HERE}, // x = y = 0.75
    {"clip.rotation_constant", PACK_CLIPS, 0, AT_ROTATION_CONSTANTS, 0, 8, SET,
     0x100000 * BIT(42) + 0x10000, HERE}, // z = -1, x = 0.0625
    {"clip.constant", PACK_CLIPS, 0, AT_CONSTANTS, 0, 4, SET, F32_NAN, HERE},
    {"clip.constant", PACK_CLIPS, 0, AT_OFFSETS, -4, 4, SET, F32_INFINITY, HERE},
    {"clip.offset", PACK_CLIPS, 0, AT_OFFSETS, 0, 4, SET, F32_NAN, HERE},
    {"clip.offset", PACK_CLIPS, 0, AT_MEANS, -4, 4, SET, F32_INFINITY, HERE},
    {"clip.offset", PACK_CLIPS, 0, AT_VALUE_OFFSETS, 0, 4, SET, F32_NAN, HERE},
    {"clip.offset", PACK_CLIPS, 0, AT_VALUE_STEPS, -4, 4, SET, F32_INFINITY, HERE},
    {"clip.rotation_mean", PACK_CLIPS, 0, AT_MEANS, 0, 4, SET, 0x60006000, HERE},
    {"clip.rotation_mean", PACK_CLIPS, 0, AT_STEPS, -4, 4, SET, 0x80018001, AT_STEPS, -6},
    {"clip.step", PACK_CLIPS, 0, AT_STEPS, 0, 2, SET, 0, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_STEPS, 2, 2, SET, 0x7FC0, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_STEPS, 2, 2, SET, 0x7F80, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_STEPS, 4, 2, SET, 0x03FF, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_STEPS, 4, 2, OR, 0x8000, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_VALUE_STEPS, 0, 2, SET, 0, HERE},
    {"clip.step", PACK_CLIPS, 0, AT_VALUE_STEPS, 2, 2, SET, 0x7F80, HERE},
    {"clip.row_count", PACK_CLIPS, 0, AT_OBJECT, 104, 4, ADD, 1, HERE},

    {"segment.align", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 8, 4, ADD, 8, HERE},
    {"segment.overlap", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 8, 4, ADD, MINUS(16), HERE},
    {"segment.overlap", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 0, 4, SET, 0, HERE},
    {"segment.range", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 20, 4, ADD, 0x10000, AT_SEGMENT_ENTRY, 16},
    {"segment.range", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 16, 4, SET, 0xFFFFFFF0, HERE},
    {"segment.short", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 4, 4, SET, 23, AT_SEGMENT, 0},
    {"segment.first_tick", PACK_CLIPS, 0, AT_SECOND_SEGMENT, 0, 4, ADD, 1, HERE},
    {"segment.first_tick", PACK_CLIPS, 0, AT_SEGMENT, 0, 4, SET, 0xFFFFFFFF, HERE},
    {"segment.tick_count", PACK_CLIPS, 0, AT_SEGMENT, 12, 2, ADD, 1, HERE},
    {"segment.tick_count", PACK_CLIPS, 0, AT_SECOND_SEGMENT, 12, 2, ADD, MINUS(1), HERE},
    {"segment.flags", PACK_CLIPS, 0, AT_SEGMENT, 16, 1, OR, 4, HERE},
    {"segment.base_bits", PACK_CLIPS, 0, AT_SEGMENT, 17, 1, SET, 33, HERE},
    {"segment.base_bits", PACK_CLIPS, 0, AT_SEGMENT, 19, 1, SET, 255, HERE},
    {"segment.base_bits", PACK_CLIPS, 0, AT_SEGMENT, 20, 1, SET, 33, HERE},
    {"segment.metadata", PACK_CLIPS, 0, AT_SEGMENT, 8, 4, ADD, MINUS(1), HERE},
    {"segment.metadata", PACK_CLIPS, 0, AT_SEGMENT, 8, 4, SET, 0, HERE},
    {"segment.rows", PACK_CLIPS, 0, AT_SEGMENT, 8, 4, ADD, 1, HERE},
    {"segment.rows", PACK_CLIPS, 0, AT_SEGMENT, 8, 4, SET, 0xFFFFFFFF, HERE},
    {"segment.rows", PACK_CLIPS, 0, AT_SEGMENT, 4, 4, SET, 0xFFFFFFFF, AT_SEGMENT, 8},
    {"segment.mask", PACK_CLIPS, 0, AT_SEGMENT, 24, 1, ADD, MINUS(1), HERE},    // the first bit
    {"segment.mask", PACK_CLIPS, 0, AT_SEGMENT, 25, 1, SET, 0, AT_SEGMENT, 24}, // the last
    {"segment.mask", PACK_CLIPS, 0, AT_SEGMENT, 25, 1, OR, 2, AT_SEGMENT, 24},
    {"segment.mask", PACK_CLIPS, 0, AT_SEGMENT, 31, 1, OR, 0x80, AT_SEGMENT, 24},
    {"segment.row_count", PACK_CLIPS, 0, AT_SEGMENT, 14, 2, ADD, MINUS(1), HERE},
    {"segment.row_count", PACK_CLIPS, 0, AT_SECOND_SEGMENT, 14, 2, ADD, MINUS(1), HERE},
    {"segment.row_count", PACK_CLIPS, 0, AT_SEGMENT, 14, 2, SET, 0, HERE},
    {"segment.rule", PACK_CLIPS, 0, AT_SEGMENT, 32, 1, SET, 0, HERE},
    {"segment.rule", PACK_CLIPS, 0, AT_SEGMENT, 32, 1, SET, 4, HERE},
    {"segment.rule", PACK_CLIPS, 0, AT_SEGMENT, 32, 1, SET, 5, HERE},
    {"segment.rule", PACK_CLIPS, 0, AT_SEGMENT, 32, 1, SET, 9, HERE},
    {"segment.hold", PACK_CLIPS, 0, AT_SEGMENT, 33, 2, OR, 0x0100, HERE}, // a lane without a joint
    {"segment.hold", PACK_CLIPS, 0, AT_SEGMENT, 37, 1, SET, 0x1F, HERE},  // constant scales
    {"segment.hold", PACK_CLIPS, 0, AT_SEGMENT, 39, 2, OR, 0x0002, HERE},
    {"segment.hold", PACK_CLIPS, 0, AT_SEGMENT, 39, 2, OR, 0x8000, HERE},
    {"segment.width", PACK_CLIPS, 0, AT_SEGMENT, 41, 1, OR, 0x19, HERE},
    {"segment.value", PACK_CLIPS, 0, AT_STEPS, 0, 2, SET, 0x4180, AT_SEGMENT, 41}, // 16
    {"segment.value", PACK_CLIPS, 0, AT_STEPS, 0, 2, SET, 0x7F00, AT_SEGMENT, 41},
    {"segment.row_bytes", PACK_CLIPS, 0, AT_SEGMENT, 4, 4, ADD, MINUS(1), HERE},

    {"keyed.align", PACK_CLIPS, 0, AT_OBJECT, 120, 4, ADD, 8, HERE},
    {"keyed.range", PACK_CLIPS, 0, AT_OBJECT, 120, 4, SET, 16, HERE},
    {"keyed.range", PACK_CLIPS, 0, AT_OBJECT, 120, 4, SET, 0xFFFFFFF0, HERE},
    {"keyed.range", PACK_CLIPS, 0, AT_KEYED, 0, 4, ADD, 0x10000, HERE},
    {"keyed.overlap", PACK_CLIPS, 0, AT_SEGMENT_ENTRY, 20, 4, ADD, 16, AT_OBJECT, 120},
    {"keyed.size", PACK_CLIPS, 0, AT_KEYED, 0, 4, SET, 32, HERE},
    {"keyed.size", PACK_CLIPS, 0, AT_KEYED, 4, 4, SET, 0xFFFFFFFF, AT_KEYED, 0},
    {"keyed.size", PACK_CLIPS, 0, AT_KEYED, 8, 4, SET, 0xFFFFFFFF, AT_KEYED, 0},
    {"keyed.keys", PACK_CLIPS, 0, AT_GROUP, 0, 4, SET, 0, HERE},
    {"keyed.keys", PACK_CLIPS, 0, AT_GROUP, 0, 4, SET, 0xFFFFFFFF, HERE},
    {"keyed.components", PACK_CLIPS, 0, AT_GROUP, 4, 4, SET, 0xFFFFFFFF, HERE},
    {"keyed.components", PACK_CLIPS, 0, AT_GROUP, 4, 4, SET, 0x40000000, HERE}, // 2^32 floats
    {"keyed.components", PACK_CLIPS, 0, AT_GROUP, 8, 4, SET, 0xFFFFFFFF, AT_GROUP, 4},
    {"keyed.components", PACK_CLIPS, 0, AT_STEP_GROUP, 8, 4, SET, 0, AT_STEP_GROUP, 4},
    {"keyed.planes", PACK_CLIPS, 0, AT_GROUP, 41, 1, SET, 2, HERE},
    {"keyed.planes", PACK_CLIPS, 0, AT_GROUP, 41, 1, SET, 0, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 12, 4, ADD, 4, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 12, 4, SET, 0, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 16, 4, ADD, 2, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 20, 4, SET, 16, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 24, 4, SET, 0xFFFFFFFC, HERE},
    {"keyed.array", PACK_CLIPS, 0, AT_GROUP, 0, 4, SET, 100, AT_GROUP, 12},
    {"keyed.arrays", PACK_CLIPS, 0, AT_STEP_GROUP, 0, 4, SET, 34, AT_STEP_GROUP, 16},
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 8, 8, SET, 0xBFE0000000000000, HERE}, // -0.5
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, F64_NAN, HERE},
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 8, 8, SET, F64_NAN, HERE},
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 16, 8, SET, 0x3FD0000000000000, HERE}, // twice 0.25
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 24, 8, SET, F64_INFINITY, HERE},
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 24, 8, SET, 0x430D000000000000, HERE}, // 1.02e15
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, 0xBFE0000000000000, HERE},  // -0.5
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, 0xBFEFFFFFFFFFFFFF, HERE},  // not quite -1
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, 0xBFF0000000000001, HERE},
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, 0x8000000000000001, HERE}, // nearly 0
    {"keyed.time", PACK_CLIPS, 0, AT_TIMES, 8, 8, SET, F64_MINUS_ONE, HERE},
    {"keyed.initial", PACK_CLIPS, 0, AT_TIMES, 0, 8, SET, F64_MINUS_ONE, AT_TRACKS, 0},
    {"keyed.interpolation", PACK_CLIPS, 0, AT_MODES, 1, 1, SET, 7, HERE},
    {"keyed.interpolation", PACK_CLIPS, 0, AT_GROUP, 40, 1, SET, 1, HERE},
    {"keyed.interpolation", PACK_CLIPS, 0, AT_GROUP, 40, 1, SET, 7, HERE},
    {"keyed.interpolation", PACK_CLIPS, 0, AT_GROUP, 24, 4, SET, 0, AT_MODES, 0},
    {"keyed.interpolation", PACK_CLIPS, 0, AT_STEP_GROUP, 40, 1, SET, 2, HERE}, // one plane
    {"keyed.interpolation", PACK_CLIPS, 0, AT_STEP_GROUP, 40, 1, SET, 5, HERE}, // no curves
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 0, 4, SET, F32_MINUS_ONE, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 0, 4, SET, 0x3F800001, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 4, 4, SET, F32_NAN, AT_CURVES, 0},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 8, 4, SET, 41, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 8, 4, SET, 0xFFFFFFFF, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 16, 4, ADD, 2, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 16, 4, SET, 0, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 16, 4, SET, 0xFFFFFFFC, HERE},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 20, 4, SET, 1, AT_CURVES, 16},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 20, 4, SET, 0xFFFFFFFF, AT_CURVES, 16},
    {"keyed.curve", PACK_CLIPS, 0, AT_CURVES, 20, 4, ADD, 0x10000, AT_CURVES, 16}, // past the end
    {"keyed.table", PACK_CLIPS, 0, AT_TABLE_VALUES, 4, 4, SET, F32_NAN, HERE},
    {"keyed.table", PACK_CLIPS, 0, AT_TABLE_VALUES, 8, 4, SET, 0x447A2000, HERE}, // 1000.5
    {"keyed.value", PACK_CLIPS, 0, AT_KEY_VALUES, 0, 4, SET, F32_NAN, HERE},
    {"keyed.value", PACK_CLIPS, 0, AT_KEY_VALUES, 0, 4, SET, 0x5A0E1BCA, HERE}, // 1e16
    {"keyed.value", PACK_CLIPS, 0, AT_VALUE_PLANE, 16, 4, SET, F32_INFINITY, HERE},
    {"keyed.value", PACK_CLIPS, 0, AT_VALUE_PLANE, 32, 4, SET, 0x71C9F2CA, HERE}, // 2e30
    {"keyed.rotation", PACK_CLIPS, 0, AT_VALUE_PLANE, 0, 4, SET, 0, HERE},
    {"keyed.rotation", PACK_CLIPS, 0, AT_VALUE_PLANE, 12, 4, SET, 0x3F100000, AT_VALUE_PLANE, 0},
    {"keyed.order", PACK_CLIPS, 0, AT_GROUP, 28, 4, ADD, 1, HERE},
    {"keyed.order", PACK_CLIPS, 0, AT_STEP_GROUP, 32, 4, SET, 0xFFFF, AT_STEP_GROUP, 28},
    {"keyed.order", PACK_CLIPS, 0, AT_TRACKS, 12, 4, SET, 0, HERE},
    {"keyed.order", PACK_CLIPS, 0, AT_GROUP, 32, 4, ADD, MINUS(1), AT_KEYED, 8},
    {"keyed.component_count", PACK_CLIPS, 0, AT_KEYED, 12, 4, ADD, 1, HERE},
    {"keyed.path", PACK_CLIPS, 0, AT_TRACKS, 16, 1, SET, 4, HERE},
    {"keyed.target", PACK_CLIPS, 0, AT_TRACKS, 0, 4, SET, 16, HERE},
    {"keyed.target", PACK_CLIPS, 0, AT_TRACKS, 0, 4, SET, 0xFFFFFFFF, HERE},
    {"keyed.target", PACK_CLIPS, 0, AT_TRACKS, 40, 4, SET, 4, HERE},
    {"keyed.stride", PACK_CLIPS, 0, AT_TRACKS, 8, 4, SET, 3, HERE},
    {"keyed.stride", PACK_CLIPS, 0, AT_TRACKS, 48, 4, ADD, 1, HERE},
    {"keyed.step", PACK_CLIPS, 0, AT_STEP_GROUP, 40, 1, SET, 1, AT_STEP_TRACKS, 0},
    {"keyed.dense", PACK_CLIPS, 0, AT_TRACKS, 0, 4, SET, 2, HERE},
    {"keyed.first", PACK_CLIPS, 0, AT_TRACKS, 4, 4, SET, 1, HERE},
    {"keyed.first", PACK_CLIPS, 0, AT_TRACKS, 24, 4, SET, 3, HERE},
    {"keyed.first", PACK_CLIPS, 0, AT_TRACKS, 44, 4, SET, 0xFFFFFFFF, HERE},
    {"keyed.twice", PACK_CLIPS, 0, AT_STEP_TRACKS, 20, 4, SET, 1, HERE},
    {"keyed.lane", PACK_CLIPS, 0, AT_TRACKS, 0, 4, SET, 9, HERE},

    {"events.align", PACK_CLIPS, 0, AT_OBJECT, 136, 4, ADD, 8, HERE},
    {"events.range", PACK_CLIPS, 0, AT_OBJECT, 136, 4, SET, 16, HERE},
    {"events.range", PACK_CLIPS, 0, AT_OBJECT, 136, 4, SET, 0xFFFFFFF0, HERE},
    {"events.range", PACK_CLIPS, 0, AT_EVENTS, 0, 4, ADD, 0x10000, HERE},
    {"events.range", PACK_CLIPS, 0, AT_EVENTS, 0, 4, SET, 0xFFFFFFFF, HERE},
    {"events.count", PACK_CLIPS, 0, AT_EVENTS, 4, 4, SET, 0, HERE},
    {"events.size", PACK_CLIPS, 0, AT_EVENTS, 4, 4, ADD, 1, AT_EVENTS, 0},
    {"events.size", PACK_CLIPS, 0, AT_EVENTS, 4, 4, ADD, 0x04000000, AT_EVENTS, 0}, // 2^32 bytes
    {"events.size", PACK_CLIPS, 0, AT_EVENTS, 0, 4, SET, 255, HERE},
    {"events.size", PACK_CLIPS, 0, AT_EVENTS, 0, 4, ADD, 1, HERE},
    {"events.size", PACK_CLIPS, 0, AT_EVENTS, 0, 4, ADD, 8, HERE},
    {"event.phase", PACK_CLIPS, 0, AT_EVENTS, 16, 8, SET, INT64_MAX, HERE},
    {"event.phase", PACK_CLIPS, 0, AT_EVENTS, 16, 8, SET, UINT64_MAX, HERE},
    {"event.phase", PACK_CLIPS, 0, AT_EVENTS, 24, 8, SET, 0, HERE},
    {"event.phase", PACK_CLIPS, 0, AT_EVENTS, 32, 8, ADD, 1, HERE},
    {"event.flags", PACK_CLIPS, 0, AT_EVENTS, 92, 4, SET, 16, HERE},
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 48, 8, SET, F64_MINUS_ONE, HERE},
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 48, 8, SET, F64_NAN, HERE},
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 48, 8, SET, 0, HERE},
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 192, 8, ADD, 1, HERE}, // behind the end
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 16, 8, ADD, 2, AT_EVENTS, 48},
    {"event.time", PACK_CLIPS, 0, AT_EVENTS, 16, 8, ADD, MINUS(1), AT_EVENTS, 48},
    {"event.duration", PACK_CLIPS, 0, AT_EVENTS, 56, 8, SET, F64_MINUS_ONE, HERE},
    {"event.duration", PACK_CLIPS, 0, AT_EVENTS, 56, 8, SET, F64_NAN, HERE},
    {"event.duration", PACK_CLIPS, 0, AT_EVENTS, 56, 8, SET, F64_INFINITY, HERE},
    {"event.duration", PACK_CLIPS, 0, AT_EVENTS, 200, 8, SET, 0x41CDCD6500000001, HERE}, // 1e9 s
    {"event.name", PACK_CLIPS, 0, AT_EVENTS, 80, 4, SET, 0, HERE},
    {"event.integer", PACK_CLIPS, 0, AT_EVENTS, 64, 8, SET, BIT(63), HERE},
    {"event.number", PACK_CLIPS, 0, AT_EVENTS, 72, 8, SET, F64_MINUS_ONE, HERE},
    {"event.number", PACK_CLIPS, 0, AT_EVENTS, 216, 8, SET, F64_NAN, HERE},
    {"event.number", PACK_CLIPS, 0, AT_EVENTS, 216, 8, SET, F64_INFINITY, HERE},
    {"event.number", PACK_CLIPS, 0, AT_EVENTS, 96, 8, SET, F64_MINUS_ONE, HERE},
    {"event.number", PACK_CLIPS, 0, AT_EVENTS, 240, 8, SET, F64_PAST_1E300, HERE},
    {"event.easing", PACK_CLIPS, 0, AT_EVENTS, 104, 4, SET, 41, HERE},
    {"event.easing", PACK_CLIPS, 0, AT_EVENTS, 248, 4, SET, 0xFFFFFFFF, HERE},
    {"event.easing", PACK_CLIPS, 0, AT_EVENTS, 176, 4, SET, 5, HERE}, // beside samples
    {"event.easing", PACK_CLIPS, 0, AT_EVENTS, 248, 4, SET, 40, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 180, 4, SET, 4, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 180, 4, SET, 252, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 180, 4, ADD, 1, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 180, 4, ADD, 4, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 180, 4, SET, 0xFFFFFFFC, HERE},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 252, 4, SET, 260, HERE}, // 0 samples
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 252, 4, SET, 264, HERE}, // as many as 1.0f
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 252, 4, SET, 328, HERE}, // at the end
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 256, 4, SET, 0, AT_EVENTS, 180},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 256, 4, SET, 1, AT_EVENTS, 180},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 256, 4, ADD, 1, AT_EVENTS, 180},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 256, 4, SET, 0x40000001, AT_EVENTS, 180},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 256, 4, SET, 0xFFFFFFFF, AT_EVENTS, 180},
    {"event.samples", PACK_CLIPS, 0, AT_EVENTS, 0, 4, ADD, MINUS(4), AT_EVENTS, 180},
    {"event.sample", PACK_CLIPS, 0, AT_EVENTS, 260, 4, SET, F32_NAN, HERE},
    {"event.sample", PACK_CLIPS, 0, AT_EVENTS, 264, 4, SET, F32_INFINITY, HERE},
    {"event.sample", PACK_CLIPS, 0, AT_EVENTS, 268, 4, SET, 0x447A0001, HERE}, // over 1000
    {"event.sample", PACK_CLIPS, 0, AT_EVENTS, 324, 4, SET, 0xC47A0001, HERE},
    {"event.text", PACK_CLIPS, 0, AT_EVENTS, 84, 4, SET, 1, HERE},
    {"root.flag", PACK_CLIPS, 0, AT_OBJECT, 36, 4, OR, 4, AT_ROOT, 11},
    {"root.flag", PACK_CLIPS, 0, AT_ROOT, 11, 1, SET, 0, HERE},
    {"root.flag", PACK_CLIPS, 0, AT_ROOT, 11, 1, SET, 2, HERE},
    {"root.flag", PACK_CLIPS, 1, AT_OBJECT, 36, 4, SET, 0, AT_ROOT, 11},
    {"root.flag", PACK_CLIPS, 1, AT_OBJECT, 140, 4, SET, 0, AT_OBJECT, 36},
    {"root.additive", PACK_CLIPS, 0, AT_OBJECT, 36, 4, OR, 1, HERE},
    {"root.align", PACK_CLIPS, 0, AT_OBJECT, 140, 4, ADD, 8, HERE},
    {"root.range", PACK_CLIPS, 0, AT_OBJECT, 140, 4, SET, 16, HERE},
    {"root.range", PACK_CLIPS, 0, AT_OBJECT, 140, 4, SET, 0xFFFFFFF0, HERE},
    {"root.range", PACK_CLIPS, 0, AT_ROOT, 0, 4, ADD, 1, HERE},
    {"root.range", PACK_CLIPS, 1, AT_ROOT, 0, 4, SET, 0xFFFFFFFF, HERE},
    {"root.count", PACK_CLIPS, 0, AT_ROOT, 4, 4, SET, 0, HERE},
    {"root.size", PACK_CLIPS, 0, AT_ROOT, 4, 4, ADD, 1, AT_ROOT, 0},
    {"root.size", PACK_CLIPS, 0, AT_ROOT, 4, 4, ADD, 0x20000000, AT_ROOT, 0}, // 3 x 2^32 bytes
    {"root.size", PACK_CLIPS, 0, AT_ROOT, 0, 4, ADD, MINUS(8), HERE},
    {"root.components", PACK_CLIPS, 0, AT_ROOT, 10, 1, SET, 0, HERE},
    {"root.components", PACK_CLIPS, 0, AT_ROOT, 10, 1, SET, 16, HERE},
    {"root.pivot", PACK_CLIPS, 0, AT_ROOT, 12, 4, SET, F32_NAN, HERE},
    {"root.pivot", PACK_CLIPS, 0, AT_ROOT, 16, 4, SET, F32_INFINITY, HERE},
    {"root.pivot", PACK_CLIPS, 0, AT_ROOT, 12, 4, SET, 0x71C9F2CA, HERE},        // 2e30
    {"root.pivot", PACK_CLIPS, 0, AT_ROOT, 10, 1, SET, TRP_ROOT_X, AT_ROOT, 12}, // no yaw
    {"root.lane", PACK_CLIPS, 0, AT_ROOT, 8, 2, SET, 5, HERE},                   // of no joint
    {"root.lane", PACK_CLIPS, 0, AT_ROOT, 8, 2, SET, 16, HERE},
    {"root.lane", PACK_CLIPS, 0, AT_ROOT, 8, 2, SET, 0xFFFF, HERE},
    {"root.time", PACK_CLIPS, 0, AT_ROOT, 32, 8, SET, 1, HERE}, // denormal
    {"root.time", PACK_CLIPS, 0, AT_ROOT, 32, 8, SET, F64_NAN, HERE},
    {"root.time", PACK_CLIPS, 0, AT_ROOT, 40, 8, SET, 0, HERE},
    {"root.time", PACK_CLIPS, 0, AT_ROOT, 40, 8, SET, F64_NAN, HERE},
    {"root.time", PACK_CLIPS, 0, AT_ROOT, 48, 8, ADD, 3, HERE},
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 56, 4, SET, F32_MINUS_ONE, HERE}, // x of the first
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 68, 4, SET, F32_NAN, HERE},
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 72, 4, SET, 0x71C9F2CA, HERE}, // 2e30
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 84, 4, SET, F32_NAN, HERE},
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 76, 4, SET, F32_MINUS_ONE, HERE}, // y is not named
    {"root.key", PACK_CLIPS, 0, AT_ROOT, 80, 4, SET, 1, HERE},             // z, denormal
    {"events.overlap", PACK_CLIPS, 0, AT_KEYED, 0, 4, ADD, 32, AT_OBJECT, 136},
    {"root.overlap", PACK_CLIPS, 0, AT_OBJECT, 140, 4, ADD, MINUS(64), HERE}, // among the events
    {"root.overlap", PACK_CLIPS, 1, AT_SEGMENT_ENTRY, 20, 4, ADD, 16, AT_OBJECT, 140},

    {"instance.short", PACK_INSTANCES, 0, AT_ENTRY, 4, 4, SET, 63, AT_OBJECT, 0},
    {"instance.skeleton", PACK_INSTANCES, 0, AT_OBJECT, 24, 4, SET, 1, HERE},
    {"instance.skeleton", PACK_INSTANCES, 0, AT_OBJECT, 24, 4, SET, TRP_NONE, HERE},
    {"instance.blocks", PACK_INSTANCES, 0, AT_OBJECT, 28, 4, SET, 2, HERE},
    {"instance.blocks", PACK_INSTANCES, 0, AT_OBJECT, 28, 4, SET, 0, HERE},
    {"instance.flags", PACK_INSTANCES, 0, AT_OBJECT, 40, 4, OR, 2, HERE},
    {"instance.flags", PACK_INSTANCES, 0, AT_OBJECT, 40, 4, OR, 0x80000000, HERE},
    {"instance.pose_of", PACK_INSTANCES, 0, AT_OBJECT, 44, 4, SET, 1, HERE},
    {"instance.pose_of", PACK_INSTANCES, 0, AT_OBJECT, 44, 4, SET, TRP_NONE, HERE},
    {"instance.pose_of", PACK_INSTANCES, 1, AT_OBJECT, 44, 4, SET, 2, HERE},
    {"humanoid.blocks", PACK_INSTANCES, 0, AT_OBJECT, 48, 4, SET, 2, HERE},
    {"humanoid.blocks", PACK_INSTANCES, 0, AT_OBJECT, 48, 4, SET, 0xFFFFFFFF, HERE},
    {"humanoid.blocks", PACK_INSTANCES, 1, AT_OBJECT, 48, 4, SET, 1, HERE},
    {"humanoid.blocks", PACK_INSTANCES, 0, AT_OBJECT, 40, 4, SET, 0, AT_OBJECT, 48},
    {"instance.size", PACK_INSTANCES, 1, AT_OBJECT, 44, 4, SET, 1, AT_OBJECT, 0},
    {"instance.size", PACK_INSTANCES, 0, AT_OBJECT, 48, 4, SET, 0, AT_OBJECT, 0},
    {"instance.size", PACK_INSTANCES, 0, AT_ENTRY, 4, 4, ADD, MINUS(2), AT_OBJECT, 0},
    {"instance.size", PACK_INSTANCES, 0, AT_OBJECT, 32, 4, ADD, 1, AT_OBJECT, 0},
    {"instance.size", PACK_INSTANCES, 0, AT_OBJECT, 36, 4, ADD, 0x08000000, AT_OBJECT, 0}, // 2^32
    {"instance.padding", PACK_INSTANCES, 0, AT_OBJECT, 100, 4, SET, 0x80000000, HERE},     // -0
    {"instance.padding", PACK_INSTANCES, 0, AT_OBJECT, 700, 4, SET, 0, HERE},
    {"instance.pose", PACK_INSTANCES, 0, AT_OBJECT, 320, 4, SET, F32_NAN, HERE},
    {"instance.pose", PACK_INSTANCES, 0, AT_OBJECT, 512, 4, SET, F32_INFINITY, HERE},
    {"instance.rotation", PACK_INSTANCES, 0, AT_OBJECT, 64, 4, SET, 0x40000000, HERE},
    {"instance.length", PACK_INSTANCES, 0, AT_OBJECT, 3604, 4, SET, F32_MINUS_ONE, HERE},
    {"instance.length", PACK_INSTANCES, 0, AT_OBJECT, 3624, 4, SET, F32_NAN, HERE},
    {"instance.length", PACK_INSTANCES, 0, AT_OBJECT, 3608, 4, SET, F32_INFINITY, HERE},
    {"instance.lane", PACK_INSTANCES, 0, AT_OBJECT, 3628, 2, SET, 5, HERE}, // of no joint
    {"instance.lane", PACK_INSTANCES, 0, AT_OBJECT, 3638, 2, SET, 16, HERE},
    {"instance.lane", PACK_INSTANCES, 0, AT_OBJECT, 3638, 2, SET, 0xFFFE, HERE},
    {"humanoid.limit", PACK_INSTANCES, 0, AT_OBJECT, 704, 4, SET, F32_NAN, HERE},
    {"humanoid.limit", PACK_INSTANCES, 0, AT_OBJECT, 768, 4, SET, F32_INFINITY, AT_OBJECT, 768},
    {"humanoid.limit", PACK_INSTANCES, 0, AT_OBJECT, 964, 4, SET, 0x42280000, HERE}, // 42
    {"humanoid.limit", PACK_INSTANCES, 0, AT_OBJECT, 1020, 4, SET, F32_NAN, HERE},   // no joint
    {"humanoid.padding", PACK_INSTANCES, 0, AT_OBJECT, 724, 4, SET, F32_MINUS_ONE, HERE},
    {"humanoid.padding", PACK_INSTANCES, 0, AT_OBJECT, 1084, 4, SET, 0x3F800000, HERE},
    {"humanoid.block", PACK_INSTANCES, 0, AT_OBJECT, 3600, 4, SET, 1, HERE},
    {"humanoid.block", PACK_INSTANCES, 0, AT_OBJECT, 3600, 4, SET, 0xFFFFFFFF, HERE},
    {"humanoid.flags", PACK_INSTANCES, 0, AT_OBJECT, 1088, 4, SET, 8, HERE},
    {"humanoid.setting", PACK_INSTANCES, 0, AT_OBJECT, 1092, 4, SET, F32_NAN, HERE},
    {"humanoid.setting", PACK_INSTANCES, 0, AT_OBJECT, 1116, 4, SET, F32_INFINITY, HERE},
    {"humanoid.lane", PACK_INSTANCES, 0, AT_OBJECT, 1120, 2, SET, 5, HERE},
    {"humanoid.lane", PACK_INSTANCES, 0, AT_OBJECT, 1228, 2, SET, 16, HERE},
    {"humanoid.axes", PACK_INSTANCES, 0, AT_OBJECT, 1232, 4, SET, 8, HERE},
    {"humanoid.axes", PACK_INSTANCES, 0, AT_OBJECT, 3392, 4, SET, 0xFFFFFFFF, HERE},
    {"humanoid.angle", PACK_INSTANCES, 0, AT_OBJECT, 1236, 4, SET, F32_NAN, HERE},
    {"humanoid.angle", PACK_INSTANCES, 0, AT_OBJECT, 1248, 4, SET, F32_INFINITY, HERE},
    {"humanoid.angle", PACK_INSTANCES, 0, AT_OBJECT, 3428, 4, SET, F32_NAN, HERE},
    {"component.bone", PACK_INSTANCES, 0, AT_OBJECT, 3564, 4, SET, 6, HERE},
    {"component.bone", PACK_INSTANCES, 0, AT_OBJECT, 3564, 4, SET, 0, HERE}, // not sorted
    {"component.bone", PACK_INSTANCES, 0, AT_OBJECT, 3500, 4, SET, 0xFFFFFFFF, HERE},
    {"component.kind", PACK_INSTANCES, 0, AT_OBJECT, 3504, 4, SET, 3, HERE},

    {"blendtree.short", PACK_BLENDTREES, 1, AT_ENTRY, 4, 4, SET, 31, AT_OBJECT, 0},
    {"blendtree.dimensions", PACK_BLENDTREES, 0, AT_OBJECT, 16, 4, SET, 0, HERE},
    {"blendtree.dimensions", PACK_BLENDTREES, 0, AT_OBJECT, 16, 4, SET, 3, HERE},
    {"blendtree.size", PACK_BLENDTREES, 1, AT_ENTRY, 4, 4, ADD, MINUS(4), AT_OBJECT, 0},
    {"blendtree.size", PACK_BLENDTREES, 0, AT_OBJECT, 20, 4, ADD, 1, AT_OBJECT, 0},
    {"blendtree.size", PACK_BLENDTREES, 0, AT_OBJECT, 20, 4, ADD, 0x40000000, AT_OBJECT, 0},
    {"blendtree.place", PACK_BLENDTREES, 0, AT_OBJECT, 32, 4, SET, F32_NAN, HERE},
    {"blendtree.place", PACK_BLENDTREES, 0, AT_OBJECT, 36, 4, SET, 1, AT_OBJECT, 32}, // y, denormal
    {"blendtree.place", PACK_BLENDTREES, 1, AT_OBJECT, 60, 4, SET, F32_INFINITY, AT_OBJECT, 56},
    {"blendtree.clip", PACK_BLENDTREES, 0, AT_OBJECT, 64, 4, SET, 1, HERE},
    {"blendtree.clip", PACK_BLENDTREES, 1, AT_OBJECT, 76, 4, SET, 0xFFFFFFFE, HERE},
};

/// Gives a group four keys, with a bezier, an easing and a sampled interval between them.
static void set_keys(struct pack_content *content, struct pack_group *group)
{
    static double times[4] = {0.125, 0.25, 0.5, 0.75};
    static float table[3] = {0, 0.75, 1};
    static struct pack_curve curves[4] = {
        {.mode = TRP_INTERPOLATION_BEZIER, .x = {0.25f, 0.5f}},
        {.mode = TRP_INTERPOLATION_EASING, .easing = 3},
        {.mode = TRP_INTERPOLATION_SAMPLED, .table_size = 3, .table = table},
    };
    const uint32_t components = 4 * group->rotation_count + group->scalar_count;
    const uint32_t floats = 12 * components;
    group->key_count = 4;
    group->planes = 3;
    group->times = times;
    group->has_modes = true;
    group->curves = curves;
    group->values = pack_content_allocate(content, floats * sizeof *group->values);
    for (uint32_t i = 0; i < floats; i++) { // rotations: 0.5 four times
        group->values[i] = 0.5f;
    }
}

/// Gives the last two events samples that read like root motion with one key, from the fourth on.
static void set_double_meaning(struct pack_content *content, struct pack_clip *clip)
{
    const uint32_t bits[17] = {
        [1] = 0x3F800000,
        [3] = 32 + 24, // size, count, lane 0 in the pose; pivot and key are 0
        [4] = 1,
        [5] = (TRP_ROOT_X | TRP_ROOT_YAW) << 16 | 1u << 24,
    };
    float *const samples = pack_content_allocate(content, sizeof bits);
    memcpy(samples, bits, sizeof bits);
    for (uint32_t i = 1; i < 3; i++) {
        clip->events[i].easing = 0;
        clip->events[i].sample_count = 17;
        clip->events[i].samples = samples;
    }
}

/// Gives a clip root motion along x and about y.
static void set_root_motion(struct pack_clip *clip, bool is_in_pose)
{
    clip->flags = is_in_pose ? 0 : TRP_CLIP_ROOT_MOTION;
    clip->root_motion->is_in_pose = is_in_pose;
    clip->root_motion->components = TRP_ROOT_X | TRP_ROOT_YAW;
    clip->root_motion->pivot[0] = 3;
    clip->root_motion->pivot[1] = -4;
    for (uint32_t i = 1; i < clip->root_motion->key_count; i++) {
        const float key[4] = {(float)i, 0, 0, 0.5f};
        memcpy(clip->root_motion->keys[i], key, sizeof key);
    }
}

uint8_t *bad_pack_origin(size_t *size_bytes)
{
    const struct pack_recipe recipe = {
        .seed = 146751, // chosen for what comes up, see the comment at `rows`
        .joint_count = 5,
        .skin_count = 1,
        .clip_count = 2,
        .tick_count = 20,
        .property_count = 4,
        .group_count = 2,
        .key_seed = 1265,
        .event_count = 3,
        .root_key_count = 3,
    };
    struct pack_content *const content = pack_content_random(&recipe);
    content->property_sets[0].properties[2].type = TRP_PROPERTY_STRING;
    set_keys(content, &content->clips[0].groups[1]);
    content->clips[1].group_count = 0;
    content->clips[1].event_count = 0;
    set_root_motion(&content->clips[0], true);
    set_double_meaning(content, &content->clips[0]);
    set_root_motion(&content->clips[1], false);
    uint8_t *const bytes = pack_write(content, size_bytes);
    pack_content_free(content);
    return bytes;
}

uint8_t *bad_pack_scene_origin(size_t *size_bytes)
{
    struct pack_content *const content = pack_content_random(&(struct pack_recipe){
        .seed = 1,
        .instance_count = 2,
        .shares_pose = true,
        .blendtree_count = 2,
    });
    uint8_t *const bytes = pack_write(content, size_bytes);
    pack_content_free(content);
    return bytes;
}

uint32_t bad_pack_count(void)
{
    return sizeof rows / sizeof rows[0];
}

/// Returns the start of the arrays of a clip, from AT_MASKS to AT_VALUE_STEPS.
static size_t clip_array(const uint8_t *bytes, size_t clip, enum place place)
{
    uint32_t constant[3];
    uint32_t animated[3];
    for (uint32_t i = 0; i < 3; i++) {
        constant[i] = pack_get_u16(bytes, clip + 64 + 2 * i);
        animated[i] = pack_get_u16(bytes, clip + 70 + 2 * i);
    }
    const size_t masks = clip + 160 + 8 * (size_t)pack_get_u32(bytes, clip + 60);
    const size_t rotation_constants = masks + 18 * (size_t)pack_get_u32(bytes, clip + 40);
    const size_t constants = rotation_constants + 8 * constant[0];
    const size_t offsets = constants + 12 * (constant[1] + constant[2]);
    const size_t means = offsets + 12 * (animated[1] + animated[2]);
    const size_t steps = means + 6 * animated[0];
    const size_t value_masks = steps + 2 * (animated[0] + animated[1] + animated[2]);
    const size_t value_offsets = value_masks + 2 * (size_t)pack_get_u32(bytes, clip + 124);
    const size_t value_steps = value_offsets + 4 * (size_t)pack_get_u32(bytes, clip + 128);
    return place == AT_MASKS                ? masks
           : place == AT_ROTATION_CONSTANTS ? rotation_constants
           : place == AT_CONSTANTS          ? constants
           : place == AT_OFFSETS            ? offsets
           : place == AT_MEANS              ? means
           : place == AT_STEPS              ? steps
           : place == AT_VALUE_MASKS        ? value_masks
           : place == AT_VALUE_OFFSETS      ? value_offsets
                                            : value_steps;
}

/// Returns the start of what the keyed part of a clip holds, from AT_KEYED to AT_TABLE_VALUES.
static size_t keyed_array(const uint8_t *bytes, size_t keyed, enum place place)
{
    const size_t group = keyed + 16 + 48;
    const size_t tracks = keyed + 16 + 48 * (size_t)pack_get_u32(bytes, keyed + 4);
    const size_t components =
        4 * (size_t)pack_get_u32(bytes, group + 4) + pack_get_u32(bytes, group + 8);
    const size_t values = keyed + pack_get_u32(bytes, group + 16);
    const size_t curves = keyed + pack_get_u32(bytes, group + 24);
    switch (place) {
    case AT_KEYED:
        return keyed;
    case AT_STEP_GROUP:
        return keyed + 16;
    case AT_GROUP:
        return group;
    case AT_STEP_TRACKS:
        return tracks;
    case AT_TRACKS:
        return tracks + 20 * (size_t)pack_get_u32(bytes, group + 28);
    case AT_TIMES:
        return keyed + pack_get_u32(bytes, group + 12);
    case AT_KEY_VALUES:
        return values;
    case AT_VALUE_PLANE:
        return values + 4 * components;
    case AT_MODES:
        return keyed + pack_get_u32(bytes, group + 20);
    case AT_CURVES:
        return curves;
    default:
        return keyed + pack_get_u32(bytes, curves + 16);
    }
}

static size_t find_place(const uint8_t *bytes, size_t size_bytes, const struct bad_row *row,
                         enum place place)
{
    if (place == AT_FILE || place == AT_FILE_END) {
        return place == AT_FILE ? 0 : size_bytes;
    }
    const size_t table_row = pack_section_row(bytes, row->section);
    const size_t section = (size_t)pack_get_u64(bytes, table_row + 8);
    if (place == AT_TABLE || place == AT_SECTION) {
        return place == AT_TABLE ? table_row : section;
    }
    if (place == AT_ENTRY) {
        return section + 8 * row->index;
    }
    const size_t object = pack_object(bytes, row->section, row->index);
    switch (place) {
    case AT_SKELETON_LANES:
        return object + 128 + 640 + 20 * 5;
    case AT_SKIN_LANES:
        return object + 64 + 48 * (size_t)pack_get_u32(bytes, object + 16);
    case AT_DEFAULTS:
        return object + 64 + 32 * (size_t)pack_get_u32(bytes, object + 12);
    case AT_SEGMENT_ENTRY:
        return object + 160;
    case AT_SEGMENT:
        return pack_segment_at(bytes, row->index, 0);
    case AT_SECOND_SEGMENT:
        return pack_segment_at(bytes, row->index, 1);
    case AT_EVENTS:
        return pack_events_at(bytes, row->index);
    case AT_ROOT:
        return pack_root_at(bytes, row->index);
    case AT_OBJECT:
        return object;
    default:
        return place < AT_MASKS ? keyed_array(bytes, pack_keyed_at(bytes, row->index), place)
                                : clip_array(bytes, object, place);
    }
}

static void change_number(uint8_t *bytes, const struct bad_row *row)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < row->size_bytes; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    value = row->change == SET   ? row->value
            : row->change == ADD ? value + row->value
                                 : (value | row->value);
    for (uint32_t i = 0; i < row->size_bytes; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static trp_result result_of_rule(const char *rule)
{
    return strcmp(rule, "file.endian") == 0     ? TRP_ERROR_ENDIAN
           : strcmp(rule, "file.version") == 0  ? TRP_ERROR_VERSION
           : strcmp(rule, "file.features") == 0 ? TRP_ERROR_UNSUPPORTED
                                                : TRP_ERROR_FORMAT;
}

struct bad_pack bad_pack_make(uint32_t index)
{
    const struct bad_row *const row = &rows[index];
    size_t origin_bytes = 0;
    const bool is_scene = row->section >= PACK_INSTANCES;
    uint8_t *const origin =
        is_scene ? bad_pack_scene_origin(&origin_bytes) : bad_pack_origin(&origin_bytes);
    const size_t place = find_place(origin, origin_bytes, row, row->place) + (size_t)row->offset;
    const size_t reported =
        row->reported == AT_SAME
            ? place
            : find_place(origin, origin_bytes, row, row->reported) + (size_t)row->reported_offset;
    const size_t size_bytes = origin_bytes + (row->change == RESIZE ? (size_t)row->value : 0);
    struct bad_pack bad = {
        .size_bytes = size_bytes,
        .is_first = index == 0 || strcmp(rows[index - 1].rule, row->rule) != 0,
        .expected =
            {
                .result = result_of_rule(row->rule),
                .rule = row->rule,
                // The section that was taken for another one goes by what it says of itself.
                .section = strcmp(row->rule, "section.twice") == 0 ? (uint32_t)row->value
                                                                   : (uint32_t)row->section,
                .index = row->index,
                .byte_offset = reported,
            },
    };
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size_bytes) != 0) {
        abort();
    }
    bad.bytes = memory;
    memset(bad.bytes, 0xFF, size_bytes);
    memcpy(bad.bytes, origin, size_bytes < origin_bytes ? size_bytes : origin_bytes);
    if (row->change != RESIZE) {
        change_number(bad.bytes + place, row);
    }
    pack_rehash(bad.bytes, size_bytes);
    free(origin);
    return bad;
}
