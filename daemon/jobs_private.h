#ifndef DAEMON_JOBS_PRIVATE_H
#define DAEMON_JOBS_PRIVATE_H

#include "daemon/haul.h"
#include "daemon/job.h"
#include "daemon/jobs.h"
#include "daemon/jobs_budget.h"
#include "daemon/offers.h"
#include "daemon/ports.h"
#include "daemon/price_book.h"
#include "daemon/queue.h"
#include "daemon/store.h"
#include "schedulers/scheduler.h"

#include <sys/queue.h>

/* What the files jobs_*.c share; nobody else includes this. */

/* A job that is not over: it has not ended, or holds a warm pool. */
struct live_job {
    struct job *job;
    const struct scheduler_class *class;
    struct scheduler *scheduler;
    /* Of the attempt that runs: */
    bool holds;   /* ports, and what its scheduler has for it */
    bool started; /* handed to its scheduler in this life of the daemon */
    bool may_run; /* an earlier life may have done so */
    struct launching *launching; /* what its start is made of; or NULL */
    bool *stop_sent;             /* one a worker */
    struct haul *haul;           /* one a worker: what it moves just now */

    usec_t retry_boot; /* when it is back in line after a failed attempt; 0: it is not
                          waiting for that */
    bool due;          /* in jobs->due */
    STAILQ_ENTRY(live_job) in_due;
    LIST_ENTRY(live_job) in_bucket;
    struct live_spend spend;
};

STAILQ_HEAD(due_jobs, live_job);
LIST_HEAD(live_bucket, live_job);

enum {
    LIVE_BUCKETS = 4096,
    SCHEDULERS_MAX = 4
};

struct jobs {
    const struct config *config;
    const struct catalog *catalog;
    struct loop *loop;
    struct store *store;
    struct offers offers;
    struct price_book book;
    struct budgets budgets;
    struct queue *queue;
    struct ports ports;
    int next_block;
    struct bill_runs *bill_runs;
    char **base_env;
    char *worker_path;
    char *torchrun_wrapper;
    char *rsh_agent;

    struct {
        const struct scheduler_class *class;
        struct scheduler *scheduler;
    } schedulers[SCHEDULERS_MAX];
    size_t scheduler_count;
    struct sched_events events;

    struct live_bucket live[LIVE_BUCKETS]; /* by job id */
    int64_t live_count;
    struct due_jobs due;      /* steps to take after the next commit */
    usec_t launching_until;   /* of the round whose steps are taken; 0: none began */
    struct loop_source *soon; /* ends the round when only what can wait has come */
    bool soon_set;
    struct loop_source *round; /* ends the round (loop_add_last) */
    struct loop_source *deadline;
    usec_t deadline_boot;           /* when deadline fires; INT64_MAX: never */
    struct loop_source *again;      /* takes up what could not be taken up */
    struct loop_source *look_again; /* at a disk that was full */
    bool disk_full;
    bool failed;
    usec_t last_made_name;
    usec_t wall_less_boot; /* the wall clock less the boot clock, at the start */
    void (*on_commit)(void *context, bool ok);
    void *on_commit_context;
};

/* --- jobs.c --- */

/** Opens a scheduler unless it is open. */
MUST_CHECK int jobs_open_scheduler(struct jobs *jobs,
                                   const struct scheduler_class *class,
                                   struct err *err);

/* --- jobs_read.c --- */

/** The number that a cursor is, 1 or more; without one (NULL) *number stays. */
MUST_CHECK int jobs_read_cursor(const char *cursor, int64_t *number, struct err *err);

/* --- jobs_prices.c --- */

/** Has the ledger and those who report on it know what prices there are from now on, at
 * start. */
MUST_CHECK int jobs_tell_prices(struct jobs *jobs, struct err *err);
/** The price in force of a type, offered or not; NULL: unpriced.  Valid until the book
 * changes. */
const struct profile_price *jobs_price_of(const struct jobs *jobs,
                                          const struct profile *profile, usec_t wall);

/* --- jobs_live.c --- */

struct live_job *live_add(struct jobs *jobs, struct job *job); /* takes the job */
struct live_job *live_find(struct jobs *jobs, const char *id);
/** By row id; NULL when the database fails (jobs_fail is called then). */
struct live_job *live_find_row(struct jobs *jobs, int64_t job_id);
void live_remove(struct jobs *jobs, struct live_job *live); /* frees it */

/* --- jobs_round.c: events, commits, steps --- */

/** Stores and applies an event, then those that follow from it. data (or NULL) is
 * borrowed. */
MUST_CHECK int jobs_post(struct jobs *jobs, struct live_job *live,
                         enum job_event_kind kind, int worker, const struct cJSON *data,
                         struct err *err);
/** The round has something to commit, or steps to take. */
void jobs_wake(struct jobs *jobs);
/** As jobs_wake, for what can wait a little: with the next round, or in 20 ms. */
void jobs_wake_soon(struct jobs *jobs);
/** This job wants a step after the next commit. */
void jobs_mark_due(struct jobs *jobs, struct live_job *live);
/** The database failed: nothing of this round holds; the daemon ends, and its next
 * start recovers. */
