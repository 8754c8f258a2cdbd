// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The glTF importer on small files made here, on every way to break them, and on real files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gltf_asserts.h"
#include "gltf_exercise.h"
#include "temp_folder.h"

/// Adds nodes, a skin and a clip with a track of each path and interpolation.
static void build_character(struct gltf_builder *builder)
{
    gltf_builder_add(builder, GLTF_NODES, "{\"name\":\"root\",\"children\":[2,1]}");
    gltf_builder_add(builder, GLTF_NODES,
                     "{\"name\":\"knee\",\"translation\":[0,-1,0.5],\"scale\":[1,2,3]}");
    gltf_builder_add(builder, GLTF_NODES, "{\"rotation\":[0,0.6,0,0.8]}");
    float matrices[32];
    for (int i = 0; i < 32; i++) {
        matrices[i] = i % 4 == 3 ? (i % 16 == 15) : (float)i;
    }
    const uint32_t binds = gltf_builder_floats(builder, 16, 2, matrices);
    gltf_builder_add(builder, GLTF_SKINS,
                     "{\"name\":\"skin\",\"joints\":[2,1],\"inverseBindMatrices\":%u,"
                     "\"skeleton\":0}",
                     binds);
    const float times[3] = {0.25f, 0.5f, 2};
    const float translations[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const float rotations[12] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f, 1, 0, 0, 0};
    float scales[27];
    for (int i = 0; i < 27; i++) {
        scales[i] = (float)i;
    }
    const uint32_t input = gltf_builder_floats(builder, 1, 3, times);
    const uint32_t translation = gltf_builder_floats(builder, 3, 3, translations);
    const uint32_t rotation = gltf_builder_floats(builder, 4, 3, rotations);
    const uint32_t scale = gltf_builder_floats(builder, 3, 9, scales);
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"name\":\"walk\",\"channels\":["
                     "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},"
                     "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"rotation\"}},"
                     "{\"sampler\":2,\"target\":{\"node\":2,\"path\":\"scale\"}}],\"samplers\":["
                     "{\"input\":%u,\"output\":%u},"
                     "{\"input\":%u,\"output\":%u,\"interpolation\":\"STEP\"},"
                     "{\"input\":%u,\"output\":%u,\"interpolation\":\"CUBICSPLINE\"}]}",
                     input, translation, input, rotation, input, scale);
}

static void check_character(const struct scene *scene)
{
    assert_string_equal(scene->file, "folder/test.gltf");
    assert_string_equal(scene->stem, "test");
    assert_int_equal(scene->node_count, 3);
    assert_string_equal(scene->nodes[0].name, "root");
    assert_string_equal(scene->nodes[2].name, "");
    assert_int_equal(scene->nodes[0].parent, -1);
    assert_int_equal(scene->nodes[1].parent, 0);
    assert_int_equal(scene->nodes[2].parent, 0);
    const double translation[3] = {0, -1, 0.5};
    const double scale[3] = {1, 2, 3};
    const double identity[4] = {0, 0, 0, 1};
    const double ones[3] = {1, 1, 1};
    assert_memory_equal(scene->nodes[1].translation, translation, sizeof translation);
    assert_memory_equal(scene->nodes[1].scale, scale, sizeof scale);
    assert_memory_equal(scene->nodes[1].rotation, identity, sizeof identity);
    assert_memory_equal(scene->nodes[2].scale, ones, sizeof ones);
    assert_true(fabs(scene->nodes[2].rotation[1] - 0.6) < 1e-15);

    assert_int_equal(scene->skin_count, 1);
    assert_string_equal(scene->skins[0].name, "skin");
    assert_int_equal(scene->skins[0].joint_count, 2);
    assert_int_equal(scene->skins[0].nodes[0], 2);
    assert_int_equal(scene->skins[0].nodes[1], 1);
    assert_int_equal(scene->skins[0].skeleton_root, 0);
    const double bind[12] = {16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30};
    assert_memory_equal(scene->skins[0].inverse_bind[1], bind, sizeof bind);

    assert_int_equal(scene->clip_count, 1);
    const struct scene_clip *const clip = &scene->clips[0];
    assert_string_equal(clip->name, "walk");
    assert_true(clip->duration_s == 2);
    assert_int_equal(clip->track_count, 3);
    const struct scene_track *const tracks = clip->tracks;
    assert_int_equal(tracks[0].node, 1);
    assert_int_equal(tracks[0].path, SCENE_TRANSLATION);
    assert_int_equal(tracks[1].path, SCENE_ROTATION);
    assert_int_equal(tracks[2].node, 2);
    assert_int_equal(tracks[2].path, SCENE_SCALE);
    assert_int_equal(tracks[0].curve.interpolations[0], SCENE_LINEAR); // the default
    assert_int_equal(tracks[1].curve.interpolations[0], SCENE_STEP);
    assert_int_equal(tracks[2].curve.interpolations[0], SCENE_CUBIC);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tracks[i].curve.key_count, 3);
        assert_true(tracks[i].curve.times[1] == 0.5);
    }
    for (int i = 0; i < 9; i++) {
        const int at = i / 3 * 9 + i % 3; // in-tangents, values and out-tangents alternate
        assert_true(tracks[0].curve.values[i] == i + 1);
        assert_true(tracks[2].curve.in_tangents[i] == at);
        assert_true(tracks[2].curve.values[i] == at + 3);
        assert_true(tracks[2].curve.out_tangents[i] == at + 6);
    }
    assert_null(tracks[0].curve.in_tangents);
    assert_int_equal(tracks[1].curve.stride, 4);
    assert_true(fabs(tracks[1].curve.values[5] - 0.6) < 1e-7);
}

static void test_gltf_glb_and_text_give_the_same_scene(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    check_character(&scene);
    scene_free(&scene);
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_gltf(&builder, &size_bytes);
    report = (struct report){0};
    assert_true(import_copy(bytes, size_bytes, &scene, &report));
    check_character(&scene);
    scene_free(&scene);
    free(bytes);
}

static void assert_values(const struct scene *scene, uint32_t clip, const double *expected,
                          size_t count)
{
    const struct scene_curve *const curve = &scene->clips[clip].tracks[0].curve;
    assert_int_equal((size_t)curve->key_count * curve->stride, count);
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(curve->values[i] - expected[i]) < 1e-15)) {
            fail_msg("value %zu is %.17g, not %.17g", i, curve->values[i], expected[i]);
        }
    }
}

static void test_gltf_b81_ava17_integers_normalised_or_not_are_decoded(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const int8_t i8[8] = {-128, -127, 127, 0, 1, -1, 64, 0};
    const uint8_t u8[8] = {0, 1, 255, 0, 128, 254, 127, 0};
    const int16_t i16[8] = {-32768, -32767, 32767, 0, 1, -1, 16384, 0};
    const uint16_t u16[8] = {0, 1, 65535, 0, 32768, 65534, 2, 0};
    const uint32_t u32[6] = {0, 1, 4294967295u, 65536, 2, 3};
    const struct {
        int component;
        const void *bytes;
        size_t element_bytes;
        bool is_normalised;
        double divisor;
    } cases[] = {
        {5120, i8, 4, true, 127},    {5121, u8, 4, true, 255}, {5122, i16, 8, true, 32767},
        {5123, u16, 8, true, 65535}, {5120, i8, 4, false, 1},  {5121, u8, 4, false, 1},
        {5122, i16, 8, false, 1},    {5123, u16, 8, false, 1}, {5125, u32, 12, false, 1},
    };
    enum { CASE_COUNT = sizeof cases / sizeof *cases };
    const uint32_t input = build_times(&builder, 2);
    for (size_t i = 0; i < CASE_COUNT; i++) {
        // Padded to four bytes, as vertex formats are: a stride in the view.
        char stride[40];
        snprintf(stride, sizeof stride, ",\"byteStride\":%zu", cases[i].element_bytes);
        const uint32_t view =
            gltf_builder_view(&builder, cases[i].bytes, 2 * cases[i].element_bytes, stride);
        const uint32_t output = gltf_builder_add(
            &builder, GLTF_ACCESSORS,
            "{\"bufferView\":%u,\"componentType\":%d,\"type\":\"VEC3\",\"count\":2,"
            "\"normalized\":%s}",
            view, cases[i].component, cases[i].is_normalised ? "true" : "false");
        build_channel(&builder, "translation", input, output, "LINEAR");
    }
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    for (uint32_t i = 0; i < CASE_COUNT; i++) {
        double expected[6];
        for (int at = 0; at < 6; at++) {
            const int from = cases[i].component == 5125 ? at : at / 3 * 4 + at % 3;
            const double raw = cases[i].component == 5120   ? (double)i8[from]
                               : cases[i].component == 5121 ? (double)u8[from]
                               : cases[i].component == 5122 ? (double)i16[from]
                               : cases[i].component == 5123 ? (double)u16[from]
                                                            : (double)u32[from];
            expected[at] = fmax(raw / cases[i].divisor, cases[i].is_normalised ? -1 : -1e9);
        }
        assert_values(&scene, i, expected, 6);
    }
    scene_free(&scene);
}

