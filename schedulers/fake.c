/*
 * Timers instead of processes, told by the spec how to behave.  For trying a daemon,
 * and the first one to pass the contract of scheduler.h.  What happens depends on the
 * placement and the spec alone, so a daemon that starts again sees the same lines at
 * the same times.
 */

#include "schedulers/scheduler.h"
#include "src/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct fake_worker {
    struct scheduler *owner;
    char job_id[32];
    int attempt;
    int worker;
    int64_t last_seq; /* the newest line that was told */
    usec_t ready_boot;
    usec_t end_boot;
    usec_t anchor; /* wall clock less boot clock, when it was placed */
    bool ignore_stop;
    bool vanishes;
    bool other_boot; /* placed before the machine started again */
    bool ended;
    int exit_code;
    enum end_cause cause;
    usec_t grace;
    struct loop_source *timer;
    LIST_ENTRY(fake_worker) in_list;
};

struct scheduler {
    struct loop *loop;
    struct sched_events events;
    LIST_HEAD(, fake_worker) workers;
};

static int fake_open(const struct sched_settings *settings, struct loop *loop,
                     const struct sched_events *events, struct scheduler **out,
                     struct err *err)
{
    struct scheduler *fake = xcalloc(1, sizeof *fake);

    (void)settings;
    (void)err;
    fake->loop = loop;
    fake->events = *events;
    LIST_INIT(&fake->workers);
    *out = fake;
    return 0;
}

static struct cJSON *line_data(const struct fake_worker *worker, int64_t seq,
                               enum journal_kind kind, usec_t boot)
{
    struct cJSON *data = json_object_new();

    json_set_int(data, "seq", seq);
    json_set_text(data, "kind", journal_kind_name(kind));
    json_set_int(data, "boot_us", boot);
    json_set_int(data, "wall_us", boot + worker->anchor);
    return data;
}

static void tell(struct fake_worker *worker, int64_t seq, enum journal_kind kind,
                 usec_t boot)
{
    const struct worker_ref ref = { worker->job_id, worker->attempt, worker->worker };
    auto_json struct cJSON *data = NULL;
    struct journal_line line;

    if (seq <= worker->last_seq)
        return;
    data = line_data(worker, seq, kind, boot);
    if (kind == JOURNAL_READY)
        json_set_text(data, "boot_id", clock_boot_id());
    if (kind == JOURNAL_ENDED) {
        json_set_text(data, "cause", end_cause_name(worker->cause));
        json_set_int(data, "exit_code", worker->exit_code);
        if (worker->cause == END_FAILED)
            json_set_int(data, "first_failing_rank", worker->worker);
    }
    worker->last_seq = seq;
    line = (struct journal_line){ seq, kind, boot, boot + worker->anchor, data };
    worker->owner->events.line(worker->owner->events.context, &ref, &line);
}

static void vanish(struct fake_worker *worker, usec_t last_boot, const char *why)
{
    const struct worker_ref ref = { worker->job_id, worker->attempt, worker->worker };
    const struct sched_loss loss = { END_LOST, last_boot, why };

    worker->ended = true;
    worker->owner->events.lost(worker->owner->events.context, &ref, &loss);
}

/* Tells all that has happened up to now, then waits for the next thing. */
static void on_timer(void *context)
{
    struct fake_worker *worker = context;
    usec_t now = clock_boot();

    if (worker->ended)
        return;
    if (worker->other_boot) {
        vanish(worker, worker->ready_boot, "the machine started again");
        return;
    }
    if (now < worker->ready_boot) {
        loop_timer_set(worker->timer, worker->ready_boot);
        return;
    }
    tell(worker, 1, JOURNAL_READY, worker->ready_boot);
    tell(worker, 2, JOURNAL_LAUNCHED, worker->ready_boot);
    if (now < worker->end_boot) {
        loop_timer_set(worker->timer, worker->end_boot);
        return;
    }
    if (worker->vanishes) {
        vanish(worker, worker->end_boot, "told to vanish by the spec");
        return;
    }
    worker->ended = true;
    tell(worker, 3, JOURNAL_ENDED, worker->end_boot);
}

static const struct fake_behaviour usual = { .run_ms = 1000, .worker = 0 };

