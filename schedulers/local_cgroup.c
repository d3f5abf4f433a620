/* Finds the cgroup v2 tree that we may write to, and empties and removes cgroups of
 * workers that are gone. */

#include "schedulers/local_cgroup.h"

#include "src/clock.h"
#include "src/digest.h"
#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PROC_FILE_MAX = 1 << 20
};

/* Who was killed is gone within milliseconds, save what waits for a device: a look
 * costs one system call a cgroup. */
#define REMOVE_AGAIN_USEC (200 * USEC_PER_MSEC)

/* Killed, and not empty yet. */
struct busy_cgroup {
    char *path;
    LIST_ENTRY(busy_cgroup) in_list;
};

struct local_cgroups {
    struct loop_source *timer; /* set while there is one */
    LIST_HEAD(, busy_cgroup) busy;
};

/* Mount point of the first cgroup2 file system in mountinfo: field 5, type after the "
 * - ". */
static char *cgroup2_mount(void)
{
    auto_free char *text = NULL;
    char *save = NULL;

    if (file_read("/proc/self/mountinfo", PROC_FILE_MAX, &text, NULL, NULL) < 0)
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char mount_point[4096];

        if (strstr(line, " - cgroup2 ")
            && sscanf(line, "%*s %*s %*s %*s %4095s", mount_point) == 1)
            return xstrdup(mount_point);
    }
    return NULL;
}

/* Our own place in it: the line "0::/path" of /proc/self/cgroup. */
static char *own_cgroup(void)
{
    auto_free char *text = NULL;
    char *save = NULL;

    if (file_read("/proc/self/cgroup", PROC_FILE_MAX, &text, NULL, NULL) < 0)
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        if (strncmp(line, "0::", 3) == 0)
            return xstrdup(strcmp(line + 3, "/") == 0 ? "" : line + 3);
    return NULL;
}

char *local_cgroup_base(const char *state_folder)
{
    auto_free char *mount = cgroup2_mount();
    auto_free char *own = own_cgroup();
    auto_free char *base = NULL;
    auto_free char *kill_file = NULL;
    char hex[DIGEST_HEX_SIZE];

    if (!mount || !own)
        return NULL;
    digest_bytes(state_folder, strlen(state_folder), hex);
    hex[12] = '\0';
    base = xasprintf("%s%s/railhead-%s", mount, own, hex);
    if (mkdir(base, 0755) < 0 && errno != EEXIST)
        return NULL;
    kill_file = xasprintf("%s/cgroup.kill", base);
    if (access(kill_file, W_OK) < 0) {
        rmdir(base);
        return NULL;
    }
    return steal_ptr(&base);
}

static void remove_busy(void *context)
{
    struct local_cgroups *cgroups = context;
    struct busy_cgroup *busy = LIST_FIRST(&cgroups->busy);

    while (busy) {
        struct busy_cgroup *next = LIST_NEXT(busy, in_list);

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
    if (loop_add_timer(loop, remove_busy, cgroups, &cgroups->timer, err) < 0) {
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
    auto_free char *kill_file = xasprintf("%s/cgroup.kill", path);
    auto_close int fd = open(kill_file, O_WRONLY | O_CLOEXEC);
    struct busy_cgroup *busy;

    if (fd < 0)
        return;
    (void)!write(fd, "1", 1);
    busy = xcalloc(1, sizeof *busy);
    busy->path = xstrdup(path);
    LIST_INSERT_HEAD(&cgroups->busy, busy, in_list);
    remove_busy(cgroups);
}
