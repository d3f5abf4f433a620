#ifndef SRC_WORKER_OUTPUT_H
#define SRC_WORKER_OUTPUT_H

#include "src/text.h"
#include "src/worker/failure.h"
#include "src/worker/log_writer.h"
#include "src/worker/metrics.h"
#include "src/worker/mpi_ends.h"

/* What one rank prints: from its pipe into rank-N.log and rank-N.times (src/journal.h),
 * byte for byte. */

struct output {
    int rank;
    int pipe_fd; /* our end; -1 once it is closed */
    struct log_writer log;
    struct log_writer times;
    uint64_t dropped;  /* bytes that the disk would not take */
    int dropped_errno; /* why */
    bool in_line;      /* the last byte was not a line feed */
    struct text line;  /* the start of an unfinished line, for what is looked for */
    struct traceback traceback;
    struct mpi_words
        *words; /* what mpirun says, borrowed; NULL: this is not mpirun's */
};

/**
 * Makes the pipe.
 *
 * @keep       bytes of the log to keep at most, and as many of its times; 0: all
 * @child_end  is for the rank and is closed by the caller
 */
MUST_CHECK int output_open(const char *folder, int rank, int64_t keep,
                           struct output *out, int *child_end, struct err *err);

/** Takes at most 64 KiB from the pipe, which does not block.  False when it gave
 * nothing: at its end, which closes it, or empty for now.  A disk that is full drops
 * bytes and is no error: training goes on. */
bool output_read(struct output *output, struct metrics *metrics,
                 const struct journal_writer *journal);

/** Adds what came another way, as if it had come through the pipe. */
void output_add(struct output *output, const char *bytes, size_t len,
                struct metrics *metrics, const struct journal_writer *journal);

/** Every writer is gone: takes what is left, looks at an unfinished last line, closes
 * the pipe. */
void output_finish(struct output *output, struct metrics *metrics,
                   const struct journal_writer *journal);

/** Length of the tag that `mpirun --tag-output` puts before a line, "[1,3]<stdout>:",
 * whose rank goes to *rank; 0 and *rank as it was: it has none.  Pure. */
size_t output_tag(const char *line, size_t len, int *rank);

void output_sync(struct output *output);
void output_close(struct output *output);

#endif
