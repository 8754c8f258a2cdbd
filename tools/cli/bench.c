// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// `troupe bench`: how long the operations of the runtime take on a crowd, for each instruction
// set. Rounds of all of them are interleaved, so that a busy machine slows all alike, and the best
// round counts: everything else is noise of the machine.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../bench/scenes.h"
#include "arena.h"
#include "cli.h"
#include "output.h"

enum {
    CHUNK = 16, // instances that go through a pipeline together
    SMALLEST_ROUNDS = 10,
    LARGEST_ROUNDS = 1000,
    LARGEST_CROWD = 1000000,
    PLAYHEADS_AN_INSTANCE = 100,
    MOST_PLAYHEADS = 100000,
};

/// A measurement shorter than this is repeated within its round.
static const double shortest_measurement_ns = 100e3;

struct bench_command {
    const char *pack;
    const char *clip;
    uint32_t instance_count;
    uint32_t round_count;
    bool is_wanted[TRP_ISA_COUNT];
    bool is_json;
};

/// The expanded segments of a cast, for one instruction set.
struct prepared {
    const void **segments; ///< of all clips, clip by clip
    uint32_t count;
    uint32_t lead_first; ///< the lead's are segments[lead_first, lead_first + lead_count)
    uint32_t lead_count;
};

/// A crowd that plays a clip with keyed tracks; every call finds it at new times.
struct keyed_crowd {
    const trp_clip *clip;          ///< null where no clip of the cast has keyed tracks
    trp_sample_request *requests;  ///< with cursors of their own, and values where it has some
    trp_sample_request *scattered; ///< likewise, for random times
    uint64_t random_state;
};

/// Playheads of a clip that loops, at random places and different speeds, on a clock of 60 Hz.
struct playhead_crowd {
    const trp_clip *clip; ///< null where no unit of time serves it and the clock
    trp_timeline timeline;
    uint32_t count;
    trp_playhead *playheads;
    trp_playhead *previous;
    trp_event_hit *hits; ///< room for one each
    trp_root_delta *deltas;
};

/// Everything the operations work on. Nothing is allocated while the clock runs.
struct stage {
    struct bench_cast cast;
    uint32_t instance_count;
    trp_sample_request *requests[BENCH_SCENE_COUNT];
    trp_sample_request *partner_requests; ///< a second pose for each instance, for blends
    struct prepared prepared[TRP_ISA_COUNT];
    struct keyed_crowd keyed;
    struct playhead_crowd played;
    trp_pose_block *poses;
    trp_pose_block *partner_poses;
    trp_pose_block *blended;
    const trp_pose_block **pose_list;
    trp_blend_layer *layers; ///< two for each instance
    trp_blend_job *jobs;
    trp_pose_block *chunk_poses;
    trp_sample_request chunk_requests[2 * CHUNK];
    trp_blend_layer chunk_layers[2 * CHUNK];
    trp_blend_job chunk_jobs[CHUNK];
    const trp_pose_block *chunk_pose_list[CHUNK];
    float *models;
    float *palettes;
    float *palette_source;
    size_t palette_bytes; ///< of one instance
    void *prepare_memory;
    size_t prepare_bytes;
    void *scratch;
    size_t scratch_bytes;
    trp_isa isa; ///< in use
    struct arena arena;
};

/// What an operation works on, and is measured by.
enum subject {
    POSES,
    PALETTES, ///< poses too, of a skeleton with a skin
    KEYED_TRACKS,
    PLAYHEADS,
};

struct operation {
    const char *name;
    const char *mode;
    void (*run)(struct stage *stage);
    enum subject subject;
};

struct measurement {
    double *rounds_ns; ///< [round_count] for one pose
    double best_ns;
    double median_ns;
};

/// Calls with sizes and pointers of our own cannot fail; if one does, its time means nothing.
static void require_ok(trp_result result)
{
    if (result != TRP_OK) {
        fprintf(stderr, "troupe: error: bench: the runtime failed with %s [internal]\n",
                trp_result_name(result));
        exit(TROUPE_EXIT_INTERNAL);
    }
}

static void use_isa(struct stage *stage, trp_isa isa)
{
    require_ok(trp_isa_force(isa));
    stage->isa = isa;
}

// ---- the operations ----

static void run_prepare(struct stage *stage)
{
    const trp_clip *const lead = &stage->cast.clips[stage->cast.lead];
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        const uint32_t segment = lead->segment_count > 0 ? i % lead->segment_count : 0;
        require_ok(trp_clip_prepare(lead, segment, stage->prepare_memory, stage->prepare_bytes));
    }
}

static void sample_scene(struct stage *stage, enum bench_scene scene, bool uses_prepared)
{
    const struct prepared *const prepared = &stage->prepared[stage->isa];
    trp_sample_args args = {
        .requests = stage->requests[scene],
        .request_count = stage->instance_count,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    if (uses_prepared && scene == BENCH_SCENE_ALL) {
        args.prepared = prepared->segments;
        args.prepared_count = prepared->count;
    } else if (uses_prepared) {
        args.prepared = prepared->segments + prepared->lead_first;
        args.prepared_count = prepared->lead_count;
    }
    require_ok(trp_sample(&args, NULL));
}

static void run_sample_forward(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_FORWARD, false);
}

static void run_sample_random(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_RANDOM, false);
}

