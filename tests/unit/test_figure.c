/* What a dollar bought, in exact texts, and every reason why that cannot be said. */

#include "daemon/figure.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char unit[] = "samples";
static char work_metric[] = "train:samples_seen";
static char work_amount[] = "180000";
static char objective_metric[] = "eval:accuracy";
static char target[] = "0.93";

/* The design's example: 82 instance-seconds of 0.204 USD an hour. */
static const struct bill example = { .billable_seconds = 41,
                                     .instance_seconds = 82,
                                     .priced = true,
                                     .cost = 4646667 };

/* clang-format off */
static const struct {
    const char *metrics;
    bool has_work, has_metric, has_amount, completed;
    int64_t billable;      /* seconds; 0: nothing was billed */
    nanousd_t cost;        /* -1: unpriced */
    const char *figure;
} rows[] = {
    { "{\"train:samples_seen\":{\"last\":180000}}", true, true, false, true, 41, 4646667,
      "{\"work\":\"180000\",\"unit\":\"samples\",\"per_second\":4390.2,\"per_usd\":\"38737443.4\","
      "\"usd_per_million\":\"0.025815\",\"objective\":null,\"unavailable\":null}" },
    /* A metric counts whatever the end was. */
    { "{\"train:samples_seen\":{\"last\":1.5e3}}", true, true, false, false, 41, 4646667,
      "{\"work\":\"1.5e3\",\"unit\":\"samples\",\"per_second\":36.6,\"per_usd\":\"322812.0\","
      "\"usd_per_million\":\"3.097778\",\"objective\":null,\"unavailable\":null}" },
    { "{}", true, false, true, true, 41, 4646667,
      "{\"work\":\"180000\",\"unit\":\"samples\",\"per_second\":4390.2,\"per_usd\":\"38737443.4\","
      "\"usd_per_million\":\"0.025815\",\"objective\":null,\"unavailable\":null}" },
    { "{}", true, false, true, false, 41, 4646667,
      "{\"work\":null,\"unit\":\"samples\",\"objective\":null,"
      "\"unavailable\":\"the job did not complete, and its work is a fixed amount\"}" },
    { "{}", false, false, false, true, 41, 4646667,
      "{\"work\":null,\"unit\":null,\"objective\":null,"
      "\"unavailable\":\"the spec has no `work`: nothing says what a dollar bought\"}" },
    { "{\"other\":{\"last\":1}}", true, true, false, true, 41, 4646667,
      "{\"work\":null,\"unit\":\"samples\",\"objective\":null,"
      "\"unavailable\":\"the work metric never appeared in the log\"}" },
    { "{\"train:samples_seen\":{\"last\":180000}}", true, true, false, true, 0, 0,
      "{\"work\":null,\"unit\":\"samples\",\"objective\":null,\"unavailable\":\"nothing was billed\"}" },
    { "{\"train:samples_seen\":{\"last\":-1}}", true, true, false, true, 41, 4646667,
      "{\"work\":null,\"unit\":\"samples\",\"objective\":null,"
      "\"unavailable\":\"the work metric is not a number from 0 to 10^18\"}" },
    { "{\"train:samples_seen\":{\"last\":1e19}}", true, true, false, true, 41, 4646667,
      "{\"work\":null,\"unit\":\"samples\",\"objective\":null,"
      "\"unavailable\":\"the work metric is not a number from 0 to 10^18\"}" },
    /* Throughput needs no price. */
    { "{\"train:samples_seen\":{\"last\":180000}}", true, true, false, true, 41, -1,
      "{\"work\":\"180000\",\"unit\":\"samples\",\"per_second\":4390.2,\"objective\":null,"
      "\"unavailable\":\"the instance type has no price: set usd_per_hour in a pool of railhead.yaml(5)\"}" },
    { "{\"train:samples_seen\":{\"last\":180000}}", true, true, false, true, 41, 0,
      "{\"work\":\"180000\",\"unit\":\"samples\",\"per_second\":4390.2,\"objective\":null,"
      "\"unavailable\":\"the cost is zero\"}" },
    { "{\"train:samples_seen\":{\"last\":0}}", true, true, false, true, 41, 4646667,
      "{\"work\":\"0\",\"unit\":\"samples\",\"per_second\":0.0,\"per_usd\":\"0.0\",\"objective\":null,"
      "\"unavailable\":\"no work was done\"}" },
};

