// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "synthetic_clip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// -- Memory and chance ---------------------------------------------------------------------------

enum { MAX_PIECES = 1 << 14 };

static struct {
    void *start;
    size_t size_bytes;
} pieces[MAX_PIECES];

static size_t piece_count;

static void require(bool condition)
{
    if (!condition) {
        abort(); // the fault is in this file, or there is no memory
    }
}

static void *map(size_t size_bytes)
{
    void *const start =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(start != MAP_FAILED && piece_count < MAX_PIECES);
    pieces[piece_count].start = start;
    pieces[piece_count].size_bytes = size_bytes;
    piece_count++;
    return start;
}

static void *zeroed(size_t size_bytes)
{
    return map(size_bytes ? size_bytes : 1);
}

void *synthetic_memory(size_t size_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = (size_bytes + page - 1) / page * page;
    char *const start = map(inner + page);
    require(mprotect(start + inner, page, PROT_NONE) == 0);
    return start + inner - size_bytes;
}

void synthetic_release(void)
{
    while (piece_count > 0) {
        piece_count--;
        munmap(pieces[piece_count].start, pieces[piece_count].size_bytes);
    }
}

uint32_t synthetic_chance(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 0x2545F4914F6CDD1Du) >> 32);
}

double synthetic_chance_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (synthetic_chance(state) / 4294967296.0);
}

static void chance_rotation(uint64_t *state, double rotation[4])
{
    double length = 0;
    while (length < 0.01 || length > 1) {
        length = 0;
        for (uint32_t i = 0; i < 4; i++) {
            rotation[i] = synthetic_chance_between(state, -1, 1);
            length += rotation[i] * rotation[i];
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        rotation[i] /= sqrt(length);
    }
}

static uint32_t track_index(const struct synthetic_clip *clip, uint32_t path, uint32_t lane)
{
    return path * clip->lane_count + lane;
}

static bool happens(uint64_t *state, uint32_t percent)
{
    return synthetic_chance(state) % 100 < percent;
}

static uint32_t or_default(uint32_t value, uint32_t default_value)
{
    return value ? value : default_value;
}

// -- The numbers ---------------------------------------------------------------------------------

static double chance_step(uint64_t *state, double reach, uint32_t width)
{
    const float value =
        (float)(reach / 1.5 / (1u << width) * synthetic_chance_between(state, 0.5, 1));
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return trp__step_from_bits((uint16_t)(bits >> 16));
}

static void make_track(struct synthetic_track *track, uint32_t path,
                       const struct synthetic_recipe *recipe, uint64_t *state)
{
    static const double center[3] = {0, 0, 1};
    static const double reach[3] = {0.55, 2, 0.5};
    if (happens(state, recipe->animated_percent[path])) {
        track->kind = TRP_TRACK_ANIMATED;
    } else {
        track->kind = synthetic_chance(state) % 2 ? TRP_TRACK_CONSTANT : TRP_TRACK_ABSENT;
        track->is_resting = track->kind == TRP_TRACK_CONSTANT && synthetic_chance(state) % 2;
    }
    const double turn = recipe->turn > 0 ? recipe->turn : 0.4;
    track->step =
        chance_step(state, path == TRP_PATH_ROTATION ? turn : reach[path], recipe->width_high);
    for (uint32_t i = 0; i < 3; i++) {
        const float value =
            (float)(center[path] + synthetic_chance_between(state, -reach[path], reach[path]));
        track->offset[i] = value;
        track->value[i] = value;
        if (path == TRP_PATH_ROTATION) { // on the grids of the format
            track->mean[i] = (double)(int32_t)(value * 32767.0f) / 32767.0;
            track->value[i] = (double)(int32_t)(value * 1048575.0f) / 1048575.0;
        }
    }
}

static void make_tracks(struct synthetic_clip *clip, const struct synthetic_recipe *recipe,
                        uint64_t *state)
{
    clip->tracks = zeroed(3 * clip->lane_count * sizeof *clip->tracks);
    const uint32_t joint_count = or_default(recipe->joint_count, clip->lane_count);
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t lane = 0; lane < joint_count; lane++) {
            make_track(&clip->tracks[track_index(clip, path, lane)], path, recipe, state);
        }
    }
}

