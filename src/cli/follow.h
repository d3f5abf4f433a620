#ifndef SRC_CLI_FOLLOW_H
#define SRC_CLI_FOLLOW_H

#include "src/cli/remote.h"

/* Watching a job until it ends: its log and its state at the same time, over restarts
 * of the daemon. */

struct follow {
    struct remote *remote;
    const char *name;
    /* A stream of the log, printed on stdout as it comes; NULL: none. */
    const char *log_path;
    /* Instead of log_path after a loss, when that does not begin at the log's start. */
    const char *log_resumes_at;
    bool log_plain;    /* of one rank: its bytes as they are */
    bool log_alone;    /* until the log's end; the job is asked for only to show how far
                          it is */
    bool was_reached;  /* the daemon answered before: wait for it when it is away */
    bool progress;     /* show how far it is, on stderr */
    int64_t timeout_s; /* 0: none */
};

enum follow_end {
    FOLLOW_ENDED,
    FOLLOW_TIMED_OUT,
    FOLLOW_INTERRUPTED, /* Ctrl-C; the job goes on */
};

/* A daemon that was reached is waited for as long as this when it is away. */
enum {
    FOLLOW_RECONNECT_S = 60
};

/**
 * Watches.
 *
 * @end  why it returned
 * @job  the job as it was last seen, which the caller frees; may be NULL with log_alone
 */
MUST_CHECK int follow_job(const struct follow *follow, enum follow_end *end,
                          struct cJSON **job, struct err *err);

/** Whether a job has ended. */
bool follow_is_final(const struct cJSON *job);

/** 0 when it ended as Completed, else EXIT_JOB_FAILED. */
int follow_exit_code(const struct cJSON *job);

#endif
