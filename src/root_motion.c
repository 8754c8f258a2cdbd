// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Root motion between two states of playheads, over any number of loops at once.
//
// With R(a) a turn about +Y, a loop that goes from A to B (its start and end; backwards its end and
// start), whole turn w = yaw(B) - yaw(A), and m >= 1 seams between `from` and `to`, the ground is
// covered in three parts: to the seam, m - 1 whole loops, and on from the last seam,
//     R(-yaw(from)) * [(B - from) + R(w) * sum_{j < m - 1} R(j w) * (B - A) + R(m w) * (to - A)].
// The sum of turned loops is a chord: R(w) * sum_{j < n} R(j w) = R((n + 1) w / 2) * s, where
// s = sin(n w / 2) / sin(w / 2), which is n where w is 0. Angles are whole numbers, so multiples of
// w are exact however large m is, and s is good to the last bits however small w is. Nothing here
// is measured from far away: a step over a seam is as exact as any other.
//
// All that is as seen from the pivot c. Of the origin, the way is longer by c - R(yaw) * c.
#include <troupe/root_motion.h>

#include "../simd/blend_weight.h"
#include "angle.h"
#include "arguments.h"
#include "format.h"
#include "key_find.h"
#include "timeline.h"

/// A place of the motion, or the way between two.
struct place {
    double x;
    double y;
    double z;
    double turns; ///< yaw, not wrapped
};

// -- Keys

static bool find_motion(const trp_clip *clip, trp_root_motion *motion)
{
    const struct trp__clip_header *const clip_header = (const void *)clip->bytes;
    if (!clip_header || clip_header->root_offset == 0) {
        return false;
    }
    const uint8_t *const bytes = clip->bytes + clip_header->root_offset;
    const struct trp__root_header *const header = (const void *)bytes;
    const double *const times = (const void *)(bytes + sizeof *header);
    *motion = (trp_root_motion){
        .lane = header->lane,
        .components = header->components,
        .key_count = header->key_count,
        .is_in_pose = header->is_in_pose,
        .pivot = {header->pivot[0], header->pivot[1]},
        .times = times,
        .keys = (const void *)(times + header->key_count),
    };
    return true;
}

trp_result trp_clip_root_motion(const trp_clip *clip, trp_root_motion *root_motion)
{
    if (!clip || !clip->bytes || !root_motion) {
        return TRP_ERROR_ARGUMENT;
    }
    return find_motion(clip, root_motion) ? TRP_OK : TRP_ERROR_MISMATCH;
}

/// Returns the key that a time would follow if keys were evenly spaced, as they mostly are. Half an
/// interval early, since trp__key_find looks at the one after it too.
static uint32_t guess_key(const trp_root_motion *motion, double time_s)
{
    const uint32_t last = motion->key_count - 1;
    if (last == 0) {
        return 0;
    }
    const double key = time_s / motion->times[last] * last - 0.5;
    return key > 0 ? (uint32_t)(key < last ? key : last) : 0;
}

static double mix(float from, float to, double u)
{
    return from + u * ((double)to - from);
}

static struct place place_at(const trp_root_motion *motion, double time_s)
{
    uint32_t cursor = guess_key(motion, time_s);
    const struct trp__key_place at =
        trp__key_find(motion->times, motion->key_count, time_s, &cursor);
    const float *const from = motion->keys[at.key];
    const float *const to = motion->keys[at.u > 0 ? at.key + 1 : at.key];
    return (struct place){
        .x = mix(from[0], to[0], at.u),
        .y = mix(from[1], to[1], at.u),
        .z = mix(from[2], to[2], at.u),
        .turns = mix(from[3], to[3], at.u),
    };
}

// -- The way between two places

static struct place way_between(const struct place *from, const struct place *to)
{
    return (struct place){
        .x = to->x - from->x,
        .y = to->y - from->y,
        .z = to->z - from->z,
        .turns = to->turns - from->turns,
    };
}

/// Puts what is level of a way into the directions of one who turned.
static struct place turned(const struct place *way, struct trp__direction turn)
{
    struct place result = *way;
    result.x = turn.cos * way->x + turn.sin * way->z;
    result.z = turn.cos * way->z - turn.sin * way->x;
    return result;
}

