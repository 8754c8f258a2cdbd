// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "pack_writer.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("troupe: error: out of memory [memory]\n", stderr);
        exit(TROUPE_EXIT_INTERNAL);
    }
    return memory;
}

static void section_add(struct pack_section *section, const void *bytes, size_t size)
{
    if (section->count == section->capacity) {
        section->capacity = section->capacity == 0 ? 8 : section->capacity * 2;
        section->objects =
            checked(realloc(section->objects, section->capacity * sizeof *section->objects));
    }
    struct pack_object *const object = &section->objects[section->count++];
    object->bytes = checked(malloc(size));
    object->size = (uint32_t)size;
    memcpy(object->bytes, bytes, size);
}

static bool section_holds(const struct pack_section *section, const void *bytes, size_t size)
{
    for (uint32_t i = 0; i < section->count; i++) {
        if (section->objects[i].size == size &&
            memcmp(section->objects[i].bytes, bytes, size) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t pack_writer_string(struct pack_writer *writer, const char *text)
{
    if (writer->strings.count == 0) {
        name_table_add(&writer->strings, ""); // which every pack has, and first
    }
    const uint32_t index = name_table_add(&writer->strings, text);
    return (uint32_t)writer->strings.entries[index].place;
}

/// Returns the id of a joint's node, empty where the file gives none or the scene has no such node.
static const char *joint_id(const struct skeleton *skeleton, uint32_t joint)
{
    const uint32_t node = skeleton->node_of_joint[joint];
    const char *const id = node == TRP_NONE ? NULL : skeleton->scene->nodes[node].id;
    return id == NULL ? "" : id;
}

uint32_t pack_writer_add_skeleton(struct pack_writer *writer, const struct skeleton *skeleton)
{
    struct trp__skeleton_header header = {
        .name_hash = trp_name_hash(skeleton->name),
        .bind_hash = skeleton->bind_hash,
        .metres_per_unit = skeleton->metres_per_unit,
        .name = pack_writer_string(writer, skeleton->name),
        .joint_count = skeleton->joint_count,
        .block_count = skeleton->block_count,
        .joint_block_count = skeleton->joint_block_count,
    };
    for (int i = 0; i < 12; i++) {
        header.root_transform[i] = stored_float(skeleton->root[i]);
    }
    const uint32_t joints = skeleton->joint_count;
    const uint32_t lanes = skeleton->lane_count;
    struct buffer bytes = {0};
    buffer_append(&bytes, &header, sizeof header);
    buffer_append(&bytes, skeleton->rest, skeleton->block_count * sizeof(trp_pose_block));
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint64_t hash = trp_name_hash(skeleton->name_of_joint[joint]);
        buffer_append(&bytes, &hash, sizeof hash);
    }
    buffer_append(&bytes, skeleton->node_of_joint, joints * sizeof(uint32_t));
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint32_t name = pack_writer_string(writer, skeleton->name_of_joint[joint]);
        buffer_append(&bytes, &name, sizeof name);
    }
    for (uint32_t joint = 0; joint < joints; joint++) {
        const uint32_t id = pack_writer_string(writer, joint_id(skeleton, joint));
        buffer_append(&bytes, &id, sizeof id);
    }
    buffer_append(&bytes, skeleton->parent_of_lane, lanes * sizeof(uint16_t));
    buffer_append(&bytes, skeleton->joint_of_lane, lanes * sizeof(uint16_t));
    buffer_append(&bytes, skeleton->lane_of_joint, joints * sizeof(uint16_t));
    section_add(&writer->skeletons, bytes.bytes, bytes.size);
    buffer_free(&bytes);
    return writer->skeletons.count - 1;
}

void pack_writer_add_skin(struct pack_writer *writer, const struct skeleton *skeleton,
                          uint32_t skeleton_index, const struct scene_skin *skin)
{
    const struct trp__skin_header header = {
        .name_hash = trp_name_hash(skin->name),
        .name = pack_writer_string(writer, skin->name),
        .skeleton = skeleton_index,
        .joint_count = skin->joint_count,
    };
    struct buffer bytes = {0};
    buffer_append(&bytes, &header, sizeof header);
    for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
        float matrix[12];
        for (int i = 0; i < 12; i++) {
            matrix[i] = stored_float(skin->inverse_bind[entry][i]);
        }
        buffer_append(&bytes, matrix, sizeof matrix);
    }
    for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
        const uint32_t joint = skeleton->joint_of_node[skin->nodes[entry]];
        const uint16_t lane = skeleton->lane_of_joint[joint];
        buffer_append(&bytes, &lane, sizeof lane);
    }
    if (!section_holds(&writer->skins, bytes.bytes, bytes.size)) {
        section_add(&writer->skins, bytes.bytes, bytes.size);
    }
    buffer_free(&bytes);
}

