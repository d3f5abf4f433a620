/* What an event does to a job.  Whether it may happen at all is decided in
 * job_machine.c. */

#include "daemon/job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job *job_new(int64_t job_id)
{
    struct job *job = xcalloc(1, sizeof *job);

    job->job_id = job_id;
    return job;
}

static void free_workers(struct job_worker *workers, int count)
{
    for (int i = 0; workers && i < count; i++) {
        free(workers[i].end.message);
        json_free(workers[i].said);
    }
    free(workers);
}

void job_free(struct job *job)
{
    if (!job)
        return;
    free_workers(job->workers, job->instance_count);
    for (int i = 0; i + 1 < job->attempt; i++) {
        free_workers(job->past[i].workers, job->instance_count);
        free(job->past[i].end.message);
    }
    free(job->past);
    free(job->name);
    free(job->owner);
    free(job->instance_type);
    free(job->scheduler);
    free(job->tags);
    free(job->attempt_end.message);
    free(job->stop_message);
    free(job->end.message);
    free(job->reused_by);
    free(job);
}

void job_cleanup(struct job **job)
{
    job_free(*job);
}

/* A number too large for an int counts as absent: a journal is a file like others. */
static int number_or(const struct cJSON *object, const char *name, int absent)
{
    int64_t number = json_get_int(object, name, absent);

    return number >= INT_MIN && number <= INT_MAX ? (int)number : absent;
}

/* A lost worker or machine is what the spec calls infrastructure. */
static unsigned causes_of(const struct cJSON *words)
{
    unsigned causes = 0;
    enum end_cause cause;

    json_each (word, words) {
        const char *name = json_text(word);

        if (!name || !end_cause_from_name(name, &cause))
            continue;
        causes |= 1U << cause;
        if (cause == END_INFRASTRUCTURE)
            causes |= 1U << END_LOST;
    }
    return causes;
}

/* Of the spec: what decides how much work a job is, and on what it is done.  A line
 * each: printed JSON has no line feed. */
void job_recipe(const struct cJSON *spec, char hex[DIGEST_HEX_SIZE])
{
    static const char *const members[] = {
        "command",        "compiler_config", "distribution",
        "entry_point",    "framework",       "hyperparameters",
        "instance_count", "instance_type",   "source_dir",
    };
    auto_text struct text words = { 0 };

    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        const struct cJSON *member = json_get(spec, members[i]);

        if (member)
            json_add_sorted(&words, member);
        text_puts(&words, "\n");
    }
    digest_bytes(words.bytes, words.len, hex);
}

/* 0 when there is none. */
static nanousd_t budget_of(const struct cJSON *spec)
{
    const char *amount = json_number(json_get(spec, "budget_usd"));
    nanousd_t budget;

    return amount && money_parse(amount, &budget, NULL) == 0 ? budget : 0;
}

/* {} when there are none. */
static char *tags_of(const struct cJSON *spec)
{
    const struct cJSON *given = json_get(spec, "tags");
    struct text tags = { 0 };

    if (!given)
        return xstrdup("{}");
    json_add_sorted(&tags, given);
    return text_steal(&tags);
}

static int apply_submitted(struct job *job, const struct job_event *event,
                           struct err *err)
{
    const struct cJSON *spec = json_get(event->data, "spec");
    const char *id = json_get_text(event->data, "id");

