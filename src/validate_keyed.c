// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Checks of the keyed part of a clip. As in validate.c, each trusts only what the ones before it
// have checked. No array is looked at more often than there are bytes to look at, whatever the
// offsets say: see keyed.arrays and keyed.tables.
#include "check.h"
#include "easing.h"

/// Handles and tangents of rotations stay below this, so that squares are finite.
#define ROTATION_LIMIT 1e15

/// Key times stay below this: the difference of two is a float.
#define TIME_LIMIT 1e15

/// Entries of sampled curves in one keyed part.
#define MAX_TABLE_ENTRIES (1u << 24)

#define MAX_LANES (TRP__MAX_BLOCKS * TRP_BLOCK_LANES)

_Static_assert(MAX_LANES >= TRP__MAX_VALUES, "a bit for every target");

struct keyed {
    const struct trp__checked_clip *clip;
    const uint8_t *bytes;
    const struct trp__keyed_header *header;
    const struct trp__key_group *groups;
    const struct trp__keyed_track *tracks;
    uint64_t arrays_at;   // where they may begin
    uint64_t array_bytes; // of those seen so far
    uint64_t table_entries;
    bool has_steps_alone;             // the group whose tracks are being checked
    bool has_initial;                 // likewise: its first key is before the clip
    uint64_t seen[4][MAX_LANES / 64]; // targets of tracks so far, by path
};

static uint32_t component_count(const struct trp__key_group *group)
{
    return 4 * group->rotation_count + group->scalar_count;
}

/// Checks that an array of at most 2^62 bytes lies where it may.
static bool check_array(struct trp__check *check, struct keyed *keyed, const uint32_t *offset,
                        uint64_t alignment, uint64_t size_bytes)
{
    REQUIRE(*offset % alignment == 0 && *offset >= keyed->arrays_at &&
                *offset <= keyed->header->size_bytes &&
                size_bytes <= keyed->header->size_bytes - *offset,
            "keyed.array", offset);
    keyed->array_bytes += size_bytes;
    REQUIRE(keyed->array_bytes <= keyed->header->size_bytes, "keyed.arrays", offset);
    return true;
}

static bool check_group_arrays(struct trp__check *check, struct keyed *keyed,
                               const struct trp__key_group *group)
{
    const uint64_t limit = keyed->header->size_bytes;
    const uint64_t components = 4 * (uint64_t)group->rotation_count + group->scalar_count;
    const uint64_t keys = group->key_count;
    REQUIRE(keys >= 1 && keys <= limit, "keyed.keys", &group->key_count);
    REQUIRE(components >= 1 && components <= limit, "keyed.components", &group->rotation_count);
    REQUIRE(group->planes == 1 || group->planes == 3, "keyed.planes", &group->planes);
    // In bytes of the part, which are below 2^32: no product overflows.
    const uint64_t value_bytes = components * group->planes * sizeof(float);
    REQUIRE(value_bytes <= limit, "keyed.components", &group->rotation_count);
    return check_array(check, keyed, &group->times, sizeof(double), keys * sizeof(double)) &&
           check_array(check, keyed, &group->values, sizeof(float), keys * value_bytes) &&
           (group->modes == 0 || check_array(check, keyed, &group->modes, 1, keys)) &&
           (group->curves == 0 || check_array(check, keyed, &group->curves, sizeof(float),
                                              keys * sizeof(struct trp__key_curve)));
}

static bool check_times(struct trp__check *check, const double *times, uint32_t count)
{
    const bool has_initial = times[0] == TRP__INITIAL_TIME_S && count > 1;
    REQUIRE((times[0] >= 0 || has_initial) && times[0] <= TIME_LIMIT, "keyed.time", &times[0]);
    for (uint32_t i = 1; i < count; i++) {
        REQUIRE(times[i] > times[i - 1] && times[i] >= 0 && times[i] <= TIME_LIMIT, "keyed.time",
                &times[i]);
    }
    return true;
}

// -- Intervals

