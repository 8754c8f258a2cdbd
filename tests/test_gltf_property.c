// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the glTF importer makes of morph weights and of KHR_animation_pointer: small files made
// here, every way to break them, and real files against a second reading of theirs.
#include "gltf_asserts.h"

#include <math.h>
#include <stdio.h>

#include <jansson.h>

#include "gltf_exercise.h"

static struct gltf_builder *builder_new(void)
{
    static struct gltf_builder builder;
    memset(&builder, 0, sizeof builder);
    return &builder;
}

/// Adds a node with a mesh of its own, of so many morph targets.
/// @param node_members, mesh_members  further members, each preceded by a comma
static uint32_t build_morph(struct gltf_builder *builder, uint32_t target_count,
                            const char *node_members, const char *mesh_members)
{
    char targets[512] = "";
    for (uint32_t i = 0; i < target_count; i++) {
        strcat(targets, i > 0 ? ",{}" : "{}");
    }
    const uint32_t mesh = gltf_builder_add(builder, GLTF_MESHES,
                                           "{\"primitives\":[{\"attributes\":{},\"targets\":[%s]},"
                                           "{\"attributes\":{},\"targets\":[%s]}]%s}",
                                           targets, targets, mesh_members);
    return gltf_builder_add(builder, GLTF_NODES, "{\"mesh\":%u%s}", mesh, node_members);
}

static void build_weights(struct gltf_builder *builder, uint32_t node, uint32_t input,
                          uint32_t output, const char *interpolation)
{
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"weights\"}}]"
                     ",\"samplers\":[{\"input\":%u,\"output\":%u,\"interpolation\":\"%s\"}]}",
                     node, input, output, interpolation);
}

/// Writes the text of a channel that drives what a pointer leads to.
static const char *pointer_channel(uint32_t sampler, const char *pointer)
{
    static char texts[4][1024];
    static int next;
    char *const text = texts[next++ % 4];
    snprintf(text, sizeof texts[0],
             "{\"sampler\":%u,\"target\":{\"path\":\"pointer\",\"extensions\":"
             "{\"KHR_animation_pointer\":{\"pointer\":\"%s\"}}}}",
             sampler, pointer);
    return text;
}

static void build_pointer(struct gltf_builder *builder, const char *pointer, uint32_t input,
                          uint32_t output, const char *interpolation)
{
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"channels\":[%s],\"samplers\":[{\"input\":%u,\"output\":%u,"
                     "\"interpolation\":\"%s\"}]}",
                     pointer_channel(0, pointer), input, output, interpolation);
}

static const struct scene_property *property_of(const struct scene *scene, uint32_t clip,
                                                uint32_t track)
{
    assert_true(track < scene->clips[clip].track_count);
    assert_int_equal(scene->clips[clip].tracks[track].path, SCENE_PROPERTY);
    const uint32_t index = scene->clips[clip].tracks[track].property;
    assert_true(index < scene->property_count);
    return &scene->properties[index];
}

static void assert_doubles(const double *values, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i] - expected[i]) < 1e-15)) {
            fail_msg("value %zu is %.17g, not %.17g", i, values[i], expected[i]);
        }
    }
}

// Morph weights

static void test_gltf_b46_cubic_weights_alternate_by_key_not_by_target(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const uint32_t node = build_morph(builder, 3, "", "");
    float values[4 * 9];
    for (int i = 0; i < 36; i++) {
        values[i] = (float)i;
    }
    const uint32_t input = build_times(builder, 4);
    build_weights(builder, node, input, gltf_builder_floats(builder, 1, 36, values), "CUBICSPLINE");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(report.warning_count, 0);
    const struct scene_curve *const curve = &scene.clips[0].tracks[0].curve;
    assert_int_equal(curve->key_count, 4);
    assert_int_equal(curve->stride, 3);
    for (int key = 0; key < 4; key++) {
        for (int target = 0; target < 3; target++) {
            const int at = key * 3 + target;
            assert_true(curve->in_tangents[at] == key * 9 + target);
            assert_true(curve->values[at] == key * 9 + 3 + target);
            assert_true(curve->out_tangents[at] == key * 9 + 6 + target);
        }
    }
    scene_free(&scene);
}

static void test_gltf_b43_cubic_weights_multiply_tangents_by_the_interval(void **state)
{
    (void)state;
    const float lengths_s[] = {0.1f, 1, 10};
    for (int i = 0; i < 3; i++) {
        struct gltf_builder *const builder = builder_new();
        const uint32_t node = build_morph(builder, 1, "", "");
        const float times[2] = {0, lengths_s[i]};
        const float values[6] = {0, 0.25f, 2, -1, 0.5f, 0};
        const uint32_t input = gltf_builder_floats(builder, 1, 2, times);
        build_weights(builder, node, input, gltf_builder_floats(builder, 1, 6, values),
                      "CUBICSPLINE");
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        double out;
        const double d = lengths_s[i];
        scene_curve_sample(&scene.clips[0].tracks[0].curve, SCENE_PROPERTY, d / 2, &out);
        // The middle of a Hermite curve: mean of the values and an eighth of the tangents.
        const double expected = (0.25 + 0.5) / 2 + d * (2 - -1) / 8;
        assert_true(fabs(out - expected) < 1e-12);
        scene_free(&scene);
    }
}

static void test_gltf_b41_stepped_weights_stay_stepped(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const uint32_t node = build_morph(builder, 2, "", "");
    const float values[6] = {0, 1, 1, 0, 0, 1};
    const uint32_t input = build_times(builder, 3);
    build_weights(builder, node, input, gltf_builder_floats(builder, 1, 6, values), "STEP");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    const struct scene_curve *const curve = &scene.clips[0].tracks[0].curve;
    const struct {
        double time_s;
        double weights[2];
    } moments[] = {
        {0, {0, 1}}, {0.25, {0, 1}}, {0.4999999, {0, 1}}, {0.5, {1, 0}}, {0.9, {1, 0}}, {1, {0, 1}},
    };
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        double out[2];
        scene_curve_sample(curve, SCENE_PROPERTY, moments[i].time_s, out);
        assert_memory_equal(out, moments[i].weights, sizeof out);
    }
    scene_free(&scene);
}

static void test_gltf_b75_constant_weights_keep_all_that_differ_from_rest(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const uint32_t node = build_morph(builder, 3, "", "");
    const float values[6] = {0, 0.5f, 1, 0, 0.5f, 1};
    const uint32_t input = build_times(builder, 2);
    build_weights(builder, node, input, gltf_builder_floats(builder, 1, 6, values), "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    const double expected[6] = {0, 0.5, 1, 0, 0.5, 1};
    const double zeros[3] = {0, 0, 0};
    assert_int_equal(scene.clips[0].tracks[0].curve.key_count, 2);
    assert_doubles(scene.clips[0].tracks[0].curve.values, expected, 6);
    assert_doubles(property_of(&scene, 0, 0)->defaults, zeros, 3);
    scene_free(&scene);
}

static void test_gltf_b22_weights_of_one_key_are_constant_in_every_interpolation(void **state)
{
    (void)state;
    const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    for (int i = 0; i < 3; i++) {
        struct gltf_builder *const builder = builder_new();
        const uint32_t node = build_morph(builder, 2, "", "");
        const float time = 1.5f;
        const float values[6] = {9, 8, 0.25f, 0.75f, 7, 6};
        const uint32_t input = gltf_builder_floats(builder, 1, 1, &time);
        const uint32_t output = i == 2 ? gltf_builder_floats(builder, 1, 6, values)
                                       : gltf_builder_floats(builder, 1, 2, values + 2);
        build_weights(builder, node, input, output, names[i]);
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        assert_true(scene.clips[0].duration_s == 1.5);
        const double moments[] = {-1, 0, 1.5, 2, NAN};
        for (int k = 0; k < 5; k++) {
            double out[2];
            scene_curve_sample(&scene.clips[0].tracks[0].curve, SCENE_PROPERTY, moments[k], out);
            assert_true(out[0] == 0.25 && out[1] == 0.75);
        }
        scene_free(&scene);
    }
}

/// Conformance item 9: weights of stride 1, 4, 5 and 64, three times as many for cubic.
/// Item 16: any other number is refused.
static void test_gltf_ava09_ava16_weights_are_as_many_as_keys_times_targets(void **state)
{
    (void)state;
    const uint32_t strides[] = {1, 4, 5, 64};
    static float values[64 * 3 * 3 + 1];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        values[i] = (float)(i % 251) / 256;
    }
    for (size_t i = 0; i < 8; i++) {
        const uint32_t stride = strides[i / 2];
        const bool is_cubic = i % 2 != 0;
        const uint32_t total = 3 * stride * (is_cubic ? 3 : 1);
        for (int difference = -1; difference <= 1; difference++) {
            struct gltf_builder *const builder = builder_new();
            const uint32_t node = build_morph(builder, stride, "", "");
            const uint32_t input = build_times(builder, 3);
            const uint32_t count = total + (uint32_t)difference;
            build_weights(builder, node, input, gltf_builder_floats(builder, 1, count, values),
                          is_cubic ? "CUBICSPLINE" : "LINEAR");
            char line[160];
            snprintf(line, sizeof line,
                     "animations[0].samplers[0].output: there are %u values where the keys need %u "
                     "[gltf.animation.output]",
                     count, total);
            if (difference != 0) {
                assert_refused(builder, TROUPE_EXIT_INPUT, line);
                continue;
            }
            struct scene scene;
            struct report report;
            assert_imports(builder, &scene, &report);
            const struct scene_curve *const curve = &scene.clips[0].tracks[0].curve;
            assert_int_equal(curve->stride, stride);
            for (uint32_t k = 0; k < 3 * stride; k++) {
                const uint32_t key = k / stride;
                const uint32_t at = is_cubic ? key * 3 * stride + stride + k % stride : k;
                assert_true(curve->values[k] == values[at]);
            }
            scene_free(&scene);
        }
    }
}

