/* Amounts to the last digit: reading, writing, rounding; parts make the whole. */

#include "src/money.h"

#include <check.h>

#define USD NANOUSD_PER_USD

/* clang-format off */
static const struct {
    const char *text;
    nanousd_t amount;
} amounts[] = {
    { "0", 0 }, { "0.0", 0 }, { "1", USD }, { "00.5", USD / 2 }, { "0.204", 204000000 },
    { "24.725", INT64_C(24725000000) }, { "0.000000001", 1 }, { "1.000000000", USD },
    { "32.7726", INT64_C(32772600000) },
    { "9223372036.854775807", INT64_MAX }, { "9223372036", INT64_C(9223372036) * USD },
};

static const char *const no_amounts[] = {
    "", ".", ".5", "5.", "-1", "+1", " 1", "1 ", "1e3", "0x1", "1,5", "1.5.5", "USD", "nan",
    "0.0000000001", "1.0000000000", "1._5", "99999999999999999999.",
};

static const char *const large_amounts[] = {
    "9223372036.854775808", "9223372037", "99999999999999999999", "99999999999999999999.123456789",
    "340282366920938463463374607431768211456", "340282366920938463463374607431768211457.5",
};

static const struct {
    nanousd_t amount;
    const char *exact;
    const char *people;
} written[] = {
    { 0,                       "0",                    "0.00" },
    { 1,                       "0.000000001",          "0.000000001" },
    { 12345,                   "0.000012345",          "0.00001234" },   /* tie: to even */
    { 12355,                   "0.000012355",          "0.00001236" },   /* tie: to even */
    { 4646667,                 "0.004646667",          "0.004647" },
    { 204000000,               "0.204",                "0.2040" },
    { 99995000,                "0.099995",             "0.1000" },
    { 999949999,               "0.999949999",          "0.9999" },
    { 999950000,               "0.99995",              "1.00" },
    { USD,                     "1",                    "1.00" },
    { INT64_C(1005000000),     "1.005",                "1.00" },         /* tie: to even */
    { INT64_C(1015000000),     "1.015",                "1.02" },         /* tie: to even */
    { INT64_C(1005000001),     "1.005000001",          "1.01" },
    { INT64_C(12345678901),    "12.345678901",         "12.35" },
    { 100 * USD,               "100",                  "100.00" },
    { INT64_C(1234567890000),  "1234.56789",           "1234.57" },
    { -204000000,              "-0.204",               "-0.2040" },
    { INT64_C(-12345678901),   "-12.345678901",        "-12.35" },
    { INT64_MAX,               "9223372036.854775807", "9223372036.85" },
    { INT64_MIN,               "-9223372036.854775808", "-9223372036.85" },
};

/* hourly * hours to twelve places, by hand. */
static const struct {
    nanousd_t hourly;
    int64_t seconds;
    const char *hours;
    const char *cost;
} products[] = {
    { 204000000,             0,       "0",                    "0" },
    { 204000000,             3600,    "1",                    "0.204" },
    { 204000000,             41,      "0.011388888889",       "0.002323333333356" },
    { 0,                     41,      "0.011388888889",       "0" },
    { 1,                     1,       "0.000277777778",       "0.000000000000277777778" },
    { 1,                     2,       "0.000555555556",       "0.000000000000555555556" },
    { INT64_C(25251288300),  86399,   "23.999722222222",      "606.0239049532443886026" },
    { INT64_C(3825000000),   4372,    "1.214444444444",       "4.6452499999983" },
    { 204000000,             9,       "0.0025",               "0.00051" },
    { INT64_MAX,             86400,   "24",                   "221360928884.514619368" },
};

static const struct {
    usec_t span;
    int64_t seconds;
} billable[] = {
    { INT64_MIN, 0 }, { -1, 0 }, { 0, 0 }, { 1, 1 }, { 999999, 1 }, { 1000000, 1 }, { 1000001, 2 },
    { INT64_C(3600000000), 3600 }, { INT64_MAX, INT64_C(9223372036855) },
};