static void run_sample_all(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_ALL, false);
}

static void run_sample_forward_prepared(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_FORWARD, true);
}

static void run_sample_random_prepared(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_RANDOM, true);
}

static void run_sample_all_prepared(struct stage *stage)
{
    sample_scene(stage, BENCH_SCENE_ALL, true);
}

static void sample_keyed(struct stage *stage, const trp_sample_request *requests)
{
    const trp_sample_args args = {
        .requests = requests,
        .request_count = stage->instance_count,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    require_ok(trp_sample(&args, NULL));
}

static void run_keyed_forward(struct stage *stage)
{
    const double duration_s = stage->keyed.clip->duration_s;
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        double *const time_s = &stage->keyed.requests[i].time_s;
        *time_s = *time_s < duration_s ? *time_s + 1.0 / 60.0 : 0;
    }
    sample_keyed(stage, stage->keyed.requests);
}

static void run_keyed_random(struct stage *stage)
{
    const double duration_s = stage->keyed.clip->duration_s;
    for (uint32_t i = 0; i < stage->instance_count; i++) {
        stage->keyed.scattered[i].time_s = bench_random(&stage->keyed.random_state) * duration_s;
    }
    sample_keyed(stage, stage->keyed.scattered);
}

static void run_blend2(struct stage *stage)
{
    const trp_blend_args args = {
        .skeleton = &stage->cast.skeleton,
        .jobs = stage->jobs,
        .job_count = stage->instance_count,
    };
    require_ok(trp_blend(&args, NULL));
}

