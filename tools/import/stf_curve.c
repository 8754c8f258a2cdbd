// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Components of a track become one curve: intervals between the keys of all of them, each as a kind
// of curve that the scene knows where that is exact, else split until cubics follow.
#include "stf_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "exact_math.h"
#include "quat.h"

#define SPLIT_TOLERANCE 5e-9   // of the largest size; a half stays for what was not looked at
#define ANGLE_TOLERANCE 2.5e-7 // of a quaternion made of angles: half of 1e-6 rad, half of that
#define SHORTEST_S 1e-10       // intervals are not split further
#define HANDLE_TOLERANCE 1e-8  // of an interval: handles count as at one time
#define LEAST_SLOPE 0.02       // of time: steeper curves feel that packs store handles as floats
#define LENGTH_TOLERANCE 2e-7  // of rotations at both ends of an interval: as floats round them
#define LEAST_LENGTH 0.1       // of rotations on the way between keys
#define LENGTH_PROBES 64
#define MOST_ANGLE 1e6 // of which sine and cosine mean anything
#define MOST_HALVES 8  // of intervals with handles beyond their ends
#define MOST_DEPTH 63  // of splitting
#define MOST_TURNS 256 // of angles between two keys

// ---- Pieces ------------------------------------------------------------------------------------

enum piece_kind {
    PIECE_STILL = 0,
    PIECE_LINEAR,
    PIECE_POLYNOMIAL, // of time
    PIECE_BEZIER,     // of a parameter of its own
};

/// One component between two frames. A cubic in Bernstein form.
struct piece {
    enum piece_kind kind;
    double points[4];
    double handles[2]; // PIECE_BEZIER: times of the inner points, as parts of the whole
    bool jumps;        // PIECE_STILL: to another value, at its end
};

static struct piece piece_still(double value)
{
    return (struct piece){.points = {value, value, value, value}};
}

static double clamp(double value, double low, double high)
{
    return !(value > low) ? low : value > high ? high : value;
}

/// Lets a handle stay within its interval, as the exporter does: shorter, in the same direction.
/// @param way  frames to the other key, positive in the direction of the handle
/// @return its time as a part of that
static double handle_part(const double handle[2], double own_value, double way, double *point)
{
    const double part = handle[0] / way;
    *point = part > 1 ? own_value + (handle[1] - own_value) / part : handle[1];
    return clamp(part, 0, 1);
}

/// Returns the whole piece between two keys.
static struct piece piece_between(const struct stf_key *a, const struct stf_key *b)
{
    const double from = a->value;
    const double way = b->value - a->value;
    struct piece piece = {.points = {from, from, from, b->value}};
    switch (a->interpolation) {
    case STF_KEY_CONSTANT:
        piece = piece_still(from);
        piece.jumps = way != 0;
        return piece;
    case STF_KEY_QUADRATIC:
        piece.kind = PIECE_POLYNOMIAL;
        piece.points[2] = from + way / 3;
        break;
    case STF_KEY_CUBIC:
        piece.kind = PIECE_POLYNOMIAL;
        break;
    case STF_KEY_BEZIER: {
        const double back[2] = {-b->arriving[0], b->arriving[1]};
        const double frames = b->frame - a->frame;
        piece.kind = PIECE_BEZIER;
        piece.handles[0] = handle_part(a->leaving, from, frames, &piece.points[1]);
        piece.handles[1] = 1 - handle_part(back, b->value, frames, &piece.points[2]);
        break;
    }
    case STF_KEY_LINEAR:
    case STF_KEY_UNKNOWN:
        piece.kind = PIECE_LINEAR;
        piece.points[1] = from + way / 3;
        piece.points[2] = b->value - way / 3;
        break;
    }
    const bool is_still = way == 0 && piece.points[1] == from && piece.points[2] == from;
    return is_still ? piece_still(from) : piece;
}

/// Returns the parameter of a piece at a part of its time.
static double piece_parameter(const struct piece *piece, double part)
{
    return piece->kind == PIECE_BEZIER ? scene_bezier_parameter(piece->handles, part) : part;
}

/// Returns a cubic's blossom: its value where all parameters are equal, else points of its parts.
static double blossom(const double points[4], double s0, double s1, double s2)
{
    const double a = (1 - s0) * points[0] + s0 * points[1];
    const double b = (1 - s0) * points[1] + s0 * points[2];
    const double c = (1 - s0) * points[2] + s0 * points[3];
    const double d = (1 - s1) * a + s1 * b;
    const double e = (1 - s1) * b + s1 * c;
    return (1 - s2) * d + s2 * e;
}