    if (!id || !job_id_is_valid(id) || !json_get_text(event->data, "name")
        || !json_get_text(event->data, "scheduler")
        || !json_get_text(spec, "instance_type")
        || number_or(spec, "instance_count", 1) < 1)
        return err_set(err, ERR_INTERNAL,
                       "event submitted without id, name, scheduler or instances");
    snprintf(job->id, sizeof job->id, "%s", id);
    job->name = xstrdup(json_get_text(event->data, "name"));
    job->owner = xstrdup(json_get_text(event->data, "owner"));
    job->scheduler = xstrdup(json_get_text(event->data, "scheduler"));
    job->emulated = json_get_bool(event->data, "emulated");
    job->tags = tags_of(spec);
    job_recipe(spec, job->recipe);
    job->instance_type = xstrdup(json_get_text(spec, "instance_type"));
    job->instance_count = number_or(spec, "instance_count", 1);
    job->priority = number_or(spec, "priority", 50);
    job->max_run_s = json_get_int(spec, "max_run", 86400);
    job->max_wait_s = json_get_int(spec, "max_wait", 0);
    job->grace_s = json_get_int(spec, "grace", 120);
    job->max_attempts = number_or(json_get(spec, "retry"), "max_attempts", 1);
    job->retry_causes = causes_of(json_get(json_get(spec, "retry"), "on"));
    job->keep_alive_s = json_get_int(spec, "keep_alive", 0);
    job->budget = budget_of(spec);
    job->created_us = event->at_us;
    return 0;
}

/* The attempt that is over becomes one of the past. */
static void put_by(struct job *job)
{
    size_t count = (size_t)job->attempt;

    job->past = xrealloc(job->past, count * sizeof *job->past);
    job->past[count - 1] = (struct job_attempt){ .workers = steal_ptr(&job->workers),
                                                 .block = job->block,
                                                 .end = job->attempt_end };
    job->attempt_end = (struct job_end){ 0 };
    job->attempt_over = false;
}

static int apply_placed(struct job *job, const struct job_event *event, struct err *err)
{
    const char *boot_id = json_get_text(event->data, "boot_id");

    if (!boot_id)
        return err_set(err, ERR_INTERNAL, "event placed without boot_id");
    if (number_or(event->data, "attempt", 0) != job->attempt + 1)
        return err_set(err, ERR_INTERNAL, "event placed does not follow attempt %d",
                       job->attempt);
    if (job->attempt)
        put_by(job);
    job->workers = xcalloc((size_t)job->instance_count, sizeof *job->workers);
    job->attempt++;
    snprintf(job->boot_id, sizeof job->boot_id, "%s", boot_id);
    job->placed_boot_us = json_get_int(event->data, "boot_us", 0);
    job->placed_wall_us = event->at_us;
    job->port = number_or(event->data, "port", 0);
    job->port_count = number_or(event->data, "port_count", 1);
    job->block = number_or(event->data, "block", 0);
    job->billing = false;
    job->interrupt_asked = false;
    return 0;
}

/* From a journal line "ended", or from an event that ends the job. */
static int read_end(const struct cJSON *data, struct job_end *end, struct err *err)
{
    const char *cause = json_get_text(data, "cause");

    if (!cause || !end_cause_from_name(cause, &end->cause))
        return err_set(err, ERR_INTERNAL, "unknown cause of an end '%s'",
                       cause ? cause : "");
    free(end->message);
    end->exit_code = number_or(data, "exit_code", -1);
    end->signal = number_or(data, "signal", 0);
    end->first_failing_rank = number_or(data, "first_failing_rank", -1);
    end->failure_boot_us = json_get_int(data, "first_failure_boot_us", 0);
    end->hopeless = json_get(data, "retry") && !json_get_bool(data, "retry");
    end->message = xstrdup(json_get_text(data, "message"));
    return 0;
}

/* One that was killed because it did not hear of a stop has been stopped.  A failure
 * that a worker has told stays the cause, also when the worker is lost while it stores
 * what is left. */
static void apply_lost(struct job_worker *worker, const struct cJSON *data)
{
    const char *name = json_get_text(data, "cause");
    enum end_cause cause;

    if (!name || !end_cause_from_name(name, &cause))
        cause = END_LOST;
    worker->ended = true;
    worker->lost = true;
    worker->end_boot_us = json_get_int(data, "boot_us", 0);
    if (worker->uploading && job_cause_is_failure(worker->end.cause))
        return;
    free(worker->end.message);
    worker->end = (struct job_end){
        .cause = cause,
        .exit_code = -1,
        .first_failing_rank = -1,
        .failure_boot_us = worker->end_boot_us,
        .message = xstrdup(json_get_text(data, "why")),
    };
}

