/* Finds the cgroups beneath which those of workers may be made, and empties and removes
 * those of workers that are gone. */

#include "schedulers/local_cgroup.h"

#include "src/cgroup_folder.h"
#include "src/clock.h"
#include "src/digest.h"
#include "src/files.h"
#include "src/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PROC_FILE_MAX = 1 << 20,
    KILLS_AT_ONCE = 256 /* three system calls each: 1 ms of the daemon's time */
};

/* Who was killed is gone within milliseconds, save what waits for a device: a look
 * costs a few system calls a cgroup. */
#define REMOVE_AGAIN_USEC (200 * USEC_PER_MSEC)

struct listed {
    pid_t pid;
    int pidfd;
};

/* Not empty yet. */
struct busy_cgroup {
    char *path;
    LIST_ENTRY(busy_cgroup) in_list;
};

struct local_cgroups {
    struct loop_source *timer; /* set while there is one */
    LIST_HEAD(, busy_cgroup) busy;
};

/* A daemon whose own cgroup has this name has it in one that is delegated to it
 * (DelegateSubgroup= of the unit): those of its workers come beside, for the kernel
 * gives no controller to the children of a cgroup that has processes itself. */
static const char own_subgroup[] = "/daemon";

static char *delegated_folder(void)
{
    auto_free char *folder = cgroup_folder(NULL);
    size_t len = folder ? strlen(folder) : 0;
    size_t own = sizeof own_subgroup - 1;

    if (len > own && strcmp(folder + len - own, own_subgroup) == 0)
        folder[len - own] = '\0';
    return steal_ptr(&folder);
}

/* Beneath `parent`, named by the state folder, so that two daemons do not meet. */
static char *base_beneath(const char *parent, const char *state_folder)
{
    auto_free char *base = NULL;
    char hex[DIGEST_HEX_SIZE];

    digest_bytes(state_folder, strlen(state_folder), hex);
    hex[12] = '\0';
    base = xasprintf("%s/railhead-%s", parent, hex);
    if (mkdir(base, 0755) < 0 && errno != EEXIST)
        return NULL;
    return steal_ptr(&base);
}

static bool may_write(const char *folder, const char *name)
{
    auto_free char *path = xasprintf("%s/%s", folder, name);

    return access(path, W_OK) == 0;
}

/* Passes controllers on to what is beneath; one by one, for the kernel takes all of a
 * write or nothing, and few hosts have both.  Without them nothing is limited. */
static void pass_on_controllers(const char *folder)
{
    static const char *const controllers[] = { "+memory", "+io" };
    auto_free char *path = xasprintf("%s/cgroup.subtree_control", folder);
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(controllers); i++)
        (void)!write(fd, controllers[i], strlen(controllers[i]));
}

char *local_cgroup_base(const char *state_folder)
{
    auto_free char *parent = delegated_folder();
    auto_free char *base = parent ? base_beneath(parent, state_folder) : NULL;

    if (!base)
        return NULL;
    if (!may_write(base, "cgroup.kill")) {
        rmdir(base);
        return NULL;
    }
    pass_on_controllers(parent);
    pass_on_controllers(base);
    return steal_ptr(&base);
}

char *local_cgroup_memory_base(const char *state_folder)
{
    auto_free char *parent = cgroup_folder("memory");
    auto_free char *base = parent ? base_beneath(parent, state_folder) : NULL;

    if (!base)
        return NULL;
    if (!may_write(base, "memory.limit_in_bytes")) {
        rmdir(base);
        return NULL;
    }
    return steal_ptr(&base);
}

static char *read_processes(const char *path)
{
    auto_free char *list_path = xasprintf("%s/cgroup.procs", path);
    char *list = NULL;

    if (file_read(list_path, PROC_FILE_MAX, &list, NULL, NULL) < 0)
        return NULL;
    return list;
}

static bool is_listed(const char *list, pid_t pid)
{
    char *end;

    for (;; list = end) {
        long listed = strtol(list, &end, 10);

        if (end == list)
            return false;
        if (listed == pid)
            return true;
    }
}

/* The first of a list, opened. Gives how many. */
static size_t open_listed(const char *list, struct listed out[KILLS_AT_ONCE])
{
    size_t count = 0;
    char *end;

    for (; count < KILLS_AT_ONCE; list = end) {
        pid_t pid = (pid_t)strtol(list, &end, 10);
        int pidfd = end == list ? -1 : pidfd_open(pid, 0);

        if (end == list)
            break;
        if (pidfd >= 0)
            out[count++] = (struct listed){ pid, pidfd };
    }
    return count;
}

/* Version 1 has no cgroup.kill.  The pidfds are taken between two looks at the list, so
 * that a pid that was given anew is never hit. */
static void kill_listed(const char *path)
{
    auto_free char *before = read_processes(path);
    auto_free char *after = NULL;
    struct listed listed[KILLS_AT_ONCE];
    size_t count = before ? open_listed(before, listed) : 0;

    if (count > 0)
        after = read_processes(path);
    for (size_t i = 0; i < count; i++) {
        if (after && is_listed(after, listed[i].pid))
            process_kill(listed[i].pidfd, SIGKILL);
        close(listed[i].pidfd);
    }
}

static void kill_all(const char *path)
{
    auto_free char *kill_file = xasprintf("%s/cgroup.kill", path);
    auto_close int fd = open(kill_file, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        kill_listed(path);
    else
        (void)!write(fd, "1", 1);
}

/* What was left, or born, behind a look is met by the next one. */
static void end_busy(void *context)
{
    struct local_cgroups *cgroups = context;
    struct busy_cgroup *busy = LIST_FIRST(&cgroups->busy);

    while (busy) {
        struct busy_cgroup *next = LIST_NEXT(busy, in_list);

        kill_all(busy->path);
        if (rmdir(busy->path) == 0 || errno != EBUSY) {
            LIST_REMOVE(busy, in_list);
            free(busy->path);
            free(busy);
        }
        busy = next;
    }
    if (!LIST_EMPTY(&cgroups->busy))
        loop_timer_set(cgroups->timer, clock_boot() + REMOVE_AGAIN_USEC);
}

int local_cgroups_new(struct loop *loop, struct local_cgroups **out, struct err *err)
{
    struct local_cgroups *cgroups = xcalloc(1, sizeof *cgroups);

    LIST_INIT(&cgroups->busy);
    if (loop_add_timer(loop, end_busy, cgroups, &cgroups->timer, err) < 0) {
        free(cgroups);
        return -1;
    }
    *out = cgroups;
    return 0;
}

void local_cgroups_free(struct local_cgroups *cgroups)
{
    struct busy_cgroup *busy;

    if (!cgroups)
        return;
    while ((busy = LIST_FIRST(&cgroups->busy))) {
        LIST_REMOVE(busy, in_list);
        rmdir(busy->path);
        free(busy->path);
        free(busy);
    }
    loop_source_free(cgroups->timer);
    free(cgroups);
}

void local_cgroups_end(struct local_cgroups *cgroups, const char *path)
{
    struct busy_cgroup *busy;

    if (!path || access(path, F_OK) < 0)
        return;
    busy = xcalloc(1, sizeof *busy);
    busy->path = xstrdup(path);
    LIST_INSERT_HEAD(&cgroups->busy, busy, in_list);
    end_busy(cgroups);
}