static const struct {
    nanousd_t hourly;
    int64_t seconds;
    nanousd_t cost;
} costs[] = {
    { 0,         1000000,         0 },
    { 204000000, 0,               0 },
    { 204000000, 3600,            204000000 },
    { 204000000, 82,              4646667 },  /* 4646666.67 */
    { 204000000, 41,              2323333 },  /* 2323333.33 */
    { 1,         1799,            0 },
    { 1,         1800,            0 },        /* 0.5: to even */
    { 1,         1801,            1 },
    { 1,         5400,            2 },        /* 1.5: to even */
    { 1,         9000,            2 },        /* 2.5: to even */
    { 3,         1800,            2 },        /* 1.5: to even */
    { 5,         1800,            2 },        /* 2.5: to even */
    { 1800,      1,               0 },        /* 0.5: to even */
    { 1800,      3,               2 },        /* 1.5: to even */
    { INT64_C(24725000000), 100000, INT64_C(686805555556) },
    { INT64_MAX, 3600,            INT64_MAX },
    { 3600,      INT64_MAX,       INT64_MAX },
    { INT64_MAX, 1,               INT64_C(2562047788015216) }, /* ...215.5: to even */
};

static const struct {
    nanousd_t hourly;
    int64_t seconds;
} large_costs[] = {
    { INT64_MAX, 3601 }, { 3601, INT64_MAX }, { INT64_MAX, INT64_MAX }, { INT64_C(2) << 61, 7200 },
};

/* Work in millionths of a unit. */
static const struct {
    const char *text;
    int64_t work;
} works[] = {
    { "0", 0 }, { "0.0", 0 }, { "180000", INT64_C(180000000000) }, { "12.5", 12500000 },
    { "1.8e5", INT64_C(180000000000) }, { "1.8E+5", INT64_C(180000000000) }, { "5.", 5000000 },
    { ".5", 500000 }, { "1e-6", 1 }, { "0.000001", 1 }, { "1e-7", 0 }, { "0.0000005", 0 },
    { "0.0000015", 2 }, { "0.0000025", 2 }, { "0.00000250000000000000000000000000000000000000000001", 3 },
    { "4e-7", 0 }, { "6e-7", 1 }, { "1e-99999999999999999999", 0 }, { "0e99999999999999999999", 0 },
    { "000000000000000000000000000000000000000000000000001", 1000000 },
    { "0.00000000000000000000000000000000000000000000000000e51", 0 },
    { "1000000000000000000000000000000000000000000000000000000e-54", 1000000 },
    { "0.0000000000000000000000000000000000000000000000000001e52", 1000000 },
    { "123456789012.3456789", INT64_C(123456789012345679) },
};

static const char *const no_works[] = {
    "", ".", "-1", "+1", "e5", "1e", "1e+", "1e5.", "1 ", " 1", "nan", "inf", "0x10", "1.2.3", "1_000",
};

static const char *const large_works[] = {
    "1000000000000000001", "1e19", "1e99999999999999999999", "1000000000000000000.000001",
    "99999999999999999999999999999999999999999999999999999999",
};

static const struct {
    const char *work;
    nanousd_t cost;
    const char *per_usd;
    const char *per_million;
} performance[] = {
    { "180000",   4646667,      "38737443.4",  "0.025815" },
    { "0",        4646667,      "0.0",         NULL },
    { "180000",   0,            NULL,          "0.000000" },
    { "0",        0,            NULL,          NULL },
    { "1",        20 * USD,     "0.0",         "20000000.000000" },  /* 0.05: to even */
    { "3",        20 * USD,     "0.2",         "6666666.666667" },   /* 0.15: to even */
    { "1e18",     1,            "1000000000000000000000000000.0", "0.000000" },
    { "0.000001", INT64_MAX,    "0.0",         "9223372036854775807000.000000" },
    { "2000000",  1000,         "2000000000000.0", "0.000000" },     /* 0.0000005: to even */
    { "2000000",  3000,         "666666666666.7", "0.000002" },      /* 0.0000015: to even */
};
/* clang-format on */

START_TEST(an_amount_is_read_to_the_last_digit)
{
    struct err err;
    nanousd_t amount = -1;

    ck_assert_int_eq(money_parse(amounts[_i].text, &amount, &err), 0);
    ck_assert_int_eq(amount, amounts[_i].amount);
}
END_TEST

