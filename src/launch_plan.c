/* From spec, profile and hosts to what every rank runs.  Decides command lines, ranks
 * and folders; the environment is launch_env's, the files launch_config's, mpirun's
 * part launch_mpi's, the plan as JSON worker_plan's. */

#include "src/launch_plan.h"

#include "src/json.h"
#include "src/launch_config.h"
#include "src/launch_env.h"
#include "src/namespaces.h"
#include "src/python_text.h"
#include "src/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a log's rank has when the spec says little; of that what names one host, with
 * and without SM_TRAINING_ENV; one process in TF_CONFIG; one channel. */
enum {
    RANK_BYTES = 8192,
    HOST_BYTES = 64,
    HOST_TRAINING_ENV_BYTES = 80,
    TF_BYTES = 24,
    CHANNEL_BYTES = 1024
};

int launch_processes_per_host(const struct job_spec *spec,
                              const struct profile *profile)
{
    if (spec->processes_per_host > 0)
        return spec->processes_per_host;
    if (spec->distribution == DISTRIBUTION_NONE)
        return 1;
    return profile_default_processes(profile);
}

int launch_program_count(const struct job_spec *spec, const struct profile *profile)
{
    return spec->instance_count * launch_processes_per_host(spec, profile);
}

static bool has_servers(const struct job_spec *spec)
{
    return spec->distribution == DISTRIBUTION_PARAMETER_SERVER;
}

int launch_world_size(const struct job_spec *spec, const struct profile *profile)
{
    return launch_program_count(spec, profile)
           + (has_servers(spec) ? spec->instance_count : 0);
}

int launch_port_count(const struct job_spec *spec, const struct profile *profile)
{
    switch (spec->distribution) {
    case DISTRIBUTION_PARAMETER_SERVER:
    case DISTRIBUTION_MULTI_WORKER_MIRRORED:
        return launch_world_size(spec, profile);
    case DISTRIBUTION_NONE:
    case DISTRIBUTION_TORCH_DISTRIBUTED:
    case DISTRIBUTION_MPI:
        break;
    }
    return 1;
}

static bool by_torchrun(const struct job_spec *spec)
{
    return spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED
           && spec->launcher == LAUNCHER_TORCHRUN;
}

/* Whether the worker starts something that starts the ranks. */
static bool has_launcher(const struct job_spec *spec)
{
    return by_torchrun(spec) || spec->distribution == DISTRIBUTION_MPI;
}

int launch_log_count(const struct job_spec *spec, const struct profile *profile)
{
    return has_launcher(spec) ? spec->instance_count : launch_world_size(spec, profile);
}

int launch_log_worker(const struct job_spec *spec, const struct profile *profile,
                      int log)
{
    int programs = launch_program_count(spec, profile);

    if (has_launcher(spec))
        return log;
    return log < programs ? log / launch_processes_per_host(spec, profile)
                          : log - programs;
}

/* The environment has the hyperparameters in SM_HPS, SM_HP_KEY, SM_USER_ARGS and
 * SM_TRAINING_ENV, the command line once. */
int64_t launch_size(const struct job_spec *spec, const struct profile *profile)
{
    auto_free char *hyperparameters = json_print(spec->hyperparameters);
    auto_free char *environment = json_print(spec->environment);
    size_t hosts = (size_t)spec->instance_count;
    size_t size = RANK_BYTES + HOST_BYTES * hosts + 5 * strlen(hyperparameters)
                  + strlen(environment) + CHANNEL_BYTES * spec->channel_count;

    if (spec->instance_count <= LAUNCH_TRAINING_ENV_HOSTS)
        size += HOST_TRAINING_ENV_BYTES * hosts;
    if (launch_port_count(spec, profile) > 1)
        size += TF_BYTES * (size_t)launch_world_size(spec, profile);
    for (size_t i = 0; spec->command && spec->command[i]; i++)
        size += strlen(spec->command[i]) + 1;
    return (int64_t)size * launch_log_count(spec, profile);
}

const char *launch_host(const struct launch_input *input, int worker)
{
    return input->isolate ? input->hosts[worker].name : input->hosts[worker].address;
}

/* An object as {"a": 1, "b": 2} becomes a=1,b=2; all else is Python's str. */
static char *argument_value(const struct cJSON *value)
{
    auto_text struct text out = { 0 };
    auto_free const struct cJSON **members = NULL;
    size_t count;

    if (json_kind(value) == JSON_NULL)
        return xstrdup("");
    if (json_kind(value) != JSON_OBJECT)
        return python_str(value);
    members = python_sorted(value, &count);
    for (size_t i = 0; i < count; i++) {
        auto_free char *item = python_str(members[i]);

        text_printf(&out, "%s%s=%s", i ? "," : "", json_name(members[i]), item);
    }
    return text_steal(&out);
}

