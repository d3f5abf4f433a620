#ifndef DAEMON_BILLING_USAGE_IDLE_H
#define DAEMON_BILLING_USAGE_IDLE_H

#include "daemon/billing/usage.h"

/*
 * Reserved instances that nobody used.
 *
 * In each second they are those that the pool has reserved less those that any interval
 * of it has, whoever asks for whatever of the report; 0 where it has more.  They cost
 * what the reservation does, rounded once a day of UTC.  A part of such a day costs the
 * day up to the part's end less the day up to its start, each rounded so: idle time
 * adds up as all else does, to the last digit.
 */

/* So many more instances are used from then on. */
struct usage_use {
    int64_t at_s;
    int64_t change;
};

/* So many instances of a pool, paid for whether used or not, in [from_s, to_s). */
struct usage_reserved {
    int64_t seq;                     /* its row of the ledger */
    struct usage_label label;        /* of nobody: pool, type and pricing alone */
    const struct usage_price *price; /* NULL: unpriced */
    int64_t instances;               /* > 0 */
    int64_t from_s;
    int64_t to_s;
    struct usage_use *uses;
    size_t use_count;
    size_t use_room;
};

struct usage_idle {
    struct usage_reserved *items;
    size_t count;
    int64_t from_s; /* where the first day of the report begins, in UTC */
    int64_t now_s;
    bool is_known; /* else the report is of somebody's, and idle time is nobody's */
};

/** Reads the reservations that the report wants, up to now. */
MUST_CHECK int usage_idle_read(struct usage *usage, struct usage_idle *idle,
                               struct err *err);
void usage_idle_clear(struct usage_idle *idle);

/** Takes in what a charge uses; it wants all from idle->from_s on. */
void usage_idle_use(struct usage_idle *idle, const struct usage_label *label,
                    const struct charge *charge);

/* What was idle of a reservation in a span of the report. */
struct usage_idle_part {
    const struct usage_reserved *reserved;
    size_t span;
    int64_t from_s; /* what of the span was reserved */
    int64_t to_s;
    int64_t seconds; /* of instances, > 0 */
    nanousd_t cost;  /* 0 when unpriced */
};

typedef int usage_idle_callback_t(void *context, const struct usage_idle_part *part,
                                  struct err *err);

/** Every part, by reservation and span, once all charges are taken in. */
MUST_CHECK int usage_idle_each(struct usage_idle *idle, const struct usage_spans *spans,
                               usage_idle_callback_t *callback, void *context,
                               struct err *err);

#endif
