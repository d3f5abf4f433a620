/* Whose money a budget counts, in which month, and how long what is left lasts. */

#include "daemon/budget_count.h"
#include "src/clock.h"
#include "tests/unit/life.h"

#include <check.h>
#include <string.h>

static usec_t instant(const char *words)
{
    usec_t wall;
    struct err err;

    if (time_parse(words, &wall, &err) < 0)
        ck_abort_msg("%s", err.text);
    return wall;
}

/* clang-format off */
static const struct {
    const char *wall, *from, *to;
} months[] = {
    { "2026-11-30T23:59:59.999999Z", "2026-11-01", "2026-12-01" },
    { "2026-12-01T00:00:00Z",        "2026-12-01", "2027-01-01" },
    { "2026-12-31T12:00:00Z",        "2026-12-01", "2027-01-01" },
    { "2028-02-29T00:00:00Z",        "2028-02-01", "2028-03-01" },
    { "1970-01-01T00:00:00Z",        "1970-01-01", "1970-02-01" },
};
/* clang-format on */

START_TEST(a_month_is_the_calendars_in_utc)
{
    struct budget_span span = budget_span_at(BUDGET_MONTH, instant(months[_i].wall));

    ck_assert_int_eq(span.from_s, instant(months[_i].from) / USEC_PER_SEC);
    ck_assert_int_eq(span.to_s, instant(months[_i].to) / USEC_PER_SEC);
}
END_TEST

static struct budget_rule rule(const char *owner, const char *key, const char *value)
{
    return (struct budget_rule){ .owner = xstrdup(owner),
                                 .tag_key = xstrdup(key),
                                 .tag_value = xstrdup(value) };
}

/* clang-format off */
static const struct {
    const char *of_owner, *key, *value; /* the budget's */
    const char *owner, *tags;
    bool covers;
} scopes[] = {
    { NULL,  NULL,      NULL, "ana", "{}", true },
    { "ana", NULL,      NULL, "ana", "{}", true },
    { "ana", NULL,      NULL, "anna", "{}", false },
    { NULL,  "project", "x",  "ana", "{\"project\":\"x\"}", true },
    { NULL,  "project", "x",  "ana", "{\"project\":\"X\"}", false },
    { NULL,  "project", "x",  "ana", "{\"other\":\"x\"}", false },
    { NULL,  "project", "x",  "ana", "{}", false },
    { NULL,  "p",       "",   "ana", "{\"p\":\"\"}", true },
    { "ana", "p",       "x",  "bob", "{\"p\":\"x\"}", false },
    { "ana", "p",       "x",  "ana", "{\"p\":\"x\",\"q\":\"y\"}", true },
};
/* clang-format on */

START_TEST(a_budget_covers_jobs_by_owner_and_by_tag)
{
    struct budget_rule one =
        rule(scopes[_i].of_owner, scopes[_i].key, scopes[_i].value);
    auto_json struct cJSON *tags = NULL;
    struct err err;

    ck_assert_int_eq(json_parse(scopes[_i].tags, strlen(scopes[_i].tags), &tags, &err),
                     0);
    ck_assert_int_eq(budget_covers(&one, scopes[_i].owner, tags), scopes[_i].covers);
    budget_rule_clear(&one);
}
END_TEST

START_TEST(two_rules_count_alike_when_scope_and_period_are_the_same)
{
    struct budget_rule one = rule("ana", "p", "x");
    struct budget_rule others[] = { rule("ana", "p", "x"), rule("ana", "p", "y"),
                                    rule(NULL, "p", "x"), rule("ana", NULL, NULL),
                                    rule("ana", "p", "x") };

    others[0].limit = 5;
    others[0].action = BUDGET_STOP;
    others[4].period = BUDGET_TOTAL;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        ck_assert_int_eq(budget_counts_alike(&one, &others[i]), i == 0);
        budget_rule_clear(&others[i]);
    }
    budget_rule_clear(&one);
}
END_TEST

/* 3.6 USD an hour are a thousandth of a dollar a second. */
static struct budget_part part(int64_t start_s, int64_t seconds)
{
    return (struct budget_part){ .owner = "ana",
                                 .tags = "{}",
                                 .priced = true,
                                 .hourly = INT64_C(3600000000),
                                 .start_s = start_s,
                                 .seconds = seconds };
}