static void run_model(struct stage *stage)
{
    const trp_model_args args = {
        .skeleton = &stage->cast.skeleton,
        .poses = stage->pose_list,
        .instance_count = stage->instance_count,
        .models = stage->models,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    require_ok(trp_model(&args));
}

static void make_palettes(struct stage *stage, const trp_pose_block *const *poses, uint32_t first,
                          uint32_t count, uint32_t flags)
{
    const trp_palette_args args = {
        .skeleton = &stage->cast.skeleton,
        .skin = &stage->cast.skin,
        .poses = poses,
        .instance_count = count,
        .flags = flags,
        .palettes = stage->palettes + (size_t)first * stage->palette_bytes / sizeof(float),
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    require_ok(trp_palette(&args));
}

static void run_palette(struct stage *stage)
{
    make_palettes(stage, stage->pose_list, 0, stage->instance_count, 0);
}

static void run_palette_stream(struct stage *stage)
{
    make_palettes(stage, stage->pose_list, 0, stage->instance_count, TRP_PALETTE_STREAM);
}

/// Takes instances from clips to palettes: two samples, a blend, the palette, a chunk at a time so
/// that poses stay in the cache.
static void run_pipeline(struct stage *stage, uint32_t palette_flags)
{
    const struct prepared *const prepared = &stage->prepared[stage->isa];
    for (uint32_t first = 0; first < stage->instance_count; first += CHUNK) {
        const uint32_t left = stage->instance_count - first;
        const uint32_t count = left < CHUNK ? left : CHUNK;
        for (uint32_t i = 0; i < count; i++) {
            stage->chunk_requests[2 * i].time_s =
                stage->requests[BENCH_SCENE_RANDOM][first + i].time_s;
            stage->chunk_requests[2 * i + 1].time_s = stage->partner_requests[first + i].time_s;
        }
        const trp_sample_args sample_args = {
            .requests = stage->chunk_requests,
            .request_count = 2 * count,
            .prepared = prepared->segments + prepared->lead_first,
            .prepared_count = prepared->lead_count,
            .scratch = stage->scratch,
            .scratch_bytes = stage->scratch_bytes,
        };
        require_ok(trp_sample(&sample_args, NULL));
        const trp_blend_args blend_args = {
            .skeleton = &stage->cast.skeleton,
            .jobs = stage->chunk_jobs,
            .job_count = count,
        };
        require_ok(trp_blend(&blend_args, NULL));
        make_palettes(stage, stage->chunk_pose_list, first, count, palette_flags);
    }
}

static void run_pipeline2(struct stage *stage)
{
    run_pipeline(stage, 0);
}

static void run_pipeline2_stream(struct stage *stage)
{
    run_pipeline(stage, TRP_PALETTE_STREAM);
}

static void advance_playheads(struct stage *stage, double dt_s, int64_t dt_ticks)
{
    const trp_playhead_args args = {
        .timelines = &stage->played.timeline,
        .timeline_count = 1,
        .playheads = stage->played.playheads,
        .playhead_count = stage->played.count,
        .dt_s = dt_s,
        .dt_ticks = dt_ticks,
        .previous = stage->played.previous,
    };
    require_ok(trp_playheads_advance(&args, NULL));
}

static void run_advance_ticks(struct stage *stage)
{
    advance_playheads(stage, 0, 1);
}

static void run_advance_seconds(struct stage *stage)
{
    advance_playheads(stage, 1.0 / 60.0, 0);
}

static void run_events(struct stage *stage)
{
    advance_playheads(stage, 0, 1);
    const trp_event_args args = {
        .timelines = &stage->played.timeline,
        .timeline_count = 1,
        .previous = stage->played.previous,
        .playheads = stage->played.playheads,
        .playhead_count = stage->played.count,
    };
    trp_event_report found;
    require_ok(trp_events(&args, stage->played.hits, stage->played.count, &found));
}

static void run_root_motion(struct stage *stage)
{
    advance_playheads(stage, 0, 1);
    const trp_root_motion_args args = {
        .timelines = &stage->played.timeline,
        .timeline_count = 1,
        .previous = stage->played.previous,
        .playheads = stage->played.playheads,
        .playhead_count = stage->played.count,
        .deltas = stage->played.deltas,
    };
    require_ok(trp_root_motion_between(&args, NULL));
}

static void run_memcpy_palette(struct stage *stage)
{
    memcpy(stage->palettes, stage->palette_source, stage->palette_bytes * stage->instance_count);
}

static const struct operation operations[] = {
    {"prepare", "", run_prepare, POSES},
    {"sample", "forward", run_sample_forward, POSES},
    {"sample", "random", run_sample_random, POSES},
    {"sample", "all", run_sample_all, POSES},
    {"sample", "forward-prepared", run_sample_forward_prepared, POSES},
    {"sample", "random-prepared", run_sample_random_prepared, POSES},
    {"sample", "all-prepared", run_sample_all_prepared, POSES},
    {"keyed", "forward", run_keyed_forward, KEYED_TRACKS},
    {"keyed", "random", run_keyed_random, KEYED_TRACKS},
    {"advance", "ticks", run_advance_ticks, PLAYHEADS},
    {"advance", "seconds", run_advance_seconds, PLAYHEADS},
    {"events", "ticks", run_events, PLAYHEADS},
    {"root_motion", "ticks", run_root_motion, PLAYHEADS},
    {"blend2", "", run_blend2, POSES},
    {"model", "", run_model, POSES},
    {"palette", "", run_palette, PALETTES},
    {"palette", "stream", run_palette_stream, PALETTES},
    {"pipeline2", "", run_pipeline2, PALETTES},
    {"pipeline2", "stream", run_pipeline2_stream, PALETTES},
    {"memcpy_palette", "", run_memcpy_palette, PALETTES}, // what others are compared with: last
};

enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

/// Returns how many poses, or playheads, a call of an operation makes.
static uint32_t count_of(const struct operation *operation, const struct stage *stage)
{
    return operation->subject == PLAYHEADS ? stage->played.count : stage->instance_count;
}

/// Returns the bytes that an operation writes for one pose or playhead.
static size_t bytes_of(const struct operation *operation, const struct stage *stage)
{
    if (operation->run == run_prepare) {
        return stage->prepare_bytes;
    }
    if (operation->run == run_model) {
        return (size_t)stage->cast.skeleton.lane_count * 12 * sizeof(float);
    }
    const size_t pose_bytes = trp_pose_bytes(stage->cast.skeleton.block_count);
    switch (operation->subject) {
    case PALETTES:
        return stage->palette_bytes;
    case KEYED_TRACKS:
        return pose_bytes + stage->keyed.clip->value_count * sizeof(float);
    case PLAYHEADS: // where they are, where they were, and how they moved
        return 2 * sizeof(trp_playhead) +
               (operation->run == run_root_motion ? sizeof(trp_root_delta) : 0);
    default:
        return pose_bytes;
    }
}

// ---- the stage ----

/// A cast of clips without joints moves values only.
static bool has_joints(const struct stage *stage)
{
    return stage->cast.skeleton.joint_count > 0;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/// Expands all segments of all clips for the instruction set in use.
static void prepare_clips(struct stage *stage, struct prepared *prepared)
{
    uint32_t segment_count = 0;
    for (uint32_t i = 0; i < stage->cast.clip_count; i++) {
        segment_count += stage->cast.clips[i].segment_count;
    }
    prepared->segments = ARENA_NEW(&stage->arena, const void *, segment_count);
    for (uint32_t i = 0; i < stage->cast.clip_count; i++) {
        const trp_clip *const clip = &stage->cast.clips[i];
        const size_t size_bytes = trp_clip_prepared_bytes(clip);
        if (i == stage->cast.lead) {
            prepared->lead_first = prepared->count;
            prepared->lead_count = clip->segment_count;
        }
        for (uint32_t segment = 0; segment < clip->segment_count; segment++) {
            void *const memory = arena_take(&stage->arena, size_bytes, 1);
            require_ok(trp_clip_prepare(clip, segment, memory, size_bytes));
            prepared->segments[prepared->count++] = memory;
        }
    }
}

/// Returns the lead, or where it has no keyed tracks the clip that has the most; null: none has.
static const trp_clip *find_keyed_clip(const struct bench_cast *cast)
{
    const trp_clip *found = &cast->clips[cast->lead];
    for (uint32_t i = 0; i < cast->clip_count && cast->clips[cast->lead].track_count == 0; i++) {
        found = cast->clips[i].track_count > found->track_count ? &cast->clips[i] : found;
    }
    return found->track_count > 0 ? found : NULL;
}

/// Makes requests for a clip with keyed tracks, at random times.
static trp_sample_request *make_keyed_requests(struct stage *stage, uint64_t *random_state)
{
    struct arena *const arena = &stage->arena;
    const trp_clip *const clip = stage->keyed.clip;
    const size_t count = stage->instance_count;
    trp_sample_request *const requests = ARENA_NEW(arena, trp_sample_request, count);
    float *const values = ARENA_NEW(arena, float, count * clip->value_count);
    uint32_t *const cursors = ARENA_NEW(arena, uint32_t, count * clip->cursor_count);
    for (size_t i = 0; i < count; i++) {
        requests[i] = (trp_sample_request){
            .clip = clip,
            .time_s = bench_random(random_state) * clip->duration_s,
            .pose = clip->block_count > 0 ? stage->poses + i * clip->block_count : NULL,
            .values = clip->value_count > 0 ? values + i * clip->value_count : NULL,
            .cursors = cursors + i * clip->cursor_count,
        };
    }
    return requests;
}

static void build_keyed_crowd(struct stage *stage)
{
    struct keyed_crowd *const keyed = &stage->keyed;
    keyed->clip = find_keyed_clip(&stage->cast);
    keyed->random_state = 3;
    if (keyed->clip != NULL) {
        keyed->requests = make_keyed_requests(stage, &keyed->random_state);
        keyed->scattered = make_keyed_requests(stage, &keyed->random_state);
    }
}

/// Returns the lead, or where it has no events the clip that has the most.
static const trp_clip *find_played_clip(const struct bench_cast *cast)
{
    const trp_clip *found = &cast->clips[cast->lead];
    for (uint32_t i = 0; i < cast->clip_count && cast->clips[cast->lead].event_count == 0; i++) {
        found = cast->clips[i].event_count > found->event_count ? &cast->clips[i] : found;
    }
    return found;
}

static void build_playhead_crowd(struct stage *stage)
{
    struct playhead_crowd *const played = &stage->played;
    const trp_clip *const clip = find_played_clip(&stage->cast);
    const trp_timeline_args args = {.clip = clip, .mode = TRP_PLAY_LOOP, .clock_num = 60};
    if (trp_timeline_make(&args, &played->timeline) != TRP_OK) {
        return;
    }
    const uint64_t count = (uint64_t)stage->instance_count * PLAYHEADS_AN_INSTANCE;
    played->clip = clip;
    played->count = count < MOST_PLAYHEADS ? (uint32_t)count : MOST_PLAYHEADS;
    played->playheads = ARENA_NEW(&stage->arena, trp_playhead, played->count);
    played->previous = ARENA_NEW(&stage->arena, trp_playhead, played->count);
    played->hits = ARENA_NEW(&stage->arena, trp_event_hit, played->count);
    played->deltas = ARENA_NEW(&stage->arena, trp_root_delta, played->count);
    uint64_t state = 4;
    for (uint32_t i = 0; i < played->count; i++) {
        const double time_s = bench_random(&state) * clip->duration_s;
        played->playheads[i] = trp_playhead_start(&played->timeline, time_s);
        played->playheads[i].speed = (float)(0.5 + bench_random(&state));
    }
}

/// Fills two layers and one job of each blend: the poses of `a` and `b`, half and half.
static void fill_blends(struct stage *stage, uint32_t count, trp_pose_block *a, trp_pose_block *b,
                        trp_pose_block *out, trp_blend_layer *layers, trp_blend_job *jobs)
{
    const size_t stride = stage->cast.skeleton.block_count;
    for (uint32_t i = 0; i < count; i++) {
        layers[2 * i] = (trp_blend_layer){.pose = a + i * stride, .weight = 0.5f};
        layers[2 * i + 1] = (trp_blend_layer){.pose = b + i * stride, .weight = 0.5f};
        jobs[i] = (trp_blend_job){
            .layers = &layers[2 * i],
            .layer_count = 2,
            .pose = out + i * stride,
        };
    }
}

static void build_crowd(struct stage *stage)
{
    struct arena *const arena = &stage->arena;
    const uint32_t count = stage->instance_count;
    const size_t blocks = stage->cast.skeleton.block_count;
    stage->poses = ARENA_NEW(arena, trp_pose_block, count * blocks);
    stage->partner_poses = ARENA_NEW(arena, trp_pose_block, count * blocks);
    stage->blended = ARENA_NEW(arena, trp_pose_block, count * blocks);
    stage->chunk_poses = ARENA_NEW(arena, trp_pose_block, 2 * CHUNK * blocks);
    for (int scene = 0; scene < BENCH_SCENE_COUNT; scene++) {
        stage->requests[scene] = ARENA_NEW(arena, trp_sample_request, count);
        bench_scene_requests(&stage->cast, (enum bench_scene)scene, 1, count, stage->poses,
                             stage->requests[scene]);
    }
    stage->partner_requests = ARENA_NEW(arena, trp_sample_request, count);
    bench_scene_requests(&stage->cast, BENCH_SCENE_RANDOM, 2, count, stage->partner_poses,
                         stage->partner_requests);
    stage->pose_list = ARENA_NEW(arena, const trp_pose_block *, count);
    for (uint32_t i = 0; i < count; i++) {
        stage->pose_list[i] = stage->poses + i * blocks;
    }
    stage->layers = ARENA_NEW(arena, trp_blend_layer, 2 * (size_t)count);
    stage->jobs = ARENA_NEW(arena, trp_blend_job, count);
    fill_blends(stage, count, stage->poses, stage->partner_poses, stage->blended, stage->layers,
                stage->jobs);
    trp_pose_block *const second = stage->chunk_poses + CHUNK * blocks;
    fill_blends(stage, CHUNK, stage->chunk_poses, second, stage->chunk_poses, stage->chunk_layers,
                stage->chunk_jobs);
    const trp_clip *const lead = &stage->cast.clips[stage->cast.lead];
    for (uint32_t i = 0; i < CHUNK; i++) {
        trp_pose_block *const pose = stage->chunk_poses + i * blocks;
        stage->chunk_requests[2 * i] = (trp_sample_request){.clip = lead, .pose = pose};
        stage->chunk_requests[2 * i + 1] =
            (trp_sample_request){.clip = lead, .pose = second + i * blocks};
        stage->chunk_pose_list[i] = pose;
    }
}

/// Reserves what the calls need. The arena has written every byte once, so no page is new.
static void build_buffers(struct stage *stage)
{
    struct arena *const arena = &stage->arena;
    const size_t count = stage->instance_count;
    const trp_skeleton *const skeleton = &stage->cast.skeleton;
    stage->prepare_bytes = trp_clip_prepared_bytes(&stage->cast.clips[stage->cast.lead]);
    stage->prepare_memory = arena_take(arena, stage->prepare_bytes, 1);
    stage->models = ARENA_NEW(arena, float, count * skeleton->lane_count * 12);
    if (stage->cast.has_skin) {
        stage->palette_bytes = (size_t)stage->cast.skin.joint_count * 12 * sizeof(float);
        stage->palettes = arena_take(arena, count, stage->palette_bytes);
        stage->palette_source = arena_take(arena, count, stage->palette_bytes);
    }
    stage->scratch_bytes =
        largest(trp_model_scratch_bytes(skeleton), trp_palette_scratch_bytes(skeleton));
    const struct prepared *const prepared = &stage->prepared[stage->isa];
    for (int scene = 0; scene < BENCH_SCENE_COUNT; scene++) {
        const trp_sample_args args = {
            .requests = stage->requests[scene],
            .request_count = stage->instance_count,
            .prepared = prepared->segments,
            .prepared_count = prepared->count,
        };
        stage->scratch_bytes = largest(stage->scratch_bytes, trp_sample_scratch_bytes(&args));
    }
    const trp_sample_args chunk_args = {
        .requests = stage->chunk_requests,
        .request_count = 2 * CHUNK,
        .prepared = prepared->segments + prepared->lead_first,
        .prepared_count = prepared->lead_count,
    };
    stage->scratch_bytes = largest(stage->scratch_bytes, trp_sample_scratch_bytes(&chunk_args));
    if (stage->keyed.clip != NULL) {
        const trp_sample_args keyed_args = {
            .requests = stage->keyed.requests,
            .request_count = stage->instance_count,
        };
        stage->scratch_bytes = largest(stage->scratch_bytes, trp_sample_scratch_bytes(&keyed_args));
    }
    stage->scratch = arena_take(arena, stage->scratch_bytes, 1);
}

/// Makes the second poses of all instances and gives the copy something to copy.
static void fill_buffers(struct stage *stage)
{
    if (!has_joints(stage)) {
        return;
    }
    const trp_sample_args args = {
        .requests = stage->partner_requests,
        .request_count = stage->instance_count,
        .scratch = stage->scratch,
        .scratch_bytes = stage->scratch_bytes,
    };
    require_ok(trp_sample(&args, NULL));
    run_sample_random(stage);
    if (stage->cast.has_skin) {
        run_palette(stage);
        memcpy(stage->palette_source, stage->palettes,
               stage->palette_bytes * stage->instance_count);
    }
}

// ---- the clock ----

/// Returns the time this thread has had a processor: what others run in between does not count.
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/// Times an operation after it ran once untimed, so that none pays for what the one before it left
/// in the caches.
static double time_once(struct stage *stage, const struct operation *operation, uint32_t repeats)
{
    operation->run(stage);
    const double start = now_ns();
    for (uint32_t i = 0; i < repeats; i++) {
        operation->run(stage);
    }
    return (now_ns() - start) / repeats;
}

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static bool is_possible(const struct operation *operation, const struct stage *stage)
{
    switch (operation->subject) {
    case KEYED_TRACKS:
        return stage->keyed.clip != NULL;
    case PLAYHEADS:
        return stage->played.clip != NULL;
    default:
        return has_joints(stage) && (operation->subject != PALETTES || stage->cast.has_skin);
    }
}

/// Runs all rounds: in each, every instruction set; for each, every operation.
static void run_rounds(struct stage *stage, const struct bench_command *command,
                       struct measurement (*measurements)[OPERATION_COUNT])
{
    uint32_t repeats[TRP_ISA_COUNT][OPERATION_COUNT] = {{0}};
    for (uint32_t round = 0; round <= command->round_count; round++) { // round 0 warms up
        for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
            if (!command->is_wanted[isa]) {
                continue;
            }
            use_isa(stage, (trp_isa)isa);
            for (int i = 0; i < OPERATION_COUNT; i++) {
                if (!is_possible(&operations[i], stage)) {
                    continue;
                }
                if (round == 0) {
                    const double once_ns = time_once(stage, &operations[i], 1) + 1;
                    repeats[isa][i] = 1 + (uint32_t)(shortest_measurement_ns / once_ns);
                } else {
                    measurements[isa][i].rounds_ns[round - 1] =
                        time_once(stage, &operations[i], repeats[isa][i]) /
                        count_of(&operations[i], stage);
                }
            }
        }
    }
}

/// Finds the best and the middle of all rounds.
static void summarise(struct measurement *measurement, uint32_t round_count)
{
    qsort(measurement->rounds_ns, round_count, sizeof(double), compare_numbers);
    measurement->best_ns = measurement->rounds_ns[0];
    measurement->median_ns = measurement->rounds_ns[round_count / 2];
}

// ---- the output ----

/// Returns what an operation takes for each lane, keyed track or playhead.
static double part_ns(const struct stage *stage, const struct operation *operation,
                      const struct measurement *measurement)
{
    switch (operation->subject) {
    case KEYED_TRACKS:
        return measurement->best_ns / stage->keyed.clip->track_count;
    case PLAYHEADS:
        return measurement->best_ns;
    default:
        return measurement->best_ns / stage->cast.skeleton.lane_count;
    }
}

/// Returns the clip that all instances play, or null where they play many.
static const trp_clip *clip_of(const struct stage *stage, const struct operation *operation)
{
    if (operation->subject == KEYED_TRACKS) {
        return stage->keyed.clip;
    }
    if (operation->subject == PLAYHEADS) {
        return stage->played.clip;
    }
    return strncmp(operation->mode, "all", 3) == 0 ? NULL : &stage->cast.clips[stage->cast.lead];
}

static json_t *describe_row(const struct stage *stage, const struct operation *operation,
                            trp_isa isa, const struct measurement *measurement)
{
    const trp_skeleton *const skeleton = &stage->cast.skeleton;
    const trp_clip *const clip = clip_of(stage, operation);
    const bool has_lanes = operation->subject != PLAYHEADS;
    json_t *const row = json_object();
    json_object_set_new(row, "operation", json_string(operation->name));
    json_object_set_new(row, "mode", json_string(operation->mode));
    json_object_set_new(row, "isa", json_string(trp_isa_name(isa)));
    json_object_set_new(row, "skeleton",
                        has_joints(stage) ? output_string(skeleton->name) : json_null());
    json_object_set_new(row, "clip", clip != NULL ? output_string(clip->name) : json_null());
    json_object_set_new(row, "joints", json_integer(skeleton->joint_count));
    json_object_set_new(row, "lanes", json_integer(skeleton->lane_count));
    json_object_set_new(row, "instances", json_integer(count_of(operation, stage)));
    json_object_set_new(row, "threads", json_integer(1));
    json_object_set_new(row, "ns_per_pose", output_real(measurement->best_ns));
    json_object_set_new(row, "ns_per_pose_median", output_real(measurement->median_ns));
    json_object_set_new(row, "ns_per_lane",
                        has_lanes ? output_real(measurement->best_ns / skeleton->lane_count)
                                  : json_null());
    json_object_set_new(row, "ns_per_joint",
                        has_lanes ? output_real(measurement->best_ns / skeleton->joint_count)
                                  : json_null());
    if (operation->subject == KEYED_TRACKS) {
        json_object_set_new(row, "tracks", json_integer(clip->track_count));
        json_object_set_new(row, "ns_per_track",
                            output_real(part_ns(stage, operation, measurement)));
    }
    json_object_set_new(row, "bytes", json_integer((json_int_t)bytes_of(operation, stage)));
    return row;
}

/// Prints one line of the table: time a lane, track or playhead on each instruction set, and more
/// of the last one.
static void print_row(struct output_table *table, const struct stage *stage, int operation,
                      const struct bench_command *command,
                      struct measurement (*measurements)[OPERATION_COUNT])
{
    int last = 0;
    output_cell(table, "%s", operations[operation].name);
    output_cell(table, "%s", operations[operation].mode);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (command->is_wanted[isa]) {
            output_cell(table, "%.2f",
                        part_ns(stage, &operations[operation], &measurements[isa][operation]));
            last = isa;
        }
    }
    const struct measurement *const measurement = &measurements[last][operation];
    const double bytes = (double)bytes_of(&operations[operation], stage);
    output_cell(table, "%.1f", measurement->best_ns);
    output_cell(table, "%.1f", measurement->median_ns);
    const bool has_lanes = operations[operation].subject != PLAYHEADS;
    output_cell(table, has_lanes && has_joints(stage) ? "%.2f" : "-",
                measurement->best_ns / stage->cast.skeleton.joint_count);
    output_cell(table, "%.1f", bytes / measurement->best_ns);
    if (has_lanes && stage->cast.has_skin) {
        output_cell(table, "%.2f",
                    measurement->best_ns / measurements[last][OPERATION_COUNT - 1].best_ns);
    } else {
        output_cell(table, "-");
    }
}

static void print_table(const struct stage *stage, const struct bench_command *command,
                        struct measurement (*measurements)[OPERATION_COUNT])
{
    static const char *const tail[] = {"ns/pose", "median", "ns/joint", "GB/s", "x memcpy"};
    enum { TAIL_COUNT = sizeof tail / sizeof tail[0] };
    const char *headings[2 + TRP_ISA_COUNT + TAIL_COUNT] = {"<operation", "<mode"};
    struct output_table table = {.headings = headings, .column_count = 2};
    const char *last = "";
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (command->is_wanted[isa]) {
            last = trp_isa_name((trp_isa)isa);
            headings[table.column_count++] = last;
        }
    }
    for (int i = 0; i < TAIL_COUNT; i++) {
        headings[table.column_count++] = tail[i];
    }
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (is_possible(&operations[i], stage)) {
            print_row(&table, stage, i, command, measurements);
        }
    }
    const trp_skeleton *const skeleton = &stage->cast.skeleton;
    const trp_clip *const lead = &stage->cast.clips[stage->cast.lead];
    output_line("%s: %u joints in %u lanes, %u instances, clip '%s' (%.2f s) of %u",
                has_joints(stage) ? skeleton->name : "values alone", skeleton->joint_count,
                skeleton->lane_count, stage->instance_count, lead->name, lead->duration_s,
                stage->cast.clip_count);
    if (stage->keyed.clip != NULL) {
        output_line("keyed: ns a track, clip '%s' with %u", stage->keyed.clip->name,
                    stage->keyed.clip->track_count);
    }
    if (stage->played.clip != NULL) {
        output_line("advance, events, root_motion: ns a playhead, %u of them, clip '%s' with %u "
                    "event%s",
                    stage->played.count, stage->played.clip->name, stage->played.clip->event_count,
                    stage->played.clip->event_count == 1 ? "" : "s");
    }
    output_line("one core, best of %u rounds: ns a lane on each instruction set, then for %s",
                command->round_count, last);
    output_table_print(&table);
    output_line("%s", "");
}