static bool check_table(struct trp__check *check, struct keyed *keyed,
                        const struct trp__key_curve *curve)
{
    REQUIRE(curve->count >= 2 && curve->table % sizeof(float) == 0 &&
                curve->table >= keyed->arrays_at &&
                curve->table + curve->count * (uint64_t)sizeof(float) <= keyed->header->size_bytes,
            "keyed.curve", curve);
    keyed->table_entries += curve->count;
    REQUIRE(keyed->table_entries <= MAX_TABLE_ENTRIES, "keyed.tables", curve);
    const float *const table = (const void *)(keyed->bytes + curve->table);
    for (uint32_t i = 0; i < curve->count; i++) {
        REQUIRE(trp__magnitude(table[i]) <= TRP__SAMPLE_LIMIT, "keyed.table", &table[i]);
    }
    return true;
}

static bool is_in_unit(float value)
{
    return value >= 0 && value <= 1;
}

/// Checks how one interval is played. `at` is where that is said.
static bool check_interval(struct trp__check *check, struct keyed *keyed,
                           const struct trp__key_group *group, uint32_t interval, const uint8_t *at)
{
    REQUIRE(*at <= TRP_INTERPOLATION_SAMPLED, "keyed.interpolation", at);
    const bool is_cubic = *at == TRP_INTERPOLATION_CUBIC || *at == TRP_INTERPOLATION_BEZIER;
    REQUIRE(!is_cubic || group->planes == 3, "keyed.interpolation", at);
    if (*at < TRP_INTERPOLATION_BEZIER) {
        return true;
    }
    REQUIRE(group->curves != 0, "keyed.interpolation", at);
    const struct trp__key_curve *const curve =
        (const struct trp__key_curve *)(const void *)(keyed->bytes + group->curves) + interval;
    if (*at == TRP_INTERPOLATION_SAMPLED) {
        return check_table(check, keyed, curve);
    }
    REQUIRE(*at == TRP_INTERPOLATION_EASING ? curve->easing < TRP__EASING_COUNT
                                            : is_in_unit(curve->x[0]) && is_in_unit(curve->x[1]),
            "keyed.curve", curve);
    return true;
}

static bool check_intervals(struct trp__check *check, struct keyed *keyed,
                            const struct trp__key_group *group)
{
    const uint8_t *const modes = keyed->bytes + group->modes;
    REQUIRE(group->interpolation <= TRP_INTERPOLATION_SAMPLED, "keyed.interpolation",
            &group->interpolation);
    for (uint32_t i = 0; i + 1 < group->key_count; i++) {
        const uint8_t *const at = group->modes == 0 ? &group->interpolation : &modes[i];
        if (!check_interval(check, keyed, group, i, at)) {
            return false;
        }
    }
    REQUIRE(group->modes == 0 || group->key_count == 1 || modes[0] == group->interpolation,
            "keyed.interpolation", &group->interpolation);
    return true;
}

// -- Values

/// Checks one plane of one key; what it holds may be multiplied with `factor`.
static bool check_plane(struct trp__check *check, const struct trp__key_group *group,
                        const float *plane, double factor)
{
    const uint32_t rotation_floats = 4 * group->rotation_count;
    for (uint32_t i = 0; i < component_count(group); i++) {
        const double limit = i < rotation_floats ? ROTATION_LIMIT : TRP__VALUE_LIMIT;
        REQUIRE(trp__magnitude(plane[i]) * factor <= limit, "keyed.value", &plane[i]);
    }
    return true;
}

static bool check_rotations(struct trp__check *check, const struct trp__key_group *group,
                            const float *plane)
{
    for (uint32_t rotation = 0; rotation < group->rotation_count; rotation++) {
        double length = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const double value = plane[i * (size_t)group->rotation_count + rotation];
            length += value * value;
        }
        REQUIRE(length >= 0.999 * 0.999 && length <= 1.001 * 1.001, "keyed.rotation",
                &plane[rotation]);
    }
    return true;
}

/// Tangents are multiplied with the length of the interval that they belong to.
static double tangent_factor(const double *times, uint32_t from, uint32_t to)
{
    const double length = times[to] - times[from];
    return length > 1 ? length : 1;
}

