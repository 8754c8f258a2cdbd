// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Property sets: what a view says is what was written, and blending of values by the words of
// property.h in double precision.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <troupe/troupe.h>

#include "pack_builder.h"

enum { PROPERTIES = 11, MAX_VALUES = 64, MAX_LAYERS = 5 };

static struct pack_content *content;
static uint8_t *bytes;
static trp_pack pack;
static trp_property_set set;

static int open_set(void **state)
{
    (void)state;
    content = pack_content_random(
        &(struct pack_recipe){.seed = 4, .property_count = PROPERTIES, .only_clips = true});
    size_t size_bytes = 0;
    bytes = pack_write(content, &size_bytes);
    return trp_pack_open(bytes, size_bytes, &pack, NULL) == TRP_OK &&
                   trp_pack_property_set(&pack, 0, &set) == TRP_OK
               ? 0
               : -1;
}

static int close_set(void **state)
{
    (void)state;
    free(bytes);
    pack_content_free(content);
    return 0;
}

// -- Views

static void test_property_set_is_what_was_written(void **state)
{
    (void)state;
    const struct pack_property_set *const described = &content->property_sets[0];
    assert_string_equal(set.name, described->name);
    assert_int_equal(set.name_hash, trp_name_hash(described->name));
    assert_int_equal(set.index, 0);
    assert_int_equal(set.property_count, PROPERTIES);
    uint32_t value = 0;
    for (uint32_t i = 0; i < PROPERTIES; i++) {
        const struct pack_property *const expected = &described->properties[i];
        trp_property property;
        assert_int_equal(trp_property_set_property(&set, i, &property), TRP_OK);
        assert_string_equal(property.path, expected->path);
        assert_int_equal(property.path_hash, trp_name_hash(expected->path));
        assert_int_equal(property.type, expected->type);
        assert_int_equal(property.first_value, value);
        assert_int_equal(property.value_count, expected->value_count);
        assert_int_equal(property.node, expected->node);
        for (uint32_t k = 0; k < expected->value_count; k++, value++) {
            assert_true(set.defaults[value] == expected->defaults[k]);
            assert_string_equal(trp_property_set_label(&set, value), expected->labels[k]);
        }
    }
    assert_int_equal(set.value_count, value);
}

static void test_property_find_gives_the_first_of_equal_paths(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PROPERTIES; i++) { // two share each path
        const char *const path = content->property_sets[0].properties[i].path;
        assert_int_equal(trp_property_set_find(&set, trp_name_hash(path)), i / 2 * 2);
    }
    assert_int_equal(trp_property_set_find(&set, 1), TRP_NONE);
    assert_int_equal(trp_property_set_find(NULL, 1), TRP_NONE);
}

