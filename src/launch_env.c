/* The environment of ranks: built from the profile, the spec and the hosts, never
 * inherited.  The names are those of SageMaker's training toolkit and of torchrun, so
 * that scripts find what they were written for.  Not about command lines. */

#include "src/launch_env.h"

#include "src/json.h"
#include "src/launch_config.h"
#include "src/python_text.h"
#include "src/rsh.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
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
    env_default(env, "HOME", plan->ml_folder);
    env_default(env, "LANG", "C.UTF-8");
    /* mpirun gives its ranks a terminal, where Python writes whole lines anyway; what
     * is written piece by piece gets mpirun's tag before every piece. */
    if (input->spec->distribution != DISTRIBUTION_MPI)
        env_default(env, "PYTHONUNBUFFERED", "1");
    path = env_get(env, "PYTHONPATH");
    if (path) {
        auto_free char *both = xasprintf("%s:%s", plan->work_folder, path);

        env_set(env, "PYTHONPATH", both);
    } else {
        env_set(env, "PYTHONPATH", plan->work_folder);
    }
}

/* Takes the value. */
static void set_json(struct env *env, const char *name, struct cJSON *value)
{
    auto_free char *text = python_json(value);

    env_set(env, name, text);
    json_free(value);
}

static void add_hosts(struct env *env, const struct launch_input *input, int worker)
{
    const char *interface = input->network_interface;

    set_json(env, "SM_HOSTS", launch_host_names(input));
    env_set(env, "SM_CURRENT_HOST", input->hosts[worker].name);
    env_set(env, "CURRENT_HOST", input->hosts[worker].name);
    env_set_int(env, "SM_HOST_COUNT", input->spec->instance_count);
    env_set_int(env, "SM_CURRENT_HOST_RANK", worker);
    env_set(env, "SM_MASTER_ADDR", launch_host(input, 0));
    env_set_int(env, "SM_MASTER_PORT", input->port);
    env_set(env, "SM_NETWORK_INTERFACE_NAME", interface ? interface : "eth0");
    if (interface) {
        env_default(env, "NCCL_SOCKET_IFNAME", interface);
        env_default(env, "GLOO_SOCKET_IFNAME", interface);
    }
}

/* A job has one group, of all its instances. */
static void add_groups(struct env *env, const struct launch_input *input, int worker)
{
    struct cJSON *names = json_array_new();
    struct cJSON *groups = json_object_new();

    json_append_text(names, launch_group_name);
    json_set(groups, launch_group_name, launch_instance_group(input));
    set_json(env, "SM_INSTANCE_GROUPS", names);
    set_json(env, "SM_INSTANCE_GROUPS_DICT", groups);
    set_json(env, "SM_CURRENT_INSTANCE_GROUP_HOSTS", launch_host_names(input));
    env_set(env, "SM_CURRENT_INSTANCE_GROUP", launch_group_name);
    env_set(env, "SM_DISTRIBUTION_INSTANCE_GROUPS", "[]");
    env_set(env, "SM_IS_HETERO", "false");
    set_json(env, "SM_RESOURCE_CONFIG", launch_resource_config(input, worker));
}

static bool has_gpus(const struct profile *profile)
{
    return profile->accelerator_kind && strcmp(profile->accelerator_kind, "gpu") == 0;
}

static void add_instance(struct env *env, const struct profile *profile)
{
    env_set(env, "SM_CURRENT_INSTANCE_TYPE", profile->name);
    env_set_int(env, "SM_NUM_CPUS", profile->vcpus);
    env_set_int(env, "SM_NUM_GPUS", has_gpus(profile) ? profile->accelerator_count : 0);
    env_set_int(env, "SM_NUM_NEURONS", profile->neuron_cores);
}

/* As SageMaker's toolkit for instance types with EFA.  Those with several interfaces
 * also read and write each other's device memory. */
static void add_fabric(struct env *env, const struct profile *profile)
{
    if (profile->efa_interfaces == 0)
        return;
    env_default(env, "FI_PROVIDER", "efa");
    env_default(env, "NCCL_PROTO", "simple");
    if (profile->efa_interfaces > 1) {
        env_default(env, "FI_EFA_USE_DEVICE_RDMA", "1");
        env_default(env, "RDMAV_FORK_SAFE", "1");
    }
    if (profile->neuron_cores > 0)
        env_default(env, "FI_EFA_FORK_SAFE", "1");
}