START_TEST(a_job_over_new_year_is_in_both_months_with_its_share)
{
    const int64_t midnight = instant("2027-01-01") / USEC_PER_SEC;
    struct budget_part across = part(midnight - 7, 20);
    struct budget_sum before = { 0 }, after = { 0 }, all = { 0 };

    across.hourly = INT64_C(204000001); /* what does not divide */
    across.base = 13;
    budget_add(&before, budget_span_at(BUDGET_MONTH, (midnight - 1) * USEC_PER_SEC),
               &across);
    budget_add(&after, budget_span_at(BUDGET_MONTH, midnight * USEC_PER_SEC), &across);
    budget_add(&all, budget_span_at(BUDGET_TOTAL, 0), &across);
    ck_assert_int_gt(before.spent, 0);
    ck_assert_int_gt(after.spent, before.spent);
    ck_assert_int_eq(before.spent + after.spent, all.spent);
}
END_TEST

START_TEST(what_lies_outside_a_month_or_has_no_length_adds_nothing)
{
    const struct budget_span month =
        budget_span_at(BUDGET_MONTH, instant("2026-12-05"));
    struct budget_part parts[] = { part(month.from_s - 10, 10), part(month.to_s, 10),
                                   part(month.from_s + 5, 0) };
    struct budget_sum sum = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        parts[i].priced = i != 1;
        budget_add(&sum, month, &parts[i]);
    }
    ck_assert_int_eq(sum.spent, 0);
    ck_assert(!sum.unpriced);
}
END_TEST

START_TEST(what_is_emulated_estimated_or_unpriced_is_told_apart)
{
    const struct budget_span ever = budget_span_at(BUDGET_TOTAL, 0);
    struct budget_part real = part(0, 2), emulated = part(0, 3), low = part(0, 4),
                       unpriced = part(0, 5);
    struct budget_sum sum = { 0 };

    emulated.emulated = true;
    budget_add(&sum, ever, &real);
    budget_add(&sum, ever, &emulated);
    ck_assert(!sum.estimated && !sum.unpriced);
    low.estimated = true;
    budget_add(&sum, ever, &low);
    ck_assert(sum.estimated);
    unpriced.priced = false;
    budget_add(&sum, ever, &unpriced);
    ck_assert(sum.unpriced);
    ck_assert_int_eq(sum.spent, 9 * NANOUSD_PER_USD / 1000);
    ck_assert_int_eq(sum.emulated, 3 * NANOUSD_PER_USD / 1000);
}
END_TEST

START_TEST(a_sum_is_added_with_all_that_is_known_of_it)
{
    const struct budget_sum estimated = { 5, 2, true, false };
    const struct budget_sum unpriced = { INT64_MAX, 1, false, true };
    struct budget_sum sum = { 0 };

    budget_sum_add(&sum, &estimated);
    ck_assert(sum.spent == 5 && sum.emulated == 2 && sum.estimated && !sum.unpriced);
    budget_sum_add(&sum, &unpriced);
    ck_assert(sum.emulated == 3 && sum.estimated && sum.unpriced);
    ck_assert_int_eq(sum.spent, INT64_MAX);
}
END_TEST

/* clang-format off */
static const struct {
    nanousd_t money, rate;
    usec_t lasts;
} lengths[] = {
    { 0,                     1000,                  0 },
    { -5,                    1000,                  0 },
    { 5,                     0,                     INT64_MAX },
    { INT64_C(3600000000),   INT64_C(3600000000),   INT64_C(3600000000) },
    { 1,                     INT64_C(7200000000),   0 },                    /* half a microsecond: rounded down */
    { 3,                     INT64_C(7200000000),   1 },
    { INT64_MAX,             1,                     INT64_MAX },
    { INT64_MAX,             INT64_MAX,             INT64_C(3600000000) },
};
/* clang-format on */

START_TEST(money_lasts_by_its_rate_and_not_a_moment_longer)
{
    ck_assert_int_eq(budget_lasts(lengths[_i].money, lengths[_i].rate),
                     lengths[_i].lasts);
}
END_TEST

