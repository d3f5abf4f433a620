/* Asking a job to stop, or the attempt that runs to make room. */

#include "daemon/jobs_private.h"
#include "src/clock.h"

#include <stdlib.h>

static int find_live(struct jobs *jobs, const char *name, struct live_job **live,
                     struct err *err)
{
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0)
        return -1;
    *live = live_find(jobs, row.id);
    if (!*live)
        return err_set(err, ERR_CONFLICT, "job %s has ended: it is %s", name,
                       job_state_name(row.state));
    return 0;
}

/* Of an ended job there is only its warm pool to stop. */
static int stop_pool(struct jobs *jobs, struct live_job *live, struct err *err)
{
    if (live->job->warm != WARM_AVAILABLE)
        return err_set(err, ERR_CONFLICT, "job %s has ended: it is %s", live->job->name,
                       job_state_name(live->job->state));
    return jobs_end_warm(jobs, live,
                         jobs_is_warm(live->job) ? clock_boot()
                                                 : job_warm_start(live->job),
                         NULL, err);
}

int jobs_stop(struct jobs *jobs, const char *name, const char *by, struct err *err)
{
    auto_json struct cJSON *data = NULL;
    struct live_job *live;

    if (find_live(jobs, name, &live, err) < 0)
        return -1;
    if (job_state_is_final(live->job->state))
        return stop_pool(jobs, live, err);
    if (live->job->stop_asked)
        return 0;
    data = json_object_new();
    json_set_text(data, "cause", end_cause_name(END_USER_STOP));
    json_set_text(data, "by", by);
    return jobs_post(jobs, live, EV_STOP_ASKED, -1, data, err);
}

int jobs_interrupt(struct jobs *jobs, const char *name, int64_t notice_s,
                   const char *by, struct err *err)
{
    auto_json struct cJSON *data = NULL;
    const struct job *job;
    struct live_job *live;
    enum job_state to;

    if (find_live(jobs, name, &live, err) < 0)
        return -1;
    job = live->job;
    if (!job_move(job->state, EV_INTERRUPT_ASKED, &to))
        return err_set(err, ERR_CONFLICT,
                       "job %s is %s: only one that runs can be interrupted", name,
                       job_state_name(job->state));
    if (job->interrupt_asked)
        return 0;
    data = json_object_new();
    json_set_int(data, "grace_s", notice_s);
    json_set_text(data, "by", by);
    return jobs_post(jobs, live, EV_INTERRUPT_ASKED, -1, data, err);
}