uint32_t pack_writer_add_property_set(struct pack_writer *writer, const char *name,
                                      const struct property_values *values)
{
    const struct trp__property_set_header header = {
        .name_hash = trp_name_hash(name),
        .name = pack_writer_string(writer, name),
        .property_count = values->property_count,
        .value_count = values->value_count,
        .text_count = values->text_count,
    };
    struct buffer bytes = {0};
    buffer_append(&bytes, &header, sizeof header);
    for (uint32_t i = 0; i < values->property_count; i++) {
        const struct scene_property *const property = &values->properties[i];
        const struct trp__property stored = {
            .path_hash = trp_name_hash(property->path),
            .path = pack_writer_string(writer, property->path),
            .first_value = values->first_value[i],
            .value_count = property->value_count,
            .node = property->node < 0 ? TRP_NONE : (uint32_t)property->node,
            .type = (uint32_t)property->type,
        };
        buffer_append(&bytes, &stored, sizeof stored);
    }
    for (uint32_t value = 0; value < values->value_count; value++) {
        const uint32_t property = values->property_of_value[value];
        const float rest = stored_float(
            values->properties[property].defaults[value - values->first_value[property]]);
        buffer_append(&bytes, &rest, sizeof rest);
    }
    for (uint32_t value = 0; value < values->value_count; value++) {
        const uint32_t property = values->property_of_value[value];
        const uint32_t label = pack_writer_string(
            writer, values->properties[property].labels[value - values->first_value[property]]);
        buffer_append(&bytes, &label, sizeof label);
    }
    for (uint32_t i = 0; i < values->text_count; i++) {
        const uint32_t text = pack_writer_string(writer, values->texts[i]);
        buffer_append(&bytes, &text, sizeof text);
    }
    section_add(&writer->property_sets, bytes.bytes, bytes.size);
    buffer_free(&bytes);
    return writer->property_sets.count - 1;
}

void pack_writer_add_clip(struct pack_writer *writer, const struct buffer *clip)
{
    section_add(&writer->clips, clip->bytes, clip->size);
}

static const struct trp__instance_header *instance_at(const struct pack_writer *writer,
                                                      uint32_t index)
{
    return (const void *)writer->instances.objects[index].bytes;
}

uint32_t pack_writer_find_pose(const struct pack_writer *writer, uint32_t skeleton_index,
                               const trp_pose_block *pose)
{
    for (uint32_t i = 0; i < writer->instances.count; i++) {
        const struct trp__instance_header *const header = instance_at(writer, i);
        if (header->skeleton == skeleton_index && header->pose_of == i &&
            memcmp(header + 1, pose, header->block_count * sizeof *pose) == 0) {
            return i;
        }
    }
    return TRP_NONE;
}

bool pack_writer_holds_instance(const struct pack_writer *writer, const struct buffer *instance)
{
    if (section_holds(&writer->instances, instance->bytes, instance->size)) {
        return true;
    }
    // The one that has the pose is the same but for that.
    const struct trp__instance_header *const header = (const void *)instance->bytes;
    const struct pack_object *const posed = &writer->instances.objects[header->pose_of];
    const size_t pose_bytes = header->block_count * sizeof(trp_pose_block);
    const size_t rest_bytes = instance->size - sizeof *header;
    return posed->size == instance->size + pose_bytes &&
           memcmp(posed->bytes, header, sizeof *header) == 0 &&
           memcmp((const uint8_t *)posed->bytes + sizeof *header + pose_bytes, header + 1,
                  rest_bytes) == 0;
}

void pack_writer_add_instance(struct pack_writer *writer, const struct buffer *instance)
{
    section_add(&writer->instances, instance->bytes, instance->size);
}

void pack_writer_add_blendtree(struct pack_writer *writer, const struct buffer *tree)
{
    section_add(&writer->blendtrees, tree->bytes, tree->size);
}