/// Takes rounding errors away from a handle that lies at a key. A part of a curve may have handles
/// beyond its ends, though time goes forward in it.
static double handle_settle(double handle)
{
    return fabs(handle) < 1e-12 ? 0 : fabs(handle - 1) < 1e-12 ? 1 : handle;
}

/// Cuts a piece. The cut goes through the same points.
static struct piece piece_part(const struct piece *piece, double from, double to)
{
    if (piece->kind == PIECE_STILL || (from <= 0 && to >= 1)) {
        struct piece same = *piece;
        same.jumps = piece->jumps && to >= 1;
        return same;
    }
    const double low = from <= 0 ? 0 : piece_parameter(piece, from);
    const double high = to >= 1 ? 1 : piece_parameter(piece, to);
    struct piece part = {
        .kind = piece->kind,
        .points = {blossom(piece->points, low, low, low), blossom(piece->points, low, low, high),
                   blossom(piece->points, low, high, high),
                   blossom(piece->points, high, high, high)},
    };
    if (piece->kind == PIECE_BEZIER) {
        const double times[4] = {0, piece->handles[0], piece->handles[1], 1};
        const double start = blossom(times, low, low, low);
        const double way = blossom(times, high, high, high) - start;
        part.handles[0] = handle_settle((blossom(times, low, low, high) - start) / way);
        part.handles[1] = handle_settle((blossom(times, low, high, high) - start) / way);
    }
    return part;
}

