/*
 * What one live job has cost, and what it can still cost.  Decides how a job's bounds
 * and the price in force make an amount; what follows from it is decided in
 * jobs_budget.c.
 *
 * While an interval runs, its seconds are those that it would have if it ended now.
 */

#include "daemon/estimate.h"
#include "daemon/jobs_private.h"
#include "src/clock.h"

#include <string.h>

/* Between a stop and the end there is the grace; besides, an interval is rounded up by
 * less than a second, and a stop needs a moment to get there. */
enum {
    SLACK_S = 2
};

static bool runs_on(const struct job *job)
{
    return job->billing && !job->attempt_over && !job_state_is_final(job->state);
}

static int add_closed(void *context, int64_t seq, const struct budget_part *part,
                      struct err *err)
{
    (void)seq;
    (void)err;
    budget_add(context, budget_span_at(BUDGET_TOTAL, 0), part);
    return 0;
}

int jobs_spend_read(struct jobs *jobs, struct live_job *live, struct err *err)
{
    struct live_spend *spend = &live->spend;
    struct budget_sum closed = { 0 };

    if (store_each_part_of(jobs->store, live->job->job_id, add_closed, &closed, err) < 0
        || store_get_open_price(jobs->store, live->job->job_id, &spend->priced,
                                &spend->estimated, &spend->hourly, err)
               < 0)
        return -1;
    spend->closed = closed.spent;
    spend->is_open = runs_on(live->job) || live->job->warm == WARM_AVAILABLE;
    return 0;
}

static nanousd_t all_of(nanousd_t hourly, int instances)
{
    nanousd_t rate;

    return __builtin_mul_overflow(hourly, instances, &rate) ? INT64_MAX : rate;
}

static const struct profile_price *price_now(struct jobs *jobs, const char *type)
{
    return price_in_force(&jobs->book, offers_find(&jobs->offers, type), clock_wall());
}

/* Of an instance, from now on; 0 where nobody knows one.  What is pinned holds, unless
 * changes of price cut intervals. */
static nanousd_t hourly_of(struct jobs *jobs, const struct live_job *live)
{
    const struct profile_price *price;

    if (live->spend.is_open && !live->spend.priced)
        return 0;
    if (live->spend.is_open && !jobs->book.at_change)
        return live->spend.hourly;
    price = price_now(jobs, live->job->instance_type);
    if (price)
        return price->hourly;
    return live->spend.is_open ? live->spend.hourly : 0;
}

/* --- what has run --- */

static usec_t opened_boot(const struct job *job)
{
    return job->warm == WARM_AVAILABLE ? job_warm_start(job) : job->ready_boot_us;
}

/* The first second of an open interval, after `second`, from which it costs another
 * price; INT64_MAX: there is none. */
static int64_t next_cut(struct jobs *jobs, const struct offer *offer, int64_t start_s,
                        int64_t second)
{
    usec_t change;

    if (!jobs->book.at_change || !offer)
        return INT64_MAX;
    change = price_next_change(&jobs->book, offer, (start_s + second) * USEC_PER_SEC);
    return change == INT64_MAX ? INT64_MAX
                               : (change + USEC_PER_SEC - 1) / USEC_PER_SEC - start_s;
}

void jobs_spend_add(struct jobs *jobs, const struct live_job *live,
                    struct budget_span span, struct budget_sum *sum)
{
    const struct job *job = live->job;
    const struct offer *offer = offers_find(&jobs->offers, job->instance_type);
    usec_t opened = opened_boot(job);
    int64_t start_s =
        (job->ready_wall_us + (opened - job->ready_boot_us)) / USEC_PER_SEC;
    int64_t whole = money_billable_seconds(clock_boot() - opened);
    struct budget_part part = { .emulated = job->emulated,
                                .priced = live->spend.priced,
                                .estimated = live->spend.estimated,
                                .hourly =
                                    all_of(live->spend.hourly, job->instance_count),
                                .start_s = start_s };

