// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Sync groups: playheads of clips of different length that keep step, such as a walk and a run.
// They share one phase; where clips carry markers (say, the left and the right foot on the ground),
// marker meets marker. Groups never touch the speed of a playhead, so leaving one restores it.
#ifndef TROUPE_SYNC_H
#define TROUPE_SYNC_H

#include <troupe/event.h>

/// Units of a full phase.
#define TRP_SYNC_PHASE_ONE ((int64_t)1 << 48)

/// Markers that a member can have.
#define TRP_SYNC_MAX_MARKERS 64u

/// One clip of a group.
typedef struct trp_sync_member {
    const trp_timeline *timeline; ///< looping
    const int64_t
        *markers;          ///< [marker_count] from trp_sync_markers; null: the ends of the timeline
    uint32_t marker_count; ///< the same for all members but those of length 0; 0: as null
    float weight;          ///< how much its length counts; NaN and negative count as 0
} trp_sync_member;

/// The state of a group. Plain data without pointers.
typedef struct trp_sync_group {
    int64_t phase;     ///< [0, TRP_SYNC_PHASE_ONE), 0 at the first marker
    int64_t cycle;     ///< how often it came round
    float speed;       ///< 1 as made; NaN counts as 0
    uint32_t reserved; ///< 0
} trp_sync_group;

/// Lists the markers of a timeline: the positions of its events with TRP_EVENT_MARKER, in order,
/// beginning with the first one of that name; those before it follow, one length later. Markers at
/// one moment count once; the last moment is the first one.
/// @param timeline looping
/// @param first_name_hash trp_name_hash of that name; 0: the first marker there is
/// @param markers  [out] units from the start of the timeline
/// @param capacity at most TRP_SYNC_MAX_MARKERS are of use
/// @param count    [out] how many there are; 0 is no error where no name is asked for
/// @return TRP_OK, TRP_ERROR_ARGUMENT, TRP_ERROR_CAPACITY (`count` is set),
///         TRP_ERROR_MISMATCH (no marker has that name). On error `markers` stays.
/// Cost: O(events). Threads: any number may share `timeline`.
TRP_API trp_result trp_sync_markers(const trp_timeline *timeline, uint64_t first_name_hash,
                                    int64_t *markers, uint32_t capacity, uint32_t *count);

/// Returns a group at the phase and in the cycle of a playhead that plays one of its members
/// already, with speed 1: a walk that is joined by a run goes on where it is. The phase is the next
/// whole one, so that the playhead never steps back, and forward by no more than `marker_count` *
/// 2^-48 of its length. Phase and cycle 0 where anything is null or off its timeline.
/// Cost: O(markers). Threads: any.
TRP_API trp_sync_group trp_sync_group_start(const trp_sync_member *member,
                                            const trp_playhead *playhead);

/// A group to move on. Zero means default in every field.
typedef struct trp_sync_args {
    const trp_sync_member *members;
    uint32_t member_count;
    trp_sync_group *group;   ///< [in,out]
    double dt_s;             ///< seconds to move on by; NaN counts as 0
    trp_playhead *playheads; ///< [in,out, member_count] speed and timeline index stay
    trp_playhead *previous;  ///< [out, member_count] where they came from; may be null
} trp_sync_args;

/// Moves a group on and puts the playheads of its members where the phase says. An advance is off
/// by no more than half a unit of the phase and (member_count + 4) * 2^-52 of the way it went; none
/// is too long, infinite ones count as DBL_MAX units.
/// A full phase lasts the average of the members' lengths by weight (of the first member where no
/// weight is above 0). Between two markers phase and time go in proportion. A playhead joins
/// where its TRP_PLAYHEAD_STARTING is set: `previous` is then as if trp_playhead_start had put it
/// where the group was before this advance, so that what lies there fires, and the way from there
/// counts. Root motion and events go over the same pairs of playheads as those of
/// trp_playheads_advance, each exactly once.
/// To start walk and run together at a moment of the walk, as fresh playheads, which are STARTING:
///
///     trp_playhead playheads[2] = {trp_playhead_start(&timelines[0], time_s),
///                                  trp_playhead_start(&timelines[1], 0)};
///     playheads[1].timeline = 1;
///     trp_sync_group group = trp_sync_group_start(&members[0], &playheads[0]);
///
/// Both begin where the group is, the run too, and the first advance fires what lies there. A group
/// that starts anew instead, `{.speed = 1}`, is at its first marker. Phases are rounded, so a
/// marker that falls exactly on a frame may fire in the next one.
/// @return TRP_OK; TRP_ERROR_ARGUMENT (also for a timeline that does not loop, markers that do not
///         ascend within one length, or too many); TRP_ERROR_MISMATCH (members with different
///         counts of markers). On error nothing changes.
/// Cost: O(members); no allocation. Threads: group and playheads are exclusive.
TRP_API trp_result trp_sync_advance(const trp_sync_args *args);

#endif