static bool check_values(struct trp__check *check, const struct keyed *keyed,
                         const struct trp__key_group *group)
{
    const double *const times = (const void *)(keyed->bytes + group->times);
    const float *at = (const void *)(keyed->bytes + group->values);
    for (uint32_t i = 0; i < group->key_count; i++) {
        const uint32_t before = i == 0 ? 0 : i - 1;
        const uint32_t after = i + 1 == group->key_count ? i : i + 1;
        if (group->planes == 3) {
            if (!check_plane(check, group, at, tangent_factor(times, before, i))) {
                return false;
            }
            at += component_count(group);
        }
        if (!check_plane(check, group, at, 1) || !check_rotations(check, group, at)) {
            return false;
        }
        at += component_count(group);
        if (group->planes == 3) {
            if (!check_plane(check, group, at, tangent_factor(times, i, after))) {
                return false;
            }
            at += component_count(group);
        }
    }
    return true;
}

// -- Tracks

static bool has_steps_alone(const struct keyed *keyed, const struct trp__key_group *group)
{
    const uint8_t *const modes = keyed->bytes + group->modes;
    for (uint32_t i = 0; group->modes != 0 && i + 1 < group->key_count; i++) {
        if (modes[i] != TRP_INTERPOLATION_STEP) {
            return false;
        }
    }
    return group->interpolation == TRP_INTERPOLATION_STEP || group->key_count == 1;
}

/// Checks a track of a property, whose group is known to be good.
static bool check_property_track(struct trp__check *check, const struct keyed *keyed,
                                 const struct trp__keyed_track *track)
{
    trp_property property;
    REQUIRE(trp_property_set_property(&keyed->clip->set, track->target, &property) == TRP_OK,
            "keyed.target", &track->target);
    REQUIRE(track->stride == property.value_count, "keyed.stride", &track->stride);
    REQUIRE(property.type == TRP_PROPERTY_FLOAT || keyed->has_steps_alone, "keyed.step", track);
    const uint8_t *const masks = keyed->clip->animated_values;
    for (uint32_t i = 0; keyed->clip->header->value_block_count > 0 && i < track->stride; i++) {
        const uint32_t value = property.first_value + i;
        const uint8_t *const mask = masks + value / TRP_BLOCK_LANES * sizeof(uint16_t);
        REQUIRE((trp__read_u16(mask) >> value % TRP_BLOCK_LANES & 1) == 0, "keyed.dense", track);
    }
    return true;
}

static bool check_joint_track(struct trp__check *check, const struct keyed *keyed,
                              const struct trp__keyed_track *track)
{
    const uint32_t block_count = keyed->clip->header->block_count;
    const uint32_t block = track->target / TRP_BLOCK_LANES;
    REQUIRE(block < block_count, "keyed.target", &track->target);
    REQUIRE(!keyed->has_initial, "keyed.initial", track);
    REQUIRE(track->stride == (track->path == TRP_PATH_ROTATION ? 4 : 3), "keyed.stride",
            &track->stride);
    const uint32_t mask = keyed->clip->masks[track->path * block_count + block];
    REQUIRE((mask >> track->target % TRP_BLOCK_LANES & 1) == 0, "keyed.dense", track);
    return true;
}

static bool check_track(struct trp__check *check, struct keyed *keyed, uint32_t group_index,
                        const struct trp__keyed_track *track)
{
    const struct trp__key_group *const group = &keyed->groups[group_index];
    REQUIRE(track->group == group_index, "keyed.order", &track->group);
    REQUIRE(track->path <= TRP_PATH_PROPERTY, "keyed.path", &track->path);
    if (!(track->path == TRP_PATH_PROPERTY ? check_property_track(check, keyed, track)
                                           : check_joint_track(check, keyed, track))) {
        return false;
    }
    REQUIRE(track->path == TRP_PATH_ROTATION
                ? track->first < group->rotation_count
                : track->first + (uint64_t)track->stride <= group->scalar_count,
            "keyed.first", &track->first);
    uint64_t *const seen = &keyed->seen[track->path][track->target / 64];
    const uint64_t bit = (uint64_t)1 << track->target % 64;
    REQUIRE((*seen & bit) == 0, "keyed.twice", track);
    *seen |= bit;
    return true;
}