/// Conformance item 17.
static void test_gltf_b81_ava17_weights_of_normalised_integers_are_decoded(void **state)
{
    (void)state;
    const int8_t i8[4] = {-128, -127, 127, 64};
    const uint8_t u8[4] = {0, 1, 255, 128};
    const int16_t i16[4] = {-32768, -32767, 32767, 1};
    const uint16_t u16[4] = {0, 1, 65535, 32768};
    const struct {
        int component;
        const void *bytes;
        size_t size_bytes;
        double expected[4];
    } cases[] = {
        {5120, i8, 4, {-1, -1, 1, 64 / 127.0}},
        {5121, u8, 4, {0, 1 / 255.0, 1, 128 / 255.0}},
        {5122, i16, 8, {-1, -1, 1, 1 / 32767.0}},
        {5123, u16, 8, {0, 1 / 65535.0, 1, 32768 / 65535.0}},
    };
    for (int i = 0; i < 8; i++) {
        const bool is_normalised = i < 4;
        struct gltf_builder *const builder = builder_new();
        const uint32_t node = build_morph(builder, 2, "", "");
        const uint32_t input = build_times(builder, 2);
        const uint32_t output = gltf_builder_accessor(builder, cases[i % 4].component, "SCALAR", 4,
                                                      is_normalised ? ",\"normalized\":true" : "",
                                                      cases[i % 4].bytes, cases[i % 4].size_bytes);
        build_weights(builder, node, input, output, "LINEAR");
        if (!is_normalised) {
            assert_refused(builder, TROUPE_EXIT_INPUT,
                           "animations[0].samplers[0].output: weights must be SCALAR floats or "
                           "normalized integers [gltf.animation.output]");
            continue;
        }
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        assert_doubles(scene.clips[0].tracks[0].curve.values, cases[i].expected, 4);
        scene_free(&scene);
    }
}

static void test_gltf_weights_rest_as_the_node_says_else_the_mesh_else_zero(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const char mesh_weights[] = ",\"weights\":[0.25,0.5]";
    build_morph(builder, 2, ",\"weights\":[1,2]", mesh_weights);
    build_morph(builder, 2, "", mesh_weights);
    build_morph(builder, 2, "", "");
    const float values[4] = {9, 9, 9, 9};
    const uint32_t input = build_times(builder, 2);
    const uint32_t output = gltf_builder_floats(builder, 1, 4, values);
    for (uint32_t node = 0; node < 3; node++) {
        build_weights(builder, node, input, output, "LINEAR");
    }
    const uint32_t single = gltf_builder_floats(builder, 1, 2, values);
    build_pointer(builder, "/meshes/0/weights", input, output, "LINEAR");
    build_pointer(builder, "/nodes/0/weights/1", input, single, "LINEAR");
    build_pointer(builder, "/nodes/2/weights/1", input, single, "LINEAR");
    build_pointer(builder, "/meshes/1/weights/1", input, single, "LINEAR");
    const struct {
        const char *path;
        int32_t node;
        uint32_t count;
        double defaults[2];
    } expected[] = {
        {"/nodes/0/weights", 0, 2, {1, 2}},    {"/nodes/1/weights", 1, 2, {0.25, 0.5}},
        {"/nodes/2/weights", 2, 2, {0, 0}},    {"/meshes/0/weights", -1, 2, {0.25, 0.5}},
        {"/nodes/0/weights/1", 0, 1, {2}},     {"/nodes/2/weights/1", 2, 1, {0}},
        {"/meshes/1/weights/1", -1, 1, {0.5}},
    };
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(scene.property_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        const struct scene_property *const property = property_of(&scene, i, 0);
        assert_string_equal(property->path, expected[i].path);
        assert_int_equal(property->type, SCENE_FLOAT);
        assert_int_equal(property->node, expected[i].node);
        assert_int_equal(property->value_count, expected[i].count);
        assert_doubles(property->defaults, expected[i].defaults, expected[i].count);
    }
    scene_free(&scene);
}