/// Returns sin(count * angle) / sin(angle), `count` where the angle is 0.
static double chord(uint64_t count, trp__angle angle)
{
    return angle == 0 ? (double)count
                      : trp__direction_of(count * angle).sin / trp__direction_of(angle).sin;
}

/// Returns the way over one or more seams, in the directions of the start of the clip.
/// @param cycles not 0; below 0 backwards
static struct place way_over_seams(const trp_timeline *timeline, const trp_root_motion *motion,
                                   const struct place *from, const struct place *to, int64_t cycles)
{
    const struct place start = place_at(motion, timeline->start_s);
    const struct place end = place_at(motion, timeline->end_s);
    const struct place *const first = cycles > 0 ? &start : &end;
    const struct place *const last = cycles > 0 ? &end : &start;
    const uint64_t seams = cycles > 0 ? (uint64_t)cycles : 0 - (uint64_t)cycles;
    const trp__angle turn = trp__angle_of_turns(last->turns) - trp__angle_of_turns(first->turns);

    struct place way = way_between(from, last);
    struct place on = way_between(first, to);
    on = turned(&on, trp__direction_of(seams * turn));
    way.x += on.x;
    way.y += on.y;
    way.z += on.z;
    way.turns += on.turns;
    if (seams > 1) {
        const trp__angle half = trp__angle_half(turn);
        const double level = chord(seams - 1, half);
        struct place loop = way_between(first, last);
        loop = turned(&loop, trp__direction_of(seams * half));
        way.x += level * loop.x;
        way.y += (double)(seams - 1) * loop.y;
        way.z += level * loop.z;
        way.turns += (double)(seams - 1) * loop.turns;
    }
    return way;
}

/// Adds to the way of a pivot, by what it turned, what the origin goes round it. As a chord, which
/// is good to the last bits however small the turn is.
static void go_round(struct place *way, const float pivot[2])
{
    const trp__angle turn = trp__angle_of_turns(way->turns);
    const struct trp__direction half = trp__direction_of(trp__angle_half(turn));
    const double x = (double)pivot[0];
    const double z = (double)pivot[1];
    way->x += 2 * half.sin * (half.sin * x - half.cos * z);
    way->z += 2 * half.sin * (half.sin * z + half.cos * x);
}

static trp_root_delta movement(const trp_timeline *timeline, const trp_root_motion *motion,
                               const trp_playhead *previous, const trp_playhead *now)
{
    const int64_t from_units = trp__units_of_position(timeline, previous->position);
    const int64_t to_units = trp__units_of_position(timeline, now->position);
    const struct place from = place_at(motion, trp__time_of_units(timeline, from_units));
    const struct place to = place_at(motion, trp__time_of_units(timeline, to_units));
    const uint64_t cycles = timeline->mode == TRP_PLAY_LOOP // there and back is no way
                                ? (uint64_t)now->cycle - (uint64_t)previous->cycle
                                : 0;
    struct place way = cycles == 0 ? way_between(&from, &to)
                                   : way_over_seams(timeline, motion, &from, &to, (int64_t)cycles);
    if (motion->components & TRP_ROOT_YAW) {
        way = turned(&way, trp__direction_of(0 - trp__angle_of_turns(from.turns)));
        go_round(&way, motion->pivot);
    }
    return (trp_root_delta){{way.x, way.y, way.z}, way.turns * TRP__TWO_PI};
}

// -- Batches

static const trp_root_delta no_movement = {{0, 0, 0}, 0};

static bool is_good(const trp_root_motion_args *args, uint32_t index)
{
    const trp_playhead *const previous = &args->previous[index];
    const trp_playhead *const now = &args->playheads[index];
    if (now->timeline >= args->timeline_count || previous->timeline != now->timeline) {
        return false;
    }
    const trp_timeline *const timeline = &args->timelines[now->timeline];
    return timeline->clip && trp__is_on_timeline(timeline, previous) &&
           trp__is_on_timeline(timeline, now);
}

