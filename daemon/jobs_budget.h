#ifndef DAEMON_JOBS_BUDGET_H
#define DAEMON_JOBS_BUDGET_H

#include "daemon/job_event.h"
#include "daemon/store_budget.h"
#include "src/job_spec.h"

#include <sys/queue.h>

/* Budgets while jobs live, for the files jobs_*.c. */

struct jobs;
struct live_job;

/* Each costs some of every round in which what it covers changes. */
enum {
    BUDGETS_MAX = 100
};

/* A bit for each of so many. */
typedef unsigned __int128 covers_t;
_Static_assert(BUDGETS_MAX <= 128, "every budget has a bit");

/* What a live job has cost and can still cost. */
struct live_spend {
    int64_t generation; /* of budgets.generation; another: what budgets have of it is
                           of older rules and prices */
    covers_t covers;    /* a bit a slot: whether a budget is of this job's money */
    bool is_read;       /* what follows is as in the ledger */
    bool is_listed;     /* in budgets.spending: it holds instances */
    bool is_open;       /* an interval of it runs */
    struct open_price pinned; /* meaningful when is_open */
    nanousd_t closed;         /* by intervals that are closed */
    nanousd_t reserved;       /* the most besides `closed`, as budgets have it */
    nanousd_t graces;         /* what a stop of it can cost, as budgets have it */
    usec_t regrace_boot; /* when that is another amount for a price that comes near */
    LIST_ENTRY(live_job) in_spending;
};

LIST_HEAD(spending_jobs, live_job);

/* What the open intervals of the jobs that a budget covers come to. */
struct budget_open {
    struct budget_sum sum; /* in its span */
    __int128 of_reserved;  /* what of `reserved` is in the sum */
    nanousd_t graces;      /* see struct budget_state */
    nanousd_t rate;
};

struct budgets {
    struct budget items[BUDGETS_MAX]; /* by name */
    size_t count;
    int64_t generation; /* of rules and prices that live jobs are reckoned by */
    size_t walk_bucket; /* of jobs.live: those before it are of this generation */
    int64_t ledger_end; /* what was added up to there is counted, unless a budget came
                           later than it */
    struct spending_jobs spending;
    struct budget_open open[BUDGETS_MAX]; /* by slot, as of `open_boot` */
    struct budget_span month;             /* that budgets by the month are in */
    usec_t open_boot;
    bool open_is_good;   /* nothing has begun or ended since */
    bool changed;        /* since the last look */
    size_t book_count;   /* prices in the book when `reserved` was computed */
    usec_t reprice_boot; /* when a price that it rests on changes */
    usec_t regrace_boot; /* the first of those that hold instances */
    usec_t
        quiet_boot;   /* not before: what ended while no daemon ran is heard of first */
    usec_t next_boot; /* when to look again though nothing happens */
};

/** Before the first job is taken up. */
MUST_CHECK int jobs_budget_load(struct jobs *jobs, struct err *err);
void jobs_budget_clear(struct jobs *jobs);

/** After an event of a job was stored. */
MUST_CHECK int jobs_budget_note(struct jobs *jobs, struct live_job *live,
                                enum job_event_kind kind, struct err *err);
/** When all live jobs have been taken up. */
MUST_CHECK int jobs_budget_start(struct jobs *jobs, struct err *err);
/** Before a job is freed. */
void jobs_budget_forget(struct live_job *live);

/** Adds a problem when budget_usd of a spec cannot be kept. */
void jobs_budget_check_spec(struct jobs *jobs, const struct job_spec *spec,
                            struct problems *problems);
/** ERR_LIMIT, with the budget and what is left of it, when one does not let a job
 * begin; ERR_UNAVAILABLE while one is being counted. */
MUST_CHECK int jobs_budget_admit(struct jobs *jobs, const struct job_spec *spec,
                                 const char *owner, struct err *err);
/** Why a job that waited may not begin its next attempt; NULL: it may.  The caller
 * frees. */