/* --key value, sorted by key, as the toolkit does; each an argument of its own, so that
 * no shell ever reads them. */
static void add_hyperparameters(char ***argv, const struct cJSON *hyperparameters)
{
    size_t count;
    auto_free const struct cJSON **members = python_sorted(hyperparameters, &count);

    for (size_t i = 0; i < count; i++) {
        const char *key = json_name(members[i]);

        words_add(argv, xasprintf("%s%s", strlen(key) > 1 ? "--" : "-", key));
        words_add(argv, argument_value(members[i]));
    }
}

static bool is_shell_script(const char *entry_point)
{
    size_t len = strlen(entry_point);

    return len > 3 && strcmp(entry_point + len - 3, ".sh") == 0;
}

static const char *python_of(const struct launch_input *input)
{
    return input->spec->python ? input->spec->python : input->python;
}

static void add_command(char ***argv, char *const *command)
{
    for (char *const *word = command; *word; word++)
        words_add(argv, xstrdup(*word));
}

static void add_program(char ***argv, const struct job_spec *spec)
{
    words_add(argv, xstrdup(spec->entry_point));
    add_hyperparameters(argv, spec->hyperparameters);
}

/* Of one process of the user's.  mpi4py's own main turns an exception in one rank into
 * the end of all, where they would wait for it for ever. */
static char **program_argv(const struct launch_input *input)
{
    const struct job_spec *spec = input->spec;
    char **argv = NULL;

    if (spec->command) {
        add_command(&argv, spec->command);
        return argv;
    }
    if (is_shell_script(spec->entry_point)) {
        words_add(&argv, xstrdup("/bin/sh"));
    } else {
        words_add(&argv, xstrdup(python_of(input)));
        if (spec->distribution == DISTRIBUTION_MPI) {
            words_add(&argv, xstrdup("-m"));
            words_add(&argv, xstrdup("mpi4py"));
        }
    }
    add_program(&argv, spec);
    return argv;
}

/* torchrun takes arguments for templates of ${local_rank}, where $$ stands for $. */
static void add_escaped(char ***argv, char *const *words)
{
    for (; *words; words++) {
        auto_text struct text word = { 0 };

        text_puts(&word, "");
        for (const char *c = *words; *c; c++)
            text_puts(&word, *c == '$' ? "$$" : (char[]){ *c, '\0' });
        words_add(argv, text_steal(&word));
    }
}

/* A spec with this launcher has an entry point in Python: job_spec_parse sees to it. */
static char **torchrun_argv(const struct launch_input *input, int worker)
{
    const struct job_spec *spec = input->spec;
    char **argv = NULL;
    char **arguments = NULL;

    words_add(&argv, xstrdup(python_of(input)));
    if (input->torchrun_wrapper) {
        words_add(&argv, xstrdup(input->torchrun_wrapper));
    } else {
        words_add(&argv, xstrdup("-m"));
        words_add(&argv, xstrdup("torch.distributed.run"));
    }
    words_add(&argv, xasprintf("--nnodes=%d", spec->instance_count));
    words_add(&argv, xasprintf("--nproc_per_node=%d",
                               launch_processes_per_host(spec, input->profile)));
    words_add(&argv, xasprintf("--node_rank=%d", worker));
    words_add(&argv, xasprintf("--master_addr=%s", launch_host(input, 0)));
    words_add(&argv, xasprintf("--master_port=%d", input->port));
    words_add(&argv, xasprintf("--rdzv_id=%s", input->job_id));
    /* Of 5 s, an agent that lost its peer to a failure elsewhere may look first. */
    words_add(&argv, xstrdup("--monitor_interval=0.5"));
    /* Else its argparse takes an argument of the program, --no, for one of its own. */
    words_add(&argv, xstrdup("--"));
    words_add(&argv, xstrdup(spec->entry_point));
    add_hyperparameters(&arguments, spec->hyperparameters);
    if (arguments)
        add_escaped(&argv, arguments);
    words_free(arguments);
    return argv;
}

/* SM_USER_ARGS: what the program is given; a command is given its own words alone. */
static char *user_args(const struct job_spec *spec)
{
    auto_json struct cJSON *list = json_array_new();
    char **words = NULL;
    char *text;

    if (!spec->command)
        add_hyperparameters(&words, spec->hyperparameters);
    for (char **word = words; word && *word; word++)
        json_append_text(list, *word);
    words_free(words);
    text = python_json(list);
    return text;
}

