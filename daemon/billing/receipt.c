/* The receipt of a job: its intervals, on what evidence, at what price, and the
 * arithmetic from there to its cost.  Decides what is shown; all amounts are as
 * railhead-billing(7) has them. */

#include "daemon/billing/receipt.h"

#include "daemon/billing/billing.h"
#include "src/clock.h"
#include "src/money.h"

#include <stdlib.h>
#include <string.h>

struct receipt {
    const struct bill_request *request;
    struct job_row job;
    struct interval *intervals[2]; /* by enum interval_kind */
    size_t interval_counts[2];
    struct charge *charges; /* by kind, attempt and worker */
    size_t charge_count;
    size_t charge_room;
    struct cJSON *label;  /* what it is charged to, of its first interval; or NULL */
    struct cJSON *prices; /* that its charges name */
};

static void receipt_clear(struct receipt *receipt)
{
    free(receipt->intervals[INTERVAL_RUN]);
    free(receipt->intervals[INTERVAL_WARM]);
    free(receipt->charges);
    json_free(receipt->label);
    json_free(receipt->prices);
}

#define auto_receipt __attribute__((cleanup(receipt_clear)))

/* --- what the ledger has --- */

static int take_charge(void *context, const struct charge *charge, struct err *err)
{
    struct receipt *receipt = context;

    (void)err;
    if (receipt->charge_count == receipt->charge_room) {
        receipt->charge_room = receipt->charge_room ? receipt->charge_room * 2 : 16;
        receipt->charges =
            xrealloc(receipt->charges, receipt->charge_room * sizeof *receipt->charges);
    }
    receipt->charges[receipt->charge_count++] = *charge;
    return 0;
}

static bool is_charged(const struct receipt *receipt, int64_t price)
{
    for (size_t i = 0; i < receipt->charge_count; i++)
        if (receipt->charges[i].price == price)
            return true;
    return false;
}

static void set_money(struct cJSON *object, const char *name, nanousd_t amount)
{
    char words[MONEY_TEXT_SIZE];

    json_set_text(object, name, money_format(amount, words));
}

static void set_time(struct cJSON *object, const char *name, usec_t wall)
{
    char words[TIME_TEXT_SIZE];

    json_set_text(object, name, time_format(wall, words));
}

static int take_price(void *context, const struct price_row *price, struct err *err)
{
    struct receipt *receipt = context;
    struct cJSON *json;

    (void)err;
    if (!is_charged(receipt, price->seq))
        return 0;
    json = json_object_new();
    json_set_int(json, "seq", price->seq);
    json_set_text(json, "instance_type", price->instance_type);
    set_money(json, "usd_per_hour", price->hourly);
    if (price->from_us > 0)
        set_time(json, "from", price->from_us);
    else
        json_set_null(json, "from");
    json_set_text(json, "as_of", price->as_of);
    json_set_text(json, "basis", price->basis);
    json_set_text(json, "confidence", price->confidence);
    json_set_text(json, "source", price->source);
    json_append(receipt->prices, json);
    return 0;
}

static int take_label(void *context, int64_t seq, const struct charge_label *label,
                      struct err *err)
{
    struct receipt *receipt = context;
    struct cJSON *tags;

    if (receipt->charge_count == 0 || receipt->charges[0].label != seq)
        return 0;
    if (json_parse(label->tags, strlen(label->tags), &tags, err) < 0)
        return err_wrap(err, "tags of row %lld of the ledger", (long long)seq);
    receipt->label = json_object_new();
    json_set_int(receipt->label, "seq", seq);
    json_set_text(receipt->label, "owner", label->owner);
    json_set_text(receipt->label, "instance_type", label->instance_type);
    json_set_text(receipt->label, "pool", label->pool);
    json_set_text(receipt->label, "pricing", label->pricing);
    json_set_text(receipt->label, "scheduler", label->scheduler);
    json_set_bool(receipt->label, "emulated", label->emulated);
    json_set(receipt->label, "tags", tags);
    return 0;
}