static void test_gltf_weights_are_labelled_by_the_names_in_extras(void **state)
{
    (void)state;
    const struct {
        const char *extras;
        const char *labels[3];
    } cases[] = {
        {"{\"targetNames\":[\"smile\",\"\",\"blink\"]}", {"smile", "", "blink"}},
        {"{\"targetNames\":[\"smile\",7]}", {"smile", "", ""}},
        {"{\"targetNames\":[\"a\",\"b\",\"c\",\"d\"]}", {"a", "b", "c"}},
        {"{\"targetNames\":\"smile\"}", {"", "", ""}},
        {"{}", {"", "", ""}},
        {"[\"free\"]", {"", "", ""}},
        {"null", {"", "", ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        char extras[100];
        snprintf(extras, sizeof extras, ",\"extras\":%s", cases[i].extras);
        const uint32_t node = build_morph(builder, 3, "", extras);
        const float values[6] = {0};
        const uint32_t input = build_times(builder, 2);
        build_weights(builder, node, input, gltf_builder_floats(builder, 1, 6, values), "LINEAR");
        build_pointer(builder, "/nodes/0/weights/2", input,
                      gltf_builder_floats(builder, 1, 2, values), "LINEAR");
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        for (int k = 0; k < 3; k++) {
            assert_string_equal(property_of(&scene, 0, 0)->labels[k], cases[i].labels[k]);
        }
        assert_string_equal(property_of(&scene, 1, 0)->labels[0], cases[i].labels[2]);
        scene_free(&scene);
    }
}

static void test_gltf_weights_without_targets_are_refused_by_place(void **state)
{
    (void)state;
    const struct {
        const char *node;
        const char *mesh;
        const char *line;
    } cases[] = {
        {"{}", "{}",
         "animations[0].channels[0].target: node 0 has no mesh, and so no weights "
         "[gltf.animation.weights]"},
        {"{\"mesh\":0}", "{\"primitives\":[{}]}",
         "animations[0].channels[0].target: mesh 0 has no morph targets [gltf.animation.weights]"},
        {"{\"mesh\":0}", "{\"primitives\":[]}",
         "animations[0].channels[0].target: mesh 0 has no morph targets [gltf.animation.weights]"},
        {"{\"mesh\":0}", "{}", "meshes[0]: \"primitives\" is missing [json.missing]"},
        {"{\"mesh\":0}", "7", "meshes[0]: must be an object [json.type]"},
        {"{\"mesh\":1}", "{}", "nodes[0].mesh: is 1, but there are 1 meshes [json.index]"},
        {"{\"mesh\":0}", "{\"primitives\":[{\"targets\":[{},{}]},{\"targets\":[{}]}]}",
         "meshes[0].primitives[1]: has 1 morph targets where primitives[0] has 2 "
         "[gltf.mesh.targets]"},
        {"{\"mesh\":0}", "{\"primitives\":[{\"targets\":{}}]}",
         "meshes[0].primitives[0].targets: must be an array [json.type]"},
        {"{\"mesh\":0}", "{\"primitives\":[{\"targets\":[{},{}]}],\"weights\":[1]}",
         "meshes[0].weights: must be an array of 2 numbers [json.type]"},
        {"{\"mesh\":0,\"weights\":[1,2,3]}", "{\"primitives\":[{\"targets\":[{},{}]}]}",
         "nodes[0].weights: must be an array of 2 numbers [json.type]"},
        {"{\"mesh\":0,\"weights\":[1,1e39]}", "{\"primitives\":[{\"targets\":[{},{}]}]}",
         "nodes[0].weights: 1e+39 is too large for a weight [gltf.mesh.weights]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        gltf_builder_add(builder, GLTF_NODES, "%s", cases[i].node);
        gltf_builder_add(builder, GLTF_MESHES, "%s", cases[i].mesh);
        const float values[4] = {0};
        const uint32_t input = build_times(builder, 2);
        build_weights(builder, 0, input, gltf_builder_floats(builder, 1, 4, values), "LINEAR");
        assert_refused(builder, TROUPE_EXIT_INPUT, cases[i].line);
    }
}

static void test_gltf_weights_of_one_mesh_serve_all_its_nodes(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_morph(builder, 2, "", ",\"extras\":{\"targetNames\":[\"a\",\"b\"]}");
    // A matrix places a node, but says nothing of its weights.
    gltf_builder_add(builder, GLTF_NODES,
                     "{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}");
    const float values[4] = {0, 1, 2, 3};
    const uint32_t input = build_times(builder, 2);
    const uint32_t output = gltf_builder_floats(builder, 1, 4, values);
    build_weights(builder, 0, input, output, "LINEAR");
    build_weights(builder, 1, input, output, "LINEAR");
    build_weights(builder, 1, input, output, "STEP");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(scene.property_count, 2);
    assert_string_equal(property_of(&scene, 1, 0)->path, "/nodes/1/weights");
    assert_ptr_equal(property_of(&scene, 1, 0), property_of(&scene, 2, 0));
    assert_string_equal(property_of(&scene, 1, 0)->labels[1], "b");
    scene_free(&scene);
}

static void test_gltf_b84_weights_that_are_not_finite_are_refused_by_place(void **state)
{
    (void)state;
    const float poison[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        struct gltf_builder *const builder = builder_new();
        const uint32_t node = build_morph(builder, 3, "", "");
        const float values[6] = {0, 0, 0, 0, poison[i], 0};
        const uint32_t input = build_times(builder, 2);
        build_weights(builder, node, input, gltf_builder_floats(builder, 1, 6, values), "LINEAR");
        assert_refused(builder, TROUPE_EXIT_INPUT,
                       "animations[0].samplers[0].output: component 0 of element 4 of accessor 1 "
                       "is not finite [gltf.accessor.finite]");
    }
}

/// A sparse accessor over a view with a stride, both used for weights.
static void test_gltf_b80_sparse_weights_over_a_stride_are_found(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const uint32_t node = build_morph(builder, 2, "", "");
    const float padded[12] = {1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1};
    const uint16_t indices[2] = {1, 4};
    const float replacements[2] = {20, 50};
    const uint32_t view = gltf_builder_view(builder, padded, sizeof padded, ",\"byteStride\":8");
    const uint32_t index_view = gltf_builder_view(builder, indices, sizeof indices, "");
    const uint32_t value_view = gltf_builder_view(builder, replacements, sizeof replacements, "");
    const uint32_t input = build_times(builder, 3);
    const uint32_t output =
        gltf_builder_add(builder, GLTF_ACCESSORS,
                         "{\"bufferView\":%u,\"componentType\":5126,\"type\":\"SCALAR\","
                         "\"count\":6,\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":%u,"
                         "\"componentType\":5123},\"values\":{\"bufferView\":%u}}}",
                         view, index_view, value_view);
    build_weights(builder, node, input, output, "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    const double expected[6] = {1, 20, 3, 4, 50, 6};
    assert_doubles(scene.clips[0].tracks[0].curve.values, expected, 6);
    scene_free(&scene);
}

static void test_gltf_b79_b80_weights_out_of_their_buffer_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *accessor;
        const char *line;
    } cases[] = {
        {"\"bufferView\":0,\"count\":4,\"byteOffset\":4",
         "accessors[0]: 4 elements end at byte 20 of a buffer view of 16 bytes "
         "[gltf.accessor.bounds]"},
        {"\"bufferView\":0,\"count\":4,\"byteOffset\":9007199254740992",
         "accessors[0]: 4 elements end at byte 9007199254741008 of a buffer view of 16 bytes "
         "[gltf.accessor.bounds]"},
        {"\"count\":4,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,"
         "\"componentType\":5125},\"values\":{\"bufferView\":0}}",
         "accessors[0].sparse.indices: index 4 at 0 is out of range or out of order "
         "[gltf.accessor.sparse]"},
        {"\"count\":4,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,"
         "\"componentType\":5125},\"values\":{\"bufferView\":0,\"byteOffset\":13}}",
         "accessors[0].sparse.values: 1 elements end at byte 17 of a buffer view of 16 bytes "
         "[gltf.accessor.bounds]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        const uint32_t node = build_morph(builder, 2, "", "");
        const float values[4] = {0};
        const uint32_t indices[1] = {4};
        gltf_builder_view(builder, values, sizeof values, "");
        gltf_builder_view(builder, indices, sizeof indices, "");
        const uint32_t output =
            gltf_builder_add(builder, GLTF_ACCESSORS,
                             "{\"componentType\":5126,\"type\":\"SCALAR\",%s}", cases[i].accessor);
        build_weights(builder, node, build_times(builder, 2), output, "LINEAR");
        assert_refused(builder, TROUPE_EXIT_INPUT, cases[i].line);
    }
}

// Pointers

/// Things for pointers to lead to.
static void build_world(struct gltf_builder *builder)
{
    build_morph(builder, 2, ",\"extensions\":{\"KHR_node_visibility\":{\"visible\":false}}", "");
    gltf_builder_add(builder, GLTF_NODES,
                     "{\"extras\":{\"state\":3,\"speed\":0.5,\"open\":true,\"a/b~c\":[1,2]}}");
    builder->extra =
        "\"materials\":[{\"alphaCutoff\":0.25,\"emissiveFactor\":[0.5,0.25,1],\"name\":\"red\","
        "\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0,0.5],"
        "\"baseColorTexture\":{\"index\":1}}}],"
        "\"cameras\":[{\"perspective\":{\"yfov\":0.75}}],"
        "\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"intensity\":4}]},"
        "\"EXT_dial\":{\"values\":[1,\"two\"],\"none\":null,\"empty\":[],\"huge\":1e39,\"index\":0."
        "5}},";
}

struct pointer_case {
    const char *pointer;
    const char *output; // type, component, count, interpolation; its numbers are 0, 1, 2 ...
    const char *result; // what it leads to, or what is wrong
};

static void build_pointer_case(struct gltf_builder *builder, const struct pointer_case *test)
{
    build_world(builder);
    char type[8];
    int component;
    uint32_t count;
    char interpolation[16];
    assert_int_equal(
        sscanf(test->output, "%7s %d %u %15s", type, &component, &count, interpolation), 4);
    const uint32_t components = type[0] == 'V' ? (uint32_t)(type[3] - '0') : type[0] == 'M' ? 4 : 1;
    const size_t size = component == 5121 ? 1 : component == 5123 ? 2 : 4;
    unsigned char bytes[256] = {0};
    for (uint32_t i = 0; i < count * components; i++) {
        const float number = (float)i;
        bytes[i * size] = (unsigned char)i;
        if (component == 5126) {
            memcpy(bytes + i * size, &number, sizeof number);
        }
    }
    const uint32_t input = build_times(builder, 2);
    const uint32_t output = gltf_builder_accessor(builder, component, type, count, "", bytes,
                                                  count * components * size);
    build_pointer(builder, test->pointer, input, output, interpolation);
}

/// Says what a property is: type, node, where it rests.
static void describe_property(const struct scene_property *property, char text[128])
{
    static const char *const names[] = {"float", "bool", "int"};
    int used = snprintf(text, 128, "%s of %d:", names[property->type], property->node);
    for (uint32_t i = 0; i < property->value_count; i++) {
        used += snprintf(text + used, 128 - (size_t)used, " %g", property->defaults[i]);
    }
}

static void test_gltf_pointer_leads_to_a_property_of_type_count_and_rest(void **state)
{
    (void)state;
    static const struct pointer_case cases[] = {
        {"/materials/0/alphaCutoff", "SCALAR 5126 2 LINEAR", "float of -1: 0.25"},
        {"/materials/0/alphaCutoff", "SCALAR 5126 6 CUBICSPLINE", "float of -1: 0.25"},
        {"/materials/0/alphaCutoff", "SCALAR 5121 2 STEP", "float of -1: 0.25"},
        {"/materials/0/emissiveFactor", "VEC3 5126 2 LINEAR", "float of -1: 0.5 0.25 1"},
        {"/materials/0/emissiveFactor", "SCALAR 5126 6 LINEAR", "float of -1: 0.5 0.25 1"},
        {"/materials/0/emissiveFactor", "VEC3 5126 6 CUBICSPLINE", "float of -1: 0.5 0.25 1"},
        {"/materials/0/emissiveFactor/1", "SCALAR 5126 2 LINEAR", "float of -1: 0.25"},
        {"/materials/0/pbrMetallicRoughness/baseColorFactor", "VEC4 5126 2 LINEAR",
         "float of -1: 1 0 0 0.5"},
        {"/cameras/0/perspective/yfov", "SCALAR 5126 2 LINEAR", "float of -1: 0.75"},
        {"/extensions/KHR_lights_punctual/lights/0/intensity", "SCALAR 5126 2 LINEAR",
         "float of -1: 4"},
        {"/extensions/KHR_lights_punctual/lights/0/intensity", "SCALAR 5121 2 STEP",
         "float of -1: 4"},
        // Not in the file: the first key says where it rests.
        {"/materials/0/normalTexture/scale", "SCALAR 5126 2 STEP", "float of -1: 0"},
        {"/materials/0/extensions/KHR_texture_transform/offset", "VEC2 5126 2 LINEAR",
         "float of -1: 0 1"},
        {"/extensions/EXT_host/dials", "SCALAR 5126 6 LINEAR", "float of -1: 0 1 2"},
        {"/nodes/1/extensions/EXT_host/heat", "VEC4 5126 6 CUBICSPLINE", "float of 1: 4 5 6 7"},
        // Booleans.
        {"/nodes/0/extensions/KHR_node_visibility/visible", "SCALAR 5121 2 STEP", "bool of 0: 0"},
        {"/nodes/1/extensions/KHR_node_visibility/visible", "SCALAR 5121 2 STEP", "bool of 1: 1"},
        {"/nodes/1/extensions/KHR_node_selectability/selectable", "SCALAR 5126 2 STEP",
         "bool of 1: 1"},
        {"/nodes/1/extensions/KHR_node_hoverability/hoverable", "SCALAR 5121 2 STEP",
         "bool of 1: 1"},
        {"/materials/0/doubleSided", "SCALAR 5121 2 STEP", "bool of -1: 1"},
        {"/nodes/1/extras/open", "SCALAR 5121 2 STEP", "bool of 1: 1"},
        {"/nodes/1/extensions/EXT_host/visible", "SCALAR 5126 2 LINEAR", "float of 1: 0"},
        // Integers.
        {"/materials/0/pbrMetallicRoughness/baseColorTexture/index", "SCALAR 5123 2 STEP",
         "int of -1: 1"},
        {"/nodes/1/mesh", "SCALAR 5126 2 STEP", "int of 1: 0"},
        {"/nodes/1/extras/state", "SCALAR 5121 2 STEP", "int of 1: 3"},
        {"/nodes/1/extras/score", "SCALAR 5125 2 STEP", "int of 1: 0"},
        {"/nodes/1/extras/state", "SCALAR 5121 2 LINEAR", "float of 1: 3"},
        {"/nodes/1/extras/state", "SCALAR 5126 2 STEP", "float of 1: 3"},
        {"/nodes/1/extras/speed", "SCALAR 5121 2 STEP", "float of 1: 0.5"},
        // Escapes: "/" is ~1, "~" is ~0.
        {"/nodes/1/extras/a~1b~0c", "VEC2 5126 2 LINEAR", "float of 1: 1 2"},
        {"/nodes/1/extras/a~1b~0c/1", "SCALAR 5126 2 LINEAR", "float of 1: 2"},
        {"/nodes/1/extras/a~1b~01c", "SCALAR 5126 2 LINEAR", "float of 1: 0"},
        {"/unknown//", "SCALAR 5126 2 LINEAR", "float of -1: 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        build_pointer_case(builder, &cases[i]);
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        assert_int_equal(report.warning_count, 0);
        assert_int_equal(scene.property_count, 1);
        const struct scene_property *const property = property_of(&scene, 0, 0);
        char text[128];
        describe_property(property, text);
        assert_string_equal(property->path, cases[i].pointer);
        assert_string_equal(text, cases[i].result);
        assert_string_equal(property->labels[property->value_count - 1], "");
        assert_int_equal(scene.clips[0].tracks[0].curve.stride, property->value_count);
        scene_free(&scene);
    }
}

static void test_gltf_pointer_that_is_wrong_is_refused_by_place(void **state)
{
    (void)state;
#define AT "animations[0].channels[0].target.extensions.KHR_animation_pointer.pointer: "
#define OUTPUT "animations[0].samplers[0].output: "
    static const struct pointer_case cases[] = {
        {"", "SCALAR 5126 2 STEP", AT "a JSON pointer begins with \"/\" [gltf.pointer.syntax]"},
        {"nodes/0", "SCALAR 5126 2 STEP",
         AT "a JSON pointer begins with \"/\" [gltf.pointer.syntax]"},
        {"/a~2b", "SCALAR 5126 2 STEP",
         AT "\"~\" must be written ~0, and \"/\" in a name ~1 [gltf.pointer.syntax]"},
        {"/a/b~", "SCALAR 5126 2 STEP",
         AT "\"~\" must be written ~0, and \"/\" in a name ~1 [gltf.pointer.syntax]"},
        {"/nodes/2/extras/x", "SCALAR 5126 2 STEP",
         AT "\"2\" is no index of the 2 \"nodes\" [gltf.pointer.range]"},
        {"/nodes/00/extras/x", "SCALAR 5126 2 STEP",
         AT "\"00\" is no index of the 2 \"nodes\" [gltf.pointer.range]"},
        {"/nodes/-1/extras/x", "SCALAR 5126 2 STEP",
         AT "\"-1\" is no index of the 2 \"nodes\" [gltf.pointer.range]"},
        {"/nodes/4294967296/extras/x", "SCALAR 5126 2 STEP",
         AT "\"4294967296\" is no index of the 2 \"nodes\" [gltf.pointer.range]"},
        {"/nodes//x", "SCALAR 5126 2 STEP",
         AT "\"\" is no index of the 2 \"nodes\" "
            "[gltf.pointer.range]"},
        {"/meshes/1/weights", "SCALAR 5126 2 STEP",
         AT "\"1\" is no index of the 1 \"meshes\" [gltf.pointer.range]"},
        {"/materials/1/alphaCutoff", "SCALAR 5126 2 STEP",
         AT "\"1\" is no index of the 1 \"materials\" [gltf.pointer.range]"},
        {"/cameras/1/perspective/yfov", "SCALAR 5126 2 STEP",
         AT "\"1\" is no index of the 1 \"cameras\" [gltf.pointer.range]"},
        {"/extensions/KHR_lights_punctual/lights/1/color", "SCALAR 5126 2 STEP",
         AT "\"1\" is no index of the 1 \"lights\" [gltf.pointer.range]"},
        {"/textures/0/x", "SCALAR 5126 2 STEP",
         AT "there are no \"textures\" [gltf.pointer.range]"},
        {"/materials/0/emissiveFactor/3", "SCALAR 5126 2 STEP",
         AT "\"3\" is no index of the 3 \"emissiveFactor\" [gltf.pointer.range]"},
        {"/nodes/0/weights/2", "SCALAR 5126 2 STEP",
         AT "\"2\" is no index of the 2 \"weights\" [gltf.pointer.range]"},
        {"/nodes/0/weights/x", "SCALAR 5126 2 STEP",
         AT "\"x\" is no index of the 2 \"weights\" [gltf.pointer.range]"},
        {"/nodes/1/weights", "SCALAR 5126 2 STEP",
         AT "node 1 has no mesh, and so no weights [gltf.animation.weights]"},
        {"/nodes/0/weights/1/0", "SCALAR 5126 2 STEP",
         AT "there is nothing in \"1\" [gltf.pointer.range]"},
        {"/extensions/EXT_dial/index", "SCALAR 5126 2 STEP",
         "animations[0].channels[0]: /extensions/EXT_dial/index rests at 0.5, which is no integer "
         "of up to 24 bits [gltf.pointer.default]"},
        {"/materials/0/alphaCutoff/x", "SCALAR 5126 2 STEP",
         AT "there is nothing in \"alphaCutoff\" [gltf.pointer.range]"},
        {"/nodes/0/translation/0", "SCALAR 5126 2 STEP",
         AT "a node's translation can be animated as a whole only [gltf.pointer.target]"},
        {"/nodes/0/matrix", "SCALAR 5126 2 STEP",
         AT "a node's matrix cannot be animated [gltf.pointer.target]"},
        {"/nodes/0/globalMatrix", "SCALAR 5126 2 STEP",
         AT "a node's globalMatrix cannot be animated [gltf.pointer.target]"},
        {"/nodes", "SCALAR 5126 2 STEP",
         AT "\"nodes\" is neither number, nor boolean, nor array of "
            "numbers [gltf.pointer.type]"},
        {"/nodes/0", "SCALAR 5126 2 STEP",
         AT "\"0\" is neither number, nor boolean, nor array of "
            "numbers [gltf.pointer.type]"},
        {"/materials/0/name", "SCALAR 5126 2 STEP",
         AT "\"name\" is neither number, nor boolean, nor "
            "array of numbers [gltf.pointer.type]"},
        {"/extensions/EXT_dial/values", "SCALAR 5126 2 STEP",
         AT "\"values\" is neither number, nor boolean, nor array of numbers "
            "[gltf.pointer.type]"},
        {"/extensions/EXT_dial/none", "SCALAR 5126 2 STEP",
         AT "\"none\" is neither number, nor boolean, nor array of numbers "
            "[gltf.pointer.type]"},
        {"/extensions/EXT_dial/empty", "SCALAR 5126 2 STEP",
         AT "\"empty\" is neither number, nor boolean, nor array of numbers "
            "[gltf.pointer.type]"},
        {"/extensions/EXT_dial/huge", "SCALAR 5126 2 STEP",
         "animations[0].channels[0]: /extensions/EXT_dial/huge rests at 1e+39, which is "
         "too large [gltf.pointer.default]"},
        {"/materials/0/doubleSided", "SCALAR 5126 2 LINEAR",
         "animations[0].samplers[0]: /materials/0/doubleSided is a boolean or integer, "
         "which needs STEP [gltf.pointer.interpolation]"},
        {"/nodes/1/mesh", "SCALAR 5126 2 CUBICSPLINE",
         "animations[0].samplers[0]: /nodes/1/mesh is a boolean or integer, which needs "
         "STEP [gltf.pointer.interpolation]"},
        {"/materials/0/doubleSided", "VEC2 5126 2 STEP",
         OUTPUT "a boolean or integer must be SCALAR [gltf.animation.output]"},
        {"/materials/0/emissiveFactor", "VEC4 5126 2 STEP",
         OUTPUT "/materials/0/emissiveFactor needs 3 values, not 4 "
                "[gltf.animation.output]"},
        {"/materials/0/emissiveFactor", "SCALAR 5126 2 STEP",
         OUTPUT "there are 2 values where the keys need 6 [gltf.animation.output]"},
        {"/extensions/EXT_host/dials", "SCALAR 5126 5 STEP",
         OUTPUT "there are 5 values where the keys need 4 [gltf.animation.output]"},
        {"/extensions/EXT_host/dials", "SCALAR 5126 1 STEP",
         OUTPUT "there are 1 values where the keys need 2 [gltf.animation.output]"},
        {"/extensions/EXT_host/dials", "MAT2 5126 2 STEP",
         OUTPUT "matrices cannot be animated [gltf.animation.output]"},
        {"/nodes/0/weights", "VEC2 5126 2 STEP",
         OUTPUT "weights must be SCALAR floats or normalized integers "
                "[gltf.animation.output]"},
        {"/nodes/0/rotation", "VEC3 5126 2 STEP",
         OUTPUT "a rotation needs 4 components, not 3 [gltf.animation.output]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        build_pointer_case(builder, &cases[i]);
        const bool is_support = strstr(cases[i].result, "as a whole only") != NULL;
        assert_refused(builder, is_support ? TROUPE_EXIT_UNSUPPORTED : TROUPE_EXIT_INPUT,
                       cases[i].result);
    }
}

static void test_gltf_pointer_channels_of_the_wrong_form_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        const char *line;
    } cases[] = {
        {"{\"path\":\"pointer\"}", ".extensions: must be an object [json.type]"},
        {"{\"path\":\"pointer\",\"extensions\":{}}",
         ".extensions.KHR_animation_pointer: must be an object [json.type]"},
        {"{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{}}}",
         ".extensions.KHR_animation_pointer: \"pointer\" is missing [json.missing]"},
        {"{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":1}}}",
         ".extensions.KHR_animation_pointer.pointer: must be a string [json.type]"},
        {"{\"path\":\"pointer\",\"node\":0,\"extensions\":{\"KHR_animation_pointer\":"
         "{\"pointer\":\"/x\"}}}",
         ": KHR_animation_pointer needs path \"pointer\" and no node [gltf.pointer.target]"},
        {"{\"path\":\"rotation\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":\"/x\"}}}",
         ": KHR_animation_pointer needs path \"pointer\" and no node [gltf.pointer.target]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gltf_builder *const builder = builder_new();
        gltf_builder_add(builder, GLTF_NODES, "{}");
        const float values[2] = {0};
        const uint32_t input = build_times(builder, 2);
        gltf_builder_add(builder, GLTF_ANIMATIONS,
                         "{\"channels\":[{\"sampler\":0,\"target\":%s}],\"samplers\":["
                         "{\"input\":%u,\"output\":%u}]}",
                         cases[i].target, input, gltf_builder_floats(builder, 1, 2, values));
        char line[256];
        snprintf(line, sizeof line, "animations[0].channels[0].target%s", cases[i].line);
        assert_refused(builder, TROUPE_EXIT_INPUT, line);
    }
}

static void test_gltf_pointer_to_a_placement_is_an_ordinary_track(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    gltf_builder_add(builder, GLTF_NODES, "{}");
    gltf_builder_add(builder, GLTF_NODES, "{\"scale\":[2,2,2]}");
    const float vectors[6] = {1, 2, 3, 4, 5, 6};
    const float rotations[8] = {0, 0, 0, 1, 0, 0.6f, 0, 0.8f};
    const uint32_t input = build_times(builder, 2);
    const uint32_t vector = gltf_builder_floats(builder, 3, 2, vectors);
    const uint32_t rotation = gltf_builder_floats(builder, 4, 2, rotations);
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"channels\":[%s,%s,%s],\"samplers\":[{\"input\":%u,\"output\":%u},"
                     "{\"input\":%u,\"output\":%u}]}",
                     pointer_channel(1, "/nodes/1/rotation"),
                     pointer_channel(0, "/nodes/1/translation"),
                     pointer_channel(0, "/nodes/1/scale"), input, vector, input, rotation);
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(scene.property_count, 0);
    assert_int_equal(scene.clips[0].track_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(scene.clips[0].tracks[i].node, 1);
        assert_int_equal(scene.clips[0].tracks[i].path, i);
        assert_int_equal(scene.clips[0].tracks[i].curve.stride, i == 0 ? 4 : 3);
    }
    assert_true(fabs(scene.clips[0].tracks[0].curve.values[5] - 0.6) < 1e-7);
    scene_free(&scene);
}

