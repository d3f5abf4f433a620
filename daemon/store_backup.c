/* A copy of the database while it is in use, and whether a database is whole.  Decides
 * what is looked at; where a copy goes is for others. */

#include "daemon/store_backup.h"

#include "daemon/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --- whether it is whole --- */

static const char sql_check_integrity[] = "PRAGMA integrity_check(1)";

int store_check_integrity(sqlite3 *db, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const char *words = NULL;
    int result;

    if (sqlite3_prepare_v2(db, sql_check_integrity, -1, &statement, NULL) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_ROW)
        words = (const char *)sqlite3_column_text(statement, 0);
    result = words && strcmp(words, "ok") == 0
                 ? 0
                 : err_set(err, ERR_INTERNAL, "the database is damaged: %s",
                           words ? words : sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return result;
}

static const char sql_count_all[] =
    "SELECT (SELECT COUNT(*) FROM job), (SELECT COUNT(*) FROM job_event),"
    " COALESCE((SELECT at_us FROM job_event ORDER BY rowid DESC LIMIT 1), 0)";

static int count_all(struct store *store, struct store_facts *facts, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_count_all, &statement, err) < 0)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "count its rows", err);
    facts->jobs = sqlite3_column_int64(statement, 0);
    facts->events = sqlite3_column_int64(statement, 1);
    facts->last_event_us = sqlite3_column_int64(statement, 2);
    return 0;
}

struct chain_walk {
    struct store_facts *facts;
    int64_t seq; /* of the row before, as its hash */
    unsigned char hash[DIGEST_SIZE];
};

static int check_row(void *context, const struct ledger_row *row, struct err *err)
{
    struct chain_walk *walk = context;
    int64_t seq = row->cells[0].number;

    (void)err;
    ledger_row_hash(row->table, row->cells, row->count, walk->hash);
    walk->facts->ledger_rows++;
    if (!walk->facts->broken_seq
        && (seq != walk->seq + 1 || row->is_odd || !row->hash
            || memcmp(row->hash, walk->hash, DIGEST_SIZE) != 0))
        walk->facts->broken_seq = seq;
    walk->seq = seq;
    return 0;
}

int store_inspect(struct store *store, struct store_facts *facts, struct err *err)
{
    struct store_facts found = { 0 };
    struct chain_walk walk = { .facts = &found };

    if (store_check_integrity(store->db, err) < 0 || count_all(store, &found, err) < 0
        || store_each_ledger_row(store, check_row, &walk, err) < 0)
        return -1;
    found.head_seq = store_chain_end(store, found.head_hash);
    *facts = found;
    return 0;
}

/* --- the copy --- */

