/*
 * railhead-rsh [OPTION...] HOST COMMAND [WORD...]: runs a command on another instance
 * of the job, in the place of ssh, for mpirun.  Decides how long to wait for a worker
 * that does not listen yet; src/rsh.h says the rest.
 */

#include "src/clock.h"
#include "src/rsh.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What ssh gives when it is itself that failed. */
enum {
    STATUS_OURS = 255
};

/* A worker is started within seconds of its peers, if at all; one that lives may bring
 * its data for as long as that takes. */
#define BEGIN_MAX      (60 * USEC_PER_SEC)
#define RETRY_INTERVAL (50 * USEC_PER_MSEC)
#define TELL_AFTER     (5 * USEC_PER_SEC)

/* Those of ssh(1), which mpirun may hand on; none of them means anything here. */
static const char options[] = "+46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:"
                              "p:Q:R:S:W:w:";

/* The folder behind `host` in RAILHEAD_RSH_HOSTS; the caller frees, NULL: no such. */
static char *folder_of(const char *host)
{
    const char *at = getenv(RSH_HOSTS);
    size_t len = strlen(host);

    while (at && *at) {
        const char *end = strchrnul(at, '\n');

        if (strncmp(at, host, len) == 0 && at[len] == ' ')
            return xstrndup(at + len + 1, (size_t)(end - (at + len + 1)));
        at = *end ? end + 1 : end;
    }
    return NULL;
}

enum worker_state {
    WORKER_NOT_BEGUN,
    WORKER_LIVES,
    WORKER_STOPS, /* or has ended */
};

/* An empty journal is not to be locked, not even for a moment: its worker may be about
 * to. */
static enum worker_state look_at(const char *folder)
{
    auto_free char *stop = xasprintf("%s/stop", folder);
    auto_free char *journal = xasprintf("%s/journal.jsonl", folder);
    auto_close int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;

    if (access(stop, F_OK) == 0)
        return WORKER_STOPS;
    if (fd < 0 || fstat(fd, &info) < 0 || info.st_size == 0)
        return WORKER_NOT_BEGUN;
    return flock(fd, LOCK_SH | LOCK_NB) == 0 ? WORKER_STOPS : WORKER_LIVES;
}

static int wait_for_worker(const char *folder, usec_t waited, struct err *err)
{
    switch (look_at(folder)) {
    case WORKER_STOPS:
        return err_set(err, ERR_CONFLICT, "its worker is stopping or has ended");
    case WORKER_NOT_BEGUN:
        if (waited > BEGIN_MAX)
            return err_set(err, ERR_UNAVAILABLE,
                           "no worker has begun there within "
                           "60 s");
        break;
    case WORKER_LIVES:
        break;
    }
    return 0;
}

static int connect_to(const char *host, const char *folder, struct err *err)
{
    usec_t since = clock_boot();
    bool told = false;

    for (;;) {
        int fd = rsh_connect(folder, err);
        usec_t waited = clock_boot() - since;

        if (fd >= 0)
            return fd;
        if (err->code != ERR_UNAVAILABLE || wait_for_worker(folder, waited, err) < 0)
            return -1;
        if (!told && waited > TELL_AFTER)
            fprintf(stderr, "railhead-rsh: waiting for %s, which is not ready yet\n",
                    host);
        told = waited > TELL_AFTER;
        usleep(RETRY_INTERVAL);
    }
}

/* -1: it goes on. */
static int understand(const char *host, const char *answer)
{
    int number;

    if (sscanf(answer, "exited %d", &number) == 1)
        return number;
    if (sscanf(answer, "killed %d", &number) == 1)
        return 128 + number;
    if (!text_starts_with(answer, "refused "))
        return -1;
    fprintf(stderr, "railhead-rsh: %s: %s\n", host, answer + strlen("refused "));
    return STATUS_OURS;
}

static int follow(const char *host, int connection, int signals)
{
    struct pollfd fds[] = { { .fd = connection, .events = POLLIN },
                            { .fd = signals, .events = POLLIN } };
    char answer[RSH_ANSWER_MAX];
    struct signalfd_siginfo info;
    int status = -1;

    while (status < 0) {
        if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
            continue;
        if (fds[1].revents && read(signals, &info, sizeof info) == sizeof info)
            rsh_say(connection, "signal %d", (int)info.ssi_signo);
        if (!fds[0].revents)
            continue;
        if (rsh_hear(connection, answer) <= 0) {
            fprintf(stderr, "railhead-rsh: %s: its worker is gone\n", host);
            return STATUS_OURS;
        }
        status = understand(host, answer);
    }
    return status;
}

