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
#include "keyed.h"
#include "metric.h"
#include "pack_writer.h"

#define AIM 0.97              // of the budget, so that times between the measured ones hold too
#define ROUND_COUNT 12        // all steps are moved this often
#define PASS_COUNT 3          // and then each on its own
#define MOST_TICKS (1u << 21) // of a dense clip: 19 hours at 30 Hz
#define EMPTY_TICKS 4096      // clips of fewer ticks are not asked whether they are mostly empty
#define STEP_RATE 24.0        // at least, of a grid with dense stepped tracks
#define GRID_SHARE 0.3        // of the budget that a row at every tick may leave unquantised

/// The parts of the budget that dropping rows may use up.
static const double row_shares[] = {0.15, 0.4, 0.65};

struct fit {
    const struct motion *motion;
    bool *is_keyed;       // [motion_curve_count]
    bool is_slerp;        // keyed rotations follow slerp itself
    struct arena attempt; // memory of the present grid: metric, dense and steps
    struct metric metric;
    struct dense dense;
    double budget; // in source units
    double *lane_errors;
    double *subtree_errors;
    struct buffer best;
    double *best_steps; // [track_count]
    struct metric_result best_result;
};

/// Writes the clip as it is planned now.
static void encode(const struct fit *fit, struct buffer *clip)
{
    dense_encode(&fit->dense, clip);
    const uint32_t keyed = keyed_encode(fit->motion, fit->is_keyed, fit->is_slerp, clip);
    struct trp__clip_header header;
    memcpy(&header, clip->bytes, sizeof header);
    header.keyed_offset = keyed;
    memcpy(clip->bytes, &header, sizeof header);
}

/// A clip opened in a pack of its own.
struct opened {
    void *bytes;
    trp_pack pack;
    trp_clip clip;
};

static void open_clip(const struct fit *fit, const struct buffer *clip, struct opened *opened)
{
    struct pack_writer writer = {0};
    if (fit->motion->skeleton->lane_count > 0) {
        pack_writer_add_skeleton(&writer, fit->motion->skeleton);
    }
    if (motion_has_values(fit->motion)) {
        pack_writer_add_property_set(&writer, "", fit->motion->values);
    }
    pack_writer_add_clip(&writer, clip);
    const size_t size = pack_writer_finish(&writer, &opened->bytes);
    pack_writer_free(&writer);
    trp_diagnostic diagnostic;
    if (size == 0 || trp_pack_open(opened->bytes, size, &opened->pack, &diagnostic) != TRP_OK ||
        trp_pack_clip(&opened->pack, 0, &opened->clip) != TRP_OK) {
        fprintf(stderr, "troupe: error: the runtime refused its own clip: %s [internal]\n",
                size == 0 ? "too large" : diagnostic.rule);
        exit(TROUPE_EXIT_INTERNAL);
    }
}

static void measure(struct fit *fit, const struct buffer *clip, struct metric_result *result)
{
    struct opened opened;
    open_clip(fit, clip, &opened);
    metric_measure(&fit->metric, &opened.clip, result, fit->lane_errors);
    free(opened.bytes);
}

static void keep(struct fit *fit, const struct buffer *clip, const struct metric_result *result)
{
    buffer_free(&fit->best);
    fit->best = *clip;
    fit->best_result = *result;
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        fit->best_steps[t] = fit->dense.tracks[t].step;
    }
}

/// Encodes with the present steps, measures, and keeps the result if it is the smallest that holds.
/// @return the largest error
static double try_steps(struct fit *fit)
{
    struct buffer clip = {0};
    struct metric_result result;
    encode(fit, &clip);
    measure(fit, &clip, &result);
    if (result.max <= AIM * fit->budget && result.max_values <= 1.0 &&
        (fit->best.size == 0 || clip.size < fit->best.size)) {
        keep(fit, &clip, &result);
    } else {
        buffer_free(&clip);
    }
    return result.max;
}

