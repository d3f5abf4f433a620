/* Where a job's output lies. Reading it is the API's work. */

#include "daemon/jobs_private.h"

#include <stdlib.h>

static void name_log(const struct jobs *jobs, const struct job *job, int worker,
                     int rank, struct job_log *log)
{
    auto_free char *folder = jobs_folder(jobs, job);
    auto_free char *place = worker_folder(folder, job->attempt, worker);

    log->worker = worker;
    log->rank = rank;
    log->ended = job->workers[worker].ended;
    log->path = xasprintf("%s/rank-%d.log", place, rank);
    log->times_path = xasprintf("%s/rank-%d.times", place, rank);
}

static int list_logs(struct jobs *jobs, const struct job *job, struct job_log **logs,
                     size_t *count, struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    auto_job_spec struct job_spec *spec = NULL;
    int ranks;

    if (jobs_get_spec(jobs, job->job_id, &spec, NULL, err) < 0)
        return -1;
    if (!profile)
        return err_set(err, ERR_INTERNAL,
                       "instance type '%s' is not in the catalog any more",
                       job->instance_type);
    ranks = launch_log_count(spec, profile);
    *count = (size_t)ranks;
    *logs = xcalloc(*count, sizeof **logs);
    for (int rank = 0; rank < ranks; rank++)
        name_log(jobs, job, launch_log_worker(spec, profile, rank), rank,
                 &(*logs)[rank]);
    return 0;
}

int jobs_logs(struct jobs *jobs, const char *name, struct job_log **logs, size_t *count,
              bool *ended, struct err *err)
{
    auto_job struct job *job = NULL;
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || jobs_replay(jobs, row.job_id, &job, err) < 0)
        return -1;
    *ended = job_state_is_final(job->state);
    *logs = NULL;
    *count = 0;
    if (job->attempt == 0)
        return 0;
    return list_logs(jobs, job, logs, count, err);
}

void job_logs_free(struct job_log *logs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(logs[i].path);
        free(logs[i].times_path);
    }
    free(logs);
}
