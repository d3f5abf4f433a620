/* Estimates and forecasts in JSON: what they rest on, what they cost, and that nothing
 * is said where nothing is known. */

#include "daemon/outlook.h"
#include "src/clock.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN                                                                      \
    "\"seconds\":null,\"low_seconds\":null,\"high_seconds\":null,\"cost_usd\":null," \
    "\"low_usd\":null,\"high_usd\":null,\"stopped_by\":null,\"unavailable\":"

static char steps[] = "steps", planned[] = "1000", place[] = "s3://bucket/out";

/* Two instances at 3.60 USD: 0.002 USD a second. */
static const nanousd_t hourly = 3600000000;

struct situation {
    struct job job;
    struct job_spec spec;
    struct bill bill;
    struct metric_readings readings;
    struct outlook outlook;
};

static void arrange(struct situation *at, const int64_t *runs, size_t count)
{
    *at = (struct situation){
        .job = { .instance_count = 2, .max_run_s = 3600, .grace_s = 100 },
        .outlook = { .job = &at->job,
                     .spec = &at->spec,
                     .bill = &at->bill,
                     .hourly = &hourly,
                     .runs = runs,
                     .run_count = count,
                     .readings = &at->readings,
                     .now = LIFE_WALL_ZERO },
    };
}

/* It runs, and each instance was billed for so many seconds. */
static void run_for(struct situation *at, int64_t seconds)
{
    at->job.state = JOB_TRAINING;
    at->job.attempt = 1;
    at->bill = (struct bill){ .billable_seconds = seconds,
                              .instance_seconds = 2 * seconds,
                              .priced = true,
                              .cost = seconds * 2000000,
                              .open = true };
}

/* So much was done in the first of 1,000 steps, from 50 to 10 seconds ago. */
static void work(struct situation *at, const char *first, const char *last)
{
    at->spec.work_unit = at->spec.work_metric = steps;
    at->spec.work_planned = planned;
    at->readings = (struct metric_readings){ .attempt = 1 };
    snprintf(at->readings.first, sizeof at->readings.first, "%s", first);
    snprintf(at->readings.last, sizeof at->readings.last, "%s", last);
    at->readings.first_wall = LIFE_WALL_ZERO - 50 * USEC_PER_SEC;
    at->readings.last_wall = LIFE_WALL_ZERO - 10 * USEC_PER_SEC;
}

static void expect_text(struct cJSON *json, const char *expected)
{
    auto_json struct cJSON *owned = json;
    auto_free char *text = json_print(owned);

    ck_assert_str_eq(text, expected);
}

static void expect_member(struct cJSON *json, const char *member, const char *expected)
{
    auto_json struct cJSON *owned = json;
    const struct cJSON *value = json_get(owned, member);
    auto_free char *text = value ? json_print(value) : xstrdup("absent");

    ck_assert_msg(strcmp(text, expected) == 0, "%s: %s, not %s", member, text,
                  expected);
}

START_TEST(without_runs_the_most_is_known_and_nothing_else)
{
    struct situation at;

    arrange(&at, NULL, 0);
    expect_text(
        outlook_estimate(&at.outlook),
        "{\"usd_per_hour\":\"7.2\",\"most\":{\"seconds\":3701,"
        "\"cost_usd\":\"7.402\",\"not_counted\":null,\"keep_alive_seconds\":0,"
        "\"keep_alive_usd\":\"0\"},\"likely\":{\"basis\":null,\"runs\":0," UNKNOWN
        "\"no finished job of the same code, hyperparameters and instance "
        "type\"}}");
}
END_TEST

START_TEST(what_has_no_limit_is_said_not_to_be_counted)
{
    struct situation at;

    arrange(&at, NULL, 0);
    at.job.keep_alive_s = 1800;
    at.spec.output_path = place;
    expect_member(
        outlook_estimate(&at.outlook), "most",
        "{\"seconds\":3701,\"cost_usd\":\"7.402\",\"not_counted\":\"storing outputs "
        "and checkpoints once the program has ended\",\"keep_alive_seconds\":1800,"
        "\"keep_alive_usd\":\"3.6\"}");
}
END_TEST

START_TEST(runs_of_the_recipe_give_a_band_at_the_price_of_now)
{
    const int64_t runs[] = { 100, 110 };
    struct situation at;

    arrange(&at, runs, 2);
    expect_member(outlook_estimate(&at.outlook), "likely",
                  "{\"basis\":\"history\",\"runs\":2,\"seconds\":105,"
                  "\"low_seconds\":36,\"high_seconds\":300,\"cost_usd\":\"0.21\","
                  "\"low_usd\":\"0.072\",\"high_usd\":\"0.6\",\"stopped_by\":null,"
                  "\"unavailable\":null}");
}
END_TEST

