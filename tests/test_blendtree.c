// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Weights of blend trees against a second way to work them out, and what must hold of them anyway.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack_builder.h"
#include "synthetic_clip.h"

enum { MAX_COUNT = 12 };

static const float line_places[][2] = {{2, 0}, {0, 0}, {-1, 0}, {2, 0}, {5, 0}};
static const float cross_places[][2] = {{0, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}, {0, 3}};
static const float ring_places[][2] = {{0, 1}, {0.8f, 0.7f}, {1, 0}, {0.5f, -2}, {-1, -0.2f}};
static const float front_places[][2] = {{-1, 0}, {0, 1}, {1, 0.1f}};
static const float pair_places[][2] = {{1, 0}, {0, 1}};

#define TREE(places_, dimensions_)                                                                 \
    {                                                                                              \
        .dimensions = (dimensions_), .count = sizeof(places_) / sizeof *(places_),                 \
        .places = (places_),                                                                       \
    }

static const trp_blendtree line = TREE(line_places, 1);
static const trp_blendtree planes[] = {
    TREE(cross_places, 2),
    TREE(ring_places, 2),
    TREE(front_places, 2),
    TREE(pair_places, 2),
};

enum { PLANE_COUNT = sizeof planes / sizeof *planes };

static void weigh(const trp_blendtree *tree, double x, double y, float *weights)
{
    memset(weights, 0xFF, MAX_COUNT * sizeof *weights);
    assert_int_equal(trp_blendtree_weights(tree, (float)x, (float)y, weights), TRP_OK);
    double sum = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        assert_true(weights[i] >= 0 && weights[i] <= 1);
        sum += weights[i];
    }
    assert_true(fabs(sum - (tree->count > 0)) < 1e-6);
    for (uint32_t i = tree->count; i < MAX_COUNT; i++) {
        assert_true(isnan(weights[i])); // untouched
    }
}

/// Asserts that one place has it all.
static void assert_only(const trp_blendtree *tree, double x, double y, uint32_t only)
{
    float weights[MAX_COUNT];
    weigh(tree, x, y, weights);
    for (uint32_t i = 0; i < tree->count; i++) {
        assert_true(weights[i] == (i == only ? 1.0f : 0.0f));
    }
}

// -- On a line -----------------------------------------------------------------------------------

static void test_blendtree_line_shares_between_the_nearest_places(void **state)
{
    (void)state;
    float weights[MAX_COUNT];
    weigh(&line, 0.5, 99, weights);
    assert_true(weights[0] == 0.25f && weights[1] == 0.75f && weights[2] == 0 && weights[3] == 0);
    weigh(&line, -0.75, 0, weights);
    assert_true(weights[1] == 0.25f && weights[2] == 0.75f);
    weigh(&line, 4.25, 0, weights);
    assert_true(weights[4] == 0.75f && weights[0] == 0.25f && weights[3] == 0);
}

static void test_blendtree_line_gives_places_and_ends_one_clip(void **state)
{
    (void)state;
    assert_only(&line, 2, 0, 0); // the first of two
    assert_only(&line, 0, 0, 1);
    assert_only(&line, NAN, NAN, 1);
    assert_only(&line, -1, 0, 2);
    assert_only(&line, -7, 0, 2);
    assert_only(&line, -INFINITY, 0, 2);
    assert_only(&line, 5, 0, 4);
    assert_only(&line, FLT_MAX, 0, 4);
    assert_only(&line, INFINITY, 0, 4);
    static const float far_apart[][2] = {{-FLT_MAX, 0}, {FLT_MAX, 0}};
    const trp_blendtree wide = TREE(far_apart, 1);
    float weights[MAX_COUNT];
    weigh(&wide, 0, 0, weights);
    assert_true(weights[0] == 0.5f && weights[1] == 0.5f);
}

// -- In a plane ----------------------------------------------------------------------------------

static double wrapped(double angle)
{
    return atan2(sin(angle), cos(angle));
}