/// Returns the last key at or before a frame; UINT32_MAX where there is none.
static uint32_t key_before(const struct stf_subtrack *subtrack, double frame)
{
    uint32_t low = 0;
    uint32_t high = subtrack->key_count;
    while (low < high) { // the first key after it
        const uint32_t middle = low + (high - low) / 2;
        if (subtrack->keys[middle].frame <= frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? UINT32_MAX : low - 1;
}

/// Returns a component between two frames that no key lies between.
static struct piece piece_over(const struct stf_subtrack *subtrack, double from, double to)
{
    if (subtrack->key_count == 0) {
        return piece_still(subtrack->rest);
    }
    const uint32_t key = key_before(subtrack, from);
    if (key == UINT32_MAX) {
        return piece_still(subtrack->keys[0].value);
    }
    const struct stf_key *const a = &subtrack->keys[key];
    if (key + 1 == subtrack->key_count) {
        return piece_still(a->value);
    }
    const double frames = a[1].frame - a->frame;
    const struct piece whole = piece_between(a, a + 1);
    return piece_part(&whole, (from - a->frame) / frames,
                      to >= a[1].frame ? 1 : (to - a->frame) / frames);
}

/// Returns the value of a component at a frame.
static double value_at(const struct stf_subtrack *subtrack, double frame)
{
    return piece_over(subtrack, frame, frame).points[0];
}

/// Returns the speed at an end of a piece, per piece; not finite where it is vertical.
static double end_slope(double way, double handle_way, double other_handle_way, double handle,
                        double other_handle)
{
    if (handle > 0) {
        return handle_way / handle;
    }
    if (handle_way != 0) {
        return INFINITY;
    }
    return other_handle > 0        ? other_handle_way / other_handle
           : other_handle_way != 0 ? INFINITY
                                   : way;
}

/// Evaluates a piece and its speed, per piece.
static double piece_at(const struct piece *piece, double part, double *slope)
{
    const double *const p = piece->points;
    if (piece->kind == PIECE_STILL) {
        *slope = 0;
        return p[0];
    }
    const double s = piece_parameter(piece, part);
    const double r = 1 - s;
    *slope = 3 * (r * r * (p[1] - p[0]) + 2 * r * s * (p[2] - p[1]) + s * s * (p[3] - p[2]));
    if (piece->kind == PIECE_BEZIER) {
        const double x = piece->handles[0];
        const double y = piece->handles[1];
        if (s <= 0) {
            *slope = end_slope(p[3] - p[0], p[1] - p[0], p[2] - p[0], x, y);
        } else if (s >= 1) {
            *slope = end_slope(p[3] - p[0], p[3] - p[2], p[3] - p[1], 1 - y, 1 - x);
        } else {
            *slope /= 3 * (r * r * x + 2 * r * s * (y - x) + s * s * (1 - y));
        }
    }
    return (r * r * r * p[0] + 3 * r * r * s * p[1]) + (3 * r * s * s * p[2] + s * s * s * p[3]);
}

// ---- Angles ------------------------------------------------------------------------------------

/// Writes the rotation that three angles of a file mean, and its speed. The exporter writes x, -z
/// and -y of angles that turn about x, then y, then z, all in axes where z is up and -y is forward.
/// In the file's axes that is a turn about x, then z, then y.
static void rotation_of_angles(const double angles[3], const double slopes[3], double rotation[4],
                               double slope[4])
{
    static const int axes[3] = {0, 2, 1};
    const double turns[3] = {angles[0], angles[2], -angles[1]};
    const double turn_slopes[3] = {slopes[0], slopes[2], -slopes[1]};
    double q[4] = {0, 0, 0, 1};
    double q_slope[4] = {0, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        const double half = 0.5 * clamp(turns[i], -MOST_ANGLE, MOST_ANGLE);
        const double half_slope = 0.5 * turn_slopes[i];
        double turn[4] = {0, 0, 0, exact_cos(half)};
        turn[axes[i]] = exact_sin(half);
        double turn_slope[4] = {0, 0, 0, -half_slope * turn[axes[i]]};
        turn_slope[axes[i]] = half_slope * turn[3];
        double left[4];
        double right[4];
        quat_multiply(turn_slope, q, left);
        quat_multiply(turn, q_slope, right);
        for (int c = 0; c < 4; c++) {
            q_slope[c] = left[c] + right[c];
        }
        quat_multiply(turn, q, q);
    }
    memcpy(rotation, q, sizeof q);
    memcpy(slope, q_slope, sizeof q_slope);
}

/// Writes angles that mean a rotation.
static void angles_of_rotation(const double q[4], double angles[3])
{
    // The matrix in the axes of the exporter, where the rotation is x, -z, y.
    const double x = q[0];
    const double y = -q[2];
    const double z = q[1];
    const double w = q[3];
    const double m00 = 1 - 2 * (y * y + z * z);
    const double m10 = 2 * (x * y + w * z);
    const double m20 = 2 * (x * z - w * y);
    const double m21 = 2 * (y * z + w * x);
    const double m22 = 1 - 2 * (x * x + y * y);
    angles[0] = exact_atan2(m21, m22);
    angles[1] = -exact_atan2(m10, m00);
    angles[2] = -exact_atan2(-m20, sqrt(m21 * m21 + m22 * m22));
}

// ---- The curve in the making -------------------------------------------------------------------

enum curve_kind {
    CURVE_PLAIN = 0,
    CURVE_ROTATION, // normalised after
    CURVE_EULER,    // three components make a rotation
};

/// Keys so far, and what is between them.
struct builder {
    struct stf *stf;
    const struct stf_track *track;
    const struct stf_span *span;
    enum curve_kind kind;
    uint32_t stride;
    double tolerance;
    bool is_full; // more keys than the file can need
    bool is_wild; // angles turn more often than anybody can see
    struct buffer times;
    struct buffer values;
    struct buffer in_tangents;
    struct buffer out_tangents;
    struct buffer handles;
    struct buffer interpolations;
    struct buffer is_added;
    uint32_t key_count;
    struct arena arena;   // the arrays below
    struct piece *pieces; // [subtrack_count] of the present interval
    double *left;         // [stride] at its ends, without what its end jumps to
    double *left_slope;   // per interval
    double *right;        // likewise
    double *right_slope;
    double *probe; // [stride]
    double *probe_slope;
    double *components; // [subtrack_count]
    double *slopes;     // likewise
    double *scratch;    // [MOST_DEPTH + 1][5][stride]
};

static double *doubles_of(const struct buffer *buffer)
{
    return (double *)(void *)buffer->bytes;
}

/// Adds a key that is none of the file's until that is said; nothing is known yet of what is next
/// to it.
static void key_add(struct builder *builder, double time_s, const double *value)
{
    static const double zero[2];
    static const uint8_t step = SCENE_STEP;
    static const uint8_t added = 1;
    const size_t bytes = builder->stride * sizeof *value;
    buffer_append(&builder->times, &time_s, sizeof time_s);
    buffer_append(&builder->values, value, bytes);
    for (uint32_t i = 0; i < builder->stride; i++) {
        buffer_append(&builder->in_tangents, zero, sizeof zero[0]);
        buffer_append(&builder->out_tangents, zero, sizeof zero[0]);
    }
    buffer_append(&builder->handles, zero, sizeof zero);
    buffer_append(&builder->interpolations, &step, 1);
    buffer_append(&builder->is_added, &added, 1);
    builder->key_count++;
    const uint64_t taken = 3 * bytes + sizeof time_s + sizeof zero + 2;
    builder->is_full = builder->is_full || taken > builder->stf->curve_bytes;
    builder->stf->curve_bytes -= builder->is_full ? 0 : taken;
}

/// Says that the file has a key where the last one is.
static void key_is_of_file(struct builder *builder)
{
    builder->is_added.bytes[builder->key_count - 1] = 0;
}

/// Says how the interval before the last key goes.
/// @param leaving, arriving tangents or handles
static void interval_set(struct builder *builder, enum scene_interpolation interpolation,
                         const double *leaving, const double *arriving, const double handles[2])
{
    const size_t stride = builder->stride;
    const size_t last = builder->key_count - 1;
    builder->interpolations.bytes[last - 1] = (uint8_t)interpolation;
    if (leaving) {
        memcpy(doubles_of(&builder->out_tangents) + (last - 1) * stride, leaving,
               stride * sizeof *leaving);
        memcpy(doubles_of(&builder->in_tangents) + last * stride, arriving,
               stride * sizeof *arriving);
    }
    if (handles) {
        memcpy(doubles_of(&builder->handles) + (last - 1) * 2, handles, 2 * sizeof *handles);
    }
}

static double last_time(const struct builder *builder)
{
    return doubles_of(&builder->times)[builder->key_count - 1];
}

/// Scales a rotation and its speed to unit length.
/// @param slope may be null
static void normalise(double value[4], double slope[4])
{
    const double length = sqrt(quat_dot(value, value));
    if (length > 0 && slope) {
        const double along = quat_dot(value, slope) / (length * length);
        for (int i = 0; i < 4; i++) {
            slope[i] = (slope[i] - value[i] * along) / length;
        }
    }
    quat_normalise(value);
}

/// Makes a value of the curve of the components.
static void value_make(const struct builder *builder, const double *components,
                       const double *slopes, double *value, double *slope)
{
    if (builder->kind == CURVE_EULER) {
        rotation_of_angles(components, slopes, value, slope);
        return;
    }
    memcpy(value, components, builder->stride * sizeof *value);
    memcpy(slope, slopes, builder->stride * sizeof *slope);
    if (builder->kind == CURVE_ROTATION) {
        normalise(value, slope);
    }
}

/// Evaluates the present interval.
static void interval_at(const struct builder *builder, double part, double *value, double *slope)
{
    for (uint32_t c = 0; c < builder->track->subtrack_count; c++) {
        builder->components[c] = piece_at(&builder->pieces[c], part, &builder->slopes[c]);
    }
    value_make(builder, builder->components, builder->slopes, value, slope);
}

/// Evaluates all components at a frame, after what jumps there.
static void curve_at(const struct builder *builder, double frame, double *value)
{
    for (uint32_t c = 0; c < builder->track->subtrack_count; c++) {
        builder->components[c] = value_at(&builder->track->subtracks[c], frame);
        builder->slopes[c] = 0;
    }
    value_make(builder, builder->components, builder->slopes, value, builder->probe_slope);
}

// ---- Splitting ---------------------------------------------------------------------------------

/// Where an interval is cut, and what is there.
struct cut {
    double part;
    double *value;
    double *slope; // per interval
};

/// Takes the straight way where a curve stands upright.
static void slopes_settle(const struct builder *builder, const struct cut *a, const struct cut *b,
                          double *leaving, double *arriving)
{
    const double way = b->part - a->part;
    bool is_finite[2] = {true, true};
    for (uint32_t i = 0; i < builder->stride; i++) {
        is_finite[0] = is_finite[0] && isfinite(a->slope[i]);
        is_finite[1] = is_finite[1] && isfinite(b->slope[i]);
    }
    for (uint32_t i = 0; i < builder->stride; i++) {
        const double straight = (b->value[i] - a->value[i]) / way;
        leaving[i] = is_finite[0] ? a->slope[i] : straight;
        arriving[i] = is_finite[1] ? b->slope[i] : straight;
    }
}

/// Writes the cubic between two cuts.
/// @param u where between them
static void cubic_at(const struct builder *builder, const struct cut *a, const struct cut *b,
                     const double *leaving, const double *arriving, double u, double *value)
{
    const double way = b->part - a->part;
    const double u2 = u * u;
    const double u3 = u2 * u;
    for (uint32_t i = 0; i < builder->stride; i++) {
        value[i] = (2 * u3 - 3 * u2 + 1) * a->value[i] + way * (u3 - 2 * u2 + u) * leaving[i] +
                   (3 * u2 - 2 * u3) * b->value[i] + way * (u3 - u2) * arriving[i];
    }
    if (builder->kind != CURVE_PLAIN) {
        normalise(value, NULL);
    }
}

/// Whether a cubic between two cuts stays near the curve.
static bool cubic_fits(struct builder *builder, const struct cut *a, const struct cut *b,
                       const double *leaving, const double *arriving, double *cubic)
{
    if (builder->kind != CURVE_PLAIN && quat_dot(a->value, b->value) < 0) {
        return false; // it might pass through zero
    }
    for (int i = 1; i < 8; i++) {
        const double u = i / 8.0;
        interval_at(builder, a->part + u * (b->part - a->part), builder->probe,
                    builder->probe_slope);
        cubic_at(builder, a, b, leaving, arriving, u, cubic);
        for (uint32_t c = 0; c < builder->stride; c++) {
            if (!(fabs(cubic[c] - builder->probe[c]) <= builder->tolerance)) {
                return false;
            }
        }
    }
    return true;
}

/// Returns where to split between two cuts: in the middle, but for a rotation not where it is zero.
static double middle_of(const struct builder *builder, double from, double to)
{
    double part = from + (to - from) / 2;
    double square = 0;
    double slope;
    for (uint32_t c = 0; c < builder->stride && builder->kind == CURVE_ROTATION; c++) {
        const double value = piece_at(&builder->pieces[c], part, &slope);
        square += value * value;
    }
    return builder->kind == CURVE_ROTATION && square < 1e-12 ? part + (to - from) / 16 : part;
}

/// Ends an interval between two cuts.
/// @param fits whether a cubic is near the curve there
static void split_end(struct builder *builder, const struct cut *b, double from_s, double to_s,
                      bool fits, double *leaving, double *arriving)
{
    const double time_s = b->part >= 1 ? to_s : from_s + b->part * (to_s - from_s);
    for (uint32_t i = 0; i < builder->stride; i++) {
        leaving[i] /= to_s - from_s;
        arriving[i] /= to_s - from_s;
    }
    if (time_s > last_time(builder)) {
        key_add(builder, time_s, b->value);
        // A rotation that turns over in no time must not pass through zero.
        const bool is_held = !fits && builder->kind != CURVE_PLAIN;
        interval_set(builder, is_held ? SCENE_STEP : SCENE_CUBIC, leaving, arriving, NULL);
    }
}

/// Follows the present interval between two cuts with as many cubics as that takes.
static void split(struct builder *builder, const struct cut *a, const struct cut *b, double from_s,
                  double to_s, uint32_t depth)
{
    const uint32_t stride = builder->stride;
    double *const memory = builder->scratch + (size_t)depth * 5 * stride;
    double *const leaving = memory;
    double *const arriving = memory + stride;
    slopes_settle(builder, a, b, leaving, arriving);
    const bool fits = cubic_fits(builder, a, b, leaving, arriving, memory + 2 * (size_t)stride);
    const bool is_short = !((b->part - a->part) * (to_s - from_s) > SHORTEST_S);
    if (fits || is_short || depth == MOST_DEPTH) {
        split_end(builder, b, from_s, to_s, fits, leaving, arriving);
        return;
    }
    const struct cut middle = {
        .part = middle_of(builder, a->part, b->part),
        .value = memory + 3 * (size_t)stride,
        .slope = memory + 4 * (size_t)stride,
    };
    interval_at(builder, middle.part, middle.value, middle.slope);
    split(builder, a, &middle, from_s, to_s, depth + 1);
    if (!builder->is_full) {
        split(builder, &middle, b, from_s, to_s, depth + 1);
    }
}

// ---- Intervals ---------------------------------------------------------------------------------

/// What the pieces of an interval have in common.
struct common {
    bool is_still;
    bool is_linear;     // or still
    bool is_polynomial; // or simpler
    bool is_bezier;     // or still; all with these handles, which lie in [0, 1]
    bool is_halved;     // likewise, but they do not, so that its halves must be looked at
    bool jumps;
    double handles[2];
};

/// Whether a bezier interval is what it was once its handles are floats: they are, or time does not
/// nearly stand still between them.
static bool is_storable(const double handles[2])
{
    const double a = handles[0];
    const double b = handles[1] - handles[0];
    const double c = 1 - handles[1];
    const bool is_float =
        (double)(float)handles[0] == handles[0] && (double)(float)handles[1] == handles[1];
    // Time has the speed 3 (a r^2 + 2 b r s + c s^2), smallest on the way where b < 0.
    return is_float || b >= 0 || (a * c - b * b) / (a - 2 * b + c) >= LEAST_SLOPE;
}

static struct common common_of(const struct piece *pieces, uint32_t count)
{
    struct common common = {
        .is_still = true, .is_linear = true, .is_polynomial = true, .is_bezier = true};
    bool has_handles = false;
    for (uint32_t c = 0; c < count; c++) {
        const struct piece *const piece = &pieces[c];
        common.jumps |= piece->jumps;
        common.is_still &= piece->kind == PIECE_STILL;
        common.is_linear &= piece->kind <= PIECE_LINEAR;
        common.is_polynomial &= piece->kind <= PIECE_POLYNOMIAL;
        common.is_bezier &= piece->kind == PIECE_STILL || piece->kind == PIECE_BEZIER;
        if (piece->kind != PIECE_BEZIER) {
            continue;
        }
        if (!has_handles) {
            memcpy(common.handles, piece->handles, sizeof common.handles);
            has_handles = true;
        }
        for (int i = 0; i < 2; i++) {
            common.is_bezier &= fabs(piece->handles[i] - common.handles[i]) <= HANDLE_TOLERANCE;
        }
    }
    const bool is_inside = common.handles[0] >= 0 && common.handles[1] <= 1 &&
                           common.handles[0] <= 1 && common.handles[1] >= 0;
    common.is_halved = common.is_bezier && !is_inside;
    common.is_bezier = common.is_bezier && is_inside && is_storable(common.handles);
    return common;
}

/// Whether a rotation may be taken as it is between two keys: its keys need unit length, which must
/// not change the way between them, and the way must not come near zero.
static bool is_even(const struct piece *pieces)
{
    double lengths[2];
    for (int i = 0; i <= LENGTH_PROBES; i++) {
        double value[4];
        double slope;
        for (int c = 0; c < 4; c++) {
            value[c] = piece_at(&pieces[c], i / (double)LENGTH_PROBES, &slope);
        }
        const double length = sqrt(quat_dot(value, value));
        if (!(length >= LEAST_LENGTH)) {
            return false;
        }
        lengths[i == 0 ? 0 : 1] = length;
    }
    return fabs(lengths[1] / lengths[0] - 1) <= LENGTH_TOLERANCE;
}

/// Makes a cubic or a bezier of the points of all pieces.
static void points_set(struct builder *builder, const struct common *common, double length_s)
{
    double *const leaving = builder->probe;
    double *const arriving = builder->probe_slope;
    double scale = 1;
    if (builder->kind == CURVE_ROTATION) {
        double first[4];
        for (int c = 0; c < 4; c++) {
            first[c] = builder->pieces[c].points[0];
        }
        scale = 1 / sqrt(quat_dot(first, first));
    }
    for (uint32_t c = 0; c < builder->stride; c++) {
        const double *const p = builder->pieces[c].points;
        const bool is_bezier = !common->is_polynomial;
        leaving[c] = is_bezier ? p[1] * scale : 3 * (p[1] - p[0]) * scale / length_s;
        arriving[c] = is_bezier ? p[2] * scale : 3 * (p[3] - p[2]) * scale / length_s;
    }
    interval_set(builder, common->is_polynomial ? SCENE_CUBIC : SCENE_BEZIER, leaving, arriving,
                 common->is_polynomial ? NULL : common->handles);
}

/// Whether angles stay within the turns that can be followed.
static bool is_tame(const struct piece *pieces)
{
    double way = 0;
    for (int c = 0; c < 3; c++) {
        const double *const p = pieces[c].points;
        way += fmax(fmax(p[0], p[1]), fmax(p[2], p[3])) - fmin(fmin(p[0], p[1]), fmin(p[2], p[3]));
    }
    return way <= MOST_TURNS * 6.283185307179586;
}

/// Adds the interval from the last key to a frame, and the key there.
/// @param depth how often it was halved
static void interval_add(struct builder *builder, double from, double to, uint32_t depth)
{
    const struct stf_track *const track = builder->track;
    const double from_s = last_time(builder);
    const double end_s = stf_span_time(builder->span, to);
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        builder->pieces[c] = piece_over(&track->subtracks[c], from, to);
    }
    builder->is_wild =
        builder->is_wild || (builder->kind == CURVE_EULER && !is_tame(builder->pieces));
    if (builder->is_wild || builder->is_full) {
        return;
    }
    const struct common common = common_of(builder->pieces, track->subtrack_count);
    if (common.is_halved && depth < MOST_HALVES) {
        const double middle = from + (to - from) / 2;
        interval_add(builder, from, middle, depth + 1);
        interval_add(builder, middle, to, depth + 1);
        return;
    }
    // Where something jumps while others move, a key just before holds what was until then.
    const double to_s = common.jumps && !common.is_still ? nextafter(end_s, from_s) : end_s;
    const bool is_held = common.is_still || !(to_s > from_s);
    const bool is_direct = builder->kind == CURVE_PLAIN ||
                           (builder->kind == CURVE_ROTATION && is_even(builder->pieces));
    if (!is_held) {
        interval_at(builder, 0, builder->left, builder->left_slope);
        interval_at(builder, 1, builder->right, builder->right_slope);
        const struct cut a = {0, builder->left, builder->left_slope};
        const struct cut b = {1, builder->right, builder->right_slope};
        if (builder->kind == CURVE_PLAIN && common.is_linear) {
            key_add(builder, to_s, builder->right);
            interval_set(builder, SCENE_LINEAR, NULL, NULL, NULL);
        } else if (is_direct && (common.is_polynomial || common.is_bezier)) {
            key_add(builder, to_s, builder->right);
            points_set(builder, &common, to_s - from_s);
        } else {
            split(builder, &a, &b, from_s, to_s, 0);
        }
    }
    if (is_held || to_s < end_s) {
        curve_at(builder, to, builder->right);
        key_add(builder, end_s, builder->right);
        interval_set(builder, SCENE_STEP, NULL, NULL, NULL);
    }
}

// ---- The whole ---------------------------------------------------------------------------------

static int compare_frames(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

/// Lists the frames of all keys within the span, cut at its ends, in order of time.
static uint32_t list_frames(const struct stf_track *track, const struct stf_span *span,
                            struct arena *arena, double **frames)
{
    size_t total = 0;
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        total += track->subtracks[c].key_count;
    }
    double *const all = ARENA_NEW(arena, double, total);
    size_t filled = 0;
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        for (uint32_t i = 0; i < track->subtracks[c].key_count; i++) {
            all[filled++] = clamp(track->subtracks[c].keys[i].frame, span->first, span->last);
        }
    }
    qsort(all, filled, sizeof *all, compare_frames);
    uint32_t count = 0;
    for (size_t i = 0; i < filled; i++) {
        if (count == 0 || stf_span_time(span, all[i]) > stf_span_time(span, all[count - 1])) {
            all[count++] = all[i];
        }
    }
    if (count == 1 && all[0] >= span->last) {
        all[0] = span->first; // all keys are beyond: a constant
    }
    *frames = all;
    return count;
}

