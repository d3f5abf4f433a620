/* Whether the runs did the same work.  Decides which differences forbid a verdict and
 * which are only said; looks at completed runs alone, whose figures are compared. */

#include "daemon/compare.h"
#include "src/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char compare_not_finite[] = "it is not a finite number";

static const char *const names[COMPARE_CHECKS] = {
    [CHECK_CODE] = "code",
    [CHECK_HYPERPARAMETERS] = "hyperparameters",
    [CHECK_DATA] = "data",
    [CHECK_WORK] = "work",
    [CHECK_OBJECTIVE] = "objective",
    [CHECK_EMULATED] = "emulated",
    [CHECK_CACHE] = "compile_cache",
    [CHECK_BATCH_SIZE] = "batch_size",
    [CHECK_SETUP] = "setup",
    [CHECK_PRICING] = "pricing",
    [CHECK_INTERLEAVED] = "interleaved",
};

const char *compare_check_name(enum compare_check_kind kind)
{
    return names[kind];
}

/* The next completed run behind `run` (NULL: the first); NULL: there is no more. */
static const struct compare_run *next_run(const struct comparison *all,
                                          const struct compare_run *run)
{
    const struct compare_run *end = all->runs + all->run_count;

    for (run = run ? run + 1 : all->runs; run < end; run++)
        if (run->outcome == COMPARE_COMPLETED)
            return run;
    return NULL;
}

static struct compare_check equal(const char *message)
{
    return (struct compare_check){ CHECK_EQUAL, false, xstrdup(message) };
}

static struct compare_check unknown(const char *message)
{
    return (struct compare_check){ CHECK_UNKNOWN, false, xstrdup(message) };
}

/* `message` is taken over. */
static struct compare_check differs(bool flagged, char *message)
{
    return (struct compare_check){ CHECK_DIFFERS, flagged, message };
}

/* --- texts that are to be the same --- */

typedef const char *text_getter_t(const struct compare_run *run);

static const char *code_of(const struct compare_run *run)
{
    return run->code;
}

static const char *data_of(const struct compare_run *run)
{
    return run->data;
}

/* The first two runs whose texts are known and differ; false: there are none.
 * *unknown_count is of how many runs it is not known. */
static bool find_difference(const struct comparison *all, text_getter_t *of,
                            const struct compare_run *pair[2], size_t *unknown_count)
{
    const struct compare_run *first = NULL;

    *unknown_count = 0;
    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!of(run)) {
            ++*unknown_count;
            continue;
        }
        if (!first)
            first = run;
        if (strcmp(of(first), of(run)) != 0) {
            pair[0] = first;
            pair[1] = run;
            return true;
        }
    }
    return false;
}

/* Of a digest 12 digits tell enough. */
static int shown_len(const char *text)
{
    return strncmp(text, "sha256:", 7) == 0 ? 7 + 12 : 80;
}

static struct compare_check check_text(const struct comparison *all, text_getter_t *of,
                                       const char *what)
{
    const struct compare_run *pair[2];
    auto_free char *message = NULL;
    size_t missing;

    if (find_difference(all, of, pair, &missing)) {
        const char *one = of(pair[0]), *other = of(pair[1]);

        return differs(true, xasprintf("the %s differs: %.*s of %s, %.*s of %s", what,
                                       shown_len(one), one, pair[0]->name,
                                       shown_len(other), other, pair[1]->name));
    }
    if (missing) {
        message = xasprintf("the %s of %zu run%s is not known", what, missing,
                            missing == 1 ? "" : "s");
        return unknown(message);
    }
    message = xasprintf("the %s is the same", what);
    return equal(message);
}

/* --- objects whose members are to be the same --- */

/* As a program is given it: 4 and "4" are the same.  The caller frees. */
static char *plain_words(const struct cJSON *value)
{
    if (!value)
        return NULL;
    return json_text(value) ? xstrdup(json_text(value)) : json_print(value);
}

static bool is_equal(const struct cJSON *left, const struct cJSON *right)
{
    auto_free char *a = plain_words(left);
    auto_free char *b = plain_words(right);

    return a && b && strcmp(a, b) == 0;
}

