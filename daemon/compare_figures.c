/* What an arm's runs come to, and how that stands to the baseline.  What follows from
 * it in words is compare_verdict's. */

#include "daemon/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- figures of a run --- */

static struct compare_value known(double value)
{
    return (struct compare_value){ value, NULL };
}

static struct compare_value unknown(const char *why)
{
    return (struct compare_value){ STATS_NONE, why };
}

static struct compare_value seconds_of(const struct compare_run *run)
{
    return run->billable ? known((double)run->billable) : unknown("nothing was billed");
}

static struct compare_value cost_of(const struct compare_run *run)
{
    return run->has_price ? known((double)run->cost) : unknown("it has no price");
}

static struct compare_value work_per_usd_of(const struct compare_run *run)
{
    if (!run->work)
        return unknown("the work that was done is not known");
    if (!run->has_price)
        return unknown("it has no price");
    if (run->cost == 0)
        return unknown("the cost is zero");
    return known(strtod(run->work, NULL) / ((double)run->cost / NANOUSD_PER_USD));
}

static struct compare_value objective_of(const struct compare_run *run)
{
    return run->objective;
}

static struct compare_value startup_of(const struct compare_run *run)
{
    return run->startup;
}

static struct compare_value rate_of(const struct compare_run *run)
{
    return run->rate;
}

static struct compare_value target_seconds_of(const struct compare_run *run)
{
    return run->target_seconds;
}

static struct compare_value target_cost_of(const struct compare_run *run)
{
    return run->target_cost;
}

static const struct {
    struct compare_value (*of)(const struct compare_run *run);
    bool more_is_better;
    bool has_center; /* it is above 0, and runs differ by factors */
} kinds[COMPARE_FIGURES] = {
    [COMPARE_SECONDS] = { seconds_of, false, true },
    [COMPARE_COST] = { cost_of, false, true },
    [COMPARE_WORK_PER_USD] = { work_per_usd_of, true, true },
    [COMPARE_OBJECTIVE] = { objective_of, true, false },
    [COMPARE_STARTUP] = { startup_of, false, true },
    [COMPARE_RATE] = { rate_of, true, true },
    [COMPARE_SECONDS_TO_TARGET] = { target_seconds_of, false, true },
    [COMPARE_COST_TO_TARGET] = { target_cost_of, false, true },
};

/* --- of an arm --- */

/* The counted runs that have a figure. */
struct values {
    double *items;
    size_t count;
    bool positive;       /* all are */
    const char *missing; /* of the first run that has it not */
};

static struct values values_of(const struct compare_arm *arm, enum compare_what what)
{
    struct values values = { .items = xcalloc(arm->run_count + 1, sizeof(double)),
                             .positive = true,
                             .missing = "no run has completed" };

    for (size_t i = 0; i < arm->run_count; i++) {
        struct compare_value value;

        if (arm->runs[i].outcome != COMPARE_COMPLETED)
            continue;
        value = kinds[what].of(&arm->runs[i]);
        if (value.missing) {
            values.missing = value.missing;
            continue;
        }
        values.items[values.count++] = value.value;
        values.positive &= value.value > 0;
    }
    if (arm->mixed) {
        values.count = 0;
        values.missing = arm->mixed;
    }
    return values;
}

static void values_clear(struct values *values)
{
    free(values->items);
}
#define auto_values __attribute__((cleanup(values_clear)))

/* Which is the better of an objective, its goal says. */
static bool more_is_better(const struct compare_arm *arm, enum compare_what what)
{
    if (what == COMPARE_OBJECTIVE)
        return arm->runs[0].goal == GOAL_MAXIMIZE;
    return kinds[what].more_is_better;
}

static double best_of(const struct values *values, bool more)
{
    double best = values->items[0];

    for (size_t i = 1; i < values->count; i++)
        if (more ? values->items[i] > best : values->items[i] < best)
            best = values->items[i];
    return best;
}

/* What billing rounds a figure to: seconds to whole ones, and by those the cost. */
static double step_of(const struct compare_arm *arm, enum compare_what what,
                      double center)
{
    auto_values struct values seconds = values_of(arm, COMPARE_SECONDS);

    if ((what != COMPARE_SECONDS && what != COMPARE_COST) || seconds.count == 0)
        return 0;
    return center / stats_geometric_mean(seconds.items, seconds.count);
}

static struct stats_sample sample_of(const struct compare_arm *arm,
                                     const struct values *values,
                                     enum compare_what what)
{
    return (struct stats_sample){
        values->items, values->count,
        step_of(arm, what, stats_geometric_mean(values->items, values->count))
    };
}

static const char no_spread[] =
    "no run differs from another: nothing tells how far chance moves them";

static void set_center(const struct comparison *comparison,
                       const struct compare_arm *arm, const struct values *values,
                       enum compare_what what, struct compare_figure *figure)
{
    const struct stats_sample sample = sample_of(arm, values, what);

    if (stats_mean_by_bootstrap(sample, COMPARE_LEVEL, (uint64_t)comparison->ask->seed,
                                &figure->center))
        figure->method = METHOD_BOOTSTRAP;
    else if (stats_mean_by_t(sample, COMPARE_LEVEL, &figure->center))
        figure->method = METHOD_T;
    else
        figure->missing = values->count == 1 ? "one run has no interval" : no_spread;
}

