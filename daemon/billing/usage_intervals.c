/* The charges that a report is made of, as lines of JSON: all that it takes to compute
 * it again elsewhere. */

#include "daemon/billing/usage.h"
#include "src/clock.h"

struct writer {
    struct usage *usage;
    FILE *out;
};

static void set_money(struct cJSON *line, const char *name, nanousd_t amount)
{
    char words[MONEY_TEXT_SIZE];

    json_set_text(line, name, money_format(amount, words));
}

static void set_instant(struct cJSON *line, const char *name, int64_t at_s)
{
    char words[TIME_TEXT_SIZE];

    json_set_text(line, name, time_format(at_s * USEC_PER_SEC, words));
}

static void set_label(struct cJSON *line, const struct usage_label *label)
{
    json_set_text(line, "owner", label->words.owner);
    json_set_text(line, "instance_type", label->words.instance_type);
    json_set_text(line, "pool", label->words.pool);
    json_set_text(line, "pricing", label->words.pricing);
    json_set_text(line, "scheduler", label->words.scheduler);
    json_set_bool(line, "emulated", label->words.emulated);
    json_set(line, "tags", json_copy(label->tags));
}

static struct cJSON *price_of(const struct usage_price *price)
{
    struct cJSON *json;

    if (!price)
        return json_null_new();
    json = json_object_new();
    set_money(json, "usd_per_hour", price->words.hourly);
    json_set_text(json, "source", price->words.source);
    json_set_text(json, "basis", price->words.basis);
    json_set_text(json, "confidence", price->words.confidence);
    json_set_text(json, "as_of", *price->words.as_of ? price->words.as_of : NULL);
    return json;
}

static void set_charge(struct cJSON *line, const struct charge *charge)
{
    json_set_int(line, "row", charge->open_seq);
    json_set_text(line, "kind", charge->kind == INTERVAL_WARM ? "warm" : "run");
    json_set_int(line, "attempt", charge->attempt);
    json_set_int(line, "worker", charge->worker);
    set_instant(line, "start", charge->start_s);
    json_set_int(line, "seconds", charge->seconds);
    json_set_int(line, "base", charge->base);
    json_set_bool(line, "open", charge->open);
    if (charge->busy_permille >= 0)
        json_set_int(line, "busy_permille", charge->busy_permille);
    else
        json_set_null(line, "busy_permille");
}

static int write_part(void *context, const struct usage_part *part, struct err *err)
{
    const struct writer *writer = context;
    auto_json struct cJSON *line = json_object_new();
    auto_free char *words = NULL;
    const char *name;

    if (usage_job_name(writer->usage, part->charge->job_id, &name, err) < 0)
        return -1;
    json_set_text(line, "job", name);
    set_charge(line, part->charge);
    json_set(line, "price", price_of(part->price));
    set_label(line, part->label);
    /* What of it is within the report. */
    set_instant(line, "from", part->from_s);
    set_instant(line, "to", part->to_s);
    if (part->price)
        set_money(line, "cost_usd", part->cost);
    else
        json_set_null(line, "cost_usd");
    words = json_print(line);
    fprintf(writer->out, "%s\n", words);
    return 0;
}

int usage_write_intervals(struct usage *usage, FILE *out, struct err *err)
{
    struct writer writer = { usage, out };
    struct usage_spans spans = { 0 };
    int result = usage_spans_make(usage->ask->from_s, usage->ask->to_s,
                                  &(struct usage_units){ 0 }, &spans, err);

    if (result == 0)
        result = usage_each_part(usage, &spans, NULL, write_part, &writer, err);
    usage_spans_clear(&spans);
    return result;
}
