/* What exports of charges say of whom is billed, and of instance types.  Exports
 * nothing. */

#include "daemon/jobs_private.h"

#include <string.h>

/* Property names of FOCUS 1.2, Sku Price Details, where it has one; memory is in GiB.
 */
static struct cJSON *facts_of(const struct profile *profile)
{
    struct cJSON *facts = json_object_new();
    bool has_gpus = strcmp(profile->accelerator_kind, "gpu") == 0;

    json_set_int(facts, "CoreCount", profile->vcpus);
    json_set_int(facts, "GpuCount", has_gpus ? profile->accelerator_count : 0);
    json_set_double(facts, "MemorySize", (double)profile->memory_mib / 1024);
    if (profile->accelerator_name)
        json_set_text(facts, "x_Accelerator", profile->accelerator_name);
    if (profile->neuron_cores > 0)
        json_set_int(facts, "x_NeuronCoreCount", profile->neuron_cores);
    return facts;
}

struct cJSON *jobs_export_facts(struct jobs *jobs)
{
    struct cJSON *facts = json_object_new();
    struct cJSON *account = json_object_new();
    struct cJSON *types = json_object_new();

    if (jobs->config->account_id)
        json_set_text(account, "id", jobs->config->account_id);
    if (jobs->config->account_name)
        json_set_text(account, "name", jobs->config->account_name);
    for (size_t i = 0; i < jobs->catalog->count; i++)
        json_set(types, jobs->catalog->profiles[i].name,
                 facts_of(&jobs->catalog->profiles[i]));
    json_set(facts, "account", account);
    json_set(facts, "instance_types", types);
    return facts;
}
