/* What intervals cost, to the last digit, and what an open or a lost one counts. */

#include "daemon/bill.h"
#include "src/money.h"
#include "src/yaml.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <string.h>

#define HOURLY INT64_C(204000000) /* ml.c5.xlarge, 0.204 USD */
#define WALL   INT64_C(1790000000000000)

static struct interval closed(int attempt, int worker, int64_t seconds)
{
    struct interval interval = { .attempt = attempt,
                                 .worker = worker,
                                 .closed = true,
                                 .open_boot_us = 5 * USEC_PER_SEC,
                                 .open_wall_us = WALL,
                                 .close_boot_us = (5 + seconds) * USEC_PER_SEC,
                                 .seconds = seconds,
                                 .priced = true,
                                 .hourly = HOURLY };

    strcpy(interval.boot_id, "this boot");
    return interval;
}

static struct bill bill(const struct interval *intervals, size_t count,
                        const struct bill_now *now)
{
    struct bill made;
    struct err err;

    if (bill_of(intervals, count, now, &made, &err) < 0)
        ck_abort_msg("%s", err.text);
    return made;
}

/* clang-format off */
static const struct {
    nanousd_t hourly;
    int64_t seconds;
    int count;
    const char *cost;
} costs[] = {
    { HOURLY,              41,    2, "0.004646667" }, /* the design's example; railhead-billing(7)'s, too */
    { HOURLY,              3600,  1, "0.204" },
    { HOURLY,              0,     4, "0" },
    { INT64_C(24725000000), 86399, 16, "9494.290111111" },
    { 1,                   1799,  1, "0" },
    { 1,                   1800,  1, "0" },           /* half: to the even one */
    { 1,                   1800,  3, "0.000000002" }, /* 1.5: to the even one, rounded once and not thrice */
    { 1,                   1801,  1, "0.000000001" },
    { 1,                   1000,  2, "0.000000001" }, /* 2000 instance-seconds; each alone would be 0 */
    { 0,                   500,   2, "0" },
};
/* clang-format on */

START_TEST(an_attempt_is_rounded_once)
{
    struct interval intervals[16];
    char cost[MONEY_TEXT_SIZE];
    struct bill made;

    for (int i = 0; i < costs[_i].count; i++) {
        intervals[i] = closed(1, i, costs[_i].seconds);
        intervals[i].hourly = costs[_i].hourly;
    }
    made = bill(intervals, (size_t)costs[_i].count, NULL);
    ck_assert_str_eq(money_format(made.cost, cost), costs[_i].cost);
    ck_assert(made.priced);
    ck_assert(!made.open);
    ck_assert_int_eq(made.billable_seconds, costs[_i].seconds);
    ck_assert_int_eq(made.instance_seconds, costs[_i].seconds * costs[_i].count);
}
END_TEST

START_TEST(shares_of_the_workers_add_up_to_the_attempt)
{
    struct interval intervals[7];

    for (int64_t seconds = 1; seconds < 4000; seconds += 7) {
        int64_t before = 0;
        nanousd_t sum = 0;

        for (int i = 0; i < 7; i++) {
            nanousd_t share;
            struct err err;

            intervals[i] = closed(1, i, i == 3 ? seconds / 2 : seconds);
            ck_assert_int_eq(money_for_part(HOURLY, before,
                                            before + intervals[i].seconds, &share,
                                            &err),
                             0);
            before += intervals[i].seconds;
            sum += share;
        }
        ck_assert_int_eq(bill(intervals, 7, NULL).cost, sum);
    }
}
END_TEST

START_TEST(attempts_add_up_to_the_job)
{
    const struct interval intervals[] = { closed(1, 0, 10), closed(1, 1, 10),
                                          closed(3, 0, 31), closed(3, 1, 31) };
    struct bill whole = bill(intervals, 4, NULL);
    struct bill first, none, third;
    struct err err;

    ck_assert_int_eq(bill_of_attempt(intervals, 4, 1, NULL, &first, &err), 0);
    ck_assert_int_eq(bill_of_attempt(intervals, 4, 2, NULL, &none, &err), 0);
    ck_assert_int_eq(bill_of_attempt(intervals, 4, 3, NULL, &third, &err), 0);
    ck_assert_int_eq(first.billable_seconds, 10);
    ck_assert_int_eq(none.billable_seconds, 0);
    ck_assert_int_eq(none.cost, 0);
    ck_assert_int_eq(third.instance_seconds, 62);
    ck_assert_int_eq(whole.billable_seconds, 41);
    ck_assert_int_eq(whole.instance_seconds, 82);
    ck_assert_int_eq(whole.cost, first.cost + third.cost);
}
END_TEST

