/* SQLite alone.  Decides nothing: the settings are those of daemon/store.c, so that
 * what is compared differs in what is done and not in how it is kept. */

#include "tests/bench/rows.h"

#include "tests/bench/bench.h"

#include <sqlite3.h>
#include <stdlib.h>

struct rows {
    sqlite3 *db;
    sqlite3_stmt *begin;
    sqlite3_stmt *insert;
    sqlite3_stmt *commit;
    bool open;
};

static const char sql_settings[] =
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA wal_autocheckpoint = 4000;"
    "PRAGMA cache_size = -8192;"
    "PRAGMA temp_store = MEMORY;"
    "CREATE TABLE row (row_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " text TEXT NOT NULL) STRICT;";

static void prepare(struct rows *rows, const char *sql, sqlite3_stmt **out)
{
    if (sqlite3_prepare_v3(rows->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL)
        != SQLITE_OK)
        bench_fail("sqlite", sqlite3_errmsg(rows->db));
}

static void run(struct rows *rows, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        bench_fail("sqlite", sqlite3_errmsg(rows->db));
    sqlite3_reset(statement);
}

struct rows *rows_open(const char *path)
{
    struct rows *rows = xcalloc(1, sizeof *rows);

    if (sqlite3_open_v2(path, &rows->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                            | SQLITE_OPEN_NOMUTEX,
                        NULL)
            != SQLITE_OK
        || sqlite3_exec(rows->db, sql_settings, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail(path, sqlite3_errmsg(rows->db));
    prepare(rows, "BEGIN IMMEDIATE", &rows->begin);
    prepare(rows, "INSERT INTO row (name, text) VALUES (?1, ?2)", &rows->insert);
    prepare(rows, "COMMIT", &rows->commit);
    return rows;
}

void rows_add(struct rows *rows, const char *name, const char *text)
{
    if (!rows->open)
        run(rows, rows->begin);
    rows->open = true;
    sqlite3_bind_text(rows->insert, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(rows->insert, 2, text, -1, SQLITE_STATIC);
    run(rows, rows->insert);
}

void rows_commit(struct rows *rows)
{
    run(rows, rows->commit);
    rows->open = false;
}

void rows_close(struct rows *rows)
{
    sqlite3_finalize(rows->begin);
    sqlite3_finalize(rows->insert);
    sqlite3_finalize(rows->commit);
    sqlite3_close(rows->db);
    free(rows);
}
