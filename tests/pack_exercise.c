// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// See pack_exercise.h. Every buffer has exactly the size that the runtime asks for, so that one
// byte too many is found.
#include "pack_exercise.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIME_COUNT = 9,
    MAX_PREPARED = 64, // segments of a clip: a hostile one may have a million
    MAX_PLACES = 256,  // of a blend tree, likewise
};

static void expect(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "pack_exercise: %s\n", what);
        abort();
    }
}

static void *allocate(size_t size_bytes)
{
    // Not rounded up: sanitizers watch the last byte. Zero bytes still need a pointer.
    void *memory = NULL;
    expect(posix_memalign(&memory, TRP_ALIGNMENT, size_bytes == 0 ? 1 : size_bytes) == 0,
           "out of memory");
    return memory;
}

static void hostile_times(const trp_clip *clip, double times[TIME_COUNT])
{
    const double end = clip->duration_s;
    const double chosen[TIME_COUNT] = {
        -0.0, end * 0.37, end, NAN, INFINITY, -INFINITY, 1e300, end * 0.999, -0.5,
    };
    memcpy(times, chosen, sizeof chosen);
}

static void exercise_skeleton(const trp_skeleton *skeleton)
{
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint++) {
        const char *const name = trp_skeleton_joint_name(skeleton, joint);
        expect(name != NULL && strlen(name) < SIZE_MAX, "a joint has no name");
        const char *const id = trp_skeleton_joint_id(skeleton, joint);
        expect(id != NULL && strlen(id) < SIZE_MAX, "a joint has no id");
        expect(trp_skeleton_parent(skeleton, joint) == TRP_NONE ||
                   trp_skeleton_parent(skeleton, joint) < skeleton->joint_count,
               "a parent is no joint");
    }
    (void)trp_skeleton_find_joint(skeleton, skeleton->name_hash_of_joint[0]);
}

/// Models of a pose, all at once and one by one, and its palettes.
static void exercise_model(const trp_pack *pack, const trp_skeleton *skeleton,
                           const trp_pose_block *pose)
{
    const size_t model_bytes = sizeof(float[12]) * skeleton->lane_count;
    const size_t scratch_bytes = trp_model_scratch_bytes(skeleton);
    float *const models = allocate(model_bytes);
    void *const scratch = allocate(scratch_bytes);
    const trp_pose_block *const poses[2] = {pose, skeleton->rest};
    float *const both = allocate(2 * model_bytes);
    const trp_model_args args = {
        .skeleton = skeleton,
        .poses = poses,
        .instance_count = 2,
        .models = both,
        .scratch = scratch,
        .scratch_bytes = scratch_bytes,
    };
    expect(trp_model(&args) == TRP_OK, "trp_model failed");
    for (uint32_t joint = 0; joint < skeleton->joint_count; joint += 1 + joint / 8) {
        expect(trp_model_joint(skeleton, pose, joint, models) == TRP_OK, "trp_model_joint failed");
    }
    free(both);
    free(scratch);
    free(models);

    for (uint32_t i = 0; i < pack->skin_count; i++) {
        trp_skin skin;
        expect(trp_pack_skin(pack, i, &skin) == TRP_OK, "trp_pack_skin failed");
        if (skin.skeleton_index != skeleton->index) {
            continue;
        }
        const size_t palette_scratch_bytes = trp_palette_scratch_bytes(skeleton);
        float *const palettes = allocate(2 * sizeof(float[12]) * skin.joint_count);
        void *const palette_scratch = allocate(palette_scratch_bytes);
        const trp_palette_args palette_args = {
            .skeleton = skeleton,
            .skin = &skin,
            .poses = poses,
            .instance_count = 2,
            .palettes = palettes,
            .scratch = palette_scratch,
            .scratch_bytes = palette_scratch_bytes,
        };
        expect(trp_palette(&palette_args) == TRP_OK, "trp_palette failed");
        free(palette_scratch);
        free(palettes);
    }
}

