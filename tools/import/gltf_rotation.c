// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Rotations of a glTF file: brought to unit length, which rounding and exporters leave undone.
#include "gltf.h"

#include <math.h>

/// 8-bit components are off by up to 1/254 each, together by up to this.
static const double length_tolerance = 0.008;

bool gltf_rotation_normalise(struct gltf *gltf, const struct json_value *at, const char *name,
                             double rotation[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        square += rotation[i] * rotation[i];
    }
    const double length = sqrt(square);
    if (!(length > 1e-6 && length < 1e30)) {
        return json_refuse(at, TROUPE_EXIT_INPUT, "gltf.rotation.length",
                           "%s is no rotation: its length is %g", name, length);
    }
    for (int i = 0; i < 4; i++) {
        rotation[i] /= length;
    }
    struct gltf_lengths *const lengths = &gltf->unnormalised;
    if (fabs(length - 1) > length_tolerance) {
        if (lengths->count == 0) {
            json_place(at, lengths->place, sizeof lengths->place);
            lengths->worst = length;
        }
        lengths->count++;
        lengths->worst = fabs(length - 1) > fabs(lengths->worst - 1) ? length : lengths->worst;
    }
    return true;
}

void gltf_rotations_warn(const struct gltf *gltf)
{
    const struct gltf_lengths *const lengths = &gltf->unnormalised;
    if (lengths->count > 0) {
        report_warning(gltf->report, lengths->place, "gltf.rotation.length",
                       "%llu rotations from here on are not of unit length (the worst is %g long); "
                       "normalised",
                       (unsigned long long)lengths->count, lengths->worst);
    }
}
