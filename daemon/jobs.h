#ifndef DAEMON_JOBS_H
#define DAEMON_JOBS_H

#include "daemon/bill_run.h"
#include "daemon/config.h"
#include "daemon/job_filter.h"
#include "src/json.h"
#include "src/loop.h"
#include "src/problems.h"
#include "src/profile.h"

/*
 * All jobs: the door between the API and the job machine.
 *
 * What a call below changes is durable only after the next commit: the API holds its
 * answer back until then (jobs_on_commit).
 */

struct jobs;

/** Opens the store beneath config->state, replays what lives, takes up supervision
 * again. `config`, `catalog` and `loop` outlive it. */
MUST_CHECK int jobs_open(const struct config *config, const struct catalog *catalog,
                         struct loop *loop, struct jobs **out, struct err *err);
void jobs_close(struct jobs *jobs);

/** `callback` runs after every commit; ok is false when it failed and nothing of this
 * round is kept. */
void jobs_on_commit(struct jobs *jobs, void (*callback)(void *context, bool ok),
                    void *context);

/** Whether anything waits for a commit. */
bool jobs_is_dirty(const struct jobs *jobs);

/** ERR_DISK_FULL while the disk has no room for new jobs. */
MUST_CHECK int jobs_need_room(struct jobs *jobs, struct err *err);

struct submit {
    const struct cJSON *spec;
    const char *owner;           /* who asks */
    const char *idempotency_key; /* or NULL */
    const char *body_digest;     /* SHA-256 of what was sent, with the key */
};

/**
 * Takes a job on.  *answer is {name, id, status, secondary_status, created_at,
 * instance_type, instance_count, emulated, price}; *created is false when the
 * idempotency key had been used with the same body: then it is the job as it stands.
 *
 * ERR_INVALID with `problems`; ERR_CONFLICT when the name is taken or the key was used
 * with another body; ERR_DISK_FULL.
 */
MUST_CHECK int jobs_submit(struct jobs *jobs, const struct submit *submit,
                           struct cJSON **answer, bool *created,
                           struct problems *problems, struct err *err);

/** The same checks without a job; *answer has `spec`, `plan` (every rank's command
 * line and environment) and `estimate` {usd_per_hour, most, likely} besides. */
MUST_CHECK int jobs_dry_run(struct jobs *jobs, const struct submit *submit,
                            struct cJSON **answer, struct problems *problems,
                            struct err *err);

/** The same checks; *answer is what such a job can cost at most and is likely to:
 * {instance_type, instance_count, emulated, price, usd_per_hour, most, likely}. */
MUST_CHECK int jobs_estimate(struct jobs *jobs, const struct submit *submit,
                             struct cJSON **answer, struct problems *problems,
                             struct err *err);

/** Asks for a stop. ERR_NOT_FOUND; ERR_CONFLICT when the job has ended, but for its
 * warm pool, which is given up then.  Asked again while stopping: well. */
MUST_CHECK int jobs_stop(struct jobs *jobs, const char *name, const char *by,
                         struct err *err);

/** Tells the attempt that runs to end within notice_s, as if its machine was wanted
 * back: the job's `retry` says whether another one follows. ERR_NOT_FOUND; ERR_CONFLICT
 * when nothing of it runs, or it stops already. Asked again: well. */
MUST_CHECK int jobs_interrupt(struct jobs *jobs, const char *name, int64_t notice_s,
                              const char *by, struct err *err);

/** All that is known of a job, as daemon/report.h puts it together. */
MUST_CHECK int jobs_show(struct jobs *jobs, const char *name, struct cJSON **out,
                         struct err *err);

/** {"items": [{status, start, end, message}], "next_cursor": null} */
MUST_CHECK int jobs_transitions(struct jobs *jobs, const char *name, struct cJSON **out,
                                struct err *err);

/** The plan with every rank's command line and environment. */
MUST_CHECK int jobs_plan(struct jobs *jobs, const char *name, struct cJSON **out,
                         struct err *err);

/* A page of the list of jobs, newest first, that is looked for over some rounds. */
struct job_page;

/** Of `limit` jobs at most (1..1000), from a cursor of an earlier page on, or (NULL)
 * from the newest.  What `filter` points to outlives it.  ERR_INVALID when the cursor
 * is none. */
MUST_CHECK int job_page_new(struct jobs *jobs, const struct job_filter *filter,
                            int limit, const char *cursor, struct job_page **out,
                            struct err *err);
/** Looks for some 2 ms.  While not *done it is to be called again in the next round. */
MUST_CHECK int job_page_look(struct job_page *page, bool *done, struct err *err);
/** When it is done: {"items": [summaries], "next_cursor": "..." or null}.  There may be
 * less than `limit` of them where they are far between, but none only when there are no
 * more.  The caller owns it. */