static double largest_size(const struct stf_track *track)
{
    double largest = 0;
    for (uint32_t c = 0; c < track->subtrack_count; c++) {
        for (uint32_t i = 0; i < track->subtracks[c].key_count; i++) {
            const struct stf_key *const key = &track->subtracks[c].keys[i];
            largest = fmax(largest, fabs(key->value));
            largest = fmax(largest, fmax(fabs(key->leaving[1]), fabs(key->arriving[1])));
        }
    }
    return largest;
}

/// Copies an array of the builder to the scene.
static void *array_copy(struct builder *builder, const struct buffer *from)
{
    void *const memory = arena_take(&builder->stf->scene->arena, from->size, 1);
    memcpy(memory, from->bytes, from->size);
    return memory;
}

/// Makes a curve of the scene of all keys.
static bool curve_finish(struct builder *builder, struct scene_curve *curve)
{
    bool has_tangents = false;
    bool has_handles = false;
    bool has_added = false;
    for (uint32_t i = 0; i + 1 < builder->key_count; i++) {
        has_handles |= builder->interpolations.bytes[i] == SCENE_BEZIER;
        has_tangents |= builder->interpolations.bytes[i] >= SCENE_CUBIC;
        has_added |= builder->is_added.bytes[i] != 0;
    }
    if (builder->is_full) {
        stf_spare_nothing(builder->stf);
        return json_refuse(&builder->track->value, TROUPE_EXIT_UNSUPPORTED, "stf.limit",
                           "following what the keys mean takes too many keys");
    }
    if (builder->is_wild) {
        return json_refuse(&builder->track->value, TROUPE_EXIT_UNSUPPORTED, "stf.euler",
                           "angles that turn more than %d times between two keys are not supported",
                           MOST_TURNS);
    }
    *curve = (struct scene_curve){
        .key_count = builder->key_count,
        .stride = builder->stride,
        .times = array_copy(builder, &builder->times),
        .values = array_copy(builder, &builder->values),
        .in_tangents = has_tangents ? array_copy(builder, &builder->in_tangents) : NULL,
        .out_tangents = has_tangents ? array_copy(builder, &builder->out_tangents) : NULL,
        .handles = has_handles ? array_copy(builder, &builder->handles) : NULL,
        .interpolations = array_copy(builder, &builder->interpolations),
        .is_added = has_added ? array_copy(builder, &builder->is_added) : NULL,
    };
    return true;
}

