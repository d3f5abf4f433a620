/* Answers about jobs: what is there, in JSON.  Nothing here changes anything. */

#include "daemon/jobs_private.h"
#include "daemon/meter.h"
#include "daemon/report.h"
#include "src/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job from its events, with the moves it made. */
struct history {
    struct job *job;
    struct cJSON *transitions;
    struct cJSON *open; /* the newest transition, borrowed from the array; it has no
                           `end` and no `message` yet */
};

static char *retry_message(const struct job *job)
{
    const struct job_end *end = &job->attempt_end;

    return xasprintf("Attempt %d of %d ended (%s%s%s): waiting for the next one",
                     job->attempt, job->max_attempts, end_cause_name(end->cause),
                     end->message ? ": " : "", end->message ? end->message : "");
}

static char *training_message(const struct job *job)
{
    if (job->interrupt_asked)
        return xasprintf("Interrupted: the program was told to end within %lld s",
                         (long long)job->interrupt_grace_s);
    if (job->attempt > 1)
        return xasprintf("Training in progress, attempt %d of %d", job->attempt,
                         job->max_attempts);
    return xstrdup("Training in progress");
}

/* No text stands for two states: SageMaker's SDK tells states apart by it. */
static char *message_of(const struct job *job)
{
    switch (job->state) {
    case JOB_PENDING:
        return xstrdup("Waiting for instances");
    case JOB_STARTING:
        return xstrdup("Starting the workers");
    case JOB_DOWNLOADING:
        return xstrdup("Preparing source and input on every instance");
    case JOB_TRAINING:
        return training_message(job);
    case JOB_UPLOADING:
        return xstrdup("Uploading generated training model");
    case JOB_INTERRUPTED:
        return xasprintf("Interrupted in attempt %d of %d: waiting for instances again",
                         job->attempt, job->max_attempts);
    case JOB_RESTARTING:
        return retry_message(job);
    case JOB_STOPPING:
        return xstrdup("Stopping the training job");
    case JOB_COMPLETED:
        return xstrdup("Training job completed");
    case JOB_FAILED:
        return xstrdup(job->end.message ? job->end.message : "Training job failed");
    case JOB_STOPPED:
        return job->end.cause == END_BUDGET
                   ? xstrdup("Training job stopped: the budget was used up")
                   : xstrdup("Training job stopped");
    case JOB_MAX_RUNTIME_EXCEEDED:
        return xstrdup("Training job stopped: max_run was reached");
    case JOB_MAX_WAIT_TIME_EXCEEDED:
        return xstrdup("Training job stopped: max_wait was reached");
    case JOB_NEW:
        break;
    }
    return xstrdup(job_state_name(job->state));
}

static void close_transition(struct history *history, const char *end,
                             const char *message)
{
    if (end)
        json_set_text(history->open, "end", end);
    json_set_text(history->open, "message", message);
    history->open = NULL;
}

static void open_transition(struct history *history)
{
    char at[TIME_TEXT_SIZE];

    history->open = json_object_new();
    json_set_text(history->open, "status", job_state_name(history->job->state));
    json_set_text(history->open, "start", time_format(history->job->changed_us, at));
    json_append(history->transitions, history->open);
}

/* The message of a state is what there was to say when it ended. */
static int apply_and_note(void *context, const struct job_event *event, struct err *err)
{
    struct history *history = context;
    enum job_state before = history->job->state;
    auto_free char *message = message_of(history->job);
    char at[TIME_TEXT_SIZE];

    if (job_apply(history->job, event, err) < 0)
        return -1;
    if (history->job->state == before)
        return 0;
    if (history->open)
        close_transition(history, time_format(history->job->changed_us, at), message);
    open_transition(history);
    return 0;
}

static void history_clear(struct history *history)
{
    job_free(history->job);
    json_free(history->transitions);
}
#define auto_history __attribute__((cleanup(history_clear)))

/* The last one goes on, unless the job has ended; what its workers move just now is the
 * news about it. */
