// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Model matrices and palettes. A group of instances goes lane = instance: blocks are transposed in,
// the hierarchy is walked once for all, rows are transposed out. Few instances go one by one, a
// matrix in as few vectors as hold it. Either way each value comes from the same operations.
#include "wide.h"

/// Floats of a matrix; in scratch memory each of them is a vector, a float an instance.
#define MATRIX 12

/// Floats of a matrix in scratch memory where there is one instance.
#define PADDED_MATRIX 16

/// Entries of a palette that are streamed at once: the fewest that fill whole cache lines.
#define TILE_ENTRIES 4

/// A matrix of each of TRP__WIDTH instances: its rows x, y, z.
typedef struct wide_matrix {
    wf4 x;
    wf4 y;
    wf4 z;
} wide_matrix;

TRP__INLINE wf4 load_row(const float *at)
{
    const wf4 row = {
        .x = wf_load(at),
        .y = wf_load(at + TRP__WIDTH),
        .z = wf_load(at + 2 * TRP__WIDTH),
        .w = wf_load(at + 3 * TRP__WIDTH),
    };
    return row;
}

TRP__INLINE void store_row(float *at, wf4 row)
{
    wf_store(at, row.x);
    wf_store(at + TRP__WIDTH, row.y);
    wf_store(at + 2 * TRP__WIDTH, row.z);
    wf_store(at + 3 * TRP__WIDTH, row.w);
}

TRP__INLINE wf4 set1_row(const float row[4])
{
    const wf4 wide = {
        .x = wf_set1(row[0]),
        .y = wf_set1(row[1]),
        .z = wf_set1(row[2]),
        .w = wf_set1(row[3]),
    };
    return wide;
}

TRP__INLINE wide_matrix set1_matrix(const float matrix[12])
{
    const wide_matrix wide = {
        .x = set1_row(matrix),
        .y = set1_row(matrix + 4),
        .z = set1_row(matrix + 8),
    };
    return wide;
}

TRP__INLINE void store_matrix(float *at, wide_matrix matrix)
{
    store_row(at, matrix.x);
    store_row(at + 4 * TRP__WIDTH, matrix.y);
    store_row(at + 8 * TRP__WIDTH, matrix.z);
}

/// Returns the matrices of local transforms whose ten components lie `stride` floats apart.
TRP__INLINE wide_matrix local_matrix(const float *at, size_t stride)
{
    const wf x = wf_load(at);
    const wf y = wf_load(at + stride);
    const wf z = wf_load(at + 2 * stride);
    const wf w = wf_load(at + 3 * stride);
    const wf one = wf_set1(1.0f);
    const wf x2 = wf_add(x, x);
    const wf y2 = wf_add(y, y);
    const wf z2 = wf_add(z, z);
    const wf xx = wf_mul(x, x2);
    const wf yy = wf_mul(y, y2);
    const wf zz = wf_mul(z, z2);
    const wf xy = wf_mul(x, y2);
    const wf xz = wf_mul(x, z2);
    const wf yz = wf_mul(y, z2);
    const wf wx = wf_mul(w, x2);
    const wf wy = wf_mul(w, y2);
    const wf wz = wf_mul(w, z2);
    const wf scale_x = wf_load(at + 7 * stride);
    const wf scale_y = wf_load(at + 8 * stride);
    const wf scale_z = wf_load(at + 9 * stride);
    const wf4 row_x = {
        .x = wf_mul(wf_sub(one, wf_add(yy, zz)), scale_x),
        .y = wf_mul(wf_sub(xy, wz), scale_y),
        .z = wf_mul(wf_add(xz, wy), scale_z),
        .w = wf_load(at + 4 * stride),
    };
    const wf4 row_y = {
        .x = wf_mul(wf_add(xy, wz), scale_x),
        .y = wf_mul(wf_sub(one, wf_add(xx, zz)), scale_y),
        .z = wf_mul(wf_sub(yz, wx), scale_z),
        .w = wf_load(at + 5 * stride),
    };
    const wf4 row_z = {
        .x = wf_mul(wf_sub(xz, wy), scale_x),
        .y = wf_mul(wf_add(yz, wx), scale_y),
        .z = wf_mul(wf_sub(one, wf_add(xx, yy)), scale_z),
        .w = wf_load(at + 6 * stride),
    };
    const wide_matrix matrix = {.x = row_x, .y = row_y, .z = row_z};
    return matrix;
}

