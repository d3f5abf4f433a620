#ifndef DAEMON_FAILURE_REASON_H
#define DAEMON_FAILURE_REASON_H

#include "daemon/job.h"

/* SageMaker's limit of FailureReason, in characters. */
enum {
    FAILURE_REASON_MAX = 1024
};

/** Why a job failed, beginning with SageMaker's class of it ("AlgorithmError: ..."), at
 * most FAILURE_REASON_MAX characters; NULL when it did not fail.  The caller frees.
 * Pure. */
char *failure_reason_of(const struct job *job);

#endif
