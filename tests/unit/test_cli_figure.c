/* The figure block: every number as the server wrote it, and why one is missing. */

#include "src/cli/figure.h"

#include <check.h>
#include <string.h>

static void expect_figure(const char *json, const char *lines)
{
    auto_json struct cJSON *job = NULL;
    auto_text struct text out = { 0 };

    ck_assert_int_eq(json_parse(json, strlen(json), &job, NULL), 0);
    figure_add(job, &out);
    ck_assert_str_eq(out.bytes, lines);
}

START_TEST(a_job_that_ended_well_says_all)
{
    expect_figure(
        "{\"instance_type\": \"ml.c5.xlarge\", \"instance_count\": 2, \"emulated\": false,"
        " \"training_start_time\": \"2026-11-30T10:00:00.000000Z\", \"billable_seconds\": 41,"
        " \"instance_seconds\": 82, \"cost_usd\": \"0.004646667\","
        " \"price\": {\"usd_per_hour\": \"0.204\", \"source\": \"aws\", \"confidence\":"
        " \"high\", \"as_of\": \"2026-09-01\"},"
        " \"price_performance\": {\"work\": \"180000\", \"unit\": \"samples\","
        " \"per_usd\": \"38737443.4\", \"usd_per_million\": \"0.025815\", \"per_second\":"
        " 4390.2, \"objective\": {\"metric\": \"acc\", \"value\": 0.830, \"target\": 0.9,"
        " \"reached\": false}, \"unavailable\": null}}",
        "  instances        2 x ml.c5.xlarge\n"
        "  billable         41 s on each instance, 82 instance-seconds\n"
        "  price            $0.204 per instance-hour (aws, high confidence, as of "
        "2026-09-01)\n"
        "  cost             $0.004646667\n"
        "  work             180000 samples\n"
        "  throughput       4390.2 samples per second\n"
        "  work per dollar  38737443.4 samples per dollar\n"
        "  dollars for work $0.025815 per million samples\n"
        "  objective        acc = 0.830, target 0.9 missed\n");
}
END_TEST

START_TEST(a_job_that_had_no_price_at_first_says_of_what_it_has_no_cost)
{
    expect_figure(
        "{\"instance_type\": \"ml.c5.xlarge\", \"instance_count\": 1, \"emulated\": false,"
        " \"training_start_time\": \"2026-11-30T10:00:00.000000Z\", \"billable_seconds\": 41,"
        " \"instance_seconds\": 41, \"cost_usd\": \"0.01\", \"unpriced_instance_seconds\": 3,"
        " \"price\": null, \"price_performance\": {\"work\": null, \"unit\": null,"
        " \"unavailable\": \"a part of its time has no price\"}}",
        "  instances        1 x ml.c5.xlarge\n"
        "  billable         41 s on each instance, 41 instance-seconds\n"
        "  price            unpriced\n"
        "  cost             $0.01, and 3 instance-seconds without a price\n"
        "  not available    a part of its time has no price\n");
}
END_TEST

START_TEST(an_emulated_job_says_so_and_for_what)
{
    expect_figure(
        "{\"instance_type\": \"ml.p4d.24xlarge\", \"instance_count\": 1, \"emulated\": true,"
        " \"training_start_time\": \"2026-11-30T10:00:00.000000Z\", \"billable_seconds\": 1,"
        " \"instance_seconds\": 1, \"cost_usd\": null, \"price\": null,"
        " \"price_performance\": {\"work\": null, \"unit\": null,"
        " \"unavailable\": \"the spec has no `work`\"}}",
        "  instances        1 x ml.p4d.24xlarge\n"
        "  billable         1 s on each instance, 1 instance-seconds\n"
        "  price            unpriced\n"
        "  cost             none: the instance type has no price\n"
        "  not available    the spec has no `work`\n"
        "  emulated         ran on this host standing in for ml.p4d.24xlarge: the seconds "
        "are this host's, the price is that type's\n");
}
END_TEST

