// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// The smallest program that uses Troupe, built in each way that others may build it: against an
// installed library, as a subproject, from the sources alone. Every public header's code is linked.
#include <stdio.h>

#include <troupe/troupe.h>

int main(void)
{
    static _Alignas(TRP_ALIGNMENT) unsigned char bytes[256];
    static _Alignas(TRP_ALIGNMENT) trp_pose_block pose[1];
    trp_pack pack;
    trp_diagnostic diagnostic;
    const trp_result opened = trp_pack_open(bytes, sizeof bytes, &pack, &diagnostic);
    const trp_result blended = trp_blend(NULL, NULL);
    const trp_result sampled = trp_sample(NULL, NULL);
    const trp_result posed = trp_palette(NULL);
    if (opened != TRP_ERROR_FORMAT || blended != TRP_ERROR_ARGUMENT ||
        sampled != TRP_ERROR_ARGUMENT || posed != TRP_ERROR_ARGUMENT) {
        return 1;
    }
    if (trp_pose_identity(pose, 1) != TRP_OK || pose->rotation[3][15] != 1.0F) {
        return 1;
    }
    printf("troupe %d.%d.%d runs on %s\n", TRP_VERSION_MAJOR, TRP_VERSION_MINOR, TRP_VERSION_PATCH,
           trp_isa_name(trp_isa_active()));
    return 0;
}