static int read_ledger(struct receipt *receipt, const char *name, struct err *err)
{
    struct store *store = receipt->request->store;

    receipt->prices = json_array_new();
    if (store_find_job(store, name, &receipt->job, err) < 0
        || store_each_charge_of(store, receipt->job.job_id, take_charge, receipt, err)
               < 0
        || store_each_price(store, take_price, receipt, err) < 0
        || store_each_label(store, take_label, receipt, err) < 0)
        return -1;
    for (enum interval_kind kind = INTERVAL_RUN; kind <= INTERVAL_WARM; kind++)
        if (store_get_intervals(store, receipt->job.job_id, kind,
                                &receipt->intervals[kind],
                                &receipt->interval_counts[kind], err)
            < 0)
            return -1;
    return 0;
}

/* NULL: unpriced. */
static const struct cJSON *find_price(const struct receipt *receipt, int64_t seq)
{
    json_each (price, receipt->prices)
        if (json_get_int(price, "seq", 0) == seq)
            return price;
    return NULL;
}

static int hourly_of(const struct cJSON *price, nanousd_t *hourly, struct err *err)
{
    return money_parse(json_get_text(price, "usd_per_hour"), hourly, err);
}

/* --- intervals --- */

/* Part [from, to) of the seconds at a price. */
static int set_cost(struct cJSON *object, const struct cJSON *price, int64_t from,
                    int64_t to, struct err *err)
{
    nanousd_t hourly, cost;

    if (!price) {
        json_set_null(object, "cost_usd");
        return 0;
    }
    if (hourly_of(price, &hourly, err) < 0
        || money_for_part(hourly, from, to, &cost, err) < 0)
        return -1;
    set_money(object, "cost_usd", cost);
    return 0;
}

static void set_seq(struct cJSON *object, const char *name, int64_t seq)
{
    json_set(object, name, seq ? json_int_new(seq) : json_null_new());
}

/* What the seconds of one interval cost: its share of the attempt's.  *seconds is how
 * many they are. */
static int charges_of(const struct receipt *receipt, const struct interval *interval,
                      struct cJSON *charges, int64_t *seconds, struct err *err)
{
    *seconds = 0;
    for (size_t i = 0; i < receipt->charge_count; i++) {
        const struct charge *charge = &receipt->charges[i];
        struct cJSON *json;

        if (charge->open_seq != interval->open_seq)
            continue;
        json = json_object_new();
        json_append(charges, json);
        set_seq(json, "price", charge->price);
        json_set_int(json, "from_second", *seconds);
        json_set_int(json, "seconds", charge->seconds);
        json_set_int(json, "counts_from", charge->base);
        json_set_int(json, "counts_to", charge->base + charge->seconds);
        *seconds += charge->seconds;
        if (set_cost(json, find_price(receipt, charge->price), charge->base,
                     charge->base + charge->seconds, err)
            < 0)
            return -1;
    }
    return 0;
}

static void set_end(struct cJSON *json, const struct interval *interval)
{
    usec_t length = interval->close_boot_us - interval->open_boot_us;

    if (interval->closed) {
        json_set_int(json, "close_boot_us", interval->close_boot_us);
        json_set_int(json, "length_us", length);
        set_time(json, "ended_at", interval->open_wall_us + length);
        json_set_text(json, "end_evidence", interval->close_evidence);
    } else {
        json_set_null(json, "close_boot_us");
        json_set_null(json, "length_us");
        json_set_null(json, "ended_at");
        json_set_null(json, "end_evidence");
    }
    if (interval->busy_permille < 0)
        json_set_null(json, "busy_permille");
    else
        json_set_int(json, "busy_permille", interval->busy_permille);
}

static int interval_to_json(const struct receipt *receipt,
                            const struct interval *interval, enum interval_kind kind,
                            struct cJSON *json, struct err *err)
{
    struct cJSON *charges = json_array_new();
    int64_t seconds;

    json_set_int(json, "seq", interval->open_seq);
    json_set_int(json, "worker", interval->worker);
    json_set_text(json, "boot_id", interval->boot_id);
    set_time(json, "started_at", interval->open_wall_us);
    json_set_int(json, "open_wall_us", interval->open_wall_us);
    json_set_int(json, "open_boot_us", interval->open_boot_us);
    json_set_text(json, "reprice", interval->at_change ? "at-change" : "at-open");
    json_set_text(json, "start_evidence", interval->open_evidence);
    set_end(json, interval);
    json_set(json, "charges", charges);
    if (charges_of(receipt, interval, charges, &seconds, err) < 0)
        return -1;
    json_set_int(json, "seconds", seconds);
    if (kind == INTERVAL_RUN)
        json_set(json, "journal",
                 receipt_journal(receipt->request->state, receipt->job.id, interval));
    return 0;
}

