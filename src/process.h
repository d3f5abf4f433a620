#ifndef SRC_PROCESS_H
#define SRC_PROCESS_H

#include "src/base.h"
#include "src/err.h"

#include <sys/types.h>

/* A process is known by its pid together with its start time, or by a pidfd; never by
 * its pid alone. */

struct process_id {
    pid_t pid;
    uint64_t start_ticks; /* field 22 of /proc/PID/stat, clock ticks since boot */
};

/** Start time of a process that is there; ERR_NOT_FOUND when it is gone (a zombie
 * counts as there). */
MUST_CHECK int process_start_ticks(pid_t pid, uint64_t *ticks, struct err *err);

/** A pidfd for exactly this process; ERR_NOT_FOUND when it is gone or another one has
 * its pid. The caller closes. */
MUST_CHECK int process_open(const struct process_id *id, int *pidfd, struct err *err);

/** The file that a shell would run for a name without a slash, with this PATH (NULL:
 * there is none); NULL when there is no such program. The caller frees. */
char *program_find(const char *name, const char *path);

/* What a new process reads and writes; -1: /dev/null. */
struct process_files {
    int input;  /* above 2 */
    int output; /* stdout and stderr */
};

/** Starts `argv` in a session of its own with environment `envp`, default signals, no
 * blocked ones, no other fd.  A name without a slash is looked for in the PATH of
 * `envp`.  What exec would not have is an error that names errno.  By posix_spawn, so
 * that a big parent costs nothing.  *pidfd becomes readable at its end; the caller
 * closes it and reaps by process_reap. */
MUST_CHECK int process_spawn(const char *const *argv, const char *const *envp,
                             struct process_files files, pid_t *pid, int *pidfd,
                             struct err *err);

/** Reaps an ended child by its pidfd; false when it is not our child or has not ended.
 * *status as of waitpid. */
bool process_reap(int pidfd, int *status);

void process_kill(int pidfd, int signal_number);

#endif
