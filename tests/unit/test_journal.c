/* A journal line is read strictly, and every name leads both ways. */

#include "src/journal.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COMMON "\"boot_us\":5,\"wall_us\":6"

/* clang-format off */
static const struct {
    enum journal_kind kind;
    const char *name;
} kinds[] = {
    { JOURNAL_READY,       "ready" },
    { JOURNAL_LAUNCHED,    "launched" },
    { JOURNAL_METRIC,      "metric" },
    { JOURNAL_HEARTBEAT,   "heartbeat" },
    { JOURNAL_RANK_EXITED, "rank_exited" },
    { JOURNAL_ENDED,       "ended" },
};

static const struct {
    enum end_cause cause;
    const char *name;
} causes[] = {
    { END_COMPLETED,      "completed" },
    { END_FAILED,         "failed" },
    { END_SIGNAL,         "signal" },
    { END_OOM,            "oom" },
    { END_MAX_RUN,        "max_run" },
    { END_MAX_WAIT,       "max_wait" },
    { END_USER_STOP,      "user_stop" },
    { END_PEER,           "peer" },
    { END_LOST,           "lost" },
    { END_LAUNCH,         "launch" },
    { END_INFRASTRUCTURE, "infrastructure" },
};

static const struct {
    const char *line;
    const char *words; /* of the message */
} bad[] = {
    { "",                                                  "journal line" },
    { "{\"seq\":1,\"kind\":\"ready\"," COMMON,             "journal line" }, /* torn */
    { "[]",                                                "expected an object" },
    { "null",                                              "expected an object" },
    { "{\"kind\":\"ready\"," COMMON "}",                   "seq" },
    { "{\"seq\":0,\"kind\":\"ready\"," COMMON "}",         "seq" },
    { "{\"seq\":-1,\"kind\":\"ready\"," COMMON "}",        "seq" },
    { "{\"seq\":1.5,\"kind\":\"ready\"," COMMON "}",       "seq" },
    { "{\"seq\":\"1\",\"kind\":\"ready\"," COMMON "}",     "seq" },
    { "{\"seq\":9223372036854775808,\"kind\":\"ready\"," COMMON "}", "seq" },
    { "{\"seq\":1," COMMON "}",                            "kind" },
    { "{\"seq\":1,\"kind\":7," COMMON "}",                 "kind" },
    { "{\"seq\":1,\"kind\":\"rested\"," COMMON "}",        "\"rested\"" },
    { "{\"seq\":1,\"kind\":\"Ready\"," COMMON "}",         "\"Ready\"" },
    { "{\"seq\":1,\"kind\":\"ready\",\"wall_us\":6}",      "boot_us" },
    { "{\"seq\":1,\"kind\":\"ready\",\"boot_us\":-1,\"wall_us\":6}", "boot_us" },
    { "{\"seq\":1,\"kind\":\"ready\",\"boot_us\":5}",      "wall_us" },
    { "{\"seq\":1,\"kind\":\"ready\",\"boot_us\":5,\"wall_us\":null}", "wall_us" },
    { "{\"seq\":1,\"seq\":2,\"kind\":\"ready\"," COMMON "}", "seq" },
    { "{\"seq\":1,\"kind\":\"ready\"," COMMON ",\"data\":{\"a\":1,\"a\":2}}", "a" },
    { "{\"seq\":1,\"kind\":\"ready\"," COMMON "} x",       "journal line" },
};
/* clang-format on */

START_TEST(a_line_of_each_kind_is_read)
{
    auto_free char *text =
        xasprintf("{\"seq\":7,\"kind\":\"%s\"," COMMON ",\"rank\":3}", kinds[_i].name);
    auto_json struct cJSON *json = NULL;
    struct journal_line line;
    struct err err;

    ck_assert_int_eq(journal_line_parse(text, strlen(text), &json, &line, &err), 0);
    ck_assert_int_eq(line.seq, 7);
    ck_assert_int_eq(line.kind, kinds[_i].kind);
    ck_assert_int_eq(line.boot_us, 5);
    ck_assert_int_eq(line.wall_us, 6);
    ck_assert_ptr_eq(line.data, json);
    ck_assert_int_eq(json_get_int(line.data, "rank", -1), 3);
    ck_assert_str_eq(journal_kind_name(kinds[_i].kind), kinds[_i].name);
}
END_TEST

