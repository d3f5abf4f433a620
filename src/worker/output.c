/* Moves a rank's output to its log.  Decides what is a line (a line feed ends it; a
 * carriage return, a NUL and broken UTF-8 are bytes like others), whose it is, and that
 * a full disk does not stop a training.  Memory is bounded: one shared buffer, and
 * SCAN_MAX bytes a rank. */

#include "src/worker/output.h"

#include "src/clock.h"
#include "src/rank_log.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_SIZE = 65536,
    SCAN_MAX = 65536,     /* of a line, for metrics and tracebacks */
    PIPE_SIZE = 262144,   /* lets a rank run on while we write */
    TIMES_AT_ONCE = 2048, /* records a write: one for a chunk of lines above 32 bytes */
    FINISH_CHUNKS = 64,   /* 4 MiB, more than any pipe holds; who writes on is cut */
};

static char chunk[CHUNK_SIZE];

int output_open(const char *folder, int rank, int64_t keep, struct output *out,
                int *child_end, struct err *err)
{
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    /* Refused above a user's quota: well. */
    fcntl(pipe_fds[0], F_SETPIPE_SZ, PIPE_SIZE);
    *child_end = pipe_fds[1];
    *out = (struct output){ .rank = rank, .pipe_fd = pipe_fds[0] };
    log_writer_init(&out->log, xasprintf("%s/rank-%d.log", folder, rank),
                    (uint64_t)keep);
    log_writer_init(&out->times, xasprintf("%s/rank-%d.times", folder, rank),
                    (uint64_t)keep);
    return 0;
}

static void write_times(struct output *output, const struct log_time *times,
                        size_t count)
{
    int errno_value;
    size_t wrote =
        log_writer_add(&output->times, times, count * sizeof *times, &errno_value);

    /* Half a record would shift all that follow. */
    if (wrote % sizeof *times != 0)
        log_writer_undo(&output->times, wrote % sizeof *times);
}

/* Times of lines that are gone with the log's oldest bytes go, too. */
static void drop_times(struct output *output)
{
    struct log_writer *times = &output->times;
    struct log_time last;

    while (times->size - times->kept > RANK_LOG_SEGMENT
           && rank_log_read(times->path, times->kept + RANK_LOG_SEGMENT - sizeof last,
                            &last, sizeof last)
                  == sizeof last
           && le64toh(last.offset) < output->log.kept && log_writer_cut(times))
        ;
}

/* One record for every line that begins in these bytes, which are in the log from
 * `offset` on. */
static void note_times(struct output *output, size_t len, uint64_t offset, usec_t wall)
{
    static struct log_time times[TIMES_AT_ONCE];
    size_t count = 0;
    size_t at = 0;

    while (at < len) {
        const char *feed = memchr(chunk + at, '\n', len - at);

        if (!output->in_line)
            times[count++] = (struct log_time){ htole64(offset + at),
                                                (int64_t)htole64((uint64_t)wall) };
        if (count == TIMES_AT_ONCE) {
            write_times(output, times, count);
            count = 0;
        }
        output->in_line = feed == NULL;
        at = feed ? (size_t)(feed - chunk) + 1 : len;
    }
    if (count > 0)
        write_times(output, times, count);
}

static void keep_start(struct output *output, const char *bytes, size_t len)
{
    size_t room = SCAN_MAX - output->line.len;

    text_add(&output->line, bytes, len < room ? len : room);
}

/* Digits up to `end`, which follows them.  False: something else is there. */
static bool tag_number(const char **at, const char *limit, char end, int *out)
{
    const char *start = *at;
    int number = 0;

    while (*at < limit && **at >= '0' && **at <= '9' && *at - start < 9)
        number = 10 * number + *(*at)++ - '0';
    if (*at == start || *at == limit || *(*at)++ != end)
        return false;
    *out = number;
    return true;
}

