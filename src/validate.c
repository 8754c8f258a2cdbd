// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// One function for each thing that a pack holds, from the file down to a segment. Each trusts only
// what the ones before it have checked, and reads nothing before its own bounds are known. Sizes
// are added up in 64 bits, where no sum of 32-bit fields can wrap.
#include "validate.h"

#include "check.h"

/// Components of a rotation relative to its mean stay below this: 10 would be 337 degrees.
#define ROTATION_LIMIT 16.0

/// The smallest step whose 128th part is still a normal number: 2^-119.
#define STEP_LIMIT 0x1p-119f

static bool is_positive(double value)
{
    return value > 0 && value <= DBL_MAX;
}

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/// Reads up to 32 bits. May touch 8 bytes from the one that holds the first bit.
static uint32_t read_bits(const uint8_t *stream, uint64_t position, uint32_t count)
{
    const uint64_t word = trp__read_u64(stream + (position >> 3)) >> (position & 7);
    return (uint32_t)(word & ((1ull << count) - 1));
}

static int64_t read_signed_bits(const uint8_t *stream, uint64_t position, uint32_t count)
{
    if (count == 0) {
        return 0;
    }
    const int64_t sign = (int64_t)1 << (count - 1);
    return ((int64_t)read_bits(stream, position, count) ^ sign) - sign;
}

// -- File

static bool host_is_little_endian(void)
{
    static const uint8_t one[2] = {1, 0};
    return trp__read_u16(one) == 1;
}

static uint32_t swapped(uint32_t value)
{
    return value >> 24 | (value >> 8 & 0xFF00) | (value << 8 & 0xFF0000) | value << 24;
}

static bool check_file(struct trp__check *check, uint64_t size_bytes)
{
    const struct trp__file_header *const header = (const void *)check->bytes;
    REQUIRE(size_bytes >= sizeof *header + TRP__TAIL_BYTES, "file.short", header);
    REQUIRE(header->magic == TRP__MAGIC || header->magic == swapped(TRP__MAGIC), "file.magic",
            &header->magic);
    REQUIRE_AS(TRP_ERROR_ENDIAN,
               header->magic == TRP__MAGIC && header->endian_mark != swapped(TRP__ENDIAN_MARK) &&
                   host_is_little_endian(),
               "file.endian", &header->endian_mark);
    REQUIRE(header->endian_mark == TRP__ENDIAN_MARK, "file.mark", &header->endian_mark);
    REQUIRE_AS(TRP_ERROR_VERSION, header->version == TRP__FORMAT_VERSION, "file.version",
               &header->version);
    REQUIRE_AS(TRP_ERROR_UNSUPPORTED, (header->features & ~TRP__FEATURES_KNOWN) == 0,
               "file.features", &header->features);
    REQUIRE(header->size_bytes == size_bytes, "file.size", &header->size_bytes);

    check->end = size_bytes - TRP__TAIL_BYTES;
    for (uint32_t i = 0; i < TRP__TAIL_BYTES; i++) {
        REQUIRE(check->bytes[check->end + i] == 0, "file.tail", check->bytes + check->end + i);
    }
    return true;
}

static bool check_sections(struct trp__check *check)
{
    const struct trp__file_header *const header = (const void *)check->bytes;
    const struct trp__section *const table = (const void *)(header + 1);
    uint64_t used = sizeof *header + (uint64_t)header->section_count * sizeof *table;
    REQUIRE(used <= check->end, "section.table", &header->section_count);

    for (uint32_t i = 0; i < header->section_count; i++) {
        const struct trp__section *const section = &table[i];
        check->diagnostic.section = section->kind;
        REQUIRE(section->offset % TRP_ALIGNMENT == 0, "section.align", &section->offset);
        REQUIRE(section->offset >= used, "section.overlap", &section->offset);
        REQUIRE(section->size_bytes <= UINT32_MAX, "section.size", &section->size_bytes);
        REQUIRE(section->offset <= check->end &&
                    section->size_bytes <= check->end - section->offset,
                "section.range", &section->size_bytes);
        used = section->offset + section->size_bytes;
        if (section->kind < TRP__SECTION_STRINGS || section->kind > TRP__SECTION_BLENDTREES) {
            continue;
        }
        REQUIRE(check->sections[section->kind] == NULL, "section.twice", &section->kind);
        check->sections[section->kind] = section;
    }
    return true;
}

// -- Strings

/// Returns the bytes of the UTF-8 sequence at `at`, or 0 where there is none.
static uint32_t utf8_sequence_bytes(const uint8_t *at, uint64_t size_bytes)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0x80) {
        return 1;
    }
    const uint32_t count = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC0 || at[0] > 0xF7 || count > size_bytes) {
        return 0;
    }
    uint32_t code = at[0] & (0x7Fu >> count);
    for (uint32_t i = 1; i < count; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (at[i] & 0x3F);
    }
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < smallest[count] || code > 0x10FFFF || is_surrogate ? 0 : count;
}