/* Taken away when whoever made it was killed. */
static int remove_left(const char *path, struct err *err)
{
    auto_close int left = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (left >= 0 && flock(left, LOCK_EX | LOCK_NB) < 0)
        return err_set(err, ERR_UNAVAILABLE, "another backup is being made: try again");
    if (unlink(path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "remove %s", path);
    return 0;
}

/* SQLite opens files by name.  There is one name for all, so that at most one file is
 * ever left behind, and two backups, each as large as the database, are not made at a
 * time. */
static int name_file(int fd, const char *path, struct err *err)
{
    char own[32];
    bool named;

    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return err_sys(err, errno, "lock the backup");
    named = linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    if (!named && errno == EEXIST) {
        if (remove_left(path, err) < 0)
            return -1;
        named = linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    }
    return named ? 0 : err_sys(err, errno, "make %s", path);
}

static const char sql_size[] =
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";

/* What the daemon has to write meanwhile must find room: four times its log, which
 * grows as long as somebody reads. */
enum {
    SPARE_BYTES = 64 << 20
};

static int check_room(struct store *store, int fd, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    struct statvfs status;
    int64_t size, left;

    if (store_prepare(store, sql_size, &statement, err) < 0)
        return -1;
    if (sqlite3_step(statement) != SQLITE_ROW)
        return store_fail(store, "find out its size", err);
    size = sqlite3_column_int64(statement, 0);
    if (fstatvfs(fd, &status) < 0)
        return err_sys(err, errno, "look at the disk");
    left = (int64_t)(status.f_bavail * status.f_frsize);
    if (left < size + SPARE_BYTES)
        return err_set(err, ERR_DISK_FULL,
                       "the backup takes %lld MiB on the disk of the state folder while"
                       " it is made, %d MiB must stay free, and there are %lld MiB",
                       (long long)(size >> 20), SPARE_BYTES >> 20,
                       (long long)(left >> 20));
    return 0;
}

/* Nobody else sees the file, and one that is not finished is thrown away. */
static const char sql_copy_settings[] = "PRAGMA journal_mode = OFF;"
                                        "PRAGMA synchronous = OFF;"
                                        "PRAGMA cache_size = -8192;";

/* 8 MiB: so much is given to the disk at a time, so that the commits of the daemon wait
 * behind no more than that. */
enum {
    PAGES_A_STEP = 2048
};

static int copy_pages(struct store *store, sqlite3 *copy, int fd, struct err *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", store->db, "main");
    int step = backup ? SQLITE_OK : SQLITE_ERROR;

    while (step == SQLITE_OK) {
        step = sqlite3_backup_step(backup, PAGES_A_STEP);
        if (fdatasync(fd) < 0)
            step = SQLITE_IOERR_FSYNC;
    }
    sqlite3_backup_finish(backup);
    if (step == SQLITE_DONE)
        return 0;
    return err_set(err, (step & 0xff) == SQLITE_FULL ? ERR_DISK_FULL : ERR_INTERNAL,
                   "copy the database: %s (%d)", sqlite3_errstr(step), step);
}

/* The copy says as the database does that a write-ahead log belongs to it, and has
 * none. Without that it is one file, which can be read from anywhere (SQLite's file
 * format, section 1.3.3). */
static int leave_wal_mode(int fd, struct err *err)
{
    static const char legacy[] = { 1, 1 };

    return pwrite(fd, legacy, sizeof legacy, 18) == sizeof legacy
               ? 0
               : err_sys(err, errno, "write the header of the copy");
}

static int write_copy(struct store *store, const char *path, int fd, struct err *err)
{
    sqlite3 *copy = NULL;
    int result;

    if (sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)
            == SQLITE_OK
        && sqlite3_exec(copy, sql_copy_settings, NULL, NULL, NULL) == SQLITE_OK)
        result = copy_pages(store, copy, fd, err);
    else
        result = err_set(err, ERR_INTERNAL, "%s: %s", path, sqlite3_errmsg(copy));
    sqlite3_close(copy);
    return result < 0 ? -1 : leave_wal_mode(fd, err);
}

static int read_back(const char *path, struct store_facts *facts, struct err *err)
{
    struct store *copy;
    int result;

    if (store_open_read(path, &copy, err) < 0)
        return -1;
    result = store_inspect(copy, facts, err);
    store_close(copy);
    return result;
}

/* As long as a moment is held the daemon's log grows, and reading back takes longer
 * than the copy did. */
static const char sql_end_moment[] = "COMMIT";

static int end_moment(struct store *store, struct err *err)
{
    if (sqlite3_exec(store->db, sql_end_moment, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(store, "end reading", err);
    return 0;
}

int store_backup(struct store *store, const char *database, int fd,
                 struct store_facts *facts, struct err *err)
{
    auto_free char *path = xasprintf("%s.backup", database);
    int result;

    if (check_room(store, fd, err) < 0 || name_file(fd, path, err) < 0)
        return -1;
    result = write_copy(store, path, fd, err);
    if (result == 0)
        result = end_moment(store, err);
    if (result == 0)
        result = read_back(path, facts, err);
    unlink(path);
    return result;
}
