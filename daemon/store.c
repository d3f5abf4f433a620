/* The database itself: opening, schema, the transaction of a round.  The rows are in
 * store_*.c. */

#include "daemon/store.h"

#include "daemon/schema.h"
#include "daemon/store_private.h"
#include "src/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A reader may hold a lock for a moment, when it opens or closes. */
enum {
    BUSY_MSEC = 5000
};

void store_reset(sqlite3_stmt **statement)
{
    if (*statement)
        sqlite3_reset(*statement);
}

int store_fail(struct store *store, const char *what, struct err *err)
{
    int code = sqlite3_extended_errcode(store->db);
    enum err_code kind = ERR_INTERNAL;

    if ((code & 0xff) == SQLITE_FULL)
        kind = ERR_DISK_FULL;
    else if ((code & 0xff) == SQLITE_BUSY)
        kind = ERR_UNAVAILABLE;
    return err_set(err, kind, "database: %s: %s (%d)%s", what,
                   sqlite3_errmsg(store->db), code, store_remedy(code));
}

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **out,
                  struct err *err)
{
    size_t i = 0;

    while (i < store->prepared_count && store->prepared[i].sql != sql)
        i++;
    if (i == store->prepared_count) {
        if (i == STORE_STATEMENTS_MAX)
            return err_set(err, ERR_INTERNAL, "database: more than %d statements",
                           STORE_STATEMENTS_MAX);
        if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                               &store->prepared[i].statement, NULL)
            != SQLITE_OK)
            return store_fail(store, sql, err);
        store->prepared[i].sql = sql;
        store->prepared_count++;
    }
    *out = store->prepared[i].statement;
    sqlite3_clear_bindings(*out);
    return 0;
}

int store_run(struct store *store, sqlite3_stmt *statement, const char *what,
              struct err *err)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        return store_fail(store, what, err);
    return 0;
}

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, index);
}

void store_column_copy(sqlite3_stmt *statement, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    snprintf(out, size, "%s", text ? (const char *)text : "");
}

static int run_text(struct store *store, const char *sql, const char *what,
                    struct err *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(store, what, err);
    return 0;
}

static const char sql_begin[] = "BEGIN IMMEDIATE";

int store_begin(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store->in_transaction && sqlite3_get_autocommit(store->db))
        return err_set(err, ERR_INTERNAL,
                       "database: a failure has undone the transaction of this round");
    if (store->in_transaction)
        return 0;
    if (store_prepare(store, sql_begin, &statement, err) < 0
        || store_run(store, statement, "begin", err) < 0)
        return -1;
    store->in_transaction = true;
    return 0;
}

static const char sql_commit[] = "COMMIT";

int store_commit(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    usec_t before = clock_boot();

    if (!store->in_transaction)
        return 0;
    if (store_prepare(store, sql_commit, &statement, err) < 0
        || store_run(store, statement, "commit", err) < 0)
        return -1;
    store->in_transaction = false;
    store->commit_count++;
    store->commit_usec = clock_boot() - before;
    return 0;
}

bool store_is_dirty(const struct store *store)
{
    return store->in_transaction;
}

int64_t store_commit_count(const struct store *store)
{
    return store->commit_count;
}

usec_t store_commit_usec(const struct store *store)
{
    return store->commit_usec;
}

static const char sql_get_version[] = "PRAGMA user_version";

static int schema_version(struct store *store, int *version, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_get_version, &statement, err) < 0)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "read the schema version", err);
    *version = sqlite3_column_int(statement, 0);
    return 0;
}

/* user_version cannot be bound; the number is from our own table. */
static int apply_step(struct store *store, const struct schema_step *step,
                      struct err *err)
{
    auto_free char *set_version = xasprintf("PRAGMA user_version = %d", step->version);

    if (run_text(store, "BEGIN EXCLUSIVE", step->name, err) < 0)
        return -1;
    if (run_text(store, step->sql, step->name, err) < 0
        || run_text(store, set_version, step->name, err) < 0
        || run_text(store, "COMMIT", step->name, err) < 0) {
        run_text(store, "ROLLBACK", step->name, NULL);
        return -1;
    }
    return 0;
}

int store_migrate(struct store *store, const struct schema_step *steps, int count,
                  struct err *err)
{
    int version = 0;

    if (schema_version(store, &version, err) < 0)
        return -1;
    if (version > steps[count - 1].version)
        return err_set(
            err, ERR_INTERNAL,
            "database has schema %d, this program knows up to %d: use the newer program",
            version, steps[count - 1].version);
    for (int i = 0; i < count; i++)
        if (steps[i].version > version && apply_step(store, &steps[i], err) < 0)
            return err_wrap(err, "bring the database from schema %d to %d",
                            steps[i].version - 1, steps[i].version);
    return 0;
}

