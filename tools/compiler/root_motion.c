// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "root_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <troupe/clip.h>
#include <troupe/root_motion.h>

#include "../../src/format.h"
#include "exact_math.h"
#include "metric.h"
#include "quat.h"

#define KEY_SHARE 0.02         // of the budget: how far keys may be off the true motion
#define NOISE_SHARE 0.25       // of that: a component that never does more is none
#define CURVE_SHARE 0.03       // of the budget: how far new curves may be off between their keys
#define SHORTEST_KEY_S 0x1p-16 // half intervals between keys are not made shorter than this
#define SHORTEST_S 0x1p-10     // and those of new curves not than this
#define MOST_KEYS 32768u       // that halving makes, of either, besides MOST_PER_KEY ...
#define MOST_PER_KEY 8u        // ... for each key of the source
#define WALK_STEPS 16          // between two keys, to follow a turn over more than half a circle
#define EVEN_TOLERANCE 2e-6    // relative, of scales that count as one
#define UPRIGHT_LIMIT 1e-10    // square of a twist's quaternion below which it is degenerate

static const double turn_rad = 6.283185307179586;
static const char too_wild[] = "moves so wildly that no reasonable number of keys holds its way";

// ---- Movements ---------------------------------------------------------------------------------

/// Sine and cosine of a number of turns.
static void sincos_turns(double turns, double *sine, double *cosine)
{
    const double angle = (turns - floor(turns)) * turn_rad;
    *sine = exact_sin(angle);
    *cosine = exact_cos(angle);
}

/// Writes the matrix of a movement: x y z, and yaw in turns about the pivot of the motion.
static void movement_matrix(const struct root_motion *root, const double movement[4],
                            double matrix[12])
{
    double sine;
    double cosine;
    sincos_turns(movement[3], &sine, &cosine);
    const double x = (double)root->pivot[0];
    const double z = (double)root->pivot[1];
    const double values[12] = {
        cosine, 0.0, sine,   movement[0] + (x - (cosine * x + sine * z)), //
        0.0,    1.0, 0.0,    movement[1],                                 //
        -sine,  0.0, cosine, movement[2] + (z - (cosine * z - sine * x)),
    };
    memcpy(matrix, values, sizeof values);
}

static void movement_inverse(const double matrix[12], double inverse[12])
{
    for (int row = 0; row < 3; row++) {
        inverse[4 * row + 3] = 0.0;
        for (int column = 0; column < 3; column++) {
            inverse[4 * row + column] = matrix[4 * column + row];
            inverse[4 * row + 3] -= matrix[4 * column + row] * matrix[4 * column + 3];
        }
    }
}

static void transform_point(const double matrix[12], const double point[3], double out[3])
{
    for (int row = 0; row < 3; row++) {
        const double *const m = matrix + 4 * row;
        out[row] = m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3];
    }
}

/// Writes the way from u = 0 to 1 between two keys.
static void key_between(const float a[4], const float b[4], double u, double out[4])
{
    for (int i = 0; i < 4; i++) {
        out[i] = (double)a[i] + u * ((double)b[i] - (double)a[i]);
    }
}

/// Returns the last of sorted times that is not after `time_s`, or the first of all.
static uint32_t find_time(const double *times, uint32_t count, double time_s)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Writes the motion as stored.
static void stored_at(const struct root_motion *root, double time_s, double movement[4])
{
    const uint32_t key = find_time(root->times, root->key_count, time_s);
    if (key + 1 == root->key_count || time_s <= root->times[key]) {
        key_between(root->keys[key], root->keys[key], 0.0, movement);
        return;
    }
    const double u = (time_s - root->times[key]) / (root->times[key + 1] - root->times[key]);
    key_between(root->keys[key], root->keys[key + 1], u, movement);
}

// ---- The joint ---------------------------------------------------------------------------------

bool root_motion_moves(const struct motion *motion, uint32_t lane)
{
    for (int path = SCENE_ROTATION; path <= SCENE_TRANSLATION; path++) {
        const struct scene_curve *const curve = motion->curves[lane * 3 + (uint32_t)path];
        if (curve != NULL && !curve_is_constant(curve, (enum scene_path)path)) {
            return true;
        }
    }
    return false;
}

/// Returns the joint's local transform in the source.
static struct scene_transform source_local(const struct root_motion *root, double time_s)
{
    struct scene_transform local = root->rest;
    double *const values[3] = {local.rotation, local.translation, local.scale};
    for (int path = SCENE_ROTATION; path <= SCENE_SCALE; path++) {
        if (root->curves[path] != NULL) {
            scene_curve_sample(root->curves[path], (enum scene_path)path, time_s, values[path]);
        }
    }
    return local;
}

