/*
 * Reads one rank's log and the times of its lines.  Decides where a line begins and
 * ends, when it was begun, and what was missed; not in which order lines of several
 * ranks come.
 *
 * Files are opened by name for each read: a stream may wait for days, and there may be
 * a thousand of them.  So a reader that is slow holds nothing: the oldest segment goes
 * under its feet, and it goes on with the first byte that is kept.
 */

#include "api/log_source.h"

#include "api/log_stream.h"
#include "src/rank_log.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* First size of a line buffer; it grows only for a longer line. */
enum {
    BUFFER_START = 16384
};

_Static_assert(sizeof(struct log_time) == 16, "a record of the times is 16 bytes");

void log_source_init(struct log_source *source, const struct job_log *log)
{
    *source = (struct log_source){
        .attempt = log->attempt,
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

uint64_t log_source_size(struct log_source *source)
{
    return rank_log_size(source->path, &source->segment);
}

uint64_t log_source_records(struct log_source *source)
{
    return rank_log_size(source->times_path, &source->times_segment)
           / sizeof(struct log_time);
}

/* Of the times. */
static uint64_t first_kept_record(const struct log_source *source)
{
    return rank_log_kept(source->times_path) / sizeof(struct log_time);
}

static bool is_cached(const struct log_source *source, uint64_t index)
{
    return index >= source->cache_first
           && index < source->cache_first + source->cache_count;
}

static void fill_cache(struct log_source *source, uint64_t first)
{
    source->cache_first = first;
    source->cache_count =
        rank_log_read(source->times_path, first * sizeof *source->cache, source->cache,
                      sizeof source->cache)
        / sizeof *source->cache;
}

bool log_source_record(struct log_source *source, uint64_t index, struct log_time *out)
{
    const struct log_time *found;

    /* Half before, half after: tail walks back, reading walks on. */
    if (!is_cached(source, index))
        fill_cache(source,
                   index > LOG_TIMES_CACHED / 2 ? index - LOG_TIMES_CACHED / 2 : 0);
    /* What is before may be gone. */
    if (!is_cached(source, index))
        fill_cache(source, index);
    if (!is_cached(source, index))
        return false;
    found = &source->cache[index - source->cache_first];
    out->offset = le64toh(found->offset);
    out->wall_us = (int64_t)le64toh((uint64_t)found->wall_us);
    return true;
}

uint64_t log_source_first(struct log_source *source, uint64_t count, usec_t since)
{
    uint64_t kept = rank_log_kept(source->path);
    uint64_t low = first_kept_record(source);
    uint64_t high = kept > 0 || since > INT64_MIN ? count : low;
    struct log_time record;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (log_source_record(source, middle, &record)
            && (record.wall_us < since || record.offset < kept))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count ? low : count;
}

void log_source_begin_at(struct log_source *source, uint64_t index, uint64_t count)
{
    struct log_time record;

    if (index >= count) {
        source->record = count ? count - 1 : 0;
        source->at = log_source_size(source);
    } else if (rank_log_kept(source->path) > 0
               && index == log_source_first(source, count, INT64_MIN)) {
        source->at = 0;
    } else if (log_source_record(source, index, &record)) {
        source->record = index;
        source->at = record.offset;
    }
}

/* To the first byte that is kept, where `at` is before it.  False: it is not. */
static bool pass_over_cut(struct log_source *source)
{
    uint64_t kept = rank_log_kept(source->path);
    uint64_t next;

    if (kept <= source->at)
        return false;
    next = log_source_first(source, log_source_records(source), INT64_MIN);
    source->record = next ? next - 1 : 0;
    source->missed += kept - source->at;
    source->at = kept;
    source->dry = false;
    return true;
}

size_t log_source_read_raw(struct log_source *source, char *out, size_t room)
{
    size_t got;

    do {
        uint64_t left = source->end > source->at ? source->end - source->at : 0;

        got = rank_log_read(source->path, source->at, out,
                            left < room ? (size_t)left : room);
    } while (got == 0 && pass_over_cut(source));
    source->at += got;
    return got;
}

/* Time of the line that begins at `at`.  One whose record is not written yet, or not
 * kept, has the time of the line before it: a line is never held back for the want of
 * its time. */
static usec_t time_of_line(struct log_source *source)
{
    struct log_time record;
    struct log_time next;

    if (!log_source_record(source, source->record, &record)) {
        uint64_t kept = first_kept_record(source);

        if (kept <= source->record || !log_source_record(source, kept, &record))
            return source->line_at;
        source->record = kept;
    }
    if (record.offset > source->at)
        return source->line_at;
    while (record.offset < source->at
           && log_source_record(source, source->record + 1, &next)
           && next.offset <= source->at) {
        source->record++;
        record = next;
    }
    return record.wall_us;
}

/* Reads on behind what is in the buffer; false at the end, and before bytes that were
 * cut. */
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
    got = rank_log_read(source->path, from, source->buffer + source->len,
                        left < room ? (size_t)left : room);
    source->len += got;
    source->dry = got == 0;
    source->torn = source->dry && left > 0 && rank_log_kept(source->path) > from;
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
        if (source->dry
            || (!read_more(source) && (source->len > 0 || !pass_over_cut(source))))
            break;
    }
    return (final || source->torn) && source->len > 0
           && set_line(source, source->len, false);
}

void log_source_drop_line(struct log_source *source)
{
    size_t gone = source->line_len + (source->line_ends ? 1 : 0);

    source->at += gone;
    source->start += gone;
    source->len -= gone;
    source->has_line = false;
}

void log_source_rest(struct log_source *source)
{
    if (source->len > 0)
        return;
    free(steal_ptr(&source->buffer));
    source->start = 0;
    source->room = 0;
}
