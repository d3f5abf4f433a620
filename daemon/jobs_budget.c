/*
 * What budgets have counted, and what live jobs add to it.  Who may begin is decided in
 * jobs_budget_admit.c, who must end in jobs_budget_look.c.
 *
 * `sum` of a budget is what closed intervals cost, counted from the ledger row by row;
 * `reserved` and `graces` follow the events of live jobs.  What runs is added up when
 * it is asked for.  Nothing here is lost by a crash: the sum says up to which row it
 * counted, and the rest is made from the live jobs again.
 */

#include "daemon/budget_count.h"
#include "daemon/jobs_private.h"
#include "src/clock.h"

#include <limits.h>
#include <string.h>

/* A round counts so many intervals at most of what was there before a budget: 2 us
 * each, and some 20 ns for each budget, of which there are a hundred at most; the next
 * round goes on. */
enum {
    COUNTED_PER_ROUND = 500,
    SETTLED_PER_ROUND = 100 /* live jobs, 20 us each where the ledger is read */
};

/* So long after a start nobody is stopped and no mark is told: schedulers tell within
 * it what ended while there was no daemon.  The second is for each live job. */
enum {
    QUIET_USEC = 500000,
    QUIET_USEC_A_JOB = 1000
};

bool jobs_budget_covers(const struct budget *budget, const struct live_job *live)
{
    return live->spend.covers >> budget->slot & 1;
}

/* --- counting the ledger --- */

/* What the ledger has got since: no more than an event of this round has written, and
 * no budget is behind for it. */
static int count_new(struct jobs *jobs, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;
    char hex[DIGEST_HEX_SIZE];

    if (budgets_count(jobs->store, budgets->items, budgets->count, budgets->ledger_end,
                      INT_MAX, err)
        < 0)
        return -1;
    budgets->ledger_end = store_chain_end(jobs->store, hex);
    return 0;
}

int jobs_budget_catch_up(struct jobs *jobs, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;
    int64_t first = budgets_first_uncounted(budgets->items, budgets->count);

    if (first >= budgets->ledger_end)
        return 0;
    budgets->changed = true; /* goes on with the next round */
    jobs_wake(jobs);
    return budgets_count(jobs->store, budgets->items, budgets->count, first,
                         COUNTED_PER_ROUND, err);
}

bool jobs_budget_is_counted(const struct jobs *jobs, const struct budget *budget)
{
    return budget->counted_seq >= jobs->budgets.ledger_end && !budget->unsettled;
}

/* --- what live jobs add --- */

static bool holds_instances(const struct job *job)
{
    if (job_state_is_final(job->state))
        return job->warm == WARM_AVAILABLE;
    return job->attempt && !job_state_waits(job->state);
}

/* What waits is reserved for, and costs nothing: nobody is to be stopped for it, and no
 * mark is reached. */
static void list(struct jobs *jobs, struct live_job *live)
{
    bool holds = holds_instances(live->job);

    if (!holds && !live->spend.is_listed)
        return;
    jobs->budgets.open_is_good = false;
    jobs->budgets.changed = true;
    for (size_t i = 0; i < jobs->budgets.count; i++)
        if (jobs_budget_covers(&jobs->budgets.items[i], live))
            jobs->budgets.items[i].changed = true;
    if (holds && !live->spend.is_listed)
        LIST_INSERT_HEAD(&jobs->budgets.spending, live, spend.in_spending);
    else if (!holds)
        LIST_REMOVE(live, spend.in_spending);
    live->spend.is_listed = holds;
}

/* Whose money it is. */
static void find_covers(struct jobs *jobs, struct live_job *live)
{
    auto_json struct cJSON *tags = NULL;
    const struct job *job = live->job;

    live->spend.covers = 0;
    if (json_parse(job->tags, strlen(job->tags), &tags, NULL) < 0)
        return; /* the event that had them would have been refused */
    for (size_t i = 0; i < jobs->budgets.count; i++) {
        const struct budget *budget = &jobs->budgets.items[i];

        if (budget_covers(&budget->rule, job->owner, tags))
            live->spend.covers |= (covers_t)1 << budget->slot;
    }
}

static void hold(struct jobs *jobs, struct live_job *live, nanousd_t reserved,
                 nanousd_t graces)
{
    for (size_t i = 0; i < jobs->budgets.count; i++) {
        struct budget *budget = &jobs->budgets.items[i];

        if (!jobs_budget_covers(budget, live))
            continue;
        budget->reserved += (__int128)reserved - live->spend.reserved;
        budget->graces += (__int128)graces - live->spend.graces;
        budget->changed = budget->changed || live->spend.is_listed;
    }
    live->spend.reserved = reserved;
    live->spend.graces = graces;
    if (live->spend.is_listed)
        jobs->budgets.open_is_good = false;
}

void jobs_budget_reserve(struct jobs *jobs, struct live_job *live)
{
    hold(jobs, live, jobs_spend_most(jobs, live), jobs_spend_grace(jobs, live));
    live->spend.regrace_boot = jobs_spend_grace_changes(jobs, live);
    if (live->spend.regrace_boot < jobs->budgets.regrace_boot)
        jobs->budgets.regrace_boot = live->spend.regrace_boot;
}

