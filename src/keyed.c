// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "keyed.h"

#include "easing.h"
#include "slerp.h"

struct trp__keyed trp__keyed_of(const uint8_t *bytes)
{
    if (!bytes) {
        return (struct trp__keyed){0};
    }
    const struct trp__keyed_header *const header = (const void *)bytes;
    const struct trp__key_group *const groups = (const void *)(header + 1);
    return (struct trp__keyed){
        .bytes = bytes,
        .group_count = header->group_count,
        .track_count = header->track_count,
        .component_count = header->component_count,
        .groups = groups,
        .tracks = (const void *)(groups + header->group_count),
    };
}

trp_interpolation trp__key_interpolation(const struct trp__keyed *keyed,
                                         const struct trp__key_group *group, uint32_t key)
{
    const uint32_t mode =
        group->modes ? keyed->bytes[group->modes + key] : (uint32_t)group->interpolation;
    return (trp_interpolation)mode;
}

// -- Sources

// Field by field: a source is read right after it is filled, and wide copies of what was just
// written in parts make the processor wait.
static inline void set_source(struct trp__key_source *source, const struct trp__keyed *keyed,
                              const struct trp__key_group *group)
{
    const size_t component_count = 4 * (size_t)group->rotation_count + group->scalar_count;
    const float *const values = (const void *)(keyed->bytes + group->values);
    const size_t value_plane = group->planes / 2; // of one, or the middle one of three
    source->keyed = keyed;
    source->group = group;
    source->times = (const void *)(keyed->bytes + group->times);
    source->values = values + value_plane * component_count;
    source->key_stride = group->planes * component_count;
    source->component_count = component_count;
}

void trp__key_source_set_group(struct trp__key_source *source, const struct trp__keyed *keyed,
                               const struct trp__key_group *group)
{
    set_source(source, keyed, group);
    source->rotation_count = group->rotation_count;
    source->scalar_offset = 4 * group->rotation_count;
    source->scalar_count = group->scalar_count;
}

void trp__key_source_set_track(struct trp__key_source *source, const struct trp__keyed *keyed,
                               const trp_track *track)
{
    const struct trp__key_group *const group = &keyed->groups[track->group];
    const uint32_t is_rotation = track->path == TRP_PATH_ROTATION;
    set_source(source, keyed, group);
    source->values += (is_rotation ? 0 : 4 * (size_t)group->rotation_count) + track->first;
    source->rotation_count = is_rotation;
    source->scalar_offset = 0;
    source->scalar_count = is_rotation ? 0 : track->stride;
}

// -- Time curves

static void set_cubic_weights(const struct trp__key_place *place, float weight[4])
{
    const float u = (float)place->u;
    const float d = (float)place->interval;
    const float u2 = u * u;
    const float u3 = u2 * u;
    weight[0] = (2.0f * u3 - 3.0f * u2) + 1.0f;
    weight[1] = ((u3 - 2.0f * u2) + u) * d;
    weight[2] = 3.0f * u2 - 2.0f * u3;
    weight[3] = (u3 - u2) * d;
}

static const struct trp__key_curve *curve_after(const struct trp__key_source *source, uint32_t key)
{
    const struct trp__key_curve *const curves =
        (const void *)(source->keyed->bytes + source->group->curves);
    return curves + key;
}

static void set_bezier_weights(const struct trp__key_source *source,
                               const struct trp__key_place *place, float weight[4])
{
    const double s = trp__bezier_parameter(curve_after(source, place->key)->x, place->u);
    const double r = 1 - s;
    weight[0] = (float)(r * r * r);
    weight[1] = (float)(3 * r * r * s);
    weight[2] = (float)(s * s * s);
    weight[3] = (float)(3 * r * s * s);
}

/// Returns the part of the way that is done at a place along a curve.
static double curved_part(const struct trp__key_source *source, const struct trp__key_place *place,
                          trp_interpolation interpolation)
{
    const struct trp__key_curve *const curve = curve_after(source, place->key);
    if (interpolation == TRP_INTERPOLATION_EASING) {
        return trp__ease(curve->easing, place->u);
    }
    const float *const table = (const void *)(source->keyed->bytes + curve->table);
    return trp__sampled_curve(table, curve->count, place->u);
}

