/* Taking a job on. */

#include "daemon/estimate.h"
#include "daemon/jobs_private.h"
#include "daemon/report.h"
#include "src/clock.h"
#include "src/digest.h"
#include "src/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All plans are made at once, in memory: one spec of a megabyte must not become
 * gigabytes. */
static void check_size(const struct jobs *jobs, const struct job_spec *spec,
                       struct problems *problems)
{
    const struct profile *profile = catalog_find(jobs->catalog, spec->instance_type);
    int64_t size = profile ? launch_size(spec, profile) : 0;

    if (size > LAUNCH_SIZE_MAX)
        problems_add(
            problems, "",
            "ask for fewer instances or processes_per_host, or put large values into a file in source_dir",
            "command lines and environments of %d ranks are %lld MiB together, at most %d are allowed",
            launch_world_size(spec, profile), (long long)(size >> 20),
            LAUNCH_SIZE_MAX >> 20);
}

/* Where a process has something of its own: NeuronCores, GPUs, or else vCPUs. */
static int slots_of(const struct profile *profile, const char **what)
{
    if (profile->neuron_cores > 0) {
        *what = "NeuronCores";
        return profile->neuron_cores;
    }
    *what = profile->accelerator_count > 0 ? "GPUs" : "vCPUs";
    return profile->accelerator_count > 0 ? profile->accelerator_count : profile->vcpus;
}

static void check_slots(const struct jobs *jobs, const struct job_spec *spec,
                        struct problems *problems)
{
    const struct profile *profile = catalog_find(jobs->catalog, spec->instance_type);
    auto_free char *member = xasprintf("distribution.%s.processes_per_host",
                                       distribution_name(spec->distribution));
    auto_free char *hint = NULL;
    const char *what;
    int slots;

    if (!profile || spec->oversubscribe)
        return;
    slots = slots_of(profile, &what);
    if (spec->processes_per_host <= slots)
        return;
    hint = xasprintf("ask for at most %d, or say oversubscribe: true", slots);
    problems_add(problems, member, hint,
                 "%d processes are more than the %d slots (%s) of %s",
                 spec->processes_per_host, slots, what, spec->instance_type);
}

/* Where a job's data is to be seen from here: its workers run on this host. */
static void check_data(const struct jobs *jobs, const struct job_spec *spec,
                       struct problems *problems)
{
    const struct offer *offer = offers_find(&jobs->offers, spec->instance_type);

    if (offer && strcmp(offer->scheduler, scheduler_local.name) == 0)
        jobs_check_data(spec, problems);
}

static void check_instances(const struct jobs *jobs, const struct job_spec *spec,
                            struct problems *problems)
{
    const struct offer *offer = offers_find(&jobs->offers, spec->instance_type);

    if (!offer) {
        offers_explain(&jobs->offers, spec->instance_type, problems);
        return;
    }
    if (spec->instance_count > offer->capacity)
        problems_add(problems, "instance_count",
                     "ask for fewer, or enlarge the pool in railhead.yaml(5)",
                     "%d instances of %s will never be free at once: the pool has %d",
                     spec->instance_count, spec->instance_type, offer->capacity);
    if (spec->has_fake && strcmp(offer->scheduler, scheduler_fake.name) != 0)
        problems_add(
            problems, "fake",
            "leave it out, or ask for a type whose pool says `scheduler: fake`",
            "%s runs on the scheduler '%s', which starts real processes",
            spec->instance_type, offer->scheduler);
}

/* Of a spec that cannot be read for other mistakes: its type is told with them. */
static void check_type(const struct jobs *jobs, const struct cJSON *json,
                       struct problems *problems)
{
    const char *type = json_get_text(json, "instance_type");

    for (size_t i = 0; i < problems->count; i++)
        if (strcmp(problems->items[i].path, "instance_type") == 0)
            return;
    if (type && !offers_find(&jobs->offers, type))
        offers_explain(&jobs->offers, type, problems);
}

