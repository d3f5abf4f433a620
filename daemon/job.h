#ifndef DAEMON_JOB_H
#define DAEMON_JOB_H

#include "daemon/job_event.h"
#include "src/digest.h"
#include "src/job_id.h"
#include "src/job_state.h"
#include "src/journal.h"
#include "src/money.h"

/* A job as its events have made it.  Only job_apply changes these fields. */

/* How something ended: a worker, an attempt, or the whole job. */
struct job_end {
    enum end_cause cause;
    int exit_code;          /* -1: none */
    int signal;             /* 0: none */
    int first_failing_rank; /* -1: none */
    usec_t failure_boot_us; /* when it failed; 0: it did not */
    bool hopeless;          /* staging says that the same would fail again */
    char *message;          /* or NULL */
};

struct job_worker {
    int64_t last_seq;    /* last journal line that is an event */
    usec_t last_boot_us; /* boot time of it */
    bool ready;
    bool launched;
    bool uploading; /* no process of the job is left; `end` says how they ended */
    bool lost;      /* ended without saying so */
    bool ended;     /* or lost: nothing more comes */
    usec_t ready_boot_us;
    usec_t ready_wall_us;
    usec_t launched_boot_us;
    usec_t end_boot_us; /* of a lost one: last evidence */
    struct job_end end; /* once it is uploading or ended */
    struct cJSON *said; /* the line that `end` is from, for what only answers show:
                           failure, traceback, artifacts, utilization; or NULL */
};

/* An earlier attempt, as it ended. */
struct job_attempt {
    struct job_worker *workers;
    int block;
    struct job_end end;
};

/* What an ended job may go on holding for the next one (keep_alive). */
enum warm_status {
    WARM_NONE,
    WARM_AVAILABLE,
    WARM_REUSED,
    WARM_TERMINATED
};

struct job {
    int64_t job_id; /* row id */
    char id[JOB_ID_SIZE];
    char *name;
    char *owner;
    char *instance_type;
    char *scheduler;
    char *tags;                   /* JSON, its members in the order of their names */
    char recipe[DIGEST_HEX_SIZE]; /* job_recipe of its spec */
    bool emulated;
    int instance_count;
    int priority;
    int64_t max_run_s;
    int64_t max_wait_s; /* 0: none */
    int64_t grace_s;
    int max_attempts;
    unsigned retry_causes; /* bit C: an attempt that ended by enum end_cause C */
    int64_t keep_alive_s;  /* 0: no warm pool */
    nanousd_t budget;      /* 0: it has none of its own */

    enum job_state state;
    int64_t last_seq; /* of its events */
    usec_t created_us;
    usec_t changed_us; /* of the last change of state, by the evidence for it */

    /* Of the attempt that runs or ran last; 0: never placed. */
    int attempt;
    char boot_id[40]; /* the boot that its times belong to */
    usec_t placed_boot_us;
    usec_t placed_wall_us;
    int port; /* the first of port_count in a row */
    int port_count;
    int block;                  /* of its loopback addresses: see job_worker_address */
    struct job_worker *workers; /* instance_count of them from the first attempt on */
    bool billing;               /* EV_READY has come in this attempt */
    usec_t ready_boot_us;
    usec_t ready_wall_us;
    bool interrupt_asked; /* of this attempt */
    int64_t interrupt_grace_s;
    bool attempt_over; /* it has ended, and the job has not by that */
    struct job_end attempt_end;

    struct job_attempt *past; /* attempts 1 .. attempt-1 */
    usec_t used_run_us;       /* of max_run, by attempts that are over */

    bool stop_asked;
    enum end_cause stop_cause;
    char *stop_message; /* why, where the cause does not say it all; or NULL */
    struct job_end end; /* when the state is final */

    enum warm_status warm; /* when the state is final */
    usec_t warm_end_boot_us;
    char *reused_by; /* name of a job; or NULL */
};

struct job *job_new(int64_t job_id);
void job_free(struct job *job);
void job_cleanup(struct job **job);
#define auto_job __attribute__((cleanup(job_cleanup)))

/** Digest of what a spec (as JSON) runs, with what, and on what: jobs with the same one
 * should take as long.  Pure. */
void job_recipe(const struct cJSON *spec, char hex[DIGEST_HEX_SIZE]);

/**
 * What `event` makes of the job.  Pure but for the job itself.
 *
 * ERR_CONFLICT when the event is not possible in the job's state (the pair is not in
 * the table of moves), with the reason; ERR_INTERNAL when its data does not fit or its
 * seq does not follow.  The job is untouched then.
 */
MUST_CHECK int job_apply(struct job *job, const struct job_event *event,
                         struct err *err);

/** Whether an event is possible now, and where it leads.  Pure. */
bool job_move(enum job_state from, enum job_event_kind on, enum job_state *to);

/**
 * The event that the job's own state calls for now (all workers are ready, all have
 * ended, ...), if any. *data is the event's data, which the caller frees.  Pure.
 */
bool job_due(const struct job *job, enum job_event_kind *kind, struct cJSON **data);

/** The event that an attempt which ended so leads to: another attempt where the spec's
 * `retry` allows it and it can help, else the end of the job.  Pure. */
enum job_event_kind job_event_after(const struct job *job, const struct job_end *end);

/** When the attempt ended: the last end of its workers, on the boot clock. Meaningful
 * once all have ended. */
usec_t job_end_boot(const struct job *job);

/** Whether every worker has ended or is lost. */
bool job_all_ended(const struct job *job);

/** Whether every worker had launched its ranks, whatever came later. */
bool job_was_launched(const struct job *job);

/** Whether a worker has ended otherwise than well, or stores what is left of such an
 * end, so that its peers must end too. */
bool job_has_failed_worker(const struct job *job);

/** Whether a cause is a failure of the worker's own, and no stop. */
bool job_cause_is_failure(enum end_cause cause);

/** The worker whose end explains the job's; NULL when all completed or none ran. */
const struct job_worker *job_decisive_worker(const struct job *job);

/** Whether nothing more can happen to it: it has ended and holds nothing. */
bool job_is_over(const struct job *job);

/** When its warm pool began, on the boot clock: where the attempt ended. */
usec_t job_warm_start(const struct job *job);

/** "InUse" while a job with keep_alive runs, "Available", "Reused", "Terminated"; NULL:
 * there is no pool. */
const char *job_warm_status(const struct job *job);

/** Whole seconds of max_run that earlier attempts have used. */
int64_t job_used_run_s(const struct job *job);

/* Room for the name or the address of a worker. */
enum {
    HOST_TEXT_SIZE = 48
};
/** Loopback address of a worker: 127.1.0.1; block B of 250 workers is
 * 127.(1 + B / 256).(B % 256).1 to .250. */
void job_worker_address(const struct job *job, int worker, char out[HOST_TEXT_SIZE]);
/** The same of an earlier attempt's block. */
void job_block_address(int block, int worker, char out[HOST_TEXT_SIZE]);
/** Its host name: algo-1 for worker 0. */
void job_worker_host(int worker, char out[HOST_TEXT_SIZE]);

/** {"cause", "exit_code", "signal", "first_failing_rank", "message"}; the caller owns
 * it. */
struct cJSON *job_end_to_json(const struct job_end *end);

#endif
