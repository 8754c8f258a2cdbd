// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Keys of STF animations: both layouts of key arrays, generated keys, and buffers of baked values.
// What files leave out is replaced by what their exporter means, with a warning where that is a
// guess.
#include "stf_curve.h"

#include <math.h>
#include <string.h>

/// Where the reading of a track stands.
struct track_reader {
    struct stf *stf;
    const struct stf_resource *animation;
    const struct stf_span *span;
    struct arena *arena;
    struct stf_track *track;
    struct json_value timepoints; // null in the older layout, whose keys have their own time
    uint32_t timepoint_count;
    bool is_rotation;
    bool is_baked;
    bool is_unknown_warned; // of this track
    bool is_order_warned;
    bool is_length_warned;
    bool is_tangent_warned;
};

/// One component on its way: its keys, and its values for each frame.
struct subtrack_reader {
    struct json_value value;
    struct stf_subtrack *subtrack;
    bool has_unknown; // an interval whose interpolation is not known
    bool is_lost;     // it names a buffer that there is not
    uint32_t sample_count;
    const unsigned char *samples; // float32 for each frame, no alignment; null without
};

// ---- One key -----------------------------------------------------------------------------------

static enum stf_interpolation interpolation_named(const char *name)
{
    static const char *const names[] = {"constant", "linear", "quadratic", "cubic", "bezier"};
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (enum stf_interpolation)i;
        }
    }
    return STF_KEY_UNKNOWN;
}

static bool key_refuse(const struct json_value *at, const char *message)
{
    return json_refuse(at, TROUPE_EXIT_INPUT, "stf.animation.key", "%s", message);
}

static bool number_read(const struct json_value *key, uint32_t index, const char *name,
                        double *number)
{
    const struct json_value item = json_item(key, index);
    if (!json_as_number(&item, number)) {
        return json_refuse(key, TROUPE_EXIT_INPUT, "stf.animation.key", "has no number as %s",
                           name);
    }
    return stf_numbers_check(&item, number, 1);
}

static bool tangent_read(const struct json_value *item, double tangent[2])
{
    uint32_t count = 0;
    bool is_pair = json_as_array(item, &count) && count == 2;
    for (uint32_t i = 0; i < 2 && is_pair; i++) {
        const struct json_value number = json_item(item, i);
        is_pair = json_as_number(&number, &tangent[i]);
    }
    return is_pair ? stf_numbers_check(item, tangent, 2)
                   : key_refuse(item, "a tangent needs two numbers");
}

/// Reads what follows the interpolation: the type of the tangents, which is a hint for editors,
/// the leaving tangent of bezier keys, and what arrives from a bezier key before.
static bool tangents_read(const struct track_reader *reader, const struct json_value *value,
                          uint32_t first, uint32_t count, struct stf_key *key)
{
    const double sign = reader->stf->options.is_stf_tangent_added ? 1 : -1;
    const bool is_bezier = key->interpolation == STF_KEY_BEZIER;
    double *next = is_bezier ? key->leaving : key->arriving;
    for (uint32_t i = first; i < count && next; i++) {
        const struct json_value item = json_item(value, i);
        uint32_t size;
        if (!json_as_array(&item, &size)) {
            continue;
        }
        double tangent[2];
        if (!tangent_read(&item, tangent)) {
            return false;
        }
        next[0] = tangent[0];
        next[1] = key->value + sign * tangent[1];
        key->has_leaving |= next == key->leaving;
        next = next == key->leaving ? key->arriving : NULL;
    }
    if (key->is_generated && is_bezier && !key->has_leaving) {
        key->interpolation = STF_KEY_LINEAR; // a sample, which has no handles
    }
    return true;
}

/// Reads a key that is not null.
static bool key_read(const struct track_reader *reader, const struct json_value *value,
                     struct stf_key *key)
{
    uint32_t count = 0;
    bool is_truth = true;
    if (!json_as_array(value, &count)) {
        return key_refuse(value, "is neither an array nor null");
    }
    const struct json_value truth = json_item(value, 0);
    if (!json_as_boolean(&truth, &is_truth)) {
        return key_refuse(&truth, "a key starts with true or false");
    }
    uint32_t at = 1;
    if (reader->timepoints.value == NULL) {
        if (!number_read(value, at++, "its frame", &key->frame)) {
            return false;
        }
    } else {
        const struct json_value frame = json_item(&reader->timepoints, value->index);
        if (!json_as_number(&frame, &key->frame)) {
            return key_refuse(&frame, "a time point is no number");
        }
        if (!stf_numbers_check(&frame, &key->frame, 1)) {
            return false;
        }
    }
    if (!number_read(value, at++, "its value", &key->value)) {
        return false;
    }
    const struct json_value name_value = json_item(value, at);
    const char *name;
    if (json_as_string(&name_value, &name)) {
        at++;
    } else {
        name = "";
    }
    key->interpolation = interpolation_named(name);
    key->is_generated = reader->is_baked || !is_truth || strcmp(name, "baked") == 0;
    key->leaving[1] = key->value;
    key->arriving[1] = key->value;
    return tangents_read(reader, value, at, count, key);
}

