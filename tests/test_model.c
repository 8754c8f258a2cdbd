// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Model matrices, palettes and single joints: against formulas in double precision, and every
// instruction set against the reference, bit for bit, in memory that ends where it should.
#define _DEFAULT_SOURCE // for rig.h

#include "isa.h"
#include "rig.h"

#define MATRIX_BYTES (12 * sizeof(float))

static const uint32_t joint_counts[] = {1, 15, 16, 17, 64, 100};
#define JOINT_COUNTS (sizeof joint_counts / sizeof joint_counts[0])

static struct rig *rig_of(size_t which)
{
    return rig_new(joint_counts[which], joint_counts[which] > 16 ? 7 : 0, which);
}

static const trp_pose_block **poses_new(const struct rig *rig, uint32_t count, uint64_t seed)
{
    const trp_pose_block **poses = memory_before_fault(sizeof *poses * (count ? count : 1));
    uint64_t random = 2 * seed + 1;
    for (uint32_t i = 0; i < count; i++) {
        trp_pose_block *pose = pose_new(rig->skeleton.block_count);
        rig_fill_pose(rig, &random, pose);
        poses[i] = pose;
    }
    return poses;
}

static void *scratch_new(const trp_skeleton *skeleton)
{
    const size_t bytes = trp_palette_scratch_bytes(skeleton);
    assert_int_equal(bytes, trp_model_scratch_bytes(skeleton));
    assert_int_equal(bytes % 64, 0);
    void *scratch = memory_before_fault(bytes);
    memset(scratch, 0xFF, bytes); // NaN, so that reading before writing shows
    return scratch;
}

// -- Truth ---------------------------------------------------------------------------------------

/// Turns v by q as the textbook says, q v conj(q), written with cross products.
static void turn(const double q[4], const double v[3], double turned[3])
{
    const double cross[3] = {
        q[1] * v[2] - q[2] * v[1] + q[3] * v[0],
        q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
        q[0] * v[1] - q[1] * v[0] + q[3] * v[2],
    };
    turned[0] = v[0] + 2 * (q[1] * cross[2] - q[2] * cross[1]);
    turned[1] = v[1] + 2 * (q[2] * cross[0] - q[0] * cross[2]);
    turned[2] = v[2] + 2 * (q[0] * cross[1] - q[1] * cross[0]);
}

/// Takes a point from the space of a lane to model space, up through its parents.
static void point_to_model(const struct rig *rig, const trp_pose_block *pose, uint32_t lane,
                           const double point[3], double out[3])
{
    double at[3] = {point[0], point[1], point[2]};
    for (uint32_t l = lane; l != TRP_NO_LANE; l = rig->parent_of_lane[l]) {
        const trp_pose_block *block = &pose[l / 16];
        double q[4];
        double scaled[3];
        for (int i = 0; i < 4; i++) {
            q[i] = block->rotation[i][l % 16];
        }
        for (int i = 0; i < 3; i++) {
            scaled[i] = at[i] * block->scale[i][l % 16];
        }
        turn(q, scaled, at);
        for (int i = 0; i < 3; i++) {
            at[i] += block->translation[i][l % 16];
        }
    }
    for (int r = 0; r < 3; r++) {
        const float *row = rig->root_transform + 4 * r;
        out[r] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3];
    }
}

static void assert_matrix_takes(const float matrix[12], const double from[3], const double to[3])
{
    for (int r = 0; r < 3; r++) {
        const float *row = matrix + 4 * r;
        const double got = row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + row[3];
        assert_true(fabs(got - to[r]) < 2e-4 * (1 + fabs(to[r])));
    }
}

