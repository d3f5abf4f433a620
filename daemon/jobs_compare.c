/* What a comparison needs to know of instance types.  Compares nothing. */

#include "daemon/jobs_private.h"

struct cJSON *jobs_type_facts(struct jobs *jobs, usec_t wall)
{
    struct cJSON *types = json_object_new();

    for (size_t i = 0; i < jobs->catalog->count; i++) {
        const struct profile *profile = &jobs->catalog->profiles[i];
        const struct profile_price *price = jobs_price_of(jobs, profile, wall);
        struct cJSON *type = json_object_new();
        char amount[MONEY_TEXT_SIZE];

        json_set_int(type, "processes", profile_default_processes(profile));
        if (price) {
            json_set_text(type, "usd_per_hour", money_format(price->hourly, amount));
            json_set_text(type, "confidence", price->confidence);
        }
        json_set(types, profile->name, type);
    }
    return types;
}
