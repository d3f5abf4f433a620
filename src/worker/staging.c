/* What is moved before, beside and after the ranks.  Decides when which verb of
 * railhead-stage runs, what its failure means for the job, and how long storing may
 * take after a stop; how anything is moved is railhead-stage's business. */

#include "src/worker/staging.h"

#include "src/clock.h"
#include "src/files.h"
#include "src/worker/complain.h"
#include "src/worker/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/*
 * After a stop, a limit or a fault, storing has this long, waiting for the other
 * workers included.  At 100 MB/s it is 180 GB, more than a checkpoint of a model of 10
 * billion parameters with its optimizer has; and who asked for a stop is not billed
 * for a day of a storage that hangs.  An end by the ranks' own doing has no limit but
 * those of railhead-stage.
 */
#define STORING_MAX (INT64_C(1800) * USEC_PER_SEC)

/* Checkpoints go on being written while their storage is away. */
#define CHECKPOINTS_RETRY (60 * USEC_PER_SEC)

void staging_init(struct staging *staging)
{
    *staging = (struct staging){ .pipe = HELPER_NONE,
                                 .checkpoints = HELPER_NONE,
                                 .until_boot = INT64_MAX };
}

void staging_clear(struct staging *staging)
{
    helper_clear(&staging->pipe);
    helper_clear(&staging->checkpoints);
    json_free(staging->artifacts);
    staging->artifacts = NULL;
}

static int start(const struct worker *worker, char *verb, struct helper *out,
                 struct err *err)
{
    auto_free char *program = path_of_helper("railhead-stage");
    char *argv[] = { program, verb, NULL };

    return helper_start(out, worker->folder, argv, worker->plan, err);
}

static int start_checkpoints(struct worker *worker, struct err *err)
{
    char verb[] = "checkpoints";

    worker->staging.checkpoints_boot = clock_boot() + CHECKPOINTS_RETRY;
    return start(worker, verb, &worker->staging.checkpoints, err);
}

/* Decided before it got here, so ours. */
static void not_started(struct worker *worker, const struct err *why)
{
    ending_because(&worker->ending, END_INFRASTRUCTURE, "%s", why->text);
}

static bool input_failed(struct worker *worker, struct helper *helper)
{
    const char *why = helper_failure(helper);

    if (!why || !ending_because(&worker->ending, END_INPUT, "%s", why))
        return false;
    worker->staging.failed = true;
    worker->staging.retry = helper->retry;
    return true;
}

/* Whoever picks processes by hand, or a host that is short of memory. */
static bool was_killed_from_outside(const struct helper *helper)
{
    return helper->pid == 0 && WIFSIGNALED(helper->status) && !helper->is_killed;
}

/* Such a one is started again, once: it goes on with what is there.  When that fails
 * the first end stays. */
static int once_more(struct worker *worker, char *verb, struct helper *helper,
                     give_up_t *give_up, struct err *err)
{
    struct helper again = HELPER_NONE;
    struct err why;

    if (!was_killed_from_outside(helper) || start(worker, verb, &again, &why) < 0)
        return 0;
    helper_clear(helper);
    *helper = again;
    return follow_helper(worker, helper, false, give_up, err);
}

static bool stopped(struct worker *worker)
{
    return stop_check(worker, clock_boot());
}

static int fetch(struct worker *worker, struct err *err)
{
    struct helper in = HELPER_NONE;
    char verb[] = "in";
    struct err why;
    int result;

    if (start(worker, verb, &in, &why) < 0) {
        not_started(worker, &why);
        return 0;
    }
    result = follow_helper(worker, &in, false, stopped, err);
    if (result == 0)
        result = once_more(worker, verb, &in, stopped, err);
    if (result == 0)
        input_failed(worker, &in);
    helper_clear(&in);
    return result;
}

/* Until every FIFO of epoch 0 is there: a program that opens one finds it. */
static int begin_pipe(struct worker *worker, struct err *err)
{
    struct helper *pipe = &worker->staging.pipe;
    char verb[] = "pipe";
    struct err why;

    if (start(worker, verb, pipe, &why) < 0) {
        not_started(worker, &why);
        return 0;
    }
    if (follow_helper(worker, pipe, true, stopped, err) < 0)
        return -1;
    if (pipe->pid == 0)
        input_failed(worker, pipe);
    return 0;
}

