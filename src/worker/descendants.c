/* Finds and ends our own descendants.  A child's pid is not given to another process
 * before we reap it, and nobody else can: so for a child its pid is as safe as a pidfd,
 * and no bystander is hit.  Others are known by pid and start time. */

#include "src/worker/descendants.h"

#include "src/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int descendants_reap(pid_t *pid, int *status)
{
    pid_t ended;

    do
        ended = waitpid(-1, status, WNOHANG | __WALL);
    while (ended < 0 && errno == EINTR);
    if (ended > 0)
        *pid = ended;
    return ended > 0 ? 1 : ended;
}

/* /proc/PID/stat: "PID (NAME) STATE PARENT ...", where the start time is field 22.  The
 * name may hold anything, so what follows is counted from the last parenthesis.  False
 * for one that is gone or a zombie. */
static bool read_stat(int proc, const char *digits, struct descendant *out)
{
    enum {
        STAT_MAX = 4096,
        START_FIELD = 22
    };
    auto_free char *path = xasprintf("%s/stat", digits);
    auto_free char *stat = NULL;
    const char *name;
    const char *after;

    if (file_read_at(proc, path, STAT_MAX, &stat, NULL, NULL) < 0)
        return false;
    name = strchr(stat, '(');
    after = strrchr(stat, ')');
    if (!name || !after || strlen(after) < 5 || after[2] == 'Z' || after[2] == 'X')
        return false;
    out->id.pid = (pid_t)strtol(digits, NULL, 10);
    out->parent = (pid_t)strtol(after + 4, NULL, 10);
    snprintf(out->name, sizeof out->name, "%.*s", (int)(after - name - 1), name + 1);
    for (int field = 2; after && field < START_FIELD; field++)
        after = strchr(after + 1, ' ');
    out->id.start_ticks = after ? strtoull(after + 1, NULL, 10) : 0;
    return after != NULL;
}

static size_t read_all(struct descendant **list)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    size_t count = 0;
    size_t room = 0;

    *list = NULL;
    while (proc && (entry = readdir(proc))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (count == room) {
            room = room ? 2 * room : 64;
            *list = xrealloc(*list, room * sizeof **list);
        }
        if (read_stat(dirfd(proc), entry->d_name, &(*list)[count]))
            count++;
    }
    if (proc)
        closedir(proc);
    return count;
}

/* Moves to the front those whose parent is `above` or in front already; again and again
 * until a pass finds none, for a parent may stand behind its child. */
static size_t gather(struct descendant *list, size_t count, pid_t above,
                     descendants_spare_t *spare, const void *context)
{
    size_t below = 0;
    size_t before;

    do {
        before = below;
        for (size_t i = below; i < count; i++) {
            struct descendant found = list[i];
            bool ours = found.parent == above;

            for (size_t parent = 0; !ours && parent < below; parent++)
                ours = list[parent].id.pid == found.parent;
            if (!ours || (spare && spare(context, found.id.pid)))
                continue;
            list[i] = list[below];
            list[below++] = found;
        }
    } while (below > before);
    return below;
}

size_t descendants_list(descendants_spare_t *spare, const void *context,
                        struct descendant **list)
{
    size_t count = read_all(list);

    return gather(*list, count, getpid(), spare, context);
}

void descendants_kill(descendants_spare_t *spare, const void *context)
{
    auto_free struct descendant *list = NULL;
    size_t count = read_all(&list);
    pid_t self = getpid();

    for (size_t i = 0; i < count; i++)
        if (list[i].parent == self && !(spare && spare(context, list[i].id.pid)))
            kill(list[i].id.pid, SIGKILL);
}

void descendants_kill_children(void)
{
    descendants_kill(NULL, NULL);
}
