/* Budgets as they are shown, set and taken away.  What they do is decided in
 * jobs_budget_admit.c and jobs_budget_look.c. */

#include "daemon/budget_count.h"
#include "daemon/jobs_private.h"
#include "src/clock.h"
#include "src/job_id.h"
#include "src/log.h"
#include "src/members.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTIFY_PERCENT = 80,
    EVENTS_SHOWN = 100,
    SCOPE_BYTES_MAX = 1024 /* a tag's value has 256 characters */
};

/* --- shown --- */

static void set_usd(struct cJSON *json, const char *name, nanousd_t amount)
{
    char text[MONEY_TEXT_SIZE];

    json_set_text(json, name, money_format(amount, text));
}

static void set_time(struct cJSON *json, const char *name, usec_t wall)
{
    char text[TIME_TEXT_SIZE];

    json_set_text(json, name, time_format(wall, text));
}

static struct cJSON *scope_of(const struct budget_rule *rule)
{
    struct cJSON *scope = json_object_new();
    struct cJSON *tag;

    if (rule->owner)
        json_set_text(scope, "owner", rule->owner);
    if (rule->tag_key && strcmp(rule->tag_key, "project") == 0) {
        json_set_text(scope, "project", rule->tag_value);
    } else if (rule->tag_key) {
        tag = json_object_new();
        json_set_text(tag, rule->tag_key, rule->tag_value);
        json_set(scope, "tag", tag);
    }
    return scope;
}

static struct cJSON *rule_to_json(const struct budget_rule *rule)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "name", rule->name);
    set_usd(json, "limit_usd", rule->limit);
    json_set_text(json, "currency", "USD");
    json_set(json, "scope", scope_of(rule));
    json_set_text(json, "per", budget_period_name(rule->period));
    json_set_text(json, "action", budget_action_name(rule->action));
    json_set_int(json, "notify_at", rule->notify_percent);
    return json;
}

static struct cJSON *period_of(const struct budget *budget)
{
    struct cJSON *period;

    if (budget->rule.period == BUDGET_TOTAL)
        return json_null_new();
    period = json_object_new();
    set_time(period, "start", budget->span.from_s * USEC_PER_SEC);
    set_time(period, "end", budget->span.to_s * USEC_PER_SEC);
    return period;
}

static struct cJSON *budget_to_json(struct jobs *jobs, struct budget *budget)
{
    struct cJSON *json = rule_to_json(&budget->rule);
    struct budget_state state;
    bool counted;

    budget_begin_period(budget);
    counted = jobs_budget_is_counted(jobs, budget);
    state = jobs_budget_state(jobs, budget);
    json_set(json, "period", period_of(budget));
    set_usd(json, "spent_usd", state.sum.spent);
    set_usd(json, "emulated_usd", state.sum.emulated);
    set_usd(json, "reserved_usd", jobs_budget_held(budget, &state));
    set_usd(json, "left_usd", jobs_budget_left(budget, &state));
    json_set_bool(json, "estimated", state.sum.estimated);
    json_set_bool(json, "unpriced", state.sum.unpriced);
    json_set_bool(json, "counting", !counted);
    set_time(json, "created_at", budget->created_us);
    return json;
}

void jobs_budgets(struct jobs *jobs, struct cJSON **out)
{
    struct cJSON *items = json_array_new();

    for (size_t i = 0; i < jobs->budgets.count; i++)
        json_append(items, budget_to_json(jobs, &jobs->budgets.items[i]));
    *out = json_object_new();
    json_set(*out, "items", items);
    json_set_null(*out, "next_cursor");
}

static int not_found(const char *name, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no budget named '%.64s'", name);
}

static int show(struct jobs *jobs, struct budget *budget, struct cJSON **out,
                struct err *err)
{
    struct cJSON *events;

    if (store_get_budget_events(jobs->store, budget->rule.name, EVENTS_SHOWN, &events,
                                err)
        < 0)
        return -1;
    *out = budget_to_json(jobs, budget);
    json_set(*out, "events", events);
    return 0;
}

int jobs_get_budget(struct jobs *jobs, const char *name, struct cJSON **out,
                    struct err *err)
{
    struct budget *budget = jobs_budget_find(jobs, name);

    return budget ? show(jobs, budget, out, err) : not_found(name, err);
}

/* --- set --- */

