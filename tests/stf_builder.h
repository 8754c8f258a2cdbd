// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Makes small .stf files in memory for tests: one way to say what is in a file, four layouts to
// write it in. Resources are JSON objects that a test may change before the file is written. It
// checks nothing, so that wrong files can be made too.
#ifndef TROUPE_TESTS_STF_BUILDER_H
#define TROUPE_TESTS_STF_BUILDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STF_BUFFER_COUNT = 64,
    STF_BINARY_BYTES = 65536,
};

/// What exporters wrote at different times. Zero is the newest.
struct stf_layout {
    bool has_direct_ids; // references are ids, not indices into a list that the resource has
    bool has_key_frames; // keys begin with their frame; there are no timepoints
};

struct stf_trs {
    double translation[3];
    double rotation[4];
    double scale[3];
};

static const struct stf_trs stf_identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

struct stf_bone {
    const char *id;
    const char *name;
    int32_t parent;        // in the same array, -1 for a root
    double translation[3]; // from the armature, as is the rotation
    double rotation[4];
    double length;
};

struct stf_blendshape {
    const char *name;
    double default_value;
};

enum stf_key_type {
    STF_KEY_BEZIER = 0,
    STF_KEY_CONSTANT,
    STF_KEY_LINEAR,
    STF_KEY_QUADRATIC,
    STF_KEY_CUBIC,
    STF_KEY_BAKED,   // no source of truth: another component has a key there
    STF_KEY_UNNAMED, // the exporter knew no name for it and left it out
};

/// A key of one component. Its arriving tangent is written where the key before it is a bezier one.
struct stf_key {
    double frame;
    double value;
    enum stf_key_type type;
    double out[2];        // frames and value
    double in[2];         // likewise
    const char *tangents; // null = "aligned"
};

struct stf_subtrack {
    const struct stf_key *keys;
    uint32_t key_count; // 0 = null
    const float *baked; // null = none
    uint32_t baked_count;
};

enum {
    STF_TARGET_COUNT = 8,
    STF_SUBTRACK_COUNT = 4,
};

struct stf_track {
    const char *target[STF_TARGET_COUNT]; // up to the first null
    struct stf_subtrack subtracks[STF_SUBTRACK_COUNT];
    uint32_t subtrack_count;
};

struct stf_animation {
    const char *id;
    const char *name;
    const char *loop; // null = "none"
    double fps;
    double range[2];
    const char *reset; // id of the reset animation, or null
    const struct stf_track *tracks;
    uint32_t track_count;
    const struct stf_track *tracks_baked;
    uint32_t track_baked_count;
};

struct stf_builder {
    struct stf_layout layout;
    json_t *stf;
    json_t *resources;
    json_t *buffers;
    unsigned char binary[STF_BINARY_BYTES];
    size_t binary_bytes;
    size_t buffer_bytes[STF_BUFFER_COUNT];
    uint32_t buffer_count;
};

/// Begins a file that holds nothing but a prefab, "prefab".
void stf_builder_start(struct stf_builder *builder, struct stf_layout layout);
void stf_builder_free(struct stf_builder *builder);

/// Adds a resource. Owned by the builder, as is what stf_builder_find returns.
json_t *stf_builder_add(struct stf_builder *builder, const char *id, const char *type,
                        const char *name);

/// Returns a resource that is there.
json_t *stf_builder_find(const struct stf_builder *builder, const char *id);

/// Makes what a resource holds to name another one. The caller's to put somewhere.
json_t *stf_builder_reference(const struct stf_builder *builder, json_t *resource, const char *id);

/// Adds a buffer and makes what a resource holds to name it. The caller's to put somewhere.
json_t *stf_builder_buffer(struct stf_builder *builder, json_t *resource, const void *bytes,
                           size_t size_bytes);

/// Adds a node under another one or under the prefab.
json_t *stf_builder_node(struct stf_builder *builder, const char *id, const char *name,
                         const char *parent, const struct stf_trs *trs);

/// Hangs a node, child of one that carries an armature, under a bone.
void stf_builder_bind(struct stf_builder *builder, const char *node, const char *parent,
                      const char *bone);

json_t *stf_builder_armature(struct stf_builder *builder, const char *id, const char *name,
                             const struct stf_bone *bones, uint32_t bone_count);

/// Puts an armature on a node.
json_t *stf_builder_armature_instance(struct stf_builder *builder, const char *id, const char *node,
                                      const char *armature);

/// Poses a bone of an instance.
void stf_builder_pose(struct stf_builder *builder, const char *instance, const char *bone,
                      const struct stf_trs *trs);

/// Adds a component to a resource that may have some.
json_t *stf_builder_component(struct stf_builder *builder, const char *owner, const char *id,
                              const char *type);

/// Adds a component to a bone of one instance alone.
json_t *stf_builder_added_component(struct stf_builder *builder, const char *instance,
                                    const char *bone, const char *id, const char *type);

/// Changes a component of a bone in one instance.
/// @param changes  taken over
void stf_builder_modified_component(struct stf_builder *builder, const char *instance,
                                    const char *bone, const char *id, json_t *changes);

/// Makes an armature a humanoid without parts.
json_t *stf_builder_humanoid(struct stf_builder *builder, const char *armature, const char *id,
                             const char *locomotion);

/// Maps a part of a body to a bone.
/// @param limits  smallest, centre and largest of primary, secondary and twist; null = none
void stf_builder_part(struct stf_builder *builder, const char *humanoid, const char *part,
                      const char *bone, const double (*limits)[3]);

/// Adds a mesh of one triangle.
json_t *stf_builder_mesh(struct stf_builder *builder, const char *id, const char *name,
                         const struct stf_blendshape *blendshapes, uint32_t blendshape_count);

/// Skins a mesh to bones of an armature, in this order.
void stf_builder_skin(struct stf_builder *builder, const char *mesh, const char *armature,
                      const char *const *bones, uint32_t bone_count);

/// Puts a mesh on a node.
/// @param armature_node  node that carries the armature instance it is skinned to, or null
json_t *stf_builder_mesh_instance(struct stf_builder *builder, const char *id, const char *node,
                                  const char *mesh, const char *armature_node);

json_t *stf_builder_animation(struct stf_builder *builder, const struct stf_animation *animation);

/// Adds a blend tree without clips.
/// @param dimensions  1 or 2
json_t *stf_builder_blendtree(struct stf_builder *builder, const char *id, const char *name,
                              uint32_t dimensions);

void stf_builder_place(struct stf_builder *builder, const char *blendtree, const char *animation,
                       double x, double y);

/// Returns the file, which the caller frees.
unsigned char *stf_builder_file(const struct stf_builder *builder, size_t *size_bytes);

/// Puts a container around a JSON text and the buffers that follow it. The caller frees it.
unsigned char *stf_builder_container(const char *json, size_t json_bytes, const void *binary,
                                     const size_t *buffer_bytes, uint32_t buffer_count,
                                     size_t *size_bytes);

#endif
