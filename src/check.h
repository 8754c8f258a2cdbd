// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// What the files that check packs share: the pack so far, and how a broken rule is reported.
#ifndef TROUPE_SRC_CHECK_H
#define TROUPE_SRC_CHECK_H

#include <float.h>
#include <stdbool.h>
#include <troupe/blendtree.h>
#include <troupe/event.h>
#include <troupe/humanoid.h>
#include <troupe/pack.h>
#include <troupe/root_motion.h>
#include <troupe/track.h>

#include "format.h"

/// Values that are interpolated stay below this, far from overflow.
#define TRP__VALUE_LIMIT 1e30

/// Samples of time curves stay below this.
#define TRP__SAMPLE_LIMIT 1000.0

struct trp__check {
    const uint8_t *bytes;
    uint64_t end; // of what sections may use: the zero bytes of the tail follow
    const struct trp__section *sections[TRP__SECTION_BLENDTREES + 1]; // by kind, or null
    trp_pack pack;
    trp_diagnostic diagnostic;
};

/// What the checks of the other parts of a clip need of it.
struct trp__checked_clip {
    const struct trp__clip_header *header;
    const uint16_t *masks;          // [9][block_count]: animated, constant, resting; three paths
    const uint8_t *animated_values; // u16 [value_block_count]
    const uint8_t *offsets;         // f32 of every translation and scale component
    const uint8_t *steps;           // u16 of every animated track
    const uint8_t *value_offsets;   // f32 of every animated value
    const uint8_t *value_steps;     // u16
    trp_property_set set;           // of no values where the clip has none
    uint32_t animated_count;        // tracks
    uint32_t rule_count;
    uint64_t resident_bytes;
};

/// Checks the keyed part of a clip, whose segments lie in [segments_start, segments_end).
bool trp__check_keyed(struct trp__check *check, const uint8_t *at, uint32_t size_bytes,
                      const struct trp__checked_clip *clip, uint64_t segments_start,
                      uint64_t segments_end);

/// Checks the events and the root motion of a clip, whose keyed part is known to be good.
bool trp__check_events_and_root_motion(struct trp__check *check, const uint8_t *at,
                                       uint32_t size_bytes, const struct trp__checked_clip *clip,
                                       uint64_t segments_start, uint64_t segments_end);

/// Checks an instance. Skeletons are known to be good.
bool trp__check_instance(struct trp__check *check, const uint8_t *at, uint32_t size_bytes);

/// Checks a blend tree. Clips are known to be good.
bool trp__check_blendtree(struct trp__check *check, const uint8_t *at, uint32_t size_bytes);

/// The rules on a pose that a pack holds.
struct trp__pose_rules {
    const char *padding;
    const char *finite;
    const char *rotation;
};

/// Checks that a pose is finite, turns by rotations, and is the identity where there is no joint.
bool trp__check_pose(struct trp__check *check, const trp_skeleton *skeleton,
                     const trp_pose_block *pose, const struct trp__pose_rules *rules);

/// Checks a reference to a string, the u32 at `at`.
bool trp__check_name(struct trp__check *check, const uint32_t *at);

/// Returns the first keyed track of a joint that is none in a skeleton, or null.
/// @param keyed    the keyed part of a clip
/// @param skeleton of as many blocks as the clip
const void *trp__keyed_track_without_joint(const uint8_t *keyed, const trp_skeleton *skeleton);

static inline bool trp__refuse(struct trp__check *check, trp_result result, const char *rule,
                               const void *at)
{
    check->diagnostic.result = result;
    check->diagnostic.rule = rule;
    check->diagnostic.byte_offset = (uint64_t)((const uint8_t *)at - check->bytes);
    return false;
}

#define REQUIRE_AS(result, condition, rule, at)                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return trp__refuse(check, result, rule, at);                                           \
        }                                                                                          \
    } while (0)

#define REQUIRE(condition, rule, at) REQUIRE_AS(TRP_ERROR_FORMAT, condition, rule, at)

static inline bool trp__is_finite(float value)
{
    return value >= -FLT_MAX && value <= FLT_MAX; // false for NaN
}

static inline double trp__magnitude(double value)
{
    return value < 0 ? -value : value;
}

#endif
