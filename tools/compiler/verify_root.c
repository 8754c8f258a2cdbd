// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "verify_root.h"

#include <math.h>
#include <string.h>
#include <troupe/clip.h>
#include <troupe/root_motion.h>

#include "exact_math.h"
#include "format.h"

static const double turn_rad = 6.283185307179586;
static const double origin[2] = {0, 0};

void verify_root_init(struct verify_root *root, const trp_clip *clip)
{
    struct trp__clip_header header;
    struct trp__root_header own;
    *root = (struct verify_root){0};
    memcpy(&header, clip->bytes, sizeof header);
    if (header.root_offset == 0) {
        return;
    }
    memcpy(&own, clip->bytes + header.root_offset, sizeof own);
    root->key_count = own.key_count;
    root->is_taken_out = (clip->flags & TRP_CLIP_ROOT_MOTION) != 0;
    root->lane = own.lane;
    root->components = own.components;
    root->pivot[0] = (double)own.pivot[0];
    root->pivot[1] = (double)own.pivot[1];
    root->times = clip->bytes + header.root_offset + sizeof own;
    root->keys = root->times + own.key_count * sizeof(double);
}

double verify_root_time(const struct verify_root *root, uint32_t key)
{
    double time_s;
    memcpy(&time_s, root->times + key * sizeof time_s, sizeof time_s);
    return time_s;
}

