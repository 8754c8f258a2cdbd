// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Expansion goes block by block, as rows do; the metadata of each path is one run over all blocks,
// so every path keeps a cursor into it. FORMAT.md, "Decoding", is the specification.
#include "prepare.h"

#include <stdbool.h>

_Static_assert((int)TRP__BLOCK_LERP == (int)TRP__RULE_LERP, "kernels know the rules by number");
_Static_assert((int)TRP__BLOCK_NLERP == (int)TRP__RULE_NLERP, "kernels know the rules by number");
_Static_assert((int)TRP__BLOCK_CORRECTED == (int)TRP__RULE_CORRECTED, "as above");
_Static_assert((int)TRP__BLOCK_FLIP == (int)TRP__RULE_FLIP, "kernels know the rules by number");

#define WIDTH_BITS 5u

/// What has been read of one path.
struct path_cursor {
    uint32_t animated; ///< tracks
    uint32_t constant;
    uint64_t width_position; ///< bits
    uint64_t base_position;
};

struct expansion {
    const trp_pose_block *rest; ///< of resting lanes; null: identity
    const trp_pose_block *base; ///< of lanes that the clip says nothing of, likewise
    const struct trp__clip_parts *parts;
    const struct trp__segment *segment;
    const uint8_t *rule;
    uint32_t window;
    uint32_t row_position; ///< bits
    struct path_cursor paths[3];
};

/// What one path of one block stores of its animated lanes; nothing moves in the others.
struct tracks {
    float step[TRP_BLOCK_LANES];
    uint8_t width[3][TRP_BLOCK_LANES];
};

/// Reads up to 32 bits. Touches 8 bytes from the one that holds the first bit.
static uint32_t read_bits(const uint8_t *stream, uint64_t position, uint32_t count)
{
    const uint64_t word = trp__read_u64(stream + (position >> 3)) >> (position & 7);
    return (uint32_t)(word & (((uint64_t)1 << count) - 1));
}

static int32_t read_signed_bits(const uint8_t *stream, uint64_t position, uint32_t count)
{
    const uint64_t sign = (uint64_t)1 << count >> 1;
    return (int32_t)(uint32_t)((read_bits(stream, position, count) ^ sign) - sign);
}

static void fill(float value, float *out)
{
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
        out[lane] = value;
    }
}

/// Reads widths, steps and bases of the animated lanes of one path of one block. The bases join
/// the offsets that `channels` hold already.
static void read_tracks(struct expansion *expansion, uint32_t path, uint32_t animated,
                        struct tracks *tracks, struct trp__channel *channels)
{
    const struct trp__segment *const segment = expansion->segment;
    const uint32_t base_bits = segment->base_bits[path];
    struct path_cursor *const cursor = &expansion->paths[path];
    memset(tracks, 0, sizeof *tracks);
    for (; animated != 0; animated &= animated - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(animated);
        const uint8_t *const step_at =
            expansion->parts->steps[path] + cursor->animated * sizeof(uint16_t);
        const float step = trp__step_from_bits(trp__read_u16(step_at));
        uint32_t widths = read_bits(segment->stream, cursor->width_position, 3 * WIDTH_BITS);
        tracks->step[lane] = step;
        for (uint32_t i = 0; i < 3; i++) {
            const int32_t base =
                read_signed_bits(segment->stream, cursor->base_position, base_bits);
            channels[i].base[lane] = channels[i].base[lane] + step * (float)base;
            tracks->width[i][lane] = (uint8_t)(widths & ((1u << WIDTH_BITS) - 1));
            widths >>= WIDTH_BITS;
            cursor->base_position += base_bits;
        }
        cursor->width_position += 3 * WIDTH_BITS;
        cursor->animated++;
    }
}

/// Writes where the fields of one component lie, in the form that the kernels' window asks for.
/// `window` is a constant in each call.
static inline uint32_t place_fields(uint32_t window, uint32_t position, const float *step,
                                    const uint8_t *width, struct trp__channel *channel,
                                    uint32_t *window_offset)
{
    static const float power[8] = {1.0f,    0x1p-1f, 0x1p-2f, 0x1p-3f,
                                   0x1p-4f, 0x1p-5f, 0x1p-6f, 0x1p-7f};
    const uint32_t lanes_per_window = window == 64 ? 16 : 4;
    uint32_t start = 0;
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
        const uint32_t byte = position >> 3;
        const uint32_t shift = position & 7;
        if (lane % lanes_per_window == 0) {
            start = byte;
            window_offset[lane / lanes_per_window] = start;
        }
        if (window == 4) {
            channel->lane_offset[lane] = byte;
        } else { // four bytes of the window, the lowest first
            const uint32_t pattern = (byte - start) * 0x01010101u + 0x03020100u;
            memcpy(&channel->shuffle[4 * lane], &pattern, sizeof pattern);
        }
        channel->mask[lane] = ((1u << width[lane]) - 1) << shift;
        channel->scale[lane] = step[lane] * power[shift];
        position += width[lane];
    }
    return position;
}