/// Keeps the present steps if they are smaller than the best so far and hold; looks no further
/// than the first error that is too large.
static bool try_smaller(struct fit *fit)
{
    struct buffer clip = {0};
    encode(fit, &clip);
    bool is_better = clip.size < fit->best.size;
    if (is_better) {
        struct opened opened;
        open_clip(fit, &clip, &opened);
        is_better = !metric_exceeds(&fit->metric, &opened.clip, AIM * fit->budget);
        free(opened.bytes);
    }
    if (!is_better) {
        buffer_free(&clip);
        return false;
    }
    struct metric_result result;
    measure(fit, &clip, &result);
    keep(fit, &clip, &result);
    return true;
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
        if (track->path == SCENE_PROPERTY) {
            continue; // its step is its tolerance
        }
        const double error = fit->subtree_errors[track->lane];
        double ratio = error > 0.0 ? AIM * 0.995 * fit->budget / error : 2.0;
        ratio = ratio > 2.0 ? 2.0 : ratio < 0.5 ? 0.5 : ratio;
        track->step *= 1.0 + strength * (ratio - 1.0);
    }
}

static void scale_steps(struct fit *fit, double factor)
{
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        fit->dense.tracks[t].step *= fit->dense.tracks[t].path == SCENE_PROPERTY ? 1.0 : factor;
    }
}

/// Moves all steps together, round by round, towards an even use of the budget.
static void balance_steps(struct fit *fit)
{
    bool has_joints = false;
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        struct dense_track *const track = &fit->dense.tracks[t];
        if (track->path != SCENE_PROPERTY) {
            track->step = 0.3 * fit->budget / track->weight;
            has_joints = true;
        }
    }
    if (!has_joints) {
        try_steps(fit);
        return;
    }
    for (int round = 0; round < ROUND_COUNT; round++) {
        double error = try_steps(fit);
        move_steps(fit, round < ROUND_COUNT / 2 ? 0.7 : 0.35);
        // What is left over the budget is shared by all.
        for (int pull = 0; pull < 3 && error > AIM * fit->budget; pull++) {
            scale_steps(fit, 0.98 * AIM * fit->budget / error);
            error = try_steps(fit);
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
            const size_t factor_count =
                tracks[t].path == SCENE_PROPERTY ? 0 : sizeof factors / sizeof factors[0];
            for (size_t i = 0; i < factor_count; i++) {
                tracks[t].step = fit->best_steps[t] * factors[i];
                if (try_smaller(fit)) {
                    has_gained = true;
                    break;
                }
                tracks[t].step = fit->best_steps[t];
            }
        }
    }
}

static bool is_all_keyed(const struct fit *fit)
{
    for (uint32_t i = 0; i < motion_curve_count(fit->motion); i++) {
        if (motion_curve(fit->motion, i) != NULL && !fit->is_keyed[i]) {
            return false;
        }
    }
    return true;
}

