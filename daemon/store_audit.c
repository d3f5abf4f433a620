/* The ledger as it is audited.  Decides nothing: what holds is for those who look. */

#include "daemon/store_audit.h"

#include "daemon/store_private.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

static bool is_null(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

static const char sql_each_row[] =
    "SELECT j.job_id, j.name, j.owner, j.instance_type, j.scheduler, j.emulated,"
    " j.state, j.over, j.instance_count, j.billable_seconds, j.cost_nanousd,"
    " o.seq, o.kind, o.attempt, o.worker, o.label, o.price, o.boot_us, o.wall_us,"
    " l.owner, l.instance_type, l.scheduler, l.emulated,"
    " p.instance_type, p.hourly_nanousd,"
    " c.seq, c.start_s, c.boot_us, c.seconds, c.base, c.busy_permille, c.evidence,"
    " j.unpriced_seconds, o.reprice, o.boot_id, l.pool, l.pricing, p.from_us"
    " FROM job AS j"
    " LEFT JOIN interval_open AS o ON o.job_id = j.job_id"
    " LEFT JOIN charge_label AS l ON l.seq = o.label"
    " LEFT JOIN price AS p ON p.seq = o.price"
    " LEFT JOIN interval_close AS c ON c.open_seq = o.seq"
    " ORDER BY j.job_id, o.kind, o.attempt, o.worker";

static void copy_job(sqlite3_stmt *statement, struct audit_row *row)
{
    const char *state = text_of(statement, 6);
    enum job_state known;

    row->job_id = sqlite3_column_int64(statement, 0);
    row->job_name = text_of(statement, 1);
    row->job_owner = text_of(statement, 2);
    row->job_instance_type = text_of(statement, 3);
    row->job_scheduler = text_of(statement, 4);
    row->job_emulated = sqlite3_column_int(statement, 5) != 0;
    row->job_is_final =
        state && job_state_from_name(state, &known) && job_state_is_final(known);
    row->job_is_over = sqlite3_column_int(statement, 7) != 0;
    row->job_instances = sqlite3_column_int(statement, 8);
    row->job_has_bill = !is_null(statement, 9);
    row->job_seconds = sqlite3_column_int64(statement, 9);
    row->job_is_priced = !is_null(statement, 10);
    row->job_cost = sqlite3_column_int64(statement, 10);
    row->job_unpriced_seconds = sqlite3_column_int64(statement, 32);
}

static void copy_open(sqlite3_stmt *statement, struct audit_row *row)
{
    const char *kind = text_of(statement, 12);

    row->open_seq = sqlite3_column_int64(statement, 11);
    row->kind = kind && strcmp(kind, "warm") == 0 ? INTERVAL_WARM : INTERVAL_RUN;
    row->attempt = sqlite3_column_int64(statement, 13);
    row->worker = sqlite3_column_int64(statement, 14);
    row->label = sqlite3_column_int64(statement, 15);
    row->price = sqlite3_column_int64(statement, 16);
    row->open_boot_us = sqlite3_column_int64(statement, 17);
    row->open_wall_us = sqlite3_column_int64(statement, 18);
    row->reprice = text_of(statement, 33);
    row->boot_id = text_of(statement, 34);
    row->label_owner = text_of(statement, 19);
    row->label_instance_type = text_of(statement, 20);
    row->label_scheduler = text_of(statement, 21);
    row->label_emulated = sqlite3_column_int(statement, 22) != 0;
    row->label_pool = text_of(statement, 35);
    row->label_pricing = text_of(statement, 36);
    row->price_instance_type = text_of(statement, 23);
    row->hourly = sqlite3_column_int64(statement, 24);
    row->price_from = sqlite3_column_int64(statement, 37);
}

static void copy_close(sqlite3_stmt *statement, struct audit_row *row)
{
    row->close_seq = sqlite3_column_int64(statement, 25);
    row->start_s = sqlite3_column_int64(statement, 26);
    row->close_boot_us = sqlite3_column_int64(statement, 27);
    row->seconds = sqlite3_column_int64(statement, 28);
    row->base = sqlite3_column_int64(statement, 29);
    row->busy_is_known = !is_null(statement, 30);
    row->busy_permille = sqlite3_column_int64(statement, 30);
    row->close_evidence = text_of(statement, 31);
}

int store_each_audit_row(struct store *store, store_audit_callback_t *callback,
                         void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_row, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct audit_row row = { 0 };

        copy_job(statement, &row);
        copy_open(statement, &row);
        copy_close(statement, &row);
        if (callback(context, &row, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read the ledger", err);
}

static const char sql_each_cut[] =
    "SELECT i.seq, i.from_second, i.base, i.price, p.instance_type, p.hourly_nanousd,"
    " p.from_us, p.basis"
    " FROM interval_price AS i"
    " LEFT JOIN price AS p ON p.seq = i.price"
    " WHERE i.open_seq = ?1 ORDER BY i.from_second";

int store_each_audit_cut(struct store *store, int64_t open_seq,
                         store_audit_cut_callback_t *callback, void *context,
                         struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (!store->has_cuts)
        return 0;
    if (store_prepare(store, sql_each_cut, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, open_seq);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct audit_cut cut = {
            .seq = sqlite3_column_int64(statement, 0),
            .from_second = sqlite3_column_int64(statement, 1),
            .base = sqlite3_column_int64(statement, 2),
            .price = sqlite3_column_int64(statement, 3),
            .price_instance_type = text_of(statement, 4),
            .hourly = sqlite3_column_int64(statement, 5),
            .price_from = sqlite3_column_int64(statement, 6),
            .price_basis = text_of(statement, 7),
        };

        if (callback(context, &cut, err) < 0)
            return -1;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read the ledger", err);
}

static const char sql_find_stray[] =
    "SELECT * FROM ("
    " SELECT o.seq AS seq, 0 AS kind, o.job_id FROM interval_open AS o"
    "  WHERE NOT EXISTS (SELECT 1 FROM job WHERE job_id = o.job_id)"
    " UNION ALL SELECT c.seq, 1, c.open_seq FROM interval_close AS c WHERE NOT EXISTS"
    "  (SELECT 1 FROM interval_open AS o WHERE o.seq = c.open_seq AND o.seq < c.seq)"
    " UNION ALL SELECT i.seq, 2, i.open_seq FROM interval_price AS i WHERE NOT EXISTS"
    "  (SELECT 1 FROM interval_close AS c WHERE c.open_seq = i.open_seq AND c.seq < i.seq)"
    " UNION ALL SELECT r.seq, 3, r.price FROM reservation AS r"
    "  WHERE r.price IS NOT NULL AND NOT EXISTS (SELECT 1 FROM price AS p WHERE"
    "  p.seq = r.price AND p.seq < r.seq AND p.instance_type = r.instance_type"
    "  AND p.from_us <= r.from_us)"
    ") ORDER BY seq LIMIT 1";

int store_find_stray(struct store *store, struct audit_stray *stray, struct err *err)
{
    static const struct {
        const char *table;
        const char *column;
        const char *reason;
    } kinds[] = {
        { "interval_open", "job_id", "there is no such job" },
        { "interval_close", "open_seq",
          "no interval was opened by that row before it" },
        { "interval_price", "open_seq",
          "no interval of that row was closed before it" },
        { "reservation", "price",
          "there is no such price before it, of its type, in force by then" },
    };
    auto_statement sqlite3_stmt *statement = NULL;
    int kind, step;

    if (store_prepare(store, sql_find_stray, &statement, err) < 0)
        return -1;
    step = sqlite3_step(statement);
    *stray = (struct audit_stray){ 0 };
    if (step == SQLITE_DONE)
        return 0;
    if (step != SQLITE_ROW)
        return store_fail(store, "read the ledger", err);
    stray->seq = sqlite3_column_int64(statement, 0);
    kind = sqlite3_column_int(statement, 1);
    stray->table = kinds[kind].table;
    stray->column = kinds[kind].column;
    stray->reason = kinds[kind].reason;
    stray->names = sqlite3_column_int64(statement, 2);
    return 0;
}

static const char sql_job_of_interval[] =
    "SELECT j.name FROM interval_open AS o JOIN job AS j ON j.job_id = o.job_id"
    " WHERE o.seq = ?1";

int store_job_of_interval(struct store *store, int64_t open_seq, char name[64],
                          struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_job_of_interval, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, open_seq);
    step = sqlite3_step(statement);
    *name = '\0';
    if (step == SQLITE_ROW)
        store_column_copy(statement, 0, name, 64);
    else if (step != SQLITE_DONE)
        return store_fail(store, "find a job", err);
    return 0;
}