static void make_values(struct synthetic_clip *clip, const struct synthetic_recipe *recipe,
                        uint64_t *state)
{
    clip->values = zeroed(recipe->value_count * sizeof *clip->values);
    clip->defaults = zeroed(recipe->value_count * sizeof *clip->defaults);
    for (uint32_t i = 0; i < recipe->value_count; i++) {
        clip->values[i] = (struct synthetic_value){
            .is_animated = happens(state, recipe->animated_value_percent),
            .offset = (float)synthetic_chance_between(state, -2, 2),
            .step = chance_step(state, 2, recipe->width_high),
        };
        clip->defaults[i] = (float)synthetic_chance_between(state, -2, 2);
    }
}

static void make_rest(struct synthetic_clip *clip, const struct synthetic_recipe *recipe,
                      uint64_t *state)
{
    const uint32_t joint_count = or_default(recipe->joint_count, clip->lane_count);
    clip->rest = zeroed(trp_pose_bytes(clip->clip.block_count));
    require(trp_pose_identity(clip->rest, clip->clip.block_count) == TRP_OK);
    for (uint32_t lane = 0; lane < joint_count; lane++) {
        trp_pose_block *const block = &clip->rest[lane / 16];
        double rotation[4];
        chance_rotation(state, rotation);
        for (uint32_t i = 0; i < 4; i++) {
            block->rotation[i][lane % 16] = (float)rotation[i];
        }
        for (uint32_t i = 0; i < 3; i++) {
            block->translation[i][lane % 16] = (float)synthetic_chance_between(state, -1, 1);
            block->scale[i][lane % 16] = (float)synthetic_chance_between(state, 0.5, 2);
        }
    }
}

/// Makes a segment begin with the last row of the one before it.
static void continue_segment(const struct synthetic_clip *clip,
                             const struct synthetic_segment *before,
                             struct synthetic_segment *segment)
{
    const uint32_t components = 3 * clip->lane_count * 3;
    const uint32_t *const last_row = before->field + (before->row_count - 1) * components;
    memcpy(segment->base, before->base, components * sizeof *segment->base);
    for (uint32_t i = 0; i < components; i++) {
        for (uint32_t row = 0; row < segment->row_count; row++) {
            segment->field[row * components + i] &= (1u << before->width[i]) - 1;
        }
        segment->width[i] = before->width[i];
    }
    memcpy(segment->field, last_row, components * sizeof *segment->field);
}

static void make_segment_values(const struct synthetic_recipe *recipe, uint64_t *state,
                                struct synthetic_segment *segment)
{
    const uint32_t count = recipe->value_count;
    const uint32_t span = 1u << recipe->width_high;
    segment->value_holds = zeroed(count);
    segment->value_width = zeroed(count);
    segment->value_base = zeroed(count * sizeof *segment->value_base);
    segment->value_field = zeroed(segment->row_count * count * sizeof *segment->value_field);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t widths = recipe->width_high - recipe->width_low + 1;
        segment->value_holds[i] = happens(state, recipe->hold_percent);
        segment->value_width[i] = (uint8_t)(recipe->width_low + synthetic_chance(state) % widths);
        segment->value_base[i] = (int32_t)(synthetic_chance(state) % (span + 1)) - (int32_t)span;
        for (uint32_t row = 0; row < segment->row_count; row++) {
            segment->value_field[row * count + i] =
                synthetic_chance(state) & ((1u << segment->value_width[i]) - 1);
        }
    }
}

static uint32_t chance_rule(uint64_t *state)
{
    static const uint32_t rules[5] = {
        TRP__RULE_LERP,
        TRP__RULE_NLERP,
        TRP__RULE_NLERP | TRP__RULE_FLIP,
        TRP__RULE_CORRECTED,
        TRP__RULE_CORRECTED | TRP__RULE_FLIP,
    };
    return rules[synthetic_chance(state) % 5];
}

