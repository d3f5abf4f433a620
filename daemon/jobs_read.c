/* Answers about jobs: what is there, in JSON.  Nothing here changes anything. */

#include "daemon/jobs_private.h"
#include "daemon/report.h"
#include "src/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job from its events, with the moves it made. */
struct history {
    struct job *job;
    struct cJSON *transitions;
    struct cJSON *open; /* the newest transition, borrowed from the array */
};

static const char *message_of(const struct job *job, const struct job_event *event)
{
    switch (job->state) {
    case JOB_PENDING:
        return "Waiting for instances";
    case JOB_STARTING:
        return "Starting the workers";
    case JOB_DOWNLOADING:
        return "Preparing source and input on every instance";
    case JOB_TRAINING:
        return "Training in progress";
    case JOB_STOPPING:
        return "Stopping the training job";
    case JOB_COMPLETED:
        return "Training job completed";
    case JOB_FAILED:
        return job->end.message ? job->end.message : "Training job failed";
    case JOB_STOPPED:
        return "Training job stopped";
    case JOB_MAX_RUNTIME_EXCEEDED:
        return "Training job stopped: max_run was reached";
    case JOB_MAX_WAIT_TIME_EXCEEDED:
        return "Training job stopped: max_wait was reached";
    case JOB_NEW:
        break;
    }
    return job_event_name(event->kind);
}

static void add_transition(struct history *history, const struct job_event *event)
{
    const struct job *job = history->job;
    struct cJSON *transition = json_object_new();
    char at[TIME_TEXT_SIZE];

    time_format(job->changed_us, at);
    if (history->open)
        json_set_text(history->open, "end", at);
    json_set_text(transition, "status", job_state_name(job->state));
    json_set_text(transition, "start", at);
    if (job_state_is_final(job->state))
        json_set_text(transition, "end", at);
    json_set_text(transition, "message", message_of(job, event));
    json_append(history->transitions, transition);
    history->open = transition;
}

static int apply_and_note(void *context, const struct job_event *event, struct err *err)
{
    struct history *history = context;
    enum job_state before = history->job->state;

    if (job_apply(history->job, event, err) < 0)
        return -1;
    if (history->job->state != before)
        add_transition(history, event);
    return 0;
}

static void history_clear(struct history *history)
{
    job_free(history->job);
    json_free(history->transitions);
}
#define auto_history __attribute__((cleanup(history_clear)))

static int read_history(struct jobs *jobs, int64_t job_id, struct history *history,
                        struct err *err)
{
    history->job = job_new(job_id);
    history->transitions = json_array_new();
    return store_each_event(jobs->store, job_id, apply_and_note, history, err);
}

int jobs_show(struct jobs *jobs, const char *name, struct cJSON **out, struct err *err)
{
    auto_history struct history history = { 0 };
    auto_json struct cJSON *spec_json = NULL;
    auto_json struct cJSON *metrics = NULL;
    auto_job_spec struct job_spec *spec = NULL;
    auto_free struct interval *intervals = NULL;
    auto_free char *reason = NULL;
    const struct profile *profile;
    struct report_input input = { 0 };
    struct job_row row;

    if (store_find_job(jobs->store, name, &row, err) < 0
        || read_history(jobs, row.job_id, &history, err) < 0
        || jobs_get_spec(jobs, row.job_id, &spec, &spec_json, err) < 0
        || store_get_metrics(jobs->store, row.job_id, &metrics, err) < 0
        || store_get_intervals(jobs->store, row.job_id, &intervals,
                               &input.interval_count, err)
               < 0)
        return -1;
    profile = catalog_find(jobs->catalog, row.instance_type);
    queue_explain(jobs->queue, row.job_id, &input.queue_position, &reason);
    input.job = history.job;
    input.spec = spec;
    input.spec_json = spec_json;
    input.intervals = intervals;
    input.metrics = metrics;
    input.transitions = history.transitions;
    input.offer = offers_find(&jobs->offers, row.instance_type);
    input.world_size = profile ? launch_world_size(spec, profile) : 0;
    input.queue_reason = reason;
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

/* A status is a secondary one, or a primary one that stands for several. */
static int states_of(const char *status, enum job_state states[JOB_STATE_COUNT],
                     size_t *count, struct err *err)
{
    *count = 0;
    if (!status)
        return 0;
    if (job_state_from_name(status, &states[0])
        && strcmp(job_state_primary(states[0]), status) != 0) {
        *count = 1;
        return 0;
    }
    for (int state = JOB_PENDING; state < JOB_STATE_COUNT; state++)
        if (strcmp(job_state_primary((enum job_state)state), status) == 0)
            states[(*count)++] = (enum job_state)state;
    if (*count == 0)
        return err_set(
            err, ERR_INVALID,
            "status: '%s' is none: use InProgress, Stopping, Completed, Failed, Stopped, or a secondary status such as Training",
            status);
    return 0;
}

static int read_cursor(const char *cursor, int64_t *before, struct err *err)
{
    char *end;

    *before = INT64_MAX;
    if (!cursor)
        return 0;
    *before = strtoll(cursor, &end, 10);
    if (*cursor == '\0' || *end != '\0' || *before < 1)
        return err_set(err, ERR_INVALID,
                       "cursor: '%s' is not a next_cursor of an earlier answer",
                       cursor);
    return 0;
}

struct listing {
    struct cJSON *items;
    int64_t last;
    int count;
    int limit;
};

static int add_row(void *context, const struct job_row *row, struct err *err)
{
    struct listing *listing = context;

    (void)err;
    if (++listing->count > listing->limit)
        return 0; /* one more was asked for, to know whether there is a next page */
    json_append(listing->items, report_row(row));
    listing->last = row->job_id;
    return 0;
}

int jobs_list(struct jobs *jobs, const struct job_filter *filter, struct cJSON **out,
              struct err *err)
{
    enum job_state states[JOB_STATE_COUNT];
    struct store_filter rows = { .limit = filter->limit + 1,
                                 .owner = filter->owner,
                                 .name_part = filter->name_part,
                                 .states = states };
    struct listing listing = { .limit = filter->limit };
    char cursor[32];

    if (states_of(filter->status, states, &rows.state_count, err) < 0
        || read_cursor(filter->cursor, &rows.before, err) < 0)
        return -1;
    listing.items = json_array_new();
    if (store_list_jobs(jobs->store, &rows, add_row, &listing, err) < 0) {
        json_free(listing.items);
        return -1;
    }
    snprintf(cursor, sizeof cursor, "%lld", (long long)listing.last);
    *out = page_of(listing.items, listing.count > listing.limit ? cursor : NULL);
    return 0;
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
    json_set(json, "price",
             report_price(offer ? offer_price(offer, clock_wall())
                                : profile_price_at(profile, clock_wall())));
    json_set_bool(json, "offered", offer != NULL);
    json_set_text(json, "scheduler", offer ? offer->scheduler : NULL);
    json_set_bool(json, "emulated", offer && offer->emulated);
    json_set_int(json, "capacity", offer ? offer->capacity : 0);
    json_set_int(json, "in_use", queue_in_use(jobs->queue, profile->name));
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

    json_set_text(health, "status", jobs->failed ? "failed" : "ok");
    json_set_text(health, "version", PACKAGE_VERSION);
    json_set_int(health, "live_jobs", jobs->live_count);
    json_set_int(health, "commits", store_commit_count(jobs->store));
    json_set_int(health, "last_commit_usec", store_commit_usec(jobs->store));
    return health;
}
