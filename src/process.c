/* Starts, knows, signals and reaps processes without ever meaning another one by a
 * recycled pid. Which processes belong to a job is the worker's to know. */

#include "src/process.h"

#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The start time is the 22nd field of the line.  The second, the program's name in
 * parentheses, may hold blanks and parentheses itself: fields are counted from the last
 * one, behind which is the third. */
static const char *start_field(const char *line)
{
    const char *at = strrchr(line, ')');

    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

int process_start_ticks(pid_t pid, uint64_t *ticks, struct err *err)
{
    char path[32];
    char line[1024]; /* 22 fields of up to 20 digits, a name of 64: below 600 */
    auto_close int fd = -1;
    const char *field;
    ssize_t len;
    char *end;
    unsigned long long value;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    len = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (len < 0 && (errno == ENOENT || errno == ESRCH))
        return err_set(err, ERR_NOT_FOUND, "process %d is gone", (int)pid);
    if (len < 0)
        return err_sys(err, errno, "read %s", path);
    line[len] = '\0';
    field = start_field(line);
    if (!field)
        return err_set(err, ERR_INTERNAL, "%s has no start time", path);
    value = strtoull(field, &end, 10);
    if (end == field)
        return err_set(err, ERR_INTERNAL, "%s has no start time", path);
    *ticks = value;
    return 0;
}

int process_open(const struct process_id *id, int *pidfd, struct err *err)
{
    auto_close int fd = pidfd_open(id->pid, 0);
    uint64_t ticks = 0;

    if (fd < 0 && errno == ESRCH)
        return err_set(err, ERR_NOT_FOUND, "process %d is gone", (int)id->pid);
    if (fd < 0)
        return err_sys(err, errno, "open process %d", (int)id->pid);
    /* One look suffices: who still has the pid now and started before the pidfd was
     * opened, had it all the time between. */
    if (process_start_ticks(id->pid, &ticks, err) < 0)
        return -1;
    if (ticks != id->start_ticks)
        return err_set(err, ERR_NOT_FOUND,
                       "process %d is gone: another one has its pid", (int)id->pid);
    *pidfd = steal_fd(&fd);
    return 0;
}

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode)
           && access(path, X_OK) == 0;
}

char *program_find(const char *name, const char *path)
{
    while (path && *path != '\0') {
        int len = (int)strcspn(path, ":");
        auto_free char *program = xasprintf("%.*s/%s", len, path, name);

        if (len > 0 && is_program(program))
            return steal_ptr(&program);
        path += len + (path[len] == ':');
    }
    return NULL;
}

/* As execvp would find it, but by the PATH of the new process, not ours.  NULL when
 * there is none. */
static char *find_program(const char *name, const char *const *envp)
{
    if (strchr(name, '/'))
        return xstrdup(name);
    for (; *envp; envp++)
        if (text_starts_with(*envp, "PATH="))
            return program_find(name, *envp + strlen("PATH="));
    return NULL;
}

/* posix_spawn's calls return the errno; they fail for want of memory only, the open and
 * dup2 come later, in the child. */
static int describe_child(posix_spawnattr_t *attributes,
                          posix_spawn_file_actions_t *actions,
                          struct process_files files)
{
    sigset_t all;
    sigset_t none;
    int error = 0;

    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF
                                             | POSIX_SPAWN_SETSIGMASK);
    /* stdin comes last: the output may be any number, 0 too. */
    if (files.output < 0)
        error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null",
                                                 O_WRONLY, 0);
    else
        error = posix_spawn_file_actions_adddup2(actions, files.output, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
    if (error == 0 && files.input >= 0)
        error = posix_spawn_file_actions_adddup2(actions, files.input, STDIN_FILENO);
    else if (error == 0)
        error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
                                                 O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return error;
}

/* posix_spawn takes its lists as execve does, without const, and changes nothing in
 * them. */
static char *const *as_execve_list(const char *const *words)
{
    char *const *list;

    memcpy(&list, &words, sizeof list);
    return list;
}

static int spawn(const char *program, const char *const *argv, const char *const *envp,
                 struct process_files files, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error;

    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    error = describe_child(&attributes, &actions, files);
    if (error == 0)
        error = posix_spawn(pid, program, &actions, &attributes, as_execve_list(argv),
                            as_execve_list(envp));
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int process_spawn(const char *const *argv, const char *const *envp,
                  struct process_files files, pid_t *pid, int *pidfd, struct err *err)
{
    auto_free char *program = find_program(argv[0], envp);
    pid_t child;
    int error = program ? spawn(program, argv, envp, files, &child) : ENOENT;
    int fd;

    if (error != 0)
        return err_sys(err, error, "exec %s", argv[0]);
    /* No race: until we reap it, the pid is our child's. */
    fd = pidfd_open(child, 0);
    if (fd < 0) {
        error = errno;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        return err_sys(err, error, "open process %d", (int)child);
    }
    *pid = child;
    *pidfd = fd;
    return 0;
}

bool process_reap(int pidfd, int *status)
{
    siginfo_t info = { 0 };
    int result;

    do {
        result = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG);
    } while (result < 0 && errno == EINTR);
    if (result < 0 || info.si_pid == 0)
        return false;
    if (info.si_code == CLD_EXITED)
        *status = W_EXITCODE(info.si_status, 0);
    else
        *status = W_EXITCODE(0, info.si_status)
                  | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
    return true;
}

void process_kill(int pidfd, int signal_number)
{
    /* One that has ended meanwhile is as wanted. */
    (void)pidfd_send_signal(pidfd, signal_number, NULL, 0);
}
