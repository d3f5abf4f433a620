#ifndef DAEMON_METER_H
#define DAEMON_METER_H

#include "daemon/offers.h"
#include "daemon/store.h"

/* Opens and closes the billing intervals of an attempt, in the transaction of the event
 * that calls for it. */

/** At EV_READY: one interval a worker, all at the job's ready time, at the price in
 * force then. `offer` NULL: the type is not offered any more; unpriced. */
MUST_CHECK int meter_open(struct store *store, const struct offer *offer,
                          const struct job *job, struct err *err);

/** When the job has ended: closes them and sets the job's bill. */
MUST_CHECK int meter_close(struct store *store, const struct job *job, struct err *err);

#endif