struct scene_transform root_motion_remaining(const struct root_motion *root, double time_s)
{
    struct scene_transform local = source_local(root, time_s);
    double movement[4];
    double matrix[12];
    double inverse[12];
    double moved[3];
    double place[3];
    stored_at(root, time_s, movement);
    movement_matrix(root, movement, matrix);
    movement_inverse(matrix, inverse);
    transform_point(root->model_from_parent, local.translation, moved);
    transform_point(inverse, moved, place);
    transform_point(root->parent_from_model, place, local.translation);
    if (root->is_turning) {
        // conj(parent) * conj(turn) * parent * local
        double back[4] = {0.0, 0.0, 0.0, 1.0};
        double turned[4];
        sincos_turns(-0.5 * movement[3], &back[1], &back[3]);
        quat_multiply(root->parent_rotation, local.rotation, turned);
        quat_multiply(back, turned, turned);
        quat_relative(root->parent_rotation, turned, local.rotation);
        quat_normalise(local.rotation);
    }
    return local;
}

// ---- What is above the joint -------------------------------------------------------------------

static double determinant(const double m[12])
{
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

/// Writes the inverse of a matrix whose determinant is not 0.
static void invert(const double m[12], double inverse[12])
{
    const double scale = 1.0 / determinant(m);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            // The cofactor of (column, row), signs by going round.
            const double *const a = m + 4 * ((column + 1) % 3);
            const double *const b = m + 4 * ((column + 2) % 3);
            const int i = (row + 1) % 3;
            const int j = (row + 2) % 3;
            inverse[4 * row + column] = (a[i] * b[j] - a[j] * b[i]) * scale;
        }
    }
    for (int row = 0; row < 3; row++) {
        double *const out = inverse + 4 * row;
        out[3] = -(out[0] * m[3] + out[1] * m[7] + out[2] * m[11]);
    }
}

static double column_dot(const double m[12], int a, int b)
{
    return m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
}

/// Writes the rotation of a matrix without shear, of one scale.
/// @return false where it is none
static bool rotation_of(const double m[12], double rotation[4])
{
    const double square = column_dot(m, 0, 0);
    for (int axis = 0; axis < 3; axis++) {
        const double other = column_dot(m, axis, axis);
        const double skew = column_dot(m, axis, (axis + 1) % 3);
        if (!(fabs(other - square) <= 2.0 * EVEN_TOLERANCE * square) ||
            !(fabs(skew) <= EVEN_TOLERANCE * square)) {
            return false;
        }
    }
    if (!(determinant(m) > 0.0)) {
        return false;
    }
    const double scale = sqrt(square);
    const double diagonal[3] = {m[0] / scale, m[5] / scale, m[10] / scale};
    // Four times the square of each component; the largest one is safe to divide by.
    const double squares[4] = {
        1.0 + diagonal[0] - diagonal[1] - diagonal[2],
        1.0 - diagonal[0] + diagonal[1] - diagonal[2],
        1.0 - diagonal[0] - diagonal[1] + diagonal[2],
        1.0 + diagonal[0] + diagonal[1] + diagonal[2],
    };
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    const double differences[3] = {m[9] - m[6], m[2] - m[8], m[4] - m[1]};
    const double root = sqrt(squares[largest]);
    const double part = 0.5 / (root * scale);
    for (int i = 0; i < 3; i++) {
        // xy and the like where a component of the axis is the largest, else wx.
        rotation[i] =
            largest == 3 ? differences[i] * part : (m[4 * i + largest] + m[4 * largest + i]) * part;
    }
    rotation[3] = largest == 3 ? 0.5 * root : differences[largest] * part;
    if (largest != 3) {
        rotation[largest] = 0.5 * root;
    }
    quat_normalise(rotation);
    return true;
}

/// Returns the name of a joint above a lane that moves, or null.
static const char *moving_ancestor(const struct motion *motion, uint32_t lane)
{
    const struct skeleton *const skeleton = motion->skeleton;
    while ((lane = skeleton->parent_of_lane[lane]) != TRP_NO_LANE) {
        for (int path = SCENE_ROTATION; path <= SCENE_SCALE; path++) {
            const struct scene_curve *const curve = motion->curves[lane * 3u + (uint32_t)path];
            if (curve != NULL && !curve_is_constant(curve, (enum scene_path)path)) {
                return skeleton->name_of_joint[skeleton->joint_of_lane[lane]];
            }
        }
    }
    return NULL;
}