/// How much the place with polar coordinates `i` keeps beside `j`, by the text: with angles taken
/// from headings instead of products.
static double kept(double ri, double ai, double rj, double aj, double r, double a)
{
    const double unit = (ri + rj) / 2;
    double band = fabs(wrapped(aj - ai));
    double along = wrapped(a - ai) * (wrapped(aj - ai) < 0 ? -1 : 1);
    double factor = 2;
    if (ri == 0 || rj == 0) {
        band = r == 0 ? 0 : fabs(wrapped(a - (ri == 0 ? aj : ai)));
        along = ri == 0 ? 0 : band;
        factor = 1;
    } else if (r == 0) {
        along = 0;
    } else if (band > 0.99 * acos(-1)) {
        along = fabs(along);
    }
    const double x = band * factor;
    const double y = (rj - ri) / unit;
    const double way = (r - ri) / unit;
    const double here = 1 - (x * along * factor + y * way) / (x * x + y * y);
    const double value = fmin(1, fmax(0, here));
    const double half_turn = acos(-1);
    if (ri == 0 || rj == 0 || along >= band - half_turn) {
        return value;
    }
    const double there = 1 - (x * half_turn * factor + y * way) / (x * x + y * y);
    return fmin(value, fmax((half_turn + along) / band, fmin(1, fmax(0, there))));
}

static void expected_weights(const trp_blendtree *tree, double x, double y, double *weights)
{
    double sum = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const float *const at = tree->places[i];
        weights[i] = 1;
        for (uint32_t j = 0; j < tree->count; j++) {
            const float *const other = tree->places[j];
            if (j != i) {
                weights[i] =
                    fmin(weights[i],
                         kept(hypot(at[0], at[1]), atan2(at[1], at[0]), hypot(other[0], other[1]),
                              atan2(other[1], other[0]), hypot(x, y), atan2(y, x)));
            }
        }
        sum += weights[i];
    }
    assert_true(sum > 0.05);
    for (uint32_t i = 0; i < tree->count; i++) {
        weights[i] /= sum;
    }
}

static void test_blendtree_plane_agrees_with_polar_coordinates(void **state)
{
    (void)state;
    uint64_t chance = 1;
    double worst = 0;
    for (int i = 0; i < 40000; i++) {
        const trp_blendtree *const tree = &planes[i % PLANE_COUNT];
        const double size = i % 3 == 0 ? 10 : 1.5;
        const float x = (float)synthetic_chance_between(&chance, -size, size);
        const float y = (float)synthetic_chance_between(&chance, -size, size);
        float weights[MAX_COUNT];
        double expected[MAX_COUNT];
        weigh(tree, x, y, weights);
        expected_weights(tree, x, y, expected);
        for (uint32_t k = 0; k < tree->count; k++) {
            worst = fmax(worst, fabs(weights[k] - expected[k]));
        }
    }
    assert_true(worst < 2e-6);
}

static void test_blendtree_plane_known_weights(void **state)
{
    (void)state;
    float weights[MAX_COUNT];
    weigh(&planes[0], 0, 2, weights); // between the places (0, 1) and (0, 3)
    assert_true(fabs(weights[1] - 0.5) < 1e-6 && fabs(weights[5] - 0.5) < 1e-6);
    const double eighth = sqrt(0.5);
    weigh(&planes[3], eighth, eighth, weights);
    assert_true(fabs(weights[0] - 0.5) < 1e-6 && fabs(weights[1] - 0.5) < 1e-6);
    const double third = acos(-1) / 6; // a third of the way from the first to the second
    weigh(&planes[3], cos(third), sin(third), weights);
    assert_true(fabs(weights[0] - 2.0 / 3) < 1e-6);
    weigh(&planes[0], eighth, eighth, weights); // the origin keeps the share that the header says
    assert_true(fabs(weights[0] - 0.118) < 5e-4 && fabs(weights[1] - 0.441) < 5e-4 &&
                fabs(weights[2] - 0.441) < 5e-4);
    weigh(&planes[3], -eighth, -eighth, weights); // opposite to the middle
    assert_true(fabs(weights[0] - 0.5) < 1e-6);
}

