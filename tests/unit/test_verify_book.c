/* What the rows of the ledger tell of the book and of reservations, and to which row.
 */

#include "daemon/billing/verify_book.h"
#include "daemon/store_price_book.h"
#include "daemon/store_reservation.h"
#include "tests/unit/life.h"

#include <check.h>

enum {
    ALL = 1000 /* behind every row */
};

static struct store *store;
static char *folder;
static struct audit_book *book;

static void add_price(const char *type, usec_t from, const char *basis)
{
    const struct price_row row = { .instance_type = type,
                                   .hourly = 1,
                                   .from_us = from,
                                   .as_of = "",
                                   .basis = basis,
                                   .confidence = "",
                                   .source = "" };
    struct err err;
    int64_t seq;

    ck_assert_int_eq(store_add_price(store, &row, &seq, &err), 0);
}

static void add_reservation(const char *pool, int64_t instances)
{
    const struct reservation row = { .pool = pool,
                                     .instance_type = "a",
                                     .instances = instances };
    struct err err;

    ck_assert_int_eq(store_add_reservation(store, &row, &err), 0);
}

static void make_book(void)
{
    struct err err;

    store = store_made(&folder);
    add_price("a", 10, "book");      /* row 1 */
    add_price("a", 20, "book");      /* row 2 */
    add_price("a", 10, "book");      /* row 3 instead of row 1 */
    add_price("b", 15, "book");      /* row 4 */
    add_price("a", 15, "published"); /* row 5 is not of the book */
    add_reservation("rack", 2);      /* row 6 */
    add_reservation("rack", 0);      /* row 7 */
    add_reservation("shelf", 1);     /* row 8 */
    ck_assert_int_eq(audit_book_read(store, &book, &err), 0);
}

static void free_book(void)
{
    audit_book_free(book);
    store_gone(store, folder);
}

/* clang-format off */
static const struct {
    const char *type;
    usec_t wall;
    int64_t seq;
    int64_t at, after; /* rows; 0: none */
} looks[] = {
    { "a", 9, ALL, 0, 3 },  /* of those from the same time the one that was set last */
    { "a", 10, ALL, 3, 2 },
    { "a", 19, ALL, 3, 2 },
    { "a", 20, ALL, 2, 0 },
    { "a", 15, 3, 1, 2 },   /* a row knows those before it */
    { "a", 15, 2, 1, 0 },
    { "a", 9, 3, 0, 1 },
    { "a", 25, 1, 0, 0 },
    { "b", 20, ALL, 4, 0 },
    { "b", 14, ALL, 0, 4 },
    { "c", 20, ALL, 0, 0 },
};
/* clang-format on */

START_TEST(a_price_is_found_as_a_row_had_to_know_it)
{
    ck_assert_int_eq(
        audit_book_at(book, looks[_i].type, looks[_i].wall, looks[_i].seq).seq,
        looks[_i].at);
    ck_assert_int_eq(
        audit_book_after(book, looks[_i].type, looks[_i].wall, looks[_i].seq).seq,
        looks[_i].after);
}
END_TEST

START_TEST(a_pool_is_reserved_until_a_row_says_otherwise)
{
    ck_assert(!audit_book_reserves(book, "rack", "a", 6));
    ck_assert(audit_book_reserves(book, "rack", "a", 7));
    ck_assert(!audit_book_reserves(book, "rack", "a", 8));
    ck_assert(audit_book_reserves(book, "shelf", "a", ALL));
    ck_assert(!audit_book_reserves(book, "shelf", "b", ALL));
    ck_assert(!audit_book_reserves(book, "cellar", "a", ALL));
}
END_TEST

Suite *suite_verify_book(void);

Suite *suite_verify_book(void)
{
    Suite *suite = suite_create("verify_book");
    TCase *tests = tcase_create("rows");

    tcase_add_checked_fixture(tests, make_book, free_book);
    tcase_add_loop_test(tests, a_price_is_found_as_a_row_had_to_know_it, 0,
                        ARRAY_SIZE(looks));
    tcase_add_test(tests, a_pool_is_reserved_until_a_row_says_otherwise);
    suite_add_tcase(suite, tests);
    return suite;
}
