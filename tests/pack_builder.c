// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// See pack_builder.h. The writer goes through a pack from its first byte to its last, in the words
// and the order of FORMAT.md.
#include "pack_builder.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

// -- Memory

struct allocation {
    struct allocation *next;
    _Alignas(16) uint8_t bytes[];
};

void *pack_content_allocate(struct pack_content *content, size_t size_bytes)
{
    struct allocation *const allocation = calloc(1, sizeof *allocation + size_bytes);
    if (allocation == NULL) {
        abort();
    }
    allocation->next = content->memory;
    content->memory = allocation;
    return allocation->bytes;
}

void pack_content_free(struct pack_content *content)
{
    if (content == NULL) {
        return;
    }
    for (struct allocation *at = content->memory; at != NULL;) {
        struct allocation *const next = at->next;
        free(at);
        at = next;
    }
    free(content);
}

// -- Bytes

uint16_t pack_get_u16(const uint8_t *bytes, size_t at)
{
    return (uint16_t)(bytes[at] | bytes[at + 1] << 8);
}

uint32_t pack_get_u32(const uint8_t *bytes, size_t at)
{
    return pack_get_u16(bytes, at) | (uint32_t)pack_get_u16(bytes, at + 2) << 16;
}

uint64_t pack_get_u64(const uint8_t *bytes, size_t at)
{
    return pack_get_u32(bytes, at) | (uint64_t)pack_get_u32(bytes, at + 4) << 32;
}

static void set_bytes(uint8_t *bytes, size_t at, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bytes[at + i] = (uint8_t)(value >> 8 * i);
    }
}

void pack_set_u16(uint8_t *bytes, size_t at, uint16_t value)
{
    set_bytes(bytes, at, value, 2);
}

void pack_set_u32(uint8_t *bytes, size_t at, uint32_t value)
{
    set_bytes(bytes, at, value, 4);
}

void pack_set_u64(uint8_t *bytes, size_t at, uint64_t value)
{
    set_bytes(bytes, at, value, 8);
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void pack_set_f32(uint8_t *bytes, size_t at, float value)
{
    set_bytes(bytes, at, bits_of_float(value), 4);
}

/// Bytes on their way out; `bit_count` of the last byte are used, 0 meaning all.
struct writer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    uint32_t bit_count;
};

static void put(struct writer *writer, uint64_t value, uint32_t byte_count)
{
    if (writer->size + byte_count > writer->capacity) {
        writer->capacity = 2 * writer->capacity + 4096;
        writer->bytes = realloc(writer->bytes, writer->capacity);
        if (writer->bytes == NULL) {
            abort();
        }
    }
    set_bytes(writer->bytes, writer->size, value, byte_count);
    writer->size += byte_count;
    writer->bit_count = 0;
}

static void put_u16(struct writer *writer, uint32_t value)
{
    put(writer, value, 2);
}

static void put_u32(struct writer *writer, uint32_t value)
{
    put(writer, value, 4);
}

static void put_u64(struct writer *writer, uint64_t value)
{
    put(writer, value, 8);
}

static void put_f32(struct writer *writer, float value)
{
    put(writer, bits_of_float(value), 4);
}

static void put_f64(struct writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(writer, bits, 8);
}

static void put_zeros(struct writer *writer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(writer, 0, 1);
    }
}

static void put_padding(struct writer *writer, size_t start, size_t alignment)
{
    while ((writer->size - start) % alignment != 0) {
        put(writer, 0, 1);
    }
}

static void put_bits(struct writer *writer, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (writer->bit_count == 0) {
            put(writer, 0, 1);
        }
        writer->bytes[writer->size - 1] |= (uint8_t)((value >> i & 1) << writer->bit_count);
        writer->bit_count = (writer->bit_count + 1) % 8;
    }
}

/// Ends a bit stream: the next one begins with a byte of its own.
static void put_bits_end(struct writer *writer)
{
    writer->bit_count = 0;
}

// -- Strings and hashes

struct strings {
    char bytes[1 << 16];
    uint32_t size;
};

static uint32_t string_offset(struct strings *strings, const char *text)
{
    const uint32_t size = (uint32_t)strlen(text) + 1;
    for (uint32_t at = 0; at < strings->size; at += (uint32_t)strlen(strings->bytes + at) + 1) {
        if (strcmp(strings->bytes + at, text) == 0) {
            return at;
        }
    }
    if (strings->size + size > sizeof strings->bytes) {
        abort();
    }
    memcpy(strings->bytes + strings->size, text, size);
    strings->size += size;
    return strings->size - size;
}

static uint64_t fnv(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
    }
    return hash;
}

static uint64_t name_hash(const char *name)
{
    return fnv(0xCBF29CE484222325u, name, strlen(name));
}

uint64_t pack_bind_hash(const struct pack_skeleton *skeleton)
{
    uint8_t number[4];
    set_bytes(number, 0, skeleton->joint_count, 4);
    uint64_t hash = fnv(0xCBF29CE484222325u, number, 4);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pack_joint *const joint = &skeleton->joints[i];
        hash = fnv(hash, joint->name, strlen(joint->name) + 1);
        set_bytes(number, 0, joint->parent, 4);
        hash = fnv(hash, number, 4);
        set_bytes(number, 0, joint->lane, 2);
        hash = fnv(hash, number, 2);
    }
    return hash;
}

void pack_rehash(uint8_t *bytes, size_t size_bytes)
{
    if (size_bytes < 32) {
        return;
    }
    pack_set_u64(bytes, 24, 0);
    pack_set_u64(bytes, 24, XXH64(bytes, size_bytes, 0));
}

// -- Objects

/// Returns the value `index` of x y z w, x y z, x y z; the identity for no joint.
static float transform_value(const trp_joint_transform *transform, uint32_t index)
{
    if (transform == NULL) {
        return index == 3 || index >= 7 ? 1 : 0;
    }
    return index < 4   ? transform->rotation[index]
           : index < 7 ? transform->translation[index - 4]
                       : transform->scale[index - 7];
}

/// Returns which joint each lane holds, or null; for free().
static const struct pack_joint **joints_of_lanes(const struct pack_skeleton *skeleton)
{
    const struct pack_joint **const of_lane = calloc(16 * skeleton->block_count, sizeof *of_lane);
    if (of_lane == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        of_lane[skeleton->joints[i].lane] = &skeleton->joints[i];
    }
    return of_lane;
}

static void write_skeleton(struct writer *writer, const struct pack_skeleton *skeleton,
                           struct strings *strings)
{
    const uint32_t lanes = 16 * skeleton->block_count;
    put_u64(writer, name_hash(skeleton->name));
    put_u64(writer, pack_bind_hash(skeleton));
    put_f64(writer, skeleton->metres_per_unit);
    put_u32(writer, string_offset(strings, skeleton->name));
    put_u32(writer, skeleton->joint_count);
    put_u32(writer, skeleton->block_count);
    put_u32(writer, skeleton->joint_block_count);
    for (uint32_t i = 0; i < 12; i++) {
        put_f32(writer, skeleton->root_transform[i]);
    }
    put_zeros(writer, 40);

    const struct pack_joint **const of_lane = joints_of_lanes(skeleton);
    for (uint32_t block = 0; block < skeleton->block_count; block++) {
        for (uint32_t i = 0; i < 10; i++) {
            for (uint32_t lane = 0; lane < 16; lane++) {
                const struct pack_joint *const joint = of_lane[16 * block + lane];
                put_f32(writer, transform_value(joint == NULL ? NULL : &joint->rest, i));
            }
        }
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        put_u64(writer, name_hash(skeleton->joints[i].name));
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        put_u32(writer, skeleton->joints[i].node);
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        put_u32(writer, string_offset(strings, skeleton->joints[i].name));
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const char *const id = skeleton->joints[i].id;
        put_u32(writer, string_offset(strings, id == NULL ? "" : id));
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const bool has_parent = of_lane[lane] != NULL && of_lane[lane]->parent != TRP_NONE;
        put_u16(writer, has_parent ? skeleton->joints[of_lane[lane]->parent].lane : TRP_NO_LANE);
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const bool is_free = of_lane[lane] == NULL;
        put_u16(writer, is_free ? TRP_NO_LANE : (uint32_t)(of_lane[lane] - skeleton->joints));
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        put_u16(writer, skeleton->joints[i].lane);
    }
    free(of_lane);
}

static void write_skin(struct writer *writer, const struct pack_skin *skin, struct strings *strings)
{
    put_u64(writer, name_hash(skin->name));
    put_u32(writer, string_offset(strings, skin->name));
    put_u32(writer, skin->skeleton);
    put_u32(writer, skin->joint_count);
    put_zeros(writer, 44);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        for (uint32_t k = 0; k < 12; k++) {
            put_f32(writer, skin->inverse_bind[i][k]);
        }
    }
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        put_u16(writer, skin->lanes[i]);
    }
}

