/*
 * The report of usage as a page: one file that needs nothing else, to be read, printed
 * and kept.  There is no script in it, and it may load nothing.
 *
 * Decides what is on it; usage_html_*.c make the pieces.
 */

#include "daemon/billing/usage_html.h"

#include "src/clock.h"
#include "src/zone.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- what is reported --- */

/* A date where a day begins, else the second. */
static void add_instant(struct text *out, int64_t at_s)
{
    char words[64];
    struct tm local;
    bool is_date;

    zone_local(at_s, &local);
    is_date = local.tm_hour == 0 && local.tm_min == 0 && local.tm_sec == 0;
    strftime(words, sizeof words, is_date ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S", &local);
    text_puts(out, words);
}

static void add_span(struct text *out, const struct usage_ask *ask)
{
    add_instant(out, ask->from_s);
    text_puts(out, " to ");
    add_instant(out, ask->to_s);
}

static void add_filter(struct text *out, const char *name, const char *value)
{
    if (!value)
        return;
    text_printf(out, " · %s ", name);
    text_puts(out, "<b>");
    html_add(out, value);
    text_puts(out, "</b>");
}

static void add_filters(struct text *out, struct usage *usage)
{
    const struct usage_ask *ask = usage->ask;
    auto_free char *tag =
        ask->tag_key ? xasprintf("%s=%s", ask->tag_key, ask->tag_value) : NULL;

    add_filter(out, "owner", ask->owner);
    add_filter(out, "instance type", ask->instance_type);
    add_filter(out, "pool", ask->pool);
    add_filter(out, "tag", tag);
    add_filter(out, "job", json_get_text(usage->request, "job"));
    if (ask->emulated != USAGE_EMULATED_INCLUDE)
        text_printf(out, " · <b>%s emulated jobs</b>",
                    ask->emulated == USAGE_EMULATED_ONLY ? "only" : "without");
}

static void add_head(struct text *out, struct usage *usage)
{
    text_puts(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\""
             " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
             "<title>Usage and cost, ");
    add_span(out, usage->ask);
    text_puts(out, "</title>\n");
    text_puts(out, usage_html_style);
    text_puts(out, "</head>\n<body>\n<header>\n<h1>Usage and cost</h1>\n<p>");
    add_span(out, usage->ask);
    text_puts(out, " <span class=\"dim\">(the end is not within), ");
    html_add(out, usage->ask->zone);
    add_filters(out, usage);
    text_puts(out, "</span></p>\n</header>\n<main>\n");
}

/* --- the figures that matter most --- */

static void add_tiles(struct text *out, const struct usage_total *total)
{
    text_puts(out, "<dl class=\"tiles\">\n<div class=\"tile\"><dt>Cost, USD</dt><dd>");
    usage_html_cost(out, total);
    text_puts(out, "<small>");
    usage_html_marks(out, total);
    text_puts(out,
              "</small></dd></div>\n<div class=\"tile\"><dt>Instance-hours</dt><dd>");
    usage_html_hours(out, total->shares[USAGE_WHOLE].seconds);
    text_puts(out, "</dd></div>\n<div class=\"tile\"><dt>Jobs</dt><dd>");
    usage_html_count(out, total->jobs);
    text_puts(out, "</dd></div>\n<div class=\"tile\"><dt>Paid time at work</dt><dd>");
    usage_html_busy(out, total);
    if (total->busy_known_seconds < total->shares[USAGE_WHOLE].seconds) {
        text_puts(out, "<small>known of ");
        usage_html_hours(out, total->busy_known_seconds);
        text_puts(out, " hours</small>");
    }
    text_puts(out, "</dd></div>\n</dl>\n");
}

static void add_note(struct text *out, const struct usage_amount *amount,
                     const char *words)
{
    if (amount->seconds == 0)
        return;
    text_puts(out, "<li>");
    usage_html_amount(out, amount->cost);
    text_puts(out, " USD for ");
    usage_html_hours(out, amount->seconds);
    text_printf(out, " instance-hours %s</li>\n", words);
}

static void add_time_note(struct text *out, int64_t seconds, const char *words)
{
    if (seconds == 0)
        return;
    text_puts(out, "<li>");
    usage_html_hours(out, seconds);
    text_printf(out, " instance-hours %s</li>\n", words);
}

/* What a reader would be wrong not to know. */
static void add_notes(struct text *out, const struct usage_total *total)
{
    if (total->shares[USAGE_EMULATED].seconds == 0
        && total->shares[USAGE_ESTIMATED].seconds == 0 && total->unpriced_seconds == 0
        && total->open_seconds == 0 && total->idle.seconds == 0)
        return;
    text_puts(out, "<ul class=\"notes\">\n");
    add_note(out, &total->shares[USAGE_EMULATED],
             "are of emulated jobs: what their types' hardware would have cost for the"
             " time that other hardware took");
    add_note(out, &total->shares[USAGE_ESTIMATED],
             "are estimates: no source states the price");
    add_time_note(out, total->unpriced_seconds,
                  "have no price and are in no amount of this page");
    add_note(out, &total->idle,
             "are of reserved instances that nobody used, and not in the cost above");
    add_time_note(out, total->open_seconds, "are of what still runs, up to now");
    text_puts(out, "</ul>\n");
}

/* --- over time --- */

enum {
    COLUMNS_MAX = 62 /* two months of days */
};

/* The shortest unit that leaves columns that can be told apart. */
static struct usage_key unit_of(const struct usage_ask *ask)
{
    const int64_t days = (ask->to_s - ask->from_s) / 86400;

    if (days <= COLUMNS_MAX)
        return (struct usage_key){ .kind = USAGE_DAY, .name = "day" };
    if (days / 7 <= COLUMNS_MAX)
        return (struct usage_key){ .kind = USAGE_WEEK, .name = "week" };
    return (struct usage_key){ .kind = USAGE_MONTH, .name = "month" };
}

static const char *column_name(const struct usage_span *span, enum usage_key_kind unit)
{
    if (unit == USAGE_DAY)
        return span->day;
    return unit == USAGE_WEEK ? span->week : span->month;
}

enum cost_series {
    COST_STANDARD, /* and free */
    COST_SPOT,
    COST_RESERVED,
    COST_WARM,
    COST_UNUSED
};

static const struct usage_series cost_series[USAGE_CHART_SERIES] = {
    [COST_STANDARD] = { "standard", "s0" },
    [COST_SPOT] = { "spot", "s1" },
    [COST_RESERVED] = { "reserved", "s2" },
    [COST_WARM] = { "warm pools", "s3" },
    [COST_UNUSED] = { "besides: reserved, unused", "s5" },
};

enum time_series {
    TIME_WORKED,
    TIME_WAITED,
    TIME_UNKNOWN,
    TIME_UNUSED
};

static const struct usage_series time_series[USAGE_CHART_SERIES] = {
    [TIME_WORKED] = { "at work", "s2" },
    [TIME_WAITED] = { "not at work", "s1" },
    [TIME_UNKNOWN] = { "not known", "s4" },
    [TIME_UNUSED] = { "besides: reserved, unused", "s5" },
};

static enum cost_series series_of(const char *pricing)
{
    if (strcmp(pricing, usage_share_name(USAGE_SPOT)) == 0)
        return COST_SPOT;
    return strcmp(pricing, usage_share_name(USAGE_RESERVED)) == 0 ? COST_RESERVED
                                                                  : COST_STANDARD;
}

/* Instance-hours in units of 10^-9, from thousandths of a second. */
static int64_t nano_hours(int64_t milliseconds)
{
    return (int64_t)((__int128)milliseconds * 1000000 / 3600);
}

static void add_cost(int64_t cost[USAGE_CHART_SERIES], const struct usage_total *total,
                     const char *pricing)
{
    nanousd_t warm = total->shares[USAGE_WARM].cost;

    cost[series_of(pricing)] += total->shares[USAGE_WHOLE].cost - warm;
    cost[COST_WARM] += warm;
    cost[COST_UNUSED] += total->idle.cost;
}

static void add_hours(int64_t time[USAGE_CHART_SERIES], const struct usage_total *total)
{
    int64_t known = total->busy_known_seconds;

    time[TIME_WORKED] += nano_hours(total->busy_permille_seconds);
    time[TIME_WAITED] += nano_hours(known * 1000 - total->busy_permille_seconds);
    time[TIME_UNKNOWN] +=
        nano_hours((total->shares[USAGE_WHOLE].seconds - known) * 1000);
    time[TIME_UNUSED] += nano_hours(total->idle.seconds * 1000);
}

static void add_chart(struct text *out, const struct usage_sums *sums,
                      struct usage_chart *chart,
                      const struct usage_series series[USAGE_CHART_SERIES])
{
    const char **names = xcalloc(sums->spans.count, sizeof *names);

    for (size_t i = 0; i < sums->spans.count; i++)
        names[i] = column_name(&sums->spans.items[i], sums->keys[0].kind);
    memcpy(chart->series, series, sizeof chart->series);
    chart->columns = names;
    chart->count = sums->spans.count;
    usage_html_chart(out, chart);
    free(names);
}

/* Of sums by a unit of time and by pricing. */
static void add_charts(struct text *out, const struct usage_sums *sums)
{
    struct usage_chart cost = { .id = "cost", .title = "Cost, USD", .unit = "USD" };
    struct usage_chart time = { .id = "time",
                                .title = "Paid time, instance-hours",
                                .unit = "instance-hours" };

    cost.values = xcalloc(sums->spans.count, sizeof *cost.values);
    time.values = xcalloc(sums->spans.count, sizeof *time.values);
    for (size_t i = 0; i < sums->row_count; i++) {
        const struct usage_row *row = &sums->rows[i];
        char room[MONEY_TEXT_SIZE];

        add_cost(cost.values[row->span], &row->total,
                 usage_row_value(sums, row, 1, room));
        add_hours(time.values[row->span], &row->total);
    }
    text_printf(out, "<h2>By %s</h2>\n", sums->keys[0].name);
    add_chart(out, sums, &cost, cost_series);
    add_chart(out, sums, &time, time_series);
    free(cost.values);
    free(time.values);
}

static int add_time(struct text *out, struct usage *usage, struct err *err)
{
    const struct usage_key keys[] = { unit_of(usage->ask),
                                      { .kind = USAGE_PRICING, .name = "pricing" } };
    struct usage_sums sums;
    int result = usage_sum(usage, keys, ARRAY_SIZE(keys), &sums, err);

    if (result == 0)
        add_charts(out, &sums);
    usage_sums_clear(&sums);
    return result;
}

/* --- by what --- */

static const struct {
    struct usage_key key;
    const char *title;
} rankings[] = {
    { { USAGE_TAG, "project", "project" }, "Projects" },
    { { USAGE_OWNER, "owner", NULL }, "Owners" },
    { { USAGE_INSTANCE_TYPE, "instance type", NULL }, "Instance types" },
};

static int add_rankings(struct text *out, struct usage *usage,
                        const struct usage_total *total, struct err *err)
{
    text_puts(out, "<h2>Where it went</h2>\n");
    usage_html_legend(out, total);
    for (size_t i = 0; i < ARRAY_SIZE(rankings); i++) {
        struct usage_sums sums;
        int result = usage_sum(usage, &rankings[i].key, 1, &sums, err);

        if (result == 0)
            usage_html_ranking(out, &sums, rankings[i].title);
        usage_sums_clear(&sums);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* --- the page --- */

static void add_foot(struct text *out, const struct usage *usage)
{
    char now[TIME_TEXT_SIZE];

    text_puts(out,
              "</main>\n<footer class=\"foot\">\n"
              "<p>Amounts are rounded for this page, each by itself, so what is shown"
              " may not add up to the last digit; the exact ones are in the other"
              " forms of the report, and add up.</p>\n<p>Made ");
    text_printf(out, "%.16sZ", time_format(clock_wall(), now));
    if (*usage->book.head)
        text_printf(
            out,
            " from the ledger up to row %" PRId64
            ". Whether it still has that row is told by <code>jobctl bill verify"
            " --against %" PRId64 ":%s</code>.",
            usage->book.seq_count - 1, usage->book.seq_count - 1, usage->book.head);
    else
        text_puts(out, " from a ledger without rows.");
    text_puts(out, "</p>\n</footer>\n</body>\n</html>\n");
}

static int add_body(struct text *out, struct usage *usage,
                    const struct usage_sums *sums, struct err *err)
{
    add_head(out, usage);
    add_tiles(out, &sums->total);
    add_notes(out, &sums->total);
    if (sums->row_count == 0)
        text_puts(out, "<p>Nothing was charged in this time.</p>\n");
    else if (add_time(out, usage, err) < 0
             || add_rankings(out, usage, &sums->total, err) < 0)
        return -1;
    if (sums->row_count > 0)
        usage_html_rows(out, sums);
    add_foot(out, usage);
    return 0;
}

int usage_write_html(struct usage *usage, FILE *out, struct err *err)
{
    auto_text struct text page = { 0 };
    struct usage_sums sums;
    int result = usage_sum(usage, usage->ask->keys, usage->ask->key_count, &sums, err);

    if (result == 0)
        result = add_body(&page, usage, &sums, err);
    if (result == 0)
        fwrite(page.bytes, 1, page.len, out);
    usage_sums_clear(&sums);
    return result;
}
