// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Curves of STF animations. A track has a curve of its own for each component of its value; the
// scene has one curve for all of them, with the keys of all.
#ifndef TROUPE_TOOLS_STF_CURVE_H
#define TROUPE_TOOLS_STF_CURVE_H

#include "stf.h"

/// How a component goes on after a key.
enum stf_interpolation {
    STF_KEY_CONSTANT = 0,
    STF_KEY_LINEAR,
    STF_KEY_QUADRATIC, // with the square of time
    STF_KEY_CUBIC,     // with its third power
    STF_KEY_BEZIER,
    STF_KEY_UNKNOWN,
};

/// A key of one component. Handles as the file has them: frames from the key, and values.
struct stf_key {
    double frame;
    double value;
    double leaving[2];  // of bezier
    double arriving[2]; // of the interval before, where that is bezier
    enum stf_interpolation interpolation;
    bool is_generated; // it says what the curve does there, and is no reason that it does
    bool has_leaving;
};

/// One component of a track.
struct stf_subtrack {
    uint32_t key_count;   // 0: it stays at `rest`
    struct stf_key *keys; // frames strictly increasing
    double rest;
};

/// What an animation says about time.
struct stf_span {
    double first; // frame that is 0 s
    double last;  // frame at which it ends, not before the first
    double fps;
};

/// The keys of a track.
struct stf_track {
    struct json_value value;
    uint32_t subtrack_count;
    struct stf_subtrack *subtracks; // as many as the value has components
    uint64_t missing; // bit for each component that has no keys and whose rest nobody said
    bool is_sampled;  // rotations: sampled as a whole, so that it goes the short way between keys
};

/// Returns the time of a frame in seconds.
static inline double stf_span_time(const struct stf_span *span, double frame)
{
    return (frame - span->first) / span->fps;
}

/// Reads the keys of a track.
/// @param animation the resource that it is in
/// @param is_baked  whether all keys of the track are generated: nothing to tell from others
/// @param arena     takes them
/// @param has_keys  [out] false where nothing is animated, after a warning that says why not
bool stf_track_read(struct stf *stf, const struct stf_resource *animation,
                    const struct json_value *value, const struct stf_target *target,
                    const struct stf_span *span, bool is_baked, struct arena *arena,
                    struct stf_track *track, bool *has_keys);

/// Makes the curve of a track, cut at the ends of the span: exact where a curve of the scene can
/// be, else within 1e-8 of the largest value and handle (angles: 1e-6 rad) but for stretches of
/// 1e-10 s.
/// @param curve [out] in the scene's arena
bool stf_curve_make(struct stf *stf, const struct stf_track *track, const struct stf_target *target,
                    const struct stf_span *span, struct scene_curve *curve);

#endif
