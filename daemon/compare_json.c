/* A comparison as answers have it.  Decides how many digits a figure is told with. */

#include "daemon/compare.h"
#include "src/clock.h"
#include "src/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How a figure is written. */
enum form {
    FORM_NUMBER,
    FORM_MONEY, /* nano-dollars */
    FORM_WORK   /* decimal text, one place */
};

static const struct {
    const char *name;
    enum form form;
} forms[COMPARE_FIGURES] = {
    [COMPARE_SECONDS] = { "billable_seconds", FORM_NUMBER },
    [COMPARE_COST] = { "cost_usd", FORM_MONEY },
    [COMPARE_WORK_PER_USD] = { "work_per_usd", FORM_WORK },
    [COMPARE_OBJECTIVE] = { "objective", FORM_NUMBER },
    [COMPARE_STARTUP] = { "startup_seconds", FORM_NUMBER },
    [COMPARE_RATE] = { "steady_per_second", FORM_NUMBER },
    [COMPARE_SECONDS_TO_TARGET] = { "seconds_to_target", FORM_NUMBER },
    [COMPARE_COST_TO_TARGET] = { "usd_to_target", FORM_MONEY },
};

/* In eight digits, more than what is measured has; null when it is not known. */
static void set_number(struct cJSON *json, const char *name, double value)
{
    char text[32];

    if (!isfinite(value)) {
        json_set_null(json, name);
        return;
    }
    snprintf(text, sizeof text, "%.8g", value);
    json_set_number(json, name, text);
}

static void set_form(struct cJSON *json, const char *name, double value, enum form form)
{
    char text[MONEY_TEXT_SIZE];

    if (form == FORM_NUMBER || !isfinite(value)) {
        set_number(json, name, value);
        return;
    }
    if (form == FORM_MONEY && fabs(value) < 9e18)
        money_format(llround(value), text);
    else
        snprintf(text, sizeof text, "%.1f", value);
    json_set_text(json, name, text);
}

static void set_money(struct cJSON *json, const char *name, bool is_known,
                      nanousd_t amount)
{
    char text[MONEY_TEXT_SIZE];

    json_set_text(json, name, is_known ? money_format(amount, text) : NULL);
}

static const char *method_name(enum compare_method method)
{
    switch (method) {
    case METHOD_T:
        return "t";
    case METHOD_BOOTSTRAP:
        return "bootstrap";
    case METHOD_NONE:
        break;
    }
    return NULL;
}

static const char *cache_name(enum compare_cache cache)
{
    switch (cache) {
    case CACHE_COLD:
        return "cold";
    case CACHE_WARM:
        return "warm";
    case CACHE_UNKNOWN:
        break;
    }
    return "unknown";
}

/* --- arms --- */

static struct cJSON *figure_to_json(const struct compare_figure *figure, enum form form)
{
    struct cJSON *json = json_object_new();

    set_form(json, "best", figure->best, form);
    set_form(json, "median", figure->median, form);
    set_form(json, "center", figure->center.value, form);
    set_form(json, "low", figure->center.low, form);
    set_form(json, "high", figure->center.high, form);
    json_set_int(json, "runs", (int64_t)figure->runs);
    json_set_text(json, "method", method_name(figure->method));
    json_set_text(json, "unavailable", figure->missing);
    return json;
}

static struct cJSON *ratio_to_json(const struct comparison *comparison,
                                   const struct compare_ratio *ratio)
{
    struct cJSON *json = json_object_new();

    set_number(json, "value", ratio->ratio.value);
    set_number(json, "low", ratio->ratio.low);
    set_number(json, "high", ratio->ratio.high);
    json_set_text(json, "method", method_name(ratio->method));
    if (ratio->method == METHOD_BOOTSTRAP)
        json_set_int(json, "seed", comparison->ask->seed);
    else
        json_set_null(json, "seed");
    json_set_text(json, "unavailable", ratio->missing);
    return json;
}

static const char *shown_name(enum compare_shown shown)
{
    switch (shown) {
    case SHOWN_LESS:
        return "less";
    case SHOWN_MORE:
        return "more";
    case SHOWN_NONE:
        return "no_difference_shown";
    case SHOWN_SINGLE_RUNS:
        return "single_runs";
    case SHOWN_UNKNOWN:
        break;
    }
    return "unknown";
}

