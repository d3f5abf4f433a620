/* Errors as values: every code's words and numbers, context, and what does not fit. */

#include "src/err.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
    enum err_code code;
    const char *name;
    int http_status;
    int exit_code;
} codes[] = {
    { ERR_INVALID,     "invalid",     400, 2 },
    { ERR_DENIED,      "denied",      403, 5 },
    { ERR_NOT_FOUND,   "not_found",   404, 3 },
    { ERR_CONFLICT,    "conflict",    409, 4 },
    { ERR_LIMIT,       "limit",       429, 6 },
    { ERR_UNAVAILABLE, "unavailable", 503, 7 },
    { ERR_DISK_FULL,   "disk_full",   507, 7 },
    { ERR_INTERNAL,    "internal",    500, 8 },
};
/* clang-format on */

START_TEST(every_code_has_a_name_a_status_and_an_exit_code)
{
    ck_assert_str_eq(err_code_name(codes[_i].code), codes[_i].name);
    ck_assert_int_eq(err_exit_code(codes[_i].code), codes[_i].exit_code);
    ck_assert_int_eq(err_code_of_http(codes[_i].http_status), codes[_i].code);
}
END_TEST

START_TEST(other_statuses_fall_to_the_nearest_code)
{
    ck_assert_int_eq(err_code_of_http(401), ERR_DENIED);
    ck_assert_int_eq(err_code_of_http(413), ERR_LIMIT);
    ck_assert_int_eq(err_code_of_http(405), ERR_INVALID);
    ck_assert_int_eq(err_code_of_http(422), ERR_INVALID);
    ck_assert_int_eq(err_code_of_http(499), ERR_INVALID);
    ck_assert_int_eq(err_code_of_http(502), ERR_INTERNAL);
    ck_assert_int_eq(err_code_of_http(302), ERR_INTERNAL);
}
END_TEST

START_TEST(an_error_is_its_own_return_value)
{
    struct err err;

    ck_assert_int_eq(err_set(&err, ERR_CONFLICT, "job %s is %d", "a", 7), -1);
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_str_eq(err.text, "job a is 7");
}
END_TEST

START_TEST(nobody_has_to_want_to_know)
{
    ck_assert_int_eq(err_set(NULL, ERR_LIMIT, "x"), -1);
    ck_assert_int_eq(err_sys(NULL, ENOENT, "x"), -1);
    ck_assert_int_eq(err_wrap(NULL, "x"), -1);
}
END_TEST

/* clang-format off */
static const struct {
    int errno_value;
    enum err_code code;
} systems[] = {
    { ENOENT, ERR_NOT_FOUND },
    { EACCES, ERR_DENIED },
    { EPERM,  ERR_DENIED },
    { EAGAIN, ERR_UNAVAILABLE },
    { EBUSY,  ERR_UNAVAILABLE },
    { ENOSPC, ERR_DISK_FULL },
    { EDQUOT, ERR_DISK_FULL },
    { EIO,    ERR_INTERNAL },
    { ENOTDIR, ERR_INTERNAL },
};
/* clang-format on */

START_TEST(errno_says_the_code_and_its_text_stands_behind)
{
    struct err err;
    char expected[200];

    ck_assert_int_eq(err_sys(&err, systems[_i].errno_value, "open %s", "/x"), -1);
    ck_assert_int_eq(err.code, systems[_i].code);
    snprintf(expected, sizeof expected, "open /x: %s",
             strerror(systems[_i].errno_value));
    ck_assert_str_eq(err.text, expected);
}
END_TEST

START_TEST(context_stands_before_and_the_code_stays)
{
    struct err err;

    err_set(&err, ERR_LIMIT, "too many");
    ck_assert_int_eq(err_wrap(&err, "item %d", 3), -1);
    ck_assert_int_eq(err_wrap(&err, "list"), -1);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_str_eq(err.text, "list: item 3: too many");
}
END_TEST

START_TEST(text_is_cut_at_the_end_of_the_buffer)
{
    struct err err;
    char longer[2 * sizeof err.text];

    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    err_set(&err, ERR_INVALID, "%s", longer);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    err_wrap(&err, "context");
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert_int_eq(strncmp(err.text, "context: aaa", 12), 0);
    err_wrap(&err, "%s", longer);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    err_sys(&err, EIO, "%s", longer);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

Suite *suite_err(void)
{
    Suite *suite = suite_create("err");
    TCase *cases = tcase_create("err");

    tcase_add_loop_test(cases, every_code_has_a_name_a_status_and_an_exit_code, 0,
                        ARRAY_SIZE(codes));
    tcase_add_test(cases, other_statuses_fall_to_the_nearest_code);
    tcase_add_test(cases, an_error_is_its_own_return_value);
    tcase_add_test(cases, nobody_has_to_want_to_know);
    tcase_add_loop_test(cases, errno_says_the_code_and_its_text_stands_behind, 0,
                        ARRAY_SIZE(systems));
    tcase_add_test(cases, context_stands_before_and_the_code_stays);
    tcase_add_test(cases, text_is_cut_at_the_end_of_the_buffer);
    suite_add_tcase(suite, cases);
    return suite;
}