static bool check_strings(struct trp__check *check)
{
    const struct trp__section *const section = check->sections[TRP__SECTION_STRINGS];
    if (section == NULL) {
        return true;
    }
    check->diagnostic.section = TRP__SECTION_STRINGS;
    const uint8_t *const strings = check->bytes + section->offset;
    REQUIRE(section->size_bytes >= 1 && strings[0] == 0, "strings.empty", strings);
    REQUIRE(strings[section->size_bytes - 1] == 0, "strings.end",
            strings + section->size_bytes - 1);
    for (uint64_t i = 0; i < section->size_bytes;) {
        const uint32_t count = utf8_sequence_bytes(strings + i, section->size_bytes - i);
        REQUIRE(count != 0, "strings.utf8", strings + i);
        i += count;
    }
    check->pack.strings = strings;
    check->pack.strings_bytes = (uint32_t)section->size_bytes;
    return true;
}

bool trp__check_name(struct trp__check *check, const uint32_t *at)
{
    REQUIRE(*at < check->pack.strings_bytes, "name.range", at);
    REQUIRE(*at == 0 || check->pack.strings[*at - 1] == 0, "name.start", at);
    return true;
}

// -- Objects

typedef bool check_object(struct trp__check *check, const uint8_t *at, uint32_t size_bytes);

/// Checks a section of objects: its entries, and each object with `check_one`.
static bool check_objects(struct trp__check *check, uint32_t kind, uint32_t alignment,
                          check_object *check_one, const uint8_t **objects, uint32_t *count)
{
    const struct trp__section *const section = check->sections[kind];
    if (section == NULL) {
        return true;
    }
    check->diagnostic.section = kind;
    const uint8_t *const start = check->bytes + section->offset;
    const struct trp__entry *const entries = (const void *)start;
    uint64_t used = (uint64_t)section->count * sizeof *entries;
    REQUIRE(used <= section->size_bytes, "entry.table", &section->count);
    *objects = start;
    *count = section->count;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct trp__entry entry = entries[i];
        check->diagnostic.index = i;
        REQUIRE(entry.offset % alignment == 0, "entry.align", &entries[i]);
        REQUIRE(entry.offset >= used, "entry.overlap", &entries[i]);
        used = (uint64_t)entry.offset + entry.size_bytes;
        REQUIRE(used <= section->size_bytes, "entry.range", &entries[i]);
        if (!check_one(check, start + entry.offset, entry.size_bytes)) {
            return false;
        }
    }
    check->diagnostic.index = TRP_NONE;
    return true;
}

// -- Skeletons and skins

static bool check_finite(struct trp__check *check, const float *values, size_t count,
                         const char *rule)
{
    for (size_t i = 0; i < count; i++) {
        REQUIRE(trp__is_finite(values[i]), rule, &values[i]);
    }
    return true;
}

static bool check_skeleton_lanes(struct trp__check *check, const trp_skeleton *skeleton)
{
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        const uint32_t lane = skeleton->lane_of_joint[joint];
        REQUIRE(lane < skeleton->lane_count && skeleton->joint_of_lane[lane] == joint,
                "skeleton.lane_of_joint", &skeleton->lane_of_joint[joint]);
    }
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const uint32_t joint = skeleton->joint_of_lane[lane];
        const uint32_t parent = skeleton->parent_of_lane[lane];
        REQUIRE(joint == TRP_NO_LANE ||
                    (joint < skeleton->joint_count && skeleton->lane_of_joint[joint] == lane),
                "skeleton.joint_of_lane", &skeleton->joint_of_lane[lane]);
        REQUIRE(parent == TRP_NO_LANE || (parent < lane && joint != TRP_NO_LANE &&
                                          skeleton->joint_of_lane[parent] != TRP_NO_LANE),
                "skeleton.parent", &skeleton->parent_of_lane[lane]);
    }
    return true;
}

/// Parents lie in smaller lanes, so only lanes from the limit on can be too deep.
static bool check_skeleton_depth(struct trp__check *check, const trp_skeleton *skeleton)
{
    for (uint32_t lane = TRP__MAX_DEPTH; lane < skeleton->lane_count; lane++) {
        uint32_t depth = 0;
        for (uint32_t at = lane; at != TRP_NO_LANE; at = skeleton->parent_of_lane[at]) {
            REQUIRE(++depth <= TRP__MAX_DEPTH, "skeleton.depth", &skeleton->parent_of_lane[lane]);
        }
    }
    return true;
}

bool trp__check_pose(struct trp__check *check, const trp_skeleton *skeleton,
                     const trp_pose_block *pose, const struct trp__pose_rules *rules)
{
    static const float identity[10] = {0, 0, 0, 1, 0, 0, 0, 1, 1, 1};
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        // The ten values of a lane lie 16 floats apart: rotation, translation, scale.
        const float *const block = (const void *)&pose[lane / TRP_BLOCK_LANES];
        const float *const values = block + lane % TRP_BLOCK_LANES;
        const bool is_padding = skeleton->joint_of_lane[lane] == TRP_NO_LANE;
        double length = 0;
        for (uint32_t i = 0; i < 10; i++) {
            const float *const value = values + i * TRP_BLOCK_LANES;
            REQUIRE(!is_padding || memcmp(value, &identity[i], sizeof *value) == 0, rules->padding,
                    value);
            REQUIRE(trp__is_finite(*value), rules->finite, value);
            length += i < 4 ? (double)*value * (double)*value : 0;
        }
        REQUIRE(length >= 0.999 * 0.999 && length <= 1.001 * 1.001, rules->rotation, values);
    }
    return true;
}