/// Places the fields of one component; returns where the next one begins.
static uint32_t place_component(uint32_t window, uint32_t position, const float *step,
                                const uint8_t *width, struct trp__channel *channel,
                                uint32_t *window_offset)
{
    if (window == 64) {
        return place_fields(64, position, step, width, channel, window_offset);
    }
    if (window == 16) {
        return place_fields(16, position, step, width, channel, window_offset);
    }
    return place_fields(4, position, step, width, channel, window_offset);
}

static void place_tracks(struct expansion *expansion, uint32_t path, uint32_t animated,
                         struct trp__block_control *block)
{
    struct tracks tracks;
    struct trp__channel *const channels = &block->channel[3 * path];
    read_tracks(expansion, path, animated, &tracks, channels);
    for (uint32_t i = 0; i < 3; i++) {
        expansion->row_position =
            place_component(expansion->window, expansion->row_position, tracks.step,
                            tracks.width[i], &channels[i], block->window_offset[3 * path + i]);
    }
}

/// Reads Rodrigues parameters: 21 bits each of constants, 16 of means.
static void read_rotation_constant(const uint8_t *at, float s[3][TRP_BLOCK_LANES], uint32_t lane)
{
    const uint64_t word = trp__read_u64(at);
    for (uint32_t i = 0; i < 3; i++) {
        const int32_t field = (int32_t)(word >> 21 * i & 0x1FFFFF);
        s[i][lane] = (float)((field ^ 0x100000) - 0x100000) * (1.0f / 1048575.0f);
    }
}

static void read_rotation_mean(const uint8_t *at, float s[3][TRP_BLOCK_LANES], uint32_t lane)
{
    for (uint32_t i = 0; i < 3; i++) {
        const int16_t field = (int16_t)trp__read_u16(at + i * sizeof(int16_t));
        s[i][lane] = (float)field * (1.0f / 32767.0f);
    }
}

static void store_quaternions(float (*restrict s)[TRP_BLOCK_LANES],
                              float (*restrict mean)[TRP_BLOCK_LANES])
{
    for (uint32_t lane = 0; lane < TRP_BLOCK_LANES; lane++) {
        const float d =
            (s[0][lane] * s[0][lane] + s[1][lane] * s[1][lane]) + s[2][lane] * s[2][lane];
        const float inverse = 1.0f / (1.0f + d);
        const float k = inverse + inverse;
        mean[0][lane] = s[0][lane] * k;
        mean[1][lane] = s[1][lane] * k;
        mean[2][lane] = s[2][lane] * k;
        mean[3][lane] = (1.0f - d) * inverse;
    }
}

/// Writes what lanes move about: the mean of animated ones, the value of all others.
static void expand_means(struct expansion *expansion, uint32_t index,
                         float mean[4][TRP_BLOCK_LANES])
{
    const struct trp__clip_parts *const parts = expansion->parts;
    struct path_cursor *const cursor = &expansion->paths[TRP_PATH_ROTATION];
    const uint32_t animated = parts->animated[0][index];
    const uint32_t constant = parts->constant[0][index];
    float s[3][TRP_BLOCK_LANES] = {{0}}; // lanes that stay at 0 become the identity
    uint32_t track = cursor->animated;
    for (uint32_t left = animated; left != 0; left &= left - 1) {
        read_rotation_mean(parts->rotation_means + track * 3 * sizeof(int16_t), s,
                           (uint32_t)__builtin_ctz(left));
        track++;
    }
    for (uint32_t left = constant; left != 0; left &= left - 1) {
        read_rotation_constant(parts->rotation_constants + cursor->constant * sizeof(uint64_t), s,
                               (uint32_t)__builtin_ctz(left));
        cursor->constant++;
    }
    store_quaternions(s, mean);
    if (!expansion->rest) {
        return;
    }
    const uint32_t resting = parts->resting[0][index];
    for (uint32_t left = 0xFFFF & ~(animated | constant); left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const trp_pose_block *const still =
            resting >> lane & 1 ? &expansion->rest[index] : &expansion->base[index];
        for (uint32_t i = 0; i < 4; i++) { // + 0 as in trp__copy_still
            mean[i][lane] = still->rotation[i][lane] + 0.0f;
        }
    }
}

