// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Files on a real file system, with the failures that a program can bring about itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "temp_folder.h"

static const char *folder;
static char path_buffer[512];

/// Returns a path inside the folder of this test run; good until the next call.
static const char *path_of(const char *name)
{
    snprintf(path_buffer, sizeof path_buffer, "%s/%s", folder, name);
    return path_buffer;
}

static uint32_t folder_entry_count(void)
{
    DIR *const entries = opendir(folder);
    uint32_t count = 0;
    while (readdir(entries)) {
        count++;
    }
    closedir(entries);
    return count - 2; // without . and ..
}

static int setup(void **state)
{
    (void)state;
    folder = temp_folder_make();
    return folder ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return temp_folder_remove(folder);
}

static void assert_holds(const char *path, const void *expected, size_t expected_bytes)
{
    struct report report = {0};
    void *bytes;
    size_t size_bytes;
    assert_true(file_read(path, &bytes, &size_bytes, &report));
    assert_int_equal(size_bytes, expected_bytes);
    assert_int_equal((uintptr_t)bytes % 64, 0);
    assert_memory_equal(bytes, expected, expected_bytes);
    free(bytes);
}

static void test_file_written_bytes_come_back(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 1000003};
    unsigned char *const bytes = malloc(1000003);
    for (size_t i = 0; i < 1000003; i++) {
        bytes[i] = (unsigned char)(i * 31 >> 3);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct report report = {0};
        assert_true(file_write(path_of("a.trp"), bytes, sizes[i], &report));
        assert_holds(path_of("a.trp"), bytes, sizes[i]);
    }
    free(bytes);
    assert_int_equal(folder_entry_count(), 1);
}

static void test_file_written_mode_obeys_the_mask(void **state)
{
    (void)state;
    const mode_t mask = umask(027);
    struct report report = {0};
    assert_true(file_write(path_of("a"), "x", 1, &report));
    umask(mask);
    struct stat status;
    assert_int_equal(stat(path_of("a"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

static void assert_read_fails(const char *path, const char *reason)
{
    struct report report = {.file = "other"};
    void *bytes = &report;
    size_t size_bytes = 1;
    assert_false(file_read(path, &bytes, &size_bytes, &report));
    assert_null(bytes);
    assert_int_equal(size_bytes, 0);
    assert_int_equal(report.exit_code, TROUPE_EXIT_IO);
    char expected[512];
    snprintf(expected, sizeof expected, "%s: error: cannot read: %s [file.read]", path, reason);
    assert_string_equal(report.first_error, expected);
    assert_string_equal(report.file, "other");
}

static void test_file_read_missing_says_so(void **state)
{
    (void)state;
    assert_read_fails(path_of("none"), "No such file or directory");
}

static void test_file_read_folder_says_so(void **state)
{
    (void)state;
    assert_read_fails(folder, "Is a directory");
}

static void test_file_read_pipe_is_refused_without_waiting(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    assert_read_fails(path_of("pipe"), "Not a regular file");
}

static void test_file_read_device_is_refused(void **state)
{
    (void)state;
    assert_read_fails("/dev/zero", "Not a regular file");
}

static void assert_write_fails(const char *path, const char *reason)
{
    struct report report = {0};
    assert_false(file_write(path, "bytes", 5, &report));
    assert_int_equal(report.exit_code, TROUPE_EXIT_IO);
    char expected[512];
    snprintf(expected, sizeof expected, "%s: error: cannot write: %s [file.write]", path, reason);
    assert_string_equal(report.first_error, expected);
}

static void test_file_write_to_missing_folder_says_so(void **state)
{
    (void)state;
    assert_write_fails(path_of("none/a.trp"), "No such file or directory");
    assert_int_equal(folder_entry_count(), 0);
}

static void test_file_write_over_folder_says_so(void **state)
{
    (void)state;
    assert_write_fails(folder, "Is a directory");
    assert_int_equal(folder_entry_count(), 0);
}

static void test_file_write_cut_short_keeps_the_old_file_and_leaves_nothing(void **state)
{
    (void)state;
    struct report report = {0};
    assert_true(file_write(path_of("a.trp"), "old", 3, &report));
    // A size limit stands in for a full disk.
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {1000, limit.rlim_max};
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    static const char bytes[100000];
    const bool ok = file_write(path_of("a.trp"), bytes, sizeof bytes, &report);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    assert_false(ok);
    assert_non_null(strstr(report.first_error, "cannot write: File too large [file.write]"));
    assert_holds(path_of("a.trp"), "old", 3);
    assert_int_equal(folder_entry_count(), 1);
}

static void test_file_write_taken_temporary_name_uses_another(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "a.trp.%ld-0.tmp", (long)getpid());
    const int descriptor = open(path_of(name), O_WRONLY | O_CREAT, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct report report = {0};
    assert_true(file_write(path_of("a.trp"), "new", 3, &report));
    assert_holds(path_of("a.trp"), "new", 3);
    assert_holds(path_of(name), "", 0);
}

static void test_file_write_to_device_leaves_it_a_device(void **state)
{
    (void)state;
    struct report report = {0};
    assert_true(file_write("/dev/null", "bytes", 5, &report));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

int main(void)
{
#define FILE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_file_written_bytes_come_back),
        FILE_TEST(test_file_written_mode_obeys_the_mask),
        FILE_TEST(test_file_read_missing_says_so),
        FILE_TEST(test_file_read_folder_says_so),
        FILE_TEST(test_file_read_pipe_is_refused_without_waiting),
        FILE_TEST(test_file_read_device_is_refused),
        FILE_TEST(test_file_write_to_missing_folder_says_so),
        FILE_TEST(test_file_write_over_folder_says_so),
        FILE_TEST(test_file_write_cut_short_keeps_the_old_file_and_leaves_nothing),
        FILE_TEST(test_file_write_taken_temporary_name_uses_another),
        FILE_TEST(test_file_write_to_device_leaves_it_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