static void test_blendtree_plane_gives_places_one_clip(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PLANE_COUNT; i++) {
        for (uint32_t k = 0; k < planes[i].count; k++) {
            assert_only(&planes[i], planes[i].places[k][0], planes[i].places[k][1], k);
        }
    }
    assert_only(&planes[0], NAN, 1, 1);
    assert_only(&planes[0], NAN, NAN, 0);
    assert_only(&planes[0], -0.0, -0.0, 0);
}

static void test_blendtree_plane_equal_places_count_once(void **state)
{
    (void)state;
    static const float places[][2] = {{1, 0}, {0, 0}, {1, 0}, {0, 0}, {-0.0f, -0.0f}};
    const trp_blendtree tree = TREE(places, 2);
    float weights[MAX_COUNT];
    weigh(&tree, 0.5, 0, weights);
    assert_true(fabs(weights[0] - 0.5) < 1e-6 && fabs(weights[1] - 0.5) < 1e-6);
    assert_true(weights[2] == 0 && weights[3] == 0 && weights[4] == 0);
    static const float same[][2] = {{3, 4}, {3, 4}, {3, 4}};
    const trp_blendtree all_same = TREE(same, 2);
    assert_only(&all_same, 3, 4, 0);
    assert_only(&all_same, -9, 1, 0);
    const trp_blendtree alone = {.dimensions = 2, .count = 1, .places = same};
    assert_only(&alone, 0, 0, 0);
}

/// Walks a way in small steps and asserts that no weight jumps.
static void assert_smooth(const trp_blendtree *tree, bool is_ring, double size)
{
    enum { STEPS = 20000 };
    float last[MAX_COUNT] = {0};
    for (int i = 0; i <= STEPS; i++) {
        const double u = (double)i / STEPS;
        const double turn = u * 2 * acos(-1) + 0.3;
        const double x = is_ring ? size * cos(turn) : size * (2 * u - 1);
        const double y = is_ring ? size * sin(turn) : size * 0.37 * (2 * u - 1);
        float weights[MAX_COUNT];
        weigh(tree, x, y, weights);
        for (uint32_t k = 0; k < tree->count && i > 0; k++) {
            assert_true(fabs(weights[k] - last[k]) < 0.005);
        }
        memcpy(last, weights, sizeof last);
    }
}

static void test_blendtree_plane_weights_do_not_jump(void **state)
{
    (void)state;
    static const double sizes[4] = {0.3, 1, 1.7, 6};
    for (uint32_t i = 0; i < PLANE_COUNT; i++) {
        for (int k = 0; k < 4; k++) {
            assert_smooth(&planes[i], true, sizes[k]);
        }
    }
    assert_smooth(&planes[0], false, 2); // through the origin, where there is a place
}

static void test_blendtree_plane_extremes_are_weights(void **state)
{
    (void)state;
    static const float extremes[] = {
        0,     -0.0f,    1,       -1,       FLT_MIN,   1e-45f, -1e-45f,
        1e30f, -FLT_MAX, FLT_MAX, INFINITY, -INFINITY, NAN,
    };
    enum { COUNT = sizeof extremes / sizeof *extremes };
    uint64_t chance = 3;
    for (int round = 0; round < 3000; round++) {
        float places[8][2];
        for (int i = 0; i < 16; i++) {
            places[i / 2][i % 2] = extremes[synthetic_chance(&chance) % (COUNT - 3)];
        }
        const trp_blendtree tree = {.dimensions = 2, .count = 8, .places = (const void *)places};
        for (int i = 0; i < 20; i++) {
            float weights[MAX_COUNT];
            weigh(&tree, extremes[synthetic_chance(&chance) % COUNT],
                  extremes[synthetic_chance(&chance) % COUNT], weights);
        }
        for (int i = 0; i < 8; i++) {
            float weights[MAX_COUNT];
            weigh(&tree, places[i][0], places[i][1], weights);
            uint32_t first = 0;
            while (places[first][0] != places[i][0] || places[first][1] != places[i][1]) {
                first++;
            }
            assert_true(weights[first] == 1);
        }
    }
}