// ---- The keys of a component -------------------------------------------------------------------

/// Says in which layout the keys of a track are. The newer one has a list of frames; in the older
/// one the second number is the value.
static bool has_own_times(const struct json_value *subtracks, uint32_t subtrack_count)
{
    for (uint32_t i = 0; i < subtrack_count; i++) {
        const struct json_value subtrack = json_item(subtracks, i);
        const struct json_value keys = json_member(&subtrack, "keyframes");
        uint32_t count = 0;
        if (!json_as_object(&subtrack) || !json_as_array(&keys, &count)) {
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            const struct json_value key = json_item(&keys, k);
            const struct json_value second = json_item(&key, 2);
            double number;
            uint32_t size;
            if (json_as_array(&key, &size)) {
                return json_as_number(&second, &number);
            }
        }
    }
    return false;
}

static void length_warn(struct track_reader *reader, const struct json_value *list, uint32_t count)
{
    if (!reader->is_length_warned) {
        reader->is_length_warned = true;
        json_warn(list, "stf.animation.timepoints",
                  "%u keys at %u timepoints; those without a partner are left out", count,
                  reader->timepoint_count);
    }
}

/// Reads all keys of a component.
static bool keys_read(struct track_reader *reader, struct subtrack_reader *own)
{
    const struct json_value list = json_member(&own->value, "keyframes");
    uint32_t count = 0;
    if (json_is_absent(&list)) {
        return true;
    }
    if (!json_as_array(&list, &count)) {
        return key_refuse(&list, "is no array");
    }
    if (reader->timepoints.value != NULL && count > 0 && count != reader->timepoint_count) {
        length_warn(reader, &list, count);
        count = count < reader->timepoint_count ? count : reader->timepoint_count;
    }
    struct stf_subtrack *const subtrack = own->subtrack;
    subtrack->keys = ARENA_NEW(reader->arena, struct stf_key, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct json_value item = json_item(&list, i);
        if (json_is_absent(&item)) {
            continue;
        }
        struct stf_key *const key = &subtrack->keys[subtrack->key_count];
        *key = (struct stf_key){0};
        if (!key_read(reader, &item, key)) {
            return false;
        }
        if (subtrack->key_count > 0 && !(key->frame > key[-1].frame)) {
            if (!reader->is_order_warned) {
                reader->is_order_warned = true;
                json_warn(&item, "stf.animation.order",
                          "frame %.9g is not after frame %.9g; the key is left out", key->frame,
                          key[-1].frame);
            }
            continue;
        }
        subtrack->key_count++;
    }
    return true;
}

/// Leaves out generated keys where the curve is known without them: they lie on it, and have no
/// handles. Where nothing else is there, or says how the curve goes on, they are its samples.
static void generated_drop(struct stf_subtrack *subtrack)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < subtrack->key_count; i++) {
        end = subtrack->keys[i].is_generated ? end : i + 1;
    }
    if (end == 0) {
        return;
    }
    uint32_t kept = 0;
    bool is_unknown = false;
    for (uint32_t i = 0; i < end; i++) {
        const struct stf_key key = subtrack->keys[i];
        is_unknown = key.is_generated ? is_unknown : key.interpolation == STF_KEY_UNKNOWN;
        if (!key.is_generated || is_unknown) {
            subtrack->keys[kept++] = key;
        }
    }
    subtrack->key_count = kept;
}

/// Lets intervals that the file says nothing of go straight.
/// @return whether there is one that was not meant to
static bool unknown_settle(struct stf_subtrack *subtrack)
{
    bool has_unknown = false;
    for (uint32_t i = 0; i + 1 < subtrack->key_count; i++) {
        struct stf_key *const key = &subtrack->keys[i];
        if (key->interpolation == STF_KEY_UNKNOWN) {
            has_unknown |= !key->is_generated;
            key->interpolation = STF_KEY_LINEAR;
        }
    }
    return has_unknown;
}

