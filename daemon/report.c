/* Puts what is known of a job into one JSON object. */

#include "daemon/report.h"

#include "daemon/failure_reason.h"
#include "daemon/figure.h"
#include "src/clock.h"
#include "src/money.h"

#include <stdio.h>

static void set_time(struct cJSON *json, const char *name, usec_t wall)
{
    char text[TIME_TEXT_SIZE];

    json_set_text(json, name, wall ? time_format(wall, text) : NULL);
}

/* @as_of  "" of a price that is of no day: one's own, of the configuration */
static struct cJSON *price_to_json(nanousd_t hourly, const char *source,
                                   const char *basis, const char *confidence,
                                   const char *as_of)
{
    struct cJSON *json = json_object_new();
    char amount[MONEY_TEXT_SIZE];

    json_set_text(json, "usd_per_hour", money_format(hourly, amount));
    json_set_text(json, "source", source);
    json_set_text(json, "basis", basis);
    json_set_text(json, "confidence", confidence);
    json_set_text(json, "as_of", *as_of ? as_of : NULL);
    return json;
}

struct cJSON *report_price(const struct profile_price *price)
{
    if (!price)
        return json_null_new();
    return price_to_json(price->hourly, price->source, price->basis, price->confidence,
                         price->as_of);
}

/* The price that was pinned; before that the one in force. */
static struct cJSON *price_of(const struct report_input *input)
{
    const struct interval *pinned = input->intervals;

    if (!input->interval_count)
        return report_price(price_in_force(input->book, input->offer, clock_wall()));
    if (!pinned->priced)
        return json_null_new();
    return price_to_json(pinned->hourly, pinned->price_source, pinned->price_basis,
                         pinned->price_confidence, pinned->price_as_of);
}

/* One attempt, of the past or the last. */
struct attempt_view {
    const struct job_worker *workers;
    int block;
    const struct job_end *end; /* NULL: it has not ended */
};

static struct attempt_view view_of(const struct job *job, int number)
{
    struct attempt_view view = { job->workers, job->block, NULL };

    if (number < job->attempt) {
        const struct job_attempt *past = &job->past[number - 1];

        return (struct attempt_view){ past->workers, past->block, &past->end };
    }
    if (job->attempt_over)
        view.end = &job->attempt_end;
    else if (job_state_is_final(job->state))
        view.end = &job->end;
    return view;
}

static struct cJSON *worker_of(const struct attempt_view *attempt, int index)
{
    const struct job_worker *state = &attempt->workers[index];
    struct cJSON *worker = json_object_new();
    char host[HOST_TEXT_SIZE], address[HOST_TEXT_SIZE];

    job_worker_host(index, host);
    job_block_address(attempt->block, index, address);
    json_set_int(worker, "rank", index);
    json_set_text(worker, "host", host);
    json_set_text(worker, "address", address);
    if (state->ended)
        json_set(worker, "end", job_end_to_json(&state->end));
    json_each (member, state->said)
        json_set(worker, json_name(member), json_copy(member));
    return worker;
}

static int attempt_of(const struct report_input *input, int number,
                      const struct bill_now *now, struct cJSON *attempt,
                      struct err *err)
{
    const struct attempt_view view = view_of(input->job, number);
    struct cJSON *workers = json_array_new();
    struct bill bill;

    json_set_int(attempt, "attempt", number);
    json_set(attempt, "end", view.end ? job_end_to_json(view.end) : json_null_new());
    json_set(attempt, "workers", workers);
    for (int i = 0; i < input->job->instance_count; i++)
        json_append(workers, worker_of(&view, i));
    if (bill_of_attempt(input->intervals, input->interval_count, number, now, &bill,
                        err)
        < 0)
        return -1;
    json_set_int(attempt, "billable_seconds", bill.billable_seconds);
    return 0;
}

static int attempts_of(const struct report_input *input, const struct bill_now *now,
                       struct cJSON *json, struct err *err)
{
    struct cJSON *attempts = json_array_new();

    json_set(json, "attempts", attempts);
    for (int number = 1; number <= input->job->attempt; number++) {
        struct cJSON *attempt = json_object_new();

        json_append(attempts, attempt);
        if (attempt_of(input, number, now, attempt, err) < 0)
            return -1;
    }
    return 0;
}

/* Where the outputs of the last attempt are: whoever stored them says so. */
static struct cJSON *artifacts_of(const struct job *job)
{
    for (int i = 0; job->workers && i < job->instance_count; i++) {
        const struct cJSON *artifacts = json_get(job->workers[i].said, "artifacts");

        if (artifacts)
            return json_copy(artifacts);
    }
    return json_null_new();
}

static int warm_pool_of(const struct report_input *input, const struct bill_now *now,
                        struct cJSON *json, struct err *err)
{
    const char *status = job_warm_status(input->job);
    struct cJSON *pool;
    struct bill bill;
    char amount[MONEY_TEXT_SIZE];

