/* Reads a job as a run.  Decides which words of its spec say that two did the same, and
 * nothing about what follows from that. */

#include "daemon/billing/compare_runs.h"

#include "daemon/billing/compare_series.h"
#include "daemon/figure.h"
#include "src/launch_plan.h"
#include "src/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is read of one job. */
struct source {
    const struct run_reader *reader;
    struct job *job;
    struct cJSON *spec_json;
    struct job_spec *spec;
    struct cJSON *metrics;
    struct interval *intervals;
    size_t interval_count;
    struct held *held; /* by attempt and worker */
    size_t held_count;
};

/* Seconds of one worker of an attempt at one price. */
struct held {
    int attempt;
    int worker;
    int64_t from; /* the second of its interval at which it begins */
    int64_t seconds;
    int64_t base;
    bool priced;
    nanousd_t hourly;
};

static void source_clear(struct source *source)
{
    job_free(source->job);
    json_free(source->spec_json);
    job_spec_free(source->spec);
    json_free(source->metrics);
    free(source->intervals);
    free(source->held);
}
#define auto_source __attribute__((cleanup(source_clear)))

/* --- reading --- */

static int apply(void *context, const struct job_event *event, struct err *err)
{
    return job_apply(context, event, err);
}

static int parse_spec(struct source *source, struct err *err)
{
    auto_problems struct problems problems = { 0 };

    source->spec = job_spec_parse(source->spec_json, &problems);
    return source->spec ? 0 : members_fail(&problems, err);
}

static int read_job(struct source *source, int64_t job_id, struct err *err)
{
    struct store *store = source->reader->usage->store;

    source->job = job_new(job_id);
    if (store_each_event(store, job_id, apply, source->job, err) < 0
        || store_get_spec(store, job_id, &source->spec_json, err) < 0
        || parse_spec(source, err) < 0
        || store_get_metrics(store, job_id, &source->metrics, err) < 0
        || store_get_intervals(store, job_id, INTERVAL_RUN, &source->intervals,
                               &source->interval_count, err)
               < 0)
        return -1;
    return 0;
}

/* --- what it was charged --- */

struct charging {
    struct source *source;
    struct compare_run *run;
};

static void note_price(struct compare_run *run, const struct usage_price *price)
{
    if (!price) {
        run->has_price = run->has_hourly = false;
        return;
    }
    if (run->instance_seconds == 0)
        run->hourly = price->words.hourly;
    else if (run->hourly != price->words.hourly)
        run->has_hourly = false;
    run->estimate |= price->is_estimate;
}

static int take_charge(void *context, const struct charge *charge, struct err *err)
{
    struct charging *charging = context;
    struct source *source = charging->source;
    const struct held *before =
        source->held_count ? &source->held[source->held_count - 1] : NULL;
    const struct usage_label *label;
    const struct usage_price *price;
    struct held held = { .attempt = charge->attempt,
                         .worker = charge->worker,
                         .seconds = charge->seconds,
                         .base = charge->base };

    if (charge->kind != INTERVAL_RUN)
        return 0;
    if (usage_book_find(source->reader->usage, charge, &label, &price, err) < 0)
        return -1;
    if (before && before->attempt == held.attempt && before->worker == held.worker)
        held.from = before->from + before->seconds;
    held.priced = price != NULL;
    held.hourly = price ? price->words.hourly : 0;
    note_price(charging->run, price);
    charging->run->instance_seconds += held.seconds;
    if (!charging->run->pricing)
        charging->run->pricing = xstrdup(label->words.pricing);
    source->held = xrealloc(source->held, (source->held_count + 1) * sizeof held);
    source->held[source->held_count++] = held;
    return 0;
}

/* How much of the first `until` seconds of its interval lies in it. */
static int64_t part_until(const struct held *held, int64_t until)
{
    int64_t part = until - held->from;

    if (part < 0)
        return 0;
    return part < held->seconds ? part : held->seconds;
}

/* What all attempts before `attempt`, and that up to `until` seconds from its start,
 * have cost as they were charged. */
static int cost_until(const struct source *source, int attempt, int64_t until,
                      nanousd_t *cost, struct err *err)
{
    *cost = 0;
    for (size_t i = 0; i < source->held_count; i++) {
        const struct held *held = &source->held[i];
        int64_t part =
            held->attempt < attempt ? held->seconds : part_until(held, until);
        nanousd_t amount;

        if (held->attempt > attempt || !held->priced)
            continue;
        if (money_for_part(held->hourly, held->base, held->base + part, &amount, err)
            < 0)
            return -1;
        if (__builtin_add_overflow(*cost, amount, cost))
            return err_set(err, ERR_LIMIT, "the cost does not fit");
    }
    return 0;
}