    if (!live->spend.is_open || strcmp(job->boot_id, clock_boot_id()) != 0)
        return;
    for (int64_t from = 0, to; from < whole; from = to) {
        const struct profile_price *price;

        to = next_cut(jobs, offer, start_s, from);
        if (to > whole)
            to = whole;
        part.start_s = start_s + from;
        part.seconds = to - from;
        budget_add(sum, span, &part);
        price = to < whole
                    ? price_in_force(&jobs->book, offer, (start_s + to) * USEC_PER_SEC)
                    : NULL;
        if (price)
            part.hourly = all_of(price->hourly, job->instance_count);
    }
}

nanousd_t jobs_spend_rate(struct jobs *jobs, const struct live_job *live)
{
    if (!live->spend.is_open || strcmp(live->job->boot_id, clock_boot_id()) != 0)
        return 0;
    return all_of(hourly_of(jobs, live), live->job->instance_count);
}

/* --- what may come --- */

/* With what earlier attempts have left of max_run. */
static struct run_bounds bounds_left(const struct job *job)
{
    struct run_bounds bounds = run_bounds_of_job(job);
    int done =
        job_state_waits(job->state) || !job->attempt ? job->attempt : job->attempt - 1;

    bounds.max_run_s -= job_used_run_s(job);
    bounds.attempts = bounds.attempts > done ? bounds.attempts - done : 1;
    return bounds;
}

static nanousd_t most_of(const struct run_bounds *bounds, nanousd_t hourly)
{
    nanousd_t most;

    return estimate_most_cost(bounds, hourly, &most, NULL) < 0 ? INT64_MAX : most;
}

static nanousd_t warm_of(const struct run_bounds *bounds, nanousd_t hourly)
{
    nanousd_t most;

    return estimate_warm_cost(bounds, hourly, &most, NULL) < 0 ? INT64_MAX : most;
}

static nanousd_t at_most(nanousd_t amount, nanousd_t bound)
{
    if (amount <= bound)
        return amount;
    return bound > 0 ? bound : 0;
}

nanousd_t jobs_spend_most(struct jobs *jobs, const struct live_job *live)
{
    const struct job *job = live->job;
    struct run_bounds bounds = bounds_left(job);
    nanousd_t hourly = hourly_of(jobs, live);
    nanousd_t most = 0;

    if (!job_state_is_final(job->state))
        most = most_of(&bounds, hourly);
    if (!job_is_over(job))
        most = budget_plus(most, warm_of(&bounds, hourly));
    return job->budget ? at_most(most, job->budget - live->spend.closed) : most;
}

static nanousd_t grace_cost(nanousd_t hourly, int instances, int64_t grace_s)
{
    return budget_cost(hourly, (grace_s + SLACK_S) * instances);
}

nanousd_t jobs_spend_grace(struct jobs *jobs, const struct live_job *live)
{
    const struct job *job = live->job;
    int64_t grace_s = job->grace_s;

    if (job->warm == WARM_AVAILABLE) /* is rounded up, no more */
        return budget_cost(hourly_of(jobs, live), job->instance_count);
    if (job_state_is_final(job->state) || job->state == JOB_UPLOADING)
        return 0;
    if (job->interrupt_asked && job->interrupt_grace_s > grace_s)
        grace_s = job->interrupt_grace_s;
    return grace_cost(hourly_of(jobs, live), job->instance_count, grace_s);
}

nanousd_t jobs_spend_most_of_spec(struct jobs *jobs, const struct job_spec *spec)
{
    const struct profile_price *price = price_now(jobs, spec->instance_type);
    struct run_bounds bounds = run_bounds_of_spec(spec);
    nanousd_t most;

    if (!price)
        return 0;
    most =
        budget_plus(most_of(&bounds, price->hourly), warm_of(&bounds, price->hourly));
    return spec->budget ? at_most(most, spec->budget) : most;
}

nanousd_t jobs_spend_grace_of_spec(struct jobs *jobs, const struct job_spec *spec)
{
    const struct profile_price *price = price_now(jobs, spec->instance_type);

    return price ? grace_cost(price->hourly, spec->instance_count, spec->grace_s) : 0;
}
