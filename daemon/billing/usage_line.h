#ifndef DAEMON_BILLING_USAGE_LINE_H
#define DAEMON_BILLING_USAGE_LINE_H

#include "daemon/billing/usage.h"
#include "src/clock.h"

/*
 * Exports for the tools of others: CSV with a line a part of a charge a day of UTC.
 * What can be told of a line is here; a table of columns says which of it a form has,
 * and what its columns are called.
 *
 * Parts of no seconds cost nothing and are left out.  So are unpriced ones: such a form
 * has no way to say that an amount is not known, and 0 would be wrong.
 */

enum {
    USAGE_LINE_TEXT = 160
};

/* What is not known is NULL.  Texts of `room` are the line's own. */
struct usage_line {
    /* when: "2026-11-30T00:00:00Z", as AWS has it with ".000Z", and the month around */
    const char *from, *to, *month_from, *month_to;
    const char *aws_from, *aws_to, *aws_month_from, *aws_month_to;
    const char *interval; /* FROM/TO */
    /* how much */
    const char *seconds;
    const char *hours;  /* to twelve places */
    const char *cost;   /* hours * hourly, all digits */
    const char *ledger; /* what the ledger has */
    const char *hourly;
    const char *list_hourly, *list_ledger; /* where the price is a published one */
    /* of what */
    const char *row;  /* of the ledger: its number */
    const char *line; /* row and start: no other line has it */
    const char *job_id, *job_name, *job_arn, *attempt, *worker;
    const char *kind;        /* "run" or "warm" */
    const char *description; /* in a few words, none of a user's */
    const char *meter, *sku, *sku_price;
    const char *usage_type, *term;
    const char *category, *reservation, *reservation_status;
    const char *busy_permille;
    const char *emulated, *open; /* "true" or "false" */
    const char *price_source, *price_as_of, *price_basis, *price_confidence;
    /* of whom */
    const char *owner, *instance_type, *pool, *pricing, *scheduler, *tags;
    const char *account_id, *account_name;
    const char *details, *product, *aws_tags; /* JSON objects */

    char room[20][USAGE_LINE_TEXT];
    size_t used;
};

/* A column: a text that is the same in every line, or else one of the line's at this
 * offset, or else always null. */
struct usage_column {
    const char *name;
    const char *same;
    size_t at;     /* 0: none.  `from` is at 1: see LINE */
    bool is_words; /* that people chose */
};

#define LINE(member)  .at = offsetof(struct usage_line, member) + 1
#define WORDS(member) LINE(member), .is_words = true

/** Writes the header and a line for every part. */
MUST_CHECK int usage_write_lines(struct usage *usage,
                                 const struct usage_column *columns, size_t count,
                                 FILE *out, struct err *err);

#endif
