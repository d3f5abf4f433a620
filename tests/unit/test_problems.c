/* All problems of one input: kept in order, bounded, shown as JSON. */

#include "src/json.h"
#include "src/problems.h"

#include <check.h>

START_TEST(problems_are_kept_in_order_with_copies_of_their_words)
{
    auto_problems struct problems problems = { 0 };
    char path[] = "max_run";
    char hint[] = "say 24h";

    problems_add(&problems, path, hint, "expected %d to %d", 1, 9);
    problems_add(&problems, "", NULL, "no command");
    path[0] = hint[0] = 'X';
    ck_assert_uint_eq(problems.count, 2);
    ck_assert_str_eq(problems.items[0].path, "max_run");
    ck_assert_str_eq(problems.items[0].hint, "say 24h");
    ck_assert_str_eq(problems.items[0].message, "expected 1 to 9");
    ck_assert_str_eq(problems.items[1].path, "");
    ck_assert_ptr_null(problems.items[1].hint);
    ck_assert_str_eq(problems.items[1].message, "no command");
}
END_TEST

START_TEST(a_hundred_are_kept_and_no_more)
{
    auto_problems struct problems problems = { 0 };

    for (int i = 0; i < PROBLEMS_MAX + 50; i++)
        problems_add(&problems, "a", NULL, "%d", i);
    ck_assert_uint_eq(problems.count, PROBLEMS_MAX);
    ck_assert_str_eq(problems.items[PROBLEMS_MAX - 1].message, "99");
}
END_TEST

START_TEST(cleared_problems_may_be_used_again)
{
    auto_problems struct problems problems = { 0 };

    problems_clear(&problems);
    problems_add(&problems, "a", NULL, "x");
    problems_clear(&problems);
    ck_assert_uint_eq(problems.count, 0);
    ck_assert_ptr_null(problems.items);
    problems_add(&problems, "b", NULL, "y");
    ck_assert_str_eq(problems.items[0].path, "b");
}
END_TEST

START_TEST(json_has_path_message_and_hint)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *none = problems_to_json(&problems);
    auto_json struct cJSON *two = NULL;
    auto_free char *none_text = json_print(none);
    auto_free char *two_text = NULL;

    problems_add(&problems, "a.b", "mend it", "wrong");
    problems_add(&problems, "c", NULL, "\"bad\"");
    two = problems_to_json(&problems);
    two_text = json_print(two);
    ck_assert_str_eq(none_text, "[]");
    ck_assert_str_eq(two_text,
                     "[{\"path\":\"a.b\",\"message\":\"wrong\",\"hint\":\"mend it\"},"
                     "{\"path\":\"c\",\"message\":\"\\\"bad\\\"\",\"hint\":null}]");
}
END_TEST

Suite *suite_problems(void)
{
    Suite *suite = suite_create("problems");
    TCase *cases = tcase_create("problems");

    tcase_add_test(cases, problems_are_kept_in_order_with_copies_of_their_words);
    tcase_add_test(cases, a_hundred_are_kept_and_no_more);
    tcase_add_test(cases, cleared_problems_may_be_used_again);
    tcase_add_test(cases, json_has_path_message_and_hint);
    suite_add_tcase(suite, cases);
    return suite;
}