static void print_rows(const struct stage *stage, const struct bench_command *command,
                       struct measurement (*measurements)[OPERATION_COUNT], json_t *rows)
{
    for (int i = 0; i < OPERATION_COUNT; i++) {
        for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
            if (command->is_wanted[isa] && is_possible(&operations[i], stage)) {
                json_array_append_new(
                    rows, describe_row(stage, &operations[i], (trp_isa)isa, &measurements[isa][i]));
            }
        }
    }
}

/// Measures one skeleton.
static void bench_cast(const struct bench_command *command, const struct bench_cast *cast,
                       json_t *rows)
{
    struct stage *const stage = calloc(1, sizeof *stage);
    if (stage == NULL) {
        exit(TROUPE_EXIT_INTERNAL);
    }
    stage->cast = *cast;
    stage->instance_count = command->instance_count;
    build_crowd(stage);
    build_keyed_crowd(stage);
    build_playhead_crowd(stage);
    struct measurement(*const measurements)[OPERATION_COUNT] =
        arena_take(&stage->arena, TRP_ISA_COUNT, sizeof *measurements);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        if (command->is_wanted[isa]) {
            use_isa(stage, (trp_isa)isa);
            prepare_clips(stage, &stage->prepared[isa]);
        }
        for (int i = 0; i < OPERATION_COUNT; i++) {
            measurements[isa][i].rounds_ns = ARENA_NEW(&stage->arena, double, command->round_count);
        }
    }
    build_buffers(stage);
    fill_buffers(stage);
    run_rounds(stage, command, measurements);
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        for (int i = 0; i < OPERATION_COUNT; i++) {
            summarise(&measurements[isa][i], command->round_count);
        }
    }
    if (rows != NULL) {
        print_rows(stage, command, measurements, rows);
    } else {
        print_table(stage, command, measurements);
    }
    arena_free(&stage->arena);
    free(stage);
}