static void write_property_set(struct writer *writer, const struct pack_property_set *set,
                               struct strings *strings)
{
    uint32_t value_count = 0;
    for (uint32_t i = 0; i < set->property_count; i++) {
        value_count += set->properties[i].value_count;
    }
    put_u64(writer, name_hash(set->name));
    put_u32(writer, string_offset(strings, set->name));
    put_u32(writer, set->property_count);
    put_u32(writer, value_count);
    put_u32(writer, set->text_count);
    put_zeros(writer, 40);
    uint32_t first_value = 0;
    for (uint32_t i = 0; i < set->property_count; i++) {
        const struct pack_property *const property = &set->properties[i];
        put_u64(writer, name_hash(property->path));
        put_u32(writer, string_offset(strings, property->path));
        put_u32(writer, first_value);
        put_u32(writer, property->value_count);
        put_u32(writer, property->node);
        put_u32(writer, property->type);
        put_zeros(writer, 4);
        first_value += property->value_count;
    }
    for (uint32_t i = 0; i < set->property_count; i++) {
        for (uint32_t k = 0; k < set->properties[i].value_count; k++) {
            put_f32(writer, set->properties[i].defaults[k]);
        }
    }
    for (uint32_t i = 0; i < set->property_count; i++) {
        for (uint32_t k = 0; k < set->properties[i].value_count; k++) {
            put_u32(writer, string_offset(strings, set->properties[i].labels[k]));
        }
    }
    for (uint32_t i = 0; i < set->text_count; i++) {
        put_u32(writer, string_offset(strings, set->texts[i]));
    }
}

static void write_humanoid(struct writer *writer, const struct pack_humanoid *humanoid)
{
    for (uint32_t i = 0; i < humanoid->limit_block_count * 6 * 16; i++) {
        put_f32(writer, humanoid->limits[i / 96][i / 16 % 6][i % 16]);
    }
    put_u32(writer, humanoid->flags);
    for (uint32_t i = 0; i < 7; i++) {
        put_f32(writer, humanoid->settings[i]);
    }
    for (uint32_t part = 0; part < 55; part++) {
        put_u16(writer, humanoid->lanes[part]);
    }
    put_zeros(writer, 2);
    for (uint32_t part = 0; part < 55; part++) {
        put_u32(writer, humanoid->axes[part]);
        for (uint32_t i = 0; i < 9; i++) {
            put_f32(writer, humanoid->angles[part][i]);
        }
    }
}

static void write_pose(struct writer *writer, const struct pack_skeleton *skeleton,
                       const trp_joint_transform *pose)
{
    const struct pack_joint **const of_lane = joints_of_lanes(skeleton);
    for (uint32_t i = 0; i < 160 * skeleton->block_count; i++) {
        const struct pack_joint *const joint = of_lane[i / 160 * 16 + i % 16];
        const trp_joint_transform *const transform =
            joint == NULL ? NULL : &pose[joint - skeleton->joints];
        put_f32(writer, transform_value(transform, i / 16 % 10));
    }
    free(of_lane);
}

static void write_components(struct writer *writer, const struct pack_instance *instance,
                             struct strings *strings)
{
    for (uint32_t i = 0; i < instance->component_count; i++) {
        const struct pack_component *const component = &instance->components[i];
        put_u64(writer, name_hash(component->id));
        put_u32(writer, string_offset(strings, component->id));
        put_u32(writer, string_offset(strings, component->type));
        put_u32(writer, string_offset(strings, component->json));
        put_u32(writer, component->bone);
        put_u32(writer, component->kind);
        put_zeros(writer, 4);
    }
}

static void write_instance(struct writer *writer, const struct pack_content *content,
                           const struct pack_instance *instance, struct strings *strings)
{
    const struct pack_skeleton *const skeleton = &content->skeletons[instance->skeleton];
    const struct pack_humanoid *const humanoid = instance->humanoid;
    put_u64(writer, name_hash(instance->name));
    put_u32(writer, string_offset(strings, instance->name));
    put_u32(writer, string_offset(strings, instance->id));
    put_u32(writer, string_offset(strings, instance->armature_name));
    put_u32(writer, string_offset(strings, instance->armature_id));
    put_u32(writer, instance->skeleton);
    put_u32(writer, skeleton->block_count);
    put_u32(writer, instance->bone_count);
    put_u32(writer, instance->component_count);
    put_u32(writer, humanoid == NULL ? 0 : 1);
    put_u32(writer, instance->pose_of);
    put_u32(writer, humanoid == NULL ? 0 : humanoid->limit_block_count);
    put_zeros(writer, 12);
    if (instance->pose != NULL) {
        write_pose(writer, skeleton, instance->pose);
    }
    if (humanoid != NULL) {
        write_humanoid(writer, humanoid);
    }
    for (uint32_t i = 0; i < instance->bone_count; i++) {
        put_u64(writer, name_hash(instance->ids[i]));
    }
    write_components(writer, instance, strings);
    for (uint32_t i = 0; i < instance->bone_count; i++) {
        put_u32(writer, string_offset(strings, instance->ids[i]));
    }
    for (uint32_t i = 0; humanoid != NULL && i < humanoid->limit_block_count; i++) {
        put_u32(writer, humanoid->limit_blocks[i]);
    }
    for (uint32_t i = 0; i < instance->bone_count; i++) {
        put_f32(writer, instance->lengths[i]);
    }
    for (uint32_t i = 0; i < instance->bone_count; i++) {
        put_u16(writer, instance->lanes[i]);
    }
}

static void write_blendtree(struct writer *writer, const struct pack_blendtree *tree,
                            struct strings *strings)
{
    put_u64(writer, name_hash(tree->name));
    put_u32(writer, string_offset(strings, tree->name));
    put_u32(writer, string_offset(strings, tree->id));
    put_u32(writer, tree->dimensions);
    put_u32(writer, tree->count);
    put_zeros(writer, 8);
    for (uint32_t i = 0; i < tree->count; i++) {
        put_f32(writer, tree->places[i][0]);
        put_f32(writer, tree->places[i][1]);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        put_u32(writer, tree->clips[i]);
    }
}

static const struct pack_track *track_at(const struct pack_clip *clip, uint32_t path, uint32_t lane)
{
    return &clip->tracks[path * 16 * clip->block_count + lane];
}

static uint32_t track_count(const struct pack_clip *clip, uint32_t path, enum pack_track_kind kind)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 16 * clip->block_count; lane++) {
        count += track_at(clip, path, lane)->kind == kind;
    }
    return count;
}

/// Returns the index of an animated track's x among the components of its clip.
static uint32_t component_index(const struct pack_clip *clip, uint32_t path, uint32_t lane)
{
    uint32_t tracks = 0;
    for (uint32_t i = 0; i < path * 16 * clip->block_count + lane; i++) {
        tracks += clip->tracks[i].kind == PACK_ANIMATED;
    }
    return 3 * tracks;
}

static uint32_t animated_value_count(const struct pack_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->value_count; i++) {
        count += clip->values[i].is_animated;
    }
    return count;
}

static uint32_t value_block_count(const struct pack_clip *clip)
{
    return animated_value_count(clip) == 0 ? 0 : (clip->value_count + 15) / 16;
}

static void write_resident_values(struct writer *writer, const struct pack_clip *clip)
{
    for (uint32_t block = 0; block < value_block_count(clip); block++) {
        uint32_t mask = 0;
        for (uint32_t i = 0; i < 16 && 16 * block + i < clip->value_count; i++) {
            mask |= (uint32_t)clip->values[16 * block + i].is_animated << i;
        }
        put_u16(writer, mask);
    }
    for (uint32_t i = 0; i < clip->value_count; i++) {
        if (clip->values[i].is_animated) {
            put_f32(writer, clip->values[i].offset);
        }
    }
    for (uint32_t i = 0; i < clip->value_count; i++) {
        if (clip->values[i].is_animated) {
            put_u16(writer, clip->values[i].step);
        }
    }
}

static void write_masks(struct writer *writer, const struct pack_clip *clip,
                        enum pack_track_kind kind)
{
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t block = 0; block < clip->block_count; block++) {
            uint32_t mask = 0;
            for (uint32_t lane = 0; lane < 16; lane++) {
                mask |= (uint32_t)(track_at(clip, path, 16 * block + lane)->kind == kind) << lane;
            }
            put_u16(writer, mask);
        }
    }
}

static void write_resident(struct writer *writer, const struct pack_clip *clip)
{
    const uint32_t lanes = 16 * clip->block_count;
    write_masks(writer, clip, PACK_ANIMATED);
    write_masks(writer, clip, PACK_CONSTANT);
    write_masks(writer, clip, PACK_RESTING);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct pack_track *const track = track_at(clip, 0, lane);
        if (track->kind == PACK_CONSTANT) {
            for (uint32_t i = 0; i < 3; i++) {
                put_bits(writer, (uint32_t)track->rotation_constant[i], 21);
            }
            put_bits(writer, 0, 1);
        }
    }
    put_bits_end(writer);
    for (uint32_t path = 1; path < 3; path++) {
        for (uint32_t lane = 0; lane < lanes; lane++) {
            for (uint32_t i = 0; i < 3 && track_at(clip, path, lane)->kind == PACK_CONSTANT; i++) {
                put_f32(writer, track_at(clip, path, lane)->constant[i]);
            }
        }
    }
    for (uint32_t path = 1; path < 3; path++) {
        for (uint32_t lane = 0; lane < lanes; lane++) {
            for (uint32_t i = 0; i < 3 && track_at(clip, path, lane)->kind == PACK_ANIMATED; i++) {
                put_f32(writer, track_at(clip, path, lane)->offset[i]);
            }
        }
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        for (uint32_t i = 0; i < 3 && track_at(clip, 0, lane)->kind == PACK_ANIMATED; i++) {
            put_u16(writer, (uint16_t)track_at(clip, 0, lane)->mean[i]);
        }
    }
    for (uint32_t i = 0; i < 3 * lanes; i++) {
        if (clip->tracks[i].kind == PACK_ANIMATED) {
            put_u16(writer, clip->tracks[i].step);
        }
    }
    write_resident_values(writer, clip);
}