static void close_last(struct history *history, const struct live_job *live)
{
    const struct job *job = history->job;
    auto_free char *message = NULL;
    char at[TIME_TEXT_SIZE];

    if (live && (job->state == JOB_DOWNLOADING || job->state == JOB_UPLOADING))
        message = haul_message(live->haul, job->instance_count);
    if (!message)
        message = message_of(job);
    close_transition(history,
                     job_state_is_final(job->state) ? time_format(job->changed_us, at)
                                                    : NULL,
                     message);
}

static int read_history(struct jobs *jobs, int64_t job_id, struct history *history,
                        struct err *err)
{
    history->job = job_new(job_id);
    history->transitions = json_array_new();
    if (store_each_event(jobs->store, job_id, apply_and_note, history, err) < 0)
        return -1;
    close_last(history, live_find(jobs, history->job->id));
    return 0;
}

/* What only memory knows: why it waits, what it moves. */
static void ask_live(struct jobs *jobs, const struct job *job,
                     struct report_input *input, char **reason, struct cJSON **progress)
{
    const struct live_job *live = live_find(jobs, job->id);
    bool in_line =
        queue_explain(jobs->queue, job->job_id, &input->queue_position, reason);

    if (in_line && jobs->disk_full) {
        free(*reason);
        *reason = xstrdup(
            "the disk of railheadd's state folder is full: jobs are placed again when there is room");
    } else if (!in_line && live) {
        *reason = jobs_pause_reason(live);
    }
    if (live)
        *progress = haul_to_json(live->haul, job->instance_count);
    input->queue_reason = *reason;
    input->progress = *progress;
}

/* The intervals of a job; those that run still have the changes of price up to now. */
struct read_intervals {
    struct interval *items;
    size_t count;
    struct price_cut *cuts;
};

static void read_intervals_clear(struct read_intervals *read)
{
    free(read->items);
    free(read->cuts);
}

#define auto_intervals __attribute__((cleanup(read_intervals_clear)))

static int read_intervals(struct jobs *jobs, const struct job *job,
                          enum interval_kind kind, struct read_intervals *read,
                          struct err *err)
{
    const struct meter meter = { jobs->store, &jobs->book,
                                 offers_find(&jobs->offers, job->instance_type) };

    if (store_get_intervals(jobs->store, job->job_id, kind, &read->items, &read->count,
                            err)
        < 0)
        return -1;
    meter_cut_open(&meter, job, read->items, read->count, clock_boot(), &read->cuts);
    return 0;
}

int jobs_show(struct jobs *jobs, const char *name, struct cJSON **out, struct err *err)
{
    auto_history struct history history = { 0 };
    auto_json struct cJSON *spec_json = NULL;
    auto_json struct cJSON *metrics = NULL;
    auto_json struct cJSON *progress = NULL;
    auto_json struct cJSON *forecast = NULL;
    auto_job_spec struct job_spec *spec = NULL;
    auto_intervals struct read_intervals run = { 0 };
    auto_intervals struct read_intervals warm = { 0 };
    auto_free char *reason = NULL;
    const struct profile *profile;
    struct report_input input = { 0 };
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || read_history(jobs, row.job_id, &history, err) < 0
        || jobs_get_spec(jobs, row.job_id, &spec, &spec_json, err) < 0
        || store_get_metrics(jobs->store, row.job_id, &metrics, err) < 0
        || read_intervals(jobs, history.job, INTERVAL_RUN, &run, err) < 0
        || read_intervals(jobs, history.job, INTERVAL_WARM, &warm, err) < 0)
        return -1;
    profile = catalog_find(jobs->catalog, row.instance_type);
    input.job = history.job;
    input.spec = spec;
    input.spec_json = spec_json;
    input.intervals = run.items;
    input.interval_count = run.count;
    input.warm = warm.items;
    input.warm_count = warm.count;
    input.metrics = metrics;
    input.transitions = history.transitions;
    input.book = &jobs->book;
    input.offer = offers_find(&jobs->offers, row.instance_type);
    input.world_size = profile ? launch_world_size(spec, profile) : 0;
    ask_live(jobs, history.job, &input, &reason, &progress);
    if (jobs_forecast(jobs, &input, &forecast, err) < 0)
        return -1;
    input.forecast = forecast;
    return report_job(&input, out, err);
}

static struct cJSON *page_of(struct cJSON *items, const char *cursor)
{
    struct cJSON *page = json_object_new();

