// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Armatures in a scene: views of what a pack holds of them.
#include <troupe/instance.h>
#include <troupe/pack.h>

#include "format.h"

/// Returns the size of what lies between the pose of an instance and its bones.
static size_t humanoid_bytes(const struct trp__instance_header *header)
{
    return header->limit_block_count * sizeof(float[6][TRP_BLOCK_LANES]) +
           (header->flags & TRP__INSTANCE_HUMANOID ? sizeof(struct trp__humanoid) : 0);
}

trp_result trp_pack_instance(const trp_pack *pack, uint32_t index, trp_instance *instance)
{
    if (!pack || !instance || index >= pack->instance_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__instance_header *const header =
        (const void *)trp__object_at(pack->instances, index);
    const struct trp__skeleton_header *const skeleton =
        (const void *)trp__object_at(pack->skeletons, header->skeleton);
    const char *const strings = (const char *)pack->strings;
    const struct trp__instance_header *const posed =
        (const void *)trp__object_at(pack->instances, header->pose_of);
    const uint8_t *const limits = (const uint8_t *)header + trp__instance_limits_at(header, index);
    const uint64_t *const id_hashes = (const void *)(limits + humanoid_bytes(header));
    const struct trp__component *const components = (const void *)(id_hashes + header->bone_count);
    const uint32_t *const ids = (const void *)(components + header->component_count);
    const float *const lengths =
        (const void *)(ids + header->bone_count + header->limit_block_count);
    *instance = (trp_instance){
        .name = strings + header->name,
        .name_hash = header->name_hash,
        .id = strings + header->id,
        .armature_name = strings + header->armature_name,
        .armature_id = strings + header->armature_id,
        .bind_hash = skeleton->bind_hash,
        .index = index,
        .skeleton_index = header->skeleton,
        .bone_count = header->bone_count,
        .component_count = header->component_count,
        .pose = (const void *)(posed + 1),
        .lane_of_bone = (const void *)(lengths + header->bone_count),
        .length_of_bone = lengths,
        .id_hash_of_bone = id_hashes,
        .id_of_bone = ids,
        .strings = strings,
        .bytes = (const uint8_t *)header,
    };
    return TRP_OK;
}

uint32_t trp_pack_find_instance(const trp_pack *pack, uint64_t name_hash)
{
    for (uint32_t i = 0; pack && i < pack->instance_count; i++) {
        const struct trp__instance_header *const header =
            (const void *)trp__object_at(pack->instances, i);
        if (header->name_hash == name_hash) {
            return i;
        }
    }
    return TRP_NONE;
}

const char *trp_instance_bone_id(const trp_instance *instance, uint32_t bone)
{
    if (!instance || bone >= instance->bone_count) {
        return NULL;
    }
    return instance->strings + instance->id_of_bone[bone];
}

uint32_t trp_instance_find_bone(const trp_instance *instance, uint64_t id_hash)
{
    for (uint32_t bone = 0; instance && bone < instance->bone_count; bone++) {
        if (instance->id_hash_of_bone[bone] == id_hash) {
            return bone;
        }
    }
    return TRP_NONE;
}

static const struct trp__component *components_of(const trp_instance *instance)
{
    return (const void *)(instance->id_hash_of_bone + instance->bone_count);
}

uint32_t trp_instance_find_component(const trp_instance *instance, uint32_t bone, uint64_t id_hash)
{
    for (uint32_t i = 0; instance && i < instance->component_count; i++) {
        const struct trp__component *const component = &components_of(instance)[i];
        if (component->id_hash == id_hash && (bone == TRP_NONE || component->bone == bone)) {
            return i;
        }
    }
    return TRP_NONE;
}

trp_result trp_instance_component(const trp_instance *instance, uint32_t index,
                                  trp_component *component)
{
    if (!instance || !component || index >= instance->component_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__component *const stored = &components_of(instance)[index];
    *component = (trp_component){
        .kind = (trp_component_kind)stored->kind,
        .bone = stored->bone,
        .id = instance->strings + stored->id,
        .type = instance->strings + stored->type,
        .json = instance->strings + stored->json,
        .id_hash = stored->id_hash,
    };
    return TRP_OK;
}