void verify_root_at(const struct verify_root *root, double time_s, double movement[4])
{
    uint32_t after = 0; // of the first key later than the time
    for (uint32_t high = root->key_count; after < high;) {
        const uint32_t middle = after + (high - after) / 2;
        if (verify_root_time(root, middle) <= time_s) {
            after = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint32_t right = after < root->key_count ? after : root->key_count - 1;
    const uint32_t left = after > 0 ? after - 1 : 0;
    const double way = verify_root_time(root, right) - verify_root_time(root, left);
    const double u = way > 0 ? (time_s - verify_root_time(root, left)) / way : 0;
    for (uint32_t i = 0; i < 4; i++) {
        const double from = (double)trp__read_f32(root->keys + (4 * left + i) * sizeof(float));
        const double to = (double)trp__read_f32(root->keys + (4 * right + i) * sizeof(float));
        movement[i] = from + u * (to - from);
    }
}

void verify_root_matrix(const double movement[4], const double pivot[2], double matrix[12])
{
    const double sine = exact_sin(movement[3] * turn_rad);
    const double cosine = exact_cos(movement[3] * turn_rad);
    const double rows[12] = {
        cosine, 0, sine,   movement[0] + pivot[0] - cosine * pivot[0] - sine * pivot[1], //
        0,      1, 0,      movement[1],                                                  //
        -sine,  0, cosine, movement[2] + pivot[1] + sine * pivot[0] - cosine * pivot[1],
    };
    memcpy(matrix, rows, sizeof rows);
}

static void place_of(const double parent[12], const struct scene_transform *local, double place[3])
{
    const double *const t = local->translation;
    for (int row = 0; row < 3; row++) {
        const double *const m = parent + 4 * row;
        place[row] = m[0] * t[0] + m[1] * t[1] + m[2] * t[2] + m[3];
    }
}

static double length_of_row(const double matrix[12], int row)
{
    const double *const m = matrix + 4 * row;
    return sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
}

void verify_root_pivot(const struct verify_root *root, const double parent[12],
                       const struct scene_transform *first, double pivot[2])
{
    const bool turns = (root->components & TRP_ROOT_YAW) != 0;
    double place[3];
    place_of(parent, first, place);
    pivot[0] = turns ? (double)(float)place[0] : 0;
    pivot[1] = turns ? (double)(float)place[2] : 0;
}

/// Returns how far the joint has turned about +Y, in turns, up to whole ones.
static double yaw_between(const double parent[12], const double first[4], const double now[4],
                          double previous)
{
    // now * conj(first), its axis taken to model space
    const double w = now[3] * first[3] + now[0] * first[0] + now[1] * first[1] + now[2] * first[2];
    const double axis[3] = {
        now[0] * first[3] - now[3] * first[0] - now[1] * first[2] + now[2] * first[1],
        now[1] * first[3] - now[3] * first[1] - now[2] * first[0] + now[0] * first[2],
        now[2] * first[3] - now[3] * first[2] - now[0] * first[1] + now[1] * first[0],
    };
    const double y = (parent[4] * axis[0] + parent[5] * axis[1] + parent[6] * axis[2]) /
                     length_of_row(parent, 1);
    return y * y + w * w < 1e-10 ? previous : 2 * exact_atan2(y, w) / turn_rad;
}

void verify_root_expected(struct verify_root *root, double time_s, const double parent[12],
                          const struct scene_transform *first, const struct scene_transform *now,
                          double movement[4])
{
    if (root->closing_s > 0 && time_s > root->end_s) {
        double before[4];
        double end[4];
        double matrix[12];
        verify_root_at(root, root->end_s - root->closing_s, before);
        verify_root_at(root, root->end_s, end);
        // What the last way is as seen from before it, once more from the end.
        const double turn[4] = {0, 0, 0, end[3] - before[3]};
        const double u = fmin((time_s - root->end_s) / root->closing_s, 1);
        verify_root_matrix(turn, origin, matrix);
        for (int i = 0; i < 3; i++) {
            const double *const row = matrix + 4 * i;
            movement[i] =
                end[i] + u * (row[0] * (end[0] - before[0]) + row[1] * (end[1] - before[1]) +
                              row[2] * (end[2] - before[2]));
        }
        movement[3] = end[3] + u * turn[3];
        return;
    }
    double place[3];
    double start[3];
    const bool turns = (root->components & TRP_ROOT_YAW) != 0;
    root->last_yaw =
        turns ? yaw_between(parent, first->rotation, now->rotation, root->last_yaw) : 0;
    place_of(parent, now, place);
    place_of(parent, first, start);
    for (int i = 0; i < 3; i++) {
        movement[i] = (root->components >> i & 1) != 0 ? place[i] - start[i] : 0;
    }
    movement[3] = root->last_yaw;
}

/// Solves parent * place = moved for the place.
static void place_under(const double parent[12], const double moved[3], double place[3])
{
    const double *const m = parent;
    const double d[3] = {moved[0] - m[3], moved[1] - m[7], moved[2] - m[11]};
    // Cramer's rule.
    const double whole = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                         m[2] * (m[4] * m[9] - m[5] * m[8]);
    for (int i = 0; i < 3; i++) {
        double s[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
        for (int row = 0; row < 3; row++) {
            s[3 * row + i] = d[row];
        }
        place[i] = (s[0] * (s[4] * s[8] - s[5] * s[7]) - s[1] * (s[3] * s[8] - s[5] * s[6]) +
                    s[2] * (s[3] * s[7] - s[4] * s[6])) /
                   whole;
    }
}

struct scene_transform verify_root_remaining(const double movement[4], const double pivot[2],
                                             const double parent[12],
                                             const struct scene_transform *local)
{
    struct scene_transform remaining = *local;
    const double back[4] = {0, 0, 0, -movement[3]};
    double turn[12];
    double place[3];
    double moved[3];
    verify_root_matrix(back, pivot, turn);
    place_of(parent, local, place);
    for (int i = 0; i < 3; i++) {
        const double *const row = turn + 4 * i;
        moved[i] = row[0] * (place[0] - movement[0]) + row[1] * (place[1] - movement[1]) +
                   row[2] * (place[2] - movement[2]) + row[3];
    }
    place_under(parent, moved, remaining.translation);
    if (movement[3] != 0) {
        // The turn about +Y as a turn about the same axis in the parent's space.
        const double sine = exact_sin(-0.5 * movement[3] * turn_rad) / length_of_row(parent, 1);
        const double a[4] = {sine * parent[4], sine * parent[5], sine * parent[6],
                             exact_cos(-0.5 * movement[3] * turn_rad)};
        const double *const b = local->rotation;
        const double product[4] = {
            a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
        };
        memcpy(remaining.rotation, product, sizeof product);
    }
    return remaining;
}
