// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the parts of the glTF importer share: gltf.c (container, header), gltf_buffer.c,
// gltf_accessor.c, gltf_rotation.c, gltf_matrix.c, gltf_node.c, gltf_mesh.c, gltf_skin.c,
// gltf_pointer.c, gltf_property.c, gltf_animation.c.
// Every function that returns bool returns false after an error in the report, and the import ends
// there.
#ifndef TROUPE_TOOLS_GLTF_H
#define TROUPE_TOOLS_GLTF_H

#include "scene.h"

#include "json.h"
#include "report.h"

/// The bytes of a buffer, read when first wanted: a mesh's missing buffer troubles nobody here.
struct gltf_buffer {
    const unsigned char *bytes; // null until read
    size_t size_bytes;
    void *file_bytes; // what to free, if it came from a file of its own
};

enum gltf_component {
    GLTF_BYTE = 5120,
    GLTF_UNSIGNED_BYTE = 5121,
    GLTF_SHORT = 5122,
    GLTF_UNSIGNED_SHORT = 5123,
    GLTF_UNSIGNED_INT = 5125,
    GLTF_FLOAT = 5126,
};

/// What an accessor says about itself, and its decoded values once somebody asked for them.
struct gltf_accessor {
    bool is_described;
    bool is_normalised;
    bool is_matrix;
    enum gltf_component component;
    uint32_t component_count; // 1 for SCALAR ... 16 for MAT4
    uint32_t count;
    double *values;             // [count][component_count], finite; null until decoded
    double *unit_values;        // as rotations of unit length; null until asked for
    bool is_time;               // whether the values are known to be increasing times
    uint8_t *interpolations[3]; // [count] of one interpolation each; null until asked for
};

/// What a mesh says about its morph targets, once somebody asked.
struct gltf_mesh {
    bool is_described;
    uint32_t target_count; // at least 1
    double *weights;       // [target_count]
    const char **labels;   // [target_count] never null, empty where the file names none
};

/// What a channel of an animation drives.
struct gltf_target {
    enum scene_path path;
    int32_t node; // that it belongs to, -1 = none

    // The rest is for SCENE_PROPERTY alone.
    const char *pointer; // JSON pointer to it
    enum scene_property_type type;
    bool may_be_integer;          // whether an output of integers makes it one
    uint32_t value_count;         // 0 = as many as the output has for a key
    struct json_value value;      // what the file has there; null = nothing
    bool default_boolean;         // where the file has nothing and the type is SCENE_BOOL
    const struct gltf_mesh *mesh; // whose weights they are; null for anything else
    int32_t weight;               // the only one of them that is meant, -1 = all
};

/// What finds the properties of the scene again while animations are read.
struct gltf_property_table {
    uint32_t capacity;                   // of scene->properties and entries
    struct gltf_property_entry *entries; // [scene->property_count]
    uint32_t slot_count;                 // a power of 2, or 0
    uint32_t *slots;                     // 1 + index of a property, 0 = free
    uint64_t base;                       // of hashes; 0 before the first one
};

/// Rotations that were not of unit length, for one warning in the end instead of thousands.
struct gltf_lengths {
    uint64_t count;
    double worst;
    char place[64]; // of the first
};

struct gltf {
    struct report *report;
    struct scene *scene;
    struct arena scratch; // dies with the import
    struct json_value root;
    const char *path;
    const unsigned char *binary_chunk; // null without one
    size_t binary_chunk_bytes;
    uint64_t budget_bytes; // what decoding may still take
    uint32_t buffer_count;
    struct gltf_buffer *buffers;
    uint32_t accessor_count;
    struct gltf_accessor *accessors;
    uint32_t mesh_count;
    struct gltf_mesh *meshes;
    struct gltf_property_table properties;
    bool *node_has_matrix; // [scene->node_count]
    double *node_shear;    // [scene->node_count] largest cosine between matrix columns
    struct gltf_lengths unnormalised;
};

