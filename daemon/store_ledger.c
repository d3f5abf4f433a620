/* The ledger: labels and billing intervals.  Rows are added, never changed (the
 * schema's triggers see to it). */

#include "daemon/store_private.h"

#include <stdlib.h>

int store_find_row(struct store *store, const char *sql,
                   const struct ledger_cell *cells, size_t count, int64_t *seq,
                   struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql, &statement, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        store_bind_cell(statement, (int)i + 1, &cells[i]);
    step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *seq = sqlite3_column_int64(statement, 0);
    else if (step != SQLITE_DONE)
        return store_fail(store, "read the ledger", err);
    return step == SQLITE_ROW;
}

static const char sql_find_label[] =
    "SELECT seq FROM charge_label WHERE owner = ?1 AND instance_type = ?2 AND pool = ?3"
    " AND pricing = ?4 AND scheduler = ?5 AND emulated = ?6 AND tags = ?7";

static const struct store_table label_table = {
    "charge_label",
    "INSERT INTO charge_label VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
};

int store_label(struct store *store, const struct charge_label *label, int64_t *seq,
                struct err *err)
{
    const struct ledger_cell cells[] = {
        cell_text(label->owner),     cell_text(label->instance_type),
        cell_text(label->pool),      cell_text(label->pricing),
        cell_text(label->scheduler), cell_number(label->emulated),
        cell_text(label->tags),
    };
    int found =
        store_find_row(store, sql_find_label, cells, ARRAY_SIZE(cells), seq, err);

    if (found)
        return found < 0 ? -1 : 0;
    return store_append(store, &label_table, cells, ARRAY_SIZE(cells), seq, err);
}

static const char *kind_name(enum interval_kind kind)
{
    return kind == INTERVAL_WARM ? "warm" : "run";
}

static struct ledger_cell reprice_cell(bool at_change)
{
    return cell_text(at_change ? "at-change" : "at-open");
}

static const struct store_table open_table = {
    "interval_open",
    "INSERT INTO interval_open VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
};

int store_open_interval(struct store *store, const struct job *job, int worker,
                        const struct interval_start *start, struct err *err)
{
    const struct ledger_cell cells[] = {
        cell_number(job->job_id),
        cell_text(kind_name(INTERVAL_RUN)),
        cell_number(job->attempt),
        cell_number(worker),
        cell_number(start->label),
        start->price ? cell_number(start->price) : cell_null(),
        reprice_cell(start->at_change),
        cell_text(job->boot_id),
        cell_number(job->ready_boot_us),
        cell_number(job->ready_wall_us),
        cell_text(start->evidence),
    };

    return store_append(store, &open_table, cells, ARRAY_SIZE(cells), NULL, err);
}

static const char sql_find_open[] =
    "SELECT seq, label, price, boot_id, boot_us, wall_us FROM interval_open"
    " WHERE job_id = ?1 AND kind = ?2 AND attempt = ?3 AND worker = ?4";

/* The row of an interval that was opened. */
static int find_open(struct store *store, const struct job *job,
                     enum interval_kind kind, int worker, sqlite3_stmt **statement,
                     struct err *err)
{
    int step;

    if (store_prepare(store, sql_find_open, statement, err) < 0)
        return -1;
    sqlite3_bind_int64(*statement, 1, job->job_id);
    store_bind_text(*statement, 2, kind_name(kind));
    sqlite3_bind_int(*statement, 3, job->attempt);
    sqlite3_bind_int(*statement, 4, worker);
    step = sqlite3_step(*statement);
    if (step == SQLITE_DONE)
        return err_set(err, ERR_INTERNAL,
                       "database: job %s, attempt %d, worker %d has no open interval",
                       job->name, job->attempt, worker);
    return step == SQLITE_ROW ? 0 : store_fail(store, "find an interval", err);
}