    json_set(page, "items", items);
    json_set_text(page, "next_cursor", cursor);
    return page;
}

int jobs_transitions(struct jobs *jobs, const char *name, struct cJSON **out,
                     struct err *err)
{
    auto_history struct history history = { 0 };
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || read_history(jobs, row.job_id, &history, err) < 0)
        return -1;
    *out = page_of(steal_ptr(&history.transitions), NULL);
    return 0;
}

int jobs_plan(struct jobs *jobs, const char *name, struct cJSON **out, struct err *err)
{
    auto_job struct job *job = NULL;
    auto_job_spec struct job_spec *spec = NULL;
    struct worker_plan **plans;
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || jobs_replay(jobs, row.job_id, &job, err) < 0
        || jobs_get_spec(jobs, row.job_id, &spec, NULL, err) < 0
        || jobs_make_plans(jobs, job, spec, &plans, err) < 0)
        return -1;
    *out = jobs_plan_to_json(spec, plans, job->instance_count);
    jobs_free_plans(plans, job->instance_count);
    return 0;
}

int jobs_read_cursor(const char *cursor, int64_t *number, struct err *err)
{
    char *end;
    int64_t read;

    if (!cursor)
        return 0;
    read = strtoll(cursor, &end, 10);
    if (*cursor == '\0' || *end != '\0' || read < 1)
        return err_set(err, ERR_INVALID,
                       "cursor: '%s' is not a next_cursor of an earlier answer",
                       cursor);
    *number = read;
    return 0;
}

const char *jobs_state(const struct jobs *jobs)
{
    return jobs->config->state;
}

static struct cJSON *accelerator_of(const struct profile *profile)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "kind", profile->accelerator_kind);
    json_set_text(json, "name", profile->accelerator_name);
    json_set_int(json, "count", profile->accelerator_count);
    json_set_int(json, "memory_gib_each", profile->accelerator_memory_gib);
    json_set_int(json, "neuron_cores", profile->neuron_cores);
    return json;
}

static struct cJSON *instance_type_of(struct jobs *jobs, const struct profile *profile)
{
    const struct offer *offer = offers_find(&jobs->offers, profile->name);
    auto_free char *reason = offer ? NULL : offers_reason(&jobs->offers, profile);
    struct cJSON *json = json_object_new();

    json_set_text(json, "name", profile->name);
    json_set_int(json, "vcpus", profile->vcpus);
    json_set_int(json, "memory_mib", profile->memory_mib);
    json_set(json, "accelerator", accelerator_of(profile));
    json_set_text(json, "network_gbps", profile->network_gbps);
    json_set_bool(json, "efa", profile->efa);
    json_set(json, "price", report_price(jobs_price_of(jobs, profile, clock_wall())));
    json_set_bool(json, "offered", offer != NULL);
    json_set_text(json, "scheduler", offer ? offer->scheduler : NULL);
    json_set_bool(json, "emulated", offer && offer->emulated);
    json_set_int(json, "capacity", offer ? offer->capacity : 0);
    json_set_int(json, "in_use", queue_in_use(jobs->queue, profile->name));
    json_set_int(json, "warm", queue_warm(jobs->queue, profile->name));
    json_set_text(json, "reason", reason);
    return json;
}

struct cJSON *jobs_instance_types(struct jobs *jobs)
{
    struct cJSON *items = json_array_new();

    for (size_t i = 0; i < jobs->catalog->count; i++)
        json_append(items, instance_type_of(jobs, &jobs->catalog->profiles[i]));
    return page_of(items, NULL);
}

struct cJSON *jobs_health(struct jobs *jobs)
{
    struct cJSON *health = json_object_new();

    json_set_text(health, "status",
                  jobs->failed            ? "failed"
                  : !jobs_have_room(jobs) ? "disk_full"
                                          : "ok");
    json_set_text(health, "version", PACKAGE_VERSION);
    json_set_int(health, "live_jobs", jobs->live_count);
    json_set_int(health, "commits", store_commit_count(jobs->store));
    json_set_int(health, "last_commit_usec", store_commit_usec(jobs->store));
    json_set_int(health, "clock_step_us",
                 clock_wall() - clock_boot() - jobs->wall_less_boot);
    return health;
}