void jobs_fail(struct jobs *jobs, const struct err *err);
MUST_CHECK int jobs_open_rounds(struct jobs *jobs, struct err *err);
void jobs_close_rounds(struct jobs *jobs);

/* --- jobs_room.c: whether the disk is full --- */

/** Whether there is disk for new jobs. */
bool jobs_have_room(struct jobs *jobs);
void jobs_on_look_again(void *context);

/* --- jobs_step.c: effects, after the commit --- */

/** Does what the job's committed state calls for; may post. May free `live`. */
void jobs_step(struct jobs *jobs, struct live_job *live);
void jobs_on_again(void *context);

/* --- jobs_place.c: from the queue to an attempt --- */

/** Places what fits. */
void jobs_place(struct jobs *jobs);
/** A job that waits is in line from now on, by its old age. */
void jobs_queue(struct jobs *jobs, const struct job *job);
/** A job holds its place, from its attempt or its warm pool. */
void jobs_queue_placed(struct jobs *jobs, const struct job *job);

/* --- jobs_deadlines.c: what comes due though nobody says anything --- */

/** Puts a job that waits in line, at once or after the pause that a failed attempt
 * calls for, and watches its deadlines. */
void jobs_line_up(struct jobs *jobs, struct live_job *live);
/** Why a job in such a pause is not in line yet; NULL: it is in none.  The caller
 * frees.
 */
char *jobs_pause_reason(const struct live_job *live);
/** Arms the timer for the first deadline of this job. */
void jobs_watch(struct jobs *jobs, const struct live_job *live);
/** Sets it to no later than `boot`. */
void jobs_watch_at(struct jobs *jobs, usec_t boot);
void jobs_on_deadline(void *context);

/* --- jobs_warm.c: what ended jobs hold for the next one --- */

/** When the pool of an ended job is given up. */
usec_t jobs_warm_until(const struct job *job);
/** Whether there is a pool, and the machine is up that it was made on. */
bool jobs_is_warm(const struct job *job);
/** Ends it at `boot`: reused by the job of that name, or (NULL) terminated. */
MUST_CHECK int jobs_end_warm(struct jobs *jobs, struct live_job *live, usec_t boot,
                             const char *reused_by, struct err *err);

/* --- jobs_facts.c: what schedulers say --- */

void jobs_on_line(void *context, const struct worker_ref *worker,
                  const struct journal_line *line);
void jobs_on_lost(void *context, const struct worker_ref *worker,
                  const struct sched_loss *loss);

/* --- jobs_launch.c --- */

/** Hands a placed job to its scheduler (again, after a restart).  While not *done it is
 * to be called again in the next round: many workers are started over some. */
MUST_CHECK int jobs_launch(struct jobs *jobs, struct live_job *live, bool *done,
                           struct err *err);
/** Gives up what of it was under way, if anything. */
void jobs_forget_launch(struct live_job *live);
/** The plans of all workers of a job as it is or would be placed; the caller frees with
 * jobs_free_plans. */
MUST_CHECK int jobs_make_plans(struct jobs *jobs, const struct job *job,
                               const struct job_spec *spec, struct worker_plan ***plans,
                               struct err *err);
void jobs_free_plans(struct worker_plan **plans, int count);
/** The stored spec of a job; the caller frees it, and *json, from which it was read
 * (`json` may be NULL). */
MUST_CHECK int jobs_get_spec(struct jobs *jobs, int64_t job_id, struct job_spec **spec,
                             struct cJSON **json, struct err *err);
char *jobs_folder(const struct jobs *jobs, const struct job *job);
/** The digits of a source_dir "sha256:HEX", borrowed; NULL when it is none. */
const char *jobs_source_hex(const struct job_spec *spec);

/* --- jobs_plan.c --- */

/** Secrets are masked. */
struct cJSON *jobs_plan_to_json(const struct job_spec *spec,
                                struct worker_plan *const *plans, int count);

/* --- jobs_outlook.c --- */

/** What a job of this spec, just submitted, is likely to cost: see outlook_estimate.
 * The caller owns it. */
MUST_CHECK int jobs_estimate_of(struct jobs *jobs, const struct job *job,
                                const struct job_spec *spec, struct cJSON **estimate,
                                struct err *err);
/** What the job of a report will have cost; NULL when it has ended.  The caller owns
 * it. */
struct report_input;
MUST_CHECK int jobs_forecast(struct jobs *jobs, const struct report_input *input,
                             struct cJSON **forecast, struct err *err);

/* --- jobs_submit_data.c --- */

/** Adds a problem for each file:// channel that is not there or has nothing, and for
 * each place of outputs or checkpoints that railheadd cannot write.  It asks for one
 * entry a folder, so it takes no longer for much data. */
void jobs_check_data(const struct job_spec *spec, struct problems *problems);

/* --- jobs_restart.c --- */

/** Makes a job from its events. */
MUST_CHECK int jobs_replay(struct jobs *jobs, int64_t job_id, struct job **out,
                           struct err *err);
/** Takes up every job that has not ended. */
MUST_CHECK int jobs_restart(struct jobs *jobs, struct err *err);

#endif
