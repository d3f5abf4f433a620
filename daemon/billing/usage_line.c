/*
 * What can be told of a part of a charge, as text, and the lines that tell it.  Which
 * of it a form has is decided by the form's table of columns.
 */

#include "daemon/billing/usage_line.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is charged for.  A meter and a SKU belong together for good.  AWS calls reserved
 * capacity that nobody uses a box. */
enum kind {
    KIND_RUN,
    KIND_WARM,
    KIND_IDLE
};

static const struct {
    const char *name;
    const char *meter;
    const char *sku;
    const char *aws_usage;
} kinds[] = {
    [KIND_RUN] = { "run", "Training instance time", "training", "Train" },
    [KIND_WARM] = { "warm", "Warm pool instance time", "warm-pool", "Train" },
    [KIND_IDLE] = { "idle", "Unused reserved instance time", "unused", "UnusedBox" },
};

/* A reserved pool's rate is agreed, as a standard one is; what is reserved is capacity.
 * `Committed` would be a discount on a list price that is not known here. */
static const struct {
    const char *name;
    const char *focus_category;
    const char *aws_term;
} pricings[] = {
    { "standard", "Standard", "OnDemand" },
    { "free", "Standard", "OnDemand" },
    { "reserved", "Standard", "Reserved" },
    { "spot", "Dynamic", "Spot" },
};

/* --- what all charges of a label have --- */

/* What the catalog says of a type, as jobs_export_facts has it. */
static const struct cJSON *facts_of(const struct usage *usage, const char *type)
{
    return json_get(json_get(json_get(usage->request, "export"), "instance_types"),
                    type);
}

static char *print(struct cJSON *json)
{
    char *words = json_print(json);

    json_free(json);
    return words;
}

/* Names of FOCUS 1.2, Sku Price Details; the memory is in GiB. */
static char *details_of(const struct cJSON *facts, const struct charge_label *words)
{
    struct cJSON *details = json_object_new();

    json_set_text(details, "InstanceType", words->instance_type);
    json_each (fact, facts)
        json_set(details, json_name(fact), json_copy(fact));
    json_set_text(details, "x_Pricing", words->pricing);
    return print(details);
}

/* Names of AWS's price list, its values are text. */
static char *product_of(const struct cJSON *facts, const struct charge_label *words)
{
    static const struct {
        const char *name;
        const char *fact;
        const char *unit;
    } rows[] = {
        { "vcpu", "CoreCount", "" },
        { "memory", "MemorySize", " GiB" },
        { "gpu", "GpuCount", "" },
    };
    struct cJSON *product = json_object_new();

    json_set_text(product, "product_name", "Railhead");
    json_set_text(product, "instance_type", words->instance_type);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *number = json_number(json_get(facts, rows[i].fact));
        auto_free char *value = number ? xasprintf("%s%s", number, rows[i].unit) : NULL;

        if (value)
            json_set_text(product, rows[i].name, value);
    }
    if (words->owner) /* of nobody's time it is not known */
        json_set_text(product, "emulated", words->emulated ? "true" : "false");
    return print(product);
}

/* As AWS tells those of users from its own. */
static char *aws_tags_of(const struct cJSON *tags)
{
    struct cJSON *out = json_object_new();

    json_each (tag, tags) {
        auto_free char *name = xasprintf("user_%s", json_name(tag));

        json_set(out, name, json_copy(tag));
    }
    return print(out);
}

static void make_label(const struct usage *usage, const struct usage_label *label,
                       struct usage_line_label *texts)
{
    const struct cJSON *facts = facts_of(usage, label->words.instance_type);

    *texts = (struct usage_line_label){
        .details = details_of(facts, &label->words),
        .aws_product = product_of(facts, &label->words),
        .aws_tags = aws_tags_of(label->tags),
    };
}

static void clear_label(struct usage_line_label *texts)
{
    free(texts->details);
    free(texts->aws_product);
    free(texts->aws_tags);
}

static const struct usage_line_label *texts_of(struct usage_line_maker *maker,
                                               const struct usage_label *label)
{
    for (; maker->label_count <= label->index; maker->label_count++) {
        maker->labels =
            xrealloc(maker->labels, (maker->label_count + 1) * sizeof *maker->labels);
        maker->labels[maker->label_count] = (struct usage_line_label){ 0 };
    }
    if (!maker->labels[label->index].details)
        make_label(maker->usage, label, &maker->labels[label->index]);
    return &maker->labels[label->index];
}

