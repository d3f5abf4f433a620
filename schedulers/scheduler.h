#ifndef SCHEDULERS_SCHEDULER_H
#define SCHEDULERS_SCHEDULER_H

#include "src/job_spec.h"
#include "src/journal.h"
#include "src/launch_plan.h"
#include "src/loop.h"

/*
 * A place where jobs run.  The contract, tested by tests/contract on every scheduler:
 *
 * - start is called for each worker of a job, in their order, over several rounds of
 * the loop when there are many.  It may be called again for a job that runs (after a
 * restart of the daemon): what runs is adopted, what never ran is started, nothing runs
 * twice.
 * - Every worker's lines come by events->line in the order of seq, from last_seq + 1
 * on, never from within start or stop. After "ended" nothing comes.
 * - A worker that is gone without "ended" comes by events->lost, once, with the boot
 * time of its last evidence: by END_LOST, or by the cause of the stop that it did not
 * obey and was killed for.
 * - "I could not find out" is neither: it is tried again.
 */

struct worker_ref {
    const char *job_id;
    int attempt;
    int worker;
};

struct sched_loss {
    enum end_cause cause;
    usec_t last_boot_us;
    const char *why;
};

struct sched_events {
    void (*line)(void *context, const struct worker_ref *worker,
                 const struct journal_line *line);
    void (*lost)(void *context, const struct worker_ref *worker,
                 const struct sched_loss *loss);
    void *context;
};

struct sched_settings {
    const char *state_folder; /* absolute */
    const char *worker_path;  /* railhead-worker */
    int64_t file_limit;       /* soft limit of open files for jobs; 0: as ours */
    bool isolate;             /* workers get namespaces where that is permitted */
};

/* One worker of a job, to be started. */
struct sched_job {
    const char *job_id;
    int attempt;
    int worker;
    const char *folder; /* STATE/jobs/ID; see worker_folder */
    /* Borrowed for the call.  NULL: it cannot be made any more; what runs is adopted
     * then, and what never ran is lost. */
    const struct worker_plan *plan;
    int64_t grace_s; /* as the plan has it */
    int64_t max_run_s;
    int64_t last_seq;    /* the last line that is recorded */
    usec_t last_boot_us; /* boot time of it, 0 when none */
    /* "": none that is known.  What was placed under another boot than this one is
     * looked for, and not started. */
    const char *placed_boot_id;
    usec_t placed_boot_us;
    usec_t placed_wall_us;
    const struct fake_behaviour *fake; /* or NULL */
};

/* What a job finds where this scheduler runs it. */
struct sched_traits {
    const char
        *network_interface; /* by which workers reach each other; NULL: unknown */
    bool isolates;          /* workers get namespaces: /opt/ml, algo-N */
    const char *why_not;    /* when it does not: the reason, for people */
    bool hosts_share_one;   /* all workers are on one machine: its CPUs are shared, and
                               peers can read each other's folders */
};

/* -1 for grace_s: the plan's. */
struct sched_stop {
    enum end_cause cause;
    int64_t grace_s;
};

struct scheduler;

struct scheduler_class {
    const char *name;
    int (*open)(const struct sched_settings *settings, struct loop *loop,
                const struct sched_events *events, struct scheduler **out,
                struct err *err);
    /* Fails only for the first worker, which then was not started by this call; what an
     * earlier daemon started may run still.  Another one that cannot be started is told
     * as lost. */
    int (*start)(struct scheduler *scheduler, const struct sched_job *job,
                 struct err *err);
    /* Asks one worker to stop; one that has ended or is asked again is well. */
    int (*stop)(struct scheduler *scheduler, const struct worker_ref *worker,
                const struct sched_stop *stop, struct err *err);
    void (*traits)(const struct scheduler *scheduler, struct sched_traits *out);
    /* The end of the attempt is recorded: forget it and free what it held. */
    void (*release)(struct scheduler *scheduler, const char *job_id, int attempt);
    void (*close)(struct scheduler *scheduler);
};

extern const struct scheduler_class scheduler_fake;
extern const struct scheduler_class scheduler_local;

/** NULL when there is none of this name. */
const struct scheduler_class *scheduler_find(const char *name);

#endif