START_TEST(sums_that_do_not_fit_stay_at_the_largest)
{
    struct budget_part huge = part(0, INT32_MAX);
    struct budget_sum sum = { .spent = 1 };

    huge.hourly = INT64_MAX;
    budget_add(&sum, budget_span_at(BUDGET_TOTAL, 0), &huge);
    ck_assert_int_eq(sum.spent, INT64_MAX);
    ck_assert_int_eq(budget_plus(INT64_MAX, 1), INT64_MAX);
    ck_assert_int_eq(budget_cost(INT64_MAX, 7200), INT64_MAX);
}
END_TEST

START_TEST(a_new_month_begins_with_nothing_and_an_old_one_is_counted_again)
{
    struct budget budget = { .rule = { .limit = 1, .period = BUDGET_MONTH },
                             .sum = { .spent = 7, .unpriced = true },
                             .counted_seq = 40,
                             .told_percent = 80 };

    clock_hold(instant("2026-11-30T23:59:59Z"), 1);
    budget.span = budget_span_at(BUDGET_MONTH, clock_wall());
    budget_begin_period(&budget);
    ck_assert_int_eq(budget.sum.spent, 7);
    clock_hold(instant("2026-12-01T00:00:00Z"), 2);
    budget_begin_period(&budget);
    ck_assert_int_eq(budget.sum.spent, 0);
    ck_assert(!budget.sum.unpriced);
    ck_assert_int_eq(budget.told_percent, 0);
    ck_assert_int_eq(budget.counted_seq, 40);
    ck_assert_int_eq(budget.span.from_s, clock_wall() / USEC_PER_SEC);
    budget.sum.spent = 3;
    clock_hold(instant("2026-11-30T12:00:00Z"), 3); /* set back */
    budget_begin_period(&budget);
    ck_assert_int_eq(budget.span.to_s, instant("2026-12-01") / USEC_PER_SEC);
    ck_assert_int_eq(budget.sum.spent, 0);
    ck_assert_int_eq(budget.counted_seq, 0);
    budget.sum.spent = 3;
    budget.rule.period = BUDGET_TOTAL;
    budget.span = budget_span_at(BUDGET_TOTAL, clock_wall());
    clock_hold(instant("2036-11-30T12:00:00Z"), 4);
    budget_begin_period(&budget);
    ck_assert_int_eq(budget.sum.spent, 3);
    clock_release();
}
END_TEST

/* --- rows --- */

static char *folder;
static struct store *store;

static void make_store(void)
{
    store = store_made(&folder);
}

static void free_store(void)
{
    store_gone(store, folder);
}

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

static int copy_budget(void *context, const struct budget *budget, struct err *err)
{
    struct budget *copy = context;

    (void)err;
    ck_assert_int_eq(copy->rule.limit, 0); /* there is one */
    *copy = *budget;
    budget_rule_copy(&budget->rule, &copy->rule);
    return 0;
}

START_TEST(a_budget_comes_back_as_it_was_stored)
{
    struct budget budget = {
        .rule = rule(NULL, "project", "x \"y\""),
        .created_us = 7,
        .span = budget_span_at(BUDGET_MONTH, instant("2026-11-30")),
        .counted_seq = 41,
        .sum = { .spent = 9, .emulated = 8, .estimated = true },
        .told_percent = 80,
    };
    struct budget back = { 0 };
    struct err err;

    strcpy(budget.rule.name, "team");
    budget.rule.limit = 5;
    budget.rule.action = BUDGET_STOP;
    budget.rule.notify_percent = 33;
    must(store_put_budget(store, &budget, &err), &err);
    budget.rule.limit = 6;
    must(store_put_budget(store, &budget, &err), &err);
    must(store_each_budget(store, copy_budget, &back, &err), &err);
    ck_assert_str_eq(back.rule.name, "team");
    ck_assert_int_eq(back.rule.limit, 6);
    ck_assert_ptr_null(back.rule.owner);
    ck_assert_str_eq(back.rule.tag_value, "x \"y\"");
    ck_assert(budget_counts_alike(&back.rule, &budget.rule));
    ck_assert_int_eq(back.rule.action, BUDGET_STOP);
    ck_assert_int_eq(back.rule.notify_percent, 33);
    ck_assert_int_eq(back.created_us, 7);
    ck_assert_int_eq(back.span.from_s, budget.span.from_s);
    ck_assert_int_eq(back.span.to_s, budget.span.to_s);
    ck_assert_int_eq(back.counted_seq, 41);
    ck_assert_int_eq(back.sum.spent, 9);
    ck_assert_int_eq(back.sum.emulated, 8);
    ck_assert(back.sum.estimated && !back.sum.unpriced);
    ck_assert_int_eq(back.told_percent, 80);
    budget_rule_clear(&back.rule);
    back = (struct budget){ 0 };
    budget_rule_clear(&budget.rule);
    must(store_delete_budget(store, "team", &err), &err);
    must(store_each_budget(store, copy_budget, &back, &err), &err);
    ck_assert_int_eq(back.rule.limit, 0);
}
END_TEST

