/* When the bill of an attempt opens and closes, and on what evidence
 * (railhead-billing(7), rules 1 to 3). */

#include "daemon/meter.h"

#include "daemon/bill.h"

#include <stdio.h>
#include <stdlib.h>

static int label_of(const struct meter *meter, const struct job *job, int64_t *label,
                    struct err *err)
{
    const struct offer *offer = meter->offer;
    const struct charge_label words = {
        .owner = job->owner,
        .instance_type = job->instance_type,
        .pool = offer ? offer->pool : job->instance_type,
        .pricing = pricing_name(offer ? offer->pricing : PRICING_STANDARD),
        .scheduler = job->scheduler,
        .emulated = job->emulated,
        .tags = job->tags,
    };

    return store_label(meter->store, &words, label, err);
}

int meter_open(const struct meter *meter, const struct job *job, struct err *err)
{
    const struct profile_price *price =
        price_in_force(meter->book, meter->offer, job->ready_wall_us);
    struct interval_start start = { 0 };

    if (price
        && store_price_id(meter->store, job->instance_type, price, &start.price, err)
               < 0)
        return -1;
    if (label_of(meter, job, &start.label, err) < 0)
        return -1;
    for (int i = 0; i < job->instance_count; i++) {
        char evidence[128];

        snprintf(evidence, sizeof evidence,
                 "the last of %d workers was ready; own ready line at boot_us %lld",
                 job->instance_count, (long long)job->workers[i].ready_boot_us);
        start.evidence = evidence;
        if (store_open_interval(meter->store, job, i, &start, err) < 0)
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

/* How much of its time the busiest kind of processor worked, in thousandths; -1: not
 * known. */
static int busy_permille(const struct offer *offer, const struct job_worker *worker)
{
    static const char *const accelerators[] = { "gpu_percent", "neuron_core_percent" };
    const struct cJSON *used = json_get(worker->said, "utilization");
    double percent, busiest = -1;

    if (offer && offer->cpus > 0
        && json_to_double(json_get(json_get(used, "cpu_percent"), "mean"), &percent))
        busiest = percent / offer->cpus;
    for (size_t i = 0; i < ARRAY_SIZE(accelerators); i++)
        if (json_to_double(json_get(json_get(used, accelerators[i]), "mean"), &percent)
            && percent > busiest)
            busiest = percent;
    if (busiest < 0)
        return -1;
    return busiest > 100 ? 1000 : (int)(busiest * 10 + 0.5);
}

/* All workers close together, at the end of the last one; one that was lost closes at
 * its last evidence.  *base is how many instance-seconds those before it have. */
static int close_worker(const struct meter *meter, const struct job *job, int index,
                        int64_t *base, struct err *err)
{
    const struct job_worker *worker = &job->workers[index];
    struct interval_end end = { .boot_us = job_end_boot(job),
                                .base = *base,
                                .busy_permille = busy_permille(meter->offer, worker) };
    char evidence[128];

    if (end_is_unseen(worker))
        end.boot_us = last_evidence(worker);
    if (end.boot_us < job->ready_boot_us)
        end.boot_us = job->ready_boot_us; /* lost before the bill opened */
    if (!launch_failed(job))
        end.seconds = money_billable_seconds(end.boot_us - job->ready_boot_us);
    describe_end(job, worker, evidence);
    end.evidence = evidence;
    *base += end.seconds;
    return store_close_interval(meter->store, job, index, &end, err);
}

int meter_close(const struct meter *meter, const struct job *job, struct err *err)
{
    int64_t base = 0;

    for (int i = 0; job->billing && i < job->instance_count; i++)
        if (close_worker(meter, job, i, &base, err) < 0)
            return -1;
    return 0;
}

int meter_close_warm(const struct meter *meter, const struct job *job, struct err *err)
{
    char evidence[128];
    struct interval_end end = {
        .kind = INTERVAL_WARM,
        .boot_us = job->warm_end_boot_us,
        .seconds = money_billable_seconds(job->warm_end_boot_us - job_warm_start(job)),
        .busy_permille = -1,
        .evidence = evidence,
    };

    if (job->reused_by)
        snprintf(evidence, sizeof evidence, "reused by %s", job->reused_by);
    else
        snprintf(evidence, sizeof evidence, "terminated");
    for (int i = 0; i < job->instance_count; i++) {
        if (store_close_interval(meter->store, job, i, &end, err) < 0)
            return -1;
        end.base += end.seconds;
    }
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
