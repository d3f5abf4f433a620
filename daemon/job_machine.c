/* The whole life of a job: which event is possible in which state, and which one is
 * due. What an event does to the rest of the job is in job.c. */

#include "daemon/job.h"
#include "src/text.h"

#include <stdlib.h>

/* As long as a failure reason may be, in bytes. */
enum {
    REMARKS_MAX = 1024
};

/* A pair that is not here is refused.  railheadd(8) shows the same. */
/* clang-format off */
static const struct {
    enum job_state from;
    enum job_event_kind on;
    enum job_state to;
} moves[] = {
    { JOB_NEW,          EV_SUBMITTED,        JOB_PENDING },

    { JOB_PENDING,      EV_PLACED,           JOB_STARTING },
    { JOB_PENDING,      EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_PENDING,      EV_WAIT_EXPIRED,     JOB_MAX_WAIT_TIME_EXCEEDED },

    { JOB_INTERRUPTED,  EV_PLACED,           JOB_STARTING },
    { JOB_INTERRUPTED,  EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_INTERRUPTED,  EV_WAIT_EXPIRED,     JOB_MAX_WAIT_TIME_EXCEEDED },

    { JOB_RESTARTING,   EV_PLACED,           JOB_STARTING },
    { JOB_RESTARTING,   EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_RESTARTING,   EV_WAIT_EXPIRED,     JOB_MAX_WAIT_TIME_EXCEEDED },

    { JOB_STARTING,     EV_WORKER_READY,     JOB_STARTING },
    { JOB_STARTING,     EV_WORKER_LAUNCHED,  JOB_STARTING },
    { JOB_STARTING,     EV_WORKER_UPLOADING, JOB_STARTING },
    { JOB_STARTING,     EV_WORKER_ENDED,     JOB_STARTING },
    { JOB_STARTING,     EV_WORKER_LOST,      JOB_STARTING },
    { JOB_STARTING,     EV_READY,            JOB_DOWNLOADING },
    { JOB_STARTING,     EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_STARTING,     EV_INTERRUPT_ASKED,  JOB_STARTING },
    { JOB_STARTING,     EV_RETRY,            JOB_RESTARTING },
    { JOB_STARTING,     EV_INTERRUPTED,      JOB_INTERRUPTED },
    { JOB_STARTING,     EV_FAILED,           JOB_FAILED },
    { JOB_STARTING,     EV_STOPPED,          JOB_STOPPED },
    { JOB_STARTING,     EV_TIMED_OUT,        JOB_MAX_RUNTIME_EXCEEDED }, /* one ran its time, another was never ready */

    { JOB_DOWNLOADING,  EV_WORKER_LAUNCHED,  JOB_DOWNLOADING },
    { JOB_DOWNLOADING,  EV_WORKER_UPLOADING, JOB_DOWNLOADING },
    { JOB_DOWNLOADING,  EV_WORKER_ENDED,     JOB_DOWNLOADING },
    { JOB_DOWNLOADING,  EV_WORKER_LOST,      JOB_DOWNLOADING },
    { JOB_DOWNLOADING,  EV_LAUNCHED,         JOB_TRAINING },
    { JOB_DOWNLOADING,  EV_UPLOADING,        JOB_UPLOADING },
    { JOB_DOWNLOADING,  EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_DOWNLOADING,  EV_INTERRUPT_ASKED,  JOB_DOWNLOADING },
    { JOB_DOWNLOADING,  EV_RETRY,            JOB_RESTARTING },
    { JOB_DOWNLOADING,  EV_INTERRUPTED,      JOB_INTERRUPTED },
    { JOB_DOWNLOADING,  EV_FAILED,           JOB_FAILED },
    { JOB_DOWNLOADING,  EV_STOPPED,          JOB_STOPPED },
    { JOB_DOWNLOADING,  EV_TIMED_OUT,        JOB_MAX_RUNTIME_EXCEEDED },

    { JOB_TRAINING,     EV_WORKER_UPLOADING, JOB_TRAINING },
    { JOB_TRAINING,     EV_WORKER_ENDED,     JOB_TRAINING },
    { JOB_TRAINING,     EV_WORKER_LOST,      JOB_TRAINING },
    { JOB_TRAINING,     EV_UPLOADING,        JOB_UPLOADING },
    { JOB_TRAINING,     EV_STOP_ASKED,       JOB_STOPPING },
    { JOB_TRAINING,     EV_INTERRUPT_ASKED,  JOB_TRAINING },
    { JOB_TRAINING,     EV_RETRY,            JOB_RESTARTING },
    { JOB_TRAINING,     EV_INTERRUPTED,      JOB_INTERRUPTED },
    { JOB_TRAINING,     EV_COMPLETED,        JOB_COMPLETED },
    { JOB_TRAINING,     EV_FAILED,           JOB_FAILED },
    { JOB_TRAINING,     EV_STOPPED,          JOB_STOPPED }, /* the worker was told to end by its system */
    { JOB_TRAINING,     EV_TIMED_OUT,        JOB_MAX_RUNTIME_EXCEEDED },

    { JOB_UPLOADING,    EV_WORKER_ENDED,     JOB_UPLOADING },
    { JOB_UPLOADING,    EV_WORKER_LOST,      JOB_UPLOADING },
    { JOB_UPLOADING,    EV_STOP_ASKED,       JOB_UPLOADING }, /* what is left to do is done */
    { JOB_UPLOADING,    EV_RETRY,            JOB_RESTARTING },
    { JOB_UPLOADING,    EV_INTERRUPTED,      JOB_INTERRUPTED },
    { JOB_UPLOADING,    EV_COMPLETED,        JOB_COMPLETED },
    { JOB_UPLOADING,    EV_FAILED,           JOB_FAILED },
    { JOB_UPLOADING,    EV_STOPPED,          JOB_STOPPED },
    { JOB_UPLOADING,    EV_TIMED_OUT,        JOB_MAX_RUNTIME_EXCEEDED },
    { JOB_UPLOADING,    EV_WAIT_EXPIRED,     JOB_MAX_WAIT_TIME_EXCEEDED },

    /* A stop request does not decide the end: the exit does. */
    { JOB_STOPPING,     EV_WORKER_READY,     JOB_STOPPING },
    { JOB_STOPPING,     EV_WORKER_LAUNCHED,  JOB_STOPPING },
    { JOB_STOPPING,     EV_WORKER_UPLOADING, JOB_STOPPING },
    { JOB_STOPPING,     EV_WORKER_ENDED,     JOB_STOPPING },
    { JOB_STOPPING,     EV_WORKER_LOST,      JOB_STOPPING },
    { JOB_STOPPING,     EV_READY,            JOB_STOPPING },
    { JOB_STOPPING,     EV_UPLOADING,        JOB_UPLOADING },
    { JOB_STOPPING,     EV_STOPPED,          JOB_STOPPED },
    { JOB_STOPPING,     EV_COMPLETED,        JOB_COMPLETED },
    { JOB_STOPPING,     EV_FAILED,           JOB_FAILED },
    { JOB_STOPPING,     EV_TIMED_OUT,        JOB_MAX_RUNTIME_EXCEEDED },
    { JOB_STOPPING,     EV_WAIT_EXPIRED,     JOB_MAX_WAIT_TIME_EXCEEDED },

    /* What an ended job held for the next one. */
    { JOB_COMPLETED,    EV_WARM_ENDED,       JOB_COMPLETED },
    { JOB_FAILED,       EV_WARM_ENDED,       JOB_FAILED },
    { JOB_STOPPED,      EV_WARM_ENDED,       JOB_STOPPED },
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

/* No process of the job is left anywhere, and somebody stores outputs. */
static bool all_uploading(const struct job *job)
{
    for (int i = 0; i < job->instance_count; i++)
        if (!job->workers[i].uploading && !job->workers[i].ended)
            return false;
    return true;
}

bool job_cause_is_failure(enum end_cause cause)
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
    case END_BUDGET:
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
    for (int i = 0; i < job->instance_count; i++) {
        const struct job_worker *worker = &job->workers[i];

        if ((worker->ended || worker->uploading) && worker->end.cause != END_COMPLETED)
            return true;
    }
    return false;
}

