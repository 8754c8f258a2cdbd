// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Named easings: from the part of a time that has passed to the part of the way that is done. The
// keys of clips use them on their own; this header is for easing whole timelines, and values of the
// host.
#ifndef TROUPE_EASING_H
#define TROUPE_EASING_H

#include <troupe/base.h>

enum {
    TRP_EASING_LINEAR = 0,
    TRP_EASING_COUNT = 41, ///< numbers are [0, TRP_EASING_COUNT), and the same in every version
};

/// Returns the number of a named easing, or TRP_NONE where there is none.
/// @param name "linear", or one of in, out, inout and outin before one of quad, cubic, quart,
///             quint, sine, expo, circ, back, elastic and bounce, such as "outsine"; may be null
/// Cost: O(names). Threads: any.
TRP_API uint32_t trp_easing_find(const char *name);

/// Returns the name of an easing, empty where there is none of that number.
/// Cost: O(1). Threads: any.
TRP_API const char *trp_easing_name(uint32_t easing);

/// Returns how much of the way is done, such as for a clip that starts and ends slowly as a whole:
/// `time_s = trp_ease(easing, seconds / clip.duration_s) * clip.duration_s`.
/// @param easing past the last one: linear
/// @param u      the part of the time that has passed, clamped to [0, 1]; NaN counts as 0
/// @return 0 at 0, 1 at 1, in between also what lies beyond for back and elastic; "inexpo" ends at
///         0.999 and "outinexpo" at 0.9995, as in the sources of their data
/// Cost: O(1). Values: within 1e-12 of the formulas, the same bits on every host. Threads: any.
/// Source: src/FORMAT.md, "Keyed values".
TRP_API double trp_ease(uint32_t easing, double u);

#endif
