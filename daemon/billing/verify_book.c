/* Looks up which price of the book was in force, and whether a pool was reserved.
 * Decides nothing: what follows from it is for verify_prices.c. */

#include "daemon/billing/verify_book.h"

#include "daemon/store_reservation.h"

#include <stdlib.h>
#include <string.h>

/* Where a row is in the order of its kind. */
struct place {
    const char *pool; /* "" of a price */
    const char *instance_type;
    usec_t from; /* 0 of a reservation: what was told last is what holds */
    int64_t seq;
};

struct dated {
    char *pool;
    char *instance_type;
    usec_t from;
    int64_t seq;
    int64_t instances; /* of a reservation */
};

/* In the order of their places. */
struct dated_rows {
    struct dated *items;
    size_t count;
    size_t room;
};

struct audit_book {
    struct dated_rows prices;
    struct dated_rows reservations;
};

/* --- as it is read --- */

static void add(struct dated_rows *rows, const struct place *place, int64_t instances)
{
    if (rows->count == rows->room) {
        rows->room = rows->room ? rows->room * 2 : 64;
        rows->items = xrealloc(rows->items, rows->room * sizeof *rows->items);
    }
    rows->items[rows->count++] =
        (struct dated){ .pool = xstrdup(place->pool),
                        .instance_type = xstrdup(place->instance_type),
                        .from = place->from,
                        .seq = place->seq,
                        .instances = instances };
}

static int take_price(void *context, const struct price_row *row, struct err *err)
{
    struct audit_book *book = context;
    const struct place place = { "", row->instance_type, row->from_us, row->seq };

    (void)err;
    if (strcmp(row->basis, "book") == 0)
        add(&book->prices, &place, 0);
    return 0;
}

static int take_reservation(void *context, const struct reservation *row,
                            struct err *err)
{
    struct audit_book *book = context;
    const struct place place = { row->pool, row->instance_type, 0, row->seq };

    (void)err;
    add(&book->reservations, &place, row->instances);
    return 0;
}

static int order_of(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int compare(const struct dated *left, const struct place *right)
{
    int order = strcmp(left->pool, right->pool);

    if (order == 0)
        order = strcmp(left->instance_type, right->instance_type);
    if (order == 0)
        order = order_of(left->from, right->from);
    return order ? order : order_of(left->seq, right->seq);
}

static int compare_rows(const void *left, const void *right)
{
    const struct dated *row = right;
    const struct place place = { row->pool, row->instance_type, row->from, row->seq };

    return compare(left, &place);
}

static void put_in_order(struct dated_rows *rows)
{
    if (rows->count)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
}

int audit_book_read(struct store *store, struct audit_book **out, struct err *err)
{
    struct audit_book *book = xcalloc(1, sizeof *book);

    if (store_each_price(store, take_price, book, err) < 0
        || store_each_reservation(store, take_reservation, book, err) < 0) {
        audit_book_free(book);
        return -1;
    }
    put_in_order(&book->prices);
    put_in_order(&book->reservations);
    *out = book;
    return 0;
}

static void clear(struct dated_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].pool);
        free(rows->items[i].instance_type);
    }
    free(rows->items);
}

void audit_book_free(struct audit_book *book)
{
    if (!book)
        return;
    clear(&book->prices);
    clear(&book->reservations);
    free(book);
}

/* --- as it is asked --- */

/* How many rows do not come after this place. */
static size_t count_up_to(const struct dated_rows *rows, const struct place *place)
{
    size_t low = 0, high = rows->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&rows->items[middle], place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The row, when it is of this pool and type. */
static const struct dated *row_of(const struct dated_rows *rows, size_t index,
                                  const struct place *like)
{
    const struct dated *row = index < rows->count ? &rows->items[index] : NULL;

    return row && strcmp(row->pool, like->pool) == 0
                   && strcmp(row->instance_type, like->instance_type) == 0
               ? row
               : NULL;
}

struct booked audit_book_at(const struct audit_book *book, const char *instance_type,
                            usec_t wall, int64_t seq)
{
    const struct place now = { "", instance_type, wall, INT64_MAX };
    size_t behind = count_up_to(&book->prices, &now);
    const struct dated *row;

    while (behind > 0 && (row = row_of(&book->prices, --behind, &now)))
        if (row->seq < seq)
            return (struct booked){ row->seq, row->from };
    return (struct booked){ 0 };
}

struct booked audit_book_after(const struct audit_book *book, const char *instance_type,
                               usec_t wall, int64_t seq)
{
    const struct place now = { "", instance_type, wall, INT64_MAX };
    size_t index = count_up_to(&book->prices, &now);
    struct booked next = { 0 };
    const struct dated *row;

    while ((row = row_of(&book->prices, index++, &now))
           && (!next.seq || row->from == next.from))
        if (row->seq < seq)
            next = (struct booked){ row->seq, row->from };
    return next;
}

bool audit_book_reserves(const struct audit_book *book, const char *pool,
                         const char *instance_type, int64_t seq)
{
    const struct place last = { pool, instance_type, 0, seq - 1 };
    size_t behind = count_up_to(&book->reservations, &last);
    const struct dated *row =
        behind ? row_of(&book->reservations, behind - 1, &last) : NULL;

    return row && row->instances > 0;
}