static const double probes[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void test_model_takes_points_where_the_hierarchy_does(void **state)
{
    (void)state;
    for (size_t c = 0; c < JOINT_COUNTS; c++) {
        struct rig *rig = rig_of(c);
        const trp_pose_block **poses = poses_new(rig, 3, c);
        const size_t stride = MATRIX_BYTES * rig->skeleton.lane_count;
        float *models = memory_before_fault(3 * stride);
        void *scratch = scratch_new(&rig->skeleton);
        const trp_model_args args = {
            .skeleton = &rig->skeleton,
            .poses = poses,
            .instance_count = 3,
            .models = models,
            .scratch = scratch,
            .scratch_bytes = trp_model_scratch_bytes(&rig->skeleton),
        };
        assert_int_equal(trp_model(&args), TRP_OK);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t joint = 0; joint < rig->skeleton.joint_count; joint++) {
                const uint32_t lane = rig->lane_of_joint[joint];
                const float *model = models + (i * rig->skeleton.lane_count + lane) * 12;
                for (int p = 0; p < 4; p++) {
                    double expected[3];
                    point_to_model(rig, poses[i], lane, probes[p], expected);
                    assert_matrix_takes(model, probes[p], expected);
                }
            }
        }
    }
}

static void test_palette_takes_mesh_points_through_inverse_bind_and_model(void **state)
{
    (void)state;
    for (size_t c = 0; c < JOINT_COUNTS; c++) {
        struct rig *rig = rig_of(c);
        const trp_pose_block **poses = poses_new(rig, 2, c);
        const uint32_t entries = rig->skin.joint_count;
        float *palettes = memory_before_fault(2 * MATRIX_BYTES * entries);
        const trp_palette_args args = {
            .skeleton = &rig->skeleton,
            .skin = &rig->skin,
            .poses = poses,
            .instance_count = 2,
            .palettes = palettes,
            .scratch = scratch_new(&rig->skeleton),
            .scratch_bytes = trp_palette_scratch_bytes(&rig->skeleton),
        };
        assert_int_equal(trp_palette(&args), TRP_OK);
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t e = 0; e < entries; e++) {
                const float *bind = rig->inverse_bind[e];
                for (int p = 0; p < 4; p++) {
                    double joint_point[3];
                    double expected[3];
                    for (int r = 0; r < 3; r++) {
                        joint_point[r] = bind[4 * r] * probes[p][0] +
                                         bind[4 * r + 1] * probes[p][1] +
                                         bind[4 * r + 2] * probes[p][2] + bind[4 * r + 3];
                    }
                    point_to_model(rig, poses[i], rig->lane_of_entry[e], joint_point, expected);
                    assert_matrix_takes(palettes + (i * entries + e) * 12, probes[p], expected);
                }
            }
        }
    }
}

// -- Every instruction set -----------------------------------------------------------------------

enum what { MODEL, PALETTE, PALETTE_STREAM };

/// Runs one kernel into fresh memory that ends with its last matrix.
static float *run_kernel(const struct trp__kernels *kernels, enum what what, const struct rig *rig,
                         const trp_pose_block *const *poses, uint32_t count, uint32_t block_count,
                         size_t stride, size_t instance_bytes)
{
    const size_t bytes = stride * (count - 1) + instance_bytes;
    float *out = memory_before_fault(bytes);
    memset(out, 0x77, bytes);
    void *scratch = scratch_new(&rig->skeleton);
    if (what == MODEL) {
        kernels->model(&rig->skeleton, poses, count, block_count, scratch, out, stride);
    } else {
        kernels->palette(&rig->skeleton, &rig->skin, poses, count, block_count,
                         what == PALETTE_STREAM ? TRP_PALETTE_STREAM : 0, scratch, out, stride);
    }
    return out;
}

