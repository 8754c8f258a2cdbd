// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Where things lie in a clip and its segments, and which two rows a time falls between. Reads only
// bytes that trp_pack_open has checked.
#ifndef TROUPE_SRC_SEGMENT_H
#define TROUPE_SRC_SEGMENT_H

#include <troupe/clip.h>

#include "format.h"

struct trp__sample_point;

/// The resident part of a clip. Arrays over joints go in lane order. What is given as bytes is not
/// aligned: read it through trp__read_*.
struct trp__clip_parts {
    const struct trp__clip_header *header;
    const struct trp__segment_entry *segments;
    const uint16_t *animated[3];        ///< [block_count], by path; bit = lane
    const uint16_t *constant[3];        ///< with a value of its own
    const uint16_t *resting[3];         ///< constant, at rest
    const uint8_t *rotation_constants;  ///< u64
    const uint8_t *vector_constants[3]; ///< f32 x y z; [1] translations, [2] scales
    const uint8_t *vector_offsets[3];   ///< likewise
    const uint8_t *rotation_means;      ///< i16 x y z
    const uint8_t *steps[3];            ///< u16
    const uint8_t *animated_values;     ///< u16 [value_block_count]; bit = value of the block
    const uint8_t *value_offsets;       ///< f32
    const uint8_t *value_steps;         ///< u16
};

/// Words of the mask of ticks that have a row.
#define TRP__TICK_WORDS (TRP__MAX_SEGMENT_TICKS / 64 + 1)

/// One segment of a clip; without anything animated, `row_count` is 0.
struct trp__segment {
    uint64_t ticks[TRP__TICK_WORDS];       ///< where some have no row: mask of those that do
    uint32_t rows_before[TRP__TICK_WORDS]; ///< rows of the words before each
    uint32_t has_gaps;                     ///< 0: every tick has a row, no mask
    const uint8_t *rules;
    const uint8_t *holds;  ///< u16 [3][block_count], then of values [value_block_count]; or null
    const uint8_t *stream; ///< widths and bases
    const uint8_t *rows;
    uint32_t first_tick;
    uint32_t tick_count;
    uint32_t row_count;
    uint32_t row_bytes;
    uint8_t base_bits[4];
};

/// A moment of a clip in ticks, with 20 bits below the point.
typedef int64_t trp__phase;

#define TRP__PHASE_BITS 20
#define TRP__PHASE_ONE ((int64_t)1 << TRP__PHASE_BITS)

/// How near the next row must be for lanes that hold to take it: a thousandth of a tick.
#define TRP__PHASE_HOLD 1024

/// Returns the arrays of a clip.
struct trp__clip_parts trp__clip_parts_of(const trp_clip *clip);

/// Returns where the keyed part of a clip starts, or null where it has none.
static inline const uint8_t *trp__keyed_bytes(const trp_clip *clip)
{
    const struct trp__clip_header *const header = (const void *)clip->bytes;
    return header->keyed_offset ? clip->bytes + header->keyed_offset : NULL;
}

/// Returns segment `index` of a clip; any index for a clip that has none.
struct trp__segment trp__segment_of(const struct trp__clip_parts *parts, uint32_t index);

/// Returns the phases in a second of a clip.
static inline double trp__phase_rate(const trp_clip *clip)
{
    return (double)clip->rate_num / (double)clip->rate_den * (double)TRP__PHASE_ONE;
}

/// Returns the phase of a time, clamped to the clip; NaN counts as 0.
/// @param phase_rate trp__phase_rate(clip)
static inline trp__phase trp__phase_at(const trp_clip *clip, double phase_rate, double time_s)
{
    const double not_negative = time_s > 0 ? time_s : 0; // NaN is not
    const double clamped = not_negative > clip->duration_s ? clip->duration_s : not_negative;
    const trp__phase phase = (trp__phase)(clamped * phase_rate + 0.5);
    const trp__phase end = (trp__phase)clip->tick_count << TRP__PHASE_BITS;
    return phase > end ? end : phase;
}

/// Returns the segment that a phase of a clip falls into; 0 for a clip without segments.
static inline uint32_t trp__segment_at(const trp_clip *clip, trp__phase phase)
{
    if (clip->segment_count <= 1) {
        return 0;
    }
    const uint32_t index = (uint32_t)(phase >> TRP__PHASE_BITS) / clip->ticks_per_segment;
    return index < clip->segment_count ? index : clip->segment_count - 1;
}

/// Finds the rows on both sides of a phase.
/// @param segment the one that trp__segment_at gives
void trp__segment_locate(const struct trp__segment *segment, trp__phase phase,
                         struct trp__sample_point *point);

#endif
