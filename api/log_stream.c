/*
 * Merges the logs of a job's ranks into one run of bytes.  Decides the order of lines,
 * where `tail` and `since` begin, and when a stream is at its end; not when it is read.
 */

#include "api/log_stream.h"

#include "api/log_source.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

struct log_stream {
    struct log_query query;
    struct log_source *sources; /* by rank; of a later attempt behind */
    size_t count;
    bool begun;         /* logs have been seen */
    bool raw;           /* one rank: its bytes as they are */
    bool ended;         /* the job has, and its logs are complete */
    struct text merged; /* made, and not yet given */
};

struct log_stream *log_stream_new(const struct log_query *query)
{
    struct log_stream *stream = xcalloc(1, sizeof *stream);

    stream->query = *query;
    return stream;
}

void log_stream_free(struct log_stream *stream)
{
    if (!stream)
        return;
    for (size_t i = 0; i < stream->count; i++)
        log_source_clear(&stream->sources[i]);
    free(stream->sources);
    text_clear(&stream->merged);
    free(stream);
}

size_t log_stream_sources(const struct log_stream *stream)
{
    return stream->count;
}

static bool is_wanted(const struct log_query *query, const struct job_log *log)
{
    return (query->worker < 0 || query->worker == log->worker)
           && (query->rank < 0 || query->rank == log->rank);
}

/* Sources come in the order of `logs`, so the search nearly always ends at its first
 * look. */
static struct log_source *find_source(struct log_stream *stream, const char *path,
                                      size_t *next)
{
    for (size_t i = 0; i < stream->count; i++) {
        struct log_source *source = &stream->sources[(*next + i) % stream->count];

        if (strcmp(source->path, path) == 0) {
            *next += i + 1;
            return source;
        }
    }
    return NULL;
}

static void add_source(struct log_stream *stream, const struct job_log *log)
{
    stream->sources =
        xrealloc(stream->sources, (stream->count + 1) * sizeof *stream->sources);
    log_source_init(&stream->sources[stream->count++], log);
}

/* The one of `sources` whose line before next[i] is the latest, SIZE_MAX when none has
 * any. */
static size_t latest(struct log_stream *stream, const uint64_t *first,
                     const uint64_t *next)
{
    size_t found = SIZE_MAX;
    usec_t found_at = INT64_MIN;
    struct log_time record;

    for (size_t i = 0; i < stream->count; i++) {
        if (next[i] == first[i]
            || !log_source_record(&stream->sources[i], next[i] - 1, &record))
            continue;
        if (record.wall_us >= found_at) {
            found = i;
            found_at = record.wall_us;
        }
    }
    return found;
}

/* Finds where each log begins: by `since`, then the last `tail` lines of what is left.
 * Reads records of the times only, so that the size of a log costs nothing. */
static void find_beginning(struct log_stream *stream)
{
    const struct log_query *query = &stream->query;
    auto_free uint64_t *first = xcalloc(stream->count, sizeof *first);
    auto_free uint64_t *next = xcalloc(stream->count, sizeof *next);
    auto_free uint64_t *count = xcalloc(stream->count, sizeof *count);

    for (size_t i = 0; i < stream->count; i++) {
        struct log_source *source = &stream->sources[i];

        count[i] = log_source_records(source);
        first[i] = query->since > INT64_MIN
                       ? log_source_first_since(source, count[i], query->since)
                       : 0;
        next[i] = query->tail < 0 ? first[i] : count[i];
    }
    for (int64_t left = query->tail; left > 0; left--) {
        size_t i = latest(stream, first, next);

        if (i == SIZE_MAX)
            break;
        next[i]--;
    }
    for (size_t i = 0; i < stream->count; i++)
        if (query->tail >= 0 || query->since > INT64_MIN)
            log_source_begin_at(&stream->sources[i], next[i], count[i]);
}

static void begin(struct log_stream *stream, const struct job_log *logs, size_t count)
{
    stream->begun = true;
    stream->raw = stream->query.rank >= 0 || count == 1;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&stream->query, &logs[i]))
            add_source(stream, &logs[i]);
    find_beginning(stream);
    /* Without `follow` it is what is there now: a fast writer does not prolong it. */
    for (size_t i = 0; i < stream->count && !stream->query.follow; i++)
        stream->sources[i].end = log_source_size(&stream->sources[i]);
}

void log_stream_update(struct log_stream *stream, const struct job_log *logs,
                       size_t count, bool ended)
{
    size_t next = 0;

    stream->ended = ended;
    if (count == 0)
        return;
    if (!stream->begun) {
        begin(stream, logs, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct log_source *source;

        if (!is_wanted(&stream->query, &logs[i]))
            continue;
        source = find_source(stream, logs[i].path, &next);
        if (source)
            source->ended = logs[i].ended;
        else
            add_source(stream, &logs[i]); /* of a new attempt: from its start */
    }
}

bool log_stream_is_ready(const struct log_stream *stream)
{
    if (stream->ended || stream->merged.len > 0 || !stream->query.follow)
        return true;
    for (size_t i = 0; i < stream->count; i++) {
        const struct log_source *source = &stream->sources[i];

        if (log_source_size(source) > source->at + source->len)
            return true;
        if (source->ended && source->len > 0)
            return true;
    }
    return false;
}

/* No more will come behind what a source has. */
static bool is_final(const struct log_stream *stream, const struct log_source *source)
{
    return stream->ended || source->ended || !stream->query.follow;
}

/* The source with the earliest line; of equal times the lowest rank.  NULL: none for
 * now. */
static struct log_source *earliest(struct log_stream *stream)
{
    struct log_source *found = NULL;

    for (size_t i = 0; i < stream->count; i++) {
        struct log_source *source = &stream->sources[i];

        if (log_source_fill(source, is_final(stream, source))
            && (!found || source->line_at < found->line_at))
            found = source;
    }
    return found;
}

static size_t read_merged(struct log_stream *stream, char *out, size_t room)
{
    struct log_source *source;
    size_t given;

    while (stream->merged.len < room && (source = earliest(stream))) {
        text_printf(&stream->merged, "[%d] ", source->rank);
        text_add(&stream->merged, log_source_line(source), source->line_len);
        text_add(&stream->merged, "\n", 1);
        log_source_drop_line(source);
    }
    given = stream->merged.len < room ? stream->merged.len : room;
    if (given) {
        memcpy(out, stream->merged.bytes, given);
        text_drop(&stream->merged, given);
    }
    return given;
}

static size_t read_raw(struct log_stream *stream, char *out, size_t room)
{
    for (size_t i = 0; i < stream->count; i++) {
        size_t got = log_source_read_raw(&stream->sources[i], out, room);

        if (got)
            return got;
    }
    return 0;
}

ssize_t log_stream_read(struct log_stream *stream, char *out, size_t room)
{
    size_t got;

    for (size_t i = 0; i < stream->count; i++)
        stream->sources[i].dry = false;
    got = stream->raw ? read_raw(stream, out, room) : read_merged(stream, out, room);
    if (got)
        return (ssize_t)got;
    return stream->ended || !stream->query.follow ? LOG_STREAM_END : LOG_STREAM_WAIT;
}
