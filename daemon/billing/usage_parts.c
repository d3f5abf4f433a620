/* Cuts charges at the limits of a report, and prices the parts. */

#include "daemon/billing/usage_idle.h"

#include <stdlib.h>

struct cutter {
    struct usage *usage;
    const struct usage_spans *spans;
    struct usage_idle *idle; /* or NULL */
    size_t last;             /* where the charge before began */
    usage_part_callback_t *callback;
    void *context;
};

/* The span that an instant of the report is in.  Charges come by their start, so it is
 * mostly the one of the charge before. */
static size_t find_span(struct cutter *cutter, int64_t at_s)
{
    const struct usage_span *items = cutter->spans->items;
    size_t low = 0, high = cutter->spans->count;

    if (at_s >= items[cutter->last].from_s && at_s < items[cutter->last].to_s)
        return cutter->last;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (items[middle].from_s <= at_s)
            low = middle;
        else
            high = middle;
    }
    cutter->last = low;
    return low;
}

static int give_part(const struct cutter *cutter, struct usage_part *part,
                     struct err *err)
{
    const struct charge *charge = part->charge;
    int64_t before = charge->base + part->from_s - charge->start_s;

    part->seconds = part->to_s - part->from_s;
    part->cost = 0;
    if (part->price
        && money_for_part(part->price->words.hourly, before, before + part->seconds,
                          &part->cost, err)
               < 0)
        return err_wrap(err, "row %lld of the ledger", (long long)charge->open_seq);
    return cutter->callback(cutter->context, part, err);
}

static int64_t earlier(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

static int cut(struct cutter *cutter, struct usage_part *part, struct err *err)
{
    const struct charge *charge = part->charge;
    const struct usage_ask *ask = cutter->usage->ask;
    int64_t end = earlier(charge->start_s + charge->seconds, ask->to_s);

    part->from_s = charge->start_s > ask->from_s ? charge->start_s : ask->from_s;
    part->span = find_span(cutter, part->from_s);
    do {
        part->to_s = earlier(end, cutter->spans->items[part->span].to_s);
        if (give_part(cutter, part, err) < 0)
            return -1;
        part->from_s = part->to_s;
        part->span++;
    } while (part->from_s < end);
    return 0;
}

/* What is read may lie elsewhere: all of a job, or the day that the report begins in.
 */
static bool is_within(const struct usage_ask *ask, const struct charge *charge)
{
    int64_t end = charge->start_s + charge->seconds;

    return charge->start_s < ask->to_s
           && (end > ask->from_s || charge->start_s == ask->from_s);
}

static int take_charge(void *context, const struct charge *charge, struct err *err)
{
    struct cutter *cutter = context;
    struct usage_part part = { .charge = charge };

    if (usage_book_find(cutter->usage, charge, &part.label, &part.price, err) < 0)
        return -1;
    if (cutter->idle)
        usage_idle_use(cutter->idle, part.label, charge);
    if (!part.label->is_wanted || !is_within(cutter->usage->ask, charge))
        return 0;
    return cut(cutter, &part, err);
}

int usage_each_part(struct usage *usage, const struct usage_spans *spans,
                    struct usage_idle *idle, usage_part_callback_t *callback,
                    void *context, struct err *err)
{
    const struct usage_ask *ask = usage->ask;
    const bool has_idle = idle && idle->count > 0;
    struct cutter cutter = {
        usage, spans, has_idle ? idle : NULL, 0, callback, context
    };

    if (ask->job_id)
        return store_each_charge_of(usage->store, ask->job_id, take_charge, &cutter,
                                    err);
    return store_each_charge(usage->store, has_idle ? idle->from_s : ask->from_s,
                             ask->to_s, take_charge, &cutter, err);
}

int usage_job_name(struct usage *usage, int64_t job_id, const char **name,
                   struct err *err)
{
    if (usage->job.job_id != job_id
        && store_get_job(usage->store, job_id, &usage->job, err) < 0) {
        usage->job.job_id = 0;
        return -1;
    }
    *name = usage->job.name;
    return 0;
}
