// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A tiny character, written as .gltf and .bin: an arm on a body, three clips. Every number that
// tests want to change is a field, so that a test can say what is different and by how much.
#ifndef TROUPE_TESTS_TINY_GLTF_H
#define TROUPE_TESTS_TINY_GLTF_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Zero is the character as it should be; fields are what it differs by.
struct tiny_gltf {
    double lifted;       // metres added to the static node above the skeleton
    double moved;        // added to the last key of the body's translation in `wave`
    double turned;       // radians added to the second key of the arm's rotation in `wave`
    double step_delayed; // seconds that the edge of `step` comes later
    double late;         // seconds that all keys come later
    double arm_scale;    // scale of the arm at rest, 0 = 1
    const char *extra;   // JSON members at the top level, such as "\"extensionsRequired\": [],"
};

/// Writes FOLDER/STEM.gltf and .bin.
/// The body moves along x by 1 within a second, the arm (1 above the body) turns by 90 degrees
/// about z and back; `step` holds the arm at x = 0, then from 0.5 s on at x = 0.25; `drift` moves
/// the body along y and ends elsewhere than it began.
static inline void tiny_gltf_write(const char *folder, const char *stem,
                                   const struct tiny_gltf *tiny)
{
    const double half = (1.5707963267948966 + tiny->turned) / 2;
    const float late = (float)tiny->late;
    const float bytes[] = {
        late,
        late + 0.5f,
        late + 1, // 0: times
        0,
        0,
        0,
        1,
        0,
        0,
        (float)sin(half),
        (float)cos(half),
        0,
        0,
        0,
        1, // 12: arm turns
        0,
        0,
        0,
        0.5f,
        0,
        0,
        1 + (float)tiny->moved,
        0,
        0, // 60: body moves
        late,
        late + 0.5f + (float)tiny->step_delayed,
        late + 1, // 96: times of the step
        0,
        1,
        0,
        0.25f,
        1,
        0,
        0.25f,
        1,
        0, // 108: arm jumps
        0,
        0,
        0,
        0,
        0.25f,
        0,
        0,
        0.75f,
        0, // 144: body drifts
    };
    const double scale = tiny->arm_scale > 0 ? tiny->arm_scale : 1;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.bin", folder, stem);
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, sizeof bytes, file);
    fclose(file);
    snprintf(path, sizeof path, "%s/%s.gltf", folder, stem);
    file = fopen(path, "w");
    fprintf(
        file,
        "{ %s \"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],\n"
        "\"nodes\": [{\"name\": \"ground\", \"translation\": [0, %.9g, 0], \"children\": [2]},\n"
        " {\"name\": \"arm\", \"translation\": [0, 1, 0], \"scale\": [%.9g, %.9g, %.9g]},\n"
        " {\"name\": \"body\", \"children\": [1]}],\n"
        "\"skins\": [{\"name\": \"skin\", \"joints\": [2, 1]}],\n"
        "\"buffers\": [{\"uri\": \"%s.bin\", \"byteLength\": %zu}],\n"
        "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": %zu}],\n"
        "\"accessors\": [\n",
        tiny->extra != NULL ? tiny->extra : "", tiny->lifted, scale, scale, scale, stem,
        sizeof bytes, sizeof bytes);
    static const struct {
        int offset;
        const char *type;
    } accessors[] = {
        {0, "SCALAR"}, {12, "VEC4"}, {60, "VEC3"}, {96, "SCALAR"}, {108, "VEC3"}, {144, "VEC3"},
    };
    for (int i = 0; i < 6; i++) {
        const float *const first = (const float *)((const char *)bytes + accessors[i].offset);
        fprintf(file,
                "{\"bufferView\": 0, \"byteOffset\": %d, \"componentType\": 5126, \"count\": 3, "
                "\"type\": \"%s\"",
                accessors[i].offset, accessors[i].type);
        if (strcmp(accessors[i].type, "SCALAR") == 0) {
            fprintf(file, ", \"min\": [%.9g], \"max\": [%.9g]", (double)first[0], (double)first[2]);
        }
        fprintf(file, "}%s\n", i < 5 ? "," : "],");
    }
    fprintf(file,
            "\"animations\": [{\"name\": \"wave\", \"samplers\": [{\"input\": 0, \"output\": 1}, "
            "{\"input\": 0, \"output\": 2}], \"channels\": [{\"sampler\": 0, \"target\": "
            "{\"node\": 1, \"path\": \"rotation\"}}, {\"sampler\": 1, \"target\": {\"node\": 2, "
            "\"path\": \"translation\"}}]},\n"
            "{\"name\": \"step\", \"samplers\": [{\"input\": 3, \"output\": 4, "
            "\"interpolation\": \"STEP\"}], \"channels\": [{\"sampler\": 0, \"target\": "
            "{\"node\": 1, \"path\": \"translation\"}}]},\n"
            "{\"name\": \"drift\", \"samplers\": [{\"input\": 0, \"output\": 5}], \"channels\": "
            "[{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"translation\"}}]}]}\n");
    fclose(file);
}

#endif
