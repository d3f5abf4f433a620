/* Moves a rank's output to its log.  Decides what is a line (a line feed ends it; a
 * carriage return, a NUL and broken UTF-8 are bytes like others), whose it is, and that
 * a full disk does not stop a training.  Memory is bounded: one shared buffer, and
 * SCAN_MAX bytes a rank. */

#include "src/worker/output.h"

#include "src/clock.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_SIZE = 65536,
    SCAN_MAX = 65536,    /* of a line, for metrics and tracebacks */
    PIPE_SIZE = 262144,  /* lets a rank run on while we write */
    TIMES_AT_ONCE = 512, /* records a write */
    FINISH_CHUNKS = 64,  /* 4 MiB, more than any pipe holds; who writes on is cut */
};

static char chunk[CHUNK_SIZE];

static int open_file(const struct output *output, const char *suffix)
{
    auto_free char *path =
        xasprintf("%s/rank-%d.%s", output->folder, output->rank, suffix);

    /* A FIFO that a job puts in its place must not make us wait, nor a link lead away.
     */
    return open(path,
                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
                0640);
}

/* With the first byte.  False when the disk will not have them: as with any byte it
 * will not take. */
static bool open_files(struct output *output)
{
    if (output->log_fd < 0)
        output->log_fd = open_file(output, "log");
    if (output->log_fd >= 0 && output->times_fd < 0)
        output->times_fd = open_file(output, "times");
    if (output->times_fd < 0)
        output->dropped_errno = errno;
    return output->times_fd >= 0;
}

int output_open(const char *folder, int rank, struct output *out, int *child_end,
                struct err *err)
{
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    /* Refused above a user's quota: well. */
    fcntl(pipe_fds[0], F_SETPIPE_SZ, PIPE_SIZE);
    *child_end = pipe_fds[1];
    *out = (struct output){ .folder = folder,
                            .rank = rank,
                            .pipe_fd = pipe_fds[0],
                            .log_fd = -1,
                            .times_fd = -1 };
    return 0;
}

/* As write_all, but tells how much was taken. */
static size_t write_most(int fd, const void *bytes, size_t len, int *errno_value)
{
    const char *at = bytes;
    size_t done = 0;

    while (done < len) {
        ssize_t wrote = write(fd, at + done, len - done);

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

static void write_times(struct output *output, const struct log_time *times,
                        size_t count)
{
    size_t len = count * sizeof *times;
    int errno_value;
    size_t wrote;

    if (count == 0)
        return;
    wrote = write_most(output->times_fd, times, len, &errno_value);
    if (wrote < len && wrote % sizeof *times != 0) {
        /* Half a record would shift all that follow. */
        off_t end = lseek(output->times_fd, 0, SEEK_END);

        (void)!ftruncate(output->times_fd, end - (off_t)(wrote % sizeof *times));
    }
}

/* One record for every line that begins in these bytes, which are in the log from
 * `offset` on. */
static void note_times(struct output *output, size_t len, uint64_t offset, usec_t wall)
{
    struct log_time times[TIMES_AT_ONCE];
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
    uint64_t offset = output->log_size;
    size_t wrote = 0;

    if (open_files(output))
        wrote = write_most(output->log_fd, chunk, len, &output->dropped_errno);

    output->dropped += len - wrote;
    output->log_size += wrote;
    output->is_dirty = true;
    note_times(output, wrote, offset, journal_writer_wall(journal, boot));
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
    if (!output->is_dirty)
        return;
    fdatasync(output->log_fd);
    fdatasync(output->times_fd);
    output->is_dirty = false;
}

void output_close(struct output *output)
{
    if (output->pipe_fd >= 0)
        close(output->pipe_fd);
    if (output->log_fd >= 0)
        close(output->log_fd);
    if (output->times_fd >= 0)
        close(output->times_fd);
    text_clear(&output->line);
    traceback_clear(&output->traceback);
}