static struct cJSON *saving_of(const struct compare_ratio *ratio)
{
    struct cJSON *json = json_object_new();

    set_number(json, "value", 1 - ratio->ratio.value);
    set_number(json, "low", 1 - ratio->ratio.high);
    set_number(json, "high", 1 - ratio->ratio.low);
    return json;
}

static struct cJSON *break_even_of(const struct compare_arm *arm)
{
    struct cJSON *json = json_object_new();

    set_number(json, "work", arm->break_even.value);
    json_set_text(json, "unit",
                  arm->break_even.missing ? NULL : arm->runs[0].rate_unit);
    json_set_text(json, "unavailable", arm->break_even.missing);
    return json;
}

static struct cJSON *against_to_json(const struct comparison *comparison,
                                     const struct compare_arm *arm)
{
    struct cJSON *json = json_object_new();

    json_set(json, "cost_ratio", ratio_to_json(comparison, &arm->cost));
    json_set(json, "time_ratio", ratio_to_json(comparison, &arm->time));
    json_set(json, "saving", saving_of(&arm->cost));
    set_number(json, "time_factor", arm->time.ratio.value);
    set_number(json, "speed_factor", 1 / arm->time.ratio.value);
    json_set(json, "break_even", break_even_of(arm));
    json_set_text(json, "cost", shown_name(arm->cost_shown));
    json_set_text(json, "time", shown_name(arm->time_shown));
    return json;
}

static bool has_text(const struct cJSON *array, const char *text)
{
    json_each (item, array)
        if (strcmp(json_text(item), text) == 0)
            return true;
    return false;
}

static void add_once(struct cJSON *array, const char *text)
{
    if (text && !has_text(array, text))
        json_append_text(array, text);
}

static void add_number_once(struct cJSON *array, int64_t number)
{
    int64_t known;

    json_each (item, array)
        if (json_to_int(item, &known) && known == number)
            return;
    json_append(array, json_int_new(number));
}

/* What its runs were: each once. */
static void set_kinds(struct cJSON *json, const struct compare_arm *arm)
{
    struct cJSON *types = json_array_new(), *counts = json_array_new();
    struct cJSON *pricing = json_array_new(), *prices = json_array_new();
    struct cJSON *sizes = json_array_new();
    bool estimate = false;

    for (size_t i = 0; i < arm->run_count; i++) {
        const struct compare_run *run = &arm->runs[i];
        char amount[MONEY_TEXT_SIZE];

        add_once(types, run->instance_type);
        add_number_once(counts, run->instance_count);
        add_once(pricing, run->pricing);
        if (run->has_hourly)
            add_once(prices, money_format(run->hourly, amount));
        add_once(sizes, run->batch_size);
        estimate |= run->estimate;
    }
    json_set(json, "instance_types", types);
    json_set(json, "instance_counts", counts);
    json_set(json, "pricing", pricing);
    json_set(json, "usd_per_hour", prices);
    json_set_bool(json, "estimate", estimate);
    json_set(json, "batch_sizes", sizes);
}

static const char *arm_cache(const struct compare_arm *arm)
{
    const struct compare_run *first = NULL;

    for (size_t i = 0; i < arm->run_count; i++) {
        if (arm->runs[i].outcome != COMPARE_COMPLETED)
            continue;
        if (!first)
            first = &arm->runs[i];
        if (arm->runs[i].cache != first->cache)
            return "mixed";
    }
    return cache_name(first ? first->cache : CACHE_UNKNOWN);
}

static void set_emulated(struct cJSON *json, const struct compare_arm *arm)
{
    for (size_t i = 1; i < arm->run_count; i++)
        if (arm->runs[i].emulated != arm->runs[0].emulated) {
            json_set_null(json, "emulated");
            return;
        }
    json_set_bool(json, "emulated", arm->runs[0].emulated);
}