static int open_warm(struct store *store, const struct job *job, int worker,
                     bool at_change, int64_t price, struct err *err)
{
    auto_statement sqlite3_stmt *run = NULL;
    usec_t start = job_warm_start(job);

    if (find_open(store, job, INTERVAL_RUN, worker, &run, err) < 0)
        return -1;
    {
        const struct ledger_cell cells[] = {
            cell_number(job->job_id),
            cell_text(kind_name(INTERVAL_WARM)),
            cell_number(job->attempt),
            cell_number(worker),
            store_column_cell(run, 1),
            price ? cell_number(price) : store_column_cell(run, 2),
            reprice_cell(at_change),
            store_column_cell(run, 3),
            cell_number(start),
            cell_number(sqlite3_column_int64(run, 5)
                        + (start - sqlite3_column_int64(run, 4))),
            cell_text("the attempt ended: kept for the next job"),
        };

        return store_append(store, &open_table, cells, ARRAY_SIZE(cells), NULL, err);
    }
}

int store_open_warm(struct store *store, const struct job *job, bool at_change,
                    int64_t price, struct err *err)
{
    for (int i = 0; i < job->instance_count; i++)
        if (open_warm(store, job, i, at_change, price, err) < 0)
            return -1;
    return 0;
}

static const char sql_get_pin[] =
    "SELECT o.reprice = 'at-change', l.pricing = 'free' FROM interval_open AS o"
    " JOIN charge_label AS l ON l.seq = o.label"
    " WHERE o.job_id = ?1 AND o.kind = ?2 AND o.attempt = ?3 LIMIT 1";

int store_get_pin(struct store *store, const struct job *job, enum interval_kind kind,
                  struct interval_pin *pin, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_get_pin, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job->job_id);
    store_bind_text(statement, 2, kind_name(kind));
    sqlite3_bind_int(statement, 3, job->attempt);
    step = sqlite3_step(statement);
    if (step == SQLITE_DONE)
        return err_set(err, ERR_INTERNAL,
                       "database: job %s, attempt %d has no interval", job->name,
                       job->attempt);
    if (step != SQLITE_ROW)
        return store_fail(store, "find an interval", err);
    *pin = (struct interval_pin){ sqlite3_column_int(statement, 0) != 0,
                                  sqlite3_column_int(statement, 1) != 0 };
    return 0;
}

static const struct store_table close_table = {
    "interval_close",
    "INSERT INTO interval_close VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
};

static const struct store_table cut_table = {
    "interval_price", "INSERT INTO interval_price VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
};

static int add_cuts(struct store *store, int64_t open_seq,
                    const struct interval_end *end, struct err *err)
{
    for (size_t i = 0; i < end->cut_count; i++) {
        const struct ledger_cell cells[] = {
            cell_number(open_seq),
            cell_number(end->cuts[i].from_second),
            cell_number(end->cuts[i].base),
            cell_number(end->cuts[i].price),
        };

        if (store_append(store, &cut_table, cells, ARRAY_SIZE(cells), NULL, err) < 0)
            return -1;
    }
    return 0;
}

int store_close_interval(struct store *store, const struct job *job, int worker,
                         const struct interval_end *end, struct err *err)
{
    auto_statement sqlite3_stmt *open = NULL;
    struct ledger_cell cells[7];

    if (find_open(store, job, end->kind, worker, &open, err) < 0)
        return -1;
    cells[0] = store_column_cell(open, 0);
    cells[1] = cell_number(sqlite3_column_int64(open, 5) / USEC_PER_SEC);
    cells[2] = cell_number(end->boot_us);
    cells[3] = cell_number(end->seconds);
    cells[4] = cell_number(end->base);
    cells[5] = end->busy_permille < 0 ? cell_null() : cell_number(end->busy_permille);
    cells[6] = cell_text(end->evidence);
    if (store_append(store, &close_table, cells, ARRAY_SIZE(cells), NULL, err) < 0)
        return -1;
    return add_cuts(store, sqlite3_column_int64(open, 0), end, err);
}

static const char sql_get_intervals[] =
    "SELECT o.attempt, o.worker, o.boot_id, o.boot_us, o.wall_us, o.evidence,"
    " c.boot_us, c.seconds, c.evidence,"
    " p.hourly_nanousd, p.source, p.confidence, p.basis, p.as_of,"
    " o.seq, c.base, c.busy_permille, o.reprice = 'at-change'"
    " FROM interval_open AS o"
    " LEFT JOIN interval_close AS c ON c.open_seq = o.seq"
    " LEFT JOIN price AS p ON p.seq = o.price"
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
        .open_seq = sqlite3_column_int64(statement, 14),
        .base = sqlite3_column_int64(statement, 15),
        .busy_permille = sqlite3_column_type(statement, 16) == SQLITE_NULL
                             ? -1
                             : sqlite3_column_int(statement, 16),
        .at_change = sqlite3_column_int(statement, 17) != 0,
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

