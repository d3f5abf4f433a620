/*
 * The seam where faults are put in, for tests alone: a library that is loaded before
 * all others (LD_PRELOAD) and stands between a program and what it depends on.  So the
 * program that is tested is the one that is installed, without a line in it for tests,
 * and what its libraries do is met, too: the syncs of SQLite as well as our own.
 *
 *   RAILHEAD_FAULT=POINT[=GLOB]:N:ACTION[:TOKEN]
 *
 * POINT is a row of the table below.  With GLOB only those passes are counted whose
 * subject matches it (fnmatch(3)); the table says what the subject is.  At pass N, from
 * 1, ACTION is done:
 *
 *   kill-before  the process is ended by SIGKILL before the call
 *   kill-after   the same behind it, when it has done its work
 *   ENOSPC ...   the call fails with this errno and does nothing
 *
 * With TOKEN passes count only while there is a file of that name, and only the process
 * that can rename it to TOKEN.taken, in which it leaves its command line, is hit: so a
 * fault can be put into a program that runs, and into one of many.
 *
 * Each process counts its own passes.  RAILHEAD_FAULT_WORKER is RAILHEAD_FAULT for
 * every railhead-worker that the process starts, whose environment is made anew.  The
 * program must have one thread, as ours have.  docs/drills.md has examples.
 */

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ERRNO_END = 134 /* errno(3): EHWPOISON is the last one */
};

enum point {
    POINT_ALLOC,
    POINT_ANSWER,
    POINT_FORK,
    POINT_RENAME,
    POINT_SPAWN,
    POINT_STEP,
    POINT_SYNC,
    POINT_WRITE
};

/* clang-format off */
static const char *const names[] = {
    /* name                    calls                                 subject */
    [POINT_ALLOC]  = "alloc",  /* malloc calloc realloc              none */
    [POINT_ANSWER] = "answer", /* an end told by curl_multi_info_read  the URL */
    [POINT_FORK]   = "fork",   /* fork _Fork clone3                  none */
    [POINT_RENAME] = "rename", /* rename                             the new path */
    [POINT_SPAWN]  = "spawn",  /* posix_spawn                        the program */
    [POINT_STEP]   = "step",   /* sqlite3_step                       its SQL */
    [POINT_SYNC]   = "sync",   /* fsync fdatasync                    the path */
    [POINT_WRITE]  = "write",  /* write pwrite                       the path */
};
/* clang-format on */

/* The function that the program would have met without us. */
#define REAL(function)                                                    \
    __extension__({                                                       \
        static __typeof__(&(function)) real_;                             \
        if (!real_)                                                       \
            real_ = (__typeof__(&(function)))dlsym(RTLD_NEXT, #function); \
        real_;                                                            \
    })

static struct {
    bool armed;
    enum point point;
    char *glob;  /* NULL: any subject */
    char *token; /* NULL: whoever comes */
    long wanted;
    long passes;
    enum action {
        KILL_BEFORE,
        KILL_AFTER,
        FAIL
    } action;
    int errno_value;
    bool struck; /* on the way to KILL_AFTER */
} fault;

static _Noreturn void refuse(const char *value)
{
    fprintf(stderr, "RAILHEAD_FAULT=%s: expected POINT[=GLOB]:N:ACTION[:TOKEN]\n",
            value);
    _exit(2);
}

static bool read_point(char *words)
{
    fault.glob = strchr(words, '=');
    if (fault.glob)
        *fault.glob++ = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], words) == 0) {
            fault.point = (enum point)i;
            return true;
        }
    }
    return false;
}

static bool read_action(const char *word)
{
    fault.action = strcmp(word, "kill-before") == 0  ? KILL_BEFORE
                   : strcmp(word, "kill-after") == 0 ? KILL_AFTER
                                                     : FAIL;
    for (int i = 1; fault.action == FAIL && !fault.errno_value && i < ERRNO_END; i++) {
        const char *name = strerrorname_np(i);

        if (name && strcmp(name, word) == 0)
            fault.errno_value = i;
    }
    return fault.action != FAIL || fault.errno_value;
}

__attribute__((constructor)) static void arm(void)
{
    const char *value = getenv("RAILHEAD_FAULT");
    char *rest = value ? strdup(value) : NULL;
    char *point = strsep(&rest, ":");
    const char *pass = strsep(&rest, ":");
    const char *action = strsep(&rest, ":");

    if (!value)
        return;
    fault.token = rest;
    fault.wanted = pass ? strtol(pass, NULL, 10) : 0;
    if (fault.wanted < 1 || !action || !read_point(point) || !read_action(action))
        refuse(value);
    fault.armed = true;
}

/* Of some processes one gets it. */
static bool take_token(void)
{
    char taken[PATH_MAX];
    char line[PATH_MAX];
    int from;
    int to;
    ssize_t len;

    if (!fault.token)
        return true;
    snprintf(taken, sizeof taken, "%s.taken", fault.token);
    if (REAL(rename)(fault.token, taken) < 0)
        return false;
    from = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    to = open(taken, O_WRONLY | O_CLOEXEC);
    len = read(from, line, sizeof line);
    if (len > 0)
        (void)!REAL(write)(to, line, (size_t)len);
    close(from);
    close(to);
    return true;
}

