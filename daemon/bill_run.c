/* Runs railhead-bill, few at a time. */

#include "daemon/bill_run.h"

#include "daemon/store.h"
#include "src/clock.h"
#include "src/files.h"
#include "src/log.h"
#include "src/process.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* PROBLEMS_MAX problems, each with some hundred bytes that it quotes. */
enum {
    FAILURE_BYTES_MAX = 1 << 18
};

enum run_state {
    RUN_WAITS,
    RUN_RUNS,
    RUN_ENDED
};

struct bill_run {
    STAILQ_ENTRY(bill_run) link; /* in waiting, by state */
    struct bill_runs *runs;
    enum run_state state;
    char *request;
    void (*done)(void *context);
    void *context;
    int answer; /* a file without a name; -1: none */
    int pidfd;  /* -1: none */
    struct loop_source *end;
    struct loop_source *limit;
    struct err err; /* why it could not be run; code of an end without one: */
    bool failed;
    bool took_too_long;
    int status; /* as of waitpid */
};

STAILQ_HEAD(run_line, bill_run);

struct bill_runs {
    struct loop *loop;
    char *state;
    char *database;
    char *program;
    struct run_line waiting;
    int waiting_count;
    int running;
    struct loop_source *next; /* starts what can be started */
};

static void start_next(void *context);

struct bill_runs *bill_runs_new(struct loop *loop, const char *state)
{
    struct bill_runs *runs = xcalloc(1, sizeof *runs);
    struct err err;

    runs->loop = loop;
    runs->state = xstrdup(state);
    runs->database = xasprintf("%s/railhead.db", state);
    runs->program = path_of_helper("railhead-bill");
    STAILQ_INIT(&runs->waiting);
    if (loop_add_last(loop, start_next, runs, &runs->next, &err) < 0) {
        log_error("bill.no_runs error=\"%s\"", err.text);
        abort();
    }
    return runs;
}

void bill_runs_free(struct bill_runs *runs)
{
    if (!runs)
        return;
    loop_source_free(runs->next);
    free(runs->state);
    free(runs->database);
    free(runs->program);
    free(runs);
}

/* --- one run --- */

static void end_run(struct bill_run *run)
{
    if (run->state == RUN_RUNS)
        run->runs->running--;
    run->state = RUN_ENDED;
    loop_wake(run->runs->next);
    run->done(run->context);
}

static void on_end(void *context)
{
    struct bill_run *run = context;

    if (!process_reap(run->pidfd, &run->status))
        return;
    loop_source_free(steal_ptr(&run->end));
    loop_timer_set(run->limit, INT64_MAX);
    end_run(run);
}

static void on_limit(void *context)
{
    struct bill_run *run = context;

    run->took_too_long = true;
    log_warning("bill.ended seconds=%d reason=\"it took too long\"", BILL_RUN_SECONDS);
    process_kill(run->pidfd, SIGKILL);
}

/* A request as a file that is read from its start. */
static int request_file(const char *request, struct err *err)
{
    int fd = memfd_create("railhead-bill", MFD_CLOEXEC);

    if (fd < 0)
        return err_sys(err, errno, "make a file in memory");
    if (write_all(fd, request, strlen(request), err) < 0
        || lseek(fd, 0, SEEK_SET) < 0) {
        close(fd);
        return err_wrap(err, "write the request");
    }
    return fd;
}

