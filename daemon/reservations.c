/*
 * Which instances are paid for whether they are used or not.  The ledger has it as rows
 * that hold from a time on; here they are held against the configuration.  What was
 * reserved and not used is counted by who reports on it.
 */

#include "daemon/reservations.h"

#include "daemon/store_reservation.h"

#include <stdlib.h>
#include <string.h>

/* What a pool has from a time on. */
struct held {
    char *pool;
    char *instance_type;
    usec_t from;
    int64_t instances;
    int64_t price;
};

struct ledger {
    struct held *rows; /* by pool and time; of the same time the last holds */
    size_t count;
};

static void ledger_clear(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        free(ledger->rows[i].pool);
        free(ledger->rows[i].instance_type);
    }
    free(ledger->rows);
}

#define auto_ledger __attribute__((cleanup(ledger_clear)))

static int take_row(void *context, const struct reservation *row, struct err *err)
{
    struct ledger *ledger = context;

    (void)err;
    ledger->rows = xrealloc(ledger->rows, (ledger->count + 1) * sizeof *ledger->rows);
    ledger->rows[ledger->count++] =
        (struct held){ .pool = xstrdup(row->pool),
                       .instance_type = xstrdup(row->instance_type),
                       .from = row->from_us,
                       .instances = row->instances,
                       .price = row->price };
    return 0;
}

/* A pool has one type; with another one it is another pool. */
static bool is_of_pool(const struct held *row, const char *pool,
                       const char *instance_type)
{
    return strcmp(row->pool, pool) == 0
           && strcmp(row->instance_type, instance_type) == 0;
}

static const struct offer *find_reserved(const struct offers *offers,
                                         const struct held *row)
{
    for (size_t i = 0; i < offers->count; i++)
        if (offers->items[i].pricing == PRICING_RESERVED
            && is_of_pool(row, offers->items[i].pool, offers->items[i].profile->name))
            return &offers->items[i];
    return NULL;
}

/* A pool as it is gone through. */
struct keeper {
    struct store *store;
    const struct price_book *book;
    const char *pool;
    const char *instance_type;
    const struct offer *offer; /* NULL: it is not reserved any more */
    /* What the ledger says of it: */
    const struct held *rows;
    size_t count;
    size_t next; /* the first that is later than what was reached */
};

/* What the ledger says of the pool at a time, to which it goes on; nothing is as good
 * as no instances. */
static struct held held_at(struct keeper *keeper, usec_t at)
{
    while (keeper->next < keeper->count && keeper->rows[keeper->next].from <= at)
        keeper->next++;
    return keeper->next > 0 ? keeper->rows[keeper->next - 1] : (struct held){ 0 };
}

/* When it says something else for the first time after that. */
static usec_t next_row(const struct keeper *keeper)
{
    return keeper->next < keeper->count ? keeper->rows[keeper->next].from : INT64_MAX;
}

static int wanted_at(const struct keeper *keeper, usec_t at, struct reservation *wanted,
                     struct err *err)
{
    const struct profile_price *price = price_in_force(keeper->book, keeper->offer, at);

    *wanted =
        (struct reservation){ .pool = keeper->pool,
                              .instance_type = keeper->instance_type,
                              .instances = keeper->offer ? keeper->offer->capacity : 0,
                              .from_us = at };
    return price ? store_price_id(keeper->store, keeper->instance_type, price,
                                  &wanted->price, err)
                 : 0;
}

/* Goes through all times from `at` on at which what is wanted or what is said may
 * change.  What is added holds until the next row. */
static int keep_pool(struct keeper *keeper, usec_t at, struct err *err)
{
    struct held said = held_at(keeper, at);

    while (at != INT64_MAX) {
        usec_t row = next_row(keeper);
        usec_t change = keeper->offer
                            ? price_next_change(keeper->book, keeper->offer, at)
                            : INT64_MAX;
        struct reservation wanted;

        if (wanted_at(keeper, at, &wanted, err) < 0)
            return -1;
        if (wanted.instances != said.instances || wanted.price != said.price) {
            if (store_add_reservation(keeper->store, &wanted, err) < 0)
                return -1;
            said.instances = wanted.instances;
            said.price = wanted.price;
        }
        at = row < change ? row : change;
        if (at == row)
            said = held_at(keeper, at);
    }
    return 0;
}

/* The ledger's rows of a pool stand together: what is from `index` on of one. */
static size_t rows_of_pool(const struct ledger *ledger, size_t index)
{
    const struct held *first = &ledger->rows[index];
    size_t count = 1;

    while (index + count < ledger->count
           && is_of_pool(&first[count], first->pool, first->instance_type))
        count++;
    return count;
}

static int keep_offer(struct store *store, const struct ledger *ledger,
                      const struct offer *offer, const struct price_book *book,
                      usec_t now, struct err *err)
{
    struct keeper keeper = { .store = store,
                             .book = book,
                             .pool = offer->pool,
                             .instance_type = offer->profile->name,
                             .offer = offer };
    size_t index = 0;

    while (index < ledger->count
           && !is_of_pool(&ledger->rows[index], keeper.pool, keeper.instance_type))
        index++;
    if (index < ledger->count) {
        keeper.rows = &ledger->rows[index];
        keeper.count = rows_of_pool(ledger, index);
    }
    return keep_pool(&keeper, now, err);
}

/* Pools that the ledger has as reserved and that are not any more. */
static int end_others(struct store *store, const struct ledger *ledger,
                      const struct offers *offers, usec_t now, struct err *err)
{
    for (size_t i = 0; i < ledger->count; i += rows_of_pool(ledger, i)) {
        struct keeper keeper = { .store = store,
                                 .pool = ledger->rows[i].pool,
                                 .instance_type = ledger->rows[i].instance_type,
                                 .rows = &ledger->rows[i],
                                 .count = rows_of_pool(ledger, i) };

        if (!find_reserved(offers, &ledger->rows[i])
            && keep_pool(&keeper, now, err) < 0)
            return -1;
    }
    return 0;
}

int reservations_keep(struct store *store, const struct offers *offers,
                      const struct price_book *book, usec_t now, struct err *err)
{
    auto_ledger struct ledger ledger = { 0 };

    if (store_each_reservation(store, take_row, &ledger, err) < 0
        || end_others(store, &ledger, offers, now, err) < 0)
        return -1;
    for (size_t i = 0; i < offers->count; i++)
        if (offers->items[i].pricing == PRICING_RESERVED
            && keep_offer(store, &ledger, &offers->items[i], book, now, err) < 0)
            return -1;
    return 0;
}

int reservations_keep_one(struct store *store, const struct offer *offer,
                          const struct price_book *book, usec_t now, struct err *err)
{
    auto_ledger struct ledger ledger = { 0 };

    if (offer->pricing != PRICING_RESERVED)
        return 0;
    if (store_each_reservation(store, take_row, &ledger, err) < 0)
        return -1;
    return keep_offer(store, &ledger, offer, book, now, err);
}
