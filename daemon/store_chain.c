/* The chain of the ledger: rows of six tables, numbered and hashed as one run. */

#include "daemon/store_chain.h"

#include "daemon/store_private.h"

#include <assert.h>
#include <string.h>

enum {
    CELLS_MAX = 12 /* of a row without its hash; interval_open has as many */
};

static const char sql_last_row[] =
    "SELECT seq, hash FROM ("
    " SELECT * FROM (SELECT seq, hash FROM price ORDER BY seq DESC LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT seq, hash FROM charge_label ORDER BY seq DESC LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT seq, hash FROM interval_open ORDER BY seq DESC LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT seq, hash FROM interval_close ORDER BY seq DESC LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT seq, hash FROM interval_price ORDER BY seq DESC LIMIT 1)"
    " UNION ALL SELECT * FROM (SELECT seq, hash FROM reservation ORDER BY seq DESC LIMIT 1)"
    ") ORDER BY seq DESC LIMIT 1";

int store_read_chain(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_last_row, &statement, err) < 0)
        return -1;
    step = sqlite3_step(statement);
    if (step == SQLITE_DONE)
        return 0;
    if (step != SQLITE_ROW)
        return store_fail(store, "read the end of the ledger", err);
    store->chain.seq = sqlite3_column_int64(statement, 0);
    if (sqlite3_column_bytes(statement, 1) != DIGEST_SIZE) {
        if (store->lock < 0)
            return 0; /* whoever verifies it is told more */
        return err_set(err, ERR_INTERNAL,
                       "database: row %lld of the ledger has no hash: restore a backup",
                       (long long)store->chain.seq);
    }
    memcpy(store->chain.hash, sqlite3_column_blob(statement, 1), DIGEST_SIZE);
    return 0;
}

void store_bind_cell(sqlite3_stmt *statement, int index, const struct ledger_cell *cell)
{
    switch (cell->kind) {
    case CELL_NULL:
        sqlite3_bind_null(statement, index);
        return;
    case CELL_NUMBER:
        sqlite3_bind_int64(statement, index, cell->number);
        return;
    case CELL_TEXT:
        sqlite3_bind_text(statement, index, cell->text, -1, SQLITE_STATIC);
        return;
    }
}

struct ledger_cell store_column_cell(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return cell_number(sqlite3_column_int64(statement, column));
    case SQLITE_TEXT:
        return cell_text((const char *)sqlite3_column_text(statement, column));
    default:
        return cell_null();
    }
}

int store_append(struct store *store, const struct store_table *table,
                 const struct ledger_cell *cells, size_t count, int64_t *seq,
                 struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct ledger_cell row[CELLS_MAX];
    struct chain_end next = store->chain;

    assert(count < CELLS_MAX);
    next.seq++;
    row[0] = cell_number(next.seq);
    memcpy(row + 1, cells, count * sizeof *cells);
    ledger_row_hash(table->name, row, count + 1, next.hash);
    if (store_begin(store, err) < 0
        || store_prepare(store, table->insert, &statement, err) < 0)
        return -1;
    for (size_t i = 0; i <= count; i++)
        store_bind_cell(statement, (int)i + 1, &row[i]);
    sqlite3_bind_blob(statement, (int)count + 2, next.hash, DIGEST_SIZE, SQLITE_STATIC);
    if (store_run(store, statement, table->name, err) < 0)
        return -1;
    store->chain = next;
    if (seq)
        *seq = next.seq;
    return 0;
}

/* --- reading it --- */

static const struct {
    const char *name;
    const char *select;
} tables[] = {
    { "price", "SELECT * FROM price ORDER BY seq" },
    { "charge_label", "SELECT * FROM charge_label ORDER BY seq" },
    { "interval_open", "SELECT * FROM interval_open ORDER BY seq" },
    { "interval_close", "SELECT * FROM interval_close ORDER BY seq" },
    { "interval_price", "SELECT * FROM interval_price ORDER BY seq" },
    { "reservation", "SELECT * FROM reservation ORDER BY seq" },
};

/* The next row of a table, if there is one. */
struct cursor {
    sqlite3_stmt *statement;
    bool has_row;
};

static int advance(struct store *store, struct cursor *cursor, struct err *err)
{
    int step = sqlite3_step(cursor->statement);

    cursor->has_row = step == SQLITE_ROW;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "read the ledger", err);
    return 0;
}

/* SIZE_MAX: there is no row left. */
static size_t first_of(const struct cursor *cursors)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        if (cursors[i].has_row
            && (first == SIZE_MAX
                || sqlite3_column_int64(cursors[i].statement, 0)
                       < sqlite3_column_int64(cursors[first].statement, 0)))
            first = i;
    return first;
}

/* What has no form as a cell was never appended. */
static bool is_odd(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
    case SQLITE_NULL:
        return false;
    case SQLITE_TEXT:
        return strlen((const char *)sqlite3_column_text(statement, column))
               != (size_t)sqlite3_column_bytes(statement, column);
    default:
        return true;
    }
}

static int give(sqlite3_stmt *statement, const char *table,
                store_ledger_callback_t *callback, void *context, struct err *err)
{
    int count = sqlite3_column_count(statement) - 1;
    struct ledger_cell cells[CELLS_MAX];
    struct ledger_row row = { .table = table, .cells = cells };

    if (count > CELLS_MAX) { /* somebody has added columns */
        count = CELLS_MAX;
        row.is_odd = true;
    }
    row.count = (size_t)count;
    for (int i = 0; i < count; i++) {
        cells[i] = store_column_cell(statement, i);
        row.is_odd = row.is_odd || is_odd(statement, i);
    }
    if (sqlite3_column_type(statement, count) == SQLITE_BLOB
        && sqlite3_column_bytes(statement, count) == DIGEST_SIZE)
        row.hash = sqlite3_column_blob(statement, count);
    return callback(context, &row, err);
}

static int each_row(struct store *store, struct cursor *cursors,
                    store_ledger_callback_t *callback, void *context, struct err *err)
{
    size_t next;

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        if (store_prepare(store, tables[i].select, &cursors[i].statement, err) < 0
            || advance(store, &cursors[i], err) < 0)
            return -1;
    while ((next = first_of(cursors)) != SIZE_MAX)
        if (give(cursors[next].statement, tables[next].name, callback, context, err) < 0
            || advance(store, &cursors[next], err) < 0)
            return -1;
    return 0;
}

int store_each_ledger_row(struct store *store, store_ledger_callback_t *callback,
                          void *context, struct err *err)
{
    struct cursor cursors[ARRAY_SIZE(tables)] = { 0 };
    int result = each_row(store, cursors, callback, context, err);

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        store_reset(&cursors[i].statement);
    return result;
}
