/* Figures and charts of the page: how amounts are written, and what is said beside
 * them. */

#include "daemon/billing/usage_html.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *decimal;
    const char *written;
} grouped[] = {
    { "0", "0" }, { "12.5", "12.5" }, { "999", "999" }, { "1000", "1,000" },
    { "12345.678", "12,345.678" }, { "1234567", "1,234,567" }, { "-1234.5", "−1,234.5" },
};

static const struct {
    int64_t seconds;
    const char *written;
} hours[] = {
    { 0,         "<data value=\"0\">0.00</data>" },
    { 1,         "<data value=\"1\">&lt; 0.01</data>" },
    { 18,        "<data value=\"18\">&lt; 0.01</data>" },  /* 0.005: to even */
    { 19,        "<data value=\"19\">0.01</data>" },
    { 54,        "<data value=\"54\">0.02</data>" },       /* 0.015: to even */
    { 90,        "<data value=\"90\">0.02</data>" },       /* 0.025: to even */
    { 3600,      "<data value=\"3600\">1.00</data>" },
    { 8999999,   "<data value=\"8999999\">2,500.00</data>" },
};
/* clang-format on */

static const char *written(const struct text *out)
{
    return out->bytes ? out->bytes : "";
}

START_TEST(digits_come_in_groups_of_three)
{
    auto_text struct text out = { 0 };

    usage_html_grouped(&out, grouped[_i].decimal);
    ck_assert_str_eq(written(&out), grouped[_i].written);
}
END_TEST

START_TEST(hours_are_rounded_and_what_is_little_is_not_nothing)
{
    auto_text struct text out = { 0 };

    usage_html_hours(&out, hours[_i].seconds);
    ck_assert_str_eq(written(&out), hours[_i].written);
}
END_TEST

START_TEST(an_amount_is_rounded_for_people_and_exact_in_the_markup)
{
    auto_text struct text out = { 0 };

    usage_html_amount(&out, INT64_C(1234567891234));
    ck_assert_str_eq(written(&out), "<data value=\"1234.567891234\">1,234.57</data>");
}
END_TEST

static struct usage_total hour_of(enum usage_share share, int64_t seconds)
{
    struct usage_total total = { 0 };

    total.shares[USAGE_WHOLE].seconds = 3600;
    total.shares[share].seconds = seconds;
    return total;
}

START_TEST(without_a_price_no_cost_is_written)
{
    struct usage_total total = hour_of(USAGE_WHOLE, 3600);
    auto_text struct text out = { 0 };

    total.unpriced_seconds = 3600;
    usage_html_marks(&out, &total);
    usage_html_cost(&out, &total);
    ck_assert_str_eq(written(&out), "no price");
}
END_TEST

START_TEST(a_cost_that_is_not_of_all_says_so)
{
    struct usage_total total = hour_of(USAGE_WHOLE, 3600);
    auto_text struct text out = { 0 };

    total.unpriced_seconds = 1;
    usage_html_marks(&out, &total);
    ck_assert_ptr_nonnull(strstr(written(&out), ">gap<"));
}
END_TEST

START_TEST(what_is_emulated_or_an_estimate_says_so)
{
    static const struct {
        enum usage_share share;
        const char *mark;
    } marked[] = { { USAGE_EMULATED, ">emul.<" }, { USAGE_ESTIMATED, ">est.<" } };

    for (size_t i = 0; i < ARRAY_SIZE(marked); i++) {
        struct usage_total all = hour_of(marked[i].share, 3600);
        struct usage_total part = hour_of(marked[i].share, 1);
        auto_text struct text of_all = { 0 };
        auto_text struct text of_part = { 0 };

        usage_html_marks(&of_all, &all);
        usage_html_marks(&of_part, &part);
        ck_assert_ptr_nonnull(strstr(written(&of_all), marked[i].mark));
        ck_assert_ptr_null(strstr(written(&of_all), "part"));
        ck_assert_ptr_nonnull(strstr(written(&of_part), marked[i].mark));
        ck_assert_ptr_nonnull(strstr(written(&of_part), "mark part"));
    }
}
END_TEST