static void write_row(struct writer *writer, const struct pack_clip *clip,
                      const struct pack_segment *segment, uint32_t row)
{
    for (uint32_t block = 0; block < clip->block_count; block++) {
        for (uint32_t path = 0; path < 3; path++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                for (uint32_t lane = 16 * block; lane < 16 * block + 16; lane++) {
                    if (track_at(clip, path, lane)->kind == PACK_ANIMATED) {
                        const uint32_t index = component_index(clip, path, lane) + axis;
                        put_bits(writer, segment->fields[row * clip->component_count + index],
                                 segment->widths[index]);
                    }
                }
            }
        }
    }
    for (uint32_t i = clip->component_count - animated_value_count(clip); i < clip->component_count;
         i++) {
        put_bits(writer, segment->fields[row * clip->component_count + i], segment->widths[i]);
    }
    put_bits_end(writer);
}

static uint32_t segment_tick_count(const struct pack_clip *clip, uint32_t index)
{
    const uint32_t left = clip->tick_count - index * clip->ticks_per_segment;
    return left < clip->ticks_per_segment ? left : clip->ticks_per_segment;
}

static bool block_turns(const struct pack_clip *clip, uint32_t block)
{
    bool turns = false;
    for (uint32_t lane = 16 * block; lane < 16 * block + 16; lane++) {
        turns = turns || track_at(clip, 0, lane)->kind == PACK_ANIMATED;
    }
    return turns;
}

/// Returns how many components of a segment share base bits; path 3 is the values.
static uint32_t path_components(const struct pack_clip *clip, uint32_t path)
{
    return path < 3 ? 3 * track_count(clip, path, PACK_ANIMATED) : animated_value_count(clip);
}

static void write_segment(struct writer *writer, const struct pack_clip *clip, uint32_t index)
{
    const struct pack_segment *const segment = &clip->segments[index];
    const size_t start = writer->size;
    const uint32_t tick_count = segment_tick_count(clip, index);
    uint32_t row_bits = 0;
    for (uint32_t i = 0; i < clip->component_count; i++) {
        row_bits += segment->widths[i];
    }
    put_u32(writer, index * clip->ticks_per_segment);
    put_u32(writer, (row_bits + 7) / 8);
    put_u32(writer, 0); // rows offset, known below
    put_u16(writer, tick_count);
    put_u16(writer, segment->row_count);
    put(writer, (segment->has_tick_mask ? 1u : 0u) | (segment->has_holds ? 2u : 0u), 1);
    for (uint32_t path = 0; path < 4; path++) {
        put(writer, segment->base_bits[path], 1);
    }
    put_zeros(writer, 3);
    for (uint32_t i = 0; segment->has_tick_mask && i < tick_count / 64 + 1; i++) {
        put_u64(writer, segment->tick_mask[i]);
    }
    for (uint32_t block = 0; block < clip->block_count; block++) {
        if (block_turns(clip, block)) {
            put(writer, segment->rules[block], 1);
        }
    }
    const uint32_t hold_count = 3 * clip->block_count + value_block_count(clip);
    for (uint32_t i = 0; segment->has_holds && i < hold_count; i++) {
        put_u16(writer, segment->holds[i]);
    }
    for (uint32_t i = 0; i < clip->component_count; i++) {
        put_bits(writer, segment->widths[i], 5);
    }
    for (uint32_t path = 0, i = 0; path < 4; path++) {
        for (const uint32_t end = i + path_components(clip, path); i < end; i++) {
            put_bits(writer, (uint32_t)segment->bases[i], segment->base_bits[path]);
        }
    }
    put_bits_end(writer);
    pack_set_u32(writer->bytes, start + 8, (uint32_t)(writer->size - start));
    for (uint32_t row = 0; row < segment->row_count; row++) {
        write_row(writer, clip, segment, row);
    }
}

/// Writes an array that a group points at, and where it is into the group.
static void point_at_array(struct writer *writer, size_t start, size_t field, size_t alignment)
{
    put_padding(writer, start, alignment);
    pack_set_u32(writer->bytes, field, (uint32_t)(writer->size - start));
}

static bool needs_curve(const struct pack_curve *curve)
{
    return curve->mode >= TRP_INTERPOLATION_BEZIER;
}

static void write_curves(struct writer *writer, size_t start, const struct pack_group *group)
{
    const size_t curves = writer->size;
    for (uint32_t i = 0; i < group->key_count; i++) {
        const struct pack_curve *const curve = &group->curves[i];
        const bool is_bezier = curve->mode == TRP_INTERPOLATION_BEZIER;
        put_u32(writer, is_bezier ? bits_of_float(curve->x[0]) : curve->easing);
        put_u32(writer, is_bezier ? bits_of_float(curve->x[1]) : curve->table_size);
    }
    for (uint32_t i = 0; i < group->key_count; i++) {
        const struct pack_curve *const curve = &group->curves[i];
        if (curve->table_size > 0) {
            point_at_array(writer, start, curves + 8 * i, 4);
        }
        for (uint32_t k = 0; k < curve->table_size; k++) {
            put_f32(writer, curve->table[k]);
        }
    }
}

static void write_group_arrays(struct writer *writer, size_t start, size_t at,
                               const struct pack_group *group)
{
    const uint32_t components = 4 * group->rotation_count + group->scalar_count;
    bool has_curves = false;
    point_at_array(writer, start, at + 12, 8);
    for (uint32_t i = 0; i < group->key_count; i++) {
        put_f64(writer, group->times[i]);
        has_curves = has_curves || needs_curve(&group->curves[i]);
    }
    point_at_array(writer, start, at + 16, 4);
    for (uint32_t i = 0; i < group->key_count * group->planes * components; i++) {
        put_f32(writer, group->values[i]);
    }
    if (group->has_modes) {
        point_at_array(writer, start, at + 20, 1);
        for (uint32_t i = 0; i < group->key_count; i++) {
            put(writer, group->curves[i].mode, 1);
        }
    }
    if (has_curves) {
        point_at_array(writer, start, at + 24, 4);
        write_curves(writer, start, group);
    }
}

static void write_keyed(struct writer *writer, const struct pack_clip *clip)
{
    const size_t start = writer->size;
    uint32_t track_count = 0;
    uint32_t components = 0;
    for (uint32_t i = 0; i < clip->group_count; i++) {
        track_count += clip->groups[i].track_count;
        components += 4 * clip->groups[i].rotation_count + clip->groups[i].scalar_count;
    }
    put_u32(writer, 0); // size, known below
    put_u32(writer, clip->group_count);
    put_u32(writer, track_count);
    put_u32(writer, components);
    uint32_t first_track = 0;
    for (uint32_t i = 0; i < clip->group_count; i++) {
        const struct pack_group *const group = &clip->groups[i];
        put_u32(writer, group->key_count);
        put_u32(writer, group->rotation_count);
        put_u32(writer, group->scalar_count);
        put_zeros(writer, 16); // arrays, known below
        put_u32(writer, first_track);
        put_u32(writer, group->track_count);
        put_u32(writer, 0);
        put(writer, group->curves[0].mode, 1);
        put(writer, group->planes, 1);
        put_zeros(writer, 6);
        first_track += group->track_count;
    }
    for (uint32_t i = 0; i < clip->group_count; i++) {
        for (uint32_t k = 0; k < clip->groups[i].track_count; k++) {
            const struct pack_keyed_track *const track = &clip->groups[i].tracks[k];
            put_u32(writer, track->target);
            put_u32(writer, track->first);
            put_u32(writer, track->stride);
            put_u32(writer, i);
            put(writer, track->path, 1);
            put_zeros(writer, 3);
        }
    }
    for (uint32_t i = 0; i < clip->group_count; i++) {
        write_group_arrays(writer, start, start + 16 + 48 * i, &clip->groups[i]);
    }
    pack_set_u32(writer->bytes, start, (uint32_t)(writer->size - start));
}

uint64_t pack_clip_phase(const struct pack_clip *clip, double time_s)
{
    const double last = clip->tick_count * 1048576.0;
    const double ticks = time_s * ((double)clip->rate_num / (double)clip->rate_den);
    const double phase = floor(ticks * 1048576.0 + 1.0 / 256);
    return (uint64_t)(phase < last ? phase : last);
}

/// Returns the first event of a clip that has the samples of another one.
static uint32_t first_with_samples(const struct pack_clip *clip, uint32_t event)
{
    uint32_t first = 0;
    while (clip->events[first].samples != clip->events[event].samples) {
        first++;
    }
    return first;
}

/// Returns where the samples of an event lie from the start of the events, or where their end lies;
/// 0 where it has none.
static uint32_t samples_at(const struct pack_clip *clip, uint32_t event)
{
    const bool is_end = event == clip->event_count;
    uint32_t at = 16 + 80 * clip->event_count;
    if (!is_end && clip->events[event].samples == NULL) {
        return 0;
    }
    const uint32_t first = is_end ? event : first_with_samples(clip, event);
    for (uint32_t i = 0; i < first; i++) {
        const bool is_own = clip->events[i].samples != NULL && first_with_samples(clip, i) == i;
        at += is_own ? 4 + 4 * clip->events[i].sample_count : 0;
    }
    return at;
}

