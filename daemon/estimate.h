#ifndef DAEMON_ESTIMATE_H
#define DAEMON_ESTIMATE_H

#include "daemon/job.h"
#include "src/job_spec.h"
#include "src/money.h"

/* What a job can cost at most, and what it is likely to: before it runs and while it
 * does; railhead-billing(7), "Estimates". */

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

/* How many of the newest runs an estimate rests on, at most. */
enum {
    ESTIMATE_RUNS_MAX = 50
};

/* How long each instance is likely to be billed for, in seconds. */
struct likely {
    int64_t seconds; /* as likely more as less */
    bool has_band;
    int64_t low; /* 95 % of runs like those are between these */
    int64_t high;
};

/**
 * From runs of the same (billable seconds of each instance, all above 0).
 *
 * Logarithms of runs are taken to be normal, so the next one is t-distributed about
 * their mean: this is an interval for one run, not for the mean.  One run alone is a
 * guess without a band.
 *
 * @elapsed  seconds that the run has been billed for already; 0: it has not begun
 *
 * False when there are no runs, and when nearly all (97.5 %) would have ended by now.
 * Pure.
 */
bool estimate_from_runs(const int64_t *runs, size_t count, int64_t elapsed,
                        struct likely *out);

/* A metric that counts work, read twice in one attempt, on one clock. */
struct work_readings {
    double first;
    usec_t first_at;
    double last;
    usec_t last_at;
};

/**
 * Seconds from `now` until `planned` is done, should the work go on as it did between
 * the readings.
 *
 * False when that is not known: it does not grow, or so little of it was seen that more
 * than a hundred times as long is left; or it should have been done by now.  Pure.
 */
bool estimate_from_work(const struct work_readings *work, double planned, usec_t now,
                        int64_t *left);

#endif
