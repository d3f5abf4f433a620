/* How far a job is: rates from samples, percentages, and lines that fit their width. */

#include "src/cli/progress.h"

#include <check.h>
#include <float.h>
#include <string.h>

START_TEST(one_sample_has_no_rate)
{
    struct progress_meter meter = { 0 };
    double rate = -1;

    progress_meter_add(&meter, USEC_PER_SEC, 100);
    ck_assert(!progress_meter_rate(&meter, &rate));
    ck_assert_double_eq_tol(rate, -1, DBL_MIN);
}
END_TEST

START_TEST(the_rate_is_work_over_time)
{
    struct progress_meter meter = { 0 };
    double rate;

    progress_meter_add(&meter, 10 * USEC_PER_SEC, 100);
    progress_meter_add(&meter, 14 * USEC_PER_SEC, 300);
    ck_assert(progress_meter_rate(&meter, &rate));
    ck_assert_double_eq_tol(rate, 50, 1e-9);
}
END_TEST

START_TEST(samples_of_one_second_count_once)
{
    struct progress_meter meter = { 0 };
    double rate;

    progress_meter_add(&meter, 0, 0);
    for (int i = 1; i < 10; i++)
        progress_meter_add(&meter, i * USEC_PER_SEC / 10, 1000);
    ck_assert(!progress_meter_rate(&meter, &rate));
    progress_meter_add(&meter, USEC_PER_SEC, 10);
    ck_assert(progress_meter_rate(&meter, &rate));
    ck_assert_double_eq_tol(rate, 10, 1e-9);
}
END_TEST

START_TEST(only_the_last_half_minute_counts)
{
    struct progress_meter meter = { 0 };
    double done = 0;
    double rate;

    for (int i = 0; i < 100; i++) {
        progress_meter_add(&meter, i * USEC_PER_SEC, done);
        done += i < 50 ? 1000 : 10;
    }
    ck_assert(progress_meter_rate(&meter, &rate));
    ck_assert_double_eq_tol(rate, 10, 1e-9);
}
END_TEST

START_TEST(work_that_stands_still_has_no_rate)
{
    struct progress_meter meter = { 0 };
    double rate;

    for (int i = 0; i < 5; i++)
        progress_meter_add(&meter, i * USEC_PER_SEC, 7);
    ck_assert(!progress_meter_rate(&meter, &rate));
}
END_TEST

START_TEST(a_new_attempt_begins_a_new_rate)
{
    struct progress_meter meter = { 0 };
    double rate;

    progress_meter_add(&meter, 0, 0);
    progress_meter_add(&meter, USEC_PER_SEC, 1000);
    progress_meter_add(&meter, 2 * USEC_PER_SEC, 0);
    ck_assert(!progress_meter_rate(&meter, &rate));
    progress_meter_add(&meter, 3 * USEC_PER_SEC, 5);
    ck_assert(progress_meter_rate(&meter, &rate));
    ck_assert_double_eq_tol(rate, 5, 1e-9);
}
END_TEST

/* clang-format off */
static const struct {
    bool has_done;
    double done;
    double planned;
    int percent;
} percents[] = {
    { false,    0,    0,  -1 },
    { false,    0, 1000,  -1 },
    { true,   500,    0,  -1 },
    { true,     0, 1000,   0 },
    { true,    -5, 1000,   0 },
    { true,   419, 1000,  41 },
    { true, 999.9, 1000,  99 },
    { true,  1000, 1000, 100 },
    { true,  2000, 1000, 100 },
};
/* clang-format on */

START_TEST(the_percentage_is_of_what_was_planned)
{
    const struct progress progress = {
        .has_done = percents[_i].has_done,
        .done = percents[_i].done,
        .planned = percents[_i].planned,
    };

    ck_assert_int_eq(progress_percent(&progress), percents[_i].percent);
}
END_TEST

static const struct progress halfway = {
    .status = "Training",
    .elapsed_s = 65,
    .has_done = true,
    .done = 500,
    .planned = 1000,
    .per_second = 10,
    .unit = "samples",
    .cost_usd = "0.0046",
};

static void expect_line(const struct progress *progress, int width,
                        const char *expected)
{
    auto_text struct text line = { 0 };

    progress_line(progress, width, &line);
    ck_assert_str_eq(line.bytes, expected);
}

START_TEST(a_line_without_bound_says_all_and_draws_no_bar)
{
    expect_line(&halfway, 0,
                "Training  1 min 05 s  50%  10.0 samples/s  50 s left  $0.0046");
}
END_TEST

START_TEST(the_bar_takes_what_the_words_leave)
{
    expect_line(
        &halfway, 80,
        "Training  1 min 05 s  50%  [#######--------]  10.0 samples/s  50 s left"
        "  $0.0046");
}
END_TEST

START_TEST(what_does_not_fit_is_left_out)
{
    expect_line(&halfway, 45, "Training  1 min 05 s  50%  10.0 samples/s");
    expect_line(&halfway, 10, "Training");
}
END_TEST

START_TEST(no_line_is_wider_than_its_bound)
{
    for (int width = 1; width < 120; width++) {
        auto_text struct text line = { 0 };

        progress_line(&halfway, width, &line);
        ck_assert_uint_le(line.len, (size_t)width);
    }
}
END_TEST

START_TEST(work_without_a_plan_is_told_in_its_units)
{
    struct progress progress = halfway;

    progress.planned = 0;
    progress.per_second = 1234;
    expect_line(&progress, 0,
                "Training  1 min 05 s  500 samples  1234 samples/s  $0.0046");
}
END_TEST

