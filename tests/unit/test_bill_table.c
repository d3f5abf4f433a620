/* The table of jobctl bill: what of a report people see, and what is said of it. */

#include "src/cli/bill.h"

#include <check.h>
#include <string.h>

/* Of a report without rows; `rows` is put in. */
static char *table_of(const char *by, const char *rows, const char *total)
{
    auto_free char *words = xasprintf(
        "{\"from\":\"2026-11-01T00:00:00.000000Z\",\"to\":\"2026-12-01T00:00:00.000000Z\","
        "\"tz\":\"UTC\",\"by\":[%s],\"rows\":[%s],\"total\":{%s}}",
        by, rows, total);
    auto_json struct cJSON *report = NULL;
    struct text out = { 0 };
    struct err err;

    if (json_parse(words, strlen(words), &report, &err) < 0)
        ck_abort_msg("%s", err.text);
    bill_table(report, &out);
    return text_steal(&out);
}

#define AMOUNT(seconds, usd) \
    "{\"instance_seconds\":" seconds ",\"cost_usd\":\"" usd "\"}"
#define HEAD "From 2026-11-01 00:00:00Z to 2026-12-01 00:00:00Z, days of UTC\n\n"

START_TEST(columns_are_there_when_there_is_something_in_them)
{
    auto_free char *table = table_of(
        "\"month\",\"instance_type\"",
        "{\"group\":{\"month\":\"2026-11\",\"instance_type\":null},\"jobs\":2,"
        "\"instance_seconds\":7260,\"cost_usd\":\"1234.565\",\"spot\":" AMOUNT(
            "0", "0") ",\"busy\":{\"percent\":\"87.5\"}}",
        "\"jobs\":2,\"instance_seconds\":7260,\"cost_usd\":\"1234.565\",\"spot\":" AMOUNT(
            "0", "0") ",\"busy\":{\"percent\":\"87.5\"}");

    ck_assert_str_eq(
        table,
        HEAD "MONTH    INSTANCE TYPE  JOBS  INSTANCE TIME    BUSY      COST\n"
             "2026-11  -                 2     2 h 01 min  87.5 %  $1234.56\n"
             "TOTAL                      2     2 h 01 min  87.5 %  $1234.56\n\n");
}
END_TEST

START_TEST(what_is_emulated_idle_or_without_a_price_is_never_shown_without_saying_so)
{
    auto_free char *table = table_of(
        "", "",
        "\"jobs\":1,\"instance_seconds\":10,\"cost_usd\":null,"
        "\"emulated\":" AMOUNT("10", "0") ",\"estimated\":" AMOUNT(
            "1",
            "2") ","
                 "\"idle_reserved\":" AMOUNT(
                     "-1",
                     "-0.5") ","
                             "\"unpriced_instance_seconds\":10,\"open_instance_seconds\":10,"
                             "\"busy\":{\"percent\":null}");

    ck_assert_ptr_nonnull(
        strstr(table, "EMULATED: of jobs that ran on other hardware"));
    ck_assert_ptr_nonnull(strstr(table, "ESTIMATED: at prices of low confidence"));
    ck_assert_ptr_nonnull(strstr(table, "IDLE: of reserved instances"));
    ck_assert_ptr_nonnull(
        strstr(table, "NO PRICE: time of instances that have no price"));
    ck_assert_ptr_nonnull(strstr(table, "still runs and is counted up to now"));
}
END_TEST

START_TEST(an_amount_below_0_and_one_that_is_not_known_are_shown_as_such)
{
    static const char row[] =
        "\"jobs\":1,\"instance_seconds\":10,\"cost_usd\":null,"
        "\"idle_reserved\":" AMOUNT("-1", "-0.5") ",\"busy\":{\"percent\":null}";
    auto_free char *rows = xasprintf("{\"group\":{\"pool\":\"x\"},%s}", row);
    auto_free char *table = table_of("\"pool\"", rows, row);

    ck_assert_ptr_nonnull(strstr(table,
                                 "POOL   JOBS  INSTANCE TIME  BUSY  COST      IDLE\n"
                                 "x         1           10 s     -     -  -$0.5000\n"
                                 "TOTAL     1           10 s     -     -  -$0.5000\n"));
}
END_TEST

START_TEST(a_report_by_nothing_is_its_total)
{
    static const char total[] = "\"jobs\":0,\"instance_seconds\":0,\"cost_usd\":\"0\"";
    auto_free char *table = table_of("", "", total);

    ck_assert_str_eq(table, HEAD "JOBS  INSTANCE TIME  BUSY   COST\n"
                                 "   0              -     -  $0.00\n\n");
}
END_TEST

Suite *suite_bill_table(void)
{
    Suite *suite = suite_create("bill_table");
    TCase *tcase = tcase_create("bill_table");

    tcase_add_test(tcase, columns_are_there_when_there_is_something_in_them);
    tcase_add_test(
        tcase,
        what_is_emulated_idle_or_without_a_price_is_never_shown_without_saying_so);
    tcase_add_test(tcase,
                   an_amount_below_0_and_one_that_is_not_known_are_shown_as_such);
    tcase_add_test(tcase, a_report_by_nothing_is_its_total);
    suite_add_tcase(suite, tcase);
    return suite;
}
