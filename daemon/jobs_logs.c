/* Where a job's output lies. Reading it is the API's work. */

#include "daemon/jobs_private.h"

#include <stdlib.h>

static void name_logs(struct jobs *jobs, const struct job *job, int ranks_per_worker,
                      struct job_log *logs)
{
    auto_free char *folder = jobs_folder(jobs, job);

    for (int worker = 0; worker < job->instance_count; worker++) {
        auto_free char *place = worker_folder(folder, job->attempt, worker);

        for (int local = 0; local < ranks_per_worker; local++) {
            int rank = worker * ranks_per_worker + local;

            logs[rank].worker = worker;
            logs[rank].rank = rank;
            logs[rank].ended = job->workers[worker].ended;
            logs[rank].path = xasprintf("%s/rank-%d.log", place, rank);
            logs[rank].times_path = xasprintf("%s/rank-%d.times", place, rank);
        }
    }
}

/* With launcher torchrun the agent's output is one log a worker. */
static int ranks_per_worker(struct jobs *jobs, const struct job *job, int *ranks,
                            struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    auto_job_spec struct job_spec *spec = NULL;

    if (jobs_get_spec(jobs, job->job_id, &spec, NULL, err) < 0)
        return -1;
    if (!profile)
        return err_set(err, ERR_INTERNAL,
                       "instance type '%s' is not in the catalog any more",
                       job->instance_type);
    *ranks = 1;
    if (spec->launcher == LAUNCHER_RAILHEAD)
        *ranks = launch_world_size(spec, profile) / job->instance_count;
    return 0;
}

int jobs_logs(struct jobs *jobs, const char *name, struct job_log **logs, size_t *count,
              bool *ended, struct err *err)
{
    auto_job struct job *job = NULL;
    struct job_row row;
    int ranks;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || jobs_replay(jobs, row.job_id, &job, err) < 0)
        return -1;
    *ended = job_state_is_final(job->state);
    *logs = NULL;
    *count = 0;
    if (job->attempt == 0)
        return 0;
    if (ranks_per_worker(jobs, job, &ranks, err) < 0)
        return -1;
    *count = (size_t)(ranks * job->instance_count);
    *logs = xcalloc(*count, sizeof **logs);
    name_logs(jobs, job, ranks, *logs);
    return 0;
}

void job_logs_free(struct job_log *logs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(logs[i].path);
        free(logs[i].times_path);
    }
    free(logs);
}
