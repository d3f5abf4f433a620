/* A job in JSON: the members of the design, cost to the last digit, and what is null
 * while it is not known. */

#include "daemon/report.h"
#include "src/clock.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char high[] = "high", published[] = "published", list[] = "aws-list",
            date[] = "2026-09-01", type_name[] = "ml.c5.xlarge";
static struct profile_price price = { .hourly = 204000000,
                                      .as_of = date,
                                      .basis = published,
                                      .confidence = high,
                                      .source = list };
static const struct profile profile = { .prices = &price, .price_count = 1 };
static const struct offer offer = { .profile = &profile,
                                    .pool = type_name,
                                    .capacity = 4 };

static char unit[] = "samples", amount[] = "180000";

#define TRAINING \
    "submit 2, place, ready 0 1000, ready 1 1000, launch 0 1010, launch 1 1010"
#define WARM \
    "submit 2 0 1 infrastructure 60, place, ready 0 1000, ready 1 1000, launch 0 1010, launch 1 1010"
#define DONE TRAINING ", end 0 42000 completed, end 1 42000 completed"

static struct cJSON *parsed(const char *text)
{
    struct cJSON *json;
    struct err err;

    if (json_parse(text, strlen(text), &json, &err) < 0)
        ck_abort_msg("%s", err.text);
    return json;
}

/* The report of a life, at 20 s of its boot clock's time when it has not ended. */
static struct cJSON *report_of(const char *steps, const struct offer *at)
{
    char *folder;
    struct store *store = store_made(&folder);
    auto_life struct life life = { .store = store, .metered = true, .offer = at };
    auto_json struct cJSON *metrics = json_object_new();
    auto_json struct cJSON *transitions = json_array_new();
    auto_json struct cJSON *spec_json = parsed("{\"instance_count\":2}");
    auto_json struct cJSON *tags = parsed("{\"project\":\"reviews\"}");
    const struct job_spec spec = { .work_unit = unit,
                                   .work_amount = amount,
                                   .tags = tags };
    struct interval *intervals = NULL;
    struct interval *warm = NULL;
    static const struct price_book no_book;
    struct report_input input = { .spec = &spec,
                                  .book = &no_book,
                                  .spec_json = spec_json,
                                  .metrics = metrics,
                                  .transitions = transitions,
                                  .offer = at,
                                  .world_size = 2,
                                  .queue_position = 3,
                                  .queue_reason = "because" };
    struct cJSON *report = NULL;
    struct err err;

    life_live(&life, steps);
    clock_hold(LIFE_WALL_ZERO + 20 * USEC_PER_SEC, 20 * USEC_PER_SEC);
    if (store_get_intervals(store, life.job->job_id, INTERVAL_RUN, &intervals,
                            &input.interval_count, &err)
            < 0
        || store_get_intervals(store, life.job->job_id, INTERVAL_WARM, &warm,
                               &input.warm_count, &err)
               < 0)
        ck_abort_msg("%s", err.text);
    input.job = life.job;
    input.intervals = intervals;
    input.warm = warm;
    if (report_job(&input, &report, &err) < 0)
        ck_abort_msg("%s", err.text);
    clock_release();
    free(intervals);
    free(warm);
    store_gone(store, folder);
    return report;
}

static void expect(const struct cJSON *report, const char *member, const char *wanted)
{
    const struct cJSON *value = json_get(report, member);
    auto_free char *text = value ? json_print(value) : xstrdup("(absent)");

    ck_assert_msg(strcmp(text, wanted) == 0, "%s: %s, not %s", member, text, wanted);
}

