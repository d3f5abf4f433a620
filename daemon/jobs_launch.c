/* From a placed job to the workers of its scheduler. */

#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/digest.h"
#include "src/log.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

char *jobs_folder(const struct jobs *jobs, const struct job *job)
{
    return xasprintf("%s/jobs/%s", jobs->config->state, job->id);
}

char *jobs_source_path(struct jobs *jobs, const char *hex)
{
    return xasprintf("%s/sources/%s.tar.gz", jobs->config->state, hex);
}

const char *jobs_source_hex(const struct job_spec *spec)
{
    static const char scheme[] = "sha256:";
    const char *hex;

    if (!spec->source_dir || !text_starts_with(spec->source_dir, scheme))
        return NULL;
    hex = spec->source_dir + strlen(scheme);
    return digest_is_hex(hex) ? hex : NULL;
}

/* The plans of all workers of a job, while they are made.  Each names all hosts: those
 * of 1,000 workers take half a second. */
struct planning {
    struct launch_input input;
    struct launch_host *hosts;
    char (*names)[HOST_TEXT_SIZE];
    char (*addresses)[HOST_TEXT_SIZE];
    char *folder;
    char *archive;
    struct worker_plan **plans;
    int count;
    int made;
};

/* Of a job that gets its place, over some rounds. */
struct launching {
    struct job_spec *spec;
    struct planning planning;
    bool restored; /* the attempt is from a backup */
    bool planned;  /* all that could be made are */
    int started;   /* workers that its scheduler has been given */
};

/* So long a round makes plans and starts workers, all jobs together: with the rest of
 * it that keeps to the 5 ms of the loop.  A start makes a folder and a journal and asks
 * the nursery, up to 1 ms on a busy disk. */
enum {
    LAUNCHING_USEC = 3000
};

static void name_hosts(const struct job *job, struct planning *out)
{
    size_t count = (size_t)job->instance_count;

    out->hosts = xcalloc(count, sizeof *out->hosts);
    out->names = xcalloc(count, sizeof *out->names);
    out->addresses = xcalloc(count, sizeof *out->addresses);
    for (size_t i = 0; i < count; i++) {
        job_worker_host((int)i, out->names[i]);
        job_worker_address(job, (int)i, out->addresses[i]);
        out->hosts[i] = (struct launch_host){ out->names[i], out->addresses[i] };
    }
}

/* Instances that are one machine share its CPUs, whatever their profile says. */
static int host_cpus(const struct profile *host, const struct sched_traits *traits,
                     const struct job *job)
{
    int share;

    if (!host || !traits->hosts_share_one)
        return 0;
    share = host->vcpus / job->instance_count;
    return share > 1 ? share : 1;
}

static void find_traits(const struct jobs *jobs, const char *scheduler,
                        struct sched_traits *out)
{
    *out = (struct sched_traits){ 0 };
    for (size_t i = 0; i < jobs->scheduler_count; i++)
        if (strcmp(jobs->schedulers[i].class->name, scheduler) == 0)
            jobs->schedulers[i].class->traits(jobs->schedulers[i].scheduler, out);
}

static struct launch_input input_of(const struct jobs *jobs, const struct job *job,
                                    const struct job_spec *spec,
                                    const struct profile *profile)
{
    const struct profile *host = catalog_find(jobs->catalog, "local");
    struct sched_traits traits;

    find_traits(jobs, job->scheduler, &traits);
    return (struct launch_input){
        .spec = spec,
        .profile = profile,
        .job_id = job->id,
        .attempt = job->attempt ? job->attempt : 1,
        .port = job->port,
        .isolate = traits.isolates,
        .hosts_share_one = traits.hosts_share_one,
        .storage = &jobs->config->storage,
        .rsh_agent = jobs->rsh_agent,
        .rank_log_bytes = jobs->config->rank_log_bytes,
        .used_run_s = job_used_run_s(job),
        .host_cpus = host_cpus(host, &traits, job),
        .host_memory_mib = host && traits.hosts_share_one ? host->memory_mib : 0,
        .network_interface = traits.network_interface,
        .python = jobs->config->python,
        .torchrun_wrapper = jobs->torchrun_wrapper,
        .base_env = (const char *const *)jobs->base_env,
    };
}

/* `spec` is borrowed until it ends. */
static int planning_begin(struct planning *planning, struct jobs *jobs,
                          const struct job *job, const struct job_spec *spec,
                          struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    const char *hex = jobs_source_hex(spec);

    if (!profile)
        return err_set(err, ERR_INVALID,
                       "instance type '%s' is not in the catalog any more",
                       job->instance_type);
    name_hosts(job, planning);
    planning->folder = jobs_folder(jobs, job);
    planning->archive = hex ? jobs_source_path(jobs, hex) : NULL;
    planning->input = input_of(jobs, job, spec, profile);
    planning->input.hosts = planning->hosts;
    planning->input.job_folder = planning->folder;
    planning->input.source_archive = planning->archive;
    planning->count = job->instance_count;
    planning->plans = xcalloc((size_t)planning->count, sizeof(struct worker_plan *));
    return 0;
}

static int planning_go_on(struct planning *planning, struct err *err)
{
    int result = launch_plan_make(&planning->input, planning->made,
                                  &planning->plans[planning->made], err);

    if (result == 0)
        planning->made++;
    return result;
}

