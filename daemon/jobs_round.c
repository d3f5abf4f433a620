/*
 * A round of the loop: what arrives is stored and applied (jobs_post), what fits is
 * placed, one commit makes all of it durable, answers are released, then every job that
 * changed takes its step.  A step may post again: that is the next round.
 */

#include "daemon/jobs_private.h"
#include "daemon/meter.h"
#include "src/clock.h"
#include "src/log.h"

void jobs_fail(struct jobs *jobs, const struct err *err)
{
    if (jobs->failed)
        return;
    jobs->failed = true;
    log_error(
        "store.failed error=\"%s\" effect=\"railheadd ends; jobs go on; the next start recovers\"",
        err->text);
    if (jobs->on_commit)
        jobs->on_commit(jobs->on_commit_context, false);
    loop_exit(jobs->loop, 1);
}

void jobs_wake(struct jobs *jobs)
{
    loop_wake(jobs->round);
}

/* What a worker's journal keeps anyway and nobody was promised need not have a commit
 * of its own: it goes with the next one, or alone after so long. */
enum {
    WAIT_LONGEST_USEC = 20000
};

static bool can_wait(enum job_event_kind kind)
{
    return kind == EV_WORKER_READY || kind == EV_WORKER_LAUNCHED || kind == EV_READY
           || kind == EV_LAUNCHED;
}

void jobs_wake_soon(struct jobs *jobs)
{
    if (jobs->soon_set)
        return;
    jobs->soon_set = true;
    loop_timer_set(jobs->soon, clock_boot() + WAIT_LONGEST_USEC);
}

void jobs_mark_due(struct jobs *jobs, struct live_job *live)
{
    if (!live->due) {
        live->due = true;
        STAILQ_INSERT_TAIL(&jobs->due, live, in_due);
    }
    jobs_wake(jobs);
}

static struct meter meter_of(const struct jobs *jobs, const struct job *job)
{
    return (struct meter){ jobs->store, &jobs->book,
                           offers_find(&jobs->offers, job->instance_type) };
}

static int store_end(struct jobs *jobs, const struct job *job, struct err *err)
{
    const struct meter meter = meter_of(jobs, job);

    if ((!job->attempt_over && meter_close(&meter, job, err) < 0)
        || meter_set_bill(jobs->store, job, err) < 0)
        return -1;
    return job->warm == WARM_AVAILABLE ? meter_open_warm(&meter, job, err) : 0;
}

/* What belongs into the same transaction as an event: the row's state, the bill. */
static int store_consequences(struct jobs *jobs, const struct job *job,
                              const struct job_event *event, struct err *err)
{
    const struct meter meter = meter_of(jobs, job);

    switch (event->kind) {
    case EV_READY:
        return meter_open(&meter, job, err);
    case EV_RETRY:
    case EV_INTERRUPTED:
        return meter_close(&meter, job, err);
    case EV_COMPLETED:
    case EV_FAILED:
    case EV_STOPPED:
    case EV_TIMED_OUT:
    case EV_WAIT_EXPIRED:
        return store_end(jobs, job, err);
    case EV_WARM_ENDED:
        return meter_close_warm(&meter, job, err);
    case EV_WORKER_READY:
    case EV_WORKER_LAUNCHED:
    case EV_WORKER_UPLOADING:
    case EV_WORKER_ENDED:
    case EV_WORKER_LOST:
    case EV_SUBMITTED:
    case EV_PLACED:
    case EV_LAUNCHED:
    case EV_UPLOADING:
    case EV_STOP_ASKED:
    case EV_INTERRUPT_ASKED:
        return 0;
    }
    return 0;
}

/* A stop that comes during an upload changes what the job shows as, and the end of a
 * warm pool whether it is over; neither changes its state. */
static bool changes_row(const struct job *job, enum job_event_kind kind,
                        enum job_state before)
{
    return job->state != before || kind == EV_STOP_ASKED || kind == EV_WARM_ENDED;
}

/* What is free, is free for this round. */
static void tell_queue(struct jobs *jobs, const struct job *job,
                       enum job_event_kind kind)
{
    if (kind == EV_RETRY || kind == EV_INTERRUPTED)
        queue_remove(jobs->queue, job->job_id);
    else if (job_state_is_final(job->state) && jobs_is_warm(job))
        queue_keep_warm(jobs->queue, job->job_id, jobs_warm_until(job));
    else if (job_state_is_final(job->state))
        queue_remove(jobs->queue, job->job_id);
}

