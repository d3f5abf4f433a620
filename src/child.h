#ifndef SRC_CHILD_H
#define SRC_CHILD_H

#include "src/base.h"
#include "src/err.h"

#include <sys/types.h>

/* A piece of work in a process of its own, which dies with this one. */

struct child {
    pid_t pid;
    int fd; /* readable when it has failed or ended */
};

/** Begins `work`.  A child that fails tells why, and waits to be ended. */
MUST_CHECK int child_start(struct child *child,
                           int (*work)(void *context, struct err *), void *context,
                           struct err *err);

/** For `work`: closes all files that it inherited but the standard ones, so that a
 * connection ends when the parent ends it. */
void child_close_rest(void);

/** Waits until it has ended or failed, and gives its failure.  One that failed still
 * has open what it had. */
MUST_CHECK int child_wait(const struct child *child, struct err *err);

/** Ends it, if it has not ended, and forgets it. */
void child_end(struct child *child);

#endif
