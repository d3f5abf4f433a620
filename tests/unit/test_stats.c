/* Quantiles of t against closed forms, and intervals against what they promise. */

#include "src/stats.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* x87 or not, the last digits may differ. */
static void assert_near(double got, double wanted)
{
    ck_assert_msg(fabs(got - wanted) <= 1e-9 * fabs(wanted), "%.15g is not %.15g", got,
                  wanted);
}

/* Where the distribution function is algebraic or the tangent, its inverse is known
 * (Abramowitz and Stegun 26.7.5 for df 1, 26.7.3 for df 2 and 4). */
START_TEST(quantiles_of_t_are_those_of_the_closed_forms)
{
    static const double shares[] = { 0.6, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.999999 };

    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        double p = shares[i];
        double u = 4 * p * (1 - p);
        double q = cos(acos(sqrt(u)) / 3) / sqrt(u);

        assert_near(stats_t_quantile(p, 1), tan(M_PI * (p - 0.5)));
        assert_near(stats_t_quantile(p, 2), (2 * p - 1) * sqrt(2 / u));
        assert_near(stats_t_quantile(p, 4), 2 * sqrt(q - 1));
        assert_near(stats_t_quantile(1 - p, 4), -2 * sqrt(q - 1));
    }
}
END_TEST

/* As tables print them; the last row is the normal distribution. */
START_TEST(quantiles_of_t_are_those_of_the_tables)
{
    static const struct {
        double df;
        double at_975;
    } rows[] = {
        { 3, 3.182446 },  { 5, 2.570582 },   { 10, 2.228139 },
        { 30, 2.042272 }, { 100, 1.983972 }, { 1e9, 1.959964 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        ck_assert_double_eq_tol(stats_t_quantile(0.975, rows[i].df), rows[i].at_975,
                                5e-7);
    ck_assert_double_eq_tol(stats_t_quantile(0.5, 7), 0, 1e-12);
}
END_TEST

START_TEST(a_quantile_of_nothing_is_no_number)
{
    ck_assert(isnan(stats_t_quantile(0, 5)));
    ck_assert(isnan(stats_t_quantile(1, 5)));
    ck_assert(isnan(stats_t_quantile(0.9, 0)));
    ck_assert(isnan(stats_t_quantile((double)NAN, 5)));
}
END_TEST

START_TEST(the_share_below_a_quantile_is_what_it_was_asked_for)
{
    static const double dfs[] = { 1, 2.5, 9, 40 };

    for (size_t i = 0; i < ARRAY_SIZE(dfs); i++)
        for (double p = 0.01; p < 1; p += 0.07)
            ck_assert_double_eq_tol(stats_t_below(stats_t_quantile(p, dfs[i]), dfs[i]),
                                    p, 1e-12);
}
END_TEST

START_TEST(middles_and_spreads_are_those_of_the_school)
{
    const double odd[] = { 5, 1, 9 };
    const double even[] = { 8, 2, 4, 6 };

    ck_assert_double_eq_tol(stats_median(odd, 3), 5, DBL_MIN);
    ck_assert_double_eq_tol(stats_median(even, 4), 5, DBL_MIN);
    ck_assert_double_eq_tol(stats_mean(odd, 3), 5, DBL_MIN);
    ck_assert_double_eq_tol(stats_variance(odd, 3), 16, DBL_MIN);
    assert_near(stats_geometric_mean(even, 2), 4);
    ck_assert(isnan(stats_median(odd, 0)));
    ck_assert(isnan(stats_mean(odd, 0)));
    ck_assert(isnan(stats_variance(odd, 1)));
}
END_TEST

/* Logarithms 0 and 2 against 1 and 1: by hand, difference 0, error 1, df 1. */
START_TEST(a_ratio_has_the_interval_of_welch)
{
    const double a[] = { 1, exp(2) };
    const double b[] = { exp(1), exp(1) };
    struct stats_center ratio;

    ck_assert(stats_ratio_by_t((struct stats_sample){ a, 2, 0 },
                               (struct stats_sample){ b, 2, 0 }, 0.95, &ratio));
    assert_near(ratio.value, 1);
    assert_near(log(ratio.high), 12.7062047361747);
    assert_near(log(ratio.low), -12.7062047361747);
}
END_TEST

START_TEST(one_run_has_a_value_and_no_interval)
{
    const double a[] = { 4372 };
    const double b[] = { 5836, 5900 };
    struct stats_center ratio;

    ck_assert(!stats_ratio_by_t((struct stats_sample){ a, 1, 1 },
                                (struct stats_sample){ b, 2, 1 }, 0.95, &ratio));
    ck_assert_double_lt(ratio.value, 1);
    ck_assert(!stats_mean_by_t((struct stats_sample){ a, 1, 1 }, 0.95, &ratio));
    assert_near(ratio.value, 4372);
}
END_TEST

START_TEST(runs_of_the_same_whole_second_may_differ_by_the_rounding)
{
    const double a[] = { 41, 41, 41 };
    struct stats_center center;

    ck_assert(!stats_mean_by_t((struct stats_sample){ a, 3, 0 }, 0.95, &center));
    ck_assert(stats_mean_by_t((struct stats_sample){ a, 3, 1 }, 0.95, &center));
    assert_near(log(center.high / 41),
                stats_t_quantile(0.975, 2) / 41 / sqrt(12) / sqrt(3));
    ck_assert(!stats_ratio_by_bootstrap((struct stats_sample){ a, 3, 1 },
                                        (struct stats_sample){ a, 3, 1 }, 0.95, 1,
                                        &center));
}
END_TEST

/* --- simulated runs --- */

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

/* Lognormal about `center`, by Box and Muller. */
static void draw(double *out, size_t count, double center, double spread,
                 uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        double radius = sqrt(-2 * log(uniform(state)));

        out[i] = center * exp(spread * radius * cos(2 * M_PI * uniform(state)));
    }
}

enum {
    TRIALS = 1000,
    RUNS_MAX = 40
};

static const struct {
    size_t count;
    double spread_a;
    double spread_b;
    bool bootstrap;
} samples[] = {
    { 3, 0.05, 0.05, false }, { 5, 0.05, 0.01, false }, { 10, 0.02, 0.2, false },
    { 20, 0.05, 0.05, true }, { 30, 0.01, 0.05, true },
};

static bool interval(size_t row, const double *a, const double *b, uint64_t seed,
                     struct stats_center *out)
{
    const struct stats_sample of_a = { a, samples[row].count, 0 };
    const struct stats_sample of_b = { b, samples[row].count, 0 };

    if (samples[row].bootstrap)
        return stats_ratio_by_bootstrap(of_a, of_b, 0.95, seed, out);
    return stats_ratio_by_t(of_a, of_b, 0.95, out);
}

/* A 95 % interval that covers 95 % is outside 93 to 97 % once in 270 such counts; the
 * numbers are always the same. */
START_TEST(intervals_cover_the_true_ratio_as_often_as_they_say)
{
    const size_t row = (size_t)_i;
    double a[RUNS_MAX], b[RUNS_MAX];
    uint64_t state = 20261130;
    int covered = 0;

    for (int trial = 0; trial < TRIALS; trial++) {
        struct stats_center ratio;

        draw(a, samples[row].count, 0.78 * 5000, samples[row].spread_a, &state);
        draw(b, samples[row].count, 5000, samples[row].spread_b, &state);
        ck_assert(interval(row, a, b, (uint64_t)trial, &ratio));
        covered += ratio.low <= 0.78 && 0.78 <= ratio.high;
    }
    ck_assert_msg(covered >= 930 && covered <= 970, "%d of %d are covered", covered,
                  TRIALS);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_interval_and_another_one_another)
{
    double a[RUNS_MAX], b[RUNS_MAX];
    struct stats_center first, again, other;
    uint64_t state = 7;

    draw(a, RUNS_MAX, 100, 0.05, &state);
    draw(b, RUNS_MAX, 100, 0.05, &state);
    const struct stats_sample of_a = { a, RUNS_MAX, 0 }, of_b = { b, RUNS_MAX, 0 };
    ck_assert(stats_ratio_by_bootstrap(of_a, of_b, 0.95, 1, &first));
    ck_assert(stats_ratio_by_bootstrap(of_a, of_b, 0.95, 1, &again));
    ck_assert(stats_ratio_by_bootstrap(of_a, of_b, 0.95, 2, &other));
    ck_assert_double_eq_tol(first.low, again.low, DBL_MIN);
    ck_assert_double_eq_tol(first.high, again.high, DBL_MIN);
    ck_assert_double_gt(fabs(first.low - other.low), 0);
}
END_TEST

Suite *suite_stats(void);

Suite *suite_stats(void)
{
    Suite *suite = suite_create("stats");
    TCase *cases = tcase_create("stats");

    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, quantiles_of_t_are_those_of_the_closed_forms);
    tcase_add_test(cases, quantiles_of_t_are_those_of_the_tables);
    tcase_add_test(cases, a_quantile_of_nothing_is_no_number);
    tcase_add_test(cases, the_share_below_a_quantile_is_what_it_was_asked_for);
    tcase_add_test(cases, middles_and_spreads_are_those_of_the_school);
    tcase_add_test(cases, a_ratio_has_the_interval_of_welch);
    tcase_add_test(cases, one_run_has_a_value_and_no_interval);
    tcase_add_test(cases, runs_of_the_same_whole_second_may_differ_by_the_rounding);
    tcase_add_loop_test(cases, intervals_cover_the_true_ratio_as_often_as_they_say, 0,
                        ARRAY_SIZE(samples));
    tcase_add_test(cases,
                   the_same_seed_gives_the_same_interval_and_another_one_another);
    suite_add_tcase(suite, cases);
    return suite;
}