static bool check_skeleton(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    const struct trp__skeleton_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "skeleton.short", at);
    const uint64_t joints = header->joint_count;
    const uint64_t blocks = header->block_count;
    const uint64_t lanes = blocks * TRP_BLOCK_LANES;
    REQUIRE(blocks >= 1 && blocks <= TRP__MAX_BLOCKS, "skeleton.blocks", &header->block_count);
    REQUIRE(joints >= 1 && joints <= lanes, "skeleton.joints", &header->joint_count);
    REQUIRE(header->joint_block_count >= 1 && header->joint_block_count <= blocks,
            "skeleton.joint_blocks", &header->joint_block_count);
    REQUIRE(size_bytes == sizeof *header + blocks * sizeof(trp_pose_block) +
                              joints * (sizeof(uint64_t) + 3 * sizeof(uint32_t)) +
                              (2 * lanes + joints) * sizeof(uint16_t),
            "skeleton.size", at);
    REQUIRE(is_positive(header->metres_per_unit), "skeleton.unit", &header->metres_per_unit);
    if (!trp__check_name(check, &header->name) ||
        !check_finite(check, header->root_transform, 12, "skeleton.root")) {
        return false;
    }

    trp_skeleton skeleton;
    (void)trp_pack_skeleton(&check->pack, check->diagnostic.index, &skeleton);
    for (uint32_t joint = 0; joint < joints; joint++) {
        if (!trp__check_name(check, &skeleton.name_of_joint[joint]) ||
            !trp__check_name(check, &skeleton.id_of_joint[joint])) {
            return false;
        }
    }
    static const struct trp__pose_rules rules = {
        .padding = "skeleton.padding",
        .finite = "skeleton.rest",
        .rotation = "skeleton.rotation",
    };
    return check_skeleton_lanes(check, &skeleton) && check_skeleton_depth(check, &skeleton) &&
           trp__check_pose(check, &skeleton, skeleton.rest, &rules);
}

static bool check_skin(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    const struct trp__skin_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "skin.short", at);
    const uint64_t joints = header->joint_count;
    REQUIRE(joints >= 1, "skin.joints", &header->joint_count);
    REQUIRE(size_bytes == sizeof *header + joints * (12 * sizeof(float) + sizeof(uint16_t)),
            "skin.size", at);
    REQUIRE(header->skeleton < check->pack.skeleton_count, "skin.skeleton", &header->skeleton);
    if (!trp__check_name(check, &header->name)) {
        return false;
    }

    trp_skin skin;
    trp_skeleton skeleton;
    (void)trp_pack_skin(&check->pack, check->diagnostic.index, &skin);
    (void)trp_pack_skeleton(&check->pack, header->skeleton, &skeleton);
    for (uint32_t i = 0; i < joints; i++) {
        const uint32_t lane = skin.lane_of_entry[i];
        REQUIRE(lane < skeleton.lane_count && skeleton.joint_of_lane[lane] != TRP_NO_LANE,
                "skin.lane", &skin.lane_of_entry[i]);
        if (!check_finite(check, skin.inverse_bind[i], 12, "skin.matrix")) {
            return false;
        }
    }
    return true;
}

// -- Property sets

static bool check_default(struct trp__check *check, const struct trp__property_set_header *set,
                          uint32_t type, const float *at)
{
    const float value = *at;
    const bool is_whole = trp__magnitude(value) <= 0x1p24 && (float)(int32_t)value == value;
    REQUIRE(trp__is_finite(value) && (type == TRP_PROPERTY_FLOAT || is_whole) &&
                (type != TRP_PROPERTY_BOOL || value == 0 || value == 1) &&
                (type != TRP_PROPERTY_STRING || (value >= 0 && value < (float)set->text_count)),
            "property.default", at);
    return true;
}

static bool check_property(struct trp__check *check, const struct trp__property_set_header *set,
                           const struct trp__property *property, uint32_t first_value,
                           const float *defaults)
{
    REQUIRE(property->first_value == first_value && property->value_count >= 1 &&
                property->value_count <= set->value_count - first_value,
            "property.values", &property->first_value);
    REQUIRE(property->type <= TRP_PROPERTY_STRING, "property.type", &property->type);
    for (uint32_t i = 0; i < property->value_count; i++) {
        if (!check_default(check, set, property->type, &defaults[first_value + i])) {
            return false;
        }
    }
    return trp__check_name(check, &property->path);
}

