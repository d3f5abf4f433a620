/* SM_TRAINING_ENV: all that SageMaker's training toolkit knows of a job, as one JSON
 * object; and what it calls the framework.  Decides their members only: what a variable
 * says as well is taken from it. */

#include "src/json.h"
#include "src/launch_config.h"
#include "src/launch_private.h"
#include "src/python_text.h"

#include <string.h>

const char *launch_framework_module(const struct job_spec *spec)
{
    switch (spec->framework) {
    case FRAMEWORK_PYTORCH:
        return "sagemaker_pytorch_container.training:main";
    case FRAMEWORK_TENSORFLOW:
        return "sagemaker_tensorflow_container.training:main";
    case FRAMEWORK_MPI:
    case FRAMEWORK_PLAIN:
        break;
    }
    return "";
}

struct cJSON *launch_framework_params(const struct job_spec *spec)
{
    struct cJSON *params = json_object_new();

    switch (spec->distribution) {
    case DISTRIBUTION_NONE:
        break;
    case DISTRIBUTION_TORCH_DISTRIBUTED:
        json_set_bool(params, "sagemaker_torch_distributed_enabled", true);
        json_set_text(params, "sagemaker_instance_type", spec->instance_type);
        break;
    case DISTRIBUTION_MPI:
        json_set_bool(params, "sagemaker_mpi_enabled", true);
        json_set_text(params, "sagemaker_mpi_custom_mpi_options",
                      spec->custom_mpi_options ? spec->custom_mpi_options : "");
        if (spec->processes_per_host > 0)
            json_set_int(params, "sagemaker_mpi_num_of_processes_per_host",
                         spec->processes_per_host);
        break;
    case DISTRIBUTION_PARAMETER_SERVER:
        json_set_bool(params, "sagemaker_parameter_server_enabled", true);
        break;
    case DISTRIBUTION_MULTI_WORKER_MIRRORED:
        json_set_bool(params, "sagemaker_multi_worker_mirrored_strategy_enabled", true);
        break;
    }
    return params;
}

/* Members that a variable has as text, or as a number. */
static void add_from_env(struct cJSON *all, const struct env *env)
{
    static const struct {
        const char *member;
        const char *variable;
        bool number;
    } members[] = {
        { "current_host", "SM_CURRENT_HOST", false },
        { "current_instance_type", "SM_CURRENT_INSTANCE_TYPE", false },
        { "current_instance_group", "SM_CURRENT_INSTANCE_GROUP", false },
        { "network_interface_name", "SM_NETWORK_INTERFACE_NAME", false },
        { "input_dir", "SM_INPUT_DIR", false },
        { "input_config_dir", "SM_INPUT_CONFIG_DIR", false },
        { "model_dir", "SM_MODEL_DIR", false },
        { "output_dir", "SM_OUTPUT_DIR", false },
        { "output_data_dir", "SM_OUTPUT_DATA_DIR", false },
        { "output_intermediate_dir", "SM_OUTPUT_INTERMEDIATE_DIR", false },
        { "module_dir", "SM_MODULE_DIR", false },
        { "module_name", "SM_MODULE_NAME", false },
        { "user_entry_point", "SM_USER_ENTRY_POINT", false },
        { "framework_module", "SM_FRAMEWORK_MODULE", false },
        { "log_level", "SM_LOG_LEVEL", true },
        { "num_cpus", "SM_NUM_CPUS", true },
        { "num_gpus", "SM_NUM_GPUS", true },
        { "num_neurons", "SM_NUM_NEURONS", true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        const char *value = env_get(env, members[i].variable);

        if (value && members[i].number)
            json_set_number(all, members[i].member, value);
        else
            json_set_text(all, members[i].member, value);
    }
}

static void add_groups(struct cJSON *all, const struct launch_input *input)
{
    struct cJSON *names = json_array_new();
    struct cJSON *groups = json_object_new();

    json_append_text(names, launch_group_name);
    json_set(all, "instance_groups", names);
    json_set(groups, launch_group_name, launch_instance_group(input));
    json_set(all, "instance_groups_dict", groups);
    json_set(all, "current_instance_group_hosts", launch_host_names(input));
    json_set(all, "distribution_hosts", launch_host_names(input));
    json_set(all, "distribution_instance_groups", json_array_new());
    json_set_bool(all, "is_hetero", false);
}

static struct cJSON *channel_folders(const struct launch_input *input,
                                     const struct worker_plan *plan)
{
    struct cJSON *folders = json_object_new();

    for (size_t i = 0; i < input->spec->channel_count; i++) {
        const char *name = input->spec->channels[i].name;
        auto_free char *folder = xasprintf("%s/input/data/%s", plan->ml_folder, name);

        json_set_text(folders, name, folder);
    }
    return folders;
}

char *launch_training_env(const struct launch_input *input,
                          const struct worker_plan *plan, const struct env *env)
{
    auto_json struct cJSON *all = json_object_new();

    add_from_env(all, env);
    add_groups(all, input);
    json_set(all, "hosts", launch_host_names(input));
    json_set_text(all, "master_hostname", input->hosts[0].name);
    json_set_bool(all, "is_master", plan->worker == 0);
    json_set_text(all, "job_name", plan->job_name);
    json_set(all, "hyperparameters", json_copy(input->spec->hyperparameters));
    json_set(all, "additional_framework_parameters",
             launch_framework_params(input->spec));
    json_set(all, "channel_input_dirs", channel_folders(input, plan));
    json_set(all, "input_data_config", launch_input_data_config(input->spec));
    json_set(all, "resource_config", launch_resource_config(input, plan->worker));
    return python_json(all);
}
