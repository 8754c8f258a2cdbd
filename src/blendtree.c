// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Blend trees. In a plane every pair of places has a band between them, across which the weight of
// one falls from 1 to 0, and a place counts as much as the narrowest of its bands lets it.
#include <troupe/blendtree.h>

#include <float.h>
#include <math.h>

#include "angle.h"
#include "arguments.h"
#include "format.h"

/// How much a radian counts against a difference in distance of the whole distance.
#define RADIAN_WEIGHT 2.0

#define HALF_TURN (TRP__TWO_PI / 2)

/// Places further apart than this are on opposite sides of the origin.
#define OPPOSITE (0.99 * HALF_TURN)

trp_result trp_pack_blendtree(const trp_pack *pack, uint32_t index, trp_blendtree *tree)
{
    if (!pack || !tree || index >= pack->blendtree_count) {
        return TRP_ERROR_ARGUMENT;
    }
    const struct trp__blendtree_header *const header =
        (const void *)trp__object_at(pack->blendtrees, index);
    const float(*const places)[2] = (const void *)(header + 1);
    *tree = (trp_blendtree){
        .name = (const char *)pack->strings + header->name,
        .name_hash = header->name_hash,
        .id = (const char *)pack->strings + header->id,
        .index = index,
        .dimensions = header->dimensions,
        .count = header->count,
        .clips = (const void *)(places + header->count),
        .places = places,
    };
    return TRP_OK;
}

uint32_t trp_pack_find_blendtree(const trp_pack *pack, uint64_t name_hash)
{
    for (uint32_t i = 0; pack && i < pack->blendtree_count; i++) {
        const struct trp__blendtree_header *const header =
            (const void *)trp__object_at(pack->blendtrees, i);
        if (header->name_hash == name_hash) {
            return i;
        }
    }
    return TRP_NONE;
}

// -- On a line

static void line_weights(const trp_blendtree *tree, float x, float *weights)
{
    uint32_t below = TRP_NONE; // the nearest place not above x
    uint32_t above = TRP_NONE;
    for (uint32_t i = 0; i < tree->count; i++) {
        const float place = tree->places[i][0];
        uint32_t *const nearest = place <= x ? &below : &above;
        const bool is_nearer =
            *nearest == TRP_NONE ||
            (place <= x ? place > tree->places[*nearest][0] : place < tree->places[*nearest][0]);
        *nearest = is_nearer ? i : *nearest;
        weights[i] = 0;
    }
    if (below == TRP_NONE || above == TRP_NONE) {
        weights[below == TRP_NONE ? above : below] = 1;
        return;
    }
    const double low = tree->places[below][0];
    const double high = tree->places[above][0];
    const float share = (float)((x - low) / (high - low));
    weights[above] = share;
    weights[below] = 1 - share;
}

// -- In a plane

struct point {
    double x;
    double y;
    double distance; ///< from the origin
};

static struct point point_of(float x, float y)
{
    const double squared = (double)x * x + (double)y * y;
    return (struct point){x, y, sqrt(squared)};
}

