/* Start is recovery: every job that is not over is made from its events and taken up
 * where it was. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

#include <stdlib.h>

static int apply_event(void *context, const struct job_event *event, struct err *err)
{
    return job_apply(context, event, err);
}

int jobs_replay(struct jobs *jobs, int64_t job_id, struct job **out, struct err *err)
{
    auto_job struct job *job = job_new(job_id);

    if (store_each_event(jobs->store, job_id, apply_event, job, err) < 0) {
        if (err)
            err->code = ERR_INTERNAL;
        return err_wrap(err, "replay of job row %lld", (long long)job_id);
    }
    if (!job->name)
        return err_set(err, ERR_INTERNAL,
                       "job row %lld has no event: restore a backup of the database",
                       (long long)job_id);
    *out = steal_ptr(&job);
    return 0;
}

/* What an ended job holds is its place in the queue alone, and not when the machine has
 * started again since (jobs_is_warm). */
static void take_place(struct jobs *jobs, struct live_job *live)
{
    const struct job *job = live->job;

    if (job_state_waits(job->state)) {
        jobs_line_up(jobs, live);
        return;
    }
    if (!job_state_is_final(job->state)) {
        live->may_run = true;
        live->holds = true;
        ports_hold(&jobs->ports, job->port, job->port_count);
        if (job->block >= jobs->next_block)
            jobs->next_block = job->block + 1 + job->instance_count / 250;
    }
    if (live->holds || jobs_is_warm(job))
        jobs_queue_placed(jobs, job);
    jobs_watch(jobs, live);
}

static int take_up(struct jobs *jobs, int64_t job_id, struct err *err)
{
    const struct scheduler_class *class;
    struct live_job *live;
    struct job *job;

    if (jobs_replay(jobs, job_id, &job, err) < 0)
        return -1;
    class = scheduler_find(job->scheduler); /* no pool may name it any more */
    if (class && jobs_open_scheduler(jobs, class, err) < 0) {
        job_free(job);
        return -1;
    }
    live = live_add(jobs, job);
    take_place(jobs, live);
    jobs_mark_due(jobs, live);
    return 0;
}

int jobs_restart(struct jobs *jobs, struct err *err)
{
    auto_free int64_t *ids = NULL;
    usec_t before = clock_boot();
    size_t count;

    if (store_live_jobs(jobs->store, &ids, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (take_up(jobs, ids[i], err) < 0)
            return -1;
    log_info("jobs.recovered live=%zu usec=%lld", count,
             (long long)(clock_boot() - before));
    return 0;
}
