#ifndef DAEMON_JOBS_HISTORY_H
#define DAEMON_JOBS_HISTORY_H

#include "daemon/jobs.h"

/* Where the values and samples are that a job's workers wrote down while it ran. */

struct job_history {
    char *folder; /* of all its workers' folders: worker_folder() finds one */
    int attempts; /* 0: none was launched yet */
    int workers;  /* of every attempt */
    bool ended;   /* nothing more will come */
};

/** ERR_NOT_FOUND.  The caller frees by job_history_clear. */
MUST_CHECK int jobs_history(struct jobs *jobs, const char *name,
                            struct job_history *history, struct err *err);
void job_history_clear(struct job_history *history);
#define auto_job_history __attribute__((cleanup(job_history_clear)))

#endif
