/* The whole life of a job: which event is possible in which state, and which one is
 * due. What an event does to the rest of the job is in job.c. */

#include "daemon/job.h"

/* A pair that is not here is refused.  railheadd(8) shows the same. */
/* clang-format off */
static const struct {
    enum job_state from;
    enum job_event_kind on;
    enum job_state to;
} moves[] = {
    { JOB_NEW,         EV_SUBMITTED,       JOB_PENDING },

    { JOB_PENDING,     EV_PLACED,          JOB_STARTING },
    { JOB_PENDING,     EV_STOP_ASKED,      JOB_STOPPING },
    { JOB_PENDING,     EV_WAIT_EXPIRED,    JOB_MAX_WAIT_TIME_EXCEEDED },

    { JOB_STARTING,    EV_WORKER_READY,    JOB_STARTING },
    { JOB_STARTING,    EV_WORKER_LAUNCHED, JOB_STARTING },
    { JOB_STARTING,    EV_WORKER_ENDED,    JOB_STARTING },
    { JOB_STARTING,    EV_WORKER_LOST,     JOB_STARTING },
    { JOB_STARTING,    EV_READY,           JOB_DOWNLOADING },
    { JOB_STARTING,    EV_STOP_ASKED,      JOB_STOPPING },
    { JOB_STARTING,    EV_FAILED,          JOB_FAILED },
    { JOB_STARTING,    EV_STOPPED,         JOB_STOPPED },
    { JOB_STARTING,    EV_TIMED_OUT,       JOB_MAX_RUNTIME_EXCEEDED }, /* one ran its time, another was never ready */

    { JOB_DOWNLOADING, EV_WORKER_LAUNCHED, JOB_DOWNLOADING },
    { JOB_DOWNLOADING, EV_WORKER_ENDED,    JOB_DOWNLOADING },
    { JOB_DOWNLOADING, EV_WORKER_LOST,     JOB_DOWNLOADING },
    { JOB_DOWNLOADING, EV_LAUNCHED,        JOB_TRAINING },
    { JOB_DOWNLOADING, EV_STOP_ASKED,      JOB_STOPPING },
    { JOB_DOWNLOADING, EV_FAILED,          JOB_FAILED },
    { JOB_DOWNLOADING, EV_STOPPED,         JOB_STOPPED },
    { JOB_DOWNLOADING, EV_TIMED_OUT,       JOB_MAX_RUNTIME_EXCEEDED },

    { JOB_TRAINING,    EV_WORKER_ENDED,    JOB_TRAINING },
    { JOB_TRAINING,    EV_WORKER_LOST,     JOB_TRAINING },
    { JOB_TRAINING,    EV_STOP_ASKED,      JOB_STOPPING },
    { JOB_TRAINING,    EV_COMPLETED,       JOB_COMPLETED },
    { JOB_TRAINING,    EV_FAILED,          JOB_FAILED },
    { JOB_TRAINING,    EV_STOPPED,         JOB_STOPPED }, /* the worker was told to end by its system */
    { JOB_TRAINING,    EV_TIMED_OUT,       JOB_MAX_RUNTIME_EXCEEDED },

    /* A stop request does not decide the end: the exit does. */
    { JOB_STOPPING,    EV_WORKER_READY,    JOB_STOPPING },
    { JOB_STOPPING,    EV_WORKER_LAUNCHED, JOB_STOPPING },
    { JOB_STOPPING,    EV_WORKER_ENDED,    JOB_STOPPING },
    { JOB_STOPPING,    EV_WORKER_LOST,     JOB_STOPPING },
    { JOB_STOPPING,    EV_READY,           JOB_STOPPING },
    { JOB_STOPPING,    EV_STOPPED,         JOB_STOPPED },
    { JOB_STOPPING,    EV_COMPLETED,       JOB_COMPLETED },
    { JOB_STOPPING,    EV_FAILED,          JOB_FAILED },
    { JOB_STOPPING,    EV_TIMED_OUT,       JOB_MAX_RUNTIME_EXCEEDED },
    { JOB_STOPPING,    EV_WAIT_EXPIRED,    JOB_MAX_WAIT_TIME_EXCEEDED },
};
/* clang-format on */

bool job_move(enum job_state from, enum job_event_kind on, enum job_state *to)
{
    for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
        if (moves[i].from == from && moves[i].on == on) {
            *to = moves[i].to;
            return true;
        }
    }
    return false;
}

static bool all_ready(const struct job *job)
{
    for (int i = 0; i < job->instance_count; i++)
        if (!job->workers[i].ready)
            return false;
    return true;
}

static bool all_launched(const struct job *job)
{
    for (int i = 0; i < job->instance_count; i++)
        if (!job->workers[i].launched)
            return false;
    return true;
}

