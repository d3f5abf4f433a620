/* Where a job's metrics and samples lie.  Reading them is the API's work. */

#include "daemon/jobs_history.h"

#include "daemon/jobs_private.h"

#include <stdlib.h>

int jobs_history(struct jobs *jobs, const char *name, struct job_history *history,
                 struct err *err)
{
    auto_job struct job *job = NULL;
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || jobs_replay(jobs, row.job_id, &job, err) < 0)
        return -1;
    *history = (struct job_history){
        .folder = jobs_folder(jobs, job),
        .attempts = job->attempt,
        .workers = job->instance_count,
        .ended = job_state_is_final(job->state),
    };
    return 0;
}

void job_history_clear(struct job_history *history)
{
    free(history->folder);
    *history = (struct job_history){ 0 };
}