static void test_gltf_quantised_rotations_are_unit_without_a_warning(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    // B81: what quantisers write.
    const int8_t i8[8] = {0, 76, 0, 102, 63, 64, -63, 64};
    const int16_t i16[8] = {0, 19660, 0, 26214, -16384, 16384, 16383, 16384};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t small =
        gltf_builder_accessor(&builder, 5120, "VEC4", 2, ",\"normalized\":true", i8, sizeof i8);
    const uint32_t large =
        gltf_builder_accessor(&builder, 5122, "VEC4", 2, ",\"normalized\":true", i16, sizeof i16);
    build_channel(&builder, "rotation", input, small, "LINEAR");
    build_channel(&builder, "rotation", input, large, "STEP");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    for (uint32_t clip = 0; clip < 2; clip++) {
        const double *const q = scene.clips[clip].tracks[0].curve.values;
        assert_true(fabs(q[1] - 0.6) < 0.005 && fabs(q[3] - 0.8) < 0.005);
        assert_true(fabs(q[4] * q[4] + q[5] * q[5] + q[6] * q[6] + q[7] * q[7] - 1) < 1e-15);
    }
    scene_free(&scene);
}

static void test_gltf_stride_and_offsets_find_interleaved_values(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    // Time and translation of each key side by side, after a float of something else.
    const float rows[13] = {99, 0, 1, 2, 3, 0.5, 4, 5, 6, 1, 7, 8, 9};
    const uint32_t view = gltf_builder_view(&builder, rows, sizeof rows, ",\"byteStride\":16");
    const uint32_t input = gltf_builder_add(
        &builder, GLTF_ACCESSORS,
        "{\"bufferView\":%u,\"byteOffset\":4,\"componentType\":5126,\"type\":\"SCALAR\","
        "\"count\":3}",
        view);
    const uint32_t output = gltf_builder_add(
        &builder, GLTF_ACCESSORS,
        "{\"bufferView\":%u,\"byteOffset\":8,\"componentType\":5126,\"type\":\"VEC3\","
        "\"count\":3}",
        view);
    build_channel(&builder, "translation", input, output, "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double expected[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_values(&scene, 0, expected, 9);
    assert_true(scene.clips[0].tracks[0].curve.times[2] == 1);
    scene_free(&scene);
}

static void test_gltf_sparse_values_replace_those_of_the_view_or_zeros(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float base[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const float values[6] = {-1, -2, -3, -4, -5, -6};
    const uint8_t u8[2] = {1, 3};
    const uint16_t u16[2] = {1, 3};
    const uint32_t u32[2] = {1, 3};
    const uint32_t input = build_times(&builder, 4);
    const uint32_t base_view = gltf_builder_view(&builder, base, sizeof base, "");
    const uint32_t values_view = gltf_builder_view(&builder, values, sizeof values, "");
    const uint32_t index_views[3] = {
        gltf_builder_view(&builder, u8, sizeof u8, ""),
        gltf_builder_view(&builder, u16, sizeof u16, ""),
        gltf_builder_view(&builder, u32, sizeof u32, ""),
    };
    const int components[3] = {5121, 5123, 5125};
    for (int i = 0; i < 3; i++) {
        char view[40];
        snprintf(view, sizeof view, "\"bufferView\":%u,", base_view);
        const uint32_t output = gltf_builder_add(
            &builder, GLTF_ACCESSORS,
            "{%s\"componentType\":5126,\"type\":\"VEC3\",\"count\":4,\"sparse\":{\"count\":2,"
            "\"indices\":{\"bufferView\":%u,\"componentType\":%d},"
            "\"values\":{\"bufferView\":%u}}}",
            i == 0 ? "" : view, index_views[i], components[i], values_view);
        build_channel(&builder, "scale", input, output, "LINEAR");
    }
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double over_zeros[12] = {0, 0, 0, -1, -2, -3, 0, 0, 0, -4, -5, -6};
    const double over_base[12] = {1, 2, 3, -1, -2, -3, 7, 8, 9, -4, -5, -6};
    assert_values(&scene, 0, over_zeros, 12);
    assert_values(&scene, 1, over_base, 12);
    assert_values(&scene, 2, over_base, 12);
    scene_free(&scene);
}

static void test_gltf_accessor_without_view_is_all_zero(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_add(
        &builder, GLTF_ACCESSORS, "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":2}");
    build_channel(&builder, "translation", input, output, "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double zeros[6] = {0};
    assert_values(&scene, 0, zeros, 6);
    scene_free(&scene);
}

static void test_gltf_b18_b19_b20_ava16_key_times_out_of_order_are_refused_by_key(void **state)
{
    (void)state;
    const struct {
        float times[4];
        const char *line;
    } cases[] = {
        // B18, B19 and B20: two keys at one time are refused like any other disorder.
        {{-1, 0, 0, 1}, "key 0 is at -1 s, before 0 [gltf.animation.times]"},
        {{-0.97f, 0, 1, 2}, "key 0 is at -0.970000029 s, before 0 [gltf.animation.times]"},
        {{0, 0, 1, 2}, "key 1 at 0 s is not after key 0 at 0 s [gltf.animation.times]"},
        {{0, 1, 2, 1.5f}, "key 3 at 1.5 s is not after key 2 at 2 s [gltf.animation.times]"},
        {{0, 1, NAN, 3},
         "component 0 of element 2 of accessor 0 is not finite "
         "[gltf.accessor.finite]"},
        {{0, 1, 2, INFINITY},
         "component 0 of element 3 of accessor 0 is not finite "
         "[gltf.accessor.finite]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        const float values[12] = {0};
        const uint32_t input = gltf_builder_floats(&builder, 1, 4, cases[i].times);
        const uint32_t output = gltf_builder_floats(&builder, 3, 4, values);
        build_channel(&builder, "translation", input, output, "LINEAR");
        char line[256];
        snprintf(line, sizeof line, "animations[0].samplers[0].input: %s", cases[i].line);
        assert_refused(&builder, TROUPE_EXIT_INPUT, line);
    }
}

static void test_gltf_b84_values_that_are_not_finite_are_refused_by_place(void **state)
{
    (void)state;
    const float poison[] = {NAN, INFINITY, -INFINITY, 2e30f};
    for (size_t i = 0; i < sizeof poison / sizeof *poison; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        const float values[6] = {0, 0, 0, 0, poison[i], 0};
        const uint32_t input = build_times(&builder, 2);
        const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
        build_channel(&builder, "translation", input, output, "STEP");
        assert_refused(&builder, TROUPE_EXIT_INPUT,
                       isfinite(poison[i])
                           ? "animations[0].samplers[0].output: component 1 of element 1 of "
                             "accessor 1 is above 1e30 [gltf.accessor.finite]"
                           : "animations[0].samplers[0].output: component 1 of element 1 of "
                             "accessor 1 is not finite [gltf.accessor.finite]");
    }
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, NAN, 1};
    const uint32_t binds = gltf_builder_floats(&builder, 16, 1, matrix);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[0],\"inverseBindMatrices\":%u}", binds);
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "skins[0].inverseBindMatrices: component 14 of element 0 of accessor 0 is not "
                   "finite [gltf.accessor.finite]");
}

static void test_gltf_b84_scales_of_zero_stay_finite(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[6] = {1, 1, 1, 0, 0, 0};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
    build_channel(&builder, "scale", input, output, "LINEAR");
    gltf_builder_add(&builder, GLTF_NODES, "{\"scale\":[0,0,0],\"children\":[2]}");
    gltf_builder_add(&builder, GLTF_NODES, "{\"scale\":[0,0,0]}");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    double matrices[3][12];
    for (int i = 0; i < 2; i++) {
        const struct scene_transform rest = scene_node_rest(&scene.nodes[1 + i]);
        scene_transform_matrix(&rest, matrices[i]);
    }
    scene_matrix_multiply(matrices[0], matrices[1], matrices[2]);
    double scale[3];
    scene_curve_sample(&scene.clips[0].tracks[0].curve, SCENE_SCALE, 0.5, scale);
    assert_true(scale[0] == 0 && scale[1] == 0 && scale[2] == 0);
    for (int i = 0; i < 36; i++) {
        assert_true(isfinite(matrices[i / 12][i % 12]));
    }
    scene_free(&scene);
}

static void test_gltf_unnormalised_rotations_are_normalised_with_one_warning(void **state)
{
    (void)state;
    // B07
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[8] = {-0.5f, 0, 0, 1.18f, 0, 0, 0, 3};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_floats(&builder, 4, 2, values);
    gltf_builder_add(&builder, GLTF_NODES, "{\"rotation\":[0,0,0,2]}");
    build_channel(&builder, "rotation", input, output, "LINEAR");
    build_channel(&builder, "rotation", input, output, "LINEAR");
    char *text = NULL;
    size_t text_bytes = 0;
    struct scene scene;
    struct report report = {.out = open_memstream(&text, &text_bytes)};
    assert_true(import_built(&builder, &scene, &report));
    fclose(report.out);
    assert_string_equal(text, "folder/test.gltf: warning: nodes[0].rotation: 3 rotations from here "
                              "on are not of unit length (the worst is 3 long); normalised "
                              "[gltf.rotation.length]\n");
    free(text);
    const double length = sqrt(0.25 + 1.18f * (double)1.18f);
    const double expected[8] = {-0.5 / length, 0, 0, 1.18f / length, 0, 0, 0, 1};
    assert_values(&scene, 0, expected, 8);
    assert_values(&scene, 1, expected, 8);
    assert_true(scene.nodes[0].rotation[3] == 1);
    scene_free(&scene);
}

static void test_gltf_rotation_of_length_zero_is_refused(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[8] = {0, 0, 0, 1};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_floats(&builder, 4, 2, values);
    build_channel(&builder, "rotation", input, output, "LINEAR");
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "animations[0].samplers[0].output: key 1 is no rotation: its length is 0 "
                   "[gltf.rotation.length]");
    memset(&builder, 0, sizeof builder);
    gltf_builder_add(&builder, GLTF_NODES, "{\"rotation\":[0,0,0,0]}");
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "nodes[0].rotation: it is no rotation: its length is 0 [gltf.rotation.length]");
}

