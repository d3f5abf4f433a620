/* One worker's life, from its plan to the last line of its journal.  Decides the order;
 * each part has its own file.  railhead-worker(8) is the same in words. */

#include "src/clock.h"
#include "src/files.h"
#include "src/process.h"
#include "src/worker/complain.h"
#include "src/worker/descendants.h"
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
        && metrics_new(worker->plan, &worker->metrics, &why) == 0)
        return true;
    ending_because(&worker->ending, END_INFRASTRUCTURE, "%s", why.text);
    return false;
}

static int write_ended(struct worker *worker, bool with_metrics, struct err *err)
{
    struct cJSON *line =
        journal_writer_line(&worker->journal, JOURNAL_ENDED, clock_boot());

    ending_to_json(&worker->ending, line);
    json_set(line, "metrics",
             with_metrics ? metrics_last(worker->metrics, &worker->journal)
                          : json_object_new());
    return journal_writer_append(&worker->journal, line, err);
}

/* The middle of a life. Fails when the journal cannot be written. */
static int live(struct worker *worker, struct err *err)
{
    if (!understand(worker))
        return 0;
    if (prepare_run(worker, err) < 0)
        return -1;
    if (!worker->ending.decided && ranks_launch(worker, err) < 0)
        return -1;
    return watch_run(worker, err);
}

/* The journal failed, most likely for want of disk: nothing that goes on can be
 * accounted for. */
static void abandon(struct worker *worker, const struct err *why)
{
    int status;
    pid_t pid;

    complain(worker->folder, why->text);
    cgroup_kill(&worker->cgroup);
    for (;;) {
        int found = descendants_reap(&pid, &status);

        if (found < 0)
            break;
        if (found == 0) {
            descendants_kill_children();
            usleep(20000);
        }
    }
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
    cgroup_close(&worker->cgroup);
    if (write_ended(worker, true, err) == 0)
        return 0;
    /* Names of metrics can make the line too long; without them it always fits. */
    return err->code == ERR_LIMIT ? write_ended(worker, false, err) : -1;
}

static void clear(struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        output_close(&worker->ranks[i].output);
    free(worker->ranks);
    metrics_free(worker->metrics);
    worker_plan_free(worker->plan);
    ending_clear(&worker->ending);
    control_close(&worker->control);
    close(worker->journal.fd);
}

static int start(const char *folder, struct err *err)
{
    struct worker worker = { .folder = folder,
                             .cgroup = { .fd = -1 },
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
