// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A batch is sampled segment by segment: requests are gathered into groups that share one, each
// group's segment is expanded once into scratch, or found among the prepared ones, and then every
// request of the group costs two rows and a kernel call. All checks come before the first write.
#include <troupe/sample.h>

#include "arguments.h"
#include "keyed.h"
#include "prepare.h"

/// Requests whose keyed tracks are evaluated at once.
#define KEYED_INSTANCES 16u

/// Requests that read the same segment with the same rest pose and base.
struct group {
    const trp_clip *clip;                 ///< null until a request asks for the group
    const struct trp__prepared *prepared; ///< or null
    const uint8_t *clip_bytes;
    const trp_pose_block *rest;
    const trp_pose_block *base;
    uint32_t segment;
    uint32_t request_end; ///< in batch::order, while sorting the next free place
    bool has_poses;       ///< some request asks for one
    bool has_values;
};

/// Scratch memory, split up.
struct batch {
    struct trp__block_control *blocks;       ///< the expanded segment of the group at hand
    struct trp__value_control *value_blocks; ///< likewise
    float *values;                           ///< whole blocks of the request at hand
    float *keyed;         ///< components of keyed tracks, of KEYED_INSTANCES requests
    trp__phase *phases;   ///< [request_count]
    uint32_t *group_of;   ///< [request_count]
    uint32_t *order;      ///< [request_count] requests, group after group
    struct group *groups; ///< [request_count + prepared_count]
    uint32_t *table;      ///< [table_count] open addressing: group + 1, 0 = free
    uint64_t table_count; ///< a power of two
    uint32_t group_count;
    uint64_t bytes; ///< 64 bits everywhere: no pack or batch makes it wrap
};

static uint32_t blocks_to_sample(const trp_sample_args *args, const trp_clip *clip)
{
    const uint32_t asked = args->block_count ? args->block_count : clip->block_count;
    return asked < clip->block_count ? asked : clip->block_count;
}

/// Returns the blocks of values that lie in rows.
static uint32_t value_blocks_of(const trp_clip *clip)
{
    return ((const struct trp__clip_header *)(const void *)clip->bytes)->value_block_count;
}

// -- Scratch

static void *take(uint8_t *scratch, uint64_t *used, uint64_t count, size_t item_bytes)
{
    void *const part = scratch ? scratch + (size_t)*used : NULL;
    *used += (count * item_bytes + TRP_ALIGNMENT - 1) / TRP_ALIGNMENT * TRP_ALIGNMENT;
    return part;
}

/// Splits scratch, or only measures it where `scratch` is null.
static struct batch split_scratch(const trp_sample_args *args, void *scratch)
{
    uint32_t block_count = 0;
    uint32_t value_block_count = 0;
    uint32_t keyed_count = 0;
    for (uint32_t i = 0; i < args->request_count; i++) {
        const trp_clip *const clip = args->requests[i].clip;
        if (clip && clip->bytes) {
            const uint32_t blocks = blocks_to_sample(args, clip);
            const uint32_t value_blocks = args->requests[i].values ? value_blocks_of(clip) : 0;
            block_count = blocks > block_count ? blocks : block_count;
            value_block_count = value_blocks > value_block_count ? value_blocks : value_block_count;
            const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
            keyed_count = keyed.component_count > keyed_count ? keyed.component_count : keyed_count;
        }
    }
    const uint64_t requests = args->request_count;
    const uint64_t groups = requests + args->prepared_count;
    struct batch batch = {.table_count = 4};
    while (batch.table_count < 2 * groups) {
        batch.table_count *= 2;
    }
    uint64_t used = 0;
    batch.blocks = take(scratch, &used, block_count, sizeof *batch.blocks);
    batch.value_blocks = take(scratch, &used, value_block_count, sizeof *batch.value_blocks);
    batch.values = take(scratch, &used, value_block_count, TRP_BLOCK_LANES * sizeof(float));
    batch.keyed = take(scratch, &used, keyed_count, KEYED_INSTANCES * sizeof *batch.keyed);
    batch.phases = take(scratch, &used, requests, sizeof *batch.phases);
    batch.group_of = take(scratch, &used, requests, sizeof *batch.group_of);
    batch.order = take(scratch, &used, requests, sizeof *batch.order);
    batch.groups = take(scratch, &used, groups, sizeof *batch.groups);
    batch.table = take(scratch, &used, batch.table_count, sizeof *batch.table);
    batch.bytes = used;
    return batch;
}