static bool check_group(struct trp__check *check, struct keyed *keyed, uint32_t index,
                        uint32_t first_track)
{
    const struct trp__key_group *const group = &keyed->groups[index];
    if (!check_group_arrays(check, keyed, group)) {
        return false;
    }
    const double *const times = (const void *)(keyed->bytes + group->times);
    REQUIRE(group->first_track == first_track &&
                group->track_count <= keyed->header->track_count - first_track,
            "keyed.order", &group->first_track);
    if (!check_times(check, times, group->key_count) || !check_intervals(check, keyed, group) ||
        !check_values(check, keyed, group)) {
        return false;
    }
    keyed->has_steps_alone = has_steps_alone(keyed, group); // once: tracks and keys may be many
    keyed->has_initial = times[0] < 0;
    for (uint32_t i = 0; i < group->track_count; i++) {
        if (!check_track(check, keyed, index, &keyed->tracks[first_track + i])) {
            return false;
        }
    }
    return true;
}

// -- The whole part

const void *trp__keyed_track_without_joint(const uint8_t *bytes, const trp_skeleton *skeleton)
{
    const struct trp__keyed_header *const header = (const void *)bytes;
    const struct trp__key_group *const groups = (const void *)(header + 1);
    const struct trp__keyed_track *const tracks = (const void *)(groups + header->group_count);
    for (uint32_t i = 0; i < header->track_count; i++) {
        if (tracks[i].path != TRP_PATH_PROPERTY &&
            skeleton->joint_of_lane[tracks[i].target] == TRP_NO_LANE) {
            return &tracks[i];
        }
    }
    return NULL;
}

/// Checks that only lanes that hold a joint have tracks. Where the skeleton lies elsewhere,
/// trp_clip_bind does, with trp__clip_fits_skeleton.
static bool check_lanes(struct trp__check *check, const struct keyed *keyed)
{
    trp_skeleton skeleton;
    const uint32_t index = keyed->clip->header->skeleton;
    if (trp_pack_skeleton(&check->pack, index, &skeleton) == TRP_OK) {
        const void *const track = trp__keyed_track_without_joint(keyed->bytes, &skeleton);
        REQUIRE(track == NULL, "keyed.lane", track);
    }
    return true;
}

static bool check_groups(struct trp__check *check, struct keyed *keyed)
{
    uint32_t first_track = 0;
    uint64_t components = 0;
    for (uint32_t i = 0; i < keyed->header->group_count; i++) {
        if (!check_group(check, keyed, i, first_track)) {
            return false;
        }
        first_track += keyed->groups[i].track_count;
        components += component_count(&keyed->groups[i]);
    }
    REQUIRE(first_track == keyed->header->track_count, "keyed.order", &keyed->header->track_count);
    REQUIRE(components == keyed->header->component_count, "keyed.component_count",
            &keyed->header->component_count);
    return true;
}

bool trp__check_keyed(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                      const struct trp__checked_clip *clip, uint64_t segments_start,
                      uint64_t segments_end)
{
    const uint32_t *const offset = &clip->header->keyed_offset;
    if (*offset == 0) {
        return true;
    }
    REQUIRE(*offset % 16 == 0, "keyed.align", offset);
    REQUIRE(*offset >= clip->resident_bytes && *offset <= size_bytes &&
                size_bytes - *offset >= sizeof(struct trp__keyed_header),
            "keyed.range", offset);
    const struct trp__keyed_header *const header = (const void *)(at + *offset);
    REQUIRE(header->size_bytes <= size_bytes - *offset, "keyed.range", &header->size_bytes);
    REQUIRE(*offset >= segments_end || *offset + (uint64_t)header->size_bytes <= segments_start,
            "keyed.overlap", offset);
    const uint64_t tracks_at =
        sizeof *header + header->group_count * (uint64_t)sizeof(struct trp__key_group);
    struct keyed keyed = {
        .clip = clip,
        .bytes = (const uint8_t *)header,
        .header = header,
        .groups = (const void *)(header + 1),
        .arrays_at = tracks_at + header->track_count * (uint64_t)sizeof(struct trp__keyed_track),
    };
    REQUIRE(keyed.arrays_at <= header->size_bytes, "keyed.size", &header->size_bytes);
    keyed.tracks = (const void *)(keyed.bytes + tracks_at);
    return check_groups(check, &keyed) && check_lanes(check, &keyed);
}
