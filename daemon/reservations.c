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
    const struct ledger *ledger;
    const char *pool;
    const char *instance_type;
    const struct offer *offer; /* NULL: it is not reserved any more */
};

/* What the ledger says of the pool at a time; nothing is as good as no instances. */
static struct held held_at(const struct keeper *keeper, usec_t at)
{
    struct held found = { 0 };

    for (size_t i = 0; i < keeper->ledger->count; i++) {
        const struct held *row = &keeper->ledger->rows[i];

        if (row->from <= at && is_of_pool(row, keeper->pool, keeper->instance_type))
            found = *row;
    }
    return found;
}

/* When the ledger says something else of the pool for the first time after `at`. */
static usec_t next_row(const struct keeper *keeper, usec_t at)
{
    for (size_t i = 0; i < keeper->ledger->count; i++) {
        const struct held *row = &keeper->ledger->rows[i];

        if (row->from > at && is_of_pool(row, keeper->pool, keeper->instance_type))
            return row->from;
    }
    return INT64_MAX;
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
static int keep_pool(const struct keeper *keeper, usec_t at, struct err *err)
{
    struct held said = held_at(keeper, at);

    while (at != INT64_MAX) {
        usec_t row = next_row(keeper, at);
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

/* The ledger's rows of a pool stand together: the first of them stands for it. */
static bool is_new_pool(const struct ledger *ledger, size_t index)
{
    const struct held *row = &ledger->rows[index];

    return index == 0 || !is_of_pool(row - 1, row->pool, row->instance_type);
}

int reservations_keep(struct store *store, const struct offers *offers,
                      const struct price_book *book, usec_t now, struct err *err)
{
    auto_ledger struct ledger ledger = { 0 };
    struct keeper keeper = { .store = store, .book = book, .ledger = &ledger };

    if (store_each_reservation(store, take_row, &ledger, err) < 0)
        return -1;
    for (size_t i = 0; i < ledger.count; i++) {
        keeper.pool = ledger.rows[i].pool;
        keeper.instance_type = ledger.rows[i].instance_type;
        if (is_new_pool(&ledger, i) && !find_reserved(offers, &ledger.rows[i])
            && keep_pool(&keeper, now, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < offers->count; i++) {
        keeper.offer = &offers->items[i];
        keeper.pool = keeper.offer->pool;
        keeper.instance_type = keeper.offer->profile->name;
        if (keeper.offer->pricing == PRICING_RESERVED
            && keep_pool(&keeper, now, err) < 0)
            return -1;
    }
    return 0;
}
