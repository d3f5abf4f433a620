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
        || store_get_open_price(jobs->store, live->job->job_id, &spend->pinned, err)
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

/* What is known of the prices of a type from `from` on, for so long: the dearest, of an
 * instance; `otherwise` where nobody knows one. */
static nanousd_t dearest(struct jobs *jobs, const char *type, usec_t from, usec_t lasts,
                         nanousd_t otherwise)
{
    const struct profile_price *price =
        price_dearest(&jobs->book, offers_find(&jobs->offers, type), from, lasts);

    return price ? price->hourly : otherwise;
}

/* The same of a job.  What is pinned holds, unless changes of price cut it. */
static nanousd_t hourly_of(struct jobs *jobs, const struct live_job *live, usec_t from,
                           usec_t lasts)
{
    nanousd_t pinned = live->spend.is_open ? live->spend.pinned.hourly : 0;

    if (live->spend.is_open && !live->spend.pinned.is_cut)
        return pinned;
    return dearest(jobs, live->job->instance_type, from, lasts, pinned);
}

static nanousd_t hourly_now(struct jobs *jobs, const struct live_job *live)
{
    return hourly_of(jobs, live, clock_wall(), 0);
}

/* --- what has run --- */

static usec_t opened_boot(const struct job *job)
{
    return job->warm == WARM_AVAILABLE ? job_warm_start(job) : job->ready_boot_us;
}

static usec_t opened_wall(const struct job *job)
{
    return job->ready_wall_us + (opened_boot(job) - job->ready_boot_us);
}

void jobs_spend_add(struct jobs *jobs, const struct live_job *live,
                    struct budget_span span, struct budget_sum *sum)
{
    const struct job *job = live->job;
    const struct open_price *pinned = &live->spend.pinned;
    const struct price_span opened = {
        opened_wall(job), money_billable_seconds(clock_boot() - opened_boot(job))
    };
    struct budget_part part = { .emulated = job->emulated,
                                .priced = pinned->priced,
                                .estimated = pinned->estimated,
                                .hourly = all_of(pinned->hourly, job->instance_count) };
    auto_free struct price_step *steps = NULL;
    size_t count = 0;

    if (!live->spend.is_open || strcmp(job->boot_id, clock_boot_id()) != 0)
        return;
    if (pinned->is_cut)
        count =
            price_steps(&jobs->book, job->instance_type,
                        offers_find(&jobs->offers, job->instance_type), opened, &steps);
    for (size_t i = 0; i <= count; i++) {
        int64_t from = i ? steps[i - 1].from_second : 0;

        if (i) {
            part.priced = true;
            part.estimated = strcmp(steps[i - 1].price->confidence, "low") == 0;
            part.hourly = all_of(steps[i - 1].price->hourly, job->instance_count);
        }
        part.start_s = opened.wall / USEC_PER_SEC + from;
        part.seconds = (i < count ? steps[i].from_second : opened.seconds) - from;
        budget_add(sum, span, &part);
    }
}

nanousd_t jobs_spend_rate(struct jobs *jobs, const struct live_job *live)
{
    if (!live->spend.is_open || strcmp(live->job->boot_id, clock_boot_id()) != 0)
        return 0;
    return all_of(hourly_now(jobs, live), live->job->instance_count);
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

/* What is paid for at most, should it begin now. */
static usec_t most_lasts(const struct run_bounds *bounds)
{
    return (estimate_most_seconds(bounds) + bounds->keep_alive_s) * USEC_PER_SEC;
}

nanousd_t jobs_spend_most(struct jobs *jobs, const struct live_job *live)
{
    const struct job *job = live->job;
    struct run_bounds bounds = bounds_left(job);
    usec_t now = clock_wall();
    usec_t from = live->spend.is_open ? opened_wall(job) : now;
    nanousd_t hourly = hourly_of(jobs, live, from, now - from + most_lasts(&bounds));
    nanousd_t most = 0;

    if (!job_state_is_final(job->state))
        most = most_of(&bounds, hourly);
    if (!job_is_over(job))
        most = budget_plus(most, warm_of(&bounds, hourly));
    return job->budget ? at_most(most, job->budget - live->spend.closed) : most;
}

/* From now, for how long a stop of it is to be paid; 0: it is rounded up, no more. */
static usec_t stop_lasts(const struct job *job)
{
    int64_t grace_s = job->grace_s;

    if (job->warm == WARM_AVAILABLE)
        return 0;
    if (job->interrupt_asked && job->interrupt_grace_s > grace_s)
        grace_s = job->interrupt_grace_s;
    return (grace_s + SLACK_S) * USEC_PER_SEC;
}

nanousd_t jobs_spend_grace(struct jobs *jobs, const struct live_job *live)
{
    const struct job *job = live->job;
    usec_t lasts = stop_lasts(job);
    nanousd_t hourly = hourly_of(jobs, live, clock_wall(), lasts);

    if (job->warm == WARM_AVAILABLE)
        return budget_cost(hourly, job->instance_count);
    if (job_state_is_final(job->state) || job->state == JOB_UPLOADING)
        return 0;
    return budget_cost(hourly, lasts / USEC_PER_SEC * job->instance_count);
}

usec_t jobs_spend_grace_changes(struct jobs *jobs, const struct live_job *live)
{
    const struct offer *offer = offers_find(&jobs->offers, live->job->instance_type);
    usec_t end = clock_wall() + stop_lasts(live->job);
    bool is_cut =
        live->spend.is_open ? live->spend.pinned.is_cut : jobs->book.at_change;
    usec_t change;

    if (!is_cut || !offer)
        return INT64_MAX;
    change = price_next_change(&jobs->book, offer, end);
    return change == INT64_MAX ? change : clock_boot() + change - end;
}

nanousd_t jobs_spend_second(struct jobs *jobs, const struct live_job *live)
{
    return budget_cost(hourly_now(jobs, live), live->job->instance_count);
}

nanousd_t jobs_spend_most_of_spec(struct jobs *jobs, const struct job_spec *spec)
{
    struct run_bounds bounds = run_bounds_of_spec(spec);
    nanousd_t hourly =
        dearest(jobs, spec->instance_type, clock_wall(), most_lasts(&bounds), 0);
    nanousd_t most = budget_plus(most_of(&bounds, hourly), warm_of(&bounds, hourly));

    return spec->budget ? at_most(most, spec->budget) : most;
}

nanousd_t jobs_spend_grace_of_spec(struct jobs *jobs, const struct job_spec *spec)
{
    int64_t lasts_s = spec->grace_s + SLACK_S;
    nanousd_t hourly =
        dearest(jobs, spec->instance_type, clock_wall(), lasts_s * USEC_PER_SEC, 0);

    return budget_cost(hourly, lasts_s * spec->instance_count);
}

nanousd_t jobs_spend_second_of_spec(struct jobs *jobs, const struct job_spec *spec)
{
    return budget_cost(dearest(jobs, spec->instance_type, clock_wall(), 0, 0),
                       spec->instance_count);
}
