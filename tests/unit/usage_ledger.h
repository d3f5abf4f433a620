#ifndef TESTS_UNIT_USAGE_LEDGER_H
#define TESTS_UNIT_USAGE_LEDGER_H

#include "daemon/store.h"
#include "src/json.h"
#include "src/problems.h"

/* A ledger of a few rows, and what is reported of it.  There is one at a time. */

#define HOUR INT64_C(3600)
#define DAY  (24 * HOUR)
/* 2026-01-01T00:00:00Z */
#define NEW_YEAR INT64_C(1767225600)
/* Members of a request. */
#define JANUARY "\"from\":\"2026-01-01\",\"to\":\"2026-02-01\""

/** For a fixture: an empty ledger, and its end. */
void ledger_make(void);
void ledger_gone(void);

/** Adds a price of ml.c5.xlarge; returns its row. */
int64_t ledger_price(const char *usd, const char *confidence);
/** Adds a label of ml.c5.xlarge, whose pool is named as its pricing; returns its row.
 */
int64_t ledger_label(const char *owner, const char *pricing, bool emulated,
                     const char *tags);
int64_t ledger_label_of(const struct charge_label *words);

/* An interval of a job; `close` NULL: it still runs. */
struct ledger_line {
    const char *job; /* made when there is none of this name */
    int attempt;
    int worker;
    int64_t label;
    int64_t price;
    int64_t start_s;
    const struct interval_end *close;
};

void ledger_add(const struct ledger_line *line);
/** The only worker of an attempt that is over, half of which worked. */
void ledger_run(const char *job, int64_t label, int64_t price, int64_t start_s,
                int64_t seconds);
/** So many instances of ml.c5.xlarge in the pool "reserved". */
void ledger_reserve(int64_t instances, int64_t price, int64_t from_s);
void ledger_reserve_of(const char *pool, const char *instance_type, int64_t instances,
                       int64_t price, int64_t from_s);

/** What railhead-bill answers to these members of a request, or NULL with problems or
 * err; the caller frees. */
char *ledger_report(const char *members, struct problems *problems, struct err *err);
/** The same where it must answer, as it is and read. */
char *ledger_report_words(const char *members);
struct cJSON *ledger_report_json(const char *members);
/** Rows as "GROUP...: SECONDS s COST", a line each; then the total. */
void ledger_expect(const char *members, const char *wanted);
/** A share of the total, as "emulated". */
void ledger_expect_share(const char *members, const char *name, int64_t seconds,
                         const char *cost);

#endif
