#ifndef DAEMON_BILLING_USAGE_SUMS_H
#define DAEMON_BILLING_USAGE_SUMS_H

#include "daemon/billing/key_table.h"
#include "daemon/billing/usage.h"
#include "daemon/billing/usage_idle.h"

/* Parts added up by what they are grouped by.  All of it is in whole numbers, so rows
 * add up to the total. */

/* What of the whole is told apart; one second may be in several. */
enum usage_share {
    USAGE_WHOLE,
    USAGE_EMULATED,
    USAGE_SPOT,
    USAGE_RESERVED,
    USAGE_FREE,
    USAGE_WARM,
    USAGE_ESTIMATED, /* at a price of low confidence */
    USAGE_SHARES
};

/** "emulated", "spot", ...  Of USAGE_WHOLE: "". */
const char *usage_share_name(enum usage_share share);

struct usage_amount {
    int64_t seconds; /* of instances */
    nanousd_t cost;  /* of what has a price */
};

struct usage_total {
    struct usage_amount shares[USAGE_SHARES];
    int64_t unpriced_seconds;
    int64_t open_seconds;       /* of what still runs */
    int64_t busy_known_seconds; /* of which it is known how much of them worked */
    int64_t busy_permille_seconds;
    struct usage_amount idle; /* of reserved instances that nobody used */
    int64_t jobs;
};

/** Nothing of it has a price: its cost is not 0 but unknown. */
bool usage_is_unpriced(const struct usage_total *total);

/** Instance-seconds that worked, to the thousandth, which is exact.  Returns `out`. */
const char *usage_busy_seconds(const struct usage_total *total,
                               char out[MONEY_TEXT_SIZE]);

/** The share of the seconds that worked, of those of which it is known: "87.5"; NULL
 * when that is none.  Returns `out`. */
const char *usage_busy_percent(const struct usage_total *total,
                               char out[MONEY_TEXT_SIZE]);

struct usage_row {
    size_t span;
    size_t group;
    int64_t job_id; /* 0: not by job, or idle time */
    int64_t attempt;
    char *job; /* its name, or NULL */
    struct usage_total total;
};

/* What a label has for each key; NULL: it has no such tag, or the key is not of labels.
 */
struct usage_values {
    const char *words[USAGE_KEYS_MAX];
};

enum {
    USAGE_ROWS_MAX = 1000000
};

struct usage_sums {
    const struct usage_key *keys;
    size_t key_count;
    struct usage_spans spans;
    struct usage_row *rows; /* in the order of the keys' values */
    size_t row_count;
    struct usage_total total;
    struct usage_idle idle;
    /* What follows is usage_sums.c's. */
    struct usage_values *group_values;
    struct key_table groups;
    struct key_table row_keys;
    struct key_table jobs;   /* (row, job) that were counted */
    int64_t *group_of_label; /* by label's index; -1: not known yet */
    size_t label_room;
    size_t row_room;
};

/** Adds up what is asked for by these keys (of which the array stays the caller's, as
 * long as the sums).  usage_sums_clear frees, whatever is returned. */
MUST_CHECK int usage_sum(struct usage *usage, const struct usage_key *keys,
                         size_t key_count, struct usage_sums *sums, struct err *err);
void usage_sums_clear(struct usage_sums *sums);

/** A row's value of a key, or NULL; `out` may be where it is written. */
const char *usage_row_value(const struct usage_sums *sums, const struct usage_row *row,
                            size_t key, char out[MONEY_TEXT_SIZE]);

#endif