/* --- an attempt, or its warm pool --- */

/* All that an attempt, a warm pool, or a job comes to. */
struct sum {
    int64_t billable_seconds;
    int64_t instance_seconds;
    int64_t unpriced_seconds; /* of them: without a price, and in no amount */
    nanousd_t cost;           /* of what has a price */
    bool has_intervals;
    bool has_price; /* at least one */
    bool estimate;  /* a price of low confidence is in it */
    bool open;
};

static void sum_to_json(const struct sum *sum, struct cJSON *json)
{
    json_set_int(json, "billable_seconds", sum->billable_seconds);
    json_set_int(json, "instance_seconds", sum->instance_seconds);
    if (sum->has_price || !sum->has_intervals)
        set_money(json, "cost_usd", sum->cost);
    else
        json_set_null(json, "cost_usd");
    json_set_int(json, "unpriced_instance_seconds", sum->unpriced_seconds);
    json_set_bool(json, "estimate", sum->estimate);
    json_set_bool(json, "open", sum->open);
}

static int add_sum(struct sum *sum, const struct sum *part, struct err *err)
{
    sum->billable_seconds += part->billable_seconds;
    sum->instance_seconds += part->instance_seconds;
    sum->unpriced_seconds += part->unpriced_seconds;
    sum->has_intervals = sum->has_intervals || part->has_intervals;
    sum->has_price = sum->has_price || part->has_price;
    sum->estimate = sum->estimate || part->estimate;
    sum->open = sum->open || part->open;
    if (__builtin_add_overflow(sum->cost, part->cost, &sum->cost))
        return err_set(err, ERR_LIMIT, "the cost of the job does not fit");
    return 0;
}

static bool is_of(const struct charge *charge, enum interval_kind kind, int attempt)
{
    return charge->kind == kind && charge->attempt == attempt;
}

static int64_t seconds_at_price(const struct receipt *receipt,
                                const struct charge *like)
{
    int64_t seconds = 0;

    for (size_t i = 0; i < receipt->charge_count; i++)
        if (is_of(&receipt->charges[i], like->kind, like->attempt)
            && receipt->charges[i].price == like->price)
            seconds += receipt->charges[i].seconds;
    return seconds;
}

/* What an attempt has at one price: its instance-seconds, and their cost, rounded once.
 */
static int add_amount(const struct receipt *receipt, struct cJSON *amounts,
                      const struct charge *first, struct sum *sum, struct err *err)
{
    const struct cJSON *price = find_price(receipt, first->price);
    struct cJSON *json = json_object_new();
    char words[RECEIPT_ARITHMETIC_SIZE];
    struct sum amount = { .instance_seconds = seconds_at_price(receipt, first),
                          .has_intervals = true,
                          .has_price = price != NULL };
    nanousd_t hourly;

    json_append(amounts, json);
    set_seq(json, "price", first->price);
    json_set_int(json, "instance_seconds", amount.instance_seconds);
    if (price) {
        if (hourly_of(price, &hourly, err) < 0
            || money_for_seconds(hourly, amount.instance_seconds, &amount.cost, err)
                   < 0)
            return -1;
        amount.estimate = strcmp(json_get_text(price, "confidence"), "low") == 0;
        json_set_text(json, "arithmetic",
                      receipt_arithmetic(hourly, amount.instance_seconds, words));
        set_money(json, "cost_usd", amount.cost);
    } else {
        amount.unpriced_seconds = amount.instance_seconds;
        json_set_null(json, "arithmetic");
        json_set_null(json, "cost_usd");
    }
    return add_sum(sum, &amount, err);
}

/* Whether a charge is the first of its attempt at its price. */
static bool is_first_at_price(const struct receipt *receipt, size_t index)
{
    const struct charge *charge = &receipt->charges[index];

    for (size_t i = 0; i < index; i++)
        if (is_of(&receipt->charges[i], charge->kind, charge->attempt)
            && receipt->charges[i].price == charge->price)
            return false;
    return true;
}

