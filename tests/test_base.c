// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <troupe/base.h>

static void test_base_results_have_their_names_and_values(void **state)
{
    (void)state;
    static const struct {
        trp_result result;
        int value;
        const char *name;
    } expected[] = {
        {TRP_OK, 0, "TRP_OK"},
        {TRP_ERROR_ARGUMENT, 1, "TRP_ERROR_ARGUMENT"},
        {TRP_ERROR_CAPACITY, 2, "TRP_ERROR_CAPACITY"},
        {TRP_ERROR_FORMAT, 3, "TRP_ERROR_FORMAT"},
        {TRP_ERROR_VERSION, 4, "TRP_ERROR_VERSION"},
        {TRP_ERROR_ENDIAN, 5, "TRP_ERROR_ENDIAN"},
        {TRP_ERROR_MISMATCH, 6, "TRP_ERROR_MISMATCH"},
        {TRP_ERROR_UNSUPPORTED, 7, "TRP_ERROR_UNSUPPORTED"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(expected[i].result, expected[i].value);
        assert_string_equal(trp_result_name(expected[i].result), expected[i].name);
    }
    assert_string_equal(trp_result_name((trp_result)8), "TRP_ERROR_UNKNOWN");
    assert_string_equal(trp_result_name((trp_result)-1), "TRP_ERROR_UNKNOWN");
}

// Test vectors of the authors of FNV.
static void test_base_name_hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(trp_name_hash("") == 0xCBF29CE484222325u);
    assert_true(trp_name_hash(NULL) == 0xCBF29CE484222325u);
    assert_true(trp_name_hash("a") == 0xAF63DC4C8601EC8Cu);
    assert_true(trp_name_hash("foobar") == 0x85944171F73967E8u);
    assert_true(trp_name_hash("\xC3\xBC") != trp_name_hash("\xC3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_results_have_their_names_and_values),
        cmocka_unit_test(test_base_name_hash_is_fnv_1a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
