/*
 * Reads one rank's log and the times of its lines.  Decides where a line begins and
 * ends, and when it was begun; not in which order lines of several ranks come.
 *
 * Files are opened by name for each read: a stream may wait for days, and there may be
 * a thousand of them.  What is not a plain file is not read, whoever put it there.
 */

#include "api/log_source.h"

#include "api/log_stream.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* First size of a line buffer; it grows only for a longer line. */
enum {
    BUFFER_START = 16384
};

_Static_assert(sizeof(struct log_time) == 16, "a record of the times is 16 bytes");

void log_source_init(struct log_source *source, const struct job_log *log)
{
    *source = (struct log_source){
        .rank = log->rank,
        .path = xstrdup(log->path),
        .times_path = xstrdup(log->times_path),
        .ended = log->ended,
        .end = UINT64_MAX,
    };
}

void log_source_clear(struct log_source *source)
{
    free(source->path);
    free(source->times_path);
    free(source->buffer);
}

static uint64_t size_of(const char *path)
{
    struct stat info;

    if (lstat(path, &info) < 0 || !S_ISREG(info.st_mode))
        return 0;
    return (uint64_t)info.st_size;
}

uint64_t log_source_size(const struct log_source *source)
{
    return size_of(source->path);
}

uint64_t log_source_records(const struct log_source *source)
{
    return size_of(source->times_path) / sizeof(struct log_time);
}

/* Bytes read, 0 at the end and on any trouble.  O_NONBLOCK: a FIFO must not hold the
 * loop. */
static size_t read_at(const char *path, void *out, size_t room, uint64_t offset)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    ssize_t got;

    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        return 0;
    got = pread(fd, out, room, (off_t)offset);
    return got > 0 ? (size_t)got : 0;
}

bool log_source_record(struct log_source *source, uint64_t index, struct log_time *out)
{
    const struct log_time *found;

    if (index < source->cache_first
        || index >= source->cache_first + source->cache_count) {
        /* Half before, half after: tail walks back, reading walks on. */
        uint64_t first =
            index > LOG_TIMES_CACHED / 2 ? index - LOG_TIMES_CACHED / 2 : 0;

        source->cache_first = first;
        source->cache_count = read_at(source->times_path, source->cache,
                                      sizeof source->cache, first * sizeof *found)
                              / sizeof *found;
        if (index >= first + source->cache_count)
            return false;
    }
    found = &source->cache[index - source->cache_first];
    out->offset = le64toh(found->offset);
    out->wall_us = (int64_t)le64toh((uint64_t)found->wall_us);
    return true;
}

uint64_t log_source_first_since(struct log_source *source, uint64_t count, usec_t since)
{
    uint64_t low = 0;
    uint64_t high = count;
    struct log_time record;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (log_source_record(source, middle, &record) && record.wall_us < since)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void log_source_begin_at(struct log_source *source, uint64_t index, uint64_t count)
{
    struct log_time record;

    if (index < count && log_source_record(source, index, &record)) {
        source->record = index;
        source->at = record.offset;
    } else {
        source->record = count ? count - 1 : 0;
        source->at = log_source_size(source);
    }
}

size_t log_source_read_raw(struct log_source *source, char *out, size_t room)
{
    uint64_t left = source->end > source->at ? source->end - source->at : 0;
    size_t got =
        read_at(source->path, out, left < room ? (size_t)left : room, source->at);

    source->at += got;
    return got;
}

/* Time of the line that begins at `at`.  One whose record is not written yet has the
 * time of the line before it: a line is never held back for the want of its time. */
static usec_t time_of_line(struct log_source *source)
{
    struct log_time record;
    struct log_time next;

    if (!log_source_record(source, source->record, &record)
        || record.offset > source->at)
        return source->line_at;
    while (record.offset < source->at
           && log_source_record(source, source->record + 1, &next)
           && next.offset <= source->at) {
        source->record++;
        record = next;
    }
    return record.wall_us;
}

/* Reads on behind what is in the buffer; false at the end. */
static bool read_more(struct log_source *source)
{
    size_t got;
    uint64_t from = source->at + source->len;
    uint64_t left = source->end > from ? source->end - from : 0;
    size_t room;

    if (source->start) {
        memmove(source->buffer, source->buffer + source->start, source->len);
        source->start = 0;
    }
    if (source->len == source->room) {
        source->room = source->room ? source->room * 2 : BUFFER_START;
        source->buffer = xrealloc(source->buffer, source->room);
    }
    room = source->room - source->len;
    got = read_at(source->path, source->buffer + source->len,
                  left < room ? (size_t)left : room, from);
    source->len += got;
    source->dry = got == 0;
    return got > 0;
}

static bool set_line(struct log_source *source, size_t len, bool ends)
{
    source->has_line = true;
    source->line_len = len;
    source->line_ends = ends;
    source->line_at = time_of_line(source);
    return true;
}

const char *log_source_line(const struct log_source *source)
{
    return source->buffer + source->start;
}

bool log_source_fill(struct log_source *source, bool final)
{
    size_t looked = 0;

    if (source->has_line)
        return true;
    for (;;) {
        const char *bytes = log_source_line(source);
        const char *feed = source->len > looked
                               ? memchr(bytes + looked, '\n', source->len - looked)
                               : NULL;

        if (feed)
            return set_line(source, (size_t)(feed - bytes), true);
        if (source->len >= LOG_PIECE_MAX)
            return set_line(source, LOG_PIECE_MAX, false);
        looked = source->len;
        if (source->dry || !read_more(source))
            break;
    }
    return final && source->len > 0 && set_line(source, source->len, false);
}

void log_source_drop_line(struct log_source *source)
{
    size_t gone = source->line_len + (source->line_ends ? 1 : 0);

    source->at += gone;
    source->start += gone;
    source->len -= gone;
    source->has_line = false;
}
