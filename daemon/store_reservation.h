#ifndef DAEMON_STORE_RESERVATION_H
#define DAEMON_STORE_RESERVATION_H

#include "daemon/store.h"

/* Instances that are paid for whether they are used or not (`pricing: reserved`), in
 * the ledger; railhead-billing(7), "Pools". */

/* So many instances at this price from then on, until the next row of the pool and
 * type.  Texts are valid during the call only. */
struct reservation {
    int64_t seq;
    const char *pool;
    const char *instance_type;
    int64_t instances; /* 0: no longer reserved */
    int64_t price;     /* seq; 0: unpriced */
    usec_t from_us;
};

/** Adds one; its seq is not read. */
MUST_CHECK int store_add_reservation(struct store *store,
                                     const struct reservation *reservation,
                                     struct err *err);

typedef int store_reservation_callback_t(void *context,
                                         const struct reservation *reservation,
                                         struct err *err);

/** All by pool, type, time and seq: of those of a pool and type from the same time, the
 * last holds. */
MUST_CHECK int store_each_reservation(struct store *store,
                                      store_reservation_callback_t *callback,
                                      void *context, struct err *err);

#endif
