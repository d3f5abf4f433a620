/* Starts the ranks: all of them before the first exec is waited for, so that a worker
 * of 32 starts as fast as its slowest.  Decides what becomes of a launch that fails
 * half-way. */

#include "src/clock.h"
#include "src/worker/complain.h"
#include "src/worker/spawn.h"
#include "src/worker/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A start that the ranks' cgroup refuses is tried without: the walk will find them. */
static int start_process(struct worker *worker, struct spawn_request *request,
                         struct spawn *spawn, struct err *err)
{
    request->cgroup_fd = worker->cgroup.fd;
    request->tasks_fd = worker->cgroup.tasks_fd;
    if (spawn_start(request, spawn, err) == 0)
        return 0;
    if (request->cgroup_fd < 0)
        return -1;
    err_wrap(err, "the cgroup %s cannot be used", worker->cgroup.path);
    complain(worker->folder, err->text);
    cgroup_leave(&worker->cgroup);
    request->cgroup_fd = -1;
    return spawn_start(request, spawn, err);
}

static int start_rank(struct worker *worker, size_t i, struct spawn_request *request,
                      struct spawn *spawn, struct err *err)
{
    const struct rank_plan *plan = &worker->plan->ranks[i];
    struct rank *rank = &worker->ranks[i];
    auto_close int child_end = -1;

    if (output_open(worker->folder, plan->rank, &rank->output, &child_end, err) < 0)
        return -1;
    worker->opened++;
    *request = (struct spawn_request){ plan->argv, plan->env, worker->plan->work_folder,
                                       child_end, -1, 0 };
    if (start_process(worker, request, spawn, err) < 0)
        return -1;
    rank->pid = spawn->pid;
    worker->running++;
    return 0;
}

static void decide_launch(struct worker *worker, size_t i, const struct err *why)
{
    if (!ending_because(&worker->ending, END_LAUNCH, "rank %d: %s",
                        worker->plan->ranks[i].rank, why->text))
        return;
    worker->ending.rank = worker->plan->ranks[i].rank;
    worker->ending.boot = clock_boot();
}

static void start_all(struct worker *worker)
{
    size_t count = worker->plan->rank_count;
    auto_free struct spawn *spawns = xcalloc(count, sizeof *spawns);
    auto_free struct spawn_request *requests = xcalloc(count, sizeof *requests);
    size_t started = 0;
    struct err why;

    for (; started < count; started++) {
        if (start_rank(worker, started, &requests[started], &spawns[started], &why)
            < 0) {
            decide_launch(worker, started, &why);
            break;
        }
    }
    for (size_t i = 0; i < started; i++)
        if (spawn_confirm(&spawns[i], &requests[i], &why) < 0)
            decide_launch(worker, i, &why);
}

static int write_launched(struct worker *worker, struct err *err)
{
    struct cJSON *line =
        journal_writer_line(&worker->journal, JOURNAL_LAUNCHED, clock_boot());
    struct cJSON *ranks = json_array_new();

    for (size_t i = 0; i < worker->plan->rank_count; i++) {
        struct cJSON *rank = json_object_new();

        json_set_int(rank, "rank", worker->plan->ranks[i].rank);
        json_set_int(rank, "pid", worker->ranks[i].pid);
        json_append(ranks, rank);
    }
    json_set(line, "ranks", ranks);
    return journal_writer_append(&worker->journal, line, err);
}

int ranks_launch(struct worker *worker, struct err *err)
{
    struct err why;

    worker->ranks = xcalloc(worker->plan->rank_count, sizeof *worker->ranks);
    if (cgroup_open(worker->plan->cgroup, &worker->cgroup, &why) < 0)
        complain(worker->folder, why.text);
    if (cgroup_limit_memory(&worker->cgroup, worker->plan->memory_cgroup,
                            worker->plan->memory_bytes, &why)
        < 0)
        complain(worker->folder, why.text);
    start_all(worker);
    if (!worker->ending.decided)
        return write_launched(worker, err);
    ranks_signal(worker, SIGKILL);
    return 0;
}

/* Each rank leads a session and process group of its own, so what a shell started in it
 * is told too.  Its number cannot pass to others while the leader is not reaped. */
void ranks_signal(struct worker *worker, int signal_number)
{
    for (size_t i = 0; i < worker->opened; i++) {
        struct rank *rank = &worker->ranks[i];

        if (rank->pid <= 0)
            continue;
        kill(-rank->pid, signal_number);
        kill(-rank->pid, SIGCONT); /* who was suspended could not save */
        rank->told_group = signal_number == SIGTERM ? rank->pid : 0;
    }
}

/* Asks only: a group's number could have passed to others by now, and then costs a wait
 * that the grace bounds, but hits nobody. */
bool ranks_linger(const struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->ranks[i].told_group > 0
            && kill(-worker->ranks[i].told_group, 0) == 0)
            return true;
    return false;
}
