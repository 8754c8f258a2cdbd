// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Single keyed tracks: their components alone are taken out of their group's keys.
#include <troupe/track.h>

#include "arguments.h"
#include "keyed.h"
#include "segment.h"

void trp__track_of(const struct trp__keyed *keyed, uint32_t index, trp_track *track)
{
    const struct trp__keyed_track *const entry = &keyed->tracks[index];
    const struct trp__key_group *const group = &keyed->groups[entry->group];
    const double *const times = (const void *)(keyed->bytes + group->times);
    *track = (trp_track){
        .path = (trp_path)entry->path,
        .target = entry->target,
        .stride = entry->stride,
        .key_count = group->key_count,
        .duration_s = group->key_count > 1 ? times[group->key_count - 1] : 0,
        .index = index,
        .times = times,
        .keyed = keyed->bytes,
        .group = entry->group,
        .first = entry->first,
    };
    track->interpolation = trp_track_interpolation(track, 0);
}

trp_result trp_clip_track(const trp_clip *clip, uint32_t index, trp_track *track)
{
    if (!clip || !track || index >= clip->track_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__keyed keyed = trp__keyed_of(trp__keyed_bytes(clip));
    trp__track_of(&keyed, index, track);
    return TRP_OK;
}

trp_interpolation trp_track_interpolation(const trp_track *track, uint32_t key)
{
    if (!track || !track->keyed || key >= track->key_count - 1) {
        return TRP_INTERPOLATION_STEP;
    }
    const struct trp__keyed keyed = trp__keyed_of(track->keyed);
    return trp__key_interpolation(&keyed, &keyed.groups[track->group], key);
}

// -- Sampling

static bool can_sample(const trp_track *track, const float *into)
{
    return track && track->keyed && trp__is_aligned(into, sizeof(float));
}

trp_result trp_track_sample(const trp_track *track, double time_s, uint32_t *cursor, float *into,
                            uint32_t into_count)
{
    if (!can_sample(track, into)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (into_count < track->stride) {
        return TRP_ERROR_CAPACITY;
    }
    const trp_track_request request = {track, time_s, cursor, into};
    return trp_sample_tracks(&(trp_track_args){.requests = &request, .request_count = 1});
}

trp_result trp_track_sample_vector3(const trp_track *track, double time_s, uint32_t *cursor,
                                    float into[3])
{
    if (!can_sample(track, into)) {
        return TRP_ERROR_ARGUMENT;
    }
    return track->stride == 3 ? trp_track_sample(track, time_s, cursor, into, 3)
                              : TRP_ERROR_MISMATCH;
}

trp_result trp_track_sample_quaternion(const trp_track *track, double time_s, uint32_t *cursor,
                                       float into[4])
{
    if (!can_sample(track, into)) {
        return TRP_ERROR_ARGUMENT;
    }
    return track->path == TRP_PATH_ROTATION ? trp_track_sample(track, time_s, cursor, into, 4)
                                            : TRP_ERROR_MISMATCH;
}

// -- Batches

static trp_result check_arguments(const trp_track_args *args)
{
    if (!args || (args->request_count > 0 && !args->requests)) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->request_count; i++) {
        const trp_track_request *const request = &args->requests[i];
        if (!can_sample(request->track, request->into) ||
            !trp__is_null_or_aligned(request->cursor, sizeof *request->cursor)) {
            return TRP_ERROR_ARGUMENT;
        }
    }
    return TRP_OK;
}

/// Says whether the keys around a request are those around the one before it.
static bool is_same_place(const trp_track_request *request, const trp_track_request *before)
{
    return request->track->keyed == before->track->keyed &&
           request->track->group == before->track->group && request->time_s == before->time_s;
}

trp_result trp_sample_tracks(const trp_track_args *args)
{
    const trp_result result = check_arguments(args);
    if (result != TRP_OK) {
        return result;
    }
    struct trp__key_batch batch;
    trp__key_batch_start(&batch, trp__kernels_active());
    struct trp__key_place place = {0};
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < args->request_count; i++) {
        const trp_track_request *const request = &args->requests[i];
        const struct trp__keyed keyed = trp__keyed_of(request->track->keyed);
        if (i == 0 || !is_same_place(request, request - 1)) {
            cursor = request->cursor ? *request->cursor : 0;
            place = trp__key_find(request->track->times, request->track->key_count, request->time_s,
                                  &cursor);
        }
        if (request->cursor) {
            *request->cursor = cursor;
        }
        struct trp__key_source source;
        trp__key_source_set_track(&source, &keyed, request->track);
        trp__key_batch_add(&batch, &source, &place, request->into, 1, request->into);
    }
    trp__key_batch_finish(&batch);
    return TRP_OK;
}
