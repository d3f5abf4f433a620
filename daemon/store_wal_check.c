/*
 * Whether the write-ahead log still has all that was committed to it.  SQLite takes the
 * first frame that is damaged for the end of the log, as it must after a loss of power,
 * and goes on without what came behind: jobs that were acknowledged would be gone and
 * nobody told.  The index of the log tells: it counts a frame only when that was
 * synced, and it is there until the database is closed in order.  Reads only.
 */

#include "daemon/store_private.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Both as https://sqlite.org/walformat.html has them; the index is in the host's byte
 * order, but for the salt, which is as in the log. */
struct index_header {
    uint32_t version;
    uint32_t unused;
    uint32_t change;
    uint8_t is_init;
    uint8_t has_big_sums;
    uint16_t page_size;
    uint32_t frames;
    uint32_t pages;
    uint32_t frame_sum[2];
    uint32_t salt[2];
    uint32_t sum[2];
};
struct index_start {
    struct index_header header;
    struct index_header again;
    uint32_t checkpointed; /* frames that the database has as well */
};
struct log_header {
    uint32_t magic; /* ends in 1 when sums are of words in big-endian order */
    uint32_t version;
    uint32_t page_size;
    uint32_t checkpoints;
    uint32_t salt[2];
    uint32_t sum[2];
};
struct frame {
    uint32_t page;
    uint32_t pages;
    uint32_t salt[2];
    uint32_t sum[2];
    uint32_t words[]; /* the page */
};
_Static_assert(sizeof(struct index_header) == 48, "as SQLite writes it");
_Static_assert(sizeof(struct log_header) == 32 && sizeof(struct frame) == 24,
               "as SQLite writes them");

enum {
    PAGE_SIZE_MAX = 65536
};

static void add_words(uint32_t sum[2], const uint32_t *words, size_t count, bool big)
{
    for (size_t i = 0; i < count; i += 2) {
        sum[0] += (big ? be32toh(words[i]) : le32toh(words[i])) + sum[1];
        sum[1] += (big ? be32toh(words[i + 1]) : le32toh(words[i + 1])) + sum[0];
    }
}

static bool read_start(const char *path, void *out, size_t size)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && pread(fd, out, size, 0) == (ssize_t)size;
}

/* How many frames from the start on are whole. */
static uint32_t whole_frames(int fd, const struct log_header *log, uint32_t limit)
{
    size_t page = be32toh(log->page_size);
    size_t size = sizeof(struct frame) + page;
    bool big = be32toh(log->magic) & 1;
    auto_free struct frame *frame = xmalloc(size);
    uint32_t sum[2] = { 0, 0 };
    uint32_t found = 0;

    add_words(sum, &log->magic, 6, big);
    while (found < limit) {
        off_t at = (off_t)sizeof *log + (off_t)found * (off_t)size;

        if (pread(fd, frame, size, at) != (ssize_t)size)
            break;
        add_words(sum, &frame->page, 2, big);
        add_words(sum, frame->words, page / sizeof *frame->words, big);
        if (be32toh(frame->sum[0]) != sum[0] || be32toh(frame->sum[1]) != sum[1]
            || memcmp(frame->salt, log->salt, sizeof log->salt) != 0)
            break;
        found++;
    }
    return found;
}

/* Of a log that is not the one of the index nothing can be said: the index need not be
 * on disk when the power fails. */
static uint32_t frames_there(const char *path, const struct index_header *index)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct log_header log;

    if (fd < 0 || pread(fd, &log, sizeof log, 0) != (ssize_t)sizeof log)
        return 0;
    if (memcmp(log.salt, index->salt, sizeof log.salt) != 0)
        return index->frames;
    if (be32toh(log.page_size) < 512 || be32toh(log.page_size) > PAGE_SIZE_MAX)
        return 0;
    return whole_frames(fd, &log, index->frames);
}

int store_check_wal(const char *path, struct err *err)
{
    auto_free char *index_path = xasprintf("%s-shm", path);
    auto_free char *log_path = xasprintf("%s-wal", path);
    struct index_start index;
    uint32_t there;

    if (!read_start(index_path, &index, sizeof index)
        || memcmp(&index.header, &index.again, sizeof index.header) != 0
        || !index.header.is_init || index.header.frames <= index.checkpointed)
        return 0;
    there = frames_there(log_path, &index.header);
    if (there >= index.header.frames)
        return 0;
    return err_set(
        err, ERR_INTERNAL,
        "%s is damaged: %u of the %u pages that were written to it are there; put it back whole, or restore a backup (railheadd --restore FILE); when %s is moved away, railheadd starts without what is lost",
        log_path, there, index.header.frames, index_path);
}
