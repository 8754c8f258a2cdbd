// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// Messages to the letter: other programs parse them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report.h"

static void test_report_error_is_one_line_in_compiler_form(void **state)
{
    (void)state;
    struct report report = {.file = "fox.glb"};
    assert_false(report_error(&report, TROUPE_EXIT_INPUT, "animations[3].channels[7]", "gltf.x",
                              "key %d is late", 5));
    assert_string_equal(report.first_error,
                        "fox.glb: error: animations[3].channels[7]: key 5 is late [gltf.x]");
    assert_int_equal(report.error_count, 1);
    assert_int_equal(report.exit_code, TROUPE_EXIT_INPUT);
}

static void test_report_error_without_file_and_place_names_the_program(void **state)
{
    (void)state;
    struct report report = {0};
    report_error(&report, TROUPE_EXIT_USAGE, NULL, "cli.verb", "what?");
    assert_string_equal(report.first_error, "troupe: error: what? [cli.verb]");
}

static void test_report_second_error_keeps_the_first_line_and_code(void **state)
{
    (void)state;
    struct report report = {.file = "f"};
    report_error(&report, TROUPE_EXIT_IO, NULL, "a", "first");
    report_error(&report, TROUPE_EXIT_INTERNAL, NULL, "b", "second");
    assert_string_equal(report.first_error, "f: error: first [a]");
    assert_int_equal(report.exit_code, TROUPE_EXIT_IO);
    assert_int_equal(report.error_count, 2);
}

static void test_report_warning_is_printed_but_no_error(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    struct report report = {.out = open_memstream(&text, &bytes), .file = "f"};
    report_warning(&report, "nodes[0]", "gltf.y", "odd");
    report_warning(&report, NULL, "gltf.y", "odder");
    fclose(report.out);
    assert_string_equal(text, "f: warning: nodes[0]: odd [gltf.y]\nf: warning: odder [gltf.y]\n");
    free(text);
    assert_int_equal(report.warning_count, 2);
    assert_int_equal(report.error_count, 0);
    assert_int_equal(report.exit_code, TROUPE_EXIT_OK);
    assert_string_equal(report.first_error, "");
}

static void test_report_line_breaks_in_names_do_not_make_lines(void **state)
{
    (void)state;
    struct report report = {.file = "f"};
    report_error(&report, TROUPE_EXIT_INPUT, NULL, "a", "clip \"%s\"", "x\nf: error: y\x1b[31m");
    assert_string_equal(report.first_error, "f: error: clip \"x?f: error: y?[31m\" [a]");
}

static void test_report_endless_parts_are_cut_but_the_code_stays(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    static char endless[100000];
    memset(endless, 'x', sizeof endless - 1);
    struct report report = {.out = open_memstream(&text, &bytes), .file = endless};
    report_error(&report, TROUPE_EXIT_INPUT, endless, "the.code", "%s", endless);
    fclose(report.out);
    assert_true(bytes < 2048);
    assert_string_equal(text + bytes - 12, " [the.code]\n");
    free(text);
    assert_int_equal(strlen(report.first_error), 511);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_error_is_one_line_in_compiler_form),
        cmocka_unit_test(test_report_error_without_file_and_place_names_the_program),
        cmocka_unit_test(test_report_second_error_keeps_the_first_line_and_code),
        cmocka_unit_test(test_report_warning_is_printed_but_no_error),
        cmocka_unit_test(test_report_line_breaks_in_names_do_not_make_lines),
        cmocka_unit_test(test_report_endless_parts_are_cut_but_the_code_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
