// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "../simd/kernel_table.h"
#include "arguments.h"

static bool is_layer_valid(const trp_blend_layer *layer)
{
    const bool is_mode_known = layer->mode == TRP_BLEND_AVERAGE || layer->mode == TRP_BLEND_ADD ||
                               layer->mode == TRP_BLEND_SUBTRACT;
    return is_mode_known && trp__is_aligned(layer->pose, TRP_ALIGNMENT) &&
           trp__is_null_or_aligned(layer->mask, sizeof(float));
}

static bool is_job_valid(const trp_blend_job *job)
{
    if (!trp__is_aligned(job->pose, TRP_ALIGNMENT) || (job->layer_count > 0 && !job->layers)) {
        return false;
    }
    for (uint32_t i = 0; i < job->layer_count; i++) {
        if (!is_layer_valid(&job->layers[i])) {
            return false;
        }
    }
    return true;
}

static uint32_t bad_weights(const trp_blend_job *job)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->layer_count; i++) {
        count += !(job->layers[i].weight >= 0.0f);
    }
    return count;
}

trp_result trp_blend(const trp_blend_args *args, trp_blend_report *report)
{
    if (!args || !args->skeleton || args->block_count > args->skeleton->block_count ||
        (args->job_count > 0 && !args->jobs)) {
        return TRP_ERROR_ARGUMENT;
    }
    for (uint32_t i = 0; i < args->job_count; i++) {
        if (!is_job_valid(&args->jobs[i])) {
            return TRP_ERROR_ARGUMENT;
        }
    }

    const struct trp__kernels *kernels = trp__kernels_active();
    const trp_skeleton *skeleton = args->skeleton;
    const uint32_t block_count = args->block_count ? args->block_count : skeleton->block_count;
    trp_blend_report found = {0};
    for (uint32_t i = 0; i < args->job_count; i++) {
        const trp_blend_job *job = &args->jobs[i];
        found.bad_weight_count += bad_weights(job);
        kernels->blend(job->layers, job->layer_count, skeleton->rest, block_count, job->pose);
    }
    if (report) {
        *report = found;
    }
    return TRP_OK;
}
