/* For which prices a published claim holds.  The figures are those of a claim of 22 %
 * and 50 % at 37.688 dollars, computed by hand. */

#include "src/cli/claim.h"
#include "src/money.h"

#include <check.h>

static const struct claim published = { .faster = 22000000,
                                        .cheaper = 50000000,
                                        .baseline = INT64_C(37688000000) };

static nanousd_t price_at_most(enum claim_reading reading)
{
    nanousd_t price = -1;

    ck_assert_int_eq(claim_price_at_most(&published, reading, &price, NULL), 0);
    return price;
}

static int64_t saving_at(enum claim_reading reading, nanousd_t price)
{
    int64_t saving = 0;

    ck_assert_int_eq(claim_saving(&published, reading, price, &saving, NULL), 0);
    return saving;
}

START_TEST(a_claim_holds_up_to_a_price_by_either_reading)
{
    ck_assert_int_eq(claim_time(&published, CLAIM_LESS_TIME), 78000000);
    ck_assert_int_eq(claim_time(&published, CLAIM_MORE_SPEED), 81967213);
    ck_assert_int_eq(price_at_most(CLAIM_LESS_TIME), INT64_C(24158974358));
    ck_assert_int_eq(price_at_most(CLAIM_MORE_SPEED), INT64_C(22989680000));
}
END_TEST

/* clang-format off */
static const struct {
    nanousd_t price;
    int64_t less_time;  /* saving, in millionths of a percent */
    int64_t more_speed;
    int64_t time;       /* at most, in millionths of a percent */
} prices[] = {
    { INT64_C(24725000000), 48828539, 46225871, 76214357 },
    { INT64_C(24800000000), 48673317, 46062755, 75983870 },
    { INT64_C(25800000000), 46603693, 43887866, 73038759 },
    { INT64_C(28497000000), 41021916, 38022190, 66126258 },
    { INT64_C(37688000000), 22000000, 18032786, 50000000 },
    { INT64_C(75376000000), -56000000, -63934427, 25000000 },
};
/* clang-format on */

START_TEST(a_price_says_how_much_is_saved_and_how_long_it_may_take)
{
    nanousd_t price = prices[_i].price;
    int64_t time;

    ck_assert_int_eq(saving_at(CLAIM_LESS_TIME, price), prices[_i].less_time);
    ck_assert_int_eq(saving_at(CLAIM_MORE_SPEED, price), prices[_i].more_speed);
    ck_assert_int_eq(claim_time_at_most(&published, price, &time, NULL), 0);
    ck_assert_int_eq(time, prices[_i].time);
}
END_TEST

START_TEST(at_the_highest_price_it_holds_and_a_nano_dollar_above_not)
{
    for (int i = 0; i < CLAIM_READINGS; i++) {
        enum claim_reading reading = (enum claim_reading)i;
        nanousd_t most = price_at_most(reading);

        ck_assert_int_ge(saving_at(reading, most), published.cheaper);
        ck_assert_int_lt(saving_at(reading, most + 1), published.cheaper);
    }
}
END_TEST

START_TEST(no_claim_makes_a_time_of_nothing)
{
    const struct claim nearly_all = { .faster = CLAIM_WHOLE - 1, .baseline = 1 };

    ck_assert_int_eq(claim_time(&nearly_all, CLAIM_LESS_TIME), 1);
    ck_assert_int_eq(claim_time(&nearly_all, CLAIM_MORE_SPEED), 50000000);
}
END_TEST

START_TEST(what_does_not_fit_is_an_error)
{
    const struct claim nearly_all = { .faster = 99999999,
                                      .baseline = INT64_C(1000) << 32 };
    const struct claim cheap = { .baseline = 1 };
    struct err err;
    int64_t out;

    ck_assert_int_lt(claim_price_at_most(&nearly_all, CLAIM_LESS_TIME, &out, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_lt(claim_saving(&cheap, CLAIM_LESS_TIME, INT64_MAX, &out, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

static const struct {
    const char *text;
    int64_t percent; /* -1: refused */
} percents[] = {
    { "22", 22000000 },   { "0", 0 },    { "0.5", 500000 }, { "99.999999", 99999999 },
    { "100", -1 },        { "-1", -1 },  { "x", -1 },       { "", -1 },
    { "nan", -1 },        { "inf", -1 }, { "22 %", -1 },    { "0.0000001", -1 },
    { "99.9999999", -1 },
};

START_TEST(a_percentage_is_below_a_hundred)
{
    int64_t percent = -1;
    struct err err;

    if (claim_parse_percent(percents[_i].text, &percent, &err) < 0)
        percent = -1;
    ck_assert_int_eq(percent, percents[_i].percent);
}
END_TEST

Suite *suite_claim(void);

Suite *suite_claim(void)
{
    Suite *suite = suite_create("claim");
    TCase *tests = tcase_create("what if");

    tcase_add_test(tests, a_claim_holds_up_to_a_price_by_either_reading);
    tcase_add_loop_test(tests, a_price_says_how_much_is_saved_and_how_long_it_may_take,
                        0, ARRAY_SIZE(prices));
    tcase_add_test(tests, at_the_highest_price_it_holds_and_a_nano_dollar_above_not);
    tcase_add_test(tests, no_claim_makes_a_time_of_nothing);
    tcase_add_test(tests, what_does_not_fit_is_an_error);
    tcase_add_loop_test(tests, a_percentage_is_below_a_hundred, 0,
                        ARRAY_SIZE(percents));
    suite_add_tcase(suite, tests);
    return suite;
}