/// Collects what a round is to measure: a skeleton with its clips, or clips without joints that
/// have keyed tracks.
/// @param skeleton_index TRP_NONE: clips without joints
static bool collect_cast(const trp_pack *pack, uint32_t skeleton_index, struct bench_cast *cast)
{
    if (skeleton_index != TRP_NONE) {
        return bench_cast_collect(pack, skeleton_index, cast);
    }
    memset(&cast->skeleton, 0, sizeof cast->skeleton);
    cast->has_skin = false;
    cast->clip_count = 0;
    cast->lead = 0;
    for (uint32_t i = 0; i < pack->clip_count; i++) {
        trp_clip *const clip = &cast->clips[cast->clip_count];
        trp_pack_clip(pack, i, clip);
        cast->clip_count += clip->block_count == 0 && clip->track_count > 0;
    }
    return cast->clip_count > 0;
}

/// Measures each skeleton of a pack and the clips without one, or the cast of the clip that was
/// asked for.
static bool bench(const struct bench_command *command, const struct cli_pack *pack, json_t *rows,
                  struct report *report)
{
    trp_clip wanted = {.skeleton_index = TRP_NONE};
    if (command->clip != NULL && !cli_clip_find(pack, command->clip, &wanted, report)) {
        return false;
    }
    struct arena arena = {0};
    struct bench_cast cast = {.clips = ARENA_NEW(&arena, trp_clip, pack->pack.clip_count)};
    const trp_isa chosen = trp_isa_active();
    uint32_t cast_count = 0;
    for (uint32_t i = 0; i <= pack->pack.skeleton_count; i++) {
        const uint32_t skeleton_index = i < pack->pack.skeleton_count ? i : TRP_NONE;
        const bool is_wanted = skeleton_index == wanted.skeleton_index &&
                               (skeleton_index != TRP_NONE || wanted.block_count == 0);
        if ((command->clip != NULL && !is_wanted) ||
            !collect_cast(&pack->pack, skeleton_index, &cast)) {
            continue;
        }
        for (uint32_t j = 0; j < cast.clip_count && command->clip != NULL; j++) {
            cast.lead = cast.clips[j].index == wanted.index ? j : cast.lead;
        }
        bench_cast(command, &cast, rows);
        cast_count++;
    }
    trp_isa_force(chosen);
    arena_free(&arena);
    return cast_count > 0 || report_error(report, TROUPE_EXIT_INPUT, NULL, "bench.empty",
                                          "no clip together with its skeleton in this pack, and "
                                          "no keyed one without joints");
}