/* Texts are the body's. */
static void read_limit(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct budget_rule *rule = into;

    (void)member_usd(value, place, &rule->limit);
}

static void read_currency(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    (void)into;
    (void)member_currency(value, place);
}

static void read_words(const struct cJSON *value, const struct member_place *place,
                       char **out)
{
    const char *text;

    if (member_text(value, place, SCOPE_BYTES_MAX, &text))
        *out = xstrdup(text);
}

static void read_owner(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct budget_rule *rule = into;

    read_words(value, place, &rule->owner);
}

static void take_tag(struct budget_rule *rule, const char *key,
                     const struct cJSON *value, const struct member_place *place)
{
    if (rule->tag_key) {
        member_problem(place, "leave one out",
                       "a budget is of one tag, and project is a tag");
        return;
    }
    if (!json_text(value)) {
        (void)member_not_text(value, place);
        return;
    }
    rule->tag_key = xstrdup(key);
    rule->tag_value = xstrdup(json_text(value));
}

static void read_project(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    take_tag(into, "project", value, place);
}

static void read_tag(void *into, const struct cJSON *value,
                     const struct member_place *place)
{
    if (!member_object(value, place, 1))
        return;
    if (json_count(value) == 0)
        member_problem(place, "write {NAME: VALUE}", "is empty");
    json_each (tag, value) {
        struct member_place at = member_below(place, json_name(tag));

        take_tag(into, json_name(tag), tag, &at);
    }
}

/* clang-format off */
static const struct member scope_members[] = {
    { "owner",   read_owner,   false, NULL },
    { "project", read_project, false, NULL },
    { "tag",     read_tag,     false, NULL },
};
/* clang-format on */

static void read_scope(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    members_read(into, value, place, scope_members, ARRAY_SIZE(scope_members));
}

static void read_per(void *into, const struct cJSON *value,
                     const struct member_place *place)
{
    struct budget_rule *rule = into;
    size_t index;

    if (member_choice(value, place, budget_periods, &index))
        rule->period = (enum budget_period)index;
}

static void read_action(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct budget_rule *rule = into;
    size_t index;

    if (member_choice(value, place, budget_actions, &index))
        rule->action = (enum budget_action)index;
}

static void read_notify_at(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct budget_rule *rule = into;
    int64_t percent;

    if (member_int(value, place, 1, 100, &percent))
        rule->notify_percent = (int)percent;
}

/* clang-format off */
static const struct member rule_members[] = {
    { "limit_usd", read_limit,     true,  "what may be spent, like \"100\"" },
    { "currency",  read_currency,  false, NULL },
    { "scope",     read_scope,     false, NULL },
    { "per",       read_per,       false, NULL },
    { "action",    read_action,    false, NULL },
    { "notify_at", read_notify_at, false, NULL },
};
/* clang-format on */

static int read_rule(const char *name, const struct cJSON *body,
                     struct budget_rule *rule, struct problems *problems,
                     struct err *err)
{
    const struct member_place whole = { .problems = problems };

    *rule = (struct budget_rule){ .period = BUDGET_TOTAL,
                                  .action = BUDGET_REFUSE,
                                  .notify_percent = NOTIFY_PERCENT };
    snprintf(rule->name, sizeof rule->name, "%s", name);
    if (!job_name_is_valid(name))
        problems_add(
            problems, "name", NULL,
            "a budget's name has 1 to 63 letters, digits and hyphens; a hyphen neither first nor last");
    json_check_duplicates(body, problems);
    members_read(rule, body, &whole, rule_members, ARRAY_SIZE(rule_members));
    if (!problems->count)
        return 0;
    budget_rule_clear(rule);
    return err_set(err, ERR_INVALID, "the budget has %zu mistake%s", problems->count,
                   problems->count == 1 ? "" : "s");
}

/* One that no budget has. */
static size_t free_slot(const struct budgets *budgets)
{
    bool taken[BUDGETS_MAX] = { false };
    size_t slot = 0;

    for (size_t i = 0; i < budgets->count; i++)
        taken[budgets->items[i].slot] = true;
    while (taken[slot])
        slot++;
    return slot;
}

/* Room in the order of names; there is some. */
static struct budget *insert(struct budgets *budgets, const char *name)
{
    size_t slot = free_slot(budgets);
    size_t at = 0;

