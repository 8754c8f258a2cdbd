// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Animations of an STF file: each becomes a clip of tracks. What an animation lacks and its reset
// animation sets is held at that.
#include "stf_curve.h"

#include <string.h>

#define DEFAULT_FPS 30.0
#define MOST_RESETS 64u // one after the other

/// What is known of a track beside what the scene says.
struct origin {
    uint32_t rank; // 2 = in `tracks_baked`, 1 = generated as a whole, 0 = as it was made
    bool is_euler;
    uint64_t missing; // of a property: bit for each value that it does not drive
};

/// Where the reading of all animations stands.
struct animation_reader {
    struct stf *stf;
    uint32_t *track_of;   // [node_count][3] 1 + the track of this clip that has the path, 0 = none
    uint32_t *own_counts; // [clip_count] tracks that are not from reset animations
    int32_t *resets;      // [clip_count] clip of the reset animation; -1 = none
    struct origin **origins; // [clip_count][track_count]
};

/// One animation of the file and the clip it becomes.
struct animation {
    const struct stf_resource *resource;
    uint32_t index;
    struct scene_clip *clip;
    struct origin *origins; // [track_count]
    struct stf_span span;
};

/// Reads how the animation plays. What is unknown is played once.
static bool loop_read(struct animation *animation)
{
    const struct json_value *const value = &animation->resource->value;
    const char *loop = "none";
    if (!json_get_string(value, "loop", false, &loop)) {
        return false;
    }
    animation->clip->play = strcmp(loop, "loop") == 0       ? SCENE_PLAY_LOOP
                            : strcmp(loop, "pingpong") == 0 ? SCENE_PLAY_PING_PONG
                                                            : SCENE_PLAY_ONCE;
    if (animation->clip->play == SCENE_PLAY_ONCE && strcmp(loop, "none") != 0) {
        json_warn(value, "stf.animation.loop", "loop \"%s\" is unknown; played once", loop);
    }
    return true;
}

/// Reads frames per second and range.
static bool span_read(struct animation *animation)
{
    const struct json_value *const value = &animation->resource->value;
    const struct json_value fps = json_member(value, "fps");
    const struct json_value range = json_member(value, "range");
    double ends[2] = {0, 0};
    animation->span.fps = DEFAULT_FPS;
    if (!json_get_number(value, "fps", false, &animation->span.fps)) {
        return false;
    }
    if (json_is_absent(&fps)) {
        json_warn(value, "stf.animation.fps", "says no frames per second; taken for %g",
                  DEFAULT_FPS);
    } else if (!(animation->span.fps >= 1e-6 && animation->span.fps <= 1e6)) {
        return json_refuse(&fps, TROUPE_EXIT_INPUT, "stf.animation.fps",
                           "%g frames per second are not from 1e-6 to 1e6", animation->span.fps);
    }
    if (json_is_absent(&range)) {
        return json_refuse(value, TROUPE_EXIT_INPUT, "json.missing", "\"range\" is missing");
    }
    if (!json_get_numbers(value, "range", 2, ends)) {
        return false;
    }
    if (!(ends[0] >= -1e9 && ends[1] <= 1e9 && ends[0] <= ends[1])) {
        return json_refuse(&range, TROUPE_EXIT_INPUT, "stf.animation.range",
                           "frames from %.9g to %.9g are no range", ends[0], ends[1]);
    }
    animation->span.first = ends[0];
    animation->span.last = ends[1];
    animation->clip->duration_s = stf_span_time(&animation->span, ends[1]);
    return true;
}

/// Settles which of two tracks of one clip for one thing stays: the first, but that angles give way
/// to quaternions. Generated tracks replace those that they were made from silently.
/// @return whether the new one replaces the earlier
static bool track_wins(const struct origin *earlier, const struct origin *own,
                       const struct json_value *track)
{
    if (earlier->rank != own->rank) {
        return own->rank > earlier->rank;
    }
    if (earlier->is_euler != own->is_euler) {
        json_warn(track, "stf.animation.duplicate",
                  "\"r\" and \"r_euler\" drive one rotation; \"r\" stays");
        return earlier->is_euler;
    }
    json_warn(track, "stf.animation.duplicate",
              "another track already drives that; this one is left out");
    return false;
}

