/* Estimates and forecasts in JSON.  Decides what a forecast rests on: runs of the same
 * recipe, else the progress of the work, else nothing, which is said with the reason.
 * What follows from either is estimate.c's. */

#include "daemon/outlook.h"

#include "daemon/budget.h"
#include "src/clock.h"

#include <stdlib.h>

/* What is expected of the whole job, in billable seconds of each instance. */
struct expected {
    const char *basis;      /* "history" or "progress"; NULL: nothing is, and */
    char *unavailable;      /* this is why */
    int64_t runs;           /* that it rests on */
    const char *stopped_by; /* what is likely to end it before it is done; or NULL */
    struct likely seconds;
};

/* Of all instances.  False: there is no price. */
static bool hourly_of_all(const struct outlook *outlook, nanousd_t *hourly)
{
    return outlook->hourly
           && money_for_seconds(*outlook->hourly,
                                (int64_t)outlook->job->instance_count * 3600, hourly,
                                NULL)
                  == 0;
}

/* After how many billable seconds budget_usd is spent. */
static int64_t budget_seconds(const struct outlook *outlook)
{
    const struct bill *bill = outlook->bill;
    nanousd_t hourly;

    if (!outlook->job->budget || !hourly_of_all(outlook, &hourly))
        return INT64_MAX;
    return bill->billable_seconds
           + budget_lasts(outlook->job->budget - bill->cost, hourly) / USEC_PER_SEC;
}