    while (at < budgets->count && strcmp(budgets->items[at].rule.name, name) < 0)
        at++;
    memmove(&budgets->items[at + 1], &budgets->items[at],
            (budgets->count - at) * sizeof *budgets->items);
    budgets->count++;
    budgets->items[at] = (struct budget){ .created_us = clock_wall(), .slot = slot };
    return &budgets->items[at];
}

/* What was counted of other money, and held for it. */
static void count_anew(struct jobs *jobs, struct budget *budget,
                       enum budget_period period)
{
    for (size_t i = 0; i < LIVE_BUCKETS; i++) {
        struct live_job *live;

        LIST_FOREACH (live, &jobs->live[i], in_bucket)
            live->spend.covers &= ~((covers_t)1 << budget->slot);
    }
    budget->reserved = 0;
    budget->graces = 0;
    budget->unsettled = true;
    budget->span = budget_span_at(period, clock_wall());
    budget->sum = (struct budget_sum){ 0 };
    budget->counted_seq = 0;
    jobs_budget_walk_anew(jobs);
}

/* What was counted stays where it is of the same money; marks are told again. */
static void take_rule(struct jobs *jobs, struct budget *budget,
                      struct budget_rule *rule)
{
    if (!budget_counts_alike(&budget->rule, rule) || !budget->rule.limit)
        count_anew(jobs, budget, rule->period);
    budget->told_percent = 0;
    budget->changed = true;
    jobs->budgets.changed = true;
    budget_rule_clear(&budget->rule);
    budget->rule = *rule;
    *rule = (struct budget_rule){ 0 };
}

static int keep(struct jobs *jobs, const struct budget *budget, const char *by,
                struct err *err)
{
    auto_json struct cJSON *data = rule_to_json(&budget->rule);
    struct err store_err;

    json_set_text(data, "by", by);
    if (store_put_budget(jobs->store, budget, &store_err) == 0
        && store_add_budget_event(jobs->store, budget->rule.name, "set", data,
                                  &store_err)
               == 0) {
        jobs_wake(jobs);
        return 0;
    }
    jobs_fail(jobs, &store_err);
    return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
}

int jobs_set_budget(struct jobs *jobs, struct budget_order *order, struct cJSON **out,
                    struct problems *problems, struct err *err)
{
    struct budget_rule rule;
    struct budget *budget;

    if (read_rule(order->name, order->body, &rule, problems, err) < 0)
        return -1;
    budget = jobs_budget_find(jobs, order->name);
    order->created = !budget;
    if (!budget && jobs->budgets.count == BUDGETS_MAX) {
        budget_rule_clear(&rule);
        return err_set(err, ERR_LIMIT,
                       "there are %d budgets, and no more are possible: take one away, "
                       "or set it anew",
                       BUDGETS_MAX);
    }
    if (!budget)
        budget = insert(&jobs->budgets, order->name);
    take_rule(jobs, budget, &rule);
    log_info("budget.set budget=%s by=%s", order->name, order->by);
    if (keep(jobs, budget, order->by, err) < 0)
        return -1;
    return show(jobs, budget, out, err);
}

int jobs_remove_budget(struct jobs *jobs, const char *name, const char *by,
                       struct cJSON **out, struct err *err)
{
    struct budgets *budgets = &jobs->budgets;
    struct budget *budget = jobs_budget_find(jobs, name);
    auto_json struct cJSON *data = json_object_new();
    auto_json struct cJSON *last = NULL;
    struct err store_err;
    size_t index;

    if (!budget)
        return not_found(name, err);
    json_set_text(data, "by", by);
    log_info("budget.removed budget=%s by=%s", name, by);
    last = budget_to_json(jobs, budget);
    index = (size_t)(budget - budgets->items);
    budget_rule_clear(&budget->rule);
    budgets->count--;
    memmove(budget, budget + 1, (budgets->count - index) * sizeof *budget);
    if (store_delete_budget(jobs->store, name, &store_err) == 0
        && store_add_budget_event(jobs->store, name, "removed", data, &store_err)
               == 0) {
        jobs_wake(jobs);
        *out = steal_ptr(&last);
        return 0;
    }
    jobs_fail(jobs, &store_err);
    return err_set(err, ERR_UNAVAILABLE, "%s", store_err.text);
}
