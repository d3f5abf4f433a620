/* Estimates and forecasts in lines for people. */

#include "src/cli/outlook.h"

#include <check.h>
#include <string.h>

static struct cJSON *parsed(const char *text)
{
    struct cJSON *json;
    struct err err;

    if (json_parse(text, strlen(text), &json, &err) < 0)
        ck_abort_msg("%s: %s", err.text, text);
    return json;
}

static void expect_bounds(const char *outlook, const char *price, const char *expected)
{
    auto_json struct cJSON *json = parsed(outlook);
    auto_json struct cJSON *of = parsed(price);
    auto_text struct text out = { 0 };

    outlook_add_bounds(json, of, &out);
    ck_assert_str_eq(out.bytes, expected);
}

static void expect_forecast(const char *forecast, const char *expected)
{
    auto_json struct cJSON *json = parsed(forecast);
    auto_text struct text out = { 0 };

    outlook_add_forecast(json, &out);
    ck_assert_str_eq(out.bytes ? out.bytes : "", expected);
}

START_TEST(the_price_of_all_and_the_most_are_told)
{
    expect_bounds("{\"usd_per_hour\":\"0.408\",\"most\":{\"seconds\":720,"
                  "\"cost_usd\":\"0.0816\",\"not_counted\":null,"
                  "\"keep_alive_seconds\":0,\"keep_alive_usd\":\"0\"}}",
                  "{\"confidence\":\"high\"}",
                  "  price in all     $0.408 per hour\n"
                  "  at most          12 min 00 s, $0.08160\n");
}
END_TEST

START_TEST(an_estimated_price_what_is_not_counted_and_a_warm_pool_are_told)
{
    expect_bounds("{\"usd_per_hour\":\"0.408\",\"most\":{\"seconds\":720,"
                  "\"cost_usd\":\"0.0816\",\"not_counted\":\"storing\","
                  "\"keep_alive_seconds\":60,\"keep_alive_usd\":\"0.0068\"}}",
                  "{\"confidence\":\"low\"}",
                  "  price in all     $0.408 per hour, an estimate\n"
                  "  at most          12 min 00 s, $0.08160, and storing\n"
                  "  then kept warm   at most 1 min 00 s, $0.006800 more\n");
}
END_TEST

START_TEST(without_a_price_no_amount_is_told)
{
    expect_bounds("{\"usd_per_hour\":null,\"most\":{\"seconds\":720,\"cost_usd\":null,"
                  "\"not_counted\":null,\"keep_alive_seconds\":60,"
                  "\"keep_alive_usd\":null}}",
                  "null",
                  "  at most          12 min 00 s\n"
                  "  then kept warm   at most 1 min 00 s more\n");
}
END_TEST

START_TEST(a_forecast_by_history_has_its_band)
{
    expect_forecast(
        "{\"eta\":\"2026-11-30T10:15:00.123456Z\",\"eta_low\":"
        "\"2026-11-30T10:14:00.123456Z\",\"eta_high\":\"2026-11-30T10:17:00.123456Z\","
        "\"basis\":\"history\",\"runs\":12,\"seconds\":100,\"low_seconds\":40,"
        "\"high_seconds\":220,\"cost_usd\":\"0.2\",\"low_usd\":\"0.08\",\"high_usd\":"
        "\"0.44\",\"stopped_by\":\"max_run\",\"unavailable\":null}",
        "  likely end       2026-11-30 10:15:00Z, between 2026-11-30 10:14:00Z and "
        "2026-11-30 10:17:00Z\n"
        "  likely           1 min 40 s, $0.2000; 95 % lie between 40 s, $0.08000 and 3 "
        "min 40 s, $0.4400\n"
        "  by               12 completed jobs of the same code, hyperparameters and "
        "type\n"
        "  warning          max_run is likely to stop it before it is done\n");
}
END_TEST

START_TEST(a_forecast_by_one_run_or_by_progress_says_so)
{
    expect_forecast(
        "{\"eta\":null,\"eta_low\":null,\"basis\":\"history\",\"runs\":1,"
        "\"seconds\":100,\"low_seconds\":null,\"cost_usd\":null,\"stopped_by\":null}",
        "  likely           1 min 40 s\n"
        "  by               the one completed job of the same code, hyperparameters "
        "and type: how far others lie from it is not known\n");
    expect_forecast(
        "{\"eta\":null,\"eta_low\":null,\"basis\":\"progress\",\"runs\":0,"
        "\"seconds\":100,\"low_seconds\":null,\"cost_usd\":null,\"stopped_by\":null}",
        "  likely           1 min 40 s\n"
        "  by               the work done so far, should it go on like that\n");
}
END_TEST

START_TEST(what_is_not_known_says_why)
{
    expect_forecast("{\"eta\":null,\"basis\":null,\"unavailable\":\"no such job\"}",
                    "  likely           not known: no such job\n");
}
END_TEST

START_TEST(a_job_that_has_ended_has_no_forecast)
{
    expect_forecast("null", "");
}
END_TEST

Suite *suite_cli_outlook(void)
{
    Suite *suite = suite_create("cli_outlook");
    TCase *tests = tcase_create("cli_outlook");

    tcase_add_test(tests, the_price_of_all_and_the_most_are_told);
    tcase_add_test(tests,
                   an_estimated_price_what_is_not_counted_and_a_warm_pool_are_told);
    tcase_add_test(tests, without_a_price_no_amount_is_told);
    tcase_add_test(tests, a_forecast_by_history_has_its_band);
    tcase_add_test(tests, a_forecast_by_one_run_or_by_progress_says_so);
    tcase_add_test(tests, what_is_not_known_says_why);
    tcase_add_test(tests, a_job_that_has_ended_has_no_forecast);
    suite_add_tcase(suite, tests);
    return suite;
}