static bool check_property_set(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    const struct trp__property_set_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "set.short", at);
    const uint64_t properties = header->property_count;
    const uint64_t values = header->value_count;
    REQUIRE(values >= 1 && values <= TRP__MAX_VALUES, "set.values", &header->value_count);
    REQUIRE(properties >= 1 && properties <= values, "set.properties", &header->property_count);
    REQUIRE(header->text_count <= TRP__MAX_TEXTS, "set.texts", &header->text_count);
    REQUIRE(size_bytes == sizeof *header + properties * sizeof(struct trp__property) +
                              values * (sizeof(float) + sizeof(uint32_t)) +
                              header->text_count * (uint64_t)sizeof(uint32_t),
            "set.size", at);
    if (!trp__check_name(check, &header->name)) {
        return false;
    }

    const struct trp__property *const property = trp__properties_of(at);
    const float *const defaults = (const void *)(property + properties);
    const uint32_t *const names = (const void *)(defaults + values); // labels, then texts
    uint32_t first_value = 0;
    for (uint32_t i = 0; i < properties; i++) {
        if (!check_property(check, header, &property[i], first_value, defaults)) {
            return false;
        }
        first_value += property[i].value_count;
    }
    REQUIRE(first_value == header->value_count, "property.values", &header->value_count);
    for (uint64_t i = 0; i < values + header->text_count; i++) {
        if (!trp__check_name(check, &names[i])) {
            return false;
        }
    }
    return true;
}

// -- Clips

static bool check_clip_header(struct trp__check *check, const struct trp__clip_header *header)
{
    const uint32_t flags = TRP_CLIP_ADDITIVE | TRP_CLIP_LOOP_CLOSED | TRP_CLIP_ROOT_MOTION |
                           TRP_CLIP_LOOPS | TRP_CLIP_PING_PONG;
    REQUIRE(header->skeleton < check->pack.skeleton_count || header->skeleton == TRP_NONE,
            "clip.skeleton", &header->skeleton);
    REQUIRE((header->flags & ~flags) == 0, "clip.flags", &header->flags);
    REQUIRE((header->flags & (TRP_CLIP_LOOPS | TRP_CLIP_PING_PONG)) !=
                (TRP_CLIP_LOOPS | TRP_CLIP_PING_PONG),
            "clip.play", &header->flags);
    REQUIRE(header->block_count <= TRP__MAX_BLOCKS, "clip.blocks", &header->block_count);
    REQUIRE(header->block_count > 0 || (header->skeleton == TRP_NONE && header->bind_hash == 0),
            "clip.jointless", &header->block_count);
    trp_skeleton skeleton;
    if (trp_pack_skeleton(&check->pack, header->skeleton, &skeleton) == TRP_OK) {
        REQUIRE(header->bind_hash == skeleton.bind_hash, "clip.bind_hash", &header->bind_hash);
        REQUIRE(header->block_count == skeleton.block_count, "clip.bind_blocks",
                &header->block_count);
    }
    REQUIRE(header->rate_num >= 1 && header->rate_den >= 1, "clip.rate", &header->rate_num);
    REQUIRE(header->tick_count <= TRP__MAX_TICKS, "clip.ticks", &header->tick_count);
    REQUIRE(header->ticks_per_segment >= TRP__MIN_SEGMENT_TICKS &&
                header->ticks_per_segment <= TRP__MAX_SEGMENT_TICKS,
            "clip.segment_ticks", &header->ticks_per_segment);
    REQUIRE(header->loop <= TRP__LOOP_CLOSED, "clip.loop", &header->loop);
    REQUIRE(header->property_set < check->pack.property_set_count ||
                header->property_set == TRP_NONE,
            "clip.property_set", &header->property_set);
    REQUIRE(is_positive(header->metres_per_unit), "clip.unit", &header->metres_per_unit);

    const float *const errors[6] = {
        &header->budget_mm,    &header->shell_m,       &header->max_error_keys_mm,
        &header->max_error_mm, &header->mean_error_mm, &header->lead_in_s,
    };
    for (uint32_t i = 0; i < 6; i++) {
        REQUIRE(*errors[i] >= 0 && trp__is_finite(*errors[i]), "clip.error", errors[i]);
    }
    return trp__check_name(check, &header->name) && trp__check_name(check, &header->source_file) &&
           trp__check_name(check, &header->source_clip) &&
           trp__check_name(check, &header->additive_reference) &&
           trp__check_name(check, &header->source_id);
}

/// Checks that a Rodrigues vector on a grid of 1 / `unit` is at most half a turn and a little.
static bool is_rotation(const int64_t value[3], int64_t unit)
{
    const int64_t length = value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
    return length * 1000 <= unit * unit * 1001;
}

static bool check_clip_rotation_constants(struct trp__check *check, const uint8_t *at,
                                          uint32_t count)
{
    for (; count > 0; count--, at += sizeof(uint64_t)) {
        const uint64_t word = trp__read_u64(at);
        int64_t value[3];
        for (uint32_t i = 0; i < 3; i++) {
            const int64_t field = (int64_t)(word >> 21 * i & 0x1FFFFF);
            value[i] = (field ^ 0x100000) - 0x100000;
        }
        REQUIRE(word >> 63 == 0 && is_rotation(value, 1048575), "clip.rotation_constant", at);
    }
    return true;
}

