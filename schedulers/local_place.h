#ifndef SCHEDULERS_LOCAL_PLACE_H
#define SCHEDULERS_LOCAL_PLACE_H

#include "schedulers/scheduler.h"

/* What this machine permits us to give to workers, found out once. */

struct local_place {
    char *cgroup_base; /* version 2, or NULL */
    char *memory_base; /* version 1, memory controller, or NULL */
    char *why_not;     /* workers cannot be isolated; NULL: they can */
};

void local_place_open(const struct sched_settings *settings, struct local_place *out);
void local_place_close(struct local_place *place);

/** The name of a worker's cgroup beneath `base` (NULL gives NULL). The caller frees. */
char *local_place_cgroup(const char *base, const struct worker_ref *worker);

void local_place_traits(const struct local_place *place, struct sched_traits *out);

#endif
