#ifndef SRC_WORKER_WORKER_H
#define SRC_WORKER_WORKER_H

#include "src/launch_plan.h"
#include "src/worker/cgroup.h"
#include "src/worker/control.h"
#include "src/worker/ending.h"
#include "src/worker/journal_writer.h"
#include "src/worker/metrics.h"
#include "src/worker/mpi_own.h"
#include "src/worker/output.h"
#include "src/worker/peers.h"
#include "src/worker/remote.h"
#include "src/worker/sampler.h"
#include "src/worker/staging.h"

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

/* A look at what ranks below mpirun have left here. */
struct left {
    usec_t due;        /* 0: no rank has ended since the last */
    usec_t alone_boot; /* since when it may be that none runs; 0: not looked yet */
};

struct worker {
    const char *folder;
    struct worker_plan *plan;
    struct journal_writer journal;
    struct control control;
    struct ending ending;
    struct cgroup cgroup;
    struct metrics *metrics;   /* NULL: none are looked for */
    struct sampler *sampler;   /* from the launch on; NULL: none */
    struct cJSON *utilization; /* what it says in the end; NULL: nothing yet */
    struct staging staging;
    struct rank *ranks;    /* plan->rank_count of them once opened */
    size_t opened;         /* ranks whose output is open */
    size_t running;        /* ranks that have not ended, with those awaited */
    bool ranks_done;       /* its line was written */
    struct peers *peers;   /* from the launch on, freed by clear; NULL: none */
    usec_t peers_boot;     /* when they are to be looked at */
    struct remote *remote; /* what mpirun asks for here; closed by watch_run */
    struct mpi_ends mpi;   /* ends below mpirun; cleared by clear */
    struct mpi_own said;   /* by mpirun itself; cleared by clear */
    char **mpi_env;        /* of all that runs for mpirun; NULL: it does not */
    struct told *told;     /* users' processes that were sent SIGTERM; NULL: none */
    struct left left;      /* of what mpirun starts */
    usec_t ready_boot;     /* max_run counts from here */
    usec_t heartbeat_boot; /* when the next one is due */
    usec_t kill_boot;      /* when SIGTERM turns into SIGKILL; INT64_MAX: no stop yet */
};

/** The whole life of the worker of this folder; its plan is read from stdin.  Gives the
 * exit status. */
int worker_live(const char *folder);

/** A line of this kind with all that is known of the end (src/journal.h). */
MUST_CHECK int life_write_end(struct worker *worker, enum journal_kind kind,
                              struct err *err);

/** Folders, config files, source, then what staging brings. On failure of ours or the
 * user's worker->ending is decided (launch, input); also when a stop comes meanwhile.
 * Fails when the journal does. */
MUST_CHECK int prepare_run(struct worker *worker, struct err *err);

/* Whether what is waited for is to be given up. Called often; it looks for signals. */
typedef bool give_up_t(struct worker *worker);

/**
 * Waits, while no rank runs, until the helper has ended; with `or_ready`, or has said
 * that it is ready.  Its progress goes into the journal.  When `give_up` says so it is
 * killed: it has nothing that is worth a grace.
 *
 * Fails when the journal does.
 */
MUST_CHECK int follow_helper(struct worker *worker, struct helper *helper,
                             bool or_ready, give_up_t *give_up, struct err *err);

/** Lets a moment pass with nothing to wait for, heartbeats included.  Fails when the
 * journal does. */
MUST_CHECK int follow_nobody(struct worker *worker, struct err *err);

/** Starts every rank; when one cannot be started worker->ending is decided (launch) and
 * what was started is killed. Fails when the journal does. */
MUST_CHECK int ranks_launch(struct worker *worker, struct err *err);

/** A signal to the process group of every rank that runs; SIGTERM not to launchers, see
 * users_tell. */
void ranks_signal(struct worker *worker, int signal_number);

/** Whether a process that was told by SIGTERM is there still: a shell may be gone
 * before what it ran. */
bool ranks_linger(const struct worker *worker);

/** Starts what mpirun asks for through railhead-rsh: a remote_start_t.  Fails when
 * there is nothing to be started here (any more). */
int ranks_start_remote(void *worker, const char *command, const int *streams,
                       pid_t *pid, struct err *err);

/** A stop for what is below launchers: SIGTERM, once each, to all below this worker
 * that is neither a launcher, nor mpirun's own, nor staging's; then to the launchers
 * when they stay with nothing below them.  To be called until nothing is left, when
 * due. */
void users_tell(struct worker *worker, usec_t now);
usec_t users_due(const struct worker *worker); /* INT64_MAX: no such stop */

/** A rank below mpirun has ended.  When none runs here any more, what they left is
 * killed, by users_sweep when that is due: after 2 s; once a stop has begun only what
 * has left the rank's session, for the rest may be saving. */
void users_leave(struct worker *worker, usec_t now);
void users_sweep(struct worker *worker, usec_t now);

/** Whether one that was told was there still, when looked at last. */
bool users_linger(const struct worker *worker);
void users_free(struct worker *worker);

/** Begins the stop that ending has decided. */
void wind_down_begin(struct worker *worker, usec_t now);

/** What is due of ends: "ranks_done", who is not needed any more, SIGTERM to newcomers,
 * SIGKILL.  Fails when the journal does. */
MUST_CHECK int wind_down_go_on(struct worker *worker, usec_t now, struct err *err);
usec_t wind_down_due(const struct worker *worker);

/** No rank runs, and there are children still: whether any is other than staging's. */
bool wind_down_left(const struct worker *worker);

/** No rank runs, yet something is left: what was told to stop has until the grace is
 * over, for it may be saving; the rest is killed. */
void wind_down_sweep(const struct worker *worker);

/** Waits until every rank has ended, then until nothing is left of them, and takes all
 * output. Fails when the journal does. */
MUST_CHECK int watch_run(struct worker *worker, struct err *err);

/** When it is due: a line that says we live, then all is synced.  Else cheap. */
MUST_CHECK int heartbeat_run(struct worker *worker, usec_t now, struct err *err);

/** When ending is not decided and a stop was asked or max_run is over: decides it. True
 * when it did. */
bool stop_check(struct worker *worker, usec_t now);

#endif
