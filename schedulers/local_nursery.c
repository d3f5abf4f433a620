/* Our end of the nursery's socket: requests out, answers in, in the same order. */

#include "schedulers/local_nursery.h"

#include "src/files.h"
#include "src/log.h"
#include "src/nursery.h"
#include "src/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    END_MS = 10
};

struct request {
    void *context; /* NULL: forgotten */
    char *folder;
    int plan;         /* our own descriptor of it, until the answer */
    bool asked_again; /* of another nursery */
    STAILQ_ENTRY(request) in_line;
};

STAILQ_HEAD(request_line, request);

struct local_nursery {
    struct loop *loop;
    char *worker_path;
    int64_t file_limit;
    local_nursery_callback_t *callback;
    int socket; /* -1: there is no nursery */
    int pidfd;
    struct loop_source *source;
    struct request_line asked; /* not answered yet, oldest first */
};

struct local_nursery *local_nursery_new(struct loop *loop,
                                        const struct sched_settings *settings,
                                        local_nursery_callback_t *callback)
{
    struct local_nursery *nursery = xcalloc(1, sizeof *nursery);

    nursery->loop = loop;
    nursery->worker_path = xstrdup(settings->worker_path);
    nursery->file_limit = settings->file_limit;
    nursery->callback = callback;
    nursery->socket = -1;
    nursery->pidfd = -1;
    STAILQ_INIT(&nursery->asked);
    return nursery;
}

/* A nursery ends when its socket does, and its socket a moment before it: so it is
 * waited for, as long as a callback may take.  One that is slower than a daemon which
 * ends is reaped by the system. */
static void leave(struct local_nursery *nursery)
{
    struct pollfd end = { .fd = nursery->pidfd, .events = POLLIN };
    int status;

    loop_source_free(nursery->source);
    nursery->source = NULL;
    if (nursery->socket >= 0)
        close(nursery->socket);
    nursery->socket = -1;
    if (nursery->pidfd < 0)
        return;
    poll(&end, 1, END_MS);
    process_reap(nursery->pidfd, &status);
    close(nursery->pidfd);
    nursery->pidfd = -1;
}

static void free_request(struct request *request)
{
    close(request->plan);
    free(request->folder);
    free(request);
}

void local_nursery_free(struct local_nursery *nursery)
{
    struct request *request;

    if (!nursery)
        return;
    leave(nursery);
    while ((request = STAILQ_FIRST(&nursery->asked))) {
        STAILQ_REMOVE_HEAD(&nursery->asked, in_line);
        free_request(request);
    }
    free(nursery->worker_path);
    free(nursery);
}

void local_nursery_forget(struct local_nursery *nursery, const void *context)
{
    struct request *request;

    STAILQ_FOREACH (request, &nursery->asked, in_line)
        if (request->context == context)
            request->context = NULL;
}

static void answer_first(struct local_nursery *nursery, pid_t pid, int pidfd,
                         const char *why_not)
{
    struct request *request = STAILQ_FIRST(&nursery->asked);
    void *context;

    if (!request) {
        if (pidfd >= 0)
            close(pidfd);
        return;
    }
    STAILQ_REMOVE_HEAD(&nursery->asked, in_line);
    context = request->context;
    free_request(request);
    if (context)
        nursery->callback(context, pid, pidfd, why_not);
    else if (pidfd >= 0)
        close(pidfd);
}

static void on_answer(void *context);

/* The last word makes room for what ps shall show of each worker. */
static int start(struct local_nursery *nursery, struct err *err)
{
    char room[512];
    char files[24];
    const char *const argv[] = { nursery->worker_path, "--nursery", files, room, NULL };
    const char *const envp[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                                 NULL };
    /* A nursery that does not take a request in this time is not worth waiting for. */
    const struct timeval patience = { .tv_sec = 5 };
    int ends[2];
    pid_t pid;
    int result;

    snprintf(files, sizeof files, "%lld", (long long)nursery->file_limit);
    memset(room, '.', sizeof room - 1);
    room[sizeof room - 1] = '\0';
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_sys(err, errno, "make a socket for the nursery");
    nursery->socket = ends[0];
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    result = process_spawn(argv, envp, (struct process_files){ ends[1], -1 }, &pid,
                           &nursery->pidfd, err);
    close(ends[1]);
    if (result == 0)
        result = loop_add_fd(nursery->loop, nursery->socket, on_answer, nursery,
                             &nursery->source, err);
    if (result < 0) {
        leave(nursery);
        return err_wrap(err, "start railhead-worker --nursery");
    }
    return 0;
}

