/* Makes jobs by events, as the daemon does: one event, then those that are due. */

#include "tests/unit/life.h"

#include "daemon/meter.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int meter_end(const struct meter *meter, const struct job *job, struct err *err)
{
    if (!job->attempt_over && meter_close(meter, job, err) < 0)
        return -1;
    if (job->warm == WARM_AVAILABLE && meter_open_warm(meter, job, err) < 0)
        return -1;
    return meter_set_bill(meter->store, job, err);
}

static int meter(struct life *life, enum job_event_kind kind, enum job_state before,
                 struct err *err)
{
    static const struct price_book no_book;
    const struct meter meter = { life->store, life->book ? life->book : &no_book,
                                 life->offer };
    const struct job *job = life->job;

    if (kind == EV_READY)
        return meter_open(&meter, job, err);
    if (kind == EV_RETRY || kind == EV_INTERRUPTED)
        return meter_close(&meter, job, err);
    if (kind == EV_WARM_ENDED)
        return meter_close_warm(&meter, job, err);
    if (before != job->state && job_state_is_final(job->state))
        return meter_end(&meter, job, err);
    return 0;
}

static void store_event(struct life *life, const struct job_event *event,
                        enum job_state before, struct err *err)
{
    const struct job *job = life->job;
    int result;

    if (event->kind == EV_SUBMITTED)
        result = store_insert_job(life->store, job, err);
    else
        result = store_update_state(life->store, job, err);
    if (result == 0)
        result = store_append_event(life->store, job->job_id, event, err);
    if (result == 0 && life->metered)
        result = meter(life, event->kind, before, err);
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

/* Takes the data over. */
static bool post(struct life *life, enum job_event_kind kind, int worker,
                 struct cJSON *data, struct err *err)
{
    enum job_state before = life->job->state;
    struct job_event event = { .seq = life->job->last_seq + 1,
                               .at_us = LIFE_WALL_ZERO
                                        + (life->job->last_seq + 1) * USEC_PER_SEC,
                               .kind = kind,
                               .worker = worker,
                               .data = data };

    if (job_apply(life->job, &event, err) < 0) {
        json_free(data);
        return false;
    }
    if (life->store)
        store_event(life, &event, before, err);
    life->events =
        xrealloc(life->events, (life->event_count + 1) * sizeof *life->events);
    life->events[life->event_count++] = (struct lived_event){ event, data };
    return true;
}

static bool post_due(struct life *life, struct err *err)
{
    enum job_event_kind kind;
    struct cJSON *data;

    while (job_due(life->job, &kind, &data))
        if (!post(life, kind, -1, data, err))
            return false;
    return true;
}

enum {
    WORDS_MAX = 6
};

struct step {
    char words[WORDS_MAX][32];
    int count;
};

static int64_t number(const struct step *step, int word)
{
    char *end;
    int64_t value;

    if (word >= step->count)
        return 0;
    value = strtoll(step->words[word], &end, 10);
    if (*end)
        ck_abort_msg("not a number: '%s'", step->words[word]);
    return value;
}

static usec_t moment(const struct step *step, int word)
{
    return number(step, word) * USEC_PER_MSEC;
}

static struct cJSON *retry_of(const struct step *step)
{
    struct cJSON *retry = json_object_new();
    struct cJSON *on = json_array_new();
    auto_free char *causes = xstrdup(step->words[4]);
    char *save = NULL;

    for (char *cause = strtok_r(causes, "+", &save); cause;
         cause = strtok_r(NULL, "+", &save))
        json_append_text(on, cause);
    json_set_int(retry, "max_attempts", number(step, 3));
    json_set(retry, "on", on);
    return retry;
}

static struct cJSON *submitted(const struct life *life, const struct step *step)
{
    struct cJSON *data = json_object_new();
    struct cJSON *spec = json_object_new();
    char id[JOB_ID_SIZE];