START_TEST(what_is_no_amount_is_refused)
{
    struct err err;
    nanousd_t amount = -1;

    ck_assert_int_lt(money_parse(no_amounts[_i], &amount, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(amount, -1);
}
END_TEST

START_TEST(an_amount_that_does_not_fit_is_over_the_limit)
{
    struct err err;
    nanousd_t amount = -1;

    ck_assert_int_lt(money_parse(large_amounts[_i], &amount, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(amount, -1);
}
END_TEST

START_TEST(an_amount_is_written_exactly_and_for_people)
{
    char text[MONEY_TEXT_SIZE];

    ck_assert_str_eq(money_format(written[_i].amount, text), written[_i].exact);
    ck_assert_str_eq(money_format_short(written[_i].amount, text), written[_i].people);
}
END_TEST

START_TEST(what_was_written_reads_back_as_the_same)
{
    char text[MONEY_TEXT_SIZE];
    struct err err;
    nanousd_t amount = -1;

    if (written[_i].amount < 0)
        return;
    ck_assert_int_eq(money_parse(money_format(written[_i].amount, text), &amount, &err),
                     0);
    ck_assert_int_eq(amount, written[_i].amount);
}
END_TEST

START_TEST(a_span_is_rounded_up_to_whole_seconds)
{
    ck_assert_int_eq(money_billable_seconds(billable[_i].span), billable[_i].seconds);
}
END_TEST

START_TEST(a_cost_is_rounded_half_to_even)
{
    struct err err;
    nanousd_t cost = -1;

    ck_assert_int_eq(money_for_seconds(costs[_i].hourly, costs[_i].seconds, &cost,
                                       &err),
                     0);
    ck_assert_int_eq(cost, costs[_i].cost);
}
END_TEST

START_TEST(a_cost_that_does_not_fit_is_over_the_limit)
{
    struct err err;
    nanousd_t cost = -1;

    ck_assert_int_lt(money_for_seconds(large_costs[_i].hourly, large_costs[_i].seconds,
                                       &cost, &err),
                     0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(cost, -1);
}
END_TEST

START_TEST(negative_prices_and_spans_are_refused)
{
    struct err err;
    nanousd_t cost = -1;

    ck_assert_int_lt(money_for_seconds(-1, 1, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(money_for_seconds(1, -1, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(money_for_part(1, -1, 1, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(money_for_part(1, 2, 1, &cost, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(cost, -1);
}
END_TEST

/* Cuts [0, whole) at steps that differ from each other and adds the parts up.  Hundreds
 * of thousands of them: a check that holds is written down, too, which takes longer. */
static nanousd_t sum_of_parts(nanousd_t hourly, int64_t whole, int64_t step)
{
    struct err err;
    nanousd_t sum = 0;
    nanousd_t part;

    for (int64_t from = 0, to; from < whole; from = to) {
        to = from + 1 + (from * 7 + step) % (2 * step);
        if (to > whole)
            to = whole;
        if (money_for_part(hourly, from, to, &part, &err) < 0 || part < 0)
            ck_abort_msg("from %lld to %lld", (long long)from, (long long)to);
        sum += part;
    }
    return sum;
}

START_TEST(parts_always_sum_to_the_whole)
{
    static const nanousd_t prices[] = { 1,         7,           1800,
                                        3599,      3601,        204000000,
                                        340000001, 24725000000, 98320000007 };
    struct err err;
    nanousd_t whole;

    for (int64_t seconds = 1; seconds < 200000; seconds = seconds * 3 + 1) {
        for (int64_t step = 1; step <= seconds; step = step * 5 + 2) {
            ck_assert_int_eq(money_for_seconds(prices[_i], seconds, &whole, &err), 0);
            ck_assert_int_eq(sum_of_parts(prices[_i], seconds, step), whole);
        }
    }
}
END_TEST

START_TEST(a_part_may_fit_where_the_whole_does_not)
{
    struct err err;
    nanousd_t part = -1;

    ck_assert_int_eq(money_for_part(INT64_MAX, 7200, 10800, &part, &err), 0);
    ck_assert_int_eq(part, INT64_MAX);
    ck_assert_int_lt(money_for_part(INT64_MAX, 7200, 10801, &part, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_eq(money_for_part(INT64_MAX, 7200, 7200, &part, &err), 0);
    ck_assert_int_eq(part, 0);
}
END_TEST

START_TEST(work_is_read_to_six_places)
{
    struct err err;
    micro_t work = -1;

    ck_assert_int_eq(micro_parse(works[_i].text, &work, &err), 0);
    ck_assert_int_eq((int64_t)work, works[_i].work);
}
END_TEST

START_TEST(what_is_no_work_is_refused)
{
    struct err err;
    micro_t work = -1;

    ck_assert_int_lt(micro_parse(no_works[_i], &work, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert(work == -1);
}
END_TEST

START_TEST(work_above_the_limit_is_refused)
{
    struct err err;
    micro_t work = -1;

    ck_assert_int_lt(micro_parse(large_works[_i], &work, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert(work == -1);
}
END_TEST

START_TEST(work_at_the_limit_is_read)
{
    const micro_t limit = (micro_t)INT64_C(1000000000000000000) * 1000000;
    struct err err;
    micro_t work = -1;

    ck_assert_int_eq(micro_parse("1000000000000000000", &work, &err), 0);
    ck_assert(work == limit);
    ck_assert_int_eq(micro_parse("1e18", &work, &err), 0);
    ck_assert(work == limit);
}
END_TEST

static void check_figure(bool has_figure, const char *figure, const char *expected)
{
    ck_assert_int_eq(has_figure, expected != NULL);
    if (expected)
        ck_assert_str_eq(figure, expected);
}

START_TEST(price_and_work_make_the_figures)
{
    char text[MONEY_TEXT_SIZE];
    struct err err;
    micro_t work;
    bool has_figure;

    ck_assert_int_eq(micro_parse(performance[_i].work, &work, &err), 0);
    has_figure = money_work_per_usd(work, performance[_i].cost, text);
    check_figure(has_figure, text, performance[_i].per_usd);
    has_figure = money_usd_per_million(work, performance[_i].cost, text);
    check_figure(has_figure, text, performance[_i].per_million);
}
END_TEST

START_TEST(hours_have_twelve_places_and_their_product_has_every_digit)
{
    char text[MONEY_TEXT_SIZE];
    struct err err;

    ck_assert_str_eq(money_hours(products[_i].seconds, text), products[_i].hours);
    ck_assert_int_eq(money_hours_cost(products[_i].hourly, products[_i].seconds, text,
                                      &err),
                     0);
    ck_assert_str_eq(text, products[_i].cost);
}
END_TEST

START_TEST(a_product_that_cannot_be_written_down_is_refused)
{
    char text[MONEY_TEXT_SIZE] = "as it was";
    struct err err;

    ck_assert_int_lt(money_hours_cost(INT64_MAX, INT64_MAX, text, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_lt(money_hours_cost(-1, 1, text, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(text, "as it was");
}
END_TEST

static TCase *text_tests(void)
{
    TCase *tests = tcase_create("text");

    tcase_add_loop_test(tests, an_amount_is_read_to_the_last_digit, 0,
                        ARRAY_SIZE(amounts));
    tcase_add_loop_test(tests, what_is_no_amount_is_refused, 0, ARRAY_SIZE(no_amounts));
    tcase_add_loop_test(tests, an_amount_that_does_not_fit_is_over_the_limit, 0,
                        ARRAY_SIZE(large_amounts));
    tcase_add_loop_test(tests, an_amount_is_written_exactly_and_for_people, 0,
                        ARRAY_SIZE(written));
    tcase_add_loop_test(tests, what_was_written_reads_back_as_the_same, 0,
                        ARRAY_SIZE(written));
    return tests;
}

static TCase *cost_tests(void)
{
    TCase *tests = tcase_create("cost");

    tcase_add_loop_test(tests, a_span_is_rounded_up_to_whole_seconds, 0,
                        ARRAY_SIZE(billable));
    tcase_add_loop_test(tests, a_cost_is_rounded_half_to_even, 0, ARRAY_SIZE(costs));
    tcase_add_loop_test(tests, a_cost_that_does_not_fit_is_over_the_limit, 0,
                        ARRAY_SIZE(large_costs));
    tcase_add_test(tests, negative_prices_and_spans_are_refused);
    tcase_add_loop_test(tests, parts_always_sum_to_the_whole, 0, 9);
    tcase_add_test(tests, a_part_may_fit_where_the_whole_does_not);
    tcase_add_loop_test(tests,
                        hours_have_twelve_places_and_their_product_has_every_digit, 0,
                        ARRAY_SIZE(products));
    tcase_add_test(tests, a_product_that_cannot_be_written_down_is_refused);
    return tests;
}

static TCase *work_tests(void)
{
    TCase *tests = tcase_create("work");

    tcase_add_loop_test(tests, work_is_read_to_six_places, 0, ARRAY_SIZE(works));
    tcase_add_loop_test(tests, what_is_no_work_is_refused, 0, ARRAY_SIZE(no_works));
    tcase_add_loop_test(tests, work_above_the_limit_is_refused, 0,
                        ARRAY_SIZE(large_works));
    tcase_add_test(tests, work_at_the_limit_is_read);
    tcase_add_loop_test(tests, price_and_work_make_the_figures, 0,
                        ARRAY_SIZE(performance));
    return tests;
}

Suite *suite_money(void);

Suite *suite_money(void)
{
    Suite *suite = suite_create("money");

    suite_add_tcase(suite, text_tests());
    suite_add_tcase(suite, cost_tests());
    suite_add_tcase(suite, work_tests());
    return suite;
}