static void exercise_blend(const trp_skeleton *skeleton, const trp_clip *clip,
                           const trp_pose_block *first, const trp_pose_block *second,
                           trp_pose_block *pose)
{
    float *const mask = allocate(sizeof(float[16]) * clip->block_count);
    expect(trp_clip_coverage(clip, mask) == TRP_OK, "trp_clip_coverage failed");
    const trp_blend_layer layers[3] = {
        {.pose = first, .weight = 0.25f},
        {.pose = second, .mask = mask, .weight = 1.5f},
        {.pose = second, .mask = mask, .weight = 0.5f, .mode = TRP_BLEND_ADD},
    };
    const trp_blend_job job = {.layers = layers, .layer_count = 3, .pose = pose};
    const trp_blend_args args = {.skeleton = skeleton, .jobs = &job, .job_count = 1};
    expect(trp_blend(&args, NULL) == TRP_OK, "trp_blend failed");
    free(mask);
}

static void exercise_property_set(const trp_property_set *set)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < set->property_count; i++) {
        trp_property property;
        expect(trp_property_set_property(set, i, &property) == TRP_OK,
               "trp_property_set_property failed");
        expect(property.first_value == value, "properties are not side by side");
        expect(strlen(property.path) < SIZE_MAX, "a property has no path");
        expect(trp_property_set_find(set, property.path_hash) <= i, "a property is not found");
        for (uint32_t k = 0; k < property.value_count; k++, value++) {
            expect(strlen(trp_property_set_label(set, value)) < SIZE_MAX, "a value has no label");
        }
    }
    expect(value == set->value_count, "values without a property");
    for (uint32_t i = 0; i < set->property_count; i += 1 + i / 8) {
        char part[16];
        trp_property property;
        expect(trp_property_set_property(set, i, &property) == TRP_OK, "a property is missing");
        for (uint32_t k = 0; trp_property_path_part(property.path, k, part, sizeof part) > 0; k++) {
            expect(strlen(part) < sizeof part, "a part of a path has no end");
        }
    }
    for (uint32_t i = 0; i <= set->text_count; i += 1 + i / 8) {
        expect(strlen(trp_property_set_text(set, (float)i)) < SIZE_MAX, "a value has no text");
    }
}

/// Samples every keyed track by itself, with a cursor and without.
static void exercise_tracks(const trp_clip *clip, const double *times)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        trp_track track;
        expect(trp_clip_track(clip, i, &track) == TRP_OK, "trp_clip_track failed");
        (void)trp_track_interpolation(&track, track.key_count / 2);
        float *const value = allocate(track.stride * sizeof *value);
        float *const again = allocate(track.stride * sizeof *again);
        uint32_t cursor = i * 0x9E3779B9u;
        for (uint32_t k = 0; k < TIME_COUNT; k++) {
            expect(trp_track_sample(&track, times[k], NULL, value, track.stride) == TRP_OK &&
                       trp_track_sample(&track, times[k], &cursor, again, track.stride) == TRP_OK,
                   "trp_track_sample failed");
            expect(memcmp(value, again, track.stride * sizeof *value) == 0,
                   "a cursor changes a track");
        }
        free(again);
        free(value);
    }
}

static void exercise_value_blend(const trp_property_set *set, const trp_clip *clip,
                                 const float *first, const float *second)
{
    float *const mask = allocate(clip->value_count * sizeof *mask);
    float *const values = allocate(clip->value_count * sizeof *values);
    expect(trp_clip_started(clip, -0.5, mask) == TRP_OK, "trp_clip_started failed");
    expect(trp_clip_value_coverage(clip, mask) == TRP_OK, "trp_clip_value_coverage failed");
    const trp_value_layer layers[3] = {
        {.values = first, .weight = 0.25f},
        {.values = second, .mask = mask, .weight = 1.5f},
        {.values = second, .mask = mask, .weight = 0.5f, .mode = TRP_BLEND_SUBTRACT},
    };
    const trp_value_blend_job job = {.layers = layers, .layer_count = 3, .values = values};
    const trp_value_blend_args args = {.set = set, .jobs = &job, .job_count = 1};
    expect(trp_blend_values(&args, NULL) == TRP_OK, "trp_blend_values failed");
    free(values);
    free(mask);
}

