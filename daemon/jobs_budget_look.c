/*
 * Looks after budgets while jobs run: tells when a mark is reached, and stops jobs so
 * early that their grace still fits.
 */

#include "daemon/budget_count.h"
#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/log.h"

enum {
    SAVED_EVERY = 1000 /* so many rows of the ledger are counted again after a crash */
};

/* Whether a stop would change anything. */
static bool can_stop(const struct job *job)
{
    if (job_state_is_final(job->state))
        return job->warm == WARM_AVAILABLE;
    return !job->stop_asked && job->state != JOB_UPLOADING;
}

int jobs_budget_stop(struct jobs *jobs, struct live_job *live, const char *why,
                     struct err *err)
{
    auto_json struct cJSON *data = NULL;

    log_info("budget.stop job=%s why=\"%s\"", live->job->name, why);
    if (job_state_is_final(live->job->state))
        return jobs_end_warm(jobs, live, clock_boot(), NULL, err);
    data = json_object_new();
    json_set_text(data, "cause", end_cause_name(END_BUDGET));
    json_set_text(data, "by", "budget");
    json_set_text(data, "message", why);
    return jobs_post(jobs, live, EV_STOP_ASKED, -1, data, err);
}

static void add_figures(const struct budget *budget, nanousd_t spent,
                        struct cJSON *data)
{
    char amount[MONEY_TEXT_SIZE];

    json_set_text(data, "spent_usd", money_format(spent, amount));
    json_set_text(data, "limit_usd", money_format(budget->rule.limit, amount));
}

/* What costs nothing goes on. */
static int stop_all(struct jobs *jobs, struct budget *budget,
                    const struct budget_state *state, struct err *err)
{
    auto_free char *why = jobs_budget_used_up(budget, state);
    auto_json struct cJSON *data = json_object_new();
    struct live_job *live = LIST_FIRST(&jobs->budgets.spending);
    int count = 0;

    while (live) {
        struct live_job *next = LIST_NEXT(live, spend.in_spending);

        if (live->spend.graces && jobs_budget_covers(budget, live)
            && can_stop(live->job)) {
            if (jobs_budget_stop(jobs, live, why, err) < 0)
                return -1;
            count++;
        }
        live = next;
    }
    if (!count)
        return 0;
    add_figures(budget, state->sum.spent, data);
    json_set_int(data, "jobs", count);
    return store_add_budget_event(jobs->store, budget->rule.name, "stopped", data, err);
}

static void sooner(usec_t *next, usec_t at)
{
    if (at < *next)
        *next = at;
}

/* Costs grow by whole seconds: what is all but used up is looked at a hundred times in
 * one, and no more. */
static usec_t after(usec_t span)
{
    const usec_t least = 10 * USEC_PER_MSEC;

    if (span == INT64_MAX)
        return span;
    return clock_boot() + (span > least ? span : least);
}

static nanousd_t part_of(nanousd_t limit, int percent)
{
    return (nanousd_t)((__int128)limit * percent / 100);
}

static int tell(struct jobs *jobs, struct budget *budget, int percent, nanousd_t spent,
                struct err *err)
{
    auto_json struct cJSON *data = json_object_new();
    char amount[MONEY_TEXT_SIZE];

    log_warning("budget.reached budget=%s percent=%d spent_usd=%s", budget->rule.name,
                percent, money_format(spent, amount));
    budget->told_percent = percent;
    budget->must_save = true;
    json_set_int(data, "percent", percent);
    add_figures(budget, spent, data);
    return store_add_budget_event(jobs->store, budget->rule.name, "reached", data, err);
}

/* Tells each of its two marks once in a period. */
static int tell_marks(struct jobs *jobs, struct budget *budget,
                      const struct budget_state *state, usec_t *next, struct err *err)
{
    const int marks[] = { budget->rule.notify_percent, 100 };

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        nanousd_t mark = part_of(budget->rule.limit, marks[i]);

        if (budget->told_percent >= marks[i])
            continue;
        if (state->sum.spent < mark) {
            sooner(next, after(budget_lasts(mark - state->sum.spent, state->rate)));
            return 0;
        }
        if (tell(jobs, budget, marks[i], state->sum.spent, err) < 0)
            return -1;
    }
    return 0;
}

static int look_at(struct jobs *jobs, struct budget *budget, usec_t *next,
                   struct err *err)
{
    struct budget_state state;
    nanousd_t room;

    state = jobs_budget_state(jobs, budget);
    if (tell_marks(jobs, budget, &state, next, err) < 0)
        return -1;
    if (budget->rule.period == BUDGET_MONTH)
        sooner(next, after(budget->span.to_s * USEC_PER_SEC - clock_wall()));
    if (budget->rule.action != BUDGET_STOP)
        return 0;
    room = budget->rule.limit - budget_plus(state.sum.spent, state.graces);
    if (room <= 0)
        return stop_all(jobs, budget, &state, err);
    sooner(next, after(budget_lasts(room, state.rate)));
    return 0;
}