void usage_line_maker_clear(struct usage_line_maker *maker)
{
    for (size_t i = 0; i < maker->label_count; i++)
        clear_label(&maker->labels[i]);
    clear_label(&maker->idle);
    free(maker->labels);
}

/* --- a line --- */

static char *room(struct usage_line *line)
{
    assert(line->rooms_used < USAGE_LINE_ROOMS);
    return line->rooms[line->rooms_used++];
}

static const char *keep(struct usage_line *line, const char *format, ...)
    PRINTF_LIKE(2, 3);
static const char *keep(struct usage_line *line, const char *format, ...)
{
    char *words = room(line);
    va_list args;

    va_start(args, format);
    vsnprintf(words, USAGE_LINE_ROOM_SIZE, format, args);
    va_end(args);
    return words;
}

static void put_time(struct usage_line *line, const struct tm *at, const char **plain,
                     const char **aws)
{
    char words[USAGE_LINE_ROOM_SIZE];

    strftime(words, sizeof words, "%Y-%m-%dT%H:%M:%S", at);
    *plain = keep(line, "%.200sZ", words);
    *aws = keep(line, "%.200s.000Z", words);
}

static struct tm utc(int64_t at_s)
{
    time_t at = at_s;
    struct tm parts = { 0 };

    gmtime_r(&at, &parts);
    return parts;
}

/* Within a day, so within a month. */
static void put_times(struct usage_line *line, int64_t from_s, int64_t to_s)
{
    struct tm from = utc(from_s);
    struct tm to = utc(to_s);
    struct tm month = { .tm_year = from.tm_year, .tm_mon = from.tm_mon, .tm_mday = 1 };

    put_time(line, &from, &line->from, &line->aws_from);
    put_time(line, &to, &line->to, &line->aws_to);
    put_time(line, &month, &line->month_from, &line->aws_month_from);
    month.tm_year += month.tm_mon == 11;
    month.tm_mon = (month.tm_mon + 1) % 12;
    put_time(line, &month, &line->month_to, &line->aws_month_to);
    line->interval = keep(line, "%s/%s", line->from, line->to);
}

static int put_amounts(struct usage_line *line, const struct price_row *price,
                       int64_t seconds, nanousd_t ledger, struct err *err)
{
    char *cost = room(line);

    if (money_hours_cost(price->hourly, seconds, cost, err) < 0)
        return -1;
    line->cost = cost;
    line->seconds = keep(line, "%" PRId64, seconds);
    line->hours = money_hours(seconds, room(line));
    line->hourly = money_format(price->hourly, room(line));
    line->ledger = money_format(ledger, room(line));
    if (strcmp(price->basis, "published") == 0
        && strcmp(line->pricing, "standard") == 0) {
        line->published_hourly = line->hourly;
        line->published_ledger = line->ledger;
    }
    return 0;
}

static void put_label(struct usage_line *line, const struct charge_label *words)
{
    line->instance_type = words->instance_type;
    line->pool = words->pool;
    line->pricing = words->pricing;
    for (size_t i = 0; i < ARRAY_SIZE(pricings); i++)
        if (strcmp(pricings[i].name, words->pricing) == 0) {
            line->focus_category = pricings[i].focus_category;
            line->aws_term = pricings[i].aws_term;
        }
    if (strcmp(words->pricing, "reserved") == 0)
        line->reservation = words->pool;
}

static void put_texts(struct usage_line *line, const struct usage_line_label *texts)
{
    line->details = texts->details;
    line->aws_product = texts->aws_product;
    line->aws_tags = texts->aws_tags;
}

static void put_kind(struct usage_line *line, enum kind kind,
                     const struct price_row *price)
{
    line->kind = kinds[kind].name;
    line->meter = kinds[kind].meter;
    line->sku = keep(line, "%s/%s", line->instance_type, kinds[kind].sku);
    line->sku_price = keep(line, "%s/price-%" PRId64, line->sku, price->seq);
    line->aws_usage_type =
        keep(line, "%s:%s", kinds[kind].aws_usage, line->instance_type);
    line->price_source = price->source;
    line->price_as_of = *price->as_of ? price->as_of : NULL;
    line->price_basis = price->basis;
    line->price_confidence = price->confidence;
}

