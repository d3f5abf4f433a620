/* What a job can cost.  Decides what bounds a bill and what can be said of one that is
 * not written yet; prices, runs and readings are given. */

#include "daemon/estimate.h"

#include "src/stats.h"

#include <math.h>

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

#define BAND 0.95

/* Where the next run falls: t-distributed on the scale of logarithms. */
struct prediction {
    double middle;
    double spread;
    double df;
    double past; /* the share of runs that would have ended by now */
};

/*
 * Seconds are whole, rounded up: runs that look alike lay up to a second apart.  The
 * deviation is not taken to be less than that of a second's rounding, 1 / sqrt(12).
 */
static struct prediction predict(const int64_t *runs, size_t count, int64_t elapsed)
{
    const double rounding = 1 / sqrt(12);
    double logs[ESTIMATE_RUNS_MAX];
    struct prediction next = { .df = (double)count - 1 };
    double deviation;

    for (size_t i = 0; i < count; i++)
        logs[i] = log((double)runs[i]);
    next.middle = stats_mean(logs, count);
    deviation = fmax(sqrt(stats_variance(logs, count)), rounding / exp(next.middle));
    next.spread = deviation * sqrt(1 + 1 / (double)count);
    if (elapsed > 0)
        next.past =
            stats_t_below((log((double)elapsed) - next.middle) / next.spread, next.df);
    return next;
}

/* Of those that have not ended by now, a share `p` ends by then. */
static double seconds_at(const struct prediction *next, double p)
{
    double share = next->past + p * (1 - next->past);

    return exp(next->middle + next->spread * stats_t_quantile(share, next->df));
}

/* Two runs bound the next one hardly: the band may pass what an integer holds. */
static int64_t whole(double seconds)
{
    const int64_t most = INT32_MAX;

    return seconds < (double)most ? (int64_t)seconds : most;
}

bool estimate_from_runs(const int64_t *runs, size_t count, int64_t elapsed,
                        struct likely *out)
{
    struct prediction next;

    if (count == 1 && elapsed < runs[0])
        *out = (struct likely){ .seconds = runs[0] };
    if (count < 2)
        return count == 1 && elapsed < runs[0];
    next =
        predict(runs, count > ESTIMATE_RUNS_MAX ? ESTIMATE_RUNS_MAX : count, elapsed);
    if (next.past > (1 + BAND) / 2)
        return false;
    out->has_band = true;
    out->seconds = whole(round(seconds_at(&next, 0.5)));
    out->low = whole(floor(seconds_at(&next, (1 - BAND) / 2)));
    out->high = whole(ceil(seconds_at(&next, (1 + BAND) / 2)));
    return true;
}

/* What was seen for a minute says nothing of next week. */
#define STRETCH_MAX 100

bool estimate_from_work(const struct work_readings *work, double planned, usec_t now,
                        int64_t *left)
{
    double span = (double)(work->last_at - work->first_at);
    double ahead = span * (planned - work->last) / (work->last - work->first);
    double until = (double)(work->last_at - now) + ahead;

    if (span <= 0 || work->last <= work->first || ahead > STRETCH_MAX * span
        || until < 0)
        return false;
    *left = (int64_t)(until / (double)USEC_PER_SEC + 0.5);
    return true;
}
