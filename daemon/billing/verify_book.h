#ifndef DAEMON_BILLING_VERIFY_BOOK_H
#define DAEMON_BILLING_VERIFY_BOOK_H

#include "daemon/store.h"

/* The price book and the reserved pools as the rows of the ledger have them.  A row
 * that says what was so may know the rows before it, and no others. */

struct audit_book;

/** The caller frees *out. */
MUST_CHECK int audit_book_read(struct store *store, struct audit_book **out,
                               struct err *err);
void audit_book_free(struct audit_book *book);

/* A price of the book. */
struct booked {
    int64_t seq; /* 0: there is none */
    usec_t from;
};

/** The one in force for a type at `wall`, as the row `seq` had to know it.  Pure. */
struct booked audit_book_at(const struct audit_book *book, const char *instance_type,
                            usec_t wall, int64_t seq);

/** The next one that comes into force after `wall`; of those from the same time the one
 * that was set last.  Pure. */
struct booked audit_book_after(const struct audit_book *book, const char *instance_type,
                               usec_t wall, int64_t seq);

/** Whether the pool was reserved, as the row `seq` had to know it.  Pure. */
bool audit_book_reserves(const struct audit_book *book, const char *pool,
                         const char *instance_type, int64_t seq);

#endif
