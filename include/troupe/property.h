// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Properties: everything of a model that clips may animate and that is no joint, such as morph
// weights, material colours and visibility. All values are floats, side by side in one array, in
// the order of a property set.
#ifndef TROUPE_PROPERTY_H
#define TROUPE_PROPERTY_H

#include <troupe/blend.h>

struct trp_clip;

/// What the values of a property mean.
typedef enum trp_property_type {
    TRP_PROPERTY_FLOAT = 0,
    TRP_PROPERTY_BOOL = 1,   ///< 0 or 1
    TRP_PROPERTY_INT = 2,    ///< a whole number, exact up to 2^24
    TRP_PROPERTY_STRING = 3, ///< the number of a text, see trp_property_set_text
} trp_property_type;

/// One property: some of the values of its set.
typedef struct trp_property {
    const char *path; ///< as a JSON pointer, see trp_property_path_part: into a glTF file, such as
                      ///< "/nodes/3/weights"; "/NODE/PROPERTY" where nodes have names alone
    uint64_t path_hash;
    trp_property_type type;
    uint32_t first_value; ///< in the arrays of values
    uint32_t value_count; ///< at least 1
    uint32_t node;        ///< index in the source file, or TRP_NONE where nodes have none there,
                          ///< or it belongs to no node
} trp_property;

/// The properties of one model. Filled by trp_pack_property_set; treat as read-only.
typedef struct trp_property_set {
    const char *name;
    uint64_t name_hash;
    uint32_t index; ///< of this set in its pack
    uint32_t property_count;
    uint32_t value_count;  ///< of all properties together
    uint32_t text_count;   ///< that values of TRP_PROPERTY_STRING may have
    const float *defaults; ///< [value_count] what the model has where no clip plays
    const uint8_t *bytes;  ///< the set in its pack, see src/FORMAT.md
    const char *strings;
} trp_property_set;

/// Gives a view of a property.
/// @return TRP_OK, TRP_ERROR_ARGUMENT (also for an index out of range). On error `property` stays.
/// Cost: O(1). Threads: any number may share `set`.
TRP_API trp_result trp_property_set_property(const trp_property_set *set, uint32_t index,
                                             trp_property *property);

/// Returns the first property whose path has this hash, or TRP_NONE.
/// Cost: O(properties). Threads: any. See trp_name_hash.
TRP_API uint32_t trp_property_set_find(const trp_property_set *set, uint64_t path_hash);

/// Returns the name of one value, such as that of a morph target: UTF-8, empty where it has none
/// or the index is out of range.
/// @param value [0, set->value_count)
/// Cost: O(1). Threads: any.
TRP_API const char *trp_property_set_label(const trp_property_set *set, uint32_t value);

/// Copies one part of a path, as it was before it was escaped ("~1" is "/", "~0" is "~"): of
/// "/left~1hand/position_x" part 0 is "left/hand", part 1 "position_x". What does not fit is cut
/// off, perhaps inside of a character.
/// @param path     a JSON pointer such as trp_property.path; may be null
/// @param part     counted from 0; an empty one is there too
/// @param text     [out] ends with a zero; empty where the path has no such part; may be null where
///                 `capacity` is 0
/// @param capacity bytes of `text`
/// @return the bytes that the whole part needs with its zero: what is more than `capacity` was cut
/// off; 0 where the path has no such part, and 1 where that is empty
/// Cost: O(bytes of the path). Threads: any.
TRP_API size_t trp_property_path_part(const char *path, uint32_t part, char *text, size_t capacity);

/// Returns the text that a value of a TRP_PROPERTY_STRING stands for: UTF-8, empty where there is
/// none, such as for NaN.
/// @param value as trp_sample writes it: 0 to set->text_count - 1, fractions are cut off
/// Cost: O(1). Threads: any.
TRP_API const char *trp_property_set_text(const trp_property_set *set, float value);

/// Writes 1 for every value of which a clip says anything, else 0: a mask for blending.
/// @param mask [out] clip->value_count floats
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `mask` is untouched.
/// Cost: O(values + keyed tracks). Threads: any number may share `clip`.
TRP_API trp_result trp_clip_value_coverage(const struct trp_clip *clip, float *mask);

/// Writes 1 for every value that has started at a time, else 0: a mask for starting an animation
/// without the values that it has before its first keys. A value has started from its first key on
/// that is not at -1 s; one that has no key there, from the beginning.
/// @param time_s any; NaN counts as 0
/// @param mask   [out] clip->value_count floats
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error `mask` is untouched.
/// Cost: as trp_clip_value_coverage. Threads: any number may share `clip`.
TRP_API trp_result trp_clip_started(const struct trp_clip *clip, double time_s, float *mask);

/// One layer of a blend of values.
typedef struct trp_value_layer {
    const float *values; ///< set->value_count floats, as trp_sample writes them
    const float *mask;   ///< likewise, weight of each value; null = 1 everywhere
    float weight;        ///< NaN and negative count as 0
    trp_blend_mode mode;
} trp_value_layer;

/// One array of values to make.
typedef struct trp_value_blend_job {
    const trp_value_layer *layers;
    uint32_t layer_count; ///< 0 gives the defaults
    float *values;        ///< [out] set->value_count floats; may be those of one of its own layers
} trp_value_blend_job;

/// A batch of blends over one property set. Zero means default in every field.
typedef struct trp_value_blend_args {
    const trp_property_set *set;
    const trp_value_blend_job *jobs;
    uint32_t job_count;
} trp_value_blend_args;

/// Blends a batch of arrays of values.
/// Per value, with w = weight * mask (a mask value that is NaN or negative counts as 0): averaged
/// layers give sum(w x) / sum(w), the default where sum(w) is 0. Then every other layer in order:
/// v + w d, or v - w d. Values of other types than TRP_PROPERTY_FLOAT are not mixed: they are
/// those of the averaged layer with the largest w (the first of equals), and no difference changes
/// them.
/// Only the ratio of averaged weights counts, however small they are; weights above 2^60 count as
/// 2^60. One averaged layer alone keeps its values bit for bit. Layers of weight 0 are not read; a
/// NaN in a layer stays in its value.
/// @param report [out] may be null
/// @return TRP_OK, TRP_ERROR_ARGUMENT. On error no value is written.
/// Cost: one read of each layer and one write. Values: elementwise. Swapping averaged layers
/// changes a value by at most 1e-6 of the largest input.
/// Threads: any number may share layers; output arrays are exclusive.
TRP_API trp_result trp_blend_values(const trp_value_blend_args *args, trp_blend_report *report);

#endif
