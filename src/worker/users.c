/*
 * A stop where a launcher stands between us and the user's processes.  torchrun and
 * mpirun answer SIGTERM by ending their children within seconds of their own choice, so
 * they are not told: what is below them is, and they end when it has ended.
 */

#include "src/clock.h"
#include "src/text.h"
#include "src/worker/descendants.h"
#include "src/worker/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* How often we look for processes that were begun meanwhile, and whether any is left.
 */
#define LOOK_INTERVAL (200 * USEC_PER_MSEC)

/* A launcher that has lost all its processes ends by itself within this time, unless it
 * waits for something that a stop will not let come. */
#define LAUNCHER_ALONE USEC_PER_SEC

struct told {
    struct process_id *items;
    size_t count;
    usec_t due;
    usec_t alone_boot; /* since when the launchers have nothing below them, 0: not so */
    bool launchers_told;
    bool linger;
};

static bool is_staging(const void *context, pid_t pid)
{
    return staging_owns(context, pid);
}

static bool is_launcher(const struct worker *worker, const struct descendant *process)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->ranks[i].pid == process->id.pid)
            return true;
    return remote_has(worker->remote, process->id.pid);
}

/* mpirun's daemons, and its agents which wait for those elsewhere. */
static bool is_of_mpirun(const struct descendant *process)
{
    return text_starts_with(process->name, "orted")
           || text_starts_with(process->name, "railhead-rsh");
}

static bool was_told(const struct told *told, const struct process_id *id)
{
    for (size_t i = 0; i < told->count; i++)
        if (told->items[i].pid == id->pid
            && told->items[i].start_ticks == id->start_ticks)
            return true;
    return false;
}

static void tell(struct told *told, const struct process_id *id)
{
    auto_close int pidfd = -1;

    if (process_open(id, &pidfd, NULL) < 0)
        return;
    process_kill(pidfd, SIGTERM);
    process_kill(pidfd, SIGCONT); /* who was suspended could not save */
    told->items = xrealloc(told->items, (told->count + 1) * sizeof *told->items);
    told->items[told->count++] = *id;
}

/* Gives whether the launchers have anything below them. */
static bool tell_all(const struct worker *worker, struct told *told)
{
    auto_free struct descendant *list = NULL;
    size_t count = descendants_list(is_staging, worker, &list);
    bool any = false;

    told->linger = false;
    for (size_t i = 0; i < count; i++) {
        if (is_launcher(worker, &list[i]))
            continue;
        any = true;
        if (is_of_mpirun(&list[i]))
            continue;
        if (!was_told(told, &list[i].id))
            tell(told, &list[i].id);
        told->linger = true;
    }
    return any;
}

/* mpirun's daemons elsewhere are not told at all: they end with mpirun, which takes
 * the loss of one of them for a failure. */
static void tell_launchers(const struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (worker->plan->ranks[i].kind == RANK_LAUNCHER && worker->ranks[i].pid > 0)
            kill(worker->ranks[i].pid, SIGTERM);
}

void users_tell(struct worker *worker, usec_t now)
{
    struct told *told = worker->told;

    if (!told)
        told = worker->told = xcalloc(1, sizeof *told);
    if (now < told->due)
        return;
    told->due = now + LOOK_INTERVAL;
    if (tell_all(worker, told))
        told->alone_boot = 0;
    else if (!told->alone_boot)
        told->alone_boot = now;
    if (told->launchers_told || !told->alone_boot
        || now < told->alone_boot + LAUNCHER_ALONE)
        return;
    told->launchers_told = true;
    tell_launchers(worker);
}

usec_t users_due(const struct worker *worker)
{
    return worker->told ? worker->told->due : INT64_MAX;
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
