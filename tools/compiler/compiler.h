// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The compiler: scenes in, the bytes of a pack out, and the measurement that says how
// good they are.
#ifndef TROUPE_TOOLS_COMPILER_H
#define TROUPE_TOOLS_COMPILER_H

#include <stddef.h>

#include <troupe/skeleton.h>

#include "report.h"
#include "scene.h"

/// What happens at the end of a clip.
enum compile_loop {
    COMPILE_LOOP_AUTO = 0, // as the source: closed where the last row repeats the first
    COMPILE_LOOP_ON = 1,   // append the first key as closing row where it is missing
    COMPILE_LOOP_OFF = 2,  // never marked as closed
};

enum compile_nodes {
    COMPILE_NODES_JOINTS = 0,
    COMPILE_NODES_ATTACHMENTS = 1, // and static children of joints
    COMPILE_NODES_ALL = 2,         // and every other node under the same scene roots
};

/// One source file and how to treat it. Zero means default.
struct compile_input {
    const char *path;
    double metres_per_unit; // --unit, default what the file says, else 1
    double error_mm;        // --error, default 0.1
    double shell_m;         // --shell, default 0.03
    enum compile_loop loop;
    enum compile_nodes nodes;
    bool is_exact_set;         // --exact was given: else as the kind of file asks for
    bool is_exact;             // --exact: every track as the source has it
    bool is_trimmed;           // --trim: clips start at their first key
    const char *additive;      // --additive: clip name, "rest", or null
    const char *events;        // --events: path of a sidecar file, or null
    const char *root_joint;    // --root-motion: name of the joint it is taken from, or null
    uint32_t root_components;  // --root-axes: TRP_ROOT_*, 0 = x, z and yaw
    bool is_root_in_pose;      // --root-in-pose: reported, but left in the pose too
    bool is_stf_tangent_added; // --stf-tangents added: see import_options
};

struct compile_options {
    const struct compile_input *inputs;
    uint32_t input_count;
    uint32_t job_count;        // threads over clips, 0 = one for each processor
    const void *skeleton_pack; // --skeleton: bytes of a pack whose first skeleton is used, or null
    size_t skeleton_pack_bytes;
    // From the calling thread; may be null.
    void (*progress)(uint32_t done, uint32_t total, void *user);
    void *progress_user;
    void (*dependency)(const char *path, void *user); // for each file that was read; may be null
    void *dependency_user;
};

/// Compiles source files into the bytes of one pack. The bytes depend on the inputs and options
/// alone, never on `job_count`, host or compiler.
/// @param bytes [out] 64-byte aligned, from the C allocator: free() it; null on failure
/// @return false after an error in `report`.
bool compile_pack(const struct compile_options *options, void **bytes, size_t *size_bytes,
                  struct report *report);

/// What `verify` found for one clip.
struct verify_clip {
    const char *name; // points into the pack
    double budget_mm;
    double max_error_keys_mm;
    double max_error_mm;
    const char *at_joint; // where the largest error was
    double at_time_s;
    double max_value_error;     // of properties, in parts of their tolerance
    const char *at_property;    // which one it was
    uint32_t wrong_event_count; // missing, other than in the source, or not from there
    char event_problem[256];    // what is wrong with the first
};

struct verify_options {
    const struct compile_input *inputs; // the sources; units, shells, budgets come from the pack
    uint32_t input_count;
    uint64_t seed;                // of the extra times
    const trp_skeleton *skeleton; // of clips whose skeleton is not in the pack; may be null
};

/// Measures a pack against its sources anew: own path, own matrices, the runtime's samples.
/// @param clips [out] one for each clip of the pack, free() it; null on failure
/// @param ok    [out] whether every clip keeps its budget and has its events; those of a pack that
///              are not in its sources count as wrong where `events` names the other file they may
///              be from
/// @return false after an error in `report` (a clip over budget is none: see `ok`).
bool verify_pack(const struct verify_options *options, const void *bytes, size_t size_bytes,
                 struct verify_clip **clips, uint32_t *clip_count, bool *ok, struct report *report);

/// Reads a whole regular file into 64-byte aligned memory from the C allocator.
/// @return false after an error in `report` under the name of that file; errno still says why
bool file_read(const char *path, void **bytes, size_t *size_bytes, struct report *report);

/// Writes a whole file under a temporary name beside it, then renames: all or nothing. Devices and
/// pipes are written as they are.
bool file_write(const char *path, const void *bytes, size_t size_bytes, struct report *report);

#endif