/* Has budgets know what is to be known of it now. */
static int settle(struct jobs *jobs, struct live_job *live, struct err *err)
{
    struct live_spend *spend = &live->spend;

    list(jobs, live);
    if (!jobs->budgets.count && !live->job->budget)
        return 0;
    if (spend->generation != jobs->budgets.generation) {
        hold(jobs, live, 0, 0);
        find_covers(jobs, live);
        spend->generation = jobs->budgets.generation;
    }
    if (!spend->is_read && live->job->attempt && jobs_spend_read(jobs, live, err) < 0)
        return -1;
    spend->is_read = true;
    jobs_budget_reserve(jobs, live);
    return 0;
}

int jobs_budget_note(struct jobs *jobs, struct live_job *live, enum job_event_kind kind,
                     struct err *err)
{
    switch (kind) {
    case EV_WORKER_READY:
    case EV_WORKER_LAUNCHED:
    case EV_WORKER_UPLOADING:
    case EV_WORKER_ENDED:
    case EV_WORKER_LOST:
        return 0; /* facts about one worker */
    case EV_SUBMITTED:
    case EV_PLACED:
    case EV_LAUNCHED:
    case EV_UPLOADING:
    case EV_STOP_ASKED:
    case EV_INTERRUPT_ASKED:
        return settle(jobs, live, err);
    case EV_READY:
    case EV_RETRY:
    case EV_INTERRUPTED:
    case EV_COMPLETED:
    case EV_FAILED:
    case EV_STOPPED:
    case EV_TIMED_OUT:
    case EV_WAIT_EXPIRED:
    case EV_WARM_ENDED:
        live->spend.is_read = false; /* the ledger has got rows of it */
        return count_new(jobs, err) < 0 ? -1 : settle(jobs, live, err);
    }
    return 0;
}

void jobs_budget_forget(struct live_job *live)
{
    if (live->spend.is_listed)
        LIST_REMOVE(live, spend.in_spending);
}

/* When a price in force changes for the first time. */
static usec_t next_price(const struct jobs *jobs)
{
    usec_t wall = clock_wall();
    usec_t next = INT64_MAX;

    for (size_t i = 0; i < jobs->offers.count; i++) {
        usec_t change = price_next_change(&jobs->book, &jobs->offers.items[i], wall);

        if (change < next)
            next = change;
    }
    return next == INT64_MAX ? next : clock_boot() + next - wall;
}

void jobs_budget_walk_anew(struct jobs *jobs)
{
    struct budgets *budgets = &jobs->budgets;

    budgets->generation++;
    budgets->open_is_good = false;
    budgets->walk_bucket = 0;
    budgets->book_count = jobs->book.count;
    budgets->reprice_boot = next_price(jobs);
    budgets->changed = true;
    jobs_wake(jobs);
}

/* Settles so many live jobs, or a few more. */
static int walk(struct jobs *jobs, int64_t limit, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;
    int64_t settled = 0;

    for (; budgets->walk_bucket < LIVE_BUCKETS; budgets->walk_bucket++) {
        struct live_job *live;

        if (settled >= limit) {
            budgets->changed = true; /* goes on with the next round */
            jobs_wake(jobs);
            return 0;
        }
        LIST_FOREACH (live, &jobs->live[budgets->walk_bucket], in_bucket) {
            if (live->spend.generation == budgets->generation)
                continue;
            if (settle(jobs, live, err) < 0)
                return -1;
            settled++;
        }
    }
    for (size_t i = 0; i < budgets->count; i++)
        budgets->items[i].unsettled = false;
    return 0;
}

int jobs_budget_walk_on(struct jobs *jobs, struct err *err)
{
    return walk(jobs, SETTLED_PER_ROUND, err);
}

int jobs_budget_start(struct jobs *jobs, struct err *err)
{
    /* A job that has ended meanwhile counts up to now until its end is told. */
    if (jobs->live_count)
        jobs->budgets.quiet_boot =
            clock_boot() + QUIET_USEC + jobs->live_count * QUIET_USEC_A_JOB;
    jobs_budget_walk_anew(jobs);
    return walk(jobs, INT64_MAX, err);
}

struct budget *jobs_budget_find(struct jobs *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->budgets.count; i++)
        if (strcmp(jobs->budgets.items[i].rule.name, name) == 0)
            return &jobs->budgets.items[i];
    return NULL;
}

/* --- at the start --- */

static int take_budget(void *context, const struct budget *stored, struct err *err)
{
    struct budgets *budgets = context;
    struct budget *budget;

    if (budgets->count == BUDGETS_MAX)
        return err_set(err, ERR_INTERNAL, "the database has more than %d budgets",
                       BUDGETS_MAX);
    budget = &budgets->items[budgets->count++];
    *budget = *stored;
    budget->slot = budgets->count - 1;
    budget->changed = true;
    budget_rule_copy(&stored->rule, &budget->rule);
    return 0;
}

int jobs_budget_load(struct jobs *jobs, struct err *err)
{
    char hex[DIGEST_HEX_SIZE];

    LIST_INIT(&jobs->budgets.spending);
    jobs->budgets.ledger_end = store_chain_end(jobs->store, hex);
    jobs->budgets.regrace_boot = INT64_MAX;
    jobs->budgets.next_boot = INT64_MAX;
    return store_each_budget(jobs->store, take_budget, &jobs->budgets, err);
}

void jobs_budget_clear(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->budgets.count; i++)
        budget_rule_clear(&jobs->budgets.items[i].rule);
}