static void check_group(const struct trp__kernels *kernels, const struct rig *rig, uint32_t count,
                        uint32_t block_count, size_t gap)
{
    const struct trp__kernels *reference = trp__kernels_of(TRP_ISA_REFERENCE);
    const size_t kept = mapping_count;
    const trp_pose_block **poses = poses_new(rig, count, count);
    const size_t model_bytes = MATRIX_BYTES * 16 * block_count;
    const size_t palette_bytes = MATRIX_BYTES * rig->skin.joint_count;
    for (enum what what = MODEL; what <= PALETTE_STREAM; what++) {
        const size_t instance_bytes = what == MODEL ? model_bytes : palette_bytes;
        const size_t stride = instance_bytes + gap;
        float *expected =
            run_kernel(reference, what, rig, poses, count, block_count, stride, instance_bytes);
        float *got =
            run_kernel(kernels, what, rig, poses, count, block_count, stride, instance_bytes);
        // Gaps are part of what is compared: nobody may write there.
        assert_memory_equal(got, expected, stride * (count - 1) + instance_bytes);
    }
    memory_release(kept);
}

static void test_model_every_isa_gives_the_bits_of_the_reference(void **state)
{
    (void)state;
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        assert_in_range(kernels->group, 1, 16);
        for (size_t c = 0; c < JOINT_COUNTS; c++) {
            const struct rig *rig = rig_of(c);
            for (uint32_t count = 1; count <= kernels->group; count++) {
                check_group(kernels, rig, count, rig->skeleton.block_count, 16 * (count % 4));
            }
        }
    }
}

static void test_model_fewer_blocks_leave_the_rest_at_rest(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(64, 7, 5);
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        for (uint32_t blocks = 1; blocks <= rig->skeleton.block_count; blocks++) {
            check_group(kernels, rig, kernels->group, blocks, 0);
            check_group(kernels, rig, 1, blocks, 0);
        }
    }
    // The reference itself: as if the pose held the rest from there on.
    uint64_t random = 3;
    trp_pose_block *pose = pose_new(rig->skeleton.block_count);
    rig_fill_pose(rig, &random, pose);
    memcpy(pose + 2, rig->rest + 2, trp_pose_bytes(rig->skeleton.block_count - 2));
    trp_pose_block *first_two = pose_new(2);
    memcpy(first_two, pose, trp_pose_bytes(2));
    const trp_pose_block *whole_poses[] = {pose};
    const trp_pose_block *short_poses[] = {first_two};
    const struct trp__kernels *reference = trp__kernels_of(TRP_ISA_REFERENCE);
    const size_t bytes = MATRIX_BYTES * rig->skin.joint_count;
    const float *whole = run_kernel(reference, PALETTE, rig, whole_poses, 1,
                                    rig->skeleton.block_count, bytes, bytes);
    const float *lod = run_kernel(reference, PALETTE, rig, short_poses, 1, 2, bytes, bytes);
    assert_memory_equal(whole, lod, bytes);
}

static void test_model_any_batch_size_gives_the_same_bits(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(33, 4, 9);
    const uint32_t entries = rig->skin.joint_count;
    const size_t palette_stride = MATRIX_BYTES * entries + 32;
    const size_t model_stride = MATRIX_BYTES * rig->skeleton.lane_count + 16;
    const trp_pose_block **poses = poses_new(rig, 33, 1);
    float *one_palette = memory_before_fault(33 * palette_stride);
    float *one_model = memory_before_fault(33 * model_stride);
    void *scratch = scratch_new(&rig->skeleton);
    trp_palette_args palette_args = {
        .skeleton = &rig->skeleton,
        .skin = &rig->skin,
        .stride_bytes = palette_stride,
        .scratch = scratch,
        .scratch_bytes = trp_palette_scratch_bytes(&rig->skeleton),
    };
    trp_model_args model_args = {
        .skeleton = &rig->skeleton,
        .stride_bytes = model_stride,
        .scratch = scratch,
        .scratch_bytes = trp_model_scratch_bytes(&rig->skeleton),
    };
    assert_int_equal(trp_isa_force(TRP_ISA_REFERENCE), TRP_OK);
    palette_args.poses = poses;
    palette_args.instance_count = 33;
    palette_args.palettes = one_palette;
    model_args.poses = poses;
    model_args.instance_count = 33;
    model_args.models = one_model;
    assert_int_equal(trp_palette(&palette_args), TRP_OK);
    assert_int_equal(trp_model(&model_args), TRP_OK);

    float *palettes = memory_before_fault(33 * palette_stride);
    float *models = memory_before_fault(33 * model_stride);
    FOR_EACH_ISA(isa)
    {
        for (uint32_t batch = 1; batch <= 33; batch++) {
            memset(palettes, 0, 33 * palette_stride);
            memset(models, 0, 33 * model_stride);
            for (uint32_t first = 0; first < 33; first += batch) {
                const uint32_t count = first + batch < 33 ? batch : 33 - first;
                palette_args.poses = poses + first;
                palette_args.instance_count = count;
                palette_args.palettes = palettes + first * palette_stride / 4;
                palette_args.flags = batch % 2 ? TRP_PALETTE_STREAM : 0;
                model_args.poses = poses + first;
                model_args.instance_count = count;
                model_args.models = models + first * model_stride / 4;
                assert_int_equal(trp_palette(&palette_args), TRP_OK);
                assert_int_equal(trp_model(&model_args), TRP_OK);
            }
            assert_memory_equal(palettes, one_palette, 33 * palette_stride);
            assert_memory_equal(models, one_model, 33 * model_stride);
        }
    }
}

