// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "verify_values.h"

#include <math.h>
#include <string.h>
#include <troupe/track.h>

/// Values may be off by this, times their largest size in the file where that is above 1.
static const double value_tolerance = 1e-5;

/// Finds a property by its path, first where the pack has it: both have them in one order.
static const struct scene_property *property_at(const struct scene *scene, const char *path,
                                                uint32_t index)
{
    for (uint32_t i = 0; i < scene->property_count; i++) {
        const struct scene_property *const property =
            &scene->properties[(index + i) % scene->property_count];
        if (strcmp(property->path, path) == 0) {
            return property;
        }
    }
    return NULL;
}

/// Finds what curves of a clip move each property.
/// @return [property_count] null for those that stay
static const struct scene_curve **curves_of(const struct scene *scene,
                                            const struct scene_clip *clip, struct arena *arena)
{
    const struct scene_curve **const curves =
        ARENA_NEW(arena, const struct scene_curve *, scene->property_count);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct scene_track *const track = &clip->tracks[i];
        if (track->path == SCENE_PROPERTY && curves[track->property] == NULL) {
            curves[track->property] = &track->curve;
        }
    }
    return curves;
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

static double curve_size(const struct scene_curve *curve)
{
    double largest = 0;
    for (uint32_t k = 0; k < curve->key_count * curve->stride; k++) {
        largest = fmax(largest, fabs(curve->values[k]));
        if (curve->handles != NULL) {
            largest = fmax(largest, handle_size(curve, k));
        }
        if (curve->samples != NULL) {
            largest = fmax(largest, drawn_size(curve, k));
        }
    }
    return largest;
}

double *verify_values_sizes(const struct scene *scene, struct arena *arena)
{
    double *const sizes = ARENA_NEW(arena, double, scene->property_count);
    for (uint32_t i = 0; i < scene->property_count; i++) {
        const struct scene_property *const property = &scene->properties[i];
        sizes[i] = 1;
        for (uint32_t k = 0; k < property->value_count; k++) {
            sizes[i] = fmax(sizes[i], fabs(property->defaults[k]));
        }
    }
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const struct scene_clip *const clip = &scene->clips[i];
        for (uint32_t k = 0; k < clip->track_count; k++) {
            const struct scene_track *const track = &clip->tracks[k];
            if (track->path == SCENE_PROPERTY) {
                sizes[track->property] = fmax(sizes[track->property], curve_size(&track->curve));
            }
        }
    }
    return sizes;
}

/// Finds the curves of the clip that an additive clip differs from.
/// @return null where it differs from the file's rest
static const struct scene_curve **reference_curves(const struct scene *scene, const char *reference,
                                                   struct arena *arena)
{
    const bool is_rest = strcmp(reference, "rest") == 0; // the model, not a clip of that name
    for (uint32_t i = 0; i < scene->clip_count && !is_rest; i++) {
        if (strcmp(scene->clips[i].name, reference) == 0) {
            return curves_of(scene, &scene->clips[i], arena);
        }
    }
    return NULL;
}

/// Fills what an additive clip differs from: the reference clip's first moment, or the file's rest.
/// @param curve of the reference clip, may be null
static void set_reference(struct value_truth *item, const struct scene_curve *curve,
                          struct arena *arena)
{
    const uint32_t count = item->source->value_count;
    item->reference = ARENA_NEW(arena, double, count);
    memcpy(item->reference, item->source->defaults, count * sizeof(double));
    if (curve != NULL) {
        scene_curve_sample(curve, SCENE_PROPERTY, 0.0, item->reference);
    }
    memcpy(item->still, item->reference, count * sizeof(double));
    if (item->source->type != SCENE_FLOAT) {
        item->curve = NULL; // switches have no difference
    }
}

/// Marks the properties whose tracks have their first key before the clip.
static void mark_initial(struct verify_values *values, const trp_clip *clip)
{
    trp_track track;
    for (uint32_t i = 0; trp_clip_track(clip, i, &track) == TRP_OK; i++) {
        if (track.path == TRP_PATH_PROPERTY && track.times[0] < 0) {
            values->items[track.target].has_initial = true;
        }
    }
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
                        double duration_s, const struct scene *scene, const double *sizes,
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
    const bool is_additive = (clip->flags & TRP_CLIP_ADDITIVE) != 0;
    const struct scene_curve **const curves = curves_of(scene, source, arena);
    const struct scene_curve **const references =
        is_additive ? reference_curves(scene, reference, arena) : NULL;
    for (uint32_t i = 0; i < set.property_count; i++) {
        struct value_truth *const item = &values->items[i];
        trp_property_set_property(&set, i, &item->property);
        item->source = property_at(scene, item->property.path, i);
        if (item->source == NULL || item->source->value_count != item->property.value_count) {
            return report_error(report, TROUPE_EXIT_INPUT, clip->name, "verify.property",
                                "the source has no property '%s' of %u values", item->property.path,
                                item->property.value_count);
        }
        const uint32_t count = item->property.value_count;
        const ptrdiff_t property = item->source - scene->properties;
        item->curve = curves[property];
        item->tolerance = value_tolerance * sizes[property];
        item->exact = ARENA_NEW(arena, double, count);
        item->still = ARENA_NEW(arena, double, count);
        item->home = ARENA_NEW(arena, double, count);
        if (item->curve != NULL) {
            scene_curve_sample(item->curve, SCENE_PROPERTY, 0.0, item->home);
        }
        memcpy(item->still, item->source->defaults, count * sizeof(double));
        if (is_additive) {
            set_reference(item, references != NULL ? references[property] : NULL, arena);
        }
    }
    mark_initial(values, clip);
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