/// Poses and values at all times. `poses` or `values` may be null.
static void sample(const trp_clip *clip, const double *times, trp_pose_block *poses, float *values,
                   uint32_t *cursors, const void *const *prepared, uint32_t prepared_count)
{
    trp_sample_request requests[TIME_COUNT];
    for (uint32_t i = 0; i < TIME_COUNT; i++) {
        requests[i] = (trp_sample_request){
            .clip = clip,
            .time_s = times[i],
            .pose = poses ? poses + (size_t)i * clip->block_count : NULL,
            .values = values ? values + (size_t)i * clip->value_count : NULL,
            .cursors = cursors,
        };
    }
    trp_sample_args args = {
        .requests = requests,
        .request_count = TIME_COUNT,
        .prepared = prepared,
        .prepared_count = prepared_count,
    };
    args.scratch_bytes = trp_sample_scratch_bytes(&args);
    args.scratch = allocate(args.scratch_bytes);
    expect(trp_sample(&args, NULL) == TRP_OK, "trp_sample failed");
    free(args.scratch);
}

static int are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return 0;
        }
    }
    return 1;
}

/// Samples with segments prepared beforehand and without, with cursors and without, values alone
/// and beside a pose; all must give the same bits.
static void exercise_sample(const trp_clip *clip, const double *times, trp_pose_block *poses,
                            float *values)
{
    const size_t value_count = TIME_COUNT * (size_t)clip->value_count;
    const size_t value_bytes = value_count * sizeof *values;
    float *const values_again = allocate(value_bytes);
    uint32_t *const cursors = allocate(clip->cursor_count * sizeof *cursors);
    memset(cursors, 0xA5, clip->cursor_count * sizeof *cursors);
    const size_t pose_bytes = TIME_COUNT * trp_pose_bytes(clip->block_count);
    const size_t prepared_bytes = trp_clip_prepared_bytes(clip);
    trp_pose_block *const again = allocate(pose_bytes);
    void *prepared[MAX_PREPARED];
    uint32_t count = 0;
    for (; count < MAX_PREPARED && (count == 0 || count < clip->segment_count); count++) {
        prepared[count] = allocate(prepared_bytes);
        expect(trp_clip_prepare(clip, count, prepared[count], prepared_bytes) == TRP_OK,
               "trp_clip_prepare failed");
    }
    sample(clip, times, poses, values, NULL, NULL, 0);
    sample(clip, times, again, values_again, cursors, (const void *const *)prepared, count);
    expect(memcmp(poses, again, pose_bytes) == 0, "prepared segments give other bits");
    expect(memcmp(values, values_again, value_bytes) == 0, "values have other bits");
    sample(clip, times, NULL, values_again, cursors, NULL, 0);
    expect(memcmp(values, values_again, value_bytes) == 0, "values alone have other bits");
    sample(clip, times, again, NULL, cursors, NULL, 0);
    expect(memcmp(poses, again, pose_bytes) == 0, "a pose without values has other bits");
    expect(are_finite(values, value_count), "a value is not finite");
    expect(trp_pose_is_finite(poses, TIME_COUNT * clip->block_count), "a pose is not finite");
    while (count > 0) {
        free(prepared[--count]);
    }
    free(cursors);
    free(values_again);
    free(again);
}

// -- Time

enum {
    MODE_COUNT = 3,
    PLAYHEAD_COUNT = MODE_COUNT * TIME_COUNT,
    MAX_HITS = 16,
};

