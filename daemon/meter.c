/* When the bill of an attempt opens and closes, and on what evidence
 * (railhead-billing(7), rules 1 to 3). */

#include "daemon/meter.h"

#include "daemon/bill.h"
#include "daemon/store_price_book.h"

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

/* Without an offer there is the book still, where types have prices, offered or not. */
static const struct profile_price *price_at(const struct meter *meter,
                                            const struct job *job, usec_t wall)
{
    return meter->offer ? price_in_force(meter->book, meter->offer, wall)
                        : price_of_paid(meter->book, job->instance_type, NULL, wall);
}

int meter_open(const struct meter *meter, const struct job *job, struct err *err)
{
    const struct profile_price *price = price_at(meter, job, job->ready_wall_us);
    struct interval_start start = { .at_change = meter->book->at_change };

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

/* An attempt, or warm pool, as it closes: the changes of price that cut it, and what
 * the workers before have of the seconds at each price, the first one included. */
struct closing {
    const struct meter *meter;
    const struct job *job;
    enum interval_kind kind;
    struct price_span span; /* of its longest interval */
    bool is_cut;            /* by changes of price, as was pinned */
    struct interval_cut *cuts;
    size_t cut_count;
    int64_t *bases; /* cut_count + 1 */
};

static void closing_clear(struct closing *closing)
{
    free(closing->cuts);
    free(closing->bases);
}

#define auto_closing __attribute__((cleanup(closing_clear)))

/* Prices are in the ledger before what names them. */
static int find_cuts(struct closing *closing, struct err *err)
{
    const struct meter *meter = closing->meter;
    const char *type = closing->job->instance_type;
    auto_free struct price_step *steps = NULL;
    struct interval_pin pin;

    if (store_get_pin(meter->store, closing->job, closing->kind, &pin, err) < 0)
        return -1;
    closing->is_cut = pin.at_change && !pin.is_free;
    if (closing->is_cut)
        closing->cut_count =
            price_steps(meter->book, type, meter->offer, closing->span, &steps);
    closing->cuts = xcalloc(closing->cut_count + 1, sizeof *closing->cuts);
    closing->bases = xcalloc(closing->cut_count + 1, sizeof *closing->bases);
    for (size_t i = 0; i < closing->cut_count; i++) {
        closing->cuts[i].from_second = steps[i].from_second;
        if (store_price_id(meter->store, type, steps[i].price, &closing->cuts[i].price,
                           err)
            < 0)
            return -1;
    }
    return 0;
}

/* The cuts that lie within this worker's seconds; then its seconds count as those
 * before. */
static int close_interval(struct closing *closing, int worker, struct interval_end *end,
                          struct err *err)
{
    int64_t from = 0;

    end->base = closing->bases[0];
    end->cuts = closing->cuts;
    end->cut_count = 0;
    for (size_t i = 0; i <= closing->cut_count && from < end->seconds; i++) {
        int64_t to = end->seconds;

        if (i < closing->cut_count && closing->cuts[i].from_second < to)
            to = closing->cuts[i].from_second;
        if (i > 0)
            closing->cuts[end->cut_count++].base = closing->bases[i];
        closing->bases[i] += to - from;
        from = to;
    }
    return store_close_interval(closing->meter->store, closing->job, worker, end, err);
}

/* All workers close together, at the end of the last one; one that was lost closes at
 * its last evidence. */
static usec_t end_of(const struct job *job, const struct job_worker *worker)
{
    usec_t end = end_is_unseen(worker) ? last_evidence(worker) : job_end_boot(job);

    return end < job->ready_boot_us ? job->ready_boot_us /* lost before it opened */
                                    : end;
}

static int64_t seconds_of(const struct job *job, const struct job_worker *worker)
{
    return launch_failed(job)
               ? 0
               : money_billable_seconds(end_of(job, worker) - job->ready_boot_us);
}

static int close_worker(struct closing *closing, int index, struct err *err)
{
    const struct job *job = closing->job;
    const struct job_worker *worker = &job->workers[index];
    char evidence[128];
    struct interval_end end = {
        .boot_us = end_of(job, worker),
        .seconds = seconds_of(job, worker),
        .busy_permille = busy_permille(closing->meter->offer, worker),
        .evidence = evidence,
    };

    describe_end(job, worker, evidence);
    return close_interval(closing, index, &end, err);
}

/* Its prices are those from when it opened or, where changes cut it, up to its end. */
static int note_charged(const struct closing *closing, struct err *err)
{
    const struct price_span *span = &closing->span;
    usec_t end = (span->wall / USEC_PER_SEC + span->seconds) * USEC_PER_SEC;

    return store_note_charged(closing->meter->store, closing->job->instance_type,
                              closing->is_cut && end > span->wall ? end
                                                                  : span->wall + 1,
                              err);
}

int meter_close(const struct meter *meter, const struct job *job, struct err *err)
{
    auto_closing struct closing closing = { .meter = meter,
                                            .job = job,
                                            .kind = INTERVAL_RUN,
                                            .span.wall = job->ready_wall_us };

    if (!job->billing)
        return 0;
    for (int i = 0; i < job->instance_count; i++)
        if (seconds_of(job, &job->workers[i]) > closing.span.seconds)
            closing.span.seconds = seconds_of(job, &job->workers[i]);
    if (find_cuts(&closing, err) < 0)
        return -1;
    for (int i = 0; i < job->instance_count; i++)
        if (close_worker(&closing, i, err) < 0)
            return -1;
    return note_charged(&closing, err);
}

static usec_t warm_start_wall(const struct job *job)
{
    return job->ready_wall_us + (job_warm_start(job) - job->ready_boot_us);
}

int meter_open_warm(const struct meter *meter, const struct job *job, struct err *err)
{
    const bool at_change = meter->book->at_change;
    const struct profile_price *price = NULL;
    struct interval_pin run;
    int64_t id = 0;

    if (store_get_pin(meter->store, job, INTERVAL_RUN, &run, err) < 0)
        return -1;
    if (at_change && !run.is_free)
        price = price_of_paid(meter->book, job->instance_type, meter->offer,
                              warm_start_wall(job));
    if (price && store_price_id(meter->store, job->instance_type, price, &id, err) < 0)
        return -1;
    return store_open_warm(meter->store, job, at_change, id, err);
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
    auto_closing struct closing closing = { .meter = meter,
                                            .job = job,
                                            .kind = INTERVAL_WARM,
                                            .span = { warm_start_wall(job),
                                                      end.seconds } };

    if (job->reused_by)
        snprintf(evidence, sizeof evidence, "reused by %s", job->reused_by);
    else
        snprintf(evidence, sizeof evidence, "terminated");
    if (find_cuts(&closing, err) < 0)
        return -1;
    for (int i = 0; i < job->instance_count; i++)
        if (close_interval(&closing, i, &end, err) < 0)
            return -1;
    return note_charged(&closing, err);
}

void meter_cut_open(const struct meter *meter, const struct job *job,
                    struct interval *intervals, size_t count, usec_t boot_us,
                    struct price_cut **cuts)
{
    auto_free struct price_step *steps = NULL;
    const struct interval *open = NULL;
    struct price_span span;
    size_t step_count;

    *cuts = NULL;
    for (size_t i = 0; i < count; i++)
        if (!intervals[i].closed)
            open = &intervals[i]; /* all that are open opened together */
    if (!open || !interval_is_cut(open))
        return;
    span = (struct price_span){ open->open_wall_us,
                                money_billable_seconds(boot_us - open->open_boot_us) };
    step_count =
        price_steps(meter->book, job->instance_type, meter->offer, span, &steps);
    *cuts = xcalloc(step_count + 1, sizeof **cuts);
    for (size_t i = 0; i < step_count; i++)
        (*cuts)[i] = (struct price_cut){ steps[i].from_second, steps[i].price->hourly };
    for (size_t i = 0; i < count; i++) {
        if (intervals[i].closed)
            continue;
        intervals[i].cuts = *cuts;
        intervals[i].cut_count = step_count;
    }
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
                          bill.priced ? bill.cost : -1, bill.unpriced_seconds, err);
}
