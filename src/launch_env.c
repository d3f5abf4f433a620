/* The environment of ranks: built from the profile, the spec and the hosts, never
 * inherited.  The names are those of SageMaker's training toolkit and of torchrun, so
 * that scripts find what they were written for.  Not about command lines. */

#include "src/launch_env.h"

#include "src/json.h"
#include "src/python_text.h"
#include "src/text.h"

#include <stdio.h>
#include <string.h>

static void add_base(struct env *env, const struct launch_input *input,
                     const struct worker_plan *plan)
{
    const char *path;

    for (const char *const *item = input->base_env; item && *item; item++) {
        const char *equals = strchr(*item, '=');
        auto_free char *name = NULL;

        if (!equals || equals == *item)
            continue;
        name = xstrndup(*item, (size_t)(equals - *item));
        env_set(env, name, equals + 1);
    }
    env_default(env, "PATH", "/usr/local/bin:/usr/bin:/bin");
    env_default(env, "HOME", plan->work_folder);
    env_default(env, "LANG", "C.UTF-8");
    env_default(env, "PYTHONUNBUFFERED", "1");
    path = env_get(env, "PYTHONPATH");
    if (path) {
        auto_free char *both = xasprintf("%s:%s", plan->work_folder, path);

        env_set(env, "PYTHONPATH", both);
    } else {
        env_set(env, "PYTHONPATH", plan->work_folder);
    }
}

static void add_hosts(struct env *env, const struct launch_input *input, int worker)
{
    auto_json struct cJSON *names = json_array_new();
    auto_free char *list = NULL;

    for (int i = 0; i < input->spec->instance_count; i++)
        json_append_text(names, input->hosts[i].name);
    list = python_json(names);
    env_set(env, "SM_HOSTS", list);
    env_set(env, "SM_CURRENT_HOST", input->hosts[worker].name);
    env_set(env, "CURRENT_HOST", input->hosts[worker].name);
    env_set(env, "SM_NETWORK_INTERFACE_NAME",
            input->network_interface ? input->network_interface : "eth0");
    if (input->network_interface) {
        env_default(env, "NCCL_SOCKET_IFNAME", input->network_interface);
        env_default(env, "GLOO_SOCKET_IFNAME", input->network_interface);
    }
}

static void add_instance(struct env *env, const struct profile *profile)
{
    bool has_gpus =
        profile->accelerator_kind && strcmp(profile->accelerator_kind, "gpu") == 0;

    env_set(env, "SM_CURRENT_INSTANCE_TYPE", profile->name);
    env_set_int(env, "SM_NUM_CPUS", profile->vcpus);
    env_set_int(env, "SM_NUM_GPUS", has_gpus ? profile->accelerator_count : 0);
    env_set_int(env, "SM_NUM_NEURONS", profile->neuron_cores);
}

/* SM_HP_<KEY>: upper case by ASCII; a hyphen stays, as the toolkit leaves it. */
static void add_hyperparameter(struct env *env, const struct cJSON *member)
{
    auto_free char *name = xasprintf("SM_HP_%s", json_name(member));
    auto_free char *value = NULL;

    if (!env_name_is_valid(name))
        return;
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    switch (json_kind(member)) {
    case JSON_NULL:
        value = xstrdup("");
        break;
    case JSON_TEXT:
        value = xstrdup(json_text(member));
        break;
    case JSON_BOOL:
    case JSON_NUMBER:
    case JSON_ARRAY:
    case JSON_OBJECT:
        value = python_json(member);
        break;
    }
    env_set(env, name, value);
}

static void add_hyperparameters(struct env *env, const struct cJSON *hyperparameters)
{
    auto_free char *all = python_json(hyperparameters);
    size_t count;
    auto_free const struct cJSON **members = python_sorted(hyperparameters, &count);

    env_set(env, "SM_HPS", all);
    for (size_t i = 0; i < count; i++)
        add_hyperparameter(env, members[i]);
}

