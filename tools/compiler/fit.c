// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Every candidate is encoded, opened and sampled by the runtime, and measured; nothing is
// estimated. Three ways of sharing the budget between dropped rows and quantisation are tried, and
// within each the steps of all tracks move towards using up what is left of it.
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/pack.h>

#include "../../src/format.h"
#include "dense.h"
#include "metric.h"
#include "pack_writer.h"

#define AIM 0.97       // of the budget, so that times between the measured ones hold too
#define ROUND_COUNT 12 // all steps are moved this often
#define PASS_COUNT 3   // and then each on its own
#define GRID_SHARE 0.3 // of the budget that a row at every tick may leave unquantised

/// The parts of the budget that dropping rows may use up.
static const double row_shares[] = {0.15, 0.4, 0.65};

struct fit {
    const struct motion *motion;
    struct metric metric;
    struct dense dense;
    double budget; // in source units
    double *lane_errors;
    double *subtree_errors;
    struct buffer best;
    double *best_steps; // [track_count]
    struct metric_result best_result;
};

/// Opens the bytes of one clip in a pack of its own and measures them.
static void measure(struct fit *fit, const struct buffer *clip, struct metric_result *result)
{
    struct pack_writer writer = {0};
    pack_writer_add_skeleton(&writer, fit->motion->skeleton);
    pack_writer_add_clip(&writer, clip);
    void *bytes;
    const size_t size = pack_writer_finish(&writer, &bytes);
    pack_writer_free(&writer);
    trp_pack pack;
    trp_clip view;
    trp_diagnostic diagnostic;
    if (size == 0 || trp_pack_open(bytes, size, &pack, &diagnostic) != TRP_OK ||
        trp_pack_clip(&pack, 0, &view) != TRP_OK) {
        fprintf(stderr, "troupe: error: the runtime refused its own clip: %s [internal]\n",
                size == 0 ? "too large" : diagnostic.rule);
        exit(TROUPE_EXIT_INTERNAL);
    }
    metric_measure(&fit->metric, &view, result, fit->lane_errors);
    free(bytes);
}

/// Encodes with the present steps, measures, and keeps the result if it is the smallest that holds.
/// @param error [out] the largest error; may be null
/// @return whether it was kept
static bool try_steps(struct fit *fit, double *error)
{
    struct buffer clip = {0};
    struct metric_result result;
    dense_encode(&fit->dense, &clip);
    measure(fit, &clip, &result);
    if (error != NULL) {
        *error = result.max;
    }
    const bool is_better =
        result.max <= AIM * fit->budget && (fit->best.size == 0 || clip.size < fit->best.size);
    if (is_better) {
        buffer_free(&fit->best);
        fit->best = clip;
        fit->best_result = result;
        for (uint32_t t = 0; t < fit->dense.track_count; t++) {
            fit->best_steps[t] = fit->dense.tracks[t].step;
        }
    } else {
        buffer_free(&clip);
    }
    return is_better;
}

/// The largest error below each lane: what a finer step there could improve.
static void gather_subtrees(struct fit *fit)
{
    const struct skeleton *const skeleton = fit->motion->skeleton;
    memcpy(fit->subtree_errors, fit->lane_errors, skeleton->lane_count * sizeof(double));
    for (uint32_t lane = skeleton->lane_count; lane-- > 0;) {
        const uint16_t parent = skeleton->parent_of_lane[lane];
        if (parent != TRP_NO_LANE && fit->subtree_errors[lane] > fit->subtree_errors[parent]) {
            fit->subtree_errors[parent] = fit->subtree_errors[lane];
        }
    }
}

/// Coarser where everything below has room left, finer where it has none.
static void move_steps(struct fit *fit, double strength)
{
    gather_subtrees(fit);
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        struct dense_track *const track = &fit->dense.tracks[t];
        const double error = fit->subtree_errors[track->lane];
        double ratio = error > 0.0 ? AIM * 0.995 * fit->budget / error : 2.0;
        ratio = ratio > 2.0 ? 2.0 : ratio < 0.5 ? 0.5 : ratio;
        track->step *= 1.0 + strength * (ratio - 1.0);
    }
}

static void scale_steps(struct fit *fit, double factor)
{
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        fit->dense.tracks[t].step *= factor;
    }
}

/// Moves all steps together, round by round, towards an even use of the budget.
static void balance_steps(struct fit *fit)
{
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        fit->dense.tracks[t].step = 0.3 * fit->budget / fit->dense.tracks[t].weight;
    }
    for (int round = 0; round < ROUND_COUNT; round++) {
        double error;
        try_steps(fit, &error);
        move_steps(fit, round < ROUND_COUNT / 2 ? 0.7 : 0.35);
        // What is left over the budget is shared by all.
        for (int pull = 0; pull < 3 && error > AIM * fit->budget; pull++) {
            scale_steps(fit, 0.98 * AIM * fit->budget / error);
            try_steps(fit, &error);
        }
    }
}