size_t output_tag(const char *line, size_t len, int *rank)
{
    static const char *const streams[] = { "<stdout>:", "<stderr>:", "<stddiag>:" };
    const char *limit = line + len;
    const char *at = line + 1;
    int number;

    if (len == 0 || *line != '[' || !tag_number(&at, limit, ',', &number)
        || !tag_number(&at, limit, ']', &number))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
        size_t stream = strlen(streams[i]);

        if ((size_t)(limit - at) >= stream && memcmp(at, streams[i], stream) == 0) {
            *rank = number;
            return (size_t)(at - line) + stream;
        }
    }
    return 0;
}

static void scan_line(struct output *output, struct metrics *metrics, const char *line,
                      size_t len, usec_t boot)
{
    int rank = output->rank;
    size_t tag = output_tag(line, len, &rank);

    if (output->words && tag == 0)
        mpi_words_scan(output->words, line, len);
    traceback_scan(&output->traceback, rank, line + tag, len - tag);
    if (metrics)
        metrics_scan(metrics, rank, line + tag, len - tag, boot);
}

static void end_line(struct output *output, struct metrics *metrics, usec_t boot)
{
    scan_line(output, metrics, output->line.bytes ? output->line.bytes : "",
              output->line.len, boot);
    text_drop(&output->line, output->line.len);
}

static void scan_lines(struct output *output, struct metrics *metrics, size_t len,
                       usec_t boot)
{
    size_t at = 0;

    while (at < len) {
        const char *feed = memchr(chunk + at, '\n', len - at);
        size_t part = feed ? (size_t)(feed - chunk) - at : len - at;

        if (feed && output->line.len == 0) {
            scan_line(output, metrics, chunk + at, part, boot);
        } else {
            keep_start(output, chunk + at, part);
            if (feed)
                end_line(output, metrics, boot);
        }
        at += feed ? part + 1 : part;
    }
}

static void take(struct output *output, size_t len, struct metrics *metrics,
                 const struct journal_writer *journal)
{
    usec_t boot = clock_boot();
    uint64_t offset = output->log.size;
    uint64_t kept = output->log.kept;
    size_t wrote = log_writer_add(&output->log, chunk, len, &output->dropped_errno);

    output->dropped += len - wrote;
    note_times(output, wrote, offset, journal_writer_wall(journal, boot));
    if (output->log.kept > kept)
        drop_times(output);
    scan_lines(output, metrics, len, boot);
}

bool output_read(struct output *output, struct metrics *metrics,
                 const struct journal_writer *journal)
{
    ssize_t got;

    if (output->pipe_fd < 0)
        return false;
    do
        got = read(output->pipe_fd, chunk, sizeof chunk);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        take(output, (size_t)got, metrics, journal);
        return true;
    }
    if (got == 0) {
        close(output->pipe_fd);
        output->pipe_fd = -1;
    }
    return false;
}

void output_add(struct output *output, const char *bytes, size_t len,
                struct metrics *metrics, const struct journal_writer *journal)
{
    while (len > 0) {
        size_t part = len < CHUNK_SIZE ? len : CHUNK_SIZE;

        memcpy(chunk, bytes, part);
        take(output, part, metrics, journal);
        bytes += part;
        len -= part;
    }
}

void output_finish(struct output *output, struct metrics *metrics,
                   const struct journal_writer *journal)
{
    for (int i = 0; i < FINISH_CHUNKS && output_read(output, metrics, journal); i++)
        ;
    if (output->pipe_fd >= 0)
        close(output->pipe_fd);
    output->pipe_fd = -1;
    if (output->line.len > 0)
        end_line(output, metrics, clock_boot());
}

void output_sync(struct output *output)
{
    log_writer_sync(&output->log);
    log_writer_sync(&output->times);
}

void output_close(struct output *output)
{
    if (output->pipe_fd >= 0)
        close(output->pipe_fd);
    log_writer_clear(&output->log);
    log_writer_clear(&output->times);
    text_clear(&output->line);
    traceback_clear(&output->traceback);
}
