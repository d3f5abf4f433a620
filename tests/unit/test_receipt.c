/* Arithmetic of receipts, written out. */

#include "daemon/billing/receipt.h"

#include <check.h>

/* clang-format off */
static const struct {
    nanousd_t hourly;
    int64_t seconds;
    const char *words;
} rows[] = {
    { 204000000, 82, "0.204 * 82 / 3600 = 0.004646666666... = 0.004646667" },
    { 1515000000, 7836, "1.515 * 7836 / 3600 = 3.29765" },
    { 1, 1800, "0.000000001 * 1800 / 3600 = 0.000000000500 = 0" },
    { 3, 1800, "0.000000003 * 1800 / 3600 = 0.000000001500 = 0.000000002" },
    { 0, 60, "0 * 60 / 3600 = 0" },
    { 24725000000, 1382384, "24.725 * 1382384 / 3600 = 9494.290111111111... = 9494.290111111" },
};
/* clang-format on */

START_TEST(what_was_rounded_away_is_shown)
{
    char words[RECEIPT_ARITHMETIC_SIZE];

    ck_assert_str_eq(receipt_arithmetic(rows[_i].hourly, rows[_i].seconds, words),
                     rows[_i].words);
}
END_TEST

Suite *suite_receipt(void)
{
    Suite *suite = suite_create("receipt");
    TCase *words = tcase_create("words");

    tcase_add_loop_test(words, what_was_rounded_away_is_shown, 0, ARRAY_SIZE(rows));
    suite_add_tcase(suite, words);
    return suite;
}