static void check_source(struct jobs *jobs, const struct job_spec *spec,
                         struct problems *problems)
{
    const char *hex = jobs_source_hex(spec);
    auto_free char *path = NULL;

    if (!spec->source_dir)
        return;
    if (!hex) {
        problems_add(
            problems, "source_dir",
            "submit with jobctl, which packs the folder; or PUT a tar.gz to /v1/sources/SHA256 and name it \"sha256:<64 hexadecimal digits>\"",
            "'%s' is not a packed source", spec->source_dir);
        return;
    }
    path = jobs_source_path(jobs, hex);
    if (access(path, R_OK) < 0)
        problems_add(problems, "source_dir",
                     "PUT the tar.gz to /v1/sources/SHA256 first",
                     "source %s is not here", spec->source_dir);
}

/* A cost that could not be written down would end in none at all. */
static void check_cost(struct jobs *jobs, const struct job_spec *spec,
                       struct problems *problems)
{
    const struct offer *offer = offers_find(&jobs->offers, spec->instance_type);
    const struct run_bounds bounds = run_bounds_of_spec(spec);
    const struct profile_price *price =
        price_dearest(&jobs->book, offer, clock_wall(),
                      estimate_most_seconds(&bounds) * USEC_PER_SEC);
    nanousd_t cost;
    struct err err;

    if (price && estimate_most_cost(&bounds, price->hourly, &cost, &err) < 0)
        problems_add(problems, "max_run", "ask for less time, or for fewer instances",
                     "%s", err.text);
}

static struct job_spec *checked_spec(struct jobs *jobs, const struct submit *submit,
                                     struct problems *problems, struct err *err)
{
    auto_job_spec struct job_spec *spec = job_spec_parse(submit->spec, problems);

    if (spec) {
        check_instances(jobs, spec, problems);
        check_size(jobs, spec, problems);
        check_slots(jobs, spec, problems);
        check_data(jobs, spec, problems);
        check_source(jobs, spec, problems);
        check_cost(jobs, spec, problems);
        jobs_budget_check_spec(jobs, spec, problems);
    } else {
        check_type(jobs, submit->spec, problems);
    }
    if (problems->count) {
        err_set(err, ERR_INVALID, "the job spec has %zu mistake%s", problems->count,
                problems->count == 1 ? "" : "s");
        return NULL;
    }
    return steal_ptr(&spec);
}

/* Names made in one millisecond would be equal: the next one takes the next
 * millisecond. */
static void make_name(struct jobs *jobs, struct job_spec *spec)
{
    usec_t at = clock_wall() / USEC_PER_MSEC;
    char name[64];

    if (at <= jobs->last_made_name)
        at = jobs->last_made_name + 1;
    jobs->last_made_name = at;
    job_name_make(spec->base_name ? spec->base_name : "job", at * USEC_PER_MSEC, name);
    spec->name = xstrdup(name);
}

static struct cJSON *submitted_data(const struct jobs *jobs,
                                    const struct job_spec *spec, const char *owner)
{
    const struct offer *offer = offers_find(&jobs->offers, spec->instance_type);
    struct cJSON *data = json_object_new();
    char id[JOB_ID_SIZE];

    job_id_make(clock_wall(), id);
    json_set_text(data, "id", id);
    json_set_text(data, "name", spec->name);
    json_set_text(data, "owner", owner);
    json_set_text(data, "scheduler", offer->scheduler);
    json_set_bool(data, "emulated", offer->emulated);
    json_set(data, "spec", job_spec_to_json(spec));
    return data;
}

static struct cJSON *submit_answer(const struct jobs *jobs, const struct job_row *row)
{
    const struct offer *offer = offers_find(&jobs->offers, row->instance_type);
    struct cJSON *answer = json_object_new();
    char at[TIME_TEXT_SIZE];