static void test_model_no_instances_is_fine_and_touches_nothing(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(17, 0, 1);
    const trp_model_args model_args = {.skeleton = &rig->skeleton};
    const trp_palette_args palette_args = {.skeleton = &rig->skeleton, .skin = &rig->skin};
    assert_int_equal(trp_model(&model_args), TRP_OK);
    assert_int_equal(trp_palette(&palette_args), TRP_OK);
}

// -- Bad values ----------------------------------------------------------------------------------

static bool is_below(const struct rig *rig, uint32_t lane, uint32_t ancestor)
{
    for (uint32_t l = lane; l != TRP_NO_LANE; l = rig->parent_of_lane[l]) {
        if (l == ancestor) {
            return true;
        }
    }
    return false;
}

static bool has_nan(const float matrix[12])
{
    for (int i = 0; i < 12; i++) {
        if (isnan(matrix[i])) {
            return true;
        }
    }
    return false;
}

static void test_model_nan_stays_in_its_instance_and_below_its_joint(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(64, 7, 11);
    const uint32_t bad_lane = rig->lane_of_joint[50];
    const uint32_t entries = rig->skin.joint_count;
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        for (uint32_t count = 1; count <= kernels->group; count++) {
            const size_t kept = mapping_count;
            const trp_pose_block **poses = poses_new(rig, count, 4);
            const size_t bytes = MATRIX_BYTES * entries;
            const float *clean = run_kernel(kernels, PALETTE, rig, poses, count,
                                            rig->skeleton.block_count, bytes, bytes);
            trp_pose_block *bad = (trp_pose_block *)poses[count / 2];
            bad[bad_lane / 16].rotation[2][bad_lane % 16] = NAN;
            const float *got = run_kernel(kernels, PALETTE, rig, poses, count,
                                          rig->skeleton.block_count, bytes, bytes);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t e = 0; e < entries; e++) {
                    const bool is_hit =
                        i == count / 2 && is_below(rig, rig->lane_of_entry[e], bad_lane);
                    const size_t at = ((size_t)i * entries + e) * 12;
                    assert_int_equal(has_nan(got + at), is_hit);
                    if (!is_hit) {
                        assert_memory_equal(got + at, clean + at, MATRIX_BYTES);
                    }
                }
            }
            memory_release(kept);
        }
    }
}

