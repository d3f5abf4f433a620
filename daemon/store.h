#ifndef DAEMON_STORE_H
#define DAEMON_STORE_H

#include "daemon/job.h"
#include "src/err.h"
#include "src/profile.h"

/*
 * The SQLite database: WAL, synchronous=FULL, STRICT tables.  The first write after a
 * commit opens a transaction; store_commit ends it with one fsync.  Every failure of
 * the database but a full disk is ERR_INTERNAL.
 */

struct store;

/** Opens (or makes) the database, brings its schema up to date, checks that nobody else
 * has it open. ERR_CONFLICT: another daemon has it.  ERR_INTERNAL: damaged, or newer
 * than this program. */
MUST_CHECK int store_open(const char *path, struct store **out, struct err *err);
/** Opens the database of a daemon, which may be running, to read what is there now.
 * ERR_INTERNAL: it is of another version. */
MUST_CHECK int store_open_read(const char *path, struct store **out, struct err *err);
void store_close(struct store *store);

/** store_wal.c: before store_open_read beside a daemon: brings what is in a long log
 * into the database, so that nothing is looked for in it.  May take seconds, holds up
 * no commit, and loses nothing when it is killed.  What cannot be brought in is read
 * from the log, as ever. */
void store_bring_in_log(const char *path);
/** Whether the log is so long (251 MiB) that it ought to begin anew, for which nobody
 * may read for a moment. */
bool store_log_is_long(const char *path);

/** Whether this attempt was under way in a backup that the database was restored from
 * (store_restore.c), so that nobody knows what became of it. */
MUST_CHECK int store_was_restored(struct store *store, int64_t job_id, int attempt,
                                  bool *was, struct err *err);

/** Whether there is disk for new work, beside the reserve of what must be written
 * (daemon/reserve.h). */
bool store_has_room(struct store *store);
/** Frees 1 MiB of the reserve, for what must be written outside of the database; false
 * when nothing is left. */
bool store_give_room(struct store *store);

bool store_is_dirty(const struct store *store);
MUST_CHECK int store_commit(struct store *store, struct err *err);
/** How many commits were made, and how long the last one took, in microseconds. */
int64_t store_commit_count(const struct store *store);
usec_t store_commit_usec(const struct store *store);

/* --- store_job.c: rows of job --- */

struct job_row {
    int64_t job_id;
    char id[JOB_ID_SIZE];
    char name[64];
    char owner[64];
    char instance_type[65];
    char scheduler[16];
    int instance_count;
    bool emulated;
    enum job_state state;
    char status[16]; /* the primary one */
    usec_t created_us;
    usec_t changed_us;
    bool has_bill; /* the job has ended */
    int64_t billable_seconds;
    bool priced;
    nanousd_t cost; /* of what has a price */
    int64_t unpriced_seconds;
};

/** Next free row id; rows are numbered in order of submission. */
int64_t store_next_job_id(const struct store *store);
/** ERR_CONFLICT when the name is taken. */
MUST_CHECK int store_insert_job(struct store *store, const struct job *job,
                                struct err *err);
MUST_CHECK int store_update_state(struct store *store, const struct job *job,
                                  struct err *err);
/** The bill of a job that ended; cost < 0: none of it has a price.  @unpriced_seconds
 * are instance-seconds. */
MUST_CHECK int store_set_bill(struct store *store, int64_t job_id, int64_t seconds,
                              nanousd_t cost, int64_t unpriced_seconds,
                              struct err *err);
MUST_CHECK int store_find_job(struct store *store, const char *name,
                              struct job_row *row, struct err *err); /* ERR_NOT_FOUND */
MUST_CHECK int store_get_job(struct store *store, int64_t job_id, struct job_row *row,
                             struct err *err);

typedef int store_row_callback_t(void *context, const struct job_row *row,
                                 struct err *err);

/** Billable seconds of the newest jobs of a recipe that completed, by this scheduler
 * and on hardware that was, or was not, another's.
 *
 * @seconds  room for `limit` of them, newest first
 */
MUST_CHECK int store_get_runs(struct store *store, const struct job *like, size_t limit,
                              int64_t *seconds, size_t *count, struct err *err);

/** Row ids of jobs that are not over (job_is_over), oldest first. */
MUST_CHECK int store_live_jobs(struct store *store, int64_t **ids, size_t *count,
                               struct err *err);

