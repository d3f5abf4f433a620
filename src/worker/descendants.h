#ifndef SRC_WORKER_DESCENDANTS_H
#define SRC_WORKER_DESCENDANTS_H

#include "src/base.h"

#include <sys/types.h>

/* The processes below this one.  It is their subreaper: whoever loses its parent
 * becomes our child, so killing children again and again ends the whole tree, setsid or
 * not. */

/** Reaps one ended child. 1: *pid and *status are set; 0: none has ended; -1: there is
 * no child at all. */
int descendants_reap(pid_t *pid, int *status);

/** SIGKILL to every child. */
void descendants_kill_children(void);

#endif
