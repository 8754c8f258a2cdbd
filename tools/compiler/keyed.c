// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "keyed.h"

#include <string.h>
#include <troupe/track.h>

#include "../../src/format.h"
#include "quat.h"

/// One curve on its way into a group.
struct entry {
    const struct scene_curve *curve;
    enum scene_path path;
    uint32_t target; // lane or property
    bool is_constant;
    bool is_taken;
};

/// Curves that share key times and interpolation.
struct group {
    struct entry **entries;
    uint32_t entry_count;
    uint32_t key_count;
    uint32_t planes;
    uint32_t rotation_count;
    uint32_t scalar_count;
};

static uint32_t key_count_of(const struct entry *entry)
{
    return entry->is_constant ? 1 : entry->curve->key_count;
}

static uint32_t planes_of(const struct entry *entry)
{
    return !entry->is_constant && entry->curve->in_tangents != NULL ? 3 : 1;
}

static bool are_equal_samples(const struct scene_samples *a, const struct scene_samples *b)
{
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++) {
        if (stored_float(a->values[i]) != stored_float(b->values[i])) {
            return false;
        }
    }
    return a->count == b->count;
}

/// Whether two curves that are played alike after a key have one time curve there, as it is stored.
static bool is_equal_in_time(const struct scene_curve *a, const struct scene_curve *b, uint32_t key)
{
    switch (a->interpolations[key]) {
    case SCENE_BEZIER:
        return stored_float(a->handles[key][0]) == stored_float(b->handles[key][0]) &&
               stored_float(a->handles[key][1]) == stored_float(b->handles[key][1]);
    case SCENE_EASING:
        return a->easings[key] == b->easings[key];
    case SCENE_SAMPLED:
        return are_equal_samples(&a->samples[key], &b->samples[key]);
    default:
        return true;
    }
}

static bool are_equal_in_time(const struct scene_curve *a, const struct scene_curve *b)
{
    for (uint32_t key = 0; key + 1 < a->key_count; key++) {
        if (!is_equal_in_time(a, b, key)) {
            return false;
        }
    }
    return true;
}

static bool belong_together(const struct entry *a, const struct entry *b)
{
    const uint32_t count = key_count_of(a);
    if (count != key_count_of(b) || planes_of(a) != planes_of(b)) {
        return false;
    }
    if (count == 1) {
        return true;
    }
    return memcmp(a->curve->times, b->curve->times, count * sizeof(double)) == 0 &&
           memcmp(a->curve->interpolations, b->curve->interpolations, count - 1) == 0 &&
           are_equal_in_time(a->curve, b->curve);
}

static uint8_t mode_of(const struct scene_curve *curve, uint32_t key, bool is_slerp)
{
    switch (curve->interpolations[key]) {
    case SCENE_STEP:
        return TRP_INTERPOLATION_STEP;
    case SCENE_CUBIC:
        return TRP_INTERPOLATION_CUBIC;
    case SCENE_BEZIER:
        return TRP_INTERPOLATION_BEZIER;
    case SCENE_EASING:
        return TRP_INTERPOLATION_EASING;
    case SCENE_SAMPLED:
        return TRP_INTERPOLATION_SAMPLED;
    default:
        return is_slerp ? TRP_INTERPOLATION_SLERP : TRP_INTERPOLATION_LINEAR;
    }
}

static bool has_one_mode(const struct scene_curve *curve)
{
    for (uint32_t key = 1; key + 1 < curve->key_count; key++) {
        if (curve->interpolations[key] != curve->interpolations[0]) {
            return false;
        }
    }
    return true;
}

static bool is_bezier(const struct scene_curve *curve, uint32_t key)
{
    return key + 1 < curve->key_count && curve->interpolations[key] == SCENE_BEZIER;
}

