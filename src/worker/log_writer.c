/* Writes a file in segments.  Decides when the oldest one goes: before a new one would
 * exceed the limit.  A disk that takes nothing more is asked again with the next byte.
 */

#include "src/worker/log_writer.h"

#include "src/rank_log.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* All ranks wait meanwhile, and what was written of 1 GiB/s in 5 s is much; the rest is
 * left to the kernel, which writes what is older than 30 s by itself. */
#define SYNC_MAX (2 * RANK_LOG_SEGMENT)

void log_writer_init(struct log_writer *writer, char *path, uint64_t limit)
{
    *writer = (struct log_writer){ .path = path, .limit = limit, .fd = -1 };
}

void log_writer_clear(struct log_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    free(writer->path);
    *writer = (struct log_writer){ .fd = -1 };
}

/* A FIFO that a job puts in its place must not make us wait, nor a link lead away. */
static int open_to_write(const char *path, int flags)
{
    return open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | flags, 0640);
}

bool log_writer_cut(struct log_writer *writer)
{
    auto_free char *oldest =
        rank_log_segment(writer->path, writer->kept / RANK_LOG_SEGMENT);
    auto_free char *kept_path = rank_log_kept_path(writer->path);
    auto_close int fd = open_to_write(kept_path, O_CREAT);
    uint64_t kept = htole64(writer->kept + RANK_LOG_SEGMENT);

    if (fd < 0 || pwrite(fd, &kept, sizeof kept, 0) != (ssize_t)sizeof kept)
        return false;
    writer->kept += RANK_LOG_SEGMENT;
    unlink(oldest);
    return true;
}

/* At the end of a segment, or before the first one. */
static bool begin_segment(struct log_writer *writer)
{
    auto_free char *path =
        rank_log_segment(writer->path, writer->size / RANK_LOG_SEGMENT);

    while (writer->limit > 0 && writer->kept < writer->size
           && writer->size - writer->kept + RANK_LOG_SEGMENT > writer->limit)
        if (!log_writer_cut(writer))
            return false;
    writer->fd = open_to_write(path, O_CREAT | O_APPEND);
    return writer->fd >= 0;
}

/* As write_all, but tells how much was taken. */
static size_t write_most(int fd, const char *bytes, size_t len, int *errno_value)
{
    size_t done = 0;

    while (done < len) {
        ssize_t wrote = write(fd, bytes + done, len - done);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            *errno_value = wrote < 0 ? errno : ENOSPC;
            break;
        }
        done += (size_t)wrote;
    }
    return done;
}

size_t log_writer_add(struct log_writer *writer, const void *bytes, size_t len,
                      int *errno_value)
{
    size_t done = 0;

    while (done < len) {
        uint64_t left = RANK_LOG_SEGMENT - writer->size % RANK_LOG_SEGMENT;
        size_t part = left < len - done ? (size_t)left : len - done;
        size_t wrote;

        if (writer->fd < 0 && !begin_segment(writer)) {
            *errno_value = errno;
            break;
        }
        wrote = write_most(writer->fd, (const char *)bytes + done, part, errno_value);
        writer->size += wrote;
        done += wrote;
        if (wrote < part)
            break;
        if (wrote == left) {
            close(writer->fd);
            writer->fd = -1;
        }
    }
    return done;
}

void log_writer_undo(struct log_writer *writer, size_t len)
{
    off_t end = (off_t)(writer->size % RANK_LOG_SEGMENT);

    writer->size -= len;
    (void)!ftruncate(writer->fd, end - (off_t)len);
}

void log_writer_sync(struct log_writer *writer)
{
    uint64_t first = writer->synced > writer->kept ? writer->synced : writer->kept;

    if (writer->size - first > SYNC_MAX)
        first = writer->size - SYNC_MAX;
    for (uint64_t at = first - first % RANK_LOG_SEGMENT; at < writer->size;
         at += RANK_LOG_SEGMENT) {
        auto_free char *path = rank_log_segment(writer->path, at / RANK_LOG_SEGMENT);
        auto_close int fd = open_to_write(path, 0);

        if (fd >= 0)
            fdatasync(fd);
    }
    writer->synced = writer->size;
}
