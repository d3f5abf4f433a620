/* Patterns find what they capture, and none costs more than it may. */

#include "src/clock.h"
#include "src/regex.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *pattern;
    const char *text;
    const char *found; /* NULL: no match, or the group took no part */
} finds[] = {
    { "loss=([0-9.eE+-]+)", "step 3 loss=0.41 acc=0.9", "0.41" },
    { "loss=([0-9.]+)",     "no such thing",            NULL },
    { "loss=[0-9.]+",       "x loss=0.41",              "loss=0.41" },
    { "(?:a|b)([0-9]+)",    "b17",                      "17" },
    { "a(b)?(c)",           "ac",                       NULL },
    { "(c)|d",              "d",                        NULL },
    { "(c)?d",              "d",                        NULL },
    { "()x",                "x",                        "" },
    { "^b",                 "a\nb",                     NULL },
    { "([0-9]+)$",          "1 22",                     "22" },
    { "(?<v>[0-9])([a-z])", "1a",                       "1" },
    { "(.)",                "\xff\xfe",                 "\xff" },
    { "a\\Kb",              "ab",                       "b" },
    { "a\\K|(?=.(?R))b",    "ba",                       NULL },
    { "(?i)LOSS=(.)",       "loss=1",                   "1" },
};

static const struct {
    const char *pattern;
    const char *text;
    const char *value;
    const char *step; /* "": the value has none */
} steps[] = {
    { "step (?<step>[0-9]+) loss=(.+)",           "step 7 loss=0.4", "0.4",    "7" },
    { "loss=([0-9.]+) step (?P<step>[0-9]+)",     "loss=0.4 step 7", "0.4",    "7" },
    { "loss=([0-9.]+)(?: step (?<step>[0-9]+))?", "loss=0.4",        "0.4",    "" },
    { "(?<step>[0-9]+) lines",                    "12 lines",        "12 lines", "12" },
    { "([0-9]+) (?<steps>[0-9]+)",                "1 2",             "1",      "" },
};

static const struct {
    const char *pattern;
    const char *words; /* of the message */
} bad[] = {
    { "loss=(",          "at character 7" },
    { "[z-a]",           "range out of order" },
    { "*a",              "at character" },
    { "(*UTF)a",         "UTF" },
    { "(*UCP)a",         "UCP" },
    { "(?=ab\\K)",       "lookaround" },
    { "((a{900}){900}){900}", "too large" },
};

/* Each would take longer than the age of the universe on enough of the letter a. */
static const char *const catastrophic[] = {
    "(a+)+$", "(a|aa)+$", "(a*)*b", "([a-z]+)*=", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?:a?){30}(?:a+)+b",
    "(a(?1)?a|a)$x",
};
/* clang-format on */

START_TEST(the_first_group_or_the_whole_is_found)
{
    const char *text = finds[_i].text;
    struct regex *regex = NULL;
    struct err err;
    struct regex_match match = { 0 };
    enum regex_outcome found;

    ck_assert_int_eq(regex_new(finds[_i].pattern, &regex, &err), 0);
    found = regex_find(regex, text, strlen(text), &match);
    regex_free(regex);
    ck_assert_int_eq(found, finds[_i].found ? REGEX_FOUND : REGEX_NONE);
    if (!finds[_i].found)
        return;
    ck_assert_uint_eq(match.len, strlen(finds[_i].found));
    ck_assert_mem_eq(text + match.start, finds[_i].found, match.len);
}
END_TEST

START_TEST(a_group_named_step_is_told_apart_from_the_value)
{
    const char *text = steps[_i].text;
    struct regex *regex = NULL;
    struct regex_match match;
    struct err err;

    ck_assert_int_eq(regex_new(steps[_i].pattern, &regex, &err), 0);
    ck_assert_int_eq(regex_find(regex, text, strlen(text), &match), REGEX_FOUND);
    regex_free(regex);
    ck_assert_uint_eq(match.len, strlen(steps[_i].value));
    ck_assert_mem_eq(text + match.start, steps[_i].value, match.len);
    ck_assert_uint_eq(match.step_len, strlen(steps[_i].step));
    ck_assert_mem_eq(text + match.step_start, steps[_i].step, match.step_len);
}
END_TEST

