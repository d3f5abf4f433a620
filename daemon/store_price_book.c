/* Rows of price, what prices that are set may not change, and when prices change. */

#include "daemon/store_price_book.h"

#include "daemon/store_private.h"

enum {
    PRICE_CELLS = 7
};

/* Borrowed from the row. */
static void cells_of(const struct price_row *price,
                     struct ledger_cell cells[PRICE_CELLS])
{
    cells[0] = cell_text(price->instance_type);
    cells[1] = cell_number(price->hourly);
    cells[2] = cell_number(price->from_us);
    cells[3] = cell_text(price->as_of);
    cells[4] = cell_text(price->basis);
    cells[5] = cell_text(price->confidence);
    cells[6] = cell_text(price->source);
}

static const struct store_table price_table = {
    "price", "INSERT INTO price VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
};

int store_add_price(struct store *store, const struct price_row *price, int64_t *seq,
                    struct err *err)
{
    struct ledger_cell cells[PRICE_CELLS];

    cells_of(price, cells);
    return store_append(store, &price_table, cells, PRICE_CELLS, seq, err);
}

static const char sql_find_price[] =
    "SELECT seq FROM price WHERE instance_type = ?1 AND hourly_nanousd = ?2"
    " AND from_us = ?3 AND as_of = ?4 AND basis = ?5 AND confidence = ?6 AND source = ?7"
    " ORDER BY seq DESC LIMIT 1";

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

int store_price_id(struct store *store, const char *instance_type,
                   const struct profile_price *price, int64_t *price_id,
                   struct err *err)
{
    const struct price_row row = { .instance_type = instance_type,
                                   .hourly = price->hourly,
                                   .from_us = price->from,
                                   .as_of = or_empty(price->as_of),
                                   .basis = or_empty(price->basis),
                                   .confidence = or_empty(price->confidence),
                                   .source = or_empty(price->source) };
    struct ledger_cell cells[PRICE_CELLS];
    int found;

    cells_of(&row, cells);
    found = store_find_row(store, sql_find_price, cells, PRICE_CELLS, price_id, err);
    if (found)
        return found < 0 ? -1 : 0;
    return store_add_price(store, &row, price_id, err);
}

/* --- what they may not change --- */

static const char sql_note_charged[] =
    "INSERT INTO charged VALUES (?1, ?2) ON CONFLICT (instance_type) DO UPDATE"
    " SET until_us = MAX(until_us, excluded.until_us)";

int store_note_charged(struct store *store, const char *instance_type, usec_t until,
                       struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_note_charged, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, instance_type);
    sqlite3_bind_int64(statement, 2, until);
    return store_run(store, statement, "note what is charged", err);
}

static const char sql_get_charged[] =
    "SELECT until_us FROM charged WHERE instance_type = ?1";

int store_get_charged(struct store *store, const char *instance_type, usec_t *until,
                      struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_get_charged, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, instance_type);
    step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "read what is charged", err);
    *until = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : INT64_MIN;
    return 0;
}

/* Of the newest 500 intervals: two look-ups for each, some 1 ms together. */
static const char sql_count_charged[] =
    "SELECT COUNT(*), SUM(l.instance_type = ?1 AND (o.wall_us >= ?2"
    "  OR (o.reprice = 'at-change' AND l.pricing <> 'free'"
    "   AND (c.start_s + c.seconds) * 1000000 > ?2)))"
    " FROM (SELECT open_seq, start_s, seconds FROM interval_close"
    "  INDEXED BY interval_close_by_start ORDER BY start_s DESC LIMIT 500) AS c"
    " JOIN interval_open AS o ON o.seq = c.open_seq"
    " JOIN charge_label AS l ON l.seq = o.label";

int store_count_charged(struct store *store, const char *instance_type, usec_t from,
                        struct charged_count *count, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_count_charged, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, instance_type);
    sqlite3_bind_int64(statement, 2, from);
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "count what is charged", err);
    count->is_all = sqlite3_column_int64(statement, 0) < 500;
    count->count = sqlite3_column_int64(statement, 1);
    return 0;
}

/* --- changes of price, for what runs --- */

static const char sql_clear_changes[] = "DELETE FROM price_change";

int store_clear_price_changes(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_clear_changes, &statement, err) < 0)
        return -1;
    return store_run(store, statement, "forget changes of prices", err);
}

static const char sql_clear_changes_of[] =
    "DELETE FROM price_change WHERE instance_type = ?1 AND from_us > ?2";

int store_clear_price_changes_of(struct store *store, const char *instance_type,
                                 usec_t since, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_clear_changes_of, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, instance_type);
    sqlite3_bind_int64(statement, 2, since);
    return store_run(store, statement, "forget changes of a price", err);
}

static const char sql_add_change[] =
    "INSERT OR REPLACE INTO price_change VALUES (?1, ?2, ?3)";

int store_add_price_change(struct store *store, const char *instance_type, usec_t from,
                           int64_t price, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_add_change, &statement, err) < 0)
        return -1;
    store_bind_text(statement, 1, instance_type);
    sqlite3_bind_int64(statement, 2, from);
    sqlite3_bind_int64(statement, 3, price);
    return store_run(store, statement, "keep a change of price", err);
}
