#ifndef SRC_CGROUP_FOLDER_H
#define SRC_CGROUP_FOLDER_H

#include "src/base.h"

/** The folder of this process's own cgroup: of version 2 when `controller` is NULL,
 * else of the version 1 hierarchy that has the controller ("memory").  NULL when there
 * is none, or it is not mounted where we can see it.  The caller frees. */
char *cgroup_folder(const char *controller);

/** The same from the texts of /proc/self/mountinfo and /proc/self/cgroup; pure. */
char *cgroup_folder_from(const char *mountinfo, const char *own,
                         const char *controller);

#endif
