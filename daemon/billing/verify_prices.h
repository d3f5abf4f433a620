#ifndef DAEMON_BILLING_VERIFY_PRICES_H
#define DAEMON_BILLING_VERIFY_PRICES_H

#include "daemon/billing/verify.h"
#include "daemon/billing/verify_book.h"
#include "daemon/store_audit.h"

/* Holds the prices of intervals against what was in force, as far as rows show it. */

/** Whether it opened under `reprice: at-change`.  Pure. */
bool audit_is_at_change(const struct audit_row *row);

/** The price that an interval opened with. */
void verify_price(struct verdict *verdict, const struct audit_book *book,
                  const struct audit_row *row);

/* The changes of price within a closed interval, one after the other. */
struct price_changes {
    struct verdict *verdict;
    const struct audit_book *book;
    const struct audit_row *row;
    bool is_cut;       /* by changes at all */
    struct booked due; /* the next one of the book */
    int64_t due_second;
};

/** Borrows all that it is given. */
struct price_changes verify_changes_of(struct verdict *verdict,
                                       const struct audit_book *book,
                                       const struct audit_row *row);
/** The next row that says one, by its second. */
void verify_change(struct price_changes *changes, const struct audit_cut *cut);
/** There are no more rows. */
void verify_no_more_changes(struct price_changes *changes);

#endif
