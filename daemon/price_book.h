#ifndef DAEMON_PRICE_BOOK_H
#define DAEMON_PRICE_BOOK_H

#include "daemon/offers.h"
#include "daemon/store.h"

/*
 * What an instance-hour costs, and since when (railhead-billing(7), "Price").
 *
 * The dated prices that an administrator has set come before the pool's own price, and
 * that before the catalog's.  A pool that is `free` costs 0, whatever else is said.
 */

struct book_entry {
    int64_t seq; /* of its row in the ledger */
    char *instance_type;
    struct profile_price price; /* basis "book" */
};

struct price_book {
    struct book_entry *entries; /* by type, time from which it holds, and seq */
    size_t count;
    bool at_change; /* `reprice: at-change`: a price that changes cuts intervals that
                       open from now on */
};

/** Reads what the ledger has of the book. */
MUST_CHECK int price_book_load(struct price_book *book, struct store *store,
                               struct err *err);
/** Sets a price for this time and later, in the ledger too.  `price` is copied; what it
 * says of the past is for the caller to have checked.  *added is valid until the book
 * changes. */
MUST_CHECK int price_book_add(struct price_book *book, struct store *store,
                              const char *instance_type,
                              const struct profile_price *price,
                              const struct book_entry **added, struct err *err);
void price_book_clear(struct price_book *book);

/** The entries of a type, by time: *count of them in a row, NULL when there are none.
 * Valid until the book changes.  Pure. */
const struct book_entry *price_book_of(const struct price_book *book,
                                       const char *instance_type, size_t *count);

/** The price in force at `wall`, valid until the book changes.  NULL: unpriced, as also
 * without an offer.  Pure. */
const struct profile_price *price_in_force(const struct price_book *book,
                                           const struct offer *offer, usec_t wall);

/** The same for a type of the catalog that is not offered.  Pure. */
const struct profile_price *price_of_profile(const struct price_book *book,
                                             const struct profile *profile,
                                             usec_t wall);

/** The price at `wall` of what is paid for, whatever the pool is by now: that of the
 * book, or of an offer that is not free.  NULL: there is none.  @offer  of the type, or
 * NULL: it is not offered any more.  Pure. */
const struct profile_price *price_of_paid(const struct price_book *book,
                                          const char *instance_type,
                                          const struct offer *offer, usec_t wall);

/** When the price may be another one for the first time after `wall`; INT64_MAX: it
 * stays.  Pure. */
usec_t price_next_change(const struct price_book *book, const struct offer *offer,
                         usec_t wall);

/** The dearest of the prices in force at any time of `lasts` microseconds from `from`
 * on, the last one included; 0 or less: at `from`.  NULL: unpriced at all of it, as
 * also without an offer.  Pure. */
const struct profile_price *price_dearest(const struct price_book *book,
                                          const struct offer *offer, usec_t from,
                                          usec_t lasts);

/* An interval as it lies in time. */
struct price_span {
    usec_t wall; /* when it opened */
    int64_t seconds;
};

/* From this second of an interval on another price is in force. */
struct price_step {
    int64_t from_second;
    const struct profile_price *price;
};

/** The changes of price within an interval of this type that they cut, that opened at
 * `wall` and lasts so many seconds; by time.  What is free is not cut.  @offer  as
 * price_of_paid has it.  The caller frees *steps.  Pure. */
size_t price_steps(const struct price_book *book, const char *instance_type,
                   const struct offer *offer, struct price_span span,
                   struct price_step **steps);

/** Tells those who report on the ledger when prices change: of what is offered or in
 * the book, later than `since`.  To be called at start. */
MUST_CHECK int price_book_tell_changes(const struct price_book *book,
                                       const struct offers *offers, usec_t since,
                                       struct store *store, struct err *err);

/** The same for one type, when a price of it was set: those up to `since` are told
 * already, and are the same.  @offer  as price_of_paid has it */
MUST_CHECK int price_book_tell_change(const struct price_book *book,
                                      const char *instance_type,
                                      const struct offer *offer, usec_t since,
                                      struct store *store, struct err *err);

#endif
