#ifndef SRC_WORKER_SPAWN_H
#define SRC_WORKER_SPAWN_H

#include "src/base.h"
#include "src/err.h"

#include <sys/types.h>

/* One child process, in two halves, so that many can be started before the first is
 * waited for. */

struct spawn_request {
    char *const *argv; /* argv[0] without a slash is looked up in the PATH of `env` */
    char *const *env;
    const char *folder; /* its working folder */
    int output_fd;      /* stdout, and stderr when it has none of its own */
    int cgroup_fd;      /* cgroup v2 folder to be born in, or -1 */
    int input_fd;       /* stdin; 0: /dev/null */
    int error_fd;       /* stderr; 0: as stdout */
    int kept_fd;        /* open in it too, under its number; 0: none */
    int tasks_fd; /* file `tasks` of a cgroup v1 folder to be in as well; 0: none */
};

struct spawn {
    pid_t pid;
    int report_fd; /* tells of a failure before or in exec; closed by exec */
};

/**
 * Forks the child: a session of its own, default signals, none blocked, killed when
 * this process dies.
 *
 * Fails with the errno text of fork.  The caller calls spawn_confirm on it.
 */
MUST_CHECK int spawn_start(const struct spawn_request *request, struct spawn *out,
                           struct err *err);

/** Waits until the program runs.  Fails with the text of what could not be done ("exec
 * /no/such: No such file or directory"); the child ends by itself then, and is still to
 * be reaped. */
MUST_CHECK int spawn_confirm(struct spawn *spawn, const struct spawn_request *request,
                             struct err *err);

#endif