TRP__INLINE wf4 multiply_row(wf4 a, wide_matrix b)
{
    const wf4 row = {
        .x = wf_add(wf_add(wf_mul(a.x, b.x.x), wf_mul(a.y, b.y.x)), wf_mul(a.z, b.z.x)),
        .y = wf_add(wf_add(wf_mul(a.x, b.x.y), wf_mul(a.y, b.y.y)), wf_mul(a.z, b.z.y)),
        .z = wf_add(wf_add(wf_mul(a.x, b.x.z), wf_mul(a.y, b.y.z)), wf_mul(a.z, b.z.z)),
        .w =
            wf_add(wf_add(wf_add(wf_mul(a.x, b.x.w), wf_mul(a.y, b.y.w)), wf_mul(a.z, b.z.w)), a.w),
    };
    return row;
}

TRP__INLINE wide_matrix multiply(const float *a, wide_matrix b)
{
    const wide_matrix product = {
        .x = multiply_row(load_row(a), b),
        .y = multiply_row(load_row(a + 4 * TRP__WIDTH), b),
        .z = multiply_row(load_row(a + 8 * TRP__WIDTH), b),
    };
    return product;
}

TRP__INLINE void stream_floats(float *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i += 4) {
        wq_stream(to + i, wq_load(from + i));
    }
}

// -- A group of instances ------------------------------------------------------------------------

/// Returns where a lane's matrix lies in scratch memory. TRP_NO_LANE has one too, the first: the
/// root transform.
TRP__INLINE float *group_matrix(float *matrices, uint16_t lane)
{
    return matrices + (size_t)(uint16_t)(lane + 1) * (MATRIX * TRP__WIDTH);
}

/// Transposes one block of all instances: the ten components of each lane go to its matrix.
static void gather_block(const float *const *blocks, float *matrices)
{
    for (size_t lane = 0; lane < TRP_BLOCK_LANES; lane += 4) {
        float *at = matrices + lane * (MATRIX * TRP__WIDTH);
        for (size_t component = 0; component < 10; component++) {
            const size_t offset = component * TRP_BLOCK_LANES + lane;
            const wf4 rows = {
                .x = wf_from_groups(blocks, offset),
                .y = wf_from_groups(blocks + 1, offset),
                .z = wf_from_groups(blocks + 2, offset),
                .w = wf_from_groups(blocks + 3, offset),
            };
            const wf4 columns = wf4_transpose(rows);
            wf_store(at, columns.x);
            wf_store(at + MATRIX * TRP__WIDTH, columns.y);
            wf_store(at + 2 * MATRIX * TRP__WIDTH, columns.z);
            wf_store(at + 3 * MATRIX * TRP__WIDTH, columns.w);
            at += TRP__WIDTH;
        }
    }
}

/// Writes a row of each instance, `offset` floats into its output.
TRP__INLINE void scatter_row(float *const *outputs, size_t offset, wf4 row)
{
    const wf4 instances = wf4_transpose(row);
    wf_store_groups(outputs, offset, instances.x);
    wf_store_groups(outputs + 1, offset, instances.y);
    wf_store_groups(outputs + 2, offset, instances.z);
    wf_store_groups(outputs + 3, offset, instances.w);
}

TRP__INLINE void scatter_matrix(float *const *outputs, size_t offset, wide_matrix matrix)
{
    scatter_row(outputs, offset, matrix.x);
    scatter_row(outputs, offset + 4, matrix.y);
    scatter_row(outputs, offset + 8, matrix.z);
}

/// Computes the model matrices of lanes [0, 16 * block_count) into scratch memory and, unless
/// null, `outputs`. Lanes from `pose_block_count` on keep their rest.
TRP__INLINE void group_models(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                              uint32_t pose_block_count, uint32_t block_count, float *matrices,
                              float *const *outputs)
{
    store_matrix(matrices, set1_matrix(skeleton->root_transform));
    for (uint32_t block = 0; block < block_count; block++) {
        const float *blocks[TRP__WIDTH];
        for (uint32_t i = 0; i < TRP__WIDTH; i++) {
            blocks[i] = (const float *)(block < pose_block_count ? &poses[i][block]
                                                                 : &skeleton->rest[block]);
        }
        const uint32_t first = block * TRP_BLOCK_LANES;
        gather_block(blocks, group_matrix(matrices, (uint16_t)first));
        for (uint32_t lane = first; lane < first + TRP_BLOCK_LANES; lane++) {
            float *at = group_matrix(matrices, (uint16_t)lane);
            const float *parent = group_matrix(matrices, skeleton->parent_of_lane[lane]);
            const wide_matrix model = skeleton->joint_of_lane[lane] == TRP_NO_LANE
                                          ? set1_matrix(skeleton->root_transform)
                                          : multiply(parent, local_matrix(at, TRP__WIDTH));
            store_matrix(at, model);
            if (outputs) {
                scatter_matrix(outputs, (size_t)MATRIX * lane, model);
            }
        }
    }
}