static void test_gltf_cubic_rotations_keep_their_tangents_as_they_are(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[12] = {5, 6, 7, 8, 0, 0, 0, 2, 1, 2, 3, 4};
    const float time = 0.5f;
    const uint32_t input = gltf_builder_floats(&builder, 1, 1, &time);
    const uint32_t output = gltf_builder_floats(&builder, 4, 3, values);
    build_channel(&builder, "rotation", input, output, "CUBICSPLINE");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    // One key: its value, always.
    const struct scene_curve *const curve = &scene.clips[0].tracks[0].curve;
    const double identity[4] = {0, 0, 0, 1};
    assert_values(&scene, 0, identity, 4);
    assert_true(curve->in_tangents[3] == 8 && curve->out_tangents[0] == 1);
    double out[4];
    scene_curve_sample(curve, SCENE_ROTATION, 0.7, out);
    assert_memory_equal(out, identity, sizeof identity);
    scene_free(&scene);
}

static void test_gltf_one_accessor_read_as_plain_and_cubic_serves_both(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[12] = {0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 7};
    const uint32_t three = build_times(&builder, 3);
    const uint32_t one = build_times(&builder, 1);
    const uint32_t output = gltf_builder_floats(&builder, 4, 3, values);
    build_channel(&builder, "rotation", three, output, "LINEAR");
    build_channel(&builder, "rotation", one, output, "CUBICSPLINE");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double plain[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_values(&scene, 0, plain, 12);
    assert_values(&scene, 1, plain, 4);
    assert_true(scene.clips[1].tracks[0].curve.in_tangents[3] == 3);
    assert_true(scene.clips[1].tracks[0].curve.out_tangents[3] == 7);
    scene_free(&scene);
}

static void test_gltf_b15_b22_b25_late_single_and_zero_keys_keep_their_times(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float late[2] = {1.5f, 3};
    const float zero = 0;
    const float one = 1;
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const uint32_t output2 = gltf_builder_floats(&builder, 3, 2, values);
    const uint32_t output1 = gltf_builder_floats(&builder, 3, 1, values);
    build_channel(&builder, "translation", gltf_builder_floats(&builder, 1, 2, late), output2,
                  "LINEAR"); // B15
    build_channel(&builder, "translation", gltf_builder_floats(&builder, 1, 1, &zero), output1,
                  "LINEAR"); // B25
    build_channel(&builder, "translation", gltf_builder_floats(&builder, 1, 1, &one), output1,
                  "STEP"); // B22
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double durations[3] = {3, 0, 1};
    for (int i = 0; i < 3; i++) {
        double out[3];
        assert_true(scene.clips[i].duration_s == durations[i]);
        scene_curve_sample(&scene.clips[i].tracks[0].curve, SCENE_TRANSLATION, 0.1, out);
        assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    }
    scene_free(&scene);
}

static void test_gltf_b37_ava18_channel_without_a_node_is_ignored_and_the_rest_plays(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const float longer[2] = {0, 7};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t late = gltf_builder_floats(&builder, 1, 2, longer);
    const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"channels\":["
                     "{\"sampler\":1,\"target\":{\"path\":\"translation\"}},"
                     "{\"sampler\":1,\"target\":{\"path\":\"weights\"}},"
                     "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
                     "\"samplers\":[{\"input\":%u,\"output\":%u},{\"input\":%u,\"output\":%u}]}",
                     input, output, late, output);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    assert_int_equal(scene.clips[0].track_count, 1);
    assert_int_equal(scene.clips[0].tracks[0].path, SCENE_SCALE);
    assert_true(scene.clips[0].duration_s == 0.5); // of what plays
    scene_free(&scene);
}

static void test_gltf_ava18_same_path_twice_is_refused_in_one_clip_but_not_in_two(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float values[6] = {1, 2, 3, 4, 5, 6};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    const char one[] = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}";
    for (int i = 0; i < 2; i++) {
        gltf_builder_add(&builder, GLTF_ANIMATIONS,
                         "{\"channels\":[%s],\"samplers\":[{\"input\":%u,\"output\":%u}]}", one,
                         input, output);
    }
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(scene.clip_count, 2);
    scene_free(&scene);
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"channels\":[%s,%s],\"samplers\":[{\"input\":%u,\"output\":%u}]}", one, one,
                     input, output);
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "animations[2].channels[1]: channels[0] already drives the scale of node 0 "
                   "[gltf.animation.duplicate]");
}

static uint64_t random_state = 5;

static double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) * 0x1p-53);
}

/// Adds a node with a 3x4 row-major matrix.
static void build_matrix_node(struct gltf_builder *builder, const double m[12])
{
    gltf_builder_add(builder, GLTF_NODES,
                     "{\"matrix\":[%.17g,%.17g,%.17g,0,%.17g,%.17g,%.17g,0,%.17g,%.17g,%.17g,0,"
                     "%.17g,%.17g,%.17g,1]}",
                     m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10], m[3], m[7], m[11]);
}

static void assert_matrix_survives(const double matrix[12])
{
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_matrix_node(&builder, matrix);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    const struct scene_transform rest = scene_node_rest(&scene.nodes[0]);
    double back[12];
    scene_transform_matrix(&rest, back);
    double largest = 0;
    for (int i = 0; i < 12; i++) {
        largest = fmax(largest, i % 4 == 3 ? 0 : fabs(matrix[i]));
    }
    for (int i = 0; i < 12; i++) {
        if (!(fabs(back[i] - matrix[i]) <= largest * 4e-15)) {
            fail_msg("element %d came back as %.17g, not %.17g", i, back[i], matrix[i]);
        }
    }
    scene_free(&scene);
}

static void test_gltf_matrix_nodes_are_decomposed_exactly(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct scene_transform transform = {{0}, {0}, {0}};
        double square = 0;
        for (int c = 0; c < 4; c++) {
            transform.rotation[c] = random_between(-1, 1);
            square += transform.rotation[c] * transform.rotation[c];
        }
        for (int c = 0; c < 4; c++) {
            transform.rotation[c] /= sqrt(square);
        }
        for (int c = 0; c < 3; c++) {
            // Mirrored in every way (B83), and with every combination of flattened axes.
            transform.scale[c] = (i >> c & 1 ? -1 : 1) * random_between(0.01, 100);
            transform.scale[c] *= i >> (c + 3) & (i & 64 ? 1 : 0) ? 0 : 1;
            transform.translation[c] = random_between(-10, 10);
        }
        double matrix[12];
        scene_transform_matrix(&transform, matrix);
        assert_matrix_survives(matrix);
    }
}

static void test_gltf_matrix_mirrored_gets_a_negative_x_scale(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const double mirror_z[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0};
    const double tiny[12] = {-1e-200, 0, 0, 0, 0, 1e-200, 0, 0, 0, 0, 1e-200, 0};
    build_matrix_node(&builder, mirror_z);
    build_matrix_node(&builder, tiny);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double scale[3] = {-1, 1, 1};
    assert_memory_equal(scene.nodes[0].scale, scale, sizeof scale);
    assert_true(fabs(scene.nodes[0].rotation[1]) == 1); // half a turn about y
    const double tiny_scale[3] = {-1e-200, 1e-200, 1e-200};
    assert_memory_equal(scene.nodes[1].scale, tiny_scale, sizeof tiny_scale);
    assert_true(scene.nodes[1].rotation[3] == 1);
    scene_free(&scene);
}

static void test_gltf_matrix_that_shears_is_refused_where_it_matters(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const double shear[12] = {1, 0.01, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    build_matrix_node(&builder, shear);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(report.warning_count, 1);
    scene_free(&scene);
    // Above a joint it bends the skin.
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    builder.sections[GLTF_NODES].text_bytes = 0;
    builder.sections[GLTF_NODES].count = 0;
    gltf_builder_add(&builder, GLTF_NODES,
                     "{\"matrix\":[1,0,0,0,0.01,1,0,0,0,0,1,0,0,0,0,1],\"children\":[1]}");
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[1]}");
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "nodes[0]: the matrix shears (by 0.01), which rotation and scale cannot say "
                   "[gltf.node.shear]");
}

static void test_gltf_ava18_animated_matrix_node_is_refused(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float values[6] = {0};
    const uint32_t input = build_times(&builder, 2);
    const uint32_t output = gltf_builder_floats(&builder, 3, 2, values);
    build_matrix_node(&builder, identity);
    gltf_builder_add(&builder, GLTF_ANIMATIONS,
                     "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
                     "\"samplers\":[{\"input\":%u,\"output\":%u}]}",
                     input, output);
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "animations[0].channels[0]: node 0 is animated, but placed by a matrix "
                   "[gltf.animation.matrix]");
}

