/* Starts, hears and ends a foreign program without ever waiting for it: nvidia-smi
 * hangs for minutes when a driver does.  Decides nothing about what it says. */

#include "src/worker/tool.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A report of neuron-monitor on the largest host is some 100 KiB.  More, without use,
 * is not kept. */
enum {
    HEARD_MAX = 1 << 20
};

static _Noreturn void become(char *const *argv, char *const *env, int output_fd)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    setsid();
    sigaction(SIGHUP, &by_default, NULL);
    sigaction(SIGPIPE, &by_default, NULL); /* by which it ends when we are gone */
    sigaction(SIGXFSZ, &by_default, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0
        && dup2(output_fd, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
        execve(argv[0], argv, env);
    _exit(127);
}

/* A child of our parent, to which its end is as ours: nurseries and init reap what they
 * did not start. */
static pid_t fork_sibling(int *pidfd)
{
    struct clone_args args = { .flags = CLONE_PIDFD | CLONE_PARENT,
                               .pidfd = (uintptr_t)pidfd };

    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

bool tool_start(struct tool *out, char *const *argv, char *const *env)
{
    int pipe_fds[2];
    int pidfd = -1;
    pid_t pid;

    *out = TOOL_NONE;
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return false;
    pid = fork_sibling(&pidfd);
    if (pid == 0)
        become(argv, env, pipe_fds[1]);
    close(pipe_fds[1]);
    if (pid < 0) {
        close(pipe_fds[0]);
        return false;
    }
    (void)fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK); /* the one flag it can have */
    out->pidfd = pidfd;
    out->output_fd = pipe_fds[0];
    return true;
}

void tool_hear(struct tool *tool)
{
    char bytes[8192];
    ssize_t got;

    if (tool->output_fd < 0)
        return;
    while ((got = read(tool->output_fd, bytes, sizeof bytes)) > 0
           && tool->heard.len < HEARD_MAX)
        text_add(&tool->heard, bytes, (size_t)got);
    tool->finished = got == 0 || tool->heard.len >= HEARD_MAX;
}

void tool_end(struct tool *tool)
{
    if (tool->pidfd >= 0) {
        (void)pidfd_send_signal(tool->pidfd, SIGKILL, NULL, 0);
        close(tool->pidfd);
    }
    if (tool->output_fd >= 0)
        close(tool->output_fd);
    text_clear(&tool->heard);
    *tool = TOOL_NONE;
}
