/* What the ledger is told of reserved pools, at each start and as prices change. */

#include "daemon/reservations.h"
#include "daemon/store_reservation.h"
#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdlib.h>

static char big[] = "big", small[] = "small", pool[] = "rack", words[] = "high",
            book_basis[] = "book";

static struct profile_price prices[] = { { 100, 0, words, words, words, words } };
static const struct profile profiles[] = {
    { .name = big, .prices = prices, .price_count = 1 },
    { .name = small },
};

static struct offer reserved(const struct profile *profile, int capacity)
{
    return (struct offer){ .profile = profile,
                           .pool = pool,
                           .pricing = PRICING_RESERVED,
                           .capacity = capacity };
}

/* "TYPE COUNT@HOURLY from FROM; ..." of the rows of the ledger. */
struct shown {
    struct text text;
    struct store *store;
};

struct looked_up {
    int64_t seq;
    nanousd_t hourly;
};

static int look_up(void *context, const struct price_row *row, struct err *err)
{
    struct looked_up *wanted = context;

    (void)err;
    if (row->seq == wanted->seq)
        wanted->hourly = row->hourly;
    return 0;
}

static int show(void *context, const struct reservation *row, struct err *err)
{
    struct shown *shown = context;
    struct looked_up price = { row->price, -1 };

    ck_assert_str_eq(row->pool, pool);
    ck_assert_int_eq(store_each_price(shown->store, look_up, &price, err), 0);
    text_printf(&shown->text, "%s %lld@%lld from %lld; ", row->instance_type,
                (long long)row->instances, (long long)price.hourly,
                (long long)row->from_us);
    return 0;
}

static void expect(struct store *store, const char *wanted)
{
    struct shown shown = { .store = store };
    struct err err;

    ck_assert_int_eq(store_each_reservation(store, show, &shown, &err), 0);
    ck_assert_str_eq(shown.text.bytes ? shown.text.bytes : "", wanted);
    text_clear(&shown.text);
}

static void keep(struct store *store, struct offer *offer,
                 const struct price_book *book, usec_t now)
{
    const struct offers offers = { .items = offer, .count = offer ? 1 : 0 };
    struct err err;

    if (reservations_keep(store, &offers, book, now, &err) < 0)
        ck_abort_msg("%s", err.text);
}

static const struct price_book empty;

START_TEST(a_start_tells_what_is_new_and_nothing_twice)
{
    char *folder;
    struct store *store = store_made(&folder);
    struct offer four = reserved(&profiles[0], 4), six = reserved(&profiles[0], 6);
    struct offer standard = { .profile = &profiles[0], .pool = pool, .capacity = 4 };

    keep(store, &standard, &empty, 10);
    expect(store, "");
    keep(store, &four, &empty, 20);
    keep(store, &four, &empty, 30);
    expect(store, "big 4@100 from 20; ");
    keep(store, &six, &empty, 40);
    expect(store, "big 4@100 from 20; big 6@100 from 40; ");
    keep(store, &standard, &empty, 50);
    keep(store, NULL, &empty, 60);
    expect(store, "big 4@100 from 20; big 6@100 from 40; big 0@-1 from 50; ");
    store_gone(store, folder);
}
END_TEST

START_TEST(another_type_of_the_pool_ends_the_first)
{
    char *folder;
    struct store *store = store_made(&folder);
    struct offer four = reserved(&profiles[0], 4), two = reserved(&profiles[1], 2);

    keep(store, &four, &empty, 20);
    keep(store, &two, &empty, 30);
    expect(store, "big 4@100 from 20; big 0@-1 from 30; small 2@-1 from 30; ");
    store_gone(store, folder);
}
END_TEST

START_TEST(prices_to_come_are_told_and_keep_up_with_the_pool)
{
    struct book_entry entries[] = {
        { 0, big, { 200, 50, words, book_basis, words, words } },
        { 0, big, { 300, 100, words, book_basis, words, words } },
    };
    const struct price_book first = { &entries[1], 1, false };
    const struct price_book both = { entries, 2, false };
    char *folder;
    struct store *store = store_made(&folder);
    struct offer four = reserved(&profiles[0], 4), six = reserved(&profiles[0], 6);

    keep(store, &four, &first, 20);
    expect(store, "big 4@100 from 20; big 4@300 from 100; ");
    keep(store, &four, &both, 30);
    expect(store, "big 4@100 from 20; big 4@200 from 50; big 4@300 from 100; ");
    /* Of two rows from the same time the later one holds. */
    keep(store, &six, &both, 60);
    expect(store, "big 4@100 from 20; big 4@200 from 50; big 6@200 from 60; "
                  "big 4@300 from 100; big 6@300 from 100; ");
    keep(store, &six, &both, 70);
    keep(store, NULL, &both, 80);
    expect(store, "big 4@100 from 20; big 4@200 from 50; big 6@200 from 60; "
                  "big 0@-1 from 80; big 4@300 from 100; big 6@300 from 100; "
                  "big 0@-1 from 100; ");
    store_gone(store, folder);
}
END_TEST

Suite *suite_reservations(void);

Suite *suite_reservations(void)
{
    Suite *suite = suite_create("reservations");
    TCase *tests = tcase_create("ledger");

    tcase_add_test(tests, a_start_tells_what_is_new_and_nothing_twice);
    tcase_add_test(tests, another_type_of_the_pool_ends_the_first);
    tcase_add_test(tests, prices_to_come_are_told_and_keep_up_with_the_pool);
    suite_add_tcase(suite, tests);
    return suite;
}