struct cJSON *job_page_take(struct job_page *page);
void job_page_free(struct job_page *page);

/** The state folder, borrowed. */
const char *jobs_state(const struct jobs *jobs);

/** What a comparison needs of the catalog, by type: {TYPE: {processes (that a host has
 * when the spec does not say), usd_per_hour and confidence (of the price in force at
 * `wall`; not there: unpriced)}}.  The caller owns it. */
struct cJSON *jobs_type_facts(struct jobs *jobs, usec_t wall);

/** What an export of charges says besides them: {"account": {id, name}, either of which
 * may not be there, "instance_types": {TYPE: facts, named as in FOCUS}}.  The caller
 * owns it. */
struct cJSON *jobs_export_facts(struct jobs *jobs);

struct price_filter {
    const char *instance_type; /* or NULL: all */
    const char *cursor; /* next_cursor of an earlier answer; NULL: from the start */
    int limit;
};

/** Every price of the catalog, the pools and the book by type, or those of one type:
 * {"items": [{instance_type, usd_per_hour, currency, from, basis, ...}], "next_cursor":
 * "..." or null}.  ERR_NOT_FOUND when there is no such type. */
MUST_CHECK int jobs_prices(struct jobs *jobs, const struct price_filter *filter,
                           struct cJSON **out, struct err *err);

/**
 * Sets a price, said as api/openapi.yaml has it, for `from` and later, in the name of
 * `by`.  *out is its item.
 *
 * ERR_INVALID with `problems`; ERR_CONFLICT when it would change what is charged.
 */
MUST_CHECK int jobs_set_price(struct jobs *jobs, const struct cJSON *body,
                              const char *by, struct cJSON **out,
                              struct problems *problems, struct err *err);

/** Every budget by name: {"items": [{name, limit_usd, scope, per, action, notify_at,
 * period, spent_usd, reserved_usd, left_usd, ...}], "next_cursor": null} */
void jobs_budgets(struct jobs *jobs, struct cJSON **out);
/** One, with its newest events. ERR_NOT_FOUND. */
MUST_CHECK int jobs_get_budget(struct jobs *jobs, const char *name, struct cJSON **out,
                               struct err *err);
struct budget_order {
    const char *name;
    const struct cJSON *body; /* as api/openapi.yaml has it */
    const char *by;           /* who asks */
    bool created;             /* set: there was none of this name */
};
/** Makes one, or changes all that is said of it; *out as of jobs_get_budget.
 * ERR_INVALID with `problems`; ERR_LIMIT when there are as many as there can be. */
MUST_CHECK int jobs_set_budget(struct jobs *jobs, struct budget_order *order,
                               struct cJSON **out, struct problems *problems,
                               struct err *err);
/** *out is what it was. ERR_NOT_FOUND. */
MUST_CHECK int jobs_remove_budget(struct jobs *jobs, const char *name, const char *by,
                                  struct cJSON **out, struct err *err);

/** {"items": [{name, vcpus, ..., price, offered, capacity, in_use, warm, reason}],
 * "next_cursor": null} */
struct cJSON *jobs_instance_types(struct jobs *jobs);

/* Where the output of a job's ranks is. */
struct job_log {
    int attempt;
    int worker;
    int rank;
    char *path;       /* rank-N.log, as src/rank_log.h reads it */
    char *times_path; /* rank-N.times, too */
    bool ended;       /* nothing more will come */
};

/* All of an attempt. */
struct job_logs {
    struct job_log *logs; /* by rank */
    size_t count;
    bool ended; /* nothing more will come: the attempt, or the job, has ended */
};

/**
 * The logs of an attempt, counted from 1; 0: of the last one, whichever that is, until
 * the job has ended, and none before it was launched.
 *
 * ERR_NOT_FOUND when there is no such job or attempt.  The caller frees by
 * job_logs_clear.
 */
MUST_CHECK int jobs_logs(struct jobs *jobs, const char *name, int attempt,
                         struct job_logs *out, struct err *err);
void job_logs_clear(struct job_logs *logs);

/** Path of a source archive by digest (also when it is not there yet); the caller
 * frees. */
char *jobs_source_path(struct jobs *jobs, const char *hex);

/** Whom questions to the ledger are put to. */
struct bill_runs *jobs_bill_runs(struct jobs *jobs);

/** {status: "ok", "disk_full" or "failed", version, live_jobs, commits,
 * last_commit_usec, clock_step_us: by how much the wall clock was set since the start}
 */
struct cJSON *jobs_health(struct jobs *jobs);

#endif
