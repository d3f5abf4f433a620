/* The report of usage on ledgers of a few rows: what is cut, counted and left
 * out. tests/flow/usage_adds_up.sh has many rows and every zone. */

#include "daemon/billing/key_table.h"
#include "src/clock.h"
#include "src/text.h"
#include "tests/unit/usage_ledger.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* Whatever the second of a year's turn is paid with is in the year that it is in. */
START_TEST(a_charge_is_cut_where_days_weeks_and_months_begin)
{
    ledger_run("a", ledger_label("ada", "standard", false, "{}"),
               ledger_price("1", "high"), NEW_YEAR - HOUR, 3 * HOUR + 1);
    ledger_expect("\"by\":\"month\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\"",
                  "2025-12 3600 s 1\n2026-01 7201 s 2.000277778\n10801 s 3.000277778");
    ledger_expect("\"by\":\"month\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\","
                  "\"tz\":\"Europe/Berlin\"",
                  "2026-01 10801 s 3.000277778\n10801 s 3.000277778");
    ledger_expect("\"by\":\"day,week\",\"from\":\"2025-12-01\",\"to\":\"2026-02-01\"",
                  "2025-12-31 2026-W01 3600 s 1\n"
                  "2026-01-01 2026-W01 7201 s 2.000277778\n10801 s 3.000277778");
    ledger_expect("\"from\":\"2026-01-01T00:59:59Z\",\"to\":\"2026-01-01T01:00:00Z\"",
                  "1 s 0.000277778\n1 s 0.000277778");
}
END_TEST

/* 0.000000001 * 1800 / 3600 is half a nano-dollar, and even is 0; both together are 1.
 */
START_TEST(workers_share_the_cost_of_their_attempt_to_the_last_digit)
{
    const int64_t of = ledger_label("ada", "standard", false, "{}");
    const int64_t at = ledger_price("0.000000001", "high");

    for (int worker = 0; worker < 3; worker++)
        ledger_add(
            &(struct ledger_line){ "a", 1, worker, of, at, NEW_YEAR,
                                   &(struct interval_end){ .seconds = HOUR / 2,
                                                           .base = worker * HOUR / 2,
                                                           .busy_permille = -1,
                                                           .evidence = "test" } });
    ledger_expect(JANUARY, "5400 s 0.000000002\n5400 s 0.000000002");
}
END_TEST

START_TEST(a_long_interval_is_found_from_any_day_of_it)
{
    ledger_run("a", ledger_label("ada", "standard", false, "{}"),
               ledger_price("1", "high"), NEW_YEAR, 40 * DAY);
    ledger_expect("\"from\":\"2026-02-09\",\"to\":\"2026-02-10\"",
                  "86400 s 24\n86400 s 24");
    ledger_expect("\"from\":\"2026-02-10\",\"to\":\"2026-02-11\"", "0 s 0");
    ledger_expect("\"job\":\"a\",\"from\":\"2026-01-20\",\"to\":\"2026-01-21\"",
                  "86400 s 24\n86400 s 24");
}
END_TEST

START_TEST(a_change_of_price_parts_an_interval)
{
    const struct interval_cut cuts[] = { { HOUR, 0, ledger_price("2", "high") },
                                         { 2 * HOUR, 0, ledger_price("3", "low") } };

    ledger_add(&(struct ledger_line){
        "a", 1, 0, ledger_label("ada", "standard", false, "{}"),
        ledger_price("1", "high"), NEW_YEAR,
        &(struct interval_end){ .seconds = 3 * HOUR,
                                .busy_permille = -1,
                                .evidence = "test",
                                .cuts = cuts,
                                .cut_count = ARRAY_SIZE(cuts) } });
    ledger_expect(JANUARY, "10800 s 6\n10800 s 6");
    ledger_expect("\"from\":\"2026-01-01T00:30:00Z\",\"to\":\"2026-01-01T01:30:00Z\"",
                  "3600 s 1.5\n3600 s 1.5");
    ledger_expect("\"from\":\"2026-01-01T02:00:00Z\",\"to\":\"2026-01-02\"",
                  "3600 s 3\n3600 s 3");
}
END_TEST

START_TEST(what_has_no_price_is_not_free)
{
    auto_json struct cJSON *json = NULL;

    ledger_run("a", ledger_label("ada", "standard", false, "{}"), 0, NEW_YEAR, HOUR);
    ledger_expect(JANUARY, "3600 s null\n3600 s null");
    ledger_run("b", ledger_label("ada", "free", false, "{}"), ledger_price("0", "high"),
               NEW_YEAR, HOUR);
    ledger_expect(JANUARY ",\"by\":\"pricing\"",
                  "free 3600 s 0\nstandard 3600 s null\n7200 s 0");
    json = ledger_report_json(JANUARY);
    ck_assert_int_eq(json_get_int(json_get(json, "total"), "unpriced_instance_seconds",
                                  0),
                     HOUR);
}
END_TEST