static void exercise_event_views(const trp_clip *clip)
{
    for (uint32_t i = 0; i < clip->event_count; i++) {
        trp_event event;
        expect(trp_clip_event(clip, i, &event) == TRP_OK, "trp_clip_event failed");
        expect(event.name[0] != 0 && strlen(event.name) < SIZE_MAX, "an event has no name");
        expect(strlen(event.text) < SIZE_MAX, "an event has no text");
        expect(strlen(event.target) < SIZE_MAX, "an event has no target");
        (void)trp_event_value(&event, 0.5);
        expect((event.samples == NULL) == (event.sample_count == 0), "samples are half there");
        for (uint32_t k = 0; k < event.sample_count; k++) {
            expect(event.samples[k] >= -1000 && event.samples[k] <= 1000, "a sample is too large");
        }
        expect(event.duration_s >= 0 && event.duration_s <= 1e9, "an event lasts for ever");
        expect(event.time_s >= 0 && event.time_s <= clip->duration_s, "an event is off its clip");
        expect(trp_clip_find_event(clip, event.name_hash, 0) <= i, "an event is not found");
    }
}

/// Events, ranges and root motion between two states of playheads.
static void exercise_between(const trp_timeline *timelines, const trp_playhead *previous,
                             const trp_playhead *playheads)
{
    const trp_event_args args = {
        .timelines = timelines,
        .timeline_count = MODE_COUNT,
        .playhead_count = PLAYHEAD_COUNT,
        .previous = previous,
        .playheads = playheads,
    };
    trp_event_hit *const hits = allocate(MAX_HITS * sizeof *hits);
    trp_event_range *const ranges = allocate(MAX_HITS * sizeof *ranges);
    trp_event_report report;
    expect(trp_events(&args, hits, MAX_HITS, &report) == TRP_OK, "trp_events failed");
    for (uint32_t i = 0; i < report.written_count; i++) {
        const trp_timeline *const timeline = &timelines[playheads[hits[i].playhead].timeline];
        expect(hits[i].event - timeline->first_event < timeline->event_count,
               "an event off its timeline fires");
        expect(hits[i].fraction >= 0 && hits[i].fraction <= 1, "an event fires off its way");
    }
    expect(trp_event_ranges(&args, ranges, MAX_HITS, &report) == TRP_OK, "trp_event_ranges failed");
    for (uint32_t i = 0; i < report.written_count; i++) {
        expect(ranges[i].from >= 0 && ranges[i].from <= 1 && ranges[i].to >= 0 && ranges[i].to <= 1,
               "a range is off its event");
    }
    trp_root_delta *const deltas = allocate(PLAYHEAD_COUNT * sizeof *deltas);
    const trp_root_motion_args root_args = {
        .timelines = timelines,
        .timeline_count = MODE_COUNT,
        .playhead_count = PLAYHEAD_COUNT,
        .previous = previous,
        .playheads = playheads,
        .deltas = deltas,
    };
    expect(trp_root_motion_between(&root_args, NULL) == TRP_OK, "trp_root_motion_between failed");
    for (uint32_t i = 0; i < PLAYHEAD_COUNT; i++) {
        expect(isfinite(deltas[i].translation[0]) && isfinite(deltas[i].translation[1]) &&
                   isfinite(deltas[i].translation[2]) && isfinite(deltas[i].yaw_rad),
               "a movement is not finite");
    }
    free(deltas);
    free(ranges);
    free(hits);
}

/// A sync group of a looping timeline with itself, with its markers and without.
static void exercise_sync(const trp_timeline *timeline, const double *times)
{
    int64_t markers[TRP_SYNC_MAX_MARKERS];
    uint32_t count = 0;
    const bool has_markers =
        trp_sync_markers(timeline, 0, markers, TRP_SYNC_MAX_MARKERS, &count) == TRP_OK && count > 0;
    const trp_sync_member members[2] = {
        {.timeline = timeline,
         .markers = has_markers ? markers : NULL,
         .marker_count = has_markers ? count : 0,
         .weight = 0.5f},
        {.timeline = timeline,
         .markers = has_markers ? markers : NULL,
         .marker_count = has_markers ? count : 0},
    };
    trp_playhead playheads[2] = {
        trp_playhead_start(timeline, times[1]),
        trp_playhead_start(timeline, times[7]),
    };
    trp_playhead previous[2];
    trp_sync_group group = trp_sync_group_start(&members[0], &playheads[0]);
    for (uint32_t i = 0; i < TIME_COUNT; i++) {
        (void)trp_sync_advance(&(trp_sync_args){
            .members = members,
            .member_count = 2,
            .group = &group,
            .dt_s = times[i],
            .playheads = playheads,
            .previous = previous,
        });
        expect(group.phase >= 0 && group.phase < TRP_SYNC_PHASE_ONE, "a group is off its phase");
    }
}

