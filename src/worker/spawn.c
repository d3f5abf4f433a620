/* Starts a child so that a failure of exec is an error of the launch, with its errno,
 * and never an exit code of 127.  Decides nothing of what is started or how it ends. */

#include "src/worker/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the child says before it exits without having become the program. */
struct report {
    enum spawn_step {
        STEP_PREPARE,
        STEP_FOLDER,
        STEP_EXEC
    } step;
    int errno_value;
};

/* From here to child_main the code runs between fork and exec.  The worker has one
 * thread, so no lock can be held by another. */

static void child_fail(int report_fd, enum spawn_step step, int errno_value)
{
    struct report report = { step, errno_value };

    (void)!write(report_fd, &report, sizeof report);
    _exit(127);
}

static void child_signals(void)
{
    struct sigaction by_default = { .sa_handler = SIG_DFL };
    sigset_t none;

    /* What was ignored stays ignored over exec, unless it is reset. */
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &by_default, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int child_streams(const struct spawn_request *request)
{
    int input = request->input_fd;
    int error = request->error_fd ? request->error_fd : request->output_fd;

    if (input == 0)
        input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input < 0 || dup2(input, STDIN_FILENO) < 0)
        return -1;
    if (dup2(request->output_fd, STDOUT_FILENO) < 0 || dup2(error, STDERR_FILENO) < 0)
        return -1;
    return request->kept_fd > 0 ? fcntl(request->kept_fd, F_SETFD, 0) : 0;
}

static const char *path_of(char *const *env)
{
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            return *env + 5;
    return "/usr/local/bin:/usr/bin:/bin";
}

/* As execvpe does, in the PATH of the program's own environment. Gives the errno that
 * tells most: one place where the file may not be run says more than many where there
 * is none. */
static int child_exec(const struct spawn_request *request)
{
    const char *name = request->argv[0];
    const char *at = path_of(request->env);
    char path[PATH_MAX];
    int result = ENOENT;

    if (strchr(name, '/')) {
        execve(name, request->argv, request->env);
        return errno;
    }
    while (at) {
        const char *colon = strchrnul(at, ':');
        int len = (int)(colon - at);

        /* An empty element is the working folder. */
        if (snprintf(path, sizeof path, "%.*s%s%s", len, at, len ? "/" : "./", name)
            < (int)sizeof path) {
            execve(path, request->argv, request->env);
            if (errno != ENOENT && errno != ENOTDIR)
                result = errno;
            if (result == E2BIG || result == ENOMEM)
                return result;
        }
        at = *colon ? colon + 1 : NULL;
    }
    return result;
}

static void child_main(const struct spawn_request *request, int report_fd, pid_t parent)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before it could be watched */
        _exit(127);
    child_signals();
    /* This thread alone, so the kernel takes no lock that every fork waits for. */
    if (request->tasks_fd > 0 && write(request->tasks_fd, "0", 1) != 1)
        child_fail(report_fd, STEP_PREPARE, errno);
    if (child_streams(request) < 0)
        child_fail(report_fd, STEP_PREPARE, errno);
    if (chdir(request->folder) < 0)
        child_fail(report_fd, STEP_FOLDER, errno);
    child_fail(report_fd, STEP_EXEC, child_exec(request));
}

static pid_t fork_into(int cgroup_fd)
{
    struct clone_args args = { .flags = CLONE_INTO_CGROUP,
                               .exit_signal = SIGCHLD,
                               .cgroup = (__u64)(unsigned)cgroup_fd };

    if (cgroup_fd < 0)
        return _Fork();
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

int spawn_start(const struct spawn_request *request, struct spawn *out, struct err *err)
{
    pid_t self = getpid();
    int pipe_fds[2];
    pid_t pid;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    pid = fork_into(request->cgroup_fd);
    if (pid == 0)
        child_main(request, pipe_fds[1], self);
    close(pipe_fds[1]);
    if (pid < 0) {
        int errno_value = errno;

        close(pipe_fds[0]);
        return err_sys(err, errno_value, "start a process");
    }
    *out = (struct spawn){ pid, pipe_fds[0] };
    return 0;
}

int spawn_confirm(struct spawn *spawn, const struct spawn_request *request,
                  struct err *err)
{
    struct report report;
    ssize_t got;

    do
        got = read(spawn->report_fd, &report, sizeof report);
    while (got < 0 && errno == EINTR);
    close(spawn->report_fd);
    spawn->report_fd = -1;
    if (got == 0)
        return 0;
    if (got != (ssize_t)sizeof report)
        return err_set(err, ERR_INTERNAL, "exec %s: its start could not be followed",
                       request->argv[0]);
    switch (report.step) {
    case STEP_PREPARE:
        return err_sys(err, report.errno_value, "prepare the streams of %s",
                       request->argv[0]);
    case STEP_FOLDER:
        return err_sys(err, report.errno_value, "enter %s", request->folder);
    case STEP_EXEC:
        break;
    }
    return err_sys(err, report.errno_value, "exec %s", request->argv[0]);
}
