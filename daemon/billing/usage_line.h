#ifndef DAEMON_BILLING_USAGE_LINE_H
#define DAEMON_BILLING_USAGE_LINE_H

#include "daemon/billing/usage_sums.h"

/*
 * Exports for the tools of others: CSV with a line for every part of a charge in a day
 * of UTC.  What can be told of a part is here; a form is a table of columns, which says
 * what of it there is and under which name.
 *
 * Parts of no seconds cost nothing and are left out.  So are unpriced ones: these forms
 * have no way to say that an amount is not known, and 0 would be wrong.
 */

enum {
    USAGE_LINE_ROOMS = 32, /* a line takes 25 */
    USAGE_LINE_ROOM_SIZE = 256
};

/* All text; NULL is not known, or does not apply. */
struct usage_line {
    const char *null; /* always */

    /* When: "2026-11-30T00:00:00Z", as AWS writes it ("...00.000Z"), and the month that
     * it is in. */
    const char *from, *to, *month_from, *month_to;
    const char *aws_from, *aws_to, *aws_month_from, *aws_month_to;
    const char *interval; /* FROM/TO */

    /* How much. */
    const char *seconds;
    const char *hours;                               /* to twelve places */
    const char *hourly;                              /* USD */
    const char *cost;                                /* hours * hourly, all digits */
    const char *ledger;                              /* what the ledger has for it */
    const char *published_hourly, *published_ledger; /* when that is a list price */

    /* Of what. */
    const char *row; /* of the ledger */
    const char *id;  /* that no other line has */
    const char *job_id, *job_name, *job_arn, *job_state, *instances, *attempt, *worker,
        *resource_type;
    const char *kind;        /* "run", "warm" or "idle" */
    const char *description; /* in a few words, none of which a user chose */
    const char *meter, *sku, *sku_price, *aws_usage_type;
    const char *details, *aws_product; /* JSON objects */
    const char *busy_permille;
    const char *emulated, *open; /* "true" or "false" */

    /* On what terms. */
    const char *pricing, *focus_category, *aws_term, *reservation, *reservation_status;
    const char *price_source, *price_as_of, *price_basis, *price_confidence;

    /* Of whom. */
    const char *account_id, *account_name, *owner, *pool, *scheduler, *instance_type;
    const char *tags, *aws_tags; /* JSON objects */

    char rooms[USAGE_LINE_ROOMS][USAGE_LINE_ROOM_SIZE];
    size_t rooms_used;
};

/* --- usage_line.c: a line --- */

/* What is said of all charges with one label. */
struct usage_line_label {
    char *details;
    char *aws_product;
    char *aws_tags;
};

struct usage_line_maker {
    struct usage *usage;
    struct usage_line_label *labels; /* by index, as usage->book has them */
    size_t label_count;
    struct usage_line_label idle; /* of the line of idle time made last */
};

/** The line of a part, which has a price and seconds.  It borrows from the part, the
 * book and the maker. */
MUST_CHECK int usage_line_of_part(struct usage_line_maker *maker,
                                  const struct usage_part *part,
                                  struct usage_line *line, struct err *err);

/** The same of idle time whose reservation has a price. */
MUST_CHECK int usage_line_of_idle(struct usage_line_maker *maker,
                                  const struct usage_idle_part *part,
                                  struct usage_line *line, struct err *err);
void usage_line_maker_clear(struct usage_line_maker *maker);

/* --- usage_lines.c: all lines --- */

/* The same text in every line, else the one at this offset of the line. */
struct usage_column {
    const char *name;
    const char *same;
    size_t at;
    bool is_words; /* that people chose: no spreadsheet may take them for a formula */
};

/* What stands behind the name in a row of a table. */
#define COLUMN_OF(member)    NULL, offsetof(struct usage_line, member), false
#define COLUMN_WORDS(member) NULL, offsetof(struct usage_line, member), true
#define COLUMN_SAME(words)   (words), 0, false
#define COLUMN_NULL          NULL, 0, false

/** Writes the header and a line for every part, then those of idle time. */
MUST_CHECK int usage_write_lines(struct usage *usage,
                                 const struct usage_column *columns, size_t count,
                                 FILE *out, struct err *err);

#endif
