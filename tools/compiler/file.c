// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Whole files, read and written. A file that is written appears complete or not at all.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"

enum {
    FILE_ALIGNMENT = 64,
    FILE_TEMPORARY_NAMES = 100,
};

/// Says what errno means. Of a pipe or device, ESPIPE would only say "Illegal seek".
static const char *file_reason(int reason)
{
    return reason == ESPIPE ? "Not a regular file" : strerror(reason);
}

/// Reports what errno says about a file, under that file's name, and leaves errno as it is.
static bool file_error(struct report *report, const char *path, const char *code,
                       const char *attempt)
{
    const int reason = errno;
    const char *const subject = report->file;
    report->file = path;
    report_error(report, TROUPE_EXIT_IO, NULL, code, "cannot %s: %s", attempt, file_reason(reason));
    report->file = subject;
    errno = reason;
    return false;
}

static bool file_read_all(int descriptor, unsigned char *bytes, size_t size_bytes)
{
    size_t done = 0;
    while (done < size_bytes) {
        const ssize_t got = read(descriptor, bytes + done, size_bytes - done);
        if (got == 0) {
            errno = EIO; // became shorter while being read
        }
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/// Reads an open file that must be a regular one: the size of others is not known beforehand.
static bool file_read_descriptor(int descriptor, void **bytes, size_t *size_bytes)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
        return false;
    }
    const size_t size = (size_t)status.st_size;
    const size_t rounded = (size + FILE_ALIGNMENT) / FILE_ALIGNMENT * FILE_ALIGNMENT;
    void *const memory = aligned_alloc(FILE_ALIGNMENT, rounded);
    if (!memory) {
        errno = ENOMEM;
        return false;
    }
    if (!file_read_all(descriptor, memory, size)) {
        free(memory);
        return false;
    }
    *bytes = memory;
    *size_bytes = size;
    return true;
}

bool file_read(const char *path, void **bytes, size_t *size_bytes, struct report *report)
{
    *bytes = NULL;
    *size_bytes = 0;
    // Not blocking: a pipe without a writer is refused below instead of waited for.
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return file_error(report, path, "file.read", "read");
    }
    const bool ok = file_read_descriptor(descriptor, bytes, size_bytes);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return ok || file_error(report, path, "file.read", "read");
}

static bool file_write_all(int descriptor, const unsigned char *bytes, size_t size_bytes)
{
    size_t done = 0;
    while (done < size_bytes) {
        const ssize_t put = write(descriptor, bytes + done, size_bytes - done);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/// Writes and closes. Some file systems tell only at close that the disk is full.
static bool file_write_and_close(int descriptor, const void *bytes, size_t size_bytes)
{
    const bool written = file_write_all(descriptor, bytes, size_bytes);
    const int reason = errno;
    const bool closed = close(descriptor) == 0;
    if (!written) {
        errno = reason;
    }
    return written && closed;
}

/// Opens a new file beside `path` and writes its name to `name`.
static int file_open_temporary(const char *path, char *name, size_t name_bytes)
{
    for (int i = 0; i < FILE_TEMPORARY_NAMES; i++) {
        snprintf(name, name_bytes, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

static bool file_replace(const char *path, const void *bytes, size_t size_bytes)
{
    const size_t name_bytes = strlen(path) + 40;
    char *const name = malloc(name_bytes);
    if (!name) {
        errno = ENOMEM;
        return false;
    }
    const int descriptor = file_open_temporary(path, name, name_bytes);
    bool ok = descriptor >= 0;
    if (ok) {
        ok = file_write_and_close(descriptor, bytes, size_bytes) && rename(name, path) == 0;
        if (!ok) {
            const int reason = errno;
            unlink(name);
            errno = reason;
        }
    }
    free(name);
    return ok;
}

bool file_write(const char *path, const void *bytes, size_t size_bytes, struct report *report)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    bool ok = false;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (exists && !S_ISREG(status.st_mode)) {
        // A device or pipe: to rename over /dev/null would replace it.
        const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
        ok = descriptor >= 0 && file_write_and_close(descriptor, bytes, size_bytes);
    } else {
        ok = file_replace(path, bytes, size_bytes);
    }
    return ok || file_error(report, path, "file.write", "write");
}