static void test_model_lanes_without_joint_hold_the_root_transform(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(20, 5, 12);
    uint64_t random = 9;
    trp_pose_block *pose = pose_new(2);
    rig_fill_pose(rig, &random, pose);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (rig->joint_of_lane[lane] == TRP_NO_LANE) {
            pose[lane / 16].rotation[0][lane % 16] = NAN; // whatever the caller left there
            pose[lane / 16].translation[0][lane % 16] = 5;
        }
    }
    FOR_EACH_ISA(isa)
    {
        const struct trp__kernels *kernels = trp__kernels_of(isa);
        for (uint32_t count = 1; count <= kernels->group; count++) {
            const trp_pose_block *poses[16];
            for (uint32_t i = 0; i < count; i++) {
                poses[i] = pose;
            }
            const size_t bytes = MATRIX_BYTES * 32;
            const float *models = run_kernel(kernels, MODEL, rig, poses, count, 2, bytes, bytes);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t lane = 0; lane < 32; lane++) {
                    const float *model = models + 12 * (32 * i + lane);
                    assert_false(has_nan(model));
                    if (rig->joint_of_lane[lane] == TRP_NO_LANE) {
                        assert_memory_equal(model, rig->root_transform, MATRIX_BYTES);
                    }
                }
            }
        }
    }
}

static void test_b83_model_negative_scale_keeps_its_sign(void **state)
{
    (void)state;
    struct rig *rig = rig_new(1, 0, 1);
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(rig->root_transform, identity, sizeof identity);
    trp_pose_block *pose = pose_new(1);
    assert_int_equal(trp_pose_identity(pose, 1), TRP_OK);
    pose->scale[0][0] = -1;
    float model[12];
    assert_int_equal(trp_model_joint(&rig->skeleton, pose, 0, model), TRP_OK);
    static const float expected[12] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++) {
        assert_true(model[i] == expected[i]);
    }
}

static void test_b84_model_zero_scale_stays_finite(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(64, 0, 2);
    uint64_t random = 1;
    trp_pose_block *pose = pose_new(rig->skeleton.block_count);
    rig_fill_pose(rig, &random, pose);
    for (uint32_t lane = 0; lane < 64; lane += 3) {
        for (int i = 0; i < 3; i++) {
            pose[lane / 16].scale[i][lane % 16] = 0;
        }
    }
    for (uint32_t joint = 0; joint < 64; joint++) {
        float model[12];
        assert_int_equal(trp_model_joint(&rig->skeleton, pose, joint, model), TRP_OK);
        for (int i = 0; i < 12; i++) {
            assert_true(isfinite(model[i]));
        }
    }
}

// -- One joint -----------------------------------------------------------------------------------

static void test_model_joint_gives_the_bits_of_the_whole(void **state)
{
    (void)state;
    for (size_t c = 0; c < JOINT_COUNTS; c++) {
        const struct rig *rig = rig_of(c);
        const trp_pose_block **poses = poses_new(rig, 1, c);
        const size_t bytes = MATRIX_BYTES * rig->skeleton.lane_count;
        const float *models = run_kernel(trp__kernels_active(), MODEL, rig, poses, 1,
                                         rig->skeleton.block_count, bytes, bytes);
        for (uint32_t joint = 0; joint < rig->skeleton.joint_count; joint++) {
            float model[12];
            assert_int_equal(trp_model_joint(&rig->skeleton, poses[0], joint, model), TRP_OK);
            assert_memory_equal(model, models + 12 * rig->lane_of_joint[joint], MATRIX_BYTES);
        }
    }
}

/// Makes a skeleton that is one chain: each lane hangs on the one before.
static struct rig *chain_new(uint32_t joint_count)
{
    struct rig *rig = rig_new(joint_count, 0, 1);
    for (uint32_t lane = 1; lane < joint_count; lane++) {
        rig->parent_of_lane[lane] = (uint16_t)(lane - 1);
    }
    return rig;
}