/* A machine that was wanted back may go with its worker, and a worker that never showed
 * itself has failed at nothing when a stop was asked for. */
static bool worker_has_failed(const struct job *job, const struct job_worker *worker)
{
    if (worker->end.cause == END_LOST
        && (job->interrupt_asked || (job->stop_asked && !worker->ready)))
        return false;
    return job_cause_is_failure(worker->end.cause);
}

/* The first that failed by itself, else one that was stopped: one that had to be killed
 * or was interrupted rather than one that ended for its peers. */
const struct job_worker *job_decisive_worker(const struct job *job)
{
    const struct job_worker *found = NULL;

    for (int i = 0; job->workers && i < job->instance_count; i++) {
        const struct job_worker *worker = &job->workers[i];

        if (worker_has_failed(job, worker)
            && (!found || worker->end.failure_boot_us < found->end.failure_boot_us))
            found = worker;
    }
    if (found)
        return found;
    for (int i = 0; job->workers && i < job->instance_count; i++) {
        const struct job_worker *worker = &job->workers[i];

        if (worker->lost || worker->end.cause == END_INTERRUPTED)
            return worker;
        if (!found && worker->end.cause != END_COMPLETED)
            found = worker;
    }
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
    case END_BUDGET:
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

static usec_t run_of_attempt(const struct job *job)
{
    return job->billing && job_all_ended(job) ? job_end_boot(job) - job->ready_boot_us
                                              : 0;
}

/* What is not there, or not allowed, is so another time, too. */
static bool may_retry(const struct job *job, const struct job_end *end)
{
    return (job->retry_causes >> end->cause & 1U) && !end->hopeless && !job->stop_asked
           && job->attempt < job->max_attempts
           && job->used_run_us + run_of_attempt(job) < job->max_run_s * USEC_PER_SEC;
}

enum job_event_kind job_event_after(const struct job *job, const struct job_end *end)
{
    if (may_retry(job, end))
        return end->cause == END_INTERRUPTED ? EV_INTERRUPTED : EV_RETRY;
    return event_of_cause(end->cause);
}

/* Why an attempt ended that no worker failed in. */
static enum end_cause cause_of_stop(const struct job *job,
                                    const struct job_worker *worker)
{
    if (job->stop_asked)
        return job->stop_cause;
    if (job->interrupt_asked || worker->end.cause == END_INTERRUPTED)
        return END_INTERRUPTED;
    return END_USER_STOP;
}

/* What the workers of a job that completed had to say all the same: output that was not
 * kept, files that were left out.  NULL: nothing. */
static char *remarks_of(const struct job *job)
{
    struct text all = { 0 };
    char host[HOST_TEXT_SIZE];

    for (int i = 0; i < job->instance_count && all.len <= REMARKS_MAX; i++) {
        const char *remark = job->workers[i].end.message;

        if (!remark || !*remark)
            continue;
        job_worker_host(i, host);
        if (job->instance_count > 1)
            text_printf(&all, "%s%s: ", all.len ? "; " : "", host);
        text_puts(&all, remark);
    }
    if (all.len == 0)
        return NULL;
    if (all.len > REMARKS_MAX)
        all.bytes[text_utf8_prefix(all.bytes, REMARKS_MAX)] = '\0';
    return text_steal(&all);
}

/* All workers have ended: how the attempt has. */
static enum job_event_kind end_event(const struct job *job, struct cJSON **data)
{
    const struct job_worker *worker = job_decisive_worker(job);
    auto_free char *remarks = worker ? NULL : remarks_of(job);
    struct job_end end = { .cause = END_COMPLETED,
                           .exit_code = 0,
                           .first_failing_rank = -1,
                           .message = remarks };

    if (worker)
        end = worker->end;
    if (worker && !worker_has_failed(job, worker))
        end.cause = cause_of_stop(job, worker);
    if (worker && !worker->lost && job->stop_message && end.cause == job->stop_cause)
        end.message = job->stop_message;
    *data = job_end_to_json(&end);
    return job_event_after(job, &end);
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
                                 .first_failing_rank = -1,
                                 .message = job->stop_message };

    return job_end_to_json(&end);
}

bool job_due(const struct job *job, enum job_event_kind *kind, struct cJSON **data)
{
    *data = NULL;
    if (job_state_is_final(job->state) || job->state == JOB_NEW
        || job_state_waits(job->state))
        return false;
    if (!job->workers || job->attempt_over) { /* stopped while it waited */
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
    if (job->state != JOB_UPLOADING && job->billing && all_uploading(job)) {
        *kind = EV_UPLOADING;
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
