/* Which job a budget lets begin: at its submit, and when it gets its place. */

#include "daemon/budget_count.h"
#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

void jobs_budget_check_spec(struct jobs *jobs, const struct job_spec *spec,
                            struct problems *problems)
{
    const struct offer *offer = offers_find(&jobs->offers, spec->instance_type);
    nanousd_t grace = jobs_spend_grace_of_spec(jobs, spec);
    nanousd_t second = jobs_spend_second_of_spec(jobs, spec);
    char budget[MONEY_TEXT_SIZE], least[MONEY_TEXT_SIZE];

    if (!spec->budget || !offer)
        return;
    if (!price_in_force(&jobs->book, offer, clock_wall()))
        problems_add(problems, "budget_usd",
                     "leave it out and bound the time by max_run, or have a price set",
                     "%s has no price here, so nobody knows what the job costs",
                     spec->instance_type);
    else if (budget_plus(grace, second) > spec->budget)
        problems_add(problems, "budget_usd", "allow more, or a shorter grace",
                     "%s USD do not pay for the stop of the job after a second: its "
                     "grace of %lld s costs up to %s USD",
                     money_format(spec->budget, budget), (long long)spec->grace_s,
                     money_format(grace, least));
}

static int refuse(const struct budget *budget, const struct budget_state *state,
                  nanousd_t needed, struct err *err)
{
    const struct budget_rule *rule = &budget->rule;
    bool stops = rule->action == BUDGET_STOP;
    char limit[MONEY_TEXT_SIZE], spent[MONEY_TEXT_SIZE], held[MONEY_TEXT_SIZE],
        left[MONEY_TEXT_SIZE], more[MONEY_TEXT_SIZE];

    log_info("budget.refused budget=%s", rule->name);
    return err_set(
        err, ERR_LIMIT,
        "budget %s: %s of %s USD are left%s, for %s are spent and %s reserved for %s; "
        "this job needs %s%s or have the budget raised",
        rule->name, money_format(jobs_budget_left(budget, state), left),
        money_format(rule->limit, limit),
        rule->period == BUDGET_MONTH ? " this month (UTC)" : "",
        money_format(state->sum.spent, spent),
        money_format(jobs_budget_held(budget, state), held),
        stops ? "the grace of live jobs" : "what live jobs may still cost",
        money_format(needed, more),
        stops
            ? " for its own grace and a second in which it and those run: shorten the "
              "grace, wait for jobs to end,"
            : " at most: lower max_run or set budget_usd, wait for jobs to end,");
}

/* What a job that has not begun wants of a budget. */
struct need {
    nanousd_t most;
    nanousd_t grace;
    nanousd_t second;
};

/* Under a budget that stops: without room for a second of all that would run then, one
 * job more would be the stop of all. */
static nanousd_t need_to_run(const struct need *need, const struct budget_state *state)
{
    return budget_plus(need->grace,
                       budget_plus(need->second, budget_cost(state->rate, 1)));
}

/* Those that run or wait count, each with what it can cost at most; under a budget that
 * stops, with its grace. */
static int admit(struct jobs *jobs, struct budget *budget, const struct need *need,
                 struct err *err)
{
    const struct budget_rule *rule = &budget->rule;
    nanousd_t needed = rule->action == BUDGET_STOP ? need->grace : need->most;
    struct budget_state state;

    budget_begin_period(budget);
    if (rule->action == BUDGET_NOTIFY || !needed)
        return 0;
    if (rule->action == BUDGET_REFUSE && !jobs_budget_is_counted(jobs, budget))
        return err_set(err, ERR_UNAVAILABLE,
                       "budget %s is being counted: try again in a moment", rule->name);
    if (rule->action == BUDGET_REFUSE
        && budget->sum.spent + budget->reserved + needed <= rule->limit)
        return 0; /* what runs need not be asked: its cost is in what is reserved */
    state = jobs_budget_state(jobs, budget);
    if (rule->action == BUDGET_STOP)
        needed = need_to_run(need, &state);
    return needed <= jobs_budget_left(budget, &state)
               ? 0
               : refuse(budget, &state, needed, err);
}

int jobs_budget_admit(struct jobs *jobs, const struct job_spec *spec, const char *owner,
                      struct err *err)
{
    struct need need;

    if (!jobs->budgets.count)
        return 0;
    need = (struct need){ jobs_spend_most_of_spec(jobs, spec),
                          jobs_spend_grace_of_spec(jobs, spec),
                          jobs_spend_second_of_spec(jobs, spec) };
    for (size_t i = 0; i < jobs->budgets.count; i++) {
        struct budget *budget = &jobs->budgets.items[i];

        if (budget_covers(&budget->rule, owner, spec->tags)
            && admit(jobs, budget, &need, err) < 0)
            return -1;
    }
    return 0;
}

char *jobs_budget_used_up(const struct budget *budget, const struct budget_state *state)
{
    char limit[MONEY_TEXT_SIZE], spent[MONEY_TEXT_SIZE], graces[MONEY_TEXT_SIZE];

    return xasprintf(
        "budget %s is used up: of %s USD, %s are spent%s and %s kept for the "
        "grace of what runs",
        budget->rule.name, money_format(budget->rule.limit, limit),
        money_format(state->sum.spent, spent),
        budget->rule.period == BUDGET_MONTH ? " this month (UTC)" : "",
        money_format(state->graces, graces));
}

char *jobs_budget_own_used_up(const struct job *job, nanousd_t spent)
{
    char limit[MONEY_TEXT_SIZE], amount[MONEY_TEXT_SIZE];

    return xasprintf(
        "budget_usd is used up: of %s USD, %s are spent and the grace is yet to come",
        money_format(job->budget, limit), money_format(spent, amount));
}

char *jobs_budget_bars(struct jobs *jobs, const struct live_job *live)
{
    const struct need need = { .grace = jobs_spend_grace(jobs, live),
                               .second = jobs_spend_second(jobs, live) };

    if (!need.grace)
        return NULL;
    if (live->job->budget
        && budget_plus(live->spend.closed, budget_plus(need.grace, need.second))
               > live->job->budget)
        return jobs_budget_own_used_up(live->job, live->spend.closed);
    for (size_t i = 0; i < jobs->budgets.count; i++) {
        struct budget *budget = &jobs->budgets.items[i];
        struct budget_state state;

        if (!jobs_budget_covers(budget, live) || budget->rule.action != BUDGET_STOP)
            continue;
        budget_begin_period(budget);
        state = jobs_budget_state(jobs, budget);
        if ((__int128)state.sum.spent + state.graces + need_to_run(&need, &state)
            > budget->rule.limit)
            return jobs_budget_used_up(budget, &state);
    }
    return NULL;
}