static void builder_init(struct builder *builder)
{
    const uint32_t count = builder->track->subtrack_count;
    const uint32_t stride = builder->stride;
    double *const memory = ARENA_NEW(&builder->arena, double, 6 * (size_t)stride + 2 * count);
    builder->left = memory;
    builder->left_slope = memory + stride;
    builder->right = memory + 2 * stride;
    builder->right_slope = memory + 3 * stride;
    builder->probe = memory + 4 * stride;
    builder->probe_slope = memory + 5 * stride;
    builder->components = memory + 6 * stride;
    builder->slopes = builder->components + count;
    builder->pieces = ARENA_NEW(&builder->arena, struct piece, count);
    builder->scratch = ARENA_NEW(&builder->arena, double, (MOST_DEPTH + 1) * 5 * (size_t)stride);
}

static void builder_free(struct builder *builder)
{
    buffer_free(&builder->times);
    buffer_free(&builder->values);
    buffer_free(&builder->in_tangents);
    buffer_free(&builder->out_tangents);
    buffer_free(&builder->handles);
    buffer_free(&builder->interpolations);
    buffer_free(&builder->is_added);
    arena_free(&builder->arena);
}

/// Makes the curve of a switch: on above one half, changing at keys alone.
static void switch_make(struct builder *builder, const double *frames, uint32_t count)
{
    const struct stf_subtrack *const subtrack = &builder->track->subtracks[0];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = key_before(subtrack, frames[i]);
        const double value = subtrack->keys[key == UINT32_MAX ? 0 : key].value > 0.5;
        key_add(builder, stf_span_time(builder->span, frames[i]), &value);
        key_is_of_file(builder);
    }
}