/// Adds a track for the rotation, translation or scale of a node.
static void transform_add(struct animation_reader *reader, struct animation *animation,
                          const struct json_value *value, const struct stf_target *target,
                          const struct scene_curve *curve, const struct origin *origin)
{
    struct scene_clip *const clip = animation->clip;
    uint32_t *const earlier = &reader->track_of[(size_t)target->node * 3 + target->path];
    if (*earlier != 0 && !track_wins(&animation->origins[*earlier - 1], origin, value)) {
        return;
    }
    if (*earlier == 0) {
        *earlier = ++clip->track_count;
    }
    animation->origins[*earlier - 1] = *origin;
    clip->tracks[*earlier - 1] = (struct scene_track){
        .node = (uint32_t)target->node,
        .path = target->path,
        .curve = *curve,
    };
}

/// Adds a track for a property.
static bool property_add(struct animation_reader *reader, struct animation *animation,
                         const struct json_value *value, const struct stf_target *target,
                         const struct scene_curve *curve, const struct origin *origin)
{
    struct scene_clip *const clip = animation->clip;
    uint32_t property;
    int32_t earlier;
    if (!stf_property_find(reader->stf, value, target, curve->stride, curve->values,
                           origin->missing, &property)) {
        return false;
    }
    stf_property_drive(reader->stf, property, animation->index, clip->track_count, &earlier);
    if (earlier >= 0 && !track_wins(&animation->origins[earlier], origin, value)) {
        return true;
    }
    const uint32_t track = earlier >= 0 ? (uint32_t)earlier : clip->track_count++;
    animation->origins[track] = *origin;
    clip->tracks[track] = (struct scene_track){
        .path = SCENE_PROPERTY,
        .property = property,
        .curve = *curve,
    };
    return true;
}

static void euler_warn(struct stf *stf, const struct json_value *value)
{
    if (!stf->is_euler_warned) {
        stf->is_euler_warned = true;
        json_warn(value, "stf.euler",
                  "rotations from angles (x, then z, then -y, in the file's axes) may not be what "
                  "their author saw: quaternions are safe");
    }
}

static bool track_read(struct animation_reader *reader, struct animation *animation,
                       const struct json_value *value, bool is_in_baked)
{
    struct stf *const stf = reader->stf;
    const struct json_value path = json_member(value, "target");
    struct arena arena = {0};
    struct stf_target target;
    struct stf_track track;
    struct scene_curve curve;
    bool has_keys = false;
    bool is_generated = false;
    if (!json_check_object(value) || !json_get_boolean(value, "track_baked", &is_generated) ||
        !stf_target_find(stf, &path, &target)) {
        return false;
    }
    const bool is_baked = is_in_baked || is_generated;
    if (target.is_unresolved) {
        return true;
    }
    bool ok = stf_track_read(stf, animation->resource, value, &target, &animation->span, is_baked,
                             &arena, &track, &has_keys) &&
              (!has_keys || stf_curve_make(stf, &track, &target, &animation->span, &curve));
    arena_free(&arena);
    if (!ok || !has_keys) {
        return ok;
    }
    if (target.is_euler) {
        euler_warn(stf, value);
    }
    const struct origin origin = {
        .rank = is_in_baked ? 2 : is_generated,
        .is_euler = target.is_euler,
        .missing = track.missing,
    };
    if (target.path == SCENE_PROPERTY) {
        return property_add(reader, animation, value, &target, &curve, &origin);
    }
    transform_add(reader, animation, value, &target, &curve, &origin);
    return true;
}

