/* What bounds a bill, what runs of the same tell about the next one, and what the pace
 * of the work tells about its end. */

#include "daemon/estimate.h"

#include <check.h>
#include <math.h>

/* clang-format off */
static const struct {
    struct run_bounds bounds; /* instances, max_run, grace, attempts, keep_alive */
    nanousd_t hourly;
    int64_t seconds;
    nanousd_t most;
    nanousd_t warm;
} bounded[] = {
    { { 1, 3600, 120, 1,    0 },   204000000,  3721,      210856667,          0 },
    { { 2, 3600, 120, 1, 1800 },   204000000,  3721,      421713333,  204000000 },
    { { 1,    1,   0, 1,    0 },  3600000000,     2,        2000000,          0 },
    { { 1, 3600, 120, 3,    0 },  3600000000,  3723,     3723000000,          0 },
    { { 4, 3600, 120, 1,    0 },           0,  3721,              0,          0 },
};
/* clang-format on */

START_TEST(the_most_is_max_run_and_grace_and_a_second_an_attempt)
{
    const struct run_bounds *bounds = &bounded[_i].bounds;
    nanousd_t most, warm;
    struct err err;

    ck_assert_int_eq(estimate_most_seconds(bounds), bounded[_i].seconds);
    ck_assert_int_eq(estimate_most_cost(bounds, bounded[_i].hourly, &most, &err), 0);
    ck_assert_int_eq(estimate_warm_cost(bounds, bounded[_i].hourly, &warm, &err), 0);
    ck_assert_int_eq(most, bounded[_i].most);
    ck_assert_int_eq(warm, bounded[_i].warm);
}
END_TEST

