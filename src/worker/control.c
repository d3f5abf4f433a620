/* Listens.  Decides what counts as a stop and which cause it names; what a stop does is
 * watch's business. */

#include "src/worker/control.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/job_spec_members.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * A folder is watched only once the worker has lived for a while; until then the file
 * is looked for.  Giving up an inotify instance waits for the kernel's readers of such
 * lists, about 10 ms, which a job of a few milliseconds would pay at its exit.
 */
#define LOOK_FOR      (500 * USEC_PER_MSEC)
#define LOOK_INTERVAL (50 * USEC_PER_MSEC)

/* {"cause":"interrupted","grace_s":120} */
enum {
    STOP_FILE_MAX = 4096
};

static int block_signals(struct err *err)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t set;
    int fd;

    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    /* A file limit is an error of write, as a full disk is. */
    sigaction(SIGXFSZ, &ignore, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_SETMASK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd >= 0 ? fd : err_sys(err, errno, "signalfd");
}

int control_open(const char *folder, struct control *out, struct err *err)
{
    auto_close int signal_fd = block_signals(err);

    if (signal_fd < 0)
        return -1;
    *out = (struct control){ .folder = xstrdup(folder),
                             .stop_path = xasprintf("%s/stop", folder),
                             .signal_fd = steal_fd(&signal_fd),
                             .inotify_fd = -1,
                             .grace_s = -1,
                             .watch_boot = clock_boot() + LOOK_FOR };
    return 0;
}

void control_close(struct control *control)
{
    close(control->signal_fd);
    if (control->inotify_fd >= 0)
        close(control->inotify_fd);
    free(control->folder);
    free(control->stop_path);
}

/* Where there is no inotify to be had, the file is looked for to the end. */
static void begin_to_watch(struct control *control)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    control->watch_boot = INT64_MAX;
    if (fd < 0)
        return;
    if (inotify_add_watch(fd, control->folder, IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
        close(fd);
    else
        control->inotify_fd = fd;
}

usec_t control_due(const struct control *control, usec_t now)
{
    return control->inotify_fd < 0 ? now + LOOK_INTERVAL : INT64_MAX;
}

static bool signalled(const struct control *control)
{
    struct signalfd_siginfo info;
    bool stop = false;

    while (read(control->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        stop = stop || info.ssi_signo != SIGCHLD;
    return stop;
}

/* What happened in the folder is of no interest: the file is there or not. */
static bool folder_changed(int fd)
{
    char events[4096];
    bool changed = false;

    while (read(fd, events, sizeof events) > 0)
        changed = true;
    return changed;
}

/* A file that says nothing, or nothing that we know, still asks for a stop. */
static enum end_cause understand(struct control *control, const char *bytes, size_t len)
{
    auto_json struct cJSON *json = NULL;
    enum end_cause cause = END_USER_STOP;
    const char *name;
    int64_t grace_s;

    if (json_parse(bytes, len, &json, NULL) < 0)
        return END_USER_STOP;
    grace_s = json_get_int(json, "grace_s", -1);
    if (grace_s >= 0 && grace_s <= SPEC_GRACE_MAX_S)
        control->grace_s = grace_s;
    name = json_get_text(json, "cause");
    if (!name || !end_cause_from_name(name, &cause))
        return END_USER_STOP;
    return cause;
}

/* The file may have come just before the watch began: so it is looked for once more
 * then. */
static bool may_be_there(struct control *control, usec_t now)
{
    if (control->inotify_fd >= 0)
        return folder_changed(control->inotify_fd);
    if (now >= control->watch_boot)
        begin_to_watch(control);
    return true;
}

static bool file_asks(struct control *control, usec_t now, enum end_cause *cause)
{
    auto_free char *bytes = NULL;
    size_t len;

    if (!may_be_there(control, now) || access(control->stop_path, F_OK) < 0)
        return false;
    /* The job can write here: a FIFO, or a link to one, must not hold us. */
    if (file_read_at(AT_FDCWD, control->stop_path, STOP_FILE_MAX, &bytes, &len, NULL)
        < 0)
        *cause = END_USER_STOP;
    else
        *cause = understand(control, bytes, len);
    return true;
}

bool control_stop_asked(struct control *control, usec_t now, enum end_cause *cause)
{
    bool by_signal = signalled(control);

    if (file_asks(control, now, cause))
        return true;
    *cause = END_USER_STOP;
    return by_signal;
}