static int post_one(struct jobs *jobs, struct live_job *live, struct job_event *event,
                    struct err *err)
{
    struct job *job = live->job;
    enum job_state before = job->state;
    struct err store_err;

    event->seq = job->last_seq + 1;
    event->at_us = clock_wall();
    if (job_apply(job, event, err) < 0)
        return -1;
    if (store_append_event(jobs->store, job->job_id, event, &store_err) < 0
        || (changes_row(job, event->kind, before)
            && store_update_state(jobs->store, job, &store_err) < 0)
        || store_consequences(jobs, job, event, &store_err) < 0
        || jobs_budget_note(jobs, live, event->kind, &store_err) < 0) {
        jobs_fail(jobs, &store_err);
        return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
    }
    if (job->state != before)
        log_info("job.state job=%s state=%s on=%s", job->name,
                 job_state_name(job->state), job_event_name(event->kind));
    tell_queue(jobs, job, event->kind);
    if (can_wait(event->kind) && !live->due)
        jobs_wake_soon(jobs);
    else
        jobs_mark_due(jobs, live);
    return 0;
}

int jobs_post(struct jobs *jobs, struct live_job *live, enum job_event_kind kind,
              int worker, const struct cJSON *data, struct err *err)
{
    struct job_event event = { .kind = kind, .worker = worker, .data = data };
    struct cJSON *due_data;

    if (jobs->failed)
        return err_set(err, ERR_UNAVAILABLE,
                       "the database failed: railheadd is ending");
    if (post_one(jobs, live, &event, err) < 0)
        return -1;
    while (job_due(live->job, &kind, &due_data)) {
        auto_json struct cJSON *owned = due_data;

        event = (struct job_event){ .kind = kind, .worker = -1, .data = owned };
        if (post_one(jobs, live, &event, err) < 0)
            return -1;
    }
    return 0;
}

static void take_steps(struct jobs *jobs)
{
    struct due_jobs now = STAILQ_HEAD_INITIALIZER(now);
    struct live_job *live;

    jobs->launching_until = 0;
    STAILQ_CONCAT(&now, &jobs->due);
    while ((live = STAILQ_FIRST(&now))) {
        STAILQ_REMOVE_HEAD(&now, in_due);
        live->due = false;
        jobs_step(jobs, live);
    }
}

static void end_round(void *context)
{
    struct jobs *jobs = context;
    struct err err;

    if (jobs->soon_set) {
        jobs->soon_set = false;
        loop_timer_set(jobs->soon, INT64_MAX);
    }
    if (jobs->failed)
        return;
    jobs_place(jobs);
    jobs_budget_look(jobs);
    if (jobs->failed)
        return;
    if (store_commit(jobs->store, &err) < 0) {
        jobs_fail(jobs, &err);
        return;
    }
    if (jobs->on_commit)
        jobs->on_commit(jobs->on_commit_context, true);
    take_steps(jobs);
}

int jobs_open_rounds(struct jobs *jobs, struct err *err)
{
    STAILQ_INIT(&jobs->due);
    jobs->deadline_boot = INT64_MAX;
    if (loop_add_last(jobs->loop, end_round, jobs, &jobs->round, err) < 0
        || loop_add_timer(jobs->loop, end_round, jobs, &jobs->soon, err) < 0
        || loop_add_timer(jobs->loop, jobs_on_deadline, jobs, &jobs->deadline, err) < 0
        || loop_add_timer(jobs->loop, jobs_on_again, jobs, &jobs->again, err) < 0
        || loop_add_timer(jobs->loop, jobs_on_look_again, jobs, &jobs->look_again, err)
               < 0)
        return -1;
    return 0;
}

void jobs_close_rounds(struct jobs *jobs)
{
    struct err err;

    if (!jobs->failed && jobs->store && store_commit(jobs->store, &err) < 0)
        log_error("store.failed error=\"%s\"", err.text);
    loop_source_free(jobs->round);
    loop_source_free(jobs->soon);
    loop_source_free(jobs->deadline);
    loop_source_free(jobs->again);
    loop_source_free(jobs->look_again);
}
