/* Runs into arms, and the order of all that is done with those. */

#include "daemon/compare.h"

#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* --- arms --- */

/* In which order the arms come: the baseline, then by their first run. */
struct order {
    const char **names;
    size_t count;
};

static size_t place_of(const struct order *order, const char *arm)
{
    size_t i = 0;

    while (i < order->count && strcmp(order->names[i], arm) != 0)
        i++;
    return i;
}

/* The names are the runs'.  The caller frees the list. */
static struct order order_of(const struct compare_run *runs, size_t count)
{
    struct order order = { .names = xcalloc(count + 1, sizeof *order.names) };

    for (size_t i = 0; i < count; i++)
        if (place_of(&order, runs[i].arm) == order.count)
            order.names[order.count++] = runs[i].arm;
    return order;
}

static int unknown_baseline(const struct order *order, const char *baseline,
                            struct err *err)
{
    auto_free char *known = NULL;
    struct text words = { 0 };

    for (size_t i = 0; i < order->count; i++)
        text_printf(&words, "%s%s", i ? ", " : "", order->names[i]);
    known = text_steal(&words);
    return err_set(err, ERR_INVALID, "baseline: there is no arm '%.100s'; there are %s",
                   baseline, known);
}

static int put_baseline_first(struct order *order, const char *baseline,
                              struct err *err)
{
    size_t at = place_of(order, baseline);
    const char *name;

    if (at == order->count)
        return unknown_baseline(order, baseline, err);
    name = order->names[at];
    memmove(order->names + 1, order->names, at * sizeof *order->names);
    order->names[0] = name;
    return 0;
}

/* By time; those of which it is not known last, as they came. */
static int compare_runs(const void *left, const void *right)
{
    const struct compare_run *a = left;
    const struct compare_run *b = right;
    usec_t at = a->started ? a->started : INT64_MAX;
    usec_t other = b->started ? b->started : INT64_MAX;

    if (at != other)
        return at < other ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Moves the runs so that those of an arm are in a row. */
static void make_arms(struct comparison *comparison, const struct order *order)
{
    struct compare_run *sorted =
        xcalloc(comparison->run_count + 1, sizeof *comparison->runs);
    size_t used = 0;

    comparison->arm_count = order->count;
    comparison->arms = xcalloc(order->count, sizeof *comparison->arms);
    for (size_t i = 0; i < order->count; i++) {
        struct compare_arm *arm = &comparison->arms[i];

        arm->runs = sorted + used;
        for (size_t j = 0; j < comparison->run_count; j++)
            if (strcmp(comparison->runs[j].arm, order->names[i]) == 0)
                arm->runs[arm->run_count++] = comparison->runs[j];
        arm->name = arm->runs[0].arm;
        used += arm->run_count;
        qsort(arm->runs, arm->run_count, sizeof *arm->runs, compare_runs);
    }
    free(comparison->runs);
    comparison->runs = sorted;
}

/* --- what an arm's runs are --- */

static void count_run(struct compare_arm *arm, const struct compare_run *run)
{
    switch (run->outcome) {
    case COMPARE_COMPLETED:
        arm->counted++;
        break;
    case COMPARE_FAILED:
        arm->failed++;
        break;
    case COMPARE_UNFINISHED:
        arm->unfinished++;
        return;
    }
    /* A sum that does not fit is none. */
    if (!run->has_price || __builtin_add_overflow(arm->spent, run->cost, &arm->spent))
        arm->has_spent = false;
}

static bool mixes_emulated(const struct compare_arm *arm)
{
    for (size_t i = 1; i < arm->run_count; i++)
        if (arm->runs[i].emulated != arm->runs[0].emulated)
            return true;
    return false;
}

/* Runs that must not be taken together. */
static const char *mixed_of(const struct compare_arm *arm)
{
    const struct compare_run *first = NULL;

    if (mixes_emulated(arm))
        return "some of its runs are emulated and some are not";
    for (size_t i = 0; i < arm->run_count; i++) {
        const struct compare_run *run = &arm->runs[i];

        if (run->outcome != COMPARE_COMPLETED)
            continue;
        if (!first)
            first = run;
        if (run->cache != first->cache)
            return "its runs began with compile caches in different states";
    }
    return NULL;
}

static void sum_up(struct compare_arm *arm)
{
    arm->mixed = mixed_of(arm);
    arm->has_spent = !mixes_emulated(arm); /* no sum of money that was and was not */
    for (size_t i = 0; i < arm->run_count; i++)
        count_run(arm, &arm->runs[i]);
}

static int group(struct comparison *comparison, struct err *err)
{
    const char *baseline = comparison->ask->baseline;
    struct order order = order_of(comparison->runs, comparison->run_count);
    int result = baseline ? put_baseline_first(&order, baseline, err) : 0;

    if (result == 0)
        make_arms(comparison, &order);
    free(order.names);
    return result;
}

int compare_make(const struct compare_ask *ask, struct compare_run *runs, size_t count,
                 struct comparison *out, struct err *err)
{
    auto_comparison struct comparison comparison = { .ask = ask,
                                                     .runs = runs,
                                                     .run_count = count };

    if (count == 0)
        return err_set(err, ERR_INVALID, "there are no runs to be compared");
    for (size_t i = 0; i < count; i++)
        runs[i].order = i;
    if (group(&comparison, err) < 0)
        return -1;
    for (size_t i = 0; i < comparison.arm_count; i++)
        sum_up(&comparison.arms[i]);
    compare_compute(&comparison);
    compare_check_all(&comparison);
    compare_judge(&comparison);
    *out = comparison;
    comparison = (struct comparison){ 0 };
    return 0;
}

void comparison_clear(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->run_count; i++)
        compare_run_clear(&comparison->runs[i]);
    free(comparison->runs);
    free(comparison->arms);
    for (size_t i = 0; i < COMPARE_CHECKS; i++)
        free(comparison->checks[i].message);
    free(comparison->sentence);
    words_free(comparison->remarks);
    *comparison = (struct comparison){ 0 };
}
