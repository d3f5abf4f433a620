/* One cgroup v2 folder: made, killed, asked, removed.  Which folder is the scheduler's
 * business; which limits it has too. */

#include "src/worker/cgroup.h"

#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* memory.events is ten short lines. */
enum {
    EVENTS_MAX = 4096
};

int cgroup_open(const char *path, struct cgroup *out, struct err *err)
{
    *out = (struct cgroup){ .fd = -1 };
    if (!path)
        return 0;
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_sys(err, errno, "make %s", path);
    out->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->fd < 0)
        return err_sys(err, errno, "open %s", path);
    out->path = xstrdup(path);
    return 0;
}

void cgroup_kill(const struct cgroup *cgroup)
{
    auto_close int fd = -1;

    if (cgroup->fd < 0)
        return;
    fd = openat(cgroup->fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) /* kernels before 5.14 have no such file: the walk does it then */
        (void)!write(fd, "1", 1);
}

int64_t cgroup_oom_kills(const struct cgroup *cgroup)
{
    auto_free char *events = NULL;
    const char *line;

    if (cgroup->fd < 0
        || file_read_at(cgroup->fd, "memory.events", EVENTS_MAX, &events, NULL, NULL)
               < 0)
        return 0;
    line = strstr(events, "oom_kill ");
    return line ? strtoll(line + strlen("oom_kill "), NULL, 10) : 0;
}

void cgroup_leave(struct cgroup *cgroup)
{
    if (cgroup->fd >= 0)
        close(cgroup->fd);
    cgroup->fd = -1;
}

void cgroup_close(struct cgroup *cgroup)
{
    cgroup_leave(cgroup);
    if (cgroup->path)
        rmdir(cgroup->path);
    free(cgroup->path);
    cgroup->path = NULL;
}
