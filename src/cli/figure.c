/* The figure block.  Decides words; every number in it is the server's own, digit by
 * digit. */

#include "src/cli/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PARAGRAPH_WIDTH = 90
};

const char *figure_words(const struct cJSON *value)
{
    if (!value)
        return NULL;
    return json_text(value) ? json_text(value) : json_number(value);
}

static const char *member(const struct cJSON *object, const char *name)
{
    return figure_words(json_get(object, name));
}

void figure_row(struct text *out, const char *label, const char *format, ...)
{
    auto_free char *words = NULL;
    va_list args;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    text_printf(out, "  %-16s %s\n", label, words);
}

/* How much of it goes into one line: up to a line feed, or to the last blank that
 * fits; a word that is longer stays whole. */
static size_t line_of(const char *words)
{
    size_t len = strcspn(words, "\n");
    size_t cut = PARAGRAPH_WIDTH;

    if (len <= PARAGRAPH_WIDTH)
        return len;
    while (cut > 0 && words[cut] != ' ')
        cut--;
    return cut ? cut : strcspn(words, " \n");
}

void figure_paragraph(struct text *out, const char *label, const char *words)
{
    do {
        size_t len = line_of(words);

        figure_row(out, label, "%.*s", (int)len, words);
        label = "";
        words += len + (words[len] != '\0');
    } while (*words);
}

void figure_price(const struct cJSON *price, struct text *out)
{
    const char *hourly = member(price, "usd_per_hour");
    const char *source = member(price, "source");
    const char *confidence = member(price, "confidence");
    const char *as_of = member(price, "as_of");

    if (!hourly) {
        text_puts(out, "unpriced");
        return;
    }
    text_printf(out, "$%s per instance-hour", hourly);
    if (source)
        text_printf(out, " (%s", source);
    if (source && confidence)
        text_printf(out, ", %s confidence", confidence);
    if (source && as_of)
        text_printf(out, ", as of %s", as_of);
    if (source)
        text_puts(out, ")");
    if (confidence && strcmp(confidence, "low") == 0)
        text_puts(out, ", an estimate");
}

/* One that was lost is billed for less than the others. */
static bool is_shared_evenly(const struct cJSON *job)
{
    int64_t each = json_get_int(job, "billable_seconds", 0);

    return json_get_int(job, "instance_seconds", 0)
           == each * json_get_int(job, "instance_count", 1);
}

static void add_money(const struct cJSON *job, struct text *out)
{
    auto_text struct text price = { 0 };
    const char *billable = member(job, "billable_seconds");
    const char *in_all = member(job, "instance_seconds");
    const char *cost = member(job, "cost_usd");
    int64_t unpriced = json_get_int(job, "unpriced_instance_seconds", 0);
    bool has_run = json_text(json_get(job, "training_start_time")) != NULL;

    if (billable && in_all && has_run)
        figure_row(out, "billable", "%s%s s on each instance, %s instance-seconds",
                   is_shared_evenly(job) ? "" : "up to ", billable, in_all);
    else
        figure_row(out, "billable", "none: it has not run");
    figure_price(json_get(job, "price"), &price);
    figure_row(out, "price", "%s", price.bytes);
    if (cost && unpriced)
        figure_row(out, "cost", "$%s, and %" PRId64 " instance-seconds without a price",
                   cost, unpriced);
    else if (cost)
        figure_row(out, "cost", "$%s", cost);
    else
        figure_row(out, "cost", "none: %s",
                   has_run ? "the instance type has no price" : "it has not run");
}

static void add_work(const struct cJSON *figure, struct text *out)
{
    const char *why = json_get_text(figure, "unavailable");
    const char *work = member(figure, "work");
    const char *unit = member(figure, "unit");
    const char *per_second = member(figure, "per_second");
    const char *per_usd = member(figure, "per_usd");
    const char *per_million = member(figure, "usd_per_million");

    if (!unit)
        unit = "units";
    if (work)
        figure_row(out, "work", "%s %s", work, unit);
    if (per_second)
        figure_row(out, "throughput", "%s %s per second", per_second, unit);
    if (per_usd)
        figure_row(out, "work per dollar", "%s %s per dollar", per_usd, unit);
    if (per_million)
        figure_row(out, "dollars for work", "$%s per million %s", per_million, unit);
    if (why)
        figure_row(out, "not available", "%s", why);
    else if (!work)
        figure_row(out, "work", "none: the spec names no work");
}

static void add_objective(const struct cJSON *objective, struct text *out)
{
    const char *metric = member(objective, "metric");
    const char *value = member(objective, "value");
    const char *target = member(objective, "target");

    if (!metric)
        return;
    if (!value)
        figure_row(out, "objective", "%s never appeared in the log", metric);
    else if (!target)
        figure_row(out, "objective", "%s = %s", metric, value);
    else
        figure_row(out, "objective", "%s = %s, target %s %s", metric, value, target,
                   json_get_bool(objective, "reached") ? "reached" : "missed");
}

void figure_add(const struct cJSON *job, struct text *out)
{
    const char *type = member(job, "instance_type");
    const char *count = member(job, "instance_count");

    figure_row(out, "instances", "%s x %s", count ? count : "?", type ? type : "?");
    add_money(job, out);
    add_work(json_get(job, "price_performance"), out);
    add_objective(json_get(json_get(job, "price_performance"), "objective"), out);
    if (json_get_bool(job, "emulated"))
        figure_row(
            out, "emulated",
            "ran on this host standing in for %s: the seconds are this host's, the price is that type's",
            type ? type : "its instance type");
}