// -- Batches

void trp__key_batch_finish(struct trp__key_batch *batch)
{
    if (batch->strip.lane_count > 0) {
        batch->kernels->keyed(&batch->strip);
        batch->strip.lane_count = 0;
    }
}

/// Says whether the next lane fits the strip that is being filled.
static inline int is_fitting(const struct trp__key_strip *strip,
                             const struct trp__key_source *source, uint32_t rotation_count,
                             uint32_t scalar_count, uint32_t out_stride, uint32_t is_sum)
{
    return strip->lane_count - 1 < TRP__KEY_LANES - 1 && // neither empty nor full
           strip->is_sum == is_sum && strip->rotation_count == rotation_count &&
           strip->rotation_stride == source->group->rotation_count &&
           strip->scalar_offset == source->scalar_offset && strip->scalar_count == scalar_count &&
           strip->out_stride == out_stride;
}

/// Adds a lane; returns which.
static inline uint32_t add_lane(struct trp__key_batch *batch, const struct trp__key_source *source,
                                uint32_t rotation_count, uint32_t scalar_count, uint32_t out_stride,
                                uint32_t is_sum)
{
    struct trp__key_strip *const strip = &batch->strip;
    if (!is_fitting(strip, source, rotation_count, scalar_count, out_stride, is_sum)) {
        trp__key_batch_finish(batch);
        strip->is_sum = is_sum;
        strip->rotation_count = rotation_count;
        strip->rotation_stride = source->group->rotation_count;
        strip->scalar_offset = source->scalar_offset;
        strip->scalar_count = scalar_count;
        strip->out_stride = out_stride;
    }
    return strip->lane_count++;
}

/// Turns rotations at constant speed, instead of the kernel.
static void slerp_rotations(const struct trp__key_source *source, const float *value0,
                            const float *value1, double u, float *rotations, uint32_t out_stride)
{
    const size_t stride = source->group->rotation_count;
    for (uint32_t i = 0; i < source->rotation_count; i++) {
        float q0[4];
        float q1[4];
        float q[4];
        for (size_t j = 0; j < 4; j++) {
            q0[j] = value0[j * stride + i];
            q1[j] = value1[j * stride + i];
        }
        trp__slerp(q0, q1, u, q);
        for (size_t j = 0; j < 4; j++) {
            rotations[j * out_stride + i] = q[j];
        }
    }
}

/// Eases scalars, instead of the kernel: in double precision, so that each is the float nearest to
/// what its source says, and a few at a time, so that vectors would be no faster.
static void ease_scalars(const struct trp__key_source *source, const float *value0,
                         const float *value1, double part, float *scalars)
{
    const float *const from = value0 + source->scalar_offset;
    const float *const to = value1 + source->scalar_offset;
    for (uint32_t i = 0; i < source->scalar_count; i++) {
        scalars[i] = (float)(from[i] + part * ((double)to[i] - from[i]));
    }
}

static void add_sum(struct trp__key_batch *batch, const struct trp__key_source *source,
                    const struct trp__key_place *place, const float *value0,
                    trp_interpolation interpolation, float *rotations, uint32_t out_stride,
                    float *scalars)
{
    float weight[4];
    if (interpolation == TRP_INTERPOLATION_CUBIC) {
        set_cubic_weights(place, weight);
    } else {
        set_bezier_weights(source, place, weight);
    }
    const uint32_t lane =
        add_lane(batch, source, source->rotation_count, source->scalar_count, out_stride, 1);
    struct trp__key_strip *const strip = &batch->strip;
    strip->value0[lane] = value0;
    strip->value1[lane] = value0 + source->key_stride;
    strip->leaving0[lane] = value0 + source->component_count;
    strip->arriving1[lane] = value0 + source->key_stride - source->component_count;
    strip->rotations[lane] = rotations;
    strip->scalars[lane] = scalars;
    for (uint32_t i = 0; i < 4; i++) {
        strip->weight[i][lane] = weight[i];
    }
}

