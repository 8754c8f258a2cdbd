// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <troupe/instance.h>
#include <troupe/property.h>

#include "arguments.h"
#include "keyed.h"
#include "prepare.h"
#include "validate.h"

trp_result trp_clip_bind(trp_clip *clip, const trp_skeleton *skeleton)
{
    if (!clip || !clip->bytes || !skeleton || !skeleton->rest) {
        return TRP_ERROR_ARGUMENT;
    }
    if (!trp__clip_fits_skeleton(clip, skeleton)) {
        return TRP_ERROR_MISMATCH;
    }
    clip->rest = skeleton->rest;
    clip->base = skeleton->rest;
    return TRP_OK;
}

trp_result trp_clip_bind_instance(trp_clip *clip, const trp_instance *instance)
{
    if (!clip || !clip->bytes || !instance || !instance->bytes) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__instance_header *const header = (const void *)instance->bytes;
    if (!clip->rest || (clip->flags & TRP_CLIP_ADDITIVE) ||
        clip->bind_hash != instance->bind_hash || clip->block_count != header->block_count) {
        return TRP_ERROR_MISMATCH;
    }
    clip->base = instance->pose;
    return TRP_OK;
}

/// Returns what keys say of one property of one lane.
static trp_track_kind keyed_kind(const trp_clip *clip, trp_path path, uint32_t lane)
{
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
    for (uint32_t i = 0; i < keyed.track_count; i++) {
        const struct trp__keyed_track *const track = &keyed.tracks[i];
        if (track->path == (uint32_t)path && track->target == lane) {
            return keyed.groups[track->group].key_count > 1 ? TRP_TRACK_ANIMATED
                                                            : TRP_TRACK_CONSTANT;
        }
    }
    return TRP_TRACK_ABSENT;
}

trp_track_kind trp_clip_track_kind(const trp_clip *clip, trp_path path, uint32_t lane)
{
    if (!clip || !clip->bytes || (unsigned)path > TRP_PATH_SCALE ||
        lane / TRP_BLOCK_LANES >= clip->block_count) {
        return TRP_TRACK_ABSENT;
    }
    const struct trp__clip_parts parts = trp__clip_parts_of(clip);
    const uint32_t block = lane / TRP_BLOCK_LANES;
    const uint32_t bit = 1u << lane % TRP_BLOCK_LANES;
    if (parts.animated[path][block] & bit) {
        return TRP_TRACK_ANIMATED;
    }
    const uint32_t still = parts.constant[path][block] | parts.resting[path][block];
    const trp_track_kind keyed = keyed_kind(clip, path, lane);
    return keyed == TRP_TRACK_ABSENT && (still & bit) ? TRP_TRACK_CONSTANT : keyed;
}

trp_result trp_clip_coverage(const trp_clip *clip, float *mask)
{
    if (!clip || !clip->bytes || !trp__is_aligned(mask, sizeof(float))) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__clip_parts parts = trp__clip_parts_of(clip);
    for (uint32_t block = 0; block < clip->block_count; block++) {
        uint32_t covered = 0;
        for (uint32_t path = 0; path < 3; path++) {
            covered |= parts.animated[path][block] | parts.constant[path][block] |
                       parts.resting[path][block];
        }
        for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
            mask[block * TRP_BLOCK_LANES + lane] = covered >> lane & 1 ? 1.0f : 0.0f;
        }
    }
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
    for (uint32_t i = 0; i < keyed.track_count; i++) {
        if (keyed.tracks[i].path != TRP_PATH_PROPERTY) {
            mask[keyed.tracks[i].target] = 1.0f;
        }
    }
    return TRP_OK;
}

/// Sets the mask of a property's values, where a track is one of a property.
static void mask_property(const trp_clip *clip, const struct trp__keyed_track *track, float weight,
                          float *mask)
{
    for (uint32_t i = 0; track->path == TRP_PATH_PROPERTY && i < track->stride; i++) {
        mask[trp__properties_of(clip->properties)[track->target].first_value + i] = weight;
    }
}

