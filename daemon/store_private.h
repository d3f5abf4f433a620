#ifndef DAEMON_STORE_PRIVATE_H
#define DAEMON_STORE_PRIVATE_H

#include "daemon/reserve.h"
#include "daemon/schema.h"
#include "daemon/store.h"
#include "daemon/store_block.h"
#include "daemon/store_chain.h"

#include <sqlite3.h>

/* For store*.c only. */

enum {
    STORE_STATEMENTS_MAX = 96
};

/* store_room.c: SQLite's way to the disk, with the reserve behind it. */
struct store_room {
    sqlite3_vfs vfs; /* first: SQLite hands it back */
    sqlite3_vfs *real;
    char *name;
    struct reserve reserve;
};

struct store {
    sqlite3 *db;
    struct store_room *room; /* NULL: opened to be read only */
    int lock;                /* fd of PATH.lock; -1: opened to be read only */
    usec_t read_boot_us; /* read only: just before what is read, so that what still runs
                            counts no longer than to there */
    usec_t read_wall_us;
    bool has_cuts; /* read only: some interval changed its price */
    bool in_transaction;
    int64_t next_job_id;
    usec_t last_created_us;   /* of the job before that */
    struct store_block block; /* of the jobs before that */
    int64_t commit_count;
    usec_t commit_usec;
    struct chain_end chain; /* of the ledger, with what this round has added */
    /* Prepared once, found again by the address of their text. */
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } prepared[STORE_STATEMENTS_MAX];
    size_t prepared_count;
};

/* The write-ahead log is checkpointed at so many pages (16 MiB): at 1,000 a burst of
 * submits pays a checkpoint ten times a second. */
enum {
    STORE_WAL_PAGES = 4000
};

/** store_wal.c: grows the log to its full size; we must be the only ones that have the
 * database open. */
MUST_CHECK int store_fill_wal(const char *path, struct err *err);
/** store_wal.c: when the log is checkpointed, and what is left of it once it was
 * longer.
 */
MUST_CHECK int store_limit_wal(struct store *store, struct err *err);

/** Opens the reserve of the database `path` and has SQLite know the file system that
 * draws on it by room->name; to be closed after the database. */
MUST_CHECK int store_room_open(const char *path, struct store_room **out,
                               struct err *err);
void store_room_close(struct store_room *room); /* NULL is well */

/** store_damage.c: what a person can do about a code of SQLite, as words behind the
 * failure; "" when nothing is known.  Pure. */
const char *store_remedy(int code);
/** Reads all pages of a database that is small enough for that: ERR_INTERNAL when one
 * is damaged. */
MUST_CHECK int store_check_pages(struct store *store, const char *path,
                                 struct err *err);
/** store_wal_check.c: ERR_INTERNAL when commits are missing in the log of a database
 * that nobody has open. */
MUST_CHECK int store_check_wal(const char *path, struct err *err);

/** One daemon at a time; programs that only read come and go beside it.  ERR_CONFLICT:
 * another one has the database `path`.  It is given up when the caller closes *fd. */
MUST_CHECK int store_lock(const char *path, int *fd, struct err *err);

/** Brings the schema up to the last of `steps`, one transaction a step, so that what
 * fails leaves the version before it.  ERR_INTERNAL, and nothing is changed, when it is
 * newer than that. */
MUST_CHECK int store_migrate(struct store *store, const struct schema_step *steps,
                             int count, struct err *err);

/** store_backup.c: ERR_INTERNAL when SQLite finds damage anywhere in the database. */
MUST_CHECK int store_check_integrity(sqlite3 *db, struct err *err);

/** store_charges.c: whether any interval has changed its price. */
MUST_CHECK int store_read_cuts(struct store *store, struct err *err);

/* A statement is reset when it goes out of scope. */
#define auto_statement __attribute__((cleanup(store_reset)))
void store_reset(sqlite3_stmt **statement);

/** The prepared statement of a static text, bindings cleared. */
MUST_CHECK int store_prepare(struct store *store, const char *sql, sqlite3_stmt **out,
                             struct err *err);

/** Opens the transaction of this round when there is none yet. */
MUST_CHECK int store_begin(struct store *store, struct err *err);

/** store_job.c: a row of these columns of `job`, in this order. */
#define STORE_JOB_COLUMNS                                                               \
    "job_id, id, name, owner, state, status, instance_type, instance_count, scheduler," \
    " emulated, created_us, changed_us, billable_seconds, cost_nanousd,"                \
    " unpriced_seconds"
void store_copy_job(sqlite3_stmt *statement, struct job_row *row);

/** Fills err from the database's last error and returns -1. */
int store_fail(struct store *store, const char *what, struct err *err);

/** Runs a statement that gives no rows. */
MUST_CHECK int store_run(struct store *store, sqlite3_stmt *statement, const char *what,
                         struct err *err);

void store_bind_text(sqlite3_stmt *statement, int index,
                     const char *text); /* NULL: null */

/** A cell of the ledger as a parameter, and a column as a cell, whose text is valid
 * until the next step. */
void store_bind_cell(sqlite3_stmt *statement, int index,
                     const struct ledger_cell *cell);
struct ledger_cell store_column_cell(sqlite3_stmt *statement, int column);

/** store_ledger.c: the seq of the row that a statement finds by these cells.  1: *seq
 * is set; 0: there is none. */
MUST_CHECK int store_find_row(struct store *store, const char *sql,
                              const struct ledger_cell *cells, size_t count,
                              int64_t *seq, struct err *err);

/** Gives a closed interval charge by charge, cut where its price changed. */
MUST_CHECK int store_cut_interval(struct store *store, const struct charge *whole,
                                  store_charge_callback_t *callback, void *context,
                                  struct err *err);

/** Copies a text column, cut to `size`; null gives "". */
void store_column_copy(sqlite3_stmt *statement, int column, char *out, size_t size);

#endif