static inline void add(struct trp__key_batch *batch, const struct trp__key_source *source,
                       const struct trp__key_place *place, float *rotations, uint32_t out_stride,
                       float *scalars)
{
    const float *const value0 = source->values + place->key * source->key_stride;
    const float *value1 = value0;
    uint32_t rotation_count = source->rotation_count;
    uint32_t scalar_count = source->scalar_count;
    double u = 0;
    if (place->u > 0) { // else the key's own value
        const trp_interpolation interpolation =
            trp__key_interpolation(source->keyed, source->group, place->key);
        switch (interpolation) {
        case TRP_INTERPOLATION_STEP:
            break;
        case TRP_INTERPOLATION_LINEAR:
            u = place->u;
            value1 = value0 + source->key_stride;
            break;
        case TRP_INTERPOLATION_SLERP:
            u = place->u;
            value1 = value0 + source->key_stride;
            slerp_rotations(source, value0, value1, place->u, rotations, out_stride);
            rotation_count = 0;
            break;
        case TRP_INTERPOLATION_CUBIC:
        case TRP_INTERPOLATION_BEZIER:
            add_sum(batch, source, place, value0, interpolation, rotations, out_stride, scalars);
            return;
        case TRP_INTERPOLATION_EASING:
        case TRP_INTERPOLATION_SAMPLED:
            u = curved_part(source, place, interpolation);
            value1 = value0 + source->key_stride;
            ease_scalars(source, value0, value1, u, scalars);
            scalar_count = 0;
            if (rotation_count == 0) {
                return;
            }
            break;
        }
    }
    const uint32_t lane = add_lane(batch, source, rotation_count, scalar_count, out_stride, 0);
    struct trp__key_strip *const strip = &batch->strip;
    strip->u[lane] = (float)u;
    strip->value0[lane] = value0;
    strip->value1[lane] = value1;
    strip->rotations[lane] = rotations;
    strip->scalars[lane] = scalars;
}

void trp__key_batch_add(struct trp__key_batch *batch, const struct trp__key_source *source,
                        const struct trp__key_place *place, float *rotations, uint32_t out_stride,
                        float *scalars)
{
    add(batch, source, place, rotations, out_stride, scalars);
}

// -- Whole clips

void trp__keyed_evaluate(const struct trp__keyed *keyed, const struct trp__kernels *kernels,
                         const struct trp__key_instance *instances, uint32_t instance_count,
                         float *components)
{
    struct trp__key_batch batch;
    trp__key_batch_start(&batch, kernels);
    float *first = components;
    for (uint32_t i = 0; i < keyed->group_count; i++) {
        struct trp__key_source source;
        trp__key_source_set_group(&source, keyed, &keyed->groups[i]);
        const double *const times = source.times;
        const uint32_t key_count = source.group->key_count;
        for (uint32_t j = 0; j < instance_count; j++) {
            uint32_t own_cursor = 0;
            uint32_t *const cursor = instances[j].cursors ? &instances[j].cursors[i] : &own_cursor;
            const struct trp__key_place place =
                trp__key_find(times, key_count, instances[j].time_s, cursor);
            float *const out = first + j * (size_t)keyed->component_count;
            add(&batch, &source, &place, out, source.group->rotation_count,
                out + source.scalar_offset);
        }
        first += source.component_count;
    }
    trp__key_batch_finish(&batch);
}

/// Tracks of one path whose lanes and components follow each other.
struct track_run {
    const struct trp__keyed_track *first;
    uint32_t count;
};

static struct track_run run_from(const struct trp__keyed_track *track, uint32_t count)
{
    const uint32_t step = track->path == TRP_PATH_ROTATION ? 1 : track->stride;
    uint32_t i = 1;
    while (i < count && track[i].path == track->path && track[i].target == track->target + i &&
           track[i].first == track->first + i * step) {
        i++;
    }
    return (struct track_run){track, i};
}