static void write_events(struct writer *writer, const struct pack_clip *clip,
                         struct strings *strings)
{
    put_u32(writer, samples_at(clip, clip->event_count));
    put_u32(writer, clip->event_count);
    put_zeros(writer, 8);
    for (uint32_t i = 0; i < clip->event_count; i++) {
        put_u64(writer, pack_clip_phase(clip, clip->events[i].time_s));
    }
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const struct pack_event *const event = &clip->events[i];
        put_u64(writer, name_hash(event->name));
        put_f64(writer, event->time_s);
        put_f64(writer, event->duration_s);
        put_u64(writer, (uint64_t)event->integer);
        put_f64(writer, event->number);
        put_u32(writer, string_offset(strings, event->name));
        put_u32(writer, string_offset(strings, event->text == NULL ? "" : event->text));
        put_u32(writer, string_offset(strings, event->target == NULL ? "" : event->target));
        put_u32(writer, event->flags);
        put_f64(writer, event->from_number);
        put_u32(writer, event->easing);
        put_u32(writer, samples_at(clip, i));
    }
    for (uint32_t i = 0; i < clip->event_count; i++) {
        const struct pack_event *const event = &clip->events[i];
        if (event->samples != NULL && first_with_samples(clip, i) == i) {
            put_u32(writer, event->sample_count);
            for (uint32_t k = 0; k < event->sample_count; k++) {
                put_f32(writer, event->samples[k]);
            }
        }
    }
}

static void write_root_motion(struct writer *writer, const struct pack_root_motion *root_motion)
{
    put_u32(writer, 32 + 24 * root_motion->key_count);
    put_u32(writer, root_motion->key_count);
    put_u16(writer, root_motion->lane);
    put(writer, root_motion->components, 1);
    put(writer, root_motion->is_in_pose, 1);
    put_f32(writer, root_motion->pivot[0]);
    put_f32(writer, root_motion->pivot[1]);
    put_zeros(writer, 12);
    for (uint32_t i = 0; i < root_motion->key_count; i++) {
        put_f64(writer, root_motion->times[i]);
    }
    for (uint32_t i = 0; i < 4 * root_motion->key_count; i++) {
        put_f32(writer, root_motion->keys[i / 4][i % 4]);
    }
}

static void write_clip(struct writer *writer, const struct pack_content *content,
                       const struct pack_clip *clip, struct strings *strings)
{
    const size_t start = writer->size;
    const bool has_skeleton = clip->skeleton != TRP_NONE;
    uint32_t row_count = 0;
    for (uint32_t i = 0; i < clip->segment_count; i++) {
        row_count += clip->segments[i].row_count;
    }
    put_u64(writer, name_hash(clip->name));
    put_u64(writer,
            has_skeleton ? pack_bind_hash(&content->skeletons[clip->skeleton]) : clip->bind_hash);
    put_u32(writer, string_offset(strings, clip->name));
    put_u32(writer, string_offset(strings, clip->source_file));
    put_u32(writer, string_offset(strings, clip->source_clip));
    put_u32(writer, string_offset(strings, clip->additive_reference));
    put_u32(writer, clip->skeleton);
    put_u32(writer, clip->flags);
    put_u32(writer, clip->block_count);
    put_u32(writer, clip->rate_num);
    put_u32(writer, clip->rate_den);
    put_u32(writer, clip->tick_count);
    put_u32(writer, clip->ticks_per_segment);
    put_u32(writer, clip->segment_count);
    for (uint32_t path = 0; path < 3; path++) {
        put_u16(writer, track_count(clip, path, PACK_CONSTANT));
    }
    for (uint32_t path = 0; path < 3; path++) {
        put_u16(writer, track_count(clip, path, PACK_ANIMATED));
    }
    put_f32(writer, 1);     // metres per unit
    put_f32(writer, 0.1f);  // budget
    put_f32(writer, 0.03f); // shell
    put_f32(writer, 0.05f); // largest error at rows
    put_f32(writer, 0.09f); // anywhere
    put_f32(writer, 0.01f); // mean
    put_u32(writer, 0);     // loop
    put_u32(writer, row_count);
    put_u32(writer, 3); // source joint count
    put_u32(writer, 7); // source clip index
    put_u32(writer, clip->property_set);
    put_u32(writer, 0); // keyed offset, known below
    put_u32(writer, value_block_count(clip));
    put_u32(writer, animated_value_count(clip));
    put_zeros(writer, 4); // lead-in
    put_zeros(writer, 8); // offsets of events and root motion, known below
    put_u32(writer, string_offset(strings, clip->source_id == NULL ? "" : clip->source_id));
    put_zeros(writer, 12);

    const size_t entries = writer->size;
    put_zeros(writer, 8 * clip->segment_count);
    write_resident(writer, clip);
    for (uint32_t i = 0; i < clip->segment_count; i++) {
        put_padding(writer, start, 16);
        const size_t segment = writer->size;
        write_segment(writer, clip, i);
        pack_set_u32(writer->bytes, entries + 8 * i, (uint32_t)(segment - start));
        pack_set_u32(writer->bytes, entries + 8 * i + 4, (uint32_t)(writer->size - segment));
    }
    if (clip->group_count > 0) {
        put_padding(writer, start, 16);
        pack_set_u32(writer->bytes, start + 120, (uint32_t)(writer->size - start));
        write_keyed(writer, clip);
    }
    if (clip->event_count > 0) {
        put_padding(writer, start, 16);
        pack_set_u32(writer->bytes, start + 136, (uint32_t)(writer->size - start));
        write_events(writer, clip, strings);
    }
    if (clip->root_motion != NULL) {
        put_padding(writer, start, 16);
        pack_set_u32(writer->bytes, start + 140, (uint32_t)(writer->size - start));
        write_root_motion(writer, clip->root_motion);
    }
}

// -- File

static uint32_t object_count(const struct pack_content *content, enum pack_section kind)
{
    return kind == PACK_SKELETONS    ? content->skeleton_count
           : kind == PACK_SKINS      ? content->skin_count
           : kind == PACK_CLIPS      ? content->clip_count
           : kind == PACK_PROPERTIES ? content->property_set_count
           : kind == PACK_INSTANCES  ? content->instance_count
           : kind == PACK_BLENDTREES ? content->blendtree_count
                                     : 0;
}

static void write_objects(struct writer *writer, const struct pack_content *content,
                          enum pack_section kind, struct strings *strings)
{
    const uint32_t count = object_count(content, kind);
    const size_t start = writer->size;
    put_zeros(writer, 8 * count);
    for (uint32_t i = 0; i < count; i++) {
        put_padding(writer, start, kind == PACK_CLIPS ? 16 : 64);
        const size_t object = writer->size;
        switch (kind) {
        case PACK_SKELETONS:
            write_skeleton(writer, &content->skeletons[i], strings);
            break;
        case PACK_SKINS:
            write_skin(writer, &content->skins[i], strings);
            break;
        case PACK_CLIPS:
            write_clip(writer, content, &content->clips[i], strings);
            break;
        case PACK_PROPERTIES:
            write_property_set(writer, &content->property_sets[i], strings);
            break;
        case PACK_INSTANCES:
            write_instance(writer, content, &content->instances[i], strings);
            break;
        case PACK_BLENDTREES:
            write_blendtree(writer, &content->blendtrees[i], strings);
            break;
        case PACK_STRINGS:
            break;
        }
        pack_set_u32(writer->bytes, start + 8 * i, (uint32_t)(object - start));
        pack_set_u32(writer->bytes, start + 8 * i + 4, (uint32_t)(writer->size - object));
    }
}

/// Only sections with something in them are written, strings last: by then all are known.
static void write_sections(struct writer *writer, const struct pack_content *content,
                           struct strings *strings)
{
    static const enum pack_section order[7] = {
        PACK_SKELETONS, PACK_SKINS,      PACK_PROPERTIES, PACK_INSTANCES,
        PACK_CLIPS,     PACK_BLENDTREES, PACK_STRINGS,
    };
    size_t row = 64;
    for (uint32_t i = 0; i < 7; i++) {
        const bool is_strings = order[i] == PACK_STRINGS;
        const uint32_t count = object_count(content, order[i]);
        if (is_strings ? strings->size == 0 : count == 0) {
            continue;
        }
        put_padding(writer, 0, 64);
        const size_t start = writer->size;
        for (uint32_t k = 0; is_strings && k < strings->size; k++) {
            put(writer, (uint8_t)strings->bytes[k], 1);
        }
        write_objects(writer, content, order[i], strings);
        pack_set_u32(writer->bytes, row, order[i]);
        pack_set_u32(writer->bytes, row + 4, count);
        pack_set_u64(writer->bytes, row + 8, start);
        pack_set_u64(writer->bytes, row + 16, writer->size - start);
        row += 32;
    }
}

