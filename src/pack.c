// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Opening packs and handing out views of what they hold. A view is a struct of pointers into the
// bytes; validate.c has made sure that every one of them is good.
#include <troupe/pack.h>

#include "format.h"
#include "validate.h"

trp_result trp_pack_open(const void *bytes, size_t size_bytes, trp_pack *pack,
                         trp_diagnostic *diagnostic)
{
    trp_diagnostic unasked;
    if (diagnostic == NULL) {
        diagnostic = &unasked;
    }
    *diagnostic = (trp_diagnostic){.result = TRP_ERROR_ARGUMENT, .index = TRP_NONE};
    if (pack == NULL) {
        diagnostic->rule = "argument.pack";
        return TRP_ERROR_ARGUMENT;
    }
    if (bytes == NULL || (uintptr_t)bytes % TRP_ALIGNMENT != 0) {
        memset(pack, 0, sizeof *pack);
        diagnostic->rule = "argument.bytes";
        return TRP_ERROR_ARGUMENT;
    }
    return trp__pack_validate(bytes, size_bytes, pack, diagnostic);
}

uint64_t trp_pack_hash(const trp_pack *pack)
{
    return pack == NULL ? 0 : pack->hash;
}

trp_result trp_pack_skeleton(const trp_pack *pack, uint32_t index, trp_skeleton *skeleton)
{
    if (pack == NULL || skeleton == NULL || index >= pack->skeleton_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__skeleton_header *const header =
        (const void *)trp__object_at(pack->skeletons, index);
    const uint32_t lane_count = header->block_count * TRP_BLOCK_LANES;
    const trp_pose_block *const rest = (const void *)(header + 1);
    const uint64_t *const name_hashes = (const void *)(rest + header->block_count);
    const uint32_t *const nodes = (const void *)(name_hashes + header->joint_count);
    const uint32_t *const names = nodes + header->joint_count;
    const uint32_t *const ids = names + header->joint_count;
    const uint16_t *const parents = (const void *)(ids + header->joint_count);
    *skeleton = (trp_skeleton){
        .name = (const char *)pack->strings + header->name,
        .name_hash = header->name_hash,
        .bind_hash = header->bind_hash,
        .metres_per_unit = header->metres_per_unit,
        .index = index,
        .joint_count = header->joint_count,
        .lane_count = lane_count,
        .block_count = header->block_count,
        .joint_block_count = header->joint_block_count,
        .root_transform = header->root_transform,
        .rest = rest,
        .parent_of_lane = parents,
        .joint_of_lane = parents + lane_count,
        .lane_of_joint = parents + 2 * lane_count,
        .node_of_joint = nodes,
        .name_hash_of_joint = name_hashes,
        .name_of_joint = names,
        .id_of_joint = ids,
        .strings = (const char *)pack->strings,
    };
    return TRP_OK;
}

trp_result trp_pack_skin(const trp_pack *pack, uint32_t index, trp_skin *skin)
{
    if (pack == NULL || skin == NULL || index >= pack->skin_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__skin_header *const header = (const void *)trp__object_at(pack->skins, index);
    const float(*const inverse_bind)[12] = (const void *)(header + 1);
    *skin = (trp_skin){
        .name = (const char *)pack->strings + header->name,
        .name_hash = header->name_hash,
        .index = index,
        .skeleton_index = header->skeleton,
        .joint_count = header->joint_count,
        .lane_of_entry = (const void *)(inverse_bind + header->joint_count),
        .inverse_bind = inverse_bind,
    };
    return TRP_OK;
}

/// Sets what a clip has of other objects in its pack.
static void view_surroundings(const trp_pack *pack, const struct trp__clip_header *header,
                              trp_clip *clip)
{
    trp_skeleton skeleton;
    trp_property_set set;
    if (trp_pack_skeleton(pack, header->skeleton, &skeleton) == TRP_OK) {
        clip->rest = skeleton.rest;
        clip->base = skeleton.rest;
    }
    if (trp_pack_property_set(pack, header->property_set, &set) == TRP_OK) {
        clip->value_count = set.value_count;
        clip->value_defaults = set.defaults;
        clip->properties = set.bytes;
    }
}

/// Sets the counts of what a clip has besides rows.
static void view_counts(const struct trp__clip_header *header, trp_clip *clip)
{
    const uint8_t *const bytes = (const uint8_t *)header;
    if (header->keyed_offset != 0) {
        const struct trp__keyed_header *const keyed = (const void *)(bytes + header->keyed_offset);
        clip->track_count = keyed->track_count;
        clip->cursor_count = keyed->group_count;
    }
    if (header->events_offset != 0) {
        const struct trp__events_header *const events =
            (const void *)(bytes + header->events_offset);
        clip->event_count = events->event_count;
    }
}

trp_result trp_pack_clip(const trp_pack *pack, uint32_t index, trp_clip *clip)
{
    if (pack == NULL || clip == NULL || index >= pack->clip_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__entry *const entries = (const void *)pack->clips;
    const struct trp__clip_header *const header = (const void *)trp__object_at(pack->clips, index);
    *clip = (trp_clip){
        .name = (const char *)pack->strings + header->name,
        .name_hash = header->name_hash,
        .source_id = (const char *)pack->strings + header->source_id,
        .bind_hash = header->bind_hash,
        .pack_hash = pack->hash,
        .duration_s = (double)header->tick_count * header->rate_den / header->rate_num,
        .index = index,
        .skeleton_index = header->skeleton,
        .flags = header->flags,
        .block_count = header->block_count,
        .rate_num = header->rate_num,
        .rate_den = header->rate_den,
        .tick_count = header->tick_count,
        .ticks_per_segment = header->ticks_per_segment,
        .segment_count = header->segment_count,
        .property_set_index = header->property_set,
        .budget_mm = header->budget_mm,
        .shell_m = header->shell_m,
        .max_error_keys_mm = header->max_error_keys_mm,
        .max_error_mm = header->max_error_mm,
        .mean_error_mm = header->mean_error_mm,
        .strings = (const char *)pack->strings,
        .bytes = (const uint8_t *)header,
        .size_bytes = entries[index].size_bytes,
    };
    view_surroundings(pack, header, clip);
    view_counts(header, clip);
    return TRP_OK;
}

trp_result trp_pack_property_set(const trp_pack *pack, uint32_t index, trp_property_set *set)
{
    if (pack == NULL || set == NULL || index >= pack->property_set_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__property_set_header *const header =
        (const void *)trp__object_at(pack->property_sets, index);
    const struct trp__property *const properties = (const void *)(header + 1);
    *set = (trp_property_set){
        .name = (const char *)pack->strings + header->name,
        .name_hash = header->name_hash,
        .index = index,
        .property_count = header->property_count,
        .value_count = header->value_count,
        .text_count = header->text_count,
        .defaults = (const void *)(properties + header->property_count),
        .bytes = (const uint8_t *)header,
        .strings = (const char *)pack->strings,
    };
    return TRP_OK;
}

uint32_t trp_pack_find_clip(const trp_pack *pack, uint64_t name_hash)
{
    if (pack == NULL) {
        return TRP_NONE;
    }
    for (uint32_t i = 0; i < pack->clip_count; i++) {
        const struct trp__clip_header *const header = (const void *)trp__object_at(pack->clips, i);
        if (header->name_hash == name_hash) {
            return i;
        }
    }
    return TRP_NONE;
}
