#ifndef SRC_WORKER_REMOTE_H
#define SRC_WORKER_REMOTE_H

#include "src/err.h"

#include <poll.h>
#include <sys/types.h>

/* What mpirun asks for on this worker (src/rsh.h): requests come in, ends go out. */

/* Callers at once; more wait in the socket's backlog. */
enum {
    REMOTE_CALLERS_MAX = 16,
    REMOTE_FDS_MAX = REMOTE_CALLERS_MAX + 1
};

struct remote;

struct remote_calls {
    /* Starts `command` with these streams, which are borrowed.  The text of a failure
     * goes to who asked. */
    int (*start)(void *context, const char *command, const int *streams, pid_t *pid,
                 struct err *err);
    /* A rank below mpirun has ended, with `status` as of waitpid. */
    void (*rank_ended)(void *context, int rank, int status);
    void *context;
};

/** Listens in `folder`. NULL on failure. All functions take NULL for none. */
struct remote *remote_open(const char *folder, struct err *err);
void remote_close(struct remote *remote);

/** What to wait for: fills `fds`, gives how many. */
size_t remote_fds(const struct remote *remote, struct pollfd *fds);

/** Answers whoever called, and passes signals on.  Does not block. */
void remote_attend(struct remote *remote, const struct remote_calls *calls);

/** Whether this was started for a caller who is there still. */
bool remote_has(const struct remote *remote, pid_t pid);

/** A child has ended with `status`: who asked for it, if anybody did, is told. */
void remote_ended(struct remote *remote, pid_t pid, int status);

#endif
