#ifndef DAEMON_STORE_BUDGET_H
#define DAEMON_STORE_BUDGET_H

#include "daemon/budget.h"
#include "daemon/store.h"

/* Budgets, what they have counted, and what was done. */

struct budget {
    struct budget_rule rule;
    usec_t created_us;
    struct budget_span span;
    int64_t counted_seq; /* the ledger's rows up to this one are in `sum` */
    struct budget_sum sum;
    int told_percent; /* of the limit, within this span */

    /* In memory alone; sums of amounts that need not fit together. */
    int64_t saved_seq; /* counted_seq as it was stored last */
    bool must_save;    /* more than that has changed */
    bool changed;      /* since it was looked at */
    bool unsettled;    /* what live jobs may cost is not all in yet */
    size_t slot;       /* its place in live_spend.covers, as long as it is there */
    usec_t next_boot;  /* when to look at it though nothing changes */
    __int128 reserved; /* the most that live jobs can cost besides `sum` */
    __int128 graces;   /* what stopping all of them can cost */
};

typedef int store_budget_callback_t(void *context, const struct budget *budget,
                                    struct err *err);

/** Every budget by name; what it is given is valid during the call only. */
MUST_CHECK int store_each_budget(struct store *store, store_budget_callback_t *callback,
                                 void *context, struct err *err);
/** Adds it, or takes the place of the one of its name; with what it has counted. */
MUST_CHECK int store_put_budget(struct store *store, const struct budget *budget,
                                struct err *err);
/** No such budget: well. */
MUST_CHECK int store_delete_budget(struct store *store, const char *name,
                                   struct err *err);

/** Adds an event.  @kind  "set", "removed", "reached", "stopped" */
MUST_CHECK int store_add_budget_event(struct store *store, const char *name,
                                      const char *kind, const struct cJSON *data,
                                      struct err *err);
/** [{"at", "kind", ...}], the newest `limit` first, of what is or was a budget of
 * this name; the caller frees. */
MUST_CHECK int store_get_budget_events(struct store *store, const char *name, int limit,
                                       struct cJSON **events, struct err *err);

/* `seq` is the row that closed the interval. */
typedef int store_part_callback_t(void *context, int64_t seq,
                                  const struct budget_part *part, struct err *err);

/** What the closed intervals of a job cost, each cut where its price changed. */
MUST_CHECK int store_each_part_of(struct store *store, int64_t job_id,
                                  store_part_callback_t *callback, void *context,
                                  struct err *err);

/* What was pinned when an interval opened. */
struct open_price {
    bool priced;
    bool estimated;   /* its confidence is low */
    nanousd_t hourly; /* of an instance */
    bool is_cut;      /* by changes of price */
};

/** That of the interval that a job opened last; all 0 when there is none. */
MUST_CHECK int store_get_open_price(struct store *store, int64_t job_id,
                                    struct open_price *price, struct err *err);

/* A piece of the ledger. */
struct part_slice {
    int64_t after; /* rows behind this one */
    int limit;     /* so many intervals at most */
    bool more;     /* set: there may be some behind */
};

/** What the intervals cost that were closed in a slice of the ledger, in the order of
 * its rows. */
MUST_CHECK int store_each_part_after(struct store *store, struct part_slice *slice,
                                     store_part_callback_t *callback, void *context,
                                     struct err *err);

#endif
