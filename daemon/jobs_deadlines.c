/* What comes due though nobody says anything: max_wait, the pause before another
 * attempt, the end of a warm pool, of a budget.  One timer for all jobs, set to the
 * first of these.
 */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

/* On the boot clock; INT64_MAX: never.  A job that was asked to stop is bounded by its
 * grace. */
static usec_t max_wait_of(const struct job *job)
{
    if (!job->max_wait_s || job->stop_asked || job_state_is_final(job->state))
        return INT64_MAX;
    return clock_boot() + job->created_us + job->max_wait_s * USEC_PER_SEC
           - clock_wall();
}

static usec_t retry_of(const struct live_job *live)
{
    return live->retry_boot ? live->retry_boot : INT64_MAX;
}

static usec_t warm_of(const struct job *job)
{
    return jobs_is_warm(job) ? jobs_warm_until(job) : INT64_MAX;
}

static usec_t first_of(const struct live_job *live)
{
    usec_t first = max_wait_of(live->job);

    if (retry_of(live) < first)
        first = retry_of(live);
    if (warm_of(live->job) < first)
        first = warm_of(live->job);
    return first;
}

void jobs_watch_at(struct jobs *jobs, usec_t boot)
{
    if (boot < jobs->deadline_boot) {
        jobs->deadline_boot = boot;
        loop_timer_set(jobs->deadline, boot);
    }
}

void jobs_watch(struct jobs *jobs, const struct live_job *live)
{
    jobs_watch_at(jobs, first_of(live));
}

/* Who was interrupted is back in line at once; what failed may fail again, so each
 * further attempt waits twice as long: 1, 2, 4 ... 64 s from the end of the last. */
static usec_t pause_of(const struct job *job)
{
    enum {
        DOUBLED_MOST = 6
    };
    int times = job->attempt - 1 < DOUBLED_MOST ? job->attempt - 1 : DOUBLED_MOST;
    usec_t whole;
    usec_t left;

    if (job->state != JOB_RESTARTING)
        return 0; /* before its first attempt, maybe */
    whole = USEC_PER_SEC << times;
    left = job->changed_us + whole - clock_wall();
    if (left < 0)
        return 0;
    return left < whole ? left : whole; /* the wall clock was set back */
}

void jobs_line_up(struct jobs *jobs, struct live_job *live)
{
    usec_t pause = pause_of(live->job);

    if (pause)
        live->retry_boot = clock_boot() + pause;
    else
        jobs_queue(jobs, live->job);
    jobs_watch(jobs, live);
}

char *jobs_pause_reason(const struct live_job *live)
{
    usec_t left = live->retry_boot - clock_boot();

    if (!live->retry_boot)
        return NULL;
    return xasprintf("attempt %d of %d failed: back in line in %lld s",
                     live->job->attempt, live->job->max_attempts,
                     (long long)(left > 0 ? (left + USEC_PER_SEC - 1) / USEC_PER_SEC
                                          : 0));
}

static int expire(struct jobs *jobs, struct live_job *live, struct err *err)
{
    bool waiting = job_state_waits(live->job->state);
    auto_json struct cJSON *data = json_object_new();

    json_set_text(data, "cause", end_cause_name(END_MAX_WAIT));
    if (waiting)
        json_set_text(data, "message", "waited for max_wait seconds without a place");
    else
        json_set_text(data, "by", "max_wait");
    return jobs_post(jobs, live, waiting ? EV_WAIT_EXPIRED : EV_STOP_ASKED, -1, data,
                     err);
}

static int act(struct jobs *jobs, struct live_job *live, usec_t now, struct err *err)
{
    if (max_wait_of(live->job) <= now && expire(jobs, live, err) < 0)
        return -1;
    if (warm_of(live->job) <= now)
        return jobs_end_warm(jobs, live, jobs_warm_until(live->job), NULL, err);
    if (retry_of(live) > now)
        return 0;
    live->retry_boot = 0;
    if (job_state_waits(live->job->state)) {
        jobs_queue(jobs, live->job);
        jobs_wake(jobs);
    }
    return 0;
}

/* Looks at every live job: deadlines are rare, and so is this. */
void jobs_on_deadline(void *context)
{
    struct jobs *jobs = context;
    usec_t now = clock_boot();
    struct err err;

    jobs->deadline_boot = INT64_MAX;
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        LIST_FOREACH (live, &jobs->live[i], in_bucket) {
            if (act(jobs, live, now, &err) < 0)
                log_error("job.event_refused job=%s error=\"%s\"", live->job->name,
                          err.text);
            jobs_watch(jobs, live);
        }
    }
    if (jobs->budgets.next_boot > now)
        jobs_watch_at(jobs, jobs->budgets.next_boot);
    else
        jobs_wake(jobs); /* the round looks after them */
}
