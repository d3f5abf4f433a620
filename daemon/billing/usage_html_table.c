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

/* Where there is no amount there is no share of it. */
static void add_share(struct text *out, const struct usage_total *total,
                      nanousd_t whole)
{
    __int128 permille;

    if (whole <= 0 || usage_is_unpriced(total)) {
        text_puts(out, "–");
        return;
    }
    permille = ((__int128)total->shares[USAGE_WHOLE].cost * 1000 + whole / 2) / whole;
    text_printf(out, "%d.%d %%", (int)(permille / 10), (int)(permille % 10));
}

/* What stands behind a name. */
static void add_rank(struct text *out, const struct usage_total *total,
                     const struct usage_total *whole, nanousd_t largest)
{
    text_puts(out, "</th>");
    add_bar(out, total->shares[USAGE_WHOLE].cost, largest);
    text_puts(out, "<td class=\"n\">");
    usage_html_marks(out, total);
    usage_html_cost(out, total);
    text_puts(out, "</td><td class=\"n\">");
    add_share(out, total, whole->shares[USAGE_WHOLE].cost);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_hours(out, total->shares[USAGE_WHOLE].seconds);
    text_puts(out, "</td><td class=\"n\">");
    usage_html_busy(out, total);
    text_puts(out, "</td></tr>\n");
}

/* But for jobs, of which one may be in several rows. */
static void add_total(struct usage_total *sum, const struct usage_total *total)
{
    for (enum usage_share share = 0; share < USAGE_SHARES; share++) {
        sum->shares[share].seconds += total->shares[share].seconds;
        sum->shares[share].cost += total->shares[share].cost;
    }
    sum->unpriced_seconds += total->unpriced_seconds;
    sum->busy_known_seconds += total->busy_known_seconds;
    sum->busy_permille_seconds += total->busy_permille_seconds;
}

/* The rows that have no place of their own, as one. */
static void add_others(struct text *out, const struct usage_row *const *rows,
                       size_t count, const struct usage_total *whole, nanousd_t largest)
{
    struct usage_total others = { 0 };
    nanousd_t cost;

    for (size_t i = 0; i < count; i++)
        add_total(&others, &rows[i]->total);
    cost = others.shares[USAGE_WHOLE].cost;
    text_printf(out, "<tr><th scope=\"row\"><span class=\"dim\">%zu others</span>",
                count);
    add_rank(out, &others, whole, largest > cost ? largest : cost);
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
    for (size_t i = 0; i < count; i++) {
        text_puts(out, "<tr><th scope=\"row\">");
        add_value(out, sums, rows[i], 0);
        add_rank(out, &rows[i]->total, &sums->total, largest);
    }
    if (count < used)
        add_others(out, rows + count, used - count, &sums->total, largest);
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

    text_puts(out, "<h2>The report</h2>\n<div class=\"scroll\">\n<table>\n<caption>");
    text_puts(out, sums->key_count > 0 ? "" : "All of it");
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