START_TEST(what_is_emulated_spot_reserved_free_or_an_estimate_is_told_apart)
{
    const int64_t dollar = ledger_price("1", "high");

    ledger_run("emulated", ledger_label("ada", "standard", true, "{}"), dollar,
               NEW_YEAR, HOUR);
    ledger_run("spot", ledger_label("ada", "spot", false, "{}"), dollar, NEW_YEAR,
               2 * HOUR);
    ledger_run("reserved", ledger_label("ada", "reserved", false, "{}"), dollar,
               NEW_YEAR, 4 * HOUR);
    ledger_run("free", ledger_label("ada", "free", false, "{}"),
               ledger_price("0", "high"), NEW_YEAR, 8 * HOUR);
    ledger_run("low", ledger_label("ada", "standard", false, "{}"),
               ledger_price("1", "low"), NEW_YEAR, 16 * HOUR);
    ledger_expect_share(JANUARY, "emulated", HOUR, "1");
    ledger_expect_share(JANUARY, "spot", 2 * HOUR, "2");
    ledger_expect_share(JANUARY, "reserved", 4 * HOUR, "4");
    ledger_expect_share(JANUARY, "free", 8 * HOUR, "0");
    ledger_expect_share(JANUARY, "estimated", 16 * HOUR, "16");
    ledger_expect(JANUARY ",\"emulated\":\"only\"", "3600 s 1\n3600 s 1");
    ledger_expect(JANUARY ",\"emulated\":\"exclude\"", "108000 s 22\n108000 s 22");
}
END_TEST

START_TEST(what_still_runs_counts_the_whole_seconds_that_passed)
{
    auto_json struct cJSON *json = NULL;

    clock_hold((NEW_YEAR + 91) * USEC_PER_SEC, 500000 + 90 * USEC_PER_SEC + 1);
    ledger_add(&(struct ledger_line){ "a", 1, 0,
                                      ledger_label("ada", "standard", false, "{}"),
                                      ledger_price("36", "high"), NEW_YEAR, NULL });
    ledger_expect("", "90 s 0.9\n90 s 0.9");
    ledger_expect("\"job\":\"a\",\"by\":\"job\"", "a 90 s 0.9\n90 s 0.9");
    json = ledger_report_json("");
    ck_assert_int_eq(json_get_int(json_get(json, "total"), "open_instance_seconds", 0),
                     90);
    ck_assert_str_eq(json_get_text(json, "from"), "2026-01-01T00:00:00.000000Z");
    ck_assert_str_eq(json_get_text(json, "to"), "2026-01-01T00:01:32.000000Z");
}
END_TEST

START_TEST(rows_of_nothing_are_there_when_they_are_asked_for)
{
    const int64_t ada = ledger_label("ada", "standard", false, "{}");

    ledger_label("grace", "standard", false, "{}");
    ledger_expect("\"by\":\"day\",\"from\":\"2026-01-01\",\"to\":\"2026-01-03\"",
                  "0 s 0");
    ledger_run("a", ada, ledger_price("1", "high"), NEW_YEAR, HOUR);
    ledger_expect("\"by\":\"day\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
                  "\"2026-01-03\"",
                  "2026-01-01 3600 s 1\n2026-01-02 0 s 0\n3600 s 1");
    ledger_expect(
        "\"by\":\"owner,day\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
        "\"2026-01-03\"",
        "ada 2026-01-01 3600 s 1\nada 2026-01-02 0 s 0\n"
        "grace 2026-01-01 0 s 0\ngrace 2026-01-02 0 s 0\n3600 s 1");
    ledger_expect("\"by\":\"day,job\",\"zero\":\"true\",\"from\":\"2026-01-01\",\"to\":"
                  "\"2026-01-03\"",
                  "2026-01-01 a 3600 s 1\n2026-01-02 a 0 s 0\n3600 s 1");
}
END_TEST

