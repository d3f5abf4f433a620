/* Runs one helper and understands what it says.  Decides what is a line of its protocol
 * and what are words of a program that could not even speak it; what becomes of a
 * failure is its starter's business. */

#include "src/worker/helper.h"

#include "src/files.h"
#include "src/json.h"
#include "src/worker/complain.h"
#include "src/worker/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line of the protocol has one error or URI in it. */
enum {
    LINE_MAX_BYTES = 16384
};

/* A file in memory: the plan has secrets, and a pipe would hold no more than 64 KiB. */
static int plan_file(const struct worker_plan *plan, struct err *err)
{
    struct worker_plan shown = *plan;
    auto_json struct cJSON *json = NULL;
    auto_free char *text = NULL;
    auto_close int fd = memfd_create("plan", MFD_CLOEXEC);

    shown.ranks = NULL;
    shown.rank_count = 0;
    json = worker_plan_to_json(&shown);
    text = json_print(json);
    if (fd < 0)
        return err_sys(err, errno, "make a file in memory");
    if (write_all(fd, text, strlen(text), err) < 0)
        return -1;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return err_sys(err, errno, "rewind the plan");
    return steal_fd(&fd);
}

static int start(struct helper *out, const struct spawn_request *request,
                 struct err *err)
{
    struct spawn spawn;

    if (spawn_start(request, &spawn, err) < 0)
        return -1;
    if (spawn_confirm(&spawn, request, err) < 0) {
        waitpid(spawn.pid, NULL, 0);
        return -1;
    }
    out->pid = spawn.pid;
    return 0;
}

int helper_start(struct helper *out, const char *folder, char *const *argv,
                 const struct worker_plan *plan, struct err *err)
{
    /* Unless it says otherwise: whoever killed it may not be there another time. */
    struct helper helper = { .folder = folder, .output_fd = -1, .retry = true };
    /* One of ours: it has the environment that the daemon gave us. */
    struct spawn_request request = { .argv = argv,
                                     .env = environ,
                                     .folder = folder,
                                     .cgroup_fd = -1 };
    auto_close int child_end = -1;
    auto_close int input = -1;
    int pipe_fds[2];
    int result;

    if (plan) {
        input = plan_file(plan, err);
        if (input < 0)
            return -1;
        request.input_fd = input;
    }
    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return err_sys(err, errno, "make a pipe");
    child_end = pipe_fds[1];
    request.output_fd = child_end;
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    result = start(&helper, &request, err);
    if (result < 0) {
        close(pipe_fds[0]);
        return result;
    }
    helper.output_fd = pipe_fds[0];
    *out = helper;
    return 0;
}

static void set_error(struct helper *helper, const char *words)
{
    free(helper->error);
    helper->error = xstrdup(words);
}

/* Gives `value` to the place of an older one. */
static void keep(struct cJSON **place, const struct cJSON *value)
{
    if (!value)
        return;
    json_free(*place);
    *place = json_copy(value);
}

static void understand(struct helper *helper, const char *line, size_t len)
{
    auto_json struct cJSON *json = NULL;
    const char *words;

    if (json_parse(line, len, &json, NULL) < 0 || json_kind(json) != JSON_OBJECT) {
        set_error(helper, line);
        return;
    }
    keep(&helper->progress, json_get(json, "progress"));
    keep(&helper->artifacts, json_get(json, "artifacts"));
    helper->is_ready = helper->is_ready || json_get_bool(json, "ready");
    words = json_get_text(json, "warning");
    if (words)
        complain(helper->folder, words);
    words = json_get_text(json, "remark");
    if (words)
        text_printf(&helper->remark, "%s%s", helper->remark.len ? "; " : "", words);
    words = json_get_text(json, "error");
    if (words) {
        set_error(helper, words);
        helper->retry = json_get_bool(json, "retry");
    }
}

/* Every whole line of what is there; what is longer than any line can be counts as one.
 */
static void understand_lines(struct helper *helper, bool at_end)
{
    struct text *line = &helper->line;

    while (line->len > 0) {
        char *feed = memchr(line->bytes, '\n', line->len);
        size_t len = feed ? (size_t)(feed - line->bytes) : line->len;

        if (!feed && !at_end && line->len < LINE_MAX_BYTES)
            return;
        if (feed)
            *feed = '\0';
        if (len > 0)
            understand(helper, line->bytes, len);
        text_drop(line, feed ? len + 1 : len);
    }
}

static void close_output(struct helper *helper)
{
    close(helper->output_fd);
    helper->output_fd = -1;
    understand_lines(helper, true);
}

void helper_hear(struct helper *helper)
{
    char bytes[4096];

    while (helper->output_fd >= 0) {
        ssize_t got = read(helper->output_fd, bytes, sizeof bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close_output(helper);
            return;
        }
        text_add(&helper->line, bytes, (size_t)got);
        understand_lines(helper, false);
    }
}

void helper_reaped(struct helper *helper, int status)
{
    helper->pid = 0;
    helper->status = status;
    helper_hear(helper);
    if (helper->output_fd >= 0) /* what it started has it too: not waited for */
        close_output(helper);
}

void helper_signal(struct helper *helper, int signal_number)
{
    if (helper->pid <= 0)
        return;
    helper->is_killed = helper->is_killed || signal_number == SIGKILL;
    kill(-helper->pid, signal_number);
}

const char *helper_failure(struct helper *helper)
{
    if (helper->status == 0)
        return NULL;
    if (!helper->error && WIFSIGNALED(helper->status))
        helper->error =
            xasprintf("the helper was killed by signal %d", WTERMSIG(helper->status));
    else if (!helper->error)
        helper->error =
            xasprintf("the helper exited with code %d", WEXITSTATUS(helper->status));
    return helper->error;
}

void helper_clear(struct helper *helper)
{
    if (helper->output_fd >= 0)
        close(helper->output_fd);
    free(helper->error);
    json_free(helper->progress);
    json_free(helper->artifacts);
    text_clear(&helper->line);
    text_clear(&helper->remark);
    *helper = (struct helper)HELPER_NONE;
}
