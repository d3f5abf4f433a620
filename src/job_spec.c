/*
 * A job's spec as a value: its words, its JSON form and its end.  What a spec may say
 * is decided in the files job_spec_*.c beside it.
 */

#include "src/job_spec.h"

#include "src/job_spec_members.h"
#include "src/text.h"

#include <stdlib.h>

/* clang-format off */
static const char *const distribution_names[] = {
    [DISTRIBUTION_NONE]              = "none",
    [DISTRIBUTION_TORCH_DISTRIBUTED] = "torch_distributed",
    [DISTRIBUTION_MPI]               = "mpi",
    [DISTRIBUTION_PARAMETER_SERVER]  = "parameter_server",
    [DISTRIBUTION_MULTI_WORKER_MIRRORED] = "multi_worker_mirrored_strategy",
};
/* clang-format on */

const char *const framework_names[] = {
    [FRAMEWORK_PYTORCH] = "pytorch",
    [FRAMEWORK_TENSORFLOW] = "tensorflow",
    [FRAMEWORK_MPI] = "mpi",
    [FRAMEWORK_PLAIN] = "plain",
    NULL,
};

const char *const launcher_names[] = {
    [LAUNCHER_RAILHEAD] = "railhead",
    [LAUNCHER_TORCHRUN] = "torchrun",
    NULL,
};

const char *const goal_names[] = {
    [GOAL_MAXIMIZE] = "maximize",
    [GOAL_MINIMIZE] = "minimize",
    NULL,
};

const char *distribution_name(enum distribution distribution)
{
    return distribution_names[distribution];
}

const char *launcher_name(enum launcher launcher)
{
    return launcher_names[launcher];
}

const char *framework_name(enum framework framework)
{
    return framework_names[framework];
}

const char *goal_name(enum goal goal)
{
    return goal_names[goal];
}

/* What is not said has no member: null would have to be refused on the way back. */
static void set_text(struct cJSON *json, const char *name, const char *text)
{
    if (text)
        json_set_text(json, name, text);
}

static void set_number(struct cJSON *json, const char *name, const char *number)
{
    if (number)
        json_set_number(json, name, number);
}

static struct cJSON *command_to_json(char *const *command)
{
    struct cJSON *words = json_array_new();

    for (size_t i = 0; command[i]; i++)
        json_append_text(words, command[i]);
    return words;
}

static struct cJSON *metrics_to_json(const struct job_spec *spec)
{
    struct cJSON *metrics = json_array_new();

    for (size_t i = 0; i < spec->metric_count; i++) {
        struct cJSON *metric = json_object_new();

        json_set_text(metric, "name", spec->metrics[i].name);
        json_set_text(metric, "regex", spec->metrics[i].regex);
        json_append(metrics, metric);
    }
    return metrics;
}

static struct cJSON *work_to_json(const struct job_spec *spec)
{
    struct cJSON *work = json_object_new();

    json_set_text(work, "unit", spec->work_unit);
    set_text(work, "metric", spec->work_metric);
    set_number(work, "planned", spec->work_planned);
    set_number(work, "amount", spec->work_amount);
    return work;
}

static struct cJSON *objective_to_json(const struct job_spec *spec)
{
    struct cJSON *objective = json_object_new();

    json_set_text(objective, "metric", spec->objective_metric);
    json_set_text(objective, "goal", goal_name(spec->objective_goal));
    set_number(objective, "target", spec->objective_target);
    return objective;
}

static struct cJSON *fake_to_json(const struct fake_behaviour *fake)
{
    struct cJSON *json = json_object_new();

    json_set_int(json, "start_ms", fake->start_ms);
    json_set_int(json, "run_ms", fake->run_ms);
    json_set_int(json, "exit_code", fake->exit_code);
    json_set_int(json, "worker", fake->worker);
    json_set_bool(json, "ignore_stop", fake->ignore_stop);
    json_set_bool(json, "lost", fake->lost);
    return json;
}

struct cJSON *job_spec_to_json(const struct job_spec *spec)
{
    struct cJSON *json = json_object_new();
    char budget[MONEY_TEXT_SIZE];

    set_text(json, "name", spec->name);
    set_text(json, "base_name", spec->base_name);
    set_text(json, "entry_point", spec->entry_point);
    if (spec->command)
        json_set(json, "command", command_to_json(spec->command));
    set_text(json, "source_dir", spec->source_dir);
    json_set_text(json, "framework", framework_name(spec->framework));
    set_text(json, "python", spec->python);
    json_set_text(json, "instance_type", spec->instance_type);
    json_set_int(json, "instance_count", spec->instance_count);
    json_set(json, "distribution", spec_distribution_to_json(spec));
    json_set(json, "hyperparameters", json_copy(spec->hyperparameters));
    json_set(json, "environment", json_copy(spec->environment));
    spec_inputs_to_json(spec, json);
    spec_outputs_to_json(spec, json);
    json_set(json, "metric_definitions", metrics_to_json(spec));
    if (spec->work_unit)
        json_set(json, "work", work_to_json(spec));
    if (spec->objective_metric)
        json_set(json, "objective", objective_to_json(spec));
    json_set_int(json, "max_run", spec->max_run_s);
    if (spec->max_wait_s)
        json_set_int(json, "max_wait", spec->max_wait_s);
    json_set_int(json, "grace", spec->grace_s);
    json_set(json, "retry", spec_retry_to_json(spec));
    json_set_int(json, "keep_alive", spec->keep_alive_s);
    json_set_int(json, "priority", spec->priority);
    if (spec->budget)
        set_number(json, "budget_usd", money_format(spec->budget, budget));
    json_set(json, "tags", json_copy(spec->tags));
    if (spec->has_fake)
        json_set(json, "fake", fake_to_json(&spec->fake));
    return json;
}

static void strings_free(struct job_spec *spec)
{
    char *const strings[] = {
        spec->name,
        spec->base_name,
        spec->entry_point,
        spec->source_dir,
        spec->python,
        spec->instance_type,
        spec->work_unit,
        spec->work_metric,
        spec->work_amount,
        spec->work_planned,
        spec->objective_metric,
        spec->objective_target,
        spec->custom_mpi_options,
    };

    for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
        free(strings[i]);
}

void job_spec_free(struct job_spec *spec)
{
    if (!spec)
        return;
    strings_free(spec);
    spec_data_clear(spec);
    words_free(spec->command);
    json_free(spec->hyperparameters);
    json_free(spec->environment);
    json_free(spec->tags);
    for (size_t i = 0; i < spec->metric_count; i++) {
        free(spec->metrics[i].name);
        free(spec->metrics[i].regex);
    }
    free(spec->metrics);
    free(spec);
}

void job_spec_cleanup(struct job_spec **spec)
{
    job_spec_free(*spec);
}
