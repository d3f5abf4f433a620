/* What is done once a job's state is on disk: start, stop, release, place.  Each effect
 * may be repeated safely. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

#include <string.h>

/* A round places so many jobs at most, so that answers do not wait for a long queue: a
 * start makes a folder and a journal and asks the nursery, up to 1 ms on a busy disk,
 * so 4 of them stay within the loop's 5 ms. */
enum {
    PLACED_PER_ROUND = 4
};

enum {
    TAKE_UP_AGAIN_S = 10
};

static void post_launch_failure(struct jobs *jobs, struct live_job *live,
                                struct err *why)
{
    auto_json struct cJSON *data = NULL;
    struct job_end end = {
        .cause = why->code == ERR_INVALID ? END_LAUNCH : END_INFRASTRUCTURE,
        .exit_code = -1,
        .first_failing_rank = -1,
        .message = why->text,
    };
    struct err err;

    data = job_end_to_json(&end);
    log_warning("job.launch_failed job=%s error=\"%s\"", live->job->name, why->text);
    if (jobs_post(jobs, live, EV_FAILED, -1, data, &err) < 0)
        log_error("job.event_refused job=%s error=\"%s\"", live->job->name, err.text);
}

/* What an earlier daemon may have started is not given up for what is missing now: it
 * may run, and its bill with it. */
static void on_launch_failure(struct jobs *jobs, struct live_job *live, struct err *why)
{
    if (!live->may_run) {
        post_launch_failure(jobs, live, why);
        return;
    }
    log_error(
        "job.not_taken_up job=%s error=\"%s\" effect=\"it may run unwatched; tried again in %d s\"",
        live->job->name, why->text, TAKE_UP_AGAIN_S);
    live->started = false;
    loop_timer_set(jobs->again, clock_boot() + TAKE_UP_AGAIN_S * USEC_PER_SEC);
}

static void send_stops(struct live_job *live)
{
    const struct job *job = live->job;
    enum end_cause cause = job->stop_asked ? job->stop_cause : END_PEER;
    struct err err;

    if (!job->stop_asked && !job_has_failed_worker(job))
        return;
    for (int i = 0; i < job->instance_count; i++) {
        struct worker_ref worker = { .job_id = job->id,
                                     .attempt = job->attempt,
                                     .worker = i };
        struct sched_stop stop = { .cause = cause, .grace_s = -1 };

        if (job->workers[i].ended || live->stop_sent[i])
            continue;
        live->stop_sent[i] = true;
        if (live->class->stop(live->scheduler, &worker, &stop, &err) < 0)
            log_error("job.stop_failed job=%s worker=%d error=\"%s\"", job->name, i,
                      err.text);
    }
}

static void release(struct jobs *jobs, struct live_job *live)
{
    const struct job *job = live->job;

    if (live->scheduler && job->attempt > 0)
        live->class->release(live->scheduler, job->id, job->attempt);
    ports_release(&jobs->ports, job->port);
    live_remove(jobs, live);
}

void jobs_step(struct jobs *jobs, struct live_job *live)
{
    struct err err;

    if (job_state_is_final(live->job->state)) {
        release(jobs, live);
        return;
    }
    if (live->job->attempt == 0)
        return;
    if (!live->started) {
        live->started = true;
        if (jobs_launch(jobs, live, &err) < 0) {
            on_launch_failure(jobs, live, &err);
            return;
        }
    }
    send_stops(live);
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

/* Loopback addresses come in blocks of 250 workers; a job takes as many blocks as it
 * needs. */
static int take_block(struct jobs *jobs, int instance_count)
{
    enum {
        WORKERS_PER_BLOCK = 250,
        BLOCKS = 126 * 256
    };
    int needed = 1 + (instance_count - 1) / WORKERS_PER_BLOCK;
    int block = jobs->next_block + needed > BLOCKS ? 0 : jobs->next_block;

    jobs->next_block = block + needed;
    return block;
}

/* Back in line; the next round that changes anything tries again. */
static void put_back(struct jobs *jobs, const struct job *job)
{
    struct queue_job entry;

    jobs_queue_entry(job, &entry);
    queue_remove(jobs->queue, job->job_id);
    queue_add(jobs->queue, &entry);
}

static int place_one(struct jobs *jobs, int64_t job_id, struct err *err)
{
    auto_json struct cJSON *data = json_object_new();
    struct live_job *live;
    struct job_row row;
    int port;

    if (store_get_job(jobs->store, job_id, &row, err) < 0)
        return -1;
    live = live_find(jobs, row.id);
    if (!live)
        return err_set(err, ERR_INTERNAL, "job %s is in the queue and not alive",
                       row.name);
    if (ports_take(&jobs->ports, &port, err) < 0) {
        put_back(jobs, live->job);
        return -1;
    }
    json_set_int(data, "attempt", live->job->attempt + 1);
    json_set_text(data, "boot_id", clock_boot_id());
    json_set_int(data, "boot_us", clock_boot());
    json_set_int(data, "port", port);
    json_set_int(data, "block", take_block(jobs, live->job->instance_count));
    return jobs_post(jobs, live, EV_PLACED, -1, data, err);
}

void jobs_place(struct jobs *jobs)
{
    struct err err;
    int64_t job_id;
    int placed = 0;

    while (!jobs->failed && placed < PLACED_PER_ROUND
           && (job_id = queue_next(jobs->queue, clock_boot())) != 0) {
        placed++;
        if (place_one(jobs, job_id, &err) < 0) {
            log_error("queue.place_failed row=%lld error=\"%s\"", (long long)job_id,
                      err.text);
            return;
        }
    }
    if (placed == PLACED_PER_ROUND)
        jobs_wake(jobs); /* there may be more */
}

void jobs_watch_max_wait(struct jobs *jobs, const struct job *job)
{
    usec_t left;

    if (!job->max_wait_s)
        return;
    left = job->created_us + job->max_wait_s * USEC_PER_SEC - clock_wall();
    if (clock_boot() + left < jobs->max_wait_boot) {
        jobs->max_wait_boot = clock_boot() + left;
        loop_timer_set(jobs->max_wait, jobs->max_wait_boot);
    }
}

static void expire(struct jobs *jobs, struct live_job *live)
{
    bool waiting = live->job->state == JOB_PENDING;
    auto_json struct cJSON *data = json_object_new();
    struct err err;

    json_set_text(data, "cause", end_cause_name(END_MAX_WAIT));
    if (waiting)
        json_set_text(data, "message", "waited for max_wait seconds without a place");
    else
        json_set_text(data, "by", "max_wait");
    if (jobs_post(jobs, live, waiting ? EV_WAIT_EXPIRED : EV_STOP_ASKED, -1, data, &err)
        < 0)
        log_error("job.event_refused job=%s error=\"%s\"", live->job->name, err.text);
}

/* Looks at every live job: max_wait is rare, and so is this. */
void jobs_on_max_wait(void *context)
{
    struct jobs *jobs = context;
    usec_t now = clock_wall();

    jobs->max_wait_boot = INT64_MAX;
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        LIST_FOREACH (live, &jobs->live[i], in_bucket) {
            const struct job *job = live->job;

            if (!job->max_wait_s || job->stop_asked || job_state_is_final(job->state))
                continue;
            if (job->created_us + job->max_wait_s * USEC_PER_SEC <= now)
                expire(jobs, live);
            else
                jobs_watch_max_wait(jobs, job);
        }
    }
}