/// Makes the curve of a rotation that was sampled: keys and the short way between them.
static void sampled_make(struct builder *builder, const double *frames, uint32_t count)
{
    const struct stf_subtrack *const parts = builder->track->subtracks;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = key_before(&parts[0], frames[i]);
        const uint32_t from = key == UINT32_MAX ? 0 : key;
        const uint32_t to = from + 1 < parts[0].key_count ? from + 1 : from;
        double a[4];
        double b[4];
        for (int c = 0; c < 4; c++) {
            a[c] = parts[c].keys[from].value;
            b[c] = parts[c].keys[to].value;
        }
        normalise(a, NULL);
        normalise(b, NULL);
        const double frame = parts[0].keys[from].frame; // the next one is the next whole frame
        if (frames[i] > frame) {
            scene_slerp(a, b, clamp(frames[i] - frame, 0, 1), a);
        }
        key_add(builder, stf_span_time(builder->span, frames[i]), a);
        key_is_of_file(builder);
        if (i > 0) {
            interval_set(builder, SCENE_LINEAR, NULL, NULL, NULL);
        }
    }
}

static void pieces_make(struct builder *builder, const double *frames, uint32_t count)
{
    curve_at(builder, frames[0], builder->right);
    key_add(builder, stf_span_time(builder->span, frames[0]), builder->right);
    key_is_of_file(builder);
    for (uint32_t i = 0; i + 1 < count && !builder->is_full && !builder->is_wild; i++) {
        interval_add(builder, frames[i], frames[i + 1], 0);
        key_is_of_file(builder);
    }
}

