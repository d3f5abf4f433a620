#ifndef DAEMON_RESERVATIONS_H
#define DAEMON_RESERVATIONS_H

#include "daemon/price_book.h"

/**
 * Has the ledger say, from `now` on, which pools are reserved, how many instances they
 * have and at what price: adds what it does not say yet, changes of price to come
 * included.  To be called at start.
 */
MUST_CHECK int reservations_keep(struct store *store, const struct offers *offers,
                                 const struct price_book *book, usec_t now,
                                 struct err *err);

/** The same for one pool, when a price of its type was set; nothing to do unless it is
 * reserved. */
MUST_CHECK int reservations_keep_one(struct store *store, const struct offer *offer,
                                     const struct price_book *book, usec_t now,
                                     struct err *err);

#endif
