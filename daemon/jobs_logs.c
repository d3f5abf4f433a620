/* Where a job's output lies. Reading it is the API's work. */

#include "daemon/jobs_private.h"

#include <stdlib.h>

static void name_log(const char *place, const struct job_worker *worker,
                     struct job_log *log)
{
    log->ended = worker->ended;
    log->path = xasprintf("%s/rank-%d.log", place, log->rank);
    log->times_path = xasprintf("%s/rank-%d.times", place, log->rank);
}

static int list_logs(struct jobs *jobs, const struct job *job, int attempt,
                     struct job_logs *out, struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    const struct job_worker *workers =
        attempt < job->attempt ? job->past[attempt - 1].workers : job->workers;
    auto_free char *folder = jobs_folder(jobs, job);
    auto_job_spec struct job_spec *spec = NULL;

    if (jobs_get_spec(jobs, job->job_id, &spec, NULL, err) < 0)
        return -1;
    if (!profile)
        return err_set(err, ERR_INTERNAL,
                       "instance type '%s' is not in the catalog any more",
                       job->instance_type);
    out->count = (size_t)launch_log_count(spec, profile);
    out->logs = xcalloc(out->count, sizeof *out->logs);
    for (int rank = 0; rank < (int)out->count; rank++) {
        struct job_log *log = &out->logs[rank];
        auto_free char *place = NULL;

        log->attempt = attempt;
        log->rank = rank;
        log->worker = launch_log_worker(spec, profile, rank);
        place = worker_folder(folder, attempt, log->worker);
        name_log(place, &workers[log->worker], log);
    }
    return 0;
}

int jobs_logs(struct jobs *jobs, const char *name, int attempt, struct job_logs *out,
              struct err *err)
{
    auto_job struct job *job = NULL;
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || jobs_replay(jobs, row.job_id, &job, err) < 0)
        return -1;
    if (attempt > job->attempt)
        return err_set(err, ERR_NOT_FOUND, "job %s has no attempt %d; it has had %d",
                       name, attempt, job->attempt);
    *out = (struct job_logs){ .ended = job_state_is_final(job->state) };
    if (attempt)
        out->ended = out->ended || attempt < job->attempt || job->attempt_over;
    else
        attempt = job->attempt;
    return attempt ? list_logs(jobs, job, attempt, out, err) : 0;
}

void job_logs_clear(struct job_logs *logs)
{
    for (size_t i = 0; i < logs->count; i++) {
        free(logs->logs[i].path);
        free(logs->logs[i].times_path);
    }
    free(logs->logs);
}