/* The same at one price: each attempt's seconds, rounded once. */
static int reprice_until(const struct source *source, int attempt, int64_t until,
                         nanousd_t hourly, nanousd_t *cost, struct err *err)
{
    *cost = 0;
    for (int number = 1; number <= attempt && number <= source->job->attempt;
         number++) {
        int64_t seconds = 0;
        nanousd_t amount;

        for (size_t i = 0; i < source->held_count; i++)
            if (source->held[i].attempt == number)
                seconds += number < attempt ? source->held[i].seconds
                                            : part_until(&source->held[i], until);
        if (money_for_seconds(hourly, seconds, &amount, err) < 0)
            return -1;
        if (__builtin_add_overflow(*cost, amount, cost))
            return err_set(err, ERR_LIMIT, "the cost does not fit");
    }
    return 0;
}

/* Once the run knows its price. */
static int cost_of(const struct source *source, const struct compare_run *run,
                   int attempt, int64_t until, nanousd_t *cost, struct err *err)
{
    if (source->reader->reprice)
        return reprice_until(source, attempt, until, run->hourly, cost, err);
    return cost_until(source, attempt, until, cost, err);
}

/* Per instance: of each attempt the worker that was held longest. */
static int64_t billable_before(const struct source *source, int attempt)
{
    int64_t sum = 0;

    for (int number = 1; number < attempt; number++) {
        int64_t longest = 0;

        for (size_t i = 0; i < source->held_count; i++) {
            const struct held *held = &source->held[i];

            if (held->attempt == number && held->from + held->seconds > longest)
                longest = held->from + held->seconds;
        }
        sum += longest;
    }
    return sum;
}

/* The price of its type in `types`; false: none. */
static bool find_price(const struct run_reader *reader, const char *instance_type,
                       nanousd_t *hourly, bool *estimate)
{
    const struct cJSON *type = json_get(reader->types, instance_type);
    const char *amount = json_get_text(type, "usd_per_hour");
    const char *confidence = json_get_text(type, "confidence");

    *estimate = confidence && strcmp(confidence, "low") == 0;
    return amount && money_parse(amount, hourly, NULL) == 0;
}

static void set_price(const struct run_reader *reader, struct compare_run *run)
{
    run->has_price = run->has_hourly =
        find_price(reader, run->instance_type, &run->hourly, &run->estimate);
}

int run_reprice(const struct run_reader *reader, struct compare_run *run,
                struct err *err)
{
    set_price(reader, run);
    return run->has_price
               ? money_for_seconds(run->hourly, run->instance_seconds, &run->cost, err)
               : 0;
}

static int read_charges(struct source *source, struct compare_run *run, struct err *err)
{
    struct charging charging = { source, run };

    run->has_price = run->has_hourly = true;
    if (store_each_charge_of(source->reader->usage->store, source->job->job_id,
                             take_charge, &charging, err)
        < 0)
        return -1;
    run->has_hourly &= source->held_count > 0;
    if (source->reader->reprice)
        set_price(source->reader, run);
    run->billable = billable_before(source, source->job->attempt + 1);
    return run->has_price
               ? cost_of(source, run, source->job->attempt, INT64_MAX, &run->cost, err)
               : 0;
}

/* --- what it was --- */

static void set_outcome(const struct job *job, struct compare_run *run)
{
    run->status = xstrdup(job_state_primary(job->state, job->stop_asked));
    if (job->state == JOB_COMPLETED)
        run->outcome = COMPARE_COMPLETED;
    else
        run->outcome =
            job_state_is_final(job->state) ? COMPARE_FAILED : COMPARE_UNFINISHED;
}

static char *arm_of(const struct source *source)
{
    const char *by = source->reader->by;
    const struct cJSON *tag;

    if (strcmp(by, "instance_type") == 0)
        return xstrdup(source->job->instance_type);
    tag = json_get(source->spec->tags, by + strlen("tag:"));
    if (!tag)
        return xstrdup("(no tag)");
    return json_text(tag) ? xstrdup(json_text(tag)) : json_print(tag);
}

