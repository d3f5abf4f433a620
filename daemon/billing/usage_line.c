/*
 * What can be told of a part of a charge, as text, and the lines that tell it.  Which
 * of it a form has is decided by the form's table of columns.
 */

#include "daemon/billing/usage_line.h"

#include "src/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is said of all charges with one label. */
struct label_texts {
    char *details;
    char *aws_product;
    char *aws_tags;
};

struct writer {
    struct usage *usage;
    const struct usage_column *columns;
    size_t column_count;
    struct label_texts *labels; /* by index, as usage->book has them */
    size_t label_count;
    FILE *out;
    struct text text; /* of a line */
};

/* What each kind of interval is called.  A meter and a SKU belong together for good. */
static const struct {
    const char *name;
    const char *meter;
    const char *sku;
    const char *words;
} kinds[] = {
    [INTERVAL_RUN] = { "run", "Training instance time", "training", "Training" },
    [INTERVAL_WARM] = { "warm", "Warm pool instance time", "warm-pool", "Warm pool" },
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

/* Facts of the catalog, when the question brings them. */
static const struct cJSON *facts_of(const struct usage *usage, const char *type)
{
    return json_get(json_get(usage->request, "instance_types"), type);
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

static const struct label_texts *texts_of(struct writer *writer,
                                          const struct usage_label *label)
{
    struct label_texts *texts;
    const struct cJSON *facts;

    for (; writer->label_count <= label->index; writer->label_count++) {
        writer->labels = xrealloc(writer->labels,
                                  (writer->label_count + 1) * sizeof *writer->labels);
        writer->labels[writer->label_count] = (struct label_texts){ 0 };
    }
    texts = &writer->labels[label->index];
    if (texts->details)
        return texts;
    facts = facts_of(writer->usage, label->words.instance_type);
    texts->details = details_of(facts, &label->words);
    texts->aws_product = product_of(facts, &label->words);
    texts->aws_tags = aws_tags_of(label->tags);
    return texts;
}

static void clear_labels(struct writer *writer)
{
    for (size_t i = 0; i < writer->label_count; i++) {
        free(writer->labels[i].details);
        free(writer->labels[i].aws_product);
        free(writer->labels[i].aws_tags);
    }
    free(writer->labels);
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

static void put_times(struct usage_line *line, const struct usage_part *part)
{
    struct tm from = utc(part->from_s);
    struct tm to = utc(part->to_s);
    struct tm month = { .tm_year = from.tm_year, .tm_mon = from.tm_mon, .tm_mday = 1 };

    put_time(line, &from, &line->from, &line->aws_from);
    put_time(line, &to, &line->to, &line->aws_to);
    put_time(line, &month, &line->month_from, &line->aws_month_from);
    month.tm_year += month.tm_mon == 11;
    month.tm_mon = (month.tm_mon + 1) % 12;
    put_time(line, &month, &line->month_to, &line->aws_month_to);
    line->interval = keep(line, "%s/%s", line->from, line->to);
}

static int put_amounts(struct usage_line *line, const struct usage_part *part,
                       struct err *err)
{
    nanousd_t hourly = part->price->words.hourly;
    char *cost = room(line);

    if (money_hours_cost(hourly, part->seconds, cost, err) < 0)
        return -1;
    line->cost = cost;
    line->seconds = keep(line, "%" PRId64, part->seconds);
    line->hours = money_hours(part->seconds, room(line));
    line->hourly = money_format(hourly, room(line));
    line->ledger = money_format(part->cost, room(line));
    if (strcmp(part->price->words.basis, "published") == 0
        && strcmp(part->label->words.pricing, "standard") == 0) {
        line->published_hourly = line->hourly;
        line->published_ledger = line->ledger;
    }
    return 0;
}

static void put_label(struct usage_line *line, const struct charge_label *words)
{
    line->owner = words->owner;
    line->instance_type = words->instance_type;
    line->pool = words->pool;
    line->scheduler = words->scheduler;
    line->tags = words->tags;
    line->emulated = words->emulated ? "true" : "false";
    line->pricing = words->pricing;
    for (size_t i = 0; i < ARRAY_SIZE(pricings); i++)
        if (strcmp(pricings[i].name, words->pricing) == 0) {
            line->focus_category = pricings[i].focus_category;
            line->aws_term = pricings[i].aws_term;
        }
    if (strcmp(words->pricing, "reserved") == 0) {
        line->reservation = words->pool;
        line->reservation_status = "Used";
    }
}

static void put_price(struct usage_line *line, const struct price_row *price)
{
    line->price_source = price->source;
    line->price_as_of = price->as_of;
    line->price_basis = price->basis;
    line->price_confidence = price->confidence;
}

static void put_thing(struct usage_line *line, const struct usage_part *part)
{
    const struct charge *charge = part->charge;
    const char *type = part->label->words.instance_type;

    line->row = keep(line, "%" PRId64, charge->open_seq);
    line->id = keep(line, "%" PRId64 "-%" PRId64, charge->open_seq, part->from_s);
    line->attempt = keep(line, "%d", charge->attempt);
    line->worker = keep(line, "%d", charge->worker);
    line->kind = kinds[charge->kind].name;
    line->meter = kinds[charge->kind].meter;
    line->sku = keep(line, "%s/%s", type, kinds[charge->kind].sku);
    line->sku_price = keep(line, "%s/price-%" PRId64, line->sku, charge->price);
    line->aws_usage_type = keep(line, "Train:%s", type);
    line->open = charge->open ? "true" : "false";
    if (charge->busy_permille >= 0)
        line->busy_permille = keep(line, "%d", charge->busy_permille);
    line->description =
        keep(line, "%s: %s, attempt %d, instance %d%s%s%s", kinds[charge->kind].words,
             type, charge->attempt, charge->worker + 1,
             part->label->words.emulated ? ", emulated" : "",
             part->price->is_estimate ? ", estimated price" : "",
             charge->open ? ", still running" : "");
}

static int put_job(struct usage_line *line, struct writer *writer, int64_t job_id,
                   struct err *err)
{
    struct usage *usage = writer->usage;
    const struct cJSON *account = json_get(usage->request, "account");

    line->account_id = json_get_text(account, "id");
    if (!line->account_id)
        line->account_id = "railhead";
    line->account_name = json_get_text(account, "name");
    if (usage_job_name(usage, job_id, &line->job_name, err) < 0)
        return -1;
    line->job_id = usage->job.id;
    line->job_arn = keep(line, "arn:railhead:sagemaker::%s:training-job/%s",
                         line->account_id, line->job_name);
    return 0;
}

static int make_line(struct writer *writer, const struct usage_part *part,
                     struct usage_line *line, struct err *err)
{
    const struct label_texts *texts = texts_of(writer, part->label);

    line->details = texts->details;
    line->aws_product = texts->aws_product;
    line->aws_tags = texts->aws_tags;
    put_times(line, part);
    put_label(line, &part->label->words);
    put_price(line, &part->price->words);
    put_thing(line, part);
    if (put_amounts(line, part, err) < 0)
        return -1;
    return put_job(line, writer, part->charge->job_id, err);
}

/* --- lines --- */

static void add_column(struct text *text, const struct usage_column *column,
                       const struct usage_line *line)
{
    const char *words = column->same;

    if (!words)
        memcpy(&words, (const char *)line + column->at, sizeof words);
    if (column->is_words)
        csv_add_words(text, words);
    else
        csv_add(text, words);
}

static void write_text(struct writer *writer)
{
    csv_end(&writer->text);
    fwrite(writer->text.bytes, 1, writer->text.len, writer->out);
    writer->text.len = 0;
}

static int write_line(void *context, const struct usage_part *part, struct err *err)
{
    struct writer *writer = context;
    struct usage_line line;

    if (!part->price || part->seconds == 0)
        return 0;
    memset(&line, 0, offsetof(struct usage_line, rooms));
    line.rooms_used = 0;
    if (make_line(writer, part, &line, err) < 0)
        return -1;
    for (size_t i = 0; i < writer->column_count; i++)
        add_column(&writer->text, &writer->columns[i], &line);
    write_text(writer);
    return 0;
}

static int write_all(struct writer *writer, struct err *err)
{
    const struct usage_ask *ask = writer->usage->ask;
    struct usage_spans days = { 0 };
    int result;

    if (usage_spans_make(ask->from_s, ask->to_s,
                         &(struct usage_units){ .days = true, .utc = true }, &days, err)
        < 0)
        return -1;
    for (size_t i = 0; i < writer->column_count; i++)
        csv_add(&writer->text, writer->columns[i].name);
    write_text(writer);
    result = usage_each_part(writer->usage, &days, write_line, writer, err);
    usage_spans_clear(&days);
    return result;
}

int usage_write_lines(struct usage *usage, const struct usage_column *columns,
                      size_t count, FILE *out, struct err *err)
{
    struct writer writer = {
        .usage = usage,
        .columns = columns,
        .column_count = count,
        .out = out,
    };
    int result = write_all(&writer, err);

    clear_labels(&writer);
    text_clear(&writer.text);
    return result;
}