static void test_property_out_of_range_is_refused(void **state)
{
    (void)state;
    trp_property property = {.first_value = 77};
    trp_property_set other = {.index = 77};
    assert_int_equal(trp_property_set_property(&set, PROPERTIES, &property), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_property_set_property(NULL, 0, &property), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_property_set_property(&set, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(property.first_value, 77);
    assert_int_equal(trp_pack_property_set(&pack, 1, &other), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_property_set(NULL, 0, &other), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_property_set(&pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(other.index, 77);
    assert_string_equal(trp_property_set_label(&set, set.value_count), "");
    assert_string_equal(trp_property_set_label(&set, UINT32_MAX), "");
    assert_string_equal(trp_property_set_label(NULL, 0), "");
}

static void test_property_texts_are_what_was_written(void **state)
{
    (void)state;
    static const float none[8] = {2, -1, -0.5f, 1e9f, -1e9f, INFINITY, -INFINITY, NAN};
    const struct pack_property_set *const described = &content->property_sets[0];
    assert_int_equal(set.text_count, 2);
    for (uint32_t i = 0; i < set.text_count; i++) {
        assert_string_equal(trp_property_set_text(&set, (float)i), described->texts[i]);
        assert_string_equal(trp_property_set_text(&set, (float)i + 0.75f), described->texts[i]);
    }
    assert_true(strlen(described->texts[1]) > 0);
    assert_string_equal(trp_property_set_text(&set, -0.0f), described->texts[0]);
    for (uint32_t i = 0; i < 8; i++) {
        assert_string_equal(trp_property_set_text(&set, none[i]), "");
    }
    assert_string_equal(trp_property_set_text(NULL, 1), "");
    assert_string_equal(trp_property_set_text(&(trp_property_set){.text_count = 2}, 1), "");
}

// -- Parts of paths

static void test_property_parts_of_paths_are_as_before_their_escapes(void **state)
{
    static const struct {
        const char *path;
        uint32_t part;
        const char *text; // null: there is none
    } cases[] = {
        {"/nodes/3/weights", 0, "nodes"},
        {"/nodes/3/weights", 2, "weights"},
        {"/nodes/3/weights", 3, NULL},
        {"/square_animation~1dots~1dot/position_y", 0, "square_animation/dots/dot"},
        {"/square_animation~1dots~1dot/position_y", 1, "position_y"},
        {"/a~0b~01~1~00/x", 0, "a~b~1/~0"},
        {"/~/~2/~~1/~a", 0, "~"}, // not escaped, so as they are
        {"/~/~2/~~1/~a", 1, "~2"},
        {"/~/~2/~~1/~a", 2, "~/"},
        {"/~/~2/~~1/~a", 3, "~a"},
        {"//layers/", 0, ""},
        {"//layers/", 1, "layers"},
        {"//layers/", 2, ""},
        {"//layers/", 3, NULL},
        {"/", 0, ""},
        {"/", 1, NULL},
        {"", 0, NULL},
        {"a/b", 0, NULL},
        {"a/b", 1, NULL},
        {"/\xc3\xa9/\xff", 0, "\xc3\xa9"},
        {"/\xc3\xa9/\xff", 1, "\xff"},
        {"/a", UINT32_MAX, NULL},
        {NULL, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        memset(text, '#', sizeof text);
        const size_t needed = cases[i].text ? strlen(cases[i].text) + 1 : 0;
        const char *const expected = cases[i].text ? cases[i].text : "";
        assert_int_equal(trp_property_path_part(cases[i].path, cases[i].part, text, sizeof text),
                         needed);
        assert_string_equal(text, expected);
        assert_int_equal(text[strlen(expected) + 1], '#'); // nothing behind the end
        assert_int_equal(trp_property_path_part(cases[i].path, cases[i].part, NULL, 0), needed);
    }
}

static void test_property_parts_of_paths_are_cut_to_their_capacity(void **state)
{
    static const char whole[] = "ab/c~d";
    static const char path[] = "/first/ab~1c~0d/last";
    (void)state;
    for (size_t capacity = 0; capacity <= sizeof whole + 1; capacity++) {
        char text[16];
        memset(text, '#', sizeof text);
        assert_int_equal(trp_property_path_part(path, 1, text, capacity), sizeof whole);
        for (size_t i = 0; i < sizeof text; i++) {
            const size_t length = capacity < sizeof whole ? capacity - 1 : sizeof whole - 1;
            const bool is_text = capacity > 0 && i < length;
            const bool is_end = capacity > 0 && i == length;
            assert_int_equal(text[i], is_text ? whole[i] : is_end ? '\0' : '#');
        }
    }
    char text[4] = "###";
    assert_int_equal(trp_property_path_part(path, 3, text, 0), 0);
    assert_string_equal(text, "###");
    assert_int_equal(trp_property_path_part(path, 3, text, 1), 0);
    assert_string_equal(text, "");
    assert_int_equal(trp_property_path_part(path, 1, NULL, 9), sizeof whole);
}

// -- What has started

/// Says by the description whether a value has started.
static float expected_start(const struct pack_clip *clip, uint32_t value, double time_s)
{
    if (clip->values[value].is_animated) {
        return 1;
    }
    for (uint32_t i = 0; i < clip->group_count; i++) {
        const struct pack_group *const group = &clip->groups[i];
        for (uint32_t k = 0; k < group->track_count; k++) {
            const struct pack_keyed_track *const track = &group->tracks[k];
            trp_property property = {0};
            if (track->path != TRP_PATH_PROPERTY) {
                continue;
            }
            assert_int_equal(trp_property_set_property(&set, track->target, &property), TRP_OK);
            if (value - property.first_value < property.value_count) {
                return group->times[0] >= 0 || time_s >= group->times[1] ? 1 : 0;
            }
        }
    }
    return 0;
}

/// Compares the masks of a clip at a time; returns how many values wait.
static uint32_t check_started(const struct pack_clip *described, const trp_clip *clip,
                              double time_s)
{
    float mask[MAX_VALUES + 1];
    float covered[MAX_VALUES];
    uint32_t waiting = 0;
    memset(mask, 0xFF, sizeof mask);
    assert_int_equal(trp_clip_started(clip, time_s, mask), TRP_OK);
    assert_int_equal(trp_clip_value_coverage(clip, covered), TRP_OK);
    for (uint32_t value = 0; value < clip->value_count; value++) {
        const float expected = expected_start(described, value, time_s == time_s ? time_s : 0);
        assert_true(mask[value] == expected);
        waiting += mask[value] < covered[value];
    }
    assert_true(mask[clip->value_count] != mask[clip->value_count]);
    return waiting;
}

static void test_property_values_start_with_the_first_key_of_the_clip(void **state)
{
    (void)state;
    uint32_t waiting = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct pack_recipe recipe = {
            .seed = seed,
            .clip_count = 1,
            .tick_count = 20,
            .property_count = 11,
            .group_count = 4,
            .is_jointless = true,
            .has_initial_keys = true,
        };
        struct pack_content *const other = pack_content_random(&recipe);
        size_t size_bytes = 0;
        uint8_t *const written = pack_write(other, &size_bytes);
        trp_pack opened;
        trp_clip clip;
        assert_int_equal(trp_pack_open(written, size_bytes, &opened, NULL), TRP_OK);
        assert_int_equal(trp_pack_property_set(&opened, 0, &set), TRP_OK);
        assert_int_equal(trp_pack_clip(&opened, 0, &clip), TRP_OK);
        const struct pack_clip *const described = &other->clips[0];
        const double times[7] = {-1, -2, 0, NAN, INFINITY, -INFINITY, 0.1};
        for (uint32_t i = 0; i < 7; i++) {
            waiting += check_started(described, &clip, times[i]);
        }
        for (uint32_t i = 0; i < described->group_count; i++) {
            for (uint32_t key = 0; key < described->groups[i].key_count; key++) {
                const double time_s = described->groups[i].times[key];
                waiting += check_started(described, &clip, time_s);
                waiting += check_started(described, &clip, nextafter(time_s, -9));
            }
        }
        free(written);
        pack_content_free(other);
    }
    assert_int_equal(trp_pack_property_set(&pack, 0, &set), TRP_OK);
    assert_true(waiting > 1000);
}

static void test_property_started_of_nothing_is_refused(void **state)
{
    (void)state;
    float mask[2] = {5, 5};
    assert_int_equal(trp_clip_started(NULL, 0, mask), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_clip_started(&(trp_clip){.value_count = 2}, 0, mask), TRP_ERROR_ARGUMENT);
    assert_true(mask[0] == 5 && mask[1] == 5);
}

// -- Blending

static trp_property_type type_of(uint32_t value)
{
    trp_property property;
    for (uint32_t i = 0;; i++) {
        assert_int_equal(trp_property_set_property(&set, i, &property), TRP_OK);
        if (value < property.first_value + property.value_count) {
            return property.type;
        }
    }
}

static double clean(double weight)
{
    return weight > 0 ? fmin(weight, 0x1p60) : 0;
}

static double weight_of(const trp_value_layer *layer, uint32_t value)
{
    const double weight = clean((double)layer->weight);
    return layer->mask && weight > 0 ? clean(weight * (double)layer->mask[value]) : weight;
}

/// The words of property.h.
static double blended(const trp_value_layer *layers, uint32_t count, uint32_t value)
{
    const bool is_mixed = type_of(value) == TRP_PROPERTY_FLOAT;
    double sum = 0;
    double total = 0;
    double largest = 0;
    double heaviest = (double)set.defaults[value];
    for (uint32_t i = 0; i < count; i++) {
        const double weight = weight_of(&layers[i], value);
        if (layers[i].mode == TRP_BLEND_AVERAGE && weight > 0) {
            sum += weight;
            total += weight * (double)layers[i].values[value];
            heaviest = weight > largest ? (double)layers[i].values[value] : heaviest;
            largest = fmax(largest, weight);
        }
    }
    double result = is_mixed && sum > 0 ? total / sum : heaviest;
    for (uint32_t i = 0; is_mixed && i < count; i++) {
        const double weight = weight_of(&layers[i], value);
        if (weight > 0 && layers[i].mode != TRP_BLEND_AVERAGE) {
            const double change = weight * (double)layers[i].values[value];
            result += layers[i].mode == TRP_BLEND_ADD ? change : -change;
        }
    }
    return result;
}

static float random_float(uint64_t *state, double low, double high)
{
    return (float)(low + (high - low) * (double)(pack_random(state) >> 11) * 0x1p-53);
}

static trp_result blend(const trp_value_layer *layers, uint32_t count, float *values)
{
    const trp_value_blend_job job = {.layers = layers, .layer_count = count, .values = values};
    const trp_value_blend_args args = {.set = &set, .jobs = &job, .job_count = 1};
    return trp_blend_values(&args, NULL);
}

static void test_property_blends_agree_with_double_precision(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t round = 0; round < 2000; round++) {
        float values[MAX_LAYERS][MAX_VALUES];
        float masks[MAX_LAYERS][MAX_VALUES];
        float out[MAX_VALUES];
        trp_value_layer layers[MAX_LAYERS];
        const uint32_t count = round % (MAX_LAYERS + 1);
        for (uint32_t i = 0; i < count; i++) {
            static const float odd[4] = {0, -1, NAN, 1e-20f};
            for (uint32_t k = 0; k < set.value_count; k++) {
                values[i][k] = random_float(&random, -3, 3);
                masks[i][k] = pack_random(&random) % 4 == 0 ? odd[pack_random(&random) % 4]
                                                            : random_float(&random, 0, 1);
            }
            layers[i] = (trp_value_layer){
                .values = values[i],
                .mask = pack_random(&random) % 2 ? masks[i] : NULL,
                .weight = pack_random(&random) % 8 == 0 ? odd[pack_random(&random) % 4]
                                                        : random_float(&random, 0, 2),
                .mode = (trp_blend_mode)(pack_random(&random) % 4 % 3),
            };
        }
        assert_int_equal(blend(layers, count, out), TRP_OK);
        for (uint32_t k = 0; k < set.value_count; k++) {
            assert_true(fabs((double)out[k] - blended(layers, count, k)) < 1e-5);
        }
    }
}

static void test_property_one_layer_keeps_its_bits(void **state)
{
    (void)state;
    static const float weights[4] = {1e-30f, 0.3f, 1, 1e30f};
    float values[MAX_VALUES];
    float out[MAX_VALUES];
    uint64_t random = 2;
    for (uint32_t k = 0; k < set.value_count; k++) {
        values[k] = k == 0 ? -0.0f : random_float(&random, -100, 100);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const trp_value_layer layer = {.values = values, .weight = weights[i]};
        assert_int_equal(blend(&layer, 1, out), TRP_OK);
        assert_memory_equal(out, values, set.value_count * sizeof *out);
    }
}

/// B70: a morph in a layer of half the weight counts half, against another layer and on top of one.
static void test_property_b70_half_a_layer_is_half_a_morph(void **state)
{
    (void)state;
    float open_mouth[MAX_VALUES];
    float shut_mouth[MAX_VALUES];
    float out[MAX_VALUES];
    for (uint32_t k = 0; k < set.value_count; k++) {
        open_mouth[k] = 0.75f;
        shut_mouth[k] = 0.25f;
    }
    const trp_value_layer averaged[2] = {
        {.values = shut_mouth, .weight = 0.5f},
        {.values = open_mouth, .weight = 0.5f},
    };
    const trp_value_layer added[2] = {
        {.values = shut_mouth, .weight = 1},
        {.values = open_mouth, .weight = 0.5f, .mode = TRP_BLEND_ADD},
    };
    for (uint32_t k = 0; k < set.value_count; k++) {
        if (type_of(k) == TRP_PROPERTY_FLOAT) {
            assert_int_equal(blend(averaged, 2, out), TRP_OK);
            assert_true(out[k] == 0.5f);
            assert_int_equal(blend(added, 2, out), TRP_OK);
            assert_true(out[k] == 0.625f);
        }
    }
}

static void test_property_bool_int_and_string_are_never_mixed(void **state)
{
    (void)state;
    float values[3][MAX_VALUES];
    float out[MAX_VALUES];
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < set.value_count; k++) {
            values[i][k] = (float)(i + 1);
        }
    }
    const trp_value_layer layers[4] = {
        {.values = values[0], .weight = 0.25f},
        {.values = values[1], .weight = 0.5f},
        {.values = values[2], .weight = 0.5f},
        {.values = values[2], .weight = 8, .mode = TRP_BLEND_ADD},
    };
    uint32_t whole_count = 0;
    assert_int_equal(blend(layers, 4, out), TRP_OK);
    for (uint32_t k = 0; k < set.value_count; k++) {
        if (type_of(k) != TRP_PROPERTY_FLOAT) {
            assert_true(out[k] == 2); // the first of the two that weigh most
            whole_count++;
        }
    }
    assert_true(whole_count > 4);
}

static void test_property_layers_without_weight_are_not_read(void **state)
{
    (void)state;
    float nan[MAX_VALUES];
    float zero[MAX_VALUES] = {0};
    float out[MAX_VALUES];
    for (uint32_t k = 0; k < MAX_VALUES; k++) {
        nan[k] = NAN;
    }
    const trp_value_layer layers[4] = {
        {.values = nan, .weight = 0},
        {.values = nan, .weight = NAN, .mode = TRP_BLEND_ADD},
        {.values = nan, .weight = -1, .mode = TRP_BLEND_SUBTRACT},
        {.values = nan, .mask = zero, .weight = 1},
    };
    const trp_value_blend_job job = {.layers = layers, .layer_count = 4, .values = out};
    const trp_value_blend_args args = {.set = &set, .jobs = &job, .job_count = 1};
    trp_blend_report report = {77};
    assert_int_equal(trp_blend_values(&args, &report), TRP_OK);
    assert_int_equal(report.bad_weight_count, 2);
    assert_memory_equal(out, set.defaults, set.value_count * sizeof *out);
}

static void test_property_blend_may_write_over_a_layer(void **state)
{
    (void)state;
    float values[2][MAX_VALUES];
    float out[MAX_VALUES];
    uint64_t random = 3;
    for (uint32_t k = 0; k < 2 * MAX_VALUES; k++) {
        values[k / MAX_VALUES][k % MAX_VALUES] = random_float(&random, -1, 1);
    }
    const trp_value_layer layers[3] = {
        {.values = values[0], .weight = 0.3f},
        {.values = values[1], .weight = 0.7f},
        {.values = values[1], .weight = 0.5f, .mode = TRP_BLEND_ADD},
    };
    assert_int_equal(blend(layers, 3, out), TRP_OK);
    assert_int_equal(blend(layers, 3, values[1]), TRP_OK);
    assert_memory_equal(out, values[1], set.value_count * sizeof *out);
}

static void test_property_bad_blends_are_refused_before_any_write(void **state)
{
    (void)state;
    float values[MAX_VALUES] = {0};
    float out[MAX_VALUES + 1] = {0};
    trp_value_layer layer = {.values = values, .weight = 1};
    trp_value_blend_job jobs[2] = {
        {.values = out},
        {.layers = &layer, .layer_count = 1, .values = out},
    };
    trp_value_blend_args args = {.set = &set, .jobs = jobs, .job_count = 2};
    const trp_property_set empty = {0};
    assert_int_equal(trp_blend_values(NULL, NULL), TRP_ERROR_ARGUMENT);
    args.set = NULL;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    args.set = &empty;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    args.set = &set;
    args.jobs = NULL;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    args.jobs = jobs;
    layer.mode = (trp_blend_mode)3;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    layer.mode = TRP_BLEND_AVERAGE;
    layer.values = NULL;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    layer.values = (const float *)((const char *)values + 2);
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    layer.values = values;
    layer.mask = layer.values + 0;
    jobs[1].values = NULL;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    jobs[1].values = out;
    jobs[1].layers = NULL;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_ERROR_ARGUMENT);
    for (uint32_t k = 0; k <= MAX_VALUES; k++) {
        assert_true(out[k] == 0);
    }
    jobs[1].layers = &layer;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_OK);
    args.job_count = 0;
    assert_int_equal(trp_blend_values(&args, NULL), TRP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_property_set_is_what_was_written),
        cmocka_unit_test(test_property_find_gives_the_first_of_equal_paths),
        cmocka_unit_test(test_property_out_of_range_is_refused),
        cmocka_unit_test(test_property_texts_are_what_was_written),
        cmocka_unit_test(test_property_parts_of_paths_are_as_before_their_escapes),
        cmocka_unit_test(test_property_parts_of_paths_are_cut_to_their_capacity),
        cmocka_unit_test(test_property_values_start_with_the_first_key_of_the_clip),
        cmocka_unit_test(test_property_started_of_nothing_is_refused),
        cmocka_unit_test(test_property_blends_agree_with_double_precision),
        cmocka_unit_test(test_property_one_layer_keeps_its_bits),
        cmocka_unit_test(test_property_b70_half_a_layer_is_half_a_morph),
        cmocka_unit_test(test_property_bool_int_and_string_are_never_mixed),
        cmocka_unit_test(test_property_layers_without_weight_are_not_read),
        cmocka_unit_test(test_property_blend_may_write_over_a_layer),
        cmocka_unit_test(test_property_bad_blends_are_refused_before_any_write),
    };
    return cmocka_run_group_tests(tests, open_set, close_set);
}
