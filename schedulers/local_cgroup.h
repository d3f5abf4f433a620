#ifndef SCHEDULERS_LOCAL_CGROUP_H
#define SCHEDULERS_LOCAL_CGROUP_H

#include "src/base.h"
#include "src/err.h"
#include "src/loop.h"

/*
 * A cgroup v2 folder for each worker's processes: whatever they do (setsid, double
 * fork), cgroup.kill ends them all. Where there is none to be had (an ordinary user
 * without delegation, an old kernel) everything works by subreaper and process walk
 * instead.
 */

/** The folder beneath which workers' cgroups are made, e.g.
 * /sys/fs/cgroup/system.slice/railheadd.service/railhead-1f3a; NULL when there is no
 * writable cgroup v2 with cgroup.kill (Linux 5.14).  The caller frees. */
char *local_cgroup_base(const char *state_folder);

/** The same in the version 1 hierarchy of the memory controller, where the host has
 * one: workers are limited, and the kernel's kills are counted, there.  NULL when there
 * is none that we may write to.  The caller frees. */
char *local_cgroup_memory_base(const char *state_folder);

/** Ends cgroups whose workers are not there any more to do it. */
struct local_cgroups;

MUST_CHECK int local_cgroups_new(struct loop *loop, struct local_cgroups **out,
                                 struct err *err);
/** Those that are busy still stay behind, empty by and by. */
void local_cgroups_free(struct local_cgroups *cgroups);

/** Kills all in a worker's cgroup, of either version, and removes it, as soon as the
 * kernel is through with them; one that is gone, or NULL, is well. */
void local_cgroups_end(struct local_cgroups *cgroups, const char *path);

#endif