static bool has_channel(const struct worker_plan *plan, bool piped)
{
    for (size_t i = 0; i < plan->channel_count; i++)
        if ((plan->channels[i].mode == CHANNEL_PIPE) == piped)
            return true;
    return false;
}

int staging_in(struct worker *worker, struct err *err)
{
    const struct worker_plan *plan = worker->plan;
    struct err why;

    if ((has_channel(plan, false) || plan->checkpoint_uri) && fetch(worker, err) < 0)
        return -1;
    if (!worker->ending.decided && has_channel(plan, true)
        && begin_pipe(worker, err) < 0)
        return -1;
    if (!worker->ending.decided && plan->checkpoint_uri
        && start_checkpoints(worker, &why) < 0)
        complain(worker->folder, why.text);
    return 0;
}

void staging_poll(const struct worker *worker, struct pollfd fds[STAGING_FDS])
{
    const struct staging *staging = &worker->staging;

    fds[0] = (struct pollfd){ .fd = staging->pipe.output_fd, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = staging->checkpoints.output_fd, .events = POLLIN };
}

/* That checkpoints are not kept for a while is no reason to end a run that is well. */
static void tend_checkpoints(struct worker *worker, usec_t now)
{
    struct helper *helper = &worker->staging.checkpoints;
    struct err why;

    if (!worker->plan->checkpoint_uri || helper->pid > 0)
        return;
    if (helper_failure(helper)) {
        auto_free char *words =
            xasprintf("checkpoints are not kept for now: %s", helper_failure(helper));

        complain(worker->folder, words);
        helper_clear(helper);
    }
    if (now >= worker->staging.checkpoints_boot && start_checkpoints(worker, &why) < 0)
        complain(worker->folder, why.text);
}

bool staging_hear(struct worker *worker, usec_t now)
{
    struct staging *staging = &worker->staging;

    helper_hear(&staging->pipe);
    helper_hear(&staging->checkpoints);
    tend_checkpoints(worker, now);
    return staging->pipe.pid == 0 && input_failed(worker, &staging->pipe);
}

bool staging_reaped(struct worker *worker, pid_t pid, int status)
{
    struct staging *staging = &worker->staging;

    if (!staging_owns(worker, pid))
        return false;
    helper_reaped(pid == staging->pipe.pid ? &staging->pipe : &staging->checkpoints,
                  status);
    return true;
}

bool staging_owns(const void *context, pid_t pid)
{
    const struct worker *worker = context;

    return pid > 0
           && (pid == worker->staging.pipe.pid
               || pid == worker->staging.checkpoints.pid);
}

bool staging_runs(const struct worker *worker)
{
    return worker->staging.pipe.pid > 0 || worker->staging.checkpoints.pid > 0;
}

/* Storing goes on after a stop, and is not cut by a second one: what a stopped job has
 * saved is the reason why its stop has a grace. */
static bool storing_is_over(struct worker *worker)
{
    usec_t *until = &worker->staging.until_boot;
    usec_t now = clock_boot();
    enum end_cause cause;

    if (control_stop_asked(&worker->control, now, &cause) && *until == INT64_MAX)
        *until = now + STORING_MAX;
    return now >= *until;
}

/* One that has not become ready in the time after which another would be tried hangs.
 */
static bool readiness_is_over(struct worker *worker)
{
    return storing_is_over(worker) || clock_boot() >= worker->staging.checkpoints_boot;
}

/* What is not stored stays here, and the job does not hide it. */
static void not_stored(struct worker *worker, const char *what, struct helper *helper)
{
    bool over = clock_boot() >= worker->staging.until_boot;
    auto_free char *words =
        xasprintf("%s could not be stored: %s; they are kept in %s/ml", what,
                  over ? "30 minutes after the stop were over" : helper_failure(helper),
                  worker->folder);

    if (ending_because(&worker->ending, END_OUTPUT, "%s", words)) {
        worker->staging.failed = true;
        worker->staging.retry = helper->retry;
    } else {
        ending_remark(&worker->ending, words);
    }
}

