/*
 * The price book against a plain reckoning of it: what is in force at a time, when it
 * changes, the dearest of a span, and where an interval is cut.
 *
 * Four bytes of the input make a price: whose it is, from which half-second on, how
 * much.
 */

#include "daemon/price_book.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define HALF_SECOND (USEC_PER_SEC / 2)

enum {
    PRICES_MAX = 12,
    SECONDS = 40
};

static char type[] = "ml.c5.xlarge", other_type[] = "ml.c5.2xlarge";
static char words[] = "high", basis[] = "book";

struct world {
    struct book_entry entries[PRICES_MAX]; /* as the book has them */
    struct profile_price catalog[PRICES_MAX];
    struct price_book book;
    struct profile profile;
    struct offer offer;
};

static int by_place(const void *left, const void *right)
{
    const struct book_entry *a = left, *b = right;
    int order = strcmp(a->instance_type, b->instance_type);

    if (order == 0)
        order = (a->price.from > b->price.from) - (a->price.from < b->price.from);
    return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

static void add_catalog(struct world *world, struct profile_price price)
{
    size_t count = world->profile.price_count;

    /* A file of instance types has them by time, each time once. */
    if (count == 0 || price.from > world->catalog[count - 1].from)
        world->catalog[world->profile.price_count++] = price;
}

static void add(struct world *world, const uint8_t bytes[4])
{
    const struct profile_price price = { bytes[2] + (nanousd_t)256 * bytes[3] + 1,
                                         bytes[1] % (2 * SECONDS) * HALF_SECOND,
                                         words,
                                         basis,
                                         words,
                                         words };

    if (bytes[0] % 4 == 0) {
        add_catalog(world, price);
        return;
    }
    world->entries[world->book.count] =
        (struct book_entry){ (int64_t)world->book.count + 1,
                             bytes[0] % 4 == 1 ? other_type : type, price };
    world->book.count++;
}

static void build(struct world *world, const uint8_t *data, size_t size)
{
    *world = (struct world){ 0 };
    for (size_t at = 0; at + 4 <= size && at / 4 < PRICES_MAX; at += 4)
        add(world, data + at);
    qsort(world->entries, world->book.count, sizeof *world->entries, by_place);
    world->book.entries = world->entries;
    world->profile.name = type;
    world->profile.prices = world->catalog;
    world->offer = (struct offer){ .profile = &world->profile, .pool = type };
}

/* By looking at all: the book's last one before the catalog's. */
static nanousd_t in_force(const struct world *world, usec_t wall)
{
    nanousd_t hourly = -1;
    bool of_book = false;

    for (size_t i = 0; i < world->book.count; i++) {
        const struct book_entry *entry = &world->entries[i];

        if (strcmp(entry->instance_type, type) != 0 || entry->price.from > wall)
            continue;
        hourly = entry->price.hourly;
        of_book = true;
    }
    for (size_t i = 0; !of_book && i < world->profile.price_count; i++)
        if (world->catalog[i].from <= wall)
            hourly = world->catalog[i].hourly;
    return hourly;
}

static nanousd_t hourly_of(const struct profile_price *price)
{
    return price ? price->hourly : -1;
}

static void check_at(const struct world *world, usec_t wall)
{
    usec_t next = price_next_change(&world->book, &world->offer, wall);

    assert(hourly_of(price_in_force(&world->book, &world->offer, wall))
           == in_force(world, wall));
    assert(next > wall);
    for (usec_t at = wall; at < next && at < SECONDS * USEC_PER_SEC; at += HALF_SECOND)
        assert(in_force(world, at) == in_force(world, wall));
}

static void check_dearest(const struct world *world, usec_t from, usec_t lasts)
{
    nanousd_t dearest = -1;

    for (usec_t at = from; at <= from + lasts; at += HALF_SECOND)
        if (in_force(world, at) > dearest)
            dearest = in_force(world, at);
    assert(hourly_of(price_dearest(&world->book, &world->offer, from, lasts))
           == dearest);
}

/* Second 0 has the price that it opened with, each later one what is in force when it
 * begins. */
static void check_steps(const struct world *world, usec_t wall, int64_t seconds)
{
    struct price_step *steps = NULL;
    size_t count = price_steps(&world->book, type, &world->offer,
                               (struct price_span){ wall, seconds }, &steps);
    nanousd_t hourly = in_force(world, wall);
    size_t next = 0;

    for (int64_t second = 1; second < seconds; second++) {
        if (next < count && steps[next].from_second == second)
            hourly = hourly_of(steps[next++].price);
        assert(hourly
               == in_force(world, (wall / USEC_PER_SEC + second) * USEC_PER_SEC));
    }
    assert(next == count);
    free(steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world;
    usec_t wall;

    if (size < 2)
        return 0;
    wall = data[0] % SECONDS * HALF_SECOND + data[1] % 2;
    build(&world, data + 2, size - 2);
    check_at(&world, wall - wall % HALF_SECOND);
    check_dearest(&world, wall - wall % HALF_SECOND, data[1] % SECONDS * USEC_PER_SEC);
    check_steps(&world, wall, data[1] % SECONDS);
    return 0;
}
