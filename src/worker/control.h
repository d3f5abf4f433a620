#ifndef SRC_WORKER_CONTROL_H
#define SRC_WORKER_CONTROL_H

#include "src/journal.h"

/* How a worker is told things: the file `stop` in its folder, and signals. */

struct control {
    char *folder;
    char *stop_path;
    int signal_fd;
    int inotify_fd;    /* -1: not yet; the file is looked for at every call */
    usec_t watch_boot; /* when the folder begins to be watched */
    int64_t grace_s;   /* that the request gave, in the place of the plan's; -1: none */
};

/** Blocks SIGTERM, SIGINT and SIGCHLD for good, ignores SIGHUP, SIGPIPE and SIGXFSZ. */
MUST_CHECK int control_open(const char *folder, struct control *out, struct err *err);
void control_close(struct control *control);

/** Whether a stop was asked, by file or signal, and why; its grace, where it has one,
 * is control->grace_s then.  Does not block.  A SIGTERM to the worker is a user's stop:
 * systemd and Slurm stop a unit that way. */
bool control_stop_asked(struct control *control, usec_t now, enum end_cause *cause);

/** When it is to be asked again without a sign from a descriptor, on the boot clock;
 * INT64_MAX: never. */
usec_t control_due(const struct control *control, usec_t now);

#endif