// ---- the command line ----

static trp_isa isa_named(const char *name, size_t length)
{
    for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
        const char *const other = trp_isa_name((trp_isa)isa);
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return (trp_isa)isa;
        }
    }
    return TRP_ISA_COUNT;
}

/// Reads a list of instruction sets.
/// @return TROUPE_EXIT_OK or the code to leave with, reported.
static enum troupe_exit parse_isas(const char *list, bool is_wanted[TRP_ISA_COUNT])
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        const trp_isa isa = isa_named(at, length);
        if (isa == TRP_ISA_COUNT) {
            return cli_usage_error("bench", "'%.*s' is no instruction set", (int)length, at);
        }
        if (!trp_isa_available(isa)) {
            struct report report = {.out = stderr};
            report_error(&report, TROUPE_EXIT_UNSUPPORTED, "bench", "bench.isa",
                         "this build or processor has no %s", trp_isa_name(isa));
            return TROUPE_EXIT_UNSUPPORTED;
        }
        is_wanted[isa] = true;
        at += length;
        if (*at == '\0') {
            return TROUPE_EXIT_OK;
        }
    }
}

/// Reads a count for an option.
static bool parse_option_count(const char *name, const char *text, uint64_t least, uint64_t most,
                               uint32_t *count)
{
    uint64_t value = 0;
    if (!cli_parse_count(text, most, &value) || value < least) {
        if (least == most) {
            cli_usage_error("bench", "--%s takes %llu and nothing else, not '%s'", name,
                            (unsigned long long)least, text);
            return false;
        }
        cli_usage_error("bench", "--%s takes a number from %llu to %llu, not '%s'", name,
                        (unsigned long long)least, (unsigned long long)most, text);
        return false;
    }
    *count = (uint32_t)value;
    return true;
}

