#ifndef SRC_WORKER_HELPER_H
#define SRC_WORKER_HELPER_H

#include "src/launch_plan.h"
#include "src/text.h"

#include <sys/types.h>

/* A program of ours that works for a worker: railhead-archive, and railhead-stage with
 * what it says (src/stage.h).  It is the worker's child and dies with it. */

struct helper {
    const char *folder;     /* of the worker, borrowed: for worker.log */
    pid_t pid;              /* 0: not started, or reaped */
    int output_fd;          /* its stdout and stderr; -1: at their end */
    int status;             /* as of waitpid, once it is reaped */
    bool is_killed;         /* by us */
    bool is_ready;          /* it has said so */
    bool retry;             /* its failure can go well another time */
    char *error;            /* why it failed, in its own words; NULL: it has not said */
    struct cJSON *progress; /* the last that nobody took; or NULL */
    struct cJSON *artifacts; /* or NULL */
    struct text remark;      /* for the job's own message */
    struct text line;        /* an unfinished one */
};

/* How one is before it is started. */
/* clang-format off */
#define HELPER_NONE { .output_fd = -1 }
/* clang-format on */

/**
 * Starts the program argv[0] with the plan, its ranks left out, on its stdin (NULL:
 * nothing is there).
 *
 * @folder  the worker's
 *
 * Fails with the text of what could not be done; `out` is as before then.
 */
MUST_CHECK int helper_start(struct helper *out, const char *folder, char *const *argv,
                            const struct worker_plan *plan, struct err *err);

/** Takes what it has said and does not block.  Warnings go to worker.log; of what is no
 * line of the protocol the last is its error. */
void helper_hear(struct helper *helper);

/** It was reaped: takes what is left of its words. */
void helper_reaped(struct helper *helper, int status);

/** To it and what it started; nothing when it does not run. */
void helper_signal(struct helper *helper, int signal_number);

/** Why it failed; NULL when it has ended well. Borrowed. */
const char *helper_failure(struct helper *helper);

void helper_clear(struct helper *helper);

#endif