START_TEST(what_is_plain_says_nothing)
{
    struct usage_total total = hour_of(USAGE_SPOT, 3600);
    auto_text struct text out = { 0 };

    usage_html_marks(&out, &total);
    usage_html_legend(&out, &total);
    ck_assert_str_eq(written(&out), "");
}
END_TEST

static int count_of(const char *words, const char *part)
{
    int count = 0;

    for (; (words = strstr(words, part)); words += strlen(part))
        count++;
    return count;
}

START_TEST(a_chart_has_what_is_not_nothing_and_round_ticks)
{
    static const char *const columns[] = { "2026-11-01", "2026-11-02" };
    int64_t values[][USAGE_CHART_SERIES] = {
        { 3 * NANOUSD_PER_USD, 0, 0, 0, 0 },
        { 4 * NANOUSD_PER_USD, 0, 3 * NANOUSD_PER_USD / 10, 0, 0 },
    };
    const struct usage_chart chart = {
        .id = "cost",
        .title = "Cost, USD",
        .unit = "USD",
        .series = { { "a", "s0" },
                    { "b", "s1" },
                    { "c", "s2" },
                    { "d", "s3" },
                    { "e", "s4" } },
        .columns = columns,
        .count = ARRAY_SIZE(columns),
        .values = values,
    };
    auto_text struct text out = { 0 };

    usage_html_chart(&out, &chart);
    ck_assert_int_eq(count_of(written(&out), "<rect"), 3);
    ck_assert_int_eq(count_of(written(&out), "<li>"), 2);
    ck_assert_int_eq(count_of(written(&out), "class=\"grid\""), 5); /* 0, 1, 2, 3, 4 */
    ck_assert_ptr_nonnull(strstr(written(&out), ">4</text>"));
    ck_assert_ptr_nonnull(
        strstr(written(&out), "<title>2026-11-02, c: 0.3000 USD</title>"));
}
END_TEST

/* Each of two sums can be written down, both together cannot. */
START_TEST(a_column_that_is_too_high_to_be_written_is_as_high_as_can_be)
{
    static const char *const columns[] = { "2026-11" };
    int64_t values[][USAGE_CHART_SERIES] = { { INT64_MAX, INT64_MAX, 0, 0, 0 } };
    const struct usage_chart chart = { .id = "cost",
                                       .title = "Cost, USD",
                                       .unit = "USD",
                                       .columns = columns,
                                       .count = ARRAY_SIZE(columns),
                                       .values = values };
    auto_text struct text out = { 0 };

    usage_html_chart(&out, &chart);
    ck_assert_ptr_nonnull(strstr(written(&out), ">8,000,000,000</text>"));
}
END_TEST

Suite *suite_usage_html(void);

Suite *suite_usage_html(void)
{
    Suite *suite = suite_create("usage_html");
    TCase *tests = tcase_create("figures");

    tcase_add_loop_test(tests, digits_come_in_groups_of_three, 0, ARRAY_SIZE(grouped));
    tcase_add_loop_test(tests, hours_are_rounded_and_what_is_little_is_not_nothing, 0,
                        ARRAY_SIZE(hours));
    tcase_add_test(tests, an_amount_is_rounded_for_people_and_exact_in_the_markup);
    tcase_add_test(tests, without_a_price_no_cost_is_written);
    tcase_add_test(tests, a_cost_that_is_not_of_all_says_so);
    tcase_add_test(tests, what_is_emulated_or_an_estimate_says_so);
    tcase_add_test(tests, what_is_plain_says_nothing);
    tcase_add_test(tests, a_chart_has_what_is_not_nothing_and_round_ticks);
    tcase_add_test(tests, a_column_that_is_too_high_to_be_written_is_as_high_as_can_be);
    suite_add_tcase(suite, tests);
    return suite;
}