    job_id_make(LIFE_WALL_ZERO, id);
    json_set_text(data, "id", id);
    json_set_text(data, "name", life->name ? life->name : "one");
    json_set_text(data, "owner", "ana");
    json_set_text(data, "scheduler", "fake");
    json_set_bool(data, "emulated", true);
    json_set_text(spec, "instance_type", "ml.c5.xlarge");
    json_set_int(spec, "instance_count", number(step, 1));
    if (number(step, 2))
        json_set_int(spec, "max_run", number(step, 2));
    if (step->count > 3)
        json_set(spec, "retry", retry_of(step));
    if (step->count > 5)
        json_set_int(spec, "keep_alive", number(step, 5));
    json_set(data, "spec", spec);
    return data;
}

static struct cJSON *placed(const struct life *life)
{
    struct cJSON *data = json_object_new();

    json_set_int(data, "attempt", life->job->attempt + 1);
    json_set_text(data, "boot_id", LIFE_BOOT_ID);
    json_set_int(data, "boot_us", 1000);
    json_set_int(data, "port", 20007);
    json_set_int(data, "port_count", 2);
    json_set_int(data, "block", 3);
    return data;
}

static struct cJSON *cause_data(const char *cause)
{
    struct cJSON *data = json_object_new();

    json_set_text(data, "cause", cause);
    json_set_text(data, "message", "because");
    return data;
}

/* Only the daemon's own stops say why. */
static struct cJSON *stop_data(const char *cause)
{
    struct cJSON *data;

    if (strcmp(cause, "budget") == 0)
        return cause_data(cause);
    data = json_object_new();
    json_set_text(data, "cause", cause);
    return data;
}

/* A journal line, or what stands for one of a lost worker. */
static struct cJSON *line(const struct life *life, int64_t worker, usec_t boot)
{
    struct cJSON *data = json_object_new();

    if (life->job->workers && worker < life->job->instance_count)
        json_set_int(data, "seq", life->job->workers[worker].last_seq + 1);
    json_set_int(data, "boot_us", boot);
    json_set_int(data, "wall_us", boot + LIFE_WALL_ZERO);
    json_set_text(data, "why", "its machine is gone");
    return data;
}

static struct cJSON *ended(const struct life *life, int64_t worker, usec_t boot,
                           const char *cause, usec_t failure)
{
    struct cJSON *data = line(life, worker, boot);

    json_set_text(data, "cause", cause);
    if (strcmp(cause, "failed") == 0) {
        json_set_int(data, "exit_code", 10 + worker);
        json_set_int(data, "first_failing_rank", worker);
    }
    if (failure)
        json_set_int(data, "first_failure_boot_us", failure);
    return data;
}

/* Whether this is `verb` with that many words behind. */
static bool is(const struct step *step, const char *verb, int from, int to)
{
    return strcmp(step->words[0], verb) == 0 && step->count > from
           && step->count <= to + 1;
}

static bool post_line(struct life *life, enum job_event_kind kind,
                      const struct step *step, struct err *err)
{
    int64_t worker = number(step, 1);

    return post(life, kind, (int)worker, line(life, worker, moment(step, 2)), err);
}

static bool post_loss(struct life *life, const struct step *step, struct err *err)
{
    int64_t worker = number(step, 1);
    struct cJSON *data = line(life, worker, moment(step, 2));

    if (step->count > 3)
        json_set_text(data, "cause", step->words[3]);
    return post(life, EV_WORKER_LOST, (int)worker, data, err);
}

/* "input!": it says that another time would not help. */
static bool post_end(struct life *life, enum job_event_kind kind,
                     const struct step *step, struct err *err)
{
    int64_t worker = number(step, 1);
    size_t len = strcspn(step->words[3], "!");
    auto_free char *cause = xstrndup(step->words[3], len);
    struct cJSON *data = ended(life, worker, moment(step, 2), cause, moment(step, 4));

    if (step->words[3][len] == '!')
        json_set_bool(data, "retry", false);
    return post(life, kind, (int)worker, data, err);
}

static bool post_remark(struct life *life, const struct step *step, struct err *err)
{
    int64_t worker = number(step, 1);
    struct cJSON *data = ended(life, worker, moment(step, 2), "completed", 0);

    json_set_text(data, "message", step->words[3]);
    return post(life, EV_WORKER_ENDED, (int)worker, data, err);
}

static bool post_launch_failure(struct life *life, const struct step *step,
                                struct err *err)
{
    struct job_end end = { 0 };

