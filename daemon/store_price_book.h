#ifndef DAEMON_STORE_PRICE_BOOK_H
#define DAEMON_STORE_PRICE_BOOK_H

#include "daemon/store.h"

/* What the price book keeps in the database. */

/** Adds a price of the book to the ledger; its seq is not read. */
MUST_CHECK int store_add_price(struct store *store, const struct price_row *price,
                               int64_t *seq, struct err *err);

/* What the closed intervals of a type reach to, by the wall clock. */
struct charged {
    usec_t opened_us; /* when the latest of them opened */
    usec_t ended_us;  /* when the last of them ended */
};

/** An attempt or warm pool of this type has closed. */
MUST_CHECK int store_note_charged(struct store *store, const char *instance_type,
                                  const struct charged *charged, struct err *err);
/** INT64_MIN in both when none has. */
MUST_CHECK int store_get_charged(struct store *store, const char *instance_type,
                                 struct charged *charged, struct err *err);

struct charged_count {
    int64_t count;
    bool is_all; /* there are not more of them */
};
/** How many closed intervals of a type opened at `from` or later, or (by_end) ended
 * after it; the newest intervals are looked through. */
MUST_CHECK int store_count_charged(struct store *store, const char *instance_type,
                                   usec_t from, bool by_end,
                                   struct charged_count *count, struct err *err);

/* When prices change that cut what runs then, for those who report on it. */
MUST_CHECK int store_clear_price_changes(struct store *store, struct err *err);
/** Those of a type that are later than `since`. */
MUST_CHECK int store_clear_price_changes_of(struct store *store,
                                            const char *instance_type, usec_t since,
                                            struct err *err);
MUST_CHECK int store_add_price_change(struct store *store, const char *instance_type,
                                      usec_t from, int64_t price, struct err *err);

#endif
