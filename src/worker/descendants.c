/* Finds and ends our own children.  A child's pid is not given to another process
 * before we reap it, and nobody else can: so here a pid is as safe as a pidfd, and no
 * bystander is hit. */

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

/* Field 4 of /proc/PID/stat; the name in field 2 may hold anything, so it is skipped
 * from the end. */
static pid_t parent_of(int proc, const char *name)
{
    enum {
        STAT_MAX = 4096
    };
    auto_free char *path = xasprintf("%s/stat", name);
    auto_free char *stat = NULL;
    const char *after;

    if (file_read_at(proc, path, STAT_MAX, &stat, NULL, NULL) < 0)
        return -1;
    after = strrchr(stat, ')');
    if (!after || strlen(after) < 5)
        return -1;
    return (pid_t)strtol(after + 4, NULL, 10);
}

/* A walk of /proc: it costs a millisecond a hundred processes, and is done only when a
 * job left something behind. */
void descendants_kill_children(void)
{
    DIR *proc = opendir("/proc");
    pid_t self = getpid();
    struct dirent *entry;

    if (!proc)
        return;
    while ((entry = readdir(proc))) {
        pid_t pid;

        if (!isdigit((unsigned char)entry->d_name[0])
            || parent_of(dirfd(proc), entry->d_name) != self)
            continue;
        pid = (pid_t)strtol(entry->d_name, NULL, 10);
        kill(pid, SIGKILL);
    }
    closedir(proc);
}
