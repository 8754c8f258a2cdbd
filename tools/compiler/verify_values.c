// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "verify_values.h"

#include <math.h>
#include <string.h>
#include <troupe/track.h>

/// Values may be off by this, times their largest size in the file where that is above 1.
static const double value_tolerance = 1e-5;

static const struct scene_property *property_at(const struct scene *scene, const char *path)
{
    for (uint32_t i = 0; i < scene->property_count; i++) {
        if (strcmp(scene->properties[i].path, path) == 0) {
            return &scene->properties[i];
        }
    }
    return NULL;
}

static const struct scene_curve *curve_of(const struct scene *scene, const struct scene_clip *clip,
                                          const struct scene_property *property)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct scene_track *const track = &clip->tracks[i];
        if (track->path == SCENE_PROPERTY && &scene->properties[track->property] == property) {
            return &track->curve;
        }
    }
    return NULL;
}

/// Returns how far the handles of a component of a key reach that bezier intervals use.
static double handle_size(const struct scene_curve *curve, uint32_t component)
{
    const uint32_t key = component / curve->stride;
    double size = 0.0;
    if (key + 1 < curve->key_count && curve->interpolations[key] == SCENE_BEZIER) {
        size = fabs(curve->out_tangents[component]);
    }
    if (key > 0 && curve->interpolations[key - 1] == SCENE_BEZIER) {
        size = fmax(size, fabs(curve->in_tangents[component]));
    }
    return size;
}

/// Returns how far a drawn curve after a key goes from a component of it to the next one.
static double drawn_size(const struct scene_curve *curve, uint32_t component)
{
    const uint32_t key = component / curve->stride;
    double size = 0.0;
    if (key + 1 == curve->key_count || curve->interpolations[key] != SCENE_SAMPLED) {
        return size;
    }
    const double from = curve->values[component];
    const double way = curve->values[component + curve->stride] - from;
    for (uint32_t i = 0; i < curve->samples[key].count; i++) {
        size = fmax(size, fabs(from + way * curve->samples[key].values[i]));
    }
    return size;
}

static double largest_size(const struct scene *scene, const struct scene_property *property)
{
    double largest = 1.0;
    for (uint32_t i = 0; i < property->value_count; i++) {
        largest = fmax(largest, fabs(property->defaults[i]));
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const struct scene_curve *const curve = curve_of(scene, &scene->clips[i], property);
        for (uint32_t k = 0; curve != NULL && k < curve->key_count * curve->stride; k++) {
            largest = fmax(largest, fabs(curve->values[k]));
            if (curve->handles != NULL) {
                largest = fmax(largest, handle_size(curve, k));
            }
            if (curve->samples != NULL) {
                largest = fmax(largest, drawn_size(curve, k));
            }
        }
    }
    return largest;
}

/// Fills what an additive clip differs from: the reference clip's first moment, or the file's rest.
static void find_reference(struct value_truth *item, const struct scene *scene,
                           const char *reference, struct arena *arena)
{
    const uint32_t count = item->source->value_count;
    item->reference = ARENA_NEW(arena, double, count);
    memcpy(item->reference, item->source->defaults, count * sizeof(double));
    const bool is_rest = strcmp(reference, "rest") == 0; // the model, not a clip of that name
    for (uint32_t i = 0; i < scene->clip_count && !is_rest; i++) {
        if (strcmp(scene->clips[i].name, reference) == 0) {
            const struct scene_curve *const curve = curve_of(scene, &scene->clips[i], item->source);
            if (curve != NULL) {
                scene_curve_sample(curve, SCENE_PROPERTY, 0.0, item->reference);
            }
            break;
        }
    }
    memcpy(item->still, item->reference, count * sizeof(double));
    if (item->source->type != SCENE_FLOAT) {
        item->curve = NULL; // switches have no difference
    }
}

static bool is_before_clip(const trp_clip *clip, uint32_t property)
{
    trp_track track;
    for (uint32_t i = 0; trp_clip_track(clip, i, &track) == TRP_OK; i++) {
        if (track.path == TRP_PATH_PROPERTY && track.target == property) {
            return track.times[0] < 0;
        }
    }
    return false;
}

