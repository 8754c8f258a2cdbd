// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// A folder of a test's own, under $TMPDIR or wherever the system keeps temporary files.
#ifndef TROUPE_TESTS_TEMP_FOLDER_H
#define TROUPE_TESTS_TEMP_FOLDER_H

/// Makes an empty folder and returns its path, good until the next call; null on failure.
const char *temp_folder_make(void);

/// Removes a folder with all that is in it.
/// @return 0, or -1 where something stayed
int temp_folder_remove(const char *folder);

#endif
