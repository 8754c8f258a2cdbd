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

/// Reports a warning several times, and at last another one.
static void report_often(struct report *report, uint32_t count, const char *code, const char *other)
{
    for (uint32_t i = 0; i < count; i++) {
        report_warning(report, NULL, code, "no. %u", i);
    }
    report_warning(report, NULL, other, "the end");
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static void test_report_many_warnings_of_a_kind_are_counted(void **state)
{
    (void)state;
    for (uint32_t count = 99; count <= 103; count++) {
        char *text = NULL;
        size_t bytes = 0;
        char last[64];
        struct report report = {.out = open_memstream(&text, &bytes), .file = "f"};
        report_often(&report, count, "a.b", "a");
        report_finish(&report);
        report_finish(&report); // has nothing more to say
        fclose(report.out);
        const uint32_t shown = count < 100 ? count : 100;
        assert_int_equal(count_of(text, "f: warning: no. "), shown);
        snprintf(last, sizeof last, "f: warning: no. %u [a.b]\n", shown - 1);
        assert_int_equal(count_of(text, last), 1);
        assert_int_equal(count_of(text, "f: warning: the end [a]\n"), 1);
        snprintf(last, sizeof last, "troupe: warning: %u more of these are not shown [a.b]\n",
                 count - 100);
        assert_int_equal(count_of(text, "more of these"), count > 100);
        assert_int_equal(count_of(text, last), count > 100);
        assert_int_equal(report.warning_count, count + 1);
        free(text);
    }
}

static void test_report_errors_are_all_printed(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    struct report report = {.out = open_memstream(&text, &bytes), .file = "f"};
    for (int i = 0; i < 150; i++) {
        report_error(&report, TROUPE_EXIT_INPUT, NULL, "a", "no");
    }
    report.instead = "left out";
    for (int i = 0; i < 150; i++) {
        report_error(&report, TROUPE_EXIT_INPUT, NULL, "a", "no");
    }
    report_finish(&report);
    fclose(report.out);
    assert_int_equal(count_of(text, "f: error: no [a]\n"), 150);
    assert_int_equal(count_of(text, "f: warning: no; left out [a]\n"), 100);
    assert_int_equal(count_of(text, "troupe: warning: 50 more of these are not shown [a]\n"), 1);
    assert_int_equal(report.error_count, 150);
    assert_int_equal(report.warning_count, 150);
    free(text);
}

/// Reports that come to one say what that one would have said.
static void test_report_of_several_reports_is_one(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    struct report all = {.out = open_memstream(&text, &bytes), .file = "all"};
    for (int part = 0; part < 3; part++) {
        char *lines = NULL;
        size_t line_bytes = 0;
        struct report report = {.out = open_memstream(&lines, &line_bytes), .file = "[a]"};
        report_often(&report, part == 2 ? 130 : 45, "a", "a.b");
        if (part > 0) {
            report_error(&report, TROUPE_EXIT_IO + part, NULL, "a", "broken %d", part);
        }
        fclose(report.out);
        report_add(&all, &report, lines);
        free(lines);
    }
    const struct report silent = {.warning_count = 2};
    report_add(&all, &silent, NULL);
    report_finish(&all);
    fclose(all.out);
    assert_int_equal(count_of(text, "[a]: warning: no. "), 100);
    assert_int_equal(count_of(text, "[a]: warning: no. 10 [a]\n"), 2);
    assert_int_equal(count_of(text, "[a]: warning: no. 9 [a]\n"), 3);
    assert_int_equal(count_of(text, "[a]: warning: the end [a.b]\n"), 3);
    assert_int_equal(count_of(text, "[a]: error: broken 1 [a]\n"), 1);
    assert_int_equal(count_of(text, "[a]: error: broken 2 [a]\n"), 1);
    assert_int_equal(count_of(text, "troupe: warning: 120 more of these are not shown [a]\n"), 1);
    assert_int_equal(count_of(text, "\n"), 100 + 3 + 2 + 1);
    assert_int_equal(all.warning_count, 45 + 45 + 130 + 3 + 2);
    assert_int_equal(all.error_count, 2);
    assert_int_equal(all.exit_code, TROUPE_EXIT_IO + 1);
    assert_string_equal(all.first_error, "[a]: error: broken 1 [a]");
    free(text);
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
        cmocka_unit_test(test_report_many_warnings_of_a_kind_are_counted),
        cmocka_unit_test(test_report_errors_are_all_printed),
        cmocka_unit_test(test_report_of_several_reports_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