START_TEST(a_lost_worker_is_billed_less_and_does_not_end_the_job_early)
{
    const struct interval intervals[] = { closed(1, 0, 41), closed(1, 1, 12) };
    struct bill made = bill(intervals, 2, NULL);

    ck_assert_int_eq(made.billable_seconds, 41);
    ck_assert_int_eq(made.instance_seconds, 53);
    ck_assert_int_eq(made.start_wall, WALL);
    ck_assert_int_eq(made.end_wall, WALL + 41 * USEC_PER_SEC);
}
END_TEST

START_TEST(an_open_interval_counts_up_to_now_under_its_own_boot_alone)
{
    const struct bill_now now = { "this boot", 16 * USEC_PER_SEC - 1 };
    const struct bill_now early = { "this boot", 4 * USEC_PER_SEC };
    const struct bill_now other = { "other boot", 15 * USEC_PER_SEC };
    struct interval intervals[] = { closed(1, 0, 3), closed(1, 1, 3) };
    struct bill attempt;
    struct err err;

    intervals[0].closed = false;
    ck_assert_int_eq(bill(intervals, 2, &now).instance_seconds, 10 + 3);
    ck_assert(bill(intervals, 2, &now).open);
    ck_assert_int_eq(bill(intervals, 2, &now).end_wall, 0);
    ck_assert_int_eq(bill(intervals, 2, &early).instance_seconds, 3);
    ck_assert_int_eq(bill(intervals, 2, &other).instance_seconds, 3);
    ck_assert_int_eq(bill(intervals, 2, NULL).instance_seconds, 3);
    ck_assert_int_eq(bill_of_attempt(intervals, 2, 1, &now, &attempt, &err), 0);
    ck_assert_int_eq(attempt.billable_seconds, 10);
}
END_TEST

static struct interval unpriced(int attempt, int worker, int64_t seconds)
{
    struct interval interval = closed(attempt, worker, seconds);

    interval.priced = false;
    interval.hourly = 0;
    return interval;
}

START_TEST(what_has_no_price_is_told_beside_the_cost_of_the_rest)
{
    const struct interval intervals[] = { closed(1, 0, 41), closed(1, 1, 41),
                                          unpriced(2, 0, 10), unpriced(2, 1, 9) };
    struct bill made = bill(intervals, 4, NULL);

    ck_assert(made.priced);
    ck_assert_int_eq(made.cost, 4646667);
    ck_assert_int_eq(made.unpriced_seconds, 19);
    ck_assert_int_eq(made.instance_seconds, 101);
    ck_assert_int_eq(made.billable_seconds, 51);
}
END_TEST

START_TEST(what_runs_before_a_price_is_set_costs_nothing_known)
{
    const struct price_cut cut = { 10, HOURLY };
    struct interval intervals[] = { unpriced(1, 0, 51), unpriced(1, 1, 51) };
    struct bill made;

    intervals[0].cuts = intervals[1].cuts = &cut;
    intervals[0].cut_count = intervals[1].cut_count = 1;
    made = bill(intervals, 2, NULL);
    ck_assert(made.priced);
    ck_assert_int_eq(made.cost, 4646667);
    ck_assert_int_eq(made.unpriced_seconds, 20);
}
END_TEST

START_TEST(a_job_without_any_price_has_no_cost)
{
    const struct interval intervals[] = { unpriced(1, 0, 10), unpriced(2, 0, 0) };

    ck_assert(!bill(intervals, 2, NULL).priced);
    ck_assert_int_eq(bill(intervals, 2, NULL).unpriced_seconds, 10);
    ck_assert(!bill(&intervals[1], 1, NULL).priced);
}
END_TEST

START_TEST(no_intervals_cost_nothing)
{
    struct bill made = bill(NULL, 0, NULL);

    ck_assert(made.priced);
    ck_assert_int_eq(made.cost, 0);
    ck_assert_int_eq(made.billable_seconds, 0);
    ck_assert_int_eq(made.start_wall, 0);
    ck_assert_int_eq(made.end_wall, 0);
    ck_assert(!made.open);
}
END_TEST