/// Finds a grid whose rows, interpolated, stay near the curves: doubles the rate until they do.
/// @return how far they are off them
static double settle_grid(struct fit *fit, struct grid *grid, double shell_units)
{
    for (uint32_t factor = 1;; factor *= 2) {
        const uint32_t segment =
            grid->tick_count < TRP__MAX_SEGMENT_TICKS
                ? (grid->tick_count < TRP__MIN_SEGMENT_TICKS ? TRP__MIN_SEGMENT_TICKS
                                                             : grid->tick_count)
                : TRP__MAX_SEGMENT_TICKS;
        struct grid moments = *grid;
        arena_free(&fit->attempt);
        if (is_all_keyed(fit)) {
            moments.tick_count = 0; // the keys alone matter
        }
        metric_init(&fit->metric, fit->motion, &moments, shell_units, factor == 1 ? 4 : 2,
                    &fit->attempt);
        dense_init(&fit->dense, fit->motion, fit->is_keyed, grid, segment, shell_units, fit->budget,
                   &fit->attempt);
        if (grid->tick_count == 0 || fit->dense.track_count == 0) {
            return 0.0;
        }
        const double error = dense_error_of_grid(&fit->dense, &fit->metric);
        if (error <= GRID_SHARE * fit->budget || !grid_refine(grid, 2)) {
            return error;
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
        try_steps(fit);
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
    double *const value_first = ARENA_NEW(&arena, double, motion->values->value_count);
    double *const value_last = ARENA_NEW(&arena, double, motion->values->value_count);
    for (uint32_t i = 0; i < motion->values->property_count && is_closed; i++) {
        motion_property(motion, i, 0.0, value_first);
        motion_property(motion, i, motion->duration_s, value_last);
        for (uint32_t c = 0; c < motion->values->properties[i].value_count; c++) {
            is_closed =
                is_closed && fabs(value_last[c] - value_first[c]) <= motion->values->tolerance[i];
        }
    }
    arena_free(&arena);
    return is_closed;
}

/// Whether a motion moves anything. If not, its end meets its start, and that says nothing.
static bool moves_something(const struct motion *motion)
{
    for (uint32_t i = 0; i < motion_curve_count(motion); i++) {
        if (motion_curve(motion, i) != NULL) {
            return true;
        }
    }
    return false;
}

/// Finds the grid of all curves that are not keyed (of all, where every one is).
static bool find_grid(const struct fit *fit, struct grid *grid, struct arena *arena,
                      struct report *report)
{
    const struct motion *const motion = fit->motion;
    double *times;
    uint32_t count = motion_key_times(motion, fit->is_keyed, arena, &times);
    if (count == 0) {
        count = motion_key_times(motion, NULL, arena, &times);
    }
    if (!grid_find(times, count, motion->duration_s, grid)) {
        return report_error(report, TROUPE_EXIT_UNSUPPORTED, motion->source_clip, "clip.length",
                            "a clip cannot last %g s: too short or too long for its ticks",
                            motion->duration_s);
    }
    return true;
}

/// Marks curves of a kind as keyed.
static void key_stepped(struct fit *fit)
{
    for (uint32_t i = 0; i < motion_curve_count(fit->motion); i++) {
        const struct scene_curve *const curve = motion_curve(fit->motion, i);
        fit->is_keyed[i] |= curve != NULL && curve_is_stepped(curve);
    }
}

/// Whether a property may be dense: a number that moves, its keys on the grid.
static bool fits_grid(const struct fit *fit, uint32_t property, const struct grid *grid)
{
    const struct scene_curve *const curve = fit->motion->property_curves[property];
    const uint32_t first = curve_has_initial(curve) ? 1 : 0; // rows know of no time before the clip
    return fit->motion->values->properties[property].type == SCENE_FLOAT &&
           !curve_is_constant(curve, SCENE_PROPERTY) && grid->is_exact &&
           grid_holds(grid, curve->times + first, curve->key_count - first);
}

/// Whether a clip is too long for rows, or long and nearly all ticks of its grid are without a key:
/// minutes of waiting, then a gesture. Rows could be dropped, but every tick has to be looked at.
static bool is_mostly_empty(const struct motion *motion, const struct grid *grid,
                            struct arena *arena)
{
    double *times;
    if (grid->tick_count > MOST_TICKS) {
        return true;
    }
    return grid->tick_count > EMPTY_TICKS &&
           motion_key_times(motion, NULL, arena, &times) < grid->tick_count / 64;
}

/// Leaves to keyed tracks what must not be resampled: everything on request, stepped curves where
/// no grid holds their edges, and properties that are switches, do not move, or have keys off the
/// grid of the joints (without joints: off the grid of all properties).
static bool choose_keyed(struct fit *fit, const struct fit_options *options, struct grid *grid,
                         struct arena *arena, struct report *report)
{
    const struct motion *const motion = fit->motion;
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    const uint32_t curve_count = motion_curve_count(motion);
    bool has_joints = false;
    for (uint32_t i = 0; i < curve_count; i++) {
        fit->is_keyed[i] = options->is_exact;
        has_joints |= i < joint_curves && motion_curve(motion, i) != NULL;
    }
    for (uint32_t i = joint_curves; i < curve_count && has_joints; i++) {
        fit->is_keyed[i] = true;
    }
    if (!find_grid(fit, grid, arena, report)) {
        return false;
    }
    if (!grid->is_exact) {
        key_stepped(fit);
        if (!find_grid(fit, grid, arena, report)) {
            return false;
        }
    }
    const bool is_sparse = is_mostly_empty(motion, grid, arena);
    for (uint32_t i = 0; i < curve_count && !options->is_exact; i++) {
        if (is_sparse) {
            fit->is_keyed[i] = true;
        } else if (i >= joint_curves) {
            fit->is_keyed[i] =
                motion_curve(motion, i) != NULL && !fits_grid(fit, i - joint_curves, grid);
        }
    }
    return true;
}

/// The bytes that a dense track takes in the best clip so far.
static double dense_bytes(const struct fit *fit, uint32_t index)
{
    const struct dense_track *const track = &fit->dense.tracks[index];
    struct trp__clip_header header;
    memcpy(&header, fit->best.bytes, sizeof header);
    const double levels = 2.0 * track->spread / fit->best_steps[index];
    const double components = track->path == SCENE_PROPERTY ? 1.0 : 3.0;
    double bits = 0.0;
    for (double range = levels; range >= 1.0; range /= 2.0) {
        bits += 1.0;
    }
    return components * bits * header.row_count / 8.0;
}

/// Leaves to keyed tracks the curves that would be much smaller there: few keys in a long clip.
/// @return whether there are any
static bool choose_sparse(struct fit *fit)
{
    const struct motion *const motion = fit->motion;
    const uint32_t joint_curves = motion->skeleton->lane_count * 3;
    double *const bytes = calloc(motion_curve_count(motion), sizeof *bytes);
    bool has_sparse = false;
    for (uint32_t t = 0; t < fit->dense.track_count; t++) {
        const struct dense_track *const track = &fit->dense.tracks[t];
        const uint32_t curve = track->path == SCENE_PROPERTY
                                   ? joint_curves + motion->values->property_of_value[track->lane]
                                   : track->lane * 3 + track->path;
        bytes[curve] += dense_bytes(fit, t);
    }
    for (uint32_t i = 0; i < motion_curve_count(motion); i++) {
        if (bytes[i] > 0.0 && 2.0 * keyed_bytes(motion_curve(motion, i)) < bytes[i]) {
            fit->is_keyed[i] = true;
            has_sparse = true;
        }
    }
    free(bytes);
    return has_sparse;
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
    header.lead_in_s = (float)fit->motion->lead_in_s;
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

/// Makes ticks short where stepped tracks are dense: they switch up to a thousandth of one early.
static void refine_for_steps(const struct fit *fit, struct grid *grid)
{
    const double rate = (double)grid->rate_num / grid->rate_den;
    if (rate >= STEP_RATE) {
        return;
    }
    for (uint32_t i = 0; i < motion_curve_count(fit->motion); i++) {
        const struct scene_curve *const curve = motion_curve(fit->motion, i);
        if (curve != NULL && !fit->is_keyed[i] && curve_is_stepped(curve)) {
            grid_refine(grid, (uint32_t)(STEP_RATE / rate) + 1);
            return;
        }
    }
}

/// Searches with the present choice of keyed tracks; where the budget does not hold, with slerp.
static void search_grid(struct fit *fit, struct grid grid, double shell_units)
{
    refine_for_steps(fit, &grid);
    const double error = settle_grid(fit, &grid, shell_units);
    fit->best_steps = ARENA_NEW(&fit->attempt, double, fit->dense.track_count);
    // Floats far from the origin cannot do better than this.
    const double floor_units = 4.0 * metric_extent(&fit->metric) / 8388608.0;
    fit->budget = fit->budget > floor_units ? fit->budget : floor_units;
    fit->dense.budget = fit->budget;
    fit->dense.rest_tolerance = 0.02 * fit->budget;
    fit->is_slerp = false;
    if (error > fit->budget) {
        return; // no choice of rows gets nearer
    }
    search(fit);
    if (fit->best.size == 0) {
        fit->is_slerp = true;
        search(fit);
    }
}

/// Tries whether sparse curves are better keyed.
static void search_sparse(struct fit *fit, const struct grid *grid, double shell_units)
{
    if (fit->best.size == 0 || !choose_sparse(fit)) {
        return;
    }
    const struct buffer dense = fit->best;
    const struct metric_result dense_result = fit->best_result;
    fit->best = (struct buffer){0};
    search_grid(fit, *grid, shell_units);
    if (fit->best.size == 0 || fit->best.size >= dense.size) {
        buffer_free(&fit->best);
        fit->best = dense;
        fit->best_result = dense_result;
    } else {
        struct buffer unused = dense;
        buffer_free(&unused);
    }
}

/// Where rows cannot hold the budget, such as fast motion with keys on no grid: keeps all curves as
/// they are.
static void search_exact(struct fit *fit, const struct grid *grid, double shell_units)
{
    if (fit->best.size > 0) {
        return;
    }
    for (uint32_t i = 0; i < motion_curve_count(fit->motion); i++) {
        fit->is_keyed[i] = true;
    }
    search_grid(fit, *grid, shell_units);
}

static bool report_over_budget(struct fit *fit, double to_units, struct report *report)
{
    const struct motion *const motion = fit->motion;
    struct buffer bytes = {0};
    struct metric_result result;
    encode(fit, &bytes);
    measure(fit, &bytes, &result);
    buffer_free(&bytes);
    if (result.max_values > 1.0) {
        return report_error(report, TROUPE_EXIT_BUDGET, motion->source_clip, "clip.budget",
                            "property '%s' is off by %.3g times its tolerance",
                            motion->values->properties[result.worst_property].path,
                            result.max_values);
    }
    const uint16_t joint = motion->skeleton->joint_of_lane[result.worst_lane];
    return report_error(report, TROUPE_EXIT_BUDGET, motion->source_clip, "clip.budget",
                        "error of %.4g mm at joint '%s', %.6f s, is over the budget of %.4g mm",
                        result.max / to_units, motion->skeleton->name_of_joint[joint],
                        result.worst_time_s, fit->budget / to_units);
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
    fit.is_keyed = ARENA_NEW(&own, bool, motion_curve_count(motion));
    bool ok = choose_keyed(&fit, options, &grid, &own, report);
    bool is_closed = false;
    if (ok && options->loop != COMPILE_LOOP_OFF) {
        is_closed = ends_where_it_began(motion, shell_units, fit.budget) &&
                    (moves_something(motion) || options->loop == COMPILE_LOOP_ON);
        if (!is_closed && options->loop == COMPILE_LOOP_ON) {
            motion_close(motion, grid_time(&grid, 1), arena);
            is_closed = true;
            ok = choose_keyed(&fit, options, &grid, &own, report);
        }
    }
    if (ok) {
        fit.lane_errors = ARENA_NEW(&own, double, lanes);
        fit.subtree_errors = ARENA_NEW(&own, double, lanes);
        search_grid(&fit, grid, shell_units);
        search_sparse(&fit, &grid, shell_units);
        search_exact(&fit, &grid, shell_units);
        if (!grid.is_exact && fit.dense.track_count > 0) {
            report_warning(report, motion->source_clip, "clip.resampled",
                           "no grid up to 960 Hz holds all keys: resampled at %g Hz",
                           (double)fit.dense.grid.rate_num / fit.dense.grid.rate_den);
        }
        if (fit.budget > options->error_mm * to_units * 1.001) {
            report_warning(report, motion->source_clip, "clip.budget",
                           "floats this far from the origin hold %.4g mm at best: that is the "
                           "budget, not %.4g mm",
                           fit.budget / to_units, options->error_mm);
        }
        if (!(fit.budget < 1e27)) {
            ok = report_error(report, TROUPE_EXIT_UNSUPPORTED, motion->source_clip, "clip.range",
                              "joints go farther from the origin than 1e30 units");
        }
        ok = ok && (fit.best.size > 0 || report_over_budget(&fit, to_units, report));
    }
    if (ok) {
        finish_header(&fit, options, is_closed, fit.budget / to_units);
        *clip = fit.best;
    } else {
        buffer_free(&fit.best);
    }
    arena_free(&fit.attempt);
    arena_free(&own);
    return ok;
}