static bool is_in(char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* Adds the names of members of `left` that `right` has not, or not so. */
static void add_differing(const struct cJSON *left, const struct cJSON *right,
                          char ***list)
{
    json_each (member, left)
        if (!compare_is_batch_size(json_name(member))
            && !is_in(*list, json_name(member))
            && !is_equal(member, json_get(right, json_name(member))))
            words_add(list, xstrdup(json_name(member)));
}

static char *joined(char *const *list)
{
    struct text words = { 0 };

    for (size_t i = 0; list && list[i]; i++)
        text_printf(&words, "%s%s", i ? ", " : "", list[i]);
    return text_steal(&words);
}

typedef const struct cJSON *object_getter_t(const struct compare_run *run);

static const struct cJSON *hyperparameters_of(const struct compare_run *run)
{
    return run->hyperparameters;
}

static const struct cJSON *setup_of(const struct compare_run *run)
{
    return run->setup;
}

/* Batch sizes are told apart. */
static struct compare_check check_object(const struct comparison *all,
                                         object_getter_t *of, const char *what,
                                         bool flagged)
{
    const struct compare_run *first = NULL;
    auto_free char *message = NULL;
    char **list = NULL;
    size_t missing = 0;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!of(run)) {
            missing++;
            continue;
        }
        if (!first)
            first = run;
        add_differing(of(first), of(run), &list);
        add_differing(of(run), of(first), &list);
    }
    if (list) {
        auto_free char *words = joined(list);

        words_free(list);
        return differs(flagged, xasprintf("%s differ: %s", what, words));
    }
    message = missing ? xasprintf("%s of %zu run%s are not known", what, missing,
                                  missing == 1 ? "" : "s")
                      : xasprintf("%s are the same", what);
    return missing ? unknown(message) : equal(message);
}

/* --- work and objective --- */

static double work_of(const struct compare_run *run)
{
    return strtod(run->work, NULL);
}

static struct compare_check check_work(const struct comparison *all)
{
    const struct compare_run *least = NULL, *most = NULL;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!run->work)
            return unknown("how much work was done is not known of every run");
        if (least && !text_is_same(run->work_unit, least->work_unit))
            return differs(true, xstrdup("the work is counted in different units"));
        if (!least || work_of(run) < work_of(least))
            least = run;
        if (!most || work_of(run) > work_of(most))
            most = run;
    }
    if (!least)
        return unknown("no run has completed");
    if (work_of(most) > work_of(least) * (1 + all->ask->work_band))
        return differs(true, xasprintf("the work differs: %s of %s, %s of %s (%s)",
                                       least->work, least->name, most->work, most->name,
                                       least->work_unit ? least->work_unit : "units"));
    return equal("the same work was done");
}

/* Of single runs: that there is an objective, of one name, and a number. */
static bool objective_is_odd(const struct comparison *all, struct compare_check *check)
{
    const struct compare_run *first = NULL;
    bool missing = false;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (run->objective.missing == compare_not_finite) {
            *check =
                differs(true, xasprintf("the objective of %s is not a finite number",
                                        run->name));
            return true;
        }
        if (!first)
            first = run;
        if (run->objective_metric && first->objective_metric
            && (!text_is_same(run->objective_metric, first->objective_metric)
                || run->goal != first->goal)) {
            *check =
                differs(true, xasprintf("the objective differs: %s of %s, %s of %s",
                                        first->objective_metric, first->name,
                                        run->objective_metric, run->name));
            return true;
        }
        missing |= run->objective.missing != NULL;
    }
    if (missing || !first)
        *check = unknown("what quality was reached is not known of every run");
    return missing || !first;
}

/* Of arms: runs of one arm may differ by chance, their medians only by the band. */
static struct compare_check check_objective(const struct comparison *all)
{
    const struct compare_arm *baseline = &all->arms[0];
    double theirs = baseline->figures[COMPARE_OBJECTIVE].median;
    struct compare_check check;

    if (objective_is_odd(all, &check))
        return check;
    for (size_t i = 1; i < all->arm_count; i++) {
        double ours = all->arms[i].figures[COMPARE_OBJECTIVE].median;

        if (isnan(ours) || isnan(theirs))
            continue; /* it has no run that completed, or none that count */
        if (fabs(ours - theirs) > all->ask->objective_band * fabs(theirs))
            return differs(true,
                           xasprintf("the objective differs: its median is %.6g in"
                                     " %s, %.6g in %s",
                                     theirs, baseline->name, ours, all->arms[i].name));
    }
    return equal("the objective is the same within the band");
}

/* --- how they ran --- */

static struct compare_check check_emulated(const struct comparison *all)
{
    const struct compare_run *first = &all->runs[0];

    for (size_t i = 1; i < all->run_count; i++)
        if (all->runs[i].emulated != first->emulated)
            return differs(true,
                           xasprintf("%s is emulated and %s is not",
                                     first->emulated ? first->name : all->runs[i].name,
                                     first->emulated ? all->runs[i].name
                                                     : first->name));
    return equal(first->emulated ? "all runs are emulated" : "no run is emulated");
}

static struct compare_check check_cache(const struct comparison *all)
{
    const struct compare_run *first = NULL;
    bool is_mixed = false;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!first)
            first = run;
        if (run->cache != first->cache && run->cache && first->cache)
            return differs(true,
                           xstrdup("some runs began with a cold compile cache, some "
                                   "with a warm one"));
        is_mixed |= run->cache != first->cache;
    }
    for (size_t i = 0; i < all->arm_count; i++)
        if (is_mixed && all->arms[i].mixed)
            return differs(true,
                           xasprintf("%s: %s", all->arms[i].name, all->arms[i].mixed));
    if (is_mixed || !first || !first->cache)
        return unknown("whether a compile cache was cold or warm is not told of every "
                       "run (tag compile_cache: cold or warm)");
    return equal(first->cache == CACHE_COLD ? "all compile caches were cold"
                                            : "all compile caches were warm");
}

