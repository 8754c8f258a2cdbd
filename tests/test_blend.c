// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blending: against formulas in double precision, what must not depend on order, signs or scale of
// weights, cases that other runtimes got wrong (b<number>), and every instruction set against the
// reference, bit for bit.
#define _DEFAULT_SOURCE // for rig.h

#include "isa.h"
#include "rig.h"

#include <float.h>

static trp_pose_block *random_pose(const struct rig *rig, uint64_t *random)
{
    trp_pose_block *pose = pose_new(rig->skeleton.block_count);
    rig_fill_pose(rig, random, pose);
    return pose;
}

static trp_pose_block *identity_pose(uint32_t block_count)
{
    trp_pose_block *pose = pose_new(block_count);
    assert_int_equal(trp_pose_identity(pose, block_count), TRP_OK);
    return pose;
}

/// Blends one pose through the public call.
static void blend(const struct rig *rig, const trp_blend_layer *layers, uint32_t layer_count,
                  trp_pose_block *pose)
{
    const trp_blend_job job = {.layers = layers, .layer_count = layer_count, .pose = pose};
    const trp_blend_args args = {.skeleton = &rig->skeleton, .jobs = &job, .job_count = 1};
    assert_int_equal(trp_blend(&args, NULL), TRP_OK);
}

static void set_rotation(trp_pose_block *pose, uint32_t lane, const float rotation[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        pose[lane / 16].rotation[i][lane % 16] = rotation[i];
    }
}

static void get_rotation(const trp_pose_block *pose, uint32_t lane, float rotation[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        rotation[i] = pose[lane / 16].rotation[i][lane % 16];
    }
}

/// Returns the angle between two rotations, whatever their signs.
static double angle_between(const float a[4], const float b[4])
{
    double minus = 0;
    double plus = 0;
    for (int i = 0; i < 4; i++) {
        minus += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        plus += ((double)a[i] + b[i]) * ((double)a[i] + b[i]);
    }
    return 4 * asin(sqrt(minus < plus ? minus : plus) / 2);
}

static double norm(const float q[4])
{
    return sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] +
                (double)q[3] * q[3]);
}

static void axis_angle(int axis, double angle, float rotation[4])
{
    rotation[0] = 0;
    rotation[1] = 0;
    rotation[2] = 0;
    rotation[axis] = (float)sin(angle / 2);
    rotation[3] = (float)cos(angle / 2);
}

static const double pi = 3.14159265358979323846;

// -- Every instruction set -----------------------------------------------------------------------

#define MAX_LAYERS 5

/// A blend of chance: layers, weights, masks and modes, some of them as bad as they come.
struct chance_blend {
    trp_blend_layer layers[MAX_LAYERS];
    uint32_t layer_count;
};

static float chance_weight(uint64_t *random)
{
    static const float special[] = {0,        NAN,    -1,           1,       1,
                                    INFINITY, 1e-38f, FLT_TRUE_MIN, FLT_MAX, -INFINITY};
    return chance(random) % 4 == 0 ? special[chance(random) % 10] : chance_between(random, 0, 2);
}

static struct chance_blend chance_blend_new(const struct rig *rig, uint32_t layer_count,
                                            uint64_t *random)
{
    struct chance_blend blend = {.layer_count = layer_count};
    const bool is_plain = chance(random) % 4 == 0; // no masks, nothing additive
    for (uint32_t i = 0; i < layer_count; i++) {
        trp_pose_block *pose = random_pose(rig, random);
        float *values = (float *)pose;
        for (uint32_t k = 0; k < 8; k++) { // zero rotations, scales of 0 that divide
            values[chance(random) % (160 * rig->skeleton.block_count)] = 0;
        }
        blend.layers[i] = (trp_blend_layer){
            .pose = pose,
            .weight = chance_weight(random),
            .mode = is_plain || chance(random) % 2 ? TRP_BLEND_AVERAGE : 1 + chance(random) % 2,
        };
        if (!is_plain && chance(random) % 2) {
            float *mask = memory_before_fault(sizeof(float) * rig->skeleton.lane_count);
            for (uint32_t lane = 0; lane < rig->skeleton.lane_count; lane++) {
                mask[lane] = chance_weight(random);
            }
            blend.layers[i].mask = mask;
        }
    }
    return blend;
}

static void test_blend_every_isa_gives_the_bits_of_the_reference(void **state)
{
    (void)state;
    static const uint32_t joint_counts[] = {1, 15, 16, 17, 64, 100};
    const struct trp__kernels *reference = trp__kernels_of(TRP_ISA_REFERENCE);
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        uint64_t random = 77;
        for (uint32_t round = 0; round < 300; round++) {
            const struct rig *rig = rig_new(joint_counts[round % 6], round % 6 > 2 ? 3 : 0, round);
            const uint32_t blocks = rig->skeleton.block_count;
            const struct chance_blend b = chance_blend_new(rig, round % (MAX_LAYERS + 1), &random);
            trp_pose_block *expected = pose_new(blocks);
            trp_pose_block *got = pose_new(blocks);
            reference->blend(b.layers, b.layer_count, rig->rest, blocks, expected);
            kernels->blend(b.layers, b.layer_count, rig->rest, blocks, got);
            assert_true(trp_pose_is_finite(expected, blocks));
            assert_memory_equal(got, expected, trp_pose_bytes(blocks));

            if (b.layer_count > 0) { // in place
                trp_pose_block *own = (trp_pose_block *)b.layers[round % b.layer_count].pose;
                kernels->blend(b.layers, b.layer_count, rig->rest, blocks, own);
                assert_memory_equal(own, expected, trp_pose_bytes(blocks));
            }
            memory_release(0);
        }
    }
}

