/* Time that was reserved and that nobody used: what counts as that, what it costs, and
 * that every form of the report has as much of it. */

#include "src/clock.h"
#include "src/csv_read.h"
#include "src/money.h"
#include "tests/unit/usage_ledger.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Two instances for a day, three for the next, none from then on; ten hours were used
 * over midnight. */
START_TEST(what_nobody_used_of_a_reservation_is_idle)
{
    const int64_t dollar = ledger_price("1", "high");

    ledger_reserve(2, dollar, NEW_YEAR);
    ledger_reserve(3, dollar, NEW_YEAR + DAY);
    ledger_reserve(0, dollar, NEW_YEAR + 2 * DAY);
    ledger_run("a", ledger_label("ada", "reserved", false, "{}"), dollar,
               NEW_YEAR + DAY - 4 * HOUR, 10 * HOUR);
    ledger_expect_share(JANUARY, "idle_reserved", 110 * HOUR, "110");
    ledger_expect_share(JANUARY, "reserved", 10 * HOUR, "10");
    ledger_expect_share("\"from\":\"2026-01-01\",\"to\":\"2026-01-02\"",
                        "idle_reserved", 44 * HOUR, "44");
    ledger_expect_share(
        "\"from\":\"2026-01-02\",\"to\":\"2026-01-03\",\"by\":\"owner\"",
        "idle_reserved", 66 * HOUR, "66");
    ledger_expect_share(JANUARY ",\"pool\":\"spot\"", "idle_reserved", 0, "0");
    /* Idle time is nobody's. */
    ledger_expect(JANUARY ",\"by\":\"owner,pool,job,attempt\"",
                  "ada reserved a 1 36000 s 10\n- reserved - - 0 s 0\n36000 s 10");
}
END_TEST

START_TEST(of_one_owner_idle_time_is_not_known)
{
    auto_json struct cJSON *json = NULL;

    ledger_reserve(2, ledger_price("1", "high"), NEW_YEAR);
    json = ledger_report_json(JANUARY ",\"owner\":\"ada\"");
    ck_assert_int_eq(json_kind(json_get(json_get(json, "total"), "idle_reserved")),
                     JSON_NULL);
}
END_TEST

/* An export as an array of lines; the caller frees. */
static struct cJSON *lines_of(const char *members)
{
    auto_free char *words = ledger_report_words(members);
    struct cJSON *lines;
    struct err err;

    if (csv_read(words, strlen(words), &lines, &err) < 0)
        ck_abort_msg("%s", err.text);
    return lines;
}

/* That all forms have this much. */
static void expect_idle(const char *span, int64_t seconds, const char *cost)
{
    auto_free char *members = xasprintf("%s,\"format\":\"focus\"", span);
    auto_json struct cJSON *lines = lines_of(members);
    char words[MONEY_TEXT_SIZE];
    int64_t found = 0;
    nanousd_t sum = 0;
    struct err err;

    ledger_expect_share(span, "idle_reserved", seconds, cost);
    json_each (line, lines) {
        const char *status = json_get_text(line, "CapacityReservationStatus");
        nanousd_t amount;

        if (!status || strcmp(status, "Unused") != 0)
            continue;
        ck_assert_int_eq(money_parse(json_get_text(line, "x_LedgerCost"), &amount,
                                     &err),
                         0);
        found += atoll(json_get_text(line, "ConsumedQuantity"));
        sum += amount;
    }
    ck_assert_int_eq(found, seconds);
    ck_assert_str_eq(money_format(sum, words), cost);
}

#define FIRST "\"from\":\"2026-01-01\",\"to\":\"2026-01-02\""

/* Each is rounded up to whole seconds, so both are charged the second in which one ends
 * and the other begins. */