/// Compares what strings stand for.
static bool check_texts(const trp_property_set *set, const struct scene *scene, const char *clip,
                        struct report *report)
{
    uint32_t i = 0;
    while (i < set->text_count && i < scene->text_count &&
           strcmp(trp_property_set_text(set, (float)i), scene->texts[i]) == 0) {
        i++;
    }
    return (i == set->text_count && i == scene->text_count) ||
           report_error(report, TROUPE_EXIT_INPUT, clip, "verify.text",
                        "text %u is another one in the source", i);
}

bool verify_values_init(struct verify_values *values, const trp_pack *pack, const trp_clip *clip,
                        double duration_s, const struct scene *scene,
                        const struct scene_clip *source, const char *reference, struct arena *arena,
                        struct report *report)
{
    trp_property_set set;
    *values = (struct verify_values){
        .start_s = duration_s - clip->duration_s,
        .source_duration_s = source->duration_s,
        .duration_s = duration_s,
    };
    if (clip->property_set_index == TRP_NONE ||
        trp_pack_property_set(pack, clip->property_set_index, &set) != TRP_OK) {
        return true;
    }
    if (!check_texts(&set, scene, clip->name, report)) {
        return false;
    }
    values->property_count = set.property_count;
    values->value_count = set.value_count;
    values->items = ARENA_NEW(arena, struct value_truth, set.property_count);
    for (uint32_t i = 0; i < set.property_count; i++) {
        struct value_truth *const item = &values->items[i];
        trp_property_set_property(&set, i, &item->property);
        item->source = property_at(scene, item->property.path);
        if (item->source == NULL || item->source->value_count != item->property.value_count) {
            return report_error(report, TROUPE_EXIT_INPUT, clip->name, "verify.property",
                                "the source has no property '%s' of %u values", item->property.path,
                                item->property.value_count);
        }
        const uint32_t count = item->property.value_count;
        item->curve = curve_of(scene, source, item->source);
        item->has_initial = is_before_clip(clip, i);
        item->tolerance = value_tolerance * largest_size(scene, item->source);
        item->exact = ARENA_NEW(arena, double, count);
        item->still = ARENA_NEW(arena, double, count);
        item->home = ARENA_NEW(arena, double, count);
        if (item->curve != NULL) {
            scene_curve_sample(item->curve, SCENE_PROPERTY, 0.0, item->home);
        }
        memcpy(item->still, item->source->defaults, count * sizeof(double));
        if (clip->flags & TRP_CLIP_ADDITIVE) {
            find_reference(item, scene, reference, arena);
        }
    }
    return true;
}

/// Evaluates a curve at a moment; past the end of the source it goes home to its first value.
static void evaluate(const struct verify_values *values, const struct value_truth *item,
                     double time_s)
{
    const struct scene_curve *const curve = item->curve;
    const uint32_t count = item->property.value_count;
    if (curve == NULL) {
        memcpy(item->exact, item->still, count * sizeof(double));
        return;
    }
    const double at_s = item->has_initial ? time_s : fmax(time_s, values->start_s);
    scene_curve_sample(curve, SCENE_PROPERTY, at_s, item->exact);
    const double way = values->duration_s - values->source_duration_s;
    if (time_s <= values->source_duration_s || way < 1e-4) {
        return;
    }
    const bool holds =
        curve->key_count > 1 && curve->interpolations[curve->key_count - 2] == SCENE_STEP;
    double u = (time_s - values->source_duration_s) / way;
    u = u >= 1.0 ? 1.0 : holds ? 0.0 : u;
    for (uint32_t i = 0; i < count; i++) {
        item->exact[i] += u * (item->home[i] - item->exact[i]);
    }
}

double verify_values_error(struct verify_values *values, double time_s, const float *sampled,
                           double largest, const char **path)
{
    for (uint32_t i = 0; i < values->property_count; i++) {
        const struct value_truth *const item = &values->items[i];
        evaluate(values, item, time_s);
        for (uint32_t c = 0; c < item->property.value_count; c++) {
            const double reference = item->reference != NULL ? item->reference[c] : 0.0;
            const double value = (double)sampled[item->property.first_value + c];
            const double error = fabs(value - (item->exact[c] - reference)) / item->tolerance;
            if (!(error <= largest)) {
                largest = error;
                *path = item->property.path;
            }
        }
    }
    return largest;
}