/* The members of `from` that are named, as one object, sorted. */
static struct cJSON *some_of(const struct cJSON *from, const char *const *names,
                             size_t count)
{
    struct cJSON *some = json_object_new();

    for (size_t i = 0; i < count; i++)
        if (json_get(from, names[i]))
            json_set(some, names[i], json_copy(json_get(from, names[i])));
    json_sort(some);
    return some;
}

static char *code_of(const struct cJSON *spec)
{
    static const char *const names[] = { "command", "entry_point", "source_dir" };
    auto_json struct cJSON *code = some_of(spec, names, ARRAY_SIZE(names));
    auto_free char *words = json_print(code);
    char hex[DIGEST_HEX_SIZE];

    digest_bytes(words, strlen(words), hex);
    return xasprintf("sha256:%s", hex);
}

/* What its channels are of, and how instances share it. */
static char *data_of(const struct job_spec *spec)
{
    struct text words = { 0 };

    for (size_t i = 0; i < spec->channel_count; i++) {
        const struct channel *channel = &spec->channels[i];

        text_printf(&words, "%s%s=%s", i ? ", " : "", channel->name, channel->uri);
        if (channel->distribution != CHANNEL_FULLY_REPLICATED)
            text_printf(&words, " (%s)",
                        channel_distribution_names[channel->distribution]);
    }
    return words.len ? text_steal(&words) : xstrdup("no inputs");
}

static int processes_of(const struct source *source)
{
    const struct job_spec *spec = source->spec;
    const struct cJSON *type =
        json_get(source->reader->types, source->job->instance_type);
    int64_t each = spec->processes_per_host;

    if (each == 0)
        each = spec->distribution == DISTRIBUTION_NONE
                   ? 1
                   : json_get_int(type, "processes", 0);
    return (int)(each * spec->instance_count);
}

static enum compare_cache cache_of(const struct job_spec *spec)
{
    const char *told = json_get_text(spec->tags, "compile_cache");

    if (told && strcmp(told, "cold") == 0)
        return CACHE_COLD;
    return told && strcmp(told, "warm") == 0 ? CACHE_WARM : CACHE_UNKNOWN;
}

static void set_recipe(const struct source *source, struct compare_run *run)
{
    static const char *const setup[] = {
        "compiler_config", "distribution",   "environment",
        "framework",       "instance_count", "python",
    };

    run->code = code_of(source->spec_json);
    run->data = data_of(source->spec);
    run->hyperparameters = json_copy(source->spec->hyperparameters);
    json_sort(run->hyperparameters);
    run->setup = some_of(source->spec_json, setup, ARRAY_SIZE(setup));
    run->batch_size = compare_batch_size(run->hyperparameters);
    run->processes = processes_of(source);
    run->cache = cache_of(source->spec);
}

/* --- what it did --- */

static struct compare_value missing(const char *why)
{
    return (struct compare_value){ STATS_NONE, why };
}

static void set_objective(const struct source *source, struct compare_run *run)
{
    const struct job_spec *spec = source->spec;
    const struct cJSON *last;

    if (!spec->objective_metric) {
        run->objective = missing("the spec has no objective");
        return;
    }
    run->objective_metric = xstrdup(spec->objective_metric);
    run->goal = spec->objective_goal;
    last = json_get(json_get(source->metrics, spec->objective_metric), "last");
    if (json_to_double(last, &run->objective.value))
        return;
    run->objective =
        missing(last ? compare_not_finite : "the objective never appeared in the log");
}

static void set_work(const struct source *source, struct compare_run *run)
{
    const struct bill bill = { .billable_seconds = run->billable,
                               .instance_seconds = run->instance_seconds,
                               .priced = run->has_price,
                               .cost = run->cost };
    auto_json struct cJSON *figure = figure_of(source->spec, &bill, source->metrics,
                                               source->job->state == JOB_COMPLETED);
    const char *work = json_get_text(figure, "work");

    run->work = work ? xstrdup(work) : NULL;
    run->work_unit = source->spec->work_unit ? xstrdup(source->spec->work_unit) : NULL;
    set_objective(source, run);
}

/* --- where its seconds went --- */

static char *folder_of(const struct source *source)
{
    return xasprintf("%s/jobs/%s", source->reader->usage->state, source->job->id);
}

static void read_series(const struct source *source, int attempt, const char *name,
                        struct series *series)
{
    auto_free char *folder = folder_of(source);
    const struct cJSON *metric = json_get(source->metrics, name);

    if (!metric)
        return; /* it never appeared, so no file has it */
    series_read(folder, attempt, source->job->instance_count, name,
                json_get_int(metric, "rank", 0), series);
}