/// Finds where the joint's parent stands throughout the clip.
static bool find_parent(const struct motion *motion, struct root_motion *root,
                        struct report *report)
{
    const struct skeleton *const skeleton = motion->skeleton;
    const char *const name = skeleton->name_of_joint[skeleton->joint_of_lane[root->lane]];
    double below[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double matrix[12];
    double product[12];
    for (uint16_t lane = skeleton->parent_of_lane[root->lane]; lane != TRP_NO_LANE;
         lane = skeleton->parent_of_lane[lane]) {
        const struct scene_transform local = motion_local(motion, lane, 0.0);
        scene_transform_matrix(&local, matrix);
        scene_matrix_multiply(matrix, below, product);
        memcpy(below, product, sizeof product);
    }
    scene_matrix_multiply(skeleton->root, below, root->model_from_parent);
    if (determinant(root->model_from_parent) == 0.0) {
        return report_error(report, TROUPE_EXIT_INPUT, motion->source_clip, "root_motion.scale",
                            "what is above '%s' has no size", name);
    }
    if ((root->components & TRP_ROOT_YAW) != 0 &&
        !rotation_of(root->model_from_parent, root->parent_rotation)) {
        return report_error(report, TROUPE_EXIT_INPUT, motion->source_clip, "root_motion.scale",
                            "what is above '%s' is mirrored or not scaled evenly: no yaw can be "
                            "taken from it (--root-axes without yaw)",
                            name);
    }
    invert(root->model_from_parent, root->parent_from_model);
    return true;
}

// ---- The true motion ---------------------------------------------------------------------------

/// The joint's motion as defined, followed from key to key.
struct walk {
    const struct root_motion *root;
    uint32_t components; // those that move
    double lever;        // distance at which errors are measured, in the joint's units
    double first_place[3];
    double first_rotation[4];
    uint32_t time_count; // keys of the joint's curves, from 0
    double *times;       // [time_count]
    double *yaws;        // [time_count * WALK_STEPS] in turns
};

static void joint_model(const struct walk *walk, double time_s, double model[12])
{
    const struct scene_transform local = source_local(walk->root, time_s);
    double matrix[12];
    scene_transform_matrix(&local, matrix);
    scene_matrix_multiply(walk->root->model_from_parent, matrix, model);
}

static void joint_rotation(const struct walk *walk, double time_s, double rotation[4])
{
    const struct scene_transform local = source_local(walk->root, time_s);
    quat_multiply(walk->root->parent_rotation, local.rotation, rotation);
}

/// Returns the yaw at a time, in turns, on the side of `previous`.
static double yaw_near(const struct walk *walk, double time_s, double previous)
{
    const double back[4] = {-walk->first_rotation[0], -walk->first_rotation[1],
                            -walk->first_rotation[2], walk->first_rotation[3]};
    double rotation[4];
    double way[4];
    joint_rotation(walk, time_s, rotation);
    quat_multiply(rotation, back, way);
    if (way[1] * way[1] + way[3] * way[3] < UPRIGHT_LIMIT) {
        return previous;
    }
    const double yaw = 2.0 * exact_atan2(way[1], way[3]) / turn_rad;
    return yaw + floor(previous - yaw + 0.5);
}

static double yaw_at(const struct walk *walk, double time_s)
{
    const uint32_t key = find_time(walk->times, walk->time_count, time_s);
    if (key + 1 == walk->time_count) {
        return walk->yaws[key * WALK_STEPS];
    }
    const double from = walk->times[key];
    const double u = (time_s - from) / (walk->times[key + 1] - from);
    const uint32_t step = (uint32_t)(u * WALK_STEPS);
    return yaw_near(walk, time_s,
                    walk->yaws[key * WALK_STEPS + (step < WALK_STEPS ? step : WALK_STEPS - 1)]);
}

static void true_at(const struct walk *walk, double time_s, double movement[4])
{
    double model[12];
    joint_model(walk, time_s, model);
    for (int i = 0; i < 3; i++) {
        movement[i] =
            (walk->components >> i & 1) != 0 ? model[4 * i + 3] - walk->first_place[i] : 0.0;
    }
    movement[3] = (walk->components & TRP_ROOT_YAW) != 0 ? yaw_at(walk, time_s) : 0.0;
}

/// Merges the key times of the joint's curves, and puts 0 before them.
static void merge_times(struct walk *walk, struct arena *arena)
{
    const struct scene_curve *const rotation = walk->root->curves[SCENE_ROTATION];
    const struct scene_curve *const translation = walk->root->curves[SCENE_TRANSLATION];
    const uint32_t rotation_count = rotation != NULL ? rotation->key_count : 0;
    const uint32_t translation_count = translation != NULL ? translation->key_count : 0;
    walk->times = ARENA_NEW(arena, double, (size_t)rotation_count + translation_count + 1);
    walk->time_count = 1; // 0
    for (uint32_t r = 0, t = 0; r < rotation_count || t < translation_count;) {
        const bool takes_rotation =
            t == translation_count ||
            (r < rotation_count && rotation->times[r] <= translation->times[t]);
        const double time_s = takes_rotation ? rotation->times[r++] : translation->times[t++];
        if (time_s > walk->times[walk->time_count - 1]) {
            walk->times[walk->time_count++] = time_s;
        }
    }
}

static void walk_init(struct walk *walk, const struct root_motion *root, double lever,
                      struct arena *arena)
{
    double model[12];
    *walk = (struct walk){.root = root, .components = root->components, .lever = lever};
    merge_times(walk, arena);
    joint_model(walk, 0.0, model);
    for (int i = 0; i < 3; i++) {
        walk->first_place[i] = model[4 * i + 3];
    }
    if ((walk->components & TRP_ROOT_YAW) == 0) {
        return;
    }
    joint_rotation(walk, 0.0, walk->first_rotation);
    walk->yaws = ARENA_NEW(arena, double, (size_t)walk->time_count *WALK_STEPS);
    double yaw = 0.0;
    for (uint32_t key = 0; key < walk->time_count; key++) {
        const bool is_last = key + 1 == walk->time_count;
        const double from = walk->times[key];
        const double way = is_last ? 0.0 : walk->times[key + 1] - from;
        for (uint32_t step = 0; step < (is_last ? 1u : WALK_STEPS); step++) {
            yaw = yaw_near(walk, from + way * step / WALK_STEPS, yaw);
            walk->yaws[(size_t)key * WALK_STEPS + step] = yaw;
        }
    }
}

// ---- Keys --------------------------------------------------------------------------------------

/// A moment at which keys are compared with the true motion.
struct sample {
    double time_s;
    double movement[4];
    double model[12];     // of the joint in the source
    double remaining[12]; // the same without the movement
};

static void take_sample(const struct walk *walk, double time_s, struct sample *sample)
{
    double matrix[12];
    double inverse[12];
    sample->time_s = time_s;
    true_at(walk, time_s, sample->movement);
    movement_matrix(walk->root, sample->movement, matrix);
    movement_inverse(matrix, inverse);
    joint_model(walk, time_s, sample->model);
    scene_matrix_multiply(inverse, sample->model, sample->remaining);
}

static void key_of(const struct sample *sample, float key[4])
{
    for (int i = 0; i < 4; i++) {
        key[i] = stored_float(sample->movement[i]);
    }
}

/// Returns how far another movement takes the joint from where it is.
static double sample_error(const struct walk *walk, const struct sample *sample,
                           const double movement[4])
{
    double matrix[12];
    double model[12];
    movement_matrix(walk->root, movement, matrix);
    scene_matrix_multiply(matrix, sample->remaining, model);
    return metric_displacement(sample->model, model, walk->lever);
}

/// Returns the error at a sample of keys at two others.
static double error_between(const struct walk *walk, const struct sample *from,
                            const struct sample *to, const struct sample *at)
{
    float keys[2][4];
    double movement[4];
    key_of(from, keys[0]);
    key_of(to, keys[1]);
    key_between(keys[0], keys[1], (at->time_s - from->time_s) / (to->time_s - from->time_s),
                movement);
    return sample_error(walk, at, movement);
}

/// Samples in a row: moments that may become keys, with the middles between them.
struct samples {
    struct sample *items;
    uint32_t count;
    uint32_t capacity;
    bool is_full; // more keys than there may be were asked for
};

/// Returns how many keys there may be.
static uint64_t most_keys(const struct walk *walk)
{
    return MOST_KEYS + MOST_PER_KEY * (uint64_t)walk->time_count;
}

static void add_sample(struct samples *samples, const struct sample *sample, struct arena *arena)
{
    if (samples->count == samples->capacity) {
        const uint32_t capacity = samples->capacity == 0 ? 256 : 2 * samples->capacity;
        struct sample *const items = ARENA_NEW(arena, struct sample, capacity);
        if (samples->count > 0) {
            memcpy(items, samples->items, samples->count * sizeof *items);
        }
        samples->items = items;
        samples->capacity = capacity;
    }
    samples->items[samples->count++] = *sample;
}

/// Adds what follows `from`, up to and with `to`: halves until keys there hold the motion, or there
/// are too many.
/// @return the largest error left
static double halve(const struct walk *walk, const struct sample *from, const struct sample *to,
                    double tolerance, struct samples *samples, struct arena *arena)
{
    const double way = to->time_s - from->time_s;
    struct sample quarters[3];
    double error = 0.0;
    for (int i = 0; i < 3; i++) {
        take_sample(walk, from->time_s + 0.25 * (i + 1) * way, &quarters[i]);
        error = fmax(error, error_between(walk, from, to, &quarters[i]));
    }
    const bool is_coarse = error > tolerance && 0.5 * way >= SHORTEST_KEY_S;
    samples->is_full |= is_coarse && samples->count >= 2 * most_keys(walk);
    if (is_coarse && !samples->is_full) {
        error = halve(walk, from, &quarters[1], tolerance, samples, arena);
        return fmax(error, halve(walk, &quarters[1], to, tolerance, samples, arena));
    }
    add_sample(samples, &quarters[1], arena);
    add_sample(samples, to, arena);
    return error;
}

/// Whether keys at two samples alone hold all samples in between.
static bool holds_between(const struct walk *walk, const struct samples *samples, uint32_t from,
                          uint32_t to, double tolerance)
{
    for (uint32_t i = from + 1; i < to; i++) {
        if (!(error_between(walk, &samples->items[from], &samples->items[to], &samples->items[i]) <=
              tolerance)) {
            return false;
        }
    }
    return true;
}

/// Returns the last sample that can be the next key after `from`; keys have even indices.
static uint32_t next_key(const struct walk *walk, const struct samples *samples, uint32_t from,
                         double tolerance)
{
    uint32_t next = from + 2;
    uint32_t stride = 2;
    while (next + stride < samples->count &&
           holds_between(walk, samples, from, next + stride, tolerance)) {
        next += stride;
        stride *= 2;
    }
    for (; stride >= 2; stride /= 2) {
        if (next + stride < samples->count &&
            holds_between(walk, samples, from, next + stride, tolerance)) {
            next += stride;
        }
    }
    return next;
}

/// Leaves out of the walk components that are nothing but noise.
static void drop_noise(struct walk *walk, double noise)
{
    double largest[4] = {0.0, 0.0, 0.0, 0.0};
    for (uint32_t key = 0; key < walk->time_count; key++) {
        const double way =
            key + 1 < walk->time_count ? walk->times[key + 1] - walk->times[key] : 0.0;
        for (int half = 0; half < 2; half++) {
            struct sample sample;
            take_sample(walk, walk->times[key] + 0.5 * half * way, &sample);
            for (int i = 0; i < 4; i++) {
                double single[4] = {0.0, 0.0, 0.0, 0.0};
                double matrix[12];
                double model[12];
                single[i] = sample.movement[i];
                movement_matrix(walk->root, single, matrix);
                scene_matrix_multiply(matrix, sample.remaining, model);
                largest[i] =
                    fmax(largest[i], metric_displacement(sample.remaining, model, walk->lever));
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        if (!(largest[i] > noise)) {
            walk->components &= ~(1u << i);
        }
    }
}

/// Takes samples until keys hold the motion, or there are too many.
/// @return the largest error left
static double take_samples(const struct walk *walk, double tolerance, struct samples *samples,
                           struct arena *arena)
{
    struct sample from;
    double error = 0.0;
    take_sample(walk, 0.0, &from);
    memset(from.movement, 0, sizeof from.movement); // but for rounding it is
    add_sample(samples, &from, arena);
    for (uint32_t key = 1; key < walk->time_count && !samples->is_full; key++) {
        struct sample to;
        take_sample(walk, walk->times[key], &to);
        error = fmax(error, halve(walk, &from, &to, tolerance, samples, arena));
        from = to;
    }
    return error;
}

/// Finds the keys: few, and linear in between within the tolerance; where these would be too many,
/// within twice as much, and so on up to `limit`.
/// @return why there are none, or null
static const char *find_keys(struct root_motion *root, const struct walk *walk, double tolerance,
                             double limit, struct arena *arena)
{
    struct arena own = {0};
    struct samples samples = {0};
    double error = take_samples(walk, tolerance, &samples, &own);
    while (samples.is_full && tolerance < limit) {
        arena_free(&own);
        samples = (struct samples){0};
        tolerance = fmin(2.0 * tolerance, limit);
        error = take_samples(walk, tolerance, &samples, &own);
    }
    if (samples.is_full || error > limit) {
        arena_free(&own);
        return samples.is_full ? too_wild : "turns upside down, where its yaw jumps";
    }
    root->times = ARENA_NEW(arena, double, samples.count / 2 + 1);
    root->keys = arena_take(arena, samples.count / 2 + 1, sizeof(float[4]));
    for (uint32_t i = 0; i < samples.count;) {
        root->times[root->key_count] = samples.items[i].time_s;
        key_of(&samples.items[i], root->keys[root->key_count]);
        root->key_count++;
        i = i + 1 < samples.count ? next_key(walk, &samples, i, tolerance) : samples.count;
    }
    arena_free(&own);
    return NULL;
}

// ---- What remains ------------------------------------------------------------------------------

/// The curves that take the place of the joint's own.
struct remains {
    const struct root_motion *root;
    double lever;     // distance at which errors are measured, in the joint's units
    double tolerance; // in source units
    uint64_t most;    // keys that there may be
    bool is_full;     // more were asked for
    uint32_t count;
    uint32_t capacity;
    double *times;                  // [count]
    struct scene_transform *locals; // [count]
};

static void add_remaining(struct remains *remains, double time_s, struct arena *arena)
{
    if (remains->count == remains->capacity) {
        const uint32_t capacity = remains->capacity == 0 ? 256 : 2 * remains->capacity;
        double *const times = ARENA_NEW(arena, double, capacity);
        struct scene_transform *const locals = ARENA_NEW(arena, struct scene_transform, capacity);
        if (remains->count > 0) {
            memcpy(times, remains->times, remains->count * sizeof *times);
            memcpy(locals, remains->locals, remains->count * sizeof *locals);
        }
        remains->times = times;
        remains->locals = locals;
        remains->capacity = capacity;
    }
    remains->times[remains->count] = time_s;
    remains->locals[remains->count++] = root_motion_remaining(remains->root, time_s);
}

static double distance_of(const struct remains *remains, const struct scene_transform *a,
                          const struct scene_transform *b)
{
    double matrix[12];
    double a_model[12];
    double b_model[12];
    scene_transform_matrix(a, matrix);
    scene_matrix_multiply(remains->root->model_from_parent, matrix, a_model);
    scene_transform_matrix(b, matrix);
    scene_matrix_multiply(remains->root->model_from_parent, matrix, b_model);
    return metric_displacement(a_model, b_model, remains->lever);
}

/// Adds what follows the last time, up to and with `time_s`: halves until lines in between hold, or
/// there are too many.
static void remain_until(struct remains *remains, double time_s, struct arena *arena)
{
    const double from_s = remains->times[remains->count - 1];
    const struct scene_transform from = remains->locals[remains->count - 1];
    const struct scene_transform to = root_motion_remaining(remains->root, time_s);
    double error = 0.0;
    for (int i = 1; i < 4; i++) {
        const double u = 0.25 * i;
        struct scene_transform exact =
            root_motion_remaining(remains->root, from_s + u * (time_s - from_s));
        struct scene_transform line = exact;
        scene_slerp(from.rotation, to.rotation, u, line.rotation);
        for (int k = 0; k < 3; k++) {
            line.translation[k] =
                from.translation[k] + u * (to.translation[k] - from.translation[k]);
        }
        error = fmax(error, distance_of(remains, &exact, &line));
    }
    const bool is_coarse = error > remains->tolerance && 0.5 * (time_s - from_s) >= SHORTEST_S;
    remains->is_full |= is_coarse && remains->count >= remains->most;
    if (is_coarse && !remains->is_full) {
        remain_until(remains, from_s + 0.5 * (time_s - from_s), arena);
        remain_until(remains, time_s, arena);
        return;
    }
    add_remaining(remains, time_s, arena);
}

/// Finds all that remains.
static void take_remaining(struct remains *remains, const struct walk *walk, struct arena *arena)
{
    remains->count = 0;
    remains->is_full = false;
    add_remaining(remains, 0.0, arena);
    for (uint32_t key = 1; key < walk->time_count && !remains->is_full; key++) {
        remain_until(remains, walk->times[key], arena);
    }
}

/// Makes coordinates that stay within a distance of the first key's exactly that.
static void settle_translations(struct remains *remains, double distance)
{
    for (int i = 0; i < 3; i++) {
        double largest = 0.0;
        for (uint32_t key = 1; key < remains->count; key++) {
            struct scene_transform moved = remains->locals[0];
            moved.translation[i] = remains->locals[key].translation[i];
            largest = fmax(largest, distance_of(remains, &remains->locals[0], &moved));
        }
        for (uint32_t key = 1; key < remains->count && largest <= distance; key++) {
            remains->locals[key].translation[i] = remains->locals[0].translation[i];
        }
    }
}

/// Likewise for rotations.
static void settle_rotations(struct remains *remains, double distance)
{
    double largest = 0.0;
    for (uint32_t key = 1; key < remains->count; key++) {
        struct scene_transform turned = remains->locals[0];
        memcpy(turned.rotation, remains->locals[key].rotation, sizeof turned.rotation);
        largest = fmax(largest, distance_of(remains, &remains->locals[0], &turned));
    }
    for (uint32_t key = 1; key < remains->count && largest <= distance; key++) {
        memcpy(remains->locals[key].rotation, remains->locals[0].rotation, sizeof(double[4]));
    }
}

/// Makes a curve of the rotations or translations that remain.
static const struct scene_curve *remaining_curve(const struct remains *remains,
                                                 enum scene_path path, struct arena *arena)
{
    const uint32_t stride = path == SCENE_ROTATION ? 4 : 3;
    struct scene_curve *const curve = ARENA_NEW(arena, struct scene_curve, 1);
    *curve = (struct scene_curve){
        .key_count = remains->count,
        .stride = stride,
        .times = remains->times,
        .values = ARENA_NEW(arena, double, (size_t)remains->count *stride),
        .interpolations = ARENA_NEW(arena, uint8_t, remains->count),
    };
    memset(curve->interpolations, SCENE_LINEAR, remains->count);
    for (uint32_t key = 0; key < remains->count; key++) {
        const struct scene_transform *const local = &remains->locals[key];
        memcpy(curve->values + (size_t)key * stride,
               path == SCENE_ROTATION ? local->rotation : local->translation,
               stride * sizeof(double));
    }
    return curve;
}

/// Puts what remains in the place of the joint's curves. Where keys within the tolerance would be
/// too many, they are within twice as much, and so on up to the budget.
/// @return why it cannot, or null
static const char *replace_curves(struct motion *motion, const struct root_motion *root,
                                  const struct walk *walk,
                                  const struct root_motion_options *options, double settled,
                                  struct arena *arena)
{
    struct remains remains = {
        .root = root,
        .lever = walk->lever,
        .tolerance = CURVE_SHARE * options->budget,
        .most = most_keys(walk),
    };
    take_remaining(&remains, walk, arena);
    while (remains.is_full && remains.tolerance < options->budget) {
        remains.tolerance = fmin(2.0 * remains.tolerance, options->budget);
        take_remaining(&remains, walk, arena);
    }
    if (remains.is_full) {
        return too_wild;
    }
    settle_translations(&remains, settled);
    motion->curves[root->lane * 3 + SCENE_TRANSLATION] =
        remaining_curve(&remains, SCENE_TRANSLATION, arena);
    if (root->is_turning) {
        settle_rotations(&remains, settled);
        motion->curves[root->lane * 3 + SCENE_ROTATION] =
            remaining_curve(&remains, SCENE_ROTATION, arena);
    }
    return NULL;
}

// ---- The whole ---------------------------------------------------------------------------------

/// Whether a curve jumps from a key to another value.
static bool jumps(const struct scene_curve *curve, enum scene_path path)
{
    for (uint32_t key = 0; curve != NULL && key + 1 < curve->key_count; key++) {
        const double *const value = curve->values + (size_t)key * curve->stride;
        const struct scene_curve pair = {
            .key_count = 2,
            .stride = curve->stride,
            .values = (double *)value,
            .interpolations = curve->interpolations + key,
        };
        if (curve->interpolations[key] == SCENE_STEP && !curve_is_constant(&pair, path)) {
            return true;
        }
    }
    return false;
}

/// Returns the largest coordinate of the movement at the keys of the source, and how far a point so
/// far from the joint turns.
static double extent_of(const struct walk *walk, double reach)
{
    double largest = 0.0;
    for (uint32_t key = 0; key < walk->time_count; key++) {
        double movement[4];
        true_at(walk, walk->times[key], movement);
        for (int i = 0; i < 3; i++) {
            largest = fmax(largest, fabs(movement[i]));
        }
        largest = fmax(largest, fabs(movement[3]) * turn_rad * reach);
    }
    return largest;
}

bool root_motion_take(struct motion *motion, const struct root_motion_options *options,
                      struct arena *arena, struct report *report)
{
    const struct skeleton *const skeleton = motion->skeleton;
    const uint32_t lane = options->lane;
    if (!root_motion_moves(motion, lane)) {
        return true;
    }
    struct root_motion *const root = ARENA_NEW(arena, struct root_motion, 1);
    *root = (struct root_motion){
        .lane = lane,
        .components =
            options->components != 0 ? options->components : TRP_ROOT_X | TRP_ROOT_Z | TRP_ROOT_YAW,
        .is_in_pose = options->is_in_pose,
        .rest = skeleton->rest_local[lane],
        .end_s = motion->duration_s,
    };
    memcpy(root->curves, motion->curves + lane * 3, sizeof root->curves);
    const char *const name = skeleton->name_of_joint[skeleton->joint_of_lane[lane]];
    if (jumps(root->curves[SCENE_TRANSLATION], SCENE_TRANSLATION) ||
        ((root->components & TRP_ROOT_YAW) != 0 &&
         jumps(root->curves[SCENE_ROTATION], SCENE_ROTATION))) {
        report_warning(report, motion->source_clip, "root_motion.step",
                       "'%s' moves in steps, which no root motion can: it stays in the pose", name);
        return true;
    }
    const char *const above = moving_ancestor(motion, root->lane);
    if (above != NULL) {
        report_warning(report, motion->source_clip, "root_motion.parent",
                       "'%s' above '%s' moves too, so the way is not its alone: it stays in the "
                       "pose",
                       above, name);
        return true;
    }
    if (!find_parent(motion, root, report)) {
        return false;
    }
    struct arena own = {0};
    struct walk walk;
    // As far as what it moves reaches: then their rounding costs the pose little.
    const double reach = skeleton->reach[lane] + options->shell_units;
    walk_init(&walk, root, reach / skeleton->shell_scale[lane], &own);
    if ((root->components & TRP_ROOT_YAW) != 0) {
        root->pivot[0] = stored_float(walk.first_place[0]);
        root->pivot[1] = stored_float(walk.first_place[2]);
    }
    // Floats far from the start do no better than the second.
    const double tolerance = fmax(KEY_SHARE * options->budget, extent_of(&walk, reach) * 0x1p-22);
    drop_noise(&walk, NOISE_SHARE * tolerance);
    if (walk.components == 0) {
        arena_free(&own);
        return true;
    }
    root->is_turning = (walk.components & TRP_ROOT_YAW) != 0;
    const char *problem =
        find_keys(root, &walk, tolerance, fmax(options->budget, tolerance), arena);
    if (problem == NULL && !root->is_in_pose) {
        problem = replace_curves(motion, root, &walk, options, 2.0 * tolerance, arena);
    }
    if (problem == NULL) {
        motion->root = root;
    } else {
        report_warning(report, motion->source_clip,
                       problem == too_wild ? "root_motion.keys" : "root_motion.step",
                       "'%s' %s: it stays in the pose", name, problem);
    }
    arena_free(&own);
    return true;
}

/// Writes where the root is at the end of a closing interval: its way over the spacing before is
/// repeated.
static void go_on(const struct root_motion *root, double spacing_s, float key[4])
{
    double before[4];
    double end[4];
    double sine;
    double cosine;
    stored_at(root, root->end_s - spacing_s, before);
    stored_at(root, root->end_s, end);
    const double x = end[0] - before[0];
    const double z = end[2] - before[2];
    sincos_turns(end[3] - before[3], &sine, &cosine);
    key[0] = (float)(end[0] + (cosine * x + sine * z));
    key[1] = (float)(end[1] + (end[1] - before[1]));
    key[2] = (float)(end[2] + (cosine * z - sine * x));
    key[3] = (float)(end[3] + (end[3] - before[3]));
}

void root_motion_append(const struct motion *motion, struct buffer *clip)
{
    const struct root_motion *const root = motion->root;
    if (root == NULL) {
        return;
    }
    struct arena arena = {0};
    struct trp__clip_header header;
    memcpy(&header, clip->bytes, sizeof header);
    const double clip_end_s = (double)header.tick_count * header.rate_den / header.rate_num;
    double *const times = ARENA_NEW(&arena, double, root->key_count + 1);
    float(*const keys)[4] = arena_take(&arena, root->key_count + 1, sizeof(float[4]));
    uint32_t count = root->key_count;
    memcpy(times, root->times, count * sizeof *times);
    memcpy(keys, root->keys, count * sizeof *keys);
    float beyond[4];
    go_on(root, motion->duration_s - root->end_s, beyond);
    if (motion->has_closing_key && memcmp(beyond, keys[count - 1], sizeof beyond) != 0) {
        times[count] = motion->duration_s;
        memcpy(keys[count++], beyond, sizeof beyond);
    }
    // Ticks may end a rounding error before the source does.
    while (count > 1 && times[count - 2] >= clip_end_s) {
        memcpy(keys[count - 2], keys[count - 1], sizeof *keys);
        count--;
    }
    if (times[count - 1] > clip_end_s) {
        times[count - 1] = clip_end_s;
    }
    const struct trp__root_header own = {
        .size_bytes = (uint32_t)(sizeof own + count * (sizeof *times + sizeof *keys)),
        .key_count = count,
        .lane = (uint16_t)root->lane,
        .components = (uint8_t)root->components,
        .is_in_pose = root->is_in_pose,
        .pivot = {root->pivot[0], root->pivot[1]},
    };
    buffer_align(clip, 16);
    header.root_offset = (uint32_t)buffer_append(clip, &own, sizeof own);
    buffer_append(clip, times, count * sizeof *times);
    buffer_append(clip, keys, count * sizeof *keys);
    header.flags |= root->is_in_pose ? 0u : (uint32_t)TRP_CLIP_ROOT_MOTION;
    memcpy(clip->bytes, &header, sizeof header);
    arena_free(&arena);
}
