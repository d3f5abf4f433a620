/* From a placed job to the workers of its scheduler. */

#include "daemon/jobs_private.h"
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

struct host_names {
    struct launch_host *hosts;
    char (*names)[HOST_TEXT_SIZE];
    char (*addresses)[HOST_TEXT_SIZE];
};

static void name_hosts(const struct job *job, struct host_names *out)
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

static void free_hosts(struct host_names *hosts)
{
    free(hosts->hosts);
    free(hosts->names);
    free(hosts->addresses);
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
        .used_run_s = job_used_run_s(job),
        .host_cpus = host_cpus(host, &traits, job),
        .host_memory_mib = host && traits.hosts_share_one ? host->memory_mib : 0,
        .network_interface = traits.network_interface,
        .python = jobs->config->python,
        .torchrun_wrapper = jobs->torchrun_wrapper,
        .base_env = (const char *const *)jobs->base_env,
    };
}

int jobs_make_plans(struct jobs *jobs, const struct job *job,
                    const struct job_spec *spec, struct worker_plan ***plans,
                    struct err *err)
{
    const struct profile *profile = catalog_find(jobs->catalog, job->instance_type);
    auto_free char *folder = jobs_folder(jobs, job);
    const char *hex = jobs_source_hex(spec);
    auto_free char *archive = hex ? jobs_source_path(jobs, hex) : NULL;
    struct worker_plan **made;
    struct host_names hosts;
    struct launch_input input;
    int result = 0;

    if (!profile)
        return err_set(err, ERR_INVALID,
                       "instance type '%s' is not in the catalog any more",
                       job->instance_type);
    name_hosts(job, &hosts);
    input = input_of(jobs, job, spec, profile);
    input.hosts = hosts.hosts;
    input.job_folder = folder;
    input.source_archive = archive;
    made = xcalloc((size_t)job->instance_count, sizeof(struct worker_plan *));
    for (int i = 0; result == 0 && i < job->instance_count; i++)
        result = launch_plan_make(&input, i, &made[i], err);
    free_hosts(&hosts);
    if (result < 0) {
        jobs_free_plans(made, job->instance_count);
        return -1;
    }
    *plans = made;
    return 0;
}

void jobs_free_plans(struct worker_plan **plans, int count)
{
    for (int i = 0; plans && i < count; i++)
        worker_plan_free(plans[i]);
    free(plans);
}

static int start(struct jobs *jobs, struct live_job *live, const struct job_spec *spec,
                 struct worker_plan **plans, struct err *err)
{
    const struct job *job = live->job;
    auto_free char *folder = jobs_folder(jobs, job);
    auto_free int64_t *last_seq = xcalloc((size_t)job->instance_count, sizeof(int64_t));
    auto_free int64_t *last_boot =
        xcalloc((size_t)job->instance_count, sizeof(int64_t));
    struct sched_job request = {
        .job_id = job->id,
        .attempt = job->attempt,
        .folder = folder,
        .plans = (const struct worker_plan *const *)plans,
        .grace_s = job->grace_s,
        .max_run_s = job->max_run_s - job_used_run_s(job),
        .last_seq = last_seq,
        .last_boot_us = last_boot,
        .worker_count = job->instance_count,
        .placed_boot_id = job->boot_id,
        .placed_boot_us = job->placed_boot_us,
        .placed_wall_us = job->placed_wall_us,
        .fake = spec->has_fake ? &spec->fake : NULL,
    };

    for (int i = 0; i < job->instance_count; i++) {
        last_seq[i] = job->workers[i].last_seq;
        last_boot[i] = job->workers[i].last_boot_us;
    }
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

int jobs_launch(struct jobs *jobs, struct live_job *live, struct err *err)
{
    auto_job_spec struct job_spec *spec = NULL;
    struct worker_plan **plans = NULL;
    int result;

    if (jobs_get_spec(jobs, live->job->job_id, &spec, NULL, err) < 0)
        return -1;
    if (!live->scheduler)
        return err_set(err, ERR_INVALID, "scheduler '%s' is not there any more",
                       live->job->scheduler);
    if (jobs_make_plans(jobs, live->job, spec, &plans, err) < 0) {
        if (!live->may_run)
            return -1;
        log_warning("job.taken_up_without_plan job=%s error=\"%s\"", live->job->name,
                    err->text);
    }
    result = start(jobs, live, spec, plans, err);
    jobs_free_plans(plans, live->job->instance_count);
    return result;
}