static void make_segment(const struct synthetic_clip *clip, uint32_t index,
                         const struct synthetic_recipe *recipe, uint64_t *state,
                         struct synthetic_segment *segment)
{
    const uint32_t ticks_left = clip->clip.tick_count - index * clip->clip.ticks_per_segment;
    const uint32_t components = 3 * clip->lane_count * 3;
    segment->first_tick = index * clip->clip.ticks_per_segment;
    segment->tick_count =
        ticks_left < clip->clip.ticks_per_segment ? ticks_left : clip->clip.ticks_per_segment;
    for (uint32_t tick = 0; tick <= segment->tick_count; tick++) {
        const bool is_end = tick == 0 || tick == segment->tick_count;
        if (is_end || recipe->row_percent == 0 || happens(state, recipe->row_percent)) {
            segment->row_tick[segment->row_count++] = tick;
        }
    }
    uint64_t value_state = ~*state; // joints come out the same with and without values
    make_segment_values(recipe, &value_state, segment);
    segment->rule = zeroed(clip->clip.block_count);
    for (uint32_t block = 0; block < clip->clip.block_count; block++) {
        segment->rule[block] = (uint8_t)(recipe->rule ? recipe->rule : chance_rule(state));
    }
    segment->holds = zeroed(3 * clip->lane_count);
    segment->width = zeroed(components);
    segment->base = zeroed(components * sizeof *segment->base);
    segment->field = zeroed(segment->row_count * components * sizeof *segment->field);
    const uint32_t span = 1u << recipe->width_high;
    for (uint32_t track = 0; track < 3 * clip->lane_count; track++) {
        const bool is_animated = clip->tracks[track].kind == TRP_TRACK_ANIMATED;
        segment->holds[track] = is_animated && happens(state, recipe->hold_percent);
        for (uint32_t i = 3 * track; i < 3 * track + 3; i++) {
            const uint32_t widths = recipe->width_high - recipe->width_low + 1;
            segment->width[i] = (uint8_t)(recipe->width_low + synthetic_chance(state) % widths);
            segment->base[i] = (int32_t)(synthetic_chance(state) % (span + 1)) - (int32_t)span;
            for (uint32_t row = 0; row < segment->row_count; row++) {
                segment->field[row * components + i] =
                    synthetic_chance(state) & ((1u << segment->width[i]) - 1);
            }
        }
    }
}

// -- The bytes -----------------------------------------------------------------------------------

struct bytes {
    uint8_t *start;
    size_t count;
    size_t capacity;
    uint32_t bit_count; // of the last byte, 0 = none is open
};

static void put(struct bytes *bytes, const void *value, size_t value_bytes)
{
    require(bytes->count + value_bytes <= bytes->capacity);
    memcpy(bytes->start + bytes->count, value, value_bytes);
    bytes->count += value_bytes;
    bytes->bit_count = 0;
}

static void put_u16(struct bytes *bytes, uint32_t value)
{
    const uint16_t narrow = (uint16_t)value;
    put(bytes, &narrow, sizeof narrow);
}

static void put_f32(struct bytes *bytes, double value)
{
    const float narrow = (float)value;
    put(bytes, &narrow, sizeof narrow);
}

static void put_bits(struct bytes *bytes, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (bytes->bit_count == 0) {
            require(bytes->count < bytes->capacity);
            bytes->start[bytes->count++] = 0;
        }
        bytes->start[bytes->count - 1] |= (uint8_t)((value >> i & 1) << bytes->bit_count);
        bytes->bit_count = (bytes->bit_count + 1) % 8;
    }
}

static void pad(struct bytes *bytes, size_t alignment)
{
    while (bytes->count % alignment != 0) {
        put(bytes, "", 1);
    }
}

static bool is_animated(const struct synthetic_clip *clip, uint32_t path, uint32_t lane)
{
    return clip->tracks[track_index(clip, path, lane)].kind == TRP_TRACK_ANIMATED;
}

static bool is_constant(const struct synthetic_clip *clip, uint32_t path, uint32_t lane)
{
    const struct synthetic_track *const track = &clip->tracks[track_index(clip, path, lane)];
    return track->kind == TRP_TRACK_CONSTANT && !track->is_resting;
}