static bool check_clip_rotation_means(struct trp__check *check, const uint8_t *at, uint32_t count)
{
    for (; count > 0; count--, at += 3 * sizeof(int16_t)) {
        int64_t value[3];
        for (uint32_t i = 0; i < 3; i++) {
            value[i] = (int16_t)trp__read_u16(at + i * sizeof(int16_t));
        }
        REQUIRE(is_rotation(value, 32767), "clip.rotation_mean", at);
    }
    return true;
}

static bool check_clip_floats(struct trp__check *check, const uint8_t *at, uint32_t count,
                              const char *rule)
{
    for (; count > 0; count--, at += sizeof(float)) {
        REQUIRE(trp__is_finite(trp__read_f32(at)), rule, at);
    }
    return true;
}

static bool check_clip_steps(struct trp__check *check, const uint8_t *at, uint32_t count)
{
    for (; count > 0; count--, at += sizeof(uint16_t)) {
        const float step = trp__step_from_bits(trp__read_u16(at));
        REQUIRE(step >= STEP_LIMIT && trp__is_finite(step), "clip.step", at);
    }
    return true;
}

/// Checks that the masks of a clip exclude each other and have as many bits as the header says.
static bool check_clip_masks(struct trp__check *check, const struct trp__checked_clip *clip)
{
    const uint32_t blocks = clip->header->block_count;
    for (uint32_t path = 0; path < 3; path++) {
        uint32_t animated_count = 0;
        uint32_t constant_count = 0;
        for (uint32_t block = 0; block < blocks; block++) {
            const uint16_t *const animated = &clip->masks[path * blocks + block];
            const uint16_t *const constant = animated + 3 * blocks;
            const uint16_t *const resting = constant + 3 * blocks;
            REQUIRE((*animated & *constant) == 0 && ((*animated | *constant) & *resting) == 0,
                    "clip.mask", animated);
            animated_count += count_bits(*animated);
            constant_count += count_bits(*constant);
        }
        REQUIRE(animated_count == clip->header->animated_count[path], "clip.animated_count",
                &clip->header->animated_count[path]);
        REQUIRE(constant_count == clip->header->constant_count[path], "clip.constant_count",
                &clip->header->constant_count[path]);
    }
    return true;
}

/// Checks which values of a clip lie in rows: values of its set that may be mixed.
static bool check_clip_values(struct trp__check *check, const struct trp__checked_clip *clip)
{
    uint32_t animated_count = 0;
    trp_property property = {0};
    uint32_t index = 0;
    for (uint32_t i = 0; i < clip->header->value_block_count; i++) {
        const uint8_t *const at = clip->animated_values + i * sizeof(uint16_t);
        for (uint32_t left = trp__read_u16(at); left != 0; left &= left - 1) {
            const uint32_t value = TRP_BLOCK_LANES * i + (uint32_t)__builtin_ctz(left);
            while (value < clip->set.value_count &&
                   value >= property.first_value + property.value_count) {
                (void)trp_property_set_property(&clip->set, index++, &property);
            }
            REQUIRE(value < clip->set.value_count && property.type == TRP_PROPERTY_FLOAT,
                    "clip.value", at);
            animated_count++;
        }
    }
    REQUIRE(animated_count == clip->header->animated_value_count, "clip.animated_value_count",
            &clip->header->animated_value_count);
    return true;
}

/// Returns the first mask with a bit for a lane that holds no joint, or null.
static const uint16_t *mask_without_joint(const uint16_t *masks, const trp_skeleton *skeleton)
{
    for (uint32_t block = 0; block < skeleton->block_count; block++) {
        uint32_t free_lanes = 0;
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            if (skeleton->joint_of_lane[block * TRP_BLOCK_LANES + lane] == TRP_NO_LANE) {
                free_lanes |= 1u << lane;
            }
        }
        for (uint32_t i = 0; i < 9; i++) {
            const uint16_t *const mask = &masks[i * skeleton->block_count + block];
            if ((*mask & free_lanes) != 0) {
                return mask;
            }
        }
    }
    return NULL;
}

/// Checks that only lanes that hold a joint have values. Where the skeleton lies elsewhere,
/// trp_clip_bind does, with trp__clip_fits_skeleton.
static bool check_clip_lanes(struct trp__check *check, const struct trp__checked_clip *clip)
{
    trp_skeleton skeleton;
    if (trp_pack_skeleton(&check->pack, clip->header->skeleton, &skeleton) == TRP_OK) {
        const uint16_t *const mask = mask_without_joint(clip->masks, &skeleton);
        REQUIRE(mask == NULL, "clip.lane", mask);
    }
    return true;
}

// -- Segments