START_TEST(an_ended_job_has_every_member_of_the_design)
{
    /* clang-format off */
    static const char *const members[][2] = {
        { "name", "\"one\"" }, { "owner", "\"ana\"" }, { "status", "\"Completed\"" },
        { "secondary_status", "\"Completed\"" },
        { "end", "{\"cause\":\"completed\",\"exit_code\":0,\"signal\":null,\"first_failing_rank\":null,\"message\":null}" },
        { "failure_reason", "null" }, { "emulated", "true" }, { "instance_type", "\"ml.c5.xlarge\"" },
        { "instance_count", "2" }, { "scheduler", "\"fake\"" },
        { "created_at", "\"2026-09-21T14:13:21.000000Z\"" },
        { "training_start_time", "\"2026-09-21T14:13:21.000000Z\"" },
        { "training_end_time", "\"2026-09-21T14:14:02.000000Z\"" },
        { "queue", "{\"position\":3,\"reason\":\"because\"}" },
        { "training_seconds", "41" }, { "billable_seconds", "41" }, { "instance_seconds", "82" },
        { "price", "{\"usd_per_hour\":\"0.204\",\"source\":\"aws-list\",\"basis\":\"published\","
                   "\"confidence\":\"high\",\"as_of\":\"2026-09-01\"}" },
        { "cost_usd", "\"0.004646667\"" }, { "unpriced_instance_seconds", "0" },
        { "price_performance", "{\"work\":\"180000\",\"unit\":\"samples\",\"per_second\":4390.2,"
          "\"per_usd\":\"38737443.4\",\"usd_per_million\":\"0.025815\",\"objective\":null,\"unavailable\":null}" },
        { "metrics", "{}" }, { "transitions", "[]" }, { "plan", "{\"world_size\":2,\"launcher\":\"none\"}" },
        { "warm_pool", "null" }, { "artifacts", "null" }, { "progress", "null" },
        { "forecast", "null" },
        { "findings", "[]" }, { "tags", "{\"project\":\"reviews\"}" }, { "spec", "{\"instance_count\":2}" },
    };
    /* clang-format on */
    auto_json struct cJSON *report = report_of(DONE, &offer);
    const struct cJSON *attempt = json_first(json_get(report, "attempts"));
    const struct cJSON *worker = json_first(json_get(attempt, "workers"));

    ck_assert(job_id_is_valid(json_get_text(report, "id")));
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        expect(report, members[i][0], members[i][1]);
    ck_assert_uint_eq(json_count(report), ARRAY_SIZE(members) + 2); /* id, attempts */
    expect(attempt, "attempt", "1");
    expect(attempt, "billable_seconds", "41");
    expect(worker, "rank", "0");
    expect(worker, "host", "\"algo-1\"");
    expect(worker, "address", "\"127.1.3.1\"");
    ck_assert_uint_eq(json_count(json_get(attempt, "workers")), 2);
}
END_TEST