/// Warns of the first bezier interval of a track whose tangents are not as they should be.
static void tangents_check(struct track_reader *reader, const struct subtrack_reader *own)
{
    const struct stf_subtrack *const subtrack = own->subtrack;
    for (uint32_t i = 0; i + 1 < subtrack->key_count && !reader->is_tangent_warned; i++) {
        const struct stf_key *const key = &subtrack->keys[i];
        if (key->interpolation != STF_KEY_BEZIER) {
            continue;
        }
        const bool is_backward = key->leaving[0] < 0 || key[1].arriving[0] > 0;
        reader->is_tangent_warned = is_backward || !key->has_leaving;
        if (!key->has_leaving) {
            json_warn(&own->value, "stf.animation.tangent",
                      "the bezier key at frame %.9g has no leaving tangent; taken for [0, 0]",
                      key->frame);
        } else if (is_backward) {
            json_warn(&own->value, "stf.animation.tangent",
                      "a tangent between frames %.9g and %.9g points out of there; its x is taken "
                      "for 0",
                      key->frame, key[1].frame);
        }
    }
}

// ---- Baked values ------------------------------------------------------------------------------

static float sample_read(const struct subtrack_reader *own, uint32_t index)
{
    const unsigned char *const at = own->samples + (size_t)index * 4;
    const uint32_t bits =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double whole_part(double value)
{
    return value < 0 ? ceil(value) : floor(value);
}

/// Finds the values of a component for each whole frame of the animation.
/// @param reference the buffer; null where there is none
static bool samples_find(struct track_reader *reader, struct subtrack_reader *own,
                         const struct json_value *reference)
{
    const unsigned char *bytes;
    size_t size_bytes;
    if (json_is_absent(reference)) {
        return true;
    }
    const char *const outer = stf_spare_begin(reader->stf, "keys are used alone");
    own->is_lost =
        !stf_buffer_bytes(reader->stf, reference, &reader->animation->value, &bytes, &size_bytes);
    if (!stf_spare_end(reader->stf, outer, !own->is_lost)) {
        return false;
    }
    if (own->is_lost) {
        return true;
    }
    const double expected = whole_part(reader->span->last + 1) - whole_part(reader->span->first);
    const size_t count = size_bytes / 4;
    if (count == 0) {
        return true;
    }
    own->samples = bytes;
    own->sample_count = (double)count > expected ? (uint32_t)expected
                        : count > UINT32_MAX     ? UINT32_MAX
                                                 : (uint32_t)count;
    for (uint32_t i = 0; i < own->sample_count; i++) {
        if (!isfinite(sample_read(own, i))) {
            json_warn(reference, "stf.animation.baked",
                      "the baked value of frame %u is no number; the buffer is not used", i);
            own->samples = NULL;
            own->sample_count = 0;
        }
    }
    return true;
}

/// Puts the baked values of a component in the place of its keys.
static bool samples_use(struct track_reader *reader, struct subtrack_reader *own, uint32_t count)
{
    struct stf_subtrack *const subtrack = own->subtrack;
    void *memory;
    if (!stf_take(reader->stf, &own->value, count, sizeof(struct stf_key), &memory)) {
        return false;
    }
    subtrack->keys = memory;
    subtrack->key_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const double value = own->samples ? (double)sample_read(own, i) : subtrack->rest;
        subtrack->keys[i] = (struct stf_key){
            .frame = whole_part(reader->span->first) + i,
            .value = value,
            .leaving = {0, value},
            .arriving = {0, value},
            .interpolation = STF_KEY_LINEAR,
            .is_generated = true,
        };
    }
    return true;
}

/// Uses the baked values of a rotation, if all its components that move have them: the curves of
/// single components are least to be trusted there.
static bool rotation_sample(struct track_reader *reader, struct subtrack_reader *parts)
{
    uint32_t count = UINT32_MAX;
    for (uint32_t c = 0; c < 4; c++) {
        const bool is_moving = parts[c].samples != NULL || parts[c].subtrack->key_count > 0;
        if (is_moving) {
            count = parts[c].sample_count < count ? parts[c].sample_count : count;
        }
    }
    if (count == UINT32_MAX || count == 0) {
        return true;
    }
    for (uint32_t c = 0; c < 4; c++) {
        if (!samples_use(reader, &parts[c], count)) {
            return false;
        }
    }
    reader->track->is_sampled = true;
    return true;
}

// ---- The track ---------------------------------------------------------------------------------