// -- Averages ------------------------------------------------------------------------------------

static void test_blend_no_layers_or_no_weight_gives_the_rest_bit_for_bit(void **state)
{
    (void)state;
    uint64_t random = 5;
    const struct rig *rig = rig_new(33, 2, 1);
    const size_t bytes = trp_pose_bytes(rig->skeleton.block_count);
    float *no_lanes = memory_before_fault(sizeof(float) * rig->skeleton.lane_count);
    for (uint32_t lane = 0; lane < rig->skeleton.lane_count; lane++) {
        no_lanes[lane] = lane % 3 == 0 ? 0 : lane % 3 == 1 ? -1 : NAN;
    }
    const trp_pose_block *pose = random_pose(rig, &random);
    const trp_blend_layer without_weight[] = {
        {.pose = pose, .weight = 0},
        {.pose = pose, .weight = NAN},
        {.pose = pose, .weight = -1},
        {.pose = pose, .weight = -1, .mode = TRP_BLEND_ADD},
        {.pose = pose, .weight = 1, .mask = no_lanes},
    };
    FOR_EACH_ISA(isa)
    {
        for (uint32_t count = 0; count <= 5; count++) {
            trp_pose_block *out = pose_new(rig->skeleton.block_count);
            blend(rig, without_weight, count, out);
            assert_memory_equal(out, rig->rest, bytes);
        }
    }
}

static void test_blend_one_layer_is_itself_whatever_its_weight(void **state)
{
    (void)state;
    uint64_t random = 6;
    static const float weights[] = {1, 0.3f, 1e-38f, FLT_TRUE_MIN, 7, FLT_MAX, INFINITY};
    const struct rig *rig = rig_new(40, 0, 2);
    const trp_pose_block *pose = random_pose(rig, &random);
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        const trp_blend_layer layer = {.pose = pose, .weight = weights[i]};
        trp_pose_block *out = pose_new(rig->skeleton.block_count);
        blend(rig, &layer, 1, out);
        for (uint32_t block = 0; block < rig->skeleton.block_count; block++) {
            assert_memory_equal(out[block].translation, pose[block].translation,
                                sizeof out[block].translation);
            assert_memory_equal(out[block].scale, pose[block].scale, sizeof out[block].scale);
        }
        for (uint32_t lane = 0; lane < rig->skeleton.lane_count; lane++) {
            float got[4];
            float rest[4];
            float given[4];
            get_rotation(out, lane, got);
            get_rotation(rig->rest, lane, rest);
            get_rotation(pose, lane, given);
            assert_true(angle_between(got, given) < 1e-6);
            assert_true(fabs(norm(got) - 1) < 1e-6);
            assert_true(got[0] * rest[0] + got[1] * rest[1] + got[2] * rest[2] + got[3] * rest[3] >=
                        0);
        }
    }
}

static void test_blend_average_is_the_normalised_weighted_sum(void **state)
{
    (void)state;
    uint64_t random = 8;
    const struct rig *rig = rig_new(64, 0, 3);
    for (uint32_t round = 0; round < 50; round++) {
        trp_blend_layer layers[MAX_LAYERS];
        const uint32_t layer_count = 1 + round % MAX_LAYERS;
        for (uint32_t i = 0; i < layer_count; i++) {
            float *mask = memory_before_fault(sizeof(float) * 64);
            for (uint32_t lane = 0; lane < 64; lane++) {
                mask[lane] = chance_between(&random, 0, 1);
            }
            layers[i] = (trp_blend_layer){
                .pose = random_pose(rig, &random),
                .mask = round % 2 ? mask : NULL,
                .weight = chance_between(&random, 0.1f, 2),
            };
        }
        trp_pose_block *out = pose_new(rig->skeleton.block_count);
        blend(rig, layers, layer_count, out);

        for (uint32_t lane = 0; lane < 64; lane++) {
            double weights[MAX_LAYERS];
            double sum = 0;
            uint32_t heaviest = 0;
            for (uint32_t i = 0; i < layer_count; i++) {
                weights[i] = layers[i].weight * (layers[i].mask ? layers[i].mask[lane] : 1.0);
                heaviest = weights[i] > weights[heaviest] ? i : heaviest;
                sum += weights[i];
            }
            double rotation[4] = {0};
            float reference[4];
            get_rotation(layers[heaviest].pose, lane, reference);
            for (uint32_t i = 0; i < layer_count; i++) {
                float q[4];
                double dot = 0;
                get_rotation(layers[i].pose, lane, q);
                for (int k = 0; k < 4; k++) {
                    dot += (double)q[k] * reference[k];
                }
                for (int k = 0; k < 4; k++) {
                    rotation[k] += (dot < 0 ? -1 : 1) * weights[i] * q[k];
                }
            }
            float expected[4];
            const double length = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                                       rotation[2] * rotation[2] + rotation[3] * rotation[3]);
            for (int k = 0; k < 4; k++) {
                expected[k] = (float)(rotation[k] / length);
            }
            float got[4];
            get_rotation(out, lane, got);
            assert_true(angle_between(got, expected) < 2e-6);
            assert_true(fabs(norm(got) - 1) < 1e-6);
            for (int k = 0; k < 3; k++) {
                double translation = 0;
                double scale = 0;
                for (uint32_t i = 0; i < layer_count; i++) {
                    const trp_pose_block *block = &layers[i].pose[lane / 16];
                    translation += weights[i] / sum * block->translation[k][lane % 16];
                    scale += weights[i] / sum * block->scale[k][lane % 16];
                }
                assert_true(fabs(out[lane / 16].translation[k][lane % 16] - translation) < 1e-6);
                assert_true(fabs(out[lane / 16].scale[k][lane % 16] - scale) < 1e-6);
            }
        }
    }
}