static int add_part(void *context, int64_t seq, const struct budget_part *one,
                    struct err *err)
{
    (void)seq;
    (void)err;
    budget_add(context, budget_span_at(BUDGET_TOTAL, 0), one);
    return 0;
}

struct slice {
    struct budget_sum sum;
    int64_t last_seq;
    int rows;
};

static int add_row(void *context, int64_t seq, const struct budget_part *one,
                   struct err *err)
{
    struct slice *slice = context;

    ck_assert_int_gt(seq, slice->last_seq);
    slice->last_seq = seq;
    slice->rows++;
    return add_part(&slice->sum, seq, one, err);
}

/* clang-format off */
static const char *const lives[] = {
    "submit 2, place, ready 0 400, ready 1 1000, launch 0 1010, launch 1 1010, end 0 41250 completed, end 1 41250 completed",
    "submit 1 0 2 infrastructure, place, ready 0 1000, launch 0 1010, lose 0 7100, place, ready 0 9000, launch 0 9010, end 0 12001 completed",
    "submit 1 0 1 infrastructure 60, place, ready 0 1000, launch 0 1010, end 0 2500 completed, cool 9000",
};
/* clang-format on */

/* Lives the lives above; *jobs: what their intervals cost. */
static void fill_ledger(struct budget_sum *jobs)
{
    char basis[] = "published", confidence[] = "high", source[] = "aws-list",
         as_of[] = "2026-09-01", type[] = "ml.c5.xlarge", pool[] = "p";
    struct profile_price price = { INT64_C(204000000), 0,     as_of, basis,
                                   confidence,         source };
    struct profile profile = { .name = type, .prices = &price, .price_count = 1 };
    const struct offer offer = { .profile = &profile, .pool = pool, .cpus = 1 };
    struct err err;

    for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
        auto_free char *name = xasprintf("job-%zu", i);
        auto_life struct life life = { .name = name,
                                       .store = store,
                                       .metered = true,
                                       .offer = &offer };

        life_live(&life, lives[i]);
        must(store_each_part_of(store, life.job->job_id, add_part, jobs, &err), &err);
    }
}

START_TEST(the_ledger_is_counted_in_slices_as_in_one)
{
    struct slice slice = { 0 };
    struct budget_sum whole = { 0 }, jobs = { 0 };
    struct part_slice all = { .limit = 1000 };
    struct part_slice one = { .limit = 1, .more = true };
    struct err err;

    fill_ledger(&jobs);
    must(store_each_part_after(store, &all, add_part, &whole, &err), &err);
    ck_assert(!all.more);
    /* 82 + 7 + 4 + 2 + 7 instance-seconds at 0.204 an hour, rounded once an attempt. */
    ck_assert_int_eq(whole.spent, 4646667 + 396667 + 226667 + 113333 + 396667);
    ck_assert_int_eq(whole.emulated, whole.spent);
    ck_assert_int_eq(jobs.spent, whole.spent);
    while (one.more) {
        one.after = slice.last_seq;
        must(store_each_part_after(store, &one, add_row, &slice, &err), &err);
    }
    ck_assert_int_eq(slice.rows, 6);
    ck_assert_int_eq(slice.sum.spent, whole.spent);
}
END_TEST