static void planning_end(struct planning *planning)
{
    jobs_free_plans(planning->plans, planning->count);
    free(planning->hosts);
    free(planning->names);
    free(planning->addresses);
    free(planning->folder);
    free(planning->archive);
    *planning = (struct planning){ 0 };
}

int jobs_make_plans(struct jobs *jobs, const struct job *job,
                    const struct job_spec *spec, struct worker_plan ***plans,
                    struct err *err)
{
    struct planning planning = { 0 };
    int result = planning_begin(&planning, jobs, job, spec, err);

    while (result == 0 && planning.made < planning.count)
        result = planning_go_on(&planning, err);
    if (result == 0)
        *plans = steal_ptr(&planning.plans);
    planning_end(&planning);
    return result;
}

void jobs_free_plans(struct worker_plan **plans, int count)
{
    for (int i = 0; plans && i < count; i++)
        worker_plan_free(plans[i]);
    free(plans);
}

static int start_worker(struct jobs *jobs, struct live_job *live, int worker,
                        struct err *err)
{
    const struct job *job = live->job;
    const struct job_spec *spec = live->launching->spec;
    struct worker_plan *const *plans = live->launching->planning.plans;
    auto_free char *folder = jobs_folder(jobs, job);
    const struct sched_job request = {
        .job_id = job->id,
        .attempt = job->attempt,
        .worker = worker,
        .folder = folder,
        .plan = plans ? plans[worker] : NULL,
        .grace_s = job->grace_s,
        .max_run_s = job->max_run_s - job_used_run_s(job),
        .last_seq = job->workers[worker].last_seq,
        .last_boot_us = job->workers[worker].last_boot_us,
        .placed_boot_id = live->launching->restored ? "" : job->boot_id,
        .placed_boot_us = job->placed_boot_us,
        .placed_wall_us = job->placed_wall_us,
        .fake = spec->has_fake ? &spec->fake : NULL,
    };

    return live->class->start(live->scheduler, &request, err);
}

int jobs_get_spec(struct jobs *jobs, int64_t job_id, struct job_spec **spec,
                  struct cJSON **json, struct err *err)
{
    auto_json struct cJSON *stored = NULL;
    auto_problems struct problems problems = { 0 };

    if (store_get_spec(jobs->store, job_id, &stored, err) < 0)
        return -1;
    *spec = job_spec_parse(stored, &problems);
    if (!*spec)
        return err_set(err, ERR_INTERNAL, "stored spec: %s: %s", problems.items[0].path,
                       problems.items[0].message);
    if (json)
        *json = steal_ptr(&stored);
    return 0;
}

static int begin_launch(struct jobs *jobs, struct live_job *live, struct err *err)
{
    const struct job *job = live->job;

    live->launching = xcalloc(1, sizeof *live->launching);
    if (jobs_get_spec(jobs, job->job_id, &live->launching->spec, NULL, err) < 0
        || store_was_restored(jobs->store, job->job_id, job->attempt,
                              &live->launching->restored, err)
               < 0)
        return -1;
    if (!live->scheduler)
        return err_set(err, ERR_INVALID, "scheduler '%s' is not there any more",
                       job->scheduler);
    return 0;
}

void jobs_forget_launch(struct live_job *live)
{
    if (!live->launching)
        return;
    planning_end(&live->launching->planning);
    job_spec_free(live->launching->spec);
    free(steal_ptr(&live->launching));
}

static int plan_next(struct jobs *jobs, struct live_job *live, struct err *err)
{
    struct launching *launching = live->launching;
    struct planning *planning = &launching->planning;

    if (!planning->plans
        && planning_begin(planning, jobs, live->job, launching->spec, err) < 0)
        return -1;
    if (planning_go_on(planning, err) < 0)
        return -1;
    launching->planned = planning->made == planning->count;
    return 0;
}

/* Once one may run, the others are started, too, before it is told to stop. */
static int start_next(struct jobs *jobs, struct live_job *live, bool *done,
                      struct err *err)
{
    struct launching *launching = live->launching;

    if (start_worker(jobs, live, launching->started, err) < 0)
        return -1;
    live->may_run = true;
    launching->started++;
    *done = launching->started == live->job->instance_count;
    return 0;
}

/* A plan or, when all are made, a worker. */
static int launch_next(struct jobs *jobs, struct live_job *live, bool *done,
                       struct err *err)
{
    if (live->launching->planned)
        return start_next(jobs, live, done, err);
    if (plan_next(jobs, live, err) == 0)
        return 0;
    if (!live->may_run)
        return -1;
    log_warning("job.taken_up_without_plan job=%s error=\"%s\"", live->job->name,
                err->text);
    planning_end(&live->launching->planning);
    live->launching->planned = true;
    return 0;
}

static int launch(struct jobs *jobs, struct live_job *live, bool *done, struct err *err)
{
    *done = false;
    if (!live->launching && begin_launch(jobs, live, err) < 0)
        return -1;
    if (!jobs->launching_until)
        jobs->launching_until = clock_boot() + LAUNCHING_USEC;
    while (!*done && clock_boot() < jobs->launching_until)
        if (launch_next(jobs, live, done, err) < 0)
            return -1;
    return 0;
}

int jobs_launch(struct jobs *jobs, struct live_job *live, bool *done, struct err *err)
{
    int result = launch(jobs, live, done, err);

    if (result < 0 || *done)
        jobs_forget_launch(live);
    return result;
}
