// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the parts of the STF importer share: stf.c (container, order of reading), stf_resource.c,
// stf_node.c, stf_armature.c, stf_component.c, stf_humanoid.c, stf_mesh.c, stf_target.c,
// stf_property.c, stf_curve.c, stf_animation.c, stf_blendtree.c.
// Every function that returns bool returns false after an error in the report, and the import ends
// there.
#ifndef TROUPE_TOOLS_STF_H
#define TROUPE_TOOLS_STF_H

#include "scene.h"

#include "import.h"
#include "json.h"
#include "name_table.h"
#include "report.h"

enum { STF_MOST_VALUES = 64 }; // of a property

/// Types of resources that are read here.
enum stf_type {
    STF_UNKNOWN = 0,
    STF_ANIMATION,
    STF_ARMATURE,
    STF_ARMATURE_INSTANCE,
    STF_BLENDTREE,
    STF_BONE,
    STF_CAMERA,
    STF_HUMANOID,
    STF_LIGHT,
    STF_MATERIAL,
    STF_MESH,
    STF_MESH_INSTANCE,
    STF_NODE,
    STF_PREFAB,
    STF_TYPE_COUNT,
};

/// How far a walk over resources has come with one of them.
enum stf_walk {
    STF_WALK_NEW = 0,
    STF_WALK_OPEN = 1, // something it refers to is being walked
    STF_WALK_DONE = 2,
};

/// A resource of the file.
struct stf_resource {
    const char *id;
    struct json_value value;
    enum stf_type type;
    const char *type_name;      // as the file has it; empty where it has none
    uint32_t type_index;        // of type_name among all of them
    int32_t index;              // STF_NODE: of scene and stf nodes, STF_BONE: of its armature's
                                // bones, STF_ARMATURE: of stf armatures, STF_MESH: of stf meshes,
                                // STF_ANIMATION: of clips; -1 = not in use
    struct stf_resource *owner; // armature of a bone, node of an armature instance
    enum stf_walk walk;         // over children
    enum stf_walk fallback_walk;
    struct stf_resource *fallback; // of an unknown type: what is used instead; null = nothing
    struct scene_component kept;   // id, type and JSON for the scene; null until asked for
};

/// Where a buffer lies in the file.
struct stf_range {
    uint64_t at;
    uint64_t size_bytes;
};

/// Resources and their children.
struct stf_tree {
    uint32_t count;
    struct stf_resource **items; // parents first; their `index` is the one in here
    int32_t *parents;            // -1 for roots
};

/// A node of the file; the first nodes of the scene are these, bones come after them.
struct stf_node {
    struct stf_resource *resource;
    struct stf_resource *instance; // null without one that is known
    struct stf_armature *armature; // of an armature instance, else null
    int32_t scene_instance;        // of an armature instance, else -1
};

struct stf_bone {
    struct stf_resource *resource;
    const char *name; // in the scene's arena, and so is the id
    const char *id;
    int32_t parent; // smaller index; -1 = hangs on the armature itself
    double length;
    struct scene_transform in_armature; // as the file says it
    struct scene_transform rest;        // local
};

/// An armature that some node carries.
struct stf_armature {
    struct stf_resource *resource;
    const char *name; // in the scene's arena, and so is the id
    const char *id;
    uint32_t bone_count;
    struct stf_bone *bones;          // parents first, in the order of root_bones and children
    struct scene_humanoid *humanoid; // null without one
};

struct stf_blendshape {
    const char *name;
    uint32_t index; // in the mesh
    double default_value;
};

/// What a mesh says about its blendshapes, once somebody asked.
struct stf_mesh {
    uint32_t blendshape_count;
    struct stf_blendshape *blendshapes; // sorted by name, then index
};

/// What a track drives.
struct stf_target {
    bool is_unresolved; // after a warning: the track is skipped; nothing else is set
    enum scene_path path;
    int32_t node;             // of the scene; -1 only for a property that belongs to none
    bool is_euler;            // SCENE_ROTATION, but the track has three angles
    uint32_t component_count; // subtracks it should have: 4, 3 or 1; 0 = as many as it has, which
                              // are at least 1, or its rest