static void put_masks(struct bytes *bytes, const struct synthetic_clip *clip, trp_track_kind kind,
                      bool is_resting)
{
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t block = 0; block < clip->clip.block_count; block++) {
            uint32_t mask = 0;
            for (uint32_t lane = 0; lane < 16; lane++) {
                const struct synthetic_track *const track =
                    &clip->tracks[track_index(clip, path, 16 * block + lane)];
                mask |= (uint32_t)(track->kind == kind && track->is_resting == is_resting) << lane;
            }
            put_u16(bytes, mask);
        }
    }
}

static void put_rotation_constant(struct bytes *bytes, const double value[3])
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t field = (int64_t)(value[i] * 1048575.0 + (value[i] < 0 ? -0.5 : 0.5));
        word |= ((uint64_t)field & 0x1FFFFF) << 21 * i;
    }
    put(bytes, &word, sizeof word);
}

static void put_step(struct bytes *bytes, double value)
{
    const float step = (float)value;
    uint32_t bits;
    memcpy(&bits, &step, sizeof bits);
    put_u16(bytes, bits >> 16);
}

static uint32_t animated_value_count(const struct synthetic_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->clip.value_count; i++) {
        count += clip->values[i].is_animated;
    }
    return count;
}

static uint32_t value_block_count(const struct synthetic_clip *clip)
{
    return animated_value_count(clip) > 0 ? (clip->clip.value_count + 15) / 16 : 0;
}

static void put_resident_values(struct bytes *bytes, const struct synthetic_clip *clip)
{
    for (uint32_t block = 0; block < value_block_count(clip); block++) {
        uint32_t mask = 0;
        for (uint32_t i = 16 * block; i < 16 * block + 16 && i < clip->clip.value_count; i++) {
            mask |= (uint32_t)clip->values[i].is_animated << i % 16;
        }
        put_u16(bytes, mask);
    }
    for (uint32_t i = 0; i < clip->clip.value_count; i++) {
        if (clip->values[i].is_animated) {
            put_f32(bytes, clip->values[i].offset);
        }
    }
    for (uint32_t i = 0; i < clip->clip.value_count; i++) {
        if (clip->values[i].is_animated) {
            put_step(bytes, clip->values[i].step);
        }
    }
}

static void put_residents(struct bytes *bytes, const struct synthetic_clip *clip)
{
    put_masks(bytes, clip, TRP_TRACK_ANIMATED, false);
    put_masks(bytes, clip, TRP_TRACK_CONSTANT, false);
    put_masks(bytes, clip, TRP_TRACK_CONSTANT, true);
    for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
        if (is_constant(clip, 0, lane)) {
            put_rotation_constant(bytes, clip->tracks[lane].value);
        }
    }
    for (uint32_t path = 1; path < 3; path++) {
        for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
            for (uint32_t i = 0; i < 3 && is_constant(clip, path, lane); i++) {
                put_f32(bytes, clip->tracks[track_index(clip, path, lane)].value[i]);
            }
        }
    }
    for (uint32_t path = 1; path < 3; path++) {
        for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
            for (uint32_t i = 0; i < 3 && is_animated(clip, path, lane); i++) {
                put_f32(bytes, clip->tracks[track_index(clip, path, lane)].offset[i]);
            }
        }
    }
    for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
        for (uint32_t i = 0; i < 3 && is_animated(clip, 0, lane); i++) {
            const double mean = clip->tracks[lane].mean[i] * 32767.0;
            put_u16(bytes, (uint32_t)(int32_t)(mean + (mean < 0 ? -0.5 : 0.5)));
        }
    }
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
            if (is_animated(clip, path, lane)) {
                put_step(bytes, clip->tracks[track_index(clip, path, lane)].step);
            }
        }
    }
    put_resident_values(bytes, clip);
}

static void put_tick_mask(struct bytes *bytes, const struct synthetic_segment *segment)
{
    uint64_t words[5] = {0};
    for (uint32_t row = 0; row < segment->row_count; row++) {
        words[segment->row_tick[row] / 64] |= (uint64_t)1 << segment->row_tick[row] % 64;
    }
    put(bytes, words, (segment->tick_count + 64) / 64 * sizeof words[0]);
}