/* spent / count, half to even. */
static nanousd_t share(nanousd_t spent, size_t count)
{
    nanousd_t by = (nanousd_t)count;
    nanousd_t whole = spent / by;
    nanousd_t twice = spent % by * 2;

    return whole + (twice > by || (twice == by && whole % 2 == 1));
}

static void set_spent(struct cJSON *json, const struct compare_arm *arm)
{
    bool is_known = arm->has_spent && arm->counted && !arm->mixed;

    set_money(json, "spent_usd", arm->has_spent, arm->spent);
    set_money(json, "usd_per_success", is_known,
              is_known ? share(arm->spent, arm->counted) : 0);
}

static struct cJSON *arm_to_json(const struct comparison *comparison,
                                 const struct compare_arm *arm)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "name", arm->name);
    set_kinds(json, arm);
    set_emulated(json, arm);
    json_set_text(json, "compile_cache", arm_cache(arm));
    json_set_int(json, "runs", (int64_t)arm->run_count);
    json_set_int(json, "counted", (int64_t)arm->counted);
    json_set_int(json, "failed", (int64_t)arm->failed);
    json_set_int(json, "unfinished", (int64_t)arm->unfinished);
    json_set_text(json, "mixed", arm->mixed);
    set_spent(json, arm);
    for (size_t i = 0; i < COMPARE_FIGURES; i++)
        json_set(json, forms[i].name, figure_to_json(&arm->figures[i], forms[i].form));
    json_set(json, "against_baseline",
             arm == comparison->arms ? json_null_new()
                                     : against_to_json(comparison, arm));
    return json;
}

/* --- runs --- */

static struct cJSON *phases_of(const struct compare_run *run)
{
    struct cJSON *json = json_object_new();

    set_number(json, "staging_seconds", run->phases.staging);
    set_number(json, "startup_seconds", run->startup.value);
    set_number(json, "steady_seconds", run->phases.steady);
    set_number(json, "other_seconds", run->phases.other);
    set_number(json, "ending_seconds", run->phases.ending);
    set_number(json, "steady_per_second", run->rate.value);
    json_set_text(json, "unit", run->rate_unit);
    json_set_text(json, "unavailable", run->phases_missing);
    return json;
}

static struct cJSON *target_of(const struct compare_run *run)
{
    struct cJSON *json = json_object_new();

    set_number(json, "seconds", run->target_seconds.value);
    set_form(json, "cost_usd", run->target_cost.value, FORM_MONEY);
    json_set_text(json, "unavailable",
                  run->target_seconds.missing ? run->target_seconds.missing
                                              : run->target_cost.missing);
    return json;
}

static const char *why_not_counted(const struct compare_run *run)
{
    switch (run->outcome) {
    case COMPARE_FAILED:
        return "it did not complete";
    case COMPARE_UNFINISHED:
        return "it has not ended";
    case COMPARE_COMPLETED:
        break;
    }
    return NULL;
}

static void set_identity(struct cJSON *json, const struct compare_run *run)
{
    char at[TIME_TEXT_SIZE];

    json_set_text(json, "arm", run->arm);
    json_set_text(json, "name", run->name);
    json_set_text(json, "source",
                  run->source ? run->source : (run->imported ? "import" : "ledger"));
    json_set_bool(json, "imported", run->imported);
    json_set_text(json, "status", run->status);
    json_set_bool(json, "counted", run->outcome == COMPARE_COMPLETED);
    json_set_text(json, "why_not", why_not_counted(run));
    json_set_text(json, "instance_type", run->instance_type);
    json_set_int(json, "instance_count", run->instance_count);
    json_set_bool(json, "emulated", run->emulated);
    json_set_text(json, "pricing", run->pricing);
    json_set_text(json, "started_at",
                  run->started ? time_format(run->started, at) : NULL);
    if (run->attempts)
        json_set_int(json, "attempts", run->attempts);
    else
        json_set_null(json, "attempts");
}