static void stored(struct worker *worker, const char *what, struct helper *helper)
{
    if (helper_failure(helper))
        not_stored(worker, what, helper);
    else if (helper->remark.len > 0)
        ending_remark(&worker->ending, helper->remark.bytes);
}

static void store_not_started(struct worker *worker, const struct err *why)
{
    if (!ending_because(&worker->ending, END_INFRASTRUCTURE, "%s", why->text))
        ending_remark(&worker->ending, why->text);
}

/* Once more, when all that writes them is gone.  A SIGTERM before it is ready would end
 * it with nothing done. */
static int sync_once(struct worker *worker, struct err *err)
{
    struct helper *helper = &worker->staging.checkpoints;
    struct err why;

    if (helper->pid == 0) {
        helper_clear(helper);
        if (start_checkpoints(worker, &why) < 0) {
            store_not_started(worker, &why);
            return 0;
        }
    }
    if (follow_helper(worker, helper, true, readiness_is_over, err) < 0)
        return -1;
    helper_signal(helper, SIGTERM);
    return follow_helper(worker, helper, false, storing_is_over, err);
}

static int sync_checkpoints(struct worker *worker, struct err *err)
{
    struct helper *helper = &worker->staging.checkpoints;

    if (sync_once(worker, err) < 0)
        return -1;
    if (was_killed_from_outside(helper) && sync_once(worker, err) < 0)
        return -1;
    stored(worker, "the last checkpoints", helper);
    return 0;
}

/* What they have made is stored with what was made here. */
static int await_peers(struct worker *worker, struct err *err)
{
    usec_t due = 0;

    while (!storing_is_over(worker)) {
        usec_t now = clock_boot();

        if (now >= due) {
            due = now + PEERS_INTERVAL;
            peers_look(worker->peers);
        }
        if (peers_all_at(worker->peers, PEER_ENDED))
            break;
        if (follow_nobody(worker, err) < 0)
            return -1;
    }
    return 0;
}

static int store_outputs(struct worker *worker, struct err *err)
{
    struct helper out = HELPER_NONE;
    char verb[] = "out";
    struct err why;
    int result;

    if (await_peers(worker, err) < 0)
        return -1;
    if (start(worker, verb, &out, &why) < 0) {
        store_not_started(worker, &why);
        return 0;
    }
    result = follow_helper(worker, &out, false, storing_is_over, err);
    if (result == 0)
        result = once_more(worker, verb, &out, storing_is_over, err);
    if (result == 0)
        stored(worker, "outputs", &out);
    worker->staging.artifacts = steal_ptr(&out.artifacts);
    helper_clear(&out);
    return result;
}

/* Killed, and reaped: it leaves nothing to wait for. */
static int end_helper(struct worker *worker, struct helper *helper, struct err *err)
{
    helper_signal(helper, SIGKILL);
    return follow_helper(worker, helper, false, storing_is_over, err);
}

/* Where nothing was launched nothing has been made. */
static bool stores(const struct worker *worker)
{
    return worker->opened > 0 && worker->ending.cause != END_LAUNCH
           && (worker->plan->output_uri || worker->plan->checkpoint_uri);
}

int staging_out(struct worker *worker, struct err *err)
{
    struct staging *staging = &worker->staging;
    const struct worker_plan *plan = worker->plan;

    if (end_helper(worker, &staging->pipe, err) < 0)
        return -1;
    if (!stores(worker))
        return end_helper(worker, &staging->checkpoints, err);
    if (worker->ending.decided && worker->ending.rank < 0)
        staging->until_boot = clock_boot() + STORING_MAX;
    if (life_write_end(worker, JOURNAL_UPLOADING, err) < 0)
        return -1;
    if (plan->checkpoint_uri && sync_checkpoints(worker, err) < 0)
        return -1;
    if (plan->output_uri && plan->worker == 0)
        return store_outputs(worker, err);
    return 0;
}