/* When a worker whose line names no failing rank failed. max_run was over when its
 * grace began: what peers did after that, for want of it, came later. */
static usec_t failure_time(const struct job *job, const struct job_worker *worker)
{
    int64_t left_s = job->max_run_s - job_used_run_s(job);
    usec_t over = worker->ready_boot_us + left_s * USEC_PER_SEC;

    if (worker->end.cause == END_MAX_RUN && over < worker->end_boot_us)
        return over;
    return worker->end_boot_us;
}

static void keep_said(struct job_worker *worker, const struct cJSON *line)
{
    static const char *const members[] = { "failure", "traceback", "artifacts",
                                           "utilization" };

    json_free(worker->said);
    worker->said = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        const struct cJSON *member = json_get(line, members[i]);

        if (!member)
            continue;
        if (!worker->said)
            worker->said = json_object_new();
        json_set(worker->said, members[i], json_copy(member));
    }
}

/* Whoever completed was ready and had launched, also when a disk or the job itself has
 * torn the lines. */
static void note_beginning(struct job_worker *worker, usec_t wall)
{
    worker->launched = true;
    if (worker->ready)
        return;
    worker->ready = true;
    worker->ready_boot_us = worker->last_boot_us;
    worker->ready_wall_us = wall;
}

/* What a line "uploading" or "ended" says. */
static void note_end(const struct job *job, struct job_worker *worker,
                     const struct cJSON *line)
{
    keep_said(worker, line);
    if (worker->end.cause == END_COMPLETED)
        note_beginning(worker, json_get_int(line, "wall_us", 0));
    worker->end_boot_us = worker->last_boot_us;
    if (!worker->end.failure_boot_us)
        worker->end.failure_boot_us = failure_time(job, worker);
}

static int apply_worker_fact(struct job *job, const struct job_event *event,
                             struct err *err)
{
    struct job_worker *worker;

    if (!job->workers || event->worker < 0 || event->worker >= job->instance_count)
        return err_set(err, ERR_INTERNAL, "event of a worker %d that is not there",
                       event->worker);
    worker = &job->workers[event->worker];
    if (worker->ended)
        return err_set(err, ERR_CONFLICT, "worker %d has ended", event->worker);
    if (event->kind == EV_WORKER_LOST) {
        apply_lost(worker, event->data);
        return 0;
    }
    if ((event->kind == EV_WORKER_ENDED || event->kind == EV_WORKER_UPLOADING)
        && read_end(event->data, &worker->end, err) < 0)
        return -1;
    worker->last_seq = json_get_int(event->data, "seq", worker->last_seq);
    worker->last_boot_us = json_get_int(event->data, "boot_us", 0);
    if (event->kind == EV_WORKER_READY) {
        worker->ready = true;
        worker->ready_boot_us = worker->last_boot_us;
        worker->ready_wall_us = json_get_int(event->data, "wall_us", 0);
    } else if (event->kind == EV_WORKER_LAUNCHED) {
        worker->launched = true;
        worker->launched_boot_us = worker->last_boot_us;
    } else {
        worker->uploading = event->kind == EV_WORKER_UPLOADING;
        worker->ended = event->kind == EV_WORKER_ENDED;
        note_end(job, worker, event->data);
    }
    return 0;
}

static void apply_stop_asked(struct job *job, const struct job_event *event)
{
    const char *cause = json_get_text(event->data, "cause");

    job->stop_asked = true;
    if (!cause || !end_cause_from_name(cause, &job->stop_cause))
        job->stop_cause = END_USER_STOP;
    free(job->stop_message);
    job->stop_message = xstrdup(json_get_text(event->data, "message"));
}

