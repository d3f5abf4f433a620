/*
 * What budgets have counted, and what live jobs add to it.  Who may begin is decided in
 * jobs_budget_admit.c, who must end in jobs_budget_look.c.
 *
 * `sum` of a budget is what closed intervals cost, counted from the ledger row by row;
 * `reserved` and `graces` follow the events of live jobs.  What runs is added up when
 * it is asked for.  Nothing here is lost by a crash: the sum says up to which row it
 * counted, and the rest is made from the live jobs again.
 */

#include "daemon/jobs_private.h"
#include "src/clock.h"

#include <stdlib.h>
#include <string.h>

/* A round counts so many intervals at most, 2 us each; the next round goes on. */
enum {
    COUNTED_PER_ROUND = 1000
};

/* --- whose money --- */

static const bool *covers_of(struct jobs *jobs, struct live_job *live)
{
    auto_json struct cJSON *tags = NULL;
    const struct job *job = live->job;

    if (live->spend.covers || !jobs->budgets.count)
        return live->spend.covers;
    live->spend.covers = xcalloc(jobs->budgets.count, sizeof *live->spend.covers);
    if (json_parse(job->tags, strlen(job->tags), &tags, NULL) < 0)
        return live->spend.covers; /* the event that had them would have been refused */
    for (size_t i = 0; i < jobs->budgets.count; i++)
        live->spend.covers[i] =
            budget_covers(&jobs->budgets.items[i].rule, job->owner, tags);
    return live->spend.covers;
}

bool jobs_budget_covers(struct jobs *jobs, const struct budget *budget,
                        struct live_job *live)
{
    return covers_of(jobs, live)[budget - jobs->budgets.items];
}

/* --- counting the ledger --- */

struct counter {
    struct budgets *budgets;
    char *tags; /* that `parsed` was made from */
    struct cJSON *parsed;
    int64_t last_seq;
};

static void counter_clear(struct counter *counter)
{
    free(counter->tags);
    json_free(counter->parsed);
}

/* Most rows have the tags of the row before. */
static int read_tags(struct counter *counter, const char *tags, struct err *err)
{
    if (counter->tags && strcmp(counter->tags, tags) == 0)
        return 0;
    counter_clear(counter);
    counter->parsed = NULL;
    counter->tags = xstrdup(tags);
    return json_parse(tags, strlen(tags), &counter->parsed, err);
}

static int count_part(void *context, int64_t seq, const struct budget_part *part,
                      struct err *err)
{
    struct counter *counter = context;

    if (read_tags(counter, part->tags, err) < 0)
        return -1;
    for (size_t i = 0; i < counter->budgets->count; i++) {
        struct budget *budget = &counter->budgets->items[i];

        if (budget->counted_seq < seq
            && budget_covers(&budget->rule, part->owner, counter->parsed))
            budget_add(&budget->sum, budget->span, part);
    }
    counter->last_seq = seq;
    return 0;
}

static int64_t first_uncounted(const struct budgets *budgets)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < budgets->count; i++)
        if (budgets->items[i].counted_seq < first)
            first = budgets->items[i].counted_seq;
    return first;
}

static int64_t ledger_end(const struct jobs *jobs)
{
    char hex[DIGEST_HEX_SIZE];

    return store_chain_end(jobs->store, hex);
}

/* One slice. */
static int count_ledger(struct jobs *jobs, struct err *err)
{
    __attribute__((
        cleanup(counter_clear))) struct counter counter = { .budgets = &jobs->budgets };
    struct part_slice slice = { .after = first_uncounted(&jobs->budgets),
                                .limit = COUNTED_PER_ROUND };
    int64_t end = ledger_end(jobs);

    if (slice.after >= end)
        return 0;
    if (store_each_part_after(jobs->store, &slice, count_part, &counter, err) < 0)
        return -1;
    if (slice.more)
        end = counter.last_seq;
    for (size_t i = 0; i < jobs->budgets.count; i++)
        if (jobs->budgets.items[i].counted_seq < end)
            jobs->budgets.items[i].counted_seq = end;
    return 0;
}

bool jobs_budget_is_counted(struct jobs *jobs, const struct budget *budget)
{
    struct err err;

    if (count_ledger(jobs, &err) < 0) {
        jobs_fail(jobs, &err);
        return false;
    }
    return budget->counted_seq >= ledger_end(jobs);
}

/* What was closed before a month began has no part in it, so counting goes on; where
 * the wall clock was set back, it begins again. */
void jobs_budget_begin_period(struct budget *budget)
{
    int64_t now_s = clock_wall() / USEC_PER_SEC;

    if (now_s >= budget->span.from_s && now_s < budget->span.to_s)
        return;
    if (now_s < budget->span.from_s)
        budget->counted_seq = 0;
    budget->span = budget_span_at(budget->rule.period, clock_wall());
    budget->sum = (struct budget_sum){ 0 };
    budget->told_percent = 0;
    budget->must_save = true;
}

/* --- what live jobs add --- */

static bool holds_instances(const struct job *job)
{
    if (job_state_is_final(job->state))
        return job->warm == WARM_AVAILABLE;
    return job->attempt && !job_state_waits(job->state);
}