START_TEST(a_second_that_two_share_is_not_less_than_idle)
{
    const int64_t dollar = ledger_price("1", "high");
    const int64_t of = ledger_label("ada", "reserved", false, "{}");

    ledger_reserve(1, dollar, NEW_YEAR);
    ledger_run("a", of, dollar, NEW_YEAR, HOUR + 1);
    ledger_run("b", of, dollar, NEW_YEAR + HOUR, DAY - HOUR);
    expect_idle(FIRST, 0, "0");
}
END_TEST

START_TEST(what_runs_beyond_a_pool_that_was_made_smaller_takes_nothing_off_later_time)
{
    const int64_t dollar = ledger_price("1", "high");
    const int64_t of = ledger_label("ada", "reserved", false, "{}");

    ledger_reserve(2, dollar, NEW_YEAR);
    ledger_reserve(1, dollar, NEW_YEAR + HOUR);
    ledger_reserve(0, dollar, NEW_YEAR + 5 * HOUR);
    ledger_run("a", of, dollar, NEW_YEAR, 2 * HOUR);
    ledger_run("b", of, dollar, NEW_YEAR, 3 * HOUR);
    expect_idle(FIRST, 2 * HOUR, "2");
}
END_TEST

START_TEST(idle_time_costs_what_the_reservation_does_whatever_jobs_pay)
{
    const int64_t one = ledger_price("1", "high");

    ledger_reserve(1, ledger_price("2", "high"), NEW_YEAR);
    ledger_reserve(0, one, NEW_YEAR + DAY);
    ledger_run("a", ledger_label("ada", "reserved", false, "{}"), one, NEW_YEAR,
               23 * HOUR);
    expect_idle(FIRST, HOUR, "2");
    ledger_run("b", ledger_label("ada", "reserved", false, "{}"), one,
               NEW_YEAR + 23 * HOUR, HOUR);
    expect_idle(FIRST, 0, "0");
}
END_TEST

START_TEST(an_instance_is_used_whatever_the_terms_or_the_report)
{
    const int64_t dollar = ledger_price("1", "high");
    struct charge_label words = { .owner = "ada",
                                  .instance_type = "ml.c5.xlarge",
                                  .pool = "reserved",
                                  .pricing = "standard",
                                  .scheduler = "local",
                                  .tags = "{}" };

    ledger_reserve(2, dollar, NEW_YEAR);
    ledger_reserve(0, dollar, NEW_YEAR + DAY);
    ledger_run("before", ledger_label_of(&words), dollar, NEW_YEAR - HOUR, 2 * HOUR);
    words.emulated = true;
    ledger_run("emulated", ledger_label_of(&words), dollar, NEW_YEAR, 2 * HOUR);
    expect_idle(FIRST, 45 * HOUR, "45");
    expect_idle(FIRST ",\"emulated\":\"exclude\"", 45 * HOUR, "45");
}
END_TEST

START_TEST(a_pool_with_another_type_is_another_pool)
{
    const int64_t dollar = ledger_price("1", "high");

    ledger_reserve_of("rack", "ml.a", 2, dollar, NEW_YEAR + 2 * HOUR);
    ledger_reserve_of("rack", "ml.b", 1, dollar, NEW_YEAR);
    ledger_reserve_of("rack", "ml.b", 0, dollar, NEW_YEAR + 2 * HOUR);
    expect_idle(FIRST, 46 * HOUR, "46");
    expect_idle(FIRST ",\"instance_type\":\"ml.a\"", 44 * HOUR, "44");
}
END_TEST