static void test_gltf_node_trees_that_are_none_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *nodes[3];
        const char *line;
    } cases[] = {
        {{"{\"children\":[0]}", "{}", "{}"}, "nodes[0]: is its own ancestor [gltf.node.cycle]"},
        {{"{\"children\":[1]}", "{\"children\":[2]}", "{\"children\":[0]}"},
         "nodes[0]: is its own ancestor [gltf.node.cycle]"},
        {{"{}", "{\"children\":[2]}", "{\"children\":[1]}"},
         "nodes[1]: is its own ancestor [gltf.node.cycle]"},
        {{"{\"children\":[2]}", "{\"children\":[2]}", "{}"},
         "nodes[1].children[0]: node 2 is already a child of node 0 [gltf.node.parent]"},
        {{"{\"children\":[1,1]}", "{}", "{}"},
         "nodes[0].children[1]: node 1 is already a child of node 0 [gltf.node.parent]"},
        {{"{\"children\":[3]}", "{}", "{}"},
         "nodes[0].children[0]: is 3, but there are 3 nodes [json.index]"},
        {{"{\"children\":[-1]}", "{}", "{}"},
         "nodes[0].children[0]: is -1, but must be an integer from 0 [json.range]"},
        {{"{\"children\":[0.5]}", "{}", "{}"},
         "nodes[0].children[0]: is 0.5, but must be an integer from 0 [json.range]"},
        {{"{\"children\":[\"1\"]}", "{}", "{}"},
         "nodes[0].children[0]: must be an integer [json.type]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        for (int node = 0; node < 3; node++) {
            gltf_builder_add(&builder, GLTF_NODES, "%s", cases[i].nodes[node]);
        }
        assert_refused(&builder, TROUPE_EXIT_INPUT, cases[i].line);
    }
}

static void test_gltf_nodes_of_all_scenes_are_kept_in_any_order(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    builder.extra = "\"scene\":1,\"scenes\":[{\"nodes\":[3]},{\"nodes\":[1]}],";
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"a\"}");
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"a\",\"children\":[2.0]}");
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_NODES, "{\"name\":\"\\u00e4\\n\",\"children\":[0]}");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    assert_int_equal(scene.node_count, 4);
    assert_int_equal(scene.nodes[0].parent, 3);
    assert_int_equal(scene.nodes[2].parent, 1);
    assert_int_equal(scene.nodes[3].parent, -1);
    assert_string_equal(scene.nodes[3].name, "\xc3\xa4\n");
    scene_free(&scene);
}

static void test_gltf_skin_without_matrices_has_identities(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[0]}");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_memory_equal(scene.skins[0].inverse_bind[0], identity, sizeof identity);
    assert_int_equal(scene.skins[0].skeleton_root, -1);
    assert_string_equal(scene.skins[0].name, "");
    scene_free(&scene);
}

static void test_gltf_skin_with_odd_bottom_row_warns(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    const float matrices[32] = {1, 0, 0, 0,    0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1.00000095f,
                                1, 0, 0, 0.1f, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const uint32_t binds = gltf_builder_floats(&builder, 16, 2, matrices);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[0,1],\"inverseBindMatrices\":%u}", binds);
    char *text = NULL;
    size_t text_bytes = 0;
    struct scene scene;
    struct report report = {.out = open_memstream(&text, &text_bytes)};
    assert_true(import_built(&builder, &scene, &report));
    fclose(report.out);
    assert_string_equal(text, "folder/test.gltf: warning: skins[0].inverseBindMatrices: the bottom "
                              "row of 1 matrices is not 0 0 0 1; taken as if it were "
                              "[gltf.skin.matrices]\n");
    free(text);
    scene_free(&scene);
}