trp_result trp_clip_value_coverage(const trp_clip *clip, float *mask)
{
    if (!clip || !clip->bytes || !trp__is_aligned(mask, sizeof(float))) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__clip_parts parts = trp__clip_parts_of(clip);
    memset(mask, 0, clip->value_count * sizeof *mask);
    for (uint32_t block = 0; block < parts.header->value_block_count; block++) {
        uint32_t animated = trp__read_u16(parts.animated_values + block * sizeof(uint16_t));
        for (; animated != 0; animated &= animated - 1) {
            mask[block * TRP_BLOCK_LANES + (uint32_t)__builtin_ctz(animated)] = 1.0f;
        }
    }
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
    for (uint32_t i = 0; i < keyed.track_count; i++) {
        mask_property(clip, &keyed.tracks[i], 1.0f, mask);
    }
    return TRP_OK;
}

trp_result trp_clip_started(const trp_clip *clip, double time_s, float *mask)
{
    const trp_result result = trp_clip_value_coverage(clip, mask);
    if (result != TRP_OK) {
        return result;
    }
    const double time = time_s == time_s ? time_s : 0;
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
    for (uint32_t i = 0; i < keyed.track_count; i++) {
        const struct trp__keyed_track *const track = &keyed.tracks[i];
        const struct trp__key_group *const group = &keyed.groups[track->group];
        const double *const times = (const void *)(keyed.bytes + group->times);
        if (times[0] < 0 && time < times[1]) {
            mask_property(clip, track, 0.0f, mask);
        }
    }
    return TRP_OK;
}

uint32_t trp_clip_segment_at(const trp_clip *clip, double time_s)
{
    if (!clip || clip->segment_count == 0) {
        return TRP_NONE;
    }
    return trp__segment_at(clip, trp__phase_at(clip, trp__phase_rate(clip), time_s));
}

size_t trp_clip_prepared_bytes(const trp_clip *clip)
{
    if (!clip || !clip->bytes) {
        return 0;
    }
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    return sizeof(struct trp__prepared) + clip->block_count * sizeof(struct trp__block_control) +
           header->value_block_count * sizeof(struct trp__value_control);
}

trp_result trp_clip_prepare(const trp_clip *clip, uint32_t segment, void *memory,
                            size_t memory_bytes)
{
    const uint32_t last_segment = clip && clip->segment_count ? clip->segment_count - 1 : 0;
    if (!clip || !clip->bytes || segment > last_segment ||
        !trp__is_aligned(memory, TRP_ALIGNMENT)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (!(clip->rest && clip->base) && clip->block_count > 0) {
        return TRP_ERROR_MISMATCH;
    }
    if (memory_bytes < trp_clip_prepared_bytes(clip)) {
        return TRP_ERROR_CAPACITY;
    }
    const struct trp__kernels *const kernels = trp__kernels_active();
    const struct trp__clip_parts parts = trp__clip_parts_of(clip);
    const struct trp__segment view = trp__segment_of(&parts, segment);
    struct trp__prepared *const prepared = memory;
    *prepared = (struct trp__prepared){
        .magic = TRP__PREPARED_MAGIC,
        .isa = (uint32_t)kernels->isa,
        .pack_hash = clip->pack_hash,
        .clip_bytes = clip->bytes,
        .rest = clip->rest,
        .base = clip->base,
        .clip_index = clip->index,
        .segment = segment,
        .block_count = clip->block_count,
        .row_bytes = view.row_bytes,
        .value_block_count = parts.header->value_block_count,
    };
    struct trp__block_control *const blocks = (void *)(prepared + 1);
    struct trp__value_control *const values = (void *)(blocks + clip->block_count);
    trp__segment_expand(clip, &parts, &view, kernels->window, clip->block_count, blocks);
    trp__segment_expand_values(clip, &parts, &view, kernels->window, values);
    return TRP_OK;
}