uint8_t *pack_write(const struct pack_content *content, size_t *size_bytes)
{
    const uint32_t object_sections = (content->skeleton_count > 0) + (content->skin_count > 0) +
                                     (content->property_set_count > 0) +
                                     (content->instance_count > 0) + (content->clip_count > 0) +
                                     (content->blendtree_count > 0);
    const bool is_empty = object_sections == 0;
    const uint32_t section_count = is_empty ? 0 : 1 + object_sections;
    struct strings *const strings = calloc(1, sizeof *strings);
    struct writer writer = {0};
    if (strings == NULL) {
        abort();
    }
    strings->size = is_empty ? 0 : 1;
    put_u32(&writer, 0x4B505254);
    put_u32(&writer, 0x01020304);
    put_u32(&writer, 1);
    put_u32(&writer, 0);
    put_zeros(&writer, 16); // size and hash, known below
    put_u32(&writer, section_count);
    put_zeros(&writer, 28);
    put_zeros(&writer, 32 * section_count);
    write_sections(&writer, content, strings);
    put_padding(&writer, 0, 64);
    put_zeros(&writer, 64);
    pack_set_u64(writer.bytes, 16, writer.size);
    pack_rehash(writer.bytes, writer.size);

    uint8_t *const bytes = aligned_alloc(64, writer.size);
    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, writer.bytes, writer.size);
    *size_bytes = writer.size;
    free(writer.bytes);
    free(strings);
    return bytes;
}

size_t pack_section_row(const uint8_t *bytes, enum pack_section kind)
{
    for (uint32_t i = 0; i < pack_get_u32(bytes, 32); i++) {
        if (pack_get_u32(bytes, 64 + 32 * i) == (uint32_t)kind) {
            return 64 + 32 * i;
        }
    }
    return 0;
}

size_t pack_object(const uint8_t *bytes, enum pack_section kind, uint32_t index)
{
    const size_t start = (size_t)pack_get_u64(bytes, pack_section_row(bytes, kind) + 8);
    return start + pack_get_u32(bytes, start + 8 * index);
}

size_t pack_segment_at(const uint8_t *bytes, uint32_t clip, uint32_t segment)
{
    const size_t start = pack_object(bytes, PACK_CLIPS, clip);
    return start + pack_get_u32(bytes, start + 160 + 8 * segment);
}

size_t pack_keyed_at(const uint8_t *bytes, uint32_t clip)
{
    const size_t start = pack_object(bytes, PACK_CLIPS, clip);
    return start + pack_get_u32(bytes, start + 120);
}

size_t pack_events_at(const uint8_t *bytes, uint32_t clip)
{
    const size_t start = pack_object(bytes, PACK_CLIPS, clip);
    return start + pack_get_u32(bytes, start + 136);
}

size_t pack_root_at(const uint8_t *bytes, uint32_t clip)
{
    const size_t start = pack_object(bytes, PACK_CLIPS, clip);
    return start + pack_get_u32(bytes, start + 140);
}

// -- Values

uint32_t pack_clip_row_tick(const struct pack_clip *clip, uint32_t segment, uint32_t row)
{
    const struct pack_segment *const of = &clip->segments[segment];
    const uint32_t first = segment * clip->ticks_per_segment;
    if (!of->has_tick_mask) {
        return first + row;
    }
    for (uint32_t tick = 0;; tick++) {
        if ((of->tick_mask[tick / 64] >> tick % 64 & 1) != 0 && row-- == 0) {
            return first + tick;
        }
    }
}

static void quat_of_rodrigues(const double s[3], double q[4])
{
    const double d = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    for (uint32_t i = 0; i < 3; i++) {
        q[i] = 2 * s[i] / (1 + d);
    }
    q[3] = (1 - d) / (1 + d);
}

static double step_value(uint16_t step)
{
    const uint32_t bits = (uint32_t)step << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool pack_clip_value(const struct pack_clip *clip, trp_path path, uint32_t lane, uint32_t segment,
                     uint32_t row, double out[4])
{
    const struct pack_track *const track = track_at(clip, path, lane);
    if (track->kind != PACK_CONSTANT && track->kind != PACK_ANIMATED) {
        return false;
    }
    double value[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (track->kind == PACK_CONSTANT) {
            value[i] = path == TRP_PATH_ROTATION ? track->rotation_constant[i] / 1048575.0
                                                 : track->constant[i];
            continue;
        }
        const struct pack_segment *const of = &clip->segments[segment];
        const uint32_t index = component_index(clip, path, lane) + i;
        const double units =
            (double)of->bases[index] + of->fields[row * clip->component_count + index];
        value[i] = step_value(track->step) * units;
        value[i] += path == TRP_PATH_ROTATION ? 0 : track->offset[i];
    }
    if (path != TRP_PATH_ROTATION) {
        memcpy(out, value, sizeof value);
        return true;
    }
    double q[4];
    quat_of_rodrigues(value, q);
    if (track->kind == PACK_CONSTANT) {
        memcpy(out, q, sizeof q);
        return true;
    }
    const double mean[3] = {
        track->mean[0] / 32767.0,
        track->mean[1] / 32767.0,
        track->mean[2] / 32767.0,
    };
    double m[4];
    quat_of_rodrigues(mean, m);
    out[0] = m[3] * q[0] + m[0] * q[3] + m[1] * q[2] - m[2] * q[1];
    out[1] = m[3] * q[1] - m[0] * q[2] + m[1] * q[3] + m[2] * q[0];
    out[2] = m[3] * q[2] + m[0] * q[1] - m[1] * q[0] + m[2] * q[3];
    out[3] = m[3] * q[3] - m[0] * q[0] - m[1] * q[1] - m[2] * q[2];
    return true;
}

bool pack_clip_property(const struct pack_clip *clip, uint32_t value, uint32_t segment,
                        uint32_t row, double *out)
{
    if (!clip->values[value].is_animated) {
        return false;
    }
    uint32_t index = clip->component_count - animated_value_count(clip);
    for (uint32_t i = 0; i < value; i++) {
        index += clip->values[i].is_animated;
    }
    const struct pack_segment *const of = &clip->segments[segment];
    const double units = (double)of->bases[index] + of->fields[row * clip->component_count + index];
    *out = clip->values[value].offset + step_value(clip->values[value].step) * units;
    return true;
}

// -- Random content

uint64_t pack_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/// Returns a number in [0, limit).
static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(pack_random(state) % limit);
}

/// Returns a number in [low, high).
static double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(pack_random(state) >> 11) * 0x1p-53;
}

static const char *random_name(struct pack_content *content, const char *kind, uint32_t index)
{
    char *const name = pack_content_allocate(content, 32);
    snprintf(name, 32, "%s %u \xC3\xA9", kind, index);
    return name;
}

static void random_transform(uint64_t *state, trp_joint_transform *transform)
{
    double q[4];
    double length = 0;
    for (uint32_t i = 0; i < 4; i++) {
        q[i] = random_between(state, -1, 1);
        length += q[i] * q[i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        transform->rotation[i] = (float)(q[i] / sqrt(length));
    }
    for (uint32_t i = 0; i < 3; i++) {
        transform->translation[i] = (float)random_between(state, -1, 1);
        transform->scale[i] = (float)random_between(state, 0.5, 1.5);
    }
}

static void random_matrix(uint64_t *state, float matrix[12])
{
    for (uint32_t i = 0; i < 12; i++) {
        matrix[i] = (float)random_between(state, -1, 1);
    }
}

/// Lanes come in a random order that keeps parents first: joints are dealt out one by one, each to
/// the next lane of its part, and numbered anew afterwards.
static void random_skeleton(struct pack_content *content, const struct pack_recipe *recipe,
                            uint64_t *state, struct pack_skeleton *skeleton)
{
    const uint32_t main_count = recipe->joint_count;
    const uint32_t count = main_count + recipe->attachment_count;
    const uint32_t main_blocks = (main_count + 15) / 16;
    skeleton->name = random_name(content, "skeleton", 0);
    skeleton->metres_per_unit = 0.01;
    random_matrix(state, skeleton->root_transform);
    skeleton->joint_block_count = main_blocks;
    skeleton->block_count = main_blocks + (recipe->attachment_count + 15) / 16;
    skeleton->joint_count = count;
    skeleton->joints = pack_content_allocate(content, count * sizeof *skeleton->joints);

    uint32_t *const joint_of_rank = pack_content_allocate(content, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = random_below(state, i + 1);
        joint_of_rank[i] = joint_of_rank[other];
        joint_of_rank[other] = i;
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        struct pack_joint *const joint = &skeleton->joints[joint_of_rank[rank]];
        const bool is_main = rank < main_count;
        joint->name = random_name(content, "joint", joint_of_rank[rank] / 2); // two share each
        joint->id =
            joint_of_rank[rank] % 4 == 3 ? NULL : random_name(content, "id", joint_of_rank[rank]);
        joint->node = 100 + joint_of_rank[rank];
        joint->lane = (uint16_t)(is_main ? rank : 16 * main_blocks + rank - main_count);
        const bool is_root = rank == 0 || (!recipe->is_chain && random_below(state, 16) == 0);
        const uint32_t parent_rank = is_root            ? 0
                                     : recipe->is_chain ? rank - 1
                                                        : random_below(state, rank);
        joint->parent = is_root ? TRP_NONE : joint_of_rank[parent_rank];
        random_transform(state, &joint->rest);
    }
}

static void random_skin(struct pack_content *content, uint64_t *state, uint32_t index,
                        struct pack_skin *skin)
{
    const struct pack_skeleton *const skeleton = &content->skeletons[0];
    skin->name = random_name(content, "skin", index);
    skin->joint_count = 1 + random_below(state, skeleton->joint_count + 3);
    skin->lanes = pack_content_allocate(content, skin->joint_count * sizeof *skin->lanes);
    skin->inverse_bind =
        pack_content_allocate(content, skin->joint_count * sizeof *skin->inverse_bind);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        skin->lanes[i] = skeleton->joints[random_below(state, skeleton->joint_count)].lane;
        random_matrix(state, skin->inverse_bind[i]);
    }
}