static int apply_retry(struct job *job, const struct job_event *event, struct err *err)
{
    if (read_end(event->data, &job->attempt_end, err) < 0)
        return -1;
    job->attempt_over = true;
    if (job->billing && job_all_ended(job))
        job->used_run_us += job_end_boot(job) - job->ready_boot_us;
    return 0;
}

/* What ended by the program or its user leaves its instances as they should be; ours
 * and other people's faults do not. */
static bool cause_keeps_warm(enum end_cause cause)
{
    return cause == END_COMPLETED || cause == END_FAILED || cause == END_SIGNAL
           || cause == END_OOM || cause == END_USER_STOP;
}

static bool keeps_warm(const struct job *job)
{
    if (!job->keep_alive_s || !job->billing || job->attempt_over || !job_all_ended(job)
        || !cause_keeps_warm(job->end.cause))
        return false;
    for (int i = 0; i < job->instance_count; i++)
        if (job->workers[i].lost)
            return false;
    return true;
}

static int apply_end(struct job *job, const struct job_event *event, struct err *err)
{
    if (read_end(event->data, &job->end, err) < 0)
        return -1;
    if (keeps_warm(job))
        job->warm = WARM_AVAILABLE;
    return 0;
}

static int apply_warm_ended(struct job *job, const struct job_event *event,
                            struct err *err)
{
    const char *reused_by = json_get_text(event->data, "reused_by");
    usec_t at = json_get_int(event->data, "boot_us", 0);

    if (job->warm != WARM_AVAILABLE)
        return err_set(err, ERR_CONFLICT, "job %s has no warm pool now", job->name);
    job->warm = reused_by ? WARM_REUSED : WARM_TERMINATED;
    job->warm_end_boot_us = at > job_warm_start(job) ? at : job_warm_start(job);
    job->reused_by = reused_by ? xstrdup(reused_by) : NULL;
    return 0;
}

static int apply_data(struct job *job, const struct job_event *event, struct err *err)
{
    switch (event->kind) {
    case EV_WORKER_READY:
    case EV_WORKER_LAUNCHED:
    case EV_WORKER_UPLOADING:
    case EV_WORKER_ENDED:
    case EV_WORKER_LOST:
        return apply_worker_fact(job, event, err);
    case EV_SUBMITTED:
        return apply_submitted(job, event, err);
    case EV_PLACED:
        return apply_placed(job, event, err);
    case EV_READY:
        job->billing = true;
        job->ready_boot_us = json_get_int(event->data, "boot_us", 0);
        job->ready_wall_us = json_get_int(event->data, "wall_us", 0);
        return 0;
    case EV_LAUNCHED:
    case EV_UPLOADING:
        return 0;
    case EV_STOP_ASKED:
        apply_stop_asked(job, event);
        return 0;
    case EV_INTERRUPT_ASKED:
        job->interrupt_asked = true;
        job->interrupt_grace_s = json_get_int(event->data, "grace_s", job->grace_s);
        return 0;
    case EV_RETRY:
    case EV_INTERRUPTED:
        return apply_retry(job, event, err);
    case EV_COMPLETED:
    case EV_FAILED:
    case EV_STOPPED:
    case EV_TIMED_OUT:
    case EV_WAIT_EXPIRED:
        return apply_end(job, event, err);
    case EV_WARM_ENDED:
        return apply_warm_ended(job, event, err);
    }
    return 0;
}

static usec_t last_launch(const struct job *job)
{
    usec_t last = job->ready_boot_us;

    for (int i = 0; i < job->instance_count; i++)
        if (job->workers[i].launched_boot_us > last)
            last = job->workers[i].launched_boot_us;
    return last;
}

static usec_t last_line(const struct job *job)
{
    usec_t last = job->ready_boot_us;

    for (int i = 0; i < job->instance_count; i++)
        if (job->workers[i].last_boot_us > last)
            last = job->workers[i].last_boot_us;
    return last;
}

