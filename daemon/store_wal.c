/*
 * The write-ahead log's size on disk.  A commit into a file that grows waits for the
 * file system's own journal too, which doubles what it costs; SQLite writes its log
 * over from the start after each checkpoint, so the log is grown to its full size when
 * the daemon starts.  It is not kept over a clean stop: beside a database that somebody
 * has put in the place of ours it would be taken for that one's.  A disk that has no
 * room for it is no reason not to start: then the log grows as it is written.
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
