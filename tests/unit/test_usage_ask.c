/* What a report of usage is asked for: which questions are refused, and in which words.
 */

#include "tests/unit/usage_ledger.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *members;
    const char *path;
} refused[] = {
    { "\"from\":\"2026-02-01\",\"to\":\"2026-01-01\"",           "from" },
    { "\"from\":\"2026-02-01\",\"to\":\"2026-02-01\"",           "from" },
    { "\"from\":\"yesterday\"",                                  "from" },
    { "\"from\":\"1969-12-31\"",                                 "from" },
    { "\"to\":\"2026-01-01T00:00:00.5Z\"",                       "to" },
    { "\"tz\":\"Europe/Atlantis\"",                              "tz" },
    { "\"by\":\"year\"",                                         "by" },
    { "\"by\":\"day,day\"",                                      "by" },
    { "\"by\":\"day,,week\"",                                    "by" },
    { "\"by\":\"tag:\"",                                         "by" },
    { "\"by\":\"tag:a,tag:b,tag:c,tag:d,tag:e,tag:f,tag:g\"",    "by" },
    { "\"tag\":\"project\"",                                     "tag" },
    { "\"tag\":\"=x\"",                                          "tag" },
    { "\"zero\":\"yes\"",                                        "zero" },
    { "\"emulated\":\"never\"",                                  "emulated" },
};
/* clang-format on */

START_TEST(what_cannot_be_reported_is_refused_by_its_parameter)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(ledger_report(refused[_i].members, &problems, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, refused[_i].path);
}
END_TEST

START_TEST(a_job_that_there_is_not_is_not_found)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(ledger_report("\"job\":\"nobody\"", &problems, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

/* Every day since 1970 is more than a report may be cut into. */
START_TEST(too_many_days_are_refused_and_not_counted)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(ledger_report("\"by\":\"day\",\"from\":\"1970-01-01\",\"to\":"
                                     "\"2270-01-01\"",
                                     &problems, &err));
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

/* clang-format off */
static const struct {
    const char *members;
    const char *message; /* a part of it */
    const char *hint;    /* NULL: none that is looked at */
} worded[] = {
    { "\"tz\":\"Pacific/Apia\",\"from\":\"2011-12-30\",\"to\":\"2011-12-31\"",
      "the clock of Pacific/Apia left out 2011-12-30", NULL },
    { "\"tz\":\"Pacific/Apia\",\"from\":\"2011-12-31\",\"to\":\"2011-12-30\"",
      "ends where it begins, or before", NULL },
    { "\"from\":\"2011-12-30\",\"to\":\"2011-12-30\"",
      "ends where it begins, or before", NULL },
    { "\"tz\":\"Europe/Berln\"", "no time zone", "did you mean Europe/Berlin?" },
    { "\"tz\":\"Europe/Atlantis\"", "no time zone",
      "a name of the IANA database, such as Europe/Berlin" },
};
/* clang-format on */

START_TEST(why_it_is_refused_is_told)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    ck_assert_ptr_null(ledger_report(worded[_i].members, &problems, &err));
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_ptr_nonnull(strstr(problems.items[0].message, worded[_i].message));
    if (worded[_i].hint)
        ck_assert_str_eq(problems.items[0].hint, worded[_i].hint);
}
END_TEST

/* It begins where the day after does. */
START_TEST(a_day_that_a_zone_left_out_may_be_the_limit_of_a_report)
{
    ledger_expect(
        "\"tz\":\"Pacific/Apia\",\"from\":\"2011-12-30\",\"to\":\"2012-01-01\","
        "\"by\":\"day\",\"zero\":\"true\"",
        "2011-12-31 0 s 0\n0 s 0");
    ledger_expect(
        "\"tz\":\"Pacific/Apia\",\"from\":\"2011-12-29\",\"to\":\"2011-12-30\","
        "\"by\":\"day\",\"zero\":\"true\"",
        "2011-12-29 0 s 0\n0 s 0");
}
END_TEST

Suite *suite_usage_ask(void)
{
    Suite *suite = suite_create("usage_ask");
    TCase *tcase = tcase_create("usage_ask");

    tcase_add_checked_fixture(tcase, ledger_make, ledger_gone);
    tcase_add_loop_test(tcase, what_cannot_be_reported_is_refused_by_its_parameter, 0,
                        ARRAY_SIZE(refused));
    tcase_add_loop_test(tcase, why_it_is_refused_is_told, 0, ARRAY_SIZE(worded));
    tcase_add_test(tcase, a_day_that_a_zone_left_out_may_be_the_limit_of_a_report);
    tcase_add_test(tcase, a_job_that_there_is_not_is_not_found);
    tcase_add_test(tcase, too_many_days_are_refused_and_not_counted);
    suite_add_tcase(suite, tcase);
    return suite;
}