/// Starting from the smallest clip so far, makes one track after the other coarser where that
/// saves bytes and the budget still holds.
static void coarsen_steps(struct fit *fit)
{
    static const double factors[] = {2.0, 1.5, 1.25, 1.1};
    struct dense_track *const tracks = fit->dense.tracks;
    bool has_gained = true;
    for (int pass = 0; pass < PASS_COUNT && has_gained; pass++) {
        has_gained = false;
        for (uint32_t t = 0; t < fit->dense.track_count; t++) {
            for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
                tracks[t].step = fit->best_steps[t] * factors[i];
                if (try_steps(fit, NULL)) {
                    has_gained = true;
                    break;
                }
                tracks[t].step = fit->best_steps[t];
            }
        }
    }
}

/// Finds a grid whose rows, interpolated, stay near the curves: doubles the rate until they do.
static void settle_grid(struct fit *fit, struct grid *grid, double shell_units, struct arena *arena)
{
    for (uint32_t factor = 1;; factor *= 2) {
        const uint32_t segment =
            grid->tick_count < TRP__MAX_SEGMENT_TICKS
                ? (grid->tick_count < TRP__MIN_SEGMENT_TICKS ? TRP__MIN_SEGMENT_TICKS
                                                             : grid->tick_count)
                : TRP__MAX_SEGMENT_TICKS;
        metric_init(&fit->metric, fit->motion, grid, shell_units, factor == 1 ? 4 : 2, arena);
        dense_init(&fit->dense, fit->motion, grid, segment, shell_units, arena);
        if (grid->tick_count == 0 ||
            dense_error_of_grid(&fit->dense, &fit->metric) <= GRID_SHARE * fit->budget ||
            !grid_refine(grid, 2)) {
            return;
        }
    }
}

/// Gives rows and rules their part of the budget.
static void choose_rows(struct fit *fit, double share)
{
    const double rule_share = share > 0.3 ? share : 0.3;
    dense_choose_rows(&fit->dense, &fit->metric, share * fit->budget);
    dense_choose_rules(&fit->dense, &fit->metric, rule_share * fit->budget);
}

/// Tries the ways of sharing the budget, then refines the best.
static void search(struct fit *fit)
{
    if (fit->dense.track_count == 0) {
        try_steps(fit, NULL);
        return;
    }
    double best_share = row_shares[0];
    for (size_t i = 0; i < sizeof row_shares / sizeof row_shares[0]; i++) {
        const size_t before = fit->best.size;
        choose_rows(fit, row_shares[i]);
        balance_steps(fit);
        if (fit->best.size != before) {
            best_share = row_shares[i];
        }
    }
    if (fit->best.size > 0) {
        choose_rows(fit, best_share);
        for (uint32_t t = 0; t < fit->dense.track_count; t++) {
            fit->dense.tracks[t].step = fit->best_steps[t];
        }
        coarsen_steps(fit);
    }
}

/// Whether the last pose is the first, within the budget.
static bool ends_where_it_began(const struct motion *motion, double shell_units, double budget)
{
    const struct skeleton *const skeleton = motion->skeleton;
    struct arena arena = {0};
    double(*const first)[12] = arena_take(&arena, skeleton->lane_count, sizeof(double[12]));
    double(*const last)[12] = arena_take(&arena, skeleton->lane_count, sizeof(double[12]));
    motion_models(motion, 0.0, first);
    motion_models(motion, motion->duration_s, last);
    bool is_closed = true;
    for (uint32_t lane = 0; lane < skeleton->lane_count; lane++) {
        const double shell = shell_units / skeleton->shell_scale[lane];
        is_closed = is_closed && metric_displacement(first[lane], last[lane], shell) <= budget;
    }
    arena_free(&arena);
    return is_closed;
}

static bool find_grid(const struct motion *motion, struct grid *grid, struct arena *arena,
                      struct report *report)
{
    double *times;
    const uint32_t count = motion_key_times(motion, arena, &times);
    if (!grid_find(times, count, motion->duration_s, grid)) {
        return report_error(report, TROUPE_EXIT_UNSUPPORTED, motion->source_clip, "clip.length",
                            "a clip cannot last %g s: too short or too long for its ticks",
                            motion->duration_s);
    }
    return true;
}