char *jobs_budget_bars(struct jobs *jobs, const struct live_job *live);

/** Ends a job, or its warm pool, for a budget. */
MUST_CHECK int jobs_budget_stop(struct jobs *jobs, struct live_job *live,
                                const char *why, struct err *err);

/** Looks after all budgets, before the commit of a round: counts, tells, stops. */
void jobs_budget_look(struct jobs *jobs);

/* --- between the files jobs_budget*.c --- */

/* What a budget comes to at one moment. */
struct budget_state {
    struct budget_sum sum; /* with what runs */
    nanousd_t reserved;    /* the most that live jobs can still cost */
    nanousd_t graces;      /* what stopping those that hold instances can cost */
    nanousd_t rate;        /* of all that runs, an hour */
};
/** No older than 10 ms; to have it of now, set budgets.open_is_good to false before. */
struct budget_state jobs_budget_state(struct jobs *jobs, const struct budget *budget);
bool jobs_budget_covers(const struct budget *budget, const struct live_job *live);
/** Counts a slice of what the ledger had before a budget came. */
MUST_CHECK int jobs_budget_catch_up(struct jobs *jobs, struct err *err);
/** Whether it has counted all that the ledger has, and what live jobs may cost. */
bool jobs_budget_is_counted(const struct jobs *jobs, const struct budget *budget);
/** What it holds back for live jobs: the most that they may still cost where it
 * refuses, the grace of them all where it stops. */
nanousd_t jobs_budget_held(const struct budget *budget,
                           const struct budget_state *state);
/** What is left of it for a job that comes now. */
nanousd_t jobs_budget_left(const struct budget *budget,
                           const struct budget_state *state);
/** "budget NAME is used up: ..."; the caller frees, as the next one. */
char *jobs_budget_used_up(const struct budget *budget,
                          const struct budget_state *state);
char *jobs_budget_own_used_up(const struct job *job, nanousd_t spent);
/** What it can still cost, and its stop, follow its events and prices. */
void jobs_budget_reserve(struct jobs *jobs, struct live_job *live);
struct budget *jobs_budget_find(struct jobs *jobs, const char *name);
/** Rules or prices have changed: live jobs are to be reckoned anew. */
void jobs_budget_walk_anew(struct jobs *jobs);
/** Does so with a slice of them. */
MUST_CHECK int jobs_budget_walk_on(struct jobs *jobs, struct err *err);

/* jobs_spend.c: one job */

/** Reads what the ledger has of it. */
MUST_CHECK int jobs_spend_read(struct jobs *jobs, struct live_job *live,
                               struct err *err);
/** Adds what its open interval has cost up to now, what of that lies in the span. */
void jobs_spend_add(struct jobs *jobs, const struct live_job *live,
                    struct budget_span span, struct budget_sum *sum);
/** What it costs an hour just now, all instances; 0 when nothing of it runs. */
nanousd_t jobs_spend_rate(struct jobs *jobs, const struct live_job *live);
/** The most that it can cost from its open interval on, at the dearest of the prices
 * that are known for that time. */
nanousd_t jobs_spend_most(struct jobs *jobs, const struct live_job *live);
/** What it can cost from a stop on, likewise. */
nanousd_t jobs_spend_grace(struct jobs *jobs, const struct live_job *live);
/** When the next price comes so near that a stop could see it; INT64_MAX: none. */
usec_t jobs_spend_grace_changes(struct jobs *jobs, const struct live_job *live);
/** What a second of it costs, whether it runs or is about to. */
nanousd_t jobs_spend_second(struct jobs *jobs, const struct live_job *live);
/** The same of a job that has not begun. */
nanousd_t jobs_spend_most_of_spec(struct jobs *jobs, const struct job_spec *spec);
nanousd_t jobs_spend_grace_of_spec(struct jobs *jobs, const struct job_spec *spec);
nanousd_t jobs_spend_second_of_spec(struct jobs *jobs, const struct job_spec *spec);

#endif
