/*
 * The write-ahead log's size on disk: how it is grown, and kept from growing on.
 *
 * A commit into a file that grows waits for the file system's own journal too, which
 * doubles what it costs; SQLite writes its log over from the start after each
 * checkpoint, so the log is grown to its full size when the daemon starts.  It is not
 * kept over a clean stop: beside a database that somebody has put in the place of ours
 * it would be taken for that one's.  A disk that has no room for it is no reason not to
 * start: then the log grows as it is written.
 *
 * Who reads a snapshot keeps all from being brought into the database that was written
 * since, and SQLite looks for each page in all of the log that was not brought in: with
 * 150,000 frames a report takes ten times as long.  So what a long question left is
 * brought in by the process that asks the next one, which may take its time.
 */

#include "daemon/store_private.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* STORE_WAL_PAGES frames of a page and its header each (SQLite's file format,
 * section 4.1), behind the log's own header. */
enum {
    PAGE_SIZE_BYTES = 4096,
    FRAME_HEADER_BYTES = 24,
    LOG_HEADER_BYTES = 32
};

/* Above it a reader brings in what there is: a commit goes a little beyond. */
enum {
    READER_BRINGS_IN_TIMES = 2,
    LONG_TIMES = 16
};

#define WAL_BYTES \
    (LOG_HEADER_BYTES + (off_t)STORE_WAL_PAGES * (PAGE_SIZE_BYTES + FRAME_HEADER_BYTES))

/* Zeros behind the last frame are no frames: recovery ends at the first whose checksum
 * is wrong. */
static int fill(int fd, off_t size, struct err *err)
{
    static const char zeros[65536];
    off_t before = size;

    if (lseek(fd, size, SEEK_SET) < 0)
        return err_sys(err, errno, "grow the write-ahead log");
    while (size < WAL_BYTES) {
        if (write_all(fd, zeros, sizeof zeros, err) < 0) {
            if (err->code == ERR_DISK_FULL && ftruncate(fd, before) == 0)
                return 0;
            return err_wrap(err, "grow the write-ahead log");
        }
        size += (off_t)sizeof zeros;
    }
    if (fdatasync(fd) < 0)
        return err_sys(err, errno, "grow the write-ahead log");
    return 0;
}

int store_fill_wal(const char *path, struct err *err)
{
    auto_free char *log = xasprintf("%s-wal", path);
    auto_close int fd = open(log, O_WRONLY | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_sys(err, errno, "open %s", log);
    return status.st_size < WAL_BYTES ? fill(fd, status.st_size, err) : 0;
}

int store_limit_wal(struct store *store, struct err *err)
{
    auto_free char *sql =
        xasprintf("PRAGMA journal_size_limit = %lld", (long long)WAL_BYTES);

    sqlite3_wal_autocheckpoint(store->db, STORE_WAL_PAGES);
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(store, sql, err);
    return 0;
}

static off_t log_size(const char *path)
{
    auto_free char *log = xasprintf("%s-wal", path);
    struct stat status;

    return stat(log, &status) < 0 ? 0 : status.st_size;
}

bool store_log_is_long(const char *path)
{
    return log_size(path) > WAL_BYTES * LONG_TIMES;
}

void store_bring_in_log(const char *path)
{
    sqlite3 *db;

    if (log_size(path) <= WAL_BYTES * READER_BRINGS_IN_TIMES)
        return;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK
        && sqlite3_exec(db, "PRAGMA synchronous = FULL", NULL, NULL, NULL) == SQLITE_OK)
        sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    sqlite3_close(db);
}