bool interval_is_cut(const struct interval *interval)
{
    return interval->at_change && !(interval->priced && interval->hourly == 0);
}

/* Intervals, and the cuts of all of them. */
static const char sql_count_intervals[] =
    "SELECT COUNT(*), SUM((SELECT COUNT(*) FROM interval_price WHERE open_seq = o.seq))"
    " FROM interval_open AS o WHERE o.job_id = ?1 AND o.kind = ?2";

static const char sql_get_cuts[] =
    "SELECT x.open_seq, x.from_second, p.hourly_nanousd"
    " FROM interval_open AS o"
    " JOIN interval_price AS x ON x.open_seq = o.seq"
    " JOIN price AS p ON p.seq = x.price"
    " WHERE o.job_id = ?1 AND o.kind = ?2 ORDER BY o.attempt, o.worker, x.from_second";

/* The first row of a statement about the intervals of a job, if there is one. */
static int first_of_job(struct store *store, const char *sql, int64_t job_id,
                        enum interval_kind kind, sqlite3_stmt **statement,
                        struct err *err)
{
    int step;

    if (store_prepare(store, sql, statement, err) < 0)
        return -1;
    sqlite3_bind_int64(*statement, 1, job_id);
    store_bind_text(*statement, 2, kind_name(kind));
    step = sqlite3_step(*statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "read the ledger", err);
    return step;
}

/* Room for all intervals and, behind them, their cuts. */
static int make_room(struct store *store, int64_t job_id, enum interval_kind kind,
                     struct interval **room, size_t *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    size_t cuts;

    if (first_of_job(store, sql_count_intervals, job_id, kind, &statement, err) < 0)
        return -1;
    *count = (size_t)sqlite3_column_int64(statement, 0);
    cuts = (size_t)sqlite3_column_int64(statement, 1);
    *room = xcalloc(1, *count * sizeof **room + cuts * sizeof(struct price_cut));
    return 0;
}

/* Both come in the same order. */
static int read_cuts(struct store *store, int64_t job_id, enum interval_kind kind,
                     struct interval *intervals, size_t count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct price_cut *cut = (struct price_cut *)(void *)(intervals + count);
    struct interval *interval = intervals;
    int step = first_of_job(store, sql_get_cuts, job_id, kind, &statement, err);

    for (; step == SQLITE_ROW; step = sqlite3_step(statement)) {
        while (interval->open_seq != sqlite3_column_int64(statement, 0))
            interval++;
        *cut = (struct price_cut){ sqlite3_column_int64(statement, 1),
                                   sqlite3_column_int64(statement, 2) };
        if (interval->cut_count++ == 0)
            interval->cuts = cut;
        cut++;
    }
    if (step < 0)
        return -1;
    return step == SQLITE_DONE ? 0 : store_fail(store, "read the ledger", err);
}

static int read_intervals(struct store *store, int64_t job_id, enum interval_kind kind,
                          struct interval *intervals, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step = first_of_job(store, sql_get_intervals, job_id, kind, &statement, err);

    for (; step == SQLITE_ROW; step = sqlite3_step(statement))
        copy_interval(statement, intervals++);
    if (step < 0)
        return -1;
    return step == SQLITE_DONE ? 0 : store_fail(store, "read the ledger", err);
}

int store_get_intervals(struct store *store, int64_t job_id, enum interval_kind kind,
                        struct interval **intervals, size_t *count, struct err *err)
{
    auto_free struct interval *found = NULL;
    size_t found_count;

    if (make_room(store, job_id, kind, &found, &found_count, err) < 0
        || read_intervals(store, job_id, kind, found, err) < 0
        || read_cuts(store, job_id, kind, found, found_count, err) < 0)
        return -1;
    *intervals = steal_ptr(&found);
    *count = found_count;
    return 0;
}