/// Reports motion that had to be resampled, and by how much its stepped edges moved.
static void report_resampling(const struct motion *motion, const struct grid *grid,
                              struct report *report)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < motion->skeleton->lane_count * 3; i++) {
        const struct scene_curve *const curve = motion->curves[i];
        for (uint32_t key = 0; curve != NULL && curve_is_stepped(curve) && key < curve->key_count;
             key++) {
            const double rate = (double)grid->rate_num / grid->rate_den;
            const double off =
                fabs(floor(curve->times[key] * rate + 0.5) / rate - curve->times[key]);
            largest = off > largest ? off : largest;
        }
    }
    if (largest > 0.0) {
        report_warning(report, motion->source_clip, "clip.resampled",
                       "no grid up to 960 Hz holds all keys: resampled at %g Hz, stepped edges "
                       "moved by up to %g s",
                       (double)grid->rate_num / grid->rate_den, largest);
    } else {
        report_warning(report, motion->source_clip, "clip.resampled",
                       "no grid up to 960 Hz holds all keys: resampled at %g Hz",
                       (double)grid->rate_num / grid->rate_den);
    }
}

/// Writes what was measured into the header.
static void finish_header(struct fit *fit, const struct fit_options *options, bool is_closed,
                          double allowed_mm)
{
    const double to_mm = options->metres_per_unit * 1000.0;
    struct trp__clip_header header;
    memcpy(&header, fit->best.bytes, sizeof header);
    header.metres_per_unit = (float)options->metres_per_unit;
    header.budget_mm = (float)allowed_mm;
    header.shell_m = (float)options->shell_m;
    header.max_error_keys_mm = (float)(fit->best_result.max_keys * to_mm);
    header.max_error_mm = (float)(fit->best_result.max * to_mm);
    header.mean_error_mm = (float)(fit->best_result.mean * to_mm);
    header.loop =
        fit->motion->has_closing_key ? (uint32_t)TRP__LOOP_CLOSED : (uint32_t)options->loop;
    if (is_closed) {
        header.flags |= TRP_CLIP_LOOP_CLOSED;
    }
    memcpy(fit->best.bytes, &header, sizeof header);
}

bool fit_motion(struct motion *motion, const struct fit_options *options, struct arena *arena,
                struct buffer *clip, struct report *report)
{
    const double to_units = 1e-3 / options->metres_per_unit;
    const double shell_units = options->shell_m / options->metres_per_unit;
    const uint32_t lanes = motion->skeleton->lane_count;
    struct arena own = {0};
    struct grid grid;
    struct fit fit = {.motion = motion, .budget = options->error_mm * to_units};
    bool ok = find_grid(motion, &grid, &own, report);
    bool is_closed = false;
    if (ok && options->loop != COMPILE_LOOP_OFF) {
        is_closed = ends_where_it_began(motion, shell_units, fit.budget);
        if (!is_closed && options->loop == COMPILE_LOOP_ON) {
            motion_close(motion, grid_time(&grid, 1), arena);
            is_closed = true;
            ok = find_grid(motion, &grid, &own, report);
        }
    }
    if (!ok) {
        arena_free(&own);
        return false;
    }
    const bool is_exact = grid.is_exact;
    fit.lane_errors = ARENA_NEW(&own, double, lanes);
    fit.subtree_errors = ARENA_NEW(&own, double, lanes);
    settle_grid(&fit, &grid, shell_units, &own);
    fit.best_steps = ARENA_NEW(&own, double, fit.dense.track_count);

    // Floats far from the origin cannot do better than this.
    const double floor_units = 4.0 * metric_extent(&fit.metric) / 8388608.0;
    fit.budget = fit.budget > floor_units ? fit.budget : floor_units;
    fit.dense.rest_tolerance = 0.02 * fit.budget;
    search(&fit);
    if (!is_exact) {
        report_resampling(motion, &grid, report);
    }
    if (fit.best.size == 0) {
        struct buffer bytes = {0};
        struct metric_result result;
        dense_encode(&fit.dense, &bytes);
        measure(&fit, &bytes, &result);
        buffer_free(&bytes);
        const uint16_t joint = motion->skeleton->joint_of_lane[result.worst_lane];
        ok = report_error(report, TROUPE_EXIT_BUDGET, motion->source_clip, "clip.budget",
                          "error of %.4g mm at joint '%s', %.6f s, is over the budget of %.4g mm",
                          result.max / to_units, motion->skeleton->name_of_joint[joint],
                          result.worst_time_s, fit.budget / to_units);
    } else {
        finish_header(&fit, options, is_closed, fit.budget / to_units);
        *clip = fit.best;
    }
    arena_free(&own);
    return ok;
}