/// Playheads in all modes, over all of the clip and a part of it, moved on by half of the times
/// each.
static void exercise_time(const trp_clip *clip, const double *times)
{
    exercise_event_views(clip);
    for (uint32_t part = 0; part < 2; part++) {
        trp_timeline timelines[MODE_COUNT];
        trp_playhead playheads[PLAYHEAD_COUNT];
        trp_playhead previous[PLAYHEAD_COUNT];
        double times_s[PLAYHEAD_COUNT];
        for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
            const trp_timeline_args args = {
                .clip = clip,
                .mode = (trp_play_mode)mode,
                .start_s = part * clip->duration_s * 0.21,
                .end_s = part * clip->duration_s * 0.87,
                .clock_num = part == 0 ? 0 : 60,
            };
            if (trp_timeline_make(&args, &timelines[mode]) != TRP_OK) {
                expect(part == 1, "trp_timeline_make failed");
                return;
            }
            for (uint32_t i = 0; i < TIME_COUNT; i++) {
                trp_playhead *const playhead = &playheads[mode * TIME_COUNT + i];
                *playhead = trp_playhead_start(&timelines[mode], times[i]);
                playhead->timeline = mode;
                playhead->speed = i % 2 == 0 ? 1.0f : -1.5f;
            }
        }
        for (uint32_t i = part; i < TIME_COUNT; i += 2) {
            const trp_playhead_args args = {
                .timelines = timelines,
                .timeline_count = MODE_COUNT,
                .playhead_count = PLAYHEAD_COUNT,
                .playheads = playheads,
                .dt_s = times[i],
                .dt_ticks = part == 0 ? 0 : INT64_MAX >> 7 * i,
                .previous = previous,
                .times_s = times_s,
            };
            expect(trp_playheads_advance(&args, NULL) == TRP_OK, "trp_playheads_advance failed");
            for (uint32_t k = 0; k < PLAYHEAD_COUNT; k++) {
                expect(times_s[k] >= 0 && times_s[k] <= clip->duration_s,
                       "a playhead is off its clip");
            }
            exercise_between(timelines, previous, playheads);
        }
        exercise_sync(&timelines[TRP_PLAY_LOOP], times);
    }
}

/// @param skeleton null for a clip without joints
static void exercise_clip(const trp_pack *pack, const trp_clip *clip, const trp_skeleton *skeleton)
{
    double times[TIME_COUNT];
    hostile_times(clip, times);
    trp_pose_block *const poses = allocate(TIME_COUNT * trp_pose_bytes(clip->block_count));
    trp_pose_block *const blended = allocate(trp_pose_bytes(clip->block_count));
    float *const values = allocate(TIME_COUNT * clip->value_count * sizeof *values);
    exercise_sample(clip, times, poses, values);
    exercise_tracks(clip, times);
    trp_property_set set;
    if (trp_pack_property_set(pack, clip->property_set_index, &set) == TRP_OK) {
        exercise_value_blend(&set, clip, values, values + clip->value_count);
    }
    free(values);
    if (skeleton != NULL) {
        exercise_blend(skeleton, clip, poses, poses + clip->block_count, blended);
        exercise_model(pack, skeleton, poses + clip->block_count);
        exercise_model(pack, skeleton, blended);
    }
    for (uint32_t lane = 0; lane <= 16 * clip->block_count; lane++) {
        (void)trp_clip_track_kind(clip, TRP_PATH_ROTATION, lane);
        (void)trp_clip_track_kind(clip, TRP_PATH_SCALE, lane);
    }
    free(blended);
    free(poses);
}