START_TEST(large_counts_keep_every_digit)
{
    static const char text[] = "{\"seq\":9223372036854775807,\"kind\":\"heartbeat\","
                               "\"boot_us\":9007199254740993,\"wall_us\":0}";
    auto_json struct cJSON *json = NULL;
    struct journal_line line;
    struct err err;

    ck_assert_int_eq(journal_line_parse(text, strlen(text), &json, &line, &err), 0);
    ck_assert_int_eq(line.seq, INT64_MAX);
    ck_assert_int_eq(line.boot_us, INT64_C(9007199254740993));
}
END_TEST

START_TEST(a_line_that_is_wrong_is_refused_and_nothing_is_set)
{
    struct cJSON *json = NULL;
    struct journal_line line = { .seq = 99 };
    struct err err;

    ck_assert_int_lt(journal_line_parse(bad[_i].line, strlen(bad[_i].line), &json,
                                        &line, &err),
                     0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, bad[_i].words));
    ck_assert_ptr_null(json);
    ck_assert_int_eq(line.seq, 99);
}
END_TEST

/* A valid line of exactly `len` bytes. */
static char *line_of_length(size_t len)
{
    static const char start[] = "{\"seq\":1,\"kind\":\"ready\"," COMMON ",\"x\":\"";
    char *text = xmalloc(len);

    memset(text, 'x', len);
    memcpy(text, start, strlen(start));
    memcpy(text + len - 2, "\"}", 2);
    return text;
}

START_TEST(a_line_may_be_as_long_as_the_limit_and_no_longer)
{
    auto_free char *longest = line_of_length(JOURNAL_LINE_MAX);
    auto_free char *longer = line_of_length(JOURNAL_LINE_MAX + 1);
    auto_json struct cJSON *json = NULL;
    struct cJSON *none = NULL;
    struct journal_line line;
    struct err err;

    ck_assert_int_eq(journal_line_parse(longest, JOURNAL_LINE_MAX, &json, &line, &err),
                     0);
    ck_assert_int_lt(journal_line_parse(longer, JOURNAL_LINE_MAX + 1, &none, &line,
                                        &err),
                     0);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(a_cause_has_a_name_that_leads_back_to_it)
{
    enum end_cause cause = END_COMPLETED;

    ck_assert_str_eq(end_cause_name(causes[_i].cause), causes[_i].name);
    ck_assert(end_cause_from_name(causes[_i].name, &cause));
    ck_assert_int_eq(cause, causes[_i].cause);
}
END_TEST

START_TEST(other_words_are_no_causes)
{
    enum end_cause cause = END_LOST;

    ck_assert(!end_cause_from_name("Completed", &cause));
    ck_assert(!end_cause_from_name("stop", &cause));
    ck_assert(!end_cause_from_name("", &cause));
    ck_assert_int_eq(cause, END_LOST);
}
END_TEST

Suite *suite_journal(void);

Suite *suite_journal(void)
{
    Suite *suite = suite_create("journal");
    TCase *tests = tcase_create("journal");

    tcase_add_loop_test(tests, a_line_of_each_kind_is_read, 0, ARRAY_SIZE(kinds));
    tcase_add_test(tests, large_counts_keep_every_digit);
    tcase_add_loop_test(tests, a_line_that_is_wrong_is_refused_and_nothing_is_set, 0,
                        ARRAY_SIZE(bad));
    tcase_add_test(tests, a_line_may_be_as_long_as_the_limit_and_no_longer);
    tcase_add_loop_test(tests, a_cause_has_a_name_that_leads_back_to_it, 0,
                        ARRAY_SIZE(causes));
    tcase_add_test(tests, other_words_are_no_causes);
    suite_add_tcase(suite, tests);
    return suite;
}
