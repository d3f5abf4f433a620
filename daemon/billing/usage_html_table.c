/* Tables of the page.  Decides which columns a table has: shares of the whole that are
 * nothing throughout have none. */

#include "daemon/billing/usage_html.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    RANKS_MAX = 10,
    ROWS_MAX = 1000,
    BAR_WIDTH = 1000
};

/* --- what a row is of --- */

static void add_value(struct text *out, const struct usage_sums *sums,
                      const struct usage_row *row, size_t key)
{
    char room[MONEY_TEXT_SIZE];
    const char *value = usage_row_value(sums, row, key, room);

    if (value && *value)
        html_add(out, value);
    else
        text_puts(out, value ? "<span class=\"dim\">(empty)</span>"
                             : "<span class=\"dim\">(none)</span>");
}

/* --- the largest --- */

static int by_cost(const void *left_row, const void *right_row)
{
    const struct usage_row *const *left = left_row;
    const struct usage_row *const *right = right_row;
    const struct usage_amount *a = &(*left)->total.shares[USAGE_WHOLE];
    const struct usage_amount *b = &(*right)->total.shares[USAGE_WHOLE];

    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    return *left < *right ? -1 : 1; /* as they are sorted in the report */
}

static void add_bar(struct text *out, nanousd_t cost, nanousd_t largest)
{
    double width = largest > 0 ? BAR_WIDTH * ((double)cost / (double)largest) : 0;

    text_printf(out,
                "<td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 %d 10\""
                " preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                "<rect class=\"s0\" width=\"%.1f\" height=\"10\"/></svg></td>",
                BAR_WIDTH, width);
}

static void add_share(struct text *out, nanousd_t cost, nanousd_t whole)
{
    __int128 permille = whole > 0 ? ((__int128)cost * 1000 + whole / 2) / whole : 0;

    text_printf(out, "<td class=\"n\">%d.%d %%</td>", (int)(permille / 10),
                (int)(permille % 10));
}

static void add_rank(struct text *out, const struct usage_sums *sums,
                     const struct usage_row *row, nanousd_t largest)
{
    nanousd_t cost = row->total.shares[USAGE_WHOLE].cost;

    text_puts(out, "<tr><th scope=\"row\">");
    add_value(out, sums, row, 0);
    text_puts(out, "</th>");
    add_bar(out, cost, largest);
    text_puts(out, "<td class=\"n\">");
    usage_html_marks(out, &row->total);
    usage_html_cost(out, &row->total);
    text_puts(out, "</td>");
    add_share(out, cost, sums->total.shares[USAGE_WHOLE].cost);
    text_puts(out, "<td class=\"n\">");
    usage_html_hours(out, row->total.shares[USAGE_WHOLE].seconds);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_busy(out, &row->total);
    text_puts(out, "</td></tr>\n");
}

/* Of what is in no row of its own. */
static void add_others(struct text *out, const struct usage_row *const *rows,
                       size_t count, const struct usage_sums *sums, nanousd_t largest)
{
    struct usage_amount others = { 0 };

    for (size_t i = 0; i < count; i++) {
        others.seconds += rows[i]->total.shares[USAGE_WHOLE].seconds;
        others.cost += rows[i]->total.shares[USAGE_WHOLE].cost;
    }
    text_printf(out, "<tr><th scope=\"row\"><span class=\"dim\">%zu others</span></th>",
                count);
    add_bar(out, others.cost, largest > others.cost ? largest : others.cost);
    text_puts(out, "<td class=\"n\">");
    usage_html_amount(out, others.cost);
    text_puts(out, "</td>");
    add_share(out, others.cost, sums->total.shares[USAGE_WHOLE].cost);
    text_puts(out, "<td class=\"n\">");
    usage_html_hours(out, others.seconds);
    text_puts(out, "</td><td></td></tr>\n");
}

void usage_html_ranking(struct text *out, const struct usage_sums *sums,
                        const char *title)
{
    const struct usage_row **rows = xcalloc(sums->row_count + 1, sizeof *rows);
    size_t used = 0, count;
    nanousd_t largest;

    for (size_t i = 0; i < sums->row_count; i++)
        if (sums->rows[i].total.shares[USAGE_WHOLE].seconds > 0)
            rows[used++] = &sums->rows[i];
    qsort(rows, used, sizeof *rows, by_cost);
    count = used < RANKS_MAX ? used : RANKS_MAX;
    largest = count > 0 ? rows[0]->total.shares[USAGE_WHOLE].cost : 0;
    text_printf(
        out,
        "<table class=\"rank\">\n<caption>%s</caption>\n<thead><tr><th scope=\"col\">%s</th>"
        "<th></th><th scope=\"col\" class=\"n\">Cost, USD</th>"
        "<th scope=\"col\" class=\"n\">Share</th>"
        "<th scope=\"col\" class=\"n\">Instance-hours</th>"
        "<th scope=\"col\" class=\"n\">At work</th></tr></thead>\n<tbody>\n",
        title, sums->keys[0].name);
    for (size_t i = 0; i < count; i++)
        add_rank(out, sums, rows[i], largest);
    if (count < used)
        add_others(out, rows + count, used - count, sums, largest);
    text_puts(out, "</tbody>\n</table>\n");
    free(rows);
}