char *worker_folder(const char *job_folder, int attempt, int worker)
{
    return xasprintf("%s-%d-%d", job_folder, attempt, worker);
}

/* Where checkpoints are as the ranks see it: a path of the user's own is only there
 * where the worker can show it. */
static char *checkpoint_path(const struct launch_input *input, const char *ml_folder)
{
    if (input->isolate && input->spec->checkpoint_path)
        return xstrdup(input->spec->checkpoint_path);
    return xasprintf("%s/checkpoints", ml_folder);
}

static char *output_uri(const struct job_spec *spec)
{
    size_t len = spec->output_path ? strlen(spec->output_path) : 0;

    if (len == 0)
        return NULL;
    while (len > 0 && spec->output_path[len - 1] == '/')
        len--;
    return xasprintf("%.*s/%s/output", (int)len, spec->output_path,
                     spec->name ? spec->name : "");
}

/* No limit where the host has no more than the profile: the host's own is nearer. */
static int64_t memory_limit(const struct launch_input *input)
{
    int64_t wanted = input->profile->memory_mib;

    return wanted < input->host_memory_mib ? wanted << 20 : 0;
}

static void fill_hosts(struct worker_plan *plan, const struct launch_input *input)
{
    auto_text struct text lines = { 0 };

    for (int i = 0; i < input->spec->instance_count; i++) {
        text_printf(&lines, "%s %s\n", input->hosts[i].address, input->hosts[i].name);
        if (input->hosts_share_one)
            words_add(&plan->peers,
                      worker_folder(input->job_folder, input->attempt, i));
    }
    plan->host_name = xstrdup(input->hosts[plan->worker].name);
    plan->hosts = text_steal(&lines);
}

static void fill_staging(struct worker_plan *plan, const struct launch_input *input)
{
    const struct job_spec *spec = input->spec;

    plan->channels = xcalloc(spec->channel_count, sizeof *plan->channels);
    plan->channel_count = spec->channel_count;
    for (size_t i = 0; i < spec->channel_count; i++)
        channel_copy(&plan->channels[i], &spec->channels[i]);
    plan->output_uri = output_uri(spec);
    plan->output_compressed = spec->output_compressed;
    plan->checkpoint_uri = xstrdup(spec->checkpoint_uri);
    if (input->storage)
        storage_copy(&plan->storage, input->storage);
    launch_configs_add(plan, input);
    if (spec->distribution == DISTRIBUTION_MPI && plan->worker == 0) {
        auto_free char *lines = launch_hostfile(input);

        launch_config_add(plan, "hostfile", lines);
    }
}

static void fill_metrics(struct worker_plan *plan, const struct job_spec *spec)
{
    plan->metric_count = spec->metric_count;
    plan->metrics = xcalloc(spec->metric_count, sizeof *plan->metrics);
    for (size_t i = 0; i < spec->metric_count; i++) {
        plan->metrics[i].name = xstrdup(spec->metrics[i].name);
        plan->metrics[i].regex = xstrdup(spec->metrics[i].regex);
    }
}

static struct worker_plan *plan_frame(const struct launch_input *input, int worker)
{
    const struct job_spec *spec = input->spec;
    struct worker_plan *plan = xcalloc(1, sizeof *plan);
    auto_free char *folder = worker_folder(input->job_folder, input->attempt, worker);
    int64_t left_s = spec->max_run_s - input->used_run_s;

    plan->job_id = xstrdup(input->job_id);
    plan->job_name = xstrdup(spec->name ? spec->name : "");
    plan->attempt = input->attempt;
    plan->worker = worker;
    plan->worker_count = spec->instance_count;
    plan->world_size = launch_log_count(spec, input->profile);
    plan->local_processes = launch_processes_per_host(spec, input->profile);
    plan->isolate = input->isolate;
    plan->ml_folder = input->isolate ? xstrdup(ML_FOLDER) : xasprintf("%s/ml", folder);
    plan->work_folder = xasprintf("%s/%s", plan->ml_folder,
                                  input->source_archive ? "code" : "output/data");
    plan->checkpoint_path = checkpoint_path(input, plan->ml_folder);
    plan->memory_bytes = memory_limit(input);
    plan->source_archive = xstrdup(input->source_archive);
    plan->rank_log_bytes = input->rank_log_bytes;
    /* 0 would be none. */
    plan->max_run_s = spec->max_run_s > 0 && left_s < 1 ? 1 : left_s;
    plan->grace_s = spec->grace_s;
    fill_hosts(plan, input);
    fill_staging(plan, input);
    fill_metrics(plan, spec);
    return plan;
}

