/* The figures in words: one sentence that claims no more than they show, and what one
 * who reads them must know. */

#include "daemon/compare.h"
#include "src/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Fewer runs an arm are said to be few (shared practice of benchmarks: five at least).
 */
enum {
    RUNS_WANTED = 5
};

/* --- one arm against the baseline --- */

static double percent(double ratio)
{
    return fabs(ratio - 1) * 100;
}

static const char *direction(double ratio)
{
    return ratio < 1 ? "less" : "more";
}

/* "47.1 % less" */
static void add_change(struct text *words, double ratio)
{
    text_printf(words, percent(ratio) < 0.05 ? "%.1g %% %s" : "%.1f %% %s",
                percent(ratio), direction(ratio));
}

/* "45.2 to 48.9 %" of a ratio whose interval lies on one side of 1. */
static void add_interval(struct text *words, const struct stats_center *ratio)
{
    double one = percent(ratio->low), other = percent(ratio->high);

    text_printf(words, "%.1f to %.1f %%", fmin(one, other), fmax(one, other));
}

static bool time_differs(const struct compare_arm *arm)
{
    return arm->time_shown == SHOWN_LESS || arm->time_shown == SHOWN_MORE;
}

/* "takes 33.5 % more time (31.0 to 36.1 %)" */
static void add_time(struct text *words, const struct compare_arm *arm)
{
    text_puts(words, "takes ");
    add_change(words, arm->time.ratio.value);
    text_puts(words, " time (");
    add_interval(words, &arm->time.ratio);
    text_puts(words, ")");
}

static void add_runs(struct text *words, const struct comparison *comparison,
                     const struct compare_arm *arm)
{
    text_printf(words, "%zu and %zu runs", arm->figures[COMPARE_COST].runs,
                comparison->arms[0].figures[COMPARE_COST].runs);
}

static void say_difference(struct text *words, const struct comparison *comparison,
                           const struct compare_arm *arm)
{
    text_printf(words, "%s costs ", arm->name);
    add_change(words, arm->cost.ratio.value);
    text_printf(words, " a run than %s (95 %% interval ", comparison->arms[0].name);
    add_interval(words, &arm->cost.ratio);
    text_puts(words, "; ");
    add_runs(words, comparison, arm);
    text_puts(words, ")");
    if (time_differs(arm)) {
        text_puts(words, " and ");
        add_time(words, arm);
    } else if (arm->time_shown == SHOWN_NONE) {
        text_puts(words, ", and no difference in time is shown");
    }
}

static void say_none(struct text *words, const struct comparison *comparison,
                     const struct compare_arm *arm)
{
    text_printf(
        words,
        "no difference in cost is shown between %s and %s (the 95 %% interval of"
        " their ratio, %.3f to %.3f, contains 1; ",
        arm->name, comparison->arms[0].name, arm->cost.ratio.low, arm->cost.ratio.high);
    add_runs(words, comparison, arm);
    text_puts(words, ")");
    if (time_differs(arm)) {
        text_printf(words, ", but %s ", arm->name);
        add_time(words, arm);
    } else if (arm->time_shown == SHOWN_NONE) {
        text_puts(words, ", nor one in time");
    }
}

static void say_single(struct text *words, const struct comparison *comparison,
                       const struct compare_arm *arm)
{
    const struct compare_arm *baseline = &comparison->arms[0];
    bool ours = arm->figures[COMPARE_COST].runs == 1;
    bool both = ours && baseline->figures[COMPARE_COST].runs == 1;
    const char *what = both ? "this run" : "the mean";

    if (both)
        text_puts(words, "one run an arm shows no difference beyond itself: ");
    else
        text_printf(words, "a single run of %s shows no difference beyond itself: ",
                    ours ? arm->name : baseline->name);
    text_printf(words, "%s of %s cost ", what, arm->name);
    add_change(words, arm->cost.ratio.value);
    text_printf(words, " than %s of %s, and took ", what, baseline->name);
    add_change(words, arm->time.ratio.value);
    text_puts(words, " time");
}

/* Of an arm whose cost is not known: its time, where that is. */
static enum compare_verdict say_unknown(struct text *words,
                                        const struct comparison *comparison,
                                        const struct compare_arm *arm)
{
    text_printf(words, "what %s costs against %s is not known (%s)", arm->name,
                comparison->arms[0].name, arm->cost.missing);
    if (time_differs(arm)) {
        text_printf(words, "; %s ", arm->name);
        add_time(words, arm);
        return VERDICT_DIFFERENCE;
    }
    if (arm->time_shown != SHOWN_NONE)
        return VERDICT_NONE;
    text_puts(words, ", and no difference in time is shown");
    return VERDICT_NO_DIFFERENCE;
}

static enum compare_verdict say_arm(struct text *words,
                                    const struct comparison *comparison,
                                    const struct compare_arm *arm)
{
    switch (arm->cost_shown) {
    case SHOWN_LESS:
    case SHOWN_MORE:
        say_difference(words, comparison, arm);
        return VERDICT_DIFFERENCE;
    case SHOWN_NONE:
        say_none(words, comparison, arm);
        return VERDICT_NO_DIFFERENCE;
    case SHOWN_SINGLE_RUNS:
        say_single(words, comparison, arm);
        return VERDICT_SINGLE_RUNS;
    case SHOWN_UNKNOWN:
        break;
    }
    return say_unknown(words, comparison, arm);
}

/* --- the sentence --- */