static void test_gltf_required_extensions_pass_only_if_known(void **state)
{
    (void)state;
    const struct {
        const char *name;
        bool passes;
    } cases[] = {
        {"KHR_mesh_quantization", true},
        {"KHR_texture_transform", true},
        {"KHR_materials_unlit", true},
        {"KHR_materials_anything", true},
        {"KHR_texture_basisu", true},
        {"KHR_lights_punctual", true},
        {"KHR_draco_mesh_compression", true},
        {"KHR_node_visibility", true},
        {"KHR_animation_pointer", true},
        {"EXT_meshopt_compression", false},
        {"VENDOR_unknown", false},
        {"KHR_material", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        char extra[128];
        snprintf(extra, sizeof extra, "\"extensionsRequired\":[\"KHR_materials_ior\",\"%s\"],",
                 cases[i].name);
        builder.extra = extra;
        if (cases[i].passes) {
            struct scene scene;
            struct report report;
            assert_imports(&builder, &scene, &report);
            scene_free(&scene);
        } else {
            char line[128];
            snprintf(line, sizeof line,
                     "extensionsRequired[1]: extension %s is not supported "
                     "[gltf.extension.required]",
                     cases[i].name);
            assert_refused(&builder, TROUPE_EXIT_UNSUPPORTED, line);
        }
    }
}

static void test_gltf_other_versions_are_unsupported(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    builder.asset = "{\"version\":\"1.0\"}";
    assert_refused(&builder, TROUPE_EXIT_UNSUPPORTED,
                   "asset: version 1.0 (at least 2.0) is not supported, only 2.0 [gltf.version]");
    builder.asset = "{\"version\":\"2.1\",\"minVersion\":\"2.1\"}";
    assert_refused(&builder, TROUPE_EXIT_UNSUPPORTED,
                   "asset: version 2.1 (at least 2.1) is not supported, only 2.0 [gltf.version]");
    builder.asset = "{\"version\":\"2.1\"}"; // a later minor version plays in 2.0
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    scene_free(&scene);
    builder.asset = "{}";
    assert_refused(&builder, TROUPE_EXIT_INPUT, "asset: \"version\" is missing [json.missing]");
    builder.asset = "3";
    assert_refused(&builder, TROUPE_EXIT_INPUT, "asset: must be an object [json.type]");
}

/// Puts `to` for the first `from` in the character's JSON and expects a complaint.
static void assert_edit_refused(const char *json, const char *from, const char *to,
                                enum troupe_exit exit_code, const char *line)
{
    const char *const at = strstr(json, from);
    if (!at) {
        fail_msg("\"%s\" is not in %s", from, json);
        return;
    }
    const size_t head = (size_t)(at - json);
    const size_t bytes = strlen(json) - strlen(from) + strlen(to);
    char *const text = malloc(bytes + 1);
    memcpy(text, json, head);
    strcpy(text + head, to);
    strcat(text, at + strlen(from));
    struct scene scene;
    struct report report = {0};
    if (import_copy(text, bytes, &scene, &report)) {
        scene_free(&scene);
        fail_msg("imported with %s instead of %s", to, from);
    }
    free(text);
    char expected[512];
    snprintf(expected, sizeof expected, "folder/test.gltf: error: %s", line);
    assert_string_equal(report.first_error, expected);
    assert_int_equal(report.exit_code, exit_code);
}

static void test_gltf_every_kind_of_mistake_is_named_with_its_place(void **state)
{
    (void)state;
    // Accessors of the character: 0 matrices, 1 times, 2 translations, 3 rotations, 4 scales.
    static const struct {
        const char *from;
        const char *to;
        const char *line;
    } edits[] = {
        {"\"sampler\":1", "\"sampler\":3",
         "animations[0].channels[1].sampler: is 3, but there are 3 samplers [json.index]"},
        {"\"sampler\":1,", "", "animations[0].channels[1]: \"sampler\" is missing [json.missing]"},
        {"{\"node\":1,\"path\":\"rotation\"}", "7",
         "animations[0].channels[1].target: must be an object [json.type]"},
        {"\"path\":\"rotation\"", "\"path\":\"colour\"",
         "animations[0].channels[1].target: path \"colour\" is unknown [gltf.animation.path]"},
        {"\"node\":2,\"path\":\"scale\"", "\"node\":9,\"path\":\"scale\"",
         "animations[0].channels[2].target.node: is 9, but there are 3 nodes [json.index]"},
        {"\"interpolation\":\"STEP\"", "\"interpolation\":\"step\"",
         "animations[0].samplers[1]: interpolation \"step\" is unknown "
         "[gltf.animation.interpolation]"},
        {"\"interpolation\":\"CUBICSPLINE\"", "\"interpolation\":\"LINEAR\"",
         "animations[0].samplers[2].output: there are 9 values where the keys need 3 "
         "[gltf.animation.output]"},
        {"\"interpolation\":\"STEP\"", "\"interpolation\":\"CUBICSPLINE\"",
         "animations[0].samplers[1].output: there are 3 values where the keys need 9 "
         "[gltf.animation.output]"},
        {"\"input\":1,\"output\":3", "\"input\":1,\"output\":2",
         "animations[0].samplers[1].output: a rotation needs 4 components, not 3 "
         "[gltf.animation.output]"},
        {"\"input\":1,\"output\":3", "\"input\":2,\"output\":3",
         "animations[0].samplers[1].input: accessor 2 must hold float SCALAR "
         "[gltf.animation.input]"},
        {"\"input\":1,\"output\":3", "\"input\":1,\"output\":5",
         "animations[0].samplers[1].output: is 5, but there are 5 accessors [json.index]"},
        {"\"input\":1,\"output\":3", "\"output\":3",
         "animations[0].samplers[1]: \"input\" is missing [json.missing]"},
        {"\"samplers\":", "\"sampled\":", "animations[0]: \"samplers\" is missing [json.missing]"},
        {"\"interpolation\":\"STEP\"", "\"interpolation\":1",
         "animations[0].samplers[1].interpolation: must be a string [json.type]"},
        {"\"children\":[2,1]", "\"children\":5", "nodes[0].children: must be an array [json.type]"},
        {"\"name\":\"knee\"", "\"name\":[]", "nodes[1].name: must be a string [json.type]"},
        {"\"joints\":[2,1]", "\"joints\":[2,7]",
         "skins[0].joints[1]: is 7, but there are 3 nodes [json.index]"},
        {"\"name\":\"walk\"", "\"name\":3", "animations[0].name: must be a string [json.type]"},
        {"\"joints\":[2,1]", "\"joints\":[2,2]",
         "skins[0].joints[1]: node 2 is listed twice [gltf.skin.joints]"},
        {"\"joints\":[2,1]", "\"joints\":[]", "skins[0].joints: has no joint [gltf.skin.joints]"},
        {"\"joints\":[2,1]", "\"joints\":[2,1,0]",
         "skins[0].inverseBindMatrices: accessor 0 holds 2 matrices for 3 joints "
         "[gltf.skin.matrices]"},
        {"\"joints\":[2,1],", "", "skins[0]: \"joints\" is missing [json.missing]"},
        {"\"inverseBindMatrices\":0", "\"inverseBindMatrices\":3",
         "skins[0].inverseBindMatrices: accessor 3 must hold float MAT4 [gltf.skin.matrices]"},
        {"\"skeleton\":0", "\"skeleton\":99",
         "skins[0].skeleton: is 99, but there are 3 nodes [json.index]"},
        {"\"skeleton\":0", "\"skeleton\":1e300",
         "skins[0].skeleton: is 1.0000000000000001e+300, but must be an integer from 0 "
         "[json.range]"},
        {"\"translation\":[0,-1,0.5]", "\"translation\":[0,-1]",
         "nodes[1].translation: must be an array of 3 numbers [json.type]"},
        {"\"translation\":[0,-1,0.5]", "\"translation\":[0,true,0.5]",
         "nodes[1].translation[1]: must be a number [json.type]"},
        {"\"translation\":[0,-1,0.5]", "\"translation\":[0,1e39,0.5]",
         "nodes[1]: 1e+39 is too large to place a node [gltf.node.range]"},
        {"\"translation\":[0,-1,0.5]", "\"matrix\":[0,0,0,1,0,0,0,1,0,0,0,1,0,0,0,1]",
         "nodes[1].matrix: the bottom row is not 0 0 0 1 [gltf.node.matrix]"},
        {"\"bufferView\":1", "\"bufferView\":5",
         "accessors[1].bufferView: is 5, but there are 5 buffer views [json.index]"},
        {"\"bufferView\":1", "\"bufferView\":null",
         "accessors[1].bufferView: must be an integer [json.type]"},
        {"\"type\":\"SCALAR\",\"count\":3", "\"type\":\"SCALAR\",\"count\":4",
         "accessors[1]: 4 elements end at byte 16 of a buffer view of 12 bytes "
         "[gltf.accessor.bounds]"},
        {"\"type\":\"SCALAR\",\"count\":3", "\"type\":\"SCALAR\",\"count\":0",
         "accessors[1].count: is 0, but must be from 1 to 16777216 [json.range]"},
        {"\"type\":\"SCALAR\",\"count\":3", "\"type\":\"SCALAR\",\"count\":16777217",
         "accessors[1].count: is 16777217, but must be from 1 to 16777216 [json.range]"},
        {"\"type\":\"SCALAR\",\"count\":3", "\"type\":\"SCALAR\",\"count\":3,\"byteOffset\":4",
         "accessors[1]: 3 elements end at byte 16 of a buffer view of 12 bytes "
         "[gltf.accessor.bounds]"},
        {"\"type\":\"SCALAR\",\"count\":3",
         "\"type\":\"SCALAR\",\"count\":3,\"byteOffset\":9007199254740992",
         "accessors[1]: 3 elements end at byte 9007199254741004 of a buffer view of 12 bytes "
         "[gltf.accessor.bounds]"},
        {"\"type\":\"SCALAR\"", "\"type\":\"SKALAR\"",
         "accessors[1]: type \"SKALAR\" is unknown [gltf.accessor.type]"},
        {"\"componentType\":5126,\"type\":\"SCALAR\"", "\"componentType\":5124,\"type\":\"SCALAR\"",
         "accessors[1]: componentType 5124 is unknown [gltf.accessor.component]"},
        {"\"componentType\":5126,\"type\":\"SCALAR\"",
         "\"componentType\":5126,\"normalized\":true,\"type\":\"SCALAR\"",
         "accessors[1]: only 8 and 16 bit integers can be normalized "
         "[gltf.accessor.normalized]"},
        {"\"componentType\":5126,\"type\":\"SCALAR\"",
         "\"componentType\":5126,\"normalized\":1,\"type\":\"SCALAR\"",
         "accessors[1].normalized: must be true or false [json.type]"},
        {"\"componentType\":5126,\"type\":\"VEC4\"", "\"componentType\":5121,\"type\":\"VEC4\"",
         "animations[0].samplers[1].output: rotations must be floats or normalized integers "
         "[gltf.animation.output]"},
        {"\"byteOffset\":128,\"byteLength\":12", "\"byteOffset\":128,\"byteLength\":1200",
         "bufferViews[1]: ends at byte 1328 of a buffer of 332 bytes [gltf.view.bounds]"},
        {"\"byteOffset\":128,\"byteLength\":12",
         "\"byteOffset\":9007199254740992,\"byteLength\":9007199254740992",
         "bufferViews[1]: ends at byte 18014398509481984 of a buffer of 332 bytes "
         "[gltf.view.bounds]"},
        {"\"byteOffset\":128,\"byteLength\":12", "\"byteOffset\":128,\"byteLength\":0",
         "bufferViews[1].byteLength: is 0, but must be from 1 to 18446744073709551615 "
         "[json.range]"},
        {"\"byteOffset\":128,\"byteLength\":12",
         "\"byteOffset\":128,\"byteLength\":12,\"byteStride\":3",
         "bufferViews[1].byteStride: is 3, but must be from 4 to 252 [json.range]"},
        {"\"buffer\":0,\"byteOffset\":0", "\"buffer\":1,\"byteOffset\":0",
         "bufferViews[0].buffer: is 1, but there are 1 buffers [json.index]"},
        {"\"byteLength\":332", "\"byteLength\":333",
         "buffers[0]: byteLength is 333, but there are only 332 bytes [gltf.buffer.size]"},
        {"\"byteLength\":332,", "", "buffers[0]: \"byteLength\" is missing [json.missing]"},
        {"data:application", "DATB:application",
         "buffers[0].uri: only data URIs and relative paths are supported [gltf.uri.scheme]"},
        {";base64,", ";base64;",
         "buffers[0].uri: a data URI that is not base64 is not supported "
         "[gltf.uri.encoding]"},
        {";base64,", ",",
         "buffers[0].uri: a data URI that is not base64 is not supported "
         "[gltf.uri.encoding]"},
        {";base64,", ";base64,-", "buffers[0].uri: is not valid base64 [gltf.uri.base64]"},
        {";base64,AAAA", ";base64,A=AA", "buffers[0].uri: is not valid base64 [gltf.uri.base64]"},
        {";base64,AAAA", ";base64,AA==", "buffers[0].uri: is not valid base64 [gltf.uri.base64]"},
        {";base64,AAAA", ";base64,AA A", "buffers[0].uri: is not valid base64 [gltf.uri.base64]"},
    };
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    char *const json = (char *)gltf_builder_gltf(&builder, &size_bytes);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const bool is_support =
            strstr(edits[i].line, "gltf.uri.scheme") || strstr(edits[i].line, "gltf.uri.encoding");
        assert_edit_refused(json, edits[i].from, edits[i].to,
                            is_support ? TROUPE_EXIT_UNSUPPORTED : TROUPE_EXIT_INPUT,
                            edits[i].line);
    }
    free(json);
}

static void test_gltf_text_that_is_no_strict_json_is_refused_by_line(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\n\"asset\":}",     "{\n\"asset\":{},\"asset\":{}}",
        "{\n\"a\":1,}",       "{\n\"a\":NaN}",
        "{\n\"a\":1e999}",    "{\n\"a\":\"\\u0000\"}",
        "{\n\"a\":\"\xff\"}", "{\n}{",
        "{\n\"a\":01}",       "{\n/* */}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scene scene;
        struct report report = {0};
        assert_false(import_copy(texts[i], strlen(texts[i]), &scene, &report));
        const char line[] = "folder/test.gltf: error: line 2, column ";
        assert_memory_equal(report.first_error, line, sizeof line - 1);
        assert_non_null(strstr(report.first_error, "[json.syntax]"));
        assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
    }
}

