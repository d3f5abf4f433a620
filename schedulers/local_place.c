/* Finds out what this machine permits: cgroups, namespaces.  Each has something that
 * stands in for it, so nothing here fails; the log says what was found. */

#include "schedulers/local_place.h"

#include "schedulers/local_cgroup.h"
#include "src/log.h"
#include "src/namespaces.h"

#include <stdlib.h>
#include <unistd.h>

static char *why_not_isolated(const struct sched_settings *settings)
{
    struct err why;

    if (!settings->isolate)
        return xstrdup("isolate: false in the daemon's configuration");
    return namespaces_probe(&why) < 0 ? xstrdup(why.text) : NULL;
}

void local_place_open(const struct sched_settings *settings, struct local_place *out)
{
    out->cgroup_base = local_cgroup_base(settings->state_folder);
    out->memory_base = local_cgroup_memory_base(settings->state_folder);
    out->why_not = why_not_isolated(settings);
    log_info("local.place cgroup=%s memory_cgroup=%s isolates=%s%s%s",
             out->cgroup_base ? out->cgroup_base : "none",
             out->memory_base ? out->memory_base : "none", out->why_not ? "no" : "yes",
             out->why_not ? " why=" : "", out->why_not ? out->why_not : "");
}

/* The bases stay while a worker's is beneath them. */
void local_place_close(struct local_place *place)
{
    if (place->cgroup_base)
        rmdir(place->cgroup_base);
    if (place->memory_base)
        rmdir(place->memory_base);
    free(place->cgroup_base);
    free(place->memory_base);
    free(place->why_not);
}

char *local_place_cgroup(const char *base, const struct worker_ref *worker)
{
    if (!base)
        return NULL;
    return xasprintf("%s/%s-%d-%d", base, worker->job_id, worker->attempt,
                     worker->worker);
}

void local_place_traits(const struct local_place *place, struct sched_traits *out)
{
    *out = (struct sched_traits){ .network_interface = "lo",
                                  .isolates = !place->why_not,
                                  .why_not = place->why_not,
                                  .hosts_share_one = true };
}
