/* The reserve of disk.  Decides how much is set aside and when the disk counts as full;
 * not what is refused then. */

#include "daemon/reserve.h"

#include "src/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A program that fills the disk takes what is freed, too: it gets no more than one step
 * at a time. */
#define STEP_BYTES (INT64_C(1) << 20)

/* With less than this the disk counts as full, and with twice as much as not: what a
 * job writes first, its folder and a few lines, must fit. */
#define LOW_BYTES (INT64_C(4) << 20)

#define LOOK_USEC USEC_PER_SEC

static int64_t free_bytes(const struct reserve *reserve)
{
    struct statvfs disk;

    if (fstatvfs(reserve->fd, &disk) < 0)
        return INT64_MAX; /* nothing says that it is full */
    return (int64_t)(disk.f_bavail * disk.f_frsize);
}

/* On a disk this only notes which blocks are ours; in a tmpfs it clears them, at some
 * 10 ms for all, once after the disk was full. */
static void fill(struct reserve *reserve)
{
    if (fallocate(reserve->fd, 0, 0, RESERVE_BYTES) == 0)
        reserve->size = RESERVE_BYTES;
}

int reserve_open(const char *path, struct reserve *out, struct err *err)
{
    auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return err_sys(err, errno, "open %s", path);
    *out = (struct reserve){ .size = status.st_size };
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1) < 0 && errno == EOPNOTSUPP) {
        *out = (struct reserve){ .fd = -1, .size = RESERVE_BYTES };
        return 0;
    }
    out->fd = steal_fd(&fd);
    reserve_has_room(out);
    return 0;
}

void reserve_close(struct reserve *reserve)
{
    if (reserve->fd >= 0)
        close(reserve->fd);
    reserve->fd = -1;
}

bool reserve_give(struct reserve *reserve)
{
    int64_t left = reserve->size > STEP_BYTES ? reserve->size - STEP_BYTES : 0;

    if (reserve->fd < 0 || reserve->size == 0 || ftruncate(reserve->fd, left) < 0)
        return false;
    reserve->size = left;
    return true;
}

bool reserve_has_room(struct reserve *reserve)
{
    int64_t missing = RESERVE_BYTES - reserve->size;
    usec_t now = clock_boot();
    int64_t enough;

    if (reserve->fd < 0)
        return true;
    if (now - reserve->looked_boot < LOOK_USEC)
        return missing == 0 && !reserve->is_low;
    reserve->looked_boot = now;
    enough = missing || reserve->is_low ? missing + 2 * LOW_BYTES : LOW_BYTES;
    reserve->is_low = free_bytes(reserve) < enough;
    if (missing && !reserve->is_low)
        fill(reserve);
    return reserve->size == RESERVE_BYTES && !reserve->is_low;
}