/* Whether this event ended the attempt, as its workers saw it. */
static bool ends_attempt(const struct job *job, enum job_event_kind kind)
{
    if (!job->billing || !job_all_ended(job))
        return false;
    return kind == EV_RETRY || kind == EV_INTERRUPTED
           || (job_state_is_final(job->state) && !job->attempt_over);
}

/* When it happened: by the workers' own clocks where they are the evidence, for a
 * daemon that was away learns of it late.  Never before the state that it ends. */
static usec_t time_of(const struct job *job, const struct job_event *event)
{
    usec_t at = event->at_us;

    if (event->kind == EV_READY)
        at = job->ready_wall_us;
    else if (event->kind == EV_LAUNCHED)
        at = job->ready_wall_us + last_launch(job) - job->ready_boot_us;
    else if (event->kind == EV_UPLOADING)
        at = job->ready_wall_us + last_line(job) - job->ready_boot_us;
    else if (ends_attempt(job, event->kind))
        at = job->ready_wall_us + job_end_boot(job) - job->ready_boot_us;
    return at > job->changed_us ? at : job->changed_us;
}

int job_apply(struct job *job, const struct job_event *event, struct err *err)
{
    enum job_state to;

    if (!job_move(job->state, event->kind, &to))
        return err_set(err, ERR_CONFLICT, "job %s is %s: %s is not possible now",
                       job->name ? job->name : "(new)", job_state_name(job->state),
                       job_event_name(event->kind));
    if (event->seq != job->last_seq + 1)
        return err_set(err, ERR_INTERNAL, "job %s: event %lld follows event %lld",
                       job->name ? job->name : "(new)", (long long)event->seq,
                       (long long)job->last_seq);
    if (apply_data(job, event, err) < 0)
        return -1;
    if (job->state != to) {
        job->state = to;
        job->changed_us = time_of(job, event);
    }
    job->last_seq++;
    return 0;
}

void job_worker_host(int worker, char out[HOST_TEXT_SIZE])
{
    snprintf(out, HOST_TEXT_SIZE, "algo-%d", worker + 1);
}

void job_worker_address(const struct job *job, int worker, char out[HOST_TEXT_SIZE])
{
    job_block_address(job->block, worker, out);
}

void job_block_address(int block, int worker, char out[HOST_TEXT_SIZE])
{
    block += worker / 250;
    snprintf(out, HOST_TEXT_SIZE, "127.%d.%d.%d", 1 + block / 256 % 126, block % 256,
             1 + worker % 250);
}

int64_t job_used_run_s(const struct job *job)
{
    return job->used_run_us / USEC_PER_SEC;
}

bool job_is_over(const struct job *job)
{
    return job_state_is_final(job->state) && job->warm != WARM_AVAILABLE;
}

usec_t job_warm_start(const struct job *job)
{
    return job_end_boot(job);
}

const char *job_warm_status(const struct job *job)
{
    switch (job->warm) {
    case WARM_NONE:
        return job->keep_alive_s && !job_state_is_final(job->state) ? "InUse" : NULL;
    case WARM_AVAILABLE:
        return "Available";
    case WARM_REUSED:
        return "Reused";
    case WARM_TERMINATED:
        return "Terminated";
    }
    return NULL;
}

static void set_int_or_null(struct cJSON *object, const char *name, int value, int none)
{
    if (value == none)
        json_set_null(object, name);
    else
        json_set_int(object, name, value);
}

struct cJSON *job_end_to_json(const struct job_end *end)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "cause", end_cause_name(end->cause));
    set_int_or_null(json, "exit_code", end->exit_code, -1);
    set_int_or_null(json, "signal", end->signal, 0);
    set_int_or_null(json, "first_failing_rank", end->first_failing_rank, -1);
    json_set_text(json, "message", end->message);
    return json;
}