    json_set_text(answer, "name", row->name);
    json_set_text(answer, "id", row->id);
    json_set_text(answer, "status", row->status);
    json_set_text(answer, "secondary_status", job_state_name(row->state));
    json_set_text(answer, "created_at", time_format(row->created_us, at));
    json_set_text(answer, "instance_type", row->instance_type);
    json_set_int(answer, "instance_count", row->instance_count);
    json_set_bool(answer, "emulated", row->emulated);
    json_set(answer, "price",
             report_price(price_in_force(&jobs->book, offer, clock_wall())));
    return answer;
}

static void row_of(const struct job *job, struct job_row *row)
{
    *row = (struct job_row){ .job_id = job->job_id,
                             .instance_count = job->instance_count,
                             .emulated = job->emulated,
                             .state = job->state,
                             .created_us = job->created_us };
    snprintf(row->id, sizeof row->id, "%s", job->id);
    snprintf(row->status, sizeof row->status, "%s",
             job_state_primary(job->state, job->stop_asked));
    snprintf(row->name, sizeof row->name, "%s", job->name);
    snprintf(row->instance_type, sizeof row->instance_type, "%s", job->instance_type);
}

/* True when the key had been used: *result is then what the call returns. */
static bool answer_again(struct jobs *jobs, const struct submit *submit,
                         struct cJSON **answer, int *result, struct err *err)
{
    char digest[DIGEST_HEX_SIZE];
    struct job_row row;
    struct err found;
    int64_t job_id;

    if (!submit->idempotency_key)
        return false;
    if (store_find_key(jobs->store, submit->owner, submit->idempotency_key, digest,
                       &job_id, &found)
        < 0) {
        if (found.code == ERR_NOT_FOUND)
            return false;
        *result = err_set(err, found.code, "%s", found.text);
        return true;
    }
    if (strcmp(digest, submit->body_digest) != 0) {
        *result = err_set(
            err, ERR_CONFLICT,
            "Idempotency-Key '%s' was used with another body: take a new key for a new job",
            submit->idempotency_key);
        return true;
    }
    *result = store_get_job(jobs->store, job_id, &row, err);
    if (*result == 0)
        *answer = submit_answer(jobs, &row);
    return true;
}

static int store_new_job(struct jobs *jobs, const struct submit *submit,
                         const struct job *job, const struct job_event *event,
                         struct err *err)
{
    struct err store_err;

    if (store_insert_job(jobs->store, job, &store_err) < 0) {
        /* Also an insert that was refused has opened the round's transaction. */
        if (store_err.code == ERR_CONFLICT)
            jobs_wake(jobs);
        else
            jobs_fail(jobs, &store_err);
        return err_set(err, store_err.code, "%s", store_err.text);
    }
    if (store_append_event(jobs->store, job->job_id, event, &store_err) < 0
        || (submit->idempotency_key
            && store_add_key(jobs->store, submit->owner, submit->idempotency_key,
                             submit->body_digest, job->job_id, &store_err)
                   < 0)) {
        jobs_fail(jobs, &store_err);
        return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
    }
    return 0;
}

static int take_on(struct jobs *jobs, const struct submit *submit,
                   struct job_spec *spec, struct cJSON **answer, struct err *err)
{
    auto_job struct job *job = job_new(store_next_job_id(jobs->store));
    auto_json struct cJSON *data = submitted_data(jobs, spec, submit->owner);
    struct job_event event = { .seq = 1,
                               .at_us = clock_wall(),
                               .kind = EV_SUBMITTED,
                               .worker = -1,
                               .data = data };
    struct live_job *live;
    struct job_row row;
    struct err store_err;

    if (job_apply(job, &event, err) < 0
        || store_new_job(jobs, submit, job, &event, err) < 0)
        return -1;
    row_of(job, &row);
    log_debug("job.submitted job=%s owner=%s", job->name, job->owner);
    live = live_add(jobs, steal_ptr(&job));
    if (jobs_budget_note(jobs, live, EV_SUBMITTED, &store_err) < 0) {
        jobs_fail(jobs, &store_err);
        return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
    }
    *answer = submit_answer(jobs, &row);
    jobs_line_up(jobs, live);
    jobs_wake(jobs);
    return 0;
}