/// Builds one clip of two channels whose first outputs are `first` and `second`.
static void build_pair(struct gltf_builder *builder, const char *channel0, const char *channel1,
                       uint32_t first, uint32_t second)
{
    const uint32_t input = build_times(builder, 2);
    gltf_builder_add(builder, GLTF_ANIMATIONS,
                     "{\"channels\":[%s,%s],\"samplers\":[{\"input\":%u,\"output\":%u},"
                     "{\"input\":%u,\"output\":%u}]}",
                     channel0, channel1, input, first, input, second);
}

/// Conformance item 18, of what the extension adds: the same target by two ways.
static void test_gltf_ava18_targets_driven_twice_are_refused(void **state)
{
    (void)state;
    const char core_weights[] = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}";
    const char core_scale[] = "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}";
    const float values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const struct {
        uint32_t components;
        const char *channel0;
        const char *pointer1;
        const char *line;
    } cases[] = {
        {1, core_weights, "/nodes/0/weights",
         "animations[0].channels[1]: channels[0] already drives /nodes/0/weights "
         "[gltf.animation.duplicate]"},
        {3, core_scale, "/nodes/0/scale",
         "animations[0].channels[1]: channels[0] already drives the scale of node 0 "
         "[gltf.animation.duplicate]"},
    };
    for (int i = 0; i < 2; i++) {
        struct gltf_builder *const builder = builder_new();
        build_world(builder);
        const uint32_t count = cases[i].components == 1 ? 4 : 2;
        const uint32_t first = gltf_builder_floats(builder, cases[i].components, count, values);
        const uint32_t second =
            gltf_builder_floats(builder, cases[i].components, count, values + 1);
        build_pair(builder, cases[i].channel0, pointer_channel(1, cases[i].pointer1), first,
                   second);
        assert_refused(builder, TROUPE_EXIT_INPUT, cases[i].line);
    }
    struct gltf_builder *const builder = builder_new();
    gltf_builder_add(builder, GLTF_NODES, "{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}");
    const uint32_t output = gltf_builder_floats(builder, 3, 2, values);
    build_pointer(builder, "/nodes/0/scale", build_times(builder, 2), output, "LINEAR");
    assert_refused(builder, TROUPE_EXIT_INPUT,
                   "animations[0].channels[0]: node 0 is animated, but placed by a matrix "
                   "[gltf.animation.matrix]");
}

