/* What a job can cost.  Decides what bounds a bill; prices and history are given. */

#include "daemon/estimate.h"

struct run_bounds run_bounds_of_spec(const struct job_spec *spec)
{
    return (struct run_bounds){ .instances = spec->instance_count,
                                .max_run_s = spec->max_run_s,
                                .grace_s = spec->grace_s,
                                .attempts = spec->retry_on ? spec->max_attempts : 1,
                                .keep_alive_s = spec->keep_alive_s };
}

struct run_bounds run_bounds_of_job(const struct job *job)
{
    return (struct run_bounds){ .instances = job->instance_count,
                                .max_run_s = job->max_run_s,
                                .grace_s = job->grace_s,
                                .attempts = job->retry_causes ? job->max_attempts : 1,
                                .keep_alive_s = job->keep_alive_s };
}

/*
 * The last attempt gets what others left of max_run, with less than a second in its
 * favour, and then grace.  N attempts that take less than max_run + grace + 1 s
 * together are fewer than max_run + grace + 1 + N seconds when each is rounded up.
 */
int64_t estimate_most_seconds(const struct run_bounds *bounds)
{
    return bounds->max_run_s + bounds->grace_s + bounds->attempts;
}

int estimate_most_cost(const struct run_bounds *bounds, nanousd_t hourly,
                       nanousd_t *cost, struct err *err)
{
    return money_for_seconds(hourly, estimate_most_seconds(bounds) * bounds->instances,
                             cost, err);
}

/* A pool ends keep_alive after its job to the microsecond: nothing is rounded. */
int estimate_warm_cost(const struct run_bounds *bounds, nanousd_t hourly,
                       nanousd_t *cost, struct err *err)
{
    return money_for_seconds(hourly, bounds->keep_alive_s * bounds->instances, cost,
                             err);
}