static char **rank_argv(const struct launch_input *input,
                        const struct worker_plan *plan,
                        const struct mpi_options *options,
                        const struct launch_place *place)
{
    if (place->kind == RANK_REMOTE)
        return xcalloc(1, sizeof(char *));
    if (by_torchrun(input->spec))
        return torchrun_argv(input, place->worker);
    if (place->kind == RANK_LAUNCHER)
        return launch_mpirun_argv(input, plan, options, program_argv(input));
    return program_argv(input);
}

static int check_variables(char *const *env, struct err *err)
{
    for (; *env; env++)
        if (strlen(*env) > LAUNCH_VARIABLE_MAX)
            return err_set(err, ERR_LIMIT,
                           "the variable %.*s has %zu bytes, at most %d are possible",
                           (int)strcspn(*env, "="), *env, strlen(*env),
                           LAUNCH_VARIABLE_MAX);
    return 0;
}

static int fill_rank(struct worker_plan *plan, const struct launch_input *input,
                     const struct env *shared, const struct mpi_options *options,
                     const struct launch_place *place, struct err *err)
{
    auto_env struct env env = env_copy(shared);
    struct rank_plan *rank = &plan->ranks[plan->rank_count++];

    launch_env_rank(&env, input, plan, place);
    launch_env_spec(&env, input, place->worker);
    rank->kind = place->kind;
    rank->rank = place->rank;
    rank->local_rank = place->local_rank;
    rank->argv = rank_argv(input, plan, options, place);
    rank->env = env_words(&env);
    return check_variables(rank->env, err);
}

/* The places of one worker; at most one more than processes. */
static size_t place_ranks(const struct launch_input *input,
                          const struct worker_plan *plan, struct launch_place *places)
{
    const struct job_spec *spec = input->spec;
    int processes = plan->local_processes;
    int worker = plan->worker;
    size_t used = 0;

    if (has_launcher(spec)) {
        bool remote = spec->distribution == DISTRIBUTION_MPI && worker > 0;

        places[used++] = (struct launch_place){ remote ? RANK_REMOTE : RANK_LAUNCHER,
                                                worker, worker, 0, processes };
        return used;
    }
    for (int i = 0; i < processes; i++)
        places[used++] = (struct launch_place){ RANK_PROGRAM, worker,
                                                worker * processes + i, i, processes };
    if (has_servers(spec))
        places[used++] =
            (struct launch_place){ RANK_SERVER, worker,
                                   launch_program_count(spec, input->profile) + worker,
                                   processes, processes };
    return used;
}

static int fill_ranks(struct worker_plan *plan, const struct launch_input *input,
                      const struct mpi_options *options, struct err *err)
{
    size_t room = (size_t)plan->local_processes + 1;
    auto_free struct launch_place *places = xcalloc(room, sizeof *places);
    auto_free char *args = user_args(input->spec);
    auto_env struct env shared = { 0 };
    size_t count = place_ranks(input, plan, places);

    launch_env_shared(&shared, input, plan, args);
    if (input->spec->distribution == DISTRIBUTION_MPI)
        launch_env_mpi(&shared, input, options);
    plan->ranks = xcalloc(count, sizeof *plan->ranks);
    for (size_t i = 0; i < count; i++)
        if (fill_rank(plan, input, &shared, options, &places[i], err) < 0)
            return -1;
    return 0;
}

int launch_plan_make(const struct launch_input *input, int worker,
                     struct worker_plan **out, struct err *err)
{
    const struct job_spec *spec = input->spec;
    struct mpi_options options;
    struct worker_plan *plan;
    int result;

    assert(worker >= 0 && worker < spec->instance_count);
    if (strcmp(spec->instance_type, input->profile->name) != 0)
        return err_set(err, ERR_INVALID, "instance_type is %s, the profile is %s's",
                       spec->instance_type, input->profile->name);
    if (!spec->entry_point && !(spec->command && spec->command[0]))
        return err_set(err, ERR_INVALID, "neither entry_point nor command is given");
    if (mpi_options_read(spec->custom_mpi_options, &options, err) < 0)
        return -1;
    plan = plan_frame(input, worker);
    result = fill_ranks(plan, input, &options, err);
    mpi_options_clear(&options);
    if (result < 0) {
        worker_plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}