static void test_gltf_pointer_driven_twice_alike_is_dropped_with_a_warning(void **state)
{
    (void)state;
    for (int is_different = 0; is_different < 2; is_different++) {
        struct gltf_builder *const builder = builder_new();
        build_world(builder);
        const float values[2] = {1, 2};
        const float others[2] = {1, is_different ? 3 : 2};
        const uint32_t first = gltf_builder_floats(builder, 1, 2, values);
        const uint32_t second = gltf_builder_floats(builder, 1, 2, others);
        build_pair(builder, pointer_channel(0, "/materials/0/alphaCutoff"),
                   pointer_channel(1, "/materials/0/alphaCutoff"), first, second);
        if (is_different) {
            assert_refused(builder, TROUPE_EXIT_INPUT,
                           "animations[0].channels[1]: channels[0] already drives "
                           "/materials/0/alphaCutoff [gltf.animation.duplicate]");
            continue;
        }
        struct scene scene;
        struct report report;
        assert_imports(builder, &scene, &report);
        assert_int_equal(report.warning_count, 1);
        assert_int_equal(scene.clips[0].track_count, 1);
        scene_free(&scene);
    }
}

static void test_gltf_pointer_to_a_whole_and_to_its_part_conflict(void **state)
{
    (void)state;
    const struct {
        const char *whole;
        const char *part;
        uint32_t whole_count;
        bool conflicts;
    } cases[] = {
        {"/materials/0/emissiveFactor", "/materials/0/emissiveFactor/0", 3, true},
        {"/nodes/0/weights", "/nodes/0/weights/1", 2, true},
        {"/extensions/EXT_host/dials", "/extensions/EXT_host/dials/4/x", 1, true},
        {"/extensions/EXT_host/dial", "/extensions/EXT_host/dials", 1, false},
        {"/extensions/EXT_host/dial~1", "/extensions/EXT_host/dial~1s", 1, false},
        {"/nodes/0/weights", "/meshes/0/weights/1", 2, false},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool is_part_first = i % 2 != 0;
        const char *const whole = cases[i / 2].whole;
        const char *const part = cases[i / 2].part;
        struct gltf_builder *const builder = builder_new();
        build_world(builder);
        const float values[6] = {0, 1, 2, 3, 4, 5};
        const uint32_t count = 2 * cases[i / 2].whole_count;
        const uint32_t whole_output = gltf_builder_floats(builder, 1, count, values);
        const uint32_t part_output = gltf_builder_floats(builder, 1, 2, values);
        build_pair(builder, is_part_first ? pointer_channel(1, part) : pointer_channel(0, whole),
                   is_part_first ? pointer_channel(0, whole) : pointer_channel(1, part),
                   whole_output, part_output);
        char line[256];
        snprintf(line, sizeof line,
                 "animations[0].channels[%d]: drives %s, but another channel all of %s "
                 "[gltf.pointer.conflict]",
                 is_part_first ? 0 : 1, part, whole);
        if (cases[i / 2].conflicts) {
            assert_refused(builder, TROUPE_EXIT_INPUT, line);
        } else {
            struct scene scene;
            struct report report;
            assert_imports(builder, &scene, &report);
            assert_int_equal(report.warning_count, 0);
            assert_int_equal(scene.property_count, 2);
            scene_free(&scene);
        }
    }
}

