/* How ranks are made to end: those that were told to stop, those that are not needed
 * any more, what is left of them.  Decides whom to tell what, and when SIGTERM turns
 * into SIGKILL; why it all ends is ending's. */

#include "src/clock.h"
#include "src/worker/descendants.h"
#include "src/worker/worker.h"

#include <signal.h>
#include <stdlib.h>

/* Ranks that lost a peer, and servers with nobody left to serve, have nothing to save
 * that is worth a bill of minutes. */
#define FAILURE_GRACE (10 * USEC_PER_SEC)

/* How often one that mpirun started looks whether mpirun is there still; the daemon
 * tells it sooner, when there is a daemon. */
#define MPIRUN_INTERVAL USEC_PER_SEC

static enum rank_kind kind_of(const struct worker *worker, size_t i)
{
    return worker->plan->ranks[i].kind;
}

static bool lives(const struct worker *worker, size_t i)
{
    return worker->ranks[i].pid > 0 || worker->ranks[i].awaited;
}

/* What mpirun has not asked for yet it will not get any more. */
static void forget_awaited(struct worker *worker, size_t i)
{
    if (!worker->ranks[i].awaited)
        return;
    worker->ranks[i].awaited = false;
    worker->running--;
}

static usec_t short_grace(const struct worker *worker)
{
    usec_t grace = worker->plan->grace_s * USEC_PER_SEC;

    return grace > FAILURE_GRACE ? FAILURE_GRACE : grace;
}

void wind_down_begin(struct worker *worker, usec_t now)
{
    usec_t grace = worker->plan->grace_s * USEC_PER_SEC;

    if (worker->control.grace_s >= 0)
        grace = worker->control.grace_s * USEC_PER_SEC;
    if (worker->ending.rank >= 0) /* a failure */
        grace = short_grace(worker);
    worker->kill_boot = now + grace;
    ranks_signal(worker, SIGTERM);
    for (size_t i = 0; i < worker->opened; i++) {
        forget_awaited(worker, i);
        if (kind_of(worker, i) == RANK_LAUNCHER || kind_of(worker, i) == RANK_REMOTE)
            users_tell(worker, now);
    }
}

static void kill_if_due(struct worker *worker, usec_t now)
{
    if (now < worker->kill_boot)
        return;
    worker->kill_boot = INT64_MAX;
    cgroup_kill(&worker->cgroup);
    ranks_signal(worker, SIGKILL);
}

/* Ranks of this kind are not needed any more. */
static void dismiss(struct worker *worker, enum rank_kind kind, usec_t now)
{
    for (size_t i = 0; i < worker->opened; i++) {
        struct rank *rank = &worker->ranks[i];

        if (kind_of(worker, i) != kind || !lives(worker, i) || rank->dismissed)
            continue;
        rank->dismissed = true;
        forget_awaited(worker, i);
        if (rank->pid > 0) {
            kill(-rank->pid, SIGTERM);
            kill(-rank->pid, SIGCONT);
            rank->told_group = rank->pid;
        }
        worker->kill_boot = now + short_grace(worker);
    }
}

static bool any_of(const struct worker *worker, enum rank_kind kind, bool living)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (kind_of(worker, i) == kind && (!living || lives(worker, i)))
            return true;
    return false;
}

static bool only_servers_live(const struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++)
        if (kind_of(worker, i) != RANK_SERVER && lives(worker, i))
            return false;
    return true;
}

static int say_ranks_done(struct worker *worker, struct err *err)
{
    struct cJSON *line =
        journal_writer_line(&worker->journal, JOURNAL_RANKS_DONE, clock_boot());

    worker->ranks_done = true;
    return journal_writer_append(&worker->journal, line, err);
}

/* Workers elsewhere may need the servers here, so all of them are waited for. */
static int watch_servers(struct worker *worker, usec_t now, struct err *err)
{
    if (worker->ending.decided || !any_of(worker, RANK_SERVER, false)
        || !only_servers_live(worker))
        return 0;
    if (!worker->ranks_done && say_ranks_done(worker, err) < 0)
        return -1;
    if (!any_of(worker, RANK_SERVER, true) || now < worker->peers_boot)
        return 0;
    worker->peers_boot = now + PEERS_INTERVAL;
    peers_look(worker->peers);
    if (!peers_all_at(worker->peers, PEER_RANKS_DONE))
        return 0;
    worker->peers_boot = INT64_MAX;
    dismiss(worker, RANK_SERVER, now);
    return 0;
}

/* Whether something of mpirun's runs here, or ended while mpirun has not said why. */
static bool waits_for_mpirun(const struct worker *worker)
{
    return any_of(worker, RANK_REMOTE, true)
           || (any_of(worker, RANK_REMOTE, false)
               && mpi_ends_open(&worker->mpi, &worker->ending));
}

/* What mpirun starts here ends with mpirun, which is worker 0's. */
static void watch_mpirun(struct worker *worker, usec_t now)
{
    enum end_cause cause;

    if (worker->ending.decided || now < worker->peers_boot || !waits_for_mpirun(worker))
        return;
    worker->peers_boot = now + MPIRUN_INTERVAL;
    peers_look(worker->peers);
    if (peers_stage(worker->peers, 0) < PEER_UPLOADING)
        return;
    worker->peers_boot = INT64_MAX;
    cause = peers_cause(worker->peers, 0);
    if (cause == END_COMPLETED)
        dismiss(worker, RANK_REMOTE, now);
    else if (ending_because(&worker->ending, END_PEER,
                            "stopped because mpirun's worker had ended: %s",
                            end_cause_name(cause)))
        wind_down_begin(worker, now);
}

int wind_down_go_on(struct worker *worker, usec_t now, struct err *err)
{
    if (watch_servers(worker, now, err) < 0)
        return -1;
    watch_mpirun(worker, now);
    if (worker->told)
        users_tell(worker, now);
    users_sweep(worker, now);
    kill_if_due(worker, now);
    return 0;
}

usec_t wind_down_due(const struct worker *worker)
{
    usec_t due =
        users_due(worker) < worker->kill_boot ? users_due(worker) : worker->kill_boot;

    if (waits_for_mpirun(worker)
        || (worker->ranks_done && any_of(worker, RANK_SERVER, true)))
        return worker->peers_boot < due ? worker->peers_boot : due;
    return due;
}

bool wind_down_left(const struct worker *worker)
{
    auto_free struct descendant *list = NULL;

    return !staging_runs(worker) || descendants_list(staging_owns, worker, &list) > 0;
}

void wind_down_sweep(const struct worker *worker)
{
    if (worker->kill_boot != INT64_MAX
        && (ranks_linger(worker) || users_linger(worker)))
        return;
    cgroup_kill(&worker->cgroup);
    descendants_kill(staging_owns, worker);
}