START_TEST(a_forecast_of_the_server_comes_before_the_rate)
{
    struct progress progress = halfway;

    progress.left_s = 75;
    progress.likely_usd = "0.0099";
    expect_line(&progress, 0,
                "Training  1 min 05 s  50%  10.0 samples/s  1 min 15 s left"
                "  $0.0046 of about $0.0099");
    progress.has_done = false;
    progress.planned = progress.per_second = 0;
    expect_line(&progress, 0,
                "Training  1 min 05 s  1 min 15 s left  $0.0046 of about $0.0099");
}
END_TEST

START_TEST(where_both_amounts_do_not_fit_that_of_now_stays)
{
    struct progress progress = halfway;

    progress.likely_usd = "0.0099";
    expect_line(&progress, 64,
                "Training  1 min 05 s  50%  10.0 samples/s  50 s left  $0.0046");
}
END_TEST

START_TEST(the_cost_of_an_emulated_job_is_said_to_be_that)
{
    struct progress progress = halfway;

    progress.emulated = true;
    expect_line(&progress, 0,
                "Training  1 min 05 s  50%  10.0 samples/s  50 s left"
                "  $0.0046, emulated");
}
END_TEST

START_TEST(a_waiting_job_says_what_for)
{
    const struct progress progress = { .status = "Pending",
                                       .waits_for = "2 more ml.c5.xlarge" };

    expect_line(&progress, 80, "Pending  0 s  2 more ml.c5.xlarge");
}
END_TEST

START_TEST(an_upload_shows_both_sizes)
{
    auto_text struct text line = { 0 };

    progress_upload(1 << 20, 2 << 20, 60, &line);
    ck_assert_ptr_nonnull(strstr(line.bytes, "1.0 of 2.0 MiB  [#"));
    ck_assert_uint_le(line.len, 60);
}
END_TEST

static const char half_a_channel[] =
    "{\"phase\": \"downloading\", \"what\": \"train\", \"bytes\": 1288490188,"
    " \"bytes_total\": 4294967296, \"objects\": 3, \"objects_total\": 12,"
    " \"bytes_per_second\": 220200960, \"seconds_left\": 14}";

static void expect_haul(const char *json, int width, const char *line)
{
    auto_json struct cJSON *value = NULL;
    auto_text struct text out = { 0 };
    struct progress progress = { .status = "Downloading", .elapsed_s = 5 };

    ck_assert_int_eq(json_parse(json, strlen(json), &value, NULL), 0);
    progress_haul_read(value, &progress.haul);
    progress_line(&progress, width, &out);
    ck_assert_str_eq(out.bytes, line);
}

START_TEST(data_that_is_moved_is_told_instead_of_work)
{
    expect_haul(half_a_channel, 0,
                "Downloading  29%  train  1.2 of 4.0 GiB  210.0 MiB/s  14 s left  "
                "3 of 12 files");
}
END_TEST

START_TEST(data_leaves_its_bar_a_place_on_a_terminal)
{
    expect_haul(half_a_channel, 79,
                "Downloading  29%  [###---------]  train  1.2 of 4.0 GiB  210.0 MiB/s  "
                "14 s left");
}
END_TEST

START_TEST(data_of_unknown_size_has_neither_percentage_nor_bar)
{
    expect_haul("{\"what\": \"model\", \"bytes\": 2048, \"bytes_total\": null}", 79,
                "Downloading  model  2.0 KiB");
}
END_TEST

START_TEST(where_nothing_is_moved_the_state_is_told)
{
    expect_haul("null", 79, "Downloading  5 s");
}
END_TEST

Suite *suite_progress(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("progress");

    tcase_add_test(tests, one_sample_has_no_rate);
    tcase_add_test(tests, the_rate_is_work_over_time);
    tcase_add_test(tests, samples_of_one_second_count_once);
    tcase_add_test(tests, only_the_last_half_minute_counts);
    tcase_add_test(tests, work_that_stands_still_has_no_rate);
    tcase_add_test(tests, a_new_attempt_begins_a_new_rate);
    tcase_add_loop_test(tests, the_percentage_is_of_what_was_planned, 0,
                        ARRAY_SIZE(percents));
    tcase_add_test(tests, a_line_without_bound_says_all_and_draws_no_bar);
    tcase_add_test(tests, the_bar_takes_what_the_words_leave);
    tcase_add_test(tests, what_does_not_fit_is_left_out);
    tcase_add_test(tests, no_line_is_wider_than_its_bound);
    tcase_add_test(tests, work_without_a_plan_is_told_in_its_units);
    tcase_add_test(tests, a_forecast_of_the_server_comes_before_the_rate);
    tcase_add_test(tests, where_both_amounts_do_not_fit_that_of_now_stays);
    tcase_add_test(tests, the_cost_of_an_emulated_job_is_said_to_be_that);
    tcase_add_test(tests, a_waiting_job_says_what_for);
    tcase_add_test(tests, an_upload_shows_both_sizes);
    tcase_add_test(tests, data_that_is_moved_is_told_instead_of_work);
    tcase_add_test(tests, data_leaves_its_bar_a_place_on_a_terminal);
    tcase_add_test(tests, data_of_unknown_size_has_neither_percentage_nor_bar);
    tcase_add_test(tests, where_nothing_is_moved_the_state_is_told);
    suite_add_tcase(suite, tests);
    return suite;
}
