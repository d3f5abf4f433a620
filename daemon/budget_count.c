/* Counts closed intervals of the ledger into budgets, each once.  When that is done,
 * and how much at a time, is decided in jobs_budget.c. */

#include "daemon/budget_count.h"

#include "src/clock.h"

#include <stdlib.h>
#include <string.h>

/* What was closed before a month began has no part in it, so counting goes on; where
 * the wall clock was set back, it begins again. */
void budget_begin_period(struct budget *budget)
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
    budget->changed = true;
}

int64_t budgets_first_uncounted(const struct budget *items, size_t count)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < count; i++)
        if (items[i].counted_seq < first)
            first = items[i].counted_seq;
    return first;
}

struct counter {
    struct budget *items;
    size_t count;
    int64_t after;
    int64_t last_seq;
    char *tags; /* that `parsed` was made from */
    struct cJSON *parsed;
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
    for (size_t i = 0; i < counter->count; i++) {
        struct budget *budget = &counter->items[i];

        if (budget->counted_seq < counter->after || budget->counted_seq >= seq
            || !budget_covers(&budget->rule, part->owner, counter->parsed))
            continue;
        budget_add(&budget->sum, budget->span, part);
        budget->changed = true;
    }
    counter->last_seq = seq;
    return 0;
}

int budgets_count(struct store *store, struct budget *items, size_t count,
                  int64_t after, int limit, struct err *err)
{
    __attribute__((cleanup(counter_clear))) struct counter counter = { .items = items,
                                                                       .count = count,
                                                                       .after = after };
    struct part_slice slice = { .after = after, .limit = limit };
    char hex[DIGEST_HEX_SIZE];
    int64_t end = store_chain_end(store, hex);

    for (size_t i = 0; i < count; i++)
        budget_begin_period(&items[i]);
    if (!count || after >= end)
        return 0;
    if (store_each_part_after(store, &slice, count_part, &counter, err) < 0)
        return -1;
    if (slice.more)
        end = counter.last_seq;
    for (size_t i = 0; i < count; i++)
        if (items[i].counted_seq >= after && items[i].counted_seq < end)
            items[i].counted_seq = end;
    return 0;
}
