#ifndef SRC_WORKER_CONTROL_H
#define SRC_WORKER_CONTROL_H

#include "src/journal.h"

/* How a worker is told things: the file `stop` in its folder, and signals. */

struct control {
    char *stop_path;
    int signal_fd;
    int inotify_fd;
    bool look_once;
};

/** Blocks SIGTERM, SIGINT and SIGCHLD for good, ignores SIGHUP and SIGPIPE, watches the
 * folder. */
MUST_CHECK int control_open(const char *folder, struct control *out, struct err *err);
void control_close(struct control *control);

/** Whether a stop was asked since the start, by file or signal, and why.  Does not
 * block. A SIGTERM to the worker is a user's stop: systemd and Slurm stop a unit that
 * way. */
bool control_stop_asked(struct control *control, enum end_cause *cause);

#endif