static void test_blend_mask_of_ones_is_no_mask(void **state)
{
    (void)state;
    uint64_t random = 9;
    const struct rig *rig = rig_new(48, 0, 4);
    float ones[48];
    for (int i = 0; i < 48; i++) {
        ones[i] = 1;
    }
    for (uint32_t count = 1; count <= MAX_LAYERS; count++) {
        trp_blend_layer layers[MAX_LAYERS];
        for (uint32_t i = 0; i < count; i++) {
            layers[i] = (trp_blend_layer){
                .pose = random_pose(rig, &random),
                .weight = chance_between(&random, 0.1f, 2),
            };
        }
        trp_pose_block *without = pose_new(3);
        trp_pose_block *with = pose_new(3);
        blend(rig, layers, count, without);
        layers[count / 2].mask = ones;
        blend(rig, layers, count, with);
        assert_memory_equal(with, without, trp_pose_bytes(3));
    }
}

/// Puts a rotation within a quarter turn of another into `near`.
static void chance_rotation_near(uint64_t *random, const float rotation[4], float near[4])
{
    do {
        chance_rotation(random, near);
    } while (angle_between(rotation, near) > pi / 2);
}

static void test_blend_order_of_averaged_layers_matters_by_1e6th_at_most(void **state)
{
    (void)state;
    uint64_t random = 10;
    const struct rig *rig = rig_new(64, 0, 5);
    for (uint32_t round = 0; round < 60; round++) {
        trp_blend_layer layers[MAX_LAYERS];
        trp_blend_layer other[MAX_LAYERS];
        const uint32_t count = 2 + round % (MAX_LAYERS - 1);
        trp_pose_block *heaviest = random_pose(rig, &random);
        for (uint32_t i = 0; i < count; i++) {
            trp_pose_block *pose = i ? random_pose(rig, &random) : heaviest;
            for (uint32_t lane = 0; i && lane < 64; lane++) {
                float q[4];
                float near[4];
                get_rotation(heaviest, lane, q);
                chance_rotation_near(&random, q, near);
                set_rotation(pose, lane, near);
            }
            const float weight = i ? chance_between(&random, 0, 0.9f) : 1;
            layers[i] = (trp_blend_layer){.pose = pose, .weight = weight};
        }
        for (uint32_t i = 0; i < count; i++) {
            other[i] = layers[(i + 1 + round) % count];
        }
        trp_pose_block *one = pose_new(rig->skeleton.block_count);
        trp_pose_block *two = pose_new(rig->skeleton.block_count);
        blend(rig, layers, count, one);
        blend(rig, other, count, two);
        for (uint32_t i = 0; i < 160 * rig->skeleton.block_count; i++) {
            assert_true(fabsf(((float *)one)[i] - ((float *)two)[i]) <= 1e-6f * 1.25f);
        }
    }
}

static void test_b68_blend_two_halves_may_swap(void **state)
{
    (void)state;
    uint64_t random = 11;
    const struct rig *rig = rig_new(64, 0, 6);
    trp_blend_layer layers[2] = {
        {.pose = random_pose(rig, &random), .weight = 0.5f},
        {.pose = random_pose(rig, &random), .weight = 0.5f},
    };
    trp_pose_block *one = pose_new(4);
    trp_pose_block *two = pose_new(4);
    blend(rig, layers, 2, one);
    const trp_blend_layer first = layers[0];
    layers[0] = layers[1];
    layers[1] = first;
    blend(rig, layers, 2, two);
    for (uint32_t i = 0; i < 160 * 4; i++) {
        assert_true(fabsf(((float *)one)[i] - ((float *)two)[i]) <= 1e-6f);
    }
}

