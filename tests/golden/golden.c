// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// golden PACK GOLDEN [--update]: one hash for each operation of the runtime over every clip of a
// pack, the same on every instruction set, however the batch is cut, with denormal numbers flushed
// to zero or not. Needs neither cmocka nor the tools, so that it runs wherever the runtime does.
#include <float.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <troupe/troupe.h>

#include "../../src/format.h"
#include "../isa.h"

enum { TIMES_A_CLIP = 37, LAYER_COUNT = 5, ROOT_KEYS = 33 };

enum operation {
    OPERATION_PACK,
    OPERATION_SAMPLE,
    OPERATION_BLEND,
    OPERATION_MODEL,
    OPERATION_PALETTE,
    OPERATION_ROOT_MOTION,
    OPERATION_LIMIT,
    OPERATION_COUNT,
};

static const char *const operation_names[OPERATION_COUNT] = {
    "pack", "sample", "blend", "model", "palette", "root_motion", "limit",
};

struct hashes {
    uint64_t values[OPERATION_COUNT];
};

/// A clip of nothing but root motion.
struct walk {
    struct trp__clip_header header;
    struct trp__root_header root;
    double times[ROOT_KEYS];
    float keys[ROOT_KEYS][4];
};

/// Everything the operations work on.
struct stage {
    void *bytes;
    size_t size_bytes;
    trp_pack pack;
    trp_skeleton skeleton;
    trp_skin skin;
    trp_clip *clips;
    float *mask;         ///< lanes of the last clip
    void **prepared;     ///< first segment of each clip
    uint32_t pose_count; ///< TIMES_A_CLIP of each clip
    trp_sample_request *requests;
    trp_pose_block *sampled;
    trp_pose_block *blended;
    const trp_pose_block **blended_list;
    trp_blend_layer *layers;
    trp_blend_job *jobs;
    float *models;
    float *palettes;
    struct walk *walk;
    trp_clip walk_clip;
    trp_timeline timelines[3]; ///< of the walk, one for each mode
    trp_playhead *starts;
    trp_playhead *previous;
    trp_playhead *playheads;
    trp_root_delta *deltas;
    uint32_t *block_of_limits;
    float *limits; ///< of every lane, an axis in four without
    trp_pose_block *limited;
    trp_pose_block **limited_list;
    void *scratch;
    size_t scratch_bytes;
};

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "golden: %s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

static void *take(size_t count, size_t size)
{
    const size_t bytes = (count * size + TRP_ALIGNMENT - 1) / TRP_ALIGNMENT * TRP_ALIGNMENT;
    void *const memory = aligned_alloc(TRP_ALIGNMENT, bytes + TRP_ALIGNMENT);
    check(memory != NULL, "memory");
    memset(memory, 0, bytes + TRP_ALIGNMENT);
    return memory;
}

/// FNV-1a over 32-bit words.
static uint64_t hash_words(const void *words, size_t size_bytes)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t at = 0; at + 4 <= size_bytes; at += 4) {
        uint32_t word;
        memcpy(&word, (const char *)words + at, sizeof word);
        hash = (hash ^ word) * 0x100000001B3u;
    }
    return hash;
}

static double next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 4294967296.0;
}

static void read_pack(struct stage *stage, const char *path)
{
    FILE *const file = fopen(path, "rb");
    check(file && fseek(file, 0, SEEK_END) == 0, path);
    stage->size_bytes = (size_t)ftell(file);
    stage->bytes = take(stage->size_bytes, 1);
    rewind(file);
    check(fread(stage->bytes, 1, stage->size_bytes, file) == stage->size_bytes, path);
    fclose(file);
    check(trp_pack_open(stage->bytes, stage->size_bytes, &stage->pack, NULL) == TRP_OK, path);
    check(trp_pack_skeleton(&stage->pack, 0, &stage->skeleton) == TRP_OK, "skeleton");
    check(trp_pack_skin(&stage->pack, 0, &stage->skin) == TRP_OK, "skin");
}

// Times in no order, some before the start and behind the end, on keys and between them.
static void write_requests(struct stage *stage)
{
    uint32_t random = 1;
    const size_t blocks = stage->skeleton.block_count;
    for (uint32_t i = 0; i < stage->pose_count; i++) {
        const trp_clip *const clip = &stage->clips[i * 7u % stage->pack.clip_count];
        const double time_s = (next_random(&random) * 1.1 - 0.05) * clip->duration_s;
        const double key_s = (double)(int)(time_s * 30) / 30;
        stage->requests[i] = (trp_sample_request){
            .clip = clip,
            .time_s = i % 3 == 0 ? key_s : time_s,
            .pose = stage->sampled + i * blocks,
        };
    }
}