static void expand_rotations(struct expansion *expansion, uint32_t index,
                             struct trp__block_control *block)
{
    const uint32_t animated = expansion->parts->animated[0][index];
    expand_means(expansion, index, block->mean);
    if (animated == 0) {
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        fill(0.0f, block->channel[i].base);
    }
    block->mode |= *expansion->rule++ & (TRP__RULE_MASK | TRP__RULE_FLIP);
    place_tracks(expansion, TRP_PATH_ROTATION, animated, block);
}

/// Stores x, y and z of one lane.
static void store_vector(struct trp__channel *channels, uint32_t lane, const uint8_t *at)
{
    for (uint32_t i = 0; i < 3; i++) {
        channels[i].base[lane] = trp__read_f32(at + i * sizeof(float)) + 0.0f;
    }
}

/// Writes what lanes have that nothing is stored of: rest or base.
static void expand_still_vectors(const struct expansion *expansion, uint32_t path, uint32_t index,
                                 struct trp__channel *channels)
{
    const bool is_scale = path == TRP_PATH_SCALE;
    if (!expansion->rest) {
        for (uint32_t i = 0; i < 3; i++) {
            fill(is_scale ? 1.0f : 0.0f, channels[i].base);
        }
        return;
    }
    const trp_pose_block *const rest = &expansion->rest[index];
    const trp_pose_block *const base = &expansion->base[index];
    for (uint32_t i = 0; i < 3; i++) {
        trp__copy_still(is_scale ? base->scale[i] : base->translation[i], TRP_BLOCK_LANES,
                        channels[i].base);
    }
    uint32_t left = base == rest ? 0 : expansion->parts->resting[path][index];
    for (; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint32_t i = 0; i < 3; i++) {
            channels[i].base[lane] =
                (is_scale ? rest->scale[i][lane] : rest->translation[i][lane]) + 0.0f;
        }
    }
}

/// Translations or scales.
static void expand_vectors(struct expansion *expansion, uint32_t path, uint32_t index,
                           struct trp__block_control *block)
{
    const size_t vector_bytes = 3 * sizeof(float);
    const struct trp__clip_parts *const parts = expansion->parts;
    struct path_cursor *const cursor = &expansion->paths[path];
    struct trp__channel *const channels = &block->channel[3 * path];
    expand_still_vectors(expansion, path, index, channels);
    for (uint32_t left = parts->constant[path][index]; left != 0; left &= left - 1) {
        store_vector(channels, (uint32_t)__builtin_ctz(left),
                     parts->vector_constants[path] + cursor->constant * vector_bytes);
        cursor->constant++;
    }

    const uint32_t animated = parts->animated[path][index];
    if (animated == 0) {
        return;
    }
    uint32_t track = cursor->animated;
    for (uint32_t left = animated; left != 0; left &= left - 1) {
        store_vector(channels, (uint32_t)__builtin_ctz(left),
                     parts->vector_offsets[path] + track * vector_bytes);
        track++;
    }
    block->mode |= path == TRP_PATH_SCALE ? TRP__BLOCK_SCALE : TRP__BLOCK_TRANSLATION;
    place_tracks(expansion, path, animated, block);
}

static void expand_holds(const struct expansion *expansion, uint32_t index,
                         struct trp__block_control *block)
{
    const uint8_t *const holds = expansion->segment->holds;
    for (uint32_t path = 0; path < 3; path++) {
        const size_t entry = (size_t)path * expansion->parts->header->block_count + index;
        block->hold[path] = holds ? trp__read_u16(holds + entry * sizeof(uint16_t)) : 0;
        block->mode |= block->hold[path] ? TRP__BLOCK_HOLD : 0;
    }
}

/// Returns the components that a segment has widths and bases for.
static uint64_t component_count(const struct trp__clip_header *header)
{
    const uint16_t *const counts = header->animated_count;
    return 3 * ((uint64_t)counts[0] + counts[1] + counts[2]) + header->animated_value_count;
}

/// Points the cursors at the first track of each path: widths of all paths lie before all bases.
static void start_cursors(struct expansion *expansion)
{
    const uint16_t *const counts = expansion->parts->header->animated_count;
    uint64_t width_position = 0;
    uint64_t base_position = WIDTH_BITS * component_count(expansion->parts->header);
    for (uint32_t path = 0; path < 3; path++) {
        expansion->paths[path].width_position = width_position;
        expansion->paths[path].base_position = base_position;
        width_position += (uint64_t)counts[path] * 3 * WIDTH_BITS;
        base_position += (uint64_t)counts[path] * 3 * expansion->segment->base_bits[path];
    }
}