/* What is charged where nothing else is set up. */
static const char nobody[] = "railhead";

static void put_account(struct usage_line *line, const struct usage *usage)
{
    const struct cJSON *account =
        json_get(json_get(usage->request, "export"), "account");
    const char *id = json_get_text(account, "id");

    line->account_id = id ? id : nobody;
    line->account_name = json_get_text(account, "name");
}

/* --- of a charge --- */

static void put_charge(struct usage_line *line, const struct usage_part *part)
{
    const struct charge *charge = part->charge;

    line->row = keep(line, "%" PRId64, charge->open_seq);
    line->id = keep(line, "%" PRId64 "-%" PRId64, charge->open_seq, part->from_s);
    line->attempt = keep(line, "%d", charge->attempt);
    line->worker = keep(line, "%d", charge->worker);
    line->open = charge->open ? "true" : "false";
    if (charge->busy_permille >= 0)
        line->busy_permille = keep(line, "%d", charge->busy_permille);
    line->emulated = part->label->words.emulated ? "true" : "false";
    line->owner = part->label->words.owner;
    line->scheduler = part->label->words.scheduler;
    line->tags = part->label->words.tags;
    line->reservation_status = line->reservation ? "Used" : NULL;
    line->description = keep(line, "%s of %s, attempt %d, algo-%d%s%s%s", line->meter,
                             line->instance_type, charge->attempt, charge->worker + 1,
                             part->label->words.emulated ? ", emulated" : "",
                             part->price->is_estimate ? ", estimated price" : "",
                             charge->open ? ", still running" : "");
}

static int put_job(struct usage_line *line, struct usage *usage, int64_t job_id,
                   struct err *err)
{
    if (usage_job_name(usage, job_id, &line->job_name, err) < 0)
        return -1;
    line->job_id = usage->job.id;
    line->job_state = usage->job.status;
    line->instances = keep(line, "%d", usage->job.instance_count);
    line->job_arn = keep(line, "arn:railhead:sagemaker::%s:training-job/%s",
                         line->account_id, line->job_name);
    line->resource_type = "Training Job";
    return 0;
}

static void clear_line(struct usage_line *line)
{
    memset(line, 0, offsetof(struct usage_line, rooms));
    line->rooms_used = 0;
}

int usage_line_of_part(struct usage_line_maker *maker, const struct usage_part *part,
                       struct usage_line *line, struct err *err)
{
    const struct charge *charge = part->charge;
    const struct price_row *price = &part->price->words;

    clear_line(line);
    put_account(line, maker->usage);
    put_times(line, part->from_s, part->to_s);
    put_label(line, &part->label->words);
    put_texts(line, texts_of(maker, part->label));
    put_kind(line, charge->kind == INTERVAL_WARM ? KIND_WARM : KIND_RUN, price);
    put_charge(line, part);
    if (put_amounts(line, price, part->seconds, part->cost, err) < 0)
        return -1;
    return put_job(line, maker->usage, charge->job_id, err);
}

/* --- of nobody's --- */

int usage_line_of_idle(struct usage_line_maker *maker,
                       const struct usage_idle_part *part, struct usage_line *line,
                       struct err *err)
{
    const struct usage_label *label = &part->reserved->label;
    const struct price_row *price = &part->reserved->price->words;

    clear_line(line);
    clear_label(&maker->idle);
    make_label(maker->usage, label, &maker->idle);
    put_account(line, maker->usage);
    put_times(line, part->from_s, part->to_s);
    put_label(line, &label->words);
    put_texts(line, &maker->idle);
    put_kind(line, KIND_IDLE, price);
    line->id =
        keep(line, "idle-%" PRId64 "-%" PRId64, part->reserved->seq, part->from_s);
    line->open = "false";
    line->tags = "{}";
    line->reservation_status = "Unused";
    line->description =
        keep(line, "%s of %s%s", line->meter, line->instance_type,
             part->reserved->price->is_estimate ? ", estimated price" : "");
    return put_amounts(line, price, part->seconds, part->cost, err);
}
