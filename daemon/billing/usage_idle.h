#ifndef DAEMON_BILLING_USAGE_IDLE_H
#define DAEMON_BILLING_USAGE_IDLE_H

#include "daemon/billing/usage.h"

/*
 * Reserved instances that nobody used: what their reservation came to, less what was
 * charged of it.  Both are cut as every amount is, so idle time adds up over days as
 * well, to the last digit.
 */

/* So many instances of a pool, paid for whether used or not, in [from_s, to_s). */
struct usage_reserved {
    struct usage_label label;        /* of nobody: pool, type and pricing alone */
    const struct usage_price *price; /* NULL: unpriced */
    int64_t instances;
    int64_t from_s;
    int64_t to_s;
    int64_t group; /* for whoever adds up; -1 at first */
};

struct usage_idle {
    struct usage_reserved *items;
    size_t count;
    bool is_known; /* else the report is of somebody's, and idle time is nobody's */
};

/** Reads those that the report wants, up to now. */
MUST_CHECK int usage_idle_read(struct usage *usage, struct usage_idle *idle,
                               struct err *err);
void usage_idle_clear(struct usage_idle *idle);

/** What the reservation comes to within [from_s, to_s); 0 where they do not overlap. */
MUST_CHECK int usage_reserved_part(const struct usage_reserved *reserved,
                                   int64_t from_s, int64_t to_s, int64_t *seconds,
                                   nanousd_t *cost, struct err *err);

/** What of it this part of a charge used. */
MUST_CHECK int usage_reserved_used(const struct usage_reserved *reserved,
                                   const struct usage_part *part, int64_t *seconds,
                                   nanousd_t *cost, struct err *err);

#endif