// Three averaged layers, one of them masked, then a difference added and another taken away.
static void write_jobs(struct stage *stage)
{
    uint32_t random = 2;
    const size_t blocks = stage->skeleton.block_count;
    static const trp_blend_mode modes[LAYER_COUNT] = {
        TRP_BLEND_AVERAGE, TRP_BLEND_AVERAGE, TRP_BLEND_AVERAGE, TRP_BLEND_ADD, TRP_BLEND_SUBTRACT,
    };
    for (uint32_t i = 0; i < stage->pose_count; i++) {
        trp_blend_layer *const layers = stage->layers + (size_t)i * LAYER_COUNT;
        for (uint32_t layer = 0; layer < LAYER_COUNT; layer++) {
            const uint32_t other = (i + layer * layer) % stage->pose_count;
            layers[layer] = (trp_blend_layer){
                .pose = stage->sampled + other * blocks,
                .mask = layer == 2 ? stage->mask : NULL,
                .weight = (float)next_random(&random),
                .mode = modes[layer],
            };
        }
        stage->jobs[i] = (trp_blend_job){
            .layers = layers,
            .layer_count = 1 + i % LAYER_COUNT,
            .pose = stage->blended + i * blocks,
        };
        stage->blended_list[i] = stage->blended + i * blocks;
    }
}

// Keys at uneven times that turn while they walk; playheads anywhere, at any speed.
static void write_playheads(struct stage *stage)
{
    uint32_t random = 3;
    struct walk *const walk = stage->walk;
    walk->header.root_offset = offsetof(struct walk, root);
    walk->root =
        (struct trp__root_header){.key_count = ROOT_KEYS, .components = 15, .pivot = {0.5f, -2}};
    for (int key = 1; key < ROOT_KEYS; key++) {
        walk->times[key] = walk->times[key - 1] + 0.01 + 0.05 * next_random(&random);
        for (int i = 0; i < 4; i++) {
            walk->keys[key][i] = (float)(walk->keys[key - 1][i] + 0.1 * next_random(&random));
        }
    }
    stage->walk_clip = (trp_clip){
        .duration_s = 2,
        .rate_num = 30,
        .rate_den = 1,
        .tick_count = 60,
        .bytes = (const void *)walk,
        .size_bytes = sizeof *walk,
    };
    for (uint32_t mode = 0; mode < 3; mode++) {
        const trp_timeline_args args = {
            .clip = &stage->walk_clip, .mode = (trp_play_mode)mode, .start_s = 0.1};
        check(trp_timeline_make(&args, &stage->timelines[mode]) == TRP_OK, "timeline");
    }
    for (uint32_t i = 0; i < stage->pose_count; i++) {
        trp_playhead *const start = &stage->starts[i];
        *start = trp_playhead_start(&stage->timelines[i % 3], next_random(&random) * 2);
        start->timeline = i % 3;
        start->speed = (float)((next_random(&random) - 0.5) * (i % 5 == 0 ? 1e4 : 10));
    }
}

// Limits of up to half a turn either way.
static void write_limits(struct stage *stage)
{
    uint32_t random = 4;
    const size_t blocks = stage->skeleton.block_count;
    for (size_t i = 0; i < blocks * 6 * TRP_BLOCK_LANES; i++) {
        const bool is_smallest = i / TRP_BLOCK_LANES % 2 == 0;
        const float size = next_random(&random) < 0.25 ? FLT_MAX : (float)next_random(&random);
        stage->limits[i] = is_smallest ? -size : size;
    }
    for (uint32_t i = 0; i < stage->pose_count; i++) {
        stage->limited_list[i] = stage->limited + i * blocks;
    }
}