START_TEST(a_month_that_began_unseen_has_all_that_was_closed_in_it_in_every_budget)
{
    struct budget budgets[2] = { { .rule.period = BUDGET_MONTH },
                                 { .rule.period = BUDGET_MONTH } };
    struct budget_sum jobs = { 0 };
    struct err err;

    fill_ledger(&jobs);
    for (size_t i = 0; i < ARRAY_SIZE(budgets); i++)
        budgets[i].span = (struct budget_span){ -10, -5 };
    clock_hold(LIFE_WALL_ZERO, 1);
    must(budgets_count(store, budgets, ARRAY_SIZE(budgets), 0, 2, &err), &err);
    must(budgets_count(store, budgets, ARRAY_SIZE(budgets),
                       budgets_first_uncounted(budgets, ARRAY_SIZE(budgets)), 1000,
                       &err),
         &err);
    clock_release();
    ck_assert_int_gt(jobs.spent, 0);
    for (size_t i = 0; i < ARRAY_SIZE(budgets); i++)
        ck_assert_int_eq(budgets[i].sum.spent, jobs.spent);
}
END_TEST

START_TEST(a_budget_that_is_behind_holds_up_none_and_counts_nothing_twice)
{
    struct budget budgets[2] = { { .rule.period = BUDGET_TOTAL },
                                 { .rule.period = BUDGET_TOTAL } };
    struct budget_sum jobs = { 0 };
    struct err err;
    int64_t middle, end;

    fill_ledger(&jobs);
    for (size_t i = 0; i < ARRAY_SIZE(budgets); i++)
        budgets[i].span = budget_span_at(BUDGET_TOTAL, 0);
    must(budgets_count(store, budgets, 1, 0, 3, &err), &err);
    middle = budgets[0].counted_seq;
    must(budgets_count(store, budgets, 2, middle, 1000, &err), &err);
    end = budgets[0].counted_seq;
    ck_assert_int_gt(end, middle);
    ck_assert_int_eq(budgets[0].sum.spent, jobs.spent);
    ck_assert_int_eq(budgets[1].counted_seq, 0); /* not over the gap */
    ck_assert_int_eq(budgets[1].sum.spent, 0);
    must(budgets_count(store, budgets, 2, 0, 1, &err), &err);
    ck_assert_int_gt(budgets[1].counted_seq, 0);
    ck_assert_int_lt(budgets[1].counted_seq, end); /* a slice, no more */
    while (budgets[1].counted_seq < end)
        must(budgets_count(store, budgets, 2, budgets[1].counted_seq, 1, &err), &err);
    ck_assert_int_eq(budgets[0].sum.spent, jobs.spent);
    ck_assert_int_eq(budgets[1].sum.spent, jobs.spent);
}
END_TEST

Suite *suite_budget(void)
{
    Suite *suite = suite_create("budget");
    TCase *pure = tcase_create("arithmetic");
    TCase *rows = tcase_create("rows");

    tcase_add_loop_test(pure, a_month_is_the_calendars_in_utc, 0,
                        (int)ARRAY_SIZE(months));
    tcase_add_loop_test(pure, a_budget_covers_jobs_by_owner_and_by_tag, 0,
                        (int)ARRAY_SIZE(scopes));
    tcase_add_test(pure, two_rules_count_alike_when_scope_and_period_are_the_same);
    tcase_add_test(pure, a_job_over_new_year_is_in_both_months_with_its_share);
    tcase_add_test(pure, what_lies_outside_a_month_or_has_no_length_adds_nothing);
    tcase_add_test(pure, what_is_emulated_estimated_or_unpriced_is_told_apart);
    tcase_add_test(pure, a_sum_is_added_with_all_that_is_known_of_it);
    tcase_add_loop_test(pure, money_lasts_by_its_rate_and_not_a_moment_longer, 0,
                        (int)ARRAY_SIZE(lengths));
    tcase_add_test(pure, sums_that_do_not_fit_stay_at_the_largest);
    tcase_add_test(pure,
                   a_new_month_begins_with_nothing_and_an_old_one_is_counted_again);
    suite_add_tcase(suite, pure);
    tcase_add_checked_fixture(rows, make_store, free_store);
    tcase_add_test(rows, a_budget_comes_back_as_it_was_stored);
    tcase_add_test(rows, the_ledger_is_counted_in_slices_as_in_one);
    tcase_add_test(
        rows, a_month_that_began_unseen_has_all_that_was_closed_in_it_in_every_budget);
    tcase_add_test(rows,
                   a_budget_that_is_behind_holds_up_none_and_counts_nothing_twice);
    suite_add_tcase(suite, rows);
    return suite;
}