static bool holds_joint(const struct pack_skeleton *skeleton, uint32_t lane)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (skeleton->joints[i].lane == lane) {
            return true;
        }
    }
    return false;
}

/// Fills in a track. Steps are such that 2^24 of them span at most 4 (rotations) or 64.
static void random_track(uint64_t *state, uint32_t path, struct pack_track *track)
{
    for (uint32_t i = 0; i < 3; i++) {
        track->rotation_constant[i] = (int32_t)random_between(state, -600000, 600000);
        track->constant[i] = (float)random_between(state, -2, 2);
        track->mean[i] = (int16_t)random_between(state, -18000, 18000);
        track->offset[i] = (float)random_between(state, -2, 2);
    }
    const uint32_t exponent = 127 - (path == 0 ? 23 : 19) - random_below(state, 3);
    track->step = (uint16_t)(exponent << 7 | random_below(state, 128));
}

/// Each block of each path is of one temper, so that blocks without movement, without anything,
/// and mixed ones all come up.
static void random_tracks(struct pack_content *content, const struct pack_recipe *recipe,
                          const struct pack_skeleton *skeleton, uint64_t *state,
                          struct pack_clip *clip)
{
    clip->tracks = pack_content_allocate(content, 48 * clip->block_count * sizeof *clip->tracks);
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t block = 0; block < clip->block_count; block++) {
            const uint32_t temper = random_below(state, 4);
            for (uint32_t lane = 16 * block; lane < 16 * block + 16; lane++) {
                static const enum pack_track_kind kinds[4] = {
                    PACK_ABSENT,
                    PACK_RESTING,
                    PACK_CONSTANT,
                    PACK_ANIMATED,
                };
                struct pack_track *const track =
                    &clip->tracks[path * 16 * clip->block_count + lane];
                random_track(state, path, track);
                const uint32_t limit = recipe->is_still || temper == 0 ? 3 : 4;
                const enum pack_track_kind kind = temper == 3 && !recipe->is_still
                                                      ? PACK_ANIMATED
                                                      : kinds[random_below(state, limit)];
                track->kind = holds_joint(skeleton, lane) ? kind : PACK_ABSENT;
                clip->component_count += track->kind == PACK_ANIMATED ? 3 : 0;
            }
        }
    }
}

static void random_tick_mask(uint64_t *state, uint32_t tick_count, struct pack_segment *segment)
{
    segment->has_tick_mask = random_below(state, 2) == 0;
    segment->row_count = 0;
    for (uint32_t tick = 0; tick <= tick_count; tick++) {
        const bool is_end = tick == 0 || tick == tick_count;
        if (!segment->has_tick_mask || is_end || random_below(state, 3) == 0) {
            segment->tick_mask[tick / 64] |= 1ull << tick % 64;
            segment->row_count++;
        }
    }
}

/// Returns the type of a property: floats in rows, bool, int or string, keyed floats by turns.
static trp_property_type type_of_property(uint32_t index)
{
    static const trp_property_type types[8] = {
        TRP_PROPERTY_FLOAT, TRP_PROPERTY_BOOL, TRP_PROPERTY_INT,    TRP_PROPERTY_FLOAT,
        TRP_PROPERTY_FLOAT, TRP_PROPERTY_BOOL, TRP_PROPERTY_STRING, TRP_PROPERTY_FLOAT,
    };
    return types[index % 8];
}

/// A set with two texts, of which the first one is empty, and properties that go round.
static void random_property_set(struct pack_content *content, uint64_t *state, uint32_t count)
{
    struct pack_property_set *const set = pack_content_allocate(content, sizeof *set);
    content->property_set_count = 1;
    content->property_sets = set;
    set->name = random_name(content, "set", 0);
    set->property_count = count;
    set->properties = pack_content_allocate(content, count * sizeof *set->properties);
    set->text_count = 2;
    set->texts = pack_content_allocate(content, set->text_count * sizeof *set->texts);
    set->texts[0] = "";
    set->texts[1] = random_name(content, "text", 1);
    for (uint32_t i = 0; i < count; i++) {
        struct pack_property *const property = &set->properties[i];
        property->path = random_name(content, "/property", i / 2); // two share each
        property->type = type_of_property(i);
        property->value_count = i % 4 == 0 ? 3 : 1 + random_below(state, 3);
        property->node = i % 2 == 0 ? 100 + i : TRP_NONE;
        property->defaults = pack_content_allocate(content, property->value_count * sizeof(float));
        property->labels =
            pack_content_allocate(content, property->value_count * sizeof(const char *));
        for (uint32_t k = 0; k < property->value_count; k++) {
            property->defaults[k] = property->type == TRP_PROPERTY_FLOAT
                                        ? (float)random_between(state, -2, 2)
                                        : (float)random_below(state, 2);
            property->labels[k] = k == 0 ? "" : random_name(content, "label", k);
        }
    }
}

static void random_values(struct pack_content *content, const struct pack_recipe *recipe,
                          uint64_t *state, struct pack_clip *clip)
{
    const struct pack_property_set *const set = &content->property_sets[0];
    clip->property_set = 0;
    for (uint32_t i = 0; i < set->property_count; i++) {
        clip->value_count += set->properties[i].value_count;
    }
    clip->values = pack_content_allocate(content, clip->value_count * sizeof *clip->values);
    struct pack_value *value = clip->values;
    for (uint32_t i = 0; i < set->property_count; i++) {
        for (uint32_t k = 0; k < set->properties[i].value_count; k++, value++) {
            struct pack_track track;
            random_track(state, 2, &track);
            value->is_animated = i % 4 == 0 && k != 1 && !recipe->is_still;
            value->offset = track.offset[0];
            value->step = track.step;
        }
    }
    clip->component_count += animated_value_count(clip);
}

// -- Random keys

static void add_keyed_track(struct pack_group *group, trp_path path, uint32_t target,
                            uint32_t stride)
{
    const bool is_rotation = path == TRP_PATH_ROTATION;
    group->tracks[group->track_count++] = (struct pack_keyed_track){
        .path = path,
        .target = target,
        .first = is_rotation ? group->rotation_count : group->scalar_count,
        .stride = stride,
    };
    group->rotation_count += is_rotation;
    group->scalar_count += is_rotation ? 0 : stride;
}

/// Deals some of what is not in rows out to groups. What is not float goes to the first one.
static void random_keyed_tracks(const struct pack_content *content, uint64_t *state,
                                struct pack_clip *clip)
{
    for (uint32_t i = 0; i < 48 * clip->block_count; i++) {
        const uint32_t path = i / (16 * clip->block_count);
        const uint32_t lane = i % (16 * clip->block_count);
        const bool is_free =
            clip->tracks[i].kind != PACK_ANIMATED && holds_joint(&content->skeletons[0], lane);
        if (is_free && random_below(state, 2) == 0) {
            add_keyed_track(&clip->groups[random_below(state, clip->group_count)], (trp_path)path,
                            lane, path == 0 ? 4 : 3);
        }
    }
    const bool has_set = clip->property_set != TRP_NONE;
    for (uint32_t i = 0; has_set && i < content->property_sets[0].property_count; i++) {
        const struct pack_property *const property = &content->property_sets[0].properties[i];
        const uint32_t group = random_below(state, clip->group_count);
        if (i % 4 != 0) {
            add_keyed_track(&clip->groups[property->type == TRP_PROPERTY_FLOAT ? group : 0],
                            TRP_PATH_PROPERTY, i, property->value_count);
        }
    }
}

static void random_curve(struct pack_content *content, uint64_t *state, bool is_step,
                         const struct pack_group *group, struct pack_curve *curve)
{
    do {
        curve->mode = (uint8_t)random_below(state, is_step ? 1 : TRP_INTERPOLATION_SAMPLED + 1);
    } while (group->planes == 1 &&
             (curve->mode == TRP_INTERPOLATION_CUBIC || curve->mode == TRP_INTERPOLATION_BEZIER));
    if (curve->mode == TRP_INTERPOLATION_BEZIER) {
        curve->x[0] = (float)random_between(state, 0, 1);
        curve->x[1] = (float)random_between(state, 0, 1);
    } else if (curve->mode == TRP_INTERPOLATION_EASING) {
        curve->easing = random_below(state, 41);
    } else if (curve->mode == TRP_INTERPOLATION_SAMPLED) {
        curve->table_size = 2 + random_below(state, 3);
        curve->table = pack_content_allocate(content, curve->table_size * sizeof(float));
        for (uint32_t i = 0; i < curve->table_size; i++) {
            curve->table[i] = (float)random_between(state, -0.5, 1.5);
        }
    }
}

/// Values in [-2, 2]; rotations of unit length in the plane of values.
static void random_key_values(uint64_t *state, struct pack_group *group)
{
    const uint32_t rotations = group->rotation_count;
    const uint32_t components = 4 * rotations + group->scalar_count;
    for (uint32_t i = 0; i < group->key_count * group->planes; i++) {
        float *const plane = group->values + (size_t)i * components;
        for (uint32_t k = 0; k < components; k++) {
            plane[k] = (float)random_between(state, -2, 2);
        }
        for (uint32_t k = 0; i % group->planes == group->planes / 2 && k < rotations; k++) {
            trp_joint_transform transform;
            random_transform(state, &transform);
            for (uint32_t c = 0; c < 4; c++) {
                plane[c * rotations + k] = transform.rotation[c];
            }
        }
    }
}

