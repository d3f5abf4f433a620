#ifndef SRC_WORKER_DESCENDANTS_H
#define SRC_WORKER_DESCENDANTS_H

#include "src/process.h"

/* The processes below this one.  It is their subreaper: whoever loses its parent
 * becomes our child, so killing children again and again ends the whole tree, setsid or
 * not. */

struct descendant {
    struct process_id id;
    pid_t parent;
    char name[16]; /* as the kernel keeps it */
};

/** Whether a process, and all below it, is none of those that are looked for. */
typedef bool descendants_spare_t(const void *context, pid_t pid);

/** Reaps one ended child. 1: *pid and *status are set; 0: none has ended; -1: there is
 * no child at all. */
int descendants_reap(pid_t *pid, int *status);

/** All processes below this one that have not ended, in no order; `spare` may be NULL.
 * A walk of /proc: it costs a millisecond a hundred processes. The caller frees *list,
 * of as many as is returned. */
size_t descendants_list(descendants_spare_t *spare, const void *context,
                        struct descendant **list);

/** SIGKILL to every child that is not spared. */
void descendants_kill(descendants_spare_t *spare, const void *context);

/** To every child. */
void descendants_kill_children(void);

#endif
