#ifndef DAEMON_BILLING_COMPARE_SERIES_H
#define DAEMON_BILLING_COMPARE_SERIES_H

#include "daemon/compare.h"

/* The values of one metric as a worker wrote them down (metrics.jsonl), and what they
 * tell of where a run's seconds went. */

struct point {
    usec_t wall;
    double value;
    double step; /* NaN: it has none */
};

struct series {
    struct point *points; /* in the order in which they were written */
    size_t count;
};

/**
 * Reads the finite values of `rank` from the folders of an attempt's workers.  The
 * files lie where the job can write: what is no value is passed over, and of one file
 * no more is read than its worker may have written.  The caller frees by series_clear.
 *
 * @job_folder  STATE/jobs/ID
 */
void series_read(const char *job_folder, int attempt, int workers, const char *name,
                 int64_t rank, struct series *out);
void series_clear(struct series *series);
#define auto_series __attribute__((cleanup(series_clear)))

/* What the seconds of a run are counted from. */
struct run_times {
    usec_t ready;    /* wall clock: its bill opens */
    usec_t launched; /* its program runs */
    int64_t billable;
};

/**
 * Sets `phases`, `startup` and `rate` of a run.
 *
 * Steady state is the later half of the values: what is slow in the first steps is not
 * in it.  Start-up and compilation are the time from the launch to the first value,
 * less what its work takes at the rate of steady state.
 *
 * @by_step  work is counted by the values' steps; else by the values, which only grow
 *
 * Pure but for the run.
 */
void series_phases(const struct series *series, bool by_step,
                   const struct run_times *times, struct compare_run *run);

/** When the objective first had its target; 0: never.  Pure. */
usec_t series_reached(const struct series *series, enum goal goal, double target);

#endif
