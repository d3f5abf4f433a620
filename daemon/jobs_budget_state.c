/*
 * What all budgets come to at one moment.  Decides for how long that is good; what
 * follows from it is decided in the files that ask.
 *
 * What runs is added up for all budgets in one walk over the jobs that hold instances.
 * Jobs that the same budgets cover are added up first, so that a walk over 10,000 jobs
 * takes 2 ms however many budgets there are; a walk for each of 100 took a second.
 */

#include "daemon/jobs_private.h"
#include "src/clock.h"

#include <string.h>

/* Nothing that runs begins or ends without an event, and after an event it is added up
 * again.  Else it costs a second more each second: whoever admits a job or shows a
 * budget may be so much behind, whoever looks after marks and limits may not. */
enum {
    GOOD_USEC = 10000
};

/* Jobs are told apart by what covers them in so many places; two kinds that share one
 * take turns, which is slower and no less true. */
enum {
    KINDS = 64
};

/* What the open intervals of jobs come to that are covered alike. */
struct kind {
    covers_t covers;
    struct budget_sum ever;
    struct budget_sum month; /* of it, what lies in budgets.month */
    __int128 of_reserved;
    nanousd_t graces;
    nanousd_t rate;
};

static struct kind *place_of(struct kind *kinds, covers_t covers)
{
    uint64_t mixed = (uint64_t)covers * 31 + (uint64_t)(covers >> 64);

    return &kinds[(mixed ^ mixed >> 32 ^ mixed >> 16) % KINDS];
}

static void add_job(struct jobs *jobs, const struct live_job *live, struct kind *kind)
{
    const struct live_spend *spend = &live->spend;
    struct budget_sum ever = { 0 };

    jobs_spend_add(jobs, live, budget_span_at(BUDGET_TOTAL, 0), &ever);
    jobs_spend_add(jobs, live, jobs->budgets.month, &kind->month);
    budget_sum_add(&kind->ever, &ever);
    kind->of_reserved += ever.spent < spend->reserved ? ever.spent : spend->reserved;
    kind->graces = budget_plus(kind->graces, spend->graces);
    kind->rate = budget_plus(kind->rate, jobs_spend_rate(jobs, live));
}

static void give(struct budgets *budgets, const struct kind *kind)
{
    for (size_t i = 0; kind->covers && i < budgets->count; i++) {
        const struct budget *budget = &budgets->items[i];
        struct budget_open *open = &budgets->open[budget->slot];
        bool total = budget->rule.period == BUDGET_TOTAL;

        if (!(kind->covers >> budget->slot & 1))
            continue;
        budget_sum_add(&open->sum, total ? &kind->ever : &kind->month);
        open->of_reserved += kind->of_reserved;
        open->graces = budget_plus(open->graces, kind->graces);
        open->rate = budget_plus(open->rate, kind->rate);
    }
}

static void add_up(struct jobs *jobs)
{
    struct budgets *budgets = &jobs->budgets;
    struct kind kinds[KINDS] = { 0 };
    const struct live_job *live;

    memset(budgets->open, 0, sizeof budgets->open);
    LIST_FOREACH (live, &budgets->spending, spend.in_spending) {
        struct kind *kind = place_of(kinds, live->spend.covers);

        if (!live->spend.covers)
            continue;
        if (kind->covers != live->spend.covers) {
            give(budgets, kind);
            *kind = (struct kind){ .covers = live->spend.covers };
        }
        add_job(jobs, live, kind);
    }
    for (size_t i = 0; i < KINDS; i++)
        give(budgets, &kinds[i]);
    budgets->open_boot = clock_boot();
    budgets->open_is_good = true;
}

/* All that count by the month are in the same one, once they have begun it. */
static void begin_month(struct budgets *budgets, const struct budget *budget)
{
    if (budget->rule.period != BUDGET_MONTH
        || budgets->month.from_s == budget->span.from_s)
        return;
    budgets->month = budget->span;
    budgets->open_is_good = false;
}

static nanousd_t narrow(__int128 amount)
{
    if (amount < 0)
        return 0;
    return amount > INT64_MAX ? INT64_MAX : (nanousd_t)amount;
}

struct budget_state jobs_budget_state(struct jobs *jobs, const struct budget *budget)
{
    struct budgets *budgets = &jobs->budgets;
    const struct budget_open *open = &budgets->open[budget->slot];
    struct budget_state state = { .sum = budget->sum };

    begin_month(budgets, budget);
    if (!budgets->open_is_good || clock_boot() - budgets->open_boot > GOOD_USEC)
        add_up(jobs);
    budget_sum_add(&state.sum, &open->sum);
    state.reserved = narrow(budget->reserved - open->of_reserved);
    state.graces = open->graces;
    state.rate = open->rate;
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