/* clang-format off */
static const struct {
    const char *steps;
    bool is_offered;
    const char *member;
    const char *wanted;
} rows[] = {
    /* Not begun: no time, no cost, the price that would hold. */
    { "submit 2", true, "training_start_time", "null" },
    { "submit 2", true, "cost_usd", "null" },
    { "submit 2", true, "billable_seconds", "0" },
    { "submit 2", true, "end", "null" },
    { "submit 2", true, "attempts", "[]" },
    { "submit 2", true, "price", "{\"usd_per_hour\":\"0.204\",\"source\":\"aws-list\",\"basis\":\"published\","
                                 "\"confidence\":\"high\",\"as_of\":\"2026-09-01\"}" },
    { "submit 2", false, "price", "null" },
    /* Never begun: that cost nothing. */
    { "submit 2, stop user_stop", true, "cost_usd", "\"0\"" },
    { "submit 2, stop user_stop", true, "status", "\"Stopped\"" },
    { "submit 2, stop user_stop", true, "failure_reason", "null" },
    /* It runs under another boot than this one: nothing is known of now. */
    { TRAINING, true, "training_start_time", "\"2026-09-21T14:13:21.000000Z\"" },
    { TRAINING, true, "training_end_time", "null" },
    { TRAINING, true, "billable_seconds", "0" },
    { TRAINING, true, "cost_usd", "\"0\"" },
    { DONE, false, "price", "null" },
    { DONE, false, "cost_usd", "null" },
    { DONE, false, "unpriced_instance_seconds", "82" },
    { DONE, true, "unpriced_instance_seconds", "0" },
    { DONE, false, "billable_seconds", "41" },
    /* What went less well in a job that completed. */
    { TRAINING ", remark 0 2000 torn, end 1 2000 completed", true, "end",
      "{\"cause\":\"completed\",\"exit_code\":0,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"algo-1: torn\"}" },
    { TRAINING ", remark 0 2000 torn, remark 1 2000 late", true, "end",
      "{\"cause\":\"completed\",\"exit_code\":0,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"algo-1: torn; algo-2: late\"}" },
    { "submit 1, place, ready 0 1000, launch 0 1010, remark 0 2000 torn", true, "end",
      "{\"cause\":\"completed\",\"exit_code\":0,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"torn\"}" },
    { "submit 1, place, ready 0 1000, launch 0 1010, remark 0 2000 torn", true, "failure_reason", "null" },
    /* Who had to be killed is what there is to say of a stop. */
    { TRAINING ", stop user_stop, end 0 2000 user_stop, lose 1 2000 user_stop", true, "end",
      "{\"cause\":\"user_stop\",\"exit_code\":null,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"its machine is gone\"}" },
    { TRAINING ", stop budget, end 0 2000 budget, end 1 2000 budget", true, "end",
      "{\"cause\":\"budget\",\"exit_code\":null,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"because\"}" },
    { TRAINING ", stop budget, end 0 2000 budget, end 1 2000 budget", true, "status", "\"Stopped\"" },
    { TRAINING ", stop budget, end 0 2000 budget, lose 1 2000 budget", true, "end",
      "{\"cause\":\"budget\",\"exit_code\":null,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"its machine is gone\"}" },
    { "submit 2, stop budget", true, "end",
      "{\"cause\":\"budget\",\"exit_code\":null,\"signal\":null,\"first_failing_rank\":null,"
      "\"message\":\"because\"}" },
    /* Why it failed, as SageMaker says it. */
    { TRAINING ", end 0 2000 failed, end 1 2000 peer", true, "failure_reason",
      "\"AlgorithmError: rank 0: exit code: 10; see its log\"" },
    { TRAINING ", end 0 2000 signal, end 1 2000 peer", true, "failure_reason",
      "\"AlgorithmError: a rank: killed by signal 0; see its log\"" },
    { TRAINING ", end 0 2000 oom, end 1 2000 peer", true, "failure_reason",
      "\"AlgorithmError: a rank ran out of memory: use an instance type with more, or smaller batches\"" },
    { TRAINING ", end 0 2000 infrastructure, end 1 2000 peer", true, "failure_reason", "\"InternalServerError: \"" },
    { TRAINING ", lose 0 2000, end 1 2000 peer", true, "failure_reason",
      "\"InternalServerError: a worker vanished: its machine is gone\"" },
    /* A stop that comes during an upload shows, though the upload goes on. */
    { TRAINING ", upload 0 2000 completed, upload 1 2000 completed", true, "status", "\"InProgress\"" },
    { TRAINING ", upload 0 2000 completed, upload 1 2000 completed, stop user_stop", true, "status", "\"Stopping\"" },
    { TRAINING ", upload 0 2000 completed, upload 1 2000 completed, stop user_stop", true, "secondary_status",
      "\"Uploading\"" },
    /* Its pool is accounted apart. */
    { WARM, true, "warm_pool",
      "{\"status\":\"InUse\",\"retained_billable_seconds\":0,\"reused_by\":null,\"cost_usd\":null,\"unpriced_instance_seconds\":0}" },
    { WARM ", end 0 11000 completed, end 1 11000 completed", true, "warm_pool",
      "{\"status\":\"Available\",\"retained_billable_seconds\":0,\"reused_by\":null,\"cost_usd\":\"0\",\"unpriced_instance_seconds\":0}" },
    { WARM ", end 0 11000 completed, end 1 11000 completed, cool 21000 two", true, "warm_pool",
      "{\"status\":\"Reused\",\"retained_billable_seconds\":10,\"reused_by\":\"two\",\"cost_usd\":\"0.001133333\",\"unpriced_instance_seconds\":0}" },
    { WARM ", end 0 11000 completed, end 1 11000 completed, cool 21000 two", true, "cost_usd", "\"0.001133333\"" },
    { WARM ", end 0 11000 completed, end 1 11000 completed, cool 71000", true, "warm_pool",
      "{\"status\":\"Terminated\",\"retained_billable_seconds\":60,\"reused_by\":null,\"cost_usd\":\"0.0068\",\"unpriced_instance_seconds\":0}" },
    { "submit 2, place, fail launch", true, "failure_reason",
      "\"ClientError: the program could not be started: because\"" },
    { "submit 2, place, fail infrastructure", true, "failure_reason", "\"InternalServerError: because\"" },
    { TRAINING ", end 0 2000 max_run, end 1 2000 peer", true, "failure_reason", "null" },
    { TRAINING ", end 0 2000 max_run, end 1 2000 peer", true, "status", "\"Stopped\"" },
    { TRAINING ", end 0 2000 max_run, end 1 2000 peer", true, "secondary_status", "\"MaxRuntimeExceeded\"" },
};
/* clang-format on */

START_TEST(a_member_says_what_is_known_and_null_otherwise)
{
    auto_json struct cJSON *report =
        report_of(rows[_i].steps, rows[_i].is_offered ? &offer : NULL);

    expect(report, rows[_i].member, rows[_i].wanted);
}
END_TEST