START_TEST(one_run_gives_no_band)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    expect_member(outlook_estimate(&at.outlook), "likely",
                  "{\"basis\":\"history\",\"runs\":1,\"seconds\":100,"
                  "\"low_seconds\":null,\"high_seconds\":null,\"cost_usd\":\"0.2\","
                  "\"low_usd\":null,\"high_usd\":null,\"stopped_by\":null,"
                  "\"unavailable\":null}");
}
END_TEST

START_TEST(without_a_price_seconds_are_told_and_no_amount)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    at.outlook.hourly = NULL;
    expect_text(
        outlook_estimate(&at.outlook),
        "{\"usd_per_hour\":null,\"most\":{\"seconds\":3701,\"cost_usd\":null,"
        "\"not_counted\":null,\"keep_alive_seconds\":0,\"keep_alive_usd\":null},"
        "\"likely\":{\"basis\":\"history\",\"runs\":1,\"seconds\":100,"
        "\"low_seconds\":null,\"high_seconds\":null,\"cost_usd\":null,"
        "\"low_usd\":null,\"high_usd\":null,\"stopped_by\":null,"
        "\"unavailable\":null}}");
}
END_TEST

START_TEST(what_is_likely_is_held_by_the_most)
{
    const int64_t runs[] = { 5000, 5100 };
    struct situation at;

    arrange(&at, runs, 2);
    expect_member(outlook_estimate(&at.outlook), "likely",
                  "{\"basis\":\"history\",\"runs\":2,\"seconds\":3701,"
                  "\"low_seconds\":3701,\"high_seconds\":3701,\"cost_usd\":\"7.402\","
                  "\"low_usd\":\"7.402\",\"high_usd\":\"7.402\","
                  "\"stopped_by\":\"max_run\",\"unavailable\":null}");
}
END_TEST

/* 1 USD is 500 seconds, of which the last 100 are for the grace. */
START_TEST(a_budget_bounds_the_most_and_stops_what_does_not_fit)
{
    const int64_t runs[] = { 410 };
    struct situation at;

    arrange(&at, runs, 1);
    at.job.budget = NANOUSD_PER_USD;
    expect_member(outlook_estimate(&at.outlook), "most",
                  "{\"seconds\":500,\"cost_usd\":\"1\",\"not_counted\":null,"
                  "\"keep_alive_seconds\":0,\"keep_alive_usd\":\"0\"}");
    expect_member(outlook_forecast(&at.outlook), "stopped_by", "\"budget_usd\"");
    at.job.budget = 2 * NANOUSD_PER_USD;
    expect_member(outlook_forecast(&at.outlook), "stopped_by", "null");
    run_for(&at, 480);
    expect_member(outlook_forecast(&at.outlook), "most",
                  "{\"seconds\":1000,\"cost_usd\":\"2\",\"not_counted\":null,"
                  "\"keep_alive_seconds\":0,\"keep_alive_usd\":\"0\"}");
}
END_TEST

START_TEST(a_job_that_waits_has_a_cost_and_no_time_of_its_end)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    at.job.state = JOB_PENDING;
    expect_member(outlook_forecast(&at.outlook), "eta", "null");
    expect_member(outlook_forecast(&at.outlook), "cost_usd", "\"0.2\"");
}
END_TEST

START_TEST(a_job_that_runs_is_expected_to_end)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    run_for(&at, 40);
    expect_member(outlook_forecast(&at.outlook), "eta",
                  "\"2026-09-21T14:14:20.000000Z\"");
    expect_member(outlook_forecast(&at.outlook), "eta_low", "null");
    expect_member(outlook_forecast(&at.outlook), "cost_usd", "\"0.2\"");
}
END_TEST

START_TEST(a_band_of_what_runs_lies_ahead)
{
    const int64_t runs[] = { 100, 110, 90, 105 };
    auto_json struct cJSON *forecast = NULL;
    struct situation at;

    arrange(&at, runs, ARRAY_SIZE(runs));
    run_for(&at, 104);
    forecast = outlook_forecast(&at.outlook);
    ck_assert_int_ge(json_get_int(forecast, "low_seconds", 0), 104);
    ck_assert_int_gt(json_get_int(forecast, "seconds", 0), 104);
    ck_assert_int_gt(json_get_int(forecast, "high_seconds", 0),
                     json_get_int(forecast, "seconds", 0));
}
END_TEST

/* The rest costs what it costs now; what was billed before stays as it was. */
START_TEST(what_an_earlier_price_came_to_stays)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    run_for(&at, 40);
    at.bill.cost = 1;
    expect_member(outlook_forecast(&at.outlook), "cost_usd", "\"0.120000001\"");
}
END_TEST

