// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "segment.h"

#include "../simd/kernel_table.h"

struct trp__clip_parts trp__clip_parts_of(const trp_clip *clip)
{
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    const size_t blocks = header->block_count;
    struct trp__clip_parts parts = {
        .header = header,
        .segments = (const void *)(header + 1),
    };
    const uint16_t *const masks = (const void *)(parts.segments + header->segment_count);
    for (size_t path = 0; path < 3; path++) {
        parts.animated[path] = masks + path * blocks;
        parts.constant[path] = masks + (3 + path) * blocks;
        parts.resting[path] = masks + (6 + path) * blocks;
    }

    const size_t vector_bytes = 3 * sizeof(float);
    const uint8_t *at = (const void *)(masks + 9 * blocks);
    parts.rotation_constants = at;
    at += header->constant_count[0] * sizeof(uint64_t);
    parts.vector_constants[1] = at;
    at += header->constant_count[1] * vector_bytes;
    parts.vector_constants[2] = at;
    at += header->constant_count[2] * vector_bytes;
    parts.vector_offsets[1] = at;
    at += header->animated_count[1] * vector_bytes;
    parts.vector_offsets[2] = at;
    at += header->animated_count[2] * vector_bytes;
    parts.rotation_means = at;
    at += header->animated_count[0] * 3 * sizeof(int16_t);
    for (size_t path = 0; path < 3; path++) {
        parts.steps[path] = at;
        at += header->animated_count[path] * sizeof(uint16_t);
    }
    parts.animated_values = at;
    at += header->value_block_count * sizeof(uint16_t);
    parts.value_offsets = at;
    at += header->animated_value_count * sizeof(float);
    parts.value_steps = at;
    return parts;
}

static size_t count_rules(const struct trp__clip_parts *parts)
{
    size_t count = 0;
    for (uint32_t block = 0; block < parts->header->block_count; block++) {
        count += parts->animated[0][block] != 0;
    }
    return count;
}

static uint32_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/// Takes the tick mask over; returns its bytes.
static size_t read_tick_mask(struct trp__segment *segment, const uint8_t *mask)
{
    const uint32_t words = segment->tick_count / 64 + 1;
    uint32_t row_count = 0;
    segment->has_gaps = 1;
    for (uint32_t i = 0; i < words; i++) {
        segment->ticks[i] = trp__read_u64(mask + i * sizeof(uint64_t));
        segment->rows_before[i] = row_count;
        row_count += count_bits(segment->ticks[i]);
    }
    return words * sizeof(uint64_t);
}

struct trp__segment trp__segment_of(const struct trp__clip_parts *parts, uint32_t index)
{
    if (parts->header->segment_count == 0) {
        return (struct trp__segment){0};
    }
    const uint8_t *const start = (const uint8_t *)parts->header + parts->segments[index].offset;
    const struct trp__segment_header *const header = (const void *)start;
    struct trp__segment segment = {
        .rows = start + header->rows_offset,
        .first_tick = header->first_tick,
        .tick_count = header->tick_count,
        .row_count = header->row_count,
        .row_bytes = header->row_bytes,
    };
    memcpy(segment.base_bits, header->base_bits, sizeof segment.base_bits);
    const uint8_t *at = start + sizeof *header;
    if (header->flags & TRP__SEGMENT_TICK_MASK) {
        at += read_tick_mask(&segment, at);
    }
    segment.rules = at;
    at += count_rules(parts);
    if (header->flags & TRP__SEGMENT_HOLDS) {
        segment.holds = at;
        at +=
            (3 * parts->header->block_count + parts->header->value_block_count) * sizeof(uint16_t);
    }
    segment.stream = at;
    return segment;
}

/// The rows around a tick: where they lie among the ticks, and the first one's index.
struct tick_pair {
    uint32_t tick0;
    uint32_t tick1;
    uint32_t row0;
};

/// Finds the highest tick with a row up to `tick`, which lies before the last one, and the next.
/// The first and the last tick always have one.
static struct tick_pair masked_pair(const struct trp__segment *segment, uint32_t tick)
{
    uint32_t word0 = tick / 64;
    uint32_t word1 = word0;
    uint64_t up_to_tick = segment->ticks[word0] & (~(uint64_t)0 >> (63 - tick % 64));
    uint64_t after_tick = segment->ticks[word0] ^ up_to_tick;
    while (up_to_tick == 0) {
        up_to_tick = segment->ticks[--word0];
    }
    while (after_tick == 0) {
        after_tick = segment->ticks[++word1];
    }
    return (struct tick_pair){
        .tick0 = word0 * 64 + 63 - (uint32_t)__builtin_clzll(up_to_tick),
        .tick1 = word1 * 64 + (uint32_t)__builtin_ctzll(after_tick),
        .row0 = segment->rows_before[word0] + count_bits(up_to_tick) - 1,
    };
}

void trp__segment_locate(const struct trp__segment *segment, trp__phase phase,
                         struct trp__sample_point *point)
{
    *point = (struct trp__sample_point){.row0 = segment->rows, .row1 = segment->rows};
    if (segment->row_count <= 1) {
        return;
    }
    const uint32_t local = (uint32_t)(phase >> TRP__PHASE_BITS) - segment->first_tick;
    const uint32_t tick = local < segment->tick_count ? local : segment->tick_count - 1;
    const struct tick_pair pair =
        segment->has_gaps ? masked_pair(segment, tick) : (struct tick_pair){tick, tick + 1, tick};
    const trp__phase phase0 = (trp__phase)(segment->first_tick + pair.tick0) << TRP__PHASE_BITS;
    const trp__phase phase1 = (trp__phase)(segment->first_tick + pair.tick1) << TRP__PHASE_BITS;

    point->row0 = segment->rows + (size_t)pair.row0 * segment->row_bytes;
    point->row1 = point->row0 + segment->row_bytes;
    point->u = (float)((double)(phase - phase0) / (double)(phase1 - phase0));
    point->u_hold = phase1 - phase <= TRP__PHASE_HOLD ? 1.0f : 0.0f;
}