bool stf_curve_make(struct stf *stf, const struct stf_track *track, const struct stf_target *target,
                    const struct stf_span *span, struct scene_curve *curve)
{
    struct builder builder = {
        .stf = stf,
        .track = track,
        .span = span,
        .kind = target->path != SCENE_ROTATION ? CURVE_PLAIN
                : target->is_euler             ? CURVE_EULER
                                               : CURVE_ROTATION,
        .stride = target->path == SCENE_ROTATION ? 4 : track->subtrack_count,
    };
    double *frames;
    double angles[3];
    builder_init(&builder);
    builder.tolerance = builder.kind == CURVE_PLAIN      ? SPLIT_TOLERANCE * largest_size(track)
                        : builder.kind == CURVE_ROTATION ? SPLIT_TOLERANCE
                                                         : ANGLE_TOLERANCE;
    if (builder.kind == CURVE_EULER) {
        angles_of_rotation(target->rest, angles);
        for (uint32_t c = 0; c < 3; c++) {
            track->subtracks[c].rest = angles[c];
        }
    }
    const uint32_t count = list_frames(track, span, &builder.arena, &frames);
    if (target->path == SCENE_PROPERTY && target->type == SCENE_BOOL) {
        switch_make(&builder, frames, count);
    } else if (track->is_sampled) {
        sampled_make(&builder, frames, count);
    } else {
        pieces_make(&builder, frames, count);
    }
    const bool ok = curve_finish(&builder, curve);
    builder_free(&builder);
    return ok;
}