/// Reads one component: null, an object, or the buffer of its baked values alone.
static bool subtrack_read(struct track_reader *reader, struct subtrack_reader *own)
{
    struct json_value baked = json_member(&own->value, "baked");
    if (json_is_absent(&own->value)) {
        return true;
    }
    if (!json_as_object(&own->value)) {
        baked = own->value;
    } else if (!keys_read(reader, own)) {
        return false;
    }
    generated_drop(own->subtrack);
    own->has_unknown = unknown_settle(own->subtrack);
    tangents_check(reader, own);
    return samples_find(reader, own, &baked);
}

/// Chooses between keys and baked values.
static bool samples_choose(struct track_reader *reader, struct subtrack_reader *parts)
{
    struct stf_track *const track = reader->track;
    if (reader->is_rotation && !rotation_sample(reader, parts)) {
        return false;
    }
    for (uint32_t c = 0; c < track->subtrack_count && !track->is_sampled; c++) {
        const bool is_wanted = parts[c].has_unknown || parts[c].subtrack->key_count == 0;
        if (is_wanted && parts[c].is_lost) {
            return json_refuse(&parts[c].value, TROUPE_EXIT_INPUT, "stf.animation.baked",
                               "keys alone do not say how this goes");
        }
        if (is_wanted && parts[c].samples != NULL) {
            if (!samples_use(reader, &parts[c], parts[c].sample_count)) {
                return false;
            }
        } else if (parts[c].has_unknown && !reader->is_unknown_warned) {
            reader->is_unknown_warned = true;
            json_warn(&parts[c].value, "stf.animation.interpolation",
                      "the interpolation of a key is unknown or missing, and there are no baked "
                      "values: it goes straight");
        }
    }
    return true;
}

/// Settles how many components there are.
/// @return false where the track does not fit its target, after a warning
static bool count_check(const struct json_value *value, const struct stf_target *target,
                        uint32_t count, uint32_t *component_count)
{
    *component_count = target->component_count != 0 ? target->component_count
                       : count < target->rest_count ? target->rest_count
                       : count < STF_MOST_VALUES    ? count
                                                    : STF_MOST_VALUES;
    if (count == 0 || count > *component_count) {
        json_warn(value, "stf.animation.subtracks",
                  "%u subtracks are not the %u of the target; the track is left out", count,
                  *component_count);
        return false;
    }
    if (target->path == SCENE_ROTATION && count < *component_count) {
        json_warn(value, "stf.animation.subtracks",
                  "a rotation has %u subtracks, not %u; the others rest", count, *component_count);
    }
    return true;
}

bool stf_track_read(struct stf *stf, const struct stf_resource *animation,
                    const struct json_value *value, const struct stf_target *target,
                    const struct stf_span *span, bool is_baked, struct arena *arena,
                    struct stf_track *track, bool *has_keys)
{
    struct track_reader reader = {
        .stf = stf,
        .animation = animation,
        .span = span,
        .arena = arena,
        .track = track,
        .is_rotation = target->path == SCENE_ROTATION && !target->is_euler,
        .is_baked = is_baked,
    };
    struct json_value list;
    uint32_t count = 0;
    *track = (struct stf_track){.value = *value};
    *has_keys = false;
    if (!json_get_array(value, "subtracks", true, &list, &count) ||
        !json_get_array(value, "timepoints", false, &reader.timepoints, &reader.timepoint_count)) {
        return false;
    }
    if (!count_check(value, target, count, &track->subtrack_count)) {
        return true;
    }
    if (has_own_times(&list, count)) {
        reader.timepoints.value = NULL;
    }
    track->subtracks = ARENA_NEW(arena, struct stf_subtrack, track->subtrack_count);
    struct subtrack_reader *const parts =
        ARENA_NEW(arena, struct subtrack_reader, track->subtrack_count);
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        track->subtracks[c].rest = c < target->rest_count && c < 4 ? target->rest[c] : 0;
        parts[c].subtrack = &track->subtracks[c];
        parts[c].value = json_item(&list, c);
        if (!subtrack_read(&reader, &parts[c])) {
            return false;
        }
    }
    if (!samples_choose(&reader, parts)) {
        return false;
    }
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        *has_keys |= track->subtracks[c].key_count > 0;
        if (track->subtracks[c].key_count == 0 && c >= target->rest_count) {
            track->missing |= (uint64_t)1 << c;
        }
    }
    if (!*has_keys) {
        json_warn(value, "stf.animation.empty", "has no key; the track is left out");
    }
    return true;
}