/// Whether a plane of a key holds tangents, not a value: its own or that of a handle.
static bool holds_tangents(const struct entry *entry, uint32_t key, uint32_t plane)
{
    if (planes_of(entry) == 1 || plane == 1) {
        return false;
    }
    return plane == 0 ? key == 0 || !is_bezier(entry->curve, key - 1)
                      : !is_bezier(entry->curve, key);
}

/// Writes the value of a key, its tangent or handle, less the reference of an additive clip.
static void key_values(const struct motion *motion, const struct entry *entry, uint32_t key,
                       uint32_t plane, double *out)
{
    const struct scene_curve *const curve = entry->curve;
    const uint32_t stride = curve->stride;
    const bool is_tangent = holds_tangents(entry, key, plane);
    const double *const from = planes_of(entry) == 1 || plane == 1 ? curve->values
                               : plane == 0                        ? curve->in_tangents
                                                                   : curve->out_tangents;
    memcpy(out, from + (size_t)key * stride, stride * sizeof(double));
    if (entry->path == SCENE_PROPERTY) {
        for (uint32_t i = 0; i < stride && motion->value_reference != NULL && !is_tangent; i++) {
            out[i] -= motion->value_reference[motion->values->first_value[entry->target] + i];
        }
        return;
    }
    if (motion->reference == NULL) {
        return;
    }
    const struct scene_transform *const reference = &motion->reference[entry->target];
    if (entry->path == SCENE_ROTATION) {
        quat_relative(reference->rotation, out, out); // linear: the same for tangents
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (entry->path == SCENE_SCALE) {
            out[i] /= reference->scale[i];
        } else if (!is_tangent) {
            out[i] -= reference->translation[i];
        }
    }
}

/// Fills one plane of one key of a group: x of all rotations, y, z, w, then the scalars.
static void fill_plane(const struct motion *motion, const struct group *group, uint32_t key,
                       uint32_t plane, double *wide, float *out)
{
    uint32_t rotation = 0;
    uint32_t scalar = 4 * group->rotation_count;
    for (uint32_t i = 0; i < group->entry_count; i++) {
        const struct entry *const entry = group->entries[i];
        key_values(motion, entry, key, plane, wide);
        if (entry->path == SCENE_ROTATION) {
            for (uint32_t c = 0; c < 4; c++) {
                out[c * group->rotation_count + rotation] = stored_float(wide[c]);
            }
            rotation++;
            continue;
        }
        for (uint32_t c = 0; c < entry->curve->stride; c++) {
            out[scalar++] = stored_float(wide[c]);
        }
    }
}

/// Appends the samples after a key, or finds those of an earlier key that are the same.
static struct trp__key_curve append_samples(const struct scene_curve *curve, uint32_t key,
                                            const struct trp__key_curve *earlier, size_t start,
                                            struct buffer *buffer)
{
    const struct scene_samples *const samples = &curve->samples[key];
    for (uint32_t i = 0; i < key; i++) {
        if (curve->interpolations[i] == SCENE_SAMPLED &&
            are_equal_samples(&curve->samples[i], samples)) {
            return earlier[i];
        }
    }
    const struct trp__key_curve appended = {
        .table = (uint32_t)(buffer->size - start),
        .count = samples->count,
    };
    for (uint32_t i = 0; i < samples->count; i++) {
        const float sample = stored_float(samples->values[i]);
        buffer_append(buffer, &sample, sizeof sample);
    }
    return appended;
}

