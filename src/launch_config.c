/* The files that SageMaker puts into /opt/ml/input/config, from the spec and the hosts.
 * Decides their members; who writes them is the worker. */

#include "src/launch_config.h"

#include "src/json.h"
#include "src/python_text.h"

#include <stdlib.h>

/* As SageMaker calls it when a job has no groups of its own. */
const char launch_group_name[] = "homogeneousCluster";

struct cJSON *launch_host_names(const struct launch_input *input)
{
    struct cJSON *names = json_array_new();

    for (int i = 0; i < input->spec->instance_count; i++)
        json_append_text(names, input->hosts[i].name);
    return names;
}

struct cJSON *launch_instance_group(const struct launch_input *input)
{
    struct cJSON *group = json_object_new();

    json_set_text(group, "instance_group_name", launch_group_name);
    json_set_text(group, "instance_type", input->profile->name);
    json_set(group, "hosts", launch_host_names(input));
    return group;
}

/* The order of the hosts is that of the workers, so that a host's place in the list is
 * its rank; SageMaker sorts them as text, which is the same below ten. */
struct cJSON *launch_resource_config(const struct launch_input *input, int worker)
{
    struct cJSON *config = json_object_new();
    struct cJSON *groups = json_array_new();

    json_append(groups, launch_instance_group(input));
    json_set_text(config, "current_host", input->hosts[worker].name);
    json_set_text(config, "current_instance_type", input->profile->name);
    json_set_text(config, "current_group_name", launch_group_name);
    json_set(config, "hosts", launch_host_names(input));
    json_set(config, "instance_groups", groups);
    json_set_text(config, "network_interface_name",
                  input->network_interface ? input->network_interface : "eth0");
    json_set_null(config, "topology");
    return config;
}

struct cJSON *launch_input_data_config(const struct job_spec *spec)
{
    struct cJSON *config = json_object_new();

    for (size_t i = 0; i < spec->channel_count; i++) {
        const struct channel *channel = &spec->channels[i];
        struct cJSON *item = json_object_new();

        json_set_text(item, "TrainingInputMode", channel_mode_names[channel->mode]);
        json_set_text(item, "S3DistributionType",
                      channel_distribution_names[channel->distribution]);
        json_set_text(item, "RecordWrapperType",
                      channel_records_names[channel->records]);
        json_set_text(item, "CompressionType",
                      channel_compression_names[channel->compression]);
        if (channel->content_type)
            json_set_text(item, "ContentType", channel->content_type);
        json_set(config, channel->name, item);
    }
    return config;
}

char *launch_value_text(const struct cJSON *value)
{
    if (json_kind(value) == JSON_NULL)
        return xstrdup("");
    if (json_kind(value) == JSON_TEXT)
        return xstrdup(json_text(value));
    return python_json(value);
}

static struct cJSON *hyperparameter_texts(const struct cJSON *hyperparameters)
{
    struct cJSON *texts = json_object_new();

    json_each (member, hyperparameters) {
        auto_free char *text = launch_value_text(member);

        json_set_text(texts, json_name(member), text);
    }
    return texts;
}

void launch_config_add(struct worker_plan *plan, const char *name, const char *text)
{
    plan->configs =
        xrealloc(plan->configs, (plan->config_count + 1) * sizeof *plan->configs);
    plan->configs[plan->config_count++] =
        (struct config_file){ .name = xstrdup(name), .text = xstrdup(text) };
}

/* Takes the JSON. */
static void add_json(struct worker_plan *plan, const char *name, struct cJSON *json)
{
    auto_free char *text = python_json(json);

    launch_config_add(plan, name, text);
    json_free(json);
}

void launch_configs_add(struct worker_plan *plan, const struct launch_input *input)
{
    add_json(plan, "hyperparameters.json",
             hyperparameter_texts(input->spec->hyperparameters));
    add_json(plan, "resourceconfig.json", launch_resource_config(input, plan->worker));
    add_json(plan, "inputdataconfig.json", launch_input_data_config(input->spec));
    if (plan->checkpoint_uri) {
        struct cJSON *config = json_object_new();

        json_set_text(config, "LocalPath", plan->checkpoint_path);
        add_json(plan, "checkpointconfig.json", config);
    }
}