static void add_program(struct env *env, const struct job_spec *spec,
                        const struct worker_plan *plan)
{
    auto_free char *model = xasprintf("%s/model", plan->ml_folder);
    auto_free char *output = xasprintf("%s/output", plan->ml_folder);
    auto_free char *data = xasprintf("%s/output/data", plan->ml_folder);

    env_set(env, "SM_MODULE_DIR", plan->work_folder);
    env_set(env, "SM_MODEL_DIR", model);
    env_set(env, "SM_OUTPUT_DATA_DIR", data);
    env_set(env, "SM_OUTPUT_DIR", output);
    env_set(env, "SM_CHANNELS", "[]");
    env_set(env, "SM_LOG_LEVEL", "20");
    if (spec->entry_point) {
        const char *dot = strrchr(spec->entry_point, '.');
        size_t len =
            dot ? (size_t)(dot - spec->entry_point) : strlen(spec->entry_point);
        auto_free char *module = xstrndup(spec->entry_point, len);

        env_set(env, "SM_USER_ENTRY_POINT", spec->entry_point);
        env_set(env, "SM_MODULE_NAME", module);
    }
}

/* Threads for one process: its share of the CPUs, so that ranks do not fight over them.
 * OpenBLAS and MKL follow this one name unless given their own, so a user changes all
 * by one. */
static void add_threads(struct env *env, const struct launch_input *input,
                        int processes_per_host)
{
    int cpus = input->profile->vcpus;
    char share[16];

    if (input->host_cpus > 0 && input->host_cpus < cpus)
        cpus = input->host_cpus;
    cpus /= processes_per_host;
    snprintf(share, sizeof share, "%d", cpus > 1 ? cpus : 1);
    env_default(env, "OMP_NUM_THREADS", share);
}

void launch_env_shared(struct env *env, const struct launch_input *input,
                       const struct worker_plan *plan, int processes_per_host,
                       const char *user_args)
{
    add_base(env, input, plan);
    add_hosts(env, input, plan->worker);
    add_instance(env, input->profile);
    add_hyperparameters(env, input->spec->hyperparameters);
    add_program(env, input->spec, plan);
    add_threads(env, input, processes_per_host);
    env_set(env, "SM_USER_ARGS", user_args);
    env_set(env, "TRAINING_JOB_NAME", plan->job_name);
    env_set(env, "SAGEMAKER_JOB_NAME", plan->job_name);
}

/*
 * As torch/distributed/elastic/agent/server/local_elastic_agent.py (_start_workers)
 * sets them for a static rendezvous, with two differences: no agent holds a store that
 * ranks could use, so TORCHELASTIC_USE_AGENT_STORE is False and rank 0 opens the store;
 * and nobody would read a TORCHELASTIC_ERROR_FILE.
 */
void launch_env_torch(struct env *env, const struct launch_input *input,
                      const struct launch_place *place)
{
    int hosts = input->spec->instance_count;
    int world = hosts * place->processes_per_host;

    env_set_int(env, "RANK", place->rank);
    env_set_int(env, "LOCAL_RANK", place->local_rank);
    env_set_int(env, "NODE_RANK", place->worker);
    env_set_int(env, "GROUP_RANK", place->worker);
    env_set_int(env, "ROLE_RANK", place->rank);
    env_set(env, "ROLE_NAME", "default");
    env_set_int(env, "WORLD_SIZE", world);
    env_set_int(env, "LOCAL_WORLD_SIZE", place->processes_per_host);
    env_set_int(env, "GROUP_WORLD_SIZE", hosts);
    env_set_int(env, "ROLE_WORLD_SIZE", world);
    env_set(env, "MASTER_ADDR", input->hosts[0].address);
    env_set_int(env, "MASTER_PORT", input->port);
    env_set(env, "TORCHELASTIC_RUN_ID", input->job_id);
    env_set(env, "TORCHELASTIC_RESTART_COUNT", "0");
    env_set(env, "TORCHELASTIC_MAX_RESTARTS", "0");
    env_set(env, "TORCHELASTIC_USE_AGENT_STORE", "False");
    env_default(env, "NCCL_ASYNC_ERROR_HANDLING", "1");
}

void launch_env_spec(struct env *env, const struct launch_input *input, int worker)
{
    json_each (member, input->spec->environment) {
        if (env_name_is_valid(json_name(member)) && json_text(member))
            env_set(env, json_name(member), json_text(member));
    }
    env_set(env, "RAILHEAD_JOB_ID", input->job_id);
    env_set_int(env, "RAILHEAD_ATTEMPT", input->attempt);
    env_set_int(env, "RAILHEAD_WORKER", worker);
}