START_TEST(a_sum_that_does_not_fit_is_refused)
{
    struct interval intervals[] = { closed(1, 0, 3600), closed(2, 0, 3600) };
    struct bill made = { .cost = 77 };
    struct err err;

    intervals[0].hourly = intervals[1].hourly = INT64_MAX;
    ck_assert_int_lt(bill_of(intervals, 2, NULL, &made, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(made.cost, 77);
    intervals[0].seconds = 3601;
    ck_assert_int_lt(bill_of(intervals, 1, NULL, &made, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

START_TEST(each_price_is_rounded_once_and_no_other)
{
    const struct price_cut cuts[] = { { 1000, 3 }, { 2000, 1 } };
    struct interval intervals[] = { closed(1, 0, 2500), closed(1, 1, 1500) };
    struct bill made;

    intervals[0].hourly = intervals[1].hourly = 1;
    intervals[0].cuts = intervals[1].cuts = cuts;
    intervals[0].cut_count = 2;
    intervals[1].cut_count = 1;
    made = bill(intervals, 2, NULL);
    /* 2000 at 1: 0.56; 1500 at 3: 1.25; 500 at 1: 0.14 */
    ck_assert_int_eq(made.cost, 1 + 1 + 0);
    ck_assert_int_eq(made.instance_seconds, 4000);
}
END_TEST

/* An example of railhead-billing(7): lengths in, the rest as it says. */
static void compute_example(const char *yaml)
{
    struct interval intervals[16];
    struct price_cut cuts[4];
    auto_json struct cJSON *json = NULL;
    char cost[MONEY_TEXT_SIZE];
    nanousd_t hourly;
    size_t count = 0, cut_count = 0;
    struct bill made;
    struct err err;

    if (yaml_parse(yaml, strlen(yaml), &json, &err) < 0
        || money_parse(json_get_text(json, "usd_per_hour"), &hourly, &err) < 0)
        ck_abort_msg("%s", err.text);
    json_each (change, json_get(json, "changes")) {
        ck_assert_uint_lt(cut_count, ARRAY_SIZE(cuts));
        cuts[cut_count].from_second = json_get_int(change, "from_second", 0);
        if (money_parse(json_get_text(change, "usd_per_hour"),
                        &cuts[cut_count++].hourly, &err)
            < 0)
            ck_abort_msg("%s", err.text);
    }
    json_each (length, json_get(json, "lengths")) {
        usec_t span;

        ck_assert(json_to_int(length, &span));
        ck_assert_uint_lt(count, 16);
        intervals[count] = closed(1, (int)count, money_billable_seconds(span));
        intervals[count].cuts = cuts;
        intervals[count].cut_count = cut_count;
        intervals[count++].hourly = hourly;
    }
    made = bill(intervals, count, NULL);
    ck_assert_int_eq(made.billable_seconds, json_get_int(json, "billable_seconds", -1));
    ck_assert_int_eq(made.instance_seconds, json_get_int(json, "instance_seconds", -1));
    ck_assert_str_eq(money_format(made.cost, cost), json_get_text(json, "cost_usd"));
}

START_TEST(the_examples_of_the_manual_are_right)
{
    manual_examples("railhead-billing.7", compute_example);
}
END_TEST

Suite *suite_bill(void);

Suite *suite_bill(void)
{
    Suite *suite = suite_create("bill");
    TCase *tests = tcase_create("intervals");

    tcase_add_loop_test(tests, an_attempt_is_rounded_once, 0, ARRAY_SIZE(costs));
    tcase_add_test(tests, shares_of_the_workers_add_up_to_the_attempt);
    tcase_add_test(tests, attempts_add_up_to_the_job);
    tcase_add_test(tests, a_lost_worker_is_billed_less_and_does_not_end_the_job_early);
    tcase_add_test(tests, an_open_interval_counts_up_to_now_under_its_own_boot_alone);
    tcase_add_test(tests, what_has_no_price_is_told_beside_the_cost_of_the_rest);
    tcase_add_test(tests, what_runs_before_a_price_is_set_costs_nothing_known);
    tcase_add_test(tests, a_job_without_any_price_has_no_cost);
    tcase_add_test(tests, each_price_is_rounded_once_and_no_other);
    tcase_add_test(tests, no_intervals_cost_nothing);
    tcase_add_test(tests, a_sum_that_does_not_fit_is_refused);
    tcase_add_test(tests, the_examples_of_the_manual_are_right);
    suite_add_tcase(suite, tests);
    return suite;
}