START_TEST(what_outlasts_its_history_is_told_by_its_work)
{
    const int64_t runs[] = { 40 };
    struct situation at;

    arrange(&at, runs, 1);
    run_for(&at, 60);
    expect_member(outlook_forecast(&at.outlook), "unavailable",
                  "\"the job has run longer than those of the same code, "
                  "hyperparameters and instance type did\"");
    work(&at, "100", "500"); /* 10 a second: 50 s from 10 s ago on */
    expect_member(outlook_forecast(&at.outlook), "basis", "\"progress\"");
    expect_member(outlook_forecast(&at.outlook), "seconds", "100");
    expect_member(outlook_forecast(&at.outlook), "runs", "0");
    expect_member(outlook_forecast(&at.outlook), "high_usd", "null");
    expect_member(outlook_forecast(&at.outlook), "eta",
                  "\"2026-09-21T14:14:00.000000Z\"");
}
END_TEST

/* clang-format off */
static const struct {
    const char *what;
    enum job_state state;
    int attempt; /* that the readings are of */
    bool stop_asked, interrupt_asked;
    const char *first, *last;
} mute[] = {
    { "it does not train yet",        JOB_DOWNLOADING, 1, false, false, "100", "500" },
    { "it stores its outputs",        JOB_UPLOADING,   1, false, false, "100", "500" },
    { "it is being stopped",          JOB_TRAINING,    1, true,  false, "100", "500" },
    { "it is being interrupted",      JOB_TRAINING,    1, false, true,  "100", "500" },
    { "the work was another attempt's", JOB_TRAINING,  2, false, false, "100", "500" },
    { "the work is no number",        JOB_TRAINING,    1, false, false, "100", "NaN" },
    { "the work was no number",       JOB_TRAINING,    1, false, false, "Infinity", "5" },
};
/* clang-format on */

START_TEST(work_that_tells_nothing_of_the_end_is_no_basis)
{
    struct situation at;

    arrange(&at, NULL, 0);
    run_for(&at, 60);
    work(&at, mute[_i].first, mute[_i].last);
    at.job.state = mute[_i].state;
    at.job.stop_asked = mute[_i].stop_asked;
    at.job.interrupt_asked = mute[_i].interrupt_asked;
    at.readings.attempt = mute[_i].attempt;
    expect_member(outlook_forecast(&at.outlook), "basis", "null");
    expect_member(outlook_forecast(&at.outlook), "eta", "null");
}
END_TEST

START_TEST(work_without_a_plan_is_no_basis)
{
    struct situation at;

    arrange(&at, NULL, 0);
    run_for(&at, 60);
    work(&at, "100", "500");
    at.spec.work_planned = NULL;
    expect_member(outlook_forecast(&at.outlook), "basis", "null");
}
END_TEST

START_TEST(history_is_no_basis_once_an_attempt_was_billed)
{
    const int64_t runs[] = { 100 };
    struct situation at;

    arrange(&at, runs, 1);
    run_for(&at, 60);
    at.outlook.earlier_s = 50;
    expect_member(outlook_forecast(&at.outlook), "basis", "null");
    work(&at, "100", "500");
    expect_member(outlook_forecast(&at.outlook), "basis", "\"progress\"");
}
END_TEST

Suite *suite_outlook(void)
{
    Suite *suite = suite_create("outlook");
    TCase *tests = tcase_create("outlook");

    tcase_add_test(tests, without_runs_the_most_is_known_and_nothing_else);
    tcase_add_test(tests, what_has_no_limit_is_said_not_to_be_counted);
    tcase_add_test(tests, runs_of_the_recipe_give_a_band_at_the_price_of_now);
    tcase_add_test(tests, one_run_gives_no_band);
    tcase_add_test(tests, without_a_price_seconds_are_told_and_no_amount);
    tcase_add_test(tests, what_is_likely_is_held_by_the_most);
    tcase_add_test(tests, a_budget_bounds_the_most_and_stops_what_does_not_fit);
    tcase_add_test(tests, a_job_that_waits_has_a_cost_and_no_time_of_its_end);
    tcase_add_test(tests, a_job_that_runs_is_expected_to_end);
    tcase_add_test(tests, a_band_of_what_runs_lies_ahead);
    tcase_add_test(tests, what_an_earlier_price_came_to_stays);
    tcase_add_test(tests, what_outlasts_its_history_is_told_by_its_work);
    tcase_add_loop_test(tests, work_that_tells_nothing_of_the_end_is_no_basis, 0,
                        ARRAY_SIZE(mute));
    tcase_add_test(tests, work_without_a_plan_is_no_basis);
    tcase_add_test(tests, history_is_no_basis_once_an_attempt_was_billed);
    suite_add_tcase(suite, tests);
    return suite;
}
