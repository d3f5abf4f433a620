/* A plan for people: words as a shell takes them, and what ranks have alike told once.
 */

#include "src/cli/plan.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *word;
    const char *shown;
} words[] = {
    { "train.py",      "train.py" },
    { "--lr=0.1",      "--lr=0.1" },
    { "",              "''" },
    { "a b",           "'a b'" },
    { "it's",          "'it'\\''s'" },
    { "$HOME",         "'$HOME'" },
    { "~",             "'~'" },
    { "a\nb",          "$'a\\nb'" },
    { "\033[2J'\\",    "$'\\033[2J\\'\\\\'" },
    { "{\"a\":[1]}",   "'{\"a\":[1]}'" },
    { "grün",          "'grün'" },
};
/* clang-format on */

START_TEST(a_word_is_shown_as_a_shell_reads_it)
{
    auto_text struct text out = { 0 };

    plan_add_word(&out, words[_i].word);
    ck_assert_str_eq(out.bytes, words[_i].shown);
}
END_TEST

static void expect_plan(const char *json, const char *lines)
{
    auto_json struct cJSON *plan = NULL;
    auto_text struct text out = { 0 };

    ck_assert_int_eq(json_parse(json, strlen(json), &plan, NULL), 0);
    plan_add(plan, &out);
    ck_assert_str_eq(out.bytes ? out.bytes : "", lines);
}

START_TEST(what_ranks_have_alike_is_told_once)
{
    expect_plan(
        "{\"ranks\": ["
        "{\"rank\": 0, \"host\": \"algo-1\", \"kind\": \"program\","
        " \"command\": [\"run\", \"\"], \"environment\": [\"A=1\", \"RANK=0\"]},"
        "{\"rank\": 1, \"host\": \"algo-2\", \"kind\": \"program\","
        " \"command\": [\"run\", \"\"], \"environment\": [\"RANK=1\", \"A=1\"]}]}",
        "\n  every rank\n    run ''\n    A=1\n"
        "\n  rank 0, program on algo-1\n    RANK=0\n"
        "\n  rank 1, program on algo-2\n    RANK=1\n");
}
END_TEST

START_TEST(commands_that_differ_are_told_of_each_rank)
{
    expect_plan(
        "{\"ranks\": ["
        "{\"rank\": 0, \"command\": [\"mpirun\"], \"environment\": [\"A=x y\"]},"
        "{\"rank\": 1, \"command\": [\"orted\"], \"environment\": [\"A=x y\"]}]}",
        "\n  every rank\n    A='x y'\n"
        "\n  rank 0\n    mpirun\n"
        "\n  rank 1\n    orted\n");
}
END_TEST

START_TEST(a_single_rank_is_told_whole)
{
    expect_plan("{\"ranks\": [{\"rank\": 0, \"command\": [\"run\"], \"environment\":"
                " [\"A=\", \"B=b=c\"]}]}",
                "\n  rank 0\n    run\n    A=\n    B=b=c\n");
}
END_TEST

START_TEST(a_plan_without_ranks_says_nothing)
{
    expect_plan("{}", "");
}
END_TEST

Suite *suite_plan_words(void)
{
    Suite *suite = suite_create("plan_words");
    TCase *tests = tcase_create("plan_words");

    tcase_add_loop_test(tests, a_word_is_shown_as_a_shell_reads_it, 0,
                        ARRAY_SIZE(words));
    tcase_add_test(tests, what_ranks_have_alike_is_told_once);
    tcase_add_test(tests, commands_that_differ_are_told_of_each_rank);
    tcase_add_test(tests, a_single_rank_is_told_whole);
    tcase_add_test(tests, a_plan_without_ranks_says_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