static const struct cJSON *item(const struct cJSON *array, int index)
{
    const struct cJSON *found = json_first(array);

    while (index-- > 0)
        found = json_next(found);
    return found;
}

START_TEST(every_attempt_has_its_own_end_and_workers)
{
    auto_json struct cJSON *report = report_of(
        "submit 2 0 3 infrastructure, place, ready 0 1000, ready 1 1000, launch 0 1010, launch 1 1010,"
        "lose 1 3500, end 0 4200 peer, place, ready 0 61000, ready 1 61000, launch 0 61010, launch 1 61010,"
        "end 0 71500 completed, end 1 71600 completed",
        &offer);
    const struct cJSON *attempts = json_get(report, "attempts");
    const struct cJSON *first = item(attempts, 0), *second = item(attempts, 1);

    ck_assert_uint_eq(json_count(attempts), 2);
    expect(first, "attempt", "1");
    expect(first, "billable_seconds", "4");
    ck_assert_str_eq(json_get_text(json_get(first, "end"), "cause"), "lost");
    ck_assert_str_eq(json_get_text(json_get(item(json_get(first, "workers"), 0), "end"),
                                   "cause"),
                     "peer");
    expect(second, "attempt", "2");
    expect(second, "billable_seconds", "11");
    ck_assert_str_eq(json_get_text(json_get(second, "end"), "cause"), "completed");
    ck_assert_str_eq(
        json_get_text(json_get(item(json_get(second, "workers"), 1), "end"), "cause"),
        "completed");
    expect(report, "billable_seconds", "15");
}
END_TEST

START_TEST(an_attempt_that_is_over_has_its_end_before_the_next_begins)
{
    auto_json struct cJSON *report =
        report_of("submit 1 0 3 infrastructure, place, lose 0 0", &offer);
    const struct cJSON *attempt = json_first(json_get(report, "attempts"));

    expect(report, "secondary_status", "\"Restarting\"");
    expect(report, "end", "null");
    ck_assert_str_eq(json_get_text(json_get(attempt, "end"), "cause"), "lost");
}
END_TEST

static struct job_row row(void)
{
    struct job_row row = { .job_id = 1,
                           .name = "one",
                           .owner = "ana",
                           .instance_type = "ml.c5.xlarge",
                           .scheduler = "local",
                           .instance_count = 2,
                           .state = JOB_MAX_RUNTIME_EXCEEDED,
                           .status = "Stopped",
                           .created_us = LIFE_WALL_ZERO,
                           .changed_us = LIFE_WALL_ZERO + 1,
                           .has_bill = true,
                           .billable_seconds = 41,
                           .priced = true,
                           .cost = 4646667,
                           .unpriced_seconds = 3 };

    return row;
}

START_TEST(a_row_of_a_list_has_its_cost_once_it_is_known)
{
    struct job_row one = row();
    auto_json struct cJSON *priced = report_row(&one);
    auto_json struct cJSON *unpriced = NULL;
    auto_json struct cJSON *running = NULL;

    expect(priced, "status", "\"Stopped\"");
    expect(priced, "secondary_status", "\"MaxRuntimeExceeded\"");
    expect(priced, "billable_seconds", "41");
    expect(priced, "cost_usd", "\"0.004646667\"");
    expect(priced, "unpriced_instance_seconds", "3");
    expect(priced, "changed_at", "\"2026-09-21T14:13:20.000001Z\"");
    one.priced = false;
    unpriced = report_row(&one);
    expect(unpriced, "billable_seconds", "41");
    expect(unpriced, "cost_usd", "null");
    one.has_bill = false;
    running = report_row(&one);
    expect(running, "billable_seconds", "null");
    expect(running, "cost_usd", "null");
    expect(running, "unpriced_instance_seconds", "null");
}
END_TEST

Suite *suite_report(void);

Suite *suite_report(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("jobs");

    tcase_add_test(tests, an_ended_job_has_every_member_of_the_design);
    tcase_add_loop_test(tests, a_member_says_what_is_known_and_null_otherwise, 0,
                        ARRAY_SIZE(rows));
    tcase_add_test(tests, every_attempt_has_its_own_end_and_workers);
    tcase_add_test(tests, an_attempt_that_is_over_has_its_end_before_the_next_begins);
    tcase_add_test(tests, a_row_of_a_list_has_its_cost_once_it_is_known);
    suite_add_tcase(suite, tests);
    return suite;
}