static void set_work(struct cJSON *json, const struct compare_run *run)
{
    char text[MONEY_TEXT_SIZE];
    micro_t work;
    bool is_known = run->work && run->has_price
                    && micro_parse(run->work, &work, NULL) == 0
                    && money_work_per_usd(work, run->cost, text);

    json_set_text(json, "work", run->work);
    json_set_text(json, "work_unit", run->work_unit);
    json_set_text(json, "work_per_usd", is_known ? text : NULL);
    set_number(json, "objective", run->objective.value);
    json_set_text(json, "objective_metric", run->objective_metric);
    json_set_text(json, "objective_unavailable", run->objective.missing);
}

static struct cJSON *run_to_json(const struct compare_run *run)
{
    struct cJSON *json = json_object_new();

    set_identity(json, run);
    json_set_int(json, "billable_seconds", run->billable);
    json_set_int(json, "instance_seconds", run->instance_seconds);
    set_money(json, "usd_per_hour", run->has_hourly, run->hourly);
    json_set_bool(json, "estimate", run->estimate);
    set_money(json, "cost_usd", run->has_price, run->cost);
    set_work(json, run);
    json_set_text(json, "code", run->code);
    json_set_text(json, "data", run->data);
    json_set(json, "hyperparameters",
             run->hyperparameters ? json_copy(run->hyperparameters) : json_null_new());
    json_set_text(json, "batch_size", run->batch_size);
    if (run->processes)
        json_set_int(json, "processes", run->processes);
    else
        json_set_null(json, "processes");
    json_set_text(json, "compile_cache", cache_name(run->cache));
    json_set(json, "phases", phases_of(run));
    json_set(json, "to_target", target_of(run));
    return json;
}

/* --- all of it --- */

static const char *result_name(enum compare_result result)
{
    switch (result) {
    case CHECK_EQUAL:
        return "equal";
    case CHECK_DIFFERS:
        return "differs";
    case CHECK_UNKNOWN:
        break;
    }
    return "unknown";
}

static struct cJSON *checks_to_json(const struct comparison *comparison)
{
    struct cJSON *json = json_array_new();

    for (size_t i = 0; i < COMPARE_CHECKS; i++) {
        const struct compare_check *check = &comparison->checks[i];
        struct cJSON *item = json_object_new();

        json_set_text(item, "what", compare_check_name((enum compare_check_kind)i));
        json_set_text(item, "result", result_name(check->result));
        json_set_bool(item, "flagged", check->flagged);
        json_set_text(item, "message", check->message);
        json_append(json, item);
    }
    return json;
}

static struct cJSON *verdict_to_json(const struct comparison *comparison)
{
    static const char *const kinds[] = {
        [VERDICT_NONE] = "none",
        [VERDICT_SINGLE_RUNS] = "single_runs",
        [VERDICT_NO_DIFFERENCE] = "no_difference_shown",
        [VERDICT_DIFFERENCE] = "difference",
    };
    struct cJSON *json = json_object_new();

    json_set_text(json, "kind", kinds[comparison->verdict]);
    json_set_text(json, "text", comparison->sentence);
    return json;
}

struct cJSON *compare_to_json(const struct comparison *comparison)
{
    struct cJSON *json = json_object_new();
    struct cJSON *arms = json_array_new(), *runs = json_array_new();
    struct cJSON *remarks = json_array_new();

    for (size_t i = 0; i < comparison->arm_count; i++)
        json_append(arms, arm_to_json(comparison, &comparison->arms[i]));
    for (size_t i = 0; i < comparison->run_count; i++)
        json_append(runs, run_to_json(&comparison->runs[i]));
    for (size_t i = 0; comparison->remarks && comparison->remarks[i]; i++)
        json_append_text(remarks, comparison->remarks[i]);
    json_set_text(json, "by", comparison->ask->by);
    json_set_text(json, "baseline", comparison->arms[0].name);
    set_number(json, "level", COMPARE_LEVEL);
    json_set_int(json, "seed", comparison->ask->seed);
    json_set_text(json, "repriced_at", comparison->ask->repriced_at);
    json_set(json, "arms", arms);
    json_set(json, "runs", runs);
    json_set(json, "checks", checks_to_json(comparison));
    json_set_bool(json, "comparable", comparison->comparable);
    json_set(json, "verdict", verdict_to_json(comparison));
    json_set(json, "remarks", remarks);
    return json;
}
