/* Where a run's seconds went, by series whose truth is known, and files that are not to
 * be trusted. */

#include "daemon/billing/compare_series.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define READY (INT64_C(1700000000) * USEC_PER_SEC)

/* Seconds behind READY, and how much was done by then. */
struct mark {
    double at;
    double amount;
};

static void make(const struct mark *marks, size_t count, bool by_step,
                 struct series *out)
{
    if (count == 0)
        return; /* without room, as series_read leaves it */
    out->points = xcalloc(count, sizeof *out->points);
    out->count = count;
    for (size_t i = 0; i < count; i++)
        out->points[i] = (struct point){
            .wall = READY + (usec_t)(marks[i].at * (double)USEC_PER_SEC),
            .value = by_step ? 0.5 : marks[i].amount,
            .step = by_step ? marks[i].amount : STATS_NONE,
        };
}

/* Launched after 10 s; a compilation of 40 s, then 10 a second, but for an evaluation
 * of 5 s on the way; 20 s of storing. */
static const struct mark compiled[] = {
    { 60, 100 },  { 70, 200 },  { 85, 300 },  { 95, 400 },
    { 105, 500 }, { 115, 600 }, { 125, 700 }, { 135, 800 },
};
static const struct run_times times = { READY, READY + 10 * USEC_PER_SEC, 155 };

static void assert_close(double got, double wanted)
{
    ck_assert_double_eq_tol(got, wanted, 1e-6);
}

START_TEST(billable_seconds_are_split_into_what_adds_up)
{
    auto_series struct series series = { 0 };
    struct compare_run run = { 0 };
    const struct compare_phases *phases = &run.phases;

    make(compiled, ARRAY_SIZE(compiled), _i == 1, &series);
    series_phases(&series, _i == 1, &times, &run);
    ck_assert_ptr_null(run.phases_missing);
    assert_close(run.rate.value, 10);
    assert_close(phases->staging, 10);
    assert_close(phases->startup, 40);
    assert_close(run.startup.value, 40);
    assert_close(phases->steady, 80);
    assert_close(phases->other, 5);
    assert_close(phases->ending, 20);
    assert_close(phases->staging + phases->startup + phases->steady + phases->other
                     + phases->ending,
                 155);
}
END_TEST

/* clang-format off */
static const struct {
    struct mark marks[5];
    size_t count;
    const char *why;
} untold[] = {
    { { { 0, 0 } }, 0, "fewer than 4 values tell how its work went on" },
    { { { 1, 1 }, { 2, 2 }, { 3, 3 } }, 3, "fewer than 4 values tell how its work went on" },
    { { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 2 } }, 4, "its work does not grow with its values" },
    { { { 1, 1 }, { 2, 2 }, { 2, 3 }, { 2, 4 } }, 4, "its work does not grow with its values" },
    { { { 1, 9 }, { 2, 8 }, { 3, 7 }, { 4, 6 } }, 4, "its work does not grow with its values" },
};
/* clang-format on */

START_TEST(what_values_do_not_tell_is_not_made_up)
{
    auto_series struct series series = { 0 };
    struct compare_run run = { 0 };

    make(untold[_i].marks, untold[_i].count, false, &series);
    series_phases(&series, false, &times, &run);
    ck_assert_str_eq(run.phases_missing, untold[_i].why);
    ck_assert_str_eq(run.rate.missing, untold[_i].why);
    ck_assert(isnan(run.rate.value) && isnan(run.phases.steady)
              && isnan(run.startup.value));
}
END_TEST

START_TEST(a_target_is_reached_from_its_own_side)
{
    auto_series struct series series = { 0 };

    make(compiled, ARRAY_SIZE(compiled), false, &series);
    ck_assert_int_eq(series_reached(&series, GOAL_MAXIMIZE, 300),
                     READY + 85 * USEC_PER_SEC);
    ck_assert_int_eq(series_reached(&series, GOAL_MINIMIZE, 300),
                     READY + 60 * USEC_PER_SEC);
    ck_assert_int_eq(series_reached(&series, GOAL_MAXIMIZE, 900), 0);
}
END_TEST

/* --- files --- */

static void write_values(const char *folder, int worker, const char *text)
{
    auto_free char *name = xasprintf("%s/job-1-%d", folder, worker);

    ck_assert_int_eq(mkdir(name, 0700), 0);
    scratch_write(name, "metrics.jsonl", text);
}

static void read_back(const char *folder, struct series *out)
{
    auto_free char *job = xasprintf("%s/job", folder);

    series_read(job, 1, 3, "loss", 2, out);
}

START_TEST(lines_that_are_no_values_are_passed_over)
{
    char *folder = scratch_folder();
    auto_series struct series series = { 0 };
    auto_text struct text text = { 0 };

    text_puts(
        &text,
        "{\"name\":\"loss\",\"value\":1,\"rank\":2,\"step\":7,\"wall_us\":5}\n"
        "{\"name\":\"acc\",\"value\":2,\"rank\":2,\"step\":7,\"wall_us\":6}\n"
        "{\"name\":\"loss\",\"value\":3,\"rank\":0,\"step\":7,\"wall_us\":7}\n"
        "{\"name\":\"loss\",\"value\":\"NaN\",\"rank\":2,\"step\":8,\"wall_us\":8}\n"
        "nonsense\n[]\n{\"name\":3}\n\n{\"pad\":\"");
    for (int i = 0; i < 70000; i++)
        text_puts(&text, "x");
    text_puts(
        &text,
        "\"}\n{\"name\":\"loss\",\"value\":4,\"rank\":2,\"step\":null,\"wall_us\":9}\n"
        "{\"name\":\"loss\",\"value\":5,\"rank\":2,\"wall_us\":10}");
    write_values(folder, 0, "");
    write_values(folder, 2, text.bytes);
    read_back(folder, &series);
    ck_assert_uint_eq(series.count, 2);
    assert_close(series.points[0].step, 7);
    assert_close(series.points[1].value, 4);
    ck_assert(isnan(series.points[1].step));
    scratch_remove(folder);
}
END_TEST

/* A job could make its file a link to somebody else's. */
START_TEST(a_link_is_not_followed)
{
    char *folder = scratch_folder();
    auto_free char *from = xasprintf("%s/job-1-0/metrics.jsonl", folder);
    auto_free char *to = xasprintf("%s/other", folder);
    static const char line[] =
        "{\"name\":\"loss\",\"value\":1,\"rank\":2,\"wall_us\":5}\n";
    auto_series struct series series = { 0 };

    write_values(folder, 0, line);
    scratch_write(folder, "other", line);
    ck_assert(unlink(from) == 0 && symlink(to, from) == 0);
    read_back(folder, &series);
    ck_assert_uint_eq(series.count, 0);
    scratch_remove(folder);
}
END_TEST

Suite *suite_compare_series(void);

Suite *suite_compare_series(void)
{
    Suite *suite = suite_create("compare_series");
    TCase *tests = tcase_create("series");

    tcase_add_loop_test(tests, billable_seconds_are_split_into_what_adds_up, 0, 2);
    tcase_add_loop_test(tests, what_values_do_not_tell_is_not_made_up, 0,
                        ARRAY_SIZE(untold));
    tcase_add_test(tests, a_target_is_reached_from_its_own_side);
    tcase_add_test(tests, lines_that_are_no_values_are_passed_over);
    tcase_add_test(tests, a_link_is_not_followed);
    suite_add_tcase(suite, tests);
    return suite;
}
