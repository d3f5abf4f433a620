/* When the bill of an attempt opens and closes, and on what evidence
 * (railhead-billing(7), rules 1 to 3). */

#include "daemon/meter.h"

#include "daemon/bill.h"

#include <stdio.h>
#include <stdlib.h>

int meter_open(struct store *store, const struct offer *offer, const struct job *job,
               struct err *err)
{
    const struct profile_price *price =
        offer ? offer_price(offer, job->ready_wall_us) : NULL;
    int64_t price_id = 0;

    if (price && store_price_id(store, job->instance_type, price, &price_id, err) < 0)
        return -1;
    for (int i = 0; i < job->instance_count; i++) {
        char evidence[128];

        snprintf(evidence, sizeof evidence,
                 "the last of %d workers was ready; own ready line at boot_us %lld",
                 job->instance_count, (long long)job->workers[i].ready_boot_us);
        if (store_open_interval(store, job, i, price_id, evidence, err) < 0)
            return -1;
    }
    return 0;
}

/* A launch that failed is not billed.  Once every rank runs it cannot fail any more: a
 * job that this daemon could not take up again is billed for what it ran. */
static bool launch_failed(const struct job *job)
{
    const struct job_end *end = job->attempt_over ? &job->attempt_end : &job->end;

    return end->cause == END_LAUNCH && !job_was_launched(job);
}

/* Nobody saw how it ended: it counts up to its last evidence. */
static bool end_is_unseen(const struct job_worker *worker)
{
    return !worker->ended || worker->lost;
}

static usec_t last_evidence(const struct job_worker *worker)
{
    return worker->ended ? worker->end_boot_us : worker->last_boot_us;
}

static void describe_end(const struct job *job, const struct job_worker *worker,
                         char out[128])
{
    if (launch_failed(job))
        snprintf(out, 128, "launch failed: not billed");
    else if (end_is_unseen(worker))
        snprintf(out, 128, "lost: last evidence at boot_us %lld",
                 (long long)last_evidence(worker));
    else
        snprintf(out, 128, "own end line %lld at boot_us %lld: %s",
                 (long long)worker->last_seq, (long long)worker->end_boot_us,
                 end_cause_name(worker->end.cause));
}

/* All workers close together, at the end of the last one; one that was lost closes at
 * its last evidence. */
static int close_worker(struct store *store, const struct job *job, int index,
                        struct err *err)
{
    const struct job_worker *worker = &job->workers[index];
    struct interval_end end = { .boot_us = job_end_boot(job) };
    char evidence[128];

    if (end_is_unseen(worker))
        end.boot_us = last_evidence(worker);
    if (end.boot_us < job->ready_boot_us)
        end.boot_us = job->ready_boot_us; /* lost before the bill opened */
    if (!launch_failed(job))
        end.seconds = money_billable_seconds(end.boot_us - job->ready_boot_us);
    describe_end(job, worker, evidence);
    end.evidence = evidence;
    return store_close_interval(store, job, index, &end, err);
}

int meter_close(struct store *store, const struct job *job, struct err *err)
{
    for (int i = 0; job->billing && i < job->instance_count; i++)
        if (close_worker(store, job, i, err) < 0)
            return -1;
    return 0;
}

int meter_close_warm(struct store *store, const struct job *job, struct err *err)
{
    char evidence[128];
    struct interval_end end = {
        .kind = INTERVAL_WARM,
        .boot_us = job->warm_end_boot_us,
        .seconds = money_billable_seconds(job->warm_end_boot_us - job_warm_start(job)),
        .evidence = evidence,
    };

    if (job->reused_by)
        snprintf(evidence, sizeof evidence, "reused by %s", job->reused_by);
    else
        snprintf(evidence, sizeof evidence, "terminated");
    for (int i = 0; i < job->instance_count; i++)
        if (store_close_interval(store, job, i, &end, err) < 0)
            return -1;
    return 0;
}

int meter_set_bill(struct store *store, const struct job *job, struct err *err)
{
    auto_free struct interval *intervals = NULL;
    struct bill bill;
    size_t count;

    if (store_get_intervals(store, job->job_id, INTERVAL_RUN, &intervals, &count, err)
            < 0
        || bill_of(intervals, count, NULL, &bill, err) < 0)
        return -1;
    return store_set_bill(store, job->job_id, bill.billable_seconds,
                          bill.priced ? bill.cost : -1, err);
}