// -- Scenes

static void exercise_humanoid(const trp_skeleton *skeleton, const trp_instance *instance)
{
    trp_humanoid humanoid;
    if (trp_instance_humanoid(instance, &humanoid) != TRP_OK) {
        return;
    }
    for (uint32_t part = 0; part < TRP_HUMAN_PART_COUNT; part++) {
        const uint16_t lane = trp_humanoid_lane(&humanoid, part);
        expect(lane == TRP_NO_LANE ||
                   (lane < skeleton->lane_count && trp_humanoid_part(&humanoid, lane) <= part),
               "a part has no place");
        expect(humanoid.limits[part].axes < 8, "a part has too many axes");
    }
    trp_pose_block *const pose = allocate(trp_pose_bytes(skeleton->block_count));
    memcpy(pose, instance->pose, trp_pose_bytes(skeleton->block_count));
    const trp_humanoid_args args = {
        .humanoid = &humanoid,
        .skeleton = skeleton,
        .poses = &pose,
        .pose_count = 1,
    };
    expect(trp_humanoid_clamp(&args) == TRP_OK, "trp_humanoid_clamp failed");
    expect(trp_pose_is_finite(pose, skeleton->block_count), "a held pose is not finite");
    free(pose);
}

static void exercise_instance(const trp_pack *pack, const trp_instance *instance)
{
    trp_skeleton skeleton;
    expect(trp_pack_skeleton(pack, instance->skeleton_index, &skeleton) == TRP_OK,
           "an instance has no skeleton");
    expect(strlen(instance->name) + strlen(instance->id) + strlen(instance->armature_name) +
                   strlen(instance->armature_id) <
               SIZE_MAX,
           "an instance has no names");
    for (uint32_t bone = 0; bone < instance->bone_count; bone++) {
        const uint16_t lane = instance->lane_of_bone[bone];
        expect(strlen(trp_instance_bone_id(instance, bone)) < SIZE_MAX, "a bone has no id");
        expect(trp_instance_find_bone(instance, instance->id_hash_of_bone[bone]) <= bone,
               "a bone is not found");
        expect(lane == TRP_NO_LANE || skeleton.joint_of_lane[lane] != TRP_NO_LANE,
               "a bone is in no lane");
        expect(isfinite(instance->length_of_bone[bone]), "a bone has no length");
    }
    for (uint32_t i = 0; i < instance->component_count; i++) {
        trp_component component;
        expect(trp_instance_component(instance, i, &component) == TRP_OK,
               "trp_instance_component failed");
        expect(component.bone < instance->bone_count, "a component has no bone");
        expect(strlen(component.id) + strlen(component.type) + strlen(component.json) < SIZE_MAX,
               "a component has no text");
    }
    exercise_humanoid(&skeleton, instance);
}

static void exercise_blendtree(const trp_pack *pack, const trp_blendtree *tree)
{
    static const float parameters[4] = {0.0f, 0.4f, -1e30f, NAN};
    if (tree->count > MAX_PLACES) {
        return;
    }
    float *const weights = allocate(tree->count * sizeof *weights);
    expect(strlen(tree->name) + strlen(tree->id) < SIZE_MAX, "a tree has no name");
    expect(trp_pack_find_blendtree(pack, tree->name_hash) <= tree->index, "a tree is not found");
    for (uint32_t i = 0; i < 4; i++) {
        const float y = parameters[(i + 1) % 4];
        expect(trp_blendtree_weights(tree, parameters[i], y, weights) == TRP_OK,
               "trp_blendtree_weights failed");
        double sum = tree->count == 0 ? 1 : 0;
        for (uint32_t k = 0; k < tree->count; k++) {
            expect(weights[k] >= 0 && weights[k] <= 1, "a weight is off");
            sum += weights[k];
        }
        expect(sum > 0.999 && sum < 1.001, "weights do not add up");
    }
    free(weights);
}

