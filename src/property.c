// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Properties: what a set holds, and blending its values. Sets are small and their values are no
// vectors, so that the compiler's own code for plain loops does.
#include <troupe/property.h>

#include "../simd/blend_weight.h"
#include "arguments.h"
#include "format.h"

trp_result trp_property_set_property(const trp_property_set *set, uint32_t index,
                                     trp_property *property)
{
    if (!set || !set->bytes || !property || index >= set->property_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__property *const stored = &trp__properties_of(set->bytes)[index];
    *property = (trp_property){
        .path = set->strings + stored->path,
        .path_hash = stored->path_hash,
        .type = (trp_property_type)stored->type,
        .first_value = stored->first_value,
        .value_count = stored->value_count,
        .node = stored->node,
    };
    return TRP_OK;
}

uint32_t trp_property_set_find(const trp_property_set *set, uint64_t path_hash)
{
    if (!set || !set->bytes) {
        return TRP_NONE;
    }
    for (uint32_t i = 0; i < set->property_count; i++) {
        if (trp__properties_of(set->bytes)[i].path_hash == path_hash) {
            return i;
        }
    }
    return TRP_NONE;
}

const char *trp_property_set_label(const trp_property_set *set, uint32_t value)
{
    if (!set || !set->bytes || value >= set->value_count) {
        return "";
    }
    const uint32_t *const labels = (const void *)(set->defaults + set->value_count);
    return set->strings + labels[value];
}

const char *trp_property_set_text(const trp_property_set *set, float value)
{
    if (!set || !set->bytes || !(value >= 0 && value < (float)set->text_count)) {
        return "";
    }
    const uint32_t *const labels = (const void *)(set->defaults + set->value_count);
    const uint32_t *const texts = labels + set->value_count;
    return set->strings + texts[(uint32_t)value];
}

/// Returns where a part of a path begins, behind its "/"; null where there is none.
static const char *find_part(const char *path, uint32_t part)
{
    if (!path || *path != '/') {
        return NULL;
    }
    for (path++; part > 0; path++) {
        if (*path == '\0') {
            return NULL;
        }
        part -= *path == '/';
    }
    return path;
}

size_t trp_property_path_part(const char *path, uint32_t part, char *text, size_t capacity)
{
    size_t length = 0;
    const size_t room = text && capacity > 0 ? capacity - 1 : 0;
    const char *at = find_part(path, part);
    const bool is_there = at != NULL;
    for (; is_there && *at != '\0' && *at != '/'; at++, length++) {
        const bool is_escape = *at == '~' && (at[1] == '0' || at[1] == '1');
        at += is_escape;
        if (length < room) {
            text[length] = !is_escape ? *at : *at == '0' ? '~' : '/';
        }
    }
    if (text && capacity > 0) {
        text[length < room ? length : room] = '\0';
    }
    return is_there ? length + 1 : 0;
}

// -- Blending

static bool is_layer_valid(const trp_value_layer *layer)
{
    const bool is_mode_known = layer->mode == TRP_BLEND_AVERAGE || layer->mode == TRP_BLEND_ADD ||
                               layer->mode == TRP_BLEND_SUBTRACT;
    return is_mode_known && trp__is_aligned(layer->values, sizeof(float)) &&
           trp__is_null_or_aligned(layer->mask, sizeof(float));
}

static bool is_job_valid(const trp_value_blend_job *job)
{
    if (!trp__is_aligned(job->values, sizeof(float)) || (job->layer_count > 0 && !job->layers)) {
        return false;
    }
    for (uint32_t i = 0; i < job->layer_count; i++) {
        if (!is_layer_valid(&job->layers[i])) {
            return false;
        }
    }
    return true;
}

/// Returns the weight of one value of a layer. Layers without weight are never read.
static float weight_of(const trp_value_layer *layer, uint32_t value)
{
    const float weight = trp__clean_weight(layer->weight);
    return weight > 0 && layer->mask ? trp__clean_weight(weight * layer->mask[value]) : weight;
}

/// Returns the value of the layer with the largest weight, the first of equals.
static float heaviest_value(const trp_value_blend_job *job, uint32_t value, float rest)
{
    float heaviest = rest;
    float largest = 0;
    for (uint32_t i = 0; i < job->layer_count; i++) {
        const trp_value_layer *const layer = &job->layers[i];
        const float weight = layer->mode == TRP_BLEND_AVERAGE ? weight_of(layer, value) : 0;
        if (weight > largest) {
            largest = weight;
            heaviest = layer->values[value];
        }
    }
    return heaviest;
}

static float average_value(const trp_value_blend_job *job, uint32_t value, float rest)
{
    float sum = 0;
    for (uint32_t i = 0; i < job->layer_count; i++) {
        sum += job->layers[i].mode == TRP_BLEND_AVERAGE ? weight_of(&job->layers[i], value) : 0;
    }
    if (!(sum > 0)) {
        return rest;
    }
    float total = -0.0f; // so that a layer alone keeps its -0
    for (uint32_t i = 0; i < job->layer_count; i++) {
        const trp_value_layer *const layer = &job->layers[i];
        const float weight = layer->mode == TRP_BLEND_AVERAGE ? weight_of(layer, value) : 0;
        if (weight > 0) {
            total += weight / sum * layer->values[value];
        }
    }
    return total;
}

static float mixed_value(const trp_value_blend_job *job, uint32_t value, float rest)
{
    float result = average_value(job, value, rest);
    for (uint32_t i = 0; i < job->layer_count; i++) {
        const trp_value_layer *const layer = &job->layers[i];
        const float weight = layer->mode != TRP_BLEND_AVERAGE ? weight_of(layer, value) : 0;
        if (weight > 0) {
            const float difference = weight * layer->values[value];
            result = layer->mode == TRP_BLEND_ADD ? result + difference : result - difference;
        }
    }
    return result;
}

static void blend_job(const trp_property_set *set, const trp_value_blend_job *job)
{
    for (uint32_t i = 0; i < set->property_count; i++) {
        const struct trp__property *const property = &trp__properties_of(set->bytes)[i];
        const uint32_t end = property->first_value + property->value_count;
        for (uint32_t value = property->first_value; value < end; value++) {
            const float rest = set->defaults[value];
            job->values[value] = property->type == TRP_PROPERTY_FLOAT
                                     ? mixed_value(job, value, rest)
                                     : heaviest_value(job, value, rest);
        }
    }
}

static uint32_t bad_weights(const trp_value_blend_job *job)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->layer_count; i++) {
        count += !(job->layers[i].weight >= 0.0f);
    }
    return count;
}

trp_result trp_blend_values(const trp_value_blend_args *args, trp_blend_report *report)
{
    if (!args || !args->set || !args->set->bytes || (args->job_count > 0 && !args->jobs)) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->job_count; i++) {
        if (!is_job_valid(&args->jobs[i])) {
            return TRP_ERROR_ARGUMENT;
        }
    }
    trp_blend_report found = {0};
    for (uint32_t i = 0; i < args->job_count; i++) {
        found.bad_weight_count += bad_weights(&args->jobs[i]);
        blend_job(args->set, &args->jobs[i]);
    }
    if (report) {
        *report = found;
    }
    return TRP_OK;
}