static void say_unlike(struct text *words, const struct comparison *comparison)
{
    const char *between = "no verdict, for the runs are not alike: ";

    for (size_t i = 0; i < COMPARE_CHECKS; i++) {
        if (!comparison->checks[i].flagged)
            continue;
        text_printf(words, "%s%s", between, comparison->checks[i].message);
        between = "; ";
    }
}

static bool has_estimate(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->run_count; i++)
        if (comparison->runs[i].outcome == COMPARE_COMPLETED
            && comparison->runs[i].estimate)
            return true;
    return false;
}

/* What all of it depends on. */
static void add_conditions(struct text *words, const struct comparison *comparison)
{
    if (comparison->runs[0].emulated)
        text_puts(words, "on emulated hardware, which tells nothing of the real one: ");
    if (has_estimate(comparison))
        text_puts(words, "at prices of which some are estimates: ");
}

/* That the work was equal is part of every claim, so it is said where it is not known.
 */
static void add_doubts(struct text *words, const struct comparison *comparison)
{
    const char *between = "; not known to be equal: ";

    for (size_t i = CHECK_CODE; i <= CHECK_OBJECTIVE; i++) {
        if (comparison->checks[i].result != CHECK_UNKNOWN)
            continue;
        text_printf(words, "%s%s", between,
                    compare_check_name((enum compare_check_kind)i));
        between = ", ";
    }
}

static enum compare_verdict say_all(struct text *words,
                                    const struct comparison *comparison)
{
    enum compare_verdict most = VERDICT_NONE;

    if (comparison->arm_count < 2) {
        text_printf(words, "no verdict: %s is the only arm", comparison->arms[0].name);
        return VERDICT_NONE;
    }
    if (!comparison->comparable) {
        say_unlike(words, comparison);
        return VERDICT_NONE;
    }
    add_conditions(words, comparison);
    for (size_t i = 1; i < comparison->arm_count; i++) {
        enum compare_verdict verdict;

        text_puts(words, i > 1 ? "; " : "");
        verdict = say_arm(words, comparison, &comparison->arms[i]);
        if (verdict > most)
            most = verdict;
    }
    if (most != VERDICT_NONE)
        add_doubts(words, comparison);
    return most;
}

/* The name of an arm is not ours to spell. */
static bool begins_with_arm(const struct comparison *comparison, const char *sentence)
{
    for (size_t i = 0; i < comparison->arm_count; i++) {
        const char *name = comparison->arms[i].name;

        if (text_starts_with(sentence, name) && sentence[strlen(name)] == ' ')
            return true;
    }
    return false;
}

/* --- remarks --- */

static void remark_counts(struct comparison *comparison, const struct compare_arm *arm)
{
    size_t priced = arm->figures[COMPARE_COST].runs;

    if (arm->failed)
        words_add(
            &comparison->remarks,
            xasprintf("%s: %zu of %zu runs failed or were stopped; their cost is in"
                      " that of a successful run, and in no other figure",
                      arm->name, arm->failed, arm->run_count));
    if (arm->unfinished)
        words_add(&comparison->remarks,
                  xasprintf("%s: %zu run%s not ended and %s not counted", arm->name,
                            arm->unfinished, arm->unfinished == 1 ? " has" : "s have",
                            arm->unfinished == 1 ? "is" : "are"));
    if (priced && priced < arm->counted)
        words_add(&comparison->remarks,
                  xasprintf("%s: %zu of %zu completed runs have no price and are not in"
                            " its cost",
                            arm->name, arm->counted - priced, arm->counted));
    if (arm->mixed)
        words_add(&comparison->remarks,
                  xasprintf("%s has no figures: %s", arm->name, arm->mixed));
}

static void remark_few(struct comparison *comparison)
{
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < comparison->arm_count; i++)
        if (comparison->arms[i].counted < fewest)
            fewest = comparison->arms[i].counted;
    if (comparison->arm_count > 1 && fewest < RUNS_WANTED)
        words_add(
            &comparison->remarks,
            fewest ? xasprintf("an arm has only %zu completed run%s: at least %d tell"
                               " how far runs of the same lie apart",
                               fewest, fewest == 1 ? "" : "s", RUNS_WANTED)
                   : xstrdup("an arm has no completed run"));
    if (comparison->arm_count > 2)
        words_add(
            &comparison->remarks,
            xasprintf("each of the %zu comparisons is at 95 %% by itself: that all"
                      " of them hold together is less sure",
                      comparison->arm_count - 1));
}

static void remark(struct comparison *comparison)
{
    if (comparison->ask->repriced_at)
        words_add(&comparison->remarks,
                  xasprintf("costs are at the prices of %s, and not what was charged",
                            comparison->ask->repriced_at));
    for (size_t i = 0; i < COMPARE_CHECKS; i++) {
        const struct compare_check *check = &comparison->checks[i];

        if (check->result == CHECK_DIFFERS && !check->flagged)
            words_add(&comparison->remarks, xstrdup(check->message));
    }
    for (size_t i = 0; i < comparison->arm_count; i++)
        remark_counts(comparison, &comparison->arms[i]);
    remark_few(comparison);
}

void compare_judge(struct comparison *comparison)
{
    struct text words = { 0 };

    comparison->verdict = say_all(&words, comparison);
    text_puts(&words, ".");
    comparison->sentence = text_steal(&words);
    if (!begins_with_arm(comparison, comparison->sentence))
        comparison->sentence[0] = (char)toupper((unsigned char)comparison->sentence[0]);
    remark(comparison);
}