/// Takes memory for decoded data from the scene's arena; false where a file of this size could not
/// sensibly need it.
bool gltf_take(struct gltf *gltf, const struct json_value *at, uint64_t count, size_t size,
               void **memory);

/// Gives the first `size_bytes` bytes of a buffer.
bool gltf_buffer_bytes(struct gltf *gltf, uint32_t index, const unsigned char **bytes,
                       size_t *size_bytes);

void gltf_buffers_free(struct gltf *gltf);

/// Reads what an accessor says about itself.
bool gltf_accessor_describe(struct gltf *gltf, uint32_t index, struct gltf_accessor **accessor);

/// Decodes an accessor into doubles, normalised integers resolved, all values finite.
/// @param referrer  what wants it, the place of complaints about its values
bool gltf_accessor_decode(struct gltf *gltf, const struct json_value *referrer, uint32_t index);

/// Scales a rotation to unit length; refuses one without a direction.
/// @param name  what it is, for messages: "rotation", "key 7"
bool gltf_rotation_normalise(struct gltf *gltf, const struct json_value *at, const char *name,
                             double rotation[4]);

/// Warns once about all rotations that were not of unit length.
void gltf_rotations_warn(const struct gltf *gltf);

/// Splits a column-major 4x4 matrix into translation * rotation * scale. A mirroring matrix gets a
/// negative x scale.
/// @param shear [out] largest cosine between two of its columns: what the parts cannot express
void gltf_matrix_decompose(const double matrix[16], struct scene_node *node, double *shear);

bool gltf_nodes_read(struct gltf *gltf);

/// Refuses joints, animated nodes and their ancestors whose matrix shears; warns about others.
bool gltf_nodes_check_shear(struct gltf *gltf);

/// Reads what a mesh says about its morph targets; refuses one that has none.
/// @param referrer  what wants them, the place of that complaint
bool gltf_mesh_describe(struct gltf *gltf, const struct json_value *referrer, uint32_t index,
                        const struct gltf_mesh **mesh);

/// Copies the morph weights that a node rests at: its own, or else those of its mesh.
/// @param weights [out] [mesh->target_count]
bool gltf_mesh_rest_weights(struct gltf *gltf, uint32_t node, const struct gltf_mesh *mesh,
                            double *weights);

/// Describes the morph weights of a node.
/// @param at  the channel's target
bool gltf_target_weights(struct gltf *gltf, const struct json_value *at, uint32_t node,
                         struct gltf_target *target);

/// Describes what a channel with KHR_animation_pointer drives.
/// @param at  the channel's target
bool gltf_target_pointer(struct gltf *gltf, const struct json_value *at,
                         struct gltf_target *target);

/// Returns whether a value is an integer that all hosts' floats have: one of up to 24 bits.
bool gltf_is_integer(double value);

/// Finds the property that a channel drives, or makes it. What the file does not say about where
/// it rests is taken from the curve's first key.
/// @param index [out] into scene->properties
bool gltf_property_find(struct gltf *gltf, const struct json_value *channel,
                        const struct gltf_target *target, const struct scene_curve *curve,
                        uint32_t *index);

/// Says that a channel of a clip drives a property.
/// @param track [out] the clip's track that already does; -1 = none
void gltf_property_drive(struct gltf *gltf, uint32_t index, uint32_t clip, uint32_t track,
                         int32_t *earlier);

/// Refuses a clip that drives a property and also a part of it.
/// @param channel_of  index of each track's channel
bool gltf_properties_check_clip(const struct gltf *gltf, const struct json_value *channels,
                                const uint32_t *channel_of, uint32_t clip);

/// Warns about properties of which other clips drive parts.
void gltf_properties_warn(const struct gltf *gltf);

bool gltf_skins_read(struct gltf *gltf);
bool gltf_animations_read(struct gltf *gltf);

#endif