START_TEST(a_cost_that_does_not_fit_is_refused)
{
    const struct run_bounds bounds = { 1000, 2419200, 3600, 30, 21600 };
    nanousd_t cost = 7;
    struct err err;

    ck_assert_int_lt(estimate_most_cost(&bounds, INT64_MAX, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_lt(estimate_warm_cost(&bounds, INT64_MAX, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(cost, 7);
}
END_TEST

START_TEST(attempts_count_where_something_leads_to_another)
{
    struct job_spec spec = { .instance_count = 2,
                             .max_run_s = 60,
                             .grace_s = 5,
                             .max_attempts = 3 };
    struct job job = { .instance_count = 2,
                       .max_run_s = 60,
                       .grace_s = 5,
                       .max_attempts = 3 };
    struct run_bounds of_spec = run_bounds_of_spec(&spec);
    struct run_bounds of_job = run_bounds_of_job(&job);

    ck_assert_int_eq(estimate_most_seconds(&of_spec), 66);
    ck_assert_int_eq(estimate_most_seconds(&of_job), 66);
    spec.retry_on = RETRY_INTERRUPTED;
    job.retry_causes = 1U << END_INTERRUPTED;
    of_spec = run_bounds_of_spec(&spec);
    of_job = run_bounds_of_job(&job);
    ck_assert_int_eq(estimate_most_seconds(&of_spec), 68);
    ck_assert_int_eq(estimate_most_seconds(&of_job), 68);
}
END_TEST

/* --- chance, the same each time (xorshift64*) --- */

static uint64_t chance_state;

/* Above 0 and below 1. */
static double chance(void)
{
    chance_state ^= chance_state >> 12;
    chance_state ^= chance_state << 25;
    chance_state ^= chance_state >> 27;
    return ((double)(chance_state * UINT64_C(2685821657736338717) >> 11) + 0.5)
           / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(void)
{
    double radius = sqrt(-2 * log(chance()));

    return radius * cos(2 * M_PI * chance());
}

/* Billable seconds of a run about 40,000 s, give or take 10 %. */
static int64_t a_run(void)
{
    return (int64_t)ceil(40000 * exp(0.1 * normal()));
}

/* As the job machine has it: an attempt gets what is left of max_run, earlier ones
 * counted in whole seconds, and then its grace; another one follows while max_run is
 * not used up. */
static int64_t billed_at_worst(const struct run_bounds *bounds)
{
    usec_t used = 0;
    int64_t billed = 0;

    for (int i = 0; i < bounds->attempts; i++) {
        int64_t left_s = bounds->max_run_s - used / USEC_PER_SEC + bounds->grace_s;
        usec_t run = (usec_t)(chance() * (double)(left_s * USEC_PER_SEC)) + 1;

        if (used >= bounds->max_run_s * USEC_PER_SEC)
            break;
        if (i + 1 == bounds->attempts)
            run = left_s * USEC_PER_SEC;
        used += run;
        billed += money_billable_seconds(run);
    }
    return billed;
}

START_TEST(no_course_of_attempts_is_billed_for_more)
{
    chance_state = 42;
    for (int trial = 0; trial < 20000; trial++) {
        const struct run_bounds bounds = { .instances = 1,
                                           .max_run_s = 1 + (int64_t)(chance() * 30),
                                           .grace_s = (int64_t)(chance() * 5),
                                           .attempts = 1 + (int)(chance() * 6) };

        ck_assert_int_le(billed_at_worst(&bounds), estimate_most_seconds(&bounds));
    }
}
END_TEST

/* --- from runs --- */

START_TEST(without_runs_nothing_is_likely)
{
    struct likely likely;

    ck_assert(!estimate_from_runs(NULL, 0, 0, &likely));
}
END_TEST

START_TEST(one_run_is_a_guess_without_a_band)
{
    const int64_t runs[] = { 41 };
    struct likely likely;

    ck_assert(estimate_from_runs(runs, 1, 0, &likely));
    ck_assert_int_eq(likely.seconds, 41);
    ck_assert(!likely.has_band);
    ck_assert(estimate_from_runs(runs, 1, 40, &likely));
    ck_assert(!estimate_from_runs(runs, 1, 41, &likely));
}
END_TEST

/* sqrt(100 * 110) = 104.88; the logarithms deviate by ln(1.1) / sqrt(2), the next run
 * by sqrt(1 + 1/2) as much, and t of one degree of freedom is 12.706 at 97.5 %:
 * 104.88 * e^-1.0488 = 36.7, 104.88 * e^1.0488 = 299.3. */
START_TEST(two_runs_have_the_wide_band_of_t)
{
    const int64_t runs[] = { 100, 110 };
    struct likely likely;

    ck_assert(estimate_from_runs(runs, 2, 0, &likely));
    ck_assert(likely.has_band);
    ck_assert_int_eq(likely.seconds, 105);
    ck_assert_int_eq(likely.low, 36);
    ck_assert_int_eq(likely.high, 300);
}
END_TEST

START_TEST(runs_of_the_same_second_may_differ_by_the_rounding)
{
    const int64_t runs[] = { 41, 41, 41, 41, 41 };
    struct likely likely;

    ck_assert(estimate_from_runs(runs, 5, 0, &likely));
    ck_assert_int_eq(likely.seconds, 41);
    ck_assert_int_eq(likely.low, 40);
    ck_assert_int_eq(likely.high, 42);
}
END_TEST

START_TEST(runs_that_lie_far_apart_have_a_band_that_fits_an_integer)
{
    const int64_t runs[] = { 1, 2419200 };
    struct likely likely;

    ck_assert(estimate_from_runs(runs, 2, 0, &likely));
    ck_assert_int_eq(likely.low, 0);
    ck_assert_int_eq(likely.high, INT32_MAX);
}
END_TEST

START_TEST(the_band_covers_the_next_run_in_95_of_100_cases)
{
    static const size_t counts[] = { 2, 3, 5, 20, ESTIMATE_RUNS_MAX };
    int64_t runs[ESTIMATE_RUNS_MAX];
    struct likely likely;
    int covered = 0;

    chance_state = 7 + (uint64_t)_i;
    for (int trial = 0; trial < 1000; trial++) {
        int64_t next;

        for (size_t i = 0; i < counts[_i]; i++)
            runs[i] = a_run();
        next = a_run();
        ck_assert(estimate_from_runs(runs, counts[_i], 0, &likely));
        covered += next >= likely.low && next <= likely.high;
    }
    ck_assert_int_ge(covered, 930);
    ck_assert_int_le(covered, 970);
}
END_TEST

/* Of those runs that have lasted for 42,000 s, which are the longer ones. */
START_TEST(the_band_covers_what_runs_on_as_often)
{
    int64_t runs[10];
    struct likely likely;
    int covered = 0, trials = 0;

    chance_state = 99;
    while (trials < 1000) {
        int64_t next = a_run();

        for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
            runs[i] = a_run();
        if (next <= 42000
            || !estimate_from_runs(runs, ARRAY_SIZE(runs), 42000, &likely))
            continue;
        ck_assert_int_ge(likely.low, 42000);
        ck_assert_int_gt(likely.seconds, 42000);
        covered += next >= likely.low && next <= likely.high;
        trials++;
    }
    ck_assert_int_ge(covered, 930);
    ck_assert_int_le(covered, 980);
}
END_TEST

START_TEST(what_outlasts_nearly_all_has_no_estimate)
{
    const int64_t runs[] = { 398, 401, 404, 399, 403, 402 };
    struct likely likely;

    ck_assert(estimate_from_runs(runs, ARRAY_SIZE(runs), 402, &likely));
    ck_assert(!estimate_from_runs(runs, ARRAY_SIZE(runs), 410, &likely));
}
END_TEST

/* --- from work --- */

/* clang-format off */
static const struct {
    struct work_readings work; /* in seconds here */
    double planned;
    usec_t now;
    int64_t left; /* -1: not known */
} worked[] = {
    { {   0,   0,  100, 10 },  1000,  10,  90 },
    { {   0,   0,  100, 10 },  1000,  14,  86 }, /* since the reading four went by */
    { { 500,   0,  600, 10 },  1000,  10,  40 }, /* goes on from a checkpoint */
    { {   0,   0, 1000, 10 },  1000,  10,   0 },
    { {   0,   0,   10, 10 },  1010,  10, 1000 },
    { {   0,   0,   10, 10 },  1011,  10,  -1 }, /* more than a hundredfold is left */
    { {   0,   0,  100, 10 },  1000, 101,  -1 }, /* should have been done by now */
    { { 100,   0,  100, 10 },  1000,  10,  -1 }, /* stands still */
    { { 100,   0,   90, 10 },  1000,  10,  -1 }, /* goes back */
    { { 100,  10,  100, 10 },  1000,  10,  -1 }, /* one reading */
    { { 100,  10,  200,  5 },  1000,  10,  -1 }, /* the clock was set back */
};
/* clang-format on */

START_TEST(work_goes_on_as_it_did)
{
    struct work_readings work = worked[_i].work;
    int64_t left = -1;

    work.first_at *= USEC_PER_SEC;
    work.last_at *= USEC_PER_SEC;
    ck_assert_int_eq(estimate_from_work(&work, worked[_i].planned,
                                        worked[_i].now * USEC_PER_SEC, &left),
                     worked[_i].left >= 0);
    ck_assert_int_eq(left, worked[_i].left);
}
END_TEST

Suite *suite_estimate(void)
{
    Suite *suite = suite_create("estimate");
    TCase *tests = tcase_create("estimate");

    tcase_add_loop_test(tests, the_most_is_max_run_and_grace_and_a_second_an_attempt, 0,
                        ARRAY_SIZE(bounded));
    tcase_add_test(tests, a_cost_that_does_not_fit_is_refused);
    tcase_add_test(tests, attempts_count_where_something_leads_to_another);
    tcase_add_test(tests, no_course_of_attempts_is_billed_for_more);
    tcase_add_test(tests, without_runs_nothing_is_likely);
    tcase_add_test(tests, one_run_is_a_guess_without_a_band);
    tcase_add_test(tests, two_runs_have_the_wide_band_of_t);
    tcase_add_test(tests, runs_of_the_same_second_may_differ_by_the_rounding);
    tcase_add_test(tests, runs_that_lie_far_apart_have_a_band_that_fits_an_integer);
    tcase_add_loop_test(tests, the_band_covers_the_next_run_in_95_of_100_cases, 0, 5);
    tcase_add_test(tests, the_band_covers_what_runs_on_as_often);
    tcase_add_test(tests, what_outlasts_nearly_all_has_no_estimate);
    tcase_add_loop_test(tests, work_goes_on_as_it_did, 0, ARRAY_SIZE(worked));
    suite_add_tcase(suite, tests);
    return suite;
}
