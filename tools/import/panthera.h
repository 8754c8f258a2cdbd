// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the parts of the Panthera importer share: panthera.c (which files, wrapper),
// panthera_project.c (the model of a project), panthera_template.c (other projects that it names),
// panthera_flatten.c (the scene).
// Every function that returns bool returns false after an error in the report, and the import ends
// there.
#ifndef TROUPE_TOOLS_PANTHERA_H
#define TROUPE_TOOLS_PANTHERA_H

#include "scene.h"

#include "json.h"
#include "report.h"

/// Kinds of keys, with their numbers in files.
enum panthera_kind {
    PANTHERA_TRIGGER = 0,
    PANTHERA_TWEEN = 1,
    PANTHERA_EVENT = 2,
    PANTHERA_ANIMATION = 3,
};

/// One key. Texts live in the scene's arena, and are never null but for `start_text`. Numbers are
/// finite, times not negative.
struct panthera_key {
    enum panthera_kind kind;
    const char *node;     // empty for the animation itself: a nested clip, or an event of no node
    const char *property; // of clips: the id of the animation inside
    double start_s;
    double duration_s;
    double start_value;
    double end_value;
    uint32_t easing;                     // of src/easing.h
    const struct scene_samples *samples; // easing_custom, instead of `easing`; null without
    const char *start_text;              // of triggers: before the key; null where the file says
                                         // nothing, so that nothing is set before it
    const char *text;                    // of triggers: from the key on; of events: their data
    const char *event;                   // name of the event; not empty where the kind is that
    bool is_editor_only;                 // never in what is read
};

/// The keys of one property, in the order of the timeline; at least one.
struct panthera_group {
    const char *node;
    const char *property;
    enum panthera_kind kind; // of the first key, be it one that only the editor shows; keys of
                             // another kind set no value
    const struct panthera_animation *inner; // of nested animations; null where it is not there
    uint32_t key_count;
    struct panthera_key *keys;
};

struct panthera_animation {
    const char *id;            // not empty
    double duration_s;         // finite, not negative
    const char *initial_state; // id of the animation that this one starts from, empty without
    const struct panthera_animation *initial; // that one; null where it is not there
    uint32_t key_count;
    struct panthera_key *keys; // of all groups: by start, duration, property, node, end value, and
                               // where they are in the file
    uint32_t group_count;
    struct panthera_group *groups; // in the order of their first keys
};

/// What a node says of one of its properties.
struct panthera_value {
    const char *property; // as triggers spell it
    bool is_number;
    bool is_boolean;  // and none that triggers are known to set, which are texts
    double number;    // 0 where it is none
    const char *text; // "true" and "false" of booleans; empty of numbers that are known as such
};

struct panthera_node {
    const char *id;
    uint32_t value_count;
    struct panthera_value *values; // those in the file, also type and parent; sorted by property
};

struct panthera_layer {
    const char *name;
    const char *colour; // hexadecimal, as in the file
};

/// A node that stands for another project.
struct panthera_template {
    const char *node;
    const struct panthera_project *project; // null where it was not found: warned of
};

/// A project file. What it names as templates never leads back to it.
struct panthera_project {
    const char *file; // its path
    uint32_t animation_count;
    struct panthera_animation *animations; // no id twice; in the order of the file
    const void **sorted_animations;        // pointers to the same, by id
    uint32_t node_count;
    struct panthera_node *nodes; // no id twice; sorted by it
    uint32_t layer_count;
    struct panthera_layer *layers;
    uint32_t template_count;
    struct panthera_template *templates; // sorted by node
    const char *name;                    // of the project, may be empty
    const char *gui_path;                // the file that it animates, may be empty
    double fps;                          // of the editor's grid, 0 where it is not said
};

/// Names that were warned of.
struct panthera_names {
    uint32_t count;
    const char **names;
};

/// An import.
struct panthera {
    struct report *report;
    struct scene *scene;
    struct arena scratch;             // of the model; its texts and time curves are in the scene's
    struct panthera_source *source;   // the file that is being read
    struct panthera_source *sources;  // all that were begun, the last one first
    struct panthera_names easings;    // unknown ones
    struct panthera_names tables;     // fields of nodes that are tables
    struct panthera_project *project; // of the file that is imported
};

/// Returns an animation; null where there is none of that id.
const struct panthera_animation *panthera_animation_find(const struct panthera_project *project,
                                                         const char *id);

/// Returns the project that a node stands for: "a/b" is the template b in the project of the
/// template a. Null where there is none.
const struct panthera_project *panthera_template_find(const struct panthera_project *project,
                                                      const char *node);

/// Returns the project of the template in whose project a node is, and the node there; null where
/// it is in none. Of several templates it is the one of the longest name.
const struct panthera_project *panthera_template_split(const struct panthera_project *project,
                                                       const char *node, const char **inner);

/// Finds where a numeric property rests: as the node says, 0 where it does not. "a/b" is the node b
/// in the project of the template a.
/// @return false where the project has no such node, or nodes have no such property
bool panthera_rest_number(const struct panthera_project *project, const char *node,
                          const char *property, double *number);

/// Finds where a property that triggers set rests: as the node says, else empty, or "false" for
/// booleans.
bool panthera_rest_text(const struct panthera_project *project, const char *node,
                        const char *property, const char **text);

/// Returns whether bytes are those of a project, be it one to be refused: JSON that says so or has
/// the data of one, or any Lua.
/// @param file its path: "x.lua" is Lua also where it does not begin as data do
bool panthera_is_project(const char *file, const void *bytes, size_t size_bytes);

/// Reads a project file, either JSON or a Lua module, and what it names as templates.
/// @param file its path, which stays where it is
bool panthera_file_read(struct panthera *panthera, const char *file, const void *bytes,
                        size_t size_bytes, struct panthera_project **project);

/// Notes that a file is being read, up to panthera_source_end.
void panthera_source_begin(struct panthera *panthera, const char *file);

void panthera_source_end(struct panthera *panthera, const struct panthera_project *project);

/// Reads a project and what it names as templates.
/// @param root the whole file
bool panthera_project_read(struct panthera *panthera, const struct json_value *root,
                           const char *file, struct panthera_project **project);

/// Reads the projects that nodes stand for. Those that are not there are warned of.
/// @param paths files by node: an object, or nothing
bool panthera_templates_read(struct panthera *panthera, const struct json_value *paths,
                             struct panthera_project *project);

/// Makes the scene's properties, texts and clips of `panthera->project`.
bool panthera_flatten(struct panthera *panthera);

#endif