/// Lets the first of several keys be before the clip, where no joint is in the group.
static void set_initial_key(struct pack_group *group)
{
    for (uint32_t i = 0; i < group->track_count; i++) {
        if (group->tracks[i].path != TRP_PATH_PROPERTY) {
            return;
        }
    }
    group->times[0] = group->key_count > 1 ? -1 : group->times[0];
}

static void random_keys(struct pack_content *content, uint64_t *state, bool is_step,
                        struct pack_group *group)
{
    const uint32_t key_count = 1 + random_below(state, 5);
    group->key_count = key_count;
    group->scalar_count += group->rotation_count + group->scalar_count == 0; // of no track
    group->planes = random_below(state, 2) == 0 ? 1 : 3;
    group->times = pack_content_allocate(content, key_count * sizeof *group->times);
    group->values = pack_content_allocate(
        content, (size_t)key_count * group->planes *
                     (4 * group->rotation_count + group->scalar_count) * sizeof(float));
    group->curves = pack_content_allocate(content, key_count * sizeof *group->curves);
    group->has_modes = key_count > 1 && random_below(state, 2) == 0;
    double time = random_below(state, 2) * 0.1;
    for (uint32_t i = 0; i < key_count; i++) {
        group->times[i] = time;
        time += random_between(state, 0.01, 0.2);
        random_curve(content, state, is_step, group, &group->curves[i]);
        group->curves[i] = group->has_modes ? group->curves[i] : group->curves[0];
    }
    random_key_values(state, group);
}

static void random_groups(struct pack_content *content, const struct pack_recipe *recipe,
                          uint64_t *state, struct pack_clip *clip)
{
    const uint32_t group_count = recipe->group_count;
    const uint32_t most = 48 * clip->block_count + clip->value_count;
    clip->group_count = group_count;
    clip->groups = pack_content_allocate(content, group_count * sizeof *clip->groups);
    for (uint32_t i = 0; i < group_count; i++) {
        clip->groups[i].tracks =
            pack_content_allocate(content, most * sizeof(struct pack_keyed_track));
    }
    random_keyed_tracks(content, state, clip);
    for (uint32_t i = 0; i < group_count; i++) {
        random_keys(content, state, i == 0, &clip->groups[i]);
        if (recipe->has_initial_keys) {
            set_initial_key(&clip->groups[i]);
        }
    }
}

static double clip_duration(const struct pack_clip *clip)
{
    return (double)clip->tick_count * clip->rate_den / clip->rate_num;
}

/// Events at random times, one in four at the same time as the one before it, the last one at the
/// end of the clip. Every second one lasts a while, one in six beyond the clip, payloads and
/// easings go round, and one in four has samples, every second one those of the one before.
static void random_events(struct pack_content *content, uint64_t *state, uint32_t count,
                          struct pack_clip *clip)
{
    const double duration = clip_duration(clip);
    clip->event_count = count;
    clip->events = pack_content_allocate(content, count * sizeof *clip->events);
    double time = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pack_event *const event = &clip->events[i];
        const double left = duration - time;
        time += random_below(state, 4) == 0 ? 0 : random_between(state, 0, left / (count - i));
        time = i + 1 == count ? duration : time;
        event->name = random_name(content, "event", i / 2); // two share each
        event->time_s = time;
        event->duration_s = i % 2 == 0 ? 0 : random_between(state, 0, duration - time);
        event->flags = i % 16;
        event->integer = event->flags & TRP_EVENT_INTEGER ? -(int64_t)pack_random(state) : 0;
        event->number = event->flags & TRP_EVENT_NUMBER ? random_between(state, -9, 9) : 0;
        event->text = event->flags & TRP_EVENT_TEXT ? random_name(content, "text", i) : NULL;
        event->target = i % 3 == 0 ? NULL : random_name(content, "target", i);
        event->from_number = event->flags & TRP_EVENT_NUMBER ? -1.5 * i : 0;
        event->easing = i * 7 % 41;
        event->duration_s *= i % 6 == 5 ? 9 : 1;
        if (i % 4 == 3) {
            const uint32_t sample_count = 2 + i % 7;
            float *const samples = pack_content_allocate(content, sample_count * sizeof *samples);
            for (uint32_t k = 0; k < sample_count; k++) {
                samples[k] = (float)(k * i % 5) - 1;
            }
            event->easing = 0;
            event->sample_count = i % 8 == 7 ? event[-4].sample_count : sample_count;
            event->samples = i % 8 == 7 ? event[-4].samples : samples;
        }
    }
}

/// Root motion of the first lane, with keys from the start of the clip to its end.
static void random_root_motion(struct pack_content *content, uint64_t *state, uint32_t key_count,
                               struct pack_clip *clip)
{
    struct pack_root_motion *const root_motion =
        pack_content_allocate(content, sizeof *root_motion);
    const uint32_t count = clip->tick_count == 0 ? 1 : key_count;
    clip->root_motion = root_motion;
    root_motion->components = (uint8_t)(1 + random_below(state, 15));
    root_motion->is_in_pose = (clip->flags & TRP_CLIP_ROOT_MOTION) == 0;
    root_motion->key_count = count;
    for (uint32_t i = 0; i < 2 && (root_motion->components & TRP_ROOT_YAW) != 0; i++) {
        root_motion->pivot[i] = (float)random_between(state, -30, 30);
    }
    root_motion->times = pack_content_allocate(content, count * sizeof *root_motion->times);
    root_motion->keys = pack_content_allocate(content, count * sizeof *root_motion->keys);
    for (uint32_t i = 1; i < count; i++) {
        root_motion->times[i] = clip_duration(clip) * i / (count - 1);
        for (uint32_t k = 0; k < 4; k++) {
            const bool moves = (root_motion->components >> k & 1) != 0;
            root_motion->keys[i][k] = moves ? (float)random_between(state, -2, 2) : 0;
        }
    }
}

static void random_segment(struct pack_content *content, uint64_t *state,
                           const struct pack_clip *clip, uint32_t index,
                           struct pack_segment *segment)
{
    const uint32_t count = clip->component_count;
    const uint32_t hold_count = 3 * clip->block_count + value_block_count(clip);
    const bool has_values = value_block_count(clip) > 0;
    uint64_t value_state = ~*state; // joints come out the same with and without values
    random_tick_mask(state, segment_tick_count(clip, index), segment);
    segment->has_holds = random_below(state, 2) == 0;
    segment->rules = pack_content_allocate(content, clip->block_count);
    segment->holds = pack_content_allocate(content, hold_count * sizeof(uint16_t));
    segment->widths = pack_content_allocate(content, count);
    segment->bases = pack_content_allocate(content, count * sizeof *segment->bases);
    segment->fields =
        pack_content_allocate(content, segment->row_count * count * sizeof *segment->fields);
    for (uint32_t block = 0; block < clip->block_count; block++) {
        static const uint8_t rules[5] = {1, 2, 3, 6, 7};
        segment->rules[block] = rules[random_below(state, 5)];
    }
    for (uint32_t i = 0; i < 48 * clip->block_count; i++) {
        const bool holds = clip->tracks[i].kind == PACK_ANIMATED && random_below(state, 4) == 0;
        segment->holds[i / 16] |= (uint16_t)(holds ? 1u << i % 16 : 0);
    }
    for (uint32_t i = 0; has_values && i < clip->value_count; i++) {
        const bool holds = clip->values[i].is_animated && random_below(&value_state, 4) == 0;
        segment->holds[3 * clip->block_count + i / 16] |= (uint16_t)(holds ? 1u << i % 16 : 0);
    }
    // Base + 2^width stays within 2^25 units.
    for (uint32_t path = 0, i = 0; path < 4; path++) {
        uint64_t *const chance = path < 3 ? state : &value_state;
        const uint32_t bits = random_below(chance, 8) == 0 ? 0 : 1 + random_below(chance, 25);
        segment->base_bits[path] =
            (uint8_t)(bits + (bits != 0 && random_below(chance, 8) == 0 ? 32 - bits : 0));
        for (const uint32_t end = i + path_components(clip, path); i < end; i++) {
            const int32_t half = bits == 0 ? 0 : (int32_t)(1u << bits >> 1);
            segment->bases[i] =
                half == 0 ? 0 : (int32_t)random_below(chance, 2 * (uint32_t)half) - half;
            segment->widths[i] =
                (uint8_t)(random_below(chance, 4) == 0 ? 0 : random_below(chance, 25));
        }
    }
    for (uint32_t i = 0; i < segment->row_count * count; i++) {
        const uint32_t width = segment->widths[i % count];
        const bool is_value = i % count >= count - animated_value_count(clip);
        segment->fields[i] = random_below(is_value ? &value_state : state, 1u << width);
    }
}

