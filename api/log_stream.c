/*
 * Merges the logs of a job's ranks into one run of bytes.  Decides the order of lines,
 * where `tail` and `since` begin, and when a stream is at its end; not when it is read.
 */

#include "api/log_stream.h"

#include "api/log_source.h"
#include "src/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of one rank's log that are read at once. */
enum {
    RAW_CHUNK = 32768
};

struct log_stream {
    struct log_query query;
    struct log_source *sources; /* by rank; of a later attempt behind */
    size_t count;
    size_t ranks;     /* that the job has */
    bool begun;       /* logs have been seen */
    bool raw;         /* one rank: its bytes as they are */
    bool in_line;     /* under `raw`: the last byte was not a line feed */
    bool ended;       /* the job has, and its logs are complete */
    struct text made; /* and not yet given */
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
    text_clear(&stream->made);
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

/* Where a log may begin, by its records. */
struct look_back {
    struct log_source *source;
    uint64_t first;
    uint64_t next;
    uint64_t count;
    usec_t at; /* of the line before `next`; INT64_MIN: there is none */
};

static void look_at(struct look_back *back)
{
    struct log_time record;

    back->at = INT64_MIN;
    if (back->next > back->first
        && log_source_record(back->source, back->next - 1, &record))
        back->at = record.wall_us;
}

/* Of equal times, the line of the higher rank is the later one. */
static bool is_later(const struct look_back *one, const struct look_back *other)
{
    return one->at != other->at ? one->at > other->at : one->source > other->source;
}

/* Restores the heap, the latest of which is first, below the one at `i`. */
static void sift_down(struct look_back *backs, size_t count, size_t i)
{
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        struct look_back moved = backs[i];

        if (child + 1 < count && is_later(&backs[child + 1], &backs[child]))
            child++;
        if (!is_later(&backs[child], &moved))
            return;
        backs[i] = backs[child];
        backs[child] = moved;
        i = child;
    }
}

/* Goes back over the last lines of all logs, the latest first. */
static void step_back(struct look_back *backs, size_t count, int64_t lines)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(backs, count, i);
    for (; lines > 0 && count > 0 && backs[0].at > INT64_MIN; lines--) {
        backs[0].next--;
        look_at(&backs[0]);
        sift_down(backs, count, 0);
    }
}

/* Finds where each log begins: by `since`, then the last `tail` lines of what is left.
 * Reads records of the times only, so that the size of a log costs nothing. */
static void find_beginning(struct log_stream *stream)
{
    const struct log_query *query = &stream->query;
    auto_free struct look_back *backs = xcalloc(stream->count, sizeof *backs);

    for (size_t i = 0; i < stream->count; i++) {
        struct look_back *back = &backs[i];

        back->source = &stream->sources[i];
        back->count = log_source_records(back->source);
        back->first = log_source_first(back->source, back->count, query->since);
        back->next = query->tail < 0 ? back->first : back->count;
        look_at(back);
    }
    step_back(backs, stream->count, query->tail);
    for (size_t i = 0; i < stream->count; i++)
        log_source_begin_at(backs[i].source, backs[i].next, backs[i].count);
}

/* The head of a frame. */
static void mark(struct log_stream *stream, const struct log_source *source,
                 uint64_t offset, size_t len)
{
    text_printf(&stream->made, "%d %d/%zu %" PRIu64 " %zu\n", source->attempt,
                source->rank, stream->ranks, offset, len);
}

/* Where a log begins. */
static void mark_beginning(struct log_stream *stream, const struct log_source *source)
{
    if (stream->query.frames)
        mark(stream, source, source->at, 0);
}

static void begin(struct log_stream *stream, const struct job_log *logs, size_t count)
{
    stream->begun = true;
    stream->ranks = count;
    stream->raw = stream->query.rank >= 0 || count == 1;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&stream->query, &logs[i]))
            add_source(stream, &logs[i]);
    if (stream->query.tail >= 0 || stream->query.since > INT64_MIN)
        find_beginning(stream);
    for (size_t i = 0; i < stream->count; i++)
        mark_beginning(stream, &stream->sources[i]);
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
        if (source) {
            source->ended = logs[i].ended;
            continue;
        }
        add_source(stream, &logs[i]); /* of a new attempt: from its start */
        mark_beginning(stream, &stream->sources[stream->count - 1]);
    }
}

bool log_stream_is_ready(const struct log_stream *stream)
{
    if (stream->ended || stream->made.len > 0 || !stream->query.follow)
        return true;
    for (size_t i = 0; i < stream->count; i++) {
        struct log_source *source = &stream->sources[i];

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

/* On a line of its own. */
static void tell_missed(struct log_stream *stream, struct log_source *source)
{
    if (source->missed > 0 && !stream->query.frames) {
        if (stream->in_line)
            text_add(&stream->made, "\n", 1);
        stream->in_line = false;
        if (!stream->raw)
            text_printf(&stream->made, "[%d] ", source->rank);
        text_printf(&stream->made,
                    "[railhead: %" PRIu64 " bytes of rank %d were cut here]\n",
                    source->missed, source->rank);
    }
    source->missed = 0;
}

static void add_line(struct log_stream *stream, struct log_source *source)
{
    size_t end = source->line_ends ? 1 : 0;

    tell_missed(stream, source);
    if (stream->query.frames)
        mark(stream, source, source->at, source->line_len + end);
    else
        text_printf(&stream->made, "[%d] ", source->rank);
    text_add(&stream->made, log_source_line(source), source->line_len);
    text_add(&stream->made, "\n", stream->query.frames ? end : 1);
    log_source_drop_line(source);
}

static void make_merged(struct log_stream *stream, size_t room)
{
    struct log_source *source;

    while (stream->made.len < room && (source = earliest(stream)))
        add_line(stream, source);
}

static void make_raw(struct log_stream *stream)
{
    static char chunk[RAW_CHUNK];

    for (size_t i = 0; i < stream->count; i++) {
        struct log_source *source = &stream->sources[i];
        size_t got = log_source_read_raw(source, chunk, sizeof chunk);

        tell_missed(stream, source);
        if (got == 0)
            continue;
        if (stream->query.frames)
            mark(stream, source, source->at - got, got);
        text_add(&stream->made, chunk, got);
        stream->in_line = chunk[got - 1] != '\n';
        return;
    }
}

static ssize_t give(struct log_stream *stream, char *out, size_t room)
{
    size_t given = stream->made.len < room ? stream->made.len : room;

    memcpy(out, stream->made.bytes, given);
    text_drop(&stream->made, given);
    return (ssize_t)given;
}

ssize_t log_stream_read(struct log_stream *stream, char *out, size_t room)
{
    for (size_t i = 0; i < stream->count; i++)
        stream->sources[i].dry = false;
    if (!stream->raw)
        make_merged(stream, room);
    else if (stream->made.len == 0)
        make_raw(stream);
    if (stream->made.len > 0)
        return give(stream, out, room);
    if (stream->ended || !stream->query.follow)
        return LOG_STREAM_END;
    for (size_t i = 0; i < stream->count; i++)
        log_source_rest(&stream->sources[i]);
    text_clear(&stream->made);
    return LOG_STREAM_WAIT;
}
