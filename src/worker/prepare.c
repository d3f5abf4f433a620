/* Before the launch: the folders that a plan names, and its source unpacked.  Decides
 * where the unpacking program is found; the archive's own rules are src/archive.h's. */

#include "src/clock.h"
#include "src/files.h"
#include "src/text.h"
#include "src/worker/spawn.h"
#include "src/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is kept of the unpacking program's words: an error is one line. */
enum {
    WORDS_MAX = 800
};

/* How often a stop and the heartbeat are looked after meanwhile. */
enum {
    FOLLOW_MS = 50
};

/* Reads what there is; only the start is kept. False at the end. */
static bool hear(int fd, struct text *words)
{
    char bytes[1024];
    ssize_t got = read(fd, bytes, sizeof bytes);

    if (got > 0 && words->len < WORDS_MAX)
        text_add(words, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Until the program closes its output, or a stop comes, which kills it: it holds
 * nothing worth a grace. */
static int follow(struct worker *worker, int fd, pid_t pid, struct text *words,
                  struct err *err)
{
    struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
                            { .fd = worker->control.signal_fd, .events = POLLIN },
                            { .fd = -1, .events = POLLIN } };

    for (;;) {
        usec_t now;

        fds[2].fd = worker->control.inotify_fd;
        poll(fds, ARRAY_SIZE(fds), FOLLOW_MS);
        now = clock_boot();
        if (stop_check(worker, now))
            kill(-pid, SIGKILL);
        if (fds[0].revents && !hear(fd, words))
            return 0;
        if (heartbeat_run(worker, now, err) < 0)
            return -1;
    }
}

static int start_unpacker(const struct worker *worker, struct spawn *spawn, int *output,
                          struct err *err)
{
    auto_free char *program = path_of_helper("railhead-archive");
    char verb[] = "unpack";
    auto_free char *code = xasprintf("%s/code", worker->plan->ml_folder);
    char *argv[] = { program, verb, worker->plan->source_archive,
                     code, NULL };
    char *env[] = { NULL };
    struct spawn_request request = { argv, env, worker->folder, -1, -1 };
    int pipe_fds[2];
    int result;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    request.output_fd = pipe_fds[1];
    result = spawn_start(&request, spawn, err);
    close(pipe_fds[1]);
    if (result == 0)
        result = spawn_confirm(spawn, &request, err);
    if (result == 0)
        *output = pipe_fds[0];
    else
        close(pipe_fds[0]);
    return result;
}

static int unpack(struct worker *worker, struct err *err)
{
    auto_text struct text words = { 0 };
    auto_close int output = -1;
    struct spawn spawn = { 0 };
    struct err why;
    int status = 0;

    if (start_unpacker(worker, &spawn, &output, &why) < 0) {
        ending_because(&worker->ending, END_LAUNCH, "unpack the source: %s", why.text);
        return 0;
    }
    if (follow(worker, output, spawn.pid, &words, err) < 0)
        return -1;
    waitpid(spawn.pid, &status, 0);
    while (words.len > 0 && words.bytes[words.len - 1] == '\n')
        words.bytes[--words.len] = '\0';
    if (status != 0)
        ending_because(&worker->ending, END_LAUNCH, "unpack the source: %s",
                       words.len ? words.bytes : "railhead-archive failed");
    return 0;
}

int prepare_run(struct worker *worker, struct err *err)
{
    const struct worker_plan *plan = worker->plan;
    static const char *const folders[] = { "output/data", "model", "code" };
    struct err why;

    if (stop_check(worker, clock_boot()))
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        auto_free char *path = xasprintf("%s/%s", plan->ml_folder, folders[i]);

        if (folder_make(path, 0750, &why) < 0) {
            ending_because(&worker->ending, END_LAUNCH, "%s", why.text);
            return 0;
        }
    }
    if (plan->source_archive && unpack(worker, err) < 0)
        return -1;
    stop_check(worker, clock_boot());
    return 0;
}