/// Fills a group up with copies of its last instance: they read what it reads and write what it
/// writes.
TRP__INLINE void fill_group(const trp_pose_block *const *poses, uint32_t count, float *output,
                            size_t stride_bytes, const trp_pose_block **group_poses,
                            float **group_outputs)
{
    for (uint32_t i = 0; i < TRP__WIDTH; i++) {
        const uint32_t instance = i < count ? i : count - 1;
        group_poses[i] = poses[instance];
        group_outputs[i] = (float *)((char *)output + stride_bytes * instance);
    }
}

static void model_of_group(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                           uint32_t count, uint32_t block_count, float *matrices, float *models,
                           size_t stride_bytes)
{
    const trp_pose_block *group_poses[TRP__WIDTH];
    float *outputs[TRP__WIDTH];
    fill_group(poses, count, models, stride_bytes, group_poses, outputs);
    group_models(skeleton, group_poses, block_count, block_count, matrices, outputs);
}

/// Returns the matrices of one entry of the palettes of all instances.
TRP__INLINE wide_matrix palette_entry(const trp_skin *skin, uint32_t entry, float *matrices)
{
    return multiply(group_matrix(matrices, skin->lane_of_entry[entry]),
                    set1_matrix(skin->inverse_bind[entry]));
}

static void store_palettes(const trp_skin *skin, float *matrices, float *const *outputs)
{
    for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
        scatter_matrix(outputs, (size_t)MATRIX * entry, palette_entry(skin, entry, matrices));
    }
}

/// Stores past the caches, which wants whole cache lines of one palette after the other: a few
/// entries of all palettes are put together in a tile first.
static void stream_palettes(const trp_skin *skin, float *matrices, uint32_t count,
                            float *const *outputs)
{
    _Alignas(TRP_ALIGNMENT) float tile[TRP__WIDTH][TILE_ENTRIES * MATRIX];
    float *rows[TRP__WIDTH];
    for (uint32_t i = 0; i < TRP__WIDTH; i++) {
        rows[i] = tile[i];
    }
    for (uint32_t first = 0; first < skin->joint_count; first += TILE_ENTRIES) {
        const uint32_t left = skin->joint_count - first;
        const uint32_t entry_count = left < TILE_ENTRIES ? left : TILE_ENTRIES;
        for (uint32_t i = 0; i < entry_count; i++) {
            scatter_matrix(rows, (size_t)MATRIX * i, palette_entry(skin, first + i, matrices));
        }
        for (uint32_t i = 0; i < count; i++) {
            stream_floats(outputs[i] + (size_t)MATRIX * first, tile[i], MATRIX * entry_count);
        }
    }
}

static void palette_of_group(const trp_skeleton *skeleton, const trp_skin *skin,
                             const trp_pose_block *const *poses, uint32_t count,
                             uint32_t block_count, uint32_t flags, float *matrices, float *palettes,
                             size_t stride_bytes)
{
    const trp_pose_block *group_poses[TRP__WIDTH];
    float *outputs[TRP__WIDTH];
    fill_group(poses, count, palettes, stride_bytes, group_poses, outputs);
    group_models(skeleton, group_poses, block_count, skeleton->block_count, matrices, NULL);
    if (flags & TRP_PALETTE_STREAM) {
        stream_palettes(skin, matrices, count, outputs);
    } else {
        store_palettes(skin, matrices, outputs);
    }
}

// -- One instance --------------------------------------------------------------------------------

/// Returns a * b, as much of it as one vector holds: rows of `a` and the product, a group each.
TRP__INLINE wf multiply_part(wf a, wf b_x, wf b_y, wf b_z)
{
    const wf linear = wf_add(wf_add(wf_mul(wf_splat(a, 0), b_x), wf_mul(wf_splat(a, 1), b_y)),
                             wf_mul(wf_splat(a, 2), b_z));
    // Adding -0 changes no value, so that only the last column gets the translation.
    return wf_add(linear, wf_with_last(wf_set1(-0.0f), a));
}

/// Writes a * b; `a` and `product` are padded.
TRP__INLINE void multiply_one(const float *a, const float *b, float *product)
{
    const wf b_x = wf_repeat_group(b);
    const wf b_y = wf_repeat_group(b + 4);
    const wf b_z = wf_repeat_group(b + 8);
    wf_store(product, multiply_part(wf_load(a), b_x, b_y, b_z));
    if (TRP__WIDTH < MATRIX) {
        const size_t second = TRP__WIDTH;
        wf_store(product + second, multiply_part(wf_load(a + second), b_x, b_y, b_z));
    }
    if (2 * TRP__WIDTH < MATRIX) {
        const size_t third = 2 * TRP__WIDTH;
        wf_store(product + third, multiply_part(wf_load(a + third), b_x, b_y, b_z));
    }
}

