#ifndef DAEMON_STORE_AUDIT_H
#define DAEMON_STORE_AUDIT_H

#include "daemon/store.h"

/* The ledger as it is audited: every job with its intervals and all that those name.
 * For a store opened to be read. */

/* An interval of a job; of a job that has none, the job alone.  Texts are valid during
 * the call only, and NULL where the row that would have them is not there. */
struct audit_row {
    int64_t job_id;
    const char *job_name;
    const char *job_owner;
    const char *job_instance_type;
    const char *job_scheduler;
    bool job_emulated;
    bool job_is_final;
    bool job_is_over;
    int job_instances;
    bool job_has_bill;
    int64_t job_seconds;
    bool job_is_priced;
    nanousd_t job_cost;
    int64_t job_unpriced_seconds;

    int64_t open_seq; /* 0: the job has no interval */
    enum interval_kind kind;
    int64_t attempt;
    int64_t worker;
    int64_t label; /* seq, as it is named */
    int64_t price; /* 0: unpriced */
    const char *reprice;
    const char *boot_id;
    usec_t open_boot_us;
    usec_t open_wall_us;

    const char *label_owner;
    const char *label_instance_type;
    const char *label_scheduler;
    bool label_emulated;
    const char *label_pool;
    const char *label_pricing;
    const char *price_instance_type;
    nanousd_t hourly;
    usec_t price_from;

    int64_t close_seq; /* 0: it is open */
    int64_t start_s;
    usec_t close_boot_us;
    int64_t seconds;
    int64_t base;
    bool busy_is_known;
    int64_t busy_permille;
    const char *close_evidence;
};

typedef int store_audit_callback_t(void *context, const struct audit_row *row,
                                   struct err *err);

/** By job, kind, attempt and worker. */
MUST_CHECK int store_each_audit_row(struct store *store,
                                    store_audit_callback_t *callback, void *context,
                                    struct err *err);

/* A change of price within an interval. */
struct audit_cut {
    int64_t seq;
    int64_t from_second; /* of the interval */
    int64_t base;
    int64_t price; /* seq, as it is named */
    const char
        *price_instance_type; /* NULL: there is no such price, nor what follows */
    nanousd_t hourly;
    usec_t price_from;
    const char *price_basis;
};
typedef int store_audit_cut_callback_t(void *context, const struct audit_cut *cut,
                                       struct err *err);

/** Those of one interval by their second. */
MUST_CHECK int store_each_audit_cut(struct store *store, int64_t open_seq,
                                    store_audit_cut_callback_t *callback, void *context,
                                    struct err *err);

/* A row that names what is not there, or only later in the ledger. */
struct audit_stray {
    int64_t seq;        /* 0: there is none */
    const char *table;  /* static, as the column */
    const char *column; /* what names it */
    const char *reason;
    int64_t names;
};
/** The first one. */
MUST_CHECK int store_find_stray(struct store *store, struct audit_stray *stray,
                                struct err *err);

/** Name of the job that a row of interval_open, interval_close or interval_price is of;
 * "" when there is none.  @open_seq  of the interval */
MUST_CHECK int store_job_of_interval(struct store *store, int64_t open_seq,
                                     char name[64], struct err *err);

#endif