static int signals_to_pass(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static char *join(char *const *words)
{
    auto_text struct text text = { 0 };

    for (; *words; words++)
        text_printf(&text, "%s%s", text.len ? " " : "", *words);
    return text_steal(&text);
}

static int run(const char *host, char *const *words)
{
    auto_free char *folder = folder_of(host);
    auto_free char *command = join(words);
    auto_close int connection = -1;
    auto_close int signals = -1;
    struct err err;

    if (!folder) {
        fprintf(stderr, "railhead-rsh: %s: no such host in " RSH_HOSTS "\n", host);
        return STATUS_OURS;
    }
    connection = connect_to(host, folder, &err);
    if (connection < 0 || rsh_ask(connection, command, &err) < 0) {
        fprintf(stderr, "railhead-rsh: %s: %s\n", host, err.text);
        return STATUS_OURS;
    }
    signals = signals_to_pass();
    return follow(host, connection, signals);
}

static void tell_worker(const char *folder, int status)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    auto_close int connection = rank && folder ? rsh_connect(folder, NULL) : -1;

    if (connection >= 0)
        rsh_say(connection, "ended %s %d", rank, status);
}

/* A death by a signal goes to the worker here, which knows what the kernel did to its
 * processes; an exit code to that of mpirun, which has the output that explains it, and
 * to the worker here that the rank is over. */
static void tell_end(int status)
{
    bool is_code = WIFEXITED(status) && WEXITSTATUS(status) != 0;

    if (is_code)
        tell_worker(getenv(RSH_MPIRUN), status);
    tell_worker(getenv(RSH_WORKER), is_code ? 0 : status);
}

/* mpirun is to see what it would have seen of the program itself. */
static int end_as(int status)
{
    sigset_t all;

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* Blocked from before the child is there; what is pending is taken in the order of the
 * numbers, so SIGUSR1 before the SIGCHLD that it holds back. */
static void rank_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGUSR1);
    sigaddset(set, SIGUSR2);
    sigaddset(set, SIGCHLD);
}

/* mpirun's other signals go to the whole group, so the program has them itself. */
static void ignore_others(void)
{
    static const int theirs[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

    for (size_t i = 0; i < ARRAY_SIZE(theirs); i++)
        signal(theirs[i], SIG_IGN);
}

/* Gives the program's end, when it is not (or no more) to be held back. */
static int wait_for_rank(pid_t pid, const sigset_t *set)
{
    bool held = false;
    bool ended = false;
    int status = 0;
    int number;

    while (held || !ended) {
        if (sigwait(set, &number) != 0)
            continue;
        if (number != SIGCHLD)
            held = number == SIGUSR1;
        if (!ended && waitpid(pid, &status, WNOHANG) == pid) {
            ended = true;
            prctl(PR_SET_NAME, RSH_DONE_NAME);
            tell_end(status);
        }
    }
    return status;
}

/* Each rank has FIFOs of its own (RSH_PIPES). */
static void name_pipes(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    auto_free char *names = xstrdup(getenv(RSH_PIPES));
    char *rest = NULL;

    unsetenv(RSH_PIPES);
    if (!names || !rank)
        return;
    for (char *name = strtok_r(names, " ", &rest); name;
         name = strtok_r(NULL, " ", &rest)) {
        const char *path = getenv(name);
        const char *slash = path ? strrchr(path, '/') : NULL;
        auto_free char *own = NULL;

        if (!slash)
            continue;
        own = xasprintf("%.*s/rank-%s%s", (int)(slash - path), path, rank, slash);
        setenv(name, own, 1);
    }
}

static int run_rank(char **argv)
{
    sigset_t set;
    sigset_t before;
    pid_t pid;

    rank_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        name_pipes();
        unsetenv(RSH_MPI_STATES);
        unsetenv(RSH_MPI_OWN);
        execvp(argv[0], argv);
        fprintf(stderr, "railhead-rsh: exec %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (pid < 0) {
        fprintf(stderr, "railhead-rsh: fork: %s\n", strerror(errno));
        return STATUS_OURS;
    }
    ignore_others();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, RSH_RANK_NAME);
    return end_as(wait_for_rank(pid, &set));
}

int main(int argc, char **argv)
{
    int option;

    if (argc >= 3 && strcmp(argv[1], "--rank") == 0)
        return run_rank(argv + 2);
    while ((option = getopt(argc, argv, options)) != -1)
        if (option == '?')
            return STATUS_OURS;
    if (argc - optind < 2) {
        fputs("usage: railhead-rsh [OPTION...] HOST COMMAND [WORD...]\n"
              "       railhead-rsh --rank PROGRAM [WORD...]\n",
              stderr);
        return STATUS_OURS;
    }
    return run(argv[optind], argv + optind + 1);
}