/// Appends a section of objects to the file and fills its row of the table.
static bool append_section(struct buffer *file, const struct pack_section *section, uint32_t kind,
                           size_t alignment, struct trp__section *row)
{
    struct buffer bytes = {0};
    struct trp__entry *const entries = checked(calloc(section->count, sizeof *entries));
    buffer_append(&bytes, entries, section->count * sizeof *entries);
    for (uint32_t i = 0; i < section->count; i++) {
        buffer_align(&bytes, alignment);
        entries[i].offset = (uint32_t)bytes.size;
        entries[i].size_bytes = section->objects[i].size;
        buffer_append(&bytes, section->objects[i].bytes, section->objects[i].size);
    }
    memcpy(bytes.bytes, entries, section->count * sizeof *entries);
    free(entries);
    buffer_align(file, 64);
    const bool fits = bytes.size <= UINT32_MAX;
    *row = (struct trp__section){
        .kind = kind, .count = section->count, .size_bytes = bytes.size, .offset = file->size};
    buffer_append(file, bytes.bytes, bytes.size);
    buffer_free(&bytes);
    return fits;
}

size_t pack_writer_finish(struct pack_writer *writer, void **bytes)
{
    static const uint8_t zeros[TRP__TAIL_BYTES];
    enum { SECTION_COUNT = 6 };
    struct trp__section rows[1 + SECTION_COUNT] = {0};
    uint32_t row_count = 0;
    const struct {
        const struct pack_section *section;
        uint32_t kind;
        size_t alignment;
    } sections[SECTION_COUNT] = {
        {&writer->skeletons, TRP__SECTION_SKELETONS, 64},
        {&writer->skins, TRP__SECTION_SKINS, 64},
        {&writer->property_sets, TRP__SECTION_PROPERTIES, 64},
        {&writer->clips, TRP__SECTION_CLIPS, 16},
        {&writer->instances, TRP__SECTION_INSTANCES, 64},
        {&writer->blendtrees, TRP__SECTION_BLENDTREES, 64},
    };
    pack_writer_string(writer, "");
    row_count = 1;
    for (int i = 0; i < SECTION_COUNT; i++) {
        row_count += sections[i].section->count > 0;
    }
    struct trp__file_header header = {
        .magic = TRP__MAGIC,
        .endian_mark = TRP__ENDIAN_MARK,
        .version = TRP__FORMAT_VERSION,
        .section_count = row_count,
    };
    struct buffer file = {0};
    buffer_append(&file, &header, sizeof header);
    buffer_append(&file, rows, row_count * sizeof *rows);
    buffer_align(&file, 64);
    const struct buffer *const strings = &writer->strings.bytes;
    rows[0] = (struct trp__section){
        .kind = TRP__SECTION_STRINGS, .size_bytes = strings->size, .offset = file.size};
    buffer_append(&file, strings->bytes, strings->size);
    bool fits = strings->size <= UINT32_MAX;
    uint32_t row = 1;
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (sections[i].section->count > 0) {
            fits &= append_section(&file, sections[i].section, sections[i].kind,
                                   sections[i].alignment, &rows[row++]);
        }
    }
    buffer_align(&file, 64);
    buffer_append(&file, zeros, sizeof zeros);
    header.size_bytes = file.size;
    memcpy(file.bytes, &header, sizeof header);
    memcpy(file.bytes + sizeof header, rows, row_count * sizeof *rows);
    header.content_hash = XXH64(file.bytes, file.size, 0);
    memcpy(file.bytes, &header, sizeof header);
    *bytes = NULL;
    const size_t size = fits ? file.size : 0;
    if (fits) {
        *bytes = checked(aligned_alloc(64, file.size)); // the size is a multiple of 64
        memcpy(*bytes, file.bytes, file.size);
    }
    buffer_free(&file);
    return size;
}

static void section_free(struct pack_section *section)
{
    for (uint32_t i = 0; i < section->count; i++) {
        free(section->objects[i].bytes);
    }
    free(section->objects);
}

void pack_writer_free(struct pack_writer *writer)
{
    name_table_free(&writer->strings);
    section_free(&writer->skeletons);
    section_free(&writer->skins);
    section_free(&writer->clips);
    section_free(&writer->property_sets);
    section_free(&writer->instances);
    section_free(&writer->blendtrees);
    *writer = (struct pack_writer){0};
}