/* SM_HP_<KEY>: upper case by ASCII; a hyphen stays, as the toolkit leaves it, and there
 * is a second name without, which shells can read. */
static void add_hyperparameter(struct env *env, const struct cJSON *member)
{
    auto_free char *name = xasprintf("SM_HP_%s", json_name(member));
    auto_free char *value = launch_value_text(member);

    if (!env_name_is_valid(name))
        return;
    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    env_set(env, name, value);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
    env_default(env, name, value);
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

static void add_folders(struct env *env, const struct worker_plan *plan)
{
    static const struct {
        const char *name;
        const char *folder;
    } folders[] = {
        { "SM_INPUT_DIR", "input" },
        { "SM_INPUT_CONFIG_DIR", "input/config" },
        { "SM_INPUT_DATA_DIR", "input/data" },
        { "SM_MODEL_DIR", "model" },
        { "SM_OUTPUT_DIR", "output" },
        { "SM_OUTPUT_DATA_DIR", "output/data" },
        { "SM_OUTPUT_INTERMEDIATE_DIR", "output/intermediate" },
        { "SM_OUTPUT_FAILURE", "output/failure" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        auto_free char *path = xasprintf("%s/%s", plan->ml_folder, folders[i].folder);

        env_set(env, folders[i].name, path);
    }
    env_set(env, "RAILHEAD_CHECKPOINT_DIR", plan->checkpoint_path);
}

static void add_program(struct env *env, const struct job_spec *spec,
                        const struct worker_plan *plan)
{
    env_set(env, "SM_MODULE_DIR", plan->work_folder);
    env_set(env, "SM_LOG_LEVEL", "20");
    env_set(env, "SM_FRAMEWORK_MODULE", launch_framework_module(spec));
    set_json(env, "SM_FRAMEWORK_PARAMS", launch_framework_params(spec));
    if (spec->source_dir)
        env_set(env, "SM_SOURCE_DIR", plan->work_folder);
    if (spec->entry_point) {
        const char *dot = strrchr(spec->entry_point, '.');
        size_t len =
            dot ? (size_t)(dot - spec->entry_point) : strlen(spec->entry_point);
        auto_free char *module = xstrndup(spec->entry_point, len);

        env_set(env, "SM_USER_ENTRY_POINT", spec->entry_point);
        env_set(env, "SM_ENTRY_SCRIPT", spec->entry_point);
        env_set(env, "SM_MODULE_NAME", module);
    }
}

static int compare_names(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;

    return strcmp(*a, *b);
}

static void add_channels(struct env *env, const struct job_spec *spec)
{
    auto_free const char **names = xcalloc(spec->channel_count, sizeof *names);
    struct cJSON *list = json_array_new();

    for (size_t i = 0; i < spec->channel_count; i++)
        names[i] = spec->channels[i].name;
    qsort(names, spec->channel_count, sizeof *names, compare_names);
    for (size_t i = 0; i < spec->channel_count; i++)
        json_append_text(list, names[i]);
    set_json(env, "SM_CHANNELS", list);
    set_json(env, "SM_INPUT_DATA_CONFIG", launch_input_data_config(spec));
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

/* As the main of SageMaker's PyTorch image; torchrun and our own launch set the first
 * two for themselves. */
static void add_pytorch(struct env *env, const struct launch_input *input)
{
    env_set(env, "MASTER_ADDR", launch_host(input, 0));
    env_set_int(env, "MASTER_PORT", input->port);
    env_default(env, "NCCL_IB_DISABLE", "1");
    env_default(env, "NCCL_DEBUG", "WARN");
}

static void add_job(struct env *env, const struct launch_input *input,
                    const struct worker_plan *plan)
{
    const char *region = input->storage ? input->storage->region : NULL;

    env_set(env, "TRAINING_JOB_NAME", plan->job_name);
    env_set(env, "SAGEMAKER_JOB_NAME", plan->job_name);
    if (region) {
        env_default(env, "AWS_REGION", region);
        env_set(env, "SAGEMAKER_REGION", region);
    }
}

/* It names every host six times, and all that is in it is in other variables, too:
 * above so many hosts it is left out, and where Linux would not take it. */
static void add_training_env(struct env *env, const struct launch_input *input,
                             const struct worker_plan *plan)
{
    static const char name[] = "SM_TRAINING_ENV";
    auto_free char *all = NULL;

    if (input->spec->instance_count > LAUNCH_TRAINING_ENV_HOSTS)
        return;
    all = launch_training_env(input, plan, env);
    if (sizeof name + strlen(all) <= LAUNCH_VARIABLE_MAX)
        env_set(env, name, all);
}

void launch_env_shared(struct env *env, const struct launch_input *input,
                       const struct worker_plan *plan, const char *user_args)
{
    add_base(env, input, plan);
    add_hosts(env, input, plan->worker);
    add_groups(env, input, plan->worker);
    add_instance(env, input->profile);
    add_fabric(env, input->profile);
    add_hyperparameters(env, input->spec->hyperparameters);
    add_folders(env, plan);
    add_program(env, input->spec, plan);
    add_channels(env, input->spec);
    add_threads(env, input, plan->local_processes);
    env_set(env, "SM_USER_ARGS", user_args);
    add_job(env, input, plan);
    if (input->spec->framework == FRAMEWORK_PYTORCH)
        add_pytorch(env, input);
    add_training_env(env, input, plan);
}

/*
 * As torch/distributed/elastic/agent/server/local_elastic_agent.py (_start_workers)
 * sets them for a static rendezvous, with two differences: no agent holds a store that
 * ranks could use, so TORCHELASTIC_USE_AGENT_STORE is False and rank 0 opens the store;
 * and nobody would read a TORCHELASTIC_ERROR_FILE.
 */
static void add_torch(struct env *env, const struct launch_input *input,
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
    env_set(env, "MASTER_ADDR", launch_host(input, 0));
    env_set_int(env, "MASTER_PORT", input->port);
    env_set(env, "TORCHELASTIC_RUN_ID", input->job_id);
    env_set(env, "TORCHELASTIC_RESTART_COUNT", "0");
    env_set(env, "TORCHELASTIC_MAX_RESTARTS", "0");
    env_set(env, "TORCHELASTIC_USE_AGENT_STORE", "False");
    env_default(env, "NCCL_ASYNC_ERROR_HANDLING", "1");
}

/* SM_CHANNEL_<NAME>, upper case as SM_HP_<KEY>.  The caller frees. */
static char *channel_variable(const struct channel *channel)
{
    char *name = xasprintf("SM_CHANNEL_%s", channel->name);

    for (char *c = name; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return name;
}

static void set_channel(struct env *env, const struct worker_plan *plan,
                        const char *between, const struct channel *channel)
{
    auto_free char *name = channel_variable(channel);
    auto_free char *path =
        xasprintf("%s/input/data/%s%s", plan->ml_folder, between, channel->name);

    env_set(env, name, path);
}

/* Under a launcher all ranks begin with one environment: what stands before each puts
 * rank-L into these variables (RSH_PIPES).  What the spec sets stays as it is. */
static void add_pipes(struct env *env, const struct job_spec *spec)
{
    auto_text struct text names = { 0 };

    for (size_t i = 0; i < spec->channel_count; i++) {
        auto_free char *name = channel_variable(&spec->channels[i]);

        if (spec->channels[i].mode == CHANNEL_PIPE
            && !json_get(spec->environment, name))
            text_printf(&names, "%s%s", names.len ? " " : "", name);
    }
    if (names.len > 0)
        env_set(env, RSH_PIPES, names.bytes);
}

/* Two ranks never share a FIFO, and a server has none (src/stage.h). */
static void add_channel_paths(struct env *env, const struct job_spec *spec,
                              const struct worker_plan *plan,
                              const struct launch_place *place)
{
    auto_free char *folder = xasprintf("rank-%d/", place->local_rank);
    bool own = place->kind == RANK_PROGRAM && place->processes_per_host > 1;

    for (size_t i = 0; i < spec->channel_count; i++) {
        const struct channel *channel = &spec->channels[i];
        bool pipe = channel->mode == CHANNEL_PIPE;

        if (!pipe || place->kind != RANK_SERVER)
            set_channel(env, plan, pipe && own ? folder : "", channel);
    }
    if (!own && place->kind != RANK_SERVER && place->processes_per_host > 1)
        add_pipes(env, spec);
}

/* "first" or "first-last": the part of `count` devices that is this rank's, where every
 * rank gets one at least; else NULL. */
static char *device_share(int count, const struct launch_place *place, char between)
{
    int share = count / place->processes_per_host;
    int first = share * place->local_rank;
    auto_text struct text list = { 0 };

    if (place->processes_per_host < 2 || share < 1)
        return NULL;
    text_printf(&list, "%d", first);
    if (between == '-' && share > 1)
        text_printf(&list, "-%d", first + share - 1);
    for (int i = 1; between == ',' && i < share; i++)
        text_printf(&list, ",%d", first + i);
    return text_steal(&list);
}

/* torch takes the GPU of its local rank out of all; TensorFlow takes all that it sees.
 */
static void add_devices(struct env *env, const struct launch_input *input,
                        const struct launch_place *place)
{
    const struct profile *profile = input->profile;
    bool tensorflow =
        input->spec->distribution == DISTRIBUTION_PARAMETER_SERVER
        || input->spec->distribution == DISTRIBUTION_MULTI_WORKER_MIRRORED;
    auto_free char *cores = NULL;
    auto_free char *gpus = NULL;

    if (place->kind == RANK_SERVER) {
        env_set(env, "CUDA_VISIBLE_DEVICES", "-1");
        return;
    }
    cores = device_share(profile->neuron_cores, place, '-');
    if (cores)
        env_default(env, "NEURON_RT_VISIBLE_CORES", cores);
    if (tensorflow && has_gpus(profile))
        gpus = device_share(profile->accelerator_count, place, ',');
    if (gpus)
        env_default(env, "CUDA_VISIBLE_DEVICES", gpus);
}

/* Where railhead-rsh finds the worker behind a host's name (src/rsh.h). */
static void add_rsh_hosts(struct env *env, const struct launch_input *input,
                          const struct worker_plan *plan)
{
    auto_text struct text lines = { 0 };

    for (int i = 0; i < input->spec->instance_count; i++)
        text_printf(&lines, "%s %s\n%s %s\n", input->hosts[i].name, plan->peers[i],
                    input->hosts[i].address, plan->peers[i]);
    env_set(env, RSH_HOSTS, lines.bytes);
}

/* Of what starts the ranks itself: they are told apart by it. */
static void add_launcher(struct env *env, const struct launch_input *input,
                         const struct worker_plan *plan,
                         const struct launch_place *place)
{
    int cores = input->profile->neuron_cores / place->processes_per_host;

    if (place->processes_per_host > 1 && cores > 0
        && !env_get(env, "NEURON_RT_NUM_CORES"))
        env_set_int(env, "NEURON_RT_NUM_CORES", cores);
    /* For railhead-torchrun.py, which keeps it from the ranks. */
    if (input->spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED)
        env_set_int(env, "RAILHEAD_GRACE", input->spec->grace_s);
    else if (place->kind == RANK_LAUNCHER && plan->peers)
        add_rsh_hosts(env, input, plan);
}

/* What the distribution says to a rank that no launcher starts. */
static void add_distribution(struct env *env, const struct launch_input *input,
                             const struct launch_place *place)
{
    auto_free char *tf_config = NULL;

    switch (input->spec->distribution) {
    case DISTRIBUTION_TORCH_DISTRIBUTED:
        add_torch(env, input, place);
        break;
    case DISTRIBUTION_PARAMETER_SERVER:
    case DISTRIBUTION_MULTI_WORKER_MIRRORED:
        tf_config = launch_tf_config(input, place);
        env_set(env, "TF_CONFIG", tf_config);
        break;
    case DISTRIBUTION_NONE:
    case DISTRIBUTION_MPI:
        break;
    }
}

void launch_env_rank(struct env *env, const struct launch_input *input,
                     const struct worker_plan *plan, const struct launch_place *place)
{
    add_channel_paths(env, input->spec, plan, place);
    if (place->kind == RANK_LAUNCHER || place->kind == RANK_REMOTE) {
        add_launcher(env, input, plan, place);
        return;
    }
    env_set_int(env, "RAILHEAD_RANK", place->rank);
    env_set_int(env, "RAILHEAD_LOCAL_RANK", place->local_rank);
    env_set_int(env, "RAILHEAD_WORLD_SIZE", plan->world_size);
    add_devices(env, input, place);
    add_distribution(env, input, place);
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
