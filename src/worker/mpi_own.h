#ifndef SRC_WORKER_MPI_OWN_H
#define SRC_WORKER_MPI_OWN_H

#include "src/text.h"
#include "src/worker/output.h"

/*
 * What mpirun says itself, by a pipe of its own beside that of its ranks' output: what
 * it prints for a reader goes into their log as ever, and what becomes of its ranks,
 * which it is asked to say here, to mpi_ends alone.
 *
 * For the message of MPI_Abort is not to be relied on.  It goes through mpirun from one
 * thread to another, and is freed by one while the other still copies it (Open MPI 4.1,
 * orte_rml_oob_send_buffer_nb to itself): on a busy host it is lost one time in five.
 */

struct mpi_own {
    int fd;           /* our end; -1: mpirun has no such pipe, or it is at its end */
    char **env;       /* mpirun's, so that it uses the other end */
    struct text line; /* the start of an unfinished one */
};

#define MPI_OWN_NONE ((struct mpi_own){ .fd = -1 })

/** Makes the pipe for an mpirun that would run in `env`; `*child_end`, the caller's to
 * close, has to be open in mpirun under the same number. */
MUST_CHECK int mpi_own_open(char *const *env, struct mpi_own *out, int *child_end,
                            struct err *err);

/** Takes a part of what is there; log->words hears it.  False when there was nothing.
 */
bool mpi_own_read(struct mpi_own *own, struct output *log, struct metrics *metrics,
                  const struct journal_writer *journal);

/** mpirun has ended: takes all that is left, an unfinished line too. */
void mpi_own_finish(struct mpi_own *own, struct output *log, struct metrics *metrics,
                    const struct journal_writer *journal);

void mpi_own_clear(struct mpi_own *own);

#endif