    // What a component keeps that nobody animates. Transforms: of the rest or the instance's pose,
    // with r_euler too the quaternion. Properties: as the file rests, where it says so.
    uint32_t rest_count; // 4 or 3; properties: 0 = the file does not say
    double rest[4];

    // The rest is for SCENE_PROPERTY alone.
    const char *pointer; // the path as JSON pointer
    enum scene_property_type type;
    const char *label; // never null: name of a blendshape, else empty
};

/// What finds the properties of the scene again while animations are read.
struct stf_property_table {
    struct name_table paths; // in the order of scene->properties
    uint32_t capacity;       // of scene->properties and entries
    struct stf_property_entry *entries;
};

struct stf {
    struct report *report;
    struct scene *scene;
    struct arena scratch; // dies with the import
    struct import_options options;
    const unsigned char *bytes; // of the file
    struct json_value root;
    struct json_value resource_list;
    struct json_value buffers;
    uint64_t budget_bytes; // what decoding may still take
    uint64_t curve_bytes;  // what the keys of curves may still take, which can be far more than
                           // those of the file
    uint32_t range_count;
    struct stf_range *ranges; // of the buffers after the JSON
    struct name_table ids;
    struct stf_resource *resources; // [ids.count] in file order
    const char **names; // [ids.count] of resources, in the scene's arena; null until asked for
    struct name_table types;
    bool *is_type_warned;                 // [types.count]
    uint32_t type_counts[STF_TYPE_COUNT]; // of resources
    struct stf_branch *branches;          // of the walk over a tree
    uint32_t walked_count;
    struct stf_resource **walked; // [ids.count] the items of all trees
    int32_t *walked_parents;
    struct stf_resource *prefab;
    uint32_t node_count;
    struct stf_node *nodes;
    uint32_t armature_count;
    struct stf_armature *armatures;
    uint32_t mesh_count;
    struct stf_mesh *meshes; // [mesh_count], those that were asked about
    uint32_t animation_count;
    struct stf_resource **animations; // of the clips: the prefab's, then all others of the file
    struct stf_property_table properties;
    bool is_rotation_warned;   // that one was not of unit length
    bool is_blendshape_warned; // that nobody knows which values are whose
    bool is_euler_warned;      // that angles were made rotations
    bool is_reset_warned;      // that a chain of reset animations is too long
};

/// Begins what can be done without: errors are warnings until stf_spare_end.
/// @param instead what happens where it goes wrong: "the track is left out"
/// @return for stf_spare_end
const char *stf_spare_begin(struct stf *stf, const char *instead);

/// Ends what stf_spare_begin began.
/// @param ok whether it went well
/// @return false where what went wrong is the end of the whole file
bool stf_spare_end(struct stf *stf, const char *outer, bool ok);

/// Makes the next error one of the whole file, whatever is being spared.
void stf_spare_nothing(struct stf *stf);

/// Takes memory for decoded data from the scene's arena; false where a file of this size could not
/// sensibly need it.
bool stf_take(struct stf *stf, const struct json_value *at, uint64_t count, size_t size,
              void **memory);

/// Reads the resources' ids and types.
bool stf_resources_read(struct stf *stf);

/// Returns the resource of an id, known type or not; null where there is none.
struct stf_resource *stf_resource_find(const struct stf *stf, const char *id);

/// Finds what a reference means: an index into the owner's `referenced_resources`, or an id.
/// Refuses what names no resource.
/// @param owner     the resource that the reference is in; null where only ids can be
/// @param reference an integer or a string
bool stf_resource_named(struct stf *stf, const struct json_value *owner,
                        const struct json_value *reference, struct stf_resource **resource);

/// Finds what to use for a reference: the resource, or where its type is unknown its fallback.
/// @param resource [out] null where nothing is known, after a warning once a type
bool stf_resource_of(struct stf *stf, const struct json_value *owner,
                     const struct json_value *reference, struct stf_resource **resource);

