/* The arithmetic of budgets: whose money, in which month, how long it lasts.  What is
 * done when it is used up is decided in jobs_budget.c. */

#include "daemon/budget.h"

#include "src/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const
    budget_periods[] = { [BUDGET_MONTH] = "month", [BUDGET_TOTAL] = "total", NULL };
const char *const budget_actions[] = { [BUDGET_NOTIFY] = "notify",
                                       [BUDGET_REFUSE] = "refuse",
                                       [BUDGET_STOP] = "stop",
                                       NULL };

const char *budget_period_name(enum budget_period period)
{
    return budget_periods[period];
}

const char *budget_action_name(enum budget_action action)
{
    return budget_actions[action];
}

static bool find_name(const char *const *names, const char *name, size_t *out)
{
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool budget_period_from_name(const char *name, enum budget_period *out)
{
    size_t index;

    if (!find_name(budget_periods, name, &index))
        return false;
    *out = (enum budget_period)index;
    return true;
}

bool budget_action_from_name(const char *name, enum budget_action *out)
{
    size_t index;

    if (!find_name(budget_actions, name, &index))
        return false;
    *out = (enum budget_action)index;
    return true;
}

void budget_rule_copy(const struct budget_rule *from, struct budget_rule *to)
{
    *to = *from;
    to->owner = xstrdup(from->owner);
    to->tag_key = xstrdup(from->tag_key);
    to->tag_value = xstrdup(from->tag_value);
}

void budget_rule_clear(struct budget_rule *rule)
{
    free(rule->owner);
    free(rule->tag_key);
    free(rule->tag_value);
    *rule = (struct budget_rule){ 0 };
}

bool budget_covers(const struct budget_rule *rule, const char *owner,
                   const struct cJSON *tags)
{
    const char *value;

    if (rule->owner && strcmp(rule->owner, owner) != 0)
        return false;
    if (!rule->tag_key)
        return true;
    value = json_get_text(tags, rule->tag_key);
    return value && strcmp(value, rule->tag_value) == 0;
}

bool budget_counts_alike(const struct budget_rule *left,
                         const struct budget_rule *right)
{
    return left->period == right->period && text_is_same(left->owner, right->owner)
           && text_is_same(left->tag_key, right->tag_key)
           && text_is_same(left->tag_value, right->tag_value);
}

struct budget_span budget_span_at(enum budget_period period, usec_t wall)
{
    time_t seconds = (time_t)(wall / USEC_PER_SEC);
    struct tm date;
    int64_t from_s;

    if (period == BUDGET_TOTAL)
        return (struct budget_span){ INT64_MIN, INT64_MAX };
    gmtime_r(&seconds, &date);
    date = (struct tm){ .tm_year = date.tm_year, .tm_mon = date.tm_mon, .tm_mday = 1 };
    from_s = timegm(&date);
    date.tm_mon++; /* timegm knows the thirteenth */
    return (struct budget_span){ from_s, timegm(&date) };
}

nanousd_t budget_plus(nanousd_t left, nanousd_t right)
{
    nanousd_t sum;

    return __builtin_add_overflow(left, right, &sum) ? INT64_MAX : sum;
}

nanousd_t budget_cost(nanousd_t hourly, int64_t seconds)
{
    nanousd_t cost;

    return money_for_seconds(hourly, seconds, &cost, NULL) < 0 ? INT64_MAX : cost;
}

void budget_sum_add(struct budget_sum *to, const struct budget_sum *sum)
{
    to->spent = budget_plus(to->spent, sum->spent);
    to->emulated = budget_plus(to->emulated, sum->emulated);
    to->estimated = to->estimated || sum->estimated;
    to->unpriced = to->unpriced || sum->unpriced;
}

void budget_add(struct budget_sum *sum, struct budget_span span,
                const struct budget_part *part)
{
    int64_t end = part->start_s + part->seconds;
    int64_t from = part->start_s > span.from_s ? part->start_s : span.from_s;
    int64_t to = end < span.to_s ? end : span.to_s;
    nanousd_t cost;

    if (from >= to)
        return;
    if (!part->priced) {
        sum->unpriced = true;
        return;
    }
    if (money_for_part(part->hourly, part->base + from - part->start_s,
                       part->base + to - part->start_s, &cost, NULL)
        < 0)
        cost = INT64_MAX;
    sum->spent = budget_plus(sum->spent, cost);
    if (part->emulated)
        sum->emulated = budget_plus(sum->emulated, cost);
    sum->estimated = sum->estimated || part->estimated;
}

usec_t budget_lasts(nanousd_t money, nanousd_t rate)
{
    __int128 usec;

    if (money <= 0)
        return 0;
    if (rate <= 0)
        return INT64_MAX;
    usec = (__int128)money * 3600 * USEC_PER_SEC / rate;
    return usec < INT64_MAX ? (usec_t)usec : INT64_MAX;
}