static struct compare_figure figure_of(const struct comparison *comparison,
                                       const struct compare_arm *arm,
                                       enum compare_what what)
{
    auto_values struct values values = values_of(arm, what);
    struct compare_figure figure = { .runs = values.count,
                                     .best = STATS_NONE,
                                     .median = STATS_NONE,
                                     .center = { STATS_NONE, STATS_NONE, STATS_NONE } };

    if (values.count == 0) {
        figure.missing = values.missing;
        return figure;
    }
    figure.best = best_of(&values, more_is_better(arm, what));
    figure.median = stats_median(values.items, values.count);
    if (!kinds[what].has_center)
        return figure;
    if (values.positive)
        set_center(comparison, arm, &values, what, &figure);
    else
        figure.missing = "what is 0 or less has no ratio";
    return figure;
}

/* --- against the baseline --- */

static const char *why_no_ratio(const struct values *a, const struct values *b)
{
    if (a->count == 0)
        return a->missing;
    if (b->count == 0)
        return b->missing;
    if (!a->positive || !b->positive)
        return "what is 0 or less has no ratio";
    return NULL;
}

static struct compare_ratio ratio_of(const struct comparison *comparison,
                                     const struct compare_arm *arm,
                                     enum compare_what what)
{
    const struct compare_arm *baseline = &comparison->arms[0];
    auto_values struct values a = values_of(arm, what);
    auto_values struct values b = values_of(baseline, what);
    struct compare_ratio ratio = { .ratio = { STATS_NONE, STATS_NONE, STATS_NONE },
                                   .missing = why_no_ratio(&a, &b) };
    struct stats_sample of_a, of_b;

    if (ratio.missing)
        return ratio;
    of_a = sample_of(arm, &a, what);
    of_b = sample_of(baseline, &b, what);
    if (stats_ratio_by_bootstrap(of_a, of_b, COMPARE_LEVEL,
                                 (uint64_t)comparison->ask->seed, &ratio.ratio))
        ratio.method = METHOD_BOOTSTRAP;
    else if (stats_ratio_by_t(of_a, of_b, COMPARE_LEVEL, &ratio.ratio))
        ratio.method = METHOD_T;
    else
        ratio.missing =
            a.count == 1 || b.count == 1 ? "one run an arm has no interval" : no_spread;
    return ratio;
}

static enum compare_shown shown_by(const struct compare_ratio *ratio)
{
    if (isnan(ratio->ratio.value))
        return SHOWN_UNKNOWN;
    if (ratio->missing)
        return SHOWN_SINGLE_RUNS;
    if (ratio->ratio.high < 1)
        return SHOWN_LESS;
    return ratio->ratio.low > 1 ? SHOWN_MORE : SHOWN_NONE;
}

/* --- from which amount of work on the dearer start pays --- */

/* A run's cost as a line: what it costs before any work, and a unit of work. */
struct line {
    double fixed;
    double slope;
};

/* False when it is not known.  *unit is that of its rate. */
static bool line_of(const struct compare_run *run, const char **unit, struct line *line)
{
    double per_second, steady;

    if (!run->work || run->rate.missing || !run->rate_unit || !run->work_unit
        || strcmp(run->rate_unit, run->work_unit) != 0 || !run->has_price
        || run->billable == 0 || !(run->rate.value > 0))
        return false;
    if (*unit && strcmp(*unit, run->rate_unit) != 0)
        return false;
    *unit = run->rate_unit;
    per_second = (double)run->cost / (double)run->billable;
    steady = strtod(run->work, NULL) / run->rate.value;
    line->fixed = ((double)run->billable - steady) * per_second;
    line->slope = per_second / run->rate.value;
    return true;
}

/* The medians of an arm's runs; false when one of them is not known. */
static bool line_of_arm(const struct compare_arm *arm, const char **unit,
                        struct line *line)
{
    auto_free double *fixed = xcalloc(arm->run_count + 1, sizeof *fixed);
    auto_free double *slopes = xcalloc(arm->run_count + 1, sizeof *slopes);
    size_t count = 0;

    for (size_t i = 0; i < arm->run_count; i++) {
        if (arm->runs[i].outcome != COMPARE_COMPLETED)
            continue;
        if (!line_of(&arm->runs[i], unit, line))
            return false;
        fixed[count] = line->fixed;
        slopes[count++] = line->slope;
    }
    line->fixed = stats_median(fixed, count);
    line->slope = stats_median(slopes, count);
    return count > 0 && !arm->mixed;
}

static struct compare_value break_even_of(const struct comparison *comparison,
                                          const struct compare_arm *arm)
{
    const char *unit = NULL;
    struct line ours, theirs;
    double work;

    if (!line_of_arm(&comparison->arms[0], &unit, &theirs)
        || !line_of_arm(arm, &unit, &ours))
        return unknown("the rate of steady state is not known of every run");
    work = (theirs.fixed - ours.fixed) / (ours.slope - theirs.slope);
    if (!isfinite(work) || work <= 0)
        return unknown("there is none: one costs less whatever the work");
    return known(work);
}

void compare_compute(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->arm_count; i++) {
        struct compare_arm *arm = &comparison->arms[i];

        for (int what = 0; what < COMPARE_FIGURES; what++)
            arm->figures[what] = figure_of(comparison, arm, (enum compare_what)what);
        if (i == 0)
            continue;
        arm->cost = ratio_of(comparison, arm, COMPARE_COST);
        arm->time = ratio_of(comparison, arm, COMPARE_SECONDS);
        arm->cost_shown = shown_by(&arm->cost);
        arm->time_shown = shown_by(&arm->time);
        arm->break_even = break_even_of(comparison, arm);
    }
}
