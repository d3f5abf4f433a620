#ifndef SRC_WORKER_CGROUP_H
#define SRC_WORKER_CGROUP_H

#include "src/base.h"
#include "src/err.h"

/* The cgroups of a worker's ranks: one of version 2, by which they are found and
 * killed, and where the memory controller is still of version 1, one of that too.  A
 * convenience: without them, what is left of a job is found by walking the processes,
 * and nothing limits its memory. */

struct cgroup {
    char *path;        /* version 2; NULL: there is none */
    int fd;            /* of the folder, -1: there is none */
    char *memory_path; /* version 1, memory controller; NULL: there is none */
    int memory_fd;     /* of the folder, 0: there is none */
    int64_t old_kills; /* counted two heartbeats ago */
    int64_t new_kills; /* one heartbeat ago */
    int tasks_fd;      /* of its file `tasks`: who writes "0" to it enters; 0: none */
};

/** Makes the folder `path` (NULL: there is to be none). On failure `out` is well,
 * without a folder. */
MUST_CHECK int cgroup_open(const char *path, struct cgroup *out, struct err *err);

/**
 * After cgroup_open and before the first fork: what the kernel keeps of the ranks'
 * memory.
 *
 * @memory_path  folder to be made of the version 1 memory controller, NULL: none is to
 *               be had; not used where version 2 has the controller
 * @limit_bytes  of all ranks together, without swap; 0: no limit
 *
 * Fails when there is a controller that does not take the limit; the ranks may run
 * without it.
 */
MUST_CHECK int cgroup_limit_memory(struct cgroup *cgroup, const char *memory_path,
                                   int64_t limit_bytes, struct err *err);

/** SIGKILL to every process in it, at once. */
void cgroup_kill(const struct cgroup *cgroup);

/** How many of its processes the kernel has killed of late for want of memory: since
 * the heartbeat before the last one.  0 when it keeps no such count. */
int64_t cgroup_oom_kills(const struct cgroup *cgroup);

/** The same of all the time. */
int64_t cgroup_all_oom_kills(const struct cgroup *cgroup);

/** A heartbeat: what was killed before the last one has been reaped for long, and tells
 * nothing of an end that is still to come. */
void cgroup_settle_kills(struct cgroup *cgroup);

/** Gives the version 2 folder up for the next fork, keeping what is in it (the kernel
 * would not take us). */
void cgroup_leave(struct cgroup *cgroup);

/** Removes the folders, which are empty by now. */
void cgroup_close(struct cgroup *cgroup);

#endif