static const char sql_last_job[] =
    "SELECT job_id, created_us FROM job ORDER BY job_id DESC LIMIT 1";

static int read_last_job(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_last_job, &statement, err) < 0)
        return -1;
    step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "read the last job", err);
    store->next_job_id = 1;
    if (step == SQLITE_ROW) {
        store->next_job_id += sqlite3_column_int64(statement, 0);
        store->last_created_us = sqlite3_column_int64(statement, 1);
    }
    return 0;
}

static const char sql_settings[] = "PRAGMA journal_mode = WAL;"
                                   "PRAGMA synchronous = FULL;"
                                   "PRAGMA foreign_keys = ON;"
                                   "PRAGMA cache_size = -8192;"
                                   "PRAGMA temp_store = MEMORY;";

int store_lock(const char *path, int *out, struct err *err)
{
    auto_free char *name = xasprintf("%s.lock", path);
    auto_close int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_set(err, ERR_INTERNAL, "open %s: %s%s", name, strerror(errno),
                       store_remedy(SQLITE_READONLY));
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        *out = steal_fd(&fd);
        return 0;
    }
    if (errno == EWOULDBLOCK)
        return err_set(
            err, ERR_CONFLICT,
            "%s is in use by another railheadd: stop that one, or name another --state",
            path);
    return err_sys(err, errno, "lock %s", name);
}

static int open_database(struct store *store, const char *path, struct err *err)
{
    if (store_lock(path, &store->lock, err) < 0 || store_check_wal(path, err) < 0
        || store_room_open(path, &store->room, err) < 0)
        return -1;
    if (sqlite3_open_v2(path, &store->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                            | SQLITE_OPEN_NOMUTEX,
                        store->room->name)
        != SQLITE_OK)
        return store_fail(store, path, err);
    sqlite3_busy_timeout(store->db, BUSY_MSEC);
    /* What is refused is left as it is, its log too. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (sqlite3_db_readonly(store->db, NULL) == 1)
        return err_set(err, ERR_INTERNAL, "%s may be read only%s", path,
                       store_remedy(SQLITE_READONLY));
    if (run_text(store, sql_settings, "open", err) < 0
        || run_text(store, "BEGIN IMMEDIATE", "open", err) < 0
        || run_text(store, "COMMIT", "open", err) < 0) {
        if ((sqlite3_errcode(store->db) & 0xff) == SQLITE_BUSY)
            return err_set(err, ERR_CONFLICT, "%s is in use by another program: end it",
                           path);
        return err_wrap(err, "%s", path);
    }
    return store_limit_wal(store, err);
}

static struct store *new_store(void)
{
    struct store *store = xcalloc(1, sizeof *store);

    store->lock = -1;
    return store;
}

int store_open(const char *path, struct store **out, struct err *err)
{
    struct store *store = new_store();

    if (open_database(store, path, err) < 0 || store_check_pages(store, path, err) < 0
        || store_fill_wal(path, err) < 0
        || store_migrate(store, schema_steps, schema_step_count, err) < 0
        || read_last_job(store, err) < 0 || store_read_block(store, err) < 0
        || store_read_chain(store, err) < 0) {
        store_close(store);
        return -1;
    }
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    *out = store;
    return 0;
}

/* One transaction for as long as it is open: all that is read is of one moment. */
static const char sql_read_settings[] = "PRAGMA cache_size = -65536;"
                                        "PRAGMA mmap_size = 1073741824;"
                                        "PRAGMA temp_store = MEMORY;"
                                        "BEGIN;"
                                        "SELECT 1 FROM job LIMIT 1;";

static int open_to_read(struct store *store, const char *path, struct err *err)
{
    int version = 0;

    store->read_boot_us = clock_boot();
    store->read_wall_us = clock_wall();
    if (sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL)
        != SQLITE_OK)
        return store_fail(store, path, err);
    sqlite3_busy_timeout(store->db, BUSY_MSEC);
    if (schema_version(store, &version, err) < 0)
        return err_wrap(err, "%s", path);
    if (version != schema_steps[schema_step_count - 1].version)
        return err_set(err, ERR_INTERNAL,
                       "%s has schema %d, this program knows %d: start its railheadd",
                       path, version, schema_steps[schema_step_count - 1].version);
    return run_text(store, sql_read_settings, "open", err);
}

int store_open_read(const char *path, struct store **out, struct err *err)
{
    struct store *store = new_store();

    if (open_to_read(store, path, err) < 0 || store_read_cuts(store, err) < 0
        || store_read_chain(store, err) < 0) {
        store_close(store);
        return -1;
    }
    *out = store;
    return 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->prepared_count; i++)
        sqlite3_finalize(store->prepared[i].statement);
    sqlite3_close(store->db);
    store_room_close(store->room);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}