/// Appends the time curves of a curve's intervals, if it has any.
/// @return where they start, 0 where there are none
static uint32_t append_curves(const struct scene_curve *curve, size_t start, struct buffer *buffer)
{
    const uint32_t count = curve->key_count;
    struct arena arena = {0};
    bool has_curves = false;
    for (uint32_t key = 0; key + 1 < count; key++) {
        has_curves |= curve->interpolations[key] >= SCENE_BEZIER;
    }
    if (!has_curves) {
        return 0;
    }
    struct trp__key_curve *const curves = ARENA_NEW(&arena, struct trp__key_curve, count);
    buffer_align(buffer, 4);
    const size_t at = buffer_append(buffer, curves, count * sizeof *curves);
    for (uint32_t key = 0; key + 1 < count; key++) {
        if (curve->interpolations[key] == SCENE_BEZIER) {
            curves[key].x[0] = stored_float(curve->handles[key][0]);
            curves[key].x[1] = stored_float(curve->handles[key][1]);
        } else if (curve->interpolations[key] == SCENE_EASING) {
            curves[key].easing = curve->easings[key];
        } else if (curve->interpolations[key] == SCENE_SAMPLED) {
            curves[key] = append_samples(curve, key, curves, start, buffer);
        }
    }
    memcpy(buffer->bytes + at, curves, count * sizeof *curves);
    arena_free(&arena);
    return (uint32_t)(at - start);
}

/// Appends the arrays of a group and fills its header.
static void append_group(const struct motion *motion, const struct group *group, bool is_slerp,
                         size_t start, struct buffer *buffer, struct trp__key_group *header)
{
    static const double zero;
    const struct scene_curve *const curve = group->entries[0]->curve;
    const bool is_constant = group->key_count == 1;
    struct arena arena = {0};
    header->key_count = group->key_count;
    header->rotation_count = group->rotation_count;
    header->scalar_count = group->scalar_count;
    header->track_count = group->entry_count;
    header->planes = (uint8_t)group->planes;
    header->interpolation = is_constant ? TRP_INTERPOLATION_LINEAR : mode_of(curve, 0, is_slerp);
    buffer_align(buffer, 8);
    header->times = (uint32_t)(buffer->size - start);
    buffer_append(buffer, is_constant ? &zero : curve->times, group->key_count * sizeof(double));
    header->values = (uint32_t)(buffer->size - start);
    const uint32_t components = 4 * group->rotation_count + group->scalar_count;
    double *const wide = ARENA_NEW(&arena, double, components);
    float *const plane_values = ARENA_NEW(&arena, float, components);
    for (uint32_t key = 0; key < group->key_count; key++) {
        for (uint32_t plane = 0; plane < group->planes; plane++) {
            fill_plane(motion, group, key, plane, wide, plane_values);
            buffer_append(buffer, plane_values, components * sizeof(float));
        }
    }
    if (!is_constant && !has_one_mode(curve)) {
        header->modes = (uint32_t)(buffer->size - start);
        for (uint32_t key = 0; key < group->key_count; key++) {
            const uint8_t mode = key + 1 < group->key_count ? mode_of(curve, key, is_slerp) : 0;
            buffer_append(buffer, &mode, 1);
        }
    }
    if (!is_constant) {
        header->curves = append_curves(curve, start, buffer);
    }
    arena_free(&arena);
}

/// Lists the curves that are keyed.
static uint32_t list_entries(const struct motion *motion, const bool *is_keyed,
                             struct entry *entries)
{
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    uint32_t count = 0;
    for (uint32_t i = 0; i < motion_curve_count(motion); i++) {
        const struct scene_curve *const curve = motion_curve(motion, i);
        if (curve == NULL || !is_keyed[i]) {
            continue;
        }
        const enum scene_path path = i < joint_curves ? (enum scene_path)(i % 3) : SCENE_PROPERTY;
        // A key before the clip has a meaning of its own: what it says has not started yet.
        const bool is_still = !curve_has_initial(curve) && curve_is_constant(curve, path);
        entries[count++] = (struct entry){
            .curve = curve,
            .path = path,
            .target = i < joint_curves ? i / 3 : i - joint_curves,
            .is_constant = curve->key_count == 1 || is_still,
        };
    }
    return count;
}