static int add_intervals(const struct receipt *receipt, enum interval_kind kind,
                         int attempt, struct cJSON *list, struct sum *sum,
                         struct err *err)
{
    for (size_t i = 0; i < receipt->interval_counts[kind]; i++) {
        const struct interval *interval = &receipt->intervals[kind][i];
        struct cJSON *json;
        int64_t seconds;

        if (interval->attempt != attempt)
            continue;
        json = json_object_new();
        json_append(list, json);
        if (interval_to_json(receipt, interval, kind, json, err) < 0)
            return -1;
        seconds = json_get_int(json, "seconds", 0);
        if (seconds > sum->billable_seconds)
            sum->billable_seconds = seconds;
        sum->open = sum->open || !interval->closed;
    }
    return 0;
}

static int attempt_to_json(const struct receipt *receipt, enum interval_kind kind,
                           int attempt, struct cJSON *json, struct sum *sum,
                           struct err *err)
{
    struct cJSON *intervals = json_array_new(), *amounts = json_array_new();

    *sum = (struct sum){ 0 };
    json_set_int(json, "attempt", attempt);
    json_set(json, "intervals", intervals);
    json_set(json, "amounts", amounts);
    if (add_intervals(receipt, kind, attempt, intervals, sum, err) < 0)
        return -1;
    for (size_t i = 0; i < receipt->charge_count; i++)
        if (is_of(&receipt->charges[i], kind, attempt) && is_first_at_price(receipt, i)
            && add_amount(receipt, amounts, &receipt->charges[i], sum, err) < 0)
            return -1;
    sum_to_json(sum, json);
    return 0;
}

/* Every attempt that has intervals of this kind, and what they come to. */
static int attempts_to_json(const struct receipt *receipt, enum interval_kind kind,
                            struct cJSON *list, struct sum *total, struct err *err)
{
    int before = 0; /* attempts count from 1 */

    *total = (struct sum){ 0 };
    for (size_t i = 0; i < receipt->interval_counts[kind]; i++) {
        int attempt = receipt->intervals[kind][i].attempt;
        struct cJSON *json;
        struct sum sum;

        if (attempt == before)
            continue;
        before = attempt;
        json = json_object_new();
        json_append(list, json);
        if (attempt_to_json(receipt, kind, attempt, json, &sum, err) < 0
            || add_sum(total, &sum, err) < 0)
            return -1;
    }
    return 0;
}

/* --- the whole --- */

static struct cJSON *job_to_json(const struct job_row *job)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "name", job->name);
    json_set_text(json, "id", job->id);
    json_set_text(json, "owner", job->owner);
    json_set_text(json, "status", job->status);
    json_set_text(json, "instance_type", job->instance_type);
    json_set_int(json, "instance_count", job->instance_count);
    json_set_text(json, "scheduler", job->scheduler);
    json_set_bool(json, "emulated", job->emulated);
    set_time(json, "submitted_at", job->created_us);
    return json;
}

static int fill(const struct receipt *receipt, struct cJSON *json, struct err *err)
{
    struct cJSON *attempts = json_array_new(), *pools = json_array_new();
    struct cJSON *warm = json_object_new();
    char now[TIME_TEXT_SIZE];
    struct sum sum;

    json_set_text(json, "at", time_format(clock_wall(), now));
    json_set(json, "job", job_to_json(&receipt->job));
    json_set_text(json, "currency", "USD");
    json_set(json, "charged_to",
             receipt->label ? json_copy(receipt->label) : json_null_new());
    json_set(json, "attempts", attempts);
    json_set(json, "warm_pool", warm);
    json_set(warm, "attempts", pools);
    json_set(json, "prices", json_copy(receipt->prices));
    json_set(json, "ledger", bill_last_head(receipt->request->store));
    if (attempts_to_json(receipt, INTERVAL_RUN, attempts, &sum, err) < 0)
        return -1;
    sum_to_json(&sum, json);
    if (attempts_to_json(receipt, INTERVAL_WARM, pools, &sum, err) < 0)
        return -1;
    sum_to_json(&sum, warm);
    return 0;
}

int bill_receipt(const struct bill_request *request, FILE *out,
                 struct problems *problems, struct err *err)
{
    auto_receipt struct receipt receipt = { .request = request };
    auto_json struct cJSON *json = json_object_new();
    const char *name = json_get_text(request->json, "job");
    auto_free char *words = NULL;

    (void)problems;
    if (read_ledger(&receipt, name ? name : "", err) < 0
        || fill(&receipt, json, err) < 0)
        return -1;
    words = json_print(json);
    fprintf(out, "%s\n", words);
    return 0;
}
