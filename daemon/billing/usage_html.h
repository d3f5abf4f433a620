#ifndef DAEMON_BILLING_USAGE_HTML_H
#define DAEMON_BILLING_USAGE_HTML_H

#include "daemon/billing/usage_sums.h"
#include "src/html.h"
#include "src/text.h"

/* Pieces of the report as a page; usage_html.c puts them together. */

extern const char usage_html_style[]; /* usage_html_style.c: CSS, with its element */

/* --- usage_html_figure.c: how a figure is written --- */

/** An amount for people, its exact value in the markup. */
void usage_html_amount(struct text *out, nanousd_t amount);
/** The cost, or that there is no price. */
void usage_html_cost(struct text *out, const struct usage_total *total);
/** What has to be said beside a cost, each with a blank behind: that it is of emulated
 * jobs, an estimate, or not all of it. */
void usage_html_marks(struct text *out, const struct usage_total *total);
/** What those mean. */
void usage_html_legend(struct text *out, const struct usage_total *total);
/** Instance-hours with two decimals, the seconds in the markup. */
void usage_html_hours(struct text *out, int64_t seconds);
/** Decimal text, its whole digits in groups of three: "1,234,567.5". */
void usage_html_grouped(struct text *out, const char *decimal);
void usage_html_count(struct text *out, int64_t count);
/** How much of the paid time worked, or a dash. */
void usage_html_busy(struct text *out, const struct usage_total *total);

/* --- usage_html_chart.c: columns over time --- */

enum {
    USAGE_CHART_SERIES = 5
};

/* From below; what is 0 throughout is not shown. */
struct usage_series {
    const char *name;
    const char *look; /* class of the page's style */
};

/* Values are of 10^-9 of the unit and not negative. */
struct usage_chart {
    const char *id; /* in the page */
    const char *title;
    const char *unit;
    struct usage_series series[USAGE_CHART_SERIES];
    const char *const *columns; /* their names */
    size_t count;
    int64_t (*values)[USAGE_CHART_SERIES]; /* by column */
};

void usage_html_chart(struct text *out, const struct usage_chart *chart);

/* --- usage_html_table.c --- */

/** The rows by their cost, the largest first, with a bar each; the small ones as one.
 */
void usage_html_ranking(struct text *out, const struct usage_sums *sums,
                        const char *title);
/** Every row, up to a limit, and the total. */
void usage_html_rows(struct text *out, const struct usage_sums *sums);

#endif
