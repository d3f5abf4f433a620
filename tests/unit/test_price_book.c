/* Which price is in force when, what changes it, and what is kept of it. */

#include "daemon/price_book.h"
#include "daemon/store_price_book.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS(s) ((s)*USEC_PER_SEC)

static char type[] = "ml.c5.xlarge", other_type[] = "ml.c5.2xlarge", words[] = "high",
            book_basis[] = "book";

static struct profile_price catalog_prices[] = {
    { 100, SECONDS(10), words, words, words, words },
    { 200, SECONDS(20), words, words, words, words },
};
static const struct profile profile = { .name = type,
                                        .prices = catalog_prices,
                                        .price_count = 2 };
static const struct profile other = { .name = other_type };
static const struct offer of_catalog = { .profile = &profile, .pool = type };
static const struct offer of_pool = {
    .profile = &profile,
    .pool = type,
    .has_own_price = true,
    .own_price = { 70, 0, words, words, words, words },
};
static const struct offer is_free = { .profile = &profile,
                                      .pool = type,
                                      .pricing = PRICING_FREE,
                                      .has_own_price = true };

static struct book_entry entries[] = {
    { 6, other_type, { 999, SECONDS(15), words, book_basis, words, words } },
    { 7, type, { 150, SECONDS(15), words, book_basis, words, words } },
    { 5, type, { 300, SECONDS(30), words, book_basis, words, words } },
    { 8, type, { 301, SECONDS(30), words, book_basis, words, words } },
};
static const struct price_book empty;
static const struct price_book full = { entries, ARRAY_SIZE(entries), true };

/* clang-format off */
static const struct {
    const struct price_book *book;
    const struct offer *offer;
    int64_t second;
    nanousd_t hourly; /* -1: unpriced */
} in_force[] = {
    { &empty, &of_catalog, 9, -1 },
    { &empty, &of_catalog, 10, 100 },
    { &empty, &of_catalog, 25, 200 },
    { &empty, &of_pool, 9, 70 },
    { &empty, &of_pool, 25, 70 },      /* the pool's own before the catalog's */
    { &full, &of_catalog, 14, 100 },   /* not before it is dated */
    { &full, &of_catalog, 15, 150 },
    { &full, &of_catalog, 25, 150 },   /* the book before a later catalog */
    { &full, &of_catalog, 30, 301 },   /* of the same time the one that was set last */
    { &full, &of_pool, 14, 70 },
    { &full, &of_pool, 15, 150 },
    { &full, &is_free, 40, 0 },        /* free, whatever else is said */
    { &full, NULL, 40, -1 },
};
/* clang-format on */

START_TEST(the_book_is_before_the_pool_and_the_pool_before_the_catalog)
{
    const struct profile_price *price =
        price_in_force(in_force[_i].book, in_force[_i].offer,
                       SECONDS(in_force[_i].second));

    ck_assert_int_eq(price ? price->hourly : -1, in_force[_i].hourly);
}
END_TEST

START_TEST(a_type_that_is_not_offered_has_a_price_too)
{
    ck_assert_int_eq(price_of_profile(&empty, &profile, SECONDS(25))->hourly, 200);
    ck_assert_int_eq(price_of_profile(&full, &profile, SECONDS(25))->hourly, 150);
    ck_assert_int_eq(price_of_profile(&full, &other, SECONDS(25))->hourly, 999);
    ck_assert_ptr_null(price_of_profile(&empty, &other, SECONDS(25)));
}
END_TEST

START_TEST(changes_are_found_one_after_the_other)
{
    static const int64_t at[] = { 10, 15, 20, 30 };
    usec_t now = 0;

    for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
        now = price_next_change(&full, &of_catalog, now);
        ck_assert_int_eq(now, SECONDS(at[i]));
    }
    ck_assert_int_eq(price_next_change(&full, &of_catalog, now), INT64_MAX);
}
END_TEST

/* clang-format off */
static const struct {
    const struct offer *offer;
    int64_t from, to;
    nanousd_t hourly; /* -1: unpriced */
} dearest[] = {
    { &of_catalog, 0, 9, -1 },
    { &of_catalog, 0, 10, 100 },   /* unpriced at first; both ends are in it */
    { &of_catalog, 12, 14, 100 },
    { &of_catalog, 15, 29, 150 },
    { &of_catalog, 15, 500, 301 },
    { &of_catalog, 15, 15, 150 },
    { &of_catalog, 15, 14, 150 }, /* a clock that was set back: what begins it */
    { &of_pool, 0, 14, 70 },
    { &is_free, 0, 500, 0 },
    { NULL, 0, 500, -1 },
};
/* clang-format on */