/// Returns the angle from one direction to another, (-pi, pi]; 0 where one of them has none.
static double angle_between(const struct point *from, const struct point *to)
{
    return trp__radians_of(from->x * to->x + from->y * to->y, from->x * to->y - from->y * to->x);
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

static double clamped(double value)
{
    return value < 0 ? 0 : value < 1 ? value : 1;
}

/// A band from a place to another one, as it lies in angle and distance.
struct band {
    double angle;
    double distance;
    double start;  ///< distance of its place
    double radian; ///< weight of an angle
    double unit;   ///< of distances
};

/// Returns how much of a band is left at an angle and distance from its place.
static double left_of(const struct band *band, double angle, double distance)
{
    const double width = band->angle * band->radian;
    const double turn = angle * band->radian;
    const double way = (distance - band->start) / band->unit;
    const double length = band->distance / band->unit;
    return clamped(1 - (width * turn + length * way) / (width * width + length * length));
}

/// Returns how much the band from `place` to `other` leaves of the weight of `place`.
static double band_weight(const struct point *place, const struct point *other,
                          const struct point *at)
{
    const bool is_at_origin = !(place->distance > 0);
    const bool is_from_origin = is_at_origin || !(other->distance > 0);
    struct band band = {
        .angle = magnitude(angle_between(place, other)),
        .distance = other->distance - place->distance,
        .start = place->distance,
        .radian = is_from_origin ? 1 : RADIAN_WEIGHT,
        .unit = (place->distance + other->distance) / 2,
    };
    if (is_from_origin) { // which has no direction: what turns away from the other place counts
        const struct point *const end = is_at_origin ? other : place;
        band.angle = magnitude(angle_between(end, at));
        return left_of(&band, is_at_origin ? 0 : band.angle, at->distance);
    }
    const double towards = angle_between(place, at);
    const bool is_left = angle_between(place, other) < 0;
    const bool is_opposite = band.angle > OPPOSITE; // then both ways round are alike
    const double angle = is_opposite ? magnitude(towards) : is_left ? -towards : towards;
    const double weight = left_of(&band, angle, at->distance);
    if (angle >= band.angle - HALF_TURN) {
        return weight;
    }
    // Past the direction opposite to the other place, towards the one opposite to this place:
    // there the way round over the other place ends, and both must agree.
    const double fade = (angle + HALF_TURN) / band.angle;
    const double end = left_of(&band, HALF_TURN, at->distance);
    const double most = fade > end ? fade : end;
    return weight < most ? weight : most;
}

static bool is_same_place(const trp_blendtree *tree, uint32_t a, uint32_t b)
{
    return tree->places[a][0] == tree->places[b][0] && tree->places[a][1] == tree->places[b][1];
}

/// Returns the weight of a place before all are made to add up to 1; of several at one place the
/// first has it all.
static double place_weight(const trp_blendtree *tree, uint32_t index, const struct point *at)
{
    const struct point place = point_of(tree->places[index][0], tree->places[index][1]);
    double weight = 1;
    for (uint32_t i = 0; i < tree->count && weight > 0; i++) {
        if (is_same_place(tree, i, index)) {
            weight = i < index ? 0 : weight;
            continue;
        }
        const struct point other = point_of(tree->places[i][0], tree->places[i][1]);
        const double left = band_weight(&place, &other, at);
        weight = left < weight ? left : weight;
    }
    return weight;
}

/// Returns the first of the places nearest to a point.
static uint32_t nearest_place(const trp_blendtree *tree, const struct point *at)
{
    uint32_t nearest = 0;
    double least = DBL_MAX;
    for (uint32_t i = 0; i < tree->count; i++) {
        const double x = tree->places[i][0] - at->x;
        const double y = tree->places[i][1] - at->y;
        const double squared = x * x + y * y;
        nearest = squared < least ? i : nearest;
        least = squared < least ? squared : least;
    }
    return nearest;
}

static void plane_weights(const trp_blendtree *tree, float x, float y, float *weights)
{
    const struct point at = point_of(x, y);
    double sum = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        weights[i] = (float)place_weight(tree, i, &at);
        sum += weights[i];
    }
    if (!(sum > 0)) { // no place is inside all of its bands
        weights[nearest_place(tree, &at)] = 1;
        return;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        weights[i] = (float)(weights[i] / sum);
    }
}

/// Returns a parameter as it counts.
static float clean(float value)
{
    const float number = value == value ? value : 0;
    return number < -FLT_MAX ? -FLT_MAX : number > FLT_MAX ? FLT_MAX : number;
}

trp_result trp_blendtree_weights(const trp_blendtree *tree, float x, float y, float *weights)
{
    if (!tree || tree->dimensions < 1 || tree->dimensions > 2) {
        return TRP_ERROR_ARGUMENT;
    }
    if (tree->count == 0) {
        return TRP_OK;
    }
    if (!tree->places || !trp__is_aligned(weights, sizeof *weights)) {
        return TRP_ERROR_ARGUMENT;
    }
    if (tree->dimensions == 1) {
        line_weights(tree, clean(x), weights);
    } else {
        plane_weights(tree, clean(x), clean(y), weights);
    }
    return TRP_OK;
}