size_t trp_sample_scratch_bytes(const trp_sample_args *args)
{
    if (!args || !args->requests || args->request_count == 0) {
        return 0;
    }
    const uint64_t bytes = split_scratch(args, NULL).bytes;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

// -- Checks

static trp_result check_request(const trp_sample_request *request)
{
    const trp_clip *const clip = request->clip;
    if (!clip || !clip->bytes || !(request->pose || request->values) ||
        !trp__is_null_or_aligned(request->pose, TRP_ALIGNMENT) ||
        !trp__is_null_or_aligned(request->values, sizeof *request->values) ||
        !trp__is_null_or_aligned(request->cursors, sizeof *request->cursors) ||
        (request->flags & ~TRP_SAMPLE_ADDITIVE)) {
        return TRP_ERROR_ARGUMENT;
    }
    const bool is_unbound = request->pose && clip->block_count > 0 && !(clip->rest && clip->base);
    const bool is_refused =
        (request->flags & TRP_SAMPLE_ADDITIVE) && !(clip->flags & TRP_CLIP_ADDITIVE);
    return is_unbound || is_refused ? TRP_ERROR_MISMATCH : TRP_OK;
}

static trp_result check_prepared(const struct trp__prepared *prepared, trp_isa isa)
{
    if (!trp__is_aligned(prepared, TRP_ALIGNMENT) || prepared->magic != TRP__PREPARED_MAGIC) {
        return TRP_ERROR_ARGUMENT;
    }
    return prepared->isa == (uint32_t)isa ? TRP_OK : TRP_ERROR_MISMATCH;
}

static trp_result check_arguments(const trp_sample_args *args, trp_isa isa)
{
    if (!args || (args->request_count > 0 && !args->requests) ||
        (args->prepared_count > 0 && !args->prepared)) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->request_count; i++) {
        const trp_result result = check_request(&args->requests[i]);
        if (result != TRP_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < args->prepared_count; i++) {
        const trp_result result = check_prepared(args->prepared[i], isa);
        if (result != TRP_OK) {
            return result;
        }
    }
    return TRP_OK;
}

// -- Groups

/// What makes a group.
struct group_key {
    const uint8_t *clip_bytes;
    const trp_pose_block *rest;
    const trp_pose_block *base;
    uint32_t segment;
};

static uint32_t hash_of(const struct group_key *key)
{
    const uint64_t place = (uint64_t)(uintptr_t)key->clip_bytes ^
                           (uint64_t)(uintptr_t)key->rest << 24 ^
                           (uint64_t)(uintptr_t)key->base << 12;
    const uint64_t mixed = (place ^ (uint64_t)key->segment << 48) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(mixed >> 32);
}

static int is_group(const struct group *group, const struct group_key *key)
{
    return group->clip_bytes == key->clip_bytes && group->rest == key->rest &&
           group->base == key->base && group->segment == key->segment;
}

/// Finds a group, or makes an empty one.
static uint32_t group_for(struct batch *batch, const struct group_key *key)
{
    uint32_t slot = hash_of(key) & (batch->table_count - 1);
    while (batch->table[slot] != 0) {
        const uint32_t found = batch->table[slot] - 1;
        if (is_group(&batch->groups[found], key)) {
            return found;
        }
        slot = (slot + 1) & (batch->table_count - 1);
    }
    const uint32_t made = batch->group_count++;
    batch->table[slot] = made + 1;
    batch->groups[made] = (struct group){
        .clip_bytes = key->clip_bytes,
        .rest = key->rest,
        .base = key->base,
        .segment = key->segment,
    };
    return made;
}

static void add_prepared(struct batch *batch, const trp_sample_args *args)
{
    for (uint32_t i = 0; i < args->prepared_count; i++) {
        const struct trp__prepared *const prepared = args->prepared[i];
        const struct group_key key = {
            prepared->clip_bytes,
            prepared->rest,
            prepared->base,
            prepared->segment,
        };
        batch->groups[group_for(batch, &key)].prepared = prepared;
    }
}

/// Says whether a prepared segment, which lies where the clip does, was made from this very clip
/// and not from another pack that lay there before.
static int is_current(const struct trp__prepared *prepared, const trp_clip *clip)
{
    const struct trp__clip_parts parts = trp__clip_parts_of(clip);
    const struct trp__segment segment = trp__segment_of(&parts, prepared->segment);
    return prepared->pack_hash == clip->pack_hash && prepared->clip_index == clip->index &&
           prepared->block_count == clip->block_count &&
           prepared->value_block_count == parts.header->value_block_count &&
           prepared->row_bytes == segment.row_bytes;
}

/// Assigns every request to a group and counts them in `request_end`.
static trp_result assign_groups(struct batch *batch, const trp_sample_args *args,
                                trp_sample_report *report)
{
    const trp_clip *clip = NULL;
    double phase_rate = 0;
    uint32_t group = 0;
    for (uint32_t i = 0; i < args->request_count; i++) {
        const trp_sample_request *const request = &args->requests[i];
        if (request->clip != clip) { // runs of one clip are common, and a division costs
            clip = request->clip;
            phase_rate = trp__phase_rate(clip);
        }
        const trp__phase phase = trp__phase_at(clip, phase_rate, request->time_s);
        const struct group_key key = {
            clip->bytes,
            clip->rest,
            clip->base,
            trp__segment_at(clip, phase),
        };
        if (i == 0 || !is_group(&batch->groups[group], &key)) {
            group = group_for(batch, &key);
        }
        struct group *const at = &batch->groups[group];
        if (!at->clip) {
            if (at->prepared && !is_current(at->prepared, clip)) {
                return TRP_ERROR_MISMATCH;
            }
            at->clip = clip;
        }
        at->request_end++;
        at->has_poses |= request->pose != NULL;
        at->has_values |= request->values != NULL;
        batch->phases[i] = phase;
        batch->group_of[i] = group;
        report->nan_time_count += request->time_s != request->time_s;
    }
    return TRP_OK;
}

/// Lists the requests group after group, each group's in their given order.
static void sort_requests(struct batch *batch, uint32_t request_count)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < batch->group_count; i++) {
        const uint32_t count = batch->groups[i].request_end;
        batch->groups[i].request_end = start;
        start += count;
    }
    for (uint32_t i = 0; i < request_count; i++) {
        batch->order[batch->groups[batch->group_of[i]].request_end++] = i;
    }
}