// -- Packs ---------------------------------------------------------------------------------------

static void test_blendtree_view_says_what_the_pack_was_made_of(void **state)
{
    (void)state;
    struct pack_content *const content = pack_content_random(
        &(struct pack_recipe){.seed = 5, .clip_count = 3, .blendtree_count = 3});
    size_t size_bytes = 0;
    uint8_t *const bytes = pack_write(content, &size_bytes);
    trp_pack pack;
    trp_blendtree tree;
    memset(&tree, 0x55, sizeof tree);
    const trp_blendtree untouched = tree;
    assert_int_equal(trp_pack_open(bytes, size_bytes, &pack, NULL), TRP_OK);
    assert_int_equal(pack.blendtree_count, 3);
    assert_int_equal(trp_pack_blendtree(&pack, 3, &tree), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_blendtree(&pack, TRP_NONE, &tree), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_blendtree(NULL, 0, &tree), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_pack_blendtree(&pack, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_memory_equal(&tree, &untouched, sizeof tree);
    for (uint32_t i = 0; i < 3; i++) {
        const struct pack_blendtree *const made = &content->blendtrees[i];
        assert_int_equal(trp_pack_blendtree(&pack, i, &tree), TRP_OK);
        assert_string_equal(tree.name, made->name);
        assert_string_equal(tree.id, made->id);
        assert_int_equal(tree.name_hash, trp_name_hash(made->name));
        assert_int_equal(tree.index, i);
        assert_int_equal(tree.dimensions, made->dimensions);
        assert_int_equal(tree.count, made->count);
        assert_memory_equal(tree.places, made->places, made->count * sizeof(float[2]));
        assert_memory_equal(tree.clips, made->clips, made->count * sizeof(uint32_t));
        assert_int_equal(trp_pack_find_blendtree(&pack, tree.name_hash), i);
    }
    assert_int_equal(trp_pack_find_blendtree(&pack, trp_name_hash("no tree")), TRP_NONE);
    assert_int_equal(trp_pack_find_blendtree(NULL, 0), TRP_NONE);
    free(bytes);
    pack_content_free(content);
}

static void test_blendtree_bad_arguments_leave_weights(void **state)
{
    (void)state;
    float weights[MAX_COUNT] = {7, 7, 7, 7, 7, 7};
    trp_blendtree tree = line;
    assert_int_equal(trp_blendtree_weights(NULL, 0, 0, weights), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_blendtree_weights(&tree, 0, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_blendtree_weights(&tree, 0, 0, (float *)((char *)weights + 1)),
                     TRP_ERROR_ARGUMENT);
    tree.dimensions = 3;
    assert_int_equal(trp_blendtree_weights(&tree, 0, 0, weights), TRP_ERROR_ARGUMENT);
    tree.dimensions = 0;
    assert_int_equal(trp_blendtree_weights(&tree, 0, 0, weights), TRP_ERROR_ARGUMENT);
    assert_true(weights[0] == 7);
    const trp_blendtree empty = {.dimensions = 2};
    assert_int_equal(trp_blendtree_weights(&empty, 0, 0, NULL), TRP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blendtree_line_shares_between_the_nearest_places),
        cmocka_unit_test(test_blendtree_line_gives_places_and_ends_one_clip),
        cmocka_unit_test(test_blendtree_plane_agrees_with_polar_coordinates),
        cmocka_unit_test(test_blendtree_plane_known_weights),
        cmocka_unit_test(test_blendtree_plane_gives_places_one_clip),
        cmocka_unit_test(test_blendtree_plane_equal_places_count_once),
        cmocka_unit_test(test_blendtree_plane_weights_do_not_jump),
        cmocka_unit_test(test_blendtree_plane_extremes_are_weights),
        cmocka_unit_test(test_blendtree_view_says_what_the_pack_was_made_of),
        cmocka_unit_test(test_blendtree_bad_arguments_leave_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