/* The metric that tells how its work went on: that of `work`, else the first whose
 * values have steps. */
static const char *progress_metric(const struct job_spec *spec,
                                   const struct cJSON *metrics)
{
    int64_t step;

    if (spec->work_metric)
        return spec->work_metric;
    for (size_t i = 0; i < spec->metric_count; i++)
        if (json_to_int(json_get(json_get(metrics, spec->metrics[i].name), "step"),
                        &step))
            return spec->metrics[i].name;
    return NULL;
}

/* Until the last worker has launched. */
static usec_t launched_at(const struct job *job)
{
    usec_t last = job->ready_boot_us;

    for (int i = 0; i < job->instance_count; i++)
        if (job->workers[i].launched_boot_us > last)
            last = job->workers[i].launched_boot_us;
    return job->ready_wall_us + (last - job->ready_boot_us);
}

static void set_phases(const struct source *source, struct compare_run *run)
{
    const struct job *job = source->job;
    const char *name = progress_metric(source->spec, source->metrics);
    const char *why = NULL;
    auto_series struct series series = { 0 };

    if (source->held_count == 0 || !job->workers)
        why = "it was not billed";
    else if (job->attempt > 1)
        why = "it took several attempts";
    else if (!name)
        why = "no metric tells how its work went on";
    if (why) {
        run->phases = (struct compare_phases){ STATS_NONE, STATS_NONE, STATS_NONE,
                                               STATS_NONE, STATS_NONE };
        run->phases_missing = why;
        run->startup = run->rate = missing(why);
        return;
    }
    read_series(source, job->attempt, name, &series);
    run->rate_unit = xstrdup(source->spec->work_metric ? run->work_unit : "steps");
    series_phases(&series, !source->spec->work_metric,
                  &(struct run_times){ job->ready_wall_us, launched_at(job),
                                       run->billable },
                  run);
}

/* When an attempt's bill opened, wall clock. */
static usec_t opened_at(const struct source *source, int attempt)
{
    for (size_t i = 0; i < source->interval_count; i++)
        if (source->intervals[i].attempt == attempt)
            return source->intervals[i].open_wall_us;
    return 0;
}

/* Sets what it took and cost until `at`, in an attempt. */
static int set_reached(const struct source *source, int attempt, usec_t at,
                       struct compare_run *run, struct err *err)
{
    int64_t until = money_billable_seconds(at - opened_at(source, attempt));
    nanousd_t cost;

    run->target_seconds =
        (struct compare_value){ (double)(billable_before(source, attempt) + until),
                                NULL };
    if (!run->has_price) {
        run->target_cost = missing("it has no price");
        return 0;
    }
    if (cost_of(source, run, attempt, until, &cost, err) < 0)
        return -1;
    run->target_cost = (struct compare_value){ (double)cost, NULL };
    return 0;
}

static int set_target(const struct source *source, struct compare_run *run,
                      struct err *err)
{
    const struct job_spec *spec = source->spec;

    run->target_seconds = run->target_cost =
        missing(spec->objective_target ? "the target was not reached"
                                       : "the objective has no target");
    if (!spec->objective_target)
        return 0;
    for (int attempt = 1; attempt <= source->job->attempt; attempt++) {
        auto_series struct series series = { 0 };
        usec_t at;

        read_series(source, attempt, spec->objective_metric, &series);
        at = series_reached(&series, spec->objective_goal,
                            strtod(spec->objective_target, NULL));
        if (at)
            return set_reached(source, attempt, at, run, err);
    }
    return 0;
}

int run_read(const struct run_reader *reader, int64_t job_id, struct compare_run *run,
             struct err *err)
{
    auto_source struct source source = { .reader = reader };

    *run = (struct compare_run){ 0 };
    if (read_job(&source, job_id, err) < 0)
        return err_wrap(err, "job %lld", (long long)job_id);
    run->name = xstrdup(source.job->name);
    run->arm = arm_of(&source);
    run->instance_type = xstrdup(source.job->instance_type);
    run->instance_count = source.job->instance_count;
    run->emulated = source.job->emulated;
    run->started = opened_at(&source, 1);
    run->attempts = source.job->attempt;
    set_outcome(source.job, run);
    if (read_charges(&source, run, err) < 0)
        return err_wrap(err, "job %s", run->name);
    set_recipe(&source, run);
    set_work(&source, run);
    set_phases(&source, run);
    if (set_target(&source, run, err) < 0)
        return err_wrap(err, "job %s", run->name);
    return 0;
}