static int64_t smaller(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

/* Not less than what was billed by now. */
static int64_t most_seconds(const struct outlook *outlook)
{
    const struct run_bounds bounds = run_bounds_of_job(outlook->job);
    int64_t most = smaller(estimate_most_seconds(&bounds), budget_seconds(outlook));
    int64_t least = outlook->bill->billable_seconds;

    return most > least ? most : least;
}

/* A budget leaves the grace its room, max_run does not. */
static const char *stop_before(const struct outlook *outlook, int64_t seconds)
{
    int64_t by_budget = budget_seconds(outlook) - outlook->job->grace_s;
    int64_t by_run = outlook->job->max_run_s;

    if (seconds <= smaller(by_budget, by_run))
        return NULL;
    return by_budget < by_run ? "budget_usd" : "max_run";
}

/* NULL when runs of the recipe tell how long the job takes; else why they do not. */
static char *from_history(const struct outlook *outlook, struct likely *seconds)
{
    if (outlook->job->stop_asked)
        return xstrdup("the job is being stopped");
    if (outlook->run_count == 0)
        return xstrdup(
            "no finished job of the same code, hyperparameters and instance type");
    if (outlook->earlier_s > 0)
        return xstrdup(
            "an attempt was billed before: what the next one has left is not known");
    if (!estimate_from_runs(outlook->runs, outlook->run_count,
                            outlook->bill->billable_seconds, seconds))
        return xstrdup("the job has run longer than those of the same code,"
                       " hyperparameters and instance type did");
    return NULL;
}

static bool number_of(const char *words, double *out)
{
    char *end;

    if (!words || !json_is_number_text(words))
        return false;
    *out = strtod(words, &end);
    return *end == '\0';
}

/* False when the work that is planned does not tell how long the job takes. */
static bool from_progress(const struct outlook *outlook, struct likely *seconds)
{
    const struct job *job = outlook->job;
    const struct metric_readings *readings = outlook->readings;
    struct work_readings work;
    double planned;
    int64_t left;

    if (job->state != JOB_TRAINING || job->stop_asked || job->interrupt_asked
        || readings->attempt != job->attempt
        || !number_of(outlook->spec->work_planned, &planned)
        || !number_of(readings->first, &work.first)
        || !number_of(readings->last, &work.last))
        return false;
    work.first_at = readings->first_wall;
    work.last_at = readings->last_wall;
    if (!estimate_from_work(&work, planned, outlook->now, &left))
        return false;
    *seconds = (struct likely){ .seconds = outlook->bill->billable_seconds + left };
    return true;
}

static int64_t between(int64_t low, int64_t value, int64_t high)
{
    if (value > high)
        return high;
    return value < low ? low : value;
}

/* Not less than what was billed, nor more than can be. */
static void hold(const struct outlook *outlook, struct likely *seconds)
{
    int64_t least = outlook->bill->billable_seconds;
    int64_t most = most_seconds(outlook);

    seconds->seconds = between(least, seconds->seconds, most);
    seconds->low = between(least, seconds->low, most);
    seconds->high = between(least, seconds->high, most);
}

static struct expected expect(const struct outlook *outlook)
{
    struct expected expected = { 0 };

    expected.unavailable = from_history(outlook, &expected.seconds);
    if (!expected.unavailable) {
        expected.basis = "history";
        expected.runs = (int64_t)outlook->run_count;
    } else if (from_progress(outlook, &expected.seconds)) {
        expected.basis = "progress";
        free(steal_ptr(&expected.unavailable));
    }
    if (expected.basis)
        expected.stopped_by = stop_before(outlook, expected.seconds.seconds);
    hold(outlook, &expected.seconds);
    return expected;
}

static void set_seconds(struct cJSON *json, const char *name, bool is_known,
                        int64_t seconds)
{
    if (is_known)
        json_set_int(json, name, seconds);
    else
        json_set_null(json, name);
}

/* What the job will have cost when each instance has been billed for `seconds`: what it
 * costs now, and the rest at the price of now. */
static void set_cost(struct cJSON *json, const char *name, bool is_known,
                     int64_t seconds, const struct outlook *outlook)
{
    const struct bill *bill = outlook->bill;
    int64_t rest = (seconds - bill->billable_seconds) * outlook->job->instance_count;
    char text[MONEY_TEXT_SIZE];
    nanousd_t cost;

    if (is_known && outlook->hourly && bill->unpriced_seconds == 0
        && money_for_part(*outlook->hourly, bill->instance_seconds,
                          bill->instance_seconds + rest, &cost, NULL)
               == 0
        && !__builtin_add_overflow(cost, bill->cost, &cost))
        json_set_text(json, name, money_format(cost, text));
    else
        json_set_null(json, name);
}

static struct cJSON *most_of(const struct outlook *outlook)
{
    const struct run_bounds bounds = run_bounds_of_job(outlook->job);
    const struct job_spec *spec = outlook->spec;
    struct cJSON *most = json_object_new();
    int64_t seconds = most_seconds(outlook);
    char text[MONEY_TEXT_SIZE];
    nanousd_t kept;

    json_set_int(most, "seconds", seconds);
    set_cost(most, "cost_usd", true, seconds, outlook);
    json_set_text(most, "not_counted",
                  spec->output_path || spec->checkpoint_uri
                      ? "storing outputs and checkpoints once the program has ended"
                      : NULL);
    json_set_int(most, "keep_alive_seconds", bounds.keep_alive_s);
    json_set_text(most, "keep_alive_usd",
                  outlook->hourly
                          && estimate_warm_cost(&bounds, *outlook->hourly, &kept, NULL)
                                 == 0
                      ? money_format(kept, text)
                      : NULL);
    return most;
}

static void set_expected(struct cJSON *json, const struct outlook *outlook,
                         const struct expected *expected)
{
    const struct likely *seconds = &expected->seconds;

    json_set_text(json, "basis", expected->basis);
    json_set_int(json, "runs", expected->runs);
    set_seconds(json, "seconds", expected->basis, seconds->seconds);
    set_seconds(json, "low_seconds", seconds->has_band, seconds->low);
    set_seconds(json, "high_seconds", seconds->has_band, seconds->high);
    set_cost(json, "cost_usd", expected->basis, seconds->seconds, outlook);
    set_cost(json, "low_usd", seconds->has_band, seconds->low, outlook);
    set_cost(json, "high_usd", seconds->has_band, seconds->high, outlook);
    json_set_text(json, "stopped_by", expected->stopped_by);
    json_set_text(json, "unavailable", expected->unavailable);
}

/* Of all instances, and at most. */
static struct cJSON *bounds_of(const struct outlook *outlook)
{
    struct cJSON *json = json_object_new();
    char text[MONEY_TEXT_SIZE];
    nanousd_t hour;

    json_set_text(json, "usd_per_hour",
                  hourly_of_all(outlook, &hour) ? money_format(hour, text) : NULL);
    json_set(json, "most", most_of(outlook));
    return json;
}

struct cJSON *outlook_estimate(const struct outlook *outlook)
{
    struct expected expected = expect(outlook);
    struct cJSON *json = bounds_of(outlook);
    struct cJSON *likely = json_object_new();

    set_expected(likely, outlook, &expected);
    json_set(json, "likely", likely);
    free(expected.unavailable);
    return json;
}

/* When each instance will have been billed for `seconds`, should the attempt that runs
 * be the last one.  What waits begins nobody knows when. */
static void set_eta(struct cJSON *json, const char *name, bool is_known,
                    int64_t seconds, const struct outlook *outlook)
{
    usec_t left = (seconds - outlook->bill->billable_seconds) * USEC_PER_SEC;
    char text[TIME_TEXT_SIZE];

    json_set_text(json, name,
                  is_known && outlook->bill->open
                      ? time_format(outlook->now + left, text)
                      : NULL);
}

struct cJSON *outlook_forecast(const struct outlook *outlook)
{
    struct expected expected = expect(outlook);
    const struct likely *seconds = &expected.seconds;
    struct cJSON *json = bounds_of(outlook);

    set_eta(json, "eta", expected.basis, seconds->seconds, outlook);
    set_eta(json, "eta_low", seconds->has_band, seconds->low, outlook);
    set_eta(json, "eta_high", seconds->has_band, seconds->high, outlook);
    set_expected(json, outlook, &expected);
    free(expected.unavailable);
    return json;
}
