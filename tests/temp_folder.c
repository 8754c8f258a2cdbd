// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include "temp_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *temp_folder_make(void)
{
    static char folder[200];
    const char *const parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/troupe-test-XXXXXX",
             parent != NULL && parent[0] != '\0' ? parent : P_tmpdir);
    return mkdtemp(folder);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int temp_folder_remove(const char *folder)
{
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
