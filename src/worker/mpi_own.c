/* Reads what mpirun says itself.  Decides which of its lines are for the log; what they
 * mean for the job is mpi_ends's. */

#include "src/worker/mpi_own.h"

#include "src/rsh.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_MAX_BYTES = 32768 /* a longer one is passed on in parts */
};

int mpi_own_open(char *const *env, struct mpi_own *out, int *child_end, struct err *err)
{
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    *child_end = pipe_fds[1];
    *out = (struct mpi_own){ .fd = pipe_fds[0] };
    for (; *env; env++)
        words_add(&out->env, xstrdup(*env));
    words_add(&out->env, xstrdup(RSH_MPI_STATES "=1"));
    words_add(&out->env, xasprintf(RSH_MPI_OWN "=%d", pipe_fds[1]));
    return 0;
}

static void pass_on(struct mpi_own *own, struct output *log, struct metrics *metrics,
                    const struct journal_writer *journal, bool at_end)
{
    struct text *line = &own->line;

    while (line->len > 0) {
        const char *feed = memchr(line->bytes, '\n', line->len);
        size_t len = feed ? (size_t)(feed - line->bytes) + 1 : line->len;

        if (!feed && !at_end && line->len < LINE_MAX_BYTES)
            return;
        if (!mpi_words_state(log->words, line->bytes, len)) {
            /* In the log it may stand behind half a line of a rank's. */
            mpi_words_scan(log->words, line->bytes, len);
            output_add(log, line->bytes, len, metrics, journal);
        }
        text_drop(line, len);
    }
}

bool mpi_own_read(struct mpi_own *own, struct output *log, struct metrics *metrics,
                  const struct journal_writer *journal)
{
    char bytes[4096];
    ssize_t got;

    if (own->fd < 0)
        return false;
    do
        got = read(own->fd, bytes, sizeof bytes);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        text_add(&own->line, bytes, (size_t)got);
        pass_on(own, log, metrics, journal, false);
        return true;
    }
    if (got == 0) {
        close(own->fd);
        own->fd = -1;
    }
    return false;
}

void mpi_own_finish(struct mpi_own *own, struct output *log, struct metrics *metrics,
                    const struct journal_writer *journal)
{
    while (mpi_own_read(own, log, metrics, journal))
        ;
    pass_on(own, log, metrics, journal, true);
}

void mpi_own_clear(struct mpi_own *own)
{
    if (own->fd >= 0)
        close(own->fd);
    words_free(own->env);
    text_clear(&own->line);
    *own = MPI_OWN_NONE;
}