// -- Sampling

/// Puts evaluated properties of one instance among its values.
static void write_keyed_values(const struct trp__keyed *keyed, const float *components,
                               const trp_clip *clip, float *values)
{
    const struct trp__property *const properties = trp__properties_of(clip->properties);
    for (uint32_t i = 0; i < keyed->group_count; i++) {
        const struct trp__key_group *const group = &keyed->groups[i];
        const float *const scalars = components + 4 * (size_t)group->rotation_count;
        for (uint32_t k = 0; k < group->track_count; k++) {
            const struct trp__keyed_track *const track = &keyed->tracks[group->first_track + k];
            if (track->path == TRP_PATH_PROPERTY) {
                memcpy(values + properties[track->target].first_value, scalars + track->first,
                       track->stride * sizeof *values);
            }
        }
        components = scalars + group->scalar_count;
    }
}

/// Evaluates the keyed tracks of a group's requests, [first, request_end) of the order, and puts
/// them over what rows and rest gave.
static void overlay_keyed(const struct batch *batch, const trp_sample_args *args,
                          const struct trp__kernels *kernels, const struct group *group,
                          uint32_t block_count, uint32_t first)
{
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(group->clip));
    while (keyed.group_count > 0 && first < group->request_end) {
        struct trp__key_instance instances[KEYED_INSTANCES];
        trp_pose_block *poses[KEYED_INSTANCES];
        const uint32_t *const order = batch->order + first;
        const uint32_t left = group->request_end - first;
        const uint32_t count = left < KEYED_INSTANCES ? left : KEYED_INSTANCES;
        for (uint32_t i = 0; i < count; i++) {
            const trp_sample_request *const request = &args->requests[order[i]];
            instances[i] = (struct trp__key_instance){request->time_s, request->cursors};
            poses[i] = request->pose;
        }
        trp__keyed_evaluate(&keyed, kernels, instances, count, batch->keyed);
        trp__keyed_write_poses(&keyed, batch->keyed, count, block_count, poses);
        for (uint32_t i = 0; i < count; i++) {
            const trp_sample_request *const request = &args->requests[order[i]];
            if (request->values && group->clip->value_count > 0) {
                write_keyed_values(&keyed, batch->keyed + i * (size_t)keyed.component_count,
                                   group->clip, request->values);
            }
        }
        first += count;
    }
}