static void test_model_joint_chain_of_1024_works_and_1025_is_refused(void **state)
{
    (void)state;
    const struct rig *deepest = chain_new(1024);
    const trp_pose_block **poses = poses_new(deepest, 1, 1);
    const size_t bytes = MATRIX_BYTES * deepest->skeleton.lane_count;
    const float *models = run_kernel(trp__kernels_active(), MODEL, deepest, poses, 1,
                                     deepest->skeleton.block_count, bytes, bytes);
    float model[12];
    assert_int_equal(trp_model_joint(&deepest->skeleton, poses[0], 0, model), TRP_OK);
    assert_int_equal(deepest->lane_of_joint[0], 1023);
    assert_memory_equal(model, models + 12 * 1023, MATRIX_BYTES);

    const struct rig *too_deep = chain_new(1025);
    const trp_pose_block **deep_poses = poses_new(too_deep, 1, 1);
    float untouched[12] = {42};
    assert_int_equal(trp_model_joint(&too_deep->skeleton, deep_poses[0], 0, untouched),
                     TRP_ERROR_ARGUMENT);
    assert_true(untouched[0] == 42);
    assert_int_equal(trp_model_joint(&too_deep->skeleton, deep_poses[0], 1, model), TRP_OK);
}

// -- Bad arguments -------------------------------------------------------------------------------

struct calls {
    struct rig *rig;
    trp_model_args model;
    trp_palette_args palette;
    float *out;
    size_t out_bytes;
};

static struct calls calls_new(void)
{
    struct calls calls = {.rig = rig_new(17, 0, 6)};
    const trp_skeleton *skeleton = &calls.rig->skeleton;
    const trp_pose_block **poses = poses_new(calls.rig, 2, 1);
    void *scratch = scratch_new(skeleton);
    calls.out_bytes = 2 * MATRIX_BYTES * 32;
    calls.out = memory_before_fault(calls.out_bytes);
    memset(calls.out, 0x33, calls.out_bytes);
    calls.model = (trp_model_args){
        .skeleton = skeleton,
        .poses = poses,
        .instance_count = 2,
        .models = calls.out,
        .scratch = scratch,
        .scratch_bytes = trp_model_scratch_bytes(skeleton),
    };
    calls.palette = (trp_palette_args){
        .skeleton = skeleton,
        .skin = &calls.rig->skin,
        .poses = poses,
        .instance_count = 2,
        .palettes = calls.out,
        .scratch = scratch,
        .scratch_bytes = trp_palette_scratch_bytes(skeleton),
    };
    return calls;
}

static void assert_untouched(const struct calls *calls)
{
    for (size_t i = 0; i < calls->out_bytes; i++) {
        assert_int_equal(((unsigned char *)calls->out)[i], 0x33);
    }
}

/// Runs trp_model and trp_palette with one field of their arguments changed alike.
#define ASSERT_BOTH_REFUSE(FIELD_CHANGES, EXPECTED)                                                \
    do {                                                                                           \
        struct calls calls = calls_new();                                                          \
        {                                                                                          \
            trp_model_args *args = &calls.model;                                                   \
            FIELD_CHANGES;                                                                         \
        }                                                                                          \
        {                                                                                          \
            trp_palette_args *args = &calls.palette;                                               \
            FIELD_CHANGES;                                                                         \
        }                                                                                          \
        assert_int_equal(trp_model(&calls.model), EXPECTED);                                       \
        assert_int_equal(trp_palette(&calls.palette), EXPECTED);                                   \
        assert_untouched(&calls);                                                                  \
    } while (0)

