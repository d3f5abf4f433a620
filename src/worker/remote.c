/* The worker's end of railhead-rsh: who has called, what they asked for, what is told
 * to them.  Whether something is started, and how, is the caller's. */

#include "src/worker/remote.h"

#include "src/rsh.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct caller {
    int fd;
    pid_t pid; /* what was started for it; 0: it has not asked yet */
};

struct remote {
    int listener;
    struct caller callers[REMOTE_CALLERS_MAX];
    size_t count;
};

struct remote *remote_open(const char *folder, struct err *err)
{
    int listener = rsh_listen(folder, err);
    struct remote *remote;

    if (listener < 0)
        return NULL;
    remote = xcalloc(1, sizeof *remote);
    remote->listener = listener;
    return remote;
}

static void drop_caller(struct remote *remote, size_t i)
{
    close(remote->callers[i].fd);
    remote->callers[i] = remote->callers[--remote->count];
}

void remote_close(struct remote *remote)
{
    if (!remote)
        return;
    while (remote->count > 0)
        drop_caller(remote, remote->count - 1);
    close(remote->listener);
    free(remote);
}

size_t remote_fds(const struct remote *remote, struct pollfd *fds)
{
    size_t count = 0;

    if (!remote)
        return 0;
    for (size_t i = 0; i < remote->count; i++)
        fds[count++] = (struct pollfd){ .fd = remote->callers[i].fd, .events = POLLIN };
    if (remote->count < REMOTE_CALLERS_MAX)
        fds[count++] = (struct pollfd){ .fd = remote->listener, .events = POLLIN };
    return count;
}

/* As from a terminal: to all that still is in the group of what was started. */
static void pass_on(const struct caller *caller, const char *text)
{
    int number;

    if (sscanf(text, "signal %d", &number) == 1 && number > 0 && number < NSIG)
        kill(-caller->pid, number);
}

/* False when there is nothing more to be had from this caller.  What runs for one that
 * is gone runs on, as under sshd: how it ends is its rank's business. */
static bool hear(struct caller *caller)
{
    char text[RSH_ANSWER_MAX];
    int heard;

    while ((heard = rsh_hear(caller->fd, text)) > 0)
        pass_on(caller, text);
    return heard == 0;
}

static void start(struct caller *caller, const char *command, const int *streams,
                  const struct remote_calls *calls)
{
    struct err why;

    if (calls->start(calls->context, command, streams, &caller->pid, &why) < 0)
        rsh_say(caller->fd, "refused %s", why.text);
    else
        rsh_say(caller->fd, "started");
    for (size_t i = 0; i < RSH_STREAMS; i++)
        close(streams[i]);
}

static bool answer(struct caller *caller, const struct remote_calls *calls)
{
    auto_free char *command = NULL;
    int streams[RSH_STREAMS];
    int taken = rsh_take(caller->fd, &command, streams);
    int rank;
    int status;

    if (taken <= 0)
        return taken == 0;
    if (streams[0] >= 0)
        start(caller, command, streams, calls);
    else if (sscanf(command, "ended %d %d", &rank, &status) == 2)
        calls->rank_ended(calls->context, rank, status);
    return caller->pid > 0;
}

void remote_attend(struct remote *remote, const struct remote_calls *calls)
{
    if (!remote)
        return;
    while (remote->count < REMOTE_CALLERS_MAX) {
        int fd = rsh_accept(remote->listener);

        if (fd < 0)
            break;
        remote->callers[remote->count++] = (struct caller){ .fd = fd };
    }
    for (size_t i = remote->count; i-- > 0;) {
        struct caller *caller = &remote->callers[i];

        if (!(caller->pid > 0 ? hear(caller) : answer(caller, calls)))
            drop_caller(remote, i);
    }
}

bool remote_has(const struct remote *remote, pid_t pid)
{
    for (size_t i = 0; remote && i < remote->count; i++)
        if (remote->callers[i].pid == pid)
            return true;
    return false;
}

void remote_ended(struct remote *remote, pid_t pid, int status)
{
    if (!remote)
        return;
    for (size_t i = 0; i < remote->count; i++) {
        int fd = remote->callers[i].fd;

        if (remote->callers[i].pid != pid)
            continue;
        if (WIFEXITED(status))
            rsh_say(fd, "exited %d", WEXITSTATUS(status));
        else
            rsh_say(fd, "killed %d", WTERMSIG(status));
        drop_caller(remote, i);
        return;
    }
}