static int spawn(struct bill_run *run, struct err *err)
{
    struct bill_runs *runs = run->runs;
    const char *const argv[] = { runs->program, NULL };
    const char *const envp[] = { "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL };
    auto_close int input = request_file(run->request, err);
    pid_t pid;

    if (input < 0)
        return -1;
    run->answer = open(runs->state, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (run->answer < 0)
        return err_sys(err, errno, "make a file in %s", runs->state);
    return process_spawn(argv, envp,
                         (struct process_files){ .input = input,
                                                 .output = run->answer },
                         &pid, &run->pidfd, err);
}

static void kill_and_reap(const struct bill_run *run)
{
    int status;

    process_kill(run->pidfd, SIGKILL);
    while (!process_reap(run->pidfd, &status))
        (void)poll(&(struct pollfd){ .fd = run->pidfd, .events = POLLIN }, 1, -1);
}

static int start(struct bill_run *run, struct err *err)
{
    struct bill_runs *runs = run->runs;

    if (spawn(run, err) < 0)
        return err_wrap(err, "start railhead-bill");
    if (loop_add_fd(runs->loop, run->pidfd, on_end, run, &run->end, err) < 0
        || loop_add_timer(runs->loop, on_limit, run, &run->limit, err) < 0) {
        kill_and_reap(run);
        return -1;
    }
    run->state = RUN_RUNS;
    runs->running++;
    loop_timer_set(run->limit, clock_boot() + BILL_RUN_SECONDS * USEC_PER_SEC);
    return 0;
}

/* One after the other there is a moment between in which nobody reads, and a log that
 * is brought in begins anew. */
static int runs_at_a_time(const struct bill_runs *runs)
{
    return store_log_is_long(runs->database) ? 1 : BILL_RUNS_MAX;
}

static void start_next(void *context)
{
    struct bill_runs *runs = context;

    while (!STAILQ_EMPTY(&runs->waiting) && runs->running < runs_at_a_time(runs)) {
        struct bill_run *run = STAILQ_FIRST(&runs->waiting);

        STAILQ_REMOVE_HEAD(&runs->waiting, link);
        runs->waiting_count--;
        if (start(run, &run->err) == 0)
            continue;
        run->failed = true;
        end_run(run);
    }
}

int bill_run_start(struct bill_runs *runs, const struct cJSON *request,
                   void (*done)(void *context), void *context, struct bill_run **out,
                   struct err *err)
{
    auto_json struct cJSON *whole = json_copy(request);
    struct bill_run *run;

    if (runs->waiting_count >= BILL_LINE_MAX)
        return err_set(err, ERR_UNAVAILABLE,
                       "%d questions to the ledger wait already: try again",
                       BILL_LINE_MAX);
    json_set_text(whole, "database", runs->database);
    json_set_text(whole, "state", runs->state);
    run = xcalloc(1, sizeof *run);
    *run = (struct bill_run){ .runs = runs,
                              .request = json_print(whole),
                              .done = done,
                              .context = context,
                              .answer = -1,
                              .pidfd = -1 };
    STAILQ_INSERT_TAIL(&runs->waiting, run, link);
    runs->waiting_count++;
    loop_wake(runs->next);
    *out = run;
    return 0;
}

/* How it ended without an answer; its last words are for those who mend it. */
static int tell_death(const struct bill_run *run, const char *words, ssize_t len,
                      struct err *err)
{
    if (WIFSIGNALED(run->status))
        err_set(err, ERR_UNAVAILABLE, "railhead-bill was ended by signal %d",
                WTERMSIG(run->status));
    else
        err_set(err, ERR_INTERNAL, "railhead-bill ended with code %d",
                WEXITSTATUS(run->status));
    log_error("bill.died error=\"%s\" said=\"%.*s\"", err->text, len > 0 ? (int)len : 0,
              words);
    return -1;
}

/* The error that it wrote in place of an answer. */
static int read_failure(const struct bill_run *run, struct cJSON **errors,
                        struct err *err)
{
    auto_json struct cJSON *failure = NULL;
    auto_free char *bytes = xmalloc(FAILURE_BYTES_MAX);
    ssize_t got = pread(run->answer, bytes, FAILURE_BYTES_MAX, 0);
    enum err_code code = ERR_INTERNAL;

    if (run->took_too_long)
        return err_set(err, ERR_LIMIT, "the question took more than %d s: ask for less",
                       BILL_RUN_SECONDS);
    if (WIFSIGNALED(run->status) || got < 0
        || json_parse(bytes, (size_t)got, &failure, err) < 0
        || !json_get_text(failure, "message"))
        return tell_death(run, bytes, got, err);
    (void)err_code_from_name(json_get_text(failure, "code"), &code);
    if (json_count(json_get(failure, "errors")))
        *errors = json_copy(json_get(failure, "errors"));
    return err_set(err, code, "%s", json_get_text(failure, "message"));
}

int bill_run_take(struct bill_run *run, int *fd, int64_t *size, struct cJSON **errors,
                  struct err *err)
{
    struct stat status;

    *errors = NULL;
    if (run->failed) {
        *err = run->err;
        return -1;
    }
    if (!WIFEXITED(run->status) || WEXITSTATUS(run->status) != 0)
        return read_failure(run, errors, err);
    if (fstat(run->answer, &status) < 0)
        return err_sys(err, errno, "read the answer of railhead-bill");
    *size = status.st_size;
    *fd = run->answer;
    run->answer = -1;
    return 0;
}

void bill_run_free(struct bill_run *run)
{
    if (!run)
        return;
    if (run->state == RUN_WAITS) {
        STAILQ_REMOVE(&run->runs->waiting, run, bill_run, link);
        run->runs->waiting_count--;
    }
    if (run->state == RUN_RUNS) {
        kill_and_reap(run);
        run->runs->running--;
        loop_wake(run->runs->next);
    }
    loop_source_free(run->end);
    loop_source_free(run->limit);
    if (run->answer >= 0)
        close(run->answer);
    if (run->pidfd >= 0)
        close(run->pidfd);
    free(run->request);
    free(run);
}
