/* Work, throughput, work per dollar, and whether the objective was reached. */

#include "daemon/figure.h"

#include "src/money.h"

#include <string.h>

static const char *last_value(const struct cJSON *metrics, const char *name)
{
    return name ? json_number(json_get(json_get(metrics, name), "last")) : NULL;
}

/* NULL when the work is known; else why it is not. */
static const char *work_done(const struct job_spec *spec, const struct cJSON *metrics,
                             bool completed, const char **work)
{
    *work = NULL;
    if (!spec->work_unit)
        return "the spec has no `work`: nothing says what a dollar bought";
    if (!spec->work_metric) {
        if (!completed)
            return "the job did not complete, and its work is a fixed amount";
        *work = spec->work_amount;
        return NULL;
    }
    *work = last_value(metrics, spec->work_metric);
    return *work ? NULL : "the work metric never appeared in the log";
}

/* A target, and whether the value is on its right side; what never appeared is not. */
static void set_target(struct cJSON *objective, const struct job_spec *spec)
{
    double value, target;
    bool reached = false;

    json_set_number(objective, "target", spec->objective_target);
    if (json_to_double(json_get(objective, "value"), &value)
        && json_to_double(json_get(objective, "target"), &target))
        reached =
            spec->objective_goal == GOAL_MAXIMIZE ? value >= target : value <= target;
    json_set_bool(objective, "reached", reached);
}

static struct cJSON *objective_of(const struct job_spec *spec,
                                  const struct cJSON *metrics)
{
    const char *value = last_value(metrics, spec->objective_metric);
    struct cJSON *objective;

    if (!spec->objective_metric)
        return json_null_new();
    objective = json_object_new();
    json_set_text(objective, "metric", spec->objective_metric);
    json_set_text(objective, "goal", goal_name(spec->objective_goal));
    if (value)
        json_set_number(objective, "value", value);
    else
        json_set_null(objective, "value");
    if (spec->objective_target)
        set_target(objective, spec);
    return objective;
}

static void set_throughput(struct cJSON *figure, micro_t work, int64_t seconds)
{
    char text[MONEY_TEXT_SIZE];

    /* Work per dollar at one dollar a second is work per second. */
    if (seconds > 0 && money_work_per_usd(work, seconds * NANOUSD_PER_USD, text))
        json_set_number(figure, "per_second", text);
    else
        json_set_null(figure, "per_second");
}

static const char *set_price_figures(struct cJSON *figure, micro_t work,
                                     const struct bill *bill)
{
    char text[MONEY_TEXT_SIZE];

    if (!bill->priced)
        return "the instance type has no price: set usd_per_hour in a pool of railhead.yaml(5)";
    if (bill->unpriced_seconds)
        return "a part of its time has no price";
    if (!money_work_per_usd(work, bill->cost, text))
        return "the cost is zero";
    json_set_text(figure, "per_usd", text);
    if (!money_usd_per_million(work, bill->cost, text))
        return "no work was done";
    json_set_text(figure, "usd_per_million", text);
    return NULL;
}

struct cJSON *figure_of(const struct job_spec *spec, const struct bill *bill,
                        const struct cJSON *metrics, bool completed)
{
    struct cJSON *figure = json_object_new();
    const char *work_text;
    const char *missing = work_done(spec, metrics, completed, &work_text);
    micro_t work = 0;

    if (!missing && bill->instance_seconds == 0)
        missing = "nothing was billed";
    if (!missing && micro_parse(work_text, &work, NULL) < 0)
        missing = "the work metric is not a number from 0 to 10^18";
    json_set_text(figure, "work", missing ? NULL : work_text);
    json_set_text(figure, "unit", spec->work_unit);
    if (!missing) {
        set_throughput(figure, work, bill->billable_seconds);
        missing = set_price_figures(figure, work, bill);
    }
    json_set(figure, "objective", objective_of(spec, metrics));
    json_set_text(figure, "unavailable", missing);
    return figure;
}