/// The expanded segment of a group.
struct expanded {
    uint32_t block_count;
    const struct trp__block_control *blocks;
    const struct trp__value_control *value_blocks;
};

static struct expanded expand_group(const struct batch *batch, const trp_sample_args *args,
                                    const struct trp__kernels *kernels, const struct group *group,
                                    const struct trp__clip_parts *parts,
                                    const struct trp__segment *segment)
{
    struct expanded expanded = {
        .block_count = blocks_to_sample(args, group->clip),
        .blocks = batch->blocks,
        .value_blocks = batch->value_blocks,
    };
    if (group->prepared) {
        expanded.blocks = (const void *)(group->prepared + 1);
        expanded.value_blocks = (const void *)(expanded.blocks + group->clip->block_count);
        return expanded;
    }
    if (group->has_poses) {
        trp__segment_expand(group->clip, parts, segment, kernels->window, expanded.block_count,
                            batch->blocks);
    }
    if (group->has_values) {
        trp__segment_expand_values(group->clip, parts, segment, kernels->window,
                                   batch->value_blocks);
    }
    return expanded;
}

static void sample_values(const struct batch *batch, const struct trp__kernels *kernels,
                          const trp_clip *clip, const struct trp__value_control *blocks,
                          const struct trp__sample_point *point, float *values)
{
    const uint32_t block_count = value_blocks_of(clip);
    if (block_count > 0) {
        kernels->sample_values(blocks, block_count, point, batch->values);
        memcpy(values, batch->values, clip->value_count * sizeof *values);
    } else if (clip->flags & TRP_CLIP_ADDITIVE) {
        memset(values, 0, clip->value_count * sizeof *values);
    } else {
        trp__copy_still(clip->value_defaults, clip->value_count, values);
    }
}

static void sample_group(const struct batch *batch, const trp_sample_args *args,
                         const struct trp__kernels *kernels, const struct group *group,
                         uint32_t first)
{
    const struct trp__clip_parts parts = trp__clip_parts_of(group->clip);
    const struct trp__segment segment = trp__segment_of(&parts, group->segment);
    const struct expanded expanded = expand_group(batch, args, kernels, group, &parts, &segment);
    for (uint32_t i = first; i < group->request_end; i++) {
        const uint32_t index = batch->order[i];
        const trp_sample_request *const request = &args->requests[index];
        struct trp__sample_point point;
        trp__segment_locate(&segment, batch->phases[index], &point);
        if (request->pose) {
            kernels->sample(expanded.blocks, expanded.block_count, &point, request->pose);
        }
        if (request->values) {
            sample_values(batch, kernels, group->clip, expanded.value_blocks, &point,
                          request->values);
        }
    }
    overlay_keyed(batch, args, kernels, group, expanded.block_count, first);
}

trp_result trp_sample(const trp_sample_args *args, trp_sample_report *report)
{
    const struct trp__kernels *const kernels = trp__kernels_active();
    trp_result result = check_arguments(args, kernels->isa);
    if (result != TRP_OK) {
        return result;
    }
    trp_sample_report found = {0};
    if (args->request_count > 0) {
        if (!trp__is_aligned(args->scratch, TRP_ALIGNMENT)) {
            return TRP_ERROR_ARGUMENT;
        }
        struct batch batch = split_scratch(args, args->scratch);
        if (batch.bytes > args->scratch_bytes) {
            return TRP_ERROR_CAPACITY;
        }
        memset(batch.table, 0, batch.table_count * sizeof *batch.table);
        add_prepared(&batch, args);
        result = assign_groups(&batch, args, &found);
        if (result != TRP_OK) {
            return result;
        }
        sort_requests(&batch, args->request_count);
        uint32_t first = 0;
        for (uint32_t i = 0; i < batch.group_count; i++) {
            if (batch.groups[i].clip) {
                sample_group(&batch, args, kernels, &batch.groups[i], first);
                first = batch.groups[i].request_end;
            }
        }
    }
    if (report) {
        *report = found;
    }
    return TRP_OK;
}
