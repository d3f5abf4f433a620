/* Reads a file that lies in segments, the oldest of which may be gone.  Decides where a
 * byte is; what is removed, and when, is the worker's. */

#include "src/rank_log.h"

#include "src/files.h"

#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

/* No offset has a segment above. */
#define SEGMENT_MAX (UINT64_MAX / RANK_LOG_SEGMENT)

char *rank_log_segment(const char *path, uint64_t segment)
{
    return segment ? xasprintf("%s.%" PRIu64, path, segment) : xstrdup(path);
}

char *rank_log_kept_path(const char *path)
{
    return xasprintf("%s.kept", path);
}

static size_t read_file(const char *path, uint64_t offset, void *out, size_t room)
{
    auto_close int fd = open_regular_at(AT_FDCWD, path);
    ssize_t got = fd < 0 ? -1 : pread(fd, out, room, (off_t)offset);

    return got > 0 ? (size_t)got : 0;
}

uint64_t rank_log_kept(const char *path)
{
    auto_free char *kept_path = rank_log_kept_path(path);
    uint64_t kept;

    /* Eight bytes at the start of a file are written and read as one. */
    return read_file(kept_path, 0, &kept, sizeof kept) == sizeof kept ? le64toh(kept)
                                                                      : 0;
}

/* What a segment has, -1 when it is not there. */
static int64_t segment_size(const char *path, uint64_t segment)
{
    auto_free char *name = rank_log_segment(path, segment);
    struct stat info;

    if (lstat(name, &info) < 0 || !S_ISREG(info.st_mode))
        return -1;
    return info.st_size < (off_t)RANK_LOG_SEGMENT ? info.st_size
                                                  : (int64_t)RANK_LOG_SEGMENT;
}

/* The last of the segments that are there from this one on, which is. */
static uint64_t last_segment(const char *path, uint64_t segment)
{
    uint64_t step = 1;

    while (step < SEGMENT_MAX - segment && segment_size(path, segment + step) >= 0) {
        segment += step;
        step *= 2;
    }
    while (step /= 2)
        if (step < SEGMENT_MAX - segment && segment_size(path, segment + step) >= 0)
            segment += step;
    return segment;
}

uint64_t rank_log_size(const char *path, uint64_t *segment)
{
    int64_t size = segment_size(path, *segment);

    if (size < 0) {
        *segment = rank_log_kept(path) / RANK_LOG_SEGMENT;
        size = segment_size(path, *segment);
    }
    if (size == (int64_t)RANK_LOG_SEGMENT) {
        *segment = last_segment(path, *segment);
        size = segment_size(path, *segment);
    }
    return *segment * RANK_LOG_SEGMENT + (size > 0 ? (uint64_t)size : 0);
}

size_t rank_log_read(const char *path, uint64_t offset, void *out, size_t room)
{
    size_t done = 0;

    while (done < room) {
        auto_free char *name = rank_log_segment(path, offset / RANK_LOG_SEGMENT);
        uint64_t inside = offset % RANK_LOG_SEGMENT;
        uint64_t left = RANK_LOG_SEGMENT - inside;
        size_t part = left < room - done ? (size_t)left : room - done;
        size_t got = read_file(name, inside, (char *)out + done, part);

        done += got;
        offset += got;
        if (got < part)
            break;
    }
    return done;
}