static void test_blend_signs_of_rotations_do_not_matter(void **state)
{
    (void)state;
    uint64_t random = 12;
    const struct rig *rig = rig_new(16, 0, 7);
    trp_pose_block *a = random_pose(rig, &random);
    trp_pose_block *b = random_pose(rig, &random);
    trp_pose_block *c = random_pose(rig, &random);
    const trp_blend_layer layers[] = {
        {.pose = a, .weight = 0.2f},
        {.pose = b, .weight = 0.5f},
        {.pose = c, .weight = 0.3f, .mode = TRP_BLEND_ADD},
    };
    trp_pose_block *expected = pose_new(1);
    blend(rig, layers, 3, expected);
    for (uint32_t flips = 1; flips < 8; flips++) {
        trp_pose_block *poses[] = {a, b, c};
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t k = 0; (flips >> i & 1) && k < 64; k++) {
                poses[i]->rotation[k / 16][k % 16] = -poses[i]->rotation[k / 16][k % 16];
            }
        }
        trp_pose_block *got = pose_new(1);
        blend(rig, layers, 3, got);
        for (uint32_t k = 0; k < 160; k++) { // -0 and 0 are alike
            assert_true(((float *)got)[k] == ((float *)expected)[k]);
        }
    }
}

static void test_blend_neighbours_359_degrees_apart_take_the_short_way(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(1, 0, 8);
    trp_pose_block *a = identity_pose(1);
    trp_pose_block *b = identity_pose(1);
    float q[4];
    axis_angle(1, 359 * pi / 180, q); // one degree back, in the other hemisphere
    set_rotation(b, 0, q);
    const trp_blend_layer layers[] = {
        {.pose = a, .weight = 0.5f},
        {.pose = b, .weight = 0.5f},
    };
    trp_pose_block *out = pose_new(1);
    blend(rig, layers, 2, out);
    float expected[4];
    float got[4];
    axis_angle(1, -0.5 * pi / 180, expected);
    get_rotation(out, 0, got);
    assert_true(angle_between(got, expected) < 1e-6);
}

static void test_blend_first_of_equals_sets_the_hemisphere(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(1, 0, 25);
    trp_pose_block *poses[3];
    static const double degrees[3] = {0, 170, -170}; // the last two are 20 degrees apart
    for (int i = 0; i < 3; i++) {
        float q[4];
        poses[i] = identity_pose(1);
        axis_angle(2, degrees[i] * pi / 180, q);
        set_rotation(poses[i], 0, q);
    }
    const trp_blend_layer layers[] = {
        {.pose = poses[0], .weight = 1},
        {.pose = poses[1], .weight = 1},
        {.pose = poses[2], .weight = 1},
    };
    static const float expected[4] = {0, 0, 0, 1}; // seen from the second they would be 20 apart
    float got[4];
    FOR_EACH_ISA(isa)
    {
        trp_pose_block *out = pose_new(1);
        blend(rig, layers, 3, out);
        get_rotation(out, 0, got);
        assert_true(angle_between(got, expected) < 1e-6);
    }
}