/* 0.000000001 * 1800 / 3600 is half a nano-dollar, and even is 0. */
START_TEST(idle_time_of_parts_of_a_day_adds_up_to_that_of_the_day)
{
    const int64_t least = ledger_price("0.000000001", "high");

    ledger_reserve(1, least, NEW_YEAR);
    ledger_run("a", ledger_label("ada", "reserved", false, "{}"), least,
               NEW_YEAR + HOUR / 4, HOUR / 4);
    expect_idle("\"from\":\"2026-01-01\",\"to\":\"2026-01-01T00:45:00Z\"", HOUR / 2,
                "0");
    expect_idle("\"from\":\"2026-01-01T00:45:00Z\",\"to\":\"2026-01-01T00:50:00Z\"",
                300, "0.000000001");
    expect_idle("\"from\":\"2026-01-01\",\"to\":\"2026-01-01T00:50:00Z\"",
                HOUR / 2 + 300, "0.000000001");
    expect_idle("\"from\":\"2026-01-01T23:00:00Z\",\"to\":\"2026-01-02T01:00:00Z\"",
                2 * HOUR, "0.000000002");
}
END_TEST

START_TEST(what_runs_holds_its_instance_up_to_now)
{
    const int64_t dollar = ledger_price("1", "high");

    clock_hold((NEW_YEAR + 91) * USEC_PER_SEC, 500000 + 90 * USEC_PER_SEC);
    ledger_reserve(1, dollar, NEW_YEAR);
    ledger_add(&(struct ledger_line){ "a", 1, 0,
                                      ledger_label("ada", "reserved", false, "{}"),
                                      dollar, NEW_YEAR, NULL });
    expect_idle(FIRST, 0, "0");
}
END_TEST

START_TEST(a_reservation_without_a_price_has_time_and_no_amount)
{
    ledger_reserve(1, 0, NEW_YEAR);
    ledger_reserve(0, 0, NEW_YEAR + HOUR);
    ledger_expect_share(FIRST, "idle_reserved", HOUR, "0");
}
END_TEST

START_TEST(lines_of_idle_time_have_names_of_their_own)
{
    auto_json struct cJSON *lines = NULL;
    const int64_t dollar = ledger_price("1", "high");
    const char *before = NULL;

    ledger_reserve_of("a", "ml.c5.xlarge", 1, dollar, NEW_YEAR);
    ledger_reserve_of("a", "ml.c5.xlarge", 0, dollar, NEW_YEAR + HOUR);
    ledger_reserve_of("b", "ml.c5.xlarge", 1, dollar, NEW_YEAR);
    ledger_reserve_of("b", "ml.c5.xlarge", 0, dollar, NEW_YEAR + HOUR);
    lines = lines_of(FIRST ",\"format\":\"cur\"");
    ck_assert_uint_eq(json_count(lines), 2);
    json_each (line, lines) {
        const char *id = json_get_text(line, "identity_line_item_id");

        ck_assert(!before || strcmp(id, before) != 0);
        before = id;
    }
}
END_TEST

Suite *suite_usage_idle(void)
{
    Suite *suite = suite_create("usage_idle");
    TCase *tcase = tcase_create("usage_idle");

    tcase_add_checked_fixture(tcase, ledger_make, ledger_gone);
    tcase_add_test(tcase, what_nobody_used_of_a_reservation_is_idle);
    tcase_add_test(tcase, of_one_owner_idle_time_is_not_known);
    tcase_add_test(tcase, a_second_that_two_share_is_not_less_than_idle);
    tcase_add_test(
        tcase,
        what_runs_beyond_a_pool_that_was_made_smaller_takes_nothing_off_later_time);
    tcase_add_test(tcase, idle_time_costs_what_the_reservation_does_whatever_jobs_pay);
    tcase_add_test(tcase, an_instance_is_used_whatever_the_terms_or_the_report);
    tcase_add_test(tcase, a_pool_with_another_type_is_another_pool);
    tcase_add_test(tcase, idle_time_of_parts_of_a_day_adds_up_to_that_of_the_day);
    tcase_add_test(tcase, what_runs_holds_its_instance_up_to_now);
    tcase_add_test(tcase, a_reservation_without_a_price_has_time_and_no_amount);
    tcase_add_test(tcase, lines_of_idle_time_have_names_of_their_own);
    suite_add_tcase(suite, tcase);
    return suite;
}