/// As stf_resource_of, and refuses any other known type.
bool stf_resource_expect(struct stf *stf, const struct json_value *owner,
                         const struct json_value *reference, enum stf_type type,
                         struct stf_resource **resource);

/// Gives a resource's name, empty where it has none, in the scene's arena.
bool stf_resource_name(struct stf *stf, const struct stf_resource *resource, const char **name);

/// Finds the bytes of a buffer, which have no alignment.
/// @param reference an index into the owner's `referenced_buffers`, or an id
/// @param owner     the resource that the reference is in
bool stf_buffer_bytes(struct stf *stf, const struct json_value *reference,
                      const struct json_value *owner, const unsigned char **bytes,
                      size_t *size_bytes);

/// Walks down from resources to their `children`, all of one type; refuses cycles and resources
/// that are a child twice.
/// @param owner the resource that lists the first ones as `key`
bool stf_tree_read(struct stf *stf, const struct json_value *owner, const char *key,
                   enum stf_type type, struct stf_tree *tree);

/// Scales a rotation to unit length; one of all zeros is none. Warns once a file.
void stf_rotation_normalise(struct stf *stf, const struct json_value *at, double rotation[4]);

/// Refuses numbers that are too large to place anything.
bool stf_numbers_check(const struct json_value *at, const double *numbers, uint32_t count);

/// Reads [translation, rotation, scale]; what is absent stays.
bool stf_transform_read(struct stf *stf, const struct json_value *trs,
                        struct scene_transform *transform);

/// Reads the prefab's nodes, the armatures they carry, and makes nodes of all bones.
bool stf_nodes_read(struct stf *stf);

/// Gives an armature, which is read when it is first wanted.
bool stf_armature_read(struct stf *stf, struct stf_resource *resource,
                       struct stf_armature **armature);

/// Makes the scene's instances: their bones as nodes from the first given one on, and what they add
/// to their armatures.
bool stf_instances_read(struct stf *stf, uint32_t first_bone_node);

/// Reads the components of an instance's bones.
/// @param value the armature instance
bool stf_components_read(struct stf *stf, const struct json_value *value,
                         const struct stf_armature *armature, struct scene_instance *instance);

/// Reads the humanoid of an armature, if it has one.
bool stf_humanoid_read(struct stf *stf, struct stf_armature *armature);

/// Makes the skins: one for each instance, and one for each mesh whose order of bones is another.
bool stf_skins_read(struct stf *stf);

/// Finds a blendshape of a mesh instance by name.
/// @param is_found [out]
/// @param value    [out] what the instance rests at
bool stf_blendshape_find(struct stf *stf, const struct stf_resource *instance, const char *name,
                         bool *is_found, double *value);

/// Finds what a track drives.
/// @param path the track's `target`
bool stf_target_find(struct stf *stf, const struct json_value *path, struct stf_target *target);

/// Finds the property of a target, or makes it; one path is one property for all clips, with as
/// many values as any of them has.
/// @param at      the track
/// @param values  [value_count] where it rests if the file does not say: its first key
/// @param missing bit for each of the values that the track does not drive
/// @param index   [out] into scene->properties
bool stf_property_find(struct stf *stf, const struct json_value *at,
                       const struct stf_target *target, uint32_t value_count, const double *values,
                       uint64_t missing, uint32_t *index);

/// Gives a curve all values of its property: those that it does not drive rest.
bool stf_property_complete(struct stf *stf, uint32_t property, uint64_t missing,
                           struct scene_curve *curve);

/// Says that a track of a clip drives a property.
/// @param earlier [out] the clip's track that already does; -1 = none
void stf_property_drive(struct stf *stf, uint32_t property, uint32_t clip, uint32_t track,
                        int32_t *earlier);

/// Finds all animations and gives them their clips' indices.
bool stf_animations_find(struct stf *stf);

/// Makes the scene's clips: one for each of stf->animations.
bool stf_animations_read(struct stf *stf);

/// Reads all blend trees of the file, in file order.
bool stf_blendtrees_read(struct stf *stf);

#endif
