/* One worker's life, from its plan to the last line of its journal.  Decides the order;
 * each part has its own file.  railhead-worker(8) is the same in words. */

#include "src/clock.h"
#include "src/files.h"
#include "src/process.h"
#include "src/worker/complain.h"
#include "src/worker/descendants.h"
#include "src/worker/isolate.h"
#include "src/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A plan of 1,024 ranks with environments of 32 KiB each. */
#define PLAN_MAX ((size_t)64 << 20)

static int write_ready(struct worker *worker, struct err *err)
{
    struct cJSON *line;
    uint64_t ticks;
    char digits[24];

    worker->ready_boot = clock_boot();
    worker->heartbeat_boot = worker->ready_boot + HEARTBEAT_INTERVAL;
    if (process_start_ticks(getpid(), &ticks, err) < 0)
        return -1;
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)ticks);
    line = journal_writer_line(&worker->journal, JOURNAL_READY, worker->ready_boot);
    json_set_text(line, "boot_id", clock_boot_id());
    json_set_int(line, "pid", getpid());
    json_set_text(line, "start_ticks", digits);
    return journal_writer_append(&worker->journal, line, err);
}

/* From stdin, so that what may be secret in an environment is in no file; it is given
 * back at once. */
static int read_plan(struct worker *worker, struct err *err)
{
    auto_free char *bytes = NULL;
    auto_json struct cJSON *json = NULL;
    auto_close int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    size_t len;

    if (file_read("/dev/stdin", PLAN_MAX, &bytes, &len, err) < 0
        || json_parse(bytes, len, &json, err) < 0
        || worker_plan_from_json(json, &worker->plan, err) < 0)
        return err_wrap(err, "plan");
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        return err_sys(err, errno, "/dev/null");
    return 0;
}

/* A plan that cannot be read, or a pattern that does not compile: decided before it got
 * here, so ours. */
static bool understand(struct worker *worker)
{
    struct err why;

    if (read_plan(worker, &why) == 0
        && metrics_new(worker->plan, worker->folder, &worker->journal, &worker->metrics,
                       &why)
               == 0)
        return true;
    ending_because(&worker->ending, END_INFRASTRUCTURE, "%s", why.text);
    return false;
}

/* The exception that the first failing rank died of.  Behind a launcher several
 * programs print, and the launcher last: there the first one is the cause. */
static const char *exception_of(const struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++) {
        const struct traceback *traceback = &worker->ranks[i].output.traceback;

        /* The failing rank is one below mpirun, whose number is its own. */
        if (worker->plan->ranks[i].kind == RANK_LAUNCHER)
            return traceback->first;
        if (worker->plan->ranks[i].rank == worker->ending.rank)
            return traceback->last;
    }
    return NULL;
}

/* Only of a failure that was the program's own. */
static void failure_to_json(const struct worker *worker, struct cJSON *line)
{
    enum end_cause cause = worker->ending.cause;
    auto_free char *words = NULL;

    if (cause != END_FAILED && cause != END_SIGNAL && cause != END_OOM)
        return;
    words = failure_read(worker->plan->ml_folder);
    if (words)
        json_set_text(line, "failure", words);
    if (exception_of(worker))
        json_set_text(line, "traceback", exception_of(worker));
}

static int write_end(struct worker *worker, enum journal_kind kind, bool with_metrics,
                     struct err *err)
{
    usec_t now = clock_boot();
    struct cJSON *line = journal_writer_line(&worker->journal, kind, now);

    ending_to_json(&worker->ending, line);
    json_set(line, "metrics",
             with_metrics ? metrics_last(worker->metrics, &worker->journal)
                          : json_object_new());
    failure_to_json(worker, line);
    if (worker->staging.failed)
        json_set_bool(line, "retry", worker->staging.retry);
    if (worker->staging.artifacts)
        json_set(line, "artifacts", json_copy(worker->staging.artifacts));
    if (worker->utilization)
        json_set(line, "utilization", json_copy(worker->utilization));
    return journal_writer_append(&worker->journal, line, err);
}

