#ifndef DAEMON_STORE_PRICE_BOOK_H
#define DAEMON_STORE_PRICE_BOOK_H

#include "daemon/store.h"

/* What the price book keeps in the database. */

/** Adds a price of the book to the ledger; its seq is not read. */
MUST_CHECK int store_add_price(struct store *store, const struct price_row *price,
                               int64_t *seq, struct err *err);

/** An attempt or warm pool of this type has closed: a price from `until` on, by the
 * wall clock, or later would not have been its. */
MUST_CHECK int store_note_charged(struct store *store, const char *instance_type,
                                  usec_t until, struct err *err);
/** The first time from which on a price is that of nothing that is closed; INT64_MIN:
 * any. */
MUST_CHECK int store_get_charged(struct store *store, const char *instance_type,
                                 usec_t *until, struct err *err);

struct charged_count {
    int64_t count;
    bool is_all; /* there are not more of them */
};
/** Of how many closed intervals of a type a price from `from` on would have been; the
 * newest intervals are looked through. */
MUST_CHECK int store_count_charged(struct store *store, const char *instance_type,
                                   usec_t from, struct charged_count *count,
                                   struct err *err);

/* When prices change, for those who report on what runs. */
MUST_CHECK int store_clear_price_changes(struct store *store, struct err *err);
/** Those of a type that are later than `since`. */
MUST_CHECK int store_clear_price_changes_of(struct store *store,
                                            const char *instance_type, usec_t since,
                                            struct err *err);
MUST_CHECK int store_add_price_change(struct store *store, const char *instance_type,
                                      usec_t from, int64_t price, struct err *err);

#endif