enum {
    OPTION_INSTANCES = 256,
    OPTION_CLIP,
    OPTION_ISA,
    OPTION_ROUNDS,
    OPTION_THREADS,
    OPTION_JSON,
};

/// @return false when the program is to end with `code`.
static bool parse_command(int argc, char **argv, struct bench_command *command,
                          enum troupe_exit *code)
{
    static const struct option long_options[] = {
        {"instances", required_argument, NULL, OPTION_INSTANCES},
        {"clip", required_argument, NULL, OPTION_CLIP},
        {"isa", required_argument, NULL, OPTION_ISA},
        {"rounds", required_argument, NULL, OPTION_ROUNDS},
        {"threads", required_argument, NULL, OPTION_THREADS},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, CLI_OPTION_HELP},
        {0},
    };
    *code = TROUPE_EXIT_USAGE;
    bool chooses_isa = false;
    uint32_t thread_count = 1;
    bool ok = true;
    int option = 0;
    opterr = 0;
    while (ok && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_INSTANCES:
            ok =
                parse_option_count("instances", optarg, 1, LARGEST_CROWD, &command->instance_count);
            break;
        case OPTION_ROUNDS:
            ok = parse_option_count("rounds", optarg, SMALLEST_ROUNDS, LARGEST_ROUNDS,
                                    &command->round_count);
            break;
        case OPTION_THREADS:
            ok = parse_option_count("threads", optarg, 1, 1, &thread_count);
            break;
        case OPTION_CLIP:
            command->clip = optarg;
            break;
        case OPTION_ISA:
            chooses_isa = true;
            *code = parse_isas(optarg, command->is_wanted);
            ok = *code == TROUPE_EXIT_OK;
            break;
        case OPTION_JSON:
            command->is_json = true;
            break;
        default:
            *code = cli_option_other("bench", option, argv);
            ok = false;
        }
    }
    if (!ok) {
        return false;
    }
    *code = TROUPE_EXIT_USAGE;
    if (argc - optind != 1) {
        cli_usage_error("bench", "one pack, please");
        return false;
    }
    command->pack = argv[optind];
    for (int isa = TRP_ISA_REFERENCE + 1; isa < TRP_ISA_COUNT && !chooses_isa; isa++) {
        command->is_wanted[isa] = trp_isa_available((trp_isa)isa) != 0;
    }
    *code = TROUPE_EXIT_OK;
    return true;
}

enum troupe_exit cli_bench(int argc, char **argv)
{
    struct bench_command command = {.instance_count = 1000, .round_count = 15};
    enum troupe_exit code = TROUPE_EXIT_OK;
    if (!parse_command(argc, argv, &command, &code)) {
        return code;
    }
    struct report report = {.out = stderr};
    struct cli_pack pack;
    if (!cli_pack_read(command.pack, &pack, &report)) {
        return report.exit_code;
    }
    json_t *const rows = command.is_json ? json_array() : NULL;
    const bool ok = bench(&command, &pack, rows, &report);
    if (ok && rows != NULL) {
        json_t *const object = output_json("bench");
        json_object_set(object, "rows", rows);
        output_json_print(object);
    }
    json_decref(rows);
    cli_pack_free(&pack);
    return ok ? TROUPE_EXIT_OK : report.exit_code;
}