START_TEST(the_dearest_price_of_a_span_counts_each_that_is_in_force_in_it)
{
    const struct profile_price *price =
        price_dearest(&full, dearest[_i].offer, SECONDS(dearest[_i].from),
                      SECONDS(dearest[_i].to - dearest[_i].from));

    ck_assert_int_eq(price ? price->hourly : -1, dearest[_i].hourly);
}
END_TEST

START_TEST(the_dearest_price_without_an_end_is_that_of_all_that_is_known)
{
    ck_assert_int_eq(price_dearest(&full, &of_catalog, 0, INT64_MAX)->hourly, 301);
}
END_TEST

/* clang-format off */
static const struct {
    const struct offer *offer;
    usec_t wall;
    int64_t seconds;
    size_t count;
    int64_t from_second[3];
    nanousd_t hourly[3];
} steps[] = {
    { &of_catalog, SECONDS(12), 40, 2, { 3, 18 }, { 150, 301 } }, /* at 20 the catalog is overruled: no step */
    { &of_catalog, SECONDS(12), 18, 1, { 3 }, { 150 } },          /* the end of an interval is not in it */
    { &of_catalog, SECONDS(12), 19, 2, { 3, 18 }, { 150, 301 } },
    { &of_catalog, SECONDS(12) + 1, 40, 2, { 3, 18 }, { 150, 301 } }, /* placed at the second it begins in */
    { &of_catalog, SECONDS(15), 15, 0, { 0 }, { 0 } },
    { &of_catalog, SECONDS(5), 11, 2, { 5, 10 }, { 100, 150 } },  /* unpriced at first */
    { &of_pool, SECONDS(5), 30, 2, { 10, 25 }, { 150, 301 } },
    /* What is cut was not free when it opened; a pool that is free by now, or not offered, leaves the book. */
    { &is_free, SECONDS(5), 30, 2, { 10, 25 }, { 150, 301 } },
    { NULL, SECONDS(5), 30, 2, { 10, 25 }, { 150, 301 } },
};
/* clang-format on */

START_TEST(a_price_that_changes_cuts_at_a_whole_second)
{
    struct price_step *found;
    size_t count =
        price_steps(&full, type, steps[_i].offer,
                    (struct price_span){ steps[_i].wall, steps[_i].seconds }, &found);

    ck_assert_uint_eq(count, steps[_i].count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(found[i].from_second, steps[_i].from_second[i]);
        ck_assert_int_eq(found[i].price->hourly, steps[_i].hourly[i]);
    }
    free(found);
}
END_TEST

START_TEST(a_second_is_cut_once_by_what_holds_after_it)
{
    struct book_entry within[] = {
        { 5, type, { 300, SECONDS(30) + 1, words, book_basis, words, words } },
        { 6, type, { 301, SECONDS(30) + 500000, words, book_basis, words, words } },
    };
    const struct price_book book = { within, 2, true };
    const struct price_span span = { SECONDS(29), 10 };
    struct price_step *found;

    ck_assert_uint_eq(price_steps(&book, type, &of_pool, span, &found), 1);
    ck_assert_int_eq(found[0].from_second, 2);
    ck_assert_int_eq(found[0].price->hourly, 301);
    free(found);
}
END_TEST

START_TEST(what_was_set_is_in_the_ledger_and_read_again)
{
    const struct profile_price price = { 77,         SECONDS(40), words,
                                         book_basis, words,       words };
    char *folder;
    struct store *store = store_made(&folder);
    struct price_book book = { 0 };
    struct price_book again = { 0 };
    const struct book_entry *added;
    struct err err;

    ck_assert_int_eq(price_book_add(&book, store, type, &price, &added, &err), 0);
    /* The same words once more are a row of their own. */
    ck_assert_int_eq(price_book_add(&book, store, type, &price, &added, &err), 0);
    ck_assert_int_eq(price_book_load(&again, store, &err), 0);
    ck_assert_uint_eq(again.count, 2);
    ck_assert_int_eq(again.entries[0].price.hourly, 77);
    ck_assert_int_eq(again.entries[0].price.from, SECONDS(40));
    ck_assert_str_eq(again.entries[0].instance_type, type);
    ck_assert_str_eq(again.entries[0].price.basis, "book");
    ck_assert_int_lt(again.entries[0].seq, again.entries[1].seq);
    price_book_clear(&book);
    price_book_clear(&again);
    store_gone(store, folder);
}
END_TEST

/* Sets a price in the ledger, from that second on; what it costs counts up. */
static void set_price(struct price_book *book, struct store *store,
                      const char *instance_type, int64_t from_s)
{
    const struct profile_price price = { .hourly = (nanousd_t)book->count + 1,
                                         .from = SECONDS(from_s),
                                         .as_of = words,
                                         .basis = book_basis,
                                         .confidence = words,
                                         .source = words };
    const struct book_entry *added;
    struct err err;

    ck_assert_int_eq(price_book_add(book, store, instance_type, &price, &added, &err),
                     0);
    ck_assert_int_eq(added->price.hourly, price.hourly);
}

