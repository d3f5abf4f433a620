/* Which price is in force.  Whether one may be set is decided in jobs_prices.c. */

#include "daemon/price_book.h"

#include "daemon/store_price_book.h"

#include <stdlib.h>
#include <string.h>

/* The first entry that is later than any of this type that holds at `wall`. */
static size_t place_after(const struct price_book *book, const char *instance_type,
                          usec_t wall)
{
    size_t low = 0, high = book->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct book_entry *entry = &book->entries[middle];
        int order = strcmp(entry->instance_type, instance_type);

        if (order < 0 || (order == 0 && entry->price.from <= wall))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows come by seq: of the same type and time this one is the last. */
static struct book_entry *add_entry(struct price_book *book,
                                    const struct price_row *row)
{
    size_t place = place_after(book, row->instance_type, row->from_us);
    struct book_entry *entry;

    book->entries = xrealloc(book->entries, (book->count + 1) * sizeof *book->entries);
    entry = &book->entries[place];
    memmove(entry + 1, entry, (book->count++ - place) * sizeof *entry);
    *entry = (struct book_entry){ .seq = row->seq,
                                  .instance_type = xstrdup(row->instance_type),
                                  .price = { .hourly = row->hourly,
                                             .from = row->from_us,
                                             .as_of = xstrdup(row->as_of),
                                             .basis = xstrdup(row->basis),
                                             .confidence = xstrdup(row->confidence),
                                             .source = xstrdup(row->source) } };
    return entry;
}

static int take_row(void *context, const struct price_row *row, struct err *err)
{
    (void)err;
    if (strcmp(row->basis, "book") == 0)
        add_entry(context, row);
    return 0;
}

int price_book_load(struct price_book *book, struct store *store, struct err *err)
{
    return store_each_price(store, take_row, book, err);
}

int price_book_add(struct price_book *book, struct store *store,
                   const char *instance_type, const struct profile_price *price,
                   const struct book_entry **added, struct err *err)
{
    struct price_row row = { .instance_type = instance_type,
                             .hourly = price->hourly,
                             .from_us = price->from,
                             .as_of = price->as_of,
                             .basis = price->basis,
                             .confidence = price->confidence,
                             .source = price->source };

    if (store_add_price(store, &row, &row.seq, err) < 0)
        return -1;
    *added = add_entry(book, &row);
    return 0;
}

void price_book_clear(struct price_book *book)
{
    for (size_t i = 0; i < book->count; i++) {
        struct book_entry *entry = &book->entries[i];

        free(entry->instance_type);
        free(entry->price.as_of);
        free(entry->price.basis);
        free(entry->price.confidence);
        free(entry->price.source);
    }
    free(book->entries);
    *book = (struct price_book){ 0 };
}

const struct book_entry *price_book_of(const struct price_book *book,
                                       const char *instance_type, size_t *count)
{
    size_t first = place_after(book, instance_type, INT64_MIN);

    *count = place_after(book, instance_type, INT64_MAX) - first;
    return *count ? &book->entries[first] : NULL;
}

/* The latest that holds by then; of those from the same time, the one that was set
 * last. */
static const struct profile_price *of_book(const struct price_book *book,
                                           const char *instance_type, usec_t wall)
{
    size_t place = place_after(book, instance_type, wall);

    return place > 0
                   && strcmp(book->entries[place - 1].instance_type, instance_type) == 0
               ? &book->entries[place - 1].price
               : NULL;
}

const struct profile_price *price_in_force(const struct price_book *book,
                                           const struct offer *offer, usec_t wall)
{
    const struct profile_price *price = NULL;

    if (!offer)
        return NULL;
    if (offer->pricing != PRICING_FREE)
        price = of_book(book, offer->profile->name, wall);
    return price ? price : offer_price(offer, wall);
}

const struct profile_price *price_of_paid(const struct price_book *book,
                                          const char *instance_type,
                                          const struct offer *offer, usec_t wall)
{
    const struct profile_price *price = of_book(book, instance_type, wall);

    return price || !offer || offer->pricing == PRICING_FREE ? price
                                                             : offer_price(offer, wall);
}

const struct profile_price *price_of_profile(const struct price_book *book,
                                             const struct profile *profile, usec_t wall)
{
    const struct profile_price *price = of_book(book, profile->name, wall);

    return price ? price : profile_price_at(profile, wall);
}

/* Without a profile those of the book. */
static usec_t next_change(const struct price_book *book, const char *instance_type,
                          const struct profile *profile, usec_t wall)
{
    size_t place = place_after(book, instance_type, wall);
    usec_t next = INT64_MAX;

    if (place < book->count
        && strcmp(book->entries[place].instance_type, instance_type) == 0)
        next = book->entries[place].price.from;
    for (size_t i = 0; profile && i < profile->price_count; i++)
        if (profile->prices[i].from > wall && profile->prices[i].from < next)
            next = profile->prices[i].from;
    return next;
}

usec_t price_next_change(const struct price_book *book, const struct offer *offer,
                         usec_t wall)
{
    return next_change(book, offer->profile->name, offer->profile, wall);
}

const struct profile_price *price_dearest(const struct price_book *book,
                                          const struct offer *offer, usec_t from,
                                          usec_t lasts)
{
    const struct profile_price *dearest = NULL;
    usec_t at = from;

    if (!offer)
        return NULL;
    do {
        const struct profile_price *price = price_in_force(book, offer, at);

        if (price && (!dearest || price->hourly > dearest->hourly))
            dearest = price;
        at = price_next_change(book, offer, at);
    } while (at != INT64_MAX && at - from <= lasts);
    return dearest;
}

/* The second of an interval that opened at `wall` from which on what begins at `at` is
 * in force for all of it: intervals are placed at the whole second that they begin in.
 */
static int64_t second_of(usec_t wall, usec_t at)
{
    return (at + USEC_PER_SEC - 1) / USEC_PER_SEC - wall / USEC_PER_SEC;
}

size_t price_steps(const struct price_book *book, const char *instance_type,
                   const struct offer *offer, struct price_span span,
                   struct price_step **steps)
{
    const struct profile *profile = offer ? offer->profile : NULL;
    const struct profile_price *before =
        price_of_paid(book, instance_type, offer, span.wall);
    struct price_step *found = NULL;
    size_t count = 0;
    usec_t at = span.wall;

    while ((at = next_change(book, instance_type, profile, at)) != INT64_MAX
           && second_of(span.wall, at) < span.seconds) {
        const struct price_step step = {
            second_of(span.wall, at), price_of_paid(book, instance_type, offer, at)
        };

        if (step.price == before)
            continue;
        before = step.price;
        if (count && found[count - 1].from_second == step.from_second)
            count--;
        found = xrealloc(found, (count + 1) * sizeof *found);
        found[count++] = step;
    }
    *steps = found;
    return count;
}

static int tell_changes_of(const struct price_book *book, const char *type,
                           const struct offer *offer, usec_t since, struct store *store,
                           struct err *err)
{
    const struct profile *profile = offer ? offer->profile : NULL;
    const struct profile_price *before = price_of_paid(book, type, offer, since);
    usec_t at = since;

    while ((at = next_change(book, type, profile, at)) != INT64_MAX) {
        const struct profile_price *price = price_of_paid(book, type, offer, at);
        int64_t id;

        if (price == before)
            continue;
        before = price;
        if (store_price_id(store, type, price, &id, err) < 0
            || store_add_price_change(store, type, at, id, err) < 0)
            return -1;
    }
    return 0;
}

int price_book_tell_changes(const struct price_book *book, const struct offers *offers,
                            usec_t since, struct store *store, struct err *err)
{
    const char *type = "";

    if (store_clear_price_changes(store, err) < 0)
        return -1;
    for (size_t i = 0; i < offers->count; i++) {
        const struct offer *offer = &offers->items[i];

        if (tell_changes_of(book, offer->profile->name, offer, since, store, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < book->count; i++) {
        if (strcmp(book->entries[i].instance_type, type) == 0)
            continue;
        type = book->entries[i].instance_type;
        if (!offers_find(offers, type)
            && tell_changes_of(book, type, NULL, since, store, err) < 0)
            return -1;
    }
    return 0;
}

int price_book_tell_change(const struct price_book *book, const char *instance_type,
                           const struct offer *offer, usec_t since, struct store *store,
                           struct err *err)
{
    if (store_clear_price_changes_of(store, instance_type, since, err) < 0)
        return -1;
    return tell_changes_of(book, instance_type, offer, since, store, err);
}