static void test_blend_rotations_without_length_give_the_rest(void **state)
{
    (void)state;
    uint64_t random = 13;
    const struct rig *rig = rig_new(16, 0, 9);
    trp_pose_block *pose = random_pose(rig, &random);
    memset(pose->rotation, 0, sizeof pose->rotation);
    pose->rotation[2][3] = 1e-20f;
    pose->rotation[1][4] = NAN;
    const trp_blend_layer layers[] = {
        {.pose = pose, .weight = 1},
        {.pose = pose, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    FOR_EACH_ISA(isa)
    {
        trp_pose_block *out = pose_new(1);
        blend(rig, layers, 2, out);
        assert_memory_equal(out->rotation, rig->rest->rotation, sizeof out->rotation);
    }
}

static void test_b72_blend_small_weights_do_not_dip_towards_rest(void **state)
{
    (void)state;
    uint64_t random = 14;
    const struct rig *rig = rig_new(16, 0, 10);
    const trp_pose_block *a = random_pose(rig, &random);
    const trp_pose_block *b = random_pose(rig, &random);
    // An interrupted mix: weights fade out together; only their ratio counts.
    trp_pose_block *full = pose_new(1);
    const trp_blend_layer full_layers[] = {{.pose = a, .weight = 0.75f},
                                           {.pose = b, .weight = 0.25f}};
    blend(rig, full_layers, 2, full);
    for (float fade = 0.5f; fade > 0x1p-120f; fade *= 0.5f) {
        const trp_blend_layer layers[] = {{.pose = a, .weight = 0.75f * fade},
                                          {.pose = b, .weight = 0.25f * fade}};
        trp_pose_block *out = pose_new(1);
        blend(rig, layers, 2, out);
        assert_memory_equal(out, full, sizeof *out);
    }
}

// -- Masks ---------------------------------------------------------------------------------------

static void test_blend_masks_choose_the_layer_of_each_lane(void **state)
{
    (void)state;
    uint64_t random = 15;
    const struct rig *rig = rig_new(64, 0, 11);
    float upper[64];
    float lower[64];
    for (uint32_t lane = 0; lane < 64; lane++) {
        upper[lane] = lane % 3 == 0;
        lower[lane] = lane % 3 == 1; // a third of the lanes belongs to nobody
    }
    const trp_blend_layer layers[] = {
        {.pose = random_pose(rig, &random), .weight = 0.7f, .mask = upper},
        {.pose = random_pose(rig, &random), .weight = 0.2f, .mask = lower},
    };
    trp_pose_block *out = pose_new(4);
    blend(rig, layers, 2, out);
    for (uint32_t lane = 0; lane < 64; lane++) {
        const trp_pose_block *from = lane % 3 == 2 ? rig->rest : layers[lane % 3].pose;
        float got[4];
        float expected[4];
        get_rotation(out, lane, got);
        get_rotation(from, lane, expected);
        assert_true(angle_between(got, expected) < 1e-6);
        for (uint32_t k = 0; k < 3; k++) {
            assert_true(out[lane / 16].translation[k][lane % 16] ==
                        from[lane / 16].translation[k][lane % 16]);
            assert_true(out[lane / 16].scale[k][lane % 16] == from[lane / 16].scale[k][lane % 16]);
        }
        if (lane % 3 == 2) {
            assert_memory_equal(got, expected, sizeof got);
        }
    }
}

static void test_b66_blend_masked_out_layer_leaves_the_next_its_own_weight(void **state)
{
    (void)state;
    uint64_t random = 16;
    const struct rig *rig = rig_new(16, 0, 12);
    const trp_pose_block *base = random_pose(rig, &random);
    const trp_pose_block *masked = random_pose(rig, &random);
    trp_pose_block *delta = identity_pose(1);
    float none[16] = {0};
    for (uint32_t lane = 0; lane < 16; lane++) {
        delta->translation[0][lane] = 8;
    }
    const trp_blend_layer layers[] = {
        {.pose = base, .weight = 1},
        {.pose = masked, .weight = 1, .mask = none, .mode = TRP_BLEND_ADD},
        {.pose = delta, .weight = 0.25f, .mode = TRP_BLEND_ADD},
    };
    trp_pose_block *out = pose_new(1);
    blend(rig, layers, 3, out);
    for (uint32_t lane = 0; lane < 16; lane++) {
        assert_true(out->translation[0][lane] == base->translation[0][lane] + 2);
        assert_true(out->translation[1][lane] == base->translation[1][lane]);
    }
}

static void test_blend_layers_without_weight_are_not_read(void **state)
{
    (void)state;
    uint64_t random = 17;
    const struct rig *rig = rig_new(16, 0, 13);
    // The page after this memory faults; a page is aligned enough for a pose.
    const trp_pose_block *forbidden = (const trp_pose_block *)((char *)pose_new(1) + 640);
    const trp_blend_layer layers[] = {
        {.pose = forbidden, .weight = 0},
        {.pose = random_pose(rig, &random), .weight = 1},
        {.pose = forbidden, .weight = NAN},
        {.pose = forbidden, .weight = 0, .mode = TRP_BLEND_ADD},
        {.pose = forbidden, .weight = -1, .mode = TRP_BLEND_SUBTRACT},
    };
    FOR_EACH_ISA(isa)
    {
        trp_pose_block *with = pose_new(1);
        trp_pose_block *without = pose_new(1);
        blend(rig, layers, 5, with);
        blend(rig, layers + 1, 1, without);
        assert_memory_equal(with, without, sizeof *with);
    }
}

static void test_blend_nan_stays_in_its_lane(void **state)
{
    (void)state;
    uint64_t random = 18;
    const struct rig *rig = rig_new(32, 0, 14);
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        for (uint32_t lane = 0; lane < 32; lane++) {
            const size_t kept = mapping_count;
            trp_pose_block *pose = random_pose(rig, &random);
            trp_pose_block *delta = random_pose(rig, &random);
            const trp_blend_layer layers[] = {
                {.pose = random_pose(rig, &random), .weight = 0.5f},
                {.pose = pose, .weight = 0.5f},
                {.pose = delta, .weight = 0.5f, .mode = 1 + lane % 2},
            };
            trp_pose_block *clean = pose_new(2);
            trp_pose_block *got = pose_new(2);
            kernels->blend(layers, 3, rig->rest, 2, clean);
            trp_pose_block *bad = lane % 3 ? pose : delta;
            bad[lane / 16].rotation[lane % 4][lane % 16] = NAN;
            bad[lane / 16].translation[0][lane % 16] = NAN;
            bad[lane / 16].scale[0][lane % 16] = INFINITY;
            kernels->blend(layers, 3, rig->rest, 2, got);
            for (uint32_t i = 0; i < 320; i++) {
                const uint32_t lane_of_i = i / 160 * 16 + i % 16;
                if (lane_of_i != lane) {
                    assert_memory_equal((float *)got + i, (float *)clean + i, sizeof(float));
                }
            }
            assert_true(isnan(got[lane / 16].translation[0][lane % 16]));
            float rotation[4];
            get_rotation(got, lane, rotation);
            assert_true(fabs(norm(rotation) - 1) < 1e-6);
            memory_release(kept);
        }
    }
}

// -- Additive ------------------------------------------------------------------------------------

static void test_b62_blend_additive_multiplies_on_the_right(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(1, 0, 15);
    trp_pose_block *base = identity_pose(1);
    trp_pose_block *delta = identity_pose(1);
    float x90[4];
    float y90[4];
    axis_angle(0, pi / 2, x90);
    axis_angle(1, pi / 2, y90);
    set_rotation(base, 0, x90);
    set_rotation(delta, 0, y90);
    const trp_blend_layer layers[] = {
        {.pose = base, .weight = 1},
        {.pose = delta, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    trp_pose_block *out = pose_new(1);
    blend(rig, layers, 2, out);
    // 90 degrees about X, then about the joint's own Y: x90 * y90. The other order has z = -0.5.
    static const float expected[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    float got[4];
    get_rotation(out, 0, got);
    assert_true(angle_between(got, expected) < 1e-6);
}

static void test_b64_blend_additive_identity_changes_nothing(void **state)
{
    (void)state;
    uint64_t random = 19;
    const struct rig *rig = rig_new(16, 0, 16);
    const trp_blend_layer layers[] = {
        {.pose = random_pose(rig, &random), .weight = 1},
        {.pose = identity_pose(1), .weight = 0.7f, .mode = TRP_BLEND_ADD},
        {.pose = identity_pose(1), .weight = 2, .mode = TRP_BLEND_SUBTRACT},
    };
    trp_pose_block *base = pose_new(1);
    trp_pose_block *out = pose_new(1);
    blend(rig, layers, 1, base);
    blend(rig, layers, 3, out);
    for (uint32_t i = 0; i < 160; i++) {
        assert_true(((float *)out)[i] == ((float *)base)[i]);
    }
}

static void multiply(const float a[4], const float b[4], double out[4])
{
    out[0] = (double)a[3] * b[0] + (double)a[0] * b[3] + (double)a[1] * b[2] - (double)a[2] * b[1];
    out[1] = (double)a[3] * b[1] - (double)a[0] * b[2] + (double)a[1] * b[3] + (double)a[2] * b[0];
    out[2] = (double)a[3] * b[2] + (double)a[0] * b[1] - (double)a[1] * b[0] + (double)a[2] * b[3];
    out[3] = (double)a[3] * b[3] - (double)a[0] * b[0] - (double)a[1] * b[1] - (double)a[2] * b[2];
}

static void test_b67_blend_additive_weights_count(void **state)
{
    (void)state;
    uint64_t random = 20;
    const struct rig *rig = rig_new(16, 0, 17);
    static const float weights[] = {0, 0.25f, 0.5f, 1, 1.5f};
    const trp_pose_block *base = random_pose(rig, &random);
    const trp_pose_block *delta = random_pose(rig, &random);
    float mask[16];
    for (uint32_t lane = 0; lane < 16; lane++) {
        mask[lane] = lane % 2 ? 0.5f : 1;
    }
    for (uint32_t round = 0; round < 10; round++) {
        const bool is_subtracted = round >= 5;
        const trp_blend_layer layers[] = {
            {.pose = base, .weight = 1},
            {
                .pose = delta,
                .mask = mask,
                .weight = weights[round % 5],
                .mode = is_subtracted ? TRP_BLEND_SUBTRACT : TRP_BLEND_ADD,
            },
        };
        trp_pose_block *start = pose_new(1);
        trp_pose_block *out = pose_new(1);
        blend(rig, layers, 1, start);
        blend(rig, layers, 2, out);
        for (uint32_t lane = 0; lane < 16; lane++) {
            const double w = weights[round % 5] * mask[lane];
            float q[4];
            float d[4];
            float got[4];
            get_rotation(start, lane, q);
            get_rotation(delta, lane, d);
            get_rotation(out, lane, got);
            const double side = d[3] < 0 ? -w : w;
            double step[4] = {side * d[0], side * d[1], side * d[2], 1 - w + side * d[3]};
            const double length =
                sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2] + step[3] * step[3]);
            float unit[4];
            for (int k = 0; k < 4; k++) {
                unit[k] = (float)((k < 3 && is_subtracted ? -1 : 1) * step[k] / length);
            }
            double expected[4];
            multiply(q, unit, expected);
            for (int k = 0; k < 4; k++) {
                assert_true(fabs(got[k] - expected[k]) < 1e-6);
            }
            for (int k = 0; k < 3; k++) {
                const double t = start->translation[k][lane];
                const double dt = w * delta->translation[k][lane];
                const double s = start->scale[k][lane];
                const double ds = 1 + w * (delta->scale[k][lane] - 1.0);
                assert_true(fabs(out->translation[k][lane] - (is_subtracted ? t - dt : t + dt)) <
                            1e-6);
                assert_true(fabs(out->scale[k][lane] - (is_subtracted ? s / ds : s * ds)) < 1e-6);
            }
        }
    }
}

static void test_blend_subtracting_what_was_added_gives_the_base(void **state)
{
    (void)state;
    uint64_t random = 21;
    const struct rig *rig = rig_new(64, 0, 18);
    const trp_pose_block *base = random_pose(rig, &random);
    const trp_pose_block *delta = random_pose(rig, &random);
    const trp_blend_layer layers[] = {
        {.pose = base, .weight = 1},
        {.pose = delta, .weight = 0.6f, .mode = TRP_BLEND_ADD},
        {.pose = delta, .weight = 0.6f, .mode = TRP_BLEND_SUBTRACT},
    };
    trp_pose_block *start = pose_new(4);
    trp_pose_block *out = pose_new(4);
    blend(rig, layers, 1, start);
    blend(rig, layers, 3, out);
    for (uint32_t i = 0; i < 640; i++) {
        assert_true(fabsf(((float *)out)[i] - ((float *)start)[i]) < 2e-6f);
    }
}

static void test_blend_subtracting_a_zero_scale_gives_zero(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(16, 0, 19);
    trp_pose_block *delta = identity_pose(1);
    delta->scale[1][5] = 0;
    const trp_blend_layer layers[] = {
        {.pose = identity_pose(1), .weight = 1},
        {.pose = delta, .weight = 1, .mode = TRP_BLEND_SUBTRACT},
    };
    FOR_EACH_ISA(isa)
    {
        trp_pose_block *out = pose_new(1);
        blend(rig, layers, 2, out);
        for (uint32_t lane = 0; lane < 16; lane++) {
            assert_true(out->scale[1][lane] == (lane == 5 ? 0.0f : 1.0f));
        }
    }
}

static void test_blend_additive_layers_alone_go_on_top_of_the_rest(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(16, 0, 20);
    trp_pose_block *delta = identity_pose(1);
    delta->translation[2][7] = 3;
    const trp_blend_layer layer = {.pose = delta, .weight = 1, .mode = TRP_BLEND_ADD};
    trp_pose_block *out = pose_new(1);
    blend(rig, &layer, 1, out);
    for (uint32_t i = 0; i < 160; i++) {
        const float lift = i == 16 * 6 + 7 ? 3 : 0;
        assert_true(((float *)out)[i] == ((const float *)rig->rest)[i] + lift);
    }
}

static void test_blend_additive_layers_apply_in_order(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(1, 0, 21);
    trp_pose_block *x = identity_pose(1);
    trp_pose_block *y = identity_pose(1);
    float x90[4];
    float y90[4];
    axis_angle(0, pi / 2, x90);
    axis_angle(1, pi / 2, y90);
    set_rotation(x, 0, x90);
    set_rotation(y, 0, y90);
    const trp_blend_layer layers[] = {
        {.pose = x, .weight = 1, .mode = TRP_BLEND_ADD},
        {.pose = identity_pose(1), .weight = 1}, // averages come first, wherever they stand
        {.pose = y, .weight = 1, .mode = TRP_BLEND_ADD},
    };
    trp_pose_block *out = pose_new(1);
    blend(rig, layers, 3, out);
    static const float expected[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    float got[4];
    get_rotation(out, 0, got);
    assert_true(angle_between(got, expected) < 1e-6);
}

// -- Batches -------------------------------------------------------------------------------------

static void test_blend_counts_bad_weights(void **state)
{
    (void)state;
    uint64_t random = 22;
    const struct rig *rig = rig_new(16, 0, 22);
    const trp_pose_block *pose = random_pose(rig, &random);
    const trp_blend_layer layers[] = {
        {.pose = pose, .weight = NAN},
        {.pose = pose, .weight = -0.5f, .mode = TRP_BLEND_ADD},
        {.pose = pose, .weight = -INFINITY},
        {.pose = pose, .weight = -0.0f}, // zero, whatever its sign
        {.pose = pose, .weight = INFINITY},
        {.pose = pose, .weight = 0},
        {.pose = pose, .weight = 1},
    };
    trp_pose_block *out[] = {pose_new(1), pose_new(1)};
    const trp_blend_job jobs[] = {
        {.layers = layers, .layer_count = 7, .pose = out[0]},
        {.layers = layers, .layer_count = 2, .pose = out[1]},
    };
    const trp_blend_args args = {.skeleton = &rig->skeleton, .jobs = jobs, .job_count = 2};
    trp_blend_report report = {.bad_weight_count = 99};
    assert_int_equal(trp_blend(&args, &report), TRP_OK);
    assert_int_equal(report.bad_weight_count, 5);
    assert_true(trp_pose_is_finite(out[0], 1));
    assert_memory_equal(out[1], rig->rest, sizeof *out[1]);
}

static void test_blend_fewer_blocks_leave_the_others_alone(void **state)
{
    (void)state;
    uint64_t random = 23;
    const struct rig *rig = rig_new(64, 0, 23);
    trp_pose_block *one_block = pose_new(1); // reading a second block would fault
    memcpy(one_block, random_pose(rig, &random), sizeof *one_block);
    float *mask = memory_before_fault(16 * sizeof(float));
    for (uint32_t lane = 0; lane < 16; lane++) {
        mask[lane] = 0.5f;
    }
    const trp_blend_layer layers[] = {
        {.pose = one_block, .weight = 1, .mask = mask},
        {.pose = one_block, .weight = 0.5f, .mode = TRP_BLEND_ADD, .mask = mask},
    };
    trp_pose_block *short_out = pose_new(1);
    const trp_blend_job job = {.layers = layers, .layer_count = 2, .pose = short_out};
    const trp_blend_args args = {
        .skeleton = &rig->skeleton,
        .jobs = &job,
        .job_count = 1,
        .block_count = 1,
    };
    FOR_EACH_ISA(isa)
    {
        assert_int_equal(trp_blend(&args, NULL), TRP_OK);
    }
}

static void test_blend_bad_arguments_are_refused_and_write_nothing(void **state)
{
    (void)state;
    uint64_t random = 24;
    const struct rig *rig = rig_new(16, 0, 24);
    trp_pose_block *out = pose_new(2);
    memset(out, 0x44, 2 * sizeof *out);
    trp_pose_block *crooked = (trp_pose_block *)((char *)out + 32);
    const trp_blend_layer good = {.pose = random_pose(rig, &random), .weight = 1};
    trp_blend_layer layers[2] = {good, good};
    trp_blend_job jobs[2] = {
        {.layers = layers, .layer_count = 2, .pose = out},
        {.layers = layers, .layer_count = 2, .pose = out + 1},
    };
    trp_blend_args args = {.skeleton = &rig->skeleton, .jobs = jobs, .job_count = 2};
    trp_blend_report report = {.bad_weight_count = 7};

#define ASSERT_REFUSED(PLACE, BAD)                                                                 \
    do {                                                                                           \
        const __typeof__(PLACE) kept = PLACE;                                                      \
        PLACE = BAD;                                                                               \
        assert_int_equal(trp_blend(&args, &report), TRP_ERROR_ARGUMENT);                           \
        PLACE = kept;                                                                              \
    } while (0)
    ASSERT_REFUSED(args.skeleton, NULL);
    ASSERT_REFUSED(args.jobs, NULL);
    ASSERT_REFUSED(args.block_count, 2);
    ASSERT_REFUSED(args.block_count, UINT32_MAX);
    ASSERT_REFUSED(jobs[1].layers, NULL);
    ASSERT_REFUSED(jobs[1].pose, NULL);
    ASSERT_REFUSED(jobs[1].pose, crooked);
    ASSERT_REFUSED(layers[1].pose, NULL);
    ASSERT_REFUSED(layers[1].pose, crooked);
    ASSERT_REFUSED(layers[1].mode, (trp_blend_mode)3);
    ASSERT_REFUSED(layers[1].mask, (const float *)((const char *)out + 1));
    assert_int_equal(trp_blend(NULL, &report), TRP_ERROR_ARGUMENT);

    assert_int_equal(report.bad_weight_count, 7);
    for (size_t i = 0; i < 2 * sizeof *out; i++) {
        assert_int_equal(((unsigned char *)out)[i], 0x44);
    }
    args.job_count = 0;
    args.jobs = NULL;
    assert_int_equal(trp_blend(&args, &report), TRP_OK);
    assert_int_equal(report.bad_weight_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_blend_every_isa_gives_the_bits_of_the_reference),
        RIG_TEST(test_blend_no_layers_or_no_weight_gives_the_rest_bit_for_bit),
        RIG_TEST(test_blend_one_layer_is_itself_whatever_its_weight),
        RIG_TEST(test_blend_average_is_the_normalised_weighted_sum),
        RIG_TEST(test_blend_mask_of_ones_is_no_mask),
        RIG_TEST(test_blend_order_of_averaged_layers_matters_by_1e6th_at_most),
        RIG_TEST(test_b68_blend_two_halves_may_swap),
        RIG_TEST(test_blend_signs_of_rotations_do_not_matter),
        RIG_TEST(test_blend_neighbours_359_degrees_apart_take_the_short_way),
        RIG_TEST(test_blend_first_of_equals_sets_the_hemisphere),
        RIG_TEST(test_blend_rotations_without_length_give_the_rest),
        RIG_TEST(test_b72_blend_small_weights_do_not_dip_towards_rest),
        RIG_TEST(test_blend_masks_choose_the_layer_of_each_lane),
        RIG_TEST(test_b66_blend_masked_out_layer_leaves_the_next_its_own_weight),
        RIG_TEST(test_blend_layers_without_weight_are_not_read),
        RIG_TEST(test_blend_nan_stays_in_its_lane),
        RIG_TEST(test_b62_blend_additive_multiplies_on_the_right),
        RIG_TEST(test_b64_blend_additive_identity_changes_nothing),
        RIG_TEST(test_b67_blend_additive_weights_count),
        RIG_TEST(test_blend_subtracting_what_was_added_gives_the_base),
        RIG_TEST(test_blend_subtracting_a_zero_scale_gives_zero),
        RIG_TEST(test_blend_additive_layers_alone_go_on_top_of_the_rest),
        RIG_TEST(test_blend_additive_layers_apply_in_order),
        RIG_TEST(test_blend_counts_bad_weights),
        RIG_TEST(test_blend_fewer_blocks_leave_the_others_alone),
        RIG_TEST(test_blend_bad_arguments_are_refused_and_write_nothing),
    };
    return isa_report() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