/// Collects into a group all curves that belong with the first one not taken yet.
static void collect_group(struct entry *entries, uint32_t count, uint32_t first,
                          struct group *group)
{
    *group = (struct group){
        .entries = group->entries,
        .key_count = key_count_of(&entries[first]),
        .planes = planes_of(&entries[first]),
    };
    // By path, then target: what is written together lies together.
    for (uint32_t i = 0; i < 4 * count; i++) {
        struct entry *const entry = &entries[i % count];
        if (entry->is_taken || (uint32_t)entry->path != i / count ||
            !belong_together(&entries[first], entry)) {
            continue;
        }
        entry->is_taken = true;
        group->entries[group->entry_count++] = entry;
        if (entry->path == SCENE_ROTATION) {
            group->rotation_count++;
        } else {
            group->scalar_count += entry->curve->stride;
        }
    }
}

/// Fills the tracks of a group.
static void fill_tracks(const struct group *group, uint32_t group_index,
                        struct trp__keyed_track *tracks)
{
    uint32_t rotation = 0;
    uint32_t scalar = 0;
    for (uint32_t i = 0; i < group->entry_count; i++) {
        const struct entry *const entry = group->entries[i];
        tracks[i] = (struct trp__keyed_track){
            .target = entry->target,
            .first = entry->path == SCENE_ROTATION ? rotation : scalar,
            .stride = entry->curve->stride,
            .group = group_index,
            .path = (uint8_t)entry->path,
        };
        if (entry->path == SCENE_ROTATION) {
            rotation++;
        } else {
            scalar += entry->curve->stride;
        }
    }
}

uint32_t keyed_encode(const struct motion *motion, const bool *is_keyed, bool is_slerp,
                      struct buffer *buffer)
{
    struct arena arena = {0};
    struct entry *const entries = ARENA_NEW(&arena, struct entry, motion_curve_count(motion));
    const uint32_t count = list_entries(motion, is_keyed, entries);
    if (count == 0) {
        arena_free(&arena);
        return 0;
    }
    struct group *const groups = ARENA_NEW(&arena, struct group, count);
    struct trp__key_group *const headers = ARENA_NEW(&arena, struct trp__key_group, count);
    struct trp__keyed_track *const tracks = ARENA_NEW(&arena, struct trp__keyed_track, count);
    struct entry **const members = ARENA_NEW(&arena, struct entry *, count); // group after group
    struct trp__keyed_header header = {.track_count = count};
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].is_taken) {
            continue;
        }
        struct group *const group = &groups[header.group_count];
        group->entries = members + filled;
        collect_group(entries, count, i, group);
        headers[header.group_count].first_track = filled;
        fill_tracks(group, header.group_count, tracks + filled);
        header.component_count += 4 * group->rotation_count + group->scalar_count;
        filled += group->entry_count;
        header.group_count++;
    }
    buffer_align(buffer, 16);
    const size_t start = buffer_append(buffer, &header, sizeof header);
    const size_t table = buffer_append(buffer, headers, header.group_count * sizeof *headers);
    buffer_append(buffer, tracks, count * sizeof *tracks);
    for (uint32_t i = 0; i < header.group_count; i++) {
        append_group(motion, &groups[i], is_slerp, start, buffer, &headers[i]);
    }
    buffer_align(buffer, 16);
    header.size_bytes = (uint32_t)(buffer->size - start);
    memcpy(buffer->bytes + start, &header, sizeof header);
    memcpy(buffer->bytes + table, headers, header.group_count * sizeof *headers);
    arena_free(&arena);
    return (uint32_t)start;
}

uint32_t keyed_bytes(const struct scene_curve *curve)
{
    const uint32_t planes = curve->in_tangents != NULL ? 3 : 1;
    // Curves seldom go with those of another, and drawn ones are shared by many keys.
    const bool has_curves =
        curve->handles != NULL || curve->easings != NULL || curve->samples != NULL;
    const uint32_t curves = has_curves ? sizeof(struct trp__key_curve) : 0;
    return curve->key_count * (curve->stride * planes * 4 + curves) +
           (uint32_t)sizeof(struct trp__keyed_track);
}
