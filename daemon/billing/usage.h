#ifndef DAEMON_BILLING_USAGE_H
#define DAEMON_BILLING_USAGE_H

#include "daemon/billing/billing.h"
#include "src/money.h"
#include "src/text.h"

/*
 * The report of usage: what was charged in a span of time, cut at the limits of days,
 * weeks and months of a zone.
 *
 * A charge is cut into parts, none of which crosses a limit; the costs of the parts of
 * a charge are its cost, whatever the cuts (money_for_part).  Every form of the report
 * is made of the same parts.
 */

/* --- what is asked: usage_ask.c --- */

enum usage_key_kind {
    USAGE_DAY,
    USAGE_WEEK,
    USAGE_MONTH,
    USAGE_OWNER,
    USAGE_TAG,
    USAGE_INSTANCE_TYPE,
    USAGE_POOL,
    USAGE_PRICING,
    USAGE_JOB,
    USAGE_ATTEMPT
};

enum {
    USAGE_KEYS_MAX = 6,
    USAGE_KEY_SIZE = 160
};

struct usage_key {
    enum usage_key_kind kind;
    char name[USAGE_KEY_SIZE]; /* as it was asked for: "month", "project", "tag:x" */
    const char *tag;           /* of USAGE_TAG: its key, within `name` or static */
};

enum usage_emulated {
    USAGE_EMULATED_INCLUDE,
    USAGE_EMULATED_EXCLUDE,
    USAGE_EMULATED_ONLY
};

struct usage_ask {
    const char *zone; /* IANA; the zone that the process is in (zone_use) */
    int64_t from_s;   /* UTC, whole seconds */
    int64_t to_s;     /* the end: not within */
    struct usage_key keys[USAGE_KEYS_MAX];
    size_t key_count;
    bool zero; /* rows of nothing, too */
    const char *owner;
    const char *instance_type;
    const char *pool;
    char *tag_key; /* NULL: of all tags */
    char *tag_value;
    int64_t job_id; /* 0: of all jobs */
    enum usage_emulated emulated;
};

/** Reads a request.  ERR_INVALID with every problem, by parameter.  The texts are the
 * request's; usage_ask_clear frees the rest. */
MUST_CHECK int usage_ask_read(const struct bill_request *request, struct usage_ask *ask,
                              struct problems *problems, struct err *err);
void usage_ask_clear(struct usage_ask *ask);

/* --- what charges name: usage_book.c --- */

struct usage_label {
    size_t index; /* from 0, in the order in which charges named them */
    struct charge_label words;
    char *block;        /* that the words are in */
    struct cJSON *tags; /* an object */
    bool is_wanted;     /* by the filters */
};

struct usage_price {
    struct price_row words;
    char *block;
    bool is_estimate; /* of low confidence */
};

/* Labels and prices by their number in the ledger; NULL: not named yet, or no such
 * row. */
struct usage_book {
    struct usage_label **labels;
    size_t label_count;
    struct usage_price **prices;
    int64_t seq_count;
    char head[DIGEST_HEX_SIZE]; /* hash of the last row of the ledger; "": there is none
                                 */
};

/** The value of a tag as text; NULL when the label has none.  Valid as long as the
 * book.
 */
const char *usage_tag(const struct usage_label *label, const char *key);

/* --- spans of time: usage_spans.c --- */

/* One of the pieces that a report's span is cut into.  Names are of the local day,
 * week (ISO 8601) and month that it lies in: "2026-11-30", "2026-W49", "2026-11". */
struct usage_span {
    int64_t from_s;
    int64_t to_s;
    char day[16];
    char week[16];
    char month[16];
};

struct usage_spans {
    struct usage_span *items; /* one after the other without a gap, at least one */
    size_t count;
};

/* At most so many: days of 270 years. */
enum {
    USAGE_SPANS_MAX = 100000
};

/* At whose limits it is cut. */
struct usage_units {
    bool days;
    bool weeks;
    bool months;
    bool utc; /* those of UTC; else of the process's zone (zone_use) */
};

/** Cuts [from_s, to_s), which is not empty.  ERR_LIMIT: too many. */
MUST_CHECK int usage_spans_make(int64_t from_s, int64_t to_s,
                                const struct usage_units *units,
                                struct usage_spans *spans, struct err *err);
void usage_spans_clear(struct usage_spans *spans);

/* --- parts: usage_parts.c --- */

struct usage {
    const struct usage_ask *ask;
    const struct cJSON *request; /* also what the daemon adds for exports */
    struct store *store;
    const char *state; /* folder */
    struct usage_book book;
    struct job_row job; /* the last that was asked for by name */
};

/** Makes the book of usage->store, for what usage->ask wants. */
MUST_CHECK int usage_book_open(struct usage *usage, struct err *err);
void usage_book_clear(struct usage_book *book);
/** What a charge names.  ERR_INTERNAL: there is no such row.  *price NULL: unpriced. */
MUST_CHECK int usage_book_find(struct usage *usage, const struct charge *charge,
                               const struct usage_label **label,
                               const struct usage_price **price, struct err *err);
/** Every label, named or not, is in the book. */
MUST_CHECK int usage_book_all_labels(struct usage *usage, struct err *err);

/* Seconds [from_s, to_s) of a charge, within one span.  A charge of 0 seconds has one
 * part of 0 seconds where it starts. */
struct usage_part {
    const struct charge *charge;
    const struct usage_label *label;
    const struct usage_price *price; /* NULL: unpriced */
    size_t span;                     /* index in spans */
    int64_t from_s;                  /* UTC */
    int64_t to_s;
    int64_t seconds; /* to_s - from_s */
    nanousd_t cost;  /* 0 when unpriced */
};

typedef int usage_part_callback_t(void *context, const struct usage_part *part,
                                  struct err *err);

struct usage_idle; /* usage_idle.h */

/** Every part of what was asked, within `spans`: by the start of its charge, then what
 * still runs.  The part is valid during the call only.  `idle` takes in what was used;
 * it may be NULL. */
MUST_CHECK int usage_each_part(struct usage *usage, const struct usage_spans *spans,
                               struct usage_idle *idle, usage_part_callback_t *callback,
                               void *context, struct err *err);

/** The name of a job, remembered from call to call; borrowed until the next one. */
MUST_CHECK int usage_job_name(struct usage *usage, int64_t job_id, const char **name,
                              struct err *err);

/* --- forms --- */

/** Writes the whole report. */
typedef int usage_writer_t(struct usage *usage, FILE *out, struct err *err);

usage_writer_t usage_write_json;      /* usage_json.c */
usage_writer_t usage_write_csv;       /* usage_csv.c */
usage_writer_t usage_write_intervals; /* usage_intervals.c */
usage_writer_t usage_write_focus;     /* usage_focus.c */
usage_writer_t usage_write_cur;       /* usage_cur.c */
usage_writer_t usage_write_html;      /* usage_html.c */

#endif