START_TEST(a_report_may_be_of_some_alone)
{
    const int64_t dollar = ledger_price("1", "high");

    ledger_run("a",
               ledger_label("ada", "standard", false, "{\"n\":3,\"project\":\"x\"}"),
               dollar, NEW_YEAR, HOUR);
    ledger_run("b",
               ledger_label("grace", "spot", false, "{\"n\":true,\"project\":\"y\"}"),
               dollar, NEW_YEAR, 2 * HOUR);
    ledger_run("c", ledger_label("grace", "spot", false, "{}"), dollar, NEW_YEAR,
               4 * HOUR);
    ledger_expect(JANUARY ",\"owner\":\"ada\"", "3600 s 1\n3600 s 1");
    ledger_expect(JANUARY ",\"pool\":\"spot\"", "21600 s 6\n21600 s 6");
    ledger_expect(JANUARY ",\"tag\":\"project=y\"", "7200 s 2\n7200 s 2");
    ledger_expect(JANUARY ",\"tag\":\"n=3\"", "3600 s 1\n3600 s 1");
    ledger_expect(JANUARY ",\"instance_type\":\"ml.c5.large\"", "0 s 0");
    ledger_expect(JANUARY ",\"job\":\"c\"", "14400 s 4\n14400 s 4");
    ledger_expect(JANUARY ",\"by\":\"tag:n,project\"",
                  "3 x 3600 s 1\ntrue y 7200 s 2\n- - 14400 s 4\n25200 s 7");
}
END_TEST

START_TEST(an_attempt_is_one_of_a_job)
{
    const int64_t of = ledger_label("ada", "standard", false, "{}");
    const int64_t dollar = ledger_price("1", "high");

    for (int attempt = 1; attempt < 12; attempt += 9)
        ledger_add(
            &(struct ledger_line){ "a", attempt, 0, of, dollar, NEW_YEAR,
                                   &(struct interval_end){ .seconds = attempt * HOUR,
                                                           .busy_permille = -1,
                                                           .evidence = "test" } });
    ledger_add(&(struct ledger_line){ "a", 2, 0, of, dollar, NEW_YEAR,
                                      &(struct interval_end){ .seconds = 2 * HOUR,
                                                              .busy_permille = -1,
                                                              .evidence = "test" } });
    ledger_expect(JANUARY ",\"by\":\"attempt\"",
                  "a 1 3600 s 1\na 2 7200 s 2\na 10 36000 s 10\n46800 s 13");
}
END_TEST

START_TEST(csv_says_the_same_and_no_name_runs_as_a_formula)
{
    auto_free char *words = NULL;
    const char *second;

    ledger_run("a", ledger_label("=cmd, \"x\"", "standard", false, "{}"),
               ledger_price("1", "high"), NEW_YEAR, HOUR);
    words = ledger_report_words(JANUARY ",\"by\":\"owner\",\"format\":\"csv\"");
    second = strstr(words, "\r\n") + 2;
    ck_assert(text_starts_with(second,
                               "\"'=cmd, \"\"x\"\"\",2026-01-01T00:00:00.000000Z,"
                               "2026-02-01T00:00:00.000000Z,1,3600,1,0,0,"));
}
END_TEST

START_TEST(keys_are_numbered_in_their_order_and_found_again)
{
    struct key_table table = { 0 };
    char words[32];

    for (size_t i = 0; i < 10000; i++) {
        int len = snprintf(words, sizeof words, "%zu", i);

        ck_assert_uint_eq(key_table_put(&table, words, (size_t)len), i);
    }
    ck_assert_uint_eq(key_table_put(&table, "", 0), 10000);
    ck_assert_uint_eq(key_table_put(&table, "123", 3), 123);
    ck_assert_uint_eq(key_table_put(&table, "1234", 4), 1234);
    ck_assert_int_eq(memcmp(key_table_key(&table, 1234), "1234", 4), 0);
    key_table_clear(&table);
}
END_TEST

Suite *suite_usage_report(void)
{
    Suite *suite = suite_create("usage_report");
    TCase *tcase = tcase_create("usage_report");

    tcase_add_checked_fixture(tcase, ledger_make, ledger_gone);
    tcase_add_test(tcase, a_charge_is_cut_where_days_weeks_and_months_begin);
    tcase_add_test(tcase, workers_share_the_cost_of_their_attempt_to_the_last_digit);
    tcase_add_test(tcase, a_long_interval_is_found_from_any_day_of_it);
    tcase_add_test(tcase, a_change_of_price_parts_an_interval);
    tcase_add_test(tcase, what_has_no_price_is_not_free);
    tcase_add_test(tcase,
                   what_is_emulated_spot_reserved_free_or_an_estimate_is_told_apart);
    tcase_add_test(tcase, what_still_runs_counts_the_whole_seconds_that_passed);
    tcase_add_test(tcase, rows_of_nothing_are_there_when_they_are_asked_for);
    tcase_add_test(tcase, a_report_may_be_of_some_alone);
    tcase_add_test(tcase, an_attempt_is_one_of_a_job);
    tcase_add_test(tcase, csv_says_the_same_and_no_name_runs_as_a_formula);
    tcase_add_test(tcase, keys_are_numbered_in_their_order_and_found_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
