/* Why a job failed, in SageMaker's classes and within its length. */

#include "daemon/failure_reason.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define RUNS "submit 1, place, ready 0 1000, launch 0 1010"

/* clang-format off */
static const struct {
    const char *steps;
    const char *said; /* of its worker: failure, traceback; or NULL */
    const char *reason;
} rows[] = {
    { RUNS ", end 0 2000 failed", NULL, "AlgorithmError: rank 0: exit code: 10; see its log" },
    /* What the program said goes first. */
    { RUNS ", end 0 2000 failed", "{\"failure\":\"no data in train\"}",
      "AlgorithmError: no data in train, exit code: 10, rank 0" },
    { RUNS ", end 0 2000 failed", "{\"traceback\":\"ValueError: bad lr\"}",
      "AlgorithmError: ValueError: bad lr, exit code: 10, rank 0" },
    { RUNS ", end 0 2000 failed", "{\"failure\":\"epoch 3\",\"traceback\":\"ValueError: bad lr\"}",
      "AlgorithmError: ValueError: bad lr: epoch 3, exit code: 10, rank 0" },
    { RUNS ", end 0 2000 failed",
      "{\"failure\":\"Traceback:\\nValueError: bad lr\",\"traceback\":\"ValueError: bad lr\"}",
      "AlgorithmError: Traceback:\nValueError: bad lr, exit code: 10, rank 0" },
    { RUNS ", end 0 2000 failed", "{\"failure\":\"\"}",
      "AlgorithmError: rank 0: exit code: 10; see its log" },
    { RUNS ", end 0 2000 signal", "{\"failure\":\"what(): bad_alloc\"}",
      "AlgorithmError: what(): bad_alloc, killed by signal 0, a rank" },
    { RUNS ", end 0 2000 signal", NULL, "AlgorithmError: a rank: killed by signal 0; see its log" },
    { RUNS ", end 0 2000 input", NULL, "ClientError: Data download failed: " },
    { RUNS ", upload 0 1500 completed, end 0 2000 output", NULL, "ClientError: Artifact upload failed: " },
    { RUNS ", end 0 2000 interrupted", NULL, "CapacityError: interrupted in attempt 1 of 1, and not tried again" },
    { RUNS ", lose 0 2000", NULL, "InternalServerError: a worker vanished: its machine is gone" },
    { "submit 1, place, fail launch", NULL, "ClientError: the program could not be started: because" },
    /* These are no failures. */
    { RUNS ", end 0 2000 completed", "{\"failure\":\"stale\"}", NULL },
    { RUNS ", end 0 2000 max_run", NULL, NULL },
    { "submit 1, stop user_stop", NULL, NULL },
    { RUNS, NULL, NULL },
};
/* clang-format on */

static void say(struct job *job, const char *said)
{
    struct err err;

    if (!said)
        return;
    json_free(job->workers[0].said);
    if (json_parse(said, strlen(said), &job->workers[0].said, &err) < 0)
        ck_abort_msg("%s", err.text);
}

START_TEST(the_reason_begins_with_its_class)
{
    auto_life struct life life = { 0 };
    auto_free char *reason = NULL;

    life_live(&life, rows[_i].steps);
    say(life.job, rows[_i].said);
    reason = failure_reason_of(life.job);
    ck_assert_str_eq(reason ? reason : "(none)",
                     rows[_i].reason ? rows[_i].reason : "(none)");
}
END_TEST

/* A character of one, two, three and four bytes. */
static const char *const letters[] = { "x", "\xc3\xa9", "\xe2\x82\xac",
                                       "\xf0\x9f\x9a\x82" };

START_TEST(it_has_so_many_characters_at_most_and_keeps_how_it_ended)
{
    static const char last[] = ", exit code: 10, rank 0";
    auto_life struct life life = { 0 };
    auto_text struct text words = { 0 };
    auto_free char *reason = NULL;
    size_t letter = strlen(letters[_i]);

    for (int i = 0; i < 1024; i++)
        text_puts(&words, letters[_i]);
    life_live(&life, RUNS ", end 0 2000 failed");
    life.job->workers[0].said = json_object_new();
    json_set_text(life.job->workers[0].said, "failure", words.bytes);
    reason = failure_reason_of(life.job);
    ck_assert(text_is_utf8(reason, strlen(reason)));
    /* "AlgorithmError: " has 16. */
    ck_assert_uint_eq(strlen(reason),
                      16 + (1024 - 16 - strlen(last)) * letter + strlen(last));
    ck_assert_str_eq(reason + strlen(reason) - strlen(last), last);
}
END_TEST

START_TEST(a_long_message_is_cut_too)
{
    auto_life struct life life = { 0 };
    auto_text struct text words = { 0 };
    auto_free char *reason = NULL;

    for (int i = 0; i < 2000; i++)
        text_puts(&words, "\xc3\xa9");
    life_live(&life, "submit 1, place, fail infrastructure");
    free(life.job->end.message);
    life.job->end.message = xstrdup(words.bytes);
    reason = failure_reason_of(life.job);
    ck_assert(text_is_utf8(reason, strlen(reason)));
    /* "InternalServerError: " has 21. */
    ck_assert_uint_eq(strlen(reason), 21 + 2 * (1024 - 21));
}
END_TEST

Suite *suite_failure_reason(void);

Suite *suite_failure_reason(void)
{
    Suite *suite = suite_create("failure_reason");
    TCase *tests = tcase_create("reasons");

    tcase_add_loop_test(tests, the_reason_begins_with_its_class, 0, ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, it_has_so_many_characters_at_most_and_keeps_how_it_ended,
                        0, ARRAY_SIZE(letters));
    tcase_add_test(tests, a_long_message_is_cut_too);
    suite_add_tcase(suite, tests);
    return suite;
}
