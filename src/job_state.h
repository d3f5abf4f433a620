#ifndef SRC_JOB_STATE_H
#define SRC_JOB_STATE_H

#include "src/base.h"

/* A job's states as users see them: SageMaker's secondary status; the primary one
 * follows from it. */

enum job_state {
    JOB_NEW, /* before its first event; nobody sees it */
    JOB_PENDING,
    JOB_STARTING,
    JOB_DOWNLOADING,
    JOB_TRAINING,
    JOB_UPLOADING,
    JOB_INTERRUPTED, /* waits for its next attempt: the machine was wanted back */
    JOB_RESTARTING,  /* waits for its next attempt: the last one failed */
    JOB_STOPPING,
    JOB_COMPLETED,
    JOB_FAILED,
    JOB_STOPPED,
    JOB_MAX_RUNTIME_EXCEEDED,
    JOB_MAX_WAIT_TIME_EXCEEDED,
};

enum {
    JOB_STATE_COUNT = JOB_MAX_WAIT_TIME_EXCEEDED + 1
};

const char *job_state_name(enum job_state state); /* "MaxRuntimeExceeded" */
/** InProgress, Stopping, Completed, Failed or Stopped.  `stop_asked`: an upload that a
 * stop led to shows as Stopping. */
const char *job_state_primary(enum job_state state, bool stop_asked);
bool job_state_from_name(const char *name, enum job_state *out);
bool job_state_is_final(enum job_state state);
/** Pending, or between two attempts: holds nothing, waits for instances. */
bool job_state_waits(enum job_state state);

#endif