/// Writes the padded matrices of the sixteen lanes of a block.
static void local_matrices(const trp_pose_block *block, float *locals)
{
    for (size_t lane = 0; lane < TRP_BLOCK_LANES; lane += TRP__WIDTH) {
        float *outputs[TRP__WIDTH];
        for (size_t i = 0; i < TRP__WIDTH; i++) {
            outputs[i] = locals + PADDED_MATRIX * (lane + i);
        }
        scatter_matrix(outputs, 0, local_matrix(&block->rotation[0][lane], TRP_BLOCK_LANES));
    }
}

TRP__INLINE float *padded_matrix(float *matrices, uint16_t lane)
{
    return matrices + (size_t)(uint16_t)(lane + 1) * PADDED_MATRIX;
}

/// As group_models, for one instance.
static void one_models(const trp_skeleton *skeleton, const trp_pose_block *pose,
                       uint32_t pose_block_count, uint32_t block_count, float *matrices)
{
    memcpy(matrices, skeleton->root_transform, MATRIX * sizeof(float));
    memset(matrices + MATRIX, 0, (PADDED_MATRIX - MATRIX) * sizeof(float));
    for (uint32_t block = 0; block < block_count; block++) {
        _Alignas(TRP_ALIGNMENT) float locals[TRP_BLOCK_LANES * PADDED_MATRIX];
        local_matrices(block < pose_block_count ? &pose[block] : &skeleton->rest[block], locals);
        for (uint32_t i = 0; i < TRP_BLOCK_LANES; i++) {
            const uint32_t lane = block * TRP_BLOCK_LANES + i;
            float *model = padded_matrix(matrices, (uint16_t)lane);
            if (skeleton->joint_of_lane[lane] == TRP_NO_LANE) {
                memcpy(model, matrices, PADDED_MATRIX * sizeof(float));
            } else {
                multiply_one(padded_matrix(matrices, skeleton->parent_of_lane[lane]),
                             locals + (size_t)PADDED_MATRIX * i, model);
            }
        }
    }
}

static void model_of_one(const trp_skeleton *skeleton, const trp_pose_block *pose,
                         uint32_t block_count, float *matrices, float *models)
{
    one_models(skeleton, pose, block_count, block_count, matrices);
    for (uint32_t lane = 0; lane < block_count * TRP_BLOCK_LANES; lane++) {
        memcpy(models + (size_t)MATRIX * lane, padded_matrix(matrices, (uint16_t)lane),
               MATRIX * sizeof(float));
    }
}

static void palette_of_one(const trp_skeleton *skeleton, const trp_skin *skin,
                           const trp_pose_block *pose, uint32_t block_count, uint32_t flags,
                           float *matrices, float *palette)
{
    one_models(skeleton, pose, block_count, skeleton->block_count, matrices);
    for (uint32_t entry = 0; entry < skin->joint_count; entry++) {
        _Alignas(TRP_ALIGNMENT) float product[PADDED_MATRIX];
        multiply_one(padded_matrix(matrices, skin->lane_of_entry[entry]), skin->inverse_bind[entry],
                     product);
        if (flags & TRP_PALETTE_STREAM) {
            stream_floats(palette + (size_t)MATRIX * entry, product, MATRIX);
        } else {
            memcpy(palette + (size_t)MATRIX * entry, product, MATRIX * sizeof(float));
        }
    }
}

// -- The kernels ---------------------------------------------------------------------------------

/// Says whether a group is so small that one instance after the other is faster.
TRP__INLINE int is_small(uint32_t count)
{
    return 2 * count <= TRP__WIDTH;
}

void TRP__KERNEL(model)(const trp_skeleton *skeleton, const trp_pose_block *const *poses,
                        uint32_t count, uint32_t block_count, void *scratch, float *models,
                        size_t stride_bytes)
{
    if (!is_small(count)) {
        model_of_group(skeleton, poses, count, block_count, scratch, models, stride_bytes);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        model_of_one(skeleton, poses[i], block_count, scratch,
                     (float *)((char *)models + stride_bytes * i));
    }
}

void TRP__KERNEL(palette)(const trp_skeleton *skeleton, const trp_skin *skin,
                          const trp_pose_block *const *poses, uint32_t count, uint32_t block_count,
                          uint32_t flags, void *scratch, float *palettes, size_t stride_bytes)
{
    if (is_small(count)) {
        for (uint32_t i = 0; i < count; i++) {
            palette_of_one(skeleton, skin, poses[i], block_count, flags, scratch,
                           (float *)((char *)palettes + stride_bytes * i));
        }
    } else {
        palette_of_group(skeleton, skin, poses, count, block_count, flags, scratch, palettes,
                         stride_bytes);
    }
    if (flags & TRP_PALETTE_STREAM) {
        wide_stream_fence();
    }
}
