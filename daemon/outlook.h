#ifndef DAEMON_OUTLOOK_H
#define DAEMON_OUTLOOK_H

#include "daemon/bill.h"
#include "daemon/estimate.h"

/* What can be said of a job's cost before it is known, in JSON; api/openapi.yaml
 * describes every member. */

struct outlook {
    const struct job *job;
    const struct job_spec *spec;
    const struct bill *bill;                /* up to now; all 0 before it runs */
    int64_t earlier_s;                      /* of the bill: of attempts that are over */
    const nanousd_t *hourly;                /* NULL: unpriced */
    const int64_t *runs;                    /* of its recipe, newest first */
    size_t run_count;                       /* at most ESTIMATE_RUNS_MAX */
    const struct metric_readings *readings; /* of the work metric */
    usec_t now;                             /* wall clock */
};

/** Of a job that has not begun: {usd_per_hour, most, likely}.  Pure.  The caller owns
 * it. */
struct cJSON *outlook_estimate(const struct outlook *outlook);

/** Of a job that has not ended: {usd_per_hour, most, eta, eta_low, eta_high} and the
 * members of `likely` above.  Pure.  The caller owns it. */
struct cJSON *outlook_forecast(const struct outlook *outlook);

#endif
