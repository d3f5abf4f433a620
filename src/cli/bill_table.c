/* The report of usage as a table.  Decides which columns there is something to say in,
 * and what has to be said about the amounts. */

#include "src/cli/bill.h"
#include "src/cli/figure.h"
#include "src/cli/print.h"
#include "src/cli/table.h"
#include "src/clock.h"
#include "src/money.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What is told apart, when there is any of it. */
static const struct {
    const char *member;
    const char *title;
    const char *note;
} shares[] = {
    { "emulated", "EMULATED",
      "of jobs that ran on other hardware than their type's: what the time they took here"
      " would cost at its price" },
    { "estimated", "ESTIMATED", "at prices of low confidence: an estimate" },
    { "spot", "SPOT", NULL },
    { "reserved", "RESERVED", NULL },
    { "warm", "WARM", "of instances that were held for a next job (keep_alive)" },
    { "idle_reserved", "IDLE",
      "of reserved instances that nobody used: comes on top of the cost" },
};

enum {
    FIXED_COLUMNS = 5,
    COLUMNS_MAX = 32
};

struct view {
    const struct cJSON *report;
    struct table_column columns[COLUMNS_MAX];
    size_t count;
    bool shows[ARRAY_SIZE(shares)];
    bool shows_unpriced;
    char *titles[COLUMNS_MAX]; /* of the keys */
    size_t key_count;
};

static int64_t seconds_of(const struct cJSON *total, const char *member)
{
    return json_get_int(json_get(total, member), "instance_seconds", 0);
}

static void add_column(struct view *view, const char *title, bool right)
{
    if (view->count < COLUMNS_MAX)
        view->columns[view->count++] = (struct table_column){ title, right };
}

/* A key as a title: "instance_type" as "INSTANCE TYPE". */
static char *title_of(const char *key)
{
    char *title = xstrdup(key);

    for (char *at = title; *at; at++)
        *at = (char)(*at == '_' ? ' ' : toupper((unsigned char)*at));
    return title;
}

static void choose_columns(struct view *view)
{
    const struct cJSON *total = json_get(view->report, "total");

    json_each (key, json_get(view->report, "by")) {
        view->titles[view->key_count] = title_of(json_text(key) ? json_text(key) : "?");
        add_column(view, view->titles[view->key_count++], false);
    }
    add_column(view, "JOBS", true);
    add_column(view, "INSTANCE TIME", true);
    add_column(view, "BUSY", true);
    add_column(view, "COST", true);
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        view->shows[i] = seconds_of(total, shares[i].member) != 0;
        if (view->shows[i])
            add_column(view, shares[i].title, true);
    }
    view->shows_unpriced = json_get_int(total, "unpriced_instance_seconds", 0) > 0;
    if (view->shows_unpriced)
        add_column(view, "NO PRICE", true);
}

static void add_time(struct table *table, int64_t seconds)
{
    char words[TIME_TEXT_SIZE];

    duration_format(seconds, words);
    table_cell(table, seconds ? words : NULL);
}

/* "$12.35"; "-" for what has no price. */
static void add_money(struct table *table, const char *usd)
{
    char words[MONEY_TEXT_SIZE];
    nanousd_t amount;
    bool is_negative = usd && *usd == '-';

    if (!usd || money_parse(usd + is_negative, &amount, NULL) < 0)
        table_cell(table, NULL);
    else
        table_cellf(table, "%s$%s", is_negative ? "-" : "",
                    money_format_short(amount, words));
}

static void add_amounts(const struct view *view, struct table *table,
                        const struct cJSON *total)
{
    const char *busy = json_get_text(json_get(total, "busy"), "percent");

    table_cellf(table, "%lld", (long long)json_get_int(total, "jobs", 0));
    add_time(table, json_get_int(total, "instance_seconds", 0));
    table_cellf(table, "%s%s", busy ? busy : "-", busy ? " %" : "");
    add_money(table, json_get_text(total, "cost_usd"));
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        if (!view->shows[i])
            continue;
        if (seconds_of(total, shares[i].member))
            add_money(table,
                      json_get_text(json_get(total, shares[i].member), "cost_usd"));
        else
            table_cell(table, NULL);
    }
    if (view->shows_unpriced)
        add_time(table, json_get_int(total, "unpriced_instance_seconds", 0));
}

static void add_rows(const struct view *view, struct table *table)
{
    if (view->key_count) { /* else the only row is the total, where there is any */
        json_each (row, json_get(view->report, "rows")) {
            json_each (value, json_get(row, "group"))
                table_cell(table, json_text(value));
            add_amounts(view, table, row);
        }
        table_cell(table, "TOTAL");
    }
    for (size_t i = 1; i < view->key_count; i++)
        table_cell(table, " ");
    add_amounts(view, table, json_get(view->report, "total"));
}

static void add_notes(const struct view *view, struct text *out)
{
    const struct cJSON *total = json_get(view->report, "total");

    for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
        if (view->shows[i] && shares[i].note)
            text_printf(out, "%s: %s\n", shares[i].title, shares[i].note);
    if (view->shows_unpriced)
        text_puts(out, "NO PRICE: time of instances that have no price;"
                       " it is in no amount\n");
    if (json_get_int(total, "open_instance_seconds", 0) > 0)
        text_puts(out, "Some of it still runs and is counted up to now.\n");
}

void bill_table(const struct cJSON *report, struct text *out)
{
    struct view view = { .report = report };
    auto_table struct table *table = NULL;
    char from[32], to[32];

    choose_columns(&view);
    table = table_new(view.columns, view.count);
    add_rows(&view, table);
    text_printf(out, "From %s to %s, days of %s\n\n",
                print_time(json_get_text(report, "from"), from),
                print_time(json_get_text(report, "to"), to),
                json_get_text(report, "tz"));
    table_print(table, out);
    text_puts(out, "\n");
    add_notes(&view, out);
    for (size_t i = 0; i < view.key_count; i++)
        free(view.titles[i]);
}