static void random_clip(struct pack_content *content, const struct pack_recipe *recipe,
                        const struct pack_skeleton *skeleton, uint64_t *state, uint32_t index,
                        struct pack_clip *clip)
{
    static const uint32_t rates[5][2] = {{24, 1}, {25, 1}, {30, 1}, {30000, 1001}, {120, 1}};
    const uint32_t rate = random_below(state, 5);
    clip->name = random_name(content, "clip", index);
    clip->source_file = "file";
    clip->source_clip = random_name(content, "source clip", index);
    clip->source_id = index % 4 == 3 ? NULL : random_name(content, "clip id", index);
    clip->additive_reference = (recipe->flags & TRP_CLIP_ADDITIVE) != 0 ? "rest" : "";
    clip->skeleton = recipe->only_clips ? TRP_NONE : 0;
    clip->bind_hash = pack_bind_hash(skeleton);
    clip->flags = recipe->flags;
    clip->block_count = skeleton->block_count;
    clip->rate_num = rates[rate][0];
    clip->rate_den = rates[rate][1];
    clip->tick_count = recipe->tick_count;
    clip->ticks_per_segment = recipe->ticks_per_segment;
    clip->property_set = TRP_NONE;
    if (recipe->is_jointless) {
        clip->skeleton = TRP_NONE;
        clip->bind_hash = 0;
        clip->block_count = 0;
        clip->flags &= ~(uint32_t)TRP_CLIP_ROOT_MOTION;
    }
    random_tracks(content, recipe, skeleton, state, clip);
    uint64_t value_state = ~*state ^ recipe->key_seed;
    if (recipe->property_count > 0) {
        random_values(content, recipe, &value_state, clip);
    }
    if (recipe->group_count > 0) {
        random_groups(content, recipe, &value_state, clip);
    }
    uint64_t event_state = ~value_state;
    random_events(content, &event_state, recipe->event_count, clip);
    if (recipe->root_key_count > 0 && clip->block_count > 0) {
        random_root_motion(content, &event_state, recipe->root_key_count, clip);
    }
    if (clip->component_count == 0) {
        return;
    }
    clip->segment_count = clip->tick_count == 0 ? 1
                                                : (clip->tick_count + clip->ticks_per_segment - 1) /
                                                      clip->ticks_per_segment;
    clip->segments = pack_content_allocate(content, clip->segment_count * sizeof *clip->segments);
    for (uint32_t i = 0; i < clip->segment_count; i++) {
        random_segment(content, state, clip, i, &clip->segments[i]);
    }
}

// -- Random scenes

/// Every second block or so has limits, the first one always: smallest ones below 0, largest above,
/// now and then no limit.
static void random_limits(struct pack_content *content, uint64_t *state,
                          const struct pack_skeleton *skeleton, struct pack_humanoid *humanoid)
{
    humanoid->limits =
        pack_content_allocate(content, skeleton->block_count * sizeof *humanoid->limits);
    humanoid->limit_blocks =
        pack_content_allocate(content, skeleton->block_count * sizeof *humanoid->limit_blocks);
    const struct pack_joint **const of_lane = joints_of_lanes(skeleton);
    for (uint32_t block = 0; block < skeleton->block_count; block++) {
        if (block > 0 && random_below(state, 2) == 0) {
            continue;
        }
        const uint32_t place = humanoid->limit_block_count++;
        humanoid->limit_blocks[place] = block;
        for (uint32_t i = 0; i < 96; i++) {
            const bool is_smallest = i / 16 % 2 == 0;
            const bool has_limit = random_below(state, 3) > 0 && of_lane[16 * block + i % 16];
            const float limit = (float)random_between(state, is_smallest ? -1 : 0, !is_smallest);
            const float none = is_smallest ? -FLT_MAX : FLT_MAX;
            humanoid->limits[place][i / 16][i % 16] = has_limit ? limit : none;
        }
    }
    free(of_lane);
}

static void random_humanoid(struct pack_content *content, uint64_t *state,
                            const struct pack_skeleton *skeleton, struct pack_humanoid *humanoid)
{
    humanoid->flags = random_below(state, 8);
    for (uint32_t i = 0; i < 7; i++) {
        humanoid->settings[i] = (float)random_between(state, 0, 1);
    }
    for (uint32_t part = 0; part < 55; part++) {
        const uint32_t joint = random_below(state, skeleton->joint_count);
        const bool is_mapped = random_below(state, 4) > 0;
        humanoid->lanes[part] = is_mapped ? skeleton->joints[joint].lane : TRP_NO_LANE;
        humanoid->axes[part] = random_below(state, 8);
        for (uint32_t i = 0; i < 9; i++) {
            humanoid->angles[part][i] = (float)random_between(state, i % 3 < 2 ? -1 : 0, i % 3);
        }
    }
    random_limits(content, state, skeleton, humanoid);
}

/// A bone for every joint, in an order of its own, and one for none.
static void random_instance(struct pack_content *content, uint64_t *state, uint32_t index,
                            bool shares_pose, struct pack_instance *instance)
{
    const struct pack_skeleton *const skeleton = &content->skeletons[0];
    const uint32_t joint_count = skeleton->joint_count;
    const uint32_t bone_count = joint_count + 1;
    instance->name = random_name(content, "instance", index);
    instance->id = random_name(content, "instance id", index);
    instance->armature_name = "armature";
    instance->armature_id = random_name(content, "armature id", index);
    instance->pose_of = shares_pose ? 0 : index;
    if (instance->pose_of == index) {
        instance->pose = pack_content_allocate(content, joint_count * sizeof *instance->pose);
        for (uint32_t i = 0; i < joint_count; i++) {
            random_transform(state, &instance->pose[i]);
        }
    }
    instance->bone_count = bone_count;
    instance->ids = pack_content_allocate(content, bone_count * sizeof *instance->ids);
    instance->lengths = pack_content_allocate(content, bone_count * sizeof *instance->lengths);
    instance->lanes = pack_content_allocate(content, bone_count * sizeof *instance->lanes);
    for (uint32_t i = 0; i < bone_count; i++) {
        const uint32_t joint = (i + index) % joint_count;
        instance->ids[i] = random_name(content, "bone id", i);
        instance->lengths[i] = (float)random_between(state, 0, 1);
        instance->lanes[i] = i == joint_count ? TRP_NO_LANE : skeleton->joints[joint].lane;
    }
    instance->component_count = 3;
    instance->components = pack_content_allocate(content, 3 * sizeof *instance->components);
    for (uint32_t i = 0; i < 3; i++) {
        instance->components[i] = (struct pack_component){
            .bone = i * bone_count / 4,
            .kind = i,
            .id = random_name(content, "component id", i),
            .type = i == 1 ? "" : "test.component",
            .json = "{\"weight\":0.5}",
        };
    }
    if (index % 2 == 0) {
        instance->humanoid = pack_content_allocate(content, sizeof *instance->humanoid);
        random_humanoid(content, state, skeleton, instance->humanoid);
    }
}

/// The last place has no clip.
static void random_blendtree(struct pack_content *content, uint64_t *state, uint32_t index,
                             struct pack_blendtree *tree)
{
    tree->name = random_name(content, "tree", index);
    tree->id = random_name(content, "tree id", index);
    tree->dimensions = 1 + index % 2;
    tree->count = 4;
    tree->places = pack_content_allocate(content, 4 * sizeof *tree->places);
    tree->clips = pack_content_allocate(content, 4 * sizeof *tree->clips);
    for (uint32_t i = 0; i < 4; i++) {
        const bool has_clip = content->clip_count > 0 && i < 3;
        tree->places[i][0] = (float)random_between(state, -1, 1);
        tree->places[i][1] = tree->dimensions == 2 ? (float)random_between(state, -1, 1) : 0;
        tree->clips[i] = has_clip ? random_below(state, content->clip_count) : TRP_NONE;
    }
}

static void random_scene(struct pack_content *content, const struct pack_recipe *recipe)
{
    uint64_t state = ~recipe->seed;
    content->instance_count = recipe->instance_count;
    content->instances =
        pack_content_allocate(content, recipe->instance_count * sizeof *content->instances);
    for (uint32_t i = 0; i < recipe->instance_count; i++) {
        random_instance(content, &state, i, recipe->shares_pose, &content->instances[i]);
    }
    content->blendtree_count = recipe->blendtree_count;
    content->blendtrees =
        pack_content_allocate(content, recipe->blendtree_count * sizeof *content->blendtrees);
    for (uint32_t i = 0; i < recipe->blendtree_count; i++) {
        random_blendtree(content, &state, i, &content->blendtrees[i]);
    }
}

struct pack_content *pack_content_random(const struct pack_recipe *recipe)
{
    struct pack_recipe filled = *recipe;
    filled.joint_count = filled.joint_count == 0 ? 5 : filled.joint_count;
    filled.ticks_per_segment = filled.ticks_per_segment == 0 ? 8 : filled.ticks_per_segment;
    struct pack_content *const content = calloc(1, sizeof *content);
    if (content == NULL) {
        abort();
    }
    uint64_t state = filled.seed;
    content->skeleton_count = 1;
    content->skeletons = pack_content_allocate(content, sizeof *content->skeletons);
    random_skeleton(content, &filled, &state, content->skeletons);
    content->skin_count = filled.skin_count;
    content->skins = pack_content_allocate(content, filled.skin_count * sizeof *content->skins);
    for (uint32_t i = 0; i < filled.skin_count; i++) {
        random_skin(content, &state, i, &content->skins[i]);
    }
    if (filled.property_count > 0) {
        uint64_t property_state = ~filled.seed;
        random_property_set(content, &property_state, filled.property_count);
    }
    content->clip_count = filled.clip_count;
    content->clips = pack_content_allocate(content, filled.clip_count * sizeof *content->clips);
    for (uint32_t i = 0; i < filled.clip_count; i++) {
        random_clip(content, &filled, content->skeletons, &state, i, &content->clips[i]);
    }
    random_scene(content, &filled);
    if (filled.only_clips) {
        content->skeleton_count = 0;
        content->skin_count = 0;
        content->instance_count = 0;
    }
    return content;
}