static void make_stage(struct stage *stage, const char *path)
{
    read_pack(stage, path);
    const uint32_t clip_count = stage->pack.clip_count;
    const size_t blocks = stage->skeleton.block_count;
    stage->clips = take(clip_count, sizeof *stage->clips);
    stage->mask = take(blocks * TRP_BLOCK_LANES, sizeof *stage->mask);
    stage->prepared = take(clip_count, sizeof *stage->prepared);
    for (uint32_t clip = 0; clip < clip_count; clip++) {
        check(trp_pack_clip(&stage->pack, clip, &stage->clips[clip]) == TRP_OK, "clip");
        stage->prepared[clip] = take(trp_clip_prepared_bytes(&stage->clips[clip]), 1);
    }
    check(trp_clip_coverage(&stage->clips[clip_count - 1], stage->mask) == TRP_OK, "coverage");

    stage->pose_count = clip_count * TIMES_A_CLIP;
    stage->requests = take(stage->pose_count, sizeof *stage->requests);
    stage->sampled = take(stage->pose_count * blocks, sizeof *stage->sampled);
    stage->blended = take(stage->pose_count * blocks, sizeof *stage->blended);
    stage->blended_list = take(stage->pose_count, sizeof(trp_pose_block *));
    stage->layers = take((size_t)stage->pose_count * LAYER_COUNT, sizeof *stage->layers);
    stage->jobs = take(stage->pose_count, sizeof *stage->jobs);
    stage->models = take(stage->pose_count * blocks * TRP_BLOCK_LANES, 12 * sizeof(float));
    stage->palettes = take((size_t)stage->pose_count * stage->skin.joint_count, 12 * sizeof(float));
    stage->walk = take(1, sizeof *stage->walk);
    stage->starts = take(stage->pose_count, sizeof *stage->starts);
    stage->previous = take(stage->pose_count, sizeof *stage->previous);
    stage->playheads = take(stage->pose_count, sizeof *stage->playheads);
    stage->deltas = take(stage->pose_count, sizeof *stage->deltas);
    stage->limits = take(blocks * 6 * TRP_BLOCK_LANES, sizeof *stage->limits);
    stage->limited = take(stage->pose_count * blocks, sizeof *stage->limited);
    stage->limited_list = take(stage->pose_count, sizeof(trp_pose_block *));
    write_limits(stage);
    stage->block_of_limits = take(blocks, sizeof *stage->block_of_limits);
    for (uint32_t block = 0; block < blocks; block++) {
        stage->block_of_limits[block] = block;
    }
    write_requests(stage);
    write_jobs(stage);
    write_playheads(stage);

    const trp_sample_args args = {.requests = stage->requests, .request_count = stage->pose_count};
    const size_t needs[] = {
        trp_sample_scratch_bytes(&args),
        trp_model_scratch_bytes(&stage->skeleton),
        trp_palette_scratch_bytes(&stage->skeleton),
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        stage->scratch_bytes = needs[i] > stage->scratch_bytes ? needs[i] : stage->scratch_bytes;
    }
    stage->scratch = take(stage->scratch_bytes, 1);
}

// The operations over poses [first, first + count).
static void run(struct stage *stage, uint32_t first, uint32_t count, bool is_prepared)
{
    const size_t blocks = stage->skeleton.block_count;
    const trp_sample_args sample = {
        .requests = stage->requests + first,
        .request_count = count,
        .prepared = is_prepared ? (const void *const *)stage->prepared : NULL,
        .prepared_count = is_prepared ? stage->pack.clip_count : 0,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    check(trp_sample(&sample, NULL) == TRP_OK, "sample");
    // Layers refer to poses outside the range too: those hold the same bits, from the run before.
    const trp_blend_args blend = {
        .skeleton = &stage->skeleton,
        .jobs = stage->jobs + first,
        .job_count = count,
    };
    check(trp_blend(&blend, NULL) == TRP_OK, "blend");
    const trp_model_args model = {
        .skeleton = &stage->skeleton,
        .poses = stage->blended_list + first,
        .instance_count = count,
        .models = stage->models + first * blocks * TRP_BLOCK_LANES * 12,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    check(trp_model(&model) == TRP_OK, "model");
    const trp_palette_args palette = {
        .skeleton = &stage->skeleton,
        .skin = &stage->skin,
        .poses = stage->blended_list + first,
        .instance_count = count,
        .flags = is_prepared ? TRP_PALETTE_STREAM : 0,
        .palettes = stage->palettes + (size_t)first * stage->skin.joint_count * 12,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    check(trp_palette(&palette) == TRP_OK, "palette");
    memcpy(stage->limited + first * blocks, stage->blended + first * blocks,
           count * blocks * sizeof *stage->limited);
    const trp_humanoid humanoid = {
        .bind_hash = stage->skeleton.bind_hash,
        .block_count = stage->skeleton.block_count,
        .limit_block_count = stage->skeleton.block_count,
        .block_of_limits = stage->block_of_limits,
        .limit_blocks = stage->limits,
    };
    const trp_humanoid_args limit = {
        .humanoid = &humanoid,
        .skeleton = &stage->skeleton,
        .poses = stage->limited_list + first,
        .pose_count = count,
    };
    check(trp_humanoid_clamp(&limit) == TRP_OK, "limit");
    memcpy(stage->playheads + first, stage->starts + first, count * sizeof *stage->playheads);
    const trp_playhead_args advance = {
        .timelines = stage->timelines,
        .timeline_count = 3,
        .playhead_count = count,
        .playheads = stage->playheads + first,
        .dt_s = 0.7,
        .previous = stage->previous + first,
    };
    check(trp_playheads_advance(&advance, NULL) == TRP_OK, "advance");
    const trp_root_motion_args root_motion = {
        .timelines = stage->timelines,
        .timeline_count = 3,
        .playhead_count = count,
        .previous = stage->previous + first,
        .playheads = stage->playheads + first,
        .deltas = stage->deltas + first,
    };
    check(trp_root_motion_between(&root_motion, NULL) == TRP_OK, "root motion");
}

static struct hashes hash_stage(const struct stage *stage)
{
    const size_t blocks = stage->pose_count * stage->skeleton.block_count;
    const size_t entries = (size_t)stage->pose_count * stage->skin.joint_count;
    return (struct hashes){{
        [OPERATION_PACK] = hash_words(stage->bytes, stage->size_bytes),
        [OPERATION_SAMPLE] = hash_words(stage->sampled, blocks * sizeof *stage->sampled),
        [OPERATION_BLEND] = hash_words(stage->blended, blocks * sizeof *stage->blended),
        [OPERATION_MODEL] =
            hash_words(stage->models, blocks * TRP_BLOCK_LANES * 12 * sizeof(float)),
        [OPERATION_PALETTE] = hash_words(stage->palettes, entries * 12 * sizeof(float)),
        [OPERATION_ROOT_MOTION] =
            hash_words(stage->deltas, stage->pose_count * sizeof *stage->deltas),
        [OPERATION_LIMIT] = hash_words(stage->limited, blocks * sizeof *stage->limited),
    }};
}

static void flush_denormals(bool is_on)
{
#if defined(__SSE2__)
    const unsigned int bits = 0x8040; // FTZ and DAZ
    _mm_setcsr(is_on ? _mm_getcsr() | bits : _mm_getcsr() & ~bits);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = is_on ? control | (1u << 24) : control & ~(uint64_t)(1u << 24);
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    (void)is_on;
#endif
}

static void read_golden(const char *path, struct hashes *golden)
{
    FILE *const file = fopen(path, "r");
    check(file != NULL, path);
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
        char name[32];
        check(fscanf(file, "%31s %" SCNx64, name, &golden->values[operation]) == 2 &&
                  strcmp(name, operation_names[operation]) == 0,
              path);
    }
    fclose(file);
}

static void write_golden(const char *path, const struct hashes *golden)
{
    FILE *const file = fopen(path, "w");
    check(file != NULL, path);
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
        fprintf(file, "%s %016" PRIx64 "\n", operation_names[operation], golden->values[operation]);
    }
    check(fclose(file) == 0, path);
}

// Prints what differs.
static bool compare(const struct hashes *expected, const struct hashes *found, const char *who,
                    const char *way)
{
    bool is_same = true;
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
        if (found->values[operation] != expected->values[operation]) {
            printf("%s, %s: %s is %016" PRIx64 ", not %016" PRIx64 "\n", who, way,
                   operation_names[operation], found->values[operation],
                   expected->values[operation]);
            is_same = false;
        }
    }
    return is_same;
}

