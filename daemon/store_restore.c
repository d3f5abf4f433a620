/*
 * A copy put in the place of a database.  Decides what may be: nothing is written over,
 * what is wrong is refused before anything is in place, and what was under way is
 * known as that.
 */

#include "daemon/store_backup.h"
#include "daemon/store_private.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what was under way --- */

static const char sql_was_restored[] =
    "SELECT 1 FROM restored WHERE job_id = ?1 AND attempt = ?2";

int store_was_restored(struct store *store, int64_t job_id, int attempt, bool *was,
                       struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_was_restored, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, job_id);
    sqlite3_bind_int(statement, 2, attempt);
    step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, "look for a restored attempt", err);
    *was = step == SQLITE_ROW;
    return 0;
}

/* An attempt begins when it is placed.  That of a job which waits for the next one is
 * over, and its row of no weight. */
static const char sql_mark_restored[] =
    "INSERT OR IGNORE INTO restored SELECT job_id, COUNT(*) FROM job_event"
    " WHERE kind = 'placed' AND job_id IN (SELECT job_id FROM job WHERE over = 0)"
    " GROUP BY job_id";

static int mark_restored(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_begin(store, err) < 0
        || store_prepare(store, sql_mark_restored, &statement, err) < 0)
        return -1;
    return store_run(store, statement, "note what was under way", err);
}

static const char sql_each_ran[] =
    "SELECT id FROM job AS j"
    " WHERE EXISTS (SELECT 1 FROM interval_open WHERE job_id = j.job_id)";

int store_each_ran(struct store *store, void (*callback)(void *context, const char *id),
                   void *context, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    if (store_prepare(store, sql_each_ran, &statement, err) < 0)
        return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        callback(context, (const char *)sqlite3_column_text(statement, 0));
    return step == SQLITE_DONE ? 0 : store_fail(store, "look for jobs that ran", err);
}

/* --- the copy --- */

/* A log that lies there would be taken for that of the file put beside it. */
static int check_place(const char *database, struct err *err)
{
    static const char *const endings[] = { "", "-wal", "-journal" };

    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        auto_free char *path = xasprintf("%s%s", database, endings[i]);

        if (access(path, F_OK) == 0)
            return err_set(err, ERR_CONFLICT,
                           "%s is there, and nothing is restored over a database:"
                           " move it away, or name another --state",
                           path);
    }
    return 0;
}

/* SQLite's file format, section 1.3: where user_version is, big-endian. */
enum {
    HEADER_BYTES = 100,
    VERSION_OFFSET = 60
};

/* SQLite takes an empty file for an empty database, and ours for one of version 0. */
static int check_header(int fd, const char *file, struct err *err)
{
    static const char magic[16] = "SQLite format 3";
    static const char none[4];
    char header[HEADER_BYTES];

    if (pread(fd, header, sizeof header, 0) != sizeof header
        || memcmp(header, magic, sizeof magic) != 0)
        return err_set(err, ERR_INVALID, "%s is no SQLite database", file);
    if (memcmp(header + VERSION_OFFSET, none, sizeof none) == 0)
        return err_set(err, ERR_INVALID, "%s is no database of railheadd", file);
    return 0;
}

/* Of a database in use the file alone is an old state, or none. */
static int check_alone(const char *file, struct err *err)
{
    auto_free char *log = xasprintf("%s-wal", file);
    struct stat status;

    if (stat(log, &status) == 0 && status.st_size > 0)
        return err_set(err, ERR_INVALID,
                       "%s is beside it: that is a database with its log, not a backup"
                       " (jobctl admin backup)",
                       log);
    return 0;
}

static int copy_bytes(int from, int to, struct err *err)
{
    static char block[1 << 17];
    ssize_t got;

    while ((got = read(from, block, sizeof block)) > 0)
        if (write_all(to, block, (size_t)got, err) < 0)
            return -1;
    return got == 0 ? 0 : err_sys(err, errno, "read");
}

static int copy_file(const char *file, const char *copy, struct err *err)
{
    auto_close int from = open(file, O_RDONLY | O_CLOEXEC);
    auto_close int to = -1;

    if (from < 0)
        return err_sys(err, errno, "open %s", file);
    if (check_header(from, file, err) < 0 || check_alone(file, err) < 0)
        return -1;
    to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (to < 0)
        return err_sys(err, errno, "make %s", copy);
    if (copy_bytes(from, to, err) < 0)
        return err_wrap(err, "copy %s to %s", file, copy);
    return 0;
}

static int look_through(struct store *store, store_restore_callback_t *look,
                        void *context, struct err *err)
{
    struct store_facts facts;

    if (store_inspect(store, &facts, err) < 0)
        return -1;
    if (facts.broken_seq)
        return err_set(err, ERR_INVALID,
                       "its ledger does not hold: row %lld is not chained to the one"
                       " before it",
                       (long long)facts.broken_seq);
    if (look(context, store, &facts, err) < 0 || mark_restored(store, err) < 0)
        return -1;
    return store_commit(store, err);
}

/* Before anything is done with it, which would tell of damage in words of its own. */
static int check_damage(const char *copy, struct err *err)
{
    sqlite3 *db = NULL;
    int result;

    if (sqlite3_open_v2(copy, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
        == SQLITE_OK)
        result = store_check_integrity(db, err);
    else
        result = err_set(err, ERR_INTERNAL, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
    return result;
}

static int settle(const char *copy, store_restore_callback_t *look, void *context,
                  struct err *err)
{
    auto_free char *log = xasprintf("%s-wal", copy);
    struct store *store;
    int result;

    if (check_damage(copy, err) < 0 || store_open(copy, &store, err) < 0)
        return -1;
    result = look_through(store, look, context, err);
    store_close(store);
    if (result == 0 && access(log, F_OK) == 0)
        result =
            err_set(err, ERR_UNAVAILABLE, "%s could not be brought into %s", log, copy);
    return result;
}

static int put_in_place(const char *copy, const char *database, struct err *err)
{
    auto_close int fd = open(copy, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return err_sys(err, errno, "sync %s", copy);
    if (rename(copy, database) < 0)
        return err_sys(err, errno, "rename %s to %s", copy, database);
    return folder_sync_of(database, err);
}

static void remove_copy(const char *copy)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock", ".reserve" };

    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        auto_free char *path = xasprintf("%s%s", copy, endings[i]);

        unlink(path);
    }
}

int store_restore(const char *file, const char *database,
                  store_restore_callback_t *look, void *context, struct err *err)
{
    auto_free char *copy = xasprintf("%s.restored", database);
    auto_close int lock = -1;
    int result;

    if (store_lock(database, &lock, err) < 0 || check_place(database, err) < 0)
        return -1;
    remove_copy(copy); /* of one that was cut off */
    result = copy_file(file, copy, err);
    if (result == 0 && settle(copy, look, context, err) < 0)
        result = err_wrap(err, "%s", file);
    if (result == 0)
        result = put_in_place(copy, database, err);
    remove_copy(copy);
    return result;
}