static void test_gltf_b79_sparse_indices_out_of_range_or_order_are_refused(void **state)
{
    (void)state;
    const struct {
        uint8_t indices[2];
        const char *line;
    } cases[] = {
        {{0, 4}, "index 4 at 1 is out of range or out of order [gltf.accessor.sparse]"},
        {{255, 1}, "index 255 at 0 is out of range or out of order [gltf.accessor.sparse]"},
        {{2, 2}, "index 2 at 1 is out of range or out of order [gltf.accessor.sparse]"},
        {{2, 1}, "index 1 at 1 is out of range or out of order [gltf.accessor.sparse]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        const float values[6] = {0};
        const uint32_t input = build_times(&builder, 4);
        const uint32_t index_view = gltf_builder_view(&builder, cases[i].indices, 2, "");
        const uint32_t value_view = gltf_builder_view(&builder, values, sizeof values, "");
        const uint32_t output = gltf_builder_add(
            &builder, GLTF_ACCESSORS,
            "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4,\"sparse\":{\"count\":2,"
            "\"indices\":{\"bufferView\":%u,\"componentType\":5121},"
            "\"values\":{\"bufferView\":%u}}}",
            index_view, value_view);
        build_channel(&builder, "scale", input, output, "LINEAR");
        char line[160];
        snprintf(line, sizeof line, "accessors[1].sparse.indices: %s", cases[i].line);
        assert_refused(&builder, TROUPE_EXIT_INPUT, line);
    }
}

static void test_gltf_b80_sparse_parts_are_checked_like_accessors(void **state)
{
    (void)state;
    static const struct {
        const char *sparse;
        const char *line;
    } cases[] = {
        {"{\"count\":5,\"indices\":{\"bufferView\":0,\"componentType\":5121},"
         "\"values\":{\"bufferView\":0}}",
         "accessors[1].sparse.count: is 5, but must be from 1 to 4 [json.range]"},
        {"{\"count\":4,\"indices\":{\"bufferView\":0,\"byteOffset\":13,\"componentType\":5121},"
         "\"values\":{\"bufferView\":0}}",
         "accessors[1].sparse.indices: 4 elements end at byte 17 of a buffer view of 16 bytes "
         "[gltf.accessor.bounds]"},
        {"{\"count\":2,\"indices\":{\"bufferView\":0,\"componentType\":5121},"
         "\"values\":{\"bufferView\":0}}",
         "accessors[1].sparse.values: 2 elements end at byte 24 of a buffer view of 16 bytes "
         "[gltf.accessor.bounds]"},
        {"{\"count\":2,\"indices\":{\"bufferView\":0,\"componentType\":5126},"
         "\"values\":{\"bufferView\":0}}",
         "accessors[1].sparse.indices: indices must be unsigned integers "
         "[gltf.accessor.component]"},
        {"{\"count\":2,\"indices\":{\"componentType\":5121},\"values\":{\"bufferView\":0}}",
         "accessors[1].sparse.indices: \"bufferView\" is missing [json.missing]"},
        {"{\"count\":2,\"indices\":{\"bufferView\":0,\"componentType\":5121}}",
         "accessors[1].sparse.values: must be an object [json.type]"},
        {"[]", "accessors[1].sparse: must be an object [json.type]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct gltf_builder builder;
        memset(&builder, 0, sizeof builder);
        const uint32_t input = build_times(&builder, 4);
        const uint32_t output =
            gltf_builder_add(&builder, GLTF_ACCESSORS,
                             "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4,\"sparse\":%s}",
                             cases[i].sparse);
        build_channel(&builder, "scale", input, output, "LINEAR");
        assert_refused(&builder, TROUPE_EXIT_INPUT, cases[i].line);
    }
}

static void test_gltf_claims_of_huge_counts_take_no_memory(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    gltf_builder_add(&builder, GLTF_NODES, "{}");
    gltf_builder_add(&builder, GLTF_ACCESSORS,
                     "{\"componentType\":5126,\"type\":\"MAT4\",\"count\":16777216}");
    gltf_builder_add(&builder, GLTF_SKINS, "{\"joints\":[0],\"inverseBindMatrices\":0}");
    assert_refused(&builder, TROUPE_EXIT_INPUT,
                   "accessors[0]: decoding would take far more memory than the file is large "
                   "[gltf.limit]");
}

/// Builds a file whose one block of rotations is wanted under many names.
static void build_aliases(struct gltf_builder *builder, uint32_t alias_count)
{
    enum { KEYS = 1000 };
    static float times[KEYS];
    static float rotations[KEYS * 4];
    for (int i = 0; i < KEYS; i++) {
        times[i] = (float)i;
        rotations[i * 4 + 3] = 1;
    }
    memset(builder, 0, sizeof *builder);
    const uint32_t input = gltf_builder_floats(builder, 1, KEYS, times);
    const uint32_t view = gltf_builder_view(builder, rotations, sizeof rotations, "");
    for (uint32_t i = 0; i < alias_count; i++) {
        const uint32_t output = gltf_builder_add(
            builder, GLTF_ACCESSORS,
            "{\"bufferView\":%u,\"componentType\":5126,\"type\":\"VEC4\",\"count\":%d}", view,
            KEYS);
        build_channel(builder, "rotation", input, output, "STEP");
    }
}

static void test_gltf_many_names_for_one_block_are_bounded(void **state)
{
    (void)state;
    // 64 KB of doubles a name: ten are the business of the file's author, a hundred an attack.
    static struct gltf_builder builder;
    build_aliases(&builder, 10);
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    scene_free(&scene);
    build_aliases(&builder, 100);
    assert_false(import_built(&builder, &scene, &report));
    assert_non_null(strstr(report.first_error, "[gltf.limit]"));
}

/// A file system folder for buffers beside a file.
static const char *folder;

static int folder_setup(void **state)
{
    (void)state;
    folder = temp_folder_make();
    if (!folder) {
        return -1;
    }
    char path[256];
    snprintf(path, sizeof path, "%s/sub", folder);
    return mkdir(path, 0700);
}

static int folder_teardown(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

static void write_in_folder(const char *name, const void *bytes, size_t size_bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    fclose(file);
}

/// Imports a file in sub/ whose one buffer has this URI.
static bool import_with_uri(const char *uri, struct scene *scene, struct report *report)
{
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    char buffer[256];
    snprintf(buffer, sizeof buffer, "{\"byteLength\":%zu,\"uri\":\"%s\"}", builder.binary_bytes,
             uri);
    builder.buffer = buffer;
    size_t size_bytes;
    unsigned char *const bytes = gltf_builder_gltf(&builder, &size_bytes);
    write_in_folder("sub/test.gltf", bytes, size_bytes);
    free(bytes);
    char path[256];
    snprintf(path, sizeof path, "%s/sub/test.gltf", folder);
    *report = (struct report){0};
    return import_file(path, NULL, scene, report);
}

static void test_gltf_buffers_beside_the_file_are_found(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    write_in_folder("a b.bin", builder.binary, builder.binary_bytes);
    write_in_folder("up.bin", builder.binary, builder.binary_bytes + 5); // longer is allowed
    write_in_folder("sub/c.bin", builder.binary, builder.binary_bytes);
    static const char *const uris[] = {
        "c.bin", "./c.bin", "%63.bin", "../up.bin", "../a%20b.bin", "..%2Fa b.bin",
    };
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        struct scene scene;
        struct report report;
        if (!import_with_uri(uris[i], &scene, &report)) {
            fail_msg("%s", report.first_error);
        }
        assert_true(scene.clips[0].tracks[0].curve.values[8] == 9);
        assert_int_equal(scene.other_file_count, 1);
        assert_int_equal(access(scene.other_files[0], R_OK), 0);
        scene_free(&scene);
    }
}

static void test_gltf_buffers_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    write_in_folder("sub/c.bin", "short", 5);
    static const struct {
        const char *uri;
        enum troupe_exit exit_code;
        const char *line;
    } cases[] = {
        {"c.bin", TROUPE_EXIT_INPUT,
         "buffers[0]: byteLength is 332, but there are only 5 bytes [gltf.buffer.size]"},
        {"none.bin", TROUPE_EXIT_IO, "No such file or directory [gltf.buffer.read]"},
        {"..", TROUPE_EXIT_IO, "Is a directory [gltf.buffer.read]"},
        {"/etc/passwd", TROUPE_EXIT_INPUT,
         "buffers[0].uri: must be relative to the glTF file [gltf.uri.absolute]"},
        {"%2fetc/passwd", TROUPE_EXIT_INPUT,
         "buffers[0].uri: must be relative to the glTF file [gltf.uri.absolute]"},
        {"https://example.org/c.bin", TROUPE_EXIT_UNSUPPORTED,
         "buffers[0].uri: only data URIs and relative paths are supported [gltf.uri.scheme]"},
        {"file:c.bin", TROUPE_EXIT_UNSUPPORTED,
         "buffers[0].uri: only data URIs and relative paths are supported [gltf.uri.scheme]"},
        {"c%2.bin", TROUPE_EXIT_INPUT, "buffers[0].uri: is not a valid URI [gltf.uri.syntax]"},
        {"c.bin%00", TROUPE_EXIT_INPUT, "buffers[0].uri: is not a valid URI [gltf.uri.syntax]"},
        {"c.bin%", TROUPE_EXIT_INPUT, "buffers[0].uri: is not a valid URI [gltf.uri.syntax]"},
        {"", TROUPE_EXIT_INPUT, "buffers[0].uri: is not a valid URI [gltf.uri.syntax]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct report report;
        assert_false(import_with_uri(cases[i].uri, &scene, &report));
        if (!strstr(report.first_error, cases[i].line)) {
            fail_msg("%s: %s", cases[i].uri, report.first_error);
        }
        assert_int_equal(report.exit_code, cases[i].exit_code);
        assert_int_equal(report.error_count, 1);
    }
}

static void test_gltf_buffer_that_nothing_here_needs_may_be_missing(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    builder.buffer = "{\"byteLength\":100,\"uri\":\"mesh.bin\"},{\"byteLength\":4}";
    gltf_builder_add(&builder, GLTF_NODES, "{\"mesh\":0}");
    struct scene scene;
    struct report report;
    assert_imports(&builder, &scene, &report);
    scene_free(&scene);
}

static void test_gltf_container_headers_are_checked(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(&builder, &size_bytes);
    const size_t binary_at = 20 + (glb[12] | (size_t)glb[13] << 8);
    const struct {
        size_t at;
        unsigned char value;
        enum troupe_exit exit_code;
        const char *line;
    } cases[] = {
        {4, 1, TROUPE_EXIT_UNSUPPORTED,
         "version 1 of the container is not supported, only 2 [gltf.version]"},
        {11, 1, TROUPE_EXIT_INPUT, "the header says "},
        {15, 1, TROUPE_EXIT_INPUT, "a chunk ends after the file [gltf.glb.chunk]"},
        {12, (unsigned char)(glb[12] + 1), TROUPE_EXIT_INPUT,
         "a chunk's length is no multiple of 4 [gltf.glb.chunk]"},
        {16, 'j', TROUPE_EXIT_INPUT,
         "the first chunk, and no other, must be JSON [gltf.glb.chunk]"},
        {binary_at + 3, 1, TROUPE_EXIT_INPUT, "a chunk ends after the file [gltf.glb.chunk]"},
        {binary_at + 4, 'C', TROUPE_EXIT_INPUT,
         "buffers[0]: has neither a URI nor a binary chunk [gltf.buffer.uri]"},
        {20, ']', TROUPE_EXIT_INPUT, "line 1, column 1: "},
        {1, 'L', TROUPE_EXIT_INPUT, "line 1, column 4: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned char kept = glb[cases[i].at];
        glb[cases[i].at] = cases[i].value;
        struct scene scene;
        struct report report = {0};
        assert_false(import_copy(glb, size_bytes, &scene, &report));
        if (!strstr(report.first_error, cases[i].line)) {
            fail_msg("byte %zu: %s", cases[i].at, report.first_error);
        }
        assert_int_equal(report.exit_code, cases[i].exit_code);
        glb[cases[i].at] = kept;
    }
    free(glb);
}

static void test_gltf_unknown_chunks_at_the_end_are_skipped(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(&builder, &size_bytes);
    unsigned char *const longer = malloc(size_bytes + 12);
    memcpy(longer, glb, size_bytes);
    memcpy(longer + size_bytes, "\4\0\0\0XTRAdata", 12);
    longer[8] = (unsigned char)((size_bytes + 12) & 0xff);
    longer[9] = (unsigned char)((size_bytes + 12) >> 8);
    struct scene scene;
    struct report report = {0};
    assert_true(import_copy(longer, size_bytes + 12, &scene, &report));
    check_character(&scene);
    scene_free(&scene);
    free(longer);
    free(glb);
}

static void test_gltf_every_truncation_is_refused(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(&builder, &size_bytes);
    assert_true(gltf_exercise(glb, size_bytes));
    for (size_t size = 0; size < size_bytes; size++) {
        assert_false(gltf_exercise(glb, size));
    }
    // Again with the header's length put right: then the chunks have to notice.
    for (size_t size = 12; size < size_bytes; size++) {
        for (int i = 0; i < 4; i++) {
            glb[8 + i] = (unsigned char)(size >> (8 * i));
        }
        assert_false(gltf_exercise(glb, size));
    }
    free(glb);
    unsigned char *const text = gltf_builder_gltf(&builder, &size_bytes);
    assert_true(gltf_exercise(text, size_bytes));
    for (size_t size = 0; size < size_bytes; size++) {
        assert_false(gltf_exercise(text, size));
    }
    free(text);
}

static void test_gltf_every_mutation_of_a_byte_is_refused_or_keeps_the_promises(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(&builder, &size_bytes);
    uint32_t refused = 0;
    uint32_t total = 0;
    for (size_t at = 0; at < size_bytes; at++) {
        const unsigned char kept = glb[at];
        const unsigned char values[] = {
            0,
            1,
            0x7f,
            0x80,
            0xff,
            (unsigned char)(kept + 1),
            (unsigned char)(kept - 1),
            (unsigned char)(kept ^ 0x10),
            (unsigned char)(kept ^ 0x40),
            '9',
            '"',
            '-',
        };
        for (size_t i = 0; i < sizeof values; i++) {
            glb[at] = values[i];
            refused += gltf_exercise(glb, size_bytes) ? 0 : 1;
            total++;
        }
        glb[at] = kept;
    }
    free(glb);
    // Most of the file is JSON, which few mutations survive; both answers must occur.
    assert_true(refused > total / 4 && refused < total);
}

static void test_gltf_files_that_are_none_end_with_the_right_code(void **state)
{
    (void)state;
    write_in_folder("sub/text.glb", "This is text.\n", 14);
    write_in_folder("sub/empty.glb", "", 0);
    write_in_folder("sub/stf.json", "{\"stf\": {}, \"resources\": {}}", 28);
    const struct {
        const char *name;
        enum troupe_exit exit_code;
        const char *line;
    } cases[] = {
        {"sub/text.glb", TROUPE_EXIT_INPUT,
         "error: is neither glTF 2.0, STF nor Panthera 2.0 [import.format]"},
        {"sub/empty.glb", TROUPE_EXIT_INPUT, "error: the file is empty [import.format]"},
        {"sub/stf.json", TROUPE_EXIT_INPUT,
         "error: is the JSON of an STF file without its container [import.format]"},
        {"sub/none.glb", TROUPE_EXIT_IO,
         "error: cannot read: No such file or directory [file.read]"},
        {"sub", TROUPE_EXIT_IO, "error: cannot read: Is a directory [file.read]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[256];
        char expected[512];
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
        snprintf(expected, sizeof expected, "%s: %s", path, cases[i].line);
        struct scene scene;
        struct report report = {0};
        assert_false(import_file(path, NULL, &scene, &report));
        assert_string_equal(report.first_error, expected);
        assert_int_equal(report.exit_code, cases[i].exit_code);
    }
}

static void test_gltf_format_is_told_by_content_not_by_name(void **state)
{
    (void)state;
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    build_character(&builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(&builder, &size_bytes);
    write_in_folder("sub/test.gltf", glb, size_bytes); // a container in spite of its name
    free(glb);
    char path[256];
    snprintf(path, sizeof path, "%s/sub/test.gltf", folder);
    struct scene scene;
    struct report report = {0};
    assert_true(import_file(path, NULL, &scene, &report));
    assert_string_equal(scene.stem, "test");
    assert_int_equal(scene.node_count, 3);
    scene_free(&scene);
    const char text[] = "\r\n\t {\"asset\":{\"version\":\"2.0\"}}\n";
    write_in_folder("sub/text.glb", text, sizeof text - 1); // and the reverse
    snprintf(path, sizeof path, "%s/sub/text.glb", folder);
    assert_true(import_file(path, NULL, &scene, &report));
    assert_string_equal(scene.stem, "text");
    assert_int_equal(scene.node_count + scene.skin_count + scene.clip_count, 0);
    scene_free(&scene);
}

// Real files, against a table of facts made by other programs.

enum { FACT_COLUMNS = 28 };

enum fact {
    FACT_FILE = 0,
    FACT_FORMAT = 2,
    FACT_CLIPS = 4,
    FACT_CHANNELS = 5,
    FACT_KEYS_TOTAL = 6,
    FACT_KEYS_MAX = 7,
    FACT_SINGLE_KEY = 8,
    FACT_DURATION_MAX = 9,
    FACT_DURATION_TOTAL = 10,
    FACT_START_MIN = 11,
    FACT_SKINS = 12,
    FACT_JOINTS = 13,
    FACT_NODES = 16,
    FACT_INTERPOLATION = 19,
    FACT_PATHS = 20,
    FACT_REQUIRED = 24,
    FACT_CLIP_NAMES = 27,
};

/// Splits a line at its tabs in place.
static void split_facts(char *line, const char *columns[FACT_COLUMNS])
{
    for (int i = 0; i < FACT_COLUMNS; i++) {
        columns[i] = line;
        char *const end = line + strcspn(line, "\t\n");
        line = *end == '\t' ? end + 1 : end;
        *end = 0;
    }
}

/// Returns the count in "STEP:3 LINEAR:4" after a name; 0 where the name is not there.
static uint32_t count_named(const char *text, const char *name)
{
    const char *const at = strstr(text, name);
    return at ? (uint32_t)atoi(at + strlen(name)) : 0;
}

static void assert_seconds(double value, const char *fact)
{
    if (!(fabs(value - atof(fact)) < 1e-4)) {
        fail_msg("%g s, but the table says %s", value, fact);
    }
}

/// What a scene amounts to, counted as the table counts.
struct totals {
    uint32_t channels;
    uint32_t keys;
    uint32_t keys_max;
    uint32_t single_key;
    uint32_t interpolations[3];
    uint32_t paths[4];
    double start_min_s;
    double duration_max_s;
    double duration_total_s;
};

static struct totals count_totals(const struct scene *scene)
{
    struct totals totals = {.start_min_s = INFINITY};
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const struct scene_clip *const clip = &scene->clips[i];
        totals.duration_total_s += clip->duration_s;
        totals.duration_max_s = fmax(totals.duration_max_s, clip->duration_s);
        for (uint32_t t = 0; t < clip->track_count; t++) {
            const struct scene_curve *const curve = &clip->tracks[t].curve;
            totals.channels++;
            totals.keys += curve->key_count;
            totals.keys_max =
                curve->key_count > totals.keys_max ? curve->key_count : totals.keys_max;
            totals.single_key += curve->key_count == 1 ? 1 : 0;
            totals.interpolations[curve->interpolations[0]]++;
            totals.paths[clip->tracks[t].path]++;
            totals.start_min_s = fmin(totals.start_min_s, curve->times[0]);
        }
    }
    return totals;
}

static void assert_clip_names(const struct scene *scene, const char *expected)
{
    char *text = NULL;
    size_t text_bytes = 0;
    FILE *const out = open_memstream(&text, &text_bytes);
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        fprintf(out, "%s%s", i > 0 ? "|" : "", scene->clips[i].name);
    }
    fclose(out);
    // The table cuts long lists off.
    const size_t bytes = strlen(expected) - (strstr(expected, "...") ? 3 : 0);
    assert_true(text_bytes >= bytes && strncmp(text, expected, bytes) == 0);
    assert_true(text_bytes == bytes || strstr(expected, "..."));
    free(text);
}

/// @param dropped  channels that say again what others say
static void check_against_facts(const struct scene *scene, uint32_t dropped,
                                const char *const *facts)
{
    const struct totals totals = count_totals(scene);
    assert_int_equal(scene->clip_count, atoi(facts[FACT_CLIPS]));
    assert_int_equal(scene->skin_count, atoi(facts[FACT_SKINS]));
    assert_int_equal(scene->node_count, atoi(facts[FACT_NODES]));
    assert_int_equal(totals.channels + dropped, atoi(facts[FACT_CHANNELS]));
    assert_seconds(totals.duration_max_s, facts[FACT_DURATION_MAX]);
    assert_seconds(totals.duration_total_s, facts[FACT_DURATION_TOTAL]);
    if (scene->skin_count > 0) {
        assert_int_equal(scene->skins[0].joint_count, atoi(facts[FACT_JOINTS]));
    }
    assert_clip_names(scene, facts[FACT_CLIP_NAMES]);
    if (count_named(facts[FACT_PATHS], "pointer:") > 0) {
        return; // what they lead to is compared in test_gltf_property.c
    }
    const char *const paths[4] = {"rotation:", "translation:", "scale:", "weights:"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(totals.paths[i], count_named(facts[FACT_PATHS], paths[i]));
    }
    assert_int_equal(totals.keys, atoi(facts[FACT_KEYS_TOTAL]));
    assert_int_equal(totals.keys_max, atoi(facts[FACT_KEYS_MAX]));
    assert_int_equal(totals.single_key, atoi(facts[FACT_SINGLE_KEY]));
    assert_seconds(totals.start_min_s, facts[FACT_START_MIN]);
    const char *const interpolations[3] = {"STEP:", "LINEAR:", "CUBICSPLINE:"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(totals.interpolations[i],
                         count_named(facts[FACT_INTERPOLATION], interpolations[i]));
    }
}

static void check_real_file(const char *assets, const char *const *facts)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/%s", assets, facts[FACT_FILE]);
    struct scene scene;
    struct report report = {0};
    const bool ok = import_file(path, NULL, &scene, &report);
    if (strstr(facts[FACT_REQUIRED], "EXT_meshopt_compression")) {
        assert_false(ok);
        assert_int_equal(report.exit_code, TROUPE_EXIT_UNSUPPORTED);
        return;
    }
    if (!ok) {
        fail_msg("%s", report.first_error);
    }
    print_message("%s: %u clips\n", facts[FACT_FILE], scene.clip_count);
    const bool has_pointers = count_named(facts[FACT_PATHS], "pointer:") > 0;
    check_against_facts(&scene, has_pointers ? report.warning_count : 0, facts);
    scene_free(&scene);
}

static void test_gltf_real_files_match_the_table_of_facts(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    if (!assets) {
        skip();
        return;
    }
    char path[512];
    snprintf(path, sizeof path, "%s/data/FACTS.tsv", assets);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    static char line[1 << 16];
    uint32_t checked = 0;
    while (fgets(line, sizeof line, file)) {
        const char *facts[FACT_COLUMNS];
        split_facts(line, facts);
        if (strcmp(facts[FACT_FORMAT], "glb") == 0 || strcmp(facts[FACT_FORMAT], "gltf") == 0) {
            check_real_file(assets, facts);
            checked++;
        }
    }
    fclose(file);
    assert_true(checked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_glb_and_text_give_the_same_scene),
        cmocka_unit_test(test_gltf_b81_ava17_integers_normalised_or_not_are_decoded),
        cmocka_unit_test(test_gltf_quantised_rotations_are_unit_without_a_warning),
        cmocka_unit_test(test_gltf_stride_and_offsets_find_interleaved_values),
        cmocka_unit_test(test_gltf_sparse_values_replace_those_of_the_view_or_zeros),
        cmocka_unit_test(test_gltf_accessor_without_view_is_all_zero),
        cmocka_unit_test(test_gltf_b18_b19_b20_ava16_key_times_out_of_order_are_refused_by_key),
        cmocka_unit_test(test_gltf_b84_values_that_are_not_finite_are_refused_by_place),
        cmocka_unit_test(test_gltf_b84_scales_of_zero_stay_finite),
        cmocka_unit_test(test_gltf_unnormalised_rotations_are_normalised_with_one_warning),
        cmocka_unit_test(test_gltf_rotation_of_length_zero_is_refused),
        cmocka_unit_test(test_gltf_cubic_rotations_keep_their_tangents_as_they_are),
        cmocka_unit_test(test_gltf_one_accessor_read_as_plain_and_cubic_serves_both),
        cmocka_unit_test(test_gltf_b15_b22_b25_late_single_and_zero_keys_keep_their_times),
        cmocka_unit_test(test_gltf_b37_ava18_channel_without_a_node_is_ignored_and_the_rest_plays),
        cmocka_unit_test(test_gltf_ava18_same_path_twice_is_refused_in_one_clip_but_not_in_two),
        cmocka_unit_test(test_gltf_matrix_nodes_are_decomposed_exactly),
        cmocka_unit_test(test_gltf_matrix_mirrored_gets_a_negative_x_scale),
        cmocka_unit_test(test_gltf_matrix_that_shears_is_refused_where_it_matters),
        cmocka_unit_test(test_gltf_ava18_animated_matrix_node_is_refused),
        cmocka_unit_test(test_gltf_node_trees_that_are_none_are_refused),
        cmocka_unit_test(test_gltf_nodes_of_all_scenes_are_kept_in_any_order),
        cmocka_unit_test(test_gltf_skin_without_matrices_has_identities),
        cmocka_unit_test(test_gltf_skin_with_odd_bottom_row_warns),
        cmocka_unit_test(test_gltf_required_extensions_pass_only_if_known),
        cmocka_unit_test(test_gltf_other_versions_are_unsupported),
        cmocka_unit_test(test_gltf_every_kind_of_mistake_is_named_with_its_place),
        cmocka_unit_test(test_gltf_text_that_is_no_strict_json_is_refused_by_line),
        cmocka_unit_test(test_gltf_b79_sparse_indices_out_of_range_or_order_are_refused),
        cmocka_unit_test(test_gltf_b80_sparse_parts_are_checked_like_accessors),
        cmocka_unit_test(test_gltf_claims_of_huge_counts_take_no_memory),
        cmocka_unit_test(test_gltf_many_names_for_one_block_are_bounded),
        cmocka_unit_test_setup_teardown(test_gltf_buffers_beside_the_file_are_found, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(test_gltf_buffers_that_cannot_be_read_say_why, folder_setup,
                                        folder_teardown),
        cmocka_unit_test(test_gltf_buffer_that_nothing_here_needs_may_be_missing),
        cmocka_unit_test(test_gltf_container_headers_are_checked),
        cmocka_unit_test(test_gltf_unknown_chunks_at_the_end_are_skipped),
        cmocka_unit_test(test_gltf_every_truncation_is_refused),
        cmocka_unit_test(test_gltf_every_mutation_of_a_byte_is_refused_or_keeps_the_promises),
        cmocka_unit_test_setup_teardown(test_gltf_files_that_are_none_end_with_the_right_code,
                                        folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(test_gltf_format_is_told_by_content_not_by_name,
                                        folder_setup, folder_teardown),
        cmocka_unit_test(test_gltf_real_files_match_the_table_of_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
