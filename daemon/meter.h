#ifndef DAEMON_METER_H
#define DAEMON_METER_H

#include "daemon/price_book.h"
#include "daemon/store.h"

/* Opens and closes the billing intervals of an attempt, in the transaction of the event
 * that calls for it. */

struct meter {
    struct store *store;
    const struct price_book *book;
    const struct offer *offer; /* of the job's type; NULL: it is not offered any more */
};

/** At EV_READY: one interval a worker, all at the job's ready time, at the price in
 * force then; without an offer at that of the book.  Whether later changes of price cut
 * it is pinned, too. */
MUST_CHECK int meter_open(const struct meter *meter, const struct job *job,
                          struct err *err);

/** When an attempt has ended, by a retry or with the job: closes them.  Nothing to do
 * when the bill never opened. */
MUST_CHECK int meter_close(const struct meter *meter, const struct job *job,
                           struct err *err);

/** Gives the intervals of a job that run still the changes of price up to `boot_us`
 * that cut them: they point to *cuts then, which the caller frees. */
void meter_cut_open(const struct meter *meter, const struct job *job,
                    struct interval *intervals, size_t count, usec_t boot_us,
                    struct price_cut **cuts);

/** When the job has ended and every attempt is closed: sets the job's bill. */
MUST_CHECK int meter_set_bill(struct store *store, const struct job *job,
                              struct err *err);

/** When a job has ended and holds its instances for the next one: opens their warm
 * intervals, at the price of the attempt, or that in force where changes of price cut
 * intervals. */
MUST_CHECK int meter_open_warm(const struct meter *meter, const struct job *job,
                               struct err *err);

/** When what an ended job held for the next one is free: closes its warm intervals. */
MUST_CHECK int meter_close_warm(const struct meter *meter, const struct job *job,
                                struct err *err);

#endif