/// Checks which ticks of a segment have rows, and how many.
static bool check_segment_ticks(struct trp__check *check, const struct trp__segment_header *header,
                                const uint8_t *mask)
{
    const uint32_t ticks = header->tick_count;
    uint32_t row_count = ticks + 1;
    if (header->flags & TRP__SEGMENT_TICK_MASK) {
        const uint32_t last_word = ticks / 64;
        row_count = 0;
        for (uint32_t i = 0; i <= last_word; i++) {
            row_count += count_bits(trp__read_u64(mask + i * sizeof(uint64_t)));
        }
        const uint64_t last = trp__read_u64(mask + last_word * sizeof(uint64_t));
        REQUIRE((mask[0] & 1) == 1 && last >> ticks % 64 == 1, "segment.mask", mask);
    }
    REQUIRE(header->row_count == row_count, "segment.row_count", &header->row_count);
    return true;
}

static bool check_segment_rules(struct trp__check *check, const uint8_t *rules, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rule = rules[i] & TRP__RULE_MASK;
        const bool flips = (rules[i] & TRP__RULE_FLIP) != 0;
        REQUIRE(rules[i] <= (TRP__RULE_MASK | TRP__RULE_FLIP) && rule != 0 &&
                    !(flips && rule == TRP__RULE_LERP),
                "segment.rule", &rules[i]);
    }
    return true;
}

static bool check_segment_holds(struct trp__check *check, const uint8_t *holds,
                                const struct trp__checked_clip *clip)
{
    const uint32_t joint_count = 3 * clip->header->block_count;
    for (uint32_t i = 0; i < joint_count + clip->header->value_block_count; i++) {
        const uint8_t *const hold = holds + i * sizeof(uint16_t);
        const uint8_t *const value_mask =
            clip->animated_values + (i - joint_count) * sizeof(uint16_t);
        const uint32_t animated = i < joint_count ? clip->masks[i] : trp__read_u16(value_mask);
        REQUIRE((trp__read_u16(hold) & ~animated) == 0, "segment.hold", hold);
    }
    return true;
}

/// A component that a segment has a width and a base for.
struct component {
    double step;
    double offset;
    double limit;
};

/// Returns component `index` of [0, 3 * animated tracks), which is one of a path.
static struct component joint_component(const struct trp__checked_clip *clip, uint32_t path,
                                        uint32_t index)
{
    const uint8_t *const step = clip->steps + index / 3 * sizeof(uint16_t);
    const bool turns = path == TRP_PATH_ROTATION;
    const uint32_t offset_index = turns ? 0 : index - 3u * clip->header->animated_count[0];
    return (struct component){
        .step = trp__step_from_bits(trp__read_u16(step)),
        .offset = turns ? 0 : trp__read_f32(clip->offsets + offset_index * sizeof(float)),
        .limit = turns ? ROTATION_LIMIT : TRP__VALUE_LIMIT,
    };
}

static struct component value_component(const struct trp__checked_clip *clip, uint32_t index)
{
    return (struct component){
        .step = trp__step_from_bits(trp__read_u16(clip->value_steps + index * sizeof(uint16_t))),
        .offset = trp__read_f32(clip->value_offsets + index * sizeof(float)),
        .limit = TRP__VALUE_LIMIT,
    };
}

/// Checks widths and bases of all components: the size of a row, and that no field of it can
/// decode to a value beyond the limits.
static bool check_segment_components(struct trp__check *check,
                                     const struct trp__segment_header *header,
                                     const uint8_t *stream, const struct trp__checked_clip *clip)
{
    const uint32_t joint_component_count = 3 * clip->animated_count;
    const uint32_t component_count = joint_component_count + clip->header->animated_value_count;
    uint64_t base_position = 5 * (uint64_t)component_count;
    uint64_t row_bits = 0;
    uint32_t path = 0;
    uint32_t path_end = 3u * clip->header->animated_count[0];
    for (uint32_t i = 0; i < component_count; i++) {
        while (path < TRP_PATH_PROPERTY && i == path_end) {
            path++;
            path_end += path < TRP_PATH_PROPERTY ? 3u * clip->header->animated_count[path] : 0;
        }
        const uint32_t base_bits = header->base_bits[path];
        const struct component component = path < TRP_PATH_PROPERTY
                                               ? joint_component(clip, path, i)
                                               : value_component(clip, i - joint_component_count);
        const uint8_t *const at = stream + 5 * (uint64_t)i / 8;
        const uint32_t width = read_bits(stream, 5 * (uint64_t)i, 5);
        REQUIRE(width <= TRP__MAX_WIDTH, "segment.width", at);
        row_bits += width;

        const int64_t base = read_signed_bits(stream, base_position, base_bits);
        base_position += base_bits;
        const double largest =
            trp__magnitude(component.offset) +
            component.step * (trp__magnitude((double)base) + (double)(1u << width));
        REQUIRE(largest <= component.limit, "segment.value", at);
    }
    REQUIRE(header->row_bytes == (row_bits + 7) / 8, "segment.row_bytes", &header->row_bytes);
    return true;
}