START_TEST(where_an_instance_was_lost_the_seconds_are_the_most)
{
    expect_figure(
        "{\"instance_type\": \"local\", \"instance_count\": 2, \"training_start_time\":"
        " \"2026-11-30T10:00:00.000000Z\", \"billable_seconds\": 13,"
        " \"instance_seconds\": 16, \"cost_usd\": \"0.1\", \"price\": {\"usd_per_hour\":"
        " \"1\"}, \"price_performance\": {\"unavailable\": \"the job failed\"}}",
        "  instances        2 x local\n"
        "  billable         up to 13 s on each instance, 16 instance-seconds\n"
        "  price            $1 per instance-hour\n"
        "  cost             $0.1\n"
        "  not available    the job failed\n");
}
END_TEST

START_TEST(a_job_that_never_ran_cost_nothing)
{
    expect_figure(
        "{\"instance_type\": \"local\", \"instance_count\": 1, \"training_start_time\": null,"
        " \"billable_seconds\": 0, \"instance_seconds\": 0, \"cost_usd\": null,"
        " \"price\": {\"usd_per_hour\": \"1\"}, \"price_performance\": {\"unavailable\":"
        " \"nothing was billed\"}}",
        "  instances        1 x local\n"
        "  billable         none: it has not run\n"
        "  price            $1 per instance-hour\n"
        "  cost             none: it has not run\n"
        "  not available    nothing was billed\n");
}
END_TEST

START_TEST(a_price_of_low_confidence_is_an_estimate)
{
    static const char json[] = "{\"usd_per_hour\": \"24.725\", \"source\": \"derived\","
                               " \"confidence\": \"low\", \"as_of\": \"2026-08\"}";
    auto_json struct cJSON *price = NULL;
    auto_text struct text out = { 0 };

    ck_assert_int_eq(json_parse(json, strlen(json), &price, NULL), 0);
    figure_price(price, &out);
    ck_assert_str_eq(out.bytes,
                     "$24.725 per instance-hour (derived, low confidence, as of "
                     "2026-08), an estimate");
}
END_TEST

START_TEST(long_words_go_on_in_the_next_line)
{
    auto_text struct text out = { 0 };

    figure_paragraph(&out, "reason",
                     "AlgorithmError: the learning rate of this model is much too high "
                     "for what it was made for, exit code: 7\nsecond line");
    ck_assert_str_eq(
        out.bytes,
        "  reason           AlgorithmError: the learning rate of this model is much too "
        "high for what it was made for,\n"
        "                   exit code: 7\n"
        "                   second line\n");
}
END_TEST

START_TEST(a_word_that_is_too_long_stays_whole)
{
    auto_text struct text out = { 0 };
    auto_text struct text wanted = { 0 };
    char word[201] = "";

    memset(word, 'x', sizeof word - 1);
    text_printf(&wanted, "  reason           %s\n", word);
    figure_paragraph(&out, "reason", word);
    ck_assert_str_eq(out.bytes, wanted.bytes);
}
END_TEST

Suite *suite_cli_figure(void)
{
    Suite *suite = suite_create("cli_figure");
    TCase *tests = tcase_create("figure");

    tcase_add_test(tests, a_job_that_ended_well_says_all);
    tcase_add_test(tests, a_job_that_had_no_price_at_first_says_of_what_it_has_no_cost);
    tcase_add_test(tests, an_emulated_job_says_so_and_for_what);
    tcase_add_test(tests, where_an_instance_was_lost_the_seconds_are_the_most);
    tcase_add_test(tests, a_job_that_never_ran_cost_nothing);
    tcase_add_test(tests, a_price_of_low_confidence_is_an_estimate);
    tcase_add_test(tests, long_words_go_on_in_the_next_line);
    tcase_add_test(tests, a_word_that_is_too_long_stays_whole);
    suite_add_tcase(suite, tests);
    return suite;
}