static void put_holds(struct bytes *bytes, const struct synthetic_clip *clip,
                      const struct synthetic_segment *segment)
{
    for (uint32_t track = 0; track < 3 * clip->lane_count; track += 16) {
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < 16; lane++) {
            mask |= (uint32_t)segment->holds[track + lane] << lane;
        }
        put_u16(bytes, mask);
    }
    for (uint32_t block = 0; block < value_block_count(clip); block++) {
        uint32_t mask = 0;
        for (uint32_t i = 16 * block; i < 16 * block + 16 && i < clip->clip.value_count; i++) {
            mask |= (uint32_t)(clip->values[i].is_animated && segment->value_holds[i]) << i % 16;
        }
        put_u16(bytes, mask);
    }
}

static void put_rows(struct bytes *bytes, const struct synthetic_clip *clip,
                     struct synthetic_segment *segment)
{
    const uint32_t components = 3 * clip->lane_count * 3;
    const size_t start = bytes->count;
    for (uint32_t row = 0; row < segment->row_count; row++) {
        bytes->bit_count = 0;
        for (uint32_t block = 0; block < clip->clip.block_count; block++) {
            for (uint32_t i = 0; i < 9 * 16; i++) { // path, component, lane
                const uint32_t path = i / 48;
                const uint32_t lane = 16 * block + i % 16;
                const uint32_t component = 3 * track_index(clip, path, lane) + i / 16 % 3;
                if (is_animated(clip, path, lane)) {
                    put_bits(bytes, segment->field[row * components + component],
                             segment->width[component]);
                }
            }
        }
        for (uint32_t i = 0; i < clip->clip.value_count; i++) {
            if (clip->values[i].is_animated) {
                put_bits(bytes, segment->value_field[row * clip->clip.value_count + i],
                         segment->value_width[i]);
            }
        }
        segment->row_bytes = (uint32_t)((bytes->count - start) / (row + 1));
    }
}

static void put_segment(struct bytes *bytes, const struct synthetic_clip *clip,
                        const struct synthetic_recipe *recipe, uint64_t *state,
                        struct synthetic_segment *segment)
{
    const size_t start = bytes->count;
    const uint32_t base_bits = happens(state, 50) ? 32 : recipe->width_high + 2;
    struct trp__segment_header header = {
        .first_tick = segment->first_tick,
        .tick_count = (uint16_t)segment->tick_count,
        .row_count = (uint16_t)segment->row_count,
        .flags = (uint8_t)((recipe->row_percent ? TRP__SEGMENT_TICK_MASK : 0) |
                           (recipe->hold_percent ? TRP__SEGMENT_HOLDS : 0)),
    };
    memset(header.base_bits, (int)base_bits, sizeof header.base_bits);
    put(bytes, &header, sizeof header);
    if (recipe->row_percent) {
        put_tick_mask(bytes, segment);
    }
    for (uint32_t block = 0; block < clip->clip.block_count; block++) {
        uint32_t animated_count = 0;
        for (uint32_t lane = 0; lane < 16; lane++) {
            animated_count += is_animated(clip, 0, 16 * block + lane);
        }
        if (animated_count > 0) {
            put(bytes, &segment->rule[block], 1);
        }
    }
    if (recipe->hold_percent) {
        put_holds(bytes, clip, segment);
    }
    bytes->bit_count = 0;
    for (uint32_t i = 0; i < 9 * clip->lane_count; i++) {
        if (clip->tracks[i / 3].kind == TRP_TRACK_ANIMATED) {
            put_bits(bytes, segment->width[i], 5);
        }
    }
    for (uint32_t i = 0; i < clip->clip.value_count; i++) {
        if (clip->values[i].is_animated) {
            put_bits(bytes, segment->value_width[i], 5);
        }
    }
    for (uint32_t i = 0; i < 9 * clip->lane_count; i++) {
        if (clip->tracks[i / 3].kind == TRP_TRACK_ANIMATED) {
            put_bits(bytes, (uint32_t)segment->base[i], base_bits);
        }
    }
    for (uint32_t i = 0; i < clip->clip.value_count; i++) {
        if (clip->values[i].is_animated) {
            put_bits(bytes, (uint32_t)segment->value_base[i], base_bits);
        }
    }