typedef void store_id_callback_t(void *context, const char *id, bool is_over);
/** The id of every job (store_ids.c); it is valid during the call only. */
MUST_CHECK int store_each_id(struct store *store, store_id_callback_t *callback,
                             void *context, struct err *err);

/* --- store_event.c --- */

MUST_CHECK int store_append_event(struct store *store, int64_t job_id,
                                  const struct job_event *event, struct err *err);

typedef int store_event_callback_t(void *context, const struct job_event *event,
                                   struct err *err);
/** All events of a job in order; the event is valid during the call only. */
MUST_CHECK int store_each_event(struct store *store, int64_t job_id,
                                store_event_callback_t *callback, void *context,
                                struct err *err);

/** The complete spec as it was submitted; the caller frees. */
MUST_CHECK int store_get_spec(struct store *store, int64_t job_id, struct cJSON **spec,
                              struct err *err);

/* --- store_metric.c --- */

struct metric_value {
    const char *name;
    const char *value; /* a number in JSON's words, else NaN, Infinity or -Infinity */
    int rank;
    const struct cJSON *step; /* a whole number, or anything else: none */
    usec_t wall;
    int attempt; /* that it was printed in */
};

MUST_CHECK int store_set_metric(struct store *store, int64_t job_id,
                                const struct metric_value *metric, struct err *err);
/** {"name": {"last", "rank", "step", "at"}}; the caller frees. */
MUST_CHECK int store_get_metrics(struct store *store, int64_t job_id,
                                 struct cJSON **metrics, struct err *err);

/* The first and the newest value of a metric in one attempt, as struct metric_value has
 * them. */
struct metric_readings {
    int attempt; /* 0: there is none */
    char first[64];
    usec_t first_wall;
    char last[64];
    usec_t last_wall;
};
MUST_CHECK int store_get_readings(struct store *store, int64_t job_id, const char *name,
                                  struct metric_readings *readings, struct err *err);

/* --- store_key.c: idempotency keys --- */

/** ERR_NOT_FOUND when the key is new. */
MUST_CHECK int store_find_key(struct store *store, const char *owner, const char *key,
                              char digest[65], int64_t *job_id, struct err *err);
MUST_CHECK int store_add_key(struct store *store, const char *owner, const char *key,
                             const char *digest, int64_t job_id, struct err *err);

/* --- store_ledger.c --- */

/* Whom and what an interval is charged to. */
struct charge_label {
    const char *owner;
    const char *instance_type;
    const char *pool;
    const char *pricing; /* pricing_name */
    const char *scheduler;
    bool emulated;
    const char *tags; /* a JSON object, its members in the order of their names */
};

/* What an instance was held for: an attempt, or the next job (keep_alive). */
enum interval_kind {
    INTERVAL_RUN,
    INTERVAL_WARM
};

/* From this second of an interval on it costs another price. */
struct price_cut {
    int64_t from_second;
    nanousd_t hourly;
};

struct interval {
    int64_t open_seq; /* of its row in the ledger */
    int attempt;
    int worker;
    bool closed;
    char boot_id[40];
    usec_t open_boot_us;
    usec_t open_wall_us;
    char open_evidence[128];
    usec_t close_boot_us;
    int64_t seconds;
    int64_t base;      /* of what costs its first price: instance-seconds of the
                          attempt's workers before it */
    int busy_permille; /* -1: unknown */
    char close_evidence[128];
    bool priced;
    nanousd_t hourly;
    char price_source[288];
    char price_confidence[16];
    char price_basis[16];
    char price_as_of[32];
    bool at_change;               /* opened under `reprice: at-change` */
    const struct price_cut *cuts; /* cut_count of them, by their second */
    size_t cut_count;
};

/** Whether changes of price cut an interval: by what was pinned when it opened, and a
 * price of 0 is that of a pool that is free, where nothing changes.  Pure. */
bool interval_is_cut(const struct interval *interval);

/** The number of this price in the ledger, added when it is new (store_price_book.c).
 */
MUST_CHECK int store_price_id(struct store *store, const char *instance_type,
                              const struct profile_price *price, int64_t *price_id,
                              struct err *err);
/** The number of this label, added when it is new. */
MUST_CHECK int store_label(struct store *store, const struct charge_label *label,
                           int64_t *seq, struct err *err);

struct interval_start {
    int64_t label;
    int64_t price;  /* 0: unpriced */
    bool at_change; /* `reprice: at-change` is configured */
    const char *evidence;
};
/** Opens an interval of an attempt. */
MUST_CHECK int store_open_interval(struct store *store, const struct job *job,
                                   int worker, const struct interval_start *start,
                                   struct err *err);
