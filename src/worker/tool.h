#ifndef SRC_WORKER_TOOL_H
#define SRC_WORKER_TOOL_H

#include "src/base.h"
#include "src/text.h"

#include <sys/types.h>

/* A foreign program whose words are wanted and whose end is not: nobody ever waits for
 * it. */

struct tool {
    int pidfd; /* -1: it was not started, or is given up */
    int output_fd;
    struct text heard; /* of its stdout, not yet used */
    bool finished;     /* no more is to come */
};

/** How one is before it is started. */
#define TOOL_NONE                    \
    (struct tool)                    \
    {                                \
        .pidfd = -1, .output_fd = -1 \
    }

/** Starts it; argv[0] is a path, both lists end in NULL.  It is no child of ours, so
 * that whoever waits for the ranks never meets it.  False when it cannot be started. */
bool tool_start(struct tool *out, char *const *argv, char *const *env);

/** Takes what it has said, and does not block. */
void tool_hear(struct tool *tool);

/** SIGKILL, if it runs, and forgets it. */
void tool_end(struct tool *tool);

#endif