/* 0, or the errno that it failed with. */
static int post(struct local_nursery *nursery, struct request *request)
{
    if (nursery_send(nursery->socket, request->folder, strlen(request->folder),
                     request->plan)
        < 0)
        return errno;
    STAILQ_INSERT_TAIL(&nursery->asked, request, in_line);
    return 0;
}

/* What had been asked may have been done or not.  It is asked of the next nursery,
 * once: of two workers the second one leaves.  Where that fails, too, whoever asked
 * finds out by the journal. */
static void on_gone(struct local_nursery *nursery)
{
    struct request_line unanswered = STAILQ_HEAD_INITIALIZER(unanswered);
    struct request *request;

    log_warning("local.nursery_gone effect=\"the next worker starts another\"");
    leave(nursery);
    STAILQ_CONCAT(&unanswered, &nursery->asked);
    while ((request = STAILQ_FIRST(&unanswered))) {
        bool again = request->context && !request->asked_again;

        STAILQ_REMOVE_HEAD(&unanswered, in_line);
        request->asked_again = true;
        if (again && (nursery->socket >= 0 || start(nursery, NULL) == 0)
            && post(nursery, request) == 0)
            continue;
        if (request->context)
            nursery->callback(request->context, 0, -1, NULL);
        free_request(request);
    }
}

/* One answer; 0 at the end, -1 when there is none for now. */
static int take_answer(struct local_nursery *nursery)
{
    struct nursery_answer answer;
    int pidfd;
    ssize_t got =
        nursery_receive(nursery->socket, &answer, sizeof answer, MSG_DONTWAIT, &pidfd);

    if (got < 0 && errno == EAGAIN)
        return -1;
    if (got != (ssize_t)sizeof answer)
        return 0;
    answer_first(nursery, answer.pid, pidfd,
                 answer.pid ? NULL : strerror(answer.errno_value));
    return 1;
}

static void on_answer(void *context)
{
    struct local_nursery *nursery = context;
    int taken;

    do
        taken = take_answer(nursery);
    while (taken > 0);
    if (taken == 0)
        on_gone(nursery);
}

static int ask(struct local_nursery *nursery, struct request *request, struct err *err)
{
    int failed;

    if (nursery->socket < 0 && start(nursery, err) < 0)
        return -1;
    failed = post(nursery, request);
    if (failed == EPIPE || failed == ECONNRESET) {
        on_gone(nursery);
        if (nursery->socket < 0 && start(nursery, err) < 0)
            return -1;
        failed = post(nursery, request);
    }
    return failed ? err_sys(err, failed, "ask the nursery") : 0;
}

/* The plan as a file in memory: an environment can hold secrets, which are not for the
 * disk.  -1 on failure. */
static int open_plan(const struct worker_plan *plan, struct err *err)
{
    auto_close int fd = memfd_create("railhead-plan", MFD_CLOEXEC);
    auto_json struct cJSON *json = NULL;
    auto_free char *text = NULL;

    if (fd < 0)
        return err_sys(err, errno, "memfd_create");
    json = worker_plan_to_json(plan);
    text = json_print(json);
    if (write_all(fd, text, strlen(text), err) < 0)
        return -1;
    return steal_fd(&fd);
}

int local_nursery_ask(struct local_nursery *nursery, const char *folder,
                      const struct worker_plan *plan, void *context, struct err *err)
{
    auto_close int kept = open_plan(plan, err);
    struct request *request;

    if (kept < 0)
        return -1;
    if (strlen(folder) > NURSERY_FOLDER_MAX)
        return err_set(err, ERR_INVALID, "the folder's path has more than %d bytes",
                       NURSERY_FOLDER_MAX);
    request = xcalloc(1, sizeof *request);
    request->context = context;
    request->folder = xstrdup(folder);
    request->plan = steal_fd(&kept);
    if (ask(nursery, request, err) == 0)
        return 0;
    free_request(request);
    return -1;
}
