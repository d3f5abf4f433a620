/* Waits for a helper while no rank runs, and keeps the rest of the worker going: its
 * heartbeat, stops, progress.  Decides how often progress is told. */

#include "src/clock.h"
#include "src/worker/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* How often a stop is looked for where nothing wakes us. */
enum {
    FOLLOW_MS = 50
};

#define PROGRESS_INTERVAL USEC_PER_SEC

/* At most one a second, and the last: it says how much there was. */
static int write_progress(struct worker *worker, struct helper *helper, usec_t now,
                          struct err *err)
{
    auto_json struct cJSON *progress = NULL;
    struct cJSON *line;

    if (!helper->progress || (now < worker->staging.progress_boot && helper->pid > 0))
        return 0;
    worker->staging.progress_boot = now + PROGRESS_INTERVAL;
    progress = steal_ptr(&helper->progress);
    line = journal_writer_line(&worker->journal, JOURNAL_PROGRESS, now);
    json_each (member, progress)
        json_set(line, json_name(member), json_copy(member));
    return journal_writer_note(&worker->journal, line, err);
}

static void wait_for_more(const struct worker *worker, const struct helper *helper)
{
    struct pollfd fds[] = {
        { .fd = helper->output_fd, .events = POLLIN },
        { .fd = worker->control.signal_fd, .events = POLLIN },
        { .fd = worker->control.inotify_fd, .events = POLLIN },
    };

    poll(fds, ARRAY_SIZE(fds), FOLLOW_MS);
}

/* Signals are looked at (by give_up) before the child is: so none that comes in between
 * is taken for seen. */
static int follow_round(struct worker *worker, struct helper *helper,
                        give_up_t *give_up, struct err *err)
{
    usec_t now;
    int status;

    wait_for_more(worker, helper);
    now = clock_boot();
    if (give_up && give_up(worker))
        helper_signal(helper, SIGKILL);
    helper_hear(helper);
    if (helper->pid > 0 && waitpid(helper->pid, &status, WNOHANG) == helper->pid)
        helper_reaped(helper, status);
    if (write_progress(worker, helper, now, err) < 0)
        return -1;
    return heartbeat_run(worker, now, err);
}

int follow_helper(struct worker *worker, struct helper *helper, bool or_ready,
                  give_up_t *give_up, struct err *err)
{
    while (helper->pid > 0 && !(or_ready && helper->is_ready))
        if (follow_round(worker, helper, give_up, err) < 0)
            return -1;
    return 0;
}

int follow_nobody(struct worker *worker, struct err *err)
{
    struct helper nobody = HELPER_NONE;

    return follow_round(worker, &nobody, NULL, err);
}