/// Finds the clip whose first values an animation starts from.
static bool reset_find(struct animation_reader *reader, const struct animation *animation)
{
    struct stf *const stf = reader->stf;
    const struct json_value *const value = &animation->resource->value;
    const struct json_value reference = json_member(value, "reset_animation");
    struct stf_resource *reset = NULL;
    if (!json_is_absent(&reference)) {
        const char *const outer = stf_spare_begin(stf, "nothing is reset");
        const bool ok = stf_resource_expect(stf, value, &reference, STF_ANIMATION, &reset);
        if (!stf_spare_end(stf, outer, ok)) {
            return false;
        }
        reset = ok ? reset : NULL;
    }
    reader->resets[animation->index] = reset ? reset->index : -1;
    return true;
}

static bool animation_read(struct animation_reader *reader, struct animation *animation)
{
    struct stf *const stf = reader->stf;
    struct scene *const scene = stf->scene;
    struct scene_clip *const clip = animation->clip;
    const struct json_value *const value = &animation->resource->value;
    struct json_value lists[2]; // baked ones first: they stay
    uint32_t counts[2] = {0, 0};
    if (!json_get_array(value, "tracks_baked", false, &lists[0], &counts[0]) ||
        !json_get_array(value, "tracks", true, &lists[1], &counts[1]) || !loop_read(animation) ||
        !span_read(animation) || !stf_resource_name(stf, animation->resource, &clip->name) ||
        !reset_find(reader, animation)) {
        return false;
    }
    clip->id = arena_string(&scene->arena, animation->resource->id);
    clip->tracks = ARENA_NEW(&scene->arena, struct scene_track, (size_t)counts[0] + counts[1]);
    animation->origins = ARENA_NEW(&stf->scratch, struct origin, (size_t)counts[0] + counts[1]);
    reader->origins[animation->index] = animation->origins;
    for (int i = 0; i < 2; i++) {
        for (uint32_t t = 0; t < counts[i]; t++) {
            const struct json_value track = json_item(&lists[i], t);
            const char *const outer = stf_spare_begin(stf, "the track is left out");
            const bool ok = track_read(reader, animation, &track, i == 0);
            if (!stf_spare_end(stf, outer, ok)) {
                return false;
            }
        }
    }
    for (uint32_t t = 0; t < clip->track_count; t++) {
        const struct scene_track *const track = &clip->tracks[t];
        if (track->path != SCENE_PROPERTY) {
            reader->track_of[(size_t)track->node * 3 + track->path] = 0;
        }
    }
    reader->own_counts[animation->index] = clip->track_count;
    return true;
}

// ---- Reset animations --------------------------------------------------------------------------

/// What a clip drives already.
struct driven {
    size_t transform_count;
    bool *is_driven; // [transform_count + property_count]
};

static bool *driven_of(const struct driven *driven, const struct scene_track *track)
{
    return &driven->is_driven[track->path == SCENE_PROPERTY
                                  ? driven->transform_count + track->property
                                  : (size_t)track->node * 3 + track->path];
}

/// Makes a curve that stays where another one starts.
static struct scene_curve curve_first(const struct scene_curve *curve, struct arena *arena)
{
    struct scene_curve first = {
        .key_count = 1,
        .stride = curve->stride,
        .times = ARENA_NEW(arena, double, 1),
        .values = curve->values,
        .interpolations = ARENA_NEW(arena, uint8_t, 1),
    };
    return first;
}

/// Returns the reset animation of a clip after others; -1 where there is none, or enough.
static int32_t reset_next(struct animation_reader *reader, int32_t at, uint32_t *count)
{
    struct stf *const stf = reader->stf;
    const int32_t next = reader->resets[at];
    if (next < 0 || (*count)++ < MOST_RESETS) {
        return next;
    }
    if (!stf->is_reset_warned) {
        stf->is_reset_warned = true;
        json_warn(&stf->animations[at]->value, "stf.animation.reset",
                  "here, and maybe elsewhere, more than %u reset animations are to be applied one "
                  "after the other; those beyond are not",
                  MOST_RESETS);
    }
    return -1;
}

