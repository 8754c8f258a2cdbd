// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Pieces of an arena: their own, zeroed, aligned, and the end of the program when there are none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "report.h"

static void test_arena_pieces_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 65535, 65536, 65537, 1 << 20, 0, 7};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    unsigned char *pieces[COUNT];
    struct arena arena = {0};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            pieces[i] = arena_take(&arena, sizes[i], 1);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 64, 0);
            for (size_t at = 0; at < sizes[i]; at++) {
                assert_int_equal(pieces[i][at], 0);
            }
            memset(pieces[i], (int)i + 1, sizes[i]);
        }
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t at = 0; at < sizes[i]; at++) {
                assert_int_equal(pieces[i][at], i + 1);
            }
            for (size_t other = 0; other < i; other++) {
                assert_ptr_not_equal(pieces[i], pieces[other]);
            }
        }
        arena_free(&arena);
        assert_null(arena.chunks);
    }
}

static void test_arena_string_is_an_own_copy(void **state)
{
    (void)state;
    struct arena arena = {0};
    char text[] = "hip";
    char *const copy = arena_string(&arena, text);
    text[0] = 't';
    assert_string_equal(copy, "hip");
    assert_string_equal(arena_string(&arena, ""), "");
    arena_free(&arena);
}

static void test_arena_free_of_an_empty_one_does_nothing(void **state)
{
    (void)state;
    struct arena arena = {0};
    arena_free(&arena);
    assert_null(arena.chunks);
}

static void test_arena_overflowing_request_ends_the_program_with_six(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        struct arena arena = {0};
        arena_take(&arena, SIZE_MAX / 4, 8);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), TROUPE_EXIT_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(test_arena_string_is_an_own_copy),
        cmocka_unit_test(test_arena_free_of_an_empty_one_does_nothing),
        cmocka_unit_test(test_arena_overflowing_request_ends_the_program_with_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