/* Names of metrics can make the line too long; without them it always fits. */
int life_write_end(struct worker *worker, enum journal_kind kind, struct err *err)
{
    if (write_end(worker, kind, true, err) == 0)
        return 0;
    return err->code == ERR_LIMIT ? write_end(worker, kind, false, err) : -1;
}

static void remark_metrics(struct worker *worker)
{
    auto_free char *remark = metrics_remark(worker->metrics);

    if (remark)
        ending_remark(&worker->ending, remark);
}

/* What is ours or the host's to give: neither is the user's fault. */
static bool enter(struct worker *worker)
{
    struct err why;

    if (isolate_enter(worker, &why) == 0)
        return true;
    ending_because(&worker->ending,
                   why.code == ERR_INVALID ? END_LAUNCH : END_INFRASTRUCTURE, "%s",
                   why.text);
    return false;
}

static int launch_and_watch(struct worker *worker, struct err *err)
{
    worker->sampler = sampler_new(worker->folder, &worker->cgroup, worker->plan);
    if (ranks_launch(worker, err) < 0 || watch_run(worker, err) < 0)
        return -1;
    worker->utilization = sampler_summary(worker->sampler, clock_boot());
    return 0;
}

/* The middle of a life. Fails when the journal cannot be written. */
static int live(struct worker *worker, struct err *err)
{
    if (!understand(worker) || !enter(worker))
        return 0;
    if (prepare_run(worker, err) < 0)
        return -1;
    if (!worker->ending.decided && launch_and_watch(worker, err) < 0)
        return -1;
    remark_metrics(worker);
    return staging_out(worker, err);
}

/* Whatever is left of what we started, and what that did. */
static void end_children(void)
{
    int status;
    pid_t pid;
    int found;

    while ((found = descendants_reap(&pid, &status)) >= 0) {
        if (found == 0) {
            descendants_kill_children();
            usleep(20000);
        }
    }
}

/* The journal failed, most likely for want of disk: nothing that goes on can be
 * accounted for. */
static void abandon(struct worker *worker, const struct err *why)
{
    complain(worker->folder, why->text);
    cgroup_kill(&worker->cgroup);
    end_children();
    ending_clear(&worker->ending);
    ending_init(&worker->ending);
    ending_because(&worker->ending, END_INFRASTRUCTURE, "%s", why->text);
}

static int run(struct worker *worker, struct err *err)
{
    if (write_ready(worker, err) < 0)
        return -1;
    if (live(worker, err) < 0)
        abandon(worker, err);
    sampler_free(worker->sampler);
    end_children();
    cgroup_close(&worker->cgroup);
    return life_write_end(worker, JOURNAL_ENDED, err);
}

static void clear(struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        output_close(&worker->ranks[i].output);
    free(worker->ranks);
    metrics_free(worker->metrics);
    json_free(worker->utilization);
    staging_clear(&worker->staging);
    peers_free(worker->peers);
    mpi_ends_clear(&worker->mpi);
    mpi_own_clear(&worker->said);
    users_free(worker);
    worker_plan_free(worker->plan);
    ending_clear(&worker->ending);
    control_close(&worker->control);
    journal_writer_close(&worker->journal);
}

static int start(const char *folder, struct err *err)
{
    struct worker worker = { .folder = folder,
                             .cgroup = { .fd = -1 },
                             .said = MPI_OWN_NONE,
                             .kill_boot = INT64_MAX };
    bool ours;
    int result;

    if (journal_writer_open(folder, &worker.journal, &ours, err) < 0)
        return -1;
    if (!ours)
        return 0;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return err_sys(err, errno, "become a subreaper");
    if (control_open(folder, &worker.control, err) < 0)
        return -1;
    ending_init(&worker.ending);
    staging_init(&worker.staging);
    result = run(&worker, err);
    clear(&worker);
    return result;
}

int worker_live(const char *folder)
{
    struct err err;

    if (start(folder, &err) == 0)
        return 0;
    complain(folder, err.text);
    return 1;
}