static bool check_segment(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                          uint32_t index, const struct trp__checked_clip *clip)
{
    const struct trp__segment_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "segment.short", at);
    const uint32_t first_tick = index * clip->header->ticks_per_segment;
    const uint32_t ticks_left = clip->header->tick_count - first_tick;
    const uint32_t ticks =
        ticks_left < clip->header->ticks_per_segment ? ticks_left : clip->header->ticks_per_segment;
    REQUIRE(header->first_tick == first_tick, "segment.first_tick", &header->first_tick);
    REQUIRE(header->tick_count == ticks, "segment.tick_count", &header->tick_count);
    REQUIRE(header->flags <= (TRP__SEGMENT_TICK_MASK | TRP__SEGMENT_HOLDS), "segment.flags",
            &header->flags);

    const uint64_t value_count = clip->header->animated_value_count;
    uint64_t stream_bits = 5 * (3 * (uint64_t)clip->animated_count + value_count);
    for (uint32_t path = 0; path <= TRP_PATH_PROPERTY; path++) {
        const uint64_t count = path == TRP_PATH_PROPERTY
                                   ? value_count
                                   : 3 * (uint64_t)clip->header->animated_count[path];
        REQUIRE(header->base_bits[path] <= 32, "segment.base_bits", &header->base_bits[path]);
        stream_bits += count * header->base_bits[path];
    }
    const uint32_t mask_bytes =
        header->flags & TRP__SEGMENT_TICK_MASK ? (ticks / 64 + 1) * (uint32_t)sizeof(uint64_t) : 0;
    const uint32_t hold_count = 3 * clip->header->block_count + clip->header->value_block_count;
    const uint32_t hold_bytes =
        header->flags & TRP__SEGMENT_HOLDS ? hold_count * (uint32_t)sizeof(uint16_t) : 0;
    const uint64_t rules_at = sizeof *header + mask_bytes;
    const uint64_t stream_at = rules_at + clip->rule_count + hold_bytes;
    REQUIRE(header->rows_offset >= stream_at + (stream_bits + 7) / 8, "segment.metadata",
            &header->rows_offset);
    REQUIRE(header->rows_offset + (uint64_t)header->row_count * header->row_bytes <= size_bytes,
            "segment.rows", &header->rows_offset);

    return check_segment_ticks(check, header, at + sizeof *header) &&
           check_segment_rules(check, at + rules_at, clip->rule_count) &&
           (hold_bytes == 0 ||
            check_segment_holds(check, at + rules_at + clip->rule_count, clip)) &&
           check_segment_components(check, header, at + stream_at, clip);
}

static bool check_segments(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                           const struct trp__checked_clip *clip)
{
    const struct trp__segment_entry *const entries = (const void *)(clip->header + 1);
    uint64_t used = clip->resident_bytes;
    uint64_t row_count = 0;
    for (uint32_t i = 0; i < clip->header->segment_count; i++) {
        const struct trp__segment_entry entry = entries[i];
        REQUIRE(entry.offset % 16 == 0, "segment.align", &entries[i]);
        REQUIRE(entry.offset >= used, "segment.overlap", &entries[i]);
        used = (uint64_t)entry.offset + entry.size_bytes;
        REQUIRE(used <= size_bytes, "segment.range", &entries[i]);
        const uint8_t *const segment = at + entry.offset;
        if (!check_segment(check, segment, entry.size_bytes, i, clip)) {
            return false;
        }
        row_count += ((const struct trp__segment_header *)(const void *)segment)->row_count;
    }
    REQUIRE(clip->header->row_count == row_count, "clip.row_count", &clip->header->row_count);
    const uint64_t start = clip->header->segment_count > 0 ? entries[0].offset : used;
    return trp__check_keyed(check, at, size_bytes, clip, start, used) &&
           trp__check_events_and_root_motion(check, at, size_bytes, clip, start, used);
}