START_TEST(a_pattern_that_is_none_is_refused_with_place_and_reason)
{
    struct regex *regex = NULL;
    struct err err;

    ck_assert_int_lt(regex_new(bad[_i].pattern, &regex, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, bad[_i].words));
    ck_assert_ptr_null(regex);
}
END_TEST

START_TEST(bytes_behind_the_length_are_not_seen)
{
    struct regex *regex = NULL;
    struct err err;
    struct regex_match match;

    ck_assert_int_eq(regex_new("(1+)", &regex, &err), 0);
    ck_assert_int_eq(regex_find(regex, "a1111", 3, &match), REGEX_FOUND);
    ck_assert_uint_eq(match.start, 1);
    ck_assert_uint_eq(match.len, 2);
    ck_assert_int_eq(regex_find(regex, "a1111", 1, &match), REGEX_NONE);
    ck_assert_int_eq(regex_find(regex, "", 0, &match), REGEX_NONE);
    regex_free(regex);
}
END_TEST

START_TEST(a_nul_is_a_byte_like_others)
{
    struct regex *regex = NULL;
    struct err err;
    struct regex_match match;

    ck_assert_int_eq(regex_new("\\x00(b)", &regex, &err), 0);
    ck_assert_int_eq(regex_find(regex, "a\0b", 3, &match), REGEX_FOUND);
    ck_assert_uint_eq(match.start, 2);
    regex_free(regex);
}
END_TEST

START_TEST(a_catastrophic_pattern_gives_up_soon_and_finds_nothing)
{
    struct regex *regex = NULL;
    char line[4096];
    struct err err;
    struct regex_match match;
    usec_t before = clock_boot();

    memset(line, 'a', sizeof line);
    line[sizeof line - 1] = '!';
    ck_assert_int_eq(regex_new(catastrophic[_i], &regex, &err), 0);
    ck_assert_int_ne(regex_find(regex, line, sizeof line, &match), REGEX_FOUND);
    regex_free(regex);
    /* Milliseconds in truth; the bound is for machines that are busy and sanitizers. */
    ck_assert_int_lt(clock_boot() - before, 2 * USEC_PER_SEC);
}
END_TEST

START_TEST(a_regex_works_on_after_a_match_that_gave_up)
{
    struct regex *regex = NULL;
    char line[4096];
    struct err err;
    struct regex_match match;

    memset(line, 'a', sizeof line);
    line[sizeof line - 1] = '!';
    ck_assert_int_eq(regex_new("(a+)+$", &regex, &err), 0);
    ck_assert_int_eq(regex_find(regex, line, sizeof line, &match), REGEX_TOO_DEAR);
    ck_assert_int_eq(regex_find(regex, "xaa", 3, &match), REGEX_FOUND);
    ck_assert_uint_eq(match.len, 2);
    regex_free(regex);
}
END_TEST

START_TEST(nothing_can_be_freed)
{
    regex_free(NULL);
}
END_TEST

Suite *suite_regex(void);

Suite *suite_regex(void)
{
    Suite *suite = suite_create("regex");
    TCase *tests = tcase_create("regex");

    tcase_add_loop_test(tests, the_first_group_or_the_whole_is_found, 0,
                        ARRAY_SIZE(finds));
    tcase_add_loop_test(tests, a_group_named_step_is_told_apart_from_the_value, 0,
                        ARRAY_SIZE(steps));
    tcase_add_loop_test(tests, a_pattern_that_is_none_is_refused_with_place_and_reason,
                        0, ARRAY_SIZE(bad));
    tcase_add_test(tests, bytes_behind_the_length_are_not_seen);
    tcase_add_test(tests, a_nul_is_a_byte_like_others);
    tcase_add_loop_test(tests, a_catastrophic_pattern_gives_up_soon_and_finds_nothing,
                        0, ARRAY_SIZE(catastrophic));
    tcase_add_test(tests, a_regex_works_on_after_a_match_that_gave_up);
    tcase_add_test(tests, nothing_can_be_freed);
    suite_add_tcase(suite, tests);
    return suite;
}
