/*
 * A stop where a launcher stands between us and the user's processes.  torchrun and
 * mpirun answer SIGTERM by ending their children within seconds of their own choice, so
 * they are not told: what is below them is, and they end when it has ended.  Nor does
 * mpirun learn that a rank has ended while others may be saving (src/rsh.h).
 */

#include "src/clock.h"
#include "src/rsh.h"
#include "src/text.h"
#include "src/worker/descendants.h"
#include "src/worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often we look for processes that were begun meanwhile, and whether any is left.
 */
#define LOOK_INTERVAL (200 * USEC_PER_MSEC)

/* A launcher that has lost all its processes ends by itself, unless it waits for
 * something that a stop will not let come.  torchrun looks every 5 s, and is told not
 * to wait for that.  mpirun's abort takes 1.5 s, in the midst of which it crashes when
 * it is told: so it has longer, and neither is told twice.  At last they are killed. */
#define TORCHRUN_ALONE (1 * USEC_PER_SEC)
#define MPIRUN_ALONE   (4 * USEC_PER_SEC)
#define LAUNCHER_TOLD  (2 * USEC_PER_SEC)

/* What ranks leave behind keeps their output open, for which mpirun and its daemons
 * wait without end: so long it may stand when no rank runs here any more. */
#define LEFT_ALONE (2 * USEC_PER_SEC)

struct told {
    struct process_id *items;
    size_t count;
    usec_t due;
    usec_t alone_boot; /* since when no launcher of the job has a process of the user's
                          below it; 0: not so */
    bool launchers_told;
    bool linger;
};

static bool is_launcher(const struct worker *worker, pid_t pid)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->ranks[i].pid == pid)
            return true;
    return remote_has(worker->remote, pid);
}

static bool holds_back(const struct descendant *process)
{
    return strcmp(process->name, RSH_RANK_NAME) == 0
           || strcmp(process->name, RSH_DONE_NAME) == 0;
}

/* mpirun where a script of its name stands before it, its daemons, its agents which
 * wait for those elsewhere, and ours in between. */
static bool is_of_mpirun(const struct descendant *process)
{
    return strcmp(process->name, "mpirun") == 0 || strcmp(process->name, "orterun") == 0
           || text_starts_with(process->name, "orted")
           || text_starts_with(process->name, "railhead-rsh") || holds_back(process);
}

static bool is_users(const struct worker *worker, const struct descendant *process)
{
    return !is_launcher(worker, process->id.pid) && !is_of_mpirun(process);
}

static bool was_told(const struct told *told, const struct process_id *id)
{
    for (size_t i = 0; i < told->count; i++)
        if (told->items[i].pid == id->pid
            && told->items[i].start_ticks == id->start_ticks)
            return true;
    return false;
}

static void send(const struct process_id *id, int signal_number)
{
    auto_close int pidfd = -1;

    if (process_open(id, &pidfd, NULL) == 0)
        process_kill(pidfd, signal_number);
}

static void tell(struct told *told, const struct process_id *id)
{
    send(id, SIGTERM);
    send(id, SIGCONT); /* who was suspended could not save */
    told->items = xrealloc(told->items, (told->count + 1) * sizeof *told->items);
    told->items[told->count++] = *id;
}

/* First those who hold ends back, so that none slips through. */
static void tell_all(const struct worker *worker, struct told *told)
{
    auto_free struct descendant *list = NULL;
    size_t count = descendants_list(staging_owns, worker, &list);
    bool over = told->alone_boot > 0;

    for (size_t i = 0; i < count; i++)
        if (holds_back(&list[i]))
            send(&list[i].id, over ? SIGUSR2 : SIGUSR1);
    told->linger = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_users(worker, &list[i]))
            continue;
        if (!was_told(told, &list[i].id))
            tell(told, &list[i].id);
        told->linger = true;
    }
}

/* mpirun and its daemons stand or fall together, so none is ended while a rank of
 * another worker may be saving; each says by a file that it has none left.  What has
 * failed has nothing to save. */
static bool all_are_idle(const struct worker *worker)
{
    auto_free char *mark = xasprintf("%s/idle", worker->folder);
    auto_close int fd = -1;

    if (!worker->remote || !worker->plan->peers || worker->ending.rank >= 0)
        return true;
    fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
    peers_look(worker->peers);
    for (int i = 0; i < worker->plan->worker_count; i++) {
        auto_free char *peer = xasprintf("%s/idle", worker->plan->peers[i]);

        if (i != worker->plan->worker && peers_stage(worker->peers, i) < PEER_UPLOADING
            && access(peer, F_OK) < 0)
            return false;
    }
    return true;
}

/* They have none below them since told->alone_boot. */
static void end_launchers(const struct worker *worker, struct told *told, usec_t now)
{
    usec_t due = told->alone_boot + (worker->remote ? MPIRUN_ALONE : TORCHRUN_ALONE);
    bool kills = now >= due + LAUNCHER_TOLD;

    if (now < due || (told->launchers_told && !kills))
        return;
    told->launchers_told = true;
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->ranks[i].pid > 0)
            kill(-worker->ranks[i].pid, kills ? SIGKILL : SIGTERM);
}

void users_tell(struct worker *worker, usec_t now)
{
    struct told *told = worker->told;

    if (!told)
        told = worker->told = xcalloc(1, sizeof *told);
    if (now < told->due)
        return;
    told->due = now + LOOK_INTERVAL;
    tell_all(worker, told);
    if (told->linger || !all_are_idle(worker))
        told->alone_boot = 0;
    else if (!told->alone_boot)
        told->alone_boot = now;
    if (told->alone_boot) /* from the next look on ends are let through */
        end_launchers(worker, told, now);
}

static bool a_rank_runs(const struct descendant *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, RSH_RANK_NAME) == 0)
            return true;
    return false;
}

/* In a stop, what is of a rank's own session may still be saving. */
static bool is_left(const struct worker *worker, const struct descendant *process)
{
    return is_users(worker, process)
           && (!worker->ending.decided
               || !is_launcher(worker, getsid(process->id.pid)));
}

void users_leave(struct worker *worker, usec_t now)
{
    if (worker->left.due == 0)
        worker->left = (struct left){ .due = now };
}

void users_sweep(struct worker *worker, usec_t now)
{
    struct left *left = &worker->left;
    auto_free struct descendant *list = NULL;
    bool found = false;
    size_t count;
    bool alone;

    if (left->due == 0 || now < left->due)
        return;
    count = descendants_list(staging_owns, worker, &list);
    alone = !a_rank_runs(list, count);
    if (!left->alone_boot)
        left->alone_boot = now;
    for (size_t i = 0; i < count; i++) {
        if (!alone || !is_left(worker, &list[i]))
            continue;
        found = true;
        if (now >= left->alone_boot + LEFT_ALONE)
            send(&list[i].id, SIGKILL);
    }
    left->due = found ? now + LOOK_INTERVAL : 0;
}

usec_t users_due(const struct worker *worker)
{
    usec_t told = worker->told ? worker->told->due : INT64_MAX;
    usec_t left = worker->left.due ? worker->left.due : INT64_MAX;

    return told < left ? told : left;
}

bool users_linger(const struct worker *worker)
{
    return worker->told && worker->told->linger;
}

void users_free(struct worker *worker)
{
    if (worker->told)
        free(worker->told->items);
    free(worker->told);
    worker->told = NULL;
}