static char *size_of(const struct compare_run *run)
{
    char processes[48] = "";

    if (run->processes)
        snprintf(processes, sizeof processes, " in %d processes", run->processes);
    return xasprintf("%s%s of %s", run->batch_size, processes, run->name);
}

static struct compare_check check_batch_size(const struct comparison *all)
{
    const struct compare_run *first = NULL;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!run->batch_size)
            return unknown("no hyperparameter tells the batch size of every run");
        if (!first)
            first = run;
        if (!text_is_same(run->batch_size, first->batch_size)
            || run->processes != first->processes) {
            auto_free char *theirs = size_of(first);
            auto_free char *ours = size_of(run);

            return differs(false,
                           xasprintf("the batch size differs, or may do so where "
                                     "it is that of a process: %s, %s",
                                     theirs, ours));
        }
    }
    return first ? equal("the batch size is the same")
                 : unknown("no run has completed");
}

static struct compare_check check_pricing(const struct comparison *all)
{
    const struct compare_run *first = NULL;

    for (const struct compare_run *run = NULL; (run = next_run(all, run));) {
        if (!first)
            first = run;
        if (!text_is_same(run->pricing, first->pricing))
            return differs(false,
                           xasprintf("pricing differs: %s is %s, %s is %s", first->name,
                                     first->pricing ? first->pricing : "not priced",
                                     run->name,
                                     run->pricing ? run->pricing : "not priced"));
    }
    for (size_t i = 0; i < all->arm_count; i++) {
        const struct compare_arm *arm = &all->arms[i];

        for (size_t j = 1; j < arm->run_count; j++)
            if (arm->runs[j].has_hourly && arm->runs[0].has_hourly
                && arm->runs[j].hourly != arm->runs[0].hourly)
                return differs(false,
                               xasprintf("runs of %s had different prices, which is"
                                         " part of how their costs spread: reprice"
                                         " them to compare at one",
                                         arm->name));
    }
    return equal("pricing is the same, and each arm has one price");
}

/* --- when they ran --- */

struct span {
    usec_t first; /* start of the first and of the last run; 0: not known */
    usec_t last;
};

static struct span span_of(const struct compare_arm *arm)
{
    struct span span = { INT64_MAX, 0 };

    for (size_t i = 0; i < arm->run_count; i++) {
        const struct compare_run *run = &arm->runs[i];

        if (run->outcome != COMPARE_COMPLETED)
            continue;
        if (run->started == 0)
            return (struct span){ 0, 0 };
        if (run->started < span.first)
            span.first = run->started;
        if (run->started > span.last)
            span.last = run->started;
    }
    return arm->counted < 2 ? (struct span){ 0, 0 } : span;
}

static struct compare_check check_interleaved(const struct comparison *all)
{
    const struct span theirs = span_of(&all->arms[0]);

    for (size_t i = 1; i < all->arm_count; i++) {
        const struct span ours = span_of(&all->arms[i]);

        if (!ours.first || !theirs.first)
            return unknown(
                "whether the arms took turns is not known: it takes two runs "
                "an arm, with their times");
        if (ours.last < theirs.first || theirs.last < ours.first)
            return differs(false,
                           xasprintf("all runs of one came before those of the "
                                     "other (%s, %s): what changed meanwhile looks "
                                     "like a difference",
                                     all->arms[0].name, all->arms[i].name));
    }
    return all->arm_count > 1 ? equal("the arms took turns")
                              : unknown("there is one arm alone");
}

void compare_check_all(struct comparison *comparison)
{
    struct compare_check *checks = comparison->checks;

    checks[CHECK_CODE] = check_text(comparison, code_of, "code");
    checks[CHECK_HYPERPARAMETERS] =
        check_object(comparison, hyperparameters_of, "hyperparameters", true);
    checks[CHECK_DATA] = check_text(comparison, data_of, "data");
    checks[CHECK_WORK] = check_work(comparison);
    checks[CHECK_OBJECTIVE] = check_objective(comparison);
    checks[CHECK_EMULATED] = check_emulated(comparison);
    checks[CHECK_CACHE] = check_cache(comparison);
    checks[CHECK_BATCH_SIZE] = check_batch_size(comparison);
    checks[CHECK_SETUP] =
        check_object(comparison, setup_of, "other parts of the spec", false);
    checks[CHECK_PRICING] = check_pricing(comparison);
    checks[CHECK_INTERLEAVED] = check_interleaved(comparison);
    comparison->comparable = true;
    for (size_t i = 0; i < COMPARE_CHECKS; i++)
        comparison->comparable &= !checks[i].flagged;
}
