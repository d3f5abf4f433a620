#ifndef SRC_WORKER_WORKER_H
#define SRC_WORKER_WORKER_H

#include "src/launch_plan.h"
#include "src/worker/cgroup.h"
#include "src/worker/control.h"
#include "src/worker/ending.h"
#include "src/worker/journal_writer.h"
#include "src/worker/metrics.h"
#include "src/worker/output.h"
#include "src/worker/peers.h"
#include "src/worker/remote.h"

#include <sys/types.h>

/* One worker and its ranks, from the first line of its journal to the last. */

/* How often a worker says that it lives. */
#define HEARTBEAT_INTERVAL (5 * USEC_PER_SEC)

struct rank {
    pid_t pid;        /* 0: not started, or reaped */
    pid_t told_group; /* process group that was sent SIGTERM; 0: none */
    bool awaited;     /* of RANK_REMOTE: mpirun has not asked for it yet */
    bool dismissed;   /* told to end because it is not needed: any end is well */
    struct output output;
};

struct worker {
    const char *folder;
    struct worker_plan *plan;
    struct journal_writer journal;
    struct control control;
    struct ending ending;
    struct cgroup cgroup;
    struct metrics *metrics; /* NULL: none are looked for */
    struct rank *ranks;      /* plan->rank_count of them once opened */
    size_t opened;           /* ranks whose output is open */
    size_t running;          /* ranks that have not ended, with those awaited */
    bool ranks_done;         /* its line was written */
    struct peers *peers;     /* from the launch on, freed by clear; NULL: none */
    usec_t peers_boot;       /* when they are to be looked at */
    struct remote *remote;   /* what mpirun asks for here; closed by watch_run */
    struct told *told;       /* users' processes below launchers that were sent SIGTERM */
    usec_t ready_boot;       /* max_run counts from here */
    usec_t heartbeat_boot;   /* when the next one is due */
    usec_t kill_boot; /* when SIGTERM turns into SIGKILL; INT64_MAX: no stop yet */
};

/** The whole life of the worker of this folder; its plan is read from stdin.  Gives the
 * exit status. */
int worker_live(const char *folder);

/** Folders and source. On failure of ours or the user's worker->ending is decided
 * (launch); also when a stop comes meanwhile. Fails when the journal does. */
MUST_CHECK int prepare_run(struct worker *worker, struct err *err);

/** Starts every rank; when one cannot be started worker->ending is decided (launch) and
 * what was started is killed. Fails when the journal does. */
MUST_CHECK int ranks_launch(struct worker *worker, struct err *err);

/** A signal to the process group of every rank that runs. */
void ranks_signal(struct worker *worker, int signal_number);

/** Whether a process that was told by SIGTERM is there still: a shell may be gone
 * before what it ran. */
bool ranks_linger(const struct worker *worker);

/** Sends SIGTERM, once, to every process of the user's that is below a launcher: all
 * that is below this worker but launchers, what mpirun has of its own, and staging.
 * Gives how many are there still.  A walk of /proc. */
size_t users_tell(struct worker *worker);
void told_free(struct told *told);

/** Waits until every rank has ended, then until nothing is left of them, and takes all
 * output. Fails when the journal does. */
MUST_CHECK int watch_run(struct worker *worker, struct err *err);

/** When it is due: a line that says we live, then all is synced.  Else cheap. */
MUST_CHECK int heartbeat_run(struct worker *worker, usec_t now, struct err *err);

/** When ending is not decided and a stop was asked or max_run is over: decides it. True
 * when it did. */
bool stop_check(struct worker *worker, usec_t now);

#endif