    // The rows end at a multiple of 16, so that the tail can lie right before a page.
    const size_t metadata_end = bytes->count;
    put_rows(bytes, clip, segment);
    const size_t rows_bytes = bytes->count - metadata_end;
    const size_t shift = (16 - bytes->count % 16) % 16;
    require(bytes->count + shift <= bytes->capacity);
    memmove(bytes->start + metadata_end + shift, bytes->start + metadata_end, rows_bytes);
    bytes->count += shift;
    header.rows_offset = (uint32_t)(metadata_end + shift - start);
    header.row_bytes = segment->row_bytes;
    memcpy(bytes->start + start, &header, sizeof header);
}

static void count_tracks(const struct synthetic_clip *clip, struct trp__clip_header *header)
{
    for (uint32_t path = 0; path < 3; path++) {
        for (uint32_t lane = 0; lane < clip->lane_count; lane++) {
            header->animated_count[path] += is_animated(clip, path, lane);
            header->constant_count[path] += is_constant(clip, path, lane);
        }
    }
}

static void put_clip(struct bytes *bytes, struct synthetic_clip *clip,
                     const struct synthetic_recipe *recipe, uint64_t *state)
{
    struct trp__clip_header header = {
        .flags = clip->clip.flags,
        .block_count = clip->clip.block_count,
        .rate_num = clip->clip.rate_num,
        .rate_den = clip->clip.rate_den,
        .tick_count = clip->clip.tick_count,
        .ticks_per_segment = clip->clip.ticks_per_segment,
        .value_block_count = value_block_count(clip),
        .animated_value_count = animated_value_count(clip),
    };
    count_tracks(clip, &header);
    if (header.animated_count[0] + header.animated_count[1] + header.animated_count[2] +
            header.animated_value_count >
        0) {
        const uint32_t last_tick = header.tick_count > 0 ? header.tick_count - 1 : 0;
        header.segment_count = last_tick / header.ticks_per_segment + 1;
    }
    clip->clip.segment_count = header.segment_count;
    clip->segments = zeroed(header.segment_count * sizeof *clip->segments);

    put(bytes, &header, sizeof header);
    const size_t entries_at = bytes->count;
    for (uint32_t i = 0; i < header.segment_count; i++) {
        put(bytes, &(struct trp__segment_entry){0}, sizeof(struct trp__segment_entry));
    }
    put_residents(bytes, clip);
    for (uint32_t i = 0; i < header.segment_count; i++) {
        pad(bytes, 16);
        const size_t start = bytes->count;
        make_segment(clip, i, recipe, state, &clip->segments[i]);
        if (recipe->is_continuous && i > 0) {
            continue_segment(clip, &clip->segments[i - 1], &clip->segments[i]);
        }
        put_segment(bytes, clip, recipe, state, &clip->segments[i]);
        const struct trp__segment_entry entry = {(uint32_t)start, (uint32_t)(bytes->count - start)};
        memcpy(bytes->start + entries_at + i * sizeof entry, &entry, sizeof entry);
    }
    pad(bytes, 16);
}

struct synthetic_clip synthetic_clip_make(const struct synthetic_recipe *recipe)
{
    uint64_t state = recipe->seed * 2 + 1;
    struct synthetic_clip clip = {0};
    clip.clip = (trp_clip){
        .name = "synthetic",
        .pack_hash = recipe->seed,
        .flags = recipe->flags,
        .block_count = or_default(recipe->block_count, 1),
        .rate_num = or_default(recipe->rate_num, 30),
        .rate_den = or_default(recipe->rate_den, 1),
        .tick_count = recipe->tick_count,
        .ticks_per_segment = or_default(recipe->ticks_per_segment, 64),
    };
    clip.clip.duration_s = (double)clip.clip.tick_count * clip.clip.rate_den / clip.clip.rate_num;
    clip.lane_count = 16 * clip.clip.block_count;
    make_tracks(&clip, recipe, &state);
    make_rest(&clip, recipe, &state);
    uint64_t value_state = ~state;
    make_values(&clip, recipe, &value_state);
    clip.clip.value_count = recipe->value_count;
    clip.clip.value_defaults = clip.defaults;