static void test_gltf_pointer_to_a_whole_and_its_part_in_two_clips_only_warns(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_world(builder);
    const float values[6] = {0, 1, 2, 3, 4, 5};
    const uint32_t input = build_times(builder, 2);
    build_pointer(builder, "/materials/0/emissiveFactor", input,
                  gltf_builder_floats(builder, 3, 2, values), "LINEAR");
    build_pointer(builder, "/materials/0/emissiveFactor/2", input,
                  gltf_builder_floats(builder, 1, 2, values), "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(report.warning_count, 1);
    assert_int_equal(scene.property_count, 2);
    scene_free(&scene);
}

static void test_gltf_pointer_driven_as_two_things_by_two_clips_is_refused(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    const float values[6] = {0, 1, 2, 3, 4, 5};
    const uint32_t input = build_times(builder, 2);
    build_pointer(builder, "/extensions/EXT_host/dials", input,
                  gltf_builder_floats(builder, 3, 2, values), "LINEAR");
    build_pointer(builder, "/extensions/EXT_host/dials", input,
                  gltf_builder_floats(builder, 2, 2, values), "LINEAR");
    assert_refused(builder, TROUPE_EXIT_INPUT,
                   "animations[1].channels[0]: drives /extensions/EXT_host/dials as 2 float values,"
                   " which another clip drives as 3 float values [gltf.pointer.type]");
}

static void test_gltf_pointer_driven_as_number_and_integer_by_two_clips_is_refused(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_world(builder);
    const uint8_t values[2] = {1, 2};
    const uint32_t input = build_times(builder, 2);
    const uint32_t output = gltf_builder_accessor(builder, 5121, "SCALAR", 2, "", values, 2);
    build_pointer(builder, "/nodes/1/extras/state", input, output, "STEP");
    build_pointer(builder, "/nodes/1/extras/state", input, output, "LINEAR");
    assert_refused(builder, TROUPE_EXIT_INPUT,
                   "animations[1].channels[0]: drives /nodes/1/extras/state as 1 float values, "
                   "which another clip drives as 1 integer values [gltf.pointer.type]");
}

static void test_gltf_properties_leave_matrices_that_shear_alone(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_morph(builder, 1, ",\"matrix\":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]", "");
    const float values[2] = {0, 1};
    const uint32_t input = build_times(builder, 2);
    build_weights(builder, 0, input, gltf_builder_floats(builder, 1, 2, values), "LINEAR");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    assert_int_equal(report.warning_count, 1); // the shear, which places nothing that moves
    scene_free(&scene);
}

static void test_gltf_booleans_are_zero_or_one_and_integers_whole(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_world(builder);
    const uint8_t flags[4] = {0, 1, 255, 2};
    const float flags_as_floats[4] = {0, -0.5f, 0.25f, 1};
    const float wholes[4] = {-3, 0, 16777216, 7};
    const uint32_t input = build_times(builder, 4);
    build_pointer(builder, "/materials/0/doubleSided", input,
                  gltf_builder_accessor(builder, 5121, "SCALAR", 4, "", flags, 4), "STEP");
    build_pointer(builder, "/materials/0/doubleSided", input,
                  gltf_builder_floats(builder, 1, 4, flags_as_floats), "STEP");
    build_pointer(builder, "/nodes/1/mesh", input, gltf_builder_floats(builder, 1, 4, wholes),
                  "STEP");
    struct scene scene;
    struct report report;
    assert_imports(builder, &scene, &report);
    const double expected[3][4] = {{0, 1, 1, 1}, {0, 1, 1, 1}, {-3, 0, 16777216, 7}};
    for (int i = 0; i < 3; i++) {
        assert_doubles(scene.clips[i].tracks[0].curve.values, expected[i], 4);
    }
    scene_free(&scene);
    const float odd[2] = {0.5f, 16777218};
    const char *const names[2] = {"0.5", "16777218"};
    for (int i = 0; i < 2; i++) {
        struct gltf_builder *const other = builder_new();
        build_world(other);
        const float values[2] = {1, odd[i]};
        build_pointer(other, "/nodes/1/mesh", build_times(other, 2),
                      gltf_builder_floats(other, 1, 2, values), "STEP");
        char line[160];
        snprintf(line, sizeof line,
                 "animations[0].samplers[0].output: key 1 is %s, which is no integer of up to 24 "
                 "bits [gltf.pointer.integer]",
                 names[i]);
        assert_refused(other, TROUPE_EXIT_INPUT, line);
    }
}

/// Enough pointers that the table has to grow often.
static void test_gltf_pointers_in_great_number_stay_apart(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    char *const text = malloc(COUNT * 200);
    int used =
        sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":"
                      "\"data:application/octet-stream;base64,AAAAAA==\"}],\"bufferViews\":["
                      "{\"buffer\":0,\"byteLength\":4}],\"accessors\":[{\"bufferView\":0,"
                      "\"componentType\":5126,\"type\":\"SCALAR\",\"count\":1}],\"animations\":["
                      "{\"samplers\":[{\"input\":0,\"output\":0}],\"channels\":[");
    for (int i = 0; i < COUNT; i++) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "/x/%d/y", i);
        used += sprintf(text + used, "%s%s", i > 0 ? "," : "", pointer_channel(0, pointer));
    }
    used += sprintf(text + used, "]}]}");
    struct scene scene;
    struct report report = {0};
    if (!import_copy(text, (size_t)used, &scene, &report)) {
        fail_msg("%s", report.first_error);
    }
    free(text);
    assert_int_equal(scene.property_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char path[40];
        snprintf(path, sizeof path, "/x/%u/y", i);
        assert_string_equal(property_of(&scene, 0, i)->path, path);
    }
    scene_free(&scene);
}