static const struct {
    enum goal goal;
    bool has_target;
    const char *metrics;
    const char *objective;
} objectives[] = {
    { GOAL_MAXIMIZE, true, "{\"eval:accuracy\":{\"last\":0.93}}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"maximize\",\"value\":0.93,\"target\":0.93,\"reached\":true}" },
    { GOAL_MAXIMIZE, true, "{\"eval:accuracy\":{\"last\":0.9299}}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"maximize\",\"value\":0.9299,\"target\":0.93,\"reached\":false}" },
    { GOAL_MINIMIZE, true, "{\"eval:accuracy\":{\"last\":0.93}}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"minimize\",\"value\":0.93,\"target\":0.93,\"reached\":true}" },
    { GOAL_MINIMIZE, true, "{\"eval:accuracy\":{\"last\":0.94}}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"minimize\",\"value\":0.94,\"target\":0.93,\"reached\":false}" },
    { GOAL_MINIMIZE, false, "{\"eval:accuracy\":{\"last\":0.94}}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"minimize\",\"value\":0.94}" },
    /* What never appeared was not reached. */
    { GOAL_MAXIMIZE, true, "{}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"maximize\",\"value\":null,\"target\":0.93,\"reached\":false}" },
    { GOAL_MAXIMIZE, false, "{}",
      "{\"metric\":\"eval:accuracy\",\"goal\":\"maximize\",\"value\":null}" },
};
/* clang-format on */

static struct cJSON *parsed(const char *text)
{
    struct cJSON *json;
    struct err err;

    if (json_parse(text, strlen(text), &json, &err) < 0)
        ck_abort_msg("%s", err.text);
    return json;
}

START_TEST(a_figure_says_what_was_bought_or_why_not)
{
    const struct job_spec spec = { .work_unit = rows[_i].has_work ? unit : NULL,
                                   .work_metric =
                                       rows[_i].has_metric ? work_metric : NULL,
                                   .work_amount =
                                       rows[_i].has_amount ? work_amount : NULL };
    const struct bill bill = { .billable_seconds = rows[_i].billable,
                               .instance_seconds = rows[_i].billable * 2,
                               .priced = rows[_i].cost >= 0,
                               .cost = rows[_i].cost < 0 ? 0 : rows[_i].cost };
    auto_json struct cJSON *metrics = parsed(rows[_i].metrics);
    auto_json struct cJSON *figure =
        figure_of(&spec, &bill, metrics, rows[_i].completed);
    auto_free char *text = json_print(figure);

    ck_assert_str_eq(text, rows[_i].figure);
}
END_TEST

START_TEST(work_per_dollar_is_not_told_where_a_part_has_no_price)
{
    const struct job_spec spec = { .work_unit = unit, .work_amount = work_amount };
    struct bill bill = example;
    auto_json struct cJSON *metrics = parsed("{}");
    auto_json struct cJSON *figure = NULL;

    bill.unpriced_seconds = 1;
    figure = figure_of(&spec, &bill, metrics, true);
    ck_assert_ptr_null(json_get(figure, "per_usd"));
    ck_assert_str_eq(json_get_text(figure, "unavailable"),
                     "a part of its time has no price");
}
END_TEST

START_TEST(an_objective_is_reached_or_not_on_its_own_side)
{
    const struct job_spec spec = { .work_unit = unit,
                                   .work_amount = work_amount,
                                   .objective_metric = objective_metric,
                                   .objective_goal = objectives[_i].goal,
                                   .objective_target =
                                       objectives[_i].has_target ? target : NULL };
    auto_json struct cJSON *metrics = parsed(objectives[_i].metrics);
    auto_json struct cJSON *figure = figure_of(&spec, &example, metrics, true);
    auto_free char *text = json_print(json_get(figure, "objective"));

    ck_assert_str_eq(text, objectives[_i].objective);
}
END_TEST

Suite *suite_figure(void);

Suite *suite_figure(void)
{
    Suite *suite = suite_create("figure");
    TCase *tests = tcase_create("figures");

    tcase_add_loop_test(tests, a_figure_says_what_was_bought_or_why_not, 0,
                        ARRAY_SIZE(rows));
    tcase_add_test(tests, work_per_dollar_is_not_told_where_a_part_has_no_price);
    tcase_add_loop_test(tests, an_objective_is_reached_or_not_on_its_own_side, 0,
                        ARRAY_SIZE(objectives));
    suite_add_tcase(suite, tests);
    return suite;
}