/// Samples a clip over the poses of all instances that it fits.
static void exercise_bases(const trp_pack *pack, trp_clip *clip, const trp_skeleton *skeleton)
{
    for (uint32_t i = 0; i < pack->instance_count && i < 4; i++) {
        trp_instance instance;
        (void)trp_pack_instance(pack, i, &instance);
        if (instance.skeleton_index == skeleton->index &&
            trp_clip_bind_instance(clip, &instance) == TRP_OK) {
            exercise_clip(pack, clip, skeleton);
        }
    }
}

/// Puts one of the instruction sets there are in force. Asking the processor takes longer than the
/// rest of a small pack: it is asked once.
static void force_isa(uint32_t number)
{
    static trp_isa available[TRP_ISA_COUNT];
    static uint32_t count;
    if (count == 0) {
        for (int isa = 0; isa < TRP_ISA_COUNT; isa++) {
            if (trp_isa_available((trp_isa)isa)) {
                available[count++] = (trp_isa)isa;
            }
        }
    }
    expect(trp_isa_force(available[number % count]) == TRP_OK, "trp_isa_force failed");
}

static void exercise(const trp_pack *pack)
{
    for (uint32_t i = 0; i < pack->skeleton_count; i++) {
        trp_skeleton skeleton;
        expect(trp_pack_skeleton(pack, i, &skeleton) == TRP_OK, "trp_pack_skeleton failed");
        exercise_skeleton(&skeleton);
        exercise_model(pack, &skeleton, skeleton.rest);
    }
    for (uint32_t i = 0; i < pack->property_set_count; i++) {
        trp_property_set set;
        expect(trp_pack_property_set(pack, i, &set) == TRP_OK, "trp_pack_property_set failed");
        exercise_property_set(&set);
    }
    for (uint32_t i = 0; i < pack->instance_count; i++) {
        trp_instance instance;
        expect(trp_pack_instance(pack, i, &instance) == TRP_OK, "trp_pack_instance failed");
        exercise_instance(pack, &instance);
    }
    for (uint32_t i = 0; i < pack->blendtree_count; i++) {
        trp_blendtree tree;
        expect(trp_pack_blendtree(pack, i, &tree) == TRP_OK, "trp_pack_blendtree failed");
        exercise_blendtree(pack, &tree);
    }
    for (uint32_t i = 0; i < pack->clip_count; i++) {
        trp_clip clip;
        expect(trp_pack_clip(pack, i, &clip) == TRP_OK, "trp_pack_clip failed");
        expect(trp_pack_find_clip(pack, clip.name_hash) <= i, "a clip is not found");
        double times[TIME_COUNT];
        hostile_times(&clip, times);
        exercise_time(&clip, times);
        if (clip.block_count == 0) {
            exercise_clip(pack, &clip, NULL);
        }
        for (uint32_t k = 0; k < pack->skeleton_count; k++) {
            trp_skeleton skeleton;
            expect(trp_pack_skeleton(pack, k, &skeleton) == TRP_OK, "trp_pack_skeleton failed");
            if (trp_clip_bind(&clip, &skeleton) == TRP_OK) {
                exercise_clip(pack, &clip, &skeleton);
                exercise_bases(pack, &clip, &skeleton);
            } else {
                expect(k != clip.skeleton_index, "a clip does not fit its own skeleton");
            }
        }
    }
}

trp_result pack_exercise(const void *bytes, size_t size_bytes)
{
    trp_pack pack;
    const trp_result result = trp_pack_open(bytes, size_bytes, &pack, NULL);
    if (result == TRP_OK) {
        const trp_isa isa = trp_isa_active();
        force_isa(((const uint8_t *)bytes)[24]);
        exercise(&pack);
        (void)trp_isa_force(isa);
    }
    return result;
}
