#ifndef SRC_WORKER_CGROUP_H
#define SRC_WORKER_CGROUP_H

#include "src/base.h"
#include "src/err.h"

/* The cgroup v2 folder of a worker's ranks.  A convenience: without one, what is left
 * of a job is found by walking the processes. */

struct cgroup {
    char *path; /* NULL: there is none */
    int fd;     /* of the folder, -1: there is none */
};

/** Makes the folder `path` (NULL: there is to be none). On failure `out` is well,
 * without a folder. */
MUST_CHECK int cgroup_open(const char *path, struct cgroup *out, struct err *err);

/** SIGKILL to every process in it, at once. */
void cgroup_kill(const struct cgroup *cgroup);

/** How many of its processes the kernel has killed for want of memory; 0 when it keeps
 * no such count. */
int64_t cgroup_oom_kills(const struct cgroup *cgroup);

/** Gives the folder up for the next fork, keeping what is in it (the kernel would not
 * take us). */
void cgroup_leave(struct cgroup *cgroup);

/** Removes the folder, which is empty by now. */
void cgroup_close(struct cgroup *cgroup);

#endif