/// Copies one plane of rotations; whole blocks are worth knowing the size of.
static inline void copy_lanes(float *to, const float *from, uint32_t count)
{
    if (count == TRP_BLOCK_LANES) {
        memcpy(to, from, TRP_BLOCK_LANES * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

/// Spreads vectors over three planes. Best where `count` is a constant in the call.
static inline void copy_vectors(float *restrict to, const float *restrict from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[3 * i];
        to[TRP_BLOCK_LANES + i] = from[3 * i + 1];
        to[2 * TRP_BLOCK_LANES + i] = from[3 * i + 2];
    }
}

/// Where `count` values that lie in one block go, and where they come from among the components of
/// an instance.
struct move {
    uint32_t block;
    uint32_t lane;
    uint32_t count;
    size_t from;
    size_t plane; ///< of rotations: from a component to the next
};

static void move_rotations(const struct move *move, const float *components, size_t component_count,
                           uint32_t instance_count, trp_pose_block *const *poses)
{
    const float *from = components + move->from;
    for (uint32_t i = 0; i < instance_count; i++, from += component_count) {
        if (poses[i]) {
            trp_pose_block *const block = &poses[i][move->block];
            copy_lanes(block->rotation[0] + move->lane, from, move->count);
            copy_lanes(block->rotation[1] + move->lane, from + move->plane, move->count);
            copy_lanes(block->rotation[2] + move->lane, from + 2 * move->plane, move->count);
            copy_lanes(block->rotation[3] + move->lane, from + 3 * move->plane, move->count);
        }
    }
}

static void move_vectors(const struct move *move, trp_path path, const float *components,
                         size_t component_count, uint32_t instance_count,
                         trp_pose_block *const *poses)
{
    const float *from = components + move->from;
    for (uint32_t i = 0; i < instance_count; i++, from += component_count) {
        if (poses[i]) {
            trp_pose_block *const block = &poses[i][move->block];
            float *const to =
                (path == TRP_PATH_TRANSLATION ? block->translation[0] : block->scale[0]) +
                move->lane;
            if (move->count == TRP_BLOCK_LANES) {
                copy_vectors(to, from, TRP_BLOCK_LANES);
            } else {
                copy_vectors(to, from, move->count);
            }
        }
    }
}

/// Writes a run into the poses, block by block.
/// @param components of the run's group
static void write_run(const struct track_run *run, const struct trp__key_group *group,
                      const float *components, size_t component_count, uint32_t instance_count,
                      uint32_t block_count, trp_pose_block *const *poses)
{
    const trp_path path = (trp_path)run->first->path;
    uint32_t done = 0;
    while (done < run->count) {
        const uint32_t lane = run->first->target + done;
        const uint32_t left = run->count - done;
        const uint32_t room = TRP_BLOCK_LANES - lane % TRP_BLOCK_LANES;
        struct move move = {
            .block = lane / TRP_BLOCK_LANES,
            .lane = lane % TRP_BLOCK_LANES,
            .count = left < room ? left : room,
            .from = run->first->first,
            .plane = group->rotation_count,
        };
        if (move.block >= block_count) {
            return;
        }
        if (path == TRP_PATH_ROTATION) {
            move.from += done;
            move_rotations(&move, components, component_count, instance_count, poses);
        } else {
            move.from += 4 * move.plane + 3 * (size_t)done;
            move_vectors(&move, path, components, component_count, instance_count, poses);
        }
        done += move.count;
    }
}

void trp__keyed_write_poses(const struct trp__keyed *keyed, const float *components,
                            uint32_t instance_count, uint32_t block_count,
                            trp_pose_block *const *poses)
{
    for (uint32_t i = 0; i < keyed->group_count; i++) {
        const struct trp__key_group *const group = &keyed->groups[i];
        const struct trp__keyed_track *const tracks = keyed->tracks + group->first_track;
        uint32_t done = 0;
        while (done < group->track_count) {
            const struct track_run run = run_from(tracks + done, group->track_count - done);
            if (run.first->path <= TRP_PATH_SCALE) {
                write_run(&run, group, components, keyed->component_count, instance_count,
                          block_count, poses);
            }
            done += run.count;
        }
        components += 4 * (size_t)group->rotation_count + group->scalar_count;
    }
}