START_TEST(what_is_set_in_whatever_order_is_in_force_by_its_time)
{
    static const nanousd_t in_order[] = { 2, 5, 1, 4 };
    char *folder;
    struct store *store = store_made(&folder);
    struct price_book book = { 0 };
    const struct book_entry *found;
    size_t count;

    set_price(&book, store, type, 30);
    set_price(&book, store, type, 10);
    set_price(&book, store, other_type, 20);
    set_price(&book, store, type, 30);
    set_price(&book, store, type, 20);
    found = price_book_of(&book, type, &count);
    ck_assert_uint_eq(count, 4);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(found[i].price.hourly, in_order[i]);
    ck_assert_int_eq(price_in_force(&book, &of_catalog, SECONDS(30))->hourly, 4);
    ck_assert_int_eq(price_in_force(&book, &of_catalog, SECONDS(29))->hourly, 5);
    ck_assert_ptr_null(price_book_of(&book, "local", &count));
    price_book_clear(&book);
    store_gone(store, folder);
}
END_TEST

/* Of this process: others on the machine do not count. */
static usec_t cpu_time(void)
{
    return (usec_t)clock() * USEC_PER_SEC / CLOCKS_PER_SEC;
}

/* 60,000 look-ups of some 15 steps each: 10 ms.  Walking takes them 3 s. */
START_TEST(thirty_thousand_prices_are_looked_up_in_no_time)
{
    enum {
        PRICES = 30000
    };
    struct book_entry *many = xcalloc(PRICES, sizeof *many);
    const struct price_book book = { many, PRICES, true };
    usec_t start = cpu_time(), at = 0;
    size_t changes = 0;

    for (size_t i = 0; i < PRICES; i++)
        many[i] = (struct book_entry){ (int64_t)i,
                                       type,
                                       { (nanousd_t)i, SECONDS((usec_t)i + 30), words,
                                         book_basis, words, words } };
    while ((at = price_next_change(&book, &of_pool, at)) != INT64_MAX) {
        if (!price_in_force(&book, &of_pool, at))
            ck_abort_msg("none at %lld", (long long)at);
        changes++;
    }
    ck_assert_uint_ge(changes, PRICES);
    ck_assert_int_lt(cpu_time() - start, USEC_PER_SEC);
    free(many);
}
END_TEST

START_TEST(what_is_charged_reaches_as_far_as_the_latest)
{
    char *folder;
    struct store *store = store_made(&folder);
    struct err err;
    usec_t until;

    ck_assert_int_eq(store_get_charged(store, type, &until, &err), 0);
    ck_assert_int_eq(until, INT64_MIN);
    ck_assert_int_eq(store_note_charged(store, type, 900, &err), 0);
    ck_assert_int_eq(store_note_charged(store, type, 600, &err), 0);
    ck_assert_int_eq(store_get_charged(store, type, &until, &err), 0);
    ck_assert_int_eq(until, 900);
    ck_assert_int_eq(store_get_charged(store, other_type, &until, &err), 0);
    ck_assert_int_eq(until, INT64_MIN);
    store_gone(store, folder);
}
END_TEST

Suite *suite_price_book(void);

Suite *suite_price_book(void)
{
    Suite *suite = suite_create("price_book");
    TCase *tests = tcase_create("prices");

    tcase_add_loop_test(tests,
                        the_book_is_before_the_pool_and_the_pool_before_the_catalog, 0,
                        ARRAY_SIZE(in_force));
    tcase_add_test(tests, a_type_that_is_not_offered_has_a_price_too);
    tcase_add_test(tests, changes_are_found_one_after_the_other);
    tcase_add_loop_test(tests,
                        the_dearest_price_of_a_span_counts_each_that_is_in_force_in_it,
                        0, ARRAY_SIZE(dearest));
    tcase_add_test(tests,
                   the_dearest_price_without_an_end_is_that_of_all_that_is_known);
    tcase_add_loop_test(tests, a_price_that_changes_cuts_at_a_whole_second, 0,
                        ARRAY_SIZE(steps));
    tcase_add_test(tests, a_second_is_cut_once_by_what_holds_after_it);
    tcase_add_test(tests, what_was_set_is_in_the_ledger_and_read_again);
    tcase_add_test(tests, what_is_set_in_whatever_order_is_in_force_by_its_time);
    tcase_add_test(tests, thirty_thousand_prices_are_looked_up_in_no_time);
    tcase_add_test(tests, what_is_charged_reaches_as_far_as_the_latest);
    suite_add_tcase(suite, tests);
    return suite;
}
