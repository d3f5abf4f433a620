#ifndef DAEMON_BILL_H
#define DAEMON_BILL_H

#include "daemon/store.h"

/*
 * What a job costs, from its intervals alone; railhead-billing(7).
 *
 * The cost of an attempt is price x instance-seconds / 3600, rounded once.  Its workers
 * open and close together unless one is lost, so the job's cost is then billable
 * seconds x instances x price to the last digit.  Where its price changes
 * (`reprice: at-change`), that holds for what costs each price.  A worker's share is
 * its part of that, cut as money_for_part cuts, so shares add up to the whole.  What
 * has no price is told beside the cost, and is no part of it.
 */

struct bill {
    int64_t billable_seconds; /* per instance, over all attempts */
    int64_t instance_seconds;
    int64_t unpriced_seconds; /* of them: without a price, and in no amount */
    bool priced;              /* an interval has a price, or there is none */
    nanousd_t cost;           /* of what has a price; meaningful when priced */
    bool open;                /* an interval still runs: counted up to now */
    usec_t start_wall;        /* of the first interval; 0: none */
    usec_t end_wall;          /* of the last, when closed */
};

/* Up to when an open interval counts; one of another boot counts as 0. */
struct bill_now {
    const char *boot_id;
    usec_t boot_us;
};

/** The bill of these intervals (as store_get_intervals gives them).  `now` NULL: open
 * ones count as 0.  Pure. */
MUST_CHECK int bill_of(const struct interval *intervals, size_t count,
                       const struct bill_now *now, struct bill *bill, struct err *err);

/** The same for the intervals of one attempt. */
MUST_CHECK int bill_of_attempt(const struct interval *intervals, size_t count,
                               int attempt, const struct bill_now *now,
                               struct bill *bill, struct err *err);

#endif
