#ifndef DAEMON_ESTIMATE_H
#define DAEMON_ESTIMATE_H

#include "daemon/job.h"
#include "src/job_spec.h"
#include "src/money.h"

/* What a job can cost at most, before and while it runs; railhead-billing(7),
 * "Estimates". */

/* What bounds a job's bill. */
struct run_bounds {
    int instances;
    int64_t max_run_s; /* all attempts together */
    int64_t grace_s;
    int attempts;
    int64_t keep_alive_s; /* warm pool; 0: none */
};

/** Pure. */
struct run_bounds run_bounds_of_spec(const struct job_spec *spec);
struct run_bounds run_bounds_of_job(const struct job *job);

/**
 * The most seconds that each instance can be billed for, over all attempts: max_run,
 * grace, and a second of rounding an attempt.
 *
 * Not in it is what has no bound of its own: storing outputs and checkpoints once the
 * program has ended (after a stop at most 30 minutes), and the notice of an
 * interruption where that is longer than grace.  Pure.
 */
int64_t estimate_most_seconds(const struct run_bounds *bounds);

/** What that costs with all instances at `hourly`.  ERR_LIMIT when it does not fit.
 * Pure. */
MUST_CHECK int estimate_most_cost(const struct run_bounds *bounds, nanousd_t hourly,
                                  nanousd_t *cost, struct err *err);

/** What the warm pool that the job leaves can cost besides.  ERR_LIMIT as above.  Pure.
 */
MUST_CHECK int estimate_warm_cost(const struct run_bounds *bounds, nanousd_t hourly,
                                  nanousd_t *cost, struct err *err);

#endif