/* --- all --- */

/* What a table may have besides its keys. */
static void add_heads(struct text *out, const struct usage_total *total)
{
    static const char *const shares[USAGE_SHARES] = {
        [USAGE_EMULATED] = "of it emulated", [USAGE_SPOT] = "spot",
        [USAGE_RESERVED] = "reserved",       [USAGE_FREE] = "free, hours",
        [USAGE_WARM] = "warm pool",          [USAGE_ESTIMATED] = "estimated",
    };

    text_puts(out, "<th scope=\"col\" class=\"n\">Jobs</th>"
                   "<th scope=\"col\" class=\"n\">Instance-hours</th>"
                   "<th scope=\"col\" class=\"n\">At work</th>"
                   "<th scope=\"col\" class=\"n\">Cost, USD</th>");
    for (enum usage_share share = USAGE_WHOLE + 1; share < USAGE_SHARES; share++)
        if (total->shares[share].seconds > 0)
            text_printf(out, "<th scope=\"col\" class=\"n\">%s</th>", shares[share]);
    if (total->unpriced_seconds > 0)
        text_puts(out, "<th scope=\"col\" class=\"n\">without price, hours</th>");
    if (total->idle.seconds > 0)
        text_puts(out, "<th scope=\"col\" class=\"n\">besides: unused</th>");
}

/* `whole` says which columns there are. */
static void add_figures(struct text *out, const struct usage_total *total,
                        const struct usage_total *whole)
{
    text_puts(out, "<td class=\"n\">");
    usage_html_count(out, total->jobs);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_hours(out, total->shares[USAGE_WHOLE].seconds);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_busy(out, total);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_cost(out, total);
    for (enum usage_share share = USAGE_WHOLE + 1; share < USAGE_SHARES; share++) {
        if (whole->shares[share].seconds == 0)
            continue;
        text_puts(out, "</td><td class=\"n\">");
        if (total->shares[share].seconds == 0)
            text_puts(out, "–");
        else if (share == USAGE_FREE)
            usage_html_hours(out, total->shares[share].seconds);
        else
            usage_html_amount(out, total->shares[share].cost);
    }
    if (whole->unpriced_seconds > 0) {
        text_puts(out, "</td><td class=\"n\">");
        usage_html_hours(out, total->unpriced_seconds);
    }
    if (whole->idle.seconds > 0) {
        text_puts(out, "</td><td class=\"n\">");
        usage_html_amount(out, total->idle.cost);
    }
    text_puts(out, "</td></tr>\n");
}

static void add_row(struct text *out, const struct usage_sums *sums,
                    const struct usage_row *row)
{
    text_puts(out, "<tr>");
    for (size_t i = 0; i < sums->key_count; i++) {
        text_puts(out, "<th scope=\"row\">");
        add_value(out, sums, row, i);
        text_puts(out, "</th>");
    }
    add_figures(out, &row->total, &sums->total);
}

void usage_html_rows(struct text *out, const struct usage_sums *sums)
{
    size_t count = sums->row_count < ROWS_MAX ? sums->row_count : ROWS_MAX;

    text_puts(out, "<div class=\"scroll\">\n<table>\n<caption>");
    for (size_t i = 0; i < sums->key_count; i++) {
        text_puts(out, i ? ", " : "By ");
        html_add(out, sums->keys[i].name);
    }
    if (count < sums->row_count)
        text_printf(out,
                    " <span class=\"dim\">(the first %zu of %zu rows, and the total of"
                    " all; the other forms of the report have every row)</span>",
                    count, sums->row_count);
    text_puts(out, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < sums->key_count; i++) {
        text_puts(out, "<th scope=\"col\">");
        html_add(out, sums->keys[i].name);
        text_puts(out, "</th>");
    }
    add_heads(out, &sums->total);
    text_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++)
        add_row(out, sums, &sums->rows[i]);
    text_puts(out, "</tbody>\n<tfoot><tr>");
    if (sums->key_count > 0)
        text_printf(out, "<th scope=\"row\" colspan=\"%zu\">Total</th>",
                    sums->key_count);
    add_figures(out, &sums->total, &sums->total);
    text_puts(out, "</tfoot>\n</table>\n</div>\n");
}