int jobs_submit(struct jobs *jobs, const struct submit *submit, struct cJSON **answer,
                bool *created, struct problems *problems, struct err *err)
{
    auto_job_spec struct job_spec *spec = NULL;
    int result;

    *created = false;
    if (jobs->failed)
        return err_set(err, ERR_UNAVAILABLE,
                       "the database failed: railheadd is ending");
    if (answer_again(jobs, submit, answer, &result, err))
        return result;
    if (jobs_need_room(jobs, err) < 0)
        return -1;
    spec = checked_spec(jobs, submit, problems, err);
    if (!spec || jobs_budget_admit(jobs, spec, submit->owner, err) < 0)
        return -1;
    if (!spec->name)
        make_name(jobs, spec);
    if (take_on(jobs, submit, spec, answer, err) < 0)
        return -1;
    *created = true;
    return 0;
}

/* A job as it would be taken on; the caller frees both. */
static int try_on(struct jobs *jobs, const struct submit *submit,
                  struct job_spec **spec, struct job **job, struct problems *problems,
                  struct err *err)
{
    auto_job_spec struct job_spec *checked = checked_spec(jobs, submit, problems, err);
    auto_job struct job *made = job_new(0);
    auto_json struct cJSON *data = NULL;
    struct job_event event = { .seq = 1, .at_us = clock_wall(), .kind = EV_SUBMITTED };

    if (!checked)
        return -1;
    if (!checked->name)
        make_name(jobs, checked);
    data = submitted_data(jobs, checked, submit->owner);
    event.data = data;
    if (job_apply(made, &event, err) < 0)
        return -1;
    *spec = steal_ptr(&checked);
    *job = steal_ptr(&made);
    return 0;
}

int jobs_dry_run(struct jobs *jobs, const struct submit *submit, struct cJSON **answer,
                 struct problems *problems, struct err *err)
{
    auto_job_spec struct job_spec *spec = NULL;
    auto_job struct job *job = NULL;
    struct cJSON *estimate;
    struct worker_plan **plans;
    struct job_row row;

    if (try_on(jobs, submit, &spec, &job, problems, err) < 0
        || jobs_budget_admit(jobs, spec, submit->owner, err) < 0)
        return -1;
    job->port = PORTS_FIRST;
    if (jobs_make_plans(jobs, job, spec, &plans, err) < 0)
        return -1;
    if (jobs_estimate_of(jobs, job, spec, &estimate, err) < 0) {
        jobs_free_plans(plans, job->instance_count);
        return -1;
    }
    row_of(job, &row);
    *answer = submit_answer(jobs, &row);
    json_set(*answer, "spec", job_spec_to_json(spec));
    json_set(*answer, "plan", jobs_plan_to_json(spec, plans, job->instance_count));
    json_set(*answer, "estimate", estimate);
    jobs_free_plans(plans, job->instance_count);
    return 0;
}

int jobs_estimate(struct jobs *jobs, const struct submit *submit, struct cJSON **answer,
                  struct problems *problems, struct err *err)
{
    auto_job_spec struct job_spec *spec = NULL;
    auto_job struct job *job = NULL;
    const struct offer *offer;

    if (try_on(jobs, submit, &spec, &job, problems, err) < 0
        || jobs_estimate_of(jobs, job, spec, answer, err) < 0)
        return -1;
    offer = offers_find(&jobs->offers, job->instance_type);
    json_set_text(*answer, "instance_type", job->instance_type);
    json_set_int(*answer, "instance_count", job->instance_count);
    json_set_bool(*answer, "emulated", job->emulated);
    json_set(*answer, "price",
             report_price(price_in_force(&jobs->book, offer, clock_wall())));
    return 0;
}