/* Whether this pass is the one, the subject being known. */
static bool is_due(const char *subject)
{
    if (fault.glob && fnmatch(fault.glob, subject, 0) != 0)
        return false;
    if (fault.token && access(fault.token, F_OK) < 0)
        return false;
    if (++fault.passes != fault.wanted)
        return false;
    fault.armed = false;
    return take_token();
}

/* Before a call: true when it is to fail, errno being set. */
static bool strike(enum point point, const char *subject)
{
    if (!fault.armed || fault.point != point || !is_due(subject))
        return false;
    if (fault.action == KILL_BEFORE)
        kill(getpid(), SIGKILL);
    fault.struck = fault.action == KILL_AFTER;
    errno = fault.errno_value;
    return fault.action == FAIL;
}

static bool strike_file(enum point point, int fd)
{
    char link[32];
    char path[PATH_MAX];
    ssize_t len;

    if (!fault.armed || fault.point != point)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    len = readlink(link, path, sizeof path - 1);
    path[len > 0 ? len : 0] = '\0';
    return strike(point, path);
}

/* Behind a call; a commit has writes within it, which are not its end. */
static void finish(enum point point)
{
    if (fault.struck && fault.point == point)
        kill(getpid(), SIGKILL);
}

/* A child counts anew; what was meant for its parent is not for it. */
static long behind_fork(long pid)
{
    if (pid == 0) {
        fault.struck = false;
        fault.passes = 0;
    } else {
        finish(POINT_FORK);
    }
    return pid;
}

/* --- the calls --- */

/* The body of a call that gives `failed` when it is struck. */
#define PASS(strikes, point, subject, failed, call) \
    do {                                            \
        __typeof__(call) result_;                   \
                                                    \
        if (strikes(point, subject))                \
            return failed;                          \
        result_ = call;                             \
        finish(point);                              \
        return result_;                             \
    } while (0)

int fsync(int fd)
{
    PASS(strike_file, POINT_SYNC, fd, -1, REAL(fsync)(fd));
}

int fdatasync(int fd)
{
    PASS(strike_file, POINT_SYNC, fd, -1, REAL(fdatasync)(fd));
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    PASS(strike_file, POINT_WRITE, fd, -1, REAL(write)(fd, bytes, len));
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    PASS(strike_file, POINT_WRITE, fd, -1, REAL(pwrite)(fd, bytes, len, at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at)
{
    PASS(strike_file, POINT_WRITE, fd, -1, REAL(pwrite64)(fd, bytes, len, at));
}

int rename(const char *from, const char *to)
{
    PASS(strike, POINT_RENAME, to, -1, REAL(rename)(from, to));
}

int sqlite3_step(sqlite3_stmt *statement)
{
    const char *sql = REAL(sqlite3_sql)(statement);
    int failed = fault.errno_value == ENOSPC ? SQLITE_FULL : SQLITE_IOERR;

    PASS(strike, POINT_STEP, sql ? sql : "", failed, REAL(sqlite3_step)(statement));
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left)
{
    CURLMsg *message = REAL(curl_multi_info_read)(multi, left);
    char *url = NULL;

    if (message && message->msg == CURLMSG_DONE) {
        REAL(curl_easy_getinfo)(message->easy_handle, CURLINFO_EFFECTIVE_URL, &url);
        if (strike(POINT_ANSWER, url ? url : ""))
            message->data.result = CURLE_RECV_ERROR;
        finish(POINT_ANSWER);
    }
    return message;
}

pid_t fork(void)
{
    return strike(POINT_FORK, "") ? -1 : (pid_t)behind_fork(REAL(fork)());
}

pid_t _Fork(void)
{
    return strike(POINT_FORK, "") ? -1 : (pid_t)behind_fork(REAL(_Fork)());
}

/* glibc has no function for clone3.  No system call takes more than six words. */
long syscall(long number, ...)
{
    va_list list;
    long word[6];

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_clone3 && strike(POINT_FORK, ""))
        return -1;
    word[0] =
        REAL(syscall)(number, word[0], word[1], word[2], word[3], word[4], word[5]);
    return number == SYS_clone3 ? behind_fork(word[0]) : word[0];
}

/* The environment with this library and the worker's own fault; never freed. */
static char *const *with_fault(char *const *env, const char *worker_fault)
{
    size_t count = 0;
    char **all;

    while (env[count])
        count++;
    all = calloc(count + 3, sizeof *all);
    memcpy(all, env, count * sizeof *all);
    if (asprintf(&all[count], "LD_PRELOAD=%s", getenv("LD_PRELOAD")) < 0
        || asprintf(&all[count + 1], "RAILHEAD_FAULT=%s", worker_fault) < 0)
        abort();
    return all;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[],
                char *const envp[])
{
    const char *worker_fault = getenv("RAILHEAD_FAULT_WORKER");

    if (worker_fault && fnmatch("*/railhead-worker", path, 0) == 0)
        envp = with_fault(envp, worker_fault);
    PASS(strike, POINT_SPAWN, path, fault.errno_value,
         REAL(posix_spawn)(pid, path, actions, attributes, argv, envp));
}

/* dlsym allocates, so the allocator is called by glibc's own names for it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    PASS(strike, POINT_ALLOC, "", NULL, __libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    PASS(strike, POINT_ALLOC, "", NULL, __libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    PASS(strike, POINT_ALLOC, "", NULL, __libc_realloc(old, size));
}