/// Each of many nodes rests at as many weights as their one mesh has targets: the square of what
/// the file holds.
static void test_gltf_many_nodes_of_one_large_mesh_are_bounded(void **state)
{
    (void)state;
    enum { TARGETS = 20000, NODES = 4000 };
    char *const text = malloc(TARGETS * 8 + NODES * 120 + 1000);
    int used = sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{"
                             "\"targets\":[{}");
    for (int i = 1; i < TARGETS; i++) {
        used += sprintf(text + used, ",{}");
    }
    used += sprintf(text + used,
                    "]}]}],\"accessors\":[{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":1},"
                    "{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":%d}],\"nodes\":[",
                    TARGETS);
    for (int i = 0; i < NODES; i++) {
        used += sprintf(text + used, "%s{\"mesh\":0}", i > 0 ? "," : "");
    }
    used += sprintf(text + used, "],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],"
                                 "\"channels\":[");
    for (int i = 0; i < NODES; i++) {
        used +=
            sprintf(text + used, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                    i > 0 ? "," : "", i);
    }
    used += sprintf(text + used, "]}]}");
    struct scene scene;
    struct report report = {0};
    assert_false(import_copy(text, (size_t)used, &scene, &report));
    assert_non_null(strstr(report.first_error, "[gltf.limit]"));
    free(text);
}

/// Builds a file with some of everything.
static void build_everything(struct gltf_builder *builder)
{
    build_morph(builder, 2, ",\"weights\":[1,0]", ",\"extras\":{\"targetNames\":[\"a\",\"b\"]}");
    builder->extra = "\"materials\":[{\"emissiveFactor\":[0,0,1]}],";
    const float values[12] = {0, 1, 0.5f, 1, 0, 1, 1, 0, 0, 1, 0, 1};
    const uint8_t flags[2] = {1, 0};
    const uint32_t input = build_times(builder, 2);
    const uint32_t weights = gltf_builder_floats(builder, 1, 12, values);
    const uint32_t colour = gltf_builder_floats(builder, 3, 2, values);
    const uint32_t visible = gltf_builder_accessor(builder, 5121, "SCALAR", 2, "", flags, 2);
    gltf_builder_add(
        builder, GLTF_ANIMATIONS,
        "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}},%s,%s,%s],"
        "\"samplers\":[{\"input\":%u,\"output\":%u,\"interpolation\":\"CUBICSPLINE\"},"
        "{\"input\":%u,\"output\":%u},{\"input\":%u,\"output\":%u,\"interpolation\":\"STEP\"}]}",
        pointer_channel(1, "/materials/0/emissiveFactor"), pointer_channel(1, "/nodes/0/scale"),
        pointer_channel(2, "/nodes/0/extensions/KHR_node_visibility/visible"), input, weights,
        input, colour, input, visible);
}

static void test_gltf_property_files_cut_anywhere_are_refused(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_everything(builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(builder, &size_bytes);
    assert_true(gltf_exercise(glb, size_bytes));
    for (size_t size = 12; size < size_bytes; size++) {
        for (int i = 0; i < 4; i++) {
            glb[8 + i] = (unsigned char)(size >> (8 * i));
        }
        assert_false(gltf_exercise(glb, size));
    }
    free(glb);
}

static void test_gltf_property_files_changed_anywhere_keep_the_promises(void **state)
{
    (void)state;
    struct gltf_builder *const builder = builder_new();
    build_everything(builder);
    size_t size_bytes;
    unsigned char *const glb = gltf_builder_glb(builder, &size_bytes);
    uint32_t refused = 0;
    uint32_t total = 0;
    const char values[] = {0, 1, 0x7f, (char)0x80, (char)0xff, '9', '0', '1', '"', '-', '/', '~'};
    for (size_t at = 0; at < size_bytes; at++) {
        const unsigned char kept = glb[at];
        for (size_t i = 0; i < sizeof values; i++) {
            glb[at] = (unsigned char)values[i];
            refused += gltf_exercise(glb, size_bytes) ? 0 : 1;
            total++;
        }
        glb[at] = kept;
    }
    free(glb);
    assert_true(refused > total / 4 && refused < total);
}

// Real files, read a second time here: Jansson, plain floats, and nothing of the importer.

struct second {
    const char *path;
    json_t *root;
    unsigned char *chunk; // of a .glb, or null
};

static unsigned char *file_bytes(const char *path, size_t *size_bytes)
{
    FILE *const file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size_bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *const bytes = malloc(*size_bytes + 1);
    assert_int_equal(fread(bytes, 1, *size_bytes, file), *size_bytes);
    fclose(file);
    return bytes;
}

static void second_open(struct second *second, const char *path)
{
    *second = (struct second){.path = path};
    size_t size_bytes = 0;
    unsigned char *const bytes = file_bytes(path, &size_bytes);
    assert_non_null(bytes);
    const char *text = (const char *)bytes;
    size_t text_bytes = size_bytes;
    if (memcmp(bytes, "glTF", 4) == 0) {
        uint32_t json_bytes;
        memcpy(&json_bytes, bytes + 12, 4);
        text = (const char *)bytes + 20;
        text_bytes = json_bytes;
        const size_t chunk_bytes = size_bytes - 28 - json_bytes;
        second->chunk = malloc(chunk_bytes);
        memcpy(second->chunk, bytes + 28 + json_bytes, chunk_bytes);
    }
    second->root = json_loadb(text, text_bytes, 0, NULL);
    assert_non_null(second->root);
    free(bytes);
}

static void second_close(struct second *second)
{
    json_decref(second->root);
    free(second->chunk);
}

static json_t *second_item(const struct second *second, const char *list, size_t index)
{
    json_t *const item = json_array_get(json_object_get(second->root, list), index);
    assert_non_null(item);
    return item;
}

static size_t integer_of(const json_t *object, const char *key)
{
    return (size_t)json_integer_value(json_object_get(object, key));
}

static unsigned char *decode_base64(const char *text)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *const bytes = malloc(strlen(text) + 4);
    size_t used = 0;
    uint32_t bits = 0;
    int bit_count = 0;
    for (; *text && *text != '='; text++) {
        bits = bits << 6 | (uint32_t)(strchr(alphabet, *text) - alphabet);
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes[used++] = (unsigned char)(bits >> bit_count);
        }
    }
    return bytes;
}

/// Copies bytes of a buffer view; null where the buffer's file is empty or not there.
static unsigned char *second_view(const struct second *second, size_t view_index, size_t offset,
                                  size_t size_bytes)
{
    const json_t *const view = second_item(second, "bufferViews", view_index);
    const json_t *const buffer = second_item(second, "buffers", integer_of(view, "buffer"));
    const char *const uri = json_string_value(json_object_get(buffer, "uri"));
    unsigned char *bytes = second->chunk;
    size_t file_size = SIZE_MAX;
    if (uri && strncmp(uri, "data:", 5) == 0) {
        bytes = decode_base64(strchr(uri, ',') + 1);
    } else if (uri) {
        char path[1024];
        const char *const slash = strrchr(second->path, '/');
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - second->path), second->path, uri);
        bytes = file_bytes(path, &file_size);
    }
    if (!bytes) {
        return NULL;
    }
    const size_t start = integer_of(view, "byteOffset") + offset;
    assert_true(start + size_bytes <= file_size);
    unsigned char *const copy = malloc(size_bytes);
    memcpy(copy, bytes + start, size_bytes);
    if (bytes != second->chunk) {
        free(bytes);
    }
    return copy;
}

/// Reads an accessor of tightly packed floats, sparse or not.
static float *second_floats(const struct second *second, size_t index, size_t *count)
{
    const json_t *const accessor = second_item(second, "accessors", index);
    const char *const type = json_string_value(json_object_get(accessor, "type"));
    const size_t components = type[0] == 'V' ? (size_t)(type[3] - '0') : 1;
    *count = integer_of(accessor, "count") * components;
    assert_int_equal(integer_of(accessor, "componentType"), 5126);
    float *values = calloc(*count, sizeof *values);
    if (json_object_get(accessor, "bufferView")) {
        free(values);
        values = (float *)(void *)second_view(second, integer_of(accessor, "bufferView"),
                                              integer_of(accessor, "byteOffset"),
                                              *count * sizeof *values);
    }
    const json_t *const sparse = json_object_get(accessor, "sparse");
    if (values && sparse) {
        const json_t *const indices = json_object_get(sparse, "indices");
        const json_t *const replacements = json_object_get(sparse, "values");
        const size_t sparse_count = integer_of(sparse, "count");
        assert_int_equal(integer_of(indices, "componentType"), 5125);
        uint32_t *const at =
            (uint32_t *)(void *)second_view(second, integer_of(indices, "bufferView"),
                                            integer_of(indices, "byteOffset"), sparse_count * 4);
        float *const from = (float *)(void *)second_view(
            second, integer_of(replacements, "bufferView"), integer_of(replacements, "byteOffset"),
            sparse_count * components * 4);
        for (size_t i = 0; i < sparse_count; i++) {
            memcpy(values + at[i] * components, from + i * components, components * sizeof *values);
        }
        free(at);
        free(from);
    }
    return values;
}