/// Adds what the reset animations of a clip set and the clip does not. A circle of them ends where
/// it comes back: there is nothing new then.
static bool reset_apply(struct animation_reader *reader, uint32_t index,
                        const struct driven *driven, uint32_t *visited)
{
    struct stf *const stf = reader->stf;
    struct scene *const scene = stf->scene;
    struct scene_clip *const clip = &scene->clips[index];
    uint32_t most = clip->track_count;
    uint32_t steps = 0;
    int32_t at = reset_next(reader, (int32_t)index, &steps);
    visited[index] = index + 1;
    for (; at >= 0 && visited[at] != index + 1; at = reset_next(reader, at, &steps)) {
        visited[at] = index + 1;
        most += reader->own_counts[at];
    }
    if (at == (int32_t)index) {
        json_warn(&stf->animations[index]->value, "stf.animation.reset",
                  "is its own reset animation, at once or through others");
    }
    if (most == clip->track_count) {
        return true;
    }
    void *memory;
    if (!stf_take(stf, &stf->animations[index]->value, most, sizeof *clip->tracks, &memory)) {
        return false;
    }
    memcpy(memory, clip->tracks, clip->track_count * sizeof *clip->tracks);
    clip->tracks = memory;
    for (uint32_t t = 0; t < clip->track_count; t++) {
        *driven_of(driven, &clip->tracks[t]) = true;
    }
    visited[index] = 0;
    for (at = reader->resets[index]; at >= 0 && visited[at] == index + 1; at = reader->resets[at]) {
        visited[at] = 0;
        for (uint32_t t = 0; t < reader->own_counts[at]; t++) {
            const struct scene_track *const track = &scene->clips[at].tracks[t];
            bool *const is_driven = driven_of(driven, track);
            if (!*is_driven) {
                *is_driven = true;
                clip->tracks[clip->track_count] = *track;
                clip->tracks[clip->track_count++].curve = curve_first(&track->curve, &scene->arena);
            }
        }
    }
    for (uint32_t t = 0; t < clip->track_count; t++) {
        *driven_of(driven, &clip->tracks[t]) = false;
    }
    return true;
}

/// Gives the tracks of properties all values that their properties have come to have.
static bool values_complete(struct animation_reader *reader)
{
    struct scene *const scene = reader->stf->scene;
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        for (uint32_t t = 0; t < scene->clips[i].track_count; t++) {
            struct scene_track *const track = &scene->clips[i].tracks[t];
            if (track->path == SCENE_PROPERTY &&
                !stf_property_complete(reader->stf, track->property, reader->origins[i][t].missing,
                                       &track->curve)) {
                return false;
            }
        }
    }
    return true;
}

bool stf_animations_read(struct stf *stf)
{
    struct scene *const scene = stf->scene;
    const uint32_t count = stf->animation_count;
    const size_t transform_count = (size_t)scene->node_count * 3;
    struct animation_reader reader = {
        .stf = stf,
        .track_of = ARENA_NEW(&stf->scratch, uint32_t, transform_count),
        .own_counts = ARENA_NEW(&stf->scratch, uint32_t, count),
        .resets = ARENA_NEW(&stf->scratch, int32_t, count),
        .origins = ARENA_NEW(&stf->scratch, struct origin *, count),
    };
    scene->clip_count = count;
    scene->clips = ARENA_NEW(&scene->arena, struct scene_clip, count);
    for (uint32_t i = 0; i < count; i++) {
        struct animation animation = {
            .resource = stf->animations[i],
            .index = i,
            .clip = &scene->clips[i],
        };
        if (!animation_read(&reader, &animation)) {
            return false;
        }
    }
    if (!values_complete(&reader)) {
        return false;
    }
    const struct driven driven = {
        .transform_count = transform_count,
        .is_driven = ARENA_NEW(&stf->scratch, bool, transform_count + scene->property_count),
    };
    uint32_t *const visited = ARENA_NEW(&stf->scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!reset_apply(&reader, i, &driven, visited)) {
            return false;
        }
    }
    return true;
}
