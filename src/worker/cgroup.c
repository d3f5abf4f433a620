/* The cgroups of a worker's ranks: made, limited, killed, asked, removed.  Which
 * folders they are is the scheduler's business, how much memory the plan's. */

#include "src/worker/cgroup.h"

#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* memory.events and memory.oom_control are some ten short lines. */
enum {
    EVENTS_MAX = 4096
};

static int make_folder(const char *path, struct err *err)
{
    int fd;

    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_sys(err, errno, "make %s", path);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? err_sys(err, errno, "open %s", path) : fd;
}

int cgroup_open(const char *path, struct cgroup *out, struct err *err)
{
    *out = (struct cgroup){ .fd = -1 };
    if (!path)
        return 0;
    out->fd = make_folder(path, err);
    if (out->fd < 0)
        return -1;
    out->path = xstrdup(path);
    return 0;
}

static int write_file(int folder, const char *name, const char *words)
{
    auto_close int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, words, strlen(words)) >= 0 ? 0 : -1;
}

/* Swap is no memory of an instance's; where the kernel does not account for it, memory
 * alone is limited. */
static int set_limit(int folder, const char *path, bool first_version,
                     int64_t limit_bytes, struct err *err)
{
    const char *name = first_version ? "memory.limit_in_bytes" : "memory.max";
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, limit_bytes);
    if (write_file(folder, name, digits) < 0)
        return err_sys(err, errno, "limit memory by %s/%s", path, name);
    /* Version 1 limits the sum of both. */
    if (first_version)
        (void)write_file(folder, "memory.memsw.limit_in_bytes", digits);
    else
        (void)write_file(folder, "memory.swap.max", "0");
    return 0;
}

static int open_memory(struct cgroup *cgroup, const char *path, struct err *err)
{
    int fd = make_folder(path, err);

    if (fd < 0)
        return -1;
    cgroup->memory_fd = fd;
    cgroup->memory_path = xstrdup(path);
    fd = openat(cgroup->memory_fd, "tasks", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "open %s/tasks", path);
    cgroup->tasks_fd = fd;
    return 0;
}

int cgroup_limit_memory(struct cgroup *cgroup, const char *memory_path,
                        int64_t limit_bytes, struct err *err)
{
    bool second_version =
        cgroup->fd >= 0 && faccessat(cgroup->fd, "memory.max", F_OK, 0) == 0;

    if (second_version)
        return limit_bytes
                   ? set_limit(cgroup->fd, cgroup->path, false, limit_bytes, err)
                   : 0;
    if (!memory_path)
        return 0;
    if (open_memory(cgroup, memory_path, err) < 0)
        return -1;
    return limit_bytes
               ? set_limit(cgroup->memory_fd, memory_path, true, limit_bytes, err)
               : 0;
}

void cgroup_kill(const struct cgroup *cgroup)
{
    /* Kernels before 5.14 have no such file: the walk does it then. */
    if (cgroup->fd >= 0)
        (void)write_file(cgroup->fd, "cgroup.kill", "1");
}

/* -1: there is no such count. */
static int64_t count_kills(int folder, const char *name)
{
    static const char word[] = "\noom_kill ";
    auto_free char *events = NULL;
    const char *line;

    if (file_read_at(folder, name, EVENTS_MAX, &events, NULL, NULL) < 0)
        return -1;
    line = strstr(events, word);
    return line ? strtoll(line + strlen(word), NULL, 10) : -1;
}

int64_t cgroup_all_oom_kills(const struct cgroup *cgroup)
{
    int64_t kills = -1;

    if (cgroup->fd >= 0)
        kills = count_kills(cgroup->fd, "memory.events");
    if (kills < 0 && cgroup->memory_fd > 0)
        kills = count_kills(cgroup->memory_fd, "memory.oom_control");
    return kills < 0 ? 0 : kills;
}

int64_t cgroup_oom_kills(const struct cgroup *cgroup)
{
    return cgroup_all_oom_kills(cgroup) - cgroup->old_kills;
}

void cgroup_settle_kills(struct cgroup *cgroup)
{
    cgroup->old_kills = cgroup->new_kills;
    cgroup->new_kills = cgroup_all_oom_kills(cgroup);
}

void cgroup_leave(struct cgroup *cgroup)
{
    if (cgroup->fd >= 0)
        close(cgroup->fd);
    cgroup->fd = -1;
}

static void remove_folder(char **path)
{
    if (*path)
        rmdir(*path);
    free(*path);
    *path = NULL;
}

void cgroup_close(struct cgroup *cgroup)
{
    cgroup_leave(cgroup);
    if (cgroup->tasks_fd > 0)
        close(cgroup->tasks_fd);
    if (cgroup->memory_fd > 0)
        close(cgroup->memory_fd);
    cgroup->tasks_fd = 0;
    cgroup->memory_fd = 0;
    remove_folder(&cgroup->path);
    remove_folder(&cgroup->memory_path);
}