/// Finds the track that a channel became.
static const struct scene_track *find_track(const struct scene *scene, uint32_t clip,
                                            const json_t *target)
{
    static const char *const names[] = {"rotation", "translation", "scale"};
    const json_t *const pointer = json_object_get(
        json_object_get(json_object_get(target, "extensions"), "KHR_animation_pointer"), "pointer");
    char path[512];
    snprintf(path, sizeof path, "/nodes/%zu/%s", integer_of(target, "node"),
             json_string_value(json_object_get(target, "path")));
    if (pointer) {
        snprintf(path, sizeof path, "%s", json_string_value(pointer));
    }
    for (uint32_t i = 0; i < scene->clips[clip].track_count; i++) {
        const struct scene_track *const track = &scene->clips[clip].tracks[i];
        char text[512];
        if (track->path == SCENE_PROPERTY) {
            snprintf(text, sizeof text, "%s", scene->properties[track->property].path);
        } else {
            snprintf(text, sizeof text, "/nodes/%u/%s", track->node, names[track->path]);
        }
        if (strcmp(text, path) == 0) {
            return track;
        }
    }
    fail_msg("no track for %s", path);
    return NULL;
}

/// Compares a track's keys, and what it is between them, with the second reading.
static void compare_track(const struct second *second, const struct scene_track *track,
                          const json_t *sampler)
{
    const struct scene_curve *const curve = &track->curve;
    size_t key_count;
    size_t value_count;
    float *const times = second_floats(second, integer_of(sampler, "input"), &key_count);
    float *const values = second_floats(second, integer_of(sampler, "output"), &value_count);
    assert_true(times && values);
    assert_int_equal(curve->key_count, key_count);
    assert_int_equal(curve->key_count * curve->stride, value_count);
    for (size_t i = 0; i < value_count; i++) {
        const size_t key = i / curve->stride;
        assert_true(curve->times[key] == times[key]);
        // Rotations were brought to unit length.
        assert_true(fabs(curve->values[i] - values[i]) <=
                    (track->path == SCENE_ROTATION ? 1e-6 : 0));
    }
    for (size_t key = 0; track->path == SCENE_PROPERTY && key + 1 < key_count; key++) {
        double *const out = malloc(curve->stride * sizeof *out);
        scene_curve_sample(curve, SCENE_PROPERTY, ((double)times[key] + times[key + 1]) / 2, out);
        for (uint32_t i = 0; i < curve->stride; i++) {
            const float *const at = values + key * curve->stride + i;
            assert_true(fabs(out[i] - ((double)at[0] + at[curve->stride]) / 2) < 1e-6);
        }
        free(out);
    }
    free(times);
    free(values);
}

/// @param keys  of all channels, as the table of facts counts them
static void compare_file(const char *name, uint32_t channels, size_t keys, uint32_t properties,
                         uint32_t warnings)
{
    char path[512];
    snprintf(path, sizeof path, "%s/data/%s", getenv("TROUPE_ASSETS"), name);
    struct second second;
    second_open(&second, path);
    struct scene scene;
    struct report report = {0};
    if (!import_file(path, NULL, &scene, &report)) {
        fail_msg("%s", report.first_error);
    }
    assert_int_equal(scene.property_count, properties);
    assert_int_equal(report.warning_count, warnings);
    uint32_t channel_total = 0;
    size_t key_total = 0;
    for (uint32_t clip = 0; clip < scene.clip_count; clip++) {
        const json_t *const animation = second_item(&second, "animations", clip);
        const json_t *const samplers = json_object_get(animation, "samplers");
        size_t index;
        const json_t *channel;
        json_array_foreach(json_object_get(animation, "channels"), index, channel)
        {
            const struct scene_track *const track =
                find_track(&scene, clip, json_object_get(channel, "target"));
            compare_track(&second, track, json_array_get(samplers, integer_of(channel, "sampler")));
            key_total += track->curve.key_count;
            channel_total++;
        }
    }
    assert_int_equal(channel_total, channels);
    assert_int_equal(key_total, keys);
    scene_free(&scene);
    second_close(&second);
}

static void test_gltf_real_files_have_the_values_of_a_second_reading(void **state)
{
    (void)state;
    if (!getenv("TROUPE_ASSETS")) {
        skip();
        return;
    }
    compare_file("khronos/AnimatedMorphCube.glb", 1, 127, 1, 0);
    compare_file("MorphStressTest.gltf", 3, 426, 1, 0);
    compare_file("box_sparse.gltf", 1, 2, 1, 0);
    // 70 channels, of which 22 place nodes and two say the same of one property.
    compare_file("24_animation_pointer.gltf", 70, 14358, 47, 1);
}

static void test_gltf_real_morph_targets_are_named_and_rest_as_in_the_file(void **state)
{
    (void)state;
    const char *const assets = getenv("TROUPE_ASSETS");
    if (!assets) {
        skip();
        return;
    }
    char path[512];
    snprintf(path, sizeof path, "%s/data/MorphStressTest.gltf", assets);
    struct scene scene;
    struct report report = {0};
    assert_true(import_file(path, NULL, &scene, &report));
    const struct scene_property *const property = property_of(&scene, 0, 0);
    assert_string_equal(property->path, "/nodes/0/weights");
    assert_int_equal(property->value_count, 8);
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "Key %d", i + 1);
        assert_string_equal(property->labels[i], name);
        assert_true(property->defaults[i] == 0);
    }
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_b46_cubic_weights_alternate_by_key_not_by_target),
        cmocka_unit_test(test_gltf_b43_cubic_weights_multiply_tangents_by_the_interval),
        cmocka_unit_test(test_gltf_b41_stepped_weights_stay_stepped),
        cmocka_unit_test(test_gltf_b75_constant_weights_keep_all_that_differ_from_rest),
        cmocka_unit_test(test_gltf_b22_weights_of_one_key_are_constant_in_every_interpolation),
        cmocka_unit_test(test_gltf_ava09_ava16_weights_are_as_many_as_keys_times_targets),
        cmocka_unit_test(test_gltf_b81_ava17_weights_of_normalised_integers_are_decoded),
        cmocka_unit_test(test_gltf_weights_rest_as_the_node_says_else_the_mesh_else_zero),
        cmocka_unit_test(test_gltf_weights_are_labelled_by_the_names_in_extras),
        cmocka_unit_test(test_gltf_weights_without_targets_are_refused_by_place),
        cmocka_unit_test(test_gltf_weights_of_one_mesh_serve_all_its_nodes),
        cmocka_unit_test(test_gltf_b84_weights_that_are_not_finite_are_refused_by_place),
        cmocka_unit_test(test_gltf_b80_sparse_weights_over_a_stride_are_found),
        cmocka_unit_test(test_gltf_b79_b80_weights_out_of_their_buffer_are_refused),
        cmocka_unit_test(test_gltf_pointer_leads_to_a_property_of_type_count_and_rest),
        cmocka_unit_test(test_gltf_pointer_that_is_wrong_is_refused_by_place),
        cmocka_unit_test(test_gltf_pointer_channels_of_the_wrong_form_are_refused),
        cmocka_unit_test(test_gltf_pointer_to_a_placement_is_an_ordinary_track),
        cmocka_unit_test(test_gltf_ava18_targets_driven_twice_are_refused),
        cmocka_unit_test(test_gltf_pointer_driven_twice_alike_is_dropped_with_a_warning),
        cmocka_unit_test(test_gltf_pointer_to_a_whole_and_to_its_part_conflict),
        cmocka_unit_test(test_gltf_pointer_to_a_whole_and_its_part_in_two_clips_only_warns),
        cmocka_unit_test(test_gltf_pointer_driven_as_two_things_by_two_clips_is_refused),
        cmocka_unit_test(test_gltf_pointer_driven_as_number_and_integer_by_two_clips_is_refused),
        cmocka_unit_test(test_gltf_properties_leave_matrices_that_shear_alone),
        cmocka_unit_test(test_gltf_booleans_are_zero_or_one_and_integers_whole),
        cmocka_unit_test(test_gltf_pointers_in_great_number_stay_apart),
        cmocka_unit_test(test_gltf_many_nodes_of_one_large_mesh_are_bounded),
        cmocka_unit_test(test_gltf_property_files_cut_anywhere_are_refused),
        cmocka_unit_test(test_gltf_property_files_changed_anywhere_keep_the_promises),
        cmocka_unit_test(test_gltf_real_files_have_the_values_of_a_second_reading),
        cmocka_unit_test(test_gltf_real_morph_targets_are_named_and_rest_as_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
