/* From spec, profile and hosts to what every rank runs.  Decides command lines, ranks
 * and folders; the environment is launch_env's, the plan as JSON worker_plan's. */

#include "src/launch_plan.h"

#include "src/json.h"
#include "src/launch_env.h"
#include "src/python_text.h"
#include "src/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a rank has when the spec says little, and of that what names one host. */
enum {
    RANK_BYTES = 4096,
    HOST_BYTES = 16
};

static int processes_per_host(const struct job_spec *spec,
                              const struct profile *profile)
{
    if (spec->distribution != DISTRIBUTION_TORCH_DISTRIBUTED)
        return 1;
    if (spec->processes_per_host > 0)
        return spec->processes_per_host;
    return profile_default_processes(profile);
}

int launch_world_size(const struct job_spec *spec, const struct profile *profile)
{
    return spec->instance_count * processes_per_host(spec, profile);
}

/* The environment has the hyperparameters twice, the command line once. */
int64_t launch_size(const struct job_spec *spec, const struct profile *profile)
{
    auto_free char *hyperparameters = json_print(spec->hyperparameters);
    auto_free char *environment = json_print(spec->environment);
    size_t size = RANK_BYTES + HOST_BYTES * (size_t)spec->instance_count
                  + 3 * strlen(hyperparameters) + strlen(environment);

    for (size_t i = 0; spec->command && spec->command[i]; i++)
        size += strlen(spec->command[i]) + 1;
    return (int64_t)size * launch_world_size(spec, profile);
}

static bool by_torchrun(const struct job_spec *spec)
{
    return spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED
           && spec->launcher == LAUNCHER_TORCHRUN;
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

/* What follows the interpreter, or torchrun's own arguments. */
static void add_program(char ***argv, const struct job_spec *spec)
{
    if (spec->command) {
        add_command(argv, spec->command);
        return;
    }
    words_add(argv, xstrdup(spec->entry_point));
    add_hyperparameters(argv, spec->hyperparameters);
}

static char **rank_argv(const struct launch_input *input)
{
    const struct job_spec *spec = input->spec;
    char **argv = NULL;

    if (!spec->command)
        words_add(&argv,
                  xstrdup(is_shell_script(spec->entry_point) ? "/bin/sh"
                                                             : python_of(input)));
    add_program(&argv, spec);
    return argv;
}

/* A spec with this launcher has an entry point in Python: job_spec_parse sees to it. */
static char **torchrun_argv(const struct launch_input *input, int worker)
{
    const struct job_spec *spec = input->spec;
    char **argv = NULL;

    words_add(&argv, xstrdup(python_of(input)));
    if (input->torchrun_wrapper) {
        words_add(&argv, xstrdup(input->torchrun_wrapper));
    } else {
        words_add(&argv, xstrdup("-m"));
        words_add(&argv, xstrdup("torch.distributed.run"));
    }
    words_add(&argv, xasprintf("--nnodes=%d", spec->instance_count));
    words_add(&argv, xasprintf("--nproc_per_node=%d",
                               processes_per_host(spec, input->profile)));
    words_add(&argv, xasprintf("--node_rank=%d", worker));
    words_add(&argv, xasprintf("--master_addr=%s", input->hosts[0].address));
    words_add(&argv, xasprintf("--master_port=%d", input->port));
    words_add(&argv, xasprintf("--rdzv_id=%s", input->job_id));
    add_program(&argv, spec);
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

static struct worker_plan *plan_frame(const struct launch_input *input, int worker)
{
    const struct job_spec *spec = input->spec;
    struct worker_plan *plan = xcalloc(1, sizeof *plan);
    auto_free char *folder = worker_folder(input->job_folder, input->attempt, worker);

    plan->job_id = xstrdup(input->job_id);
    plan->job_name = xstrdup(spec->name ? spec->name : "");
    plan->attempt = input->attempt;
    plan->worker = worker;
    plan->world_size = by_torchrun(spec) ? spec->instance_count
                                         : launch_world_size(spec, input->profile);
    plan->worker_count = spec->instance_count;
    plan->isolate = input->isolate;
    plan->host_name = xstrdup(input->hosts[worker].name);
    plan->ml_folder = input->isolate ? xstrdup("/opt/ml") : xasprintf("%s/ml", folder);
    plan->work_folder = xasprintf(
        "%s/%s", plan->ml_folder, input->source_archive ? "code" : "output/data");
    plan->checkpoint_path = xasprintf("%s/checkpoints", plan->ml_folder);
    plan->source_archive = xstrdup(input->source_archive);
    plan->max_run_s = spec->max_run_s;
    plan->grace_s = spec->grace_s;
    plan->metric_count = spec->metric_count;
    plan->metrics = xcalloc(spec->metric_count, sizeof *plan->metrics);
    for (size_t i = 0; i < spec->metric_count; i++) {
        plan->metrics[i].name = xstrdup(spec->metrics[i].name);
        plan->metrics[i].regex = xstrdup(spec->metrics[i].regex);
    }
    return plan;
}

static void fill_rank(struct rank_plan *rank, const struct launch_input *input,
                      const struct env *shared, const struct launch_place *place)
{
    auto_env struct env env = env_copy(shared);
    bool torchrun = by_torchrun(input->spec);

    if (input->spec->distribution == DISTRIBUTION_TORCH_DISTRIBUTED && !torchrun)
        launch_env_torch(&env, input, place);
    launch_env_spec(&env, input, place->worker);
    rank->rank = place->rank;
    rank->local_rank = place->local_rank;
    rank->argv = torchrun ? torchrun_argv(input, place->worker) : rank_argv(input);
    rank->env = env_words(&env);
}

/* One process a rank; under torchrun one agent, which starts the ranks itself. */
static void fill_ranks(struct worker_plan *plan, const struct launch_input *input)
{
    int processes = processes_per_host(input->spec, input->profile);
    int local = by_torchrun(input->spec) ? 1 : processes;
    auto_free char *args = user_args(input->spec);
    auto_env struct env shared = { 0 };

    launch_env_shared(&shared, input, plan, processes, args);
    plan->rank_count = (size_t)local;
    plan->ranks = xcalloc(plan->rank_count, sizeof *plan->ranks);
    for (int i = 0; i < local; i++) {
        struct launch_place place = { .worker = plan->worker,
                                      .rank = plan->worker * local + i,
                                      .local_rank = i,
                                      .processes_per_host = processes };

        fill_rank(&plan->ranks[i], input, &shared, &place);
    }
}

int launch_plan_make(const struct launch_input *input, int worker,
                     struct worker_plan **out, struct err *err)
{
    const struct job_spec *spec = input->spec;
    struct worker_plan *plan;

    assert(worker >= 0 && worker < spec->instance_count);
    if (strcmp(spec->instance_type, input->profile->name) != 0)
        return err_set(err, ERR_INVALID, "instance_type is %s, the profile is %s's",
                       spec->instance_type, input->profile->name);
    if (!spec->entry_point && !(spec->command && spec->command[0]))
        return err_set(err, ERR_INVALID, "neither entry_point nor command is given");
    plan = plan_frame(input, worker);
    fill_ranks(plan, input);
    *out = plan;
    return 0;
}
