/*
 * TF_CONFIG, by which TensorFlow's processes find each other.  Decides roles and ports.
 *
 * TensorFlow's servers listen on all interfaces, and instances may share this machine,
 * so every process has a port of its own: the job's first port and its rank.
 */

#include "src/json.h"
#include "src/launch_private.h"
#include "src/python_text.h"

static void add_address(struct cJSON *list, const struct launch_input *input,
                        int worker, int rank)
{
    auto_free char *address =
        xasprintf("%s:%d", launch_host(input, worker), input->port + rank);

    json_append_text(list, address);
}

/* The ranks from `first` on. */
static struct cJSON *program_addresses(const struct launch_input *input,
                                       int processes_per_host, int first, int end)
{
    struct cJSON *list = json_array_new();

    for (int rank = first; rank < end; rank++)
        add_address(list, input, rank / processes_per_host, rank);
    return list;
}

static struct cJSON *server_addresses(const struct launch_input *input, int first)
{
    struct cJSON *list = json_array_new();

    for (int worker = 0; worker < input->spec->instance_count; worker++)
        add_address(list, input, worker, first + worker);
    return list;
}

static struct cJSON *task_new(const char *type, int index)
{
    struct cJSON *task = json_object_new();

    json_set_text(task, "type", type);
    json_set_int(task, "index", index);
    return task;
}

/* As SageMaker's TensorFlow image: the first process is the master, the others are
 * workers, and every instance has a server. */
static struct cJSON *server_task(const struct launch_place *place)
{
    if (place->kind == RANK_SERVER)
        return task_new("ps", place->worker);
    if (place->rank == 0)
        return task_new("master", 0);
    return task_new("worker", place->rank - 1);
}

char *launch_tf_config(const struct launch_input *input,
                       const struct launch_place *place)
{
    bool servers = input->spec->distribution == DISTRIBUTION_PARAMETER_SERVER;
    int processes = place->processes_per_host;
    int programs = processes * input->spec->instance_count;
    auto_json struct cJSON *config = json_object_new();
    struct cJSON *cluster = json_object_new();

    if (servers) {
        json_set(cluster, "master", program_addresses(input, processes, 0, 1));
        json_set(cluster, "ps", server_addresses(input, programs));
    }
    if (!servers || programs > 1)
        json_set(cluster, "worker",
                 program_addresses(input, processes, servers ? 1 : 0, programs));
    json_set(config, "cluster", cluster);
    json_set_text(config, "environment", "cloud");
    json_set(config, "task",
             servers ? server_task(place) : task_new("worker", place->rank));
    return python_json(config);
}
