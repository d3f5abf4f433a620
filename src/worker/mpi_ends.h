#ifndef SRC_WORKER_MPI_ENDS_H
#define SRC_WORKER_MPI_ENDS_H

#include "src/worker/ending.h"

#include <stddef.h>

/*
 * Which rank below mpirun failed.  mpirun kills all ranks for the first that fails, and
 * a rank that calls MPI_Abort, or leaves without MPI_Finalize, makes it do so before,
 * or without, an end that looks like a failure.  So the deaths that mpirun brings about
 * are no more than noted until it has said what it knows.  Pure.
 */

/* How long mpirun's word is waited for; its abort takes 1.5 s, more on a busy host. */
#define MPI_WORD_MAX (20 * USEC_PER_SEC)

enum mpi_word {
    MPI_WORD_NONE,
    MPI_WORD_EXIT,    /* with `number`, of its own accord or by MPI_Abort */
    MPI_WORD_SIGNAL,  /* killed by signal `number` */
    MPI_WORD_IMPROPER /* without MPI_Finalize */
};

/* What mpirun (Open MPI 4) says, in its own lines; the first counts. */
struct mpi_words {
    enum mpi_word word;
    int rank;
    int number;
    bool named; /* rank `open_rank`, by the first line of two */
    int open_rank;
    bool aborted; /* by MPI_Abort of rank `aborter`; with which code it may not say */
    int aborter;
};

struct mpi_end {
    int rank;
    int status; /* as of waitpid */
    usec_t boot;
};

struct mpi_ends {
    struct mpi_words words;
    struct mpi_end *items; /* of which each may be mpirun's doing, as they came */
    size_t count;
};

/** Looks at one line of mpirun's log that has no tag of a rank's. */
void mpi_words_scan(struct mpi_words *words, const char *line, size_t len);

/** Looks at one line that mpirun says itself, for a state of its ranks'.  True: it is
 * of such states (state_base_verbose), which nobody else is to read. */
bool mpi_words_state(struct mpi_words *words, const char *line, size_t len);

/** A rank has ended.  True when that was noted alone: it is a death that mpirun may
 * have brought about, or came after one. */
bool mpi_ends_note(struct mpi_ends *ends, int rank, int status, usec_t boot);

/** True when this decided the cause: by mpirun's word, or because it said none in time.
 */
bool mpi_ends_settle(struct mpi_ends *ends, struct ending *ending, usec_t now);

/** As mpi_ends_settle; mpirun has ended with `status`, and what it said was scanned. */
bool mpi_ends_close(struct mpi_ends *ends, int status, struct ending *ending,
                    usec_t now);

/** Whether something is noted that has not been decided; until when, INT64_MAX: none.
 */
bool mpi_ends_open(const struct mpi_ends *ends, const struct ending *ending);
usec_t mpi_ends_due(const struct mpi_ends *ends, const struct ending *ending);

void mpi_ends_clear(struct mpi_ends *ends);

#endif