    const size_t rows = recipe->tick_count + recipe->tick_count / clip.clip.ticks_per_segment + 2;
    struct bytes bytes = {
        .capacity = 4096 + clip.lane_count * (200 + 9 * 3 * rows) +
                    recipe->value_count * (16 + 10 * rows) +
                    (recipe->tick_count / clip.clip.ticks_per_segment + 1) *
                        (200 + 100 * (size_t)clip.lane_count),
    };
    bytes.start = malloc(bytes.capacity);
    require(bytes.start != NULL);
    put_clip(&bytes, &clip, recipe, &state);
    uint8_t *const home = synthetic_memory(bytes.count + TRP__TAIL_BYTES);
    memcpy(home, bytes.start, bytes.count);
    free(bytes.start);
    clip.clip.bytes = home;
    clip.clip.size_bytes = bytes.count;
    clip.clip.rest = clip.rest;
    clip.clip.base = clip.rest;
    return clip;
}

trp_pose_block *synthetic_pose(const struct synthetic_clip *clip)
{
    return synthetic_memory(trp_pose_bytes(clip->clip.block_count));
}

// -- The truth -----------------------------------------------------------------------------------

struct moment {
    const struct synthetic_segment *segment;
    uint32_t row;
    double u;
    double u_hold;
};

static struct moment moment_at(const struct synthetic_clip *clip, double time_s)
{
    const double end = clip->clip.tick_count;
    const double time = time_s > 0 ? time_s : 0; // NaN too
    double tick = time * clip->clip.rate_num / clip->clip.rate_den;
    tick = tick > end ? end : tick;
    struct moment moment = {.segment = &clip->segments[0]};
    // The last interval that starts at or before the tick.
    for (uint32_t i = 1; i < clip->clip.segment_count; i++) {
        if (clip->segments[i].first_tick <= tick + 1e-6) {
            moment.segment = &clip->segments[i];
        }
    }
    tick -= moment.segment->first_tick;
    for (uint32_t row = 0; row + 1 < moment.segment->row_count; row++) {
        const double tick0 = moment.segment->row_tick[row];
        const double tick1 = moment.segment->row_tick[row + 1];
        if (tick0 <= tick + 1e-6) {
            moment.row = row;
            moment.u = tick < tick0 ? 0 : (tick - tick0) / (tick1 - tick0);
            moment.u_hold = tick1 - tick <= 1.0 / 1024 + 1e-6 ? 1 : 0;
        }
    }
    return moment;
}

static double component_at(const struct synthetic_clip *clip,
                           const struct synthetic_segment *segment, uint32_t track, uint32_t i,
                           uint32_t row)
{
    const uint32_t components = 3 * clip->lane_count * 3;
    const double field = segment->field[row * components + 3 * track + i];
    return clip->tracks[track].step * (segment->base[3 * track + i] + field);
}

static void rotation_from_rodrigues(const double s[3], double q[4])
{
    const double d = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    for (int i = 0; i < 3; i++) {
        q[i] = 2 * s[i] / (1 + d);
    }
    q[3] = (1 - d) / (1 + d);
}