static bool check_isa(struct stage *stage, trp_isa isa, const struct hashes *expected)
{
    run(stage, 0, stage->pose_count, false);
    struct hashes found = hash_stage(stage);
    bool is_same = compare(expected, &found, trp_isa_name(isa), "one batch");

    for (uint32_t clip = 0; clip < stage->pack.clip_count; clip++) {
        check(trp_clip_prepare(&stage->clips[clip], 0, stage->prepared[clip],
                               trp_clip_prepared_bytes(&stage->clips[clip])) == TRP_OK,
              "prepare");
    }
    uint32_t count;
    for (uint32_t first = stage->pose_count; first > 0; first -= count) {
        count = 1 + first % 19 < first ? 1 + first % 19 : first;
        run(stage, first - count, count, true);
    }
    found = hash_stage(stage);
    is_same = compare(expected, &found, trp_isa_name(isa), "small batches, prepared") && is_same;

    flush_denormals(true);
    run(stage, 0, stage->pose_count, false);
    flush_denormals(false);
    found = hash_stage(stage);
    return compare(expected, &found, trp_isa_name(isa), "denormals flushed") && is_same;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 3) {
        fputs("usage: golden PACK GOLDEN [--update]\n", stderr);
        return EXIT_FAILURE;
    }
    static struct stage stage;
    make_stage(&stage, arguments[1]);
    check(trp_isa_force(TRP_ISA_REFERENCE) == TRP_OK, "reference");
    run(&stage, 0, stage.pose_count, false);
    const struct hashes reference = hash_stage(&stage);
    if (argument_count > 3) {
        write_golden(arguments[2], &reference);
    }
    struct hashes golden;
    read_golden(arguments[2], &golden);
    bool is_same = isa_report();
    is_same = compare(&golden, &reference, "reference", "golden") && is_same;
    FOR_EACH_ISA(isa)
    {
        is_same = check_isa(&stage, isa, &reference) && is_same;
    }
    puts(is_same ? "golden" : "DIFFERENT");
    return is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}