static void list(struct jobs *jobs, struct live_job *live)
{
    bool holds = holds_instances(live->job);

    if (holds && !live->spend.is_listed)
        LIST_INSERT_HEAD(&jobs->budgets.spending, live, spend.in_spending);
    else if (!holds && live->spend.is_listed)
        LIST_REMOVE(live, spend.in_spending);
    live->spend.is_listed = holds;
}

static void reserve(struct jobs *jobs, struct live_job *live)
{
    nanousd_t reserved = jobs_spend_most(jobs, live);
    nanousd_t graces = jobs_spend_grace(jobs, live);
    const bool *covers = covers_of(jobs, live);

    for (size_t i = 0; i < jobs->budgets.count; i++) {
        if (!covers[i])
            continue;
        jobs->budgets.items[i].reserved += (__int128)reserved - live->spend.reserved;
        jobs->budgets.items[i].graces += (__int128)graces - live->spend.graces;
    }
    live->spend.reserved = reserved;
    live->spend.graces = graces;
}

static bool is_of_ledger(enum job_event_kind kind)
{
    return kind == EV_READY || kind == EV_RETRY || kind == EV_INTERRUPTED
           || kind == EV_COMPLETED || kind == EV_FAILED || kind == EV_STOPPED
           || kind == EV_TIMED_OUT || kind == EV_WAIT_EXPIRED || kind == EV_WARM_ENDED;
}

int jobs_budget_note(struct jobs *jobs, struct live_job *live, enum job_event_kind kind,
                     struct err *err)
{
    if (kind <= EV_WORKER_LOST)
        return 0; /* a fact about one worker, the last of these kinds */
    list(jobs, live);
    if (!jobs->budgets.count && !live->job->budget)
        return 0;
    if (is_of_ledger(kind) && live->job->attempt
        && jobs_spend_read(jobs, live, err) < 0)
        return -1;
    reserve(jobs, live);
    jobs->budgets.changed = true;
    return 0;
}

void jobs_budget_forget(struct live_job *live)
{
    if (live->spend.is_listed)
        LIST_REMOVE(live, spend.in_spending);
    free(live->spend.covers);
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

static int recount_one(struct jobs *jobs, struct live_job *live, struct err *err)
{
    free(live->spend.covers);
    live->spend.covers = NULL;
    live->spend.reserved = 0;
    live->spend.graces = 0;
    list(jobs, live);
    if (!jobs->budgets.count && !live->job->budget)
        return 0;
    if (live->job->attempt && jobs_spend_read(jobs, live, err) < 0)
        return -1;
    reserve(jobs, live);
    return 0;
}

int jobs_budget_recount(struct jobs *jobs, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;

    for (size_t i = 0; i < budgets->count; i++) {
        budgets->items[i].reserved = 0;
        budgets->items[i].graces = 0;
    }
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        LIST_FOREACH (live, &jobs->live[i], in_bucket)
            if (recount_one(jobs, live, err) < 0)
                return -1;
    }
    budgets->book_count = jobs->book.count;
    budgets->reprice_boot = next_price(jobs);
    budgets->changed = true;
    jobs_wake(jobs);
    return 0;
}

static nanousd_t narrow(__int128 amount)
{
    if (amount < 0)
        return 0;
    return amount > INT64_MAX ? INT64_MAX : (nanousd_t)amount;
}

struct budget_state jobs_budget_state(struct jobs *jobs, const struct budget *budget)
{
    const struct budget_span ever = budget_span_at(BUDGET_TOTAL, 0);
    struct budget_state state = { .sum = budget->sum };
    __int128 reserved = budget->reserved;
    struct live_job *live;

    LIST_FOREACH (live, &jobs->budgets.spending, spend.in_spending) {
        struct budget_sum open = { 0 };

        if (!jobs_budget_covers(jobs, budget, live))
            continue;
        jobs_spend_add(jobs, live, budget->span, &state.sum);
        jobs_spend_add(jobs, live, ever, &open);
        reserved -=
            open.spent < live->spend.reserved ? open.spent : live->spend.reserved;
        state.graces = budget_plus(state.graces, live->spend.graces);
        state.rate = budget_plus(state.rate, jobs_spend_rate(jobs, live));
    }
    state.reserved = narrow(reserved);
    return state;
}

nanousd_t jobs_budget_held(const struct budget *budget,
                           const struct budget_state *state)
{
    switch (budget->rule.action) {
    case BUDGET_NOTIFY:
        break;
    case BUDGET_REFUSE:
        return state->reserved;
    case BUDGET_STOP:
        return narrow(budget->graces);
    }
    return 0;
}

nanousd_t jobs_budget_left(const struct budget *budget,
                           const struct budget_state *state)
{
    return narrow((__int128)budget->rule.limit - state->sum.spent
                  - jobs_budget_held(budget, state));
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

    (void)err;
    budgets->items =
        xrealloc(budgets->items, (budgets->count + 1) * sizeof *budgets->items);
    budget = &budgets->items[budgets->count++];
    *budget = *stored;
    budget_rule_copy(&stored->rule, &budget->rule);
    return 0;
}

int jobs_budget_load(struct jobs *jobs, struct err *err)
{
    LIST_INIT(&jobs->budgets.spending);
    jobs->budgets.next_boot = INT64_MAX;
    return store_each_budget(jobs->store, take_budget, &jobs->budgets, err);
}

void jobs_budget_clear(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->budgets.count; i++)
        budget_rule_clear(&jobs->budgets.items[i].rule);
    free(jobs->budgets.items);
}