bool job_all_ended(const struct job *job)
{
    if (!job->workers)
        return false;
    for (int i = 0; i < job->instance_count; i++)
        if (!job->workers[i].ended)
            return false;
    return true;
}

static bool cause_is_own_failure(enum end_cause cause)
{
    switch (cause) {
    case END_FAILED:
    case END_SIGNAL:
    case END_OOM:
    case END_MAX_RUN:
    case END_LOST:
    case END_LAUNCH:
    case END_INPUT:
    case END_OUTPUT:
    case END_INFRASTRUCTURE:
        return true;
    case END_COMPLETED:
    case END_MAX_WAIT:
    case END_USER_STOP:
    case END_INTERRUPTED:
    case END_PEER:
        return false;
    }
    return false;
}

bool job_has_failed_worker(const struct job *job)
{
    if (!job->workers)
        return false;
    for (int i = 0; i < job->instance_count; i++)
        if (job->workers[i].ended && job->workers[i].end.cause != END_COMPLETED)
            return true;
    return false;
}

/* The worker whose end explains the job's: the first that failed by itself, else one
 * that was stopped. */
static const struct job_worker *decisive_worker(const struct job *job)
{
    const struct job_worker *found = NULL;

    for (int i = 0; i < job->instance_count; i++) {
        const struct job_worker *worker = &job->workers[i];

        if (cause_is_own_failure(worker->end.cause)
            && (!found || worker->end.failure_boot_us < found->end.failure_boot_us))
            found = worker;
    }
    for (int i = 0; !found && i < job->instance_count; i++)
        if (job->workers[i].end.cause != END_COMPLETED)
            found = &job->workers[i];
    return found;
}

static enum job_event_kind event_of_cause(enum end_cause cause)
{
    switch (cause) {
    case END_COMPLETED:
        return EV_COMPLETED;
    case END_MAX_RUN:
        return EV_TIMED_OUT;
    case END_MAX_WAIT:
        return EV_WAIT_EXPIRED;
    case END_USER_STOP:
    case END_PEER:
        return EV_STOPPED;
    case END_FAILED:
    case END_SIGNAL:
    case END_OOM:
    case END_LOST:
    case END_LAUNCH:
    case END_INPUT:
    case END_OUTPUT:
    case END_INTERRUPTED:
    case END_INFRASTRUCTURE:
        return EV_FAILED;
    }
    return EV_FAILED;
}

/* All workers have ended: how the job has. */
static enum job_event_kind end_event(const struct job *job, struct cJSON **data)
{
    const struct job_worker *worker = decisive_worker(job);
    struct job_end end = { .cause = END_COMPLETED,
                           .exit_code = 0,
                           .first_failing_rank = -1 };

    if (worker)
        end = worker->end;
    if (worker && !cause_is_own_failure(end.cause))
        end.cause = job->stop_asked ? job->stop_cause : END_USER_STOP;
    *data = job_end_to_json(&end);
    return event_of_cause(end.cause);
}

static struct cJSON *ready_data(const struct job *job)
{
    const struct job_worker *last = &job->workers[0];
    struct cJSON *data = json_object_new();

    for (int i = 1; i < job->instance_count; i++)
        if (job->workers[i].ready_boot_us > last->ready_boot_us)
            last = &job->workers[i];
    json_set_int(data, "boot_us", last->ready_boot_us);
    json_set_int(data, "wall_us", last->ready_wall_us);
    return data;
}

static struct cJSON *stopped_before_start(const struct job *job)
{
    const struct job_end end = { .cause = job->stop_cause,
                                 .exit_code = -1,
                                 .first_failing_rank = -1 };

    return job_end_to_json(&end);
}

bool job_due(const struct job *job, enum job_event_kind *kind, struct cJSON **data)
{
    *data = NULL;
    if (job_state_is_final(job->state) || job->state == JOB_NEW
        || job->state == JOB_PENDING)
        return false;
    if (!job->workers) { /* stopped while it waited */
        *data = stopped_before_start(job);
        *kind = event_of_cause(job->stop_cause);
        return true;
    }
    if (!job->billing && all_ready(job)) {
        *data = ready_data(job);
        *kind = EV_READY;
        return true;
    }
    if (job->state == JOB_DOWNLOADING && all_launched(job)) {
        *kind = EV_LAUNCHED;
        return true;
    }
    if (job_all_ended(job)) {
        *kind = end_event(job, data);
        return true;
    }
    return false;
}

bool job_was_launched(const struct job *job)
{
    return job->workers && all_launched(job);
}

usec_t job_end_boot(const struct job *job)
{
    usec_t last = 0;

    for (int i = 0; job->workers && i < job->instance_count; i++)
        if (job->workers[i].end_boot_us > last)
            last = job->workers[i].end_boot_us;
    return last;
}