trp_result trp_root_motion_between(const trp_root_motion_args *args, trp_root_motion_report *report)
{
    if (!args || (args->timeline_count > 0 && !args->timelines)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (args->playhead_count > 0 && (!trp__is_aligned(args->previous, _Alignof(trp_playhead)) ||
                                     !trp__is_aligned(args->playheads, _Alignof(trp_playhead)) ||
                                     !trp__is_aligned(args->deltas, _Alignof(trp_root_delta)))) {
        return TRP_ERROR_ARGUMENT;
    }

    trp_root_motion_report found = {0};
    for (uint32_t i = 0; i < args->playhead_count; i++) {
        args->deltas[i] = no_movement;
        if (!is_good(args, i)) {
            found.bad_playhead_count++;
            continue;
        }
        const trp_timeline *const timeline = &args->timelines[args->playheads[i].timeline];
        trp_root_motion motion;
        if (find_motion(timeline->clip, &motion)) {
            args->deltas[i] = movement(timeline, &motion, &args->previous[i], &args->playheads[i]);
        }
    }
    if (report) {
        *report = found;
    }
    return TRP_OK;
}

// -- Deltas

/// Returns a movement as one who turned by some radians makes it.
static trp_root_delta turned_delta(const trp_root_delta *delta, double radians)
{
    const struct place way = {delta->translation[0], delta->translation[1], delta->translation[2],
                              0};
    const struct place result = turned(&way, trp__direction_of(trp__angle_of_radians(radians)));
    return (trp_root_delta){{result.x, result.y, result.z}, delta->yaw_rad};
}

trp_root_delta trp_root_delta_combine(const trp_root_delta *first, const trp_root_delta *second)
{
    const trp_root_delta *const base = first ? first : &no_movement;
    trp_root_delta sum = turned_delta(second ? second : &no_movement, base->yaw_rad);
    for (int i = 0; i < 3; i++) {
        sum.translation[i] += base->translation[i];
    }
    sum.yaw_rad += base->yaw_rad;
    return sum;
}

trp_root_delta trp_root_delta_inverse(const trp_root_delta *delta)
{
    const trp_root_delta *const base = delta ? delta : &no_movement;
    trp_root_delta inverse = turned_delta(base, -base->yaw_rad);
    for (int i = 0; i < 3; i++) {
        inverse.translation[i] = 0 - inverse.translation[i];
    }
    inverse.yaw_rad = 0 - inverse.yaw_rad;
    return inverse;
}

void trp_root_delta_rotation(const trp_root_delta *delta, float rotation[4])
{
    if (!trp__is_aligned(rotation, sizeof(float))) {
        return;
    }
    const double yaw_rad = delta ? delta->yaw_rad : 0;
    const struct trp__direction half = trp__direction_of(trp__angle_of_radians(yaw_rad * 0.5));
    rotation[0] = 0;
    rotation[1] = (float)half.sin;
    rotation[2] = 0;
    rotation[3] = (float)half.cos;
}

// -- Blending

static bool is_job_valid(const trp_root_blend_job *job)
{
    return job->layer_count == 0 || (trp__is_aligned(job->deltas, _Alignof(trp_root_delta)) &&
                                     trp__is_aligned(job->weights, sizeof(float)));
}

/// Layers of weight 0 are not read; one alone stays as it is.
static trp_root_delta blend(const trp_root_blend_job *job)
{
    trp_root_delta sum = {0};
    double weight_sum = 0;
    uint32_t weighty_count = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < job->layer_count; i++) {
        const double weight = trp__clean_weight(job->weights[i]);
        if (weight > 0) {
            for (int k = 0; k < 3; k++) {
                sum.translation[k] += weight * job->deltas[i].translation[k];
            }
            sum.yaw_rad += weight * job->deltas[i].yaw_rad;
            weight_sum += weight;
            weighty_count++;
            last = i;
        }
    }
    if (weighty_count < 2) {
        return weighty_count == 0 ? no_movement : job->deltas[last];
    }
    for (int k = 0; k < 3; k++) {
        sum.translation[k] /= weight_sum;
    }
    sum.yaw_rad /= weight_sum;
    return sum;
}

trp_result trp_blend_root_motion(const trp_root_blend_args *args)
{
    if (!args || (args->job_count > 0 &&
                  (!args->jobs || !trp__is_aligned(args->deltas, _Alignof(trp_root_delta))))) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->job_count; i++) {
        if (!is_job_valid(&args->jobs[i])) {
            return TRP_ERROR_ARGUMENT;
        }
    }
    for (uint32_t i = 0; i < args->job_count; i++) {
        args->deltas[i] = blend(&args->jobs[i]);
    }
    return TRP_OK;
}