static bool check_clip(struct trp__check *check, const uint8_t *at, uint32_t size_bytes)
{
    const struct trp__clip_header *const header = (const void *)at;
    REQUIRE(size_bytes >= sizeof *header, "clip.short", at);
    if (!check_clip_header(check, header)) {
        return false;
    }

    const uint16_t *const animated = header->animated_count;
    const uint16_t *const constant = header->constant_count;
    const uint32_t animated_count = (uint32_t)animated[0] + animated[1] + animated[2];
    const uint32_t last_tick = header->tick_count == 0 ? 0 : header->tick_count - 1;
    const bool is_still = animated_count == 0 && header->animated_value_count == 0;
    const uint32_t segment_count = is_still ? 0 : last_tick / header->ticks_per_segment + 1;
    REQUIRE(header->segment_count == segment_count, "clip.segment_count", &header->segment_count);
    struct trp__checked_clip clip = {.header = header, .animated_count = animated_count};
    (void)trp_pack_property_set(&check->pack, header->property_set, &clip.set);
    const uint32_t value_blocks = (clip.set.value_count + TRP_BLOCK_LANES - 1) / TRP_BLOCK_LANES;
    REQUIRE(header->value_block_count == (header->animated_value_count == 0 ? 0 : value_blocks),
            "clip.value_blocks", &header->value_block_count);

    const uint32_t constant_floats = 3u * ((uint32_t)constant[1] + constant[2]);
    const uint32_t offset_floats = 3u * ((uint32_t)animated[1] + animated[2]);
    const uint64_t masks_at =
        sizeof *header + header->segment_count * (uint64_t)sizeof(struct trp__segment_entry);
    const uint64_t rotations_at = masks_at + 9 * header->block_count * (uint64_t)sizeof(uint16_t);
    const uint64_t constants_at = rotations_at + constant[0] * sizeof(uint64_t);
    const uint64_t offsets_at = constants_at + constant_floats * sizeof(float);
    const uint64_t means_at = offsets_at + offset_floats * sizeof(float);
    const uint64_t steps_at = means_at + animated[0] * 3 * sizeof(int16_t);
    const uint64_t value_masks_at = steps_at + animated_count * sizeof(uint16_t);
    const uint64_t value_offsets_at = value_masks_at + header->value_block_count * sizeof(uint16_t);
    const uint64_t value_steps_at =
        value_offsets_at + header->animated_value_count * (uint64_t)sizeof(float);
    clip.resident_bytes =
        value_steps_at + header->animated_value_count * (uint64_t)sizeof(uint16_t);
    REQUIRE(clip.resident_bytes <= size_bytes, "clip.resident", at);

    clip.masks = (const uint16_t *)(const void *)(at + masks_at);
    clip.offsets = at + offsets_at;
    clip.steps = at + steps_at;
    clip.animated_values = at + value_masks_at;
    clip.value_offsets = at + value_offsets_at;
    clip.value_steps = at + value_steps_at;
    for (uint32_t block = 0; block < header->block_count; block++) {
        clip.rule_count += clip.masks[block] != 0;
    }

    return check_clip_masks(check, &clip) && check_clip_lanes(check, &clip) &&
           check_clip_values(check, &clip) &&
           check_clip_rotation_constants(check, at + rotations_at, constant[0]) &&
           check_clip_floats(check, at + constants_at, constant_floats, "clip.constant") &&
           check_clip_floats(check, at + offsets_at, offset_floats, "clip.offset") &&
           check_clip_rotation_means(check, at + means_at, animated[0]) &&
           check_clip_steps(check, clip.steps, animated_count) &&
           check_clip_floats(check, clip.value_offsets, header->animated_value_count,
                             "clip.offset") &&
           check_clip_steps(check, clip.value_steps, header->animated_value_count) &&
           check_segments(check, at, size_bytes, &clip);
}

// -- Packs

static bool check_everything(struct trp__check *check, uint64_t size_bytes)
{
    trp_pack *const pack = &check->pack;
    pack->bytes = check->bytes;
    pack->size_bytes = (size_t)size_bytes;
    if (!check_file(check, size_bytes) || !check_sections(check) || !check_strings(check)) {
        return false;
    }
    pack->hash = ((const struct trp__file_header *)(const void *)check->bytes)->content_hash;
    return check_objects(check, TRP__SECTION_SKELETONS, TRP_ALIGNMENT, check_skeleton,
                         &pack->skeletons, &pack->skeleton_count) &&
           check_objects(check, TRP__SECTION_SKINS, TRP_ALIGNMENT, check_skin, &pack->skins,
                         &pack->skin_count) &&
           check_objects(check, TRP__SECTION_PROPERTIES, TRP_ALIGNMENT, check_property_set,
                         &pack->property_sets, &pack->property_set_count) &&
           check_objects(check, TRP__SECTION_INSTANCES, TRP_ALIGNMENT, trp__check_instance,
                         &pack->instances, &pack->instance_count) &&
           check_objects(check, TRP__SECTION_CLIPS, 16, check_clip, &pack->clips,
                         &pack->clip_count) &&
           check_objects(check, TRP__SECTION_BLENDTREES, TRP_ALIGNMENT, trp__check_blendtree,
                         &pack->blendtrees, &pack->blendtree_count);
}

trp_result trp__pack_validate(const void *bytes, size_t size_bytes, trp_pack *pack,
                              trp_diagnostic *diagnostic)
{
    struct trp__check check = {
        .bytes = bytes,
        .diagnostic = {.index = TRP_NONE},
    };
    if (check_everything(&check, size_bytes)) {
        check.diagnostic = (trp_diagnostic){.index = TRP_NONE};
    } else {
        memset(&check.pack, 0, sizeof check.pack);
    }
    *pack = check.pack;
    *diagnostic = check.diagnostic;
    return check.diagnostic.result;
}

bool trp__clip_fits_skeleton(const trp_clip *clip, const trp_skeleton *skeleton)
{
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    const struct trp__segment_entry *const entries = (const void *)(header + 1);
    const uint8_t *const keyed = header->keyed_offset ? clip->bytes + header->keyed_offset : NULL;
    const struct trp__root_header *const root =
        header->root_offset ? (const void *)(clip->bytes + header->root_offset) : NULL;
    return header->bind_hash == skeleton->bind_hash &&
           header->block_count == skeleton->block_count &&
           mask_without_joint((const void *)(entries + header->segment_count), skeleton) == NULL &&
           (!keyed || !trp__keyed_track_without_joint(keyed, skeleton)) &&
           (!root || skeleton->joint_of_lane[root->lane] != TRP_NO_LANE);
}