static void multiply(const double a[4], const double b[4], double product[4])
{
    product[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    product[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    product[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void nlerp(const double q0[4], const double q1[4], double u, uint32_t rule, double q[4])
{
    double dot = 0;
    double length = 0;
    for (int i = 0; i < 4; i++) {
        dot += q0[i] * q1[i];
    }
    if ((rule & TRP__RULE_MASK) == TRP__RULE_CORRECTED) {
        u += u * (u - 0.5) * (u - 1) * (2.0 / 3.0) * (1 - fabs(dot));
    }
    const double sign = (rule & TRP__RULE_FLIP) && dot < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        q[i] = (1 - u) * q0[i] + sign * u * q1[i];
        length += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(length);
    }
}

static void evaluate_rotation(const struct synthetic_clip *clip, uint32_t lane,
                              const struct moment *moment, double rotation[4])
{
    const uint32_t rule = moment->segment->rule[lane / 16];
    const double u = moment->segment->holds[lane] ? moment->u_hold : moment->u;
    const uint32_t next_row = moment->row + (moment->segment->row_count > 1);
    double s0[3];
    double s1[3];
    double s[3];
    for (uint32_t i = 0; i < 3; i++) {
        s0[i] = component_at(clip, moment->segment, lane, i, moment->row);
        s1[i] = component_at(clip, moment->segment, lane, i, next_row);
        s[i] = s0[i] + u * (s1[i] - s0[i]);
    }
    double q[4];
    if (rule == TRP__RULE_LERP) {
        rotation_from_rodrigues(s, q);
    } else {
        double q0[4];
        double q1[4];
        rotation_from_rodrigues(s0, q0);
        rotation_from_rodrigues(s1, q1);
        nlerp(q0, q1, u, rule, q);
    }
    double mean[4];
    rotation_from_rodrigues(clip->tracks[lane].mean, mean);
    multiply(mean, q, rotation);
}

static void evaluate_vector(const struct synthetic_clip *clip, uint32_t path, uint32_t lane,
                            const struct moment *moment, double vector[3])
{
    const uint32_t track = track_index(clip, path, lane);
    const double u = moment->segment->holds[track] ? moment->u_hold : moment->u;
    const uint32_t next_row = moment->row + (moment->segment->row_count > 1);
    for (uint32_t i = 0; i < 3; i++) {
        const double value0 = component_at(clip, moment->segment, track, i, moment->row);
        const double value1 = component_at(clip, moment->segment, track, i, next_row);
        vector[i] = clip->tracks[track].offset[i] + value0 + u * (value1 - value0);
    }
}

static double rest_value(const struct synthetic_clip *clip, const float *lanes, uint32_t lane,
                         double identity)
{
    return clip->clip.flags & TRP_CLIP_ADDITIVE ? identity : (double)lanes[lane % 16];
}

void synthetic_clip_evaluate(const struct synthetic_clip *clip, uint32_t lane, double time_s,
                             double rotation[4], double translation[3], double scale[3])
{
    const struct moment moment = moment_at(clip, time_s);
    const trp_pose_block *const rest = &clip->rest[lane / 16];
    double *const out[3] = {rotation, translation, scale};
    for (uint32_t path = 0; path < 3; path++) {
        const struct synthetic_track *const track = &clip->tracks[track_index(clip, path, lane)];
        if (track->kind == TRP_TRACK_ANIMATED && path == TRP_PATH_ROTATION) {
            evaluate_rotation(clip, lane, &moment, rotation);
        } else if (track->kind == TRP_TRACK_ANIMATED) {
            evaluate_vector(clip, path, lane, &moment, out[path]);
        } else if (track->kind == TRP_TRACK_CONSTANT && !track->is_resting) {
            if (path == TRP_PATH_ROTATION) {
                rotation_from_rodrigues(track->value, rotation);
            } else {
                memcpy(out[path], track->value, 3 * sizeof(double));
            }
        } else {
            for (uint32_t i = 0; i < (path == TRP_PATH_ROTATION ? 4 : 3); i++) {
                const float *const lanes = path == TRP_PATH_ROTATION      ? rest->rotation[i]
                                           : path == TRP_PATH_TRANSLATION ? rest->translation[i]
                                                                          : rest->scale[i];
                const double identity = path == TRP_PATH_ROTATION ? i == 3 : path == TRP_PATH_SCALE;
                out[path][i] = rest_value(clip, lanes, lane, identity);
            }
        }
    }
}

double synthetic_clip_evaluate_value(const struct synthetic_clip *clip, uint32_t value,
                                     double time_s)
{
    const struct synthetic_value *const of = &clip->values[value];
    if (!of->is_animated) {
        return clip->clip.flags & TRP_CLIP_ADDITIVE ? 0 : (double)clip->defaults[value];
    }
    const struct moment moment = moment_at(clip, time_s);
    const struct synthetic_segment *const segment = moment.segment;
    const uint32_t count = clip->clip.value_count;
    const uint32_t next_row = moment.row + (segment->row_count > 1);
    const double u = segment->value_holds[value] ? moment.u_hold : moment.u;
    const double field0 = segment->value_field[moment.row * count + value];
    const double field1 = segment->value_field[next_row * count + value];
    return of->offset + of->step * (segment->value_base[value] + field0 + u * (field1 - field0));
}
