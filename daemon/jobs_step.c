/* What is done once a job's state is on disk: start, stop, release, try again.  Each
 * effect may be repeated safely. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

#include <string.h>

enum {
    TAKE_UP_AGAIN_S = 10
};

/* The attempt ends before its scheduler has heard of it. */
static void post_end(struct jobs *jobs, struct live_job *live, enum end_cause cause,
                     char *message)
{
    const struct job_end end = { .cause = cause,
                                 .exit_code = -1,
                                 .first_failing_rank = -1,
                                 .message = message };
    auto_json struct cJSON *data = job_end_to_json(&end);
    struct err err;

    if (jobs_post(jobs, live, job_event_after(live->job, &end), -1, data, &err) < 0)
        log_error("job.event_refused job=%s error=\"%s\"", live->job->name, err.text);
}

/* What an earlier daemon may have started is not given up for what is missing now: it
 * may run, and its bill with it. */
static void on_launch_failure(struct jobs *jobs, struct live_job *live, struct err *why)
{
    if (!live->may_run) {
        log_warning("job.launch_failed job=%s error=\"%s\"", live->job->name,
                    why->text);
        post_end(jobs, live, why->code == ERR_INVALID ? END_LAUNCH : END_INFRASTRUCTURE,
                 why->text);
        return;
    }
    log_error(
        "job.not_taken_up job=%s error=\"%s\" effect=\"it may run unwatched; tried again in %d s\"",
        live->job->name, why->text, TAKE_UP_AGAIN_S);
    live->started = false;
    loop_timer_set(jobs->again, clock_boot() + TAKE_UP_AGAIN_S * USEC_PER_SEC);
}

/* What its workers are to be told, if anything.  The first of these that a worker hears
 * of counts; a stop that is asked for later only keeps the job from another attempt. */
static bool stop_of(const struct job *job, struct sched_stop *stop)
{
    *stop = (struct sched_stop){ .cause = END_PEER, .grace_s = -1 };
    if (job->stop_asked) {
        stop->cause = job->stop_cause;
        return true;
    }
    if (job->interrupt_asked) {
        *stop = (struct sched_stop){ END_INTERRUPTED, job->interrupt_grace_s };
        return true;
    }
    return job_has_failed_worker(job);
}

/* On a full disk a stop draws on the reserve, as what follows from it does. */
static int send_stop(struct jobs *jobs, const struct live_job *live,
                     const struct worker_ref *worker, const struct sched_stop *stop,
                     struct err *err)
{
    int result;

    do
        result = live->class->stop(live->scheduler, worker, stop, err);
    while (result < 0 && err->code == ERR_DISK_FULL && store_give_room(jobs->store));
    return result;
}

static void send_stops(struct jobs *jobs, struct live_job *live)
{
    const struct job *job = live->job;
    struct sched_stop stop;
    struct err err;

    if (!stop_of(job, &stop))
        return;
    for (int i = 0; i < job->instance_count; i++) {
        struct worker_ref worker = { .job_id = job->id,
                                     .attempt = job->attempt,
                                     .worker = i };

        /* An upload goes on: nothing is left there that could be stopped. */
        if (job->workers[i].ended || job->workers[i].uploading || live->stop_sent[i])
            continue;
        live->stop_sent[i] = true;
        if (send_stop(jobs, live, &worker, &stop, &err) < 0)
            log_error("job.stop_failed job=%s worker=%d error=\"%s\"", job->name, i,
                      err.text);
    }
}

static void release(struct jobs *jobs, struct live_job *live)
{
    const struct job *job = live->job;

    jobs_forget_launch(live);
    if (!live->holds)
        return;
    live->holds = false;
    if (live->scheduler)
        live->class->release(live->scheduler, job->id, job->attempt);
    ports_release(&jobs->ports, job->port, job->port_count);
}

static void step_ended(struct jobs *jobs, struct live_job *live)
{
    struct err err;

    release(jobs, live);
    if (job_is_over(live->job))
        live_remove(jobs, live);
    else if (jobs_is_warm(live->job))
        jobs_watch(jobs, live);
    else if (jobs_end_warm(jobs, live, job_warm_start(live->job), NULL, &err) < 0)
        log_error("job.event_refused job=%s error=\"%s\"", live->job->name, err.text);
}

/* An attempt is over: what it held is free, the job waits for the next one. */
static void step_waiting(struct jobs *jobs, struct live_job *live)
{
    if (!live->holds)
        return;
    release(jobs, live);
    live->started = false;
    live->may_run = false;
    memset(live->stop_sent, 0, (size_t)live->job->instance_count * sizeof(bool));
    haul_clear(live->haul, live->job->instance_count);
    jobs_line_up(jobs, live);
    jobs_wake(jobs);
}

/* Whether its workers are in the scheduler's hands now. */
static bool launch(struct jobs *jobs, struct live_job *live)
{
    struct err err;
    bool done;

    live->started = true;
    if (jobs_launch(jobs, live, &done, &err) < 0) {
        on_launch_failure(jobs, live, &err);
        return false;
    }
    if (!done) {
        live->started = false;
        jobs_mark_due(jobs, live);
    }
    return done;
}

void jobs_step(struct jobs *jobs, struct live_job *live)
{
    if (job_state_is_final(live->job->state)) {
        step_ended(jobs, live);
        return;
    }
    if (job_state_waits(live->job->state)) {
        step_waiting(jobs, live);
        return;
    }
    /* Nothing was started, or there is nobody who could find and stop it. */
    if (!live->started && (!live->may_run || !live->scheduler)
        && live->job->stop_asked) {
        post_end(jobs, live, live->job->stop_cause, live->job->stop_message);
        return;
    }
    if (live->started || launch(jobs, live))
        send_stops(jobs, live);
}

void jobs_on_again(void *context)
{
    struct jobs *jobs = context;

    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        LIST_FOREACH (live, &jobs->live[i], in_bucket)
            if (live->may_run && !live->started)
                jobs_mark_due(jobs, live);
    }
}