/* One whose jobs go on as they did is left alone until its time comes. */
static int look_if_due(struct jobs *jobs, struct budget *budget, struct err *err)
{
    budget_begin_period(budget);
    if (!budget->changed && clock_boot() < budget->next_boot)
        return 0;
    budget->changed = false;
    budget->next_boot = INT64_MAX;
    return look_at(jobs, budget, &budget->next_boot, err);
}

/* A pool ends when another second would not be paid for. */
static int look_at_pool(struct jobs *jobs, struct live_job *live, usec_t *next,
                        struct err *err)
{
    const struct job *job = live->job;
    usec_t lasts =
        budget_lasts(job->budget - live->spend.closed, jobs_spend_rate(jobs, live));
    usec_t until;

    if (lasts == INT64_MAX)
        return 0;
    until = job_warm_start(job) + lasts / USEC_PER_SEC * USEC_PER_SEC;
    if (until <= clock_boot())
        return jobs_end_warm(jobs, live, until, NULL, err);
    sooner(next, until);
    return 0;
}

/* A job with a budget of its own. */
static int look_at_job(struct jobs *jobs, struct live_job *live, usec_t *next,
                       struct err *err)
{
    struct budget_sum open = { 0 };
    auto_free char *why = NULL;
    nanousd_t spent, room;

    if (live->job->warm == WARM_AVAILABLE)
        return look_at_pool(jobs, live, next, err);
    if (!can_stop(live->job))
        return 0;
    jobs_spend_add(jobs, live, budget_span_at(BUDGET_TOTAL, 0), &open);
    spent = budget_plus(live->spend.closed, open.spent);
    room = live->job->budget - budget_plus(spent, live->spend.graces);
    if (room > 0) {
        sooner(next, after(budget_lasts(room, jobs_spend_rate(jobs, live))));
        return 0;
    }
    why = jobs_budget_own_used_up(live->job, spent);
    return jobs_budget_stop(jobs, live, why, err);
}

static int look_at_jobs(struct jobs *jobs, usec_t *next, struct err *err)
{
    struct live_job *live = LIST_FIRST(&jobs->budgets.spending);

    while (live) {
        struct live_job *behind = LIST_NEXT(live, spend.in_spending);

        if (live->job->budget && look_at_job(jobs, live, next, err) < 0)
            return -1;
        live = behind;
    }
    return 0;
}

static int save(struct jobs *jobs, struct budget *budget, struct err *err)
{
    if (!budget->must_save && budget->counted_seq - budget->saved_seq < SAVED_EVERY)
        return 0;
    budget->must_save = false;
    budget->saved_seq = budget->counted_seq;
    return store_put_budget(jobs->store, budget, err);
}

/* A stop of these may come to see another price than before. */
static void regrace(struct jobs *jobs)
{
    struct budgets *budgets = &jobs->budgets;
    struct live_job *live;

    if (budgets->regrace_boot > clock_boot())
        return;
    budgets->regrace_boot = INT64_MAX;
    LIST_FOREACH (live, &budgets->spending, spend.in_spending) {
        if (live->spend.regrace_boot <= clock_boot())
            jobs_budget_reserve(jobs, live);
        sooner(&budgets->regrace_boot, live->spend.regrace_boot);
    }
}

static int look(struct jobs *jobs, usec_t *next, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;

    if (budgets->book_count != jobs->book.count
        || budgets->reprice_boot <= clock_boot())
        jobs_budget_walk_anew(jobs);
    budgets->changed = false;
    if (jobs_budget_walk_on(jobs, err) < 0 || jobs_budget_catch_up(jobs, err) < 0)
        return -1;
    regrace(jobs);
    if (clock_boot() < budgets->quiet_boot) {
        budgets->changed = true; /* all of it is looked at then */
        *next = budgets->quiet_boot;
        return 0;
    }
    budgets->open_is_good = false; /* a second may have begun */
    for (size_t i = 0; i < budgets->count; i++) {
        if (look_if_due(jobs, &budgets->items[i], err) < 0
            || save(jobs, &budgets->items[i], err) < 0)
            return -1;
        sooner(next, budgets->items[i].next_boot);
    }
    sooner(next, budgets->reprice_boot);
    sooner(next, budgets->regrace_boot);
    return look_at_jobs(jobs, next, err);
}

void jobs_budget_look(struct jobs *jobs)
{
    struct budgets *budgets = &jobs->budgets;
    usec_t next = INT64_MAX;
    struct err err;

    if (jobs->failed
        || (!budgets->changed && clock_boot() < budgets->next_boot
            && budgets->book_count == jobs->book.count))
        return;
    if (look(jobs, &next, &err) < 0)
        jobs_fail(jobs, &err);
    budgets->next_boot = next;
    jobs_watch_at(jobs, next);
}