static struct fake_worker *find(struct scheduler *fake, const struct worker_ref *ref)
{
    struct fake_worker *worker;

    LIST_FOREACH (worker, &fake->workers, in_list)
        if (worker->worker == ref->worker && worker->attempt == ref->attempt
            && strcmp(worker->job_id, ref->job_id) == 0)
            return worker;
    return NULL;
}

static void behave(struct fake_worker *worker, const struct sched_job *job)
{
    const struct fake_behaviour *as = job->fake ? job->fake : &usual;
    bool chosen = as->worker == worker->worker;
    usec_t longest = job->max_run_s * USEC_PER_SEC;

    worker->ready_boot = job->placed_boot_us + as->start_ms * USEC_PER_MSEC;
    worker->end_boot = worker->ready_boot + as->run_ms * USEC_PER_MSEC;
    worker->ignore_stop = as->ignore_stop;
    worker->vanishes = as->lost && chosen;
    worker->exit_code = chosen ? as->exit_code : 0;
    worker->cause = worker->exit_code ? END_FAILED : END_COMPLETED;
    worker->grace = job->grace_s * USEC_PER_SEC;
    if (worker->end_boot - worker->ready_boot > longest) {
        worker->end_boot = worker->ready_boot + longest;
        worker->cause = END_MAX_RUN;
    }
}

static int fake_start(struct scheduler *fake, const struct sched_job *job,
                      struct err *err)
{
    const struct worker_ref ref = { job->job_id, job->attempt, job->worker };
    struct fake_worker *worker;

    if (find(fake, &ref))
        return 0;
    worker = xcalloc(1, sizeof *worker);
    worker->owner = fake;
    snprintf(worker->job_id, sizeof worker->job_id, "%s", job->job_id);
    worker->attempt = job->attempt;
    worker->worker = job->worker;
    worker->last_seq = job->last_seq;
    worker->anchor = job->placed_wall_us - job->placed_boot_us;
    worker->other_boot = strcmp(job->placed_boot_id, clock_boot_id()) != 0;
    behave(worker, job);
    if (loop_add_timer(fake->loop, on_timer, worker, &worker->timer, err) < 0) {
        free(worker);
        return -1;
    }
    LIST_INSERT_HEAD(&fake->workers, worker, in_list);
    loop_timer_set(worker->timer, worker->other_boot ? 0 : worker->ready_boot);
    return 0;
}

static int fake_stop(struct scheduler *fake, const struct worker_ref *ref,
                     const struct sched_stop *stop, struct err *err)
{
    struct fake_worker *worker = find(fake, ref);
    usec_t end = clock_boot();

    (void)err;
    if (!worker || worker->ended)
        return 0;
    if (end < worker->ready_boot)
        worker->ready_boot = end;
    if (worker->ignore_stop)
        end += stop->grace_s < 0 ? worker->grace : stop->grace_s * USEC_PER_SEC;
    if (end < worker->end_boot) {
        worker->end_boot = end;
        worker->cause = stop->cause;
        worker->exit_code = 0;
    }
    loop_timer_set(worker->timer, clock_boot());
    return 0;
}

static void free_worker(struct fake_worker *worker)
{
    LIST_REMOVE(worker, in_list);
    loop_source_free(worker->timer);
    free(worker);
}

static void fake_release(struct scheduler *fake, const char *job_id, int attempt)
{
    struct fake_worker *worker = LIST_FIRST(&fake->workers);

    while (worker) {
        struct fake_worker *next = LIST_NEXT(worker, in_list);

        if (worker->attempt == attempt && strcmp(worker->job_id, job_id) == 0)
            free_worker(worker);
        worker = next;
    }
}

static void fake_traits(const struct scheduler *fake, struct sched_traits *out)
{
    (void)fake;
    *out = (struct sched_traits){ .isolates = true };
}

static void fake_close(struct scheduler *fake)
{
    while (!LIST_EMPTY(&fake->workers))
        free_worker(LIST_FIRST(&fake->workers));
    free(fake);
}

const struct scheduler_class scheduler_fake = {
    .name = "fake",
    .open = fake_open,
    .start = fake_start,
    .stop = fake_stop,
    .traits = fake_traits,
    .release = fake_release,
    .close = fake_close,
};