    ck_assert(end_cause_from_name(step->words[1], &end.cause));
    return post(life, job_event_after(life->job, &end), -1, cause_data(step->words[1]),
                err);
}

static struct cJSON *grace_data(const struct step *step)
{
    struct cJSON *data = json_object_new();

    json_set_int(data, "grace_s", number(step, 1));
    return data;
}

static struct cJSON *cool_data(const struct step *step)
{
    struct cJSON *data = json_object_new();

    json_set_int(data, "boot_us", moment(step, 1));
    json_set_text(data, "reused_by", step->count > 2 ? step->words[2] : NULL);
    return data;
}

/* What workers do; false in *known when it is something else. */
static bool post_fact(struct life *life, const struct step *step, bool *known,
                      struct err *err)
{
    *known = true;
    if (is(step, "ready", 2, 2))
        return post_line(life, EV_WORKER_READY, step, err);
    if (is(step, "launch", 2, 2))
        return post_line(life, EV_WORKER_LAUNCHED, step, err);
    if (is(step, "lose", 2, 3))
        return post_loss(life, step, err);
    if (is(step, "upload", 3, 4))
        return post_end(life, EV_WORKER_UPLOADING, step, err);
    if (is(step, "end", 3, 4))
        return post_end(life, EV_WORKER_ENDED, step, err);
    if (is(step, "remark", 3, 3))
        return post_remark(life, step, err);
    *known = false;
    return false;
}

static bool post_step(struct life *life, const char *text, struct err *err)
{
    struct step step = { 0 };
    bool known, done;

    step.count =
        sscanf(text, "%31s %31s %31s %31s %31s %31s", step.words[0], step.words[1],
               step.words[2], step.words[3], step.words[4], step.words[5]);
    done = post_fact(life, &step, &known, err);
    if (known)
        return done;
    if (is(&step, "submit", 1, 5))
        return post(life, EV_SUBMITTED, -1, submitted(life, &step), err);
    if (is(&step, "place", 0, 0))
        return post(life, EV_PLACED, -1, placed(life), err);
    if (is(&step, "interrupt", 1, 1))
        return post(life, EV_INTERRUPT_ASKED, -1, grace_data(&step), err);
    if (is(&step, "cool", 1, 2))
        return post(life, EV_WARM_ENDED, -1, cool_data(&step), err);
    if (is(&step, "stop", 1, 1))
        return post(life, EV_STOP_ASKED, -1, stop_data(step.words[1]), err);
    if (is(&step, "fail", 1, 1))
        return post_launch_failure(life, &step, err);
    if (is(&step, "expire", 0, 0))
        return post(life, EV_WAIT_EXPIRED, -1, cause_data("max_wait"), err);
    ck_abort_msg("not a step of a life: '%s'", text);
    return false;
}

bool life_try(struct life *life, const char *steps, struct err *err)
{
    auto_free char *copy = xstrdup(steps);
    char *save = NULL;

    if (!life->job)
        life->job = job_new(life->store ? store_next_job_id(life->store) : 1);
    for (char *step = strtok_r(copy, ",", &save); step;
         step = strtok_r(NULL, ",", &save))
        if (!post_step(life, step + strspn(step, " "), err) || !post_due(life, err))
            return false;
    return true;
}

void life_live(struct life *life, const char *steps)
{
    struct err err;

    if (!life_try(life, steps, &err))
        ck_abort_msg("%s: %s", steps, err.text);
}

void life_clear(struct life *life)
{
    for (size_t i = 0; i < life->event_count; i++)
        json_free(life->events[i].data);
    free(life->events);
    job_free(life->job);
    *life = (struct life){ 0 };
}

static void print_end(struct text *text, const struct job_end *end)
{
    text_printf(text, " end=%d,%d,%d,%d,%" PRId64 ",%s", (int)end->cause,
                end->exit_code, end->signal, end->first_failing_rank,
                end->failure_boot_us, end->message ? end->message : "(none)");
}

static void print_workers(struct text *text, const struct job *job,
                          const struct job_worker *workers)
{
    for (int i = 0; workers && i < job->instance_count; i++) {
        const struct job_worker *worker = &workers[i];
        auto_free char *said = worker->said ? json_print(worker->said) : NULL;

        text_printf(text,
                    "\n%" PRId64 " %" PRId64 " %d%d%d%d%d %" PRId64 " %" PRId64
                    " %" PRId64 " %" PRId64 " %s",
                    worker->last_seq, worker->last_boot_us, worker->ready,
                    worker->launched, worker->uploading, worker->lost, worker->ended,
                    worker->ready_boot_us, worker->ready_wall_us,
                    worker->launched_boot_us, worker->end_boot_us,
                    said ? said : "(nothing)");
        print_end(text, &worker->end);
    }
}

static void print_attempts(struct text *text, const struct job *job)
{
    text_printf(text,
                "\nattempts=%d %x used=%" PRId64 " interrupt=%d,%" PRId64 " over=%d",
                job->max_attempts, job->retry_causes, job->used_run_us,
                job->interrupt_asked, job->interrupt_grace_s, job->attempt_over);
    print_end(text, &job->attempt_end);
    for (int i = 0; i + 1 < job->attempt; i++) {
        text_printf(text, "\npast %d", job->past[i].block);
        print_end(text, &job->past[i].end);
        print_workers(text, job, job->past[i].workers);
    }
    text_printf(text, "\nwarm=%d %" PRId64 " %" PRId64 " %s", (int)job->warm,
                job->keep_alive_s, job->warm_end_boot_us,
                job->reused_by ? job->reused_by : "(nobody)");
    text_printf(text, "\nbudget=%" PRId64 " %s", job->budget,
                job->stop_message ? job->stop_message : "(nothing)");
}

char *life_print(const struct job *job)
{
    struct text text = { 0 };

    text_printf(&text, "%" PRId64 " %s %s %s %s %s %d x%d p%d", job->job_id, job->id,
                job->name, job->owner, job->instance_type, job->scheduler,
                job->emulated, job->instance_count, job->priority);
    text_printf(&text, " %" PRId64 " %" PRId64 " %" PRId64 " %s seq=%" PRId64,
                job->max_run_s, job->max_wait_s, job->grace_s,
                job_state_name(job->state), job->last_seq);
    text_printf(&text,
                " %" PRId64 " %" PRId64 " attempt=%d %s %" PRId64 " %" PRId64
                " %d+%d %d",
                job->created_us, job->changed_us, job->attempt, job->boot_id,
                job->placed_boot_us, job->placed_wall_us, job->port, job->port_count,
                job->block);
    text_printf(&text, " billing=%d %" PRId64 " %" PRId64 " stop=%d,%d", job->billing,
                job->ready_boot_us, job->ready_wall_us, job->stop_asked,
                (int)job->stop_cause);
    print_end(&text, &job->end);
    print_attempts(&text, job);
    print_workers(&text, job, job->workers);
    return text_steal(&text);
}

struct store *store_made(char **folder)
{
    struct store *store = NULL;
    auto_free char *path = NULL;
    struct err err;

    *folder = scratch_folder();
    path = xasprintf("%s/railhead.db", *folder);
    if (store_open(path, &store, &err) < 0)
        ck_abort_msg("%s", err.text);
    return store;
}

void store_gone(struct store *store, char *folder)
{
    store_close(store);
    scratch_remove(folder);
}
