#ifndef SRC_WORKER_ENDING_H
#define SRC_WORKER_ENDING_H

#include "src/journal.h"

/* Why this worker ends: the one true cause out of all that happened, which is what came
 * first. Pure. */

struct ending {
    bool decided;         /* something came before all ranks had ended well */
    enum end_cause cause; /* END_COMPLETED until then */
    int exit_code;        /* of the first failing rank, -1: none */
    int signal_number;    /* that killed the first failing rank, 0: none */
    int rank;             /* the first failing rank, -1: none */
    usec_t boot;          /* when it failed */
    char *message;        /* NULL: nothing to say */
};

void ending_init(struct ending *ending);
void ending_clear(struct ending *ending);

/** A rank has ended with `status` (as of waitpid); `oom`: the kernel killed it for want
 * of memory. An end after a stop was asked is the stop's doing.  True when this decided
 * the cause. */
bool ending_rank(struct ending *ending, int rank, int status, bool oom, usec_t boot);

/** A stop, a limit or a fault came.  True when this decided the cause. */
bool ending_because(struct ending *ending, enum end_cause cause, const char *format,
                    ...) PRINTF_LIKE(3, 4);

/** Adds to what is said about the end, without changing its cause. */
void ending_remark(struct ending *ending, const char *remark);

/** Adds the members that follow boot_us and wall_us in an "ended" line. */
void ending_to_json(const struct ending *ending, struct cJSON *line);

#endif