static void test_model_bad_arguments_are_refused_and_write_nothing(void **state)
{
    (void)state;
    static const trp_pose_block *with_null[2];
    static _Alignas(64) trp_pose_block crooked_blocks[3];
    static const trp_pose_block *with_crooked[2];
    with_null[0] = crooked_blocks;
    with_crooked[0] = crooked_blocks;
    with_crooked[1] = (const trp_pose_block *)((const char *)crooked_blocks + 4);

    ASSERT_BOTH_REFUSE(args->skeleton = NULL, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->poses = NULL, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->poses = with_null, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->poses = with_crooked, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->block_count = 3, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->block_count = UINT32_MAX, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->scratch = NULL, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->scratch = (char *)args->scratch + 16, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->scratch_bytes--, TRP_ERROR_CAPACITY);
    ASSERT_BOTH_REFUSE(args->scratch_bytes = 0, TRP_ERROR_CAPACITY);
    ASSERT_BOTH_REFUSE(args->stride_bytes = 16, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->stride_bytes = 12 * 4 * 32 + 8, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->stride_bytes = SIZE_MAX - 15, TRP_ERROR_ARGUMENT);
    ASSERT_BOTH_REFUSE(args->stride_bytes = SIZE_MAX / 2 - 15, TRP_ERROR_ARGUMENT);

    assert_int_equal(trp_model(NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_palette(NULL), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_scratch_bytes(NULL), 0);
    assert_int_equal(trp_palette_scratch_bytes(NULL), 0);

    struct calls calls = calls_new();
    calls.model.models = NULL;
    calls.palette.palettes = NULL;
    assert_int_equal(trp_model(&calls.model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_ARGUMENT);
    calls.model.models = calls.out + 1;
    calls.palette.palettes = calls.out + 1;
    assert_int_equal(trp_model(&calls.model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_ARGUMENT);
    calls = calls_new();
    calls.palette.skin = NULL;
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_ARGUMENT);
    assert_untouched(&calls);
}

static void test_palette_skin_of_another_skeleton_is_a_mismatch(void **state)
{
    (void)state;
    struct calls calls = calls_new();
    calls.rig->skin.skeleton_index = 1;
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_MISMATCH);
    calls.rig->skin.skeleton_index = 0;
    calls.rig->lane_of_entry[17] = 32; // same index in another pack, but larger
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_MISMATCH);
    calls.rig->lane_of_entry[17] = TRP_NO_LANE;
    assert_int_equal(trp_palette(&calls.palette), TRP_ERROR_MISMATCH);
    assert_untouched(&calls);
}

static void test_model_joint_bad_arguments_are_refused_and_write_nothing(void **state)
{
    (void)state;
    const struct rig *rig = rig_new(17, 0, 6);
    const trp_pose_block *pose = poses_new(rig, 1, 1)[0];
    const trp_pose_block *crooked = (const trp_pose_block *)((const char *)pose + 4);
    float model[12] = {42};
    assert_int_equal(trp_model_joint(NULL, pose, 0, model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_joint(&rig->skeleton, NULL, 0, model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_joint(&rig->skeleton, crooked, 0, model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_joint(&rig->skeleton, pose, 17, model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_joint(&rig->skeleton, pose, TRP_NONE, model), TRP_ERROR_ARGUMENT);
    assert_int_equal(trp_model_joint(&rig->skeleton, pose, 0, NULL), TRP_ERROR_ARGUMENT);
    assert_true(model[0] == 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_model_takes_points_where_the_hierarchy_does),
        RIG_TEST(test_palette_takes_mesh_points_through_inverse_bind_and_model),
        RIG_TEST(test_model_every_isa_gives_the_bits_of_the_reference),
        RIG_TEST(test_model_fewer_blocks_leave_the_rest_at_rest),
        RIG_TEST(test_model_any_batch_size_gives_the_same_bits),
        RIG_TEST(test_model_no_instances_is_fine_and_touches_nothing),
        RIG_TEST(test_model_nan_stays_in_its_instance_and_below_its_joint),
        RIG_TEST(test_model_lanes_without_joint_hold_the_root_transform),
        RIG_TEST(test_b83_model_negative_scale_keeps_its_sign),
        RIG_TEST(test_b84_model_zero_scale_stays_finite),
        RIG_TEST(test_model_joint_gives_the_bits_of_the_whole),
        RIG_TEST(test_model_joint_chain_of_1024_works_and_1025_is_refused),
        RIG_TEST(test_model_bad_arguments_are_refused_and_write_nothing),
        RIG_TEST(test_palette_skin_of_another_skeleton_is_a_mismatch),
        RIG_TEST(test_model_joint_bad_arguments_are_refused_and_write_nothing),
    };
    return isa_report() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
