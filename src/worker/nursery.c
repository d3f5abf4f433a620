/*
 * Starts workers by fork, for a daemon that has many short jobs: to load a program
 * costs several times what a fork of one that is loaded costs.  Decides nothing about
 * them: a worker that was born here is as one that was started by hand.
 */

#include "src/worker/nursery.h"

#include "src/base.h"
#include "src/nursery.h"
#include "src/worker/worker.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Fork with a pidfd, which glibc has no function for. */
static pid_t fork_with_pidfd(int *pidfd)
{
    struct clone_args args = { .flags = CLONE_PIDFD,
                               .pidfd = (uintptr_t)pidfd,
                               .exit_signal = SIGCHLD };

    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

/* What ps shows: the words that we were started with make room for it. */
static void show_as(int argc, char **argv, const char *folder)
{
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    size_t room = (size_t)(end - argv[0]);
    auto_free char *title = xasprintf("railhead-worker %s", folder);
    size_t len = strlen(title) < room ? strlen(title) : room;

    memset(argv[0], 0, room);
    memcpy(argv[0], title, len);
}

/* In the child: a session of its own, the plan as stdin instead of the socket, and
 * children to be waited for. */
static _Noreturn void be_born(int argc, char **argv, const char *folder, int plan)
{
    signal(SIGCHLD, SIG_DFL);
    setsid();
    if (dup2(plan, STDIN_FILENO) < 0)
        _exit(1);
    close(plan);
    show_as(argc, argv, folder);
    exit(worker_live(folder));
}

/* Of open files, for all that is born here; 0: as it is. */
static void set_file_limit(const char *digits)
{
    struct rlimit limit;
    rlim_t soft = strtoull(digits, NULL, 10);

    if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = soft;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int nursery_run(int argc, char **argv)
{
    char folder[NURSERY_FOLDER_MAX + 1];
    ssize_t len;
    int plan;

    if (argc > 2)
        set_file_limit(argv[2]);
    /* The kernel reaps them: their end is in their journals. */
    signal(SIGCHLD, SIG_IGN);
    while ((len = nursery_receive(STDIN_FILENO, folder, NURSERY_FOLDER_MAX, 0, &plan))
           > 0) {
        struct nursery_answer answer = { 0 };
        auto_close int pidfd = -1;
        pid_t pid;

        folder[len] = '\0';
        pid = fork_with_pidfd(&pidfd);
        if (pid == 0)
            be_born(argc, argv, folder, plan);
        if (pid < 0)
            answer.errno_value = errno;
        else
            answer.pid = pid;
        close(plan);
        /* A daemon that is gone is noticed by the next request. */
        (void)nursery_send(STDIN_FILENO, &answer, sizeof answer, pidfd);
    }
    return 0;
}