/** Opens the warm interval of every worker where its attempt ended, with the label of
 * that and at this price; 0: at the one that it opened with.  @at_change  as it is
 * configured now */
MUST_CHECK int store_open_warm(struct store *store, const struct job *job,
                               bool at_change, int64_t price, struct err *err);

/* What the intervals of an attempt keep from when they opened. */
struct interval_pin {
    bool at_change; /* `reprice: at-change` was configured */
    bool is_free;   /* the pool was: the price is 0 */
};
/** Of the attempt that a job is in, or its warm pool. */
MUST_CHECK int store_get_pin(struct store *store, const struct job *job,
                             enum interval_kind kind, struct interval_pin *pin,
                             struct err *err);
/* A change of price within an interval, as its row says it. */
struct interval_cut {
    int64_t from_second;
    int64_t base;  /* of what costs this price, as interval_end has it of the first */
    int64_t price; /* seq */
};
struct interval_end {
    enum interval_kind kind;
    usec_t boot_us;
    int64_t seconds;
    int64_t base;      /* of what costs its first price: instance-seconds of the
                          attempt's workers before it */
    int busy_permille; /* -1: unknown */
    const char *evidence;
    const struct interval_cut *cuts; /* cut_count of them, by their second */
    size_t cut_count;
};
MUST_CHECK int store_close_interval(struct store *store, const struct job *job,
                                    int worker, const struct interval_end *end,
                                    struct err *err);
/** All intervals of this kind of a job by attempt and worker.  They and their cuts are
 * one block, which the caller frees. */
MUST_CHECK int store_get_intervals(struct store *store, int64_t job_id,
                                   enum interval_kind kind, struct interval **intervals,
                                   size_t *count, struct err *err);

/* --- store_charges.c: the ledger as reports read it --- */

/* Seconds of an interval that cost one price. */
struct charge {
    int64_t open_seq;
    int64_t job_id;
    enum interval_kind kind;
    int attempt;
    int worker;
    int64_t label;   /* seq of its charge_label */
    int64_t price;   /* seq of its price; 0: unpriced */
    int64_t start_s; /* UTC; a whole second */
    int64_t seconds;
    int64_t base; /* of the seconds of its attempt that cost this price, those before
                     it: part [a, b) of this charge costs money_for_part(base + a, base
                     + b) */
    int busy_permille; /* -1: unknown */
    bool open;         /* still runs: counted up to now */
};

typedef int store_charge_callback_t(void *context, const struct charge *charge,
                                    struct err *err);

/** The wall clock just before what is read of a store that was opened to be read. */
usec_t store_read_wall(const struct store *store);

/** Every charge that has a part in [from_s, to_s), whole: those of closed intervals by
 * their start, then those that still run, up to now.  An interval of 0 seconds is given
 * when its start lies there.  For a store opened to be read. */
MUST_CHECK int store_each_charge(struct store *store, int64_t from_s, int64_t to_s,
                                 store_charge_callback_t *callback, void *context,
                                 struct err *err);

/** The charges of one job, by kind, attempt and worker. */
MUST_CHECK int store_each_charge_of(struct store *store, int64_t job_id,
                                    store_charge_callback_t *callback, void *context,
                                    struct err *err);

/* A row of price; texts are valid during the call only. */
struct price_row {
    int64_t seq;
    const char *instance_type;
    nanousd_t hourly;
    usec_t from_us;
    const char *as_of;
    const char *basis;
    const char *confidence;
    const char *source;
};
typedef int store_price_callback_t(void *context, const struct price_row *price,
                                   struct err *err);
MUST_CHECK int store_each_price(struct store *store, store_price_callback_t *callback,
                                void *context, struct err *err);

typedef int store_label_callback_t(void *context, int64_t seq,
                                   const struct charge_label *label, struct err *err);
/** The label of this number; ERR_NOT_FOUND. */
MUST_CHECK int store_get_label(struct store *store, int64_t seq,
                               store_label_callback_t *callback, void *context,
                               struct err *err);
MUST_CHECK int store_each_label(struct store *store, store_label_callback_t *callback,
                                void *context, struct err *err);

/** The last row of the ledger and its hash in hexadecimal ("" when there is none). */
int64_t store_chain_end(const struct store *store, char hex[DIGEST_HEX_SIZE]);

#endif
