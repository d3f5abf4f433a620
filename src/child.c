/* Processes that work beside this one. */

#include "src/child.h"

#include "src/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of a child: where it tells its failure. */
static int failure_fd = -1;

void child_close_rest(void)
{
    close_range(STDERR_FILENO + 1, (unsigned int)failure_fd - 1, 0);
    close_range((unsigned int)failure_fd + 1, ~0U, 0);
}

/* A failure is told in one write, which a pipe takes whole. */
static _Noreturn void run(pid_t parent, int fd,
                          int (*work)(void *context, struct err *), void *context)
{
    struct err err = { 0 };

    failure_fd = fd;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    if (work(context, &err) == 0)
        _exit(EXIT_SUCCESS);
    (void)!write_all(fd, &err, sizeof err, NULL);
    for (;;)
        pause();
}

int child_start(struct child *child, int (*work)(void *context, struct err *),
                void *context, struct err *err)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    child->pid = fork();
    if (child->pid == 0) {
        close(ends[0]);
        run(parent, ends[1], work, context);
    }
    close(ends[1]);
    if (child->pid < 0) {
        int error = errno;

        close(ends[0]);
        return err_sys(err, error, "start a process");
    }
    child->fd = ends[0];
    return 0;
}

int child_wait(const struct child *child, struct err *err)
{
    siginfo_t end = { 0 };
    struct err why;
    ssize_t got;

    do
        got = read(child->fd, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof why) {
        *err = why;
        return -1;
    }
    while (waitid(P_PID, (id_t)child->pid, &end, WEXITED | WNOWAIT) < 0
           && errno == EINTR)
        continue;
    if (end.si_code == CLD_EXITED && end.si_status == EXIT_SUCCESS)
        return 0;
    return err_set(err, ERR_INTERNAL, "a process of railhead-stage was killed");
}

void child_end(struct child *child)
{
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(child->fd);
}