    if (!status) {
        json_set_null(json, "warm_pool");
        return 0;
    }
    if (bill_of(input->warm, input->warm_count, now, &bill, err) < 0)
        return -1;
    pool = json_object_new();
    json_set_text(pool, "status", status);
    json_set_int(pool, "retained_billable_seconds", bill.billable_seconds);
    json_set_text(pool, "reused_by", input->job->reused_by);
    json_set_text(pool, "cost_usd",
                  bill.priced && input->warm_count ? money_format(bill.cost, amount)
                                                   : NULL);
    json_set_int(pool, "unpriced_instance_seconds", bill.unpriced_seconds);
    json_set(json, "warm_pool", pool);
    return 0;
}

static void set_identity(const struct report_input *input, struct cJSON *json)
{
    const struct job *job = input->job;
    auto_free char *reason = failure_reason_of(job);
    struct cJSON *queue = json_object_new();

    json_set_text(json, "name", job->name);
    json_set_text(json, "id", job->id);
    json_set_text(json, "owner", job->owner);
    json_set_text(json, "status", job_state_primary(job->state, job->stop_asked));
    json_set_text(json, "secondary_status", job_state_name(job->state));
    if (job_state_is_final(job->state))
        json_set(json, "end", job_end_to_json(&job->end));
    else
        json_set_null(json, "end");
    json_set_text(json, "failure_reason", reason);
    json_set_bool(json, "emulated", job->emulated);
    json_set_text(json, "instance_type", job->instance_type);
    json_set_int(json, "instance_count", job->instance_count);
    json_set_text(json, "scheduler", job->scheduler);
    set_time(json, "created_at", job->created_us);
    if (input->queue_position)
        json_set_int(queue, "position", input->queue_position);
    else
        json_set_null(queue, "position");
    json_set_text(queue, "reason", input->queue_reason);
    json_set(json, "queue", queue);
}

static void set_money(const struct report_input *input, const struct bill *bill,
                      struct cJSON *json)
{
    char amount[MONEY_TEXT_SIZE];
    /* What never ran cost nothing; what has not begun has no cost yet. */
    bool has_cost = input->interval_count || job_state_is_final(input->job->state);

    set_time(json, "training_start_time", bill->start_wall);
    set_time(json, "training_end_time", bill->end_wall);
    json_set_int(json, "training_seconds", bill->billable_seconds);
    json_set_int(json, "billable_seconds", bill->billable_seconds);
    json_set_int(json, "instance_seconds", bill->instance_seconds);
    json_set(json, "price", price_of(input));
    json_set_text(json, "cost_usd",
                  bill->priced && has_cost ? money_format(bill->cost, amount) : NULL);
    json_set_int(json, "unpriced_instance_seconds", bill->unpriced_seconds);
    json_set(json, "price_performance",
             figure_of(input->spec, bill, input->metrics,
                       input->job->state == JOB_COMPLETED));
}

static struct cJSON *plan_of(const struct report_input *input)
{
    struct cJSON *plan = json_object_new();

    json_set_int(plan, "world_size", input->world_size);
    json_set_text(plan, "launcher", distribution_name(input->spec->distribution));
    return plan;
}

int report_job(const struct report_input *input, struct cJSON **out, struct err *err)
{
    const struct bill_now now = { clock_boot_id(), clock_boot() };
    auto_json struct cJSON *json = json_object_new();
    struct bill bill;

    if (bill_of(input->intervals, input->interval_count, &now, &bill, err) < 0)
        return -1;
    set_identity(input, json);
    set_money(input, &bill, json);
    json_set(json, "metrics", json_copy(input->metrics));
    if (warm_pool_of(input, &now, json, err) < 0
        || attempts_of(input, &now, json, err) < 0)
        return -1;
    json_set(json, "artifacts", artifacts_of(input->job));
    json_set(json, "progress",
             input->progress ? json_copy(input->progress) : json_null_new());
    json_set(json, "forecast",
             input->forecast ? json_copy(input->forecast) : json_null_new());
    json_set(json, "transitions", json_copy(input->transitions));
    json_set(json, "plan", plan_of(input));
    json_set(json, "findings", json_array_new());
    json_set(json, "tags", json_copy(input->spec->tags));
    json_set(json, "spec", json_copy(input->spec_json));
    *out = steal_ptr(&json);
    return 0;
}

struct cJSON *report_row(const struct job_row *row)
{
    struct cJSON *json = json_object_new();
    char text[MONEY_TEXT_SIZE];

    json_set_text(json, "name", row->name);
    json_set_text(json, "id", row->id);
    json_set_text(json, "owner", row->owner);
    json_set_text(json, "status", row->status);
    json_set_text(json, "secondary_status", job_state_name(row->state));
    json_set_bool(json, "emulated", row->emulated);
    json_set_text(json, "instance_type", row->instance_type);
    json_set_int(json, "instance_count", row->instance_count);
    json_set_text(json, "scheduler", row->scheduler);
    set_time(json, "created_at", row->created_us);
    set_time(json, "changed_at", row->changed_us);
    if (row->has_bill)
        json_set_int(json, "billable_seconds", row->billable_seconds);
    else
        json_set_null(json, "billable_seconds");
    json_set_text(json, "cost_usd",
                  row->has_bill && row->priced ? money_format(row->cost, text) : NULL);
    if (row->has_bill)
        json_set_int(json, "unpriced_instance_seconds", row->unpriced_seconds);
    else
        json_set_null(json, "unpriced_instance_seconds");
    return json;
}
