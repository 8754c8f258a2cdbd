// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A puppet, written as .gltf and .bin: what animates besides joints. A face with the morph targets
// `smile` and `blink`, and a lamp that slides, changes colour and is switched.
#ifndef TROUPE_TESTS_PUPPET_GLTF_H
#define TROUPE_TESTS_PUPPET_GLTF_H

#include <stdbool.h>
#include <stdio.h>

#define PUPPET_WEIGHTS "/nodes/0/weights"
#define PUPPET_COLOUR "/materials/0/pbrMetallicRoughness/baseColorFactor"
#define PUPPET_VISIBLE "/nodes/1/extensions/KHR_node_visibility/visible"
#define PUPPET_OFF_S 0.2915026f // where the lamp is switched off and on: on no grid together
#define PUPPET_ON_S 0.8414710f

/// Zero is the puppet as it should be.
struct puppet_gltf {
    float grinned;     // added to the second key of `smile` in `linear`
    bool is_face_only; // without the clip `lamp`: nothing has joints
    bool is_sliding;   // with the clip `slide`: the lamp moves along x, nothing else is animated
    const char *first_name; // of the clip `linear`, null = that
};

/// The clips `linear`, `step` and `cubic` move the weights, at 0, 0.5 and 1 s:
///   smile 0, 1, 0 and blink 0, 0.25, 0.5; cubic leaves and reaches every key with 2 per second.
/// `lamp` fades the colour from red to blue by way of green, switches the lamp off at PUPPET_OFF_S
/// and on at PUPPET_ON_S, and jumps along x by 1 at both; it rests at x = 5.
static inline void puppet_gltf_write(const char *folder, const char *stem,
                                     const struct puppet_gltf *puppet)
{
    const struct {
        float times[3];
        float weights[3][2];
        float cubic[3][3][2]; // arriving, value, leaving
        float colours[3][4];
        float switch_times[3];
        float places[3][3];
        float corners[3][3];
        unsigned char visible[4];
    } bytes = {
        .times = {0, 0.5f, 1},
        .weights = {{0, 0}, {1 + puppet->grinned, 0.25f}, {0, 0.5f}},
        .cubic = {{{2, 2}, {0, 0}, {2, 2}}, {{2, 2}, {1, 0.25f}, {2, 2}}, {{2, 2}, {0, 0.5f}}},
        .colours = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}},
        .switch_times = {0, PUPPET_OFF_S, PUPPET_ON_S},
        .places = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
        .corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
        .visible = {1, 0, 1},
    };
    const char *const start = (const char *)&bytes;
    const struct {
        long offset;
        int component_type;
        int count;
        const char *rest;
    } accessors[] = {
        {(const char *)bytes.times - start, 5126, 3,
         "\"type\": \"SCALAR\", \"min\": [0], \"max\": [1]"},
        {(const char *)bytes.weights - start, 5126, 6, "\"type\": \"SCALAR\""},
        {(const char *)bytes.cubic - start, 5126, 18, "\"type\": \"SCALAR\""},
        {(const char *)bytes.colours - start, 5126, 3, "\"type\": \"VEC4\""},
        {(const char *)bytes.switch_times - start, 5126, 3,
         "\"type\": \"SCALAR\", \"min\": [0], \"max\": [0.841471016]"},
        {(const char *)bytes.places - start, 5126, 3, "\"type\": \"VEC3\""},
        {(const char *)bytes.corners - start, 5126, 3,
         "\"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0]"},
        {(const char *)bytes.visible - start, 5121, 3, "\"type\": \"SCALAR\""},
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.bin", folder, stem);
    FILE *file = fopen(path, "wb");
    fwrite(&bytes, 1, sizeof bytes, file);
    fclose(file);

    snprintf(path, sizeof path, "%s/%s.gltf", folder, stem);
    file = fopen(path, "w");
    fprintf(file,
            "{\"asset\": {\"version\": \"2.0\"},\n"
            "\"extensionsUsed\": [\"KHR_animation_pointer\", \"KHR_node_visibility\"],\n"
            "\"scene\": 0, \"scenes\": [{\"nodes\": [0, 1]}],\n"
            "\"nodes\": [{\"name\": \"face\", \"mesh\": 0},\n"
            " {\"name\": \"lamp\", \"translation\": [5, 0, 0],\n"
            "  \"extensions\": {\"KHR_node_visibility\": {\"visible\": true}}}],\n"
            "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 6}, \"material\": 0,\n"
            "  \"targets\": [{\"POSITION\": 6}, {\"POSITION\": 6}]}], \"weights\": [0.5, 0],\n"
            "  \"extras\": {\"targetNames\": [\"smile\", \"blink\"]}}],\n"
            "\"materials\": [{\"pbrMetallicRoughness\": {\"baseColorFactor\": [1, 1, 1, 1]}}],\n"
            "\"buffers\": [{\"uri\": \"%s.bin\", \"byteLength\": %zu}],\n"
            "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu}],\n"
            "\"accessors\": [",
            stem, sizeof bytes, sizeof bytes);
    for (int i = 0; i < 8; i++) {
        fprintf(file,
                "%s\n {\"bufferView\": 0, \"byteOffset\": %ld, \"componentType\": %d, "
                "\"count\": %d, %s}",
                i > 0 ? "," : "", accessors[i].offset, accessors[i].component_type,
                accessors[i].count, accessors[i].rest);
    }
    fputs("],\n\"animations\": [", file);
    const struct {
        const char *name;
        int output;
        const char *interpolation;
    } clips[] = {{puppet->first_name ? puppet->first_name : "linear", 1, "LINEAR"},
                 {"step", 1, "STEP"},
                 {"cubic", 2, "CUBICSPLINE"}};
    for (int i = 0; i < 3; i++) {
        fprintf(file,
                "%s\n {\"name\": \"%s\", \"samplers\": [{\"input\": 0, \"output\": %d, "
                "\"interpolation\": \"%s\"}],\n"
                "  \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": "
                "\"weights\"}}]}",
                i > 0 ? "," : "", clips[i].name, clips[i].output, clips[i].interpolation);
    }
    if (!puppet->is_face_only) {
        fputs(",\n {\"name\": \"lamp\", \"samplers\": [{\"input\": 0, \"output\": 3},\n"
              "  {\"input\": 4, \"output\": 7, \"interpolation\": \"STEP\"},\n"
              "  {\"input\": 4, \"output\": 5, \"interpolation\": \"STEP\"}],\n"
              "  \"channels\": [{\"sampler\": 0, \"target\": {\"path\": \"pointer\", "
              "\"extensions\": {\"KHR_animation_pointer\": {\"pointer\": \"" PUPPET_COLOUR
              "\"}}}},\n"
              "  {\"sampler\": 1, \"target\": {\"path\": \"pointer\", \"extensions\": "
              "{\"KHR_animation_pointer\": {\"pointer\": \"" PUPPET_VISIBLE "\"}}}},\n"
              "  {\"sampler\": 2, \"target\": {\"node\": 1, \"path\": \"translation\"}}]}",
              file);
    }
    if (puppet->is_sliding) {
        fputs(",\n {\"name\": \"slide\", \"samplers\": [{\"input\": 4, \"output\": 5}],\n"
              "  \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 1, \"path\": "
              "\"translation\"}}]}",
              file);
    }
    fputs("]}\n", file);
    fclose(file);
}

#endif