void trp__segment_expand(const trp_clip *clip, const struct trp__clip_parts *parts,
                         const struct trp__segment *segment, uint32_t window, uint32_t block_count,
                         struct trp__block_control *blocks)
{
    struct expansion expansion = {
        .rest = clip->flags & TRP_CLIP_ADDITIVE ? NULL : clip->rest,
        .base = clip->base,
        .parts = parts,
        .segment = segment,
        .rule = segment->rules,
        .window = window,
    };
    start_cursors(&expansion);
    for (uint32_t i = 0; i < block_count; i++) {
        blocks[i].mode = 0;
        expand_rotations(&expansion, i, &blocks[i]);
        expand_vectors(&expansion, TRP_PATH_TRANSLATION, i, &blocks[i]);
        expand_vectors(&expansion, TRP_PATH_SCALE, i, &blocks[i]);
        expand_holds(&expansion, i, &blocks[i]);
    }
}

// -- Values

/// Where the values of a segment stand in its streams, in bits.
struct value_cursor {
    uint32_t animated; ///< values read
    uint64_t width_position;
    uint64_t base_position;
    uint32_t row_position; ///< behind all blocks of the pose
};

static struct value_cursor first_value(const struct trp__clip_parts *parts,
                                       const struct trp__segment *segment)
{
    const uint16_t *const counts = parts->header->animated_count;
    const uint64_t joint_components = 3 * ((uint64_t)counts[0] + counts[1] + counts[2]);
    struct value_cursor cursor = {
        .width_position = WIDTH_BITS * joint_components,
        .base_position = WIDTH_BITS * component_count(parts->header),
    };
    for (uint32_t path = 0; path < 3; path++) {
        cursor.base_position += 3 * (uint64_t)counts[path] * segment->base_bits[path];
    }
    for (uint64_t at = 0; at < cursor.width_position; at += WIDTH_BITS) {
        cursor.row_position += read_bits(segment->stream, at, WIDTH_BITS);
    }
    return cursor;
}

/// Expands one block, whose channel holds the values at rest already.
static void expand_value_block(const struct trp__clip_parts *parts,
                               const struct trp__segment *segment, uint32_t window,
                               uint32_t animated, struct value_cursor *cursor,
                               struct trp__value_control *block)
{
    const uint32_t base_bits = segment->base_bits[TRP_PATH_PROPERTY];
    float steps[TRP_BLOCK_LANES] = {0};
    uint8_t widths[TRP_BLOCK_LANES] = {0};
    for (; animated != 0; animated &= animated - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(animated);
        const size_t index = cursor->animated++;
        const float offset = trp__read_f32(parts->value_offsets + index * sizeof(float));
        const int32_t base = read_signed_bits(segment->stream, cursor->base_position, base_bits);
        steps[lane] =
            trp__step_from_bits(trp__read_u16(parts->value_steps + index * sizeof(uint16_t)));
        widths[lane] = (uint8_t)read_bits(segment->stream, cursor->width_position, WIDTH_BITS);
        block->channel.base[lane] = offset + steps[lane] * (float)base;
        cursor->width_position += WIDTH_BITS;
        cursor->base_position += base_bits;
    }
    cursor->row_position = place_component(window, cursor->row_position, steps, widths,
                                           &block->channel, block->window_offset);
}

void trp__segment_expand_values(const trp_clip *clip, const struct trp__clip_parts *parts,
                                const struct trp__segment *segment, uint32_t window,
                                struct trp__value_control *blocks)
{
    const uint32_t block_count = parts->header->value_block_count;
    if (block_count == 0) {
        return;
    }
    const uint8_t *const holds =
        segment->holds ? segment->holds + 3 * sizeof(uint16_t) * parts->header->block_count : NULL;
    struct value_cursor cursor = first_value(parts, segment);
    for (uint32_t i = 0; i < block_count; i++) {
        const size_t mask_at = i * sizeof(uint16_t);
        const uint32_t first = i * TRP_BLOCK_LANES;
        const uint32_t left = clip->value_count - first;
        const uint32_t count = left < TRP_BLOCK_LANES ? left : TRP_BLOCK_LANES;
        fill(0.0f, blocks[i].channel.base);
        if (!(clip->flags & TRP_CLIP_ADDITIVE)) {
            trp__copy_still(clip->value_defaults + first, count, blocks[i].channel.base);
        }
        blocks[i].hold = holds ? trp__read_u16(holds + mask_at) : 0;
        expand_value_block(parts, segment, window, trp__read_u16(parts->animated_values + mask_at),
                           &cursor, &blocks[i]);
    }
}
