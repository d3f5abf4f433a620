/* The ledger: prices and billing intervals.  Rows are added, never changed (the
 * schema's triggers see to it). */

#include "daemon/store_private.h"

#include <stdlib.h>

static const char sql_find_price[] =
    "SELECT price_id FROM price WHERE instance_type = ?1 AND hourly_nanousd = ?2"
    " AND from_us = ?3 AND as_of = ?4 AND basis = ?5 AND confidence = ?6 AND source = ?7";

static const char sql_add_price[] =
    "INSERT INTO price (instance_type, hourly_nanousd, from_us, as_of, basis, confidence, source)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

static void bind_price(sqlite3_stmt *statement, const char *instance_type,
                       const struct profile_price *price)
{
    store_bind_text(statement, 1, instance_type);
    sqlite3_bind_int64(statement, 2, price->hourly);
    sqlite3_bind_int64(statement, 3, price->from);
    store_bind_text(statement, 4, price->as_of ? price->as_of : "");
    store_bind_text(statement, 5, price->basis ? price->basis : "");
    store_bind_text(statement, 6, price->confidence ? price->confidence : "");
    store_bind_text(statement, 7, price->source ? price->source : "");
}

int store_price_id(struct store *store, const char *instance_type,
                   const struct profile_price *price, int64_t *price_id,
                   struct err *err)
{
    auto_statement sqlite3_stmt *find = NULL;
    auto_statement sqlite3_stmt *add = NULL;
    int step;

    if (store_prepare(store, sql_find_price, &find, err) < 0)
        return -1;
    bind_price(find, instance_type, price);
    step = sqlite3_step(find);
    if (step == SQLITE_ROW) {
        *price_id = sqlite3_column_int64(find, 0);
        return 0;
    }
    if (step != SQLITE_DONE)
        return store_fail(store, "find a price", err);
    if (store_begin(store, err) < 0
        || store_prepare(store, sql_add_price, &add, err) < 0)
        return -1;
    bind_price(add, instance_type, price);
    if (store_run(store, add, "add a price", err) < 0)
        return -1;
    *price_id = sqlite3_last_insert_rowid(store->db);
    return 0;
}

static const char sql_open_interval[] =
    "INSERT INTO interval_open (job_id, kind, attempt, worker, price_id, boot_id, boot_us,"
    " wall_us, evidence) VALUES (?1, 'run', ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

int store_open_interval(struct store *store, const struct job *job, int worker,
                        int64_t price_id, const char *evidence, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_open_interval, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    sqlite3_bind_int(statement, 2, job->attempt);
    sqlite3_bind_int(statement, 3, worker);
    if (price_id)
        sqlite3_bind_int64(statement, 4, price_id);
    store_bind_text(statement, 5, job->boot_id);
    sqlite3_bind_int64(statement, 6, job->ready_boot_us);
    sqlite3_bind_int64(statement, 7, job->ready_wall_us);
    store_bind_text(statement, 8, evidence);
    return store_run(store, statement, "open a billing interval", err);
}

static const char sql_open_warm[] =
    "INSERT INTO interval_open (job_id, kind, attempt, worker, price_id, boot_id, boot_us,"
    " wall_us, evidence)"
    " SELECT job_id, 'warm', attempt, worker, price_id, boot_id, ?3, wall_us + (?3 - boot_us),"
    " 'the attempt ended: kept for the next job'"
    " FROM interval_open WHERE job_id = ?1 AND kind = 'run' AND attempt = ?2";

int store_open_warm(struct store *store, const struct job *job, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_open_warm, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    sqlite3_bind_int(statement, 2, job->attempt);
    sqlite3_bind_int64(statement, 3, job_warm_start(job));
    return store_run(store, statement, "open the intervals of a warm pool", err);
}

static const char *kind_name(enum interval_kind kind)
{
    return kind == INTERVAL_WARM ? "warm" : "run";
}

static const char sql_close_interval[] =
    "INSERT INTO interval_close (job_id, kind, attempt, worker, boot_us, seconds, evidence)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

int store_close_interval(struct store *store, const struct job *job, int worker,
                         const struct interval_end *end, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_close_interval, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    store_bind_text(statement, 2, kind_name(end->kind));
    sqlite3_bind_int(statement, 3, job->attempt);
    sqlite3_bind_int(statement, 4, worker);
    sqlite3_bind_int64(statement, 5, end->boot_us);
    sqlite3_bind_int64(statement, 6, end->seconds);
    store_bind_text(statement, 7, end->evidence);
    return store_run(store, statement, "close a billing interval", err);
}

static const char sql_get_intervals[] =
    "SELECT o.attempt, o.worker, o.boot_id, o.boot_us, o.wall_us, o.evidence,"
    " c.boot_us, c.seconds, c.evidence,"
    " p.hourly_nanousd, p.source, p.confidence, p.basis, p.as_of"
    " FROM interval_open AS o"
    " LEFT JOIN interval_close AS c USING (job_id, kind, attempt, worker)"
    " LEFT JOIN price AS p ON p.price_id = o.price_id"
    " WHERE o.job_id = ?1 AND o.kind = ?2 ORDER BY o.attempt, o.worker";

static void copy_interval(sqlite3_stmt *statement, struct interval *interval)
{
    *interval = (struct interval){
        .attempt = sqlite3_column_int(statement, 0),
        .worker = sqlite3_column_int(statement, 1),
        .open_boot_us = sqlite3_column_int64(statement, 3),
        .open_wall_us = sqlite3_column_int64(statement, 4),
        .closed = sqlite3_column_type(statement, 6) != SQLITE_NULL,
        .close_boot_us = sqlite3_column_int64(statement, 6),
        .seconds = sqlite3_column_int64(statement, 7),
        .priced = sqlite3_column_type(statement, 9) != SQLITE_NULL,
        .hourly = sqlite3_column_int64(statement, 9),
    };
    store_column_copy(statement, 2, interval->boot_id, sizeof interval->boot_id);
    store_column_copy(statement, 5, interval->open_evidence,
                      sizeof interval->open_evidence);
    store_column_copy(statement, 8, interval->close_evidence,
                      sizeof interval->close_evidence);
    store_column_copy(statement, 10, interval->price_source,
                      sizeof interval->price_source);
    store_column_copy(statement, 11, interval->price_confidence,
                      sizeof interval->price_confidence);
    store_column_copy(statement, 12, interval->price_basis,
                      sizeof interval->price_basis);
    store_column_copy(statement, 13, interval->price_as_of,
                      sizeof interval->price_as_of);
}

int store_get_intervals(struct store *store, int64_t job_id, enum interval_kind kind,
                        struct interval **intervals, size_t *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct interval *found = NULL;
    size_t room = 0, used = 0;
    int step;

    if (store_prepare(store, sql_get_intervals, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    store_bind_text(statement, 2, kind_name(kind));
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (used == room) {
            room = room ? room * 2 : 4;
            found = xrealloc(found, room * sizeof *found);
        }
        copy_interval(statement, &found[used++]);
    }
    if (step != SQLITE_DONE) {
        free(found);
        return store_fail(store, "read the ledger", err);
    }
    *intervals = found;
    *count = used;
    return 0;
}
