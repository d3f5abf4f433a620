#ifndef DAEMON_BUDGET_H
#define DAEMON_BUDGET_H

#include "src/json.h"
#include "src/money.h"

/* What may be spent on whom, and what is left of it; railhead-billing(7), "Budgets".
 * All of it is pure. */

enum budget_period {
    BUDGET_MONTH, /* a calendar month, in UTC */
    BUDGET_TOTAL
};

enum budget_action {
    BUDGET_NOTIFY, /* tells, and hinders nothing */
    BUDGET_REFUSE, /* refuses a job that could overrun it */
    BUDGET_STOP    /* stops jobs so early that their grace still fits */
};

/* By these enums; they end in NULL. */
extern const char *const budget_periods[];
extern const char *const budget_actions[];

const char *budget_period_name(enum budget_period period); /* "month" */
bool budget_period_from_name(const char *name, enum budget_period *out);
const char *budget_action_name(enum budget_action action); /* "refuse" */
bool budget_action_from_name(const char *name, enum budget_action *out);

enum {
    BUDGET_NAME_SIZE = 64
};

/* Owner or tag NULL: of whatever owner, with whatever tags. */
struct budget_rule {
    char name[BUDGET_NAME_SIZE];
    nanousd_t limit; /* above 0 */
    char *owner;
    char *tag_key;
    char *tag_value; /* with tag_key */
    enum budget_period period;
    enum budget_action action;
    int notify_percent; /* 1..100: of the limit, told when it is spent */
};

void budget_rule_copy(const struct budget_rule *from, struct budget_rule *to);
/** Frees what it holds. */
void budget_rule_clear(struct budget_rule *rule);

/** Whether it is of the money that a job of `owner` with these tags (an object)
 * costs. */
bool budget_covers(const struct budget_rule *rule, const char *owner,
                   const struct cJSON *tags);
/** Whether two rules count the same money. */
bool budget_counts_alike(const struct budget_rule *left,
                         const struct budget_rule *right);

/* Seconds since 1970; a month, or all time. */
struct budget_span {
    int64_t from_s;
    int64_t to_s; /* exclusive */
};
/** The period that `wall` is in. */
struct budget_span budget_span_at(enum budget_period period, usec_t wall);

/* Sums of what the ledger has. */
struct budget_sum {
    nanousd_t spent;
    nanousd_t emulated; /* of it, by jobs that stood in for other hardware */
    bool estimated;     /* a part of it rests on a price of low confidence */
    bool unpriced;      /* seconds without a price belong to it: nobody knows more */
};

/* Seconds at one price, as a charge of the ledger is (daemon/store.h). */
struct budget_part {
    const char *owner;
    const char *tags; /* a JSON object */
    bool emulated;
    bool priced;
    bool estimated;
    nanousd_t hourly;
    int64_t start_s;
    int64_t seconds;
    int64_t base;
};

/** Adds one sum to another, likewise. */
void budget_sum_add(struct budget_sum *to, const struct budget_sum *sum);

/** Adds what of a part lies in the span.  A sum that does not fit stays at the
 * largest. */
void budget_add(struct budget_sum *sum, struct budget_span span,
                const struct budget_part *part);

/** Either's sum, or the largest amount where it does not fit. */
nanousd_t budget_plus(nanousd_t left, nanousd_t right);

/** What `seconds` of all instances together cost, or the largest amount. */
nanousd_t budget_cost(nanousd_t hourly, int64_t seconds);

/** For how long `money` lasts at a cost of `rate` an hour, rounded down; 0 when it is
 * not above 0, INT64_MAX when nothing is spent. */
usec_t budget_lasts(nanousd_t money, nanousd_t rate);

#endif
